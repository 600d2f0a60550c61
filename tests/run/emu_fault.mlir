// A fault on an emulated card names the operation, in every form of the kernel.
// REQUIRES: llvm
//
// RUN: not %tessera run %s -g 1 -k far --target emu:sm_80 zeros:f32:16 i32:100000 2>&1 | FileCheck %s --check-prefix=FAR
// RUN: not %tessera run %s -g 1 -k far --target emu:sm_90a zeros:f32:16 i32:100000 2>&1 | FileCheck %s --check-prefix=FAR
// RUN: %tessera run %s -g 1 -k far --target emu:sm_80 zeros:f32:256 i32:128
// RUN: not %tessera run %s -g 1 -k odd --target emu:sm_80 zeros:i8:16 zeros:i32:1 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: %tessera build %s --target sm_80 --emit ptx -o - | FileCheck %s --check-prefix=PTX
// PTX-NOT: .loc
cuda_tile.module @faults {
  entry @far(%x: tile<ptr<f32>>, %n: tile<i32>) {
    %i = iota : tile<128xi32>
    %n1 = reshape %n : tile<i32> -> tile<1xi32>
    %n128 = broadcast %n1 : tile<1xi32> -> tile<128xi32>
    %j = addi %i, %n128 : tile<128xi32>
    %x1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
    %x128 = broadcast %x1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %p = offset %x128, %j : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    // FAR: emu_fault.mlir:[[@LINE+2]]:14: error: 'far', tile block (0, 0, 0), thread {{[0-9]+}}: reads {{.*}} behind the begin of a buffer
    // FAR-NEXT: load_ptr_tko weak
    %v, %t = load_ptr_tko weak %p : tile<128xptr<f32>> -> tile<128xf32>, token
    %t2 = store_ptr_tko weak %p, %v : tile<128xptr<f32>>, tile<128xf32> -> token
  }
  entry @odd(%x: tile<ptr<i8>>, %o: tile<ptr<i32>>) {
    %one = constant <i32: 1> : tile<i32>
    %p = offset %x, %one : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>
    %q = ptr_to_ptr %p : tile<ptr<i8>> -> tile<ptr<i32>>
    // ODD: emu_fault.mlir:[[@LINE+1]]:14: error: 'odd', tile block (0, 0, 0), thread 0: reads 4 bytes at {{.*}}, which is no multiple of 4
    %v, %t = load_ptr_tko weak %q : tile<ptr<i32>> -> tile<i32>, token
    %t2 = store_ptr_tko weak %o, %v : tile<ptr<i32>>, tile<i32> -> token
  }
}
