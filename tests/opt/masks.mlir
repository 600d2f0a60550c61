// RUN: %transcript %s
//
// split-masks: iterations whose masks are all true get a loop without them.
cuda_tile.module @masks {
  entry @rows(%n: tile<i32>, %last: tile<i32>, %first: tile<i32>, %causal: tile<i1>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %size = constant <i32: 4> : tile<i32>
    %a = constant <f32: 1.0> : tile<4x4xf32>
    %none = constant <f32: 0.0> : tile<4x4xf32>
    %iota = iota : tile<4xi32>
    %first_1 = reshape %first : tile<i32> -> tile<1xi32>
    %first_4 = broadcast %first_1 : tile<1xi32> -> tile<4xi32>
    %rows = addi %first_4, %iota : tile<4xi32>
    %last_1 = reshape %last : tile<i32> -> tile<1xi32>
    %last_4 = broadcast %last_1 : tile<1xi32> -> tile<4xi32>
    %seen = mini %rows, %last_4 signed : tile<4xi32>
    %causal_1 = reshape %causal : tile<i1> -> tile<1xi1>
    %causal_4 = broadcast %causal_1 : tile<1xi1> -> tile<4xi1>
    %limit = select %causal_4, %seen, %last_4 : tile<4xi1>, tile<4xi32>
    %limit_41 = reshape %limit : tile<4xi32> -> tile<4x1xi32>
    %limits = broadcast %limit_41 : tile<4x1xi32> -> tile<4x4xi32>
    %r = for %j in (%zero to %n, step %one) : tile<i32> iter_values(%s = %none) -> (tile<4x4xf32>) {
      %start = muli %j, %size : tile<i32>
      %start_1 = reshape %start : tile<i32> -> tile<1xi32>
      %start_4 = broadcast %start_1 : tile<1xi32> -> tile<4xi32>
      %key = addi %start_4, %iota : tile<4xi32>
      %key_14 = reshape %key : tile<4xi32> -> tile<1x4xi32>
      %keys = broadcast %key_14 : tile<1x4xi32> -> tile<4x4xi32>
      %mask = cmpi less_than_or_equal %keys, %limits, signed : tile<4x4xi32> -> tile<4x4xi1>
      %x = select %mask, %a, %none : tile<4x4xi1>, tile<4x4xf32>
      %t = mmaf %x, %a, %s : tile<4x4xf32>, tile<4x4xf32>, tile<4x4xf32>
      continue %t : tile<4x4xf32>
    }
    print_tko "%f\n", %r : tile<4x4xf32> -> token
  }
  entry @ragged(%K: tile<i32>, %n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %size = constant <i32: 4> : tile<i32>
    %a = constant <f32: 1.0> : tile<4x4xf32>
    %none = constant <f32: 0.0> : tile<4x4xf32>
    %iota = iota : tile<4xi32>
    %iota_14 = reshape %iota : tile<4xi32> -> tile<1x4xi32>
    %offsets = broadcast %iota_14 : tile<1x4xi32> -> tile<4x4xi32>
    %r = for %j in (%zero to %n, step %one) : tile<i32> iter_values(%s = %none) -> (tile<4x4xf32>) {
      %done = muli %j, %size : tile<i32>
      %rest = subi %K, %done : tile<i32>
      %rest_11 = reshape %rest : tile<i32> -> tile<1x1xi32>
      %rests = broadcast %rest_11 : tile<1x1xi32> -> tile<4x4xi32>
      %mask = cmpi less_than %offsets, %rests, signed : tile<4x4xi32> -> tile<4x4xi1>
      %x = select %mask, %a, %none : tile<4x4xi1>, tile<4x4xf32>
      %t = mmaf %x, %a, %s : tile<4x4xf32>, tile<4x4xf32>, tile<4x4xf32>
      continue %t : tile<4x4xf32>
    }
    print_tko "%f\n", %r : tile<4x4xf32> -> token
  }
  entry @not(%n: tile<i32>, %low: tile<i32>, %last: tile<i32>) {
    %one = constant <i32: 1> : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %a = constant <f32: 1.0> : tile<4x4xf32>
    %none = constant <f32: 0.0> : tile<4x4xf32>
    %iota = iota : tile<4xi32>
    %iota_14 = reshape %iota : tile<4xi32> -> tile<1x4xi32>
    %offsets = broadcast %iota_14 : tile<1x4xi32> -> tile<4x4xi32>
    %last_11 = reshape %last : tile<i32> -> tile<1x1xi32>
    %lasts = broadcast %last_11 : tile<1x1xi32> -> tile<4x4xi32>
    %r = for %j in (%low to %n, step %one) : tile<i32> iter_values(%s = %none) -> (tile<4x4xf32>) {
      %j_11 = reshape %j : tile<i32> -> tile<1x1xi32>
      %js = broadcast %j_11 : tile<1x1xi32> -> tile<4x4xi32>
      %keys = addi %js, %offsets : tile<4x4xi32>
      %mask = cmpi less_than %keys, %lasts, signed : tile<4x4xi32> -> tile<4x4xi1>
      %x = select %mask, %a, %none : tile<4x4xi1>, tile<4x4xf32>
      %t = mmaf %x, %a, %s : tile<4x4xf32>, tile<4x4xf32>, tile<4x4xf32>
      continue %t : tile<4x4xf32>
    }
    %q = for %j in (%zero to %n, step %one) : tile<i32> iter_values(%s = %none) -> (tile<4x4xf32>) {
      %j_11 = reshape %j : tile<i32> -> tile<1x1xi32>
      %js = broadcast %j_11 : tile<1x1xi32> -> tile<4x4xi32>
      %keys = addi %js, %offsets : tile<4x4xi32>
      %later = cmpi greater_than %keys, %lasts, signed : tile<4x4xi32> -> tile<4x4xi1>
      %wraps = cmpi less_than %keys, %lasts, unsigned : tile<4x4xi32> -> tile<4x4xi1>
      %both = andi %later, %wraps : tile<4x4xi1>
      %x = select %both, %a, %none : tile<4x4xi1>, tile<4x4xf32>
      %t = mmaf %x, %a, %s : tile<4x4xf32>, tile<4x4xf32>, tile<4x4xf32>
      continue %t : tile<4x4xf32>
    }
    print_tko "%f %f\n", %r, %q : tile<4x4xf32>, tile<4x4xf32> -> token
  }
}

