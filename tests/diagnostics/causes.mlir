// RUN: %transcript %s
//
// The cause of what is wrong, its place and a cure, for what people write first.
cuda_tile.module @causes {
  entry @after_return(%x: tile<ptr<f32>>) {
    return
    %a = constant <i32: 1> : tile<i32>
  }
  entry @broadcast(%x: tile<ptr<f32>>) {
    %a = constant <f32: 1.0> : tile<f32>
    %b = broadcast %a : tile<f32> -> tile<8xf32>
    %i = iota : tile<8xi32>
    %p = offset %x, %i : tile<ptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
    %q = offset %x, %b
      : tile<ptr<f32>>, tile<8xf32> // pointers
        -> tile<8xptr<f32>>
  }
  entry @branch(%x: tile<ptr<f32>>) {
    %c = constant <i1: true> : tile<i1>
    %a = constant <i32: 1> : tile<i32>
    %f = constant <f32: 1.0> : tile<f32>
    %r:2 = if %c -> (tile<f32>, tile<i32>) {
      yield %f, %a : tile<f32>, tile<i32>
    } else {
      yield %f, %f : tile<f32>, tile<f32>
    }
  }
  entry @body(%x: tile<ptr<f32>>) {
    %a = constant <f32: 1.0> : tile<8xf32>
    %r = reduce %a dim=0 identities=[0.0 : f32] : tile<8xf32> -> tile<f32> (%e: tile<f32>) { yield %e : tile<f32> }
    %s = reduce %a dim=0 identities=[0.0 : f32] : tile<8xf32> -> tile<f32> (%e: tile<f32>, %g: tile<8xf32>) { yield %e : tile<f32> }
  }
  entry @again(%x: tile<i32>, %y: tile<f32>) {
    %a = cuda_tile.addi %x, %x : tile<i32>
    %b = addi %y, %y : tile<f32>
    %c = cmpi equal %a, %a, signed : tile<i32> -> tile<i8>
  }
  entry @tile(%x: tile<i32>, %y: tile<4xf32>) { }
}

// $ cat >names.mlir <<'END'
// > cuda_tile.module @names {
// >   entry @token(%x: tile<ptr<f32>>) {
// >     %v = load_ptr_tko weak %x : tile<ptr<f32>> -> tile<f32>
// >     %w = load_ptr_tko weak %x : tile<ptr<f32>> -> tile<f32>, token
// >     a = constant <f32: 1.0> : tile<8xf32>
// >   }
// >   entry @scalar(%x: tile<i32>, %y: f32, %z: ptr<f32>) { }
// >   func @kernel() { return }
// >   func.func @kernel() { return }
// >   entri @kernel() { return }
// > }
// > END
// $ tessera check causes.mlir
// causes.mlir:6:5: error: return: must be the last operation of its region; remove what follows, which is never executed
//       return
//       ^
// causes.mlir:11:38: error: broadcast: source and result must have the same rank, but source is tile<f32> and result is tile<8xf32>
//       %b = broadcast %a : tile<f32> -> tile<8xf32>
//                                        ^~~~~~~~~~~
// causes.mlir:11:10: note: reshape source to tile<1xf32> first, and broadcast that
//       %b = broadcast %a : tile<f32> -> tile<8xf32>
//            ^
// causes.mlir:13:57: error: offset: ptr and result must have the same type, but ptr is tile<ptr<f32>> and result is tile<8xptr<f32>>
//       %p = offset %x, %i : tile<ptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
//                                                           ^~~~~~~~~~~~~~~~
// causes.mlir:13:10: note: reshape ptr to tile<1xptr<f32>> and broadcast that to the shape of the other
//       %p = offset %x, %i : tile<ptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
//            ^
// causes.mlir:14:21: error: offset: operand 'offset' must be a tile of integers, but has type tile<8xf32>; expected elements of type i1, i8, i16, i32 or i64
//       %q = offset %x, %b
//                       ^~
// causes.mlir:25:17: error: yield: the results of 'if' have types (tile<f32>, tile<i32>), but the else branch yields (tile<f32>, tile<f32>)
//         yield %f, %f : tile<f32>, tile<f32>
//                   ^~
// causes.mlir:22:12: note: the results are declared here
//       %r:2 = if %c -> (tile<f32>, tile<i32>) {
//              ^
// causes.mlir:30:10: error: reduce: the body has 1 argument; expected 2, two for each operand: the element and what was combined before, (%current, %previous)
//       %r = reduce %a dim=0 identities=[0.0 : f32] : tile<8xf32> -> tile<f32> (%e: tile<f32>) { yield %e : tile<f32> }
//            ^
// causes.mlir:31:92: error: reduce: argument 1 of the body has type tile<8xf32>; expected tile<f32>, a scalar of operand 0
//       %s = reduce %a dim=0 identities=[0.0 : f32] : tile<8xf32> -> tile<f32> (%e: tile<f32>, %g: tile<8xf32>) { yield %e : tile<f32> }
//                                                                                              ^~
// causes.mlir:35:15: error: addi: operand 'lhs' must be a tile of integers, but has type tile<f32>; expected elements of type i1, i8, i16, i32 or i64
//       %b = addi %y, %y : tile<f32>
//                 ^~
// causes.mlir:36:51: error: cmpi: result 'result' must be a tile of i1, but has type tile<i8>
//       %c = cmpi equal %a, %a, signed : tile<i32> -> tile<i8>
//                                                     ^~~~~~~~
// causes.mlir:38:30: error: entry: argument 1 has type tile<4xf32>; an argument of a kernel must have rank 0, so pass a pointer to the elements
//     entry @tile(%x: tile<i32>, %y: tile<4xf32>) { }
//                                ^~
// [1]
// $ tessera check names.mlir
// names.mlir:3:60: error: expected ', token', the type of 'result_token', after the type of 'result', found the end of the line
//       %v = load_ptr_tko weak %x : tile<ptr<f32>> -> tile<f32>
//                                                              ^
// names.mlir:4:5: error: 'load_ptr_tko' has 2 results, but 1 is named
//       %w = load_ptr_tko weak %x : tile<ptr<f32>> -> tile<f32>, token
//       ^~
// names.mlir:4:5: note: write '%w, %result_token = load_ptr_tko …'
//       %w = load_ptr_tko weak %x : tile<ptr<f32>> -> tile<f32>, token
//       ^~
// names.mlir:5:5: error: names of values begin with '%': '%a = …'
//       a = constant <f32: 1.0> : tile<8xf32>
//       ^
// names.mlir:7:36: error: 'f32' is the type of elements, which no value has; a scalar is 'tile<f32>'
//     entry @scalar(%x: tile<i32>, %y: f32, %z: ptr<f32>) { }
//                                      ^~~
// names.mlir:8:3: error: unknown operation 'func'; a kernel is an 'entry @name(…) { … }'
//     func @kernel() { return }
//     ^~~~
// names.mlir:9:3: error: unknown operation 'func.func'; a kernel is an 'entry @name(…) { … }'
//     func.func @kernel() { return }
//     ^~~~~~~~~
// names.mlir:10:3: error: unknown operation 'entri'; did you mean 'entry' or 'exti'?
//     entri @kernel() { return }
//     ^~~~~
// [1]
