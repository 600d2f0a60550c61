// RUN: %transcript %s
//
// Loads and stores that tokens order directly behind stores to the same place; joined tokens.
cuda_tile.module @memory {
  entry @forward(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>, %x: tile<i32>, %c: tile<i1>) {
    %t0 = store_ptr_tko weak %p, %x : tile<ptr<i32>>, tile<i32> -> token
    %a, %t1 = load_ptr_tko weak %p token=%t0 : tile<ptr<i32>> -> tile<i32>, token
    %y = addi %a, %a : tile<i32>
    %t2 = store_ptr_tko weak %p, %y token=%t1 : tile<ptr<i32>>, tile<i32> -> token
    %b, %t3 = load_ptr_tko weak %q token=%t2 : tile<ptr<i32>> -> tile<i32>, token
    %d, %t4 = load_ptr_tko acquire device %p token=%t2 : tile<ptr<i32>> -> tile<i32>, token
    %t5 = join_tokens %t2, %t3, %t4, %t2 : token
    %z = addi %b, %d : tile<i32>
    %t6 = store_ptr_tko weak %p, %z, %c token=%t5 : tile<ptr<i32>>, tile<i32>, tile<i1> -> token
    %e, %t7 = load_ptr_tko weak %p token=%t6 : tile<ptr<i32>> -> tile<i32>, token
    print_tko "%i\n", %e token=%t7 : tile<i32> -> token
  }
  entry @overwritten(%p: tile<ptr<i32>>, %x: tile<i32>) {
    %t0 = make_token : token
    %t1 = store_ptr_tko weak %p, %x token=%t0 : tile<ptr<i32>>, tile<i32> -> token
    %y = muli %x, %x : tile<i32>
    %t2 = store_ptr_tko weak %p, %y token=%t1 : tile<ptr<i32>>, tile<i32> -> token
    %t3 = store_ptr_tko release device %p, %x token=%t2 : tile<ptr<i32>>, tile<i32> -> token
    %t4 = store_ptr_tko weak %p, %y token=%t3 : tile<ptr<i32>>, tile<i32> -> token
  }
}

// $ tessera opt memory.mlir --passes=canonicalize | tail -n +4
// cuda_tile.module @memory {
//   entry @forward(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>, %x: tile<i32>, %c: tile<i1>) {
//     %t0 = make_token : token
//     %y = addi %x, %x : tile<i32>
//     %t2 = store_ptr_tko weak %p, %y token=%t0 : tile<ptr<i32>>, tile<i32> -> token
//     %b, %t3 = load_ptr_tko weak %q token=%t2 : tile<ptr<i32>> -> tile<i32>, token
//     %d, %t4 = load_ptr_tko acquire device %p token=%t2 : tile<ptr<i32>> -> tile<i32>, token
//     %t5 = join_tokens %t3, %t4 : token
//     %z = addi %b, %d : tile<i32>
//     %t6 = store_ptr_tko weak %p, %z, %c token=%t5 : tile<ptr<i32>>, tile<i32>, tile<i1> -> token
//     %e, %t7 = load_ptr_tko weak %p token=%t6 : tile<ptr<i32>> -> tile<i32>, token
//     %result_token = print_tko "%i\0A", %e token=%t7 : tile<i32> -> token
//     return
//   }
//   entry @overwritten(%p: tile<ptr<i32>>, %x: tile<i32>) {
//     %t0 = make_token : token
//     %y = muli %x, %x : tile<i32>
//     %t2 = store_ptr_tko weak %p, %y token=%t0 : tile<ptr<i32>>, tile<i32> -> token
//     %t3 = store_ptr_tko release device %p, %x token=%t2 : tile<ptr<i32>>, tile<i32> -> token
//     %t4 = store_ptr_tko weak %p, %y token=%t3 : tile<ptr<i32>>, tile<i32> -> token
//     return
//   }
// }
