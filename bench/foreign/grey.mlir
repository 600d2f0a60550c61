// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by programs.py.
cuda_tile.module @kernels {
  entry @grey(%arg0: tile<ptr<i8>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<i8>>, %arg6: tile<i32>, %arg7: tile<i32>) {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<i8>>
    %assume_0 = assume div_by<16>, %arg1 : tile<i32>
    %assume_1 = assume div_by<16>, %arg5 : tile<ptr<i8>>
    %assume_2 = assume div_by<16>, %arg6 : tile<i32>
    %cst_0_i64 = constant <i64: 0> : tile<1024xi64>
    %cst_1_i64 = constant <i64: 1> : tile<1024xi64>
    %cst_0_i8 = constant <i8: 0> : tile<1024xi8>
    %cst_1_i64_3 = constant <i64: 1> : tile<1024xi64>
    %cst_1_i64_4 = constant <i64: 1> : tile<1024xi64>
    %cst_0_i8_5 = constant <i8: 0> : tile<1024xi8>
    %cst_2_i64 = constant <i64: 2> : tile<1024xi64>
    %cst_1_i64_6 = constant <i64: 1> : tile<1024xi64>
    %cst_0_i8_7 = constant <i8: 0> : tile<1024xi8>
    %cst_77_i32 = constant <i32: 77> : tile<1024xi32>
    %cst_150_i32 = constant <i32: 150> : tile<1024xi32>
    %cst_29_i32 = constant <i32: 29> : tile<1024xi32>
    %cst_8_i32 = constant <i32: 8> : tile<1024xi32>
    %cst_1_i64_8 = constant <i64: 1> : tile<1024xi64>
    %assume_9 = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_10 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_11 = assume bounded<0, ?>, %arg3 : tile<i32>
    %assume_12 = assume bounded<0, ?>, %assume_2 : tile<i32>
    %cst_1024_i32 = constant <i32: 1024> : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %1 = muli %blockId_x, %cst_1024_i32 : tile<i32>
    %2 = iota : tile<1024xi32>
    %reshape = reshape %1 : tile<i32> -> tile<1xi32>
    %bcast = broadcast %reshape : tile<1xi32> -> tile<1024xi32>
    %3 = addi %bcast, %2 : tile<1024xi32>
    %4 = exti %3 signed : tile<1024xi32> -> tile<1024xi64>
    %5 = exti %assume_9 signed : tile<i32> -> tile<i64>
    %reshape_13 = reshape %5 : tile<i64> -> tile<1xi64>
    %bcast_14 = broadcast %reshape_13 : tile<1xi64> -> tile<1024xi64>
    %6 = cmpi less_than %4, %bcast_14, unsigned : tile<1024xi64> -> tile<1024xi1>
    %7 = exti %assume_11 signed : tile<i32> -> tile<i64>
    %reshape_15 = reshape %7 : tile<i64> -> tile<1xi64>
    %bcast_16 = broadcast %reshape_15 : tile<1xi64> -> tile<1024xi64>
    %8 = muli %4, %bcast_16 : tile<1024xi64>
    %9 = exti %assume_10 signed : tile<i32> -> tile<i64>
    %reshape_17 = reshape %9 : tile<i64> -> tile<1xi64>
    %bcast_18 = broadcast %reshape_17 : tile<1xi64> -> tile<1024xi64>
    %10 = cmpi less_than %cst_0_i64, %bcast_18, unsigned : tile<1024xi64> -> tile<1024xi1>
    %11 = andi %6, %10 : tile<1024xi1>
    %12 = muli %cst_0_i64, %cst_1_i64 : tile<1024xi64>
    %13 = addi %8, %12 : tile<1024xi64>
    %reshape_19 = reshape %assume : tile<ptr<i8>> -> tile<1xptr<i8>>
    %bcast_20 = broadcast %reshape_19 : tile<1xptr<i8>> -> tile<1024xptr<i8>>
    %14 = offset %bcast_20, %13 : tile<1024xptr<i8>>, tile<1024xi64> -> tile<1024xptr<i8>>
    %result, %result_token = load_ptr_tko weak %14, %11, %cst_0_i8 token=%0 : tile<1024xptr<i8>>, tile<1024xi1>, tile<1024xi8> -> tile<1024xi8>, token
    %15 = exti %result unsigned : tile<1024xi8> -> tile<1024xi32>
    %16 = exti %3 signed : tile<1024xi32> -> tile<1024xi64>
    %17 = exti %assume_9 signed : tile<i32> -> tile<i64>
    %reshape_21 = reshape %17 : tile<i64> -> tile<1xi64>
    %bcast_22 = broadcast %reshape_21 : tile<1xi64> -> tile<1024xi64>
    %18 = cmpi less_than %16, %bcast_22, unsigned : tile<1024xi64> -> tile<1024xi1>
    %19 = exti %assume_11 signed : tile<i32> -> tile<i64>
    %reshape_23 = reshape %19 : tile<i64> -> tile<1xi64>
    %bcast_24 = broadcast %reshape_23 : tile<1xi64> -> tile<1024xi64>
    %20 = muli %16, %bcast_24 : tile<1024xi64>
    %21 = exti %assume_10 signed : tile<i32> -> tile<i64>
    %reshape_25 = reshape %21 : tile<i64> -> tile<1xi64>
    %bcast_26 = broadcast %reshape_25 : tile<1xi64> -> tile<1024xi64>
    %22 = cmpi less_than %cst_1_i64_3, %bcast_26, unsigned : tile<1024xi64> -> tile<1024xi1>
    %23 = andi %18, %22 : tile<1024xi1>
    %24 = muli %cst_1_i64_3, %cst_1_i64_4 : tile<1024xi64>
    %25 = addi %20, %24 : tile<1024xi64>
    %reshape_27 = reshape %assume : tile<ptr<i8>> -> tile<1xptr<i8>>
    %bcast_28 = broadcast %reshape_27 : tile<1xptr<i8>> -> tile<1024xptr<i8>>
    %26 = offset %bcast_28, %25 : tile<1024xptr<i8>>, tile<1024xi64> -> tile<1024xptr<i8>>
    %result_29, %result_token_30 = load_ptr_tko weak %26, %23, %cst_0_i8_5 token=%0 : tile<1024xptr<i8>>, tile<1024xi1>, tile<1024xi8> -> tile<1024xi8>, token
    %27 = exti %result_29 unsigned : tile<1024xi8> -> tile<1024xi32>
    %28 = exti %3 signed : tile<1024xi32> -> tile<1024xi64>
    %29 = exti %assume_9 signed : tile<i32> -> tile<i64>
    %reshape_31 = reshape %29 : tile<i64> -> tile<1xi64>
    %bcast_32 = broadcast %reshape_31 : tile<1xi64> -> tile<1024xi64>
    %30 = cmpi less_than %28, %bcast_32, unsigned : tile<1024xi64> -> tile<1024xi1>
    %31 = exti %assume_11 signed : tile<i32> -> tile<i64>
    %reshape_33 = reshape %31 : tile<i64> -> tile<1xi64>
    %bcast_34 = broadcast %reshape_33 : tile<1xi64> -> tile<1024xi64>
    %32 = muli %28, %bcast_34 : tile<1024xi64>
    %33 = exti %assume_10 signed : tile<i32> -> tile<i64>
    %reshape_35 = reshape %33 : tile<i64> -> tile<1xi64>
    %bcast_36 = broadcast %reshape_35 : tile<1xi64> -> tile<1024xi64>
    %34 = cmpi less_than %cst_2_i64, %bcast_36, unsigned : tile<1024xi64> -> tile<1024xi1>
    %35 = andi %30, %34 : tile<1024xi1>
    %36 = muli %cst_2_i64, %cst_1_i64_6 : tile<1024xi64>
    %37 = addi %32, %36 : tile<1024xi64>
    %reshape_37 = reshape %assume : tile<ptr<i8>> -> tile<1xptr<i8>>
    %bcast_38 = broadcast %reshape_37 : tile<1xptr<i8>> -> tile<1024xptr<i8>>
    %38 = offset %bcast_38, %37 : tile<1024xptr<i8>>, tile<1024xi64> -> tile<1024xptr<i8>>
    %result_39, %result_token_40 = load_ptr_tko weak %38, %35, %cst_0_i8_7 token=%0 : tile<1024xptr<i8>>, tile<1024xi1>, tile<1024xi8> -> tile<1024xi8>, token
    %39 = exti %result_39 unsigned : tile<1024xi8> -> tile<1024xi32>
    %40 = muli %cst_77_i32, %15 : tile<1024xi32>
    %41 = muli %cst_150_i32, %27 : tile<1024xi32>
    %42 = addi %40, %41 : tile<1024xi32>
    %43 = muli %cst_29_i32, %39 : tile<1024xi32>
    %44 = addi %42, %43 : tile<1024xi32>
    %45 = shri %44, %cst_8_i32 signed : tile<1024xi32>
    %46 = trunci %45 : tile<1024xi32> -> tile<1024xi8>
    %47 = exti %3 signed : tile<1024xi32> -> tile<1024xi64>
    %48 = exti %assume_12 signed : tile<i32> -> tile<i64>
    %reshape_41 = reshape %48 : tile<i64> -> tile<1xi64>
    %bcast_42 = broadcast %reshape_41 : tile<1xi64> -> tile<1024xi64>
    %49 = cmpi less_than %47, %bcast_42, unsigned : tile<1024xi64> -> tile<1024xi1>
    %50 = muli %47, %cst_1_i64_8 : tile<1024xi64>
    %reshape_43 = reshape %assume_1 : tile<ptr<i8>> -> tile<1xptr<i8>>
    %bcast_44 = broadcast %reshape_43 : tile<1xptr<i8>> -> tile<1024xptr<i8>>
    %51 = offset %bcast_44, %50 : tile<1024xptr<i8>>, tile<1024xi64> -> tile<1024xptr<i8>>
    %result_token_45 = store_ptr_tko weak %51, %46, %49 token=%0 : tile<1024xptr<i8>>, tile<1024xi8>, tile<1024xi1> -> token
    return
  }
}
