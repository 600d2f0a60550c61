	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.amdhsa_code_object_version 6
	.text
	.protected	sum_blocks
	.globl	sum_blocks
	.p2align	8
	.type	sum_blocks,@function
sum_blocks:
	s_load_b128 s[0:3], s[0:1], 0x0
	s_mov_b32 s4, s15
	v_mov_b32_e32 v2, 0
	v_lshl_or_b32 v1, s4, 8, v0
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_lshlrev_b64 v[1:2], 2, v[1:2]
	s_waitcnt lgkmcnt(0)
	v_add_co_u32 v1, vcc_lo, s0, v1
	s_delay_alu instid0(VALU_DEP_1)
	v_add_co_ci_u32_e64 v2, null, s1, v2, vcc_lo
	s_mov_b32 s0, exec_lo
	global_load_b32 v2, v[1:2], off
	v_lshlrev_b32_e32 v1, 2, v0
	s_waitcnt vmcnt(0)
	ds_store_b32 v1, v2
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	v_cmpx_gt_u32_e32 0x80, v0
	s_cbranch_execz .LBB0_2
	ds_load_2addr_stride64_b32 v[2:3], v1 offset1:2
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v3, v2
	ds_store_b32 v1, v2
.LBB0_2:
	s_or_b32 exec_lo, exec_lo, s0
	s_delay_alu instid0(SALU_CYCLE_1)
	s_mov_b32 s0, exec_lo
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	v_cmpx_gt_u32_e32 64, v0
	s_cbranch_execz .LBB0_4
	ds_load_2addr_stride64_b32 v[2:3], v1 offset1:1
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v3, v2
	ds_store_b32 v1, v2
.LBB0_4:
	s_or_b32 exec_lo, exec_lo, s0
	s_delay_alu instid0(SALU_CYCLE_1)
	s_mov_b32 s0, exec_lo
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	v_cmpx_gt_u32_e32 32, v0
	s_cbranch_execz .LBB0_6
	ds_load_2addr_b32 v[2:3], v1 offset1:32
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v3, v2
	ds_store_b32 v1, v2
.LBB0_6:
	s_or_b32 exec_lo, exec_lo, s0
	s_delay_alu instid0(SALU_CYCLE_1)
	s_mov_b32 s0, exec_lo
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	v_cmpx_gt_u32_e32 16, v0
	s_cbranch_execz .LBB0_8
	ds_load_2addr_b32 v[2:3], v1 offset1:16
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v3, v2
	ds_store_b32 v1, v2
.LBB0_8:
	s_or_b32 exec_lo, exec_lo, s0
	s_delay_alu instid0(SALU_CYCLE_1)
	s_mov_b32 s0, exec_lo
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	v_cmpx_gt_u32_e32 8, v0
	s_cbranch_execz .LBB0_10
	ds_load_2addr_b32 v[2:3], v1 offset1:8
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v3, v2
	ds_store_b32 v1, v2
.LBB0_10:
	s_or_b32 exec_lo, exec_lo, s0
	s_delay_alu instid0(SALU_CYCLE_1)
	s_mov_b32 s0, exec_lo
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	v_cmpx_gt_u32_e32 4, v0
	s_cbranch_execz .LBB0_12
	ds_load_2addr_b32 v[2:3], v1 offset1:4
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v3, v2
	ds_store_b32 v1, v2
.LBB0_12:
	s_or_b32 exec_lo, exec_lo, s0
	s_delay_alu instid0(SALU_CYCLE_1)
	s_mov_b32 s0, exec_lo
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	v_cmpx_gt_u32_e32 2, v0
	s_cbranch_execz .LBB0_14
	ds_load_2addr_b32 v[2:3], v1 offset1:2
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v3, v2
	ds_store_b32 v1, v2
.LBB0_14:
	s_or_b32 exec_lo, exec_lo, s0
	s_mov_b32 s5, 0
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	s_mov_b32 s0, exec_lo
	v_cmpx_eq_u32_e32 0, v0
	s_cbranch_execz .LBB0_16
	ds_load_2addr_b32 v[2:3], v1 offset1:1
	s_lshl_b64 s[0:1], s[4:5], 2
	s_delay_alu instid0(SALU_CYCLE_1)
	s_add_u32 s0, s2, s0
	s_addc_u32 s1, s3, s1
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v0, v3, v2
	v_mov_b32_e32 v2, 0
	ds_store_b32 v1, v0
	ds_load_b32 v0, v2
	s_waitcnt lgkmcnt(0)
	global_store_b32 v2, v0, s[0:1]
.LBB0_16:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel sum_blocks
		.amdhsa_group_segment_fixed_size 1024
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 16
		.amdhsa_user_sgpr_count 15
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
		.amdhsa_next_free_vgpr 4
		.amdhsa_next_free_sgpr 16
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_workgroup_processor_mode 1
		.amdhsa_memory_ordered 1
		.amdhsa_forward_progress 1
		.amdhsa_shared_vgpr_count 0
		.amdhsa_inst_pref_size 5
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
	.size	sum_blocks, .Lfunc_end0-sum_blocks
	.set sum_blocks.num_vgpr, 4
	.set sum_blocks.num_agpr, 0
	.set sum_blocks.numbered_sgpr, 16
	.set sum_blocks.num_named_barrier, 0
	.set sum_blocks.private_seg_size, 0
	.set sum_blocks.uses_vcc, 1
	.set sum_blocks.uses_flat_scratch, 0
	.set sum_blocks.has_dyn_sized_stack, 0
	.set sum_blocks.has_recursion, 0
	.set sum_blocks.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	histogram
	.globl	histogram
	.p2align	8
	.type	histogram,@function
histogram:
	s_clause 0x1
	s_load_b32 s4, s[0:1], 0x10
	s_load_b128 s[0:3], s[0:1], 0x0
	v_dual_mov_b32 v2, 0 :: v_dual_lshlrev_b32 v1, 2, v0
	v_lshl_or_b32 v0, s15, 8, v0
	s_mov_b32 s5, exec_lo
	ds_store_b32 v1, v2
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	v_cmpx_gt_u32_e64 s4, v0
	s_cbranch_execz .LBB1_3
	v_mov_b32_e32 v2, 1
	s_mov_b32 s6, 0
