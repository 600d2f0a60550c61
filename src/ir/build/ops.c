/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Operations: from a struct of arguments or a spec by names to a request, from a request to an
 * operation in the innermost open region. What is checked here is what inferring types and opening
 * regions relies on, and what a caller wants to hear at once; the verifier checks everything when
 * the module is finished.
 */
#include "ir/block/layouts.h"
#include "ir/build/guard.h"
#include "ir/verify.h"

/* ---- operands ------------------------------------------------------------------------------- */

/* The value is of an open region (of this builder). */
static bool is_visible(const tsr_builder *b, const ir_value *v) {
  const ir_block *home = v->is_arg ? v->owner.block : v->owner.op->block;
  for (uint32_t i = b->frames.len; i-- > 0;)
    if (b->frames.data[i].block == home) return home != NULL;
  return false;
}

static bool check_operand(tsr_builder *b, const build_request *r, const op_operand *g,
                          const ir_value *v) {
  if (!v) {
    build_missing(b, r->row->name, g->name);
    return false;
  }
  if (!is_visible(b, v)) {
    build_error(b,
                "%s: '%s' cannot be used here: it was made in a region that has ended, or by "
                "another builder",
                r->row->name, g->name);
    return false;
  }
  if (!ir_type_fits(v->type, &constraint_table[g->constraint])) {
    build_error(b, "%s: '%s' is %s; expected %s", r->row->name, g->name,
                build_type_text(b, v->type), constraint_table[g->constraint].description);
    return false;
  }
  return true;
}

static bool check_operands(tsr_builder *b, const build_request *r) {
  uint32_t next = 0;
  for (unsigned g = 0; g < op_n_operands(r->row); g++) {
    const op_operand *group = &r->row->operands[g];
    if (group->arity == ONE && r->segments[g] == 0) return check_operand(b, r, group, NULL);
    if (group->arity != MANY && r->segments[g] > 1) {
      build_error(b, "%s: '%s' is one operand, not %u", r->row->name, group->name, r->segments[g]);
      return false;
    }
    for (uint32_t i = 0; i < r->segments[g]; i++)
      if (!check_operand(b, r, group, r->operands.data[next++])) return false;
  }
  return true;
}

static void add_operand(tsr_builder *b, build_request *r, unsigned group, ir_value *v) {
  vec_push(&b->module->arena, r->operands, v);
  r->segments[group]++;
}

/* A single operand; NULL leaves an optional one out. */
static void add_group(tsr_builder *b, build_request *r, unsigned group, tsr_values values) {
  if (r->row->operands[group].arity == OPT && values.len == 1 && !values.data[0]) return;
  for (size_t i = 0; i < values.len; i++) add_operand(b, r, group, values.data[i]);
}

/* ---- attributes ----------------------------------------------------------------------------- */

static const char *enum_choices(tsr_builder *b, const op_attr *a) {
  unsigned count;
  const enum_row *rows = enum_rows((attr_kind)a->kind, &count);
  sbuf text = SBUF(&b->module->arena);
  for (unsigned i = 0; i < count; i++)
    if (!a->allowed || a->allowed >> i & 1)
      sbuf_printf(&text, "%s%s", text.len ? ", " : "", rows[i].spelling);
  return text.data;
}

static bool missing_attr(tsr_builder *b, const build_request *r, const op_attr *a) {
  unsigned count;
  bool is_enum = enum_rows((attr_kind)a->kind, &count) != NULL;
  build_error(b, "%s: the attribute '%s' is missing%s%s", r->row->name, attr_name((attr_id)a->id),
              is_enum ? "; one of: " : "", is_enum ? enum_choices(b, a) : "");
  return false;
}

static bool read_enum(tsr_builder *b, const build_request *r, const op_attr *a,
                      const tsr_attr *given, int64_t *out) {
  unsigned count;
  enum_rows((attr_kind)a->kind, &count);
  int64_t value = given->i - 1;
  if (given->s) value = enum_value((attr_kind)a->kind, given->s, (unsigned)strlen(given->s));
  if (value < 0 || value >= count || (a->allowed && !(a->allowed >> value & 1))) {
    build_error(b, "%s: the %s of '%s' is wrong; one of: %s", r->row->name,
                enum_title((attr_kind)a->kind), attr_name((attr_id)a->id), enum_choices(b, a));
    return false;
  }
  *out = value;
  return true;
}

