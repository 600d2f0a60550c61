// RUN: %tessera check %s
// RUN: %tessera opt --passes= %s > %t.once.mlir
// RUN: %tessera opt --passes= %t.once.mlir > %t.twice.mlir
// RUN: cmp %t.once.mlir %t.twice.mlir
// RUN: grep -v "^ *//" %t.once.mlir | FileCheck %s
//
// Every notation of a layout is read, and equal maps are one type; one notation is printed, or the
// name that the text gave it first.
// CHECK: #chain = layout<spatial(8, 4).local(1, 2)>
// CHECK-NEXT: #swizzled = layout<Sw<2,3,3> o (64,32):(32,1)>
#chain = layout<spatial(8, 4).local(1, 2)>
#ck = layout<encoding(Rs=[], Hs=[[8], [4, 2]], Ps=[[(1, 0), (2, 0)]], Ys=[(2, 1)])>
#tv = layout<tv(((4,8),2):((16,1),8), shape=[8, 8])>
#tilus = layout<RegisterLayout(shape=[8, 8], mode_shape=[8, 4, 2], spatial_modes=[0, 1], local_modes=[2])>
#both = layout<spatial(2, 1).spatial(4, 4).local(1, 2)>
#swizzled = layout<Sw<2,3,3> o (64,32):(32,1)>
!part = shared<16x32xf16, Sw<2,3,3> o (16,32):(32,1)>
cuda_tile.module @text {
  // CHECK: entry @layouts(%p: tile<ptr<f32>>) threads(32) {
  entry @layouts(%p: tile<ptr<f32>>) threads(32) {
    // CHECK-NEXT: %a = constant <f32: 1.000000e+00> : tile<8x8xf32, #chain>
    %a = constant <f32: 1.0> : tile<8x8xf32, #chain>
    // CHECK-NEXT: %b = addf %a, %a : tile<8x8xf32, #chain>
    %b = addf %a, %a : tile<8x8xf32, #ck>
    // CHECK-NEXT: %c = addf %b, %a : tile<8x8xf32, #chain>
    %c = addf %b, %a : tile<8x8xf32, #tv>
    // CHECK-NEXT: %d = addf %c, %a : tile<8x8xf32, #chain>
    %d = addf %c, %a : tile<8x8xf32, #tilus>
    // CHECK-NEXT: %e = addf %d, %a : tile<8x8xf32, #chain>
    %e = addf %d, %a : tile<8x8xf32, #both>
    // CHECK-NEXT: %f = addf %e, %a : tile<8x8xf32, #chain>
    %f = addf %e, %a : tile<8x8xf32, left_divide(mma.m16n8k8.C, local(2, 1))>
    // CHECK-NEXT: %g = constant <i32: 1> : tile<6x10xi32, RegisterLayout(
    %g = constant <i32: 1> : tile<6x10xi32, RegisterLayout(shape=[6, 10], mode_shape=[2, 3, 10], spatial_modes=[-32], local_modes=[1, 0, 2])>
    return
  }
  // CHECK: entry @storage() threads(64) {
  entry @storage() threads(64) {
    %one = constant <i32: 1> : tile<i32>
    // CHECK: %s = alloc_shared : shared<64x32xf16, #swizzled>
    %s = alloc_shared : shared<64x32xf16, #swizzled>
    // CHECK-NEXT: %t = alloc_shared alignment = 128 : shared<3x64x32xf16>
    %t = alloc_shared alignment = 128 : shared<3x64x32xf16, (3,64,32):(2048,32,1)>
    // CHECK-NEXT: %u = subview %s[%one] : shared<64x32xf16, #swizzled> -> shared<16x32xf16, Sw<2,3,3> o (16,32):(32,1)>
    %u = subview %s[%one] : shared<64x32xf16, #swizzled> -> !part
    // CHECK-NEXT: %v = subview %t[%one] : shared<3x64x32xf16> -> shared<64x32xf16>
    %v = subview %t[%one] : shared<3x64x32xf16> -> shared<64x32xf16>
    // CHECK-NEXT: %w = get_worker : tile<64xi32, spatial(64)>
    %w = get_worker : tile<64xi32, spatial(64)>
    // CHECK-NEXT: barrier
    barrier
    // CHECK-NEXT: warp_barrier
    warp_barrier
    // CHECK-NEXT: free_shared %s
    free_shared %s : shared<64x32xf16, #swizzled>
    return
  }
}
