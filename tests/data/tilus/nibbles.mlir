// {"name": "nibbles", "types": ["uint4b*", "int4b*", "int32*"], "grid": [1, 1, 1], "workspaces": []}
#l0 = layout<RegisterLayout(shape=[32, 8], mode_shape=[32, 8], spatial_modes=[0], local_modes=[1])>
#l1 = layout<RegisterLayout(shape=[32, 32], mode_shape=[32, 32], spatial_modes=[0], local_modes=[1])>
cuda_tile.module @nibbles {
  entry @nibbles(%x_ptr: tile<ptr<f4E2M1FN>>, %y_ptr: tile<ptr<f4E2M1FN>>, %bits_ptr: tile<ptr<i32>>) threads(32) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 3> : tile<32x8xi32, #l0>
    %c2 = constant <i32: 4> : tile<32x8xi32, #l0>
    %b1, %b2, %b3 = get_tile_block_id : tile<i32>
    %g4, %g5, %g6 = get_num_tile_blocks : tile<i32>
    %g7 = make_tensor_view %x_ptr, shape = [32, 8], strides = [8, 1] : tensor_view<32x8xf4E2M1FN, strides=[8,1]> loc("tests/data/tilus/scripts.py":314:14)
    %g8 = make_tensor_view %y_ptr, shape = [32, 8], strides = [8, 1] : tensor_view<32x8xf4E2M1FN, strides=[8,1]> loc("tests/data/tilus/scripts.py":315:14)
    %g9 = make_tensor_view %bits_ptr, shape = [32, 32], strides = [32, 1] : tensor_view<32x32xi32, strides=[32,1]> loc("tests/data/tilus/scripts.py":316:14)
    %10 = load_global %g7[%c0, %c0] : tensor_view<32x8xf4E2M1FN, strides=[8,1]> -> tile<32x8xf4E2M1FN, #l0> loc("tests/data/tilus/scripts.py":317:13)
    %11 = bitcast %10 : tile<32x8xf4E2M1FN, #l0> -> tile<32x8xi4, #l0> loc("tests/data/tilus/scripts.py":317:13)
    %12 = exti %11 unsigned : tile<32x8xi4, #l0> -> tile<32x8xi32, #l0> loc("tests/data/tilus/scripts.py":318:41)
    %13 = muli %12, %c1 : tile<32x8xi32, #l0> loc("tests/data/tilus/scripts.py":318:31)
    %14 = subi %13, %c2 : tile<32x8xi32, #l0> loc("tests/data/tilus/scripts.py":318:31)
    %15 = trunci %14 : tile<32x8xi32, #l0> -> tile<32x8xi4, #l0> loc("tests/data/tilus/scripts.py":318:31)
    %16 = bitcast %15 : tile<32x8xi4, #l0> -> tile<32x8xf4E2M1FN, #l0> loc("tests/data/tilus/scripts.py":318:9)
    store_global %16, %g8[%c0, %c0] : tile<32x8xf4E2M1FN, #l0>, tensor_view<32x8xf4E2M1FN, strides=[8,1]> loc("tests/data/tilus/scripts.py":318:9)
    %17 = reinterpret %11 : tile<32x8xi4, #l0> -> tile<32x32xi1, #l1> loc("tests/data/tilus/scripts.py":320:16)
    %18 = exti %17 unsigned : tile<32x32xi1, #l1> -> tile<32x32xi32, #l1> loc("tests/data/tilus/scripts.py":321:31)
    store_global %18, %g9[%c0, %c0] : tile<32x32xi32, #l1>, tensor_view<32x32xi32, strides=[32,1]> loc("tests/data/tilus/scripts.py":321:9)
    return
  }
}
