// Y[r, c] = X[r, 0] + … + X[r, c] for every row of a row-major f32 matrix of any size: 1024 columns at
// a time, with what came before carried along. One tile block a row.
!matrix = !cuda_tile.tensor_view<?x?xf32, strides=[?,1]>
!in = !cuda_tile.partition_view<tile=(1x1024), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
!out = !cuda_tile.partition_view<tile=(1x1024), tensor_view<?x?xf32, strides=[?,1]>>
cuda_tile.module @scan {
  entry @cumsum_f32(%X: tile<ptr<f32>>, %Y: tile<ptr<f32>>, %rows: tile<i32>, %columns: tile<i32>) {
    %row, %by, %bz = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %last = constant <i32: 1023> : tile<i32>
    %nothing = constant <f32: 0.0> : tile<f32>
    %x_view = make_tensor_view %X, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %y_view = make_tensor_view %Y, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %x_tiles = make_partition_view %x_view : !in
    %y_tiles = make_partition_view %y_view : !out
    %tiles:2 = get_index_space_shape %x_tiles : !in -> tile<i32>
    %total = for %j in (%zero to %tiles#1, step %one) : tile<i32> iter_values(%before = %nothing) -> (tile<f32>) {
      %x, %t0 = load_view_tko weak %x_tiles[%row, %j] : !in, tile<i32> -> tile<1x1024xf32>, token
      %sums = scan %x dim=1 reverse=false identities=[0.0 : f32] : tile<1x1024xf32> -> tile<1x1024xf32>
      (%current: tile<f32>, %previous: tile<f32>) {
        %s = addf %current, %previous : tile<f32>
        yield %s : tile<f32>
      }
      %before_1 = reshape %before : tile<f32> -> tile<1x1xf32>
      %before_all = broadcast %before_1 : tile<1x1xf32> -> tile<1x1024xf32>
      %y = addf %sums, %before_all : tile<1x1024xf32>
      %t1 = store_view_tko weak %y, %y_tiles[%row, %j] : tile<1x1024xf32>, !out, tile<i32> -> token
      %end = extract %y[%zero, %last] : tile<1x1024xf32> -> tile<1x1xf32>
      %next = reshape %end : tile<1x1xf32> -> tile<f32>
      continue %next : tile<f32>
    }
  }
}
