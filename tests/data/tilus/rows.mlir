// {"name": "rows", "types": ["hidet.int32", "float32*", "float32*", "int32*"], "grid": [3, 1, 1], "workspaces": []}
#l0 = layout<RegisterLayout(shape=[2, 64], mode_shape=[2, 64], spatial_modes=[1], local_modes=[0])>
#l1 = layout<RegisterLayout(shape=[64], mode_shape=[64], spatial_modes=[0], local_modes=[])>
#l2 = layout<RegisterLayout(shape=[1, 64], mode_shape=[64], spatial_modes=[0], local_modes=[])>
#l3 = layout<RegisterLayout(shape=[1, 1], mode_shape=[], spatial_modes=[-64], local_modes=[])>
#l4 = layout<RegisterLayout(shape=[2], mode_shape=[2], spatial_modes=[-64], local_modes=[0])>
#l5 = layout<RegisterLayout(shape=[2, 1], mode_shape=[2], spatial_modes=[-64], local_modes=[0])>
cuda_tile.module @rows {
  entry @rows(%n: tile<i32>, %x_ptr: tile<ptr<f32>>, %y_ptr: tile<ptr<f32>>, %above_ptr: tile<ptr<i32>>) threads(64) {
    %c0 = constant <i32: 2> : tile<i32>
    %c1 = constant <f32: -1.0e+30> : tile<2x64xf32, #l0>
    %c2 = constant <i32: 63> : tile<i32>
    %c3 = constant <i32: 64> : tile<i32>
    %c4 = constant <i32: 0> : tile<i32>
    %c5 = constant <i32: 1> : tile<i32>
    %c6 = constant <f32: -1.0e+30> : tile<f32>
    %c7 = constant <f32: 0.0> : tile<2x64xf32, #l0>
    %c8 = constant <f32: 0.0> : tile<f32>
    %c9 = constant <f32: 1.0> : tile<2x1xf32, #l5>
    %c10 = constant <i32: 0> : tile<2x64xi32, #l0>
    %c11 = constant <i32: 1> : tile<2x64xi32, #l0>
    %b1, %b2, %b3 = get_tile_block_id : tile<i32>
    %g4, %g5, %g6 = get_num_tile_blocks : tile<i32>
    %7 = muli %b1, %c0 : tile<i32> loc("tests/data/tilus/scripts.py":108:14)
    %g8 = make_tensor_view %x_ptr, shape = [5, %n], strides = [%n, 1] : tile<i32> -> tensor_view<5x?xf32, strides=[?,1]> loc("tests/data/tilus/scripts.py":108:14)
    %g9 = make_tensor_view %y_ptr, shape = [5, %n], strides = [%n, 1] : tile<i32> -> tensor_view<5x?xf32, strides=[?,1]> loc("tests/data/tilus/scripts.py":109:14)
    %g10 = make_tensor_view %above_ptr, shape = [5], strides = [1] : tensor_view<5xi32, strides=[1]> loc("tests/data/tilus/scripts.py":110:19)
    %11 = addi %n, %c2 : tile<i32> loc("tests/data/tilus/scripts.py":113:17)
    %12 = divi %11, %c3 signed : tile<i32> loc("tests/data/tilus/scripts.py":113:17)
    %r15 = for %i13 in (%c4 to %12, step %c5) : tile<i32> iter_values(%v14 = %c1) -> (tile<2x64xf32, #l0>) {
      %16 = muli %i13, %c3 : tile<i32> loc("tests/data/tilus/scripts.py":113:17)
      %17 = load_global %g8[%7, %16] : tensor_view<5x?xf32, strides=[?,1]> -> tile<2x64xf32, #l0> loc("tests/data/tilus/scripts.py":113:17)
      %18 = iota : tile<64xi32, #l1> loc("tests/data/tilus/scripts.py":114:22)
      %19 = reshape %18 : tile<64xi32, #l1> -> tile<1x64xi32, #l2> loc("tests/data/tilus/scripts.py":114:22)
      %20 = broadcast %19 : tile<1x64xi32, #l2> -> tile<2x64xi32, #l0> loc("tests/data/tilus/scripts.py":114:22)
      %21 = reshape %16 : tile<i32> -> tile<1x1xi32, #l3> loc("tests/data/tilus/scripts.py":114:13)
      %22 = broadcast %21 : tile<1x1xi32, #l3> -> tile<2x64xi32, #l0> loc("tests/data/tilus/scripts.py":114:13)
      %23 = addi %20, %22 : tile<2x64xi32, #l0> loc("tests/data/tilus/scripts.py":114:13)
      %24 = reshape %n : tile<i32> -> tile<1x1xi32, #l3> loc("tests/data/tilus/scripts.py":114:13)
      %25 = broadcast %24 : tile<1x1xi32, #l3> -> tile<2x64xi32, #l0> loc("tests/data/tilus/scripts.py":114:13)
      %26 = cmpi less_than %23, %25, signed : tile<2x64xi32, #l0> -> tile<2x64xi1, #l0> loc("tests/data/tilus/scripts.py":114:13)
      %27 = reshape %c6 : tile<f32> -> tile<1x1xf32, #l3> loc("tests/data/tilus/scripts.py":115:39)
      %28 = broadcast %27 : tile<1x1xf32, #l3> -> tile<2x64xf32, #l0> loc("tests/data/tilus/scripts.py":115:39)
      %29 = select %26, %17, %28 : tile<2x64xi1, #l0>, tile<2x64xf32, #l0> loc("tests/data/tilus/scripts.py":115:39)
      %30 = maxf %v14, %29 : tile<2x64xf32, #l0> loc("tests/data/tilus/scripts.py":115:20)
      continue %30 : tile<2x64xf32, #l0> loc("tests/data/tilus/scripts.py":115:13)
    } loc("tests/data/tilus/scripts.py":115:13)
    %31 = reduce %r15 dim=1 identities=[0xFF800000 : f32] : tile<2x64xf32, #l0> -> tile<2xf32, #l4> (%a: tile<f32>, %b: tile<f32>) { %c = maxf %a, %b : tile<f32> yield %c : tile<f32> } loc("tests/data/tilus/scripts.py":116:15)
    %32 = reshape %31 : tile<2xf32, #l4> -> tile<2x1xf32, #l5> loc("tests/data/tilus/scripts.py":116:15)
    %33 = addi %n, %c2 : tile<i32> loc("tests/data/tilus/scripts.py":120:17)
    %34 = divi %33, %c3 signed : tile<i32> loc("tests/data/tilus/scripts.py":120:17)
    %r38, %r39 = for %i35 in (%c4 to %34, step %c5) : tile<i32> iter_values(%v36 = %c7, %v37 = %c7) -> (tile<2x64xf32, #l0>, tile<2x64xf32, #l0>) {
      %40 = muli %i35, %c3 : tile<i32> loc("tests/data/tilus/scripts.py":120:17)
      %41 = load_global %g8[%7, %40] : tensor_view<5x?xf32, strides=[?,1]> -> tile<2x64xf32, #l0> loc("tests/data/tilus/scripts.py":120:17)
      %42 = iota : tile<64xi32, #l1> loc("tests/data/tilus/scripts.py":121:22)
      %43 = reshape %42 : tile<64xi32, #l1> -> tile<1x64xi32, #l2> loc("tests/data/tilus/scripts.py":121:22)
      %44 = broadcast %43 : tile<1x64xi32, #l2> -> tile<2x64xi32, #l0> loc("tests/data/tilus/scripts.py":121:22)
      %45 = reshape %40 : tile<i32> -> tile<1x1xi32, #l3> loc("tests/data/tilus/scripts.py":121:13)
      %46 = broadcast %45 : tile<1x1xi32, #l3> -> tile<2x64xi32, #l0> loc("tests/data/tilus/scripts.py":121:13)
      %47 = addi %44, %46 : tile<2x64xi32, #l0> loc("tests/data/tilus/scripts.py":121:13)
      %48 = reshape %n : tile<i32> -> tile<1x1xi32, #l3> loc("tests/data/tilus/scripts.py":121:13)
      %49 = broadcast %48 : tile<1x1xi32, #l3> -> tile<2x64xi32, #l0> loc("tests/data/tilus/scripts.py":121:13)
      %50 = cmpi less_than %47, %49, signed : tile<2x64xi32, #l0> -> tile<2x64xi1, #l0> loc("tests/data/tilus/scripts.py":121:13)
      %51 = broadcast %32 : tile<2x1xf32, #l5> -> tile<2x64xf32, #l0> loc("tests/data/tilus/scripts.py":122:48)
      %52 = subf %41, %51 : tile<2x64xf32, #l0> loc("tests/data/tilus/scripts.py":122:48)
      %53 = exp %52 : tile<2x64xf32, #l0> loc("tests/data/tilus/scripts.py":122:48)
      %54 = reshape %c8 : tile<f32> -> tile<1x1xf32, #l3> loc("tests/data/tilus/scripts.py":122:29)
      %55 = broadcast %54 : tile<1x1xf32, #l3> -> tile<2x64xf32, #l0> loc("tests/data/tilus/scripts.py":122:29)
      %56 = select %50, %53, %55 : tile<2x64xi1, #l0>, tile<2x64xf32, #l0> loc("tests/data/tilus/scripts.py":122:29)
      %57 = addf %v36, %56 : tile<2x64xf32, #l0> loc("tests/data/tilus/scripts.py":122:13)
      %58 = reshape %c8 : tile<f32> -> tile<1x1xf32, #l3> loc("tests/data/tilus/scripts.py":123:27)
      %59 = broadcast %58 : tile<1x1xf32, #l3> -> tile<2x64xf32, #l0> loc("tests/data/tilus/scripts.py":123:27)
      %60 = select %50, %41, %59 : tile<2x64xi1, #l0>, tile<2x64xf32, #l0> loc("tests/data/tilus/scripts.py":123:27)
      %61 = addf %v37, %60 : tile<2x64xf32, #l0> loc("tests/data/tilus/scripts.py":123:13)
      continue %57, %61 : tile<2x64xf32, #l0>, tile<2x64xf32, #l0> loc("tests/data/tilus/scripts.py":123:13)
    } loc("tests/data/tilus/scripts.py":123:13)
    %62 = reduce %r38 dim=1 identities=[0.0 : f32] : tile<2x64xf32, #l0> -> tile<2xf32, #l4> (%a: tile<f32>, %b: tile<f32>) { %c = addf %a, %b : tile<f32> yield %c : tile<f32> } loc("tests/data/tilus/scripts.py":124:23)
    %63 = reshape %62 : tile<2xf32, #l4> -> tile<2x1xf32, #l5> loc("tests/data/tilus/scripts.py":124:23)
    %64 = divf %c9, %63 : tile<2x1xf32, #l5> loc("tests/data/tilus/scripts.py":124:9)
    %65 = reduce %r39 dim=1 identities=[0.0 : f32] : tile<2x64xf32, #l0> -> tile<2xf32, #l4> (%a: tile<f32>, %b: tile<f32>) { %c = addf %a, %b : tile<f32> yield %c : tile<f32> } loc("tests/data/tilus/scripts.py":125:16)
    %66 = reshape %65 : tile<2xf32, #l4> -> tile<2x1xf32, #l5> loc("tests/data/tilus/scripts.py":125:16)
    %67 = itof %n signed : tile<i32> -> tile<f32> loc("tests/data/tilus/scripts.py":125:9)
    %68 = reshape %67 : tile<f32> -> tile<1x1xf32, #l3> loc("tests/data/tilus/scripts.py":125:9)
    %69 = broadcast %68 : tile<1x1xf32, #l3> -> tile<2x1xf32, #l5> loc("tests/data/tilus/scripts.py":125:9)
    %70 = divf %66, %69 : tile<2x1xf32, #l5> loc("tests/data/tilus/scripts.py":125:9)
    %71 = addi %n, %c2 : tile<i32> loc("tests/data/tilus/scripts.py":128:17)
    %72 = divi %71, %c3 signed : tile<i32> loc("tests/data/tilus/scripts.py":128:17)
    %r75 = for %i73 in (%c4 to %72, step %c5) : tile<i32> iter_values(%v74 = %c10) -> (tile<2x64xi32, #l0>) {
      %76 = muli %i73, %c3 : tile<i32> loc("tests/data/tilus/scripts.py":128:17)
      %77 = load_global %g8[%7, %76] : tensor_view<5x?xf32, strides=[?,1]> -> tile<2x64xf32, #l0> loc("tests/data/tilus/scripts.py":128:17)
      %78 = broadcast %32 : tile<2x1xf32, #l5> -> tile<2x64xf32, #l0> loc("tests/data/tilus/scripts.py":129:35)
      %79 = subf %77, %78 : tile<2x64xf32, #l0> loc("tests/data/tilus/scripts.py":129:35)
      %80 = exp %79 : tile<2x64xf32, #l0> loc("tests/data/tilus/scripts.py":129:35)
      %81 = broadcast %64 : tile<2x1xf32, #l5> -> tile<2x64xf32, #l0> loc("tests/data/tilus/scripts.py":129:13)
      %82 = mulf %80, %81 : tile<2x64xf32, #l0> loc("tests/data/tilus/scripts.py":129:13)
      store_global %82, %g9[%7, %76] : tile<2x64xf32, #l0>, tensor_view<5x?xf32, strides=[?,1]> loc("tests/data/tilus/scripts.py":129:13)
      %83 = iota : tile<64xi32, #l1> loc("tests/data/tilus/scripts.py":130:22)
      %84 = reshape %83 : tile<64xi32, #l1> -> tile<1x64xi32, #l2> loc("tests/data/tilus/scripts.py":130:22)
      %85 = broadcast %84 : tile<1x64xi32, #l2> -> tile<2x64xi32, #l0> loc("tests/data/tilus/scripts.py":130:22)
      %86 = reshape %76 : tile<i32> -> tile<1x1xi32, #l3> loc("tests/data/tilus/scripts.py":130:13)
      %87 = broadcast %86 : tile<1x1xi32, #l3> -> tile<2x64xi32, #l0> loc("tests/data/tilus/scripts.py":130:13)
      %88 = addi %85, %87 : tile<2x64xi32, #l0> loc("tests/data/tilus/scripts.py":130:13)
      %89 = reshape %n : tile<i32> -> tile<1x1xi32, #l3> loc("tests/data/tilus/scripts.py":130:13)
      %90 = broadcast %89 : tile<1x1xi32, #l3> -> tile<2x64xi32, #l0> loc("tests/data/tilus/scripts.py":130:13)
      %91 = cmpi less_than %88, %90, signed : tile<2x64xi32, #l0> -> tile<2x64xi1, #l0> loc("tests/data/tilus/scripts.py":130:13)
      %92 = broadcast %70 : tile<2x1xf32, #l5> -> tile<2x64xf32, #l0> loc("tests/data/tilus/scripts.py":131:20)
      %93 = cmpf less_than ordered %92, %77 : tile<2x64xf32, #l0> -> tile<2x64xi1, #l0> loc("tests/data/tilus/scripts.py":131:20)
      %94 = select %93, %c11, %c10 : tile<2x64xi1, #l0>, tile<2x64xi32, #l0> loc("tests/data/tilus/scripts.py":131:20)
      %95 = select %91, %94, %c10 : tile<2x64xi1, #l0>, tile<2x64xi32, #l0> loc("tests/data/tilus/scripts.py":133:29)
      %96 = addi %v74, %95 : tile<2x64xi32, #l0> loc("tests/data/tilus/scripts.py":133:13)
      continue %96 : tile<2x64xi32, #l0> loc("tests/data/tilus/scripts.py":133:13)
    } loc("tests/data/tilus/scripts.py":133:13)
    %97 = reduce %r75 dim=1 identities=[0 : i32] : tile<2x64xi32, #l0> -> tile<2xi32, #l4> (%a: tile<i32>, %b: tile<i32>) { %c = addi %a, %b : tile<i32> yield %c : tile<i32> } loc("tests/data/tilus/scripts.py":135:36)
    store_global %97, %g10[%7] : tile<2xi32, #l4>, tensor_view<5xi32, strides=[1]> loc("tests/data/tilus/scripts.py":135:9)
    return
  }
}
