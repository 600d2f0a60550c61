// {"name": "copied", "types": ["float32*", "float32*"], "grid": [1, 1, 1], "workspaces": []}
#l0 = layout<(32,32):(32,1)>
#l1 = layout<RegisterLayout(shape=[32, 32], mode_shape=[4, 8, 8, 4], spatial_modes=[1, 2], local_modes=[0, 3])>
#l2 = layout<RegisterLayout(shape=[32, 32], mode_shape=[2, 16, 32], spatial_modes=[0, 2], local_modes=[1])>
#l3 = layout<RegisterLayout(shape=[32, 32], mode_shape=[32, 2, 16], spatial_modes=[0, 1], local_modes=[2])>
cuda_tile.module @copied {
  entry @copied(%x_ptr: tile<ptr<f32>>, %y_ptr: tile<ptr<f32>>) threads(64) {
    %c0 = constant <i32: 0> : tile<i32>
    %b1, %b2, %b3 = get_tile_block_id : tile<i32>
    %g4, %g5, %g6 = get_num_tile_blocks : tile<i32>
    %g7 = make_tensor_view %x_ptr, shape = [32, 32], strides = [32, 1] : tensor_view<32x32xf32, strides=[32,1]> loc("tests/data/tilus/scripts.py":452:14)
    %g8 = make_tensor_view %y_ptr, shape = [32, 32], strides = [32, 1] : tensor_view<32x32xf32, strides=[32,1]> loc("tests/data/tilus/scripts.py":453:14)
    %s9 = alloc_shared : shared<32x32xf32, #l0> loc("tests/data/tilus/scripts.py":454:17)
    cp_async %g7[%c0, %c0], %s9 by #l1 : tensor_view<32x32xf32, strides=[32,1]>, shared<32x32xf32, #l0> loc("tests/data/tilus/scripts.py":455:9)
    cp_async_commit loc("tests/data/tilus/scripts.py":456:9)
    cp_async_wait 0 loc("tests/data/tilus/scripts.py":458:13)
    %10 = load_shared %s9 : shared<32x32xf32, #l0> -> tile<32x32xf32, #l2> loc("tests/data/tilus/scripts.py":461:13)
    barrier loc("tests/data/tilus/scripts.py":463:13)
    free_shared %s9 : shared<32x32xf32, #l0> loc("tests/data/tilus/scripts.py":464:9)
    %s11 = alloc_shared : shared<32x32xf32, #l0> loc("tests/data/tilus/scripts.py":465:18)
    store_shared %10, %s11 : tile<32x32xf32, #l2>, shared<32x32xf32, #l0> loc("tests/data/tilus/scripts.py":467:13)
    barrier loc("tests/data/tilus/scripts.py":468:9)
    %12 = load_shared %s11 : shared<32x32xf32, #l0> -> tile<32x32xf32, #l3> loc("tests/data/tilus/scripts.py":469:13)
    store_global %12, %g8[%c0, %c0] : tile<32x32xf32, #l3>, tensor_view<32x32xf32, strides=[32,1]> loc("tests/data/tilus/scripts.py":472:9)
    return
  }
}
