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
	.protected	wmma_sums_f16
	.globl	wmma_sums_f16
	.p2align	8
	.type	wmma_sums_f16,@function
wmma_sums_f16:
	s_clause 0x1
	s_load_b96 s[4:6], s[0:1], 0x10
	s_load_b128 s[0:3], s[0:1], 0x0
	v_lshrrev_b32_e32 v5, 1, v0
	s_mov_b32 s7, 0
	s_wait_kmcnt 0x0
	s_cmp_gt_i32 s6, 0
	s_cbranch_scc1 .LBB4_2
	v_and_b32_e32 v7, 8, v5
	s_branch .LBB4_3
.LBB4_2:
	s_mov_b32 s7, -1
.LBB4_3:
	v_mov_b32_e32 v4, 0
	v_and_b32_e32 v8, 15, v0
	s_and_not1_b32 vcc_lo, exec_lo, s7
	s_delay_alu instid0(VALU_DEP_2)
	v_dual_mov_b32 v3, v4 :: v_dual_mov_b32 v2, v4
	v_mov_b32_e32 v1, v4
	s_cbranch_vccnz .LBB4_6
	v_mul_lo_u32 v1, s6, v8
	v_or_b32_e32 v2, 7, v5
	v_dual_mov_b32 v6, 0 :: v_dual_lshlrev_b32 v3, 3, v0
	v_and_b32_e32 v7, 8, v5
	s_mov_b32 s7, 0
	s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_3)
	v_lshlrev_b32_e32 v0, 4, v2
	v_dual_mov_b32 v4, v6 :: v_dual_and_b32 v9, 0x80, v3
	v_add_nc_u32_e32 v10, v2, v1
	v_dual_mov_b32 v2, v6 :: v_dual_add_nc_u32 v11, v1, v7
	v_mov_b32_e32 v1, v6
	v_mov_b32_e32 v3, v6
