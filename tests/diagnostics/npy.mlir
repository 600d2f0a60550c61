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
// $ mkdir folder.npy; tessera run npy.mlir --grid 1 folder.npy f4.npy f32:1
// $ mkfifo pipe.npy; tessera run npy.mlir --grid 1 pipe.npy f4.npy f32:1
// $ tessera run npy.mlir --grid 1 f8.npy i4.npy f32:1
// $ tessera run npy.mlir --grid 1 f4.npy zeros:f32:64 f4.npy
// $ printf '' >empty.npy; tessera run npy.mlir --grid 1 empty.npy f4.npy f32:1
// $ printf 'hello, world' >text.npy; tessera run npy.mlir --grid 1 text.npy f4.npy f32:1
// $ head -c 9 f4.npy >short.npy; tessera run npy.mlir --grid 1 short.npy f4.npy f32:1
// $ head -c 100 f4.npy >short.npy; tessera run npy.mlir --grid 1 short.npy f4.npy f32:1
// $ head -c 300 f4.npy >short.npy; tessera run npy.mlir --grid 1 short.npy f4.npy f32:1
// $ cat f4.npy f4.npy >long.npy; tessera run npy.mlir --grid 1 long.npy f4.npy f32:1
// $ npy raw a.npy "{'descr': '<f4', 'fortran_order': True, 'shape': (8, 8), }" 256; tessera run npy.mlir --grid 1 a.npy f4.npy f32:1
// $ npy raw a.npy "{'descr': '>f4', 'fortran_order': False, 'shape': (64,), }" 256; tessera run npy.mlir --grid 1 a.npy f4.npy f32:1
// $ npy raw a.npy "{'descr': '|O', 'fortran_order': False, 'shape': (64,), }" 256; tessera run npy.mlir --grid 1 a.npy f4.npy f32:1
// $ npy raw a.npy "{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (64,), }" 256; tessera run npy.mlir --grid 1 a.npy f4.npy f32:1
// $ npy raw a.npy "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 99999999999), }" 256; tessera run npy.mlir --grid 1 a.npy f4.npy f32:1
// $ npy raw a.npy "{'descr': '<f4', 'fortran_order': False, 'shape': (64 }" 256; tessera run npy.mlir --grid 1 a.npy f4.npy f32:1
// $ npy raw a.npy "{'descr': '<f4', 'fortran_order': False, 'shape': (64,), }" 256 9; tessera run npy.mlir --grid 1 a.npy f4.npy f32:1
// $ tessera run npy.mlir --grid 1 missing.npy short.npy f32:1 --save y=out.npy; ls out.npy
