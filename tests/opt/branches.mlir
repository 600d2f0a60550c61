// RUN: %transcript %s
//
// Branches among branches: two in a row on one condition, one in another, both sides that leave.
cuda_tile.module @branches {
  entry @merged(%c: tile<i1>, %x: tile<i32>, %p: tile<ptr<i32>>) {
    %a = if %c -> (tile<i32>) {
      %t0 = store_ptr_tko weak %p, %x : tile<ptr<i32>>, tile<i32> -> token
      %sum = addi %x, %x : tile<i32>
      yield %sum : tile<i32>
    } else {
      %product = muli %x, %x : tile<i32>
      yield %product : tile<i32>
    }
    %y = muli %x, %x : tile<i32>
    %b = if %c -> (tile<i32>) {
      %more = addi %a, %y : tile<i32>
      yield %more : tile<i32>
    } else {
      %less = subi %a, %y : tile<i32>
      yield %less : tile<i32>
    }
    if %c {
    } else {
      print_tko "%i\n", %b : tile<i32> -> token
    }
    print_tko "%i %i\n", %a, %b : tile<i32>, tile<i32> -> token
  }
  entry @left_between(%c: tile<i1>, %x: tile<i32>) {
    %a = if %c -> (tile<i32>) {
      print_tko "left\n" -> token
      return
    } else {
      %product = muli %x, %x : tile<i32>
      yield %product : tile<i32>
    }
    if %c {
      print_tko "never\n" -> token
    } else {
      print_tko "%i\n", %a : tile<i32> -> token
      return
    }
    print_tko "never\n" -> token
  }
  entry @needs_the_first(%c: tile<i1>, %x: tile<i32>) {
    %a = if %c -> (tile<i32>) {
      print_tko "one\n" -> token
      yield %x : tile<i32>
    } else {
      print_tko "two\n" -> token
      %product = muli %x, %x : tile<i32>
      yield %product : tile<i32>
    }
    %y = addi %a, %x : tile<i32>
    if %c {
      print_tko "%i\n", %y : tile<i32> -> token
    }
  }
  entry @nested(%c: tile<i1>, %d: tile<i1>, %x: tile<i32>) {
    if %c {
      if %d {
        print_tko "both\n" -> token
        return
      }
    }
    if %d {
      %e = cmpi equal %x, %x, signed : tile<i32> -> tile<i1>
      print_tko "not alone\n" -> token
      if %c {
        print_tko "never\n" -> token
      }
    }
  }
  entry @both_leave(%c: tile<i1>, %d: tile<i1>, %n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    for %i in (%zero to %n, step %one) : tile<i32> {
      if %d {
        print_tko "some\n" -> token
        continue
      } else {
        print_tko "others\n" -> token
        continue
      }
      print_tko "never\n" -> token
    }
    if %c {
      print_tko "one\n" -> token
      return
    } else {
      print_tko "two\n" -> token
      return
    }
    print_tko "never\n" -> token
  }
}

// $ tessera opt branches.mlir --passes=canonicalize | tail -n +4
// cuda_tile.module @branches {
//   entry @merged(%c: tile<i1>, %x: tile<i32>, %p: tile<ptr<i32>>) {
//     %y = muli %x, %x : tile<i32>
//     %a, %b = if %c -> (tile<i32>, tile<i32>) {
//       %t0 = store_ptr_tko weak %p, %x : tile<ptr<i32>>, tile<i32> -> token
//       %sum = addi %x, %x : tile<i32>
//       %more = addi %sum, %y : tile<i32>
//       yield %sum, %more : tile<i32>, tile<i32>
//     } else {
//       %product = muli %x, %x : tile<i32>
//       %less = subi %product, %y : tile<i32>
//       %result_token = print_tko "%i\0A", %less : tile<i32> -> token
//       yield %product, %less : tile<i32>, tile<i32>
//     }
//     %result_token = print_tko "%i %i\0A", %a, %b : tile<i32>, tile<i32> -> token
//     return
//   }
//   entry @left_between(%c: tile<i1>, %x: tile<i32>) {
//     if %c {
//       %result_token = print_tko "left\0A" -> token
//       return
//     }
//     %product = muli %x, %x : tile<i32>
//     %result_token = print_tko "%i\0A", %product : tile<i32> -> token
//     return
//   }
//   entry @needs_the_first(%c: tile<i1>, %x: tile<i32>) {
//     %a = if %c -> (tile<i32>) {
//       %result_token = print_tko "one\0A" -> token
//       yield %x : tile<i32>
//     } else {
//       %result_token = print_tko "two\0A" -> token
//       %product = muli %x, %x : tile<i32>
//       yield %product : tile<i32>
//     }
//     %y = addi %a, %x : tile<i32>
//     if %c {
//       %result_token = print_tko "%i\0A", %y : tile<i32> -> token
//     }
//     return
//   }
//   entry @nested(%c: tile<i1>, %d: tile<i1>, %x: tile<i32>) {
//     %0 = andi %c, %d : tile<i1>
//     if %0 {
//       %result_token = print_tko "both\0A" -> token
//       return
//     }
//     if %d {
//       %result_token = print_tko "not alone\0A" -> token
//       if %c {
//         %result_token_0 = print_tko "never\0A" -> token
//       }
//     }
//     return
//   }
//   entry @both_leave(%c: tile<i1>, %d: tile<i1>, %n: tile<i32>) {
//     %zero = constant <i32: 0> : tile<i32>
//     %one = constant <i32: 1> : tile<i32>
//     for %i in (%zero to %n, step %one) : tile<i32> {
//       if %d {
//         %result_token = print_tko "some\0A" -> token
//         continue
//       }
//       %result_token = print_tko "others\0A" -> token
//     }
//     if %c {
//       %result_token = print_tko "one\0A" -> token
//       return
//     }
//     %result_token = print_tko "two\0A" -> token
//     return
//   }
// }
