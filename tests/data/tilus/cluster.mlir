// {"name": "cluster", "types": ["int32*", "int32*"], "grid": [2, 1, 1], "workspaces": []}
#l0 = layout<(2,32,32):(1024,32,1)>
#l1 = layout<(32,32):(32,1)>
#l2 = layout<RegisterLayout(shape=[32, 32], mode_shape=[4, 8, 8, 4], spatial_modes=[1, 2], local_modes=[0, 3])>
#l3 = layout<RegisterLayout(shape=[1, 1], mode_shape=[], spatial_modes=[-64], local_modes=[])>
#l4 = layout<RegisterLayout(shape=[1, 1], mode_shape=[], spatial_modes=[-8, -8], local_modes=[])>
cuda_tile.module @cluster {
  entry @cluster(%x_ptr: tile<ptr<i32>>, %y_ptr: tile<ptr<i32>>) threads(64) cluster(2, 1, 1) {
    %c0 = constant <i32: 2> : tile<i32>
    %c1 = constant <i32: 64> : tile<i32>
    %c2 = constant <i32: 0> : tile<i32>
    %c3 = constant <i32: 32> : tile<i32>
    %c4 = constant <i16: 3> : tile<i16>
    %c5 = constant <i32: 1> : tile<i32>
    %c6 = constant <i32: 2048> : tile<i32>
    %bar13 = alloc_mbarrier : mbarrier<1>
    elect {
      mbarrier_init %bar13[%c2], 1 : mbarrier<1>
      fence_async
    }
    barrier
    %bar14 = alloc_mbarrier : mbarrier<1>
    elect {
      mbarrier_init %bar14[%c2], 128 : mbarrier<1>
      fence_async
    }
    barrier
    %b1, %b2, %b3 = get_tile_block_id : tile<i32>
    %g4, %g5, %g6 = get_num_tile_blocks : tile<i32>
    %7 = get_cluster_rank : tile<i32> loc("tests/data/tilus/scripts.py":543:14)
    %8 = divi %b1, %c0 signed : tile<i32> loc("tests/data/tilus/scripts.py":543:14)
    %9 = muli %8, %c1 : tile<i32> loc("tests/data/tilus/scripts.py":543:14)
    %g10 = make_tensor_view %x_ptr, shape = [64, 32], strides = [32, 1] : tensor_view<64x32xi32, strides=[32,1]> loc("tests/data/tilus/scripts.py":543:14)
    %m18 = make_tensor_map %g10 : tensor_view<64x32xi32, strides=[32,1]> -> tensor_map<32x32xi32, #l1>
    %g11 = make_tensor_view %y_ptr, shape = [2, 64, 32], strides = [2048, 32, 1] : tensor_view<2x64x32xi32, strides=[2048,32,1]> loc("tests/data/tilus/scripts.py":544:14)
    %s12 = alloc_shared : shared<2x32x32xi32, #l0> loc("tests/data/tilus/scripts.py":545:17)
    cluster_barrier loc("tests/data/tilus/scripts.py":548:9)
    elect {
      mbarrier_arrive_expect %bar13[%c2], 8192 : mbarrier<1> loc("tests/data/tilus/scripts.py":550:13)
      %s15 = subview %s12[%7, %c2, %c2] : shared<2x32x32xi32, #l0> -> shared<32x32xi32, #l1> loc("tests/data/tilus/scripts.py":551:13)
      %16 = muli %7, %c3 : tile<i32> loc("tests/data/tilus/scripts.py":551:13)
      %17 = addi %9, %16 : tile<i32> loc("tests/data/tilus/scripts.py":551:13)
      %19 = exti %c4 unsigned : tile<i16> -> tile<i32> loc("tests/data/tilus/scripts.py":551:13)
      tensor_load %m18[%17, %c2], %s15, %bar13[%c2] multicast = %19 : tensor_map<32x32xi32, #l1>, shared<32x32xi32, #l1>, mbarrier<1> loc("tests/data/tilus/scripts.py":551:13)
    } loc("tests/data/tilus/scripts.py":551:13)
    mbarrier_wait %bar13[%c2], %c2 : mbarrier<1> loc("tests/data/tilus/scripts.py":553:9)
    for %i20 in (%c2 to %c0, step %c5) : tile<i32> {
      %s21 = subview %s12[%i20, %c2, %c2] : shared<2x32x32xi32, #l0> -> shared<32x32xi32, #l1> loc("tests/data/tilus/scripts.py":555:17)
      %22 = load_shared %s21 : shared<32x32xi32, #l1> -> tile<32x32xi32, #l2> loc("tests/data/tilus/scripts.py":555:17)
      %23 = get_cluster_rank : tile<i32> loc("tests/data/tilus/scripts.py":556:13)
      %24 = divi %23, %c5 unsigned : tile<i32> loc("tests/data/tilus/scripts.py":556:13)
      %25 = remi %24, %c0 unsigned : tile<i32> loc("tests/data/tilus/scripts.py":556:13)
      %26 = reshape %25 : tile<i32> -> tile<1x1xi32, #l3> loc("tests/data/tilus/scripts.py":556:13)
      %27 = convert_layout %26 : tile<1x1xi32, #l3> -> tile<1x1xi32, #l4> loc("tests/data/tilus/scripts.py":556:13)
      %28 = broadcast %27 : tile<1x1xi32, #l4> -> tile<32x32xi32, #l2> loc("tests/data/tilus/scripts.py":556:13)
      %29 = addi %22, %28 : tile<32x32xi32, #l2> loc("tests/data/tilus/scripts.py":556:13)
      %30 = muli %i20, %c3 : tile<i32> loc("tests/data/tilus/scripts.py":556:13)
      %31 = addi %9, %30 : tile<i32> loc("tests/data/tilus/scripts.py":556:13)
      %32 = muli %7, %c6 : tile<i32> loc("tests/data/tilus/scripts.py":556:13)
      %p33 = offset %y_ptr, %32 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>> loc("tests/data/tilus/scripts.py":556:13)
      %34 = cmpi less_than %7, %c0, unsigned : tile<i32> -> tile<i1> loc("tests/data/tilus/scripts.py":556:13)
      %35 = select %34, %c1, %c2 : tile<i1>, tile<i32> loc("tests/data/tilus/scripts.py":556:13)
      %g36 = make_tensor_view %p33, shape = [%35, 32], strides = [32, 1] : tile<i32> -> tensor_view<?x32xi32, strides=[32,1]> loc("tests/data/tilus/scripts.py":556:13)
      store_global %29, %g36[%31, %c2] : tile<32x32xi32, #l2>, tensor_view<?x32xi32, strides=[32,1]> loc("tests/data/tilus/scripts.py":556:13)
    } loc("tests/data/tilus/scripts.py":556:13)
    mbarrier_arrive %bar14[%c2] : mbarrier<1> loc("tests/data/tilus/scripts.py":558:9)
    %37 = subi %c5, %7 : tile<i32> loc("tests/data/tilus/scripts.py":559:30)
    %there38 = map_remote %bar14, %37 : mbarrier<1> -> remote<mbarrier<1>> loc("tests/data/tilus/scripts.py":559:30)
    mbarrier_arrive %there38[%c2] : remote<mbarrier<1>> loc("tests/data/tilus/scripts.py":559:9)
    mbarrier_wait %bar14[%c2], %c2 : mbarrier<1> loc("tests/data/tilus/scripts.py":560:9)
    cluster_barrier loc("tests/data/tilus/scripts.py":561:9)
    return
  }
}
