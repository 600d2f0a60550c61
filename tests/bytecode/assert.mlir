// RUN: %transcript %s
// REQUIRES: llvm
//
// What a failed assert says when its place comes from bytecode. (From text: cli/assert.mlir.)
#file = #cuda_tile.di_file<"norm.py" in "/src">
#unit = #cuda_tile.di_compile_unit<file = #file>
#outer = #cuda_tile.di_subprogram<file = #file, line = 20, name = "outer", linkageName = "inlined", compileUnit = #unit, scopeLine = 21>
#alone = #cuda_tile.di_subprogram<file = #file, line = 40, name = "alone", linkageName = "debug", compileUnit = #unit, scopeLine = 41>
#between = #cuda_tile.di_subprogram<file = #file, line = 10, name = "between", linkageName = "between_1", compileUnit = #unit, scopeLine = 11>
#helper = #cuda_tile.di_subprogram<file = #file, line = 3, name = "helper", linkageName = "helper_1", compileUnit = #unit, scopeLine = 4>
#block = #cuda_tile.di_lexical_block<scope = #helper, file = #file, line = 5, column = 2>
#in_block = #cuda_tile.di_loc<loc("norm.py":6:11) in #block>
#in_alone = #cuda_tile.di_loc<loc("norm.py":45:7) in #alone>
#in_between = #cuda_tile.di_loc<loc("norm.py":15:9) in #between>
#above = #cuda_tile.di_loc<loc("norm.py":30:1) in #outer>
cuda_tile.module @m {
  entry @debug(%ok: tile<i1>) {
    assert %ok, "a scope" : tile<i1> loc(#in_alone)
  } loc(#alone_loc)

  entry @inlined(%ok: tile<i1>) {
    assert %ok, "two calls" : tile<i1> loc(callsite(callsite(#in_block at #in_between) at #above))
  } loc(#outer_loc)
}
#outer_loc = #cuda_tile.di_loc<loc("norm.py":20:1) in #outer>
#alone_loc = #cuda_tile.di_loc<loc("norm.py":40:1) in #alone>

// $ tessera as assert.mlir -o a.bc; for t in interp cpu; do for k in debug inlined; do tessera run a.bc --grid 1 --target $t -k $k i1:0; done; done
// norm.py:45:7: error: assertion failed in tile block (0, 0, 0) of 'debug': a scope
// norm.py:6:11: error: assertion failed in tile block (0, 0, 0) of 'inlined': two calls
// norm.py:15:9: note: 'helper' is called here
// norm.py:30:1: note: 'between' is called here
// norm.py:45:7: error: assertion failed in tile block (0, 0, 0) of 'debug': a scope
// norm.py:6:11: error: assertion failed in tile block (0, 0, 0) of 'inlined': two calls
// norm.py:15:9: note: 'helper' is called here
// norm.py:30:1: note: 'between' is called here
// [1]
