	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.amdhsa_code_object_version 6
	.text
	.protected	table
	.globl	table
	.p2align	8
	.type	table,@function
table:
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_load_dword s2, s[0:1], 0x10
	v_lshlrev_b32_e32 v1, 2, v0
	s_mov_b32 s0, 0
	v_mov_b32_e32 v2, 0
	s_waitcnt lgkmcnt(0)
	global_load_dword v5, v1, s[4:5]
	v_mov_b32_e32 v4, s0
	s_cmp_eq_u32 s2, 0
	s_waitcnt vmcnt(0)
	v_lshlrev_b32_e32 v6, 1, v5
	v_lshl_add_u32 v7, v5, 1, v5
	v_lshlrev_b32_e32 v8, 2, v5
	v_lshl_add_u32 v9, v5, 2, v5
	v_mul_lo_u32 v11, v5, 7
	v_mul_lo_u32 v10, v5, 6
	v_lshlrev_b32_e32 v12, 3, v5
	v_lshl_add_u32 v13, v5, 3, v5
	v_mul_lo_u32 v15, v5, 11
	v_mul_lo_u32 v14, v5, 10
	v_mul_lo_u32 v17, v5, 13
	v_mul_lo_u32 v16, v5, 12
	v_mul_lo_u32 v19, v5, 15
	v_mul_lo_u32 v18, v5, 14
	scratch_store_dwordx4 off, v[4:7], off
	scratch_store_dwordx4 off, v[8:11], off offset:16
	scratch_store_dwordx4 off, v[12:15], off offset:32
	scratch_store_dwordx4 off, v[16:19], off offset:48
	scratch_store_dwordx4 off, v[4:7], off offset:64
	scratch_store_dwordx4 off, v[8:11], off offset:80
	scratch_store_dwordx4 off, v[12:15], off offset:96
	scratch_store_dwordx4 off, v[16:19], off offset:112
	scratch_store_dwordx4 off, v[4:7], off offset:128
	scratch_store_dwordx4 off, v[8:11], off offset:144
	scratch_store_dwordx4 off, v[12:15], off offset:160
	scratch_store_dwordx4 off, v[16:19], off offset:176
	scratch_store_dwordx4 off, v[4:7], off offset:192
	scratch_store_dwordx4 off, v[8:11], off offset:208
	scratch_store_dwordx4 off, v[12:15], off offset:224
	scratch_store_dwordx4 off, v[16:19], off offset:240
	scratch_store_dwordx4 off, v[4:7], off offset:256
	scratch_store_dwordx4 off, v[8:11], off offset:272
	scratch_store_dwordx4 off, v[12:15], off offset:288
	scratch_store_dwordx4 off, v[16:19], off offset:304
	scratch_store_dwordx4 off, v[4:7], off offset:320
	scratch_store_dwordx4 off, v[8:11], off offset:336
	scratch_store_dwordx4 off, v[12:15], off offset:352
	scratch_store_dwordx4 off, v[16:19], off offset:368
	scratch_store_dwordx4 off, v[4:7], off offset:384
	scratch_store_dwordx4 off, v[8:11], off offset:400
	scratch_store_dwordx4 off, v[12:15], off offset:416
	scratch_store_dwordx4 off, v[16:19], off offset:432
	scratch_store_dwordx4 off, v[4:7], off offset:448
	scratch_store_dwordx4 off, v[8:11], off offset:464
	scratch_store_dwordx4 off, v[12:15], off offset:480
	scratch_store_dwordx4 off, v[16:19], off offset:496
	s_cbranch_scc1 .LBB0_3
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v1, v0
.LBB0_2:
	v_and_b32_e32 v3, 0x7f, v1
	v_lshlrev_b32_e32 v3, 2, v3
	scratch_load_dword v4, v3, off
	s_add_i32 s2, s2, -1
	v_add_u32_e32 v1, 5, v1
	s_cmp_eq_u32 s2, 0
	s_waitcnt vmcnt(0)
	v_mad_u64_u32 v[2:3], s[0:1], v2, 31, v[4:5]
	s_cbranch_scc0 .LBB0_2
