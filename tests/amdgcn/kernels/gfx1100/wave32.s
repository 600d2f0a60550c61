	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.amdhsa_code_object_version 6
	.text
	.protected	wmma_f16
	.globl	wmma_f16
	.p2align	8
	.type	wmma_f16,@function
wmma_f16:
	s_clause 0x2
	s_load_b32 s2, s[0:1], 0x18
	s_load_b128 s[4:7], s[0:1], 0x0
	s_load_b64 s[0:1], s[0:1], 0x10
	s_waitcnt lgkmcnt(0)
	s_cmp_lt_i32 s2, 1
	s_cbranch_scc1 .LBB0_3
	v_dual_mov_b32 v12, 0 :: v_dual_and_b32 v9, 15, v0
	s_mov_b32 s3, 0
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_2)
	v_mul_lo_u32 v13, s2, v9
	v_mov_b32_e32 v1, v12
	v_mov_b32_e32 v2, v12
	v_mov_b32_e32 v3, v12
	v_mov_b32_e32 v4, v12
	v_mov_b32_e32 v5, v12
	v_mov_b32_e32 v6, v12
	v_mov_b32_e32 v7, v12
	v_mov_b32_e32 v8, v12
.LBB0_2:
	v_mov_b32_e32 v10, v12
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_lshlrev_b64 v[10:11], 1, v[9:10]
	v_add_co_u32 v10, vcc_lo, s6, v10
	s_delay_alu instid0(VALU_DEP_1)
	v_add_co_ci_u32_e64 v11, null, s7, v11, vcc_lo
	global_load_d16_b16 v14, v[10:11], off
	v_add_nc_u32_e32 v11, s3, v13
	v_ashrrev_i32_e32 v10, 31, v9
	v_mov_b32_e32 v16, v12
	v_mov_b32_e32 v18, v12
	s_delay_alu instid0(VALU_DEP_4)
	v_dual_mov_b32 v22, v12 :: v_dual_add_nc_u32 v21, 8, v11
	v_add_nc_u32_e32 v15, 2, v11
	v_lshlrev_b64 v[29:30], 1, v[11:12]
	v_add_nc_u32_e32 v17, 4, v11
	v_lshlrev_b64 v[31:32], 1, v[9:10]
	v_dual_mov_b32 v20, v12 :: v_dual_add_nc_u32 v19, 6, v11
	v_lshlrev_b64 v[15:16], 1, v[15:16]
	s_delay_alu instid0(VALU_DEP_4)
	v_lshlrev_b64 v[17:18], 1, v[17:18]
	v_lshlrev_b64 v[33:34], 1, v[21:22]
	v_add_co_u32 v21, vcc_lo, s4, v29
	v_dual_mov_b32 v24, v12 :: v_dual_add_nc_u32 v23, 10, v11
	v_lshlrev_b64 v[19:20], 1, v[19:20]
	v_add_co_ci_u32_e64 v22, null, s5, v30, vcc_lo
	v_add_co_u32 v30, vcc_lo, s6, v31
	v_dual_mov_b32 v26, v12 :: v_dual_add_nc_u32 v25, 12, v11
	v_add_co_ci_u32_e64 v31, null, s7, v32, vcc_lo
	v_add_co_u32 v15, vcc_lo, s4, v15
	v_dual_mov_b32 v28, v12 :: v_dual_add_nc_u32 v27, 14, v11
	v_lshlrev_b64 v[23:24], 1, v[23:24]
	v_add_co_ci_u32_e64 v16, null, s5, v16, vcc_lo
	v_add_co_u32 v17, vcc_lo, s4, v17
	v_lshlrev_b64 v[25:26], 1, v[25:26]
	v_add_co_ci_u32_e64 v18, null, s5, v18, vcc_lo
	v_add_co_u32 v19, vcc_lo, s4, v19
	v_lshlrev_b64 v[27:28], 1, v[27:28]
	v_add_co_ci_u32_e64 v20, null, s5, v20, vcc_lo
	v_add_co_u32 v32, vcc_lo, s4, v33
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_add_co_ci_u32_e64 v33, null, s5, v34, vcc_lo
	v_add_co_u32 v34, vcc_lo, s4, v23
	v_add_co_ci_u32_e64 v35, null, s5, v24, vcc_lo
	v_add_co_u32 v36, vcc_lo, s4, v25
	s_delay_alu instid0(VALU_DEP_1)
	v_add_co_ci_u32_e64 v37, null, s5, v26, vcc_lo
	v_add_co_u32 v38, vcc_lo, s4, v27
	global_load_d16_b16 v22, v[21:22], off
	v_add_co_ci_u32_e64 v39, null, s5, v28, vcc_lo
	v_dual_mov_b32 v41, v12 :: v_dual_add_nc_u32 v40, 9, v11
	v_dual_mov_b32 v43, v12 :: v_dual_add_nc_u32 v42, 11, v11
	v_dual_mov_b32 v45, v12 :: v_dual_add_nc_u32 v44, 13, v11
	s_delay_alu instid0(VALU_DEP_3) | instskip(SKIP_1) | instid1(VALU_DEP_4)
	v_lshlrev_b64 v[40:41], 1, v[40:41]
	v_add_nc_u32_e32 v9, 0x100, v9
	v_lshlrev_b64 v[42:43], 1, v[42:43]
	s_add_i32 s3, s3, 16
	v_lshlrev_b64 v[44:45], 1, v[44:45]
	s_cmp_lt_i32 s3, s2
	s_clause 0x6
	global_load_d16_b16 v23, v[15:16], off
	global_load_d16_b16 v24, v[17:18], off
	global_load_d16_b16 v25, v[19:20], off
	global_load_d16_b16 v26, v[32:33], off
	global_load_d16_b16 v27, v[34:35], off
	global_load_d16_b16 v28, v[36:37], off
	global_load_d16_b16 v29, v[38:39], off
	s_clause 0x7
	global_load_d16_b16 v15, v[30:31], off offset:64
	global_load_d16_b16 v16, v[30:31], off offset:128
	global_load_d16_b16 v17, v[30:31], off offset:192
	global_load_d16_b16 v18, v[30:31], off offset:256
	global_load_d16_b16 v19, v[30:31], off offset:320
	global_load_d16_b16 v20, v[30:31], off offset:384
	global_load_d16_b16 v21, v[30:31], off offset:448
	global_load_d16_hi_b16 v14, v[30:31], off offset:32
	v_dual_mov_b32 v33, v12 :: v_dual_add_nc_u32 v32, 1, v11
	v_dual_mov_b32 v35, v12 :: v_dual_add_nc_u32 v34, 3, v11
	v_dual_mov_b32 v37, v12 :: v_dual_add_nc_u32 v36, 5, v11
	s_delay_alu instid0(VALU_DEP_3) | instskip(SKIP_1) | instid1(VALU_DEP_4)
	v_lshlrev_b64 v[32:33], 1, v[32:33]
	v_dual_mov_b32 v39, v12 :: v_dual_add_nc_u32 v38, 7, v11
	v_lshlrev_b64 v[34:35], 1, v[34:35]
	s_delay_alu instid0(VALU_DEP_4)
	v_lshlrev_b64 v[36:37], 1, v[36:37]
	v_add_nc_u32_e32 v11, 15, v11
	v_add_co_u32 v32, vcc_lo, s4, v32
	v_lshlrev_b64 v[38:39], 1, v[38:39]
	v_add_co_ci_u32_e64 v33, null, s5, v33, vcc_lo
	v_add_co_u32 v34, vcc_lo, s4, v34
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_add_co_ci_u32_e64 v35, null, s5, v35, vcc_lo
	v_add_co_u32 v36, vcc_lo, s4, v36
	v_add_co_ci_u32_e64 v37, null, s5, v37, vcc_lo
	v_add_co_u32 v38, vcc_lo, s4, v38
	v_lshlrev_b64 v[10:11], 1, v[11:12]
	v_add_co_ci_u32_e64 v39, null, s5, v39, vcc_lo
	v_add_co_u32 v40, vcc_lo, s4, v40
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_add_co_ci_u32_e64 v41, null, s5, v41, vcc_lo
	v_add_co_u32 v42, vcc_lo, s4, v42
	v_add_co_ci_u32_e64 v43, null, s5, v43, vcc_lo
	v_add_co_u32 v44, vcc_lo, s4, v44
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_add_co_ci_u32_e64 v45, null, s5, v45, vcc_lo
	v_add_co_u32 v10, vcc_lo, s4, v10
	v_add_co_ci_u32_e64 v11, null, s5, v11, vcc_lo
	s_clause 0x7
	global_load_d16_hi_b16 v22, v[32:33], off
	global_load_d16_hi_b16 v23, v[34:35], off
	global_load_d16_hi_b16 v24, v[36:37], off
	global_load_d16_hi_b16 v25, v[38:39], off
	global_load_d16_hi_b16 v26, v[40:41], off
	global_load_d16_hi_b16 v27, v[42:43], off
	global_load_d16_hi_b16 v28, v[44:45], off
	global_load_d16_hi_b16 v29, v[10:11], off
	s_clause 0x6
	global_load_d16_hi_b16 v15, v[30:31], off offset:96
	global_load_d16_hi_b16 v16, v[30:31], off offset:160
	global_load_d16_hi_b16 v17, v[30:31], off offset:224
	global_load_d16_hi_b16 v18, v[30:31], off offset:288
	global_load_d16_hi_b16 v19, v[30:31], off offset:352
	global_load_d16_hi_b16 v20, v[30:31], off offset:416
	global_load_d16_hi_b16 v21, v[30:31], off offset:480
	s_waitcnt vmcnt(0)
	v_wmma_f32_16x16x16_f16 v[1:8], v[22:29], v[14:21], v[1:8]
	s_cbranch_scc1 .LBB0_2
	s_branch .LBB0_4
