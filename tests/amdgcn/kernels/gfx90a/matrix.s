	.amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
	.amdhsa_code_object_version 6
	.text
	.protected	gemm_f16
	.globl	gemm_f16
	.p2align	8
	.type	gemm_f16,@function
gemm_f16:
	s_load_dword s8, s[4:5], 0x18
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	s_load_dwordx2 s[6:7], s[4:5], 0x10
	v_lshrrev_b32_e32 v1, 5, v0
	v_lshlrev_b32_e32 v18, 2, v1
	s_waitcnt lgkmcnt(0)
	s_cmp_gt_i32 s8, 0
	s_cbranch_scc1 .LBB0_2
	s_mov_b64 s[4:5], 0
	s_branch .LBB0_3
.LBB0_2:
	s_mov_b64 s[4:5], -1
.LBB0_3:
	v_and_b32_e32 v19, 31, v0
	s_andn2_b64 vcc, exec, s[4:5]
	v_mov_b32_e32 v17, 0
	s_cbranch_vccnz .LBB0_7
	v_mad_u64_u32 v[20:21], s[4:5], s8, v19, v[18:19]
	v_lshlrev_b32_e32 v21, 7, v1
	s_mov_b32 s4, 0
	v_mov_b32_e32 v0, 0
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v5, 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, 0
	v_mov_b32_e32 v8, 0
	v_mov_b32_e32 v9, 0
	v_mov_b32_e32 v10, 0
	v_mov_b32_e32 v11, 0
	v_mov_b32_e32 v12, 0
	v_mov_b32_e32 v13, 0
	v_mov_b32_e32 v14, 0
	v_mov_b32_e32 v15, 0
	v_mov_b32_e32 v22, s1
	v_mov_b32_e32 v23, s3
	s_mov_b32 s1, 0x5040100
.LBB0_5:
	v_add_u32_e32 v16, s4, v20
	v_lshlrev_b64 v[30:31], 1, v[16:17]
	v_add_u32_e32 v24, v19, v21
	v_mov_b32_e32 v25, v17
	v_add_co_u32_e32 v30, vcc, s0, v30
	v_lshlrev_b64 v[24:25], 1, v[24:25]
	v_addc_co_u32_e32 v31, vcc, v22, v31, vcc
	v_mov_b32_e32 v27, v17
	v_add_u32_e32 v26, 1, v16
	v_add_co_u32_e32 v24, vcc, s2, v24
	v_addc_co_u32_e32 v25, vcc, v23, v25, vcc
	v_lshlrev_b64 v[26:27], 1, v[26:27]
	v_mov_b32_e32 v29, v17
	v_add_u32_e32 v28, 2, v16
	v_add_u32_e32 v16, 3, v16
	v_add_co_u32_e32 v26, vcc, s0, v26
	v_lshlrev_b64 v[28:29], 1, v[28:29]
	v_lshlrev_b64 v[32:33], 1, v[16:17]
	global_load_ushort v16, v[30:31], off
	v_addc_co_u32_e32 v27, vcc, v22, v27, vcc
	v_add_co_u32_e32 v28, vcc, s0, v28
	v_addc_co_u32_e32 v29, vcc, v22, v29, vcc
	v_add_co_u32_e32 v30, vcc, s0, v32
	v_addc_co_u32_e32 v31, vcc, v22, v33, vcc
	global_load_ushort v32, v[28:29], off
	global_load_ushort v33, v[30:31], off
	global_load_ushort v34, v[26:27], off
	global_load_ushort v35, v[24:25], off
	global_load_ushort v36, v[24:25], off offset:128
	global_load_ushort v37, v[24:25], off offset:192
	global_load_ushort v38, v[24:25], off offset:64
	s_add_i32 s4, s4, 8
	s_cmp_lt_i32 s4, s8
	v_add_u32_e32 v21, 0x100, v21
	s_waitcnt vmcnt(5)
	v_perm_b32 v25, v33, v32, s1
	s_waitcnt vmcnt(4)
	v_perm_b32 v24, v34, v16, s1
	s_waitcnt vmcnt(1)
	v_perm_b32 v27, v37, v36, s1
	s_waitcnt vmcnt(0)
	v_perm_b32 v26, v38, v35, s1
	s_nop 1
	v_mfma_f32_32x32x8f16 v[0:15], v[24:25], v[26:27], v[0:15]
	s_cbranch_scc1 .LBB0_5
	s_nop 15
	s_nop 1
	v_mov_b32_e32 v17, v15
	s_branch .LBB0_8
