// RUN: %transcript %s
// Outputs that cannot be written: exit status 1, nothing half-written, nothing left over.
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

// $ tessera run outputs.mlir --grid 1 --target interp zeros:f32:64 ones:f32:64 f32:1 --save y=no/such/folder/y.npy
// tessera: error: cannot write 'no/such/folder/y.npy': No such file or directory
// [1]
// $ mkdir y.npy; tessera run outputs.mlir --grid 1 --target interp zeros:f32:64 ones:f32:64 f32:1 --save y=y.npy
// tessera: error: cannot write 'y.npy': Is a directory
// [1]
// $ tessera run outputs.mlir --grid 1 --target interp zeros:f32:64 ones:f32:64 f32:1 --save y=/dev/full
// tessera: error: cannot write '/dev/full': No space left on device
// [1]
// $ tessera run outputs.mlir --grid 1 --target interp zeros:f32:64 ones:f32:64 f32:1 --save x=x.npy --save y=no/y.npy
// tessera: error: cannot write 'no/y.npy': No such file or directory
// [1]
// $ tessera fmt outputs.mlir -o no/such/folder/out.mlir
// tessera: error: cannot write 'no/such/folder/out.mlir': No such file or directory
// [1]
// $ tessera fmt outputs.mlir -o y.npy
// tessera: error: cannot write 'y.npy': Is a directory
// [1]
// $ tessera fmt outputs.mlir -o /dev/full
// tessera: error: cannot write '/dev/full': No space left on device
// [1]
// $ tessera fmt outputs.mlir >/dev/full
// tessera: error: cannot write to standard output: No space left on device
// [1]
// $ ls
// outputs.mlir
// y.npy
