// RUN: %tessera run %s --extensions --kernel unaligned --target interp --grid 1 arange:i8:256 zeros:i7:256 zeros:i5:256 zeros:i8:256 zeros:i8:256 --save arg3=%t.y.npy --save arg4=%t.z.npy
// RUN: %npy expect %t.y.npy '|i1' 256 '((i & 127) ^ 64) - 64'
// RUN: %npy expect %t.z.npy '|i1' 256 '((i & 31) ^ 16) - 16'
// RUN: %tessera run %s --extensions --kernel neighbours --target interp --grid 1 ones:i3:64 --print arg0 | FileCheck %s --check-prefix NEIGHBOURS
// RUN: %tessera run %s --extensions --kernel moves --target interp --grid 1 | FileCheck %s --check-prefix MOVES
// RUN: %tessera run %s --extensions --kernel moves --target interp --grid 1 >%t.plain
// RUN: %tessera opt -O3 --extensions %s -o %t.opt.mlir
// RUN: %tessera run %t.opt.mlir -O 0 --extensions --kernel moves --target interp --grid 1 | diff - %t.plain
// RUN: %tessera fmt --extensions %s | %tessera check --extensions -
//
// Elements that share bytes: stored and loaded one by one and in views, at any offset; what moves
// tiles of them.
cuda_tile.module @extensions {
  // Of bytes the low 7 and 5 bits, through pointers and through views, in an order of their own.
  entry @unaligned(%x: tile<ptr<i8>>, %seven: tile<ptr<i7>>, %five: tile<ptr<i5>>, %y: tile<ptr<i8>>, %z: tile<ptr<i8>>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %xv = make_tensor_view %x, shape = [256], strides = [1] : tensor_view<256xi8, strides=[1]>
    %xt = make_partition_view %xv : partition_view<tile=(256), tensor_view<256xi8, strides=[1]>>
    %bytes, %t0 = load_view_tko weak %xt[%zero] : partition_view<tile=(256), tensor_view<256xi8, strides=[1]>>, tile<i32> -> tile<256xi8>, token
    %a = trunci %bytes : tile<256xi8> -> tile<256xi7>
    %b = trunci %bytes : tile<256xi8> -> tile<256xi5>
    %i = iota : tile<256xi32>
    %p1 = reshape %seven : tile<ptr<i7>> -> tile<1xptr<i7>>
    %ps = broadcast %p1 : tile<1xptr<i7>> -> tile<256xptr<i7>>
    %p = offset %ps, %i : tile<256xptr<i7>>, tile<256xi32> -> tile<256xptr<i7>>
    %t1 = store_ptr_tko weak %p, %a : tile<256xptr<i7>>, tile<256xi7> -> token
    // The second half first: the first must leave it as it is.
    %fv = make_tensor_view %five, shape = [256], strides = [1] : tensor_view<256xi5, strides=[1]>
    %ft = make_partition_view %fv : partition_view<tile=(128), tensor_view<256xi5, strides=[1]>>
    %low = extract %b[%zero] : tile<256xi5> -> tile<128xi5>
    %high = extract %b[%one] : tile<256xi5> -> tile<128xi5>
    %t2 = store_view_tko weak %high, %ft[%one] : tile<128xi5>, partition_view<tile=(128), tensor_view<256xi5, strides=[1]>>, tile<i32> -> token
    %t3 = store_view_tko weak %low, %ft[%zero] token=%t2 : tile<128xi5>, partition_view<tile=(128), tensor_view<256xi5, strides=[1]>>, tile<i32> -> token
    %t4 = join_tokens %t1, %t3 : token

    %sv = make_tensor_view %seven, shape = [256], strides = [1] : tensor_view<256xi7, strides=[1]>
    %st = make_partition_view %sv : partition_view<tile=(256), tensor_view<256xi7, strides=[1]>>
    %a2, %t5 = load_view_tko weak %st[%zero] token=%t4 : partition_view<tile=(256), tensor_view<256xi7, strides=[1]>>, tile<i32> -> tile<256xi7>, token
    %a3 = exti %a2 signed : tile<256xi7> -> tile<256xi8>
    %q1 = reshape %five : tile<ptr<i5>> -> tile<1xptr<i5>>
    %qs = broadcast %q1 : tile<1xptr<i5>> -> tile<256xptr<i5>>
    // There and back again: offsets add up to whole bytes or not.
    %three = constant <i32: 3> : tile<256xi32>
    %back = constant <i32: -3> : tile<256xi32>
    %q3 = offset %qs, %three : tile<256xptr<i5>>, tile<256xi32> -> tile<256xptr<i5>>
    %qi = offset %q3, %i : tile<256xptr<i5>>, tile<256xi32> -> tile<256xptr<i5>>
    %q = offset %qi, %back : tile<256xptr<i5>>, tile<256xi32> -> tile<256xptr<i5>>
    %b2, %t6 = load_ptr_tko weak %q token=%t4 : tile<256xptr<i5>> -> tile<256xi5>, token
    %b3 = exti %b2 signed : tile<256xi5> -> tile<256xi8>
    %yv = make_tensor_view %y, shape = [256], strides = [1] : tensor_view<256xi8, strides=[1]>
    %yt = make_partition_view %yv : partition_view<tile=(256), tensor_view<256xi8, strides=[1]>>
    %t7 = store_view_tko weak %a3, %yt[%zero] : tile<256xi8>, partition_view<tile=(256), tensor_view<256xi8, strides=[1]>>, tile<i32> -> token
    %zv = make_tensor_view %z, shape = [256], strides = [1] : tensor_view<256xi8, strides=[1]>
    %zt = make_partition_view %zv : partition_view<tile=(256), tensor_view<256xi8, strides=[1]>>
    %t8 = store_view_tko weak %b3, %zt[%zero] : tile<256xi8>, partition_view<tile=(256), tensor_view<256xi8, strides=[1]>>, tile<i32> -> token
  }

  // A column of a matrix, and a release store of one element that lies in two bytes: all others
  // stay 1.
  // NEIGHBOURS:      arg0: i3 64
  // NEIGHBOURS-NEXT: [ 1  1  3  1  1  1  1  1  1  1  3  1  1  1  1  1  1  1 -2  1  1  1  1  1
  // NEIGHBOURS-NEXT:   1  1  3  1  1  1  1  1  1  1  1  1  1  1  1  1  1  1  1  1  1  1  1  1
  // NEIGHBOURS-NEXT:   1  1  1  1  1  1  1  1  1  1  1  1  1  1  1  1]
  entry @neighbours(%x: tile<ptr<i3>>) {
    %zero = constant <i32: 0> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %eighteen = constant <i32: 18> : tile<i32>
    %v = make_tensor_view %x, shape = [4, 3], strides = [8, 2] : tensor_view<4x3xi3, strides=[8,2]>
    %p = make_partition_view %v : partition_view<tile=(4x1), tensor_view<4x3xi3, strides=[8,2]>>
    %three = constant <i3: 3> : tile<4x1xi3>
    %one = constant <i32: 1> : tile<i32>
    %t0 = store_view_tko weak %three, %p[%zero, %one] : tile<4x1xi3>, partition_view<tile=(4x1), tensor_view<4x3xi3, strides=[8,2]>>, tile<i32> -> token
    %at = offset %x, %eighteen : tile<ptr<i3>>, tile<i32> -> tile<ptr<i3>>
    %last = constant <i3: -2> : tile<i3>
    %t1 = store_ptr_tko release device %at, %last token=%t0 : tile<ptr<i3>>, tile<i3> -> token
  }

  // MOVES:      [-1, 0, 1, -2, -1, 0, 1, -2]
  // MOVES-NEXT: {{\[\[}}0, 1, 2, 3], [-4, -3, -2, -1{{\]\]}}
  // MOVES-NEXT: {{\[\[}}0, -4], [1, -3], [2, -2], [3, -1{{\]\]}}
  // MOVES-NEXT: [0, 1, 2, 3, -4, -3, -2, -1, -1, -1, -1, -1, -1, -1, -1, -1]
  // MOVES-NEXT: [-1, 1, -1, 3, -1, -3, -1, -1]
  // MOVES-NEXT: [0.0625, 0.125, -0.1875, 28, -28, 0, 1, 1.5]
  // MOVES-NEXT: [1, 2, 35, 31, 63, 0, 12, 14]
  // MOVES-NEXT: [240, -240, 0, nan]
  // MOVES-NEXT: [127, -1, 0, -128]
  entry @moves() {
    %i = iota : tile<8xi32>
    %seven = constant <i2: [-1, 0, 1, -2, -1, 0, 1, -2]> : tile<8xi2>
    %t0 = print_tko "%d\n", %seven : tile<8xi2> -> token
    %x = trunci %i : tile<8xi32> -> tile<8xi3>
    %square = reshape %x : tile<8xi3> -> tile<2x4xi3>
    %t1 = print_tko "%d\n", %square token=%t0 : tile<2x4xi3> -> token
    %turned = permute %square [1, 0] : tile<2x4xi3> -> tile<4x2xi3>
    %t2 = print_tko "%d\n", %turned token=%t1 : tile<4x2xi3> -> token
    %ones = constant <i3: 7> : tile<8xi3>
    %both = cat %x, %ones dim = 0 : tile<8xi3>, tile<8xi3> -> tile<16xi3>
    %t3 = print_tko "%d\n", %both token=%t2 : tile<16xi3> -> token
    %odd = trunci %i : tile<8xi32> -> tile<8xi1>
    %chosen = select %odd, %x, %ones : tile<8xi1>, tile<8xi3>
    %t4 = print_tko "%d\n", %chosen token=%t3 : tile<8xi3> -> token
    %t5 = make_token : token
    %f = constant <f32: [0.0625, 0.1, -0.2, 100.0, -1.0e30, 0.01, 1.1, 1.4]> : tile<8xf32>
    %six = ftof %f : tile<8xf32> -> tile<8xf6E3M2FN>
    %t6 = print_tko "%g\n", %six token=%t5 : tile<8xf6E3M2FN> -> token
    %bits = bitcast %six : tile<8xf6E3M2FN> -> tile<8xi6>
    %wide = exti %bits unsigned : tile<8xi6> -> tile<8xi32>
    %t7 = print_tko "%d\n", %wide token=%t6 : tile<8xi32> -> token
    %g = constant <f32: [1000.0, -1000.0, -0.0, 0x7FC00000]> : tile<4xf32>
    %fnuz = ftof %g : tile<4xf32> -> tile<4xf8E4M3FNUZ>
    %t8 = print_tko "%g\n", %fnuz token=%t7 : tile<4xf8E4M3FNUZ> -> token
    %pattern = bitcast %fnuz : tile<4xf8E4M3FNUZ> -> tile<4xi8>
    %t9 = print_tko "%d\n", %pattern token=%t8 : tile<4xi8> -> token
  }
}