.LBB4_5:
	s_wait_alu depctr_sa_sdst(0)
	s_delay_alu instid0(VALU_DEP_3) | instskip(SKIP_3) | instid1(VALU_DEP_4)
	v_add_nc_u32_e32 v5, s7, v11
	v_dual_mov_b32 v21, v6 :: v_dual_add_nc_u32 v20, v8, v9
	v_mov_b32_e32 v13, v6
	v_mov_b32_e32 v15, v6
	v_lshlrev_b64_e32 v[22:23], 1, v[5:6]
	v_add_nc_u32_e32 v12, 2, v5
	v_add_nc_u32_e32 v14, 32, v20
	v_lshlrev_b64_e32 v[24:25], 1, v[20:21]
	v_dual_mov_b32 v17, v6 :: v_dual_add_nc_u32 v26, 3, v5
	v_dual_mov_b32 v19, v6 :: v_dual_add_nc_u32 v16, 4, v5
	v_lshlrev_b64_e32 v[29:30], 1, v[12:13]
	v_lshlrev_b64_e32 v[13:14], 1, v[14:15]
	v_add_co_u32 v15, vcc_lo, s0, v22
	v_add_nc_u32_e32 v21, 1, v5
	v_add_nc_u32_e32 v28, 5, v5
	v_add_nc_u32_e32 v5, 6, v5
	v_lshlrev_b64_e32 v[31:32], 1, v[16:17]
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v16, null, s1, v23, vcc_lo
	v_add_co_u32 v22, vcc_lo, s2, v24
	v_dual_mov_b32 v27, v6 :: v_dual_add_nc_u32 v18, 64, v20
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v23, null, s3, v25, vcc_lo
	v_lshlrev_b64_e32 v[33:34], 1, v[5:6]
	v_add_nc_u32_e32 v5, 0x60, v20
	v_lshlrev_b64_e32 v[17:18], 1, v[18:19]
	global_load_u16 v12, v[15:16], off
	global_load_u16 v16, v[22:23], off
	v_add_co_u32 v22, vcc_lo, s0, v29
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v23, null, s1, v30, vcc_lo
	v_add_co_u32 v29, vcc_lo, s2, v13
	v_lshlrev_b64_e32 v[24:25], 1, v[5:6]
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v30, null, s3, v14, vcc_lo
	v_add_co_u32 v14, vcc_lo, s0, v31
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v15, null, s1, v32, vcc_lo
	v_add_co_u32 v31, vcc_lo, s2, v17
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v32, null, s3, v18, vcc_lo
	v_add_co_u32 v33, vcc_lo, s0, v33
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v34, null, s1, v34, vcc_lo
	global_load_u16 v13, v[22:23], off
	v_add_co_u32 v22, vcc_lo, s2, v24
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v23, null, s3, v25, vcc_lo
	global_load_u16 v17, v[29:30], off
	global_load_u16 v14, v[14:15], off
	global_load_u16 v18, v[31:32], off
	global_load_u16 v15, v[33:34], off
	global_load_u16 v19, v[22:23], off
	v_mov_b32_e32 v22, v6
	v_dual_mov_b32 v24, v6 :: v_dual_add_nc_u32 v23, 16, v20
	v_dual_mov_b32 v29, v6 :: v_dual_add_nc_u32 v30, 48, v20
	v_dual_mov_b32 v33, v6 :: v_dual_add_nc_u32 v32, 0x50, v20
	s_delay_alu instid0(VALU_DEP_4)
	v_lshlrev_b64_e32 v[20:21], 1, v[21:22]
	v_mov_b32_e32 v31, v6
	v_lshlrev_b64_e32 v[22:23], 1, v[23:24]
	v_lshlrev_b64_e32 v[24:25], 1, v[26:27]
	v_add_nc_u32_e32 v5, s7, v10
	v_lshlrev_b64_e32 v[28:29], 1, v[28:29]
	v_lshlrev_b64_e32 v[26:27], 1, v[30:31]
	v_add_co_u32 v20, vcc_lo, s0, v20
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v21, null, s1, v21, vcc_lo
	v_add_co_u32 v22, vcc_lo, s2, v22
	v_lshlrev_b64_e32 v[30:31], 1, v[32:33]
	v_lshlrev_b64_e32 v[32:33], 1, v[5:6]
	v_add_nc_u32_e32 v5, v8, v0
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v23, null, s3, v23, vcc_lo
	v_add_co_u32 v24, vcc_lo, s0, v24
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v25, null, s1, v25, vcc_lo
	v_add_co_u32 v26, vcc_lo, s2, v26
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v27, null, s3, v27, vcc_lo
	v_add_co_u32 v28, vcc_lo, s0, v28
	v_lshlrev_b64_e32 v[34:35], 1, v[5:6]
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v29, null, s1, v29, vcc_lo
	v_add_co_u32 v30, vcc_lo, s2, v30
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v31, null, s3, v31, vcc_lo
	v_add_co_u32 v32, vcc_lo, s0, v32
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v33, null, s1, v33, vcc_lo
	v_add_co_u32 v34, vcc_lo, s2, v34
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v35, null, s3, v35, vcc_lo
	v_add_nc_u32_e32 v9, 0x100, v9
	v_add_nc_u32_e32 v0, 0x100, v0
	s_add_co_i32 s7, s7, 16
	s_wait_loadcnt 0x7
	global_load_d16_hi_b16 v12, v[20:21], off
	s_wait_loadcnt 0x7
	global_load_d16_hi_b16 v16, v[22:23], off
	s_wait_loadcnt 0x7
	global_load_d16_hi_b16 v13, v[24:25], off
	s_wait_loadcnt 0x7
	global_load_d16_hi_b16 v17, v[26:27], off
	s_wait_loadcnt 0x7
	global_load_d16_hi_b16 v14, v[28:29], off
	s_wait_loadcnt 0x7
	global_load_d16_hi_b16 v18, v[30:31], off
	s_wait_loadcnt 0x7
	global_load_d16_hi_b16 v15, v[32:33], off
	s_wait_loadcnt 0x7
	global_load_d16_hi_b16 v19, v[34:35], off
	s_wait_alu depctr_sa_sdst(0)
	s_cmp_lt_i32 s7, s6
	s_wait_loadcnt 0x0
	v_wmma_f16_16x16x16_f16 v[1:4], v[12:15], v[16:19], v[1:4]
	s_cbranch_scc1 .LBB4_5
