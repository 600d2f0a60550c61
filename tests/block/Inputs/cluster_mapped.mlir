// What a loop hands on is mapped to another tile block.
!s = shared<32xi32>
!two = shared<2x32xi32>
!w = tile<32xi32, spatial(32)>
cuda_tile.module @m {
  entry @k(%n: tile<i32>) threads(32) cluster(2) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %s = alloc_shared : !two
    %a = subview %s[%c0] : !two -> !s
    %b = subview %s[%c1] : !two -> !s
    %p, %q = for %i in (%c0 to %n, step %c1) : tile<i32> iter_values(%k = %a, %l = %b) -> (!s, !s) {
      continue %l, %k : !s, !s
    }
    cluster_barrier
    %there = map_remote %p, %c1 : !s -> remote<!s>
    %x = load_shared %there : remote<!s> -> !w
    cluster_barrier
    return
  }
}
