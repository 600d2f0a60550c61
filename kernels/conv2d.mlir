// Two-dimensional convolution of images, f32, as a matrix product over a view of the image: no
// patch is ever copied out of it.
//
//   Y[n, y, x, f] = sum over i, j, c of X[n, y * stride + i - pad, x * stride + j - pad, c] * W[i, j, c, f]
//
// X is n x height x width x channels, W size x size x channels x filters, Y n x rows x columns x
// filters, all row-major; elements outside of X count as 0. Any size, stride and padding; rows is
// (height + 2 * pad - size) / stride + 1, columns likewise. One tile block makes 8 x 8 pixels of 64
// filters: launch ceil(rows / 8) * ceil(columns / 8) x ceil(filters / 64) x n tile blocks.
//
// For each of the size * size places of the window: a 64 x 64 tile of pixels and channels, whose
// addresses are linear in the pixel's row, its column and the channel, times one of the weights.
!weights = !cuda_tile.tensor_view<?x?x?x?xf32, strides=[?,?,?,1]>
!weight_tiles = !cuda_tile.partition_view<tile=(1x1x64x64), padding_value = zero, tensor_view<?x?x?x?xf32, strides=[?,?,?,1]>>
!pixels = !cuda_tile.tensor_view<?x?x?x?xf32, strides=[?,?,?,1]>
!pixel_tiles = !cuda_tile.partition_view<tile=(1x8x8x64), tensor_view<?x?x?x?xf32, strides=[?,?,?,1]>>
cuda_tile.module @conv2d {
  entry @conv2d_f32(%X: tile<ptr<f32>>, %W: tile<ptr<f32>>, %Y: tile<ptr<f32>>, %n: tile<i32>, %height: tile<i32>, %width: tile<i32>, %channels: tile<i32>, %filters: tile<i32>, %rows: tile<i32>, %columns: tile<i32>, %size: tile<i32>, %stride: tile<i32>, %pad: tile<i32>) {
    %tile, %filter, %image = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %eight = constant <i32: 8> : tile<i32>
    %chunk = constant <i32: 64> : tile<i32>

    // Weights and result as views.
    %w_row = muli %channels, %filters : tile<i32>
    %w_plane = muli %size, %w_row : tile<i32>
    %w_view = make_tensor_view %W, shape = [%size, %size, %channels, %filters], strides = [%w_plane, %w_row, %filters, 1] : tile<i32> -> !weights
    %w_tiles = make_partition_view %w_view : !weight_tiles
    %y_row = muli %columns, %filters : tile<i32>
    %y_image = muli %rows, %y_row : tile<i32>
    %y_view = make_tensor_view %Y, shape = [%n, %rows, %columns, %filters], strides = [%y_image, %y_row, %filters, 1] : tile<i32> -> !pixels
    %y_tiles = make_partition_view %y_view : !pixel_tiles
    %tiles:4 = get_index_space_shape %y_tiles : !pixel_tiles -> tile<i32>
    %tile_y = divi %tile, %tiles#2 signed : tile<i32>
    %tile_x = remi %tile, %tiles#2 signed : tile<i32>
    %w_space:4 = get_index_space_shape %w_tiles : !weight_tiles -> tile<i32>

    // The top left corner of the window of each of the 8 rows and columns of pixels.
    %lane = iota : tile<8xi32>
    %stride_1 = reshape %stride : tile<i32> -> tile<1xi32>
    %stride_8 = broadcast %stride_1 : tile<1xi32> -> tile<8xi32>
    %steps = muli %lane, %stride_8 : tile<8xi32>
    %ahead = muli %eight, %stride : tile<i32>
    %top_from = muli %tile_y, %ahead : tile<i32>
    %left_from = muli %tile_x, %ahead : tile<i32>
    %top = subi %top_from, %pad : tile<i32>
    %left = subi %left_from, %pad : tile<i32>

    %x_row = muli %width, %channels : tile<i32>
    %x_image = muli %height, %x_row : tile<i32>
    %image_64 = exti %image signed : tile<i32> -> tile<i64>
    %x_image_64 = exti %x_image signed : tile<i32> -> tile<i64>
    %x_from = muli %image_64, %x_image_64 : tile<i64>
    %x_base = offset %X, %x_from : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
    %x_base_1 = reshape %x_base : tile<ptr<f32>> -> tile<1x1x1xptr<f32>>
    %x_all = broadcast %x_base_1 : tile<1x1x1xptr<f32>> -> tile<8x8x64xptr<f32>>
    %x_row_1 = reshape %x_row : tile<i32> -> tile<1xi32>
    %x_row_8 = broadcast %x_row_1 : tile<1xi32> -> tile<8xi32>
    %channels_1 = reshape %channels : tile<i32> -> tile<1xi32>
    %channels_8 = broadcast %channels_1 : tile<1xi32> -> tile<8xi32>
    %channels_64 = broadcast %channels_1 : tile<1xi32> -> tile<64xi32>
    %height_1 = reshape %height : tile<i32> -> tile<1xi32>
    %height_8 = broadcast %height_1 : tile<1xi32> -> tile<8xi32>
    %width_1 = reshape %width : tile<i32> -> tile<1xi32>
    %width_8 = broadcast %width_1 : tile<1xi32> -> tile<8xi32>
    %zero_8 = constant <i32: 0> : tile<8xi32>
    %channel_lane = iota : tile<64xi32>
    %outside = constant <f32: 0.0> : tile<8x8x64xf32>
    %nothing = constant <f32: 0.0> : tile<64x64xf32>

    // One loop over the places of the window and the chunks of channels, so that all of it is one sum
    // along one dimension.
    %chunks = muli %size, %w_space#2 : tile<i32>
    %steps_all = muli %size, %chunks : tile<i32>
    %sum = for %step in (%zero to %steps_all, step %one) : tile<i32> iter_values(%so_far = %nothing) -> (tile<64x64xf32>) {
      %i = divi %step, %chunks signed : tile<i32>
      %in_row = remi %step, %chunks signed : tile<i32>
      %j = divi %in_row, %w_space#2 signed : tile<i32>
      %c = remi %in_row, %w_space#2 signed : tile<i32>

      %row = addi %top, %i : tile<i32>
      %row_1 = reshape %row : tile<i32> -> tile<1xi32>
      %row_8 = broadcast %row_1 : tile<1xi32> -> tile<8xi32>
      %y = addi %row_8, %steps : tile<8xi32>
      %y_low = cmpi greater_than_or_equal %y, %zero_8, signed : tile<8xi32> -> tile<8xi1>
      %y_high = cmpi less_than %y, %height_8, signed : tile<8xi32> -> tile<8xi1>
      %y_in = andi %y_low, %y_high : tile<8xi1>
      %y_in_1 = reshape %y_in : tile<8xi1> -> tile<8x1x1xi1>
      %y_in_all = broadcast %y_in_1 : tile<8x1x1xi1> -> tile<8x8x64xi1>
      %y_at = muli %y, %x_row_8 : tile<8xi32>
      %y_at_1 = reshape %y_at : tile<8xi32> -> tile<8x1x1xi32>
      %y_at_all = broadcast %y_at_1 : tile<8x1x1xi32> -> tile<8x8x64xi32>
      %x_rows = offset %x_all, %y_at_all : tile<8x8x64xptr<f32>>, tile<8x8x64xi32> -> tile<8x8x64xptr<f32>>

      %column = addi %left, %j : tile<i32>
      %column_1 = reshape %column : tile<i32> -> tile<1xi32>
      %column_8 = broadcast %column_1 : tile<1xi32> -> tile<8xi32>
      %x = addi %column_8, %steps : tile<8xi32>
      %x_low = cmpi greater_than_or_equal %x, %zero_8, signed : tile<8xi32> -> tile<8xi1>
      %x_high = cmpi less_than %x, %width_8, signed : tile<8xi32> -> tile<8xi1>
      %x_in = andi %x_low, %x_high : tile<8xi1>
      %x_in_1 = reshape %x_in : tile<8xi1> -> tile<1x8x1xi1>
      %x_in_all = broadcast %x_in_1 : tile<1x8x1xi1> -> tile<8x8x64xi1>
      %x_at = muli %x, %channels_8 : tile<8xi32>
      %x_at_1 = reshape %x_at : tile<8xi32> -> tile<1x8x1xi32>
      %x_at_all = broadcast %x_at_1 : tile<1x8x1xi32> -> tile<8x8x64xi32>
      %x_pixels = offset %x_rows, %x_at_all : tile<8x8x64xptr<f32>>, tile<8x8x64xi32> -> tile<8x8x64xptr<f32>>
      %pixel_in = andi %y_in_all, %x_in_all : tile<8x8x64xi1>

      %channel = muli %c, %chunk : tile<i32>
      %channel_1 = reshape %channel : tile<i32> -> tile<1xi32>
      %channel_64 = broadcast %channel_1 : tile<1xi32> -> tile<64xi32>
      %channel_at = addi %channel_64, %channel_lane : tile<64xi32>
      %channel_in = cmpi less_than %channel_at, %channels_64, signed : tile<64xi32> -> tile<64xi1>
      %channel_in_1 = reshape %channel_in : tile<64xi1> -> tile<1x1x64xi1>
      %channel_in_all = broadcast %channel_in_1 : tile<1x1x64xi1> -> tile<8x8x64xi1>
      %in = andi %pixel_in, %channel_in_all : tile<8x8x64xi1>
      %channel_at_1 = reshape %channel_at : tile<64xi32> -> tile<1x1x64xi32>
      %channel_at_all = broadcast %channel_at_1 : tile<1x1x64xi32> -> tile<8x8x64xi32>
      %at = offset %x_pixels, %channel_at_all : tile<8x8x64xptr<f32>>, tile<8x8x64xi32> -> tile<8x8x64xptr<f32>>
      %patch, %t0 = load_ptr_tko weak %at, %in, %outside : tile<8x8x64xptr<f32>>, tile<8x8x64xi1>, tile<8x8x64xf32> -> tile<8x8x64xf32>, token
      %a = reshape %patch : tile<8x8x64xf32> -> tile<64x64xf32>
      %w, %t1 = load_view_tko weak %w_tiles[%i, %j, %c, %filter] : !weight_tiles, tile<i32> -> tile<1x1x64x64xf32>, token
      %b = reshape %w : tile<1x1x64x64xf32> -> tile<64x64xf32>
      %next = mmaf %a, %b, %so_far : tile<64x64xf32>, tile<64x64xf32>, tile<64x64xf32>
      continue %next : tile<64x64xf32>
    }
    %result = reshape %sum : tile<64x64xf32> -> tile<1x8x8x64xf32>
    %t2 = store_view_tko weak %result, %y_tiles[%image, %tile_y, %tile_x, %filter] : tile<1x8x8x64xf32>, !pixel_tiles, tile<i32> -> token
  }
}
