// RUN: %transcript %s
cuda_tile.module @ranks {
  global @count <i32: 0> : tile<1xi32>

  // The sum of all ranks' x by their addresses.
  entry @sum(%x: tile<ptr<i32>>, %peers: tile<ptr<i64>>, %ranks: tile<i32>, %y: tile<ptr<i32>>) {
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %four = constant <i32: 4> : tile<i32>
    %start = muli %b, %four : tile<i32>
    %i4 = iota : tile<4xi32>
    %s1 = reshape %start : tile<i32> -> tile<1xi32>
    %s4 = broadcast %s1 : tile<1xi32> -> tile<4xi32>
    %i = addi %s4, %i4 : tile<4xi32>
    %none = constant <i32: 0> : tile<4xi32>
    %all = for %r in (%zero to %ranks, step %one) : tile<i32> iter_values(%sum = %none) -> (tile<4xi32>) {
      %at = offset %peers, %r : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>
      %address, %t0 = load_ptr_tko weak %at : tile<ptr<i64>> -> tile<i64>, token
      %p = int_to_ptr %address : tile<i64> -> tile<ptr<i32>>
      %p1 = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
      %p4 = broadcast %p1 : tile<1xptr<i32>> -> tile<4xptr<i32>>
      %from = offset %p4, %i : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
      %v, %t1 = load_ptr_tko weak %from : tile<4xptr<i32>> -> tile<4xi32>, token
      %next = addi %sum, %v : tile<4xi32>
      continue %next : tile<4xi32>
    }
    %y1 = reshape %y : tile<ptr<i32>> -> tile<1xptr<i32>>
    %y4 = broadcast %y1 : tile<1xptr<i32>> -> tile<4xptr<i32>>
    %to = offset %y4, %i : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
    %t2 = store_ptr_tko weak %to, %all : tile<4xptr<i32>>, tile<4xi32> -> token
  }

  // Tells the neighbour without a release: what was put may come later.
  entry @relaxed(%x: tile<ptr<i32>>, %next: tile<ptr<i32>>, %flag: tile<ptr<i64>>, %next_flag: tile<ptr<i64>>) {
    %n = constant <i32: 7> : tile<i32>
    %set = constant <i64: 1> : tile<i64>
    %put = store_ptr_tko weak %next, %n : tile<ptr<i32>>, tile<i32> -> token
    %old, %told = atomic_rmw_tko relaxed sys %next_flag, xchg, %set token=%put : tile<ptr<i64>>, tile<i64> -> tile<i64>, token
    %start = make_token : token
    %come = loop iter_values(%before = %start) : token -> token {
      %seen, %after = load_ptr_tko acquire sys %flag token=%before : tile<ptr<i64>> -> tile<i64>, token
      %is = trunci %seen : tile<i64> -> tile<i1>
      if %is {
        break %after : token
      }
      continue %after : token
    }
    %got, %t0 = load_ptr_tko weak %x token=%come : tile<ptr<i32>> -> tile<i32>, token
  }

  // Waits for a flag that no rank sets.
  entry @forgotten(%flag: tile<ptr<i64>>, %rank: tile<i32>) {
    %start = make_token : token
    %come = loop iter_values(%before = %start) : token -> token {
      %seen, %after = load_ptr_tko acquire sys %flag token=%before : tile<ptr<i64>> -> tile<i64>, token
      %is = trunci %seen : tile<i64> -> tile<i1>
      if %is {
        break %after : token
      }
      continue %after : token
    }
  }

  // Each rank has globals of its own; other memory of a rank has bounds, too.
  entry @own(%x: tile<ptr<i32>>, %next: tile<ptr<i32>>, %rank: tile<i32>) {
    %one = constant <i32: 1> : tile<i32>
    %c = get_global @count : tile<ptr<i32>>
    %old, %t = atomic_rmw_tko relaxed device %c, add, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %zero = constant <i32: 0> : tile<i32>
    %first = cmpi equal %old, %zero, signed : tile<i32> -> tile<i1>
    assert %first, "a global of another rank" : tile<i1>
    %at = offset %next, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %v, %t0 = load_ptr_tko weak %at : tile<ptr<i32>> -> tile<i32>, token
    %less = cmpi less_than %rank, %one, signed : tile<i32> -> tile<i1>
    assert %less, "rank 0 only" : tile<i1>
  }
}

