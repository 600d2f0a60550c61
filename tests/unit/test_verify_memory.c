/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Rules of the verifier that text can break: pointers, atomics, views, assumptions, prints.
 */
#include "verify_case.h"

/* ---- memory --------------------------------------------------------------------------------- */

static void test_pointers(void **state) {
  (void)state;
  static const rule_case cases[] = {
      GOOD("%a, %t = load_ptr_tko relaxed device %q, %m, %x token=%tok : tile<8xptr<f32>>, "
           "tile<8xi1>, tile<8xf32> -> tile<8xf32>, token"),
      BAD("%a, %t = load_ptr_tko weak %q : tile<8xptr<f32>> -> tile<4xf32>, token",
          "load_ptr_tko: source and result must have the same shape, but source is "
          "tile<8xptr<f32>> and result is tile<4xf32>"),
      BAD("%a, %t = load_ptr_tko weak %q : tile<8xptr<f32>> -> tile<8xi32>, token",
          "load_ptr_tko: source points to f32, but result consists of i32; they must be equal"),
      BAD("%a, %t = load_ptr_tko weak %q, %c : tile<8xptr<f32>>, tile<i1> -> tile<8xf32>, token",
          "load_ptr_tko: mask must have the shape of the tile it masks, [8], but has shape []"),
      BAD("%a, %t = load_ptr_tko weak %q, %m, %h : tile<8xptr<f32>>, tile<8xi1>, tile<8xf16> -> "
          "tile<8xf32>, token",
          "load_ptr_tko: paddingValue must have the type of the result, tile<8xf32>, but has type "
          "tile<8xf16>"),
      BAD("%a, %t = load_ptr_tko relaxed %q : tile<8xptr<f32>> -> tile<8xf32>, token",
          "load_ptr_tko: ordering 'relaxed' needs a memory scope behind it"),
      BAD("%a, %t = \"cuda_tile.load_ptr_tko\"(%q) <{memory_ordering_semantics = 0 : i32, "
          "memory_scope = 1 : i32, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : "
          "(!cuda_tile.tile<8x!cuda_tile.ptr<f32>>) -> (!cuda_tile.tile<8xf32>, !cuda_tile.token)",
          "load_ptr_tko: a weak access has no memory scope, but 'device' is given"),
      GOOD("%t = store_ptr_tko release sys %q, %x, %m : tile<8xptr<f32>>, tile<8xf32>, tile<8xi1> "
           "-> token"),
      BAD("%t = store_ptr_tko weak %q, %v : tile<8xptr<f32>>, tile<8xi32> -> token",
          "store_ptr_tko: destination points to f32, but value consists of i32"),
      BAD("%t = store_ptr_tko weak %q, %s : tile<8xptr<f32>>, tile<f32> -> token",
          "store_ptr_tko: destination and value must have the same shape"),
      BAD("%t = store_ptr_tko weak %q, %x, %c : tile<8xptr<f32>>, tile<8xf32>, tile<i1> -> token",
          "store_ptr_tko: mask must have the shape of the tile it masks"),
      BAD("%t = store_ptr_tko release %q, %x : tile<8xptr<f32>>, tile<8xf32> -> token",
          "store_ptr_tko: ordering 'release' needs a memory scope"),
      GOOD("%t = join_tokens %tok, %tok : token"),
      BAD("%t = join_tokens %tok : token", "join_tokens: expected at least two tokens, got 1"),
      GOOD("%a = alloca num_elem = 0, alignment = 4 : tile<ptr<f32>>"),
      BAD("%a = alloca num_elem = -1, alignment = 4 : tile<ptr<f32>>",
          "alloca: num_elem is -1; expected 0 or more"),
      BAD("%a = alloca num_elem = 1, alignment = 12 : tile<ptr<f32>>",
          "alloca: alignment is 12; expected a power of two"),
      BAD("%a = alloca num_elem = 1, alignment = 0 : tile<ptr<f32>>",
          "alloca: alignment is 0; expected a power of two"),
      BAD("%a = alloca num_elem = 1, alignment = 2 : tile<ptr<f32>>",
          "alloca: alignment is 2, but an element of type f32 takes 4 bytes"),
  };
  RUN(cases);
}

