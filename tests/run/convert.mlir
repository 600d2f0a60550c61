// RUN: %engines %t %s --grid 16 normal:f32:4096 f16=zeros:f16:4096 bf16=zeros:bf16:4096 tf32=zeros:tf32:4096 f64=zeros:f64:4096 f8e4m3fn=zeros:f8E4M3FN:4096 f8e5m2=zeros:f8E5M2:4096 --save f16 --save bf16 --save tf32 --save f64 --save f8e4m3fn --save f8e5m2
// RUN: %npy make %t.odd.npy '<f4' 256 '[0.0, -0.0, inf, -inf, nan, 1e-45, 65519.0, 65520.0, 448.0, 449.0, 464.0, 57344.0, 61440.0, 1e30, -1e30, 6e-8][i % 16] * (1 + i // 16 / 32)'
// RUN: %engines %t.odd %s --grid 1 %t.odd.npy f16=zeros:f16:256 bf16=zeros:bf16:256 tf32=zeros:tf32:256 f64=zeros:f64:256 f8e4m3fn=zeros:f8E4M3FN:256 f8e5m2=zeros:f8E5M2:256 --save f16 --save bf16 --save tf32 --save f64 --save f8e4m3fn --save f8e5m2
//
// f32 to every narrower float and to f64, of ordinary and of special values. The interpreter is
// exact; the CPU's conversions must give the same bits.
cuda_tile.module @convert {
  entry @convert(%in: tile<ptr<f32>>, %f16: tile<ptr<f16>>, %bf16: tile<ptr<bf16>>, %tf32: tile<ptr<tf32>>, %f64: tile<ptr<f64>>, %f8e4m3fn: tile<ptr<f8E4M3FN>>, %f8e5m2: tile<ptr<f8E5M2>>) {
    %block, %by, %bz = get_tile_block_id : tile<i32>
    %view = make_tensor_view %in, shape = [4096], strides = [1] : tensor_view<4096xf32, strides=[1]>
    %tiles = make_partition_view %view : partition_view<tile=(256), tensor_view<4096xf32, strides=[1]>>
    %x, %t0 = load_view_tko weak %tiles[%block] : partition_view<tile=(256), tensor_view<4096xf32, strides=[1]>>, tile<i32> -> tile<256xf32>, token
    %f16_x = ftof %x : tile<256xf32> -> tile<256xf16>
    %f16_view = make_tensor_view %f16, shape = [4096], strides = [1] : tensor_view<4096xf16, strides=[1]>
    %f16_tiles = make_partition_view %f16_view : partition_view<tile=(256), tensor_view<4096xf16, strides=[1]>>
    %f16_t = store_view_tko weak %f16_x, %f16_tiles[%block] : tile<256xf16>, partition_view<tile=(256), tensor_view<4096xf16, strides=[1]>>, tile<i32> -> token
    %bf16_x = ftof %x : tile<256xf32> -> tile<256xbf16>
    %bf16_view = make_tensor_view %bf16, shape = [4096], strides = [1] : tensor_view<4096xbf16, strides=[1]>
    %bf16_tiles = make_partition_view %bf16_view : partition_view<tile=(256), tensor_view<4096xbf16, strides=[1]>>
    %bf16_t = store_view_tko weak %bf16_x, %bf16_tiles[%block] : tile<256xbf16>, partition_view<tile=(256), tensor_view<4096xbf16, strides=[1]>>, tile<i32> -> token
    %tf32_x = ftof %x : tile<256xf32> -> tile<256xtf32>
    %tf32_view = make_tensor_view %tf32, shape = [4096], strides = [1] : tensor_view<4096xtf32, strides=[1]>
    %tf32_tiles = make_partition_view %tf32_view : partition_view<tile=(256), tensor_view<4096xtf32, strides=[1]>>
    %tf32_t = store_view_tko weak %tf32_x, %tf32_tiles[%block] : tile<256xtf32>, partition_view<tile=(256), tensor_view<4096xtf32, strides=[1]>>, tile<i32> -> token
    %f64_x = ftof %x : tile<256xf32> -> tile<256xf64>
    %f64_view = make_tensor_view %f64, shape = [4096], strides = [1] : tensor_view<4096xf64, strides=[1]>
    %f64_tiles = make_partition_view %f64_view : partition_view<tile=(256), tensor_view<4096xf64, strides=[1]>>
    %f64_t = store_view_tko weak %f64_x, %f64_tiles[%block] : tile<256xf64>, partition_view<tile=(256), tensor_view<4096xf64, strides=[1]>>, tile<i32> -> token
    %f8e4m3fn_x = ftof %x : tile<256xf32> -> tile<256xf8E4M3FN>
    %f8e4m3fn_view = make_tensor_view %f8e4m3fn, shape = [4096], strides = [1] : tensor_view<4096xf8E4M3FN, strides=[1]>
    %f8e4m3fn_tiles = make_partition_view %f8e4m3fn_view : partition_view<tile=(256), tensor_view<4096xf8E4M3FN, strides=[1]>>
    %f8e4m3fn_t = store_view_tko weak %f8e4m3fn_x, %f8e4m3fn_tiles[%block] : tile<256xf8E4M3FN>, partition_view<tile=(256), tensor_view<4096xf8E4M3FN, strides=[1]>>, tile<i32> -> token
    %f8e5m2_x = ftof %x : tile<256xf32> -> tile<256xf8E5M2>
    %f8e5m2_view = make_tensor_view %f8e5m2, shape = [4096], strides = [1] : tensor_view<4096xf8E5M2, strides=[1]>
    %f8e5m2_tiles = make_partition_view %f8e5m2_view : partition_view<tile=(256), tensor_view<4096xf8E5M2, strides=[1]>>
    %f8e5m2_t = store_view_tko weak %f8e5m2_x, %f8e5m2_tiles[%block] : tile<256xf8E5M2>, partition_view<tile=(256), tensor_view<4096xf8E5M2, strides=[1]>>, tile<i32> -> token
  }
}
