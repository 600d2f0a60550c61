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
// tessera: error: kernel @axpy takes 3 arguments, 0 are given
// tessera: note: @axpy takes x: buffer of f32, y: buffer of f32, alpha: f32
// [2]
// $ tessera run arguments.mlir --grid 1 zeros:f32:64 zeros:f32:64
// tessera: error: kernel @axpy takes 3 arguments, 2 are given
// tessera: note: @axpy takes x: buffer of f32, y: buffer of f32, alpha: f32
// [2]
// $ tessera run arguments.mlir --grid 1 zeros:f32:64 zeros:f32:64 f32:1 i32:64
// tessera: error: kernel @axpy takes 3 arguments, 4 are given
// tessera: note: @axpy takes x: buffer of f32, y: buffer of f32, alpha: f32
// [2]
// $ tessera run arguments.mlir --grid 1 zeros:f16:64 zeros:f32:64 f32:1
// tessera: error: argument 1 ('zeros:f16:64') is a buffer (f16), but parameter %x is a buffer of f32; give FILE.npy or INIT:f32:SHAPE
// tessera: note: @axpy takes x: buffer of f32, y: buffer of f32, alpha: f32
// [2]
// $ tessera run arguments.mlir --grid 1 f32:1 zeros:f32:64 zeros:f32:64
// tessera: error: argument 1 ('f32:1') is a number (f32), but parameter %x is a buffer of f32; give FILE.npy or INIT:f32:SHAPE
// tessera: error: argument 3 ('zeros:f32:64') is a buffer (f32), but parameter %alpha is a number of type f32; give f32:VALUE
// tessera: note: @axpy takes x: buffer of f32, y: buffer of f32, alpha: f32
// [2]
// $ tessera run arguments.mlir --grid 1 zeros:f32:64 zeros:f32:64 f64:1
// tessera: error: argument 3 ('f64:1') is a number (f64), but parameter %alpha is a number of type f32; give f32:VALUE
// tessera: note: @axpy takes x: buffer of f32, y: buffer of f32, alpha: f32
// [2]
// $ tessera run arguments.mlir --grid 1 zeros:f32:64 zeros:f32:64 i32:1
// tessera: error: argument 3 ('i32:1') is a number (i32), but parameter %alpha is a number of type f32; give f32:VALUE
// tessera: note: @axpy takes x: buffer of f32, y: buffer of f32, alpha: f32
// [2]
// $ tessera run arguments.mlir --grid 1 zeros:f33:64 zeos:f32:64 f23:1
// tessera: error: argument 1 ('zeros:f33:64'): there is no element type 'f33'
// tessera: note: did you mean 'f32'?
// tessera: error: argument 2 ('zeos:f32:64'): 'zeos' is neither an element type nor a way to fill a buffer
// tessera: note: did you mean 'zeros'?
// tessera: error: argument 3 ('f23:1'): 'f23' is neither an element type nor a way to fill a buffer
// tessera: note: did you mean 'f32'?
// [2]
// $ tessera run arguments.mlir --grid 1 zeros:f32 zeros:f32: zeros:f32:x
// tessera: error: argument 1 ('zeros:f32'): the shape is missing: zeros:f32:1024 or zeros:f32:64x64
// tessera: error: argument 2 ('zeros:f32:'): '' isn't a shape like 1024 or 16x4x4
// tessera: error: argument 3 ('zeros:f32:x'): 'x' isn't a shape like 1024 or 16x4x4
// [2]
// $ tessera run arguments.mlir --grid 1 zeros:f32:64x zeros:f32:6,4 zeros:f32:-64
// tessera: error: argument 1 ('zeros:f32:64x'): '64x' isn't a shape like 1024 or 16x4x4
// tessera: error: argument 2 ('zeros:f32:6,4'): '6,4' isn't a shape like 1024 or 16x4x4
// tessera: error: argument 3 ('zeros:f32:-64'): '-64' isn't a shape like 1024 or 16x4x4
// [2]
// $ tessera run arguments.mlir --grid 1 zeros:f32:99999999999999999999 zeros:f32:4294967296x4294967296 f32:1
// tessera: error: argument 1 ('zeros:f32:99999999999999999999'): '99999999999999999999' has a dimension that is too large
// tessera: error: argument 2 ('zeros:f32:4294967296x4294967296'): the shape '4294967296x4294967296' is too large
// [2]
// $ tessera run arguments.mlir --grid 1 zeros:f32:1000000x1000000 zeros:f32:64 f32:1 2>&1 | sed 's/has [0-9.]* GB/has ... GB/'
// tessera: error: the buffers need 4000.0 GB; this machine has ... GB of memory
// $ tessera run arguments.mlir --grid 1 zeros:f32:64 zeros:f32:64 f32:
// tessera: error: argument 3 ('f32:'): '' is no number, as f32 needs
// [2]
// $ tessera run arguments.mlir --grid 1 zeros:f32:64 zeros:f32:64 f32:one
// tessera: error: argument 3 ('f32:one'): 'one' is no number, as f32 needs
// [2]
// $ tessera run arguments.mlir --grid 1 zeros:f32:64 zeros:f32:64 f32:1e50
// tessera: error: argument 3 ('f32:1e50'): '1e50' doesn't fit f32, whose largest value is 3.40282e+38
// [2]
// $ tessera run arguments.mlir --grid 1 zeros:f32:64 data.txt f32:1
// tessera: error: argument 2 ('data.txt') is no argument for a kernel
// tessera: note: an argument is FILE.npy, INIT:TYPE:SHAPE (zeros:f32:64x64) or TYPE:VALUE (i32:7)
// [2]
// $ tessera run arguments.mlir --grid 1 zeros:f32:64 64 f32:1
// tessera: error: argument 2 ('64') is no argument for a kernel
// tessera: note: an argument is FILE.npy, INIT:TYPE:SHAPE (zeros:f32:64x64) or TYPE:VALUE (i32:7)
// [2]
// $ tessera run arguments.mlir --grid 1 y=zeros:f32:64 x=zeros:f32:64 f32:1
// tessera: error: argument 1 is named 'y', which is parameter 2; arguments are taken in order
// tessera: error: argument 2 is named 'x', which is parameter 1; arguments are taken in order
// tessera: note: @axpy takes x: buffer of f32, y: buffer of f32, alpha: f32
// [2]
// $ tessera run arguments.mlir --grid 1 a=zeros:f32:64 a=zeros:f32:64 f32:1
// tessera: error: arguments 1 and 2 are both named 'a'
// tessera: note: @axpy takes x: buffer of f32, y: buffer of f32, alpha: f32
// [2]
// $ tessera run arguments.mlir --grid 1 zeros:f32:64 zeros:f32:64 f32:1 --print z
// tessera: error: --print: there is no buffer 'z'
// tessera: note: there are x, y
// [2]
// $ tessera run arguments.mlir --grid 1 zeros:f32:64 zeros:f32:64 f32:1 --print alpha
// tessera: error: --print: 'alpha' is a number, not a buffer
// [2]
// $ tessera run arguments.mlir --grid 1 zeros:f32:64 zeros:f32:64 f32:1 --save z=z.npy
// tessera: error: --save: there is no buffer 'z'
// tessera: note: there are x, y
// [2]
// $ tessera run arguments.mlir --grid 1 zeros:f32:64 zeros:f32:64 f32:1 --save y
// tessera: error: --save takes NAME=FILE.npy, not 'y'
// tessera: note: usage: tessera run FILE --grid X[,Y[,Z]] [OPTION]... [ARG]...
// [2]
// $ tessera run arguments.mlir --grid 1 zeros:f32:64 zeros:f32:64 f32:1 --save =y.npy
// tessera: error: --save takes NAME=FILE.npy, not '=y.npy'
// tessera: note: usage: tessera run FILE --grid X[,Y[,Z]] [OPTION]... [ARG]...
// [2]
// $ tessera run arguments.mlir --grid 1 zeros:f32:64 zeros:f32:64 f32:1 --save y=
// tessera: error: --save takes NAME=FILE.npy, not 'y='
// tessera: note: usage: tessera run FILE --grid X[,Y[,Z]] [OPTION]... [ARG]...
// [2]
// $ tessera run arguments.mlir --grid 1 zeros:f32:64 zeros:f32:64 f32:1 --save x=o.npy --save y=o.npy
// tessera: error: --save: 'o.npy' would be written twice
// tessera: note: usage: tessera run FILE --grid X[,Y[,Z]] [OPTION]... [ARG]...
// [2]
// $ ls
// arguments.mlir
