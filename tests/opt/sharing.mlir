// RUN: %transcript %s
//
// cse: the first of equals stays, in its own region and those below; names and attributes count.
cuda_tile.module @sharing {
  entry @shared(%c: tile<i1>, %x: tile<i32>, %y: tile<i32>) {
    %a = addi %x, %y : tile<i32>
    %b = addi %x, %y : tile<i32>
    %flagged = addi %x, %y overflow<no_signed_wrap> : tile<i32>
    %d = divi %x, %y signed : tile<i32>
    if %c {
      %e = addi %x, %y : tile<i32>
      %f = muli %x, %y : tile<i32>
      print_tko "%i %i\n", %e, %f : tile<i32>, tile<i32> -> token
    } else {
      %f = muli %x, %y : tile<i32>
      %g = divi %x, %y signed : tile<i32>
      print_tko "%i %i\n", %f, %g : tile<i32>, tile<i32> -> token
    }
    %one = constant <i32: 1> : tile<i32>
    %uno = constant <i32: 1> : tile<i32>
    %i = assume div_by<4>, %x : tile<i32>
    %j = assume div_by<8>, %x : tile<i32>
    print_tko "%i %i %i %i %i %i %i %i\n", %a, %b, %flagged, %d, %one, %uno, %i, %j : tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32> -> token
  }
}

// $ tessera opt sharing.mlir --passes=cse | tail -n +4
// cuda_tile.module @sharing {
//   entry @shared(%c: tile<i1>, %x: tile<i32>, %y: tile<i32>) {
//     %a = addi %x, %y : tile<i32>
//     %flagged = addi %x, %y overflow<no_signed_wrap> : tile<i32>
//     %d = divi %x, %y signed : tile<i32>
//     if %c {
//       %f = muli %x, %y : tile<i32>
//       %result_token = print_tko "%i %i\0A", %a, %f : tile<i32>, tile<i32> -> token
//     } else {
//       %f = muli %x, %y : tile<i32>
//       %result_token = print_tko "%i %i\0A", %f, %d : tile<i32>, tile<i32> -> token
//     }
//     %one = constant <i32: 1> : tile<i32>
//     %i = assume div_by<4>, %x : tile<i32>
//     %j = assume div_by<8>, %x : tile<i32>
//     %result_token = print_tko "%i %i %i %i %i %i %i %i\0A", %a, %a, %flagged, %d, %one, %one, %i, %j : tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32> -> token
//     return
//   }
// }
