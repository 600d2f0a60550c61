// REQUIRES: llvm
// Memory beside the arguments: a tile block's own (alloca), and one that the launch's tile blocks
// share (global), which is accessed through tensor views as other global memory is.
// RUN: mkdir -p %t && cd %t
// RUN: %tessera run %s -k own -t interp --sanitize=all -g 1 arange:f32:64 zeros:f32:64 2>&1 | FileCheck %s --check-prefix=CLEAN
// RUN: %tessera run %s -k common -t interp --sanitize=all -g 2 arange:f32:2x64 zeros:f32:2x64 2>&1 | FileCheck %s --check-prefix=CLEAN
// CLEAN: sanitizer: nothing found
// RUN: %engines %t.own %s -k own --grid 1 arange:f32:64 zeros:f32:64 --save out
// RUN: %engines %t.common %s -k common --grid 2 arange:f32:2x64 zeros:f32:2x64 --save out
//
// Threads read what others wrote behind a barrier only.
// RUN: %mutants %s -k own -g 1 arange:f32:64 zeros:f32:64 --save out
// RUN: %mutants %s -k common -g 2 arange:f32:2x64 zeros:f32:2x64 --save out
#plain = layout<spatial(64)>
#turned = layout<RegisterLayout(shape=[64], mode_shape=[2, 32], spatial_modes=[1, 0], local_modes=[])>
!t = tile<64xf32, #plain>
!u = tile<64xf32, #turned>
!v = tensor_view<64xf32, strides=[1]>
!rows = tensor_view<2x64xf32, strides=[64,1]>
cuda_tile.module @workspace {
  global @rows <f32: 0.0> : tile<128xf32>
  entry @own(%in: tile<ptr<f32>>, %out: tile<ptr<f32>>) threads(64) {
    %c0 = constant <i32: 0> : tile<i32>
    %w = alloca num_elem = 64, alignment = 16 : tile<ptr<f32>>
    %work = make_tensor_view %w, shape = [64], strides = [1] : !v
    %from = make_tensor_view %in, shape = [64], strides = [1] : !v
    %to = make_tensor_view %out, shape = [64], strides = [1] : !v
    %x = load_global %from[%c0] : !v -> !t
    store_global %x, %work[%c0] : !t, !v
    barrier
    %y = load_global %work[%c0] : !v -> !u
    %z = mulf %y, %y : !u
    store_global %z, %to[%c0] : !u, !v
    return
  }
  entry @common(%in: tile<ptr<f32>>, %out: tile<ptr<f32>>) threads(64) {
    %c0 = constant <i32: 0> : tile<i32>
    %i, %j, %k = get_tile_block_id : tile<i32>
    %w = get_global @rows : tile<ptr<f32>>
    %work = make_tensor_view %w, shape = [2, 64], strides = [64, 1] : !rows
    %from = make_tensor_view %in, shape = [2, 64], strides = [64, 1] : !rows
    %to = make_tensor_view %out, shape = [2, 64], strides = [64, 1] : !rows
    %x = load_global %from[%i, %c0] : !rows -> tile<1x64xf32, local(1, 1).spatial(1, 64)>
    store_global %x, %work[%i, %c0] : tile<1x64xf32, local(1, 1).spatial(1, 64)>, !rows
    barrier
    %y = load_global %work[%i, %c0] : !rows -> tile<1x64xf32, spatial(1, 32).local(1, 2).replicated(1, 1, num_workers=2)>
    store_global %y, %to[%i, %c0] : tile<1x64xf32, spatial(1, 32).local(1, 2).replicated(1, 1, num_workers=2)>, !rows
    return
  }
}
