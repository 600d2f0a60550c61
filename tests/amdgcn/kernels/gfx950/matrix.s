	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.amdhsa_code_object_version 6
	.text
	.protected	gemm_f16
	.globl	gemm_f16
	.p2align	8
	.type	gemm_f16,@function
gemm_f16:
	s_load_dword s8, s[0:1], 0x18
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_load_dwordx2 s[2:3], s[0:1], 0x10
	v_lshrrev_b32_e32 v1, 5, v0
	v_lshlrev_b32_e32 v16, 2, v1
	s_waitcnt lgkmcnt(0)
	s_cmp_gt_i32 s8, 0
	s_cbranch_scc1 .LBB0_2
	s_mov_b64 s[0:1], 0
	s_branch .LBB0_3
.LBB0_2:
	s_mov_b64 s[0:1], -1
.LBB0_3:
	v_and_b32_e32 v17, 31, v0
	s_andn2_b64 vcc, exec, s[0:1]
	v_mov_b32_e32 v19, 0
	s_cbranch_vccnz .LBB0_7
	v_mad_u64_u32 v[20:21], s[0:1], s8, v17, v[16:17]
	v_lshlrev_b32_e32 v21, 7, v1
	s_mov_b32 s0, 0
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
	s_mov_b32 s1, 0x5040100
.LBB0_5:
	v_add_u32_e32 v18, s0, v20
	v_lshl_add_u64 v[28:29], v[18:19], 1, s[4:5]
	global_load_ushort v30, v[28:29], off
	v_mov_b32_e32 v27, v19
	v_add_u32_e32 v26, 2, v18
	v_add_u32_e32 v22, v17, v21
	v_mov_b32_e32 v23, v19
	v_mov_b32_e32 v25, v19
	v_add_u32_e32 v24, 1, v18
	v_add_u32_e32 v18, 3, v18
	v_lshl_add_u64 v[26:27], v[26:27], 1, s[4:5]
	v_lshl_add_u64 v[22:23], v[22:23], 1, s[6:7]
	v_lshl_add_u64 v[24:25], v[24:25], 1, s[4:5]
	v_lshl_add_u64 v[28:29], v[18:19], 1, s[4:5]
	global_load_ushort v18, v[26:27], off
	global_load_ushort v31, v[28:29], off
	global_load_ushort v32, v[24:25], off
	global_load_ushort v33, v[22:23], off
	global_load_ushort v34, v[22:23], off offset:128
	global_load_ushort v35, v[22:23], off offset:192
	global_load_ushort v36, v[22:23], off offset:64
	s_add_i32 s0, s0, 8
	s_cmp_lt_i32 s0, s8
	v_add_u32_e32 v21, 0x100, v21
	s_waitcnt vmcnt(5)
	v_perm_b32 v23, v31, v18, s1
	s_waitcnt vmcnt(4)
	v_perm_b32 v22, v32, v30, s1
	s_waitcnt vmcnt(1)
	v_perm_b32 v25, v35, v34, s1
	s_waitcnt vmcnt(0)
	v_perm_b32 v24, v36, v33, s1
	s_nop 1
	v_mfma_f32_32x32x8_f16 v[0:15], v[22:23], v[24:25], v[0:15]
	s_cbranch_scc1 .LBB0_5
	s_nop 10
	v_mov_b32_e32 v19, v15
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
	v_lshl_or_b32 v16, v16, 5, v17
	v_mov_b32_e32 v17, 0
	v_lshl_add_u64 v[20:21], v[16:17], 2, s[2:3]
	global_store_dword v[20:21], v0, off
	global_store_dword v[20:21], v1, off offset:128
	global_store_dword v[20:21], v2, off offset:256
	global_store_dword v[20:21], v3, off offset:384
	v_add_u32_e32 v0, 0x100, v16
	v_mov_b32_e32 v1, v17
	v_lshl_add_u64 v[0:1], v[0:1], 2, s[2:3]
	global_store_dword v[0:1], v4, off
	global_store_dword v[0:1], v5, off offset:128
	global_store_dword v[0:1], v6, off offset:256
	global_store_dword v[0:1], v7, off offset:384
	v_add_u32_e32 v0, 0x200, v16
	v_mov_b32_e32 v1, v17
	v_lshl_add_u64 v[0:1], v[0:1], 2, s[2:3]
	v_add_u32_e32 v16, 0x300, v16
	global_store_dword v[0:1], v8, off
	global_store_dword v[0:1], v9, off offset:128
	global_store_dword v[0:1], v10, off offset:256
	global_store_dword v[0:1], v11, off offset:384
	v_lshl_add_u64 v[0:1], v[16:17], 2, s[2:3]
	global_store_dword v[0:1], v12, off
	global_store_dword v[0:1], v13, off offset:128
	global_store_dword v[0:1], v14, off offset:256
	global_store_dword v[0:1], v19, off offset:384
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel gemm_f16
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
		.amdhsa_next_free_vgpr 37
		.amdhsa_next_free_sgpr 9
		.amdhsa_accum_offset 40
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
	.size	gemm_f16, .Lfunc_end0-gemm_f16
	.set gemm_f16.num_vgpr, 37
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
	s_load_dword s8, s[0:1], 0x18
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_load_dwordx2 s[2:3], s[0:1], 0x10
	v_and_b32_e32 v6, 15, v0
	v_lshrrev_b32_e32 v7, 4, v0
	s_waitcnt lgkmcnt(0)
	s_cmp_lt_i32 s8, 1
	v_mov_b32_e32 v5, 0
	s_cbranch_scc1 .LBB1_4
	v_mul_lo_u32 v0, s8, v6
	v_lshl_add_u32 v8, v7, 2, v0
	v_lshlrev_b32_e32 v9, 6, v7
	s_mov_b32 s0, 0
	v_mov_b32_e32 v0, 0
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, 0
	s_mov_b32 s1, 0x5040100
