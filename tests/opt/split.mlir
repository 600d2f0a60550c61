// RUN: %transcript %s
//
// loop-split: one loop before the comparison changes, one behind.
cuda_tile.module @split {
  entry @less(%n: tile<i32>, %v: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %r = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%s = %zero) -> (tile<i32>) {
      %c = cmpi less_than %i, %v, signed : tile<i32> -> tile<i1>
      %x = if %c -> (tile<i32>) {
        %a = muli %i, %i : tile<i32>
        yield %a : tile<i32>
      } else {
        %b = addi %i, %v : tile<i32>
        yield %b : tile<i32>
      }
      %t = addi %s, %x : tile<i32>
      continue %t : tile<i32>
    }
    print_tko "%i\n", %r : tile<i32> -> token
  }
  entry @steps(%n: tile<i32>, %v: tile<i32>, %step: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    for unsigned %i in (%zero to %n, step %step) : tile<i32> {
      %c = cmpi greater_than %i, %v, unsigned : tile<i32> -> tile<i1>
      if %c {
        print_tko "%i\n", %i : tile<i32> -> token
      }
    }
  }
  entry @not(%n: tile<i32>, %v: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    for %i in (%zero to %n, step %one) : tile<i32> {
      %equal = cmpi equal %i, %v, signed : tile<i32> -> tile<i1>
      %sign = cmpi less_than %i, %v, unsigned : tile<i32> -> tile<i1>
      %twice = addi %i, %i : tile<i32>
      %moves = cmpi less_than %i, %twice, signed : tile<i32> -> tile<i1>
      %small = cmpi less_than %i, %v, signed : tile<i32> -> tile<i1>
      if %equal { print_tko "a\n" -> token }
      if %sign { print_tko "b\n" -> token }
      if %moves { print_tko "c\n" -> token }
      if %small { print_tko "d\n" -> token }
    }
  }
}

// $ tessera opt split.mlir --passes='loop-split,canonicalize' | tail -n +4
// cuda_tile.module @split {
//   entry @less(%n: tile<i32>, %v: tile<i32>) {
//     %zero = constant <i32: 0> : tile<i32>
//     %one = constant <i32: 1> : tile<i32>
//     %0 = mini %v, %n signed : tile<i32>
//     %1 = maxi %0, %zero signed : tile<i32>
//     %r = for %i in (%zero to %1, step %one) : tile<i32> iter_values(%s = %zero) -> (tile<i32>) {
//       %a = muli %i, %i : tile<i32>
//       %t = addi %s, %a : tile<i32>
//       continue %t : tile<i32>
//     }
//     %r_0 = for %i in (%1 to %n, step %one) : tile<i32> iter_values(%s = %r) -> (tile<i32>) {
//       %b = addi %i, %v : tile<i32>
//       %t = addi %s, %b : tile<i32>
//       continue %t : tile<i32>
//     }
//     %result_token = print_tko "%i\0A", %r_0 : tile<i32> -> token
//     return
//   }
//   entry @steps(%n: tile<i32>, %v: tile<i32>, %step: tile<i32>) {
//     %cst_1_i32 = constant <i32: 1> : tile<i32>
//     %0 = cmpi less_than %v, %n, unsigned : tile<i32> -> tile<i1>
//     %1 = addi %v, %cst_1_i32 : tile<i32>
//     %2 = select %0, %1, %n : tile<i1>, tile<i32>
//     %3 = divi %2, %step unsigned rounding<positive_inf> : tile<i32>
//     %4 = divi %n, %step unsigned : tile<i32>
//     %5 = cmpi greater_than %3, %4, unsigned : tile<i32> -> tile<i1>
//     %6 = muli %3, %step : tile<i32>
//     %7 = select %5, %n, %6 : tile<i1>, tile<i32>
//     for unsigned %i in (%7 to %n, step %step) : tile<i32> {
//       %result_token = print_tko "%i\0A", %i : tile<i32> -> token
//     }
//     return
//   }
//   entry @not(%n: tile<i32>, %v: tile<i32>) {
//     %zero = constant <i32: 0> : tile<i32>
//     %one = constant <i32: 1> : tile<i32>
//     %0 = mini %v, %n signed : tile<i32>
//     %1 = maxi %0, %zero signed : tile<i32>
//     for %i in (%zero to %1, step %one) : tile<i32> {
//       %equal = cmpi equal %i, %v, signed : tile<i32> -> tile<i1>
//       %sign = cmpi less_than %i, %v, unsigned : tile<i32> -> tile<i1>
//       %twice = addi %i, %i : tile<i32>
//       %moves = cmpi less_than %i, %twice, signed : tile<i32> -> tile<i1>
//       if %equal {
//         %result_token = print_tko "a\0A" -> token
//       }
//       if %sign {
//         %result_token = print_tko "b\0A" -> token
//       }
//       if %moves {
//         %result_token = print_tko "c\0A" -> token
//       }
//       %result_token = print_tko "d\0A" -> token
//     }
//     for %i in (%1 to %n, step %one) : tile<i32> {
//       %equal = cmpi equal %i, %v, signed : tile<i32> -> tile<i1>
//       %sign = cmpi less_than %i, %v, unsigned : tile<i32> -> tile<i1>
//       %twice = addi %i, %i : tile<i32>
//       %moves = cmpi less_than %i, %twice, signed : tile<i32> -> tile<i1>
//       if %equal {
//         %result_token = print_tko "a\0A" -> token
//       }
//       if %sign {
//         %result_token = print_tko "b\0A" -> token
//       }
//       if %moves {
//         %result_token = print_tko "c\0A" -> token
//       }
//     }
//     return
//   }
// }
