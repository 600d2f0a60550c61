// RUN: %transcript %s
//
// Floats: only what keeps every bit, signs of zeros and NaNs included.
cuda_tile.module @floats {
  entry @zeros(%loaded: tile<f32>, %y: tile<f32>) {
    %zero = constant <f32: 0.0> : tile<f32>
    %minus = constant <f32: -0.0> : tile<f32>
    %x = mulf %loaded, %y : tile<f32>
    %keep_sign = addf %x, %zero : tile<f32>
    %gone = addf %x, %minus : tile<f32>
    %keep_mode = addf %x, %minus rounding<negative_inf> : tile<f32>
    %keep_flush = addf %x, %minus flush_to_zero : tile<f32>
    %keep_nan = addf %loaded, %minus : tile<f32>
    %gone2 = subf %x, %zero : tile<f32>
    print_tko "%f %f %f %f %f %f\n", %keep_sign, %gone, %keep_mode, %keep_flush, %keep_nan, %gone2 : tile<f32>, tile<f32>, tile<f32>, tile<f32>, tile<f32>, tile<f32> -> token
  }
  entry @ones(%loaded: tile<f32>, %y: tile<f32>) {
    %one = constant <f32: 1.0> : tile<f32>
    %minus = constant <f32: -1.0> : tile<f32>
    %four = constant <f32: 4.0> : tile<f32>
    %three = constant <f32: 3.0> : tile<f32>
    %x = mulf %loaded, %y : tile<f32>
    %gone = mulf %one, %x : tile<f32>
    %neg = mulf %loaded, %minus : tile<f32>
    %times = divf %x, %four rounding<approx> : tile<f32>
    %keep = divf %x, %three : tile<f32>
    %add = fma %x, %one, %y : tile<f32>
    %sub = addf %y, %neg : tile<f32>
    %order = addf %y, %x : tile<f32>
    print_tko "%f %f %f %f %f %f\n", %gone, %times, %keep, %add, %sub, %order : tile<f32>, tile<f32>, tile<f32>, tile<f32>, tile<f32>, tile<f32> -> token
  }
  entry @rest(%x: tile<f32>, %h: tile<f16>) {
    %a = negf %x : tile<f32>
    %b = absf %a : tile<f32>
    %c = floor %x : tile<f32>
    %d = ceil %c : tile<f32>
    %e = cmpf less_than ordered %x, %x : tile<f32> -> tile<i1>
    %f = cmpf equal ordered %x, %x : tile<f32> -> tile<i1>
    %s = sqrt %h : tile<f16>
    %wide = ftof %s : tile<f16> -> tile<f32>
    %back = ftof %wide : tile<f32> -> tile<f16>
    %other = ftof %wide : tile<f32> -> tile<bf16>
    print_tko "%f %f %i %i %f %f\n", %b, %d, %e, %f, %back, %other : tile<f32>, tile<f32>, tile<i1>, tile<i1>, tile<f16>, tile<bf16> -> token
  }
  entry @constants() {
    %x = constant <f32: [1.0, 3.0, -0.0, 0x7fc00000]> : tile<4xf32>
    %three = constant <f32: 3.0> : tile<4xf32>
    %up = divf %x, %three rounding<positive_inf> : tile<4xf32>
    %down = divf %x, %three rounding<negative_inf> : tile<4xf32>
    %i = ftoi %three signed : tile<4xf32> -> tile<4xi32>
    %undefined = ftoi %x signed : tile<4xf32> -> tile<4xi32>
    %small = ftof %up : tile<4xf32> -> tile<4xf8E4M3FN>
    %exp = exp %three : tile<4xf32>
    print_tko "%f %f %i %i %f %f\n", %up, %down, %i, %undefined, %small, %exp : tile<4xf32>, tile<4xf32>, tile<4xi32>, tile<4xi32>, tile<4xf8E4M3FN>, tile<4xf32> -> token
  }
}

// $ tessera opt floats.mlir --passes=canonicalize | tail -n +4
// cuda_tile.module @floats {
//   entry @zeros(%loaded: tile<f32>, %y: tile<f32>) {
//     %zero = constant <f32: 0.000000e+00> : tile<f32>
//     %minus = constant <f32: -0.000000e+00> : tile<f32>
//     %x = mulf %loaded, %y : tile<f32>
//     %keep_sign = addf %x, %zero : tile<f32>
//     %keep_mode = addf %x, %minus rounding<negative_inf> : tile<f32>
//     %keep_flush = addf %x, %minus flush_to_zero : tile<f32>
//     %keep_nan = addf %loaded, %minus : tile<f32>
//     %result_token = print_tko "%f %f %f %f %f %f\0A", %keep_sign, %x, %keep_mode, %keep_flush, %keep_nan, %x : tile<f32>, tile<f32>, tile<f32>, tile<f32>, tile<f32>, tile<f32> -> token
//     return
//   }
//   entry @ones(%loaded: tile<f32>, %y: tile<f32>) {
//     %three = constant <f32: 3.000000e+00> : tile<f32>
//     %x = mulf %loaded, %y : tile<f32>
//     %cst_f32 = constant <f32: 2.500000e-01> : tile<f32>
//     %times = mulf %x, %cst_f32 : tile<f32>
//     %keep = divf %x, %three : tile<f32>
//     %add = addf %x, %y : tile<f32>
//     %sub = subf %y, %loaded : tile<f32>
//     %order = addf %x, %y : tile<f32>
//     %result_token = print_tko "%f %f %f %f %f %f\0A", %x, %times, %keep, %add, %sub, %order : tile<f32>, tile<f32>, tile<f32>, tile<f32>, tile<f32>, tile<f32> -> token
//     return
//   }
//   entry @rest(%x: tile<f32>, %h: tile<f16>) {
//     %b = absf %x : tile<f32>
//     %c = floor %x : tile<f32>
//     %e = constant <i1: false> : tile<i1>
//     %f = cmpf equal ordered %x, %x : tile<f32> -> tile<i1>
//     %s = sqrt %h : tile<f16>
//     %other = ftof %s : tile<f16> -> tile<bf16>
//     %result_token = print_tko "%f %f %i %i %f %f\0A", %b, %c, %e, %f, %s, %other : tile<f32>, tile<f32>, tile<i1>, tile<i1>, tile<f16>, tile<bf16> -> token
//     return
//   }
//   entry @constants() {
//     %x = constant <f32: [1.000000e+00, 3.000000e+00, -0.000000e+00, 0x7FC00000]> : tile<4xf32>
//     %up = constant <f32: [0.333333343, 1.000000e+00, -0.000000e+00, 0x7FC00000]> : tile<4xf32>
//     %down = constant <f32: [0.333333313, 1.000000e+00, -0.000000e+00, 0x7FC00000]> : tile<4xf32>
//     %i = constant <i32: 3> : tile<4xi32>
//     %undefined = ftoi %x signed : tile<4xf32> -> tile<4xi32>
//     %small = constant <f8E4M3FN: [3.437500e-01, 1.000000e+00, -0.000000e+00, 4.480000e+02]> : tile<4xf8E4M3FN>
//     %exp = constant <f32: 20.085537> : tile<4xf32>
//     %result_token = print_tko "%f %f %i %i %f %f\0A", %up, %down, %i, %undefined, %small, %exp : tile<4xf32>, tile<4xf32>, tile<4xi32>, tile<4xi32>, tile<4xf8E4M3FN>, tile<4xf32> -> token
//     return
//   }
// }
