	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.amdhsa_code_object_version 6
	.text
	.protected	tiled_gemm
	.globl	tiled_gemm
	.p2align	8
	.type	tiled_gemm,@function
tiled_gemm:
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_load_dwordx2 s[8:9], s[0:1], 0x10
	s_load_dword s3, s[0:1], 0x18
	s_lshl_b32 s0, s2, 4
	v_lshrrev_b32_e32 v2, 4, v0
	s_lshl_b32 s1, s2, 3
	s_and_b32 s0, s0, 16
	v_and_b32_e32 v0, 15, v0
	s_waitcnt lgkmcnt(0)
	s_cmp_lt_i32 s3, 1
	v_and_or_b32 v1, s1, -16, v2
	v_mov_b32_e32 v3, 0
	s_cbranch_scc1 .LBB0_4
	v_mov_b32_e32 v4, 0x440
	v_lshlrev_b32_e32 v9, 2, v0
	s_movk_i32 s1, 0x44
	v_lshl_add_u32 v8, v2, 6, v4
	v_mad_u32_u24 v11, v2, s1, v9
	v_lshl_or_b32 v2, v2, 5, s0
	v_mad_u64_u32 v[6:7], s[10:11], s3, v1, v[0:1]
	v_or_b32_e32 v10, v8, v9
	v_add_u32_e32 v4, v2, v0
	s_mov_b32 s1, 0
	v_mov_b32_e32 v7, 0
.LBB0_2:
	v_add_u32_e32 v2, s1, v6
	v_mov_b32_e32 v5, v3
	v_lshl_add_u64 v[12:13], v[2:3], 2, s[4:5]
	v_lshl_add_u64 v[14:15], v[4:5], 2, s[6:7]
	global_load_dword v2, v[12:13], off
	global_load_dword v5, v[14:15], off
	s_add_i32 s1, s1, 16
	v_add_u32_e32 v4, 0x200, v4
	s_cmp_ge_i32 s1, s3
	s_waitcnt vmcnt(1)
	ds_write_b32 v10, v2
	s_waitcnt vmcnt(0)
	ds_write_b32 v11, v5
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read2_b32 v[12:13], v9 offset1:17
	ds_read2_b32 v[14:15], v9 offset0:34 offset1:51
	ds_read2_b32 v[16:17], v9 offset0:68 offset1:85
	ds_read2_b32 v[18:19], v9 offset0:102 offset1:119
	ds_read2_b32 v[20:21], v8 offset1:1
	ds_read2_b32 v[22:23], v8 offset0:2 offset1:3
	ds_read2_b32 v[24:25], v8 offset0:4 offset1:5
	ds_read2_b32 v[26:27], v8 offset0:6 offset1:7
	ds_read2_b32 v[28:29], v9 offset0:136 offset1:153
	ds_read2_b32 v[30:31], v9 offset0:170 offset1:187
	ds_read2_b32 v[32:33], v9 offset0:204 offset1:221
	ds_read2_b32 v[34:35], v9 offset0:238 offset1:255
	ds_read2_b32 v[36:37], v8 offset0:8 offset1:9
	ds_read2_b32 v[38:39], v8 offset0:10 offset1:11
	ds_read2_b32 v[40:41], v8 offset0:12 offset1:13
	ds_read2_b32 v[42:43], v8 offset0:14 offset1:15
	s_waitcnt lgkmcnt(11)
	v_mul_f32_e32 v2, v20, v12
	v_mul_f32_e32 v5, v21, v13
	v_add_f32_e32 v2, v7, v2
	s_waitcnt lgkmcnt(10)
	v_mul_f32_e32 v44, v22, v14
	v_add_f32_e32 v2, v2, v5
	v_mul_f32_e32 v45, v23, v15
	v_add_f32_e32 v2, v2, v44
	s_waitcnt lgkmcnt(9)
	v_pk_mul_f32 v[12:13], v[24:25], v[16:17]
	v_add_f32_e32 v2, v2, v45
	v_add_f32_e32 v2, v2, v12
	s_waitcnt lgkmcnt(8)
	v_pk_mul_f32 v[14:15], v[26:27], v[18:19]
	v_add_f32_e32 v2, v2, v13
	v_add_f32_e32 v2, v2, v14
	s_waitcnt lgkmcnt(3)
	v_pk_mul_f32 v[16:17], v[36:37], v[28:29]
	v_add_f32_e32 v2, v2, v15
	v_add_f32_e32 v2, v2, v16
	s_waitcnt lgkmcnt(2)
	v_pk_mul_f32 v[18:19], v[38:39], v[30:31]
	v_add_f32_e32 v2, v2, v17
	v_add_f32_e32 v2, v2, v18
	s_waitcnt lgkmcnt(1)
	v_pk_mul_f32 v[20:21], v[40:41], v[32:33]
	v_add_f32_e32 v2, v2, v19
	v_add_f32_e32 v2, v2, v20
	s_waitcnt lgkmcnt(0)
	v_pk_mul_f32 v[22:23], v[42:43], v[34:35]
	v_add_f32_e32 v2, v2, v21
	v_add_f32_e32 v2, v2, v22
	v_add_f32_e32 v7, v2, v23
	s_barrier
	s_cbranch_scc0 .LBB0_2
	v_mov_b32_e32 v3, v7