.LBB1_2:
	global_load_u8 v3, v0, s[0:1]
	v_add_nc_u32_e32 v0, 0x200, v0
	s_delay_alu instid0(VALU_DEP_1)
	v_cmp_le_u32_e32 vcc_lo, s4, v0
	s_or_b32 s6, vcc_lo, s6
	s_waitcnt vmcnt(0)
	v_lshlrev_b32_e32 v3, 2, v3
	ds_add_u32 v3, v2
	s_and_not1_b32 exec_lo, exec_lo, s6
	s_cbranch_execnz .LBB1_2
.LBB1_3:
	s_or_b32 exec_lo, exec_lo, s5
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v0, v1
	s_waitcnt lgkmcnt(0)
	global_atomic_add_u32 v1, v0, s[2:3]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel histogram
		.amdhsa_group_segment_fixed_size 1024
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 20
		.amdhsa_user_sgpr_count 15
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
		.amdhsa_next_free_vgpr 4
		.amdhsa_next_free_sgpr 16
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_workgroup_processor_mode 1
		.amdhsa_memory_ordered 1
		.amdhsa_forward_progress 1
		.amdhsa_shared_vgpr_count 0
		.amdhsa_inst_pref_size 2
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
	.size	histogram, .Lfunc_end1-histogram
	.set histogram.num_vgpr, 4
	.set histogram.num_agpr, 0
	.set histogram.numbered_sgpr, 16
	.set histogram.num_named_barrier, 0
	.set histogram.private_seg_size, 0
	.set histogram.uses_vcc, 1
	.set histogram.uses_flat_scratch, 0
	.set histogram.has_dyn_sized_stack, 0
	.set histogram.has_recursion, 0
	.set histogram.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	transpose
	.globl	transpose
	.p2align	8
	.type	transpose,@function
transpose:
	v_lshrrev_b32_e32 v4, 4, v0
	s_lshl_b32 s2, s15, 2
	v_and_b32_e32 v5, 15, v0
	s_and_b32 s4, s2, -16
	s_load_b128 s[0:3], s[0:1], 0x0
	v_or_b32_e32 v1, s4, v4
	s_lshl_b32 s5, s15, 4
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(NEXT) | instid1(SALU_CYCLE_1)
	s_and_b32 s5, s5, 48
	v_or_b32_e32 v6, s5, v4
	s_delay_alu instid0(VALU_DEP_2) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_dual_mov_b32 v1, 0 :: v_dual_lshlrev_b32 v0, 6, v1
	v_or3_b32 v0, v0, s5, v5
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_lshlrev_b64 v[2:3], 2, v[0:1]
	s_waitcnt lgkmcnt(0)
	v_add_co_u32 v2, vcc_lo, s0, v2
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_3) | instid1(VALU_DEP_2)
	v_add_co_ci_u32_e64 v3, null, s1, v3, vcc_lo
	global_load_b32 v0, v[2:3], off
	v_mul_u32_u24_e32 v2, 0x44, v4
	v_mul_u32_u24_e32 v3, 0x44, v5
	v_lshl_add_u32 v2, v5, 2, v2
	s_delay_alu instid0(VALU_DEP_2) | instskip(SKIP_4) | instid1(VALU_DEP_1)
	v_lshl_add_u32 v3, v4, 2, v3
	v_lshl_add_u32 v4, v6, 6, s4
	s_waitcnt vmcnt(0)
	ds_store_b32 v2, v0
	v_or_b32_e32 v0, v4, v5
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_add_co_u32 v0, vcc_lo, s2, v0
	v_add_co_ci_u32_e64 v1, null, s3, v1, vcc_lo
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v2, v3
	s_waitcnt lgkmcnt(0)
	global_store_b32 v[0:1], v2, off
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel transpose
		.amdhsa_group_segment_fixed_size 1088
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 16
		.amdhsa_user_sgpr_count 15
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
		.amdhsa_next_free_vgpr 7
		.amdhsa_next_free_sgpr 16
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_workgroup_processor_mode 1
		.amdhsa_memory_ordered 1
		.amdhsa_forward_progress 1
		.amdhsa_shared_vgpr_count 0
		.amdhsa_inst_pref_size 2
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end2:
	.size	transpose, .Lfunc_end2-transpose
	.set transpose.num_vgpr, 7
	.set transpose.num_agpr, 0
	.set transpose.numbered_sgpr, 16
	.set transpose.num_named_barrier, 0
	.set transpose.private_seg_size, 0
	.set transpose.uses_vcc, 1
	.set transpose.uses_flat_scratch, 0
	.set transpose.has_dyn_sized_stack, 0
	.set transpose.has_recursion, 0
	.set transpose.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	softmax
	.globl	softmax
	.p2align	8
	.type	softmax,@function
