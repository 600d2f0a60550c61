	.amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
	.amdhsa_code_object_version 6
	.text
	.protected	swizzles
	.globl	swizzles
	.p2align	8
	.type	swizzles,@function
swizzles:
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	v_lshlrev_b32_e32 v0, 2, v0
	s_waitcnt lgkmcnt(0)
	global_load_dword v1, v0, s[0:1]
	s_waitcnt vmcnt(0)
	ds_swizzle_b32 v2, v1 offset:swizzle(SWAP,16)
	ds_swizzle_b32 v3, v1 offset:swizzle(REVERSE,32)
	ds_swizzle_b32 v4, v1 offset:swizzle(BROADCAST,8,3)
	ds_swizzle_b32 v5, v1 offset:swizzle(QUAD_PERM,3,2,1,0)
	ds_swizzle_b32 v1, v1 offset:swizzle(BITMASK_PERM,"p0p10")
	s_waitcnt lgkmcnt(4)
	global_store_dword v0, v2, s[2:3]
	s_waitcnt lgkmcnt(3)
	global_store_dword v0, v3, s[2:3] offset:256
	s_waitcnt lgkmcnt(2)
	global_store_dword v0, v4, s[2:3] offset:512
	s_waitcnt lgkmcnt(1)
	global_store_dword v0, v5, s[2:3] offset:768
	s_waitcnt lgkmcnt(0)
	global_store_dword v0, v1, s[2:3] offset:1024
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel swizzles
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 16
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
		.amdhsa_next_free_vgpr 6
		.amdhsa_next_free_sgpr 6
		.amdhsa_accum_offset 8
		.amdhsa_reserve_vcc 0
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
	.size	swizzles, .Lfunc_end0-swizzles
	.set swizzles.num_vgpr, 6
	.set swizzles.num_agpr, 0
	.set swizzles.numbered_sgpr, 6
	.set swizzles.num_named_barrier, 0
	.set swizzles.private_seg_size, 0
	.set swizzles.uses_vcc, 0
	.set swizzles.uses_flat_scratch, 0
	.set swizzles.has_dyn_sized_stack, 0
	.set swizzles.has_recursion, 0
	.set swizzles.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	saturated
	.globl	saturated
	.p2align	8
	.type	saturated,@function
saturated:
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	s_load_dwordx2 s[6:7], s[4:5], 0x10
	v_lshlrev_b32_e32 v0, 2, v0
	s_waitcnt lgkmcnt(0)
	global_load_dword v1, v0, s[0:1]
	global_load_dword v2, v0, s[2:3]
	s_waitcnt vmcnt(0)
	v_add_u32_e64 v1, v1, v2 clamp
	global_store_dword v0, v1, s[6:7]
	global_load_dword v1, v0, s[0:1]
	s_nop 0
	global_load_dword v2, v0, s[2:3]
	s_waitcnt vmcnt(0)
	v_sub_u32_e64 v1, v1, v2 clamp
	global_store_dword v0, v1, s[6:7] offset:256
	global_load_dword v1, v0, s[0:1]
	s_nop 0
	global_load_dword v2, v0, s[2:3]
	s_waitcnt vmcnt(0)
	v_add_i32 v1, v1, v2 clamp
	global_store_dword v0, v1, s[6:7] offset:512
	global_load_dword v1, v0, s[0:1]
	s_nop 0
	global_load_dword v2, v0, s[2:3]
	s_waitcnt vmcnt(0)
	v_sub_i32 v1, v1, v2 clamp
	global_store_dword v0, v1, s[6:7] offset:768
	global_load_dword v1, v0, s[0:1]
	s_nop 0
	global_load_dword v2, v0, s[2:3]
	s_waitcnt vmcnt(0)
	v_add_u16_e64 v1, v1, v2 clamp
	global_store_dword v0, v1, s[6:7] offset:1024
	global_load_dword v1, v0, s[0:1]
	s_nop 0
	global_load_dword v2, v0, s[2:3]
	s_waitcnt vmcnt(0)
	v_sub_i16 v1, v1, v2 clamp
	v_and_b32_e32 v1, 0xffff, v1
	global_store_dword v0, v1, s[6:7] offset:1280
	global_load_dword v1, v0, s[0:1]
	s_nop 0
	global_load_dword v2, v0, s[2:3]
	s_waitcnt vmcnt(1)
	v_lshrrev_b32_e32 v3, 16, v1
	s_waitcnt vmcnt(0)
	v_min3_i16 v1, v1, v2, v3
	v_and_b32_e32 v1, 0xffff, v1
	global_store_dword v0, v1, s[6:7] offset:1536
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel saturated
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 24
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
		.amdhsa_next_free_vgpr 4
		.amdhsa_next_free_sgpr 8
		.amdhsa_accum_offset 4
		.amdhsa_reserve_vcc 0
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
	.size	saturated, .Lfunc_end1-saturated
	.set saturated.num_vgpr, 4
	.set saturated.num_agpr, 0
	.set saturated.numbered_sgpr, 8
	.set saturated.num_named_barrier, 0
	.set saturated.private_seg_size, 0
	.set saturated.uses_vcc, 0
	.set saturated.uses_flat_scratch, 0
	.set saturated.has_dyn_sized_stack, 0
	.set saturated.has_recursion, 0
	.set saturated.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	rounded
	.globl	rounded
	.p2align	8
	.type	rounded,@function
