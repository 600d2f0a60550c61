/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ops/epilogue.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct stage_row {
  const char *name;
  uint8_t kind;
  uint8_t span;     /* when the specification does not say */
  bool type_is_f32; /* likewise; else that of the result */
} stage_row;

static const stage_row stage_rows[] = {
    {"bias", OPS_STAGE_ADD, OPS_SPAN_N, false},
    {"residual", OPS_STAGE_ADD, OPS_SPAN_MN, false},
    {"multiply", OPS_STAGE_MULTIPLY, OPS_SPAN_MN, false},
    {"scale", OPS_STAGE_MULTIPLY, OPS_SPAN_TENSOR, true},
    {"smooth", OPS_STAGE_MULTIPLY, OPS_SPAN_N, true},
    {"quantise", OPS_STAGE_QUANTISE, OPS_SPAN_TENSOR, true},
};

static const char *const span_names[] = {"mn", "m", "n", "tensor"};

/* Up to the next `mark`; `rest` gets what follows it, data NULL where nothing does. */
static str next_part(str *rest, char mark) {
  const char *end = rest->len ? memchr(rest->data, mark, rest->len) : NULL;
  str part = {rest->data, end ? (size_t)(end - rest->data) : rest->len};
  *rest = end ? (str){end + 1, rest->len - part.len - 1} : (str){0};
  return part;
}

static int span_of(str word) {
  for (unsigned i = 0; i < ARRAY_LEN(span_names); i++)
    if (str_is(word, span_names[i])) return (int)i;
  return -1;
}

static bool bad_stage(ops_why *why, str stage, const char *problem) {
  return ops_refuse(why, "epilogue stage '" STR_FMT "' %s", (int)MIN(stage.len, (size_t)64),
                    stage.data, problem);
}

/* "bias", then "bias2", ... */
static const char *operand_name(const ops_epilogue *e, arena *a, const char *name) {
  unsigned n = 1;
  size_t length = strlen(name);
  for (unsigned i = 0; i < e->count; i++)
    n += e->stages[i].operand && strncmp(e->stages[i].operand, name, length) == 0;
  return n == 1 ? name : arena_printf(a, "%s%u", name, n);
}

/* "f8" is the usual float of 8 bits. */
static ops_type read_type(str word) {
  return str_is(word, "f8") ? TSR_F8E4M3FN : ops_type_parse(word);
}

static bool read_span_and_type(ops_stage *s, str stage, str rest, ops_why *why) {
  while (rest.data) {
    str word = next_part(&rest, ':');
    int span = span_of(word);
    ops_type type = span < 0 ? read_type(word) : s->type;
    if (span < 0 && type < 0)
      return bad_stage(why, stage, "takes m, n, mn or tensor, and an element type");
    if (span >= 0) s->span = (uint8_t)span;
    s->type = type;
  }
  return true;
}

/* What remains of "row:TYPE". */
static bool read_by_row(ops_epilogue *e, str stage, str rest, ops_why *why) {
  e->result = rest.data ? read_type(rest) : -1;
  e->by_row = true;
  if (e->result < 0) return bad_stage(why, stage, "needs a type, as in quantise:row:i8");
  return ops_type_bits(e->result) == 8 ||
         bad_stage(why, stage, "takes i8, u8 and floats of 8 bits");
}

static bool read_tensor_stage(ops_epilogue *e, arena *a, const stage_row *row, str stage, str rest,
                              ops_type type, ops_why *why) {
  ops_stage s = {.kind = row->kind, .span = row->span};
  ops_type usual = row->type_is_f32 ? TSR_F32 : type;
  str behind = rest;
  if (row->kind == OPS_STAGE_QUANTISE && str_is(next_part(&behind, ':'), "row"))
    return read_by_row(e, stage, behind, why);
  s.type = row->kind == OPS_STAGE_QUANTISE ? -1 : usual;
  if (!read_span_and_type(&s, stage, rest, why)) return false;
  if (row->kind == OPS_STAGE_QUANTISE) {
    if (s.type < 0) return bad_stage(why, stage, "needs a type, as in quantise:n:i8");
    e->result = s.type;
    s.type = usual;
  }
  s.operand = operand_name(e, a, row->name);
  e->stages[e->count++] = s;
  return true;
}

static bool read_cast(ops_epilogue *e, str stage, str rest, ops_why *why) {
  e->result = rest.data ? ops_type_parse(rest) : -1;
  return e->result >= 0 || bad_stage(why, stage, "needs a type, as in cast:bf16");
}

static bool read_number(str word, double *out) {
  char copy[64], *end;
  if (!word.len || word.len >= sizeof copy) return false;
  memcpy(copy, word.data, word.len);
  copy[word.len] = 0;
  *out = strtod(copy, &end);
  return !*end;
}

