/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The grammar: modules, functions, blocks, operations.
 *
 * All custom forms are read in one way, without a table of their syntax: operands, words, brackets
 * and attributes up to the colon, types behind it, and an end where the line ends. What an
 * operation makes of them, its lowering knows. Operations with regions of their own syntax
 * (scf.for, scf.if, scf.while) are read by hand.
 */
#include "ttir/reader.h"

static bool parse_region(reader *r, tt_region **out, tt_value *args, uint32_t n_args);

/* ---- values --------------------------------------------------------------------------------- */

/* %x:3 = … defines three values by one name. */
typedef struct value_range {
  tt_value *first;
  uint32_t count;
} value_range;

static bool define(reader *r, str name, uint32_t offset, tt_value *first, uint32_t count) {
  uintptr_t *slot = strmap_put(r->temp, r->values, name, NULL);
  if (*slot)
    return tt_fail(r, offset, (uint32_t)name.len + 1, "'%%" STR_FMT "' is defined twice",
                   STR_ARG(name));
  vec_push(r->temp, r->names, name);
  value_range *v = arena_new(r->temp, value_range);
  *v = (value_range){first, count};
  *slot = (uintptr_t)v;
  for (uint32_t i = 0; i < count; i++) first[i].name = name;
  return true;
}

/* Names that were defined since there were `names` of them may be defined anew. */
static void forget_names(reader *r, uint32_t names) {
  while (r->names.len > names) *strmap_get(r->values, vec_pop(r->names)) = 0;
}

/* %x or %x#1 */
static bool parse_value(reader *r, tt_value **out) {
  tt_token t = r->tok;
  int64_t index = 0;
  if (RTOK(r) != TT_VALUE) return tt_expected(r, "a value");
  uintptr_t *slot = r->values ? strmap_get(r->values, t.name) : NULL;
  if (!slot || !*slot)
    return tt_fail(r, t.offset, t.length, "'%%" STR_FMT "' is not defined above", STR_ARG(t.name));
  value_range *v = (value_range *)*slot;
  bool numbered = *r->pos == '#';
  tt_next(r);
  if (numbered) {
    r->tok.kind = TT_NUMBER;
    if (!tt_parse_int(r, &index)) return false;
  }
  if (index < 0 || index >= v->count)
    return tt_fail(r, t.offset, t.length, "'%%" STR_FMT "' has %u values", STR_ARG(t.name),
                   v->count);
  *out = &v->first[index];
  return true;
}

static bool push_operand(reader *r) {
  tt_value *v = NULL;
  if (!parse_value(r, &v)) return false;
  if (r->operands.len >= TT_MAX_LIST) return tt_expected(r, "at most %d operands", TT_MAX_LIST);
  vec_push(r->temp, r->operands, v);
  return true;
}

static bool push_type(reader *r) {
  tt_type t;
  if (!tt_parse_type(r, &t)) return false;
  if (r->types.len >= TT_MAX_LIST) return tt_expected(r, "at most %d types", TT_MAX_LIST);
  vec_push(r->temp, r->types, t);
  return true;
}

static tt_value **take_operands(reader *r, uint32_t base, uint32_t *n) {
  *n = r->operands.len - base;
  tt_value **v = arena_array(r->temp, tt_value *, *n + 1);
  for (uint32_t i = 0; i < *n; i++) v[i] = r->operands.data[base + i];
  r->operands.len = base;
  return v;
}

/* ---- blocks --------------------------------------------------------------------------------- */

typedef struct open_region {
  tt_region *region;
  strmap blocks;         /* name -> tt_block* */
  VEC(tt_block *) named; /* the same, in the order of their names' first use */
} open_region;

static tt_block *block_named(reader *r, open_region *open, tt_token t) {
  bool added;
  uintptr_t *slot = strmap_put(r->temp, &open->blocks, t.name, &added);
  if (added) {
    tt_block *b = arena_new(r->temp, tt_block);
    b->name = t.name;
    b->offset = t.offset;
    *slot = (uintptr_t)b;
    vec_push(r->temp, open->named, b);
  }
  return (tt_block *)*slot;
}

static void append_block(tt_region *region, tt_block *b) {
  if (region->last)
    region->last->next = b;
  else
    region->first = b;
  region->last = b;
  b->defined = true;
}

