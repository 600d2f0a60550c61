// RUN: %transcript %s
// Buffers from files and from nothing, what is shown and saved.
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

// $ tessera run run.mlir --grid 4 --target interp arange:f32:256 ones:f32:256 f32:2
// $ tessera run run.mlir --grid 4 --target interp arange:f32:256 ones:f32:256 f32:2 --print y
// $ tessera run run.mlir --grid 1 --target interp arange:f32:4x16 ones:f32:2x2x16 f32:0.5 --print y --print arg0
// $ tessera run run.mlir -g 1 -t interp arange:f32:64 mine=ones:f32:64 f32:-1 --print mine --print y --print arg1
// $ tessera run run.mlir -g 1 -t interp arange:f32:2000 ones:f32:2000 f32:1 --print y
// $ tessera run run.mlir -g 1 -t interp arange:f32:100x100 ones:f32:100x100 f32:1 --print y
// $ tessera run run.mlir -g 1 -t interp zeros:f32:64 zeros:f32:64 f32:nan --print y
// $ tessera run run.mlir -g 1 -t interp ones:f32:64 ones:f32:64 f32:inf --print y | head -2
// $ tessera run run.mlir -g 1 -t interp ones:f32:64 zeros:f32:64 f32:0x3fc00000 --print y | head -2
// $ npy make x.npy '<f4' 4x16 'i / 8'; npy make y.npy '<f4' 64 '1'
// $ tessera run run.mlir -g 1 -t interp x.npy y.npy f32:8 --save y=out.npy --save x=again.npy
// $ npy show out.npy
// $ cmp x.npy again.npy
// $ tessera run run.mlir -g 1 -t interp x.npy y.npy f32:8 --save y=y.npy; npy compare y.npy out.npy; ls
// $ npy make my=file.npy '<f4' 64; tessera run run.mlir -g 1 -t interp ./my=file.npy zeros:f32:64 f32:1 --print y | head -2
// $ npy raw none.npy "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 3), }" 0
// $ echo 'cuda_tile.module @m { entry @k(%x: tile<ptr<f32>>) { } }' >nop.mlir
// $ tessera run nop.mlir -g 1 -t interp none.npy --print x --save x=out.npy; npy show out.npy
// $ tessera run nop.mlir -g 1 -t interp zeros:f32:0 --print x
// $ npy raw scalar.npy "{'descr': '<f4', 'fortran_order': False, 'shape': (), }" 4; tessera run nop.mlir -g 1 -t interp scalar.npy --print x --save x=out.npy; npy show out.npy
// $ npy raw v2.npy "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }" 8 2; tessera run nop.mlir -g 1 -t interp v2.npy --print x
// $ npy raw v3.npy "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }" 8 3; tessera run nop.mlir -g 1 -t interp v3.npy --print x
// $ tessera run nop.mlir -g 1 -t interp uniform:f32:3 --print x
// $ tessera run nop.mlir -g 1 -t interp uniform:f32:3 --print x --seed 0
// $ tessera run nop.mlir -g 1 -t interp uniform:f32:3 --print x --seed 1
// $ tessera run nop.mlir -g 1 -t interp normal:f32:2x3 --print x
// $ cat nop.mlir | tessera run - -g 1 -t interp arange:f32:3 --print x
// $ echo 'cuda_tile.module @m { entry @k(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>) { } }' >two.mlir
// $ tessera run two.mlir -g 1 -t interp normal:i32:6 normal:i32:6 --print p --print q
// $ tessera run run.mlir -g 1 -t interp ones:f32:64 ones:f32:64 f32:1 --time 5 --flops 2*64 --bytes 12*64 --print y
// @axpy, 5 launches on interp: median [0-9.]+ ms, minimum [0-9.]+ ms (re)
// [0-9.]+ GFLOP/s, at best [0-9.]+ GFLOP/s (re)
// [0-9.]+ GB/s, at best [0-9.]+ GB/s (re)
// $ tessera run -v run.mlir -g 1 -t interp ones:f32:64 ones:f32:64 f32:1 --save y=out.npy
// tessera: remark: made @axpy ready for interp in [0-9.]+ ms; it needs [0-9]+ bytes of scratch a thread (re)
// tessera: remark: ran the tile blocks in [0-9.]+ ms (re)
// $ printf '%s\n' 'cuda_tile.module @m { entry @k() { print_tko "hello\n" -> token } }' >hello.mlir
// $ tessera run hello.mlir -g 2 -t interp
// $ tessera run hello.mlir -g 2 -t interp --time 3
// @k, 3 launches on interp: median [0-9.]+ ms, minimum [0-9.]+ ms (re)
