// RUN: sed 's/ELEM/i2/g; s/REAL/f6E3M2FN/g' %s >%t.i2.mlir
// RUN: %engines %t.i2 %t.i2.mlir --extensions --kernel int --grid 16 normal:i2:992 zeros:i32:992 z=zeros:i2:992 zeros:i32:992 i32:992 --save y --save z --save w --no-sanitizer
// RUN: sed 's/ELEM/i3/g; s/REAL/f6E3M2FN/g' %s >%t.i3.mlir
// RUN: %engines %t.i3 %t.i3.mlir --extensions --kernel int --grid 16 normal:i3:992 zeros:i32:992 z=zeros:i3:992 zeros:i32:992 i32:992 --save y --save z --save w --no-sanitizer
// RUN: %engines %t.i3 %t.i3.mlir --extensions --kernel shifted_int --grid 8 normal:i3:1100 zeros:i32:1024 z=ones:i3:1100 zeros:i32:1024 i32:35 --save y --save z --save w --no-sanitizer
// RUN: sed 's/ELEM/i5/g; s/REAL/f6E3M2FN/g' %s >%t.i5.mlir
// RUN: %engines %t.i5 %t.i5.mlir --extensions --kernel int --grid 16 normal:i5:992 zeros:i32:992 z=zeros:i5:992 zeros:i32:992 i32:992 --save y --save z --save w --no-sanitizer
// RUN: sed 's/ELEM/i6/g; s/REAL/f6E3M2FN/g' %s >%t.i6.mlir
// RUN: %engines %t.i6 %t.i6.mlir --extensions --kernel int --grid 16 normal:i6:992 zeros:i32:992 z=zeros:i6:992 zeros:i32:992 i32:992 --save y --save z --save w --no-sanitizer
// RUN: sed 's/ELEM/i7/g; s/REAL/f6E3M2FN/g' %s >%t.i7.mlir
// RUN: %engines %t.i7 %t.i7.mlir --extensions --kernel int --grid 16 normal:i7:992 zeros:i32:992 z=zeros:i7:992 zeros:i32:992 i32:992 --save y --save z --save w --no-sanitizer
// RUN: %engines %t.i7 %t.i7.mlir --extensions --kernel shifted_int --grid 8 normal:i7:1100 zeros:i32:1024 z=ones:i7:1100 zeros:i32:1024 i32:35 --save y --save z --save w --no-sanitizer
// RUN: sed 's/ELEM/i3/g; s/REAL/f6E2M3FN/g' %s >%t.f6E2M3FN.mlir
// RUN: %engines %t.f6E2M3FN %t.f6E2M3FN.mlir --extensions --kernel float --grid 16 normal:f6E2M3FN:992 zeros:f32:992 z=zeros:f6E2M3FN:992 zeros:f32:992 i32:992 --save y --save z --save w --no-sanitizer
// RUN: %engines %t.f6E2M3FN %t.f6E2M3FN.mlir --extensions --kernel shifted_float --grid 8 normal:f6E2M3FN:1100 zeros:f32:1024 z=ones:f6E2M3FN:1100 zeros:f32:1024 i32:35 --save y --save z --save w --no-sanitizer
// RUN: sed 's/ELEM/i3/g; s/REAL/f6E3M2FN/g' %s >%t.f6E3M2FN.mlir
// RUN: %engines %t.f6E3M2FN %t.f6E3M2FN.mlir --extensions --kernel float --grid 16 normal:f6E3M2FN:992 zeros:f32:992 z=zeros:f6E3M2FN:992 zeros:f32:992 i32:992 --save y --save z --save w --no-sanitizer
// RUN: sed 's/ELEM/i3/g; s/REAL/f7E5M1FN/g' %s >%t.f7E5M1FN.mlir
// RUN: %engines %t.f7E5M1FN %t.f7E5M1FN.mlir --extensions --kernel float --grid 16 normal:f7E5M1FN:992 zeros:f32:992 z=zeros:f7E5M1FN:992 zeros:f32:992 i32:992 --save y --save z --save w --no-sanitizer
// RUN: %engines %t.f7E5M1FN %t.f7E5M1FN.mlir --extensions --kernel shifted_float --grid 8 normal:f7E5M1FN:1100 zeros:f32:1024 z=ones:f7E5M1FN:1100 zeros:f32:1024 i32:35 --save y --save z --save w --no-sanitizer
// RUN: sed 's/ELEM/i3/g; s/REAL/f7E4M2FN/g' %s >%t.f7E4M2FN.mlir
// RUN: %engines %t.f7E4M2FN %t.f7E4M2FN.mlir --extensions --kernel float --grid 16 normal:f7E4M2FN:992 zeros:f32:992 z=zeros:f7E4M2FN:992 zeros:f32:992 i32:992 --save y --save z --save w --no-sanitizer
// RUN: sed 's/ELEM/i3/g; s/REAL/f7E3M3FN/g' %s >%t.f7E3M3FN.mlir
// RUN: %engines %t.f7E3M3FN %t.f7E3M3FN.mlir --extensions --kernel float --grid 16 normal:f7E3M3FN:992 zeros:f32:992 z=zeros:f7E3M3FN:992 zeros:f32:992 i32:992 --save y --save z --save w --no-sanitizer
// RUN: sed 's/ELEM/i3/g; s/REAL/f7E2M4FN/g' %s >%t.f7E2M4FN.mlir
// RUN: %engines %t.f7E2M4FN %t.f7E2M4FN.mlir --extensions --kernel float --grid 16 normal:f7E2M4FN:992 zeros:f32:992 z=zeros:f7E2M4FN:992 zeros:f32:992 i32:992 --save y --save z --save w --no-sanitizer
// RUN: sed 's/ELEM/i3/g; s/REAL/f6E4M1FN/g' %s >%t.f6E4M1FN.mlir
// RUN: %engines %t.f6E4M1FN %t.f6E4M1FN.mlir --extensions --kernel float --grid 16 normal:f6E4M1FN:992 zeros:f32:992 z=zeros:f6E4M1FN:992 zeros:f32:992 i32:992 --save y --save z --save w --no-sanitizer
// RUN: sed 's/ELEM/i3/g; s/REAL/f5E3M1FN/g' %s >%t.f5E3M1FN.mlir
// RUN: %engines %t.f5E3M1FN %t.f5E3M1FN.mlir --extensions --kernel float --grid 16 normal:f5E3M1FN:992 zeros:f32:992 z=zeros:f5E3M1FN:992 zeros:f32:992 i32:992 --save y --save z --save w --no-sanitizer
// RUN: sed 's/ELEM/i3/g; s/REAL/f5E2M2FN/g' %s >%t.f5E2M2FN.mlir
// RUN: %engines %t.f5E2M2FN %t.f5E2M2FN.mlir --extensions --kernel float --grid 16 normal:f5E2M2FN:992 zeros:f32:992 z=zeros:f5E2M2FN:992 zeros:f32:992 i32:992 --save y --save z --save w --no-sanitizer
// RUN: sed 's/ELEM/i3/g; s/REAL/f5E1M3FN/g' %s >%t.f5E1M3FN.mlir
// RUN: %engines %t.f5E1M3FN %t.f5E1M3FN.mlir --extensions --kernel float --grid 16 normal:f5E1M3FN:992 zeros:f32:992 z=zeros:f5E1M3FN:992 zeros:f32:992 i32:992 --save y --save z --save w --no-sanitizer
// RUN: sed 's/ELEM/i3/g; s/REAL/f3E1M1FN/g' %s >%t.f3E1M1FN.mlir
// RUN: %engines %t.f3E1M1FN %t.f3E1M1FN.mlir --extensions --kernel float --grid 16 normal:f3E1M1FN:992 zeros:f32:992 z=zeros:f3E1M1FN:992 zeros:f32:992 i32:992 --save y --save z --save w --no-sanitizer
// RUN: %engines %t.f3E1M1FN %t.f3E1M1FN.mlir --extensions --kernel shifted_float --grid 8 normal:f3E1M1FN:1100 zeros:f32:1024 z=ones:f3E1M1FN:1100 zeros:f32:1024 i32:35 --save y --save z --save w --no-sanitizer
// RUN: sed 's/ELEM/i8/g; s/REAL/f8E4M3FNUZ/g' %s >%t.f8E4M3FNUZ.mlir
// RUN: %engines %t.f8E4M3FNUZ %t.f8E4M3FNUZ.mlir --extensions --kernel float --grid 16 normal:f8E4M3FNUZ:1021 zeros:f32:1021 z=zeros:f8E4M3FNUZ:1021 zeros:f32:1021 i32:1021 --save y --save z --save w
// RUN: sed 's/ELEM/i8/g; s/REAL/f8E5M2FNUZ/g' %s >%t.f8E5M2FNUZ.mlir
// RUN: %engines %t.f8E5M2FNUZ %t.f8E5M2FNUZ.mlir --extensions --kernel float --grid 16 normal:f8E5M2FNUZ:1021 zeros:f32:1021 z=zeros:f8E5M2FNUZ:1021 zeros:f32:1021 i32:1021 --save y --save z --save w
//
// Extensions, put for ELEM and REAL, on every engine that takes them: the same bits.
cuda_tile.module @extensions {
  // Views of any extent, the last tile beyond it; pointers, masked, to every second element; stores
  // of both kinds, and a table of constants.
  entry @int(%x: tile<ptr<ELEM>>, %y: tile<ptr<i32>>, %z: tile<ptr<ELEM>>, %w: tile<ptr<i32>>, %n: tile<i32>) {
    %b, %by, %bz = get_tile_block_id : tile<i32>
    %xv = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xELEM, strides=[1]>
    %xp = make_partition_view %xv : partition_view<tile=(64), padding_value = zero, tensor_view<?xELEM, strides=[1]>>
    %a, %t0 = load_view_tko weak %xp[%b] : partition_view<tile=(64), padding_value = zero, tensor_view<?xELEM, strides=[1]>>, tile<i32> -> tile<64xELEM>, token
    %a32 = exti %a signed : tile<64xELEM> -> tile<64xi32>
    %yv = make_tensor_view %y, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %yp = make_partition_view %yv : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>
    %t1 = store_view_tko weak %a32, %yp[%b] : tile<64xi32>, partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
    %i = iota : tile<64xi32>
    %one = constant <i32: 1> : tile<64xi32>
    %size = constant <i32: 64> : tile<i32>
    %start = muli %b, %size : tile<i32>
    %s1 = reshape %start : tile<i32> -> tile<1xi32>
    %ss = broadcast %s1 : tile<1xi32> -> tile<64xi32>
    %at = addi %ss, %i : tile<64xi32>
    %n1 = reshape %n : tile<i32> -> tile<1xi32>
    %ns = broadcast %n1 : tile<1xi32> -> tile<64xi32>
    %back = subi %ns, %one : tile<64xi32>
    %mirror = subi %back, %at : tile<64xi32>
    %in = cmpi less_than %at, %ns, signed : tile<64xi32> -> tile<64xi1>
    %p1 = reshape %x : tile<ptr<ELEM>> -> tile<1xptr<ELEM>>
    %ps = broadcast %p1 : tile<1xptr<ELEM>> -> tile<64xptr<ELEM>>
    %p = offset %ps, %mirror : tile<64xptr<ELEM>>, tile<64xi32> -> tile<64xptr<ELEM>>
    %none = constant <ELEM: 0> : tile<64xELEM>
    %c, %t2 = load_ptr_tko weak %p, %in, %none : tile<64xptr<ELEM>>, tile<64xi1>, tile<64xELEM> -> tile<64xELEM>, token
    %c32 = exti %c signed : tile<64xELEM> -> tile<64xi32>
    %d = subi %a32, %c32 : tile<64xi32>
    %r = trunci %d : tile<64xi32> -> tile<64xELEM>
    %q1 = reshape %z : tile<ptr<ELEM>> -> tile<1xptr<ELEM>>
    %qs = broadcast %q1 : tile<1xptr<ELEM>> -> tile<64xptr<ELEM>>
    %q = offset %qs, %at : tile<64xptr<ELEM>>, tile<64xi32> -> tile<64xptr<ELEM>>
    %t3 = store_ptr_tko weak %q, %r, %in : tile<64xptr<ELEM>>, tile<64xELEM>, tile<64xi1> -> token
    %odd = andi %at, %one : tile<64xi32>
    %is_odd = cmpi equal %odd, %one, signed : tile<64xi32> -> tile<64xi1>
    %choice = select %is_odd, %c, %none : tile<64xi1>, tile<64xELEM>
    %turned = reshape %choice : tile<64xELEM> -> tile<8x8xELEM>
    %across = permute %turned [1, 0] : tile<8x8xELEM> -> tile<8x8xELEM>
    %flat = reshape %across : tile<8x8xELEM> -> tile<64xELEM>
    %e32 = exti %flat signed : tile<64xELEM> -> tile<64xi32>
    %wv = make_tensor_view %w, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %wp = make_partition_view %wv : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>
    %t4 = store_view_tko weak %e32, %wp[%b] : tile<64xi32>, partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
  }

  // Rows that begin at any bit; rows that an index chooses; a tile that goes back with its rows turned.
  entry @shifted_int(%x: tile<ptr<ELEM>>, %y: tile<ptr<i32>>, %z: tile<ptr<ELEM>>, %w: tile<ptr<i32>>, %row: tile<i32>) {
    %b, %by, %bz = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %three = constant <i32: 3> : tile<i32>
    %base = offset %x, %three : tile<ptr<ELEM>>, tile<i32> -> tile<ptr<ELEM>>
    %v = make_tensor_view %base, shape = [30, 32], strides = [%row, 1] : tile<i32> -> tensor_view<30x32xELEM, strides=[?,1]>
    %p = make_partition_view %v : partition_view<tile=(4x32), tensor_view<30x32xELEM, strides=[?,1]>>
    %a, %t0 = load_view_tko weak %p[%b, %zero] : partition_view<tile=(4x32), tensor_view<30x32xELEM, strides=[?,1]>>, tile<i32> -> tile<4x32xELEM>, token
    %a32 = exti %a unsigned : tile<4x32xELEM> -> tile<4x32xi32>
    %yv = make_tensor_view %y, shape = [32, 32], strides = [32, 1] : tensor_view<32x32xi32, strides=[32,1]>
    %yp = make_partition_view %yv : partition_view<tile=(4x32), tensor_view<32x32xi32, strides=[32,1]>>
    %t1 = store_view_tko weak %a32, %yp[%b, %zero] : tile<4x32xi32>, partition_view<tile=(4x32), tensor_view<32x32xi32, strides=[32,1]>>, tile<i32> -> token
    %rows = constant <i32: [29, 3, 17, 0]> : tile<4xi32>
    %g = make_gather_scatter_view %v : gather_scatter_view<tile=(4x32), tensor_view<30x32xELEM, strides=[?,1]>, sparse_dim=0>
    %c, %t2 = load_view_tko weak %g[%rows, %zero] : gather_scatter_view<tile=(4x32), tensor_view<30x32xELEM, strides=[?,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> tile<4x32xELEM>, token
    %c32 = exti %c unsigned : tile<4x32xELEM> -> tile<4x32xi32>
    %wv = make_tensor_view %w, shape = [32, 32], strides = [32, 1] : tensor_view<32x32xi32, strides=[32,1]>
    %wp = make_partition_view %wv : partition_view<tile=(4x32), tensor_view<32x32xi32, strides=[32,1]>>
    %t3 = store_view_tko weak %c32, %wp[%b, %zero] : tile<4x32xi32>, partition_view<tile=(4x32), tensor_view<32x32xi32, strides=[32,1]>>, tile<i32> -> token
    %turned = permute %a [1, 0] : tile<4x32xELEM> -> tile<32x4xELEM>
    %flat = reshape %turned : tile<32x4xELEM> -> tile<4x32xELEM>
    %zb = offset %z, %three : tile<ptr<ELEM>>, tile<i32> -> tile<ptr<ELEM>>
    %zv = make_tensor_view %zb, shape = [32, 32], strides = [32, 1] : tensor_view<32x32xELEM, strides=[32,1]>
    %zp = make_partition_view %zv : partition_view<tile=(4x32), tensor_view<32x32xELEM, strides=[32,1]>>
    %t4 = store_view_tko weak %flat, %zp[%b, %zero] : tile<4x32xELEM>, partition_view<tile=(4x32), tensor_view<32x32xELEM, strides=[32,1]>>, tile<i32> -> token
  }

  // Views of any extent, the last tile beyond it; pointers, masked, to every second element; stores
  // of both kinds, and a table of constants.
  entry @float(%x: tile<ptr<REAL>>, %y: tile<ptr<f32>>, %z: tile<ptr<REAL>>, %w: tile<ptr<f32>>, %n: tile<i32>) {
    %b, %by, %bz = get_tile_block_id : tile<i32>
    %xv = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xREAL, strides=[1]>
    %xp = make_partition_view %xv : partition_view<tile=(64), padding_value = zero, tensor_view<?xREAL, strides=[1]>>
    %a, %t0 = load_view_tko weak %xp[%b] : partition_view<tile=(64), padding_value = zero, tensor_view<?xREAL, strides=[1]>>, tile<i32> -> tile<64xREAL>, token
    %a32 = ftof %a : tile<64xREAL> -> tile<64xf32>
    %yv = make_tensor_view %y, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %yp = make_partition_view %yv : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
    %t1 = store_view_tko weak %a32, %yp[%b] : tile<64xf32>, partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    %i = iota : tile<64xi32>
    %one = constant <i32: 1> : tile<64xi32>
    %size = constant <i32: 64> : tile<i32>
    %start = muli %b, %size : tile<i32>
    %s1 = reshape %start : tile<i32> -> tile<1xi32>
    %ss = broadcast %s1 : tile<1xi32> -> tile<64xi32>
    %at = addi %ss, %i : tile<64xi32>
    %n1 = reshape %n : tile<i32> -> tile<1xi32>
    %ns = broadcast %n1 : tile<1xi32> -> tile<64xi32>
    %back = subi %ns, %one : tile<64xi32>
    %mirror = subi %back, %at : tile<64xi32>
    %in = cmpi less_than %at, %ns, signed : tile<64xi32> -> tile<64xi1>
    %p1 = reshape %x : tile<ptr<REAL>> -> tile<1xptr<REAL>>
    %ps = broadcast %p1 : tile<1xptr<REAL>> -> tile<64xptr<REAL>>
    %p = offset %ps, %mirror : tile<64xptr<REAL>>, tile<64xi32> -> tile<64xptr<REAL>>
    %none = constant <REAL: 0.0> : tile<64xREAL>
    %c, %t2 = load_ptr_tko weak %p, %in, %none : tile<64xptr<REAL>>, tile<64xi1>, tile<64xREAL> -> tile<64xREAL>, token
    %c32 = ftof %c : tile<64xREAL> -> tile<64xf32>
    %d = subf %a32, %c32 : tile<64xf32>
    %r = ftof %d : tile<64xf32> -> tile<64xREAL>
    %q1 = reshape %z : tile<ptr<REAL>> -> tile<1xptr<REAL>>
    %qs = broadcast %q1 : tile<1xptr<REAL>> -> tile<64xptr<REAL>>
    %q = offset %qs, %at : tile<64xptr<REAL>>, tile<64xi32> -> tile<64xptr<REAL>>
    %t3 = store_ptr_tko weak %q, %r, %in : tile<64xptr<REAL>>, tile<64xREAL>, tile<64xi1> -> token
    %odd = andi %at, %one : tile<64xi32>
    %is_odd = cmpi equal %odd, %one, signed : tile<64xi32> -> tile<64xi1>
    %choice = select %is_odd, %c, %none : tile<64xi1>, tile<64xREAL>
    %turned = reshape %choice : tile<64xREAL> -> tile<8x8xREAL>
    %across = permute %turned [1, 0] : tile<8x8xREAL> -> tile<8x8xREAL>
    %flat = reshape %across : tile<8x8xREAL> -> tile<64xREAL>
    %e32 = ftof %flat : tile<64xREAL> -> tile<64xf32>
    %wv = make_tensor_view %w, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %wp = make_partition_view %wv : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
    %t4 = store_view_tko weak %e32, %wp[%b] : tile<64xf32>, partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  }

  // Rows that begin at any bit; rows that an index chooses; a tile that goes back with its rows turned.
  entry @shifted_float(%x: tile<ptr<REAL>>, %y: tile<ptr<f32>>, %z: tile<ptr<REAL>>, %w: tile<ptr<f32>>, %row: tile<i32>) {
    %b, %by, %bz = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %three = constant <i32: 3> : tile<i32>
    %base = offset %x, %three : tile<ptr<REAL>>, tile<i32> -> tile<ptr<REAL>>
    %v = make_tensor_view %base, shape = [30, 32], strides = [%row, 1] : tile<i32> -> tensor_view<30x32xREAL, strides=[?,1]>
    %p = make_partition_view %v : partition_view<tile=(4x32), tensor_view<30x32xREAL, strides=[?,1]>>
    %a, %t0 = load_view_tko weak %p[%b, %zero] : partition_view<tile=(4x32), tensor_view<30x32xREAL, strides=[?,1]>>, tile<i32> -> tile<4x32xREAL>, token
    %a32 = ftof %a : tile<4x32xREAL> -> tile<4x32xf32>
    %yv = make_tensor_view %y, shape = [32, 32], strides = [32, 1] : tensor_view<32x32xf32, strides=[32,1]>
    %yp = make_partition_view %yv : partition_view<tile=(4x32), tensor_view<32x32xf32, strides=[32,1]>>
    %t1 = store_view_tko weak %a32, %yp[%b, %zero] : tile<4x32xf32>, partition_view<tile=(4x32), tensor_view<32x32xf32, strides=[32,1]>>, tile<i32> -> token
    %rows = constant <i32: [29, 3, 17, 0]> : tile<4xi32>
    %g = make_gather_scatter_view %v : gather_scatter_view<tile=(4x32), tensor_view<30x32xREAL, strides=[?,1]>, sparse_dim=0>
    %c, %t2 = load_view_tko weak %g[%rows, %zero] : gather_scatter_view<tile=(4x32), tensor_view<30x32xREAL, strides=[?,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> tile<4x32xREAL>, token
    %c32 = ftof %c : tile<4x32xREAL> -> tile<4x32xf32>
    %wv = make_tensor_view %w, shape = [32, 32], strides = [32, 1] : tensor_view<32x32xf32, strides=[32,1]>
    %wp = make_partition_view %wv : partition_view<tile=(4x32), tensor_view<32x32xf32, strides=[32,1]>>
    %t3 = store_view_tko weak %c32, %wp[%b, %zero] : tile<4x32xf32>, partition_view<tile=(4x32), tensor_view<32x32xf32, strides=[32,1]>>, tile<i32> -> token
    %turned = permute %a [1, 0] : tile<4x32xREAL> -> tile<32x4xREAL>
    %flat = reshape %turned : tile<32x4xREAL> -> tile<4x32xREAL>
    %zb = offset %z, %three : tile<ptr<REAL>>, tile<i32> -> tile<ptr<REAL>>
    %zv = make_tensor_view %zb, shape = [32, 32], strides = [32, 1] : tensor_view<32x32xREAL, strides=[32,1]>
    %zp = make_partition_view %zv : partition_view<tile=(4x32), tensor_view<32x32xREAL, strides=[32,1]>>
    %t4 = store_view_tko weak %flat, %zp[%b, %zero] : tile<4x32xREAL>, partition_view<tile=(4x32), tensor_view<32x32xREAL, strides=[32,1]>>, tile<i32> -> token
  }
}
