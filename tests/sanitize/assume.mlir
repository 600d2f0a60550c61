// RUN: %transcript %s
// Statements that do not hold, and some that do.
cuda_tile.module @assume {
  entry @bounded(%n: tile<i32>) {
    %a = assume bounded<0, 7>, %n : tile<i32>
    %b = assume bounded<?, 100>, %n : tile<i32>
    %c = assume bounded<-8, ?>, %n : tile<i32>
  }

  entry @div_by(%n: tile<i64>, %x: tile<ptr<f32>>) {
    %a = assume div_by<8>, %n : tile<i64>
    %p = offset %x, %n : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
    %b = assume div_by<16>, %p : tile<ptr<f32>>
    %view = make_tensor_view %p, shape = [4], strides = [1] : tensor_view<4xf32, strides=[1]>
    %c = assume div_by<16>, %view : tensor_view<4xf32, strides=[1]>
  }

  // Groups of 4: the first is divisible, the others count up.
  entry @every() {
    %good = constant <i32: [[4, 5, 6, 7, 12, 13, 14, 15], [8, 9, 10, 11, 0, 1, 2, 3]]> : tile<2x8xi32>
    %a = assume div_by<4, every 4 along 1>, %good : tile<2x8xi32>
    %gap = constant <i32: [[4, 5, 6, 7, 12, 13, 14, 15], [8, 9, 10, 12, 0, 1, 2, 3]]> : tile<2x8xi32>
    %b = assume div_by<4, every 4 along 1>, %gap : tile<2x8xi32>
    %start = constant <i32: [[4, 5, 6, 7, 12, 13, 14, 15], [8, 9, 10, 11, 2, 3, 4, 5]]> : tile<2x8xi32>
    %c = assume div_by<4, every 4 along 1>, %start : tile<2x8xi32>
    %wraps = constant <i8: [126, 127, -128, -127]> : tile<4xi8>
    %d = assume div_by<2, every 2 along 0>, %wraps : tile<4xi8>
    %e = assume div_by<2, every 4 along 0>, %wraps : tile<4xi8>
    %columns = constant <i32: [[8, 4], [9, 5]]> : tile<2x2xi32>
    %f = assume div_by<4, every 2 along 0>, %columns : tile<2x2xi32>
    %g = assume div_by<4, every 2 along 1>, %columns : tile<2x2xi32>
  }

  entry @every_pointer(%x: tile<ptr<f32>>, %step: tile<i32>) {
    %x_1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
    %x_4 = broadcast %x_1 : tile<1xptr<f32>> -> tile<4xptr<f32>>
    %lane = iota : tile<4xi32>
    %step_1 = reshape %step : tile<i32> -> tile<1xi32>
    %step_4 = broadcast %step_1 : tile<1xi32> -> tile<4xi32>
    %i = muli %lane, %step_4 : tile<4xi32>
    %xs = offset %x_4, %i : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
    %a = assume div_by<16, every 4 along 0>, %xs : tile<4xptr<f32>>
  }

  entry @same_elements() {
    %t = constant <i16: [[1, 1, 2, 2], [1, 1, 2, 2], [5, 5, 7, 7], [5, 6, 7, 7]]> : tile<4x4xi16>
    %a = assume same_elements<[1, 1]>, %t : tile<4x4xi16>
    %b = assume same_elements<[2, 2]>, %t : tile<4x4xi16>
    %c = assume same_elements<[4, 1]>, %t : tile<4x4xi16>
  }
}

