// {"name": "roles", "types": ["hidet.int32", "float16*", "float16*", "float16*"], "grid": [["/", ["+", "0", 63], 64], 2, 1], "workspaces": []}
#l0 = layout<Sw<2,3,3> o (2,64,32):(2048,32,1)>
#l1 = layout<Sw<3,3,3> o (64,64):(64,1)>
#l2 = layout<Sw<2,3,3> o (64,32):(32,1)>
#l3 = layout<RegisterLayout(shape=[64, 64], mode_shape=[4, 2, 8, 8, 4, 2], spatial_modes=[0, 2, 4], local_modes=[3, 1, 5])>
#l4 = layout<Sw<2,3,3> o (32,64):(1,32)>
cuda_tile.module @roles {
  entry @roles(%m: tile<i32>, %a_ptr: tile<ptr<f16>>, %b_ptr: tile<ptr<f16>>, %c_ptr: tile<ptr<f16>>) threads(160) {
    %c0 = constant <i32: 64> : tile<i32>
    %c1 = constant <i32: 0> : tile<i32>
    %c2 = constant <i32: 1> : tile<i32>
    %c3 = constant <i32: 3> : tile<i32>
    %c4 = constant <i32: 32> : tile<i32>
    %c5 = constant <i32: 2> : tile<i32>
    %bar15 = alloc_mbarrier : mbarrier<2>
    elect {
      mbarrier_init %bar15[%c1], 128 : mbarrier<2>
      mbarrier_init %bar15[%c2], 128 : mbarrier<2>
      fence_async
    }
    barrier
    %bar16 = alloc_mbarrier : mbarrier<2>
    elect {
      mbarrier_init %bar16[%c1], 1 : mbarrier<2>
      mbarrier_init %bar16[%c2], 1 : mbarrier<2>
      fence_async
    }
    barrier
    %b1, %b2, %b3 = get_tile_block_id : tile<i32>
    %g4, %g5, %g6 = get_num_tile_blocks : tile<i32>
    %7 = muli %b1, %c0 : tile<i32> loc("tests/data/tilus/scripts.py":238:14)
    %8 = muli %b2, %c0 : tile<i32> loc("tests/data/tilus/scripts.py":238:14)
    %g9 = make_tensor_view %a_ptr, shape = [%m, 96], strides = [96, 1] : tile<i32> -> tensor_view<?x96xf16, strides=[96,1]> loc("tests/data/tilus/scripts.py":238:14)
    %m24 = make_tensor_map %g9 : tensor_view<?x96xf16, strides=[96,1]> -> tensor_map<64x32xf16, #l2>
    %g10 = make_tensor_view %b_ptr, shape = [128, 96], strides = [96, 1] : tensor_view<128x96xf16, strides=[96,1]> loc("tests/data/tilus/scripts.py":239:14)
    %m26 = make_tensor_map %g10 : tensor_view<128x96xf16, strides=[96,1]> -> tensor_map<64x32xf16, #l2>
    %g11 = make_tensor_view %c_ptr, shape = [%m, 128], strides = [128, 1] : tile<i32> -> tensor_view<?x128xf16, strides=[128,1]> loc("tests/data/tilus/scripts.py":240:14)
    %m57 = make_tensor_map %g11 : tensor_view<?x128xf16, strides=[128,1]> -> tensor_map<64x64xf16, #l1>
    %s12 = alloc_shared : shared<2x64x32xf16, #l0> loc("tests/data/tilus/scripts.py":241:14)
    %s13 = alloc_shared : shared<2x64x32xf16, #l0> loc("tests/data/tilus/scripts.py":242:14)
    %s14 = alloc_shared : shared<64x64xf16, #l1> loc("tests/data/tilus/scripts.py":243:14)
    %r32, %r33 = group threads(128 to 160) -> (tile<i32>, tile<i32>) {
      %r20, %r21 = for %i17 in (%c1 to %c3, step %c2) : tile<i32> iter_values(%v18 = %c1, %v19 = %c2) -> (tile<i32>, tile<i32>) {
        %22 = muli %i17, %c4 : tile<i32> loc("tilus/lang/classes/pipeline.py":43:9)
        mbarrier_wait %bar15[%v18], %v19 : mbarrier<2> loc("tilus/lang/classes/pipeline.py":43:9)
        elect {
          mbarrier_arrive_expect %bar16[%v18], 8192 : mbarrier<2> loc("tests/data/tilus/scripts.py":252:21)
          %s23 = subview %s12[%v18, %c1, %c1] : shared<2x64x32xf16, #l0> -> shared<64x32xf16, #l2> loc("tests/data/tilus/scripts.py":253:21)
          tensor_load %m24[%7, %22], %s23, %bar16[%v18] : tensor_map<64x32xf16, #l2>, shared<64x32xf16, #l2>, mbarrier<2> loc("tests/data/tilus/scripts.py":253:21)
          %s25 = subview %s13[%v18, %c1, %c1] : shared<2x64x32xf16, #l0> -> shared<64x32xf16, #l2> loc("tests/data/tilus/scripts.py":254:21)
          tensor_load %m26[%8, %22], %s25, %bar16[%v18] : tensor_map<64x32xf16, #l2>, shared<64x32xf16, #l2>, mbarrier<2> loc("tests/data/tilus/scripts.py":254:21)
        } loc("tests/data/tilus/scripts.py":254:21)
        %27 = addi %v18, %c2 : tile<i32> loc("tests/data/tilus/scripts.py":254:21)
        %28 = remi %27, %c5 signed : tile<i32> loc("tests/data/tilus/scripts.py":254:21)
        %29 = cmpi equal %28, %c1, signed : tile<i32> -> tile<i1> loc("tests/data/tilus/scripts.py":254:21)
        %30 = exti %29 unsigned : tile<i1> -> tile<i32> loc("tests/data/tilus/scripts.py":254:21)
        %31 = xori %v19, %30 : tile<i32> loc("tests/data/tilus/scripts.py":254:21)
        continue %28, %31 : tile<i32>, tile<i32> loc("tests/data/tilus/scripts.py":254:21)
      } loc("tests/data/tilus/scripts.py":254:21)
      yield %r20, %r21 : tile<i32>, tile<i32> loc("tests/data/tilus/scripts.py":254:21)
    } loc("tests/data/tilus/scripts.py":254:21)
    %r53, %r54, %r55 = group threads(0 to 128) -> (tile<64x64xf32, #l3>, tile<i32>, tile<i32>) {
      %c_34 = constant <f32: 0.0> : tile<64x64xf32, #l3>
      %r39, %r40, %r41 = for %i35 in (%c1 to %c3, step %c2) : tile<i32> iter_values(%v36 = %c_34, %v37 = %c1, %v38 = %c1) -> (tile<64x64xf32, #l3>, tile<i32>, tile<i32>) {
        %42 = muli %i35, %c4 : tile<i32> loc("tilus/lang/classes/pipeline.py":77:9)
        mbarrier_wait %bar16[%v37], %v38 : mbarrier<2> loc("tilus/lang/classes/pipeline.py":77:9)
        wgmma_fence loc("tests/data/tilus/scripts.py":260:17)
        %s43 = subview %s12[%v37, %c1, %c1] : shared<2x64x32xf16, #l0> -> shared<64x32xf16, #l2> loc("tests/data/tilus/scripts.py":261:17)
        %s44 = subview %s13[%v37, %c1, %c1] : shared<2x64x32xf16, #l0> -> shared<64x32xf16, #l2> loc("tests/data/tilus/scripts.py":261:58)
        %s45 = permute_view %s44 [1, 0] : shared<64x32xf16, #l2> -> shared<32x64xf16, #l4> loc("tests/data/tilus/scripts.py":261:58)
        %f46 = wgmma %s43, %s45, %v36 : shared<64x32xf16, #l2>, shared<32x64xf16, #l4>, tile<64x64xf32, #l3> -> async<tile<64x64xf32, #l3>> loc("tests/data/tilus/scripts.py":261:17)
        wgmma_commit loc("tests/data/tilus/scripts.py":262:17)
        %47 = wgmma_wait 0, %f46 : async<tile<64x64xf32, #l3>> -> tile<64x64xf32, #l3> loc("tests/data/tilus/scripts.py":263:17)
        mbarrier_arrive %bar15[%v37] : mbarrier<2> loc("tests/data/tilus/scripts.py":264:17)
        %48 = addi %v37, %c2 : tile<i32> loc("tests/data/tilus/scripts.py":264:17)
        %49 = remi %48, %c5 signed : tile<i32> loc("tests/data/tilus/scripts.py":264:17)
        %50 = cmpi equal %49, %c1, signed : tile<i32> -> tile<i1> loc("tests/data/tilus/scripts.py":264:17)
        %51 = exti %50 unsigned : tile<i1> -> tile<i32> loc("tests/data/tilus/scripts.py":264:17)
        %52 = xori %v38, %51 : tile<i32> loc("tests/data/tilus/scripts.py":264:17)
        continue %47, %49, %52 : tile<64x64xf32, #l3>, tile<i32>, tile<i32> loc("tests/data/tilus/scripts.py":264:17)
      } loc("tests/data/tilus/scripts.py":264:17)
      yield %r39, %r40, %r41 : tile<64x64xf32, #l3>, tile<i32>, tile<i32> loc("tests/data/tilus/scripts.py":264:17)
    } loc("tests/data/tilus/scripts.py":264:17)
    group threads(0 to 128) {
      %56 = ftof %r53 : tile<64x64xf32, #l3> -> tile<64x64xf16, #l3> loc("tests/data/tilus/scripts.py":267:35)
      store_shared %56, %s14 : tile<64x64xf16, #l3>, shared<64x64xf16, #l1> loc("tests/data/tilus/scripts.py":267:13)
      fence_async loc("tests/data/tilus/scripts.py":268:13)
      barrier loc("tests/data/tilus/scripts.py":269:13)
      group threads(0 to 32) {
        elect {
          tensor_store %s14, %m57[%7, %8] : shared<64x64xf16, #l1>, tensor_map<64x64xf16, #l1> loc("tests/data/tilus/scripts.py":271:17)
        } loc("tests/data/tilus/scripts.py":271:17)
        elect {
          bulk_commit loc("tests/data/tilus/scripts.py":272:17)
        } loc("tests/data/tilus/scripts.py":272:17)
        elect {
          bulk_wait 0 loc("tests/data/tilus/scripts.py":273:17)
        } loc("tests/data/tilus/scripts.py":273:17)
      } loc("tests/data/tilus/scripts.py":273:17)
    } loc("tests/data/tilus/scripts.py":273:17)
    return
  }
}
