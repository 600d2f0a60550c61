// Tiles of 16 x 16 weights of a few bits, as Tilus stores them: of each thread of a warp the bytes that
// it has of an operand of mma.m16n8k16. However a thread's bytes lie, CPUs take the weights out of whole
// vectors; those of six bits out of words of 16 bits. Back to bytes they are what they were.
// REQUIRES: llvm
// RUN: mkdir -p %t && cd %t
// RUN: %engines %t/ones %s -k ones --no-cards --grid 1 uniform:i8:16x32 zeros:bf16:16x256 zeros:i8:16x32 --save out --save again
// RUN: %engines %t/threes %s -k threes --no-cards --grid 1 uniform:i8:16x96 zeros:bf16:16x256 zeros:i8:16x96 --save out --save again
// RUN: %engines %t/fours %s -k fours --no-cards --grid 1 uniform:i8:16x128 zeros:bf16:16x256 zeros:i8:16x128 --save out --save again
// RUN: %engines %t/fives %s -k fives --no-cards --grid 1 uniform:i8:16x160 zeros:bf16:16x256 zeros:i8:16x160 --save out --save again
// RUN: %engines %t/sixes %s -k sixes --no-cards --grid 1 uniform:i8:16x192 zeros:bf16:16x256 zeros:i8:16x192 --save out --save again
// RUN: %engines %t/sevens %s -k sevens --no-cards --grid 1 uniform:i8:16x224 zeros:bf16:16x256 zeros:i8:16x224 --save out --save again
// RUN: %engines %t/eights %s -k eights --no-cards --grid 1 uniform:i8:16x256 zeros:bf16:16x256 zeros:i8:16x256 --save out --save again
// RUN: %tessera build %s --emit nests --cpu avx2 | FileCheck %s
// CHECK-LABEL: kernel @ones
// CHECK: [exchange]
// CHECK-LABEL: kernel @threes
// CHECK: [exchange]
// CHECK-LABEL: kernel @fours
// CHECK: [exchange]
// CHECK-LABEL: kernel @fives
// CHECK: [exchange]
// CHECK-LABEL: kernel @sixes
// CHECK: [exchange]
// CHECK-LABEL: kernel @sevens
// CHECK: [exchange]
// CHECK-LABEL: kernel @eights
// CHECK: [exchange]
#b = layout<spatial(1, 2).local(1, 16) * mma.m16n8k16.B>
!w = tensor_view<16x256xbf16, strides=[256,1]>
cuda_tile.module @planes {
  entry @ones(%in: tile<ptr<i8>>, %out: tile<ptr<bf16>>, %again: tile<ptr<i8>>) threads(64) {
    %zero = constant <i32: 0> : tile<i32>
    %from = make_tensor_view %in, shape = [16, 32], strides = [32, 1] : tensor_view<16x32xi8, strides=[32,1]>
    %to = make_tensor_view %out, shape = [16, 256], strides = [256, 1] : !w
    %back = make_tensor_view %again, shape = [16, 32], strides = [32, 1] : tensor_view<16x32xi8, strides=[32,1]>
    %bytes = load_global %from[%zero, %zero] : tensor_view<16x32xi8, strides=[32,1]> -> tile<16x32xi8, spatial(2, 1).local(8, 1).spatial(1, 32)>
    %few = reinterpret %bytes : tile<16x32xi8, spatial(2, 1).local(8, 1).spatial(1, 32)> -> tile<16x256xi1, #b>
    %wide = exti %few unsigned : tile<16x256xi1, #b> -> tile<16x256xi32, #b>
    %value = itof %wide signed : tile<16x256xi32, #b> -> tile<16x256xbf16, #b>
    store_global %value, %to[%zero, %zero] : tile<16x256xbf16, #b>, !w
    %packed = reinterpret %few : tile<16x256xi1, #b> -> tile<16x32xi8, spatial(2, 1).local(8, 1).spatial(1, 32)>
    store_global %packed, %back[%zero, %zero] : tile<16x32xi8, spatial(2, 1).local(8, 1).spatial(1, 32)>, tensor_view<16x32xi8, strides=[32,1]>
    return
  }
  entry @threes(%in: tile<ptr<i8>>, %out: tile<ptr<bf16>>, %again: tile<ptr<i8>>) threads(64) {
    %zero = constant <i32: 0> : tile<i32>
    %from = make_tensor_view %in, shape = [16, 96], strides = [96, 1] : tensor_view<16x96xi8, strides=[96,1]>
    %to = make_tensor_view %out, shape = [16, 256], strides = [256, 1] : !w
    %back = make_tensor_view %again, shape = [16, 96], strides = [96, 1] : tensor_view<16x96xi8, strides=[96,1]>
    %bytes = load_global %from[%zero, %zero] : tensor_view<16x96xi8, strides=[96,1]> -> tile<16x96xi8, spatial(2, 1).local(8, 1).local(1, 3).spatial(1, 32)>
    %few = reinterpret %bytes : tile<16x96xi8, spatial(2, 1).local(8, 1).local(1, 3).spatial(1, 32)> -> tile<16x256xi3, #b>
    %wide = exti %few unsigned : tile<16x256xi3, #b> -> tile<16x256xi32, #b>
    %value = itof %wide signed : tile<16x256xi32, #b> -> tile<16x256xbf16, #b>
    store_global %value, %to[%zero, %zero] : tile<16x256xbf16, #b>, !w
    %packed = reinterpret %few : tile<16x256xi3, #b> -> tile<16x96xi8, spatial(2, 1).local(8, 1).local(1, 3).spatial(1, 32)>
    store_global %packed, %back[%zero, %zero] : tile<16x96xi8, spatial(2, 1).local(8, 1).local(1, 3).spatial(1, 32)>, tensor_view<16x96xi8, strides=[96,1]>
    return
  }
  entry @fours(%in: tile<ptr<i8>>, %out: tile<ptr<bf16>>, %again: tile<ptr<i8>>) threads(64) {
    %zero = constant <i32: 0> : tile<i32>
    %from = make_tensor_view %in, shape = [16, 128], strides = [128, 1] : tensor_view<16x128xi8, strides=[128,1]>
    %to = make_tensor_view %out, shape = [16, 256], strides = [256, 1] : !w
    %back = make_tensor_view %again, shape = [16, 128], strides = [128, 1] : tensor_view<16x128xi8, strides=[128,1]>
    %bytes = load_global %from[%zero, %zero] : tensor_view<16x128xi8, strides=[128,1]> -> tile<16x128xi8, spatial(2, 1).local(8, 1).spatial(1, 32).local(1, 4)>
    %few = reinterpret %bytes : tile<16x128xi8, spatial(2, 1).local(8, 1).spatial(1, 32).local(1, 4)> -> tile<16x256xi4, #b>
    %wide = exti %few unsigned : tile<16x256xi4, #b> -> tile<16x256xi32, #b>
    %value = itof %wide signed : tile<16x256xi32, #b> -> tile<16x256xbf16, #b>
    store_global %value, %to[%zero, %zero] : tile<16x256xbf16, #b>, !w
    %packed = reinterpret %few : tile<16x256xi4, #b> -> tile<16x128xi8, spatial(2, 1).local(8, 1).spatial(1, 32).local(1, 4)>
    store_global %packed, %back[%zero, %zero] : tile<16x128xi8, spatial(2, 1).local(8, 1).spatial(1, 32).local(1, 4)>, tensor_view<16x128xi8, strides=[128,1]>
    return
  }
  entry @fives(%in: tile<ptr<i8>>, %out: tile<ptr<bf16>>, %again: tile<ptr<i8>>) threads(64) {
    %zero = constant <i32: 0> : tile<i32>
    %from = make_tensor_view %in, shape = [16, 160], strides = [160, 1] : tensor_view<16x160xi8, strides=[160,1]>
    %to = make_tensor_view %out, shape = [16, 256], strides = [256, 1] : !w
    %back = make_tensor_view %again, shape = [16, 160], strides = [160, 1] : tensor_view<16x160xi8, strides=[160,1]>
    %bytes = load_global %from[%zero, %zero] : tensor_view<16x160xi8, strides=[160,1]> -> tile<16x160xi8, spatial(2, 1).local(8, 1).local(1, 5).spatial(1, 32)>
    %few = reinterpret %bytes : tile<16x160xi8, spatial(2, 1).local(8, 1).local(1, 5).spatial(1, 32)> -> tile<16x256xi5, #b>
    %wide = exti %few unsigned : tile<16x256xi5, #b> -> tile<16x256xi32, #b>
    %value = itof %wide signed : tile<16x256xi32, #b> -> tile<16x256xbf16, #b>
    store_global %value, %to[%zero, %zero] : tile<16x256xbf16, #b>, !w
    %packed = reinterpret %few : tile<16x256xi5, #b> -> tile<16x160xi8, spatial(2, 1).local(8, 1).local(1, 5).spatial(1, 32)>
    store_global %packed, %back[%zero, %zero] : tile<16x160xi8, spatial(2, 1).local(8, 1).local(1, 5).spatial(1, 32)>, tensor_view<16x160xi8, strides=[160,1]>
    return
  }
  entry @sixes(%in: tile<ptr<i8>>, %out: tile<ptr<bf16>>, %again: tile<ptr<i8>>) threads(64) {
    %zero = constant <i32: 0> : tile<i32>
    %from = make_tensor_view %in, shape = [16, 192], strides = [192, 1] : tensor_view<16x192xi8, strides=[192,1]>
    %to = make_tensor_view %out, shape = [16, 256], strides = [256, 1] : !w
    %back = make_tensor_view %again, shape = [16, 192], strides = [192, 1] : tensor_view<16x192xi8, strides=[192,1]>
    %bytes = load_global %from[%zero, %zero] : tensor_view<16x192xi8, strides=[192,1]> -> tile<16x192xi8, spatial(2, 1).local(8, 1).local(1, 3).spatial(1, 32).local(1, 2)>
    %few = reinterpret %bytes : tile<16x192xi8, spatial(2, 1).local(8, 1).local(1, 3).spatial(1, 32).local(1, 2)> -> tile<16x256xf6E3M2FN, #b>
    %value = ftof %few : tile<16x256xf6E3M2FN, #b> -> tile<16x256xbf16, #b>
    store_global %value, %to[%zero, %zero] : tile<16x256xbf16, #b>, !w
    %packed = reinterpret %few : tile<16x256xf6E3M2FN, #b> -> tile<16x192xi8, spatial(2, 1).local(8, 1).local(1, 3).spatial(1, 32).local(1, 2)>
    store_global %packed, %back[%zero, %zero] : tile<16x192xi8, spatial(2, 1).local(8, 1).local(1, 3).spatial(1, 32).local(1, 2)>, tensor_view<16x192xi8, strides=[192,1]>
    return
  }
  entry @sevens(%in: tile<ptr<i8>>, %out: tile<ptr<bf16>>, %again: tile<ptr<i8>>) threads(64) {
    %zero = constant <i32: 0> : tile<i32>
    %from = make_tensor_view %in, shape = [16, 224], strides = [224, 1] : tensor_view<16x224xi8, strides=[224,1]>
    %to = make_tensor_view %out, shape = [16, 256], strides = [256, 1] : !w
    %back = make_tensor_view %again, shape = [16, 224], strides = [224, 1] : tensor_view<16x224xi8, strides=[224,1]>
    %bytes = load_global %from[%zero, %zero] : tensor_view<16x224xi8, strides=[224,1]> -> tile<16x224xi8, spatial(2, 1).local(8, 1).local(1, 7).spatial(1, 32)>
    %few = reinterpret %bytes : tile<16x224xi8, spatial(2, 1).local(8, 1).local(1, 7).spatial(1, 32)> -> tile<16x256xi7, #b>
    %wide = exti %few unsigned : tile<16x256xi7, #b> -> tile<16x256xi32, #b>
    %value = itof %wide signed : tile<16x256xi32, #b> -> tile<16x256xbf16, #b>
    store_global %value, %to[%zero, %zero] : tile<16x256xbf16, #b>, !w
    %packed = reinterpret %few : tile<16x256xi7, #b> -> tile<16x224xi8, spatial(2, 1).local(8, 1).local(1, 7).spatial(1, 32)>
    store_global %packed, %back[%zero, %zero] : tile<16x224xi8, spatial(2, 1).local(8, 1).local(1, 7).spatial(1, 32)>, tensor_view<16x224xi8, strides=[224,1]>
    return
  }
  entry @eights(%in: tile<ptr<i8>>, %out: tile<ptr<bf16>>, %again: tile<ptr<i8>>) threads(64) {
    %zero = constant <i32: 0> : tile<i32>
    %from = make_tensor_view %in, shape = [16, 256], strides = [256, 1] : tensor_view<16x256xi8, strides=[256,1]>
    %to = make_tensor_view %out, shape = [16, 256], strides = [256, 1] : !w
    %back = make_tensor_view %again, shape = [16, 256], strides = [256, 1] : tensor_view<16x256xi8, strides=[256,1]>
    %bytes = load_global %from[%zero, %zero] : tensor_view<16x256xi8, strides=[256,1]> -> tile<16x256xi8, spatial(2, 1).local(8, 1).spatial(1, 32).local(1, 8)>
    %few = reinterpret %bytes : tile<16x256xi8, spatial(2, 1).local(8, 1).spatial(1, 32).local(1, 8)> -> tile<16x256xf8E5M2, #b>
    %value = ftof %few : tile<16x256xf8E5M2, #b> -> tile<16x256xbf16, #b>
    store_global %value, %to[%zero, %zero] : tile<16x256xbf16, #b>, !w
    %packed = reinterpret %few : tile<16x256xf8E5M2, #b> -> tile<16x256xi8, spatial(2, 1).local(8, 1).spatial(1, 32).local(1, 8)>
    store_global %packed, %back[%zero, %zero] : tile<16x256xi8, spatial(2, 1).local(8, 1).spatial(1, 32).local(1, 8)>, tensor_view<16x256xi8, strides=[256,1]>
    return
  }
}
