// RUN: %tessera run %s -k barrier -t interp --sanitize=all -g 4 zeros:i32:64 i32:0 2>&1 | FileCheck %s --check-prefix=CLEAN
// RUN: %tessera run %s -k phase -t interp --sanitize=all -g 4 zeros:i32:64 i32:0 2>&1 | FileCheck %s --check-prefix=CLEAN
// CLEAN: sanitizer: nothing found
// RUN: sed '/cluster_barrier \/\/ between/d' %s > %t.mlir
// RUN: not %tessera run %t.mlir -k barrier -t interp --sanitize=all -g 4 zeros:i32:64 i32:0 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: sed '/mbarrier_wait/d' %s > %t.mlir
// RUN: not %tessera run %t.mlir -k phase -t interp --sanitize=all -g 4 zeros:i32:64 i32:0 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: error: [race] {{load_ptr_tko reads|store_ptr_tko writes}} element 0 of %out, which has 64 of i32, unordered with {{store_ptr_tko, which writes|load_ptr_tko, which reads}} it
// RACE: note: in tile block ({{[0-3]}}, 0, 0), element [0]: nothing orders the tile blocks
// RUN: %mutants %s -k barrier -g 4 zeros:i32:64 i32:0 --save out
// RUN: %mutants --async %s -k phase -g 4 zeros:i32:64 i32:0 --save out
//
// What the first tile block of a cluster stores through pointers the second reads through pointers.
!t = tile<32xi32, spatial(32)>
!p = tile<32xptr<i32>, spatial(32)>
cuda_tile.module @pointers {
  entry @barrier(%out: tile<ptr<i32>>, %unused: tile<i32>) threads(32) cluster(2) {
    %c1 = constant <i32: 1> : tile<i32>
    %c16 = constant <i32: 16> : tile<i32>
    %seven = constant <i32: 7> : !t
    %x, %y, %z = get_tile_block_id : tile<i32>
    %pair = shri %x, %c1 unsigned : tile<i32>
    %c32 = constant <i32: 32> : tile<i32>
    %at = muli %pair, %c32 : tile<i32>
    %begin = offset %out, %at : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %one = reshape %begin : tile<ptr<i32>> -> tile<1xptr<i32>, replicated(1, num_workers=32)>
    %all = broadcast %one : tile<1xptr<i32>, replicated(1, num_workers=32)> -> !p
    %i = iota : !t
    %q = offset %all, %i : !p, !t -> !p
    %rank = get_cluster_rank : tile<i32>
    %second = cmpi equal %rank, %c1, signed : tile<i32> -> tile<i1>
    if %second {
    } else {
      %stored = store_ptr_tko weak %q, %seven : !p, !t -> token
    }
    cluster_barrier // between
    if %second {
      %v, %loaded = load_ptr_tko weak %q : !p -> !t, token
      %sum = addi %v, %i : !t
      %again = store_ptr_tko weak %q, %sum : !p, !t -> token
    }
    return
  }
  entry @phase(%out: tile<ptr<i32>>, %unused: tile<i32>) threads(32) cluster(2) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c32 = constant <i32: 32> : tile<i32>
    %seven = constant <i32: 7> : !t
    %x, %y, %z = get_tile_block_id : tile<i32>
    %pair = shri %x, %c1 unsigned : tile<i32>
    %at = muli %pair, %c32 : tile<i32>
    %begin = offset %out, %at : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %one = reshape %begin : tile<ptr<i32>> -> tile<1xptr<i32>, replicated(1, num_workers=32)>
    %all = broadcast %one : tile<1xptr<i32>, replicated(1, num_workers=32)> -> !p
    %i = iota : !t
    %q = offset %all, %i : !p, !t -> !p
    %rank = get_cluster_rank : tile<i32>
    %second = cmpi equal %rank, %c1, signed : tile<i32> -> tile<i1>
    %come = alloc_mbarrier : mbarrier<1>
    elect { mbarrier_init %come, 32 : mbarrier<1> }
    cluster_barrier
    if %second {
      mbarrier_wait %come, %c0 : mbarrier<1>
      %v, %loaded = load_ptr_tko weak %q : !p -> !t, token
      %sum = addi %v, %i : !t
      %again = store_ptr_tko weak %q, %sum : !p, !t -> token
    } else {
      %stored = store_ptr_tko weak %q, %seven : !p, !t -> token
      %their = map_remote %come, %c1 : mbarrier<1> -> remote<mbarrier<1>>
      mbarrier_arrive %their : remote<mbarrier<1>>
    }
    cluster_barrier // harmless: the second waits for the last use of its memory
    return
  }
}
