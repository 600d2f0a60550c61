// {"name": "warps", "types": ["hidet.int32", "int32*"], "grid": [1, 1, 1], "workspaces": []}
#l0 = layout<RegisterLayout(shape=[1, 32], mode_shape=[32], spatial_modes=[0], local_modes=[])>
#l1 = layout<RegisterLayout(shape=[1, 1], mode_shape=[], spatial_modes=[-32], local_modes=[])>
cuda_tile.module @warps {
  entry @warps(%n: tile<i32>, %x_ptr: tile<ptr<i32>>) threads(64) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %b1, %b2, %b3 = get_tile_block_id : tile<i32>
    %g4, %g5, %g6 = get_num_tile_blocks : tile<i32>
    %g7 = make_tensor_view %x_ptr, shape = [2, 32], strides = [32, 1] : tensor_view<2x32xi32, strides=[32,1]> loc("tests/data/tilus/scripts.py":282:13)
    %r12 = group threads(32 to 64) -> (tile<i32>) {
      %r10 = for %i8 in (%c0 to %n, step %c1) : tile<i32> iter_values(%v9 = %n) -> (tile<i32>) {
        %11 = addi %v9, %i8 : tile<i32> loc("tests/data/tilus/scripts.py":282:13)
        continue %11 : tile<i32> loc("tests/data/tilus/scripts.py":282:13)
      } loc("tests/data/tilus/scripts.py":282:13)
      yield %r10 : tile<i32> loc("tests/data/tilus/scripts.py":282:13)
    } loc("tests/data/tilus/scripts.py":282:13)
    group threads(0 to 32) {
      %13 = load_global %g7[%c0, %c0] : tensor_view<2x32xi32, strides=[32,1]> -> tile<1x32xi32, #l0> loc("tests/data/tilus/scripts.py":288:17)
      %14 = reshape %n : tile<i32> -> tile<1x1xi32, #l1> loc("tests/data/tilus/scripts.py":289:13)
      %15 = broadcast %14 : tile<1x1xi32, #l1> -> tile<1x32xi32, #l0> loc("tests/data/tilus/scripts.py":289:13)
      %16 = addi %13, %15 : tile<1x32xi32, #l0> loc("tests/data/tilus/scripts.py":289:13)
      store_global %16, %g7[%c0, %c0] : tile<1x32xi32, #l0>, tensor_view<2x32xi32, strides=[32,1]> loc("tests/data/tilus/scripts.py":289:13)
    } loc("tests/data/tilus/scripts.py":289:13)
    group threads(32 to 64) {
      %17 = load_global %g7[%c1, %c0] : tensor_view<2x32xi32, strides=[32,1]> -> tile<1x32xi32, #l0> loc("tests/data/tilus/scripts.py":291:17)
      %18 = reshape %r12 : tile<i32> -> tile<1x1xi32, #l1> loc("tests/data/tilus/scripts.py":292:13)
      %19 = broadcast %18 : tile<1x1xi32, #l1> -> tile<1x32xi32, #l0> loc("tests/data/tilus/scripts.py":292:13)
      %20 = addi %17, %19 : tile<1x32xi32, #l0> loc("tests/data/tilus/scripts.py":292:13)
      store_global %20, %g7[%c1, %c0] : tile<1x32xi32, #l0>, tensor_view<2x32xi32, strides=[32,1]> loc("tests/data/tilus/scripts.py":292:13)
    } loc("tests/data/tilus/scripts.py":292:13)
    return
  }
}
