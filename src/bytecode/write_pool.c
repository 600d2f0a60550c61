/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The writer's tables: strings, types, constants.
 */
#include "bytecode/write.h"

/* ---- strings --------------------------------------------------------------------------------- */

uint32_t string_number(writer *w, str s) {
  bool added;
  uintptr_t *slot = strmap_put(&w->temp, &w->strings, s, &added);
  if (added) {
    *slot = w->string_list.len;
    vec_push(&w->temp, w->string_list, s);
  }
  return (uint32_t)*slot;
}

void put_string_section(writer *w, sbuf *b) {
  uint64_t offset = 0;
  put_varint(b, w->string_list.len);
  put_padding(b, 4);
  for (uint32_t i = 0; i < w->string_list.len; i++) {
    put_int(b, offset, 4);
    offset += w->string_list.data[i].len;
  }
  for (uint32_t i = 0; i < w->string_list.len; i++)
    if (w->string_list.data[i].len) sbuf_str(b, w->string_list.data[i]);
}

/* ---- types: numbers -------------------------------------------------------------------------- */

static uint32_t add_type(writer *w, type_entry e, uint32_t *number) {
  vec_push(&w->temp, w->types, e);
  *number = w->types.len;
  return w->types.len - 1;
}

uint32_t elem_number(writer *w, tsr_elem elem) {
  uint32_t *number = &w->elem_numbers[elem];
  if (*number) return *number - 1;
  if (tsr_elem_is_extension(elem))
    write_fail(w, "type %s is Tessera's extension of the language; bytecode cannot hold it",
               tsr_elem_name(elem));
  else if (ir_elem_since(elem) > w->version)
    write_refuse(w, arena_printf(&w->temp, "type %s", tsr_elem_name(elem)), ir_elem_since(elem));
  return add_type(w, (type_entry){.elem = (uint8_t)elem}, number);
}

static void check_ptr_attr(writer *w, const ir_type *t) {
  if (t->ptr_attr && w->version < V13_4)
    write_refuse(w, arena_printf(&w->temp, "type %s", ir_type_text(&w->temp, t)), V13_4);
}

/* `t` is the pointer type or a tile of such. */
static uint32_t pointer_number(writer *w, const ir_type *t) {
  uint32_t *number = &w->pointer_numbers[t->ptr_attr][t->pointee];
  if (*number) return *number - 1;
  check_ptr_attr(w, t);
  elem_number(w, (tsr_elem)t->pointee);
  type_entry e = {.elem = t->pointee, .pointer = true, .ptr_attr = t->ptr_attr};
  return add_type(w, e, number);
}

/* Of what a tile or a tensor_view consists. */
static uint32_t content_number(writer *w, const ir_type *t) {
  return t->elem == TSR_PTR ? pointer_number(w, t) : elem_number(w, (tsr_elem)t->elem);
}

/* What a type refers to comes before it. */
static void number_parts(writer *w, const ir_type *t) {
  switch ((ir_type_kind)t->kind) {
  case IR_TENSOR_VIEW:
    check_ptr_attr(w, t);
    content_number(w, t);
    break;
  case IR_TILE: content_number(w, t); break;
  case IR_STRIDED_VIEW:
  case IR_GATHER_SCATTER_VIEW:
    if (w->version < V13_3)
      write_refuse(w, arena_printf(&w->temp, "type %s", ir_type_text(&w->temp, t)), V13_3);
    type_number(w, t->view);
    break;
  case IR_PARTITION_VIEW: type_number(w, t->view); break;
  case IR_FUNCTION:
    for (uint32_t i = 0; i < t->n_inputs + t->n_results; i++) type_number(w, t->params[i]);
    break;
  case IR_SHARED:
  case IR_TENSOR_MAP:
  case IR_ASYNC:
  case IR_MBARRIER: /* in no module that is written */
  case IR_TOKEN:
  case IR_NUMBER:
  case IR_POINTER: break;
  }
}

uint32_t type_number(writer *w, const ir_type *t) {
  if (t->kind == IR_NUMBER || t->kind == IR_POINTER) return content_number(w, t);
  uint32_t *number = &w->type_numbers[t->id];
  if (*number) return *number - 1;
  number_parts(w, t);
  return add_type(w, (type_entry){.type = t}, number);
}

/* ---- types: bytes ---------------------------------------------------------------------------- */

static void put_list(sbuf *b, const int64_t *list, unsigned n, unsigned width) {
  put_varint(b, n);
  for (unsigned i = 0; i < n; i++) put_int(b, (uint64_t)list[i], width);
}

static void put_dim_map(sbuf *b, const ir_type *t) {
  put_varint(b, t->rank);
  for (unsigned i = 0; i < t->rank; i++) put_int(b, (uint64_t)t->dim_map[i], 4);
}

/* Since 13.3 a word of flags stands in front, before that a byte before the padding value. */
static void put_view(writer *w, sbuf *b, const ir_type *t, type_tag tag) {
  bool padded = t->padding >= 0;
  put_varint(b, tag);
  if (w->version >= V13_3) put_varint(b, padded);
  put_list(b, t->shape, t->rank, 4);
  if (tag == TAG_STRIDED_VIEW) put_list(b, t->strides, t->rank, 4);
  put_varint(b, type_number(w, t->view));
  if (tag == TAG_GATHER_SCATTER_VIEW)
    put_varint(b, t->sparse_dim);
  else
    put_dim_map(b, t);
  if (w->version < V13_3) put_byte(b, padded);
  if (padded) put_varint(b, (uint64_t)t->padding);
}

