// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by programs.py.
cuda_tile.module @kernels {
  entry @bitonic_step(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<i32>) {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg1 : tile<i32>
    %assume_1 = assume div_by<16>, %arg3 : tile<ptr<f32>>
    %assume_2 = assume div_by<16>, %arg4 : tile<i32>
    %cst_1_i64 = constant <i64: 1> : tile<1024xi64>
    %cst_1_i64_3 = constant <i64: 1> : tile<1024xi64>
    %cst_0_i32 = constant <i32: 0> : tile<1024xi32>
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
    %reshape_10 = reshape %assume : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_11 = broadcast %reshape_10 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %8 = offset %bcast_11, %7 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_12 = reshape %cst_0_f32 : tile<f32> -> tile<1xf32>
    %bcast_13 = broadcast %reshape_12 : tile<1xf32> -> tile<1024xf32>
    %result, %result_token = load_ptr_tko weak %8, %6, %bcast_13 token=%0 : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
    %reshape_14 = reshape %arg6 : tile<i32> -> tile<1xi32>
    %bcast_15 = broadcast %reshape_14 : tile<1xi32> -> tile<1024xi32>
    %9 = xori %3, %bcast_15 : tile<1024xi32>
    %10 = exti %9 signed : tile<1024xi32> -> tile<1024xi64>
    %11 = exti %assume_6 signed : tile<i32> -> tile<i64>
    %reshape_16 = reshape %11 : tile<i64> -> tile<1xi64>
    %bcast_17 = broadcast %reshape_16 : tile<1xi64> -> tile<1024xi64>
    %12 = cmpi less_than %10, %bcast_17, unsigned : tile<1024xi64> -> tile<1024xi1>
    %13 = muli %10, %cst_1_i64_3 : tile<1024xi64>
    %reshape_18 = reshape %assume : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_19 = broadcast %reshape_18 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %14 = offset %bcast_19, %13 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %cst_0_f32_20 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_21 = reshape %cst_0_f32_20 : tile<f32> -> tile<1xf32>
    %bcast_22 = broadcast %reshape_21 : tile<1xf32> -> tile<1024xf32>
    %result_23, %result_token_24 = load_ptr_tko weak %14, %12, %bcast_22 token=%0 : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
    %reshape_25 = reshape %arg6 : tile<i32> -> tile<1xi32>
    %bcast_26 = broadcast %reshape_25 : tile<1xi32> -> tile<1024xi32>
    %15 = andi %3, %bcast_26 : tile<1024xi32>
    %16 = cmpi equal %15, %cst_0_i32, signed : tile<1024xi32> -> tile<1024xi1>
    %reshape_27 = reshape %arg7 : tile<i32> -> tile<1xi32>
    %bcast_28 = broadcast %reshape_27 : tile<1xi32> -> tile<1024xi32>
    %17 = andi %3, %bcast_28 : tile<1024xi32>
    %18 = cmpi equal %17, %cst_0_i32_4, signed : tile<1024xi32> -> tile<1024xi1>
    %19 = cmpi equal %16, %18, unsigned : tile<1024xi1> -> tile<1024xi1>
    %20 = minf %result, %result_23 : tile<1024xf32>
    %21 = maxf %result, %result_23 : tile<1024xf32>
    %22 = select %19, %20, %21 : tile<1024xi1>, tile<1024xf32>
    %23 = exti %3 signed : tile<1024xi32> -> tile<1024xi64>
    %24 = exti %assume_7 signed : tile<i32> -> tile<i64>
    %reshape_29 = reshape %24 : tile<i64> -> tile<1xi64>
    %bcast_30 = broadcast %reshape_29 : tile<1xi64> -> tile<1024xi64>
    %25 = cmpi less_than %23, %bcast_30, unsigned : tile<1024xi64> -> tile<1024xi1>
    %26 = muli %23, %cst_1_i64_5 : tile<1024xi64>
    %reshape_31 = reshape %assume_1 : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_32 = broadcast %reshape_31 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %27 = offset %bcast_32, %26 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %result_token_33 = store_ptr_tko weak %27, %22, %25 token=%0 : tile<1024xptr<f32>>, tile<1024xf32>, tile<1024xi1> -> token
    return
  }
}