.LBB0_4:
	v_lshlrev_b32_e32 v1, 5, v1
	v_mov_b32_e32 v4, s8
	v_mov_b32_e32 v5, s9
	v_or3_b32 v0, v1, s0, v0
	v_mov_b32_e32 v1, 0
	v_lshl_add_u64 v[0:1], v[0:1], 2, v[4:5]
	global_store_dword v[0:1], v3, off
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel tiled_gemm
		.amdhsa_group_segment_fixed_size 2112
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 28
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
		.amdhsa_next_free_vgpr 46
		.amdhsa_next_free_sgpr 12
		.amdhsa_accum_offset 48
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
	.size	tiled_gemm, .Lfunc_end0-tiled_gemm
	.set tiled_gemm.num_vgpr, 46
	.set tiled_gemm.num_agpr, 0
	.set tiled_gemm.numbered_sgpr, 12
	.set tiled_gemm.num_named_barrier, 0
	.set tiled_gemm.private_seg_size, 0
	.set tiled_gemm.uses_vcc, 0
	.set tiled_gemm.uses_flat_scratch, 0
	.set tiled_gemm.has_dyn_sized_stack, 0
	.set tiled_gemm.has_recursion, 0
	.set tiled_gemm.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	pipeline
	.globl	pipeline
	.p2align	8
	.type	pipeline,@function
pipeline:
	s_load_dword s8, s[0:1], 0x10
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_mov_b32 s1, 0
	v_lshlrev_b32_e32 v2, 2, v0
	v_cmp_gt_u32_e32 vcc, 8, v0
	s_waitcnt lgkmcnt(0)
	s_mul_i32 s0, s8, s2
	s_lshl_b32 s0, s0, 7
	s_lshl_b64 s[2:3], s[0:1], 2
	s_add_u32 s2, s4, s2
	s_addc_u32 s3, s5, s3
	global_load_dword v7, v2, s[2:3]
	v_mov_b32_e32 v3, 0
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB1_2
	v_mov_b32_e32 v3, 0
	v_lshl_add_u64 v[4:5], s[2:3], 0, v[2:3]
	global_load_dword v3, v[4:5], off offset:512
.LBB1_2:
	s_or_b64 exec, exec, s[4:5]
	s_cmp_eq_u32 s8, 0
	s_cbranch_scc1 .LBB1_12
	s_mov_b32 s9, 0
	v_mov_b32_e32 v5, 0
	s_branch .LBB1_6
.LBB1_4:
	s_or_b64 exec, exec, s[4:5]
