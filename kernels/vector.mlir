// What moves memory and little else, for f32 vectors of any length n. Launch ceil(n / 4096) tile
// blocks.
!vector = !cuda_tile.tensor_view<?xf32, strides=[1]>
!tiles = !cuda_tile.partition_view<tile=(4096), tensor_view<?xf32, strides=[1]>>
cuda_tile.module @vector {
  // y[i] = x[i]
  entry @copy_f32(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i64>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %x_view = make_tensor_view %x, shape = [%n], strides = [1] : tile<i64> -> !vector
    %y_view = make_tensor_view %y, shape = [%n], strides = [1] : tile<i64> -> !vector
    %x_tiles = make_partition_view %x_view : !tiles
    %y_tiles = make_partition_view %y_view : !tiles
    %a, %t0 = load_view_tko weak %x_tiles[%i] : !tiles, tile<i32> -> tile<4096xf32>, token
    %t1 = store_view_tko weak %a, %y_tiles[%i] : tile<4096xf32>, !tiles, tile<i32> -> token
  }

  // z[i] = x[i] + y[i]
  entry @add_f32(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %z: tile<ptr<f32>>, %n: tile<i64>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %x_view = make_tensor_view %x, shape = [%n], strides = [1] : tile<i64> -> !vector
    %y_view = make_tensor_view %y, shape = [%n], strides = [1] : tile<i64> -> !vector
    %z_view = make_tensor_view %z, shape = [%n], strides = [1] : tile<i64> -> !vector
    %x_tiles = make_partition_view %x_view : !tiles
    %y_tiles = make_partition_view %y_view : !tiles
    %z_tiles = make_partition_view %z_view : !tiles
    %a, %t0 = load_view_tko weak %x_tiles[%i] : !tiles, tile<i32> -> tile<4096xf32>, token
    %b, %t1 = load_view_tko weak %y_tiles[%i] : !tiles, tile<i32> -> tile<4096xf32>, token
    %c = addf %a, %b : tile<4096xf32>
    %t2 = store_view_tko weak %c, %z_tiles[%i] : tile<4096xf32>, !tiles, tile<i32> -> token
  }

  // z[i] = alpha * x[i] + beta * y[i]
  entry @axpby_f32(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %z: tile<ptr<f32>>, %alpha: tile<f32>, %beta: tile<f32>, %n: tile<i64>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %x_view = make_tensor_view %x, shape = [%n], strides = [1] : tile<i64> -> !vector
    %y_view = make_tensor_view %y, shape = [%n], strides = [1] : tile<i64> -> !vector
    %z_view = make_tensor_view %z, shape = [%n], strides = [1] : tile<i64> -> !vector
    %x_tiles = make_partition_view %x_view : !tiles
    %y_tiles = make_partition_view %y_view : !tiles
    %z_tiles = make_partition_view %z_view : !tiles
    %a, %t0 = load_view_tko weak %x_tiles[%i] : !tiles, tile<i32> -> tile<4096xf32>, token
    %b, %t1 = load_view_tko weak %y_tiles[%i] : !tiles, tile<i32> -> tile<4096xf32>, token
    %alpha_1 = reshape %alpha : tile<f32> -> tile<1xf32>
    %alpha_all = broadcast %alpha_1 : tile<1xf32> -> tile<4096xf32>
    %beta_1 = reshape %beta : tile<f32> -> tile<1xf32>
    %beta_all = broadcast %beta_1 : tile<1xf32> -> tile<4096xf32>
    %by_0 = mulf %beta_all, %b : tile<4096xf32>
    %c = fma %alpha_all, %a, %by_0 : tile<4096xf32>
    %t2 = store_view_tko weak %c, %z_tiles[%i] : tile<4096xf32>, !tiles, tile<i32> -> token
  }
}
