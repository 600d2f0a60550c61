// C = A * B for f32 matrices that lie differently. Tiles are 128 x 128 x 64; C is row-major M x N.
//
//   gemm_tn       A is stored transposed, K x M
//   gemm_nt       B is stored transposed, N x K
//   gemm_tt       both are
//   gemm_strided  rows of A, B and C are lda, ldb and ldc elements apart
//   gemm_batched  %batches products of the same size, one behind the other in memory
//   gemm_grouped  rows %starts[g] to %starts[g + 1] of A times matrix g of B; %M is the last of starts
//
// Launch ceil(M / 128) x ceil(N / 128) tile blocks, times the batches or groups along z.
cuda_tile.module @gemm_layouts {
  entry @gemm_tn(%A: tile<ptr<f32>>, %B: tile<ptr<f32>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) {
    %a_view = make_tensor_view %A, shape = [%K, %M], strides = [%M, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %b_view = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %c_view = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %a_tiles = make_partition_view %a_view : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>, dim_map = [1, 0]>
    %b_tiles = make_partition_view %b_view : partition_view<tile=(64x128), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
    %c_tiles = make_partition_view %c_view : partition_view<tile=(128x128), tensor_view<?x?xf32, strides=[?,1]>>

    %i, %j, %bz = get_tile_block_id : tile<i32>
    %tiles:2 = get_index_space_shape %a_tiles : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>, dim_map = [1, 0]> -> tile<i32>
    %zero = constant <f32: 0.0> : tile<128x128xf32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %result = for %k in (%first to %tiles#1, step %step) : tile<i32> iter_values(%acc = %zero) -> (tile<128x128xf32>) {
      %a, %t0 = load_view_tko weak %a_tiles[%i, %k] : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>, dim_map = [1, 0]>, tile<i32> -> tile<128x64xf32>, token
      %b, %t1 = load_view_tko weak %b_tiles[%k, %j] : partition_view<tile=(64x128), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<64x128xf32>, token
      %sum = mmaf %a, %b, %acc : tile<128x64xf32>, tile<64x128xf32>, tile<128x128xf32>
      continue %sum : tile<128x128xf32>
    }
    %t2 = store_view_tko weak %result, %c_tiles[%i, %j] : tile<128x128xf32>, partition_view<tile=(128x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  }

  entry @gemm_nt(%A: tile<ptr<f32>>, %B: tile<ptr<f32>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) {
    %a_view = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %b_view = make_tensor_view %B, shape = [%N, %K], strides = [%K, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %c_view = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %a_tiles = make_partition_view %a_view : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
    %b_tiles = make_partition_view %b_view : partition_view<tile=(64x128), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>, dim_map = [1, 0]>
    %c_tiles = make_partition_view %c_view : partition_view<tile=(128x128), tensor_view<?x?xf32, strides=[?,1]>>

    %i, %j, %bz = get_tile_block_id : tile<i32>
    %tiles:2 = get_index_space_shape %a_tiles : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>> -> tile<i32>
    %zero = constant <f32: 0.0> : tile<128x128xf32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %result = for %k in (%first to %tiles#1, step %step) : tile<i32> iter_values(%acc = %zero) -> (tile<128x128xf32>) {
      %a, %t0 = load_view_tko weak %a_tiles[%i, %k] : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<128x64xf32>, token
      %b, %t1 = load_view_tko weak %b_tiles[%k, %j] : partition_view<tile=(64x128), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>, dim_map = [1, 0]>, tile<i32> -> tile<64x128xf32>, token
      %sum = mmaf %a, %b, %acc : tile<128x64xf32>, tile<64x128xf32>, tile<128x128xf32>
      continue %sum : tile<128x128xf32>
    }
    %t2 = store_view_tko weak %result, %c_tiles[%i, %j] : tile<128x128xf32>, partition_view<tile=(128x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  }

  entry @gemm_tt(%A: tile<ptr<f32>>, %B: tile<ptr<f32>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) {
    %a_view = make_tensor_view %A, shape = [%K, %M], strides = [%M, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %b_view = make_tensor_view %B, shape = [%N, %K], strides = [%K, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %c_view = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %a_tiles = make_partition_view %a_view : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>, dim_map = [1, 0]>
    %b_tiles = make_partition_view %b_view : partition_view<tile=(64x128), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>, dim_map = [1, 0]>
    %c_tiles = make_partition_view %c_view : partition_view<tile=(128x128), tensor_view<?x?xf32, strides=[?,1]>>

    %i, %j, %bz = get_tile_block_id : tile<i32>
    %tiles:2 = get_index_space_shape %a_tiles : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>, dim_map = [1, 0]> -> tile<i32>
    %zero = constant <f32: 0.0> : tile<128x128xf32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %result = for %k in (%first to %tiles#1, step %step) : tile<i32> iter_values(%acc = %zero) -> (tile<128x128xf32>) {
      %a, %t0 = load_view_tko weak %a_tiles[%i, %k] : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>, dim_map = [1, 0]>, tile<i32> -> tile<128x64xf32>, token
      %b, %t1 = load_view_tko weak %b_tiles[%k, %j] : partition_view<tile=(64x128), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>, dim_map = [1, 0]>, tile<i32> -> tile<64x128xf32>, token
      %sum = mmaf %a, %b, %acc : tile<128x64xf32>, tile<64x128xf32>, tile<128x128xf32>
      continue %sum : tile<128x128xf32>
    }
    %t2 = store_view_tko weak %result, %c_tiles[%i, %j] : tile<128x128xf32>, partition_view<tile=(128x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  }

  entry @gemm_strided(%A: tile<ptr<f32>>, %B: tile<ptr<f32>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>, %lda: tile<i32>, %ldb: tile<i32>, %ldc: tile<i32>) {
    %a_view = make_tensor_view %A, shape = [%M, %K], strides = [%lda, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %b_view = make_tensor_view %B, shape = [%K, %N], strides = [%ldb, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %c_view = make_tensor_view %C, shape = [%M, %N], strides = [%ldc, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
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

  entry @gemm_batched(%A: tile<ptr<f32>>, %B: tile<ptr<f32>>, %C: tile<ptr<f32>>, %batches: tile<i32>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) {
    %wide_m = exti %M signed : tile<i32> -> tile<i64>
    %wide_n = exti %N signed : tile<i32> -> tile<i64>
    %wide_k = exti %K signed : tile<i32> -> tile<i64>
    %a_size = muli %wide_m, %wide_k : tile<i64>
    %b_size = muli %wide_k, %wide_n : tile<i64>
    %c_size = muli %wide_m, %wide_n : tile<i64>
    %wide_batches = exti %batches signed : tile<i32> -> tile<i64>
    %a_view = make_tensor_view %A, shape = [%wide_batches, %wide_m, %wide_k], strides = [%a_size, %wide_k, 1] : tile<i64> -> tensor_view<?x?x?xf32, strides=[?,?,1]>
    %b_view = make_tensor_view %B, shape = [%wide_batches, %wide_k, %wide_n], strides = [%b_size, %wide_n, 1] : tile<i64> -> tensor_view<?x?x?xf32, strides=[?,?,1]>
    %c_view = make_tensor_view %C, shape = [%wide_batches, %wide_m, %wide_n], strides = [%c_size, %wide_n, 1] : tile<i64> -> tensor_view<?x?x?xf32, strides=[?,?,1]>
    %a_tiles = make_partition_view %a_view : partition_view<tile=(1x128x64), padding_value = zero, tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %b_tiles = make_partition_view %b_view : partition_view<tile=(1x64x128), padding_value = zero, tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %c_tiles = make_partition_view %c_view : partition_view<tile=(1x128x128), tensor_view<?x?x?xf32, strides=[?,?,1]>>

    %i, %j, %batch = get_tile_block_id : tile<i32>
    %tiles:3 = get_index_space_shape %a_tiles : partition_view<tile=(1x128x64), padding_value = zero, tensor_view<?x?x?xf32, strides=[?,?,1]>> -> tile<i32>
    %zero = constant <f32: 0.0> : tile<1x128x128xf32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %result = for %k in (%first to %tiles#2, step %step) : tile<i32> iter_values(%acc = %zero) -> (tile<1x128x128xf32>) {
      %a, %t0 = load_view_tko weak %a_tiles[%batch, %i, %k] : partition_view<tile=(1x128x64), padding_value = zero, tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> tile<1x128x64xf32>, token
      %b, %t1 = load_view_tko weak %b_tiles[%batch, %k, %j] : partition_view<tile=(1x64x128), padding_value = zero, tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> tile<1x64x128xf32>, token
      %sum = mmaf %a, %b, %acc : tile<1x128x64xf32>, tile<1x64x128xf32>, tile<1x128x128xf32>
      continue %sum : tile<1x128x128xf32>
    }
    %t2 = store_view_tko weak %result, %c_tiles[%batch, %i, %j] : tile<1x128x128xf32>, partition_view<tile=(1x128x128), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> token
  }

  entry @gemm_grouped(%A: tile<ptr<f32>>, %B: tile<ptr<f32>>, %C: tile<ptr<f32>>, %starts: tile<ptr<i32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) {
    %i, %j, %group = get_tile_block_id : tile<i32>
    %start_at = offset %starts, %group : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %one = constant <i32: 1> : tile<i32>
    %after = addi %group, %one : tile<i32>
    %end_at = offset %starts, %after : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %start, %t0 = load_ptr_tko weak %start_at : tile<ptr<i32>> -> tile<i32>, token
    %end, %t1 = load_ptr_tko weak %end_at : tile<ptr<i32>> -> tile<i32>, token
    %rows = subi %end, %start : tile<i32>

    %wide_start = exti %start signed : tile<i32> -> tile<i64>
    %wide_group = exti %group signed : tile<i32> -> tile<i64>
    %wide_n = exti %N signed : tile<i32> -> tile<i64>
    %wide_k = exti %K signed : tile<i32> -> tile<i64>
    %a_skip = muli %wide_start, %wide_k : tile<i64>
    %c_skip = muli %wide_start, %wide_n : tile<i64>
    %b_size = muli %wide_n, %wide_k : tile<i64>
    %b_skip = muli %wide_group, %b_size : tile<i64>
    %a_base = offset %A, %a_skip : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
    %b_base = offset %B, %b_skip : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
    %c_base = offset %C, %c_skip : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
    %a_view = make_tensor_view %a_base, shape = [%rows, %K], strides = [%K, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %b_view = make_tensor_view %b_base, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %c_view = make_tensor_view %c_base, shape = [%rows, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %a_tiles = make_partition_view %a_view : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
    %b_tiles = make_partition_view %b_view : partition_view<tile=(64x128), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
    %c_tiles = make_partition_view %c_view : partition_view<tile=(128x128), tensor_view<?x?xf32, strides=[?,1]>>

    %size = constant <i32: 128> : tile<i32>
    %top = muli %i, %size : tile<i32>
    %some = cmpi less_than %top, %rows, signed : tile<i32> -> tile<i1>
    if %some {
      %tiles:2 = get_index_space_shape %a_tiles : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>> -> tile<i32>
      %zero = constant <f32: 0.0> : tile<128x128xf32>
      %first = constant <i32: 0> : tile<i32>
      %result = for %k in (%first to %tiles#1, step %one) : tile<i32> iter_values(%acc = %zero) -> (tile<128x128xf32>) {
        %a, %t2 = load_view_tko weak %a_tiles[%i, %k] : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<128x64xf32>, token
        %b, %t3 = load_view_tko weak %b_tiles[%k, %j] : partition_view<tile=(64x128), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<64x128xf32>, token
        %sum = mmaf %a, %b, %acc : tile<128x64xf32>, tile<64x128xf32>, tile<128x128xf32>
        continue %sum : tile<128x128xf32>
      }
      %t4 = store_view_tko weak %result, %c_tiles[%i, %j] : tile<128x128xf32>, partition_view<tile=(128x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    }
  }
}