typedef struct argument {
  str name;
  uint32_t offset;
  tt_type type;
  tt_attr *attrs;
  ir_loc loc;
} argument;
typedef VEC(argument) arguments;

/* (%a: f32 {attributes} loc(…), …) */
static bool parse_arguments(reader *r, arguments *list) {
  if (!tt_expect(r, '(', "'(' and arguments")) return false;
  while (!tt_take(r, ')')) {
    argument a = {.name = r->tok.name, .offset = r->tok.offset};
    if (!tt_expect(r, TT_VALUE, "an argument's name") || !tt_expect(r, ':', "':' and a type") ||
        !tt_parse_type(r, &a.type) || (RTOK(r) == '{' && !tt_parse_dict(r, &a.attrs)) ||
        !tt_parse_loc(r, &a.loc) || (RTOK(r) != ')' && !tt_expect(r, ',', "',' or ')'")))
      return false;
    if (list->len >= TT_MAX_LIST) return tt_expected(r, "at most %d arguments", TT_MAX_LIST);
    vec_push(r->temp, *list, a);
  }
  return true;
}

static bool define_arguments(reader *r, const arguments *list, tt_value **out) {
  *out = arena_alloc_zero(r->temp, (list->len + 1) * sizeof(tt_value), 8);
  for (uint32_t i = 0; i < list->len; i++) {
    const argument *a = &list->data[i];
    (*out)[i].type = a->type;
    if (!define(r, a->name, a->offset, &(*out)[i], 1)) return false;
  }
  return true;
}

/* ^name(%a: f32, …): */
static bool parse_label(reader *r, open_region *open, tt_block **current) {
  tt_token t = r->tok;
  tt_block *b = block_named(r, open, t);
  arguments list = {0};
  tt_next(r);
  if (b->defined)
    return tt_fail(r, t.offset, t.length, "the block '^" STR_FMT "' is there twice",
                   STR_ARG(t.name));
  if (RTOK(r) == '(' && !parse_arguments(r, &list)) return false;
  append_block(open->region, b);
  b->n_args = list.len;
  *current = b;
  return define_arguments(r, &list, &b->args) && tt_expect(r, ':', "':' behind the block's name");
}

/* ^name, ^name(%a, %b : f32, i32) */
static bool parse_successor(reader *r, open_region *open, tt_op *op) {
  tt_token t = r->tok;
  if (!open || op->n_successors == TT_MAX_SUCCESSORS)
    return tt_fail(r, t.offset, t.length, "unexpected block");
  tt_successor *s = &op->successors[op->n_successors++];
  s->block = block_named(r, open, t);
  uint32_t base = r->operands.len, types = r->types.len;
  tt_next(r);
  if (tt_take(r, '(')) {
    while (RTOK(r) == TT_VALUE)
      if (!push_operand(r) || (RTOK(r) == ',' && !tt_take(r, ','))) return false;
    if (!tt_expect(r, ':', "':' and types")) return false;
    do
      if (!push_type(r)) return false;
    while (tt_take(r, ','));
    if (!tt_expect(r, ')', "')' behind the block's operands")) return false;
  }
  r->types.len = types;
  s->args = take_operands(r, base, &s->n_args);
  return true;
}

/* ---- results -------------------------------------------------------------------------------- */

typedef struct result_name {
  str name;
  uint32_t offset, count;
} result_name;

typedef struct op_names {
  result_name *names;
  uint32_t len, total;
} op_names;

static bool parse_result_names(reader *r, op_names *out) {
  VEC(result_name) list = {0};
  *out = (op_names){0};
  while (RTOK(r) == TT_VALUE) {
    result_name n = {r->tok.name, r->tok.offset, 1};
    int64_t count = 1;
    tt_next(r);
    if (tt_take(r, ':') && !tt_parse_int(r, &count)) return false;
    if (count < 1 || count > TT_MAX_LIST || out->total + count > TT_MAX_LIST)
      return tt_expected(r, "1 to %d results", TT_MAX_LIST);
    n.count = (uint32_t)count;
    out->total += n.count;
    vec_push(r->temp, list, n);
    if (!tt_take(r, ','))
      return tt_expect(r, '=', "'='") && (*out = (op_names){list.data, list.len, out->total}, true);
  }
  return list.len == 0 || tt_expected(r, "a value");
}

