// C = A * B for row-major f32 matrices in tiles of BM x BN, with steps of BK along K: a text that
// `tessera tune run` makes programs of, by putting values in the places of parameters in braces.
cuda_tile.module @gemm {
  entry @gemm(%A: tile<ptr<f32>>, %B: tile<ptr<f32>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) {
    %a_view = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %b_view = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %c_view = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %a_tiles = make_partition_view %a_view : partition_view<tile=(${BM}x${BK}), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
    %b_tiles = make_partition_view %b_view : partition_view<tile=(${BK}x${BN}), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
    %c_tiles = make_partition_view %c_view : partition_view<tile=(${BM}x${BN}), tensor_view<?x?xf32, strides=[?,1]>>

    %i, %j, %bz = get_tile_block_id : tile<i32>
    %tiles:2 = get_index_space_shape %a_tiles : partition_view<tile=(${BM}x${BK}), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>> -> tile<i32>
    %zero = constant <f32: 0.0> : tile<${BM}x${BN}xf32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %result = for %k in (%first to %tiles#1, step %step) : tile<i32> iter_values(%acc = %zero) -> (tile<${BM}x${BN}xf32>) {
      %a, %t0 = load_view_tko weak %a_tiles[%i, %k] : partition_view<tile=(${BM}x${BK}), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<${BM}x${BK}xf32>, token
      %b, %t1 = load_view_tko weak %b_tiles[%k, %j] : partition_view<tile=(${BK}x${BN}), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<${BK}x${BN}xf32>, token
      %sum = mmaf %a, %b, %acc : tile<${BM}x${BK}xf32>, tile<${BK}x${BN}xf32>, tile<${BM}x${BN}xf32>
      continue %sum : tile<${BM}x${BN}xf32>
    }
    %t2 = store_view_tko weak %result, %c_tiles[%i, %j] : tile<${BM}x${BN}xf32>, partition_view<tile=(${BM}x${BN}), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  }
}
