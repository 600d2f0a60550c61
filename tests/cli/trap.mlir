// RUN: %transcript %s
// REQUIRES: llvm
// A kernel that stops itself: exit status 1, and nothing of what it left is saved.
cuda_tile.module @trap {
  entry @trap(%x: tile<ptr<f32>>, %n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %good = cmpi greater_than %n, %zero, signed : tile<i32> -> tile<i1>
    assert %good, "n must be positive" : tile<i1>
  }
}

// $ tessera run trap.mlir --grid 1 --target interp zeros:f32:4 i32:0 --save x=x.npy --print x
// trap.mlir:8:5: error: assertion failed in tile block (0, 0, 0) of 'trap': n must be positive
//       assert %good, "n must be positive" : tile<i1>
//       ^
// [1]
// $ tessera run trap.mlir --grid 1 --target cpu zeros:f32:4 i32:0 --save x=x.npy --time 2
// trap.mlir:8:5: error: assertion failed in tile block (0, 0, 0) of 'trap': n must be positive
//       assert %good, "n must be positive" : tile<i1>
//       ^
// [1]
// $ tessera run trap.mlir --grid 1 --target cpu zeros:f32:4 i32:1 --save x=x.npy --print x
// x: f32 4
// [0. 0. 0. 0.]
// $ ls
// Inputs
// trap.mlir
// x.npy
