// REQUIRES: llvm
// RUN: %engines %t.slots --no-cards %s -k slots --grid 2 arange:i32:128 zeros:i32:128 i32:5 --save out
// RUN: %engines %t.ring --no-cards %s -k ring --grid 2 arange:i32:128 zeros:i32:128 i32:5 --save out
// RUN: %engines %t.late --no-cards %s -k late --grid 4 arange:i32:128 zeros:i32:128 i32:5 --save out
// RUN: %tessera run %s -k ring -t emu:sm_90a --sanitize=all -g 2 arange:i32:128 zeros:i32:128 i32:5 --save out=%t.card.npy
// RUN: %npy compare %t.ring/out.npy %t.card.npy
// RUN: %mutants %s -k ring -g 2 arange:i32:128 zeros:i32:128 i32:5 --save out
// RUN: not %tessera build %S/Inputs/cluster_mapped.mlir --emit tile 2>&1 | FileCheck %s --check-prefix=MAPPED
// MAPPED: cluster_mapped.mlir:{{[0-9]+}}:{{.*}} error: it hands on another tile block's mbarrier, which a loop has handed on, which is not compiled for CPUs yet
//
// What loops hand on is mapped to another tile block: slots of shared memory and mbarriers.
!s = shared<32xi32>
!two = shared<2x32xi32>
!w = tile<32xi32, spatial(32)>
!view = tensor_view<?xi32, strides=[1]>
cuda_tile.module @m {
  // The slot of another tile block that a loop ends with.
  entry @slots(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %n: tile<i32>) threads(32) cluster(2) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c32 = constant <i32: 32> : tile<i32>
    %c128 = constant <i32: 128> : tile<i32>
    %vi = make_tensor_view %in, shape = [%c128], strides = [1] : tile<i32> -> !view
    %vo = make_tensor_view %out, shape = [%c128], strides = [1] : tile<i32> -> !view
    %x, %y, %z = get_tile_block_id : tile<i32>
    %rank = get_cluster_rank : tile<i32>
    %other = xori %rank, %c1 : tile<i32>
    %at = muli %x, %c32 : tile<i32>
    %next = addi %at, %c32 : tile<i32>
    %s = alloc_shared : !two
    %a = subview %s[%c0] : !two -> !s
    %b = subview %s[%c1] : !two -> !s
    %first = load_global %vi[%at] : !view -> !w
    %second = load_global %vi[%next] : !view -> !w
    store_shared %first, %a : !w, !s
    store_shared %second, %b : !w, !s
    cluster_barrier
    %zero = constant <i32: 0> : !w
    %p, %q, %sum = for %i in (%c0 to %n, step %c1) : tile<i32> iter_values(%k = %a, %l = %b, %acc = %zero) -> (!s, !s, !w) {
      %there = map_remote %k, %other : !s -> remote<!s>
      %v = load_shared %there : remote<!s> -> !w
      %scaled = addi %acc, %acc : !w
      %new = addi %scaled, %v : !w
      continue %l, %k, %new : !s, !s, !w
    }
    %there = map_remote %p, %other : !s -> remote<!s>
    %v = load_shared %there : remote<!s> -> !w
    %all = addi %sum, %v : !w
    cluster_barrier
    store_global %all, %vo[%at] : !w, !view
    return
  }
  // Slots in two allocations, and the barrier of the slot that is full.
  entry @ring(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %n: tile<i32>) threads(32) cluster(2) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c32 = constant <i32: 32> : tile<i32>
    %c128 = constant <i32: 128> : tile<i32>
    %vi = make_tensor_view %in, shape = [%c128], strides = [1] : tile<i32> -> !view
    %vo = make_tensor_view %out, shape = [%c128], strides = [1] : tile<i32> -> !view
    %x, %y, %z = get_tile_block_id : tile<i32>
    %rank = get_cluster_rank : tile<i32>
    %other = xori %rank, %c1 : tile<i32>
    %at = muli %x, %c32 : tile<i32>
    %a = alloc_shared : !s
    %b = alloc_shared : !s
    %fa = alloc_mbarrier : mbarrier<1>
    %fb = alloc_mbarrier : mbarrier<1>
    elect {
      mbarrier_init %fa, 1 : mbarrier<1>
      mbarrier_init %fb, 1 : mbarrier<1>
    }
    cluster_barrier
    %zero = constant <i32: 0> : !w
    %begin = load_global %vi[%at] : !view -> !w
    %k, %l, %m, %o, %sum = for %i in (%c0 to %n, step %c1) : tile<i32> iter_values(%k = %a, %l = %b, %m = %fa, %o = %fb, %acc = %begin) -> (!s, !s, mbarrier<1>, mbarrier<1>, !w) {
      %half = shri %i, %c1 unsigned : tile<i32>
      %parity = andi %half, %c1 : tile<i32>
      %to = map_remote %k, %other : !s -> remote<!s>
      %full = map_remote %m, %other : mbarrier<1> -> remote<mbarrier<1>>
      store_shared %acc, %to : !w, remote<!s>
      mbarrier_arrive %full each group : remote<mbarrier<1>>
      mbarrier_wait %m, %parity : mbarrier<1>
      %v = load_shared %k : !s -> !w
      %twice = addi %acc, %acc : !w
      %new = addi %twice, %v : !w
      continue %l, %k, %o, %m, %new : !s, !s, mbarrier<1>, mbarrier<1>, !w
    }
    cluster_barrier // harmless: each has waited for the last that the other did in its memory
    store_global %sum, %vo[%at] : !w, !view
    return
  }
  // Another tile block's slot is used an iteration later.
  entry @late(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %n: tile<i32>) threads(32) cluster(2) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c32 = constant <i32: 32> : tile<i32>
    %c128 = constant <i32: 128> : tile<i32>
    %vi = make_tensor_view %in, shape = [%c128], strides = [1] : tile<i32> -> !view
    %vo = make_tensor_view %out, shape = [%c128], strides = [1] : tile<i32> -> !view
    %x, %y, %z = get_tile_block_id : tile<i32>
    %rank = get_cluster_rank : tile<i32>
    %other = xori %rank, %c1 : tile<i32>
    %at = muli %x, %c32 : tile<i32>
    %a = alloc_shared : !s
    %b = alloc_shared : !s
    %first = load_global %vi[%at] : !view -> !w
    %second = addi %first, %first : !w
    store_shared %first, %a : !w, !s
    store_shared %second, %b : !w, !s
    cluster_barrier
    %zero = constant <i32: 0> : !w
    %begin = map_remote %b, %other : !s -> remote<!s>
    %p, %q, %r, %sum = for %i in (%c0 to %n, step %c1) : tile<i32> iter_values(%k = %a, %l = %b, %before = %begin, %acc = %zero) -> (!s, !s, remote<!s>, !w) {
      %v = load_shared %before : remote<!s> -> !w
      %twice = addi %acc, %acc : !w
      %new = addi %twice, %v : !w
      %there = map_remote %k, %other : !s -> remote<!s>
      continue %l, %k, %there, %new : !s, !s, remote<!s>, !w
    }
    cluster_barrier
    store_global %sum, %vo[%at] : !w, !view
    return
  }
}
