// RUN: %transcript %s
//
// join-steps: products of tiles that are short along k take several steps at once.
cuda_tile.module @joined {
  entry @halves(%m: tile<i32>, %A: tile<ptr<f16>>, %B: tile<ptr<f16>>, %C: tile<ptr<f32>>) {
    %from = constant <i32: 0> : tile<i32>
    %to = constant <i32: 6> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %none = constant <f32: 0.0> : tile<4x8xf32>
    %av = make_tensor_view %A, shape = [%m, 90], strides = [90, 1] : tile<i32> -> tensor_view<?x90xf16, strides=[90,1]>
    %bv = make_tensor_view %B, shape = [90, 8], strides = [8, 1] : tensor_view<90x8xf16, strides=[8,1]>
    %cv = make_tensor_view %C, shape = [%m, 8], strides = [8, 1] : tile<i32> -> tensor_view<?x8xf32, strides=[8,1]>
    %ap = make_partition_view %av : partition_view<tile=(4x16), padding_value = zero, tensor_view<?x90xf16, strides=[90,1]>>
    %bp = make_partition_view %bv : partition_view<tile=(16x8), padding_value = zero, tensor_view<90x8xf16, strides=[8,1]>>
    %cp = make_partition_view %cv : partition_view<tile=(4x8), tensor_view<?x8xf32, strides=[8,1]>>
    %i, %j, %h = get_tile_block_id : tile<i32>
    %begin = make_token : token
    %sum, %read = for %k in (%from to %to, step %one) : tile<i32> iter_values(%s = %none, %t = %begin) -> (tile<4x8xf32>, token) {
      %a, %ta = load_view_tko weak %ap[%i, %k] token = %t : partition_view<tile=(4x16), padding_value = zero, tensor_view<?x90xf16, strides=[90,1]>>, tile<i32> -> tile<4x16xf16>, token
      %b, %tb = load_view_tko weak %bp[%k, %from] token = %t : partition_view<tile=(16x8), padding_value = zero, tensor_view<90x8xf16, strides=[8,1]>>, tile<i32> -> tile<16x8xf16>, token
      %both = join_tokens %ta, %tb : token
      %n = mmaf %a, %b, %s : tile<4x16xf16>, tile<16x8xf16>, tile<4x8xf32>
      continue %n, %both : tile<4x8xf32>, token
    }
    %stored = store_view_tko weak %sum, %cp[%i, %from] token = %read : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<?x8xf32, strides=[8,1]>>, tile<i32> -> token
  }

  // Two products in turned and converted tiles, from the eighth tile on.
  entry @turned(%A: tile<ptr<i8>>, %B: tile<ptr<i8>>, %C: tile<ptr<f32>>) {
    %from = constant <i64: 8> : tile<i64>
    %to = constant <i64: 24> : tile<i64>
    %one = constant <i64: 1> : tile<i64>
    %zero = constant <i64: 0> : tile<i64>
    %none = constant <f32: 1.0> : tile<1x4x8xf32>
    %first = constant <i32: -2147483648> : tile<1x4x8xi32>
    %av = make_tensor_view %A, shape = [1, 4, 192], strides = [768, 192, 1] : tensor_view<1x4x192xi8, strides=[768,192,1]>
    %bv = make_tensor_view %B, shape = [8, 1, 192], strides = [192, 192, 1] : tensor_view<8x1x192xi8, strides=[192,192,1]>
    %ap = make_partition_view %av : partition_view<tile=(1x8x4), tensor_view<1x4x192xi8, strides=[768,192,1]>, dim_map=[0,2,1]>
    %bp = make_partition_view %bv : partition_view<tile=(8x1x8), tensor_view<8x1x192xi8, strides=[192,192,1]>>
    %sum, %whole = for %k in (%from to %to, step %one) : tile<i64> iter_values(%s = %none, %w = %first) -> (tile<1x4x8xf32>, tile<1x4x8xi32>) {
      %a, %t0 = load_view_tko weak %ap[%zero, %k, %zero] : partition_view<tile=(1x8x4), tensor_view<1x4x192xi8, strides=[768,192,1]>, dim_map=[0,2,1]>, tile<i64> -> tile<1x8x4xi8>, token
      %b, %t1 = load_view_tko weak %bp[%zero, %zero, %k] : partition_view<tile=(8x1x8), tensor_view<8x1x192xi8, strides=[192,192,1]>>, tile<i64> -> tile<8x1x8xi8>, token
      %af = itof %a signed : tile<1x8x4xi8> -> tile<1x8x4xf16>
      %at = permute %af [0, 2, 1] : tile<1x8x4xf16> -> tile<1x4x8xf16>
      %bt = permute %b [1, 2, 0] : tile<8x1x8xi8> -> tile<1x8x8xi8>
      %bf = itof %bt signed : tile<1x8x8xi8> -> tile<1x8x8xf16>
      %n = mmaf %at, %bf, %s : tile<1x4x8xf16>, tile<1x8x8xf16>, tile<1x4x8xf32>
      %a2, %t2 = load_view_tko weak %ap[%zero, %k, %zero] : partition_view<tile=(1x8x4), tensor_view<1x4x192xi8, strides=[768,192,1]>, dim_map=[0,2,1]>, tile<i64> -> tile<1x8x4xi8>, token
      %b2, %t3 = load_view_tko weak %bp[%zero, %zero, %k] : partition_view<tile=(8x1x8), tensor_view<8x1x192xi8, strides=[192,192,1]>>, tile<i64> -> tile<8x1x8xi8>, token
      %a2t = permute %a2 [0, 2, 1] : tile<1x8x4xi8> -> tile<1x4x8xi8>
      %b2t = permute %b2 [1, 2, 0] : tile<8x1x8xi8> -> tile<1x8x8xi8>
      %o = mmai %a2t, %b2t, %w signed signed : tile<1x4x8xi8>, tile<1x8x8xi8>, tile<1x4x8xi32>
      continue %n, %o : tile<1x4x8xf32>, tile<1x4x8xi32>
    }
    print_tko "%f %i\n", %sum, %whole : tile<1x4x8xf32>, tile<1x4x8xi32> -> token
  }

  // Not these: what is summed in f16, an odd number of steps, an unknown number, a step of 2, whole
  // lines, columns in memory, a counter or a sum that something else reads, and a store in the loop.
  entry @not(%n: tile<i32>, %A: tile<ptr<f16>>, %W: tile<ptr<f32>>, %C: tile<ptr<f32>>) {
    %from = constant <i32: 0> : tile<i32>
    %to = constant <i32: 2> : tile<i32>
    %odd = constant <i32: 3> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %half = constant <f16: 0.0> : tile<4x4xf16>
    %none = constant <f32: 0.0> : tile<4x4xf32>
    %av = make_tensor_view %A, shape = [4, 64], strides = [64, 1] : tensor_view<4x64xf16, strides=[64,1]>
    %ap = make_partition_view %av : partition_view<tile=(4x16), tensor_view<4x64xf16, strides=[64,1]>>
    %bv = make_tensor_view %A, shape = [64, 4], strides = [4, 1] : tensor_view<64x4xf16, strides=[4,1]>
    %bp = make_partition_view %bv : partition_view<tile=(16x4), tensor_view<64x4xf16, strides=[4,1]>>
    %lv = make_tensor_view %W, shape = [4, 64], strides = [64, 1] : tensor_view<4x64xf32, strides=[64,1]>
    %lp = make_partition_view %lv : partition_view<tile=(4x16), tensor_view<4x64xf32, strides=[64,1]>>
    %rv = make_tensor_view %W, shape = [64, 4], strides = [4, 1] : tensor_view<64x4xf32, strides=[4,1]>
    %rp = make_partition_view %rv : partition_view<tile=(16x4), tensor_view<64x4xf32, strides=[4,1]>>
    %tv = make_tensor_view %A, shape = [4, 64], strides = [1, 4] : tensor_view<4x64xf16, strides=[1,4]>
    %tp = make_partition_view %tv : partition_view<tile=(4x16), tensor_view<4x64xf16, strides=[1,4]>>
    %cv = make_tensor_view %C, shape = [4, 4], strides = [4, 1] : tensor_view<4x4xf32, strides=[4,1]>
    %cp = make_partition_view %cv : partition_view<tile=(4x4), tensor_view<4x4xf32, strides=[4,1]>>
    %r0 = for %k in (%from to %to, step %one) : tile<i32> iter_values(%s = %half) -> (tile<4x4xf16>) {
      %a, %t0 = load_view_tko weak %ap[%from, %k] : partition_view<tile=(4x16), tensor_view<4x64xf16, strides=[64,1]>>, tile<i32> -> tile<4x16xf16>, token
      %b, %t1 = load_view_tko weak %bp[%k, %from] : partition_view<tile=(16x4), tensor_view<64x4xf16, strides=[4,1]>>, tile<i32> -> tile<16x4xf16>, token
      %x = mmaf %a, %b, %s : tile<4x16xf16>, tile<16x4xf16>, tile<4x4xf16>
      continue %x : tile<4x4xf16>
    }
    %r1 = for %k in (%from to %odd, step %one) : tile<i32> iter_values(%s = %none) -> (tile<4x4xf32>) {
      %a, %t0 = load_view_tko weak %ap[%from, %k] : partition_view<tile=(4x16), tensor_view<4x64xf16, strides=[64,1]>>, tile<i32> -> tile<4x16xf16>, token
      %b, %t1 = load_view_tko weak %bp[%k, %from] : partition_view<tile=(16x4), tensor_view<64x4xf16, strides=[4,1]>>, tile<i32> -> tile<16x4xf16>, token
      %x = mmaf %a, %b, %s : tile<4x16xf16>, tile<16x4xf16>, tile<4x4xf32>
      continue %x : tile<4x4xf32>
    }
    %r2 = for %k in (%from to %n, step %one) : tile<i32> iter_values(%s = %none) -> (tile<4x4xf32>) {
      %a, %t0 = load_view_tko weak %ap[%from, %k] : partition_view<tile=(4x16), tensor_view<4x64xf16, strides=[64,1]>>, tile<i32> -> tile<4x16xf16>, token
      %b, %t1 = load_view_tko weak %bp[%k, %from] : partition_view<tile=(16x4), tensor_view<64x4xf16, strides=[4,1]>>, tile<i32> -> tile<16x4xf16>, token
      %x = mmaf %a, %b, %s : tile<4x16xf16>, tile<16x4xf16>, tile<4x4xf32>
      continue %x : tile<4x4xf32>
    }
    %r3 = for %k in (%from to %to, step %two) : tile<i32> iter_values(%s = %none) -> (tile<4x4xf32>) {
      %a, %t0 = load_view_tko weak %ap[%from, %k] : partition_view<tile=(4x16), tensor_view<4x64xf16, strides=[64,1]>>, tile<i32> -> tile<4x16xf16>, token
      %b, %t1 = load_view_tko weak %bp[%k, %from] : partition_view<tile=(16x4), tensor_view<64x4xf16, strides=[4,1]>>, tile<i32> -> tile<16x4xf16>, token
      %x = mmaf %a, %b, %s : tile<4x16xf16>, tile<16x4xf16>, tile<4x4xf32>
      continue %x : tile<4x4xf32>
    }
    %r4 = for %k in (%from to %to, step %one) : tile<i32> iter_values(%s = %none) -> (tile<4x4xf32>) {
      %a, %t0 = load_view_tko weak %lp[%from, %k] : partition_view<tile=(4x16), tensor_view<4x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x16xf32>, token
      %b, %t1 = load_view_tko weak %rp[%k, %from] : partition_view<tile=(16x4), tensor_view<64x4xf32, strides=[4,1]>>, tile<i32> -> tile<16x4xf32>, token
      %x = mmaf %a, %b, %s : tile<4x16xf32>, tile<16x4xf32>, tile<4x4xf32>
      continue %x : tile<4x4xf32>
    }
    %r5 = for %k in (%from to %to, step %one) : tile<i32> iter_values(%s = %none) -> (tile<4x4xf32>) {
      %a, %t0 = load_view_tko weak %tp[%from, %k] : partition_view<tile=(4x16), tensor_view<4x64xf16, strides=[1,4]>>, tile<i32> -> tile<4x16xf16>, token
      %b, %t1 = load_view_tko weak %bp[%k, %from] : partition_view<tile=(16x4), tensor_view<64x4xf16, strides=[4,1]>>, tile<i32> -> tile<16x4xf16>, token
      %x = mmaf %a, %b, %s : tile<4x16xf16>, tile<16x4xf16>, tile<4x4xf32>
      continue %x : tile<4x4xf32>
    }
    %r6, %last = for %k in (%from to %to, step %one) : tile<i32> iter_values(%s = %none, %l = %from) -> (tile<4x4xf32>, tile<i32>) {
      %a, %t0 = load_view_tko weak %ap[%from, %k] : partition_view<tile=(4x16), tensor_view<4x64xf16, strides=[64,1]>>, tile<i32> -> tile<4x16xf16>, token
      %b, %t1 = load_view_tko weak %bp[%k, %from] : partition_view<tile=(16x4), tensor_view<64x4xf16, strides=[4,1]>>, tile<i32> -> tile<16x4xf16>, token
      %x = mmaf %a, %b, %s : tile<4x16xf16>, tile<16x4xf16>, tile<4x4xf32>
      continue %x, %k : tile<4x4xf32>, tile<i32>
    }
    %r7, %before = for %k in (%from to %to, step %one) : tile<i32> iter_values(%s = %none, %l = %none) -> (tile<4x4xf32>, tile<4x4xf32>) {
      %a, %t0 = load_view_tko weak %ap[%from, %k] : partition_view<tile=(4x16), tensor_view<4x64xf16, strides=[64,1]>>, tile<i32> -> tile<4x16xf16>, token
      %b, %t1 = load_view_tko weak %bp[%k, %from] : partition_view<tile=(16x4), tensor_view<64x4xf16, strides=[4,1]>>, tile<i32> -> tile<16x4xf16>, token
      %x = mmaf %a, %b, %s : tile<4x16xf16>, tile<16x4xf16>, tile<4x4xf32>
      continue %x, %s : tile<4x4xf32>, tile<4x4xf32>
    }
    %r8 = for %k in (%from to %to, step %one) : tile<i32> iter_values(%s = %none) -> (tile<4x4xf32>) {
      %a, %t0 = load_view_tko weak %ap[%from, %k] : partition_view<tile=(4x16), tensor_view<4x64xf16, strides=[64,1]>>, tile<i32> -> tile<4x16xf16>, token
      %b, %t1 = load_view_tko weak %bp[%k, %from] : partition_view<tile=(16x4), tensor_view<64x4xf16, strides=[4,1]>>, tile<i32> -> tile<16x4xf16>, token
      %x = mmaf %a, %b, %s : tile<4x16xf16>, tile<16x4xf16>, tile<4x4xf32>
      %t2 = store_view_tko weak %none, %cp[%k, %k] : tile<4x4xf32>, partition_view<tile=(4x4), tensor_view<4x4xf32, strides=[4,1]>>, tile<i32> -> token
      continue %x : tile<4x4xf32>
    }
    print_tko "%f %f %f %f\n", %r0, %r1, %r2, %r3 : tile<4x4xf16>, tile<4x4xf32>, tile<4x4xf32>, tile<4x4xf32> -> token
    print_tko "%f %f %f %i\n", %r4, %r5, %r6, %last : tile<4x4xf32>, tile<4x4xf32>, tile<4x4xf32>, tile<i32> -> token
    print_tko "%f %f %f\n", %r7, %before, %r8 : tile<4x4xf32>, tile<4x4xf32>, tile<4x4xf32> -> token
  }
}

