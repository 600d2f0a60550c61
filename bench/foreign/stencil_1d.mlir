// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by programs.py.
cuda_tile.module @kernels {
  entry @stencil_1d(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>) {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg1 : tile<i32>
    %assume_1 = assume div_by<16>, %arg3 : tile<ptr<f32>>
    %assume_2 = assume div_by<16>, %arg4 : tile<i32>
    %cst_1_i32 = constant <i32: 1> : tile<1024xi32>
    %cst_1_i64 = constant <i64: 1> : tile<1024xi64>
    %cst_1_i32_3 = constant <i32: 1> : tile<1024xi32>
    %cst_1_i64_4 = constant <i64: 1> : tile<1024xi64>
    %cst_1_i64_5 = constant <i64: 1> : tile<1024xi64>
    %cst_1_i64_6 = constant <i64: 1> : tile<1024xi64>
    %assume_7 = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_8 = assume bounded<0, ?>, %assume_2 : tile<i32>
    %cst_1024_i32 = constant <i32: 1024> : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %1 = muli %blockId_x, %cst_1024_i32 : tile<i32>
    %2 = iota : tile<1024xi32>
    %reshape = reshape %1 : tile<i32> -> tile<1xi32>
    %bcast = broadcast %reshape : tile<1xi32> -> tile<1024xi32>
    %3 = addi %bcast, %2 : tile<1024xi32>
    %4 = subi %3, %cst_1_i32 : tile<1024xi32>
    %5 = exti %4 signed : tile<1024xi32> -> tile<1024xi64>
    %6 = exti %assume_7 signed : tile<i32> -> tile<i64>
    %reshape_9 = reshape %6 : tile<i64> -> tile<1xi64>
    %bcast_10 = broadcast %reshape_9 : tile<1xi64> -> tile<1024xi64>
    %7 = cmpi less_than %5, %bcast_10, unsigned : tile<1024xi64> -> tile<1024xi1>
    %8 = muli %5, %cst_1_i64 : tile<1024xi64>
    %reshape_11 = reshape %assume : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_12 = broadcast %reshape_11 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %9 = offset %bcast_12, %8 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_13 = reshape %cst_0_f32 : tile<f32> -> tile<1xf32>
    %bcast_14 = broadcast %reshape_13 : tile<1xf32> -> tile<1024xf32>
    %result, %result_token = load_ptr_tko weak %9, %7, %bcast_14 token=%0 : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
    %10 = addi %3, %cst_1_i32_3 : tile<1024xi32>
    %11 = exti %10 signed : tile<1024xi32> -> tile<1024xi64>
    %12 = exti %assume_7 signed : tile<i32> -> tile<i64>
    %reshape_15 = reshape %12 : tile<i64> -> tile<1xi64>
    %bcast_16 = broadcast %reshape_15 : tile<1xi64> -> tile<1024xi64>
    %13 = cmpi less_than %11, %bcast_16, unsigned : tile<1024xi64> -> tile<1024xi1>
    %14 = muli %11, %cst_1_i64_4 : tile<1024xi64>
    %reshape_17 = reshape %assume : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_18 = broadcast %reshape_17 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %15 = offset %bcast_18, %14 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %cst_0_f32_19 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_20 = reshape %cst_0_f32_19 : tile<f32> -> tile<1xf32>
    %bcast_21 = broadcast %reshape_20 : tile<1xf32> -> tile<1024xf32>
    %result_22, %result_token_23 = load_ptr_tko weak %15, %13, %bcast_21 token=%0 : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
    %16 = addf %result, %result_22 : tile<1024xf32>
    %cst_f32 = constant <f32: 5.000000e-01> : tile<f32>
    %17 = exti %3 signed : tile<1024xi32> -> tile<1024xi64>
    %18 = exti %assume_7 signed : tile<i32> -> tile<i64>
    %reshape_24 = reshape %18 : tile<i64> -> tile<1xi64>
    %bcast_25 = broadcast %reshape_24 : tile<1xi64> -> tile<1024xi64>
    %19 = cmpi less_than %17, %bcast_25, unsigned : tile<1024xi64> -> tile<1024xi1>
    %20 = muli %17, %cst_1_i64_5 : tile<1024xi64>
    %reshape_26 = reshape %assume : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_27 = broadcast %reshape_26 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %21 = offset %bcast_27, %20 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %cst_0_f32_28 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_29 = reshape %cst_0_f32_28 : tile<f32> -> tile<1xf32>
    %bcast_30 = broadcast %reshape_29 : tile<1xf32> -> tile<1024xf32>
    %result_31, %result_token_32 = load_ptr_tko weak %21, %19, %bcast_30 token=%0 : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
    %reshape_33 = reshape %cst_f32 : tile<f32> -> tile<1xf32>
    %bcast_34 = broadcast %reshape_33 : tile<1xf32> -> tile<1024xf32>
    %cst_f32_35 = constant <f32: 2.500000e-01> : tile<f32>
    %reshape_36 = reshape %cst_f32_35 : tile<f32> -> tile<1xf32>
    %bcast_37 = broadcast %reshape_36 : tile<1xf32> -> tile<1024xf32>
    %22 = mulf %bcast_37, %16 : tile<1024xf32>
    %23 = fma %bcast_34, %result_31, %22 : tile<1024xf32>
    %24 = exti %3 signed : tile<1024xi32> -> tile<1024xi64>
    %25 = exti %assume_8 signed : tile<i32> -> tile<i64>
    %reshape_38 = reshape %25 : tile<i64> -> tile<1xi64>
    %bcast_39 = broadcast %reshape_38 : tile<1xi64> -> tile<1024xi64>
    %26 = cmpi less_than %24, %bcast_39, unsigned : tile<1024xi64> -> tile<1024xi1>
    %27 = muli %24, %cst_1_i64_6 : tile<1024xi64>
    %reshape_40 = reshape %assume_1 : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_41 = broadcast %reshape_40 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %28 = offset %bcast_41, %27 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %result_token_42 = store_ptr_tko weak %28, %23, %26 token=%0 : tile<1024xptr<f32>>, tile<1024xf32>, tile<1024xi1> -> token
    return
  }
}
