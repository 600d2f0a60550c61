// RUN: %transcript %s
// REQUIRES: llvm
//
// What a failed assert says: its message, the first element that is false, and where it stands: the
// place in the text, or what the debug information says, with the calls that were inlined. The same
// from the interpreter and from compiled code. (Bytecode: bytecode/assert.mlir.)
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
  entry @text(%n: tile<i32>) {
    %one = constant <i32: 1> : tile<i32>
    %ok = cmpi less_than %n, %one, signed : tile<i32> -> tile<i1>
    assert %ok, "n is small" : tile<i1>
  }

  entry @element(%n: tile<i32>) {
    %i = iota : tile<64xi32>
    %rows = reshape %i : tile<64xi32> -> tile<8x8xi32>
    %one = reshape %n : tile<i32> -> tile<1x1xi32>
    %all = broadcast %one : tile<1x1xi32> -> tile<8x8xi32>
    %ok = cmpi not_equal %rows, %all, signed : tile<8x8xi32> -> tile<8x8xi1>
    assert %ok, "nobody is n" : tile<8x8xi1>
    %turned = permute %ok [1, 0] : tile<8x8xi1> -> tile<8x8xi1>
    assert %turned, "nor turned" : tile<8x8xi1>
  }

  entry @file(%ok: tile<i1>) {
    assert %ok, "a file" : tile<i1> loc("other.py":7:3)
  }

  entry @debug(%ok: tile<i1>) {
    assert %ok, "a scope" : tile<i1> loc(#in_alone)
  } loc(#alone_loc)

  entry @inlined(%ok: tile<i1>) {
    assert %ok, "two calls" : tile<i1> loc(callsite(callsite(#in_block at #in_between) at #above))
  } loc(#outer_loc)

  entry @fused(%ok: tile<i1>) {
    assert %ok, "fused" : tile<i1> loc(fused["first.py":1:2, "second.py":3:4])
  }

  entry @named(%ok: tile<i1>) {
    assert %ok, "named" : tile<i1> loc("x"("named.py":5:6))
  }

  entry @unknown(%ok: tile<i1>) {
    assert %ok, "unknown" : tile<i1> loc(unknown)
  }
}
#outer_loc = #cuda_tile.di_loc<loc("norm.py":20:1) in #outer>
#alone_loc = #cuda_tile.di_loc<loc("norm.py":40:1) in #alone>

// $ for t in interp cpu; do tessera run assert.mlir --grid 1 --target $t -k text i32:1; done
// assert.mlir:22:5: error: assertion failed in tile block (0, 0, 0) of 'text': n is small
//       assert %ok, "n is small" : tile<i1>
//       ^
// assert.mlir:22:5: error: assertion failed in tile block (0, 0, 0) of 'text': n is small
//       assert %ok, "n is small" : tile<i1>
//       ^
// [1]
// $ for t in interp cpu; do tessera run assert.mlir --grid 1 --target $t -k element i32:43; done
// assert.mlir:31:5: error: assertion failed in tile block (0, 0, 0) of 'element', element [5, 3]: nobody is n
//       assert %ok, "nobody is n" : tile<8x8xi1>
//       ^
// tessera: note: 1 more assertion failed before the launch stopped
// assert.mlir:31:5: error: assertion failed in tile block (0, 0, 0) of 'element', element [5, 3]: nobody is n
//       assert %ok, "nobody is n" : tile<8x8xi1>
//       ^
// tessera: note: 1 more assertion failed before the launch stopped
// [1]
// $ for t in interp cpu; do for k in file debug inlined; do tessera run assert.mlir --grid 1 --target $t -k $k i1:0; done; done
// other.py:7:3: error: assertion failed in tile block (0, 0, 0) of 'file': a file
// norm.py:45:7: error: assertion failed in tile block (0, 0, 0) of 'debug': a scope
// norm.py:6:11: error: assertion failed in tile block (0, 0, 0) of 'inlined': two calls
// norm.py:15:9: note: 'helper' is called here
// norm.py:30:1: note: 'between' is called here
// other.py:7:3: error: assertion failed in tile block (0, 0, 0) of 'file': a file
// norm.py:45:7: error: assertion failed in tile block (0, 0, 0) of 'debug': a scope
// norm.py:6:11: error: assertion failed in tile block (0, 0, 0) of 'inlined': two calls
// norm.py:15:9: note: 'helper' is called here
// norm.py:30:1: note: 'between' is called here
// [1]
// $ for t in interp cpu; do for k in fused named unknown; do tessera run assert.mlir --grid 1 --target $t -k $k i1:0; done; done
// first.py:1:2: error: assertion failed in tile block (0, 0, 0) of 'fused': fused
// named.py:5:6: error: assertion failed in tile block (0, 0, 0) of 'named': named
// tessera: error: assertion failed in tile block (0, 0, 0) of 'unknown': unknown
// first.py:1:2: error: assertion failed in tile block (0, 0, 0) of 'fused': fused
// named.py:5:6: error: assertion failed in tile block (0, 0, 0) of 'named': named
// tessera: error: assertion failed in tile block (0, 0, 0) of 'unknown': unknown
// [1]
