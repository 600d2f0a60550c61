// RUN: %transcript %s
//
// loop-unroll: short loops of element-wise tiles become their iterations; others stay.
cuda_tile.module @unroll {
  entry @walk(%seed: tile<i32>) {
    %low = constant <i32: -3> : tile<i32>
    %high = constant <i32: 4> : tile<i32>
    %step = constant <i32: 2> : tile<i32>
    %factor = constant <i32: 1664525> : tile<16xi32>
    %scale = constant <f32: 1.0e-9> : tile<16xf32>
    %zero = constant <f32: 0.0> : tile<16xf32>
    %iota = iota : tile<16xi32>
    %seed_1 = reshape %seed : tile<i32> -> tile<1xi32>
    %seeds = broadcast %seed_1 : tile<1xi32> -> tile<16xi32>
    %first = addi %iota, %seeds : tile<16xi32>
    %r:4 = for %i in (%low to %high, step %step) : tile<i32> iter_values(%s = %first, %at = %zero, %most = %zero, %sum = %seed) -> (tile<16xi32>, tile<16xf32>, tile<16xf32>, tile<i32>) {
      %i_1 = reshape %i : tile<i32> -> tile<1xi32>
      %is = broadcast %i_1 : tile<1xi32> -> tile<16xi32>
      %t = muli %s, %factor : tile<16xi32>
      %u = addi %t, %is : tile<16xi32>
      %x = itof %u signed : tile<16xi32> -> tile<16xf32>
      %to = fma %x, %scale, %at : tile<16xf32>
      %more = maxf %most, %to : tile<16xf32>
      %n = addi %sum, %i : tile<i32>
      continue %u, %to, %more, %n : tile<16xi32>, tile<16xf32>, tile<16xf32>, tile<i32>
    }
    print_tko "%i %f %f %i\n", %r#0, %r#1, %r#2, %r#3 : tile<16xi32>, tile<16xf32>, tile<16xf32>, tile<i32> -> token
  }
  entry @unsigned() {
    %low = constant <i8: 250> : tile<i8>
    %high = constant <i8: 255> : tile<i8>
    %step = constant <i8: 2> : tile<i8>
    %first = constant <i8: 1> : tile<16xi8>
    %r = for unsigned %i in (%low to %high, step %step) : tile<i8> iter_values(%s = %first) -> (tile<16xi8>) {
      %i_1 = reshape %i : tile<i8> -> tile<1xi8>
      %is = broadcast %i_1 : tile<1xi8> -> tile<16xi8>
      %t = addi %s, %is : tile<16xi8>
      continue %t : tile<16xi8>
    }
    print_tko "%i\n", %r : tile<16xi8> -> token
  }
  entry @stay(%n: tile<i32>, %end: tile<i1>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %four = constant <i32: 4> : tile<i32>
    %many = constant <i32: 65> : tile<i32>
    %a = constant <i32: 3> : tile<16xi32>
    %unknown = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%s = %a) -> (tile<16xi32>) {
      %t = addi %s, %a : tile<16xi32>
      continue %t : tile<16xi32>
    }
    %long = for %i in (%zero to %many, step %one) : tile<i32> iter_values(%s = %a) -> (tile<16xi32>) {
      %t = xori %s, %a : tile<16xi32>
      continue %t : tile<16xi32>
    }
    %scalars = for %i in (%zero to %four, step %one) : tile<i32> iter_values(%s = %n) -> (tile<i32>) {
      %t = muli %s, %n : tile<i32>
      continue %t : tile<i32>
    }
    %busy = for %i in (%zero to %four, step %one) : tile<i32> iter_values(%s = %a) -> (tile<16xi32>) {
      %t = muli %s, %s : tile<16xi32>
      %u = addi %t, %s : tile<16xi32>
      %v = xori %u, %t : tile<16xi32>
      %w = ori %v, %s : tile<16xi32>
      continue %w : tile<16xi32>
    }
    %leaves = for %i in (%zero to %four, step %one) : tile<i32> iter_values(%s = %a) -> (tile<16xi32>) {
      %t = addi %s, %a : tile<16xi32>
      if %end {
        continue %s : tile<16xi32>
      }
      continue %t : tile<16xi32>
    }
    print_tko "%i %i %i %i %i\n", %unknown, %long, %scalars, %busy, %leaves : tile<16xi32>, tile<16xi32>, tile<i32>, tile<16xi32>, tile<16xi32> -> token
  }
}

// $ tessera opt unroll.mlir --passes='loop-unroll,canonicalize,cse,dce' >flat.mlir; grep -cE 'for ' flat.mlir; grep -E 'entry|for | (muli|maxf) ' flat.mlir
// 5
//   entry @walk(%seed: tile<i32>) {
//     %t = muli %first, %factor : tile<16xi32>
//     %more = maxf %to, %zero : tile<16xf32>
//     %t_1 = muli %u, %factor : tile<16xi32>
//     %more_5 = maxf %more, %to_4 : tile<16xf32>
//     %t_7 = muli %u_2, %factor : tile<16xi32>
//     %more_11 = maxf %more_5, %to_10 : tile<16xf32>
//     %t_13 = muli %u_8, %factor : tile<16xi32>
//     %more_17 = maxf %more_11, %to_16 : tile<16xf32>
//   entry @unsigned() {
//   entry @stay(%n: tile<i32>, %end: tile<i1>) {
//     %unknown = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%s = %a) -> (tile<16xi32>) {
//     %long = for %i in (%zero to %many, step %one) : tile<i32> iter_values(%s = %a) -> (tile<16xi32>) {
//     %scalars = for %i in (%zero to %four, step %one) : tile<i32> iter_values(%s = %n) -> (tile<i32>) {
//       %t = muli %s, %n : tile<i32>
//     %busy = for %i in (%zero to %four, step %one) : tile<i32> iter_values(%s = %a) -> (tile<16xi32>) {
//       %t = muli %s, %s : tile<16xi32>
//     %leaves = for %i in (%zero to %four, step %one) : tile<i32> iter_values(%s = %a) -> (tile<16xi32>) {
// $ for seed in 0 1 -7 2147483647; do for k in walk unsigned stay; do a="-k $k -g 1"; [ $k = walk ] && a="$a i32:$seed"; [ $k = stay ] && a="$a i32:$seed i1:false"; [ $k$seed = stay2147483647 ] && continue; tessera run unroll.mlir -t interp $a >a.txt; tessera run flat.mlir -t interp $a | cmp - a.txt; done; done
