// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by programs.py.
cuda_tile.module @kernels {
  entry @random_walk(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>) {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
    %assume_0 = assume div_by<16>, %arg1 : tile<i32>
    %assume_1 = assume div_by<16>, %arg3 : tile<ptr<f32>>
    %assume_2 = assume div_by<16>, %arg4 : tile<i32>
    %cst_1_i64 = constant <i64: 1> : tile<1024xi64>
    %cst_0_i32 = constant <i32: 0> : tile<1024xi32>
    %cst_1664525_i32 = constant <i32: 1664525> : tile<1024xi32>
    %cst_1013904223_i32 = constant <i32: 1013904223> : tile<1024xi32>
    %cst_8_i32 = constant <i32: 8> : tile<1024xi32>
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
    %4 = exti %3 signed : tile<1024xi32> -> tile<1024xi64>
    %5 = exti %assume_4 signed : tile<i32> -> tile<i64>
    %reshape_6 = reshape %5 : tile<i64> -> tile<1xi64>
    %bcast_7 = broadcast %reshape_6 : tile<1xi64> -> tile<1024xi64>
    %6 = cmpi less_than %4, %bcast_7, unsigned : tile<1024xi64> -> tile<1024xi1>
    %7 = muli %4, %cst_1_i64 : tile<1024xi64>
    %reshape_8 = reshape %assume : tile<ptr<i32>> -> tile<1xptr<i32>>
    %bcast_9 = broadcast %reshape_8 : tile<1xptr<i32>> -> tile<1024xptr<i32>>
    %8 = offset %bcast_9, %7 : tile<1024xptr<i32>>, tile<1024xi64> -> tile<1024xptr<i32>>
    %result, %result_token = load_ptr_tko weak %8, %6, %cst_0_i32 token=%0 : tile<1024xptr<i32>>, tile<1024xi1>, tile<1024xi32> -> tile<1024xi32>, token
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<1024xf32>
    %cst_0_f32_10 = constant <f32: 0.000000e+00> : tile<1024xf32>
    %cst_16_i32 = constant <i32: 16> : tile<i32>
    %cst_0_i32_11 = constant <i32: 0> : tile<i32>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_f32 = constant <f32: 5.96046448E-8> : tile<f32>
    %reshape_12 = reshape %cst_f32 : tile<f32> -> tile<1xf32>
    %bcast_13 = broadcast %reshape_12 : tile<1xf32> -> tile<1024xf32>
    %cst_f32_14 = constant <f32: 5.000000e-01> : tile<f32>
    %reshape_15 = reshape %cst_f32_14 : tile<f32> -> tile<1xf32>
    %bcast_16 = broadcast %reshape_15 : tile<1xf32> -> tile<1024xf32>
    %for:3 = for %loopIdx in (%cst_0_i32_11 to %cst_16_i32, step %cst_1_i32) : tile<i32> iter_values(%iterArg0 = %cst_0_f32, %iterArg1 = %cst_0_f32_10, %iterArg2 = %result) -> (tile<1024xf32>, tile<1024xf32>, tile<1024xi32>) {
      %9 = muli %iterArg2, %cst_1664525_i32 : tile<1024xi32>
      %10 = addi %9, %cst_1013904223_i32 : tile<1024xi32>
      %11 = shri %10, %cst_8_i32 unsigned : tile<1024xi32>
      %12 = itof %11 signed : tile<1024xi32> -> tile<1024xf32>
      %13 = fma %12, %bcast_13, %iterArg0 : tile<1024xf32>
      %14 = subf %13, %bcast_16 : tile<1024xf32>
      %15 = maxf %iterArg1, %14 : tile<1024xf32>
      continue %14, %15, %10 : tile<1024xf32>, tile<1024xf32>, tile<1024xi32>
    }
    %16 = exti %3 signed : tile<1024xi32> -> tile<1024xi64>
    %17 = exti %assume_5 signed : tile<i32> -> tile<i64>
    %reshape_17 = reshape %17 : tile<i64> -> tile<1xi64>
    %bcast_18 = broadcast %reshape_17 : tile<1xi64> -> tile<1024xi64>
    %18 = cmpi less_than %16, %bcast_18, unsigned : tile<1024xi64> -> tile<1024xi1>
    %19 = muli %16, %cst_1_i64_3 : tile<1024xi64>
    %reshape_19 = reshape %assume_1 : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_20 = broadcast %reshape_19 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %20 = offset %bcast_20, %19 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %result_token_21 = store_ptr_tko weak %20, %for#1, %18 token=%0 : tile<1024xptr<f32>>, tile<1024xf32>, tile<1024xi1> -> token
    return
  }
}
