// RUN: %transcript %s
// REQUIRES: llvm
// Element types that Tile IR doesn't have: off unless asked for, never in bytecode, and what can't
// take them says so.
cuda_tile.module @extensions {
  entry @widen(%x: tile<ptr<i3>>, %y: tile<ptr<i32>>) {
    %i = iota : tile<8xi32>
    %x1 = reshape %x : tile<ptr<i3>> -> tile<1xptr<i3>>
    %xs = broadcast %x1 : tile<1xptr<i3>> -> tile<8xptr<i3>>
    %at = offset %xs, %i : tile<8xptr<i3>>, tile<8xi32> -> tile<8xptr<i3>>
    %v, %t = load_ptr_tko weak %at : tile<8xptr<i3>> -> tile<8xi3>, token
    print_tko "%d\n", %v : tile<8xi3> -> token
    %w = exti %v unsigned : tile<8xi3> -> tile<8xi32>
    %y1 = reshape %y : tile<ptr<i32>> -> tile<1xptr<i32>>
    %ys = broadcast %y1 : tile<1xptr<i32>> -> tile<8xptr<i32>>
    %to = offset %ys, %i : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
    %s = store_ptr_tko weak %to, %w : tile<8xptr<i32>>, tile<8xi32> -> token
  }
}

// $ tessera check extensions.mlir --error-limit 1
// extensions.mlir:6:29: error: 'i3' is Tessera's extension of the language, not a type of Tile IR; the option --extensions (TSR_PARSE_EXTENSIONS) admits it
//     entry @widen(%x: tile<ptr<i3>>, %y: tile<ptr<i32>>) {
//                               ^~
// [1]
// $ tessera check --extensions extensions.mlir
// $ tessera check --extensions --version 13.3 extensions.mlir
// extensions.mlir:6:3: error: entry: this 'function_type' is Tessera's extension, which Tile IR 13.3 does not have
//     entry @widen(%x: tile<ptr<i3>>, %y: tile<ptr<i32>>) {
//     ^
// extensions.mlir:8:11: error: reshape: type tile<1xptr<i3>> is Tessera's extension, which Tile IR 13.3 does not have
//       %x1 = reshape %x : tile<ptr<i3>> -> tile<1xptr<i3>>
//             ^
// extensions.mlir:9:11: error: broadcast: type tile<8xptr<i3>> is Tessera's extension, which Tile IR 13.3 does not have
//       %xs = broadcast %x1 : tile<1xptr<i3>> -> tile<8xptr<i3>>
//             ^
// extensions.mlir:10:11: error: offset: type tile<8xptr<i3>> is Tessera's extension, which Tile IR 13.3 does not have
//       %at = offset %xs, %i : tile<8xptr<i3>>, tile<8xi32> -> tile<8xptr<i3>>
//             ^
// extensions.mlir:11:14: error: load_ptr_tko: type tile<8xi3> is Tessera's extension, which Tile IR 13.3 does not have
//       %v, %t = load_ptr_tko weak %at : tile<8xptr<i3>> -> tile<8xi3>, token
//                ^
// [1]
// $ tessera run --extensions --target interp extensions.mlir --grid 1 arange:u3:8 zeros:int32:8 --print x --print y --save x=x.npy
// [0, 1, 2, 3, -4, -3, -2, -1]
// x: i3 8
// [ 0  1  2  3 -4 -3 -2 -1]
// y: i32 8
// [0 1 2 3 4 5 6 7]
// $ npy show x.npy
// |u1 (3,): 136 198 250
// $ tessera fmt --extensions extensions.mlir | sed -n 4,5p
// // take them says so.
// cuda_tile.module @extensions {
// $ tessera as --extensions extensions.mlir -o extensions.tileirbc
// extensions.mlir:6:3: error: type i3 is Tessera's extension of the language; bytecode cannot hold it
//     entry @widen(%x: tile<ptr<i3>>, %y: tile<ptr<i32>>) {
//     ^
// [1]
// $ tessera run --extensions --target interp --sanitize=all extensions.mlir --grid 1 arange:i3:8 zeros:i32:8
// extensions.mlir:8:11: error: the sanitizer does not follow elements of i3, which share bytes
//       %x1 = reshape %x : tile<ptr<i3>> -> tile<1xptr<i3>>
//             ^
// [1]
// $ for t in u9 float6_e5m1; do tessera run --extensions --target interp extensions.mlir --grid 1 arange:$t:8 zeros:i32:8; done
// tessera: error: argument 1 ('arange:u9:8'): there is no element type 'u9'
// tessera: note: 'tessera help run' lists the element types
// tessera: error: argument 1 ('arange:float6_e5m1:8'): there is no element type 'float6_e5m1'
// tessera: note: 'tessera help run' lists the element types
// [2]
// $ # Rows of whole bytes keep their shape; other rows become bytes in a row.
// $ printf 'cuda_tile.module @m {\n  entry @k(%%a: tile<ptr<i6>>, %%b: tile<ptr<i6>>, %%c: tile<ptr<f5E3M1FN>>) { return }\n}\n' >k.mlir
// $ tessera run --extensions --target interp k.mlir --grid 1 a=arange:i6:2x4 b=arange:i6:2x3 c=arange:f5E3M1FN:9 --print a --print b --print c --save a=a.npy --save b=b.npy --save c=c.npy
// a: i6 2x4
// [[0 1 2 3]
//  [4 5 6 7]]
// b: i6 2x3
// [[0 1 2]
//  [3 4 5]]
// c: f5E3M1FN 9
// [0. 1. 2. 3. 4. 4. 6. 8. 8.]
// $ for f in a b c; do npy show $f.npy; done
// |u1 (2, 3): 64 32 12 68 97 28
// |u1 (5,): 64 32 12 68 1
// |u1 (6,): 192 160 164 212 98 12
// $ tessera run --extensions --target interp k.mlir --grid 1 a.npy b.npy c.npy --print a --print arg1 --print arg2
// a: i6 2x4
// [[0 1 2 3]
//  [4 5 6 7]]
// arg1: i6 6
// [0 1 2 3 4 5]
// arg2: f5E3M1FN 9
// [0. 1. 2. 3. 4. 4. 6. 8. 8.]
