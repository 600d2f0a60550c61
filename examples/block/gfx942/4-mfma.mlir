// By matrix instructions: a wave has a quarter of C, 32 x 32 elements.
!a = tile<64x32xf16, spatial(2, 1).replicated(1, 1, num_workers=2).local(1, 4) * mfma.32x32x8.f16.A>
!b = tile<32x64xf16, replicated(1, 1, num_workers=2).spatial(1, 2).local(4, 1) * mfma.32x32x8.f16.B>
!c = tile<64x64xf32, spatial(2, 2) * mfma.32x32x8.f16.C>
!tile = tile<64x32xf16, spatial(64, 4).local(1, 8)>
!s = shared<64x32xf16, Sw<3,2,4> o (64,32):(32,1)>
!st = shared<32x64xf16, Sw<3,2,4> o (32,64):(1,32)>
!h = tensor_view<?x?xf16, strides=[?,1]>
!f = tensor_view<?x?xf32, strides=[?,1]>
cuda_tile.module @gemm {
  entry @gemm(%A: tile<ptr<f16>>, %B: tile<ptr<f16>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) threads(256) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c32 = constant <i32: 32> : tile<i32>
    %c64 = constant <i32: 64> : tile<i32>
    %ga = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> !h
    %gb = make_tensor_view %B, shape = [%N, %K], strides = [%K, 1] : tile<i32> -> !h
    %gc = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> !f
    %x, %y, %z = get_tile_block_id : tile<i32>
    %m = muli %x, %c64 : tile<i32>
    %n = muli %y, %c64 : tile<i32>
    %steps = divi %K, %c32 unsigned rounding<positive_inf> : tile<i32>
    %sa = alloc_shared : !s
    %sb = alloc_shared : !s
    %sbt = permute_view %sb [1, 0] : !s -> !st
    %zero = constant <f32: 0.0> : !c
    %sum = for %i in (%c0 to %steps, step %c1) : tile<i32> iter_values(%acc = %zero) -> (!c) {
      %k = muli %i, %c32 : tile<i32>
      %ta = load_global %ga[%m, %k] : !h -> !tile
      %tb = load_global %gb[%n, %k] : !h -> !tile
      store_shared %ta, %sa : !tile, !s
      store_shared %tb, %sb : !tile, !s
      barrier                                        // what the others stored is there
      %ra = load_shared %sa : !s -> !a
      %rb = load_shared %sbt : !st -> !b
      %d = mmaf %ra, %rb, %acc : !a, !b, !c
      barrier                                        // the others have read it
      continue %d : !c
    }
    store_global %sum, %gc[%m, %n] : !c, !f
    return
  }
}
