// RUN: %transcript %s
// RUN: %mutants %s -k gemm -g 1,2 normal:f16:128x384 normal:f16:384x256 zeros:f16:128x256 i32:128 i32:256 i32:384 --save C
//
// A product of matrices by two roles: one thread copies tensors into four slots, two groups of 128
// threads multiply from there.
#at = layout<Sw<3,3,3> o (4,128,64):(8192,64,1)>
#bt = layout<Sw<3,3,3> o (4,64,(64,2)):(8192,64,(1,4096))>
#k = layout<Sw<3,3,3> o (128,64):(64,1)>
#n = layout<Sw<3,3,3> o (64,(64,2)):(64,(1,4096))>
#out = layout<Sw<3,3,3> o (128,(64,2)):(64,(1,8192))>
#acc = layout<spatial(2, 1) * wgmma.m64n128k16.C>
!at = shared<4x128x64xf16, #at>
!bt = shared<4x64x128xf16, #bt>
!as = shared<128x64xf16, #k>
!bs = shared<64x128xf16, #n>
!os = shared<128x128xf16, #out>
!ma = tensor_map<128x64xf16, #k>
!mb = tensor_map<64x64xf16, Sw<3,3,3> o (64,64):(64,1)>
!h = tensor_view<?x?xf16, strides=[?,1]>
!c = tile<128x128xf32, #acc>
!o = tile<128x128xf16, #acc>
cuda_tile.module @gemm {
  entry @gemm(%A: tile<ptr<f16>>, %B: tile<ptr<f16>>, %C: tile<ptr<f16>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) threads(384) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c2 = constant <i32: 2> : tile<i32>
    %c3 = constant <i32: 3> : tile<i32>
    %c64 = constant <i32: 64> : tile<i32>
    %c128 = constant <i32: 128> : tile<i32>
    %ga = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> !h
    %gb = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> !h
    %gc = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> !h
    %ma = make_tensor_map %ga : !h -> !ma
    %mb = make_tensor_map %gb : !h -> !mb
    %mc = make_tensor_map %gc : !h -> !ma
    %x, %y, %z = get_tile_block_id : tile<i32>
    %m = muli %x, %c128 : tile<i32>
    %n = muli %y, %c128 : tile<i32>
    %steps = divi %K, %c64 unsigned rounding<positive_inf> : tile<i32>
    %sa = alloc_shared : !at
    %sb = alloc_shared : !bt
    %so = alloc_shared : !os
    %full = alloc_mbarrier : mbarrier<4>
    %empty = alloc_mbarrier : mbarrier<4>
    elect {
      mbarrier_init %full, 1 : mbarrier<4>
      mbarrier_init %empty, 8 : mbarrier<4>
      fence_async // unseen on a GPU without it: the emulator follows fences of bytes that copies read, and no copy reads a barrier
    }
    barrier
    roles {
      role @load threads(256 to 384) registers(40) {
        elect {
          for %i in (%c0 to %steps, step %c1) : tile<i32> {
            %s = andi %i, %c3 : tile<i32>
            %q = shri %i, %c2 unsigned : tile<i32>
            %p = andi %q, %c1 : tile<i32>
            %e = xori %p, %c1 : tile<i32>
            %k = muli %i, %c64 : tile<i32>
            mbarrier_wait %empty[%s], %e : mbarrier<4> // harmless shifted by one: a later step is waited for
            mbarrier_arrive_expect %full[%s], 32768 : mbarrier<4>
            %a = subview %sa[%s] : !at -> !as
            %b = subview %sb[%s] : !bt -> !bs
            tensor_load %ma[%m, %k], %a, %full[%s] : !ma, !as, mbarrier<4>
            tensor_load %mb[%k, %n], %b, %full[%s] : !mb, !bs, mbarrier<4>
          }
        }
      }
      role @multiply threads(0 to 256) registers(232) {
        %zero = constant <f32: 0.0> : !c
        %sum = for %i in (%c0 to %steps, step %c1) : tile<i32> iter_values(%acc = %zero) -> (!c) {
          %s = andi %i, %c3 : tile<i32>
          %q = shri %i, %c2 unsigned : tile<i32>
          %p = andi %q, %c1 : tile<i32>
          mbarrier_wait %full[%s], %p : mbarrier<4>
          %a = subview %sa[%s] : !at -> !as
          %b = subview %sb[%s] : !bt -> !bs
          wgmma_fence
          %f = wgmma %a, %b, %acc : !as, !bs, !c -> async<!c>
          wgmma_commit
          %d = wgmma_wait 0, %f : async<!c> -> !c
          mbarrier_arrive %empty[%s] each warp : mbarrier<4> // harmless shifted by one: the last step of each round tells it
          continue %d : !c
        }
        %o = ftof %sum : !c -> !o
        store_shared %o, %so : !o, !os
        fence_async
        barrier
        elect {
          tensor_store %so, %mc[%m, %n] : !os, !ma
          bulk_commit
          bulk_wait 0
        }
      }
    }
    return
  }
  // The same without a word of threads, whose sums are added up in the same order.
  entry @plain(%A: tile<ptr<f16>>, %B: tile<ptr<f16>>, %C: tile<ptr<f16>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c64 = constant <i32: 64> : tile<i32>
    %ga = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> !h
    %gb = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> !h
    %gc = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> !h
    %pa = make_partition_view %ga : partition_view<tile=(128x64), padding_value = zero, !h>
    %pb = make_partition_view %gb : partition_view<tile=(64x128), padding_value = zero, !h>
    %pc = make_partition_view %gc : partition_view<tile=(128x128), !h>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %steps = divi %K, %c64 unsigned rounding<positive_inf> : tile<i32>
    %zero = constant <f32: 0.0> : tile<128x128xf32>
    %sum = for %i in (%c0 to %steps, step %c1) : tile<i32> iter_values(%acc = %zero) -> (tile<128x128xf32>) {
      %a, %t = load_view_tko weak %pa[%x, %i] : partition_view<tile=(128x64), padding_value = zero, !h>, tile<i32> -> tile<128x64xf16>, token
      %b, %u = load_view_tko weak %pb[%i, %y] : partition_view<tile=(64x128), padding_value = zero, !h>, tile<i32> -> tile<64x128xf16>, token
      %d = mmaf %a, %b, %acc : tile<128x64xf16>, tile<64x128xf16>, tile<128x128xf32>
      continue %d : tile<128x128xf32>
    }
    %o = ftof %sum : tile<128x128xf32> -> tile<128x128xf16>
    %v = store_view_tko weak %o, %pc[%x, %y] : tile<128x128xf16>, partition_view<tile=(128x128), !h>, tile<i32> -> token
    return
  }
}
// $ cat >run <<'END'
// > tessera run $1 -k $2 -t interp --sanitize=all -g 2,2 normal:f16:200x392 normal:f16:392x176 zeros:f16:200x176 i32:200 i32:176 i32:392 --save C=$2.npy
// > END
// $ sh run specialised.mlir plain && sh run specialised.mlir gemm && npy compare plain.npy gemm.npy
// tessera: remark: sanitizer: nothing found (bounds, assume, init, race, arith, sync) in 4 tile blocks
// tessera: remark: sanitizer: nothing found (bounds, assume, init, race, arith, sync) in 4 tile blocks
// $ tessera fmt specialised.mlir >once.mlir; tessera fmt once.mlir >twice.mlir; cmp once.mlir twice.mlir; sh run once.mlir gemm
// tessera: remark: sanitizer: nothing found (bounds, assume, init, race, arith, sync) in 4 tile blocks
// $ sh run specialised.mlir gemm && npy compare plain.npy gemm.npy
// tessera: remark: sanitizer: nothing found (bounds, assume, init, race, arith, sync) in 4 tile blocks
// $ grep -v 'mbarrier_wait %empty' specialised.mlir >mistake.mlir; sh run mistake.mlir gemm
// mistake.mlir:63:13: error: [sync] tensor_load writes shared memory that a tensor_load is still writing; no mbarrier_wait for its phase stands between
//               tensor_load %ma[%m, %k], %a, %full[%s] : !ma, !as, mbarrier<4>
//               ^
// tessera: note: in tile block (0, 0, 0), thread 256 (role @load), element [0, 0]; so are 8191 more elements
// mistake.mlir:63:13: note: the other access, in tile block (0, 0, 0), thread 256 (role @load)
//               tensor_load %ma[%m, %k], %a, %full[%s] : !ma, !as, mbarrier<4>
//               ^
// mistake.mlir:64:13: error: [sync] tensor_load writes shared memory that a tensor_load is still writing; no mbarrier_wait for its phase stands between
//               tensor_load %mb[%k, %n], %b, %full[%s] : !mb, !bs, mbarrier<4>
//               ^
// tessera: note: in tile block (0, 0, 0), thread 256 (role @load), element [0, 0]; so are 8191 more elements
// mistake.mlir:64:13: note: the other access, in tile block (0, 0, 0), thread 256 (role @load)
//               tensor_load %mb[%k, %n], %b, %full[%s] : !mb, !bs, mbarrier<4>
//               ^
// mistake.mlir:23:3: error: tile block (0, 0, 0) does not go on: all of its threads wait, and nothing is left to wake them
//     entry @gemm(%A: tile<ptr<f16>>, %B: tile<ptr<f16>>, %C: tile<ptr<f16>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) threads(384) {
//     ^
// mistake.mlir:74:11: note: role @multiply (threads 0 to 256) waits here for phase 2 of %full[0], which has 0 of 1 arrivals
//             mbarrier_wait %full[%s], %p : mbarrier<4>
//             ^
// mistake.mlir:63:13: note: [sync] tensor_load: 24575 more findings, the last in tile block (0, 0, 0)
// mistake.mlir:64:13: note: [sync] tensor_load: 24575 more findings, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 49152 findings at 2 operations (sync 49152) in 1 tile block
// [1]
// $ grep -v 'mbarrier_wait %full' specialised.mlir >mistake.mlir; sh run mistake.mlir gemm
// mistake.mlir:78:16: error: [init] wgmma reads shared memory before anything was written there
//             %f = wgmma %a, %b, %acc : !as, !bs, !c -> async<!c>
//                  ^
// tessera: note: in tile block (0, 0, 0), thread 0 (role @multiply), element [0, 0]; so are 8191 more elements
// mistake.mlir:23:3: error: tile block (0, 0, 0) does not go on: all of its threads wait, and nothing is left to wake them
//     entry @gemm(%A: tile<ptr<f16>>, %B: tile<ptr<f16>>, %C: tile<ptr<f16>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) threads(384) {
//     ^
// mistake.mlir:60:13: note: elect in role @load (thread 256) waits here for phase 1 of %empty[3], which has 0 of 8 arrivals
//               mbarrier_wait %empty[%s], %e : mbarrier<4> // harmless shifted by one: a later step is waited for
//               ^
// mistake.mlir:78:16: note: [init] wgmma: 114687 more findings, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 114688 findings at 1 operation (init 114688) in 1 tile block
// [1]
// $ sed 's/32768/32752/' specialised.mlir >mistake.mlir; sh run mistake.mlir gemm
// mistake.mlir:23:3: error: tile block (0, 0, 0) does not go on: all of its threads wait, and nothing is left to wake them
//     entry @gemm(%A: tile<ptr<f16>>, %B: tile<ptr<f16>>, %C: tile<ptr<f16>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) threads(384) {
//     ^
// mistake.mlir:75:11: note: role @multiply (threads 0 to 256) waits here for phase 0 of %full[0], which has 1 of 1 arrivals and got 16 bytes more than were announced
//             mbarrier_wait %full[%s], %p : mbarrier<4>
//             ^
// mistake.mlir:60:13: note: elect in role @load (thread 256) waits here for phase 0 of %empty[0], which has 0 of 8 arrivals
//               mbarrier_wait %empty[%s], %e : mbarrier<4> // harmless shifted by one: a later step is waited for
//               ^
// [1]
// $ sed 's/32768/32784/' specialised.mlir >mistake.mlir; sh run mistake.mlir gemm
// mistake.mlir:23:3: error: tile block (0, 0, 0) does not go on: all of its threads wait, and nothing is left to wake them
//     entry @gemm(%A: tile<ptr<f16>>, %B: tile<ptr<f16>>, %C: tile<ptr<f16>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) threads(384) {
//     ^
// mistake.mlir:75:11: note: role @multiply (threads 0 to 256) waits here for phase 0 of %full[0], which has 1 of 1 arrivals and lacks 16 bytes
//             mbarrier_wait %full[%s], %p : mbarrier<4>
//             ^
// mistake.mlir:60:13: note: elect in role @load (thread 256) waits here for phase 0 of %empty[0], which has 0 of 8 arrivals
//               mbarrier_wait %empty[%s], %e : mbarrier<4> // harmless shifted by one: a later step is waited for
//               ^
// [1]
// $ grep -v '^      fence_async' specialised.mlir >mistake.mlir; sh run mistake.mlir gemm
// mistake.mlir:63:13: error: [sync] tensor_load uses %full[0], which thread 0 initialised with mbarrier_init, and no fence_async stands between
//               tensor_load %ma[%m, %k], %a, %full[%s] : !ma, !as, mbarrier<4>
//               ^
// tessera: note: in tile block (0, 0, 0), thread 256 (role @load)
// mistake.mlir:46:7: note: the other access, in tile block (0, 0, 0), thread 0
//         mbarrier_init %full, 1 : mbarrier<4>
//         ^
// mistake.mlir:64:13: error: [sync] tensor_load uses %full[0], which thread 0 initialised with mbarrier_init, and no fence_async stands between
//               tensor_load %mb[%k, %n], %b, %full[%s] : !mb, !bs, mbarrier<4>
//               ^
// tessera: note: in tile block (0, 0, 0), thread 256 (role @load)
// mistake.mlir:46:7: note: the other access, in tile block (0, 0, 0), thread 0
//         mbarrier_init %full, 1 : mbarrier<4>
//         ^
// mistake.mlir:63:13: note: [sync] tensor_load: 27 more findings, the last in tile block (1, 1, 0)
// mistake.mlir:64:13: note: [sync] tensor_load: 27 more findings, the last in tile block (1, 1, 0)
// tessera: note: sanitizer: 56 findings at 2 operations (sync 56) in 4 tile blocks
// [1]
// $ grep -v '^        fence_async' specialised.mlir >mistake.mlir; sh run mistake.mlir gemm
// mistake.mlir:89:11: error: [sync] tensor_store reads shared memory that thread 0 wrote with store_shared, and no fence_async stands between
//             tensor_store %so, %mc[%m, %n] : !os, !ma
//             ^
// tessera: note: in tile block (0, 0, 0), thread 0 (role @multiply), element [0, 0]; so are 16383 more elements
// mistake.mlir:86:9: note: the other access, in tile block (0, 0, 0), thread 0 (role @multiply)
//           store_shared %o, %so : !o, !os
//           ^
// mistake.mlir:89:11: note: [sync] tensor_store: 65535 more findings, the last in tile block (1, 1, 0)
// tessera: note: sanitizer: 65536 findings at 1 operation (sync 65536) in 4 tile blocks
// [1]
// $ grep -v 'wgmma_fence' specialised.mlir >mistake.mlir; sh run mistake.mlir gemm
// mistake.mlir:78:16: error: [sync] wgmma uses registers that were written before, and no wgmma_fence stands between
//             %f = wgmma %a, %b, %acc : !as, !bs, !c -> async<!c>
//                  ^
// tessera: note: in tile block (0, 0, 0), thread 0 (role @multiply)
// mistake.mlir:78:16: note: [sync] wgmma: 27 more findings, the last in tile block (1, 1, 0)
// tessera: note: sanitizer: 28 findings at 1 operation (sync 28) in 4 tile blocks
// [1]
// $ sed 's/wgmma_wait 0/wgmma_wait 1/' specialised.mlir >mistake.mlir; sh run mistake.mlir gemm
// mistake.mlir:81:16: error: [sync] wgmma_wait leaves the set pending whose product it gives; lower its number
//             %d = wgmma_wait 1, %f : async<!c> -> !c
//                  ^
// tessera: note: in tile block (0, 0, 0), thread 0 (role @multiply)
// mistake.mlir:64:13: error: [race] tensor_load writes shared memory that other threads may still be reading with wgmma, as no barrier stands between
//               tensor_load %ma[%m, %k], %a, %full[%s] : !ma, !as, mbarrier<4>
//               ^
// tessera: note: in tile block (0, 0, 0), thread 256 (role @load), element [0, 0]; so are 8191 more elements
// mistake.mlir:79:16: note: the other access, in tile block (0, 0, 0)
//             %f = wgmma %a, %b, %acc : !as, !bs, !c -> async<!c>
//                  ^
// mistake.mlir:65:13: error: [race] tensor_load writes shared memory that other threads may still be reading with wgmma, as no barrier stands between
//               tensor_load %mb[%k, %n], %b, %full[%s] : !mb, !bs, mbarrier<4>
//               ^
// tessera: note: in tile block (0, 0, 0), thread 256 (role @load), element [0, 0]; so are 8191 more elements
// mistake.mlir:79:16: note: the other access, in tile block (0, 0, 0)
//             %f = wgmma %a, %b, %acc : !as, !bs, !c -> async<!c>
//                  ^
// mistake.mlir:64:13: note: [race] tensor_load: 98303 more findings, the last in tile block (1, 1, 0)
// mistake.mlir:65:13: note: [race] tensor_load: 98303 more findings, the last in tile block (1, 1, 0)
// mistake.mlir:81:16: note: [sync] wgmma_wait: 27 more findings, the last in tile block (1, 1, 0)
// tessera: note: sanitizer: 196636 findings at 3 operations (race 196608, sync 28) in 4 tile blocks
// [1]
// $ grep -v '^        barrier' specialised.mlir >mistake.mlir; sh run mistake.mlir gemm
// mistake.mlir:89:11: error: [race] tensor_store reads shared memory that thread 1 wrote with store_shared, and no barrier stands between
//             tensor_store %so, %mc[%m, %n] : !os, !ma
//             ^
// tessera: note: in tile block (0, 0, 0), thread 0 (role @multiply), element [0, 2]; so are 16319 more elements
// mistake.mlir:86:9: note: the other access, in tile block (0, 0, 0), thread 1 (role @multiply)
//           store_shared %o, %so : !o, !os
//           ^
// mistake.mlir:89:11: note: [race] tensor_store: 65279 more findings, the last in tile block (1, 1, 0)
// tessera: note: sanitizer: 65280 findings at 1 operation (race 65280) in 4 tile blocks
// [1]
// $ grep -v 'bulk_wait' specialised.mlir >mistake.mlir; sh run mistake.mlir gemm
// mistake.mlir:90:11: error: [sync] tensor_store still reads shared memory when the kernel ends; no bulk_wait covers it
//             tensor_store %so, %mc[%m, %n] : !os, !ma
//             ^
// tessera: note: in tile block (0, 0, 0), thread 0 (role @multiply)
// mistake.mlir:90:11: note: [sync] tensor_store: 3 more findings, the last in tile block (1, 1, 0)
// tessera: note: sanitizer: 4 findings at 1 operation (sync 4) in 4 tile blocks
// [1]
// $ sed 's/%so, %mc\[%m, %n\]/%so, %mc[%n, %m]/; s/mbarrier_wait %empty\[%s\], %e/mbarrier_wait %empty[%s], %p/' specialised.mlir >mistake.mlir; sh run mistake.mlir gemm
// mistake.mlir:23:3: error: tile block (0, 0, 0) does not go on: all of its threads wait, and nothing is left to wake them
//     entry @gemm(%A: tile<ptr<f16>>, %B: tile<ptr<f16>>, %C: tile<ptr<f16>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) threads(384) {
//     ^
// mistake.mlir:75:11: note: role @multiply (threads 0 to 256) waits here for phase 0 of %full[0], which has 0 of 1 arrivals
//             mbarrier_wait %full[%s], %p : mbarrier<4>
//             ^
// mistake.mlir:60:13: note: elect in role @load (thread 256) waits here for phase 0 of %empty[0], which has 0 of 8 arrivals
//               mbarrier_wait %empty[%s], %p : mbarrier<4> // harmless shifted by one: a later step is waited for
//               ^
// [1]
