// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by programs.py.
cuda_tile.module @kernels {
  entry @complex_mul(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<f32>>, %arg7: tile<i32>, %arg8: tile<i32>) {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg1 : tile<i32>
    %assume_1 = assume div_by<16>, %arg3 : tile<ptr<f32>>
    %assume_2 = assume div_by<16>, %arg4 : tile<i32>
    %assume_3 = assume div_by<16>, %arg6 : tile<ptr<f32>>
    %assume_4 = assume div_by<16>, %arg7 : tile<i32>
    %cst_2_i32 = constant <i32: 2> : tile<1024xi32>
    %cst_1_i64 = constant <i64: 1> : tile<1024xi64>
    %cst_1_i32 = constant <i32: 1> : tile<1024xi32>
    %cst_1_i64_5 = constant <i64: 1> : tile<1024xi64>
    %cst_1_i64_6 = constant <i64: 1> : tile<1024xi64>
    %cst_1_i32_7 = constant <i32: 1> : tile<1024xi32>
    %cst_1_i64_8 = constant <i64: 1> : tile<1024xi64>
    %cst_1_i64_9 = constant <i64: 1> : tile<1024xi64>
    %cst_1_i32_10 = constant <i32: 1> : tile<1024xi32>
    %cst_1_i64_11 = constant <i64: 1> : tile<1024xi64>
    %assume_12 = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_13 = assume bounded<0, ?>, %assume_2 : tile<i32>
    %assume_14 = assume bounded<0, ?>, %assume_4 : tile<i32>
    %cst_1024_i32 = constant <i32: 1024> : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %1 = muli %blockId_x, %cst_1024_i32 : tile<i32>
    %2 = iota : tile<1024xi32>
    %reshape = reshape %1 : tile<i32> -> tile<1xi32>
    %bcast = broadcast %reshape : tile<1xi32> -> tile<1024xi32>
    %3 = addi %bcast, %2 : tile<1024xi32>
    %4 = muli %cst_2_i32, %3 : tile<1024xi32>
    %5 = exti %4 signed : tile<1024xi32> -> tile<1024xi64>
    %6 = exti %assume_12 signed : tile<i32> -> tile<i64>
    %reshape_15 = reshape %6 : tile<i64> -> tile<1xi64>
    %bcast_16 = broadcast %reshape_15 : tile<1xi64> -> tile<1024xi64>
    %7 = cmpi less_than %5, %bcast_16, unsigned : tile<1024xi64> -> tile<1024xi1>
    %8 = muli %5, %cst_1_i64 : tile<1024xi64>
    %reshape_17 = reshape %assume : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_18 = broadcast %reshape_17 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %9 = offset %bcast_18, %8 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_19 = reshape %cst_0_f32 : tile<f32> -> tile<1xf32>
    %bcast_20 = broadcast %reshape_19 : tile<1xf32> -> tile<1024xf32>
    %result, %result_token = load_ptr_tko weak %9, %7, %bcast_20 token=%0 : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
    %10 = addi %4, %cst_1_i32 : tile<1024xi32>
    %11 = exti %10 signed : tile<1024xi32> -> tile<1024xi64>
    %12 = exti %assume_12 signed : tile<i32> -> tile<i64>
    %reshape_21 = reshape %12 : tile<i64> -> tile<1xi64>
    %bcast_22 = broadcast %reshape_21 : tile<1xi64> -> tile<1024xi64>
    %13 = cmpi less_than %11, %bcast_22, unsigned : tile<1024xi64> -> tile<1024xi1>
    %14 = muli %11, %cst_1_i64_5 : tile<1024xi64>
    %reshape_23 = reshape %assume : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_24 = broadcast %reshape_23 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %15 = offset %bcast_24, %14 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %cst_0_f32_25 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_26 = reshape %cst_0_f32_25 : tile<f32> -> tile<1xf32>
    %bcast_27 = broadcast %reshape_26 : tile<1xf32> -> tile<1024xf32>
    %result_28, %result_token_29 = load_ptr_tko weak %15, %13, %bcast_27 token=%0 : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
    %16 = exti %4 signed : tile<1024xi32> -> tile<1024xi64>
    %17 = exti %assume_13 signed : tile<i32> -> tile<i64>
    %reshape_30 = reshape %17 : tile<i64> -> tile<1xi64>
    %bcast_31 = broadcast %reshape_30 : tile<1xi64> -> tile<1024xi64>
    %18 = cmpi less_than %16, %bcast_31, unsigned : tile<1024xi64> -> tile<1024xi1>
    %19 = muli %16, %cst_1_i64_6 : tile<1024xi64>
    %reshape_32 = reshape %assume_1 : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_33 = broadcast %reshape_32 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %20 = offset %bcast_33, %19 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %cst_0_f32_34 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_35 = reshape %cst_0_f32_34 : tile<f32> -> tile<1xf32>
    %bcast_36 = broadcast %reshape_35 : tile<1xf32> -> tile<1024xf32>
    %result_37, %result_token_38 = load_ptr_tko weak %20, %18, %bcast_36 token=%0 : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
    %21 = addi %4, %cst_1_i32_7 : tile<1024xi32>
    %22 = exti %21 signed : tile<1024xi32> -> tile<1024xi64>
    %23 = exti %assume_13 signed : tile<i32> -> tile<i64>
    %reshape_39 = reshape %23 : tile<i64> -> tile<1xi64>
    %bcast_40 = broadcast %reshape_39 : tile<1xi64> -> tile<1024xi64>
    %24 = cmpi less_than %22, %bcast_40, unsigned : tile<1024xi64> -> tile<1024xi1>
    %25 = muli %22, %cst_1_i64_8 : tile<1024xi64>
    %reshape_41 = reshape %assume_1 : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_42 = broadcast %reshape_41 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %26 = offset %bcast_42, %25 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %cst_0_f32_43 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_44 = reshape %cst_0_f32_43 : tile<f32> -> tile<1xf32>
    %bcast_45 = broadcast %reshape_44 : tile<1xf32> -> tile<1024xf32>
    %result_46, %result_token_47 = load_ptr_tko weak %26, %24, %bcast_45 token=%0 : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
    %27 = mulf %result_28, %result_46 : tile<1024xf32>
    %28 = negf %27 : tile<1024xf32>
    %29 = fma %result, %result_37, %28 : tile<1024xf32>
    %30 = exti %4 signed : tile<1024xi32> -> tile<1024xi64>
    %31 = exti %assume_14 signed : tile<i32> -> tile<i64>
    %reshape_48 = reshape %31 : tile<i64> -> tile<1xi64>
    %bcast_49 = broadcast %reshape_48 : tile<1xi64> -> tile<1024xi64>
    %32 = cmpi less_than %30, %bcast_49, unsigned : tile<1024xi64> -> tile<1024xi1>
    %33 = muli %30, %cst_1_i64_9 : tile<1024xi64>
    %reshape_50 = reshape %assume_3 : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_51 = broadcast %reshape_50 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %34 = offset %bcast_51, %33 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %result_token_52 = store_ptr_tko weak %34, %29, %32 token=%0 : tile<1024xptr<f32>>, tile<1024xf32>, tile<1024xi1> -> token
    %35 = addi %4, %cst_1_i32_10 : tile<1024xi32>
    %36 = mulf %result_28, %result_37 : tile<1024xf32>
    %37 = fma %result, %result_46, %36 : tile<1024xf32>
    %38 = exti %35 signed : tile<1024xi32> -> tile<1024xi64>
    %39 = exti %assume_14 signed : tile<i32> -> tile<i64>
    %reshape_53 = reshape %39 : tile<i64> -> tile<1xi64>
    %bcast_54 = broadcast %reshape_53 : tile<1xi64> -> tile<1024xi64>
    %40 = cmpi less_than %38, %bcast_54, unsigned : tile<1024xi64> -> tile<1024xi1>
    %41 = muli %38, %cst_1_i64_11 : tile<1024xi64>
    %reshape_55 = reshape %assume_3 : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_56 = broadcast %reshape_55 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %42 = offset %bcast_56, %41 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %result_token_57 = store_ptr_tko weak %42, %37, %40 token=%result_token_52 : tile<1024xptr<f32>>, tile<1024xf32>, tile<1024xi1> -> token
    return
  }
}
