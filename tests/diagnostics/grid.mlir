// RUN: %transcript %s
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

// $ tessera run grid.mlir
// tessera: error: say how many tile blocks to run: --grid X[,Y[,Z]], as in --grid 8
// tessera: note: usage: tessera run FILE --grid X[,Y[,Z]] [OPTION]... [ARG]...
// [2]
// $ tessera run grid.mlir --grid ""
// tessera: error: --grid '': it takes X, X,Y or X,Y,Z
// tessera: note: usage: tessera run FILE --grid X[,Y[,Z]] [OPTION]... [ARG]...
// [2]
// $ tessera run grid.mlir --grid 0
// tessera: error: --grid '0': a grid needs at least one tile block along each axis
// tessera: note: usage: tessera run FILE --grid X[,Y[,Z]] [OPTION]... [ARG]...
// [2]
// $ tessera run grid.mlir --grid 1,0
// tessera: error: --grid '1,0': a grid needs at least one tile block along each axis
// tessera: note: usage: tessera run FILE --grid X[,Y[,Z]] [OPTION]... [ARG]...
// [2]
// $ tessera run grid.mlir --grid 1,1,0
// tessera: error: --grid '1,1,0': a grid needs at least one tile block along each axis
// tessera: note: usage: tessera run FILE --grid X[,Y[,Z]] [OPTION]... [ARG]...
// [2]
// $ tessera run grid.mlir --grid -1
// tessera: error: --grid '-1': it takes X, X,Y or X,Y,Z
// tessera: note: usage: tessera run FILE --grid X[,Y[,Z]] [OPTION]... [ARG]...
// [2]
// $ tessera run grid.mlir --grid 2x2
// tessera: error: --grid '2x2': it takes X, X,Y or X,Y,Z
// tessera: note: usage: tessera run FILE --grid X[,Y[,Z]] [OPTION]... [ARG]...
// [2]
// $ tessera run grid.mlir --grid 1,2,3,4
// tessera: error: --grid '1,2,3,4': it takes X, X,Y or X,Y,Z
// tessera: note: usage: tessera run FILE --grid X[,Y[,Z]] [OPTION]... [ARG]...
// [2]
// $ tessera run grid.mlir --grid 1,
// tessera: error: --grid '1,': it takes X, X,Y or X,Y,Z
// tessera: note: usage: tessera run FILE --grid X[,Y[,Z]] [OPTION]... [ARG]...
// [2]
// $ tessera run grid.mlir --grid 1.5
// tessera: error: --grid '1.5': it takes X, X,Y or X,Y,Z
// tessera: note: usage: tessera run FILE --grid X[,Y[,Z]] [OPTION]... [ARG]...
// [2]
// $ tessera run grid.mlir --grid 2147483648
// tessera: error: --grid '2147483648': a grid has at most 2147483647 tile blocks
// tessera: note: usage: tessera run FILE --grid X[,Y[,Z]] [OPTION]... [ARG]...
// [2]
// $ tessera run grid.mlir --grid 99999999999999999999999
// tessera: error: --grid '99999999999999999999999': a grid has at most 2147483647 tile blocks
// tessera: note: usage: tessera run FILE --grid X[,Y[,Z]] [OPTION]... [ARG]...
// [2]
// $ tessera run grid.mlir --grid 65536,65536
// tessera: error: --grid '65536,65536': a grid has at most 2147483647 tile blocks in all
// tessera: note: usage: tessera run FILE --grid X[,Y[,Z]] [OPTION]... [ARG]...
// [2]
// $ tessera run grid.mlir --grid 2147483647,2147483647,2147483647
// tessera: error: --grid '2147483647,2147483647,2147483647': a grid has at most 2147483647 tile blocks in all
// tessera: note: usage: tessera run FILE --grid X[,Y[,Z]] [OPTION]... [ARG]...
// [2]
