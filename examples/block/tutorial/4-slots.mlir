// The same with two slots: the next step arrives while this one is multiplied.
#as = layout<Sw<2,3,3> o (64,32):(32,1)>
#bs = layout<Sw<3,3,3> o (32,64):(64,1)>
#ac = layout<local(2, 1).spatial(32, 4).local(1, 8)>
#bc = layout<local(2, 1).spatial(16, 8).local(1, 8)>
#a = layout<spatial(4, 1).local(1, 2) * mma.m16n8k16.A>
#b = layout<replicated(1, 1, num_workers=4).local(2, 8) * mma.m16n8k16.B>
!a = tile<64x32xf16, #a>
!b = tile<32x64xf16, #b>
!c = tile<64x64xf32, spatial(4, 1).local(1, 8) * mma.m16n8k16.C>
!at = shared<2x64x32xf16, Sw<2,3,3> o (2,64,32):(2048,32,1)>
!bt = shared<2x32x64xf16, Sw<3,3,3> o (2,32,64):(2048,64,1)>
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
    %sa = alloc_shared : !at
    %sb = alloc_shared : !bt
    %a0 = subview %sa[%c0] : !at -> !as
    %b0 = subview %sb[%c0] : !bt -> !bs
    cp_async %ga[%m, %c0], %a0 by #ac : !h, !as
    cp_async %gb[%c0, %n], %b0 by #bc : !h, !bs
    cp_async_commit
    %zero = constant <f32: 0.0> : !c
    %sum = for %i in (%c0 to %steps, step %c1) : tile<i32> iter_values(%acc = %zero) -> (!c) {
      cp_async_wait 0                                // my copies of step i are there;
      barrier                                        // everybody's are, and all have read step i - 1
      %s = andi %i, %c1 : tile<i32>
      %t = xori %s, %c1 : tile<i32>
      %j = addi %i, %c1 : tile<i32>
      %k = muli %j, %c32 : tile<i32>
      %an = subview %sa[%t] : !at -> !as
      %bn = subview %sb[%t] : !bt -> !bs
      cp_async %ga[%m, %k], %an by #ac : !h, !as     // behind the last: zeros
      cp_async %gb[%k, %n], %bn by #bc : !h, !bs
      cp_async_commit
      %ai = subview %sa[%s] : !at -> !as
      %bi = subview %sb[%s] : !bt -> !bs
      %ra = load_shared ldmatrix %ai : !as -> !a
      %rb = load_shared ldmatrix.trans %bi : !bs -> !b
      %d = mmaf %ra, %rb, %acc : !a, !b, !c
      continue %d : !c
    }
    cp_async_wait 0 // harmless on a GPU: nobody reads what was copied behind the last step
    store_global %sum, %gc[%m, %n] : !c, !f
    return
  }
}