// $ tessera run assume.mlir -g 1 --sanitize=assume -k bounded i32:7
// tessera: remark: sanitizer: nothing found (assume) in 1 tile block
// $ tessera run assume.mlir -g 1 --sanitize=assume -k bounded i32:-9
// assume.mlir:5:10: error: [assume] assume bounded<0, 7> does not hold: the value is -9
//       %a = assume bounded<0, 7>, %n : tile<i32>
//            ^
// tessera: note: in tile block (0, 0, 0)
// assume.mlir:7:10: error: [assume] assume bounded<-8, ?> does not hold: the value is -9
//       %c = assume bounded<-8, ?>, %n : tile<i32>
//            ^
// tessera: note: in tile block (0, 0, 0)
// tessera: note: sanitizer: 2 findings at 2 operations (assume 2) in 1 tile block
// [1]
// $ tessera run assume.mlir -g 1 --sanitize=assume -k div_by i64:8 zeros:f32:16
// tessera: remark: sanitizer: nothing found (assume) in 1 tile block
// $ tessera run assume.mlir -g 1 --sanitize=assume -k div_by i64:3 zeros:f32:16
// assume.mlir:11:10: error: [assume] assume div_by<8> does not hold: the value is 3
//       %a = assume div_by<8>, %n : tile<i64>
//            ^
// tessera: note: in tile block (0, 0, 0)
// assume\.mlir:13:10: error: \[assume\] assume div_by<16> does not hold: the value is 0x[0-9a-f]+ (re)
//       %b = assume div_by<16>, %p : tile<ptr<f32>>
//            ^
// tessera: note: in tile block (0, 0, 0)
// assume\.mlir:15:10: error: \[assume\] assume div_by<16> does not hold: the base address is 0x[0-9a-f]+ (re)
//       %c = assume div_by<16>, %view : tensor_view<4xf32, strides=[1]>
//            ^
// tessera: note: in tile block (0, 0, 0)
// tessera: note: sanitizer: 3 findings at 3 operations (assume 3) in 1 tile block
// [1]
// $ tessera run assume.mlir -g 1 --sanitize=assume -k every
// assume.mlir:23:10: error: [assume] assume div_by<4, every 4 along 1> does not hold: the value is 12, behind 10
//       %b = assume div_by<4, every 4 along 1>, %gap : tile<2x8xi32>
//            ^
// tessera: note: in tile block (0, 0, 0), element [1, 3]
// assume.mlir:25:10: error: [assume] assume div_by<4, every 4 along 1> does not hold: the value is 2
//       %c = assume div_by<4, every 4 along 1>, %start : tile<2x8xi32>
//            ^
// tessera: note: in tile block (0, 0, 0), element [1, 4]
// assume.mlir:28:10: error: [assume] assume div_by<2, every 4 along 0> does not hold: the value is -128, behind 127
//       %e = assume div_by<2, every 4 along 0>, %wraps : tile<4xi8>
//            ^
// tessera: note: in tile block (0, 0, 0), element [2]
// assume.mlir:31:10: error: [assume] assume div_by<4, every 2 along 1> does not hold: the value is 4, behind 8
//       %g = assume div_by<4, every 2 along 1>, %columns : tile<2x2xi32>
//            ^
// tessera: note: in tile block (0, 0, 0), element [0, 1]; so are 2 more elements
// assume.mlir:31:10: note: [assume] assume: 2 more findings, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 6 findings at 4 operations (assume 6) in 1 tile block
// [1]
// $ tessera run assume.mlir -g 1 --sanitize=assume -k every_pointer zeros:f32:16 i32:1
// tessera: remark: sanitizer: nothing found (assume) in 1 tile block
// $ tessera run assume.mlir -g 1 --sanitize=assume -k every_pointer zeros:f32:16 i32:2
// assume\.mlir:42:10: error: \[assume\] assume div_by<16, every 4 along 0> does not hold: the value is 0x[0-9a-f]+, behind 0x[0-9a-f]+ (re)
//       %a = assume div_by<16, every 4 along 0>, %xs : tile<4xptr<f32>>
//            ^
// tessera: note: in tile block (0, 0, 0), element [1]; so are 2 more elements
// assume.mlir:42:10: note: [assume] assume: 2 more findings, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 3 findings at 1 operation (assume 3) in 1 tile block
// [1]
// $ tessera run assume.mlir -g 1 --sanitize=assume -k same_elements
// assume.mlir:48:10: error: [assume] assume same_elements<[2, 2]> does not hold: the value is 6, the first of its group is 5
//       %b = assume same_elements<[2, 2]>, %t : tile<4x4xi16>
//            ^
// tessera: note: in tile block (0, 0, 0), element [3, 1]
// assume.mlir:49:10: error: [assume] assume same_elements<[4, 1]> does not hold: the value is 5, the first of its group is 1
//       %c = assume same_elements<[4, 1]>, %t : tile<4x4xi16>
//            ^
// tessera: note: in tile block (0, 0, 0), element [2, 0]; so are 7 more elements
// assume.mlir:49:10: note: [assume] assume: 7 more findings, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 9 findings at 2 operations (assume 9) in 1 tile block
// [1]
