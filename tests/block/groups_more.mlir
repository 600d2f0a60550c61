// RUN: %transcript %s
// RUN: %mutants %s -k named -g 1 arange:i32:100 ones:i32:100 i32:64 --save out
// RUN: %mutants %s -k arrive -g 1 arange:i32:100 ones:i32:100 i32:64 --save out
//
// Groups in kernels of a few lines: results, named barriers, copies that arrive at an mbarrier, rows
// that the copy engine moves, products with a left operand in registers.
#all = layout<spatial(128)>
#half = layout<spatial(64)>
!all = tile<128xi32, #all>
!half = tile<64xi32, #half>
!view = tensor_view<?xi32, strides=[1]>
!row = tensor_view<?x64xi32, strides=[64,1]>
cuda_tile.module @groups {
  // The upper half doubles what the lower half read, and hands it back through named barriers.
  entry @named(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %n: tile<i32>) threads(128) {
    %vi = make_tensor_view %in, shape = [%n], strides = [1] : tile<i32> -> !view
    %vo = make_tensor_view %out, shape = [%n], strides = [1] : tile<i32> -> !view
    %c0 = constant <i32: 0> : tile<i32>
    %s = alloc_shared : shared<64xi32>
    %t = alloc_shared : shared<64xi32>
    %mine = group threads(0 to 64) -> (!half) {
      %x = load_global %vi[%c0] : !view -> !half
      store_shared %x, %s : !half, shared<64xi32>
      barrier_arrive 1, 128
      yield %x : !half
    }
    group threads(64 to 128) {
      barrier_wait 1, 128
      %x = load_shared %s : shared<64xi32> -> !half
      %y = addi %x, %x : !half
      store_shared %y, %t : !half, shared<64xi32>
      barrier_arrive 2, 128
    }
    group threads(0 to 64) {
      barrier_wait 2, 128
      %y = load_shared %t : shared<64xi32> -> !half
      %z = addi %mine, %y : !half
      store_global %z, %vo[%c0] : !half, !view
    }
    return
  }
  // Copies of 64 threads, which the others wait for.
  entry @arrive(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %n: tile<i32>) threads(128) {
    %vi = make_tensor_view %in, shape = [%n], strides = [1] : tile<i32> -> !view
    %vo = make_tensor_view %out, shape = [%n], strides = [1] : tile<i32> -> !view
    %c0 = constant <i32: 0> : tile<i32>
    %s = alloc_shared : shared<64xi32>
    %m = alloc_mbarrier : mbarrier<1>
    elect {
      mbarrier_init %m, 64 : mbarrier<1>
    }
    barrier
    group threads(64 to 128) {
      cp_async %vi[%c0], %s by #half : !view, shared<64xi32>
      cp_async_arrive %m : mbarrier<1>
    }
    group threads(0 to 64) {
      mbarrier_wait %m, %c0 : mbarrier<1>
      %x = load_shared %s : shared<64xi32> -> !half
      %y = addi %x, %x : !half
      %z = addi %x, %y : !half
      store_global %z, %vo[%c0] : !half, !view
    }
    return
  }
  // Rows come and go by the copy engine, and are added to what is there.
  entry @rows(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %n: tile<i32>) threads(128) {
    %vi = make_tensor_view %in, shape = [%n, 64], strides = [64, 1] : tile<i32> -> !row
    %vo = make_tensor_view %out, shape = [%n, 64], strides = [64, 1] : tile<i32> -> !row
    %to = make_tensor_map %vo : !row -> tensor_map<2x64xi32>
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c2 = constant <i32: 2> : tile<i32>
    %s = alloc_shared : shared<2x64xi32>
    %m = alloc_mbarrier : mbarrier<1>
    elect {
      mbarrier_init %m, 1 : mbarrier<1>
      fence_async // unseen on a GPU without it: the emulator has no check of it
      mbarrier_arrive_expect %m, 512 : mbarrier<1>
      bulk_load %vi[%c1, %c0], %s, %m : !row, shared<2x64xi32>, mbarrier<1>
      mbarrier_wait %m, %c0 : mbarrier<1>
      bulk_store %s, %vo[%c0, %c0] : shared<2x64xi32>, !row
      bulk_commit
      bulk_wait 0
      tensor_reduce add %s, %to[%c0, %c0] : shared<2x64xi32>, tensor_map<2x64xi32>
      tensor_reduce max %s, %to[%c2, %c0] : shared<2x64xi32>, tensor_map<2x64xi32>
      bulk_commit
      bulk_wait 0 read
    }
    return
  }
  // Two products into one accumulator, the left operand in registers.
  entry @registers(%in: tile<ptr<f16>>, %out: tile<ptr<f32>>, %n: tile<i32>) threads(128) {
    %vi = make_tensor_view %in, shape = [%n, 16], strides = [16, 1] : tile<i32> -> tensor_view<?x16xf16, strides=[16,1]>
    %vo = make_tensor_view %out, shape = [%n, 16], strides = [16, 1] : tile<i32> -> tensor_view<?x16xf32, strides=[16,1]>
    %c0 = constant <i32: 0> : tile<i32>
    %a = load_global %vi[%c0, %c0] : tensor_view<?x16xf16, strides=[16,1]> -> tile<64x16xf16, wgmma.m64n8k16.A>
    %b = load_global %vi[%c0, %c0] : tensor_view<?x16xf16, strides=[16,1]> -> tile<16x16xf16, spatial(16, 8).local(1, 2)>
    %s = alloc_shared : shared<16x16xf16, Sw<1,3,3> o (16,16):(16,1)>
    store_shared %b, %s : tile<16x16xf16, spatial(16, 8).local(1, 2)>, shared<16x16xf16, Sw<1,3,3> o (16,16):(16,1)>
    fence_async
    barrier
    %zero = constant <f32: 0.0> : tile<64x16xf32, wgmma.m64n16k16.C>
    wgmma_fence
    %p = wgmma %a, %s, %zero : tile<64x16xf16, wgmma.m64n8k16.A>, shared<16x16xf16, Sw<1,3,3> o (16,16):(16,1)>, tile<64x16xf32, wgmma.m64n16k16.C> -> async<tile<64x16xf32, wgmma.m64n16k16.C>>
    %q = wgmma %a, %s, %p : tile<64x16xf16, wgmma.m64n8k16.A>, shared<16x16xf16, Sw<1,3,3> o (16,16):(16,1)>, async<tile<64x16xf32, wgmma.m64n16k16.C>> -> async<tile<64x16xf32, wgmma.m64n16k16.C>>
    wgmma_commit
    %sum = wgmma_wait 0, %q : async<tile<64x16xf32, wgmma.m64n16k16.C>> -> tile<64x16xf32, wgmma.m64n16k16.C>
    store_global %sum, %vo[%c0, %c0] : tile<64x16xf32, wgmma.m64n16k16.C>, tensor_view<?x16xf32, strides=[16,1]>
    return
  }
}
// $ tessera fmt groups_more.mlir >once.mlir; tessera fmt once.mlir >twice.mlir; cmp once.mlir twice.mlir
// $ tessera run once.mlir -k named -t interp --sanitize=all -g 1 arange:i32:100 ones:i32:100 i32:64 --save out=out.npy && npy expect out.npy '<i4' 100 '3 * i if i < 64 else 1'
// tessera: remark: sanitizer: nothing found (bounds, assume, init, race, arith, sync) in 1 tile block
// $ tessera run once.mlir -k arrive -t interp --sanitize=all -g 1 arange:i32:100 ones:i32:100 i32:64 --save out=out.npy && npy expect out.npy '<i4' 100 '3 * i if i < 64 else 1'
// tessera: remark: sanitizer: nothing found (bounds, assume, init, race, arith, sync) in 1 tile block
// $ tessera run once.mlir -k rows -t interp --sanitize=all -g 1 arange:i32:4x64 ones:i32:4x64 i32:4 --save out=out.npy && npy expect out.npy '<i4' 4x64 '2 * (i + 64) if x0 < 2 else i - 64'
// tessera: remark: sanitizer: nothing found (bounds, assume, init, race, arith, sync) in 1 tile block
// $ tessera run once.mlir -k registers -t interp --sanitize=all -g 1 ones:f16:64x16 zeros:f32:64x16 i32:64 --save out=out.npy && npy expect out.npy '<f4' 64x16 '32'
// tessera: remark: sanitizer: nothing found (bounds, assume, init, race, arith, sync) in 1 tile block
// $ grep -v 'barrier_wait 1' groups_more.mlir >m.mlir; tessera run m.mlir -k named -t interp --sanitize=all -g 1 arange:i32:100 ones:i32:100 i32:64
// m.mlir:28:12: error: [race] load_shared reads shared memory that thread 0 wrote with store_shared, and no barrier stands between
//         %x = load_shared %s : shared<64xi32> -> !half
//              ^
// tessera: note: in tile block (0, 0, 0), thread 64, element [0]; so are 63 more elements
// m.mlir:23:7: note: the other access, in tile block (0, 0, 0), thread 0
//         store_shared %x, %s : !half, shared<64xi32>
//         ^
// m.mlir:28:12: note: [race] load_shared: 63 more findings, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 64 findings at 1 operation (race 64) in 1 tile block
// [1]
// $ sed 's/barrier_wait 2, 128/barrier_wait 3, 128/' groups_more.mlir >m.mlir; tessera run m.mlir -k named -t interp -g 1 arange:i32:100 ones:i32:100 i32:64
// m.mlir:15:3: error: tile block (0, 0, 0) does not go on: all of its threads wait, and nothing is left to wake them
//     entry @named(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %n: tile<i32>) threads(128) {
//     ^
// m.mlir:35:7: note: group (threads 0 to 64) waits here for named barrier 3, where 64 of 128 threads have come
//         barrier_wait 3, 128
//         ^
// [1]
// $ grep -v 'cp_async_arrive' groups_more.mlir >m.mlir; tessera run m.mlir -k arrive -t interp --sanitize=all -g 1 arange:i32:100 ones:i32:100 i32:64
// m.mlir:43:3: error: tile block (0, 0, 0) does not go on: all of its threads wait, and nothing is left to wake them
//     entry @arrive(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %n: tile<i32>) threads(128) {
//     ^
// m.mlir:57:7: note: group (threads 0 to 64) waits here for phase 0 of %m, which has 0 of 64 arrivals
//         mbarrier_wait %m, %c0 : mbarrier<1>
//         ^
// [1]
// $ sed 's/cp_async_arrive/mbarrier_arrive/' groups_more.mlir >m.mlir; tessera run m.mlir -k arrive -t interp --sanitize=all -g 1 arange:i32:100 ones:i32:100 i32:64
// m.mlir:59:12: error: [sync] load_shared reads shared memory that a cp_async is still copying to; no cp_async_wait since then covers it
//         %x = load_shared %s : shared<64xi32> -> !half
//              ^
// tessera: note: in tile block (0, 0, 0), thread 0, element [0]; so are 63 more elements
// m.mlir:54:7: note: the other access, in tile block (0, 0, 0), thread 64
//         cp_async %vi[%c0], %s by #half : !view, shared<64xi32>
//         ^
// m.mlir:54:7: error: [sync] cp_async is still copying when the kernel ends; no cp_async_wait covers it
//         cp_async %vi[%c0], %s by #half : !view, shared<64xi32>
//         ^
// tessera: note: in tile block (0, 0, 0), thread 64
// m.mlir:59:12: note: [sync] load_shared: 63 more findings, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 65 findings at 2 operations (sync 65) in 1 tile block
// [1]
// $ grep -v 'bulk_wait 0 read' groups_more.mlir >m.mlir; tessera run m.mlir -k rows -t interp --sanitize=all -g 1 arange:i32:4x64 ones:i32:4x64 i32:4
// m.mlir:86:7: error: [sync] tensor_reduce still reads shared memory when the kernel ends; no bulk_wait covers it
//         tensor_reduce max %s, %to[%c2, %c0] : shared<2x64xi32>, tensor_map<2x64xi32>
//         ^
// tessera: note: in tile block (0, 0, 0), thread 0
// tessera: note: sanitizer: 1 finding at 1 operation (sync 1) in 1 tile block
// [1]
// $ sed '/@rows/,$ s/%m, %c0 : mbarrier<1>/%m, %c1 : mbarrier<1>/' groups_more.mlir >m.mlir; tessera run m.mlir -k rows -t interp --sanitize=all -g 1 arange:i32:4x64 ones:i32:4x64 i32:4
// m.mlir:67:3: error: tile block (0, 0, 0) does not go on: all of its threads wait, and nothing is left to wake them
//     entry @rows(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %n: tile<i32>) threads(128) {
//     ^
// m.mlir:81:7: note: elect (thread 0) waits here for phase 1 of %m, which has 0 of 1 arrivals
//         mbarrier_wait %m, %c1 : mbarrier<1>
//         ^
// [1]
// $ sed 's/expect %m, 512/expect %m, 256/' groups_more.mlir >m.mlir; tessera run m.mlir -k rows -t interp --sanitize=all -g 1 arange:i32:4x64 ones:i32:4x64 i32:4
// m.mlir:67:3: error: tile block (0, 0, 0) does not go on: all of its threads wait, and nothing is left to wake them
//     entry @rows(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %n: tile<i32>) threads(128) {
//     ^
// m.mlir:81:7: note: elect (thread 0) waits here for phase 0 of %m, which has 1 of 1 arrivals and got 256 bytes more than were announced
//         mbarrier_wait %m, %c0 : mbarrier<1>
//         ^
// [1]
// $ sed 's/%vi\[%c1, %c0\], %s, %m/%vi[%n, %c0], %s, %m/' groups_more.mlir >m.mlir; tessera run m.mlir -k rows -t interp --sanitize=all -g 1 arange:i32:4x64 ones:i32:4x64 i32:8
// m.mlir:80:7: error: [bounds] bulk_load goes beyond the view; tensor_load and tensor_store leave out what is outside
//         bulk_load %vi[%n, %c0], %s, %m : !row, shared<2x64xi32>, mbarrier<1>
//         ^
// tessera: note: in tile block (0, 0, 0), thread 0, element [0, 0]; so are 127 more elements
// m.mlir:80:7: note: [bounds] bulk_load: 127 more findings, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 128 findings at 1 operation (bounds 128) in 1 tile block
// [1]
// $ sed '/wgmma_commit/d; s/^    wgmma_fence/    wgmma_commit wgmma_fence/' groups_more.mlir >m.mlir; tessera run m.mlir -k registers -t interp --sanitize=all -g 1 ones:f16:64x16 zeros:f32:64x16 i32:64
// m.mlir:107:12: error: [sync] wgmma_wait gives a product of a set that no wgmma_commit has closed
//       %sum = wgmma_wait 0, %q : async<tile<64x16xf32, wgmma.m64n16k16.C>> -> tile<64x16xf32, wgmma.m64n16k16.C>
//              ^
// tessera: note: in tile block (0, 0, 0), thread 0
// tessera: note: sanitizer: 1 finding at 1 operation (sync 1) in 1 tile block
// [1]
