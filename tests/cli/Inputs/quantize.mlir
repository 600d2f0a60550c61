// Y = 12.5 X as signed integers of 8 bits, Z as unsigned ones of 32.
!vector = !cuda_tile.tensor_view<?xf32, strides=[1]>
!tiles = !cuda_tile.partition_view<tile=(4096), tensor_view<?xf32, strides=[1]>>
!bytes = !cuda_tile.partition_view<tile=(4096), tensor_view<?xi8, strides=[1]>>
!words = !cuda_tile.partition_view<tile=(4096), tensor_view<?xi32, strides=[1]>>
cuda_tile.module @quantize {
  entry @quantize(%X: tile<ptr<f32>>, %Y: tile<ptr<i8>>, %Z: tile<ptr<i32>>, %n: tile<i32>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %x_view = make_tensor_view %X, shape = [%n], strides = [1] : tile<i32> -> !vector
    %y_view = make_tensor_view %Y, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xi8, strides=[1]>
    %z_view = make_tensor_view %Z, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %x_tiles = make_partition_view %x_view : !tiles
    %y_tiles = make_partition_view %y_view : !bytes
    %z_tiles = make_partition_view %z_view : !words
    %scale = constant <f32: 12.5> : tile<4096xf32>
    %x, %t0 = load_view_tko weak %x_tiles[%i] : !tiles, tile<i32> -> tile<4096xf32>, token
    %s = mulf %x, %scale : tile<4096xf32>
    %y = ftoi %s signed : tile<4096xf32> -> tile<4096xi8>
    %t1 = store_view_tko weak %y, %y_tiles[%i] : tile<4096xi8>, !bytes, tile<i32> -> token
    %z = ftoi %s unsigned : tile<4096xf32> -> tile<4096xi32>
    %t2 = store_view_tko weak %z, %z_tiles[%i] : tile<4096xi32>, !words, tile<i32> -> token
  }
}