softmax:
	s_load_b128 s[0:3], s[0:1], 0x0
	v_mov_b32_e32 v2, 0
	v_lshl_or_b32 v1, s15, 5, v0
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_lshlrev_b64 v[5:6], 4, v[1:2]
	s_waitcnt lgkmcnt(0)
	v_add_co_u32 v1, vcc_lo, s0, v5
	s_delay_alu instid0(VALU_DEP_1)
	v_add_co_ci_u32_e64 v2, null, s1, v6, vcc_lo
	global_load_b128 v[1:4], v[1:2], off
	s_waitcnt vmcnt(0)
	v_cmp_gt_f32_e32 vcc_lo, v1, v2
	v_dual_cndmask_b32 v7, v2, v1 :: v_dual_lshlrev_b32 v0, 2, v0
	v_cmp_gt_f32_e32 vcc_lo, v3, v4
	s_delay_alu instid0(VALU_DEP_2)
	v_xor_b32_e32 v9, 4, v0
	v_xor_b32_e32 v10, 8, v0
	v_xor_b32_e32 v11, 16, v0
	v_xor_b32_e32 v12, 32, v0
	v_cndmask_b32_e32 v8, v4, v3, vcc_lo
	v_xor_b32_e32 v0, 64, v0
	s_delay_alu instid0(VALU_DEP_2)
	v_cmp_gt_f32_e32 vcc_lo, v7, v8
	v_cndmask_b32_e32 v7, v8, v7, vcc_lo
	ds_bpermute_b32 v8, v9, v7
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_f32_e32 vcc_lo, v7, v8
	v_cndmask_b32_e32 v7, v8, v7, vcc_lo
	ds_bpermute_b32 v8, v10, v7
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_f32_e32 vcc_lo, v7, v8
	v_cndmask_b32_e32 v7, v8, v7, vcc_lo
	ds_bpermute_b32 v8, v11, v7
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_f32_e32 vcc_lo, v7, v8
	v_cndmask_b32_e32 v7, v8, v7, vcc_lo
	ds_bpermute_b32 v8, v12, v7
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_f32_e32 vcc_lo, v7, v8
	v_cndmask_b32_e32 v7, v8, v7, vcc_lo
	ds_bpermute_b32 v8, v0, v7
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_f32_e32 vcc_lo, v7, v8
	v_cndmask_b32_e32 v7, v8, v7, vcc_lo
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_2) | instid1(VALU_DEP_3)
	v_sub_f32_e32 v1, v1, v7
	v_sub_f32_e32 v2, v2, v7
	v_sub_f32_e32 v3, v3, v7
	v_dual_sub_f32 v4, v4, v7 :: v_dual_mul_f32 v1, 0x3fb8aa3b, v1
	s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_2)
	v_mul_f32_e32 v2, 0x3fb8aa3b, v2
	v_exp_f32_e32 v7, v1
	s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_2)
	v_mul_f32_e32 v3, 0x3fb8aa3b, v3
	v_exp_f32_e32 v1, v2
	v_mul_f32_e32 v2, 0x3fb8aa3b, v4
	s_delay_alu instid0(VALU_DEP_2) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_exp_f32_e32 v4, v3
	v_exp_f32_e32 v2, v2
	s_delay_alu instid0(TRANS32_DEP_3) | instskip(SKIP_2) | instid1(VALU_DEP_1)
	v_add_f32_e32 v3, v7, v1
	s_waitcnt_depctr depctr_va_vdst(0)
	v_add_f32_e32 v3, v4, v3
	v_add_f32_e32 v3, v2, v3
	ds_bpermute_b32 v8, v9, v3
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v3, v3, v8
	ds_bpermute_b32 v8, v10, v3
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v3, v3, v8
	ds_bpermute_b32 v8, v11, v3
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v3, v3, v8
	ds_bpermute_b32 v8, v12, v3
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v3, v3, v8
	ds_bpermute_b32 v0, v0, v3
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v0, v3, v0
	s_delay_alu instid0(VALU_DEP_1)
	v_rcp_f32_e32 v0, v0
	s_waitcnt_depctr depctr_va_vdst(0)
	v_mul_f32_e32 v3, v2, v0
	v_mul_f32_e32 v2, v4, v0
	v_add_co_u32 v4, vcc_lo, s2, v5
	v_mul_f32_e32 v1, v1, v0
	v_mul_f32_e32 v0, v7, v0
	v_add_co_ci_u32_e64 v5, null, s3, v6, vcc_lo
	global_store_b128 v[4:5], v[0:3], off
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel softmax
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 16
		.amdhsa_user_sgpr_count 15
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
		.amdhsa_next_free_sgpr 16
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_workgroup_processor_mode 1
		.amdhsa_memory_ordered 1
		.amdhsa_forward_progress 1
		.amdhsa_shared_vgpr_count 0
		.amdhsa_inst_pref_size 4
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end3:
	.size	softmax, .Lfunc_end3-softmax
	.set softmax.num_vgpr, 13
	.set softmax.num_agpr, 0
	.set softmax.numbered_sgpr, 16
	.set softmax.num_named_barrier, 0
	.set softmax.private_seg_size, 0
	.set softmax.uses_vcc, 1
	.set softmax.uses_flat_scratch, 0
	.set softmax.has_dyn_sized_stack, 0
	.set softmax.has_recursion, 0
	.set softmax.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	sum_rows
	.globl	sum_rows
	.p2align	8
	.type	sum_rows,@function
sum_rows:
	s_load_b128 s[4:7], s[0:1], 0x0
	v_dual_mov_b32 v1, 0 :: v_dual_mov_b32 v6, 0x64
	v_lshl_or_b32 v0, s15, 5, v0
	s_load_b64 s[0:1], s[0:1], 0x10
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	s_waitcnt lgkmcnt(0)
	v_add_co_u32 v2, vcc_lo, s4, v0
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_3) | instid1(VALU_DEP_1)
	v_add_co_ci_u32_e64 v3, null, s5, v1, vcc_lo
	global_load_b32 v4, v[2:3], off
	s_waitcnt vmcnt(0)
	v_add_nc_u32_dpp v4, v4, v4 row_ror:8 row_mask:0xf bank_mask:0xf bound_ctrl:1
	v_add_nc_u32_dpp v4, v4, v4 row_ror:4 row_mask:0xf bank_mask:0xf bound_ctrl:1
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_add_nc_u32_dpp v4, v4, v4 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf bound_ctrl:1
	v_add_nc_u32_dpp v7, v4, v4 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf bound_ctrl:1
	v_add_co_u32 v4, vcc_lo, s6, v0
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_3)
	v_add_co_ci_u32_e64 v5, null, s7, v1, vcc_lo
	v_mov_b32_dpp v6, v7 row_shr:1 row_mask:0xf bank_mask:0xf
	v_readlane_b32 s2, v7, 17
	v_add_co_u32 v0, vcc_lo, s0, v0
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_4)
	v_add_co_ci_u32_e64 v1, null, s1, v1, vcc_lo
	v_add_nc_u32_e32 v6, v7, v6
	global_store_b32 v[4:5], v6, off
	global_load_b32 v2, v[2:3], off
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s3, v2
	s_add_i32 s2, s2, s3
	s_delay_alu instid0(SALU_CYCLE_1)
	v_mov_b32_e32 v2, s2
	global_store_b32 v[0:1], v2, off
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel sum_rows
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 24
		.amdhsa_user_sgpr_count 15
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
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 16
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_workgroup_processor_mode 1
		.amdhsa_memory_ordered 1
		.amdhsa_forward_progress 1
		.amdhsa_shared_vgpr_count 0
		.amdhsa_inst_pref_size 2
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end4:
	.size	sum_rows, .Lfunc_end4-sum_rows
	.set sum_rows.num_vgpr, 8
	.set sum_rows.num_agpr, 0
	.set sum_rows.numbered_sgpr, 16
	.set sum_rows.num_named_barrier, 0
	.set sum_rows.private_seg_size, 0
	.set sum_rows.uses_vcc, 1
	.set sum_rows.uses_flat_scratch, 0
	.set sum_rows.has_dyn_sized_stack, 0
	.set sum_rows.has_recursion, 0
	.set sum_rows.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	count_up
	.globl	count_up
	.p2align	8
	.type	count_up,@function
