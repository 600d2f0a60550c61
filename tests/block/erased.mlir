// RUN: %tessera build %s --emit tile > %t.mlir
// RUN: FileCheck %s --implicit-check-not=layout < %t.mlir
// RUN: %tessera check %t.mlir
// RUN: %tessera build %s --emit tile -O0 > %t.0.mlir
// RUN: %tessera check %t.0.mlir
#l = layout<spatial(16, 2).local(1, 8)>
!t = tile<16x16xf32, #l>
!v = tensor_view<64x64xf32, strides=[64,1]>
!s = shared<16x16xf32, Sw<2,2,2> o (16,16):(16,1)>
!slots = shared<3x16x16xf32, Sw<2,2,2> o (3,16,16):(256,16,1)>

// CHECK-LABEL: cuda_tile.module @m {
cuda_tile.module @m {
  // Each dimension by itself: multiples of the tile's size, other offsets, perhaps negative ones.
  //
  // CHECK-LABEL: entry @offsets(%x: tile<ptr<f32>>, %i: tile<i32>) {
  // CHECK: %[[TILES:.*]] = make_partition_view %{{.*}} : partition_view<tile=(16x16), padding_value = nan,
  // CHECK: %[[STEPS:.*]] = make_strided_view %{{.*}} : strided_view<tile=(16x16), traversal_strides=[1,16], tensor_view
  // CHECK: %[[Q:.*]] = shri %{{.*}}, %{{.*}} unsigned : tile<i32>
  // CHECK: %[[T:.*]]:2 = load_view_tko weak %[[TILES]][%[[Q]], %[[Q]]] :
  // CHECK: store_view_tko weak %[[T]]#0, %[[STEPS]][%{{.*}}, %[[Q]]] token =
  // CHECK: %[[MASK:.*]] = andi %{{.*}} : tile<16x16xi1>
  // CHECK: load_ptr_tko weak %{{.*}}, %[[MASK]], %{{.*}} token=%{{.*}} : tile<16x16xptr<f32>>, tile<16x16xi1>, tile<16x16xf32>
  entry @offsets(%x: tile<ptr<f32>>, %i: tile<i32>) threads(32) {
    %g = make_tensor_view %x, shape = [64, 64], strides = [64, 1] : !v
    %c16 = constant <i32: 16> : tile<i32>
    %c3 = constant <i32: 3> : tile<i32>
    %o = muli %i, %c16 : tile<i32>
    %p = subi %i, %c3 : tile<i32>
    %t = load_global %g[%o, %o] padding_value = nan : !v -> !t
    store_global %t, %g[%c3, %o] : !t, !v
    %u = load_global %g[%p, %o] : !v -> !t
    store_global %u, %g[%c16, %c16] : !t, !v
  }

  // Three slots, copies two iterations ahead: a loop over loads.
  //
  // CHECK-LABEL: entry @pipeline
  // CHECK-NOT: alloca
  // CHECK: for %[[I:.*]] in (%{{.*}} to %n, step
  // CHECK-NEXT: %[[A:.*]]:2 = load_view_tko weak %{{.*}}[%{{.*}}, %[[I]]] :
  // CHECK-NEXT: join_tokens
  // CHECK-NEXT: addf %{{.*}}, %[[A]]#0
  // CHECK-NEXT: continue
  entry @pipeline(%x: tile<ptr<f32>>, %columns: tile<i32>) threads(32) {
    %g = make_tensor_view %x, shape = [64, 64], strides = [64, 1] : !v
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c2 = constant <i32: 2> : tile<i32>
    %c3 = constant <i32: 3> : tile<i32>
    %c16 = constant <i32: 16> : tile<i32>
    %n = divi %columns, %c16 signed rounding<positive_inf> : tile<i32>
    %s = alloc_shared : !slots
    for %i in (%c0 to %c2, step %c1) : tile<i32> {
      %o = muli %i, %c16 : tile<i32>
      %p = subview %s[%i] : !slots -> !s
      cp_async %g[%c0, %o], %p by #l : !v, !s
      cp_async_commit
    }
    %zero = constant <f32: 0.0> : !t
    %sum, %last = for %i in (%c0 to %n, step %c1) : tile<i32> iter_values(%acc = %zero, %slot = %c2) -> (!t, tile<i32>) {
      cp_async_wait 1
      barrier
      %k = addi %i, %c2 : tile<i32>
      %more = cmpi less_than %k, %n, signed : tile<i32> -> tile<i1>
      if %more {
        %o = muli %k, %c16 : tile<i32>
        %p = subview %s[%slot] : !slots -> !s
        cp_async %g[%c0, %o], %p by #l : !v, !s
      }
      cp_async_commit
      %next = addi %slot, %c1 : tile<i32>
      %end = cmpi equal %next, %c3, signed : tile<i32> -> tile<i1>
      %then = select %end, %c0, %next : tile<i1>, tile<i32>
      %q = subview %s[%then] : !slots -> !s
      %a = load_shared %q : !s -> !t
      %d = addf %acc, %a : !t
      continue %d, %then : !t, tile<i32>
    }
    store_global %sum, %g[%c0, %c0] : !t, !v
  }

  // Shared memory that stays: an alloca without swizzle, in the order of the program.
  //
  // CHECK-LABEL: entry @scratch
  // CHECK: %s = alloca num_elem = 768, alignment = 64 : tile<ptr<f32>>
  // CHECK: make_tensor_view %s, shape = [3, 16, 16], strides = [256, 16, 1]
  // CHECK: %[[STORED:.*]] = store_view_tko weak
  // CHECK: for %[[I:.*]] in
  // CHECK: load_view_tko weak %{{.*}}[%[[I]], %{{.*}}, %{{.*}}] token = %
  // CHECK: store_view_tko weak
  entry @scratch(%x: tile<ptr<f32>>, %n: tile<i32>) threads(32) {
    %g = make_tensor_view %x, shape = [64, 64], strides = [64, 1] : !v
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c3 = constant <i32: 3> : tile<i32>
    %s = alloc_shared : !slots
    %at = remi %n, %c3 unsigned : tile<i32>
    %p = subview %s[%at] : !slots -> !s
    %t = load_global %g[%c0, %c0] : !v -> !t
    store_shared %t, %p : !t, !s
    barrier
    for %i in (%c0 to %c3, step %c1) : tile<i32> {
      %q = subview %s[%i] : !slots -> !s
      %a = load_shared %q : !s -> !t
      store_shared %a, %p : !t, !s
      store_global %a, %g[%i, %c0] : !t, !v
    }
  }
}