// $ tessera opt joined.mlir --passes=join-steps >after.mlir; grep -E 'entry|for | mma' after.mlir | sed 's/ :.*//'
//   entry @halves(%m: tile<i32>, %A: tile<ptr<f16>>, %B: tile<ptr<f16>>, %C: tile<ptr<f32>>) {
//     %sum, %read = for %k in (%from to %cst_3_i32, step %one)
//       %n = mmaf %a, %b, %s
//   entry @turned(%A: tile<ptr<i8>>, %B: tile<ptr<i8>>, %C: tile<ptr<f32>>) {
//     %sum, %whole = for %k in (%cst_1_i64 to %cst_3_i64, step %one)
//       %n = mmaf %at, %bf, %s
//       %o = mmai %a2t, %b2t, %w signed signed
//   entry @not(%n: tile<i32>, %A: tile<ptr<f16>>, %W: tile<ptr<f32>>, %C: tile<ptr<f32>>) {
//     %r0 = for %k in (%from to %to, step %one)
//       %x = mmaf %a, %b, %s
//     %r1 = for %k in (%from to %odd, step %one)
//       %x = mmaf %a, %b, %s
//     %r2 = for %k in (%from to %n, step %one)
//       %x = mmaf %a, %b, %s
//     %r3 = for %k in (%from to %to, step %two)
//       %x = mmaf %a, %b, %s
//     %r4 = for %k in (%from to %to, step %one)
//       %x = mmaf %a, %b, %s
//     %r5 = for %k in (%from to %to, step %one)
//       %x = mmaf %a, %b, %s
//     %r6, %last = for %k in (%from to %to, step %one)
//       %x = mmaf %a, %b, %s
//     %r7, %before = for %k in (%from to %to, step %one)
//       %x = mmaf %a, %b, %s
//     %r8 = for %k in (%from to %to, step %one)
//       %x = mmaf %a, %b, %s
// $ tessera run joined.mlir -t interp -k halves -g 2 i32:7 normal:f16:7x90 normal:f16:90x8 C=zeros:f32:7x8 --save C=before.npy
// $ tessera run after.mlir -t interp -k halves -g 2 i32:7 normal:f16:7x90 normal:f16:90x8 C=zeros:f32:7x8 --save C=after.npy
// $ cmp before.npy after.npy
// $ tessera run joined.mlir -t interp -k turned -g 1 normal:i8:4x192 normal:i8:8x192 zeros:f32:1 >before.txt
// $ tessera run after.mlir -t interp -k turned -g 1 normal:i8:4x192 normal:i8:8x192 zeros:f32:1 | cmp - before.txt
