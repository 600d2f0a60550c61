// A load with a padding value and no mask, which front ends write, has the generic form: the custom
// one could not say that the second operand is no mask.
//
// RUN: %tessera as %s -o %t.bc
// RUN: %tessera dis %t.bc -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: %tessera as %t.mlir -o %t2.bc
// RUN: cmp %t.bc %t2.bc
cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %q: tile<ptr<i1>>, %m: tile<i1>, %x: tile<f32>) {
    %t = make_token : token
    // CHECK: "cuda_tile.load_ptr_tko"(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}}) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 0, 1, 1>}> : (tile<ptr<f32>>, tile<f32>, token) -> (tile<f32>, token)
    %a, %t1 = "cuda_tile.load_ptr_tko"(%p, %x, %t) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 0, 1, 1>}> : (tile<ptr<f32>>, tile<f32>, token) -> (tile<f32>, token)
    // CHECK: "cuda_tile.load_ptr_tko"(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, optimization_hints = #cuda_tile.optimization_hints<sm_100 = {latency = 3}>, operandSegmentSizes = array<i32: 1, 0, 1, 0>}>
    %b, %t2 = "cuda_tile.load_ptr_tko"(%p, %x) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, optimization_hints = #cuda_tile.optimization_hints<sm_100 = {latency = 3}>, operandSegmentSizes = array<i32: 1, 0, 1, 0>}> : (tile<ptr<f32>>, tile<f32>) -> (tile<f32>, token)
    // CHECK: load_ptr_tko weak %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : tile<ptr<i1>>, tile<i1>, tile<i1>
    %c, %t3 = load_ptr_tko weak %q, %m, %m : tile<ptr<i1>>, tile<i1>, tile<i1> -> tile<i1>, token
    // CHECK: load_ptr_tko weak %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : tile<ptr<i1>>, tile<i1> ->
    %d, %t4 = load_ptr_tko weak %q, %m : tile<ptr<i1>>, tile<i1> -> tile<i1>, token
    // CHECK: "cuda_tile.load_ptr_tko"(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 0, 1, 0>}> : (tile<ptr<i1>>, tile<i1>) ->
    %e, %t5 = "cuda_tile.load_ptr_tko"(%q, %m) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 0, 1, 0>}> : (tile<ptr<i1>>, tile<i1>) -> (tile<i1>, token)
  }
}
