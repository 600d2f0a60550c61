// RMS normalisation of every row of a row-major f32 matrix, for up to 4096 columns:
// y = x / sqrt(mean(x^2) + epsilon) * weight. One tile block a row.
cuda_tile.module @rmsnorm {
  entry @rmsnorm_f32_4096(%X: tile<ptr<f32>>, %W: tile<ptr<f32>>, %Y: tile<ptr<f32>>, %rows: tile<i32>, %columns: tile<i32>, %epsilon: tile<f32>) {
    %row, %by, %bz = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %x_view = make_tensor_view %X, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %w_view = make_tensor_view %W, shape = [1, %columns], strides = [%columns, 1] : tile<i32> -> tensor_view<1x?xf32, strides=[?,1]>
    %y_view = make_tensor_view %Y, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %x_tiles = make_partition_view %x_view : partition_view<tile=(1x4096), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
    %w_tiles = make_partition_view %w_view : partition_view<tile=(1x4096), padding_value = zero, tensor_view<1x?xf32, strides=[?,1]>>
    %y_tiles = make_partition_view %y_view : partition_view<tile=(1x4096), tensor_view<?x?xf32, strides=[?,1]>>
    %x, %t0 = load_view_tko weak %x_tiles[%row, %zero] : partition_view<tile=(1x4096), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x4096xf32>, token
    %w, %t1 = load_view_tko weak %w_tiles[%zero, %zero] : partition_view<tile=(1x4096), padding_value = zero, tensor_view<1x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x4096xf32>, token

    %squares = mulf %x, %x : tile<1x4096xf32>
    %sum = reduce %squares dim=1 identities=[0.0 : f32] : tile<1x4096xf32> -> tile<1xf32>
    (%current: tile<f32>, %previous: tile<f32>) {
      %s = addf %current, %previous : tile<f32>
      yield %s : tile<f32>
    }
    %sum_0 = reshape %sum : tile<1xf32> -> tile<f32>
    %count = itof %columns signed : tile<i32> -> tile<f32>
    %mean = divf %sum_0, %count : tile<f32>
    %biased = addf %mean, %epsilon : tile<f32>
    %scale = rsqrt %biased : tile<f32>
    %scale_1 = reshape %scale : tile<f32> -> tile<1x1xf32>
    %scale_all = broadcast %scale_1 : tile<1x1xf32> -> tile<1x4096xf32>
    %normal = mulf %x, %scale_all : tile<1x4096xf32>
    %y = mulf %normal, %w : tile<1x4096xf32>
    %t2 = store_view_tko weak %y, %y_tiles[%row, %zero] : tile<1x4096xf32>, partition_view<tile=(1x4096), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  }
}