.LBB0_3:
	v_mov_b32_e32 v8, 0
	s_delay_alu instid0(VALU_DEP_1)
	v_mov_b32_e32 v7, v8
	v_mov_b32_e32 v6, v8
	v_mov_b32_e32 v5, v8
	v_mov_b32_e32 v4, v8
	v_mov_b32_e32 v3, v8
	v_mov_b32_e32 v2, v8
	v_mov_b32_e32 v1, v8
.LBB0_4:
	v_lshlrev_b32_e32 v0, 2, v0
	s_clause 0x7
	global_store_b32 v0, v1, s[0:1]
	global_store_b32 v0, v2, s[0:1] offset:128
	global_store_b32 v0, v3, s[0:1] offset:256
	global_store_b32 v0, v4, s[0:1] offset:384
	global_store_b32 v0, v5, s[0:1] offset:512
	global_store_b32 v0, v6, s[0:1] offset:640
	global_store_b32 v0, v7, s[0:1] offset:768
	global_store_b32 v0, v8, s[0:1] offset:896
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel wmma_f16
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 28
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
		.amdhsa_next_free_vgpr 46
		.amdhsa_next_free_sgpr 8
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
		.amdhsa_inst_pref_size 9
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
	.set wmma_f16.num_vgpr, 46
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
	s_clause 0x2
	s_load_b32 s2, s[0:1], 0x18
	s_load_b128 s[4:7], s[0:1], 0x0
	s_load_b64 s[0:1], s[0:1], 0x10
	s_waitcnt lgkmcnt(0)
	s_cmp_lt_i32 s2, 1
	s_cbranch_scc1 .LBB1_3
	v_dual_mov_b32 v12, 0 :: v_dual_and_b32 v9, 15, v0
	s_mov_b32 s3, 0
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_2)
	v_mul_lo_u32 v13, s2, v9
	v_mov_b32_e32 v1, v12
	v_mov_b32_e32 v2, v12
	v_mov_b32_e32 v3, v12
	v_mov_b32_e32 v4, v12
	v_mov_b32_e32 v5, v12
	v_mov_b32_e32 v6, v12
	v_mov_b32_e32 v7, v12
	v_mov_b32_e32 v8, v12
