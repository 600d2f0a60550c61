/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Types, interned per module: a hash of the fields leads to a chain of types.
 */
#include "ir/block/layouts.h"

typedef struct type_node {
  ir_type type; /* first, so that a type is its node */
  struct type_node *next;
} type_node;

static bool same_i64(const int64_t *a, const int64_t *b, unsigned n) {
  return a == b || (a && b && memcmp(a, b, n * sizeof *a) == 0);
}

static bool same_i32(const int32_t *a, const int32_t *b, unsigned n) {
  return a == b || (a && b && memcmp(a, b, n * sizeof *a) == 0);
}

static bool same_type(const ir_type *a, const ir_type *b) {
  if (a->kind != b->kind || a->elem != b->elem || a->pointee != b->pointee || a->rank != b->rank ||
      a->padding != b->padding || a->sparse_dim != b->sparse_dim || a->remote != b->remote ||
      a->ptr_attr != b->ptr_attr || a->layout != b->layout || a->memory != b->memory ||
      a->view != b->view || a->n_inputs != b->n_inputs || a->n_results != b->n_results)
    return false;
  uint32_t n_params = a->n_inputs + a->n_results;
  return same_i64(a->shape, b->shape, a->rank) && same_i64(a->strides, b->strides, a->rank) &&
         same_i32(a->dim_map, b->dim_map, a->rank) &&
         (n_params == 0 || memcmp(a->params, b->params, n_params * sizeof *a->params) == 0);
}

static uint64_t hash_type(hash_secret s, const ir_type *t) {
  const uint64_t fields[] = {t->kind,
                             (uint64_t)t->elem << 16 | (uint64_t)t->pointee << 8 | t->rank,
                             (uint64_t)t->remote << 8 | t->ptr_attr,
                             (uint64_t)(uint8_t)t->padding << 8 | t->sparse_dim,
                             t->n_inputs,
                             (uintptr_t)t->view,
                             (uintptr_t)t->layout,
                             (uintptr_t)t->memory};
  uint64_t h = hash_key(s, 0, fields, sizeof fields);
  if (t->shape) h = hash_key(s, h, t->shape, t->rank * sizeof *t->shape);
  if (t->strides) h = hash_key(s, h, t->strides, t->rank * sizeof *t->strides);
  if (t->dim_map) h = hash_key(s, h, t->dim_map, t->rank * sizeof *t->dim_map);
  uint32_t n_params = t->n_inputs + t->n_results;
  return n_params ? hash_key(s, h, t->params, n_params * sizeof *t->params) : h;
}

static const void *copy(arena *a, const void *data, size_t size) {
  if (!data || !size) return NULL;
  return memcpy(arena_alloc(a, size, 8), data, size);
}

/* The module's type equal to `t`, whose arrays may be the caller's. */
static const ir_type *intern(ir_module *m, const ir_type *t) {
  uint64_t h = hash_type(m->ctx->secret, t);
  uintptr_t *head = map_put(&m->arena, &m->types, h);
  for (type_node *n = (type_node *)*head; n; n = n->next)
    if (same_type(&n->type, t)) return &n->type;
  type_node *n = arena_new(&m->arena, type_node);
  n->type = *t;
  n->type.id = m->n_types++;
  n->type.shape = copy(&m->arena, t->shape, t->rank * sizeof(int64_t));
  n->type.strides = copy(&m->arena, t->strides, t->rank * sizeof(int64_t));
  n->type.dim_map = copy(&m->arena, t->dim_map, t->rank * sizeof(int32_t));
  n->type.params = copy(&m->arena, t->params, (t->n_inputs + t->n_results) * sizeof *t->params);
  n->next = (type_node *)*head;
  *head = (uintptr_t)n;
  return &n->type;
}

/* Saturates: what does not fit is far beyond every limit. */
static int64_t count_of(const int64_t *shape, unsigned rank) {
  int64_t n = 1;
  for (unsigned i = 0; i < rank; i++)
    if (__builtin_mul_overflow(n, shape[i], &n)) return INT64_MAX;
  return n;
}

const ir_type *ir_number(ir_module *m, tsr_elem elem) {
  return intern(m, &(ir_type){.kind = IR_NUMBER, .elem = (uint8_t)elem, .padding = -1});
}

