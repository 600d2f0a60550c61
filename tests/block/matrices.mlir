// RUN: %tessera run %s -k own -t interp --sanitize=all -g 1 arange:f16:16x16 zeros:f16:16x16 --save out=%t.npy 2>&1 | FileCheck %s
// RUN: %if llvm %{ %tessera run %s -k own -t emu:sm_80 --sanitize=all -g 1 arange:f16:16x16 zeros:f16:16x16 --save out=%t.80.npy 2>&1 | FileCheck %s --check-prefix=EMU %}
// RUN: %if llvm %{ %tessera run %s -k own -t emu:sm_90a --sanitize=all -g 1 arange:f16:16x16 zeros:f16:16x16 --save out=%t.90.npy 2>&1 | FileCheck %s --check-prefix=EMU %}
// RUN: %if llvm %{ cmp %t.npy %t.80.npy && cmp %t.npy %t.90.npy %}
// RUN: %tessera run %s -k steps -t interp --sanitize=all -g 1 arange:f16:16x16 zeros:f16:16x16 i32:3 --save out=%t.npy 2>&1 | FileCheck %s
// RUN: %if llvm %{ %tessera run %s -k steps -t emu:sm_90a --sanitize=all -g 1 arange:f16:16x16 zeros:f16:16x16 i32:3 --save out=%t.90.npy 2>&1 | FileCheck %s --check-prefix=EMU %}
// RUN: %if llvm %{ cmp %t.npy %t.90.npy %}
// RUN: %if llvm %{ %tessera build %s --target sm_90a --emit ptx | FileCheck %s --check-prefix=PTX %}
//
// Each thread loads what it stored itself, without a barrier. With ldmatrix and stmatrix other lanes
// of the warp do that for it, so these meet; where the program has a barrier they do not.
// CHECK: sanitizer: nothing found
// EMU: checks found nothing
#a = layout<mma.m16n8k16.A>
!s = shared<16x16xf16, Sw<1,3,3> o (16,16):(16,1)>
!v = tensor_view<16x16xf16, strides=[16,1]>
!a = tile<16x16xf16, #a>
cuda_tile.module @matrices {
  // PTX-LABEL: .entry own(
  // PTX: stmatrix
  // PTX: bar.warp.sync
  // PTX: ldmatrix
  // PTX: bar.warp.sync
  // PTX: stmatrix
  entry @own(%in: tile<ptr<f16>>, %out: tile<ptr<f16>>) threads(32) {
    %c0 = constant <i32: 0> : tile<i32>
    %vi = make_tensor_view %in, shape = [16, 16], strides = [16, 1] : !v
    %vo = make_tensor_view %out, shape = [16, 16], strides = [16, 1] : !v
    %s = alloc_shared : !s
    %x = load_global %vi[%c0, %c0] : !v -> !a
    store_shared %x, %s : !a, !s
    %y = load_shared ldmatrix %s : !s -> !a
    %z = addf %y, %y : !a
    store_shared %z, %s : !a, !s
    %w = load_shared %s : !s -> !a
    store_global %w, %vo[%c0, %c0] : !a, !v
    return
  }
  // The same from one iteration to the next.
  entry @steps(%in: tile<ptr<f16>>, %out: tile<ptr<f16>>, %n: tile<i32>) threads(32) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %vi = make_tensor_view %in, shape = [16, 16], strides = [16, 1] : !v
    %vo = make_tensor_view %out, shape = [16, 16], strides = [16, 1] : !v
    %s = alloc_shared : !s
    %x = load_global %vi[%c0, %c0] : !v -> !a
    store_shared %x, %s : !a, !s
    for %i in (%c0 to %n, step %c1) : tile<i32> {
      %y = load_shared %s : !s -> !a
      %z = addf %y, %x : !a
      store_shared %z, %s : !a, !s
    }
    %w = load_shared %s : !s -> !a
    store_global %w, %vo[%c0, %c0] : !a, !v
    return
  }
  // PTX-LABEL: .entry met(
  // PTX-NOT: bar.warp.sync
  // PTX: stmatrix
  // PTX-NOT: bar.warp.sync
  // PTX: ldmatrix
  // PTX-NOT: bar.warp.sync
  // PTX: ret
  entry @met(%in: tile<ptr<f16>>, %out: tile<ptr<f16>>) threads(64) {
    %c0 = constant <i32: 0> : tile<i32>
    %vi = make_tensor_view %in, shape = [16, 16], strides = [16, 1] : !v
    %vo = make_tensor_view %out, shape = [16, 16], strides = [16, 1] : !v
    %s = alloc_shared : !s
    group threads(0 to 32) {
      %x = load_global %vi[%c0, %c0] : !v -> !a
      store_shared %x, %s : !a, !s
    }
    barrier
    group threads(32 to 64) {
      %y = load_shared %s : !s -> !a
      store_global %y, %vo[%c0, %c0] : !a, !v
    }
    return
  }
}