static const ir_type *bool_like(reader *r, const ir_type *t) {
  return ir_tile(r->m, TSR_I1, TSR_ELEM_COUNT, t->rank, t->shape);
}

static tt_type pointee_of(reader *r, tt_type t) {
  if (!t.tile || t.tile->elem != TSR_PTR || t.is_descriptor) return (tt_type){0};
  return (tt_type){.tile = ir_tile(r->m, (tsr_elem)t.tile->pointee, TSR_ELEM_COUNT, t.tile->rank,
                                   t.tile->shape)};
}

/* The types that were spelled out: `n` before the arrow, then `n_out` behind it. */
typedef struct written_types {
  const tt_type *types;
  uint32_t n, n_out;
  bool arrow;
} written_types;

static tt_type result_type(reader *r, const tt_op *op, const written_types *w, uint32_t i) {
  const tt_type *out = w->types + w->n;
  if (w->arrow) return i < w->n_out ? out[i] : w->n_out == 1 ? out[0] : (tt_type){0};
  tt_type first = w->n ? w->types[0] : (tt_type){0};
  switch ((tt_result)op->row->result) {
  case TT_LAST: return w->n ? w->types[w->n - 1] : first;
  case TT_BOOL:
    if (first.tile) first.tile = bool_like(r, first.tile);
    return first;
  case TT_POINTEE: return pointee_of(r, first);
  case TT_ELEMENT:
    if (first.tile) first.tile = ir_tile_reshaped(r->m, first.tile, 0, NULL);
    return first;
  case TT_FIRST: return first;
  default: return (tt_type){0};
  }
}

static bool make_results(reader *r, tt_op *op, const op_names *names, const written_types *w) {
  uint32_t n = names->total;
  op->results = arena_alloc_zero(r->temp, (n + 1) * sizeof(tt_value), 8);
  op->n_results = n;
  if (n && op->row->result == TT_NO_RESULT)
    return tt_fail(r, op->offset, (uint32_t)op->name.len, "'" STR_FMT "' has no results",
                   STR_ARG(op->name));
  for (uint32_t i = 0; i < n; i++) {
    op->results[i].op = op;
    op->results[i].type =
        op->constant ? (tt_type){.tile = op->constant->type} : result_type(r, op, w, i);
    if (!op->results[i].type.tile)
      return tt_fail(r, op->offset, (uint32_t)op->name.len,
                     "the type of result %u of '" STR_FMT "' is missing", i + 1, STR_ARG(op->name));
  }
  for (uint32_t i = 0, at = 0; i < names->len; at += names->names[i++].count)
    if (!define(r, names->names[i].name, names->names[i].offset, &op->results[at],
                names->names[i].count))
      return false;
  return true;
}

/* ---- the custom form ------------------------------------------------------------------------ */

typedef struct custom_state {
  uint32_t operands, types; /* where they begin on the stacks */
  uint32_t n_before_arrow;
  uint8_t brackets;
  bool arrow, in_types;
} custom_state;

static bool custom_word(reader *r, tt_op *op, const custom_state *s) {
  tt_token t = r->tok;
  tt_next(r);
  if (tt_take(r, '=')) {
    tt_attr *a = arena_new(r->temp, tt_attr);
    a->name = t.name;
    if (!tt_parse_attr_value(r, a)) return false;
    a->next = op->attrs;
    op->attrs = a;
    return true;
  }
  if (RTOK(r) == '<') return tt_take(r, '<') && tt_skip(r, ">") && tt_take(r, '>');
  if (op->n_words < TT_MAX_WORDS)
    op->words[op->n_words++] = (tt_word){t.name, r->operands.len - s->operands};
  return true;
}

static bool push_bracketed(reader *r, tt_op *op, const custom_state *s) {
  uint32_t at = r->operands.len - s->operands;
  if (!push_operand(r)) return false;
  if (at < 256) op->brackets[at] = s->brackets;
  return true;
}

static bool custom_type(reader *r, custom_state *s) {
  switch (RTOK(r)) {
  case '(':
  case ')':
  case ',':
  case '*': tt_next(r); return true;
  case TT_ARROW:
    s->arrow = true;
    s->n_before_arrow = r->types.len - s->types;
    tt_next(r);
    return true;
  default: break;
  }
  if (tt_at_word(r, "to")) {
    s->arrow = true;
    s->n_before_arrow = r->types.len - s->types;
    tt_next(r);
  }
  return push_type(r);
}