.LBB1_5:
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read2_b32 v[8:9], v1 offset1:1
	ds_read2_b32 v[10:11], v1 offset0:2 offset1:3
	ds_read2_b32 v[12:13], v1 offset0:4 offset1:5
	ds_read2_b32 v[14:15], v1 offset0:6 offset1:7
	v_add_u32_e32 v4, s0, v0
	s_waitcnt lgkmcnt(3)
	v_add_u32_e32 v1, v9, v8
	s_waitcnt lgkmcnt(2)
	v_add3_u32 v1, v10, v1, v11
	s_waitcnt lgkmcnt(1)
	v_add3_u32 v1, v12, v1, v13
	s_waitcnt lgkmcnt(0)
	v_add3_u32 v8, v14, v1, v15
	v_lshl_add_u64 v[0:1], v[4:5], 2, s[6:7]
	global_store_dword v[0:1], v8, off
	s_cmp_eq_u32 s8, s1
	v_mov_b32_e32 v0, v6
	s_mov_b32 s9, s1
	s_cbranch_scc1 .LBB1_12
.LBB1_6:
	s_and_b32 s1, s9, 1
	s_mulk_i32 s1, 0x220
	v_add_u32_e32 v1, s1, v2
	s_waitcnt vmcnt(0)
	ds_write_b32 v1, v7
	s_and_saveexec_b64 s[4:5], vcc
	ds_write_b32 v1, v3 offset:512
	s_or_b64 exec, exec, s[4:5]
	s_add_i32 s1, s9, 1
	s_cmp_ge_u32 s1, s8
	v_add_u32_e32 v6, 0x80, v0
	s_cbranch_scc1 .LBB1_5
	v_mov_b32_e32 v7, v5
	v_lshl_add_u64 v[8:9], v[6:7], 2, s[2:3]
	global_load_dword v7, v[8:9], off
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB1_4
	s_add_i32 s9, s9, 2
	s_cmp_ge_u32 s9, s8
	v_mov_b32_e32 v3, 0
	s_cbranch_scc1 .LBB1_4
	v_add_u32_e32 v4, 0x100, v0
	v_lshl_add_u64 v[8:9], v[4:5], 2, s[2:3]
	global_load_dword v3, v[8:9], off
	s_branch .LBB1_4
.LBB1_12:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel pipeline
		.amdhsa_group_segment_fixed_size 1088
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
		.amdhsa_next_free_vgpr 16
		.amdhsa_next_free_sgpr 10
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
.Lfunc_end1:
	.size	pipeline, .Lfunc_end1-pipeline
	.set pipeline.num_vgpr, 16
	.set pipeline.num_agpr, 0
	.set pipeline.numbered_sgpr, 10
	.set pipeline.num_named_barrier, 0
	.set pipeline.private_seg_size, 0
	.set pipeline.uses_vcc, 1
	.set pipeline.uses_flat_scratch, 0
	.set pipeline.has_dyn_sized_stack, 0
	.set pipeline.has_recursion, 0
	.set pipeline.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	publish
	.globl	publish
	.p2align	8
	.type	publish,@function
publish:
	s_load_dwordx8 s[4:11], s[0:1], 0x0
	s_cmp_lg_u32 s2, 0
	s_cbranch_scc1 .LBB2_4
	v_lshlrev_b32_e32 v1, 2, v0
	s_waitcnt lgkmcnt(0)
	global_load_dword v2, v1, s[4:5]
	v_cmp_eq_u32_e32 vcc, 0, v0
	s_waitcnt vmcnt(0)
	v_lshl_add_u32 v2, v2, 1, v2
	global_store_dword v1, v2, s[6:7]
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB2_3
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v2, 1
	buffer_wbl2 sc1
	s_waitcnt vmcnt(0)
	global_store_dword v1, v2, s[8:9] sc1
.LBB2_3:
	s_or_b64 exec, exec, s[0:1]
.LBB2_4:
	v_mov_b32_e32 v1, 0
	s_waitcnt lgkmcnt(0)
	global_load_dword v2, v1, s[8:9] sc1
	s_waitcnt vmcnt(0)
	buffer_inv sc1
	v_cmp_ne_u32_e32 vcc, 0, v2
	s_cbranch_vccnz .LBB2_6
