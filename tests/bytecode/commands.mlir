// RUN: %transcript %s
// Every command takes bytecode where it takes text.
cuda_tile.module @m {
  entry @twice(%p: tile<ptr<f32>>) {
    %i = iota : tile<4xi32>
    %q = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
    %r = broadcast %q : tile<1xptr<f32>> -> tile<4xptr<f32>>
    %a = offset %r, %i : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
    %x, %t = load_ptr_tko weak %a : tile<4xptr<f32>> -> tile<4xf32>, token
    %y = addf %x, %x : tile<4xf32>
    %u = store_ptr_tko weak %a, %y token=%t : tile<4xptr<f32>>, tile<4xf32> -> token
  }
}

// $ tessera as commands.mlir -o c.bc
// $ tessera check -v c.bc commands.mlir
// c.bc: right, 1 kernel
//   @twice(ptr<f32>)
// commands.mlir: right, 1 kernel
//   @twice(p: ptr<f32>)
// $ tessera check - <c.bc
// $ tessera run c.bc --grid 1 --target interp b=arange:f32:4 --print b
// b: f32 4
// [0. 2. 4. 6.]
// $ tessera fmt c.bc | tessera check -
// $ tessera fmt --check c.bc
// tessera: error: 'c.bc' is bytecode, which has no layout; 'tessera dis' prints it as text
// [1]
// $ cp c.bc was.bc; tessera fmt -i c.bc
// tessera: error: 'c.bc' is bytecode, which has no layout; 'tessera dis' prints it as text
// [1]
// $ cmp c.bc was.bc
