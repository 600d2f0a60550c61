// RUN: %transcript %s
// REQUIRES: llvm
// narrow: what is widened from bytes and truncated again is computed in 16 bits, where these hold it.
cuda_tile.module @narrow {
  // 77 r + 150 g + 29 b is below 65536: its shift reads 16 bits without a sign.
  entry @grey(%start: tile<i32>) {
    %lane = iota : tile<512xi32>
    %start1 = reshape %start : tile<i32> -> tile<1xi32>
    %starts = broadcast %start1 : tile<1xi32> -> tile<512xi32>
    %i = addi %lane, %starts : tile<512xi32>
    %c5 = constant <i32: 5> : tile<512xi32>
    %c11 = constant <i32: 11> : tile<512xi32>
    %i5 = muli %i, %c5 : tile<512xi32>
    %i11 = muli %i, %c11 : tile<512xi32>
    %x = trunci %i : tile<512xi32> -> tile<512xi8>
    %y = trunci %i5 : tile<512xi32> -> tile<512xi8>
    %z = trunci %i11 : tile<512xi32> -> tile<512xi8>
    %r = exti %x unsigned : tile<512xi8> -> tile<512xi32>
    %g = exti %y unsigned : tile<512xi8> -> tile<512xi32>
    %b = exti %z unsigned : tile<512xi8> -> tile<512xi32>
    %c77 = constant <i32: 77> : tile<512xi32>
    %c150 = constant <i32: 150> : tile<512xi32>
    %c29 = constant <i32: 29> : tile<512xi32>
    %c8 = constant <i32: 8> : tile<512xi32>
    %r77 = muli %r, %c77 : tile<512xi32>
    %g150 = muli %g, %c150 : tile<512xi32>
    %b29 = muli %b, %c29 : tile<512xi32>
    %rg = addi %r77, %g150 : tile<512xi32>
    %rgb = addi %rg, %b29 : tile<512xi32>
    %high = shri %rgb, %c8 signed : tile<512xi32>
    %grey = trunci %high : tile<512xi32> -> tile<512xi8>
    print_tko "%i\n", %grey : tile<512xi8> -> token
  }
  // Differences have signs; |dx| + |dy| up to 255, half of it.
  entry @edges(%start: tile<i32>) {
    %lane = iota : tile<512xi32>
    %start1 = reshape %start : tile<i32> -> tile<1xi32>
    %starts = broadcast %start1 : tile<1xi32> -> tile<512xi32>
    %i = addi %lane, %starts : tile<512xi32>
    %c7 = constant <i32: 7> : tile<512xi32>
    %i7 = muli %i, %c7 : tile<512xi32>
    %x = trunci %i : tile<512xi32> -> tile<512xi8>
    %y = trunci %i7 : tile<512xi32> -> tile<512xi8>
    %a = exti %x unsigned : tile<512xi8> -> tile<512xi64>
    %b = exti %y signed : tile<512xi8> -> tile<512xi64>
    %one = constant <i64: 1> : tile<512xi64>
    %two = constant <i64: 2> : tile<512xi64>
    %most = constant <i64: 255> : tile<512xi64>
    %none = constant <i64: -100> : tile<512xi64>
    %d = subi %a, %b : tile<512xi64>
    %s = absi %d : tile<512xi64>
    %b2 = muli %b, %two : tile<512xi64>
    %t = shri %b2, %one signed : tile<512xi64>
    %u = maxi %t, %none signed : tile<512xi64>
    %v = addi %s, %u : tile<512xi64>
    %w = mini %v, %most signed : tile<512xi64>
    %h = trunci %w : tile<512xi64> -> tile<512xi16>
    print_tko "%i\n", %h : tile<512xi16> -> token
  }
  // Not so: a product that needs more than 16 bits is shifted; the sum is used as it is, too; an
  // operation that is not known; a number from elsewhere; tiles of few elements.
  entry @wide(%start: tile<i32>) {
    %lane = iota : tile<512xi32>
    %start1 = reshape %start : tile<i32> -> tile<1xi32>
    %starts = broadcast %start1 : tile<1xi32> -> tile<512xi32>
    %i = addi %lane, %starts : tile<512xi32>
    %x = trunci %i : tile<512xi32> -> tile<512xi8>
    %a = exti %x unsigned : tile<512xi8> -> tile<512xi32>
    %c300 = constant <i32: 300> : tile<512xi32>
    %c8 = constant <i32: 8> : tile<512xi32>
    %large = muli %a, %c300 : tile<512xi32>
    %high = shri %large, %c8 signed : tile<512xi32>
    %p = trunci %high : tile<512xi32> -> tile<512xi8>
    %sum = addi %a, %c300 : tile<512xi32>
    %q = trunci %sum : tile<512xi32> -> tile<512xi8>
    %over = divi %a, %c8 signed : tile<512xi32>
    %more = addi %over, %c8 : tile<512xi32>
    %r = trunci %more : tile<512xi32> -> tile<512xi8>
    %mixed = addi %a, %starts : tile<512xi32>
    %s = trunci %mixed : tile<512xi32> -> tile<512xi8>
    %few = iota : tile<8xi8>
    %few32 = exti %few unsigned : tile<8xi8> -> tile<8xi32>
    %square = muli %few32, %few32 : tile<8xi32>
    %t = trunci %square : tile<8xi32> -> tile<8xi8>
    print_tko "%i %i %i %i %i %i\n", %p, %q, %sum, %r, %s, %t : tile<512xi8>, tile<512xi8>, tile<512xi32>, tile<512xi8>, tile<512xi8>, tile<8xi8> -> token
  }
}

