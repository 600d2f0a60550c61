// y[i] = alpha * x[i] + y[i] for vectors of any length n. Launch ceil(n / 4096) tile blocks.
cuda_tile.module @saxpy {
  entry @saxpy_f32(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %alpha: tile<f32>, %n: tile<i64>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %x_view = make_tensor_view %x, shape = [%n], strides = [1] : tile<i64> -> tensor_view<?xf32, strides=[1]>
    %y_view = make_tensor_view %y, shape = [%n], strides = [1] : tile<i64> -> tensor_view<?xf32, strides=[1]>
    %x_tiles = make_partition_view %x_view : partition_view<tile=(4096), tensor_view<?xf32, strides=[1]>>
    %y_tiles = make_partition_view %y_view : partition_view<tile=(4096), tensor_view<?xf32, strides=[1]>>
    %a, %t0 = load_view_tko weak %x_tiles[%i] : partition_view<tile=(4096), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<4096xf32>, token
    %b, %t1 = load_view_tko weak %y_tiles[%i] : partition_view<tile=(4096), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<4096xf32>, token
    %alpha_1 = reshape %alpha : tile<f32> -> tile<1xf32>
    %alpha_all = broadcast %alpha_1 : tile<1xf32> -> tile<4096xf32>
    %r = fma %alpha_all, %a, %b : tile<4096xf32>
    %t2 = store_view_tko weak %r, %y_tiles[%i] token=%t1 : tile<4096xf32>, partition_view<tile=(4096), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  }
}
