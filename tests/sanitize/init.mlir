// RUN: %transcript %s
// What an alloca gives has no value until something is stored there. Buffers and globals have one.
cuda_tile.module @init {
  global @g <i32: 5> : tile<1xi32>

  entry @half_written() {
    %m = alloca num_elem = 8, alignment = 16 : tile<ptr<i16>>
    %m_1 = reshape %m : tile<ptr<i16>> -> tile<1xptr<i16>>
    %m_8 = broadcast %m_1 : tile<1xptr<i16>> -> tile<8xptr<i16>>
    %i = iota : tile<8xi32>
    %ms = offset %m_8, %i : tile<8xptr<i16>>, tile<8xi32> -> tile<8xptr<i16>>
    %value = constant <i16: 7> : tile<8xi16>
    %five = constant <i32: 5> : tile<8xi32>
    %mask = cmpi less_than %i, %five, signed : tile<8xi32> -> tile<8xi1>
    %t0 = store_ptr_tko weak %ms, %value, %mask : tile<8xptr<i16>>, tile<8xi16>, tile<8xi1> -> token
    %a, %t1 = load_ptr_tko weak %ms, %mask token=%t0 : tile<8xptr<i16>>, tile<8xi1> -> tile<8xi16>, token
    %b, %t2 = load_ptr_tko weak %ms token=%t1 : tile<8xptr<i16>> -> tile<8xi16>, token
    // Elements 4 and 5: half of it was written.
    %two = constant <i32: 2> : tile<i32>
    %w = ptr_to_ptr %m : tile<ptr<i16>> -> tile<ptr<i32>>
    %w_2 = offset %w, %two : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %c, %t3 = load_ptr_tko weak %w_2 token=%t2 : tile<ptr<i32>> -> tile<i32>, token
  }

  // The memory of the iteration before is gone.
  entry @each_time_anew() {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %three = constant <i32: 3> : tile<i32>
    for %i in (%zero to %three, step %one) : tile<i32> {
      %m = alloca num_elem = 1, alignment = 4 : tile<ptr<i32>>
      %old, %t = atomic_rmw_tko relaxed tl_blk %m, add, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
      %new, %t1 = load_ptr_tko weak %m token=%t : tile<ptr<i32>> -> tile<i32>, token
      continue
    }
  }

  entry @all_written(%x: tile<ptr<i32>>) {
    %p = get_global @g : tile<ptr<i32>>
    %a, %t0 = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
    %b, %t1 = load_ptr_tko weak %x : tile<ptr<i32>> -> tile<i32>, token
    %m = alloca num_elem = 1, alignment = 4 : tile<ptr<i32>>
    %t2 = store_ptr_tko weak %m, %a : tile<ptr<i32>>, tile<i32> -> token
    %c, %t3 = load_ptr_tko weak %m token=%t2 : tile<ptr<i32>> -> tile<i32>, token
  }
}

// $ tessera run init.mlir -g 2 --sanitize=init -k half_written
// init.mlir:17:15: error: [init] load_ptr_tko reads element 5 of alloca %m, which has 8 of i16, before anything was written there
//       %b, %t2 = load_ptr_tko weak %ms token=%t1 : tile<8xptr<i16>> -> tile<8xi16>, token
//                 ^
// tessera: note: in tile block (0, 0, 0), element [5]; so are 2 more elements
// init.mlir:22:15: error: [init] load_ptr_tko reads 4 bytes from byte 8 on of alloca %m, which has 16 bytes, before anything was written there
//       %c, %t3 = load_ptr_tko weak %w_2 token=%t2 : tile<ptr<i32>> -> tile<i32>, token
//                 ^
// tessera: note: in tile block (0, 0, 0)
// init.mlir:17:15: note: [init] load_ptr_tko: 5 more findings, the last in tile block (1, 0, 0)
// init.mlir:22:15: note: [init] load_ptr_tko: 1 more finding, the last in tile block (1, 0, 0)
// tessera: note: sanitizer: 8 findings at 2 operations (init 8) in 2 tile blocks
// [1]
// $ tessera run init.mlir -g 1 --sanitize=init -k each_time_anew
// init.mlir:32:18: error: [init] atomic_rmw_tko updates element 0 of alloca %m, which has 1 of i32, before anything was written there
//         %old, %t = atomic_rmw_tko relaxed tl_blk %m, add, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
//                    ^
// tessera: note: in tile block (0, 0, 0)
// init.mlir:32:18: note: [init] atomic_rmw_tko: 2 more findings, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 3 findings at 1 operation (init 3) in 1 tile block
// [1]
// $ tessera run init.mlir -g 2 --sanitize=all -k all_written zeros:i32:1
// tessera: remark: sanitizer: nothing found (bounds, assume, init, race, arith) in 2 tile blocks
