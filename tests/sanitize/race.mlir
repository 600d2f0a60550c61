// RUN: %transcript %s
// Conflicting accesses with and without an order between them.
cuda_tile.module @race {
  global @flag <i32: 0> : tile<1xi32>

  // Within a tile block: the store may come before the load.
  entry @no_token(%x: tile<ptr<i32>>) {
    %v, %t0 = load_ptr_tko weak %x : tile<ptr<i32>> -> tile<i32>, token
    %t1 = store_ptr_tko weak %x, %v : tile<ptr<i32>>, tile<i32> -> token
  }

  entry @token(%x: tile<ptr<i32>>) {
    %v, %t0 = load_ptr_tko weak %x : tile<ptr<i32>> -> tile<i32>, token
    %t1 = store_ptr_tko weak %x, %v token=%t0 : tile<ptr<i32>>, tile<i32> -> token
  }

  // The second store follows only one of the two accesses before it.
  entry @join(%x: tile<ptr<i32>>) {
    %start = make_token : token
    %v, %t0 = load_ptr_tko weak %x token=%start : tile<ptr<i32>> -> tile<i32>, token
    %w, %t1 = load_ptr_tko weak %x token=%start : tile<ptr<i32>> -> tile<i32>, token
    %both = join_tokens %t0, %t1 : token
    %t2 = store_ptr_tko weak %x, %v token=%both : tile<ptr<i32>>, tile<i32> -> token
    %u, %t3 = load_ptr_tko weak %x token=%t2 : tile<ptr<i32>> -> tile<i32>, token
    %t4 = store_ptr_tko weak %x, %v token=%t2 : tile<ptr<i32>>, tile<i32> -> token
  }

  // The token goes around the loop, or not.
  entry @loop(%x: tile<ptr<i32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %three = constant <i32: 3> : tile<i32>
    %start = make_token : token
    %end = for %i in (%zero to %three, step %one) : tile<i32> iter_values(%t = %start) -> (token) {
      %t0 = store_ptr_tko weak %x, %i token=%t : tile<ptr<i32>>, tile<i32> -> token
      continue %t0 : token
    }
    for %i in (%zero to %three, step %one) : tile<i32> {
      %t1 = store_ptr_tko weak %x, %i token=%end : tile<ptr<i32>>, tile<i32> -> token
      continue
    }
  }

  // Tile blocks write where others do.
  entry @blocks(%x: tile<ptr<i16>>) {
    %b, %by, %bz = get_tile_block_id : tile<i32>
    %x_1 = reshape %x : tile<ptr<i16>> -> tile<1xptr<i16>>
    %x_4 = broadcast %x_1 : tile<1xptr<i16>> -> tile<4xptr<i16>>
    %b_1 = reshape %b : tile<i32> -> tile<1xi32>
    %b_4 = broadcast %b_1 : tile<1xi32> -> tile<4xi32>
    %lane = iota : tile<4xi32>
    %i = addi %b_4, %lane : tile<4xi32>
    %xs = offset %x_4, %i : tile<4xptr<i16>>, tile<4xi32> -> tile<4xptr<i16>>
    %v = constant <i16: 1> : tile<4xi16>
    %t = store_ptr_tko weak %xs, %v : tile<4xptr<i16>>, tile<4xi16> -> token
  }

  // Atomics do not race with each other, but with a plain load, and with atomics that are so for one
  // tile block only.
  entry @atomic(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>, %z: tile<ptr<i32>>) {
    %one = constant <i32: 1> : tile<i32>
    %a, %t0 = atomic_rmw_tko relaxed device %x, add, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %b, %t1 = atomic_rmw_tko relaxed device %y, add, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %c, %t2 = load_ptr_tko weak %y token=%t1 : tile<ptr<i32>> -> tile<i32>, token
    %d, %t3 = atomic_rmw_tko relaxed tl_blk %z, add, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  }

  // Different values for one place, from one store; the same value twice is no matter.
  entry @overlap(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>) {
    %x_1 = reshape %x : tile<ptr<i32>> -> tile<1xptr<i32>>
    %x_4 = broadcast %x_1 : tile<1xptr<i32>> -> tile<4xptr<i32>>
    %y_1 = reshape %y : tile<ptr<i32>> -> tile<1xptr<i32>>
    %y_4 = broadcast %y_1 : tile<1xptr<i32>> -> tile<4xptr<i32>>
    %i = iota : tile<4xi32>
    %t0 = store_ptr_tko weak %x_4, %i : tile<4xptr<i32>>, tile<4xi32> -> token
    %same = constant <i32: 7> : tile<4xi32>
    %t1 = store_ptr_tko weak %y_4, %same : tile<4xptr<i32>>, tile<4xi32> -> token
  }

  // Every tile block adds to x[0] when its turn comes: the flag is released by one and acquired by the
  // next. How, the parameters say: 0 release and acquire, 1 no release, 2 no acquire, 3 a release that
  // the store does not lead to.
  entry @turns(%x: tile<ptr<i32>>, %how: tile<i32>) {
    %b, %by, %bz = get_tile_block_id : tile<i32>
    %flag = get_global @flag : tile<ptr<i32>>
    %one = constant <i32: 1> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %three = constant <i32: 3> : tile<i32>
    %start = make_token : token
    %no_release = cmpi equal %how, %one, signed : tile<i32> -> tile<i1>
    %no_acquire = cmpi equal %how, %two, signed : tile<i32> -> tile<i1>
    %no_path = cmpi equal %how, %three, signed : tile<i32> -> tile<i1>
    %locked = loop iter_values(%before = %start) : token -> token {
      %seen, %after = if %no_acquire -> (tile<i32>, token) {
        %s, %t = load_ptr_tko relaxed device %flag token=%before : tile<ptr<i32>> -> tile<i32>, token
        yield %s, %t : tile<i32>, token
      } else {
        %s, %t = load_ptr_tko acquire device %flag token=%before : tile<ptr<i32>> -> tile<i32>, token
        yield %s, %t : tile<i32>, token
      }
      %mine = cmpi equal %seen, %b, signed : tile<i32> -> tile<i1>
      if %mine {
        break %after : token
      }
      continue %after : token
    }
    %v, %t1 = load_ptr_tko weak %x token=%locked : tile<ptr<i32>> -> tile<i32>, token
    %sum = addi %v, %one : tile<i32>
    %stored = store_ptr_tko weak %x, %sum token=%t1 : tile<ptr<i32>>, tile<i32> -> token
    %next = addi %b, %one : tile<i32>
    %path = if %no_path -> (token) {
      yield %locked : token
    } else {
      yield %stored : token
    }
    if %no_release {
      %t2 = store_ptr_tko relaxed device %flag, %next token=%path : tile<ptr<i32>>, tile<i32> -> token
    } else {
      %t3 = store_ptr_tko release device %flag, %next token=%path : tile<ptr<i32>>, tile<i32> -> token
    }
  }

  // Each tile block leaves a number and counts itself; the last adds up all. The updates between a
  // release and the acquire that sees it keep the release sequence.
  entry @last_sums(%x: tile<ptr<i32>>, %count: tile<ptr<i32>>, %sum: tile<ptr<i32>>) {
    %b, %by, %bz = get_tile_block_id : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %mine = offset %x, %b : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %t0 = store_ptr_tko weak %mine, %b : tile<ptr<i32>>, tile<i32> -> token
    %before, %t1 = atomic_rmw_tko acq_rel device %count, add, %one token=%t0 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %three = constant <i32: 3> : tile<i32>
    %last = cmpi equal %before, %three, signed : tile<i32> -> tile<i1>
    if %last {
      %x_1 = reshape %x : tile<ptr<i32>> -> tile<1xptr<i32>>
      %x_4 = broadcast %x_1 : tile<1xptr<i32>> -> tile<4xptr<i32>>
      %i = iota : tile<4xi32>
      %xs = offset %x_4, %i : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
      %v, %t2 = load_ptr_tko weak %xs token=%t1 : tile<4xptr<i32>> -> tile<4xi32>, token
      %s = reduce %v dim=0 identities=[0 : i32] : tile<4xi32> -> tile<i32>
      (%p: tile<i32>, %q: tile<i32>) {
        %r = addi %p, %q : tile<i32>
        yield %r : tile<i32>
      }
      %t3 = store_ptr_tko weak %sum, %s : tile<ptr<i32>>, tile<i32> -> token
    }
  }

  // Each tile block has an alloca of its own: what is released there orders nothing between them.
  entry @own_lock(%x: tile<ptr<i32>>) {
    %one = constant <i32: 1> : tile<i32>
    %m = alloca num_elem = 1, alignment = 4 : tile<ptr<i32>>
    %a, %t1 = atomic_rmw_tko acquire device %m, add, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %t2 = store_ptr_tko weak %x, %one token=%t1 : tile<ptr<i32>>, tile<i32> -> token
    %b, %t3 = atomic_rmw_tko release device %m, add, %one token=%t2 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  }

  // Two tile blocks to a byte: each half of it is an element of its own.
  entry @halves(%x: tile<ptr<f4E2M1FN>>) {
    %b, %by, %bz = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %view = make_tensor_view %x, shape = [2, 2], strides = [1, 2] : tensor_view<2x2xf4E2M1FN, strides=[1,2]>
    %tiles = make_partition_view %view : partition_view<tile=(1x2), tensor_view<2x2xf4E2M1FN, strides=[1,2]>>
    %v = constant <f4E2M1FN: 1.0> : tile<1x2xf4E2M1FN>
    %t = store_view_tko weak %v, %tiles[%b, %zero] : tile<1x2xf4E2M1FN>, partition_view<tile=(1x2), tensor_view<2x2xf4E2M1FN, strides=[1,2]>>, tile<i32> -> token
  }
}

