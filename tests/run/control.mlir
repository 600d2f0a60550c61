// RUN: %engines %t %s --grid 100 zeros:i32:100 zeros:i32:100 --save steps --save sums
// RUN: %npy expect %t/steps.npy '<i4' 100 'len(list(iter(lambda s=[x0 + 1]: s.append(s[-1] // 2 if s[-1] % 2 == 0 else 3 * s[-1] + 1) or (s[-2] != 1), False)))'
// RUN: %npy expect %t/sums.npy '<i4' 100 'sum(3 * k if k % 4 == 1 else -k for k in range(0, x0, 3))'
//
// loop with break and continue, if with results, for with a carried value: how many steps it takes
// from n to 1 when an even n is halved and an odd one becomes 3n + 1; and a sum with a condition.
cuda_tile.module @control {
  entry @control(%steps: tile<ptr<i32>>, %sums: tile<ptr<i32>>) {
    %block, %by, %bz = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %three = constant <i32: 3> : tile<i32>
    %four = constant <i32: 4> : tile<i32>
    %start = addi %block, %one : tile<i32>
    %n, %count = loop iter_values(%k = %start, %c = %zero) : tile<i32>, tile<i32> -> tile<i32>, tile<i32> {
      %done = cmpi equal %k, %one, signed : tile<i32> -> tile<i1>
      if %done {
        break %k, %c : tile<i32>, tile<i32>
      }
      %rest = remi %k, %two signed : tile<i32>
      %even = cmpi equal %rest, %zero, signed : tile<i32> -> tile<i1>
      %next = if %even -> (tile<i32>) {
        %half = divi %k, %two signed : tile<i32>
        yield %half : tile<i32>
      } else {
        %triple = muli %k, %three : tile<i32>
        %more = addi %triple, %one : tile<i32>
        yield %more : tile<i32>
      }
      %c_next = addi %c, %one : tile<i32>
      continue %next, %c_next : tile<i32>, tile<i32>
    }
    %sum = for %i in (%zero to %block, step %three) : tile<i32> iter_values(%s = %zero) -> (tile<i32>) {
      %r = remi %i, %four signed : tile<i32>
      %is_one = cmpi equal %r, %one, signed : tile<i32> -> tile<i1>
      %term = if %is_one -> (tile<i32>) {
        %t = muli %i, %three : tile<i32>
        yield %t : tile<i32>
      } else {
        %t = negi %i : tile<i32>
        yield %t : tile<i32>
      }
      %s_next = addi %s, %term : tile<i32>
      continue %s_next : tile<i32>
    }
    %step_ptr = offset %steps, %block : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %sum_ptr = offset %sums, %block : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %t0 = store_ptr_tko weak %step_ptr, %count : tile<ptr<i32>>, tile<i32> -> token
    %t1 = store_ptr_tko weak %sum_ptr, %sum : tile<ptr<i32>>, tile<i32> -> token
  }
}
