// REQUIRES: llvm
// RUN: %engines %t %s --no-cards --grid 1 --seed 2 uniform:f16:256x16 zeros:f32:256x16 i32:256 --save out --rtol=1e-3 --atol=1e-3
// RUN: %tessera run %s -t emu:sm_90a --sanitize=all -g 1 --seed 2 uniform:f16:256x16 zeros:f32:256x16 i32:256 --save out=%t.npy
// RUN: %npy compare %t/out.npy %t.npy --rtol=1e-3 --atol=1e-3
// RUN: %mutants %s -g 1 --seed 2 uniform:f16:256x16 zeros:f32:256x16 i32:256 --save out
// RUN: %mutants --emu=sm_90a %s -g 1 --seed 2 uniform:f16:256x16 zeros:f32:256x16 i32:256 --save out
//
// Products under way from one iteration to the next, whose left operand lies in registers: the next
// iteration has others in them.
#a = layout<wgmma.m64n8k16.A>
#c = layout<wgmma.m64n16k16.C>
!a = tile<64x16xf16, #a>
!c = tile<64x16xf32, #c>
!s = shared<16x16xf16, Sw<1,3,3> o (16,16):(16,1)>
!vi = tensor_view<?x16xf16, strides=[16,1]>
!vo = tensor_view<?x16xf32, strides=[16,1]>
cuda_tile.module @flight {
  entry @flight(%in: tile<ptr<f16>>, %out: tile<ptr<f32>>, %n: tile<i32>) threads(128) {
    %vi = make_tensor_view %in, shape = [%n, 16], strides = [16, 1] : tile<i32> -> !vi
    %vo = make_tensor_view %out, shape = [%n, 16], strides = [16, 1] : tile<i32> -> !vo
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c64 = constant <i32: 64> : tile<i32>
    %steps = divi %n, %c64 unsigned : tile<i32>
    %b = load_global %vi[%c0, %c0] : !vi -> tile<16x16xf16, spatial(16, 8).local(1, 2)>
    %s = alloc_shared : !s
    store_shared %b, %s : tile<16x16xf16, spatial(16, 8).local(1, 2)>, !s
    fence_async
    barrier
    %zero = constant <f32: 0.0> : !c
    %a0 = load_global %vi[%c0, %c0] : !vi -> !a
    wgmma_fence
    %p = wgmma %a0, %s, %zero : !a, !s, !c -> async<!c>
    wgmma_commit // harmless: the first set of the loop has this product, too
    %q = for %i in (%c1 to %steps, step %c1) : tile<i32> iter_values(%f = %p) -> (async<!c>) {
      %row = muli %i, %c64 : tile<i32>
      %a = load_global %vi[%row, %c0] : !vi -> !a
      wgmma_fence
      %g = wgmma %a, %s, %f : !a, !s, async<!c> -> async<!c>
      wgmma_commit
      continue %g : async<!c>
    }
    %sum = wgmma_wait 0, %q : async<!c> -> !c // unseen on a GPU ends too early: products with operands in registers end within an iteration
    store_global %sum, %vo[%c0, %c0] : !c, !vo
    return
  }
}
