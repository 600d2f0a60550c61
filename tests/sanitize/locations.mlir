// RUN: %transcript %s
// A front end's own places are told, and through which calls it came there.
#file = #cuda_tile.di_file<"kernel.py" in "/src">
#unit = #cuda_tile.di_compile_unit<file = #file>
#kernel = #cuda_tile.di_subprogram<file = #file, line = 10, name = "kernel", linkageName = "k", compileUnit = #unit, scopeLine = 10>
#helper = #cuda_tile.di_subprogram<file = #file, line = 1, name = "mean", linkageName = "mean", compileUnit = #unit, scopeLine = 1>
#in_kernel = #cuda_tile.di_loc<loc("/src/kernel.py":12:5) in #kernel>
#in_helper = #cuda_tile.di_loc<loc("/src/kernel.py":3:10) in #helper>
cuda_tile.module @m {
  entry @k(%n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32> loc(#in_kernel)
    %q = divi %n, %zero signed : tile<i32> loc(callsite(#in_helper at #in_kernel))
    %r = remi %n, %zero signed : tile<i32> loc(#in_kernel)
    return loc(#in_kernel)
  } loc(#in_kernel)
}

// $ tessera run locations.mlir -g 1 --sanitize=all i32:1
// /src/kernel.py:3:10: error: [arith] divi: division by zero
// tessera: note: in tile block (0, 0, 0): the operands are 1 and 0
// /src/kernel.py:12:5: note: that is in 'mean', called from here
// /src/kernel.py:12:5: error: [arith] remi: division by zero
// tessera: note: in tile block (0, 0, 0): the operands are 1 and 0
// tessera: note: sanitizer: 2 findings at 2 operations (arith 2) in 1 tile block
// [1]