static bool read_function(ops_epilogue *e, const ops_function *f, str stage, str rest,
                          ops_why *why) {
  ops_stage s = {.kind = OPS_STAGE_FUNCTION, .function = f};
  unsigned given = 1;
  memcpy(s.numbers, f->numbers, sizeof s.numbers);
  while (rest.data) {
    str word = next_part(&rest, ':');
    if (given >= f->args || !read_number(word, &s.numbers[given++])) {
      char problem[96];
      snprintf(problem, sizeof problem, "takes %u number%s: %s", f->args - 1u,
               f->args == 2 ? "" : "s", f->about);
      return bad_stage(why, stage, problem);
    }
  }
  if (given + f->optional < f->args)
    return bad_stage(why, stage, "needs more numbers, as in clamp:0:6");
  e->stages[e->count++] = s;
  return true;
}

static bool read_stage(ops_epilogue *e, arena *a, str stage, ops_type type, ops_why *why) {
  str rest = stage, name = next_part(&rest, ':');
  if (e->result >= 0) return bad_stage(why, stage, "follows one that gives the result its type");
  if (e->count == OPS_MAX_STAGES) return bad_stage(why, stage, "is one too many: 12 are possible");
  for (unsigned i = 0; i < ARRAY_LEN(stage_rows); i++)
    if (str_is(name, stage_rows[i].name))
      return read_tensor_stage(e, a, &stage_rows[i], stage, rest, type, why);
  if (str_is(name, "cast")) return read_cast(e, stage, rest, why);
  const ops_function *f = ops_function_find(name);
  if (f) return read_function(e, f, stage, rest, why);
  return bad_stage(
      why, stage,
      "is none of bias, residual, multiply, scale, smooth, quantise, cast and the functions "
      "that tessera op explain lists");
}

bool ops_epilogue_parse(ops_epilogue *e, arena *a, str text, ops_type type, ops_why *why) {
  *e = (ops_epilogue){.result = -1};
  if (!text.len || str_is(text, "none")) return true;
  for (str rest = text; rest.data;)
    if (!read_stage(e, a, next_part(&rest, '+'), type, why)) return false;
  return true;
}

/* ---- tensors --------------------------------------------------------------------------------- */

static void add_operand(const ops_stage *s, const ops_epilogue_shape *shape, ops_operands *out) {
  ops_operand *o = ops_operand_add(out, s->operand, s->type, TSR_OP_READ);
  if (s->kind == OPS_STAGE_QUANTISE) o->low = 0.01, o->high = 0.1;
  if (s->span == OPS_SPAN_MN) {
    if (shape->batch != 1) ops_operand_dim(o, shape->batch, shape->batch_stride);
    ops_operand_dim(o, shape->rows, shape->row_stride);
    ops_operand_dim(o, shape->columns, shape->column_stride);
  }
  if (s->span == OPS_SPAN_M) ops_operand_dim(o, shape->rows, 1);
  if (s->span == OPS_SPAN_N && shape->has_groups) ops_operand_dim(o, shape->groups, shape->columns);
  if (s->span == OPS_SPAN_N) ops_operand_dim(o, shape->columns, 1);
}

static void add_row_scale(const ops_epilogue_shape *shape, ops_operands *out) {
  ops_operand *o =
      ops_operand_add(out, OPS_ROW_SCALE, TSR_F32, shape->stays ? TSR_OP_UPDATED : TSR_OP_WRITTEN);
  if (shape->batch != 1) ops_operand_dim(o, shape->batch, shape->rows);
  ops_operand_dim(o, shape->rows, 1);
}

void ops_epilogue_operands(const ops_epilogue *e, const ops_epilogue_shape *shape,
                           ops_operands *out) {
  for (unsigned i = 0; i < e->count; i++)
    if (e->stages[i].operand) add_operand(&e->stages[i], shape, out);
  if (e->by_row) add_row_scale(shape, out);
}

static bool has_elements(const ops_epilogue *e) {
  for (unsigned i = 0; i < e->count; i++)
    if (e->stages[i].operand && e->stages[i].span == OPS_SPAN_MN) return true;
  return false;
}

void ops_epilogue_pass(const ops_epilogue *e, const ops_epilogue_shape *shape, ops_steps *steps,
                       ops_step *s) {
  for (unsigned i = 0; i < e->count; i++)
    if (e->stages[i].operand) ops_pass_tensor(steps, s, e->stages[i].operand);
  if (!has_elements(e)) return;
  int64_t ld = shape->column_stride == 1 ? shape->row_stride : shape->column_stride;
  ops_pass_index(steps, s, "ld_epilogue", ld);
  ops_pass_index(steps, s, "batch_stride_epilogue", shape->batch_stride);
}

/* ---- on tiles -------------------------------------------------------------------------------- */

static tsr_value load_elements(ops_build *b, const ops_stage *s, const ops_place *at,
                               tsr_value base) {
  tsr_value ld = at->ld ? at->ld : ops_arg(b, "ld_epilogue");
  if (at->batch) base = ops_advance(b, base, at->batch, ops_arg(b, "batch_stride_epilogue"));
  if (at->start) base = ops_advance(b, base, at->start, at->column_major ? ops_index(b, 1) : ld);
  ops_view_spec spec = {.base = base,
                        .elem = ops_type_elem(s->type),
                        .rank = 2,
                        .sizes = {at->rows, at->columns},
                        .strides = {at->column_major ? NULL : ld, at->column_major ? ld : NULL},
                        .tile = {at->tile_rows, at->tile_columns},
                        .padding = TSR_PADDING_ZERO,
                        .is_gathered = at->lines != NULL};
  ops_tiles tiles = ops_view(b, &spec);
  return ops_load(b, &tiles, TSR_VALUES(at->lines ? at->lines : at->i, at->j));
}

