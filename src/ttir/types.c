/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Types: f32, tensor<64x32xf16>, !tt.ptr<f32>, tensor<64x!tt.ptr<f32>>, !tt.tensordesc<8x16xf32>.
 */
#include "ttir/reader.h"

bool tt_check_type(reader *r, const ir_type *t, uint32_t offset) {
  const char *problem = ir_type_problem(r->temp, t);
  return !problem || tt_fail(r, offset, 1, "%s", problem);
}

/* What an element is: a number, or a pointer to numbers. */
typedef struct element {
  tsr_elem elem, pointee;
} element;

static bool number(reader *r, tsr_elem *out) {
  str name = r->tok.name;
  *out = RTOK(r) == TT_BARE ? tsr_elem_from_name(name.data, name.len) : TSR_ELEM_COUNT;
  bool known = *out < TSR_ELEM_COUNT && str_is(name, tsr_elem_name(*out)) && *out != TSR_PTR;
  if (!known && RTOK(r) == TT_BARE)
    return tt_fail(r, r->tok.offset, r->tok.length, "Tile IR has no element type '" STR_FMT "'",
                   STR_ARG(name));
  if (!known) return tt_expected(r, "an element type");
  tt_next(r);
  return true;
}

/* Behind !tt.ptr: <f32>, <f32, 1>, <f32, "constant">. */
static bool pointer(reader *r, element *out) {
  uint32_t offset = r->tok.offset;
  if (!tt_expect(r, '<', "'<' and what the pointer points to")) return false;
  if (RTOK(r) == TT_BANG || tt_at_word(r, "tensor"))
    return tt_fail(r, offset, 1,
                   "a pointer to %s; Tile IR has pointers to numbers only, so use "
                   "make_tensor_descriptor or pointers to elements",
                   RTOK(r) == TT_BANG ? "pointers" : "a block");
  out->elem = TSR_PTR;
  if (!number(r, &out->pointee)) return false;
  if (RTOK(r) == ',' && !tt_skip(r, ">"))
    return false; /* an address space, or that it is constant */
  return tt_expect(r, '>', "'>' behind the pointer's type");
}

static bool element_type(reader *r, element *out) {
  if (RTOK(r) != TT_BANG) return number(r, &out->elem);
  if (!str_is(r->tok.name, "tt.ptr")) return tt_expected(r, "a number or !tt.ptr");
  tt_next(r);
  return pointer(r, out);
}

/* One extent and the 'x' behind it, which no token boundary separates from what follows. */
static bool extent(reader *r, int64_t *out) {
  const char *p = r->m->source->text.data + r->tok.offset;
  int64_t n = 0;
  for (; *p >= '0' && *p <= '9'; p++) {
    n = n * 10 + (*p - '0');
    if (n > IR_MAX_TILE)
      return tt_fail(r, r->tok.offset, r->tok.length, "at most %d elements are accepted",
                     (int)IR_MAX_TILE);
  }
  if (*p != 'x')
    return tt_fail(r, r->tok.offset, r->tok.length, "expected an extent, as 64 in 64xf32");
  *out = n;
  tt_resume(r, p + 1);
  return true;
}

/* Behind 'tensor' or a descriptor's name: <64x32xf32>. */
static bool shaped(reader *r, const ir_type **out) {
  int64_t shape[IR_MAX_RANK];
  uint32_t rank = 0, offset = r->tok.offset;
  element e = {.pointee = TSR_ELEM_COUNT};
  if (!tt_expect(r, '<', "'<' and a shape")) return false;
  while (RTOK(r) == TT_NUMBER) {
    if (rank == IR_MAX_RANK) return tt_fail(r, offset, 1, "more than %d dimensions", IR_MAX_RANK);
    if (!extent(r, &shape[rank++])) return false;
  }
  if (!element_type(r, &e)) return false;
  if (RTOK(r) == ',' && !tt_skip(r, ">")) return false; /* an encoding: a layout on a GPU */
  if (!tt_expect(r, '>', "'>' behind the type")) return false;
  *out = ir_tile(r->m, e.elem, e.pointee, rank, shape);
  return tt_check_type(r, *out, offset);
}

static bool descriptor(reader *r, tt_type *out) {
  out->is_descriptor = true;
  if (RTOK(r) != '<') return tt_expected(r, "'<' and the shape of a block");
  const char *p = r->pos;
  while (*p == ' ') p++;
  bool nested = str_starts((str){p, (size_t)(r->end - p)}, "tensor");
  if (!nested) return shaped(r, &out->tile);
  tt_next(r);
  tt_next(r);
  return shaped(r, &out->tile) && tt_expect(r, '>', "'>' behind the descriptor's type");
}

/* <f32> is a pointer and <8x16xf32> a descriptor: MLIR leaves their names out. */
static bool unnamed(reader *r, tt_type *out) {
  const char *p = r->pos;
  while (*p == ' ') p++;
  if ((*p >= '0' && *p <= '9') || *p == 't') return descriptor(r, out);
  element e;
  if (!pointer(r, &e)) return false;
  out->tile = ir_tile(r->m, e.elem, e.pointee, 0, NULL);
  return true;
}

bool tt_parse_type(reader *r, tt_type *out) {
  *out = (tt_type){0};
  if (RTOK(r) == '<') return unnamed(r, out);
  if (tt_take_word(r, "tensor")) return shaped(r, &out->tile);
  if (RTOK(r) == TT_BANG && str_is(r->tok.name, "tt.tensordesc")) {
    tt_next(r);
    return descriptor(r, out);
  }
  if (RTOK(r) == TT_BANG && !str_is(r->tok.name, "tt.ptr"))
    return tt_fail(r, r->tok.offset, r->tok.length,
                   "Tile IR has nothing for the type '!" STR_FMT "'", STR_ARG(r->tok.name));
  uint32_t offset = r->tok.offset;
  element e = {.pointee = TSR_ELEM_COUNT};
  if (!element_type(r, &e)) return false;
  out->tile = ir_tile(r->m, e.elem, e.pointee, 0, NULL);
  return tt_check_type(r, out->tile, offset);
}