static const ir_ints *copy_ints(tsr_builder *b, tsr_ints given) {
  ir_ints *ints =
      arena_alloc_zero(&b->module->arena, sizeof *ints + given.len * sizeof(int64_t), 8);
  ints->len = (uint32_t)given.len;
  if (given.len) memcpy(ints->data, given.data, given.len * sizeof(int64_t));
  return ints;
}

static const ir_scalars *copy_scalars(tsr_builder *b, const build_request *r, tsr_scalars given) {
  size_t item = sizeof(struct ir_scalar_const);
  ir_scalars *list = arena_alloc_zero(&b->module->arena, sizeof *list + given.len * item, 8);
  list->len = (uint32_t)given.len;
  for (size_t i = 0; i < given.len; i++) {
    tsr_scalar s = given.data[i];
    unsigned bits = ir_elem_is_number(s.elem) ? tsr_elem_bits(s.elem) : 0;
    if (!bits || (bits < 64 && s.bits >> bits)) {
      build_error(b, "%s: identity %zu is no number of a scalar type", r->row->name, i);
      return NULL;
    }
    list->data[i].elem = (uint8_t)s.elem;
    list->data[i].bits = s.bits;
  }
  return list;
}

static const ir_predicate *copy_predicate(tsr_builder *b, const build_request *r,
                                          const tsr_predicate *given) {
  if ((unsigned)given->kind > TSR_PREDICATE_BOUNDED) {
    build_error(b, "%s: %d is no kind of predicate", r->row->name, (int)given->kind);
    return NULL;
  }
  ir_predicate *p = arena_new(&b->module->arena, ir_predicate);
  *p = (ir_predicate){.kind = (uint8_t)given->kind,
                      .has_every = given->has_every,
                      .has_lower = given->has_lower,
                      .has_upper = given->has_upper,
                      .divisor = given->divisor,
                      .every = given->every,
                      .along = given->along,
                      .lower = given->lower,
                      .upper = given->upper};
  if (given->kind == TSR_PREDICATE_SAME_ELEMENTS) p->values = copy_ints(b, given->same);
  return p;
}

static const tsr_layout *copy_layout(tsr_builder *b, const build_request *r,
                                     const tsr_layout *given) {
  tsr_layout_error e;
  if (tsr_layout_validate(given, &e) == TSR_OK) return ir_layout(b->module, given);
  build_error(b, "%s: %s", r->row->name, e.message);
  return NULL;
}

/* Whether a given attribute says anything: 0, NULL and an empty list say nothing, except that a
 * required number may be 0. */
static bool says_something(const op_attr *a, const tsr_attr *given) {
  switch ((attr_kind)a->kind) {
  case AK_INT:
  case AK_BOOL: return a->optional == AO_REQUIRED || given->i;
  case AK_STRING:
  case AK_SYMBOL: return given->s;
  case AK_BOOLS: return given->ints.len;
  case AK_INTS: return given->ints.len || a->optional == AO_REQUIRED;
  case AK_SCALARS: return given->scalars.len;
  case AK_PREDICATE: return given->predicate;
  case AK_LAYOUT: return given->layout;
  default: return given->i || given->s;
  }
}

static bool read_attr(tsr_builder *b, build_request *r, unsigned slot, const tsr_attr *given) {
  const op_attr *a = &r->row->attrs[slot];
  ir_attr *out = &r->attrs[slot];
  if (!says_something(a, given)) return true;
  r->given |= 1u << slot;
  switch ((attr_kind)a->kind) {
  case AK_INT: out->i = given->i; return true;
  case AK_BOOL:
  case AK_UNIT: out->i = given->i != 0; return true;
  case AK_STRING:
  case AK_SYMBOL: out->s = arena_str(&b->module->arena, str_of(given->s)); return true;
  case AK_BOOLS:
  case AK_INTS: return (out->ints = copy_ints(b, given->ints)) != NULL;
  case AK_SCALARS: return (out->scalars = copy_scalars(b, r, given->scalars)) != NULL;
  case AK_PREDICATE: return (out->predicate = copy_predicate(b, r, given->predicate)) != NULL;
  case AK_ROUNDING:
  case AK_OVERFLOW:
  case AK_SIGNEDNESS:
  case AK_PREDICATE_CMP:
  case AK_ORDERING_CMP:
  case AK_RMW:
  case AK_MULTIMEM:
  case AK_ORDERING:
  case AK_SCOPE:
  case AK_VISIBILITY:
  case AK_PADDING:
  case AK_INSTRUCTION:
  case AK_EACH: return read_enum(b, r, a, given, &out->i);
  case AK_LAYOUT: return (out->layout = copy_layout(b, r, given->layout)) != NULL;
  default:
    build_error(b, "%s: the attribute '%s' cannot be given here", r->row->name,
                attr_name((attr_id)a->id));
    return false;
  }
}

