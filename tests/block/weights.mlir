// REQUIRES: llvm
// RUN: mkdir -p %t && cd %t
// RUN: %tessera run %s -k int3 -t interp --sanitize=all -g 2,2 arange:f16:48x64 uniform:i8:4x6x96 ones:f16:2x96 zeros:f32:48x96 i32:48 i32:96 i32:64 2>&1 | FileCheck %s --check-prefix=CLEAN
// CLEAN: sanitizer: nothing found
// RUN: %engines %t.int3 %s -k int3 --no-amd --grid 2,2 arange:f16:48x64 uniform:i8:4x6x96 ones:f16:2x96 zeros:f32:48x96 i32:48 i32:96 i32:64 --save C
// RUN: %engines %t.int4 %s -k int4 --no-amd --grid 2,2 arange:f16:48x64 uniform:i8:4x6x128 ones:f16:2x96 zeros:f32:48x96 i32:48 i32:96 i32:64 --save C
// RUN: %engines %t.float6 %s -k float6 --no-amd --grid 2,2 arange:f16:48x64 uniform:i8:4x6x192 ones:f16:2x96 zeros:f32:48x96 i32:48 i32:96 i32:64 --save C
// RUN: %engines %t.scaled %s -k int3 --no-amd --grid 2,2 normal:f16:48x64 uniform:i8:4x6x96 normal:f16:2x96 zeros:f32:48x96 i32:48 i32:96 i32:64 --save C --rtol=1e-4 --atol=1e-3
//
// Each mistake in it is found.
// RUN: %mutants %s -k int3 -g 2,1 normal:f16:48x72 uniform:i8:4x6x96 ones:f16:2x96 zeros:f32:48x96 i32:48 i32:96 i32:64 --save C
// RUN: %mutants --ptx=sm_80 %s -k int3 -g 2,1 normal:f16:48x72 uniform:i8:4x6x96 ones:f16:2x96 zeros:f32:48x96 i32:48 i32:96 i32:64 --save C
//
// C = A B with weights of a few bits, as Tilus stores them: of each 16 x 16 of B the bytes lie behind
// each other in the order in which the threads of a warp have them, so that what a thread loads are
// the bits of its part of an operand of mma.m16n8k16. Two slots of shared memory, and a scale for
// each column of 32 rows.
#slots = layout<Sw<2,3,3> o (2,32,32):(1024,32,1)>
#slot = layout<Sw<2,3,3> o (32,32):(32,1)>
#copy = layout<spatial(16, 4).local(2, 8)>
#a = layout<replicated(1, 1, num_workers=2).local(2, 2) * mma.m16n8k16.A>
#b = layout<spatial(1, 2).local(2, 4) * mma.m16n8k16.B>
!c = tile<32x64xf32, spatial(1, 2).local(2, 4) * mma.m16n8k16.C>
!h = tensor_view<?x?xf16, strides=[?,1]>
!f = tensor_view<?x?xf32, strides=[?,1]>
!bytes3 = tensor_view<?x?x96xi8, strides=[?,96,1]>
!bytes4 = tensor_view<?x?x128xi8, strides=[?,128,1]>
!bytes6 = tensor_view<?x?x192xi8, strides=[?,192,1]>
cuda_tile.module @weights {
  entry @int3(%A: tile<ptr<f16>>, %B: tile<ptr<i8>>, %S: tile<ptr<f16>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) threads(64) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c2 = constant <i32: 2> : tile<i32>
    %c4 = constant <i32: 4> : tile<i32>
    %c16 = constant <i32: 16> : tile<i32>
    %c32 = constant <i32: 32> : tile<i32>
    %c64 = constant <i32: 64> : tile<i32>
    %c96 = constant <i32: 96> : tile<i32>
    %kt = divi %K, %c16 unsigned : tile<i32>
    %nt = divi %N, %c16 unsigned : tile<i32>
    %row = muli %nt, %c96 : tile<i32>
    %groups = divi %K, %c32 unsigned : tile<i32>
    %ga = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> !h
    %gb = make_tensor_view %B, shape = [%kt, %nt, 96], strides = [%row, 96, 1] : tile<i32> -> !bytes3
    %gs = make_tensor_view %S, shape = [%groups, %N], strides = [%N, 1] : tile<i32> -> !h
    %gc = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> !f
    %x, %y, %z = get_tile_block_id : tile<i32>
    %m = muli %x, %c32 : tile<i32>
    %n = muli %y, %c64 : tile<i32>
    %t = muli %y, %c4 : tile<i32>
    %sa = alloc_shared : shared<2x32x32xf16, #slots>
    %sb = alloc_shared : shared<2x2x4x96xi8>
    %a0 = subview %sa[%c0] : shared<2x32x32xf16, #slots> -> shared<32x32xf16, #slot>
    %b0 = subview %sb[%c0] : shared<2x2x4x96xi8> -> shared<2x4x96xi8>
    cp_async %ga[%m, %c0], %a0 by #copy : !h, shared<32x32xf16, #slot>
    cp_async %gb[%c0, %t, %c0], %b0 by layout<spatial(2, 4, 8).local(1, 1, 12)> : !bytes3, shared<2x4x96xi8>
    cp_async_commit
    %zero = constant <f32: 0.0> : !c
    %sum = for %i in (%c0 to %groups, step %c1) : tile<i32> iter_values(%acc = %zero) -> (!c) {
      cp_async_wait 0
      barrier
      %s = andi %i, %c1 : tile<i32>
      %o = xori %s, %c1 : tile<i32>
      %j = addi %i, %c1 : tile<i32>
      %k = muli %j, %c32 : tile<i32>
      %q = muli %j, %c2 : tile<i32>
      %an = subview %sa[%o] : shared<2x32x32xf16, #slots> -> shared<32x32xf16, #slot>
      %bn = subview %sb[%o] : shared<2x2x4x96xi8> -> shared<2x4x96xi8>
      cp_async %ga[%m, %k], %an by #copy : !h, shared<32x32xf16, #slot>
      cp_async %gb[%q, %t, %c0], %bn by layout<spatial(2, 4, 8).local(1, 1, 12)> : !bytes3, shared<2x4x96xi8>
      cp_async_commit
      %ai = subview %sa[%s] : shared<2x32x32xf16, #slots> -> shared<32x32xf16, #slot>
      %bi = subview %sb[%s] : shared<2x2x4x96xi8> -> shared<2x4x96xi8>
      %ra = load_shared %ai : shared<32x32xf16, #slot> -> tile<32x32xf16, #a>
      %packed = load_shared %bi : shared<2x4x96xi8> -> tile<2x4x96xi8, spatial(1, 2, 1).local(2, 2, 1).local(1, 1, 3).spatial(1, 1, 32)>
      %few = reinterpret %packed : tile<2x4x96xi8, spatial(1, 2, 1).local(2, 2, 1).local(1, 1, 3).spatial(1, 1, 32)> -> tile<32x64xi3, #b>
      %bytes = exti %few signed : tile<32x64xi3, #b> -> tile<32x64xi8, #b>
      %wide = itof %bytes signed : tile<32x64xi8, #b> -> tile<32x64xf16, #b>
      %scale = load_global %gs[%i, %n] : !h -> tile<1x64xf16, reduce(spatial(1, 2).local(2, 4) * mma.m16n8k16.B, dims=[0], keepdims=True)>
      %scales = broadcast %scale : tile<1x64xf16, reduce(spatial(1, 2).local(2, 4) * mma.m16n8k16.B, dims=[0], keepdims=True)> -> tile<32x64xf16, #b>
      %rb = mulf %wide, %scales : tile<32x64xf16, #b>
      %d = mmaf %ra, %rb, %acc : tile<32x32xf16, #a>, tile<32x64xf16, #b>, !c
      continue %d : !c
    }
    cp_async_wait 0  // harmless on a GPU: nobody reads what was copied behind the last step
    store_global %sum, %gc[%m, %n] : !c, !f
    return
  }
  entry @int4(%A: tile<ptr<f16>>, %B: tile<ptr<i8>>, %S: tile<ptr<f16>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) threads(64) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c2 = constant <i32: 2> : tile<i32>
    %c4 = constant <i32: 4> : tile<i32>
    %c16 = constant <i32: 16> : tile<i32>
    %c32 = constant <i32: 32> : tile<i32>
    %c64 = constant <i32: 64> : tile<i32>
    %c128 = constant <i32: 128> : tile<i32>
    %kt = divi %K, %c16 unsigned : tile<i32>
    %nt = divi %N, %c16 unsigned : tile<i32>
    %row = muli %nt, %c128 : tile<i32>
    %groups = divi %K, %c32 unsigned : tile<i32>
    %ga = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> !h
    %gb = make_tensor_view %B, shape = [%kt, %nt, 128], strides = [%row, 128, 1] : tile<i32> -> !bytes4
    %gs = make_tensor_view %S, shape = [%groups, %N], strides = [%N, 1] : tile<i32> -> !h
    %gc = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> !f
    %x, %y, %z = get_tile_block_id : tile<i32>
    %m = muli %x, %c32 : tile<i32>
    %n = muli %y, %c64 : tile<i32>
    %t = muli %y, %c4 : tile<i32>
    %sa = alloc_shared : shared<2x32x32xf16, #slots>
    %sb = alloc_shared : shared<2x2x4x128xi8>
    %a0 = subview %sa[%c0] : shared<2x32x32xf16, #slots> -> shared<32x32xf16, #slot>
    %b0 = subview %sb[%c0] : shared<2x2x4x128xi8> -> shared<2x4x128xi8>
    cp_async %ga[%m, %c0], %a0 by #copy : !h, shared<32x32xf16, #slot>
    cp_async %gb[%c0, %t, %c0], %b0 by layout<spatial(2, 4, 8).local(1, 1, 16)> : !bytes4, shared<2x4x128xi8>
    cp_async_commit
    %zero = constant <f32: 0.0> : !c
    %sum = for %i in (%c0 to %groups, step %c1) : tile<i32> iter_values(%acc = %zero) -> (!c) {
      cp_async_wait 0
      barrier
      %s = andi %i, %c1 : tile<i32>
      %o = xori %s, %c1 : tile<i32>
      %j = addi %i, %c1 : tile<i32>
      %k = muli %j, %c32 : tile<i32>
      %q = muli %j, %c2 : tile<i32>
      %an = subview %sa[%o] : shared<2x32x32xf16, #slots> -> shared<32x32xf16, #slot>
      %bn = subview %sb[%o] : shared<2x2x4x128xi8> -> shared<2x4x128xi8>
      cp_async %ga[%m, %k], %an by #copy : !h, shared<32x32xf16, #slot>
      cp_async %gb[%q, %t, %c0], %bn by layout<spatial(2, 4, 8).local(1, 1, 16)> : !bytes4, shared<2x4x128xi8>
      cp_async_commit
      %ai = subview %sa[%s] : shared<2x32x32xf16, #slots> -> shared<32x32xf16, #slot>
      %bi = subview %sb[%s] : shared<2x2x4x128xi8> -> shared<2x4x128xi8>
      %ra = load_shared %ai : shared<32x32xf16, #slot> -> tile<32x32xf16, #a>
      %packed = load_shared %bi : shared<2x4x128xi8> -> tile<2x4x128xi8, spatial(1, 2, 1).local(2, 2, 1).spatial(1, 1, 32).local(1, 1, 4)>
      %few = reinterpret %packed : tile<2x4x128xi8, spatial(1, 2, 1).local(2, 2, 1).spatial(1, 1, 32).local(1, 1, 4)> -> tile<32x64xi4, #b>
      %bytes = exti %few signed : tile<32x64xi4, #b> -> tile<32x64xi8, #b>
      %wide = itof %bytes signed : tile<32x64xi8, #b> -> tile<32x64xf16, #b>
      %scale = load_global %gs[%i, %n] : !h -> tile<1x64xf16, reduce(spatial(1, 2).local(2, 4) * mma.m16n8k16.B, dims=[0], keepdims=True)>
      %scales = broadcast %scale : tile<1x64xf16, reduce(spatial(1, 2).local(2, 4) * mma.m16n8k16.B, dims=[0], keepdims=True)> -> tile<32x64xf16, #b>
      %rb = mulf %wide, %scales : tile<32x64xf16, #b>
      %d = mmaf %ra, %rb, %acc : tile<32x32xf16, #a>, tile<32x64xf16, #b>, !c
      continue %d : !c
    }
    cp_async_wait 0  // harmless on a GPU: nobody reads what was copied behind the last step
    store_global %sum, %gc[%m, %n] : !c, !f
    return
  }
  entry @float6(%A: tile<ptr<f16>>, %B: tile<ptr<i8>>, %S: tile<ptr<f16>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) threads(64) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c2 = constant <i32: 2> : tile<i32>
    %c4 = constant <i32: 4> : tile<i32>
    %c16 = constant <i32: 16> : tile<i32>
    %c32 = constant <i32: 32> : tile<i32>
    %c64 = constant <i32: 64> : tile<i32>
    %c192 = constant <i32: 192> : tile<i32>
    %kt = divi %K, %c16 unsigned : tile<i32>
    %nt = divi %N, %c16 unsigned : tile<i32>
    %row = muli %nt, %c192 : tile<i32>
    %groups = divi %K, %c32 unsigned : tile<i32>
    %ga = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> !h
    %gb = make_tensor_view %B, shape = [%kt, %nt, 192], strides = [%row, 192, 1] : tile<i32> -> !bytes6
    %gs = make_tensor_view %S, shape = [%groups, %N], strides = [%N, 1] : tile<i32> -> !h
    %gc = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> !f
    %x, %y, %z = get_tile_block_id : tile<i32>
    %m = muli %x, %c32 : tile<i32>
    %n = muli %y, %c64 : tile<i32>
    %t = muli %y, %c4 : tile<i32>
    %sa = alloc_shared : shared<2x32x32xf16, #slots>
    %sb = alloc_shared : shared<2x2x4x192xi8>
    %a0 = subview %sa[%c0] : shared<2x32x32xf16, #slots> -> shared<32x32xf16, #slot>
    %b0 = subview %sb[%c0] : shared<2x2x4x192xi8> -> shared<2x4x192xi8>
    cp_async %ga[%m, %c0], %a0 by #copy : !h, shared<32x32xf16, #slot>
    cp_async %gb[%c0, %t, %c0], %b0 by layout<spatial(2, 4, 8).local(1, 1, 24)> : !bytes6, shared<2x4x192xi8>
    cp_async_commit
    %zero = constant <f32: 0.0> : !c
    %sum = for %i in (%c0 to %groups, step %c1) : tile<i32> iter_values(%acc = %zero) -> (!c) {
      cp_async_wait 0
      barrier
      %s = andi %i, %c1 : tile<i32>
      %o = xori %s, %c1 : tile<i32>
      %j = addi %i, %c1 : tile<i32>
      %k = muli %j, %c32 : tile<i32>
      %q = muli %j, %c2 : tile<i32>
      %an = subview %sa[%o] : shared<2x32x32xf16, #slots> -> shared<32x32xf16, #slot>
      %bn = subview %sb[%o] : shared<2x2x4x192xi8> -> shared<2x4x192xi8>
      cp_async %ga[%m, %k], %an by #copy : !h, shared<32x32xf16, #slot>
      cp_async %gb[%q, %t, %c0], %bn by layout<spatial(2, 4, 8).local(1, 1, 24)> : !bytes6, shared<2x4x192xi8>
      cp_async_commit
      %ai = subview %sa[%s] : shared<2x32x32xf16, #slots> -> shared<32x32xf16, #slot>
      %bi = subview %sb[%s] : shared<2x2x4x192xi8> -> shared<2x4x192xi8>
      %ra = load_shared %ai : shared<32x32xf16, #slot> -> tile<32x32xf16, #a>
      %packed = load_shared %bi : shared<2x4x192xi8> -> tile<2x4x192xi8, spatial(1, 2, 1).local(2, 2, 1).local(1, 1, 3).spatial(1, 1, 32).local(1, 1, 2)>
      %few = reinterpret %packed : tile<2x4x192xi8, spatial(1, 2, 1).local(2, 2, 1).local(1, 1, 3).spatial(1, 1, 32).local(1, 1, 2)> -> tile<32x64xf6E3M2FN, #b>
      %wide = ftof %few : tile<32x64xf6E3M2FN, #b> -> tile<32x64xf16, #b>
      %scale = load_global %gs[%i, %n] : !h -> tile<1x64xf16, reduce(spatial(1, 2).local(2, 4) * mma.m16n8k16.B, dims=[0], keepdims=True)>
      %scales = broadcast %scale : tile<1x64xf16, reduce(spatial(1, 2).local(2, 4) * mma.m16n8k16.B, dims=[0], keepdims=True)> -> tile<32x64xf16, #b>
      %rb = mulf %wide, %scales : tile<32x64xf16, #b>
      %d = mmaf %ra, %rb, %acc : tile<32x32xf16, #a>, tile<32x64xf16, #b>, !c
      continue %d : !c
    }
    cp_async_wait 0  // harmless on a GPU: nobody reads what was copied behind the last step
    store_global %sum, %gc[%m, %n] : !c, !f
    return
  }
}