count_up:
	v_and_b32_e32 v1, 3, v0
	s_mov_b32 s3, exec_lo
	s_mov_b32 s2, 0
.LBB5_1:
	s_ctz_i32_b32 s4, s3
	s_delay_alu instid0(VALU_DEP_1) | instid1(SALU_CYCLE_1)
	v_readlane_b32 s5, v1, s4
	v_writelane_b32 v2, s2, s4
	s_lshl_b32 s4, 1, s4
	s_add_i32 s2, s2, s5
	s_and_not1_b32 s3, s3, s4
	s_cbranch_scc1 .LBB5_1
	s_clause 0x1
	s_load_b128 s[4:7], s[0:1], 0x0
	s_load_b64 s[0:1], s[0:1], 0x10
	v_mbcnt_lo_u32_b32 v1, exec_lo, 0
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(SALU_CYCLE_1)
	v_cmp_eq_u32_e32 vcc_lo, 0, v1
	s_and_saveexec_b32 s3, vcc_lo
	s_xor_b32 s3, exec_lo, s3
	s_cbranch_execz .LBB5_4
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v3, s2
	s_waitcnt lgkmcnt(0)
	global_atomic_add_u32 v1, v1, v3, s[4:5] glc
.LBB5_4:
	s_or_b32 exec_lo, exec_lo, s3
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_readfirstlane_b32 s4, v1
	v_lshlrev_b32_e32 v1, 1, v0
	v_mov_b32_e32 v3, 0
	s_mov_b32 s5, exec_lo
	s_mov_b64 s[2:3], 0
.LBB5_5:
	s_ctz_i32_b32 s10, s5
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_readlane_b32 s9, v1, s10
	v_readlane_b32 s8, v3, s10
	v_cmp_gt_u64_e64 s11, s[2:3], s[8:9]
	s_and_b32 s11, s11, exec_lo
	s_cselect_b32 s3, s3, s9
	s_cselect_b32 s2, s2, s8
	s_lshl_b32 s8, 1, s10
	s_delay_alu instid0(SALU_CYCLE_1)
	s_and_not1_b32 s5, s5, s8
	s_cbranch_scc1 .LBB5_5
	v_mbcnt_lo_u32_b32 v1, exec_lo, 0
	s_mov_b32 s5, exec_lo
	s_delay_alu instid0(VALU_DEP_1)
	v_cmpx_eq_u32_e32 0, v1
	s_xor_b32 s5, exec_lo, s5
	s_cbranch_execz .LBB5_8
	v_dual_mov_b32 v1, 0 :: v_dual_mov_b32 v4, s3
	v_mov_b32_e32 v3, s2
	global_atomic_max_u64 v1, v[3:4], s[6:7]
.LBB5_8:
	s_or_b32 exec_lo, exec_lo, s5
	v_lshlrev_b64 v[0:1], v0, 1
	s_mov_b32 s5, exec_lo
	s_mov_b64 s[2:3], 0
.LBB5_9:
	s_ctz_i32_b32 s10, s5
	s_delay_alu instid0(VALU_DEP_1) | instid1(SALU_CYCLE_1)
	v_readlane_b32 s9, v1, s10
	s_delay_alu instid0(VALU_DEP_2)
	v_readlane_b32 s8, v0, s10
	s_lshl_b32 s10, 1, s10
	s_or_b64 s[2:3], s[2:3], s[8:9]
	s_and_not1_b32 s5, s5, s10
	s_cbranch_scc1 .LBB5_9
	v_mbcnt_lo_u32_b32 v0, exec_lo, 0
	s_mov_b32 s5, exec_lo
	s_delay_alu instid0(VALU_DEP_1)
	v_cmpx_eq_u32_e32 0, v0
	s_xor_b32 s5, exec_lo, s5
	s_cbranch_execz .LBB5_12
	v_dual_mov_b32 v3, 0 :: v_dual_mov_b32 v0, s2
	v_mov_b32_e32 v1, s3
	global_atomic_or_b64 v3, v[0:1], s[6:7] offset:8
.LBB5_12:
	s_or_b32 exec_lo, exec_lo, s5
	v_add_nc_u32_e32 v0, s4, v2
	s_mov_b32 s2, exec_lo
	s_delay_alu instid0(VALU_DEP_1)
	v_cmpx_eq_u32_e32 -1, v0
	s_cbranch_execz .LBB5_14
	v_dual_mov_b32 v0, 0 :: v_dual_mov_b32 v1, 1.0
	global_store_b32 v0, v1, s[0:1]
.LBB5_14:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel count_up
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 24
		.amdhsa_user_sgpr_count 15
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
		.amdhsa_next_free_vgpr 5
		.amdhsa_next_free_sgpr 12
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_workgroup_processor_mode 1
		.amdhsa_memory_ordered 1
		.amdhsa_forward_progress 1
		.amdhsa_shared_vgpr_count 0
		.amdhsa_inst_pref_size 4
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end5:
	.size	count_up, .Lfunc_end5-count_up
	.set count_up.num_vgpr, 5
	.set count_up.num_agpr, 0
	.set count_up.numbered_sgpr, 12
	.set count_up.num_named_barrier, 0
	.set count_up.private_seg_size, 0
	.set count_up.uses_vcc, 1
	.set count_up.uses_flat_scratch, 0
	.set count_up.has_dyn_sized_stack, 0
	.set count_up.has_recursion, 0
	.set count_up.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	scan_block
	.globl	scan_block
	.p2align	8
	.type	scan_block,@function
