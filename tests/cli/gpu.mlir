// RUN: %transcript %s
// REQUIRES: llvm
cuda_tile.module @rows {
  // y[i] = the sum of row i of x, 4 rows of 64 for each tile block
  entry @rows(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %block, %by, %bz = get_tile_block_id : tile<i32>
    %x_view = make_tensor_view %x, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %x_tiles = make_partition_view %x_view : partition_view<tile=(4x64), tensor_view<64x64xf32, strides=[64,1]>>
    %y_view = make_tensor_view %y, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %y_tiles = make_partition_view %y_view : partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>
    %zero = constant <i32: 0> : tile<i32>
    %row, %t0 = load_view_tko weak %x_tiles[%block, %zero] : partition_view<tile=(4x64), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x64xf32>, token
    %sum = reduce %row dim=1 identities=[0.0 : f32] : tile<4x64xf32> -> tile<4xf32> (%a: tile<f32>, %b: tile<f32>) {
      %c = addf %a, %b : tile<f32>
      yield %c : tile<f32>
    }
    %t1 = store_view_tko weak %sum, %y_tiles[%block] : tile<4xf32>, partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
  }
}

// $ tessera build gpu.mlir --target sm_80 --emit layouts
// @rows: 1 warp, 32 threads
//   %row: tile<4x64xf32>: reg [1.1 1.2 0.2] lane [1.4 1.8 1.16 1.32 0.1] warp []
//     RegisterLayout(shape=[4, 64], mode_shape=[2, 2, 16, 4], spatial_modes=[1, 2], local_modes=[0, 3])
//   %sum: tile<4xf32>: reg [0.2] lane [- - - - 0.1] warp []
//     RegisterLayout(shape=[4], mode_shape=[2, 2], spatial_modes=[1, -2, -2, -2, -2], local_modes=[0])
// $ tessera build gpu.mlir --target sm_90a --emit ptx | grep -E '^\.(target|visible|reqntid)'
// .target sm_90a
// .visible .entry rows(
// .reqntid 32
// $ tessera build gpu.mlir --target sm_120a --emit ptx -o out.ptx; grep -c 'shfl.sync.bfly' out.ptx
// 16
// $ tessera build gpu.mlir --target sm_80 --emit llvm | grep -c '^define'
// 1
// $ tessera build gpu.mlir --target sm_75 --emit ptx
// tessera: error: unknown GPU target 'sm_75'; there are: sm_80, sm_86, sm_87, sm_89, sm_90a, sm_100a, sm_120a, gfx90a, gfx942, gfx950, gfx1100, gfx1200
// [1]
// $ tessera build gpu.mlir --target sm_80 --emit obj
// tessera: error: --emit takes ptx, llvm, cubin, asm, hsaco, layouts, block, block-tma, block-cluster or launch for a GPU, not 'obj'
// tessera: note: usage: tessera build FILE [--target TARGET] --emit KIND [-o OUT] [--cpu LEVEL]
// [2]
// $ tessera build gpu.mlir --target sm_80
// tessera: error: say what to make: --emit ptx, llvm, cubin, asm, hsaco, layouts, block, block-tma, block-cluster or launch
// tessera: note: usage: tessera build FILE [--target TARGET] --emit KIND [-o OUT] [--cpu LEVEL]
// [2]
// $ tessera build gpu.mlir --emit ptx
// tessera: error: --emit ptx is code for a GPU: say for which, as in --target sm_90a
// tessera: note: usage: tessera build FILE [--target TARGET] --emit KIND [-o OUT] [--cpu LEVEL]
// [2]
// $ tessera build gpu.mlir --resources
// tessera: error: --resources is for a GPU (--target sm_90a), without --emit
// tessera: note: usage: tessera build FILE [--target TARGET] --emit KIND [-o OUT] [--cpu LEVEL]
// [2]
// $ TESSERA_PTXAS=nowhere tessera build gpu.mlir --target sm_80 --emit cubin -o out.cubin
// tessera: error: machine code for GPUs needs NVIDIA's ptxas, which was not found ('nowhere'): install the CUDA toolkit, or name the program in TESSERA_PTXAS
// [1]
// $ tessera build gpu.mlir --target sm_80 --emit launch
// rows rows 2 32 0 0
// $ TESSERA_CUDA_DRIVER=/nonexistent/libcuda.so.1 tessera run gpu.mlir --target cuda:0 --grid 16 zeros:f32:64x64 zeros:f32:64
// tessera: error: the device 'cuda:0' cannot be used: NVIDIA's driver library was not found (/nonexistent/libcuda.so.1: cannot open shared object file: No such file or directory): install the driver, or name the library in TESSERA_CUDA_DRIVER; 'cpu' and 'emu:sm_90a' need none
// [1]
// $ tessera run gpu.mlir --target cuda:one --grid 16 zeros:f32:64x64 zeros:f32:64
// tessera: error: unknown device 'cuda:one'; there are: cpu, interp, GPUs: cuda:0, ..., hip:0, ..., and emulators: emu:sm_70 to emu:gfx1200
// [1]
// $ tessera run gpu.mlir --grid 16 arange:f32:64x64 y=zeros:f32:64 --record here; cat here/case
// kernel rows
// grid 16 1 1
// file arg0.before.npy
// file arg1.before.npy
// expect 0 arg0.after.npy f32 0 0
// expect 1 arg1.after.npy f32 0 0
// $ tessera run gpu.mlir --grid 16 arange:f32:64x64 y=zeros:f32:64 --record gpu.mlir
// tessera: error: cannot write 'gpu.mlir/arg0.before.npy': Not a directory
// [1]
