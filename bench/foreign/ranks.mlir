// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by programs.py.
cuda_tile.module @kernels {
  entry @ranks(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<i32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>) {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg2 : tile<i32>
    %assume_1 = assume div_by<4>, %arg3 : tile<i32>
    %assume_2 = assume div_by<16>, %arg5 : tile<ptr<i32>>
    %assume_3 = assume div_by<16>, %arg7 : tile<i32>
    %assume_4 = assume div_by<4>, %arg8 : tile<i32>
    %cst_1_i64 = constant <i64: 1> : tile<64xi64>
    %cst_1_i64_5 = constant <i64: 1> : tile<64xi64>
    %assume_6 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_7 = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_8 = assume bounded<0, ?>, %assume_1 : tile<i32>
    %assume_9 = assume bounded<0, ?>, %arg6 : tile<i32>
    %assume_10 = assume bounded<0, ?>, %assume_3 : tile<i32>
    %assume_11 = assume bounded<0, ?>, %assume_4 : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %1 = iota : tile<64xi32>
    %2 = exti %blockId_x signed : tile<i32> -> tile<i64>
    %reshape = reshape %2 : tile<i64> -> tile<1xi64>
    %bcast = broadcast %reshape : tile<1xi64> -> tile<64xi64>
    %3 = exti %assume_6 signed : tile<i32> -> tile<i64>
    %reshape_12 = reshape %3 : tile<i64> -> tile<1xi64>
    %bcast_13 = broadcast %reshape_12 : tile<1xi64> -> tile<64xi64>
    %4 = cmpi less_than %bcast, %bcast_13, unsigned : tile<64xi64> -> tile<64xi1>
    %5 = exti %assume_8 signed : tile<i32> -> tile<i64>
    %reshape_14 = reshape %5 : tile<i64> -> tile<1xi64>
    %bcast_15 = broadcast %reshape_14 : tile<1xi64> -> tile<64xi64>
    %6 = muli %bcast, %bcast_15 : tile<64xi64>
    %7 = exti %1 signed : tile<64xi32> -> tile<64xi64>
    %8 = exti %assume_7 signed : tile<i32> -> tile<i64>
    %reshape_16 = reshape %8 : tile<i64> -> tile<1xi64>
    %bcast_17 = broadcast %reshape_16 : tile<1xi64> -> tile<64xi64>
    %9 = cmpi less_than %7, %bcast_17, unsigned : tile<64xi64> -> tile<64xi1>
    %10 = andi %4, %9 : tile<64xi1>
    %11 = muli %7, %cst_1_i64 : tile<64xi64>
    %12 = addi %6, %11 : tile<64xi64>
    %reshape_18 = reshape %assume : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_19 = broadcast %reshape_18 : tile<1xptr<f32>> -> tile<64xptr<f32>>
    %13 = offset %bcast_19, %12 : tile<64xptr<f32>>, tile<64xi64> -> tile<64xptr<f32>>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_20 = reshape %cst_0_f32 : tile<f32> -> tile<1xf32>
    %bcast_21 = broadcast %reshape_20 : tile<1xf32> -> tile<64xf32>
    %result, %result_token = load_ptr_tko weak %13, %10, %bcast_21 token=%0 : tile<64xptr<f32>>, tile<64xi1>, tile<64xf32> -> tile<64xf32>, token
    %reshape_22 = reshape %result : tile<64xf32> -> tile<64x1xf32>
    %reshape_23 = reshape %result : tile<64xf32> -> tile<1x64xf32>
    %bcast_24 = broadcast %reshape_22 : tile<64x1xf32> -> tile<64x64xf32>
    %bcast_25 = broadcast %reshape_23 : tile<1x64xf32> -> tile<64x64xf32>
    %14 = cmpf greater_than ordered %bcast_24, %bcast_25 : tile<64x64xf32> -> tile<64x64xi1>
    %15 = exti %14 unsigned : tile<64x64xi1> -> tile<64x64xi32>
    %reduce = reduce %15 dim=1 identities=[0 : i32] : tile<64x64xi32> -> tile<64xi32>
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %16 = addi %reduce_lhs, %reduce_rhs : tile<i32>
      yield %16 : tile<i32>
    }
    %17 = exti %blockId_x signed : tile<i32> -> tile<i64>
    %reshape_26 = reshape %17 : tile<i64> -> tile<1xi64>
    %bcast_27 = broadcast %reshape_26 : tile<1xi64> -> tile<64xi64>
    %18 = exti %assume_9 signed : tile<i32> -> tile<i64>
    %reshape_28 = reshape %18 : tile<i64> -> tile<1xi64>
    %bcast_29 = broadcast %reshape_28 : tile<1xi64> -> tile<64xi64>
    %19 = cmpi less_than %bcast_27, %bcast_29, unsigned : tile<64xi64> -> tile<64xi1>
    %20 = exti %assume_11 signed : tile<i32> -> tile<i64>
    %reshape_30 = reshape %20 : tile<i64> -> tile<1xi64>
    %bcast_31 = broadcast %reshape_30 : tile<1xi64> -> tile<64xi64>
    %21 = muli %bcast_27, %bcast_31 : tile<64xi64>
    %22 = exti %1 signed : tile<64xi32> -> tile<64xi64>
    %23 = exti %assume_10 signed : tile<i32> -> tile<i64>
    %reshape_32 = reshape %23 : tile<i64> -> tile<1xi64>
    %bcast_33 = broadcast %reshape_32 : tile<1xi64> -> tile<64xi64>
    %24 = cmpi less_than %22, %bcast_33, unsigned : tile<64xi64> -> tile<64xi1>
    %25 = andi %19, %24 : tile<64xi1>
    %26 = muli %22, %cst_1_i64_5 : tile<64xi64>
    %27 = addi %21, %26 : tile<64xi64>
    %reshape_34 = reshape %assume_2 : tile<ptr<i32>> -> tile<1xptr<i32>>
    %bcast_35 = broadcast %reshape_34 : tile<1xptr<i32>> -> tile<64xptr<i32>>
    %28 = offset %bcast_35, %27 : tile<64xptr<i32>>, tile<64xi64> -> tile<64xptr<i32>>
    %result_token_36 = store_ptr_tko weak %28, %reduce, %25 token=%0 : tile<64xptr<i32>>, tile<64xi32>, tile<64xi1> -> token
    return
  }
}
