// RUN: %transcript %s
// A session: breakpoints, steps, values of every kind.
cuda_tile.module @m {
  // y[b] = the sum over 3 rounds of the largest of x[b, 0..4] + round
  entry @rounds(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %b, %by, %bz = get_tile_block_id : tile<i32>
    %view = make_tensor_view %x, shape = [2, 4], strides = [4, 1] : tensor_view<2x4xf32, strides=[4,1]>
    %rows = make_partition_view %view : partition_view<tile=(1x4), tensor_view<2x4xf32, strides=[4,1]>>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %three = constant <i32: 3> : tile<i32>
    %row, %t0 = load_view_tko weak %rows[%b, %zero] : partition_view<tile=(1x4), tensor_view<2x4xf32, strides=[4,1]>>, tile<i32> -> tile<1x4xf32>, token
    %nothing = constant <f32: 0.0> : tile<1xf32>
    %sum = for %i in (%zero to %three, step %one) : tile<i32> iter_values(%acc = %nothing) -> (tile<1xf32>) {
      %f = itof %i signed : tile<i32> -> tile<f32>
      %f_1 = reshape %f : tile<f32> -> tile<1x1xf32>
      %f_4 = broadcast %f_1 : tile<1x1xf32> -> tile<1x4xf32>
      %moved = addf %row, %f_4 : tile<1x4xf32>
      %max = reduce %moved dim=1 identities=[0.0 : f32] : tile<1x4xf32> -> tile<1xf32>
      (%p: tile<f32>, %q: tile<f32>) {
        %m = maxf %p, %q : tile<f32>
        yield %m : tile<f32>
      }
      %next = addf %acc, %max : tile<1xf32>
      continue %next : tile<1xf32>
    }
    %two = constant <i32: 2> : tile<i32>
    %odd = cmpi equal %b, %one, signed : tile<i32> -> tile<i1>
    %where = if %odd -> (tile<i32>) {
      %first = subi %two, %one : tile<i32>
      yield %first : tile<i32>
    } else {
      yield %zero : tile<i32>
    }
    %p_y = offset %y, %where : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %out = reshape %sum : tile<1xf32> -> tile<f32>
    %t1 = store_ptr_tko weak %p_y, %out : tile<ptr<f32>>, tile<f32> -> token
  }
}

