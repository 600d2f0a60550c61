// C += A * W * scale with weights of 4 bits, two to a byte, as in decoding with few rows on a GPU: there
// are too few columns to keep all multiprocessors busy, so the sums along K are split. A is bf16, M x K;
// W has K rows of N integers from -8 to 7, byte j of a row holding column j in its low bits and column
// N / 2 + j in its high bits (N is even); there is one f32 scale per column; C is f32, M x N, zero before
// the launch; all row-major. What a tile block has added up it adds to C by atomic operations, whose
// order is open.
//
// The name says the tile, M x N x K. Launch ceil(M / tile M) x ceil(N / 2 / tile N) x parts tile blocks:
// each adds up one of so many parts of K, for two tiles.
cuda_tile.module @gemm_weight_split {
  entry @gemm_split_i4_bf16_16x256x64(%A: tile<ptr<bf16>>, %W: tile<ptr<i8>>, %scale: tile<ptr<f32>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) {
    %two = constant <i32: 2> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %half = divi %N, %two signed : tile<i32>
    %a_view = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
    %w_view = make_tensor_view %W, shape = [%K, %half], strides = [%half, 1] : tile<i32> -> tensor_view<?x?xi8, strides=[?,1]>
    %a_tiles = make_partition_view %a_view : partition_view<tile=(16x64), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>
    %w_tiles = make_partition_view %w_view : partition_view<tile=(64x256), padding_value = zero, tensor_view<?x?xi8, strides=[?,1]>>

    // This tile block's part of K, in tiles.
    %i, %j, %part = get_tile_block_id : tile<i32>
    %nx, %ny, %parts = get_num_tile_blocks : tile<i32>
    %tiles:2 = get_index_space_shape %a_tiles : partition_view<tile=(16x64), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>> -> tile<i32>
    %tiles_up = addi %tiles#1, %parts : tile<i32>
    %tiles_above = subi %tiles_up, %one : tile<i32>
    %each = divi %tiles_above, %parts signed : tile<i32>
    %first = muli %part, %each : tile<i32>
    %next = addi %first, %each : tile<i32>
    %end = mini %next, %tiles#1 signed : tile<i32>

    %zero = constant <f32: 0.0> : tile<16x256xf32>
    %four = constant <i8: 4> : tile<64x256xi8>
    %low, %high = for %k in (%first to %end, step %one) : tile<i32> iter_values(%low_acc = %zero, %high_acc = %zero) -> (tile<16x256xf32>, tile<16x256xf32>) {
      %a, %t0 = load_view_tko weak %a_tiles[%i, %k] : partition_view<tile=(16x64), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> tile<16x64xbf16>, token
      %w, %t1 = load_view_tko weak %w_tiles[%k, %j] : partition_view<tile=(64x256), padding_value = zero, tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> tile<64x256xi8>, token
      %up = shli %w, %four : tile<64x256xi8>
      %low_bits = shri %up, %four signed : tile<64x256xi8>
      %high_bits = shri %w, %four signed : tile<64x256xi8>
      %low_b = itof %low_bits signed : tile<64x256xi8> -> tile<64x256xbf16>
      %high_b = itof %high_bits signed : tile<64x256xi8> -> tile<64x256xbf16>
      %low_sum = mmaf %a, %low_b, %low_acc : tile<16x64xbf16>, tile<64x256xbf16>, tile<16x256xf32>
      %high_sum = mmaf %a, %high_b, %high_acc : tile<16x64xbf16>, tile<64x256xbf16>, tile<16x256xf32>
      continue %low_sum, %high_sum : tile<16x256xf32>, tile<16x256xf32>
    }

    // Where the sums go, and which of them exist.
    %m_size = constant <i32: 16> : tile<i32>
    %n_size = constant <i32: 256> : tile<i32>
    %row_0 = muli %i, %m_size : tile<i32>
    %row_1 = reshape %row_0 : tile<i32> -> tile<1x1xi32>
    %row_2 = broadcast %row_1 : tile<1x1xi32> -> tile<16x1xi32>
    %row_lane = iota : tile<16xi32>
    %row_lane_2 = reshape %row_lane : tile<16xi32> -> tile<16x1xi32>
    %row_col = addi %row_2, %row_lane_2 : tile<16x1xi32>
    %row = broadcast %row_col : tile<16x1xi32> -> tile<16x256xi32>
    %col_0 = muli %j, %n_size : tile<i32>
    %col_1 = reshape %col_0 : tile<i32> -> tile<1x1xi32>
    %col_2 = broadcast %col_1 : tile<1x1xi32> -> tile<1x256xi32>
    %col_lane = iota : tile<256xi32>
    %col_lane_2 = reshape %col_lane : tile<256xi32> -> tile<1x256xi32>
    %col_row = addi %col_2, %col_lane_2 : tile<1x256xi32>
    %col = broadcast %col_row : tile<1x256xi32> -> tile<16x256xi32>
    %m_1 = reshape %M : tile<i32> -> tile<1x1xi32>
    %m_all = broadcast %m_1 : tile<1x1xi32> -> tile<16x256xi32>
    %half_1 = reshape %half : tile<i32> -> tile<1x1xi32>
    %half_all = broadcast %half_1 : tile<1x1xi32> -> tile<16x256xi32>
    %row_in = cmpi less_than %row, %m_all, signed : tile<16x256xi32> -> tile<16x256xi1>
    %col_in = cmpi less_than %col, %half_all, signed : tile<16x256xi32> -> tile<16x256xi1>
    %inside = andi %row_in, %col_in : tile<16x256xi1>
    %n_1 = reshape %N : tile<i32> -> tile<1x1xi32>
    %n_all = broadcast %n_1 : tile<1x1xi32> -> tile<16x256xi32>
    %row_at = muli %row, %n_all : tile<16x256xi32>
    %at = addi %row_at, %col : tile<16x256xi32>
    %c_1 = reshape %C : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %c_all = broadcast %c_1 : tile<1x1xptr<f32>> -> tile<16x256xptr<f32>>
    %low_at = offset %c_all, %at : tile<16x256xptr<f32>>, tile<16x256xi32> -> tile<16x256xptr<f32>>
    %high_at = offset %low_at, %half_all : tile<16x256xptr<f32>>, tile<16x256xi32> -> tile<16x256xptr<f32>>

    %s_view = make_tensor_view %scale, shape = [%half], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %s_tiles = make_partition_view %s_view : partition_view<tile=(256), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %s_half = offset %scale, %half : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %s_high_view = make_tensor_view %s_half, shape = [%half], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %s_high_tiles = make_partition_view %s_high_view : partition_view<tile=(256), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %s_low, %t2 = load_view_tko weak %s_tiles[%j] : partition_view<tile=(256), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<256xf32>, token
    %s_high, %t3 = load_view_tko weak %s_high_tiles[%j] : partition_view<tile=(256), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<256xf32>, token
    %s_low_row = reshape %s_low : tile<256xf32> -> tile<1x256xf32>
    %s_low_all = broadcast %s_low_row : tile<1x256xf32> -> tile<16x256xf32>
    %s_high_row = reshape %s_high : tile<256xf32> -> tile<1x256xf32>
    %s_high_all = broadcast %s_high_row : tile<1x256xf32> -> tile<16x256xf32>
    %low_done = mulf %low, %s_low_all : tile<16x256xf32>
    %high_done = mulf %high, %s_high_all : tile<16x256xf32>
    %old_low, %t4 = atomic_rmw_tko relaxed device %low_at, addf, %low_done, %inside : tile<16x256xptr<f32>>, tile<16x256xf32>, tile<16x256xi1> -> tile<16x256xf32>, token
    %old_high, %t5 = atomic_rmw_tko relaxed device %high_at, addf, %high_done, %inside : tile<16x256xptr<f32>>, tile<16x256xf32>, tile<16x256xi1> -> tile<16x256xf32>, token
  }
}