static bool check_attrs(tsr_builder *b, const build_request *r) {
  for (unsigned i = 0; i < op_n_attrs(r->row); i++)
    if (r->row->attrs[i].optional == AO_REQUIRED && !(r->given >> i & 1))
      return missing_attr(b, r, &r->row->attrs[i]);
  return true;
}

/* ---- from a request to an operation ---------------------------------------------------------- */

static bool place_is_fine(tsr_builder *b, const build_request *r) {
  const ir_block *block = build_block(b);
  if (!block) return false; /* in the region of what could not be built */
  if (b->frames.len == 1) {
    build_error(b, "%s: no kernel is open: tsr_build_entry begins one", r->row->name);
    return false;
  }
  if (block->last && ir_row(block->last)->traits & TRAIT_TERMINATOR) {
    build_error(b, "%s: the region has already ended with '%s'; tsr_build_end is missing",
                r->row->name, ir_row(block->last)->name);
    return false;
  }
  return true;
}

/* What the arguments of a region are. */
static void open_region(tsr_builder *b, ir_op *op) {
  ir_module *m = b->module;
  const ir_type **types = arena_array(&m->arena, const ir_type *, 2 * op->n_operands + 1);
  uint32_t n = 0;
  if (op->opcode == OP_for) types[n++] = ir_operand(op, 0)->type;
  if (op->opcode == OP_for || op->opcode == OP_loop)
    for (uint32_t i = op->opcode == OP_for ? 3 : 0; i < op->n_operands; i++)
      types[n++] = ir_operand(op, i)->type;
  if (op->opcode == OP_reduce || op->opcode == OP_scan)
    for (uint32_t i = 0; i < op->n_operands; i++) {
      const ir_type *t = ir_operand(op, i)->type;
      types[n] = ir_tile_reshaped(m, t, 0, NULL);
      types[n + 1] = types[n];
      n += 2;
    }
  ir_region_create(m, op, 0, n, types);
  build_open(b, op, 0);
}

static ir_op *run(tsr_builder *b, build_request *r) {
  uint32_t n_results;
  if (!place_is_fine(b, r) || !check_operands(b, r) || !check_attrs(b, r)) return NULL;
  const ir_type **types = build_infer(b, r, &n_results);
  if (!types) return NULL;
  ir_module *m = b->module;
  ir_op *op = ir_op_create(m, &(ir_op_spec){.opcode = r->opcode,
                                            .loc = ir_loc_file(m, b->file, b->line, b->column),
                                            .n_operands = r->operands.len,
                                            .operands = r->operands.data,
                                            .segments = r->segments,
                                            .n_results = n_results,
                                            .result_types = types,
                                            .n_regions = op_n_regions(r->row)});
  for (unsigned i = 0; i < op_n_attrs(r->row); i++)
    if (r->given >> i & 1) ir_set_attr(op, (attr_id)r->row->attrs[i].id, r->attrs[i]);
  ir_op_append(build_block(b), op);
  return op;
}

ir_op *build_request_run(tsr_builder *b, build_request *r) {
  ir_op *op = run(b, r);
  if (!op) b->failed = true;
  if (op_n_regions(r->row) == 0) return op;
  if (op)
    open_region(b, op);
  else
    build_open(b, NULL, 0);
  return op;
}

/* ---- arguments as a struct ------------------------------------------------------------------- */

/* What begins every struct tsr_<op>_args. */
typedef struct args_head {
  size_t size;
  tsr_builder *b;
} args_head;

/* Fields are read as the compiler of the caller laid them out, one after another. */
typedef struct reader {
  const unsigned char *args;
  size_t at;
} reader;

typedef struct field_shape {
  size_t size, align;
} field_shape;

