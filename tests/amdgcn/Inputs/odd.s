; Kernels that lack a wait, go wrong, or use what the emulator does not know.
  .amdgcn_target "amdgcn-amd-amdhsa--gfx942"
  .text
  .p2align 8
  .type early,@function
early:
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword v2, v1, s[4:5]
  v_add_u32_e32 v2, 1, v2
  global_store_dword v1, v2, s[4:5]
  s_endpgm
.Learly:
  .size early, .Learly-early
  .p2align 8
  .type meets,@function
meets:
  v_lshlrev_b32_e32 v1, 2, v0
  ds_write_b32 v1, v0
  s_barrier
  ds_read_b32 v2, v1 offset:4
  s_waitcnt lgkmcnt(0)
  s_endpgm
.Lmeets:
  .size meets, .Lmeets-meets
  .p2align 8
  .type unknown,@function
unknown:
  v_mqsad_u32_u8 v[0:3], v[4:5], v6, v[8:11]
  s_endpgm
.Lunknown:
  .size unknown, .Lunknown-unknown
  .p2align 8
  .type outside,@function
outside:
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v0, s[4:5] offset:2048
  s_endpgm
.Loutside:
  .size outside, .Loutside-outside
  .p2align 8
  .type traps,@function
traps:
  s_trap 2
.Ltraps:
  .size traps, .Ltraps-traps
  .p2align 8
  .type falls,@function
falls:
  s_nop 0
.Lfalls:
  .size falls, .Lfalls-falls
  .p2align 8
  .type jumps,@function
jumps:
  s_mov_b64 s[2:3], 64
  s_setpc_b64 s[2:3]
.Ljumps:
  .size jumps, .Ljumps-jumps
  .section .rodata,"a"
  .macro kernel name, lds
  .p2align 6
  .amdhsa_kernel \name
    .amdhsa_group_segment_fixed_size \lds
    .amdhsa_kernarg_size 8
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 8
    .amdhsa_next_free_sgpr 8
    .amdhsa_accum_offset 8
  .end_amdhsa_kernel
  .endm
  kernel early, 0
  kernel meets, 512
  kernel unknown, 0
  kernel outside, 0
  kernel traps, 0
  kernel falls, 0
  kernel jumps, 0
  .amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx942
amdhsa.kernels:
  - .name: early
    .symbol: early.kd
    .args: [{.name: x, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}]
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .max_flat_workgroup_size: 256
    .sgpr_count: 8
    .vgpr_count: 8
    .wavefront_size: 64
  - .name: meets
    .symbol: meets.kd
    .args: [{.name: x, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}]
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 512
    .private_segment_fixed_size: 0
    .max_flat_workgroup_size: 256
    .sgpr_count: 8
    .vgpr_count: 8
    .wavefront_size: 64
  - .name: unknown
    .symbol: unknown.kd
    .args: [{.name: x, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}]
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .max_flat_workgroup_size: 256
    .sgpr_count: 8
    .vgpr_count: 8
    .wavefront_size: 64
  - .name: outside
    .symbol: outside.kd
    .args: [{.name: x, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}]
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .max_flat_workgroup_size: 256
    .sgpr_count: 8
    .vgpr_count: 8
    .wavefront_size: 64
  - .name: traps
    .symbol: traps.kd
    .args: [{.name: x, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}]
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .max_flat_workgroup_size: 256
    .sgpr_count: 8
    .vgpr_count: 8
    .wavefront_size: 64
  - .name: falls
    .symbol: falls.kd
    .args: [{.name: x, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}]
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .max_flat_workgroup_size: 256
    .sgpr_count: 8
    .vgpr_count: 8
    .wavefront_size: 64
  - .name: jumps
    .symbol: jumps.kd
    .args: [{.name: x, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}]
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .max_flat_workgroup_size: 256
    .sgpr_count: 8
    .vgpr_count: 8
    .wavefront_size: 64
  .end_amdgpu_metadata