.LBB1_2:
	v_mov_b32_e32 v10, v12
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_lshlrev_b64 v[10:11], 1, v[9:10]
	v_add_co_u32 v10, vcc_lo, s6, v10
	s_delay_alu instid0(VALU_DEP_1)
	v_add_co_ci_u32_e64 v11, null, s7, v11, vcc_lo
	global_load_d16_b16 v14, v[10:11], off
	v_add_nc_u32_e32 v11, s3, v13
	v_ashrrev_i32_e32 v10, 31, v9
	v_mov_b32_e32 v16, v12
	v_mov_b32_e32 v18, v12
	s_delay_alu instid0(VALU_DEP_4)
	v_dual_mov_b32 v22, v12 :: v_dual_add_nc_u32 v21, 8, v11
	v_add_nc_u32_e32 v15, 2, v11
	v_lshlrev_b64 v[29:30], 1, v[11:12]
	v_add_nc_u32_e32 v17, 4, v11
	v_lshlrev_b64 v[31:32], 1, v[9:10]
	v_dual_mov_b32 v20, v12 :: v_dual_add_nc_u32 v19, 6, v11
	v_lshlrev_b64 v[15:16], 1, v[15:16]
	s_delay_alu instid0(VALU_DEP_4)
	v_lshlrev_b64 v[17:18], 1, v[17:18]
	v_lshlrev_b64 v[33:34], 1, v[21:22]
	v_add_co_u32 v21, vcc_lo, s4, v29
	v_dual_mov_b32 v24, v12 :: v_dual_add_nc_u32 v23, 10, v11
	v_lshlrev_b64 v[19:20], 1, v[19:20]
	v_add_co_ci_u32_e64 v22, null, s5, v30, vcc_lo
	v_add_co_u32 v30, vcc_lo, s6, v31
	v_dual_mov_b32 v26, v12 :: v_dual_add_nc_u32 v25, 12, v11
	v_add_co_ci_u32_e64 v31, null, s7, v32, vcc_lo
	v_add_co_u32 v15, vcc_lo, s4, v15
	v_dual_mov_b32 v28, v12 :: v_dual_add_nc_u32 v27, 14, v11
	v_lshlrev_b64 v[23:24], 1, v[23:24]
	v_add_co_ci_u32_e64 v16, null, s5, v16, vcc_lo
	v_add_co_u32 v17, vcc_lo, s4, v17
	v_lshlrev_b64 v[25:26], 1, v[25:26]
	v_add_co_ci_u32_e64 v18, null, s5, v18, vcc_lo
	v_add_co_u32 v19, vcc_lo, s4, v19
	v_lshlrev_b64 v[27:28], 1, v[27:28]
	v_add_co_ci_u32_e64 v20, null, s5, v20, vcc_lo
	v_add_co_u32 v32, vcc_lo, s4, v33
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_add_co_ci_u32_e64 v33, null, s5, v34, vcc_lo
	v_add_co_u32 v34, vcc_lo, s4, v23
	v_add_co_ci_u32_e64 v35, null, s5, v24, vcc_lo
	v_add_co_u32 v36, vcc_lo, s4, v25
	s_delay_alu instid0(VALU_DEP_1)
	v_add_co_ci_u32_e64 v37, null, s5, v26, vcc_lo
	v_add_co_u32 v38, vcc_lo, s4, v27
	global_load_d16_b16 v22, v[21:22], off
	v_add_co_ci_u32_e64 v39, null, s5, v28, vcc_lo
	v_dual_mov_b32 v41, v12 :: v_dual_add_nc_u32 v40, 9, v11
	v_dual_mov_b32 v43, v12 :: v_dual_add_nc_u32 v42, 11, v11
	v_dual_mov_b32 v45, v12 :: v_dual_add_nc_u32 v44, 13, v11
	s_delay_alu instid0(VALU_DEP_3) | instskip(SKIP_1) | instid1(VALU_DEP_4)
	v_lshlrev_b64 v[40:41], 1, v[40:41]
	v_add_nc_u32_e32 v9, 0x100, v9
	v_lshlrev_b64 v[42:43], 1, v[42:43]
	s_add_i32 s3, s3, 16
	v_lshlrev_b64 v[44:45], 1, v[44:45]
	s_cmp_lt_i32 s3, s2
	s_clause 0x6
	global_load_d16_b16 v23, v[15:16], off
	global_load_d16_b16 v24, v[17:18], off
	global_load_d16_b16 v25, v[19:20], off
	global_load_d16_b16 v26, v[32:33], off
	global_load_d16_b16 v27, v[34:35], off
	global_load_d16_b16 v28, v[36:37], off
	global_load_d16_b16 v29, v[38:39], off
	s_clause 0x7
	global_load_d16_b16 v15, v[30:31], off offset:64
	global_load_d16_b16 v16, v[30:31], off offset:128
	global_load_d16_b16 v17, v[30:31], off offset:192
	global_load_d16_b16 v18, v[30:31], off offset:256
	global_load_d16_b16 v19, v[30:31], off offset:320
	global_load_d16_b16 v20, v[30:31], off offset:384
	global_load_d16_b16 v21, v[30:31], off offset:448
	global_load_d16_hi_b16 v14, v[30:31], off offset:32
	v_dual_mov_b32 v33, v12 :: v_dual_add_nc_u32 v32, 1, v11
	v_dual_mov_b32 v35, v12 :: v_dual_add_nc_u32 v34, 3, v11
	v_dual_mov_b32 v37, v12 :: v_dual_add_nc_u32 v36, 5, v11
	s_delay_alu instid0(VALU_DEP_3) | instskip(SKIP_1) | instid1(VALU_DEP_4)
	v_lshlrev_b64 v[32:33], 1, v[32:33]
	v_dual_mov_b32 v39, v12 :: v_dual_add_nc_u32 v38, 7, v11
	v_lshlrev_b64 v[34:35], 1, v[34:35]
	s_delay_alu instid0(VALU_DEP_4)
	v_lshlrev_b64 v[36:37], 1, v[36:37]
	v_add_nc_u32_e32 v11, 15, v11
	v_add_co_u32 v32, vcc_lo, s4, v32
	v_lshlrev_b64 v[38:39], 1, v[38:39]
	v_add_co_ci_u32_e64 v33, null, s5, v33, vcc_lo
	v_add_co_u32 v34, vcc_lo, s4, v34
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_add_co_ci_u32_e64 v35, null, s5, v35, vcc_lo
	v_add_co_u32 v36, vcc_lo, s4, v36
	v_add_co_ci_u32_e64 v37, null, s5, v37, vcc_lo
	v_add_co_u32 v38, vcc_lo, s4, v38
	v_lshlrev_b64 v[10:11], 1, v[11:12]
	v_add_co_ci_u32_e64 v39, null, s5, v39, vcc_lo
	v_add_co_u32 v40, vcc_lo, s4, v40
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_add_co_ci_u32_e64 v41, null, s5, v41, vcc_lo
	v_add_co_u32 v42, vcc_lo, s4, v42
	v_add_co_ci_u32_e64 v43, null, s5, v43, vcc_lo
	v_add_co_u32 v44, vcc_lo, s4, v44
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_add_co_ci_u32_e64 v45, null, s5, v45, vcc_lo
	v_add_co_u32 v10, vcc_lo, s4, v10
	v_add_co_ci_u32_e64 v11, null, s5, v11, vcc_lo
	s_clause 0x7
	global_load_d16_hi_b16 v22, v[32:33], off
	global_load_d16_hi_b16 v23, v[34:35], off
	global_load_d16_hi_b16 v24, v[36:37], off
	global_load_d16_hi_b16 v25, v[38:39], off
	global_load_d16_hi_b16 v26, v[40:41], off
	global_load_d16_hi_b16 v27, v[42:43], off
	global_load_d16_hi_b16 v28, v[44:45], off
	global_load_d16_hi_b16 v29, v[10:11], off
	s_clause 0x6
	global_load_d16_hi_b16 v15, v[30:31], off offset:96
	global_load_d16_hi_b16 v16, v[30:31], off offset:160
	global_load_d16_hi_b16 v17, v[30:31], off offset:224
	global_load_d16_hi_b16 v18, v[30:31], off offset:288
	global_load_d16_hi_b16 v19, v[30:31], off offset:352
	global_load_d16_hi_b16 v20, v[30:31], off offset:416
	global_load_d16_hi_b16 v21, v[30:31], off offset:480
	s_waitcnt vmcnt(0)
	v_wmma_f32_16x16x16_bf16 v[1:8], v[22:29], v[14:21], v[1:8]
	s_cbranch_scc1 .LBB1_2
	s_branch .LBB1_4
