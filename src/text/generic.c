/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The generic form, which every operation has:
 *
 *   %r = "cuda_tile.addf"(%a, %b) <{properties}> ({regions}) {attributes} : (types) -> type
 *
 * The types of the results come last, so regions are read before their operation is made.
 */
#include "text/internal.h"

typedef struct generic_op {
  uint32_t first_operand, n_operands;
  ir_block *regions[OP_MAX_REGIONS];
  unsigned n_regions;
  str at_end[OP_MAX_REGIONS]; /* comments before each '}' */
} generic_op;

/* "cuda_tile.name"; the operation's code, OP_NONE after an error. */
static op_code generic_name(parser *p) {
  static const str prefix = {"cuda_tile.", 10};
  str name = p->lx.tok.name;
  if (name.len <= prefix.len || memcmp(name.data, prefix.data, prefix.len) != 0) {
    fail_tok(p,
             "unknown operation \"" STR_FMT "\"; in the generic form the operations of Tile IR "
             "are written \"cuda_tile.name\"",
             STR_ARG(name));
    return OP_NONE;
  }
  return find_operation(p, name);
}

/* (%a, %b) */
static bool parse_generic_operands(parser *p, generic_op *g) {
  g->first_operand = p->operands.len;
  if (!expect_punct(p, '(', "the operation's name") || !parse_operand_list(p)) return false;
  g->n_operands = p->operands.len - g->first_operand;
  return expect_punct(p, ')', "the operands");
}

/* ^bb0(%a: type, %b: type): */
static bool parse_label(parser *p, argument_list *args) {
  if (TOK(p) != TOK_CARET) return true;
  next(p);
  if (at_punct(p, '(') && !parse_arguments(p, args)) return false;
  return expect_punct(p, ':', "the label of the block");
}

static ir_block *make_block(parser *p, const argument_list *args) {
  ir_block *b = arena_new(&p->m->arena, ir_block);
  b->n_args = args->v.len;
  b->args = arena_array(&p->m->arena, ir_value, args->v.len);
  for (uint32_t i = 0; i < args->v.len; i++) {
    b->args[i] =
        (ir_value){.type = args->v.data[i].type, .owner.block = b, .index = i, .is_arg = true};
    define_value(p, args->v.data[i].name, args->v.data[i].offset, &b->args[i], 1);
  }
  return b;
}

/* { … }: no implicit terminator here; an empty region stays without a block. */
static bool parse_generic_region(parser *p, const op_state *s, generic_op *g) {
  uint32_t brace = p->lx.tok.offset;
  if (!at_punct(p, '{')) return fail_expected(p, "'{' to begin a region of '%s'", s->row->name);
  if (g->n_regions == s->fmt->n_regions)
    return fail_tok(p, "'%s' has %u region%s", s->row->name, s->fmt->n_regions,
                    s->fmt->n_regions == 1 ? "" : "s");
  if (!enter_region(p)) return false;
  next(p);
  name_scope sc;
  open_scope(p, &sc);
  if (s->row->traits & TRAIT_ISOLATED) p->isolation = ++p->isolations;
  argument_list args = {0};
  uint32_t start = p->lx.tok.offset, braces = p->braces, nesting = p->nesting;
  if (!parse_label(p, &args)) {
    p->nesting = nesting;
    recover(p, start, braces);
  }
  if (!(at_punct(p, '}') && args.v.len == 0)) {
    ir_block *b = make_block(p, &args);
    parse_block(p, b);
    g->regions[g->n_regions] = b;
  }
  g->at_end[g->n_regions++] = comments_before(p, false);
  p->depth--;
  close_scope(p, &sc);
  return end_region(p, brace, s->row->name);
}

static bool parse_generic_regions(parser *p, const op_state *s, generic_op *g) {
  if (!take_punct(p, '(')) return true;
  do {
    if (!parse_generic_region(p, s, g)) return false;
  } while (take_punct(p, ','));
  return expect_punct(p, ')', "the regions");
}

