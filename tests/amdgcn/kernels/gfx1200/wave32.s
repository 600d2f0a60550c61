	.amdgcn_target "amdgcn-amd-amdhsa--gfx1200"
	.amdhsa_code_object_version 6
	.text
	.protected	wmma_f16
	.globl	wmma_f16
	.p2align	8
	.type	wmma_f16,@function
wmma_f16:
	s_clause 0x1
	s_load_b96 s[4:6], s[0:1], 0x10
	s_load_b128 s[0:3], s[0:1], 0x0
	v_lshrrev_b32_e32 v9, 1, v0
	s_mov_b32 s7, 0
	s_wait_kmcnt 0x0
	s_cmp_gt_i32 s6, 0
	s_cbranch_scc1 .LBB0_2
	v_and_b32_e32 v11, 8, v9
	s_branch .LBB0_3
.LBB0_2:
	s_mov_b32 s7, -1
.LBB0_3:
	v_mov_b32_e32 v8, 0
	v_and_b32_e32 v12, 15, v0
	s_and_not1_b32 vcc_lo, exec_lo, s7
	s_delay_alu instid0(VALU_DEP_2)
	v_dual_mov_b32 v7, v8 :: v_dual_mov_b32 v6, v8
	v_dual_mov_b32 v5, v8 :: v_dual_mov_b32 v4, v8
	v_dual_mov_b32 v3, v8 :: v_dual_mov_b32 v2, v8
	v_mov_b32_e32 v1, v8
	s_cbranch_vccnz .LBB0_6
	v_mul_lo_u32 v1, s6, v12
	v_or_b32_e32 v2, 7, v9
	v_dual_mov_b32 v10, 0 :: v_dual_lshlrev_b32 v3, 3, v0
	v_and_b32_e32 v11, 8, v9
	s_mov_b32 s7, 0
	s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_3)
	v_lshlrev_b32_e32 v0, 4, v2
	v_dual_mov_b32 v4, v10 :: v_dual_and_b32 v13, 0x80, v3
	v_add_nc_u32_e32 v14, v2, v1
	v_dual_mov_b32 v2, v10 :: v_dual_add_nc_u32 v15, v1, v11
	v_dual_mov_b32 v6, v10 :: v_dual_mov_b32 v1, v10
	v_dual_mov_b32 v3, v10 :: v_dual_mov_b32 v8, v10
	v_mov_b32_e32 v5, v10
	v_mov_b32_e32 v7, v10