// $ tessera opt masks.mlir --passes='O2,split-masks,canonicalize,cse,licm,dce' >split.mlir; grep -E 'entry|for | (maxi|mini|divi|cmpi|select) ' split.mlir
//   entry @rows(%n: tile<i32>, %last: tile<i32>, %first: tile<i32>, %causal: tile<i1>) {
//     %seen = mini %rows, %last_4 signed : tile<4xi32>
//     %limit = select %causal_4, %seen, %last_4 : tile<4xi1>, tile<4xi32>
//     %0 = cmpi less_than_or_equal %first, %cst_2147483644_i32, signed : tile<i32> -> tile<i1>
//     %1 = select %0, %first, %cst_-2147483648_i32 : tile<i1>, tile<i32>
//     %2 = mini %1, %last signed : tile<i32>
//     %3 = select %causal, %2, %last : tile<i1>, tile<i32>
//     %4 = maxi %3, %cst_2_i32 signed : tile<i32>
//     %6 = divi %5, %size signed rounding<negative_inf> : tile<i32>
//     %8 = maxi %7, %zero signed : tile<i32>
//     %9 = mini %n, %8 signed : tile<i32>
//     %10 = maxi %9, %zero signed : tile<i32>
//     %r = for %j in (%zero to %10, step %one) : tile<i32> iter_values(%s = %none) -> (tile<4x4xf32>) {
//     %r_0 = for %j in (%10 to %n, step %one) : tile<i32> iter_values(%s = %r) -> (tile<4x4xf32>) {
//       %mask = cmpi less_than_or_equal %keys, %limits, signed : tile<4x4xi32> -> tile<4x4xi1>
//       %x = select %mask, %a, %none : tile<4x4xi1>, tile<4x4xf32>
//   entry @ragged(%K: tile<i32>, %n: tile<i32>) {
//     %0 = maxi %K, %cst_3_i32 signed : tile<i32>
//     %2 = divi %1, %size signed rounding<negative_inf> : tile<i32>
//     %4 = maxi %3, %zero signed : tile<i32>
//     %5 = mini %n, %4 signed : tile<i32>
//     %6 = maxi %5, %zero signed : tile<i32>
//     %r = for %j in (%zero to %6, step %one) : tile<i32> iter_values(%s = %none) -> (tile<4x4xf32>) {
//     %r_0 = for %j in (%6 to %n, step %one) : tile<i32> iter_values(%s = %r) -> (tile<4x4xf32>) {
//       %mask = cmpi less_than %offsets, %rests, signed : tile<4x4xi32> -> tile<4x4xi1>
//       %x = select %mask, %a, %none : tile<4x4xi1>, tile<4x4xf32>
//   entry @not(%n: tile<i32>, %low: tile<i32>, %last: tile<i32>) {
//     %r = for %j in (%low to %n, step %one) : tile<i32> iter_values(%s = %none) -> (tile<4x4xf32>) {
//       %mask = cmpi less_than %keys, %lasts, signed : tile<4x4xi32> -> tile<4x4xi1>
//       %x = select %mask, %a, %none : tile<4x4xi1>, tile<4x4xf32>
//     %q = for %j in (%zero to %n, step %one) : tile<i32> iter_values(%s = %none) -> (tile<4x4xf32>) {
//       %later = cmpi greater_than %keys, %lasts, signed : tile<4x4xi32> -> tile<4x4xi1>
//       %wraps = cmpi less_than %keys, %lasts, unsigned : tile<4x4xi32> -> tile<4x4xi1>
//       %x = select %both, %a, %none : tile<4x4xi1>, tile<4x4xf32>
// $ for last in -1 0 6 7 8 100 2147483647; do for first in -7 0 5 2147483645 -2147483648; do for c in true false; do a="-k rows -g 1 i32:4 i32:$last i32:$first i1:$c"; tessera run masks.mlir -t interp $a >a.txt; tessera run split.mlir -t interp $a | cmp - a.txt; done; done; done
// $ for K in -2147483648 -1 0 3 4 13 16 2147483647; do a="-k ragged -g 1 i32:$K i32:4"; tessera run masks.mlir -t interp $a >a.txt; tessera run split.mlir -t interp $a | cmp - a.txt; done
