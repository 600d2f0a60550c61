// REQUIRES: llvm
// RUN: %engines %t.swap %s -k swap --no-amd --grid 2 arange:i32:16x32 zeros:i32:2x32 i32:8 --save out
// RUN: %engines %t.parts %s -k parts --no-amd --grid 1 arange:i32:16x32 zeros:i32:1x32 i32:8 --save out
// RUN: %engines %t.choose %s -k choose --no-amd --grid 1 arange:i32:16x32 zeros:i32:2x32 i32:1 --save out
// RUN: %engines %t.ring %s -k ring --no-amd --grid 1 arange:i32:16x32 zeros:i32:1x32 i32:7 --save out
// RUN: %mutants %s -k ring -g 1 arange:i32:16x32 zeros:i32:1x32 i32:7 --save out
// RUN: %mutants %s -k swap -g 2 arange:i32:16x32 zeros:i32:2x32 i32:8 --save out
//
// Loops and branches hand on shared memory and mbarriers.
!t = tile<32xi32, spatial(32)>
!view = tensor_view<?x32xi32, strides=[32,1]>
!s = shared<32xi32>
!row = shared<1x32xi32>
!two = shared<2x32xi32>
!r = tile<1x32xi32, spatial(1, 32)>
cuda_tile.module @handed {
  // Two allocations that change places.
  entry @swap(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %n: tile<i32>) threads(32) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c2 = constant <i32: 2> : tile<i32>
    %c16 = constant <i32: 16> : tile<i32>
    %vi = make_tensor_view %in, shape = [%c16, 32], strides = [32, 1] : tile<i32> -> !view
    %vo = make_tensor_view %out, shape = [%c2, 32], strides = [32, 1] : tile<i32> -> !view
    %x, %y, %z = get_tile_block_id : tile<i32>
    %a = alloc_shared : !row
    %b = alloc_shared : !row
    %first = load_global %vi[%x, %c0] : !view -> !r
    store_shared %first, %a : !r, !row
    barrier // harmless: each thread loads what it stored itself
    %last, %other = for %i in (%c0 to %n, step %c1) : tile<i32> iter_values(%from = %a, %to = %b) -> (!row, !row) {
      %old = load_shared %from : !row -> !r
      %row = addi %i, %x : tile<i32>
      %new = load_global %vi[%row, %c0] : !view -> !r
      %sum = addi %old, %new : !r
      store_shared %sum, %to : !r, !row
      barrier // harmless: each thread loads what it stored itself
      continue %to, %from : !row, !row
    }
    %all = load_shared %last : !row -> !r
    %before = load_shared %other : !row -> !r
    %twice = addi %all, %before : !r
    store_global %twice, %vo[%x, %c0] : !r, !view
    return
  }
  // Parts of one allocation, at offsets that a loop counts.
  entry @parts(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %n: tile<i32>) threads(32) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c16 = constant <i32: 16> : tile<i32>
    %vi = make_tensor_view %in, shape = [%c16, 32], strides = [32, 1] : tile<i32> -> !view
    %vo = make_tensor_view %out, shape = [%c1, 32], strides = [32, 1] : tile<i32> -> !view
    %s = alloc_shared : !two
    %a = subview %s[%c0] : !two -> !row
    %first = load_global %vi[%c0, %c0] : !view -> !r
    store_shared %first, %a : !r, !row
    barrier // harmless: each thread accesses what it stored itself
    %last, %k = loop iter_values(%from = %a, %i = %c0) : !row, tile<i32> -> !row, tile<i32> {
      %more = cmpi less_than %i, %n, signed : tile<i32> -> tile<i1>
      if %more { } else { break %from, %i : !row, tile<i32> }
      %next = addi %i, %c1 : tile<i32>
      %slot = andi %next, %c1 : tile<i32>
      %to = subview %s[%slot] : !two -> !row
      %old = load_shared %from : !row -> !r
      %new = load_global %vi[%next, %c0] : !view -> !r
      %sum = addi %old, %new : !r
      store_shared %sum, %to : !r, !row
      barrier // harmless: each thread accesses what it stored itself
      continue %to, %next : !row, tile<i32>
    }
    %all = load_shared %last : !row -> !r
    store_global %all, %vo[%c0, %c0] : !r, !view
    return
  }
  // A branch says which of two.
  entry @choose(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %n: tile<i32>) threads(32) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c2 = constant <i32: 2> : tile<i32>
    %vi = make_tensor_view %in, shape = [%c2, 32], strides = [32, 1] : tile<i32> -> !view
    %vo = make_tensor_view %out, shape = [%c2, 32], strides = [32, 1] : tile<i32> -> !view
    %a = alloc_shared : !row
    %b = alloc_shared : !row
    %x = load_global %vi[%c0, %c0] : !view -> !r
    %y = load_global %vi[%c1, %c0] : !view -> !r
    store_shared %x, %a : !r, !row
    store_shared %y, %b : !r, !row
    barrier // harmless: each thread accesses what it stored itself
    %is = cmpi equal %n, %c0, signed : tile<i32> -> tile<i1>
    %one, %two = if %is -> (!row, !row) { yield %a, %b : !row, !row } else { yield %b, %a : !row, !row }
    %v = load_shared %one : !row -> !r
    %w = load_shared %two : !row -> !r
    store_global %v, %vo[%c0, %c0] : !r, !view
    store_global %w, %vo[%c1, %c0] : !r, !view
    return
  }
  // A producer whose slots and barriers change places.
  entry @ring(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %n: tile<i32>) threads(64) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c16 = constant <i32: 16> : tile<i32>
    %vi = make_tensor_view %in, shape = [%c16, 32], strides = [32, 1] : tile<i32> -> !view
    %vo = make_tensor_view %out, shape = [%c1, 32], strides = [32, 1] : tile<i32> -> !view
    %a = alloc_shared : !row
    %b = alloc_shared : !row
    %fa = alloc_mbarrier : mbarrier<1>
    %fb = alloc_mbarrier : mbarrier<1>
    %ea = alloc_mbarrier : mbarrier<2>
    %eb = alloc_mbarrier : mbarrier<2>
    elect {
      mbarrier_init %fa, 32 : mbarrier<1>
      mbarrier_init %fb, 32 : mbarrier<1>
      mbarrier_init %ea, 1 : mbarrier<2>
      mbarrier_init %eb, 1 : mbarrier<2>
    }
    barrier
    roles {
      role @load threads(0 to 32) {
        %q, %w, %e, %r, %t, %u = for %i in (%c0 to %n, step %c1) : tile<i32>
            iter_values(%s = %a, %o = %b, %full = %fa, %f = %fb, %empty = %ea, %g = %eb)
            -> (!row, !row, mbarrier<1>, mbarrier<1>, mbarrier<2>, mbarrier<2>) {
          %half = shri %i, %c1 unsigned : tile<i32>
          %p = andi %half, %c1 : tile<i32>
          %v = xori %p, %c1 : tile<i32>
          mbarrier_wait %empty[%c1], %v : mbarrier<2>
          %x = load_global %vi[%i, %c0] : !view -> !r
          store_shared %x, %s : !r, !row
          mbarrier_arrive %full : mbarrier<1>
          continue %o, %s, %f, %full, %g, %empty : !row, !row, mbarrier<1>, mbarrier<1>, mbarrier<2>, mbarrier<2>
        }
      }
      role @add threads(32 to 64) {
        %zero = constant <i32: 0> : !r
        %sum, %q, %w, %e, %r, %t, %u = for %i in (%c0 to %n, step %c1) : tile<i32>
            iter_values(%acc = %zero, %s = %a, %o = %b, %full = %fa, %f = %fb, %empty = %ea, %g = %eb)
            -> (!r, !row, !row, mbarrier<1>, mbarrier<1>, mbarrier<2>, mbarrier<2>) {
          %half = shri %i, %c1 unsigned : tile<i32>
          %p = andi %half, %c1 : tile<i32>
          mbarrier_wait %full, %p : mbarrier<1>
          %x = load_shared %s : !row -> !r
          mbarrier_arrive %empty[%c1] each group : mbarrier<2>
          %y = addi %acc, %x : !r
          continue %y, %o, %s, %f, %full, %g, %empty : !r, !row, !row, mbarrier<1>, mbarrier<1>, mbarrier<2>, mbarrier<2>
        }
        store_global %sum, %vo[%c0, %c0] : !r, !view
      }
    }
    return
  }
}
