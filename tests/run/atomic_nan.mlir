// RUN: %engines %t %s --no-cards --grid 1 zeros:i16:8 zeros:i32:8 zeros:i64:8 --save h --save s --save d
// RUN: %npy expect %t/h.npy '<i2' 8 '0x7e00'
// RUN: %npy expect %t/s.npy '<i4' 8 '0x7fc00000'
// RUN: %npy expect %t/d.npy '<i8' 8 '0x7ff8000000000000'
//
// (Memory of a GPU adds by itself, with NaNs of its own.)
// A NaN that an atomic addition makes is the canonical one, as addf's is: inf - inf.
cuda_tile.module @atomic_nan {
  entry @atomic_nan(%h: tile<ptr<i16>>, %s: tile<ptr<i32>>, %d: tile<ptr<i64>>) {
    %i = iota : tile<8xi32>
    %h0 = ptr_to_ptr %h : tile<ptr<i16>> -> tile<ptr<f16>>
    %h1 = reshape %h0 : tile<ptr<f16>> -> tile<1xptr<f16>>
    %h2 = broadcast %h1 : tile<1xptr<f16>> -> tile<8xptr<f16>>
    %h3 = offset %h2, %i : tile<8xptr<f16>>, tile<8xi32> -> tile<8xptr<f16>>
    %h_up = constant <f16: 0x7c00> : tile<8xf16>
    %h_down = constant <f16: 0xfc00> : tile<8xf16>
    %h4, %t0 = atomic_rmw_tko relaxed device %h3, addf, %h_up : tile<8xptr<f16>>, tile<8xf16> -> tile<8xf16>, token
    %h5, %t1 = atomic_rmw_tko relaxed device %h3, addf, %h_down token=%t0 : tile<8xptr<f16>>, tile<8xf16> -> tile<8xf16>, token
    %s0 = ptr_to_ptr %s : tile<ptr<i32>> -> tile<ptr<f32>>
    %s1 = reshape %s0 : tile<ptr<f32>> -> tile<1xptr<f32>>
    %s2 = broadcast %s1 : tile<1xptr<f32>> -> tile<8xptr<f32>>
    %s3 = offset %s2, %i : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
    %s_up = constant <f32: 0x7f800000> : tile<8xf32>
    %s_down = constant <f32: 0xff800000> : tile<8xf32>
    %s4, %t2 = atomic_rmw_tko relaxed device %s3, addf, %s_up : tile<8xptr<f32>>, tile<8xf32> -> tile<8xf32>, token
    %s5, %t3 = atomic_rmw_tko relaxed device %s3, addf, %s_down token=%t2 : tile<8xptr<f32>>, tile<8xf32> -> tile<8xf32>, token
    %d0 = ptr_to_ptr %d : tile<ptr<i64>> -> tile<ptr<f64>>
    %d1 = reshape %d0 : tile<ptr<f64>> -> tile<1xptr<f64>>
    %d2 = broadcast %d1 : tile<1xptr<f64>> -> tile<8xptr<f64>>
    %d3 = offset %d2, %i : tile<8xptr<f64>>, tile<8xi32> -> tile<8xptr<f64>>
    %d_up = constant <f64: 0x7ff0000000000000> : tile<8xf64>
    %d_down = constant <f64: 0xfff0000000000000> : tile<8xf64>
    %d4, %t4 = atomic_rmw_tko relaxed device %d3, addf, %d_up : tile<8xptr<f64>>, tile<8xf64> -> tile<8xf64>, token
    %d5, %t5 = atomic_rmw_tko relaxed device %d3, addf, %d_down token=%t4 : tile<8xptr<f64>>, tile<8xf64> -> tile<8xf64>, token
  }
}
