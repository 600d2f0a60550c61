// Neighbours of gathered elements: y[i] = x[k] + 3 * x[k + 1] where k comes from an array, with a
// mask of bounds for each. Some k are -1, the last one, and the greatest number that there is. Of
// four neighbours (@around) the lower two and the upper two are pairs. Where indices are bytes
// (@wraps) the one behind 127 is -128.
// REQUIRES: llvm
//
// RUN: %pattern gather-pair %t %s --kernel between --grid 3 arange:i32:640 normal:f32:200 y=zeros:f32:640 i32:200 i32:600 --save y --rtol=1e-6
// RUN: %pattern gather-pair@avx512 %t %s --kernel between --grid 3 arange:i32:640 normal:f32:200 y=zeros:f32:640 i32:200 i32:600 --save y --rtol=1e-6
// RUN: %pattern gather-pair %t %s --kernel around --grid 3 arange:i32:640 uniform:i32:400 y=zeros:i32:640 i32:250 --save y
// RUN: %pattern gather-pair %t %s --kernel wraps --grid 3 arange:i32:1024 y=zeros:i32:3 --save y
// RUN: %tessera build %s --emit nests --cpu avx2 | sed '1,/@around/ d; /@wraps/,$ d' | grep -o "gather-pair. %v[0-9]" | sort -u | count 2
cuda_tile.module @kernels {
  entry @between(%from: tile<ptr<i32>>, %x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>, %count: tile<i32>) {
    %block, %b, %c = get_tile_block_id : tile<i32>
    %length = constant <i32: 256> : tile<i32>
    %begin = muli %block, %length : tile<i32>
    %begin1 = reshape %begin : tile<i32> -> tile<1xi32>
    %begins = broadcast %begin1 : tile<1xi32> -> tile<256xi32>
    %lane = iota : tile<256xi32>
    %i = addi %begins, %lane : tile<256xi32>
    %count1 = reshape %count : tile<i32> -> tile<1xi32>
    %counts = broadcast %count1 : tile<1xi32> -> tile<256xi32>
    %stores = cmpi less_than %i, %counts, signed : tile<256xi32> -> tile<256xi1>
    %from1 = reshape %from : tile<ptr<i32>> -> tile<1xptr<i32>>
    %froms = broadcast %from1 : tile<1xptr<i32>> -> tile<256xptr<i32>>
    %x1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
    %xs = broadcast %x1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
    %y1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
    %ys = broadcast %y1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
    %at = offset %froms, %i : tile<256xptr<i32>>, tile<256xi32> -> tile<256xptr<i32>>
    %none = constant <i32: 0> : tile<256xi32>
    %value, %t0 = load_ptr_tko weak %at, %stores, %none : tile<256xptr<i32>>, tile<256xi1>, tile<256xi32> -> tile<256xi32>, token
    %factor = constant <i32: 37> : tile<256xi32>
    %low_bits = constant <i32: 255> : tile<256xi32>
    %one = constant <i32: 1> : tile<256xi32>
    %scaled = muli %value, %factor : tile<256xi32>
    %some = andi %scaled, %low_bits : tile<256xi32>
    %k0 = subi %some, %one : tile<256xi32>
    %special = constant <i32: 101> : tile<256xi32>
    %is_special = cmpi equal %value, %special, signed : tile<256xi32> -> tile<256xi1>
    %most = constant <i32: 2147483647> : tile<256xi32>
    %k = select %is_special, %most, %k0 : tile<256xi1>, tile<256xi32>
    %k1 = addi %k, %one : tile<256xi32>
    %wide = exti %k signed : tile<256xi32> -> tile<256xi64>
    %wide1 = exti %k1 signed : tile<256xi32> -> tile<256xi64>
    %n64 = exti %n signed : tile<i32> -> tile<i64>
    %n1 = reshape %n64 : tile<i64> -> tile<1xi64>
    %extent = broadcast %n1 : tile<1xi64> -> tile<256xi64>
    %in = cmpi less_than %wide, %extent, unsigned : tile<256xi64> -> tile<256xi1>
    %in1 = cmpi less_than %wide1, %extent, unsigned : tile<256xi64> -> tile<256xi1>
    %source = offset %xs, %wide : tile<256xptr<f32>>, tile<256xi64> -> tile<256xptr<f32>>
    %source1 = offset %xs, %wide1 : tile<256xptr<f32>>, tile<256xi64> -> tile<256xptr<f32>>
    %outside = constant <f32: 7.0> : tile<256xf32>
    %outside1 = constant <f32: -5.0> : tile<256xf32>
    %v, %t1 = load_ptr_tko weak %source, %in, %outside : tile<256xptr<f32>>, tile<256xi1>, tile<256xf32> -> tile<256xf32>, token
    %v1, %t2 = load_ptr_tko weak %source1, %in1, %outside1 : tile<256xptr<f32>>, tile<256xi1>, tile<256xf32> -> tile<256xf32>, token
    %three = constant <f32: 3.0> : tile<256xf32>
    %more = mulf %v1, %three : tile<256xf32>
    %sum = addf %v, %more : tile<256xf32>
    %to = offset %ys, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
    %t3 = store_ptr_tko weak %to, %sum, %stores : tile<256xptr<f32>>, tile<256xf32>, tile<256xi1> -> token
    return
  }
  entry @around(%from: tile<ptr<i32>>, %x: tile<ptr<i32>>, %y: tile<ptr<i32>>, %n: tile<i32>) {
    %block, %b, %c = get_tile_block_id : tile<i32>
    %length = constant <i32: 128> : tile<i32>
    %begin = muli %block, %length : tile<i32>
    %begin1 = reshape %begin : tile<i32> -> tile<1xi32>
    %begins = broadcast %begin1 : tile<1xi32> -> tile<128xi32>
    %lane = iota : tile<128xi32>
    %i = addi %begins, %lane : tile<128xi32>
    %from1 = reshape %from : tile<ptr<i32>> -> tile<1xptr<i32>>
    %froms = broadcast %from1 : tile<1xptr<i32>> -> tile<128xptr<i32>>
    %x1 = reshape %x : tile<ptr<i32>> -> tile<1xptr<i32>>
    %xs = broadcast %x1 : tile<1xptr<i32>> -> tile<128xptr<i32>>
    %y1 = reshape %y : tile<ptr<i32>> -> tile<1xptr<i32>>
    %ys = broadcast %y1 : tile<1xptr<i32>> -> tile<128xptr<i32>>
    %at = offset %froms, %i : tile<128xptr<i32>>, tile<128xi32> -> tile<128xptr<i32>>
    %value, %t0 = load_ptr_tko weak %at : tile<128xptr<i32>> -> tile<128xi32>, token
    %factor = constant <i32: 91> : tile<128xi32>
    %low_bits = constant <i32: 255> : tile<128xi32>
    %one = constant <i32: 1> : tile<128xi32>
    %two = constant <i32: 2> : tile<128xi32>
    %nothing = constant <i32: -1000> : tile<128xi32>
    %n1 = reshape %n : tile<i32> -> tile<1xi32>
    %extent = broadcast %n1 : tile<1xi32> -> tile<128xi32>
    %scaled = muli %value, %factor : tile<128xi32>
    %some = andi %scaled, %low_bits : tile<128xi32>
    %k = addi %some, %one : tile<128xi32>
    %before = subi %k, %one : tile<128xi32>
    %behind = addi %k, %one : tile<128xi32>
    %last = addi %k, %two : tile<128xi32>
    %p0 = offset %xs, %before : tile<128xptr<i32>>, tile<128xi32> -> tile<128xptr<i32>>
    %p1 = offset %xs, %k : tile<128xptr<i32>>, tile<128xi32> -> tile<128xptr<i32>>
    %p2 = offset %xs, %behind : tile<128xptr<i32>>, tile<128xi32> -> tile<128xptr<i32>>
    %p3 = offset %xs, %last : tile<128xptr<i32>>, tile<128xi32> -> tile<128xptr<i32>>
    %in3 = cmpi less_than %last, %extent, unsigned : tile<128xi32> -> tile<128xi1>
    %v3, %t4 = load_ptr_tko weak %p3, %in3, %nothing : tile<128xptr<i32>>, tile<128xi1>, tile<128xi32> -> tile<128xi32>, token
    %in1 = cmpi less_than %k, %extent, unsigned : tile<128xi32> -> tile<128xi1>
    %v1, %t2 = load_ptr_tko weak %p1, %in1, %nothing : tile<128xptr<i32>>, tile<128xi1>, tile<128xi32> -> tile<128xi32>, token
    %in0 = cmpi less_than %before, %extent, unsigned : tile<128xi32> -> tile<128xi1>
    %v0, %t1 = load_ptr_tko weak %p0, %in0, %nothing : tile<128xptr<i32>>, tile<128xi1>, tile<128xi32> -> tile<128xi32>, token
    %in2 = cmpi less_than %behind, %extent, unsigned : tile<128xi32> -> tile<128xi1>
    %v2, %t3 = load_ptr_tko weak %p2, %in2, %nothing : tile<128xptr<i32>>, tile<128xi1>, tile<128xi32> -> tile<128xi32>, token
    %inner = addi %v1, %v2 : tile<128xi32>
    %outer = addi %v0, %v3 : tile<128xi32>
    %nine = constant <i32: 9> : tile<128xi32>
    %more = muli %inner, %nine : tile<128xi32>
    %sum = subi %more, %outer : tile<128xi32>
    %to = offset %ys, %i : tile<128xptr<i32>>, tile<128xi32> -> tile<128xptr<i32>>
    %t5 = store_ptr_tko weak %to, %sum : tile<128xptr<i32>>, tile<128xi32> -> token
    return
  }
  entry @wraps(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>) {
    %block, %b, %c = get_tile_block_id : tile<i32>
    %middle = constant <i32: 256> : tile<i32>
    %from = offset %x, %middle : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %length = constant <i32: 71> : tile<i32>
    %begin = muli %block, %length : tile<i32>
    %begin1 = reshape %begin : tile<i32> -> tile<1xi32>
    %begins = broadcast %begin1 : tile<1xi32> -> tile<128xi32>
    %lane = iota : tile<128xi32>
    %i = addi %begins, %lane : tile<128xi32>
    %places = reshape %x : tile<ptr<i32>> -> tile<1xptr<i32>>
    %all = broadcast %places : tile<1xptr<i32>> -> tile<128xptr<i32>>
    %at = offset %all, %i : tile<128xptr<i32>>, tile<128xi32> -> tile<128xptr<i32>>
    %number, %t0 = load_ptr_tko weak %at : tile<128xptr<i32>> -> tile<128xi32>, token
    %k = trunci %number : tile<128xi32> -> tile<128xi8>
    %one = constant <i8: 1> : tile<128xi8>
    %k1 = addi %k, %one : tile<128xi8>
    %wide = exti %k signed : tile<128xi8> -> tile<128xi64>
    %wide1 = exti %k1 signed : tile<128xi8> -> tile<128xi64>
    %from1 = reshape %from : tile<ptr<i32>> -> tile<1xptr<i32>>
    %froms = broadcast %from1 : tile<1xptr<i32>> -> tile<128xptr<i32>>
    %p = offset %froms, %wide : tile<128xptr<i32>>, tile<128xi64> -> tile<128xptr<i32>>
    %p1 = offset %froms, %wide1 : tile<128xptr<i32>>, tile<128xi64> -> tile<128xptr<i32>>
    %v, %t1 = load_ptr_tko weak %p : tile<128xptr<i32>> -> tile<128xi32>, token
    %v1, %t2 = load_ptr_tko weak %p1 : tile<128xptr<i32>> -> tile<128xi32>, token
    %product = muli %v, %v1 : tile<128xi32>
    %sum = reduce %product dim=0 identities=[0 : i32] : tile<128xi32> -> tile<i32>
    (%a: tile<i32>, %d: tile<i32>) {
      %e = addi %a, %d : tile<i32>
      yield %e : tile<i32>
    }
    %to = offset %y, %block : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %t3 = store_ptr_tko weak %to, %sum : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
