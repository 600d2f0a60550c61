// REQUIRES: llvm
// RUN: %engines %t %s --no-cards --grid 1 arange:i32:16x32 arange:i32:16x32 zeros:i32:1x32 i32:5 --save out
// RUN: %mutants %s -g 1 arange:i32:16x32 arange:i32:16x32 zeros:i32:1x32 i32:5 --save out
//
// A loop hands on tensor maps, of two tensors in turn.
!view = tensor_view<?x32xi32, strides=[32,1]>
!row = shared<1x32xi32>
!r = tile<1x32xi32, spatial(1, 32)>
!map = tensor_map<1x32xi32>
cuda_tile.module @handed {
  entry @maps(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>, %out: tile<ptr<i32>>, %n: tile<i32>) threads(32) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c8 = constant <i32: 8> : tile<i32>
    %c16 = constant <i32: 16> : tile<i32>
    %vp = make_tensor_view %p, shape = [%c16, 32], strides = [32, 1] : tile<i32> -> !view
    %vq = make_tensor_view %q, shape = [%c8, 32], strides = [32, 1] : tile<i32> -> !view
    %vo = make_tensor_view %out, shape = [%c1, 32], strides = [32, 1] : tile<i32> -> !view
    %mp = make_tensor_map %vp : !view -> !map
    %mq = make_tensor_map %vq : !view -> !map
    %s = alloc_shared : !row
    %full = alloc_mbarrier : mbarrier<1>
    elect {
      mbarrier_init %full, 1 : mbarrier<1>
      fence_async
    }
    barrier
    %zero = constant <i32: 0> : !r
    %sum, %u, %w = for %i in (%c0 to %n, step %c1) : tile<i32> iter_values(%acc = %zero, %from = %mp, %other = %mq) -> (!r, !map, !map) {
      elect {
        mbarrier_arrive_expect %full, 128 : mbarrier<1>
        tensor_load %from[%i, %c0], %s, %full : !map, !row, mbarrier<1>
      }
      %p1 = andi %i, %c1 : tile<i32>
      mbarrier_wait %full, %p1 : mbarrier<1>
      %x = load_shared %s : !row -> !r
      barrier
      %y = addi %acc, %x : !r
      continue %y, %other, %from : !r, !map, !map
    }
    store_global %sum, %vo[%c0, %c0] : !r, !view
    return
  }
}