static bool custom_item(reader *r, open_region *open, tt_op *op, custom_state *s) {
  if (s->in_types && RTOK(r) != TT_VALUE) return custom_type(r, s);
  switch (RTOK(r)) {
  case TT_VALUE: s->in_types = false; return push_bracketed(r, op, s);
  case TT_CARET: return parse_successor(r, open, op);
  case TT_BARE: return custom_word(r, op, s);
  case '{': return tt_parse_dict(r, &op->attrs);
  case TT_TEXT:
    if (!op->string.data) op->string = tt_unescape(r, r->tok.name);
    break;
  case TT_SYMBOL: op->symbol = r->tok.name; break;
  case '[':
  case ']': s->brackets++; break;
  case ':':
    s->in_types = true;
    s->arrow = false;
    break;
  case TT_ARROW: s->in_types = true; return custom_type(r, s);
  case ',':
  case '(':
  case ')':
  case TT_NUMBER: break;
  default: return tt_expected(r, "an operand, an attribute or a type");
  }
  tt_next(r);
  return true;
}

static void finish_operands(reader *r, tt_op *op, uint32_t base) {
  op->operands = take_operands(r, base, &op->n_operands);
}

static bool parse_custom(reader *r, open_region *open, tt_op *op, const op_names *names) {
  custom_state s = {.operands = r->operands.len, .types = r->types.len};
  op->brackets = arena_alloc_zero(r->temp, 256, 1);
  while (!tt_at_end_of_op(r) && !tt_at_word(r, "loc"))
    if (!custom_item(r, open, op, &s)) return false;
  uint32_t n = r->types.len - s.types;
  written_types w = {.types = r->types.data + s.types,
                     .n = s.arrow ? s.n_before_arrow : n,
                     .n_out = s.arrow ? n - s.n_before_arrow : 0,
                     .arrow = s.arrow};
  finish_operands(r, op, s.operands);
  bool ok = tt_parse_loc(r, &op->loc) && make_results(r, op, names, &w);
  r->types.len = s.types;
  return ok;
}

/* ---- the generic form ----------------------------------------------------------------------- */

static bool generic_operands(reader *r) {
  if (!tt_expect(r, '(', "'(' and operands")) return false;
  while (!tt_take(r, ')'))
    if (!push_operand(r) || (RTOK(r) != ')' && !tt_expect(r, ',', "',' or ')'"))) return false;
  return true;
}

static bool generic_successors(reader *r, open_region *open, tt_op *op) {
  if (!tt_take(r, '[')) return true;
  while (!tt_take(r, ']'))
    if (!parse_successor(r, open, op) || (RTOK(r) != ']' && !tt_expect(r, ',', "',' or ']'")))
      return false;
  return true;
}

static bool generic_regions(reader *r, tt_op *op) {
  if (!tt_take(r, '(')) return true;
  do {
    if (op->n_regions == TT_MAX_REGIONS)
      return tt_expected(r, "at most %d regions", TT_MAX_REGIONS);
    if (!parse_region(r, &op->regions[op->n_regions++], NULL, 0)) return false;
  } while (tt_take(r, ','));
  return tt_expect(r, ')', "')' behind the regions");
}

/* (f32, i32) or f32 */
static bool type_list(reader *r) {
  if (!tt_take(r, '(')) return push_type(r);
  while (!tt_take(r, ')'))
    if (!push_type(r) || (RTOK(r) != ')' && !tt_expect(r, ',', "',' or ')'"))) return false;
  return true;
}

static bool generic_types(reader *r, uint32_t *n_in) {
  uint32_t base = r->types.len;
  if (!tt_expect(r, ':', "':' and the operation's type") || !type_list(r)) return false;
  *n_in = r->types.len - base;
  return tt_expect(r, TT_ARROW, "'->' and the types of the results") && type_list(r);
}

static bool generic_attrs(reader *r, tt_op *op) {
  return RTOK(r) != '<' || tt_parse_dict(r, &op->attrs);
}

