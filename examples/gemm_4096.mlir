// C = A * B for row-major matrices of 4096 x 4096, one 64 x 64 tile of C for each tile block.
// The tiles of pointers walk along K: A's to the right, B's downwards. Launch 64 x 64 tile blocks.
cuda_tile.module @gemm_4096 {
  entry @gemm_square_4096_tile_64x64(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>, %c: tile<ptr<f32>>) {
    %block_m, %block_n, %bz = get_tile_block_id : tile<i32>
    %tile_size = constant <i32: 64> : tile<i32>
    %stride = constant <i32: 4096> : tile<64x64xi32>
    %range = iota : tile<64xi32>

    // m = block_m * 64 + [0 … 63], as a column, times the row stride
    %m_first = muli %block_m, %tile_size : tile<i32>
    %m_first_1 = reshape %m_first : tile<i32> -> tile<1xi32>
    %m_first_all = broadcast %m_first_1 : tile<1xi32> -> tile<64xi32>
    %m = addi %m_first_all, %range : tile<64xi32>
    %m_column = reshape %m : tile<64xi32> -> tile<64x1xi32>
    %m_all = broadcast %m_column : tile<64x1xi32> -> tile<64x64xi32>
    %m_offsets = muli %m_all, %stride : tile<64x64xi32>

    // n = block_n * 64 + [0 … 63], as a row
    %n_first = muli %block_n, %tile_size : tile<i32>
    %n_first_1 = reshape %n_first : tile<i32> -> tile<1xi32>
    %n_first_all = broadcast %n_first_1 : tile<1xi32> -> tile<64xi32>
    %n = addi %n_first_all, %range : tile<64xi32>
    %n_row = reshape %n : tile<64xi32> -> tile<1x64xi32>
    %n_offsets = broadcast %n_row : tile<1x64xi32> -> tile<64x64xi32>

    // k = [0 … 63], as a row for A and as a column for B
    %k_row = reshape %range : tile<64xi32> -> tile<1x64xi32>
    %k_row_all = broadcast %k_row : tile<1x64xi32> -> tile<64x64xi32>
    %k_column = reshape %range : tile<64xi32> -> tile<64x1xi32>
    %k_column_all = broadcast %k_column : tile<64x1xi32> -> tile<64x64xi32>
    %k_offsets = muli %k_column_all, %stride : tile<64x64xi32>

    %a_offsets = addi %m_offsets, %k_row_all : tile<64x64xi32>
    %a_1 = reshape %a : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %a_all = broadcast %a_1 : tile<1x1xptr<f32>> -> tile<64x64xptr<f32>>
    %a_start = offset %a_all, %a_offsets : tile<64x64xptr<f32>>, tile<64x64xi32> -> tile<64x64xptr<f32>>
    %b_offsets = addi %k_offsets, %n_offsets : tile<64x64xi32>
    %b_1 = reshape %b : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %b_all = broadcast %b_1 : tile<1x1xptr<f32>> -> tile<64x64xptr<f32>>
    %b_start = offset %b_all, %b_offsets : tile<64x64xptr<f32>>, tile<64x64xi32> -> tile<64x64xptr<f32>>

    %zero = constant <f32: 0.0> : tile<64x64xf32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    // A moves 64 columns a step, B 64 rows.
    %a_step = constant <i32: 64> : tile<64x64xi32>
    %b_step = constant <i32: 262144> : tile<64x64xi32>
    %c_tile, %a_end, %b_end = for %k in (%first to %tile_size, step %step) : tile<i32> iter_values(%acc = %zero, %a_ptr = %a_start, %b_ptr = %b_start) -> (tile<64x64xf32>, tile<64x64xptr<f32>>, tile<64x64xptr<f32>>) {
      %a_tile, %t0 = load_ptr_tko weak %a_ptr : tile<64x64xptr<f32>> -> tile<64x64xf32>, token
      %b_tile, %t1 = load_ptr_tko weak %b_ptr : tile<64x64xptr<f32>> -> tile<64x64xf32>, token
      %sum = mmaf %a_tile, %b_tile, %acc : tile<64x64xf32>, tile<64x64xf32>, tile<64x64xf32>
      %a_next = offset %a_ptr, %a_step : tile<64x64xptr<f32>>, tile<64x64xi32> -> tile<64x64xptr<f32>>
      %b_next = offset %b_ptr, %b_step : tile<64x64xptr<f32>>, tile<64x64xi32> -> tile<64x64xptr<f32>>
      continue %sum, %a_next, %b_next : tile<64x64xf32>, tile<64x64xptr<f32>>, tile<64x64xptr<f32>>
    }

    %c_offsets = addi %m_offsets, %n_offsets : tile<64x64xi32>
    %c_1 = reshape %c : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %c_all = broadcast %c_1 : tile<1x1xptr<f32>> -> tile<64x64xptr<f32>>
    %c_ptr = offset %c_all, %c_offsets : tile<64x64xptr<f32>>, tile<64x64xi32> -> tile<64x64xptr<f32>>
    %t2 = store_ptr_tko weak %c_ptr, %c_tile : tile<64x64xptr<f32>>, tile<64x64xf32> -> token
  }
}
