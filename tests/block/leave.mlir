// REQUIRES: llvm
// RUN: %engines %t %s -g 2 i32:5 zeros:f32:256 zeros:i32:2 --save y --save turns
//
// Loops with accesses that branches without accesses leave or go on with: the order of memory goes
// with every way out.
#row = layout<spatial(32).local(4)>
!row = tile<128xf32, #row>
!view = tensor_view<256xf32, strides=[1]>
cuda_tile.module @leave {
  entry @leave(%n: tile<i32>, %y: tile<ptr<f32>>, %turns: tile<ptr<i32>>) threads(32) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c128 = constant <i32: 128> : tile<i32>
    %ones = constant <f32: 1.0> : !row
    %v = make_tensor_view %y, shape = [256], strides = [1] : !view
    %x, %x1, %x2 = get_tile_block_id : tile<i32>
    %at = muli %x, %c128 : tile<i32>
    %p = offset %turns, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %last = loop iter_values(%i = %c0) : tile<i32> -> tile<i32> {
      %end = cmpi greater_than_or_equal %i, %n, signed : tile<i32> -> tile<i1>
      if %end {
        break %i : tile<i32>
      }
      %next = addi %i, %c1 : tile<i32>
      %odd = andi %i, %c1 : tile<i32>
      %skip = cmpi equal %odd, %c1, signed : tile<i32> -> tile<i1>
      if %skip {
        continue %next : tile<i32>
      }
      %old = load_global %v[%at] : !view -> !row
      %new = addf %old, %ones : !row
      store_global %new, %v[%at] : !row, !view
      continue %next : tile<i32>
    }
    %before, %t = atomic_rmw_tko relaxed device %p, add, %last : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    loop {
      %now, %t1 = atomic_rmw_tko acquire device %p, add, %c1 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
      %enough = cmpi greater_than %now, %n, signed : tile<i32> -> tile<i1>
      if %enough {
        break
      }
    }
    return
  }
}