.LBB2_5:
	s_sleep 1
	global_load_dword v2, v1, s[8:9] sc1
	s_waitcnt vmcnt(0)
	buffer_inv sc1
	v_cmp_eq_u32_e32 vcc, 0, v2
	s_cbranch_vccnz .LBB2_5
.LBB2_6:
	v_xor_b32_e32 v2, 1, v0
	v_lshlrev_b32_e32 v2, 2, v2
	global_load_dword v4, v2, s[6:7]
	v_mov_b32_e32 v2, s10
	v_mov_b32_e32 v3, s11
	v_lshl_or_b32 v0, s2, 6, v0
	v_lshl_add_u64 v[0:1], v[0:1], 2, v[2:3]
	s_waitcnt vmcnt(0)
	v_add_u32_e32 v4, s2, v4
	global_store_dword v[0:1], v4, off
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel publish
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
		.amdhsa_next_free_vgpr 5
		.amdhsa_next_free_sgpr 12
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
.Lfunc_end2:
	.size	publish, .Lfunc_end2-publish
	.set publish.num_vgpr, 5
	.set publish.num_agpr, 0
	.set publish.numbered_sgpr, 12
	.set publish.num_named_barrier, 0
	.set publish.private_seg_size, 0
	.set publish.uses_vcc, 1
	.set publish.uses_flat_scratch, 0
	.set publish.has_dyn_sized_stack, 0
	.set publish.has_recursion, 0
	.set publish.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	grid_barrier
	.globl	grid_barrier
	.p2align	8
	.type	grid_barrier,@function
grid_barrier:
	s_load_dwordx8 s[4:11], s[0:1], 0x0
	v_lshl_or_b32 v2, s2, 6, v0
	v_mov_b32_e32 v3, 0
	v_lshlrev_b64 v[4:5], 2, v[2:3]
	v_cmp_eq_u32_e32 vcc, 0, v0
	s_waitcnt lgkmcnt(0)
	v_lshl_add_u64 v[6:7], s[4:5], 0, v[4:5]
	global_load_dword v1, v[6:7], off
	v_lshl_add_u64 v[4:5], s[6:7], 0, v[4:5]
	s_waitcnt vmcnt(0)
	v_add_u32_e32 v1, v1, v0
	global_store_dword v[4:5], v1, off
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB3_5
	s_mov_b64 s[4:5], exec
	v_mbcnt_lo_u32_b32 v1, s4, 0
	v_mbcnt_hi_u32_b32 v1, s5, v1
	v_cmp_eq_u32_e32 vcc, 0, v1
	s_and_saveexec_b64 s[2:3], vcc
	s_cbranch_execz .LBB3_3
	s_bcnt1_i32_b64 s4, s[4:5]
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v4, s4
	buffer_wbl2 sc1
	s_waitcnt vmcnt(0)
	global_atomic_add v1, v4, s[8:9]
.LBB3_3:
	s_or_b64 exec, exec, s[2:3]
	v_mov_b32_e32 v1, 0
	global_load_dword v4, v1, s[8:9] sc1
	s_waitcnt vmcnt(0)
	buffer_inv sc1
	v_cmp_lt_u32_e32 vcc, 2, v4
	s_cbranch_vccnz .LBB3_5
.LBB3_4:
	s_sleep 1
	global_load_dword v4, v1, s[8:9] sc1
	s_waitcnt vmcnt(0)
	buffer_inv sc1
	v_cmp_gt_u32_e32 vcc, 3, v4
	s_cbranch_vccnz .LBB3_4