.LBB1_3:
	v_mov_b32_e32 v8, 0
	s_delay_alu instid0(VALU_DEP_1)
	v_mov_b32_e32 v7, v8
	v_mov_b32_e32 v6, v8
	v_mov_b32_e32 v5, v8
	v_mov_b32_e32 v4, v8
	v_mov_b32_e32 v3, v8
	v_mov_b32_e32 v2, v8
	v_mov_b32_e32 v1, v8
.LBB1_4:
	v_lshlrev_b32_e32 v0, 2, v0
	s_clause 0x7
	global_store_b32 v0, v1, s[0:1]
	global_store_b32 v0, v2, s[0:1] offset:128
	global_store_b32 v0, v3, s[0:1] offset:256
	global_store_b32 v0, v4, s[0:1] offset:384
	global_store_b32 v0, v5, s[0:1] offset:512
	global_store_b32 v0, v6, s[0:1] offset:640
	global_store_b32 v0, v7, s[0:1] offset:768
	global_store_b32 v0, v8, s[0:1] offset:896
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel wmma_bf16
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 28
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
		.amdhsa_next_free_vgpr 46
		.amdhsa_next_free_sgpr 8
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
		.amdhsa_inst_pref_size 9
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
	.set wmma_bf16.num_vgpr, 46
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
	s_clause 0x2
	s_load_b32 s2, s[0:1], 0x18
	s_load_b128 s[4:7], s[0:1], 0x0
	s_load_b64 s[0:1], s[0:1], 0x10
	s_waitcnt lgkmcnt(0)
	s_cmp_lt_i32 s2, 1
	s_cbranch_scc1 .LBB2_3
	v_dual_mov_b32 v1, 0 :: v_dual_and_b32 v4, 15, v0
	v_dual_mov_b32 v2, 0 :: v_dual_mov_b32 v3, 0
	v_dual_mov_b32 v6, 0 :: v_dual_mov_b32 v7, 0
	s_delay_alu instid0(VALU_DEP_3)
	v_mul_lo_u32 v9, s2, v4
	v_or_b32_e32 v10, 0xf0, v4
	v_dual_mov_b32 v4, 0 :: v_dual_mov_b32 v5, 0
	v_mov_b32_e32 v8, 0
	s_mov_b32 s3, 0
