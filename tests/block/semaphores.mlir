// REQUIRES: llvm
// RUN: mkdir -p %t && cd %t
// RUN: %tessera run %s -k turns -t interp --sanitize=all -g 6 zeros:i32:1 zeros:i32:64 --save turn=t.npy --save sum=s.npy 2>&1 | FileCheck %s
// RUN: %npy expect t.npy '<i4' 1 6
// RUN: %npy expect s.npy '<i4' 64 '543 * i + 179'
// RUN: %engines %t.turns %s -k turns --grid 6 zeros:i32:1 zeros:i32:64 --save turn --save sum
// RUN: %tessera run %s -k turns -t emu:sm_90a --sanitize=all -g 6 zeros:i32:1 zeros:i32:64 --save sum=e.npy 2>&1 | FileCheck %s --check-prefix=EMU
// RUN: cmp s.npy e.npy
// RUN: %mutants %s -k turns -g 6 zeros:i32:1 zeros:i32:64 --save turn --save sum
// RUN: %engines %t.lock %s -k lock --grid 6 zeros:i32:1 zeros:i32:64 --save sum
// RUN: %tessera run %s -k lock -t interp --sanitize=all -g 6 zeros:i32:1 zeros:i32:64 --save sum=s.npy 2>&1 | FileCheck %s
// RUN: %npy expect s.npy '<i4' 64 '21 * i'
// RUN: sed 's/load_ptr_tko acquire/load_ptr_tko relaxed/' %s > mistake.mlir
// RUN: not %tessera run mistake.mlir -k turns -t interp --sanitize=all -g 6 zeros:i32:1 zeros:i32:64 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: grep -v 'barrier // all have done' %s > mistake.mlir
// RUN: not %tessera run mistake.mlir -k turns -t interp --sanitize=all -g 6 zeros:i32:1 zeros:i32:64 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not %tessera run mistake.mlir -k turns -t emu:sm_80 --sanitize=all -g 6 zeros:i32:1 zeros:i32:64 2>&1 | FileCheck %s --check-prefix=LATE
//
// Tile blocks that wait for each other: by turns, and for a lock.
// CHECK: sanitizer: nothing found
// EMU: checks found nothing
// RACE: [race]
// LATE: [race]
#l = layout<local(2).spatial(32)>
!t = tile<64xi32, #l>
!v = tensor_view<64xi32, strides=[1]>
cuda_tile.module @semaphores {
  // Block x waits for turn x, then sum = 3 * sum + x + i + i * x, which depends on the order.
  entry @turns(%turn: tile<ptr<i32>>, %sum: tile<ptr<i32>>) threads(32) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %v = make_tensor_view %sum, shape = [64], strides = [1] : !v
    loop {
      %now, %t0 = load_ptr_tko acquire device %turn : tile<ptr<i32>> -> tile<i32>, token
      %mine = cmpi equal %now, %x, signed : tile<i32> -> tile<i1>
      if %mine { break }
    }
    barrier // harmless: all threads see what the load has acquired
    %s = load_global %v[%c0] : !v -> !t
    %i = iota : !t
    %three = constant <i32: 3> : !t
    %x1 = reshape %x : tile<i32> -> tile<1xi32, replicated(1, num_workers=32)>
    %xs = broadcast %x1 : tile<1xi32, replicated(1, num_workers=32)> -> !t
    %a = muli %s, %three : !t
    %b = addi %a, %xs : !t
    %c = addi %b, %i : !t
    %p = muli %i, %xs : !t
    %d = addi %c, %p : !t
    store_global %d, %v[%c0] : !t, !v
    barrier // all have done it before the next block's turn
    %next = addi %x, %c1 : tile<i32>
    %t1 = store_ptr_tko release device %turn, %next : tile<ptr<i32>>, tile<i32> -> token
    return
  }

  // Whoever has the lock adds.
  entry @lock(%locked: tile<ptr<i32>>, %sum: tile<ptr<i32>>) threads(32) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %v = make_tensor_view %sum, shape = [64], strides = [1] : !v
    loop {
      %old, %t0 = atomic_cas_tko acquire device %locked, %c0, %c1 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
      %got = cmpi equal %old, %c0, signed : tile<i32> -> tile<i1>
      if %got { break }
    }
    barrier // all have the lock // harmless: all threads have what the exchange acquired
    %s = load_global %v[%c0] : !v -> !t
    %i = iota : !t
    %next = addi %x, %c1 : tile<i32>
    %x1 = reshape %next : tile<i32> -> tile<1xi32, replicated(1, num_workers=32)>
    %xs = broadcast %x1 : tile<1xi32, replicated(1, num_workers=32)> -> !t
    %p = muli %i, %xs : !t
    %d = addi %s, %p : !t
    store_global %d, %v[%c0] : !t, !v
    barrier // all have added
    %t1 = store_ptr_tko release device %locked, %c0 : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
