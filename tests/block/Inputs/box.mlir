// A box by the copy engine, doubled and stored by it again.
!v = tensor_view<8x32xf32, strides=[32,1]>
!s = shared<8x32xf32>
!t = tile<8x32xf32, spatial(4, 32).local(2, 1)>
cuda_tile.module @box {
  entry @box(%in: tile<ptr<f32>>, %out: tile<ptr<f32>>) threads(128) {
    %c0 = constant <i32: 0> : tile<i32>
    %vi = make_tensor_view %in, shape = [8, 32], strides = [32, 1] : !v
    %vo = make_tensor_view %out, shape = [8, 32], strides = [32, 1] : !v
    %mi = make_tensor_map %vi : !v -> tensor_map<8x32xf32>
    %mo = make_tensor_map %vo : !v -> tensor_map<8x32xf32>
    %a = alloc_shared alignment = 128 : !s
    %b = alloc_shared alignment = 128 : !s
    %m = alloc_mbarrier : mbarrier<1>
    elect {
      mbarrier_init %m, 1 : mbarrier<1>
      fence_async // unseen on a GPU without it: no copy reads a barrier
    }
    barrier
    elect {
      mbarrier_arrive_expect %m, 1024 : mbarrier<1>
      tensor_load %mi[%c0, %c0], %a, %m : tensor_map<8x32xf32>, !s, mbarrier<1>
    }
    mbarrier_wait %m, %c0 : mbarrier<1>
    %x = load_shared %a : !s -> !t
    %y = addf %x, %x : !t
    store_shared %y, %b : !t, !s
    fence_async
    barrier
    elect {
      tensor_store %b, %mo[%c0, %c0] : !s, tensor_map<8x32xf32>
      bulk_commit
      bulk_wait 0
    }
    return
  }
}
