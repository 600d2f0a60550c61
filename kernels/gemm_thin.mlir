// C = A * B for row-major f32 matrices of which A has few rows, as in decoding: B is read once, and
// its tiles are as wide as a memory page. The name says the tile, M x N x K.
// Launch ceil(M / tile M) x ceil(N / tile N) tile blocks.
cuda_tile.module @gemm_thin {
  entry @gemm_thin_f32_16x1024x16(%A: tile<ptr<f32>>, %B: tile<ptr<f32>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) {
    %a_view = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %b_view = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %c_view = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %a_tiles = make_partition_view %a_view : partition_view<tile=(16x16), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
    %b_tiles = make_partition_view %b_view : partition_view<tile=(16x1024), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
    %c_tiles = make_partition_view %c_view : partition_view<tile=(16x1024), tensor_view<?x?xf32, strides=[?,1]>>

    %i, %j, %bz = get_tile_block_id : tile<i32>
    %tiles:2 = get_index_space_shape %a_tiles : partition_view<tile=(16x16), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>> -> tile<i32>
    %zero = constant <f32: 0.0> : tile<16x1024xf32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %result = for %k in (%first to %tiles#1, step %step) : tile<i32> iter_values(%acc = %zero) -> (tile<16x1024xf32>) {
      %a, %t0 = load_view_tko weak %a_tiles[%i, %k] : partition_view<tile=(16x16), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<16x16xf32>, token
      %b, %t1 = load_view_tko weak %b_tiles[%k, %j] : partition_view<tile=(16x1024), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<16x1024xf32>, token
      %sum = mmaf %a, %b, %acc : tile<16x16xf32>, tile<16x1024xf32>, tile<16x1024xf32>
      continue %sum : tile<16x1024xf32>
    }
    %t2 = store_view_tko weak %result, %c_tiles[%i, %j] : tile<16x1024xf32>, partition_view<tile=(16x1024), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  }

  entry @gemm_thin_f32_1x1024x32(%A: tile<ptr<f32>>, %B: tile<ptr<f32>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) {
    %a_view = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %b_view = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %c_view = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %a_tiles = make_partition_view %a_view : partition_view<tile=(1x32), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
    %b_tiles = make_partition_view %b_view : partition_view<tile=(32x1024), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
    %c_tiles = make_partition_view %c_view : partition_view<tile=(1x1024), tensor_view<?x?xf32, strides=[?,1]>>

    %i, %j, %bz = get_tile_block_id : tile<i32>
    %tiles:2 = get_index_space_shape %a_tiles : partition_view<tile=(1x32), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>> -> tile<i32>
    %zero = constant <f32: 0.0> : tile<1x1024xf32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %result = for %k in (%first to %tiles#1, step %step) : tile<i32> iter_values(%acc = %zero) -> (tile<1x1024xf32>) {
      %a, %t0 = load_view_tko weak %a_tiles[%i, %k] : partition_view<tile=(1x32), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x32xf32>, token
      %b, %t1 = load_view_tko weak %b_tiles[%k, %j] : partition_view<tile=(32x1024), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<32x1024xf32>, token
      %sum = mmaf %a, %b, %acc : tile<1x32xf32>, tile<32x1024xf32>, tile<1x1024xf32>
      continue %sum : tile<1x1024xf32>
    }
    %t2 = store_view_tko weak %result, %c_tiles[%i, %j] : tile<1x1024xf32>, partition_view<tile=(1x1024), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  }
}