static field_shape shape_of(build_field_kind kind) {
#define SHAPE(type) ((field_shape){sizeof(type), _Alignof(type)})
  switch (kind) {
  case FIELD_VALUE: return SHAPE(tsr_value);
  case FIELD_VALUES: return SHAPE(tsr_values);
  case FIELD_TYPE: return SHAPE(tsr_type);
  case FIELD_TYPES: return SHAPE(tsr_types);
  case FIELD_INT: return SHAPE(int64_t);
  case FIELD_INTS: return SHAPE(tsr_ints);
  case FIELD_SCALARS: return SHAPE(tsr_scalars);
  default: return SHAPE(const char *); /* FIELD_LAYOUT is another pointer */
  }
#undef SHAPE
}

static size_t aligned(size_t at, size_t align) {
  return (at + align - 1) / align * align;
}

static size_t args_size(const build_field *fields, unsigned n) {
  size_t at = sizeof(args_head), most = _Alignof(args_head);
  for (unsigned i = 0; i < n; i++) {
    field_shape shape = shape_of(fields[i].kind);
    at = aligned(at, shape.align) + shape.size;
    most = MAX(most, shape.align);
  }
  return aligned(at, most);
}

static void take(reader *in, build_field_kind kind, void *out) {
  field_shape shape = shape_of(kind);
  in->at = aligned(in->at, shape.align);
  memcpy(out, in->args + in->at, shape.size);
  in->at += shape.size;
}

static bool read_field(tsr_builder *b, build_request *r, const build_field *f, reader *in,
                       tsr_type *type) {
  tsr_attr attr = {.name = f->name};
  tsr_value value;
  tsr_values values;
  switch (f->kind) {
  case FIELD_VALUE:
    take(in, f->kind, &value);
    add_group(b, r, f->index, (tsr_values){&value, value != NULL});
    return true;
  case FIELD_VALUES:
    take(in, f->kind, &values);
    add_group(b, r, f->index, values);
    return true;
  case FIELD_TYPE:
    take(in, f->kind, type);
    r->types = (tsr_types){type, *type != NULL};
    return true;
  case FIELD_TYPES: take(in, f->kind, &r->types); return true;
  case FIELD_INT: take(in, f->kind, &attr.i); break;
  case FIELD_STRING: take(in, f->kind, &attr.s); break;
  case FIELD_INTS: take(in, f->kind, &attr.ints); break;
  case FIELD_SCALARS: take(in, f->kind, &attr.scalars); break;
  case FIELD_PREDICATE: take(in, f->kind, &attr.predicate); break;
  case FIELD_LAYOUT: take(in, f->kind, &attr.layout); break;
  }
  return read_attr(b, r, f->index, &attr);
}

/* Operands must come in the order of the table, whatever the order of the fields. */
static void sort_operands(tsr_builder *b, build_request *r, const uint32_t first[OP_MAX_OPERANDS]) {
  ir_value **sorted = arena_array(&b->module->arena, ir_value *, r->operands.len + 1);
  uint32_t n = 0;
  for (unsigned g = 0; g < op_n_operands(r->row); g++)
    for (uint32_t i = 0; i < r->segments[g]; i++) sorted[n++] = r->operands.data[first[g] + i];
  r->operands.data = sorted;
}

static bool read_args(tsr_builder *b, build_request *r, const void *args, size_t size,
                      tsr_type *type) {
  build_field fields[BUILD_MAX_FIELDS];
  uint32_t first[OP_MAX_OPERANDS] = {0};
  unsigned n = build_fields(r->opcode, fields);
  if (size != args_size(fields, n)) {
    build_error(b, "%s: the program was compiled with tessera/ops.h of another version",
                r->row->name);
    return false;
  }
  reader in = {.args = args, .at = sizeof(args_head)};
  bool good = true;
  for (unsigned i = 0; i < n; i++) {
    if (!fields[i].is_attr && fields[i].kind <= FIELD_VALUES)
      first[fields[i].index] = r->operands.len;
    good &= read_field(b, r, &fields[i], &in, type);
  }
  sort_operands(b, r, first);
  return good;
}

static ir_op *build_args(tsr_builder *b, const char *name, const void *args, size_t size) {
  build_request r = {.opcode = op_by_name(name, (unsigned)strlen(name))};
  tsr_type type;
  if (build_is_special(r.opcode)) {
    build_error(b, "there is no operation '%s' to build", name);
    return NULL;
  }
  r.row = &op_table[r.opcode];
  if (read_args(b, &r, args, size, &type)) return build_request_run(b, &r);
  if (op_n_regions(r.row)) build_open(b, NULL, 0);
  return NULL;
}

