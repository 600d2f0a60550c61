// Each tile block asks where it stands in the grid. Positions count from 0.
cuda_tile.module @hello_grid {
  entry @hello_grid() {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %nx, %ny, %nz = get_num_tile_blocks : tile<i32>
    print_tko "Hello, I am tile <%i, %i, %i> in a kernel with <%i, %i, %i> tiles.\n", %x, %y, %z, %nx, %ny, %nz : tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32> -> token
  }
}
