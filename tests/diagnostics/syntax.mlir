// RUN: %transcript %s
cuda_tile.module @syntax {
  entry @missing_comma(%a: tile<i32>) {
    %0 = addi %a %a : tile<i32>
  }
  entry @missing_type(%a: tile<i32>) {
    %0 = addi %a, %a
  }
  entry @bad_number() {
    %0 = constant <i32: 12x> : tile<i32>
  }
  entry @unclosed_type(%a: tile<4xf32) {
  }
  entry @stray(%a: tile<i32>) {
    ] %0 = addi %a, %a : tile<i32>
  }
  entry @unclosed() {

// $ tessera check syntax.mlir
// syntax.mlir:4:18: error: expected ',' after operand 'lhs', found '%a'
//       %0 = addi %a %a : tile<i32>
//                    ^~
// syntax.mlir:7:21: error: expected ':' after operand 'rhs', found the end of the line
//       %0 = addi %a, %a
//                       ^
// syntax.mlir:10:27: error: expected '>' after the value, found 'x'
//       %0 = constant <i32: 12x> : tile<i32>
//                             ^
// syntax.mlir:12:38: error: expected '>' after the element type, found ')'
//     entry @unclosed_type(%a: tile<4xf32) {
//                                        ^
// syntax.mlir:15:5: error: expected an operation, found ']'
//       ] %0 = addi %a, %a : tile<i32>
//       ^
// syntax.mlir:18:1: error: expected '}' to end the body of 'entry', found the end of the file
// syntax.mlir:17:21: note: it begins here
//     entry @unclosed() {
//                       ^
// [1]
// $ tessera check --error-limit 2 syntax.mlir
// syntax.mlir:4:18: error: expected ',' after operand 'lhs', found '%a'
//       %0 = addi %a %a : tile<i32>
//                    ^~
// syntax.mlir:7:21: error: expected ':' after operand 'rhs', found the end of the line
//       %0 = addi %a, %a
//                       ^
// syntax.mlir:10:27: note: too many errors: reading stops after 2
//       %0 = constant <i32: 12x> : tile<i32>
//                             ^
// [1]
// $ tessera check --color=always syntax.mlir 2>&1 | head -3 | cat -v
// ^[[1msyntax.mlir:4:18: ^[[1;31merror: ^[[0m^[[1mexpected ',' after operand 'lhs', found '%a'^[[0m
//       %0 = addi %a %a : tile<i32>
// ^[[1;32m                   ^~^[[0m