static void test_atomics(void **state) {
  (void)state;
#define RMW(mode, p, pt, arg, t)                                                                   \
  "%o, %t = atomic_rmw_tko relaxed device %" p ", " mode ", %" arg " : tile<8xptr<" pt ">>, "      \
  "tile<8x" t "> -> tile<8x" t ">, token"
#define CAS(p, pt, val, t)                                                                         \
  "%o, %t = atomic_cas_tko acq_rel sys %" p ", %" val ", %" val " : tile<8xptr<" pt                \
  ">>, tile<8x" t "> -> tile<8x" t ">, token"
#define AS(type) "%r = ptr_to_ptr %q : tile<8xptr<f32>> -> tile<8xptr<" type ">>\n"
  static const rule_case cases[] = {
      GOOD(RMW("add", "qi", "i32", "v", "i32")),
      GOOD(RMW("addf", "q", "f32", "x", "f32")),
      GOOD(RMW("xchg", "q", "f32", "x", "f32")),
      GOOD(AS("f16") RMW("addf", "r", "f16", "h", "f16")),
      BAD(RMW("add", "q", "f32", "v", "i32"),
          "atomic_rmw_tko: pointers points to f32, but arg consists of i32; they must be equal"),
      BAD(RMW("add", "q", "f32", "x", "f32"),
          "atomic_rmw_tko: mode 'add' works on i32 or i64 only, but the elements are f32"),
      BAD(RMW("addf", "qi", "i32", "v", "i32"),
          "atomic_rmw_tko: mode 'addf' works on f16, bf16, f32 or f64 only"),
      BAD_AT(2, AS("i8") RMW("umax", "r", "i8", "b", "i8"), "mode 'umax' works on i32 or i64 only"),
      BAD_AT(2, AS("f16") RMW("xchg", "r", "f16", "h", "f16"),
             "mode 'xchg' works on i32, i64, f32 or f64 only, but the elements are f16"),
      BAD("%o, %t = atomic_rmw_tko relaxed device %qi, add, %v, %c : tile<8xptr<i32>>, "
          "tile<8xi32>, tile<i1> -> tile<8xi32>, token",
          "atomic_rmw_tko: mask must have the shape of the tile it masks"),
      GOOD(CAS("q", "f32", "x", "f32")),
      BAD(CAS("q", "f32", "v", "i32"), "atomic_cas_tko: pointers points to f32, but val"),
      BAD_AT(2, AS("i8") CAS("r", "i8", "b", "i8"),
             "atomic_cas_tko: elements must be i32, i64, f32 or f64, but are i8"),
      BAD_AT(2, AS("f16") CAS("r", "f16", "h", "f16"),
             "atomic_cas_tko: elements must be i32, i64, f32 or f64, but are f16, which "
             "--extensions (TSR_PARSE_EXTENSIONS) admits"),
      BAD("%o, %t = atomic_cas_tko relaxed device %q, %x, %x, %c : tile<8xptr<f32>>, tile<8xf32>, "
          "tile<i1> -> tile<8xf32>, token",
          "atomic_cas_tko: mask must have the shape of the tile it masks"),
  };
  RUN(cases);
}

static void test_view_atomics(void **state) {
  (void)state;
#define RED(view, vt, index, mode, val, t)                                                         \
  "%t = atomic_red_view_tko relaxed device %" view "[" index "], " mode ", %" val " : " t ", " vt  \
  ", tile<i32> -> token"
#define PADDED "partition_view<tile=(8), padding_value = zero, " TVI ">"
  static const rule_case cases[] = {
      GOOD(RED("pvi", PVI, "%i", "add", "v", "tile<8xi32>")),
      GOOD(RED("pv", PV, "%i, %i", "addf", "xx", "tile<4x8xf32>")),
      BAD(RED("pvi", PVI, "%i", "add", "w", "tile<8xi64>"),
          "atomic_red_view_tko: value must have type tile<8xi32>, as the view says, but has type "
          "tile<8xi64>"),
      BAD(RED("pv", PV, "%i, %i", "add", "xx", "tile<4x8xf32>"),
          "atomic_red_view_tko: mode 'add' works on i32 or i64 only"),
      BAD(RED("pv", PV, "%i", "addf", "xx", "tile<4x8xf32>"),
          "atomic_red_view_tko: the view has rank 2, but there is 1 index; expected one for each "
          "dimension"),
      BAD(RED("gs", GS, "%i, %i", "addf", "xx", "tile<4x8xf32>"),
          "atomic_red_view_tko: a gather_scatter_view cannot be updated atomically"),
      BAD_AT(2,
             "%y = make_partition_view %tvi : " PADDED
             "\n" RED("y", PADDED, "%i", "add", "v", "tile<8xi32>"),
             "atomic_red_view_tko: a view with a padding value cannot be updated atomically, but "
             "it has padding_value = zero"),
  };
  RUN(cases);
}