.LBB2_2:
	s_delay_alu instid0(VALU_DEP_3)
	v_add_nc_u32_e32 v13, 0xffffff20, v10
	v_add_nc_u32_e32 v14, 0xffffff30, v10
	v_add_nc_u32_e32 v15, 0xffffff40, v10
	v_add_nc_u32_e32 v16, 0xffffff50, v10
	v_add_nc_u32_e32 v17, 0xffffff60, v10
	v_add_nc_u32_e32 v11, s3, v9
	v_add_nc_u32_e32 v12, 0xffffff10, v10
	v_add_nc_u32_e32 v18, 0xffffff70, v10
	v_add_nc_u32_e32 v19, 0xffffff80, v10
	v_add_nc_u32_e32 v20, 0xffffff90, v10
	v_add_nc_u32_e32 v21, 0xffffffa0, v10
	v_add_nc_u32_e32 v22, 0xffffffb0, v10
	v_subrev_nc_u32_e32 v24, 48, v10
	v_subrev_nc_u32_e32 v25, 32, v10
	global_load_u8 v27, v10, s[6:7]
	global_load_u8 v28, v11, s[4:5]
	s_clause 0x8
	global_load_u8 v12, v12, s[6:7]
	global_load_u8 v13, v13, s[6:7]
	global_load_u8 v14, v14, s[6:7]
	global_load_u8 v15, v15, s[6:7]
	global_load_u8 v16, v16, s[6:7]
	global_load_u8 v17, v17, s[6:7]
	global_load_u8 v18, v18, s[6:7]
	global_load_u8 v19, v19, s[6:7]
	global_load_u8 v20, v20, s[6:7]
	v_add_nc_u32_e32 v26, -16, v10
	s_clause 0x4
	global_load_u8 v21, v21, s[6:7]
	global_load_u8 v22, v22, s[6:7]
	global_load_u8 v24, v24, s[6:7]
	global_load_u8 v25, v25, s[6:7]
	global_load_u8 v26, v26, s[6:7]
	v_add_nc_u32_e32 v29, 1, v11
	v_add_nc_u32_e32 v32, 4, v11
	v_add_nc_u32_e32 v33, 5, v11
	v_add_nc_u32_e32 v36, 8, v11
	v_subrev_nc_u32_e32 v23, 64, v10
	v_add_nc_u32_e32 v30, 2, v11
	v_add_nc_u32_e32 v31, 3, v11
	v_add_nc_u32_e32 v34, 6, v11
	v_add_nc_u32_e32 v35, 7, v11
	v_add_nc_u32_e32 v37, 9, v11
	v_add_nc_u32_e32 v38, 10, v11
	v_add_nc_u32_e32 v39, 11, v11
	v_add_nc_u32_e32 v40, 12, v11
	v_add_nc_u32_e32 v41, 13, v11
	v_add_nc_u32_e32 v42, 14, v11
	v_add_nc_u32_e32 v11, 15, v11
	s_clause 0xa
	global_load_u8 v29, v29, s[4:5]
	global_load_u8 v32, v32, s[4:5]
	global_load_u8 v33, v33, s[4:5]
	global_load_u8 v36, v36, s[4:5]
	global_load_u8 v37, v37, s[4:5]
	global_load_u8 v40, v40, s[4:5]
	global_load_u8 v41, v41, s[4:5]
	global_load_u8 v30, v30, s[4:5]
	global_load_u8 v34, v34, s[4:5]
	global_load_u8 v38, v38, s[4:5]
	global_load_u8 v42, v42, s[4:5]
	global_load_u8 v23, v23, s[6:7]
	s_clause 0x3
	global_load_u8 v31, v31, s[4:5]
	global_load_u8 v35, v35, s[4:5]
	global_load_u8 v39, v39, s[4:5]
	global_load_u8 v43, v11, s[4:5]
	v_add_nc_u32_e32 v10, 0x100, v10
	s_add_i32 s3, s3, 16
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(SKIP_4) | instid1(VALU_DEP_2)
	s_cmp_lt_i32 s3, s2
	s_waitcnt vmcnt(28)
	v_lshl_or_b32 v11, v13, 8, v12
	s_waitcnt vmcnt(24)
	v_lshl_or_b32 v12, v17, 8, v16
	v_lshl_or_b32 v11, v14, 16, v11
	s_waitcnt vmcnt(20)
	v_lshl_or_b32 v13, v21, 8, v20
	s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_3)
	v_lshl_or_b32 v12, v18, 16, v12
	v_lshl_or_b32 v11, v15, 24, v11
	s_waitcnt vmcnt(17)
	v_lshl_or_b32 v16, v25, 8, v24
	v_lshl_or_b32 v13, v22, 16, v13
	s_waitcnt vmcnt(15)
	v_lshl_or_b32 v17, v29, 8, v28
	v_lshl_or_b32 v12, v19, 24, v12
	s_waitcnt vmcnt(13)
	v_lshl_or_b32 v14, v33, 8, v32
	v_lshl_or_b32 v16, v26, 16, v16
	s_waitcnt vmcnt(11)
	v_lshl_or_b32 v18, v37, 8, v36
	s_waitcnt vmcnt(9)
	v_lshl_or_b32 v20, v41, 8, v40
	s_waitcnt vmcnt(8)
	v_lshl_or_b32 v17, v30, 16, v17
	s_waitcnt vmcnt(7)
	v_lshl_or_b32 v21, v34, 16, v14
	s_waitcnt vmcnt(6)
	v_lshl_or_b32 v18, v38, 16, v18
	v_lshl_or_b32 v14, v27, 24, v16
	s_waitcnt vmcnt(5)
	v_lshl_or_b32 v19, v42, 16, v20
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v13, v23, 24, v13
	s_waitcnt vmcnt(3)
	v_lshl_or_b32 v15, v31, 24, v17
	s_waitcnt vmcnt(2)
	v_lshl_or_b32 v16, v35, 24, v21
	s_waitcnt vmcnt(1)
	v_lshl_or_b32 v17, v39, 24, v18
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v18, v43, 24, v19
	s_delay_alu instid0(VALU_DEP_1)
	v_wmma_i32_16x16x16_iu8 v[1:8], v[15:18], v[11:14], v[1:8] neg_lo:[1,0,0]
	s_cbranch_scc1 .LBB2_2
	s_branch .LBB2_4