// $ tessera debug session.mlir -g 2 arange:f32:2x4 zeros:f32:2 <<'END'
// > info block
// > info buffers | nothing
// > step
// > next
// > print %view
// > break 18
// > break 4
// > break maxf
// > info breakpoints
// > continue
// > where
// > print %row
// > print %i
// > print %f_4[0, 1:3]
// > delete 3
// > next
// > next
// > p %max
// > finish
// > step
// > delete
// > break offset
// > run
// > continue
// > print %where
// > print %odd
// > print %y
// > print %t0
// > print %sum all
// > info values
// > list
// > list
// > list 4
// > step
// > quit
// > END
// (tessera) info block
// tile block (0, 0, 0) of a grid of 2 x 1 x 1, not running
// (tessera) info buffers | nothing
// 'info' takes values, breakpoints, block or buffers
// (tessera) step
// ->     6      %b, %by, %bz = get_tile_block_id : tile<i32>
// (tessera) next
//   %b: tile<i32>, 0
//   %by: tile<i32>, 0
//   %bz: tile<i32>, 0
// ->     7      %view = make_tensor_view %x, shape = [2, 4], strides = [4, 1] : tensor_view<2x4xf32, strides=[4,1]>
// (tessera) print %view
// there is no value %view here; 'info values' lists them
// (tessera) break 18
// breakpoint 1 at line 18
// (tessera) break 4
// breakpoint 2 at line 6
// (tessera) break maxf
// breakpoint 3 at every maxf
// (tessera) info breakpoints
//   1  line 18
//   2  line 6
//   3  maxf
// (tessera) continue
// breakpoint 1 in tile block (0, 0, 0)
// ->    18        %moved = addf %row, %f_4 : tile<1x4xf32>
// (tessera) where
// tile block (0, 0, 0) of a grid of 2 x 1 x 1, running
// ->    18        %moved = addf %row, %f_4 : tile<1x4xf32>
//    in for at line 14, %i = 0
//    in entry @rounds at line 5
// (tessera) print %row
// %row: tile<1x4xf32>, min 0, max 3, mean 1.5
// [[0. 1. 2. 3.]]
// (tessera) print %i
// %i: tile<i32>, 0
// (tessera) print %f_4[0, 1:3]
// [[0. 0.]]
// (tessera) delete 3
// (tessera) next
//   %moved: tile<1x4xf32>, min 0, max 3, mean 1.5
// ->    19        %max = reduce %moved dim=1 identities=[0.0 : f32] : tile<1x4xf32> -> tile<1xf32>
// (tessera) next
//   %max: tile<1xf32>, min 3, max 3, mean 3
// ->    24        %next = addf %acc, %max : tile<1xf32>
// (tessera) p %max
// %max: tile<1xf32>, min 3, max 3, mean 3
// [3.]
// (tessera) finish
//   %next: tile<1xf32>, min 3, max 3, mean 3
// breakpoint 1 in tile block (0, 0, 0)
// ->    18        %moved = addf %row, %f_4 : tile<1x4xf32>
// (tessera) step
//   %moved: tile<1x4xf32>, min 1, max 4, mean 2.5
// ->    19        %max = reduce %moved dim=1 identities=[0.0 : f32] : tile<1x4xf32> -> tile<1xf32>
// (tessera) delete
// (tessera) break offset
// breakpoint 4 at every offset
// (tessera) run
// it is running; 'continue' goes on
// (tessera) continue
// breakpoint 4 in tile block (0, 0, 0)
// ->    35      %p_y = offset %y, %where : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
// (tessera) print %where
// %where: tile<i32>, 0
// (tessera) print %odd
// %odd: tile<i1>, false
// (tessera) print %y
// %y: tile<ptr<f32>>, %y + 0
// (tessera) print %t0
// %t0: token, a token
// (tessera) print %sum all
// %sum: tile<1xf32>, min 12, max 12, mean 12
// [12.]
// (tessera) info values
//   %where: tile<i32>, 0
//   %odd: tile<i1>, false
//   %two: tile<i32>, 2
//   %sum: tile<1xf32>, min 12, max 12, mean 12
//   %nothing: tile<1xf32>, min 0, max 0, mean 0
//   %row: tile<1x4xf32>, min 0, max 3, mean 1.5
//   %t0: token, a token
//   %three: tile<i32>, 3
//   %one: tile<i32>, 1
//   %zero: tile<i32>, 0
//   %rows: partition_view<tile=(1x4), tensor_view<2x4xf32, strides=[4,1]>>, base %x + 0, extents [2, 4], strides [4, 1]
//   %view: tensor_view<2x4xf32, strides=[4,1]>, base %x + 0, extents [2, 4], strides [4, 1]
//   %b: tile<i32>, 0
//   %by: tile<i32>, 0
//   %bz: tile<i32>, 0
//   %x: tile<ptr<f32>>, %x + 0
//   %y: tile<ptr<f32>>, %y + 0
// (tessera) list
//       30        %first = subi %two, %one : tile<i32>
//       31        yield %first : tile<i32>
//       32      } else {
//       33        yield %zero : tile<i32>
//       34      }
// ->    35      %p_y = offset %y, %where : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
//       36      %out = reshape %sum : tile<1xf32> -> tile<f32>
//       37      %t1 = store_ptr_tko weak %p_y, %out : tile<ptr<f32>>, tile<f32> -> token
//       38    }
//       39  }
// (tessera) list
// there is no such line
// (tessera) list 4
//        1  // RUN: %transcript %s
//        2  // A session: breakpoints, steps, values of every kind.
//        3  cuda_tile.module @m {
//        4    // y[b] = the sum over 3 rounds of the largest of x[b, 0..4] + round
//        5    entry @rounds(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
//        6      %b, %by, %bz = get_tile_block_id : tile<i32>
//        7      %view = make_tensor_view %x, shape = [2, 4], strides = [4, 1] : tensor_view<2x4xf32, strides=[4,1]>
//        8      %rows = make_partition_view %view : partition_view<tile=(1x4), tensor_view<2x4xf32, strides=[4,1]>>
//        9      %zero = constant <i32: 0> : tile<i32>
//       10      %one = constant <i32: 1> : tile<i32>
// (tessera) step
//   %p_y: tile<ptr<f32>>, %y + 0
// ->    36      %out = reshape %sum : tile<1xf32> -> tile<f32>
// (tessera) quit
// $ tessera debug session.mlir -g 2 --block 1 arange:f32:2x4 zeros:f32:2 <<'END'
// > break if
// > break maxf
// > r
// > step
// > s
// > f
// > d
// > b if
// > c
// > n
// > n
// > c
// > run
// > c
// > q
// > END
// (tessera) break if
// breakpoint 1 at every if
// (tessera) break maxf
// breakpoint 2 at every maxf
// (tessera) r
// breakpoint 2 in tile block (1, 0, 0)
// ->    21          %m = maxf %p, %q : tile<f32>
// (tessera) step
//   %m: tile<f32>, 4
// ->    22          yield %m : tile<f32>
// (tessera) s
// breakpoint 2 in tile block (1, 0, 0)
// ->    21          %m = maxf %p, %q : tile<f32>
// (tessera) f
//   %m: tile<f32>, 5
// breakpoint 2 in tile block (1, 0, 0)
// ->    21          %m = maxf %p, %q : tile<f32>
// (tessera) d
// (tessera) b if
// breakpoint 3 at every if
// (tessera) c
// breakpoint 3 in tile block (1, 0, 0)
// ->    29      %where = if %odd -> (tile<i32>) {
// (tessera) n
// ->    35      %p_y = offset %y, %where : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
// (tessera) n
//   %p_y: tile<ptr<f32>>, %y + 1
// ->    36      %out = reshape %sum : tile<1xf32> -> tile<f32>
// (tessera) c
// @rounds has ended
// (tessera) run
// breakpoint 3 in tile block (1, 0, 0)
// ->    29      %where = if %odd -> (tile<i32>) {
// (tessera) c
// @rounds has ended
// (tessera) q
// $ printf 'break store_ptr_tko\nrun\nprint %%out\n' >script.txt
// $ tessera debug session.mlir -g 2 --block 1 --batch -x script.txt arange:f32:2x4 zeros:f32:2
// (tessera) break store_ptr_tko
// breakpoint 1 at every store_ptr_tko
// (tessera) run
// breakpoint 1 in tile block (1, 0, 0)
// ->    37      %t1 = store_ptr_tko weak %p_y, %out : tile<ptr<f32>>, tile<f32> -> token
// (tessera) print %out
// %out: tile<f32>, 24
// $ echo continue | tessera debug session.mlir -g 2 -x script.txt arange:f32:2x4 zeros:f32:2
// (tessera) break store_ptr_tko
// breakpoint 1 at every store_ptr_tko
// (tessera) run
// breakpoint 1 in tile block (0, 0, 0)
// ->    37      %t1 = store_ptr_tko weak %p_y, %out : tile<ptr<f32>>, tile<f32> -> token
// (tessera) print %out
// %out: tile<f32>, 12
// (tessera) continue
// @rounds has ended
// $ printf 'step\n\n\nprint %%b\n\nlist 2\n\nquit\n' | tessera debug session.mlir -g 2 arange:f32:2x4 zeros:f32:2
// (tessera) step
// ->     6      %b, %by, %bz = get_tile_block_id : tile<i32>
// (tessera)
//   %b: tile<i32>, 0
//   %by: tile<i32>, 0
//   %bz: tile<i32>, 0
// ->     7      %view = make_tensor_view %x, shape = [2, 4], strides = [4, 1] : tensor_view<2x4xf32, strides=[4,1]>
// (tessera)
//   %view: tensor_view<2x4xf32, strides=[4,1]>, base %x + 0, extents [2, 4], strides [4, 1]
// ->     8      %rows = make_partition_view %view : partition_view<tile=(1x4), tensor_view<2x4xf32, strides=[4,1]>>
// (tessera) print %b
// %b: tile<i32>, 0
// (tessera)
// (tessera) list 2
//        1  // RUN: %transcript %s
//        2  // A session: breakpoints, steps, values of every kind.
//        3  cuda_tile.module @m {
//        4    // y[b] = the sum over 3 rounds of the largest of x[b, 0..4] + round
//        5    entry @rounds(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
//        6      %b, %by, %bz = get_tile_block_id : tile<i32>
//        7      %view = make_tensor_view %x, shape = [2, 4], strides = [4, 1] : tensor_view<2x4xf32, strides=[4,1]>
// ->     8      %rows = make_partition_view %view : partition_view<tile=(1x4), tensor_view<2x4xf32, strides=[4,1]>>
//        9      %zero = constant <i32: 0> : tile<i32>
//       10      %one = constant <i32: 1> : tile<i32>
// (tessera)
//       11      %three = constant <i32: 3> : tile<i32>
//       12      %row, %t0 = load_view_tko weak %rows[%b, %zero] : partition_view<tile=(1x4), tensor_view<2x4xf32, strides=[4,1]>>, tile<i32> -> tile<1x4...
//       13      %nothing = constant <f32: 0.0> : tile<1xf32>
//       14      %sum = for %i in (%zero to %three, step %one) : tile<i32> iter_values(%acc = %nothing) -> (tile<1xf32>) {
//       15        %f = itof %i signed : tile<i32> -> tile<f32>
//       16        %f_1 = reshape %f : tile<f32> -> tile<1x1xf32>
//       17        %f_4 = broadcast %f_1 : tile<1x1xf32> -> tile<1x4xf32>
//       18        %moved = addf %row, %f_4 : tile<1x4xf32>
//       19        %max = reduce %moved dim=1 identities=[0.0 : f32] : tile<1x4xf32> -> tile<1xf32>
//       20        (%p: tile<f32>, %q: tile<f32>) {
// (tessera) quit
