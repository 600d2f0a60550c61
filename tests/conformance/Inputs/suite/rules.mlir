// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect

// A right case among wrong ones.
cuda_tile.module @right {
  testing$func @f(%x: tile<8xf32>) -> tile<8xf32> {
    %y = addf %x, %x : tile<8xf32>
    return %y : tile<8xf32>
  }
}

// -----

// Outside any module.
%c = cuda_tile.constant <i32: 7> : !cuda_tile.tile<i32>
// expected-error @below{{must be}}
%d = cuda_tile.negf %c : !cuda_tile.tile<i32>

// -----

// expected-error @+1 {{parent}}
cuda_tile.break

// -----

cuda_tile.module @two_lines {
  testing$func @f(%p: tile<8xptr<f32>>) {
    // expected-error @below{{must be}}
    // expected-note @below{{something more}}
    %t = store_ptr_tko weak %p, %p : tile<8xptr<f32>>, tile<8xptr<f32>> -> token
  }
}

// -----

cuda_tile.module @above {
  testing$func @f(%c: i32) {
    %x = "make.it"(%c) : (i32) -> tile<4xi1>
    %y = cuda_tile.select %x, %x, %x : tile<4xi1>, tile<8xi1>
    // expected-error @above{{type}}
  }
}

// -----

cuda_tile.module @same_line {
  testing$func @f() -> tile<i32> {
    return // expected-error {{operands}}
  }
}

// -----

cuda_tile.module @patterns {
  testing$func @f(%v: tensor_view<8x8xf32, strides=[8, 1]>) {
    // expected-error-re @below{{found {{.*}}}}
    %p = make_partition_view %v : tensor_view<8x8xf32, strides=[8, 1]>
  }
}

// -----

cuda_tile.module @first {
  global @g <i32: 1> : tile<1xi32>
}
cuda_tile.module @second {
  entry @k() {
    // expected-error @below{{valid global}}
    %p = get_global @g : tile<ptr<i32>>
  }
}
