/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Kernels of the block level that the verifier takes and that no code for a target exists for:
 * their text from what follows `threads(`. test_unsupported.c writes down why.
 */
#ifndef TESSERA_TESTS_UNSUPPORTED_BLOCK_H
#define TESSERA_TESTS_UNSUPPORTED_BLOCK_H

#define VIEW                                                                                       \
  "%v = make_tensor_view %p, shape = [%n, 8], strides = [8, 1] : tile<i32> -> "                    \
  "tensor_view<?x8xf32, strides=[8,1]> "
#define MAP                                                                                        \
  VIEW "%t = make_tensor_map %v : tensor_view<?x8xf32, strides=[8,1]> -> tensor_map<8x8xf32> "
/* For sm_90a. */
static const char *const engine_kernels[] = {
    "384) { roles { role @a threads(0 to 256) registers(256) { barrier } } return",
    "32) { " MAP "%c0 = constant <i32: 0> : tile<i32> %c1 = constant <i32: 1> : tile<i32> "
    "%u = for %i in (%c0 to %n, step %c1) : tile<i32> iter_values(%q = %t) -> "
    "(tensor_map<8x8xf32>) { continue %q : tensor_map<8x8xf32> } return",
    "32) { " MAP "%c0 = constant <i32: 0> : tile<i32> %s = alloc_shared : shared<16x8xf32> "
    "%q = subview %s[%n] : shared<16x8xf32> -> shared<8x8xf32> "
    "elect { tensor_store %q, %t[%c0, %c0] : shared<8x8xf32>, tensor_map<8x8xf32> } return",
    "32) { " VIEW "%c0 = constant <i32: 0> : tile<i32> %s = alloc_shared : shared<512x8xf32> "
    "elect { bulk_store %s, %v[%c0, %c0] : shared<512x8xf32>, "
    "tensor_view<?x8xf32, strides=[8,1]> } return",
    "32) cluster(2) { %c0 = constant <i32: 0> : tile<i32> %s = alloc_shared : shared<32xf16> "
    "%m = alloc_mbarrier : mbarrier<1> %r = map_remote %s, %c0 : shared<32xf16> -> "
    "remote<shared<32xf16>> %q = map_remote %m, %c0 : mbarrier<1> -> remote<mbarrier<1>> "
    "%x = constant <f16: 0.0> : tile<32xf16, spatial(32)> store_async %x, %r, %q : tile<32xf16, "
    "spatial(32)>, remote<shared<32xf16>>, remote<mbarrier<1>> return",
};

/* For sm_80. */
static const char *const block_kernels[] = {
    "32) cluster(2) { cluster_barrier return",
    "32) { %m = alloc_mbarrier : mbarrier<1> mbarrier_expect %m, 16 : mbarrier<1> return",
    "96) { %x = constant <i32: 0> : tile<3x32xi32, column_spatial(3, 32)> return",
    "96) { %x = iota : tile<96xi32, spatial(96)> %y = scan %x dim=0 reverse=false "
    "identities=[0 : i32] : tile<96xi32, spatial(96)> -> tile<96xi32, spatial(96)> (%a: "
    "tile<i32>, %b: tile<i32>) { %c = addi %a, %b : tile<i32> yield %c : tile<i32> } return",
    "32) { %x = iota : tile<96xi32, local(3).spatial(32)> %y = scan %x dim=0 reverse=false "
    "identities=[0 : i32] : tile<96xi32, local(3).spatial(32)> -> tile<96xi32, "
    "local(3).spatial(32)> (%a: tile<i32>, %b: tile<i32>) { %c = addi %a, %b : tile<i32> yield %c "
    ": tile<i32> } return",
    "32) { %x = iota : tile<96xi32, local(3).spatial(32)> %i, %j, %k = get_tile_block_id : "
    "tile<i32> %y = extract %x[%i] : tile<96xi32, local(3).spatial(32)> -> tile<32xi32, "
    "spatial(32)> return",
    "32) { %x = iota : tile<1031xi32, replicated(1, num_workers=32).local(1031)> return",
    "32) { %s = alloc_shared : shared<96xi8, ((12,8)):((1,16))> %x = load_shared %s : "
    "shared<96xi8, ((12,8)):((1,16))> -> tile<96xi8, local(3).spatial(32)> return",
    "128) { %x = alloc_shared : shared<3x128x256xf16> return",
    "32) { %s = alloc_shared : shared<16x16xf16> %x = load_shared ldmatrix %s : shared<16x16xf16> "
    "-> "
    "tile<16x16xf16, spatial(16, 2).local(1, 8)> return",
    "32) { %s = alloc_shared : shared<16x16xf16, (16,16):(20,1)> %x = load_shared ldmatrix %s : "
    "shared<16x16xf16, (16,16):(20,1)> -> tile<16x16xf16, mma.m16n8k16.A> return",
    "32) { %s = alloc_shared : shared<32x8xi8> %x = load_shared ldmatrix.trans %s : "
    "shared<32x8xi8> "
    "-> tile<32x8xi8, mma.m16n8k32.i8.B> return",
    "32) { %s = alloc_shared : shared<16x16xf16> %x = constant <f16: 0.0> : tile<16x16xf16, "
    "mma.m16n8k16.A> store_shared stmatrix %x, %s : tile<16x16xf16, mma.m16n8k16.A>, "
    "shared<16x16xf16> return",
    "32) { %a = constant <f16: 0.0> : tile<16x8xf16, mma.m16n8k8.A> %b = constant <f16: 0.0> : "
    "tile<8x8xf16, mma.m16n8k8.B> %c = constant <f32: 0.0> : tile<16x8xf32, mma.m16n8k8.C> %d = "
    "mmaf %a, %b, %c : tile<16x8xf16, mma.m16n8k8.A>, tile<8x8xf16, mma.m16n8k8.B>, tile<16x8xf32, "
    "mma.m16n8k8.C> return",
};

#undef VIEW
#undef MAP

#endif
