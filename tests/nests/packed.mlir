// Weights of 4 bits as the threads of a warp have them, put in order; weights with a scale for each
// column, with scales so small that weights are subnormal, too, of integers and of floats.
// REQUIRES: llvm
// RUN: %pattern exchange %t %s --kernel order --grid 1 uniform:i8:2048 out=zeros:i8:16x256 --save out
// RUN: %pattern exchange@avx512 %t %s --kernel order --grid 1 uniform:i8:2048 out=zeros:i8:16x256 --save out
// RUN: %pattern round-pairs@avx512+bf16 %t %s --kernel scaled --grid 1 normal:bf16:16x64 uniform:i8:64x128 normal:bf16:128 bf16:1 out=zeros:f32:16x128 --save out --rtol=1e-4 --atol=1e-3
// RUN: %pattern round-pairs@avx512+bf16 %t %s --kernel scaled --grid 1 normal:bf16:16x64 uniform:i8:64x128 normal:bf16:128 bf16:0x0004 out=zeros:f32:16x128 --save out --rtol=1e-3 --atol=1e-22
// RUN: %pattern round-pairs@avx512+bf16 %t %s --kernel floats --grid 1 normal:bf16:16x64 uniform:i8:64x128 normal:bf16:4x128 bf16:1 bf16:0x5d5e out=zeros:f32:16x128 --save out --rtol=1e-3 --atol=1e+10
// RUN: %pattern round-pairs@avx512+bf16 %t %s --kernel floats --grid 1 normal:bf16:16x64 uniform:i8:64x128 normal:bf16:4x128 bf16:0x0900 bf16:0x5d5e out=zeros:f32:16x128 --save out --rtol=1e-3 --atol=1e-20
// RUN: %pattern round-pairs@avx512+bf16 %t %s --kernel floats --grid 1 normal:bf16:16x64 uniform:i8:64x128 normal:bf16:4x128 bf16:0x0600 bf16:0x5d5e out=zeros:f32:16x128 --save out --rtol=1e-3 --atol=1e-25
// RUN: %pattern round-pairs@avx512+bf16 %t %s --kernel floats --grid 1 ones:bf16:16x64 uniform:i8:64x128 ones:bf16:4x128 bf16:0x0980 bf16:0x3d80 out=zeros:f32:16x128 --save out --rtol=1e-3 --atol=1e-40
!bytes = tensor_view<2048xi8, strides=[1]>
!out = tensor_view<16x256xi8, strides=[256,1]>
cuda_tile.module @packed {
  entry @order(%in: tile<ptr<i8>>, %out: tile<ptr<i8>>) {
    %zero = constant <i32: 0> : tile<i32>
    %from = make_tensor_view %in, shape = [2048], strides = [1] : !bytes
    %to = make_tensor_view %out, shape = [16, 256], strides = [256, 1] : !out
    %from_tiles = make_partition_view %from : partition_view<tile=(2048), !bytes>
    %to_tiles = make_partition_view %to : partition_view<tile=(16x256), !out>
    %packed, %t = load_view_tko weak %from_tiles[%zero] : partition_view<tile=(2048), !bytes>, tile<i32> -> tile<2048xi8>, token
    // Sixteen tiles of 16 x 16: columns modulo 8, pairs of rows modulo 8, the upper columns, rows.
    %parts = reshape %packed : tile<2048xi8> -> tile<16x8x4x2x2xi8>
    %turned = permute %parts [4, 2, 0, 3, 1] : tile<16x8x4x2x2xi8> -> tile<2x4x16x2x8xi8>
    %low = reshape %turned : tile<2x4x16x2x8xi8> -> tile<8x1x256xi8>
    %four = constant <i8: 4> : tile<8x1x256xi8>
    %high = shri %low, %four unsigned : tile<8x1x256xi8>
    %both = cat %low, %high dim = 1 : tile<8x1x256xi8>, tile<8x1x256xi8> -> tile<8x2x256xi8>
    %all = reshape %both : tile<8x2x256xi8> -> tile<16x256xi8>
    %u = store_view_tko weak %all, %to_tiles[%zero, %zero] : tile<16x256xi8>, partition_view<tile=(16x256), !out>, tile<i32> -> token
  }

  entry @scaled(%A: tile<ptr<bf16>>, %W: tile<ptr<i8>>, %S: tile<ptr<bf16>>, %by: tile<bf16>, %C: tile<ptr<f32>>) {
    %first = constant <i32: 0> : tile<i32>
    %end = constant <i32: 4> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %a_view = make_tensor_view %A, shape = [16, 64], strides = [64, 1] : tensor_view<16x64xbf16, strides=[64,1]>
    %w_view = make_tensor_view %W, shape = [64, 128], strides = [128, 1] : tensor_view<64x128xi8, strides=[128,1]>
    %s_view = make_tensor_view %S, shape = [1, 128], strides = [128, 1] : tensor_view<1x128xbf16, strides=[128,1]>
    %c_view = make_tensor_view %C, shape = [16, 128], strides = [128, 1] : tensor_view<16x128xf32, strides=[128,1]>
    %a_tiles = make_partition_view %a_view : partition_view<tile=(16x16), tensor_view<16x64xbf16, strides=[64,1]>>
    %w_tiles = make_partition_view %w_view : partition_view<tile=(16x128), tensor_view<64x128xi8, strides=[128,1]>>
    %s_tiles = make_partition_view %s_view : partition_view<tile=(1x128), tensor_view<1x128xbf16, strides=[128,1]>>
    %c_tiles = make_partition_view %c_view : partition_view<tile=(16x128), tensor_view<16x128xf32, strides=[128,1]>>
    %s, %t0 = load_view_tko weak %s_tiles[%first, %first] : partition_view<tile=(1x128), tensor_view<1x128xbf16, strides=[128,1]>>, tile<i32> -> tile<1x128xbf16>, token
    %by_one = reshape %by : tile<bf16> -> tile<1x1xbf16>
    %by_all = broadcast %by_one : tile<1x1xbf16> -> tile<1x128xbf16>
    %small = mulf %s, %by_all : tile<1x128xbf16>
    %scale = broadcast %small : tile<1x128xbf16> -> tile<16x128xbf16>
    %zero = constant <f32: 0.0> : tile<16x128xf32>
    %large = constant <bf16: 1.0e+18> : tile<16x16xbf16>
    %sums = for %k in (%first to %end, step %one) : tile<i32> iter_values(%acc = %zero) -> (tile<16x128xf32>) {
      %x, %t1 = load_view_tko weak %a_tiles[%first, %k] : partition_view<tile=(16x16), tensor_view<16x64xbf16, strides=[64,1]>>, tile<i32> -> tile<16x16xbf16>, token
      %w, %t2 = load_view_tko weak %w_tiles[%k, %first] : partition_view<tile=(16x128), tensor_view<64x128xi8, strides=[128,1]>>, tile<i32> -> tile<16x128xi8>, token
      %a = mulf %x, %large : tile<16x16xbf16>
      %number = itof %w signed : tile<16x128xi8> -> tile<16x128xbf16>
      %b = mulf %number, %scale : tile<16x128xbf16>
      %sum = mmaf %a, %b, %acc : tile<16x16xbf16>, tile<16x128xbf16>, tile<16x128xf32>
      continue %sum : tile<16x128xf32>
    }
    %t3 = store_view_tko weak %sums, %c_tiles[%first, %first] : tile<16x128xf32>, partition_view<tile=(16x128), tensor_view<16x128xf32, strides=[128,1]>>, tile<i32> -> token
  }

  // The smallest floats of 8 bits, with scales for each slice.
  entry @floats(%A: tile<ptr<bf16>>, %W: tile<ptr<i8>>, %S: tile<ptr<bf16>>, %by: tile<bf16>, %times: tile<bf16>, %C: tile<ptr<f32>>) {
    %first = constant <i32: 0> : tile<i32>
    %end = constant <i32: 4> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %a_view = make_tensor_view %A, shape = [16, 64], strides = [64, 1] : tensor_view<16x64xbf16, strides=[64,1]>
    %w_view = make_tensor_view %W, shape = [64, 128], strides = [128, 1] : tensor_view<64x128xi8, strides=[128,1]>
    %s_view = make_tensor_view %S, shape = [4, 128], strides = [128, 1] : tensor_view<4x128xbf16, strides=[128,1]>
    %c_view = make_tensor_view %C, shape = [16, 128], strides = [128, 1] : tensor_view<16x128xf32, strides=[128,1]>
    %a_tiles = make_partition_view %a_view : partition_view<tile=(16x16), tensor_view<16x64xbf16, strides=[64,1]>>
    %w_tiles = make_partition_view %w_view : partition_view<tile=(16x128), tensor_view<64x128xi8, strides=[128,1]>>
    %s_tiles = make_partition_view %s_view : partition_view<tile=(1x128), tensor_view<4x128xbf16, strides=[128,1]>>
    %c_tiles = make_partition_view %c_view : partition_view<tile=(16x128), tensor_view<16x128xf32, strides=[128,1]>>
    %by_one = reshape %by : tile<bf16> -> tile<1x1xbf16>
    %by_all = broadcast %by_one : tile<1x1xbf16> -> tile<1x128xbf16>
    %zero = constant <f32: 0.0> : tile<16x128xf32>
    %three = constant <i8: 3> : tile<16x128xi8>
    %times_one = reshape %times : tile<bf16> -> tile<1x1xbf16>
    %large = broadcast %times_one : tile<1x1xbf16> -> tile<16x16xbf16>
    %sums = for %k in (%first to %end, step %one) : tile<i32> iter_values(%acc = %zero) -> (tile<16x128xf32>) {
      %s, %t0 = load_view_tko weak %s_tiles[%k, %first] : partition_view<tile=(1x128), tensor_view<4x128xbf16, strides=[128,1]>>, tile<i32> -> tile<1x128xbf16>, token
      %small = mulf %s, %by_all : tile<1x128xbf16>
      %scale = broadcast %small : tile<1x128xbf16> -> tile<16x128xbf16>
      %x, %t1 = load_view_tko weak %a_tiles[%first, %k] : partition_view<tile=(16x16), tensor_view<16x64xbf16, strides=[64,1]>>, tile<i32> -> tile<16x16xbf16>, token
      %w, %t2 = load_view_tko weak %w_tiles[%k, %first] : partition_view<tile=(16x128), tensor_view<64x128xi8, strides=[128,1]>>, tile<i32> -> tile<16x128xi8>, token
      %a = mulf %x, %large : tile<16x16xbf16>
      %low = andi %w, %three : tile<16x128xi8>
      %float = bitcast %low : tile<16x128xi8> -> tile<16x128xf8E5M2>
      %number = ftof %float : tile<16x128xf8E5M2> -> tile<16x128xbf16>
      %b = mulf %number, %scale : tile<16x128xbf16>
      %sum = mmaf %a, %b, %acc : tile<16x16xbf16>, tile<16x128xbf16>, tile<16x128xf32>
      continue %sum : tile<16x128xf32>
    }
    %t3 = store_view_tko weak %sums, %c_tiles[%first, %first] : tile<16x128xf32>, partition_view<tile=(16x128), tensor_view<16x128xf32, strides=[128,1]>>, tile<i32> -> token
  }
}
