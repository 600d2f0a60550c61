	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.amdhsa_code_object_version 6
	.text
	.protected	sum_blocks
	.globl	sum_blocks
	.p2align	8
	.type	sum_blocks,@function
sum_blocks:
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	v_lshl_or_b32 v2, s2, 8, v0
	v_mov_b32_e32 v3, 0
	s_movk_i32 s0, 0x80
	v_lshlrev_b32_e32 v1, 2, v0
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v4, s4
	v_mov_b32_e32 v5, s5
	v_lshl_add_u64 v[2:3], v[2:3], 2, v[4:5]
	global_load_dword v2, v[2:3], off
	v_cmp_gt_u32_e32 vcc, s0, v0
	s_waitcnt vmcnt(0)
	ds_write_b32 v1, v2
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_2
	ds_read2st64_b32 v[2:3], v1 offset1:2
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v3, v2
	ds_write_b32 v1, v2
.LBB0_2:
	s_or_b64 exec, exec, s[0:1]
	v_cmp_gt_u32_e32 vcc, 64, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_4
	ds_read2st64_b32 v[2:3], v1 offset1:1
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v3, v2
	ds_write_b32 v1, v2
.LBB0_4:
	s_or_b64 exec, exec, s[0:1]
	v_cmp_gt_u32_e32 vcc, 32, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_6
	ds_read2_b32 v[2:3], v1 offset1:32
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v3, v2
	ds_write_b32 v1, v2
.LBB0_6:
	s_or_b64 exec, exec, s[0:1]
	v_cmp_gt_u32_e32 vcc, 16, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_8
	ds_read2_b32 v[2:3], v1 offset1:16
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v3, v2
	ds_write_b32 v1, v2
.LBB0_8:
	s_or_b64 exec, exec, s[0:1]
	v_cmp_gt_u32_e32 vcc, 8, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_10
	ds_read2_b32 v[2:3], v1 offset1:8
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v3, v2
	ds_write_b32 v1, v2
.LBB0_10:
	s_or_b64 exec, exec, s[0:1]
	v_cmp_gt_u32_e32 vcc, 4, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_12
	ds_read2_b32 v[2:3], v1 offset1:4
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v3, v2
	ds_write_b32 v1, v2
.LBB0_12:
	s_or_b64 exec, exec, s[0:1]
	v_cmp_gt_u32_e32 vcc, 2, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_14
	ds_read2_b32 v[2:3], v1 offset1:2
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v3, v2
	ds_write_b32 v1, v2
.LBB0_14:
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s3, 0
	v_cmp_eq_u32_e32 vcc, 0, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_16
	ds_read2_b32 v[2:3], v1 offset1:1
	s_lshl_b64 s[0:1], s[2:3], 2
	s_add_u32 s0, s6, s0
	s_addc_u32 s1, s7, s1
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v0, v3, v2
	ds_write_b32 v1, v0
	v_mov_b32_e32 v0, 0
	ds_read_b32 v1, v0
	s_waitcnt lgkmcnt(0)
	global_store_dword v0, v1, s[0:1]
.LBB0_16:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel sum_blocks
		.amdhsa_group_segment_fixed_size 1024
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 16
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
		.amdhsa_next_free_vgpr 6
		.amdhsa_next_free_sgpr 8
		.amdhsa_accum_offset 8
		.amdhsa_reserve_vcc 1
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
	.size	sum_blocks, .Lfunc_end0-sum_blocks
	.set sum_blocks.num_vgpr, 6
	.set sum_blocks.num_agpr, 0
	.set sum_blocks.numbered_sgpr, 8
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
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_load_dword s8, s[0:1], 0x10
	v_lshlrev_b32_e32 v1, 2, v0
	v_lshl_or_b32 v0, s2, 8, v0
	v_mov_b32_e32 v2, 0
	ds_write_b32 v1, v2
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_u32_e32 vcc, s8, v0
	s_barrier
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB1_3
	s_mov_b64 s[2:3], 0
	v_mov_b32_e32 v2, 1
.LBB1_2:
	global_load_ubyte v3, v0, s[4:5]
	v_add_u32_e32 v0, 0x200, v0
	v_cmp_le_u32_e32 vcc, s8, v0
	s_or_b64 s[2:3], vcc, s[2:3]
	s_waitcnt vmcnt(0)
	v_lshlrev_b32_e32 v3, 2, v3
	ds_add_u32 v3, v2
	s_andn2_b64 exec, exec, s[2:3]
	s_cbranch_execnz .LBB1_2
