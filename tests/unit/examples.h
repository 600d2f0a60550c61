/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The example of every operation of the table, with what it needs around it to be read. (Kernels
 * may not take all of these arguments: the modules are well-formed, not valid.)
 */
#ifndef EXAMPLES_H
#define EXAMPLES_H

#include "ir/ir.h"
#include "text_test.h"

/* Where an example stands: what surrounds it, and the arguments of the kernel around that. */
typedef struct surroundings {
  op_code code;
  const char *arguments;
  const char *before, *after; /* inside the kernel; NULL: nothing */
} surroundings;

#define VIEW1 "tensor_view<64xf32, strides=[1]>"
#define VIEW2 "tensor_view<?x64xf32, strides=[64,1]>"
#define PART2 "partition_view<tile=(8x8), " VIEW2 ">"

static const surroundings special[] = {
    {OP_broadcast, "%r: tile<64x1xf32>", NULL, NULL},
    {OP_reshape, "%v: tile<64xf32>", NULL, NULL},
    {OP_permute, "%a: tile<8x4xf32>", NULL, NULL},
    {OP_cat, "%a: tile<2x4xf32>, %b: tile<2x4xf32>", NULL, NULL},
    {OP_extract, "%t: tile<32x8xf32>, %i: tile<i32>, %j: tile<i32>", NULL, NULL},
    {OP_insert, "%s: tile<4x2xf32>, %t: tile<32x8xf32>, %i: tile<i32>, %j: tile<i32>", NULL, NULL},
    {OP_select, "%m: tile<8xi1>, %a: tile<8xf32>, %b: tile<8xf32>", NULL, NULL},
    {OP_offset, "%p: tile<8xptr<f32>>, %i: tile<8xi32>", NULL, NULL},
    {OP_reduce, "%x: tile<4x8xf32>", NULL, NULL},
    {OP_scan, "%x: tile<8xi32>", NULL, NULL},
    {OP_pack, "%x: tile<64xf4E2M1FN>", NULL, NULL},
    {OP_unpack, "%b: tile<32xi8>", NULL, NULL},
    {OP_bitcast, "%x: tile<8xf32>", NULL, NULL},
    {OP_exti, "%n: tile<8xi8>", NULL, NULL},
    {OP_trunci, "%w: tile<8xi32>", NULL, NULL},
    {OP_ftof, "%x: tile<8xf32>", NULL, NULL},
    {OP_ftoi, "%x: tile<8xf32>", NULL, NULL},
    {OP_itof, "%i: tile<8xi32>", NULL, NULL},
    {OP_int_to_ptr, "%i: tile<i64>", NULL, NULL},
    {OP_ptr_to_int, "%p: tile<ptr<f32>>", NULL, NULL},
    {OP_ptr_to_ptr, "%p: tile<ptr<f32>>", NULL, NULL},
    {OP_assert, "%ok: tile<i1>", NULL, NULL},
    {OP_break, "%x: tile<i32>", "%r = loop : tile<i32> {", "}"},
    {OP_continue, "%x: tile<i32>", "loop iter_values(%y = %x) : tile<i32> {", "}"},
    {OP_for, "%a: tile<i32>, %b: tile<i32>, %c: tile<i32>, %y: tile<f32>", NULL, NULL},
    {OP_if, "%c: tile<i1>, %a: tile<i32>, %b: tile<i32>", NULL, NULL},
    {OP_loop, "%y: tile<i32>", NULL, NULL},
    {OP_yield, "%x: tile<f32>, %c: tile<i1>", "%r = if %c -> (tile<f32>) {",
     "} else { yield %x : tile<f32> }"},
    {OP_load_ptr_tko, "%p: tile<8xptr<f32>>", NULL, NULL},
    {OP_store_ptr_tko, "%p: tile<8xptr<f32>>, %x: tile<8xf32>", NULL, NULL},
    {OP_join_tokens, "%a: token, %b: token", NULL, NULL},
    {OP_gdc_launch_dependents_tko, "%t: token", NULL, NULL},
    {OP_memory_fence_alias_tko, "%t: token", NULL, NULL},
    {OP_fpowi, "%x: tile<8xf32>, %n: tile<8xi32>", NULL, NULL},
    {OP_mmaf, "%a: tile<16x8xf16>, %b: tile<8x32xf16>, %c: tile<16x32xf32>", NULL, NULL},
    {OP_mmaf_scaled,
     "%a: tile<16x32xf8E4M3FN>, %b: tile<32x16xf8E4M3FN>, %c: tile<16x16xf32>, "
     "%sa: tile<16x1xf8E8M0FNU>, %sb: tile<1x16xf8E8M0FNU>",
     NULL, NULL},
    {OP_mmai, "%a: tile<16x8xi8>, %b: tile<8x32xi8>, %c: tile<16x32xi32>", NULL, NULL},
    {OP_atomic_cas_tko, "%p: tile<ptr<i32>>, %expected: tile<i32>, %new: tile<i32>", NULL, NULL},
    {OP_atomic_rmw_tko, "%p: tile<8xptr<i32>>, %x: tile<8xi32>", NULL, NULL},
    {OP_atomic_red_view_tko,
     "%v: partition_view<tile=(8), tensor_view<64xi32, strides=[1]>>, %i: tile<i32>, "
     "%x: tile<8xi32>",
     NULL, NULL},
    {OP_multimem_load_reduce_view_tko,
     "%p: partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, %i: tile<i32>, %j: "
     "tile<i32>",
     NULL, NULL},
    {OP_multimem_reduce_view_tko,
     "%v: partition_view<tile=(8), tensor_view<64xi32, strides=[1]>>, %i: tile<i32>, "
     "%x: tile<8xi32>",
     NULL, NULL},
    {OP_multimem_store_view_tko,
     "%p: partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, %i: tile<i32>, %j: "
     "tile<i32>, %x: tile<8x8xf32>",
     NULL, NULL},
    {OP_make_tensor_view, "%p: tile<ptr<f32>>, %m: tile<i32>", NULL, NULL},
    {OP_make_partition_view, "%v: " VIEW2, NULL, NULL},
    {OP_make_strided_view, "%v: " VIEW1, NULL, NULL},
    {OP_make_gather_scatter_view, "%v: tensor_view<64x64xf32, strides=[64,1]>", NULL, NULL},
    {OP_get_tensor_shape, "%v: " VIEW2, NULL, NULL},
    {OP_get_index_space_shape, "%p: " PART2, NULL, NULL},
    {OP_load_view_tko, "%p: " PART2 ", %i: tile<i32>, %j: tile<i32>", NULL, NULL},
    {OP_store_view_tko, "%x: tile<8x8xf32>, %p: " PART2 ", %i: tile<i32>, %j: tile<i32>", NULL,
     NULL},
    {OP_assume, "%p: tile<ptr<f32>>", NULL, NULL},
    {OP_print_tko, "%x: tile<f32>", NULL, NULL},
};

static inline const surroundings *find_surroundings(op_code code) {
  for (unsigned i = 0; i < ARRAY_LEN(special); i++)
    if (special[i].code == code) return &special[i];
  return NULL;
}

/* A module with the example of an operation, for the caller to free. */
static inline char *embed_example(op_code code) {
  const op_row *row = &op_table[code];
  const surroundings *s = find_surroundings(code);
  if (code == OP_module) return strdup(row->example);
  if (row->parents[0] == OP_module) {
    size_t size = strlen(row->example) + 64;
    char *text = malloc(size);
    snprintf(text, size, "cuda_tile.module @m {\n  %s\n}\n", row->example);
    return text;
  }
  const char *arguments = s ? s->arguments : "";
  if (!s && row->group == GROUP_FLOAT)
    arguments = "%x: tile<8xf32>, %y: tile<8xf32>, %z: tile<8xf32>";
  if (!s && (row->group == GROUP_INTEGER || row->group == GROUP_BITWISE))
    arguments = "%x: tile<8xi32>, %y: tile<8xi32>";
  char body[1024];
  snprintf(body, sizeof body, "%s %s %s", s && s->before ? s->before : "", row->example,
           s && s->after ? s->after : "");
  return in_kernel(arguments, body);
}

#endif
