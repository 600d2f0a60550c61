// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by programs.py.
cuda_tile.module @kernels {
  entry @edit_distance(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i32>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<i32>>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<ptr<i32>>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<i32>) {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
    %assume_0 = assume div_by<16>, %arg1 : tile<i32>
    %assume_1 = assume div_by<16>, %arg3 : tile<ptr<i32>>
    %assume_2 = assume div_by<16>, %arg4 : tile<i32>
    %assume_3 = assume div_by<16>, %arg6 : tile<ptr<i32>>
    %assume_4 = assume div_by<16>, %arg7 : tile<i32>
    %assume_5 = assume div_by<16>, %arg9 : tile<ptr<i32>>
    %assume_6 = assume div_by<16>, %arg10 : tile<i32>
    %assume_7 = assume div_by<16>, %arg12 : tile<ptr<i32>>
    %assume_8 = assume div_by<16>, %arg13 : tile<i32>
    %cst_1_i32 = constant <i32: 1> : tile<1024xi32>
    %cst_1_i64 = constant <i64: 1> : tile<1024xi64>
    %cst_0_i32 = constant <i32: 0> : tile<1024xi32>
    %cst_1_i64_9 = constant <i64: 1> : tile<1024xi64>
    %cst_0_i32_10 = constant <i32: 0> : tile<1024xi32>
    %cst_1_i32_11 = constant <i32: 1> : tile<1024xi32>
    %cst_1_i64_12 = constant <i64: 1> : tile<1024xi64>
    %cst_0_i32_13 = constant <i32: 0> : tile<1024xi32>
    %cst_1_i64_14 = constant <i64: 1> : tile<1024xi64>
    %cst_0_i32_15 = constant <i32: 0> : tile<1024xi32>
    %cst_1_i32_16 = constant <i32: 1> : tile<1024xi32>
    %cst_1_i32_17 = constant <i32: 1> : tile<1024xi32>
    %cst_1_i64_18 = constant <i64: 1> : tile<1024xi64>
    %cst_0_i32_19 = constant <i32: 0> : tile<1024xi32>
    %cst_1_i64_20 = constant <i64: 1> : tile<1024xi64>
    %assume_21 = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_22 = assume bounded<0, ?>, %assume_2 : tile<i32>
    %assume_23 = assume bounded<0, ?>, %assume_4 : tile<i32>
    %assume_24 = assume bounded<0, ?>, %assume_6 : tile<i32>
    %assume_25 = assume bounded<0, ?>, %assume_8 : tile<i32>
    %cst_1024_i32 = constant <i32: 1024> : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %1 = muli %blockId_x, %cst_1024_i32 : tile<i32>
    %2 = iota : tile<1024xi32>
    %reshape = reshape %1 : tile<i32> -> tile<1xi32>
    %bcast = broadcast %reshape : tile<1xi32> -> tile<1024xi32>
    %3 = addi %bcast, %2 : tile<1024xi32>
    %4 = subi %3, %cst_1_i32 : tile<1024xi32>
    %5 = exti %4 signed : tile<1024xi32> -> tile<1024xi64>
    %6 = exti %assume_23 signed : tile<i32> -> tile<i64>
    %reshape_26 = reshape %6 : tile<i64> -> tile<1xi64>
    %bcast_27 = broadcast %reshape_26 : tile<1xi64> -> tile<1024xi64>
    %7 = cmpi less_than %5, %bcast_27, unsigned : tile<1024xi64> -> tile<1024xi1>
    %8 = muli %5, %cst_1_i64 : tile<1024xi64>
    %reshape_28 = reshape %assume_3 : tile<ptr<i32>> -> tile<1xptr<i32>>
    %bcast_29 = broadcast %reshape_28 : tile<1xptr<i32>> -> tile<1024xptr<i32>>
    %9 = offset %bcast_29, %8 : tile<1024xptr<i32>>, tile<1024xi64> -> tile<1024xptr<i32>>
    %result, %result_token = load_ptr_tko weak %9, %7, %cst_0_i32 token=%0 : tile<1024xptr<i32>>, tile<1024xi1>, tile<1024xi32> -> tile<1024xi32>, token
    %reshape_30 = reshape %arg15 : tile<i32> -> tile<1xi32>
    %bcast_31 = broadcast %reshape_30 : tile<1xi32> -> tile<1024xi32>
    %10 = subi %bcast_31, %3 : tile<1024xi32>
    %11 = exti %10 signed : tile<1024xi32> -> tile<1024xi64>
    %12 = exti %assume_24 signed : tile<i32> -> tile<i64>
    %reshape_32 = reshape %12 : tile<i64> -> tile<1xi64>
    %bcast_33 = broadcast %reshape_32 : tile<1xi64> -> tile<1024xi64>
    %13 = cmpi less_than %11, %bcast_33, unsigned : tile<1024xi64> -> tile<1024xi1>
    %14 = muli %11, %cst_1_i64_9 : tile<1024xi64>
    %reshape_34 = reshape %assume_5 : tile<ptr<i32>> -> tile<1xptr<i32>>
    %bcast_35 = broadcast %reshape_34 : tile<1xptr<i32>> -> tile<1024xptr<i32>>
    %15 = offset %bcast_35, %14 : tile<1024xptr<i32>>, tile<1024xi64> -> tile<1024xptr<i32>>
    %result_36, %result_token_37 = load_ptr_tko weak %15, %13, %cst_0_i32_10 token=%0 : tile<1024xptr<i32>>, tile<1024xi1>, tile<1024xi32> -> tile<1024xi32>, token
    %16 = cmpi not_equal %result, %result_36, signed : tile<1024xi32> -> tile<1024xi1>
    %17 = exti %16 unsigned : tile<1024xi1> -> tile<1024xi32>
    %18 = subi %3, %cst_1_i32_11 : tile<1024xi32>
    %19 = exti %18 signed : tile<1024xi32> -> tile<1024xi64>
    %20 = exti %assume_22 signed : tile<i32> -> tile<i64>
    %reshape_38 = reshape %20 : tile<i64> -> tile<1xi64>
    %bcast_39 = broadcast %reshape_38 : tile<1xi64> -> tile<1024xi64>
    %21 = cmpi less_than %19, %bcast_39, unsigned : tile<1024xi64> -> tile<1024xi1>
    %22 = muli %19, %cst_1_i64_12 : tile<1024xi64>
    %reshape_40 = reshape %assume_1 : tile<ptr<i32>> -> tile<1xptr<i32>>
    %bcast_41 = broadcast %reshape_40 : tile<1xptr<i32>> -> tile<1024xptr<i32>>
    %23 = offset %bcast_41, %22 : tile<1024xptr<i32>>, tile<1024xi64> -> tile<1024xptr<i32>>
    %result_42, %result_token_43 = load_ptr_tko weak %23, %21, %cst_0_i32_13 token=%0 : tile<1024xptr<i32>>, tile<1024xi1>, tile<1024xi32> -> tile<1024xi32>, token
    %24 = exti %3 signed : tile<1024xi32> -> tile<1024xi64>
    %25 = exti %assume_22 signed : tile<i32> -> tile<i64>
    %reshape_44 = reshape %25 : tile<i64> -> tile<1xi64>
    %bcast_45 = broadcast %reshape_44 : tile<1xi64> -> tile<1024xi64>
    %26 = cmpi less_than %24, %bcast_45, unsigned : tile<1024xi64> -> tile<1024xi1>
    %27 = muli %24, %cst_1_i64_14 : tile<1024xi64>
    %reshape_46 = reshape %assume_1 : tile<ptr<i32>> -> tile<1xptr<i32>>
    %bcast_47 = broadcast %reshape_46 : tile<1xptr<i32>> -> tile<1024xptr<i32>>
    %28 = offset %bcast_47, %27 : tile<1024xptr<i32>>, tile<1024xi64> -> tile<1024xptr<i32>>
    %result_48, %result_token_49 = load_ptr_tko weak %28, %26, %cst_0_i32_15 token=%0 : tile<1024xptr<i32>>, tile<1024xi1>, tile<1024xi32> -> tile<1024xi32>, token
    %29 = mini %result_42, %result_48 signed : tile<1024xi32>
    %30 = addi %29, %cst_1_i32_16 : tile<1024xi32>
    %31 = subi %3, %cst_1_i32_17 : tile<1024xi32>
    %32 = exti %31 signed : tile<1024xi32> -> tile<1024xi64>
    %33 = exti %assume_21 signed : tile<i32> -> tile<i64>
    %reshape_50 = reshape %33 : tile<i64> -> tile<1xi64>
    %bcast_51 = broadcast %reshape_50 : tile<1xi64> -> tile<1024xi64>
    %34 = cmpi less_than %32, %bcast_51, unsigned : tile<1024xi64> -> tile<1024xi1>
    %35 = muli %32, %cst_1_i64_18 : tile<1024xi64>
    %reshape_52 = reshape %assume : tile<ptr<i32>> -> tile<1xptr<i32>>
    %bcast_53 = broadcast %reshape_52 : tile<1xptr<i32>> -> tile<1024xptr<i32>>
    %36 = offset %bcast_53, %35 : tile<1024xptr<i32>>, tile<1024xi64> -> tile<1024xptr<i32>>
    %result_54, %result_token_55 = load_ptr_tko weak %36, %34, %cst_0_i32_19 token=%0 : tile<1024xptr<i32>>, tile<1024xi1>, tile<1024xi32> -> tile<1024xi32>, token
    %37 = addi %result_54, %17 : tile<1024xi32>
    %38 = mini %37, %30 signed : tile<1024xi32>
    %39 = exti %3 signed : tile<1024xi32> -> tile<1024xi64>
    %40 = exti %assume_25 signed : tile<i32> -> tile<i64>
    %reshape_56 = reshape %40 : tile<i64> -> tile<1xi64>
    %bcast_57 = broadcast %reshape_56 : tile<1xi64> -> tile<1024xi64>
    %41 = cmpi less_than %39, %bcast_57, unsigned : tile<1024xi64> -> tile<1024xi1>
    %42 = muli %39, %cst_1_i64_20 : tile<1024xi64>
    %reshape_58 = reshape %assume_7 : tile<ptr<i32>> -> tile<1xptr<i32>>
    %bcast_59 = broadcast %reshape_58 : tile<1xptr<i32>> -> tile<1024xptr<i32>>
    %43 = offset %bcast_59, %42 : tile<1024xptr<i32>>, tile<1024xi64> -> tile<1024xptr<i32>>
    %result_token_60 = store_ptr_tko weak %43, %38, %41 token=%0 : tile<1024xptr<i32>>, tile<1024xi32>, tile<1024xi1> -> token
    return
  }
}