static tsr_value load_vector(ops_build *b, const ops_stage *s, const ops_place *at,
                             tsr_value base) {
  bool along_rows = s->span == OPS_SPAN_M;
  if (along_rows && at->start) base = ops_advance(b, base, at->start, ops_index(b, 1));
  if (!along_rows && at->group) base = ops_advance(b, base, at->group, at->columns);
  ops_view_spec spec = {.base = base,
                        .elem = ops_type_elem(s->type),
                        .rank = 1,
                        .sizes = {along_rows ? at->rows : at->columns},
                        .tile = {along_rows ? at->tile_rows : at->tile_columns},
                        .padding = TSR_PADDING_ZERO,
                        .is_gathered = along_rows && at->lines};
  ops_tiles tiles = ops_view(b, &spec);
  tsr_value row = at->lines ? at->lines : at->i;
  tsr_value v = ops_load(b, &tiles, TSR_VALUES(along_rows ? row : at->j));
  return ops_reshape(b, v, along_rows ? TSR_INTS(at->tile_rows, 1) : TSR_INTS(1, at->tile_columns));
}

static tsr_value load_number(ops_build *b, tsr_value base) {
  tsr_value x = tsr_build_load_ptr_tko(b->b, base, TSR_MEMORY_WEAK);
  return ops_reshape(b, x, TSR_INTS(1, 1));
}

static tsr_value load_operand(ops_build *b, const ops_stage *s, const ops_place *at, tsr_value base,
                              ops_type type) {
  if (!base) base = ops_arg(b, s->operand);
  tsr_value v = s->span == OPS_SPAN_MN       ? load_elements(b, s, at, base)
                : s->span == OPS_SPAN_TENSOR ? load_number(b, base)
                                             : load_vector(b, s, at, base);
  v = ops_convert(b, v, s->type, type);
  return ops_broadcast(b, v, TSR_INTS(at->tile_rows, at->tile_columns));
}

static tsr_value apply_function(ops_build *b, const ops_stage *s, tsr_value x) {
  tsr_value args[OPS_FUNCTION_ARGS] = {x};
  for (unsigned i = 1; i < s->function->args; i++) args[i] = ops_full_like(b, x, s->numbers[i]);
  return s->function->emit(b, args);
}

tsr_value ops_stage_emit(ops_build *b, const ops_stage *s, tsr_value x, tsr_value y) {
  switch (s->kind) {
  case OPS_STAGE_ADD: return ops_add(b, x, y);
  case OPS_STAGE_MULTIPLY: return ops_mul(b, x, y);
  case OPS_STAGE_QUANTISE: return tsr_build_divf(b->b, x, y);
  default: return apply_function(b, s, x);
  }
}

tsr_value ops_epilogue_emit(ops_build *b, const ops_epilogue *e, tsr_value x, const ops_place *at) {
  if (!x) return NULL;
  ops_type type = tsr_type_elem(tsr_value_type(x));
  for (unsigned i = 0; i < e->count; i++) {
    const ops_stage *s = &e->stages[i];
    tsr_value y = s->operand ? load_operand(b, s, at, at->bases[i], type) : NULL;
    x = ops_stage_emit(b, s, x, y);
  }
  return x;
}

/* ---- on the host ----------------------------------------------------------------------------- */

static double operand_value(const ops_host *h, const ops_stage *s, int64_t batch, int64_t i,
                            int64_t j) {
  const ops_tensor *t = ops_host_tensor(h, s->operand);
  switch (s->span) {
  case OPS_SPAN_M: return t->numbers[i];
  case OPS_SPAN_N: return t->numbers[t->operand->rank == 2 ? ops_at(t, batch, j, 0) : j];
  case OPS_SPAN_TENSOR: return t->numbers[0];
  default: return t->numbers[t->operand->rank == 3 ? ops_at(t, batch, i, j) : ops_at(t, i, j, 0)];
  }
}

static double function_value(const ops_stage *s, double x) {
  double args[OPS_FUNCTION_ARGS];
  memcpy(args, s->numbers, sizeof args);
  args[0] = x;
  return s->function->value(args);
}

double ops_stage_value(const ops_stage *s, double x, double y) {
  switch (s->kind) {
  case OPS_STAGE_ADD: return x + y;
  case OPS_STAGE_MULTIPLY: return x * y;
  case OPS_STAGE_QUANTISE: return x / y;
  default: return function_value(s, x);
  }
}

double ops_epilogue_value(const ops_host *h, const ops_epilogue *e, double x, int64_t batch,
                          int64_t i, int64_t j) {
  for (unsigned n = 0; n < e->count; n++) {
    const ops_stage *s = &e->stages[n];
    double y = s->operand ? operand_value(h, s, batch, i, j) : 0;
    x = ops_stage_value(s, x, y);
  }
  return x;
}
