// REQUIRES: llvm
// RUN: %tessera build %s --target sm_90a --emit block-tma -o %t.tma.mlir
// RUN: grep -c 'role @' %t.tma.mlir | grep -x 4
// RUN: %tessera build %s --target sm_90a --emit block-cluster -o %t.cluster.mlir
// RUN: grep 'cluster(2)' %t.cluster.mlir
// RUN: sh %S/Inputs/bridge_roles.sh "%tessera" "%npy" %t %s
//
// Kernels whose loops hand on stages to each other, printed with roles: a product in a loop around
// (the stages go on from one execution of the inner loop to the next), of a left operand that lies
// along m, so that the view of its tensor map has its dimensions turned; and one of two products that
// have a loop each.
!v = tensor_view<?x?xf16, strides=[?,1]>
!w = tensor_view<?x?xf16, strides=[1,?]>
!f = tensor_view<?x?xf32, strides=[?,1]>
cuda_tile.module @roles {
  entry @around(%A: tile<ptr<f16>>, %B: tile<ptr<f16>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) optimization_hints=<sm_90 = {num_cta_in_cga = 2}> {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c64 = constant <i32: 64> : tile<i32>
    %ga = make_tensor_view %A, shape = [%M, %K], strides = [1, %M] : tile<i32> -> !w
    %gb = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> !v
    %gc = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> !f
    %pa = make_partition_view %ga : partition_view<tile=(64x64), padding_value = zero, !w>
    %pb = make_partition_view %gb : partition_view<tile=(64x64), padding_value = zero, !v>
    %pc = make_partition_view %gc : partition_view<tile=(64x64), !f>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %steps = divi %K, %c64 unsigned rounding<positive_inf> : tile<i32>
    %columns = divi %N, %c64 unsigned rounding<positive_inf> : tile<i32>
    for %j in (%c0 to %columns, step %c1) : tile<i32> {
      %zero = constant <f32: 0.0> : tile<64x64xf32>
      %sum = for %i in (%c0 to %steps, step %c1) : tile<i32> iter_values(%acc = %zero) -> (tile<64x64xf32>) {
        %a, %t = load_view_tko weak %pa[%x, %i] : partition_view<tile=(64x64), padding_value = zero, !w>, tile<i32> -> tile<64x64xf16>, token
        %b, %u = load_view_tko weak %pb[%i, %j] : partition_view<tile=(64x64), padding_value = zero, !v>, tile<i32> -> tile<64x64xf16>, token
        %d = mmaf %a, %b, %acc : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
        continue %d : tile<64x64xf32>
      }
      %s = store_view_tko weak %sum, %pc[%x, %j] : tile<64x64xf32>, partition_view<tile=(64x64), !f>, tile<i32> -> token
    }
    return
  }
  entry @twice(%A: tile<ptr<f16>>, %B: tile<ptr<f16>>, %C: tile<ptr<f32>>, %M: tile<i32>, %N: tile<i32>, %K: tile<i32>) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c64 = constant <i32: 64> : tile<i32>
    %ga = make_tensor_view %A, shape = [%K, %M], strides = [%M, 1] : tile<i32> -> !v
    %gb = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> !v
    %gc = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> !f
    %pa = make_partition_view %ga : partition_view<tile=(64x64), padding_value = zero, !v, dim_map=[1, 0]>
    %pb = make_partition_view %gb : partition_view<tile=(64x64), padding_value = zero, !v>
    %pc = make_partition_view %gc : partition_view<tile=(64x64), !f>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %steps = divi %K, %c64 unsigned rounding<positive_inf> : tile<i32>
    %first = subi %steps, %c1 : tile<i32>
    %zero = constant <f32: 0.0> : tile<64x64xf32>
    %half = for %i in (%c0 to %first, step %c1) : tile<i32> iter_values(%acc = %zero) -> (tile<64x64xf32>) {
      %a, %t = load_view_tko weak %pa[%x, %i] : partition_view<tile=(64x64), padding_value = zero, !v, dim_map=[1, 0]>, tile<i32> -> tile<64x64xf16>, token
      %b, %u = load_view_tko weak %pb[%i, %y] : partition_view<tile=(64x64), padding_value = zero, !v>, tile<i32> -> tile<64x64xf16>, token
      %d = mmaf %a, %b, %acc : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
      continue %d : tile<64x64xf32>
    }
    %turned = negf %half : tile<64x64xf32>
    %sum = for %i in (%first to %steps, step %c1) : tile<i32> iter_values(%acc = %turned) -> (tile<64x64xf32>) {
      %a, %t = load_view_tko weak %pa[%x, %i] : partition_view<tile=(64x64), padding_value = zero, !v, dim_map=[1, 0]>, tile<i32> -> tile<64x64xf16>, token
      %b, %u = load_view_tko weak %pb[%i, %y] : partition_view<tile=(64x64), padding_value = zero, !v>, tile<i32> -> tile<64x64xf16>, token
      %d = mmaf %a, %b, %acc : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
      continue %d : tile<64x64xf32>
    }
    %s = store_view_tko weak %sum, %pc[%x, %y] : tile<64x64xf32>, partition_view<tile=(64x64), !f>, tile<i32> -> token
    return
  }
}
