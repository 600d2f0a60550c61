// Something for the optimiser to do.
cuda_tile.module @unused {
  entry @k(%p: tile<ptr<i32>>) {
    %one = constant <i32: 1> : tile<i32>
    %two = addi %one, %one : tile<i32>
    %unused = muli %two, %two : tile<i32>
    %t = store_ptr_tko weak %p, %two : tile<ptr<i32>>, tile<i32> -> token
  }
}
