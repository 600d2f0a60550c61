// A right operand of bf16 whose rows lie along k, so that pairs are words: of which all exist, of which
// k ends in the midst of one, and whose rows are no whole words, or don't begin with one.
// REQUIRES: llvm
// UNSUPPORTED: sanitized
// RUN: %pattern pair-words@avx512+bf16 %t %s --grid 2,2 normal:bf16:40x130 normal:bf16:100x130 out=zeros:f32:40x100 i32:40 i32:100 i32:130 i32:130 --save out --rtol=1e-4 --atol=1e-3
// RUN: %pattern pair-words@avx512+bf16 %t %s --grid 2,2 normal:bf16:40x131 normal:bf16:100x131 out=zeros:f32:40x100 i32:40 i32:100 i32:131 i32:131 --save out --rtol=1e-4 --atol=1e-3
// RUN: %pattern pair-words@avx512+bf16 %t %s --grid 2,2 normal:bf16:40x128 normal:bf16:100x128 out=zeros:f32:40x100 i32:40 i32:100 i32:128 i32:128 --save out --rtol=1e-4 --atol=1e-3
// RUN: %pattern pair-words@avx512+bf16 %t %s --grid 2,2 normal:bf16:40x90 normal:bf16:70x91 out=zeros:f32:40x70 i32:40 i32:70 i32:90 i32:91 --save out --rtol=1e-4 --atol=1e-3
// RUN: %pattern pair-words@avx512+bf16 %t %s --grid 2,2 normal:bf16:33x65 normal:bf16:64x66 out=zeros:f32:33x64 i32:33 i32:64 i32:65 i32:66 --save out --rtol=1e-4 --atol=1e-3
cuda_tile.module @pair_words {
  entry @columns(%A: tile<ptr<bf16>>, %B: tile<ptr<bf16>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>, %ldb: tile<i32>) {
    %a_view = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
    %b_view = make_tensor_view %B, shape = [%N, %K], strides = [%ldb, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
    %c_view = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %a_tiles = make_partition_view %a_view : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>
    %b_tiles = make_partition_view %b_view : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>, dim_map = [1, 0]>
    %c_tiles = make_partition_view %c_view : partition_view<tile=(32x64), tensor_view<?x?xf32, strides=[?,1]>>

    %i, %j, %bz = get_tile_block_id : tile<i32>
    %tiles:2 = get_index_space_shape %a_tiles : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>> -> tile<i32>
    %zero = constant <f32: 0.0> : tile<32x64xf32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %result = for %k in (%first to %tiles#1, step %step) : tile<i32> iter_values(%acc = %zero) -> (tile<32x64xf32>) {
      %a, %t0 = load_view_tko weak %a_tiles[%i, %k] : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> tile<32x64xbf16>, token
      %b, %t1 = load_view_tko weak %b_tiles[%k, %j] : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>, dim_map = [1, 0]>, tile<i32> -> tile<64x64xbf16>, token
      %sum = mmaf %a, %b, %acc : tile<32x64xbf16>, tile<64x64xbf16>, tile<32x64xf32>
      continue %sum : tile<32x64xf32>
    }
    %t2 = store_view_tko weak %result, %c_tiles[%i, %j] : tile<32x64xf32>, partition_view<tile=(32x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  }
}