.LBB3_5:
	s_or_b64 exec, exec, s[0:1]
	v_xor_b32_e32 v1, 63, v0
	v_lshlrev_b32_e32 v1, 2, v1
	v_xor_b32_e32 v4, 0x7f, v0
	v_xor_b32_e32 v0, 0xbf, v0
	v_lshlrev_b32_e32 v4, 2, v4
	v_lshlrev_b32_e32 v0, 2, v0
	global_load_dword v5, v1, s[6:7]
	global_load_dword v6, v4, s[6:7]
	global_load_dword v7, v0, s[6:7]
	v_mov_b32_e32 v0, s10
	v_mov_b32_e32 v1, s11
	v_lshl_add_u64 v[0:1], v[2:3], 2, v[0:1]
	s_waitcnt vmcnt(0)
	v_add3_u32 v4, v6, v5, v7
	global_store_dword v[0:1], v4, off
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel grid_barrier
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
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 12
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
.Lfunc_end3:
	.size	grid_barrier, .Lfunc_end3-grid_barrier
	.set grid_barrier.num_vgpr, 8
	.set grid_barrier.num_agpr, 0
	.set grid_barrier.numbered_sgpr, 12
	.set grid_barrier.num_named_barrier, 0
	.set grid_barrier.private_seg_size, 0
	.set grid_barrier.uses_vcc, 1
	.set grid_barrier.uses_flat_scratch, 0
	.set grid_barrier.has_dyn_sized_stack, 0
	.set grid_barrier.has_recursion, 0
	.set grid_barrier.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	nand_all
	.globl	nand_all
	.p2align	8
	.type	nand_all,@function
nand_all:
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	v_and_b32_e32 v1, 3, v0
	v_mov_b32_e32 v7, 0
	v_lshlrev_b32_e32 v6, 2, v1
	v_lshl_or_b32 v0, s2, 6, v0
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v2, s6
	v_mov_b32_e32 v3, s7
	v_mov_b32_e32 v1, v7
	v_lshl_add_u64 v[0:1], v[0:1], 2, v[2:3]
	global_load_dword v4, v[0:1], off
	global_load_dword v3, v6, s[4:5]
	v_lshl_add_u64 v[0:1], s[4:5], 0, v[6:7]
	s_mov_b64 s[0:1], 0
.LBB4_1:
	s_waitcnt vmcnt(0)
	v_bitop3_b32 v2, v3, v4, v3 bitop3:0x3f
	global_atomic_cmpswap v2, v[0:1], v[2:3], off sc0 sc1
	s_waitcnt vmcnt(0)
	v_cmp_eq_u32_e32 vcc, v2, v3
	s_or_b64 s[0:1], vcc, s[0:1]
	v_mov_b32_e32 v3, v2
	s_andn2_b64 exec, exec, s[0:1]
	s_cbranch_execnz .LBB4_1
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel nand_all
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
		.amdhsa_next_free_vgpr 8
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
.Lfunc_end4:
	.size	nand_all, .Lfunc_end4-nand_all
	.set nand_all.num_vgpr, 8
	.set nand_all.num_agpr, 0
	.set nand_all.numbered_sgpr, 8
	.set nand_all.num_named_barrier, 0
	.set nand_all.private_seg_size, 0
	.set nand_all.uses_vcc, 1
	.set nand_all.uses_flat_scratch, 0
	.set nand_all.has_dyn_sized_stack, 0
	.set nand_all.has_recursion, 0
	.set nand_all.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	stencil
	.globl	stencil
	.p2align	8
	.type	stencil,@function
stencil:
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	v_lshl_or_b32 v6, s2, 6, v0
	v_mov_b32_e32 v7, 0
	v_lshlrev_b32_e32 v8, 2, v0
	v_cmp_ne_u32_e32 vcc, 0, v0
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v2, s4
	v_mov_b32_e32 v3, s5
	v_lshl_add_u64 v[2:3], v[6:7], 4, v[2:3]
	global_load_dwordx4 v[2:5], v[2:3], off
	v_cmp_eq_u32_e64 s[0:1], 0, v0
	s_waitcnt vmcnt(0)
	ds_write2_b32 v8, v2, v5 offset0:1 offset1:66
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_cbranch_execz .LBB5_2
	v_mov_b32_e32 v10, v7
	v_mov_b32_e32 v11, v7
	ds_write_b64 v7, v[10:11] offset:520
	ds_write2_b32 v7, v7, v7 offset1:65
