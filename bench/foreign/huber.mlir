// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by programs.py.
cuda_tile.module @kernels {
  entry @huber(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<f32>>, %arg7: tile<i32>, %arg8: tile<i32>) {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg1 : tile<i32>
    %assume_1 = assume div_by<16>, %arg3 : tile<ptr<f32>>
    %assume_2 = assume div_by<16>, %arg4 : tile<i32>
    %assume_3 = assume div_by<16>, %arg6 : tile<ptr<f32>>
    %cst_1_i64 = constant <i64: 1> : tile<1024xi64>
    %cst_1_i64_4 = constant <i64: 1> : tile<1024xi64>
    %cst_1_i64_5 = constant <i64: 1> : tile<i64>
    %assume_6 = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_7 = assume bounded<0, ?>, %assume_2 : tile<i32>
    %assume_8 = assume bounded<0, ?>, %arg7 : tile<i32>
    %cst_1024_i32 = constant <i32: 1024> : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %1 = muli %blockId_x, %cst_1024_i32 : tile<i32>
    %2 = iota : tile<1024xi32>
    %reshape = reshape %1 : tile<i32> -> tile<1xi32>
    %bcast = broadcast %reshape : tile<1xi32> -> tile<1024xi32>
    %3 = addi %bcast, %2 : tile<1024xi32>
    %4 = exti %3 signed : tile<1024xi32> -> tile<1024xi64>
    %5 = exti %assume_6 signed : tile<i32> -> tile<i64>
    %reshape_9 = reshape %5 : tile<i64> -> tile<1xi64>
    %bcast_10 = broadcast %reshape_9 : tile<1xi64> -> tile<1024xi64>
    %6 = cmpi less_than %4, %bcast_10, unsigned : tile<1024xi64> -> tile<1024xi1>
    %7 = muli %4, %cst_1_i64 : tile<1024xi64>
    %reshape_11 = reshape %assume : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_12 = broadcast %reshape_11 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %8 = offset %bcast_12, %7 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_13 = reshape %cst_0_f32 : tile<f32> -> tile<1xf32>
    %bcast_14 = broadcast %reshape_13 : tile<1xf32> -> tile<1024xf32>
    %result, %result_token = load_ptr_tko weak %8, %6, %bcast_14 token=%0 : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
    %9 = exti %3 signed : tile<1024xi32> -> tile<1024xi64>
    %10 = exti %assume_7 signed : tile<i32> -> tile<i64>
    %reshape_15 = reshape %10 : tile<i64> -> tile<1xi64>
    %bcast_16 = broadcast %reshape_15 : tile<1xi64> -> tile<1024xi64>
    %11 = cmpi less_than %9, %bcast_16, unsigned : tile<1024xi64> -> tile<1024xi1>
    %12 = muli %9, %cst_1_i64_4 : tile<1024xi64>
    %reshape_17 = reshape %assume_1 : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_18 = broadcast %reshape_17 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %13 = offset %bcast_18, %12 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %cst_0_f32_19 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_20 = reshape %cst_0_f32_19 : tile<f32> -> tile<1xf32>
    %bcast_21 = broadcast %reshape_20 : tile<1xf32> -> tile<1024xf32>
    %result_22, %result_token_23 = load_ptr_tko weak %13, %11, %bcast_21 token=%0 : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
    %14 = subf %result, %result_22 : tile<1024xf32>
    %15 = absf %14 : tile<1024xf32>
    %blockId_x_24, %blockId_y_25, %blockId_z_26 = get_tile_block_id : tile<i32>
    %cst_f32 = constant <f32: 5.000000e-01> : tile<f32>
    %reshape_27 = reshape %cst_f32 : tile<f32> -> tile<1xf32>
    %bcast_28 = broadcast %reshape_27 : tile<1xf32> -> tile<1024xf32>
    %16 = cmpf less_than ordered %15, %bcast_28 : tile<1024xf32> -> tile<1024xi1>
    %17 = mulf %15, %15 : tile<1024xf32>
    %cst_f32_29 = constant <f32: 2.500000e-01> : tile<f32>
    %reshape_30 = reshape %cst_f32_29 : tile<f32> -> tile<1xf32>
    %bcast_31 = broadcast %reshape_30 : tile<1xf32> -> tile<1024xf32>
    %18 = subf %15, %bcast_31 : tile<1024xf32>
    %19 = select %16, %17, %18 : tile<1024xi1>, tile<1024xf32>
    %reduce = reduce %19 dim=0 identities=[0.000000e+00 : f32] : tile<1024xf32> -> tile<f32>
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %20 = addf %reduce_lhs, %reduce_rhs : tile<f32>
      yield %20 : tile<f32>
    }
    %21 = exti %blockId_x_24 signed : tile<i32> -> tile<i64>
    %22 = exti %assume_8 signed : tile<i32> -> tile<i64>
    %23 = cmpi less_than %21, %22, unsigned : tile<i64> -> tile<i1>
    %24 = muli %21, %cst_1_i64_5 : tile<i64>
    %25 = offset %assume_3, %24 : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
    %assume_32 = assume div_by<4>, %25 : tile<ptr<f32>>
    %result_token_33 = store_ptr_tko weak %assume_32, %reduce, %23 token=%0 : tile<ptr<f32>>, tile<f32>, tile<i1> -> token
    return
  }
}
