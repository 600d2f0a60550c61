// RUN: not %tessera run %s --grid 1 --target interp --sanitize=all ones:f32:8 zeros:f32:4 2>&1 | FileCheck %s
// RUN: not %tessera run %s --grid 1 --target cpu --sanitize=bounds ones:f32:8 zeros:f32:4 2>&1 | FileCheck %s --check-prefix CPU
// REQUIRES: llvm
//
// Accesses to the memory of several devices are watched as those that they are on one. Code with checks
// for CPUs does not know them.
//
// CHECK: multimem.mlir:[[#@LINE+11]]:14: error: [bounds] multimem_load_reduce_view_tko: index 1 is outside of the view, which has 1 tiles along dimension 0
// CHECK: multimem.mlir:[[#@LINE+11]]:10: error: [bounds] multimem_store_view_tko writes element 4 of %y, which has 4 of f32
// CPU: multimem.mlir:[[#@LINE+9]]:14: error: multimem_load_reduce_view_tko is not compiled with checks yet; the target interp has them
cuda_tile.module @m {
  entry @k(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %one = constant <i32: 1> : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %xv = make_tensor_view %x, shape = [8], strides = [1] : tensor_view<8xf32, strides=[1]>
    %yv = make_tensor_view %y, shape = [8], strides = [1] : tensor_view<8xf32, strides=[1]>
    %xp = make_partition_view %xv : partition_view<tile=(8), tensor_view<8xf32, strides=[1]>>
    %yp = make_partition_view %yv : partition_view<tile=(8), tensor_view<8xf32, strides=[1]>>
    %v, %t = multimem_load_reduce_view_tko weak %xp[%one], add : partition_view<tile=(8), tensor_view<8xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
    %s = multimem_store_view_tko weak %v, %yp[%zero] token = %t : tile<8xf32>, partition_view<tile=(8), tensor_view<8xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
