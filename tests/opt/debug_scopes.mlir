// RUN: %transcript %s
//
// synthesize-debug-info-scopes: what kernels without debug information get, from each form of
// location, and that others are left alone.

cuda_tile.module @m {
  entry @named_places() {
    %a = constant <i32: 1> : tile<i32> loc("k.py":12:4)
    %b = constant <i32: 2> : tile<i32> loc("alias"("k.py":13:4))
    %c = constant <i32: 3> : tile<i32> loc(fused[unknown, "k.py":14:4, "k.py":15:4])
    %d = constant <i32: 4> : tile<i32> loc(callsite("lib.py":1:2 at "k.py":16:4))
    %e = constant <i32: 5> : tile<i32> loc(unknown)
    return loc("k.py":12:4)
  } loc("src/k.py":10:2)
  entry @nowhere() {
    %a = constant <i32: 1> : tile<i32> loc(unknown)
    return loc(unknown)
  } loc(unknown)
} loc("/top.py":3:1)

// $ tessera opt debug_scopes.mlir --passes=synthesize-debug-info-scopes
// // RUN: %transcript %s
// //
// // synthesize-debug-info-scopes: what kernels without debug information get, from each form of
// // location, and that others are left alone.
//
// cuda_tile.module @m {
//   entry @named_places() {
//     %a = constant <i32: 1> : tile<i32> loc(#loc5)
//     %b = constant <i32: 2> : tile<i32> loc(#loc7)
//     %c = constant <i32: 3> : tile<i32> loc(#loc9)
//     %d = constant <i32: 4> : tile<i32> loc(#loc11)
//     %e = constant <i32: 5> : tile<i32> loc(#loc12)
//     return loc(#loc14)
//   } loc(#loc3)
//   entry @nowhere() {
//     %a = constant <i32: 1> : tile<i32> loc(#loc16)
//     return loc(#loc16)
//   } loc(#loc16)
// } loc(#loc1)
// #scope1 = #cuda_tile.di_file<"top.py" in "/">
// #scope2 = #cuda_tile.di_compile_unit<file = #scope1>
// #scope3 = #cuda_tile.di_file<"k.py" in "src">
// #scope4 = #cuda_tile.di_subprogram<file = #scope3, line = 10, name = "named_places", linkageName = "named_places", compileUnit = #scope2, scopeLine = 10>
// #scope5 = #cuda_tile.di_subprogram<file = #scope1, line = 1, name = "nowhere", linkageName = "nowhere", compileUnit = #scope2, scopeLine = 1>
// #loc1 = loc("/top.py":3:1)
// #loc2 = loc("src/k.py":10:2)
// #loc3 = #cuda_tile.di_loc<#loc2 in #scope4>
// #loc4 = loc("k.py":12:4)
// #loc5 = #cuda_tile.di_loc<#loc4 in #scope4>
// #loc6 = loc("k.py":13:4)
// #loc7 = #cuda_tile.di_loc<#loc6 in #scope4>
// #loc8 = loc("k.py":14:4)
// #loc9 = #cuda_tile.di_loc<#loc8 in #scope4>
// #loc10 = loc("k.py":16:4)
// #loc11 = #cuda_tile.di_loc<#loc10 in #scope4>
// #loc12 = #cuda_tile.di_loc<#loc2 in #scope4>
// #loc13 = loc("k.py":12:4)
// #loc14 = #cuda_tile.di_loc<#loc13 in #scope4>
// #loc15 = loc("top.py":1:1)
// #loc16 = #cuda_tile.di_loc<#loc15 in #scope5>
// $ cat >unknown.mlir <<'END'
// > cuda_tile.module @unknown {
// >   entry @nowhere() {
// >     return loc(unknown)
// >   } loc(unknown)
// >   entry @has_scope() {
// >     %a = constant <i32: 1> : tile<i32> loc("k.py":12:4)
// >     return loc(unknown)
// >   } loc(#place)
// > } loc(unknown)
// > #file = #cuda_tile.di_file<"k.py" in "src">
// > #unit = #cuda_tile.di_compile_unit<file = #file>
// > #subprogram = #cuda_tile.di_subprogram<file = #file, line = 9, name = "x", linkageName = "has_scope", compileUnit = #unit>
// > #place = #cuda_tile.di_loc<loc("k.py":9:1) in #subprogram>
// > END
// $ tessera opt unknown.mlir --passes=synthesize-debug-info-scopes
// cuda_tile.module @unknown {
//   entry @nowhere() {
//     return loc(#loc2)
//   } loc(#loc2)
//   entry @has_scope() {
//     %a = constant <i32: 1> : tile<i32> loc(#loc5)
//     return
//   } loc(#loc4)
// }
// #scope1 = #cuda_tile.di_file<"k.py" in "src">
// #scope2 = #cuda_tile.di_compile_unit<file = #scope1>
// #scope3 = #cuda_tile.di_subprogram<file = #scope1, line = 9, name = "x", linkageName = "has_scope", compileUnit = #scope2>
// #scope4 = #cuda_tile.di_file<"<unknown>" in "">
// #scope5 = #cuda_tile.di_compile_unit<file = #scope4>
// #scope6 = #cuda_tile.di_subprogram<file = #scope4, line = 1, name = "nowhere", linkageName = "nowhere", compileUnit = #scope5, scopeLine = 1>
// #loc1 = loc("<unknown>":1:1)
// #loc2 = #cuda_tile.di_loc<#loc1 in #scope6>
// #loc3 = loc("k.py":9:1)
// #loc4 = #cuda_tile.di_loc<#loc3 in #scope3>
// #loc5 = loc("k.py":12:4)
// $ tessera opt debug_scopes.mlir --passes=8 | tessera opt - --passes=8 --time-passes 2>&1 >/dev/null | sed 's/^ *[0-9.]*//'
// ms     changes         ops        then  pass
//            0          11          11  synthesize-debug-info-scopes
//   all passes