.LBB0_5:
	s_wait_alu depctr_sa_sdst(0)
	v_add_nc_u32_e32 v9, s7, v15
	v_dual_mov_b32 v25, v10 :: v_dual_add_nc_u32 v24, v12, v13
	v_mov_b32_e32 v17, v10
	v_mov_b32_e32 v19, v10
	s_delay_alu instid0(VALU_DEP_4)
	v_lshlrev_b64_e32 v[26:27], 1, v[9:10]
	v_add_nc_u32_e32 v16, 2, v9
	v_add_nc_u32_e32 v18, 32, v24
	v_lshlrev_b64_e32 v[28:29], 1, v[24:25]
	v_dual_mov_b32 v21, v10 :: v_dual_add_nc_u32 v30, 3, v9
	v_dual_mov_b32 v23, v10 :: v_dual_add_nc_u32 v20, 4, v9
	v_lshlrev_b64_e32 v[33:34], 1, v[16:17]
	v_lshlrev_b64_e32 v[17:18], 1, v[18:19]
	v_add_co_u32 v19, vcc_lo, s0, v26
	v_add_nc_u32_e32 v25, 1, v9
	v_add_nc_u32_e32 v32, 5, v9
	v_add_nc_u32_e32 v9, 6, v9
	v_lshlrev_b64_e32 v[35:36], 1, v[20:21]
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v20, null, s1, v27, vcc_lo
	v_add_co_u32 v26, vcc_lo, s2, v28
	v_dual_mov_b32 v31, v10 :: v_dual_add_nc_u32 v22, 64, v24
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v27, null, s3, v29, vcc_lo
	v_lshlrev_b64_e32 v[37:38], 1, v[9:10]
	v_add_nc_u32_e32 v9, 0x60, v24
	v_lshlrev_b64_e32 v[21:22], 1, v[22:23]
	global_load_u16 v16, v[19:20], off
	global_load_u16 v20, v[26:27], off
	v_add_co_u32 v26, vcc_lo, s0, v33
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v27, null, s1, v34, vcc_lo
	v_add_co_u32 v33, vcc_lo, s2, v17
	v_lshlrev_b64_e32 v[28:29], 1, v[9:10]
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v34, null, s3, v18, vcc_lo
	v_add_co_u32 v18, vcc_lo, s0, v35
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v19, null, s1, v36, vcc_lo
	v_add_co_u32 v35, vcc_lo, s2, v21
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v36, null, s3, v22, vcc_lo
	v_add_co_u32 v37, vcc_lo, s0, v37
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v38, null, s1, v38, vcc_lo
	global_load_u16 v17, v[26:27], off
	v_add_co_u32 v26, vcc_lo, s2, v28
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v27, null, s3, v29, vcc_lo
	global_load_u16 v21, v[33:34], off
	global_load_u16 v18, v[18:19], off
	global_load_u16 v22, v[35:36], off
	global_load_u16 v19, v[37:38], off
	global_load_u16 v23, v[26:27], off
	v_mov_b32_e32 v26, v10
	v_dual_mov_b32 v28, v10 :: v_dual_add_nc_u32 v27, 16, v24
	v_dual_mov_b32 v33, v10 :: v_dual_add_nc_u32 v34, 48, v24
	v_dual_mov_b32 v37, v10 :: v_dual_add_nc_u32 v36, 0x50, v24
	s_delay_alu instid0(VALU_DEP_4)
	v_lshlrev_b64_e32 v[24:25], 1, v[25:26]
	v_mov_b32_e32 v35, v10
	v_lshlrev_b64_e32 v[26:27], 1, v[27:28]
	v_lshlrev_b64_e32 v[28:29], 1, v[30:31]
	v_add_nc_u32_e32 v9, s7, v14
	v_lshlrev_b64_e32 v[32:33], 1, v[32:33]
	v_lshlrev_b64_e32 v[30:31], 1, v[34:35]
	v_add_co_u32 v24, vcc_lo, s0, v24
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v25, null, s1, v25, vcc_lo
	v_add_co_u32 v26, vcc_lo, s2, v26
	v_lshlrev_b64_e32 v[34:35], 1, v[36:37]
	v_lshlrev_b64_e32 v[36:37], 1, v[9:10]
	v_add_nc_u32_e32 v9, v12, v0
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v27, null, s3, v27, vcc_lo
	v_add_co_u32 v28, vcc_lo, s0, v28
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v29, null, s1, v29, vcc_lo
	v_add_co_u32 v30, vcc_lo, s2, v30
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v31, null, s3, v31, vcc_lo
	v_add_co_u32 v32, vcc_lo, s0, v32
	v_lshlrev_b64_e32 v[38:39], 1, v[9:10]
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v33, null, s1, v33, vcc_lo
	v_add_co_u32 v34, vcc_lo, s2, v34
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v35, null, s3, v35, vcc_lo
	v_add_co_u32 v36, vcc_lo, s0, v36
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v37, null, s1, v37, vcc_lo
	v_add_co_u32 v38, vcc_lo, s2, v38
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v39, null, s3, v39, vcc_lo
	v_add_nc_u32_e32 v13, 0x100, v13
	v_add_nc_u32_e32 v0, 0x100, v0
	s_add_co_i32 s7, s7, 16
	s_wait_loadcnt 0x7
	global_load_d16_hi_b16 v16, v[24:25], off
	s_wait_loadcnt 0x7
	global_load_d16_hi_b16 v20, v[26:27], off
	s_wait_loadcnt 0x7
	global_load_d16_hi_b16 v17, v[28:29], off
	s_wait_loadcnt 0x7
	global_load_d16_hi_b16 v21, v[30:31], off
	s_wait_loadcnt 0x7
	global_load_d16_hi_b16 v18, v[32:33], off
	s_wait_loadcnt 0x7
	global_load_d16_hi_b16 v22, v[34:35], off
	s_wait_loadcnt 0x7
	global_load_d16_hi_b16 v19, v[36:37], off
	s_wait_loadcnt 0x7
	global_load_d16_hi_b16 v23, v[38:39], off
	s_wait_alu depctr_sa_sdst(0)
	s_cmp_lt_i32 s7, s6
	s_wait_loadcnt 0x0
	v_wmma_f32_16x16x16_f16 v[1:8], v[16:19], v[20:23], v[1:8]
	s_cbranch_scc1 .LBB0_5
