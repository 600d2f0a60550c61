// REQUIRES: llvm
// RUN: mkdir -p %t && cd %t
// RUN: %tessera run %s -t interp -g 1 arange:i32:2304 zeros:i32:3648 --save out=o.npy
// RUN: %npy expect o.npy '<i4' 3648 '4 * i + 1 if i < 768 else 2 * (i - 768) + 1152 if i < 1920 else i - 1920 if i < 2688 else 0'
// RUN: %engines %t.engines %s --no-amd --grid 1 arange:i32:2304 zeros:i32:3648 --save out
//
// Reductions of as many lines as no power of two is: several lines at once must end where
// the last ends, and leave what lies behind alone.
#pairs = layout<local(6, 2).spatial(128, 1)>
#rows = layout<local(2, 9).spatial(1, 128)>
#line = layout<local(6).spatial(128)>
#pair_sums = layout<reduce(local(6, 2).spatial(128, 1), dims=[1])>
#row_sums = layout<reduce(local(2, 9).spatial(1, 128), dims=[0])>
!pairs = tile<768x2xi32, #pairs>
!rows = tile<2x1152xi32, #rows>
!line = tile<768xi32, #line>
cuda_tile.module @lines {
  entry @k(%x: tile<ptr<i32>>, %out: tile<ptr<i32>>) threads(128) {
    %0 = constant <i32: 0> : tile<i32>
    %v = make_tensor_view %x, shape = [768, 2], strides = [2, 1] : tensor_view<768x2xi32, strides=[2,1]>
    %w = make_tensor_view %x, shape = [2, 1152], strides = [1152, 1] : tensor_view<2x1152xi32, strides=[1152,1]>
    %o = make_tensor_view %out, shape = [3648], strides = [1] : tensor_view<3648xi32, strides=[1]>
    %pairs = load_global %v[%0, %0] : tensor_view<768x2xi32, strides=[2,1]> -> !pairs
    %rows = load_global %w[%0, %0] : tensor_view<2x1152xi32, strides=[1152,1]> -> !rows
    %count = make_tensor_view %x, shape = [768], strides = [1] : tensor_view<768xi32, strides=[1]>
    // Where the sums will lie, %kept lies behind.
    %first = load_global %count[%0] : tensor_view<768xi32, strides=[1]> -> !line
    %kept = load_global %count[%0] : tensor_view<768xi32, strides=[1]> -> !line
    store_global %first, %o[%0] : !line, tensor_view<3648xi32, strides=[1]>
    // 768 sums of neighbours.
    %sums = reduce %pairs dim=1 identities=[0 : i32] : !pairs -> tile<768xi32, #pair_sums> (%a: tile<i32>, %b: tile<i32>) {
      %s = addi %a, %b : tile<i32>
      yield %s : tile<i32>
    }
    // 1152 sums of what lies far apart.
    %long = reduce %rows dim=0 identities=[0 : i32] : !rows -> tile<1152xi32, #row_sums> (%a: tile<i32>, %b: tile<i32>) {
      %s = addi %a, %b : tile<i32>
      yield %s : tile<i32>
    }
    store_global %sums, %o[%0] : tile<768xi32, #pair_sums>, tensor_view<3648xi32, strides=[1]>
    %768 = constant <i32: 768> : tile<i32>
    store_global %long, %o[%768] : tile<1152xi32, #row_sums>, tensor_view<3648xi32, strides=[1]>
    %1920 = constant <i32: 1920> : tile<i32>
    store_global %kept, %o[%1920] : !line, tensor_view<3648xi32, strides=[1]>
    return
  }
}
