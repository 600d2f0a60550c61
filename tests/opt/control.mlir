// RUN: %transcript %s
//
// Control flow that is known.
cuda_tile.module @control {
  entry @branches(%c: tile<i1>, %x: tile<i32>, %y: tile<i32>) {
    %yes = constant <i1: true> : tile<i1>
    %a = if %yes -> (tile<i32>) {
      %sum = addi %x, %y : tile<i32>
      yield %sum : tile<i32>
    } else {
      yield %y : tile<i32>
    }
    %b = if %c -> (tile<i32>) {
      yield %x : tile<i32>
    } else {
      yield %y : tile<i32>
    }
    %not = xori %c, %yes : tile<i1>
    %d, %e = if %not -> (tile<i32>, tile<i32>) {
      %product = muli %x, %y : tile<i32>
      yield %product, %x : tile<i32>, tile<i32>
    } else {
      %wide = exti %c unsigned : tile<i1> -> tile<i32>
      yield %wide, %x : tile<i32>, tile<i32>
    }
    %f = if %c -> (tile<i1>) {
      %no = constant <i1: false> : tile<i1>
      yield %no : tile<i1>
    } else {
      %sure = constant <i1: true> : tile<i1>
      yield %sure : tile<i1>
    }
    if %c {
    } else {
    }
    print_tko "%i %i %i %i %i\n", %a, %b, %d, %e, %f : tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i1> -> token
  }
  entry @returns(%c: tile<i1>, %x: tile<i32>) {
    %no = constant <i1: false> : tile<i1>
    %a = if %c -> (tile<i32>) {
      return
    } else {
      yield %x : tile<i32>
    }
    print_tko "%i\n", %a : tile<i32> -> token
    if %no {
    } else {
      return
    }
    print_tko "never\n" -> token
  }
  entry @loops(%x: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %four = constant <i32: 4> : tile<i32>
    %five = constant <i32: 5> : tile<i32>
    %never = for %i in (%four to %zero, step %four) : tile<i32> iter_values(%v = %x) -> (tile<i32>) {
      continue %i : tile<i32>
    }
    %once = for %i in (%four to %five, step %four) : tile<i32> iter_values(%v = %x) -> (tile<i32>) {
      %sum = addi %v, %i : tile<i32>
      continue %sum : tile<i32>
    }
    %same, %other = for %i in (%zero to %x, step %four) : tile<i32> iter_values(%v = %x, %w = %x) -> (tile<i32>, tile<i32>) {
      %sum = addi %v, %w : tile<i32>
      continue %v, %sum : tile<i32>, tile<i32>
    }
    %left = loop : tile<i32> {
      %twice = addi %x, %x : tile<i32>
      break %twice : tile<i32>
    }
    print_tko "%i %i %i %i %i\n", %never, %once, %same, %other, %left : tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32> -> token
  }
}

// $ tessera opt control.mlir --passes=canonicalize | tail -n +4
// cuda_tile.module @control {
//   entry @branches(%c: tile<i1>, %x: tile<i32>, %y: tile<i32>) {
//     %sum = addi %x, %y : tile<i32>
//     %b = select %c, %x, %y : tile<i1>, tile<i32>
//     %true = constant <i1: true> : tile<i1>
//     %f = xori %c, %true : tile<i1>
//     %d = if %c -> (tile<i32>) {
//       %wide = constant <i32: 1> : tile<i32>
//       yield %wide : tile<i32>
//     } else {
//       %product = muli %x, %y : tile<i32>
//       yield %product : tile<i32>
//     }
//     %result_token = print_tko "%i %i %i %i %i\0A", %sum, %b, %d, %x, %f : tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i1> -> token
//     return
//   }
//   entry @returns(%c: tile<i1>, %x: tile<i32>) {
//     if %c {
//       return
//     }
//     %result_token = print_tko "%i\0A", %x : tile<i32> -> token
//     return
//   }
//   entry @loops(%x: tile<i32>) {
//     %zero = constant <i32: 0> : tile<i32>
//     %four = constant <i32: 4> : tile<i32>
//     %sum = addi %x, %four : tile<i32>
//     %other = for %i in (%zero to %x, step %four) : tile<i32> iter_values(%w = %x) -> (tile<i32>) {
//       %sum_0 = addi %x, %w : tile<i32>
//       continue %sum_0 : tile<i32>
//     }
//     %twice = addi %x, %x : tile<i32>
//     %result_token = print_tko "%i %i %i %i %i\0A", %x, %sum, %x, %other, %twice : tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32> -> token
//     return
//   }
// }
