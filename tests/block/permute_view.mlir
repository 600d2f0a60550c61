// RUN: %tessera run %s -t interp --sanitize=all -g 1 arange:f32:32x64 zeros:f32:64x32 --save y=%t.npy
// RUN: %npy expect %t.npy '<f4' 64x32 'x1 * 64 + x0'
// RUN: %mutants %s -g 1 arange:f32:32x64 zeros:f32:64x32 --save y
//
// A transposition by turning the view of swizzled memory, a slot of two.
#slots = layout<Sw<3,2,3> o (2,32,64):(2048,64,1)>
#slot = layout<Sw<3,2,3> o (32,64):(64,1)>
#turned = layout<Sw<3,2,3> o (64,32):(1,64)>
!in = tile<32x64xf32, local(8, 1).spatial(4, 16).local(1, 4)>
!out = tile<64x32xf32, local(8, 1).spatial(8, 8).local(1, 4)>
cuda_tile.module @permute_view {
  entry @transpose(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) threads(64) {
    %vx = make_tensor_view %x, shape = [32, 64], strides = [64, 1] : tensor_view<32x64xf32, strides=[64,1]>
    %vy = make_tensor_view %y, shape = [64, 32], strides = [32, 1] : tensor_view<64x32xf32, strides=[32,1]>
    %0 = constant <i32: 0> : tile<i32>
    %1 = constant <i32: 1> : tile<i32>
    %s = alloc_shared : shared<2x32x64xf32, #slots>
    %p = subview %s[%1] : shared<2x32x64xf32, #slots> -> shared<32x64xf32, #slot> // harmless shifted by one: nobody uses the other slot
    %q = permute_view %p [1, 0] : shared<32x64xf32, #slot> -> shared<64x32xf32, #turned>
    %t = load_global %vx[%0, %0] : tensor_view<32x64xf32, strides=[64,1]> -> !in
    store_shared %t, %p : !in, shared<32x64xf32, #slot>
    barrier
    %u = load_shared %q : shared<64x32xf32, #turned> -> !out
    store_global %u, %vy[%0, %0] : !out, tensor_view<64x32xf32, strides=[32,1]>
    return
  }
}
