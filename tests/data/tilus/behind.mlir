// {"name": "behind", "types": ["hidet.int32", "hidet.int32", "float16*", "float16*", "float32*"], "grid": [["/", ["+", "0", 63], 64], 1, 1], "workspaces": []}
#l0 = layout<Sw<3,3,3> o (2,64,64):(4096,64,1)>
#l1 = layout<RegisterLayout(shape=[64, 64], mode_shape=[4, 2, 8, 8, 4, 2], spatial_modes=[0, 2, 4], local_modes=[3, 1, 5])>
#l2 = layout<Sw<3,3,3> o (64,64):(64,1)>
#l3 = layout<Sw<3,3,3> o (64,64):(1,64)>
cuda_tile.module @behind {
  entry @behind(%m: tile<i32>, %more: tile<i32>, %a_ptr: tile<ptr<f16>>, %b_ptr: tile<ptr<f16>>, %c_ptr: tile<ptr<f32>>) threads(128) {
    %c0 = constant <i32: 64> : tile<i32>
    %c1 = constant <f32: 0.0> : tile<64x64xf32, #l1>
    %c2 = constant <i32: 0> : tile<i32>
    %c3 = constant <i32: 3> : tile<i32>
    %c4 = constant <i32: 1> : tile<i32>
    %bar14 = alloc_mbarrier : mbarrier<1>
    elect {
      mbarrier_init %bar14[%c2], 1 : mbarrier<1>
      fence_async
    }
    barrier
    %b1, %b2, %b3 = get_tile_block_id : tile<i32>
    %g4, %g5, %g6 = get_num_tile_blocks : tile<i32>
    %7 = muli %b1, %c0 : tile<i32> loc("tests/data/tilus/scripts.py":413:14)
    %8 = muli %b2, %c0 : tile<i32> loc("tests/data/tilus/scripts.py":413:14)
    %g9 = make_tensor_view %a_ptr, shape = [%m, 192], strides = [192, 1] : tile<i32> -> tensor_view<?x192xf16, strides=[192,1]> loc("tests/data/tilus/scripts.py":413:14)
    %m22 = make_tensor_map %g9 : tensor_view<?x192xf16, strides=[192,1]> -> tensor_map<64x64xf16, #l2>
    %g10 = make_tensor_view %b_ptr, shape = [64, 192], strides = [192, 1] : tensor_view<64x192xf16, strides=[192,1]> loc("tests/data/tilus/scripts.py":414:14)
    %m24 = make_tensor_map %g10 : tensor_view<64x192xf16, strides=[192,1]> -> tensor_map<64x64xf16, #l2>
    %g11 = make_tensor_view %c_ptr, shape = [%m, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]> loc("tests/data/tilus/scripts.py":415:14)
    %s12 = alloc_shared : shared<2x64x64xf16, #l0> loc("tests/data/tilus/scripts.py":416:14)
    %s13 = alloc_shared : shared<2x64x64xf16, #l0> loc("tests/data/tilus/scripts.py":417:14)
    %r18, %r19 = for %i15 in (%c2 to %c3, step %c4) : tile<i32> iter_values(%v16 = %c1, %v17 = %c2) -> (tile<64x64xf32, #l1>, tile<i32>) {
      %20 = muli %i15, %c0 : tile<i32> loc("tests/data/tilus/scripts.py":423:17)
      elect {
        mbarrier_arrive_expect %bar14, 16384 : mbarrier<1> loc("tests/data/tilus/scripts.py":423:17)
        %s21 = subview %s12[%v17, %c2, %c2] : shared<2x64x64xf16, #l0> -> shared<64x64xf16, #l2> loc("tests/data/tilus/scripts.py":424:17)
        tensor_load %m22[%7, %20], %s21, %bar14 : tensor_map<64x64xf16, #l2>, shared<64x64xf16, #l2>, mbarrier<1> loc("tests/data/tilus/scripts.py":424:17)
        %s23 = subview %s13[%v17, %c2, %c2] : shared<2x64x64xf16, #l0> -> shared<64x64xf16, #l2> loc("tests/data/tilus/scripts.py":425:17)
        tensor_load %m24[%8, %20], %s23, %bar14 : tensor_map<64x64xf16, #l2>, shared<64x64xf16, #l2>, mbarrier<1> loc("tests/data/tilus/scripts.py":425:17)
      } loc("tests/data/tilus/scripts.py":425:17)
      mbarrier_wait %bar14, %v17 : mbarrier<1> loc("tests/data/tilus/scripts.py":427:13)
      wgmma_fence loc("tests/data/tilus/scripts.py":428:13)
      %s25 = subview %s12[%v17, %c2, %c2] : shared<2x64x64xf16, #l0> -> shared<64x64xf16, #l2> loc("tests/data/tilus/scripts.py":429:13)
      %s26 = subview %s13[%v17, %c2, %c2] : shared<2x64x64xf16, #l0> -> shared<64x64xf16, #l2> loc("tests/data/tilus/scripts.py":429:39)
      %s27 = permute_view %s26 [1, 0] : shared<64x64xf16, #l2> -> shared<64x64xf16, #l3> loc("tests/data/tilus/scripts.py":429:39)
      %f28 = wgmma %s25, %s27, %v16 : shared<64x64xf16, #l2>, shared<64x64xf16, #l3>, tile<64x64xf32, #l1> -> async<tile<64x64xf32, #l1>> loc("tests/data/tilus/scripts.py":429:13)
      wgmma_commit loc("tests/data/tilus/scripts.py":430:13)
      barrier loc("tests/data/tilus/scripts.py":432:13)
      %29 = subi %c4, %v17 : tile<i32> loc("tests/data/tilus/scripts.py":432:13)
      %30 = wgmma_wait 0, %f28 : async<tile<64x64xf32, #l1>> -> tile<64x64xf32, #l1> loc("tests/data/tilus/scripts.py":432:13)
      continue %30, %29 : tile<64x64xf32, #l1>, tile<i32> loc("tests/data/tilus/scripts.py":432:13)
    } loc("tests/data/tilus/scripts.py":432:13)
    %31 = cmpi less_than %c2, %more, signed : tile<i32> -> tile<i1> loc("tests/data/tilus/scripts.py":435:13)
    %r32 = if %31 -> (tile<64x64xf32, #l1>) {
      wgmma_fence loc("tests/data/tilus/scripts.py":435:13)
      %s33 = subview %s12[%c2, %c2, %c2] : shared<2x64x64xf16, #l0> -> shared<64x64xf16, #l2> loc("tests/data/tilus/scripts.py":436:13)
      %s34 = subview %s13[%c2, %c2, %c2] : shared<2x64x64xf16, #l0> -> shared<64x64xf16, #l2> loc("tests/data/tilus/scripts.py":436:35)
      %s35 = permute_view %s34 [1, 0] : shared<64x64xf16, #l2> -> shared<64x64xf16, #l3> loc("tests/data/tilus/scripts.py":436:35)
      %f36 = wgmma %s33, %s35, %r18 : shared<64x64xf16, #l2>, shared<64x64xf16, #l3>, tile<64x64xf32, #l1> -> async<tile<64x64xf32, #l1>> loc("tests/data/tilus/scripts.py":436:13)
      wgmma_commit loc("tests/data/tilus/scripts.py":437:13)
      %37 = wgmma_wait 0, %f36 : async<tile<64x64xf32, #l1>> -> tile<64x64xf32, #l1> loc("tests/data/tilus/scripts.py":437:13)
      yield %37 : tile<64x64xf32, #l1> loc("tests/data/tilus/scripts.py":437:13)
    } else {
      yield %r18 : tile<64x64xf32, #l1> loc("tests/data/tilus/scripts.py":437:13)
    } loc("tests/data/tilus/scripts.py":437:13)
    store_global %r32, %g11[%7, %8] : tile<64x64xf32, #l1>, tensor_view<?x64xf32, strides=[64,1]> loc("tests/data/tilus/scripts.py":439:9)
    return
  }
}
