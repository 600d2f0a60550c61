// Memory that no instruction needs any more stands outside of its kernel: each kernel's has a name of
// its own.
//
// REQUIRES: llvm
// RUN: %tessera build %s --target sm_80 --emit ptx -o %t.ptx
// RUN: %tessera ptx %t.ptx | FileCheck %s
// CHECK: a(a_param_0: .u64)
// CHECK: b(b_param_0: .u64)
cuda_tile.module @m {
entry @a(%p: tile<ptr<i32>>) {
  %f = constant <i1: false> : tile<i1>
  if %f {
    %a = alloca num_elem = 64, alignment = 16 : tile<ptr<i32>>
    %x, %t = load_ptr_tko weak %a : tile<ptr<i32>> -> tile<i32>, token
    %u = store_ptr_tko weak %p, %x : tile<ptr<i32>>, tile<i32> -> token
  }
}
entry @b(%p: tile<ptr<i32>>) {
  %f = constant <i1: false> : tile<i1>
  if %f {
    %a = alloca num_elem = 32, alignment = 16 : tile<ptr<i32>>
    %x, %t = load_ptr_tko weak %a : tile<ptr<i32>> -> tile<i32>, token
    %u = store_ptr_tko weak %p, %x : tile<ptr<i32>>, tile<i32> -> token
  }
}
}
