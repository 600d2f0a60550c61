// REQUIRES: llvm
// RUN: rm -rf %t && mkdir %t
// RUN: %tessera run %s -k exchange -t interp --sanitize=all -g 2 arange:i32:256 zeros:i32:256 i32:256 --save out=%t/exchange.npy --print=out | FileCheck %s --check-prefix=EXCHANGE
// RUN: %tessera run %s -k exchange -t emu:sm_90a --sanitize=all -g 2 arange:i32:256 zeros:i32:256 i32:256 --save out=%t/card.npy && cmp %t/exchange.npy %t/card.npy
// RUN: %tessera run %s -k exchange -t cpu -g 2 arange:i32:256 zeros:i32:256 i32:256 --save out=%t/cpu.npy && cmp %t/exchange.npy %t/cpu.npy
// RUN: %mutants --async %s -k exchange -g 2 arange:i32:256 zeros:i32:256 i32:256 --save out
// RUN: %mutants --emu=sm_90a %s -k exchange -g 2 arange:i32:256 zeros:i32:256 i32:256 --save out
// RUN: %tessera run %s -k ring -t interp --sanitize=all -g 8 arange:i32:1536 zeros:i32:1536 i32:1536 --save out=%t/ring.npy --print=out | FileCheck %s --check-prefix=RING
// RUN: %tessera run %s -k ring -t emu:sm_90a --sanitize=all -g 8 arange:i32:1536 zeros:i32:1536 i32:1536 --save out=%t/card.npy && cmp %t/ring.npy %t/card.npy
// RUN: %tessera run %s -k ring -t cpu -g 8 arange:i32:1536 zeros:i32:1536 i32:1536 --save out=%t/cpu.npy && cmp %t/ring.npy %t/cpu.npy
// RUN: %mutants --async %s -k ring -g 8 arange:i32:1536 zeros:i32:1536 i32:1536 --save out
// RUN: %mutants --emu=sm_90a %s -k ring -g 8 arange:i32:1536 zeros:i32:1536 i32:1536 --save out
// RUN: %tessera run %s -k send -t interp --sanitize=all -g 8 arange:i32:1024 zeros:i32:1024 i32:1024 --save out=%t/send.npy --print=out | FileCheck %s --check-prefix=SEND
// RUN: %tessera run %s -k send -t emu:sm_90a --sanitize=all -g 8 arange:i32:1024 zeros:i32:1024 i32:1024 --save out=%t/card.npy && cmp %t/send.npy %t/card.npy
// RUN: %tessera run %s -k send -t cpu -g 8 arange:i32:1024 zeros:i32:1024 i32:1024 --save out=%t/cpu.npy && cmp %t/send.npy %t/cpu.npy
// RUN: %mutants --async %s -k send -g 8 arange:i32:1024 zeros:i32:1024 i32:1024 --save out
// RUN: %mutants --emu=sm_90a %s -k send -g 8 arange:i32:1024 zeros:i32:1024 i32:1024 --save out
// RUN: %tessera run %s -k sum -t interp --sanitize=all -g 4,2 arange:i32:1024 zeros:i32:1024 i32:1024 --save out=%t/sum.npy --print=out | FileCheck %s --check-prefix=SUM
// RUN: %tessera run %s -k sum -t emu:sm_90a --sanitize=all -g 4,2 arange:i32:1024 zeros:i32:1024 i32:1024 --save out=%t/card.npy && cmp %t/sum.npy %t/card.npy
// RUN: %tessera run %s -k sum -t cpu -g 4,2 arange:i32:1024 zeros:i32:1024 i32:1024 --save out=%t/cpu.npy && cmp %t/sum.npy %t/cpu.npy
// RUN: %mutants --async %s -k sum -g 4,2 arange:i32:1024 zeros:i32:1024 i32:1024 --save out
// RUN: %mutants --emu=sm_90a %s -k sum -g 4,2 arange:i32:1024 zeros:i32:1024 i32:1024 --save out
// RUN: %tessera run %s -k rows -t interp --sanitize=all -g 8 arange:i32:1024 zeros:i32:1024 i32:1024 --save out=%t/rows.npy --print=out | FileCheck %s --check-prefix=ROWS
// RUN: %tessera run %s -k rows -t emu:sm_90a --sanitize=all -g 8 arange:i32:1024 zeros:i32:1024 i32:1024 --save out=%t/card.npy && cmp %t/rows.npy %t/card.npy
// RUN: %tessera run %s -k rows -t cpu -g 8 arange:i32:1024 zeros:i32:1024 i32:1024 --save out=%t/cpu.npy && cmp %t/rows.npy %t/cpu.npy
// RUN: %mutants --async %s -k rows -g 8 arange:i32:1024 zeros:i32:1024 i32:1024 --save out
// RUN: %mutants --emu=sm_90a %s -k rows -g 8 arange:i32:1024 zeros:i32:1024 i32:1024 --save out
// RUN: %tessera build %s --target sm_90a --emit ptx -o %t/all.ptx
// RUN: %tessera fmt %s -o %t/again.mlir && %tessera fmt %t/again.mlir | diff %t/again.mlir -
//
// EXCHANGE: {{\[ *}}256{{ +}}258{{ +}}260
// RING: {{\[ *}}576{{ +}}577{{ +}}578
// SEND: {{\[ *}}384{{ +}}385{{ +}}386
// SUM: {{\[ *}}1280{{ +}}1284{{ +}}1288
// ROWS: {{\[ *}}0{{ +}}0{{ +}}0
//
// Tile blocks of a cluster use each other's shared memory: by loads and stores, atomic updates,
// asynchronous stores, and copies of the engine.
#row = layout<spatial(32).local(4)>
!t = tile<128xi32, #row>
!s = shared<128xi32>
!v = tensor_view<?xi32, strides=[1]>
#odd = layout<local(3).spatial(32).local(2)>
!odd = tile<192xi32, #odd>
!so = shared<192xi32>
cuda_tile.module @clusters {
  // Each gives its tile to the other one, which adds what it loads from there.
  entry @exchange(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %n: tile<i32>) threads(32) cluster(2) {
    %vi = make_tensor_view %in, shape = [%n], strides = [1] : tile<i32> -> !v
    %vo = make_tensor_view %out, shape = [%n], strides = [1] : tile<i32> -> !v
    %c1 = constant <i32: 1> : tile<i32>
    %c128 = constant <i32: 128> : tile<i32>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %at = muli %x, %c128 : tile<i32>
    %rank = get_cluster_rank : tile<i32>
    %other = xori %rank, %c1 : tile<i32>
    %here = alloc_shared : !s
    %inbox = alloc_shared : !s
    %mine = load_global %vi[%at] : !v -> !t
    store_shared %mine, %here : !t, !s
    cluster_barrier
    %there = map_remote %here, %other : !s -> remote<!s>
    %outbox = map_remote %inbox, %other : !s -> remote<!s>
    %theirs = load_shared %there : remote<!s> -> !t
    store_shared %mine, %outbox : !t, remote<!s>
    cluster_barrier
    %given = load_shared %inbox : !s -> !t
    %sum = addi %theirs, %given : !t
    store_global %sum, %vo[%at] : !t, !v
    return
  }
  // A ring of four: each begins to store to the next and waits for what comes from the one before.
  entry @ring(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %n: tile<i32>) threads(32) cluster(4) {
    %vi = make_tensor_view %in, shape = [%n], strides = [1] : tile<i32> -> !v
    %vo = make_tensor_view %out, shape = [%n], strides = [1] : tile<i32> -> !v
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c3 = constant <i32: 3> : tile<i32>
    %c192 = constant <i32: 192> : tile<i32>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %at = muli %x, %c192 : tile<i32>
    %rank = get_cluster_rank : tile<i32>
    %after = addi %rank, %c1 : tile<i32>
    %next = andi %after, %c3 : tile<i32>
    %inbox = alloc_shared : !so
    %come = alloc_mbarrier : mbarrier<2>
    elect {
      mbarrier_init %come, 1 : mbarrier<2>
      mbarrier_arrive_expect %come[%c1], 768 : mbarrier<2>
    }
    cluster_arrive
    %mine = load_global %vi[%at] : !v -> !odd
    cluster_wait
    %outbox = map_remote %inbox, %next : !so -> remote<!so>
    %their = map_remote %come, %next : mbarrier<2> -> remote<mbarrier<2>>
    store_async %mine, %outbox, %their[%c1] : !odd, remote<!so>, remote<mbarrier<2>>
    mbarrier_wait %come[%c1], %c0 : mbarrier<2>
    %given = load_shared %inbox : !so -> !odd
    store_global %given, %vo[%at] : !odd, !v
    cluster_barrier // harmless: each has waited for all that others do to its memory
    return
  }
  // The engine copies to the next, which is told how many bytes come by who sends them.
  entry @send(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %n: tile<i32>) threads(64) cluster(4) {
    %vi = make_tensor_view %in, shape = [%n], strides = [1] : tile<i32> -> !v
    %vo = make_tensor_view %out, shape = [%n], strides = [1] : tile<i32> -> !v
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c3 = constant <i32: 3> : tile<i32>
    %c128 = constant <i32: 128> : tile<i32>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %at = muli %x, %c128 : tile<i32>
    %rank = get_cluster_rank : tile<i32>
    %after = addi %rank, %c1 : tile<i32>
    %next = andi %after, %c3 : tile<i32>
    %here = alloc_shared : !s
    %inbox = alloc_shared : !s
    %come = alloc_mbarrier : mbarrier<1>
    elect { mbarrier_init %come, 1 : mbarrier<1> }
    group threads(0 to 32) {
      %mine = load_global %vi[%at] : !v -> !t
      store_shared %mine, %here : !t, !s
      fence_async
    }
    cluster_barrier
    %outbox = map_remote %inbox, %next : !s -> remote<!s>
    %their = map_remote %come, %next : mbarrier<1> -> remote<mbarrier<1>>
    group threads(32 to 64) {
      elect {
        mbarrier_arrive_expect %their, 512 : remote<mbarrier<1>>
        bulk_copy %here, %outbox, %their : !s, remote<!s>, remote<mbarrier<1>>
      }
    }
    group threads(0 to 32) {
      mbarrier_wait %come, %c0 : mbarrier<1>
      %given = load_shared %inbox : !s -> !t
      store_global %given, %vo[%at] : !t, !v
    }
    cluster_barrier // unseen on a GPU without it: a copy reads its source when it begins
    return
  }
  // All add to what the first one has, which stores the sum.
  entry @sum(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %n: tile<i32>) threads(32) cluster(2, 2) {
    %vi = make_tensor_view %in, shape = [%n], strides = [1] : tile<i32> -> !v
    %vo = make_tensor_view %out, shape = [%n], strides = [1] : tile<i32> -> !v
    %c0 = constant <i32: 0> : tile<i32>
    %c2 = constant <i32: 2> : tile<i32>
    %c128 = constant <i32: 128> : tile<i32>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %nx, %ny, %nz = get_num_tile_blocks : tile<i32>
    %row = muli %y, %nx : tile<i32>
    %number = addi %row, %x : tile<i32>
    %at = muli %number, %c128 : tile<i32>
    %rank = get_cluster_rank : tile<i32>
    %is = cmpi equal %rank, %c0, signed : tile<i32> -> tile<i1>
    %all = alloc_shared : !s
    %zero = constant <i32: 0> : !t
    store_shared %zero, %all : !t, !s
    cluster_barrier
    %mine = load_global %vi[%at] : !v -> !t
    %first = map_remote %all, %c0 : !s -> remote<!s>
    %old = atomic_shared add %mine, %first : !t, remote<!s> -> !t
    cluster_barrier
    if %is {
      %sum = load_shared %all : !s -> !t
      store_global %sum, %vo[%at] : !t, !v
    }
    return
  }
  // Who has a rank of 1 copies rows for itself and for 2.
  entry @rows(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %n: tile<i32>) threads(32) cluster(4) {
    %vi = make_tensor_view %in, shape = [%n], strides = [1] : tile<i32> -> !v
    %vo = make_tensor_view %out, shape = [%n], strides = [1] : tile<i32> -> !v
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c2 = constant <i32: 2> : tile<i32>
    %mask = constant <i32: 6> : tile<i32>
    %c128 = constant <i32: 128> : tile<i32>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %at = muli %x, %c128 : tile<i32>
    %rank = get_cluster_rank : tile<i32>
    %sends = cmpi equal %rank, %c1, signed : tile<i32> -> tile<i1>
    %same = cmpi equal %rank, %c2, signed : tile<i32> -> tile<i1>
    %gets = ori %sends, %same : tile<i1>
    %here = alloc_shared : !s
    %come = alloc_mbarrier : mbarrier<1>
    elect {
      mbarrier_init %come, 1 : mbarrier<1>
      mbarrier_arrive_expect %come, 512 : mbarrier<1>
      fence_async // unseen on a GPU without it: no copy reads a barrier
    }
    cluster_arrive
    cluster_wait
    if %sends {
      elect { bulk_load %vi[%at], %here, %come multicast = %mask : !v, !s, mbarrier<1> }
    }
    if %gets {
      mbarrier_wait %come, %c0 : mbarrier<1>
      %got = load_shared %here : !s -> !t
      store_global %got, %vo[%at] : !t, !v
    } else {
      elect { bulk_load %vi[%at], %here, %come : !v, !s, mbarrier<1> }
      mbarrier_wait %come, %c0 : mbarrier<1> // unseen on a GPU without it: a copy arrives before its block ends
    }
    cluster_barrier // harmless: each has waited for what comes into its memory
    return
  }
}
