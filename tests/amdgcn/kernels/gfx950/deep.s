	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.amdhsa_code_object_version 6
	.text
	.protected	scaled_16
	.globl	scaled_16
	.p2align	8
	.type	scaled_16,@function
scaled_16:
	s_load_dwordx8 s[4:11], s[0:1], 0x0
	v_lshlrev_b32_e32 v1, 5, v0
	s_waitcnt lgkmcnt(0)
	global_load_dwordx4 v[8:11], v1, s[4:5] offset:16
	global_load_dwordx4 v[4:7], v1, s[4:5]
	global_load_dwordx4 v[12:15], v1, s[6:7]
	v_lshlrev_b32_e32 v1, 2, v0
	global_load_dword v2, v1, s[8:9]
	global_load_dword v3, v1, s[8:9] offset:256
	v_lshlrev_b32_e32 v0, 4, v0
	s_waitcnt vmcnt(0)
	v_mfma_scale_f32_16x16x128_f8f6f4 v[2:5], v[4:11], v[12:15], 0, v2, v3 op_sel:[1,0,0] op_sel_hi:[0,1,0] blgp:4
	s_nop 11
	global_store_dwordx4 v0, v[2:5], s[10:11]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel scaled_16
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
		.amdhsa_next_free_vgpr 16
		.amdhsa_next_free_sgpr 12
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
.Lfunc_end0:
	.size	scaled_16, .Lfunc_end0-scaled_16
	.set scaled_16.num_vgpr, 16
	.set scaled_16.num_agpr, 0
	.set scaled_16.numbered_sgpr, 12
	.set scaled_16.num_named_barrier, 0
	.set scaled_16.private_seg_size, 0
	.set scaled_16.uses_vcc, 0
	.set scaled_16.uses_flat_scratch, 0
	.set scaled_16.has_dyn_sized_stack, 0
	.set scaled_16.has_recursion, 0
	.set scaled_16.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	scaled_32
	.globl	scaled_32
	.p2align	8
	.type	scaled_32,@function
scaled_32:
	s_load_dwordx8 s[4:11], s[0:1], 0x0
	v_lshlrev_b32_e32 v1, 5, v0
	v_lshlrev_b32_e32 v2, 2, v0
	v_lshlrev_b32_e32 v0, 6, v0
	s_waitcnt lgkmcnt(0)
	global_load_dwordx4 v[18:21], v1, s[4:5]
	global_load_dwordx2 v[22:23], v1, s[4:5] offset:16
	global_load_dwordx2 v[28:29], v1, s[6:7] offset:16
	global_load_dwordx4 v[24:27], v1, s[6:7]
	global_load_dword v3, v2, s[8:9]
	global_load_dword v4, v2, s[8:9] offset:256
	s_waitcnt vmcnt(0)
	v_mfma_scale_f32_32x32x64_f8f6f4 v[2:17], v[18:23], v[24:29], 0, v3, v4 op_sel:[0,1,0] op_sel_hi:[0,1,0] cbsz:3 blgp:2
	v_mfma_f32_32x32x64_f8f6f4 v[2:17], v[18:23], v[24:29], v[2:17] cbsz:3 blgp:2
	s_nop 11
	global_store_dwordx4 v0, v[10:13], s[10:11] offset:32
	global_store_dwordx4 v0, v[14:17], s[10:11] offset:48
	global_store_dwordx4 v0, v[2:5], s[10:11]
	global_store_dwordx4 v0, v[6:9], s[10:11] offset:16
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel scaled_32
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
		.amdhsa_next_free_vgpr 30
		.amdhsa_next_free_sgpr 12
		.amdhsa_accum_offset 32
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
	.size	scaled_32, .Lfunc_end1-scaled_32
	.set scaled_32.num_vgpr, 30
	.set scaled_32.num_agpr, 0
	.set scaled_32.numbered_sgpr, 12
	.set scaled_32.num_named_barrier, 0
	.set scaled_32.private_seg_size, 0
	.set scaled_32.uses_vcc, 0
	.set scaled_32.uses_flat_scratch, 0
	.set scaled_32.has_dyn_sized_stack, 0
	.set scaled_32.has_recursion, 0
	.set scaled_32.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	six_and_four
	.globl	six_and_four
	.p2align	8
	.type	six_and_four,@function