const ir_type *ir_pointer(ir_module *m, tsr_elem pointee) {
  return intern(
      m,
      &(ir_type){.kind = IR_POINTER, .elem = TSR_PTR, .pointee = (uint8_t)pointee, .padding = -1});
}

const ir_type *ir_token(ir_module *m) {
  return intern(m, &(ir_type){.kind = IR_TOKEN, .padding = -1});
}

const ir_type *ir_tile(ir_module *m, tsr_elem elem, tsr_elem pointee, unsigned rank,
                       const int64_t *shape) {
  return intern(m, &(ir_type){.kind = IR_TILE,
                              .elem = (uint8_t)elem,
                              .pointee = elem == TSR_PTR ? (uint8_t)pointee : 0,
                              .rank = (uint8_t)rank,
                              .padding = -1,
                              .count = count_of(shape, rank),
                              .shape = rank ? shape : NULL});
}

const ir_type *ir_scalar(ir_module *m, tsr_elem elem) {
  return ir_tile(m, elem, 0, 0, NULL);
}

const ir_type *ir_tile_like(ir_module *m, const ir_type *t, tsr_elem elem) {
  const ir_type *like = ir_tile(m, elem, t->pointee, t->rank, t->shape);
  if (t->layout) like = ir_with_layout(m, like, t->layout);
  return elem == TSR_PTR ? ir_with_ptr_attr(m, like, t->ptr_attr) : like;
}

const ir_type *ir_tile_reshaped(ir_module *m, const ir_type *t, unsigned rank,
                                const int64_t *shape) {
  const ir_type *tile = ir_tile(m, (tsr_elem)t->elem, (tsr_elem)t->pointee, rank, shape);
  return ir_with_ptr_attr(m, tile, t->ptr_attr);
}

const ir_type *ir_with_ptr_attr(ir_module *m, const ir_type *t, uint8_t ptr_attr) {
  bool may = t->kind == IR_POINTER || t->kind == IR_TENSOR_VIEW ||
             (t->kind == IR_TILE && t->elem == TSR_PTR);
  if (!may || t->ptr_attr == ptr_attr) return t;
  ir_type with = *t;
  with.ptr_attr = ptr_attr;
  return intern(m, &with);
}

const ir_type *ir_tensor_view(ir_module *m, tsr_elem elem, unsigned rank, const int64_t *shape,
                              const int64_t *strides) {
  return intern(m, &(ir_type){.kind = IR_TENSOR_VIEW,
                              .elem = (uint8_t)elem,
                              .rank = (uint8_t)rank,
                              .padding = -1,
                              .shape = rank ? shape : NULL,
                              .strides = rank ? strides : NULL});
}

static const ir_type *subview(ir_module *m, ir_type t, const int64_t *tile,
                              const int32_t *dim_map) {
  int32_t identity[IR_MAX_RANK];
  for (int i = 0; i < t.rank; i++) identity[i] = i;
  t.elem = t.view->elem;
  t.shape = tile;
  t.count = count_of(tile, t.rank);
  if (t.kind != IR_GATHER_SCATTER_VIEW) t.dim_map = dim_map ? dim_map : identity;
  t.tile = ir_tile(m, t.elem, 0, t.rank, tile);
  return intern(m, &t);
}

const ir_type *ir_partition_view(ir_module *m, unsigned rank, const int64_t *tile,
                                 const ir_type *view, const int32_t *dim_map, int padding) {
  return subview(m,
                 (ir_type){.kind = IR_PARTITION_VIEW,
                           .rank = (uint8_t)rank,
                           .view = view,
                           .padding = (int8_t)padding},
                 tile, dim_map);
}

const ir_type *ir_strided_view(ir_module *m, unsigned rank, const int64_t *tile,
                               const int64_t *traversal, const ir_type *view,
                               const int32_t *dim_map, int padding) {
  return subview(m,
                 (ir_type){.kind = IR_STRIDED_VIEW,
                           .rank = (uint8_t)rank,
                           .view = view,
                           .strides = traversal,
                           .padding = (int8_t)padding},
                 tile, dim_map);
}

const ir_type *ir_gather_scatter_view(ir_module *m, unsigned rank, const int64_t *tile,
                                      const ir_type *view, unsigned sparse_dim, int padding) {
  return subview(m,
                 (ir_type){.kind = IR_GATHER_SCATTER_VIEW,
                           .rank = (uint8_t)rank,
                           .view = view,
                           .sparse_dim = (uint8_t)MIN(sparse_dim, UINT8_MAX),
                           .padding = (int8_t)padding},
                 tile, NULL);
}

