// The same, but pieces of 16 bytes change places within their row, by its number.
!a = tile<64x32xf16, local(4, 1).spatial(16, 1).replicated(1, 1, num_workers=16).local(1, 32)>
!b = tile<32x64xf16, local(1, 4).replicated(1, 1, num_workers=16).spatial(1, 16).local(32, 1)>
!c = tile<64x64xf32, local(4, 4).spatial(16, 16)>
!tile = tile<64x32xf16, spatial(64, 4).local(1, 8)>
!s = shared<64x32xf16, Sw<2,3,3> o (64,32):(32,1)>
!st = shared<32x64xf16, Sw<2,3,3> o (32,64):(1,32)>
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
