// RUN: %transcript %s
//
// reduce and scan of one element, of splats and of tiles that were broadcast.
cuda_tile.module @reductions {
  entry @one(%p: tile<ptr<f32>>) {
    %ps = reshape %p : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %pb = broadcast %ps : tile<1x1xptr<f32>> -> tile<4x1xptr<f32>>
    %x, %t = load_ptr_tko weak %pb : tile<4x1xptr<f32>> -> tile<4x1xf32>, token
    %sum = reduce %x dim=1 identities=[0.0 : f32] : tile<4x1xf32> -> tile<4xf32> (%a: tile<f32>, %b: tile<f32>) {
      %c = addf %a, %b rounding<zero> flush_to_zero : tile<f32>
      yield %c : tile<f32>
    }
    %run = scan %x dim=1 reverse=false identities=[1.0 : f32] : tile<4x1xf32> -> tile<4x1xf32> (%a: tile<f32>, %b: tile<f32>) {
      %two = constant <f32: 2.0> : tile<f32>
      %c = mulf %a, %b : tile<f32>
      %d = mulf %c, %two : tile<f32>
      yield %d : tile<f32>
    }
    %i = iota : tile<4xi32>
    %i1 = reshape %i : tile<4xi32> -> tile<4x1xi32>
    // The greatest, and where it is.
    %best, %at = reduce %x, %i1 dim=1 identities=[0xff800000 : f32, -1 : i32] : tile<4x1xf32>, tile<4x1xi32> -> tile<4xf32>, tile<4xi32> (%a: tile<f32>, %b: tile<f32>, %ai: tile<i32>, %bi: tile<i32>) {
      %c = cmpf greater_than ordered %a, %b : tile<f32> -> tile<i1>
      %m = select %c, %a, %b : tile<i1>, tile<f32>
      %k = select %c, %ai, %bi : tile<i1>, tile<i32>
      yield %m, %k : tile<f32>, tile<i32>
    }
    print_tko "%f %f %f %i\n", %sum, %run, %best, %at token=%t : tile<4xf32>, tile<4x1xf32>, tile<4xf32>, tile<4xi32> -> token
  }
  entry @alike(%x: tile<i32>, %y: tile<f32>) {
    %x1 = reshape %x : tile<i32> -> tile<1x1xi32>
    %xs = broadcast %x1 : tile<1x1xi32> -> tile<8x16xi32>
    %sum = reduce %xs dim=0 identities=[0 : i32] : tile<8x16xi32> -> tile<16xi32> (%a: tile<i32>, %b: tile<i32>) {
      %c = addi %a, %b : tile<i32>
      yield %c : tile<i32>
    }
    %max = scan %xs dim=1 reverse=true identities=[-2147483648 : i32] : tile<8x16xi32> -> tile<8x16xi32> (%a: tile<i32>, %b: tile<i32>) {
      %c = maxi %b, %a signed : tile<i32>
      yield %c : tile<i32>
    }
    %xor = reduce %xs dim=1 identities=[5 : i32] : tile<8x16xi32> -> tile<8xi32> (%a: tile<i32>, %b: tile<i32>) {
      %c = xori %a, %b : tile<i32>
      yield %c : tile<i32>
    }
    // A promise may be broken on the way; sums of floats round on the way.
    %promised = reduce %xs dim=1 identities=[0 : i32] : tile<8x16xi32> -> tile<8xi32> (%a: tile<i32>, %b: tile<i32>) {
      %c = addi %a, %b overflow<no_signed_wrap> : tile<i32>
      yield %c : tile<i32>
    }
    %y1 = reshape %y : tile<f32> -> tile<1xf32>
    %ys = broadcast %y1 : tile<1xf32> -> tile<8xf32>
    %fmax = reduce %ys dim=0 identities=[0xff800000 : f32] : tile<8xf32> -> tile<f32> (%a: tile<f32>, %b: tile<f32>) {
      %c = maxf %a, %b : tile<f32>
      yield %c : tile<f32>
    }
    %fsum = reduce %ys dim=0 identities=[0.0 : f32] : tile<8xf32> -> tile<f32> (%a: tile<f32>, %b: tile<f32>) {
      %c = addf %a, %b : tile<f32>
      yield %c : tile<f32>
    }
    print_tko "%i %i %i %i %f %f\n", %sum, %max, %xor, %promised, %fmax, %fsum : tile<16xi32>, tile<8x16xi32>, tile<8xi32>, tile<8xi32>, tile<f32>, tile<f32> -> token
    %three = constant <i32: 3> : tile<8xi32>
    %known = reduce %three dim=0 identities=[1 : i32] : tile<8xi32> -> tile<i32> (%a: tile<i32>, %b: tile<i32>) {
      %c = addi %a, %b : tile<i32>
      yield %c : tile<i32>
    }
    print_tko "%i\n", %known : tile<i32> -> token
  }
}

