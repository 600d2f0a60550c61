// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by programs.py.
cuda_tile.module @kernels {
  entry @sparse_rows(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<f32>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<f32>>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<ptr<f32>>, %arg13: tile<i32>, %arg14: tile<i32>) {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
    %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
    %assume_1 = assume div_by<16>, %arg4 : tile<i32>
    %assume_2 = assume div_by<16>, %arg6 : tile<ptr<f32>>
    %assume_3 = assume div_by<16>, %arg7 : tile<i32>
    %assume_4 = assume div_by<16>, %arg9 : tile<ptr<f32>>
    %assume_5 = assume div_by<16>, %arg10 : tile<i32>
    %assume_6 = assume div_by<16>, %arg12 : tile<ptr<f32>>
    %assume_7 = assume div_by<16>, %arg13 : tile<i32>
    %cst_1_i64 = constant <i64: 1> : tile<i64>
    %cst_1_i64_8 = constant <i64: 1> : tile<i64>
    %cst_1_i64_9 = constant <i64: 1> : tile<64xi64>
    %cst_0_i32 = constant <i32: 0> : tile<64xi32>
    %cst_1_i64_10 = constant <i64: 1> : tile<64xi64>
    %cst_1_i64_11 = constant <i64: 1> : tile<64xi64>
    %cst_1_i64_12 = constant <i64: 1> : tile<i64>
    %assume_13 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_14 = assume bounded<0, ?>, %assume_1 : tile<i32>
    %assume_15 = assume bounded<0, ?>, %assume_3 : tile<i32>
    %assume_16 = assume bounded<0, ?>, %assume_5 : tile<i32>
    %assume_17 = assume bounded<0, ?>, %assume_7 : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %cst_0_i32_18 = constant <i32: 0> : tile<i32>
    %1 = exti %blockId_x signed : tile<i32> -> tile<i64>
    %2 = exti %assume_13 signed : tile<i32> -> tile<i64>
    %3 = cmpi less_than %1, %2, unsigned : tile<i64> -> tile<i1>
    %4 = muli %1, %cst_1_i64 : tile<i64>
    %5 = offset %assume, %4 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
    %assume_19 = assume div_by<4>, %5 : tile<ptr<i32>>
    %result, %result_token = load_ptr_tko weak %assume_19, %3, %cst_0_i32_18 token=%0 : tile<ptr<i32>>, tile<i1>, tile<i32> -> tile<i32>, token
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %6 = addi %blockId_x, %cst_1_i32 : tile<i32>
    %cst_0_i32_20 = constant <i32: 0> : tile<i32>
    %7 = exti %6 signed : tile<i32> -> tile<i64>
    %8 = exti %assume_13 signed : tile<i32> -> tile<i64>
    %9 = cmpi less_than %7, %8, unsigned : tile<i64> -> tile<i1>
    %10 = muli %7, %cst_1_i64_8 : tile<i64>
    %11 = offset %assume, %10 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
    %assume_21 = assume div_by<4>, %11 : tile<ptr<i32>>
    %result_22, %result_token_23 = load_ptr_tko weak %assume_21, %9, %cst_0_i32_20 token=%0 : tile<ptr<i32>>, tile<i1>, tile<i32> -> tile<i32>, token
    %12 = iota : tile<64xi32>
    %reshape = reshape %result : tile<i32> -> tile<1xi32>
    %bcast = broadcast %reshape : tile<1xi32> -> tile<64xi32>
    %13 = addi %bcast, %12 : tile<64xi32>
    %reshape_24 = reshape %result_22 : tile<i32> -> tile<1xi32>
    %bcast_25 = broadcast %reshape_24 : tile<1xi32> -> tile<64xi32>
    %14 = cmpi less_than %13, %bcast_25, signed : tile<64xi32> -> tile<64xi1>
    %15 = exti %13 signed : tile<64xi32> -> tile<64xi64>
    %16 = exti %assume_14 signed : tile<i32> -> tile<i64>
    %reshape_26 = reshape %16 : tile<i64> -> tile<1xi64>
    %bcast_27 = broadcast %reshape_26 : tile<1xi64> -> tile<64xi64>
    %17 = cmpi less_than %15, %bcast_27, unsigned : tile<64xi64> -> tile<64xi1>
    %18 = muli %15, %cst_1_i64_9 : tile<64xi64>
    %reshape_28 = reshape %assume_0 : tile<ptr<i32>> -> tile<1xptr<i32>>
    %bcast_29 = broadcast %reshape_28 : tile<1xptr<i32>> -> tile<64xptr<i32>>
    %19 = offset %bcast_29, %18 : tile<64xptr<i32>>, tile<64xi64> -> tile<64xptr<i32>>
    %20 = andi %17, %14 : tile<64xi1>
    %result_30, %result_token_31 = load_ptr_tko weak %19, %20, %cst_0_i32 token=%0 : tile<64xptr<i32>>, tile<64xi1>, tile<64xi32> -> tile<64xi32>, token
    %reshape_32 = reshape %result_22 : tile<i32> -> tile<1xi32>
    %bcast_33 = broadcast %reshape_32 : tile<1xi32> -> tile<64xi32>
    %21 = cmpi less_than %13, %bcast_33, signed : tile<64xi32> -> tile<64xi1>
    %22 = exti %13 signed : tile<64xi32> -> tile<64xi64>
    %23 = exti %assume_15 signed : tile<i32> -> tile<i64>
    %reshape_34 = reshape %23 : tile<i64> -> tile<1xi64>
    %bcast_35 = broadcast %reshape_34 : tile<1xi64> -> tile<64xi64>
    %24 = cmpi less_than %22, %bcast_35, unsigned : tile<64xi64> -> tile<64xi1>
    %25 = muli %22, %cst_1_i64_10 : tile<64xi64>
    %reshape_36 = reshape %assume_2 : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_37 = broadcast %reshape_36 : tile<1xptr<f32>> -> tile<64xptr<f32>>
    %26 = offset %bcast_37, %25 : tile<64xptr<f32>>, tile<64xi64> -> tile<64xptr<f32>>
    %27 = andi %24, %21 : tile<64xi1>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_38 = reshape %cst_0_f32 : tile<f32> -> tile<1xf32>
    %bcast_39 = broadcast %reshape_38 : tile<1xf32> -> tile<64xf32>
    %result_40, %result_token_41 = load_ptr_tko weak %26, %27, %bcast_39 token=%0 : tile<64xptr<f32>>, tile<64xi1>, tile<64xf32> -> tile<64xf32>, token
    %28 = exti %result_30 signed : tile<64xi32> -> tile<64xi64>
    %29 = exti %assume_16 signed : tile<i32> -> tile<i64>
    %reshape_42 = reshape %29 : tile<i64> -> tile<1xi64>
    %bcast_43 = broadcast %reshape_42 : tile<1xi64> -> tile<64xi64>
    %30 = cmpi less_than %28, %bcast_43, unsigned : tile<64xi64> -> tile<64xi1>
    %31 = muli %28, %cst_1_i64_11 : tile<64xi64>
    %reshape_44 = reshape %assume_4 : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_45 = broadcast %reshape_44 : tile<1xptr<f32>> -> tile<64xptr<f32>>
    %32 = offset %bcast_45, %31 : tile<64xptr<f32>>, tile<64xi64> -> tile<64xptr<f32>>
    %cst_0_f32_46 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_47 = reshape %cst_0_f32_46 : tile<f32> -> tile<1xf32>
    %bcast_48 = broadcast %reshape_47 : tile<1xf32> -> tile<64xf32>
    %result_49, %result_token_50 = load_ptr_tko weak %32, %30, %bcast_48 token=%0 : tile<64xptr<f32>>, tile<64xi1>, tile<64xf32> -> tile<64xf32>, token
    %33 = mulf %result_40, %result_49 : tile<64xf32>
    %reduce = reduce %33 dim=0 identities=[0.000000e+00 : f32] : tile<64xf32> -> tile<f32>
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %34 = addf %reduce_lhs, %reduce_rhs : tile<f32>
      yield %34 : tile<f32>
    }
    %35 = exti %blockId_x signed : tile<i32> -> tile<i64>
    %36 = exti %assume_17 signed : tile<i32> -> tile<i64>
    %37 = cmpi less_than %35, %36, unsigned : tile<i64> -> tile<i1>
    %38 = muli %35, %cst_1_i64_12 : tile<i64>
    %39 = offset %assume_6, %38 : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
    %assume_51 = assume div_by<4>, %39 : tile<ptr<f32>>
    %result_token_52 = store_ptr_tko weak %assume_51, %reduce, %37 token=%0 : tile<ptr<f32>>, tile<f32>, tile<i1> -> token
    return
  }
}
