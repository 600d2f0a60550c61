// RUN: %engines %t %s --grid 4 normal:f32:1024 arange:i32:256 power=zeros:f32:1024 half=zeros:f16:1024 whole=zeros:i8:1024 odd=zeros:f32:1024 scale=zeros:f32:1024 --save power --save half --save whole --save odd --save scale
//
// What came in 13.4: integer powers, saturating conversions, inserting a slice whose number is known
// at run time only, f8E5M3FNU, rounding away from zero, promises about bounds, orders that a CPU
// keeps anyway. The engines give the same bits.
cuda_tile.module @newest {
  entry @newest(%in: tile<ptr<f32>>, %count: tile<ptr<i32>>, %power: tile<ptr<f32>>, %half: tile<ptr<f16>>, %whole: tile<ptr<i8>>, %odd: tile<ptr<f32>>, %scale: tile<ptr<f32>>) {
    %w = gdc_wait_tko -> token
    %block, %by, %bz = get_tile_block_id : tile<i32>
    %c8 = constant <i32: 8> : tile<i32>
    %view = make_tensor_view %in, shape = [1024], strides = [1] : tensor_view<1024xf32, strides=[1]>
    %tiles = make_partition_view %view : partition_view<tile=(256), tensor_view<1024xf32, strides=[1]>>
    %x, %t0 = load_view_tko weak %tiles[%block] token = %w inbounds = [true] : partition_view<tile=(256), tensor_view<1024xf32, strides=[1]>>, tile<i32> -> tile<256xf32>, token
    %counts = make_tensor_view %count, shape = [256], strides = [1] : tensor_view<256xi32, strides=[1]>
    %count_tiles = make_partition_view %counts : partition_view<tile=(256), tensor_view<256xi32, strides=[1]>>
    %c0 = constant <i32: 0> : tile<i32>
    %n, %t1 = load_view_tko weak %count_tiles[%c0] : partition_view<tile=(256), tensor_view<256xi32, strides=[1]>>, tile<i32> -> tile<256xi32>, token
    %c100 = constant <i32: 100> : tile<256xi32>
    %exponent = subi %n, %c100 : tile<256xi32>

    %p = fpowi %x, %exponent : tile<256xf32>, tile<256xi32>
    %power_view = make_tensor_view %power, shape = [1024], strides = [1] : tensor_view<1024xf32, strides=[1]>
    %power_tiles = make_partition_view %power_view : partition_view<tile=(256), tensor_view<1024xf32, strides=[1]>>
    %t2 = store_view_tko weak %p, %power_tiles[%block] inbounds = [true] : tile<256xf32>, partition_view<tile=(256), tensor_view<1024xf32, strides=[1]>>, tile<i32> -> token

    %h = ftof %x : tile<256xf32> -> tile<256xf16>
    %n8 = trunci %exponent : tile<256xi32> -> tile<256xi8>
    %hp = fpowi %h, %n8 : tile<256xf16>, tile<256xi8>
    %half_view = make_tensor_view %half, shape = [1024], strides = [1] : tensor_view<1024xf16, strides=[1]>
    %half_tiles = make_partition_view %half_view : partition_view<tile=(256), tensor_view<1024xf16, strides=[1]>>
    %t3 = store_view_tko weak %hp, %half_tiles[%block] : tile<256xf16>, partition_view<tile=(256), tensor_view<1024xf16, strides=[1]>>, tile<i32> -> token

    %hundred = constant <f32: 100.0> : tile<256xf32>
    %large = mulf %x, %hundred : tile<256xf32>
    %b = ftoi %large signed saturating : tile<256xf32> -> tile<256xi8>
    %whole_view = make_tensor_view %whole, shape = [1024], strides = [1] : tensor_view<1024xi8, strides=[1]>
    %whole_tiles = make_partition_view %whole_view : partition_view<tile=(256), tensor_view<1024xi8, strides=[1]>>
    %t4 = store_view_tko weak %b, %whole_tiles[%block] : tile<256xi8>, partition_view<tile=(256), tensor_view<1024xi8, strides=[1]>>, tile<i32> -> token

    %short = ftof %x rounding<nearest_away> : tile<256xf32> -> tile<256xtf32>
    %back = ftof %short rounding<positive_inf> : tile<256xtf32> -> tile<256xf32>
    %slice = extract %back[%block] : tile<256xf32> -> tile<32xf32>
    %doubled = addf %slice, %slice : tile<32xf32>
    %f = memory_fence_alias_tko token = %t4 -> token
    %put = insert %doubled, %back[%block] : tile<32xf32>, tile<256xf32> -> tile<256xf32>
    %square = reshape %put : tile<256xf32> -> tile<16x16xf32>
    %row = constant <f32: 7.0> : tile<1x4xf32>
    %both = insert %row, %square[%block, %block] : tile<1x4xf32>, tile<16x16xf32> -> tile<16x16xf32>
    %flat = reshape %both : tile<16x16xf32> -> tile<256xf32>
    %odd_view = make_tensor_view %odd, shape = [1024], strides = [1] : tensor_view<1024xf32, strides=[1]>
    %odd_tiles = make_partition_view %odd_view : partition_view<tile=(256), tensor_view<1024xf32, strides=[1]>>
    %t5 = store_view_tko weak %flat, %odd_tiles[%block] token = %f : tile<256xf32>, partition_view<tile=(256), tensor_view<1024xf32, strides=[1]>>, tile<i32> -> token

    %e5m3 = ftof %large : tile<256xf32> -> tile<256xf8E5M3FNU>
    %wide = ftof %e5m3 : tile<256xf8E5M3FNU> -> tile<256xf32>
    %scale_view = make_tensor_view %scale, shape = [1024], strides = [1] : tensor_view<1024xf32, strides=[1]>
    %scale_tiles = make_partition_view %scale_view : partition_view<tile=(256), tensor_view<1024xf32, strides=[1]>>
    %t6 = store_view_tko weak %wide, %scale_tiles[%block] : tile<256xf32>, partition_view<tile=(256), tensor_view<1024xf32, strides=[1]>>, tile<i32> -> token
    %d = gdc_launch_dependents_tko -> token
    loop {
      %stop = cmpi less_than %block, %c8, signed : tile<i32> -> tile<i1>
      if %stop { return }
    }
  }
}
