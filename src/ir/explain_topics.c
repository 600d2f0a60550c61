/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Pages about types and about attributes with named values.
 */
#include "ir/explain_parts.h"
#include "tessera/elem.h"

typedef struct type_topic {
  const char *name, *summary, *syntax;
  const char *words; /* rules and facts, one per line */
  const char *example;
} type_topic;

static const type_topic type_topics[] = {
    {"tile", "A dense array of elements: what almost every operation computes with.",
     "tile<4x8xf32>, tile<f32>, tile<16xptr<f32>>",
     "All dimensions are constants and powers of two. `tile<f32>` has rank 0: a scalar.\n"
     "A tile has at most 16777216 elements.\n"
     "Elements are numbers or pointers.\n"
     "A tile of f4E2M1FN has an even number of elements.",
     "%0 = constant <f32: 0.0> : tile<4x8xf32>"},
    {"ptr", "The address of an element in memory. It exists only as the element of a tile.",
     "ptr<f32>, ptr<f32, #cuda_tile.ptr_attr<none>>",
     "It points to a number type other than i4.\n"
     "Its size is 64 bits.\n"
     "Since 13.4 it may say what memory it points into; `ptr_attr<none>` says nothing, but is "
     "another type than without.\n"
     "`offset` moves it by elements; `int_to_ptr`, `ptr_to_int` and `ptr_to_ptr` convert it.",
     "%q = offset %p, %i : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>"},
    {"token", "An order between operations on memory, and nothing else.", "token",
     "An operation that takes a token is ordered behind the one that gave it.\n"
     "Operations on memory that no chain of tokens connects may be executed in any order.",
     "%t = make_token : token"},
    {"tensor_view", "An array in memory: an address, a shape, strides.",
     "tensor_view<64x?xf32, strides=[?,1]>",
     "Sizes and strides are positive; '?' stands for a value known when the kernel runs.\n"
     "Strides count elements. A view of rank 0 has no strides: `tensor_view<f32>`.\n"
     "4-bit elements are packed two to a byte along a dimension of stride 1, of even size.\n"
     "Since 13.4 the ptr_attr of its pointer stands at the end, where that has one: "
     "`tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<none>>`.\n"
     "It cannot be carried by a loop, nor returned from a region.",
     "%v = make_tensor_view %p, shape = [%m, 64], strides = [64, 1] : tile<i32> -> "
     "tensor_view<?x64xf32, strides=[64,1]>"},
    {"partition_view", "A tensor_view cut into tiles without gaps or overlap.",
     "partition_view<tile=(8x8), padding_value = zero, tensor_view<…>, dim_map=[1, 0]>",
     "The tile follows the rules of `tile`; it has the rank of the tensor_view, at least 1.\n"
     "`dim_map` says which dimension of the tensor_view each dimension of the tile runs along; "
     "left out, they run in order.\n"
     "`padding_value` is what a load gives outside the tensor_view; only `zero` suits integers. "
     "Left out, such elements have no particular value.",
     "%p = make_partition_view %v : partition_view<tile=(8x8), tensor_view<?x64xf32, "
     "strides=[64,1]>>"},
    {"strided_view", "Tiles of a tensor_view at given distances, overlapping or with gaps.",
     "strided_view<tile=(8), traversal_strides=[4], tensor_view<…>>",
     "`traversal_strides` are the distances between neighbouring tiles, in elements, positive.\n"
     "The rest is as in `partition_view`.\n"
     "Since 13.3.",
     "%s = make_strided_view %v : strided_view<tile=(8), traversal_strides=[4], "
     "tensor_view<64xf32, strides=[1]>>"},
    {"gather_scatter_view", "Tiles whose slices along one dimension come from anywhere.",
     "gather_scatter_view<tile=(4x8), tensor_view<…>, sparse_dim=0>",
     "Along `sparse_dim` the index is a tile of rank 1 with one position for each slice; along "
     "the other dimensions it is the tile's first element.\n"
     "Since 13.3.",
     "%g = make_gather_scatter_view %v : gather_scatter_view<tile=(4x8), "
     "tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>"},
};

