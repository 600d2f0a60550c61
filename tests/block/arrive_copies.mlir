// REQUIRES: llvm
// RUN: %tessera run %s -k both -t interp --sanitize=all -g 1 arange:i32:64x8 zeros:i32:8x8 i32:8 --save out=%t.npy
// RUN: %tessera run %s -k both -t emu:sm_80 --sanitize=all -g 1 arange:i32:64x8 zeros:i32:8x8 i32:8 --save out=%t.card.npy
// RUN: cmp %t.npy %t.card.npy
// RUN: %mutants %s -k both -g 1 arange:i32:64x8 zeros:i32:8x8 i32:8 --save out
// RUN: not %tessera run %s -k copies -t interp --sanitize=all -g 1 arange:i32:64x8 zeros:i32:8x8 i32:8 2>&1 | FileCheck %s
// RUN: not %tessera run %s -k copies -t emu:sm_80 --sanitize=all -g 1 arange:i32:64x8 zeros:i32:8x8 i32:8 2>&1 | FileCheck %s --check-prefix=CARD
// CHECK: arrive_copies.mlir:[[@LINE+66]]:12: error: [race] load_shared reads shared memory that thread 0 wrote with store_shared, and no barrier stands between
// CHECK: sanitizer: {{[0-9]+}} findings at 1 operation (race
// CARD: arrive_copies.mlir:[[@LINE+64]]:12: error: [race] reads memory that another thread writes, with nothing that orders the two
//
// An arrival behind copies says nothing of what the threads stored themselves: these arrive for that.
// What was copied has been read, so that it may be written again behind the wait.
#p = layout<spatial(4, 8).local(2, 1)>
#c = layout<spatial(8, 4).local(1, 2)>
!view = tensor_view<?x8xi32, strides=[8,1]>
!slots = shared<2x8x8xi32>
!slot = shared<8x8xi32>
!p = tile<8x8xi32, #p>
!c = tile<8x8xi32, #c>
cuda_tile.module @arrive {
  entry @both(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %n: tile<i32>) threads(64) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c8 = constant <i32: 8> : tile<i32>
    %rows = muli %n, %c8 : tile<i32>
    %vi = make_tensor_view %in, shape = [%rows, 8], strides = [8, 1] : tile<i32> -> !view
    %vo = make_tensor_view %out, shape = [%c8, 8], strides = [8, 1] : tile<i32> -> !view
    %a = alloc_shared : !slot
    %b = alloc_shared : !slot
    %full = alloc_mbarrier : mbarrier<1>
    elect { mbarrier_init %full, 64 : mbarrier<1> }
    barrier
    roles {
      role @load threads(0 to 32) {
        cp_async %vi[%c0, %c0], %a by #p : !view, !slot
        %x = load_global %vi[%c8, %c0] : !view -> !p
        store_shared %x, %b : !p, !slot
        cp_async_arrive %full : mbarrier<1>
        mbarrier_arrive %full : mbarrier<1>
      }
      role @add threads(32 to 64) {
        mbarrier_wait %full, %c0 : mbarrier<1>
        %x = load_shared %a : !slot -> !c
        %y = load_shared %b : !slot -> !c
        %sum = addi %x, %y : !c
        store_global %sum, %vo[%c0, %c0] : !c, !view
        store_global %sum, %vi[%c0, %c0] : !c, !view
      }
    }
    return
  }
  entry @copies(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %n: tile<i32>) threads(64) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c8 = constant <i32: 8> : tile<i32>
    %rows = muli %n, %c8 : tile<i32>
    %vi = make_tensor_view %in, shape = [%rows, 8], strides = [8, 1] : tile<i32> -> !view
    %vo = make_tensor_view %out, shape = [%c8, 8], strides = [8, 1] : tile<i32> -> !view
    %a = alloc_shared : !slot
    %b = alloc_shared : !slot
    %full = alloc_mbarrier : mbarrier<1>
    elect { mbarrier_init %full, 32 : mbarrier<1> }
    barrier
    group threads(0 to 32) {
      cp_async %vi[%c0, %c0], %a by #p : !view, !slot
      %x = load_global %vi[%c8, %c0] : !view -> !p
      store_shared %x, %b : !p, !slot
      cp_async_arrive %full : mbarrier<1>
    }
    group threads(32 to 64) {
      mbarrier_wait %full, %c0 : mbarrier<1>
      %x = load_shared %a : !slot -> !c
      %y = load_shared %b : !slot -> !c
      %sum = addi %x, %y : !c
      store_global %sum, %vo[%c0, %c0] : !c, !view
      store_global %sum, %vi[%c0, %c0] : !c, !view
    }
    return
  }
}
