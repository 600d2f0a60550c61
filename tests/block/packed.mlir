// REQUIRES: llvm
// RUN: mkdir -p %t && cd %t
// RUN: %tessera run %s -k four -t interp --sanitize=all -g 1 uniform:f4E2M1FN:256 zeros:f4E2M1FN:256 i32:256 --save out=four.npy 2>&1 | FileCheck %s --check-prefix=CLEAN
// RUN: %tessera run %s -k four -t emu:sm_80 --sanitize=all -g 1 uniform:f4E2M1FN:256 zeros:f4E2M1FN:256 i32:256 --save out=four.g.npy && cmp four.npy four.g.npy
// RUN: %tessera run %s -k four -t cpu -g 1 uniform:f4E2M1FN:256 zeros:f4E2M1FN:256 i32:256 --save out=four.c.npy && cmp four.npy four.c.npy
// RUN: %tessera run %s -k three -t interp -g 1 uniform:i3:1016 zeros:i3:1024 i32:1016 --save out=three.npy
// RUN: %tessera run %s -k three -t emu:sm_90a --sanitize=all -g 1 uniform:i3:1016 zeros:i3:1024 i32:1016 --save out=three.g.npy && cmp three.npy three.g.npy
// RUN: %tessera run %s -k two -t interp -g 1 uniform:i2:512 zeros:i2:512 i32:512 --save out=two.npy
// RUN: %tessera run %s -k two -t emu:sm_80 --sanitize=all -g 1 uniform:i2:512 zeros:i2:512 i32:512 --save out=two.g.npy && cmp two.npy two.g.npy
// RUN: %tessera run %s -k bits -t interp --sanitize=all -g 1 uniform:i32:256 zeros:i32:256 --save out=bits.npy
// RUN: %tessera run %s -k bits -t emu:sm_80 --sanitize=all -g 1 uniform:i32:256 zeros:i32:256 --save out=bits.g.npy && cmp bits.npy bits.g.npy
// RUN: %tessera run %s -k apart -t interp --sanitize=all -g 1 uniform:f4E2M1FN:256 zeros:f4E2M1FN:256 --save out=apart.npy 2>&1 | FileCheck %s --check-prefix=CLEAN
// RUN: %tessera run %s -k apart -t emu:sm_80 --sanitize=all -g 1 uniform:f4E2M1FN:256 zeros:f4E2M1FN:256 --save out=apart.g.npy && cmp apart.npy apart.g.npy
// CLEAN: sanitizer: nothing found
//
// A wait or a barrier less is found on both.
// RUN: %mutants %s -k four -g 1 uniform:f4E2M1FN:256 zeros:f4E2M1FN:256 i32:256 --save out
// RUN: %mutants --emu=sm_80 %s -k four -g 1 uniform:f4E2M1FN:256 zeros:f4E2M1FN:256 i32:256 --save out
// RUN: %mutants --emu=sm_90a %s -k three -g 1 uniform:i3:1024 zeros:i3:1024 i32:1024 --save out
//
// What is copied and stored in whole bytes of a thread shares bytes in shared memory: copies are
// instructions, and the memory is as large as the bits are.
// Where threads would share bytes, each element has one. Two elements of 4 bits are widened at once,
// also where they are cut out of bytes.
// RUN: %tessera build %s --target sm_80 --emit ptx | FileCheck %s --check-prefix=PTX
// PTX-LABEL: .entry four(
// PTX: tessera_scratch_four[128]
// PTX: cp.async.ca.shared.global {{.*}}, 4,
// PTX-NOT: st.shared.b8
// PTX-LABEL: .entry three(
// PTX: tessera_scratch_three[384]
// PTX-COUNT-3: cp.async.ca.shared.global {{.*}}, 4,
// PTX-NOT: st.shared.b8
// PTX-LABEL: .entry two(
// PTX: tessera_scratch_two[128]
// PTX: st.shared.b32
// PTX-LABEL: .entry bits(
// PTX: tessera_scratch_bits[32]
// PTX: st.shared.b8
// PTX-NOT: st.shared.b8
// PTX-LABEL: .entry apart(
// PTX: tessera_scratch_apart[256]
// PTX-COUNT-8: st.shared.b8
// PTX-LABEL: .entry widened(
// PTX: ld.shared.b32
// PTX-COUNT-4: fma.rn.f16x2
// PTX-NOT: cvt.rn.f16
// PTX: mma.sync
// RUN: %tessera run %s -k widened -t interp --sanitize=all -g 1 uniform:i8:128 uniform:f16:16x16 zeros:f32:16x16 --save out=widened.npy
// RUN: %tessera run %s -k widened -t emu:sm_80 --sanitize=all -g 1 uniform:i8:128 uniform:f16:16x16 zeros:f32:16x16 --save out=widened.g.npy
// RUN: %npy compare widened.npy widened.g.npy --atol=1e-3
// RUN: %tessera run %s -k widened -t emu:sm_90a --sanitize=all -g 1 arange:i8:128 ones:f16:16x16 zeros:f32:16x16 --save out=ones.g.npy
// RUN: %tessera run %s -k widened -t interp -g 1 arange:i8:128 ones:f16:16x16 zeros:f32:16x16 --save out=ones.npy && cmp ones.npy ones.g.npy
#own = layout<spatial(32).local(8)>
#mixed = layout<local(8).spatial(32)>
!four = tensor_view<?xf4E2M1FN, strides=[1]>
!three = tensor_view<?xi3, strides=[1]>
!two = tensor_view<?xi2, strides=[1]>
#wide = layout<spatial(32).local(32)>
#b = layout<local(1, 2) * mma.m16n8k16.B>
cuda_tile.module @packed {
  entry @four(%in: tile<ptr<f4E2M1FN>>, %out: tile<ptr<f4E2M1FN>>, %n: tile<i32>) threads(32) {
    %from = make_tensor_view %in, shape = [%n], strides = [1] : tile<i32> -> !four
    %to = make_tensor_view %out, shape = [%n], strides = [1] : tile<i32> -> !four
    %c0 = constant <i32: 0> : tile<i32>
    %s = alloc_shared : shared<256xf4E2M1FN, Sw<1,3,2> o 256:1>
    cp_async %from[%c0], %s by #own : !four, shared<256xf4E2M1FN, Sw<1,3,2> o 256:1>
    cp_async_commit
    cp_async_wait 0
    barrier
    %x = load_shared %s : shared<256xf4E2M1FN, Sw<1,3,2> o 256:1> -> tile<256xf4E2M1FN, #mixed>
    store_global %x, %to[%c0] : tile<256xf4E2M1FN, #mixed>, !four
    return
  }
  // A thread's 32 elements are three words. Of the copy's source the last row is not there.
  entry @three(%in: tile<ptr<i3>>, %out: tile<ptr<i3>>, %n: tile<i32>) threads(32) {
    %from = make_tensor_view %in, shape = [%n], strides = [1] : tile<i32> -> !three
    %to = make_tensor_view %out, shape = [1024], strides = [1] : tensor_view<1024xi3, strides=[1]>
    %c0 = constant <i32: 0> : tile<i32>
    %s = alloc_shared : shared<1024xi3>
    cp_async %from[%c0], %s by #wide : !three, shared<1024xi3>
    cp_async_commit
    cp_async_wait 0
    barrier
    %x = load_shared %s : shared<1024xi3> -> tile<1024xi3, local(32).spatial(32)>
    store_global %x, %to[%c0] : tile<1024xi3, local(32).spatial(32)>, tensor_view<1024xi3, strides=[1]>
    return
  }
  entry @two(%in: tile<ptr<i2>>, %out: tile<ptr<i2>>, %n: tile<i32>) threads(32) {
    %from = make_tensor_view %in, shape = [%n], strides = [1] : tile<i32> -> !two
    %to = make_tensor_view %out, shape = [%n], strides = [1] : tile<i32> -> !two
    %c0 = constant <i32: 0> : tile<i32>
    %s = alloc_shared : shared<512xi2>
    %x = load_global %from[%c0] : !two -> tile<512xi2, spatial(32).local(16)>
    store_shared %x, %s : tile<512xi2, spatial(32).local(16)>, shared<512xi2>
    barrier
    %y = load_shared %s : shared<512xi2> -> tile<512xi2, local(16).spatial(32)>
    store_global %y, %to[%c0] : tile<512xi2, local(16).spatial(32)>, !two
    return
  }
  // Which numbers are negative, as bits.
  entry @bits(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>) threads(32) {
    %from = make_tensor_view %in, shape = [256], strides = [1] : tensor_view<256xi32, strides=[1]>
    %to = make_tensor_view %out, shape = [256], strides = [1] : tensor_view<256xi32, strides=[1]>
    %c0 = constant <i32: 0> : tile<i32>
    %zero = constant <i32: 0> : tile<256xi32, #own>
    %one = constant <i32: 1> : tile<256xi32, #mixed>
    %none = constant <i32: 0> : tile<256xi32, #mixed>
    %s = alloc_shared : shared<256xi1>
    %x = load_global %from[%c0] : tensor_view<256xi32, strides=[1]> -> tile<256xi32, #own>
    %less = cmpi less_than %x, %zero, signed : tile<256xi32, #own> -> tile<256xi1, #own>
    store_shared %less, %s : tile<256xi1, #own>, shared<256xi1>
    barrier
    %y = load_shared %s : shared<256xi1> -> tile<256xi1, #mixed>
    %z = select %y, %one, %none : tile<256xi1, #mixed>, tile<256xi32, #mixed>
    store_global %z, %to[%c0] : tile<256xi32, #mixed>, tensor_view<256xi32, strides=[1]>
    return
  }
  // Neighbours belong to different threads.
  entry @apart(%in: tile<ptr<f4E2M1FN>>, %out: tile<ptr<f4E2M1FN>>) threads(32) {
    %from = make_tensor_view %in, shape = [256], strides = [1] : tensor_view<256xf4E2M1FN, strides=[1]>
    %to = make_tensor_view %out, shape = [256], strides = [1] : tensor_view<256xf4E2M1FN, strides=[1]>
    %c0 = constant <i32: 0> : tile<i32>
    %s = alloc_shared : shared<256xf4E2M1FN>
    %x = load_global %from[%c0] : tensor_view<256xf4E2M1FN, strides=[1]> -> tile<256xf4E2M1FN, #mixed>
    store_shared %x, %s : tile<256xf4E2M1FN, #mixed>, shared<256xf4E2M1FN>
    barrier
    %y = load_shared %s : shared<256xf4E2M1FN> -> tile<256xf4E2M1FN, #own>
    store_global %y, %to[%c0] : tile<256xf4E2M1FN, #own>, tensor_view<256xf4E2M1FN, strides=[1]>
    return
  }
  // Bytes of weights in shared memory, cut into nibbles.
  entry @widened(%weights: tile<ptr<i8>>, %in: tile<ptr<f16>>, %out: tile<ptr<f32>>) threads(32) {
    %from = make_tensor_view %weights, shape = [128], strides = [1] : tensor_view<128xi8, strides=[1]>
    %a = make_tensor_view %in, shape = [16, 16], strides = [16, 1] : tensor_view<16x16xf16, strides=[16,1]>
    %to = make_tensor_view %out, shape = [16, 16], strides = [16, 1] : tensor_view<16x16xf32, strides=[16,1]>
    %c0 = constant <i32: 0> : tile<i32>
    %s = alloc_shared : shared<128xi8>
    cp_async %from[%c0], %s by layout<spatial(32).local(4)> : tensor_view<128xi8, strides=[1]>, shared<128xi8>
    cp_async_commit
    cp_async_wait 0
    barrier // harmless: each thread accesses what it copied itself
    %bytes = load_shared %s : shared<128xi8> -> tile<128xi8, spatial(32).local(4)>
    %few = reinterpret %bytes : tile<128xi8, spatial(32).local(4)> -> tile<16x16xi4, #b>
    %byte = exti %few signed : tile<16x16xi4, #b> -> tile<16x16xi8, #b>
    %half = itof %byte signed : tile<16x16xi8, #b> -> tile<16x16xf16, #b>
    %x = load_global %a[%c0, %c0] : tensor_view<16x16xf16, strides=[16,1]> -> tile<16x16xf16, mma.m16n8k16.A>
    %zero = constant <f32: 0.0> : tile<16x16xf32, local(1, 2) * mma.m16n8k16.C>
    %sum = mmaf %x, %half, %zero : tile<16x16xf16, mma.m16n8k16.A>, tile<16x16xf16, #b>, tile<16x16xf32, local(1, 2) * mma.m16n8k16.C>
    store_global %sum, %to[%c0, %c0] : tile<16x16xf32, local(1, 2) * mma.m16n8k16.C>, tensor_view<16x16xf32, strides=[16,1]>
    return
  }
}
