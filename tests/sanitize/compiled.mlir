// REQUIRES: llvm
// RUN: %sanitize_both %S/bounds.mlir
// RUN: %sanitize_both %S/assume.mlir
// RUN: %sanitize_both %s
// RUN: %transcript %s
//
// Compiled code finds what the interpreter finds, and says the same. It goes on, or begins no further
// tile block after the first finding.
cuda_tile.module @compiled {
  global constant @table <i32: [1, 2, 3, 4]> : tile<4xi32>

  // y = 2 x, in tiles of 4096 of which the last ends somewhere.
  entry @twice(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>, %n: tile<i32>) {
    %b, %by, %bz = get_tile_block_id : tile<i32>
    %xv = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %yv = make_tensor_view %y, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %xs = make_partition_view %xv : partition_view<tile=(4096), tensor_view<?xi32, strides=[1]>>
    %ys = make_partition_view %yv : partition_view<tile=(4096), tensor_view<?xi32, strides=[1]>>
    %a, %t0 = load_view_tko weak %xs[%b] : partition_view<tile=(4096), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<4096xi32>, token
    %r = addi %a, %a : tile<4096xi32>
    %t1 = store_view_tko weak %r, %ys[%b] : tile<4096xi32>, partition_view<tile=(4096), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
  }

  // y[i] = x[at[i]] where i < n; a matrix product reads it back.
  entry @indirect(%x: tile<ptr<i32>>, %at: tile<ptr<i32>>, %y: tile<ptr<i32>>, %n: tile<i32>) {
    %i = iota : tile<64xi32>
    %n1 = reshape %n : tile<i32> -> tile<1xi32>
    %ns = broadcast %n1 : tile<1xi32> -> tile<64xi32>
    %mask = cmpi less_than %i, %ns, signed : tile<64xi32> -> tile<64xi1>
    %zero = constant <i32: 0> : tile<64xi32>
    %at1 = reshape %at : tile<ptr<i32>> -> tile<1xptr<i32>>
    %ats = broadcast %at1 : tile<1xptr<i32>> -> tile<64xptr<i32>>
    %ati = offset %ats, %i : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
    %w, %t0 = load_ptr_tko weak %ati, %mask, %zero : tile<64xptr<i32>>, tile<64xi1>, tile<64xi32> -> tile<64xi32>, token
    %x1 = reshape %x : tile<ptr<i32>> -> tile<1xptr<i32>>
    %xs = broadcast %x1 : tile<1xptr<i32>> -> tile<64xptr<i32>>
    %xi = offset %xs, %w : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
    %v, %t1 = load_ptr_tko weak %xi, %mask, %zero : tile<64xptr<i32>>, tile<64xi1>, tile<64xi32> -> tile<64xi32>, token
    %y1 = reshape %y : tile<ptr<i32>> -> tile<1xptr<i32>>
    %ys = broadcast %y1 : tile<1xptr<i32>> -> tile<64xptr<i32>>
    %yi = offset %ys, %i : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
    %old, %t2 = atomic_rmw_tko relaxed device %yi, add, %v, %mask : tile<64xptr<i32>>, tile<64xi32>, tile<64xi1> -> tile<64xi32>, token
  }

  // An alloca is as long as it is, on every thread; a constant stays what it is.
  entry @inside(%n: tile<i32>, %y: tile<ptr<i32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %m = alloca num_elem = 4, alignment = 128 : tile<ptr<i32>>
    %t = make_token : token
    %sum, %last = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%s = %zero, %t0 = %t) -> (tile<i32>, token) {
      %p = offset %m, %k : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
      %t1 = store_ptr_tko weak %p, %k token=%t0 : tile<ptr<i32>>, tile<i32> -> token
      %v, %t2 = load_ptr_tko weak %p token=%t1 : tile<ptr<i32>> -> tile<i32>, token
      %more = addi %s, %v : tile<i32>
      continue %more, %t2 : tile<i32>, token
    }
    %g = get_global @table : tile<ptr<i32>>
    %t3 = store_ptr_tko weak %g, %sum : tile<ptr<i32>>, tile<i32> -> token
    %t4 = store_ptr_tko weak %y, %sum : tile<ptr<i32>>, tile<i32> -> token
  }

  // Statements about tiles.
  entry @tiles(%n: tile<i32>) {
    %i = iota : tile<64xi32>
    %n1 = reshape %n : tile<i32> -> tile<1xi32>
    %ns = broadcast %n1 : tile<1xi32> -> tile<64xi32>
    %x = muli %i, %ns : tile<64xi32>
    %a = assume div_by<4>, %x : tile<64xi32>
    %b = assume bounded<0, 252>, %a : tile<64xi32>
    %c = assume same_elements<[2]>, %b : tile<64xi32>
  }
}