/* The value of a constant stands among the attributes. */
static bool generic_constant(reader *r, tt_op *op) {
  if (!tt_expect(r, '<', "'<{value = …}>'") || !tt_expect(r, '{', "'{'") ||
      !(tt_take_word(r, "value") || tt_expected(r, "'value'")) || !tt_expect(r, '=', "'='"))
    return false;
  return tt_parse_constant(r, op) && tt_expect(r, '}', "'}'") && tt_expect(r, '>', "'>'");
}

/* Moves the operands of branches from the list of all operands to the blocks. */
static bool split_branch(reader *r, tt_op *op) {
  if (!op->n_successors) return true;
  const tt_attr *sizes = tt_find_attr(op->attrs, "operandSegmentSizes");
  uint32_t own = str_is(op->name, "cf.cond_br") ? 1 : 0, at = own;
  for (uint32_t i = 0; i < op->n_successors; i++) {
    tt_successor *s = &op->successors[i];
    int64_t n = sizes && sizes->n_ints > i + 1 ? sizes->ints[i + 1] : op->n_operands - own;
    if (n < 0 || at > op->n_operands || n > op->n_operands - at)
      return tt_fail(r, op->offset, 1, "the operands do not fit the blocks");
    s->args = op->operands + at;
    s->n_args = (uint32_t)n;
    at += s->n_args;
  }
  op->n_operands = MIN(own, op->n_operands);
  return true;
}

static bool parse_generic(reader *r, open_region *open, tt_op *op, const op_names *names) {
  uint32_t base = r->operands.len, types = r->types.len, n_in = 0;
  op->generic = true;
  bool constant = str_is(op->name, "arith.constant");
  if (!generic_operands(r) || !generic_successors(r, open, op)) return false;
  finish_operands(r, op, base);
  if (constant ? !generic_constant(r, op) : !generic_attrs(r, op)) return false;
  if (!generic_regions(r, op) || (RTOK(r) == '{' && !tt_parse_dict(r, &op->attrs)) ||
      !generic_types(r, &n_in) || !tt_parse_loc(r, &op->loc))
    return false;
  written_types w = {.types = r->types.data + types,
                     .n = n_in,
                     .n_out = r->types.len - types - n_in,
                     .arrow = true};
  bool ok = split_branch(r, op) && make_results(r, op, names, &w);
  r->types.len = types;
  return ok;
}

/* ---- control flow --------------------------------------------------------------------------- */

/* (%a = %b, %c = %d): the arguments' names; what they begin with goes to the operands. */
static bool parse_inits(reader *r, arguments *list) {
  if (!tt_expect(r, '(', "'(' and values")) return false;
  while (!tt_take(r, ')')) {
    argument a = {.name = r->tok.name, .offset = r->tok.offset};
    if (!tt_expect(r, TT_VALUE, "a value's name") || !tt_expect(r, '=', "'='") || !push_operand(r))
      return false;
    a.type = vec_last(r->operands)->type;
    vec_push(r->temp, *list, a);
    if (RTOK(r) != ')' && !tt_expect(r, ',', "',' or ')'")) return false;
  }
  return true;
}

static bool region_of(reader *r, tt_op *op, const arguments *list) {
  tt_value *args = NULL;
  uint32_t names = r->names.len;
  if (!define_arguments(r, list, &args) ||
      !parse_region(r, &op->regions[op->n_regions++], args, list->len))
    return false;
  forget_names(r, names);
  return true;
}

static bool end_control(reader *r, tt_op *op) {
  if (tt_take_word(r, "attributes") || RTOK(r) == '{')
    if (!tt_parse_dict(r, &op->attrs)) return false;
  return tt_parse_loc(r, &op->loc);
}