/* Operations on the memory of several devices. */
static void test_multimem(void **state) {
  (void)state;
#define COMBINED(view, vt, index, how, t)                                                          \
  "%o, %t = multimem_load_reduce_view_tko " how " %" view "[" index "], " vt " -> " t ", token"
#define STORED(view, vt, index, how, val, t)                                                       \
  "%t = multimem_store_view_tko " how " %" val ", %" view "[" index "] : " t ", " vt               \
  ", tile<i32> -> token"
#define MULTI(view, vt, index, mode, val, t)                                                       \
  "%t = multimem_reduce_view_tko relaxed sys %" view "[" index "], " mode ", %" val " : " t        \
  ", " vt ", tile<i32> -> token"
  static const rule_case cases[] = {
      GOOD(COMBINED("pvi", "umax : " PVI ", tile<i32>", "%i", "weak", "tile<8xi32>")),
      GOOD(COMBINED("pv", "min : " PV ", tile<i32>", "%i, %i", "acquire sys", "tile<4x8xf32>")),
      BAD(COMBINED("pv", "xor : " PV ", tile<i32>", "%i, %i", "weak", "tile<4x8xf32>"),
          "multimem_load_reduce_view_tko: reduction 'xor' combines integers, but the elements are "
          "f32"),
      BAD(COMBINED("pvi", "add : " PVI ", tile<i32>", "%i", "acquire", "tile<8xi32>"),
          "multimem_load_reduce_view_tko: ordering 'acquire' needs a memory scope behind it"),
      BAD(COMBINED("pvi", "add : " PVI ", tile<i32>", "%i", "weak", "tile<8xi64>"),
          "multimem_load_reduce_view_tko: the result must have type tile<8xi32>"),
      GOOD(STORED("pvi", PVI, "%i", "release sys", "v", "tile<8xi32>")),
      BAD(STORED("pvi", PVI, "%i", "weak", "w", "tile<8xi64>"),
          "multimem_store_view_tko: tile must have type tile<8xi32>, as the view says, but has "
          "type "
          "tile<8xi64>"),
      BAD(STORED("pvi", PVI, "%i, %i", "weak", "v", "tile<8xi32>"),
          "multimem_store_view_tko: the view has rank 1, but there are 2 indices"),
      GOOD(MULTI("pvi", PVI, "%i", "umin", "v", "tile<8xi32>")),
      GOOD(MULTI("pv", PV, "%i, %i", "add", "xx", "tile<4x8xf32>")),
      BAD(MULTI("pv", PV, "%i, %i", "min", "xx", "tile<4x8xf32>"),
          "multimem_reduce_view_tko: mode 'min' works on i32 or i64 only, but the elements are "
          "f32"),
      BAD(MULTI("gs", GS, "%i, %i", "add", "xx", "tile<4x8xf32>"),
          "multimem_reduce_view_tko: a gather_scatter_view cannot be updated atomically"),
  };
  RUN(cases);
}

/* ---- views ---------------------------------------------------------------------------------- */

