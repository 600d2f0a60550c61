// RUN: %transcript %s
// Which layouts are found where a kernel leaves them out.
!rows = tensor_view<?x?xf32, strides=[?,1]>
!columns = tensor_view<?x?xf16, strides=[1,?]>
cuda_tile.module @inferred {
  // Of views in another order the one with more bytes stays where it is.
  entry @meet(%p: tile<ptr<f32>>, %q: tile<ptr<f16>>, %n: tile<i32>) threads(32) {
    %r = make_tensor_view %p, shape = [%n, %n], strides = [%n, 1] : tile<i32> -> !rows
    %c = make_tensor_view %q, shape = [%n, %n], strides = [1, %n] : tile<i32> -> !columns
    %small = load_global %c[%n, %n] : !columns -> tile<16x32xf16>
    %half = constant <f16: 0.5> : tile<16x32xf16>
    %less = cmpf less_than ordered %small, %half : tile<16x32xf16> -> tile<16x32xi1>
    %large = load_global %r[%n, %n] : !rows -> tile<16x32xf32>
    %zero = constant <f32: 0.0> : tile<16x32xf32>
    %some = select %less, %large, %zero : tile<16x32xi1>, tile<16x32xf32>
    store_global %some, %r[%n, %n] : tile<16x32xf32>, !rows
    return
  }
  // Where uses state all layouts nothing else is left to find, but what constants hold.
  entry @used(%p: tile<ptr<f32>>, %n: tile<i32>) threads(32) {
    %r = make_tensor_view %p, shape = [%n, %n], strides = [%n, 1] : tile<i32> -> !rows
    %one = constant <f32: 1.0> : tile<32x8xf32>
    store_global %one, %r[%n, %n] : tile<32x8xf32, spatial(4, 8).local(8, 1)>, !rows
    return
  }
  // A layout that one use states holds for the value; constants are computed once more.
  entry @stated(%p: tile<ptr<f32>>, %n: tile<i32>) threads(32) {
    %r = make_tensor_view %p, shape = [%n, %n], strides = [%n, 1] : tile<i32> -> !rows
    %one = constant <f32: 1.0> : tile<32x8xf32>
    %a = load_global %r[%n, %n] : !rows -> tile<32x8xf32>
    %b = load_global %r[%n, %n] : !rows -> tile<32x8xf32>
    %c = addf %a, %one : tile<32x8xf32>
    %d = addf %b, %one : tile<32x8xf32>
    store_global %c, %r[%n, %n] : tile<32x8xf32, spatial(4, 8).local(8, 1)>, !rows
    %s = reduce %d dim=1 identities=[0.0 : f32] : tile<32x8xf32> -> tile<32xf32, spatial(32)>
    (%x: tile<f32>, %y: tile<f32>) { %z = addf %x, %y : tile<f32> yield %z : tile<f32> }
    print_tko "%\n", %s : tile<32xf32> -> token
    store_global %d, %r[%n, %n] : tile<32x8xf32>, !rows
    return
  }
  // What a loop hands on is what its body makes of it, and the start is computed there.
  entry @loop(%p: tile<ptr<f32>>, %n: tile<i32>) threads(32) {
    %r = make_tensor_view %p, shape = [%n, %n], strides = [%n, 1] : tile<i32> -> !rows
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %start = constant <f32: 0.0> : tile<32xf32>
    %sum = for %i in (%c0 to %n, step %c1) : tile<i32> iter_values(%s = %start) -> (tile<32xf32>) {
      %t = load_global %r[%i, %c0] : !rows -> tile<32x8xf32>
      %row = reduce %t dim=1 identities=[0.0 : f32] : tile<32x8xf32> -> tile<32xf32>
      (%x: tile<f32>, %y: tile<f32>) { %z = addf %x, %y : tile<f32> yield %z : tile<f32> }
      %more = addf %s, %row : tile<32xf32>
      continue %more : tile<32xf32>
    }
    print_tko "%\n", %sum : tile<32xf32> -> token
    return
  }
  // Products: the fragments that fit the types, else threads multiply by themselves.
  entry @products(%n: tile<i32>, %x: tile<f32>) threads(64) {
    %s = alloc_shared : shared<32x16xf64>
    %t = alloc_shared : shared<16x16xf64>
    %a = load_shared %s : shared<32x16xf64> -> tile<32x16xf64>
    %b = load_shared %t : shared<16x16xf64> -> tile<16x16xf64>
    %zero = constant <f64: 0.0> : tile<32x16xf64>
    %c = mmaf %a, %b, %zero : tile<32x16xf64>, tile<16x16xf64>, tile<32x16xf64>
    %u = alloc_shared : shared<8x8xf32>
    %d = load_shared %u : shared<8x8xf32> -> tile<8x8xf32>
    %nought = constant <f32: 0.0> : tile<8x8xf32>
    %e = mmaf %d, %d, %nought : tile<8x8xf32>, tile<8x8xf32>, tile<8x8xf32>
    %f = extract %c[%n, %n] : tile<32x16xf64> -> tile<16x16xf64>
    return
  }
}
// $ tessera fmt --infer inferred.mlir
// // RUN: %transcript %s
// // Which layouts are found where a kernel leaves them out.
// cuda_tile.module @inferred {
//   // Of views in another order the one with more bytes stays where it is.
//   entry @meet(%p: tile<ptr<f32>>, %q: tile<ptr<f16>>, %n: tile<i32>) threads(32) {
//     %r = make_tensor_view %p, shape = [%n, %n], strides = [%n, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
//     %c = make_tensor_view %q, shape = [%n, %n], strides = [1, %n] : tile<i32> -> tensor_view<?x?xf16, strides=[1,?]>
//     %small = load_global %c[%n, %n] : tensor_view<?x?xf16, strides=[1,?]> -> tile<16x32xf16, local(1, 2).spatial(1, 16).spatial(2, 1).local(8, 1)>
//     %half = constant <f16: 5.000000e-01> : tile<16x32xf16, local(1, 2).spatial(1, 16).spatial(2, 1).local(8, 1)>
//     %less = cmpf less_than ordered %small, %half : tile<16x32xf16, local(1, 2).spatial(1, 16).spatial(2, 1).local(8, 1)> -> tile<16x32xi1, local(1, 2).spatial(1, 16).spatial(2, 1).local(8, 1)>
//     %converted = convert_layout %less : tile<16x32xi1, local(1, 2).spatial(1, 16).spatial(2, 1).local(8, 1)> -> tile<16x32xi1, local(4, 1).spatial(4, 8).local(1, 4)>
//     %large = load_global %r[%n, %n] : tensor_view<?x?xf32, strides=[?,1]> -> tile<16x32xf32, local(4, 1).spatial(4, 8).local(1, 4)>
//     %zero = constant <f32: 0.000000e+00> : tile<16x32xf32, local(4, 1).spatial(4, 8).local(1, 4)>
//     %some = select %converted, %large, %zero : tile<16x32xi1, local(4, 1).spatial(4, 8).local(1, 4)>, tile<16x32xf32, local(4, 1).spatial(4, 8).local(1, 4)>
//     store_global %some, %r[%n, %n] : tile<16x32xf32, local(4, 1).spatial(4, 8).local(1, 4)>, tensor_view<?x?xf32, strides=[?,1]>
//     return
//   }
//   // Where uses state all layouts nothing else is left to find, but what constants hold.
//   entry @used(%p: tile<ptr<f32>>, %n: tile<i32>) threads(32) {
//     %r = make_tensor_view %p, shape = [%n, %n], strides = [%n, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
//     %one = constant <f32: 1.000000e+00> : tile<32x8xf32, spatial(4, 8).local(8, 1)>
//     store_global %one, %r[%n, %n] : tile<32x8xf32, spatial(4, 8).local(8, 1)>, tensor_view<?x?xf32, strides=[?,1]>
//     return
//   }
//   // A layout that one use states holds for the value; constants are computed once more.
//   entry @stated(%p: tile<ptr<f32>>, %n: tile<i32>) threads(32) {
//     %r = make_tensor_view %p, shape = [%n, %n], strides = [%n, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
//     %one = constant <f32: 1.000000e+00> : tile<32x8xf32, spatial(4, 8).local(8, 1)>
//     %cst_1_f32 = constant <f32: 1.000000e+00> : tile<32x8xf32, local(2, 1).spatial(16, 2).local(1, 4)>
//     %a = load_global %r[%n, %n] : tensor_view<?x?xf32, strides=[?,1]> -> tile<32x8xf32, local(2, 1).spatial(16, 2).local(1, 4)>
//     %converted = convert_layout %a : tile<32x8xf32, local(2, 1).spatial(16, 2).local(1, 4)> -> tile<32x8xf32, spatial(4, 8).local(8, 1)>
//     %b = load_global %r[%n, %n] : tensor_view<?x?xf32, strides=[?,1]> -> tile<32x8xf32, local(2, 1).spatial(16, 2).local(1, 4)>
//     %c = addf %converted, %one : tile<32x8xf32, spatial(4, 8).local(8, 1)>
//     %d = addf %b, %cst_1_f32 : tile<32x8xf32, local(2, 1).spatial(16, 2).local(1, 4)>
//     store_global %c, %r[%n, %n] : tile<32x8xf32, spatial(4, 8).local(8, 1)>, tensor_view<?x?xf32, strides=[?,1]>
//     %s = reduce %d dim=1 identities=[0.000000e+00 : f32] : tile<32x8xf32, local(2, 1).spatial(16, 2).local(1, 4)> -> tile<32xf32, local(2).spatial(16).replicated(1, num_workers=2)>
//     (%x: tile<f32>, %y: tile<f32>) {
//       %z = addf %x, %y : tile<f32>
//       yield %z : tile<f32>
//     }
//     %converted_0 = convert_layout %s : tile<32xf32, local(2).spatial(16).replicated(1, num_workers=2)> -> tile<32xf32, spatial(32)>
//     %result_token = print_tko "%\0A", %converted_0 : tile<32xf32, spatial(32)> -> token
//     store_global %d, %r[%n, %n] : tile<32x8xf32, local(2, 1).spatial(16, 2).local(1, 4)>, tensor_view<?x?xf32, strides=[?,1]>
//     return
//   }
//   // What a loop hands on is what its body makes of it, and the start is computed there.
//   entry @loop(%p: tile<ptr<f32>>, %n: tile<i32>) threads(32) {
//     %r = make_tensor_view %p, shape = [%n, %n], strides = [%n, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
//     %c0 = constant <i32: 0> : tile<i32>
//     %c1 = constant <i32: 1> : tile<i32>
//     %start = constant <f32: 0.000000e+00> : tile<32xf32, local(2).spatial(16).replicated(1, num_workers=2)>
//     %sum = for %i in (%c0 to %n, step %c1) : tile<i32> iter_values(%s = %start) -> (tile<32xf32, local(2).spatial(16).replicated(1, num_workers=2)>) {
//       %t = load_global %r[%i, %c0] : tensor_view<?x?xf32, strides=[?,1]> -> tile<32x8xf32, local(2, 1).spatial(16, 2).local(1, 4)>
//       %row = reduce %t dim=1 identities=[0.000000e+00 : f32] : tile<32x8xf32, local(2, 1).spatial(16, 2).local(1, 4)> -> tile<32xf32, local(2).spatial(16).replicated(1, num_workers=2)>
//       (%x: tile<f32>, %y: tile<f32>) {
//         %z = addf %x, %y : tile<f32>
//         yield %z : tile<f32>
//       }
//       %more = addf %s, %row : tile<32xf32, local(2).spatial(16).replicated(1, num_workers=2)>
//       continue %more : tile<32xf32, local(2).spatial(16).replicated(1, num_workers=2)>
//     }
//     %result_token = print_tko "%\0A", %sum : tile<32xf32, local(2).spatial(16).replicated(1, num_workers=2)> -> token
//     return
//   }
//   // Products: the fragments that fit the types, else threads multiply by themselves.
//   entry @products(%n: tile<i32>, %x: tile<f32>) threads(64) {
//     %s = alloc_shared : shared<32x16xf64>
//     %t = alloc_shared : shared<16x16xf64>
//     %a = load_shared %s : shared<32x16xf64> -> tile<32x16xf64, spatial(2, 1).local(2, 4).spatial(8, 4)>
//     %b = load_shared %t : shared<16x16xf64> -> tile<16x16xf64, replicated(1, 1, num_workers=2).local(1, 2).spatial(1, 8).local(4, 1).spatial(4, 1)>
//     %zero = constant <f64: 0.000000e+00> : tile<32x16xf64, spatial(2, 1).local(2, 2).spatial(8, 4).local(1, 2)>
//     %c = mmaf %a, %b, %zero : tile<32x16xf64, spatial(2, 1).local(2, 4).spatial(8, 4)>, tile<16x16xf64, replicated(1, 1, num_workers=2).local(1, 2).spatial(1, 8).local(4, 1).spatial(4, 1)>, tile<32x16xf64, spatial(2, 1).local(2, 2).spatial(8, 4).local(1, 2)>
//     %converted = convert_layout %c : tile<32x16xf64, spatial(2, 1).local(2, 2).spatial(8, 4).local(1, 2)> -> tile<32x16xf64, local(4, 1).spatial(8, 8).local(1, 2)>
//     %u = alloc_shared : shared<8x8xf32>
//     %d = load_shared %u : shared<8x8xf32> -> tile<8x8xf32, spatial(8, 1).replicated(1, 1, num_workers=8).local(1, 8)>
//     %converted_0 = convert_layout %d : tile<8x8xf32, spatial(8, 1).replicated(1, 1, num_workers=8).local(1, 8)> -> tile<8x8xf32, replicated(1, 1, num_workers=8).spatial(1, 8).local(8, 1)>
//     %nought = constant <f32: 0.000000e+00> : tile<8x8xf32, spatial(8, 8)>
//     %e = mmaf %d, %converted_0, %nought : tile<8x8xf32, spatial(8, 1).replicated(1, 1, num_workers=8).local(1, 8)>, tile<8x8xf32, replicated(1, 1, num_workers=8).spatial(1, 8).local(8, 1)>, tile<8x8xf32, spatial(8, 8)>
//     %f = extract %converted[%n, %n] : tile<32x16xf64, local(4, 1).spatial(8, 8).local(1, 2)> -> tile<16x16xf64, local(2, 1).spatial(8, 8).local(1, 2)>
//     return
//   }
// }
