// Reductions of f32 vectors and matrices of any size.
!vector = !cuda_tile.tensor_view<?xf32, strides=[1]>
!parts = !cuda_tile.partition_view<tile=(4096), padding_value = zero, tensor_view<?xf32, strides=[1]>>
!matrix = !cuda_tile.tensor_view<?x?xf32, strides=[?,1]>
!rows = !cuda_tile.partition_view<tile=(1x1024), padding_value = neg_inf, tensor_view<?x?xf32, strides=[?,1]>>
!block = !cuda_tile.partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
!sums = !cuda_tile.partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
cuda_tile.module @reduce {
  // total[0] += the sum of x. A tile block adds up 16 tiles, 65,536 elements; launch
  // ceil(n / 65536). Which block adds its part first is open, and so are the last bits.
  entry @sum_f32(%x: tile<ptr<f32>>, %total: tile<ptr<f32>>, %n: tile<i64>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %each = constant <i32: 16> : tile<i32>
    %nothing = constant <f32: 0.0> : tile<4096xf32>
    %x_view = make_tensor_view %x, shape = [%n], strides = [1] : tile<i64> -> !vector
    %x_tiles = make_partition_view %x_view : !parts
    %from = muli %i, %each : tile<i32>
    %sums = for %j in (%first to %each, step %step) : tile<i32> iter_values(%so_far = %nothing) -> (tile<4096xf32>) {
      %at = addi %from, %j : tile<i32>
      %a, %t0 = load_view_tko weak %x_tiles[%at] : !parts, tile<i32> -> tile<4096xf32>, token
      %next = addf %so_far, %a : tile<4096xf32>
      continue %next : tile<4096xf32>
    }
    %sum = reduce %sums dim=0 identities=[0.0 : f32] : tile<4096xf32> -> tile<f32>
    (%current: tile<f32>, %previous: tile<f32>) {
      %s = addf %current, %previous : tile<f32>
      yield %s : tile<f32>
    }
    %old, %t1 = atomic_rmw_tko relaxed device %total, addf, %sum : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
  }

  // values[r] and places[r]: the largest element of row r, and its first column. A tile block a row.
  entry @argmax_f32(%X: tile<ptr<f32>>, %values: tile<ptr<f32>>, %places: tile<ptr<i32>>, %rows: tile<i32>, %columns: tile<i32>) {
    %row, %by, %bz = get_tile_block_id : tile<i32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %width = constant <i32: 1024> : tile<i32>
    %x_view = make_tensor_view %X, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %x_tiles = make_partition_view %x_view : !rows
    %tiles:2 = get_index_space_shape %x_tiles : !rows -> tile<i32>
    %lane = iota : tile<1024xi32>
    %lane_1 = reshape %lane : tile<1024xi32> -> tile<1x1024xi32>
    %lowest = constant <f32: 0xFF800000> : tile<1x1024xf32>
    %nowhere = constant <i32: 0> : tile<1x1024xi32>
    %best, %where = for %j in (%first to %tiles#1, step %step) : tile<i32> iter_values(%v = %lowest, %p = %nowhere) -> (tile<1x1024xf32>, tile<1x1024xi32>) {
      %x, %t0 = load_view_tko weak %x_tiles[%row, %j] : !rows, tile<i32> -> tile<1x1024xf32>, token
      %from = muli %j, %width : tile<i32>
      %from_1 = reshape %from : tile<i32> -> tile<1x1xi32>
      %from_all = broadcast %from_1 : tile<1x1xi32> -> tile<1x1024xi32>
      %here = addi %lane_1, %from_all : tile<1x1024xi32>
      %larger = cmpf greater_than ordered %x, %v : tile<1x1024xf32> -> tile<1x1024xi1>
      %v_next = select %larger, %x, %v : tile<1x1024xi1>, tile<1x1024xf32>
      %p_next = select %larger, %here, %p : tile<1x1024xi1>, tile<1x1024xi32>
      continue %v_next, %p_next : tile<1x1024xf32>, tile<1x1024xi32>
    }
    %value, %place = reduce %best, %where dim=1 identities=[0xFF800000 : f32, 2147483647 : i32] : tile<1x1024xf32>, tile<1x1024xi32> -> tile<1xf32>, tile<1xi32>
    (%v_new: tile<f32>, %v_old: tile<f32>, %p_new: tile<i32>, %p_old: tile<i32>) {
      %more = cmpf greater_than ordered %v_new, %v_old : tile<f32> -> tile<i1>
      %same = cmpf equal ordered %v_new, %v_old : tile<f32> -> tile<i1>
      %before = cmpi less_than %p_new, %p_old, signed : tile<i32> -> tile<i1>
      %tie = andi %same, %before : tile<i1>
      %take = ori %more, %tie : tile<i1>
      %v_best = select %take, %v_new, %v_old : tile<i1>, tile<f32>
      %p_best = select %take, %p_new, %p_old : tile<i1>, tile<i32>
      yield %v_best, %p_best : tile<f32>, tile<i32>
    }
    %value_0 = reshape %value : tile<1xf32> -> tile<f32>
    %place_0 = reshape %place : tile<1xi32> -> tile<i32>
    %values_at = offset %values, %row : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %places_at = offset %places, %row : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %t1 = store_ptr_tko weak %values_at, %value_0 : tile<ptr<f32>>, tile<f32> -> token
    %t2 = store_ptr_tko weak %places_at, %place_0 : tile<ptr<i32>>, tile<i32> -> token
  }

  // sums[c] = the sum of column c. A tile block takes 64 columns; launch ceil(columns / 64).
  entry @column_sums_f32(%X: tile<ptr<f32>>, %sums: tile<ptr<f32>>, %rows: tile<i32>, %columns: tile<i32>) {
    %column, %by, %bz = get_tile_block_id : tile<i32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %nothing = constant <f32: 0.0> : tile<32x64xf32>
    %x_view = make_tensor_view %X, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %x_tiles = make_partition_view %x_view : !block
    %sums_view = make_tensor_view %sums, shape = [%columns], strides = [1] : tile<i32> -> !vector
    %sums_tiles = make_partition_view %sums_view : !sums
    %tiles:2 = get_index_space_shape %x_tiles : !block -> tile<i32>
    %parts = for %i in (%first to %tiles#0, step %step) : tile<i32> iter_values(%so_far = %nothing) -> (tile<32x64xf32>) {
      %x, %t0 = load_view_tko weak %x_tiles[%i, %column] : !block, tile<i32> -> tile<32x64xf32>, token
      %next = addf %so_far, %x : tile<32x64xf32>
      continue %next : tile<32x64xf32>
    }
    %s = reduce %parts dim=0 identities=[0.0 : f32] : tile<32x64xf32> -> tile<64xf32>
    (%current: tile<f32>, %previous: tile<f32>) {
      %added = addf %current, %previous : tile<f32>
      yield %added : tile<f32>
    }
    %t1 = store_view_tko weak %s, %sums_tiles[%column] : tile<64xf32>, !sums, tile<i32> -> token
  }
}
