// C = A * B for row-major f32 matrices of any size: A is M x K, B is K x N, C is M x N.
// One tile block computes one tile of C; the entry's name says the tile, M x N x K.
// Launch ceil(M / tile M) x ceil(N / tile N) tile blocks.
cuda_tile.module @gemm {
  entry @gemm_f32_128x128x64(%A: tile<ptr<f32>>, %B: tile<ptr<f32>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) {
    %a_view = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %b_view = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %c_view = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %a_tiles = make_partition_view %a_view : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
    %b_tiles = make_partition_view %b_view : partition_view<tile=(64x128), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
    %c_tiles = make_partition_view %c_view : partition_view<tile=(128x128), tensor_view<?x?xf32, strides=[?,1]>>

    %i, %j, %bz = get_tile_block_id : tile<i32>
    %tiles:2 = get_index_space_shape %a_tiles : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>> -> tile<i32>
    %zero = constant <f32: 0.0> : tile<128x128xf32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %result = for %k in (%first to %tiles#1, step %step) : tile<i32> iter_values(%acc = %zero) -> (tile<128x128xf32>) {
      %a, %t0 = load_view_tko weak %a_tiles[%i, %k] : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<128x64xf32>, token
      %b, %t1 = load_view_tko weak %b_tiles[%k, %j] : partition_view<tile=(64x128), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<64x128xf32>, token
      %sum = mmaf %a, %b, %acc : tile<128x64xf32>, tile<64x128xf32>, tile<128x128xf32>
      continue %sum : tile<128x128xf32>
    }
    %t2 = store_view_tko weak %result, %c_tiles[%i, %j] : tile<128x128xf32>, partition_view<tile=(128x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  }

  entry @gemm_f32_64x64x64(%A: tile<ptr<f32>>, %B: tile<ptr<f32>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) {
    %a_view = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %b_view = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %c_view = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %a_tiles = make_partition_view %a_view : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
    %b_tiles = make_partition_view %b_view : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
    %c_tiles = make_partition_view %c_view : partition_view<tile=(64x64), tensor_view<?x?xf32, strides=[?,1]>>

    %i, %j, %bz = get_tile_block_id : tile<i32>
    %tiles:2 = get_index_space_shape %a_tiles : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>> -> tile<i32>
    %zero = constant <f32: 0.0> : tile<64x64xf32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %result = for %k in (%first to %tiles#1, step %step) : tile<i32> iter_values(%acc = %zero) -> (tile<64x64xf32>) {
      %a, %t0 = load_view_tko weak %a_tiles[%i, %k] : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<64x64xf32>, token
      %b, %t1 = load_view_tko weak %b_tiles[%k, %j] : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<64x64xf32>, token
      %sum = mmaf %a, %b, %acc : tile<64x64xf32>, tile<64x64xf32>, tile<64x64xf32>
      continue %sum : tile<64x64xf32>
    }
    %t2 = store_view_tko weak %result, %c_tiles[%i, %j] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  }
}
