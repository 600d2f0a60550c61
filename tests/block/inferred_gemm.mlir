// RUN: %tessera run %s -t interp --sanitize=all -g 2,1 --seed 3 normal:f16:100x72 normal:f16:72x120 zeros:f32:100x120 i32:100 i32:120 i32:72 --save C=%t.c.npy
// RUN: %tessera run %S/gemm.mlir -t interp -g 2,1 --seed 3 normal:f16:100x72 normal:f16:72x120 zeros:f32:100x120 i32:100 i32:120 i32:72 --save C=%t.r.npy
// RUN: cmp %t.c.npy %t.r.npy
// RUN: %tessera fmt --infer %s -o %t.all.mlir
// RUN: %tessera fmt --infer %t.all.mlir -o %t.again.mlir
// RUN: cmp %t.all.mlir %t.again.mlir
// RUN: sed '/^\/\//d' %t.all.mlir | FileCheck %s
// RUN: %mutants %s -g 1 normal:f16:64x72 normal:f16:72x64 zeros:f32:64x64 i32:64 i32:64 i32:72 --save C
//
// gemm.mlir without the layouts of its tiles: they are found to be what gemm.mlir states.
// CHECK: %zero = constant <f32: 0.000000e+00> : tile<64x128xf32, [[C:spatial\(2, 2\).local\(2, 8\).local\(2, 1\).spatial\(8, 4\).local\(1, 2\)]]>
// CHECK: %sum = for {{.*}} -> (tile<64x128xf32, [[C]]>)
// CHECK: %ra = load_shared {{.*}} -> tile<64x32xf16, [[A:spatial\(2, 1\).replicated\(1, 1, num_workers=2\).local\(2, 4\).local\(2, 1\).spatial\(8, 4\).local\(1, 2\)]]>
// CHECK: %rb = load_shared {{.*}} -> tile<32x128xf16, [[B:replicated\(1, 1, num_workers=2\).spatial\(1, 2\).local\(1, 8\).spatial\(1, 8\).local\(4, 1\).spatial\(4, 1\).local\(2, 1\)]]>
// CHECK: %d = mmaf %ra, %rb, %acc : tile<64x32xf16, [[A]]>, tile<32x128xf16, [[B]]>, tile<64x128xf32, [[C]]>
// CHECK-NOT: convert_layout
#at = layout<Sw<2,3,3> o (2,64,32):(2048,32,1)>
#bt = layout<Sw<3,3,4> o (2,32,128):(4096,128,1)>
#as = layout<Sw<2,3,3> o (64,32):(32,1)>
#bs = layout<Sw<3,3,4> o (32,128):(128,1)>
#ac = layout<local(2,1).spatial(32,4).local(1,8)>
#bc = layout<local(4,1).spatial(8,16).local(1,8)>
!c = tile<64x128xf32>
!h = tensor_view<?x?xf16, strides=[?,1]>
!f = tensor_view<?x?xf32, strides=[?,1]>
cuda_tile.module @m {
entry @gemm(%A: tile<ptr<f16>>, %B: tile<ptr<f16>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) threads(128) {
  %c0 = constant <i32: 0> : tile<i32>
  %c1 = constant <i32: 1> : tile<i32>
  %c32 = constant <i32: 32> : tile<i32>
  %c64 = constant <i32: 64> : tile<i32>
  %c128 = constant <i32: 128> : tile<i32>
  %ga = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> !h
  %gb = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> !h
  %gc = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> !f
  %x, %y, %z = get_tile_block_id : tile<i32>
  %m = muli %x, %c64 : tile<i32>
  %n = muli %y, %c128 : tile<i32>
  %steps = divi %K, %c32 unsigned rounding<positive_inf> : tile<i32>
  %sa = alloc_shared : shared<2x64x32xf16, #at>
  %sb = alloc_shared : shared<2x32x128xf16, #bt>
  %a0 = subview %sa[%c0] : shared<2x64x32xf16, #at> -> shared<64x32xf16, #as>
  %b0 = subview %sb[%c0] : shared<2x32x128xf16, #bt> -> shared<32x128xf16, #bs>
  cp_async %ga[%m, %c0], %a0 by #ac : !h, shared<64x32xf16, #as>
  cp_async %gb[%c0, %n], %b0 by #bc : !h, shared<32x128xf16, #bs>
  cp_async_commit
  %zero = constant <f32: 0.0> : !c
  %sum = for %i in (%c0 to %steps, step %c1) : tile<i32> iter_values(%acc = %zero) -> (!c) {
    cp_async_wait 0
    barrier
    %s = andi %i, %c1 : tile<i32>
    %t = xori %s, %c1 : tile<i32>
    %j = addi %i, %c1 : tile<i32>
    %k = muli %j, %c32 : tile<i32>
    %an = subview %sa[%t] : shared<2x64x32xf16, #at> -> shared<64x32xf16, #as>
    %bn = subview %sb[%t] : shared<2x32x128xf16, #bt> -> shared<32x128xf16, #bs>
    cp_async %ga[%m, %k], %an by #ac : !h, shared<64x32xf16, #as>
    cp_async %gb[%k, %n], %bn by #bc : !h, shared<32x128xf16, #bs>
    cp_async_commit
    %ai = subview %sa[%s] : shared<2x64x32xf16, #at> -> shared<64x32xf16, #as>
    %bi = subview %sb[%s] : shared<2x32x128xf16, #bt> -> shared<32x128xf16, #bs>
    %ra = load_shared %ai : shared<64x32xf16, #as> -> tile<64x32xf16>
    %rb = load_shared %bi : shared<32x128xf16, #bs> -> tile<32x128xf16>
    %d = mmaf %ra, %rb, %acc : tile<64x32xf16>, tile<32x128xf16>, !c
    continue %d : !c
  }
  cp_async_wait 0  // harmless on a GPU: nobody reads what was copied behind the last step
  store_global %sum, %gc[%m, %n] : !c, !f
  return
}
}