/* : (types) -> types; the results' types are left on the type stack from `*first` on. */
static bool parse_generic_types(parser *p, op_state *s, const generic_op *g, uint32_t *first) {
  uint32_t offset, base = p->type_stack.len;
  if (!expect_punct(p, ':', "the operation")) return false;
  offset = p->lx.tok.offset;
  if (!expect_punct(p, '(', "':'")) return false;
  if (!at_punct(p, ')') && !parse_type_list(p)) return false;
  if (!expect_punct(p, ')', "the types of the operands")) return false;
  uint32_t n = p->type_stack.len - base;
  if (n != g->n_operands)
    return fail_at(p, offset, p->lx.prev_end - offset, "%u type%s for %u operand%s", n,
                   n == 1 ? "" : "s", g->n_operands, g->n_operands == 1 ? "" : "s");
  for (uint32_t i = 0; i < n; i++)
    check_operand(p, s, &p->operands.data[g->first_operand + i], p->type_stack.data[base + i]);
  if (!expect_arrow(p, "the types of the operands")) return false;
  *first = p->type_stack.len;
  if (!take_punct(p, '(')) {
    const ir_type *t = parse_type(p);
    if (t) vec_push(&p->temp, p->type_stack, t);
    return t != NULL;
  }
  if (!at_punct(p, ')') && !parse_type_list(p)) return false;
  return expect_punct(p, ')', "the types of the results");
}

/* Whether `n` things can be the groups of `rows`. */
static bool count_fits(const op_operand *groups, unsigned n_groups, uint32_t n) {
  uint32_t least = 0;
  uint64_t most = 0;
  for (unsigned i = 0; i < n_groups; i++) {
    least += groups[i].arity == ONE;
    most += groups[i].arity == MANY ? UINT32_MAX : 1;
  }
  return n >= least && n <= most;
}

/* Sets the lengths of the operand groups. */
static bool set_segments(parser *p, op_state *s, const generic_op *g) {
  const op_row *row = s->row;
  unsigned groups = s->fmt->n_in;
  if (!count_fits(row->operands, groups, g->n_operands))
    return fail_at(p, s->name_offset, s->name_length, "'%s' cannot have %u operand%s", row->name,
                   g->n_operands, g->n_operands == 1 ? "" : "s");
  if (row->traits & TRAIT_SEGMENTS) {
    const ir_ints *seg = s->segments;
    if (!seg)
      return fail_at(p, s->name_offset, s->name_length,
                     "'%s' needs operandSegmentSizes, the lengths of its operand groups",
                     row->name);
    uint64_t sum = 0;
    bool ok = seg->len == groups;
    for (unsigned i = 0; i < groups && ok; i++) {
      ok = seg->data[i] >= 0 && seg->data[i] <= g->n_operands &&
           count_fits(&row->operands[i], 1, (uint32_t)seg->data[i]);
      s->operand_len[i] = (uint32_t)seg->data[i];
      sum += (uint64_t)seg->data[i];
    }
    if (ok && sum == g->n_operands) return true;
    return fail_at(p, s->name_offset, s->name_length,
                   "operandSegmentSizes does not fit the %u operands of '%s'", g->n_operands,
                   row->name);
  }
  uint32_t fixed = 0;
  for (unsigned i = 0; i < groups; i++) fixed += row->operands[i].arity == ONE;
  for (unsigned i = 0; i < groups; i++)
    s->operand_len[i] = row->operands[i].arity == ONE ? 1 : g->n_operands - fixed;
  return true;
}

static void build_generic(parser *p, op_state *s, const generic_op *g, uint32_t first_result) {
  uint32_t values = p->values.len;
  for (uint32_t i = 0; i < g->n_operands; i++) {
    ir_value *v = p->operands.data[g->first_operand + i].value;
    vec_push(&p->temp, p->values, v);
  }
  s->op = ir_op_create(p->m, &(ir_op_spec){
                                 .opcode = s->code,
                                 .loc = s->loc,
                                 .n_operands = g->n_operands,
                                 .operands = p->values.data + values,
                                 .segments = s->operand_len,
                                 .n_results = p->type_stack.len - first_result,
                                 .result_types = p->type_stack.data + first_result,
                                 .n_regions = s->fmt->n_regions,
                             });
  p->values.len = values;
}

