// A right operand of bf16 whose rows lie along k, so that pairs are words: of which all exist, of which
// k ends in the midst of one, and whose rows are no whole words, or don't begin with one.
// REQUIRES: llvm
// UNSUPPORTED: sanitized
// RUN: %pattern pair-words@avx512+bf16 %t %s --kernel columns --grid 2,2 normal:bf16:40x130 normal:bf16:100x130 out=zeros:f32:40x100 i32:40 i32:100 i32:130 i32:130 --save out --rtol=1e-4 --atol=1e-3
// RUN: %pattern pair-words@avx512+bf16 %t %s --kernel columns --grid 2,2 normal:bf16:40x131 normal:bf16:100x131 out=zeros:f32:40x100 i32:40 i32:100 i32:131 i32:131 --save out --rtol=1e-4 --atol=1e-3
// RUN: %pattern pair-words@avx512+bf16 %t %s --kernel columns --grid 2,2 normal:bf16:40x128 normal:bf16:100x128 out=zeros:f32:40x100 i32:40 i32:100 i32:128 i32:128 --save out --rtol=1e-4 --atol=1e-3
// RUN: %pattern pair-words@avx512+bf16 %t %s --kernel columns --grid 2,2 normal:bf16:40x90 normal:bf16:70x91 out=zeros:f32:40x70 i32:40 i32:70 i32:90 i32:91 --save out --rtol=1e-4 --atol=1e-3
// RUN: %pattern pair-words@avx512+bf16 %t %s --kernel columns --grid 2,2 normal:bf16:33x65 normal:bf16:64x66 out=zeros:f32:33x64 i32:33 i32:64 i32:65 i32:66 --save out --rtol=1e-4 --atol=1e-3
// Weights of few bits with a scale for each column, computed in rows.
// RUN: %pattern pair-rows@avx512+bf16 %t %s --kernel integers --grid 2,2 normal:bf16:40x130 uniform:i8:100x130 normal:bf16:100 out=zeros:f32:40x100 i32:40 i32:100 i32:130 i32:130 --save out --rtol=1e-3 --atol=1e-2
// RUN: %pattern pair-rows@avx512+bf16 %t %s --kernel integers --grid 2,2 normal:bf16:40x91 uniform:i8:70x91 normal:bf16:70 out=zeros:f32:40x70 i32:40 i32:70 i32:91 i32:91 --save out --rtol=1e-3 --atol=1e-2
// RUN: %pattern pair-rows@avx512+bf16 %t %s --kernel floats --grid 2,2 normal:bf16:40x130 uniform:f4E2M1FN:100x130 normal:bf16:100 out=zeros:f32:40x100 i32:40 i32:100 i32:130 i32:130 --save out --rtol=1e-3 --atol=1e-2
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

  entry @integers(%A: tile<ptr<bf16>>, %B: tile<ptr<i8>>, %S: tile<ptr<bf16>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>, %ldb: tile<i32>) {
    %a_view = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
    %b_view = make_tensor_view %B, shape = [%N, %K], strides = [%ldb, 1] : tile<i32> -> tensor_view<?x?xi8, strides=[?,1]>
    %c_view = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %a_tiles = make_partition_view %a_view : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>
    %b_tiles = make_partition_view %b_view : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xi8, strides=[?,1]>, dim_map = [1, 0]>
    %c_tiles = make_partition_view %c_view : partition_view<tile=(32x64), tensor_view<?x?xf32, strides=[?,1]>>

    %i, %j, %bz = get_tile_block_id : tile<i32>
    %tiles:2 = get_index_space_shape %a_tiles : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>> -> tile<i32>
    %s_view = make_tensor_view %S, shape = [%N], strides = [1] : tile<i32> -> tensor_view<?xbf16, strides=[1]>
    %s_tiles = make_partition_view %s_view : partition_view<tile=(64), padding_value = zero, tensor_view<?xbf16, strides=[1]>>
    %s, %t4 = load_view_tko weak %s_tiles[%j] : partition_view<tile=(64), padding_value = zero, tensor_view<?xbf16, strides=[1]>>, tile<i32> -> tile<64xbf16>, token
    %s1 = reshape %s : tile<64xbf16> -> tile<1x64xbf16>
    %scale = broadcast %s1 : tile<1x64xbf16> -> tile<64x64xbf16>
    %zero = constant <f32: 0.0> : tile<32x64xf32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %result = for %k in (%first to %tiles#1, step %step) : tile<i32> iter_values(%acc = %zero) -> (tile<32x64xf32>) {
      %a, %t0 = load_view_tko weak %a_tiles[%i, %k] : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> tile<32x64xbf16>, token
      %w, %t1 = load_view_tko weak %b_tiles[%k, %j] : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xi8, strides=[?,1]>, dim_map = [1, 0]>, tile<i32> -> tile<64x64xi8>, token
      %number = itof %w signed : tile<64x64xi8> -> tile<64x64xbf16>
      %b = mulf %number, %scale : tile<64x64xbf16>
      %sum = mmaf %a, %b, %acc : tile<32x64xbf16>, tile<64x64xbf16>, tile<32x64xf32>
      continue %sum : tile<32x64xf32>
    }
    %t2 = store_view_tko weak %result, %c_tiles[%i, %j] : tile<32x64xf32>, partition_view<tile=(32x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  }

  entry @floats(%A: tile<ptr<bf16>>, %B: tile<ptr<f4E2M1FN>>, %S: tile<ptr<bf16>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>, %ldb: tile<i32>) {
    %a_view = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
    %b_view = make_tensor_view %B, shape = [%N, %K], strides = [%ldb, 1] : tile<i32> -> tensor_view<?x?xf4E2M1FN, strides=[?,1]>
    %c_view = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %a_tiles = make_partition_view %a_view : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>
    %b_tiles = make_partition_view %b_view : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xf4E2M1FN, strides=[?,1]>, dim_map = [1, 0]>
    %c_tiles = make_partition_view %c_view : partition_view<tile=(32x64), tensor_view<?x?xf32, strides=[?,1]>>

    %i, %j, %bz = get_tile_block_id : tile<i32>
    %tiles:2 = get_index_space_shape %a_tiles : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>> -> tile<i32>
    %s_view = make_tensor_view %S, shape = [%N], strides = [1] : tile<i32> -> tensor_view<?xbf16, strides=[1]>
    %s_tiles = make_partition_view %s_view : partition_view<tile=(64), padding_value = zero, tensor_view<?xbf16, strides=[1]>>
    %s, %t4 = load_view_tko weak %s_tiles[%j] : partition_view<tile=(64), padding_value = zero, tensor_view<?xbf16, strides=[1]>>, tile<i32> -> tile<64xbf16>, token
    %s1 = reshape %s : tile<64xbf16> -> tile<1x64xbf16>
    %scale = broadcast %s1 : tile<1x64xbf16> -> tile<64x64xbf16>
    %zero = constant <f32: 0.0> : tile<32x64xf32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %result = for %k in (%first to %tiles#1, step %step) : tile<i32> iter_values(%acc = %zero) -> (tile<32x64xf32>) {
      %a, %t0 = load_view_tko weak %a_tiles[%i, %k] : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> tile<32x64xbf16>, token
      %w, %t1 = load_view_tko weak %b_tiles[%k, %j] : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xf4E2M1FN, strides=[?,1]>, dim_map = [1, 0]>, tile<i32> -> tile<64x64xf4E2M1FN>, token
      %number = ftof %w : tile<64x64xf4E2M1FN> -> tile<64x64xbf16>
      %b = mulf %number, %scale : tile<64x64xbf16>
      %sum = mmaf %a, %b, %acc : tile<32x64xbf16>, tile<64x64xbf16>, tile<32x64xf32>
      continue %sum : tile<32x64xf32>
    }
    %t2 = store_view_tko weak %result, %c_tiles[%i, %j] : tile<32x64xf32>, partition_view<tile=(32x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  }
}
