// {"name": "hello", "types": ["hidet.int32"], "grid": [2, 1, 1], "workspaces": []}
cuda_tile.module @hello {
  entry @hello(%n: tile<i32>) threads(32) {
    %c0 = constant <i32: 1> : tile<i32>
    %b1, %b2, %b3 = get_tile_block_id : tile<i32>
    %g4, %g5, %g6 = get_num_tile_blocks : tile<i32>
    %7 = cmpi equal %b1, %c0, signed : tile<i32> -> tile<i1> loc("tests/data/tilus/scripts.py":15:13)
    if %7 {
      %t8 = print_tko "%d of blocks\n", %n : tile<i32> -> token loc("tests/data/tilus/scripts.py":15:13)
    } loc("tests/data/tilus/scripts.py":15:13)
    return
  }
}
