// The operands of a product along a loop are tiles of more dimensions than two: the right one, or
// the left one in pieces that are short along k. Both are read behind the reshape.
// RUN: %engines %t %s --kernel right --grid 2,2 normal:f32:70x90 normal:f32:1x90x100 C=zeros:f32:70x100 i32:70 i32:100 i32:90 --save C --rtol=1e-4 --atol=1e-4
// RUN: %engines %t.whole %s --kernel right --grid 2,2 normal:f32:128x128 normal:f32:1x128x128 C=zeros:f32:128x128 i32:128 i32:128 i32:128 --save C --rtol=1e-4 --atol=1e-4
// RUN: %engines %t.left %s --kernel left --grid 2,2 normal:f32:1x70x90 normal:f32:90x100 C=zeros:f32:70x100 i32:70 i32:100 i32:90 --save C --rtol=1e-4 --atol=1e-4
cuda_tile.module @product_reshaped {
  entry @right(%A: tile<ptr<f32>>, %B: tile<ptr<f32>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) {
    %one = constant <i32: 1> : tile<i32>
    %plane = muli %N, %K : tile<i32>
    %a_view = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %b_view = make_tensor_view %B, shape = [1, %K, %N], strides = [%plane, %N, 1] : tile<i32> -> tensor_view<1x?x?xf32, strides=[?,?,1]>
    %c_view = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %a_tiles = make_partition_view %a_view : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
    %b_tiles = make_partition_view %b_view : partition_view<tile=(1x64x64), padding_value = zero, tensor_view<1x?x?xf32, strides=[?,?,1]>>
    %c_tiles = make_partition_view %c_view : partition_view<tile=(64x64), tensor_view<?x?xf32, strides=[?,1]>>
    %i, %j, %bz = get_tile_block_id : tile<i32>
    %tiles:2 = get_index_space_shape %a_tiles : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>> -> tile<i32>
    %first = constant <i32: 0> : tile<i32>
    %zero = constant <f32: 0.0> : tile<64x64xf32>
    %result = for %k in (%first to %tiles#1, step %one) : tile<i32> iter_values(%acc = %zero) -> (tile<64x64xf32>) {
      %a, %t1 = load_view_tko weak %a_tiles[%i, %k] : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<64x64xf32>, token
      %whole, %t2 = load_view_tko weak %b_tiles[%first, %k, %j] : partition_view<tile=(1x64x64), padding_value = zero, tensor_view<1x?x?xf32, strides=[?,?,1]>>, tile<i32> -> tile<1x64x64xf32>, token
      %b = reshape %whole : tile<1x64x64xf32> -> tile<64x64xf32>
      %sum = mmaf %a, %b, %acc : tile<64x64xf32>, tile<64x64xf32>, tile<64x64xf32>
      continue %sum : tile<64x64xf32>
    }
    %t3 = store_view_tko weak %result, %c_tiles[%i, %j] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  }

  entry @left(%A: tile<ptr<f32>>, %B: tile<ptr<f32>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) {
    %one = constant <i32: 1> : tile<i32>
    %plane = muli %M, %K : tile<i32>
    %a_view = make_tensor_view %A, shape = [1, %M, %K], strides = [%plane, %K, 1] : tile<i32> -> tensor_view<1x?x?xf32, strides=[?,?,1]>
    %b_view = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %c_view = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %a_tiles = make_partition_view %a_view : partition_view<tile=(1x64x16), padding_value = zero, tensor_view<1x?x?xf32, strides=[?,?,1]>>
    %b_tiles = make_partition_view %b_view : partition_view<tile=(16x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
    %c_tiles = make_partition_view %c_view : partition_view<tile=(64x64), tensor_view<?x?xf32, strides=[?,1]>>
    %i, %j, %bz = get_tile_block_id : tile<i32>
    %tiles:2 = get_index_space_shape %b_tiles : partition_view<tile=(16x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>> -> tile<i32>
    %first = constant <i32: 0> : tile<i32>
    %zero = constant <f32: 0.0> : tile<64x64xf32>
    %result = for %k in (%first to %tiles#0, step %one) : tile<i32> iter_values(%acc = %zero) -> (tile<64x64xf32>) {
      %whole, %t1 = load_view_tko weak %a_tiles[%first, %i, %k] : partition_view<tile=(1x64x16), padding_value = zero, tensor_view<1x?x?xf32, strides=[?,?,1]>>, tile<i32> -> tile<1x64x16xf32>, token
      %a = reshape %whole : tile<1x64x16xf32> -> tile<64x16xf32>
      %b, %t2 = load_view_tko weak %b_tiles[%k, %j] : partition_view<tile=(16x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<16x64xf32>, token
      %sum = mmaf %a, %b, %acc : tile<64x16xf32>, tile<16x64xf32>, tile<64x64xf32>
      continue %sum : tile<64x64xf32>
    }
    %t3 = store_view_tko weak %result, %c_tiles[%i, %j] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  }
}