.LBB0_6:
	v_lshl_or_b32 v9, v11, 4, v12
	v_mov_b32_e32 v10, 0
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_lshlrev_b64_e32 v[9:10], 2, v[9:10]
	v_add_co_u32 v9, vcc_lo, s4, v9
	s_wait_alu depctr_va_vcc(0)
	s_delay_alu instid0(VALU_DEP_2)
	v_add_co_ci_u32_e64 v10, null, s5, v10, vcc_lo
	s_clause 0x7
	global_store_b32 v[9:10], v1, off
	global_store_b32 v[9:10], v2, off offset:64
	global_store_b32 v[9:10], v3, off offset:128
	global_store_b32 v[9:10], v4, off offset:192
	global_store_b32 v[9:10], v5, off offset:256
	global_store_b32 v[9:10], v6, off offset:320
	global_store_b32 v[9:10], v7, off offset:384
	global_store_b32 v[9:10], v8, off offset:448
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel wmma_f16
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 28
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
		.amdhsa_next_free_vgpr 40
		.amdhsa_next_free_sgpr 8
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_fp16_overflow 0
		.amdhsa_workgroup_processor_mode 1
		.amdhsa_memory_ordered 1
		.amdhsa_forward_progress 1
		.amdhsa_inst_pref_size 9
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
	.size	wmma_f16, .Lfunc_end0-wmma_f16
	.set wmma_f16.num_vgpr, 40
	.set wmma_f16.num_agpr, 0
	.set wmma_f16.numbered_sgpr, 8
	.set wmma_f16.num_named_barrier, 0
	.set wmma_f16.private_seg_size, 0
	.set wmma_f16.uses_vcc, 1
	.set wmma_f16.uses_flat_scratch, 0
	.set wmma_f16.has_dyn_sized_stack, 0
	.set wmma_f16.has_recursion, 0
	.set wmma_f16.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	wmma_bf16
	.globl	wmma_bf16
	.p2align	8
	.type	wmma_bf16,@function
wmma_bf16:
	s_clause 0x1
	s_load_b96 s[4:6], s[0:1], 0x10
	s_load_b128 s[0:3], s[0:1], 0x0
	v_lshrrev_b32_e32 v9, 1, v0
	s_mov_b32 s7, 0
	s_wait_kmcnt 0x0
	s_cmp_gt_i32 s6, 0
	s_cbranch_scc1 .LBB1_2
	v_and_b32_e32 v11, 8, v9
	s_branch .LBB1_3
.LBB1_2:
	s_mov_b32 s7, -1
