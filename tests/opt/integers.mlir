// RUN: %transcript %s
//
// Identities of integers, masks, pointers: what is printed is what is left.
cuda_tile.module @integers {
  entry @sums(%x: tile<i32>, %y: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %seven = constant <i32: 7> : tile<i32>
    %ones = constant <i32: -1> : tile<i32>
    %a = addi %zero, %x : tile<i32>
    %b = addi %a, %seven : tile<i32>
    %c = addi %b, %seven : tile<i32>
    %d = subi %x, %x : tile<i32>
    %e = subi %x, %seven : tile<i32>
    %f = subi %x, %seven overflow<no_signed_wrap> : tile<i32>
    %g = muli %x, %zero : tile<i32>
    %h = muli %one, %y : tile<i32>
    %i = andi %x, %ones : tile<i32>
    %j = ori %x, %ones : tile<i32>
    %k = xori %x, %x : tile<i32>
    %l = shli %x, %zero : tile<i32>
    %m = divi %x, %one signed : tile<i32>
    %n = remi %x, %one signed : tile<i32>
    %o = divi %x, %zero signed : tile<i32>
    %p = maxi %x, %zero unsigned : tile<i32>
    %q = mulhii %x, %one : tile<i32>
    %r = negi %x : tile<i32>
    %s = negi %r : tile<i32>
    print_tko "%i %i %i %i %i %i %i\n", %a, %c, %d, %e, %f, %g, %h : tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32> -> token
    print_tko "%i %i %i %i %i %i\n", %i, %j, %k, %l, %m, %n : tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32> -> token
    print_tko "%i %i %i %i\n", %o, %p, %q, %s : tile<i32>, tile<i32>, tile<i32>, tile<i32> -> token
  }
  entry @constants() {
    %a = constant <i8: [1, 2, 3, 127]> : tile<4xi8>
    %b = constant <i8: 100> : tile<4xi8>
    %sum = addi %a, %b : tile<4xi8>
    %undefined = addi %a, %b overflow<no_signed_wrap> : tile<4xi8>
    %less = cmpi less_than %a, %sum, signed : tile<4xi8> -> tile<4xi1>
    %wide = exti %sum unsigned : tile<4xi8> -> tile<4xi32>
    %same = muli %b, %b : tile<4xi8>
    print_tko "%i %i %i %i\n", %undefined, %less, %wide, %same : tile<4xi8>, tile<4xi1>, tile<4xi32>, tile<4xi8> -> token
  }
  entry @selects(%c: tile<i1>, %x: tile<i32>, %y: tile<i32>) {
    %yes = constant <i1: true> : tile<i1>
    %no = constant <i1: false> : tile<i1>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %not = xori %c, %yes : tile<i1>
    %a = select %yes, %x, %y : tile<i1>, tile<i32>
    %b = select %c, %x, %x : tile<i1>, tile<i32>
    %d = select %not, %x, %y : tile<i1>, tile<i32>
    %e = select %c, %d, %y : tile<i1>, tile<i32>
    %f = select %c, %one, %zero : tile<i1>, tile<i32>
    %g = select %c, %no, %yes : tile<i1>, tile<i1>
    %equal = cmpi equal %x, %y, signed : tile<i32> -> tile<i1>
    %h = select %equal, %x, %y : tile<i1>, tile<i32>
    %i = cmpi less_than %zero, %x, signed : tile<i32> -> tile<i1>
    %j = cmpi less_than %x, %zero, unsigned : tile<i32> -> tile<i1>
    print_tko "%i %i %i %i %i %i\n", %a, %b, %d, %e, %f, %h : tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32> -> token
    print_tko "%i %i %i\n", %g, %i, %j : tile<i1>, tile<i1>, tile<i1> -> token
  }
  entry @conversions(%x: tile<i16>, %p: tile<ptr<f32>>) {
    %wide = exti %x signed : tile<i16> -> tile<i32>
    %wider = exti %wide signed : tile<i32> -> tile<i64>
    %back = trunci %wide : tile<i32> -> tile<i16>
    %low = trunci %wide : tile<i32> -> tile<i8>
    %mid = trunci %wider : tile<i64> -> tile<i32>
    %n = ptr_to_int %p : tile<ptr<f32>> -> tile<i64>
    %q = int_to_ptr %n : tile<i64> -> tile<ptr<i32>>
    %zero = constant <i32: 0> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %r = offset %p, %zero : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %s = offset %r, %two : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %t = offset %s, %two : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %v, %a = load_ptr_tko weak %t : tile<ptr<f32>> -> tile<f32>, token
    %w, %b = load_ptr_tko weak %q : tile<ptr<i32>> -> tile<i32>, token
    print_tko "%i %i %i %i %f %i\n", %wider, %back, %low, %mid, %v, %w : tile<i64>, tile<i16>, tile<i8>, tile<i32>, tile<f32>, tile<i32> -> token
  }
}

