// RUN: %transcript %s
// RUN: %if llvm %{ %mutants --ptx=sm_80 %s -k votes -g 2 zeros:i32:2x32 zeros:i32:32 --save out --save all %}
//
// Sums that threads make in shared memory, each of all warps; and what each single mistake gives.
#mine = layout<spatial(2, 32)>
#turned = layout<spatial(32, 2)>
#line = layout<replicated(1, num_workers=2).spatial(32)>
!line = tile<32xi32, #line>
cuda_tile.module @votes {
  entry @votes(%out: tile<ptr<i32>>, %all: tile<ptr<i32>>) threads(64) {
    %c0 = constant <i32: 0> : tile<i32>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %vo = make_tensor_view %out, shape = [2, 32], strides = [32, 1] : tensor_view<2x32xi32, strides=[32,1]>
    %va = make_tensor_view %all, shape = [32], strides = [1] : tensor_view<32xi32, strides=[1]>
    %s = alloc_shared : shared<2x32xi32>
    %t = permute_view %s [1, 0] : shared<2x32xi32> -> shared<32x2xi32, (32,2):(1,32)>
    %first = subview %s[%c0] : shared<2x32xi32> -> shared<32xi32> // harmless shifted by one: both rows have the same sums
    %zero = constant <i32: 0> : tile<2x32xi32, #mine>
    %one = constant <i32: 1> : tile<2x32xi32, #mine>
    %two = constant <i32: 2> : tile<32x2xi32, #turned>
    store_shared %zero, %s : tile<2x32xi32, #mine>, shared<2x32xi32>
    barrier
    %a = atomic_shared add %one, %s : tile<2x32xi32, #mine>, shared<2x32xi32> -> tile<2x32xi32, #mine>
    // Other threads update the same elements: no barrier stands between.
    %b = atomic_shared add %two, %t : tile<32x2xi32, #turned>, shared<32x2xi32, (32,2):(1,32)> -> tile<32x2xi32, #turned>
    barrier
    %v = load_shared %first : shared<32xi32> -> !line
    %r = atomic_global add %v, %va[%c0] : !line, tensor_view<32xi32, strides=[1]> -> !line
    %w = reshape %v : !line -> tile<1x32xi32, replicated(1, 1, num_workers=2).spatial(1, 32)>
    store_global %w, %vo[%x, %c0] : tile<1x32xi32, replicated(1, 1, num_workers=2).spatial(1, 32)>, tensor_view<2x32xi32, strides=[32,1]>
    return
  }
}
// $ cat >run <<'END'
// > tessera run $1 -k votes -t interp --sanitize=all -g 2 zeros:i32:2x32 zeros:i32:32 --save out=out.npy --save all=all.npy
// > END
// $ sh run atomics_hazards.mlir && npy expect out.npy '<i4' 64 3 && npy expect all.npy '<i4' 32 6
// tessera: remark: sanitizer: nothing found (bounds, assume, init, race, arith, sync) in 2 tile blocks
// out.npy is <i4 (2, 32)
// [1]
// $ sed '0,/^    barrier/{/^    barrier/d}' atomics_hazards.mlir >mistake.mlir; sh run mistake.mlir
// mistake.mlir:24:10: error: [race] atomic_shared writes shared memory that thread 32 wrote with store_shared, and no barrier stands between
//       %b = atomic_shared add %two, %t : tile<32x2xi32, #turned>, shared<32x2xi32, (32,2):(1,32)> -> tile<32x2xi32, #turned>
//            ^
// tessera: note: in tile block (0, 0, 0), thread 1, element [0, 1]; so are 61 more elements
// mistake.mlir:21:5: note: the other access, in tile block (0, 0, 0), thread 32
//       store_shared %zero, %s : tile<2x32xi32, #mine>, shared<2x32xi32>
//       ^
// mistake.mlir:24:10: note: [race] atomic_shared: 123 more findings, the last in tile block (1, 0, 0)
// tessera: note: sanitizer: 124 findings at 1 operation (race 124) in 2 tile blocks
// [1]
// $ sed '0,/^    barrier/!{/^    barrier/d}' atomics_hazards.mlir >mistake.mlir; sh run mistake.mlir
// mistake.mlir:26:10: error: [race] load_shared reads shared memory that thread 0 wrote with atomic_shared, and no barrier stands between
//       %v = load_shared %first : shared<32xi32> -> !line
//            ^
// tessera: note: in tile block (0, 0, 0), thread 32, element [0]; so are 31 more elements
// mistake.mlir:25:10: note: the other access, in tile block (0, 0, 0), thread 0
//       %b = atomic_shared add %two, %t : tile<32x2xi32, #turned>, shared<32x2xi32, (32,2):(1,32)> -> tile<32x2xi32, #turned>
//            ^
// mistake.mlir:26:10: note: [race] load_shared: 63 more findings, the last in tile block (1, 0, 0)
// tessera: note: sanitizer: 64 findings at 1 operation (race 64) in 2 tile blocks
// [1]
// $ sed '/store_shared %zero/d' atomics_hazards.mlir >mistake.mlir; sh run mistake.mlir
// mistake.mlir:22:10: error: [init] atomic_shared reads shared memory before anything was written there
//       %a = atomic_shared add %one, %s : tile<2x32xi32, #mine>, shared<2x32xi32> -> tile<2x32xi32, #mine>
//            ^
// tessera: note: in tile block (0, 0, 0), thread 0, element [0, 0]; so are 63 more elements
// mistake.mlir:22:10: note: [init] atomic_shared: 127 more findings, the last in tile block (1, 0, 0)
// tessera: note: sanitizer: 128 findings at 1 operation (init 128) in 2 tile blocks
// [1]
// $ cat >wrong.mlir <<'END'
// > cuda_tile.module @wrong {
// >   entry @k(%p: tile<ptr<f32>>, %n: tile<i64>) threads(32) {
// >     %v = make_tensor_view %p, shape = [32], strides = [1] : tensor_view<32xf32, strides=[1]>
// >     %s = alloc_shared : shared<32xf32>
// >     %h = alloc_shared : shared<16xf32>
// >     %b = alloc_shared : shared<32xi8>
// >     %x = load_global %v[%n] : tensor_view<32xf32, strides=[1]> -> tile<32xf32, spatial(32)>
// >     %y = atomic_shared add %x, %s : tile<32xf32, spatial(32)>, shared<32xf32> -> tile<32xf32, spatial(32)>
// >     %z = atomic_shared addf %x, %h : tile<32xf32, spatial(32)>, shared<16xf32> -> tile<32xf32, spatial(32)>
// >     %w = atomic_global addf %x, %v[%n, %n] : tile<32xf32, spatial(32)>, tensor_view<32xf32, strides=[1]> -> tile<32xf32, spatial(32)>
// >     %m = constant <i1: true> : tile<32xi1, replicated(32, num_workers=32)>
// >     %u = atomic_cas_shared %x, %x, %s mask = %m : tile<32xi1, replicated(32, num_workers=32)> : tile<32xf32, spatial(32)>, shared<32xf32> -> tile<32xf32, spatial(32)>
// >     %c = constant <i8: 1> : tile<32xi8, spatial(32)>
// >     %d = atomic_cas_shared %c, %c, %b : tile<32xi8, spatial(32)>, shared<32xi8> -> tile<32xi8, spatial(32)>
// >     %e, %f, %g, %i = philox %n, %n rounds = 20 : tile<i64> -> tile<i32>
// >     return
// >   }
// > }
// > END
// $ tessera check wrong.mlir
// wrong.mlir:8:10: error: atomic_shared: mode 'add' works on i32 or i64 only, but the elements are f32
//       %y = atomic_shared add %x, %s : tile<32xf32, spatial(32)>, shared<32xf32> -> tile<32xf32, spatial(32)>
//            ^
// wrong.mlir:9:10: error: atomic_shared: the value has shape [32], but the memory has shape [16]; take a part with subview
//       %z = atomic_shared addf %x, %h : tile<32xf32, spatial(32)>, shared<16xf32> -> tile<32xf32, spatial(32)>
//            ^
// wrong.mlir:10:10: error: atomic_global: expected 1 offset, one for each dimension of the view, got 2
//       %w = atomic_global addf %x, %v[%n, %n] : tile<32xf32, spatial(32)>, tensor_view<32xf32, strides=[1]> -> tile<32xf32, spatial(32)>
//            ^
// wrong.mlir:12:10: error: atomic_cas_shared: the mask must have the shape and the layout of tile<32xf32, spatial(32)>, but has type tile<32xi1, replicated(1, num_workers=32).local(32)>
//       %u = atomic_cas_shared %x, %x, %s mask = %m : tile<32xi1, replicated(32, num_workers=32)> : tile<32xf32, spatial(32)>, shared<32xf32> -> tile<32xf32, spatia...
//            ^
// wrong.mlir:14:10: error: atomic_cas_shared: elements must be i32, i64, f32 or f64, but are i8
//       %d = atomic_cas_shared %c, %c, %b : tile<32xi8, spatial(32)>, shared<32xi8> -> tile<32xi8, spatial(32)>
//            ^
// wrong.mlir:15:22: error: philox: rounds is 20; expected 1 to 16, and 10 for numbers that are random
//       %e, %f, %g, %i = philox %n, %n rounds = 20 : tile<i64> -> tile<i32>
//                        ^
// [1]