.LBB1_3:
	s_or_b64 exec, exec, s[0:1]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v0, v1
	s_waitcnt lgkmcnt(0)
	global_atomic_add v1, v0, s[6:7] sc1
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel histogram
		.amdhsa_group_segment_fixed_size 1024
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 20
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
		.amdhsa_next_free_vgpr 4
		.amdhsa_next_free_sgpr 9
		.amdhsa_accum_offset 4
		.amdhsa_reserve_vcc 1
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
	.size	histogram, .Lfunc_end1-histogram
	.set histogram.num_vgpr, 4
	.set histogram.num_agpr, 0
	.set histogram.numbered_sgpr, 9
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
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_lshl_b32 s0, s2, 2
	v_lshrrev_b32_e32 v4, 4, v0
	s_and_b32 s0, s0, -16
	v_and_b32_e32 v5, 15, v0
	v_or_b32_e32 v0, s0, v4
	s_lshl_b32 s1, s2, 4
	v_lshlrev_b32_e32 v0, 6, v0
	s_and_b32 s1, s1, 48
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v2, s4
	v_mov_b32_e32 v3, s5
	v_or3_b32 v0, v0, s1, v5
	v_mov_b32_e32 v1, 0
	v_lshl_add_u64 v[2:3], v[0:1], 2, v[2:3]
	global_load_dword v7, v[2:3], off
	v_mul_u32_u24_e32 v0, 0x44, v4
	v_mul_u32_u24_e32 v2, 0x44, v5
	v_lshl_add_u32 v0, v5, 2, v0
	v_lshl_add_u32 v6, v4, 2, v2
	v_mov_b32_e32 v2, s6
	v_mov_b32_e32 v3, s7
	s_waitcnt vmcnt(0)
	ds_write_b32 v0, v7
	v_or_b32_e32 v0, s1, v4
	v_lshl_add_u32 v0, v0, 6, s0
	v_or_b32_e32 v0, v0, v5
	v_lshl_add_u64 v[0:1], v[0:1], 2, v[2:3]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v6, v6
	s_waitcnt lgkmcnt(0)
	global_store_dword v[0:1], v6, off
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel transpose
		.amdhsa_group_segment_fixed_size 1088
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 16
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
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 8
		.amdhsa_accum_offset 8
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
.Lfunc_end2:
	.size	transpose, .Lfunc_end2-transpose
	.set transpose.num_vgpr, 8
	.set transpose.num_agpr, 0
	.set transpose.numbered_sgpr, 8
	.set transpose.num_named_barrier, 0
	.set transpose.private_seg_size, 0
	.set transpose.uses_vcc, 0
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
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	v_lshl_or_b32 v2, s2, 6, v0
	v_mov_b32_e32 v3, 0
	v_lshlrev_b64 v[6:7], 4, v[2:3]
	v_lshlrev_b32_e32 v0, 2, v0
	s_waitcnt lgkmcnt(0)
	v_lshl_add_u64 v[2:3], s[4:5], 0, v[6:7]
	global_load_dwordx4 v[2:5], v[2:3], off
	v_xor_b32_e32 v8, 4, v0
	v_xor_b32_e32 v10, 8, v0
	v_xor_b32_e32 v11, 16, v0
	v_xor_b32_e32 v12, 32, v0
	v_xor_b32_e32 v13, 64, v0
	v_xor_b32_e32 v14, 0x80, v0
	s_waitcnt vmcnt(0)
	v_cmp_gt_f32_e32 vcc, v2, v3
	s_nop 1
	v_cndmask_b32_e32 v1, v3, v2, vcc
	v_cmp_gt_f32_e32 vcc, v4, v5
	s_nop 1
	v_cndmask_b32_e32 v9, v5, v4, vcc
	v_cmp_gt_f32_e32 vcc, v1, v9
	s_nop 1
	v_cndmask_b32_e32 v1, v9, v1, vcc
	ds_bpermute_b32 v9, v8, v1
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_f32_e32 vcc, v1, v9
	s_nop 1
	v_cndmask_b32_e32 v1, v9, v1, vcc
	ds_bpermute_b32 v9, v10, v1
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_f32_e32 vcc, v1, v9
	s_nop 1
	v_cndmask_b32_e32 v1, v9, v1, vcc
	ds_bpermute_b32 v9, v11, v1
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_f32_e32 vcc, v1, v9
	s_nop 1
	v_cndmask_b32_e32 v1, v9, v1, vcc
	ds_bpermute_b32 v9, v12, v1
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_f32_e32 vcc, v1, v9
	s_nop 1
	v_cndmask_b32_e32 v1, v9, v1, vcc
	ds_bpermute_b32 v9, v13, v1
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_f32_e32 vcc, v1, v9
	s_nop 1
	v_cndmask_b32_e32 v0, v9, v1, vcc
	ds_bpermute_b32 v1, v14, v0
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_f32_e32 vcc, v0, v1
	s_nop 1
	v_cndmask_b32_e32 v0, v1, v0, vcc
	v_sub_f32_e32 v1, v2, v0
	v_sub_f32_e32 v2, v3, v0
	v_sub_f32_e32 v3, v4, v0
	v_sub_f32_e32 v0, v5, v0
	v_mul_f32_e32 v1, 0x3fb8aa3b, v1
	v_mul_f32_e32 v2, 0x3fb8aa3b, v2
	v_mul_f32_e32 v3, 0x3fb8aa3b, v3
	v_mul_f32_e32 v4, 0x3fb8aa3b, v0
	v_exp_f32_e32 v0, v1
	v_exp_f32_e32 v1, v2
	v_exp_f32_e32 v2, v3
	v_exp_f32_e32 v3, v4
	v_add_f32_e32 v4, v0, v1
	v_add_f32_e32 v4, v2, v4
	v_add_f32_e32 v4, v3, v4
	ds_bpermute_b32 v5, v8, v4
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v4, v4, v5
	ds_bpermute_b32 v5, v10, v4
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v4, v4, v5
	ds_bpermute_b32 v5, v11, v4
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v4, v4, v5
	ds_bpermute_b32 v5, v12, v4
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v4, v4, v5
	ds_bpermute_b32 v5, v13, v4
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v4, v4, v5
	ds_bpermute_b32 v5, v14, v4
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v4, v4, v5
	v_rcp_f32_e32 v4, v4
	s_nop 0
	v_pk_mul_f32 v[2:3], v[2:3], v[4:5] op_sel_hi:[1,0]
	v_pk_mul_f32 v[0:1], v[0:1], v[4:5] op_sel_hi:[1,0]
	v_lshl_add_u64 v[4:5], s[6:7], 0, v[6:7]
	global_store_dwordx4 v[4:5], v[0:3], off
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel softmax
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 16
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
		.amdhsa_next_free_vgpr 15
		.amdhsa_next_free_sgpr 8
		.amdhsa_accum_offset 16
		.amdhsa_reserve_vcc 1
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
.Lfunc_end3:
	.size	softmax, .Lfunc_end3-softmax
	.set softmax.num_vgpr, 15
	.set softmax.num_agpr, 0
	.set softmax.numbered_sgpr, 8
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
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_load_dwordx2 s[8:9], s[0:1], 0x10
	v_lshl_or_b32 v0, s2, 6, v0
	v_mov_b32_e32 v1, 0
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	s_waitcnt lgkmcnt(0)
	v_lshl_add_u64 v[2:3], s[4:5], 0, v[0:1]
	global_load_dword v6, v[2:3], off
	v_mov_b32_e32 v7, 0x64
	v_lshl_add_u64 v[4:5], s[6:7], 0, v[0:1]
	v_lshl_add_u64 v[0:1], s[8:9], 0, v[0:1]
	s_waitcnt vmcnt(0)
	v_add_u32_dpp v6, v6, v6 row_ror:8 row_mask:0xf bank_mask:0xf bound_ctrl:1
	s_nop 1
	v_add_u32_dpp v6, v6, v6 row_ror:4 row_mask:0xf bank_mask:0xf bound_ctrl:1
	s_nop 1
	v_add_u32_dpp v6, v6, v6 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf bound_ctrl:1
	s_nop 1
	v_add_u32_dpp v6, v6, v6 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf bound_ctrl:1
	s_nop 0
	v_readlane_b32 s0, v6, 17
	v_mov_b32_dpp v7, v6 row_shr:1 row_mask:0xf bank_mask:0xf
	v_add_u32_e32 v7, v6, v7
	global_store_dword v[4:5], v7, off
	global_load_dword v2, v[2:3], off
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s1, v2
	s_add_i32 s0, s0, s1
	v_mov_b32_e32 v2, s0
	global_store_dword v[0:1], v2, off
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel sum_rows
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 24
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
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 10
		.amdhsa_accum_offset 8
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
.Lfunc_end4:
	.size	sum_rows, .Lfunc_end4-sum_rows
	.set sum_rows.num_vgpr, 8
	.set sum_rows.num_agpr, 0
	.set sum_rows.numbered_sgpr, 10
	.set sum_rows.num_named_barrier, 0
	.set sum_rows.private_seg_size, 0
	.set sum_rows.uses_vcc, 0
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
	s_mov_b64 s[2:3], exec
	v_and_b32_e32 v1, 3, v0
	s_mov_b32 s8, 0
