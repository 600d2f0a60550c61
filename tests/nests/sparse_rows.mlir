// A row of a sparse matrix in one iteration of the exact version: y[i] = the
// sum of v[k] * p(x[c[k]]) for a polynomial p, where only the first few k of a
// row exist. The guarded version stops behind these.
// REQUIRES: llvm
//
// RUN: %pattern peel@avx512 %t %s --grid 40 normal:f32:300 arange:i32:300 normal:f32:304 y=zeros:f32:40 --save y --rtol=1e-6
// RUN: %pattern repeat-last@avx512 %t %s --grid 40 normal:f32:300 arange:i32:300 normal:f32:304 y=zeros:f32:40 --save y --rtol=1e-6
// RUN: %pattern repeat-last@avx2 %t %s --grid 40 normal:f32:300 arange:i32:300 normal:f32:304 y=zeros:f32:40 --save y --rtol=1e-6
cuda_tile.module @kernels {
  entry @sparse_rows(%v: tile<ptr<f32>>, %c: tile<ptr<i32>>, %x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %row, %b, %c0 = get_tile_block_id : tile<i32>
    %seven = constant <i32: 7> : tile<i32>
    %five = constant <i32: 5> : tile<i32>
    %most = constant <i32: 31> : tile<i32>
    %begin = muli %row, %seven : tile<i32>
    %r5 = muli %row, %five : tile<i32>
    %length = andi %r5, %most : tile<i32>
    %end = addi %begin, %length : tile<i32>
    %begin1 = reshape %begin : tile<i32> -> tile<1xi32>
    %begins = broadcast %begin1 : tile<1xi32> -> tile<64xi32>
    %end1 = reshape %end : tile<i32> -> tile<1xi32>
    %ends = broadcast %end1 : tile<1xi32> -> tile<64xi32>
    %lane = iota : tile<64xi32>
    %k = addi %begins, %lane : tile<64xi32>
    %exists = cmpi less_than %k, %ends, signed : tile<64xi32> -> tile<64xi1>
    %c1 = reshape %c : tile<ptr<i32>> -> tile<1xptr<i32>>
    %cs = broadcast %c1 : tile<1xptr<i32>> -> tile<64xptr<i32>>
    %cp = offset %cs, %k : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
    %none = constant <i32: 0> : tile<64xi32>
    %zero = constant <f32: 0.0> : tile<64xf32>
    %column, %t0 = load_ptr_tko weak %cp, %exists, %none : tile<64xptr<i32>>, tile<64xi1>, tile<64xi32> -> tile<64xi32>, token
    %v1 = reshape %v : tile<ptr<f32>> -> tile<1xptr<f32>>
    %vs = broadcast %v1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
    %vp = offset %vs, %k : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
    %value, %t1 = load_ptr_tko weak %vp, %exists, %zero : tile<64xptr<f32>>, tile<64xi1>, tile<64xf32> -> tile<64xf32>, token
    %x1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
    %xs = broadcast %x1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
    %xp = offset %xs, %column : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
    %there, %t2 = load_ptr_tko weak %xp : tile<64xptr<f32>> -> tile<64xf32>, token
    %one = constant <f32: 1.0> : tile<64xf32>
    %half = constant <f32: 0.5> : tile<64xf32>
    %p0 = mulf %there, %half : tile<64xf32>
    %p1 = addf %p0, %one : tile<64xf32>
    %p2 = mulf %p1, %there : tile<64xf32>
    %p3 = subf %p2, %half : tile<64xf32>
    %p4 = mulf %p3, %there : tile<64xf32>
    %p5 = addf %p4, %one : tile<64xf32>
    %product = mulf %value, %p5 : tile<64xf32>
    %sum = reduce %product dim=0 identities=[0.0 : f32] : tile<64xf32> -> tile<f32> (%left: tile<f32>, %right: tile<f32>) {
      %both = addf %left, %right : tile<f32>
      yield %both : tile<f32>
    }
    %yp = offset %y, %row : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %t3 = store_ptr_tko weak %yp, %sum : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
