// RUN: cuda-tile-opt %s | FileCheck %s

// CHECK: @target
cuda_tile.module @target {
  entry @k() optimization_hints = <sm_1 = {occupancy = 2}> { }
}