.LBB1_2:
	v_add_u32_e32 v4, s0, v8
	v_lshl_add_u64 v[16:17], v[4:5], 1, s[4:5]
	global_load_ushort v18, v[16:17], off
	v_mov_b32_e32 v15, v5
	v_add_u32_e32 v14, 2, v4
	v_add_u32_e32 v10, v6, v9
	v_mov_b32_e32 v11, v5
	v_mov_b32_e32 v13, v5
	v_add_u32_e32 v12, 1, v4
	v_add_u32_e32 v4, 3, v4
	v_lshl_add_u64 v[14:15], v[14:15], 1, s[4:5]
	v_lshl_add_u64 v[10:11], v[10:11], 1, s[6:7]
	v_lshl_add_u64 v[12:13], v[12:13], 1, s[4:5]
	v_lshl_add_u64 v[16:17], v[4:5], 1, s[4:5]
	global_load_ushort v4, v[14:15], off
	global_load_ushort v19, v[16:17], off
	global_load_ushort v20, v[12:13], off
	global_load_ushort v21, v[10:11], off
	global_load_ushort v22, v[10:11], off offset:64
	global_load_ushort v23, v[10:11], off offset:96
	global_load_ushort v24, v[10:11], off offset:32
	s_add_i32 s0, s0, 16
	s_cmp_lt_i32 s0, s8
	v_add_u32_e32 v9, 0x100, v9
	s_waitcnt vmcnt(5)
	v_perm_b32 v11, v19, v4, s1
	s_waitcnt vmcnt(4)
	v_perm_b32 v10, v20, v18, s1
	s_waitcnt vmcnt(1)
	v_perm_b32 v13, v23, v22, s1
	s_waitcnt vmcnt(0)
	v_perm_b32 v12, v24, v21, s1
	s_nop 1
	v_mfma_f32_16x16x16_bf16 v[0:3], v[10:11], v[12:13], v[0:3]
	s_cbranch_scc1 .LBB1_2
	s_nop 6
	v_mov_b32_e32 v5, v3
	s_branch .LBB1_5
