// RUN: %transcript %s
cuda_tile.module @kernels {
  entry @first() { }
  entry @second(%n: tile<i32>) { }
}

// $ tessera run kernels.mlir --grid 1
// $ tessera run kernels.mlir --grid 1 --kernel thrid
// $ tessera run kernels.mlir --grid 1 --kernel secnd
// $ tessera run kernels.mlir --grid 1 --kernel ""
// $ tessera run kernels.mlir --grid 1 --kernel @first i32:1
// $ echo 'cuda_tile.module @empty { }' >empty.mlir; tessera run empty.mlir --grid 1
