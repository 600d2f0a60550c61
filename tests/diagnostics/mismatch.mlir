// RUN: %transcript %s
cuda_tile.module @mismatch {
  entry @kind(%a: tile<i32>) {
    %0 = addf %a, %a : tile<i32>
  }
  entry @shape(%a: tile<f32>) {
    %0 = reshape %a : tile<f32> -> tile<2xf32>
  }
  entry @broadcast() {
    %0 = constant <f32: 1.0> : tile<2xf32>
    %1 = broadcast %0 : tile<2xf32> -> tile<8xf32>
  }
  entry @product() {
    %a = constant <f32: 1.0> : tile<4x8xf32>
    %b = constant <f32: 1.0> : tile<4x8xf32>
    %c = constant <f32: 0.0> : tile<4x8xf32>
    %0 = mmaf %a, %b, %c : tile<4x8xf32>, tile<4x8xf32>, tile<4x8xf32>
  }
  entry @parameter(%a: tile<4xf32>) {
  }
}

// $ tessera check mismatch.mlir
