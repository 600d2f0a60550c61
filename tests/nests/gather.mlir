// An index for each element and a mask of bounds: y[i] = x[n - 1 - i],
// but not before x[5].
// REQUIRES: llvm
//
// RUN: %pattern linear-guarded %t %s --grid 3 normal:f32:3000 y=zeros:f32:3000 i32:3000 --save y
// RUN: %pattern apart-version %t %s --grid 3 normal:f32:3000 y=zeros:f32:3000 i32:3000 --save y
// RUN: %pattern constant-stride %t %s --grid 3 normal:f32:3000 y=zeros:f32:3000 i32:3000 --save y
// RUN: %pattern clamped %t %s --grid 3 normal:f32:3000 y=zeros:f32:3000 i32:2990 --save y
cuda_tile.module @kernels {
  entry @reverse(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>) {
    %block, %b, %c = get_tile_block_id : tile<i32>
    %length = constant <i32: 1024> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %begin = muli %block, %length : tile<i32>
    %begin1 = reshape %begin : tile<i32> -> tile<1xi32>
    %begins = broadcast %begin1 : tile<1xi32> -> tile<1024xi32>
    %lane = iota : tile<1024xi32>
    %i = addi %begins, %lane : tile<1024xi32>
    %last = subi %n, %one : tile<i32>
    %last1 = reshape %last : tile<i32> -> tile<1xi32>
    %lasts = broadcast %last1 : tile<1xi32> -> tile<1024xi32>
    %j = subi %lasts, %i : tile<1024xi32>
    %wide = exti %n signed : tile<i32> -> tile<i64>
    %wide1 = reshape %wide : tile<i64> -> tile<1xi64>
    %extent = broadcast %wide1 : tile<1xi64> -> tile<1024xi64>
    %first = constant <i32: 5> : tile<1024xi32>
    %k = maxi %j, %first signed : tile<1024xi32>
    %from = exti %k signed : tile<1024xi32> -> tile<1024xi64>
    %to = exti %i signed : tile<1024xi32> -> tile<1024xi64>
    %loads = cmpi less_than %from, %extent, unsigned : tile<1024xi64> -> tile<1024xi1>
    %stores = cmpi less_than %to, %extent, unsigned : tile<1024xi64> -> tile<1024xi1>
    %x1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
    %xs = broadcast %x1 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %y1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
    %ys = broadcast %y1 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %zero = constant <f32: 0.0> : tile<1024xf32>
    %source = offset %xs, %from : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %target = offset %ys, %to : tile<1024xptr<f32>>, tile<1024xi64> -> tile<1024xptr<f32>>
    %v, %t0 = load_ptr_tko weak %source, %loads, %zero : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
    %t1 = store_ptr_tko weak %target, %v, %stores : tile<1024xptr<f32>>, tile<1024xf32>, tile<1024xi1> -> token
    return
  }
}