/* Of the block level: pages of their own, which the manual of Tile IR does not hold. */
static const type_topic block_topics[] = {
    {"shared", "A piece of the tile block's shared memory, at the block level.",
     "shared<64x32xf16>, shared<2x64x32xf16, Sw<2,3,3> o (2,64,32):(2048,32,1)>",
     "Behind the element type it says where each index lies, as a CuTe layout in elements; left "
     "out, it is dense and row-major.\n"
     "Sizes are constants of any value.\n"
     "It is a handle: load_shared and store_shared move tiles, subview gives a part.\n"
     "A swizzle acts on the offset within the allocation.",
     "%s = alloc_shared : shared<64x32xf16, Sw<2,3,3> o (64,32):(32,1)>"},
    {"layout", "Which thread of the group holds which element of a tile, at the block level.",
     "tile<64x32xf16, spatial(16, 8).local(4, 4)>, layout<mma.m16n8k16.A>",
     "Every notation that `tessera layout` reads is read; equal maps are one type.\n"
     "It is spread over as many workers as the group has threads.\n"
     "With it the sizes of a tile need not be powers of two. A tile of rank 0 has none.\n"
     "`#name = layout<…>` above the module names one.",
     "%t = constant <f32: 0.0> : tile<16x8xf32, mma.m16n8k16.C>"},
};

enum { TYPE_TOPICS = ARRAY_LEN(type_topics) + ARRAY_LEN(block_topics) };

static const type_topic *type_topic_at(unsigned i) {
  return i < ARRAY_LEN(type_topics) ? &type_topics[i] : &block_topics[i - ARRAY_LEN(type_topics)];
}

static const char *const elem_facts[TSR_ELEM_COUNT] = {
#define TSR_ELEM_INT(id, name, bits, stored, since, aliases, about) [TSR_##id] = about,
#define TSR_ELEM_FLOAT(id, name, exponent, mantissa, padding, bias, nan, is_signed, has_zero,      \
                       saturates, nan_to_max, since, aliases, about)                               \
  [TSR_##id] = about,
#define TSR_ELEM_POINTER(id, ...) [TSR_##id] = NULL, /* has a page */
#include <tessera/elem.def>
};

/* ---- types ---------------------------------------------------------------------------------- */

static void bullets(page *p, const char *words) {
  page_begin_list(p);
  while (*words) {
    size_t n = strcspn(words, "\n");
    page_bullet(p, arena_strndup(p->out->arena, words, n));
    words += n + (words[n] == '\n');
  }
}

static void type_page(page *p, const type_topic *t) {
  page_heading(p, 3, t->name);
  page_text(p, t->summary);
  page_code(p, "text", t->syntax);
  page_heading(p, 4, "Rules");
  bullets(p, t->words);
  page_heading(p, 4, "Example");
  page_code(p, "mlir", t->example);
}

static void elem_page(page *p, tsr_elem e) {
  sbuf b = SBUF(p->out->arena);
  page_heading(p, 3, tsr_elem_name(e));
  page_text(p, arena_printf(p->out->arena, "Element type: %s.", elem_facts[e]));
  for (unsigned op = 1; op < OP_COUNT; op++) {
    const op_row *row = &op_table[op];
    bool takes = false;
    for (unsigned i = 0; i < op_n_operands(row); i++)
      takes |= constraint_table[row->operands[i].constraint].elems >> e & 1;
    for (unsigned i = 0; i < op_n_results(row); i++)
      takes |= constraint_table[row->results[i].constraint].elems >> e & 1;
    if (takes) sbuf_printf(&b, "%s%s", b.len ? ", " : "", row->name);
  }
  page_heading(p, 4, "Operations that may take or give it, if their rules do not exclude it");
  page_text(p, b.data);
}

bool explain_type_topic(page *p, const char *name) {
  for (unsigned i = 0; i < TYPE_TOPICS; i++)
    if (strcmp(type_topic_at(i)->name, name) == 0) {
      type_page(p, type_topic_at(i));
      return true;
    }
  tsr_elem e = tsr_elem_from_name(name, strlen(name));
  if (e >= TSR_ELEM_COUNT || !elem_facts[e]) return false;
  elem_page(p, e);
  return true;
}

