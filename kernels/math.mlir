// Functions of f32 vectors of any length n, element by element; how exact they are says
// docs/numerics.md. Launch ceil(n / 4096) tile blocks.
!vector = !cuda_tile.tensor_view<?xf32, strides=[1]>
!tiles = !cuda_tile.partition_view<tile=(4096), tensor_view<?xf32, strides=[1]>>
cuda_tile.module @math {
  // y = e^x
  entry @exp_f32(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i64>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %x_view = make_tensor_view %x, shape = [%n], strides = [1] : tile<i64> -> !vector
    %y_view = make_tensor_view %y, shape = [%n], strides = [1] : tile<i64> -> !vector
    %x_tiles = make_partition_view %x_view : !tiles
    %y_tiles = make_partition_view %y_view : !tiles
    %a, %t0 = load_view_tko weak %x_tiles[%i] : !tiles, tile<i32> -> tile<4096xf32>, token
    %f = exp %a : tile<4096xf32>
    %t1 = store_view_tko weak %f, %y_tiles[%i] : tile<4096xf32>, !tiles, tile<i32> -> token
  }

  // y = 2^x
  entry @exp2_f32(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i64>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %x_view = make_tensor_view %x, shape = [%n], strides = [1] : tile<i64> -> !vector
    %y_view = make_tensor_view %y, shape = [%n], strides = [1] : tile<i64> -> !vector
    %x_tiles = make_partition_view %x_view : !tiles
    %y_tiles = make_partition_view %y_view : !tiles
    %a, %t0 = load_view_tko weak %x_tiles[%i] : !tiles, tile<i32> -> tile<4096xf32>, token
    %f = exp2 %a : tile<4096xf32>
    %t1 = store_view_tko weak %f, %y_tiles[%i] : tile<4096xf32>, !tiles, tile<i32> -> token
  }

  // y = log(x)
  entry @log_f32(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i64>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %x_view = make_tensor_view %x, shape = [%n], strides = [1] : tile<i64> -> !vector
    %y_view = make_tensor_view %y, shape = [%n], strides = [1] : tile<i64> -> !vector
    %x_tiles = make_partition_view %x_view : !tiles
    %y_tiles = make_partition_view %y_view : !tiles
    %a, %t0 = load_view_tko weak %x_tiles[%i] : !tiles, tile<i32> -> tile<4096xf32>, token
    %f = log %a : tile<4096xf32>
    %t1 = store_view_tko weak %f, %y_tiles[%i] : tile<4096xf32>, !tiles, tile<i32> -> token
  }

  // y = log2(x)
  entry @log2_f32(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i64>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %x_view = make_tensor_view %x, shape = [%n], strides = [1] : tile<i64> -> !vector
    %y_view = make_tensor_view %y, shape = [%n], strides = [1] : tile<i64> -> !vector
    %x_tiles = make_partition_view %x_view : !tiles
    %y_tiles = make_partition_view %y_view : !tiles
    %a, %t0 = load_view_tko weak %x_tiles[%i] : !tiles, tile<i32> -> tile<4096xf32>, token
    %f = log2 %a : tile<4096xf32>
    %t1 = store_view_tko weak %f, %y_tiles[%i] : tile<4096xf32>, !tiles, tile<i32> -> token
  }

  // y = sin(x)
  entry @sin_f32(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i64>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %x_view = make_tensor_view %x, shape = [%n], strides = [1] : tile<i64> -> !vector
    %y_view = make_tensor_view %y, shape = [%n], strides = [1] : tile<i64> -> !vector
    %x_tiles = make_partition_view %x_view : !tiles
    %y_tiles = make_partition_view %y_view : !tiles
    %a, %t0 = load_view_tko weak %x_tiles[%i] : !tiles, tile<i32> -> tile<4096xf32>, token
    %f = sin %a : tile<4096xf32>
    %t1 = store_view_tko weak %f, %y_tiles[%i] : tile<4096xf32>, !tiles, tile<i32> -> token
  }

  // y = cos(x)
  entry @cos_f32(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i64>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %x_view = make_tensor_view %x, shape = [%n], strides = [1] : tile<i64> -> !vector
    %y_view = make_tensor_view %y, shape = [%n], strides = [1] : tile<i64> -> !vector
    %x_tiles = make_partition_view %x_view : !tiles
    %y_tiles = make_partition_view %y_view : !tiles
    %a, %t0 = load_view_tko weak %x_tiles[%i] : !tiles, tile<i32> -> tile<4096xf32>, token
    %f = cos %a : tile<4096xf32>
    %t1 = store_view_tko weak %f, %y_tiles[%i] : tile<4096xf32>, !tiles, tile<i32> -> token
  }

  // y = tanh(x)
  entry @tanh_f32(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i64>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %x_view = make_tensor_view %x, shape = [%n], strides = [1] : tile<i64> -> !vector
    %y_view = make_tensor_view %y, shape = [%n], strides = [1] : tile<i64> -> !vector
    %x_tiles = make_partition_view %x_view : !tiles
    %y_tiles = make_partition_view %y_view : !tiles
    %a, %t0 = load_view_tko weak %x_tiles[%i] : !tiles, tile<i32> -> tile<4096xf32>, token
    %f = tanh %a : tile<4096xf32>
    %t1 = store_view_tko weak %f, %y_tiles[%i] : tile<4096xf32>, !tiles, tile<i32> -> token
  }

  // y = 1 / sqrt(x)
  entry @rsqrt_f32(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i64>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %x_view = make_tensor_view %x, shape = [%n], strides = [1] : tile<i64> -> !vector
    %y_view = make_tensor_view %y, shape = [%n], strides = [1] : tile<i64> -> !vector
    %x_tiles = make_partition_view %x_view : !tiles
    %y_tiles = make_partition_view %y_view : !tiles
    %a, %t0 = load_view_tko weak %x_tiles[%i] : !tiles, tile<i32> -> tile<4096xf32>, token
    %f = rsqrt %a : tile<4096xf32>
    %t1 = store_view_tko weak %f, %y_tiles[%i] : tile<4096xf32>, !tiles, tile<i32> -> token
  }

  // z = x^y
  entry @pow_f32(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %z: tile<ptr<f32>>, %n: tile<i64>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %x_view = make_tensor_view %x, shape = [%n], strides = [1] : tile<i64> -> !vector
    %y_view = make_tensor_view %y, shape = [%n], strides = [1] : tile<i64> -> !vector
    %z_view = make_tensor_view %z, shape = [%n], strides = [1] : tile<i64> -> !vector
    %x_tiles = make_partition_view %x_view : !tiles
    %y_tiles = make_partition_view %y_view : !tiles
    %z_tiles = make_partition_view %z_view : !tiles
    %a, %t0 = load_view_tko weak %x_tiles[%i] : !tiles, tile<i32> -> tile<4096xf32>, token
    %b, %t1 = load_view_tko weak %y_tiles[%i] : !tiles, tile<i32> -> tile<4096xf32>, token
    %f = pow %a, %b : tile<4096xf32>
    %t2 = store_view_tko weak %f, %z_tiles[%i] : tile<4096xf32>, !tiles, tile<i32> -> token
  }

  // y = erf(x), the error function, to 3e-7: 1 - (a1 t + … + a5 t^5) e^(-x^2) with t = 1 / (1 + p |x|), as in
  // M. Abramowitz and I. A. Stegun, Handbook of Mathematical Functions, 7.1.26
  entry @erf_f32(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i64>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %x_view = make_tensor_view %x, shape = [%n], strides = [1] : tile<i64> -> !vector
    %y_view = make_tensor_view %y, shape = [%n], strides = [1] : tile<i64> -> !vector
    %x_tiles = make_partition_view %x_view : !tiles
    %y_tiles = make_partition_view %y_view : !tiles
    %a, %t0 = load_view_tko weak %x_tiles[%i] : !tiles, tile<i32> -> tile<4096xf32>, token
    %one = constant <f32: 1.0> : tile<4096xf32>
    %zero = constant <f32: 0.0> : tile<4096xf32>
    %p = constant <f32: 0.3275911> : tile<4096xf32>
    %a1 = constant <f32: 0.254829592> : tile<4096xf32>
    %a2 = constant <f32: -0.284496736> : tile<4096xf32>
    %a3 = constant <f32: 1.421413741> : tile<4096xf32>
    %a4 = constant <f32: -1.453152027> : tile<4096xf32>
    %a5 = constant <f32: 1.061405429> : tile<4096xf32>
    %size = absf %a : tile<4096xf32>
    %below = fma %p, %size, %one : tile<4096xf32>
    %t = divf %one, %below : tile<4096xf32>
    %s4 = fma %a5, %t, %a4 : tile<4096xf32>
    %s3 = fma %s4, %t, %a3 : tile<4096xf32>
    %s2 = fma %s3, %t, %a2 : tile<4096xf32>
    %s1 = fma %s2, %t, %a1 : tile<4096xf32>
    %s = mulf %s1, %t : tile<4096xf32>
    %square = mulf %a, %a : tile<4096xf32>
    %minus = negf %square : tile<4096xf32>
    %e = exp %minus : tile<4096xf32>
    %rest = mulf %s, %e : tile<4096xf32>
    %above = subf %one, %rest : tile<4096xf32>
    %under = negf %above : tile<4096xf32>
    %negative = cmpf less_than ordered %a, %zero : tile<4096xf32> -> tile<4096xi1>
    %f = select %negative, %under, %above : tile<4096xi1>, tile<4096xf32>
    %t1 = store_view_tko weak %f, %y_tiles[%i] : tile<4096xf32>, !tiles, tile<i32> -> token
  }
}
