// A step of a Fourier transform: what lies `distance` apart is added and subtracted. The indices
// are 2 k - (k & (distance - 1)) and the same plus the distance: linear in the bits of k where
// lanes keep their order, which they do not for distances below theirs or that are no power of two.
// REQUIRES: llvm
//
// RUN: %pattern bitwise %t %s --grid 2 normal:f32:4096 y=zeros:f32:4096 i32:256 i32:4096 --save y
// RUN: %pattern bitwise %t %s --grid 2 normal:f32:4096 y=zeros:f32:4096 i32:16 i32:4096 --save y
// RUN: %pattern bitwise %t %s --grid 2 normal:f32:4096 y=zeros:f32:4096 i32:4 i32:4000 --save y
// RUN: %pattern bitwise %t %s --grid 2 normal:f32:4096 y=zeros:f32:4096 i32:2048 i32:4096 --save y
// RUN: %pattern bitwise %t %s --grid 1 normal:f32:4096 y=zeros:f32:4096 i32:48 i32:4096 --save y
cuda_tile.module @kernels {
  entry @step(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %distance: tile<i32>, %n: tile<i32>) {
    %block, %b, %c = get_tile_block_id : tile<i32>
    %length = constant <i32: 1024> : tile<i32>
    %begin = muli %block, %length : tile<i32>
    %begin1 = reshape %begin : tile<i32> -> tile<1xi32>
    %begins = broadcast %begin1 : tile<1xi32> -> tile<1024xi32>
    %lane = iota : tile<1024xi32>
    %k = addi %begins, %lane : tile<1024xi32>
    %one = constant <i32: 1> : tile<i32>
    %mask = subi %distance, %one : tile<i32>
    %mask1 = reshape %mask : tile<i32> -> tile<1xi32>
    %masks = broadcast %mask1 : tile<1xi32> -> tile<1024xi32>
    %at = andi %k, %masks : tile<1024xi32>
    %two = constant <i32: 2> : tile<1024xi32>
    %twice = muli %k, %two : tile<1024xi32>
    %low = subi %twice, %at : tile<1024xi32>
    %distance1 = reshape %distance : tile<i32> -> tile<1xi32>
    %distances = broadcast %distance1 : tile<1xi32> -> tile<1024xi32>
    %high = addi %low, %distances : tile<1024xi32>
    %n1 = reshape %n : tile<i32> -> tile<1xi32>
    %limit = broadcast %n1 : tile<1xi32> -> tile<1024xi32>
    %exists = cmpi less_than %high, %limit, signed : tile<1024xi32> -> tile<1024xi1>
    %x1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
    %xs = broadcast %x1 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %y1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
    %ys = broadcast %y1 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %zero = constant <f32: 0.0> : tile<1024xf32>
    %from_low = offset %xs, %low : tile<1024xptr<f32>>, tile<1024xi32> -> tile<1024xptr<f32>>
    %from_high = offset %xs, %high : tile<1024xptr<f32>>, tile<1024xi32> -> tile<1024xptr<f32>>
    %a, %t0 = load_ptr_tko weak %from_low, %exists, %zero : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
    %d, %t1 = load_ptr_tko weak %from_high, %exists, %zero : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
    %sum = addf %a, %d : tile<1024xf32>
    %difference = subf %a, %d : tile<1024xf32>
    %to_low = offset %ys, %low : tile<1024xptr<f32>>, tile<1024xi32> -> tile<1024xptr<f32>>
    %to_high = offset %ys, %high : tile<1024xptr<f32>>, tile<1024xi32> -> tile<1024xptr<f32>>
    %t2 = store_ptr_tko weak %to_low, %sum, %exists : tile<1024xptr<f32>>, tile<1024xf32>, tile<1024xi1> -> token
    %t3 = store_ptr_tko weak %to_high, %difference, %exists : tile<1024xptr<f32>>, tile<1024xf32>, tile<1024xi1> -> token
    return
  }
}
