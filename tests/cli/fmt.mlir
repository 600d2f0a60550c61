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
// $ tessera fmt fmt.mlir -o out.mlir; tessera fmt out.mlir | cmp - out.mlir
// $ tessera fmt --check fmt.mlir
// $ tessera fmt --check out.mlir
// $ tessera fmt --check out.mlir fmt.mlir out.mlir
// $ chmod 640 fmt.mlir; ln -s fmt.mlir link.mlir; tessera fmt -i link.mlir out.mlir
// $ cmp fmt.mlir out.mlir; stat -c %a fmt.mlir; readlink link.mlir
// $ tessera fmt -i -v fmt.mlir
// $ tessera fmt - <out.mlir | cmp - out.mlir
// $ echo 'cuda_tile.module @m { entry @k( }' >bad.mlir; cp bad.mlir was.mlir
// $ tessera fmt -i bad.mlir
// $ cmp bad.mlir was.mlir
// $ tessera fmt bad.mlir -o new.mlir
// $ ls
// $ echo 'cuda_tile.module @m { entry @k(%a: tile<i32>) { %0 = addf %a, %a : tile<i32> } }' | tessera fmt -
