// RUN: %engines %t %s --grid 2,3,4 zeros:i32:24x8 --save out
// RUN: %npy expect %t/out.npy '<i4' 24x8 '[x0 % 2, x0 // 2 % 3, x0 // 6, 2, 3, 4, 0, 0][x1]'
//
// Every tile block writes where it is, and how many there are, to a row of its own.
cuda_tile.module @ids {
  entry @ids(%out: tile<ptr<i32>>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %nx, %ny, %nz = get_num_tile_blocks : tile<i32>
    %z_rows = muli %z, %ny : tile<i32>
    %yz = addi %z_rows, %y : tile<i32>
    %yz_rows = muli %yz, %nx : tile<i32>
    %row = addi %yz_rows, %x : tile<i32>
    %x_1 = reshape %x : tile<i32> -> tile<1x1xi32>
    %y_1 = reshape %y : tile<i32> -> tile<1x1xi32>
    %z_1 = reshape %z : tile<i32> -> tile<1x1xi32>
    %nx_1 = reshape %nx : tile<i32> -> tile<1x1xi32>
    %ny_1 = reshape %ny : tile<i32> -> tile<1x1xi32>
    %nz_1 = reshape %nz : tile<i32> -> tile<1x1xi32>
    %xy = cat %x_1, %y_1 dim = 1 : tile<1x1xi32>, tile<1x1xi32> -> tile<1x2xi32>
    %znx = cat %z_1, %nx_1 dim = 1 : tile<1x1xi32>, tile<1x1xi32> -> tile<1x2xi32>
    %nyz = cat %ny_1, %nz_1 dim = 1 : tile<1x1xi32>, tile<1x1xi32> -> tile<1x2xi32>
    %none = constant <i32: 0> : tile<1x2xi32>
    %first = cat %xy, %znx dim = 1 : tile<1x2xi32>, tile<1x2xi32> -> tile<1x4xi32>
    %second = cat %nyz, %none dim = 1 : tile<1x2xi32>, tile<1x2xi32> -> tile<1x4xi32>
    %line = cat %first, %second dim = 1 : tile<1x4xi32>, tile<1x4xi32> -> tile<1x8xi32>
    %view = make_tensor_view %out, shape = [24, 8], strides = [8, 1] : tensor_view<24x8xi32, strides=[8,1]>
    %rows = make_partition_view %view : partition_view<tile=(1x8), tensor_view<24x8xi32, strides=[8,1]>>
    %zero = constant <i32: 0> : tile<i32>
    %t = store_view_tko weak %line, %rows[%row, %zero] : tile<1x8xi32>, partition_view<tile=(1x8), tensor_view<24x8xi32, strides=[8,1]>>, tile<i32> -> token
  }
}
