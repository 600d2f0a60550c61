// {"name": "add_one", "types": ["hidet.int32", "float32*", "float32*"], "grid": [["/", ["+", "0", 127], 128], 1, 1], "workspaces": []}
#l0 = layout<RegisterLayout(shape=[128], mode_shape=[128], spatial_modes=[0], local_modes=[])>
cuda_tile.module @add_one {
  entry @add_one(%n: tile<i32>, %a_ptr: tile<ptr<f32>>, %b_ptr: tile<ptr<f32>>) threads(128) {
    %c0 = constant <i32: 128> : tile<i32>
    %c1 = constant <f32: 1.0> : tile<128xf32, #l0>
    %b1, %b2, %b3 = get_tile_block_id : tile<i32>
    %g4, %g5, %g6 = get_num_tile_blocks : tile<i32>
    %7 = muli %b1, %c0 : tile<i32> loc("tests/data/tilus/scripts.py":27:14)
    %g8 = make_tensor_view %a_ptr, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]> loc("tests/data/tilus/scripts.py":27:14)
    %g9 = make_tensor_view %b_ptr, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]> loc("tests/data/tilus/scripts.py":28:14)
    %10 = load_global %g8[%7] : tensor_view<?xf32, strides=[1]> -> tile<128xf32, #l0> loc("tests/data/tilus/scripts.py":29:13)
    %11 = addf %10, %c1 : tile<128xf32, #l0> loc("tests/data/tilus/scripts.py":30:9)
    store_global %11, %g9[%7] : tile<128xf32, #l0>, tensor_view<?xf32, strides=[1]> loc("tests/data/tilus/scripts.py":30:9)
    return
  }
}
