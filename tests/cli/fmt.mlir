// RUN: %transcript %s
// What stands above the module,
// in two lines.
cuda_tile.module @fmt {
  // the kernel
  entry @k(%a: tile<i32>, %b:tile< i32 >) { // at its head
      %sum   = addi %a,%b : tile<i32>     // why
    // at the end
  }
}

// $ tessera fmt fmt.mlir
// // RUN: %transcript %s
// // What stands above the module,
// // in two lines.
// cuda_tile.module @fmt {
//   // the kernel
//   entry @k(%a: tile<i32>, %b: tile<i32>) {
//     // at its head
//     %sum = addi %a, %b : tile<i32> // why
//     return
//     // at the end
//   }
// }
// $ tessera fmt fmt.mlir -o out.mlir; tessera fmt out.mlir | cmp - out.mlir
// $ tessera fmt --check fmt.mlir
// fmt.mlir
// [1]
// $ tessera fmt --check out.mlir
// $ tessera fmt --check out.mlir fmt.mlir out.mlir
// fmt.mlir
// [1]
// $ chmod 640 fmt.mlir; ln -s fmt.mlir link.mlir; tessera fmt -i link.mlir out.mlir
// $ cmp fmt.mlir out.mlir; stat -c %a fmt.mlir; readlink link.mlir
// 640
// fmt.mlir
// $ tessera fmt -i -v fmt.mlir
// $ tessera fmt - <out.mlir | cmp - out.mlir
// $ echo 'cuda_tile.module @m { entry @k( }' >bad.mlir; cp bad.mlir was.mlir
// $ tessera fmt -i bad.mlir
// bad.mlir:1:33: error: expected an argument (%name: type), found '}'
//   cuda_tile.module @m { entry @k( }
//                                   ^
// [1]
// $ cmp bad.mlir was.mlir
// $ tessera fmt bad.mlir -o new.mlir
// bad.mlir:1:33: error: expected an argument (%name: type), found '}'
//   cuda_tile.module @m { entry @k( }
//                                   ^
// [1]
// $ ls
// Inputs
// bad.mlir
// fmt.mlir
// link.mlir
// out.mlir
// was.mlir
// $ echo 'cuda_tile.module @m { entry @k(%a: tile<i32>) { %0 = addf %a, %a : tile<i32> } }' | tessera fmt -
// cuda_tile.module @m {
//   entry @k(%a: tile<i32>) {
//     %0 = addf %a, %a : tile<i32>
//     return
//   }
// }
