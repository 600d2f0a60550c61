; Lanes 0 to 3 and 20 to 23 want all banks, once each, and so on: reads of 16 bytes serve them at once,
; writes serve eight lanes that follow each other.
  .amdgcn_target "amdgcn-amd-amdhsa--gfx942"
  .text
  .p2align 8
  .type groups,@function
groups:
  v_and_b32_e32 v1, 3, v0
  v_lshlrev_b32_e32 v1, 4, v1
  v_bfe_u32 v2, v0, 4, 1
  v_lshl_or_b32 v1, v2, 6, v1
  v_bfe_u32 v2, v0, 2, 2
  v_lshl_or_b32 v1, v2, 7, v1
  v_lshrrev_b32_e32 v2, 5, v0
  v_lshl_or_b32 v1, v2, 9, v1
  v_mov_b32_e32 v4, 0
  v_mov_b32_e32 v5, 0
  v_mov_b32_e32 v6, 0
  v_mov_b32_e32 v7, 0
  ds_write_b128 v1, v[4:7]
  s_waitcnt lgkmcnt(0)
  ds_read_b128 v[4:7], v1
  s_waitcnt lgkmcnt(0)
  v_fma_f32 v4, v5, v6, v7
  s_endpgm
.Lgroups:
  .size groups, .Lgroups-groups
  .section .rodata,"a"
  .p2align 6
  .amdhsa_kernel groups
    .amdhsa_group_segment_fixed_size 20480
    .amdhsa_kernarg_size 8
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 8
    .amdhsa_next_free_sgpr 8
    .amdhsa_accum_offset 8
  .end_amdhsa_kernel
  .amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx942
amdhsa.kernels:
  - .name: groups
    .symbol: groups.kd
    .args: [{.name: x, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}]
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 20480
    .private_segment_fixed_size: 0
    .max_flat_workgroup_size: 256
    .sgpr_count: 8
    .vgpr_count: 72
    .wavefront_size: 64
  .end_amdgpu_metadata