scan_block:
	s_load_b128 s[0:3], s[0:1], 0x0
	v_dual_mov_b32 v4, 0 :: v_dual_lshlrev_b32 v1, 2, v0
	s_waitcnt lgkmcnt(0)
	global_load_b32 v2, v1, s[0:1]
	s_mov_b32 s0, exec_lo
	s_waitcnt vmcnt(0)
	ds_store_b32 v1, v2
	v_mov_b32_e32 v2, 0
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v3, v1
	v_cmpx_ne_u32_e32 0, v0
	v_add_nc_u32_e32 v4, -4, v1
	ds_load_b32 v4, v4
	s_or_b32 exec_lo, exec_lo, s0
	s_waitcnt lgkmcnt(0)
	v_add_nc_u32_e32 v3, v4, v3
	s_mov_b32 s0, exec_lo
	ds_store_b32 v1, v3 offset:1024
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v3, v1 offset:1024
	v_cmpx_lt_u32_e32 1, v0
	ds_load_b32 v2, v1 offset:1016
	s_or_b32 exec_lo, exec_lo, s0
	s_waitcnt lgkmcnt(0)
	v_add_nc_u32_e32 v2, v2, v3
	v_mov_b32_e32 v4, 0
	s_mov_b32 s0, exec_lo
	ds_store_b32 v1, v2
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v3, v1
	v_mov_b32_e32 v2, 0
	v_cmpx_lt_u32_e32 3, v0
	v_add_nc_u32_e32 v4, -16, v1
	ds_load_b32 v4, v4
	s_or_b32 exec_lo, exec_lo, s0
	s_waitcnt lgkmcnt(0)
	v_add_nc_u32_e32 v3, v4, v3
	s_mov_b32 s0, exec_lo
	ds_store_b32 v1, v3 offset:1024
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v3, v1 offset:1024
	v_cmpx_lt_u32_e32 7, v0
	ds_load_b32 v2, v1 offset:992
	s_or_b32 exec_lo, exec_lo, s0
	s_waitcnt lgkmcnt(0)
	v_add_nc_u32_e32 v2, v2, v3
	v_mov_b32_e32 v4, 0
	s_mov_b32 s0, exec_lo
	ds_store_b32 v1, v2
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v3, v1
	v_mov_b32_e32 v2, 0
	v_cmpx_lt_u32_e32 15, v0
	v_subrev_nc_u32_e32 v4, 64, v1
	ds_load_b32 v4, v4
	s_or_b32 exec_lo, exec_lo, s0
	s_waitcnt lgkmcnt(0)
	v_add_nc_u32_e32 v3, v4, v3
	s_mov_b32 s0, exec_lo
	ds_store_b32 v1, v3 offset:1024
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v3, v1 offset:1024
	v_cmpx_lt_u32_e32 31, v0
	ds_load_b32 v2, v1 offset:896
	s_or_b32 exec_lo, exec_lo, s0
	s_waitcnt lgkmcnt(0)
	v_add_nc_u32_e32 v2, v2, v3
	v_mov_b32_e32 v4, 0
	s_mov_b32 s0, exec_lo
	ds_store_b32 v1, v2
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v3, v1
	v_mov_b32_e32 v2, 0
	v_cmpx_lt_u32_e32 63, v0
	v_add_nc_u32_e32 v4, 0xffffff00, v1
	ds_load_b32 v4, v4
	s_or_b32 exec_lo, exec_lo, s0
	s_waitcnt lgkmcnt(0)
	v_add_nc_u32_e32 v3, v4, v3
	s_mov_b32 s0, exec_lo
	ds_store_b32 v1, v3 offset:1024
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v3, v1 offset:1024
	v_cmpx_lt_u32_e32 0x7f, v0
	ds_load_b32 v2, v1 offset:512
	s_or_b32 exec_lo, exec_lo, s0
	s_waitcnt lgkmcnt(0)
	v_add_nc_u32_e32 v0, v2, v3
	ds_store_b32 v1, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v0, v1
	s_waitcnt lgkmcnt(0)
	global_store_b32 v1, v0, s[2:3]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel scan_block
		.amdhsa_group_segment_fixed_size 2048
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 16
		.amdhsa_user_sgpr_count 15
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
		.amdhsa_next_free_vgpr 5
		.amdhsa_next_free_sgpr 4
		.amdhsa_reserve_vcc 0
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_workgroup_processor_mode 1
		.amdhsa_memory_ordered 1
		.amdhsa_forward_progress 1
		.amdhsa_shared_vgpr_count 0
		.amdhsa_inst_pref_size 5
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end6:
	.size	scan_block, .Lfunc_end6-scan_block
	.set scan_block.num_vgpr, 5
	.set scan_block.num_agpr, 0
	.set scan_block.numbered_sgpr, 4
	.set scan_block.num_named_barrier, 0
	.set scan_block.private_seg_size, 0
	.set scan_block.uses_vcc, 0
	.set scan_block.uses_flat_scratch, 0
	.set scan_block.has_dyn_sized_stack, 0
	.set scan_block.has_recursion, 0
	.set scan_block.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	sort_block
	.globl	sort_block
	.p2align	8
	.type	sort_block,@function
