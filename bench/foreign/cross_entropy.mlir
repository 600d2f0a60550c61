// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by programs.py.
cuda_tile.module @kernels {
  entry @cross_entropy(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<i32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<ptr<f32>>, %arg9: tile<i32>, %arg10: tile<i32>) {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<4>, %arg3 : tile<i32>
    %assume_1 = assume div_by<16>, %arg5 : tile<ptr<i32>>
    %assume_2 = assume div_by<16>, %arg8 : tile<ptr<f32>>
    %cst_1_i64 = constant <i64: 1> : tile<1024xi64>
    %cst_1_i64_3 = constant <i64: 1> : tile<i64>
    %cst_1_i64_4 = constant <i64: 1> : tile<i64>
    %cst_1_i64_5 = constant <i64: 1> : tile<i64>
    %assume_6 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_7 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_8 = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_9 = assume bounded<0, ?>, %arg6 : tile<i32>
    %assume_10 = assume bounded<0, ?>, %arg9 : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %1 = iota : tile<1024xi32>
    %cst_f32 = constant <f32: 0xFF800000> : tile<f32>
    %2 = exti %blockId_x signed : tile<i32> -> tile<i64>
    %reshape = reshape %2 : tile<i64> -> tile<1xi64>
    %bcast = broadcast %reshape : tile<1xi64> -> tile<1024xi64>
    %3 = exti %assume_6 signed : tile<i32> -> tile<i64>
    %reshape_11 = reshape %3 : tile<i64> -> tile<1xi64>
    %bcast_12 = broadcast %reshape_11 : tile<1xi64> -> tile<1024xi64>
    %4 = cmpi less_than %bcast, %bcast_12, unsigned : tile<1024xi64> -> tile<1024xi1>
    %5 = exti %assume_8 signed : tile<i32> -> tile<i64>
    %reshape_13 = reshape %5 : tile<i64> -> tile<1xi64>
    %bcast_14 = broadcast %reshape_13 : tile<1xi64> -> tile<1024xi64>
    %6 = muli %bcast, %bcast_14 : tile<1024xi64>
    %7 = exti %1 signed : tile<1024xi32> -> tile<1024xi64>
    %8 = exti %assume_7 signed : tile<i32> -> tile<i64>
    %reshape_15 = reshape %8 : tile<i64> -> tile<1xi64>
    %bcast_16 = broadcast %reshape_15 : tile<1xi64> -> tile<1024xi64>
    %9 = cmpi less_than %7, %bcast_16, unsigned : tile<1024xi64> -> tile<1024xi1>
    %10 = andi %4, %9 : tile<1024xi1>
    %11 = muli %7, %cst_1_i64 : tile<1024xi64>
    %12 = addi %6, %11 : tile<1024xi64>
    %reshape_17 = reshape %assume : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_18 = broadcast %reshape_17 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %13 = offset %bcast_18, %12 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %reshape_19 = reshape %cst_f32 : tile<f32> -> tile<1xf32>
    %bcast_20 = broadcast %reshape_19 : tile<1xf32> -> tile<1024xf32>
    %result, %result_token = load_ptr_tko weak %13, %10, %bcast_20 token=%0 : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
    %reduce = reduce %result dim=0 identities=[0xFF800000 : f32] : tile<1024xf32> -> tile<f32>
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %14 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
      yield %14 : tile<f32>
    }
    %reshape_21 = reshape %reduce : tile<f32> -> tile<1xf32>
    %bcast_22 = broadcast %reshape_21 : tile<1xf32> -> tile<1024xf32>
    %15 = subf %result, %bcast_22 : tile<1024xf32>
    %16 = exp %15 : tile<1024xf32>
    %reduce_23 = reduce %16 dim=0 identities=[0.000000e+00 : f32] : tile<1024xf32> -> tile<f32>
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %17 = addf %reduce_lhs, %reduce_rhs : tile<f32>
      yield %17 : tile<f32>
    }
    %18 = log %reduce_23 : tile<f32>
    %19 = addf %18, %reduce : tile<f32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %20 = exti %blockId_x signed : tile<i32> -> tile<i64>
    %21 = exti %assume_9 signed : tile<i32> -> tile<i64>
    %22 = cmpi less_than %20, %21, unsigned : tile<i64> -> tile<i1>
    %23 = muli %20, %cst_1_i64_3 : tile<i64>
    %24 = offset %assume_1, %23 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
    %assume_24 = assume div_by<4>, %24 : tile<ptr<i32>>
    %result_25, %result_token_26 = load_ptr_tko weak %assume_24, %22, %cst_0_i32 token=%0 : tile<ptr<i32>>, tile<i1>, tile<i32> -> tile<i32>, token
    %25 = exti %blockId_x signed : tile<i32> -> tile<i64>
    %26 = exti %assume_6 signed : tile<i32> -> tile<i64>
    %27 = cmpi less_than %25, %26, unsigned : tile<i64> -> tile<i1>
    %28 = exti %assume_8 signed : tile<i32> -> tile<i64>
    %29 = muli %25, %28 : tile<i64>
    %30 = exti %result_25 signed : tile<i32> -> tile<i64>
    %31 = exti %assume_7 signed : tile<i32> -> tile<i64>
    %32 = cmpi less_than %30, %31, unsigned : tile<i64> -> tile<i1>
    %33 = andi %27, %32 : tile<i1>
    %34 = muli %30, %cst_1_i64_4 : tile<i64>
    %35 = addi %29, %34 : tile<i64>
    %36 = offset %assume, %35 : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
    %assume_27 = assume div_by<4>, %36 : tile<ptr<f32>>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
    %result_28, %result_token_29 = load_ptr_tko weak %assume_27, %33, %cst_0_f32 token=%0 : tile<ptr<f32>>, tile<i1>, tile<f32> -> tile<f32>, token
    %37 = subf %19, %result_28 : tile<f32>
    %38 = exti %blockId_x signed : tile<i32> -> tile<i64>
    %39 = exti %assume_10 signed : tile<i32> -> tile<i64>
    %40 = cmpi less_than %38, %39, unsigned : tile<i64> -> tile<i1>
    %41 = muli %38, %cst_1_i64_5 : tile<i64>
    %42 = offset %assume_2, %41 : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
    %assume_30 = assume div_by<4>, %42 : tile<ptr<f32>>
    %result_token_31 = store_ptr_tko weak %assume_30, %37, %40 token=%0 : tile<ptr<f32>>, tile<f32>, tile<i1> -> token
    return
  }
}
