// RUN: %transcript %s
cuda_tile.module @symbols {
  entry @twice(%a: tile<f32>) {
  }
  entry @twice(%a: tile<f32>) {
  }
}

// $ tessera check symbols.mlir
// symbols.mlir:5:3: error: entry: @twice is already defined in this module; rename one of them
//     entry @twice(%a: tile<f32>) {
//     ^
// symbols.mlir:3:3: note: the first @twice is here
//     entry @twice(%a: tile<f32>) {
//     ^
// [1]
