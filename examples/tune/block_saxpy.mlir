// y = a * x + y at the block level, with what is free to choose as parameters: how many threads a
// block has, THREADS, and how many neighbouring elements each of them holds, EACH. A text that
// `tessera tune run` makes programs of; launch cdiv(n, THREADS * EACH) tile blocks.
#mine = layout<spatial(${THREADS}).local(${EACH})>
#all = layout<replicated(1, num_workers=${THREADS})>
!tile = tile<${THREADS * EACH}xf32, #mine>
!view = tensor_view<?xf32, strides=[1]>

cuda_tile.module @block_saxpy {
  entry @block_saxpy(%a: tile<f32>, %x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>) threads(${THREADS}) {
    %vx = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> !view
    %vy = make_tensor_view %y, shape = [%n], strides = [1] : tile<i32> -> !view
    %block, %by, %bz = get_tile_block_id : tile<i32>
    %size = constant <i32: ${THREADS * EACH}> : tile<i32>
    %start = muli %block, %size : tile<i32>
    %tx = load_global %vx[%start] : !view -> !tile
    %ty = load_global %vy[%start] : !view -> !tile
    %a1 = reshape %a : tile<f32> -> tile<1xf32, #all>
    %as = broadcast %a1 : tile<1xf32, #all> -> !tile
    %sum = fma %tx, %as, %ty : !tile
    store_global %sum, %vy[%start] : !tile, !view
    return
  }
}
