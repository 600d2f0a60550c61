// RUN: %transcript %s
// Elements that a load leaves out have no value without padding: what depends on them is found.
cuda_tile.module @undefined {
  // Those that are masked off again, chosen against or multiplied with known zeros are no fault.
  entry @harmless(%p: tile<ptr<i32>>, %n: tile<i32>) {
    %p1 = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
    %p8 = broadcast %p1 : tile<1xptr<i32>> -> tile<8xptr<i32>>
    %i = iota : tile<8xi32>
    %ps = offset %p8, %i : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
    %n1 = reshape %n : tile<i32> -> tile<1xi32>
    %n8 = broadcast %n1 : tile<1xi32> -> tile<8xi32>
    %mask = cmpi less_than %i, %n8, signed : tile<8xi32> -> tile<8xi1>
    %x, %t0 = load_ptr_tko weak %ps, %mask : tile<8xptr<i32>>, tile<8xi1> -> tile<8xi32>, token
    %y = addi %x, %i : tile<8xi32>
    %t1 = store_ptr_tko weak %ps, %y, %mask token=%t0 : tile<8xptr<i32>>, tile<8xi32>, tile<8xi1> -> token
    %zero = constant <i32: 0> : tile<8xi32>
    %z = select %mask, %y, %zero : tile<8xi1>, tile<8xi32>
    %low = cmpi less_than %x, %i, signed : tile<8xi32> -> tile<8xi1>
    %both = andi %mask, %low : tile<8xi1>
    %w, %t2 = load_ptr_tko weak %ps, %both, %zero token=%t1 : tile<8xptr<i32>>, tile<8xi1>, tile<8xi32> -> tile<8xi32>, token
    %v = addi %z, %w : tile<8xi32>
    %sum = reduce %v dim=0 identities=[0 : i32] : tile<8xi32> -> tile<i32> (%a: tile<i32>, %b: tile<i32>) {
      %c = addi %a, %b : tile<i32>
      yield %c : tile<i32>
    }
    // Each element brings along whether it counts.
    %most, %any = reduce %x, %mask dim=0 identities=[0 : i32, false : i1] : tile<8xi32>, tile<8xi1> -> tile<i32>, tile<i1> (%a: tile<i32>, %b: tile<i32>, %am: tile<i1>, %bm: tile<i1>) {
      %m = maxi %a, %b signed : tile<i32>
      %r = select %am, %m, %b : tile<i1>, tile<i32>
      %rm = ori %am, %bm : tile<i1>
      yield %r, %rm : tile<i32>, tile<i1>
    }
    print_tko "%i %i\n", %sum, %most : tile<i32>, tile<i32> -> token
  }
  entry @stored(%p: tile<ptr<i32>>, %n: tile<i32>) {
    %p1 = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
    %p8 = broadcast %p1 : tile<1xptr<i32>> -> tile<8xptr<i32>>
    %i = iota : tile<8xi32>
    %ps = offset %p8, %i : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
    %n1 = reshape %n : tile<i32> -> tile<1xi32>
    %n8 = broadcast %n1 : tile<1xi32> -> tile<8xi32>
    %mask = cmpi less_than %i, %n8, signed : tile<8xi32> -> tile<8xi1>
    %x, %t0 = load_ptr_tko weak %ps, %mask : tile<8xptr<i32>>, tile<8xi1> -> tile<8xi32>, token
    %y = muli %x, %i : tile<8xi32>
    %t1 = store_ptr_tko weak %ps, %y token=%t0 : tile<8xptr<i32>>, tile<8xi32> -> token
  }
  entry @decides(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %v = make_tensor_view %p, shape = [%n, 4], strides = [4, 1] : tile<i32> -> tensor_view<?x4xf32, strides=[4,1]>
    %tiles = make_partition_view %v : partition_view<tile=(4x4), tensor_view<?x4xf32, strides=[4,1]>>
    %zero = constant <i32: 0> : tile<i32>
    %x, %t0 = load_view_tko weak %tiles[%zero, %zero] : partition_view<tile=(4x4), tensor_view<?x4xf32, strides=[4,1]>>, tile<i32> -> tile<4x4xf32>, token
    %ones = constant <f32: 1.0> : tile<4x4xf32>
    %rows = mmaf %x, %ones, %ones : tile<4x4xf32>, tile<4x4xf32>, tile<4x4xf32>
    %turned = permute %rows [1, 0] : tile<4x4xf32> -> tile<4x4xf32>
    %run = scan %turned dim=1 reverse=false identities=[0.0 : f32] : tile<4x4xf32> -> tile<4x4xf32> (%a: tile<f32>, %b: tile<f32>) {
      %c = addf %a, %b : tile<f32>
      yield %c : tile<f32>
    }
    print_tko "%f\n", %run token=%t0 : tile<4x4xf32> -> token
    %last = constant <i32: 3> : tile<i32>
    %e = extract %x[%last, %zero] : tile<4x4xf32> -> tile<1x1xf32>
    %s = reshape %e : tile<1x1xf32> -> tile<f32>
    %limit = constant <f32: 0.5> : tile<f32>
    %c = cmpf less_than ordered %s, %limit : tile<f32> -> tile<i1>
    if %c {
      print_tko "small\n" -> token
    }
  }
}

