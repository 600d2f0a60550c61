// {"name": "ways", "types": ["hidet.int32", "hidet.int32", "int32*", "int32*"], "grid": [1, 1, 1], "workspaces": []}
#l0 = layout<RegisterLayout(shape=[1, 32], mode_shape=[32], spatial_modes=[0], local_modes=[])>
#l1 = layout<RegisterLayout(shape=[1, 1], mode_shape=[], spatial_modes=[-32], local_modes=[])>
#l2 = layout<RegisterLayout(shape=[32], mode_shape=[32], spatial_modes=[0], local_modes=[])>
cuda_tile.module @ways {
  entry @ways(%n: tile<i32>, %limit: tile<i32>, %x_ptr: tile<ptr<i32>>, %y_ptr: tile<ptr<i32>>) threads(32) {
    %c0 = constant <i32: 0> : tile<1x32xi32, #l0>
    %c1 = constant <i32: 0> : tile<i32>
    %c2 = constant <i32: 1> : tile<i32>
    %c3 = constant <i32: 2> : tile<i32>
    %c4 = constant <i32: 3> : tile<i32>
    %b1, %b2, %b3 = get_tile_block_id : tile<i32>
    %g4, %g5, %g6 = get_num_tile_blocks : tile<i32>
    %g7 = make_tensor_view %x_ptr, shape = [%n, 32], strides = [32, 1] : tile<i32> -> tensor_view<?x32xi32, strides=[32,1]> loc("tests/data/tilus/scripts.py":170:14)
    %g8 = make_tensor_view %y_ptr, shape = [4, 32], strides = [32, 1] : tensor_view<4x32xi32, strides=[32,1]> loc("tests/data/tilus/scripts.py":171:14)
    %r12, %r13, %r14 = loop iter_values(%v9 = %c0, %v10 = %c1, %v11 = %c1) : tile<1x32xi32, #l0>, tile<i32>, tile<i32> -> tile<1x32xi32, #l0>, tile<i32>, tile<i32> {
      %15 = cmpi less_than %v11, %n, signed : tile<i32> -> tile<i1> loc("tests/data/tilus/scripts.py":177:29)
      if %15 {
      } else {
        break %v9, %v10, %v11 : tile<1x32xi32, #l0>, tile<i32>, tile<i32> loc("tests/data/tilus/scripts.py":177:29)
      } loc("tests/data/tilus/scripts.py":177:29)
      %16 = cmpi less_than_or_equal %limit, %v11, signed : tile<i32> -> tile<i1> loc("tests/data/tilus/scripts.py":177:29)
      if %16 {
        break %v9, %v10, %v11 : tile<1x32xi32, #l0>, tile<i32>, tile<i32> loc("tests/data/tilus/scripts.py":177:29)
      } loc("tests/data/tilus/scripts.py":177:29)
      %17 = load_global %g7[%v11, %c1] : tensor_view<?x32xi32, strides=[32,1]> -> tile<1x32xi32, #l0> loc("tests/data/tilus/scripts.py":177:29)
      %18 = addi %v9, %17 : tile<1x32xi32, #l0> loc("tests/data/tilus/scripts.py":177:13)
      %19 = addi %v10, %c2 : tile<i32> loc("tests/data/tilus/scripts.py":177:13)
      %20 = addi %v11, %c2 : tile<i32> loc("tests/data/tilus/scripts.py":177:13)
      continue %18, %19, %20 : tile<1x32xi32, #l0>, tile<i32>, tile<i32> loc("tests/data/tilus/scripts.py":177:13)
    } loc("tests/data/tilus/scripts.py":177:13)
    store_global %r12, %g8[%c1, %c1] : tile<1x32xi32, #l0>, tensor_view<4x32xi32, strides=[32,1]> loc("tests/data/tilus/scripts.py":179:9)
    %r22 = loop iter_values(%v21 = %c2) : tile<i32> -> tile<i32> {
      %23 = cmpi less_than %v21, %n, signed : tile<i32> -> tile<i1> loc("tests/data/tilus/scripts.py":179:9)
      if %23 {
      } else {
        break %v21 : tile<i32> loc("tests/data/tilus/scripts.py":179:9)
      } loc("tests/data/tilus/scripts.py":179:9)
      %24 = muli %v21, %c3 : tile<i32> loc("tests/data/tilus/scripts.py":179:9)
      continue %24 : tile<i32> loc("tests/data/tilus/scripts.py":179:9)
    } loc("tests/data/tilus/scripts.py":179:9)
    %25 = cmpi less_than %n, %r22, signed : tile<i32> -> tile<i1> loc("tests/data/tilus/scripts.py":184:13)
    %r26 = if %25 -> (tile<1x32xi32, #l0>) {
      %27 = reshape %r22 : tile<i32> -> tile<1x1xi32, #l1> loc("tests/data/tilus/scripts.py":184:13)
      %28 = broadcast %27 : tile<1x1xi32, #l1> -> tile<1x32xi32, #l0> loc("tests/data/tilus/scripts.py":184:13)
      %29 = muli %r12, %28 : tile<1x32xi32, #l0> loc("tests/data/tilus/scripts.py":184:13)
      yield %29 : tile<1x32xi32, #l0> loc("tests/data/tilus/scripts.py":184:13)
    } else {
      %30 = reshape %r22 : tile<i32> -> tile<1x1xi32, #l1> loc("tests/data/tilus/scripts.py":186:13)
      %31 = broadcast %30 : tile<1x1xi32, #l1> -> tile<1x32xi32, #l0> loc("tests/data/tilus/scripts.py":186:13)
      %32 = subi %r12, %31 : tile<1x32xi32, #l0> loc("tests/data/tilus/scripts.py":186:13)
      yield %32 : tile<1x32xi32, #l0> loc("tests/data/tilus/scripts.py":186:13)
    } loc("tests/data/tilus/scripts.py":186:13)
    store_global %r26, %g8[%c2, %c1] : tile<1x32xi32, #l0>, tensor_view<4x32xi32, strides=[32,1]> loc("tests/data/tilus/scripts.py":187:9)
    %33 = reshape %r13 : tile<i32> -> tile<1x1xi32, #l1> loc("tests/data/tilus/scripts.py":188:31)
    %34 = broadcast %33 : tile<1x1xi32, #l1> -> tile<1x32xi32, #l0> loc("tests/data/tilus/scripts.py":188:31)
    store_global %34, %g8[%c3, %c1] : tile<1x32xi32, #l0>, tensor_view<4x32xi32, strides=[32,1]> loc("tests/data/tilus/scripts.py":188:9)
    %35 = iota : tile<32xi32, #l2> loc("tests/data/tilus/scripts.py":190:16)
    %36 = reshape %35 : tile<32xi32, #l2> -> tile<1x32xi32, #l0> loc("tests/data/tilus/scripts.py":190:16)
    %37 = reshape %c3 : tile<i32> -> tile<1x1xi32, #l1> loc("tests/data/tilus/scripts.py":190:16)
    %38 = broadcast %37 : tile<1x1xi32, #l1> -> tile<1x32xi32, #l0> loc("tests/data/tilus/scripts.py":190:16)
    %39 = remi %36, %38 signed : tile<1x32xi32, #l0> loc("tests/data/tilus/scripts.py":190:16)
    %40 = reshape %c1 : tile<i32> -> tile<1x1xi32, #l1> loc("tests/data/tilus/scripts.py":191:16)
    %41 = broadcast %40 : tile<1x1xi32, #l1> -> tile<1x32xi32, #l0> loc("tests/data/tilus/scripts.py":191:16)
    %42 = cmpi equal %39, %41, signed : tile<1x32xi32, #l0> -> tile<1x32xi1, #l0> loc("tests/data/tilus/scripts.py":191:16)
    %43 = exti %42 unsigned : tile<1x32xi1, #l0> -> tile<1x32xi32, #l0> loc("tests/data/tilus/scripts.py":191:16)
    store_global %43, %g8[%c4, %c1] : tile<1x32xi32, #l0>, tensor_view<4x32xi32, strides=[32,1]> loc("tests/data/tilus/scripts.py":192:9)
    return
  }
}
