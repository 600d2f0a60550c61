	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 6
	.text
	.protected	from_eights
	.globl	from_eights
	.p2align	8
	.type	from_eights,@function
from_eights:
	s_load_dwordx8 s[4:11], s[0:1], 0x0
	v_lshlrev_b32_e32 v1, 2, v0
	v_lshlrev_b32_e32 v0, 4, v0
	s_waitcnt lgkmcnt(0)
	global_load_dword v1, v1, s[4:5]
	s_waitcnt vmcnt(0)
	v_cvt_f32_fp8_sdwa v2, v1 src0_sel:BYTE_0
	v_cvt_f32_fp8_sdwa v3, v1 src0_sel:BYTE_1
	v_cvt_f32_fp8_sdwa v4, v1 src0_sel:BYTE_2
	v_cvt_f32_fp8_sdwa v5, v1 src0_sel:BYTE_3
	v_cvt_f32_bf8_sdwa v6, v1 src0_sel:BYTE_0
	v_cvt_f32_bf8_sdwa v7, v1 src0_sel:BYTE_1
	v_cvt_f32_bf8_sdwa v8, v1 src0_sel:BYTE_2
	v_cvt_f32_bf8_sdwa v9, v1 src0_sel:BYTE_3
	v_cvt_pk_f32_fp8_e32 v[10:11], v1
	v_cvt_pk_f32_bf8_sdwa v[12:13], v1 src0_sel:WORD_1
	global_store_dwordx4 v0, v[2:5], s[6:7]
	global_store_dwordx4 v0, v[6:9], s[8:9]
	global_store_dwordx4 v0, v[10:13], s[10:11]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel from_eights
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 32
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 14
		.amdhsa_next_free_sgpr 12
		.amdhsa_accum_offset 16
		.amdhsa_reserve_vcc 0
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_tg_split 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end0:
	.size	from_eights, .Lfunc_end0-from_eights
	.set from_eights.num_vgpr, 14
	.set from_eights.num_agpr, 0
	.set from_eights.numbered_sgpr, 12
	.set from_eights.num_named_barrier, 0
	.set from_eights.private_seg_size, 0
	.set from_eights.uses_vcc, 0
	.set from_eights.uses_flat_scratch, 0
	.set from_eights.has_dyn_sized_stack, 0
	.set from_eights.has_recursion, 0
	.set from_eights.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	to_eights
	.globl	to_eights
	.p2align	8
	.type	to_eights,@function
to_eights:
	s_load_dwordx8 s[4:11], s[0:1], 0x0
	v_lshlrev_b32_e32 v1, 4, v0
	v_mov_b32_e32 v6, 0
	s_mov_b32 s0, 0x9e3779b9
	v_mov_b32_e32 v7, 0x11223344
	s_waitcnt lgkmcnt(0)
	global_load_dwordx4 v[2:5], v1, s[4:5]
	v_mov_b32_e32 v1, 0
	v_mul_lo_u32 v8, v0, s0
	v_lshlrev_b32_e32 v0, 2, v0
	s_waitcnt vmcnt(0)
	v_cvt_pk_fp8_f32 v6, v2, v3
	v_cvt_pk_bf8_f32 v1, v2, v3
	v_cvt_sr_fp8_f32 v7, v2, v8 op_sel:[0,0,1,1]
	v_cvt_pk_fp8_f32 v6, v4, v5 op_sel:[0,0,1]
	v_cvt_pk_bf8_f32 v1, v4, v5 op_sel:[0,0,1]
	v_cvt_sr_bf8_f32 v7, v3, v8
	global_store_dword v0, v6, s[6:7]
	global_store_dword v0, v1, s[8:9]
	global_store_dword v0, v7, s[10:11]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel to_eights
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 32
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 9
		.amdhsa_next_free_sgpr 12
		.amdhsa_accum_offset 12
		.amdhsa_reserve_vcc 0
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_tg_split 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end1:
	.size	to_eights, .Lfunc_end1-to_eights
	.set to_eights.num_vgpr, 9
	.set to_eights.num_agpr, 0
	.set to_eights.numbered_sgpr, 12
	.set to_eights.num_named_barrier, 0
	.set to_eights.private_seg_size, 0
	.set to_eights.uses_vcc, 0
	.set to_eights.uses_flat_scratch, 0
	.set to_eights.has_dyn_sized_stack, 0
	.set to_eights.has_recursion, 0
	.set to_eights.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.p2alignl 6, 3212836864
	.fill 256, 4, 3212836864
	.section	.AMDGPU.gpr_maximums,"",@progbits
	.set amdgpu.max_num_vgpr, 0
	.set amdgpu.max_num_agpr, 0
	.set amdgpu.max_num_sgpr, 0
	.set amdgpu.max_num_named_barrier, 0
	.text
	.section	".note.GNU-stack","",@progbits
	.amdgpu_metadata
---
amdhsa.kernels:
  - .agpr_count:     0
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         8
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         16
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         24
        .size:           8
        .value_kind:     global_buffer
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 32
    .max_flat_workgroup_size: 64
    .name:           from_eights
    .private_segment_fixed_size: 0
    .sgpr_count:     18
    .sgpr_spill_count: 0
    .symbol:         from_eights.kd
    .uses_dynamic_stack: false
    .vgpr_count:     14
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     0
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         8
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         16
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         24
        .size:           8
        .value_kind:     global_buffer
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 32
    .max_flat_workgroup_size: 64
    .name:           to_eights
    .private_segment_fixed_size: 0
    .sgpr_count:     18
    .sgpr_spill_count: 0
    .symbol:         to_eights.kd
    .uses_dynamic_stack: false
    .vgpr_count:     9
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
