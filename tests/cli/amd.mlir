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

// $ tessera build amd.mlir --target gfx942 --emit layouts
// @rows: 1 warp, 64 threads
//   %row: tile<4x64xf32>: reg [1.1 1.2] lane [1.4 1.8 1.16 1.32 0.1 0.2] warp []
//     RegisterLayout(shape=[4, 64], mode_shape=[4, 16, 4], spatial_modes=[0, 1], local_modes=[2])
//   %sum: tile<4xf32>: reg [] lane [- - - - 0.1 0.2] warp []
//     RegisterLayout(shape=[4], mode_shape=[4], spatial_modes=[0, -2, -2, -2, -2], local_modes=[])
// $ for t in gfx90a gfx942 gfx950 gfx1100 gfx1200; do tessera build amd.mlir --target $t --emit asm | grep -E 'amdgcn_target|amdhsa_wavefront_size32 1'; done
// 	.amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
// 	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
// 	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
// 	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
// 		.amdhsa_wavefront_size32 1
// 	.amdgcn_target "amdgcn-amd-amdhsa--gfx1200"
// 		.amdhsa_wavefront_size32 1
// $ tessera build amd.mlir --target gfx942 --emit llvm | grep -c 'amdgpu_kernel void @rows'
// 1
// $ tessera build amd.mlir --target gfx942 --emit hsaco -o rows.hsaco; tessera hsa rows.hsaco | sed 's/ [0-9]* vector, [0-9]* scalar//'
// rows.hsaco: a code object for gfx942, waves of 64 lanes
//   rows(arg0: 8 bytes, arg1: 8 bytes)
//     registers; 0 bytes of LDS; workgroups of 64 x 1 x 1
// $ tessera hsa rows.hsaco --grid 16 --check ones:f32:64x64 y=zeros:f32:64 --print y | head -2
// y: f32 64
// [64. 64. 64. 64. 64. 64. 64. 64. 64. 64. 64. 64. 64. 64. 64. 64. 64. 64.
// $ tessera build amd.mlir --target gfx942 --emit launch
// rows rows 2 64 0 0
// $ tessera build amd.mlir --target gfx942 --resources | sed 's/[0-9]* \([VS]\)GPRs/N \1GPRs/g'
// @rows: 64 threads, N VGPRs, 0 AGPRs, N SGPRs, 0 bytes of LDS, 0 bytes of scratch memory, 0 registers spilled, 8 of 8 waves on a SIMD
// $ tessera build $SOURCE/kernels/rmsnorm.mlir --target gfx1100 --emit hsaco -o r.hsaco; fits=$(tessera hsa r.hsaco --kernel rmsnorm_f32_4096 --grid 1 --counters ones:f32:1x4096 ones:f32:4096 zeros:f32:1x4096 i64:1 i64:4096 i64:925353388 | sed -n 's/.* \([0-9]*\) of 64 waves.*/\1/p'); tessera build $SOURCE/kernels/rmsnorm.mlir --target gfx1100 --resources | grep -c "spilled, $((fits / 4)) of 16 waves on a SIMD"
// 1
// $ tessera build amd.mlir --target gfx942 --emit asm --cpu avx2
// tessera: error: --cpu is for code for CPUs, not for --target gfx942
// tessera: note: usage: tessera build FILE [--target TARGET] --emit KIND [-o OUT] [--cpu LEVEL]
// [2]
// $ tessera build amd.mlir --target gfx942 --emit ptx
// tessera: error: ptx is for NVIDIA's GPUs; of gfx942 there are llvm, asm, hsaco and layouts
// [1]
// $ tessera build amd.mlir --target gfx942 --emit cubin -o out.cubin
// tessera: error: cubin is for NVIDIA's GPUs; of gfx942 there are llvm, asm, hsaco and layouts
// [1]
// $ tessera build amd.mlir --target sm_80 --emit hsaco -o out.hsaco
// tessera: error: hsaco is for AMD's GPUs; of sm_80 there are ptx, llvm, cubin and layouts
// [1]
// $ tessera build amd.mlir --target sm_80 --emit asm
// tessera: error: asm is for AMD's GPUs; of sm_80 there are ptx, llvm, cubin and layouts
// [1]
// $ tessera run amd.mlir --target emu:gfx942 --sanitize=all --grid 16 ones:f32:64x64 y=zeros:f32:64 --print y | head -2
// tessera: remark: the emulator's checks found nothing
// y: f32 64
// [64. 64. 64. 64. 64. 64. 64. 64. 64. 64. 64. 64. 64. 64. 64. 64. 64. 64.
// $ tessera ptx amd.mlir --target emu:gfx942 --grid 1
// tessera: error: --target: there is no card 'emu:gfx942'
// tessera: note: 'tessera devices' lists them: emu:sm_80, emu:sm_90a, ...
// [2]
