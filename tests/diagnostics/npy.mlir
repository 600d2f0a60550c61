// RUN: %transcript %s
// NumPy files that are damaged or do not fit.
cuda_tile.module @axpy {
  // y[i] += alpha * x[i], 64 elements for each tile block
  entry @axpy(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %alpha: tile<f32>) {
    %block, %by, %bz = get_tile_block_id : tile<i32>
    %size = constant <i32: 64> : tile<i32>
    %start = muli %block, %size : tile<i32>
    %start_1 = reshape %start : tile<i32> -> tile<1xi32>
    %start_64 = broadcast %start_1 : tile<1xi32> -> tile<64xi32>
    %lane = iota : tile<64xi32>
    %i = addi %start_64, %lane : tile<64xi32>
    %x_1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
    %x_64 = broadcast %x_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
    %xs = offset %x_64, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
    %y_1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
    %y_64 = broadcast %y_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
    %ys = offset %y_64, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
    %xv, %t0 = load_ptr_tko weak %xs : tile<64xptr<f32>> -> tile<64xf32>, token
    %yv, %t1 = load_ptr_tko weak %ys : tile<64xptr<f32>> -> tile<64xf32>, token
    %alpha_1 = reshape %alpha : tile<f32> -> tile<1xf32>
    %alpha_64 = broadcast %alpha_1 : tile<1xf32> -> tile<64xf32>
    %scaled = mulf %alpha_64, %xv : tile<64xf32>
    %sum = addf %scaled, %yv : tile<64xf32>
    %t2 = store_ptr_tko weak %ys, %sum token=%t1 : tile<64xptr<f32>>, tile<64xf32> -> token
  }
}

// $ npy make f4.npy '<f4' 64; npy make f8.npy '<f8' 64; npy make i4.npy '<i4' 64
// $ tessera run npy.mlir --grid 1 missing.npy f4.npy f32:1
// tessera: error: cannot open 'missing.npy': No such file or directory
// [1]
// $ mkdir folder.npy; tessera run npy.mlir --grid 1 folder.npy f4.npy f32:1
// tessera: error: cannot read 'folder.npy': it is a directory
// [1]
// $ mkfifo pipe.npy; tessera run npy.mlir --grid 1 pipe.npy f4.npy f32:1
// tessera: error: cannot read 'pipe.npy': it is no regular file
// [1]
// $ tessera run npy.mlir --grid 1 f8.npy i4.npy f32:1
// tessera: error: 'f8.npy' holds elements of type '<f8', but parameter %x is a buffer of f32, which takes '<f4'
// tessera: error: 'i4.npy' holds elements of type '<i4', but parameter %y is a buffer of f32, which takes '<f4'
// [2]
// $ tessera run npy.mlir --grid 1 f4.npy zeros:f32:64 f4.npy
// tessera: error: argument 3 ('f4.npy') is a buffer, but parameter %alpha is a number of type f32; give f32:VALUE
// tessera: note: @axpy takes x: buffer of f32, y: buffer of f32, alpha: f32
// [2]
// $ printf '' >empty.npy; tessera run npy.mlir --grid 1 empty.npy f4.npy f32:1
// tessera: error: 'empty.npy' is no NumPy file: it doesn't begin with \x93NUMPY
// [1]
// $ printf 'hello, world' >text.npy; tessera run npy.mlir --grid 1 text.npy f4.npy f32:1
// tessera: error: 'text.npy' is no NumPy file: it doesn't begin with \x93NUMPY
// [1]
// $ head -c 9 f4.npy >short.npy; tessera run npy.mlir --grid 1 short.npy f4.npy f32:1
// tessera: error: 'short.npy' is truncated: it ends within the header
// [1]
// $ head -c 100 f4.npy >short.npy; tessera run npy.mlir --grid 1 short.npy f4.npy f32:1
// tessera: error: 'short.npy' is truncated: it ends within the header
// [1]
// $ head -c 300 f4.npy >short.npy; tessera run npy.mlir --grid 1 short.npy f4.npy f32:1
// tessera: error: 'short.npy' is truncated: its shape needs 256 bytes of data, it has 172
// [1]
// $ cat f4.npy f4.npy >long.npy; tessera run npy.mlir --grid 1 long.npy f4.npy f32:1
// tessera: error: 'long.npy' has 384 bytes behind its data; it should end there
// [1]
// $ npy raw a.npy "{'descr': '<f4', 'fortran_order': True, 'shape': (8, 8), }" 256; tessera run npy.mlir --grid 1 a.npy f4.npy f32:1
// tessera: error: 'a.npy' is in Fortran order; save numpy.ascontiguousarray(a) instead
// [1]
// $ npy raw a.npy "{'descr': '>f4', 'fortran_order': False, 'shape': (64,), }" 256; tessera run npy.mlir --grid 1 a.npy f4.npy f32:1
// tessera: error: 'a.npy' is big-endian ('>f4'); convert it with a.astype(a.dtype.newbyteorder('<'))
// [1]
// $ npy raw a.npy "{'descr': '|O', 'fortran_order': False, 'shape': (64,), }" 256; tessera run npy.mlir --grid 1 a.npy f4.npy f32:1
// tessera: error: 'a.npy' holds Python objects, which kernels can't use
// [1]
// $ npy raw a.npy "{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (64,), }" 256; tessera run npy.mlir --grid 1 a.npy f4.npy f32:1
// tessera: error: 'a.npy' has a structured element type; use a plain one
// [1]
// $ npy raw a.npy "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 99999999999), }" 256; tessera run npy.mlir --grid 1 a.npy f4.npy f32:1
// tessera: error: 'a.npy' has a shape that is too large
// [1]
// $ npy raw a.npy "{'descr': '<f4', 'fortran_order': False, 'shape': (64 }" 256; tessera run npy.mlir --grid 1 a.npy f4.npy f32:1
// tessera: error: 'a.npy' has a damaged header: ')' is missing
// [1]
// $ npy raw a.npy "{'descr': '<f4', 'fortran_order': False, 'shape': (64,), }" 256 9; tessera run npy.mlir --grid 1 a.npy f4.npy f32:1
// tessera: error: 'a.npy' has version 9.0 of the format; 1, 2 and 3 are known
// [1]
// $ tessera run npy.mlir --grid 1 missing.npy short.npy f32:1 --save y=out.npy; ls out.npy
// tessera: error: cannot open 'missing.npy': No such file or directory
// tessera: error: 'short.npy' is truncated: its shape needs 256 bytes of data, it has 172
// ls: cannot access 'out.npy': No such file or directory
// [2]