/* scf.for [unsigned] %i = %a to %b step %c [iter_args(…) -> (types)] [: i32] { … } */
static bool parse_for(reader *r, tt_op *op, const op_names *names) {
  arguments list = {0};
  uint32_t base = r->operands.len, types = r->types.len;
  if (tt_take_word(r, "unsigned")) op->words[op->n_words++] = (tt_word){STR("unsigned"), 0};
  argument i = {.name = r->tok.name, .offset = r->tok.offset};
  if (!tt_expect(r, TT_VALUE, "the counter's name") || !tt_expect(r, '=', "'='") ||
      !push_operand(r) || !(tt_take_word(r, "to") || tt_expected(r, "'to'")) || !push_operand(r) ||
      !(tt_take_word(r, "step") || tt_expected(r, "'step'")) || !push_operand(r))
    return false;
  i.type = r->operands.data[base]->type;
  vec_push(r->temp, list, i);
  if (tt_take_word(r, "iter_args"))
    if (!parse_inits(r, &list) || !tt_expect(r, TT_ARROW, "'->' and types") || !type_list(r))
      return false;
  uint32_t n_out = r->types.len - types;
  if (tt_take(r, ':') && !push_type(r)) return false;
  finish_operands(r, op, base);
  if (!region_of(r, op, &list) || !end_control(r, op)) return false;
  written_types w = {.types = r->types.data + types, .n_out = n_out, .arrow = true};
  bool ok = make_results(r, op, names, &w);
  r->types.len = types;
  return ok;
}

/* scf.if %c [-> (types)] { … } [else { … }] */
static bool parse_if(reader *r, tt_op *op, const op_names *names) {
  uint32_t base = r->operands.len, types = r->types.len;
  arguments none = {0};
  if (!push_operand(r)) return false;
  if (tt_take(r, TT_ARROW) && !type_list(r)) return false;
  uint32_t n_out = r->types.len - types;
  finish_operands(r, op, base);
  if (!region_of(r, op, &none)) return false;
  if (tt_take_word(r, "else") && !region_of(r, op, &none)) return false;
  if (!end_control(r, op)) return false;
  written_types w = {.types = r->types.data + types, .n_out = n_out, .arrow = true};
  bool ok = make_results(r, op, names, &w);
  r->types.len = types;
  return ok;
}

/* scf.while (%a = %b) : (types) -> (types) { … } do { ^bb0(…): … } */
static bool parse_while(reader *r, tt_op *op, const op_names *names) {
  arguments list = {0};
  uint32_t base = r->operands.len, types = r->types.len;
  if (RTOK(r) == '(' && !parse_inits(r, &list)) return false;
  finish_operands(r, op, base);
  uint32_t n_in = 0;
  if (!generic_types(r, &n_in) || !region_of(r, op, &list)) return false;
  arguments none = {0};
  if (!(tt_take_word(r, "do") || tt_expected(r, "'do'")) || !region_of(r, op, &none) ||
      !end_control(r, op))
    return false;
  written_types w = {.types = r->types.data + types,
                     .n = n_in,
                     .n_out = r->types.len - types - n_in,
                     .arrow = true};
  bool ok = make_results(r, op, names, &w);
  r->types.len = types;
  return ok;
}

/* ---- operations ----------------------------------------------------------------------------- */

static bool parse_body(reader *r, open_region *open, tt_op *op, const op_names *names,
                       bool quoted) {
  if (quoted) return parse_generic(r, open, op, names);
  if (str_is(op->name, "scf.for")) return parse_for(r, op, names);
  if (str_is(op->name, "scf.if")) return parse_if(r, op, names);
  if (str_is(op->name, "scf.while")) return parse_while(r, op, names);
  if (!str_is(op->name, "arith.constant")) return parse_custom(r, open, op, names);
  written_types none = {0};
  return (RTOK(r) != '{' || tt_parse_dict(r, &op->attrs)) && tt_parse_constant(r, op) &&
         tt_parse_loc(r, &op->loc) && make_results(r, op, names, &none);
}

static bool check_count(reader *r, const tt_op *op) {
  if (op->n_operands >= op->row->least && op->n_operands <= op->row->most) return true;
  return tt_fail(r, op->offset, (uint32_t)op->name.len, "'" STR_FMT "' with %u operands",
                 STR_ARG(op->name), op->n_operands);
}

static bool parse_op(reader *r, open_region *open, tt_block *b) {
  op_names names;
  if (!parse_result_names(r, &names)) return false;
  bool quoted = RTOK(r) == TT_TEXT;
  tt_op *op = arena_new(r->temp, tt_op);
  op->name = r->tok.name;
  op->offset = r->tok.offset;
  if (!quoted && RTOK(r) != TT_BARE) return tt_expected(r, "an operation");
  op->row = tt_row_find(op->name);
  if (!op->row)
    return tt_fail(r, r->tok.offset, r->tok.length,
                   "Tile IR has nothing for the operation '" STR_FMT "'", STR_ARG(op->name));
  tt_next(r);
  if (!parse_body(r, open, op, &names, quoted) || !check_count(r, op)) return false;
  if (b->last)
    b->last->next = op;
  else
    b->first = op;
  b->last = op;
  return true;
}

