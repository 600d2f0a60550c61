// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by programs.py.
cuda_tile.module @kernels {
  entry @rms_norm(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<ptr<f32>>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>) {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<4>, %arg3 : tile<i32>
    %assume_1 = assume div_by<16>, %arg5 : tile<ptr<f32>>
    %assume_2 = assume div_by<16>, %arg8 : tile<ptr<f32>>
    %assume_3 = assume div_by<4>, %arg11 : tile<i32>
    %cst_1_i64 = constant <i64: 1> : tile<1024xi64>
    %cst_1_i64_4 = constant <i64: 1> : tile<1024xi64>
    %cst_1_i64_5 = constant <i64: 1> : tile<1024xi64>
    %assume_6 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_7 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_8 = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_9 = assume bounded<0, ?>, %arg6 : tile<i32>
    %assume_10 = assume bounded<0, ?>, %arg9 : tile<i32>
    %assume_11 = assume bounded<0, ?>, %arg10 : tile<i32>
    %assume_12 = assume bounded<0, ?>, %assume_3 : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %1 = iota : tile<1024xi32>
    %2 = exti %blockId_x signed : tile<i32> -> tile<i64>
    %reshape = reshape %2 : tile<i64> -> tile<1xi64>
    %bcast = broadcast %reshape : tile<1xi64> -> tile<1024xi64>
    %3 = exti %assume_6 signed : tile<i32> -> tile<i64>
    %reshape_13 = reshape %3 : tile<i64> -> tile<1xi64>
    %bcast_14 = broadcast %reshape_13 : tile<1xi64> -> tile<1024xi64>
    %4 = cmpi less_than %bcast, %bcast_14, unsigned : tile<1024xi64> -> tile<1024xi1>
    %5 = exti %assume_8 signed : tile<i32> -> tile<i64>
    %reshape_15 = reshape %5 : tile<i64> -> tile<1xi64>
    %bcast_16 = broadcast %reshape_15 : tile<1xi64> -> tile<1024xi64>
    %6 = muli %bcast, %bcast_16 : tile<1024xi64>
    %7 = exti %1 signed : tile<1024xi32> -> tile<1024xi64>
    %8 = exti %assume_7 signed : tile<i32> -> tile<i64>
    %reshape_17 = reshape %8 : tile<i64> -> tile<1xi64>
    %bcast_18 = broadcast %reshape_17 : tile<1xi64> -> tile<1024xi64>
    %9 = cmpi less_than %7, %bcast_18, unsigned : tile<1024xi64> -> tile<1024xi1>
    %10 = andi %4, %9 : tile<1024xi1>
    %11 = muli %7, %cst_1_i64 : tile<1024xi64>
    %12 = addi %6, %11 : tile<1024xi64>
    %reshape_19 = reshape %assume : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_20 = broadcast %reshape_19 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %13 = offset %bcast_20, %12 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_21 = reshape %cst_0_f32 : tile<f32> -> tile<1xf32>
    %bcast_22 = broadcast %reshape_21 : tile<1xf32> -> tile<1024xf32>
    %result, %result_token = load_ptr_tko weak %13, %10, %bcast_22 token=%0 : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
    %14 = mulf %result, %result : tile<1024xf32>
    %reduce = reduce %14 dim=0 identities=[0.000000e+00 : f32] : tile<1024xf32> -> tile<f32>
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %15 = addf %reduce_lhs, %reduce_rhs : tile<f32>
      yield %15 : tile<f32>
    }
    %16 = itof %arg13 signed : tile<i32> -> tile<f32>
    %17 = divf %reduce, %16 : tile<f32>
    %cst_f32 = constant <f32: 1.000000e-06> : tile<f32>
    %18 = addf %17, %cst_f32 : tile<f32>
    %19 = rsqrt %18 : tile<f32>
    %reshape_23 = reshape %19 : tile<f32> -> tile<1xf32>
    %bcast_24 = broadcast %reshape_23 : tile<1xf32> -> tile<1024xf32>
    %20 = mulf %result, %bcast_24 : tile<1024xf32>
    %21 = exti %1 signed : tile<1024xi32> -> tile<1024xi64>
    %22 = exti %assume_9 signed : tile<i32> -> tile<i64>
    %reshape_25 = reshape %22 : tile<i64> -> tile<1xi64>
    %bcast_26 = broadcast %reshape_25 : tile<1xi64> -> tile<1024xi64>
    %23 = cmpi less_than %21, %bcast_26, unsigned : tile<1024xi64> -> tile<1024xi1>
    %24 = muli %21, %cst_1_i64_4 : tile<1024xi64>
    %reshape_27 = reshape %assume_1 : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_28 = broadcast %reshape_27 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %25 = offset %bcast_28, %24 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %cst_0_f32_29 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_30 = reshape %cst_0_f32_29 : tile<f32> -> tile<1xf32>
    %bcast_31 = broadcast %reshape_30 : tile<1xf32> -> tile<1024xf32>
    %result_32, %result_token_33 = load_ptr_tko weak %25, %23, %bcast_31 token=%0 : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
    %26 = mulf %20, %result_32 : tile<1024xf32>
    %27 = exti %blockId_x signed : tile<i32> -> tile<i64>
    %reshape_34 = reshape %27 : tile<i64> -> tile<1xi64>
    %bcast_35 = broadcast %reshape_34 : tile<1xi64> -> tile<1024xi64>
    %28 = exti %assume_10 signed : tile<i32> -> tile<i64>
    %reshape_36 = reshape %28 : tile<i64> -> tile<1xi64>
    %bcast_37 = broadcast %reshape_36 : tile<1xi64> -> tile<1024xi64>
    %29 = cmpi less_than %bcast_35, %bcast_37, unsigned : tile<1024xi64> -> tile<1024xi1>
    %30 = exti %assume_12 signed : tile<i32> -> tile<i64>
    %reshape_38 = reshape %30 : tile<i64> -> tile<1xi64>
    %bcast_39 = broadcast %reshape_38 : tile<1xi64> -> tile<1024xi64>
    %31 = muli %bcast_35, %bcast_39 : tile<1024xi64>
    %32 = exti %1 signed : tile<1024xi32> -> tile<1024xi64>
    %33 = exti %assume_11 signed : tile<i32> -> tile<i64>
    %reshape_40 = reshape %33 : tile<i64> -> tile<1xi64>
    %bcast_41 = broadcast %reshape_40 : tile<1xi64> -> tile<1024xi64>
    %34 = cmpi less_than %32, %bcast_41, unsigned : tile<1024xi64> -> tile<1024xi1>
    %35 = andi %29, %34 : tile<1024xi1>
    %36 = muli %32, %cst_1_i64_5 : tile<1024xi64>
    %37 = addi %31, %36 : tile<1024xi64>
    %reshape_42 = reshape %assume_2 : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_43 = broadcast %reshape_42 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %38 = offset %bcast_43, %37 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %result_token_44 = store_ptr_tko weak %38, %26, %35 token=%0 : tile<1024xptr<f32>>, tile<1024xf32>, tile<1024xi1> -> token
    return
  }
}
