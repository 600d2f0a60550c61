// RUN: %transcript %s
// REQUIRES: llvm
// The devices hip:N, on the stand-in of AMD's HIP that `tessera exec` puts in front.
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
  entry @speak(%n: tile<i32>) {
    %block, %by, %bz = get_tile_block_id : tile<i32>
    %good = cmpi not_equal %block, %n, signed : tile<i32> -> tile<i1>
    assert %good, "not that one" : tile<i1>
    print_tko "block %i\n", %block : tile<i32> -> token
  }
}

// $ tessera exec -- tessera devices | grep hip
// hip:0       Tessera gfx942, gfx942, 304 compute units, 68.7 GB, HIP 6.3
// $ tessera exec -- tessera run hip.mlir --kernel rows --target hip:0 --grid 16 ones:f32:64x64 y=zeros:f32:64 --print y | head -2
// y: f32 64
// [64. 64. 64. 64. 64. 64. 64. 64. 64. 64. 64. 64. 64. 64. 64. 64. 64. 64.
// $ for t in gfx90a gfx950 gfx1100 gfx1200; do tessera exec --target emu:$t -- tessera run hip.mlir --kernel rows --target hip --grid 16 ones:f32:64x64 y=zeros:f32:64 --print y | head -1; done
// y: f32 64
// y: f32 64
// y: f32 64
// y: f32 64
// $ tessera exec -- tessera run hip.mlir --kernel speak --target hip:0 --grid 3 i32:7 | sort
// block 0
// block 1
// block 2
// $ tessera exec -- tessera run hip.mlir --kernel speak --target hip:0 --grid 3 i32:1 2>&1 >out | sed 's/hip.mlir:[0-9:]*/hip.mlir/'
// tessera: error: 'speak' on hip:0: assertion 'not that one' failed in speak, hip.mlir
// $ tessera exec --sanitize -- tessera run hip.mlir --kernel rows --target hip:0 --grid 16 ones:f32:64x64 zeros:f32:64
// $ tessera exec -- tessera op check softmax --shape 4x100 --target hip:0 | grep -c right:
// 1
// $ tessera exec -- tessera op run gemm --m 20 --n 30 --k 40 --target hip:0 | grep -c GFLOP/s
// 1
// $ TESSERA_HIP_LIBRARY=/nonexistent/libamdhip64.so.6 tessera run hip.mlir --kernel rows --target hip:0 --grid 16 zeros:f32:64x64 zeros:f32:64
// tessera: error: the device 'hip:0' cannot be used: AMD's HIP, libamdhip64, was not found (/nonexistent/libamdhip64.so.6: cannot open shared object file: No such file or directory): install ROCm, or name the library in TESSERA_HIP_LIBRARY; 'cpu' and 'emu:gfx942' need none
// [1]
// $ tessera exec -- tessera run hip.mlir --kernel rows --target hip:1 --grid 16 zeros:f32:64x64 zeros:f32:64
// tessera: error: there is no device 'hip:1': HIP knows hip:0 to hip:0
// [1]
// $ tessera run hip.mlir --target hip:one --kernel rows --grid 16 zeros:f32:64x64 zeros:f32:64
// tessera: error: unknown device 'hip:one'; there are: cpu, interp, GPUs: cuda:0, ..., hip:0, ..., and emulators: emu:sm_70 to emu:gfx1200
// [1]
