// bins[x[i]] += 1 for a vector of n indices, by atomics; indices outside of [0, count) are left out.
// Launch ceil(n / 1024) tile blocks.
cuda_tile.module @histogram {
  entry @histogram_i32(%x: tile<ptr<i32>>, %bins: tile<ptr<i32>>, %n: tile<i32>, %count: tile<i32>) {
    %i, %by, %bz = get_tile_block_id : tile<i32>
    %size = constant <i32: 1024> : tile<i32>
    %ones = constant <i32: 1> : tile<1024xi32>
    %nothing = constant <i32: -1> : tile<1024xi32>
    %from = muli %i, %size : tile<i32>
    %from_1 = reshape %from : tile<i32> -> tile<1xi32>
    %from_all = broadcast %from_1 : tile<1xi32> -> tile<1024xi32>
    %lane = iota : tile<1024xi32>
    %at = addi %from_all, %lane : tile<1024xi32>
    %n_1 = reshape %n : tile<i32> -> tile<1xi32>
    %n_all = broadcast %n_1 : tile<1xi32> -> tile<1024xi32>
    %exists = cmpi less_than %at, %n_all, signed : tile<1024xi32> -> tile<1024xi1>
    %x_1 = reshape %x : tile<ptr<i32>> -> tile<1xptr<i32>>
    %x_all = broadcast %x_1 : tile<1xptr<i32>> -> tile<1024xptr<i32>>
    %x_at = offset %x_all, %at : tile<1024xptr<i32>>, tile<1024xi32> -> tile<1024xptr<i32>>
    %bin, %t0 = load_ptr_tko weak %x_at, %exists, %nothing : tile<1024xptr<i32>>, tile<1024xi1>, tile<1024xi32> -> tile<1024xi32>, token
    %count_1 = reshape %count : tile<i32> -> tile<1xi32>
    %count_all = broadcast %count_1 : tile<1xi32> -> tile<1024xi32>
    %inside = cmpi less_than %bin, %count_all, unsigned : tile<1024xi32> -> tile<1024xi1>
    %bins_1 = reshape %bins : tile<ptr<i32>> -> tile<1xptr<i32>>
    %bins_all = broadcast %bins_1 : tile<1xptr<i32>> -> tile<1024xptr<i32>>
    %bins_at = offset %bins_all, %bin : tile<1024xptr<i32>>, tile<1024xi32> -> tile<1024xptr<i32>>
    %old, %t1 = atomic_rmw_tko relaxed device %bins_at, add, %ones, %inside : tile<1024xptr<i32>>, tile<1024xi32>, tile<1024xi1> -> tile<1024xi32>, token
  }
}