// $ tessera opt reductions.mlir --passes=canonicalize | tail -n +4
// cuda_tile.module @reductions {
//   entry @one(%p: tile<ptr<f32>>) {
//     %ps = reshape %p : tile<ptr<f32>> -> tile<1x1xptr<f32>>
//     %pb = broadcast %ps : tile<1x1xptr<f32>> -> tile<4x1xptr<f32>>
//     %x, %t = load_ptr_tko weak %pb : tile<4x1xptr<f32>> -> tile<4x1xf32>, token
//     %reshape = reshape %x : tile<4x1xf32> -> tile<4xf32>
//     %cst_0_f32 = constant <f32: 0.000000e+00> : tile<4xf32>
//     %sum = addf %reshape, %cst_0_f32 rounding<zero> flush_to_zero : tile<4xf32>
//     %cst_1_f32 = constant <f32: 1.000000e+00> : tile<4x1xf32>
//     %cst_2_f32 = constant <f32: 2.000000e+00> : tile<4x1xf32>
//     %0 = mulf %x, %cst_1_f32 : tile<4x1xf32>
//     %run = mulf %0, %cst_2_f32 : tile<4x1xf32>
//     %i = iota : tile<4xi32>
//     %reshape_0 = reshape %x : tile<4x1xf32> -> tile<4xf32>
//     %cst_f32 = constant <f32: 0xFF800000> : tile<4xf32>
//     %cst_-1_i32 = constant <i32: -1> : tile<4xi32>
//     %1 = cmpf greater_than ordered %reshape_0, %cst_f32 : tile<4xf32> -> tile<4xi1>
//     %best = select %1, %reshape_0, %cst_f32 : tile<4xi1>, tile<4xf32>
//     %at = select %1, %i, %cst_-1_i32 : tile<4xi1>, tile<4xi32>
//     %result_token = print_tko "%f %f %f %i\0A", %sum, %run, %best, %at token=%t : tile<4xf32>, tile<4x1xf32>, tile<4xf32>, tile<4xi32> -> token
//     return
//   }
//   entry @alike(%x: tile<i32>, %y: tile<f32>) {
//     %x1 = reshape %x : tile<i32> -> tile<1x1xi32>
//     %xs = broadcast %x1 : tile<1x1xi32> -> tile<8x16xi32>
//     %bcast = broadcast %x1 : tile<1x1xi32> -> tile<1x16xi32>
//     %reshape = reshape %bcast : tile<1x16xi32> -> tile<16xi32>
//     %cst_8_i32 = constant <i32: 8> : tile<16xi32>
//     %sum = muli %reshape, %cst_8_i32 : tile<16xi32>
//     %max = broadcast %x1 : tile<1x1xi32> -> tile<8x16xi32>
//     %xor = constant <i32: 5> : tile<8xi32>
//     // A promise may be broken on the way; sums of floats round on the way.
//     %promised = reduce %xs dim=1 identities=[0 : i32] : tile<8x16xi32> -> tile<8xi32>
//     (%a: tile<i32>, %b: tile<i32>) {
//       %c = addi %a, %b overflow<no_signed_wrap> : tile<i32>
//       yield %c : tile<i32>
//     }
//     %y1 = reshape %y : tile<f32> -> tile<1xf32>
//     %ys = broadcast %y1 : tile<1xf32> -> tile<8xf32>
//     %cst_NaN_f32 = constant <f32: 0x7FC00000> : tile<f32>
//     %fmax = maxf %y, %cst_NaN_f32 : tile<f32>
//     %fsum = reduce %ys dim=0 identities=[0.000000e+00 : f32] : tile<8xf32> -> tile<f32>
//     (%a: tile<f32>, %b: tile<f32>) {
//       %c = addf %a, %b : tile<f32>
//       yield %c : tile<f32>
//     }
//     %result_token = print_tko "%i %i %i %i %f %f\0A", %sum, %max, %xor, %promised, %fmax, %fsum : tile<16xi32>, tile<8x16xi32>, tile<8xi32>, tile<8xi32>, tile<f32>, tile<f32> -> token
//     %known = constant <i32: 25> : tile<i32>
//     %result_token_0 = print_tko "%i\0A", %known : tile<i32> -> token
//     return
//   }
// }
// $ tessera opt reductions.mlir -O1 -o after.mlir && tessera run reductions.mlir -k one --target interp --grid 1 uniform:f32:1 >before.txt && tessera run after.mlir -k one --target interp --grid 1 uniform:f32:1 | cmp - before.txt
// $ tessera run reductions.mlir -k alike --target interp --grid 1 i32:1000000007 f32:-2.5 >before.txt; tessera run after.mlir -k alike --target interp --grid 1 i32:1000000007 f32:-2.5 | cmp - before.txt
