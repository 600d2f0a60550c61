// RUN: %transcript %s
cuda_tile.module @unknown {
  entry @operation(%a: tile<f32>) {
    %0 = adff %a, %a : tile<f32>
  }
  entry @type(%a: tile<f33>) {
  }
  entry @dimension(%a: tile<3xf32>) {
  }
  entry @attribute(%a: tile<f32>) {
    %0 = addf %a, %a rounding<nearest> : tile<f32>
  }
  entry @enumerator(%a: tile<ptr<f32>>) {
    %0, %1 = load_ptr_tko strong %a : tile<ptr<f32>> -> tile<f32>, token
  }
  frobnicate @x
}

// $ tessera check unknown.mlir
// unknown.mlir:4:10: error: unknown operation 'adff'; did you mean 'addf' or 'absf'?
//       %0 = adff %a, %a : tile<f32>
//            ^~~~
// unknown.mlir:6:24: error: unknown type 'f33'; did you mean 'f32'?
//     entry @type(%a: tile<f33>) {
//                          ^~~
// unknown.mlir:8:24: error: dimension 0 of tile<3xf32> is 3; every dimension of a tile must be a power of two
//     entry @dimension(%a: tile<3xf32>) {
//                          ^~~~~~~~~~~
// unknown.mlir:11:31: error: unknown rounding mode 'nearest'; expected one of 'nearest_even', 'zero', 'negative_inf', 'positive_inf'
//       %0 = addf %a, %a rounding<nearest> : tile<f32>
//                                 ^~~~~~~
// unknown.mlir:14:27: error: unknown memory ordering 'strong'; expected one of 'weak', 'relaxed', 'acquire'
//       %0, %1 = load_ptr_tko strong %a : tile<ptr<f32>> -> tile<f32>, token
//                             ^~~~~~
// unknown.mlir:16:3: error: unknown operation 'frobnicate'; a kernel is an 'entry @name(…) { … }'
//     frobnicate @x
//     ^~~~~~~~~~
// [1]
