// RUN: %transcript %s
cuda_tile.module @names {
  entry @before(%a: tile<f32>) {
    %0 = addf %a, %b : tile<f32>
    %b = addf %a, %a : tile<f32>
  }
  entry @never(%alpha: tile<f32>) {
    %0 = addf %alpha, %alpah : tile<f32>
  }
  entry @outside(%c: tile<i1>, %a: tile<f32>) {
    if %c {
      %inner = addf %a, %a : tile<f32>
    }
    %0 = addf %inner, %a : tile<f32>
  }
  entry @twice(%a: tile<f32>) {
    %0 = addf %a, %a : tile<f32>
    %0 = addf %a, %a : tile<f32>
  }
  entry @twice(%a: tile<f32>) {
  }
}

// $ tessera check names.mlir
// names.mlir:4:19: error: '%b' is used before it is defined
//       %0 = addf %a, %b : tile<f32>
//                     ^~
// names.mlir:5:5: note: it is defined here
//       %b = addf %a, %a : tile<f32>
//       ^~
// names.mlir:8:23: error: '%alpah' is not defined; did you mean '%alpha'?
//       %0 = addf %alpha, %alpah : tile<f32>
//                         ^~~~~~
// names.mlir:14:15: error: '%inner' is not visible here
//       %0 = addf %inner, %a : tile<f32>
//                 ^~~~~~
// names.mlir:12:7: note: it is defined here, in a region that has ended
//         %inner = addf %a, %a : tile<f32>
//         ^~~~~~
// names.mlir:18:5: error: '%0' is defined twice
//       %0 = addf %a, %a : tile<f32>
//       ^~
// names.mlir:17:5: note: the first definition is here
//       %0 = addf %a, %a : tile<f32>
//       ^~
// [1]
