// RUN: %transcript %s
//
// One thread waits for copies, and a barrier shows them to the others, whose warps read them for a
// product that they have together. Without it, or without the one behind the product, the warps of the
// group do not wait for each other.
!sw = shared<64x64xf16, Sw<3,3,3> o (64,64):(64,1)>
!map = tensor_map<64x64xf16, Sw<3,3,3> o (64,64):(64,1)>
!c = tile<64x64xf32, wgmma.m64n64k16.C>
!h = tensor_view<?x64xf16, strides=[64,1]>
!f = tensor_view<64x64xf32, strides=[64,1]>
cuda_tile.module @elected {
  entry @elected(%in: tile<ptr<f16>>, %out: tile<ptr<f32>>, %rows: tile<i32>) threads(128) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c64 = constant <i32: 64> : tile<i32>
    %vi = make_tensor_view %in, shape = [%rows, 64], strides = [64, 1] : tile<i32> -> !h
    %vo = make_tensor_view %out, shape = [64, 64], strides = [64, 1] : !f
    %map = make_tensor_map %vi : !h -> !map
    %s = alloc_shared : !sw
    %full = alloc_mbarrier : mbarrier<1>
    elect {
      mbarrier_init %full, 1 : mbarrier<1>
    }
    fence_async // unseen on a GPU without it: the emulator has no check of it
    barrier // in front // harmless: who initialises it is the only one that uses it
    %zero = constant <f32: 0.0> : !c
    %n = divi %rows, %c64 unsigned : tile<i32>
    %sum = for %i in (%c0 to %n, step %c1) : tile<i32> iter_values(%acc = %zero) -> (!c) {
      elect {
        %row = muli %i, %c64 : tile<i32>
        mbarrier_arrive_expect %full[%c0], 8192 : mbarrier<1>
        tensor_load %map[%row, %c0], %s, %full[%c0] : !map, !sw, mbarrier<1>
        %phase = andi %i, %c1 : tile<i32>
        mbarrier_wait %full[%c0], %phase : mbarrier<1>
      }
      barrier // shows
      wgmma_fence
      %p = wgmma %s, %s, %acc : !sw, !sw, !c -> async<!c>
      wgmma_commit
      %q = wgmma_wait 0, %p : async<!c> -> !c
      barrier // hands back
      continue %q : !c
    }
    store_global %sum, %vo[%c0, %c0] : !c, !f
    return
  }
}
// $ cat >run <<'END'
// > tessera run $1 -t interp --sanitize=all -g 1 ones:f16:128x64 zeros:f32:64x64 i32:128 --save out=out.npy
// > END
// $ sh run elected.mlir && npy expect out.npy '<f4' 64x64 '128.0'
// tessera: remark: sanitizer: nothing found (bounds, assume, init, race, arith, sync) in 1 tile block
// $ grep -v 'barrier // shows' elected.mlir >mistake.mlir; sh run mistake.mlir
// mistake.mlir:37:12: error: [sync] wgmma reads shared memory that a tensor_load is still writing; no mbarrier_wait for its phase stands between
//         %p = wgmma %s, %s, %acc : !sw, !sw, !c -> async<!c>
//              ^
// tessera: note: in tile block (0, 0, 0), thread 32, element [0, 0]; so are 4095 more elements
// mistake.mlir:32:9: note: the other access, in tile block (0, 0, 0), thread 0
//           tensor_load %map[%row, %c0], %s, %full[%c0] : !map, !sw, mbarrier<1>
//           ^
// mistake.mlir:37:12: note: [sync] wgmma: 16383 more findings, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 16384 findings at 1 operation (sync 16384) in 1 tile block
// [1]
// $ grep -v 'barrier // hands' elected.mlir >mistake.mlir; sh run mistake.mlir
// mistake.mlir:32:9: error: [race] tensor_load writes shared memory that other threads may still be reading with wgmma, as no barrier stands between
//           tensor_load %map[%row, %c0], %s, %full[%c0] : !map, !sw, mbarrier<1>
//           ^
// tessera: note: in tile block (0, 0, 0), thread 0, element [0, 0]; so are 4095 more elements
// mistake.mlir:38:12: note: the other access, in tile block (0, 0, 0)
//         %p = wgmma %s, %s, %acc : !sw, !sw, !c -> async<!c>
//              ^
// mistake.mlir:32:9: note: [race] tensor_load: 4095 more findings, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 4096 findings at 1 operation (race 4096) in 1 tile block
// [1]
