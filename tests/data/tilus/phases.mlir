// {"name": "phases", "types": ["hidet.int32", "float32*", "float32*"], "grid": [1, 1, 1], "workspaces": []}
#l0 = layout<(32,32):(32,1)>
#l1 = layout<RegisterLayout(shape=[32, 32], mode_shape=[4, 8, 8, 4], spatial_modes=[1, 2], local_modes=[0, 3])>
cuda_tile.module @phases {
  entry @phases(%n: tile<i32>, %x_ptr: tile<ptr<f32>>, %y_ptr: tile<ptr<f32>>) threads(64) {
    %c0 = constant <f32: 0.0> : tile<32x32xf32, #l1>
    %c1 = constant <i32: 0> : tile<i32>
    %c2 = constant <i32: 1> : tile<i32>
    %c3 = constant <i32: 1024> : tile<i32>
    %c4 = constant <i32: 32> : tile<i32>
    %bar10 = alloc_mbarrier : mbarrier<1>
    elect {
      mbarrier_init %bar10[%c1], 1 : mbarrier<1>
      fence_async
    }
    barrier
    %b1, %b2, %b3 = get_tile_block_id : tile<i32>
    %g4, %g5, %g6 = get_num_tile_blocks : tile<i32>
    %g7 = make_tensor_view %x_ptr, shape = [%n, 32, 32], strides = [1024, 32, 1] : tile<i32> -> tensor_view<?x32x32xf32, strides=[1024,32,1]> loc("tests/data/tilus/scripts.py":516:14)
    %g8 = make_tensor_view %y_ptr, shape = [32, 32], strides = [32, 1] : tensor_view<32x32xf32, strides=[32,1]> loc("tests/data/tilus/scripts.py":517:14)
    %s9 = alloc_shared : shared<32x32xf32, #l0> loc("tests/data/tilus/scripts.py":518:16)
    %r14, %r15 = for %i11 in (%c1 to %n, step %c2) : tile<i32> iter_values(%v12 = %c0, %v13 = %c1) -> (tile<32x32xf32, #l1>, tile<i32>) {
      elect {
        mbarrier_arrive_expect %bar10, 4096 : mbarrier<1> loc("tests/data/tilus/scripts.py":524:17)
        %16 = muli %i11, %c3 : tile<i32> loc("tests/data/tilus/scripts.py":525:17)
        %p17 = offset %x_ptr, %16 : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>> loc("tests/data/tilus/scripts.py":525:17)
        %18 = cmpi less_than %i11, %n, unsigned : tile<i32> -> tile<i1> loc("tests/data/tilus/scripts.py":525:17)
        %19 = select %18, %c4, %c1 : tile<i1>, tile<i32> loc("tests/data/tilus/scripts.py":525:17)
        %g20 = make_tensor_view %p17, shape = [%19, 32], strides = [32, 1] : tile<i32> -> tensor_view<?x32xf32, strides=[32,1]> loc("tests/data/tilus/scripts.py":525:17)
        %m21 = make_tensor_map %g20 : tensor_view<?x32xf32, strides=[32,1]> -> tensor_map<32x32xf32, #l0>
        tensor_load %m21[%c1, %c1], %s9, %bar10 : tensor_map<32x32xf32, #l0>, shared<32x32xf32, #l0>, mbarrier<1> loc("tests/data/tilus/scripts.py":525:17)
      } loc("tests/data/tilus/scripts.py":525:17)
      mbarrier_wait %bar10, %v13 : mbarrier<1> loc("tests/data/tilus/scripts.py":527:13)
      %22 = load_shared %s9 : shared<32x32xf32, #l0> -> tile<32x32xf32, #l1> loc("tests/data/tilus/scripts.py":528:22)
      %23 = addf %v12, %22 : tile<32x32xf32, #l1> loc("tests/data/tilus/scripts.py":528:13)
      %24 = xori %v13, %c2 : tile<i32> loc("tests/data/tilus/scripts.py":528:13)
      barrier loc("tests/data/tilus/scripts.py":530:13)
      continue %23, %24 : tile<32x32xf32, #l1>, tile<i32> loc("tests/data/tilus/scripts.py":530:13)
    } loc("tests/data/tilus/scripts.py":530:13)
    store_global %r14, %g8[%c1, %c1] : tile<32x32xf32, #l1>, tensor_view<32x32xf32, strides=[32,1]> loc("tests/data/tilus/scripts.py":531:9)
    return
  }
}