.LBB0_7:
	v_mov_b32_e32 v14, 0
	v_mov_b32_e32 v13, 0
	v_mov_b32_e32 v12, 0
	v_mov_b32_e32 v11, 0
	v_mov_b32_e32 v10, 0
	v_mov_b32_e32 v9, 0
	v_mov_b32_e32 v8, 0
	v_mov_b32_e32 v7, 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v5, 0
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v0, 0
.LBB0_8:
	v_lshl_or_b32 v18, v18, 5, v19
	v_mov_b32_e32 v19, 0
	v_lshlrev_b64 v[20:21], 2, v[18:19]
	v_mov_b32_e32 v15, s7
	v_add_co_u32_e32 v20, vcc, s6, v20
	v_addc_co_u32_e32 v21, vcc, v15, v21, vcc
	global_store_dword v[20:21], v0, off
	global_store_dword v[20:21], v1, off offset:128
	global_store_dword v[20:21], v2, off offset:256
	global_store_dword v[20:21], v3, off offset:384
	v_add_u32_e32 v0, 0x100, v18
	v_mov_b32_e32 v1, v19
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	v_mov_b32_e32 v2, s7
	v_add_co_u32_e32 v0, vcc, s6, v0
	v_addc_co_u32_e32 v1, vcc, v2, v1, vcc
	global_store_dword v[0:1], v4, off
	global_store_dword v[0:1], v5, off offset:128
	global_store_dword v[0:1], v6, off offset:256
	global_store_dword v[0:1], v7, off offset:384
	v_add_u32_e32 v0, 0x200, v18
	v_mov_b32_e32 v1, v19
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	v_add_co_u32_e32 v0, vcc, s6, v0
	v_addc_co_u32_e32 v1, vcc, v2, v1, vcc
	v_add_u32_e32 v18, 0x300, v18
	global_store_dword v[0:1], v8, off
	global_store_dword v[0:1], v9, off offset:128
	global_store_dword v[0:1], v10, off offset:256
	global_store_dword v[0:1], v11, off offset:384
	v_lshlrev_b64 v[0:1], 2, v[18:19]
	v_add_co_u32_e32 v0, vcc, s6, v0
	v_addc_co_u32_e32 v1, vcc, v2, v1, vcc
	global_store_dword v[0:1], v12, off
	global_store_dword v[0:1], v13, off offset:128
	global_store_dword v[0:1], v14, off offset:256
	global_store_dword v[0:1], v17, off offset:384
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel gemm_f16
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 28
		.amdhsa_user_sgpr_count 6
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_flat_scratch_init 0
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_system_sgpr_private_segment_wavefront_offset 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 39
		.amdhsa_next_free_sgpr 9
		.amdhsa_accum_offset 40
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_flat_scratch 0
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
	.size	gemm_f16, .Lfunc_end0-gemm_f16
	.set gemm_f16.num_vgpr, 39
	.set gemm_f16.num_agpr, 0
	.set gemm_f16.numbered_sgpr, 9
	.set gemm_f16.num_named_barrier, 0
	.set gemm_f16.private_seg_size, 0
	.set gemm_f16.uses_vcc, 1
	.set gemm_f16.uses_flat_scratch, 0
	.set gemm_f16.has_dyn_sized_stack, 0
	.set gemm_f16.has_recursion, 0
	.set gemm_f16.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	gemm_bf16
	.globl	gemm_bf16
	.p2align	8
	.type	gemm_bf16,@function
gemm_bf16:
	s_load_dword s8, s[4:5], 0x18
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	s_load_dwordx2 s[6:7], s[4:5], 0x10
	v_and_b32_e32 v6, 15, v0
	v_lshrrev_b32_e32 v7, 4, v0
	s_waitcnt lgkmcnt(0)
	s_cmp_lt_i32 s8, 1
	v_mov_b32_e32 v5, 0
	s_cbranch_scc1 .LBB1_4
	v_mul_lo_u32 v0, s8, v6
	v_lshl_add_u32 v8, v7, 2, v0
	v_lshlrev_b32_e32 v9, 6, v7
	s_mov_b32 s4, 0
	v_mov_b32_e32 v0, 0
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v10, s1
	v_mov_b32_e32 v11, s3
	s_mov_b32 s1, 0x5040100
