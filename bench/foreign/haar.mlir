// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by programs.py.
cuda_tile.module @kernels {
  entry @haar(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<f32>>, %arg7: tile<i32>, %arg8: tile<i32>) {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg1 : tile<i32>
    %assume_1 = assume div_by<16>, %arg3 : tile<ptr<f32>>
    %assume_2 = assume div_by<16>, %arg4 : tile<i32>
    %assume_3 = assume div_by<16>, %arg6 : tile<ptr<f32>>
    %assume_4 = assume div_by<16>, %arg7 : tile<i32>
    %cst_2_i32 = constant <i32: 2> : tile<1024xi32>
    %cst_1_i64 = constant <i64: 1> : tile<1024xi64>
    %cst_2_i32_5 = constant <i32: 2> : tile<1024xi32>
    %cst_1_i32 = constant <i32: 1> : tile<1024xi32>
    %cst_1_i64_6 = constant <i64: 1> : tile<1024xi64>
    %cst_1_i64_7 = constant <i64: 1> : tile<1024xi64>
    %cst_1_i64_8 = constant <i64: 1> : tile<1024xi64>
    %assume_9 = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_10 = assume bounded<0, ?>, %assume_2 : tile<i32>
    %assume_11 = assume bounded<0, ?>, %assume_4 : tile<i32>
    %cst_1024_i32 = constant <i32: 1024> : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %1 = muli %blockId_x, %cst_1024_i32 : tile<i32>
    %2 = iota : tile<1024xi32>
    %reshape = reshape %1 : tile<i32> -> tile<1xi32>
    %bcast = broadcast %reshape : tile<1xi32> -> tile<1024xi32>
    %3 = addi %bcast, %2 : tile<1024xi32>
    %4 = muli %cst_2_i32, %3 : tile<1024xi32>
    %5 = exti %4 signed : tile<1024xi32> -> tile<1024xi64>
    %6 = exti %assume_9 signed : tile<i32> -> tile<i64>
    %reshape_12 = reshape %6 : tile<i64> -> tile<1xi64>
    %bcast_13 = broadcast %reshape_12 : tile<1xi64> -> tile<1024xi64>
    %7 = cmpi less_than %5, %bcast_13, unsigned : tile<1024xi64> -> tile<1024xi1>
    %8 = muli %5, %cst_1_i64 : tile<1024xi64>
    %reshape_14 = reshape %assume : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_15 = broadcast %reshape_14 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %9 = offset %bcast_15, %8 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_16 = reshape %cst_0_f32 : tile<f32> -> tile<1xf32>
    %bcast_17 = broadcast %reshape_16 : tile<1xf32> -> tile<1024xf32>
    %result, %result_token = load_ptr_tko weak %9, %7, %bcast_17 token=%0 : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
    %10 = muli %cst_2_i32_5, %3 : tile<1024xi32>
    %11 = addi %10, %cst_1_i32 : tile<1024xi32>
    %12 = exti %11 signed : tile<1024xi32> -> tile<1024xi64>
    %13 = exti %assume_9 signed : tile<i32> -> tile<i64>
    %reshape_18 = reshape %13 : tile<i64> -> tile<1xi64>
    %bcast_19 = broadcast %reshape_18 : tile<1xi64> -> tile<1024xi64>
    %14 = cmpi less_than %12, %bcast_19, unsigned : tile<1024xi64> -> tile<1024xi1>
    %15 = muli %12, %cst_1_i64_6 : tile<1024xi64>
    %reshape_20 = reshape %assume : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_21 = broadcast %reshape_20 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %16 = offset %bcast_21, %15 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %cst_0_f32_22 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_23 = reshape %cst_0_f32_22 : tile<f32> -> tile<1xf32>
    %bcast_24 = broadcast %reshape_23 : tile<1xf32> -> tile<1024xf32>
    %result_25, %result_token_26 = load_ptr_tko weak %16, %14, %bcast_24 token=%0 : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
    %cst_f32 = constant <f32: 5.000000e-01> : tile<f32>
    %17 = addf %result, %result_25 : tile<1024xf32>
    %reshape_27 = reshape %cst_f32 : tile<f32> -> tile<1xf32>
    %bcast_28 = broadcast %reshape_27 : tile<1xf32> -> tile<1024xf32>
    %18 = mulf %bcast_28, %17 : tile<1024xf32>
    %19 = exti %3 signed : tile<1024xi32> -> tile<1024xi64>
    %20 = exti %assume_10 signed : tile<i32> -> tile<i64>
    %reshape_29 = reshape %20 : tile<i64> -> tile<1xi64>
    %bcast_30 = broadcast %reshape_29 : tile<1xi64> -> tile<1024xi64>
    %21 = cmpi less_than %19, %bcast_30, unsigned : tile<1024xi64> -> tile<1024xi1>
    %22 = muli %19, %cst_1_i64_7 : tile<1024xi64>
    %reshape_31 = reshape %assume_1 : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_32 = broadcast %reshape_31 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %23 = offset %bcast_32, %22 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %result_token_33 = store_ptr_tko weak %23, %18, %21 token=%0 : tile<1024xptr<f32>>, tile<1024xf32>, tile<1024xi1> -> token
    %cst_f32_34 = constant <f32: 5.000000e-01> : tile<f32>
    %24 = subf %result, %result_25 : tile<1024xf32>
    %reshape_35 = reshape %cst_f32_34 : tile<f32> -> tile<1xf32>
    %bcast_36 = broadcast %reshape_35 : tile<1xf32> -> tile<1024xf32>
    %25 = mulf %bcast_36, %24 : tile<1024xf32>
    %26 = exti %3 signed : tile<1024xi32> -> tile<1024xi64>
    %27 = exti %assume_11 signed : tile<i32> -> tile<i64>
    %reshape_37 = reshape %27 : tile<i64> -> tile<1xi64>
    %bcast_38 = broadcast %reshape_37 : tile<1xi64> -> tile<1024xi64>
    %28 = cmpi less_than %26, %bcast_38, unsigned : tile<1024xi64> -> tile<1024xi1>
    %29 = muli %26, %cst_1_i64_8 : tile<1024xi64>
    %reshape_39 = reshape %assume_3 : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_40 = broadcast %reshape_39 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %30 = offset %bcast_40, %29 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %result_token_41 = store_ptr_tko weak %30, %25, %28 token=%0 : tile<1024xptr<f32>>, tile<1024xf32>, tile<1024xi1> -> token
    return
  }
}
