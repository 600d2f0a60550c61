// Normalisation of every row of a row-major f32 matrix, rows x columns, of any size. One tile block a
// row, which it goes through 1024 columns at a time: once for each sum that it needs, and once to
// write. Weights and biases are vectors of `columns` elements.
!matrix = !cuda_tile.tensor_view<?x?xf32, strides=[?,1]>
!in = !cuda_tile.partition_view<tile=(1x1024), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
!out = !cuda_tile.partition_view<tile=(1x1024), tensor_view<?x?xf32, strides=[?,1]>>
!row = !cuda_tile.tensor_view<1x?xf32, strides=[?,1]>
!row_in = !cuda_tile.partition_view<tile=(1x1024), padding_value = zero, tensor_view<1x?xf32, strides=[?,1]>>
!vector = !cuda_tile.tensor_view<?xf32, strides=[1]>
!block = !cuda_tile.partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
!saved = !cuda_tile.partition_view<tile=(32), padding_value = zero, tensor_view<?xf32, strides=[1]>>
!sums = !cuda_tile.partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
cuda_tile.module @norm {
  // y = x / sqrt(mean(x^2) + epsilon) * weight
  entry @rmsnorm_f32(%X: tile<ptr<f32>>, %W: tile<ptr<f32>>, %Y: tile<ptr<f32>>, %rows: tile<i32>, %columns: tile<i32>, %epsilon: tile<f32>) {
    %row, %by, %bz = get_tile_block_id : tile<i32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %nothing = constant <f32: 0.0> : tile<f32>
    %x_view = make_tensor_view %X, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %x_tiles = make_partition_view %x_view : !in
    %w_view = make_tensor_view %W, shape = [1, %columns], strides = [%columns, 1] : tile<i32> -> !row
    %w_tiles = make_partition_view %w_view : !row_in
    %y_view = make_tensor_view %Y, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %y_tiles = make_partition_view %y_view : !out
    %tiles:2 = get_index_space_shape %x_tiles : !in -> tile<i32>
    %count = itof %columns signed : tile<i32> -> tile<f32>
    %sum = for %j in (%first to %tiles#1, step %step) : tile<i32> iter_values(%sum_so_far = %nothing) -> (tile<f32>) {
      %x, %t_x = load_view_tko weak %x_tiles[%row, %j] : !in, tile<i32> -> tile<1x1024xf32>, token
      %sum_part = mulf %x, %x : tile<1x1024xf32>
      %sum_row = reduce %sum_part dim=1 identities=[0.0 : f32] : tile<1x1024xf32> -> tile<1xf32>
      (%current_sum: tile<f32>, %previous_sum: tile<f32>) {
        %added = addf %current_sum, %previous_sum : tile<f32>
        yield %added : tile<f32>
      }
      %sum_here = reshape %sum_row : tile<1xf32> -> tile<f32>
      %sum_next = addf %sum_so_far, %sum_here : tile<f32>
      continue %sum_next : tile<f32>
    }
    %mean = divf %sum, %count : tile<f32>
    %biased = addf %mean, %epsilon : tile<f32>
    %scale = rsqrt %biased : tile<f32>
    for %j in (%first to %tiles#1, step %step) : tile<i32> {
      %x, %t_x = load_view_tko weak %x_tiles[%row, %j] : !in, tile<i32> -> tile<1x1024xf32>, token
      %w, %t_w = load_view_tko weak %w_tiles[%first, %j] : !row_in, tile<i32> -> tile<1x1024xf32>, token
      %scale_1 = reshape %scale : tile<f32> -> tile<1x1xf32>
      %scale_all = broadcast %scale_1 : tile<1x1xf32> -> tile<1x1024xf32>
      %normal = mulf %x, %scale_all : tile<1x1024xf32>
      %y = mulf %normal, %w : tile<1x1024xf32>
      %t_y_out = store_view_tko weak %y, %y_tiles[%row, %j] : tile<1x1024xf32>, !out, tile<i32> -> token
    }
  }

  // h = x + residual, and y = h / sqrt(mean(h^2) + epsilon) * weight
  entry @add_rmsnorm_f32(%X: tile<ptr<f32>>, %R: tile<ptr<f32>>, %W: tile<ptr<f32>>, %H: tile<ptr<f32>>, %Y: tile<ptr<f32>>, %rows: tile<i32>, %columns: tile<i32>, %epsilon: tile<f32>) {
    %row, %by, %bz = get_tile_block_id : tile<i32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %nothing = constant <f32: 0.0> : tile<f32>
    %x_view = make_tensor_view %X, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %x_tiles = make_partition_view %x_view : !in
    %r_view = make_tensor_view %R, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %r_tiles = make_partition_view %r_view : !in
    %w_view = make_tensor_view %W, shape = [1, %columns], strides = [%columns, 1] : tile<i32> -> !row
    %w_tiles = make_partition_view %w_view : !row_in
    %h_view = make_tensor_view %H, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %h_tiles = make_partition_view %h_view : !out
    %y_view = make_tensor_view %Y, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %y_tiles = make_partition_view %y_view : !out
    %tiles:2 = get_index_space_shape %x_tiles : !in -> tile<i32>
    %count = itof %columns signed : tile<i32> -> tile<f32>
    %sum = for %j in (%first to %tiles#1, step %step) : tile<i32> iter_values(%sum_so_far = %nothing) -> (tile<f32>) {
      %x, %t_x = load_view_tko weak %x_tiles[%row, %j] : !in, tile<i32> -> tile<1x1024xf32>, token
      %r, %t_r = load_view_tko weak %r_tiles[%row, %j] : !in, tile<i32> -> tile<1x1024xf32>, token
      %h = addf %x, %r : tile<1x1024xf32>
      %t_h_out = store_view_tko weak %h, %h_tiles[%row, %j] : tile<1x1024xf32>, !out, tile<i32> -> token
      %sum_part = mulf %h, %h : tile<1x1024xf32>
      %sum_row = reduce %sum_part dim=1 identities=[0.0 : f32] : tile<1x1024xf32> -> tile<1xf32>
      (%current_sum: tile<f32>, %previous_sum: tile<f32>) {
        %added = addf %current_sum, %previous_sum : tile<f32>
        yield %added : tile<f32>
      }
      %sum_here = reshape %sum_row : tile<1xf32> -> tile<f32>
      %sum_next = addf %sum_so_far, %sum_here : tile<f32>
      continue %sum_next : tile<f32>
    }
    %mean = divf %sum, %count : tile<f32>
    %biased = addf %mean, %epsilon : tile<f32>
    %scale = rsqrt %biased : tile<f32>
    for %j in (%first to %tiles#1, step %step) : tile<i32> {
      %x, %t_x = load_view_tko weak %x_tiles[%row, %j] : !in, tile<i32> -> tile<1x1024xf32>, token
      %r, %t_r = load_view_tko weak %r_tiles[%row, %j] : !in, tile<i32> -> tile<1x1024xf32>, token
      %w, %t_w = load_view_tko weak %w_tiles[%first, %j] : !row_in, tile<i32> -> tile<1x1024xf32>, token
      %scale_1 = reshape %scale : tile<f32> -> tile<1x1xf32>
      %scale_all = broadcast %scale_1 : tile<1x1xf32> -> tile<1x1024xf32>
      %h = addf %x, %r : tile<1x1024xf32>
      %normal = mulf %h, %scale_all : tile<1x1024xf32>
      %y = mulf %normal, %w : tile<1x1024xf32>
      %t_y_out = store_view_tko weak %y, %y_tiles[%row, %j] : tile<1x1024xf32>, !out, tile<i32> -> token
    }
  }

  // y = (x - mean(x)) * scale * weight + bias, with scale = 1 / sqrt(variance(x) + epsilon); keeps mean
  // and scale of every row for the way back
  entry @layernorm_f32(%X: tile<ptr<f32>>, %W: tile<ptr<f32>>, %B: tile<ptr<f32>>, %Y: tile<ptr<f32>>, %Mean: tile<ptr<f32>>, %Scale: tile<ptr<f32>>, %rows: tile<i32>, %columns: tile<i32>, %epsilon: tile<f32>) {
    %row, %by, %bz = get_tile_block_id : tile<i32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %nothing = constant <f32: 0.0> : tile<f32>
    %nothing_all = constant <f32: 0.0> : tile<1x1024xf32>
    %width = constant <i32: 1024> : tile<i32>
    %lane = iota : tile<1024xi32>
    %lane_row = reshape %lane : tile<1024xi32> -> tile<1x1024xi32>
    %x_view = make_tensor_view %X, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %x_tiles = make_partition_view %x_view : !in
    %w_view = make_tensor_view %W, shape = [1, %columns], strides = [%columns, 1] : tile<i32> -> !row
    %w_tiles = make_partition_view %w_view : !row_in
    %b_view = make_tensor_view %B, shape = [1, %columns], strides = [%columns, 1] : tile<i32> -> !row
    %b_tiles = make_partition_view %b_view : !row_in
    %y_view = make_tensor_view %Y, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %y_tiles = make_partition_view %y_view : !out
    %tiles:2 = get_index_space_shape %x_tiles : !in -> tile<i32>
    %count = itof %columns signed : tile<i32> -> tile<f32>
    %sum = for %j in (%first to %tiles#1, step %step) : tile<i32> iter_values(%sum_so_far = %nothing) -> (tile<f32>) {
      %x, %t_x = load_view_tko weak %x_tiles[%row, %j] : !in, tile<i32> -> tile<1x1024xf32>, token
      %sum_row = reduce %x dim=1 identities=[0.0 : f32] : tile<1x1024xf32> -> tile<1xf32>
      (%current_sum: tile<f32>, %previous_sum: tile<f32>) {
        %added = addf %current_sum, %previous_sum : tile<f32>
        yield %added : tile<f32>
      }
      %sum_here = reshape %sum_row : tile<1xf32> -> tile<f32>
      %sum_next = addf %sum_so_far, %sum_here : tile<f32>
      continue %sum_next : tile<f32>
    }
    %mean = divf %sum, %count : tile<f32>
    %squares = for %j in (%first to %tiles#1, step %step) : tile<i32> iter_values(%squares_so_far = %nothing) -> (tile<f32>) {
      %x, %t_x = load_view_tko weak %x_tiles[%row, %j] : !in, tile<i32> -> tile<1x1024xf32>, token
      %at = muli %j, %width : tile<i32>
      %left = subi %columns, %at : tile<i32>
      %left_1 = reshape %left : tile<i32> -> tile<1x1xi32>
      %left_all = broadcast %left_1 : tile<1x1xi32> -> tile<1x1024xi32>
      %inside = cmpi less_than %lane_row, %left_all, signed : tile<1x1024xi32> -> tile<1x1024xi1>
      %mean_1 = reshape %mean : tile<f32> -> tile<1x1xf32>
      %mean_all = broadcast %mean_1 : tile<1x1xf32> -> tile<1x1024xf32>
      %shifted = subf %x, %mean_all : tile<1x1024xf32>
      %counted = select %inside, %shifted, %nothing_all : tile<1x1024xi1>, tile<1x1024xf32>
      %squares_part = mulf %counted, %counted : tile<1x1024xf32>
      %squares_row = reduce %squares_part dim=1 identities=[0.0 : f32] : tile<1x1024xf32> -> tile<1xf32>
      (%current_squares: tile<f32>, %previous_squares: tile<f32>) {
        %added = addf %current_squares, %previous_squares : tile<f32>
        yield %added : tile<f32>
      }
      %squares_here = reshape %squares_row : tile<1xf32> -> tile<f32>
      %squares_next = addf %squares_so_far, %squares_here : tile<f32>
      continue %squares_next : tile<f32>
    }
    %variance = divf %squares, %count : tile<f32>
    %biased = addf %variance, %epsilon : tile<f32>
    %scale = rsqrt %biased : tile<f32>
    for %j in (%first to %tiles#1, step %step) : tile<i32> {
      %x, %t_x = load_view_tko weak %x_tiles[%row, %j] : !in, tile<i32> -> tile<1x1024xf32>, token
      %w, %t_w = load_view_tko weak %w_tiles[%first, %j] : !row_in, tile<i32> -> tile<1x1024xf32>, token
      %b, %t_b = load_view_tko weak %b_tiles[%first, %j] : !row_in, tile<i32> -> tile<1x1024xf32>, token
      %mean_1 = reshape %mean : tile<f32> -> tile<1x1xf32>
      %mean_all = broadcast %mean_1 : tile<1x1xf32> -> tile<1x1024xf32>
      %scale_1 = reshape %scale : tile<f32> -> tile<1x1xf32>
      %scale_all = broadcast %scale_1 : tile<1x1xf32> -> tile<1x1024xf32>
      %shifted = subf %x, %mean_all : tile<1x1024xf32>
      %normal = mulf %shifted, %scale_all : tile<1x1024xf32>
      %y = fma %normal, %w, %b : tile<1x1024xf32>
      %t_y_out = store_view_tko weak %y, %y_tiles[%row, %j] : tile<1x1024xf32>, !out, tile<i32> -> token
    }
    %mean_at = offset %Mean, %row : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %t_mean = store_ptr_tko weak %mean_at, %mean : tile<ptr<f32>>, tile<f32> -> token
    %scale_at = offset %Scale, %row : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %t_scale = store_ptr_tko weak %scale_at, %scale : tile<ptr<f32>>, tile<f32> -> token
  }

  // h = x + residual, and y from h as above
  entry @add_layernorm_f32(%X: tile<ptr<f32>>, %R: tile<ptr<f32>>, %W: tile<ptr<f32>>, %B: tile<ptr<f32>>, %H: tile<ptr<f32>>, %Y: tile<ptr<f32>>, %Mean: tile<ptr<f32>>, %Scale: tile<ptr<f32>>, %rows: tile<i32>, %columns: tile<i32>, %epsilon: tile<f32>) {
    %row, %by, %bz = get_tile_block_id : tile<i32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %nothing = constant <f32: 0.0> : tile<f32>
    %nothing_all = constant <f32: 0.0> : tile<1x1024xf32>
    %width = constant <i32: 1024> : tile<i32>
    %lane = iota : tile<1024xi32>
    %lane_row = reshape %lane : tile<1024xi32> -> tile<1x1024xi32>
    %x_view = make_tensor_view %X, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %x_tiles = make_partition_view %x_view : !in
    %r_view = make_tensor_view %R, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %r_tiles = make_partition_view %r_view : !in
    %w_view = make_tensor_view %W, shape = [1, %columns], strides = [%columns, 1] : tile<i32> -> !row
    %w_tiles = make_partition_view %w_view : !row_in
    %b_view = make_tensor_view %B, shape = [1, %columns], strides = [%columns, 1] : tile<i32> -> !row
    %b_tiles = make_partition_view %b_view : !row_in
    %h_view = make_tensor_view %H, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %h_tiles = make_partition_view %h_view : !out
    %y_view = make_tensor_view %Y, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %y_tiles = make_partition_view %y_view : !out
    %tiles:2 = get_index_space_shape %x_tiles : !in -> tile<i32>
    %count = itof %columns signed : tile<i32> -> tile<f32>
    %sum = for %j in (%first to %tiles#1, step %step) : tile<i32> iter_values(%sum_so_far = %nothing) -> (tile<f32>) {
      %x, %t_x = load_view_tko weak %x_tiles[%row, %j] : !in, tile<i32> -> tile<1x1024xf32>, token
      %r, %t_r = load_view_tko weak %r_tiles[%row, %j] : !in, tile<i32> -> tile<1x1024xf32>, token
      %h = addf %x, %r : tile<1x1024xf32>
      %t_h_out = store_view_tko weak %h, %h_tiles[%row, %j] : tile<1x1024xf32>, !out, tile<i32> -> token
      %sum_row = reduce %h dim=1 identities=[0.0 : f32] : tile<1x1024xf32> -> tile<1xf32>
      (%current_sum: tile<f32>, %previous_sum: tile<f32>) {
        %added = addf %current_sum, %previous_sum : tile<f32>
        yield %added : tile<f32>
      }
      %sum_here = reshape %sum_row : tile<1xf32> -> tile<f32>
      %sum_next = addf %sum_so_far, %sum_here : tile<f32>
      continue %sum_next : tile<f32>
    }
    %mean = divf %sum, %count : tile<f32>
    %squares = for %j in (%first to %tiles#1, step %step) : tile<i32> iter_values(%squares_so_far = %nothing) -> (tile<f32>) {
      %x, %t_x = load_view_tko weak %x_tiles[%row, %j] : !in, tile<i32> -> tile<1x1024xf32>, token
      %r, %t_r = load_view_tko weak %r_tiles[%row, %j] : !in, tile<i32> -> tile<1x1024xf32>, token
      %h = addf %x, %r : tile<1x1024xf32>
      %at = muli %j, %width : tile<i32>
      %left = subi %columns, %at : tile<i32>
      %left_1 = reshape %left : tile<i32> -> tile<1x1xi32>
      %left_all = broadcast %left_1 : tile<1x1xi32> -> tile<1x1024xi32>
      %inside = cmpi less_than %lane_row, %left_all, signed : tile<1x1024xi32> -> tile<1x1024xi1>
      %mean_1 = reshape %mean : tile<f32> -> tile<1x1xf32>
      %mean_all = broadcast %mean_1 : tile<1x1xf32> -> tile<1x1024xf32>
      %shifted = subf %h, %mean_all : tile<1x1024xf32>
      %counted = select %inside, %shifted, %nothing_all : tile<1x1024xi1>, tile<1x1024xf32>
      %squares_part = mulf %counted, %counted : tile<1x1024xf32>
      %squares_row = reduce %squares_part dim=1 identities=[0.0 : f32] : tile<1x1024xf32> -> tile<1xf32>
      (%current_squares: tile<f32>, %previous_squares: tile<f32>) {
        %added = addf %current_squares, %previous_squares : tile<f32>
        yield %added : tile<f32>
      }
      %squares_here = reshape %squares_row : tile<1xf32> -> tile<f32>
      %squares_next = addf %squares_so_far, %squares_here : tile<f32>
      continue %squares_next : tile<f32>
    }
    %variance = divf %squares, %count : tile<f32>
    %biased = addf %variance, %epsilon : tile<f32>
    %scale = rsqrt %biased : tile<f32>
    for %j in (%first to %tiles#1, step %step) : tile<i32> {
      %x, %t_x = load_view_tko weak %x_tiles[%row, %j] : !in, tile<i32> -> tile<1x1024xf32>, token
      %r, %t_r = load_view_tko weak %r_tiles[%row, %j] : !in, tile<i32> -> tile<1x1024xf32>, token
      %h = addf %x, %r : tile<1x1024xf32>
      %w, %t_w = load_view_tko weak %w_tiles[%first, %j] : !row_in, tile<i32> -> tile<1x1024xf32>, token
      %b, %t_b = load_view_tko weak %b_tiles[%first, %j] : !row_in, tile<i32> -> tile<1x1024xf32>, token
      %mean_1 = reshape %mean : tile<f32> -> tile<1x1xf32>
      %mean_all = broadcast %mean_1 : tile<1x1xf32> -> tile<1x1024xf32>
      %scale_1 = reshape %scale : tile<f32> -> tile<1x1xf32>
      %scale_all = broadcast %scale_1 : tile<1x1xf32> -> tile<1x1024xf32>
      %shifted = subf %h, %mean_all : tile<1x1024xf32>
      %normal = mulf %shifted, %scale_all : tile<1x1024xf32>
      %y = fma %normal, %w, %b : tile<1x1024xf32>
      %t_y_out = store_view_tko weak %y, %y_tiles[%row, %j] : tile<1x1024xf32>, !out, tile<i32> -> token
    }
    %mean_at = offset %Mean, %row : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %t_mean = store_ptr_tko weak %mean_at, %mean : tile<ptr<f32>>, tile<f32> -> token
    %scale_at = offset %Scale, %row : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %t_scale = store_ptr_tko weak %scale_at, %scale : tile<ptr<f32>>, tile<f32> -> token
  }

  // The gradient of x from that of y, which is D. With n = (x - mean) * scale and g = D * weight:
  //   dx = scale * (g - mean(g) - n * mean(g * n))
  entry @layernorm_backward_f32(%X: tile<ptr<f32>>, %W: tile<ptr<f32>>, %Mean: tile<ptr<f32>>, %Scale: tile<ptr<f32>>, %D: tile<ptr<f32>>, %DX: tile<ptr<f32>>, %rows: tile<i32>, %columns: tile<i32>) {
    %row, %by, %bz = get_tile_block_id : tile<i32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %nothing = constant <f32: 0.0> : tile<f32>
    %x_view = make_tensor_view %X, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %x_tiles = make_partition_view %x_view : !in
    %w_view = make_tensor_view %W, shape = [1, %columns], strides = [%columns, 1] : tile<i32> -> !row
    %w_tiles = make_partition_view %w_view : !row_in
    %d_view = make_tensor_view %D, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %d_tiles = make_partition_view %d_view : !in
    %dx_view = make_tensor_view %DX, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %dx_tiles = make_partition_view %dx_view : !out
    %tiles:2 = get_index_space_shape %x_tiles : !in -> tile<i32>
    %count = itof %columns signed : tile<i32> -> tile<f32>
    %mean_at = offset %Mean, %row : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %mean, %t_mean = load_ptr_tko weak %mean_at : tile<ptr<f32>> -> tile<f32>, token
    %scale_at = offset %Scale, %row : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %scale, %t_scale = load_ptr_tko weak %scale_at : tile<ptr<f32>> -> tile<f32>, token
    %sum, %dot = for %j in (%first to %tiles#1, step %step) : tile<i32> iter_values(%sum_so_far = %nothing, %dot_so_far = %nothing) -> (tile<f32>, tile<f32>) {
      %x, %t_x = load_view_tko weak %x_tiles[%row, %j] : !in, tile<i32> -> tile<1x1024xf32>, token
      %d, %t_d = load_view_tko weak %d_tiles[%row, %j] : !in, tile<i32> -> tile<1x1024xf32>, token
      %w, %t_w = load_view_tko weak %w_tiles[%first, %j] : !row_in, tile<i32> -> tile<1x1024xf32>, token
      %mean_1 = reshape %mean : tile<f32> -> tile<1x1xf32>
      %mean_all = broadcast %mean_1 : tile<1x1xf32> -> tile<1x1024xf32>
      %scale_1 = reshape %scale : tile<f32> -> tile<1x1xf32>
      %scale_all = broadcast %scale_1 : tile<1x1xf32> -> tile<1x1024xf32>
      %shifted = subf %x, %mean_all : tile<1x1024xf32>
      %normal = mulf %shifted, %scale_all : tile<1x1024xf32>
      %weighted = mulf %d, %w : tile<1x1024xf32>
      %dot_part = mulf %weighted, %normal : tile<1x1024xf32>
      %sum_row = reduce %weighted dim=1 identities=[0.0 : f32] : tile<1x1024xf32> -> tile<1xf32>
      (%current_sum: tile<f32>, %previous_sum: tile<f32>) {
        %added = addf %current_sum, %previous_sum : tile<f32>
        yield %added : tile<f32>
      }
      %sum_here = reshape %sum_row : tile<1xf32> -> tile<f32>
      %sum_next = addf %sum_so_far, %sum_here : tile<f32>
      %dot_row = reduce %dot_part dim=1 identities=[0.0 : f32] : tile<1x1024xf32> -> tile<1xf32>
      (%current_dot: tile<f32>, %previous_dot: tile<f32>) {
        %added = addf %current_dot, %previous_dot : tile<f32>
        yield %added : tile<f32>
      }
      %dot_here = reshape %dot_row : tile<1xf32> -> tile<f32>
      %dot_next = addf %dot_so_far, %dot_here : tile<f32>
      continue %sum_next, %dot_next : tile<f32>, tile<f32>
    }
    %share = divf %sum, %count : tile<f32>
    %slope = divf %dot, %count : tile<f32>
    for %j in (%first to %tiles#1, step %step) : tile<i32> {
      %x, %t_x = load_view_tko weak %x_tiles[%row, %j] : !in, tile<i32> -> tile<1x1024xf32>, token
      %d, %t_d = load_view_tko weak %d_tiles[%row, %j] : !in, tile<i32> -> tile<1x1024xf32>, token
      %w, %t_w = load_view_tko weak %w_tiles[%first, %j] : !row_in, tile<i32> -> tile<1x1024xf32>, token
      %mean_1 = reshape %mean : tile<f32> -> tile<1x1xf32>
      %mean_all = broadcast %mean_1 : tile<1x1xf32> -> tile<1x1024xf32>
      %scale_1 = reshape %scale : tile<f32> -> tile<1x1xf32>
      %scale_all = broadcast %scale_1 : tile<1x1xf32> -> tile<1x1024xf32>
      %shifted = subf %x, %mean_all : tile<1x1024xf32>
      %normal = mulf %shifted, %scale_all : tile<1x1024xf32>
      %weighted = mulf %d, %w : tile<1x1024xf32>
      %share_1 = reshape %share : tile<f32> -> tile<1x1xf32>
      %share_all = broadcast %share_1 : tile<1x1xf32> -> tile<1x1024xf32>
      %slope_1 = reshape %slope : tile<f32> -> tile<1x1xf32>
      %slope_all = broadcast %slope_1 : tile<1x1xf32> -> tile<1x1024xf32>
      %centred = subf %weighted, %share_all : tile<1x1024xf32>
      %along = mulf %normal, %slope_all : tile<1x1024xf32>
      %rest = subf %centred, %along : tile<1x1024xf32>
      %dx = mulf %rest, %scale_all : tile<1x1024xf32>
      %t_dx_out = store_view_tko weak %dx, %dx_tiles[%row, %j] : tile<1x1024xf32>, !out, tile<i32> -> token
    }
  }

  // The gradients of weight and bias: the sums of D * n and of D over all rows. A tile block takes 64
  // columns, 32 rows at a time; launch ceil(columns / 64).
  entry @layernorm_backward_weights_f32(%X: tile<ptr<f32>>, %Mean: tile<ptr<f32>>, %Scale: tile<ptr<f32>>, %D: tile<ptr<f32>>, %DW: tile<ptr<f32>>, %DB: tile<ptr<f32>>, %rows: tile<i32>, %columns: tile<i32>) {
    %column, %by, %bz = get_tile_block_id : tile<i32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %zero = constant <f32: 0.0> : tile<32x64xf32>
    %x_view = make_tensor_view %X, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %d_view = make_tensor_view %D, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> !matrix
    %mean_view = make_tensor_view %Mean, shape = [%rows], strides = [1] : tile<i32> -> !vector
    %scale_view = make_tensor_view %Scale, shape = [%rows], strides = [1] : tile<i32> -> !vector
    %dw_view = make_tensor_view %DW, shape = [%columns], strides = [1] : tile<i32> -> !vector
    %db_view = make_tensor_view %DB, shape = [%columns], strides = [1] : tile<i32> -> !vector
    %x_tiles = make_partition_view %x_view : !block
    %d_tiles = make_partition_view %d_view : !block
    %mean_tiles = make_partition_view %mean_view : !saved
    %scale_tiles = make_partition_view %scale_view : !saved
    %dw_tiles = make_partition_view %dw_view : !sums
    %db_tiles = make_partition_view %db_view : !sums
    %tiles:2 = get_index_space_shape %x_tiles : !block -> tile<i32>
    %dw_parts, %db_parts = for %i in (%first to %tiles#0, step %step) : tile<i32> iter_values(%dw_so_far = %zero, %db_so_far = %zero) -> (tile<32x64xf32>, tile<32x64xf32>) {
      %x, %t0 = load_view_tko weak %x_tiles[%i, %column] : !block, tile<i32> -> tile<32x64xf32>, token
      %d, %t1 = load_view_tko weak %d_tiles[%i, %column] : !block, tile<i32> -> tile<32x64xf32>, token
      %mean, %t2 = load_view_tko weak %mean_tiles[%i] : !saved, tile<i32> -> tile<32xf32>, token
      %scale, %t3 = load_view_tko weak %scale_tiles[%i] : !saved, tile<i32> -> tile<32xf32>, token
      %mean_1 = reshape %mean : tile<32xf32> -> tile<32x1xf32>
      %mean_all = broadcast %mean_1 : tile<32x1xf32> -> tile<32x64xf32>
      %scale_1 = reshape %scale : tile<32xf32> -> tile<32x1xf32>
      %scale_all = broadcast %scale_1 : tile<32x1xf32> -> tile<32x64xf32>
      %shifted = subf %x, %mean_all : tile<32x64xf32>
      %normal = mulf %shifted, %scale_all : tile<32x64xf32>
      %dw_next = fma %d, %normal, %dw_so_far : tile<32x64xf32>
      %db_next = addf %d, %db_so_far : tile<32x64xf32>
      continue %dw_next, %db_next : tile<32x64xf32>, tile<32x64xf32>
    }
    %dw, %db = reduce %dw_parts, %db_parts dim=0 identities=[0.0 : f32, 0.0 : f32] : tile<32x64xf32>, tile<32x64xf32> -> tile<64xf32>, tile<64xf32>
    (%w_current: tile<f32>, %w_previous: tile<f32>, %b_current: tile<f32>, %b_previous: tile<f32>) {
      %w_sum = addf %w_current, %w_previous : tile<f32>
      %b_sum = addf %b_current, %b_previous : tile<f32>
      yield %w_sum, %b_sum : tile<f32>, tile<f32>
    }
    %t4 = store_view_tko weak %dw, %dw_tiles[%column] : tile<64xf32>, !sums, tile<i32> -> token
    %t5 = store_view_tko weak %db, %db_tiles[%column] : tile<64xf32>, !sums, tile<i32> -> token
  }
}
