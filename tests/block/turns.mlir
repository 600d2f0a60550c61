// REQUIRES: llvm
// RUN: %engines %t.states --no-cards %s -k states --grid 1 arange:i32:64 zeros:i32:64 i32:7 --save out
// RUN: %engines %t.spin --no-cards %s -k spin --grid 2 zeros:i32:2 zeros:i32:64 --save out
// RUN: %engines %t.nested --no-cards %s -k nested --grid 1 arange:i32:64 zeros:i32:64 i32:5 --save out
// RUN: %engines %t.pace --no-cards %s -k pace --grid 1 arange:i32:64 zeros:i32:64 i32:5 --save out
// RUN: %engines %t.again --no-cards %s -k again --grid 1 arange:i32:64 zeros:i32:64 --save out
// RUN: %mutants %s -k states -g 1 arange:i32:64 zeros:i32:64 i32:7 --save out
// RUN: %mutants %s -k nested -g 1 arange:i32:64 zeros:i32:64 i32:5 --save out
// RUN: %mutants %s -k pace -g 1 arange:i32:64 zeros:i32:64 i32:5 --save out
// RUN: %mutants --emu=sm_90a %s -k pace -g 1 arange:i32:64 zeros:i32:64 i32:5 --save out
// RUN: %mutants %s -k again -g 1 arange:i32:64 zeros:i32:64 --save out
// RUN: %transcript %s
//
// Groups that wait for each other in one thread: values of all kinds live over waits, and waits
// stand in loops and branches.
#h = layout<spatial(64)>
#w = layout<spatial(32)>
!h = tile<64xi32, #h>
!p = tile<64xptr<i32>, #h>
!w = tile<32xi32, #w>
!view = tensor_view<64xi32, strides=[1]>
!s = shared<64xi32>
cuda_tile.module @turns {
  // Every other step one role asks the other to double a tile.
  entry @states(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %n: tile<i32>) threads(160) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %vo = make_tensor_view %out, shape = [64], strides = [1] : !view
    %s = alloc_shared : !s
    %ask = alloc_mbarrier : mbarrier<1>
    %answer = alloc_mbarrier : mbarrier<1>
    elect {
      mbarrier_init %ask, 1 : mbarrier<1>
      mbarrier_init %answer, 1 : mbarrier<1>
    }
    barrier
    roles {
      role @asks threads(0 to 64) {
        %lane = iota : !h
        %one = reshape %in : tile<ptr<i32>> -> tile<1xptr<i32>, replicated(1, num_workers=64)>
        %all = broadcast %one : tile<1xptr<i32>, replicated(1, num_workers=64)> -> !p
        %p = offset %all, %lane : !p, !h -> !p
        %ten = constant <i32: 10> : !h
        %zero = constant <i32: 0> : !h
        %steps, %sum = loop iter_values(%i = %c0, %acc = %zero) : tile<i32>, !h -> tile<i32>, !h {
          %end = cmpi greater_than_or_equal %i, %n, signed : tile<i32> -> tile<i1>
          if %end {
            break %i, %acc : tile<i32>, !h
          }
          %next = addi %i, %c1 : tile<i32>
          %x, %t = load_ptr_tko weak %p : !p -> !h, token
          %large = cmpi greater_than %x, %ten, signed : !h -> tile<64xi1, #h>
          %odd = andi %i, %c1 : tile<i32>
          %asks = cmpi equal %odd, %c1, signed : tile<i32> -> tile<i1>
          %y = if %asks -> (!h) {
            %round = shri %i, %c1 unsigned : tile<i32>
            %parity = andi %round, %c1 : tile<i32>
            store_shared %x, %s : !h, !s
            mbarrier_arrive %ask each group : mbarrier<1>
            mbarrier_wait %answer, %parity : mbarrier<1>
            %again, %u = load_ptr_tko weak %p token=%t : !p -> !h, token
            %back = load_shared %s : !s -> !h
            %both = addi %back, %again : !h
            yield %both : !h
          } else {
            yield %x : !h
          }
          %z = select %large, %y, %x : tile<64xi1, #h>, !h
          %new = addi %acc, %z : !h
          continue %next, %new : tile<i32>, !h
        }
        %few = reshape %steps : tile<i32> -> tile<1xi32, replicated(1, num_workers=64)>
        %many = broadcast %few : tile<1xi32, replicated(1, num_workers=64)> -> !h
        %result = addi %sum, %many : !h
        store_global %result, %vo[%c0] : !h, !view
      }
      role @doubles threads(64 to 128) {
        for %i in (%c0 to %n, step %c1) : tile<i32> {
          %odd = andi %i, %c1 : tile<i32>
          %asks = cmpi equal %odd, %c1, signed : tile<i32> -> tile<i1>
          %round = shri %i, %c1 unsigned : tile<i32>
          %parity = andi %round, %c1 : tile<i32>
          if %asks {
            mbarrier_wait %ask, %parity : mbarrier<1>
            %x = load_shared %s : !s -> !h
            %y = addi %x, %x : !h
            store_shared %y, %s : !h, !s
            mbarrier_arrive %answer each group : mbarrier<1>
          }
        }
      }
      role @idle threads(128 to 160) {
        warp_barrier // harmless: these threads do nothing
      }
    }
    return
  }
  // A group looks at global memory until another one, which waits for it first, has written there.
  entry @spin(%flags: tile<ptr<i32>>, %out: tile<ptr<i32>>) threads(64) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c32 = constant <i32: 32> : tile<i32>
    %vo = make_tensor_view %out, shape = [64], strides = [1] : !view
    %flag = offset %flags, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %at = muli %x, %c32 : tile<i32>
    group threads(0 to 32) {
      barrier_arrive 1, 64
      loop {
        %now, %t = load_ptr_tko acquire device %flag : tile<ptr<i32>> -> tile<i32>, token
        %set = cmpi equal %now, %c1, signed : tile<i32> -> tile<i1>
        if %set {
          break
        }
      }
      %lane = iota : !w
      store_global %lane, %vo[%at] : !w, !view
    }
    group threads(32 to 64) {
      barrier_wait 1, 64 // harmless without it: what is stored does not depend on what the other group did before
      %t = store_ptr_tko release device %flag, %c1 : tile<ptr<i32>>, tile<i32> -> token
    }
    return
  }
  // Two steps of one group to each of the other.
  entry @pace(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %n: tile<i32>) threads(64) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c2 = constant <i32: 2> : tile<i32>
    %vi = make_tensor_view %in, shape = [64], strides = [1] : !view
    %vo = make_tensor_view %out, shape = [64], strides = [1] : !view
    %twice = muli %n, %c2 : tile<i32>
    %s = alloc_shared : shared<2x32xi32>
    %full = alloc_mbarrier : mbarrier<2>
    %empty = alloc_mbarrier : mbarrier<2>
    elect {
      mbarrier_init %full, 1 : mbarrier<2>
      mbarrier_init %empty, 1 : mbarrier<2>
    }
    barrier
    roles {
      role @load threads(0 to 32) {
        for %i in (%c0 to %twice, step %c1) : tile<i32> {
          %slot = andi %i, %c1 : tile<i32>
          %round = shri %i, %c1 unsigned : tile<i32>
          %parity = andi %round, %c1 : tile<i32>
          %other = xori %parity, %c1 : tile<i32>
          mbarrier_wait %empty[%slot], %other : mbarrier<2> // harmless shifted by one: both slots are read before either is empty
          %x = load_global %vi[%i] : !view -> !w
          %to = subview %s[%slot] : shared<2x32xi32> -> shared<32xi32> // harmless shifted by one: a product's factors change places
          store_shared %x, %to : !w, shared<32xi32>
          mbarrier_arrive %full[%slot] each group : mbarrier<2> // harmless shifted by one: both are waited for before either slot is read
        }
      }
      role @add threads(32 to 64) {
        %zero = constant <i32: 0> : !w
        %a = subview %s[%c0] : shared<2x32xi32> -> shared<32xi32> // another kernel shifted by one: squares; both slots are full
        %b = subview %s[%c1] : shared<2x32xi32> -> shared<32xi32> // another kernel shifted by one: squares; both slots are full
        %sum = for %i in (%c0 to %n, step %c1) : tile<i32> iter_values(%acc = %zero) -> (!w) {
          %parity = andi %i, %c1 : tile<i32>
          mbarrier_wait %full[%c0], %parity : mbarrier<2> // harmless without it, shifted by one: slot 1 is full behind slot 0 // unseen on a GPU for the other phase: as without it, where nothing has been loaded yet
          mbarrier_wait %full[%c1], %parity : mbarrier<2>
          %x = load_shared %a : shared<32xi32> -> !w
          %y = load_shared %b : shared<32xi32> -> !w
          mbarrier_arrive %empty[%c0] each group : mbarrier<2>
          mbarrier_arrive %empty[%c1] each group : mbarrier<2>
          %both = muli %x, %y : !w
          %new = addi %acc, %both : !w
          continue %new : !w
        }
        store_global %sum, %vo[%c0] : !w, !view
      }
    }
    return
  }
  // The same threads twice, in the order of the program.
  entry @again(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>) threads(64) {
    %c0 = constant <i32: 0> : tile<i32>
    %vi = make_tensor_view %in, shape = [64], strides = [1] : !view
    %vo = make_tensor_view %out, shape = [64], strides = [1] : !view
    %s = alloc_shared : shared<32xi32>
    group threads(0 to 32) {
      %x = load_global %vi[%c0] : !view -> !w
      barrier_wait 1, 64
      store_shared %x, %s : !w, shared<32xi32>
    }
    group threads(32 to 64) {
      barrier_wait 1, 64
    }
    group threads(0 to 32) {
      %x = load_shared %s : shared<32xi32> -> !w
      store_global %x, %vo[%c0] : !w, !view
    }
    return
  }
  // Groups in groups, in a loop: two warps of one group hand tiles to each other, a third group of
  // two warps waits for both at the end of each step.
  entry @nested(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %n: tile<i32>) threads(128) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c32 = constant <i32: 32> : tile<i32>
    %vi = make_tensor_view %in, shape = [64], strides = [1] : !view
    %vo = make_tensor_view %out, shape = [64], strides = [1] : !view
    %a = alloc_shared : shared<32xi32>
    %b = alloc_shared : shared<32xi32>
    %total = constant <i32: 0> : tile<i32>
    for %i in (%c0 to %n, step %c1) : tile<i32> {
      %mine = group threads(0 to 64) -> (!h) {
        group threads(0 to 32) {
          %x = load_global %vi[%i] : !view -> !w
          store_shared %x, %a : !w, shared<32xi32>
          barrier_arrive 1, 64
          barrier_wait 2, 64
          %y = load_shared %b : shared<32xi32> -> !w
          %z = addi %x, %y : !w
          store_shared %z, %b : !w, shared<32xi32>
        }
        group threads(32 to 64) {
          barrier_wait 1, 64
          %x = load_shared %a : shared<32xi32> -> !w
          %y = muli %x, %x : !w
          store_shared %y, %b : !w, shared<32xi32>
          barrier_arrive 2, 64
        }
        barrier
        %first = load_shared %b : shared<32xi32> -> tile<32xi32, replicated(1, num_workers=2).spatial(32)>
        %both = cat %first, %first dim = 0 : tile<32xi32, replicated(1, num_workers=2).spatial(32)>, tile<32xi32, replicated(1, num_workers=2).spatial(32)> -> tile<64xi32, local(2).replicated(1, num_workers=2).spatial(32)>
        %mine = convert_layout %both : tile<64xi32, local(2).replicated(1, num_workers=2).spatial(32)> -> !h
        barrier_arrive 3, 128
        yield %mine : !h
      }
      group threads(64 to 128) {
        barrier_wait 3, 128
        %old = load_global %vo[%c0] : !view -> !h
        %x = load_shared %b : shared<32xi32> -> tile<32xi32, replicated(1, num_workers=2).spatial(32)>
        %both = cat %x, %x dim = 0 : tile<32xi32, replicated(1, num_workers=2).spatial(32)>, tile<32xi32, replicated(1, num_workers=2).spatial(32)> -> tile<64xi32, local(2).replicated(1, num_workers=2).spatial(32)>
        %y = convert_layout %both : tile<64xi32, local(2).replicated(1, num_workers=2).spatial(32)> -> !h
        %new = addi %old, %y : !h
        store_global %new, %vo[%c0] : !h, !view
      }
      barrier
      group threads(0 to 64) {
        %old = load_global %vo[%c0] : !view -> !h
        %new = addi %old, %mine : !h
        store_global %new, %vo[%c0] : !h, !view
      }
      barrier // harmless: barrier 3 of the next iteration stands between the groups
    }
    return
  }
}
// $ cat >run <<'END'
// > sed "$1" turns.mlir >m.mlir
// > shift
// > tessera run m.mlir -t cpu -g 1 "$@"
// > END
// $ sh run 's/barrier_wait 2, 64/barrier_wait 4, 64/' -k nested arange:i32:64 zeros:i32:64 i32:5
// m.mlir:213:11: error: assertion failed in tile block (0, 0, 0) of 'nested': the tile block does not go on: group waits here at a named barrier, and nothing is left to wake it
//             barrier_wait 4, 64
//             ^
// tessera: note: 1 more assertion failed before the launch stopped
// [1]
// $ sh run 's/barrier_arrive 3, 128/barrier_arrive 3, 160/' -k nested arange:i32:64 zeros:i32:64 i32:5
// m.mlir:233:9: error: assertion failed in tile block (0, 0, 0) of 'nested': the tile block does not go on: group waits here at a named barrier, and nothing is left to wake it
//           barrier_wait 3, 128
//           ^
// [1]
// $ sh run '/mbarrier_arrive %answer/d' -k states arange:i32:64 zeros:i32:64 i32:7
// m.mlir:60:13: error: assertion failed in tile block (0, 0, 0) of 'states': the tile block does not go on: role @asks waits here for a phase, and nothing is left to wake it
//               mbarrier_wait %answer, %parity : mbarrier<1>
//               ^
// tessera: note: 1 more assertion failed before the launch stopped
// [1]
// $ sh run 's/%ask, 1 : m/%ask, 2 : m/' -k states arange:i32:64 zeros:i32:64 i32:7
// m.mlir:60:13: error: assertion failed in tile block (0, 0, 0) of 'states': the tile block does not go on: role @asks waits here for a phase, and nothing is left to wake it
//               mbarrier_wait %answer, %parity : mbarrier<1>
//               ^
// tessera: note: 1 more assertion failed before the launch stopped
// [1]
// $ sh run 's/%ask, %parity/%ask, %i/' -k states arange:i32:64 zeros:i32:64 i32:7
// m.mlir:60:13: error: assertion failed in tile block (0, 0, 0) of 'states': the tile block does not go on: role @asks waits here for a phase, and nothing is left to wake it
//               mbarrier_wait %answer, %parity : mbarrier<1>
//               ^
// tessera: note: 1 more assertion failed before the launch stopped
// [1]
// $ sh run 's/roles {/mbarrier_wait %ask, %c0 : mbarrier<1>\n&/' -k states arange:i32:64 zeros:i32:64 i32:7
// m.mlir:142:19: error: '%ask' is not defined
//       mbarrier_wait %ask, %c0 : mbarrier<1>
//                     ^~~~
// [1]
