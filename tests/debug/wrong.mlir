// RUN: %transcript %s
// What is wrong in a call or at the prompt is said, and the session goes on.
cuda_tile.module @m {
  entry @k(%x: tile<ptr<f4E2M1FN>>, %n: tile<i32>) {
    %t = constant <i16: [[1, 2, 3, 4], [5, 6, 7, -8]]> : tile<2x4xi16>
    %h = constant <f16: [1.5, 0x7e00, -2.0, 0x7c00]> : tile<4xf16>
    %bits = constant <i1: [1, 0, 1, 1]> : tile<4xi1>
    %small = constant <f4E2M1FN: [0.5, 6.0]> : tile<2xf4E2M1FN>
    %big = iota : tile<2048xi64>
    %pointers_1 = reshape %x : tile<ptr<f4E2M1FN>> -> tile<1xptr<f4E2M1FN>>
    %pointers = broadcast %pointers_1 : tile<1xptr<f4E2M1FN>> -> tile<2xptr<f4E2M1FN>>
    %ok = constant <i1: 0> : tile<i1>
    assert %ok, "stop here" : tile<i1>
  }
}

// $ tessera debug wrong.mlir -g 1 zeros:f4E2M1FN:8 i32:-3 <<'END'
// > # a comment
// > jump
// > s%
// > print %t
// > finish
// > info
// > info values
// > info everything
// > break
// > break 0
// > break 99999999999999999999
// > break 100
// > break 12x
// > break mmaf
// > break mmmaf
// > break assert
// > delete 7
// > delete x
// > list 1000
// > list x
// > run
// > run
// > print
// > print %zzz
// > print %t#1
// > print t
// > print %t[0]
// > print %t[0, 1:]
// > print %t[:, 3]
// > print %t[2, 0]
// > print %t[0:3, 0]
// > print %t[1:1, 0]
// > print %t[0, 0, 0]
// > print %t[0 0]
// > print %n[0]
// > print %t everything
// > print %h
// > print %bits
// > print %small
// > print %big
// > print %big[2000:2004]
// > print %pointers
// > print %n
// > continue
// > END
// (tessera) # a comment
// (tessera) jump
// there is no command 'jump'; 'help' lists them
// (tessera) s%
// there is no command 's%'; 'help' lists them
// (tessera) print %t
// it is not running; 'run' starts it, 'step' stops at its first operation
// (tessera) finish
// it is not running; 'run' starts it, 'step' stops at its first operation
// (tessera) info
// 'info' takes values, breakpoints, block or buffers
// (tessera) info values
// it is not running; there are no values yet
// (tessera) info everything
// 'info' takes values, breakpoints, block or buffers
// (tessera) break
// 'break' takes a line or the name of an operation
// (tessera) break 0
// '0' is no line
// (tessera) break 99999999999999999999
// '99999999999999999999' is no line
// (tessera) break 100
// @k has no operation at line 100 or behind it
// (tessera) break 12x
// '12x' is no line
// (tessera) break mmaf
// @k has no mmaf
// (tessera) break mmmaf
// there is no operation 'mmmaf'; did you mean 'mmaf'?
// (tessera) break assert
// breakpoint 1 at every assert
// (tessera) delete 7
// there is no breakpoint '7'; 'info breakpoints' lists them
// (tessera) delete x
// there is no breakpoint 'x'; 'info breakpoints' lists them
// (tessera) list 1000
// there is no such line
// (tessera) list x
// 'x' is no line
// (tessera) run
// breakpoint 1 in tile block (0, 0, 0)
// ->    13      assert %ok, "stop here" : tile<i1>
// (tessera) run
// it is running; 'continue' goes on
// (tessera) print
// 'print' takes a value: print %x, print %x[0:4, 0:8], print %x all
// (tessera) print %zzz
// there is no value %zzz here; 'info values' lists them
// (tessera) print %t#1
// there is no value %t#1 here; 'info values' lists them
// (tessera) print t
// %t: tile<2x4xi16>, min -8, max 7, mean 2.5
// [[ 1  2  3  4]
//  [ 5  6  7 -8]]
// (tessera) print %t[0]
// a part needs one range for each dimension
// (tessera) print %t[0, 1:]
// [[2 3 4]]
// (tessera) print %t[:, 3]
// [[ 4]
//  [-8]]
// (tessera) print %t[2, 0]
// that is outside of the tile
// (tessera) print %t[0:3, 0]
// that is outside of the tile
// (tessera) print %t[1:1, 0]
// that is outside of the tile
// (tessera) print %t[0, 0, 0]
// a part needs one range for each dimension
// (tessera) print %t[0 0]
// a part needs one range for each dimension
// (tessera) print %n[0]
// it has no elements
// (tessera) print %t everything
// behind the value comes nothing, 'all' or [0:4, 0:8], not 'everything'
// (tessera) print %h
// %h: tile<4xf16>, min -2, max inf, mean inf, 1 NaN
// [ 1.5  nan -2.   inf]
// (tessera) print %bits
// %bits: tile<4xi1>, min 0, max 1, mean 0.75
// [ True False  True  True]
// (tessera) print %small
// %small: tile<2xf4E2M1FN>, min 0.5, max 6, mean 3.25
// [0.5 6. ]
// (tessera) print %big
// %big: tile<2048xi64>, min 0, max 2047, mean 1023.5
// [0 1 2 3 4 5 6 7]
// and more; 'print %big all' shows everything
// (tessera) print %big[2000:2004]
// [2000 2001 2002 2003]
// (tessera) print %pointers
// %pointers: tile<2xptr<f4E2M1FN>>, %x + 0 to %x + 0
// [%x + 0, %x + 0]
// (tessera) print %n
// %n: tile<i32>, -3
// (tessera) continue
// wrong.mlir:13:5: error: assertion failed in tile block (0, 0, 0) of 'k': stop here
//       assert %ok, "stop here" : tile<i1>
//       ^
// @k has failed: stopped by the kernel
// $ tessera debug wrong.mlir
// tessera: error: say how many tile blocks to run: --grid X[,Y[,Z]], as in --grid 8
// tessera: note: usage: tessera debug FILE --grid X[,Y[,Z]] [--block X[,Y[,Z]]] [OPTION]... [ARG]...
// [2]
// $ tessera debug wrong.mlir -g 1 --batch zeros:f4E2M1FN:8 i32:1
// tessera: error: --batch needs commands from a file: -x SCRIPT
// tessera: note: usage: tessera debug FILE --grid X[,Y[,Z]] [--block X[,Y[,Z]]] [OPTION]... [ARG]...
// [2]
// $ tessera debug wrong.mlir -g 1 -x nowhere.txt zeros:f4E2M1FN:8 i32:1
// tessera: error: cannot open 'nowhere.txt': No such file or directory
// [1]
// $ tessera debug - -g 1
// tessera: error: the program must be a file: standard input is for commands
// tessera: note: usage: tessera debug FILE --grid X[,Y[,Z]] [--block X[,Y[,Z]]] [OPTION]... [ARG]...
// [2]
// $ tessera debug wrong.mlir -g 1 --block 1 zeros:f4E2M1FN:8 i32:1
// tessera: error: --block (1, 0, 0) is outside of the grid of 1 x 1 x 1 tile blocks
// tessera: note: usage: tessera debug FILE --grid X[,Y[,Z]] [--block X[,Y[,Z]]] [OPTION]... [ARG]...
// [2]
// $ tessera debug wrong.mlir -g 1 --block 0,0,0,0 zeros:f4E2M1FN:8 i32:1
// tessera: error: --block '0,0,0,0': it takes X, X,Y or X,Y,Z, counted from 0
// tessera: note: usage: tessera debug FILE --grid X[,Y[,Z]] [--block X[,Y[,Z]]] [OPTION]... [ARG]...
// [2]
// $ tessera debug wrong.mlir -g 1 --block -1 zeros:f4E2M1FN:8 i32:1
// tessera: error: --block '-1': it takes X, X,Y or X,Y,Z, counted from 0
// tessera: note: usage: tessera debug FILE --grid X[,Y[,Z]] [--block X[,Y[,Z]]] [OPTION]... [ARG]...
// [2]
// $ tessera debug wrong.mlir -g 1 --block 99999999999 zeros:f4E2M1FN:8 i32:1
// tessera: error: --block '99999999999': it takes X, X,Y or X,Y,Z, counted from 0
// tessera: note: usage: tessera debug FILE --grid X[,Y[,Z]] [--block X[,Y[,Z]]] [OPTION]... [ARG]...
// [2]
// $ tessera debug wrong.mlir -g 1 zeros:f4E2M1FN:8 i32:1 --target cpu
// tessera: error: unknown option '--target'
// tessera: note: 'tessera help debug' lists the options
// [2]
