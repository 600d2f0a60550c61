// Rows by pointers: x is the row, y which piece of it: the tile blocks of a row come one behind the
// other, as their memory does.
// REQUIRES: llvm
//
// RUN: %pattern grid-order %t %s --kernel scale --grid 7,3 normal:f32:7x700 y=zeros:f32:7x700 i32:700 --save y
// RUN: %tessera build %s --emit nests | grep -A1 @scale | grep -q "grid-order.: along y"
// RUN: %tessera build %s --emit nests | sed '1,/@down/ d' | not grep "grid-order"
cuda_tile.module @kernels {
  entry @scale(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %columns: tile<i32>) {
    %row, %piece, %c = get_tile_block_id : tile<i32>
    %length = constant <i32: 256> : tile<i32>
    %first = muli %piece, %length : tile<i32>
    %first1 = reshape %first : tile<i32> -> tile<1xi32>
    %firsts = broadcast %first1 : tile<1xi32> -> tile<256xi32>
    %lane = iota : tile<256xi32>
    %j = addi %firsts, %lane : tile<256xi32>
    %begin = muli %row, %columns : tile<i32>
    %begin1 = reshape %begin : tile<i32> -> tile<1xi32>
    %begins = broadcast %begin1 : tile<1xi32> -> tile<256xi32>
    %i = addi %begins, %j : tile<256xi32>
    %columns1 = reshape %columns : tile<i32> -> tile<1xi32>
    %end = broadcast %columns1 : tile<1xi32> -> tile<256xi32>
    %in = cmpi less_than %j, %end, signed : tile<256xi32> -> tile<256xi1>
    %x1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
    %xs = broadcast %x1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
    %y1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
    %ys = broadcast %y1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
    %p = offset %xs, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
    %q = offset %ys, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
    %zero = constant <f32: 0.0> : tile<256xf32>
    %half = constant <f32: 0.5> : tile<256xf32>
    %v, %t0 = load_ptr_tko weak %p, %in, %zero : tile<256xptr<f32>>, tile<256xi1>, tile<256xf32> -> tile<256xf32>, token
    %w = mulf %v, %half : tile<256xf32>
    %t1 = store_ptr_tko weak %q, %w, %in : tile<256xptr<f32>>, tile<256xf32>, tile<256xi1> -> token
    return
  }
  // x counts pieces of rows, y rows: the order of the grid is that of memory.
  entry @down(%x: tile<ptr<f32>>, %columns: tile<i32>) {
    %piece, %row, %c = get_tile_block_id : tile<i32>
    %length = constant <i32: 256> : tile<i32>
    %first = muli %piece, %length : tile<i32>
    %begin = muli %row, %columns : tile<i32>
    %at = addi %begin, %first : tile<i32>
    %at1 = reshape %at : tile<i32> -> tile<1xi32>
    %ats = broadcast %at1 : tile<1xi32> -> tile<256xi32>
    %lane = iota : tile<256xi32>
    %i = addi %ats, %lane : tile<256xi32>
    %x1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
    %xs = broadcast %x1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
    %p = offset %xs, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
    %one = constant <f32: 1.0> : tile<256xf32>
    %t1 = store_ptr_tko weak %p, %one : tile<256xptr<f32>>, tile<256xf32> -> token
    return
  }
}
