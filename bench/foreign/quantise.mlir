// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by programs.py.
cuda_tile.module @kernels {
  entry @quantise(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<i8>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<f32>>, %arg11: tile<i32>, %arg12: tile<i32>) {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<4>, %arg3 : tile<i32>
    %assume_1 = assume div_by<16>, %arg5 : tile<ptr<i8>>
    %assume_2 = assume div_by<16>, %arg10 : tile<ptr<f32>>
    %cst_1_i64 = constant <i64: 1> : tile<1024xi64>
    %cst_1_i64_3 = constant <i64: 1> : tile<1024xi64>
    %cst_1_i64_4 = constant <i64: 1> : tile<i64>
    %assume_5 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_6 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_7 = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_8 = assume bounded<0, ?>, %arg6 : tile<i32>
    %assume_9 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_10 = assume bounded<0, ?>, %arg8 : tile<i32>
    %assume_11 = assume bounded<0, ?>, %arg11 : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %1 = iota : tile<1024xi32>
    %2 = exti %blockId_x signed : tile<i32> -> tile<i64>
    %reshape = reshape %2 : tile<i64> -> tile<1xi64>
    %bcast = broadcast %reshape : tile<1xi64> -> tile<1024xi64>
    %3 = exti %assume_5 signed : tile<i32> -> tile<i64>
    %reshape_12 = reshape %3 : tile<i64> -> tile<1xi64>
    %bcast_13 = broadcast %reshape_12 : tile<1xi64> -> tile<1024xi64>
    %4 = cmpi less_than %bcast, %bcast_13, unsigned : tile<1024xi64> -> tile<1024xi1>
    %5 = exti %assume_7 signed : tile<i32> -> tile<i64>
    %reshape_14 = reshape %5 : tile<i64> -> tile<1xi64>
    %bcast_15 = broadcast %reshape_14 : tile<1xi64> -> tile<1024xi64>
    %6 = muli %bcast, %bcast_15 : tile<1024xi64>
    %7 = exti %1 signed : tile<1024xi32> -> tile<1024xi64>
    %8 = exti %assume_6 signed : tile<i32> -> tile<i64>
    %reshape_16 = reshape %8 : tile<i64> -> tile<1xi64>
    %bcast_17 = broadcast %reshape_16 : tile<1xi64> -> tile<1024xi64>
    %9 = cmpi less_than %7, %bcast_17, unsigned : tile<1024xi64> -> tile<1024xi1>
    %10 = andi %4, %9 : tile<1024xi1>
    %11 = muli %7, %cst_1_i64 : tile<1024xi64>
    %12 = addi %6, %11 : tile<1024xi64>
    %reshape_18 = reshape %assume : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_19 = broadcast %reshape_18 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %13 = offset %bcast_19, %12 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_20 = reshape %cst_0_f32 : tile<f32> -> tile<1xf32>
    %bcast_21 = broadcast %reshape_20 : tile<1xf32> -> tile<1024xf32>
    %result, %result_token = load_ptr_tko weak %13, %10, %bcast_21 token=%0 : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
    %14 = absf %result : tile<1024xf32>
    %reduce = reduce %14 dim=0 identities=[0xFF800000 : f32] : tile<1024xf32> -> tile<f32>
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %15 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
      yield %15 : tile<f32>
    }
    %cst_127_f32 = constant <f32: 1.270000e+02> : tile<f32>
    %16 = divf %reduce, %cst_127_f32 : tile<f32>
    %reshape_22 = reshape %16 : tile<f32> -> tile<1xf32>
    %bcast_23 = broadcast %reshape_22 : tile<1xf32> -> tile<1024xf32>
    %17 = divf %result, %bcast_23 : tile<1024xf32>
    %cst_f32 = constant <f32: 5.000000e-01> : tile<f32>
    %reshape_24 = reshape %cst_f32 : tile<f32> -> tile<1xf32>
    %bcast_25 = broadcast %reshape_24 : tile<1xf32> -> tile<1024xf32>
    %18 = addf %17, %bcast_25 : tile<1024xf32>
    %19 = floor %18 : tile<1024xf32>
    %cst_f32_26 = constant <f32: -1.270000e+02> : tile<f32>
    %reshape_27 = reshape %cst_f32_26 : tile<f32> -> tile<1xf32>
    %bcast_28 = broadcast %reshape_27 : tile<1xf32> -> tile<1024xf32>
    %20 = maxf %19, %bcast_28 : tile<1024xf32>
    %cst_127_f32_29 = constant <f32: 1.270000e+02> : tile<f32>
    %reshape_30 = reshape %cst_127_f32_29 : tile<f32> -> tile<1xf32>
    %bcast_31 = broadcast %reshape_30 : tile<1xf32> -> tile<1024xf32>
    %21 = minf %20, %bcast_31 : tile<1024xf32>
    %22 = ftoi %21 signed : tile<1024xf32> -> tile<1024xi8>
    %23 = exti %blockId_x signed : tile<i32> -> tile<i64>
    %reshape_32 = reshape %23 : tile<i64> -> tile<1xi64>
    %bcast_33 = broadcast %reshape_32 : tile<1xi64> -> tile<1024xi64>
    %24 = exti %assume_8 signed : tile<i32> -> tile<i64>
    %reshape_34 = reshape %24 : tile<i64> -> tile<1xi64>
    %bcast_35 = broadcast %reshape_34 : tile<1xi64> -> tile<1024xi64>
    %25 = cmpi less_than %bcast_33, %bcast_35, unsigned : tile<1024xi64> -> tile<1024xi1>
    %26 = exti %assume_10 signed : tile<i32> -> tile<i64>
    %reshape_36 = reshape %26 : tile<i64> -> tile<1xi64>
    %bcast_37 = broadcast %reshape_36 : tile<1xi64> -> tile<1024xi64>
    %27 = muli %bcast_33, %bcast_37 : tile<1024xi64>
    %28 = exti %1 signed : tile<1024xi32> -> tile<1024xi64>
    %29 = exti %assume_9 signed : tile<i32> -> tile<i64>
    %reshape_38 = reshape %29 : tile<i64> -> tile<1xi64>
    %bcast_39 = broadcast %reshape_38 : tile<1xi64> -> tile<1024xi64>
    %30 = cmpi less_than %28, %bcast_39, unsigned : tile<1024xi64> -> tile<1024xi1>
    %31 = andi %25, %30 : tile<1024xi1>
    %32 = muli %28, %cst_1_i64_3 : tile<1024xi64>
    %33 = addi %27, %32 : tile<1024xi64>
    %reshape_40 = reshape %assume_1 : tile<ptr<i8>> -> tile<1xptr<i8>>
    %bcast_41 = broadcast %reshape_40 : tile<1xptr<i8>> -> tile<1024xptr<i8>>
    %34 = offset %bcast_41, %33 : tile<1024xptr<i8>>, tile<1024xi64> -> tile<1024xptr<i8>>
    %result_token_42 = store_ptr_tko weak %34, %22, %31 token=%0 : tile<1024xptr<i8>>, tile<1024xi8>, tile<1024xi1> -> token
    %35 = exti %blockId_x signed : tile<i32> -> tile<i64>
    %36 = exti %assume_11 signed : tile<i32> -> tile<i64>
    %37 = cmpi less_than %35, %36, unsigned : tile<i64> -> tile<i1>
    %38 = muli %35, %cst_1_i64_4 : tile<i64>
    %39 = offset %assume_2, %38 : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
    %assume_43 = assume div_by<4>, %39 : tile<ptr<f32>>
    %result_token_44 = store_ptr_tko weak %assume_43, %16, %37 token=%0 : tile<ptr<f32>>, tile<f32>, tile<i1> -> token
    return
  }
}
