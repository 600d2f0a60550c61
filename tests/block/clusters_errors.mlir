// RUN: %transcript %s
// What the verifier says of clusters.
#row = layout<spatial(32).local(4)>
!t = tile<128xi32, #row>
!s = shared<128xi32>
!v = tensor_view<?xi32, strides=[1]>
cuda_tile.module @errors {
  entry @size() threads(32) cluster(3, 3) {
    return
  }
  entry @empty() threads(32) cluster(2, 0) {
    return
  }
  entry @level() cluster(2) {
    return
  }
  entry @alone() threads(32) {
    %r = get_cluster_rank : tile<i32>
    cluster_barrier
    cluster_arrive relaxed
    return
  }
  entry @inside(%p: tile<ptr<i32>>) threads(64) cluster(2) {
    %c0 = constant <i32: 0> : tile<i32>
    %c2 = constant <i32: 2> : tile<i32>
    %c4 = constant <i32: 4> : tile<i32>
    %v = make_tensor_view %p, shape = [%c2], strides = [1] : tile<i32> -> !v
    %s = alloc_shared : !s
    %m = alloc_mbarrier : mbarrier<2>
    group threads(0 to 32) { cluster_barrier }
    elect { cluster_wait }
    %a = map_remote %s, %c2 : !s -> remote<!s>
    %b = map_remote %s, %c0 : !s -> !s
    %c = map_remote %v, %c0 : !v -> !v
    %d = map_remote %s, %c0 : !s -> remote<!s>
    %e = map_remote %d, %c0 : remote<!s> -> remote<!s>
    %f = map_remote %m, %c0 : mbarrier<2> -> remote<mbarrier<2>>
    mbarrier_wait %f[%c0], %c0 : remote<mbarrier<2>>
    mbarrier_init %f, 1 : remote<mbarrier<2>>
    group threads(0 to 32) {
      %x = load_shared %d : remote<!s> -> !t
      %y = load_shared ldmatrix %d : remote<!s> -> !t
      store_async %x, %s, %f[%c0] : !t, !s, remote<mbarrier<2>>
      store_async %x, %d, %f : !t, remote<!s>, remote<mbarrier<2>>
      store_async %x, %d, %m[%c0] : !t, remote<!s>, mbarrier<2>
      bulk_copy %s, %d, %f[%c0] : !s, remote<!s>, remote<mbarrier<2>>
    }
    elect {
      bulk_load %v[%c0], %s, %m[%c0] multicast = %c4 : !v, !s, mbarrier<2>
      bulk_load %v[%c0], %d, %m[%c0] : !v, remote<!s>, mbarrier<2>
    }
    return
  }
}
// $ tessera check clusters_errors.mlir
// clusters_errors.mlir:8:3: error: entry: the cluster has more than 8 tile blocks; make it smaller
//     entry @size() threads(32) cluster(3, 3) {
//     ^
// clusters_errors.mlir:11:3: error: entry: dimension 1 of the cluster is 0; expected 1 or more
//     entry @empty() threads(32) cluster(2, 0) {
//     ^
// clusters_errors.mlir:14:3: error: entry: cluster(…) is of the block level; write threads(…) in front of it, or leave it out: the compiler makes clusters by itself (num_cta_in_cga)
//     entry @level() cluster(2) {
//     ^
// clusters_errors.mlir:18:10: error: get_cluster_rank: the kernel's tile blocks are in no clusters; write cluster(2) behind the kernel's threads(…)
//       %r = get_cluster_rank : tile<i32>
//            ^
// clusters_errors.mlir:19:5: error: cluster_barrier: the kernel's tile blocks are in no clusters; write cluster(2) behind the kernel's threads(…)
//       cluster_barrier
//       ^
// clusters_errors.mlir:20:5: error: cluster_arrive: the kernel's tile blocks are in no clusters; write cluster(2) behind the kernel's threads(…)
//       cluster_arrive relaxed
//       ^
// clusters_errors.mlir:30:30: error: cluster_barrier: it is inside of a group, but all threads of the tile block take part in the barrier of the cluster; put it in front of the group or behind it
//       group threads(0 to 32) { cluster_barrier }
//                                ^
// clusters_errors.mlir:31:13: error: cluster_wait: it is inside of a group, but all threads of the tile block take part in the barrier of the cluster; put it in front of the group or behind it
//       elect { cluster_wait }
//               ^
// clusters_errors.mlir:32:25: error: map_remote: rank 2 is outside of the cluster, which has 2 tile blocks
//       %a = map_remote %s, %c2 : !s -> remote<!s>
//                           ^~~
// clusters_errors.mlir:33:10: error: map_remote: the result must be remote<shared<128xi32>>, but is shared<128xi32>
//       %b = map_remote %s, %c0 : !s -> !s
//            ^
// clusters_errors.mlir:34:21: error: map_remote: the storage must be shared memory or an mbarrier of this tile block, but has type tensor_view<?xi32, strides=[1]>
//       %c = map_remote %v, %c0 : !v -> !v
//                       ^~
// clusters_errors.mlir:36:21: error: map_remote: the storage must be shared memory or an mbarrier of this tile block, but has type remote<shared<128xi32>>
//       %e = map_remote %d, %c0 : remote<!s> -> remote<!s>
//                       ^~
// clusters_errors.mlir:38:19: error: mbarrier_wait: operand 'barrier' must be an mbarrier of this tile block, but has type remote<mbarrier<2>>
//       mbarrier_wait %f[%c0], %c0 : remote<mbarrier<2>>
//                     ^~
// clusters_errors.mlir:39:19: error: mbarrier_init: operand 'barrier' must be an mbarrier of this tile block, but has type remote<mbarrier<2>>
//       mbarrier_init %f, 1 : remote<mbarrier<2>>
//                     ^~
// clusters_errors.mlir:42:12: error: load_shared: ldmatrix reaches this tile block's shared memory only; leave it out for that of another
//         %y = load_shared ldmatrix %d : remote<!s> -> !t
//              ^
// clusters_errors.mlir:43:23: error: store_async: operand 'dest' must be shared memory that map_remote gives, but has type shared<128xi32>
//         store_async %x, %s, %f[%c0] : !t, !s, remote<mbarrier<2>>
//                         ^~
// clusters_errors.mlir:44:7: error: store_async: say at which of the 2 barriers the bytes count: %barrier[%index]
//         store_async %x, %d, %f : !t, remote<!s>, remote<mbarrier<2>>
//         ^
// clusters_errors.mlir:45:27: error: store_async: operand 'barrier' must be an mbarrier that map_remote gives, but has type mbarrier<2>
//         store_async %x, %d, %m[%c0] : !t, remote<!s>, mbarrier<2>
//                             ^~
// clusters_errors.mlir:46:7: error: bulk_copy: 32 threads execute it, but it is for one; put it inside of elect { … }
//         bulk_copy %s, %d, %f[%c0] : !s, remote<!s>, remote<mbarrier<2>>
//         ^
// clusters_errors.mlir:49:7: error: bulk_load: the mask of multicast is 4; expected a bit for each tile block that gets the copy, of the 2 that the cluster has
//         bulk_load %v[%c0], %s, %m[%c0] multicast = %c4 : !v, !s, mbarrier<2>
//         ^
// [1]
// $ cat >copy.mlir <<'END'
// > !s = shared<128xi32, (128):(2)>
// > !f = shared<2xi32>
// > !t = shared<128xi32>
// > cuda_tile.module @m {
// >   entry @k() threads(32) cluster(2) {
// >     %c0 = constant <i32: 0> : tile<i32>
// >     %c2 = constant <i32: 2> : tile<i32>
// >     %s = alloc_shared : !s
// >     %f = alloc_shared : !f
// >     %m = alloc_mbarrier : mbarrier<2>
// >     %rs = map_remote %s, %c0 : !s -> remote<!s>
// >     %rf = map_remote %f, %c0 : !f -> remote<!f>
// >     %rm = map_remote %m, %c0 : mbarrier<2> -> remote<mbarrier<2>>
// >     %t = alloc_shared : !t
// >     elect {
// >       bulk_copy %s, %rs, %rm[%c0] : !s, remote<!s>, remote<mbarrier<2>>
// >       bulk_copy %f, %rf, %rm[%c0] : !f, remote<!f>, remote<mbarrier<2>>
// >       bulk_copy %f, %rf, %rm[%c2] : !f, remote<!f>, remote<mbarrier<2>>
// >       bulk_copy %t, %rf, %rm[%c0] : !t, remote<!f>, remote<mbarrier<2>>
// >     }
// >     %p = alloc_shared : shared<128xi4>
// >     %b = load_shared %p : shared<128xi4> -> tile<128xi4, spatial(32).local(4)>
// >     %rp = map_remote %p, %c0 : shared<128xi4> -> remote<shared<128xi4>>
// >     store_async %b, %rp, %rm[%c0] : tile<128xi4, spatial(32).local(4)>, remote<shared<128xi4>>, remote<mbarrier<2>>
// >     return
// >   }
// > }
// > END
// $ tessera check copy.mlir
// copy.mlir:16:7: error: bulk_copy: it moves bytes as they lie, so both sides must lie alike and without gaps; shared<128xi32, (128):(2)> and remote<shared<128xi32, (128):(2)>> do not
//         bulk_copy %s, %rs, %rm[%c0] : !s, remote<!s>, remote<mbarrier<2>>
//         ^
// copy.mlir:17:7: error: bulk_copy: shared<2xi32> has 8 bytes; expected a multiple of 16
//         bulk_copy %f, %rf, %rm[%c0] : !f, remote<!f>, remote<mbarrier<2>>
//         ^
// copy.mlir:18:7: error: bulk_copy: index 2 is outside of remote<mbarrier<2>>
//         bulk_copy %f, %rf, %rm[%c2] : !f, remote<!f>, remote<mbarrier<2>>
//         ^
// copy.mlir:19:7: error: bulk_copy: shared<128xi32> goes to remote<shared<2xi32>>; the shapes must be equal
//         bulk_copy %t, %rf, %rm[%c0] : !t, remote<!f>, remote<mbarrier<2>>
//         ^
// copy.mlir:24:5: error: store_async: tile<128xi4, spatial(32).local(4)> has elements of 4 bits, but whole bytes are stored; widen them
//       store_async %b, %rp, %rm[%c0] : tile<128xi4, spatial(32).local(4)>, remote<shared<128xi4>>, remote<mbarrier<2>>
//       ^
// [1]
// $ printf 'cuda_tile.module @m { entry @k() threads(64) cluster(1,1,1,1) { return } }' >a.mlir; tessera check a.mlir
// a.mlir:1:60: error: a cluster has at most 3 dimensions
//   cuda_tile.module @m { entry @k() threads(64) cluster(1,1,1,1) { return } }
//                                                              ^
// [1]
// $ printf 'cuda_tile.module @m { entry @k() threads(64) cluster { return } }' >a.mlir; tessera check a.mlir
// a.mlir:1:54: error: expected '(' after 'cluster', found '{'
//   cuda_tile.module @m { entry @k() threads(64) cluster { return } }
//                                                        ^
// [1]
// $ printf 'cuda_tile.module @m { entry @k() threads(64) cluster(2) { %%s = alloc_shared : remote<tile<i32>> } }' >a.mlir; tessera check a.mlir
// a.mlir:1:79: error: only shared memory and mbarriers can be another tile block's, not tile<i32>
//   cuda_tile.module @m { entry @k() threads(64) cluster(2) { %s = alloc_shared : remote<tile<i32>> } }
//                                                                                 ^~~~~~~~~~~~~~~~~
// [1]
// $ printf 'cuda_tile.module @m { entry @k() threads(64) cluster(2) { %%s = alloc_shared : remote<remote<shared<4xi32>>> } }' >a.mlir; tessera check a.mlir
// a.mlir:1:79: error: only shared memory and mbarriers can be another tile block's, not remote<shared<4xi32>>
//   cuda_tile.module @m { entry @k() threads(64) cluster(2) { %s = alloc_shared : remote<remote<shared<4xi32>>> } }
//                                                                                 ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~
// [1]
// $ printf 'cuda_tile.module @m { entry @k() threads(64) cluster(2) { %%s = alloc_shared : remote<shared<4xi32>> } }' >a.mlir; tessera check a.mlir
// a.mlir:1:79: error: alloc_shared: result 'result' must be shared memory of this tile block, but has type remote<shared<4xi32>>
//   cuda_tile.module @m { entry @k() threads(64) cluster(2) { %s = alloc_shared : remote<shared<4xi32>> } }
//                                                                                 ^~~~~~~~~~~~~~~~~~~~~
// [1]
// $ printf 'cuda_tile.module @m { entry @k() threads(64) cluster(2) { return } }' >a.mlir; tessera run a.mlir -t interp -g 3; tessera run a.mlir -t interp -g 2,3
// tessera: error: a grid of 3 x 1 x 1 for 'k', whose clusters have 2 x 1 x 1 tile blocks; it must be a multiple of that in each dimension
