// RUN: %transcript %s
// RUN: %mutants %s -g 1 arange:i32:56x16 zeros:i32:56x16 i32:56 --save out
//
// A pipeline of two roles, and what each single mistake in it gives.
#p = layout<local(2, 1).spatial(4, 8).local(1, 2)>
#c = layout<spatial(8, 8).local(1, 2)>
!view = tensor_view<?x16xi32, strides=[16,1]>
!slots = shared<2x8x16xi32>
!slot = shared<8x16xi32>
!p = tile<8x16xi32, #p>
!c = tile<8x16xi32, #c>
cuda_tile.module @pipe {
  // A warp loads slices of 8 rows into two slots in turn, 64 threads sum them.
  entry @sums(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %rows: tile<i32>) threads(96) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c8 = constant <i32: 8> : tile<i32>
    %vi = make_tensor_view %in, shape = [%rows, 16], strides = [16, 1] : tile<i32> -> !view
    %vo = make_tensor_view %out, shape = [%rows, 16], strides = [16, 1] : tile<i32> -> !view
    %n = divi %rows, %c8 unsigned : tile<i32>
    %s = alloc_shared : !slots
    %full = alloc_mbarrier : mbarrier<2>
    %empty = alloc_mbarrier : mbarrier<2>
    elect {
      mbarrier_init %full, 1 : mbarrier<2>
      mbarrier_init %empty, 2 : mbarrier<2>
    }
    barrier
    roles {
      role @load threads(64 to 96) {
        for %i in (%c0 to %n, step %c1) : tile<i32> {
          %now = andi %i, %c1 : tile<i32>
          %round = shri %i, %c1 unsigned : tile<i32>
          %parity = andi %round, %c1 : tile<i32>
          %other = xori %parity, %c1 : tile<i32>
          mbarrier_wait %empty[%now], %other : mbarrier<2> // harmless shifted by one: a later step is waited for
          %row = muli %i, %c8 : tile<i32>
          %x = load_global %vi[%row, %c0] : !view -> !p
          %to = subview %s[%now] : !slots -> !slot
          store_shared %x, %to : !p, !slot
          mbarrier_arrive %full[%now] each warp : mbarrier<2>
        }
      }
      role @add threads(0 to 64) {
        %zero = constant <i32: 0> : !c
        %sum = for %i in (%c0 to %n, step %c1) : tile<i32> iter_values(%acc = %zero) -> (!c) {
          %now = andi %i, %c1 : tile<i32>
          %round = shri %i, %c1 unsigned : tile<i32>
          %parity = andi %round, %c1 : tile<i32>
          mbarrier_wait %full[%now], %parity : mbarrier<2>
          %from = subview %s[%now] : !slots -> !slot
          %x = load_shared %from : !slot -> !c
          %y = addi %acc, %x : !c
          mbarrier_arrive %empty[%now] each warp : mbarrier<2> // harmless shifted by one: the last step of each round tells it
          continue %y : !c
        }
        store_global %sum, %vo[%c0, %c0] : !c, !view
      }
    }
    return
  }
}
// $ cat >run <<'END'
// > tessera run $1 -t interp --sanitize=all -g 1 arange:i32:56x16 zeros:i32:56x16 i32:56 --save out=out.npy
// > END
// $ sh run groups.mlir && npy expect out.npy '<i4' 56x16 '7 * i + 2688 if i < 128 else 0'
// tessera: remark: sanitizer: nothing found (bounds, assume, init, race, arith, sync) in 1 tile block
// $ tessera fmt groups.mlir >once.mlir; tessera fmt once.mlir >twice.mlir; cmp once.mlir twice.mlir; sh run once.mlir
// tessera: remark: sanitizer: nothing found (bounds, assume, init, race, arith, sync) in 1 tile block
// $ grep -v 'mbarrier_wait %full' groups.mlir >mistake.mlir; sh run mistake.mlir
// mistake.mlir:51:16: error: [race] load_shared reads shared memory that thread 64 wrote with store_shared, and no barrier stands between
//             %x = load_shared %from : !slot -> !c
//                  ^
// tessera: note: in tile block (0, 0, 0), thread 0 (role @add), element [0, 0]; so are 127 more elements
// mistake.mlir:40:11: note: the other access, in tile block (0, 0, 0), thread 64 (role @load)
//             store_shared %x, %to : !p, !slot
//             ^
// mistake.mlir:14:3: error: tile block (0, 0, 0) does not go on: all of its threads wait, and nothing is left to wake them
//     entry @sums(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %rows: tile<i32>) threads(96) {
//     ^
// mistake.mlir:36:11: note: role @load (threads 64 to 96) waits here for phase 4 of %empty[0], which has 0 of 2 arrivals
//             mbarrier_wait %empty[%now], %other : mbarrier<2> // harmless shifted by one: a later step is waited for
//             ^
// mistake.mlir:51:16: note: [race] load_shared: 895 more findings, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 896 findings at 1 operation (race 896) in 1 tile block
// [1]
// $ grep -v 'mbarrier_wait %empty' groups.mlir >mistake.mlir; sh run mistake.mlir
// mistake.mlir:14:3: error: tile block (0, 0, 0) does not go on: all of its threads wait, and nothing is left to wake them
//     entry @sums(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %rows: tile<i32>) threads(96) {
//     ^
// mistake.mlir:49:11: note: role @add (threads 0 to 64) waits here for phase 4 of %full[0], which has 0 of 1 arrivals
//             mbarrier_wait %full[%now], %parity : mbarrier<2>
//             ^
// [1]
// $ grep -v 'mbarrier_arrive %full' groups.mlir >mistake.mlir; sh run mistake.mlir
// mistake.mlir:14:3: error: tile block (0, 0, 0) does not go on: all of its threads wait, and nothing is left to wake them
//     entry @sums(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %rows: tile<i32>) threads(96) {
//     ^
// mistake.mlir:36:11: note: role @load (threads 64 to 96) waits here for phase 0 of %empty[0], which has 0 of 2 arrivals
//             mbarrier_wait %empty[%now], %other : mbarrier<2> // harmless shifted by one: a later step is waited for
//             ^
// mistake.mlir:49:11: note: role @add (threads 0 to 64) waits here for phase 0 of %full[0], which has 0 of 1 arrivals
//             mbarrier_wait %full[%now], %parity : mbarrier<2>
//             ^
// [1]
// $ grep -v 'mbarrier_arrive %full' groups.mlir >mistake.mlir; tessera run mistake.mlir -t interp -g 1 arange:i32:56x16 zeros:i32:56x16 i32:56
// mistake.mlir:14:3: error: tile block (0, 0, 0) does not go on: all of its threads wait, and nothing is left to wake them
//     entry @sums(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %rows: tile<i32>) threads(96) {
//     ^
// mistake.mlir:36:11: note: role @load (threads 64 to 96) waits here for phase 0 of %empty[0], which has 0 of 2 arrivals
//             mbarrier_wait %empty[%now], %other : mbarrier<2> // harmless shifted by one: a later step is waited for
//             ^
// mistake.mlir:49:11: note: role @add (threads 0 to 64) waits here for phase 0 of %full[0], which has 0 of 1 arrivals
//             mbarrier_wait %full[%now], %parity : mbarrier<2>
//             ^
// [1]
// $ sed 's/%full\[%now\] each warp/%full[%now] each thread/' groups.mlir >mistake.mlir; sh run mistake.mlir
// mistake.mlir:41:11: error: [sync] 32 arrivals at %full[0], whose phase 0 takes 1 more; mbarrier_init says 1
//             mbarrier_arrive %full[%now] each thread : mbarrier<2>
//             ^
// tessera: note: in tile block (0, 0, 0), thread 64 (role @load)
// mistake.mlir:41:11: note: [sync] mbarrier_arrive: 6 more findings, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 7 findings at 1 operation (sync 7) in 1 tile block
// [1]
// $ grep -v '^    barrier' groups.mlir >mistake.mlir; sh run mistake.mlir
// mistake.mlir:35:11: error: [race] mbarrier_wait uses %empty[0], which thread 0 initialised with mbarrier_init, and no barrier stands between
//             mbarrier_wait %empty[%now], %other : mbarrier<2> // harmless shifted by one: a later step is waited for
//             ^
// tessera: note: in tile block (0, 0, 0), thread 64 (role @load)
// mistake.mlir:26:7: note: the other access, in tile block (0, 0, 0), thread 0
//         mbarrier_init %empty, 2 : mbarrier<2>
//         ^
// mistake.mlir:40:11: error: [race] mbarrier_arrive uses %full[0], which thread 0 initialised with mbarrier_init, and no barrier stands between
//             mbarrier_arrive %full[%now] each warp : mbarrier<2>
//             ^
// tessera: note: in tile block (0, 0, 0), thread 64 (role @load)
// mistake.mlir:25:7: note: the other access, in tile block (0, 0, 0), thread 0
//         mbarrier_init %full, 1 : mbarrier<2>
//         ^
// mistake.mlir:49:11: error: [race] mbarrier_wait uses %full[0], which thread 0 initialised with mbarrier_init, and no barrier stands between
//             mbarrier_wait %full[%now], %parity : mbarrier<2>
//             ^
// tessera: note: in tile block (0, 0, 0), thread 1 (role @add)
// mistake.mlir:25:7: note: the other access, in tile block (0, 0, 0), thread 0
//         mbarrier_init %full, 1 : mbarrier<2>
//         ^
// mistake.mlir:53:11: error: [race] mbarrier_arrive uses %empty[0], which thread 0 initialised with mbarrier_init, and no barrier stands between
//             mbarrier_arrive %empty[%now] each warp : mbarrier<2> // harmless shifted by one: the last step of each round tells it
//             ^
// tessera: note: in tile block (0, 0, 0), thread 1 (role @add)
// mistake.mlir:26:7: note: the other access, in tile block (0, 0, 0), thread 0
//         mbarrier_init %empty, 2 : mbarrier<2>
//         ^
// mistake.mlir:35:11: note: [race] mbarrier_wait: 3 more findings, the last in tile block (0, 0, 0)
// mistake.mlir:40:11: note: [race] mbarrier_arrive: 1 more finding, the last in tile block (0, 0, 0)
// mistake.mlir:49:11: note: [race] mbarrier_wait: 3 more findings, the last in tile block (0, 0, 0)
// mistake.mlir:53:11: note: [race] mbarrier_arrive: 1 more finding, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 12 findings at 4 operations (race 12) in 1 tile block
// [1]
// $ grep -v 'mbarrier_init %full' groups.mlir >mistake.mlir; sh run mistake.mlir
// mistake.mlir:40:11: error: [init] mbarrier_arrive uses %full[0] before mbarrier_init
//             mbarrier_arrive %full[%now] each warp : mbarrier<2>
//             ^
// tessera: note: in tile block (0, 0, 0), thread 64 (role @load)
// mistake.mlir:49:11: error: [init] mbarrier_wait uses %full[0] before mbarrier_init
//             mbarrier_wait %full[%now], %parity : mbarrier<2>
//             ^
// tessera: note: in tile block (0, 0, 0), thread 0 (role @add)
// mistake.mlir:14:3: error: tile block (0, 0, 0) does not go on: all of its threads wait, and nothing is left to wake them
//     entry @sums(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %rows: tile<i32>) threads(96) {
//     ^
// mistake.mlir:35:11: note: role @load (threads 64 to 96) waits here for phase 0 of %empty[0], which has 0 of 2 arrivals
//             mbarrier_wait %empty[%now], %other : mbarrier<2> // harmless shifted by one: a later step is waited for
//             ^
// mistake.mlir:49:11: note: role @add (threads 0 to 64) waits here: %full[0] was never initialised
//             mbarrier_wait %full[%now], %parity : mbarrier<2>
//             ^
// mistake.mlir:40:11: note: [init] mbarrier_arrive: 1 more finding, the last in tile block (0, 0, 0)
// mistake.mlir:49:11: note: [init] mbarrier_wait: 1 more finding, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 4 findings at 2 operations (init 4) in 1 tile block
// [1]
// $ sed 's/mbarrier_wait %full\[%now\]/mbarrier_wait %full[%i]/' groups.mlir >mistake.mlir; sh run mistake.mlir
// mistake.mlir:50:11: error: [bounds] mbarrier_wait: index 2 is none of the 2 barriers
//             mbarrier_wait %full[%i], %parity : mbarrier<2>
//             ^
// tessera: note: in tile block (0, 0, 0), thread 0 (role @add)
// mistake.mlir:50:11: note: [bounds] mbarrier_wait: 7 more findings, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 8 findings at 1 operation (bounds 8) in 1 tile block
// [1]
// $ sed 's/mbarrier_arrive %empty.*/mbarrier_arrive %empty[%now] : mbarrier<2>/; s/mbarrier_init %empty, 2/mbarrier_init %empty, 64/' groups.mlir >each.mlir; sh run each.mlir
// tessera: remark: sanitizer: nothing found (bounds, assume, init, race, arith, sync) in 1 tile block
