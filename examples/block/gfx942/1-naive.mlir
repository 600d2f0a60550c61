// C = A times B transposed, A of M x K, B of N x K. A thread computes one element, and takes what it
// needs for it from global memory.
!a = tile<16x32xf16, spatial(16, 1).replicated(1, 1, num_workers=16).local(1, 32)>
!b = tile<32x16xf16, replicated(1, 1, num_workers=16).spatial(1, 16).local(32, 1)>
!c = tile<16x16xf32, spatial(16, 16)>
!h = tensor_view<?x?xf16, strides=[?,1]>
!t = tensor_view<?x?xf16, strides=[1,?]>
!f = tensor_view<?x?xf32, strides=[?,1]>
cuda_tile.module @gemm {
  entry @gemm(%A: tile<ptr<f16>>, %B: tile<ptr<f16>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) threads(256) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c16 = constant <i32: 16> : tile<i32>
    %c32 = constant <i32: 32> : tile<i32>
    %ga = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> !h
    %gb = make_tensor_view %B, shape = [%K, %N], strides = [1, %K] : tile<i32> -> !t
    %gc = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> !f
    %x, %y, %z = get_tile_block_id : tile<i32>
    %m = muli %x, %c16 : tile<i32>
    %n = muli %y, %c16 : tile<i32>
    %steps = divi %K, %c32 unsigned rounding<positive_inf> : tile<i32>
    %zero = constant <f32: 0.0> : !c
    %sum = for %i in (%c0 to %steps, step %c1) : tile<i32> iter_values(%acc = %zero) -> (!c) {
      %k = muli %i, %c32 : tile<i32>
      %ra = load_global %ga[%m, %k] : !h -> !a
      %rb = load_global %gb[%k, %n] : !t -> !b
      %d = mmaf %ra, %rb, %acc : !a, !b, !c
      continue %d : !c
    }
    store_global %sum, %gc[%m, %n] : !c, !f
    return
  }
}
