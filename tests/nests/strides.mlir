// The grey of pixels, whose parts lie next to each other and which lie as far apart as an argument
// says: y[i] = 77 x[s i] + 150 x[s i + 1] + 29 x[s i + 2], of which the bits from the eighth on. And
// of numbers, which nearly always lie next to each other: y[i] = 2 x[s i].
// REQUIRES: llvm
//
// RUN: %pattern launch-stride %t %s --kernel grey --grid 2 uniform:i8:6200 y=zeros:i8:2048 i32:3 i32:2000 --save y
// RUN: %pattern launch-stride %t %s --kernel grey --grid 2 uniform:i8:9000 y=zeros:i8:2048 i32:4 i32:2048 --save y
// RUN: %pattern launch-stride %t %s --kernel grey --grid 2 uniform:i8:4200 y=zeros:i8:2048 i32:1 i32:2000 --save y
// RUN: %pattern launch-stride %t %s --kernel twice --grid 2 normal:f32:2048 y=zeros:f32:2048 i32:1 i32:2000 --save y
// RUN: %pattern launch-stride %t %s --kernel twice --grid 2 normal:f32:6200 y=zeros:f32:2048 i32:3 i32:2048 --save y
// RUN: %pattern launch-stride %t %s --kernel twice --grid 2 normal:f32:2048 y=zeros:f32:2048 i32:0 i32:2000 --save y
cuda_tile.module @kernels {
  entry @grey(%x: tile<ptr<i8>>, %y: tile<ptr<i8>>, %stride: tile<i32>, %n: tile<i32>) {
    %block, %b, %c = get_tile_block_id : tile<i32>
    %length = constant <i32: 1024> : tile<i32>
    %begin = muli %block, %length : tile<i32>
    %begin1 = reshape %begin : tile<i32> -> tile<1xi32>
    %begins = broadcast %begin1 : tile<1xi32> -> tile<1024xi32>
    %lane = iota : tile<1024xi32>
    %i = addi %begins, %lane : tile<1024xi32>
    %n1 = reshape %n : tile<i32> -> tile<1xi32>
    %limit = broadcast %n1 : tile<1xi32> -> tile<1024xi32>
    %exists = cmpi less_than %i, %limit, signed : tile<1024xi32> -> tile<1024xi1>
    %stride1 = reshape %stride : tile<i32> -> tile<1xi32>
    %strides = broadcast %stride1 : tile<1xi32> -> tile<1024xi32>
    %red = muli %i, %strides : tile<1024xi32>
    %one = constant <i32: 1> : tile<1024xi32>
    %two = constant <i32: 2> : tile<1024xi32>
    %green = addi %red, %one : tile<1024xi32>
    %blue = addi %red, %two : tile<1024xi32>
    %x1 = reshape %x : tile<ptr<i8>> -> tile<1xptr<i8>>
    %xs = broadcast %x1 : tile<1xptr<i8>> -> tile<1024xptr<i8>>
    %at_red = offset %xs, %red : tile<1024xptr<i8>>, tile<1024xi32> -> tile<1024xptr<i8>>
    %at_green = offset %xs, %green : tile<1024xptr<i8>>, tile<1024xi32> -> tile<1024xptr<i8>>
    %at_blue = offset %xs, %blue : tile<1024xptr<i8>>, tile<1024xi32> -> tile<1024xptr<i8>>
    %zero = constant <i8: 0> : tile<1024xi8>
    %r8, %t0 = load_ptr_tko weak %at_red, %exists, %zero : tile<1024xptr<i8>>, tile<1024xi1>, tile<1024xi8> -> tile<1024xi8>, token
    %g8, %t1 = load_ptr_tko weak %at_green, %exists, %zero : tile<1024xptr<i8>>, tile<1024xi1>, tile<1024xi8> -> tile<1024xi8>, token
    %b8, %t2 = load_ptr_tko weak %at_blue, %exists, %zero : tile<1024xptr<i8>>, tile<1024xi1>, tile<1024xi8> -> tile<1024xi8>, token
    %r = exti %r8 unsigned : tile<1024xi8> -> tile<1024xi32>
    %g = exti %g8 unsigned : tile<1024xi8> -> tile<1024xi32>
    %bl = exti %b8 unsigned : tile<1024xi8> -> tile<1024xi32>
    %c77 = constant <i32: 77> : tile<1024xi32>
    %c150 = constant <i32: 150> : tile<1024xi32>
    %c29 = constant <i32: 29> : tile<1024xi32>
    %eight = constant <i32: 8> : tile<1024xi32>
    %rs = muli %r, %c77 : tile<1024xi32>
    %gs = muli %g, %c150 : tile<1024xi32>
    %bs = muli %bl, %c29 : tile<1024xi32>
    %rg = addi %rs, %gs : tile<1024xi32>
    %all = addi %rg, %bs : tile<1024xi32>
    %high = shri %all, %eight signed : tile<1024xi32>
    %grey = trunci %high : tile<1024xi32> -> tile<1024xi8>
    %y1 = reshape %y : tile<ptr<i8>> -> tile<1xptr<i8>>
    %ys = broadcast %y1 : tile<1xptr<i8>> -> tile<1024xptr<i8>>
    %to = offset %ys, %i : tile<1024xptr<i8>>, tile<1024xi32> -> tile<1024xptr<i8>>
    %t3 = store_ptr_tko weak %to, %grey, %exists : tile<1024xptr<i8>>, tile<1024xi8>, tile<1024xi1> -> token
    return
  }
  entry @twice(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %stride: tile<i32>, %n: tile<i32>) {
    %block, %b, %c = get_tile_block_id : tile<i32>
    %length = constant <i32: 1024> : tile<i32>
    %begin = muli %block, %length : tile<i32>
    %begin1 = reshape %begin : tile<i32> -> tile<1xi32>
    %begins = broadcast %begin1 : tile<1xi32> -> tile<1024xi32>
    %lane = iota : tile<1024xi32>
    %i = addi %begins, %lane : tile<1024xi32>
    %n1 = reshape %n : tile<i32> -> tile<1xi32>
    %limit = broadcast %n1 : tile<1xi32> -> tile<1024xi32>
    %exists = cmpi less_than %i, %limit, signed : tile<1024xi32> -> tile<1024xi1>
    %stride1 = reshape %stride : tile<i32> -> tile<1xi32>
    %strides = broadcast %stride1 : tile<1xi32> -> tile<1024xi32>
    %from = muli %i, %strides : tile<1024xi32>
    %x1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
    %xs = broadcast %x1 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %at = offset %xs, %from : tile<1024xptr<f32>>, tile<1024xi32> -> tile<1024xptr<f32>>
    %zero = constant <f32: 0.0> : tile<1024xf32>
    %v, %t0 = load_ptr_tko weak %at, %exists, %zero : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
    %twice = addf %v, %v : tile<1024xf32>
    %y1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
    %ys = broadcast %y1 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %to = offset %ys, %i : tile<1024xptr<f32>>, tile<1024xi32> -> tile<1024xptr<f32>>
    %t1 = store_ptr_tko weak %to, %twice, %exists : tile<1024xptr<f32>>, tile<1024xf32>, tile<1024xi1> -> token
    return
  }
}
