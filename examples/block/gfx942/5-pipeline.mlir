// The next step's tiles are on their way to registers while this one is multiplied; two slots in the
// LDS, so that a step has one barrier.
!a = tile<64x32xf16, spatial(2, 1).replicated(1, 1, num_workers=2).local(1, 4) * mfma.32x32x8.f16.A>
!b = tile<32x64xf16, replicated(1, 1, num_workers=2).spatial(1, 2).local(4, 1) * mfma.32x32x8.f16.B>
!c = tile<64x64xf32, spatial(2, 2) * mfma.32x32x8.f16.C>
!tile = tile<64x32xf16, spatial(64, 4).local(1, 8)>
!ss = shared<2x64x32xf16, Sw<3,2,4> o (2,64,32):(2048,32,1)>
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
    %sa = alloc_shared : !ss
    %sb = alloc_shared : !ss
    %a0 = load_global %ga[%m, %c0] : !h -> !tile
    %b0 = load_global %gb[%n, %c0] : !h -> !tile
    %zero = constant <f32: 0.0> : !c
    %sum, %al, %bl = for %i in (%c0 to %steps, step %c1) : tile<i32> iter_values(%acc = %zero, %ta = %a0, %tb = %b0) -> (!c, !tile, !tile) {
      %slot = andi %i, %c1 : tile<i32>
      %si = subview %sa[%slot] : !ss -> !s
      %sj = subview %sb[%slot] : !ss -> !s
      %sjt = permute_view %sj [1, 0] : !s -> !st
      store_shared %ta, %si : !tile, !s
      store_shared %tb, %sj : !tile, !s
      barrier                                        // what the others stored is there, and all have read step i - 1
      %j = addi %i, %c1 : tile<i32>
      %k = muli %j, %c32 : tile<i32>
      %an = load_global %ga[%m, %k] : !h -> !tile    // comes while this step is multiplied; behind the last: zeros
      %bn = load_global %gb[%n, %k] : !h -> !tile
      %ra = load_shared %si : !s -> !a
      %rb = load_shared %sjt : !st -> !b
      %d = mmaf %ra, %rb, %acc : !a, !b, !c
      continue %d, %an, %bn : !c, !tile, !tile
    }
    store_global %sum, %gc[%m, %n] : !c, !f
    return
  }
}
