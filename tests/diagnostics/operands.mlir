// RUN: %transcript %s
cuda_tile.module @operands {
  entry @element(%a: tile<f32>, %b: tile<f64>) {
    %0 = addf %a, %b : tile<f32>
  }
  entry @shape(%a: tile<f32>) {
    %b = constant <f32: 1.0> : tile<4xf32>
    %0 = addf %a, %b : tile<f32>
  }
  entry @count(%a: tile<f32>) {
    %0, %1 = addf %a, %a : tile<f32>
    %2 = addf %a : tile<f32>
  }
  entry @pointer(%p: tile<ptr<f32>>) {
    %x, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f64>, token
  }
}

// $ tessera check operands.mlir
// operands.mlir:4:19: error: '%b' has type 'tile<f64>', but 'addf' needs 'tile<f32>' here
//       %0 = addf %a, %b : tile<f32>
//                     ^~
// operands.mlir:3:33: note: '%b' is defined here
//     entry @element(%a: tile<f32>, %b: tile<f64>) {
//                                   ^~
// operands.mlir:8:19: error: '%b' has type 'tile<4xf32>', but 'addf' needs 'tile<f32>' here
//       %0 = addf %a, %b : tile<f32>
//                     ^~
// operands.mlir:7:5: note: '%b' is defined here
//       %b = constant <f32: 1.0> : tile<4xf32>
//       ^~
// operands.mlir:11:5: error: 'addf' has 1 result, but 2 are named
//       %0, %1 = addf %a, %a : tile<f32>
//       ^~
// operands.mlir:12:18: error: expected ',' after operand 'lhs', found ':'
//       %2 = addf %a : tile<f32>
//                    ^
// [1]
