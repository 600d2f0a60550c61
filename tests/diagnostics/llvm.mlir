// RUN: %transcript %s
// REQUIRES: llvm
// Without LLVM: which package is missing; what does not compile works on.
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

// $ TESSERA_LLVM_PLUGIN=/nowhere/plugin.so tessera run llvm.mlir --grid 1 zeros:f32:64 ones:f32:64 f32:1 --save y=y.npy
// tessera: error: TESSERA_LLVM_PLUGIN: there is no readable file '/nowhere/plugin.so'
// [1]
// $ TESSERA_LLVM_PLUGIN=/nowhere/plugin.so tessera build llvm.mlir --emit asm -o out.s
// tessera: error: TESSERA_LLVM_PLUGIN: there is no readable file '/nowhere/plugin.so'
// [1]
// $ cp llvm.mlir fake.so; TESSERA_LLVM_PLUGIN=$PWD/fake.so tessera build llvm.mlir --emit asm -o out.s >out 2>&1; echo "exit status $?"; sed "s,$PWD/,,g" out
// exit status 1
// tessera: error: the compiler cannot be loaded: fake.so: invalid ELF header
// $ sed 's/libLLVM.so.22.1/libLLVM.so.99.9/g' $BUILD/lib/libtessera-llvm.so >without.so; TESSERA_LLVM_PLUGIN=$PWD/without.so tessera build llvm.mlir --emit asm -o out.s >out 2>&1; echo "exit status $?"; sed "s,$PWD/,,g" out
// exit status 1
// tessera: error: compiling needs LLVM 22, which is not installed: install the package libllvm22 (libLLVM.so.99.9: cannot open shared object file: No such file or directory)
// $ TESSERA_LLVM_PLUGIN=/nowhere/plugin.so tessera run llvm.mlir --grid 1 --target interp zeros:f32:64 ones:f32:64 f32:1
// $ TESSERA_LLVM_PLUGIN=/nowhere/plugin.so tessera check llvm.mlir
// $ rm without.so out; ls
// fake.so
// llvm.mlir