static void test_making_views(void **state) {
  (void)state;
  static const rule_case cases[] = {
      GOOD("%a = make_strided_view %tv : strided_view<tile=(4x8), traversal_strides=[1,3], " TV
           ", dim_map=[1, 0]>"),
      GOOD("%a = make_tensor_view %p, shape = [%i, 8], strides = [%i, 1] : tile<i32> -> "
           "tensor_view<?x8xf32, strides=[?,1]>"),
      GOOD("%n = ptr_to_ptr %p : tile<ptr<f32>> -> tile<ptr<f32, ptr_attr<none>>>\n"
           "%a = make_tensor_view %n, shape = [8], strides = [1] : tile<ptr<f32, ptr_attr<none>>> "
           "-> tensor_view<8xf32, strides=[1], ptr_attr<none>>"),
      BAD_AT(2,
             "%n = ptr_to_ptr %p : tile<ptr<f32>> -> tile<ptr<f32, ptr_attr<none>>>\n"
             "%a = make_tensor_view %n, shape = [8], strides = [1] : tile<ptr<f32, "
             "ptr_attr<none>>> -> tensor_view<8xf32, strides=[1]>",
             "make_tensor_view: base consists of ptr<f32, #cuda_tile.ptr_attr<none>>, but the "
             "result is tensor_view<8xf32, strides=[1]>; the ptr_attr of the pointer must be kept"),
      BAD("%a = make_tensor_view %p, shape = [8], strides = [1] : "
          "tensor_view<8xf32, strides=[1], #cuda_tile.ptr_attr<none>>",
          "make_tensor_view: base consists of ptr<f32>, but the result is tensor_view<8xf32, "
          "strides=[1], #cuda_tile.ptr_attr<none>>"),
      BAD_AT(2,
             "%n = ptr_to_ptr %p : tile<ptr<f32>> -> tile<ptr<f32, ptr_attr<none>>>\n"
             "%a = extract %n[] : tile<ptr<f32, ptr_attr<none>>> -> tile<ptr<f32>>",
             "extract: the source consists of ptr<f32, #cuda_tile.ptr_attr<none>>, but the result "
             "of ptr<f32>"),
  };
  RUN(cases);
}

static void test_extents(void **state) {
  (void)state;
  static const rule_case cases[] = {
      GOOD("%a:2 = get_tensor_shape %tv : " TV " -> tile<i64>"),
      GOOD("%a:2 = get_index_space_shape %pv : " PV " -> tile<i32>"),
      BAD("%a:2 = get_tensor_shape %tv : " TV " -> tile<2xi32>",
          "get_tensor_shape: result 'result[0]' must be a scalar integer tile, but has type "
          "tile<2xi32>"),
  };
  RUN(cases);
}

