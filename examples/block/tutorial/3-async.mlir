// The same with copies that do not go through registers.
#as = layout<Sw<2,3,3> o (64,32):(32,1)>
#bs = layout<Sw<3,3,3> o (32,64):(64,1)>
#ac = layout<local(2, 1).spatial(32, 4).local(1, 8)>
#bc = layout<local(2, 1).spatial(16, 8).local(1, 8)>
#a = layout<spatial(4, 1).local(1, 2) * mma.m16n8k16.A>
#b = layout<replicated(1, 1, num_workers=4).local(2, 8) * mma.m16n8k16.B>
!a = tile<64x32xf16, #a>
!b = tile<32x64xf16, #b>
!c = tile<64x64xf32, spatial(4, 1).local(1, 8) * mma.m16n8k16.C>
!as = shared<64x32xf16, #as>
!bs = shared<32x64xf16, #bs>
!h = tensor_view<?x?xf16, strides=[?,1]>
!f = tensor_view<?x?xf32, strides=[?,1]>
cuda_tile.module @gemm {
  entry @gemm(%A: tile<ptr<f16>>, %B: tile<ptr<f16>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) threads(128) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c32 = constant <i32: 32> : tile<i32>
    %c64 = constant <i32: 64> : tile<i32>
    %ga = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> !h
    %gb = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> !h
    %gc = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> !f
    %x, %y, %z = get_tile_block_id : tile<i32>
    %m = muli %x, %c64 : tile<i32>
    %n = muli %y, %c64 : tile<i32>
    %steps = divi %K, %c32 unsigned rounding<positive_inf> : tile<i32>
    %sa = alloc_shared : !as
    %sb = alloc_shared : !bs
    %zero = constant <f32: 0.0> : !c
    %sum = for %i in (%c0 to %steps, step %c1) : tile<i32> iter_values(%acc = %zero) -> (!c) {
      %k = muli %i, %c32 : tile<i32>
      cp_async %ga[%m, %k], %sa by #ac : !h, !as
      cp_async %gb[%k, %n], %sb by #bc : !h, !bs
      cp_async_commit
      cp_async_wait 0                                // what I copied is there;
      barrier                                        // what the others copied, too
      %ra = load_shared ldmatrix %sa : !as -> !a
      %rb = load_shared ldmatrix.trans %sb : !bs -> !b
      %d = mmaf %ra, %rb, %acc : !a, !b, !c
      barrier                                        // the others have read it
      continue %d : !c
    }
    store_global %sum, %gc[%m, %n] : !c, !f
    return
  }
}