.LBB2_3:
	v_mov_b32_e32 v8, 0
	s_delay_alu instid0(VALU_DEP_1)
	v_mov_b32_e32 v7, v8
	v_mov_b32_e32 v6, v8
	v_mov_b32_e32 v5, v8
	v_mov_b32_e32 v4, v8
	v_mov_b32_e32 v3, v8
	v_mov_b32_e32 v2, v8
	v_mov_b32_e32 v1, v8
.LBB2_4:
	v_lshlrev_b32_e32 v0, 2, v0
	s_clause 0x7
	global_store_b32 v0, v1, s[0:1]
	global_store_b32 v0, v2, s[0:1] offset:128
	global_store_b32 v0, v3, s[0:1] offset:256
	global_store_b32 v0, v4, s[0:1] offset:384
	global_store_b32 v0, v5, s[0:1] offset:512
	global_store_b32 v0, v6, s[0:1] offset:640
	global_store_b32 v0, v7, s[0:1] offset:768
	global_store_b32 v0, v8, s[0:1] offset:896
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel wmma_i8
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 28
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
		.amdhsa_next_free_vgpr 44
		.amdhsa_next_free_sgpr 8
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
		.amdhsa_inst_pref_size 8
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
	.set wmma_i8.num_vgpr, 44
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
	s_waitcnt lgkmcnt(0)
	global_load_b32 v1, v0, s[0:1]
	s_mov_b32 s0, 0x76543210
	s_mov_b32 s1, 0xfedcba98
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v2, v1
	v_mov_b32_e32 v3, v1
	v_mov_b32_dpp v4, v1 row_xmask:5 row_mask:0xf bank_mask:0xf bound_ctrl:1
	v_mov_b32_dpp v5, v1 row_share:3 row_mask:0xf bank_mask:0xf bound_ctrl:1
	v_permlanex16_b32 v1, v1, 0x76543210, s1
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
		.amdhsa_next_free_vgpr 6
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
	s_clause 0x2
	s_load_b32 s2, s[0:1], 0x18
	s_load_b128 s[4:7], s[0:1], 0x0
	s_load_b64 s[0:1], s[0:1], 0x10
	v_and_b32_e32 v13, 15, v0
	s_waitcnt lgkmcnt(0)
	s_cmp_lt_i32 s2, 1
	s_cbranch_scc1 .LBB4_3
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_2) | instid1(VALU_DEP_2)
	v_dual_mov_b32 v10, 0 :: v_dual_mov_b32 v11, v13
	v_mul_lo_u32 v14, s2, v13
	s_mov_b32 s3, 0
	v_mov_b32_e32 v1, v10
	v_mov_b32_e32 v2, v10
	v_mov_b32_e32 v3, v10
	v_mov_b32_e32 v4, v10
	v_mov_b32_e32 v5, v10
	v_mov_b32_e32 v6, v10
	v_mov_b32_e32 v7, v10
	v_mov_b32_e32 v8, v10
