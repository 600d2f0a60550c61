// REQUIRES: llvm
// On CPUs products become those that there are patterns for, with the same results.
// RUN: %engines %t.slices %s -k slices --no-amd --grid 1 arange:f32:16x32 arange:f32:32x16 zeros:f32:16x16 --save C
// RUN: %engines %t.half %s -k half --no-amd --grid 1 --seed 2 uniform:f16:16x32 uniform:f16:32x16 zeros:f16:16x16 --save C --rtol=2e-3 --atol=2e-3
// RUN: %engines %t.second %s -k second --no-amd --grid 1 arange:f32:16x32 arange:f32:32x16 zeros:f32:16x16 --save C
// RUN: %engines %t.columns %s -k columns --no-amd --grid 1 arange:f16:16x16 arange:f16:16x32 arange:f32:16x32 zeros:f32:16x32 --save C
// RUN: %engines %t.kept %s -k kept --no-amd --grid 1 arange:f16:16x16 arange:f16:16x32 arange:f32:16x32 zeros:f32:16x32 --save C
// RUN: %engines %t.apart %s -k apart --no-amd --grid 1 arange:f16:16x16 arange:f16:16x32 arange:f32:16x32 zeros:f32:16x32 --save C
// RUN: %engines %t.row %s -k row --no-amd --grid 1 arange:f16:16 arange:f16:16x32 arange:f32:32 zeros:f32:32 --save C
// RUN: %tessera build %s --emit tile | FileCheck %s
!a = shared<16x32xf32>
!b = shared<32x16xf32>
!pa = shared<16x4xf32, (16,4):(32,1)>
!pb = shared<4x16xf32>
!v = tensor_view<16x32xf32, strides=[32,1]>
!w = tensor_view<32x16xf32, strides=[16,1]>
!c = tensor_view<16x16xf32, strides=[16,1]>
!ha = shared<16x32xf16>
!hb = shared<32x16xf16>
!pha = shared<16x4xf16, (16,4):(32,1)>
!phb = shared<4x16xf16>
!hv = tensor_view<16x32xf16, strides=[32,1]>
!hw = tensor_view<32x16xf16, strides=[16,1]>
!hc = tensor_view<16x16xf16, strides=[16,1]>
!l = tensor_view<16x16xf16, strides=[16,1]>
!r = tensor_view<16x32xf16, strides=[32,1]>
!s = tensor_view<16x32xf32, strides=[32,1]>
!cfrag = tile<16x32xf32, local(1, 4) * mma.m16n8k16.C>
cuda_tile.module @products {
  // Slice by slice along k from shared memory: one product.
  // CHECK-LABEL: @slices
  // CHECK-NOT: alloca
  // CHECK-NOT: for
  // CHECK: mmaf {{.*}} : tile<16x32xf32>, tile<32x16xf32>, tile<16x16xf32>
  entry @slices(%A: tile<ptr<f32>>, %B: tile<ptr<f32>>, %C: tile<ptr<f32>>) threads(32) {
    %c0 = constant <i32: 0> : tile<i32>
    %c4 = constant <i32: 4> : tile<i32>
    %c32 = constant <i32: 32> : tile<i32>
    %ga = make_tensor_view %A, shape = [16, 32], strides = [32, 1] : !v
    %gb = make_tensor_view %B, shape = [32, 16], strides = [16, 1] : !w
    %gc = make_tensor_view %C, shape = [16, 16], strides = [16, 1] : !c
    %sa = alloc_shared : !a
    %sb = alloc_shared : !b
    %a = load_global %ga[%c0, %c0] : !v -> tile<16x32xf32>
    %b = load_global %gb[%c0, %c0] : !w -> tile<32x16xf32>
    store_shared %a, %sa : tile<16x32xf32>, !a
    store_shared %b, %sb : tile<32x16xf32>, !b
    barrier
    %zero = constant <f32: 0.5> : tile<16x16xf32>
    %sum = for %k in (%c0 to %c32, step %c4) : tile<i32> iter_values(%acc = %zero) -> (tile<16x16xf32>) {
      %pa = subview %sa[%c0, %k] : !a -> !pa
      %pb = subview %sb[%k] : !b -> !pb
      %x = load_shared %pa : !pa -> tile<16x4xf32>
      %y = load_shared %pb : !pb -> tile<4x16xf32>
      %d = mmaf %x, %y, %acc : tile<16x4xf32>, tile<4x16xf32>, tile<16x16xf32>
      continue %d : tile<16x16xf32>
    }
    store_global %sum, %gc[%c0, %c0] : tile<16x16xf32>, !c
    return
  }
  // An accumulator that is rounded behind each slice: the loop stays.
  // CHECK-LABEL: @half
  // CHECK: for
  // CHECK: mmaf {{.*}} : tile<16x4xf16>, tile<4x16xf16>, tile<16x16xf16>
  entry @half(%A: tile<ptr<f16>>, %B: tile<ptr<f16>>, %C: tile<ptr<f16>>) threads(32) {
    %c0 = constant <i32: 0> : tile<i32>
    %c4 = constant <i32: 4> : tile<i32>
    %c32 = constant <i32: 32> : tile<i32>
    %ga = make_tensor_view %A, shape = [16, 32], strides = [32, 1] : !hv
    %gb = make_tensor_view %B, shape = [32, 16], strides = [16, 1] : !hw
    %gc = make_tensor_view %C, shape = [16, 16], strides = [16, 1] : !hc
    %sa = alloc_shared : !ha
    %sb = alloc_shared : !hb
    %a = load_global %ga[%c0, %c0] : !hv -> tile<16x32xf16>
    %b = load_global %gb[%c0, %c0] : !hw -> tile<32x16xf16>
    store_shared %a, %sa : tile<16x32xf16>, !ha
    store_shared %b, %sb : tile<32x16xf16>, !hb
    barrier
    %zero = constant <f16: 0.0> : tile<16x16xf16>
    %sum = for %k in (%c0 to %c32, step %c4) : tile<i32> iter_values(%acc = %zero) -> (tile<16x16xf16>) {
      %pa = subview %sa[%c0, %k] : !ha -> !pha
      %pb = subview %sb[%k] : !hb -> !phb
      %x = load_shared %pa : !pha -> tile<16x4xf16>
      %y = load_shared %pb : !phb -> tile<4x16xf16>
      %d = mmaf %x, %y, %acc : tile<16x4xf16>, tile<4x16xf16>, tile<16x16xf16>
      continue %d : tile<16x16xf16>
    }
    store_global %sum, %gc[%c0, %c0] : tile<16x16xf16>, !hc
    return
  }
  // Slices that are not all that there is: the loop stays.
  // CHECK-LABEL: @second
  // CHECK: for
  // CHECK: mmaf {{.*}} : tile<16x4xf32>, tile<4x16xf32>, tile<16x16xf32>
  entry @second(%A: tile<ptr<f32>>, %B: tile<ptr<f32>>, %C: tile<ptr<f32>>) threads(32) {
    %c0 = constant <i32: 0> : tile<i32>
    %c4 = constant <i32: 4> : tile<i32>
    %c32 = constant <i32: 32> : tile<i32>
    %ga = make_tensor_view %A, shape = [16, 32], strides = [32, 1] : !v
    %gb = make_tensor_view %B, shape = [32, 16], strides = [16, 1] : !w
    %gc = make_tensor_view %C, shape = [16, 16], strides = [16, 1] : !c
    %sa = alloc_shared : !a
    %sb = alloc_shared : !b
    %a = load_global %ga[%c0, %c0] : !v -> tile<16x32xf32>
    %b = load_global %gb[%c0, %c0] : !w -> tile<32x16xf32>
    store_shared %a, %sa : tile<16x32xf32>, !a
    store_shared %b, %sb : tile<32x16xf32>, !b
    barrier
    %zero = constant <f32: 0.0> : tile<16x16xf32>
    %sum = for %k in (%c4 to %c32, step %c4) : tile<i32> iter_values(%acc = %zero) -> (tile<16x16xf32>) {
      %pa = subview %sa[%c0, %k] : !a -> !pa
      %pb = subview %sb[%k] : !b -> !pb
      %x = load_shared %pa : !pa -> tile<16x4xf32>
      %y = load_shared %pb : !pb -> tile<4x16xf32>
      %d = mmaf %x, %y, %acc : tile<16x4xf32>, tile<4x16xf32>, tile<16x16xf32>
      continue %d : tile<16x16xf32>
    }
    store_global %sum, %gc[%c0, %c0] : tile<16x16xf32>, !c
    return
  }
  // Columns in another order, of the right operand, the accumulator, and back: as they were.
  // CHECK-LABEL: @columns
  // CHECK-NOT: permute
  // CHECK: mmaf
  // CHECK-NOT: permute
  // CHECK: return
  entry @columns(%A: tile<ptr<f16>>, %B: tile<ptr<f16>>, %D: tile<ptr<f32>>, %C: tile<ptr<f32>>) threads(32) {
    %c0 = constant <i32: 0> : tile<i32>
    %ga = make_tensor_view %A, shape = [16, 16], strides = [16, 1] : !l
    %gb = make_tensor_view %B, shape = [16, 32], strides = [32, 1] : !r
    %gd = make_tensor_view %D, shape = [16, 32], strides = [32, 1] : !s
    %gc = make_tensor_view %C, shape = [16, 32], strides = [32, 1] : !s
    %a = load_global %ga[%c0, %c0] : !l -> tile<16x16xf16>
    %b = load_global %gb[%c0, %c0] : !r -> tile<16x32xf16>
    %d = load_global %gd[%c0, %c0] : !s -> tile<16x32xf32>
    %b4 = reshape %b : tile<16x32xf16> -> tile<16x8x4xf16>
    %bt = permute %b4 [0, 2, 1] : tile<16x8x4xf16> -> tile<16x4x8xf16>
    %br = reshape %bt : tile<16x4x8xf16> -> tile<16x32xf16>
    %d4 = reshape %d : tile<16x32xf32> -> tile<16x8x4xf32>
    %dt = permute %d4 [0, 2, 1] : tile<16x8x4xf32> -> tile<16x4x8xf32>
    %dr = reshape %dt : tile<16x4x8xf32> -> tile<16x32xf32>
    %e = mmaf %a, %br, %dr : tile<16x16xf16>, tile<16x32xf16>, !cfrag
    %e4 = reshape %e : !cfrag -> tile<16x4x8xf32>
    %et = permute %e4 [0, 2, 1] : tile<16x4x8xf32> -> tile<16x8x4xf32>
    %er = reshape %et : tile<16x8x4xf32> -> tile<16x32xf32>
    store_global %er, %gc[%c0, %c0] : tile<16x32xf32>, !s
    return
  }
  // Columns in another order that are not put back: behind the product.
  // CHECK-LABEL: @kept
  // CHECK-NOT: permute
  // CHECK: mmaf
  // CHECK: permute
  entry @kept(%A: tile<ptr<f16>>, %B: tile<ptr<f16>>, %D: tile<ptr<f32>>, %C: tile<ptr<f32>>) threads(32) {
    %c0 = constant <i32: 0> : tile<i32>
    %ga = make_tensor_view %A, shape = [16, 16], strides = [16, 1] : !l
    %gb = make_tensor_view %B, shape = [16, 32], strides = [32, 1] : !r
    %gd = make_tensor_view %D, shape = [16, 32], strides = [32, 1] : !s
    %gc = make_tensor_view %C, shape = [16, 32], strides = [32, 1] : !s
    %a = load_global %ga[%c0, %c0] : !l -> tile<16x16xf16>
    %b = load_global %gb[%c0, %c0] : !r -> tile<16x32xf16>
    %d = load_global %gd[%c0, %c0] : !s -> tile<16x32xf32>
    %b4 = reshape %b : tile<16x32xf16> -> tile<16x8x4xf16>
    %bt = permute %b4 [0, 2, 1] : tile<16x8x4xf16> -> tile<16x4x8xf16>
    %br = reshape %bt : tile<16x4x8xf16> -> tile<16x32xf16>
    %d4 = reshape %d : tile<16x32xf32> -> tile<16x8x4xf32>
    %dt = permute %d4 [0, 2, 1] : tile<16x8x4xf32> -> tile<16x4x8xf32>
    %dr = reshape %dt : tile<16x4x8xf32> -> tile<16x32xf32>
    %e = mmaf %a, %br, %dr : tile<16x16xf16>, tile<16x32xf16>, !cfrag
    store_global %e, %gc[%c0, %c0] : !cfrag, !s
    return
  }
  // Two orders, neither of which is put back.
  // CHECK-LABEL: @apart
  // CHECK: permute
  // CHECK: permute
  // CHECK: mmaf
  entry @apart(%A: tile<ptr<f16>>, %B: tile<ptr<f16>>, %D: tile<ptr<f32>>, %C: tile<ptr<f32>>) threads(32) {
    %c0 = constant <i32: 0> : tile<i32>
    %ga = make_tensor_view %A, shape = [16, 16], strides = [16, 1] : !l
    %gb = make_tensor_view %B, shape = [16, 32], strides = [32, 1] : !r
    %gd = make_tensor_view %D, shape = [16, 32], strides = [32, 1] : !s
    %gc = make_tensor_view %C, shape = [16, 32], strides = [32, 1] : !s
    %a = load_global %ga[%c0, %c0] : !l -> tile<16x16xf16>
    %b = load_global %gb[%c0, %c0] : !r -> tile<16x32xf16>
    %d = load_global %gd[%c0, %c0] : !s -> tile<16x32xf32>
    %b4 = reshape %b : tile<16x32xf16> -> tile<16x8x4xf16>
    %bt = permute %b4 [0, 2, 1] : tile<16x8x4xf16> -> tile<16x4x8xf16>
    %br = reshape %bt : tile<16x4x8xf16> -> tile<16x32xf16>
    %d4 = reshape %d : tile<16x32xf32> -> tile<16x4x8xf32>
    %dt = permute %d4 [0, 2, 1] : tile<16x4x8xf32> -> tile<16x8x4xf32>
    %dr = reshape %dt : tile<16x8x4xf32> -> tile<16x32xf32>
    %e = mmaf %a, %br, %dr : tile<16x16xf16>, tile<16x32xf16>, !cfrag
    %e4 = reshape %e : !cfrag -> tile<16x8x4xf32>
    %et = permute %e4 [0, 2, 1] : tile<16x8x4xf32> -> tile<16x4x8xf32>
    %er = reshape %et : tile<16x4x8xf32> -> tile<16x32xf32>
    store_global %er, %gc[%c0, %c0] : tile<16x32xf32>, !s
    return
  }
  // A row that fills a fragment, of which one row is taken: a product of one row.
  // CHECK-LABEL: @row
  // CHECK: mmaf {{.*}} : tile<1x16xf16>, tile<16x32xf16>, tile<1x32xf32>
  entry @row(%A: tile<ptr<f16>>, %B: tile<ptr<f16>>, %D: tile<ptr<f32>>, %C: tile<ptr<f32>>) threads(32) {
    %c0 = constant <i32: 0> : tile<i32>
    %ga = make_tensor_view %A, shape = [1, 16], strides = [16, 1] : tensor_view<1x16xf16, strides=[16,1]>
    %gb = make_tensor_view %B, shape = [16, 32], strides = [32, 1] : !r
    %gd = make_tensor_view %D, shape = [1, 32], strides = [32, 1] : tensor_view<1x32xf32, strides=[32,1]>
    %gc = make_tensor_view %C, shape = [1, 32], strides = [32, 1] : tensor_view<1x32xf32, strides=[32,1]>
    %a = load_global %ga[%c0, %c0] : tensor_view<1x16xf16, strides=[16,1]> -> tile<1x16xf16>
    %b = load_global %gb[%c0, %c0] : !r -> tile<16x32xf16>
    %d = load_global %gd[%c0, %c0] : tensor_view<1x32xf32, strides=[32,1]> -> tile<1x32xf32>
    %as = broadcast %a : tile<1x16xf16> -> tile<16x16xf16>
    %ds = broadcast %d : tile<1x32xf32> -> tile<16x32xf32>
    %e = mmaf %as, %b, %ds : tile<16x16xf16>, tile<16x32xf16>, !cfrag
    %lies = convert_layout %e : !cfrag -> tile<16x32xf32, local(16, 1).spatial(1, 32)>
    %some = extract %lies[%c0, %c0] : tile<16x32xf32, local(16, 1).spatial(1, 32)> -> tile<8x32xf32, local(8, 1).spatial(1, 32)>
    %first = convert_layout %some : tile<8x32xf32, local(8, 1).spatial(1, 32)> -> tile<8x32xf32, spatial(8, 4).local(1, 8)>
    %one = reinterpret %first : tile<8x32xf32, spatial(8, 4).local(1, 8)> -> tile<1x32xf32, replicated(1, 1, num_workers=8).spatial(1, 4).local(1, 8)>
    store_global %one, %gc[%c0, %c0] : tile<1x32xf32, replicated(1, 1, num_workers=8).spatial(1, 4).local(1, 8)>, tensor_view<1x32xf32, strides=[32,1]>
    return
  }
}
