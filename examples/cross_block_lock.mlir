// Tile blocks take turns: a lock in global memory, taken by compare-and-swap and given back by an
// exchange, keeps their lines whole. 1 means free, 0 means taken.
cuda_tile.module @cross_block_lock {
  global @mutex <i32: 1> : tile<1xi32>

  entry @cross_block_lock() {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %nx, %ny, %nz = get_num_tile_blocks : tile<i32>
    %lock = get_global @mutex : tile<ptr<i32>>
    %taken = constant <i32: 0> : tile<i32>
    %free = constant <i32: 1> : tile<i32>
    %start = make_token : token

    // Acquire: until the old value was "free".
    %locked = loop iter_values(%before = %start) : token -> token {
      %old, %after = atomic_cas_tko acquire device %lock, %free, %taken token=%before : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
      %got_it = trunci %old : tile<i32> -> tile<i1>
      if %got_it {
        break %after : token
      }
      continue %after : token
    }

    %printed = print_tko "current tile: %i / %i\n", %x, %nx token=%locked : tile<i32>, tile<i32> -> token
    %last, %done = atomic_rmw_tko release device %lock, xchg, %free token=%printed : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  }
}