.LBB4_2:
	v_dual_mov_b32 v12, v10 :: v_dual_add_nc_u32 v9, s3, v14
	v_mov_b32_e32 v17, v10
	v_mov_b32_e32 v19, v10
	v_mov_b32_e32 v23, v10
	s_delay_alu instid0(VALU_DEP_4)
	v_lshlrev_b64 v[15:16], 1, v[11:12]
	v_ashrrev_i32_e32 v12, 31, v11
	v_lshlrev_b64 v[30:31], 1, v[9:10]
	v_add_nc_u32_e32 v18, 4, v9
	v_dual_mov_b32 v21, v10 :: v_dual_add_nc_u32 v22, 8, v9
	v_add_nc_u32_e32 v20, 6, v9
	v_add_co_u32 v15, vcc_lo, s6, v15
	s_delay_alu instid0(VALU_DEP_1)
	v_add_co_ci_u32_e64 v16, null, s7, v16, vcc_lo
	v_lshlrev_b64 v[32:33], 1, v[11:12]
	v_lshlrev_b64 v[18:19], 1, v[18:19]
	v_lshlrev_b64 v[34:35], 1, v[22:23]
	global_load_d16_b16 v15, v[15:16], off
	v_add_nc_u32_e32 v16, 2, v9
	v_add_co_u32 v22, vcc_lo, s4, v30
	v_dual_mov_b32 v25, v10 :: v_dual_add_nc_u32 v24, 10, v9
	s_delay_alu instid0(VALU_DEP_3)
	v_lshlrev_b64 v[16:17], 1, v[16:17]
	v_lshlrev_b64 v[20:21], 1, v[20:21]
	v_add_co_ci_u32_e64 v23, null, s5, v31, vcc_lo
	v_add_co_u32 v31, vcc_lo, s6, v32
	v_dual_mov_b32 v27, v10 :: v_dual_add_nc_u32 v26, 12, v9
	v_add_co_ci_u32_e64 v32, null, s7, v33, vcc_lo
	v_add_co_u32 v16, vcc_lo, s4, v16
	v_dual_mov_b32 v29, v10 :: v_dual_add_nc_u32 v28, 14, v9
	v_lshlrev_b64 v[24:25], 1, v[24:25]
	v_add_co_ci_u32_e64 v17, null, s5, v17, vcc_lo
	v_add_co_u32 v18, vcc_lo, s4, v18
	v_lshlrev_b64 v[26:27], 1, v[26:27]
	v_add_co_ci_u32_e64 v19, null, s5, v19, vcc_lo
	v_add_co_u32 v20, vcc_lo, s4, v20
	v_lshlrev_b64 v[28:29], 1, v[28:29]
	v_add_co_ci_u32_e64 v21, null, s5, v21, vcc_lo
	v_add_co_u32 v33, vcc_lo, s4, v34
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_add_co_ci_u32_e64 v34, null, s5, v35, vcc_lo
	v_add_co_u32 v35, vcc_lo, s4, v24
	v_add_co_ci_u32_e64 v36, null, s5, v25, vcc_lo
	v_add_co_u32 v37, vcc_lo, s4, v26
	s_delay_alu instid0(VALU_DEP_1)
	v_add_co_ci_u32_e64 v38, null, s5, v27, vcc_lo
	v_add_co_u32 v39, vcc_lo, s4, v28
	global_load_d16_b16 v23, v[22:23], off
	v_add_co_ci_u32_e64 v40, null, s5, v29, vcc_lo
	v_dual_mov_b32 v42, v10 :: v_dual_add_nc_u32 v41, 9, v9
	v_dual_mov_b32 v44, v10 :: v_dual_add_nc_u32 v43, 11, v9
	v_dual_mov_b32 v46, v10 :: v_dual_add_nc_u32 v45, 13, v9
	s_delay_alu instid0(VALU_DEP_3) | instskip(SKIP_1) | instid1(VALU_DEP_4)
	v_lshlrev_b64 v[41:42], 1, v[41:42]
	v_add_nc_u32_e32 v11, 0x100, v11
	v_lshlrev_b64 v[43:44], 1, v[43:44]
	s_add_i32 s3, s3, 16
	v_lshlrev_b64 v[45:46], 1, v[45:46]
	s_cmp_lt_i32 s3, s2
	s_clause 0x6
	global_load_d16_b16 v24, v[16:17], off
	global_load_d16_b16 v25, v[18:19], off
	global_load_d16_b16 v26, v[20:21], off
	global_load_d16_b16 v27, v[33:34], off
	global_load_d16_b16 v28, v[35:36], off
	global_load_d16_b16 v29, v[37:38], off
	global_load_d16_b16 v30, v[39:40], off
	s_clause 0x7
	global_load_d16_b16 v16, v[31:32], off offset:64
	global_load_d16_b16 v17, v[31:32], off offset:128
	global_load_d16_b16 v18, v[31:32], off offset:192
	global_load_d16_b16 v19, v[31:32], off offset:256
	global_load_d16_b16 v20, v[31:32], off offset:320
	global_load_d16_b16 v21, v[31:32], off offset:384
	global_load_d16_b16 v22, v[31:32], off offset:448
	global_load_d16_hi_b16 v15, v[31:32], off offset:32
	v_dual_mov_b32 v34, v10 :: v_dual_add_nc_u32 v33, 1, v9
	v_dual_mov_b32 v36, v10 :: v_dual_add_nc_u32 v35, 3, v9
	v_dual_mov_b32 v38, v10 :: v_dual_add_nc_u32 v37, 5, v9
	s_delay_alu instid0(VALU_DEP_3) | instskip(SKIP_1) | instid1(VALU_DEP_4)
	v_lshlrev_b64 v[33:34], 1, v[33:34]
	v_dual_mov_b32 v40, v10 :: v_dual_add_nc_u32 v39, 7, v9
	v_lshlrev_b64 v[35:36], 1, v[35:36]
	s_delay_alu instid0(VALU_DEP_4)
	v_lshlrev_b64 v[37:38], 1, v[37:38]
	v_add_nc_u32_e32 v9, 15, v9
	v_add_co_u32 v33, vcc_lo, s4, v33
	v_lshlrev_b64 v[39:40], 1, v[39:40]
	v_add_co_ci_u32_e64 v34, null, s5, v34, vcc_lo
	v_add_co_u32 v35, vcc_lo, s4, v35
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_add_co_ci_u32_e64 v36, null, s5, v36, vcc_lo
	v_add_co_u32 v37, vcc_lo, s4, v37
	v_add_co_ci_u32_e64 v38, null, s5, v38, vcc_lo
	v_add_co_u32 v39, vcc_lo, s4, v39
	v_lshlrev_b64 v[47:48], 1, v[9:10]
	v_add_co_ci_u32_e64 v40, null, s5, v40, vcc_lo
	v_add_co_u32 v41, vcc_lo, s4, v41
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_add_co_ci_u32_e64 v42, null, s5, v42, vcc_lo
	v_add_co_u32 v43, vcc_lo, s4, v43
	v_add_co_ci_u32_e64 v44, null, s5, v44, vcc_lo
	v_add_co_u32 v45, vcc_lo, s4, v45
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_add_co_ci_u32_e64 v46, null, s5, v46, vcc_lo
	v_add_co_u32 v47, vcc_lo, s4, v47
	v_add_co_ci_u32_e64 v48, null, s5, v48, vcc_lo
	s_clause 0x7
	global_load_d16_hi_b16 v23, v[33:34], off
	global_load_d16_hi_b16 v24, v[35:36], off
	global_load_d16_hi_b16 v25, v[37:38], off
	global_load_d16_hi_b16 v26, v[39:40], off
	global_load_d16_hi_b16 v27, v[41:42], off
	global_load_d16_hi_b16 v28, v[43:44], off
	global_load_d16_hi_b16 v29, v[45:46], off
	global_load_d16_hi_b16 v30, v[47:48], off
	s_clause 0x6
	global_load_d16_hi_b16 v16, v[31:32], off offset:96
	global_load_d16_hi_b16 v17, v[31:32], off offset:160
	global_load_d16_hi_b16 v18, v[31:32], off offset:224
	global_load_d16_hi_b16 v19, v[31:32], off offset:288
	global_load_d16_hi_b16 v20, v[31:32], off offset:352
	global_load_d16_hi_b16 v21, v[31:32], off offset:416
	global_load_d16_hi_b16 v22, v[31:32], off offset:480
	s_waitcnt vmcnt(0)
	v_wmma_f16_16x16x16_f16 v[1:8], v[23:30], v[15:22], v[1:8] op_sel:[0,0,1]
	s_cbranch_scc1 .LBB4_2
	s_branch .LBB4_4
