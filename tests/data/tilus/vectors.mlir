// {"name": "vectors", "types": ["float16*", "float16*", "float32*"], "grid": [1, 1, 1], "workspaces": []}
#l0 = layout<RegisterLayout(shape=[32, 64], mode_shape=[2, 2, 8, 4, 4, 4], spatial_modes=[0, 2, 4], local_modes=[3, 1, 5])>
#l1 = layout<RegisterLayout(shape=[64, 16], mode_shape=[2, 2, 4, 4, 2, 8], spatial_modes=[-2, 5, 2], local_modes=[0, 4, 1, 3])>
#l2 = layout<RegisterLayout(shape=[32, 16], mode_shape=[2, 2, 8, 2, 4, 2], spatial_modes=[0, 2, 4], local_modes=[3, 1, 5])>
#l3 = layout<RegisterLayout(shape=[32, 64], mode_shape=[2, 2, 8, 2, 2, 2, 4, 2], spatial_modes=[0, 2, 6], local_modes=[3, 5, 1, 4, 7])>
#l4 = layout<RegisterLayout(shape=[32, 64], mode_shape=[2, 2, 8, 2, 2, 2, 4, 2], spatial_modes=[0, 2, 6], local_modes=[4, 3, 5, 1, 7])>
#l5 = layout<RegisterLayout(shape=[64, 16], mode_shape=[2, 2, 2, 4, 2, 2, 8], spatial_modes=[-2, 6, 3], local_modes=[0, 5, 2, 1, 4])>
#l6 = layout<RegisterLayout(shape=[64, 16], mode_shape=[2, 2, 2, 4, 2, 2, 8], spatial_modes=[-2, 6, 3], local_modes=[1, 0, 5, 2, 4])>
cuda_tile.module @vectors {
  entry @vectors(%a_ptr: tile<ptr<f16>>, %b_ptr: tile<ptr<f16>>, %c_ptr: tile<ptr<f32>>) threads(64) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <f32: 0.0> : tile<32x16xf32, #l2>
    %b1, %b2, %b3 = get_tile_block_id : tile<i32>
    %g4, %g5, %g6 = get_num_tile_blocks : tile<i32>
    %g7 = make_tensor_view %a_ptr, shape = [32, 64], strides = [64, 1] : tensor_view<32x64xf16, strides=[64,1]> loc("tests/data/tilus/scripts.py":392:14)
    %g8 = make_tensor_view %b_ptr, shape = [64, 16], strides = [16, 1] : tensor_view<64x16xf16, strides=[16,1]> loc("tests/data/tilus/scripts.py":393:14)
    %g9 = make_tensor_view %c_ptr, shape = [32, 16], strides = [16, 1] : tensor_view<32x16xf32, strides=[16,1]> loc("tests/data/tilus/scripts.py":394:14)
    %10 = load_global %g7[%c0, %c0] : tensor_view<32x64xf16, strides=[64,1]> -> tile<32x64xf16, #l0> loc("tests/data/tilus/scripts.py":395:13)
    %11 = load_global %g8[%c0, %c0] : tensor_view<64x16xf16, strides=[16,1]> -> tile<64x16xf16, #l1> loc("tests/data/tilus/scripts.py":396:13)
    %12 = reinterpret %10 : tile<32x64xf16, #l0> -> tile<32x64xf16, #l3> loc("tests/data/tilus/scripts.py":397:13)
    %13 = convert_layout %12 : tile<32x64xf16, #l3> -> tile<32x64xf16, #l4> loc("tests/data/tilus/scripts.py":397:13)
    %14 = reinterpret %11 : tile<64x16xf16, #l1> -> tile<64x16xf16, #l5> loc("tests/data/tilus/scripts.py":397:13)
    %15 = convert_layout %14 : tile<64x16xf16, #l5> -> tile<64x16xf16, #l6> loc("tests/data/tilus/scripts.py":397:13)
    %16 = mmaf %13, %15, %c1 : tile<32x64xf16, #l4>, tile<64x16xf16, #l6>, tile<32x16xf32, #l2> loc("tests/data/tilus/scripts.py":397:13)
    store_global %16, %g9[%c0, %c0] : tile<32x16xf32, #l2>, tensor_view<32x16xf32, strides=[16,1]> loc("tests/data/tilus/scripts.py":401:9)
    return
  }
}
