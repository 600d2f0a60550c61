// RUN: %transcript %s
//
// licm: out of as many loops as possible; what could be undefined only where the loop gets to it.
cuda_tile.module @invariants {
  entry @k(%n: tile<i32>, %d: tile<i32>, %c: tile<i1>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %eight = constant <i32: 8> : tile<i32>
    for %i in (%zero to %n, step %one) : tile<i32> {
      for %j in (%zero to %eight, step %one) : tile<i32> {
        %out = addi %n, %d : tile<i32>
        %only_inner = divi %n, %d signed : tile<i32>
        %safe = divi %n, %eight signed : tile<i32>
        %row = muli %i, %n : tile<i32>
        %both = addi %row, %j : tile<i32>
        if %c {
          print_tko "%i %i %i %i\n", %out, %only_inner, %safe, %both : tile<i32>, tile<i32>, tile<i32>, tile<i32> -> token
        }
      }
    }
    %r = loop : tile<i32> {
      %first = remi %n, %d signed : tile<i32>
      if %c {
        break %first : tile<i32>
      }
      %later = remi %d, %n signed : tile<i32>
      print_tko "%i\n", %later : tile<i32> -> token
    }
    print_tko "%i\n", %r : tile<i32> -> token
  }
}

// $ tessera opt invariants.mlir --passes=licm | tail -n +4
// cuda_tile.module @invariants {
//   entry @k(%n: tile<i32>, %d: tile<i32>, %c: tile<i1>) {
//     %zero = constant <i32: 0> : tile<i32>
//     %one = constant <i32: 1> : tile<i32>
//     %eight = constant <i32: 8> : tile<i32>
//     %out = addi %n, %d : tile<i32>
//     %safe = divi %n, %eight signed : tile<i32>
//     for %i in (%zero to %n, step %one) : tile<i32> {
//       %only_inner = divi %n, %d signed : tile<i32>
//       %row = muli %i, %n : tile<i32>
//       for %j in (%zero to %eight, step %one) : tile<i32> {
//         %both = addi %row, %j : tile<i32>
//         if %c {
//           %result_token = print_tko "%i %i %i %i\0A", %out, %only_inner, %safe, %both : tile<i32>, tile<i32>, tile<i32>, tile<i32> -> token
//         }
//       }
//     }
//     %first = remi %n, %d signed : tile<i32>
//     %r = loop : tile<i32> {
//       if %c {
//         break %first : tile<i32>
//       }
//       %later = remi %d, %n signed : tile<i32>
//       %result_token = print_tko "%i\0A", %later : tile<i32> -> token
//     }
//     %result_token = print_tko "%i\0A", %r : tile<i32> -> token
//     return
//   }
// }
