// RUN: %transcript %s
// Programs as bytecode: versions, what they refuse, calls that are wrong.
cuda_tile.module @m {
  global private @seed alignment = 16 <i32: 7> : tile<1xi32>
  entry @k(%p: tile<ptr<f32>>, %x: tile<f32>) {
    %a = tanh %x rounding<approx> : tile<f32>
    %b = atan2 %a, %x : tile<f32>
    %t = store_ptr_tko weak %p, %b : tile<ptr<f32>>, tile<f32> -> token
    %u = print_tko "%f\n", %b token=%t : tile<f32> -> token
  }
}

// $ tessera as as.mlir -o new.bc; tessera as as.mlir --version=13.3 -o same.bc; cmp new.bc same.bc
// new.bc same.bc differ: byte 10, line 1
// [1]
// $ head -c 12 new.bc | od -An -tx1
//  7f 54 69 6c 65 49 52 00 0d 04 00 00
// $ tessera as as.mlir --version 13.2 -o old.bc
// as.mlir:4:3: error: the visibility of global @seed needs bytecode version 13.3; version 13.2 was asked for
//     global private @seed alignment = 16 <i32: 7> : tile<1xi32>
//     ^
// [1]
// $ tessera as as.mlir --version 13.1 -o old.bc
// as.mlir:4:3: error: the visibility of global @seed needs bytecode version 13.3; version 13.1 was asked for
//     global private @seed alignment = 16 <i32: 7> : tile<1xi32>
//     ^
// as.mlir:6:10: error: attribute 'rounding_mode' of tanh needs bytecode version 13.2; version 13.1 was asked for
//       %a = tanh %x rounding<approx> : tile<f32>
//            ^
// as.mlir:7:10: error: atan2 needs bytecode version 13.2; version 13.1 was asked for
//       %b = atan2 %a, %x : tile<f32>
//            ^
// as.mlir:9:10: error: operand 'token' of print_tko needs bytecode version 13.2; version 13.1 was asked for
//       %u = print_tko "%f\n", %b token=%t : tile<f32> -> token
//            ^
// [1]
// $ tessera as as.mlir --version 13.1 -o old.bc --error-limit 1
// as.mlir:4:3: error: the visibility of global @seed needs bytecode version 13.3; version 13.1 was asked for
//     global private @seed alignment = 16 <i32: 7> : tile<1xi32>
//     ^
// [1]
// $ ls
// Inputs
// as.mlir
// new.bc
// same.bc
// $ tessera as new.bc -o again.bc; cmp new.bc again.bc
// $ tessera as - -o - <as.mlir | cmp - new.bc
// $ tessera as as.mlir
// tessera: error: say where to write the bytecode: -o OUT
// tessera: note: usage: tessera as FILE -o OUT [--version 13.N]
// [2]
// $ tessera as as.mlir -o x.bc --version 13.9
// tessera: error: --version takes 13.1 to 13.5, not '13.9'
// tessera: note: usage: tessera as FILE -o OUT [--version 13.N]
// [2]
// $ tessera as as.mlir -o x.bc --version
// tessera: error: '--version' needs a value: --version=13.N
// tessera: note: usage: tessera as FILE -o OUT [--version 13.N]
// [2]
// $ tessera as
// tessera: error: 'as' needs a program (FILE, or - for standard input)
// tessera: note: usage: tessera as FILE -o OUT [--version 13.N]
// [2]
// $ tessera as as.mlir -o no/such/folder.bc
// tessera: error: cannot write 'no/such/folder.bc': No such file or directory
// [1]
// $ echo 'cuda_tile.module @m { entry @k() { %0 = addi } }' | tessera as - -o x.bc
// <stdin>:1:46: error: expected an operand (%name), found '}'
//   cuda_tile.module @m { entry @k() { %0 = addi } }
//                                                ^
// [1]
// $ tessera as missing.mlir -o x.bc
// tessera: error: cannot open 'missing.mlir': No such file or directory
// [1]
// $ ls
// Inputs
// again.bc
// as.mlir
// new.bc
// same.bc
// $ tessera help as
// tessera as: write a program as bytecode
//
// Usage: tessera as FILE -o OUT [--version 13.N]
//
// Checks FILE and writes it in the binary form that other Tile IR tools read. What
// the version asked for cannot express is an error. Names of values and comments
// are not part of bytecode; debug information (loc) is.
//
// Options
//   -o, --output=OUT        the file to write; - is standard output
//       --version=13.N      the version to write: 13.1 to 13.4 (the newest, and the
//                           default), or 13.5, which is in development
//       --extensions        admit element types that Tile IR doesn't have, as i3
//                           and f6E3M2FN (see tessera explain --elements)
//       --testing-ops       read what only tests of the language use, to say
//                           that bytecode can't hold it
//
// Options of every command
//   -h, --help              explain the command, with examples
//       --color=WHEN        colour messages: auto (on a terminal, unless
//                           NO_COLOR is set), always or never
//       --diagnostics-format=FORMAT
//                           messages as text (the default), json (an object a
//                           line) or sarif (SARIF 2.1.0)
//       --error-limit=N     stop reading a program after N errors (20; 0: never)
//   -q, --quiet             say nothing but errors
//   -v, --verbose           say what is done and how long it took
//
// Examples
//   For a compiler of the newest version.
//     tessera as kernels/saxpy.mlir -o saxpy.tileirbc
//   For one that knows 13.1 only: an error says what it could not express.
//     tessera as kernels/saxpy.mlir --version 13.1 -o saxpy.tileirbc
