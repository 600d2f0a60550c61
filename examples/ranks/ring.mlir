// Several ranks (docs/ranks.md): each writes a row of numbers into its neighbour's memory, sets the
// neighbour's flag, waits for its own, and adds 100 to what has come.
//
//   tessera run examples/ranks/ring.mlir --grid 1 --ranks=4 --check zeros:f32:8 peer:x:+1 \
//     zeros:i64:1 peer:flag:+1 i32:rank y=zeros:f32:8 --print y
//   mpirun -n 4 tessera run … --ranks
cuda_tile.module @ring {
  entry @ring(%x: tile<ptr<f32>>, %next: tile<ptr<f32>>, %flag: tile<ptr<i64>>, %next_flag: tile<ptr<i64>>, %rank: tile<i32>, %y: tile<ptr<f32>>) {
    %i = iota : tile<8xi32>
    %r1 = reshape %rank : tile<i32> -> tile<1xi32>
    %r = broadcast %r1 : tile<1xi32> -> tile<8xi32>
    %ten = constant <i32: 10> : tile<8xi32>
    %row = muli %r, %ten : tile<8xi32>
    %n = addi %row, %i : tile<8xi32>
    %v = itof %n signed : tile<8xi32> -> tile<8xf32>

    // What is put, then the flag: whoever sees the flag sees it, too. Ranks need the scope sys.
    %n1 = reshape %next : tile<ptr<f32>> -> tile<1xptr<f32>>
    %n8 = broadcast %n1 : tile<1xptr<f32>> -> tile<8xptr<f32>>
    %to = offset %n8, %i : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
    %put = store_ptr_tko weak %to, %v : tile<8xptr<f32>>, tile<8xf32> -> token
    %set = constant <i64: 1> : tile<i64>
    %old, %told = atomic_rmw_tko release sys %next_flag, xchg, %set token=%put : tile<ptr<i64>>, tile<i64> -> tile<i64>, token

    // Until another rank has set this one's flag.
    %start = make_token : token
    %come = loop iter_values(%before = %start) : token -> token {
      %seen, %after = load_ptr_tko acquire sys %flag token=%before : tile<ptr<i64>> -> tile<i64>, token
      %is = trunci %seen : tile<i64> -> tile<i1>
      if %is {
        break %after : token
      }
      continue %after : token
    }

    %x1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
    %x8 = broadcast %x1 : tile<1xptr<f32>> -> tile<8xptr<f32>>
    %from = offset %x8, %i : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
    %got, %t0 = load_ptr_tko weak %from token=%come : tile<8xptr<f32>> -> tile<8xf32>, token
    %hundred = constant <f32: 100.0> : tile<8xf32>
    %sum = addf %got, %hundred : tile<8xf32>
    %y1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
    %y8 = broadcast %y1 : tile<1xptr<f32>> -> tile<8xptr<f32>>
    %out = offset %y8, %i : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
    %t1 = store_ptr_tko weak %out, %sum : tile<8xptr<f32>>, tile<8xf32> -> token
  }
}
