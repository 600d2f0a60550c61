// {"name": "announced", "types": ["float32*", "float32*"], "grid": [1, 1, 1], "workspaces": []}
#l0 = layout<(32,32):(32,1)>
#l1 = layout<RegisterLayout(shape=[32, 32], mode_shape=[4, 8, 4, 2, 4], spatial_modes=[3, 1, 4], local_modes=[0, 2])>
cuda_tile.module @announced {
  entry @announced(%x_ptr: tile<ptr<f32>>, %y_ptr: tile<ptr<f32>>) threads(64) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <f32: 1.0> : tile<32x32xf32, #l1>
    %bar10 = alloc_mbarrier : mbarrier<1>
    elect {
      mbarrier_init %bar10[%c0], 1 : mbarrier<1>
      fence_async
    }
    barrier
    %b1, %b2, %b3 = get_tile_block_id : tile<i32>
    %g4, %g5, %g6 = get_num_tile_blocks : tile<i32>
    %g7 = make_tensor_view %x_ptr, shape = [32, 32], strides = [32, 1] : tensor_view<32x32xf32, strides=[32,1]> loc("tests/data/tilus/scripts.py":485:14)
    %m11 = make_tensor_map %g7 : tensor_view<32x32xf32, strides=[32,1]> -> tensor_map<32x32xf32, #l0>
    %g8 = make_tensor_view %y_ptr, shape = [32, 32], strides = [32, 1] : tensor_view<32x32xf32, strides=[32,1]> loc("tests/data/tilus/scripts.py":486:14)
    %m14 = make_tensor_map %g8 : tensor_view<32x32xf32, strides=[32,1]> -> tensor_map<32x32xf32, #l0>
    %s9 = alloc_shared : shared<32x32xf32, #l0> loc("tests/data/tilus/scripts.py":487:16)
    elect {
      mbarrier_arrive_expect %bar10, 4096 : mbarrier<1> loc("tests/data/tilus/scripts.py":490:13)
      tensor_load %m11[%c0, %c0], %s9, %bar10 : tensor_map<32x32xf32, #l0>, shared<32x32xf32, #l0>, mbarrier<1> loc("tests/data/tilus/scripts.py":491:13)
    } loc("tests/data/tilus/scripts.py":491:13)
    mbarrier_wait %bar10, %c0 : mbarrier<1> loc("tests/data/tilus/scripts.py":492:9)
    %12 = load_shared %s9 : shared<32x32xf32, #l0> -> tile<32x32xf32, #l1> loc("tests/data/tilus/scripts.py":493:13)
    barrier loc("tests/data/tilus/scripts.py":494:9)
    %13 = addf %12, %c1 : tile<32x32xf32, #l1> loc("tests/data/tilus/scripts.py":495:9)
    store_shared %13, %s9 : tile<32x32xf32, #l1>, shared<32x32xf32, #l0> loc("tests/data/tilus/scripts.py":495:9)
    fence_async loc("tests/data/tilus/scripts.py":497:13)
    barrier loc("tests/data/tilus/scripts.py":498:9)
    elect {
      tensor_store %s9, %m14[%c0, %c0] : shared<32x32xf32, #l0>, tensor_map<32x32xf32, #l0> loc("tests/data/tilus/scripts.py":500:13)
      bulk_commit loc("tests/data/tilus/scripts.py":501:13)
    } loc("tests/data/tilus/scripts.py":501:13)
    return
  }
}
