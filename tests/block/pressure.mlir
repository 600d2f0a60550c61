// REQUIRES: llvm
// RUN: %tessera build %s --target sm_80 --emit ptx -o %t.ptx 2>&1 | FileCheck %s
//
// Tiles that take more registers than a thread has.
!t = tile<64x128xf32, local(64, 1).spatial(1, 32).local(1, 4)>
!v = tensor_view<64x128xf32, strides=[128,1]>
cuda_tile.module @m {
  entry @k(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) threads(32) {
    %0 = constant <i32: 0> : tile<i32>
    %vx = make_tensor_view %x, shape = [64, 128], strides = [128, 1] : !v
    %vy = make_tensor_view %y, shape = [64, 128], strides = [128, 1] : !v
    // CHECK: pressure.mlir:[[#@LINE+1]]:10: warning: the tiles that are in use here take 256 registers of each thread, which has 255 on sm_80: some will be in memory; use more threads, or smaller tiles
    %t = load_global %vx[%0, %0] : !v -> !t
    store_global %t, %vy[%0, %0] : !t, !v
    return
  }
}
