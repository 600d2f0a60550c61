// RUN: %transcript %s
//
// propagate: ranges and divisibility decide comparisons and make operations superfluous.
cuda_tile.module @propagate {
  entry @ranges(%x: tile<i32>, %p: tile<ptr<f32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %hundred = constant <i32: 100> : tile<i32>
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %not_negative = cmpi greater_than_or_equal %bx, %zero, signed : tile<i32> -> tile<i1>
    %small = assume bounded<0, 99>, %x : tile<i32>
    %below = cmpi less_than %small, %hundred, signed : tile<i32> -> tile<i1>
    %rest = remi %small, %hundred signed : tile<i32>
    %least = mini %small, %hundred signed : tile<i32>
    %aligned = assume div_by<16>, %x : tile<i32>
    %mask = constant <i32: -16> : tile<i32>
    %masked = andi %aligned, %mask : tile<i32>
    print_tko "%i %i %i %i %i\n", %not_negative, %below, %rest, %least, %masked : tile<i1>, tile<i1>, tile<i32>, tile<i32>, tile<i32> -> token
  }
  entry @mask(%p: tile<ptr<f32>>) {
    %i = iota : tile<64xi32>
    %limit = constant <i32: 64> : tile<64xi32>
    %all = cmpi less_than %i, %limit, signed : tile<64xi32> -> tile<64xi1>
    %p1 = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
    %pn = broadcast %p1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
    %q = offset %pn, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
    %x, %t = load_ptr_tko weak %q, %all : tile<64xptr<f32>>, tile<64xi1> -> tile<64xf32>, token
    print_tko "%f\n", %x : tile<64xf32> -> token
  }
  entry @loops(%n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %ten = constant <i32: 10> : tile<i32>
    %r = for %i in (%zero to %ten, step %one) : tile<i32> iter_values(%always = %one) -> (tile<i32>) {
      %in = cmpi less_than %i, %ten, signed : tile<i32> -> tile<i1>
      %next = if %in -> (tile<i32>) {
        %same = muli %always, %one : tile<i32>
        yield %same : tile<i32>
      } else {
        yield %n : tile<i32>
      }
      print_tko "%i\n", %next : tile<i32> -> token
      continue %next : tile<i32>
    }
    print_tko "%i\n", %r : tile<i32> -> token
  }
}

// $ tessera opt propagate.mlir --passes=propagate,canonicalize | tail -n +4
// cuda_tile.module @propagate {
//   entry @ranges(%x: tile<i32>, %p: tile<ptr<f32>>) {
//     %not_negative = constant <i1: true> : tile<i1>
//     %small = assume bounded<0, 99>, %x : tile<i32>
//     %below = constant <i1: true> : tile<i1>
//     %aligned = assume div_by<16>, %x : tile<i32>
//     %result_token = print_tko "%i %i %i %i %i\0A", %not_negative, %below, %small, %small, %aligned : tile<i1>, tile<i1>, tile<i32>, tile<i32>, tile<i32> -> token
//     return
//   }
//   entry @mask(%p: tile<ptr<f32>>) {
//     %i = iota : tile<64xi32>
//     %p1 = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
//     %pn = broadcast %p1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
//     %q = offset %pn, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
//     %x, %t = load_ptr_tko weak %q : tile<64xptr<f32>> -> tile<64xf32>, token
//     %result_token = print_tko "%f\0A", %x : tile<64xf32> -> token
//     return
//   }
//   entry @loops(%n: tile<i32>) {
//     %zero = constant <i32: 0> : tile<i32>
//     %one = constant <i32: 1> : tile<i32>
//     %ten = constant <i32: 10> : tile<i32>
//     for %i in (%zero to %ten, step %one) : tile<i32> {
//       %result_token = print_tko "%i\0A", %one : tile<i32> -> token
//     }
//     %result_token = print_tko "%i\0A", %one : tile<i32> -> token
//     return
//   }
// }
