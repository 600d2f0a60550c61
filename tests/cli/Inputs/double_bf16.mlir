// Y = X + X.
!vector = !cuda_tile.tensor_view<?xbf16, strides=[1]>
!tiles = !cuda_tile.partition_view<tile=(4096), tensor_view<?xbf16, strides=[1]>>
cuda_tile.module @double_bf16 {
  entry @double_bf16(%X: tile<ptr<bf16>>, %Y: tile<ptr<bf16>>, %n: tile<i32>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %x_view = make_tensor_view %X, shape = [%n], strides = [1] : tile<i32> -> !vector
    %y_view = make_tensor_view %Y, shape = [%n], strides = [1] : tile<i32> -> !vector
    %x_tiles = make_partition_view %x_view : !tiles
    %y_tiles = make_partition_view %y_view : !tiles
    %x, %t0 = load_view_tko weak %x_tiles[%i] : !tiles, tile<i32> -> tile<4096xbf16>, token
    %y = addf %x, %x : tile<4096xbf16>
    %t1 = store_view_tko weak %y, %y_tiles[%i] : tile<4096xbf16>, !tiles, tile<i32> -> token
  }
}
