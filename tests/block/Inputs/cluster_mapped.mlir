// A loop hands on the mbarrier of another tile block, which is that of one that it hands on.
cuda_tile.module @m {
  entry @k(%n: tile<i32>) threads(32) cluster(2) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %a = alloc_mbarrier : mbarrier<1>
    %b = alloc_mbarrier : mbarrier<1>
    %begin = map_remote %b, %c1 : mbarrier<1> -> remote<mbarrier<1>>
    %p, %q, %r = for %i in (%c0 to %n, step %c1) : tile<i32> iter_values(%k = %a, %l = %b, %before = %begin) -> (mbarrier<1>, mbarrier<1>, remote<mbarrier<1>>) {
      mbarrier_arrive %before each group : remote<mbarrier<1>>
      %there = map_remote %k, %c1 : mbarrier<1> -> remote<mbarrier<1>>
      continue %l, %k, %there : mbarrier<1>, mbarrier<1>, remote<mbarrier<1>>
    }
    return
  }
}
