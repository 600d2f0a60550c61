// RUN: %transcript %s
cuda_tile.module @syntax {
  entry @missing_comma(%a: tile<i32>) {
    %0 = addi %a %a : tile<i32>
  }
  entry @missing_type(%a: tile<i32>) {
    %0 = addi %a, %a
  }
  entry @bad_number() {
    %0 = constant <i32: 12x> : tile<i32>
  }
  entry @unclosed_type(%a: tile<4xf32) {
  }
  entry @stray(%a: tile<i32>) {
    ] %0 = addi %a, %a : tile<i32>
  }
  entry @unclosed() {

// $ tessera check syntax.mlir
// $ tessera check --error-limit 2 syntax.mlir
// $ tessera check --color=always syntax.mlir 2>&1 | head -3 | cat -v