.LBB1_4:
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v0, 0
.LBB1_5:
	v_lshlrev_b32_e32 v3, 2, v6
	v_lshl_or_b32 v3, v7, 8, v3
	global_store_dword v3, v0, s[2:3]
	global_store_dword v3, v1, s[2:3] offset:64
	global_store_dword v3, v2, s[2:3] offset:128
	global_store_dword v3, v5, s[2:3] offset:192
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel gemm_bf16
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
		.amdhsa_next_free_vgpr 25
		.amdhsa_next_free_sgpr 9
		.amdhsa_accum_offset 28
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
	.size	gemm_bf16, .Lfunc_end1-gemm_bf16
	.set gemm_bf16.num_vgpr, 25
	.set gemm_bf16.num_agpr, 0
	.set gemm_bf16.numbered_sgpr, 9
	.set gemm_bf16.num_named_barrier, 0
	.set gemm_bf16.private_seg_size, 0
	.set gemm_bf16.uses_vcc, 0
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
	s_load_dword s8, s[0:1], 0x18
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_load_dwordx2 s[2:3], s[0:1], 0x10
	v_and_b32_e32 v5, 15, v0
	v_lshrrev_b32_e32 v4, 4, v0
	s_waitcnt lgkmcnt(0)
	s_cmp_lt_i32 s8, 1
	v_mov_b32_e32 v7, 0
	s_cbranch_scc1 .LBB2_4
	v_mad_u64_u32 v[10:11], s[0:1], s8, v5, v[4:5]
	v_lshl_or_b32 v8, v4, 4, v5
	s_mov_b32 s0, 0
	v_mov_b32_e32 v0, 0
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, 0
.LBB2_2:
	v_add_u32_e32 v6, s0, v10
	v_lshl_add_u64 v[12:13], v[6:7], 2, s[4:5]
	global_load_dword v6, v[12:13], off
	v_mov_b32_e32 v9, v7
	v_lshl_add_u64 v[12:13], v[8:9], 2, s[6:7]
	global_load_dword v9, v[12:13], off
	s_add_i32 s0, s0, 4
	s_cmp_ge_i32 s0, s8
	v_add_u32_e32 v8, 64, v8
	s_waitcnt vmcnt(0)
	v_mfma_f32_16x16x4_f32 v[0:3], v6, v9, v[0:3]
	s_cbranch_scc0 .LBB2_2
	s_nop 8
	v_mov_b32_e32 v7, v3
	s_branch .LBB2_5
.LBB2_4:
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v0, 0
.LBB2_5:
	v_lshlrev_b32_e32 v3, 2, v5
	v_lshl_or_b32 v3, v4, 8, v3
	global_store_dword v3, v0, s[2:3]
	global_store_dword v3, v1, s[2:3] offset:64
	global_store_dword v3, v2, s[2:3] offset:128
	global_store_dword v3, v7, s[2:3] offset:192
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel gemm_f32
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
		.amdhsa_next_free_vgpr 14
		.amdhsa_next_free_sgpr 9
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
.Lfunc_end2:
	.size	gemm_f32, .Lfunc_end2-gemm_f32
	.set gemm_f32.num_vgpr, 14
	.set gemm_f32.num_agpr, 0
	.set gemm_f32.numbered_sgpr, 9
	.set gemm_f32.num_named_barrier, 0
	.set gemm_f32.private_seg_size, 0
	.set gemm_f32.uses_vcc, 0
	.set gemm_f32.uses_flat_scratch, 0
	.set gemm_f32.has_dyn_sized_stack, 0
	.set gemm_f32.has_recursion, 0
	.set gemm_f32.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	gemm_i8
	.globl	gemm_i8
	.p2align	8
	.type	gemm_i8,@function