// $ tessera run ranks.mlir --kernel sum --grid 2 --ranks=3 --check x=arange:i32:8 peers:x i32:ranks y=zeros:i32:8 --print y
// tessera: remark: sanitizer: nothing found (bounds, assume, init, race, arith) in 6 tile blocks
// rank 0, y: i32 8
// [ 0  3  6  9 12 15 18 21]
// rank 1, y: i32 8
// [ 0  3  6  9 12 15 18 21]
// rank 2, y: i32 8
// [ 0  3  6  9 12 15 18 21]
// $ tessera run ranks.mlir --kernel relaxed --grid 1 --ranks=2 --check x=zeros:i32:1 peer:x:+1 flag=zeros:i64:1 peer:flag:+1
// ranks.mlir:49:17: error: [race] load_ptr_tko reads element 0 of %next of rank 0, which has 1 of i32, unordered with store_ptr_tko, which writes it
//       %got, %t0 = load_ptr_tko weak %x token=%come : tile<ptr<i32>> -> tile<i32>, token
//                   ^
// tessera: note: in tile block (0, 0, 0) of rank 1: nothing orders the ranks: no acquire in one sees a release of the other, both of scope sys
// ranks.mlir:38:12: note: the other access, in tile block (0, 0, 0) of rank 0
//       %put = store_ptr_tko weak %next, %n : tile<ptr<i32>>, tile<i32> -> token
//              ^
// ranks.mlir:49:17: note: [race] load_ptr_tko: 1 more finding, the last in tile block (0, 0, 0) of rank 0
// tessera: note: sanitizer: 2 findings at 1 operation (race 2) in 2 tile blocks
// [1]
// $ tessera run ranks.mlir --kernel forgotten --grid 2 --ranks=2 zeros:i64:1 i32:rank
// tessera: error: deadlock: 4 tile blocks of 'forgotten' wait, and no other is left in any rank to change what they see
// ranks.mlir:56:23: note: tile block (0, 0, 0) of rank 0 waits here for element 0 of %flag of rank 0
//         %seen, %after = load_ptr_tko acquire sys %flag token=%before : tile<ptr<i64>> -> tile<i64>, token
//                         ^
// ranks.mlir:56:23: note: tile block (1, 0, 0) of rank 0 waits here for element 0 of %flag of rank 0
//         %seen, %after = load_ptr_tko acquire sys %flag token=%before : tile<ptr<i64>> -> tile<i64>, token
//                         ^
// ranks.mlir:56:23: note: tile block (0, 0, 0) of rank 1 waits here for element 0 of %flag of rank 1
//         %seen, %after = load_ptr_tko acquire sys %flag token=%before : tile<ptr<i64>> -> tile<i64>, token
//                         ^
// ranks.mlir:56:23: note: tile block (1, 0, 0) of rank 1 waits here for element 0 of %flag of rank 1
//         %seen, %after = load_ptr_tko acquire sys %flag token=%before : tile<ptr<i64>> -> tile<i64>, token
//                         ^
// [1]
// $ tessera run ranks.mlir --kernel own --grid 1 --ranks=2 x=zeros:i32:2 peer:x:1 i32:rank
// ranks.mlir:76:5: error: assertion failed in tile block (0, 0, 0) of 'own', rank 1: rank 0 only
//       assert %less, "rank 0 only" : tile<i1>
//       ^
// [1]
// $ tessera run ranks.mlir --kernel forgotten --grid 1 zeros:i64:1 i32:rank
// tessera: error: argument 2 ('i32:rank') is for several ranks; give --ranks N too
// [2]
// $ tessera run ranks.mlir --kernel forgotten --grid 1 --ranks --target interp zeros:i64:1 i32:rank
// tessera: error: say how many ranks: --ranks=4, or start them with mpirun -n 4
// tessera: note: usage: tessera run FILE --grid X[,Y[,Z]] [OPTION]... [ARG]...
// [2]
// $ tessera run ranks.mlir --kernel forgotten --grid 1 --ranks=2 --target cpu zeros:i64:1 i32:rank
// tessera: error: ranks in one process need --target interp, not cpu; elsewhere start them with mpirun -n 2
// tessera: note: usage: tessera run FILE --grid X[,Y[,Z]] [OPTION]... [ARG]...
// [2]
// $ tessera run ranks.mlir --kernel own --grid 1 --ranks=2 x=zeros:i32:2 peer:x:2 i32:rank
// tessera: error: argument 2 ('peer:x:2'): there is no rank '2' among 2
// [2]
// $ tessera run ranks.mlir --kernel own --grid 1 --ranks=2 x=zeros:i32:2 peer:z:1 i32:rank
// tessera: error: argument 'peer:z:1': there is no buffer 'z'
// [2]
// $ tessera run ranks.mlir --kernel own --grid 1 --ranks=2 x=zeros:i32:2 peers:x:1 i32:rank
// tessera: error: argument 2 ('peers:x:1'): it takes peers:NAME
// [2]
// $ tessera run ranks.mlir --kernel own --grid 1 --ranks=2 x=zeros:i32:2 peer:x:1 i32:rank --save x=x.npy
// tessera: error: --save: every rank would write 'x.npy'; put its number in: %r
// tessera: note: usage: tessera run FILE --grid X[,Y[,Z]] [OPTION]... [ARG]...
// [2]
// $ tessera run ranks.mlir --kernel own --grid 1 --ranks=2 x=zeros:i32:2 peer:x:1 i32:rank --record r
// tessera: error: --ranks does not go with --record and --profile
// tessera: note: usage: tessera run FILE --grid X[,Y[,Z]] [OPTION]... [ARG]...
// [2]
// $ tessera run ranks.mlir --kernel relaxed --grid 1 --ranks=2 x=zeros:i32:1 peer:flag:+1 flag=zeros:i64:1 peer:flag:+1
// tessera: error: argument 'peer:flag:+1' is a buffer of i64; its parameter takes i32
// [2]
