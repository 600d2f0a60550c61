// REQUIRES: llvm
// RUN: mkdir -p %t && cd %t
// RUN: %tessera run %s -k shared -t interp --sanitize=all -g 1 zeros:i32:96 --save out=o.npy 2>&1 | FileCheck %s
// RUN: %npy expect o.npy '<i4' 96 '(lambda m, odd: (lambda a: (i if odd and a == 7 else a) + (a if odd else 7) + (m if odd else 0))(m + i if odd else m))(i % 7, i & 1)'
// RUN: %engines %t.shared %s -k shared --grid 1 zeros:i32:96 --save out
// RUN: %tessera run %s -k modes -t interp --sanitize=all -g 1 zeros:i32:640 --save out=o.npy 2>&1 | FileCheck %s
// RUN: %npy expect o.npy '<i4' 640 '(lambda a, x, u: [a & x, a | x, a ^ x, a + x, max(a, x), min(a, x), (a if u(a) > u(x) else x), (a if u(a) < u(x) else x), x, a + x][i // 64])(i % 64 - 20, (i % 64 * 37) % 101 - 50, lambda v: v + (1 << 32) * (v < 0))'
// RUN: %tessera run %s -k modes -t emu:sm_90a --sanitize=all -g 1 zeros:i32:640 --save out=e.npy 2>&1 | FileCheck %s --check-prefix=EMU
// RUN: cmp o.npy e.npy
// RUN: %engines %t.modes %s -k modes --grid 1 zeros:i32:640 --save out
// RUN: %tessera run %s -k blocks -t interp --sanitize=all -g 3 zeros:i32:80 zeros:f32:64 zeros:i32:192 --save sum=o.npy --save floats=p.npy --save old=q.npy 2>&1 | FileCheck %s
// RUN: %npy expect o.npy '<i4' 80 '3 * (i - 20) if i >= 20 and i % 2 == 0 else 0'
// RUN: %npy expect p.npy '<f4' 64 '1.5 * i'
// RUN: %npy expect q.npy '<i4' 192 'i % 64 + 1 if i >= 64 else 9'
// RUN: %engines %t.blocks %s -k blocks --grid 3 zeros:i32:80 zeros:f32:64 zeros:i32:192 --save sum --save floats --save old
// RUN: %tessera run %s -k blocks -t emu:sm_90a --sanitize=all -g 3 zeros:i32:80 zeros:f32:64 zeros:i32:192 --save sum=%t/e.npy 2>&1 | FileCheck %s --check-prefix=EMU
// RUN: cmp o.npy e.npy
// RUN: %tessera run %s -k random -t interp -g 1 i64:0 zeros:i32:4x96 --save out=o.npy
// RUN: %tessera run %s -k first_words -t interp -g 1 i64:0 zeros:i32:4 --save out=w.npy
// RUN: %npy expect w.npy '<i4' 4 '(lambda v: v - (1 << 32) * (v >> 31))([0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8][i])'
// RUN: %engines %t.random %s -k random --grid 1 i64:-81985529216486896 zeros:i32:4x96 --save out
// RUN: %tessera run %s -k told -t interp -g 1 i32:480 > told.txt
// RUN: %tessera run %s -k told -t cpu -g 1 i32:480 | cmp - told.txt
// RUN: %tessera run %s -k told -t emu:sm_80 -g 1 i32:480 | cmp - told.txt
// RUN: FileCheck %s --check-prefix=TOLD < told.txt
// RUN: not %tessera run %s -k told -t interp -g 1 i32:317 2>&1 | FileCheck %s --check-prefix=ASSERT
// RUN: not %tessera run %s -k told -t cpu -g 1 i32:317 2>&1 | FileCheck %s --check-prefix=ASSERT
//
// Atomic updates of shared and global memory, random numbers, and what tells of tiles.
// CHECK: sanitizer: nothing found
// EMU: checks found nothing
#l = layout<local(3).spatial(32)>
#c = layout<replicated(1, num_workers=4).spatial(8)>
#w = layout<local(2).spatial(32)>
#g = layout<local(3, 5).spatial(4, 8)>
!s = shared<96xi32, (96):(2)>
!t = tile<96xi32, #l>
!w = tile<64xi32, #w>
!v = tensor_view<?xi32, strides=[1]>
cuda_tile.module @atomics {
  // Sizes and strides of no power of two, with a mask.
  entry @shared(%out: tile<ptr<i32>>) threads(32) {
    %c0 = constant <i32: 0> : tile<i32>
    %n = constant <i32: 96> : tile<i32>
    %v = make_tensor_view %out, shape = [%n], strides = [1] : tile<i32> -> !v
    %s = alloc_shared : !s
    %i = iota : !t
    %c7 = constant <i32: 7> : !t
    %m = remi %i, %c7 unsigned : !t
    %odd = trunci %i : !t -> tile<96xi1, #l>
    store_shared %m, %s : !t, !s
    barrier // harmless: each thread accesses what it stored itself
    %added = atomic_shared add %i, %s mask = %odd : tile<96xi1, #l> : !t, !s -> !t
    %found = atomic_cas_shared %c7, %i, %s mask = %odd : tile<96xi1, #l> : !t, !s -> !t
    barrier // harmless: each thread accesses what it stored itself
    %now = load_shared %s : !s -> !t
    %a = addi %now, %found : !t
    %b = addi %a, %added : !t
    store_global %b, %v[%c0] : !t, !v
    return
  }

  // Each mode, on i - 20 and another number; floats last.
  entry @modes(%out: tile<ptr<i32>>) threads(32) {
    %0 = constant <i32: 0> : tile<i32>
    %64 = constant <i32: 64> : tile<i32>
    %n = constant <i32: 640> : tile<i32>
    %v = make_tensor_view %out, shape = [%n], strides = [1] : tile<i32> -> !v
    %s = alloc_shared : shared<10x64xi32>
    %f = alloc_shared : shared<64xf32>
    %i = iota : !w
    %20 = constant <i32: 20> : !w
    %37 = constant <i32: 37> : !w
    %101 = constant <i32: 101> : !w
    %50 = constant <i32: 50> : !w
    %a = subi %i, %20 : !w
    %p = muli %i, %37 : !w
    %q = remi %p, %101 signed : !w
    %x = subi %q, %50 : !w
    %1 = constant <i32: 1> : tile<i32>
    %2 = constant <i32: 2> : tile<i32>
    %3 = constant <i32: 3> : tile<i32>
    %4 = constant <i32: 4> : tile<i32>
    %5 = constant <i32: 5> : tile<i32>
    %6 = constant <i32: 6> : tile<i32>
    %7 = constant <i32: 7> : tile<i32>
    %8 = constant <i32: 8> : tile<i32>
    %9 = constant <i32: 9> : tile<i32>
    %s0 = subview %s[%0] : shared<10x64xi32> -> shared<64xi32>
    %s1 = subview %s[%1] : shared<10x64xi32> -> shared<64xi32>
    %s2 = subview %s[%2] : shared<10x64xi32> -> shared<64xi32>
    %s3 = subview %s[%3] : shared<10x64xi32> -> shared<64xi32>
    %s4 = subview %s[%4] : shared<10x64xi32> -> shared<64xi32>
    %s5 = subview %s[%5] : shared<10x64xi32> -> shared<64xi32>
    %s6 = subview %s[%6] : shared<10x64xi32> -> shared<64xi32>
    %s7 = subview %s[%7] : shared<10x64xi32> -> shared<64xi32>
    %s8 = subview %s[%8] : shared<10x64xi32> -> shared<64xi32>
    %s9 = subview %s[%9] : shared<10x64xi32> -> shared<64xi32>
    store_shared %a, %s0 : !w, shared<64xi32>
    store_shared %a, %s1 : !w, shared<64xi32>
    store_shared %a, %s2 : !w, shared<64xi32>
    store_shared %a, %s3 : !w, shared<64xi32>
    store_shared %a, %s4 : !w, shared<64xi32>
    store_shared %a, %s5 : !w, shared<64xi32>
    store_shared %a, %s6 : !w, shared<64xi32>
    store_shared %a, %s7 : !w, shared<64xi32>
    store_shared %a, %s8 : !w, shared<64xi32>
    %fa = itof %a signed : !w -> tile<64xf32, #w>
    %fx = itof %x signed : !w -> tile<64xf32, #w>
    store_shared %fa, %f : tile<64xf32, #w>, shared<64xf32>
    %r0 = atomic_shared and %x, %s0 : !w, shared<64xi32> -> !w
    %r1 = atomic_shared or %x, %s1 : !w, shared<64xi32> -> !w
    %r2 = atomic_shared xor %x, %s2 : !w, shared<64xi32> -> !w
    %r3 = atomic_shared add %x, %s3 : !w, shared<64xi32> -> !w
    %r4 = atomic_shared max %x, %s4 : !w, shared<64xi32> -> !w
    %r5 = atomic_shared min %x, %s5 : !w, shared<64xi32> -> !w
    %r6 = atomic_shared umax %x, %s6 : !w, shared<64xi32> -> !w
    %r7 = atomic_shared umin %x, %s7 : !w, shared<64xi32> -> !w
    %r8 = atomic_shared xchg %x, %s8 : !w, shared<64xi32> -> !w
    %r9 = atomic_shared addf %fx, %f : tile<64xf32, #w>, shared<64xf32> -> tile<64xf32, #w>
    %fs = load_shared %f : shared<64xf32> -> tile<64xf32, #w>
    %is = ftoi %fs signed : tile<64xf32, #w> -> !w
    store_shared %is, %s9 : !w, shared<64xi32>
    for %k in (%0 to %n, step %64) : tile<i32> {
      %row = divi %k, %64 unsigned : tile<i32>
      %part = subview %s[%row] : shared<10x64xi32> -> shared<64xi32> // another kernel shifted by one: the next part, which is there, too
      %t = load_shared %part : shared<64xi32> -> !w
      store_global %t, %v[%k] : !w, !v
    }
    return
  }

  // Three tile blocks update the same elements: those of even index, from -20 on; floats; and what
  // a block of copies found.
  entry @blocks(%sum: tile<ptr<i32>>, %floats: tile<ptr<f32>>, %old: tile<ptr<i32>>) threads(32) {
    %c0 = constant <i32: 0> : tile<i32>
    %c64 = constant <i32: 64> : tile<i32>
    %c8 = constant <i32: 8> : tile<i32>
    %n = constant <i32: 80> : tile<i32>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %v = make_tensor_view %sum, shape = [%n], strides = [1] : tile<i32> -> !v
    %f = make_tensor_view %floats, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %o = make_tensor_view %old, shape = [3, 64], strides = [64, 1] : tensor_view<3x64xi32, strides=[64,1]>
    %i = iota : !t
    %odd = trunci %i : !t -> tile<96xi1, #l>
    %true = constant <i1: true> : tile<96xi1, #l>
    %even = xori %odd, %true : tile<96xi1, #l>
    %c20 = constant <i32: 20> : tile<i32>
    %r = atomic_global add %i, %v[%c20] mask = %even : tile<96xi1, #l> : !t, !v -> !t
    %j = iota : !w
    %h = itof %j signed : !w -> tile<64xf32, #w>
    %half = constant <f32: 0.5> : tile<64xf32, #w>
    %hh = mulf %h, %half : tile<64xf32, #w>
    %s = atomic_global addf %hh, %f[%c0] : tile<64xf32, #w>, tensor_view<64xf32, strides=[1]> -> tile<64xf32, #w>
    // Blocks 1 and 2 swap in their own rows: zeros become i + 1, and what copies found is 0.
    %one = constant <i32: 1> : tile<8xi32, #c>
    %zero = constant <i32: 0> : tile<8xi32, #c>
    %nine = constant <i32: 9> : tile<8xi32, #c>
    %first = cmpi equal %x, %c0, unsigned : tile<i32> -> tile<i1>
    for %k in (%c0 to %c64, step %c8) : tile<i32> {
      %e = iota : tile<8xi32, #c>
      %kt = reshape %k : tile<i32> -> tile<1xi32, replicated(1, num_workers=32)>
      %kb = broadcast %kt : tile<1xi32, replicated(1, num_workers=32)> -> tile<8xi32, #c>
      %at = addi %e, %kb : tile<8xi32, #c>
      %next = addi %at, %one : tile<8xi32, #c>
      %row = make_tensor_view %old, shape = [192], strides = [1] : tensor_view<192xi32, strides=[1]>
      %base = muli %x, %c64 : tile<i32>
      %place = addi %base, %k : tile<i32>
      %found = atomic_cas_global %zero, %next, %row[%place] : tile<8xi32, #c>, tensor_view<192xi32, strides=[1]> -> tile<8xi32, #c>
      %isfirst = reshape %first : tile<i1> -> tile<1xi1, replicated(1, num_workers=32)>
      %firsts = broadcast %isfirst : tile<1xi1, replicated(1, num_workers=32)> -> tile<8xi1, #c>
      %swap = addi %found, %nine : tile<8xi32, #c>
      %again = atomic_cas_global %next, %swap, %row[%place] mask = %firsts : tile<8xi1, #c> : tile<8xi32, #c>, tensor_view<192xi32, strides=[1]> -> tile<8xi32, #c>
    }
    return
  }

  entry @random(%seed: tile<i64>, %out: tile<ptr<i32>>) threads(32) {
    %0 = constant <i32: 0> : tile<i32>
    %1 = constant <i32: 1> : tile<i32>
    %2 = constant <i32: 2> : tile<i32>
    %3 = constant <i32: 3> : tile<i32>
    %v = make_tensor_view %out, shape = [4, 96], strides = [96, 1] : tensor_view<4x96xi32, strides=[96,1]>
    %i = iota : tile<96xi64, #l>
    %big = constant <i64: 123456789123456> : tile<96xi64, #l>
    %at = muli %i, %big : tile<96xi64, #l>
    %a, %b, %c, %d = philox %seed, %at : tile<96xi64, #l> -> !t
    %row = iota : tile<1xi32, replicated(1, num_workers=32)>
    %ra = reshape %a : !t -> tile<1x96xi32, local(1, 3).spatial(1, 32)>
    %rb = reshape %b : !t -> tile<1x96xi32, local(1, 3).spatial(1, 32)>
    %rc = reshape %c : !t -> tile<1x96xi32, local(1, 3).spatial(1, 32)>
    %rd = reshape %d : !t -> tile<1x96xi32, local(1, 3).spatial(1, 32)>
    store_global %ra, %v[%0, %0] : tile<1x96xi32, local(1, 3).spatial(1, 32)>, tensor_view<4x96xi32, strides=[96,1]>
    store_global %rb, %v[%1, %0] : tile<1x96xi32, local(1, 3).spatial(1, 32)>, tensor_view<4x96xi32, strides=[96,1]>
    store_global %rc, %v[%2, %0] : tile<1x96xi32, local(1, 3).spatial(1, 32)>, tensor_view<4x96xi32, strides=[96,1]>
    store_global %rd, %v[%3, %0] : tile<1x96xi32, local(1, 3).spatial(1, 32)>, tensor_view<4x96xi32, strides=[96,1]>
    return
  }

  // The words of counter 0 and key 0, as the generator's authors give them.
  entry @first_words(%seed: tile<i64>, %out: tile<ptr<i32>>) threads(32) {
    %a, %b, %c, %d = philox %seed, %seed : tile<i64> -> tile<i32>
    %p1, %t1 = atomic_rmw_tko relaxed device %out, add, %a : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %1 = constant <i32: 1> : tile<i32>
    %2 = offset %out, %1 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %p2, %t2 = atomic_rmw_tko relaxed device %2, add, %b : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %3 = offset %2, %1 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %p3, %t3 = atomic_rmw_tko relaxed device %3, add, %c : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %4 = offset %3, %1 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %p4, %t4 = atomic_rmw_tko relaxed device %4, add, %d : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    return
  }

  // TOLD: n = 480%, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23]
  // TOLD-NEXT: {{\[\[0, 1, 2, 3, 4\], \[40, 41, 42, 43, 44\], \[80, 81, 82, 83, 84\]\]}} ends
  // ASSERT: element [7, 37]: too large
  entry @told(%n: tile<i32>) threads(32) {
    %line = iota : tile<24xi32, local(3).spatial(8).replicated(1, num_workers=4)>
    print_tko "n = %i%%, %i\n", %n, %line : tile<i32>, tile<24xi32, local(3).spatial(8).replicated(1, num_workers=4)> -> token
    %i = iota : tile<480xi32, local(3).spatial(4).local(5).spatial(8)>
    %x = reshape %i : tile<480xi32, local(3).spatial(4).local(5).spatial(8)> -> tile<12x40xi32, #g>
    %few0 = iota : tile<5xi32, replicated(5, num_workers=32)>
    %few1 = reshape %few0 : tile<5xi32, replicated(5, num_workers=32)> -> tile<1x5xi32, replicated(1, 5, num_workers=32)>
    %few2 = broadcast %few1 : tile<1x5xi32, replicated(1, 5, num_workers=32)> -> tile<3x5xi32, replicated(3, 5, num_workers=32)>
    %rows = iota : tile<3xi32, replicated(3, num_workers=32)>
    %40 = constant <i32: 40> : tile<3xi32, replicated(3, num_workers=32)>
    %starts = muli %rows, %40 : tile<3xi32, replicated(3, num_workers=32)>
    %row1 = reshape %starts : tile<3xi32, replicated(3, num_workers=32)> -> tile<3x1xi32, replicated(3, 1, num_workers=32)>
    %row2 = broadcast %row1 : tile<3x1xi32, replicated(3, 1, num_workers=32)> -> tile<3x5xi32, replicated(3, 5, num_workers=32)>
    %all = addi %row2, %few2 : tile<3x5xi32, replicated(3, 5, num_workers=32)>
    print_tko "%d ends\n", %all : tile<3x5xi32, replicated(3, 5, num_workers=32)> -> token
    %n1 = reshape %n : tile<i32> -> tile<1x1xi32, replicated(1, 1, num_workers=32)>
    %most = broadcast %n1 : tile<1x1xi32, replicated(1, 1, num_workers=32)> -> tile<12x40xi32, #g>
    %ok = cmpi less_than %x, %most, signed : tile<12x40xi32, #g> -> tile<12x40xi1, #g>
    assert %ok, "too large" : tile<12x40xi1, #g>
    return
  }
}
