// Products whose sums are exact, so that every engine gives the same bits: on tensor cores where a
// target has them for the type.
//
// RUN: %npy make %t.f16.a.npy '<f2' 72x72 '(x0 * 7 + x1 * 3) % 9 - 4'
// RUN: %npy make %t.f16.b.npy '<f2' 72x40 '(x0 * 7 + x1 * 3) % 9 - 4'
// RUN: %engines %t.f16 %s --kernel f16 --grid 2,2 %t.f16.a.npy %t.f16.b.npy C=zeros:f32:72x40 i32:72 i32:40 i32:72 --save C
// RUN: %npy make %t.f16_turned.a.npy '<f2' 72x72 '(x0 * 7 + x1 * 3) % 9 - 4'
// RUN: %npy make %t.f16_turned.b.npy '<f2' 40x72 '(x0 * 7 + x1 * 3) % 9 - 4'
// RUN: %engines %t.f16_turned %s --kernel f16_turned --grid 2,2 %t.f16_turned.a.npy %t.f16_turned.b.npy C=zeros:f32:72x40 i32:72 i32:40 i32:72 --save C
// RUN: %npy make %t.bf16.a.npy '<u2' 72x72 '[0x3f80, 0xc000, 0, 0x4040, 0x3f00][(x0 * 7 + x1 * 3) % 5]'
// RUN: %npy make %t.bf16.b.npy '<u2' 72x40 '[0x3f80, 0xc000, 0, 0x4040, 0x3f00][(x0 * 7 + x1 * 3) % 5]'
// RUN: %engines %t.bf16 %s --kernel bf16 --grid 3,2 %t.bf16.a.npy %t.bf16.b.npy C=zeros:f32:72x40 i32:72 i32:40 i32:72 --save C
// RUN: %npy make %t.tf32.a.npy '<u4' 72x72 '[0x3f800000, 0xc0000000, 0, 0x40400000, 0x3f000000][(x0 * 7 + x1 * 3) % 5]'
// RUN: %npy make %t.tf32.b.npy '<u4' 72x40 '[0x3f800000, 0xc0000000, 0, 0x40400000, 0x3f000000][(x0 * 7 + x1 * 3) % 5]'
// RUN: %engines %t.tf32 %s --kernel tf32 --grid 3,2 %t.tf32.a.npy %t.tf32.b.npy C=zeros:f32:72x40 i32:72 i32:40 i32:72 --save C
// RUN: %npy make %t.f64.a.npy '<f8' 72x72 '(x0 * 7 + x1 * 3) % 9 - 4'
// RUN: %npy make %t.f64.b.npy '<f8' 72x40 '(x0 * 7 + x1 * 3) % 9 - 4'
// RUN: %engines %t.f64 %s --kernel f64 --grid 5,3 %t.f64.a.npy %t.f64.b.npy C=zeros:f64:72x40 i32:72 i32:40 i32:72 --save C
// RUN: %npy make %t.i8.a.npy '|u1' 72x72 '(x0 * 70 + x1 * 33) % 256'
// RUN: %npy make %t.i8.b.npy '|u1' 72x40 '(x0 * 70 + x1 * 33) % 256'
// RUN: %engines %t.i8 %s --kernel i8 --grid 3,2 %t.i8.a.npy %t.i8.b.npy C=zeros:i32:72x40 i32:72 i32:40 i32:72 --save C
// RUN: %npy make %t.e4m3.a.npy '|u1' 72x72 '[0x38, 0xc0, 0, 0x44, 0x30][(x0 * 7 + x1 * 3) % 5]'
// RUN: %npy make %t.e4m3.b.npy '|u1' 72x40 '[0x38, 0xc0, 0, 0x44, 0x30][(x0 * 7 + x1 * 3) % 5]'
// RUN: %engines %t.e4m3 %s --kernel e4m3 --grid 3,3 %t.e4m3.a.npy %t.e4m3.b.npy C=zeros:f32:72x40 i32:72 i32:40 i32:72 --save C
// RUN: %npy make %t.small.a.npy '<f2' 72x72 '(x0 * 7 + x1 * 3) % 9 - 4'
// RUN: %npy make %t.small.b.npy '<f2' 72x40 '(x0 * 7 + x1 * 3) % 9 - 4'
// RUN: %engines %t.small %s --kernel small --grid 5,5 %t.small.a.npy %t.small.b.npy C=zeros:f32:72x40 i32:72 i32:40 i32:72 --save C
cuda_tile.module @tensor {
  entry @f16(%A: tile<ptr<f16>>, %B: tile<ptr<f16>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) {
    %a_view = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %b_view = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %c_view = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %a_tiles = make_partition_view %a_view : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %b_tiles = make_partition_view %b_view : partition_view<tile=(32x32), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %c_tiles = make_partition_view %c_view : partition_view<tile=(64x32), tensor_view<?x?xf32, strides=[?,1]>>
    %i, %j, %bz = get_tile_block_id : tile<i32>
    %tiles:2 = get_index_space_shape %a_tiles : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>> -> tile<i32>
    %zero = constant <f32: 0.0> : tile<64x32xf32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %result = for %k in (%first to %tiles#1, step %step) : tile<i32> iter_values(%acc = %zero) -> (tile<64x32xf32>) {
      %a, %t0 = load_view_tko weak %a_tiles[%i, %k] : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<64x32xf16>, token
      %b, %t1 = load_view_tko weak %b_tiles[%k, %j] : partition_view<tile=(32x32), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<32x32xf16>, token
      %sum = mmaf %a, %b, %acc : tile<64x32xf16>, tile<32x32xf16>, tile<64x32xf32>
      continue %sum : tile<64x32xf32>
    }
    %t2 = store_view_tko weak %result, %c_tiles[%i, %j] : tile<64x32xf32>, partition_view<tile=(64x32), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  }
  entry @f16_turned(%A: tile<ptr<f16>>, %B: tile<ptr<f16>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) {
    %a_view = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %b_view = make_tensor_view %B, shape = [%N, %K], strides = [%K, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %c_view = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %a_tiles = make_partition_view %a_view : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %b_tiles = make_partition_view %b_view : partition_view<tile=(32x32), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %c_tiles = make_partition_view %c_view : partition_view<tile=(64x32), tensor_view<?x?xf32, strides=[?,1]>>
    %i, %j, %bz = get_tile_block_id : tile<i32>
    %tiles:2 = get_index_space_shape %a_tiles : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>> -> tile<i32>
    %zero = constant <f32: 0.0> : tile<64x32xf32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %result = for %k in (%first to %tiles#1, step %step) : tile<i32> iter_values(%acc = %zero) -> (tile<64x32xf32>) {
      %a, %t0 = load_view_tko weak %a_tiles[%i, %k] : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<64x32xf16>, token
          %bt, %t1 = load_view_tko weak %b_tiles[%j, %k] : partition_view<tile=(32x32), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<32x32xf16>, token
      %b = permute %bt [1, 0] : tile<32x32xf16> -> tile<32x32xf16>
      %sum = mmaf %a, %b, %acc : tile<64x32xf16>, tile<32x32xf16>, tile<64x32xf32>
      continue %sum : tile<64x32xf32>
    }
    %t2 = store_view_tko weak %result, %c_tiles[%i, %j] : tile<64x32xf32>, partition_view<tile=(64x32), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  }
  entry @bf16(%A: tile<ptr<bf16>>, %B: tile<ptr<bf16>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) {
    %a_view = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
    %b_view = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
    %c_view = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %a_tiles = make_partition_view %a_view : partition_view<tile=(32x16), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>
    %b_tiles = make_partition_view %b_view : partition_view<tile=(16x32), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>
    %c_tiles = make_partition_view %c_view : partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>>
    %i, %j, %bz = get_tile_block_id : tile<i32>
    %tiles:2 = get_index_space_shape %a_tiles : partition_view<tile=(32x16), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>> -> tile<i32>
    %zero = constant <f32: 0.0> : tile<32x32xf32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %result = for %k in (%first to %tiles#1, step %step) : tile<i32> iter_values(%acc = %zero) -> (tile<32x32xf32>) {
      %a, %t0 = load_view_tko weak %a_tiles[%i, %k] : partition_view<tile=(32x16), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> tile<32x16xbf16>, token
      %b, %t1 = load_view_tko weak %b_tiles[%k, %j] : partition_view<tile=(16x32), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> tile<16x32xbf16>, token
      %sum = mmaf %a, %b, %acc : tile<32x16xbf16>, tile<16x32xbf16>, tile<32x32xf32>
      continue %sum : tile<32x32xf32>
    }
    %t2 = store_view_tko weak %result, %c_tiles[%i, %j] : tile<32x32xf32>, partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  }
  entry @tf32(%A: tile<ptr<tf32>>, %B: tile<ptr<tf32>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) {
    %a_view = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> tensor_view<?x?xtf32, strides=[?,1]>
    %b_view = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xtf32, strides=[?,1]>
    %c_view = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %a_tiles = make_partition_view %a_view : partition_view<tile=(32x16), padding_value = zero, tensor_view<?x?xtf32, strides=[?,1]>>
    %b_tiles = make_partition_view %b_view : partition_view<tile=(16x32), padding_value = zero, tensor_view<?x?xtf32, strides=[?,1]>>
    %c_tiles = make_partition_view %c_view : partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>>
    %i, %j, %bz = get_tile_block_id : tile<i32>
    %tiles:2 = get_index_space_shape %a_tiles : partition_view<tile=(32x16), padding_value = zero, tensor_view<?x?xtf32, strides=[?,1]>> -> tile<i32>
    %zero = constant <f32: 0.0> : tile<32x32xf32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %result = for %k in (%first to %tiles#1, step %step) : tile<i32> iter_values(%acc = %zero) -> (tile<32x32xf32>) {
      %a, %t0 = load_view_tko weak %a_tiles[%i, %k] : partition_view<tile=(32x16), padding_value = zero, tensor_view<?x?xtf32, strides=[?,1]>>, tile<i32> -> tile<32x16xtf32>, token
      %b, %t1 = load_view_tko weak %b_tiles[%k, %j] : partition_view<tile=(16x32), padding_value = zero, tensor_view<?x?xtf32, strides=[?,1]>>, tile<i32> -> tile<16x32xtf32>, token
      %sum = mmaf %a, %b, %acc : tile<32x16xtf32>, tile<16x32xtf32>, tile<32x32xf32>
      continue %sum : tile<32x32xf32>
    }
    %t2 = store_view_tko weak %result, %c_tiles[%i, %j] : tile<32x32xf32>, partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  }
  entry @f64(%A: tile<ptr<f64>>, %B: tile<ptr<f64>>, %C: tile<ptr<f64>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) {
    %a_view = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> tensor_view<?x?xf64, strides=[?,1]>
    %b_view = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf64, strides=[?,1]>
    %c_view = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf64, strides=[?,1]>
    %a_tiles = make_partition_view %a_view : partition_view<tile=(16x8), padding_value = zero, tensor_view<?x?xf64, strides=[?,1]>>
    %b_tiles = make_partition_view %b_view : partition_view<tile=(8x16), padding_value = zero, tensor_view<?x?xf64, strides=[?,1]>>
    %c_tiles = make_partition_view %c_view : partition_view<tile=(16x16), tensor_view<?x?xf64, strides=[?,1]>>
    %i, %j, %bz = get_tile_block_id : tile<i32>
    %tiles:2 = get_index_space_shape %a_tiles : partition_view<tile=(16x8), padding_value = zero, tensor_view<?x?xf64, strides=[?,1]>> -> tile<i32>
    %zero = constant <f64: 0.0> : tile<16x16xf64>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %result = for %k in (%first to %tiles#1, step %step) : tile<i32> iter_values(%acc = %zero) -> (tile<16x16xf64>) {
      %a, %t0 = load_view_tko weak %a_tiles[%i, %k] : partition_view<tile=(16x8), padding_value = zero, tensor_view<?x?xf64, strides=[?,1]>>, tile<i32> -> tile<16x8xf64>, token
      %b, %t1 = load_view_tko weak %b_tiles[%k, %j] : partition_view<tile=(8x16), padding_value = zero, tensor_view<?x?xf64, strides=[?,1]>>, tile<i32> -> tile<8x16xf64>, token
      %sum = mmaf %a, %b, %acc : tile<16x8xf64>, tile<8x16xf64>, tile<16x16xf64>
      continue %sum : tile<16x16xf64>
    }
    %t2 = store_view_tko weak %result, %c_tiles[%i, %j] : tile<16x16xf64>, partition_view<tile=(16x16), tensor_view<?x?xf64, strides=[?,1]>>, tile<i32> -> token
  }
  entry @i8(%A: tile<ptr<i8>>, %B: tile<ptr<i8>>, %C: tile<ptr<i32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) {
    %a_view = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> tensor_view<?x?xi8, strides=[?,1]>
    %b_view = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xi8, strides=[?,1]>
    %c_view = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xi32, strides=[?,1]>
    %a_tiles = make_partition_view %a_view : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xi8, strides=[?,1]>>
    %b_tiles = make_partition_view %b_view : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x?xi8, strides=[?,1]>>
    %c_tiles = make_partition_view %c_view : partition_view<tile=(32x32), tensor_view<?x?xi32, strides=[?,1]>>
    %i, %j, %bz = get_tile_block_id : tile<i32>
    %tiles:2 = get_index_space_shape %a_tiles : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xi8, strides=[?,1]>> -> tile<i32>
    %zero = constant <i32: 0> : tile<32x32xi32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %result = for %k in (%first to %tiles#1, step %step) : tile<i32> iter_values(%acc = %zero) -> (tile<32x32xi32>) {
      %a, %t0 = load_view_tko weak %a_tiles[%i, %k] : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> tile<32x64xi8>, token
      %b, %t1 = load_view_tko weak %b_tiles[%k, %j] : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> tile<64x32xi8>, token
      %sum = mmai %a, %b, %acc signed unsigned : tile<32x64xi8>, tile<64x32xi8>, tile<32x32xi32>
      continue %sum : tile<32x32xi32>
    }
    %t2 = store_view_tko weak %result, %c_tiles[%i, %j] : tile<32x32xi32>, partition_view<tile=(32x32), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
  }
  entry @e4m3(%A: tile<ptr<f8E4M3FN>>, %B: tile<ptr<f8E4M3FN>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) {
    %a_view = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> tensor_view<?x?xf8E4M3FN, strides=[?,1]>
    %b_view = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf8E4M3FN, strides=[?,1]>
    %c_view = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %a_tiles = make_partition_view %a_view : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xf8E4M3FN, strides=[?,1]>>
    %b_tiles = make_partition_view %b_view : partition_view<tile=(64x16), padding_value = zero, tensor_view<?x?xf8E4M3FN, strides=[?,1]>>
    %c_tiles = make_partition_view %c_view : partition_view<tile=(32x16), tensor_view<?x?xf32, strides=[?,1]>>
    %i, %j, %bz = get_tile_block_id : tile<i32>
    %tiles:2 = get_index_space_shape %a_tiles : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xf8E4M3FN, strides=[?,1]>> -> tile<i32>
    %zero = constant <f32: 0.0> : tile<32x16xf32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %result = for %k in (%first to %tiles#1, step %step) : tile<i32> iter_values(%acc = %zero) -> (tile<32x16xf32>) {
      %a, %t0 = load_view_tko weak %a_tiles[%i, %k] : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xf8E4M3FN, strides=[?,1]>>, tile<i32> -> tile<32x64xf8E4M3FN>, token
      %b, %t1 = load_view_tko weak %b_tiles[%k, %j] : partition_view<tile=(64x16), padding_value = zero, tensor_view<?x?xf8E4M3FN, strides=[?,1]>>, tile<i32> -> tile<64x16xf8E4M3FN>, token
      %sum = mmaf %a, %b, %acc : tile<32x64xf8E4M3FN>, tile<64x16xf8E4M3FN>, tile<32x16xf32>
      continue %sum : tile<32x16xf32>
    }
    %t2 = store_view_tko weak %result, %c_tiles[%i, %j] : tile<32x16xf32>, partition_view<tile=(32x16), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  }
  entry @small(%A: tile<ptr<f16>>, %B: tile<ptr<f16>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) {
    %a_view = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %b_view = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %c_view = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %a_tiles = make_partition_view %a_view : partition_view<tile=(16x16), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %b_tiles = make_partition_view %b_view : partition_view<tile=(16x8), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %c_tiles = make_partition_view %c_view : partition_view<tile=(16x8), tensor_view<?x?xf32, strides=[?,1]>>
    %i, %j, %bz = get_tile_block_id : tile<i32>
    %tiles:2 = get_index_space_shape %a_tiles : partition_view<tile=(16x16), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>> -> tile<i32>
    %zero = constant <f32: 0.0> : tile<16x8xf32>
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %result = for %k in (%first to %tiles#1, step %step) : tile<i32> iter_values(%acc = %zero) -> (tile<16x8xf32>) {
      %a, %t0 = load_view_tko weak %a_tiles[%i, %k] : partition_view<tile=(16x16), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<16x16xf16>, token
      %b, %t1 = load_view_tko weak %b_tiles[%k, %j] : partition_view<tile=(16x8), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<16x8xf16>, token
      %sum = mmaf %a, %b, %acc : tile<16x16xf16>, tile<16x8xf16>, tile<16x8xf32>
      continue %sum : tile<16x8xf32>
    }
    %t2 = store_view_tko weak %result, %c_tiles[%i, %j] : tile<16x8xf32>, partition_view<tile=(16x8), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  }
}
