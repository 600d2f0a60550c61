// REQUIRES: llvm
// RUN: %engines %t.sixteen %s -k sixteen --no-amd --grid 1 uniform:i8:32x32 uniform:i8:32x16 arange:i32:32x16 --save C
// RUN: %engines %t.eight %s -k eight --no-amd --grid 1 uniform:i8:16x32 uniform:i8:32x16 arange:i32:16x16 --save C
// RUN: %engines %t.signs %s -k signs --no-amd --grid 1 uniform:i8:16x32 uniform:i8:32x16 arange:i32:16x16 --save C
// RUN: %tessera build %s --target sm_80 --emit ptx | FileCheck %s
// CHECK-LABEL: .entry sixteen(
// CHECK-COUNT-4: mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32
// CHECK-LABEL: .entry eight(
// CHECK-COUNT-4: mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32
// CHECK-LABEL: .entry signs(
// CHECK-COUNT-4: mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32
// A tile of 8 rows without layouts gets them from the small instruction.
// RUN: %tessera fmt --infer %s | FileCheck %s --check-prefix=INFER
// INFER: mma.m8n8k16.i8.C
//
// Products of integers by mma.m16n8k16 and mma.m8n8k16, whose fragments the layouts are grids of.
cuda_tile.module @integers {
  entry @sixteen(%A: tile<ptr<i8>>, %B: tile<ptr<i8>>, %C: tile<ptr<i32>>) threads(64) {
    %c0 = constant <i32: 0> : tile<i32>
    %ga = make_tensor_view %A, shape = [32, 32], strides = [32, 1] : tensor_view<32x32xi8, strides=[32,1]>
    %gb = make_tensor_view %B, shape = [32, 16], strides = [1, 32] : tensor_view<32x16xi8, strides=[1,32]>
    %gc = make_tensor_view %C, shape = [32, 16], strides = [16, 1] : tensor_view<32x16xi32, strides=[16,1]>
    %a = load_global %ga[%c0, %c0] : tensor_view<32x32xi8, strides=[32,1]> -> tile<32x32xi8, spatial(2, 1).local(1, 2) * mma.m16n8k16.i8.A>
    %b = load_global %gb[%c0, %c0] : tensor_view<32x16xi8, strides=[1,32]> -> tile<32x16xi8, replicated(1, 1, num_workers=2).local(2, 2) * mma.m16n8k16.i8.B>
    %acc = load_global %gc[%c0, %c0] : tensor_view<32x16xi32, strides=[16,1]> -> tile<32x16xi32, spatial(2, 1).local(1, 2) * mma.m16n8k16.i8.C>
    %d = mmai %a, %b, %acc signed signed : tile<32x32xi8, spatial(2, 1).local(1, 2) * mma.m16n8k16.i8.A>, tile<32x16xi8, replicated(1, 1, num_workers=2).local(2, 2) * mma.m16n8k16.i8.B>, tile<32x16xi32, spatial(2, 1).local(1, 2) * mma.m16n8k16.i8.C>
    store_global %d, %gc[%c0, %c0] : tile<32x16xi32, spatial(2, 1).local(1, 2) * mma.m16n8k16.i8.C>, tensor_view<32x16xi32, strides=[16,1]>
    return
  }
  entry @eight(%A: tile<ptr<i8>>, %B: tile<ptr<i8>>, %C: tile<ptr<i32>>) threads(64) {
    %c0 = constant <i32: 0> : tile<i32>
    %ga = make_tensor_view %A, shape = [16, 32], strides = [32, 1] : tensor_view<16x32xi8, strides=[32,1]>
    %gb = make_tensor_view %B, shape = [32, 16], strides = [1, 32] : tensor_view<32x16xi8, strides=[1,32]>
    %gc = make_tensor_view %C, shape = [16, 16], strides = [16, 1] : tensor_view<16x16xi32, strides=[16,1]>
    %a = load_global %ga[%c0, %c0] : tensor_view<16x32xi8, strides=[32,1]> -> tile<16x32xi8, spatial(2, 1).local(1, 2) * mma.m8n8k16.i8.A>
    %b = load_global %gb[%c0, %c0] : tensor_view<32x16xi8, strides=[1,32]> -> tile<32x16xi8, replicated(1, 1, num_workers=2).local(2, 2) * mma.m8n8k16.i8.B>
    %acc = load_global %gc[%c0, %c0] : tensor_view<16x16xi32, strides=[16,1]> -> tile<16x16xi32, spatial(2, 1).local(1, 2) * mma.m8n8k16.i8.C>
    %d = mmai %a, %b, %acc signed signed : tile<16x32xi8, spatial(2, 1).local(1, 2) * mma.m8n8k16.i8.A>, tile<32x16xi8, replicated(1, 1, num_workers=2).local(2, 2) * mma.m8n8k16.i8.B>, tile<16x16xi32, spatial(2, 1).local(1, 2) * mma.m8n8k16.i8.C>
    store_global %d, %gc[%c0, %c0] : tile<16x16xi32, spatial(2, 1).local(1, 2) * mma.m8n8k16.i8.C>, tensor_view<16x16xi32, strides=[16,1]>
    return
  }
  entry @signs(%A: tile<ptr<i8>>, %B: tile<ptr<i8>>, %C: tile<ptr<i32>>) threads(64) {
    %c0 = constant <i32: 0> : tile<i32>
    %ga = make_tensor_view %A, shape = [16, 32], strides = [32, 1] : tensor_view<16x32xi8, strides=[32,1]>
    %gb = make_tensor_view %B, shape = [32, 16], strides = [1, 32] : tensor_view<32x16xi8, strides=[1,32]>
    %gc = make_tensor_view %C, shape = [16, 16], strides = [16, 1] : tensor_view<16x16xi32, strides=[16,1]>
    %a = load_global %ga[%c0, %c0] : tensor_view<16x32xi8, strides=[32,1]> -> tile<16x32xi8, replicated(1, 1, num_workers=2).local(2, 2) * mma.m8n8k16.i8.A>
    %b = load_global %gb[%c0, %c0] : tensor_view<32x16xi8, strides=[1,32]> -> tile<32x16xi8, spatial(1, 2).local(2, 1) * mma.m8n8k16.i8.B>
    %acc = load_global %gc[%c0, %c0] : tensor_view<16x16xi32, strides=[16,1]> -> tile<16x16xi32, spatial(1, 2).local(2, 1) * mma.m8n8k16.i8.C>
    %d = mmai %a, %b, %acc unsigned signed : tile<16x32xi8, replicated(1, 1, num_workers=2).local(2, 2) * mma.m8n8k16.i8.A>, tile<32x16xi8, spatial(1, 2).local(2, 1) * mma.m8n8k16.i8.B>, tile<16x16xi32, spatial(1, 2).local(2, 1) * mma.m8n8k16.i8.C>
    store_global %d, %gc[%c0, %c0] : tile<16x16xi32, spatial(1, 2).local(2, 1) * mma.m8n8k16.i8.C>, tensor_view<16x16xi32, strides=[16,1]>
    return
  }
  entry @inferred(%A: tile<ptr<i8>>, %B: tile<ptr<i8>>, %C: tile<ptr<i32>>) threads(32) {
    %c0 = constant <i32: 0> : tile<i32>
    %ga = make_tensor_view %A, shape = [8, 16], strides = [16, 1] : tensor_view<8x16xi8, strides=[16,1]>
    %gb = make_tensor_view %B, shape = [16, 8], strides = [1, 16] : tensor_view<16x8xi8, strides=[1,16]>
    %gc = make_tensor_view %C, shape = [8, 8], strides = [8, 1] : tensor_view<8x8xi32, strides=[8,1]>
    %a = load_global %ga[%c0, %c0] : tensor_view<8x16xi8, strides=[16,1]> -> tile<8x16xi8>
    %b = load_global %gb[%c0, %c0] : tensor_view<16x8xi8, strides=[1,16]> -> tile<16x8xi8>
    %acc = constant <i32: 0> : tile<8x8xi32>
    %d = mmai %a, %b, %acc signed signed : tile<8x16xi8>, tile<16x8xi8>, tile<8x8xi32>
    store_global %d, %gc[%c0, %c0] : tile<8x8xi32>, tensor_view<8x8xi32, strides=[8,1]>
    return
  }
}