.LBB5_1:
	s_ff1_i32_b64 s4, s[2:3]
	s_mov_b32 m0, s4
	v_readlane_b32 s5, v1, s4
	v_writelane_b32 v2, s8, m0
	s_add_i32 s8, s8, s5
	s_lshl_b64 s[4:5], 1, s4
	s_andn2_b64 s[2:3], s[2:3], s[4:5]
	s_cbranch_scc1 .LBB5_1
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_load_dwordx2 s[2:3], s[0:1], 0x10
	v_mbcnt_lo_u32_b32 v1, exec_lo, 0
	v_mbcnt_hi_u32_b32 v1, exec_hi, v1
	v_cmp_eq_u32_e32 vcc, 0, v1
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	s_cbranch_execz .LBB5_4
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v3, s8
	s_waitcnt lgkmcnt(0)
	global_atomic_add v1, v1, v3, s[4:5] sc0 sc1
.LBB5_4:
	s_or_b64 exec, exec, s[0:1]
	s_waitcnt lgkmcnt(0)
	s_mov_b64 s[4:5], exec
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s8, v1
	v_lshlrev_b32_e32 v1, 1, v0
	v_mov_b32_e32 v3, 0
	s_mov_b64 s[0:1], 0
.LBB5_5:
	s_ff1_i32_b64 s9, s[4:5]
	v_readlane_b32 s12, v1, s9
	v_readlane_b32 s13, v3, s9
	s_nop 0
	v_mov_b32_e32 v5, s12
	v_mov_b32_e32 v4, s13
	v_cmp_gt_u64_e32 vcc, s[0:1], v[4:5]
	s_and_b64 s[10:11], vcc, exec
	s_cselect_b32 s1, s1, s12
	s_cselect_b32 s0, s0, s13
	s_lshl_b64 s[10:11], 1, s9
	s_andn2_b64 s[4:5], s[4:5], s[10:11]
	s_cbranch_scc1 .LBB5_5
	v_mbcnt_lo_u32_b32 v1, exec_lo, 0
	v_mbcnt_hi_u32_b32 v1, exec_hi, v1
	v_cmp_eq_u32_e32 vcc, 0, v1
	s_and_saveexec_b64 s[4:5], vcc
	s_xor_b64 s[4:5], exec, s[4:5]
	s_cbranch_execz .LBB5_8
	v_mov_b32_e32 v1, 0
	v_mov_b64_e32 v[4:5], s[0:1]
	global_atomic_umax_x2 v1, v[4:5], s[6:7] sc1
