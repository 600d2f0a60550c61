// REQUIRES: llvm
// RUN: %engines %t %s --no-cards --grid 1 arange:f16:200 zeros:f16:200 i32:200 --save out
// RUN: %tessera run %s -t emu:sm_80 --sanitize=all -g 1 arange:f16:200 zeros:f16:200 i32:200 --save out=%t.npy
// RUN: %npy compare %t/out.npy %t.npy
// RUN: %tessera run %s -t emu:sm_90a --sanitize=all -g 1 arange:f16:200 zeros:f16:200 i32:200 --save out=%t.npy
// RUN: %npy compare %t/out.npy %t.npy
//
// A copy whose source is not aligned is made by the threads themselves; who waits for its arrival at
// an mbarrier sees it like any other.
#half = layout<spatial(64).local(2)>
!half = tile<128xf16, #half>
!view = tensor_view<?xf16, strides=[1]>
cuda_tile.module @narrow {
  entry @narrow(%in: tile<ptr<f16>>, %out: tile<ptr<f16>>, %n: tile<i32>) threads(128) {
    %vi = make_tensor_view %in, shape = [%n], strides = [1] : tile<i32> -> !view
    %vo = make_tensor_view %out, shape = [%n], strides = [1] : tile<i32> -> !view
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %s = alloc_shared : shared<128xf16>
    %m = alloc_mbarrier : mbarrier<1>
    elect {
      mbarrier_init %m, 64 : mbarrier<1>
    }
    barrier
    group threads(64 to 128) {
      cp_async %vi[%c1], %s by #half : !view, shared<128xf16>
      cp_async_arrive %m : mbarrier<1>
    }
    group threads(0 to 64) {
      mbarrier_wait %m, %c0 : mbarrier<1>
      %x = load_shared %s : shared<128xf16> -> tile<128xf16, local(2).spatial(64)>
      store_global %x, %vo[%c0] : tile<128xf16, local(2).spatial(64)>, !view
    }
    return
  }
}
