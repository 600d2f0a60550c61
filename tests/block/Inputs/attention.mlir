!q = tensor_view<100x64xf16, strides=[64,1]>
!k = tensor_view<136x64xf16, strides=[64,1]>
!o = tensor_view<100x64xf32, strides=[64,1]>
!pq = partition_view<tile=(128x64), padding_value = zero, !q>
!pk = partition_view<tile=(256x64), padding_value = zero, !k>
!po = partition_view<tile=(128x64), !o>
!s = tile<128x256xf32>
cuda_tile.module @reference {
  entry @attention(%Q: tile<ptr<f16>>, %K: tile<ptr<f16>>, %V: tile<ptr<f16>>, %O: tile<ptr<f32>>) {
    %q = make_tensor_view %Q, shape = [100, 64], strides = [64, 1] : !q
    %k = make_tensor_view %K, shape = [136, 64], strides = [64, 1] : !k
    %v = make_tensor_view %V, shape = [136, 64], strides = [64, 1] : !k
    %o = make_tensor_view %O, shape = [100, 64], strides = [64, 1] : !o
    %pq = make_partition_view %q : !pq
    %pk = make_partition_view %k : !pk
    %pv = make_partition_view %v : !pk
    %po = make_partition_view %o : !po
    %0 = constant <i32: 0> : tile<i32>
    %tq, %t1 = load_view_tko weak %pq[%0, %0] : !pq, tile<i32> -> tile<128x64xf16>, token
    %tk, %t2 = load_view_tko weak %pk[%0, %0] : !pk, tile<i32> -> tile<256x64xf16>, token
    %tv, %t3 = load_view_tko weak %pv[%0, %0] : !pk, tile<i32> -> tile<256x64xf16>, token
    %kt = permute %tk [1, 0] : tile<256x64xf16> -> tile<64x256xf16>
    %zero = constant <f32: 0.0> : !s
    %w0 = mmaf %tq, %kt, %zero : tile<128x64xf16>, tile<64x256xf16>, !s
    %scale = constant <f32: 0.125> : !s
    %w1 = mulf %w0, %scale : !s
    %number = iota : tile<256xi32>
    %n = constant <i32: 136> : tile<256xi32>
    %in = cmpi less_than %number, %n, signed : tile<256xi32> -> tile<256xi1>
    %in1 = reshape %in : tile<256xi1> -> tile<1x256xi1>
    %in2 = broadcast %in1 : tile<1x256xi1> -> tile<128x256xi1>
    %minus = constant <f32: 0xFF800000> : !s
    %w = select %in2, %w1, %minus : tile<128x256xi1>, !s
    %max = reduce %w dim=1 identities=[0xFF800000 : f32] : !s -> tile<128xf32>
    (%a: tile<f32>, %b: tile<f32>) { %r = maxf %a, %b : tile<f32> yield %r : tile<f32> }
    %max1 = reshape %max : tile<128xf32> -> tile<128x1xf32>
    %max2 = broadcast %max1 : tile<128x1xf32> -> !s
    %d = subf %w, %max2 : !s
    %e = exp %d : !s
    %sum = reduce %e dim=1 identities=[0.0 : f32] : !s -> tile<128xf32>
    (%a: tile<f32>, %b: tile<f32>) { %r = addf %a, %b : tile<f32> yield %r : tile<f32> }
    %eh = ftof %e : !s -> tile<128x256xf16>
    %none = constant <f32: 0.0> : tile<128x64xf32>
    %out = mmaf %eh, %tv, %none : tile<128x256xf16>, tile<256x64xf16>, tile<128x64xf32>
    %sum1 = reshape %sum : tile<128xf32> -> tile<128x1xf32>
    %sum2 = broadcast %sum1 : tile<128x1xf32> -> tile<128x64xf32>
    %res = divf %out, %sum2 : tile<128x64xf32>
    %t4 = store_view_tko weak %res, %po[%0, %0] : tile<128x64xf32>, !po, tile<i32> -> token
  }
}
