// RUN: %engines %t %s --grid 3 i32:-7 f32:2.5 i64:0x7fffffffffffffff
// RUN: FileCheck %s <%t/out
//
// CHECK-DAG: block 0: -7 2.5{{0*}} 9223372036854775807
// CHECK-DAG: block 1: -7 2.5{{0*}} 9223372036854775807
// CHECK-DAG: block 2: -7 2.5{{0*}} 9223372036854775807
// CHECK-DAG: {{\[\[}}0, 1{{\]}}, {{\[}}2, 3{{\]\]}}
cuda_tile.module @print {
  entry @print(%i: tile<i32>, %f: tile<f32>, %l: tile<i64>) {
    %block, %by, %bz = get_tile_block_id : tile<i32>
    %lanes = iota : tile<4xi32>
    %square = reshape %lanes : tile<4xi32> -> tile<2x2xi32>
    print_tko "block %i: %d %f %lld\n", %block, %i, %f, %l : tile<i32>, tile<i32>, tile<f32>, tile<i64> -> token
    print_tko "%i\n", %square : tile<2x2xi32> -> token
  }
}
