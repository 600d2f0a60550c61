// Offsets of copies that are no sums: quotients, minima. A pipeline is a plain loop all the same where
// the copies in front of it compute what the loop's own would have, by the same operations.
//
// RUN: %tessera build %s --emit tile | FileCheck %s
// RUN: %engines %t.alike %s -k alike --grid 2 arange:f32:8x16x16 zeros:f32:2x16x16 i32:64 --save y
// RUN: %engines %t.other %s -k other --grid 2 arange:f32:8x16x16 zeros:f32:2x16x16 i32:64 --save y
// RUN: %engines %t.bounded %s -k bounded --grid 2 arange:f32:8x16x16 zeros:f32:2x16x16 i32:64 --save y
#copies = layout<spatial(1, 16, 2).local(1, 1, 8)>
!v = tensor_view<8x16x16xf32, strides=[256,16,1]>
!out = tensor_view<2x16x16xf32, strides=[256,16,1]>
!s = shared<1x16x16xf32, (1,16,16):(0,16,1)>
!slots = shared<3x1x16x16xf32, (3,1,16,16):(256,0,16,1)>
!sum = tile<1x16x16xf32, #copies>

cuda_tile.module @quotients {
  // CHECK-LABEL: entry @alike
  // CHECK-NOT: alloca
  // CHECK: for %[[I:.*]] in
  // CHECK: %[[Q:.*]] = divi
  // CHECK: load_view_tko weak %{{.*}}[%[[Q]], %{{.*}}, %{{.*}}]
  // CHECK-NOT: load_ptr_tko
  entry @alike(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>) threads(32) {
    %g = make_tensor_view %x, shape = [8, 16, 16], strides = [256, 16, 1] : !v
    %h = make_tensor_view %y, shape = [2, 16, 16], strides = [256, 16, 1] : !out
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c2 = constant <i32: 2> : tile<i32>
    %c3 = constant <i32: 3> : tile<i32>
    %c16 = constant <i32: 16> : tile<i32>
    %c32 = constant <i32: 32> : tile<i32>
    %start = muli %b, %n : tile<i32>
    %m = divi %n, %c16 signed : tile<i32>
    %s = alloc_shared : !slots
    for %i in (%c0 to %c2, step %c1) : tile<i32> {
      %a = muli %i, %c16 : tile<i32>
      %o = addi %start, %a : tile<i32>
      %k = divi %o, %c16 signed : tile<i32>
      %p = subview %s[%i, %c0, %c0, %c0] : !slots -> !s
      cp_async %g[%k, %c0, %c0], %p by #copies : !v, !s
      cp_async_commit
    }
    %zero = constant <f32: 0.0> : !sum
    %sum, %r, %w = for %i in (%c0 to %m, step %c1) : tile<i32> iter_values(%acc = %zero, %slot = %c0, %next = %c2) -> (!sum, tile<i32>, tile<i32>) {
      cp_async_wait 1
      barrier // harmless: each thread accesses what it stored itself
      %q = subview %s[%slot, %c0, %c0, %c0] : !slots -> !s
      %a = load_shared %q : !s -> !sum
      %d = addf %acc, %a : !sum
      %e = muli %i, %c16 : tile<i32>
      %at = addi %start, %e : tile<i32>
      %o = addi %at, %c32 : tile<i32>
      %k = divi %o, %c16 signed : tile<i32>
      %p = subview %s[%next, %c0, %c0, %c0] : !slots -> !s
      barrier // harmless: each thread accesses what it stored itself
      cp_async %g[%k, %c0, %c0], %p by #copies : !v, !s
      cp_async_commit
      %slot1 = addi %slot, %c1 : tile<i32>
      %slot2 = remi %slot1, %c3 signed : tile<i32>
      %next1 = addi %next, %c1 : tile<i32>
      %next2 = remi %next1, %c3 signed : tile<i32>
      continue %d, %slot2, %next2 : !sum, tile<i32>, tile<i32>
    }
    cp_async_wait 0 // harmless on a GPU: nobody reads what was copied behind the last step
    store_global %sum, %h[%b, %c0, %c0] : !sum, !out
  }

  // What is copied in front is something else: by twice as many.
  //
  // CHECK-LABEL: entry @other
  // CHECK: alloca
  entry @other(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>) threads(32) {
    %g = make_tensor_view %x, shape = [8, 16, 16], strides = [256, 16, 1] : !v
    %h = make_tensor_view %y, shape = [2, 16, 16], strides = [256, 16, 1] : !out
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c2 = constant <i32: 2> : tile<i32>
    %c3 = constant <i32: 3> : tile<i32>
    %c8 = constant <i32: 8> : tile<i32>
    %c16 = constant <i32: 16> : tile<i32>
    %c32 = constant <i32: 32> : tile<i32>
    %start = muli %b, %n : tile<i32>
    %m = divi %n, %c16 signed : tile<i32>
    %s = alloc_shared : !slots
    for %i in (%c0 to %c2, step %c1) : tile<i32> {
      %a = muli %i, %c16 : tile<i32>
      %o = addi %start, %a : tile<i32>
      %k = divi %o, %c8 signed : tile<i32>
      %p = subview %s[%i, %c0, %c0, %c0] : !slots -> !s
      cp_async %g[%k, %c0, %c0], %p by #copies : !v, !s
      cp_async_commit
    }
    %zero = constant <f32: 0.0> : !sum
    %sum, %r, %w = for %i in (%c0 to %m, step %c1) : tile<i32> iter_values(%acc = %zero, %slot = %c0, %next = %c2) -> (!sum, tile<i32>, tile<i32>) {
      cp_async_wait 1
      barrier
      %q = subview %s[%slot, %c0, %c0, %c0] : !slots -> !s
      %a = load_shared %q : !s -> !sum
      %d = addf %acc, %a : !sum
      %e = muli %i, %c16 : tile<i32>
      %at = addi %start, %e : tile<i32>
      %o = addi %at, %c32 : tile<i32>
      %k = divi %o, %c16 signed : tile<i32>
      %p = subview %s[%next, %c0, %c0, %c0] : !slots -> !s
      barrier
      cp_async %g[%k, %c0, %c0], %p by #copies : !v, !s
      cp_async_commit
      %slot1 = addi %slot, %c1 : tile<i32>
      %slot2 = remi %slot1, %c3 signed : tile<i32>
      %next1 = addi %next, %c1 : tile<i32>
      %next2 = remi %next1, %c3 signed : tile<i32>
      continue %d, %slot2, %next2 : !sum, tile<i32>, tile<i32>
    }
    cp_async_wait 0
    store_global %sum, %h[%b, %c0, %c0] : !sum, !out
  }

  // The tile behind the last is the last one again.
  //
  // CHECK-LABEL: entry @bounded
  // CHECK-NOT: alloca
  // CHECK: for %[[I:.*]] in
  // CHECK: %[[L:.*]] = mini
  // CHECK: load_view_tko weak %{{.*}}[%[[L]], %{{.*}}, %{{.*}}]
  entry @bounded(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>) threads(32) {
    %g = make_tensor_view %x, shape = [8, 16, 16], strides = [256, 16, 1] : !v
    %h = make_tensor_view %y, shape = [2, 16, 16], strides = [256, 16, 1] : !out
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c2 = constant <i32: 2> : tile<i32>
    %c3 = constant <i32: 3> : tile<i32>
    %c16 = constant <i32: 16> : tile<i32>
    %m = divi %n, %c16 signed : tile<i32>
    %first = muli %b, %m : tile<i32>
    %end = addi %first, %c2 : tile<i32>
    %s = alloc_shared : !slots
    for %i in (%c0 to %c1, step %c1) : tile<i32> {
      %o = addi %first, %i : tile<i32>
      %k = mini %o, %end signed : tile<i32>
      %p = subview %s[%i, %c0, %c0, %c0] : !slots -> !s
      cp_async %g[%k, %c0, %c0], %p by #copies : !v, !s
      cp_async_commit
    }
    %zero = constant <f32: 0.0> : !sum
    %sum = for %i in (%c0 to %m, step %c1) : tile<i32> iter_values(%acc = %zero) -> (!sum) {
      %i1 = addi %i, %c1 : tile<i32>
      %next = remi %i1, %c3 signed : tile<i32>
      %slot = remi %i, %c3 signed : tile<i32>
      %o = addi %first, %i1 : tile<i32>
      %k = mini %o, %end signed : tile<i32>
      %p = subview %s[%next, %c0, %c0, %c0] : !slots -> !s
      cp_async %g[%k, %c0, %c0], %p by #copies : !v, !s
      cp_async_commit
      cp_async_wait 1
      barrier
      %q = subview %s[%slot, %c0, %c0, %c0] : !slots -> !s
      %a = load_shared %q : !s -> !sum
      %d = addf %acc, %a : !sum
      barrier
      continue %d : !sum
    }
    cp_async_wait 0
    store_global %sum, %h[%b, %c0, %c0] : !sum, !out
  }
}