sort_block:
	s_load_b128 s[8:11], s[0:1], 0x0
	v_lshlrev_b32_e32 v1, 2, v0
	v_xor_b32_e32 v2, 1, v0
	v_and_b32_e32 v6, 2, v0
	v_and_b32_e32 v8, 4, v0
	v_and_b32_e32 v10, 8, v0
	v_and_b32_e32 v12, 16, v0
	v_lshlrev_b32_e32 v3, 2, v2
	v_cmp_eq_u32_e64 s0, 0, v6
	v_cmp_lt_u32_e32 vcc_lo, v2, v0
	v_cmp_eq_u32_e64 s1, 0, v8
	v_and_b32_e32 v14, 32, v0
	v_and_b32_e32 v16, 64, v0
	v_and_b32_e32 v18, 0x80, v0
	s_xor_b32 s0, s0, vcc_lo
	s_waitcnt lgkmcnt(0)
	global_load_b32 v4, v1, s[8:9]
	s_waitcnt vmcnt(0)
	ds_store_b32 v1, v4
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v4, v1
	ds_load_b32 v5, v3
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v6, v4, v5
	v_max_i32_e32 v5, v4, v5
	v_xor_b32_e32 v4, 2, v0
	s_delay_alu instid0(VALU_DEP_2) | instskip(NEXT) | instid1(VALU_DEP_2)
	v_cndmask_b32_e64 v6, v5, v6, s0
	v_lshlrev_b32_e32 v5, 2, v4
	v_cmp_lt_u32_e64 s0, v4, v0
	s_xor_b32 s2, s1, s0
	s_xor_b32 s1, s1, vcc_lo
	s_barrier
	buffer_gl0_inv
	ds_store_b32 v1, v6
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v6, v1
	ds_load_b32 v7, v5
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v8, v6, v7
	v_max_i32_e32 v6, v6, v7
	s_delay_alu instid0(VALU_DEP_1)
	v_cndmask_b32_e64 v6, v6, v8, s2
	v_cmp_eq_u32_e64 s2, 0, v10
	s_barrier
	buffer_gl0_inv
	ds_store_b32 v1, v6
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v6, v1
	ds_load_b32 v7, v3
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v8, v6, v7
	v_max_i32_e32 v7, v6, v7
	v_xor_b32_e32 v6, 4, v0
	s_delay_alu instid0(VALU_DEP_2) | instskip(NEXT) | instid1(VALU_DEP_2)
	v_cndmask_b32_e64 v8, v7, v8, s1
	v_lshlrev_b32_e32 v7, 2, v6
	v_cmp_lt_u32_e64 s1, v6, v0
	s_xor_b32 s3, s2, s1
	s_barrier
	buffer_gl0_inv
	ds_store_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v8, v1
	ds_load_b32 v9, v7
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v10, v8, v9
	v_max_i32_e32 v8, v8, v9
	s_delay_alu instid0(VALU_DEP_1)
	v_cndmask_b32_e64 v8, v8, v10, s3
	s_xor_b32 s3, s2, s0
	s_xor_b32 s2, s2, vcc_lo
	s_barrier
	buffer_gl0_inv
	ds_store_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v8, v1
	ds_load_b32 v9, v5
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v10, v8, v9
	v_max_i32_e32 v8, v8, v9
	s_delay_alu instid0(VALU_DEP_1)
	v_cndmask_b32_e64 v8, v8, v10, s3
	v_cmp_eq_u32_e64 s3, 0, v12
	s_barrier
	buffer_gl0_inv
	ds_store_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v8, v1
	ds_load_b32 v9, v3
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v10, v8, v9
	v_max_i32_e32 v8, v8, v9
	v_xor_b32_e32 v9, 8, v0
	s_delay_alu instid0(VALU_DEP_2) | instskip(NEXT) | instid1(VALU_DEP_2)
	v_cndmask_b32_e64 v8, v8, v10, s2
	v_lshlrev_b32_e32 v10, 2, v9
	v_cmp_lt_u32_e64 s2, v9, v0
	s_xor_b32 s4, s3, s2
	s_barrier
	buffer_gl0_inv
	ds_store_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v8, v1
	ds_load_b32 v11, v10
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v12, v8, v11
	v_max_i32_e32 v8, v8, v11
	s_delay_alu instid0(VALU_DEP_1)
	v_cndmask_b32_e64 v8, v8, v12, s4
	s_xor_b32 s4, s3, s1
	s_barrier
	buffer_gl0_inv
	ds_store_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v8, v1
	ds_load_b32 v11, v7
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v12, v8, v11
	v_max_i32_e32 v8, v8, v11
	s_delay_alu instid0(VALU_DEP_1)
	v_cndmask_b32_e64 v8, v8, v12, s4
	s_xor_b32 s4, s3, s0
	s_xor_b32 s3, s3, vcc_lo
	s_barrier
	buffer_gl0_inv
	ds_store_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v8, v1
	ds_load_b32 v11, v5
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v12, v8, v11
	v_max_i32_e32 v8, v8, v11
	s_delay_alu instid0(VALU_DEP_1)
	v_cndmask_b32_e64 v8, v8, v12, s4
	v_cmp_eq_u32_e64 s4, 0, v14
	s_barrier
	buffer_gl0_inv
	ds_store_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v8, v1
	ds_load_b32 v11, v3
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v12, v8, v11
	v_max_i32_e32 v8, v8, v11
	v_xor_b32_e32 v11, 16, v0
	s_delay_alu instid0(VALU_DEP_2) | instskip(NEXT) | instid1(VALU_DEP_2)
	v_cndmask_b32_e64 v8, v8, v12, s3
	v_lshlrev_b32_e32 v12, 2, v11
	v_cmp_lt_u32_e64 s3, v11, v0
	s_xor_b32 s5, s4, s3
	s_barrier
	buffer_gl0_inv
	ds_store_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v8, v1
	ds_load_b32 v13, v12
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v14, v8, v13
	v_max_i32_e32 v8, v8, v13
	s_delay_alu instid0(VALU_DEP_1)
	v_cndmask_b32_e64 v8, v8, v14, s5
	s_xor_b32 s5, s4, s2
	s_barrier
	buffer_gl0_inv
	ds_store_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v8, v1
	ds_load_b32 v13, v10
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v14, v8, v13
	v_max_i32_e32 v8, v8, v13
	s_delay_alu instid0(VALU_DEP_1)
	v_cndmask_b32_e64 v8, v8, v14, s5
	s_xor_b32 s5, s4, s1
	s_barrier
	buffer_gl0_inv
	ds_store_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v8, v1
	ds_load_b32 v13, v7
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v14, v8, v13
	v_max_i32_e32 v8, v8, v13
	s_delay_alu instid0(VALU_DEP_1)
	v_cndmask_b32_e64 v8, v8, v14, s5
	s_xor_b32 s5, s4, s0
	s_xor_b32 s4, s4, vcc_lo
	s_barrier
	buffer_gl0_inv
	ds_store_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v8, v1
	ds_load_b32 v13, v5
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v14, v8, v13
	v_max_i32_e32 v8, v8, v13
	s_delay_alu instid0(VALU_DEP_1)
	v_cndmask_b32_e64 v8, v8, v14, s5
	s_barrier
	buffer_gl0_inv
	ds_store_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v8, v1
	ds_load_b32 v13, v3
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v14, v8, v13
	v_max_i32_e32 v8, v8, v13
	v_xor_b32_e32 v13, 32, v0
	s_delay_alu instid0(VALU_DEP_2) | instskip(NEXT) | instid1(VALU_DEP_2)
	v_cndmask_b32_e64 v8, v8, v14, s4
	v_lshlrev_b32_e32 v14, 2, v13
	v_cmp_eq_u32_e64 s4, 0, v16
	v_cmp_lt_u32_e64 s5, v13, v0
	s_xor_b32 s6, s4, s5
	s_barrier
	buffer_gl0_inv
	ds_store_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v8, v1
	ds_load_b32 v15, v14
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v16, v8, v15
	v_max_i32_e32 v8, v8, v15
	s_delay_alu instid0(VALU_DEP_1)
	v_cndmask_b32_e64 v8, v8, v16, s6
	s_xor_b32 s6, s4, s3
	s_barrier
	buffer_gl0_inv
	ds_store_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v8, v1
	ds_load_b32 v15, v12
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v16, v8, v15
	v_max_i32_e32 v8, v8, v15
	s_delay_alu instid0(VALU_DEP_1)
	v_cndmask_b32_e64 v8, v8, v16, s6
	s_xor_b32 s6, s4, s2
	s_barrier
	buffer_gl0_inv
	ds_store_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v8, v1
	ds_load_b32 v15, v10
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v16, v8, v15
	v_max_i32_e32 v8, v8, v15
	s_delay_alu instid0(VALU_DEP_1)
	v_cndmask_b32_e64 v8, v8, v16, s6
	s_xor_b32 s6, s4, s1
	s_barrier
	buffer_gl0_inv
	ds_store_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v8, v1
	ds_load_b32 v15, v7
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v16, v8, v15
	v_max_i32_e32 v8, v8, v15
	s_delay_alu instid0(VALU_DEP_1)
	v_cndmask_b32_e64 v8, v8, v16, s6
	s_xor_b32 s6, s4, s0
	s_xor_b32 s4, s4, vcc_lo
	s_barrier
	buffer_gl0_inv
	ds_store_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v8, v1
	ds_load_b32 v15, v5
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v16, v8, v15
	v_max_i32_e32 v8, v8, v15
	s_delay_alu instid0(VALU_DEP_1)
	v_cndmask_b32_e64 v8, v8, v16, s6
	s_barrier
	buffer_gl0_inv
	ds_store_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v8, v1
	ds_load_b32 v15, v3
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v16, v8, v15
	v_max_i32_e32 v8, v8, v15
	v_xor_b32_e32 v15, 64, v0
	s_delay_alu instid0(VALU_DEP_2) | instskip(NEXT) | instid1(VALU_DEP_2)
	v_cndmask_b32_e64 v8, v8, v16, s4
	v_lshlrev_b32_e32 v16, 2, v15
	v_cmp_eq_u32_e64 s4, 0, v18
	v_cmp_lt_u32_e64 s6, v15, v0
	s_xor_b32 s5, s4, s5
	s_xor_b32 s6, s4, s6
	s_xor_b32 s3, s4, s3
	s_xor_b32 s2, s4, s2
	s_xor_b32 s1, s4, s1
	s_xor_b32 s0, s4, s0
	s_xor_b32 vcc_lo, s4, vcc_lo
	s_barrier
	buffer_gl0_inv
	ds_store_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v8, v1
	ds_load_b32 v17, v16
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v18, v8, v17
	v_max_i32_e32 v8, v8, v17
	s_delay_alu instid0(VALU_DEP_1)
	v_cndmask_b32_e64 v8, v8, v18, s6
	s_barrier
	buffer_gl0_inv
	ds_store_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v8, v1
	ds_load_b32 v17, v14
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v18, v8, v17
	v_max_i32_e32 v8, v8, v17
	s_delay_alu instid0(VALU_DEP_1)
	v_cndmask_b32_e64 v8, v8, v18, s5
	s_barrier
	buffer_gl0_inv
	ds_store_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v8, v1
	ds_load_b32 v17, v12
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v18, v8, v17
	v_max_i32_e32 v8, v8, v17
	s_delay_alu instid0(VALU_DEP_1)
	v_cndmask_b32_e64 v8, v8, v18, s3
	s_barrier
	buffer_gl0_inv
	ds_store_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v8, v1
	ds_load_b32 v17, v10
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v18, v8, v17
	v_max_i32_e32 v8, v8, v17
	s_delay_alu instid0(VALU_DEP_1)
	v_cndmask_b32_e64 v8, v8, v18, s2
	s_barrier
	buffer_gl0_inv
	ds_store_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v8, v1
	ds_load_b32 v17, v7
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v18, v8, v17
	v_max_i32_e32 v8, v8, v17
	s_delay_alu instid0(VALU_DEP_1)
	v_cndmask_b32_e64 v8, v8, v18, s1
	s_barrier
	buffer_gl0_inv
	ds_store_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v8, v1
	ds_load_b32 v17, v5
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v18, v8, v17
	v_max_i32_e32 v8, v8, v17
	s_delay_alu instid0(VALU_DEP_1)
	v_cndmask_b32_e64 v8, v8, v18, s0
	s_barrier
	buffer_gl0_inv
	ds_store_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v8, v1
	ds_load_b32 v17, v3
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v18, v8, v17
	v_max_i32_e32 v8, v8, v17
	v_xor_b32_e32 v17, 0x80, v0
	s_delay_alu instid0(VALU_DEP_2) | instskip(NEXT) | instid1(VALU_DEP_2)
	v_cndmask_b32_e32 v8, v8, v18, vcc_lo
	v_lshlrev_b32_e32 v18, 2, v17
	v_cmp_ge_u32_e32 vcc_lo, v17, v0
	s_barrier
	buffer_gl0_inv
	ds_store_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v8, v1
	ds_load_b32 v18, v18
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v19, v8, v18
	v_max_i32_e32 v8, v8, v18
	s_delay_alu instid0(VALU_DEP_1)
	v_cndmask_b32_e32 v8, v8, v19, vcc_lo
	v_cmp_ge_u32_e32 vcc_lo, v15, v0
	s_barrier
	buffer_gl0_inv
	ds_store_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v8, v1
	ds_load_b32 v16, v16
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v17, v8, v16
	v_max_i32_e32 v8, v8, v16
	s_delay_alu instid0(VALU_DEP_1)
	v_cndmask_b32_e32 v8, v8, v17, vcc_lo
	v_cmp_ge_u32_e32 vcc_lo, v13, v0
	s_barrier
	buffer_gl0_inv
	ds_store_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v8, v1
	ds_load_b32 v14, v14
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v15, v8, v14
	v_max_i32_e32 v8, v8, v14
	s_delay_alu instid0(VALU_DEP_1)
	v_cndmask_b32_e32 v8, v8, v15, vcc_lo
	v_cmp_ge_u32_e32 vcc_lo, v11, v0
	s_barrier
	buffer_gl0_inv
	ds_store_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v8, v1
	ds_load_b32 v12, v12
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v13, v8, v12
	v_max_i32_e32 v8, v8, v12
	s_delay_alu instid0(VALU_DEP_1)
	v_cndmask_b32_e32 v8, v8, v13, vcc_lo
	v_cmp_ge_u32_e32 vcc_lo, v9, v0
	s_barrier
	buffer_gl0_inv
	ds_store_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v8, v1
	ds_load_b32 v10, v10
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v11, v8, v10
	v_max_i32_e32 v8, v8, v10
	s_delay_alu instid0(VALU_DEP_1)
	v_cndmask_b32_e32 v8, v8, v11, vcc_lo
	v_cmp_ge_u32_e32 vcc_lo, v6, v0
	s_barrier
	buffer_gl0_inv
	ds_store_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v8, v1
	ds_load_b32 v7, v7
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v9, v8, v7
	v_max_i32_e32 v7, v8, v7
	s_delay_alu instid0(VALU_DEP_1)
	v_cndmask_b32_e32 v6, v7, v9, vcc_lo
	v_cmp_ge_u32_e32 vcc_lo, v4, v0
	s_barrier
	buffer_gl0_inv
	ds_store_b32 v1, v6
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v6, v1
	ds_load_b32 v5, v5
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v7, v6, v5
	v_max_i32_e32 v5, v6, v5
	s_delay_alu instid0(VALU_DEP_1)
	v_cndmask_b32_e32 v4, v5, v7, vcc_lo
	v_cmp_ge_u32_e32 vcc_lo, v2, v0
	s_barrier
	buffer_gl0_inv
	ds_store_b32 v1, v4
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v4, v1
	ds_load_b32 v3, v3
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v5, v4, v3
	v_max_i32_e32 v3, v4, v3
	s_delay_alu instid0(VALU_DEP_1)
	v_cndmask_b32_e32 v0, v3, v5, vcc_lo
	s_barrier
	buffer_gl0_inv
	ds_store_b32 v1, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	ds_load_b32 v0, v1
	s_waitcnt lgkmcnt(0)
	global_store_b32 v1, v0, s[10:11]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel sort_block
		.amdhsa_group_segment_fixed_size 1024
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 16
		.amdhsa_user_sgpr_count 15
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
		.amdhsa_next_free_vgpr 20
		.amdhsa_next_free_sgpr 12
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_workgroup_processor_mode 1
		.amdhsa_memory_ordered 1
		.amdhsa_forward_progress 1
		.amdhsa_shared_vgpr_count 0
		.amdhsa_inst_pref_size 25
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end7:
	.size	sort_block, .Lfunc_end7-sort_block
	.set sort_block.num_vgpr, 20
	.set sort_block.num_agpr, 0
	.set sort_block.numbered_sgpr, 12
	.set sort_block.num_named_barrier, 0
	.set sort_block.private_seg_size, 0
	.set sort_block.uses_vcc, 1
	.set sort_block.uses_flat_scratch, 0
	.set sort_block.has_dyn_sized_stack, 0
	.set sort_block.has_recursion, 0
	.set sort_block.has_indirect_call, 0
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
    .group_segment_fixed_size: 1024
    .kernarg_segment_align: 8
    .kernarg_segment_size: 16
    .max_flat_workgroup_size: 256
    .name:           sum_blocks
    .private_segment_fixed_size: 0
    .sgpr_count:     18
    .sgpr_spill_count: 0
    .symbol:         sum_blocks.kd
    .uses_dynamic_stack: false
    .vgpr_count:     4
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
      - .offset:         16
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 1024
    .kernarg_segment_align: 8
    .kernarg_segment_size: 20
    .max_flat_workgroup_size: 256
    .name:           histogram
    .private_segment_fixed_size: 0
    .sgpr_count:     18
    .sgpr_spill_count: 0
    .symbol:         histogram.kd
    .uses_dynamic_stack: false
    .vgpr_count:     4
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
    .group_segment_fixed_size: 1088
    .kernarg_segment_align: 8
    .kernarg_segment_size: 16
    .max_flat_workgroup_size: 256
    .name:           transpose
    .private_segment_fixed_size: 0
    .sgpr_count:     18
    .sgpr_spill_count: 0
    .symbol:         transpose.kd
    .uses_dynamic_stack: false
    .vgpr_count:     7
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
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 16
    .max_flat_workgroup_size: 32
    .name:           softmax
    .private_segment_fixed_size: 0
    .sgpr_count:     18
    .sgpr_spill_count: 0
    .symbol:         softmax.kd
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
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .max_flat_workgroup_size: 32
    .name:           sum_rows
    .private_segment_fixed_size: 0
    .sgpr_count:     18
    .sgpr_spill_count: 0
    .symbol:         sum_rows.kd
    .uses_dynamic_stack: false
    .vgpr_count:     8
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
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .max_flat_workgroup_size: 256
    .name:           count_up
    .private_segment_fixed_size: 0
    .sgpr_count:     14
    .sgpr_spill_count: 0
    .symbol:         count_up.kd
    .uses_dynamic_stack: false
    .vgpr_count:     5
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
    .group_segment_fixed_size: 2048
    .kernarg_segment_align: 8
    .kernarg_segment_size: 16
    .max_flat_workgroup_size: 256
    .name:           scan_block
    .private_segment_fixed_size: 0
    .sgpr_count:     4
    .sgpr_spill_count: 0
    .symbol:         scan_block.kd
    .uses_dynamic_stack: false
    .vgpr_count:     5
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
    .group_segment_fixed_size: 1024
    .kernarg_segment_align: 8
    .kernarg_segment_size: 16
    .max_flat_workgroup_size: 256
    .name:           sort_block
    .private_segment_fixed_size: 0
    .sgpr_count:     14
    .sgpr_spill_count: 0
    .symbol:         sort_block.kd
    .uses_dynamic_stack: false
    .vgpr_count:     20
    .vgpr_spill_count: 0
    .wavefront_size: 32
    .workgroup_processor_mode: 1
amdhsa.target:   amdgcn-amd-amdhsa--gfx1100
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
