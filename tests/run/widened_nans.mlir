// RUN: %npy make %t.bf16.npy '<u2' 1x128 '0 if x1 % 3 == 0 else 0x3f80'
// RUN: %npy make %t.bf16.w.npy '<u2' 64x128 '0x7f80 if x0 == x1 else 0x3f80'
// RUN: %engines %t.bf16 %s --kernel bf16 --grid 1 ones:bf16:16x64 %t.bf16.w.npy %t.bf16.npy B=zeros:bf16:64x128 C=zeros:f32:16x128 --save B --save C
// RUN: %npy make %t.f16.npy '<f2' 1x128 '0 if x1 % 3 == 0 else 1.0'
// RUN: %npy make %t.f16.w.npy '<f2' 64x128 'inf if x0 == x1 else 1.0'
// RUN: %engines %t.f16 %s --kernel f16 --grid 1 ones:f16:16x64 %t.f16.w.npy %t.f16.npy B=zeros:f16:64x128 C=zeros:f32:16x128 --save B --save C
//
// The right operand of a product has NaNs that arithmetic made, of infinity and zero, and is stored as
// well: as the canonical NaN, although the product, which reads it widened to f32, takes any.
cuda_tile.module @widened_nans {
  entry @bf16(%A: tile<ptr<bf16>>, %W: tile<ptr<bf16>>, %S: tile<ptr<bf16>>, %B: tile<ptr<bf16>>, %C: tile<ptr<f32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %a_view = make_tensor_view %A, shape = [16, 64], strides = [64, 1] : tensor_view<16x64xbf16, strides=[64,1]>
    %a_tiles = make_partition_view %a_view : partition_view<tile=(16x64), tensor_view<16x64xbf16, strides=[64,1]>>
    %w_view = make_tensor_view %W, shape = [64, 128], strides = [128, 1] : tensor_view<64x128xbf16, strides=[128,1]>
    %w_tiles = make_partition_view %w_view : partition_view<tile=(64x128), tensor_view<64x128xbf16, strides=[128,1]>>
    %s_view = make_tensor_view %S, shape = [1, 128], strides = [128, 1] : tensor_view<1x128xbf16, strides=[128,1]>
    %s_tiles = make_partition_view %s_view : partition_view<tile=(1x128), tensor_view<1x128xbf16, strides=[128,1]>>
    %b_view = make_tensor_view %B, shape = [64, 128], strides = [128, 1] : tensor_view<64x128xbf16, strides=[128,1]>
    %b_tiles = make_partition_view %b_view : partition_view<tile=(64x128), tensor_view<64x128xbf16, strides=[128,1]>>
    %c_view = make_tensor_view %C, shape = [16, 128], strides = [128, 1] : tensor_view<16x128xf32, strides=[128,1]>
    %c_tiles = make_partition_view %c_view : partition_view<tile=(16x128), tensor_view<16x128xf32, strides=[128,1]>>
    %a, %t0 = load_view_tko weak %a_tiles[%zero, %zero] : partition_view<tile=(16x64), tensor_view<16x64xbf16, strides=[64,1]>>, tile<i32> -> tile<16x64xbf16>, token
    %w, %t1 = load_view_tko weak %w_tiles[%zero, %zero] : partition_view<tile=(64x128), tensor_view<64x128xbf16, strides=[128,1]>>, tile<i32> -> tile<64x128xbf16>, token
    %s, %t2 = load_view_tko weak %s_tiles[%zero, %zero] : partition_view<tile=(1x128), tensor_view<1x128xbf16, strides=[128,1]>>, tile<i32> -> tile<1x128xbf16>, token
    %scale = broadcast %s : tile<1x128xbf16> -> tile<64x128xbf16>
    %b = mulf %w, %scale : tile<64x128xbf16>
    %none = constant <f32: 0.000000e+00> : tile<16x128xf32>
    %c = mmaf %a, %b, %none : tile<16x64xbf16>, tile<64x128xbf16>, tile<16x128xf32>
    %t3 = store_view_tko weak %c, %c_tiles[%zero, %zero] : tile<16x128xf32>, partition_view<tile=(16x128), tensor_view<16x128xf32, strides=[128,1]>>, tile<i32> -> token
    %t4 = store_view_tko weak %b, %b_tiles[%zero, %zero] : tile<64x128xbf16>, partition_view<tile=(64x128), tensor_view<64x128xbf16, strides=[128,1]>>, tile<i32> -> token
    return
  }

  entry @f16(%A: tile<ptr<f16>>, %W: tile<ptr<f16>>, %S: tile<ptr<f16>>, %B: tile<ptr<f16>>, %C: tile<ptr<f32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %a_view = make_tensor_view %A, shape = [16, 64], strides = [64, 1] : tensor_view<16x64xf16, strides=[64,1]>
    %a_tiles = make_partition_view %a_view : partition_view<tile=(16x64), tensor_view<16x64xf16, strides=[64,1]>>
    %w_view = make_tensor_view %W, shape = [64, 128], strides = [128, 1] : tensor_view<64x128xf16, strides=[128,1]>
    %w_tiles = make_partition_view %w_view : partition_view<tile=(64x128), tensor_view<64x128xf16, strides=[128,1]>>
    %s_view = make_tensor_view %S, shape = [1, 128], strides = [128, 1] : tensor_view<1x128xf16, strides=[128,1]>
    %s_tiles = make_partition_view %s_view : partition_view<tile=(1x128), tensor_view<1x128xf16, strides=[128,1]>>
    %b_view = make_tensor_view %B, shape = [64, 128], strides = [128, 1] : tensor_view<64x128xf16, strides=[128,1]>
    %b_tiles = make_partition_view %b_view : partition_view<tile=(64x128), tensor_view<64x128xf16, strides=[128,1]>>
    %c_view = make_tensor_view %C, shape = [16, 128], strides = [128, 1] : tensor_view<16x128xf32, strides=[128,1]>
    %c_tiles = make_partition_view %c_view : partition_view<tile=(16x128), tensor_view<16x128xf32, strides=[128,1]>>
    %a, %t0 = load_view_tko weak %a_tiles[%zero, %zero] : partition_view<tile=(16x64), tensor_view<16x64xf16, strides=[64,1]>>, tile<i32> -> tile<16x64xf16>, token
    %w, %t1 = load_view_tko weak %w_tiles[%zero, %zero] : partition_view<tile=(64x128), tensor_view<64x128xf16, strides=[128,1]>>, tile<i32> -> tile<64x128xf16>, token
    %s, %t2 = load_view_tko weak %s_tiles[%zero, %zero] : partition_view<tile=(1x128), tensor_view<1x128xf16, strides=[128,1]>>, tile<i32> -> tile<1x128xf16>, token
    %scale = broadcast %s : tile<1x128xf16> -> tile<64x128xf16>
    %b = mulf %w, %scale : tile<64x128xf16>
    %none = constant <f32: 0.000000e+00> : tile<16x128xf32>
    %c = mmaf %a, %b, %none : tile<16x64xf16>, tile<64x128xf16>, tile<16x128xf32>
    %t3 = store_view_tko weak %c, %c_tiles[%zero, %zero] : tile<16x128xf32>, partition_view<tile=(16x128), tensor_view<16x128xf32, strides=[128,1]>>, tile<i32> -> token
    %t4 = store_view_tko weak %b, %b_tiles[%zero, %zero] : tile<64x128xf16>, partition_view<tile=(64x128), tensor_view<64x128xf16, strides=[128,1]>>, tile<i32> -> token
    return
  }
}
