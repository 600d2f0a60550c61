// REQUIRES: llvm
// RUN: mkdir -p %t && cd %t
// RUN: %engines %t.tf32 %s -k tf32 --grid 1 uniform:i8:512 zeros:i32:128 --save out
// RUN: %engines %t.f4 %s -k f4 --grid 1 uniform:i8:128 zeros:f16:256 --save out
//
// What is compiled for CPUs casts between types that only Tessera's extensions let it.
// RUN: %tessera build %s --emit tile > tile.mlir
// RUN: %tessera check --extensions tile.mlir
// RUN: not %tessera check tile.mlir
// RUN: FileCheck %s <tile.mlir
// CHECK: bitcast {{.*}}xi32> -> tile<128xtf32>
// CHECK: bitcast {{.*}}xi4> -> tile<256xf4E2M1FN>
#l = layout<spatial(32).local(4)>
#h = layout<spatial(32).local(8)>
!v = tensor_view<128xi32, strides=[1]>
cuda_tile.module @casts {
  // The lowest 13 bits are gone behind it.
  entry @tf32(%in: tile<ptr<i8>>, %out: tile<ptr<i32>>) threads(32) {
    %g = make_tensor_view %in, shape = [512], strides = [1] : tensor_view<512xi8, strides=[1]>
    %h = make_tensor_view %out, shape = [128], strides = [1] : !v
    %0 = constant <i32: 0> : tile<i32>
    %x = load_global %g[%0] : tensor_view<512xi8, strides=[1]> -> tile<512xi8, spatial(32).local(16)>
    %y = reinterpret %x : tile<512xi8, spatial(32).local(16)> -> tile<128xtf32, #l>
    %z = reinterpret %y : tile<128xtf32, #l> -> tile<128xi32, #l>
    %low = constant <i32: 8191> : tile<128xi32, #l>
    %rest = andi %z, %low : tile<128xi32, #l>
    %none = constant <i32: 0> : tile<128xi32, #l>
    %clean = cmpi equal %rest, %none, signed : tile<128xi32, #l> -> tile<128xi1, #l>
    assert %clean, "bits that tf32 does not have" : tile<128xi1, #l>
    store_global %z, %h[%0] : tile<128xi32, #l>, !v
    return
  }
  entry @f4(%in: tile<ptr<i8>>, %out: tile<ptr<f16>>) threads(32) {
    %g = make_tensor_view %in, shape = [128], strides = [1] : tensor_view<128xi8, strides=[1]>
    %h = make_tensor_view %out, shape = [256], strides = [1] : tensor_view<256xf16, strides=[1]>
    %0 = constant <i32: 0> : tile<i32>
    %x = load_global %g[%0] : tensor_view<128xi8, strides=[1]> -> tile<128xi8, #l>
    %y = reinterpret %x : tile<128xi8, #l> -> tile<256xf4E2M1FN, #h>
    %z = reinterpret %y : tile<256xf4E2M1FN, #h> -> tile<256xf4E1M2FN, #h>
    %a = ftof %y : tile<256xf4E2M1FN, #h> -> tile<256xf16, #h>
    %b = ftof %z : tile<256xf4E1M2FN, #h> -> tile<256xf16, #h>
    %c = addf %a, %b : tile<256xf16, #h>
    store_global %c, %h[%0] : tile<256xf16, #h>, tensor_view<256xf16, strides=[1]>
    return
  }
}
