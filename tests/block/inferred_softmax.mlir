// RUN: %tessera run %s -t interp --sanitize=all -g 3 arange:f32:10x200 zeros:f32:10x200 i32:10 i32:200 --save y=%t.npy
// RUN: %npy expect %t.npy '<f4' 10x200 'exp(x1 - 199) * (1 - exp(-1)) / (1 - exp(-200))' --rtol=1e-5 --atol=1e-30
// RUN: %tessera fmt --infer %s | sed '/^\/\//d' | FileCheck %s
//
// softmax.mlir without layouts: rows lie as in memory, 16 bytes to a thread, and what a reduction
// leaves in copies is read where it is.
// CHECK: %t = load_global {{.*}} -> tile<4x256xf32, [[X:local\(2, 1\).spatial\(2, 64\).local\(1, 4\)]]>
// CHECK: %max = reduce {{.*}} -> tile<4xf32, local(2).spatial(2).replicated(1, num_workers=64)>
// CHECK: %max2 = broadcast %max1 : {{.*}} -> tile<4x256xf32, [[X]]>
// CHECK-NOT: convert_layout
!x = tile<4x256xf32>
!v = tensor_view<?x?xf32, strides=[?,1]>
cuda_tile.module @softmax {
  entry @softmax(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %m: tile<i32>, %n: tile<i32>) threads(128) {
    %vx = make_tensor_view %x, shape = [%m, %n], strides = [%n, 1] : tile<i32> -> !v
    %vy = make_tensor_view %y, shape = [%m, %n], strides = [%n, 1] : tile<i32> -> !v
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %c4 = constant <i32: 4> : tile<i32>
    %row = muli %b, %c4 : tile<i32>
    %t = load_global %vx[%row, %c0] padding_value = neg_inf : !v -> !x
    %max = reduce %t dim=1 identities=[0xFF800000 : f32] : !x -> tile<4xf32>
    (%p: tile<f32>, %q: tile<f32>) { %r = maxf %p, %q : tile<f32> yield %r : tile<f32> }
    %max1 = reshape %max : tile<4xf32> -> tile<4x1xf32>
    %max2 = broadcast %max1 : tile<4x1xf32> -> !x
    %less = subf %t, %max2 : !x
    %e = exp %less : !x
    %sum = reduce %e dim=1 identities=[0.0 : f32] : !x -> tile<4xf32>
    (%p: tile<f32>, %q: tile<f32>) { %r = addf %p, %q : tile<f32> yield %r : tile<f32> }
    %sum1 = reshape %sum : tile<4xf32> -> tile<4x1xf32>
    %sum2 = broadcast %sum1 : tile<4x1xf32> -> !x
    %out = divf %e, %sum2 : !x
    store_global %out, %vy[%row, %c0] : !x, !v
    return
  }
}