static void test_view_accesses(void **state) {
  (void)state;
#define LOAD_VIEW(order, view, vt, index, it, t)                                                   \
  "%a, %t = load_view_tko " order " %" view "[" index "] : " vt ", " it " -> " t ", token"
#define STORE_VIEW(order, index, tile, t)                                                          \
  "%t = store_view_tko " order " %" tile ", %pv[" index "] : " t ", " PV ", tile<i32> -> token"
#define INBOUNDS(list)                                                                             \
  "%a, %t = load_view_tko weak %pv[%i, %i] inbounds = " list " : " PV                              \
  ", tile<i32> -> tile<4x8xf32>, token"
#define ROWS                 "%rows = constant <i32: 0> : tile<4xi32>\n"
#define GATHER(index, types) LOAD_VIEW("weak", "gs", GS, index, types, "tile<4x8xf32>")
  static const rule_case cases[] = {
      GOOD(LOAD_VIEW("weak", "pv", PV, "%i, %i", "tile<i32>", "tile<4x8xf32>")),
      GOOD(LOAD_VIEW("acquire tl_blk", "pv", PV, "%i, %i", "tile<i32>", "tile<4x8xf32>")),
      BAD(LOAD_VIEW("weak", "pv", PV, "%i, %i", "tile<i32>", "tile<8xf32>"),
          "load_view_tko: the result must have type tile<4x8xf32>, as the view says, but has type "
          "tile<8xf32>"),
      BAD(LOAD_VIEW("weak", "pv", PV, "%i", "tile<i32>", "tile<4x8xf32>"),
          "load_view_tko: the view has rank 2, but there is 1 index; expected one for each"),
      BAD(LOAD_VIEW("weak", "pv", PV, "%i, %i, %i", "tile<i32>", "tile<4x8xf32>"),
          "load_view_tko: the view has rank 2, but there are 3 indices"),
      BAD(LOAD_VIEW("weak", "pv", PV, "%v, %v", "tile<8xi32>", "tile<4x8xf32>"),
          "load_view_tko: index 0 must be a scalar, but has type tile<8xi32>"),
      BAD(LOAD_VIEW("weak", "x", "tile<8xf32>", "%i", "tile<i32>", "tile<8xf32>"),
          "load_view_tko: operand 'view' must be a tile view, but has type tile<8xf32>"),
      GOOD(INBOUNDS("[true, false]")),
      GOOD(INBOUNDS("[false, false]")),
      BAD(INBOUNDS("[true]"),
          "load_view_tko: inbounds has 1 entry; expected 2, one for each index"),
      BAD(INBOUNDS("[true, true, true]"),
          "load_view_tko: inbounds has 3 entries; expected 2, one for each index"),
      BAD("%t = store_view_tko weak %xx, %pv[%i, %i] inbounds = [] : tile<4x8xf32>, " PV
          ", tile<i32> -> token",
          "store_view_tko: inbounds has 0 entries; expected 2"),
      GOOD(STORE_VIEW("relaxed device", "%i, %i", "xx", "tile<4x8xf32>")),
      BAD(STORE_VIEW("weak", "%i, %i", "x", "tile<8xf32>"),
          "store_view_tko: tile must have type tile<4x8xf32>, as the view says, but has type "
          "tile<8xf32>"),
      BAD(STORE_VIEW("weak", "%i", "xx", "tile<4x8xf32>"), "store_view_tko: the view has rank 2"),
      BAD(STORE_VIEW("relaxed", "%i, %i", "xx", "tile<4x8xf32>"),
          "store_view_tko: ordering 'relaxed' needs a memory scope"),
      GOOD(ROWS GATHER("%rows, %i", "tile<4xi32>, tile<i32>")),
      BAD(GATHER("%v, %i", "tile<8xi32>, tile<i32>"),
          "load_view_tko: index 0 is that of the sparse dimension and must have shape [4], one for "
          "each element of the tile along it, but has type tile<8xi32>"),
      BAD(GATHER("%i, %i", "tile<i32>"), "load_view_tko: index 0 is that of the sparse dimension"),
      BAD_AT(2, ROWS GATHER("%rows, %rows", "tile<4xi32>, tile<4xi32>"),
             "load_view_tko: index 1 must be a scalar, but has type tile<4xi32>"),
  };
  RUN(cases);
}

/* ---- assume and print ----------------------------------------------------------------------- */