static void adopt_regions(parser *p, op_state *s, const generic_op *g) {
  for (unsigned i = 0; i < g->n_regions; i++) {
    s->op->regions[i] = g->regions[i];
    if (g->regions[i]) g->regions[i]->parent = s->op;
    comments_at_end(p, s->op, g->regions[i], i + 1 == g->n_regions, g->at_end[i]);
  }
}

/* Everything after the name. */
static bool parse_generic_parts(parser *p, op_state *s, generic_op *g, uint32_t *first_result) {
  s->generic = true;
  if (!parse_generic_operands(p, g)) return false;
  if (at_punct(p, '[')) return fail_tok(p, "operations of Tile IR have no successors");
  if (take_punct(p, '<') && (!parse_attr_dict(p, s) || !expect_punct(p, '>', "the properties")))
    return false;
  if (!parse_generic_regions(p, s, g) || !parse_attr_dict(p, s) ||
      !parse_generic_types(p, s, g, first_result))
    return false;
  uint32_t results = p->type_stack.len - *first_result;
  if (!count_fits(s->row->results, s->fmt->n_out, results))
    return fail_at(p, s->name_offset, s->name_length, "'%s' cannot have %u result%s", s->row->name,
                   results, results == 1 ? "" : "s");
  return set_segments(p, s, g);
}

bool parse_generic_op(parser *p, op_state *s) {
  if (!begin_foreign_op(p, s) && !begin_op(p, s, generic_name(p))) return false;
  generic_op g = {0};
  uint32_t first_result;
  if (!parse_generic_parts(p, s, &g, &first_result)) return false;
  build_generic(p, s, &g, first_result);
  adopt_regions(p, s, &g);
  return true;
}

/* The outermost module, perhaps inside MLIR's own. */
static bool parse_builtin_module(parser *p, str comments) {
  next(p);
  if (!expect_punct(p, '(', "the operation's name") || !expect_punct(p, ')', "'('") ||
      !expect_punct(p, '(', "the operands"))
    return false;
  uint32_t brace = p->lx.tok.offset;
  if (!expect_punct(p, '{', "'('")) return false;
  if (TOK(p) != TOK_STRING || str_is(p->lx.tok.name, "builtin.module"))
    return fail_expected(p, "\"cuda_tile.module\"");
  if (!parse_generic_module(p, comments) || !end_region(p, brace, "builtin.module")) return false;
  ir_loc ignored = 0;
  return expect_punct(p, ')', "the region") && expect_punct(p, ':', "')'") &&
         expect_punct(p, '(', "':'") && expect_punct(p, ')', "'('") &&
         expect_arrow(p, "the types of the operands") && expect_punct(p, '(', "'->'") &&
         expect_punct(p, ')', "'('") && parse_trailing_loc(p, &ignored);
}

bool parse_generic_module(parser *p, str comments) {
  if (str_is(p->lx.tok.name, "builtin.module")) return parse_builtin_module(p, comments);
  op_state s = {0};
  s.extra_tail = &s.extra;
  op_code code = generic_name(p);
  if (code != OP_NONE && code != OP_module)
    return fail_tok(p, "expected \"cuda_tile.module\" at the top of the file");
  if (!begin_op(p, &s, code)) return false;
  generic_op g = {0};
  uint32_t first_result;
  if (!parse_generic_parts(p, &s, &g, &first_result)) return false;
  s.op = p->m->op;
  adopt_regions(p, &s, &g);
  if (!s.op->regions[0]) ir_region_create(p->m, s.op, 0, 0, NULL);
  bool ok = parse_trailing_loc(p, &s.loc);
  finish_module_op(p, &s, comments);
  return ok;
}
