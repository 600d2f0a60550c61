// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by programs.py.
cuda_tile.module @kernels {
  entry @sample(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<i32>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>) {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<4>, %arg3 : tile<i32>
    %assume_1 = assume div_by<16>, %arg5 : tile<ptr<f32>>
    %assume_2 = assume div_by<4>, %arg8 : tile<i32>
    %assume_3 = assume div_by<16>, %arg10 : tile<ptr<i32>>
    %cst_1_i64 = constant <i64: 1> : tile<1024xi64>
    %cst_1_i64_4 = constant <i64: 1> : tile<1024xi64>
    %cst_1_i64_5 = constant <i64: 1> : tile<i64>
    %assume_6 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_7 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_8 = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_9 = assume bounded<0, ?>, %arg6 : tile<i32>
    %assume_10 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_11 = assume bounded<0, ?>, %assume_2 : tile<i32>
    %assume_12 = assume bounded<0, ?>, %arg11 : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %1 = iota : tile<1024xi32>
    %cst_f32 = constant <f32: 5.000000e-01> : tile<f32>
    %2 = exti %blockId_x signed : tile<i32> -> tile<i64>
    %reshape = reshape %2 : tile<i64> -> tile<1xi64>
    %bcast = broadcast %reshape : tile<1xi64> -> tile<1024xi64>
    %3 = exti %assume_9 signed : tile<i32> -> tile<i64>
    %reshape_13 = reshape %3 : tile<i64> -> tile<1xi64>
    %bcast_14 = broadcast %reshape_13 : tile<1xi64> -> tile<1024xi64>
    %4 = cmpi less_than %bcast, %bcast_14, unsigned : tile<1024xi64> -> tile<1024xi1>
    %5 = exti %assume_11 signed : tile<i32> -> tile<i64>
    %reshape_15 = reshape %5 : tile<i64> -> tile<1xi64>
    %bcast_16 = broadcast %reshape_15 : tile<1xi64> -> tile<1024xi64>
    %6 = muli %bcast, %bcast_16 : tile<1024xi64>
    %7 = exti %1 signed : tile<1024xi32> -> tile<1024xi64>
    %8 = exti %assume_10 signed : tile<i32> -> tile<i64>
    %reshape_17 = reshape %8 : tile<i64> -> tile<1xi64>
    %bcast_18 = broadcast %reshape_17 : tile<1xi64> -> tile<1024xi64>
    %9 = cmpi less_than %7, %bcast_18, unsigned : tile<1024xi64> -> tile<1024xi1>
    %10 = andi %4, %9 : tile<1024xi1>
    %11 = muli %7, %cst_1_i64 : tile<1024xi64>
    %12 = addi %6, %11 : tile<1024xi64>
    %reshape_19 = reshape %assume_1 : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_20 = broadcast %reshape_19 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %13 = offset %bcast_20, %12 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %reshape_21 = reshape %cst_f32 : tile<f32> -> tile<1xf32>
    %bcast_22 = broadcast %reshape_21 : tile<1xf32> -> tile<1024xf32>
    %result, %result_token = load_ptr_tko weak %13, %10, %bcast_22 token=%0 : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
    %14 = log %result : tile<1024xf32>
    %15 = negf %14 : tile<1024xf32>
    %16 = log %15 : tile<1024xf32>
    %17 = negf %16 : tile<1024xf32>
    %cst_f32_23 = constant <f32: 0xFF800000> : tile<f32>
    %18 = exti %blockId_x signed : tile<i32> -> tile<i64>
    %reshape_24 = reshape %18 : tile<i64> -> tile<1xi64>
    %bcast_25 = broadcast %reshape_24 : tile<1xi64> -> tile<1024xi64>
    %19 = exti %assume_6 signed : tile<i32> -> tile<i64>
    %reshape_26 = reshape %19 : tile<i64> -> tile<1xi64>
    %bcast_27 = broadcast %reshape_26 : tile<1xi64> -> tile<1024xi64>
    %20 = cmpi less_than %bcast_25, %bcast_27, unsigned : tile<1024xi64> -> tile<1024xi1>
    %21 = exti %assume_8 signed : tile<i32> -> tile<i64>
    %reshape_28 = reshape %21 : tile<i64> -> tile<1xi64>
    %bcast_29 = broadcast %reshape_28 : tile<1xi64> -> tile<1024xi64>
    %22 = muli %bcast_25, %bcast_29 : tile<1024xi64>
    %23 = exti %1 signed : tile<1024xi32> -> tile<1024xi64>
    %24 = exti %assume_7 signed : tile<i32> -> tile<i64>
    %reshape_30 = reshape %24 : tile<i64> -> tile<1xi64>
    %bcast_31 = broadcast %reshape_30 : tile<1xi64> -> tile<1024xi64>
    %25 = cmpi less_than %23, %bcast_31, unsigned : tile<1024xi64> -> tile<1024xi1>
    %26 = andi %20, %25 : tile<1024xi1>
    %27 = muli %23, %cst_1_i64_4 : tile<1024xi64>
    %28 = addi %22, %27 : tile<1024xi64>
    %reshape_32 = reshape %assume : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_33 = broadcast %reshape_32 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %29 = offset %bcast_33, %28 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %reshape_34 = reshape %cst_f32_23 : tile<f32> -> tile<1xf32>
    %bcast_35 = broadcast %reshape_34 : tile<1xf32> -> tile<1024xf32>
    %result_36, %result_token_37 = load_ptr_tko weak %29, %26, %bcast_35 token=%0 : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
    %cst_4_f32 = constant <f32: 4.000000e+00> : tile<f32>
    %reshape_38 = reshape %cst_4_f32 : tile<f32> -> tile<1xf32>
    %bcast_39 = broadcast %reshape_38 : tile<1xf32> -> tile<1024xf32>
    %30 = fma %result_36, %bcast_39, %17 : tile<1024xf32>
    %reduce = reduce %30 dim=0 identities=[0xFF800000 : f32] : tile<1024xf32> -> tile<f32>
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %31 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
      yield %31 : tile<f32>
    }
    %reshape_40 = reshape %reduce : tile<f32> -> tile<1xf32>
    %bcast_41 = broadcast %reshape_40 : tile<1xf32> -> tile<1024xf32>
    %32 = cmpf equal ordered %30, %bcast_41 : tile<1024xf32> -> tile<1024xi1>
    %reshape_42 = reshape %arg13 : tile<i32> -> tile<1xi32>
    %bcast_43 = broadcast %reshape_42 : tile<1xi32> -> tile<1024xi32>
    %33 = select %32, %1, %bcast_43 : tile<1024xi1>, tile<1024xi32>
    %reduce_44 = reduce %33 dim=0 identities=[2147483647 : i32] : tile<1024xi32> -> tile<i32>
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %34 = mini %reduce_lhs, %reduce_rhs signed : tile<i32>
      yield %34 : tile<i32>
    }
    %35 = exti %blockId_x signed : tile<i32> -> tile<i64>
    %36 = exti %assume_12 signed : tile<i32> -> tile<i64>
    %37 = cmpi less_than %35, %36, unsigned : tile<i64> -> tile<i1>
    %38 = muli %35, %cst_1_i64_5 : tile<i64>
    %39 = offset %assume_3, %38 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
    %assume_45 = assume div_by<4>, %39 : tile<ptr<i32>>
    %result_token_46 = store_ptr_tko weak %assume_45, %reduce_44, %37 token=%0 : tile<ptr<i32>>, tile<i32>, tile<i1> -> token
    return
  }
}