.LBB5_8:
	s_or_b64 exec, exec, s[4:5]
	s_mov_b64 s[4:5], exec
	v_lshlrev_b64 v[0:1], v0, 1
	s_mov_b64 s[0:1], 0
.LBB5_9:
	s_ff1_i32_b64 s9, s[4:5]
	v_readlane_b32 s11, v1, s9
	v_readlane_b32 s10, v0, s9
	s_or_b64 s[0:1], s[0:1], s[10:11]
	s_lshl_b64 s[10:11], 1, s9
	s_andn2_b64 s[4:5], s[4:5], s[10:11]
	s_cbranch_scc1 .LBB5_9
	v_mbcnt_lo_u32_b32 v0, exec_lo, 0
	v_mbcnt_hi_u32_b32 v0, exec_hi, v0
	v_cmp_eq_u32_e32 vcc, 0, v0
	s_and_saveexec_b64 s[4:5], vcc
	s_xor_b64 s[4:5], exec, s[4:5]
	s_cbranch_execz .LBB5_12
	v_mov_b32_e32 v0, 0
	v_mov_b64_e32 v[4:5], s[0:1]
	global_atomic_or_x2 v0, v[4:5], s[6:7] offset:8 sc1
.LBB5_12:
	s_or_b64 exec, exec, s[4:5]
	v_add_u32_e32 v0, s8, v2
	v_cmp_eq_u32_e32 vcc, -1, v0
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB5_14
	v_mov_b32_e32 v0, 0
	v_mov_b32_e32 v1, 1.0
	global_store_dword v0, v1, s[2:3]
