// REQUIRES: llvm
// RUN: %engines %t.multiply %s -k multiply --no-cards --grid 1 --seed 2 uniform:f16:192x16 uniform:f16:16x16 zeros:f32:192x16 --save out --rtol=1e-3 --atol=1e-3
// RUN: %tessera run %s -k multiply -t emu:sm_90a --sanitize=all -g 1 --seed 2 uniform:f16:192x16 uniform:f16:16x16 zeros:f32:192x16 --save out=%t.npy
// RUN: %npy compare %t.multiply/out.npy %t.npy --rtol=1e-3 --atol=1e-3
// RUN: %engines %t.rows %s -k rows --no-cards --grid 1 arange:i32:40x16 zeros:i32:48 --save out
// RUN: %tessera run %s -k rows -t emu:sm_90a --sanitize=all -g 1 arange:i32:40x16 zeros:i32:48 --save out=%t.npy
// RUN: %npy compare %t.rows/out.npy %t.npy
// RUN: %mutants %s -k multiply -g 1 --seed 2 uniform:f16:192x16 uniform:f16:16x16 zeros:f32:192x16 --save out
// RUN: %mutants %s -k rows -g 1 arange:i32:40x16 zeros:i32:48 --save out
//
// Numbers of threads that are no powers of two.
#a = layout<spatial(24, 16).local(8, 1)>
#c = layout<spatial(3, 1) * wgmma.m64n16k16.C>
!a = tile<192x16xf16, #a>
!c = tile<192x16xf32, #c>
!sa = shared<192x16xf16, Sw<1,3,3> o (192,16):(16,1)>
!sb = shared<16x16xf16, Sw<1,3,3> o (16,16):(16,1)>
#b = layout<replicated(1, 1, num_workers=3).spatial(8, 16).local(2, 1)>
!b = tile<16x16xf16, #b>
!va = tensor_view<192x16xf16, strides=[16,1]>
!vb = tensor_view<16x16xf16, strides=[16,1]>
!vo = tensor_view<192x16xf32, strides=[16,1]>
#t = layout<spatial(3, 1).spatial(4, 8).local(4, 2)>
!t = tile<48x16xi32, #t>
!r = tile<48xi32, reduce(spatial(3, 1).spatial(4, 8).local(4, 2), dims=[1])>
!vi = tensor_view<40x16xi32, strides=[16,1]>
cuda_tile.module @three {
  // Three groups of 128 threads share a product.
  entry @multiply(%A: tile<ptr<f16>>, %B: tile<ptr<f16>>, %out: tile<ptr<f32>>) threads(384) {
    %c0 = constant <i32: 0> : tile<i32>
    %va = make_tensor_view %A, shape = [192, 16], strides = [16, 1] : !va
    %vb = make_tensor_view %B, shape = [16, 16], strides = [16, 1] : !vb
    %vo = make_tensor_view %out, shape = [192, 16], strides = [16, 1] : !vo
    %sa = alloc_shared : !sa
    %sb = alloc_shared : !sb
    %a = load_global %va[%c0, %c0] : !va -> !a
    %b = load_global %vb[%c0, %c0] : !vb -> !b
    store_shared %a, %sa : !a, !sa
    store_shared %b, %sb : !b, !sb
    fence_async
    barrier
    %zero = constant <f32: 1.0> : !c
    wgmma_fence
    %p = wgmma %sa, %sb, %zero : !sa, !sb, !c -> async<!c>
    wgmma_commit
    %sum = wgmma_wait 0, %p : async<!c> -> !c
    store_global %sum, %vo[%c0, %c0] : !c, !vo
    return
  }
  // Three warps sum rows in a loop; the last rows are outside of the view.
  entry @rows(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>) threads(96) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c3 = constant <i32: 3> : tile<i32>
    %vi = make_tensor_view %in, shape = [40, 16], strides = [16, 1] : !vi
    %vo = make_tensor_view %out, shape = [48], strides = [1] : tensor_view<48xi32, strides=[1]>
    %s = alloc_shared : shared<48x16xi32, (48,16):(17,1)>
    %one = constant <i32: 1> : !t
    %sum = for %i in (%c0 to %c3, step %c1) : tile<i32> iter_values(%acc = %one) -> (!t) {
      %x = load_global %vi[%i, %i] : !vi -> !t
      store_shared %x, %s : !t, shared<48x16xi32, (48,16):(17,1)>
      barrier // harmless: a thread loads what it has stored itself
      %y = load_shared %s : shared<48x16xi32, (48,16):(17,1)> -> !t
      barrier // harmless: a thread stores where it has loaded itself
      %z = addi %acc, %y : !t
      continue %z : !t
    }
    %r = reduce %sum dim=1 identities=[0 : i32] : !t -> !r
    (%p: tile<i32>, %q: tile<i32>) { %n = addi %p, %q : tile<i32> yield %n : tile<i32> }
    store_global %r, %vo[%c0] : !r, tensor_view<48xi32, strides=[1]>
    return
  }
}