static void test_assume(void **state) {
  (void)state;
  static const rule_case cases[] = {
      GOOD("%a = assume div_by<16>, %p : tile<ptr<f32>>"),
      GOOD("%a = assume div_by<1>, %tv : " TV),
      GOOD("%a = assume div_by<16, every 4 along 0>, %v : tile<8xi32>"),
      GOOD("%a = assume div_by<4611686018427387904>, %l : tile<i64>"),
      BAD("%a = assume div_by<12>, %v : tile<8xi32>",
          "assume: div_by<12>: the divisor must be a power of two"),
      BAD("%a = assume div_by<0>, %v : tile<8xi32>", "the divisor must be a power of two"),
      BAD("%a = assume div_by<4>, %x : tile<8xf32>",
          "assume: div_by needs a tile of integers or pointers, or a tensor_view, but the value "
          "has "
          "type tile<8xf32>"),
      BAD("%a = assume div_by<4>, %pv : " PV, "assume: div_by needs a tile"),
      BAD("%a = assume div_by<4, every 2 along 0>, %tv : " TV,
          "assume: `every … along …` needs a tile, but the value is a tensor_view"),
      BAD("%a = assume div_by<4, every 1 along 0>, %i : tile<i32>",
          "assume: `every … along …` needs a tile with a dimension, but the value has type "
          "tile<i32>"),
      BAD("%a = assume div_by<4, every 2 along 1>, %v : tile<8xi32>",
          "assume: `along 1` is no dimension of tile<8xi32>; expected 0 to 0"),
      BAD("%a = assume div_by<4, every 9 along 0>, %v : tile<8xi32>",
          "assume: `every 9` must be from 0 to 8, the size of dimension 0"),
      GOOD("%a = assume same_elements<[4]>, %v : tile<8xi32>"),
      GOOD("%a = assume same_elements<[]>, %p : tile<ptr<f32>>"),
      BAD("%a = assume same_elements<[4, 1]>, %v : tile<8xi32>",
          "assume: same_elements has 2 sizes, but tile<8xi32> has rank 1"),
      BAD("%a = assume same_elements<[16]>, %v : tile<8xi32>",
          "assume: size 0 of same_elements is 16; it must be from 0 to 8"),
      BAD("%a = assume same_elements<[4]>, %x : tile<8xf32>",
          "assume: same_elements needs a tile of integers or pointers"),
      GOOD("%a = assume bounded<-128, 127>, %b : tile<8xi8>"),
      GOOD("%a = assume bounded<?, ?>, %w : tile<8xi64>"),
      BAD("%a = assume bounded<-129, ?>, %b : tile<8xi8>",
          "assume: the lower bound -129 is not a value of i8; expected -128 to 127"),
      BAD("%a = assume bounded<?, 128>, %b : tile<8xi8>",
          "assume: the upper bound 128 is not a value of i8; expected -128 to 127"),
      BAD("%a = assume bounded<2, 1>, %v : tile<8xi32>",
          "assume: the lower bound 2 is above the upper bound 1"),
      BAD("%a = assume bounded<0, 1>, %x : tile<8xf32>",
          "assume: bounded needs a tile of integers, but the value has type tile<8xf32>"),
  };
  RUN(cases);
}

static void test_print(void **state) {
  (void)state;
  static const rule_case cases[] = {
      GOOD("print_tko \"plain 100%% %%%%\\n\" -> token"),
      GOOD("print_tko \"%i %5d %-8lld %+.3f %e\", %i, %v, %w, %x, %h : tile<i32>, tile<8xi32>, "
           "tile<8xi64>, tile<8xf32>, tile<8xf16> -> token"),
      GOOD("print_tko \"<%, %>%\\n\", %i, %s, %p : tile<i32>, tile<f32>, tile<ptr<f32>> -> token"),
      GOOD("print_tko \"%p %x\", %p, %i : tile<ptr<f32>>, tile<i32> -> token"),
      BAD("print_tko \"%i\" -> token", "print_tko: the string has 1 conversion, but there are 0 "
                                       "arguments"),
      BAD("print_tko \"x\", %i : tile<i32> -> token",
          "print_tko: the string has 0 conversions, but there is 1 argument"),
      BAD("print_tko \"%f, %f\", %s : tile<f32> -> token", "the string has 2 conversions"),
      BAD("print_tko \"100%\", %i : tile<i32> -> token",
          "print_tko: '%' at byte 3 of the string is not a complete conversion; for a percent sign "
          "write %%"),
      BAD("print_tko \"a %5 b\", %i : tile<i32> -> token",
          "'%5 b' at byte 2 of the string is not a complete conversion"),
      BAD("print_tko \"%y\", %i : tile<i32> -> token", "'%y' at byte 0 of the string is not"),
      WARNING("print_tko \"%s\", %i : tile<i32> -> token",
              "print_tko: conversion '%s' is for strings, which tiles are not, but argument 0 has "
              "type tile<i32>"),
      WARNING("print_tko \"%d\", %s : tile<f32> -> token",
              "print_tko: conversion '%d' is for integers and pointers, but argument 0 has type "
              "tile<f32>"),
      WARNING("print_tko \"%8.3f\", %i : tile<i32> -> token",
              "print_tko: conversion '%8.3f' is for floating-point numbers, but argument 0 has "
              "type tile<i32>"),
  };
  RUN(cases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pointers),      cmocka_unit_test(test_atomics),
      cmocka_unit_test(test_view_atomics),  cmocka_unit_test(test_multimem),
      cmocka_unit_test(test_making_views),  cmocka_unit_test(test_extents),
      cmocka_unit_test(test_view_accesses), cmocka_unit_test(test_assume),
      cmocka_unit_test(test_print),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
