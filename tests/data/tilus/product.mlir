// {"name": "product", "types": ["hidet.int32", "float16*", "float16*", "float16*"], "grid": [["/", ["+", "0", 63], 64], 2, 1], "workspaces": []}
#l0 = layout<RegisterLayout(shape=[64, 64], mode_shape=[4, 2, 8, 8, 4, 2], spatial_modes=[2, 4], local_modes=[0, 3, 1, 5])>
#l1 = layout<RegisterLayout(shape=[64, 16], mode_shape=[4, 2, 8, 2, 4, 2], spatial_modes=[2, 4], local_modes=[0, 3, 1, 5])>
#l2 = layout<RegisterLayout(shape=[16, 64], mode_shape=[2, 4, 2, 8, 8], spatial_modes=[4, 1], local_modes=[3, 0, 2])>
cuda_tile.module @product {
  entry @product(%m: tile<i32>, %a_ptr: tile<ptr<f16>>, %b_ptr: tile<ptr<f16>>, %c_ptr: tile<ptr<f16>>) threads(32) {
    %c0 = constant <i32: 64> : tile<i32>
    %c1 = constant <f32: 0.0> : tile<64x64xf32, #l0>
    %c2 = constant <i32: 4> : tile<i32>
    %c3 = constant <i32: 0> : tile<i32>
    %c4 = constant <i32: 1> : tile<i32>
    %c5 = constant <i32: 16> : tile<i32>
    %b1, %b2, %b3 = get_tile_block_id : tile<i32>
    %g4, %g5, %g6 = get_num_tile_blocks : tile<i32>
    %7 = muli %c0, %b1 : tile<i32> loc("tests/data/tilus/scripts.py":42:14)
    %8 = muli %c0, %b2 : tile<i32> loc("tests/data/tilus/scripts.py":42:14)
    %g9 = make_tensor_view %a_ptr, shape = [%m, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf16, strides=[64,1]> loc("tests/data/tilus/scripts.py":42:14)
    %g10 = make_tensor_view %b_ptr, shape = [64, 128], strides = [128, 1] : tensor_view<64x128xf16, strides=[128,1]> loc("tests/data/tilus/scripts.py":43:14)
    %g11 = make_tensor_view %c_ptr, shape = [%m, 128], strides = [128, 1] : tile<i32> -> tensor_view<?x128xf16, strides=[128,1]> loc("tests/data/tilus/scripts.py":44:14)
    %r14 = for %i12 in (%c3 to %c2, step %c4) : tile<i32> iter_values(%v13 = %c1) -> (tile<64x64xf32, #l0>) {
      %15 = muli %i12, %c5 : tile<i32> loc("tests/data/tilus/scripts.py":47:17)
      %16 = load_global %g9[%7, %15] : tensor_view<?x64xf16, strides=[64,1]> -> tile<64x16xf16, #l1> loc("tests/data/tilus/scripts.py":47:17)
      %17 = muli %i12, %c5 : tile<i32> loc("tests/data/tilus/scripts.py":48:17)
      %18 = load_global %g10[%17, %8] : tensor_view<64x128xf16, strides=[128,1]> -> tile<16x64xf16, #l2> loc("tests/data/tilus/scripts.py":48:17)
      %19 = mmaf %16, %18, %v13 : tile<64x16xf16, #l1>, tile<16x64xf16, #l2>, tile<64x64xf32, #l0> loc("tests/data/tilus/scripts.py":49:13)
      continue %19 : tile<64x64xf32, #l0> loc("tests/data/tilus/scripts.py":49:13)
    } loc("tests/data/tilus/scripts.py":49:13)
    %20 = ftof %r14 : tile<64x64xf32, #l0> -> tile<64x64xf16, #l0> loc("tests/data/tilus/scripts.py":50:31)
    store_global %20, %g11[%7, %8] : tile<64x64xf16, #l0>, tensor_view<?x128xf16, strides=[128,1]> loc("tests/data/tilus/scripts.py":50:9)
    return
  }
}