six_and_four:
	s_load_dwordx8 s[4:11], s[0:1], 0x0
	v_lshlrev_b32_e32 v1, 7, v0
	v_mov_b32_e32 v48, 0
	v_lshlrev_b32_e32 v18, 5, v0
	v_lshlrev_b32_e32 v0, 4, v0
	s_waitcnt lgkmcnt(0)
	global_load_dwordx4 v[14:17], v1, s[4:5] offset:112
	global_load_dwordx4 v[10:13], v1, s[4:5] offset:96
	global_load_dwordx4 v[6:9], v1, s[4:5] offset:80
	global_load_dwordx4 v[2:5], v1, s[4:5] offset:64
	global_load_dwordx4 v[36:39], v1, s[4:5] offset:16
	global_load_dwordx4 v[32:35], v1, s[4:5]
	global_load_dwordx4 v[44:47], v1, s[4:5] offset:48
	global_load_dwordx4 v[40:43], v1, s[4:5] offset:32
	s_waitcnt vmcnt(2)
	v_cvt_scalef32_pk_fp4_f32 v48, v32, v33, 2.0
	v_cvt_scalef32_pk_fp4_f32 v48, v34, v35, 2.0 op_sel:[0,0,1,1]
	s_waitcnt vmcnt(0)
	v_cvt_scalef32_2xpk16_fp6_f32 v[36:41], v[32:47], v[2:17], 4.0
	global_store_dwordx2 v18, v[40:41], s[8:9] offset:16
	global_store_dwordx4 v18, v[36:39], s[8:9]
	v_cvt_scalef32_pk32_f32_fp6 v[2:33], v[36:41], 4.0
	global_store_dwordx4 v1, v[30:33], s[6:7] offset:112
	global_store_dwordx4 v1, v[26:29], s[6:7] offset:96
	global_store_dwordx4 v1, v[22:25], s[6:7] offset:80
	global_store_dwordx4 v1, v[18:21], s[6:7] offset:64
	global_store_dwordx4 v1, v[14:17], s[6:7] offset:48
	global_store_dwordx4 v1, v[10:13], s[6:7] offset:32
	global_store_dwordx4 v1, v[6:9], s[6:7] offset:16
	global_store_dwordx4 v1, v[2:5], s[6:7]
	s_nop 1
	v_cvt_scalef32_pk_f32_fp4 v[2:3], v48, 2.0
	v_cvt_scalef32_pk_f32_fp4 v[4:5], v48, 2.0 op_sel:[1,1,0]
	global_store_dwordx4 v0, v[2:5], s[10:11]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel six_and_four
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
		.amdhsa_next_free_vgpr 49
		.amdhsa_next_free_sgpr 12
		.amdhsa_accum_offset 52
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
	.size	six_and_four, .Lfunc_end2-six_and_four
	.set six_and_four.num_vgpr, 49
	.set six_and_four.num_agpr, 0
	.set six_and_four.numbered_sgpr, 12
	.set six_and_four.num_named_barrier, 0
	.set six_and_four.private_seg_size, 0
	.set six_and_four.uses_vcc, 0
	.set six_and_four.uses_flat_scratch, 0
	.set six_and_four.has_dyn_sized_stack, 0
	.set six_and_four.has_recursion, 0
	.set six_and_four.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	exchanged
	.globl	exchanged
	.p2align	8
	.type	exchanged,@function
exchanged:
	s_load_dwordx4 s[0:3], s[0:1], 0x0
	v_lshlrev_b32_e32 v0, 2, v0
	s_waitcnt lgkmcnt(0)
	global_load_dword v1, v0, s[0:1]
	global_load_dword v2, v0, s[0:1] offset:256
	s_waitcnt vmcnt(1)
	v_mov_b32_e32 v3, v1
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v4, v2
	v_permlane32_swap_b32_e32 v1, v2
	s_nop 0
	v_permlane16_swap_b32_e32 v3, v4
	global_store_dword v0, v1, s[2:3] offset:512
	global_store_dword v0, v3, s[2:3]
	global_store_dword v0, v4, s[2:3] offset:256
	global_store_dword v0, v2, s[2:3] offset:768
	global_load_dword v1, v0, s[0:1]
	s_waitcnt vmcnt(0)
	v_prng_b32_e32 v1, v1
	global_store_dword v0, v1, s[2:3] offset:1024
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel exchanged
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
		.amdhsa_next_free_vgpr 5
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
.Lfunc_end3:
	.size	exchanged, .Lfunc_end3-exchanged
	.set exchanged.num_vgpr, 5
	.set exchanged.num_agpr, 0
	.set exchanged.numbered_sgpr, 4
	.set exchanged.num_named_barrier, 0
	.set exchanged.private_seg_size, 0
	.set exchanged.uses_vcc, 0
	.set exchanged.uses_flat_scratch, 0
	.set exchanged.has_dyn_sized_stack, 0
	.set exchanged.has_recursion, 0
	.set exchanged.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	past_registers
	.globl	past_registers
	.p2align	8
	.type	past_registers,@function
