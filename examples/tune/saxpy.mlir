// y = a * x + y in tiles of BLOCK elements: a text that `tessera tune run` makes programs of, by
// putting values in the places of parameters in braces.
cuda_tile.module @saxpy {
  entry @saxpy(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %a: tile<f32>, %n: tile<i64>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %x_view = make_tensor_view %x, shape = [%n], strides = [1] : tile<i64> -> tensor_view<?xf32, strides=[1]>
    %y_view = make_tensor_view %y, shape = [%n], strides = [1] : tile<i64> -> tensor_view<?xf32, strides=[1]>
    %x_tiles = make_partition_view %x_view : partition_view<tile=(${BLOCK}), tensor_view<?xf32, strides=[1]>>
    %y_tiles = make_partition_view %y_view : partition_view<tile=(${BLOCK}), tensor_view<?xf32, strides=[1]>>
    %v, %t0 = load_view_tko weak %x_tiles[%i] : partition_view<tile=(${BLOCK}), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<${BLOCK}xf32>, token
    %w, %t1 = load_view_tko weak %y_tiles[%i] : partition_view<tile=(${BLOCK}), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<${BLOCK}xf32>, token
    %a_1 = reshape %a : tile<f32> -> tile<1xf32>
    %a_all = broadcast %a_1 : tile<1xf32> -> tile<${BLOCK}xf32>
    %r = fma %a_all, %v, %w : tile<${BLOCK}xf32>
    %t2 = store_view_tko weak %r, %y_tiles[%i] token=%t1 : tile<${BLOCK}xf32>, partition_view<tile=(${BLOCK}), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  }
}
