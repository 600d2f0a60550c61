// RUN: %tessera run %s -t interp --sanitize=all -g 2 --seed 7 normal:f16:100x64 normal:f16:136x64 normal:f16:136x64 zeros:f32:100x64 i32:100 i32:136 --save O=%t.b.npy
// RUN: %tessera run %S/attention.mlir -t interp -g 2 --seed 7 normal:f16:100x64 normal:f16:136x64 normal:f16:136x64 zeros:f32:100x64 i32:100 i32:136 --save O=%t.r.npy
// RUN: cmp %t.b.npy %t.r.npy
// RUN: %tessera fmt --infer %s | sed '/^\/\//d' | FileCheck %s
//
// attention.mlir without the layouts of its tiles. The queries are loaded as they lie in memory and
// handed out as the product needs them, once, in front of the loop.
// CHECK: %[[Q:.*]] = convert_layout %q
// CHECK: iter_values
// CHECK: mmaf %[[Q]], %kt, %nothing
// CHECK: %p = convert_layout %eh
// CHECK-NOT: convert_layout
#copy = layout<local(4, 1).spatial(16, 8).local(1, 8)>
#slots = layout<Sw<3,3,3> o (2,64,64):(4096,64,1)>
#slot = layout<Sw<3,3,3> o (64,64):(64,1)>
!s = tile<64x64xf32>
!row = tile<64xf32>
!column = tile<64x1xf32>
!slots = shared<2x64x64xf16, #slots>
!slot = shared<64x64xf16, #slot>
!h = tensor_view<?x64xf16, strides=[64,1]>
!f = tensor_view<?x64xf32, strides=[64,1]>
cuda_tile.module @attention {
  entry @attention(%Q: tile<ptr<f16>>, %K: tile<ptr<f16>>, %V: tile<ptr<f16>>, %O: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>) threads(128) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c64 = constant <i32: 64> : tile<i32>
    %gq = make_tensor_view %Q, shape = [%M, 64], strides = [64, 1] : tile<i32> -> !h
    %gk = make_tensor_view %K, shape = [%N, 64], strides = [64, 1] : tile<i32> -> !h
    %gv = make_tensor_view %V, shape = [%N, 64], strides = [64, 1] : tile<i32> -> !h
    %go = make_tensor_view %O, shape = [%M, 64], strides = [64, 1] : tile<i32> -> !f
    %x, %y, %z = get_tile_block_id : tile<i32>
    %m = muli %x, %c64 : tile<i32>
    %steps = divi %N, %c64 unsigned rounding<positive_inf> : tile<i32>
    %sk = alloc_shared : !slots
    %sv = alloc_shared : !slots
    %k0 = subview %sk[%c0] : !slots -> !slot
    %v0 = subview %sv[%c0] : !slots -> !slot
    cp_async %gk[%c0, %c0], %k0 by #copy : !h, !slot
    cp_async %gv[%c0, %c0], %v0 by #copy : !h, !slot
    cp_async_commit
    %q = load_global %gq[%m, %c0] : !h -> tile<64x64xf16>
    // Powers of 2 in place of e: 0.125 times the logarithm of e, which is multiplied in with the maximum.
    %scale = constant <f32: 0.18033688> : !row
    %scales = constant <f32: 0.18033688> : !s
    %nothing = constant <f32: 0.0> : !s
    %minus = constant <f32: 0xFF800000> : !s
    %max0 = constant <f32: 0xFF800000> : !row
    %sum0 = constant <f32: 0.0> : !row
    %number = iota : tile<64xi32>
    %number1 = reshape %number : tile<64xi32> -> tile<1x64xi32>
    %keys = broadcast %number1 : tile<1x64xi32> -> tile<64x64xi32>
    %max, %sum, %out = for %i in (%c0 to %steps, step %c1) : tile<i32> iter_values(%mx = %max0, %sm = %sum0, %acc = %nothing) -> (!row, !row, !s) {
      cp_async_wait 0
      barrier
      %slot = andi %i, %c1 : tile<i32>
      %other = xori %slot, %c1 : tile<i32>
      %next = addi %i, %c1 : tile<i32>
      %first = muli %next, %c64 : tile<i32>
      %kn = subview %sk[%other] : !slots -> !slot
      %vn = subview %sv[%other] : !slots -> !slot
      cp_async %gk[%first, %c0], %kn by #copy : !h, !slot
      cp_async %gv[%first, %c0], %vn by #copy : !h, !slot
      cp_async_commit
      %ki = subview %sk[%slot] : !slots -> !slot
      %vi = subview %sv[%slot] : !slots -> !slot
      %rows = load_shared %ki : !slot -> tile<64x64xf16>
      %kt = permute %rows [1, 0] : tile<64x64xf16> -> tile<64x64xf16>
      %w0 = mmaf %q, %kt, %nothing : tile<64x64xf16>, tile<64x64xf16>, !s
      %here = muli %i, %c64 : tile<i32>
      %left = subi %N, %here : tile<i32>
      %left1 = reshape %left : tile<i32> -> tile<1x1xi32>
      %left2 = broadcast %left1 : tile<1x1xi32> -> tile<64x64xi32>
      %inside = cmpi less_than %keys, %left2, signed : tile<64x64xi32> -> tile<64x64xi1>
      %w = select %inside, %w0, %minus : tile<64x64xi1>, !s
      %mw = reduce %w dim=1 identities=[0xFF800000 : f32] : !s -> !row
      (%a: tile<f32>, %b: tile<f32>) { %r = maxf %a, %b : tile<f32> yield %r : tile<f32> }
      %mn = maxf %mx, %mw : !row
      %high = mulf %mn, %scale : !row
      %low = negf %high : !row
      %low1 = reshape %low : !row -> !column
      %low2 = broadcast %low1 : !column -> !s
      %d = fma %w, %scales, %low2 : !s
      %e = exp2 %d : !s
      %se = reduce %e dim=1 identities=[0.0 : f32] : !s -> !row
      (%a: tile<f32>, %b: tile<f32>) { %r = addf %a, %b : tile<f32> yield %r : tile<f32> }
      %dm = fma %mx, %scale, %low : !row
      %f = exp2 %dm : !row
      %sn = fma %sm, %f, %se : !row
      %f1 = reshape %f : !row -> !column
      %f2 = broadcast %f1 : !column -> !s
      %scaled = mulf %acc, %f2 : !s
      %eh = ftof %e : !s -> tile<64x64xf16>
      %p = convert_layout %eh : tile<64x64xf16> -> tile<64x64xf16>
      %v = load_shared %vi : !slot -> tile<64x64xf16>
      %an = mmaf %p, %v, %scaled : tile<64x64xf16>, tile<64x64xf16>, !s
      continue %mn, %sn, %an : !row, !row, !s
    }
    cp_async_wait 0  // harmless on a GPU: nobody reads what was copied behind the last step
    %sum1 = reshape %sum : !row -> !column
    %sum2 = broadcast %sum1 : !column -> !s
    %o = divf %out, %sum2 : !s
    store_global %o, %go[%m, %c0] : !s, !f
    return
  }
}
