// Operands of wgmma that lie in other ways: without a swizzle in panels of 16 bytes, along m and n
// with one of 64 bytes, and accumulators of f16.
!bk = tile<32x64xf16, local(2, 1).spatial(16, 16).local(1, 4)>
!ak = tile<128x64xf16, local(8, 1).spatial(16, 16).local(1, 4)>
!ga = tensor_view<128x64xf16, strides=[64,1]>
!gb = tensor_view<32x64xf16, strides=[64,1]>
!gc = tensor_view<128x32xf32, strides=[32,1]>
!as = shared<128x64xf16, (128,(8,8)):(8,(1,1024))>
!bn = shared<32x64xf16, (32,(8,8)):(8,(1,256))>
!bs = shared<64x32xf16, ((8,8),32):((1,256),8)>
!c = tile<128x32xf32, spatial(2, 1) * wgmma.m64n32k16.C>
!ha = tensor_view<64x32xf16, strides=[32,1]>
!hc = tensor_view<64x64xf16, strides=[64,1]>
!hk = tile<64x32xf16, local(4, 1).spatial(16, 8).local(1, 4)>
!hn = tile<32x64xf16, local(4, 1).spatial(8, 16).local(1, 4)>
!hs = shared<64x32xf16, Sw<3,3,3> o (64,32):(1,64)>
!hb = shared<32x64xf16, Sw<2,3,3> o (32,(32,2)):(32,(1,1024))>
!h = tile<64x64xf16, wgmma.m64n64k16.C>
cuda_tile.module @units {
  // A 128 x 64 and the transpose of B 32 x 64, which lies along k as it is in memory.
  entry @panels(%A: tile<ptr<f16>>, %B: tile<ptr<f16>>, %C: tile<ptr<f32>>) threads(256) {
    %c0 = constant <i32: 0> : tile<i32>
    %va = make_tensor_view %A, shape = [128, 64], strides = [64, 1] : !ga
    %vb = make_tensor_view %B, shape = [32, 64], strides = [64, 1] : !gb
    %vc = make_tensor_view %C, shape = [128, 32], strides = [32, 1] : !gc
    %sa = alloc_shared : !as
    %sn = alloc_shared : !bn
    %a = load_global %va[%c0, %c0] : !ga -> !ak
    %b = load_global %vb[%c0, %c0] : !gb -> !bk
    store_shared %a, %sa : !ak, !as
    store_shared %b, %sn : !bk, !bn
    %sb = permute_view %sn [1, 0] : !bn -> !bs
    fence_async
    barrier
    %one = constant <f32: 1.0> : !c
    wgmma_fence
    %p = wgmma %sa, %sb, %one : !as, !bs, !c -> async<!c>
    wgmma_commit
    %d = wgmma_wait 0, %p : async<!c> -> !c
    store_global %d, %vc[%c0, %c0] : !c, !gc
    return
  }
  // Rows of A run along m, those of B along n, in panels of 64 bytes.
  entry @halves(%A: tile<ptr<f16>>, %B: tile<ptr<f16>>, %C: tile<ptr<f16>>) threads(128) {
    %c0 = constant <i32: 0> : tile<i32>
    %va = make_tensor_view %A, shape = [64, 32], strides = [32, 1] : !ha
    %vb = make_tensor_view %B, shape = [32, 64], strides = [64, 1] : !gb
    %vc = make_tensor_view %C, shape = [64, 64], strides = [64, 1] : !hc
    %sa = alloc_shared : !hs
    %sb = alloc_shared : !hb
    %a = load_global %va[%c0, %c0] : !ha -> !hk
    %b = load_global %vb[%c0, %c0] : !gb -> !hn
    store_shared %a, %sa : !hk, !hs
    store_shared %b, %sb : !hn, !hb
    fence_async
    barrier
    %acc = load_global %vc[%c0, %c0] : !hc -> !h
    wgmma_fence
    %p = wgmma %sa, %sb, %acc : !hs, !hb, !h -> async<!h>
    wgmma_commit
    %d = wgmma_wait 0, %p : async<!h> -> !h
    store_global %d, %vc[%c0, %c0] : !h, !hc
    return
  }
}