.LBB5_2:
	s_or_b64 exec, exec, s[2:3]
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v9, v1
	s_waitcnt lgkmcnt(0)
	s_and_saveexec_b64 s[0:1], vcc
	ds_read_b32 v9, v8 offset:260
	s_or_b64 exec, exec, s[0:1]
	v_cmp_gt_u32_e32 vcc, 63, v0
	s_and_saveexec_b64 s[0:1], vcc
	ds_read_b32 v1, v8 offset:8
	s_or_b64 exec, exec, s[0:1]
	v_pk_add_f32 v[14:15], v[4:5], v[4:5]
	v_pk_add_f32 v[16:17], v[2:3], v[2:3]
	v_mov_b32_e32 v10, s6
	v_mov_b32_e32 v11, s7
	v_pk_mov_b32 v[12:13], v[2:3], v[4:5] op_sel:[1,0]
	v_sub_f32_e32 v15, v4, v15
	v_sub_f32_e32 v14, v3, v14
	v_sub_f32_e32 v3, v2, v17
	s_waitcnt lgkmcnt(0)
	v_sub_f32_e32 v2, v9, v16
	v_mov_b32_e32 v0, v5
	v_pk_add_f32 v[2:3], v[2:3], v[12:13]
	v_pk_add_f32 v[4:5], v[14:15], v[0:1]
	v_lshl_add_u64 v[0:1], v[6:7], 4, v[10:11]
	global_store_dwordx4 v[0:1], v[2:5], off
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel stencil
		.amdhsa_group_segment_fixed_size 528
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
		.amdhsa_next_free_vgpr 18
		.amdhsa_next_free_sgpr 8
		.amdhsa_accum_offset 20
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
	.size	stencil, .Lfunc_end5-stencil
	.set stencil.num_vgpr, 18
	.set stencil.num_agpr, 0
	.set stencil.numbered_sgpr, 8
	.set stencil.num_named_barrier, 0
	.set stencil.private_seg_size, 0
	.set stencil.uses_vcc, 1
	.set stencil.uses_flat_scratch, 0
	.set stencil.has_dyn_sized_stack, 0
	.set stencil.has_recursion, 0
	.set stencil.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	matrix_vector
	.globl	matrix_vector
	.p2align	8
	.type	matrix_vector,@function
matrix_vector:
	s_load_dword s3, s[0:1], 0x18
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_load_dwordx2 s[8:9], s[0:1], 0x10
	v_lshl_or_b32 v0, s2, 6, v0
	v_mov_b32_e32 v3, 0
	s_waitcnt lgkmcnt(0)
	s_cmp_lt_i32 s3, 1
	s_cbranch_scc1 .LBB6_4
	v_mul_lo_u32 v2, s3, v0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, 0
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v5, 0
.LBB6_2:
	v_lshl_add_u64 v[8:9], v[2:3], 4, s[4:5]
	global_load_dwordx4 v[8:11], v[8:9], off
	s_load_dwordx4 s[12:15], s[6:7], 0x0
	s_add_i32 s3, s3, -1
	s_add_u32 s6, s6, 16
	s_addc_u32 s7, s7, 0
	v_add_u32_e32 v2, 1, v2
	s_cmp_eq_u32 s3, 0
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_pk_mul_f32 v[10:11], v[10:11], s[14:15]
	v_pk_mul_f32 v[8:9], v[8:9], s[12:13]
	v_pk_add_f32 v[4:5], v[4:5], v[10:11]
	v_pk_add_f32 v[6:7], v[6:7], v[8:9]
	s_cbranch_scc0 .LBB6_2
	v_mov_b32_e32 v3, v5
	s_branch .LBB6_5
.LBB6_4:
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v7, 0
	v_mov_b32_e32 v6, 0
