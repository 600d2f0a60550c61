// The transpose of an m x n matrix at the block level: a tile goes through shared memory, so that
// threads read and write neighbouring addresses on both sides. Launch ceil(m / 32) x ceil(n / 32)
// tile blocks.

// Warps take rows, lanes neighbouring columns; eight rows to a thread.
#rows = layout<local(8, 1).spatial(4, 32)>
// The same threads on the columns of the tile.
#columns = layout<local(1, 8).spatial(32, 4)>
!tile = tile<32x32xf32, #rows>
!view = tensor_view<?x?xf32, strides=[?,1]>
// Rows of 33 elements: the elements of a column lie in banks of their own.
!padded = shared<32x32xf32, (32,32):(33,1)>

cuda_tile.module @block_transpose {
  entry @transpose(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %m: tile<i32>, %n: tile<i32>) threads(128) {
    %vx = make_tensor_view %x, shape = [%m, %n], strides = [%n, 1] : tile<i32> -> !view
    %vy = make_tensor_view %y, shape = [%n, %m], strides = [%m, 1] : tile<i32> -> !view
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %size = constant <i32: 32> : tile<i32>
    %i = muli %bx, %size : tile<i32>
    %j = muli %by, %size : tile<i32>

    %shared = alloc_shared : !padded
    %read = load_global %vx[%i, %j] : !view -> !tile
    store_shared %read, %shared : !tile, !padded
    barrier // each thread reads what others have written
    %column = load_shared %shared : !padded -> tile<32x32xf32, #columns>

    // The transposed tile has the transposed layout, which is that of the store: nothing moves.
    %turned = permute %column [1, 0] : tile<32x32xf32, #columns> -> tile<32x32xf32, local(8, 1).spatial(1, 32).spatial(4, 1)>
    %written = convert_layout %turned : tile<32x32xf32, local(8, 1).spatial(1, 32).spatial(4, 1)> -> !tile
    store_global %written, %vy[%j, %i] : !tile, !view
    return
  }
}
