// RUN: %transcript %s
cuda_tile.module @symbols {
  entry @twice(%a: tile<f32>) {
  }
  entry @twice(%a: tile<f32>) {
  }
}

// $ tessera check symbols.mlir
