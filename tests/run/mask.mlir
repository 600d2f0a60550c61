// RUN: %engines %t %s --grid 4 arange:f32:200 zeros:f32:256 i32:200 --save out
// RUN: %npy expect %t/out.npy '<f4' 256 '199 - i if i < 200 else -1.0'
//
// A gather in reverse with a mask, what is masked off having a value of its own.
cuda_tile.module @mask {
  entry @mask(%in: tile<ptr<f32>>, %out: tile<ptr<f32>>, %n: tile<i32>) {
    %block, %by, %bz = get_tile_block_id : tile<i32>
    %size = constant <i32: 64> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %start = muli %block, %size : tile<i32>
    %start_1 = reshape %start : tile<i32> -> tile<1xi32>
    %start_64 = broadcast %start_1 : tile<1xi32> -> tile<64xi32>
    %lane = iota : tile<64xi32>
    %i = addi %start_64, %lane : tile<64xi32>
    %n_1 = reshape %n : tile<i32> -> tile<1xi32>
    %n_64 = broadcast %n_1 : tile<1xi32> -> tile<64xi32>
    %inside = cmpi less_than %i, %n_64, signed : tile<64xi32> -> tile<64xi1>
    %last = subi %n, %one : tile<i32>
    %last_1 = reshape %last : tile<i32> -> tile<1xi32>
    %last_64 = broadcast %last_1 : tile<1xi32> -> tile<64xi32>
    %mirrored = subi %last_64, %i : tile<64xi32>
    %in_1 = reshape %in : tile<ptr<f32>> -> tile<1xptr<f32>>
    %in_64 = broadcast %in_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
    %from = offset %in_64, %mirrored : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
    %other = constant <f32: -1.0> : tile<64xf32>
    %x, %t0 = load_ptr_tko weak %from, %inside, %other : tile<64xptr<f32>>, tile<64xi1>, tile<64xf32> -> tile<64xf32>, token
    %out_1 = reshape %out : tile<ptr<f32>> -> tile<1xptr<f32>>
    %out_64 = broadcast %out_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
    %to = offset %out_64, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
    %t1 = store_ptr_tko weak %to, %x : tile<64xptr<f32>>, tile<64xf32> -> token
  }
}
