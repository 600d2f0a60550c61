// Rows and elements by index.
!matrix = !cuda_tile.tensor_view<?x?xf32, strides=[?,1]>
!tiles = !cuda_tile.partition_view<tile=(16x256), tensor_view<?x?xf32, strides=[?,1]>>
!padded = !cuda_tile.partition_view<tile=(16x256), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
!gathered = !cuda_tile.gather_scatter_view<tile=(16x256), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>, sparse_dim=0>
!indices = !cuda_tile.tensor_view<?xi32, strides=[1]>
!places = !cuda_tile.partition_view<tile=(16), padding_value = zero, tensor_view<?xi32, strides=[1]>>
cuda_tile.module @gather {
  // Y[i, :] = X[index[i], :], an embedding: X is rows x columns, Y n x columns. Every index is below
  // rows. Launch ceil(n / 16) x ceil(columns / 256).
  entry @gather_rows_f32(%X: tile<ptr<f32>>, %index: tile<ptr<i32>>, %Y: tile<ptr<f32>>, %rows: tile<i32>, %columns: tile<i32>, %n: tile<i32>) {
    %i, %j, %bz = get_tile_block_id : tile<i32>
    %x_view = make_tensor_view %X, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %y_view = make_tensor_view %Y, shape = [%n, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %index_view = make_tensor_view %index, shape = [%n], strides = [1] : tile<i32> -> !indices
    %x_rows = make_gather_scatter_view %x_view : !gathered
    %y_tiles = make_partition_view %y_view : !tiles
    %index_tiles = make_partition_view %index_view : !places
    %from, %t0 = load_view_tko weak %index_tiles[%i] : !places, tile<i32> -> tile<16xi32>, token
    %width = constant <i32: 256> : tile<i32>
    %column = muli %j, %width : tile<i32>
    %x, %t1 = load_view_tko weak %x_rows[%from, %column] : !gathered, tile<16xi32>, tile<i32> -> tile<16x256xf32>, token
    %t2 = store_view_tko weak %x, %y_tiles[%i, %j] : tile<16x256xf32>, !tiles, tile<i32> -> token
  }

  // Y[index[i], :] = X[i, :]: X is n x columns, Y rows x columns. Rows whose index is outside of Y are
  // left out; of equal indices one wins.
  entry @scatter_rows_f32(%X: tile<ptr<f32>>, %index: tile<ptr<i32>>, %Y: tile<ptr<f32>>, %rows: tile<i32>, %columns: tile<i32>, %n: tile<i32>) {
    %i, %j, %bz = get_tile_block_id : tile<i32>
    %x_view = make_tensor_view %X, shape = [%n, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %x_tiles = make_partition_view %x_view : !padded
    // Behind the end of the list: an index that is outside of any matrix.
    %size = constant <i32: 16> : tile<i32>
    %nowhere = constant <i32: -1> : tile<16xi32>
    %start = muli %i, %size : tile<i32>
    %start_1 = reshape %start : tile<i32> -> tile<1xi32>
    %start_all = broadcast %start_1 : tile<1xi32> -> tile<16xi32>
    %lane = iota : tile<16xi32>
    %place = addi %start_all, %lane : tile<16xi32>
    %n_1 = reshape %n : tile<i32> -> tile<1xi32>
    %n_all = broadcast %n_1 : tile<1xi32> -> tile<16xi32>
    %exists = cmpi less_than %place, %n_all, signed : tile<16xi32> -> tile<16xi1>
    %index_1 = reshape %index : tile<ptr<i32>> -> tile<1xptr<i32>>
    %index_all = broadcast %index_1 : tile<1xptr<i32>> -> tile<16xptr<i32>>
    %index_at = offset %index_all, %place : tile<16xptr<i32>>, tile<16xi32> -> tile<16xptr<i32>>
    %to, %t0 = load_ptr_tko weak %index_at, %exists, %nowhere : tile<16xptr<i32>>, tile<16xi1>, tile<16xi32> -> tile<16xi32>, token
    %x, %t1 = load_view_tko weak %x_tiles[%i, %j] : !padded, tile<i32> -> tile<16x256xf32>, token
    %width = constant <i32: 256> : tile<i32>
    %first = muli %j, %width : tile<i32>
    %first_1 = reshape %first : tile<i32> -> tile<1xi32>
    %first_all = broadcast %first_1 : tile<1xi32> -> tile<256xi32>
    %across = iota : tile<256xi32>
    %column = addi %first_all, %across : tile<256xi32>
    %columns_1 = reshape %columns : tile<i32> -> tile<1xi32>
    %columns_all = broadcast %columns_1 : tile<1xi32> -> tile<256xi32>
    %column_in = cmpi less_than %column, %columns_all, signed : tile<256xi32> -> tile<256xi1>
    %column_in_1 = reshape %column_in : tile<256xi1> -> tile<1x256xi1>
    %column_in_all = broadcast %column_in_1 : tile<1x256xi1> -> tile<16x256xi1>
    %rows_1 = reshape %rows : tile<i32> -> tile<1xi32>
    %rows_all = broadcast %rows_1 : tile<1xi32> -> tile<16xi32>
    %row_in = cmpi less_than %to, %rows_all, unsigned : tile<16xi32> -> tile<16xi1>
    %row_in_1 = reshape %row_in : tile<16xi1> -> tile<16x1xi1>
    %row_in_all = broadcast %row_in_1 : tile<16x1xi1> -> tile<16x256xi1>
    %inside = andi %row_in_all, %column_in_all : tile<16x256xi1>
    %step_1 = broadcast %columns_1 : tile<1xi32> -> tile<16xi32>
    %row_at = muli %to, %step_1 : tile<16xi32>
    %row_at_1 = reshape %row_at : tile<16xi32> -> tile<16x1xi32>
    %row_at_all = broadcast %row_at_1 : tile<16x1xi32> -> tile<16x256xi32>
    %column_1 = reshape %column : tile<256xi32> -> tile<1x256xi32>
    %column_all = broadcast %column_1 : tile<1x256xi32> -> tile<16x256xi32>
    %y_1 = reshape %Y : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %y_all = broadcast %y_1 : tile<1x1xptr<f32>> -> tile<16x256xptr<f32>>
    %y_rows = offset %y_all, %row_at_all : tile<16x256xptr<f32>>, tile<16x256xi32> -> tile<16x256xptr<f32>>
    %y_at = offset %y_rows, %column_all : tile<16x256xptr<f32>>, tile<16x256xi32> -> tile<16x256xptr<f32>>
    %t2 = store_ptr_tko weak %y_at, %x, %inside : tile<16x256xptr<f32>>, tile<16x256xf32>, tile<16x256xi1> -> token
  }

  // y[i] = x[index[i]] for vectors, 0 where the index is outside of x: x has count elements, index and y have n. Launch ceil(n / 1024).
  entry @take_f32(%x: tile<ptr<f32>>, %index: tile<ptr<i32>>, %y: tile<ptr<f32>>, %count: tile<i32>, %n: tile<i32>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %size = constant <i32: 1024> : tile<i32>
    %start = muli %i, %size : tile<i32>
    %start_1 = reshape %start : tile<i32> -> tile<1xi32>
    %start_all = broadcast %start_1 : tile<1xi32> -> tile<1024xi32>
    %lane = iota : tile<1024xi32>
    %place = addi %start_all, %lane : tile<1024xi32>
    %n_1 = reshape %n : tile<i32> -> tile<1xi32>
    %n_all = broadcast %n_1 : tile<1xi32> -> tile<1024xi32>
    %exists = cmpi less_than %place, %n_all, signed : tile<1024xi32> -> tile<1024xi1>
    %nowhere = constant <i32: -1> : tile<1024xi32>
    %index_1 = reshape %index : tile<ptr<i32>> -> tile<1xptr<i32>>
    %index_all = broadcast %index_1 : tile<1xptr<i32>> -> tile<1024xptr<i32>>
    %index_at = offset %index_all, %place : tile<1024xptr<i32>>, tile<1024xi32> -> tile<1024xptr<i32>>
    %from, %t0 = load_ptr_tko weak %index_at, %exists, %nowhere : tile<1024xptr<i32>>, tile<1024xi1>, tile<1024xi32> -> tile<1024xi32>, token
    %count_1 = reshape %count : tile<i32> -> tile<1xi32>
    %count_all = broadcast %count_1 : tile<1xi32> -> tile<1024xi32>
    %inside = cmpi less_than %from, %count_all, unsigned : tile<1024xi32> -> tile<1024xi1>
    %zero = constant <f32: 0.0> : tile<1024xf32>
    %x_1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
    %x_all = broadcast %x_1 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %x_at = offset %x_all, %from : tile<1024xptr<f32>>, tile<1024xi32> -> tile<1024xptr<f32>>
    %v, %t1 = load_ptr_tko weak %x_at, %inside, %zero : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
    %y_1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
    %y_all = broadcast %y_1 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %y_at = offset %y_all, %place : tile<1024xptr<f32>>, tile<1024xi32> -> tile<1024xptr<f32>>
    %t2 = store_ptr_tko weak %y_at, %v, %exists : tile<1024xptr<f32>>, tile<1024xf32>, tile<1024xi1> -> token
  }
}
