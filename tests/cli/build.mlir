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
// $ tessera build build.mlir --target aarch64 --emit asm | grep -c 'fmul.*4s' | sed 's/[1-9][0-9]*/some/'
// some
// $ tessera build build.mlir --target aarch64+bf16+i8mm --emit obj | od -An -t x1 -j 18 -N 2
//  b7 00
// $ tessera build build.mlir --target aarch64+sve --emit obj -o out.o
// tessera: error: unknown target 'aarch64+sve'; for AArch64 there are: aarch64, aarch64+bf16, aarch64+i8mm, aarch64+bf16+i8mm
// [2]
// $ tessera build build.mlir --target aarch64 --cpu avx2 --emit obj -o out.o
// tessera: error: --cpu is for this machine's architecture; AArch64's extensions are part of the target: --target aarch64+i8mm
// tessera: note: usage: tessera build FILE [--target TARGET] --emit KIND [-o OUT] [--cpu LEVEL]
// [2]
// $ tessera build build.mlir --emit kernels
// tessera: error: --emit kernels makes a folder; name it: -o FOLDER
// tessera: note: usage: tessera build FILE [--target TARGET] --emit KIND [-o OUT] [--cpu LEVEL]
// [2]
// $ export TESSERA_CACHE=on TESSERA_CACHE_DIR=ready TESSERA_LLVM_PLUGIN=none; tessera run build.mlir --grid 1 arange:f32:64 arange:f32:64 f32:2 --print y
// tessera: error: TESSERA_LLVM_PLUGIN: there is no readable file 'none'
// [1]
// $ TESSERA_CACHE=on tessera build build.mlir --emit kernels --cpu baseline -o ready; export TESSERA_CACHE=on TESSERA_CACHE_DIR=ready TESSERA_LLVM_PLUGIN=none; tessera run build.mlir --grid 1 arange:f32:64 arange:f32:64 f32:2 --print y
// y: f32 64
// [  0.   3.   6.   9.  12.  15.  18.  21.  24.  27.  30.  33.  36.  39.
//   42.  45.  48.  51.  54.  57.  60.  63.  66.  69.  72.  75.  78.  81.
//   84.  87.  90.  93.  96.  99. 102. 105. 108. 111. 114. 117. 120. 123.
//  126. 129. 132. 135. 138. 141. 144. 147. 150. 153. 156. 159. 162. 165.
//  168. 171. 174. 177. 180. 183. 186. 189.]
