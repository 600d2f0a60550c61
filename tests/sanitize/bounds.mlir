// RUN: %transcript %s
// Addresses and indices out of range, each in a kernel of its own. Such an access is left out, so the
// run goes on.
cuda_tile.module @bounds {
  global @table <i32: [1, 2, 3, 4]> : tile<4xi32>

  entry @past_the_end(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %x_1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
    %x_8 = broadcast %x_1 : tile<1xptr<f32>> -> tile<8xptr<f32>>
    %y_1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
    %y_8 = broadcast %y_1 : tile<1xptr<f32>> -> tile<8xptr<f32>>
    %i = iota : tile<8xi32>
    %xs = offset %x_8, %i : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
    %ys = offset %y_8, %i : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
    %v, %t0 = load_ptr_tko weak %xs : tile<8xptr<f32>> -> tile<8xf32>, token
    %t1 = store_ptr_tko weak %ys, %v : tile<8xptr<f32>>, tile<8xf32> -> token
  }

  // The pointer came from %x, so %y is no place for it.
  entry @another_buffer(%x: tile<ptr<i32>>, %distance: tile<i64>) {
    %p = offset %x, %distance : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
    %one = constant <i32: 1> : tile<i32>
    %old, %t = atomic_rmw_tko relaxed device %p, add, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  }

  entry @before_a_global() {
    %p = get_global @table : tile<ptr<i32>>
    %minus = constant <i32: -1> : tile<i32>
    %q = offset %p, %minus : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %old, %t = atomic_cas_tko relaxed device %q, %minus, %minus : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  }

  entry @no_buffer(%address: tile<i64>) {
    %p = int_to_ptr %address : tile<i64> -> tile<ptr<i16>>
    %v, %t = load_ptr_tko weak %p : tile<ptr<i16>> -> tile<i16>, token
    print_tko "read %i\n", %v : tile<i16> -> token
  }

  entry @part_of_an_element(%x: tile<ptr<i8>>) {
    %p = ptr_to_ptr %x : tile<ptr<i8>> -> tile<ptr<i32>>
    %v, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
  }

  // The view is larger than the buffer behind it.
  entry @view_too_large(%x: tile<ptr<f32>>) {
    %view = make_tensor_view %x, shape = [4, 4], strides = [4, 1] : tensor_view<4x4xf32, strides=[4,1]>
    %tiles = make_partition_view %view : partition_view<tile=(2x4), tensor_view<4x4xf32, strides=[4,1]>>
    %one = constant <i32: 1> : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %v, %t0 = load_view_tko weak %tiles[%one, %zero] : partition_view<tile=(2x4), tensor_view<4x4xf32, strides=[4,1]>>, tile<i32> -> tile<2x4xf32>, token
    print_tko "%f\n", %v : tile<2x4xf32> -> token
    %t1 = store_view_tko weak %v, %tiles[%one, %zero] token=%t0 : tile<2x4xf32>, partition_view<tile=(2x4), tensor_view<4x4xf32, strides=[4,1]>>, tile<i32> -> token
  }

  entry @no_such_tile(%x: tile<ptr<f32>>) {
    %view = make_tensor_view %x, shape = [8], strides = [1] : tensor_view<8xf32, strides=[1]>
    %tiles = make_partition_view %view : partition_view<tile=(4), tensor_view<8xf32, strides=[1]>>
    %two = constant <i32: 2> : tile<i32>
    %v, %t = load_view_tko weak %tiles[%two] : partition_view<tile=(4), tensor_view<8xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
  }

  entry @gather(%x: tile<ptr<i32>>) {
    %view = make_tensor_view %x, shape = [4, 2], strides = [2, 1] : tensor_view<4x2xi32, strides=[2,1]>
    %rows = make_gather_scatter_view %view : gather_scatter_view<tile=(4x2), tensor_view<4x2xi32, strides=[2,1]>, sparse_dim=0>
    %which = constant <i32: [0, 3, 4, 9]> : tile<4xi32>
    %zero = constant <i32: 0> : tile<i32>
    %v, %t = load_view_tko weak %rows[%which, %zero] : gather_scatter_view<tile=(4x2), tensor_view<4x2xi32, strides=[2,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> tile<4x2xi32>, token
  }

  entry @slice(%n: tile<i32>) {
    %t = iota : tile<8xi32>
    %s = extract %t[%n] : tile<8xi32> -> tile<4xi32>
  }

  entry @put(%n: tile<i32>) {
    %t = iota : tile<8xi32>
    %s = iota : tile<4xi32>
    %r = insert %s, %t[%n] : tile<4xi32>, tile<8xi32> -> tile<8xi32>
  }

  entry @promise(%x: tile<ptr<i32>>, %n: tile<i32>) {
    %view = make_tensor_view %x, shape = [4, 6], strides = [6, 1] : tensor_view<4x6xi32, strides=[6,1]>
    %tiles = make_partition_view %view : partition_view<tile=(2x4), tensor_view<4x6xi32, strides=[6,1]>>
    %zero = constant <i32: 0> : tile<i32>
    %v, %t = load_view_tko weak %tiles[%zero, %n] inbounds = [true, true] : partition_view<tile=(2x4), tensor_view<4x6xi32, strides=[6,1]>>, tile<i32> -> tile<2x4xi32>, token
    %u = store_view_tko weak %v, %tiles[%zero, %n] inbounds = [true, false] : tile<2x4xi32>, partition_view<tile=(2x4), tensor_view<4x6xi32, strides=[6,1]>>, tile<i32> -> token
  }
}

// $ tessera run bounds.mlir -g 1 --sanitize=bounds -k past_the_end zeros:f32:6 zeros:f32:7
// bounds.mlir:15:15: error: [bounds] load_ptr_tko reads element 6 of %x, which has 6 of f32
//       %v, %t0 = load_ptr_tko weak %xs : tile<8xptr<f32>> -> tile<8xf32>, token
//                 ^
// tessera: note: in tile block \(0, 0, 0\), element \[6\]: address 0x[0-9a-f]+, just behind the end; so is another element (re)
// bounds.mlir:16:11: error: [bounds] store_ptr_tko writes element 7 of %y, which has 7 of f32
//       %t1 = store_ptr_tko weak %ys, %v : tile<8xptr<f32>>, tile<8xf32> -> token
//             ^
// tessera: note: in tile block \(0, 0, 0\), element \[7\]: address 0x[0-9a-f]+, just behind the end (re)
// bounds.mlir:15:15: note: [bounds] load_ptr_tko: 1 more finding, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 3 findings at 2 operations (bounds 3) in 1 tile block
// [1]
// $ tessera run bounds.mlir -g 1 --sanitize=bounds -k another_buffer zeros:i32:4 i64:4096
// bounds.mlir:23:16: error: [bounds] atomic_rmw_tko updates element 4096 of %x, which has 4 of i32
//       %old, %t = atomic_rmw_tko relaxed device %p, add, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
//                  ^
// tessera: note: in tile block \(0, 0, 0\): address 0x[0-9a-f]+, 16368 bytes behind the end (re)
// tessera: note: sanitizer: 1 finding at 1 operation (bounds 1) in 1 tile block
// [1]
// $ tessera run bounds.mlir -g 1 --sanitize=bounds -k before_a_global
// bounds.mlir:30:16: error: [bounds] atomic_cas_tko updates element -1 of global @table, which has 4 of i32
//       %old, %t = atomic_cas_tko relaxed device %q, %minus, %minus : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
//                  ^
// tessera: note: in tile block \(0, 0, 0\): address 0x[0-9a-f]+, 4 bytes before the start (re)
// tessera: note: sanitizer: 1 finding at 1 operation (bounds 1) in 1 tile block
// [1]
// $ tessera run bounds.mlir -g 1 --sanitize=bounds -k no_buffer i64:0x1000
// bounds.mlir:35:14: error: [bounds] load_ptr_tko reads 2 bytes that belong to no buffer
//       %v, %t = load_ptr_tko weak %p : tile<ptr<i16>> -> tile<i16>, token
//                ^
// tessera: note: in tile block (0, 0, 0): address 0x1000
// read 0
// tessera: note: sanitizer: 1 finding at 1 operation (bounds 1) in 1 tile block
// [1]
// $ tessera run bounds.mlir -g 1 --sanitize=bounds -k no_buffer i64:-2
// bounds.mlir:35:14: error: [bounds] load_ptr_tko reads 2 bytes that belong to no buffer
//       %v, %t = load_ptr_tko weak %p : tile<ptr<i16>> -> tile<i16>, token
//                ^
// tessera: note: in tile block (0, 0, 0): no memory has such an address
// read 0
// tessera: note: sanitizer: 1 finding at 1 operation (bounds 1) in 1 tile block
// [1]
// $ tessera run bounds.mlir -g 1 --sanitize=bounds -k part_of_an_element zeros:i8:3
// bounds.mlir:41:14: error: [bounds] load_ptr_tko reads 4 bytes from byte 0 on of %x, which has 3 bytes
//       %v, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
//                ^
// tessera: note: in tile block \(0, 0, 0\): address 0x[0-9a-f]+ (re)
// tessera: note: sanitizer: 1 finding at 1 operation (bounds 1) in 1 tile block
// [1]
// $ tessera run bounds.mlir -g 1 --sanitize=bounds -k view_too_large ones:f32:14
// bounds.mlir:50:15: error: [bounds] load_view_tko reads element 14 of %x, which has 14 of f32
//       %v, %t0 = load_view_tko weak %tiles[%one, %zero] : partition_view<tile=(2x4), tensor_view<4x4xf32, strides=[4,1]>>, tile<i32> -> tile<2x4xf32>, token
//                 ^
// tessera: note: in tile block \(0, 0, 0\), element \[1, 2\]: address 0x[0-9a-f]+, just behind the end; so is another element (re)
// [[1.000000, 1.000000, 1.000000, 1.000000], [1.000000, 1.000000, 0.000000, 0.000000]]
// bounds.mlir:52:11: error: [bounds] store_view_tko writes element 14 of %x, which has 14 of f32
//       %t1 = store_view_tko weak %v, %tiles[%one, %zero] token=%t0 : tile<2x4xf32>, partition_view<tile=(2x4), tensor_view<4x4xf32, strides=[4,1]>>, tile<i32> -> t...
//             ^
// tessera: note: in tile block \(0, 0, 0\), element \[1, 2\]: address 0x[0-9a-f]+, just behind the end; so is another element (re)
// bounds.mlir:50:15: note: [bounds] load_view_tko: 1 more finding, the last in tile block (0, 0, 0)
// bounds.mlir:52:11: note: [bounds] store_view_tko: 1 more finding, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 4 findings at 2 operations (bounds 4) in 1 tile block
// [1]
// $ tessera run bounds.mlir -g 1 --sanitize=bounds -k no_such_tile zeros:f32:8
// bounds.mlir:59:14: error: [bounds] load_view_tko: index 2 is outside of the view, which has 2 tiles along dimension 0
//       %v, %t = load_view_tko weak %tiles[%two] : partition_view<tile=(4), tensor_view<8xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
//                ^
// tessera: note: in tile block (0, 0, 0)
// tessera: note: sanitizer: 1 finding at 1 operation (bounds 1) in 1 tile block
// [1]
// $ tessera run bounds.mlir -g 1 --sanitize=bounds -k gather arange:i32:8
// bounds.mlir:67:14: error: [bounds] load_view_tko: element 2 of the indices is 4, but dimension 0 has the extent 4
//       %v, %t = load_view_tko weak %rows[%which, %zero] : gather_scatter_view<tile=(4x2), tensor_view<4x2xi32, strides=[2,1]>, sparse_dim=0>, tile<4xi32>, tile<i32...
//                ^
// tessera: note: in tile block (0, 0, 0); so is another element
// bounds.mlir:67:14: note: [bounds] load_view_tko: 1 more finding, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 2 findings at 1 operation (bounds 2) in 1 tile block
// [1]
// $ tessera run bounds.mlir -g 1 --sanitize=bounds -k slice i32:2
// bounds.mlir:72:10: error: [bounds] extract: index 2 of dimension 0, but there are 2 slices
//       %s = extract %t[%n] : tile<8xi32> -> tile<4xi32>
//            ^
// tessera: note: in tile block (0, 0, 0)
// tessera: note: sanitizer: 1 finding at 1 operation (bounds 1) in 1 tile block
// [1]
// $ tessera run bounds.mlir -g 1 --sanitize=bounds -k put i32:2
// bounds.mlir:78:10: error: [bounds] insert: index 2 of dimension 0, but there are 2 slices
//       %r = insert %s, %t[%n] : tile<4xi32>, tile<8xi32> -> tile<8xi32>
//            ^
// tessera: note: in tile block (0, 0, 0)
// tessera: note: sanitizer: 1 finding at 1 operation (bounds 1) in 1 tile block
// [1]
// $ tessera run bounds.mlir -g 1 --sanitize=bounds -k promise zeros:i32:24 i32:0
// tessera: remark: sanitizer: nothing found (bounds) in 1 tile block
// $ tessera run bounds.mlir -g 1 --sanitize=bounds -k promise zeros:i32:24 i32:1
// bounds.mlir:85:14: error: [bounds] load_view_tko: inbounds promises that the tile lies inside the tensor view along dimension 1, but it goes beyond
//       %v, %t = load_view_tko weak %tiles[%zero, %n] inbounds = [true, true] : partition_view<tile=(2x4), tensor_view<4x6xi32, strides=[6,1]>>, tile<i32> -> tile<2...
//                ^
// tessera: note: in tile block (0, 0, 0)
// tessera: note: sanitizer: 1 finding at 1 operation (bounds 1) in 1 tile block
// [1]
