// Neighbours are exchanged; a tile of pointers moves along a loop.
// REQUIRES: llvm
// RUN: %pattern shuffle %t %s --kernel exchange --grid 1 arange:f32:512 y=zeros:f32:512 --save y
// RUN: %pattern shifted-tiles %t %s --kernel walk --grid 1 arange:f32:512 y=zeros:f32:64 --save y
cuda_tile.module @shuffled {
  entry @exchange(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %v = make_tensor_view %x, shape = [512], strides = [1] : tensor_view<512xf32, strides=[1]>
    %w = make_tensor_view %y, shape = [512], strides = [1] : tensor_view<512xf32, strides=[1]>
    %vt = make_partition_view %v : partition_view<tile=(512), tensor_view<512xf32, strides=[1]>>
    %wt = make_partition_view %w : partition_view<tile=(512), tensor_view<512xf32, strides=[1]>>
    %a, %t = load_view_tko weak %vt[%zero] : partition_view<tile=(512), tensor_view<512xf32, strides=[1]>>, tile<i32> -> tile<512xf32>, token
    %pairs = reshape %a : tile<512xf32> -> tile<32x8x2xf32>
    %turned = permute %pairs [0, 2, 1] : tile<32x8x2xf32> -> tile<32x2x8xf32>
    %b = reshape %turned : tile<32x2x8xf32> -> tile<512xf32>
    %u = store_view_tko weak %b, %wt[%zero] : tile<512xf32>, partition_view<tile=(512), tensor_view<512xf32, strides=[1]>>, tile<i32> -> token
  }

  entry @walk(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %first = constant <i32: 0> : tile<i32>
    %end = constant <i32: 8> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %step = constant <i32: 64> : tile<64xi32>
    %none = constant <f32: 0.0> : tile<64xf32>
    %i = iota : tile<64xi32>
    %p = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
    %ps = broadcast %p : tile<1xptr<f32>> -> tile<64xptr<f32>>
    %from = offset %ps, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
    %sum, %last = for %k in (%first to %end, step %one) : tile<i32> iter_values(%s = %none, %at = %from) -> (tile<64xf32>, tile<64xptr<f32>>) {
      %a, %t = load_ptr_tko weak %at : tile<64xptr<f32>> -> tile<64xf32>, token
      %more = addf %s, %a : tile<64xf32>
      %next = offset %at, %step : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
      continue %more, %next : tile<64xf32>, tile<64xptr<f32>>
    }
    %q = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
    %qs = broadcast %q : tile<1xptr<f32>> -> tile<64xptr<f32>>
    %to = offset %qs, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
    %u = store_ptr_tko weak %to, %sum : tile<64xptr<f32>>, tile<64xf32> -> token
  }
}
