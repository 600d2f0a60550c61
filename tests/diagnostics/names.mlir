// RUN: %transcript %s
cuda_tile.module @names {
  entry @before(%a: tile<f32>) {
    %0 = addf %a, %b : tile<f32>
    %b = addf %a, %a : tile<f32>
  }
  entry @never(%alpha: tile<f32>) {
    %0 = addf %alpha, %alpah : tile<f32>
  }
  entry @outside(%c: tile<i1>, %a: tile<f32>) {
    if %c {
      %inner = addf %a, %a : tile<f32>
    }
    %0 = addf %inner, %a : tile<f32>
  }
  entry @twice(%a: tile<f32>) {
    %0 = addf %a, %a : tile<f32>
    %0 = addf %a, %a : tile<f32>
  }
  entry @twice(%a: tile<f32>) {
  }
}

// $ tessera check names.mlir
