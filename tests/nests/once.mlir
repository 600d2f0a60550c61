// What programs repeat is compiled once: an operand of two products that may have to be copied, and
// that a store in between does not change, is copied for the first of them; of stores that lie
// constant distances apart there is one version.
// REQUIRES: llvm
//
// RUN: %engines %t %s --kernel products --grid 1 normal:f32:60x64 C=zeros:f32:60x64 D=zeros:f32:60x64 i32:60 --save C --save D --rtol=1e-4 --atol=1e-4
// RUN: %engines %t.whole %s --kernel products --grid 1 normal:f32:64x64 C=zeros:f32:64x64 D=zeros:f32:64x64 i32:64 --save C --save D --rtol=1e-4 --atol=1e-4
// RUN: %engines %t.alias %s --kernel changed --grid 1 A=normal:f32:64x64 C=zeros:f32:64x64 i32:64 --save A --save C --rtol=1e-4 --atol=1e-2
// RUN: %engines %t.stores %s --kernel stores --grid 1 y=zeros:f32:250 i32:250 --save y
// RUN: %tessera build %s --emit nests --cpu avx2 | FileCheck %s
//
// CHECK-LABEL: kernel @products
// CHECK-COUNT-1: keeps %a = load_view_tko
// CHECK-NOT: keeps %a = load_view_tko
// CHECK-LABEL: kernel @changed
// CHECK-LABEL: kernel @stores
// CHECK: stores by store_view_tko %d3
// CHECK-NOT: only version
cuda_tile.module @once {
  entry @products(%A: tile<ptr<f32>>, %C: tile<ptr<f32>>, %D: tile<ptr<f32>>, %n: tile<i32>) {
    %c64 = constant <i32: 64> : tile<i32>
    %z = constant <i32: 0> : tile<i32>
    %wa = make_tensor_view %A, shape = [%n, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
    %wc = make_tensor_view %C, shape = [%n, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
    %wd = make_tensor_view %D, shape = [%n, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
    %va = make_partition_view %wa : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x64xf32, strides=[64,1]>>
    %vc = make_partition_view %wc : partition_view<tile=(64x64), tensor_view<?x64xf32, strides=[64,1]>>
    %vd = make_partition_view %wd : partition_view<tile=(64x64), tensor_view<?x64xf32, strides=[64,1]>>
    %a, %t0 = load_view_tko weak %va[%z, %z] : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<64x64xf32>, token
    %b = constant <f32: 0.5> : tile<64x64xf32>
    %zero = constant <f32: 0.0> : tile<64x64xf32>
    %c = mmaf %a, %b, %zero : tile<64x64xf32>, tile<64x64xf32>, tile<64x64xf32>
    %d = mmaf %a, %c, %zero : tile<64x64xf32>, tile<64x64xf32>, tile<64x64xf32>
    %t1 = store_view_tko weak %c, %vc[%z, %z] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
    %t2 = store_view_tko weak %d, %vd[%z, %z] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }
  // The second product is of what was loaded, not of what is there by then.
  entry @changed(%A: tile<ptr<f32>>, %C: tile<ptr<f32>>, %n: tile<i32>) {
    %z = constant <i32: 0> : tile<i32>
    %wa = make_tensor_view %A, shape = [%n, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
    %wc = make_tensor_view %C, shape = [%n, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
    %va = make_partition_view %wa : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x64xf32, strides=[64,1]>>
    %vc = make_partition_view %wc : partition_view<tile=(64x64), tensor_view<?x64xf32, strides=[64,1]>>
    %a, %t0 = load_view_tko weak %va[%z, %z] : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<64x64xf32>, token
    %b = constant <f32: 0.5> : tile<64x64xf32>
    %zero = constant <f32: 0.0> : tile<64x64xf32>
    %c = mmaf %a, %b, %zero : tile<64x64xf32>, tile<64x64xf32>, tile<64x64xf32>
    %t1 = store_view_tko weak %c, %va[%z, %z] token=%t0 : tile<64x64xf32>, partition_view<tile=(64x64), padding_value = zero, tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
    %d = mmaf %a, %c, %zero : tile<64x64xf32>, tile<64x64xf32>, tile<64x64xf32>
    %t2 = store_view_tko weak %d, %vc[%z, %z] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }
  entry @stores(%y: tile<ptr<f32>>, %n: tile<i32>) {
    %w = make_tensor_view %y, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %v = make_partition_view %w : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
    %i = iota : tile<64xi32>
    %f = itof %i signed : tile<64xi32> -> tile<64xf32>
    %i0 = constant <i32: 0> : tile<i32>
    %i1 = constant <i32: 1> : tile<i32>
    %i2 = constant <i32: 2> : tile<i32>
    %i3 = constant <i32: 3> : tile<i32>
    %d1 = addf %f, %f : tile<64xf32>
    %d2 = addf %d1, %f : tile<64xf32>
    %d3 = addf %d2, %f : tile<64xf32>
    %t0 = store_view_tko weak %f, %v[%i0] : tile<64xf32>, partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    %t1 = store_view_tko weak %d1, %v[%i1] : tile<64xf32>, partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    %t2 = store_view_tko weak %d2, %v[%i2] : tile<64xf32>, partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    %t3 = store_view_tko weak %d3, %v[%i3] : tile<64xf32>, partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
