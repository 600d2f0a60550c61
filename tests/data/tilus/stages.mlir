// {"name": "stages", "types": ["hidet.int32", "float16*", "float16*", "float32*"], "grid": [["/", ["+", "0", 63], 64], 2, 3], "workspaces": [[["/", ["+", ["*", ["*", ["/", ["+", "0", 63], 64], 2], 32], 7], 8], true]]}
#l0 = layout<Sw<1,3,3> o (3,64,16):(1024,16,1)>
#l1 = layout<Sw<3,3,3> o (3,16,64):(1024,64,1)>
#l2 = layout<RegisterLayout(shape=[64, 64], mode_shape=[2, 2, 2, 8, 2, 4, 4, 2], spatial_modes=[0, 4, 3, 6], local_modes=[1, 5, 2, 7])>
#l3 = layout<Sw<1,3,3> o (64,16):(16,1)>
#l4 = layout<RegisterLayout(shape=[64, 16], mode_shape=[64, 2, 8], spatial_modes=[0, 1], local_modes=[2])>
#l5 = layout<Sw<3,3,3> o (16,64):(64,1)>
#l6 = layout<RegisterLayout(shape=[16, 64], mode_shape=[16, 8, 8], spatial_modes=[0, 1], local_modes=[2])>
#l7 = layout<RegisterLayout(shape=[64, 16], mode_shape=[2, 2, 2, 8, 2, 4, 2], spatial_modes=[0, -2, 3, 5], local_modes=[1, 4, 2, 6])>
#l8 = layout<RegisterLayout(shape=[16, 64], mode_shape=[2, 4, 2, 2, 4, 8], spatial_modes=[-2, 3, 5, 1], local_modes=[4, 0, 2])>
cuda_tile.module @stages {
  entry @stages(%m: tile<i32>, %a_ptr: tile<ptr<f16>>, %b_ptr: tile<ptr<f16>>, %c_ptr: tile<ptr<f32>>, %workspace0: tile<ptr<i8>>) threads(128) {
    %c0 = constant <i32: 64> : tile<i32>
    %c1 = constant <f32: 0.0> : tile<64x64xf32, #l2>
    %c2 = constant <i32: 2> : tile<i32>
    %c3 = constant <i32: 0> : tile<i32>
    %c4 = constant <i32: 1> : tile<i32>
    %c5 = constant <i32: 16> : tile<i32>
    %c6 = constant <i32: 4> : tile<i32>
    %c7 = constant <i32: 3> : tile<i32>
    %c8 = constant <i32: 63> : tile<i32>
    %b1, %b2, %b3 = get_tile_block_id : tile<i32>
    %g4, %g5, %g6 = get_num_tile_blocks : tile<i32>
    %7 = muli %c0, %b1 : tile<i32> loc("tests/data/tilus/scripts.py":63:14)
    %8 = muli %c0, %b2 : tile<i32> loc("tests/data/tilus/scripts.py":63:14)
    %9 = muli %b3, %c0 : tile<i32> loc("tests/data/tilus/scripts.py":63:14)
    %g10 = make_tensor_view %a_ptr, shape = [%m, 192], strides = [192, 1] : tile<i32> -> tensor_view<?x192xf16, strides=[192,1]> loc("tests/data/tilus/scripts.py":63:14)
    %g11 = make_tensor_view %b_ptr, shape = [192, 128], strides = [128, 1] : tensor_view<192x128xf16, strides=[128,1]> loc("tests/data/tilus/scripts.py":64:14)
    %g12 = make_tensor_view %c_ptr, shape = [%m, 128], strides = [128, 1] : tile<i32> -> tensor_view<?x128xf32, strides=[128,1]> loc("tests/data/tilus/scripts.py":65:14)
    %s13 = alloc_shared : shared<3x64x16xf16, #l0> loc("tests/data/tilus/scripts.py":66:14)
    %s14 = alloc_shared : shared<3x16x64xf16, #l1> loc("tests/data/tilus/scripts.py":67:14)
    for %i15 in (%c3 to %c2, step %c4) : tile<i32> {
      %s16 = subview %s13[%i15, %c3, %c3] : shared<3x64x16xf16, #l0> -> shared<64x16xf16, #l3> loc("tests/data/tilus/scripts.py":70:13)
      %17 = muli %i15, %c5 : tile<i32> loc("tests/data/tilus/scripts.py":70:13)
      %18 = addi %9, %17 : tile<i32> loc("tests/data/tilus/scripts.py":70:13)
      cp_async %g10[%7, %18], %s16 by #l4 : tensor_view<?x192xf16, strides=[192,1]>, shared<64x16xf16, #l3> loc("tests/data/tilus/scripts.py":70:13)
      %s19 = subview %s14[%i15, %c3, %c3] : shared<3x16x64xf16, #l1> -> shared<16x64xf16, #l5> loc("tests/data/tilus/scripts.py":71:13)
      %20 = muli %i15, %c5 : tile<i32> loc("tests/data/tilus/scripts.py":71:13)
      %21 = addi %9, %20 : tile<i32> loc("tests/data/tilus/scripts.py":71:13)
      cp_async %g11[%21, %8], %s19 by #l6 : tensor_view<192x128xf16, strides=[128,1]>, shared<16x64xf16, #l5> loc("tests/data/tilus/scripts.py":71:13)
      cp_async_commit loc("tests/data/tilus/scripts.py":72:13)
    } loc("tests/data/tilus/scripts.py":72:13)
    cp_async_wait 1 loc("tests/data/tilus/scripts.py":73:9)
    barrier loc("tests/data/tilus/scripts.py":74:9)
    %r26, %r27, %r28 = for %i22 in (%c3 to %c6, step %c4) : tile<i32> iter_values(%v23 = %c1, %v24 = %c3, %v25 = %c2) -> (tile<64x64xf32, #l2>, tile<i32>, tile<i32>) {
      %s29 = subview %s13[%v24, %c3, %c3] : shared<3x64x16xf16, #l0> -> shared<64x16xf16, #l3> loc("tests/data/tilus/scripts.py":78:17)
      %30 = load_shared %s29 : shared<64x16xf16, #l3> -> tile<64x16xf16, #l7> loc("tests/data/tilus/scripts.py":78:17)
      %s31 = subview %s14[%v24, %c3, %c3] : shared<3x16x64xf16, #l1> -> shared<16x64xf16, #l5> loc("tests/data/tilus/scripts.py":79:17)
      %32 = load_shared %s31 : shared<16x64xf16, #l5> -> tile<16x64xf16, #l8> loc("tests/data/tilus/scripts.py":79:17)
      %33 = mmaf %30, %32, %v23 : tile<64x16xf16, #l7>, tile<16x64xf16, #l8>, tile<64x64xf32, #l2> loc("tests/data/tilus/scripts.py":80:13)
      %34 = addi %i22, %c2 : tile<i32> loc("tests/data/tilus/scripts.py":82:17)
      %35 = muli %34, %c5 : tile<i32> loc("tests/data/tilus/scripts.py":82:17)
      %36 = cmpi less_than %35, %c0, signed : tile<i32> -> tile<i1> loc("tests/data/tilus/scripts.py":82:17)
      if %36 {
        %s37 = subview %s13[%v25, %c3, %c3] : shared<3x64x16xf16, #l0> -> shared<64x16xf16, #l3> loc("tests/data/tilus/scripts.py":82:17)
        %38 = addi %i22, %c2 : tile<i32> loc("tests/data/tilus/scripts.py":82:17)
        %39 = muli %38, %c5 : tile<i32> loc("tests/data/tilus/scripts.py":82:17)
        %40 = addi %9, %39 : tile<i32> loc("tests/data/tilus/scripts.py":82:17)
        cp_async %g10[%7, %40], %s37 by #l4 : tensor_view<?x192xf16, strides=[192,1]>, shared<64x16xf16, #l3> loc("tests/data/tilus/scripts.py":82:17)
        %s41 = subview %s14[%v25, %c3, %c3] : shared<3x16x64xf16, #l1> -> shared<16x64xf16, #l5> loc("tests/data/tilus/scripts.py":83:17)
        %42 = addi %i22, %c2 : tile<i32> loc("tests/data/tilus/scripts.py":83:17)
        %43 = muli %42, %c5 : tile<i32> loc("tests/data/tilus/scripts.py":83:17)
        %44 = addi %9, %43 : tile<i32> loc("tests/data/tilus/scripts.py":83:17)
        cp_async %g11[%44, %8], %s41 by #l6 : tensor_view<192x128xf16, strides=[128,1]>, shared<16x64xf16, #l5> loc("tests/data/tilus/scripts.py":83:17)
      } loc("tests/data/tilus/scripts.py":83:17)
      cp_async_commit loc("tests/data/tilus/scripts.py":84:13)
      %45 = addi %v24, %c4 : tile<i32> loc("tests/data/tilus/scripts.py":84:13)
      %46 = remi %45, %c7 signed : tile<i32> loc("tests/data/tilus/scripts.py":84:13)
      %47 = addi %v25, %c4 : tile<i32> loc("tests/data/tilus/scripts.py":84:13)
      %48 = remi %47, %c7 signed : tile<i32> loc("tests/data/tilus/scripts.py":84:13)
      cp_async_wait 1 loc("tests/data/tilus/scripts.py":87:13)
      barrier loc("tests/data/tilus/scripts.py":88:13)
      continue %33, %46, %48 : tile<64x64xf32, #l2>, tile<i32>, tile<i32> loc("tests/data/tilus/scripts.py":88:13)
    } loc("tests/data/tilus/scripts.py":88:13)
    cp_async_commit loc("tests/data/tilus/scripts.py":89:9)
    cp_async_wait 0 loc("tests/data/tilus/scripts.py":89:9)
    %49 = ptr_to_ptr %workspace0 : tile<ptr<i8>> -> tile<ptr<i32>> loc("tests/data/tilus/scripts.py":90:17)
    %50 = addi %m, %c8 : tile<i32> loc("tests/data/tilus/scripts.py":90:17)
    %51 = divi %50, %c0 signed : tile<i32> loc("tests/data/tilus/scripts.py":90:17)
    %g52 = make_tensor_view %49, shape = [%51, 2], strides = [2, 1] : tile<i32> -> tensor_view<?x2xi32, strides=[2,1]> loc("tests/data/tilus/scripts.py":90:17)
    %53 = muli %b1, %c2 : tile<i32> loc("tests/data/tilus/scripts.py":92:24)
    %p54 = offset %49, %53 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>> loc("tests/data/tilus/scripts.py":92:24)
    %p55 = offset %p54, %b2 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>> loc("tests/data/tilus/scripts.py":92:24)
    %56 = cmpi less_than %c3, %b3, signed : tile<i32> -> tile<i1> loc("tests/data/tilus/scripts.py":94:13)
    %r57 = if %56 -> (tile<64x64xf32, #l2>) {
      loop {
        %58, %t59 = atomic_rmw_tko acquire device %p55, add, %c3 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token loc("tests/data/tilus/scripts.py":94:13)
        %60 = cmpi equal %58, %b3, signed : tile<i32> -> tile<i1> loc("tests/data/tilus/scripts.py":94:13)
        if %60 {
          break loc("tests/data/tilus/scripts.py":94:13)
        } loc("tests/data/tilus/scripts.py":94:13)
      } loc("tests/data/tilus/scripts.py":94:13)
      barrier loc("tests/data/tilus/scripts.py":94:13)
      %61 = load_global %g12[%7, %8] : tensor_view<?x128xf32, strides=[128,1]> -> tile<64x64xf32, #l2> loc("tests/data/tilus/scripts.py":95:25)
      %62 = addf %r26, %61 : tile<64x64xf32, #l2> loc("tests/data/tilus/scripts.py":95:13)
      yield %62 : tile<64x64xf32, #l2> loc("tests/data/tilus/scripts.py":95:13)
    } else {
      yield %r26 : tile<64x64xf32, #l2> loc("tests/data/tilus/scripts.py":95:13)
    } loc("tests/data/tilus/scripts.py":95:13)
    store_global %r57, %g12[%7, %8] : tile<64x64xf32, #l2>, tensor_view<?x128xf32, strides=[128,1]> loc("tests/data/tilus/scripts.py":96:9)
    barrier loc("tests/data/tilus/scripts.py":97:9)
    %63 = addi %b3, %c4 : tile<i32> loc("tests/data/tilus/scripts.py":98:9)
    %64 = remi %63, %c7 signed : tile<i32> loc("tests/data/tilus/scripts.py":98:9)
    %65, %t66 = atomic_rmw_tko release device %p55, xchg, %64 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token loc("tests/data/tilus/scripts.py":98:9)
    return
  }
}
