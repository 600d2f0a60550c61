// Nearest-neighbour classification of small images, as two kernels.
cuda_tile.module @digits {
  // distances[i, j] = |x_i - x_j|^2 for n images of 64 bytes each, one 64 x 64 tile of distances for
  // each tile block: |x_i|^2 + |x_j|^2 - 2 x_i . x_j, where the last term is a matrix product.
  // Launch ceil(n / 64) x ceil(n / 64) tile blocks.
  entry @distances(%images: tile<ptr<i8>>, %distances: tile<ptr<f32>>, %n: tile<i32>) {
    %x_view = make_tensor_view %images, shape = [%n, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xi8, strides=[64,1]>
    %d_view = make_tensor_view %distances, shape = [%n, %n], strides = [%n, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %x_tiles = make_partition_view %x_view : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x64xi8, strides=[64,1]>>
    %d_tiles = make_partition_view %d_view : partition_view<tile=(64x64), tensor_view<?x?xf32, strides=[?,1]>>

    %i, %j, %bz = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %a_bytes, %t0 = load_view_tko weak %x_tiles[%i, %zero] : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x64xi8, strides=[64,1]>>, tile<i32> -> tile<64x64xi8>, token
    %b_bytes, %t1 = load_view_tko weak %x_tiles[%j, %zero] : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x64xi8, strides=[64,1]>>, tile<i32> -> tile<64x64xi8>, token
    %a = itof %a_bytes unsigned : tile<64x64xi8> -> tile<64x64xf32>
    %b = itof %b_bytes unsigned : tile<64x64xi8> -> tile<64x64xf32>

    %b_columns = permute %b [1, 0] : tile<64x64xf32> -> tile<64x64xf32>
    %none = constant <f32: 0.0> : tile<64x64xf32>
    %dot = mmaf %a, %b_columns, %none : tile<64x64xf32>, tile<64x64xf32>, tile<64x64xf32>

    %a_squares = mulf %a, %a : tile<64x64xf32>
    %a_norms = reduce %a_squares dim=1 identities=[0.0 : f32] : tile<64x64xf32> -> tile<64xf32>
    (%current: tile<f32>, %previous: tile<f32>) {
      %s = addf %current, %previous : tile<f32>
      yield %s : tile<f32>
    }
    %b_squares = mulf %b, %b : tile<64x64xf32>
    %b_norms = reduce %b_squares dim=1 identities=[0.0 : f32] : tile<64x64xf32> -> tile<64xf32>
    (%current_0: tile<f32>, %previous_0: tile<f32>) {
      %s = addf %current_0, %previous_0 : tile<f32>
      yield %s : tile<f32>
    }
    %a_column = reshape %a_norms : tile<64xf32> -> tile<64x1xf32>
    %a_all = broadcast %a_column : tile<64x1xf32> -> tile<64x64xf32>
    %b_row = reshape %b_norms : tile<64xf32> -> tile<1x64xf32>
    %b_all = broadcast %b_row : tile<1x64xf32> -> tile<64x64xf32>
    %norms = addf %a_all, %b_all : tile<64x64xf32>
    %minus_two = constant <f32: -2.0> : tile<64x64xf32>
    %d = fma %minus_two, %dot, %norms : tile<64x64xf32>
    %t2 = store_view_tko weak %d, %d_tiles[%i, %j] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  }

  // For every image the nearest other one (the first of them when several are as near) and its
  // label. One tile block an image, for up to 2048 images.
  entry @classify(%distances: tile<ptr<f32>>, %labels: tile<ptr<i8>>, %neighbours: tile<ptr<i32>>, %answers: tile<ptr<i8>>, %n: tile<i32>) {
    %d_view = make_tensor_view %distances, shape = [%n, %n], strides = [%n, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %d_tiles = make_partition_view %d_view : partition_view<tile=(1x2048), padding_value = pos_inf, tensor_view<?x?xf32, strides=[?,1]>>
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %row, %t0 = load_view_tko weak %d_tiles[%i, %zero] : partition_view<tile=(1x2048), padding_value = pos_inf, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x2048xf32>, token
    %d = reshape %row : tile<1x2048xf32> -> tile<2048xf32>

    // An image is not its own neighbour.
    %j = iota : tile<2048xi32>
    %i_1 = reshape %i : tile<i32> -> tile<1xi32>
    %i_all = broadcast %i_1 : tile<1xi32> -> tile<2048xi32>
    %self = cmpi equal %i_all, %j, signed : tile<2048xi32> -> tile<2048xi1>
    %far = constant <f32: 0x7F800000> : tile<2048xf32>
    %others = select %self, %far, %d : tile<2048xi1>, tile<2048xf32>

    %least, %nearest = reduce %others, %j dim=0 identities=[0x7F800000 : f32, 2147483647 : i32] : tile<2048xf32>, tile<2048xi32> -> tile<f32>, tile<i32>
    (%d_current: tile<f32>, %d_previous: tile<f32>, %j_current: tile<i32>, %j_previous: tile<i32>) {
      %nearer = cmpf less_than ordered %d_current, %d_previous : tile<f32> -> tile<i1>
      %as_near = cmpf equal ordered %d_current, %d_previous : tile<f32> -> tile<i1>
      %earlier = cmpi less_than %j_current, %j_previous, signed : tile<i32> -> tile<i1>
      %tie = andi %as_near, %earlier : tile<i1>
      %take = ori %nearer, %tie : tile<i1>
      %d_best = select %take, %d_current, %d_previous : tile<i1>, tile<f32>
      %j_best = select %take, %j_current, %j_previous : tile<i1>, tile<i32>
      yield %d_best, %j_best : tile<f32>, tile<i32>
    }

    %label_at = offset %labels, %nearest : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>
    %label, %t1 = load_ptr_tko weak %label_at : tile<ptr<i8>> -> tile<i8>, token
    %neighbour_at = offset %neighbours, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %t2 = store_ptr_tko weak %neighbour_at, %nearest : tile<ptr<i32>>, tile<i32> -> token
    %answer_at = offset %answers, %i : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>
    %t3 = store_ptr_tko weak %answer_at, %label : tile<ptr<i8>>, tile<i8> -> token
  }
}