.LBB6_5:
	v_add_f32_e32 v1, v6, v7
	v_add_f32_e32 v1, v4, v1
	v_mov_b32_e32 v8, s8
	v_mov_b32_e32 v9, s9
	v_add_f32_e32 v2, v3, v1
	v_mov_b32_e32 v1, 0
	v_lshl_add_u64 v[0:1], v[0:1], 2, v[8:9]
	global_store_dword v[0:1], v2, off
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel matrix_vector
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 28
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
		.amdhsa_next_free_vgpr 12
		.amdhsa_next_free_sgpr 16
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
.Lfunc_end6:
	.size	matrix_vector, .Lfunc_end6-matrix_vector
	.set matrix_vector.num_vgpr, 12
	.set matrix_vector.num_agpr, 0
	.set matrix_vector.numbered_sgpr, 16
	.set matrix_vector.num_named_barrier, 0
	.set matrix_vector.private_seg_size, 0
	.set matrix_vector.uses_vcc, 0
	.set matrix_vector.uses_flat_scratch, 0
	.set matrix_vector.has_dyn_sized_stack, 0
	.set matrix_vector.has_recursion, 0
	.set matrix_vector.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	compact
	.globl	compact
	.p2align	8
	.type	compact,@function
compact:
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	v_lshlrev_b32_e32 v1, 2, v0
	v_mov_b32_e32 v3, 0
	v_cmp_ne_u32_e64 s[2:3], 0, v0
	s_waitcnt lgkmcnt(0)
	global_load_dword v2, v1, s[4:5]
	s_waitcnt vmcnt(0)
	v_cmp_lt_i32_e32 vcc, -1, v2
	s_nop 1
	v_cndmask_b32_e64 v4, 0, 1, vcc
	ds_write_b32 v1, v4
	v_mov_b32_e32 v4, v3
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[4:5], s[2:3]
	v_add_u32_e32 v4, -4, v1
	ds_read_b32 v4, v4
	s_or_b64 exec, exec, s[4:5]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v5, v1
	v_cmp_lt_u32_e64 s[2:3], 1, v0
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v4, v5, v4
	ds_write_b32 v1, v4
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[4:5], s[2:3]
	v_add_u32_e32 v3, -8, v1
	ds_read_b32 v3, v3
	s_or_b64 exec, exec, s[4:5]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v5, v1
	v_mov_b32_e32 v4, 0
	v_cmp_lt_u32_e64 s[2:3], 3, v0
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v3, v5, v3
	ds_write_b32 v1, v3
	v_mov_b32_e32 v3, v4
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[4:5], s[2:3]
	v_add_u32_e32 v3, -16, v1
	ds_read_b32 v3, v3
	s_or_b64 exec, exec, s[4:5]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v5, v1
	v_cmp_lt_u32_e64 s[2:3], 7, v0
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v3, v5, v3
	ds_write_b32 v1, v3
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[4:5], s[2:3]
	v_subrev_u32_e32 v3, 32, v1
	ds_read_b32 v4, v3
	s_or_b64 exec, exec, s[4:5]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v5, v1
	v_mov_b32_e32 v3, 0
	v_cmp_lt_u32_e64 s[2:3], 15, v0
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v4, v5, v4
	ds_write_b32 v1, v4
	v_mov_b32_e32 v4, v3
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[4:5], s[2:3]
	v_subrev_u32_e32 v4, 64, v1
	ds_read_b32 v4, v4
	s_or_b64 exec, exec, s[4:5]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v5, v1
	s_load_dwordx2 s[2:3], s[0:1], 0x10
	v_cmp_lt_u32_e64 s[0:1], 31, v0
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v4, v5, v4
	ds_write_b32 v1, v4
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[4:5], s[0:1]
	v_add_u32_e32 v3, 0xffffff80, v1
	ds_read_b32 v3, v3
	s_or_b64 exec, exec, s[4:5]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v4, v1
	v_cmp_lt_u32_e64 s[0:1], 63, v0
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v3, v4, v3
	ds_write_b32 v1, v3
	v_mov_b32_e32 v3, 0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[4:5], s[0:1]
	v_add_u32_e32 v3, 0xffffff00, v1
	ds_read_b32 v3, v3
	s_or_b64 exec, exec, s[4:5]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v4, v1
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v3, v4, v3
	ds_write_b32 v1, v3
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB7_16
	ds_read_b32 v3, v1
	v_mov_b32_e32 v4, s6
	v_mov_b32_e32 v5, s7
	v_mov_b32_e32 v7, 0
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v6, -1, v3
	v_lshl_add_u64 v[4:5], v[6:7], 2, v[4:5]
	global_store_dword v[4:5], v2, off