.LBB1_3:
	v_mov_b32_e32 v8, 0
	v_and_b32_e32 v12, 15, v0
	s_and_not1_b32 vcc_lo, exec_lo, s7
	s_delay_alu instid0(VALU_DEP_2)
	v_dual_mov_b32 v7, v8 :: v_dual_mov_b32 v6, v8
	v_dual_mov_b32 v5, v8 :: v_dual_mov_b32 v4, v8
	v_dual_mov_b32 v3, v8 :: v_dual_mov_b32 v2, v8
	v_mov_b32_e32 v1, v8
	s_cbranch_vccnz .LBB1_6
	v_mul_lo_u32 v1, s6, v12
	v_or_b32_e32 v2, 7, v9
	v_dual_mov_b32 v10, 0 :: v_dual_lshlrev_b32 v3, 3, v0
	v_and_b32_e32 v11, 8, v9
	s_mov_b32 s7, 0
	s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_3)
	v_lshlrev_b32_e32 v0, 4, v2
	v_dual_mov_b32 v4, v10 :: v_dual_and_b32 v13, 0x80, v3
	v_add_nc_u32_e32 v14, v2, v1
	v_dual_mov_b32 v2, v10 :: v_dual_add_nc_u32 v15, v1, v11
	v_dual_mov_b32 v6, v10 :: v_dual_mov_b32 v1, v10
	v_dual_mov_b32 v3, v10 :: v_dual_mov_b32 v8, v10
	v_mov_b32_e32 v5, v10
	v_mov_b32_e32 v7, v10
