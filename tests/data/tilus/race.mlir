// {"name": "race", "types": ["float32*", "float32*"], "grid": [1, 1, 1], "workspaces": []}
#l0 = layout<RegisterLayout(shape=[32, 32], mode_shape=[32, 2, 16], spatial_modes=[0, 1], local_modes=[2])>
#l1 = layout<(32,32):(32,1)>
#l2 = layout<RegisterLayout(shape=[32, 32], mode_shape=[2, 16, 32], spatial_modes=[0, 2], local_modes=[1])>
cuda_tile.module @race {
  entry @race(%x_ptr: tile<ptr<f32>>, %y_ptr: tile<ptr<f32>>) threads(64) {
    %c0 = constant <i32: 0> : tile<i32>
    %b1, %b2, %b3 = get_tile_block_id : tile<i32>
    %g4, %g5, %g6 = get_num_tile_blocks : tile<i32>
    %g7 = make_tensor_view %x_ptr, shape = [32, 32], strides = [32, 1] : tensor_view<32x32xf32, strides=[32,1]> loc("tests/data/tilus/scripts.py":201:14)
    %g8 = make_tensor_view %y_ptr, shape = [32, 32], strides = [32, 1] : tensor_view<32x32xf32, strides=[32,1]> loc("tests/data/tilus/scripts.py":202:14)
    %9 = load_global %g7[%c0, %c0] : tensor_view<32x32xf32, strides=[32,1]> -> tile<32x32xf32, #l0> loc("tests/data/tilus/scripts.py":203:13)
    %s10 = alloc_shared : shared<32x32xf32, #l1> loc("tests/data/tilus/scripts.py":204:17)
    store_shared %9, %s10 : tile<32x32xf32, #l0>, shared<32x32xf32, #l1> loc("tests/data/tilus/scripts.py":205:9)
    %11 = load_shared %s10 : shared<32x32xf32, #l1> -> tile<32x32xf32, #l2> loc("tests/data/tilus/scripts.py":206:13)
    store_global %11, %g8[%c0, %c0] : tile<32x32xf32, #l2>, tensor_view<32x32xf32, strides=[32,1]> loc("tests/data/tilus/scripts.py":209:9)
    return
  }
}
