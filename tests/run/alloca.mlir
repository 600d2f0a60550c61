// RUN: %engines %t %s --grid 1 arange:i32:1024 zeros:i32:1024 --save y
// RUN: %npy expect %t/y.npy '<i4' 1024 'i + 6 + (1023 - i)'
//
// What an alloca gives stays its own while loops run and other tiles need memory.
cuda_tile.module @alloca {
  entry @alloca(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>) {
    %i = iota : tile<1024xi32>
    %x1 = reshape %x : tile<ptr<i32>> -> tile<1xptr<i32>>
    %xs = broadcast %x1 : tile<1xptr<i32>> -> tile<1024xptr<i32>>
    %xi = offset %xs, %i : tile<1024xptr<i32>>, tile<1024xi32> -> tile<1024xptr<i32>>
    %v, %t0 = load_ptr_tko weak %xi : tile<1024xptr<i32>> -> tile<1024xi32>, token
    %m = alloca num_elem = 1024, alignment = 16 : tile<ptr<i32>>
    %m1 = reshape %m : tile<ptr<i32>> -> tile<1xptr<i32>>
    %ms = broadcast %m1 : tile<1xptr<i32>> -> tile<1024xptr<i32>>
    %mi = offset %ms, %i : tile<1024xptr<i32>>, tile<1024xi32> -> tile<1024xptr<i32>>
    %t1 = store_ptr_tko weak %mi, %v : tile<1024xptr<i32>>, tile<1024xi32> -> token
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %four = constant <i32: 4> : tile<i32>
    %sum = for %k in (%zero to %four, step %one) : tile<i32> iter_values(%s = %zero) -> (tile<i32>) {
      %n = addi %s, %k : tile<i32>
      continue %n : tile<i32>
    }
    // A tile that must be kept, since it is read backwards.
    %scan = scan %v dim=0 reverse=true identities=[0 : i32] : tile<1024xi32> -> tile<1024xi32>
    (%a: tile<i32>, %b: tile<i32>) {
      %c = maxi %a, %b signed : tile<i32>
      yield %c : tile<i32>
    }
    %back, %t2 = load_ptr_tko weak %mi token=%t1 : tile<1024xptr<i32>> -> tile<1024xi32>, token
    %sum1 = reshape %sum : tile<i32> -> tile<1xi32>
    %sums = broadcast %sum1 : tile<1xi32> -> tile<1024xi32>
    %r = addi %back, %sums : tile<1024xi32>
    %rest = subi %scan, %back : tile<1024xi32>
    %q = addi %r, %rest : tile<1024xi32>
    %y1 = reshape %y : tile<ptr<i32>> -> tile<1xptr<i32>>
    %ys = broadcast %y1 : tile<1xptr<i32>> -> tile<1024xptr<i32>>
    %yi = offset %ys, %i : tile<1024xptr<i32>>, tile<1024xi32> -> tile<1024xptr<i32>>
    %t3 = store_ptr_tko weak %yi, %q : tile<1024xptr<i32>>, tile<1024xi32> -> token
  }
}