.LBB1_5:
	s_wait_alu depctr_sa_sdst(0)
	v_add_nc_u32_e32 v9, s7, v15
	v_dual_mov_b32 v25, v10 :: v_dual_add_nc_u32 v24, v12, v13
	v_mov_b32_e32 v17, v10
	v_mov_b32_e32 v19, v10
	s_delay_alu instid0(VALU_DEP_4)
	v_lshlrev_b64_e32 v[26:27], 1, v[9:10]
	v_add_nc_u32_e32 v16, 2, v9
	v_add_nc_u32_e32 v18, 32, v24
	v_lshlrev_b64_e32 v[28:29], 1, v[24:25]
	v_dual_mov_b32 v21, v10 :: v_dual_add_nc_u32 v30, 3, v9
	v_dual_mov_b32 v23, v10 :: v_dual_add_nc_u32 v20, 4, v9
	v_lshlrev_b64_e32 v[33:34], 1, v[16:17]
	v_lshlrev_b64_e32 v[17:18], 1, v[18:19]
	v_add_co_u32 v19, vcc_lo, s0, v26
	v_add_nc_u32_e32 v25, 1, v9
	v_add_nc_u32_e32 v32, 5, v9
	v_add_nc_u32_e32 v9, 6, v9
	v_lshlrev_b64_e32 v[35:36], 1, v[20:21]
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v20, null, s1, v27, vcc_lo
	v_add_co_u32 v26, vcc_lo, s2, v28
	v_dual_mov_b32 v31, v10 :: v_dual_add_nc_u32 v22, 64, v24
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v27, null, s3, v29, vcc_lo
	v_lshlrev_b64_e32 v[37:38], 1, v[9:10]
	v_add_nc_u32_e32 v9, 0x60, v24
	v_lshlrev_b64_e32 v[21:22], 1, v[22:23]
	global_load_u16 v16, v[19:20], off
	global_load_u16 v20, v[26:27], off
	v_add_co_u32 v26, vcc_lo, s0, v33
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v27, null, s1, v34, vcc_lo
	v_add_co_u32 v33, vcc_lo, s2, v17
	v_lshlrev_b64_e32 v[28:29], 1, v[9:10]
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v34, null, s3, v18, vcc_lo
	v_add_co_u32 v18, vcc_lo, s0, v35
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v19, null, s1, v36, vcc_lo
	v_add_co_u32 v35, vcc_lo, s2, v21
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v36, null, s3, v22, vcc_lo
	v_add_co_u32 v37, vcc_lo, s0, v37
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v38, null, s1, v38, vcc_lo
	global_load_u16 v17, v[26:27], off
	v_add_co_u32 v26, vcc_lo, s2, v28
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v27, null, s3, v29, vcc_lo
	global_load_u16 v21, v[33:34], off
	global_load_u16 v18, v[18:19], off
	global_load_u16 v22, v[35:36], off
	global_load_u16 v19, v[37:38], off
	global_load_u16 v23, v[26:27], off
	v_mov_b32_e32 v26, v10
	v_dual_mov_b32 v28, v10 :: v_dual_add_nc_u32 v27, 16, v24
	v_dual_mov_b32 v33, v10 :: v_dual_add_nc_u32 v34, 48, v24
	v_dual_mov_b32 v37, v10 :: v_dual_add_nc_u32 v36, 0x50, v24
	s_delay_alu instid0(VALU_DEP_4)
	v_lshlrev_b64_e32 v[24:25], 1, v[25:26]
	v_mov_b32_e32 v35, v10
	v_lshlrev_b64_e32 v[26:27], 1, v[27:28]
	v_lshlrev_b64_e32 v[28:29], 1, v[30:31]
	v_add_nc_u32_e32 v9, s7, v14
	v_lshlrev_b64_e32 v[32:33], 1, v[32:33]
	v_lshlrev_b64_e32 v[30:31], 1, v[34:35]
	v_add_co_u32 v24, vcc_lo, s0, v24
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v25, null, s1, v25, vcc_lo
	v_add_co_u32 v26, vcc_lo, s2, v26
	v_lshlrev_b64_e32 v[34:35], 1, v[36:37]
	v_lshlrev_b64_e32 v[36:37], 1, v[9:10]
	v_add_nc_u32_e32 v9, v12, v0
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v27, null, s3, v27, vcc_lo
	v_add_co_u32 v28, vcc_lo, s0, v28
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v29, null, s1, v29, vcc_lo
	v_add_co_u32 v30, vcc_lo, s2, v30
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v31, null, s3, v31, vcc_lo
	v_add_co_u32 v32, vcc_lo, s0, v32
	v_lshlrev_b64_e32 v[38:39], 1, v[9:10]
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v33, null, s1, v33, vcc_lo
	v_add_co_u32 v34, vcc_lo, s2, v34
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v35, null, s3, v35, vcc_lo
	v_add_co_u32 v36, vcc_lo, s0, v36
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v37, null, s1, v37, vcc_lo
	v_add_co_u32 v38, vcc_lo, s2, v38
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v39, null, s3, v39, vcc_lo
	v_add_nc_u32_e32 v13, 0x100, v13
	v_add_nc_u32_e32 v0, 0x100, v0
	s_add_co_i32 s7, s7, 16
	s_wait_loadcnt 0x7
	global_load_d16_hi_b16 v16, v[24:25], off
	s_wait_loadcnt 0x7
	global_load_d16_hi_b16 v20, v[26:27], off
	s_wait_loadcnt 0x7
	global_load_d16_hi_b16 v17, v[28:29], off
	s_wait_loadcnt 0x7
	global_load_d16_hi_b16 v21, v[30:31], off
	s_wait_loadcnt 0x7
	global_load_d16_hi_b16 v18, v[32:33], off
	s_wait_loadcnt 0x7
	global_load_d16_hi_b16 v22, v[34:35], off
	s_wait_loadcnt 0x7
	global_load_d16_hi_b16 v19, v[36:37], off
	s_wait_loadcnt 0x7
	global_load_d16_hi_b16 v23, v[38:39], off
	s_wait_alu depctr_sa_sdst(0)
	s_cmp_lt_i32 s7, s6
	s_wait_loadcnt 0x0
	v_wmma_f32_16x16x16_bf16 v[1:8], v[16:19], v[20:23], v[1:8]
	s_cbranch_scc1 .LBB1_5
