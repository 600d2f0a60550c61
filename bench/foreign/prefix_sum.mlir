// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by programs.py.
cuda_tile.module @kernels {
  entry @prefix_sum(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>) {
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
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_18 = reshape %cst_0_f32 : tile<f32> -> tile<1xf32>
    %bcast_19 = broadcast %reshape_18 : tile<1xf32> -> tile<1024xf32>
    %result, %result_token = load_ptr_tko weak %13, %10, %bcast_19 token=%0 : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
    %scan = scan %result dim=0 reverse=false identities=[0.000000e+00 : f32] : tile<1024xf32> -> tile<1024xf32>
    (%scan_lhs: tile<f32>, %scan_rhs: tile<f32>) {
      %14 = addf %scan_lhs, %scan_rhs : tile<f32>
      yield %14 : tile<f32>
    }
    %15 = exti %blockId_x signed : tile<i32> -> tile<i64>
    %reshape_20 = reshape %15 : tile<i64> -> tile<1xi64>
    %bcast_21 = broadcast %reshape_20 : tile<1xi64> -> tile<1024xi64>
    %16 = exti %assume_7 signed : tile<i32> -> tile<i64>
    %reshape_22 = reshape %16 : tile<i64> -> tile<1xi64>
    %bcast_23 = broadcast %reshape_22 : tile<1xi64> -> tile<1024xi64>
    %17 = cmpi less_than %bcast_21, %bcast_23, unsigned : tile<1024xi64> -> tile<1024xi1>
    %18 = exti %assume_9 signed : tile<i32> -> tile<i64>
    %reshape_24 = reshape %18 : tile<i64> -> tile<1xi64>
    %bcast_25 = broadcast %reshape_24 : tile<1xi64> -> tile<1024xi64>
    %19 = muli %bcast_21, %bcast_25 : tile<1024xi64>
    %20 = exti %1 signed : tile<1024xi32> -> tile<1024xi64>
    %21 = exti %assume_8 signed : tile<i32> -> tile<i64>
    %reshape_26 = reshape %21 : tile<i64> -> tile<1xi64>
    %bcast_27 = broadcast %reshape_26 : tile<1xi64> -> tile<1024xi64>
    %22 = cmpi less_than %20, %bcast_27, unsigned : tile<1024xi64> -> tile<1024xi1>
    %23 = andi %17, %22 : tile<1024xi1>
    %24 = muli %20, %cst_1_i64_3 : tile<1024xi64>
    %25 = addi %19, %24 : tile<1024xi64>
    %reshape_28 = reshape %assume_1 : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_29 = broadcast %reshape_28 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %26 = offset %bcast_29, %25 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %result_token_30 = store_ptr_tko weak %26, %scan, %23 token=%0 : tile<1024xptr<f32>>, tile<1024xf32>, tile<1024xi1> -> token
    return
  }
}
