// RUN: %transcript %s
// What the verifier says of shared memory, copies and accesses at offsets.
#row = layout<spatial(32, 1).local(1, 8)>
#col = layout<spatial(4, 8).local(8, 1)>
!row = tile<32x8xf32, #row>
!col = tile<32x8xf32, #col>
!view = tensor_view<?x?xf32, strides=[?,1]>
cuda_tile.module @storage {
  entry @storage(%p: tile<ptr<f32>>, %n: tile<i32>) threads(32) {
    %v = make_tensor_view %p, shape = [%n, %n], strides = [%n, 1] : tile<i32> -> !view
    %s = alloc_shared : shared<2x32x8xf32>
    %odd = alloc_shared alignment = 24 : shared<8xf32>
    %a = subview %s[] : shared<2x32x8xf32> -> shared<32x8xf32>
    %b = subview %s[%n] : shared<2x32x8xf32> -> shared<64x8xf32>
    %c = subview %s[%n] : shared<2x32x8xf32> -> shared<32x8xf32, (32,8):(9,1)>
    %d = subview %s[%n, %n, %n, %n] : shared<2x32x8xf32> -> shared<32x8xf32>
    %w = load_shared %s : shared<2x32x8xf32> -> !row
    %good = subview %s[%n] : shared<2x32x8xf32> -> shared<32x8xf32>
    %x = load_shared ldmatrix %good : shared<32x8xf32> -> !row
    %y = load_global %v[%n] : !view -> !row
    %i = load_global %v[%n, %n] padding_value = nan : !view -> !row
    cp_async %v[%n, %n], %good by layout<spatial(16, 1).local(2, 8)> : !view, shared<32x8xf32>
    cp_async %v[%n, %n], %good by layout<spatial(32, 1).local(1, 4)> : !view, shared<32x8xf32>
    cp_async_wait -1
    free_shared %good : shared<32x8xf32>
    free_shared %s : shared<2x32x8xf32>
    store_shared %x, %good : !row, shared<32x8xf32>
    return
  }
}
// $ tessera check storage.mlir
// storage.mlir:12:12: error: alloc_shared: alignment is 24; expected a power of two
//       %odd = alloc_shared alignment = 24 : shared<8xf32>
//              ^
// storage.mlir:13:10: error: subview: 0 offsets are given, but expected 1 to 3: one for each dimension that is gone, and at most one for each dimension of the storage
//       %a = subview %s[] : shared<2x32x8xf32> -> shared<32x8xf32>
//            ^
// storage.mlir:14:10: error: subview: dimension 0 of the result is 64, but the storage has only 32
//       %b = subview %s[%n] : shared<2x32x8xf32> -> shared<64x8xf32>
//            ^
// storage.mlir:15:10: error: subview: the part has type shared<32x8xf32>, but the result is shared<32x8xf32, (32,8):(9,1)>
//       %c = subview %s[%n] : shared<2x32x8xf32> -> shared<32x8xf32, (32,8):(9,1)>
//            ^
// storage.mlir:16:10: error: subview: 4 offsets are given, but expected 1 to 3: one for each dimension that is gone, and at most one for each dimension of the storage
//       %d = subview %s[%n, %n, %n, %n] : shared<2x32x8xf32> -> shared<32x8xf32>
//            ^
// storage.mlir:17:49: error: load_shared: source and result must have the same rank, but source is shared<2x32x8xf32> and result is tile<32x8xf32, spatial(32, 1).local(1, 8)>
//       %w = load_shared %s : shared<2x32x8xf32> -> !row
//                                                   ^~~~
// storage.mlir:20:10: error: load_global: expected 2 offsets, one for each dimension of the view, got 1
//       %y = load_global %v[%n] : !view -> !row
//            ^
// storage.mlir:22:5: error: cp_async: the copy is spread over 16 threads, but the group has 32
//       cp_async %v[%n, %n], %good by layout<spatial(16, 1).local(2, 8)> : !view, shared<32x8xf32>
//       ^
// storage.mlir:23:5: error: cp_async: the layout must have the shape of the memory, [32, 8]
//       cp_async %v[%n, %n], %good by layout<spatial(32, 1).local(1, 4)> : !view, shared<32x8xf32>
//       ^
// storage.mlir:24:5: error: cp_async_wait: pending is -1; expected 0 or more
//       cp_async_wait -1
//       ^
// storage.mlir:25:5: error: free_shared: the operand must be the result of alloc_shared in the same region
//       free_shared %good : shared<32x8xf32>
//       ^
// storage.mlir:26:5: error: free_shared: the memory is used after its end
//       free_shared %s : shared<2x32x8xf32>
//       ^
// storage.mlir:27:5: note: store_shared uses it here; free it behind this
//       store_shared %x, %good : !row, shared<32x8xf32>
//       ^
// [1]