rounded:
	s_load_dwordx8 s[8:15], s[4:5], 0x0
	v_lshlrev_b32_e32 v1, 2, v0
	s_mov_b32 s0, 0x9999999a
	s_mov_b32 s1, 0x3fb99999
	v_cmp_eq_u32_e32 vcc, 0, v0
	s_waitcnt lgkmcnt(0)
	global_load_dword v2, v1, s[8:9]
	global_load_dword v3, v1, s[10:11]
	s_waitcnt vmcnt(0)
	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 5
	v_add_f32 v2, v2, v3
	s_nop 0
	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0
	global_store_dword v1, v2, s[12:13]
	global_load_dword v2, v1, s[8:9]
	s_nop 0
	global_load_dword v3, v1, s[10:11]
	s_waitcnt vmcnt(0)
	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 10
	v_mul_f32 v2, v2, v3
	s_nop 0
	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0
	global_store_dword v1, v2, s[12:13] offset:256
	global_load_dword v2, v1, s[8:9]
	s_nop 0
	global_load_dword v3, v1, s[10:11]
	s_waitcnt vmcnt(0)
	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 3
	v_mul_f32 v2, v2, v3
	s_nop 0
	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0
	global_store_dword v1, v2, s[12:13] offset:512
	global_load_dword v2, v1, s[8:9]
	s_nop 0
	global_load_dword v3, v1, s[10:11]
	s_waitcnt vmcnt(0)
	v_mul_f32_e32 v2, v2, v3
	global_store_dword v1, v2, s[12:13] offset:768
	global_load_dword v2, v1, s[8:9]
	s_nop 0
	global_load_dword v4, v1, s[10:11]
	v_lshlrev_b32_e32 v1, 3, v0
	s_waitcnt vmcnt(1)
	v_cvt_f64_f32_e32 v[2:3], v2
	v_mul_f64 v[2:3], v[2:3], s[0:1]
	s_waitcnt vmcnt(0)
	v_cvt_f64_f32_e32 v[4:5], v4
	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 12
	v_add_f64 v[2:3], v[2:3], v[4:5]
	s_nop 0
	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0
	global_store_dwordx2 v1, v[2:3], s[14:15]
	s_nop 0
	s_getreg_b32 s0, hwreg(HW_REG_MODE, 0, 8)
	s_and_saveexec_b64 s[2:3], vcc
	s_cbranch_execz .LBB2_2
	s_load_dwordx2 s[2:3], s[4:5], 0x20
	v_mov_b32_e32 v0, 0
	v_mov_b32_e32 v1, s0
	s_waitcnt lgkmcnt(0)
	global_store_dword v0, v1, s[2:3]
.LBB2_2:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel rounded
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 40
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
		.amdhsa_next_free_vgpr 6
		.amdhsa_next_free_sgpr 16
		.amdhsa_accum_offset 8
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
	.size	rounded, .Lfunc_end2-rounded
	.set rounded.num_vgpr, 6
	.set rounded.num_agpr, 0
	.set rounded.numbered_sgpr, 16
	.set rounded.num_named_barrier, 0
	.set rounded.private_seg_size, 0
	.set rounded.uses_vcc, 1
	.set rounded.uses_flat_scratch, 0
	.set rounded.has_dyn_sized_stack, 0
	.set rounded.has_recursion, 0
	.set rounded.has_indirect_call, 0
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
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 16
    .max_flat_workgroup_size: 64
    .name:           swizzles
    .private_segment_fixed_size: 0
    .sgpr_count:     10
    .sgpr_spill_count: 0
    .symbol:         swizzles.kd
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
      - .address_space:  global
        .offset:         16
        .size:           8
        .value_kind:     global_buffer
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .max_flat_workgroup_size: 64
    .name:           saturated
    .private_segment_fixed_size: 0
    .sgpr_count:     12
    .sgpr_spill_count: 0
    .symbol:         saturated.kd
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
      - .address_space:  global
        .offset:         16
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         24
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         32
        .size:           8
        .value_kind:     global_buffer
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 40
    .max_flat_workgroup_size: 64
    .name:           rounded
    .private_segment_fixed_size: 0
    .sgpr_count:     20
    .sgpr_spill_count: 0
    .symbol:         rounded.kd
    .uses_dynamic_stack: false
    .vgpr_count:     6
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx90a
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