void explain_types(page *p) {
  page_heading(p, 2, "Types");
  for (unsigned i = 0; i < ARRAY_LEN(type_topics); i++) type_page(p, &type_topics[i]);
  page_heading(p, 2, "Element types");
  page_begin_terms(p, "Name", "What it is");
  for (unsigned e = 0; e < TSR_ELEM_COUNT; e++)
    if (elem_facts[e]) page_term(p, 0, tsr_elem_name((tsr_elem)e), elem_facts[e]);
}

/* ---- attributes with named values ----------------------------------------------------------- */

/* The attribute's name for each kind; the kind that only types have is called as they call it. */
static const struct {
  attr_kind kind;
  const char *name;
} enum_topics[] = {
    {AK_ROUNDING, "rounding_mode"},
    {AK_OVERFLOW, "overflow"},
    {AK_SIGNEDNESS, "signedness"},
    {AK_PREDICATE_CMP, "comparison_predicate"},
    {AK_ORDERING_CMP, "comparison_ordering"},
    {AK_RMW, "mode"},
    {AK_MULTIMEM, "reduction"},
    {AK_ORDERING, "memory_ordering_semantics"},
    {AK_SCOPE, "memory_scope"},
    {AK_VISIBILITY, "symbol_visibility"},
    {AK_PADDING, "padding_value"},
    {AK_PTR_ATTR, "ptr_attr"},
};

static const char *users(arena *a, attr_kind kind) {
  sbuf b = SBUF(a);
  for (unsigned op = 1; op < OP_COUNT; op++) {
    const op_row *row = &op_table[op];
    bool uses = false;
    for (unsigned i = 0; i < op_n_attrs(row); i++) uses |= row->attrs[i].kind == kind;
    if (uses) sbuf_printf(&b, "%s`%s`", b.len ? ", " : "", row->name);
  }
  if (kind == AK_PTR_ATTR) return "Used by the types `ptr` and `tensor_view`. Since 13.4.";
  return b.data ? arena_printf(a, "Used by %s.", b.data)
                : "Used by the types `partition_view`, `strided_view` and `gather_scatter_view`.";
}

static void enum_page(page *p, attr_kind kind, const char *name) {
  unsigned count, width = 0;
  const enum_row *rows = enum_rows(kind, &count);
  page_heading(p, 3, name);
  page_text(p, users(p->out->arena, kind));
  page_begin_terms(p, "Value", "What it means");
  for (unsigned i = 0; i < count; i++) width = MAX(width, (unsigned)strlen(rows[i].spelling));
  for (unsigned i = 0; i < count; i++) page_term(p, width, rows[i].spelling, rows[i].meaning);
}

bool explain_enum_topic(page *p, const char *name) {
  for (unsigned i = 0; i < ARRAY_LEN(enum_topics); i++)
    if (strcmp(enum_topics[i].name, name) == 0) {
      enum_page(p, enum_topics[i].kind, name);
      return true;
    }
  return false;
}

void explain_enums(page *p) {
  page_heading(p, 2, "Named values");
  for (unsigned i = 0; i < ARRAY_LEN(enum_topics); i++)
    enum_page(p, enum_topics[i].kind, enum_topics[i].name);
}

const char *explain_topic_name(unsigned index) {
  if (index < TYPE_TOPICS) return type_topic_at(index)->name;
  index -= TYPE_TOPICS;
  for (unsigned e = 0; e < TSR_ELEM_COUNT; e++)
    if (elem_facts[e] && index-- == 0) return tsr_elem_name((tsr_elem)e);
  return index < ARRAY_LEN(enum_topics) ? enum_topics[index].name : NULL;
}

void explain_topic_names(sbuf *out) {
  const char *name;
  sbuf_puts(out, "types: ");
  for (unsigned i = 0; (name = explain_topic_name(i)); i++) {
    bool attribute = name == enum_topics[0].name;
    sbuf_printf(out, "%s%s", attribute ? "; attributes: " : i ? ", " : "", name);
  }
}