.LBB7_16:
	s_or_b64 exec, exec, s[0:1]
	s_movk_i32 s0, 0x7f
	v_cmp_eq_u32_e32 vcc, s0, v0
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB7_18
	ds_read_b32 v1, v1
	v_mov_b32_e32 v0, 0
	s_waitcnt lgkmcnt(0)
	global_store_dword v0, v1, s[2:3]
.LBB7_18:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel compact
		.amdhsa_group_segment_fixed_size 512
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
.Lfunc_end7:
	.size	compact, .Lfunc_end7-compact
	.set compact.num_vgpr, 8
	.set compact.num_agpr, 0
	.set compact.numbered_sgpr, 8
	.set compact.num_named_barrier, 0
	.set compact.private_seg_size, 0
	.set compact.uses_vcc, 1
	.set compact.uses_flat_scratch, 0
	.set compact.has_dyn_sized_stack, 0
	.set compact.has_recursion, 0
	.set compact.has_indirect_call, 0
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
      - .offset:         24
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 2112
    .kernarg_segment_align: 8
    .kernarg_segment_size: 28
    .max_flat_workgroup_size: 256
    .name:           tiled_gemm
    .private_segment_fixed_size: 0
    .sgpr_count:     18
    .sgpr_spill_count: 0
    .symbol:         tiled_gemm.kd
    .uses_dynamic_stack: false
    .vgpr_count:     46
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
    .group_segment_fixed_size: 1088
    .kernarg_segment_align: 8
    .kernarg_segment_size: 20
    .max_flat_workgroup_size: 128
    .name:           pipeline
    .private_segment_fixed_size: 0
    .sgpr_count:     16
    .sgpr_spill_count: 0
    .symbol:         pipeline.kd
    .uses_dynamic_stack: false
    .vgpr_count:     16
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
    .name:           publish
    .private_segment_fixed_size: 0
    .sgpr_count:     18
    .sgpr_spill_count: 0
    .symbol:         publish.kd
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
    .name:           grid_barrier
    .private_segment_fixed_size: 0
    .sgpr_count:     18
    .sgpr_spill_count: 0
    .symbol:         grid_barrier.kd
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
    .name:           nand_all
    .private_segment_fixed_size: 0
    .sgpr_count:     14
    .sgpr_spill_count: 0
    .symbol:         nand_all.kd
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
    .group_segment_fixed_size: 528
    .kernarg_segment_align: 8
    .kernarg_segment_size: 16
    .max_flat_workgroup_size: 64
    .name:           stencil
    .private_segment_fixed_size: 0
    .sgpr_count:     14
    .sgpr_spill_count: 0
    .symbol:         stencil.kd
    .uses_dynamic_stack: false
    .vgpr_count:     18
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
      - .offset:         24
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 28
    .max_flat_workgroup_size: 64
    .name:           matrix_vector
    .private_segment_fixed_size: 0
    .sgpr_count:     22
    .sgpr_spill_count: 0
    .symbol:         matrix_vector.kd
    .uses_dynamic_stack: false
    .vgpr_count:     12
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
    .group_segment_fixed_size: 512
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .max_flat_workgroup_size: 128
    .name:           compact
    .private_segment_fixed_size: 0
    .sgpr_count:     14
    .sgpr_spill_count: 0
    .symbol:         compact.kd
    .uses_dynamic_stack: false
    .vgpr_count:     8
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx950
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
