// RUN: %engines %t %s --grid 2 ones:i32:2 zeros:i32:2 --save out
// RUN: %npy expect %t/out.npy '<i4' 2 '1'
//
// Asserts about tiles of one element, and of several.
cuda_tile.module @assert_one {
  entry @assert_one(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>) {
    %block, %by, %bz = get_tile_block_id : tile<i32>
    %in_1 = reshape %in : tile<ptr<i32>> -> tile<1xptr<i32>>
    %in_2 = broadcast %in_1 : tile<1xptr<i32>> -> tile<2xptr<i32>>
    %lane = iota : tile<2xi32>
    %from = offset %in_2, %lane : tile<2xptr<i32>>, tile<2xi32> -> tile<2xptr<i32>>
    %both, %t0 = load_ptr_tko weak %from : tile<2xptr<i32>> -> tile<2xi32>, token
    %one, %t1 = load_ptr_tko weak %in_1 : tile<1xptr<i32>> -> tile<1xi32>, token
    %zero = constant <i32: 0> : tile<1xi32>
    %zeros = constant <i32: 0> : tile<2xi32>
    %positive = cmpi greater_than %one, %zero, signed : tile<1xi32> -> tile<1xi1>
    %all = cmpi greater_than %both, %zeros, signed : tile<2xi32> -> tile<2xi1>
    assert %positive, "one is positive" : tile<1xi1>
    assert %all, "both are positive" : tile<2xi1>
    %out_1 = reshape %out : tile<ptr<i32>> -> tile<1xptr<i32>>
    %block_1 = reshape %block : tile<i32> -> tile<1xi32>
    %to = offset %out_1, %block_1 : tile<1xptr<i32>>, tile<1xi32> -> tile<1xptr<i32>>
    %t2 = store_ptr_tko weak %to, %one : tile<1xptr<i32>>, tile<1xi32> -> token
  }
}
