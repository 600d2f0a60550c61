// RUN: %transcript %s
//
// Moving elements, views, masks, tokens, assumptions.
cuda_tile.module @shapes {
  entry @moves(%x: tile<i32>) {
    %a = reshape %x : tile<i32> -> tile<1x1xi32>
    %b = broadcast %a : tile<1x1xi32> -> tile<1x4xi32>
    %c = broadcast %b : tile<1x4xi32> -> tile<8x4xi32>
    %d = permute %c [1, 0] : tile<8x4xi32> -> tile<4x8xi32>
    %e = permute %d [1, 0] : tile<4x8xi32> -> tile<8x4xi32>
    %f = reshape %e : tile<8x4xi32> -> tile<32xi32>
    %g = reshape %f : tile<32xi32> -> tile<2x16xi32>
    %iota = iota : tile<2xi32>
    %cat = cat %iota, %iota dim = 0 : tile<2xi32>, tile<2xi32> -> tile<4xi32>
    %two = constant <i32: 2> : tile<i32>
    %h = extract %cat[%two] : tile<4xi32> -> tile<1xi32>
    print_tko "%i %i\n", %g, %h : tile<2x16xi32>, tile<1xi32> -> token
  }
  entry @constants() {
    %a = constant <i16: [[1, 2], [3, 4]]> : tile<2x2xi16>
    %one = constant <i32: 1> : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %b = permute %a [1, 0] : tile<2x2xi16> -> tile<2x2xi16>
    %c = cat %a, %b dim = 1 : tile<2x2xi16>, tile<2x2xi16> -> tile<2x4xi16>
    %d = extract %c[%one, %zero] : tile<2x4xi16> -> tile<1x2xi16>
    %e = broadcast %d : tile<1x2xi16> -> tile<4x2xi16>
    %f = reshape %a : tile<2x2xi16> -> tile<4xi16>
    %g = pack %f : tile<4xi16> -> tile<8xi8>
    %big = constant <i16: 5> : tile<4096xi16>
    %h = reshape %big : tile<4096xi16> -> tile<64x64xi16>
    print_tko "%i %i %i %i\n", %c, %e, %g, %h : tile<2x4xi16>, tile<4x2xi16>, tile<8xi8>, tile<64x64xi16> -> token
  }
  entry @views(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %view = make_tensor_view %p, shape = [%n, 100], strides = [100, 1] : tile<i32> -> tensor_view<?x100xf32, strides=[100,1]>
    %part = make_partition_view %view : partition_view<tile=(8x8), tensor_view<?x100xf32, strides=[100,1]>>
    %rows, %columns = get_tensor_shape %view : tensor_view<?x100xf32, strides=[100,1]> -> tile<i32>
    %down, %across = get_index_space_shape %part : partition_view<tile=(8x8), tensor_view<?x100xf32, strides=[100,1]>> -> tile<i32>
    print_tko "%i %i %i %i\n", %rows, %columns, %down, %across : tile<i32>, tile<i32>, tile<i32>, tile<i32> -> token
  }
  entry @masks(%p: tile<ptr<i32>>, %x: tile<i32>) {
    %all = constant <i1: true> : tile<i1>
    %none = constant <i1: false> : tile<i1>
    %start = make_token : token
    %a, %t = load_ptr_tko weak %p, %all, %x token=%start : tile<ptr<i32>>, tile<i1>, tile<i32> -> tile<i32>, token
    %u = store_ptr_tko weak %p, %a, %none token=%t : tile<ptr<i32>>, tile<i32>, tile<i1> -> token
    %v = join_tokens %u, %t, %start : token
    %w = store_ptr_tko weak %p, %x, %all token=%v : tile<ptr<i32>>, tile<i32>, tile<i1> -> token
    assert %all, "never" : tile<i1>
  }
  entry @assumptions(%x: tile<i32>) {
    %a = assume div_by<16>, %x : tile<i32>
    %b = assume div_by<16>, %a : tile<i32>
    %c = assume div_by<8>, %b : tile<i32>
    print_tko "%i\n", %c : tile<i32> -> token
  }
}

// $ tessera opt shapes.mlir --passes=canonicalize | tail -n +4
// cuda_tile.module @shapes {
//   entry @moves(%x: tile<i32>) {
//     %a = reshape %x : tile<i32> -> tile<1x1xi32>
//     %c = broadcast %a : tile<1x1xi32> -> tile<8x4xi32>
//     %g = reshape %c : tile<8x4xi32> -> tile<2x16xi32>
//     %iota = iota : tile<2xi32>
//     %cst_0_i32 = constant <i32: 0> : tile<i32>
//     %h = extract %iota[%cst_0_i32] : tile<2xi32> -> tile<1xi32>
//     %result_token = print_tko "%i %i\0A", %g, %h : tile<2x16xi32>, tile<1xi32> -> token
//     return
//   }
//   entry @constants() {
//     %c = constant <i16: [[1, 2, 1, 3], [3, 4, 2, 4]]> : tile<2x4xi16>
//     %e = constant <i16: [[3, 4], [3, 4], [3, 4], [3, 4]]> : tile<4x2xi16>
//     %g = constant <i8: [1, 0, 2, 0, 3, 0, 4, 0]> : tile<8xi8>
//     %h = constant <i16: 5> : tile<64x64xi16>
//     %result_token = print_tko "%i %i %i %i\0A", %c, %e, %g, %h : tile<2x4xi16>, tile<4x2xi16>, tile<8xi8>, tile<64x64xi16> -> token
//     return
//   }
//   entry @views(%p: tile<ptr<f32>>, %n: tile<i32>) {
//     %view = make_tensor_view %p, shape = [%n, 100], strides = [100, 1] : tile<i32> -> tensor_view<?x100xf32, strides=[100,1]>
//     %part = make_partition_view %view : partition_view<tile=(8x8), tensor_view<?x100xf32, strides=[100,1]>>
//     %columns = constant <i32: 100> : tile<i32>
//     %across = constant <i32: 13> : tile<i32>
//     %down, %across_0 = get_index_space_shape %part : partition_view<tile=(8x8), tensor_view<?x100xf32, strides=[100,1]>> -> tile<i32>
//     %result_token = print_tko "%i %i %i %i\0A", %n, %columns, %down, %across : tile<i32>, tile<i32>, tile<i32>, tile<i32> -> token
//     return
//   }
//   entry @masks(%p: tile<ptr<i32>>, %x: tile<i32>) {
//     %start = make_token : token
//     %a, %t = load_ptr_tko weak %p token=%start : tile<ptr<i32>> -> tile<i32>, token
//     %w = store_ptr_tko weak %p, %x token=%t : tile<ptr<i32>>, tile<i32> -> token
//     return
//   }
//   entry @assumptions(%x: tile<i32>) {
//     %a = assume div_by<16>, %x : tile<i32>
//     %c = assume div_by<8>, %a : tile<i32>
//     %result_token = print_tko "%i\0A", %c : tile<i32> -> token
//     return
//   }
// }