.LBB1_2:
	v_add_u32_e32 v4, s4, v8
	v_lshlrev_b64 v[18:19], 1, v[4:5]
	v_add_u32_e32 v12, v6, v9
	v_mov_b32_e32 v13, v5
	v_add_co_u32_e32 v18, vcc, s0, v18
	v_lshlrev_b64 v[12:13], 1, v[12:13]
	v_addc_co_u32_e32 v19, vcc, v10, v19, vcc
	v_mov_b32_e32 v15, v5
	v_add_u32_e32 v14, 1, v4
	v_add_co_u32_e32 v12, vcc, s2, v12
	v_addc_co_u32_e32 v13, vcc, v11, v13, vcc
	v_lshlrev_b64 v[14:15], 1, v[14:15]
	v_mov_b32_e32 v17, v5
	v_add_u32_e32 v16, 2, v4
	v_add_u32_e32 v4, 3, v4
	v_add_co_u32_e32 v14, vcc, s0, v14
	v_lshlrev_b64 v[16:17], 1, v[16:17]
	v_lshlrev_b64 v[20:21], 1, v[4:5]
	global_load_ushort v4, v[18:19], off
	v_addc_co_u32_e32 v15, vcc, v10, v15, vcc
	v_add_co_u32_e32 v16, vcc, s0, v16
	v_addc_co_u32_e32 v17, vcc, v10, v17, vcc
	v_add_co_u32_e32 v18, vcc, s0, v20
	v_addc_co_u32_e32 v19, vcc, v10, v21, vcc
	global_load_ushort v20, v[16:17], off
	global_load_ushort v21, v[18:19], off
	global_load_ushort v22, v[14:15], off
	global_load_ushort v23, v[12:13], off
	global_load_ushort v24, v[12:13], off offset:64
	global_load_ushort v25, v[12:13], off offset:96
	global_load_ushort v26, v[12:13], off offset:32
	s_add_i32 s4, s4, 16
	s_cmp_lt_i32 s4, s8
	v_add_u32_e32 v9, 0x100, v9
	s_waitcnt vmcnt(5)
	v_perm_b32 v13, v21, v20, s1
	s_waitcnt vmcnt(4)
	v_perm_b32 v12, v22, v4, s1
	s_waitcnt vmcnt(1)
	v_perm_b32 v15, v25, v24, s1
	s_waitcnt vmcnt(0)
	v_perm_b32 v14, v26, v23, s1
	s_nop 1
	v_mfma_f32_16x16x16bf16_1k v[0:3], v[12:13], v[14:15], v[0:3]
	s_cbranch_scc1 .LBB1_2
	s_nop 9
	v_mov_b32_e32 v5, v3
	s_branch .LBB1_5
.LBB1_4:
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v0, 0
.LBB1_5:
	v_lshlrev_b32_e32 v3, 2, v6
	v_lshl_or_b32 v3, v7, 8, v3
	global_store_dword v3, v0, s[6:7]
	global_store_dword v3, v1, s[6:7] offset:64
	global_store_dword v3, v2, s[6:7] offset:128
	global_store_dword v3, v5, s[6:7] offset:192
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel gemm_bf16
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 28
		.amdhsa_user_sgpr_count 6
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_flat_scratch_init 0
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_system_sgpr_private_segment_wavefront_offset 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 27
		.amdhsa_next_free_sgpr 9
		.amdhsa_accum_offset 28
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_flat_scratch 0
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
	.size	gemm_bf16, .Lfunc_end1-gemm_bf16
	.set gemm_bf16.num_vgpr, 27
	.set gemm_bf16.num_agpr, 0
	.set gemm_bf16.numbered_sgpr, 9
	.set gemm_bf16.num_named_barrier, 0
	.set gemm_bf16.private_seg_size, 0
	.set gemm_bf16.uses_vcc, 1
	.set gemm_bf16.uses_flat_scratch, 0
	.set gemm_bf16.has_dyn_sized_stack, 0
	.set gemm_bf16.has_recursion, 0
	.set gemm_bf16.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	gemm_f32
	.globl	gemm_f32
	.p2align	8
	.type	gemm_f32,@function
