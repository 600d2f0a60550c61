// Y = X transposed, for row-major f32 matrices of any size: X is rows x columns. One tile block
// moves 64 x 64 elements; launch ceil(rows / 64) x ceil(columns / 64) tile blocks.
!matrix = !cuda_tile.tensor_view<?x?xf32, strides=[?,1]>
!tiles = !cuda_tile.partition_view<tile=(64x64), tensor_view<?x?xf32, strides=[?,1]>>
cuda_tile.module @transpose {
  entry @transpose_f32(%X: tile<ptr<f32>>, %Y: tile<ptr<f32>>, %rows: tile<i32>, %columns: tile<i32>) {
    %i, %j, %bz = get_tile_block_id : tile<i32>
    %x_view = make_tensor_view %X, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %y_view = make_tensor_view %Y, shape = [%columns, %rows], strides = [%rows, 1] : tile<i32> -> !matrix
    %x_tiles = make_partition_view %x_view : !tiles
    %y_tiles = make_partition_view %y_view : !tiles
    %x, %t0 = load_view_tko weak %x_tiles[%i, %j] : !tiles, tile<i32> -> tile<64x64xf32>, token
    %y = permute %x [1, 0] : tile<64x64xf32> -> tile<64x64xf32>
    %t1 = store_view_tko weak %y, %y_tiles[%j, %i] : tile<64x64xf32>, !tiles, tile<i32> -> token
  }
}
