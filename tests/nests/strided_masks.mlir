// Masks of indices that are a few apart: y[3 i - 4] = x[2 i + 1], where both
// exist, which is in one interval of i.
// REQUIRES: llvm
//
// RUN: %pattern peel %t %s --grid 3 normal:f32:3000 y=zeros:f32:4000 i32:3000 i32:4000 --save y
// RUN: %pattern repeat-last %t %s --grid 3 normal:f32:3000 y=zeros:f32:4000 i32:2399 i32:4000 --save y
// RUN: %pattern linear-guarded %t %s --grid 3 normal:f32:3000 y=zeros:f32:4000 i32:2400 i32:3601 --save y
cuda_tile.module @kernels {
  entry @spread(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>, %room: tile<i32>) {
    %block, %b, %c = get_tile_block_id : tile<i32>
    %length = constant <i32: 512> : tile<i32>
    %begin = muli %block, %length : tile<i32>
    %begin1 = reshape %begin : tile<i32> -> tile<1xi32>
    %begins = broadcast %begin1 : tile<1xi32> -> tile<512xi32>
    %lane = iota : tile<512xi32>
    %i = addi %begins, %lane : tile<512xi32>
    %one = constant <i32: 1> : tile<512xi32>
    %two = constant <i32: 2> : tile<512xi32>
    %three = constant <i32: 3> : tile<512xi32>
    %four = constant <i32: 4> : tile<512xi32>
    %i2 = muli %i, %two : tile<512xi32>
    %from = addi %i2, %one : tile<512xi32>
    %i3 = muli %i, %three : tile<512xi32>
    %to = subi %i3, %four : tile<512xi32>
    %n1 = reshape %n : tile<i32> -> tile<1xi32>
    %ns = broadcast %n1 : tile<1xi32> -> tile<512xi32>
    %room1 = reshape %room : tile<i32> -> tile<1xi32>
    %room64 = exti %room1 signed : tile<1xi32> -> tile<1xi64>
    %rooms = broadcast %room64 : tile<1xi64> -> tile<512xi64>
    %to64 = exti %to signed : tile<512xi32> -> tile<512xi64>
    %loads = cmpi greater_than %ns, %from, signed : tile<512xi32> -> tile<512xi1>
    %in = cmpi less_than %to64, %rooms, unsigned : tile<512xi64> -> tile<512xi1>
    %stores = andi %in, %loads : tile<512xi1>
    %x1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
    %xs = broadcast %x1 : tile<1xptr<f32>> -> tile<512xptr<f32>>
    %y1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
    %ys = broadcast %y1 : tile<1xptr<f32>> -> tile<512xptr<f32>>
    %zero = constant <f32: 0.0> : tile<512xf32>
    %source = offset %xs, %from : tile<512xptr<f32>>, tile<512xi32> -> tile<512xptr<f32>>
    %target = offset %ys, %to64 : tile<512xptr<f32>>, tile<512xi64> -> tile<512xptr<f32>>
    %v, %t0 = load_ptr_tko weak %source, %loads, %zero : tile<512xptr<f32>>, tile<512xi1>, tile<512xf32> -> tile<512xf32>, token
    %t1 = store_ptr_tko weak %target, %v, %stores : tile<512xptr<f32>>, tile<512xf32>, tile<512xi1> -> token
    return
  }
}