.LBB5_14:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel count_up
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 24
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
		.amdhsa_next_free_vgpr 6
		.amdhsa_next_free_sgpr 14
		.amdhsa_accum_offset 8
		.amdhsa_reserve_vcc 1
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
.Lfunc_end5:
	.size	count_up, .Lfunc_end5-count_up
	.set count_up.num_vgpr, 6
	.set count_up.num_agpr, 0
	.set count_up.numbered_sgpr, 14
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
	s_load_dwordx4 s[0:3], s[0:1], 0x0
	v_lshlrev_b32_e32 v1, 2, v0
	v_cmp_ne_u32_e32 vcc, 0, v0
	s_waitcnt lgkmcnt(0)
	global_load_dword v2, v1, s[0:1]
	s_waitcnt vmcnt(0)
	ds_write_b32 v1, v2
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v4, v2
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v3, v1
	s_and_saveexec_b64 s[0:1], vcc
	v_add_u32_e32 v4, -4, v1
	ds_read_b32 v4, v4
	s_or_b64 exec, exec, s[0:1]
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v3, v4, v3
	ds_write_b32 v1, v3 offset:1024
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v3, v1 offset:1024
	v_cmp_lt_u32_e32 vcc, 1, v0
	s_and_saveexec_b64 s[0:1], vcc
	ds_read_b32 v2, v1 offset:1016
	s_or_b64 exec, exec, s[0:1]
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v2, v2, v3
	ds_write_b32 v1, v2
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v3, v1
	v_mov_b32_e32 v2, 0
	v_cmp_lt_u32_e32 vcc, 3, v0
	v_mov_b32_e32 v4, v2
	s_and_saveexec_b64 s[0:1], vcc
	v_add_u32_e32 v4, -16, v1
	ds_read_b32 v4, v4
	s_or_b64 exec, exec, s[0:1]
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v3, v4, v3
	ds_write_b32 v1, v3 offset:1024
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v3, v1 offset:1024
	v_cmp_lt_u32_e32 vcc, 7, v0
	s_and_saveexec_b64 s[0:1], vcc
	ds_read_b32 v2, v1 offset:992
	s_or_b64 exec, exec, s[0:1]
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v2, v2, v3
	ds_write_b32 v1, v2
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v3, v1
	v_mov_b32_e32 v2, 0
	v_cmp_lt_u32_e32 vcc, 15, v0
	v_mov_b32_e32 v4, v2
	s_and_saveexec_b64 s[0:1], vcc
	v_subrev_u32_e32 v4, 64, v1
	ds_read_b32 v4, v4
	s_or_b64 exec, exec, s[0:1]
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v3, v4, v3
	ds_write_b32 v1, v3 offset:1024
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v3, v1 offset:1024
	v_cmp_lt_u32_e32 vcc, 31, v0
	s_and_saveexec_b64 s[0:1], vcc
	ds_read_b32 v2, v1 offset:896
	s_or_b64 exec, exec, s[0:1]
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v2, v2, v3
	ds_write_b32 v1, v2
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v3, v1
	v_mov_b32_e32 v2, 0
	v_cmp_lt_u32_e32 vcc, 63, v0
	v_mov_b32_e32 v4, v2
	s_and_saveexec_b64 s[0:1], vcc
	v_add_u32_e32 v4, 0xffffff00, v1
	ds_read_b32 v4, v4
	s_or_b64 exec, exec, s[0:1]
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v3, v4, v3
	ds_write_b32 v1, v3 offset:1024
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v3, v1 offset:1024
	s_movk_i32 s0, 0x7f
	v_cmp_lt_u32_e32 vcc, s0, v0
	s_and_saveexec_b64 s[0:1], vcc
	ds_read_b32 v2, v1 offset:512
	s_or_b64 exec, exec, s[0:1]
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v2, v2, v3
	ds_write_b32 v1, v2
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v1, v1
	v_lshlrev_b32_e32 v0, 2, v0
	s_waitcnt lgkmcnt(0)
	global_store_dword v0, v1, s[2:3]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel scan_block
		.amdhsa_group_segment_fixed_size 2048
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 16
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
		.amdhsa_next_free_vgpr 5
		.amdhsa_next_free_sgpr 4
		.amdhsa_accum_offset 8
		.amdhsa_reserve_vcc 1
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
.Lfunc_end6:
	.size	scan_block, .Lfunc_end6-scan_block
	.set scan_block.num_vgpr, 5
	.set scan_block.num_agpr, 0
	.set scan_block.numbered_sgpr, 4
	.set scan_block.num_named_barrier, 0
	.set scan_block.private_seg_size, 0
	.set scan_block.uses_vcc, 1
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
	s_load_dwordx4 s[12:15], s[0:1], 0x0
	v_lshlrev_b32_e32 v1, 2, v0
	v_xor_b32_e32 v2, 1, v0
	v_lshlrev_b32_e32 v3, 2, v2
	v_and_b32_e32 v5, 2, v0
	s_waitcnt lgkmcnt(0)
	global_load_dword v4, v1, s[12:13]
	v_cmp_eq_u32_e64 s[0:1], 0, v5
	v_cmp_lt_u32_e32 vcc, v2, v0
	s_xor_b64 s[0:1], s[0:1], vcc
	s_waitcnt vmcnt(0)
	ds_write_b32 v1, v4
	v_xor_b32_e32 v4, 2, v0
	v_lshlrev_b32_e32 v5, 2, v4
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v6, v1
	ds_read_b32 v7, v3
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v8, v6, v7
	v_max_i32_e32 v6, v6, v7
	v_cndmask_b32_e64 v6, v6, v8, s[0:1]
	v_and_b32_e32 v8, 4, v0
	v_cmp_eq_u32_e64 s[2:3], 0, v8
	v_cmp_lt_u32_e64 s[0:1], v4, v0
	s_xor_b64 s[4:5], s[2:3], s[0:1]
	s_xor_b64 s[2:3], s[2:3], vcc
	s_barrier
	ds_write_b32 v1, v6
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v6, v1
	ds_read_b32 v7, v5
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v8, v6, v7
	v_max_i32_e32 v6, v6, v7
	v_cndmask_b32_e64 v6, v6, v8, s[4:5]
	s_barrier
	ds_write_b32 v1, v6
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v8, v1
	ds_read_b32 v9, v3
	v_xor_b32_e32 v6, 4, v0
	v_lshlrev_b32_e32 v7, 2, v6
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v10, v8, v9
	v_max_i32_e32 v8, v8, v9
	v_cndmask_b32_e64 v8, v8, v10, s[2:3]
	v_and_b32_e32 v10, 8, v0
	v_cmp_eq_u32_e64 s[4:5], 0, v10
	v_cmp_lt_u32_e64 s[2:3], v6, v0
	s_xor_b64 s[6:7], s[4:5], s[2:3]
	s_barrier
	ds_write_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v8, v1
	ds_read_b32 v9, v7
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v10, v8, v9
	v_max_i32_e32 v8, v8, v9
	v_cndmask_b32_e64 v8, v8, v10, s[6:7]
	s_xor_b64 s[6:7], s[4:5], s[0:1]
	s_xor_b64 s[4:5], s[4:5], vcc
	s_barrier
	ds_write_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v8, v1
	ds_read_b32 v9, v5
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v10, v8, v9
	v_max_i32_e32 v8, v8, v9
	v_cndmask_b32_e64 v8, v8, v10, s[6:7]
	v_xor_b32_e32 v10, 8, v0
	v_lshlrev_b32_e32 v11, 2, v10
	s_barrier
	ds_write_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v8, v1
	ds_read_b32 v9, v3
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v12, v8, v9
	v_max_i32_e32 v8, v8, v9
	v_cndmask_b32_e64 v8, v8, v12, s[4:5]
	v_and_b32_e32 v12, 16, v0
	v_cmp_eq_u32_e64 s[6:7], 0, v12
	v_cmp_lt_u32_e64 s[4:5], v10, v0
	s_xor_b64 s[8:9], s[6:7], s[4:5]
	s_barrier
	ds_write_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v8, v1
	ds_read_b32 v9, v11
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v12, v8, v9
	v_max_i32_e32 v8, v8, v9
	v_cndmask_b32_e64 v8, v8, v12, s[8:9]
	s_xor_b64 s[8:9], s[6:7], s[2:3]
	s_barrier
	ds_write_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v8, v1
	ds_read_b32 v9, v7
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v12, v8, v9
	v_max_i32_e32 v8, v8, v9
	v_cndmask_b32_e64 v8, v8, v12, s[8:9]
	s_xor_b64 s[8:9], s[6:7], s[0:1]
	s_xor_b64 s[6:7], s[6:7], vcc
	s_barrier
	ds_write_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v8, v1
	ds_read_b32 v9, v5
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v12, v8, v9
	v_max_i32_e32 v8, v8, v9
	v_cndmask_b32_e64 v8, v8, v12, s[8:9]
	v_xor_b32_e32 v12, 16, v0
	v_lshlrev_b32_e32 v13, 2, v12
	s_barrier
	ds_write_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v8, v1
	ds_read_b32 v9, v3
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v14, v8, v9
	v_max_i32_e32 v8, v8, v9
	v_cndmask_b32_e64 v8, v8, v14, s[6:7]
	v_and_b32_e32 v14, 32, v0
	v_cmp_eq_u32_e64 s[8:9], 0, v14
	v_cmp_lt_u32_e64 s[6:7], v12, v0
	s_xor_b64 s[10:11], s[8:9], s[6:7]
	s_barrier
	ds_write_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v8, v1
	ds_read_b32 v9, v13
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v14, v8, v9
	v_max_i32_e32 v8, v8, v9
	v_cndmask_b32_e64 v8, v8, v14, s[10:11]
	s_xor_b64 s[10:11], s[8:9], s[4:5]
	s_barrier
	ds_write_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v8, v1
	ds_read_b32 v9, v11
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v14, v8, v9
	v_max_i32_e32 v8, v8, v9
	v_cndmask_b32_e64 v8, v8, v14, s[10:11]
	s_xor_b64 s[10:11], s[8:9], s[2:3]
	s_barrier
	ds_write_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v8, v1
	ds_read_b32 v9, v7
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v14, v8, v9
	v_max_i32_e32 v8, v8, v9
	v_cndmask_b32_e64 v8, v8, v14, s[10:11]
	s_xor_b64 s[10:11], s[8:9], s[0:1]
	s_xor_b64 s[8:9], s[8:9], vcc
	s_barrier
	ds_write_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v8, v1
	ds_read_b32 v9, v5
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v14, v8, v9
	v_max_i32_e32 v8, v8, v9
	v_cndmask_b32_e64 v8, v8, v14, s[10:11]
	v_xor_b32_e32 v14, 32, v0
	v_lshlrev_b32_e32 v15, 2, v14
	s_barrier
	ds_write_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v8, v1
	ds_read_b32 v9, v3
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v16, v8, v9
	v_max_i32_e32 v8, v8, v9
	v_cndmask_b32_e64 v8, v8, v16, s[8:9]
	v_and_b32_e32 v16, 64, v0
	v_cmp_eq_u32_e64 s[10:11], 0, v16
	v_cmp_lt_u32_e64 s[8:9], v14, v0
	s_xor_b64 s[12:13], s[10:11], s[8:9]
	s_barrier
	ds_write_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v8, v1
	ds_read_b32 v9, v15
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v16, v8, v9
	v_max_i32_e32 v8, v8, v9
	v_cndmask_b32_e64 v8, v8, v16, s[12:13]
	s_xor_b64 s[12:13], s[10:11], s[6:7]
	s_barrier
	ds_write_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v8, v1
	ds_read_b32 v9, v13
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v16, v8, v9
	v_max_i32_e32 v8, v8, v9
	v_cndmask_b32_e64 v8, v8, v16, s[12:13]
	s_xor_b64 s[12:13], s[10:11], s[4:5]
	s_barrier
	ds_write_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v8, v1
	ds_read_b32 v9, v11
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v16, v8, v9
	v_max_i32_e32 v8, v8, v9
	v_cndmask_b32_e64 v8, v8, v16, s[12:13]
	s_xor_b64 s[12:13], s[10:11], s[2:3]
	s_barrier
	ds_write_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v8, v1
	ds_read_b32 v9, v7
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v16, v8, v9
	v_max_i32_e32 v8, v8, v9
	v_cndmask_b32_e64 v8, v8, v16, s[12:13]
	s_xor_b64 s[12:13], s[10:11], s[0:1]
	s_xor_b64 s[10:11], s[10:11], vcc
	s_barrier
	ds_write_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v8, v1
	ds_read_b32 v9, v5
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v16, v8, v9
	v_max_i32_e32 v8, v8, v9
	v_cndmask_b32_e64 v8, v8, v16, s[12:13]
	v_xor_b32_e32 v16, 64, v0
	v_lshlrev_b32_e32 v17, 2, v16
	v_cmp_lt_u32_e64 s[12:13], v16, v0
	s_barrier
	ds_write_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v8, v1
	ds_read_b32 v9, v3
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v18, v8, v9
	v_max_i32_e32 v8, v8, v9
	v_cndmask_b32_e64 v8, v8, v18, s[10:11]
	v_and_b32_e32 v18, 0x80, v0
	v_cmp_eq_u32_e64 s[10:11], 0, v18
	s_xor_b64 s[12:13], s[10:11], s[12:13]
	s_xor_b64 s[8:9], s[10:11], s[8:9]
	s_xor_b64 s[6:7], s[10:11], s[6:7]
	s_xor_b64 s[4:5], s[10:11], s[4:5]
	s_xor_b64 s[2:3], s[10:11], s[2:3]
	s_xor_b64 s[0:1], s[10:11], s[0:1]
	s_xor_b64 vcc, s[10:11], vcc
	s_barrier
	ds_write_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v8, v1
	ds_read_b32 v9, v17
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v18, v8, v9
	v_max_i32_e32 v8, v8, v9
	v_cndmask_b32_e64 v8, v8, v18, s[12:13]
	s_barrier
	ds_write_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v8, v1
	ds_read_b32 v9, v15
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v18, v8, v9
	v_max_i32_e32 v8, v8, v9
	v_cndmask_b32_e64 v8, v8, v18, s[8:9]
	s_barrier
	ds_write_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v8, v1
	ds_read_b32 v9, v13
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v18, v8, v9
	v_max_i32_e32 v8, v8, v9
	v_cndmask_b32_e64 v8, v8, v18, s[6:7]
	s_barrier
	ds_write_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v8, v1
	ds_read_b32 v9, v11
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v18, v8, v9
	v_max_i32_e32 v8, v8, v9
	v_cndmask_b32_e64 v8, v8, v18, s[4:5]
	s_barrier
	ds_write_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v8, v1
	ds_read_b32 v9, v7
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v18, v8, v9
	v_max_i32_e32 v8, v8, v9
	v_cndmask_b32_e64 v8, v8, v18, s[2:3]
	s_barrier
	ds_write_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v8, v1
	ds_read_b32 v9, v5
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v18, v8, v9
	v_max_i32_e32 v8, v8, v9
	v_cndmask_b32_e64 v8, v8, v18, s[0:1]
	v_xor_b32_e32 v18, 0x80, v0
	v_lshlrev_b32_e32 v19, 2, v18
	s_barrier
	ds_write_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v8, v1
	ds_read_b32 v9, v3
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v20, v8, v9
	v_max_i32_e32 v8, v8, v9
	v_cndmask_b32_e32 v8, v8, v20, vcc
	v_cmp_ge_u32_e32 vcc, v18, v0
	s_barrier
	ds_write_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v8, v1
	ds_read_b32 v9, v19
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v19, v8, v9
	v_max_i32_e32 v8, v8, v9
	v_cndmask_b32_e32 v8, v8, v19, vcc
	v_cmp_ge_u32_e32 vcc, v16, v0
	s_barrier
	ds_write_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v8, v1
	ds_read_b32 v9, v17
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v17, v8, v9
	v_max_i32_e32 v8, v8, v9
	v_cndmask_b32_e32 v8, v8, v17, vcc
	v_cmp_ge_u32_e32 vcc, v14, v0
	s_barrier
	ds_write_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v8, v1
	ds_read_b32 v9, v15
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v15, v8, v9
	v_max_i32_e32 v8, v8, v9
	v_cndmask_b32_e32 v8, v8, v15, vcc
	v_cmp_ge_u32_e32 vcc, v12, v0
	s_barrier
	ds_write_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v8, v1
	ds_read_b32 v9, v13
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v13, v8, v9
	v_max_i32_e32 v8, v8, v9
	v_cndmask_b32_e32 v8, v8, v13, vcc
	v_cmp_ge_u32_e32 vcc, v10, v0
	s_barrier
	ds_write_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v8, v1
	ds_read_b32 v9, v11
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v11, v8, v9
	v_max_i32_e32 v8, v8, v9
	v_cndmask_b32_e32 v8, v8, v11, vcc
	v_cmp_ge_u32_e32 vcc, v6, v0
	s_barrier
	ds_write_b32 v1, v8
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v8, v1
	ds_read_b32 v7, v7
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v9, v8, v7
	v_max_i32_e32 v7, v8, v7
	v_cndmask_b32_e32 v6, v7, v9, vcc
	v_cmp_ge_u32_e32 vcc, v4, v0
	s_barrier
	ds_write_b32 v1, v6
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v6, v1
	ds_read_b32 v5, v5
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v7, v6, v5
	v_max_i32_e32 v5, v6, v5
	v_cndmask_b32_e32 v4, v5, v7, vcc
	v_cmp_ge_u32_e32 vcc, v2, v0
	s_barrier
	ds_write_b32 v1, v4
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v4, v1
	ds_read_b32 v3, v3
	s_waitcnt lgkmcnt(0)
	v_min_i32_e32 v5, v4, v3
	v_max_i32_e32 v3, v4, v3
	v_cndmask_b32_e32 v0, v3, v5, vcc
	s_barrier
	ds_write_b32 v1, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v0, v1
	s_waitcnt lgkmcnt(0)
	global_store_dword v1, v0, s[14:15]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel sort_block
		.amdhsa_group_segment_fixed_size 1024
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 16
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
		.amdhsa_next_free_vgpr 21
		.amdhsa_next_free_sgpr 16
		.amdhsa_accum_offset 24
		.amdhsa_reserve_vcc 1
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
.Lfunc_end7:
	.size	sort_block, .Lfunc_end7-sort_block
	.set sort_block.num_vgpr, 21
	.set sort_block.num_agpr, 0
	.set sort_block.numbered_sgpr, 16
	.set sort_block.num_named_barrier, 0
	.set sort_block.private_seg_size, 0
	.set sort_block.uses_vcc, 1
	.set sort_block.uses_flat_scratch, 0
	.set sort_block.has_dyn_sized_stack, 0
	.set sort_block.has_recursion, 0
	.set sort_block.has_indirect_call, 0
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
    .group_segment_fixed_size: 1024
    .kernarg_segment_align: 8
    .kernarg_segment_size: 16
    .max_flat_workgroup_size: 256
    .name:           sum_blocks
    .private_segment_fixed_size: 0
    .sgpr_count:     14
    .sgpr_spill_count: 0
    .symbol:         sum_blocks.kd
    .uses_dynamic_stack: false
    .vgpr_count:     6
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
      - .offset:         16
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 1024
    .kernarg_segment_align: 8
    .kernarg_segment_size: 20
    .max_flat_workgroup_size: 256
    .name:           histogram
    .private_segment_fixed_size: 0
    .sgpr_count:     15
    .sgpr_spill_count: 0
    .symbol:         histogram.kd
    .uses_dynamic_stack: false
    .vgpr_count:     4
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
    .group_segment_fixed_size: 1088
    .kernarg_segment_align: 8
    .kernarg_segment_size: 16
    .max_flat_workgroup_size: 256
    .name:           transpose
    .private_segment_fixed_size: 0
    .sgpr_count:     14
    .sgpr_spill_count: 0
    .symbol:         transpose.kd
    .uses_dynamic_stack: false
    .vgpr_count:     8
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
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 16
    .max_flat_workgroup_size: 64
    .name:           softmax
    .private_segment_fixed_size: 0
    .sgpr_count:     14
    .sgpr_spill_count: 0
    .symbol:         softmax.kd
    .uses_dynamic_stack: false
    .vgpr_count:     15
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
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .max_flat_workgroup_size: 64
    .name:           sum_rows
    .private_segment_fixed_size: 0
    .sgpr_count:     16
    .sgpr_spill_count: 0
    .symbol:         sum_rows.kd
    .uses_dynamic_stack: false
    .vgpr_count:     8
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
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .max_flat_workgroup_size: 256
    .name:           count_up
    .private_segment_fixed_size: 0
    .sgpr_count:     20
    .sgpr_spill_count: 0
    .symbol:         count_up.kd
    .uses_dynamic_stack: false
    .vgpr_count:     6
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
    .group_segment_fixed_size: 2048
    .kernarg_segment_align: 8
    .kernarg_segment_size: 16
    .max_flat_workgroup_size: 256
    .name:           scan_block
    .private_segment_fixed_size: 0
    .sgpr_count:     10
    .sgpr_spill_count: 0
    .symbol:         scan_block.kd
    .uses_dynamic_stack: false
    .vgpr_count:     5
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
    .group_segment_fixed_size: 1024
    .kernarg_segment_align: 8
    .kernarg_segment_size: 16
    .max_flat_workgroup_size: 256
    .name:           sort_block
    .private_segment_fixed_size: 0
    .sgpr_count:     22
    .sgpr_spill_count: 0
    .symbol:         sort_block.kd
    .uses_dynamic_stack: false
    .vgpr_count:     21
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx950
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
