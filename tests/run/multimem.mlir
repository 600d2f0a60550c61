// RUN: %engines %t %s --grid 4 arange:f32:30 y=ones:f32:32 arange:i32:64 sums=ones:i32:64 halves=ones:f16:32 least=zeros:i64:32 --save y --save sums --save halves --save least
// RUN: %npy expect %t/y.npy '<f4' 32 'i if i < 30 else 1'
// RUN: %npy expect %t/sums.npy '<i4' 64 '1 + i if i < 60 else 1'
// RUN: %npy expect %t/halves.npy '<f2' 32 '1 + (i % 8) / 2'
// RUN: %npy expect %t/least.npy '<i8' 32 'min(i - 5, 0)'
//
// On one device, what several devices share is its own memory: a combined load is a load, a store to
// all copies a store, an update of all copies an atomic update; what lies outside of a view is left
// alone.
cuda_tile.module @multimem {
  entry @multimem(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %a: tile<ptr<i32>>, %sums: tile<ptr<i32>>, %halves: tile<ptr<f16>>, %least: tile<ptr<i64>>) {
    %i, %j, %k = get_tile_block_id : tile<i32>
    %z = constant <i32: 0> : tile<i32>
    %xv = make_tensor_view %x, shape = [30], strides = [1] : tensor_view<30xf32, strides=[1]>
    %xp = make_partition_view %xv : partition_view<tile=(8), padding_value = zero, tensor_view<30xf32, strides=[1]>>
    %yv = make_tensor_view %y, shape = [30], strides = [1] : tensor_view<30xf32, strides=[1]>
    %yp = make_partition_view %yv : partition_view<tile=(8), tensor_view<30xf32, strides=[1]>>
    %v, %t0 = multimem_load_reduce_view_tko weak %xp[%i], add : partition_view<tile=(8), padding_value = zero, tensor_view<30xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
    %t1 = multimem_store_view_tko release sys %v, %yp[%i] token = %t0 : tile<8xf32>, partition_view<tile=(8), tensor_view<30xf32, strides=[1]>>, tile<i32> -> token

    %av = make_tensor_view %a, shape = [4, 16], strides = [16, 1] : tensor_view<4x16xi32, strides=[16,1]>
    %ap = make_partition_view %av : partition_view<tile=(1x16), tensor_view<4x16xi32, strides=[16,1]>>
    %sv = make_tensor_view %sums, shape = [60], strides = [1] : tensor_view<60xi32, strides=[1]>
    %sp = make_partition_view %sv : partition_view<tile=(16), tensor_view<60xi32, strides=[1]>>
    %row, %t2 = multimem_load_reduce_view_tko acquire sys %ap[%i, %z], umax inbounds = [true, true] : partition_view<tile=(1x16), tensor_view<4x16xi32, strides=[16,1]>>, tile<i32> -> tile<1x16xi32>, token
    %flat = reshape %row : tile<1x16xi32> -> tile<16xi32>
    %t3 = multimem_reduce_view_tko relaxed sys %sp[%i], add, %flat token = %t2 : tile<16xi32>, partition_view<tile=(16), tensor_view<60xi32, strides=[1]>>, tile<i32> -> token

    %n = iota : tile<8xi32>
    %h = itof %n signed : tile<8xi32> -> tile<8xf16>
    %half = constant <f16: 0.5> : tile<8xf16>
    %add = mulf %h, %half : tile<8xf16>
    %hv = make_tensor_view %halves, shape = [32], strides = [1] : tensor_view<32xf16, strides=[1]>
    %hp = make_partition_view %hv : partition_view<tile=(8), tensor_view<32xf16, strides=[1]>>
    %t4 = multimem_reduce_view_tko relaxed device %hp[%i], add, %add : tile<8xf16>, partition_view<tile=(8), tensor_view<32xf16, strides=[1]>>, tile<i32> -> token

    %lv = make_tensor_view %least, shape = [4, 8], strides = [8, 1] : tensor_view<4x8xi64, strides=[8,1]>
    %lp = make_partition_view %lv : partition_view<tile=(1x8), tensor_view<4x8xi64, strides=[8,1]>>
    %eight = constant <i32: 8> : tile<i32>
    %five = constant <i32: 5> : tile<i32>
    %from = muli %i, %eight : tile<i32>
    %base = subi %from, %five : tile<i32>
    %br = reshape %base : tile<i32> -> tile<1xi32>
    %bb = broadcast %br : tile<1xi32> -> tile<8xi32>
    %place = addi %n, %bb : tile<8xi32>
    %wide = exti %place signed : tile<8xi32> -> tile<8xi64>
    %line = reshape %wide : tile<8xi64> -> tile<1x8xi64>
    %t5 = multimem_reduce_view_tko relaxed tl_blk %lp[%i, %z], min, %line inbounds = [true, true] : tile<1x8xi64>, partition_view<tile=(1x8), tensor_view<4x8xi64, strides=[8,1]>>, tile<i32> -> token
    return
  }
}
