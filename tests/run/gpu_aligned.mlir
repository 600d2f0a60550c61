// Rows that are aligned have a version of their own on GPUs, which is chosen once, when the kernel
// begins. Rows that are not, for their length or their place, go the other way. In the first nothing
// is loaded element by element.
// REQUIRES: llvm
//
// RUN: %engines %t %s --grid 2 normal:f32:2x300 y=zeros:f32:2x300 i32:300 --save y
// RUN: %engines %t.odd %s --grid 2 normal:f32:2x301 y=zeros:f32:2x301 i32:301 --save y
// RUN: %tessera build %s --target sm_90a --emit ptx | FileCheck %s
//
// CHECK: bra
// CHECK: ld.global.v4
// CHECK-NOT: ld.global.{{b32|f32}}
// CHECK: st.global.v4
// CHECK: ld.global.v4
// CHECK: ld.global.{{b32|f32}}
cuda_tile.module @aligned {
  entry @twice(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>) {
    %row, %by, %bz = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %xw = make_tensor_view %x, shape = [2, %n], strides = [%n, 1] : tile<i32> -> tensor_view<2x?xf32, strides=[?,1]>
    %xv = make_partition_view %xw : partition_view<tile=(1x512), padding_value = zero, tensor_view<2x?xf32, strides=[?,1]>>
    %yw = make_tensor_view %y, shape = [2, %n], strides = [%n, 1] : tile<i32> -> tensor_view<2x?xf32, strides=[?,1]>
    %yv = make_partition_view %yw : partition_view<tile=(1x512), tensor_view<2x?xf32, strides=[?,1]>>
    %v, %t0 = load_view_tko weak %xv[%row, %zero] : partition_view<tile=(1x512), padding_value = zero, tensor_view<2x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x512xf32>, token
    %s = reduce %v dim=1 identities=[0.0 : f32] : tile<1x512xf32> -> tile<1xf32> (%a: tile<f32>, %b: tile<f32>) {
      %c = maxf %a, %b : tile<f32>
      yield %c : tile<f32>
    }
    %s1 = reshape %s : tile<1xf32> -> tile<1x1xf32>
    %s2 = broadcast %s1 : tile<1x1xf32> -> tile<1x512xf32>
    %r = addf %v, %s2 : tile<1x512xf32>
    %t1 = store_view_tko weak %r, %yv[%row, %zero] : tile<1x512xf32>, partition_view<tile=(1x512), tensor_view<2x?xf32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
