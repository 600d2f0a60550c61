// Two stores of two loads, all in one array: m[to + 2 k], m[to + 2 k + 1] are the sum and the
// difference of m[from + 2 k], m[from + 2 k + 1]. They lie apart, in place, or one element further
// on, where each store has to follow all loads and the one before it.
// REQUIRES: llvm
//
// RUN: %pattern store-together %t %s --grid 1 m=normal:f32:4000 i32:0 i32:2000 i32:1000 --save m
// RUN: %pattern store-together %t %s --grid 1 m=normal:f32:4000 i32:7 i32:7 i32:600 --save m
// RUN: %pattern store-together %t %s --grid 1 m=normal:f32:4000 i32:7 i32:8 i32:1000 --save m
// RUN: %pattern store-together %t %s --grid 1 m=normal:f32:4000 i32:64 i32:3 i32:1000 --save m
// RUN: %pattern family %t %s --grid 1 m=normal:f32:4000 i32:5 i32:2001 i32:1900 --save m
// RUN: %pattern family %t %s --grid 1 m=normal:f32:4000 i32:5 i32:2001 i32:333 --save m
cuda_tile.module @kernels {
  entry @pairs(%m: tile<ptr<f32>>, %from: tile<i32>, %to: tile<i32>, %n: tile<i32>) {
    %k = iota : tile<1024xi32>
    %two = constant <i32: 2> : tile<1024xi32>
    %one = constant <i32: 1> : tile<1024xi32>
    %even = muli %k, %two : tile<1024xi32>
    %odd = addi %even, %one : tile<1024xi32>
    %n1 = reshape %n : tile<i32> -> tile<1xi32>
    %limit = broadcast %n1 : tile<1xi32> -> tile<1024xi32>
    %exist = cmpi less_than %odd, %limit, signed : tile<1024xi32> -> tile<1024xi1>
    %source = offset %m, %from : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %source1 = reshape %source : tile<ptr<f32>> -> tile<1xptr<f32>>
    %sources = broadcast %source1 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %target = offset %m, %to : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %target1 = reshape %target : tile<ptr<f32>> -> tile<1xptr<f32>>
    %targets = broadcast %target1 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %zero = constant <f32: 0.0> : tile<1024xf32>
    %from_even = offset %sources, %even : tile<1024xptr<f32>>, tile<1024xi32> -> tile<1024xptr<f32>>
    %from_odd = offset %sources, %odd : tile<1024xptr<f32>>, tile<1024xi32> -> tile<1024xptr<f32>>
    %a, %t0 = load_ptr_tko weak %from_even, %exist, %zero : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
    %b, %t1 = load_ptr_tko weak %from_odd, %exist, %zero : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
    %sum = addf %a, %b : tile<1024xf32>
    %difference = subf %a, %b : tile<1024xf32>
    %to_even = offset %targets, %even : tile<1024xptr<f32>>, tile<1024xi32> -> tile<1024xptr<f32>>
    %to_odd = offset %targets, %odd : tile<1024xptr<f32>>, tile<1024xi32> -> tile<1024xptr<f32>>
    %t2 = store_ptr_tko weak %to_even, %sum, %exist : tile<1024xptr<f32>>, tile<1024xf32>, tile<1024xi1> -> token
    %t3 = store_ptr_tko weak %to_odd, %difference, %exist : tile<1024xptr<f32>>, tile<1024xf32>, tile<1024xi1> -> token
    return
  }
}
