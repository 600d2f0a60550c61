// RUN: %tessera opt %s | grep -v '//' | FileCheck %s
//
// Passes leave kernels of the block level as they are, and where they are.
cuda_tile.module @m {
  // CHECK: entry @a() threads(32) {
  // CHECK-NEXT: constant
  entry @a() threads(32) {
    %unused = constant <i32: 1> : tile<i32>
    return
  }
  // CHECK: entry @b() threads(64) {
  // CHECK-NEXT: barrier
  entry @b() threads(64) {
    barrier
    return
  }
  // CHECK: entry @c() {
  // CHECK-NEXT: return
  entry @c() {
    %unused = constant <i32: 1> : tile<i32>
    return
  }
  // CHECK: entry @d() threads(32) {
  // CHECK-NEXT: barrier
  entry @d() threads(32) {
    barrier
    return
  }
}