.LBB1_6:
	v_lshl_or_b32 v9, v11, 4, v12
	v_mov_b32_e32 v10, 0
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_lshlrev_b64_e32 v[9:10], 2, v[9:10]
	v_add_co_u32 v9, vcc_lo, s4, v9
	s_wait_alu depctr_va_vcc(0)
	s_delay_alu instid0(VALU_DEP_2)
	v_add_co_ci_u32_e64 v10, null, s5, v10, vcc_lo
	s_clause 0x7
	global_store_b32 v[9:10], v1, off
	global_store_b32 v[9:10], v2, off offset:64
	global_store_b32 v[9:10], v3, off offset:128
	global_store_b32 v[9:10], v4, off offset:192
	global_store_b32 v[9:10], v5, off offset:256
	global_store_b32 v[9:10], v6, off offset:320
	global_store_b32 v[9:10], v7, off offset:384
	global_store_b32 v[9:10], v8, off offset:448
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel wmma_bf16
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 28
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
		.amdhsa_next_free_vgpr 40
		.amdhsa_next_free_sgpr 8
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_fp16_overflow 0
		.amdhsa_workgroup_processor_mode 1
		.amdhsa_memory_ordered 1
		.amdhsa_forward_progress 1
		.amdhsa_inst_pref_size 9
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
	.size	wmma_bf16, .Lfunc_end1-wmma_bf16
	.set wmma_bf16.num_vgpr, 40
	.set wmma_bf16.num_agpr, 0
	.set wmma_bf16.numbered_sgpr, 8
	.set wmma_bf16.num_named_barrier, 0
	.set wmma_bf16.private_seg_size, 0
	.set wmma_bf16.uses_vcc, 1
	.set wmma_bf16.uses_flat_scratch, 0
	.set wmma_bf16.has_dyn_sized_stack, 0
	.set wmma_bf16.has_recursion, 0
	.set wmma_bf16.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	wmma_i8
	.globl	wmma_i8
	.p2align	8
	.type	wmma_i8,@function
wmma_i8:
	s_clause 0x1
	s_load_b96 s[4:6], s[0:1], 0x10
	s_load_b128 s[0:3], s[0:1], 0x0
	v_lshrrev_b32_e32 v1, 1, v0
	v_and_b32_e32 v11, 15, v0
	s_delay_alu instid0(VALU_DEP_2)
	v_and_b32_e32 v8, 8, v1
	s_wait_kmcnt 0x0
	s_cmp_lt_i32 s6, 1
	s_cbranch_scc1 .LBB2_3
	v_dual_mov_b32 v1, 0 :: v_dual_lshlrev_b32 v2, 3, v0
	v_mad_co_u64_u32 v[9:10], null, s6, v11, v[8:9]
	v_dual_mov_b32 v0, 0 :: v_dual_mov_b32 v3, 0
	s_delay_alu instid0(VALU_DEP_3) | instskip(SKIP_2) | instid1(VALU_DEP_3)
	v_dual_mov_b32 v5, 0 :: v_dual_and_b32 v6, 0x80, v2
	v_dual_mov_b32 v2, 0 :: v_dual_mov_b32 v7, 0
	v_mov_b32_e32 v4, 0
	v_or3_b32 v10, v6, v11, 0x70
	v_mov_b32_e32 v6, 0
	s_mov_b32 s7, 0
