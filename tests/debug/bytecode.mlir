// RUN: %transcript %s
// A program from bytecode has neither lines nor names; it gets those of its text.
cuda_tile.module @m {
  entry @k(%x: tile<ptr<i32>>) {
    %size = constant <i32: 4> : tile<i32>
    %p = offset %x, %size : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %t = store_ptr_tko weak %p, %size : tile<ptr<i32>>, tile<i32> -> token
  }
}

// $ tessera as bytecode.mlir -o k.tilebc
// $ tessera debug k.tilebc -g 1 zeros:i32:5 <<'END'
// > break offset
// > run
// > list
// > next
// > break 6
// > info values
// > continue
// > END
// (tessera) break offset
// breakpoint 1 at every offset
// (tessera) run
// breakpoint 1 in tile block (0, 0, 0)
// ->     4      %0 = offset %arg0, %cst_4_i32 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
// (tessera) list
//        1  cuda_tile.module @kernels {
//        2    entry @k(%arg0: tile<ptr<i32>>) {
//        3      %cst_4_i32 = constant <i32: 4> : tile<i32>
// ->     4      %0 = offset %arg0, %cst_4_i32 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
//        5      %result_token = store_ptr_tko weak %0, %cst_4_i32 : tile<ptr<i32>>, tile<i32> -> token
//        6      return
//        7    }
//        8  }
// (tessera) next
//   %0: tile<ptr<i32>>, %arg0 + 4
// ->     5      %result_token = store_ptr_tko weak %0, %cst_4_i32 : tile<ptr<i32>>, tile<i32> -> token
// (tessera) break 6
// breakpoint 2 at line 6
// (tessera) info values
//   %0: tile<ptr<i32>>, %arg0 + 4
//   %cst_4_i32: tile<i32>, 4
//   %arg0: tile<ptr<i32>>, %arg0 + 0
// (tessera) continue
// breakpoint 2 in tile block (0, 0, 0)
// ->     6      return
// $ tessera run k.tilebc -g 1 --sanitize=all zeros:i32:4
// k.tilebc: error: [bounds] store_ptr_tko writes element 4 of argument 1, which has 4 of i32
// tessera: note: in tile block \(0, 0, 0\): address 0x[0-9a-f]+, just behind the end (re)
// tessera: note: sanitizer: 1 finding at 1 operation (bounds 1) in 1 tile block
// [1]
