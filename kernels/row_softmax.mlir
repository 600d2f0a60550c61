// Softmax, and its logarithm, of every row of a row-major f32 matrix, rows x columns.
//
//   softmax_f32_128    up to 128 columns; a tile block takes 32 rows: launch ceil(rows / 32)
//   softmax_f32_1024   up to 1024 columns; 4 rows a tile block
//   softmax_f32_4096   up to 4096 columns; a row a tile block; it is in softmax.mlir
//   softmax_f32        any number of columns, 1024 at a time; a row a tile block
//
// The padding of -inf makes what lies right of the matrix contribute nothing. The first three hold
// their rows in one tile. softmax_f32 goes through its row three times: for the largest element, for
// the exponentials, which it stores and adds up, and to scale these, which are in a cache by then; to
// compute them twice takes longer. log_softmax_f32, which stores no exponentials, goes through it
// twice: it keeps the largest element so far and the sum of what the exponentials are above it, which
// shrinks when a larger one is met.
!matrix = !cuda_tile.tensor_view<?x?xf32, strides=[?,1]>
!in_128 = !cuda_tile.partition_view<tile=(32x128), padding_value = neg_inf, tensor_view<?x?xf32, strides=[?,1]>>
!out_128 = !cuda_tile.partition_view<tile=(32x128), tensor_view<?x?xf32, strides=[?,1]>>
!in_1024 = !cuda_tile.partition_view<tile=(4x1024), padding_value = neg_inf, tensor_view<?x?xf32, strides=[?,1]>>
!out_1024 = !cuda_tile.partition_view<tile=(4x1024), tensor_view<?x?xf32, strides=[?,1]>>
!in_4096 = !cuda_tile.partition_view<tile=(1x4096), padding_value = neg_inf, tensor_view<?x?xf32, strides=[?,1]>>
!out_4096 = !cuda_tile.partition_view<tile=(1x4096), tensor_view<?x?xf32, strides=[?,1]>>
!in = !cuda_tile.partition_view<tile=(1x1024), padding_value = neg_inf, tensor_view<?x?xf32, strides=[?,1]>>
!out = !cuda_tile.partition_view<tile=(1x1024), tensor_view<?x?xf32, strides=[?,1]>>
cuda_tile.module @row_softmax {
  entry @softmax_f32_128(%X: tile<ptr<f32>>, %Y: tile<ptr<f32>>, %rows: tile<i32>, %columns: tile<i32>) {
    %row, %by, %bz = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %x_view = make_tensor_view %X, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %y_view = make_tensor_view %Y, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %x_tiles = make_partition_view %x_view : !in_128
    %y_tiles = make_partition_view %y_view : !out_128
    %x, %t0 = load_view_tko weak %x_tiles[%row, %zero] : !in_128, tile<i32> -> tile<32x128xf32>, token
    %max = reduce %x dim=1 identities=[0xFF800000 : f32] : tile<32x128xf32> -> tile<32xf32>
    (%current: tile<f32>, %previous: tile<f32>) {
      %m = maxf %current, %previous : tile<f32>
      yield %m : tile<f32>
    }
    %max_1 = reshape %max : tile<32xf32> -> tile<32x1xf32>
    %max_all = broadcast %max_1 : tile<32x1xf32> -> tile<32x128xf32>
    %shifted = subf %x, %max_all : tile<32x128xf32>
    %e = exp %shifted : tile<32x128xf32>
    %sum = reduce %e dim=1 identities=[0.0 : f32] : tile<32x128xf32> -> tile<32xf32>
    (%current_0: tile<f32>, %previous_0: tile<f32>) {
      %s = addf %current_0, %previous_0 : tile<f32>
      yield %s : tile<f32>
    }
    %one = constant <f32: 1.0> : tile<32xf32>
    %scale = divf %one, %sum : tile<32xf32>
    %scale_1 = reshape %scale : tile<32xf32> -> tile<32x1xf32>
    %scale_all = broadcast %scale_1 : tile<32x1xf32> -> tile<32x128xf32>
    %y = mulf %e, %scale_all : tile<32x128xf32>
    %t1 = store_view_tko weak %y, %y_tiles[%row, %zero] : tile<32x128xf32>, !out_128, tile<i32> -> token
  }

  entry @softmax_f32_1024(%X: tile<ptr<f32>>, %Y: tile<ptr<f32>>, %rows: tile<i32>, %columns: tile<i32>) {
    %row, %by, %bz = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %x_view = make_tensor_view %X, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %y_view = make_tensor_view %Y, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %x_tiles = make_partition_view %x_view : !in_1024
    %y_tiles = make_partition_view %y_view : !out_1024
    %x, %t0 = load_view_tko weak %x_tiles[%row, %zero] : !in_1024, tile<i32> -> tile<4x1024xf32>, token
    %max = reduce %x dim=1 identities=[0xFF800000 : f32] : tile<4x1024xf32> -> tile<4xf32>
    (%current: tile<f32>, %previous: tile<f32>) {
      %m = maxf %current, %previous : tile<f32>
      yield %m : tile<f32>
    }
    %max_1 = reshape %max : tile<4xf32> -> tile<4x1xf32>
    %max_all = broadcast %max_1 : tile<4x1xf32> -> tile<4x1024xf32>
    %shifted = subf %x, %max_all : tile<4x1024xf32>
    %e = exp %shifted : tile<4x1024xf32>
    %sum = reduce %e dim=1 identities=[0.0 : f32] : tile<4x1024xf32> -> tile<4xf32>
    (%current_0: tile<f32>, %previous_0: tile<f32>) {
      %s = addf %current_0, %previous_0 : tile<f32>
      yield %s : tile<f32>
    }
    %one = constant <f32: 1.0> : tile<4xf32>
    %scale = divf %one, %sum : tile<4xf32>
    %scale_1 = reshape %scale : tile<4xf32> -> tile<4x1xf32>
    %scale_all = broadcast %scale_1 : tile<4x1xf32> -> tile<4x1024xf32>
    %y = mulf %e, %scale_all : tile<4x1024xf32>
    %t1 = store_view_tko weak %y, %y_tiles[%row, %zero] : tile<4x1024xf32>, !out_1024, tile<i32> -> token
  }

  entry @softmax_f32(%X: tile<ptr<f32>>, %Y: tile<ptr<f32>>, %rows: tile<i32>, %columns: tile<i32>) {
    %row, %by, %bz = get_tile_block_id : tile<i32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %x_view = make_tensor_view %X, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %y_view = make_tensor_view %Y, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %x_tiles = make_partition_view %x_view : !in
    %y_tiles = make_partition_view %y_view : !out
    %tiles:2 = get_index_space_shape %x_tiles : !in -> tile<i32>
    %lowest = constant <f32: -3.0e38> : tile<f32>
    %nothing = constant <f32: 0.0> : tile<f32>
    %max = for %j in (%first to %tiles#1, step %step) : tile<i32> iter_values(%m = %lowest) -> (tile<f32>) {
      %x, %t0 = load_view_tko weak %x_tiles[%row, %j] : !in, tile<i32> -> tile<1x1024xf32>, token
      %here = reduce %x dim=1 identities=[0xFF800000 : f32] : tile<1x1024xf32> -> tile<1xf32>
      (%current: tile<f32>, %previous: tile<f32>) {
        %larger = maxf %current, %previous : tile<f32>
        yield %larger : tile<f32>
      }
      %here_0 = reshape %here : tile<1xf32> -> tile<f32>
      %m_next = maxf %m, %here_0 : tile<f32>
      continue %m_next : tile<f32>
    }
    %begin = make_token : token
    %sum, %stored = for %j in (%first to %tiles#1, step %step) : tile<i32> iter_values(%s = %nothing, %t = %begin) -> (tile<f32>, token) {
      %x, %t0 = load_view_tko weak %x_tiles[%row, %j] token=%t : !in, tile<i32> -> tile<1x1024xf32>, token
      %max_1 = reshape %max : tile<f32> -> tile<1x1xf32>
      %max_all = broadcast %max_1 : tile<1x1xf32> -> tile<1x1024xf32>
      %shifted = subf %x, %max_all : tile<1x1024xf32>
      %e = exp %shifted : tile<1x1024xf32>
      %part = reduce %e dim=1 identities=[0.0 : f32] : tile<1x1024xf32> -> tile<1xf32>
      (%current: tile<f32>, %previous: tile<f32>) {
        %added = addf %current, %previous : tile<f32>
        yield %added : tile<f32>
      }
      %t1 = store_view_tko weak %e, %y_tiles[%row, %j] token=%t0 : tile<1x1024xf32>, !out, tile<i32> -> token
      %part_0 = reshape %part : tile<1xf32> -> tile<f32>
      %s_next = addf %s, %part_0 : tile<f32>
      continue %s_next, %t1 : tile<f32>, token
    }
    %one = constant <f32: 1.0> : tile<f32>
    %scale = divf %one, %sum : tile<f32>
    for %j in (%first to %tiles#1, step %step) : tile<i32> {
      %e, %t0 = load_view_tko weak %y_tiles[%row, %j] token=%stored : !out, tile<i32> -> tile<1x1024xf32>, token
      %scale_1 = reshape %scale : tile<f32> -> tile<1x1xf32>
      %scale_all = broadcast %scale_1 : tile<1x1xf32> -> tile<1x1024xf32>
      %y = mulf %e, %scale_all : tile<1x1024xf32>
      %t1 = store_view_tko weak %y, %y_tiles[%row, %j] token=%t0 : tile<1x1024xf32>, !out, tile<i32> -> token
    }
  }

  entry @log_softmax_f32_128(%X: tile<ptr<f32>>, %Y: tile<ptr<f32>>, %rows: tile<i32>, %columns: tile<i32>) {
    %row, %by, %bz = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %x_view = make_tensor_view %X, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %y_view = make_tensor_view %Y, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %x_tiles = make_partition_view %x_view : !in_128
    %y_tiles = make_partition_view %y_view : !out_128
    %x, %t0 = load_view_tko weak %x_tiles[%row, %zero] : !in_128, tile<i32> -> tile<32x128xf32>, token
    %max = reduce %x dim=1 identities=[0xFF800000 : f32] : tile<32x128xf32> -> tile<32xf32>
    (%current: tile<f32>, %previous: tile<f32>) {
      %m = maxf %current, %previous : tile<f32>
      yield %m : tile<f32>
    }
    %max_1 = reshape %max : tile<32xf32> -> tile<32x1xf32>
    %max_all = broadcast %max_1 : tile<32x1xf32> -> tile<32x128xf32>
    %shifted = subf %x, %max_all : tile<32x128xf32>
    %e = exp %shifted : tile<32x128xf32>
    %sum = reduce %e dim=1 identities=[0.0 : f32] : tile<32x128xf32> -> tile<32xf32>
    (%current_0: tile<f32>, %previous_0: tile<f32>) {
      %s = addf %current_0, %previous_0 : tile<f32>
      yield %s : tile<f32>
    }
    %log_sum = log %sum : tile<32xf32>
    %log_sum_1 = reshape %log_sum : tile<32xf32> -> tile<32x1xf32>
    %log_sum_all = broadcast %log_sum_1 : tile<32x1xf32> -> tile<32x128xf32>
    %y = subf %shifted, %log_sum_all : tile<32x128xf32>
    %t1 = store_view_tko weak %y, %y_tiles[%row, %zero] : tile<32x128xf32>, !out_128, tile<i32> -> token
  }

  entry @log_softmax_f32_1024(%X: tile<ptr<f32>>, %Y: tile<ptr<f32>>, %rows: tile<i32>, %columns: tile<i32>) {
    %row, %by, %bz = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %x_view = make_tensor_view %X, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %y_view = make_tensor_view %Y, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %x_tiles = make_partition_view %x_view : !in_1024
    %y_tiles = make_partition_view %y_view : !out_1024
    %x, %t0 = load_view_tko weak %x_tiles[%row, %zero] : !in_1024, tile<i32> -> tile<4x1024xf32>, token
    %max = reduce %x dim=1 identities=[0xFF800000 : f32] : tile<4x1024xf32> -> tile<4xf32>
    (%current: tile<f32>, %previous: tile<f32>) {
      %m = maxf %current, %previous : tile<f32>
      yield %m : tile<f32>
    }
    %max_1 = reshape %max : tile<4xf32> -> tile<4x1xf32>
    %max_all = broadcast %max_1 : tile<4x1xf32> -> tile<4x1024xf32>
    %shifted = subf %x, %max_all : tile<4x1024xf32>
    %e = exp %shifted : tile<4x1024xf32>
    %sum = reduce %e dim=1 identities=[0.0 : f32] : tile<4x1024xf32> -> tile<4xf32>
    (%current_0: tile<f32>, %previous_0: tile<f32>) {
      %s = addf %current_0, %previous_0 : tile<f32>
      yield %s : tile<f32>
    }
    %log_sum = log %sum : tile<4xf32>
    %log_sum_1 = reshape %log_sum : tile<4xf32> -> tile<4x1xf32>
    %log_sum_all = broadcast %log_sum_1 : tile<4x1xf32> -> tile<4x1024xf32>
    %y = subf %shifted, %log_sum_all : tile<4x1024xf32>
    %t1 = store_view_tko weak %y, %y_tiles[%row, %zero] : tile<4x1024xf32>, !out_1024, tile<i32> -> token
  }

  entry @log_softmax_f32_4096(%X: tile<ptr<f32>>, %Y: tile<ptr<f32>>, %rows: tile<i32>, %columns: tile<i32>) {
    %row, %by, %bz = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %x_view = make_tensor_view %X, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %y_view = make_tensor_view %Y, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %x_tiles = make_partition_view %x_view : !in_4096
    %y_tiles = make_partition_view %y_view : !out_4096
    %x, %t0 = load_view_tko weak %x_tiles[%row, %zero] : !in_4096, tile<i32> -> tile<1x4096xf32>, token
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
    %log_sum = log %sum : tile<1xf32>
    %log_sum_1 = reshape %log_sum : tile<1xf32> -> tile<1x1xf32>
    %log_sum_all = broadcast %log_sum_1 : tile<1x1xf32> -> tile<1x4096xf32>
    %y = subf %shifted, %log_sum_all : tile<1x4096xf32>
    %t1 = store_view_tko weak %y, %y_tiles[%row, %zero] : tile<1x4096xf32>, !out_4096, tile<i32> -> token
  }

  entry @log_softmax_f32(%X: tile<ptr<f32>>, %Y: tile<ptr<f32>>, %rows: tile<i32>, %columns: tile<i32>) {
    %row, %by, %bz = get_tile_block_id : tile<i32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %x_view = make_tensor_view %X, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %y_view = make_tensor_view %Y, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %x_tiles = make_partition_view %x_view : !in
    %y_tiles = make_partition_view %y_view : !out
    %tiles:2 = get_index_space_shape %x_tiles : !in -> tile<i32>
    %lowest = constant <f32: -3.0e38> : tile<f32>
    %nothing = constant <f32: 0.0> : tile<f32>
    %max, %sum = for %j in (%first to %tiles#1, step %step) : tile<i32> iter_values(%m = %lowest, %s = %nothing) -> (tile<f32>, tile<f32>) {
      %x, %t0 = load_view_tko weak %x_tiles[%row, %j] : !in, tile<i32> -> tile<1x1024xf32>, token
      %here = reduce %x dim=1 identities=[0xFF800000 : f32] : tile<1x1024xf32> -> tile<1xf32>
      (%current: tile<f32>, %previous: tile<f32>) {
        %larger = maxf %current, %previous : tile<f32>
        yield %larger : tile<f32>
      }
      %here_0 = reshape %here : tile<1xf32> -> tile<f32>
      %m_next = maxf %m, %here_0 : tile<f32>
      %m_1 = reshape %m_next : tile<f32> -> tile<1x1xf32>
      %m_all = broadcast %m_1 : tile<1x1xf32> -> tile<1x1024xf32>
      %shifted = subf %x, %m_all : tile<1x1024xf32>
      %e = exp %shifted : tile<1x1024xf32>
      %part = reduce %e dim=1 identities=[0.0 : f32] : tile<1x1024xf32> -> tile<1xf32>
      (%current_0: tile<f32>, %previous_0: tile<f32>) {
        %added = addf %current_0, %previous_0 : tile<f32>
        yield %added : tile<f32>
      }
      %part_0 = reshape %part : tile<1xf32> -> tile<f32>
      %fall = subf %m, %m_next : tile<f32>
      %shrink = exp %fall : tile<f32>
      %s_next = fma %s, %shrink, %part_0 : tile<f32>
      continue %m_next, %s_next : tile<f32>, tile<f32>
    }
    %log_sum = log %sum : tile<f32>
    %shift = addf %max, %log_sum : tile<f32>
    for %j in (%first to %tiles#1, step %step) : tile<i32> {
      %x, %t0 = load_view_tko weak %x_tiles[%row, %j] : !in, tile<i32> -> tile<1x1024xf32>, token
      %shift_1 = reshape %shift : tile<f32> -> tile<1x1xf32>
      %shift_all = broadcast %shift_1 : tile<1x1xf32> -> tile<1x1024xf32>
      %y = subf %x, %shift_all : tile<1x1024xf32>
      %t1 = store_view_tko weak %y, %y_tiles[%row, %j] : tile<1x1024xf32>, !out, tile<i32> -> token
    }
  }
}
