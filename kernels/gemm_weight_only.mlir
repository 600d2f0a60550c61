// C = A * W * scale with weights of 4 bits, two to a byte, as in decoding with few rows. A is bf16,
// M x K; W has K rows of N weights; there is one f32 scale per column; C is f32, M x N; all row-major.
//
//   gemm_i4_bf16_…        integers from -8 to 7; byte j of a row holds column j in its low bits and
//                         column N / 2 + j in its high bits. N is even.
//   gemm_f4E2M1FN_bf16_…  byte j holds column 2 j in its low bits and column 2 j + 1 in its high bits
//
// The name says the tile, M x N x K. Launch ceil(M / tile M) x ceil(N / tile N) tile blocks, half as
// many along N for integers: a block of these computes two tiles.
cuda_tile.module @gemm_weight_only {
  entry @gemm_i4_bf16_1x1024x32(%A: tile<ptr<bf16>>, %W: tile<ptr<i8>>, %scale: tile<ptr<f32>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) {
    %two = constant <i32: 2> : tile<i32>
    %half = divi %N, %two signed : tile<i32>
    %a_view = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
    %w_view = make_tensor_view %W, shape = [%K, %half], strides = [%half, 1] : tile<i32> -> tensor_view<?x?xi8, strides=[?,1]>
    %a_tiles = make_partition_view %a_view : partition_view<tile=(1x32), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>
    %w_tiles = make_partition_view %w_view : partition_view<tile=(32x1024), padding_value = zero, tensor_view<?x?xi8, strides=[?,1]>>

    %i, %j, %bz = get_tile_block_id : tile<i32>
    %tiles:2 = get_index_space_shape %a_tiles : partition_view<tile=(1x32), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>> -> tile<i32>
    %zero = constant <f32: 0.0> : tile<1x1024xf32>
    %four = constant <i8: 4> : tile<32x1024xi8>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %low, %high = for %k in (%first to %tiles#1, step %step) : tile<i32> iter_values(%low_acc = %zero, %high_acc = %zero) -> (tile<1x1024xf32>, tile<1x1024xf32>) {
      %a, %t0 = load_view_tko weak %a_tiles[%i, %k] : partition_view<tile=(1x32), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> tile<1x32xbf16>, token
      %w, %t1 = load_view_tko weak %w_tiles[%k, %j] : partition_view<tile=(32x1024), padding_value = zero, tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> tile<32x1024xi8>, token
      %up = shli %w, %four : tile<32x1024xi8>
      %low_bits = shri %up, %four signed : tile<32x1024xi8>
      %high_bits = shri %w, %four signed : tile<32x1024xi8>
      %low_b = itof %low_bits signed : tile<32x1024xi8> -> tile<32x1024xbf16>
      %high_b = itof %high_bits signed : tile<32x1024xi8> -> tile<32x1024xbf16>
      %low_sum = mmaf %a, %low_b, %low_acc : tile<1x32xbf16>, tile<32x1024xbf16>, tile<1x1024xf32>
      %high_sum = mmaf %a, %high_b, %high_acc : tile<1x32xbf16>, tile<32x1024xbf16>, tile<1x1024xf32>
      continue %low_sum, %high_sum : tile<1x1024xf32>, tile<1x1024xf32>
    }
    %low_c_view = make_tensor_view %C, shape = [%M, %half], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %low_c_tiles = make_partition_view %low_c_view : partition_view<tile=(1x1024), tensor_view<?x?xf32, strides=[?,1]>>
    %low_s_view = make_tensor_view %scale, shape = [%half], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %low_s_tiles = make_partition_view %low_s_view : partition_view<tile=(1024), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %low_s, %low_t0 = load_view_tko weak %low_s_tiles[%j] : partition_view<tile=(1024), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
    %low_row = reshape %low_s : tile<1024xf32> -> tile<1x1024xf32>
    %low_all = broadcast %low_row : tile<1x1024xf32> -> tile<1x1024xf32>
    %low_done = mulf %low, %low_all : tile<1x1024xf32>
    %low_t1 = store_view_tko weak %low_done, %low_c_tiles[%i, %j] : tile<1x1024xf32>, partition_view<tile=(1x1024), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %c_half = offset %C, %half : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %s_half = offset %scale, %half : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %high_c_view = make_tensor_view %c_half, shape = [%M, %half], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %high_c_tiles = make_partition_view %high_c_view : partition_view<tile=(1x1024), tensor_view<?x?xf32, strides=[?,1]>>
    %high_s_view = make_tensor_view %s_half, shape = [%half], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %high_s_tiles = make_partition_view %high_s_view : partition_view<tile=(1024), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %high_s, %high_t0 = load_view_tko weak %high_s_tiles[%j] : partition_view<tile=(1024), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
    %high_row = reshape %high_s : tile<1024xf32> -> tile<1x1024xf32>
    %high_all = broadcast %high_row : tile<1x1024xf32> -> tile<1x1024xf32>
    %high_done = mulf %high, %high_all : tile<1x1024xf32>
    %high_t1 = store_view_tko weak %high_done, %high_c_tiles[%i, %j] : tile<1x1024xf32>, partition_view<tile=(1x1024), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  }

  entry @gemm_i4_bf16_16x1024x32(%A: tile<ptr<bf16>>, %W: tile<ptr<i8>>, %scale: tile<ptr<f32>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) {
    %two = constant <i32: 2> : tile<i32>
    %half = divi %N, %two signed : tile<i32>
    %a_view = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
    %w_view = make_tensor_view %W, shape = [%K, %half], strides = [%half, 1] : tile<i32> -> tensor_view<?x?xi8, strides=[?,1]>
    %a_tiles = make_partition_view %a_view : partition_view<tile=(16x32), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>
    %w_tiles = make_partition_view %w_view : partition_view<tile=(32x1024), padding_value = zero, tensor_view<?x?xi8, strides=[?,1]>>

    %i, %j, %bz = get_tile_block_id : tile<i32>
    %tiles:2 = get_index_space_shape %a_tiles : partition_view<tile=(16x32), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>> -> tile<i32>
    %zero = constant <f32: 0.0> : tile<16x1024xf32>
    %four = constant <i8: 4> : tile<32x1024xi8>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %low, %high = for %k in (%first to %tiles#1, step %step) : tile<i32> iter_values(%low_acc = %zero, %high_acc = %zero) -> (tile<16x1024xf32>, tile<16x1024xf32>) {
      %a, %t0 = load_view_tko weak %a_tiles[%i, %k] : partition_view<tile=(16x32), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> tile<16x32xbf16>, token
      %w, %t1 = load_view_tko weak %w_tiles[%k, %j] : partition_view<tile=(32x1024), padding_value = zero, tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> tile<32x1024xi8>, token
      %up = shli %w, %four : tile<32x1024xi8>
      %low_bits = shri %up, %four signed : tile<32x1024xi8>
      %high_bits = shri %w, %four signed : tile<32x1024xi8>
      %low_b = itof %low_bits signed : tile<32x1024xi8> -> tile<32x1024xbf16>
      %high_b = itof %high_bits signed : tile<32x1024xi8> -> tile<32x1024xbf16>
      %low_sum = mmaf %a, %low_b, %low_acc : tile<16x32xbf16>, tile<32x1024xbf16>, tile<16x1024xf32>
      %high_sum = mmaf %a, %high_b, %high_acc : tile<16x32xbf16>, tile<32x1024xbf16>, tile<16x1024xf32>
      continue %low_sum, %high_sum : tile<16x1024xf32>, tile<16x1024xf32>
    }
    %low_c_view = make_tensor_view %C, shape = [%M, %half], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %low_c_tiles = make_partition_view %low_c_view : partition_view<tile=(16x1024), tensor_view<?x?xf32, strides=[?,1]>>
    %low_s_view = make_tensor_view %scale, shape = [%half], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %low_s_tiles = make_partition_view %low_s_view : partition_view<tile=(1024), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %low_s, %low_t0 = load_view_tko weak %low_s_tiles[%j] : partition_view<tile=(1024), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
    %low_row = reshape %low_s : tile<1024xf32> -> tile<1x1024xf32>
    %low_all = broadcast %low_row : tile<1x1024xf32> -> tile<16x1024xf32>
    %low_done = mulf %low, %low_all : tile<16x1024xf32>
    %low_t1 = store_view_tko weak %low_done, %low_c_tiles[%i, %j] : tile<16x1024xf32>, partition_view<tile=(16x1024), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %c_half = offset %C, %half : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %s_half = offset %scale, %half : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %high_c_view = make_tensor_view %c_half, shape = [%M, %half], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %high_c_tiles = make_partition_view %high_c_view : partition_view<tile=(16x1024), tensor_view<?x?xf32, strides=[?,1]>>
    %high_s_view = make_tensor_view %s_half, shape = [%half], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %high_s_tiles = make_partition_view %high_s_view : partition_view<tile=(1024), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %high_s, %high_t0 = load_view_tko weak %high_s_tiles[%j] : partition_view<tile=(1024), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
    %high_row = reshape %high_s : tile<1024xf32> -> tile<1x1024xf32>
    %high_all = broadcast %high_row : tile<1x1024xf32> -> tile<16x1024xf32>
    %high_done = mulf %high, %high_all : tile<16x1024xf32>
    %high_t1 = store_view_tko weak %high_done, %high_c_tiles[%i, %j] : tile<16x1024xf32>, partition_view<tile=(16x1024), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  }

  entry @gemm_f4E2M1FN_bf16_1x1024x32(%A: tile<ptr<bf16>>, %W: tile<ptr<f4E2M1FN>>, %scale: tile<ptr<f32>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) {
    %a_view = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
    %w_view = make_tensor_view %W, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf4E2M1FN, strides=[?,1]>
    %c_view = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %s_view = make_tensor_view %scale, shape = [%N], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %a_tiles = make_partition_view %a_view : partition_view<tile=(1x32), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>
    %w_tiles = make_partition_view %w_view : partition_view<tile=(32x1024), padding_value = zero, tensor_view<?x?xf4E2M1FN, strides=[?,1]>>
    %c_tiles = make_partition_view %c_view : partition_view<tile=(1x1024), tensor_view<?x?xf32, strides=[?,1]>>
    %s_tiles = make_partition_view %s_view : partition_view<tile=(1024), padding_value = zero, tensor_view<?xf32, strides=[1]>>

    %i, %j, %bz = get_tile_block_id : tile<i32>
    %tiles:2 = get_index_space_shape %a_tiles : partition_view<tile=(1x32), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>> -> tile<i32>
    %zero = constant <f32: 0.0> : tile<1x1024xf32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %result = for %k in (%first to %tiles#1, step %step) : tile<i32> iter_values(%acc = %zero) -> (tile<1x1024xf32>) {
      %a, %t0 = load_view_tko weak %a_tiles[%i, %k] : partition_view<tile=(1x32), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> tile<1x32xbf16>, token
      %w, %t1 = load_view_tko weak %w_tiles[%k, %j] : partition_view<tile=(32x1024), padding_value = zero, tensor_view<?x?xf4E2M1FN, strides=[?,1]>>, tile<i32> -> tile<32x1024xf4E2M1FN>, token
      %b = ftof %w : tile<32x1024xf4E2M1FN> -> tile<32x1024xbf16>
      %sum = mmaf %a, %b, %acc : tile<1x32xbf16>, tile<32x1024xbf16>, tile<1x1024xf32>
      continue %sum : tile<1x1024xf32>
    }
    %s, %t2 = load_view_tko weak %s_tiles[%j] : partition_view<tile=(1024), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
    %s_row = reshape %s : tile<1024xf32> -> tile<1x1024xf32>
    %s_all = broadcast %s_row : tile<1x1024xf32> -> tile<1x1024xf32>
    %done = mulf %result, %s_all : tile<1x1024xf32>
    %t3 = store_view_tko weak %done, %c_tiles[%i, %j] : tile<1x1024xf32>, partition_view<tile=(1x1024), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  }

  entry @gemm_f4E2M1FN_bf16_16x1024x32(%A: tile<ptr<bf16>>, %W: tile<ptr<f4E2M1FN>>, %scale: tile<ptr<f32>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) {
    %a_view = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
    %w_view = make_tensor_view %W, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf4E2M1FN, strides=[?,1]>
    %c_view = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %s_view = make_tensor_view %scale, shape = [%N], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %a_tiles = make_partition_view %a_view : partition_view<tile=(16x32), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>
    %w_tiles = make_partition_view %w_view : partition_view<tile=(32x1024), padding_value = zero, tensor_view<?x?xf4E2M1FN, strides=[?,1]>>
    %c_tiles = make_partition_view %c_view : partition_view<tile=(16x1024), tensor_view<?x?xf32, strides=[?,1]>>
    %s_tiles = make_partition_view %s_view : partition_view<tile=(1024), padding_value = zero, tensor_view<?xf32, strides=[1]>>

    %i, %j, %bz = get_tile_block_id : tile<i32>
    %tiles:2 = get_index_space_shape %a_tiles : partition_view<tile=(16x32), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>> -> tile<i32>
    %zero = constant <f32: 0.0> : tile<16x1024xf32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %result = for %k in (%first to %tiles#1, step %step) : tile<i32> iter_values(%acc = %zero) -> (tile<16x1024xf32>) {
      %a, %t0 = load_view_tko weak %a_tiles[%i, %k] : partition_view<tile=(16x32), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> tile<16x32xbf16>, token
      %w, %t1 = load_view_tko weak %w_tiles[%k, %j] : partition_view<tile=(32x1024), padding_value = zero, tensor_view<?x?xf4E2M1FN, strides=[?,1]>>, tile<i32> -> tile<32x1024xf4E2M1FN>, token
      %b = ftof %w : tile<32x1024xf4E2M1FN> -> tile<32x1024xbf16>
      %sum = mmaf %a, %b, %acc : tile<16x32xbf16>, tile<32x1024xbf16>, tile<16x1024xf32>
      continue %sum : tile<16x1024xf32>
    }
    %s, %t2 = load_view_tko weak %s_tiles[%j] : partition_view<tile=(1024), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
    %s_row = reshape %s : tile<1024xf32> -> tile<1x1024xf32>
    %s_all = broadcast %s_row : tile<1x1024xf32> -> tile<16x1024xf32>
    %done = mulf %result, %s_all : tile<16x1024xf32>
    %t3 = store_view_tko weak %done, %c_tiles[%i, %j] : tile<16x1024xf32>, partition_view<tile=(16x1024), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  }
}