.LBB4_3:
	v_mov_b32_e32 v8, 0
	s_delay_alu instid0(VALU_DEP_1)
	v_mov_b32_e32 v7, v8
	v_mov_b32_e32 v6, v8
	v_mov_b32_e32 v5, v8
	v_mov_b32_e32 v4, v8
	v_mov_b32_e32 v3, v8
	v_mov_b32_e32 v2, v8
	v_mov_b32_e32 v1, v8
.LBB4_4:
	v_or_b32_e32 v9, 32, v0
	v_or_b32_e32 v10, 64, v0
	v_lshlrev_b32_e32 v11, 1, v0
	v_or_b32_e32 v12, 0x60, v0
	v_or_b32_e32 v14, 0x80, v0
	v_and_or_b32 v9, v9, 48, v13
	v_and_or_b32 v10, 0x50, v10, v13
	v_or_b32_e32 v15, 0xa0, v0
	v_or_b32_e32 v16, 0xc0, v0
	v_or_b32_e32 v0, 0xe0, v0
	v_lshlrev_b32_e32 v9, 1, v9
	v_lshlrev_b32_e32 v10, 1, v10
	global_store_d16_hi_b16 v11, v1, s[0:1]
	v_and_or_b32 v1, 0x70, v12, v13
	v_and_or_b32 v0, 0xf0, v0, v13
	s_clause 0x1
	global_store_d16_hi_b16 v9, v2, s[0:1]
	global_store_d16_hi_b16 v10, v3, s[0:1]
	v_and_or_b32 v2, 0x90, v14, v13
	v_and_or_b32 v3, 0xb0, v15, v13
	v_and_or_b32 v9, 0xd0, v16, v13
	v_lshlrev_b32_e32 v1, 1, v1
	v_lshlrev_b32_e32 v0, 1, v0
	v_lshlrev_b32_e32 v2, 1, v2
	v_lshlrev_b32_e32 v3, 1, v3
	v_lshlrev_b32_e32 v9, 1, v9
	s_clause 0x4
	global_store_d16_hi_b16 v1, v4, s[0:1]
	global_store_d16_hi_b16 v2, v5, s[0:1]
	global_store_d16_hi_b16 v3, v6, s[0:1]
	global_store_d16_hi_b16 v9, v7, s[0:1]
	global_store_d16_hi_b16 v0, v8, s[0:1]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel wmma_sums_f16
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 28
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
		.amdhsa_next_free_vgpr 49
		.amdhsa_next_free_sgpr 8
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
		.amdhsa_inst_pref_size 11
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
	.set wmma_sums_f16.num_vgpr, 49
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
    .vgpr_count:     46
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
    .vgpr_count:     46
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
    .vgpr_count:     44
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
    .vgpr_count:     49
    .vgpr_spill_count: 0
    .wavefront_size: 32
    .workgroup_processor_mode: 1
amdhsa.target:   amdgcn-amd-amdhsa--gfx1100
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