static bool parse_block(reader *r, open_region *open, tt_block *b) {
  while (RTOK(r) != '}' && RTOK(r) != TT_CARET)
    if (!parse_op(r, open, b)) return false;
  return true;
}

static bool parse_blocks(reader *r, open_region *open, tt_value *args, uint32_t n_args) {
  tt_block *b = NULL;
  if (RTOK(r) != TT_CARET) {
    b = arena_new(r->temp, tt_block);
    append_block(open->region, b);
    b->args = args;
    b->n_args = n_args;
    if (!parse_block(r, open, b)) return false;
  }
  while (RTOK(r) == TT_CARET)
    if (!parse_label(r, open, &b) || !parse_block(r, open, b)) return false;
  return tt_expect(r, '}', "'}'");
}

static bool check_blocks(reader *r, const open_region *open) {
  for (uint32_t i = 0; i < open->named.len; i++) {
    const tt_block *b = open->named.data[i];
    if (!b->defined)
      return tt_fail(r, b->offset, (uint32_t)b->name.len + 1, "there is no block '^" STR_FMT "'",
                     STR_ARG(b->name));
  }
  return true;
}

/* Names that a region defines end with it. */
static bool parse_region(reader *r, tt_region **out, tt_value *args, uint32_t n_args) {
  open_region open = {.region = arena_new(r->temp, tt_region)};
  uint32_t names = r->names.len;
  *out = open.region;
  if (!tt_enter(r) || !tt_expect(r, '{', "'{'")) return false;
  if (!parse_blocks(r, &open, args, n_args) || !check_blocks(r, &open)) return false;
  forget_names(r, names);
  tt_leave(r);
  return true;
}

/* ---- functions and the module --------------------------------------------------------------- */

static bool add_function(reader *r, tt_function *f) {
  bool added;
  uintptr_t *slot = strmap_put(r->temp, &r->tree->functions, f->name, &added);
  if (!added)
    return tt_fail(r, f->offset, 1, "the function '@" STR_FMT "' is there twice", STR_ARG(f->name));
  *slot = (uintptr_t)f;
  if (r->tree->last)
    r->tree->last->next = f;
  else
    r->tree->first = f;
  r->tree->last = f;
  return true;
}

static bool take_arguments(reader *r, tt_function *f, const arguments *list) {
  f->n_args = list->len;
  f->arg_attrs = arena_array(r->temp, tt_attr *, list->len + 1);
  f->arg_locs = arena_array(r->temp, ir_loc, list->len + 1);
  for (uint32_t i = 0; i < list->len; i++) {
    f->arg_attrs[i] = list->data[i].attrs;
    f->arg_locs[i] = list->data[i].loc;
  }
  return define_arguments(r, list, &f->args);
}

static bool skip_results(reader *r) {
  if (!tt_take(r, TT_ARROW)) return true;
  uint32_t types = r->types.len;
  if (RTOK(r) == '(') {
    tt_next(r);
    if (!tt_skip(r, ")") || !tt_take(r, ')')) return false;
  } else if (!push_type(r)) {
    return false;
  }
  r->types.len = types;
  return true;
}

/* tt.func public @name(%a: type …) [-> types] [attributes {…}] { … } */
static bool parse_function(reader *r) {
  tt_function *f = arena_new(r->temp, tt_function);
  strmap values = {0};
  r->names.len = 0;
  arguments list = {0};
  r->values = &values;
  tt_next(r);
  f->is_public = !tt_take_word(r, "private");
  tt_take_word(r, "public");
  f->name = arena_str(&r->m->arena, r->tok.name);
  f->offset = r->tok.offset;
  if (!tt_expect(r, TT_SYMBOL, "the function's name") || !parse_arguments(r, &list) ||
      !take_arguments(r, f, &list) || !skip_results(r))
    return false;
  tt_attr *ignored = NULL;
  if (tt_take_word(r, "attributes") && !tt_parse_dict(r, &ignored)) return false;
  if (RTOK(r) == '{' && !parse_region(r, &f->body, f->args, f->n_args)) return false;
  r->values = NULL;
  return tt_parse_loc(r, &f->loc) && add_function(r, f);
}