// $ tessera opt integers.mlir --passes=canonicalize | tail -n +4
// cuda_tile.module @integers {
//   entry @sums(%x: tile<i32>, %y: tile<i32>) {
//     %zero = constant <i32: 0> : tile<i32>
//     %seven = constant <i32: 7> : tile<i32>
//     %ones = constant <i32: -1> : tile<i32>
//     %cst_14_i32 = constant <i32: 14> : tile<i32>
//     %c = addi %x, %cst_14_i32 : tile<i32>
//     %d = constant <i32: 0> : tile<i32>
//     %cst_-7_i32 = constant <i32: -7> : tile<i32>
//     %e = addi %x, %cst_-7_i32 : tile<i32>
//     %f = subi %x, %seven overflow<no_signed_wrap> : tile<i32>
//     %k = constant <i32: 0> : tile<i32>
//     %n = constant <i32: 0> : tile<i32>
//     %o = divi %x, %zero signed : tile<i32>
//     %q = constant <i32: 0> : tile<i32>
//     %result_token = print_tko "%i %i %i %i %i %i %i\0A", %x, %c, %d, %e, %f, %zero, %y : tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32> -> token
//     %result_token_0 = print_tko "%i %i %i %i %i %i\0A", %x, %ones, %k, %x, %x, %n : tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32> -> token
//     %result_token_1 = print_tko "%i %i %i %i\0A", %o, %x, %q, %x : tile<i32>, tile<i32>, tile<i32>, tile<i32> -> token
//     return
//   }
//   entry @constants() {
//     %a = constant <i8: [1, 2, 3, 127]> : tile<4xi8>
//     %b = constant <i8: 100> : tile<4xi8>
//     %undefined = addi %a, %b overflow<no_signed_wrap> : tile<4xi8>
//     %less = constant <i1: [true, true, true, false]> : tile<4xi1>
//     %wide = constant <i32: [101, 102, 103, 227]> : tile<4xi32>
//     %same = constant <i8: 16> : tile<4xi8>
//     %result_token = print_tko "%i %i %i %i\0A", %undefined, %less, %wide, %same : tile<4xi8>, tile<4xi1>, tile<4xi32>, tile<4xi8> -> token
//     return
//   }
//   entry @selects(%c: tile<i1>, %x: tile<i32>, %y: tile<i32>) {
//     %zero = constant <i32: 0> : tile<i32>
//     %d = select %c, %y, %x : tile<i1>, tile<i32>
//     %f = exti %c unsigned : tile<i1> -> tile<i32>
//     %true = constant <i1: true> : tile<i1>
//     %g = xori %c, %true : tile<i1>
//     %i = cmpi greater_than %x, %zero, signed : tile<i32> -> tile<i1>
//     %j = constant <i1: false> : tile<i1>
//     %result_token = print_tko "%i %i %i %i %i %i\0A", %x, %x, %d, %y, %f, %y : tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32> -> token
//     %result_token_0 = print_tko "%i %i %i\0A", %g, %i, %j : tile<i1>, tile<i1>, tile<i1> -> token
//     return
//   }
//   entry @conversions(%x: tile<i16>, %p: tile<ptr<f32>>) {
//     %wider = exti %x signed : tile<i16> -> tile<i64>
//     %low = trunci %x : tile<i16> -> tile<i8>
//     %mid = exti %x signed : tile<i16> -> tile<i32>
//     %q = ptr_to_ptr %p : tile<ptr<f32>> -> tile<ptr<i32>>
//     %cst_4_i32 = constant <i32: 4> : tile<i32>
//     %t = offset %p, %cst_4_i32 : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
//     %v, %a = load_ptr_tko weak %t : tile<ptr<f32>> -> tile<f32>, token
//     %w, %b = load_ptr_tko weak %q : tile<ptr<i32>> -> tile<i32>, token
//     %result_token = print_tko "%i %i %i %i %f %i\0A", %wider, %x, %low, %mid, %v, %w : tile<i64>, tile<i16>, tile<i8>, tile<i32>, tile<f32>, tile<i32> -> token
//     return
//   }
// }
