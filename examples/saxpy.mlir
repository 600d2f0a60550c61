// Y = alpha * X + Y for row-major matrices of any size M x N. The views know the size, so partial
// tiles at the edges need no masks here. Launch ceil(M / 128) x ceil(N / 256) tile blocks.
cuda_tile.module @saxpy {
  entry @saxpy(%X: tile<ptr<f32>>, %Y: tile<ptr<f32>>, %alpha: tile<f32>, %M: tile<i32>, %N: tile<i32>) {
    %i, %j, %bz = get_tile_block_id : tile<i32>
    %x_view = make_tensor_view %X, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %y_view = make_tensor_view %Y, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %x_tiles = make_partition_view %x_view : partition_view<tile=(128x256), tensor_view<?x?xf32, strides=[?,1]>>
    %y_tiles = make_partition_view %y_view : partition_view<tile=(128x256), tensor_view<?x?xf32, strides=[?,1]>>

    %x, %t0 = load_view_tko weak %x_tiles[%i, %j] : partition_view<tile=(128x256), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<128x256xf32>, token
    %y, %t1 = load_view_tko weak %y_tiles[%i, %j] : partition_view<tile=(128x256), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<128x256xf32>, token

    %alpha_1 = reshape %alpha : tile<f32> -> tile<1x1xf32>
    %alpha_all = broadcast %alpha_1 : tile<1x1xf32> -> tile<128x256xf32>
    %scaled = mulf %alpha_all, %x : tile<128x256xf32>
    %sum = addf %scaled, %y : tile<128x256xf32>

    // The store comes after the load of what it overwrites.
    %t2 = store_view_tko weak %sum, %y_tiles[%i, %j] token=%t1 : tile<128x256xf32>, partition_view<tile=(128x256), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  }
}
