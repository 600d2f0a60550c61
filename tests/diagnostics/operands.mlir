// RUN: %transcript %s
cuda_tile.module @operands {
  entry @element(%a: tile<f32>, %b: tile<f64>) {
    %0 = addf %a, %b : tile<f32>
  }
  entry @shape(%a: tile<f32>) {
    %b = constant <f32: 1.0> : tile<4xf32>
    %0 = addf %a, %b : tile<f32>
  }
  entry @count(%a: tile<f32>) {
    %0, %1 = addf %a, %a : tile<f32>
    %2 = addf %a : tile<f32>
  }
  entry @pointer(%p: tile<ptr<f32>>) {
    %x, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f64>, token
  }
}

// $ tessera check operands.mlir
