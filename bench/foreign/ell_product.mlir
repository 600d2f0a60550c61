// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by programs.py.
cuda_tile.module @kernels {
  entry @ell_product(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<i32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<f32>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<ptr<f32>>, %arg14: tile<i32>, %arg15: tile<i32>) {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg1 : tile<i32>
    %assume_1 = assume div_by<16>, %arg2 : tile<i32>
    %assume_2 = assume div_by<4>, %arg3 : tile<i32>
    %assume_3 = assume div_by<16>, %arg5 : tile<ptr<i32>>
    %assume_4 = assume div_by<16>, %arg6 : tile<i32>
    %assume_5 = assume div_by<16>, %arg7 : tile<i32>
    %assume_6 = assume div_by<4>, %arg8 : tile<i32>
    %assume_7 = assume div_by<16>, %arg10 : tile<ptr<f32>>
    %assume_8 = assume div_by<16>, %arg11 : tile<i32>
    %assume_9 = assume div_by<16>, %arg13 : tile<ptr<f32>>
    %assume_10 = assume div_by<16>, %arg14 : tile<i32>
    %cst_1_i64 = constant <i64: 1> : tile<512xi64>
    %cst_1_i64_11 = constant <i64: 1> : tile<512xi64>
    %cst_0_i32 = constant <i32: 0> : tile<512xi32>
    %cst_1_i64_12 = constant <i64: 1> : tile<512xi64>
    %cst_1_i64_13 = constant <i64: 1> : tile<512xi64>
    %assume_14 = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_15 = assume bounded<0, ?>, %assume_1 : tile<i32>
    %assume_16 = assume bounded<0, ?>, %assume_2 : tile<i32>
    %assume_17 = assume bounded<0, ?>, %assume_4 : tile<i32>
    %assume_18 = assume bounded<0, ?>, %assume_5 : tile<i32>
    %assume_19 = assume bounded<0, ?>, %assume_6 : tile<i32>
    %assume_20 = assume bounded<0, ?>, %assume_8 : tile<i32>
    %assume_21 = assume bounded<0, ?>, %assume_10 : tile<i32>
    %cst_16_i32 = constant <i32: 16> : tile<i32>
    %cst_512_i32 = constant <i32: 512> : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %1 = muli %blockId_x, %cst_512_i32 : tile<i32>
    %2 = iota : tile<512xi32>
    %reshape = reshape %1 : tile<i32> -> tile<1xi32>
    %bcast = broadcast %reshape : tile<1xi32> -> tile<512xi32>
    %3 = addi %bcast, %2 : tile<512xi32>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<512xf32>
    %cst_0_i32_22 = constant <i32: 0> : tile<i32>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %4 = exti %assume_14 signed : tile<i32> -> tile<i64>
    %reshape_23 = reshape %4 : tile<i64> -> tile<1xi64>
    %bcast_24 = broadcast %reshape_23 : tile<1xi64> -> tile<512xi64>
    %5 = exti %assume_16 signed : tile<i32> -> tile<i64>
    %reshape_25 = reshape %5 : tile<i64> -> tile<1xi64>
    %bcast_26 = broadcast %reshape_25 : tile<1xi64> -> tile<512xi64>
    %6 = exti %3 signed : tile<512xi32> -> tile<512xi64>
    %7 = exti %assume_15 signed : tile<i32> -> tile<i64>
    %reshape_27 = reshape %7 : tile<i64> -> tile<1xi64>
    %bcast_28 = broadcast %reshape_27 : tile<1xi64> -> tile<512xi64>
    %8 = cmpi less_than %6, %bcast_28, unsigned : tile<512xi64> -> tile<512xi1>
    %9 = muli %6, %cst_1_i64 : tile<512xi64>
    %reshape_29 = reshape %assume : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_30 = broadcast %reshape_29 : tile<1xptr<f32>> -> tile<512xptr<f32>>
    %cst_0_f32_31 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_32 = reshape %cst_0_f32_31 : tile<f32> -> tile<1xf32>
    %bcast_33 = broadcast %reshape_32 : tile<1xf32> -> tile<512xf32>
    %10 = exti %assume_17 signed : tile<i32> -> tile<i64>
    %reshape_34 = reshape %10 : tile<i64> -> tile<1xi64>
    %bcast_35 = broadcast %reshape_34 : tile<1xi64> -> tile<512xi64>
    %11 = exti %assume_19 signed : tile<i32> -> tile<i64>
    %reshape_36 = reshape %11 : tile<i64> -> tile<1xi64>
    %bcast_37 = broadcast %reshape_36 : tile<1xi64> -> tile<512xi64>
    %12 = exti %3 signed : tile<512xi32> -> tile<512xi64>
    %13 = exti %assume_18 signed : tile<i32> -> tile<i64>
    %reshape_38 = reshape %13 : tile<i64> -> tile<1xi64>
    %bcast_39 = broadcast %reshape_38 : tile<1xi64> -> tile<512xi64>
    %14 = cmpi less_than %12, %bcast_39, unsigned : tile<512xi64> -> tile<512xi1>
    %15 = muli %12, %cst_1_i64_11 : tile<512xi64>
    %reshape_40 = reshape %assume_3 : tile<ptr<i32>> -> tile<1xptr<i32>>
    %bcast_41 = broadcast %reshape_40 : tile<1xptr<i32>> -> tile<512xptr<i32>>
    %16 = exti %assume_20 signed : tile<i32> -> tile<i64>
    %reshape_42 = reshape %16 : tile<i64> -> tile<1xi64>
    %bcast_43 = broadcast %reshape_42 : tile<1xi64> -> tile<512xi64>
    %reshape_44 = reshape %assume_7 : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_45 = broadcast %reshape_44 : tile<1xptr<f32>> -> tile<512xptr<f32>>
    %cst_0_f32_46 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_47 = reshape %cst_0_f32_46 : tile<f32> -> tile<1xf32>
    %bcast_48 = broadcast %reshape_47 : tile<1xf32> -> tile<512xf32>
    %for = for %loopIdx in (%cst_0_i32_22 to %cst_16_i32, step %cst_1_i32) : tile<i32> iter_values(%iterArg0 = %cst_0_f32) -> (tile<512xf32>) {
      %17 = exti %loopIdx signed : tile<i32> -> tile<i64>
      %reshape_49 = reshape %17 : tile<i64> -> tile<1xi64>
      %bcast_50 = broadcast %reshape_49 : tile<1xi64> -> tile<512xi64>
      %18 = cmpi less_than %bcast_50, %bcast_24, unsigned : tile<512xi64> -> tile<512xi1>
      %19 = muli %bcast_50, %bcast_26 : tile<512xi64>
      %20 = andi %18, %8 : tile<512xi1>
      %21 = addi %19, %9 : tile<512xi64>
      %22 = offset %bcast_30, %21 : tile<512xptr<f32>>, tile<512xi64> -> tile<512xptr<f32>>
      %result, %result_token = load_ptr_tko weak %22, %20, %bcast_33 token=%0 : tile<512xptr<f32>>, tile<512xi1>, tile<512xf32> -> tile<512xf32>, token
      %23 = exti %loopIdx signed : tile<i32> -> tile<i64>
      %reshape_51 = reshape %23 : tile<i64> -> tile<1xi64>
      %bcast_52 = broadcast %reshape_51 : tile<1xi64> -> tile<512xi64>
      %24 = cmpi less_than %bcast_52, %bcast_35, unsigned : tile<512xi64> -> tile<512xi1>
      %25 = muli %bcast_52, %bcast_37 : tile<512xi64>
      %26 = andi %24, %14 : tile<512xi1>
      %27 = addi %25, %15 : tile<512xi64>
      %28 = offset %bcast_41, %27 : tile<512xptr<i32>>, tile<512xi64> -> tile<512xptr<i32>>
      %result_53, %result_token_54 = load_ptr_tko weak %28, %26, %cst_0_i32 token=%0 : tile<512xptr<i32>>, tile<512xi1>, tile<512xi32> -> tile<512xi32>, token
      %29 = exti %result_53 signed : tile<512xi32> -> tile<512xi64>
      %30 = cmpi less_than %29, %bcast_43, unsigned : tile<512xi64> -> tile<512xi1>
      %31 = muli %29, %cst_1_i64_12 : tile<512xi64>
      %32 = offset %bcast_45, %31 : tile<512xptr<f32>>, tile<512xi64> -> tile<512xptr<f32>>
      %result_55, %result_token_56 = load_ptr_tko weak %32, %30, %bcast_48 token=%0 : tile<512xptr<f32>>, tile<512xi1>, tile<512xf32> -> tile<512xf32>, token
      %33 = fma %result, %result_55, %iterArg0 : tile<512xf32>
      continue %33 : tile<512xf32>
    }
    %34 = exti %3 signed : tile<512xi32> -> tile<512xi64>
    %35 = exti %assume_21 signed : tile<i32> -> tile<i64>
    %reshape_57 = reshape %35 : tile<i64> -> tile<1xi64>
    %bcast_58 = broadcast %reshape_57 : tile<1xi64> -> tile<512xi64>
    %36 = cmpi less_than %34, %bcast_58, unsigned : tile<512xi64> -> tile<512xi1>
    %37 = muli %34, %cst_1_i64_13 : tile<512xi64>
    %reshape_59 = reshape %assume_9 : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_60 = broadcast %reshape_59 : tile<1xptr<f32>> -> tile<512xptr<f32>>
    %38 = offset %bcast_60, %37 : tile<512xptr<f32>>, tile<512xi64> -> tile<512xptr<f32>>
    %result_token = store_ptr_tko weak %38, %for, %36 token=%0 : tile<512xptr<f32>>, tile<512xf32>, tile<512xi1> -> token
    return
  }
}
