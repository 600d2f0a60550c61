// RUN: %transcript %s
// REQUIRES: llvm
cuda_tile.module @huge {
  // Expressions take no registers, yet there would be an instruction for each element that a thread has.
  entry @stored(%to: tile<ptr<i32>>) {
    %lane = iota : tile<16777216xi32>
    %one = reshape %to : tile<ptr<i32>> -> tile<1xptr<i32>>
    %all = broadcast %one : tile<1xptr<i32>> -> tile<16777216xptr<i32>>
    %at = offset %all, %lane : tile<16777216xptr<i32>>, tile<16777216xi32> -> tile<16777216xptr<i32>>
    %t = store_ptr_tko weak %at, %lane : tile<16777216xptr<i32>>, tile<16777216xi32> -> token
  }
}

// $ tessera build gpu_huge.mlir --target sm_90a --emit ptx
// gpu_huge.mlir:10:10: error: 'store_ptr_tko' cannot be compiled for sm_90a: of a tile of 16777216 elements each of the block's 1024 threads has 16384, and code is made for at most 1024; use smaller tiles, or the target cpu
//       %t = store_ptr_tko weak %at, %lane : tile<16777216xptr<i32>>, tile<16777216xi32> -> token
//            ^
// [1]
// $ tessera build gpu_huge.mlir --emit obj -o out.o
// $ sed 's/16777216/1048576/g' gpu_huge.mlir >less.mlir; tessera build less.mlir --target sm_90a --emit ptx | grep -c 'st\.global'
// 1280
// $ sed -e 's/%t = .*/%sum = reduce %lane dim=0 identities=[0 : i32] : tile<16777216xi32> -> tile<i32> (%a: tile<i32>, %b: tile<i32>) { %c = addi %a, %b : tile<i32> yield %c : tile<i32> } %t = store_ptr_tko weak %to, %sum : tile<ptr<i32>>, tile<i32> -> token/' gpu_huge.mlir >reduced.mlir; tessera build reduced.mlir --target sm_90a --emit ptx 2>&1 | head -1
// reduced.mlir:10:12: error: 'reduce' cannot be compiled for sm_90a: of a tile of 16777216 elements each of the block's 1024 threads has 16384, and code is made for at most 1024; use smaller tiles, or the target cpu
