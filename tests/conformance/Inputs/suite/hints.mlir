// RUN: cuda-tile-opt %s -Wunsupported-hints -Werr-hints -verify-diagnostics -split-input-file

cuda_tile.module @right {
  entry @k() optimization_hints = <sm_90 = {occupancy = 2}> { }
}

// -----

cuda_tile.module @target {
  // expected-warning @below{{unknown}}
  // expected-error @below{{verification}}
  entry @k() optimization_hints = <sm_1 = {occupancy = 2}> { }
}

// -----

cuda_tile.module @not_a_number {
  // expected-error @below{{verification}}
  entry @k() optimization_hints = <sm_90 = {occupancy = "two"}> { }
}
