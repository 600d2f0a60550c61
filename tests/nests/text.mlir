// What `tessera build --emit nests` says of a module: kernels in their order, nests with what they
// share, lanes, versions and patterns; the same each time, with the values' names that `tessera opt`
// prints, also of those without one.
// REQUIRES: llvm
// RUN: %tessera build %s --emit nests --cpu avx512 > %t.first
// RUN: %tessera build %s --emit nests --cpu avx512 -o %t.second
// RUN: diff %t.first %t.second
// RUN: FileCheck %s --strict-whitespace --match-full-lines < %t.first
// RUN: %tessera opt %s | FileCheck %s --check-prefix=OPT
// RUN: %tessera build %s --emit nests --cpu avx2 --disable=keep-tiles,nest-fusion | FileCheck %s --check-prefix=PLAIN
// RUN: %tessera build %s --emit nests --target aarch64 | FileCheck %s --check-prefix=ARM
// RUN: not %tessera build %s --emit nests --disable=keep-tile 2>&1 | FileCheck %s --check-prefix=CLOSE
// RUN: not %tessera build %s --emit nests --disable=peel,quickly 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: %tessera build %s --emit nests --cpu avx2 -O0 | FileCheck %s --check-prefix=TWICE
// RUN: %tessera build %s --emit nests --cpu avx2 --disable=cse | FileCheck %s --check-prefix=TWICE
// CLOSE: error: disable: there is no pass or pattern 'keep-tile'; did you mean 'keep-tiles'?
// UNKNOWN: error: disable: there is no pass or pattern 'quickly'; there are canonicalize, {{.*}}fixed-point
cuda_tile.module @text {
  // OPT: %tile, {{.*}} = load_view_tko
  // OPT: %e = exp
  //      CHECK:kernel @rows, line [[#ROWS:]]
  // CHECK-NEXT:  [keep-tiles] %e = exp, line [[#ROWS+7]]: several nests need it
  // CHECK-NEXT:  nest 4x64
  // CHECK-NEXT:    keeps %e = exp, line [[#ROWS+7]], in scratch memory, widened
  // CHECK-NEXT:    reduces to %sum = reduce, line [[#ROWS+8]]
  // CHECK-NEXT:    [nest-fusion] %sum = reduce, line [[#ROWS+8]]
  // CHECK-NEXT:    evaluates %tile = load_view_tko, line [[#ROWS+6]], contiguous or strided
  // CHECK-NEXT:    [exact-version]; when all elements exist and linear forms hold
  // CHECK-NEXT:    [peel]: 4 iterations at most
  // CHECK-NEXT:    guarded version, of the iterations behind these; lanes 16 along dimension 1; loops 4 along dimension 0, 4 along dimension 1
  // CHECK-NEXT:    exact version, of iterations in which all elements exist; lanes 16 along dimension 1; copies 4 along dimension 1; loops 4 along dimension 0
  // CHECK-NEXT:      [unroll]: 4 copies
  // CHECK-NEXT:      [prefetch-write] store_view_tko %q, %out, line [[#ROWS+15]]
  // CHECK-NEXT:      [interleave]: 4 copies
  // CHECK-NEXT:  nest 4x64
  // CHECK-NEXT:    stores by store_view_tko %q, %out, line [[#ROWS+15]]
  // CHECK-NEXT:    evaluates %q = divf, line [[#ROWS+14]]
  //      CHECK:kernel @double, line [[#ROWS+21]]
  // PLAIN: kernel @rows
  // PLAIN-NOT: {{\[nest-fusion\]|\[keep-tiles\]}}
  // ARM: kernel @rows
  // ARM: lanes 4 along dimension 1
  entry @rows(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %v = make_tensor_view %x, shape = [4, 64], strides = [64, 1] : tensor_view<4x64xf32, strides=[64,1]>
    %w = make_tensor_view %y, shape = [4, 64], strides = [64, 1] : tensor_view<4x64xf32, strides=[64,1]>
    %in = make_partition_view %v : partition_view<tile=(4x64), tensor_view<4x64xf32, strides=[64,1]>>
    %out = make_partition_view %w : partition_view<tile=(4x64), tensor_view<4x64xf32, strides=[64,1]>>
    %0, %1 = load_view_tko weak %in[%zero, %zero] : partition_view<tile=(4x64), tensor_view<4x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x64xf32>, token
    %e = exp %0 : tile<4x64xf32>
    %sum = reduce %e dim=1 identities=[0.0 : f32] : tile<4x64xf32> -> tile<4xf32> (%a: tile<f32>, %b: tile<f32>) {
      %c = addf %a, %b : tile<f32>
      yield %c : tile<f32>
    }
    %column = reshape %sum : tile<4xf32> -> tile<4x1xf32>
    %sums = broadcast %column : tile<4x1xf32> -> tile<4x64xf32>
    %q = divf %e, %sums : tile<4x64xf32>
    %t = store_view_tko weak %q, %out[%zero, %zero] : tile<4x64xf32>, partition_view<tile=(4x64), tensor_view<4x64xf32, strides=[64,1]>>, tile<i32> -> token
  }

  // TWICE: kernel @double
  // TWICE: evaluates %first = muli
  // TWICE: evaluates %second = muli
  entry @double(%x: tile<ptr<i32>>) {
    %i = iota : tile<64xi32>
    %base = reshape %x : tile<ptr<i32>> -> tile<1xptr<i32>>
    %bases = broadcast %base : tile<1xptr<i32>> -> tile<64xptr<i32>>
    %at = offset %bases, %i : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
    %a, %s = load_ptr_tko weak %at : tile<64xptr<i32>> -> tile<64xi32>, token
    %first = muli %a, %a : tile<64xi32>
    %second = muli %a, %a : tile<64xi32>
    %sum = addi %first, %second : tile<64xi32>
    %t = store_ptr_tko weak %at, %sum token=%s : tile<64xptr<i32>>, tile<64xi32> -> token
  }
}