gemm_i8:
	s_load_dword s8, s[0:1], 0x18
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_load_dwordx2 s[2:3], s[0:1], 0x10
	v_and_b32_e32 v6, 15, v0
	v_lshrrev_b32_e32 v7, 4, v0
	s_waitcnt lgkmcnt(0)
	s_cmp_lt_i32 s8, 1
	v_mov_b32_e32 v3, 0
	s_cbranch_scc1 .LBB3_3
	v_mul_lo_u32 v2, s8, v6
	v_lshl_add_u64 v[0:1], s[4:5], 0, v[2:3]
	v_lshlrev_b32_e32 v2, 3, v7
	v_lshl_add_u64 v[4:5], v[0:1], 0, v[2:3]
	v_lshlrev_b32_e32 v8, 7, v7
	s_mov_b64 s[0:1], 0
	v_mov_b32_e32 v0, 0
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, 0
.LBB3_2:
	v_lshl_add_u64 v[10:11], v[4:5], 0, s[0:1]
	v_add_u32_e32 v9, v6, v8
	global_load_dwordx2 v[20:21], v[10:11], off
	global_load_ubyte v12, v9, s[6:7]
	global_load_ubyte v13, v9, s[6:7] offset:16
	global_load_ubyte v14, v9, s[6:7] offset:32
	global_load_ubyte v15, v9, s[6:7] offset:48
	global_load_ubyte v16, v9, s[6:7] offset:64
	global_load_ubyte v17, v9, s[6:7] offset:80
	global_load_ubyte v18, v9, s[6:7] offset:96
	global_load_ubyte v19, v9, s[6:7] offset:112
	s_add_u32 s0, s0, 32
	s_addc_u32 s1, s1, 0
	s_cmp_ge_i32 s0, s8
	v_add_u32_e32 v8, 0x200, v8
	s_waitcnt vmcnt(7)
	v_and_b32_e32 v9, 0xffff, v12
	s_waitcnt vmcnt(6)
	v_lshlrev_b32_e32 v10, 8, v13
	s_waitcnt vmcnt(5)
	v_lshlrev_b32_e32 v11, 16, v14
	s_waitcnt vmcnt(4)
	v_lshlrev_b32_e32 v12, 24, v15
	v_or_b32_e32 v9, v10, v9
	s_waitcnt vmcnt(2)
	v_lshlrev_b32_e32 v13, 8, v17
	v_or3_b32 v9, v9, v11, v12
	s_waitcnt vmcnt(1)
	v_lshlrev_b32_e32 v14, 16, v18
	s_waitcnt vmcnt(0)
	v_lshlrev_b32_e32 v15, 24, v19
	v_or3_b32 v10, v16, 0, v13
	v_or3_b32 v9, 0, v9, 0
	v_or3_b32 v11, v14, v10, v15
	v_or3_b32 v10, 0, v9, 0
	s_nop 1
	v_mfma_i32_16x16x32_i8 v[0:3], v[20:21], v[10:11], v[0:3]
	s_cbranch_scc0 .LBB3_2
	s_branch .LBB3_4
.LBB3_3:
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v0, 0
.LBB3_4:
	v_lshlrev_b32_e32 v4, 2, v6
	v_lshl_or_b32 v4, v7, 8, v4
	s_nop 3
	global_store_dword v4, v0, s[2:3]
	global_store_dword v4, v1, s[2:3] offset:64
	global_store_dword v4, v2, s[2:3] offset:128
	global_store_dword v4, v3, s[2:3] offset:192
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel gemm_i8
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
		.amdhsa_next_free_vgpr 22
		.amdhsa_next_free_sgpr 9
		.amdhsa_accum_offset 24
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
.Lfunc_end3:
	.size	gemm_i8, .Lfunc_end3-gemm_i8
	.set gemm_i8.num_vgpr, 22
	.set gemm_i8.num_agpr, 0
	.set gemm_i8.numbered_sgpr, 9
	.set gemm_i8.num_named_barrier, 0
	.set gemm_i8.private_seg_size, 0
	.set gemm_i8.uses_vcc, 0
	.set gemm_i8.uses_flat_scratch, 0
	.set gemm_i8.has_dyn_sized_stack, 0
	.set gemm_i8.has_recursion, 0
	.set gemm_i8.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	sparse_f16
	.globl	sparse_f16
	.p2align	8
	.type	sparse_f16,@function
