// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = A * B in bf16 by tiles of 256 x 256 x 32 and four waves, as libraries for CDNA choose them: for
// sizes that are known when the kernel runs, and for 4096.
cuda_tile.module @amd_gemm {
  entry @gemm_bf16_256x256x32(%A: tile<ptr<bf16>>, %B: tile<ptr<bf16>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) optimization_hints=<default = {num_worker_warps_per_cta = 4}> {
    %a_view = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
    %b_view = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
    %c_view = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %a_tiles = make_partition_view %a_view : partition_view<tile=(256x32), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>
    %b_tiles = make_partition_view %b_view : partition_view<tile=(32x256), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>
    %c_tiles = make_partition_view %c_view : partition_view<tile=(256x256), tensor_view<?x?xf32, strides=[?,1]>>

    %i, %j, %bz = get_tile_block_id : tile<i32>
    %tiles:2 = get_index_space_shape %a_tiles : partition_view<tile=(256x32), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>> -> tile<i32>
    %zero = constant <f32: 0.0> : tile<256x256xf32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %result = for %k in (%first to %tiles#1, step %step) : tile<i32> iter_values(%acc = %zero) -> (tile<256x256xf32>) {
      %a, %t0 = load_view_tko weak %a_tiles[%i, %k] : partition_view<tile=(256x32), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> tile<256x32xbf16>, token
      %b, %t1 = load_view_tko weak %b_tiles[%k, %j] : partition_view<tile=(32x256), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> tile<32x256xbf16>, token
      %sum = mmaf %a, %b, %acc : tile<256x32xbf16>, tile<32x256xbf16>, tile<256x256xf32>
      continue %sum : tile<256x256xf32>
    }
    %t2 = store_view_tko weak %result, %c_tiles[%i, %j] : tile<256x256xf32>, partition_view<tile=(256x256), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  }

  entry @gemm_bf16_256x256x32_of_4096(%A: tile<ptr<bf16>>, %B: tile<ptr<bf16>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) optimization_hints=<default = {num_worker_warps_per_cta = 4}> {
    %A1 = assume div_by<16>, %A : tile<ptr<bf16>>
    %B1 = assume div_by<16>, %B : tile<ptr<bf16>>
    %a_view = make_tensor_view %A1, shape = [4096, 4096], strides = [4096, 1] : tensor_view<4096x4096xbf16, strides=[4096,1]>
    %b_view = make_tensor_view %B1, shape = [4096, 4096], strides = [4096, 1] : tensor_view<4096x4096xbf16, strides=[4096,1]>
    %c_view = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %a_tiles = make_partition_view %a_view : partition_view<tile=(256x32), padding_value = zero, tensor_view<4096x4096xbf16, strides=[4096,1]>>
    %b_tiles = make_partition_view %b_view : partition_view<tile=(32x256), padding_value = zero, tensor_view<4096x4096xbf16, strides=[4096,1]>>
    %c_tiles = make_partition_view %c_view : partition_view<tile=(256x256), tensor_view<?x?xf32, strides=[?,1]>>

    %i, %j, %bz = get_tile_block_id : tile<i32>
    %tiles:2 = get_index_space_shape %a_tiles : partition_view<tile=(256x32), padding_value = zero, tensor_view<4096x4096xbf16, strides=[4096,1]>> -> tile<i32>
    %zero = constant <f32: 0.0> : tile<256x256xf32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %result = for %k in (%first to %tiles#1, step %step) : tile<i32> iter_values(%acc = %zero) -> (tile<256x256xf32>) {
      %a, %t0 = load_view_tko weak %a_tiles[%i, %k] : partition_view<tile=(256x32), padding_value = zero, tensor_view<4096x4096xbf16, strides=[4096,1]>>, tile<i32> -> tile<256x32xbf16>, token
      %b, %t1 = load_view_tko weak %b_tiles[%k, %j] : partition_view<tile=(32x256), padding_value = zero, tensor_view<4096x4096xbf16, strides=[4096,1]>>, tile<i32> -> tile<32x256xbf16>, token
      %sum = mmaf %a, %b, %acc : tile<256x32xbf16>, tile<32x256xbf16>, tile<256x256xf32>
      continue %sum : tile<256x256xf32>
    }
    %t2 = store_view_tko weak %result, %c_tiles[%i, %j] : tile<256x256xf32>, partition_view<tile=(256x256), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  }
}
