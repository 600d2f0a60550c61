// RUN: %transcript %s
// The example of docs/debugging.md, which shows this output.
// total = the sum of x, 8 elements for each tile block
cuda_tile.module @sum {
  entry @sum(%x: tile<ptr<f32>>, %total: tile<ptr<f32>>) {
    %block, %by, %bz = get_tile_block_id : tile<i32>
    %size = constant <i32: 8> : tile<i32>
    %start = muli %block, %size : tile<i32>
    %start_1 = reshape %start : tile<i32> -> tile<1xi32>
    %start_8 = broadcast %start_1 : tile<1xi32> -> tile<8xi32>
    %lane = iota : tile<8xi32>
    %i = addi %start_8, %lane : tile<8xi32>
    %x_1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
    %x_8 = broadcast %x_1 : tile<1xptr<f32>> -> tile<8xptr<f32>>
    %xs = offset %x_8, %i : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
    %v, %t0 = load_ptr_tko weak %xs : tile<8xptr<f32>> -> tile<8xf32>, token
    %s = reduce %v dim=0 identities=[0.0 : f32] : tile<8xf32> -> tile<f32>
    (%a: tile<f32>, %b: tile<f32>) {
      %c = addf %a, %b : tile<f32>
      yield %c : tile<f32>
    }
    %before, %t1 = load_ptr_tko weak %total : tile<ptr<f32>> -> tile<f32>, token
    %after = addf %before, %s : tile<f32>
    %t2 = store_ptr_tko weak %total, %after token=%t1 : tile<ptr<f32>>, tile<f32> -> token
  }
}

// $ tessera run sum.mlir --grid 4 --sanitize=all arange:f32:30 zeros:f32:1
// sum.mlir:22:20: error: [race] load_ptr_tko reads element 0 of %total, which has 1 of f32, unordered with store_ptr_tko, which writes it
//       %before, %t1 = load_ptr_tko weak %total : tile<ptr<f32>> -> tile<f32>, token
//                      ^
// tessera: note: in tile block (1, 0, 0): nothing orders the tile blocks: no acquire in one sees a release of the other
// sum.mlir:24:11: note: the other access, in tile block (0, 0, 0)
//       %t2 = store_ptr_tko weak %total, %after token=%t1 : tile<ptr<f32>>, tile<f32> -> token
//             ^
// sum.mlir:24:11: error: [race] store_ptr_tko writes element 0 of %total, which has 1 of f32, unordered with store_ptr_tko, which writes it
//       %t2 = store_ptr_tko weak %total, %after token=%t1 : tile<ptr<f32>>, tile<f32> -> token
//             ^
// tessera: note: in tile block (1, 0, 0): nothing orders the tile blocks: no acquire in one sees a release of the other
// sum.mlir:24:11: note: the other access, in tile block (0, 0, 0)
//       %t2 = store_ptr_tko weak %total, %after token=%t1 : tile<ptr<f32>>, tile<f32> -> token
//             ^
// sum.mlir:16:15: error: [bounds] load_ptr_tko reads element 30 of %x, which has 30 of f32
//       %v, %t0 = load_ptr_tko weak %xs : tile<8xptr<f32>> -> tile<8xf32>, token
//                 ^
// tessera: note: in tile block \(3, 0, 0\), element \[6\]: address 0x[0-9a-f]+, just behind the end; so is another element (re)
// sum.mlir:16:15: note: [bounds] load_ptr_tko: 1 more finding, the last in tile block (3, 0, 0)
// sum.mlir:22:20: note: [race] load_ptr_tko: 2 more findings, the last in tile block (3, 0, 0)
// sum.mlir:24:11: note: [race] store_ptr_tko: 2 more findings, the last in tile block (3, 0, 0)
// tessera: note: sanitizer: 8 findings at 3 operations (bounds 2, race 6) in 4 tile blocks
// [1]
// $ cat >script.txt <<'END'
// > break reduce
// > run
// > print %v
// > print %xs
// > step
// > step
// > where
// > finish
// > continue
// > END
// $ tessera debug sum.mlir --grid 4 --block 3 --batch -x script.txt arange:f32:32 zeros:f32:1
// (tessera) break reduce
// breakpoint 1 at every reduce
// (tessera) run
// breakpoint 1 in tile block (3, 0, 0)
// ->    17      %s = reduce %v dim=0 identities=[0.0 : f32] : tile<8xf32> -> tile<f32>
// (tessera) print %v
// %v: tile<8xf32>, min 24, max 31, mean 27.5
// [24. 25. 26. 27. 28. 29. 30. 31.]
// (tessera) print %xs
// %xs: tile<8xptr<f32>>, %x + 24 to %x + 31
// [%x + 24, %x + 25, %x + 26, %x + 27, %x + 28, %x + 29, %x + 30, %x + 31]
// (tessera) step
// ->    19        %c = addf %a, %b : tile<f32>
// (tessera) step
//   %c: tile<f32>, 24
// ->    20        yield %c : tile<f32>
// (tessera) where
// tile block (3, 0, 0) of a grid of 4 x 1 x 1, running
// ->    20        yield %c : tile<f32>
//    in reduce at line 17
//    in entry @sum at line 5
// (tessera) finish
//   %s: tile<f32>, 220
// ->    22      %before, %t1 = load_ptr_tko weak %total : tile<ptr<f32>> -> tile<f32>, token
// (tessera) continue
// @sum has ended