tsr_op *tsr_build_args_at(const char *file, unsigned line, const char *name, const void *args) {
  args_head head;
  if (!args || !name) return NULL;
  memcpy(&head, args, sizeof head);
  tsr_builder *b = head.b;
  if (!b) return NULL;
  BUILD_GUARD(b, return NULL);
  build_at(b, file, line);
  ir_op *op = build_args(b, name, args, head.size);
  BUILD_DONE(b);
  return op;
}

tsr_value tsr_build_value_at(const char *file, unsigned line, const char *name, const void *args) {
  return tsr_op_result(tsr_build_args_at(file, line, name, args), 0);
}

/* ---- arguments by name ---------------------------------------------------------------------- */

static bool read_spec_attr(tsr_builder *b, build_request *r, const tsr_attr *given) {
  const char *name = given->name ? given->name : "";
  int slot = op_attr_index(r->row, name, (unsigned)strlen(name));
  if (slot >= 0) return read_attr(b, r, (unsigned)slot, given);
  sbuf known = SBUF(&b->module->arena);
  for (unsigned i = 0; i < op_n_attrs(r->row); i++)
    sbuf_printf(&known, "%s%s", i ? ", " : "", attr_name((attr_id)r->row->attrs[i].id));
  build_error(b, "%s has no attribute '%s'; it has: %s", r->row->name, name,
              known.len ? known.data : "none");
  return false;
}

static bool read_spec(tsr_builder *b, build_request *r, const tsr_op_spec *spec) {
  if (spec->operand_groups > op_n_operands(r->row)) {
    build_error(b, "%s: %zu operand groups are given, it has %u", r->row->name,
                spec->operand_groups, op_n_operands(r->row));
    return false;
  }
  for (size_t g = 0; g < spec->operand_groups; g++) add_group(b, r, (unsigned)g, spec->operands[g]);
  r->types = spec->types;
  bool good = true;
  for (size_t i = 0; i < spec->attr_count; i++) good &= read_spec_attr(b, r, &spec->attrs[i]);
  return good;
}

static ir_op *build_spec(tsr_builder *b, const tsr_op_spec *spec) {
  const char *name = spec->name ? spec->name : "";
  build_request r = {.opcode = op_by_name(name, (unsigned)strlen(name))};
  if (build_is_special(r.opcode)) {
    const char *near[1];
    unsigned found = op_suggest(name, (unsigned)strlen(name), near, 1);
    if (r.opcode != OP_NONE)
      build_error(b, "'%s' is built by a function of its own", name);
    else
      build_error(b, "there is no operation '%s'%s%s%s", name, found ? "; did you mean '" : "",
                  found ? near[0] : "", found ? "'?" : "");
    return NULL;
  }
  r.row = &op_table[r.opcode];
  if (read_spec(b, &r, spec)) return build_request_run(b, &r);
  if (op_n_regions(r.row)) build_open(b, NULL, 0);
  return NULL;
}

tsr_op *tsr_build_op(tsr_builder *b, const tsr_op_spec *spec) {
  if (!b || !spec) return NULL;
  BUILD_GUARD(b, return NULL);
  build_at(b, spec->file, spec->line);
  b->column = spec->column;
  ir_op *op = build_spec(b, spec);
  BUILD_DONE(b);
  return op;
}

/* ---- splat ---------------------------------------------------------------------------------- */

static ir_value *convert_shape(tsr_builder *b, op_code opcode, ir_value *v, const ir_type *type) {
  if (v->type == type) return v;
  build_request r = {.opcode = opcode, .row = &op_table[opcode], .types = {&type, 1}};
  add_operand(b, &r, 0, v);
  ir_op *op = build_request_run(b, &r);
  return op ? ir_result(op, 0) : NULL;
}

static ir_value *splat(tsr_builder *b, ir_value *v, tsr_ints shape) {
  int64_t ones[IR_MAX_RANK];
  if (!v) {
    build_missing(b, "tsr_build_splat", "the scalar");
    return NULL;
  }
  if (!ir_is_scalar(v->type)) {
    build_error(b, "tsr_build_splat: expected a scalar, found %s", build_type_text(b, v->type));
    return NULL;
  }
  for (size_t i = 0; i < shape.len && i < IR_MAX_RANK; i++) ones[i] = 1;
  const ir_type *full = build_tile_like(b, v->type, shape);
  const ir_type *unit = full ? build_tile_like(b, v->type, (tsr_ints){ones, shape.len}) : NULL;
  ir_value *reshaped = unit ? convert_shape(b, OP_reshape, v, unit) : NULL;
  return reshaped ? convert_shape(b, OP_broadcast, reshaped, full) : NULL;
}

