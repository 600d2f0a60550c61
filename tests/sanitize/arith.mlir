// RUN: %transcript %s
// Integer results that the language leaves undefined.
cuda_tile.module @arith {
  entry @divide() {
    %zeros = constant <i32: [3, 0, 5, 0]> : tile<4xi32>
    %ones = constant <i32: [1, 2, 3, 4]> : tile<4xi32>
    %a = divi %ones, %zeros unsigned : tile<4xi32>
    %b = remi %ones, %zeros signed : tile<4xi32>
    %least = constant <i32: -2147483648> : tile<i32>
    %minus = constant <i32: -1> : tile<i32>
    %c = divi %least, %minus signed rounding<negative_inf> : tile<i32>
    %d = divi %least, %minus unsigned : tile<i32>
    %e = remi %least, %minus signed : tile<i32>
    %f = divi %ones, %ones signed : tile<4xi32>
  }

  entry @shift() {
    %x = constant <i8: [1, 1, -1, 64]> : tile<4xi8>
    %by = constant <i8: [7, 8, -1, 1]> : tile<4xi8>
    %a = shli %x, %by : tile<4xi8>
    %b = shri %x, %by signed : tile<4xi8>
    %one = constant <i8: 1> : tile<4xi8>
    %c = shli %x, %one overflow<no_signed_wrap> : tile<4xi8>
    %d = shli %x, %one overflow<no_unsigned_wrap> : tile<4xi8>
  }

  entry @overflow() {
    %x = constant <i16: [32767, -32768, 255, -1]> : tile<4xi16>
    %one = constant <i16: 1> : tile<4xi16>
    %a = addi %x, %one overflow<no_signed_wrap> : tile<4xi16>
    %b = addi %x, %one overflow<no_unsigned_wrap> : tile<4xi16>
    %c = addi %x, %one : tile<4xi16>
    %d = subi %x, %one overflow<no_wrap> : tile<4xi16>
    %e = muli %x, %x overflow<no_unsigned_wrap> : tile<4xi16>
    %f = negi %x overflow<no_signed_wrap> : tile<4xi16>
    %g = trunci %x overflow<no_signed_wrap> : tile<4xi16> -> tile<4xi8>
    %h = trunci %x overflow<no_unsigned_wrap> : tile<4xi16> -> tile<4xi8>
  }

  entry @convert() {
    %x = constant <f32: [127.9, 128.0, -0.5, 0x7fc00000]> : tile<4xf32>
    %a = ftoi %x signed : tile<4xf32> -> tile<4xi8>
    %b = ftoi %x unsigned : tile<4xf32> -> tile<4xi8>
  }

  entry @address(%p: tile<ptr<f64>>, %n: tile<i64>) {
    %q = offset %p, %n : tile<ptr<f64>>, tile<i64> -> tile<ptr<f64>>
  }

  entry @step(%n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %four = constant <i32: 4> : tile<i32>
    for %i in (%zero to %four, step %n) : tile<i32> {
      continue
    }
  }

  // In the body of a reduction, a finding counts for each time it is executed.
  entry @sum() {
    %x = constant <i8: [100, 20, 30, 40]> : tile<4xi8>
    %s = reduce %x dim=0 identities=[0 : i8] : tile<4xi8> -> tile<i8>
    (%a: tile<i8>, %b: tile<i8>) {
      %c = addi %a, %b overflow<no_signed_wrap> : tile<i8>
      yield %c : tile<i8>
    }
  }
}

