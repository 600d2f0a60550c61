// A loop over one number: slow without memory.
cuda_tile.module @m {
  entry @slow(%P: tile<ptr<f32>>, %n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %t = constant <f32: 1.0> : tile<f32>
    %r = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%x = %t) -> (tile<f32>) {
      %y = addf %x, %t : tile<f32>
      continue %y : tile<f32>
    }
    %tok = store_ptr_tko weak %P, %r : tile<ptr<f32>>, tile<f32> -> token
  }
}