past_registers:
	s_load_dwordx4 s[0:3], s[0:1], 0x0
	v_lshlrev_b32_e32 v0, 4, v0
	s_mov_b32 m0, 0
	v_xor_b32_e32 v1, 16, v0
	v_xor_b32_e32 v2, 20, v0
	s_waitcnt lgkmcnt(0)
	global_load_lds_dwordx4 v0, s[0:1]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_xor_b32_e32 v3, 24, v0
	v_xor_b32_e32 v4, 28, v0
	ds_read_b32 v6, v1
	ds_read_b32 v7, v2
	ds_read_b32 v8, v3
	ds_read_b32 v9, v4
	s_waitcnt lgkmcnt(0)
	global_store_dwordx4 v0, v[6:9], s[2:3]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel past_registers
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
		.amdhsa_next_free_vgpr 10
		.amdhsa_next_free_sgpr 4
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
.Lfunc_end4:
	.size	past_registers, .Lfunc_end4-past_registers
	.set past_registers.num_vgpr, 10
	.set past_registers.num_agpr, 0
	.set past_registers.numbered_sgpr, 4
	.set past_registers.num_named_barrier, 0
	.set past_registers.private_seg_size, 0
	.set past_registers.uses_vcc, 0
	.set past_registers.uses_flat_scratch, 0
	.set past_registers.has_dyn_sized_stack, 0
	.set past_registers.has_recursion, 0
	.set past_registers.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	transposed
	.globl	transposed
	.p2align	8
	.type	transposed,@function
transposed:
	s_load_dwordx4 s[0:3], s[0:1], 0x0
	v_lshlrev_b32_e32 v0, 3, v0
	s_waitcnt lgkmcnt(0)
	global_load_dwordx2 v[2:3], v0, s[0:1]
	s_waitcnt vmcnt(0)
	ds_write_b64 v0, v[2:3]
	s_waitcnt lgkmcnt(0)
	ds_read_b64_tr_b16 v[2:3], v0
	s_waitcnt lgkmcnt(0)
	global_store_dwordx2 v0, v[2:3], s[2:3]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel transposed
		.amdhsa_group_segment_fixed_size 512
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
		.amdhsa_next_free_vgpr 4
		.amdhsa_next_free_sgpr 4
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
.Lfunc_end5:
	.size	transposed, .Lfunc_end5-transposed
	.set transposed.num_vgpr, 4
	.set transposed.num_agpr, 0
	.set transposed.numbered_sgpr, 4
	.set transposed.num_named_barrier, 0
	.set transposed.private_seg_size, 0
	.set transposed.uses_vcc, 0
	.set transposed.uses_flat_scratch, 0
	.set transposed.has_dyn_sized_stack, 0
	.set transposed.has_recursion, 0
	.set transposed.has_indirect_call, 0
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
      - .address_space:  global
        .offset:         24
        .size:           8
        .value_kind:     global_buffer
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 32
    .max_flat_workgroup_size: 64
    .name:           scaled_16
    .private_segment_fixed_size: 0
    .sgpr_count:     18
    .sgpr_spill_count: 0
    .symbol:         scaled_16.kd
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
    .name:           scaled_32
    .private_segment_fixed_size: 0
    .sgpr_count:     18
    .sgpr_spill_count: 0
    .symbol:         scaled_32.kd
    .uses_dynamic_stack: false
    .vgpr_count:     30
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
    .name:           six_and_four
    .private_segment_fixed_size: 0
    .sgpr_count:     18
    .sgpr_spill_count: 0
    .symbol:         six_and_four.kd
    .uses_dynamic_stack: false
    .vgpr_count:     49
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
    .name:           exchanged
    .private_segment_fixed_size: 0
    .sgpr_count:     10
    .sgpr_spill_count: 0
    .symbol:         exchanged.kd
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
    .max_flat_workgroup_size: 64
    .name:           past_registers
    .private_segment_fixed_size: 0
    .sgpr_count:     10
    .sgpr_spill_count: 0
    .symbol:         past_registers.kd
    .uses_dynamic_stack: false
    .vgpr_count:     10
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
    .group_segment_fixed_size: 512
    .kernarg_segment_align: 8
    .kernarg_segment_size: 16
    .max_flat_workgroup_size: 64
    .name:           transposed
    .private_segment_fixed_size: 0
    .sgpr_count:     10
    .sgpr_spill_count: 0
    .symbol:         transposed.kd
    .uses_dynamic_stack: false
    .vgpr_count:     4
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx950
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
