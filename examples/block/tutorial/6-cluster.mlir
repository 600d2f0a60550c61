// The same by two tile blocks together: both multiply with the same columns of B, of which each
// fetches a half for both.
#as = layout<Sw<2,3,3> o (64,32):(32,1)>
#bs = layout<Sw<3,3,3> o (32,64):(64,1)>
#a = layout<spatial(4, 1).local(1, 2) * mma.m16n8k16.A>
#b = layout<replicated(1, 1, num_workers=4).local(2, 8) * mma.m16n8k16.B>
!a = tile<64x32xf16, #a>
!b = tile<32x64xf16, #b>
!c = tile<64x64xf32, spatial(4, 1).local(1, 8) * mma.m16n8k16.C>
!at = shared<4x64x32xf16, Sw<2,3,3> o (4,64,32):(2048,32,1)>
!bt = shared<4x32x64xf16, Sw<3,3,3> o (4,32,64):(2048,64,1)>
!as = shared<64x32xf16, #as>
!bs = shared<32x64xf16, #bs>
!ma = tensor_map<64x32xf16, #as>
!mb = tensor_map<16x64xf16, Sw<3,3,3> o (16,64):(64,1)>
!half = shared<16x64xf16, Sw<3,3,3> o (16,64):(64,1)>
!h = tensor_view<?x?xf16, strides=[?,1]>
!f = tensor_view<?x?xf32, strides=[?,1]>
cuda_tile.module @gemm {
  entry @gemm(%A: tile<ptr<f16>>, %B: tile<ptr<f16>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) threads(160) cluster(2) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c2 = constant <i32: 2> : tile<i32>
    %c3 = constant <i32: 3> : tile<i32>
    %c16 = constant <i32: 16> : tile<i32>
    %c32 = constant <i32: 32> : tile<i32>
    %c64 = constant <i32: 64> : tile<i32>
    %ga = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> !h
    %gb = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> !h
    %gc = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> !f
    %ma = make_tensor_map %ga : !h -> !ma
    %mb = make_tensor_map %gb : !h -> !mb
    %x, %y, %z = get_tile_block_id : tile<i32>
    %m = muli %x, %c64 : tile<i32>
    %n = muli %y, %c64 : tile<i32>
    %steps = divi %K, %c32 unsigned rounding<positive_inf> : tile<i32>
    %sa = alloc_shared alignment = 1024 : !at
    %sb = alloc_shared alignment = 1024 : !bt
    %full = alloc_mbarrier : mbarrier<4>
    %empty = alloc_mbarrier : mbarrier<4>
    %rank = get_cluster_rank : tile<i32>
    %other = xori %rank, %c1 : tile<i32>
    %there = map_remote %empty, %other : mbarrier<4> -> remote<mbarrier<4>>
    %mine = muli %rank, %c16 : tile<i32>             // the rows of B's tile that this one fetches
    elect {
      mbarrier_init %full, 1 : mbarrier<4>           // the thread that loads
      mbarrier_init %empty, 8 : mbarrier<4>          // the warps that multiply, of both tile blocks
      fence_async // unseen on a GPU without it: the emulator follows fences of bytes that copies read, and no copy reads a barrier
    }
    cluster_barrier                                  // both have begun, and their barriers are ready
    roles {
      role @load threads(128 to 160) {
        elect {
          for %i in (%c0 to %steps, step %c1) : tile<i32> {
            %s = andi %i, %c3 : tile<i32>            // slot and phase of step i
            %q = shri %i, %c2 unsigned : tile<i32>
            %p = andi %q, %c1 : tile<i32>
            %e = xori %p, %c1 : tile<i32>
            %k = muli %i, %c32 : tile<i32>
            mbarrier_wait %empty[%s], %e : mbarrier<4> // harmless shifted by one: a later step is waited for
            mbarrier_arrive_expect %full[%s], 8192 : mbarrier<4>
            %a = subview %sa[%s] : !at -> !as
            %b = subview %sb[%s] : !bt -> !bs
            tensor_load %ma[%m, %k], %a, %full[%s] : !ma, !as, mbarrier<4>
            %kh = addi %k, %mine : tile<i32>
            %h = subview %b[%mine] : !bs -> !half
            tensor_load %mb[%kh, %n], %h, %full[%s] multicast = %c3 : !mb, !half, mbarrier<4>
          }
        }
      }
      role @multiply threads(0 to 128) {
        %zero = constant <f32: 0.0> : !c
        %sum = for %i in (%c0 to %steps, step %c1) : tile<i32> iter_values(%acc = %zero) -> (!c) {
          %s = andi %i, %c3 : tile<i32>
          %q = shri %i, %c2 unsigned : tile<i32>
          %p = andi %q, %c1 : tile<i32>
          mbarrier_wait %full[%s], %p : mbarrier<4>  // the bytes of step i are there
          %a = subview %sa[%s] : !at -> !as
          %b = subview %sb[%s] : !bt -> !bs
          %ra = load_shared ldmatrix %a : !as -> !a
          %rb = load_shared ldmatrix.trans %b : !bs -> !b
          mbarrier_arrive %empty[%s] each warp : mbarrier<4> // harmless shifted by one: the last step of each round tells it
          mbarrier_arrive %there[%s] each warp : remote<mbarrier<4>> // harmless shifted by one: the last step of each round tells it
          %d = mmaf %ra, %rb, %acc : !a, !b, !c
          continue %d : !c
        }
        store_global %sum, %gc[%m, %n] : !c, !f
      }
    }
    cluster_barrier                                  // the other one has come to my barriers
    return
  }
}
