!a = tensor_view<100x136xf16, strides=[136,1]>
!b = tensor_view<136x72xf16, strides=[72,1]>
!c = tensor_view<100x72xf32, strides=[72,1]>
!pa = partition_view<tile=(128x256), padding_value = zero, !a>
!pb = partition_view<tile=(256x128), padding_value = zero, !b>
!pc = partition_view<tile=(128x128), !c>
cuda_tile.module @product {
  entry @product(%A: tile<ptr<f16>>, %B: tile<ptr<f16>>, %C: tile<ptr<f32>>) {
    %a = make_tensor_view %A, shape = [100, 136], strides = [136, 1] : !a
    %b = make_tensor_view %B, shape = [136, 72], strides = [72, 1] : !b
    %c = make_tensor_view %C, shape = [100, 72], strides = [72, 1] : !c
    %pa = make_partition_view %a : !pa
    %pb = make_partition_view %b : !pb
    %pc = make_partition_view %c : !pc
    %0 = constant <i32: 0> : tile<i32>
    %ta, %t1 = load_view_tko weak %pa[%0, %0] : !pa, tile<i32> -> tile<128x256xf16>, token
    %tb, %t2 = load_view_tko weak %pb[%0, %0] : !pb, tile<i32> -> tile<256x128xf16>, token
    %zero = constant <f32: 0.0> : tile<128x128xf32>
    %r = mmaf %ta, %tb, %zero : tile<128x256xf16>, tile<256x128xf16>, tile<128x128xf32>
    %t3 = store_view_tko weak %r, %pc[%0, %0] : tile<128x128xf32>, !pc, tile<i32> -> token
  }
}