sparse_f16:
	v_and_b32_e32 v1, 15, v0
	v_lshrrev_b32_e32 v0, 4, v0
	v_lshl_add_u32 v3, v0, 1, v1
	v_mul_lo_u16_e32 v4, 43, v3
	v_mov_b32_e32 v5, 6
	v_mul_lo_u16_sdwa v4, v4, v5 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1 src1_sel:DWORD
	v_sub_u16_e32 v4, v3, v4
	v_add_u16_e32 v3, 1, v3
	v_mul_lo_u16_e32 v10, 0xab, v3
	v_mov_b32_e32 v6, 5
	v_lshrrev_b16_e32 v10, 10, v10
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_load_dwordx2 s[2:3], s[0:1], 0x10
	v_mov_b32_e32 v5, 3
	v_cmp_lt_u16_sdwa s[0:1], v4, v6 src0_sel:BYTE_0 src1_sel:DWORD
	v_mul_lo_u16_e32 v10, 6, v10
	v_cmp_lt_u16_sdwa vcc, v4, v5 src0_sel:BYTE_0 src1_sel:DWORD
	v_cndmask_b32_e64 v7, 2, 1, s[0:1]
	v_cmp_eq_u16_sdwa s[0:1], v4, v5 src0_sel:BYTE_0 src1_sel:DWORD
	v_add_u16_e32 v4, 1, v4
	v_sub_u16_e32 v3, v3, v10
	v_lshlrev_b32_e32 v2, 5, v1
	v_cndmask_b32_e64 v9, 3, 2, s[0:1]
	v_and_b32_e32 v4, 0xff, v4
	v_cmp_lt_u16_sdwa s[0:1], v3, v6 src0_sel:BYTE_0 src1_sel:DWORD
	v_cndmask_b32_e64 v7, v7, 0, vcc
	v_lshl_or_b32 v2, v0, 3, v2
	v_cndmask_b32_e32 v4, v9, v4, vcc
	v_cndmask_b32_e64 v6, 2, 1, s[0:1]
	v_cmp_lt_u16_sdwa vcc, v3, v5 src0_sel:BYTE_0 src1_sel:DWORD
	v_cmp_eq_u16_sdwa s[0:1], v3, v5 src0_sel:BYTE_0 src1_sel:DWORD
	v_add_u16_e32 v3, 1, v3
	v_or_b32_e32 v8, v7, v2
	v_add_lshl_u32 v9, v4, v2, 1
	v_cndmask_b32_e64 v6, v6, 0, vcc
	v_or_b32_e32 v2, 4, v2
	v_cndmask_b32_e64 v5, 3, 2, s[0:1]
	v_and_b32_e32 v3, 0xff, v3
	v_lshlrev_b32_e32 v8, 1, v8
	v_or_b32_e32 v10, v6, v2
	v_cndmask_b32_e32 v3, v5, v3, vcc
	v_lshlrev_b32_e32 v10, 1, v10
	v_add_lshl_u32 v2, v3, v2, 1
	s_waitcnt lgkmcnt(0)
	global_load_ushort v5, v8, s[4:5]
	global_load_ushort v11, v9, s[4:5]
	global_load_ushort v12, v10, s[4:5]
	global_load_ushort v13, v2, s[4:5]
	v_lshlrev_b32_e32 v0, 8, v0
	v_lshl_or_b32 v2, v1, 1, v0
	global_load_ushort v8, v2, s[6:7] offset:64
	global_load_ushort v9, v2, s[6:7] offset:96
	global_load_ushort v10, v2, s[6:7] offset:128
	global_load_ushort v14, v2, s[6:7] offset:192
	global_load_ushort v15, v2, s[6:7] offset:224
	global_load_ushort v16, v2, s[6:7] offset:160
	global_load_ushort v17, v2, s[6:7]
	global_load_ushort v18, v2, s[6:7] offset:32
	s_mov_b32 s0, 0x5040100
	v_lshl_or_b32 v19, v1, 2, v0
	v_lshlrev_b32_e32 v0, 4, v6
	v_lshl_or_b32 v0, v4, 2, v0
	v_lshlrev_b32_e32 v1, 6, v3
	v_mov_b32_e32 v20, 0
	v_or3_b32 v0, v0, v1, v7
	v_mov_b32_e32 v21, v20
	v_mov_b32_e32 v22, v20
	v_mov_b32_e32 v23, v20
	v_lshlrev_b32_e32 v6, 8, v0
	s_waitcnt vmcnt(6)
	v_perm_b32 v1, v9, v8, s0
	v_perm_b32 v4, v11, v5, s0
	v_perm_b32 v5, v13, v12, s0
	s_waitcnt vmcnt(3)
	v_perm_b32 v3, v15, v14, s0
	s_waitcnt vmcnt(2)
	v_perm_b32 v2, v16, v10, s0
	s_waitcnt vmcnt(0)
	v_perm_b32 v0, v18, v17, s0
	s_nop 1
	v_smfmac_f32_16x16x32_f16 v[20:23], v[4:5], v[0:3], v6 abid:1
	s_nop 7
	global_store_dword v19, v20, s[2:3]
	global_store_dword v19, v21, s[2:3] offset:64
	global_store_dword v19, v22, s[2:3] offset:128
	global_store_dword v19, v23, s[2:3] offset:192
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
		.amdhsa_next_free_vgpr 24
		.amdhsa_next_free_sgpr 8
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
.Lfunc_end4:
	.size	sparse_f16, .Lfunc_end4-sparse_f16
	.set sparse_f16.num_vgpr, 24
	.set sparse_f16.num_agpr, 0
	.set sparse_f16.numbered_sgpr, 8
	.set sparse_f16.num_named_barrier, 0
	.set sparse_f16.private_seg_size, 0
	.set sparse_f16.uses_vcc, 1
	.set sparse_f16.uses_flat_scratch, 0
	.set sparse_f16.has_dyn_sized_stack, 0
	.set sparse_f16.has_recursion, 0
	.set sparse_f16.has_indirect_call, 0
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
    .sgpr_count:     15
    .sgpr_spill_count: 0
    .symbol:         gemm_f16.kd
    .uses_dynamic_stack: false
    .vgpr_count:     37
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
    .sgpr_count:     15
    .sgpr_spill_count: 0
    .symbol:         gemm_bf16.kd
    .uses_dynamic_stack: false
    .vgpr_count:     25
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
    .sgpr_count:     15
    .sgpr_spill_count: 0
    .symbol:         gemm_f32.kd
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
      - .offset:         24
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 28
    .max_flat_workgroup_size: 64
    .name:           gemm_i8
    .private_segment_fixed_size: 0
    .sgpr_count:     15
    .sgpr_spill_count: 0
    .symbol:         gemm_i8.kd
    .uses_dynamic_stack: false
    .vgpr_count:     22
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
    .name:           sparse_f16
    .private_segment_fixed_size: 0
    .sgpr_count:     14
    .sgpr_spill_count: 0
    .symbol:         sparse_f16.kd
    .uses_dynamic_stack: false
    .vgpr_count:     24
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx950
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
