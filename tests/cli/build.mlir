// RUN: %transcript %s
// REQUIRES: llvm
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

// $ tessera build build.mlir --emit llvm | grep -c '^define'
// 1
// $ tessera build build.mlir --emit asm -o out.s; grep -c axpy out.s | sed 's/[1-9][0-9]*/some/'
// some
// $ tessera build build.mlir --emit obj -o out.o; head -c 4 out.o | od -An -c
//  177   E   L   F
// $ tessera build build.mlir --emit obj | head -c 4 | od -An -c
//  177   E   L   F
// $ tessera build build.mlir --emit llvm --cpu baseline -o - | grep -c '^define'
// 1
// $ tessera build - --emit llvm <build.mlir | grep -c '^define'
// 1
// $ tessera build build.mlir --emit obj --cpu sse9 -o no.o
// tessera: error: unknown feature level 'sse9'; there are: baseline, avx2, avx512
// [2]
// $ ls
// Inputs
// build.mlir
// out.o
// out.s
