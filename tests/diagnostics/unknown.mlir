// RUN: %transcript %s
cuda_tile.module @unknown {
  entry @operation(%a: tile<f32>) {
    %0 = adff %a, %a : tile<f32>
  }
  entry @type(%a: tile<f33>) {
  }
  entry @dimension(%a: tile<3xf32>) {
  }
  entry @attribute(%a: tile<f32>) {
    %0 = addf %a, %a rounding<nearest> : tile<f32>
  }
  entry @enumerator(%a: tile<ptr<f32>>) {
    %0, %1 = load_ptr_tko strong %a : tile<ptr<f32>> -> tile<f32>, token
  }
  frobnicate @x
}

// $ tessera check unknown.mlir