.LBB2_2:
	s_wait_alu depctr_sa_sdst(0)
	v_add_nc_u32_e32 v12, s7, v9
	v_add_nc_u32_e32 v14, 0xffffffa0, v10
	v_add_nc_u32_e32 v15, 0xffffffb0, v10
	v_subrev_nc_u32_e32 v17, 48, v10
	v_subrev_nc_u32_e32 v18, 32, v10
	v_add_nc_u32_e32 v21, 1, v12
	v_add_nc_u32_e32 v13, 0xffffff90, v10
	v_add_nc_u32_e32 v23, 4, v12
	v_add_nc_u32_e32 v24, 5, v12
	v_add_nc_u32_e32 v19, -16, v10
	global_load_u8 v20, v12, s[0:1]
	s_clause 0x5
	global_load_u8 v13, v13, s[2:3]
	global_load_u8 v14, v14, s[2:3]
	global_load_u8 v15, v15, s[2:3]
	global_load_u8 v17, v17, s[2:3]
	global_load_u8 v18, v18, s[2:3]
	global_load_u8 v19, v19, s[2:3]
	s_clause 0x2
	global_load_u8 v21, v21, s[0:1]
	global_load_u8 v23, v23, s[0:1]
	global_load_u8 v24, v24, s[0:1]
	v_add_nc_u32_e32 v22, 2, v12
	v_add_nc_u32_e32 v25, 6, v12
	v_subrev_nc_u32_e32 v16, 64, v10
	v_add_nc_u32_e32 v26, 3, v12
	v_add_nc_u32_e32 v12, 7, v12
	s_clause 0x1
	global_load_u8 v22, v22, s[0:1]
	global_load_u8 v25, v25, s[0:1]
	s_clause 0x1
	global_load_u8 v27, v10, s[2:3]
	global_load_u8 v16, v16, s[2:3]
	s_clause 0x1
	global_load_u8 v26, v26, s[0:1]
	global_load_u8 v28, v12, s[0:1]
	v_add_nc_u32_e32 v10, 0x100, v10
	s_add_co_i32 s7, s7, 16
	s_wait_alu depctr_sa_sdst(0)
	s_cmp_lt_i32 s7, s6
	s_wait_loadcnt 0xd
	v_lshl_or_b32 v12, v14, 8, v13
	s_wait_loadcnt 0xa
	v_lshl_or_b32 v13, v18, 8, v17
	s_wait_loadcnt 0x8
	v_lshl_or_b32 v14, v21, 8, v20
	s_wait_loadcnt 0x6
	v_lshl_or_b32 v17, v24, 8, v23
	v_lshl_or_b32 v12, v15, 16, v12
	v_lshl_or_b32 v13, v19, 16, v13
	s_wait_loadcnt 0x5
	v_lshl_or_b32 v14, v22, 16, v14
	s_wait_loadcnt 0x4
	v_lshl_or_b32 v15, v25, 16, v17
	s_wait_loadcnt 0x2
	v_lshl_or_b32 v12, v16, 24, v12
	v_lshl_or_b32 v13, v27, 24, v13
	s_wait_loadcnt 0x1
	v_lshl_or_b32 v14, v26, 24, v14
	s_wait_loadcnt 0x0
	v_lshl_or_b32 v15, v28, 24, v15
	s_delay_alu instid0(VALU_DEP_1)
	v_wmma_i32_16x16x16_iu8 v[0:7], v[14:15], v[12:13], v[0:7] neg_lo:[1,0,0]
	s_cbranch_scc1 .LBB2_2
	s_branch .LBB2_4
.LBB2_3:
	v_mov_b32_e32 v7, 0
	s_delay_alu instid0(VALU_DEP_1)
	v_dual_mov_b32 v6, v7 :: v_dual_mov_b32 v5, v7
	v_dual_mov_b32 v4, v7 :: v_dual_mov_b32 v3, v7
	v_dual_mov_b32 v2, v7 :: v_dual_mov_b32 v1, v7
	v_mov_b32_e32 v0, v7
.LBB2_4:
	v_lshlrev_b32_e32 v9, 2, v11
	s_delay_alu instid0(VALU_DEP_1)
	v_lshl_or_b32 v8, v8, 6, v9
	s_clause 0x7
	global_store_b32 v8, v0, s[4:5]
	global_store_b32 v8, v1, s[4:5] offset:64
	global_store_b32 v8, v2, s[4:5] offset:128
	global_store_b32 v8, v3, s[4:5] offset:192
	global_store_b32 v8, v4, s[4:5] offset:256
	global_store_b32 v8, v5, s[4:5] offset:320
	global_store_b32 v8, v6, s[4:5] offset:384
	global_store_b32 v8, v7, s[4:5] offset:448
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel wmma_i8
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 28
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
		.amdhsa_next_free_vgpr 29
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
		.amdhsa_inst_pref_size 6
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
.Lfunc_end2:
	.size	wmma_i8, .Lfunc_end2-wmma_i8
	.set wmma_i8.num_vgpr, 29
	.set wmma_i8.num_agpr, 0
	.set wmma_i8.numbered_sgpr, 8
	.set wmma_i8.num_named_barrier, 0
	.set wmma_i8.private_seg_size, 0
	.set wmma_i8.uses_vcc, 0
	.set wmma_i8.uses_flat_scratch, 0
	.set wmma_i8.has_dyn_sized_stack, 0
	.set wmma_i8.has_recursion, 0
	.set wmma_i8.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	moves
	.globl	moves
	.p2align	8
	.type	moves,@function