// $ tessera run race.mlir -g 1 --sanitize=race -k no_token zeros:i32:1
// race.mlir:9:11: error: [race] store_ptr_tko writes element 0 of %x, which has 1 of i32, unordered with load_ptr_tko, which reads it
//       %t1 = store_ptr_tko weak %x, %v : tile<ptr<i32>>, tile<i32> -> token
//             ^
// tessera: note: in tile block (0, 0, 0): no token leads from one to the other
// race.mlir:8:15: note: the other access, in tile block (0, 0, 0)
//       %v, %t0 = load_ptr_tko weak %x : tile<ptr<i32>> -> tile<i32>, token
//                 ^
// tessera: note: sanitizer: 1 finding at 1 operation (race 1) in 1 tile block
// [1]
// $ tessera run race.mlir -g 1 --sanitize=race -k token zeros:i32:1
// tessera: remark: sanitizer: nothing found (race) in 1 tile block
// $ tessera run race.mlir -g 2 --sanitize=race -k token zeros:i32:1
// race.mlir:13:15: error: [race] load_ptr_tko reads element 0 of %x, which has 1 of i32, unordered with store_ptr_tko, which writes it
//       %v, %t0 = load_ptr_tko weak %x : tile<ptr<i32>> -> tile<i32>, token
//                 ^
// tessera: note: in tile block (1, 0, 0): nothing orders the tile blocks: no acquire in one sees a release of the other
// race.mlir:14:11: note: the other access, in tile block (0, 0, 0)
//       %t1 = store_ptr_tko weak %x, %v token=%t0 : tile<ptr<i32>>, tile<i32> -> token
//             ^
// race.mlir:14:11: error: [race] store_ptr_tko writes element 0 of %x, which has 1 of i32, unordered with store_ptr_tko, which writes it
//       %t1 = store_ptr_tko weak %x, %v token=%t0 : tile<ptr<i32>>, tile<i32> -> token
//             ^
// tessera: note: in tile block (1, 0, 0): nothing orders the tile blocks: no acquire in one sees a release of the other
// race.mlir:14:11: note: the other access, in tile block (0, 0, 0)
//       %t1 = store_ptr_tko weak %x, %v token=%t0 : tile<ptr<i32>>, tile<i32> -> token
//             ^
// tessera: note: sanitizer: 2 findings at 2 operations (race 2) in 2 tile blocks
// [1]
// $ tessera run race.mlir -g 1 --sanitize=race -k join zeros:i32:1
// race.mlir:25:11: error: [race] store_ptr_tko writes element 0 of %x, which has 1 of i32, unordered with load_ptr_tko, which reads it
//       %t4 = store_ptr_tko weak %x, %v token=%t2 : tile<ptr<i32>>, tile<i32> -> token
//             ^
// tessera: note: in tile block (0, 0, 0): no token leads from one to the other
// race.mlir:24:15: note: the other access, in tile block (0, 0, 0)
//       %u, %t3 = load_ptr_tko weak %x token=%t2 : tile<ptr<i32>> -> tile<i32>, token
//                 ^
// tessera: note: sanitizer: 1 finding at 1 operation (race 1) in 1 tile block
// [1]
// $ tessera run race.mlir -g 1 --sanitize=race -k loop zeros:i32:1
// race.mlir:39:13: error: [race] store_ptr_tko writes element 0 of %x, which has 1 of i32, unordered with store_ptr_tko, which writes it
//         %t1 = store_ptr_tko weak %x, %i token=%end : tile<ptr<i32>>, tile<i32> -> token
//               ^
// tessera: note: in tile block (0, 0, 0): no token leads from one to the other
// race.mlir:39:13: note: the other access, in tile block (0, 0, 0)
//         %t1 = store_ptr_tko weak %x, %i token=%end : tile<ptr<i32>>, tile<i32> -> token
//               ^
// race.mlir:39:13: note: [race] store_ptr_tko: 1 more finding, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 2 findings at 1 operation (race 2) in 1 tile block
// [1]
// $ tessera run race.mlir -g 3 --sanitize=race -k blocks zeros:i16:8
// race.mlir:55:10: error: [race] store_ptr_tko writes element 1 of %x, which has 8 of i16, unordered with store_ptr_tko, which writes it
//       %t = store_ptr_tko weak %xs, %v : tile<4xptr<i16>>, tile<4xi16> -> token
//            ^
// tessera: note: in tile block (1, 0, 0), element [0]: nothing orders the tile blocks: no acquire in one sees a release of the other; so are 2 more elements
// race.mlir:55:10: note: the other access, in tile block (0, 0, 0)
//       %t = store_ptr_tko weak %xs, %v : tile<4xptr<i16>>, tile<4xi16> -> token
//            ^
// race.mlir:55:10: note: [race] store_ptr_tko: 5 more findings, the last in tile block (2, 0, 0)
// tessera: note: sanitizer: 6 findings at 1 operation (race 6) in 3 tile blocks
// [1]
// $ tessera run race.mlir -g 2 --sanitize=race -k atomic zeros:i32:1 zeros:i32:1 zeros:i32:1
// race.mlir:63:15: error: [race] atomic_rmw_tko updates element 0 of %y, which has 1 of i32, unordered with load_ptr_tko, which reads it
//       %b, %t1 = atomic_rmw_tko relaxed device %y, add, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
//                 ^
// tessera: note: in tile block (1, 0, 0): nothing orders the tile blocks: no acquire in one sees a release of the other
// race.mlir:64:15: note: the other access, in tile block (0, 0, 0)
//       %c, %t2 = load_ptr_tko weak %y token=%t1 : tile<ptr<i32>> -> tile<i32>, token
//                 ^
// race.mlir:65:15: error: [race] atomic_rmw_tko updates element 0 of %z, which has 1 of i32, unordered with atomic_rmw_tko, which updates it
//       %d, %t3 = atomic_rmw_tko relaxed tl_blk %z, add, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
//                 ^
// tessera: note: in tile block (1, 0, 0): nothing orders the tile blocks: no acquire in one sees a release of the other
// race.mlir:65:15: note: the other access, in tile block (0, 0, 0)
//       %d, %t3 = atomic_rmw_tko relaxed tl_blk %z, add, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
//                 ^
// tessera: note: sanitizer: 2 findings at 2 operations (race 2) in 2 tile blocks
// [1]
// $ tessera run race.mlir -g 1 --sanitize=race -k overlap zeros:i32:1 zeros:i32:1
// race.mlir:75:11: error: [race] store_ptr_tko writes different values to element 0 of %x, which has 1 of i32, from several elements of one tile
//       %t0 = store_ptr_tko weak %x_4, %i : tile<4xptr<i32>>, tile<4xi32> -> token
//             ^
// tessera: note: in tile block (0, 0, 0), element [0]; so are 2 more elements
// race.mlir:75:11: note: [race] store_ptr_tko: 2 more findings, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 3 findings at 1 operation (race 3) in 1 tile block
// [1]
// $ tessera run race.mlir -g 4 --sanitize=race -k turns zeros:i32:1 i32:0 --print x
// tessera: remark: sanitizer: nothing found (race) in 4 tile blocks
// x: i32 1
// [4]
// $ tessera run race.mlir -g 2 --sanitize=race -k turns zeros:i32:1 i32:1
// race.mlir:107:15: error: [race] load_ptr_tko reads element 0 of %x, which has 1 of i32, unordered with store_ptr_tko, which writes it
//       %v, %t1 = load_ptr_tko weak %x token=%locked : tile<ptr<i32>> -> tile<i32>, token
//                 ^
// tessera: note: in tile block (1, 0, 0): nothing orders the tile blocks: no acquire in one sees a release of the other
// race.mlir:109:15: note: the other access, in tile block (0, 0, 0)
//       %stored = store_ptr_tko weak %x, %sum token=%t1 : tile<ptr<i32>>, tile<i32> -> token
//                 ^
// race.mlir:109:15: error: [race] store_ptr_tko writes element 0 of %x, which has 1 of i32, unordered with store_ptr_tko, which writes it
//       %stored = store_ptr_tko weak %x, %sum token=%t1 : tile<ptr<i32>>, tile<i32> -> token
//                 ^
// tessera: note: in tile block (1, 0, 0): nothing orders the tile blocks: no acquire in one sees a release of the other
// race.mlir:109:15: note: the other access, in tile block (0, 0, 0)
//       %stored = store_ptr_tko weak %x, %sum token=%t1 : tile<ptr<i32>>, tile<i32> -> token
//                 ^
// tessera: note: sanitizer: 2 findings at 2 operations (race 2) in 2 tile blocks
// [1]
// $ tessera run race.mlir -g 2 --sanitize=race -k turns zeros:i32:1 i32:2
// race.mlir:107:15: error: [race] load_ptr_tko reads element 0 of %x, which has 1 of i32, unordered with store_ptr_tko, which writes it
//       %v, %t1 = load_ptr_tko weak %x token=%locked : tile<ptr<i32>> -> tile<i32>, token
//                 ^
// tessera: note: in tile block (1, 0, 0): nothing orders the tile blocks: no acquire in one sees a release of the other
// race.mlir:109:15: note: the other access, in tile block (0, 0, 0)
//       %stored = store_ptr_tko weak %x, %sum token=%t1 : tile<ptr<i32>>, tile<i32> -> token
//                 ^
// race.mlir:109:15: error: [race] store_ptr_tko writes element 0 of %x, which has 1 of i32, unordered with store_ptr_tko, which writes it
//       %stored = store_ptr_tko weak %x, %sum token=%t1 : tile<ptr<i32>>, tile<i32> -> token
//                 ^
// tessera: note: in tile block (1, 0, 0): nothing orders the tile blocks: no acquire in one sees a release of the other
// race.mlir:109:15: note: the other access, in tile block (0, 0, 0)
//       %stored = store_ptr_tko weak %x, %sum token=%t1 : tile<ptr<i32>>, tile<i32> -> token
//                 ^
// tessera: note: sanitizer: 2 findings at 2 operations (race 2) in 2 tile blocks
// [1]
// $ tessera run race.mlir -g 2 --sanitize=race -k turns zeros:i32:1 i32:3
// race.mlir:107:15: error: [race] load_ptr_tko reads element 0 of %x, which has 1 of i32, unordered with store_ptr_tko, which writes it
//       %v, %t1 = load_ptr_tko weak %x token=%locked : tile<ptr<i32>> -> tile<i32>, token
//                 ^
// tessera: note: in tile block (1, 0, 0): nothing orders the tile blocks: no acquire in one sees a release of the other
// race.mlir:109:15: note: the other access, in tile block (0, 0, 0)
//       %stored = store_ptr_tko weak %x, %sum token=%t1 : tile<ptr<i32>>, tile<i32> -> token
//                 ^
// race.mlir:109:15: error: [race] store_ptr_tko writes element 0 of %x, which has 1 of i32, unordered with store_ptr_tko, which writes it
//       %stored = store_ptr_tko weak %x, %sum token=%t1 : tile<ptr<i32>>, tile<i32> -> token
//                 ^
// tessera: note: in tile block (1, 0, 0): nothing orders the tile blocks: no acquire in one sees a release of the other
// race.mlir:109:15: note: the other access, in tile block (0, 0, 0)
//       %stored = store_ptr_tko weak %x, %sum token=%t1 : tile<ptr<i32>>, tile<i32> -> token
//                 ^
// tessera: note: sanitizer: 2 findings at 2 operations (race 2) in 2 tile blocks
// [1]
// $ tessera run race.mlir -g 4 --sanitize=race -k last_sums zeros:i32:4 zeros:i32:1 zeros:i32:1 --print sum
// tessera: remark: sanitizer: nothing found (race) in 4 tile blocks
// sum: i32 1
// [6]
// $ tessera run race.mlir -g 2 --sanitize=race -k own_lock zeros:i32:1
// race.mlir:153:11: error: [race] store_ptr_tko writes element 0 of %x, which has 1 of i32, unordered with store_ptr_tko, which writes it
//       %t2 = store_ptr_tko weak %x, %one token=%t1 : tile<ptr<i32>>, tile<i32> -> token
//             ^
// tessera: note: in tile block (1, 0, 0): nothing orders the tile blocks: no acquire in one sees a release of the other
// race.mlir:153:11: note: the other access, in tile block (0, 0, 0)
//       %t2 = store_ptr_tko weak %x, %one token=%t1 : tile<ptr<i32>>, tile<i32> -> token
//             ^
// tessera: note: sanitizer: 1 finding at 1 operation (race 1) in 2 tile blocks
// [1]
// $ tessera run race.mlir -g 2 --sanitize=race -k halves zeros:f4E2M1FN:4 --print x
// tessera: remark: sanitizer: nothing found (race) in 2 tile blocks
// x: f4E2M1FN 4
// [1. 1. 1. 1.]