.LBB0_3:
	v_lshlrev_b32_e32 v0, 2, v0
	global_store_dword v0, v2, s[6:7]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel table
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 516
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
		.amdhsa_enable_private_segment 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 20
		.amdhsa_next_free_sgpr 8
		.amdhsa_accum_offset 20
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
	.size	table, .Lfunc_end0-table
	.set table.num_vgpr, 20
	.set table.num_agpr, 0
	.set table.numbered_sgpr, 8
	.set table.num_named_barrier, 0
	.set table.private_seg_size, 516
	.set table.uses_vcc, 0
	.set table.uses_flat_scratch, 0
	.set table.has_dyn_sized_stack, 0
	.set table.has_recursion, 0
	.set table.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	either
	.globl	either
	.p2align	8
	.type	either,@function
either:
	s_load_dwordx4 s[0:3], s[0:1], 0x0
	s_mov_b64 s[4:5], src_shared_base
	v_mul_u32_u24_e32 v1, 0x3e8, v0
	v_lshlrev_b32_e32 v2, 2, v0
	v_and_b32_e32 v4, 1, v0
	v_mov_b32_e32 v3, 0
	ds_write_b32 v2, v1
	s_waitcnt lgkmcnt(0)
	v_lshl_add_u64 v[0:1], s[0:1], 0, v[2:3]
	v_xor_b32_e32 v3, 0xfc, v2
	v_mov_b32_e32 v5, s5
	v_cmp_eq_u32_e32 vcc, 0, v4
	s_nop 1
	v_cndmask_b32_e32 v1, v1, v5, vcc
	v_cndmask_b32_e32 v0, v0, v3, vcc
	flat_load_dword v3, v[0:1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	global_store_dword v2, v3, s[2:3]
	v_add_u32_e32 v3, 7, v3
	flat_store_dword v[0:1], v3
	global_load_dword v0, v2, s[2:3]
	s_waitcnt vmcnt(0)
	v_add_u32_e32 v0, v0, v3
	global_store_dword v2, v0, s[2:3]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel either
		.amdhsa_group_segment_fixed_size 256
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
		.amdhsa_next_free_sgpr 6
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
.Lfunc_end1:
	.size	either, .Lfunc_end1-either
	.set either.num_vgpr, 6
	.set either.num_agpr, 0
	.set either.numbered_sgpr, 6
	.set either.num_named_barrier, 0
	.set either.private_seg_size, 0
	.set either.uses_vcc, 1
	.set either.uses_flat_scratch, 0
	.set either.has_dyn_sized_stack, 0
	.set either.has_recursion, 0
	.set either.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	buffer
	.globl	buffer
	.p2align	8
	.type	buffer,@function
buffer:
	s_load_dword s2, s[0:1], 0x10
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_mov_b32 s3, 0x27000
	v_lshlrev_b32_e32 v0, 2, v0
	s_waitcnt lgkmcnt(0)
	s_lshl_b32 s2, s2, 2
	s_and_b32 s1, s5, 0xffff
	s_mov_b32 s0, s4
	buffer_load_dword v1, v0, s[0:3], 0 offen
	buffer_load_dword v2, v0, s[0:3], 16 offen
	s_and_b32 s1, s7, 0xffff
	s_mov_b32 s0, s6
	s_waitcnt vmcnt(0)
	v_add_u32_e32 v1, v2, v1
	buffer_store_dword v1, v0, s[0:3], 0 offen
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel buffer
		.amdhsa_group_segment_fixed_size 0
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
		.amdhsa_next_free_vgpr 3
		.amdhsa_next_free_sgpr 8
		.amdhsa_accum_offset 4
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
	.size	buffer, .Lfunc_end2-buffer
	.set buffer.num_vgpr, 3
	.set buffer.num_agpr, 0
	.set buffer.numbered_sgpr, 8
	.set buffer.num_named_barrier, 0
	.set buffer.private_seg_size, 0
	.set buffer.uses_vcc, 0
	.set buffer.uses_flat_scratch, 0
	.set buffer.has_dyn_sized_stack, 0
	.set buffer.has_recursion, 0
	.set buffer.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.p2align	2
	.type	step,@function
step:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v2, v1
	v_mov_b32_e32 v1, v0
	v_and_b32_e32 v0, 1, v1
	v_cmp_eq_u32_e32 vcc, 1, v0
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	s_cbranch_execnz .LBB3_3
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	s_cbranch_execnz .LBB3_4
.LBB3_2:
	s_or_b64 exec, exec, s[0:1]
	s_setpc_b64 s[30:31]
.LBB3_3:
	v_mad_u64_u32 v[0:1], s[2:3], v1, 3, v[2:3]
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	s_cbranch_execz .LBB3_2
.LBB3_4:
	v_lshrrev_b32_e32 v0, 1, v1
	s_or_b64 exec, exec, s[0:1]
	s_setpc_b64 s[30:31]
.Lfunc_end3:
	.size	step, .Lfunc_end3-step
	.set .Lstep.num_vgpr, 4
	.set .Lstep.num_agpr, 0
	.set .Lstep.numbered_sgpr, 32
	.set .Lstep.num_named_barrier, 0
	.set .Lstep.private_seg_size, 0
	.set .Lstep.uses_vcc, 1
	.set .Lstep.uses_flat_scratch, 0
	.set .Lstep.has_dyn_sized_stack, 0
	.set .Lstep.has_recursion, 0
	.set .Lstep.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.p2align	2
	.type	chain,@function
chain:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_mov_b32 s9, s33
	s_mov_b32 s33, s32
	s_xor_saveexec_b64 s[0:1], -1
	scratch_store_dword off, v5, s33
	s_mov_b64 exec, s[0:1]
	v_mov_b32_e32 v3, v1
	v_writelane_b32 v5, s30, 0
	v_mov_b32_e32 v4, 0
	v_cmp_ne_u32_e32 vcc, 0, v3
	v_mov_b32_e32 v1, 0
	s_add_i32 s32, s32, 16
	v_writelane_b32 v5, s31, 1
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB4_4
	s_mov_b32 s8, 0
	s_mov_b64 s[6:7], 0
.LBB4_2:
	s_getpc_b64 s[0:1]
	s_add_u32 s0, s0, step@rel32@lo+4
	s_addc_u32 s1, s1, step@rel32@hi+12
	v_mov_b32_e32 v1, s8
	s_swappc_b64 s[30:31], s[0:1]
	s_add_i32 s8, s8, 1
	v_cmp_eq_u32_e32 vcc, s8, v3
	s_or_b64 s[6:7], vcc, s[6:7]
	v_add_u32_e32 v4, v0, v4
	s_andn2_b64 exec, exec, s[6:7]
	s_cbranch_execnz .LBB4_2
	s_or_b64 exec, exec, s[6:7]
	v_mov_b32_e32 v1, v4
.LBB4_4:
	s_or_b64 exec, exec, s[4:5]
	v_mov_b32_e32 v0, v1
	v_readlane_b32 s31, v5, 1
	v_readlane_b32 s30, v5, 0
	s_mov_b32 s32, s33
	s_xor_saveexec_b64 s[0:1], -1
	scratch_load_dword v5, off, s33
	s_mov_b64 exec, s[0:1]
	s_mov_b32 s33, s9
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end4:
	.size	chain, .Lfunc_end4-chain
	.set .Lchain.num_vgpr, max(6, .Lstep.num_vgpr)
	.set .Lchain.num_agpr, max(0, .Lstep.num_agpr)
	.set .Lchain.numbered_sgpr, max(34, .Lstep.numbered_sgpr)
	.set .Lchain.num_named_barrier, max(0, .Lstep.num_named_barrier)
	.set .Lchain.private_seg_size, 16+max(.Lstep.private_seg_size)
	.set .Lchain.uses_vcc, or(1, .Lstep.uses_vcc)
	.set .Lchain.uses_flat_scratch, or(0, .Lstep.uses_flat_scratch)
	.set .Lchain.has_dyn_sized_stack, or(0, .Lstep.has_dyn_sized_stack)
	.set .Lchain.has_recursion, or(0, .Lstep.has_recursion)
	.set .Lchain.has_indirect_call, or(0, .Lstep.has_indirect_call)
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	calls
	.globl	calls
	.p2align	8
	.type	calls,@function
calls:
	s_load_dwordx4 s[12:15], s[0:1], 0x0
	s_load_dword s2, s[0:1], 0x10
	v_lshlrev_b32_e32 v6, 2, v0
	s_getpc_b64 s[0:1]
	s_add_u32 s0, s0, chain@rel32@lo+4
	s_addc_u32 s1, s1, chain@rel32@hi+12
	s_mov_b32 s32, 0
	s_waitcnt lgkmcnt(0)
	global_load_dword v0, v6, s[12:13]
	v_mov_b32_e32 v1, s2
	s_swappc_b64 s[30:31], s[0:1]
	global_store_dword v6, v0, s[14:15]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel calls
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 16
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
		.amdhsa_enable_private_segment 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 7
		.amdhsa_next_free_sgpr 34
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
	.size	calls, .Lfunc_end5-calls
	.set calls.num_vgpr, max(7, .Lchain.num_vgpr)
	.set calls.num_agpr, max(0, .Lchain.num_agpr)
	.set calls.numbered_sgpr, max(33, .Lchain.numbered_sgpr)
	.set calls.num_named_barrier, max(0, .Lchain.num_named_barrier)
	.set calls.private_seg_size, 0+max(.Lchain.private_seg_size)
	.set calls.uses_vcc, or(1, .Lchain.uses_vcc)
	.set calls.uses_flat_scratch, or(0, .Lchain.uses_flat_scratch)
	.set calls.has_dyn_sized_stack, or(0, .Lchain.has_dyn_sized_stack)
	.set calls.has_recursion, or(0, .Lchain.has_recursion)
	.set calls.has_indirect_call, or(0, .Lchain.has_indirect_call)
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	swaps
	.globl	swaps
	.p2align	8
	.type	swaps,@function
swaps:
	s_load_dwordx8 s[4:11], s[0:1], 0x0
	v_mov_b32_e32 v3, 0
	v_lshl_or_b32 v2, s2, 6, v0
	s_mov_b64 s[0:1], 0
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v4, s10
	v_mov_b32_e32 v5, s11
	v_lshl_add_u64 v[4:5], v[2:3], 2, v[4:5]
	global_load_dword v0, v[4:5], off
	global_load_dword v1, v3, s[4:5] sc0 sc1
	s_branch .LBB6_2
.LBB6_1:
	s_or_b64 exec, exec, s[10:11]
	s_and_b64 s[10:11], exec, s[2:3]
	s_or_b64 s[0:1], s[10:11], s[0:1]
	s_andn2_b64 exec, exec, s[0:1]
	s_cbranch_execz .LBB6_4
.LBB6_2:
	s_waitcnt vmcnt(0)
	v_cmp_lt_u32_e32 vcc, v1, v0
	s_or_b64 s[2:3], s[2:3], exec
	s_and_saveexec_b64 s[10:11], vcc
	s_cbranch_execz .LBB6_1
	global_atomic_cmpswap v2, v3, v[0:1], s[4:5] sc0 sc1
	s_andn2_b64 s[2:3], s[2:3], exec
	s_waitcnt vmcnt(0)
	v_cmp_eq_u32_e32 vcc, v2, v1
	s_and_b64 s[12:13], vcc, exec
	s_or_b64 s[2:3], s[2:3], s[12:13]
	v_mov_b32_e32 v1, v2
	s_branch .LBB6_1
.LBB6_4:
	s_or_b64 exec, exec, s[0:1]
	v_mov_b32_e32 v2, 0
	s_mov_b64 s[0:1], exec
	v_cvt_f64_u32_e32 v[4:5], v0
	v_bfrev_b32_e32 v3, 1
.LBB6_5:
	s_ff1_i32_b64 s4, s[0:1]
	v_readlane_b32 s3, v5, s4
	v_readlane_b32 s2, v4, s4
	s_lshl_b64 s[4:5], 1, s4
	s_andn2_b64 s[0:1], s[0:1], s[4:5]
	v_add_f64 v[2:3], v[2:3], s[2:3]
	s_cbranch_scc1 .LBB6_5
	v_mbcnt_lo_u32_b32 v1, exec_lo, 0
	v_mbcnt_hi_u32_b32 v1, exec_hi, v1
	v_cmp_eq_u32_e32 vcc, 0, v1
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	s_cbranch_execz .LBB6_8
	v_mov_b32_e32 v1, 0
	global_atomic_add_f64 v1, v[2:3], s[6:7]
.LBB6_8:
	s_or_b64 exec, exec, s[0:1]
	v_and_b32_e32 v0, 7, v0
	s_mov_b64 s[0:1], exec
	v_cvt_f32_ubyte0_e32 v1, v0
	v_bfrev_b32_e32 v0, 1
.LBB6_9:
	s_ff1_i32_b64 s2, s[0:1]
	v_readlane_b32 s4, v1, s2
	s_lshl_b64 s[2:3], 1, s2
	s_andn2_b64 s[0:1], s[0:1], s[2:3]
	v_add_f32_e32 v0, s4, v0
	s_cbranch_scc1 .LBB6_9
	v_mbcnt_lo_u32_b32 v1, exec_lo, 0
	v_mbcnt_hi_u32_b32 v1, exec_hi, v1
	v_cmp_eq_u32_e32 vcc, 0, v1
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	s_cbranch_execz .LBB6_12
	v_mov_b32_e32 v1, 0
	global_atomic_add_f32 v1, v0, s[8:9]
.LBB6_12:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel swaps
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
.Lfunc_end6:
	.size	swaps, .Lfunc_end6-swaps
	.set swaps.num_vgpr, 6
	.set swaps.num_agpr, 0
	.set swaps.numbered_sgpr, 14
	.set swaps.num_named_barrier, 0
	.set swaps.private_seg_size, 0
	.set swaps.uses_vcc, 1
	.set swaps.uses_flat_scratch, 0
	.set swaps.has_dyn_sized_stack, 0
	.set swaps.has_recursion, 0
	.set swaps.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	places
	.globl	places
	.p2align	8
	.type	places,@function
places:
	s_load_dwordx2 s[0:1], s[0:1], 0x0
	s_lshl1_add_u32 s2, s3, s2
	v_bfe_u32 v1, v0, 10, 10
	s_lshl2_add_u32 s2, s4, s2
	v_lshlrev_b32_e32 v2, 8, v1
	v_bfe_u32 v3, v0, 20, 10
	s_lshl_b32 s3, s2, 24
	v_lshl_or_b32 v2, v3, 16, v2
	v_and_b32_e32 v0, 0x3ff, v0
	v_or3_b32 v2, v2, s3, v0
	s_lshl_b32 s2, s2, 6
	v_lshlrev_b32_e32 v3, 4, v3
	v_lshl_add_u32 v0, v1, 2, v0
	v_add3_u32 v0, v0, v3, s2
	v_mov_b32_e32 v1, 0
	s_waitcnt lgkmcnt(0)
	v_lshl_add_u64 v[0:1], v[0:1], 2, s[0:1]
	global_store_dword v[0:1], v2, off
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel places
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 8
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
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 1
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 2
		.amdhsa_next_free_vgpr 4
		.amdhsa_next_free_sgpr 5
		.amdhsa_accum_offset 4
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
.Lfunc_end7:
	.size	places, .Lfunc_end7-places
	.set places.num_vgpr, 4
	.set places.num_agpr, 0
	.set places.numbered_sgpr, 5
	.set places.num_named_barrier, 0
	.set places.private_seg_size, 0
	.set places.uses_vcc, 0
	.set places.uses_flat_scratch, 0
	.set places.has_dyn_sized_stack, 0
	.set places.has_recursion, 0
	.set places.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	parts
	.globl	parts
	.p2align	8
	.type	parts,@function
parts:
	s_load_dwordx4 s[0:3], s[0:1], 0x0
	v_lshlrev_b32_e32 v0, 2, v0
	s_waitcnt lgkmcnt(0)
	global_load_dword v1, v0, s[0:1]
	s_waitcnt vmcnt(0)
	v_and_b32_e32 v2, 0xff, v1
	v_bfe_u32 v3, v1, 8, 8
	v_bfe_u32 v4, v1, 16, 8
	v_add_u32_sdwa v6, v1, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:DWORD
	v_mul_i32_i24_sdwa v5, sext(v1), sext(v1) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:WORD_1
	v_mad_u32_u24 v2, v3, v4, v2
	v_and_b32_e32 v3, 0xffff, v6
	v_add3_u32 v3, v2, v5, v3
	v_add_u32_sdwa v1, v2, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:BYTE_3
	global_store_dword v0, v3, s[2:3]
	global_store_dword v0, v1, s[2:3] offset:256
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel parts
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
		.amdhsa_next_free_vgpr 7
		.amdhsa_next_free_sgpr 4
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
.Lfunc_end8:
	.size	parts, .Lfunc_end8-parts
	.set parts.num_vgpr, 7
	.set parts.num_agpr, 0
	.set parts.numbered_sgpr, 4
	.set parts.num_named_barrier, 0
	.set parts.private_seg_size, 0
	.set parts.uses_vcc, 0
	.set parts.uses_flat_scratch, 0
	.set parts.has_dyn_sized_stack, 0
	.set parts.has_recursion, 0
	.set parts.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	mixed
	.globl	mixed
	.p2align	8
	.type	mixed,@function
mixed:
	s_load_dwordx4 s[0:3], s[0:1], 0x0
	v_lshlrev_b32_e32 v1, 2, v0
	v_lshlrev_b32_e32 v5, 3, v0
	v_mov_b32_e32 v3, 0x40400000
	v_mov_b32_e32 v0, 0.5
	s_waitcnt lgkmcnt(0)
	global_load_dword v1, v1, s[0:1]
	s_waitcnt vmcnt(0)
	v_cvt_f32_f16_e32 v2, v1
	v_cvt_f32_f16_sdwa v4, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_mov_b32_e32 v1, v2
	v_pk_fma_f32 v[0:1], v[4:5], v[2:3], v[0:1] op_sel_hi:[0,1,1]
	global_store_dwordx2 v5, v[0:1], s[2:3]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel mixed
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
		.amdhsa_next_free_vgpr 6
		.amdhsa_next_free_sgpr 4
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
.Lfunc_end9:
	.size	mixed, .Lfunc_end9-mixed
	.set mixed.num_vgpr, 6
	.set mixed.num_agpr, 0
	.set mixed.numbered_sgpr, 4
	.set mixed.num_named_barrier, 0
	.set mixed.private_seg_size, 0
	.set mixed.uses_vcc, 0
	.set mixed.uses_flat_scratch, 0
	.set mixed.has_dyn_sized_stack, 0
	.set mixed.has_recursion, 0
	.set mixed.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.p2alignl 6, 3212836864
	.fill 256, 4, 3212836864
	.section	.AMDGPU.gpr_maximums,"",@progbits
	.set amdgpu.max_num_vgpr, 6
	.set amdgpu.max_num_agpr, 0
	.set amdgpu.max_num_sgpr, 34
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
      - .offset:         16
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 20
    .max_flat_workgroup_size: 64
    .name:           table
    .private_segment_fixed_size: 516
    .sgpr_count:     14
    .sgpr_spill_count: 0
    .symbol:         table.kd
    .uses_dynamic_stack: false
    .vgpr_count:     20
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
    .group_segment_fixed_size: 256
    .kernarg_segment_align: 8
    .kernarg_segment_size: 16
    .max_flat_workgroup_size: 64
    .name:           either
    .private_segment_fixed_size: 0
    .sgpr_count:     12
    .sgpr_spill_count: 0
    .symbol:         either.kd
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
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 20
    .max_flat_workgroup_size: 64
    .name:           buffer
    .private_segment_fixed_size: 0
    .sgpr_count:     14
    .sgpr_spill_count: 0
    .symbol:         buffer.kd
    .uses_dynamic_stack: false
    .vgpr_count:     3
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
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 20
    .max_flat_workgroup_size: 64
    .name:           calls
    .private_segment_fixed_size: 16
    .sgpr_count:     40
    .sgpr_spill_count: 0
    .symbol:         calls.kd
    .uses_dynamic_stack: false
    .vgpr_count:     7
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
    .name:           swaps
    .private_segment_fixed_size: 0
    .sgpr_count:     20
    .sgpr_spill_count: 0
    .symbol:         swaps.kd
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
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 8
    .max_flat_workgroup_size: 64
    .name:           places
    .private_segment_fixed_size: 0
    .sgpr_count:     11
    .sgpr_spill_count: 0
    .symbol:         places.kd
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
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 16
    .max_flat_workgroup_size: 64
    .name:           parts
    .private_segment_fixed_size: 0
    .sgpr_count:     10
    .sgpr_spill_count: 0
    .symbol:         parts.kd
    .uses_dynamic_stack: false
    .vgpr_count:     7
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
    .name:           mixed
    .private_segment_fixed_size: 0
    .sgpr_count:     10
    .sgpr_spill_count: 0
    .symbol:         mixed.kd
    .uses_dynamic_stack: false
    .vgpr_count:     6
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx950
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