moves:
	s_load_b128 s[0:3], s[0:1], 0x0
	v_lshlrev_b32_e32 v0, 2, v0
	s_wait_kmcnt 0x0
	global_load_b32 v1, v0, s[0:1]
	s_mov_b32 s0, 0x76543210
	s_mov_b32 s1, 0xfedcba98
	s_wait_loadcnt 0x0
	v_dual_mov_b32 v2, v1 :: v_dual_mov_b32 v3, v1
	v_mov_b32_dpp v4, v1 row_xmask:5 row_mask:0xf bank_mask:0xf bound_ctrl:1
	v_mov_b32_dpp v5, v1 row_share:3 row_mask:0xf bank_mask:0xf bound_ctrl:1
	v_permlanex16_b32 v1, v1, 0x76543210, s1
	s_delay_alu instid0(VALU_DEP_4)
	v_mov_b32_dpp v2, v2 dpp8:[7,6,5,4,3,2,1,0]
	v_permlane16_b32 v3, v3, s0, 0x89abcdef
	s_clause 0x4
	global_store_b32 v0, v4, s[2:3]
	global_store_b32 v0, v5, s[2:3] offset:128
	global_store_b32 v0, v2, s[2:3] offset:256
	global_store_b32 v0, v3, s[2:3] offset:384
	global_store_b32 v0, v1, s[2:3] offset:512
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel moves
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 16
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
		.amdhsa_next_free_vgpr 6
		.amdhsa_next_free_sgpr 4
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
.Lfunc_end3:
	.size	moves, .Lfunc_end3-moves
	.set moves.num_vgpr, 6
	.set moves.num_agpr, 0
	.set moves.numbered_sgpr, 4
	.set moves.num_named_barrier, 0
	.set moves.private_seg_size, 0
	.set moves.uses_vcc, 0
	.set moves.uses_flat_scratch, 0
	.set moves.has_dyn_sized_stack, 0
	.set moves.has_recursion, 0
	.set moves.has_indirect_call, 0
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
      - .offset:         24
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 28
    .max_flat_workgroup_size: 32
    .name:           wmma_f16
    .private_segment_fixed_size: 0
    .sgpr_count:     10
    .sgpr_spill_count: 0
    .symbol:         wmma_f16.kd
    .uses_dynamic_stack: false
    .vgpr_count:     40
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
      - .offset:         24
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 28
    .max_flat_workgroup_size: 32
    .name:           wmma_bf16
    .private_segment_fixed_size: 0
    .sgpr_count:     10
    .sgpr_spill_count: 0
    .symbol:         wmma_bf16.kd
    .uses_dynamic_stack: false
    .vgpr_count:     40
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
      - .offset:         24
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 28
    .max_flat_workgroup_size: 32
    .name:           wmma_i8
    .private_segment_fixed_size: 0
    .sgpr_count:     8
    .sgpr_spill_count: 0
    .symbol:         wmma_i8.kd
    .uses_dynamic_stack: false
    .vgpr_count:     29
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
    .name:           moves
    .private_segment_fixed_size: 0
    .sgpr_count:     4
    .sgpr_spill_count: 0
    .symbol:         moves.kd
    .uses_dynamic_stack: false
    .vgpr_count:     6
    .vgpr_spill_count: 0
    .wavefront_size: 32
    .workgroup_processor_mode: 1
amdhsa.target:   amdgcn-amd-amdhsa--gfx1200
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
