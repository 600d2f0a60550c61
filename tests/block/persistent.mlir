// REQUIRES: llvm
// RUN: %engines %t %s --no-cards --grid 1 arange:i32:56x16 zeros:i32:40x16 i32:56 i32:5 --save out
// RUN: %tessera run %s -t emu:sm_80 --sanitize=all -g 1 arange:i32:56x16 zeros:i32:40x16 i32:56 i32:5 --save out=%t.npy
// RUN: %npy compare %t/out.npy %t.npy
// RUN: %tessera build %s --emit tile | not grep -E "alloca|loop|assert"
// RUN: %transcript %s
// RUN: %mutants %s -g 1 arange:i32:56x16 zeros:i32:40x16 i32:56 i32:5 --save out
//
// A producer and its consumers with two loops each, which hand on slots and parities. On CPUs they
// are two loops, without shared memory and barriers.
#p = layout<local(2, 1).spatial(4, 8).local(1, 2)>
#c = layout<spatial(8, 8).local(1, 2)>
!view = tensor_view<?x16xi32, strides=[16,1]>
!slots = shared<3x8x16xi32>
!slot = shared<8x16xi32>
!p = tile<8x16xi32, #p>
!c = tile<8x16xi32, #c>
cuda_tile.module @pipe {
  // Tiles in turn, the slots and parities of one go on with those of the one before.
  entry @persistent(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %rows: tile<i32>, %tiles: tile<i32>) threads(96) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c3 = constant <i32: 3> : tile<i32>
    %c8 = constant <i32: 8> : tile<i32>
    %vi = make_tensor_view %in, shape = [%rows, 16], strides = [16, 1] : tile<i32> -> !view
    %n = divi %rows, %c8 unsigned : tile<i32>
    %all = muli %tiles, %c8 : tile<i32>
    %vo = make_tensor_view %out, shape = [%all, 16], strides = [16, 1] : tile<i32> -> !view
    %s = alloc_shared : !slots
    %full = alloc_mbarrier : mbarrier<3>
    %empty = alloc_mbarrier : mbarrier<3>
    elect {
      mbarrier_init %full, 1 : mbarrier<3>
      mbarrier_init %empty, 2 : mbarrier<3>
    }
    barrier
    roles {
      role @add threads(0 to 64) {
        %last:2 = for %t in (%c0 to %tiles, step %c1) : tile<i32> iter_values(%slot0 = %c0, %parity0 = %c0) -> (tile<i32>, tile<i32>) {
          %zero = constant <i32: 0> : !c
          %r:3 = for %i in (%c0 to %n, step %c1) : tile<i32> iter_values(%acc = %zero, %now = %slot0, %parity = %parity0) -> (!c, tile<i32>, tile<i32>) {
            mbarrier_wait %full[%now], %parity : mbarrier<3>
            %from = subview %s[%now] : !slots -> !slot
            %x = load_shared %from : !slot -> !c
            %y = addi %acc, %x : !c
            mbarrier_arrive %empty[%now] each warp : mbarrier<3> // harmless shifted by one: the last step of each round tells it
            %more = addi %now, %c1 : tile<i32>
            %next = remi %more, %c3 signed : tile<i32>
            %wraps = cmpi equal %next, %c0, signed : tile<i32> -> tile<i1>
            %bit = exti %wraps unsigned : tile<i1> -> tile<i32>
            %turned = xori %parity, %bit : tile<i32>
            continue %y, %next, %turned : !c, tile<i32>, tile<i32>
          }
          %row = muli %t, %c8 : tile<i32>
          store_global %r#0, %vo[%row, %c0] : !c, !view
          continue %r#1, %r#2 : tile<i32>, tile<i32>
        }
      }
      role @load threads(64 to 96) {
        %last:2 = for %t in (%c0 to %tiles, step %c1) : tile<i32> iter_values(%slot0 = %c0, %par0 = %c1) -> (tile<i32>, tile<i32>) {
          %r:2 = for %i in (%c0 to %n, step %c1) : tile<i32> iter_values(%now = %slot0, %parity = %par0) -> (tile<i32>, tile<i32>) {
            mbarrier_wait %empty[%now], %parity : mbarrier<3> // harmless shifted by one: a later step is waited for
            %far = muli %i, %c8 : tile<i32>
            %x = load_global %vi[%far, %c0] : !view -> !p
            %to = subview %s[%now] : !slots -> !slot
            store_shared %x, %to : !p, !slot
            mbarrier_arrive %full[%now] each warp : mbarrier<3>
            %more = addi %now, %c1 : tile<i32>
            %next = remi %more, %c3 signed : tile<i32>
            %wraps = cmpi equal %next, %c0, signed : tile<i32> -> tile<i1>
            %bit = exti %wraps unsigned : tile<i1> -> tile<i32>
            %turned = xori %parity, %bit : tile<i32>
            continue %next, %turned : tile<i32>, tile<i32>
          }
          continue %r#0, %r#1 : tile<i32>, tile<i32>
        }
      }
    }
    return
  }
}
// Waits for phases that never come are found there, too.
// $ cat >run <<'END'
// > sed "$1" persistent.mlir >m.mlir
// > tessera run m.mlir -t cpu -g 1 arange:i32:56x16 zeros:i32:40x16 i32:56 i32:5
// > END
// $ sh run 's/%par0 = %c1/%par0 = %c0/'
// m.mlir:42:13: error: assertion failed in tile block (0, 0, 0) of 'persistent': the tile block does not go on: role @add waits here for a phase, and nothing is left to wake it
//               mbarrier_wait %full[%now], %parity : mbarrier<3>
//               ^
// tessera: note: 1 more assertion failed before the launch stopped
// [1]
// $ sh run 's/%parity0 = %c0/%parity0 = %c1/'
// m.mlir:42:13: error: assertion failed in tile block (0, 0, 0) of 'persistent': the tile block does not go on: role @add waits here for a phase, and nothing is left to wake it
//               mbarrier_wait %full[%now], %parity : mbarrier<3>
//               ^
// tessera: note: 1 more assertion failed before the launch stopped
// [1]
// $ sh run 's/%full, 1 :/%full, 2 :/'
// m.mlir:42:13: error: assertion failed in tile block (0, 0, 0) of 'persistent': the tile block does not go on: role @add waits here for a phase, and nothing is left to wake it
//               mbarrier_wait %full[%now], %parity : mbarrier<3>
//               ^
// tessera: note: 1 more assertion failed before the launch stopped
// [1]
// $ sh run '/mbarrier_arrive %empty/d'
// m.mlir:42:13: error: assertion failed in tile block (0, 0, 0) of 'persistent': the tile block does not go on: role @add waits here for a phase, and nothing is left to wake it
//               mbarrier_wait %full[%now], %parity : mbarrier<3>
//               ^
// tessera: note: 1 more assertion failed before the launch stopped
// [1]
