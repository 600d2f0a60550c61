// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by programs.py.
cuda_tile.module @kernels {
  entry @layer_norm(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<ptr<f32>>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<ptr<f32>>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<i32>, %arg16: tile<i32>) {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<4>, %arg3 : tile<i32>
    %assume_1 = assume div_by<16>, %arg5 : tile<ptr<f32>>
    %assume_2 = assume div_by<16>, %arg8 : tile<ptr<f32>>
    %assume_3 = assume div_by<16>, %arg11 : tile<ptr<f32>>
    %assume_4 = assume div_by<4>, %arg14 : tile<i32>
    %cst_1_i64 = constant <i64: 1> : tile<1024xi64>
    %cst_1_i64_5 = constant <i64: 1> : tile<1024xi64>
    %cst_1_i64_6 = constant <i64: 1> : tile<1024xi64>
    %cst_1_i64_7 = constant <i64: 1> : tile<1024xi64>
    %assume_8 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_9 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_10 = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_11 = assume bounded<0, ?>, %arg6 : tile<i32>
    %assume_12 = assume bounded<0, ?>, %arg9 : tile<i32>
    %assume_13 = assume bounded<0, ?>, %arg12 : tile<i32>
    %assume_14 = assume bounded<0, ?>, %arg13 : tile<i32>
    %assume_15 = assume bounded<0, ?>, %assume_4 : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %1 = iota : tile<1024xi32>
    %2 = exti %blockId_x signed : tile<i32> -> tile<i64>
    %reshape = reshape %2 : tile<i64> -> tile<1xi64>
    %bcast = broadcast %reshape : tile<1xi64> -> tile<1024xi64>
    %3 = exti %assume_8 signed : tile<i32> -> tile<i64>
    %reshape_16 = reshape %3 : tile<i64> -> tile<1xi64>
    %bcast_17 = broadcast %reshape_16 : tile<1xi64> -> tile<1024xi64>
    %4 = cmpi less_than %bcast, %bcast_17, unsigned : tile<1024xi64> -> tile<1024xi1>
    %5 = exti %assume_10 signed : tile<i32> -> tile<i64>
    %reshape_18 = reshape %5 : tile<i64> -> tile<1xi64>
    %bcast_19 = broadcast %reshape_18 : tile<1xi64> -> tile<1024xi64>
    %6 = muli %bcast, %bcast_19 : tile<1024xi64>
    %7 = exti %1 signed : tile<1024xi32> -> tile<1024xi64>
    %8 = exti %assume_9 signed : tile<i32> -> tile<i64>
    %reshape_20 = reshape %8 : tile<i64> -> tile<1xi64>
    %bcast_21 = broadcast %reshape_20 : tile<1xi64> -> tile<1024xi64>
    %9 = cmpi less_than %7, %bcast_21, unsigned : tile<1024xi64> -> tile<1024xi1>
    %10 = andi %4, %9 : tile<1024xi1>
    %11 = muli %7, %cst_1_i64 : tile<1024xi64>
    %12 = addi %6, %11 : tile<1024xi64>
    %reshape_22 = reshape %assume : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_23 = broadcast %reshape_22 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %13 = offset %bcast_23, %12 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_24 = reshape %cst_0_f32 : tile<f32> -> tile<1xf32>
    %bcast_25 = broadcast %reshape_24 : tile<1xf32> -> tile<1024xf32>
    %result, %result_token = load_ptr_tko weak %13, %10, %bcast_25 token=%0 : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
    %reduce = reduce %result dim=0 identities=[0.000000e+00 : f32] : tile<1024xf32> -> tile<f32>
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %14 = addf %reduce_lhs, %reduce_rhs : tile<f32>
      yield %14 : tile<f32>
    }
    %15 = itof %arg16 signed : tile<i32> -> tile<f32>
    %16 = divf %reduce, %15 : tile<f32>
    %reshape_26 = reshape %arg16 : tile<i32> -> tile<1xi32>
    %bcast_27 = broadcast %reshape_26 : tile<1xi32> -> tile<1024xi32>
    %17 = cmpi less_than %1, %bcast_27, signed : tile<1024xi32> -> tile<1024xi1>
    %reshape_28 = reshape %16 : tile<f32> -> tile<1xf32>
    %bcast_29 = broadcast %reshape_28 : tile<1xf32> -> tile<1024xf32>
    %18 = subf %result, %bcast_29 : tile<1024xf32>
    %cst_0_f32_30 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_31 = reshape %cst_0_f32_30 : tile<f32> -> tile<1xf32>
    %bcast_32 = broadcast %reshape_31 : tile<1xf32> -> tile<1024xf32>
    %19 = select %17, %18, %bcast_32 : tile<1024xi1>, tile<1024xf32>
    %20 = mulf %19, %19 : tile<1024xf32>
    %reduce_33 = reduce %20 dim=0 identities=[0.000000e+00 : f32] : tile<1024xf32> -> tile<f32>
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %21 = addf %reduce_lhs, %reduce_rhs : tile<f32>
      yield %21 : tile<f32>
    }
    %22 = itof %arg16 signed : tile<i32> -> tile<f32>
    %23 = divf %reduce_33, %22 : tile<f32>
    %cst_f32 = constant <f32: 1.000000e-05> : tile<f32>
    %24 = addf %23, %cst_f32 : tile<f32>
    %25 = rsqrt %24 : tile<f32>
    %reshape_34 = reshape %25 : tile<f32> -> tile<1xf32>
    %bcast_35 = broadcast %reshape_34 : tile<1xf32> -> tile<1024xf32>
    %26 = mulf %19, %bcast_35 : tile<1024xf32>
    %27 = exti %1 signed : tile<1024xi32> -> tile<1024xi64>
    %28 = exti %assume_11 signed : tile<i32> -> tile<i64>
    %reshape_36 = reshape %28 : tile<i64> -> tile<1xi64>
    %bcast_37 = broadcast %reshape_36 : tile<1xi64> -> tile<1024xi64>
    %29 = cmpi less_than %27, %bcast_37, unsigned : tile<1024xi64> -> tile<1024xi1>
    %30 = muli %27, %cst_1_i64_5 : tile<1024xi64>
    %reshape_38 = reshape %assume_1 : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_39 = broadcast %reshape_38 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %31 = offset %bcast_39, %30 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %cst_0_f32_40 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_41 = reshape %cst_0_f32_40 : tile<f32> -> tile<1xf32>
    %bcast_42 = broadcast %reshape_41 : tile<1xf32> -> tile<1024xf32>
    %result_43, %result_token_44 = load_ptr_tko weak %31, %29, %bcast_42 token=%0 : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
    %32 = exti %1 signed : tile<1024xi32> -> tile<1024xi64>
    %33 = exti %assume_12 signed : tile<i32> -> tile<i64>
    %reshape_45 = reshape %33 : tile<i64> -> tile<1xi64>
    %bcast_46 = broadcast %reshape_45 : tile<1xi64> -> tile<1024xi64>
    %34 = cmpi less_than %32, %bcast_46, unsigned : tile<1024xi64> -> tile<1024xi1>
    %35 = muli %32, %cst_1_i64_6 : tile<1024xi64>
    %reshape_47 = reshape %assume_2 : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_48 = broadcast %reshape_47 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %36 = offset %bcast_48, %35 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %cst_0_f32_49 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_50 = reshape %cst_0_f32_49 : tile<f32> -> tile<1xf32>
    %bcast_51 = broadcast %reshape_50 : tile<1xf32> -> tile<1024xf32>
    %result_52, %result_token_53 = load_ptr_tko weak %36, %34, %bcast_51 token=%0 : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
    %37 = fma %26, %result_43, %result_52 : tile<1024xf32>
    %38 = exti %blockId_x signed : tile<i32> -> tile<i64>
    %reshape_54 = reshape %38 : tile<i64> -> tile<1xi64>
    %bcast_55 = broadcast %reshape_54 : tile<1xi64> -> tile<1024xi64>
    %39 = exti %assume_13 signed : tile<i32> -> tile<i64>
    %reshape_56 = reshape %39 : tile<i64> -> tile<1xi64>
    %bcast_57 = broadcast %reshape_56 : tile<1xi64> -> tile<1024xi64>
    %40 = cmpi less_than %bcast_55, %bcast_57, unsigned : tile<1024xi64> -> tile<1024xi1>
    %41 = exti %assume_15 signed : tile<i32> -> tile<i64>
    %reshape_58 = reshape %41 : tile<i64> -> tile<1xi64>
    %bcast_59 = broadcast %reshape_58 : tile<1xi64> -> tile<1024xi64>
    %42 = muli %bcast_55, %bcast_59 : tile<1024xi64>
    %43 = exti %1 signed : tile<1024xi32> -> tile<1024xi64>
    %44 = exti %assume_14 signed : tile<i32> -> tile<i64>
    %reshape_60 = reshape %44 : tile<i64> -> tile<1xi64>
    %bcast_61 = broadcast %reshape_60 : tile<1xi64> -> tile<1024xi64>
    %45 = cmpi less_than %43, %bcast_61, unsigned : tile<1024xi64> -> tile<1024xi1>
    %46 = andi %40, %45 : tile<1024xi1>
    %47 = muli %43, %cst_1_i64_7 : tile<1024xi64>
    %48 = addi %42, %47 : tile<1024xi64>
    %reshape_62 = reshape %assume_3 : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_63 = broadcast %reshape_62 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %49 = offset %bcast_63, %48 : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %result_token_64 = store_ptr_tko weak %49, %37, %46 token=%0 : tile<1024xptr<f32>>, tile<1024xf32>, tile<1024xi1> -> token
    return
  }
}