// $ tessera opt narrow.mlir --passes=narrow,cse,dce >small.mlir; grep -E 'entry|i16' small.mlir
//   entry @grey(%start: tile<i32>) {
//     %0 = exti %x unsigned : tile<512xi8> -> tile<512xi16>
//     %1 = exti %y unsigned : tile<512xi8> -> tile<512xi16>
//     %2 = exti %z unsigned : tile<512xi8> -> tile<512xi16>
//     %cst_77_i16 = constant <i16: 77> : tile<512xi16>
//     %3 = muli %0, %cst_77_i16 : tile<512xi16>
//     %cst_150_i16 = constant <i16: 150> : tile<512xi16>
//     %4 = muli %1, %cst_150_i16 : tile<512xi16>
//     %cst_29_i16 = constant <i16: 29> : tile<512xi16>
//     %5 = muli %2, %cst_29_i16 : tile<512xi16>
//     %6 = addi %3, %4 : tile<512xi16>
//     %7 = addi %6, %5 : tile<512xi16>
//     %cst_8_i16 = constant <i16: 8> : tile<512xi16>
//     %8 = shri %7, %cst_8_i16 unsigned : tile<512xi16>
//     %grey = trunci %8 : tile<512xi16> -> tile<512xi8>
//   entry @edges(%start: tile<i32>) {
//     %0 = exti %x unsigned : tile<512xi8> -> tile<512xi16>
//     %1 = exti %y signed : tile<512xi8> -> tile<512xi16>
//     %2 = subi %0, %1 : tile<512xi16>
//     %3 = absi %2 : tile<512xi16>
//     %cst_2_i16 = constant <i16: 2> : tile<512xi16>
//     %4 = muli %1, %cst_2_i16 : tile<512xi16>
//     %cst_1_i16 = constant <i16: 1> : tile<512xi16>
//     %5 = shri %4, %cst_1_i16 signed : tile<512xi16>
//     %cst_-100_i16 = constant <i16: -100> : tile<512xi16>
//     %6 = maxi %5, %cst_-100_i16 signed : tile<512xi16>
//     %7 = addi %3, %6 : tile<512xi16>
//     %cst_255_i16 = constant <i16: 255> : tile<512xi16>
//     %h = mini %7, %cst_255_i16 signed : tile<512xi16>
//     %result_token = print_tko "%i\0A", %h : tile<512xi16> -> token
//   entry @wide(%start: tile<i32>) {
// $ for seed in 0 1 -7 2147483647; do for k in grey edges wide; do a="-k $k -g 1 i32:$seed"; tessera run narrow.mlir -t interp $a >a.txt; tessera run small.mlir -t interp $a | cmp - a.txt; tessera run narrow.mlir $a | cmp - a.txt; done; done
