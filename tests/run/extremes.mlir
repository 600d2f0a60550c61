// RUN: %npy make %t.in.npy '<u4' 2x128 '[0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc01234, 0x7f812345, 0x00000001, 0x80000001][(x1 if x0 == 0 else x1 // 11) % 11]'
// RUN: %engines %t %s --grid 1 %t.in.npy zeros:u32:19x128 --save out
//
// The larger and the smaller one of any number, zero or NaN and of a constant, for which one instruction
// may do: all engines agree on signs of zeros and on which of a number and a NaN it is, also where the
// constant comes first, and where the result is compared again.
cuda_tile.module @extremes {
  entry @extremes(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %in_v = make_tensor_view %in, shape = [2, 128], strides = [128, 1] : tensor_view<2x128xi32, strides=[128,1]>
    %in_p = make_partition_view %in_v : partition_view<tile=(1x128), tensor_view<2x128xi32, strides=[128,1]>>
    %out_v = make_tensor_view %out, shape = [19, 128], strides = [128, 1] : tensor_view<19x128xi32, strides=[128,1]>
    %out_p = make_partition_view %out_v : partition_view<tile=(1x128), tensor_view<19x128xi32, strides=[128,1]>>
    %x_bits, %t0 = load_view_tko weak %in_p[%zero, %zero] : partition_view<tile=(1x128), tensor_view<2x128xi32, strides=[128,1]>>, tile<i32> -> tile<1x128xi32>, token
    %x = bitcast %x_bits : tile<1x128xi32> -> tile<1x128xf32>
    %y_bits, %t1 = load_view_tko weak %in_p[%one, %zero] : partition_view<tile=(1x128), tensor_view<2x128xi32, strides=[128,1]>>, tile<i32> -> tile<1x128xi32>, token
    %y = bitcast %y_bits : tile<1x128xi32> -> tile<1x128xf32>
    %c0 = constant <f32: 0.0> : tile<1x128xf32>
    %m0 = constant <f32: 0x80000000> : tile<1x128xf32>
    %c1 = constant <f32: 1.0> : tile<1x128xf32>
    %m1 = constant <f32: -1.0> : tile<1x128xf32>
    %nan = constant <f32: 0x7fc00000> : tile<1x128xf32>
    %maxf_c0 = maxf %x, %c0 : tile<1x128xf32>
    %row0 = constant <i32: 0> : tile<i32>
    %b0 = bitcast %maxf_c0 : tile<1x128xf32> -> tile<1x128xi32>
    %s0 = store_view_tko weak %b0, %out_p[%row0, %zero] : tile<1x128xi32>, partition_view<tile=(1x128), tensor_view<19x128xi32, strides=[128,1]>>, tile<i32> -> token
    %maxf_c0_first = maxf %c0, %y : tile<1x128xf32>
    %row1 = constant <i32: 1> : tile<i32>
    %b1 = bitcast %maxf_c0_first : tile<1x128xf32> -> tile<1x128xi32>
    %s1 = store_view_tko weak %b1, %out_p[%row1, %zero] : tile<1x128xi32>, partition_view<tile=(1x128), tensor_view<19x128xi32, strides=[128,1]>>, tile<i32> -> token
    %minf_c0 = minf %x, %c0 : tile<1x128xf32>
    %row2 = constant <i32: 2> : tile<i32>
    %b2 = bitcast %minf_c0 : tile<1x128xf32> -> tile<1x128xi32>
    %s2 = store_view_tko weak %b2, %out_p[%row2, %zero] : tile<1x128xi32>, partition_view<tile=(1x128), tensor_view<19x128xi32, strides=[128,1]>>, tile<i32> -> token
    %minf_c0_first = minf %c0, %y : tile<1x128xf32>
    %row3 = constant <i32: 3> : tile<i32>
    %b3 = bitcast %minf_c0_first : tile<1x128xf32> -> tile<1x128xi32>
    %s3 = store_view_tko weak %b3, %out_p[%row3, %zero] : tile<1x128xi32>, partition_view<tile=(1x128), tensor_view<19x128xi32, strides=[128,1]>>, tile<i32> -> token
    %maxf_m0 = maxf %x, %m0 : tile<1x128xf32>
    %row4 = constant <i32: 4> : tile<i32>
    %b4 = bitcast %maxf_m0 : tile<1x128xf32> -> tile<1x128xi32>
    %s4 = store_view_tko weak %b4, %out_p[%row4, %zero] : tile<1x128xi32>, partition_view<tile=(1x128), tensor_view<19x128xi32, strides=[128,1]>>, tile<i32> -> token
    %maxf_m0_first = maxf %m0, %y : tile<1x128xf32>
    %row5 = constant <i32: 5> : tile<i32>
    %b5 = bitcast %maxf_m0_first : tile<1x128xf32> -> tile<1x128xi32>
    %s5 = store_view_tko weak %b5, %out_p[%row5, %zero] : tile<1x128xi32>, partition_view<tile=(1x128), tensor_view<19x128xi32, strides=[128,1]>>, tile<i32> -> token
    %minf_m0 = minf %x, %m0 : tile<1x128xf32>
    %row6 = constant <i32: 6> : tile<i32>
    %b6 = bitcast %minf_m0 : tile<1x128xf32> -> tile<1x128xi32>
    %s6 = store_view_tko weak %b6, %out_p[%row6, %zero] : tile<1x128xi32>, partition_view<tile=(1x128), tensor_view<19x128xi32, strides=[128,1]>>, tile<i32> -> token
    %minf_m0_first = minf %m0, %y : tile<1x128xf32>
    %row7 = constant <i32: 7> : tile<i32>
    %b7 = bitcast %minf_m0_first : tile<1x128xf32> -> tile<1x128xi32>
    %s7 = store_view_tko weak %b7, %out_p[%row7, %zero] : tile<1x128xi32>, partition_view<tile=(1x128), tensor_view<19x128xi32, strides=[128,1]>>, tile<i32> -> token
    %maxf_c1 = maxf %x, %c1 : tile<1x128xf32>
    %row8 = constant <i32: 8> : tile<i32>
    %b8 = bitcast %maxf_c1 : tile<1x128xf32> -> tile<1x128xi32>
    %s8 = store_view_tko weak %b8, %out_p[%row8, %zero] : tile<1x128xi32>, partition_view<tile=(1x128), tensor_view<19x128xi32, strides=[128,1]>>, tile<i32> -> token
    %maxf_c1_first = maxf %c1, %y : tile<1x128xf32>
    %row9 = constant <i32: 9> : tile<i32>
    %b9 = bitcast %maxf_c1_first : tile<1x128xf32> -> tile<1x128xi32>
    %s9 = store_view_tko weak %b9, %out_p[%row9, %zero] : tile<1x128xi32>, partition_view<tile=(1x128), tensor_view<19x128xi32, strides=[128,1]>>, tile<i32> -> token
    %minf_c1 = minf %x, %c1 : tile<1x128xf32>
    %row10 = constant <i32: 10> : tile<i32>
    %b10 = bitcast %minf_c1 : tile<1x128xf32> -> tile<1x128xi32>
    %s10 = store_view_tko weak %b10, %out_p[%row10, %zero] : tile<1x128xi32>, partition_view<tile=(1x128), tensor_view<19x128xi32, strides=[128,1]>>, tile<i32> -> token
    %minf_c1_first = minf %c1, %y : tile<1x128xf32>
    %row11 = constant <i32: 11> : tile<i32>
    %b11 = bitcast %minf_c1_first : tile<1x128xf32> -> tile<1x128xi32>
    %s11 = store_view_tko weak %b11, %out_p[%row11, %zero] : tile<1x128xi32>, partition_view<tile=(1x128), tensor_view<19x128xi32, strides=[128,1]>>, tile<i32> -> token
    %maxf_m1 = maxf %x, %m1 : tile<1x128xf32>
    %row12 = constant <i32: 12> : tile<i32>
    %b12 = bitcast %maxf_m1 : tile<1x128xf32> -> tile<1x128xi32>
    %s12 = store_view_tko weak %b12, %out_p[%row12, %zero] : tile<1x128xi32>, partition_view<tile=(1x128), tensor_view<19x128xi32, strides=[128,1]>>, tile<i32> -> token
    %maxf_m1_first = maxf %m1, %y : tile<1x128xf32>
    %row13 = constant <i32: 13> : tile<i32>
    %b13 = bitcast %maxf_m1_first : tile<1x128xf32> -> tile<1x128xi32>
    %s13 = store_view_tko weak %b13, %out_p[%row13, %zero] : tile<1x128xi32>, partition_view<tile=(1x128), tensor_view<19x128xi32, strides=[128,1]>>, tile<i32> -> token
    %minf_m1 = minf %x, %m1 : tile<1x128xf32>
    %row14 = constant <i32: 14> : tile<i32>
    %b14 = bitcast %minf_m1 : tile<1x128xf32> -> tile<1x128xi32>
    %s14 = store_view_tko weak %b14, %out_p[%row14, %zero] : tile<1x128xi32>, partition_view<tile=(1x128), tensor_view<19x128xi32, strides=[128,1]>>, tile<i32> -> token
    %minf_m1_first = minf %m1, %y : tile<1x128xf32>
    %row15 = constant <i32: 15> : tile<i32>
    %b15 = bitcast %minf_m1_first : tile<1x128xf32> -> tile<1x128xi32>
    %s15 = store_view_tko weak %b15, %out_p[%row15, %zero] : tile<1x128xi32>, partition_view<tile=(1x128), tensor_view<19x128xi32, strides=[128,1]>>, tile<i32> -> token
    %again_c0 = maxf %maxf_c0, %y : tile<1x128xf32>
    %row16 = constant <i32: 16> : tile<i32>
    %b16 = bitcast %again_c0 : tile<1x128xf32> -> tile<1x128xi32>
    %s16 = store_view_tko weak %b16, %out_p[%row16, %zero] : tile<1x128xi32>, partition_view<tile=(1x128), tensor_view<19x128xi32, strides=[128,1]>>, tile<i32> -> token
    %again_m0 = maxf %maxf_m0, %y : tile<1x128xf32>
    %row17 = constant <i32: 17> : tile<i32>
    %b17 = bitcast %again_m0 : tile<1x128xf32> -> tile<1x128xi32>
    %s17 = store_view_tko weak %b17, %out_p[%row17, %zero] : tile<1x128xi32>, partition_view<tile=(1x128), tensor_view<19x128xi32, strides=[128,1]>>, tile<i32> -> token
    %again_m1 = maxf %maxf_m1, %y : tile<1x128xf32>
    %row18 = constant <i32: 18> : tile<i32>
    %b18 = bitcast %again_m1 : tile<1x128xf32> -> tile<1x128xi32>
    %s18 = store_view_tko weak %b18, %out_p[%row18, %zero] : tile<1x128xi32>, partition_view<tile=(1x128), tensor_view<19x128xi32, strides=[128,1]>>, tile<i32> -> token
    return
  }
}
