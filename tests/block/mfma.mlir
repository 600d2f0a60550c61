// Products by MFMA in a kernel that states its threads, and what the target hasn't.
// REQUIRES: llvm
// RUN: mkdir -p %t && cd %t
// RUN: %tessera run %s -k product -t interp --sanitize=all -g 1 ones:f16:64x32 arange:f16:32x64 C=zeros:f32:64x64 --save C=i.npy
// RUN: %npy expect i.npy '<f4' 64x64 '31744 + 32 * (i % 64)'
// RUN: %tessera run %s -k product -t emu:gfx942 --sanitize=all -g 1 ones:f16:64x32 arange:f16:32x64 C=zeros:f32:64x64 --save C=e.npy
// RUN: %npy expect e.npy '<f4' 64x64 '31744 + 32 * (i % 64)'
// RUN: %tessera build %s --target gfx942 --emit asm | FileCheck %s
// RUN: not %tessera build %s --target sm_80 --emit ptx 2>&1 | FileCheck %s --check-prefix=NVIDIA
// CHECK-COUNT-8: v_mfma_f32_32x32x8_f16
// NVIDIA: its layouts are those of mfma.32x32x8.f16, which the target doesn't have for these elements
//
// Two waves share out the rows; each multiplies two blocks of columns.
#a = layout<spatial(2,1).local(1,4) * mfma.32x32x8.f16.A>
#b = layout<replicated(1,1,num_workers=2).local(4,2) * mfma.32x32x8.f16.B>
!c = tile<64x64xf32, spatial(2,1).local(1,2) * mfma.32x32x8.f16.C>
cuda_tile.module @m {
entry @product(%A: tile<ptr<f16>>, %B: tile<ptr<f16>>, %C: tile<ptr<f32>>) threads(128) {
  %z = constant <i32: 0> : tile<i32>
  %ga = make_tensor_view %A, shape = [64, 32], strides = [32, 1] : tensor_view<64x32xf16, strides=[32,1]>
  %gb = make_tensor_view %B, shape = [32, 64], strides = [64, 1] : tensor_view<32x64xf16, strides=[64,1]>
  %gc = make_tensor_view %C, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  %a = load_global %ga[%z, %z] : tensor_view<64x32xf16, strides=[32,1]> -> tile<64x32xf16, #a>
  %b = load_global %gb[%z, %z] : tensor_view<32x64xf16, strides=[64,1]> -> tile<32x64xf16, #b>
  %zero = constant <f32: 0.0> : !c
  %d = mmaf %a, %b, %zero : tile<64x32xf16, #a>, tile<32x64xf16, #b>, !c
  store_global %d, %gc[%z, %z] : !c, tensor_view<64x64xf32, strides=[64,1]>
}
}
