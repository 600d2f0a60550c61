// RUN: %engines %t %s --grid 1 arange:i32:16x8 zeros:i32:16 zeros:i32:8 zeros:i32:16x8 --save rows --save columns --save scanned
// RUN: %npy expect %t/rows.npy '<i4' 16 '64 * x0 + 28'
// RUN: %npy expect %t/columns.npy '<i4' 8 '120 + x0'
// RUN: %npy expect %t/scanned.npy '<i4' 16x8 'sum(range(8 * x0 + x1, 8 * x0 + 8))'
//
// The sums of the rows, the largest of each column, and the rows summed from right to left.
cuda_tile.module @reduce {
  entry @reduce(%in: tile<ptr<i32>>, %rows: tile<ptr<i32>>, %columns: tile<ptr<i32>>, %scanned: tile<ptr<i32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %in_view = make_tensor_view %in, shape = [16, 8], strides = [8, 1] : tensor_view<16x8xi32, strides=[8,1]>
    %in_tiles = make_partition_view %in_view : partition_view<tile=(16x8), tensor_view<16x8xi32, strides=[8,1]>>
    %x, %t0 = load_view_tko weak %in_tiles[%zero, %zero] : partition_view<tile=(16x8), tensor_view<16x8xi32, strides=[8,1]>>, tile<i32> -> tile<16x8xi32>, token
    %sum = reduce %x dim=1 identities=[0 : i32] : tile<16x8xi32> -> tile<16xi32>
    (%a: tile<i32>, %b: tile<i32>) {
      %s = addi %a, %b : tile<i32>
      yield %s : tile<i32>
    }
    %largest = reduce %x dim=0 identities=[-2147483648 : i32] : tile<16x8xi32> -> tile<8xi32>
    (%a: tile<i32>, %b: tile<i32>) {
      %m = maxi %a, %b signed : tile<i32>
      yield %m : tile<i32>
    }
    %sums = scan %x dim=1 reverse=true identities=[0 : i32] : tile<16x8xi32> -> tile<16x8xi32>
    (%a: tile<i32>, %b: tile<i32>) {
      %s = addi %a, %b : tile<i32>
      yield %s : tile<i32>
    }
    %rows_view = make_tensor_view %rows, shape = [16], strides = [1] : tensor_view<16xi32, strides=[1]>
    %rows_tiles = make_partition_view %rows_view : partition_view<tile=(16), tensor_view<16xi32, strides=[1]>>
    %t1 = store_view_tko weak %sum, %rows_tiles[%zero] : tile<16xi32>, partition_view<tile=(16), tensor_view<16xi32, strides=[1]>>, tile<i32> -> token
    %columns_view = make_tensor_view %columns, shape = [8], strides = [1] : tensor_view<8xi32, strides=[1]>
    %columns_tiles = make_partition_view %columns_view : partition_view<tile=(8), tensor_view<8xi32, strides=[1]>>
    %t2 = store_view_tko weak %largest, %columns_tiles[%zero] : tile<8xi32>, partition_view<tile=(8), tensor_view<8xi32, strides=[1]>>, tile<i32> -> token
    %scanned_view = make_tensor_view %scanned, shape = [16, 8], strides = [8, 1] : tensor_view<16x8xi32, strides=[8,1]>
    %scanned_tiles = make_partition_view %scanned_view : partition_view<tile=(16x8), tensor_view<16x8xi32, strides=[8,1]>>
    %t3 = store_view_tko weak %sums, %scanned_tiles[%zero, %zero] : tile<16x8xi32>, partition_view<tile=(16x8), tensor_view<16x8xi32, strides=[8,1]>>, tile<i32> -> token
  }
}
