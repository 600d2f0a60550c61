// RUN: %transcript %s
// What the verifier says of kernels of the block level.
#row = layout<spatial(32, 1).local(1, 8)>
#col = layout<spatial(4, 8).local(8, 1)>
!row = tile<32x8xf32, #row>
!col = tile<32x8xf32, #col>
!view = tensor_view<?x?xf32, strides=[?,1]>
cuda_tile.module @errors {
  entry @threads() threads(48) { return }
  entry @many() threads(2048) { return }
  entry @tile_level() {
    barrier
    %t = constant <f32: 0.0> : !row
    %s = alloc_shared : shared<8xf32>
  }
  entry @layouts(%p: tile<ptr<f32>>, %n: tile<i32>, %x: tile<f32>) threads(32) {
    %v = make_tensor_view %p, shape = [%n, %n], strides = [%n, 1] : tile<i32> -> !view
    %few = constant <f32: 0.0> : tile<32x8xf32, spatial(16, 1).local(2, 8)>
    %row = load_global %v[%n, %n] : !view -> !row
    %col = load_global %v[%n, %n] : !view -> !col
    %cmp = cmpf less_than ordered %row, %row : !row -> tile<32x8xi1, #col>
    %sum = reduce %row dim=1 identities=[0.0 : f32] : !row -> tile<32xf32, spatial(8).local(4)>
    (%a: tile<f32>, %b: tile<f32>) { %c = addf %a, %b : tile<f32> yield %c : tile<f32> }
    %one = reshape %x : tile<f32> -> tile<1x1xf32, local(1, 1).replicated(1, 1, num_workers=32)>
    %two = reshape %x : tile<f32> -> tile<1x1xf32, spatial(1, 1)>
    %wide = broadcast %one : tile<1x1xf32, replicated(1, 1, num_workers=32)> -> !row
    %line = constant <f32: 1.0> : tile<32x1xf32, spatial(32, 1)>
    %bad = broadcast %line : tile<32x1xf32, spatial(32, 1)> -> !col
    %turned = permute %row [1, 0] : !row -> tile<8x32xf32, local(8, 1).spatial(1, 32)>
    %wrong = permute %row [1, 0] : !row -> tile<8x32xf32, spatial(8, 4).local(1, 8)>
    %part = extract %row[%n, %n] : !row -> tile<16x8xf32, spatial(16, 1).replicated(1, 1, num_workers=2).local(1, 8)>
    %worker = get_worker : tile<64xi32, spatial(32).local(2)>
    return
  }
  entry @products() threads(32) {
    %a = constant <f16: 0.0> : tile<16x16xf16, mma.m16n8k16.A>
    %b = constant <f16: 0.0> : tile<16x8xf16, mma.m16n8k16.B>
    %c = constant <f32: 0.0> : tile<16x8xf32, mma.m16n8k16.C>
    %good = mmaf %a, %b, %c : tile<16x16xf16, mma.m16n8k16.A>, tile<16x8xf16, mma.m16n8k16.B>, tile<16x8xf32, mma.m16n8k16.C>
    %d = constant <f32: 0.0> : tile<16x8xf32, spatial(16, 2).local(1, 4)>
    %bad = mmaf %a, %b, %d : tile<16x16xf16, mma.m16n8k16.A>, tile<16x8xf16, mma.m16n8k16.B>, tile<16x8xf32, spatial(16, 2).local(1, 4)>
    return
  }
  // Nothing is found in a kernel that cannot be read.
  entry @damaged() threads(32) {
    %none = constant <f32: 0.0> : tile<32x8xf32>
    %turned = "cuda_tile.permute"(%none) : (tile<32x8xf32>) -> tile<8x32xf32>
    return
  }
  entry @no_sets(%n: tile<i32>) threads(32) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    cp_async_wait 0
    elect { bulk_wait 0 }
    for %i in (%c0 to %n, step %c1) : tile<i32> {
      cp_async_wait 1 // those of the iteration before
      cp_async_commit
    }
    cp_async_wait 0
    return
  }
}
// $ tessera check errors.mlir
// errors.mlir:9:3: error: entry: threads is 48; expected a multiple of 32 from 32 to 1024
//     entry @threads() threads(48) { return }
//     ^
// errors.mlir:10:3: error: entry: threads is 2048; expected a multiple of 32 from 32 to 1024
//     entry @many() threads(2048) { return }
//     ^
// errors.mlir:12:5: error: barrier: this operation is of the block level, but the kernel is not; write threads(…) behind its arguments to say how many threads a tile block has
//       barrier
//       ^
// errors.mlir:13:10: error: constant: tile<32x8xf32, spatial(32, 1).local(1, 8)> is of the block level, but the kernel is not; write threads(…) behind its arguments to say how many threads a tile block has
//       %t = constant <f32: 0.0> : !row
//            ^
// errors.mlir:14:10: error: alloc_shared: this operation is of the block level, but the kernel is not; write threads(…) behind its arguments to say how many threads a tile block has
//       %s = alloc_shared : shared<8xf32>
//            ^
// errors.mlir:18:12: error: constant: tile<32x8xf32, spatial(16, 1).local(2, 8)> is spread over 16 threads, but the group has 32
//       %few = constant <f32: 0.0> : tile<32x8xf32, spatial(16, 1).local(2, 8)>
//              ^
// errors.mlir:21:12: error: cmpf: its tiles must have one layout, but have spatial(32, 1).local(1, 8) and spatial(4, 8).local(8, 1); convert_layout hands elements to other threads
//       %cmp = cmpf less_than ordered %row, %row : !row -> tile<32x8xi1, #col>
//              ^
// errors.mlir:22:12: error: reduce: tile<32xf32, spatial(8).local(4)> is spread over 8 threads, but the group has 32
//       %sum = reduce %row dim=1 identities=[0.0 : f32] : !row -> tile<32xf32, spatial(8).local(4)>
//              ^
// errors.mlir:25:12: error: reshape: tile<1x1xf32, local(1, 1)> is spread over 1 threads, but the group has 32
//       %two = reshape %x : tile<f32> -> tile<1x1xf32, spatial(1, 1)>
//              ^
// errors.mlir:28:12: error: broadcast: a result with layout spatial(4, 8).local(8, 1) needs an operand with spatial(4, 1).replicated(1, 1, num_workers=8).local(8, 1), but has spatial(32, 1); convert_layout hands elements to other threads
//       %bad = broadcast %line : tile<32x1xf32, spatial(32, 1)> -> !col
//              ^
// errors.mlir:30:14: error: permute: the result lies as spatial(1, 32).local(8, 1), but is declared as spatial(8, 4).local(1, 8); convert_layout hands elements to other threads
//       %wrong = permute %row [1, 0] : !row -> tile<8x32xf32, spatial(8, 4).local(1, 8)>
//                ^
// errors.mlir:31:13: error: extract: the part lies as spatial(16, 1).replicated(1, 1, num_workers=2).local(1, 8), and the whole, spatial(32, 1).local(1, 8), is no grid of slots of that; every thread must find its elements of the part among its own
//       %part = extract %row[%n, %n] : !row -> tile<16x8xf32, spatial(16, 1).replicated(1, 1, num_workers=2).local(1, 8)>
//               ^
// errors.mlir:32:15: error: get_worker: the result must be tile<32xi32, spatial(32)>, but is tile<64xi32, spatial(32).local(2)>
//       %worker = get_worker : tile<64xi32, spatial(32).local(2)>
//                 ^
// errors.mlir:41:12: error: mmaf: lhs local(1, 2).local(2, 1).spatial(8, 4).local(1, 2), rhs spatial(1, 8).local(2, 1).spatial(4, 1).local(2, 1) and acc spatial(16, 2).local(1, 4) fit no matrix instruction: each must be a grid of its fragments (mma.m16n8k16.A, .B, .C and their like), and the warp that holds a fragment of acc must hold those of its row of lhs and its column of rhs
//       %bad = mmaf %a, %b, %d : tile<16x16xf16, mma.m16n8k16.A>, tile<16x8xf16, mma.m16n8k16.B>, tile<16x8xf32, spatial(16, 2).local(1, 4)>
//              ^
// errors.mlir:46:13: error: constant: tile<32x8xf32> has no layout, and none is found for it; state it, as in tile<32x8xf32, spatial(32, 1).local(1, 8)>
//       %none = constant <f32: 0.0> : tile<32x8xf32>
//               ^
// errors.mlir:47:15: error: permute: attribute 'permutation' is missing
//       %turned = "cuda_tile.permute"(%none) : (tile<32x8xf32>) -> tile<8x32xf32>
//                 ^
// errors.mlir:53:5: error: cp_async_wait: there is no set to wait for, as no cp_async_commit comes before it; close one, or leave out the wait
//       cp_async_wait 0
//       ^
// errors.mlir:54:13: error: bulk_wait: there is no set to wait for, as no bulk_commit comes before it; close one, or leave out the wait
//       elect { bulk_wait 0 }
//               ^
// [1]
