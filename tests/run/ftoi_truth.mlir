// RUN: %npy make %t.in.npy '<f4' 64 '[0.0, -0.0, 0.25, -0.75, 1.0, -1.0, 2.0, -300.0, 1e30, inf, -inf, nan, 1e-45, 65535.0, 65536.0, 3.5][i % 16]'
// RUN: %engines %t %s --grid 1 %t.in.npy zeros:i1:64 zeros:i1:64 zeros:i1:64 zeros:i1:64 --save unsigned --save signed --save narrow --save clamped
// RUN: %npy expect %t/unsigned.npy '|b1' 64 '[False, False, True, True, True, True, True, True, True, True, True, True, True, True, True, True][x0 % 16]'
// RUN: %npy expect %t/signed.npy '|b1' 64 '[False, False, True, True, True, True, True, True, True, True, True, True, True, True, True, True][x0 % 16]'
// RUN: %npy expect %t/clamped.npy '|b1' 64 '[False, False, False, False, True, False, True, False, True, True, False, False, False, True, True, True][x0 % 16]'
//
// A float as a truth value: whether it is not zero; only with `saturating` it is truncated.
cuda_tile.module @truth {
  entry @truth(%in: tile<ptr<f32>>, %unsigned: tile<ptr<i1>>, %signed: tile<ptr<i1>>, %narrow: tile<ptr<i1>>, %clamped: tile<ptr<i1>>) {
    %zero = constant <i32: 0> : tile<i32>
    %in_v = make_tensor_view %in, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %in_p = make_partition_view %in_v : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
    %unsigned_v = make_tensor_view %unsigned, shape = [64], strides = [1] : tensor_view<64xi1, strides=[1]>
    %unsigned_p = make_partition_view %unsigned_v : partition_view<tile=(64), tensor_view<64xi1, strides=[1]>>
    %signed_v = make_tensor_view %signed, shape = [64], strides = [1] : tensor_view<64xi1, strides=[1]>
    %signed_p = make_partition_view %signed_v : partition_view<tile=(64), tensor_view<64xi1, strides=[1]>>
    %narrow_v = make_tensor_view %narrow, shape = [64], strides = [1] : tensor_view<64xi1, strides=[1]>
    %narrow_p = make_partition_view %narrow_v : partition_view<tile=(64), tensor_view<64xi1, strides=[1]>>
    %clamped_v = make_tensor_view %clamped, shape = [64], strides = [1] : tensor_view<64xi1, strides=[1]>
    %clamped_p = make_partition_view %clamped_v : partition_view<tile=(64), tensor_view<64xi1, strides=[1]>>
    %x, %t0 = load_view_tko weak %in_p[%zero] : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
    %h = ftof %x : tile<64xf32> -> tile<64xbf16>
    %unsigned_r = ftoi %x unsigned : tile<64xf32> -> tile<64xi1>
    %signed_r = ftoi %x signed : tile<64xf32> -> tile<64xi1>
    %narrow_r = ftoi %h unsigned : tile<64xbf16> -> tile<64xi1>
    %clamped_r = ftoi %x unsigned saturating : tile<64xf32> -> tile<64xi1>
    %unsigned_t = store_view_tko weak %unsigned_r, %unsigned_p[%zero] : tile<64xi1>, partition_view<tile=(64), tensor_view<64xi1, strides=[1]>>, tile<i32> -> token
    %signed_t = store_view_tko weak %signed_r, %signed_p[%zero] : tile<64xi1>, partition_view<tile=(64), tensor_view<64xi1, strides=[1]>>, tile<i32> -> token
    %narrow_t = store_view_tko weak %narrow_r, %narrow_p[%zero] : tile<64xi1>, partition_view<tile=(64), tensor_view<64xi1, strides=[1]>>, tile<i32> -> token
    %clamped_t = store_view_tko weak %clamped_r, %clamped_p[%zero] : tile<64xi1>, partition_view<tile=(64), tensor_view<64xi1, strides=[1]>>, tile<i32> -> token
  }
}
