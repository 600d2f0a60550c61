	.amdgcn_target "amdgcn-amd-amdhsa--gfx1200"
	.amdhsa_code_object_version 6
	.text
	.protected	from_eights
	.globl	from_eights
	.p2align	8
	.type	from_eights,@function
from_eights:
	s_load_b256 s[0:7], s[0:1], 0x0
	v_lshlrev_b32_e32 v1, 2, v0
	v_lshlrev_b32_e32 v12, 4, v0
	s_wait_kmcnt 0x0
	global_load_b32 v10, v1, s[0:1]
	s_wait_loadcnt 0x0
	v_cvt_f32_fp8_e32 v0, v10
	v_cvt_f32_fp8_e64 v1, v10 byte_sel:1
	v_cvt_f32_fp8_e64 v2, v10 byte_sel:2
	v_cvt_f32_fp8_e64 v3, v10 byte_sel:3
	v_cvt_f32_bf8_e32 v4, v10
	v_cvt_f32_bf8_e64 v5, v10 byte_sel:1
	v_cvt_f32_bf8_e64 v6, v10 byte_sel:2
	v_cvt_f32_bf8_e64 v7, v10 byte_sel:3
	v_cvt_pk_f32_fp8_e32 v[8:9], v10
	v_cvt_pk_f32_bf8_e64 v[10:11], v10 op_sel:[1,0]
	s_clause 0x2
	global_store_b128 v12, v[0:3], s[2:3]
	global_store_b128 v12, v[4:7], s[4:5]
	global_store_b128 v12, v[8:11], s[6:7]
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
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_wavefront_size32 1
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 13
		.amdhsa_next_free_sgpr 8
		.amdhsa_reserve_vcc 0
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_fp16_overflow 0
		.amdhsa_workgroup_processor_mode 1
		.amdhsa_memory_ordered 1
		.amdhsa_forward_progress 1
		.amdhsa_inst_pref_size 2
		.amdhsa_round_robin_scheduling 0
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
	.set from_eights.num_vgpr, 13
	.set from_eights.num_agpr, 0
	.set from_eights.numbered_sgpr, 8
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
	s_load_b256 s[0:7], s[0:1], 0x0
	v_dual_mov_b32 v6, 0 :: v_dual_lshlrev_b32 v1, 4, v0
	v_mul_lo_u32 v5, 0x9e3779b9, v0
	v_dual_mov_b32 v7, 0 :: v_dual_mov_b32 v8, 0x11223344
	v_lshlrev_b32_e32 v0, 2, v0
	s_wait_kmcnt 0x0
	global_load_b128 v[1:4], v1, s[0:1]
	s_wait_loadcnt 0x0
	v_cvt_pk_fp8_f32 v6, v1, v2
	v_cvt_pk_bf8_f32 v7, v1, v2
	v_cvt_sr_fp8_f32 v8, v1, v5 byte_sel:3
	s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_3)
	v_cvt_pk_fp8_f32 v6, v3, v4 op_sel:[0,0,1]
	v_cvt_pk_bf8_f32 v7, v3, v4 op_sel:[0,0,1]
	s_delay_alu instid0(VALU_DEP_3)
	v_cvt_sr_bf8_f32 v8, v2, v5
	s_clause 0x2
	global_store_b32 v0, v6, s[2:3]
	global_store_b32 v0, v7, s[4:5]
	global_store_b32 v0, v8, s[6:7]
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
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_wavefront_size32 1
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 9
		.amdhsa_next_free_sgpr 8
		.amdhsa_reserve_vcc 0
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_fp16_overflow 0
		.amdhsa_workgroup_processor_mode 1
		.amdhsa_memory_ordered 1
		.amdhsa_forward_progress 1
		.amdhsa_inst_pref_size 2
		.amdhsa_round_robin_scheduling 0
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
	.set to_eights.numbered_sgpr, 8
	.set to_eights.num_named_barrier, 0
	.set to_eights.private_seg_size, 0
	.set to_eights.uses_vcc, 0
	.set to_eights.uses_flat_scratch, 0
	.set to_eights.has_dyn_sized_stack, 0
	.set to_eights.has_recursion, 0
	.set to_eights.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.p2alignl 7, 3214868480
	.fill 96, 4, 3214868480
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
  - .args:
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
    .sgpr_count:     8
    .sgpr_spill_count: 0
    .symbol:         from_eights.kd
    .uses_dynamic_stack: false
    .vgpr_count:     13
    .vgpr_spill_count: 0
    .wavefront_size: 32
    .workgroup_processor_mode: 1
  - .args:
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
    .sgpr_count:     8
    .sgpr_spill_count: 0
    .symbol:         to_eights.kd
    .uses_dynamic_stack: false
    .vgpr_count:     9
    .vgpr_spill_count: 0
    .wavefront_size: 32
    .workgroup_processor_mode: 1
amdhsa.target:   amdgcn-amd-amdhsa--gfx1200
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
