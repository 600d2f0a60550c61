// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by programs.py.
cuda_tile.module @kernels {
  entry @softmax(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>) {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<4>, %arg3 : tile<i32>
    %assume_1 = assume div_by<16>, %arg5 : tile<ptr<f32>>
    %assume_2 = assume div_by<4>, %arg8 : tile<i32>
    %cst_1_i64 = constant <i64: 1> : tile<1024xi64>
    %cst_1_i64_3 = constant <i64: 1> : tile<1024xi64>
    %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_5 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_6 = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_7 = assume bounded<0, ?>, %arg6 : tile<i32>
    %assume_8 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_9 = assume bounded<0, ?>, %assume_2 : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %1 = iota : tile<1024xi32>
    %cst_f32 = constant <f32: 0xFF800000> : tile<f32>
    %2 = exti %blockId_x signed : tile<i32> -> tile<i64>
    %reshape = reshape %2 : tile<i64> -> tile<1xi64>
    %bcast = broadcast %reshape : tile<1xi64> -> tile<1024xi64>
    %3 = exti %assume_4 signed : tile<i32> -> tile<i64>
    %reshape_10 = reshape %3 : tile<i64> -> tile<1xi64>
    %bcast_11 = broadcast %reshape_10 : tile<1xi64> -> tile<1024xi64>
    %4 = cmpi less_than %bcast, %bcast_11, unsigned : tile<1024xi64> -> tile<1024xi1>
    %5 = exti %assume_6 signed : tile<i32> -> tile<i64>
    %reshape_12 = reshape %5 : tile<i64> -> tile<1xi64>
    %bcast_13 = broadcast %reshape_12 : tile<1xi64> -> tile<1024xi64>
    %6 = muli %bcast, %bcast_13 : tile<1024xi64>
    %7 = exti %1 signed : tile<1024xi32> -> tile<1024xi64>
    %8 = exti %assume_5 signed : tile<i32> -> tile<i64>
    %reshape_14 = reshape %8 : tile<i64> -> tile<1xi64>
    %bcast_15 = broadcast %reshape_14 : tile<1xi64> -> tile<1024xi64>
    %9 = cmpi less_than %7, %bcast_15, unsigned : tile<1024xi64> -> tile<1024xi1>
    %10 = andi %4, %9 : tile<1024xi1>
    %11 = muli %7, %cst_1_i64 : tile<1024xi64>
    %12 = addi %6, %11 : tile<1024xi64>
    %reshape_16 = reshape %assume : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_17 = broadcast %reshape_16 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %13 = offset %bcast_17, %12 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %reshape_18 = reshape %cst_f32 : tile<f32> -> tile<1xf32>
    %bcast_19 = broadcast %reshape_18 : tile<1xf32> -> tile<1024xf32>
    %result, %result_token = load_ptr_tko weak %13, %10, %bcast_19 token=%0 : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
    %reduce = reduce %result dim=0 identities=[0xFF800000 : f32] : tile<1024xf32> -> tile<f32>
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %14 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
      yield %14 : tile<f32>
    }
    %reshape_20 = reshape %reduce : tile<f32> -> tile<1xf32>
    %bcast_21 = broadcast %reshape_20 : tile<1xf32> -> tile<1024xf32>
    %15 = subf %result, %bcast_21 : tile<1024xf32>
    %16 = exp %15 : tile<1024xf32>
    %reduce_22 = reduce %16 dim=0 identities=[0.000000e+00 : f32] : tile<1024xf32> -> tile<f32>
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %17 = addf %reduce_lhs, %reduce_rhs : tile<f32>
      yield %17 : tile<f32>
    }
    %reshape_23 = reshape %reduce_22 : tile<f32> -> tile<1xf32>
    %bcast_24 = broadcast %reshape_23 : tile<1xf32> -> tile<1024xf32>
    %18 = divf %16, %bcast_24 : tile<1024xf32>
    %19 = exti %blockId_x signed : tile<i32> -> tile<i64>
    %reshape_25 = reshape %19 : tile<i64> -> tile<1xi64>
    %bcast_26 = broadcast %reshape_25 : tile<1xi64> -> tile<1024xi64>
    %20 = exti %assume_7 signed : tile<i32> -> tile<i64>
    %reshape_27 = reshape %20 : tile<i64> -> tile<1xi64>
    %bcast_28 = broadcast %reshape_27 : tile<1xi64> -> tile<1024xi64>
    %21 = cmpi less_than %bcast_26, %bcast_28, unsigned : tile<1024xi64> -> tile<1024xi1>
    %22 = exti %assume_9 signed : tile<i32> -> tile<i64>
    %reshape_29 = reshape %22 : tile<i64> -> tile<1xi64>
    %bcast_30 = broadcast %reshape_29 : tile<1xi64> -> tile<1024xi64>
    %23 = muli %bcast_26, %bcast_30 : tile<1024xi64>
    %24 = exti %1 signed : tile<1024xi32> -> tile<1024xi64>
    %25 = exti %assume_8 signed : tile<i32> -> tile<i64>
    %reshape_31 = reshape %25 : tile<i64> -> tile<1xi64>
    %bcast_32 = broadcast %reshape_31 : tile<1xi64> -> tile<1024xi64>
    %26 = cmpi less_than %24, %bcast_32, unsigned : tile<1024xi64> -> tile<1024xi1>
    %27 = andi %21, %26 : tile<1024xi1>
    %28 = muli %24, %cst_1_i64_3 : tile<1024xi64>
    %29 = addi %23, %28 : tile<1024xi64>
    %reshape_33 = reshape %assume_1 : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_34 = broadcast %reshape_33 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %30 = offset %bcast_34, %29 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %result_token_35 = store_ptr_tko weak %30, %18, %27 token=%0 : tile<1024xptr<f32>>, tile<1024xf32>, tile<1024xi1> -> token
    return
  }
}