// $ tessera run undefined.mlir -g 1 --sanitize=all -k harmless arange:i32:5 i32:5
// 20 4
// tessera: remark: sanitizer: nothing found (bounds, assume, init, race, arith) in 1 tile block
// $ tessera run undefined.mlir -g 1 --sanitize=all -k stored arange:i32:8 i32:5
// undefined.mlir:45:11: error: [init] store_ptr_tko stores an element without a value
//       %t1 = store_ptr_tko weak %ps, %y token=%t0 : tile<8xptr<i32>>, tile<8xi32> -> token
//             ^
// tessera: note: in tile block (0, 0, 0), element [5]: a load without padding left it out, masked off or outside of the view; the first to do so is load_ptr_tko in line 43; so are 2 more elements
// undefined.mlir:45:11: note: [init] store_ptr_tko: 2 more findings, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 3 findings at 1 operation (init 3) in 1 tile block
// [1]
// $ tessera run undefined.mlir -g 2 --sanitize=all -k decides uniform:f32:3x4 i32:3
// undefined.mlir:59:5: error: [init] print_tko prints an element without a value
//       print_tko "%f\n", %run token=%t0 : tile<4x4xf32> -> token
//       ^
// tessera: note: in tile block (0, 0, 0), element [0, 3]: a load without padding left it out, masked off or outside of the view; the first to do so is load_view_tko in line 51; so are 3 more elements
// [[3.539934, 6.696598, 8.818184, 9.818184], [3.539934, 6.696598, 8.818184, 9.818184], [3.539934, 6.696598, 8.818184, 9.818184], [3.539934, 6.696598, 8.818184, 9.818184]]
// undefined.mlir:65:5: error: [init] if branches on an element without a value
//       if %c {
//       ^
// tessera: note: in tile block (0, 0, 0): a load without padding left it out, masked off or outside of the view; the first to do so is load_view_tko in line 51
// small
// [[3.539934, 6.696598, 8.818184, 9.818184], [3.539934, 6.696598, 8.818184, 9.818184], [3.539934, 6.696598, 8.818184, 9.818184], [3.539934, 6.696598, 8.818184, 9.818184]]
// small
// undefined.mlir:59:5: note: [init] print_tko: 7 more findings, the last in tile block (1, 0, 0)
// undefined.mlir:65:5: note: [init] if: 1 more finding, the last in tile block (1, 0, 0)
// tessera: note: sanitizer: 10 findings at 2 operations (init 10) in 2 tile blocks
// [1]