gemm_f32:
	s_load_dword s8, s[4:5], 0x18
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	s_load_dwordx2 s[6:7], s[4:5], 0x10
	v_and_b32_e32 v5, 15, v0
	v_lshrrev_b32_e32 v4, 4, v0
	s_waitcnt lgkmcnt(0)
	s_cmp_lt_i32 s8, 1
	v_mov_b32_e32 v7, 0
	s_cbranch_scc1 .LBB2_4
	v_mad_u64_u32 v[10:11], s[4:5], s8, v5, v[4:5]
	v_lshl_or_b32 v8, v4, 4, v5
	s_mov_b32 s4, 0
	v_mov_b32_e32 v0, 0
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v11, s1
	v_mov_b32_e32 v12, s3
.LBB2_2:
	v_add_u32_e32 v6, s4, v10
	v_lshlrev_b64 v[14:15], 2, v[6:7]
	v_add_co_u32_e32 v14, vcc, s0, v14
	v_addc_co_u32_e32 v15, vcc, v11, v15, vcc
	v_mov_b32_e32 v9, v7
	global_load_dword v6, v[14:15], off
	v_lshlrev_b64 v[16:17], 2, v[8:9]
	v_add_co_u32_e32 v14, vcc, s2, v16
	v_addc_co_u32_e32 v15, vcc, v12, v17, vcc
	global_load_dword v9, v[14:15], off
	s_add_i32 s4, s4, 4
	s_cmp_ge_i32 s4, s8
	v_add_u32_e32 v8, 64, v8
	s_waitcnt vmcnt(0)
	v_mfma_f32_16x16x4f32 v[0:3], v6, v9, v[0:3]
	s_cbranch_scc0 .LBB2_2
	s_nop 9
	v_mov_b32_e32 v7, v3
	s_branch .LBB2_5
.LBB2_4:
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v0, 0
.LBB2_5:
	v_lshlrev_b32_e32 v3, 2, v5
	v_lshl_or_b32 v3, v4, 8, v3
	global_store_dword v3, v0, s[6:7]
	global_store_dword v3, v1, s[6:7] offset:64
	global_store_dword v3, v2, s[6:7] offset:128
	global_store_dword v3, v7, s[6:7] offset:192
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel gemm_f32
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 28
		.amdhsa_user_sgpr_count 6
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_flat_scratch_init 0
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_system_sgpr_private_segment_wavefront_offset 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 18
		.amdhsa_next_free_sgpr 9
		.amdhsa_accum_offset 20
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_flat_scratch 0
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
	.size	gemm_f32, .Lfunc_end2-gemm_f32
	.set gemm_f32.num_vgpr, 18
	.set gemm_f32.num_agpr, 0
	.set gemm_f32.numbered_sgpr, 9
	.set gemm_f32.num_named_barrier, 0
	.set gemm_f32.private_seg_size, 0
	.set gemm_f32.uses_vcc, 1
	.set gemm_f32.uses_flat_scratch, 0
	.set gemm_f32.has_dyn_sized_stack, 0
	.set gemm_f32.has_recursion, 0
	.set gemm_f32.has_indirect_call, 0
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
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 28
    .max_flat_workgroup_size: 64
    .name:           gemm_f16
    .private_segment_fixed_size: 0
    .sgpr_count:     13
    .sgpr_spill_count: 0
    .symbol:         gemm_f16.kd
    .uses_dynamic_stack: false
    .vgpr_count:     39
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
    .name:           gemm_bf16
    .private_segment_fixed_size: 0
    .sgpr_count:     13
    .sgpr_spill_count: 0
    .symbol:         gemm_bf16.kd
    .uses_dynamic_stack: false
    .vgpr_count:     27
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
    .name:           gemm_f32
    .private_segment_fixed_size: 0
    .sgpr_count:     13
    .sgpr_spill_count: 0
    .symbol:         gemm_f32.kd
    .uses_dynamic_stack: false
    .vgpr_count:     18
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx90a
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
