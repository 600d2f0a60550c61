// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by programs.py.
cuda_tile.module @kernels {
  entry @knapsack(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<i32>) {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
    %assume_0 = assume div_by<16>, %arg1 : tile<i32>
    %assume_1 = assume div_by<16>, %arg3 : tile<ptr<i32>>
    %assume_2 = assume div_by<16>, %arg4 : tile<i32>
    %cst_1_i64 = constant <i64: 1> : tile<1024xi64>
    %cst_0_i32 = constant <i32: 0> : tile<1024xi32>
    %cst_1_i64_3 = constant <i64: 1> : tile<1024xi64>
    %cst_0_i32_4 = constant <i32: 0> : tile<1024xi32>
    %cst_1_i64_5 = constant <i64: 1> : tile<1024xi64>
    %assume_6 = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_7 = assume bounded<0, ?>, %assume_2 : tile<i32>
    %cst_1024_i32 = constant <i32: 1024> : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %1 = muli %blockId_x, %cst_1024_i32 : tile<i32>
    %2 = iota : tile<1024xi32>
    %reshape = reshape %1 : tile<i32> -> tile<1xi32>
    %bcast = broadcast %reshape : tile<1xi32> -> tile<1024xi32>
    %3 = addi %bcast, %2 : tile<1024xi32>
    %4 = exti %3 signed : tile<1024xi32> -> tile<1024xi64>
    %5 = exti %assume_6 signed : tile<i32> -> tile<i64>
    %reshape_8 = reshape %5 : tile<i64> -> tile<1xi64>
    %bcast_9 = broadcast %reshape_8 : tile<1xi64> -> tile<1024xi64>
    %6 = cmpi less_than %4, %bcast_9, unsigned : tile<1024xi64> -> tile<1024xi1>
    %7 = muli %4, %cst_1_i64 : tile<1024xi64>
    %reshape_10 = reshape %assume : tile<ptr<i32>> -> tile<1xptr<i32>>
    %bcast_11 = broadcast %reshape_10 : tile<1xptr<i32>> -> tile<1024xptr<i32>>
    %8 = offset %bcast_11, %7 : tile<1024xptr<i32>>, tile<1024xi64> -> tile<1024xptr<i32>>
    %result, %result_token = load_ptr_tko weak %8, %6, %cst_0_i32 token=%0 : tile<1024xptr<i32>>, tile<1024xi1>, tile<1024xi32> -> tile<1024xi32>, token
    %reshape_12 = reshape %arg6 : tile<i32> -> tile<1xi32>
    %bcast_13 = broadcast %reshape_12 : tile<1xi32> -> tile<1024xi32>
    %9 = subi %3, %bcast_13 : tile<1024xi32>
    %10 = exti %9 signed : tile<1024xi32> -> tile<1024xi64>
    %11 = exti %assume_6 signed : tile<i32> -> tile<i64>
    %reshape_14 = reshape %11 : tile<i64> -> tile<1xi64>
    %bcast_15 = broadcast %reshape_14 : tile<1xi64> -> tile<1024xi64>
    %12 = cmpi less_than %10, %bcast_15, unsigned : tile<1024xi64> -> tile<1024xi1>
    %13 = muli %10, %cst_1_i64_3 : tile<1024xi64>
    %reshape_16 = reshape %assume : tile<ptr<i32>> -> tile<1xptr<i32>>
    %bcast_17 = broadcast %reshape_16 : tile<1xptr<i32>> -> tile<1024xptr<i32>>
    %14 = offset %bcast_17, %13 : tile<1024xptr<i32>>, tile<1024xi64> -> tile<1024xptr<i32>>
    %result_18, %result_token_19 = load_ptr_tko weak %14, %12, %cst_0_i32_4 token=%0 : tile<1024xptr<i32>>, tile<1024xi1>, tile<1024xi32> -> tile<1024xi32>, token
    %reshape_20 = reshape %arg7 : tile<i32> -> tile<1xi32>
    %bcast_21 = broadcast %reshape_20 : tile<1xi32> -> tile<1024xi32>
    %15 = addi %result_18, %bcast_21 : tile<1024xi32>
    %reshape_22 = reshape %arg6 : tile<i32> -> tile<1xi32>
    %bcast_23 = broadcast %reshape_22 : tile<1xi32> -> tile<1024xi32>
    %16 = cmpi greater_than_or_equal %3, %bcast_23, signed : tile<1024xi32> -> tile<1024xi1>
    %17 = maxi %result, %15 signed : tile<1024xi32>
    %18 = select %16, %17, %result : tile<1024xi1>, tile<1024xi32>
    %19 = exti %3 signed : tile<1024xi32> -> tile<1024xi64>
    %20 = exti %assume_7 signed : tile<i32> -> tile<i64>
    %reshape_24 = reshape %20 : tile<i64> -> tile<1xi64>
    %bcast_25 = broadcast %reshape_24 : tile<1xi64> -> tile<1024xi64>
    %21 = cmpi less_than %19, %bcast_25, unsigned : tile<1024xi64> -> tile<1024xi1>
    %22 = muli %19, %cst_1_i64_5 : tile<1024xi64>
    %reshape_26 = reshape %assume_1 : tile<ptr<i32>> -> tile<1xptr<i32>>
    %bcast_27 = broadcast %reshape_26 : tile<1xptr<i32>> -> tile<1024xptr<i32>>
    %23 = offset %bcast_27, %22 : tile<1024xptr<i32>>, tile<1024xi64> -> tile<1024xptr<i32>>
    %result_token_28 = store_ptr_tko weak %23, %18, %21 token=%0 : tile<1024xptr<i32>>, tile<1024xi32>, tile<1024xi1> -> token
    return
  }
}
