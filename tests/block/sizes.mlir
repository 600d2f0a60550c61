// REQUIRES: llvm
// RUN: mkdir -p %t && cd %t
// RUN: %tessera run %s -k moves -t interp --sanitize=all -g 1 zeros:i32:588 i32:588 --save out=o.npy
// RUN: %npy expect o.npy '<i4' 588 '(i % 3) * 32 + i // 3 if i < 96 else (lambda j: j if j < 64 else j - 32)(i % 96) if i < 288 else i % 96 if i < 480 else (lambda r, c: (c + 1) * 32 * r + c * (c + 1) // 2)((i - 480) // 32, i % 32) if i < 576 else int("314159265358"[i - 576])'
// RUN: %engines %t.moves %s -k moves --no-amd --grid 1 zeros:i32:588 i32:588 --save out
// RUN: %tessera run %s -k masked -t interp --sanitize=all -g 1 arange:i32:70 ones:i32:96 i32:70 i1:false --save out=o.npy
// RUN: %npy expect o.npy '<i4' 96 'i if i < 70 and i % 3 == 0 else 0'
// RUN: %engines %t.some %s -k masked --no-amd --grid 1 arange:i32:70 ones:i32:96 i32:70 i1:false --save out
// RUN: %engines %t.all %s -k masked --no-amd --grid 1 arange:i32:70 ones:i32:96 i32:70 i1:true --save out
// RUN: %tessera run %s -k blocks -t interp --sanitize=all -g 2 ones:f16:96x48 ones:f16:48x192 zeros:f32:96x192 i32:192 --save C=o.npy
// RUN: %npy expect o.npy '<f4' 96x192 '48'
// RUN: %engines %t.blocks %s -k blocks --no-amd --grid 2 normal:f16:96x48 normal:f16:48x192 zeros:f32:96x192 i32:192 --save C --rtol=1e-4 --atol=1e-3
// RUN: %tessera run %s -k sums -t interp --sanitize=all -g 1 arange:i32:24x16 zeros:i32:24x16 --save out=o.npy
// RUN: %npy expect o.npy '<i4' 24x16 'i // 16 * 256 + 120'
// RUN: %engines %t.sums %s -k sums --no-amd --grid 1 arange:i32:24x16 zeros:i32:24x16 --save out
//
// Tiles whose sizes are no powers of two.
#l = layout<local(3).spatial(32)>
#m = layout<local(3, 1).spatial(1, 32)>
#turned = layout<permute(local(3, 1).spatial(1, 32), dims=[1, 0])>
!t = tile<96xi32, #l>
!v = tensor_view<?xi32, strides=[1]>
!a = tensor_view<96x48xf16, strides=[48,1]>
!b = tensor_view<48x?xf16, strides=[?,1]>
!c = tensor_view<96x?xf32, strides=[?,1]>
cuda_tile.module @sizes {
  // What moves elements: each result goes to 96 elements of their own.
  entry @moves(%out: tile<ptr<i32>>, %n: tile<i32>) threads(32) {
    %g = make_tensor_view %out, shape = [%n], strides = [1] : tile<i32> -> !v
    %0 = constant <i32: 0> : tile<i32>
    %1 = constant <i32: 1> : tile<i32>
    %2 = constant <i32: 2> : tile<i32>
    %96 = constant <i32: 96> : tile<i32>
    %192 = constant <i32: 192> : tile<i32>
    %288 = constant <i32: 288> : tile<i32>
    %384 = constant <i32: 384> : tile<i32>
    %576 = constant <i32: 576> : tile<i32>
    %i = iota : !t
    // Columns become rows.
    %r = reshape %i : !t -> tile<3x32xi32, #m>
    %p = permute %r [1, 0] : tile<3x32xi32, #m> -> tile<32x3xi32, #turned>
    %gt = make_tensor_view %out, shape = [32, 3], strides = [3, 1] : tensor_view<32x3xi32, strides=[3,1]>
    store_global %p, %gt[%0, %0] : tile<32x3xi32, #turned>, tensor_view<32x3xi32, strides=[3,1]>
    // A third of it twice; and the whole behind that.
    %e = extract %i[%1] : !t -> tile<32xi32, spatial(32)>
    %w = insert %e, %i[%2] : tile<32xi32, spatial(32)>, !t -> !t
    store_global %w, %g[%96] : !t, !v
    %c = cat %w, %i dim = 0 : !t, !t -> tile<192xi32, local(6).spatial(32)>
    store_global %c, %g[%192] : tile<192xi32, local(6).spatial(32)>, !v
    // To other threads, in another order in each.
    %h = convert_layout %i : !t -> tile<96xi32, spatial(32).local(3)>
    store_global %h, %g[%384] : tile<96xi32, spatial(32).local(3)>, !v
    %s = scan %r dim=1 reverse=false identities=[0 : i32] : tile<3x32xi32, #m> -> tile<3x32xi32, #m>
    (%x: tile<i32>, %y: tile<i32>) {
      %z = addi %x, %y : tile<i32>
      yield %z : tile<i32>
    }
    %q = reshape %s : tile<3x32xi32, #m> -> !t
    %480 = constant <i32: 480> : tile<i32>
    store_global %q, %g[%480] : !t, !v
    // Twelve numbers that each thread has.
    %k = constant <i32: [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8]> : tile<12xi32, replicated(1, num_workers=32).local(12)>
    store_global %k, %g[%576] : tile<12xi32, replicated(1, num_workers=32).local(12)>, !v
    return
  }
  // Every third element is copied, those behind the first n are -1; all of them if that is asked.
  entry @masked(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %n: tile<i32>, %all: tile<i1>) threads(32) {
    %f = make_tensor_view %in, shape = [%n], strides = [1] : tile<i32> -> !v
    %96 = constant <i32: 96> : tile<i32>
    %g = make_tensor_view %out, shape = [%96], strides = [1] : tile<i32> -> !v
    %0 = constant <i32: 0> : tile<i32>
    %i = iota : tile<96xi32, spatial(2).local(3).spatial(16)>
    %3 = constant <i32: 3> : tile<96xi32, spatial(2).local(3).spatial(16)>
    %z = constant <i32: 0> : tile<96xi32, spatial(2).local(3).spatial(16)>
    %r = remi %i, %3 unsigned : tile<96xi32, spatial(2).local(3).spatial(16)>
    %third = cmpi equal %r, %z, unsigned : tile<96xi32, spatial(2).local(3).spatial(16)> -> tile<96xi1, spatial(2).local(3).spatial(16)>
    %x = if %all -> (tile<96xi32, spatial(2).local(3).spatial(16)>) {
      %a = load_global %f[%0] : !v -> tile<96xi32, spatial(2).local(3).spatial(16)>
      yield %a : tile<96xi32, spatial(2).local(3).spatial(16)>
    } else {
      %b = load_global %f[%0] mask = %third : tile<96xi1, spatial(2).local(3).spatial(16)> : !v -> tile<96xi32, spatial(2).local(3).spatial(16)>
      yield %b : tile<96xi32, spatial(2).local(3).spatial(16)>
    }
    store_global %x, %g[%0] : tile<96xi32, spatial(2).local(3).spatial(16)>, !v
    return
  }
  // A product of 96 x 96 x 48, through shared memory that copies of 16 bytes fill.
  entry @blocks(%A: tile<ptr<f16>>, %B: tile<ptr<f16>>, %C: tile<ptr<f32>>, %n: tile<i32>) threads(128) {
    %0 = constant <i32: 0> : tile<i32>
    %96 = constant <i32: 96> : tile<i32>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %j = muli %x, %96 : tile<i32>
    %ga = make_tensor_view %A, shape = [96, 48], strides = [48, 1] : !a
    %gb = make_tensor_view %B, shape = [48, %n], strides = [%n, 1] : tile<i32> -> !b
    %gc = make_tensor_view %C, shape = [96, %n], strides = [%n, 1] : tile<i32> -> !c
    %sa = alloc_shared : shared<96x48xf16, (96,48):(56,1)>
    %sb = alloc_shared : shared<48x96xf16, (48,96):(104,1)>
    cp_async %ga[%0, %0], %sa by layout<local(3, 1).spatial(32, 2).replicated(1, 1, num_workers=2).local(1, 3).local(1, 8)> : !a, shared<96x48xf16, (96,48):(56,1)>
    cp_async %gb[%0, %j], %sb by layout<local(3, 3).spatial(16, 4).replicated(1, 1, num_workers=2).local(1, 8)> : !b, shared<48x96xf16, (48,96):(104,1)>
    cp_async_commit
    cp_async_wait 0
    barrier
    %ra = load_shared %sa : shared<96x48xf16, (96,48):(56,1)> -> tile<96x48xf16, spatial(2, 1).replicated(1, 1, num_workers=2).local(3, 3) * mma.m16n8k16.A>
    %rb = load_shared %sb : shared<48x96xf16, (48,96):(104,1)> -> tile<48x96xf16, replicated(1, 1, num_workers=2).spatial(1, 2).local(3, 6) * mma.m16n8k16.B>
    %zero = constant <f32: 0.0> : tile<96x96xf32, spatial(2, 2).local(3, 6) * mma.m16n8k16.C>
    %d = mmaf %ra, %rb, %zero : tile<96x48xf16, spatial(2, 1).replicated(1, 1, num_workers=2).local(3, 3) * mma.m16n8k16.A>, tile<48x96xf16, replicated(1, 1, num_workers=2).spatial(1, 2).local(3, 6) * mma.m16n8k16.B>, tile<96x96xf32, spatial(2, 2).local(3, 6) * mma.m16n8k16.C>
    store_global %d, %gc[%0, %j] : tile<96x96xf32, spatial(2, 2).local(3, 6) * mma.m16n8k16.C>, !c
    return
  }
  // A row's slots stand apart for the sake of the columns, which the reduction removes.
  entry @sums(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>) threads(32) {
    %0 = constant <i32: 0> : tile<i32>
    %f = make_tensor_view %in, shape = [24, 16], strides = [16, 1] : tensor_view<24x16xi32, strides=[16,1]>
    %g = make_tensor_view %out, shape = [24, 16], strides = [16, 1] : tensor_view<24x16xi32, strides=[16,1]>
    %x = load_global %f[%0, %0] : tensor_view<24x16xi32, strides=[16,1]> -> tile<24x16xi32, spatial(4, 8).local(2, 1).local(1, 2).local(3, 1)>
    %r = reduce %x dim=1 identities=[0 : i32] : tile<24x16xi32, spatial(4, 8).local(2, 1).local(1, 2).local(3, 1)> -> tile<24xi32, reduce(spatial(4, 8).local(2, 1).local(1, 2).local(3, 1), dims=[1])>
    (%a: tile<i32>, %b: tile<i32>) {
      %s = addi %a, %b : tile<i32>
      yield %s : tile<i32>
    }
    %k = reshape %r : tile<24xi32, reduce(spatial(4, 8).local(2, 1).local(1, 2).local(3, 1), dims=[1])> -> tile<24x1xi32, reduce(spatial(4, 8).local(2, 1).local(1, 2).local(3, 1), dims=[1], keepdims=True)>
    %w = broadcast %k : tile<24x1xi32, reduce(spatial(4, 8).local(2, 1).local(1, 2).local(3, 1), dims=[1], keepdims=True)> -> tile<24x16xi32, spatial(4, 8).local(2, 1).local(1, 2).local(3, 1)>
    store_global %w, %g[%0, %0] : tile<24x16xi32, spatial(4, 8).local(2, 1).local(1, 2).local(3, 1)>, tensor_view<24x16xi32, strides=[16,1]>
    return
  }
}
