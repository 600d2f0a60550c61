// An access to memory that isn't there ends the process, and says whose it was.
//
// UNSUPPORTED: sanitized
// RUN: not --crash %tessera run %s -g 3 --target interp zeros:f32:16 2>&1 | FileCheck %s
// CHECK: error: 'far', tile block (2, 0, 0): no memory can be accessed at address 0x1000, and the process ends; with --sanitize
cuda_tile.module @no_memory {
  entry @far(%x: tile<ptr<f32>>) {
    %i, %j, %k = get_tile_block_id : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %last = cmpi equal %i, %two, signed : tile<i32> -> tile<i1>
    if %last {
      %a = constant <i64: 4096> : tile<i64>
      %p = int_to_ptr %a : tile<i64> -> tile<ptr<f32>>
      %v, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
      %s = store_ptr_tko weak %x, %v : tile<ptr<f32>>, tile<f32> -> token
    }
  }
}
