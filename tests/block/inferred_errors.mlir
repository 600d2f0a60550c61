// RUN: %transcript %s
// Layouts that are not found.
cuda_tile.module @errors {
  entry @bits() threads(32) {
    %bytes = constant <i8: 0> : tile<32x8xi8>
    %words = reinterpret %bytes : tile<32x8xi8> -> tile<32x2xi32, spatial(32, 1).local(1, 2)>
    return
  }
  entry @result() threads(32) {
    %bytes = constant <i8: 0> : tile<32x8xi8, spatial(32, 1).local(1, 8)>
    %words = reinterpret %bytes : tile<32x8xi8, spatial(32, 1).local(1, 8)> -> tile<32x2xi32>
    return
  }
  entry @parts() threads(32) {
    %a = constant <i8: 0> : tile<16x8xi8>
    %b = cat %a, %a dim = 0 : tile<16x8xi8>, tile<16x8xi8> -> tile<32x8xi8, spatial(32, 1).local(1, 8)>
    return
  }
}
// $ tessera check inferred_errors.mlir
// inferred_errors.mlir:6:14: error: reinterpret: the layout of %bytes cannot be found, because none goes through reinterpret; state it in the type where the value is defined, tile<32x8xi8>
//       %words = reinterpret %bytes : tile<32x8xi8> -> tile<32x2xi32, spatial(32, 1).local(1, 2)>
//                ^
// inferred_errors.mlir:11:14: error: reinterpret: the layout of %words cannot be found, because none goes through reinterpret; state it in the type where the value is defined, tile<32x2xi32>
//       %words = reinterpret %bytes : tile<32x8xi8, spatial(32, 1).local(1, 8)> -> tile<32x2xi32>
//                ^
// inferred_errors.mlir:16:14: error: cat: no layout is found for %a that fits the result's; state the layouts of both, or convert_layout one of them
//       %b = cat %a, %a dim = 0 : tile<16x8xi8>, tile<16x8xi8> -> tile<32x8xi8, spatial(32, 1).local(1, 8)>
//                ^~
// [1]
