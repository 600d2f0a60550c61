// RUN: %npy make %t.in.npy '<f4' 16x32 'nan if i // 32 % 3 == 0 else [nan, 1.0 + i % 32, -inf, inf, -0.0, 0.0][(i // 32 + i) % 6]'
// RUN: %engines %t %s --grid 1 %t.in.npy zeros:f32:16 zeros:f32:16 zeros:f16:16 zeros:f32:16 zeros:f32:16x32 zeros:f32:16 --save single --save least --save most --save narrow --save passed --save running
// RUN: %tessera opt -O2 %s -o %t.opt.mlir
// RUN: %engines %t.opt %t.opt.mlir --grid 1 %t.in.npy zeros:f32:16 zeros:f32:16 zeros:f16:16 zeros:f32:16 zeros:f32:16x32 zeros:f32:16 --save least --save single
// RUN: %npy expect %t.opt/least.npy '<f4' 16 'nan if x0 % 3 == 0 else -inf'
// RUN: %npy expect %t.opt/single.npy '<f4' 16 'nan if x0 % 3 == 0 else -inf'
// RUN: %npy expect %t/least.npy '<f4' 16 'nan if x0 % 3 == 0 else -inf'
// RUN: %npy expect %t/most.npy '<f4' 16 'nan if x0 % 3 == 0 else inf'
//
// The least and the largest number of each row, some of which hold nothing but NaN: that stays NaN,
// in every engine and behind the optimiser, although the identities are infinities. With propagate_nan any NaN does it.
cuda_tile.module @nan {
  entry @nan(%in: tile<ptr<f32>>, %least: tile<ptr<f32>>, %most: tile<ptr<f32>>, %narrow: tile<ptr<f16>>, %passed: tile<ptr<f32>>, %running: tile<ptr<f32>>, %single: tile<ptr<f32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %in_v = make_tensor_view %in, shape = [16, 32], strides = [32, 1] : tensor_view<16x32xf32, strides=[32,1]>
    %in_p = make_partition_view %in_v : partition_view<tile=(16x32), tensor_view<16x32xf32, strides=[32,1]>>
    %least_v = make_tensor_view %least, shape = [16], strides = [1] : tensor_view<16xf32, strides=[1]>
    %least_p = make_partition_view %least_v : partition_view<tile=(16), tensor_view<16xf32, strides=[1]>>
    %most_v = make_tensor_view %most, shape = [16], strides = [1] : tensor_view<16xf32, strides=[1]>
    %most_p = make_partition_view %most_v : partition_view<tile=(16), tensor_view<16xf32, strides=[1]>>
    %narrow_v = make_tensor_view %narrow, shape = [16], strides = [1] : tensor_view<16xf16, strides=[1]>
    %narrow_p = make_partition_view %narrow_v : partition_view<tile=(16), tensor_view<16xf16, strides=[1]>>
    %passed_v = make_tensor_view %passed, shape = [16], strides = [1] : tensor_view<16xf32, strides=[1]>
    %passed_p = make_partition_view %passed_v : partition_view<tile=(16), tensor_view<16xf32, strides=[1]>>
    %running_v = make_tensor_view %running, shape = [16, 32], strides = [32, 1] : tensor_view<16x32xf32, strides=[32,1]>
    %running_p = make_partition_view %running_v : partition_view<tile=(16x32), tensor_view<16x32xf32, strides=[32,1]>>
    %x, %t0 = load_view_tko weak %in_p[%zero, %zero] : partition_view<tile=(16x32), tensor_view<16x32xf32, strides=[32,1]>>, tile<i32> -> tile<16x32xf32>, token
    %h = ftof %x : tile<16x32xf32> -> tile<16x32xf16>
    %least_r = reduce %x dim=1 identities=[0x7f800000 : f32] : tile<16x32xf32> -> tile<16xf32>
    (%a: tile<f32>, %b: tile<f32>) {
      %m = minf %a, %b : tile<f32>
      yield %m : tile<f32>
    }
    %most_r = reduce %x dim=1 identities=[0xff800000 : f32] : tile<16x32xf32> -> tile<16xf32>
    (%a: tile<f32>, %b: tile<f32>) {
      %m = maxf %a, %b : tile<f32>
      yield %m : tile<f32>
    }
    %narrow_r = reduce %h dim=1 identities=[0x7c00 : f16] : tile<16x32xf16> -> tile<16xf16>
    (%a: tile<f16>, %b: tile<f16>) {
      %m = minf %a, %b : tile<f16>
      yield %m : tile<f16>
    }
    %passed_r = reduce %x dim=1 identities=[0xff800000 : f32] : tile<16x32xf32> -> tile<16xf32>
    (%a: tile<f32>, %b: tile<f32>) {
      %m = maxf %a, %b propagate_nan : tile<f32>
      yield %m : tile<f32>
    }
    %running_r = scan %x dim=1 reverse=false identities=[0x7f800000 : f32] : tile<16x32xf32> -> tile<16x32xf32>
    (%a: tile<f32>, %b: tile<f32>) {
      %m = minf %a, %b : tile<f32>
      yield %m : tile<f32>
    }
    %column = reshape %least_r : tile<16xf32> -> tile<16x1xf32>
    %single_r = reduce %column dim=1 identities=[0x7f800000 : f32] : tile<16x1xf32> -> tile<16xf32>
    (%a: tile<f32>, %b: tile<f32>) {
      %m = minf %a, %b : tile<f32>
      yield %m : tile<f32>
    }
    %single_v = make_tensor_view %single, shape = [16], strides = [1] : tensor_view<16xf32, strides=[1]>
    %single_p = make_partition_view %single_v : partition_view<tile=(16), tensor_view<16xf32, strides=[1]>>
    %single_t = store_view_tko weak %single_r, %single_p[%zero] : tile<16xf32>, partition_view<tile=(16), tensor_view<16xf32, strides=[1]>>, tile<i32> -> token
    %least_t = store_view_tko weak %least_r, %least_p[%zero] : tile<16xf32>, partition_view<tile=(16), tensor_view<16xf32, strides=[1]>>, tile<i32> -> token
    %most_t = store_view_tko weak %most_r, %most_p[%zero] : tile<16xf32>, partition_view<tile=(16), tensor_view<16xf32, strides=[1]>>, tile<i32> -> token
    %narrow_t = store_view_tko weak %narrow_r, %narrow_p[%zero] : tile<16xf16>, partition_view<tile=(16), tensor_view<16xf16, strides=[1]>>, tile<i32> -> token
    %passed_t = store_view_tko weak %passed_r, %passed_p[%zero] : tile<16xf32>, partition_view<tile=(16), tensor_view<16xf32, strides=[1]>>, tile<i32> -> token
    %running_t = store_view_tko weak %running_r, %running_p[%zero, %zero] : tile<16x32xf32>, partition_view<tile=(16x32), tensor_view<16x32xf32, strides=[32,1]>>, tile<i32> -> token
  }
}
