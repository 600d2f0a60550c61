// RUN: %transcript %s
// Arguments that do not fit: everything that is wrong, and what would fit; exit status 2.
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

// $ tessera run arguments.mlir --grid 1
// $ tessera run arguments.mlir --grid 1 zeros:f32:64 zeros:f32:64
// $ tessera run arguments.mlir --grid 1 zeros:f32:64 zeros:f32:64 f32:1 i32:64
// $ tessera run arguments.mlir --grid 1 zeros:f16:64 zeros:f32:64 f32:1
// $ tessera run arguments.mlir --grid 1 f32:1 zeros:f32:64 zeros:f32:64
// $ tessera run arguments.mlir --grid 1 zeros:f32:64 zeros:f32:64 f64:1
// $ tessera run arguments.mlir --grid 1 zeros:f32:64 zeros:f32:64 i32:1
// $ tessera run arguments.mlir --grid 1 zeros:f33:64 zeos:f32:64 f23:1
// $ tessera run arguments.mlir --grid 1 zeros:f32 zeros:f32: zeros:f32:x
// $ tessera run arguments.mlir --grid 1 zeros:f32:64x zeros:f32:6,4 zeros:f32:-64
// $ tessera run arguments.mlir --grid 1 zeros:f32:99999999999999999999 zeros:f32:4294967296x4294967296 f32:1
// $ tessera run arguments.mlir --grid 1 zeros:f32:1000000x1000000 zeros:f32:64 f32:1 2>&1 | sed 's/has [0-9.]* GB/has ... GB/'
// $ tessera run arguments.mlir --grid 1 zeros:f32:64 zeros:f32:64 f32:
// $ tessera run arguments.mlir --grid 1 zeros:f32:64 zeros:f32:64 f32:one
// $ tessera run arguments.mlir --grid 1 zeros:f32:64 zeros:f32:64 f32:1e50
// $ tessera run arguments.mlir --grid 1 zeros:f32:64 data.txt f32:1
// $ tessera run arguments.mlir --grid 1 zeros:f32:64 64 f32:1
// $ tessera run arguments.mlir --grid 1 y=zeros:f32:64 x=zeros:f32:64 f32:1
// $ tessera run arguments.mlir --grid 1 a=zeros:f32:64 a=zeros:f32:64 f32:1
// $ tessera run arguments.mlir --grid 1 zeros:f32:64 zeros:f32:64 f32:1 --print z
// $ tessera run arguments.mlir --grid 1 zeros:f32:64 zeros:f32:64 f32:1 --print alpha
// $ tessera run arguments.mlir --grid 1 zeros:f32:64 zeros:f32:64 f32:1 --save z=z.npy
// $ tessera run arguments.mlir --grid 1 zeros:f32:64 zeros:f32:64 f32:1 --save y
// $ tessera run arguments.mlir --grid 1 zeros:f32:64 zeros:f32:64 f32:1 --save =y.npy
// $ tessera run arguments.mlir --grid 1 zeros:f32:64 zeros:f32:64 f32:1 --save y=
// $ tessera run arguments.mlir --grid 1 zeros:f32:64 zeros:f32:64 f32:1 --save x=o.npy --save y=o.npy
// $ ls
