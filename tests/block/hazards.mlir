// RUN: %transcript %s
//
// A kernel of which nothing is said, and what each single mistake in it gives.
#by = layout<spatial(8, 8).local(1, 2)>
#slots = layout<Sw<1,2,2> o (2,8,16):(128,16,1)>
#slot = layout<Sw<1,2,2> o (8,16):(16,1)>
!view = tensor_view<?x16xi32, strides=[16,1]>
!t = tile<8x16xi32, spatial(1, 2).replicated(1, 1, num_workers=4).spatial(8, 1).local(1, 8)>
cuda_tile.module @copy {
  // Sums slices of 8 rows, which arrive in two slots in turn.
  entry @copy(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %rows: tile<i32>) threads(64) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c8 = constant <i32: 8> : tile<i32>
    %vi = make_tensor_view %in, shape = [%rows, 16], strides = [16, 1] : tile<i32> -> !view
    %vo = make_tensor_view %out, shape = [%rows, 16], strides = [16, 1] : tile<i32> -> !view
    %n = divi %rows, %c8 unsigned : tile<i32>
    %s = alloc_shared : shared<2x8x16xi32, #slots>
    %first = subview %s[%c0] : shared<2x8x16xi32, #slots> -> shared<8x16xi32, #slot>
    cp_async %vi[%c0, %c0], %first by #by : !view, shared<8x16xi32, #slot>
    cp_async_commit
    %zero = constant <i32: 0> : !t
    %sum = for %i in (%c0 to %n, step %c1) : tile<i32> iter_values(%acc = %zero) -> (!t) {
      cp_async_wait 0
      barrier
      %now = andi %i, %c1 : tile<i32>
      %other = xori %now, %c1 : tile<i32>
      %next = addi %i, %c1 : tile<i32>
      %row = muli %next, %c8 : tile<i32>
      %to = subview %s[%other] : shared<2x8x16xi32, #slots> -> shared<8x16xi32, #slot>
      cp_async %vi[%row, %c0], %to by #by : !view, shared<8x16xi32, #slot>
      cp_async_commit
      %from = subview %s[%now] : shared<2x8x16xi32, #slots> -> shared<8x16xi32, #slot>
      %x = load_shared %from : shared<8x16xi32, #slot> -> !t
      %y = addi %acc, %x : !t
      continue %y : !t
    }
    cp_async_wait 0
    store_global %sum, %vo[%c0, %c0] : !t, !view
    return
  }
}
// $ cat >run <<'END'
// > tessera run $1 -t interp --sanitize=all -g 1 arange:i32:32x16 zeros:i32:32x16 i32:32 --save out=out.npy
// > END
// $ sh run hazards.mlir && npy expect out.npy '<i4' 32x16 '4 * i + 768 if i < 128 else 0'
// tessera: remark: sanitizer: nothing found (bounds, assume, init, race, arith, sync) in 1 tile block
// $ grep -v '^      barrier' hazards.mlir >mistake.mlir; sh run mistake.mlir
// mistake.mlir:33:12: error: [race] load_shared reads shared memory that thread 0 wrote with cp_async, and no barrier stands between
//         %x = load_shared %from : shared<8x16xi32, #slot> -> !t
//              ^
// tessera: note: in tile block (0, 0, 0), thread 8, element [0, 0]; so are 127 more elements
// mistake.mlir:20:5: note: the other access, in tile block (0, 0, 0), thread 0
//       cp_async %vi[%c0, %c0], %first by #by : !view, shared<8x16xi32, #slot>
//       ^
// mistake.mlir:30:7: error: [race] cp_async writes shared memory that other threads may still be reading with load_shared, as no barrier stands between
//         cp_async %vi[%row, %c0], %to by #by : !view, shared<8x16xi32, #slot>
//         ^
// tessera: note: in tile block (0, 0, 0), thread 0, element [0, 0]; so are 127 more elements
// mistake.mlir:33:12: note: the other access, in tile block (0, 0, 0)
//         %x = load_shared %from : shared<8x16xi32, #slot> -> !t
//              ^
// mistake.mlir:30:7: note: [race] cp_async: 383 more findings, the last in tile block (0, 0, 0)
// mistake.mlir:33:12: note: [race] load_shared: 511 more findings, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 896 findings at 2 operations (race 896) in 1 tile block
// [1]
// $ sed 's/^      barrier/      warp_barrier/' hazards.mlir >mistake.mlir; sh run mistake.mlir
// mistake.mlir:34:12: error: [race] load_shared reads shared memory that thread 4 wrote with cp_async, and no barrier stands between
//         %x = load_shared %from : shared<8x16xi32, #slot> -> !t
//              ^
// tessera: note: in tile block (0, 0, 0), thread 32, element [0, 8]; so are 63 more elements
// mistake.mlir:20:5: note: the other access, in tile block (0, 0, 0), thread 4
//       cp_async %vi[%c0, %c0], %first by #by : !view, shared<8x16xi32, #slot>
//       ^
// mistake.mlir:31:7: error: [race] cp_async writes shared memory that other threads may still be reading with load_shared, as no barrier stands between
//         cp_async %vi[%row, %c0], %to by #by : !view, shared<8x16xi32, #slot>
//         ^
// tessera: note: in tile block (0, 0, 0), thread 4, element [0, 8]; so are 63 more elements
// mistake.mlir:34:12: note: the other access, in tile block (0, 0, 0)
//         %x = load_shared %from : shared<8x16xi32, #slot> -> !t
//              ^
// mistake.mlir:31:7: note: [race] cp_async: 191 more findings, the last in tile block (0, 0, 0)
// mistake.mlir:34:12: note: [race] load_shared: 255 more findings, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 448 findings at 2 operations (race 448) in 1 tile block
// [1]
// $ grep -v '^      cp_async_wait' hazards.mlir >mistake.mlir; sh run mistake.mlir
// mistake.mlir:33:12: error: [sync] load_shared reads shared memory that a cp_async is still copying to; no cp_async_wait since then covers it
//         %x = load_shared %from : shared<8x16xi32, #slot> -> !t
//              ^
// tessera: note: in tile block (0, 0, 0), thread 0, element [0, 0]; so are 127 more elements
// mistake.mlir:20:5: note: the other access, in tile block (0, 0, 0), thread 0
//       cp_async %vi[%c0, %c0], %first by #by : !view, shared<8x16xi32, #slot>
//       ^
// mistake.mlir:30:7: error: [sync] cp_async writes shared memory that a cp_async is still copying to; no cp_async_wait since then covers it
//         cp_async %vi[%row, %c0], %to by #by : !view, shared<8x16xi32, #slot>
//         ^
// tessera: note: in tile block (0, 0, 0), thread 0, element [0, 0]; so are 127 more elements
// mistake.mlir:20:5: note: the other access, in tile block (0, 0, 0), thread 0
//       cp_async %vi[%c0, %c0], %first by #by : !view, shared<8x16xi32, #slot>
//       ^
// mistake.mlir:30:7: note: [sync] cp_async: 383 more findings, the last in tile block (0, 0, 0)
// mistake.mlir:33:12: note: [sync] load_shared: 511 more findings, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 896 findings at 2 operations (sync 896) in 1 tile block
// [1]
// $ sed 's/^      cp_async_wait 0/      cp_async_wait 1/' hazards.mlir >mistake.mlir; sh run mistake.mlir
// mistake.mlir:34:12: error: [sync] load_shared reads shared memory that a cp_async is still copying to; no cp_async_wait since then covers it
//         %x = load_shared %from : shared<8x16xi32, #slot> -> !t
//              ^
// tessera: note: in tile block (0, 0, 0), thread 0, element [0, 0]; so are 127 more elements
// mistake.mlir:20:5: note: the other access, in tile block (0, 0, 0), thread 0
//       cp_async %vi[%c0, %c0], %first by #by : !view, shared<8x16xi32, #slot>
//       ^
// mistake.mlir:34:12: note: [sync] load_shared: 511 more findings, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 512 findings at 1 operation (sync 512) in 1 tile block
// [1]
// $ sed 's/subview %s\[%other\]/subview %s[%now]/' hazards.mlir >mistake.mlir; sh run mistake.mlir
// mistake.mlir:34:12: error: [sync] load_shared reads shared memory that a cp_async is still copying to; no cp_async_wait since then covers it
//         %x = load_shared %from : shared<8x16xi32, #slot> -> !t
//              ^
// tessera: note: in tile block (0, 0, 0), thread 0, element [0, 0]; so are 127 more elements
// mistake.mlir:31:7: note: the other access, in tile block (0, 0, 0), thread 0
//         cp_async %vi[%row, %c0], %to by #by : !view, shared<8x16xi32, #slot>
//         ^
// mistake.mlir:34:12: note: [sync] load_shared: 511 more findings, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 512 findings at 1 operation (sync 512) in 1 tile block
// [1]
// $ sed 's/subview %s\[%other\]/subview %s[%next]/' hazards.mlir >mistake.mlir; sh run mistake.mlir
// mistake.mlir:30:13: error: [bounds] subview: offset 2 along dimension 0, for a part of 1, is outside of the storage, which has 2
//         %to = subview %s[%next] : shared<2x8x16xi32, #slots> -> shared<8x16xi32, #slot>
//               ^
// tessera: note: in tile block (0, 0, 0)
// mistake.mlir:34:12: error: [sync] load_shared reads shared memory that a cp_async is still copying to; no cp_async_wait since then covers it
//         %x = load_shared %from : shared<8x16xi32, #slot> -> !t
//              ^
// tessera: note: in tile block (0, 0, 0), thread 0, element [0, 0]; so are 127 more elements
// mistake.mlir:31:7: note: the other access, in tile block (0, 0, 0), thread 0
//         cp_async %vi[%row, %c0], %to by #by : !view, shared<8x16xi32, #slot>
//         ^
// mistake.mlir:30:13: note: [bounds] subview: 2 more findings, the last in tile block (0, 0, 0)
// mistake.mlir:34:12: note: [sync] load_shared: 127 more findings, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 131 findings at 2 operations (bounds 3, sync 128) in 1 tile block
// [1]
// $ sed '/^    cp_async %vi/d' hazards.mlir >mistake.mlir; sh run mistake.mlir
// mistake.mlir:33:12: error: [init] load_shared reads shared memory before anything was written there
//         %x = load_shared %from : shared<8x16xi32, #slot> -> !t
//              ^
// tessera: note: in tile block (0, 0, 0), thread 0, element [0, 0]; so are 127 more elements
// mistake.mlir:33:12: note: [init] load_shared: 127 more findings, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 128 findings at 1 operation (init 128) in 1 tile block
// [1]
// $ sed '/^    cp_async_wait/d' hazards.mlir >mistake.mlir; sh run mistake.mlir
// mistake.mlir:31:7: error: [sync] cp_async is still copying when the kernel ends; no cp_async_wait covers it
//         cp_async %vi[%row, %c0], %to by #by : !view, shared<8x16xi32, #slot>
//         ^
// tessera: note: in tile block (0, 0, 0), thread 0
// tessera: note: sanitizer: 1 finding at 1 operation (sync 1) in 1 tile block
// [1]
// $ sed '/^      cp_async_commit/d' hazards.mlir >mistake.mlir; sh run mistake.mlir
// mistake.mlir:33:12: error: [sync] load_shared reads shared memory that a cp_async is still copying to; no cp_async_wait since then covers it
//         %x = load_shared %from : shared<8x16xi32, #slot> -> !t
//              ^
// tessera: note: in tile block (0, 0, 0), thread 0, element [0, 0]; so are 127 more elements
// mistake.mlir:31:7: note: the other access, in tile block (0, 0, 0), thread 0
//         cp_async %vi[%row, %c0], %to by #by : !view, shared<8x16xi32, #slot>
//         ^
// mistake.mlir:31:7: error: [sync] cp_async writes shared memory that a cp_async is still copying to; no cp_async_wait since then covers it
//         cp_async %vi[%row, %c0], %to by #by : !view, shared<8x16xi32, #slot>
//         ^
// tessera: note: in tile block (0, 0, 0), thread 0, element [0, 0]; so are 127 more elements
// mistake.mlir:31:7: note: the other access, in tile block (0, 0, 0), thread 0
//         cp_async %vi[%row, %c0], %to by #by : !view, shared<8x16xi32, #slot>
//         ^
// mistake.mlir:31:7: note: [sync] cp_async: 256 more findings, the last in tile block (0, 0, 0)
// mistake.mlir:33:12: note: [sync] load_shared: 383 more findings, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 641 findings at 2 operations (sync 641) in 1 tile block
// [1]
