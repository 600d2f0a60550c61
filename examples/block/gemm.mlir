// C = A * B at the block level, f16 in and f32 out, any size: 128 threads, tiles of 64 x 128, K in
// steps of 32. Asynchronous copies fill one slot of shared memory while the other is multiplied.
// A is M x K, B is K x N. Launch ceil(M / 64) x ceil(N / 128) tile blocks.

// Two slots for tiles of A and of B, swizzled so that ldmatrix finds eight rows in different banks.
!slots_a = shared<2x64x32xf16, Sw<2,3,3> o (2,64,32):(2048,32,1)>
!slots_b = shared<2x32x128xf16, Sw<3,3,4> o (2,32,128):(4096,128,1)>
!slot_a = shared<64x32xf16, Sw<2,3,3> o (64,32):(32,1)>
!slot_b = shared<32x128xf16, Sw<3,3,4> o (32,128):(128,1)>
// Who copies what: 16 bytes at a time.
#copy_a = layout<local(2, 1).spatial(32, 4).local(1, 8)>
#copy_b = layout<local(4, 1).spatial(8, 16).local(1, 8)>
// Four warps, two by two; each multiplies fragments of the instruction mma.m16n8k16.
#a = layout<spatial(2, 1).replicated(1, 1, num_workers=2).local(2, 2) * mma.m16n8k16.A>
#b = layout<replicated(1, 1, num_workers=2).spatial(1, 2).local(2, 8) * mma.m16n8k16.B>
!c = tile<64x128xf32, spatial(2, 2).local(2, 8) * mma.m16n8k16.C>
!half = tensor_view<?x?xf16, strides=[?,1]>
!single = tensor_view<?x?xf32, strides=[?,1]>

cuda_tile.module @block_gemm {
  entry @gemm(%A: tile<ptr<f16>>, %B: tile<ptr<f16>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) threads(128) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c32 = constant <i32: 32> : tile<i32>
    %c64 = constant <i32: 64> : tile<i32>
    %c128 = constant <i32: 128> : tile<i32>
    %va = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> !half
    %vb = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> !half
    %vc = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> !single
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %m = muli %bx, %c64 : tile<i32>
    %n = muli %by, %c128 : tile<i32>
    %steps = divi %K, %c32 unsigned rounding<positive_inf> : tile<i32>

    // The first tiles are on their way before the loop begins.
    %sa = alloc_shared : !slots_a
    %sb = alloc_shared : !slots_b
    %a0 = subview %sa[%c0] : !slots_a -> !slot_a
    %b0 = subview %sb[%c0] : !slots_b -> !slot_b
    cp_async %va[%m, %c0], %a0 by #copy_a : !half, !slot_a
    cp_async %vb[%c0, %n], %b0 by #copy_b : !half, !slot_b
    cp_async_commit

    %zero = constant <f32: 0.0> : !c
    %sum = for %i in (%c0 to %steps, step %c1) : tile<i32> iter_values(%acc = %zero) -> (!c) {
      cp_async_wait 0 // this thread's copies of step i are there;
      barrier         // those of all threads are, and all have read the other slot

      // Copies of step i + 1 into the other slot; behind the last step they bring zeros.
      %slot = andi %i, %c1 : tile<i32>
      %other = xori %slot, %c1 : tile<i32>
      %next = addi %i, %c1 : tile<i32>
      %k = muli %next, %c32 : tile<i32>
      %an = subview %sa[%other] : !slots_a -> !slot_a
      %bn = subview %sb[%other] : !slots_b -> !slot_b
      cp_async %va[%m, %k], %an by #copy_a : !half, !slot_a
      cp_async %vb[%k, %n], %bn by #copy_b : !half, !slot_b
      cp_async_commit

      %ai = subview %sa[%slot] : !slots_a -> !slot_a
      %bi = subview %sb[%slot] : !slots_b -> !slot_b
      %ta = load_shared ldmatrix %ai : !slot_a -> tile<64x32xf16, #a>
      %tb = load_shared ldmatrix.trans %bi : !slot_b -> tile<32x128xf16, #b>
      %d = mmaf %ta, %tb, %acc : tile<64x32xf16, #a>, tile<32x128xf16, #b>, !c
      continue %d : !c
    }
    cp_async_wait 0 // harmless on a GPU: nobody reads what was copied behind the last step
    store_global %sum, %vc[%m, %n] : !c, !single
    return
  }
}
