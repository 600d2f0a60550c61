// {"name": "shapes", "types": ["hidet.int32", "int8*", "int8*", "int32*", "int8*"], "grid": [1, 1, 1], "workspaces": []}
#l0 = layout<RegisterLayout(shape=[32, 8], mode_shape=[32, 8], spatial_modes=[0], local_modes=[1])>
#l1 = layout<RegisterLayout(shape=[8, 32], mode_shape=[8, 32], spatial_modes=[1], local_modes=[0])>
#l2 = layout<RegisterLayout(shape=[32, 2], mode_shape=[32, 2], spatial_modes=[0], local_modes=[1])>
#l3 = layout<(2,32,8):(256,8,1)>
#l4 = layout<(32,8):(8,1)>
cuda_tile.module @shapes {
  entry @shapes(%which: tile<i32>, %x_ptr: tile<ptr<i8>>, %y_ptr: tile<ptr<i8>>, %z_ptr: tile<ptr<i32>>, %w_ptr: tile<ptr<i8>>) threads(32) {
    %c0 = constant <i32: 256> : tile<i32>
    %c1 = constant <i32: 3> : tile<i32>
    %c2 = constant <i32: 32> : tile<i32>
    %c3 = constant <i32: 0> : tile<i32>
    %c4 = constant <i32: 1> : tile<i32>
    %b1, %b2, %b3 = get_tile_block_id : tile<i32>
    %g4, %g5, %g6 = get_num_tile_blocks : tile<i32>
    %g7 = make_tensor_view %x_ptr, shape = [3, 32, 8], strides = [256, 8, 1] : tensor_view<3x32x8xi8, strides=[256,8,1]> loc("tests/data/tilus/scripts.py":144:14)
    %g8 = make_tensor_view %y_ptr, shape = [8, 32], strides = [32, 1] : tensor_view<8x32xi8, strides=[32,1]> loc("tests/data/tilus/scripts.py":145:14)
    %g9 = make_tensor_view %z_ptr, shape = [32, 2], strides = [2, 1] : tensor_view<32x2xi32, strides=[2,1]> loc("tests/data/tilus/scripts.py":146:14)
    %g10 = make_tensor_view %w_ptr, shape = [32, 8], strides = [8, 1] : tensor_view<32x8xi8, strides=[8,1]> loc("tests/data/tilus/scripts.py":147:14)
    %11 = muli %which, %c0 : tile<i32> loc("tests/data/tilus/scripts.py":149:13)
    %p12 = offset %x_ptr, %11 : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>> loc("tests/data/tilus/scripts.py":149:13)
    %13 = cmpi less_than %which, %c1, unsigned : tile<i32> -> tile<i1> loc("tests/data/tilus/scripts.py":149:13)
    %14 = select %13, %c2, %c3 : tile<i1>, tile<i32> loc("tests/data/tilus/scripts.py":149:13)
    %g15 = make_tensor_view %p12, shape = [%14, 8], strides = [8, 1] : tile<i32> -> tensor_view<?x8xi8, strides=[8,1]> loc("tests/data/tilus/scripts.py":149:13)
    %16 = load_global %g15[%c3, %c3] : tensor_view<?x8xi8, strides=[8,1]> -> tile<32x8xi8, #l0> loc("tests/data/tilus/scripts.py":149:13)
    %17 = permute %16 [1, 0] : tile<32x8xi8, #l0> -> tile<8x32xi8, #l1> loc("tests/data/tilus/scripts.py":151:31)
    store_global %17, %g8[%c3, %c3] : tile<8x32xi8, #l1>, tensor_view<8x32xi8, strides=[32,1]> loc("tests/data/tilus/scripts.py":151:9)
    %18 = reinterpret %16 : tile<32x8xi8, #l0> -> tile<32x2xi32, #l2> loc("tests/data/tilus/scripts.py":152:13)
    store_global %18, %g9[%c3, %c3] : tile<32x2xi32, #l2>, tensor_view<32x2xi32, strides=[2,1]> loc("tests/data/tilus/scripts.py":153:9)
    %s19 = alloc_shared : shared<2x32x8xi8, #l3> loc("tests/data/tilus/scripts.py":154:17)
    %s20 = subview %s19[%c4, %c3, %c3] : shared<2x32x8xi8, #l3> -> shared<32x8xi8, #l4> loc("tests/data/tilus/scripts.py":155:9)
    store_shared %16, %s20 : tile<32x8xi8, #l0>, shared<32x8xi8, #l4> loc("tests/data/tilus/scripts.py":155:9)
    barrier loc("tests/data/tilus/scripts.py":156:9)
    %s21 = subview %s19[%c4, %c3, %c3] : shared<2x32x8xi8, #l3> -> shared<32x8xi8, #l4> loc("tests/data/tilus/scripts.py":157:13)
    %22 = load_shared %s21 : shared<32x8xi8, #l4> -> tile<32x8xi8, #l0> loc("tests/data/tilus/scripts.py":157:13)
    barrier loc("tests/data/tilus/scripts.py":159:9)
    free_shared %s19 : shared<2x32x8xi8, #l3> loc("tests/data/tilus/scripts.py":160:9)
    store_global %22, %g10[%c3, %c3] : tile<32x8xi8, #l0>, tensor_view<32x8xi8, strides=[8,1]> loc("tests/data/tilus/scripts.py":161:9)
    return
  }
}