const ir_type *ir_function(ir_module *m, uint32_t n_inputs, uint32_t n_results,
                           const ir_type *const *params) {
  return intern(m, &(ir_type){.kind = IR_FUNCTION,
                              .padding = -1,
                              .n_inputs = n_inputs,
                              .n_results = n_results,
                              .params = params});
}

const ir_type *ir_with_layout(ir_module *m, const ir_type *tile, const tsr_layout *layout) {
  ir_type with = *tile;
  with.layout = layout ? ir_layout(m, layout) : NULL;
  m->block_level |= layout != NULL;
  return intern(m, &with);
}

static const ir_type *in_memory(ir_module *m, ir_type_kind kind, tsr_elem elem,
                                const tsr_memory_layout *memory) {
  int64_t shape[TSR_LAYOUT_MAX_RANK];
  for (unsigned d = 0; d < memory->rank; d++) shape[d] = tsr_memory_dim(memory, d);
  m->block_level = true;
  return intern(m, &(ir_type){.kind = (uint8_t)kind,
                              .elem = (uint8_t)elem,
                              .rank = memory->rank,
                              .padding = -1,
                              .count = count_of(shape, memory->rank),
                              .shape = memory->rank ? shape : NULL,
                              .memory = ir_memory_layout(m, memory)});
}

const ir_type *ir_shared(ir_module *m, tsr_elem elem, const tsr_memory_layout *memory) {
  return in_memory(m, IR_SHARED, elem, memory);
}

const ir_type *ir_tensor_map(ir_module *m, tsr_elem elem, const tsr_memory_layout *memory) {
  return in_memory(m, IR_TENSOR_MAP, elem, memory);
}

const ir_type *ir_async(ir_module *m, const ir_type *tile) {
  m->block_level = true;
  return intern(m, &(ir_type){.kind = IR_ASYNC,
                              .elem = tile->elem,
                              .pointee = tile->pointee,
                              .rank = tile->rank,
                              .padding = -1,
                              .count = tile->count,
                              .shape = tile->shape,
                              .view = tile});
}

const ir_type *ir_mbarrier(ir_module *m, int64_t count) {
  m->block_level = true;
  return intern(m, &(ir_type){.kind = IR_MBARRIER,
                              .elem = TSR_I64,
                              .rank = 1,
                              .padding = -1,
                              .count = count,
                              .shape = &count});
}

const ir_type *ir_remote(ir_module *m, const ir_type *t, bool remote) {
  ir_type with = *t;
  with.remote = remote;
  return intern(m, &with);
}

bool ir_same_shape(const ir_type *a, const ir_type *b) {
  return a->rank == b->rank && same_i64(a->shape, b->shape, a->rank);
}

/* ---- printing ------------------------------------------------------------------------------- */

static void print_dims(sbuf *b, const int64_t *shape, unsigned rank, char separator,
                       bool trailing) {
  for (unsigned i = 0; i < rank; i++) {
    if (shape[i] == IR_DYNAMIC)
      sbuf_putc(b, '?');
    else
      sbuf_i64(b, shape[i]);
    if (trailing || i + 1 < rank) sbuf_putc(b, separator);
  }
}

static void print_ptr_attr(sbuf *b, const ir_type *t) {
  if (t->ptr_attr)
    sbuf_printf(b, ", #cuda_tile.ptr_attr<%s>", enum_spelling(AK_PTR_ATTR, t->ptr_attr - 1));
}

void ir_elem_print(sbuf *b, const ir_type *t) {
  if (t->elem != TSR_PTR) {
    sbuf_puts(b, tsr_elem_name(t->elem));
    return;
  }
  sbuf_printf(b, "ptr<%s", tsr_elem_name(t->pointee)); /* nested types print bare */
  print_ptr_attr(b, t);
  sbuf_putc(b, '>');
}

static bool is_identity(const int32_t *dims, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    if (dims[i] != (int32_t)i) return false;
  return true;
}