/* "tt.func"() <{sym_name = "k", function_type = …}> ({ ^bb0(…): … }) : () -> () */
static bool generic_function(reader *r) {
  tt_function *f = arena_new(r->temp, tt_function);
  strmap values = {0};
  r->names.len = 0;
  tt_op op = {.name = STR("tt.func")};
  r->values = &values;
  f->offset = r->tok.offset;
  tt_next(r);
  if (!tt_expect(r, '(', "'('") || !tt_expect(r, ')', "')'") || !generic_attrs(r, &op) ||
      !generic_regions(r, &op) || (RTOK(r) == '{' && !tt_parse_dict(r, &op.attrs)))
    return false;
  uint32_t types = r->types.len, n_in;
  if (!generic_types(r, &n_in) || !tt_parse_loc(r, &f->loc)) return false;
  r->types.len = types;
  r->values = NULL;
  const tt_attr *name = tt_find_attr(op.attrs, "sym_name");
  const tt_attr *visibility = tt_find_attr(op.attrs, "sym_visibility");
  if (!name || name->kind != TT_STRING) return tt_fail(r, f->offset, 1, "a function has a name");
  f->name = name->text;
  f->is_public = !visibility || !str_is(visibility->text, "private");
  f->body = op.n_regions ? op.regions[0] : NULL;
  if (!f->body || !f->body->first) return tt_fail(r, f->offset, 1, "a function has a body");
  f->args = f->body->first->args;
  f->n_args = f->body->first->n_args;
  f->arg_attrs = arena_alloc_zero(r->temp, (f->n_args + 1) * sizeof(tt_attr *), 8);
  f->arg_locs = arena_alloc_zero(r->temp, (f->n_args + 1) * sizeof(ir_loc), 8);
  return add_function(r, f);
}

static bool parse_item(reader *r) {
  if (RTOK(r) == TT_HASH) return tt_parse_loc_alias(r);
  if (tt_at_word(r, "tt.func")) return parse_function(r);
  if (RTOK(r) == TT_TEXT && str_is(r->tok.name, "tt.func")) return generic_function(r);
  return tt_expected(r, "a function, 'tt.func'");
}

/* module [@name] [attributes {…}] {, or "builtin.module"() ({ */
static bool open_module(reader *r, bool *generic) {
  tt_attr *ignored = NULL;
  *generic = RTOK(r) == TT_TEXT && str_is(r->tok.name, "builtin.module");
  if (*generic) {
    tt_next(r);
    return tt_expect(r, '(', "'('") && tt_expect(r, ')', "')'") &&
           (RTOK(r) != '<' || tt_parse_dict(r, &ignored)) && tt_expect(r, '(', "'('") &&
           tt_expect(r, '{', "'{'");
  }
  if (!tt_take_word(r, "module") && !tt_take_word(r, "builtin.module"))
    return tt_expected(r, "'module'");
  tt_take(r, TT_SYMBOL);
  if (tt_take_word(r, "attributes") && !tt_parse_dict(r, &ignored)) return false;
  return tt_expect(r, '{', "'{'");
}

static bool close_module(reader *r, bool generic) {
  tt_attr *ignored = NULL;
  ir_loc loc;
  uint32_t n_in;
  if (!tt_expect(r, '}', "'}'")) return false;
  if (generic && (!tt_expect(r, ')', "')'") || (RTOK(r) == '{' && !tt_parse_dict(r, &ignored)) ||
                  !generic_types(r, &n_in)))
    return false;
  return tt_parse_loc(r, &loc);
}

bool tt_parse_module(reader *r) {
  bool generic = false;
  while (RTOK(r) == TT_HASH)
    if (!tt_parse_loc_alias(r)) return false;
  if (!open_module(r, &generic)) return false;
  while (RTOK(r) != '}' && RTOK(r) != TT_EOF && RTOK(r) != TT_ERROR)
    if (!parse_item(r)) return false;
  if (!close_module(r, generic)) return false;
  while (RTOK(r) == TT_HASH)
    if (!tt_parse_loc_alias(r)) return false;
  if (RTOK(r) != TT_EOF) return tt_expected(r, "the end of the file behind the module");
  return tt_check_locs(r);
}
