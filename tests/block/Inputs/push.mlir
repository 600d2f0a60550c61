// Each tile block of a cluster of two pushes a tile from its registers to the other.
!t = tile<8192xi32, spatial(128).local(64)>
!s = shared<8192xi32>
!v = tensor_view<?xi32, strides=[1]>
cuda_tile.module @push {
  entry @push(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %n: tile<i32>) threads(128) cluster(2) {
    %vi = make_tensor_view %in, shape = [%n], strides = [1] : tile<i32> -> !v
    %vo = make_tensor_view %out, shape = [%n], strides = [1] : tile<i32> -> !v
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c8192 = constant <i32: 8192> : tile<i32>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %at = muli %x, %c8192 : tile<i32>
    %rank = get_cluster_rank : tile<i32>
    %next = xori %rank, %c1 : tile<i32>
    %inbox = alloc_shared : !s
    %come = alloc_mbarrier : mbarrier<1>
    %zero = constant <i32: 0> : !t
    store_shared %zero, %inbox : !t, !s
    elect {
      mbarrier_init %come, 1 : mbarrier<1>
      mbarrier_arrive_expect %come, 32768 : mbarrier<1>
    }
    %mine = load_global %vi[%at] : !v -> !t
    cluster_barrier
    %outbox = map_remote %inbox, %next : !s -> remote<!s>
    %their = map_remote %come, %next : mbarrier<1> -> remote<mbarrier<1>>
    store_async %mine, %outbox, %their : !t, remote<!s>, remote<mbarrier<1>>
    mbarrier_wait %come, %c0 : mbarrier<1>
    %given = load_shared %inbox : !s -> !t
    store_global %given, %vo[%at] : !t, !v
    cluster_barrier // harmless: who has waited for its inbox is used by nobody any more
    return
  }
}
