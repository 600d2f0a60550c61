// RUN: %tessera run %s -t interp --sanitize=all -g 2 f32:2 arange:f32:600 ones:f32:600 i32:600 --save y=%t.npy
// RUN: %npy expect %t.npy '<f4' 600 '2 * i + 1'
//
// y = a * x + y, 4 elements to a thread; the last tile block goes beyond the end.
#l = layout<local(1).spatial(128).local(4)>
!t = tile<512xf32, #l>
!v = tensor_view<?xf32, strides=[1]>
cuda_tile.module @m {
  entry @saxpy(%a: tile<f32>, %x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>) threads(128) {
    %vx = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> !v
    %vy = make_tensor_view %y, shape = [%n], strides = [1] : tile<i32> -> !v
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %c = constant <i32: 512> : tile<i32>
    %o = muli %b, %c : tile<i32>
    %tx = load_global %vx[%o] : !v -> !t
    %ty = load_global %vy[%o] : !v -> !t
    %a1 = reshape %a : tile<f32> -> tile<1xf32, replicated(1, num_workers=128)>
    %ab = broadcast %a1 : tile<1xf32, replicated(1, num_workers=128)> -> !t
    %r = fma %tx, %ab, %ty : !t
    store_global %r, %vy[%o] : !t, !v
  }
}
