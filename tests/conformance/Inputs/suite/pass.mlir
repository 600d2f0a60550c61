// RUN: cuda-tile-opt %s --canonicalize -split-input-file | FileCheck %s

cuda_tile.module @a { entry @k() { } }

// -----

module attributes {some.attribute} {
  cuda_tile.module @b { entry @k() { } }
}

// -----

testing$bytecode_test_new_attribute new_param = 3
%c = "make.it"() ({ ^bb0(%x: i32): "use.it"(%x) : (i32) -> () }) : () -> tile<i1>
