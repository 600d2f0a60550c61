// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by programs.py.
cuda_tile.module @kernels {
  entry @reverse(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>) {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg1 : tile<i32>
    %assume_1 = assume div_by<16>, %arg3 : tile<ptr<f32>>
    %assume_2 = assume div_by<16>, %arg4 : tile<i32>
    %cst_1_i64 = constant <i64: 1> : tile<1024xi64>
    %cst_1_i64_3 = constant <i64: 1> : tile<1024xi64>
    %assume_4 = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_5 = assume bounded<0, ?>, %assume_2 : tile<i32>
    %cst_1024_i32 = constant <i32: 1024> : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %1 = muli %blockId_x, %cst_1024_i32 : tile<i32>
    %2 = iota : tile<1024xi32>
    %reshape = reshape %1 : tile<i32> -> tile<1xi32>
    %bcast = broadcast %reshape : tile<1xi32> -> tile<1024xi32>
    %3 = addi %bcast, %2 : tile<1024xi32>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %4 = subi %arg6, %cst_1_i32 : tile<i32>
    %reshape_6 = reshape %4 : tile<i32> -> tile<1xi32>
    %bcast_7 = broadcast %reshape_6 : tile<1xi32> -> tile<1024xi32>
    %5 = subi %bcast_7, %3 : tile<1024xi32>
    %6 = exti %5 signed : tile<1024xi32> -> tile<1024xi64>
    %7 = exti %assume_4 signed : tile<i32> -> tile<i64>
    %reshape_8 = reshape %7 : tile<i64> -> tile<1xi64>
    %bcast_9 = broadcast %reshape_8 : tile<1xi64> -> tile<1024xi64>
    %8 = cmpi less_than %6, %bcast_9, unsigned : tile<1024xi64> -> tile<1024xi1>
    %9 = muli %6, %cst_1_i64 : tile<1024xi64>
    %reshape_10 = reshape %assume : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_11 = broadcast %reshape_10 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %10 = offset %bcast_11, %9 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_12 = reshape %cst_0_f32 : tile<f32> -> tile<1xf32>
    %bcast_13 = broadcast %reshape_12 : tile<1xf32> -> tile<1024xf32>
    %result, %result_token = load_ptr_tko weak %10, %8, %bcast_13 token=%0 : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
    %11 = exti %3 signed : tile<1024xi32> -> tile<1024xi64>
    %12 = exti %assume_5 signed : tile<i32> -> tile<i64>
    %reshape_14 = reshape %12 : tile<i64> -> tile<1xi64>
    %bcast_15 = broadcast %reshape_14 : tile<1xi64> -> tile<1024xi64>
    %13 = cmpi less_than %11, %bcast_15, unsigned : tile<1024xi64> -> tile<1024xi1>
    %14 = muli %11, %cst_1_i64_3 : tile<1024xi64>
    %reshape_16 = reshape %assume_1 : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_17 = broadcast %reshape_16 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %15 = offset %bcast_17, %14 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %result_token_18 = store_ptr_tko weak %15, %result, %13 token=%0 : tile<1024xptr<f32>>, tile<1024xf32>, tile<1024xi1> -> token
    return
  }
}
