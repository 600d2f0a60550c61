// Softmax of every row of a row-major f32 matrix, rows x columns, for up to 4096 columns.
// The padding of -inf makes what lies right of the matrix contribute nothing. One tile block a row.
cuda_tile.module @softmax {
  entry @softmax_f32_4096(%X: tile<ptr<f32>>, %Y: tile<ptr<f32>>, %rows: tile<i32>, %columns: tile<i32>) {
    %row, %by, %bz = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %x_view = make_tensor_view %X, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %y_view = make_tensor_view %Y, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %x_tiles = make_partition_view %x_view : partition_view<tile=(1x4096), padding_value = neg_inf, tensor_view<?x?xf32, strides=[?,1]>>
    %y_tiles = make_partition_view %y_view : partition_view<tile=(1x4096), tensor_view<?x?xf32, strides=[?,1]>>
    %x, %t0 = load_view_tko weak %x_tiles[%row, %zero] : partition_view<tile=(1x4096), padding_value = neg_inf, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x4096xf32>, token

    %max = reduce %x dim=1 identities=[0xFF800000 : f32] : tile<1x4096xf32> -> tile<1xf32>
    (%current: tile<f32>, %previous: tile<f32>) {
      %m = maxf %current, %previous : tile<f32>
      yield %m : tile<f32>
    }
    %max_1 = reshape %max : tile<1xf32> -> tile<1x1xf32>
    %max_all = broadcast %max_1 : tile<1x1xf32> -> tile<1x4096xf32>
    %shifted = subf %x, %max_all : tile<1x4096xf32>
    %e = exp %shifted : tile<1x4096xf32>
    %sum = reduce %e dim=1 identities=[0.0 : f32] : tile<1x4096xf32> -> tile<1xf32>
    (%current_0: tile<f32>, %previous_0: tile<f32>) {
      %s = addf %current_0, %previous_0 : tile<f32>
      yield %s : tile<f32>
    }
    %sum_1 = reshape %sum : tile<1xf32> -> tile<1x1xf32>
    %sum_all = broadcast %sum_1 : tile<1x1xf32> -> tile<1x4096xf32>
    %y = divf %e, %sum_all : tile<1x4096xf32>
    %t1 = store_view_tko weak %y, %y_tiles[%row, %zero] : tile<1x4096xf32>, partition_view<tile=(1x4096), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  }
}