.LBB4_6:
	v_lshlrev_b32_e32 v0, 1, v8
	s_delay_alu instid0(VALU_DEP_1)
	v_lshl_or_b32 v0, v7, 5, v0
	s_clause 0x7
	global_store_b16 v0, v1, s[4:5]
	global_store_d16_hi_b16 v0, v1, s[4:5] offset:32
	global_store_b16 v0, v2, s[4:5] offset:64
	global_store_d16_hi_b16 v0, v2, s[4:5] offset:96
	global_store_b16 v0, v3, s[4:5] offset:128
	global_store_d16_hi_b16 v0, v3, s[4:5] offset:160
	global_store_b16 v0, v4, s[4:5] offset:192
	global_store_d16_hi_b16 v0, v4, s[4:5] offset:224
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel wmma_sums_f16
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
		.amdhsa_next_free_vgpr 36
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
.Lfunc_end4:
	.size	wmma_sums_f16, .Lfunc_end4-wmma_sums_f16
	.set wmma_sums_f16.num_vgpr, 36
	.set wmma_sums_f16.num_agpr, 0
	.set wmma_sums_f16.numbered_sgpr, 8
	.set wmma_sums_f16.num_named_barrier, 0
	.set wmma_sums_f16.private_seg_size, 0
	.set wmma_sums_f16.uses_vcc, 1
	.set wmma_sums_f16.uses_flat_scratch, 0
	.set wmma_sums_f16.has_dyn_sized_stack, 0
	.set wmma_sums_f16.has_recursion, 0
	.set wmma_sums_f16.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	sparse_f16
	.globl	sparse_f16
	.p2align	8
	.type	sparse_f16,@function
