// y = a * x + y at the block level: 128 threads, each with four neighbouring elements of the tile.
// Launch ceil(n / 512) tile blocks.

// Which thread holds which element: spatial dimensions go over threads, local ones over registers.
#four = layout<spatial(128).local(4)>
!tile = tile<512xf32, #four>
!view = tensor_view<?xf32, strides=[1]>

cuda_tile.module @block_saxpy {
  entry @saxpy(%a: tile<f32>, %x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>) threads(128) {
    %vx = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> !view
    %vy = make_tensor_view %y, shape = [%n], strides = [1] : tile<i32> -> !view
    %block, %by, %bz = get_tile_block_id : tile<i32>
    %size = constant <i32: 512> : tile<i32>
    %start = muli %block, %size : tile<i32>

    // Offsets count elements. What is outside of the view loads as zero and is not stored.
    %tx = load_global %vx[%start] : !view -> !tile
    %ty = load_global %vy[%start] : !view -> !tile

    // All threads have the scalar, so a tile of one element is a copy in each.
    %a1 = reshape %a : tile<f32> -> tile<1xf32, replicated(1, num_workers=128)>
    %as = broadcast %a1 : tile<1xf32, replicated(1, num_workers=128)> -> !tile
    %sum = fma %tx, %as, %ty : !tile
    store_global %sum, %vy[%start] : !tile, !view
    return
  }
}