// $ tessera run compiled.mlir -g 2 --target cpu --threads 1 --sanitize=bounds,assume -k twice arange:i32:5000 zeros:i32:5000 i32:5000 --print y
// tessera: remark: sanitizer: nothing found (bounds, assume) in 2 tile blocks
// y: i32 5000
// [   0    2    4 ... 9994 9996 9998]
// $ tessera run compiled.mlir -g 1 --target cpu --threads 1 --sanitize=bounds,assume -k twice arange:i32:100 zeros:i32:100 i32:100 --print y
// tessera: remark: sanitizer: nothing found (bounds, assume) in 1 tile block
// y: i32 100
// [  0   2   4   6   8  10  12  14  16  18  20  22  24  26  28  30  32  34
//   36  38  40  42  44  46  48  50  52  54  56  58  60  62  64  66  68  70
//   72  74  76  78  80  82  84  86  88  90  92  94  96  98 100 102 104 106
//  108 110 112 114 116 118 120 122 124 126 128 130 132 134 136 138 140 142
//  144 146 148 150 152 154 156 158 160 162 164 166 168 170 172 174 176 178
//  180 182 184 186 188 190 192 194 196 198]
// $ tessera run compiled.mlir -g 2 --sanitize=bounds,assume -k twice arange:i32:5000 zeros:i32:4999 i32:5000
// compiled.mlir:21:11: error: [bounds] store_view_tko writes element 4999 of %y, which has 4999 of i32
//       %t1 = store_view_tko weak %r, %ys[%b] : tile<4096xi32>, partition_view<tile=(4096), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
//             ^
// tessera: note: in tile block \(1, 0, 0\), element \[903\]: address 0x[0-9a-f]+, just behind the end (re)
// tessera: note: sanitizer: 1 finding at 1 operation (bounds 1) in 2 tile blocks
// [1]
// $ tessera run compiled.mlir -g 1 --sanitize=bounds,assume -k indirect arange:i32:64 arange:i32:64 zeros:i32:64 i32:64
// tessera: remark: sanitizer: nothing found (bounds, assume) in 1 tile block
// $ tessera run compiled.mlir -g 1 --sanitize=bounds,assume -k indirect arange:i32:60 arange:i32:64 zeros:i32:64 i32:61
// compiled.mlir:38:15: error: [bounds] load_ptr_tko reads element 60 of %x, which has 60 of i32
//       %v, %t1 = load_ptr_tko weak %xi, %mask, %zero : tile<64xptr<i32>>, tile<64xi1>, tile<64xi32> -> tile<64xi32>, token
//                 ^
// tessera: note: in tile block \(0, 0, 0\), element \[60\]: address 0x[0-9a-f]+, just behind the end (re)
// tessera: note: sanitizer: 1 finding at 1 operation (bounds 1) in 1 tile block
// [1]
// $ tessera run compiled.mlir -g 1 --sanitize=bounds,assume -k indirect arange:i32:60 arange:i32:50 zeros:i32:40 i32:64
// compiled.mlir:34:15: error: [bounds] load_ptr_tko reads element 50 of %at, which has 50 of i32
//       %w, %t0 = load_ptr_tko weak %ati, %mask, %zero : tile<64xptr<i32>>, tile<64xi1>, tile<64xi32> -> tile<64xi32>, token
//                 ^
// tessera: note: in tile block \(0, 0, 0\), element \[50\]: address 0x[0-9a-f]+, just behind the end; so are 13 more elements (re)
// compiled.mlir:42:17: error: [bounds] atomic_rmw_tko updates element 40 of %y, which has 40 of i32
//       %old, %t2 = atomic_rmw_tko relaxed device %yi, add, %v, %mask : tile<64xptr<i32>>, tile<64xi32>, tile<64xi1> -> tile<64xi32>, token
//                   ^
// tessera: note: in tile block \(0, 0, 0\), element \[40\]: address 0x[0-9a-f]+, just behind the end; so are 23 more elements (re)
// compiled.mlir:34:15: note: [bounds] load_ptr_tko: 13 more findings, the last in tile block (0, 0, 0)
// compiled.mlir:42:17: note: [bounds] atomic_rmw_tko: 23 more findings, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 38 findings at 2 operations (bounds 38) in 1 tile block
// [1]
// $ tessera run compiled.mlir -g 1 --target cpu --threads 1 --sanitize=bounds,assume -k indirect arange:i32:60 arange:i32:64 zeros:i32:61 i32:61 --print y
// compiled.mlir:38:15: error: [bounds] load_ptr_tko reads element 60 of %x, which has 60 of i32
//       %v, %t1 = load_ptr_tko weak %xi, %mask, %zero : tile<64xptr<i32>>, tile<64xi1>, tile<64xi32> -> tile<64xi32>, token
//                 ^
// tessera: note: in tile block \(0, 0, 0\), element \[60\]: address 0x[0-9a-f]+, just behind the end (re)
// tessera: note: sanitizer: 1 finding at 1 operation (bounds 1) in 1 tile block
// [1]
// $ tessera run compiled.mlir -g 3 --sanitize=bounds,assume -k inside i32:6 zeros:i32:1
// compiled.mlir:53:13: error: [bounds] store_ptr_tko writes element 4 of alloca %m, which has 4 of i32
//         %t1 = store_ptr_tko weak %p, %k token=%t0 : tile<ptr<i32>>, tile<i32> -> token
//               ^
// tessera: note: in tile block \(0, 0, 0\): address 0x[0-9a-f]+, just behind the end (re)
// compiled.mlir:54:17: error: [bounds] load_ptr_tko reads element 4 of alloca %m, which has 4 of i32
//         %v, %t2 = load_ptr_tko weak %p token=%t1 : tile<ptr<i32>> -> tile<i32>, token
//                   ^
// tessera: note: in tile block \(0, 0, 0\): address 0x[0-9a-f]+, just behind the end (re)
// compiled.mlir:59:11: error: [bounds] store_ptr_tko writes to global @table, which is constant
//       %t3 = store_ptr_tko weak %g, %sum : tile<ptr<i32>>, tile<i32> -> token
//             ^
// tessera: note: in tile block (0, 0, 0)
// compiled.mlir:53:13: note: [bounds] store_ptr_tko: 5 more findings, the last in tile block (2, 0, 0)
// compiled.mlir:54:17: note: [bounds] load_ptr_tko: 5 more findings, the last in tile block (2, 0, 0)
// compiled.mlir:59:11: note: [bounds] store_ptr_tko: 2 more findings, the last in tile block (2, 0, 0)
// tessera: note: sanitizer: 15 findings at 3 operations (bounds 15) in 3 tile blocks
// [1]
// $ tessera run compiled.mlir -g 3 --target cpu --threads 1 --sanitize=bounds,assume -k inside i32:6 zeros:i32:1 --print y
// compiled.mlir:53:13: error: [bounds] store_ptr_tko writes element 4 of alloca %m, which has 4 of i32
//         %t1 = store_ptr_tko weak %p, %k token=%t0 : tile<ptr<i32>>, tile<i32> -> token
//               ^
// tessera: note: in tile block \(0, 0, 0\): address 0x[0-9a-f]+, just behind the end (re)
// compiled.mlir:54:17: error: [bounds] load_ptr_tko reads element 4 of alloca %m, which has 4 of i32
//         %v, %t2 = load_ptr_tko weak %p token=%t1 : tile<ptr<i32>> -> tile<i32>, token
//                   ^
// tessera: note: in tile block \(0, 0, 0\): address 0x[0-9a-f]+, just behind the end (re)
// compiled.mlir:59:11: error: [bounds] store_ptr_tko writes to global @table, which is constant
//       %t3 = store_ptr_tko weak %g, %sum : tile<ptr<i32>>, tile<i32> -> token
//             ^
// tessera: note: in tile block (0, 0, 0)
// compiled.mlir:53:13: note: [bounds] store_ptr_tko: 5 more findings, the last in tile block (2, 0, 0)
// compiled.mlir:54:17: note: [bounds] load_ptr_tko: 5 more findings, the last in tile block (2, 0, 0)
// compiled.mlir:59:11: note: [bounds] store_ptr_tko: 2 more findings, the last in tile block (2, 0, 0)
// tessera: note: sanitizer: 15 findings at 3 operations (bounds 15) in 3 tile blocks
// [1]
// $ tessera run compiled.mlir -g 1 --sanitize=bounds,assume -k tiles i32:0
// tessera: remark: sanitizer: nothing found (bounds, assume) in 1 tile block
// $ tessera run compiled.mlir -g 1 --sanitize=bounds,assume -k tiles i32:4
// compiled.mlir:71:10: error: [assume] assume same_elements<[2]> does not hold: the value is 4, the first of its group is 0
//       %c = assume same_elements<[2]>, %b : tile<64xi32>
//            ^
// tessera: note: in tile block (0, 0, 0), element [1]; so are 31 more elements
// compiled.mlir:71:10: note: [assume] assume: 31 more findings, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 32 findings at 1 operation (assume 32) in 1 tile block
// [1]
// $ tessera run compiled.mlir -g 4 --sanitize=bounds,assume -k tiles i32:5
// compiled.mlir:69:10: error: [assume] assume div_by<4> does not hold: the value is 5
//       %a = assume div_by<4>, %x : tile<64xi32>
//            ^
// tessera: note: in tile block (0, 0, 0), element [1]; so are 47 more elements
// compiled.mlir:70:10: error: [assume] assume bounded<0, 252> does not hold: the value is 255
//       %b = assume bounded<0, 252>, %a : tile<64xi32>
//            ^
// tessera: note: in tile block (0, 0, 0), element [51]; so are 12 more elements
// compiled.mlir:71:10: error: [assume] assume same_elements<[2]> does not hold: the value is 5, the first of its group is 0
//       %c = assume same_elements<[2]>, %b : tile<64xi32>
//            ^
// tessera: note: in tile block (0, 0, 0), element [1]; so are 31 more elements
// compiled.mlir:69:10: note: [assume] assume: 191 more findings, the last in tile block (3, 0, 0)
// compiled.mlir:70:10: note: [assume] assume: 51 more findings, the last in tile block (3, 0, 0)
// compiled.mlir:71:10: note: [assume] assume: 127 more findings, the last in tile block (3, 0, 0)
// tessera: note: sanitizer: 372 findings at 3 operations (assume 372) in 4 tile blocks
// [1]
// $ tessera run compiled.mlir -g 4 --target cpu --threads 1 --sanitize=assume --sanitize-stop -k tiles i32:5
// compiled.mlir:69:10: error: [assume] assume div_by<4> does not hold: the value is 5
//       %a = assume div_by<4>, %x : tile<64xi32>
//            ^
// tessera: note: in tile block (0, 0, 0), element [1]; so are 47 more elements
// tessera: note: sanitizer: 48 findings at 1 operation (assume 48) in 1 tile block
// [1]
// $ tessera run compiled.mlir -g 1 --target cpu --sanitize=bounds,init -k tiles i32:5
// tessera: error: --sanitize=init,race,arith work with --target interp only, not cpu, which takes --sanitize=bounds,assume
// tessera: note: usage: tessera run FILE --grid X[,Y[,Z]] [OPTION]... [ARG]...
// [2]