// $ tessera run arith.mlir -g 1 --sanitize=arith -k divide
// arith.mlir:7:10: error: [arith] divi: division by zero
//       %a = divi %ones, %zeros unsigned : tile<4xi32>
//            ^
// tessera: note: in tile block (0, 0, 0), element [1]: the operands are 2 and 0; so is another element
// arith.mlir:8:10: error: [arith] remi: division by zero
//       %b = remi %ones, %zeros signed : tile<4xi32>
//            ^
// tessera: note: in tile block (0, 0, 0), element [1]: the operands are 2 and 0; so is another element
// arith.mlir:11:10: error: [arith] divi: the smallest number divided by -1
//       %c = divi %least, %minus signed rounding<negative_inf> : tile<i32>
//            ^
// tessera: note: in tile block (0, 0, 0): the operands are -2147483648 and -1
// arith.mlir:7:10: note: [arith] divi: 1 more finding, the last in tile block (0, 0, 0)
// arith.mlir:8:10: note: [arith] remi: 1 more finding, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 5 findings at 3 operations (arith 5) in 1 tile block
// [1]
// $ tessera run arith.mlir -g 1 --sanitize=arith -k shift
// arith.mlir:20:10: error: [arith] shli: a shift by the width or more
//       %a = shli %x, %by : tile<4xi8>
//            ^
// tessera: note: in tile block (0, 0, 0), element [1]: the operands are 1 and 8; so is another element
// arith.mlir:21:10: error: [arith] shri: a shift by the width or more
//       %b = shri %x, %by signed : tile<4xi8>
//            ^
// tessera: note: in tile block (0, 0, 0), element [1]: the operands are 1 and 8; so is another element
// arith.mlir:23:10: error: [arith] shli: signed overflow, which was ruled out
//       %c = shli %x, %one overflow<no_signed_wrap> : tile<4xi8>
//            ^
// tessera: note: in tile block (0, 0, 0), element [3]: the operands are 64 and 1
// arith.mlir:24:10: error: [arith] shli: unsigned overflow, which was ruled out
//       %d = shli %x, %one overflow<no_unsigned_wrap> : tile<4xi8>
//            ^
// tessera: note: in tile block (0, 0, 0), element [2]: the operands are -1 and 1
// arith.mlir:20:10: note: [arith] shli: 1 more finding, the last in tile block (0, 0, 0)
// arith.mlir:21:10: note: [arith] shri: 1 more finding, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 6 findings at 4 operations (arith 6) in 1 tile block
// [1]
// $ tessera run arith.mlir -g 1 --sanitize=arith -k overflow
// arith.mlir:30:10: error: [arith] addi: signed overflow, which was ruled out
//       %a = addi %x, %one overflow<no_signed_wrap> : tile<4xi16>
//            ^
// tessera: note: in tile block (0, 0, 0), element [0]: the operands are 32767 and 1
// arith.mlir:31:10: error: [arith] addi: unsigned overflow, which was ruled out
//       %b = addi %x, %one overflow<no_unsigned_wrap> : tile<4xi16>
//            ^
// tessera: note: in tile block (0, 0, 0), element [3]: the operands are -1 and 1
// arith.mlir:33:10: error: [arith] subi: signed overflow, which was ruled out
//       %d = subi %x, %one overflow<no_wrap> : tile<4xi16>
//            ^
// tessera: note: in tile block (0, 0, 0), element [1]: the operands are -32768 and 1
// arith.mlir:34:10: error: [arith] muli: unsigned overflow, which was ruled out
//       %e = muli %x, %x overflow<no_unsigned_wrap> : tile<4xi16>
//            ^
// tessera: note: in tile block (0, 0, 0), element [0]: the operands are 32767 and 32767; so are 2 more elements
// arith.mlir:35:10: error: [arith] negi: signed overflow, which was ruled out
//       %f = negi %x overflow<no_signed_wrap> : tile<4xi16>
//            ^
// tessera: note: in tile block (0, 0, 0), element [1]: the operand is -32768
// arith.mlir:36:10: error: [arith] trunci: signed overflow, which was ruled out
//       %g = trunci %x overflow<no_signed_wrap> : tile<4xi16> -> tile<4xi8>
//            ^
// tessera: note: in tile block (0, 0, 0), element [0]: the operand is 32767; so are 2 more elements
// arith.mlir:37:10: error: [arith] trunci: unsigned overflow, which was ruled out
//       %h = trunci %x overflow<no_unsigned_wrap> : tile<4xi16> -> tile<4xi8>
//            ^
// tessera: note: in tile block (0, 0, 0), element [0]: the operand is 32767; so are 2 more elements
// arith.mlir:34:10: note: [arith] muli: 2 more findings, the last in tile block (0, 0, 0)
// arith.mlir:36:10: note: [arith] trunci: 2 more findings, the last in tile block (0, 0, 0)
// arith.mlir:37:10: note: [arith] trunci: 2 more findings, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 13 findings at 7 operations (arith 13) in 1 tile block
// [1]
// $ tessera run arith.mlir -g 1 --sanitize=arith -k convert
// arith.mlir:42:10: error: [arith] ftoi: a value that the integer type cannot hold
//       %a = ftoi %x signed : tile<4xf32> -> tile<4xi8>
//            ^
// tessera: note: in tile block (0, 0, 0), element [1]: the operand is 128; so is another element
// arith.mlir:43:10: error: [arith] ftoi: a value that the integer type cannot hold
//       %b = ftoi %x unsigned : tile<4xf32> -> tile<4xi8>
//            ^
// tessera: note: in tile block (0, 0, 0), element [3]: the operand is nan
// arith.mlir:42:10: note: [arith] ftoi: 1 more finding, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 3 findings at 2 operations (arith 3) in 1 tile block
// [1]
// $ tessera run arith.mlir -g 1 --sanitize=arith -k address zeros:f64:1 i64:1
// tessera: remark: sanitizer: nothing found (arith) in 1 tile block
// $ tessera run arith.mlir -g 1 --sanitize=arith -k address zeros:f64:1 i64:0x2000000000000000
// arith.mlir:47:10: error: [arith] offset: the address overflows
//       %q = offset %p, %n : tile<ptr<f64>>, tile<i64> -> tile<ptr<f64>>
//            ^
// tessera: note: in tile block \(0, 0, 0\): the operands are 0x[0-9a-f]+ and 2305843009213693952 (re)
// tessera: note: sanitizer: 1 finding at 1 operation (arith 1) in 1 tile block
// [1]
// $ tessera run arith.mlir -g 1 --sanitize=arith -k address zeros:f64:1 i64:-0x2000000000000000
// arith.mlir:47:10: error: [arith] offset: the address overflows
//       %q = offset %p, %n : tile<ptr<f64>>, tile<i64> -> tile<ptr<f64>>
//            ^
// tessera: note: in tile block \(0, 0, 0\): the operands are 0x[0-9a-f]+ and -2305843009213693952 (re)
// tessera: note: sanitizer: 1 finding at 1 operation (arith 1) in 1 tile block
// [1]
// $ tessera run arith.mlir -g 1 --sanitize=arith -k step i32:1
// tessera: remark: sanitizer: nothing found (arith) in 1 tile block
// $ tessera run arith.mlir -g 1 --sanitize=arith -k step i32:0
// arith.mlir:53:5: error: [arith] for: the step is 0; it must be positive
//       for %i in (%zero to %four, step %n) : tile<i32> {
//       ^
// tessera: note: in tile block (0, 0, 0)
// tessera: note: sanitizer: 1 finding at 1 operation (arith 1) in 1 tile block
// [1]
// $ tessera run arith.mlir -g 1 --sanitize=arith -k step i32:-4
// arith.mlir:53:5: error: [arith] for: the step is -4; it must be positive
//       for %i in (%zero to %four, step %n) : tile<i32> {
//       ^
// tessera: note: in tile block (0, 0, 0)
// tessera: note: sanitizer: 1 finding at 1 operation (arith 1) in 1 tile block
// [1]
// $ tessera run arith.mlir -g 1 --sanitize=arith -k sum
// arith.mlir:63:12: error: [arith] addi: signed overflow, which was ruled out
//         %c = addi %a, %b overflow<no_signed_wrap> : tile<i8>
//              ^
// tessera: note: in tile block (0, 0, 0): the operands are 30 and 120
// tessera: note: sanitizer: 1 finding at 1 operation (arith 1) in 1 tile block
// [1]