static void put_function_type(writer *w, sbuf *b, const ir_type *t) {
  put_varint(b, TAG_FUNCTION);
  put_varint(b, t->n_inputs);
  for (uint32_t i = 0; i < t->n_inputs; i++) put_varint(b, type_number(w, t->params[i]));
  put_varint(b, t->n_results);
  for (uint32_t i = 0; i < t->n_results; i++)
    put_varint(b, type_number(w, t->params[t->n_inputs + i]));
}

/* Since 13.4 a word of flags stands in front: whether a ptr_attr stands at the end. */
static void put_ptr_flags(const writer *w, sbuf *b, unsigned ptr_attr) {
  if (w->version >= V13_4) put_varint(b, ptr_attr != 0);
}

static void put_ptr_attr(sbuf *b, unsigned ptr_attr) {
  if (ptr_attr) put_varint(b, ptr_attr - 1);
}

static void put_type(writer *w, sbuf *b, const type_entry *e) {
  const ir_type *t = e->type;
  if (e->pointer) {
    put_varint(b, TAG_POINTER);
    put_ptr_flags(w, b, e->ptr_attr);
    put_varint(b, elem_number(w, (tsr_elem)e->elem));
    put_ptr_attr(b, e->ptr_attr);
    return;
  }
  if (!t) {
    put_varint(b, elem_codes[e->elem].tag);
    return;
  }
  switch ((ir_type_kind)t->kind) {
  case IR_TILE:
    put_varint(b, TAG_TILE);
    put_varint(b, content_number(w, t));
    put_list(b, t->shape, t->rank, 8);
    break;
  case IR_TENSOR_VIEW:
    put_varint(b, TAG_TENSOR_VIEW);
    put_ptr_flags(w, b, t->ptr_attr);
    put_varint(b, content_number(w, t));
    put_list(b, t->shape, t->rank, 8);
    put_list(b, t->strides, t->rank, 8);
    put_ptr_attr(b, t->ptr_attr);
    break;
  case IR_PARTITION_VIEW: put_view(w, b, t, TAG_PARTITION_VIEW); break;
  case IR_STRIDED_VIEW: put_view(w, b, t, TAG_STRIDED_VIEW); break;
  case IR_GATHER_SCATTER_VIEW: put_view(w, b, t, TAG_GATHER_SCATTER_VIEW); break;
  case IR_FUNCTION: put_function_type(w, b, t); break;
  case IR_TOKEN: put_varint(b, TAG_TOKEN); break;
  case IR_SHARED:
  case IR_TENSOR_MAP:
  case IR_ASYNC:
  case IR_MBARRIER: /* in no module that is written */
  case IR_NUMBER:
  case IR_POINTER: break; /* entries without a type */
  }
}

void put_type_section(writer *w, sbuf *b) {
  sbuf data = SBUF(&w->temp);
  put_varint(b, w->types.len);
  put_padding(b, 4);
  for (uint32_t i = 0; i < w->types.len; i++) {
    put_int(b, data.len, 4);
    put_type(w, &data, &w->types.data[i]);
  }
  if (data.len) sbuf_add(b, data.data, data.len);
}

/* ---- constants ------------------------------------------------------------------------------- */

/* The elements in the file's spelling: see read_constant.c. */
static void put_elements(sbuf *b, const ir_dense *d) {
  const elem_code *e = &elem_codes[d->type->elem];
  unsigned ours = (unsigned)tsr_elem_storage((tsr_elem)d->type->elem, 1);
  bool packed = e->bits == 4;
  if (!packed && e->bytes == ours && d->type->elem != TSR_I1) {
    sbuf_add(b, d->data, d->size);
    return;
  }
  uint64_t n = d->splat ? 1 : (uint64_t)d->type->count;
  for (uint64_t i = 0; i < n; i++) put_int(b, ir_dense_get(d, (int64_t)i) >> e->shift, e->bytes);
}

/* A constant is its type and its bytes: the same bytes of another type are another constant. */
uint32_t constant_number(writer *w, const ir_dense *d) {
  sbuf *s = &w->scratch;
  s->len = 0;
  sbuf_add(s, (const char *)&d->type, sizeof d->type);
  put_elements(s, d);
  const uintptr_t *known = strmap_get(&w->constants, (str){s->data, s->len});
  if (known) return (uint32_t)*known;
  str key = arena_str(&w->temp, (str){s->data, s->len});
  *strmap_put(&w->temp, &w->constants, key, NULL) = w->constant_list.len;
  vec_push(&w->temp, w->constant_list, key);
  return w->constant_list.len - 1;
}

void put_constant_section(writer *w, sbuf *b) {
  sbuf data = SBUF(&w->temp);
  put_varint(b, w->constant_list.len);
  put_padding(b, 8);
  for (uint32_t i = 0; i < w->constant_list.len; i++) {
    str key = w->constant_list.data[i];
    size_t skip = sizeof(const ir_type *);
    put_int(b, data.len, 8);
    put_varint(&data, key.len - skip);
    sbuf_add(&data, key.data + skip, key.len - skip);
  }
  sbuf_add(b, data.data, data.len);
}
