// RUN: %tessera run %s -t interp --sanitize=all -g 2,2 arange:f32:40x50 zeros:f32:50x40 i32:40 i32:50 --save y=%t.npy
// RUN: %npy expect %t.npy '<f4' 50x40 'i % 40 * 50 + i // 40'
// RUN: %mutants %s -g 2,2 arange:f32:40x50 zeros:f32:50x40 i32:40 i32:50 --save y
//
// A transposition through shared memory, whose rows are one element longer than the tile's.
#in = layout<local(8, 1).spatial(4, 32)>
!v = tensor_view<?x?xf32, strides=[?,1]>
!s = shared<32x32xf32, (32,32):(33,1)>
!st = shared<32x32xf32, (32,32):(1,33)>
!t = tile<32x32xf32, #in>
cuda_tile.module @m {
  entry @transpose(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %m: tile<i32>, %n: tile<i32>) threads(128) {
    %vx = make_tensor_view %x, shape = [%m, %n], strides = [%n, 1] : tile<i32> -> !v
    %vy = make_tensor_view %y, shape = [%n, %m], strides = [%m, 1] : tile<i32> -> !v
    %i, %j, %k = get_tile_block_id : tile<i32>
    %c = constant <i32: 32> : tile<i32>
    %r = muli %i, %c : tile<i32>
    %q = muli %j, %c : tile<i32>
    %s = alloc_shared : !s
    %t = load_global %vx[%r, %q] : !v -> !t
    store_shared %t, %s : !t, !s
    barrier
    %w = load_shared %s : !s -> tile<32x32xf32, local(1,8).spatial(32,4)>
    %p = permute %w [1, 0] : tile<32x32xf32, local(1,8).spatial(32,4)> -> tile<32x32xf32, local(8,1).spatial(1,32).spatial(4,1)>
    %z = convert_layout %p : tile<32x32xf32, local(8,1).spatial(1,32).spatial(4,1)> -> !t
    store_global %z, %vy[%q, %r] : !t, !v
  }
}
