// Accesses at addresses that are no multiple of their elements' size.
//
// RUN: not %tessera run %s -g 1 -k scalar --sanitize=all arange:i8:16 zeros:i32:1 2>&1 | FileCheck %s --check-prefix=SCALAR
// RUN: not %tessera run %s -g 1 -k tile --sanitize=arith arange:i8:64 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: not %tessera run %s -g 1 -k view --sanitize=arith arange:i8:64 i32:2 2>&1 | FileCheck %s --check-prefix=VIEW
// RUN: not %tessera run %s -g 1 -k update --sanitize=arith arange:i8:64 2>&1 | FileCheck %s --check-prefix=UPDATE
// RUN: %tessera run %s -g 1 -k view --sanitize=all arange:i8:64 i32:4 2>&1 | FileCheck %s --check-prefix=CLEAN
// RUN: %tessera run %s -g 1 -k bytes --sanitize=all arange:i8:64 2>&1 | FileCheck %s --check-prefix=CLEAN
// RUN: %tessera run %s -g 1 -k scalar --sanitize=bounds,init,race,assume arange:i8:16 zeros:i32:1 2>&1 | FileCheck %s --check-prefix=CLEAN
// CLEAN: nothing found
cuda_tile.module @align {
  // SCALAR: align.mlir:[[@LINE+6]]:15: error: [arith] load_ptr_tko reads 4 bytes from byte 1 on of %x, which has 16 bytes, at an address that is no multiple of 4, the size of its elements
  // SCALAR: sanitizer: 1 finding at 1 operation (arith 1)
  entry @scalar(%x: tile<ptr<i8>>, %o: tile<ptr<i32>>) {
    %one = constant <i32: 1> : tile<i32>
    %p = offset %x, %one : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>
    %q = ptr_to_ptr %p : tile<ptr<i8>> -> tile<ptr<i32>>
    %v, %t0 = load_ptr_tko weak %q : tile<ptr<i32>> -> tile<i32>, token
    %t1 = store_ptr_tko weak %o, %v : tile<ptr<i32>>, tile<i32> -> token
  }

  // Every other element; those that are masked off are not accessed.
  // TILE: error: [arith] store_ptr_tko writes 2 bytes from byte 1 on of %x
  // TILE: element [1]: address 0x{{[0-9a-f]+}}; so is another element
  entry @tile(%x: tile<ptr<i8>>) {
    %i = iota : tile<8xi32>
    %x1 = reshape %x : tile<ptr<i8>> -> tile<1xptr<i8>>
    %x8 = broadcast %x1 : tile<1xptr<i8>> -> tile<8xptr<i8>>
    %three = constant <i32: 3> : tile<8xi32>
    %at = muli %i, %three : tile<8xi32>
    %back = constant <i32: 2> : tile<8xi32>
    %shifted = subi %at, %back : tile<8xi32>
    %p = offset %x8, %shifted : tile<8xptr<i8>>, tile<8xi32> -> tile<8xptr<i8>>
    %q = ptr_to_ptr %p : tile<8xptr<i8>> -> tile<8xptr<i16>>
    %v = constant <i16: 5> : tile<8xi16>
    %m = constant <i1: [false, true, true, true, false, false, false, false]> : tile<8xi1>
    %t = store_ptr_tko weak %q, %v, %m : tile<8xptr<i16>>, tile<8xi16>, tile<8xi1> -> token
  }

  // VIEW: error: [arith] load_view_tko reads 4 bytes from byte 2 on of %x, which has 64 bytes, at an address that is no multiple of 4
  // VIEW: element [0]: address {{.*}}; so are 7 more elements
  entry @view(%x: tile<ptr<i8>>, %n: tile<i32>) {
    %z = constant <i32: 0> : tile<i32>
    %p = offset %x, %n : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>
    %q = ptr_to_ptr %p : tile<ptr<i8>> -> tile<ptr<f32>>
    %t = make_tensor_view %q, shape = [8], strides = [1] : tensor_view<8xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<8xf32, strides=[1]>>
    %a, %t0 = load_view_tko weak %v[%z] : partition_view<tile=(8), tensor_view<8xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
  }

  // UPDATE: error: [arith] atomic_rmw_tko updates 4 bytes from byte 3 on of %x
  entry @update(%x: tile<ptr<i8>>) {
    %n = constant <i32: 3> : tile<i32>
    %p = offset %x, %n : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>
    %q = ptr_to_ptr %p : tile<ptr<i8>> -> tile<ptr<i32>>
    %a, %t = atomic_rmw_tko relaxed device %q, add, %n : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  }

  entry @bytes(%x: tile<ptr<i8>>) {
    %n = constant <i32: 3> : tile<i32>
    %p = offset %x, %n : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>
    %a, %t = load_ptr_tko weak %p : tile<ptr<i8>> -> tile<i8>, token
  }
}
