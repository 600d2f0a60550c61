// RUN: %transcript %s
// Bytecode as text.
#file = #cuda_tile.di_file<"k.py" in "/src">
#unit = #cuda_tile.di_compile_unit<file = #file>
#func = #cuda_tile.di_subprogram<file = #file, line = 1, name = "k", linkageName = "k", compileUnit = #unit, scopeLine = 2>
cuda_tile.module @named attributes {producer = "by hand"} {
  // Comments and names are not kept.
  entry @k(%x: tile<f32>, %n: tile<i32>) optimization_hints=<sm_100 = {occupancy = 2, num_cta_in_cga = 4}> {
    %sum = addf %x, %x : tile<f32> loc(callsite(#inner at #outer))
    for %i in (%n to %n, step %n) : tile<i32> {
      %c = cmpf less_than ordered %sum, %x : tile<f32> -> tile<i1>
      if %c {
        assert %c, "never" : tile<i1>
      }
    } loc(#inner)
  } loc(#outer)
}
#inner = #cuda_tile.di_loc<loc("lib.py":30:4) in #func>
#outer = #cuda_tile.di_loc<loc("k.py":2:1) in #func>

// $ tessera as dis.mlir -o k.bc; tessera dis k.bc
// cuda_tile.module @kernels attributes {producer = "by hand"} {
//   entry @k(%arg0: tile<f32>, %arg1: tile<i32>) optimization_hints=<sm_100 = {num_cta_in_cga = 4, occupancy = 2}> {
//     %0 = addf %arg0, %arg0 : tile<f32> loc(#loc5)
//     for %loopIdx in (%arg1 to %arg1, step %arg1) : tile<i32> {
//       %1 = cmpf less_than ordered %0, %arg0 : tile<f32> -> tile<i1>
//       if %1 {
//         assert %1, "never" : tile<i1>
//       }
//     } loc(#loc4)
//     return
//   } loc(#loc2)
// }
// #scope1 = #cuda_tile.di_file<"k.py" in "/src">
// #scope2 = #cuda_tile.di_compile_unit<file = #scope1>
// #scope3 = #cuda_tile.di_subprogram<file = #scope1, line = 1, name = "k", linkageName = "k", compileUnit = #scope2, scopeLine = 2>
// #loc1 = loc("k.py":2:1)
// #loc2 = #cuda_tile.di_loc<#loc1 in #scope3>
// #loc3 = loc("lib.py":30:4)
// #loc4 = #cuda_tile.di_loc<#loc3 in #scope3>
// #loc5 = loc(callsite(#loc4 at #loc2))
// $ tessera dis k.bc -o k.mlir; tessera as k.mlir -o k2.bc; cmp k.bc k2.bc
// $ tessera dis --strip-debug k.bc
// cuda_tile.module @kernels attributes {producer = "by hand"} {
//   entry @k(%arg0: tile<f32>, %arg1: tile<i32>) optimization_hints=<sm_100 = {num_cta_in_cga = 4, occupancy = 2}> {
//     %0 = addf %arg0, %arg0 : tile<f32>
//     for %loopIdx in (%arg1 to %arg1, step %arg1) : tile<i32> {
//       %1 = cmpf less_than ordered %0, %arg0 : tile<f32> -> tile<i1>
//       if %1 {
//         assert %1, "never" : tile<i1>
//       }
//     }
//     return
//   }
// }
// $ tessera dis dis.mlir | head -2
// cuda_tile.module @named attributes {producer = "by hand"} {
//   entry @k(%x: tile<f32>, %n: tile<i32>) optimization_hints=<sm_100 = {num_cta_in_cga = 4, occupancy = 2}> {
// $ tessera dis - <k.bc | cmp - k.mlir
// $ tessera dis k.bc k.bc
// tessera: error: 'k.bc' is one argument too many
// tessera: note: usage: tessera dis FILE [-o OUT] [--strip-debug]
// [2]
