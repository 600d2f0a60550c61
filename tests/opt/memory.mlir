// RUN: %transcript %s
//
// Loads of what was just stored, stores that nobody sees, loads that are made once: what stands
// between may touch other memory. Joined tokens.
cuda_tile.module @memory {
  entry @forward(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>, %x: tile<i32>, %c: tile<i1>) {
    %t0 = store_ptr_tko weak %p, %x : tile<ptr<i32>>, tile<i32> -> token
    %a, %t1 = load_ptr_tko weak %p token=%t0 : tile<ptr<i32>> -> tile<i32>, token
    %y = addi %a, %a : tile<i32>
    %t2 = store_ptr_tko weak %p, %y token=%t1 : tile<ptr<i32>>, tile<i32> -> token
    %b, %t3 = load_ptr_tko weak %q token=%t2 : tile<ptr<i32>> -> tile<i32>, token
    %d, %t4 = load_ptr_tko acquire device %p token=%t2 : tile<ptr<i32>> -> tile<i32>, token
    %t5 = join_tokens %t2, %t3, %t4, %t2 : token
    %z = addi %b, %d : tile<i32>
    %t6 = store_ptr_tko weak %p, %z, %c token=%t5 : tile<ptr<i32>>, tile<i32>, tile<i1> -> token
    %e, %t7 = load_ptr_tko weak %p token=%t6 : tile<ptr<i32>> -> tile<i32>, token
    print_tko "%i\n", %e token=%t7 : tile<i32> -> token
  }
  // Another buffer may be the same one: only the store to the alloca is known to be elsewhere.
  entry @memories(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>, %x: tile<i32>) {
    %a = alloca num_elem = 1, alignment = 4 : tile<ptr<i32>>
    %t0 = store_ptr_tko weak %p, %x : tile<ptr<i32>>, tile<i32> -> token
    %t1 = store_ptr_tko weak %a, %x token=%t0 : tile<ptr<i32>>, tile<i32> -> token
    %b, %t2 = load_ptr_tko weak %p token=%t1 : tile<ptr<i32>> -> tile<i32>, token
    %t3 = store_ptr_tko weak %q, %b token=%t2 : tile<ptr<i32>>, tile<i32> -> token
    %c, %t4 = load_ptr_tko weak %p token=%t3 : tile<ptr<i32>> -> tile<i32>, token
    print_tko "%i %i\n", %b, %c token=%t4 : tile<i32>, tile<i32> -> token
  }
  // i * 16 + [0, 15] and (i + 1) * 16 + [0, 15] do not meet, whatever i is; [8, 23] meets both.
  entry @offsets(%p: tile<ptr<i8>>, %i: tile<i32>) {
    %k16 = constant <i32: 16> : tile<i32>
    %k8 = constant <i32: 8> : tile<i32>
    %at = muli %i, %k16 : tile<i32>
    %next = addi %at, %k16 : tile<i32>
    %half = addi %at, %k8 : tile<i32>
    %lanes = iota : tile<16xi32>
    %at1 = reshape %at : tile<i32> -> tile<1xi32>
    %at16 = broadcast %at1 : tile<1xi32> -> tile<16xi32>
    %next1 = reshape %next : tile<i32> -> tile<1xi32>
    %next16 = broadcast %next1 : tile<1xi32> -> tile<16xi32>
    %half1 = reshape %half : tile<i32> -> tile<1xi32>
    %half16 = broadcast %half1 : tile<1xi32> -> tile<16xi32>
    %o = addi %at16, %lanes : tile<16xi32>
    %o_next = addi %next16, %lanes : tile<16xi32>
    %o_half = addi %half16, %lanes : tile<16xi32>
    %p1 = reshape %p : tile<ptr<i8>> -> tile<1xptr<i8>>
    %p16 = broadcast %p1 : tile<1xptr<i8>> -> tile<16xptr<i8>>
    %a = offset %p16, %o : tile<16xptr<i8>>, tile<16xi32> -> tile<16xptr<i8>>
    %b = offset %p16, %o_next : tile<16xptr<i8>>, tile<16xi32> -> tile<16xptr<i8>>
    %c = offset %p16, %o_half : tile<16xptr<i8>>, tile<16xi32> -> tile<16xptr<i8>>
    %x, %t0 = load_ptr_tko weak %a : tile<16xptr<i8>> -> tile<16xi8>, token
    %t1 = store_ptr_tko weak %b, %x token=%t0 : tile<16xptr<i8>>, tile<16xi8> -> token
    %y, %t2 = load_ptr_tko weak %a token=%t1 : tile<16xptr<i8>> -> tile<16xi8>, token
    %t3 = store_ptr_tko weak %c, %y token=%t2 : tile<16xptr<i8>>, tile<16xi8> -> token
    %z, %t4 = load_ptr_tko weak %a token=%t3 : tile<16xptr<i8>> -> tile<16xi8>, token
    %t5 = store_ptr_tko weak %b, %z token=%t4 : tile<16xptr<i8>>, tile<16xi8> -> token
  }
  // Tiles of one view at different indices; with strides that are not known they might meet, and so
  // might a tile's own elements.
  entry @tiles(%p: tile<ptr<i32>>, %n: tile<i32>, %i: tile<i32>) {
    %v = make_tensor_view %p, shape = [%n, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xi32, strides=[64,1]>
    %a = make_partition_view %v : partition_view<tile=(4x4), tensor_view<?x64xi32, strides=[64,1]>>
    %w = make_tensor_view %p, shape = [64, 64], strides = [%n, 1] : tile<i32> -> tensor_view<64x64xi32, strides=[?,1]>
    %b = make_partition_view %w : partition_view<tile=(4x4), tensor_view<64x64xi32, strides=[?,1]>>
    %k0 = constant <i32: 0> : tile<i32>
    %k1 = constant <i32: 1> : tile<i32>
    %j = addi %i, %k1 : tile<i32>
    %x0, %t0 = load_view_tko weak %a[%i, %k0] : partition_view<tile=(4x4), tensor_view<?x64xi32, strides=[64,1]>>, tile<i32> -> tile<4x4xi32>, token
    %t1 = store_view_tko weak %x0, %a[%j, %k0] token = %t0 : tile<4x4xi32>, partition_view<tile=(4x4), tensor_view<?x64xi32, strides=[64,1]>>, tile<i32> -> token
    %x1, %t2 = load_view_tko weak %a[%i, %k0] token = %t1 : partition_view<tile=(4x4), tensor_view<?x64xi32, strides=[64,1]>>, tile<i32> -> tile<4x4xi32>, token
    %y0, %t3 = load_view_tko weak %b[%k1, %k0] token = %t2 : partition_view<tile=(4x4), tensor_view<64x64xi32, strides=[?,1]>>, tile<i32> -> tile<4x4xi32>, token
    %t4 = store_view_tko weak %x1, %b[%k0, %k0] token = %t3 : tile<4x4xi32>, partition_view<tile=(4x4), tensor_view<64x64xi32, strides=[?,1]>>, tile<i32> -> token
    %y1, %t5 = load_view_tko weak %b[%k1, %k0] token = %t4 : partition_view<tile=(4x4), tensor_view<64x64xi32, strides=[?,1]>>, tile<i32> -> tile<4x4xi32>, token
    %y2, %t6 = load_view_tko weak %b[%k0, %k0] token = %t4 : partition_view<tile=(4x4), tensor_view<64x64xi32, strides=[?,1]>>, tile<i32> -> tile<4x4xi32>, token
    print_tko "%i %i %i\n", %y0, %y1, %y2 token=%t5 : tile<4x4xi32>, tile<4x4xi32>, tile<4x4xi32> -> token
  }
  // Of elements in one place one stays: it is loaded again, unless all were equal. Strides that are
  // not known might be too small.
  entry @collide(%p: tile<ptr<i32>>, %n: tile<i32>, %y: tile<i32>) {
    %lanes = iota : tile<8xi32>
    %p1 = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
    %a = broadcast %p1 : tile<1xptr<i32>> -> tile<8xptr<i32>>
    %t0 = store_ptr_tko weak %a, %lanes : tile<8xptr<i32>>, tile<8xi32> -> token
    %a0, %t1 = load_ptr_tko weak %a token=%t0 : tile<8xptr<i32>> -> tile<8xi32>, token
    %y1 = reshape %y : tile<i32> -> tile<1xi32>
    %ys = broadcast %y1 : tile<1xi32> -> tile<8xi32>
    %t2 = store_ptr_tko weak %a, %ys token=%t1 : tile<8xptr<i32>>, tile<8xi32> -> token
    %a1, %t3 = load_ptr_tko weak %a token=%t2 : tile<8xptr<i32>> -> tile<8xi32>, token
    %c2 = constant <i32: 2> : tile<8xi32>
    %half = divi %lanes, %c2 signed rounding<zero> : tile<8xi32>
    %b = offset %a, %half : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
    %t4 = store_ptr_tko weak %b, %lanes token=%t3 : tile<8xptr<i32>>, tile<8xi32> -> token
    %b0, %t5 = load_ptr_tko weak %b token=%t4 : tile<8xptr<i32>> -> tile<8xi32>, token
    %q = ptr_to_ptr %a : tile<8xptr<i32>> -> tile<8xptr<i16>>
    %d = offset %q, %lanes : tile<8xptr<i16>>, tile<8xi32> -> tile<8xptr<i16>>
    %e = ptr_to_ptr %d : tile<8xptr<i16>> -> tile<8xptr<i32>>
    %t6 = store_ptr_tko weak %e, %ys token=%t5 : tile<8xptr<i32>>, tile<8xi32> -> token
    %e0, %t7 = load_ptr_tko weak %e token=%t6 : tile<8xptr<i32>> -> tile<8xi32>, token
    %k0 = constant <i32: 0> : tile<i32>
    %x16 = iota : tile<16xi32>
    %x = reshape %x16 : tile<16xi32> -> tile<4x4xi32>
    %f_w = make_tensor_view %p, shape = [8, 8], strides = [1, 1] : tensor_view<8x8xi32, strides=[1,1]>
    %f = make_partition_view %f_w : partition_view<tile=(4x4), tensor_view<8x8xi32, strides=[1,1]>>
    %g_w = make_tensor_view %p, shape = [8, 8], strides = [%n, 1] : tile<i32> -> tensor_view<8x8xi32, strides=[?,1]>
    %g = make_partition_view %g_w : partition_view<tile=(4x4), tensor_view<8x8xi32, strides=[?,1]>>
    %h_w = make_tensor_view %p, shape = [8, 8], strides = [3, 1] : tensor_view<8x8xi32, strides=[3,1]>
    %h = make_partition_view %h_w : partition_view<tile=(4x4), tensor_view<8x8xi32, strides=[3,1]>>
    %f_s = store_view_tko weak %x, %f[%k0, %k0] token = %t7 : tile<4x4xi32>, partition_view<tile=(4x4), tensor_view<8x8xi32, strides=[1,1]>>, tile<i32> -> token
    %f_x, %f_t = load_view_tko weak %f[%k0, %k0] token = %f_s : partition_view<tile=(4x4), tensor_view<8x8xi32, strides=[1,1]>>, tile<i32> -> tile<4x4xi32>, token
    %g_s = store_view_tko weak %x, %g[%k0, %k0] token = %f_t : tile<4x4xi32>, partition_view<tile=(4x4), tensor_view<8x8xi32, strides=[?,1]>>, tile<i32> -> token
    %g_x, %g_t = load_view_tko weak %g[%k0, %k0] token = %g_s : partition_view<tile=(4x4), tensor_view<8x8xi32, strides=[?,1]>>, tile<i32> -> tile<4x4xi32>, token
    %h_s = store_view_tko weak %x, %h[%k0, %k0] token = %g_t : tile<4x4xi32>, partition_view<tile=(4x4), tensor_view<8x8xi32, strides=[3,1]>>, tile<i32> -> token
    %h_x, %h_t = load_view_tko weak %h[%k0, %k0] token = %h_s : partition_view<tile=(4x4), tensor_view<8x8xi32, strides=[3,1]>>, tile<i32> -> tile<4x4xi32>, token
    print_tko "%i %i %i %i %i %i %i\n", %a0, %a1, %b0, %e0, %f_x, %g_x, %h_x token=%h_t : tile<8xi32>, tile<8xi32>, tile<8xi32>, tile<8xi32>, tile<4x4xi32>, tile<4x4xi32>, tile<4x4xi32> -> token
  }
  // Each element has a place of its own, whatever %n is within its bounds; rows of %m as long as
  // their stride, too.
  entry @apart(%p: tile<ptr<i32>>, %n: tile<i32>, %m: tile<i32>, %i: tile<i32>) {
    %lanes = iota : tile<8xi32>
    %p1 = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
    %p8 = broadcast %p1 : tile<1xptr<i32>> -> tile<8xptr<i32>>
    %i1 = reshape %i : tile<i32> -> tile<1xi32>
    %i8 = broadcast %i1 : tile<1xi32> -> tile<8xi32>
    %c3 = constant <i32: 3> : tile<8xi32>
    %third = muli %lanes, %c3 : tile<8xi32>
    %at = subi %i8, %third : tile<8xi32>
    %a = offset %p8, %at : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
    %t0 = store_ptr_tko weak %a, %lanes : tile<8xptr<i32>>, tile<8xi32> -> token
    %a0, %t1 = load_ptr_tko weak %a token=%t0 : tile<8xptr<i32>> -> tile<8xi32>, token
    %four = iota : tile<4xi32>
    %row1 = reshape %four : tile<4xi32> -> tile<4x1xi32>
    %rows = broadcast %row1 : tile<4x1xi32> -> tile<4x4xi32>
    %column1 = reshape %four : tile<4xi32> -> tile<1x4xi32>
    %columns = broadcast %column1 : tile<1x4xi32> -> tile<4x4xi32>
    %c64 = constant <i32: 64> : tile<4x4xi32>
    %begin = muli %rows, %c64 : tile<4x4xi32>
    %p11 = reshape %p : tile<ptr<i32>> -> tile<1x1xptr<i32>>
    %p44 = broadcast %p11 : tile<1x1xptr<i32>> -> tile<4x4xptr<i32>>
    %to = offset %p44, %begin : tile<4x4xptr<i32>>, tile<4x4xi32> -> tile<4x4xptr<i32>>
    %b = offset %to, %columns : tile<4x4xptr<i32>>, tile<4x4xi32> -> tile<4x4xptr<i32>>
    %x16 = iota : tile<16xi32>
    %x = reshape %x16 : tile<16xi32> -> tile<4x4xi32>
    %t2 = store_ptr_tko weak %b, %x token=%t1 : tile<4x4xptr<i32>>, tile<4x4xi32> -> token
    %b0, %t3 = load_ptr_tko weak %b token=%t2 : tile<4x4xptr<i32>> -> tile<4x4xi32>, token
    %k0 = constant <i32: 0> : tile<i32>
    %k4 = assume bounded<4, ?>, %n : tile<i32>
    %g_w = make_tensor_view %p, shape = [8, 8], strides = [%k4, 1] : tile<i32> -> tensor_view<8x8xi32, strides=[?,1]>
    %g = make_partition_view %g_w : partition_view<tile=(4x4), tensor_view<8x8xi32, strides=[?,1]>>
    %h_w = make_tensor_view %p, shape = [8, %m], strides = [%m, 1] : tile<i32> -> tensor_view<8x?xi32, strides=[?,1]>
    %h = make_partition_view %h_w : partition_view<tile=(4x4), tensor_view<8x?xi32, strides=[?,1]>>
    %f_w = make_tensor_view %p, shape = [8, 8], strides = [1, 8] : tensor_view<8x8xi32, strides=[1,8]>
    %f = make_partition_view %f_w : partition_view<tile=(4x4), tensor_view<8x8xi32, strides=[1,8]>>
    %g_s = store_view_tko weak %x, %g[%k0, %k0] token = %t3 : tile<4x4xi32>, partition_view<tile=(4x4), tensor_view<8x8xi32, strides=[?,1]>>, tile<i32> -> token
    %g_x, %g_t = load_view_tko weak %g[%k0, %k0] token = %g_s : partition_view<tile=(4x4), tensor_view<8x8xi32, strides=[?,1]>>, tile<i32> -> tile<4x4xi32>, token
    %h_s = store_view_tko weak %x, %h[%k0, %k0] token = %g_t : tile<4x4xi32>, partition_view<tile=(4x4), tensor_view<8x?xi32, strides=[?,1]>>, tile<i32> -> token
    %h_x, %h_t = load_view_tko weak %h[%k0, %k0] token = %h_s inbounds = [true, true] : partition_view<tile=(4x4), tensor_view<8x?xi32, strides=[?,1]>>, tile<i32> -> tile<4x4xi32>, token
    %f_s = store_view_tko weak %x, %f[%k0, %k0] token = %h_t : tile<4x4xi32>, partition_view<tile=(4x4), tensor_view<8x8xi32, strides=[1,8]>>, tile<i32> -> token
    %f_x, %f_t = load_view_tko weak %f[%k0, %k0] token = %f_s : partition_view<tile=(4x4), tensor_view<8x8xi32, strides=[1,8]>>, tile<i32> -> tile<4x4xi32>, token
    print_tko "%i %i %i %i %i\n", %a0, %b0, %g_x, %h_x, %f_x token=%f_t : tile<8xi32>, tile<4x4xi32>, tile<4x4xi32>, tile<4x4xi32>, tile<4x4xi32> -> token
  }
  // A store is seen when the kernel may end before it is overwritten.
  entry @overwritten(%p: tile<ptr<i32>>, %x: tile<i32>, %c: tile<i1>) {
    %t0 = make_token : token
    %t1 = store_ptr_tko weak %p, %x token=%t0 : tile<ptr<i32>>, tile<i32> -> token
    %y = muli %x, %x : tile<i32>
    %t2 = store_ptr_tko weak %p, %y token=%t1 : tile<ptr<i32>>, tile<i32> -> token
    %t3 = store_ptr_tko release device %p, %x token=%t2 : tile<ptr<i32>>, tile<i32> -> token
    %t4 = store_ptr_tko weak %p, %y token=%t3 : tile<ptr<i32>>, tile<i32> -> token
    if %c {
      return
    }
    %t5 = store_ptr_tko weak %p, %x token=%t4 : tile<ptr<i32>>, tile<i32> -> token
  }
  // The loads of one place are one as long as nothing that may be there is stored between them.
  entry @loads(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>, %x: tile<i32>) {
    %a, %t0 = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
    %b, %t1 = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
    %t2 = join_tokens %t0, %t1 : token
    %c, %t3 = load_ptr_tko weak %p token=%t2 : tile<ptr<i32>> -> tile<i32>, token
    %t4 = store_ptr_tko weak %q, %x token=%t3 : tile<ptr<i32>>, tile<i32> -> token
    %d, %t5 = load_ptr_tko weak %p token=%t4 : tile<ptr<i32>> -> tile<i32>, token
    %s = addi %a, %b : tile<i32>
    %u = addi %c, %d : tile<i32>
    %v = addi %s, %u : tile<i32>
    %t6 = store_ptr_tko weak %p, %v token=%t5 : tile<ptr<i32>>, tile<i32> -> token
  }
  // %p is loaded in front of the loop, for the loop runs and stores only to the alloca; %q not.
  entry @loop(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>, %n: tile<i32>) {
    %a = alloca num_elem = 64, alignment = 4 : tile<ptr<i32>>
    %k0 = constant <i32: 0> : tile<i32>
    %k1 = constant <i32: 1> : tile<i32>
    %end = assume bounded<1, 64>, %n : tile<i32>
    %t = make_token : token
    %sum, %done = for %i in (%k0 to %end, step %k1) : tile<i32> iter_values(%s = %k0, %t0 = %t) -> (tile<i32>, token) {
      %x, %t1 = load_ptr_tko weak %p token=%t0 : tile<ptr<i32>> -> tile<i32>, token
      %b = offset %a, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
      %t2 = store_ptr_tko weak %b, %x token=%t1 : tile<ptr<i32>>, tile<i32> -> token
      %y = addi %s, %x : tile<i32>
      continue %y, %t2 : tile<i32>, token
    }
    %all, %end_of_all = for %i in (%k0 to %end, step %k1) : tile<i32> iter_values(%s = %k0, %t0 = %done) -> (tile<i32>, token) {
      %x, %t1 = load_ptr_tko weak %q token=%t0 : tile<ptr<i32>> -> tile<i32>, token
      %b = offset %p, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
      %t2 = store_ptr_tko weak %b, %x token=%t1 : tile<ptr<i32>>, tile<i32> -> token
      %y = addi %s, %x : tile<i32>
      continue %y, %t2 : tile<i32>, token
    }
    %both = addi %sum, %all : tile<i32>
    %t3 = store_ptr_tko weak %p, %both token=%end_of_all : tile<ptr<i32>>, tile<i32> -> token
  }
  // What is behind an acquire may be new each time; behind none it may not.
  entry @waits(%p: tile<ptr<i32>>, %flag: tile<ptr<i32>>, %n: tile<i32>) {
    %a, %t0 = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
    %t1 = store_ptr_tko release device %flag, %a token=%t0 : tile<ptr<i32>>, tile<i32> -> token
    %x, %done = loop iter_values(%t2 = %t1) : token -> tile<i32>, token {
      %f, %t3 = load_ptr_tko acquire device %flag token=%t2 : tile<ptr<i32>> -> tile<i32>, token
      %b, %t4 = load_ptr_tko weak %p token=%t3 : tile<ptr<i32>> -> tile<i32>, token
      %c, %t5 = load_ptr_tko weak %p token=%t1 : tile<ptr<i32>> -> tile<i32>, token
      %s = addi %b, %c : tile<i32>
      %go = cmpi equal %f, %n, signed : tile<i32> -> tile<i1>
      if %go {
        break %s, %t4 : tile<i32>, token
      }
      continue %t4 : token
    }
    print_tko "%i\n", %x token=%done : tile<i32> -> token
  }
  // In another iteration the offset is another number: only the ranges count.
  entry @iterations(%p: tile<ptr<i32>>, %n: tile<i32>) {
    %k0 = constant <i32: 0> : tile<i32>
    %k1 = constant <i32: 1> : tile<i32>
    %k8 = constant <i32: 8> : tile<i32>
    %t = make_token : token
    %far = offset %p, %k8 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %done = for %i in (%k0 to %k8, step %k1) : tile<i32> iter_values(%t0 = %t) -> (token) {
      %x, %t1 = load_ptr_tko weak %far token=%t0 : tile<ptr<i32>> -> tile<i32>, token
      %y, %t2 = load_ptr_tko weak %p token=%t1 : tile<ptr<i32>> -> tile<i32>, token
      %at = offset %p, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
      %z = addi %x, %y : tile<i32>
      %t3 = store_ptr_tko weak %at, %z token=%t2 : tile<ptr<i32>>, tile<i32> -> token
      continue %t3 : token
    }
  }
}

// $ tessera opt memory.mlir --passes=canonicalize,cse,memory,licm,canonicalize,dce | tail -n +5
// cuda_tile.module @memory {
//   entry @forward(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>, %x: tile<i32>, %c: tile<i1>) {
//     %t0 = make_token : token
//     %y = addi %x, %x : tile<i32>
//     %t2 = store_ptr_tko weak %p, %y token=%t0 : tile<ptr<i32>>, tile<i32> -> token
//     %b, %t3 = load_ptr_tko weak %q token=%t2 : tile<ptr<i32>> -> tile<i32>, token
//     %d, %t4 = load_ptr_tko acquire device %p token=%t2 : tile<ptr<i32>> -> tile<i32>, token
//     %t5 = join_tokens %t3, %t4 : token
//     %z = addi %b, %d : tile<i32>
//     %t6 = store_ptr_tko weak %p, %z, %c token=%t5 : tile<ptr<i32>>, tile<i32>, tile<i1> -> token
//     %e, %t7 = load_ptr_tko weak %p token=%t6 : tile<ptr<i32>> -> tile<i32>, token
//     %result_token = print_tko "%i\0A", %e token=%t7 : tile<i32> -> token
//     return
//   }
//   // Another buffer may be the same one: only the store to the alloca is known to be elsewhere.
//   entry @memories(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>, %x: tile<i32>) {
//     %a = alloca num_elem = 1, alignment = 4 : tile<ptr<i32>>
//     %t0 = store_ptr_tko weak %p, %x : tile<ptr<i32>>, tile<i32> -> token
//     %t1 = store_ptr_tko weak %a, %x token=%t0 : tile<ptr<i32>>, tile<i32> -> token
//     %t3 = store_ptr_tko weak %q, %x token=%t1 : tile<ptr<i32>>, tile<i32> -> token
//     %c, %t4 = load_ptr_tko weak %p token=%t3 : tile<ptr<i32>> -> tile<i32>, token
//     %result_token = print_tko "%i %i\0A", %x, %c token=%t4 : tile<i32>, tile<i32> -> token
//     return
//   }
//   // i * 16 + [0, 15] and (i + 1) * 16 + [0, 15] do not meet, whatever i is; [8, 23] meets both.
//   entry @offsets(%p: tile<ptr<i8>>, %i: tile<i32>) {
//     %k16 = constant <i32: 16> : tile<i32>
//     %k8 = constant <i32: 8> : tile<i32>
//     %at = muli %i, %k16 : tile<i32>
//     %next = addi %at, %k16 : tile<i32>
//     %half = addi %at, %k8 : tile<i32>
//     %lanes = iota : tile<16xi32>
//     %at1 = reshape %at : tile<i32> -> tile<1xi32>
//     %at16 = broadcast %at1 : tile<1xi32> -> tile<16xi32>
//     %next1 = reshape %next : tile<i32> -> tile<1xi32>
//     %next16 = broadcast %next1 : tile<1xi32> -> tile<16xi32>
//     %half1 = reshape %half : tile<i32> -> tile<1xi32>
//     %half16 = broadcast %half1 : tile<1xi32> -> tile<16xi32>
//     %o = addi %at16, %lanes : tile<16xi32>
//     %o_next = addi %next16, %lanes : tile<16xi32>
//     %o_half = addi %half16, %lanes : tile<16xi32>
//     %p1 = reshape %p : tile<ptr<i8>> -> tile<1xptr<i8>>
//     %p16 = broadcast %p1 : tile<1xptr<i8>> -> tile<16xptr<i8>>
//     %a = offset %p16, %o : tile<16xptr<i8>>, tile<16xi32> -> tile<16xptr<i8>>
//     %b = offset %p16, %o_next : tile<16xptr<i8>>, tile<16xi32> -> tile<16xptr<i8>>
//     %c = offset %p16, %o_half : tile<16xptr<i8>>, tile<16xi32> -> tile<16xptr<i8>>
//     %x, %t0 = load_ptr_tko weak %a : tile<16xptr<i8>> -> tile<16xi8>, token
//     %t1 = store_ptr_tko weak %b, %x token=%t0 : tile<16xptr<i8>>, tile<16xi8> -> token
//     %t3 = store_ptr_tko weak %c, %x token=%t1 : tile<16xptr<i8>>, tile<16xi8> -> token
//     %z, %t4 = load_ptr_tko weak %a token=%t3 : tile<16xptr<i8>> -> tile<16xi8>, token
//     %t5 = store_ptr_tko weak %b, %z token=%t4 : tile<16xptr<i8>>, tile<16xi8> -> token
//     return
//   }
//   // Tiles of one view at different indices; with strides that are not known they might meet, and so
//   // might a tile's own elements.
//   entry @tiles(%p: tile<ptr<i32>>, %n: tile<i32>, %i: tile<i32>) {
//     %v = make_tensor_view %p, shape = [%n, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xi32, strides=[64,1]>
//     %a = make_partition_view %v : partition_view<tile=(4x4), tensor_view<?x64xi32, strides=[64,1]>>
//     %w = make_tensor_view %p, shape = [64, 64], strides = [%n, 1] : tile<i32> -> tensor_view<64x64xi32, strides=[?,1]>
//     %b = make_partition_view %w : partition_view<tile=(4x4), tensor_view<64x64xi32, strides=[?,1]>>
//     %k0 = constant <i32: 0> : tile<i32>
//     %k1 = constant <i32: 1> : tile<i32>
//     %j = addi %i, %k1 : tile<i32>
//     %x0, %t0 = load_view_tko weak %a[%i, %k0] : partition_view<tile=(4x4), tensor_view<?x64xi32, strides=[64,1]>>, tile<i32> -> tile<4x4xi32>, token
//     %t1 = store_view_tko weak %x0, %a[%j, %k0] token = %t0 : tile<4x4xi32>, partition_view<tile=(4x4), tensor_view<?x64xi32, strides=[64,1]>>, tile<i32> -> token
//     %y0, %t3 = load_view_tko weak %b[%k1, %k0] token = %t1 : partition_view<tile=(4x4), tensor_view<64x64xi32, strides=[?,1]>>, tile<i32> -> tile<4x4xi32>, token
//     %t4 = store_view_tko weak %x0, %b[%k0, %k0] token = %t3 : tile<4x4xi32>, partition_view<tile=(4x4), tensor_view<64x64xi32, strides=[?,1]>>, tile<i32> -> token
//     %y1, %t5 = load_view_tko weak %b[%k1, %k0] token = %t4 : partition_view<tile=(4x4), tensor_view<64x64xi32, strides=[?,1]>>, tile<i32> -> tile<4x4xi32>, token
//     %y2, %t6 = load_view_tko weak %b[%k0, %k0] token = %t4 : partition_view<tile=(4x4), tensor_view<64x64xi32, strides=[?,1]>>, tile<i32> -> tile<4x4xi32>, token
//     %result_token = print_tko "%i %i %i\0A", %y0, %y1, %y2 token=%t5 : tile<4x4xi32>, tile<4x4xi32>, tile<4x4xi32> -> token
//     return
//   }
//   // Of elements in one place one stays: it is loaded again, unless all were equal. Strides that are
//   // not known might be too small.
//   entry @collide(%p: tile<ptr<i32>>, %n: tile<i32>, %y: tile<i32>) {
//     %lanes = iota : tile<8xi32>
//     %p1 = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
//     %a = broadcast %p1 : tile<1xptr<i32>> -> tile<8xptr<i32>>
//     %t0 = store_ptr_tko weak %a, %lanes : tile<8xptr<i32>>, tile<8xi32> -> token
//     %a0, %t1 = load_ptr_tko weak %a token=%t0 : tile<8xptr<i32>> -> tile<8xi32>, token
//     %y1 = reshape %y : tile<i32> -> tile<1xi32>
//     %ys = broadcast %y1 : tile<1xi32> -> tile<8xi32>
//     %t2 = store_ptr_tko weak %a, %ys token=%t1 : tile<8xptr<i32>>, tile<8xi32> -> token
//     %c2 = constant <i32: 2> : tile<8xi32>
//     %half = divi %lanes, %c2 signed : tile<8xi32>
//     %b = offset %a, %half : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
//     %t4 = store_ptr_tko weak %b, %lanes token=%t2 : tile<8xptr<i32>>, tile<8xi32> -> token
//     %b0, %t5 = load_ptr_tko weak %b token=%t4 : tile<8xptr<i32>> -> tile<8xi32>, token
//     %q = ptr_to_ptr %a : tile<8xptr<i32>> -> tile<8xptr<i16>>
//     %d = offset %q, %lanes : tile<8xptr<i16>>, tile<8xi32> -> tile<8xptr<i16>>
//     %e = ptr_to_ptr %d : tile<8xptr<i16>> -> tile<8xptr<i32>>
//     %t6 = store_ptr_tko weak %e, %ys token=%t5 : tile<8xptr<i32>>, tile<8xi32> -> token
//     %e0, %t7 = load_ptr_tko weak %e token=%t6 : tile<8xptr<i32>> -> tile<8xi32>, token
//     %k0 = constant <i32: 0> : tile<i32>
//     %x16 = iota : tile<16xi32>
//     %x = reshape %x16 : tile<16xi32> -> tile<4x4xi32>
//     %f_w = make_tensor_view %p, shape = [8, 8], strides = [1, 1] : tensor_view<8x8xi32, strides=[1,1]>
//     %f = make_partition_view %f_w : partition_view<tile=(4x4), tensor_view<8x8xi32, strides=[1,1]>>
//     %g_w = make_tensor_view %p, shape = [8, 8], strides = [%n, 1] : tile<i32> -> tensor_view<8x8xi32, strides=[?,1]>
//     %g = make_partition_view %g_w : partition_view<tile=(4x4), tensor_view<8x8xi32, strides=[?,1]>>
//     %h_w = make_tensor_view %p, shape = [8, 8], strides = [3, 1] : tensor_view<8x8xi32, strides=[3,1]>
//     %h = make_partition_view %h_w : partition_view<tile=(4x4), tensor_view<8x8xi32, strides=[3,1]>>
//     %f_s = store_view_tko weak %x, %f[%k0, %k0] token = %t7 : tile<4x4xi32>, partition_view<tile=(4x4), tensor_view<8x8xi32, strides=[1,1]>>, tile<i32> -> token
//     %f_x, %f_t = load_view_tko weak %f[%k0, %k0] token = %f_s : partition_view<tile=(4x4), tensor_view<8x8xi32, strides=[1,1]>>, tile<i32> -> tile<4x4xi32>, token
//     %g_s = store_view_tko weak %x, %g[%k0, %k0] token = %f_t : tile<4x4xi32>, partition_view<tile=(4x4), tensor_view<8x8xi32, strides=[?,1]>>, tile<i32> -> token
//     %g_x, %g_t = load_view_tko weak %g[%k0, %k0] token = %g_s : partition_view<tile=(4x4), tensor_view<8x8xi32, strides=[?,1]>>, tile<i32> -> tile<4x4xi32>, token
//     %h_s = store_view_tko weak %x, %h[%k0, %k0] token = %g_t : tile<4x4xi32>, partition_view<tile=(4x4), tensor_view<8x8xi32, strides=[3,1]>>, tile<i32> -> token
//     %h_x, %h_t = load_view_tko weak %h[%k0, %k0] token = %h_s : partition_view<tile=(4x4), tensor_view<8x8xi32, strides=[3,1]>>, tile<i32> -> tile<4x4xi32>, token
//     %result_token = print_tko "%i %i %i %i %i %i %i\0A", %a0, %ys, %b0, %e0, %f_x, %g_x, %h_x token=%h_t : tile<8xi32>, tile<8xi32>, tile<8xi32>, tile<8xi32>, tile<4x4xi32>, tile<4x4xi32>, tile<4x4xi32> -> token
//     return
//   }
//   // Each element has a place of its own, whatever %n is within its bounds; rows of %m as long as
//   // their stride, too.
//   entry @apart(%p: tile<ptr<i32>>, %n: tile<i32>, %m: tile<i32>, %i: tile<i32>) {
//     %lanes = iota : tile<8xi32>
//     %p1 = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
//     %p8 = broadcast %p1 : tile<1xptr<i32>> -> tile<8xptr<i32>>
//     %i1 = reshape %i : tile<i32> -> tile<1xi32>
//     %i8 = broadcast %i1 : tile<1xi32> -> tile<8xi32>
//     %c3 = constant <i32: 3> : tile<8xi32>
//     %third = muli %lanes, %c3 : tile<8xi32>
//     %at = subi %i8, %third : tile<8xi32>
//     %a = offset %p8, %at : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
//     %t0 = store_ptr_tko weak %a, %lanes : tile<8xptr<i32>>, tile<8xi32> -> token
//     %four = iota : tile<4xi32>
//     %row1 = reshape %four : tile<4xi32> -> tile<4x1xi32>
//     %rows = broadcast %row1 : tile<4x1xi32> -> tile<4x4xi32>
//     %column1 = reshape %four : tile<4xi32> -> tile<1x4xi32>
//     %columns = broadcast %column1 : tile<1x4xi32> -> tile<4x4xi32>
//     %c64 = constant <i32: 64> : tile<4x4xi32>
//     %begin = muli %rows, %c64 : tile<4x4xi32>
//     %p11 = reshape %p : tile<ptr<i32>> -> tile<1x1xptr<i32>>
//     %p44 = broadcast %p11 : tile<1x1xptr<i32>> -> tile<4x4xptr<i32>>
//     %to = offset %p44, %begin : tile<4x4xptr<i32>>, tile<4x4xi32> -> tile<4x4xptr<i32>>
//     %b = offset %to, %columns : tile<4x4xptr<i32>>, tile<4x4xi32> -> tile<4x4xptr<i32>>
//     %x16 = iota : tile<16xi32>
//     %x = reshape %x16 : tile<16xi32> -> tile<4x4xi32>
//     %t2 = store_ptr_tko weak %b, %x token=%t0 : tile<4x4xptr<i32>>, tile<4x4xi32> -> token
//     %k0 = constant <i32: 0> : tile<i32>
//     %k4 = assume bounded<4, ?>, %n : tile<i32>
//     %g_w = make_tensor_view %p, shape = [8, 8], strides = [%k4, 1] : tile<i32> -> tensor_view<8x8xi32, strides=[?,1]>
//     %g = make_partition_view %g_w : partition_view<tile=(4x4), tensor_view<8x8xi32, strides=[?,1]>>
//     %h_w = make_tensor_view %p, shape = [8, %m], strides = [%m, 1] : tile<i32> -> tensor_view<8x?xi32, strides=[?,1]>
//     %h = make_partition_view %h_w : partition_view<tile=(4x4), tensor_view<8x?xi32, strides=[?,1]>>
//     %f_w = make_tensor_view %p, shape = [8, 8], strides = [1, 8] : tensor_view<8x8xi32, strides=[1,8]>
//     %f = make_partition_view %f_w : partition_view<tile=(4x4), tensor_view<8x8xi32, strides=[1,8]>>
//     %g_s = store_view_tko weak %x, %g[%k0, %k0] token = %t2 : tile<4x4xi32>, partition_view<tile=(4x4), tensor_view<8x8xi32, strides=[?,1]>>, tile<i32> -> token
//     %h_s = store_view_tko weak %x, %h[%k0, %k0] token = %g_s : tile<4x4xi32>, partition_view<tile=(4x4), tensor_view<8x?xi32, strides=[?,1]>>, tile<i32> -> token
//     %f_s = store_view_tko weak %x, %f[%k0, %k0] token = %h_s : tile<4x4xi32>, partition_view<tile=(4x4), tensor_view<8x8xi32, strides=[1,8]>>, tile<i32> -> token
//     %result_token = print_tko "%i %i %i %i %i\0A", %lanes, %x, %x, %x, %x token=%f_s : tile<8xi32>, tile<4x4xi32>, tile<4x4xi32>, tile<4x4xi32>, tile<4x4xi32> -> token
//     return
//   }
//   // A store is seen when the kernel may end before it is overwritten.
//   entry @overwritten(%p: tile<ptr<i32>>, %x: tile<i32>, %c: tile<i1>) {
//     %t0 = make_token : token
//     %y = muli %x, %x : tile<i32>
//     %t2 = store_ptr_tko weak %p, %y token=%t0 : tile<ptr<i32>>, tile<i32> -> token
//     %t3 = store_ptr_tko release device %p, %x token=%t2 : tile<ptr<i32>>, tile<i32> -> token
//     %t4 = store_ptr_tko weak %p, %y token=%t3 : tile<ptr<i32>>, tile<i32> -> token
//     if %c {
//       return
//     }
//     %t5 = store_ptr_tko weak %p, %x token=%t4 : tile<ptr<i32>>, tile<i32> -> token
//     return
//   }
//   // The loads of one place are one as long as nothing that may be there is stored between them.
//   entry @loads(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>, %x: tile<i32>) {
//     %a, %t0 = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
//     %t4 = store_ptr_tko weak %q, %x token=%t0 : tile<ptr<i32>>, tile<i32> -> token
//     %d, %t5 = load_ptr_tko weak %p token=%t4 : tile<ptr<i32>> -> tile<i32>, token
//     %s = addi %a, %a : tile<i32>
//     %u = addi %a, %d : tile<i32>
//     %v = addi %s, %u : tile<i32>
//     %t6 = store_ptr_tko weak %p, %v token=%t5 : tile<ptr<i32>>, tile<i32> -> token
//     return
//   }
//   // %p is loaded in front of the loop, for the loop runs and stores only to the alloca; %q not.
//   entry @loop(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>, %n: tile<i32>) {
//     %a = alloca num_elem = 64, alignment = 4 : tile<ptr<i32>>
//     %k0 = constant <i32: 0> : tile<i32>
//     %k1 = constant <i32: 1> : tile<i32>
//     %end = assume bounded<1, 64>, %n : tile<i32>
//     %t = make_token : token
//     %x, %t1 = load_ptr_tko weak %p token=%t : tile<ptr<i32>> -> tile<i32>, token
//     %sum, %done = for %i in (%k0 to %end, step %k1) : tile<i32> iter_values(%s = %k0, %t0 = %t) -> (tile<i32>, token) {
//       %0 = join_tokens %t0, %t1 : token
//       %b = offset %a, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
//       %t2 = store_ptr_tko weak %b, %x token=%0 : tile<ptr<i32>>, tile<i32> -> token
//       %y = addi %s, %x : tile<i32>
//       continue %y, %t2 : tile<i32>, token
//     }
//     %all, %end_of_all = for %i in (%k0 to %end, step %k1) : tile<i32> iter_values(%s = %k0, %t0 = %done) -> (tile<i32>, token) {
//       %x_0, %t1_1 = load_ptr_tko weak %q token=%t0 : tile<ptr<i32>> -> tile<i32>, token
//       %b = offset %p, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
//       %t2 = store_ptr_tko weak %b, %x_0 token=%t1_1 : tile<ptr<i32>>, tile<i32> -> token
//       %y = addi %s, %x_0 : tile<i32>
//       continue %y, %t2 : tile<i32>, token
//     }
//     %both = addi %sum, %all : tile<i32>
//     %t3 = store_ptr_tko weak %p, %both token=%end_of_all : tile<ptr<i32>>, tile<i32> -> token
//     return
//   }
//   // What is behind an acquire may be new each time; behind none it may not.
//   entry @waits(%p: tile<ptr<i32>>, %flag: tile<ptr<i32>>, %n: tile<i32>) {
//     %a, %t0 = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
//     %t1 = store_ptr_tko release device %flag, %a token=%t0 : tile<ptr<i32>>, tile<i32> -> token
//     %x, %done = loop iter_values(%t2 = %t1) : token -> tile<i32>, token {
//       %f, %t3 = load_ptr_tko acquire device %flag token=%t2 : tile<ptr<i32>> -> tile<i32>, token
//       %b, %t4 = load_ptr_tko weak %p token=%t3 : tile<ptr<i32>> -> tile<i32>, token
//       %s = addi %b, %b : tile<i32>
//       %go = cmpi equal %f, %n, signed : tile<i32> -> tile<i1>
//       if %go {
//         break %s, %t4 : tile<i32>, token
//       }
//       continue %t4 : token
//     }
//     %result_token = print_tko "%i\0A", %x token=%done : tile<i32> -> token
//     return
//   }
//   // In another iteration the offset is another number: only the ranges count.
//   entry @iterations(%p: tile<ptr<i32>>, %n: tile<i32>) {
//     %k0 = constant <i32: 0> : tile<i32>
//     %k1 = constant <i32: 1> : tile<i32>
//     %k8 = constant <i32: 8> : tile<i32>
//     %t = make_token : token
//     %far = offset %p, %k8 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
//     %x, %t1 = load_ptr_tko weak %far token=%t : tile<ptr<i32>> -> tile<i32>, token
//     %done = for %i in (%k0 to %k8, step %k1) : tile<i32> iter_values(%t0 = %t) -> (token) {
//       %0 = join_tokens %t0, %t1 : token
//       %y, %t2 = load_ptr_tko weak %p token=%0 : tile<ptr<i32>> -> tile<i32>, token
//       %at = offset %p, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
//       %z = addi %x, %y : tile<i32>
//       %t3 = store_ptr_tko weak %at, %z token=%t2 : tile<ptr<i32>>, tile<i32> -> token
//       continue %t3 : token
//     }
//     return
//   }
// }
