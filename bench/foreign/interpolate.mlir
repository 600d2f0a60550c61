// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by programs.py.
cuda_tile.module @kernels {
  entry @interpolate(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<f32>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>) {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>>
    %assume_1 = assume div_by<16>, %arg4 : tile<i32>
    %assume_2 = assume div_by<16>, %arg6 : tile<ptr<f32>>
    %assume_3 = assume div_by<16>, %arg7 : tile<i32>
    %cst_1_i64 = constant <i64: 1> : tile<1024xi64>
    %cst_0_i32 = constant <i32: 0> : tile<1024xi32>
    %cst_1_i64_4 = constant <i64: 1> : tile<1024xi64>
    %cst_1_i32 = constant <i32: 1> : tile<1024xi32>
    %cst_1_i64_5 = constant <i64: 1> : tile<1024xi64>
    %cst_1_i64_6 = constant <i64: 1> : tile<1024xi64>
    %assume_7 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_8 = assume bounded<0, ?>, %assume_1 : tile<i32>
    %assume_9 = assume bounded<0, ?>, %assume_3 : tile<i32>
    %cst_1024_i32 = constant <i32: 1024> : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %1 = muli %blockId_x, %cst_1024_i32 : tile<i32>
    %2 = iota : tile<1024xi32>
    %reshape = reshape %1 : tile<i32> -> tile<1xi32>
    %bcast = broadcast %reshape : tile<1xi32> -> tile<1024xi32>
    %3 = addi %bcast, %2 : tile<1024xi32>
    %4 = exti %3 signed : tile<1024xi32> -> tile<1024xi64>
    %5 = exti %assume_8 signed : tile<i32> -> tile<i64>
    %reshape_10 = reshape %5 : tile<i64> -> tile<1xi64>
    %bcast_11 = broadcast %reshape_10 : tile<1xi64> -> tile<1024xi64>
    %6 = cmpi less_than %4, %bcast_11, unsigned : tile<1024xi64> -> tile<1024xi1>
    %7 = muli %4, %cst_1_i64 : tile<1024xi64>
    %reshape_12 = reshape %assume_0 : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_13 = broadcast %reshape_12 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %8 = offset %bcast_13, %7 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_14 = reshape %cst_0_f32 : tile<f32> -> tile<1xf32>
    %bcast_15 = broadcast %reshape_14 : tile<1xf32> -> tile<1024xf32>
    %result, %result_token = load_ptr_tko weak %8, %6, %bcast_15 token=%0 : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
    %cst_1_i32_16 = constant <i32: 1> : tile<i32>
    %9 = subi %arg9, %cst_1_i32_16 : tile<i32>
    %10 = itof %9 signed : tile<i32> -> tile<f32>
    %reshape_17 = reshape %10 : tile<f32> -> tile<1xf32>
    %bcast_18 = broadcast %reshape_17 : tile<1xf32> -> tile<1024xf32>
    %11 = mulf %result, %bcast_18 : tile<1024xf32>
    %12 = floor %11 : tile<1024xf32>
    %13 = ftoi %12 signed : tile<1024xf32> -> tile<1024xi32>
    %14 = maxi %13, %cst_0_i32 signed : tile<1024xi32>
    %cst_2_i32 = constant <i32: 2> : tile<i32>
    %15 = subi %arg9, %cst_2_i32 : tile<i32>
    %reshape_19 = reshape %15 : tile<i32> -> tile<1xi32>
    %bcast_20 = broadcast %reshape_19 : tile<1xi32> -> tile<1024xi32>
    %16 = mini %14, %bcast_20 signed : tile<1024xi32>
    %17 = exti %16 signed : tile<1024xi32> -> tile<1024xi64>
    %18 = exti %assume_7 signed : tile<i32> -> tile<i64>
    %reshape_21 = reshape %18 : tile<i64> -> tile<1xi64>
    %bcast_22 = broadcast %reshape_21 : tile<1xi64> -> tile<1024xi64>
    %19 = cmpi less_than %17, %bcast_22, unsigned : tile<1024xi64> -> tile<1024xi1>
    %20 = muli %17, %cst_1_i64_4 : tile<1024xi64>
    %reshape_23 = reshape %assume : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_24 = broadcast %reshape_23 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %21 = offset %bcast_24, %20 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %cst_0_f32_25 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_26 = reshape %cst_0_f32_25 : tile<f32> -> tile<1xf32>
    %bcast_27 = broadcast %reshape_26 : tile<1xf32> -> tile<1024xf32>
    %result_28, %result_token_29 = load_ptr_tko weak %21, %19, %bcast_27 token=%0 : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
    %22 = itof %16 signed : tile<1024xi32> -> tile<1024xf32>
    %23 = subf %11, %22 : tile<1024xf32>
    %24 = addi %16, %cst_1_i32 : tile<1024xi32>
    %25 = exti %24 signed : tile<1024xi32> -> tile<1024xi64>
    %26 = exti %assume_7 signed : tile<i32> -> tile<i64>
    %reshape_30 = reshape %26 : tile<i64> -> tile<1xi64>
    %bcast_31 = broadcast %reshape_30 : tile<1xi64> -> tile<1024xi64>
    %27 = cmpi less_than %25, %bcast_31, unsigned : tile<1024xi64> -> tile<1024xi1>
    %28 = muli %25, %cst_1_i64_5 : tile<1024xi64>
    %reshape_32 = reshape %assume : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_33 = broadcast %reshape_32 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %29 = offset %bcast_33, %28 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %cst_0_f32_34 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_35 = reshape %cst_0_f32_34 : tile<f32> -> tile<1xf32>
    %bcast_36 = broadcast %reshape_35 : tile<1xf32> -> tile<1024xf32>
    %result_37, %result_token_38 = load_ptr_tko weak %29, %27, %bcast_36 token=%0 : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
    %30 = subf %result_37, %result_28 : tile<1024xf32>
    %31 = fma %23, %30, %result_28 : tile<1024xf32>
    %32 = exti %3 signed : tile<1024xi32> -> tile<1024xi64>
    %33 = exti %assume_9 signed : tile<i32> -> tile<i64>
    %reshape_39 = reshape %33 : tile<i64> -> tile<1xi64>
    %bcast_40 = broadcast %reshape_39 : tile<1xi64> -> tile<1024xi64>
    %34 = cmpi less_than %32, %bcast_40, unsigned : tile<1024xi64> -> tile<1024xi1>
    %35 = muli %32, %cst_1_i64_6 : tile<1024xi64>
    %reshape_41 = reshape %assume_2 : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_42 = broadcast %reshape_41 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %36 = offset %bcast_42, %35 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %result_token_43 = store_ptr_tko weak %36, %31, %34 token=%0 : tile<1024xptr<f32>>, tile<1024xf32>, tile<1024xi1> -> token
    return
  }
}
