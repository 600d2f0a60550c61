// RUN: %transcript %s
cuda_tile.module @kernels {
  entry @first() { }
  entry @second(%n: tile<i32>) { }
}

// $ tessera run kernels.mlir --grid 1
// tessera: error: 'kernels.mlir' has 2 kernels; choose one with --kernel
// tessera: note: it has @first, @second
// [2]
// $ tessera run kernels.mlir --grid 1 --kernel thrid
// tessera: error: there is no kernel '@thrid' in 'kernels.mlir'
// tessera: note: it has @first, @second
// [2]
// $ tessera run kernels.mlir --grid 1 --kernel secnd
// tessera: error: there is no kernel '@secnd' in 'kernels.mlir'
// tessera: note: did you mean '@second'?
// [2]
// $ tessera run kernels.mlir --grid 1 --kernel ""
// tessera: error: there is no kernel '@' in 'kernels.mlir'
// tessera: note: it has @first, @second
// [2]
// $ tessera run kernels.mlir --grid 1 --kernel @first i32:1
// tessera: error: kernel @first takes 0 arguments, 1 is given
// tessera: note: @first takes no arguments
// [2]
// $ echo 'cuda_tile.module @empty { }' >empty.mlir; tessera run empty.mlir --grid 1
// tessera: error: 'empty.mlir' has no kernel (entry) to run
// [1]
