// RUN: %tessera run %s -t interp --sanitize=all -g 2,2 --seed 5 normal:f16:100x136 normal:f16:136x72 zeros:f32:100x72 i32:100 i32:72 i32:136 --save C=%t.c.npy
// RUN: %tessera run %S/Inputs/product_stages.mlir -t interp -g 1 --seed 5 normal:f16:100x136 normal:f16:136x72 zeros:f32:100x72 --save C=%t.r.npy
// RUN: cmp %t.c.npy %t.r.npy
// RUN: %mutants %s -g 2,2 normal:f16:100x136 normal:f16:136x72 zeros:f32:100x72 i32:100 i32:72 i32:136 --save C
//
// A product with three slots: two sets of copies are on their way while the third is multiplied.
#as = layout<Sw<2,3,3> o (64,32):(32,1)>
#bs = layout<Sw<3,3,3> o (32,64):(64,1)>
#ac = layout<local(2, 1).spatial(32, 4).local(1, 8)>
#bc = layout<local(2, 1).spatial(16, 8).local(1, 8)>
#a = layout<spatial(4, 1).local(1, 2) * mma.m16n8k16.A>
#b = layout<replicated(1, 1, num_workers=4).local(2, 8) * mma.m16n8k16.B>
!c = tile<64x64xf32, spatial(4, 1).local(1, 8) * mma.m16n8k16.C>
!at = shared<3x64x32xf16, Sw<2,3,3> o (3,64,32):(2048,32,1)>
!bt = shared<3x32x64xf16, Sw<3,3,3> o (3,32,64):(2048,64,1)>
!as = shared<64x32xf16, #as>
!bs = shared<32x64xf16, #bs>
!h = tensor_view<?x?xf16, strides=[?,1]>
!f = tensor_view<?x?xf32, strides=[?,1]>
cuda_tile.module @stages {
  entry @gemm(%A: tile<ptr<f16>>, %B: tile<ptr<f16>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) threads(128) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c2 = constant <i32: 2> : tile<i32>
    %c3 = constant <i32: 3> : tile<i32>
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
    for %i in (%c0 to %c2, step %c1) : tile<i32> {
      %k = muli %i, %c32 : tile<i32>
      %as = subview %sa[%i] : !at -> !as
      %bs = subview %sb[%i] : !bt -> !bs
      cp_async %ga[%m, %k], %as by #ac : !h, !as
      cp_async %gb[%k, %n], %bs by #bc : !h, !bs
      cp_async_commit
    }
    %zero = constant <f32: 0.0> : !c
    %sum, %last = for %i in (%c0 to %steps, step %c1) : tile<i32> iter_values(%acc = %zero, %s = %c0) -> (!c, tile<i32>) {
      cp_async_wait 1
      barrier
      %two = addi %s, %c2 : tile<i32>
      %t = remi %two, %c3 unsigned : tile<i32>
      %j = addi %i, %c2 : tile<i32>
      %k = muli %j, %c32 : tile<i32>
      %an = subview %sa[%t] : !at -> !as
      %bn = subview %sb[%t] : !bt -> !bs
      cp_async %ga[%m, %k], %an by #ac : !h, !as
      cp_async %gb[%k, %n], %bn by #bc : !h, !bs
      cp_async_commit
      %ai = subview %sa[%s] : !at -> !as
      %bi = subview %sb[%s] : !bt -> !bs
      %ra = load_shared ldmatrix %ai : !as -> tile<64x32xf16, #a>
      %rb = load_shared ldmatrix.trans %bi : !bs -> tile<32x64xf16, #b>
      %d = mmaf %ra, %rb, %acc : tile<64x32xf16, #a>, tile<32x64xf16, #b>, !c
      %one = addi %s, %c1 : tile<i32>
      %u = remi %one, %c3 unsigned : tile<i32>
      continue %d, %u : !c, tile<i32>
    }
    cp_async_wait 0  // harmless on a GPU: nobody reads what was copied behind the last step
    store_global %sum, %gc[%m, %n] : !c, !f
    return
  }
}
