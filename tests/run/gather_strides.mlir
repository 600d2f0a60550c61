// Gathering and scattering where no stride is known before the run, and none is 1.
// RUN: %engines %t %s --grid 1 x=arange:i32:16 y=zeros:i32:32 i32:1 i32:2 --save y
// RUN: %engines %t %s --grid 1 x=arange:i32:16 y=zeros:i32:32 i32:4 i32:1 --save y
cuda_tile.module @m {
  entry @k(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>, %row: tile<i32>, %column: tile<i32>) {
    %x_view = make_tensor_view %x, shape = [2, 3], strides = [%row, %column] : tile<i32> -> tensor_view<2x3xi32, strides=[?,?]>
    %y_view = make_tensor_view %y, shape = [2, 4], strides = [%row, %column] : tile<i32> -> tensor_view<2x4xi32, strides=[?,?]>
    %rows = iota : tile<2xi32>
    %zero = constant <i32: 0> : tile<i32>
    %from = make_gather_scatter_view %x_view : gather_scatter_view<tile=(2x4), padding_value = zero, tensor_view<2x3xi32, strides=[?,?]>, sparse_dim=0>
    %v, %t0 = load_view_tko weak %from[%rows, %zero] : gather_scatter_view<tile=(2x4), padding_value = zero, tensor_view<2x3xi32, strides=[?,?]>, sparse_dim=0>, tile<2xi32>, tile<i32> -> tile<2x4xi32>, token
    %to = make_gather_scatter_view %y_view : gather_scatter_view<tile=(2x4), tensor_view<2x4xi32, strides=[?,?]>, sparse_dim=0>
    %t1 = store_view_tko weak %v, %to[%rows, %zero] : tile<2x4xi32>, gather_scatter_view<tile=(2x4), tensor_view<2x4xi32, strides=[?,?]>, sparse_dim=0>, tile<2xi32>, tile<i32> -> token
  }
}
