// REQUIRES: llvm
// RUN: %tessera run %s -t interp -g 1 uniform:i8:32 uniform:f4E2M1FN:256 zeros:f16:256 --save out=%t.i.npy --save nibbles=%t.in.npy
// RUN: %tessera run %s -t cpu -g 1 uniform:i8:32 uniform:f4E2M1FN:256 zeros:f16:256 --save out=%t.c.npy --save nibbles=%t.cn.npy
// RUN: %tessera run %s -t emu:sm_80 -g 1 uniform:i8:32 uniform:f4E2M1FN:256 zeros:f16:256 --save out=%t.e.npy --save nibbles=%t.en.npy
// RUN: cmp %t.i.npy %t.c.npy && cmp %t.i.npy %t.e.npy && cmp %t.in.npy %t.cn.npy && cmp %t.in.npy %t.en.npy
//
// There are no pointers to i4: in memory floats of as many bits stand for them. Bits are taken out
// of bytes.
#bytes = layout<local(1).spatial(32)>
#b = layout<local(1, 2) * mma.m16n8k16.B>
cuda_tile.module @nibbles {
  entry @sums(%bits: tile<ptr<i8>>, %nibbles: tile<ptr<f4E2M1FN>>, %out: tile<ptr<f16>>) threads(32) {
    %from = make_tensor_view %bits, shape = [32], strides = [1] : tensor_view<32xi8, strides=[1]>
    %four = make_tensor_view %nibbles, shape = [16, 16], strides = [16, 1] : tensor_view<16x16xf4E2M1FN, strides=[16,1]>
    %to = make_tensor_view %out, shape = [16, 16], strides = [16, 1] : tensor_view<16x16xf16, strides=[16,1]>
    %c0 = constant <i32: 0> : tile<i32>
    %packed = load_global %from[%c0] : tensor_view<32xi8, strides=[1]> -> tile<32xi8, #bytes>
    %bit = reinterpret %packed : tile<32xi8, #bytes> -> tile<16x16xi1, #b>
    %one = exti %bit unsigned : tile<16x16xi1, #b> -> tile<16x16xi8, #b>
    %float = load_global %four[%c0, %c0] : tensor_view<16x16xf4E2M1FN, strides=[16,1]> -> tile<16x16xf4E2M1FN, #b>
    %few = bitcast %float : tile<16x16xf4E2M1FN, #b> -> tile<16x16xi4, #b>
    %byte = exti %few signed : tile<16x16xi4, #b> -> tile<16x16xi8, #b>
    %sum = addi %byte, %one : tile<16x16xi8, #b>
    %half = itof %sum signed : tile<16x16xi8, #b> -> tile<16x16xf16, #b>
    store_global %half, %to[%c0, %c0] : tile<16x16xf16, #b>, tensor_view<16x16xf16, strides=[16,1]>
    %low = trunci %sum : tile<16x16xi8, #b> -> tile<16x16xi4, #b>
    %again = bitcast %low : tile<16x16xi4, #b> -> tile<16x16xf4E2M1FN, #b>
    store_global %again, %four[%c0, %c0] : tile<16x16xf4E2M1FN, #b>, tensor_view<16x16xf4E2M1FN, strides=[16,1]>
    return
  }
}
