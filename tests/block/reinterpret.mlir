// RUN: %transcript %s
//
// The bits of each thread as other elements: bytes as words, a matrix fragment's halves as pairs,
// 4-bit elements out of bytes; and what a copy that differs gives.
#lines = layout<spatial(32, 1).local(1, 8)>
#words = layout<spatial(32, 1).local(1, 2)>
#a = layout<mma.m16n8k16.A>
!v = tensor_view<32x8xi8, strides=[8,1]>
!w = tensor_view<32x2xi32, strides=[2,1]>
cuda_tile.module @reinterpret {
  // Element x1 of row x0 becomes byte x1 % 4 of word x1 / 4 of that row.
  entry @words(%in: tile<ptr<i8>>, %out: tile<ptr<i32>>) threads(32) {
    %vi = make_tensor_view %in, shape = [32, 8], strides = [8, 1] : !v
    %vo = make_tensor_view %out, shape = [32, 2], strides = [2, 1] : !w
    %0 = constant <i32: 0> : tile<i32>
    %x = load_global %vi[%0, %0] : !v -> tile<32x8xi8, #lines>
    %y = reinterpret %x : tile<32x8xi8, #lines> -> tile<32x2xi32, #words>
    store_global %y, %vo[%0, %0] : tile<32x2xi32, #words>, !w
    return
  }
  // There and back, through another shape: thread t has two rows of four of its eight halves.
  entry @fragment(%in: tile<ptr<f16>>, %out: tile<ptr<f16>>) threads(32) {
    %vi = make_tensor_view %in, shape = [16, 16], strides = [16, 1] : tensor_view<16x16xf16, strides=[16,1]>
    %vo = make_tensor_view %out, shape = [16, 16], strides = [16, 1] : tensor_view<16x16xf16, strides=[16,1]>
    %0 = constant <i32: 0> : tile<i32>
    %x = load_global %vi[%0, %0] : tensor_view<16x16xf16, strides=[16,1]> -> tile<16x16xf16, #a>
    %y = reinterpret %x : tile<16x16xf16, #a> -> tile<128xi32, spatial(32).local(4)>
    %z = reinterpret %y : tile<128xi32, spatial(32).local(4)> -> tile<16x16xf16, #a>
    store_global %z, %vo[%0, %0] : tile<16x16xf16, #a>, tensor_view<16x16xf16, strides=[16,1]>
    return
  }
  entry @nibbles(%in: tile<ptr<i8>>, %out: tile<ptr<i32>>) threads(32) {
    %vi = make_tensor_view %in, shape = [32], strides = [1] : tensor_view<32xi8, strides=[1]>
    %vo = make_tensor_view %out, shape = [64], strides = [1] : tensor_view<64xi32, strides=[1]>
    %0 = constant <i32: 0> : tile<i32>
    %x = load_global %vi[%0] : tensor_view<32xi8, strides=[1]> -> tile<32xi8, spatial(32)>
    %y = reinterpret %x : tile<32xi8, spatial(32)> -> tile<64xi4, spatial(32).local(2)>
    %z = exti %y unsigned : tile<64xi4, spatial(32).local(2)> -> tile<64xi32, spatial(32).local(2)>
    store_global %z, %vo[%0] : tile<64xi32, spatial(32).local(2)>, tensor_view<64xi32, strides=[1]>
    return
  }
  entry @copies() threads(32) {
    %x = get_worker : tile<32xi32, spatial(32)>
    %y = reinterpret %x : tile<32xi32, spatial(32)> -> tile<16xi32, spatial(16).replicated(1, num_workers=2)>
    return
  }
}
// $ tessera run reinterpret.mlir -k words -t interp --sanitize=all -g 1 arange:i8:32x8 zeros:i32:32x2 --save out=o.npy && npy expect o.npy '<i4' 32x2 '((4*i & 255) | (4*i+1 & 255) << 8 | (4*i+2 & 255) << 16 | (4*i+3 & 255) << 24) - (2**32 if (4*i+3 & 255) > 127 else 0)'
// tessera: remark: sanitizer: nothing found (bounds, assume, init, race, arith, sync) in 1 tile block
// $ tessera run reinterpret.mlir -k fragment -t interp --sanitize=all -g 1 arange:f16:16x16 zeros:f16:16x16 --save out=o.npy && npy expect o.npy '<f2' 16x16 'i'
// tessera: remark: sanitizer: nothing found (bounds, assume, init, race, arith, sync) in 1 tile block
// $ tessera run reinterpret.mlir -k nibbles -t interp --sanitize=all -g 1 arange:i8:32 zeros:i32:64 --save out=o.npy && npy expect o.npy '<i4' 64 '(i // 2) >> 4 * (i % 2) & 15'
// tessera: remark: sanitizer: nothing found (bounds, assume, init, race, arith, sync) in 1 tile block
// $ tessera run reinterpret.mlir -k copies -t interp --sanitize=all -g 1
// reinterpret.mlir:44:10: error: [assume] reinterpret gives thread 31 another value than thread 30, though the result's layout has one element for both
//       %y = reinterpret %x : tile<32xi32, spatial(32)> -> tile<16xi32, spatial(16).replicated(1, num_workers=2)>
//            ^
// tessera: note: in tile block (0, 0, 0), thread 31, element [15]
// tessera: note: sanitizer: 1 finding at 1 operation (assume 1) in 1 tile block
// [1]
// $ sed 's/32x2xi32, #words/32x4xi32, spatial(32, 1).local(1, 4)/' reinterpret.mlir >wrong.mlir; tessera check wrong.mlir
// wrong.mlir:17:10: error: reinterpret: a thread has 64 bits of the source, but 128 of the result
//       %y = reinterpret %x : tile<32x8xi8, #lines> -> tile<32x4xi32, spatial(32, 1).local(1, 4)>
//            ^
// [1]