static void print_subview(sbuf *b, const ir_type *t) {
  static const char *const names[] = {
      [IR_PARTITION_VIEW] = "partition_view",
      [IR_STRIDED_VIEW] = "strided_view",
      [IR_GATHER_SCATTER_VIEW] = "gather_scatter_view",
  };
  sbuf_printf(b, "%s<tile=(", names[t->kind]);
  print_dims(b, t->shape, t->rank, 'x', false);
  sbuf_puts(b, "), ");
  if (t->kind == IR_STRIDED_VIEW) {
    sbuf_puts(b, "traversal_strides=[");
    print_dims(b, t->strides, t->rank, ',', false);
    sbuf_puts(b, "], ");
  }
  if (t->padding >= 0)
    sbuf_printf(b, "padding_value = %s, ", enum_spelling(AK_PADDING, t->padding));
  ir_type_print(b, t->view, false);
  if (t->kind == IR_GATHER_SCATTER_VIEW) {
    sbuf_printf(b, ", sparse_dim=%d", t->sparse_dim);
  } else if (!is_identity(t->dim_map, t->rank)) {
    sbuf_puts(b, ", dim_map=[");
    for (unsigned i = 0; i < t->rank; i++) sbuf_printf(b, i ? ", %d" : "%d", t->dim_map[i]);
    sbuf_putc(b, ']');
  }
  sbuf_putc(b, '>');
}

static void print_function(sbuf *b, const ir_type *t) {
  sbuf_putc(b, '(');
  for (uint32_t i = 0; i < t->n_inputs; i++) {
    if (i) sbuf_puts(b, ", ");
    ir_type_print(b, t->params[i], true);
  }
  sbuf_puts(b, ") -> ");
  if (t->n_results != 1) sbuf_putc(b, '(');
  for (uint32_t i = 0; i < t->n_results; i++) {
    if (i) sbuf_puts(b, ", ");
    ir_type_print(b, t->params[t->n_inputs + i], true);
  }
  if (t->n_results != 1) sbuf_putc(b, ')');
}

void ir_type_print(sbuf *b, const ir_type *t, bool prefix) {
  if (prefix && t->kind != IR_NUMBER && t->kind != IR_FUNCTION) sbuf_puts(b, "!cuda_tile.");
  if (t->remote) sbuf_puts(b, "remote<");
  switch ((ir_type_kind)t->kind) {
  case IR_NUMBER:
  case IR_POINTER: ir_elem_print(b, t); break;
  case IR_TOKEN: sbuf_puts(b, "token"); break;
  case IR_TILE:
    sbuf_puts(b, "tile<");
    print_dims(b, t->shape, t->rank, 'x', true);
    ir_elem_print(b, t);
    if (t->layout) {
      sbuf_puts(b, ", ");
      ir_layout_print(b, t->layout);
    }
    sbuf_putc(b, '>');
    break;
  case IR_ASYNC:
    sbuf_puts(b, "async<");
    ir_type_print(b, t->view, false);
    sbuf_putc(b, '>');
    break;
  case IR_TENSOR_MAP:
  case IR_SHARED:
    sbuf_puts(b, t->kind == IR_SHARED ? "shared<" : "tensor_map<");
    print_dims(b, t->shape, t->rank, 'x', true);
    ir_elem_print(b, t);
    if (!ir_is_row_major(t->memory)) {
      sbuf_puts(b, ", ");
      ir_memory_layout_print(b, t->memory);
    }
    sbuf_putc(b, '>');
    break;
  case IR_MBARRIER: sbuf_printf(b, "mbarrier<%lld>", (long long)t->count); break;
  case IR_TENSOR_VIEW:
    sbuf_puts(b, "tensor_view<");
    print_dims(b, t->shape, t->rank, 'x', true);
    ir_elem_print(b, t);
    if (t->rank) {
      sbuf_puts(b, ", strides=[");
      print_dims(b, t->strides, t->rank, ',', false);
      sbuf_putc(b, ']');
    }
    print_ptr_attr(b, t);
    sbuf_putc(b, '>');
    break;
  case IR_PARTITION_VIEW:
  case IR_STRIDED_VIEW:
  case IR_GATHER_SCATTER_VIEW: print_subview(b, t); break;
  case IR_FUNCTION: print_function(b, t); break;
  }
  if (t->remote) sbuf_putc(b, '>');
}

const char *ir_type_text(arena *a, const ir_type *t) {
  sbuf b = SBUF(a);
  ir_type_print(&b, t, false);
  return b.data;
}
