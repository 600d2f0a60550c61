// {"name": "bits", "types": ["hidet.int32", "uint1b*", "uint1b*", "int32*"], "grid": [["/", ["+", "0", 63], 64], 1, 1], "workspaces": []}
#l0 = layout<RegisterLayout(shape=[8], mode_shape=[8], spatial_modes=[-32], local_modes=[0])>
#l1 = layout<RegisterLayout(shape=[64], mode_shape=[8, 8], spatial_modes=[-32], local_modes=[0, 1])>
#l2 = layout<RegisterLayout(shape=[1], mode_shape=[], spatial_modes=[-32], local_modes=[])>
#l3 = layout<RegisterLayout(shape=[64], mode_shape=[2, 32], spatial_modes=[1], local_modes=[0])>
#l4 = layout<RegisterLayout(shape=[4, 8], mode_shape=[4, 8], spatial_modes=[-8, 0], local_modes=[1])>
#l5 = layout<RegisterLayout(shape=[4, 64], mode_shape=[4, 8, 8], spatial_modes=[-8, 0], local_modes=[1, 2])>
#l6 = layout<RegisterLayout(shape=[4, 64], mode_shape=[4, 8, 8], spatial_modes=[0, 1], local_modes=[2])>
#l7 = layout<RegisterLayout(shape=[1, 64], mode_shape=[2, 32], spatial_modes=[1], local_modes=[0])>
#l8 = layout<RegisterLayout(shape=[1, 64], mode_shape=[8, 8], spatial_modes=[-32], local_modes=[0, 1])>
#l9 = layout<RegisterLayout(shape=[1, 8], mode_shape=[8], spatial_modes=[-32], local_modes=[0])>
cuda_tile.module @bits {
  entry @bits(%n: tile<i32>, %x_ptr: tile<ptr<i8>>, %y_ptr: tile<ptr<i8>>, %z_ptr: tile<ptr<i32>>) threads(32) {
    %c0 = constant <i32: 64> : tile<i32>
    %c1 = constant <i32: 7> : tile<i32>
    %c2 = constant <i32: 3> : tile<i32>
    %c3 = constant <i32: 0> : tile<i32>
    %c4 = constant <i1: 0> : tile<64xi1, #l1>
    %c5 = constant <i32: 8> : tile<i32>
    %c6 = constant <i32: 1> : tile<i32>
    %c7 = constant <i32: 2> : tile<i32>
    %c8 = constant <i32: 4> : tile<i32>
    %c9 = constant <i32: 1> : tile<4x64xi32, #l6>
    %c10 = constant <i32: 32> : tile<i32>
    %b1, %b2, %b3 = get_tile_block_id : tile<i32>
    %g4, %g5, %g6 = get_num_tile_blocks : tile<i32>
    %7 = muli %b1, %c0 : tile<i32> loc("tests/data/tilus/scripts.py":349:14)
    %8 = addi %n, %c1 : tile<i32> loc("tests/data/tilus/scripts.py":349:14)
    %9 = shri %8, %c2 signed : tile<i32> loc("tests/data/tilus/scripts.py":349:14)
    %g10 = make_tensor_view %x_ptr, shape = [%9], strides = [1] : tile<i32> -> tensor_view<?xi8, strides=[1]> loc("tests/data/tilus/scripts.py":349:14)
    %g11 = make_tensor_view %y_ptr, shape = [4, 2, 8], strides = [16, 8, 1] : tensor_view<4x2x8xi8, strides=[16,8,1]> loc("tests/data/tilus/scripts.py":350:14)
    %g12 = make_tensor_view %z_ptr, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]> loc("tests/data/tilus/scripts.py":351:14)
    %13 = andi %7, %c1 : tile<i32> loc("tests/data/tilus/scripts.py":352:13)
    %14 = cmpi equal %13, %c3, signed : tile<i32> -> tile<i1> loc("tests/data/tilus/scripts.py":352:13)
    assert %14, "elements of 1 bit begin at a multiple of 8" : tile<i1> loc("tests/data/tilus/scripts.py":352:13)
    %15 = shri %7, %c2 signed : tile<i32> loc("tests/data/tilus/scripts.py":352:13)
    %16 = load_global %g10[%15] : tensor_view<?xi8, strides=[1]> -> tile<8xi8, #l0> loc("tests/data/tilus/scripts.py":352:13)
    %17 = reinterpret %16 : tile<8xi8, #l0> -> tile<64xi1, #l1> loc("tests/data/tilus/scripts.py":352:13)
    %18 = iota : tile<64xi32, #l1> loc("tests/data/tilus/scripts.py":352:13)
    %19 = subi %n, %7 : tile<i32> loc("tests/data/tilus/scripts.py":352:13)
    %20 = reshape %19 : tile<i32> -> tile<1xi32, #l2> loc("tests/data/tilus/scripts.py":352:13)
    %21 = broadcast %20 : tile<1xi32, #l2> -> tile<64xi32, #l1> loc("tests/data/tilus/scripts.py":352:13)
    %22 = cmpi less_than %18, %21, signed : tile<64xi32, #l1> -> tile<64xi1, #l1> loc("tests/data/tilus/scripts.py":352:13)
    %23 = select %22, %17, %c4 : tile<64xi1, #l1>, tile<64xi1, #l1> loc("tests/data/tilus/scripts.py":352:13)
    %24 = convert_layout %23 : tile<64xi1, #l1> -> tile<64xi1, #l3> loc("tests/data/tilus/scripts.py":352:13)
    %25 = exti %24 unsigned : tile<64xi1, #l3> -> tile<64xi32, #l3> loc("tests/data/tilus/scripts.py":353:31)
    store_global %25, %g12[%7] : tile<64xi32, #l3>, tensor_view<?xi32, strides=[1]> loc("tests/data/tilus/scripts.py":353:9)
    %26 = cmpi equal %b1, %c3, signed : tile<i32> -> tile<i1> loc("tests/data/tilus/scripts.py":355:20)
    if %26 {
      %p27 = offset %y_ptr, %c5 : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>> loc("tests/data/tilus/scripts.py":355:20)
      %28 = cmpi less_than %c6, %c7, unsigned : tile<i32> -> tile<i1> loc("tests/data/tilus/scripts.py":355:20)
      %29 = select %28, %c8, %c3 : tile<i1>, tile<i32> loc("tests/data/tilus/scripts.py":355:20)
      %g30 = make_tensor_view %p27, shape = [%29, 8], strides = [16, 1] : tile<i32> -> tensor_view<?x8xi8, strides=[16,1]> loc("tests/data/tilus/scripts.py":355:20)
      %31 = load_global %g30[%c3, %c3] : tensor_view<?x8xi8, strides=[16,1]> -> tile<4x8xi8, #l4> loc("tests/data/tilus/scripts.py":355:20)
      %32 = reinterpret %31 : tile<4x8xi8, #l4> -> tile<4x64xi1, #l5> loc("tests/data/tilus/scripts.py":355:20)
      %33 = convert_layout %32 : tile<4x64xi1, #l5> -> tile<4x64xi1, #l6> loc("tests/data/tilus/scripts.py":355:20)
      %34 = exti %33 unsigned : tile<4x64xi1, #l6> -> tile<4x64xi32, #l6> loc("tests/data/tilus/scripts.py":356:36)
      %35 = subi %c9, %34 : tile<4x64xi32, #l6> loc("tests/data/tilus/scripts.py":356:22)
      %36 = trunci %35 : tile<4x64xi32, #l6> -> tile<4x64xi1, #l6> loc("tests/data/tilus/scripts.py":356:22)
      %p37 = offset %y_ptr, %c10 : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>> loc("tests/data/tilus/scripts.py":357:13)
      %g38 = make_tensor_view %p37, shape = [2, 8], strides = [8, 1] : tensor_view<2x8xi8, strides=[8,1]> loc("tests/data/tilus/scripts.py":357:13)
      %39 = reshape %24 : tile<64xi1, #l3> -> tile<1x64xi1, #l7> loc("tests/data/tilus/scripts.py":357:46)
      %40 = convert_layout %39 : tile<1x64xi1, #l7> -> tile<1x64xi1, #l8> loc("tests/data/tilus/scripts.py":357:13)
      %41 = reinterpret %40 : tile<1x64xi1, #l8> -> tile<1x8xi8, #l9> loc("tests/data/tilus/scripts.py":357:13)
      store_global %41, %g38[%c3, %c3] : tile<1x8xi8, #l9>, tensor_view<2x8xi8, strides=[8,1]> loc("tests/data/tilus/scripts.py":357:13)
      %p42 = offset %y_ptr, %c5 : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>> loc("tests/data/tilus/scripts.py":359:13)
      %43 = cmpi less_than %c6, %c7, unsigned : tile<i32> -> tile<i1> loc("tests/data/tilus/scripts.py":359:13)
      %44 = select %43, %c8, %c3 : tile<i1>, tile<i32> loc("tests/data/tilus/scripts.py":359:13)
      %g45 = make_tensor_view %p42, shape = [%44, 8], strides = [16, 1] : tile<i32> -> tensor_view<?x8xi8, strides=[16,1]> loc("tests/data/tilus/scripts.py":359:13)
      %46 = convert_layout %36 : tile<4x64xi1, #l6> -> tile<4x64xi1, #l5> loc("tests/data/tilus/scripts.py":359:13)
      %47 = reinterpret %46 : tile<4x64xi1, #l5> -> tile<4x8xi8, #l4> loc("tests/data/tilus/scripts.py":359:13)
      store_global %47, %g45[%c3, %c3] : tile<4x8xi8, #l4>, tensor_view<?x8xi8, strides=[16,1]> loc("tests/data/tilus/scripts.py":359:13)
    } loc("tests/data/tilus/scripts.py":359:13)
    return
  }
}
