// C = A * B for matrices of 64 x 64 in a single tile block, from tiles of pointers.
cuda_tile.module @gemm_block {
  entry @gemm_block_64x64(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>, %c: tile<ptr<f32>>) {
    // Row-major: element (i, j) lies 64 * i + j elements behind the start.
    %flat = iota : tile<4096xi32>
    %offsets = reshape %flat : tile<4096xi32> -> tile<64x64xi32>

    %a_1 = reshape %a : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %a_all = broadcast %a_1 : tile<1x1xptr<f32>> -> tile<64x64xptr<f32>>
    %a_ptr = offset %a_all, %offsets : tile<64x64xptr<f32>>, tile<64x64xi32> -> tile<64x64xptr<f32>>
    %b_1 = reshape %b : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %b_all = broadcast %b_1 : tile<1x1xptr<f32>> -> tile<64x64xptr<f32>>
    %b_ptr = offset %b_all, %offsets : tile<64x64xptr<f32>>, tile<64x64xi32> -> tile<64x64xptr<f32>>
    %c_1 = reshape %c : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %c_all = broadcast %c_1 : tile<1x1xptr<f32>> -> tile<64x64xptr<f32>>
    %c_ptr = offset %c_all, %offsets : tile<64x64xptr<f32>>, tile<64x64xi32> -> tile<64x64xptr<f32>>

    %a_tile, %t0 = load_ptr_tko weak %a_ptr : tile<64x64xptr<f32>> -> tile<64x64xf32>, token
    %b_tile, %t1 = load_ptr_tko weak %b_ptr : tile<64x64xptr<f32>> -> tile<64x64xf32>, token
    %zero = constant <f32: 0.0> : tile<64x64xf32>
    %c_tile = mmaf %a_tile, %b_tile, %zero : tile<64x64xf32>, tile<64x64xf32>, tile<64x64xf32>
    %t2 = store_ptr_tko weak %c_ptr, %c_tile : tile<64x64xptr<f32>>, tile<64x64xf32> -> token
  }
}
