// Waits are there where memory is released, whatever LLVM makes of the fences' own: a turn of a
// loop may begin with a barrier while the turn before reads the LDS.
//
// REQUIRES: llvm
// RUN: %tessera build %s --target gfx90a --emit llvm | FileCheck %s --check-prefix=CDNA
// RUN: %tessera build %s --target gfx942 --emit llvm | FileCheck %s --check-prefix=CDNA
// RUN: %tessera build %s --target gfx1100 --emit llvm | FileCheck %s --check-prefix=RDNA3
// RUN: %tessera build %s --target gfx1200 --emit llvm | FileCheck %s --check-prefix=RDNA4
//
// CDNA: call void @llvm.amdgcn.s.waitcnt(i32 112)
// CDNA-NEXT: br
// CDNA: atomicrmw add {{.*}} acq_rel
// CDNA-NOT: s.barrier
// CDNA: call void @llvm.amdgcn.s.waitcnt(i32 49279)
// CDNA-NEXT: call void @llvm.amdgcn.s.barrier()
// CDNA-NOT: s.barrier
// CDNA: call void @llvm.amdgcn.s.waitcnt(i32 49279)
// CDNA-NEXT: call void @llvm.amdgcn.s.barrier()
// RDNA3: call void @llvm.amdgcn.s.waitcnt(i32 7)
// RDNA3-NEXT: call void asm sideeffect "s_waitcnt_vscnt null, 0x0", "~{memory}"()
// RDNA3: atomicrmw add
// RDNA3: call void asm sideeffect "s_waitcnt_vscnt null, 0x0", "~{memory}"()
// RDNA3-NEXT: call void @llvm.amdgcn.s.barrier()
// RDNA4: call void @llvm.amdgcn.s.wait.loadcnt(i16 0)
// RDNA4-NEXT: call void @llvm.amdgcn.s.wait.storecnt(i16 0)
// RDNA4-NEXT: call void @llvm.amdgcn.s.wait.dscnt(i16 0)
// RDNA4: atomicrmw add
// RDNA4: call void @llvm.amdgcn.s.wait.dscnt(i16 0)
// RDNA4-NEXT: call void @llvm.amdgcn.s.barrier()
cuda_tile.module @m {
  entry @sums(%p: tile<ptr<f32>>, %count: tile<ptr<i32>>) {
    %at = iota : tile<1024xi32>
    %r = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
    %b = broadcast %r : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %q = offset %b, %at : tile<1024xptr<f32>>, tile<1024xi32> -> tile<1024xptr<f32>>
    %x, %t = load_ptr_tko weak %q : tile<1024xptr<f32>> -> tile<1024xf32>, token
    %one = constant <i32: 1> : tile<i32>
    %n, %t2 = atomic_rmw_tko acq_rel device %count, add, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %s = reduce %x dim = 0 identities = [0.0 : f32] : tile<1024xf32> -> tile<f32>
    (%a: tile<f32>, %c: tile<f32>) {
      %d = addf %a, %c : tile<f32>
      yield %d : tile<f32>
    }
    %t3 = store_ptr_tko weak %p, %s : tile<ptr<f32>>, tile<f32> -> token
  }
}
