// {"name": "reshaped", "types": ["hidet.int32", "int32*", "int32*"], "grid": [1, 1, 1], "workspaces": []}
#l0 = layout<(4,8):(8,1)>
#l1 = layout<RegisterLayout(shape=[32], mode_shape=[32], spatial_modes=[0], local_modes=[])>
#l2 = layout<RegisterLayout(shape=[4, 8], mode_shape=[4, 8], spatial_modes=[0, 1], local_modes=[])>
#l3 = layout<RegisterLayout(shape=[4, 8], mode_shape=[4, 2, 4], spatial_modes=[0, 1, 2], local_modes=[])>
#l4 = layout<RegisterLayout(shape=[8, 4], mode_shape=[8, 4], spatial_modes=[0, 1], local_modes=[])>
#l5 = layout<RegisterLayout(shape=[1, 1], mode_shape=[], spatial_modes=[-32], local_modes=[])>
#l6 = layout<RegisterLayout(shape=[1, 1], mode_shape=[], spatial_modes=[-8, -4], local_modes=[])>
cuda_tile.module @reshaped {
  entry @reshaped(%d: tile<i32>, %x_ptr: tile<ptr<i32>>, %y_ptr: tile<ptr<i32>>) threads(32) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 99> : tile<i32>
    %c2 = constant <i32: 100> : tile<i32>
    %b1, %b2, %b3 = get_tile_block_id : tile<i32>
    %g4, %g5, %g6 = get_num_tile_blocks : tile<i32>
    %g7 = make_tensor_view %x_ptr, shape = [32], strides = [1] : tensor_view<32xi32, strides=[1]> loc("tests/data/tilus/scripts.py":368:14)
    %g8 = make_tensor_view %y_ptr, shape = [8, 4], strides = [4, 1] : tensor_view<8x4xi32, strides=[4,1]> loc("tests/data/tilus/scripts.py":369:14)
    %s9 = alloc_shared : shared<4x8xi32, #l0> loc("tests/data/tilus/scripts.py":370:16)
    %10 = load_global %g7[%c0] : tensor_view<32xi32, strides=[1]> -> tile<32xi32, #l1> loc("tests/data/tilus/scripts.py":372:33)
    %11 = reshape %10 : tile<32xi32, #l1> -> tile<4x8xi32, #l2> loc("tests/data/tilus/scripts.py":372:9)
    store_shared %11, %s9 : tile<4x8xi32, #l2>, shared<4x8xi32, #l0> loc("tests/data/tilus/scripts.py":372:9)
    barrier loc("tests/data/tilus/scripts.py":373:9)
    %12 = load_shared %s9 : shared<4x8xi32, #l0> -> tile<4x8xi32, #l3> loc("tests/data/tilus/scripts.py":374:19)
    %13 = reshape %12 : tile<4x8xi32, #l3> -> tile<8x4xi32, #l4> loc("tests/data/tilus/scripts.py":374:19)
    %14 = addi %g4, %c1 : tile<i32> loc("tests/data/tilus/scripts.py":376:9)
    %15 = divi %14, %d signed : tile<i32> loc("tests/data/tilus/scripts.py":376:9)
    %16 = addi %g4, %c1 : tile<i32> loc("tests/data/tilus/scripts.py":376:9)
    %17 = addi %g4, %c1 : tile<i32> loc("tests/data/tilus/scripts.py":376:9)
    %18 = divi %17, %d signed : tile<i32> loc("tests/data/tilus/scripts.py":376:9)
    %19 = muli %18, %d : tile<i32> loc("tests/data/tilus/scripts.py":376:9)
    %20 = subi %16, %19 : tile<i32> loc("tests/data/tilus/scripts.py":376:9)
    %21 = muli %15, %c2 : tile<i32> loc("tests/data/tilus/scripts.py":376:9)
    %22 = addi %21, %20 : tile<i32> loc("tests/data/tilus/scripts.py":376:9)
    %23 = reshape %22 : tile<i32> -> tile<1x1xi32, #l5> loc("tests/data/tilus/scripts.py":376:9)
    %24 = convert_layout %23 : tile<1x1xi32, #l5> -> tile<1x1xi32, #l6> loc("tests/data/tilus/scripts.py":376:9)
    %25 = broadcast %24 : tile<1x1xi32, #l6> -> tile<8x4xi32, #l4> loc("tests/data/tilus/scripts.py":376:9)
    %26 = addi %13, %25 : tile<8x4xi32, #l4> loc("tests/data/tilus/scripts.py":376:9)
    store_global %26, %g8[%c0, %c0] : tile<8x4xi32, #l4>, tensor_view<8x4xi32, strides=[4,1]> loc("tests/data/tilus/scripts.py":376:9)
    return
  }
}
