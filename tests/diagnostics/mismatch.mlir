// RUN: %transcript %s
cuda_tile.module @mismatch {
  entry @kind(%a: tile<i32>) {
    %0 = addf %a, %a : tile<i32>
  }
  entry @shape(%a: tile<f32>) {
    %0 = reshape %a : tile<f32> -> tile<2xf32>
  }
  entry @broadcast() {
    %0 = constant <f32: 1.0> : tile<2xf32>
    %1 = broadcast %0 : tile<2xf32> -> tile<8xf32>
  }
  entry @product() {
    %a = constant <f32: 1.0> : tile<4x8xf32>
    %b = constant <f32: 1.0> : tile<4x8xf32>
    %c = constant <f32: 0.0> : tile<4x8xf32>
    %0 = mmaf %a, %b, %c : tile<4x8xf32>, tile<4x8xf32>, tile<4x8xf32>
  }
  entry @parameter(%a: tile<4xf32>) {
  }
}

// $ tessera check mismatch.mlir
// mismatch.mlir:4:15: error: addf: operand 'lhs' must be a tile of f16, bf16, f32 or f64, but has type tile<i32>
//       %0 = addf %a, %a : tile<i32>
//                 ^~
// mismatch.mlir:7:36: error: reshape: tile<f32> has 1 element, but tile<2xf32> has 2; they must be equally many
//       %0 = reshape %a : tile<f32> -> tile<2xf32>
//                                      ^~~~~~~~~~~
// mismatch.mlir:11:40: error: broadcast: dimension 0 of the source is 2, that of the result is 8; it must be 1 or equal (shapes [2] and [8])
//       %1 = broadcast %0 : tile<2xf32> -> tile<8xf32>
//                                          ^~~~~~~~~~~
// mismatch.mlir:17:19: error: mmaf: dimension 1 of lhs (8) and dimension 0 of rhs (4) must be equal; lhs has shape [4, 8], rhs has shape [4, 8]
//       %0 = mmaf %a, %b, %c : tile<4x8xf32>, tile<4x8xf32>, tile<4x8xf32>
//                     ^~
// mismatch.mlir:19:20: error: entry: argument 0 has type tile<4xf32>; an argument of a kernel must have rank 0, so pass a pointer to the elements
//     entry @parameter(%a: tile<4xf32>) {
//                      ^~
// [1]
