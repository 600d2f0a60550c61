// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics

// expected-error @below{{it is right, in truth}}
cuda_tile.module @a { }

// -----

cuda_tile.module @b { entry @k() { break } }

// -----

cuda_tile.module @c {
  // expected-error @below{{the right verdict at another line}}
  entry @k() {
    break
  }
}
