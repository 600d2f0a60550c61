// RUN: %transcript %s
//
// dce: what nobody would miss. Effects, ordered loads and loops that may not end stay.
cuda_tile.module @unused {
  entry @k(%p: tile<ptr<i32>>, %c: tile<i1>, %n: tile<i32>) {
    %a = addi %n, %n : tile<i32>
    %b = muli %a, %a : tile<i32>
    %plain, %t0 = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
    %ordered, %t1 = load_ptr_tko acquire device %p : tile<ptr<i32>> -> tile<i32>, token
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %r = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%v = %n) -> (tile<i32>) {
      %w = addi %v, %i : tile<i32>
      continue %w : tile<i32>
    }
    %used, %gone = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%v = %n, %w = %n) -> (tile<i32>, tile<i32>) {
      %x = addi %v, %i : tile<i32>
      %y = muli %w, %i : tile<i32>
      %z = addi %y, %n : tile<i32>
      continue %x, %z : tile<i32>, tile<i32>
    }
    %q, %s = loop iter_values(%v = %used, %w = %n) : tile<i32>, tile<i32> -> tile<i32>, tile<i32> {
      if %c {
        break %v, %w : tile<i32>, tile<i32>
      }
      continue %v, %w : tile<i32>, tile<i32>
    }
    print_tko "%i\n", %q : tile<i32> -> token
    %zero_tile = constant <i32: 0> : tile<4xi32>
    %sum = reduce %zero_tile dim=0 identities=[0 : i32] : tile<4xi32> -> tile<i32> (%l: tile<i32>, %m: tile<i32>) {
      %o = addi %l, %m : tile<i32>
      yield %o : tile<i32>
    }
  }
}

// $ tessera opt unused.mlir --passes=dce | tail -n +4
// cuda_tile.module @unused {
//   entry @k(%p: tile<ptr<i32>>, %c: tile<i1>, %n: tile<i32>) {
//     %ordered, %t1 = load_ptr_tko acquire device %p : tile<ptr<i32>> -> tile<i32>, token
//     %zero = constant <i32: 0> : tile<i32>
//     %one = constant <i32: 1> : tile<i32>
//     %used = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%v = %n) -> (tile<i32>) {
//       %x = addi %v, %i : tile<i32>
//       continue %x : tile<i32>
//     }
//     %q = loop iter_values(%v = %used) : tile<i32> -> tile<i32> {
//       if %c {
//         break %v : tile<i32>
//       }
//       continue %v : tile<i32>
//     }
//     %result_token = print_tko "%i\0A", %q : tile<i32> -> token
//     return
//   }
// }
