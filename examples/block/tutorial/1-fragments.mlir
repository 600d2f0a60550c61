// A product whose operands go from global memory to the registers that mma wants.
#a = layout<spatial(4, 1).local(1, 2) * mma.m16n8k16.A>
#b = layout<replicated(1, 1, num_workers=4).local(2, 8) * mma.m16n8k16.B>
!a = tile<64x32xf16, #a>
!b = tile<32x64xf16, #b>
!c = tile<64x64xf32, spatial(4, 1).local(1, 8) * mma.m16n8k16.C>
!h = tensor_view<?x?xf16, strides=[?,1]>
!f = tensor_view<?x?xf32, strides=[?,1]>
cuda_tile.module @gemm {
  entry @gemm(%A: tile<ptr<f16>>, %B: tile<ptr<f16>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) threads(128) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c32 = constant <i32: 32> : tile<i32>
    %c64 = constant <i32: 64> : tile<i32>
    %ga = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> !h
    %gb = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> !h
    %gc = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> !f
    %x, %y, %z = get_tile_block_id : tile<i32>
    %m = muli %x, %c64 : tile<i32>
    %n = muli %y, %c64 : tile<i32>
    %steps = divi %K, %c32 unsigned rounding<positive_inf> : tile<i32>
    %zero = constant <f32: 0.0> : !c
    %sum = for %i in (%c0 to %steps, step %c1) : tile<i32> iter_values(%acc = %zero) -> (!c) {
      %k = muli %i, %c32 : tile<i32>
      %ra = load_global %ga[%m, %k] : !h -> !a
      %rb = load_global %gb[%k, %n] : !h -> !b
      %d = mmaf %ra, %rb, %acc : !a, !b, !c
      continue %d : !c
    }
    store_global %sum, %gc[%m, %n] : !c, !f
    return
  }
}
