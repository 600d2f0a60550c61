// RUN: not cuda-tile-opt --split-input-file --mlir-print-debuginfo %s 2>&1 | FileCheck %s

// Nothing is expected here, and nothing is wrong.
cuda_tile.module @right { }

// -----

#file = #cuda_tile.di_file<"k.py" in "/tmp/">
#unit = #cuda_tile.di_compile_unit<file = #file>
#sub = #cuda_tile.di_subprogram<file = #file, line = 1, name = "k", linkageName = "k", compileUnit = #unit, scopeLine = 2>
#at = #cuda_tile.di_loc<loc("k.py":7:8) in #sub>
// CHECK: linkage name
cuda_tile.module @m {
  entry @other() { } loc(#at)
}