sparse_f16:
	v_and_b32_e32 v1, 15, v0
	v_lshrrev_b32_e32 v0, 4, v0
	s_movk_i32 s2, 0x2ac
	s_movk_i32 s3, 0x357
	s_clause 0x1
	s_load_b128 s[4:7], s[0:1], 0x0
	s_load_b64 s[8:9], s[0:1], 0x10
	v_lshlrev_b32_e32 v4, 5, v1
	v_lshl_add_u32 v2, v0, 1, v1
	v_lshl_or_b32 v28, v0, 7, v1
	s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_3)
	v_lshl_or_b32 v8, v0, 3, v4
	v_mul_lo_u16 v3, v2, 43
	v_mad_u16 v5, 0xab, v2, s2
	v_mad_u16 v6, 0xab, v2, 0xab
	v_mad_u16 v7, 0xab, v2, s3
	v_or_b32_e32 v10, 4, v8
	v_lshrrev_b16 v3, 8, v3
	v_lshrrev_b16 v4, 10, v5
	v_lshrrev_b16 v5, 10, v6
	v_lshrrev_b16 v6, 10, v7
	v_add_nc_u16 v7, v2, 1
	v_mul_lo_u16 v3, v3, 6
	v_mul_lo_u16 v4, v4, 6
	v_mul_lo_u16 v5, v5, 6
	v_mul_lo_u16 v6, v6, 6
	v_or_b32_e32 v15, 16, v8
	v_sub_nc_u16 v9, v2, v3
	v_sub_nc_u16 v11, v2, v4
	v_sub_nc_u16 v12, v7, v5
	v_sub_nc_u16 v13, v2, v6
	v_or_b32_e32 v27, 20, v8
	v_and_b32_e32 v14, 0xff, v9
	v_add_nc_u16 v2, v11, 4
	v_add_nc_u16 v9, v9, 1
	v_add_nc_u16 v3, v13, 5
	v_lshlrev_b32_e32 v29, 1, v28
	v_cmp_gt_u16_e32 vcc_lo, 5, v14
	v_and_b32_e32 v21, 0xff, v2
	v_and_b32_e32 v9, 0xff, v9
	v_and_b32_e32 v20, 0xff, v12
	v_and_b32_e32 v22, 0xff, v3
	v_cndmask_b32_e64 v4, 2, 1, vcc_lo
	v_cmp_gt_u16_e64 s0, 5, v21
	v_cmp_eq_u16_e64 s3, 3, v14
	v_cmp_gt_u16_e32 vcc_lo, 5, v20
	v_cmp_gt_u16_e64 s1, 3, v21
	v_cmp_gt_u16_e64 s2, 3, v22
	v_cndmask_b32_e64 v3, 2, 1, s0
	v_cmp_gt_u16_e64 s0, 5, v22
	s_wait_alu depctr_va_vcc(0)
	v_cndmask_b32_e64 v2, 2, 1, vcc_lo
	v_cmp_gt_u16_e32 vcc_lo, 3, v14
	s_wait_alu depctr_va_sdst(0)
	v_cndmask_b32_e64 v14, 3, 2, s3
	v_cndmask_b32_e64 v25, v3, 0, s1
	v_add_nc_u16 v12, v12, 1
	v_add_nc_u16 v11, v11, 5
	s_wait_alu depctr_va_vcc(0)
	v_cndmask_b32_e64 v23, v4, 0, vcc_lo
	v_cndmask_b32_e64 v4, 2, 1, s0
	v_cndmask_b32_e32 v9, v14, v9, vcc_lo
	v_cmp_gt_u16_e64 s0, 3, v20
	v_cmp_eq_u16_e64 s3, 3, v20
	v_or_b32_e32 v0, v23, v8
	v_cndmask_b32_e64 v26, v4, 0, s2
	v_add_nc_u16 v13, v13, 6
	s_wait_alu depctr_va_sdst(0)
	v_cndmask_b32_e64 v24, v2, 0, s0
	v_or_b32_e32 v2, v25, v15
	v_lshlrev_b32_e32 v16, 1, v0
	v_or_b32_e32 v3, v26, v27
	v_cndmask_b32_e64 v20, 3, 2, s3
	v_or_b32_e32 v1, v24, v10
	v_lshlrev_b32_e32 v18, 1, v2
	v_cmp_eq_u16_e64 s3, 3, v21
	v_lshlrev_b32_e32 v19, 1, v3
	v_and_b32_e32 v12, 0xff, v12
	v_lshlrev_b32_e32 v17, 1, v1
	s_wait_kmcnt 0x0
	s_clause 0x7
	global_load_u16 v0, v29, s[6:7]
	global_load_u16 v1, v29, s[6:7] offset:64
	global_load_u16 v2, v29, s[6:7] offset:128
	global_load_u16 v3, v29, s[6:7] offset:192
	global_load_u16 v4, v29, s[6:7] offset:512
	global_load_u16 v5, v29, s[6:7] offset:576
	global_load_u16 v6, v29, s[6:7] offset:640
	global_load_u16 v7, v29, s[6:7] offset:704
	s_clause 0x3
	global_load_u16 v16, v16, s[4:5]
	global_load_u16 v17, v17, s[4:5]
	global_load_u16 v18, v18, s[4:5]
	global_load_u16 v19, v19, s[4:5]
	s_wait_alu depctr_va_sdst(0)
	v_cndmask_b32_e64 v21, 3, 2, s3
	v_cmp_eq_u16_e64 s3, 3, v22
	v_and_b32_e32 v11, 0xff, v11
	v_and_b32_e32 v13, 0xff, v13
	v_cndmask_b32_e64 v12, v20, v12, s0
	v_add_lshl_u32 v8, v9, v8, 1
	s_wait_alu depctr_va_sdst(0)
	v_cndmask_b32_e64 v22, 3, 2, s3
	v_cndmask_b32_e64 v11, v21, v11, s1
	v_lshlrev_b32_e32 v21, 2, v28
	v_add_lshl_u32 v10, v12, v10, 1
	s_delay_alu instid0(VALU_DEP_4) | instskip(NEXT) | instid1(VALU_DEP_4)
	v_cndmask_b32_e64 v13, v22, v13, s2
	v_add_lshl_u32 v14, v11, v15, 1
	v_lshlrev_b32_e32 v11, 10, v11
	s_delay_alu instid0(VALU_DEP_3)
	v_add_lshl_u32 v15, v13, v27, 1
	v_lshlrev_b32_e32 v13, 14, v13
	s_wait_loadcnt 0xb
	global_load_d16_hi_b16 v0, v29, s[6:7] offset:32
	s_wait_loadcnt 0xb
	global_load_d16_hi_b16 v1, v29, s[6:7] offset:96
	s_wait_loadcnt 0xb
	global_load_d16_hi_b16 v2, v29, s[6:7] offset:160
	s_wait_loadcnt 0xb
	global_load_d16_hi_b16 v3, v29, s[6:7] offset:224
	s_wait_loadcnt 0xb
	global_load_d16_hi_b16 v4, v29, s[6:7] offset:544
	s_wait_loadcnt 0xb
	global_load_d16_hi_b16 v5, v29, s[6:7] offset:608
	s_wait_loadcnt 0xb
	global_load_d16_hi_b16 v6, v29, s[6:7] offset:672
	s_wait_loadcnt 0xb
	global_load_d16_hi_b16 v7, v29, s[6:7] offset:736
	s_wait_loadcnt 0xb
	global_load_d16_hi_b16 v16, v8, s[4:5]
	s_wait_loadcnt 0xb
	global_load_d16_hi_b16 v17, v10, s[4:5]
	s_wait_loadcnt 0xb
	global_load_d16_hi_b16 v18, v14, s[4:5]
	s_wait_loadcnt 0xb
	global_load_d16_hi_b16 v19, v15, s[4:5]
	v_lshlrev_b32_e32 v8, 4, v24
	v_lshlrev_b32_e32 v10, 6, v12
	v_lshlrev_b32_e32 v12, 12, v26
	s_delay_alu instid0(VALU_DEP_3) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_lshl_or_b32 v8, v9, 2, v8
	v_lshlrev_b32_e32 v9, 8, v25
	v_or3_b32 v9, v8, v10, v9
	v_mov_b32_e32 v8, 0
	s_delay_alu instid0(VALU_DEP_2) | instskip(NEXT) | instid1(VALU_DEP_2)
	v_or3_b32 v12, v9, v11, v12
	v_dual_mov_b32 v9, v8 :: v_dual_mov_b32 v10, v8
	v_dual_mov_b32 v11, v8 :: v_dual_mov_b32 v14, v8
	s_delay_alu instid0(VALU_DEP_3) | instskip(SKIP_2) | instid1(VALU_DEP_3)
	v_or3_b32 v20, v12, v13, v23
	v_dual_mov_b32 v12, v8 :: v_dual_mov_b32 v13, v8
	v_mov_b32_e32 v15, v8
	v_bfe_i32 v20, v20, 0, 16
	s_wait_loadcnt 0x0
	s_delay_alu instid0(VALU_DEP_1)
	v_swmmac_f32_16x16x32_f16 v[8:15], v[16:19], v[0:7], v20
	s_clause 0x7
	global_store_b32 v21, v8, s[8:9]
	global_store_b32 v21, v9, s[8:9] offset:64
	global_store_b32 v21, v10, s[8:9] offset:128
	global_store_b32 v21, v11, s[8:9] offset:192
	global_store_b32 v21, v12, s[8:9] offset:256
	global_store_b32 v21, v13, s[8:9] offset:320
	global_store_b32 v21, v14, s[8:9] offset:384
	global_store_b32 v21, v15, s[8:9] offset:448
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel sparse_f16
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 24
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
		.amdhsa_next_free_vgpr 30
		.amdhsa_next_free_sgpr 10
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_fp16_overflow 0
		.amdhsa_workgroup_processor_mode 1
		.amdhsa_memory_ordered 1
		.amdhsa_forward_progress 1
		.amdhsa_inst_pref_size 10
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
.Lfunc_end5:
	.size	sparse_f16, .Lfunc_end5-sparse_f16
	.set sparse_f16.num_vgpr, 30
	.set sparse_f16.num_agpr, 0
	.set sparse_f16.numbered_sgpr, 10
	.set sparse_f16.num_named_barrier, 0
	.set sparse_f16.private_seg_size, 0
	.set sparse_f16.uses_vcc, 1
	.set sparse_f16.uses_flat_scratch, 0
	.set sparse_f16.has_dyn_sized_stack, 0
	.set sparse_f16.has_recursion, 0
	.set sparse_f16.has_indirect_call, 0
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
    .name:           wmma_sums_f16
    .private_segment_fixed_size: 0
    .sgpr_count:     10
    .sgpr_spill_count: 0
    .symbol:         wmma_sums_f16.kd
    .uses_dynamic_stack: false
    .vgpr_count:     36
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
    .name:           sparse_f16
    .private_segment_fixed_size: 0
    .sgpr_count:     12
    .sgpr_spill_count: 0
    .symbol:         sparse_f16.kd
    .uses_dynamic_stack: false
    .vgpr_count:     30
    .vgpr_spill_count: 0
    .wavefront_size: 32
    .workgroup_processor_mode: 1
amdhsa.target:   amdgcn-amd-amdhsa--gfx1200
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
