// C = A * B for matrices of any size, f16 in, f32 out. A is stored K x M and B is stored N x K, so
// their views map the tile's dimensions to the memory's in the other order (dim_map). Launch
// ceil(M / 128) x ceil(N / 128) tile blocks. Pointers are 16-byte aligned, strides multiples of 8.
cuda_tile.module @gemm_dynamic {
  entry @gemm_kloop(%A_ptr: tile<ptr<f16>>, %B_ptr: tile<ptr<f16>>, %C_ptr: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>, %stride_ak: tile<i32>, %stride_bn: tile<i32>, %stride_cm: tile<i32>) {
    %A_aligned = assume div_by<16>, %A_ptr : tile<ptr<f16>>
    %B_aligned = assume div_by<16>, %B_ptr : tile<ptr<f16>>
    %C_aligned = assume div_by<16>, %C_ptr : tile<ptr<f32>>
    %ak = assume div_by<8>, %stride_ak : tile<i32>
    %bn = assume div_by<8>, %stride_bn : tile<i32>
    %cm = assume div_by<8>, %stride_cm : tile<i32>

    %A = make_tensor_view %A_aligned, shape = [%K, %M], strides = [%ak, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %B = make_tensor_view %B_aligned, shape = [%N, %K], strides = [%bn, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %C = make_tensor_view %C_aligned, shape = [%M, %N], strides = [%cm, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %A_tiles = make_partition_view %A : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>, dim_map=[1, 0]>
    %B_tiles = make_partition_view %B : partition_view<tile=(64x128), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>, dim_map=[1, 0]>
    %C_tiles = make_partition_view %C : partition_view<tile=(128x128), tensor_view<?x?xf32, strides=[?,1]>>

    %i, %j, %bz = get_tile_block_id : tile<i32>
    %tiles:2 = get_index_space_shape %A_tiles : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>, dim_map=[1, 0]> -> tile<i32>
    %zero = constant <f32: 0.0> : tile<128x128xf32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %result = for %k in (%first to %tiles#1, step %step) : tile<i32> iter_values(%acc = %zero) -> (tile<128x128xf32>) {
      %a, %t0 = load_view_tko weak %A_tiles[%i, %k] : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>, dim_map=[1, 0]>, tile<i32> -> tile<128x64xf16>, token
      %b, %t1 = load_view_tko weak %B_tiles[%k, %j] : partition_view<tile=(64x128), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>, dim_map=[1, 0]>, tile<i32> -> tile<64x128xf16>, token
      %sum = mmaf %a, %b, %acc : tile<128x64xf16>, tile<64x128xf16>, tile<128x128xf32>
      continue %sum : tile<128x128xf32>
    }
    %t2 = store_view_tko weak %result, %C_tiles[%i, %j] : tile<128x128xf32>, partition_view<tile=(128x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  }
}
