// The only element of a tile that a reduction gives, broadcast before anything asks for its value.
// RUN: %engines %t %s --grid 1 x=arange:i32:8 y=zeros:i32:8 --save y
cuda_tile.module @m {
  entry @k(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>) {
    %x_view = make_tensor_view %x, shape = [8], strides = [1] : tensor_view<8xi32, strides=[1]>
    %y_view = make_tensor_view %y, shape = [8], strides = [1] : tensor_view<8xi32, strides=[1]>
    %x_tiles = make_partition_view %x_view : partition_view<tile=(8), tensor_view<8xi32, strides=[1]>>
    %y_tiles = make_partition_view %y_view : partition_view<tile=(8), tensor_view<8xi32, strides=[1]>>
    %zero = constant <i32: 0> : tile<i32>
    %v, %t0 = load_view_tko weak %x_tiles[%zero] : partition_view<tile=(8), tensor_view<8xi32, strides=[1]>>, tile<i32> -> tile<8xi32>, token
    %square = reshape %v : tile<8xi32> -> tile<8x1xi32>
    %sum = reduce %square dim=0 identities=[0 : i32] : tile<8x1xi32> -> tile<1xi32>
    (%a: tile<i32>, %b: tile<i32>) {
      %c = addi %a, %b : tile<i32>
      yield %c : tile<i32>
    }
    %all = broadcast %sum : tile<1xi32> -> tile<8xi32>
    %minus_six = constant <i32: -6> : tile<8xi32>
    %r = xori %all, %minus_six : tile<8xi32>
    %bytes = pack %r : tile<8xi32> -> tile<32xi8>
    %back = unpack %bytes : tile<32xi8> -> tile<8xi32>
    %t1 = store_view_tko weak %back, %y_tiles[%zero] : tile<8xi32>, partition_view<tile=(8), tensor_view<8xi32, strides=[1]>>, tile<i32> -> token
  }
}