tsr_value tsr_build_splat_at(const char *file, unsigned line, tsr_builder *b, tsr_value scalar,
                             tsr_ints shape) {
  if (!b) return NULL;
  BUILD_GUARD(b, return NULL);
  build_at(b, file, line);
  ir_value *v = splat(b, scalar, shape);
  BUILD_DONE(b);
  return v;
}

/* ---- results, names, hints ------------------------------------------------------------------- */

tsr_value tsr_op_result(tsr_op *op, size_t index) {
  return op && index < op->n_results ? ir_result(op, (uint32_t)index) : NULL;
}

tsr_value tsr_result_of(tsr_value v, size_t index) {
  return v && !v->is_arg ? tsr_op_result(v->owner.op, index) : NULL;
}

size_t tsr_op_result_count(const tsr_op *op) {
  return op ? op->n_results : 0;
}

static bool is_name(const char *name) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$.-";
  if (!name || !*name || !strchr(letters, *name)) return false;
  for (; *name; name++)
    if (!strchr(letters, *name) && (*name < '0' || *name > '9')) return false;
  return true;
}

void tsr_value_set_name(tsr_builder *b, tsr_value v, const char *name) {
  if (!b || !v) return;
  BUILD_GUARD(b, return );
  build_at(b, NULL, 0);
  if (is_name(name))
    ir_set_name(b->module, v, str_of(name));
  else
    build_error(b, "'%s' cannot be the name of a value", name ? name : "");
  BUILD_DONE(b);
}

static void add_hint(tsr_builder *b, ir_op *op, ir_hint hint) {
  if (!op && b->frames.len > 1 && b->frames.data[1].block) op = b->frames.data[1].block->parent;
  if (!op) {
    build_missing(b, "tsr_build_hint", "the operation");
    return;
  }
  if (ir_attr_slot((op_code)op->opcode, ATTR_optimization_hints) < 0) {
    build_error(b, "%s takes no optimization hints", ir_row(op)->name);
    return;
  }
  const ir_attr *before = ir_get_attr(op, ATTR_optimization_hints);
  uint32_t n = before ? before->hints->len : 0;
  ir_hints *hints =
      arena_alloc_zero(&b->module->arena, sizeof *hints + (n + 1) * sizeof(ir_hint), 8);
  if (n) memcpy(hints->data, before->hints->data, n * sizeof(ir_hint));
  uint32_t at = 0; /* a hint that is given again replaces the first */
  while (at < n &&
         !(str_eq(hints->data[at].target, hint.target) && str_eq(hints->data[at].key, hint.key)))
    at++;
  hints->data[at] = hint;
  hints->len = MAX(n, at + 1);
  ir_sort_hints(hints);
  ir_set_attr(op, ATTR_optimization_hints, (ir_attr){.hints = hints});
}

static void build_hint(tsr_builder *b, ir_op *op, const char *target, const char *key, bool is_bool,
                       int64_t value) {
  if (!target || !key) {
    build_missing(b, "tsr_build_hint", target ? "the key" : "the target");
    return;
  }
  arena *a = &b->module->arena;
  add_hint(b, op,
           (ir_hint){.target = arena_str(a, str_of(target)),
                     .key = arena_str(a, str_of(key)),
                     .is_bool = is_bool,
                     .value = value});
}

void tsr_build_hint_int(tsr_builder *b, tsr_op *op, const char *target, const char *key,
                        int64_t value) {
  if (!b) return;
  BUILD_GUARD(b, return );
  build_at(b, NULL, 0);
  build_hint(b, op, target, key, false, value);
  BUILD_DONE(b);
}

void tsr_build_hint_bool(tsr_builder *b, tsr_op *op, const char *target, const char *key,
                         bool value) {
  if (!b) return;
  BUILD_GUARD(b, return );
  build_at(b, NULL, 0);
  build_hint(b, op, target, key, true, value);
  BUILD_DONE(b);
}
