// RUN: %transcript %s
//
// fuse-fma: products that nothing else wants, when both round and flush alike.
cuda_tile.module @fma {
  entry @k(%x: tile<f32>, %y: tile<f32>, %z: tile<f32>) {
    %p = mulf %x, %y : tile<f32>
    %add = addf %p, %z : tile<f32>
    %p1 = mulf %x, %y rounding<zero> flush_to_zero : tile<f32>
    %sub = subf %p1, %z rounding<zero> flush_to_zero : tile<f32>
    %p2 = mulf %x, %y : tile<f32>
    %right = addf %z, %p2 : tile<f32>
    %p3 = mulf %x, %y : tile<f32>
    %twice = addf %p3, %p3 : tile<f32>
    %p4 = mulf %x, %y : tile<f32>
    %mode = addf %p4, %z rounding<zero> : tile<f32>
    %p5 = mulf %x, %y : tile<f32>
    %right_sub = subf %z, %p5 : tile<f32>
    print_tko "%f %f %f %f %f %f\n", %add, %sub, %right, %twice, %mode, %right_sub : tile<f32>, tile<f32>, tile<f32>, tile<f32>, tile<f32>, tile<f32> -> token
  }
}

// $ tessera opt fma.mlir --passes=fuse-fma | tail -n +4
// cuda_tile.module @fma {
//   entry @k(%x: tile<f32>, %y: tile<f32>, %z: tile<f32>) {
//     %add = fma %x, %y, %z : tile<f32>
//     %0 = negf %z : tile<f32>
//     %sub = fma %x, %y, %0 rounding<zero> flush_to_zero : tile<f32>
//     %right = fma %x, %y, %z : tile<f32>
//     %p3 = mulf %x, %y : tile<f32>
//     %twice = addf %p3, %p3 : tile<f32>
//     %p4 = mulf %x, %y : tile<f32>
//     %mode = addf %p4, %z rounding<zero> : tile<f32>
//     %p5 = mulf %x, %y : tile<f32>
//     %right_sub = subf %z, %p5 : tile<f32>
//     %result_token = print_tko "%f %f %f %f %f %f\0A", %add, %sub, %right, %twice, %mode, %right_sub : tile<f32>, tile<f32>, tile<f32>, tile<f32>, tile<f32>, tile<f32> -> token
//     return
//   }
// }
