/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Pages about operations, the index, the whole manual.
 */
#include "ir/explain.h"

#include "ir/explain_parts.h"
#include "ir/rules.h"

static arena *texts(page *p) {
  return p->out->arena;
}

/* ---- parts ---------------------------------------------------------------------------------- */

static void add_since(sbuf *b, unsigned since) {
  if (since == V_BLOCK_LEVEL)
    sbuf_puts(b, "; of the block level");
  else if (since)
    sbuf_printf(b, "; since 13.%u", since);
}

static void operand_terms(page *p, const char *title, const op_operand *parts, unsigned n) {
  unsigned width = 0;
  if (!n) return;
  page_heading(p, 4, title);
  page_begin_terms(p, "Name", "What it is");
  for (unsigned i = 0; i < n; i++) width = MAX(width, (unsigned)strlen(parts[i].name));
  for (unsigned i = 0; i < n; i++) {
    sbuf b = SBUF(texts(p));
    sbuf_puts(&b, constraint_table[parts[i].constraint].description);
    if (parts[i].arity == OPT) sbuf_puts(&b, "; may be left out");
    if (parts[i].arity == MANY) sbuf_puts(&b, "; any number of them");
    add_since(&b, parts[i].since);
    if (parts[i].doc) sbuf_printf(&b, ". %s", parts[i].doc);
    page_term(p, width, parts[i].name, b.data);
  }
}

const char *explain_attr_kind(const op_attr *a) {
  switch ((attr_kind)a->kind) {
  case AK_INT: return a->bits == 32 ? "a 32-bit integer" : "an integer";
  case AK_BOOL: return "true or false";
  case AK_UNIT: return "a keyword, present or not";
  case AK_STRING: return "a string";
  case AK_SYMBOL: return "a name";
  case AK_INTS: return "a list of integers";
  case AK_BOOLS: return "a list of truth values";
  case AK_DENSE: return "a constant tile";
  case AK_SCALARS: return "a list of typed numbers";
  case AK_PREDICATE: return "`div_by<…>`, `same_elements<…>` or `bounded<…>`";
  case AK_HINTS: return "hints for a target architecture";
  case AK_TYPE: return "a type";
  case AK_DICTS: return "attributes of arguments or results, which have none";
  default: return enum_title((attr_kind)a->kind);
  }
}

static const char *attr_text(page *p, const op_attr *a) {
  sbuf b = SBUF(texts(p));
  unsigned count, shown = 0;
  const enum_row *rows = enum_rows((attr_kind)a->kind, &count);
  sbuf_puts(&b, explain_attr_kind(a));
  for (unsigned i = 0; i < count; i++)
    if (!a->allowed || a->allowed >> i & 1)
      sbuf_printf(&b, "%s`%s` (%s)", shown++ ? ", " : ": ", rows[i].spelling, rows[i].meaning);
  if (a->optional == AO_OPTIONAL && a->kind != AK_UNIT) sbuf_puts(&b, "; may be left out");
  if (a->optional == AO_DEFAULT || a->optional == AO_ELIDED) {
    if (rows)
      sbuf_printf(&b, "; default `%s`", enum_spelling((attr_kind)a->kind, a->value));
    else
      sbuf_printf(&b, "; default %lld", (long long)a->value);
  }
  add_since(&b, a->since);
  return b.data;
}

static void attr_terms(page *p, const op_row *row) {
  unsigned n = op_n_attrs(row), width = 0;
  if (!n) return;
  page_heading(p, 4, "Attributes");
  page_begin_terms(p, "Name", "What it is");
  for (unsigned i = 0; i < n; i++)
    width = MAX(width, (unsigned)strlen(attr_name((attr_id)row->attrs[i].id)));
  for (unsigned i = 0; i < n; i++)
    page_term(p, width, attr_name((attr_id)row->attrs[i].id), attr_text(p, &row->attrs[i]));
}

/* What may end a region of `op`: the terminators that may stand in it. */
static const char *ends_text(page *p, op_code op) {
  sbuf b = SBUF(texts(p));
  const char *last = NULL;
  for (unsigned t = 1; t < OP_COUNT; t++) {
    bool fits = false;
    for (unsigned i = 0; i < ARRAY_LEN(op_table[t].parents); i++)
      fits |= op_table[t].traits & TRAIT_TERMINATOR && op_table[t].parents[i] == op;
    if (!fits) continue;
    if (last) sbuf_printf(&b, "%s`%s`", b.len ? ", " : "", last);
    last = op_table[t].name;
  }
  if (last) sbuf_printf(&b, "%s`%s`", b.len ? " or " : "", last);
  return b.data;
}

static void region_terms(page *p, op_code op, const op_row *row) {
  unsigned n = op_n_regions(row), width = 0;
  if (!n) return;
  page_heading(p, 4, "Regions");
  page_begin_terms(p, "Name", "What it is");
  for (unsigned i = 0; i < n; i++) width = MAX(width, (unsigned)strlen(row->regions[i]));
  for (unsigned i = 0; i < n; i++) {
    const char *text = "globals and entries";
    if (row->terminator)
      text = arena_printf(texts(p), "ends with %s; `%s` without operands may be left out",
                          ends_text(p, op), op_table[row->terminator].name);
    page_term(p, width, row->regions[i], text);
  }
}

/* ---- rules ---------------------------------------------------------------------------------- */

static void agreement(page *p, const op_row *row, unsigned mask, const char *what) {
  if (!mask) return;
  sbuf b = SBUF(texts(p));
  unsigned left = (unsigned)__builtin_popcount(mask);
  for (unsigned bit = 0; bit < 16; bit++) {
    if (!(mask >> bit & 1)) continue;
    sbuf_printf(&b, "`%s`", bit < 8 ? row->operands[bit].name : row->results[bit - 8].name);
    left--;
    if (left) sbuf_puts(&b, left == 1 ? " and " : ", ");
  }
  sbuf_printf(&b, " have the same %s.", what);
  page_bullet(p, b.data);
}

static void place_rule(page *p, const op_row *row) {
  if (!row->parents[0]) return;
  sbuf b = SBUF(texts(p));
  sbuf_puts(&b, "It stands directly inside ");
  for (unsigned i = 0; i < ARRAY_LEN(row->parents) && row->parents[i]; i++) {
    bool last = i + 1 == ARRAY_LEN(row->parents) || !row->parents[i + 1];
    sbuf_printf(&b, "%s`%s`", !i ? "" : last ? " or " : ", ", op_table[row->parents[i]].name);
  }
  sbuf_putc(&b, '.');
  page_bullet(p, b.data);
}

static void own_rules(page *p, const char *words) {
  while (words && *words) {
    size_t n = strcspn(words, "\n");
    page_bullet(p, arena_strndup(texts(p), words, n));
    words += n + (words[n] == '\n');
  }
}

static void rules(page *p, op_code op, const op_row *row) {
  unsigned masks = row->same_type[0] | row->same_type[1] | row->same_shape | row->same_elem[0] |
                   row->same_elem[1] | row->same_rank;
  if (!masks && !row->parents[0] && !op_rules[op].words) return;
  page_heading(p, 4, "Rules");
  page_begin_list(p);
  place_rule(p, row);
  agreement(p, row, row->same_type[0], "type");
  agreement(p, row, row->same_type[1], "type");
  agreement(p, row, row->same_rank, "rank");
  agreement(p, row, row->same_shape, "shape");
  agreement(p, row, row->same_elem[0], "element type");
  agreement(p, row, row->same_elem[1], "element type");
  own_rules(p, op_rules[op].words);
}

/* What somebody who rewrites programs may do with it. */
static const char *effect_words(const op_row *row) {
  static const char *const words[EFFECT_COUNT] = {
      [EFFECT_READS] = "Effects: it reads memory.",
      [EFFECT_WRITES] = "Effects: it writes memory.",
      [EFFECT_UPDATES] = "Effects: it reads and writes memory, each element in one atomic step.",
      [EFFECT_ALLOCATES] = "Effects: it allocates memory.",
      [EFFECT_ORDERS] = "Effects: it orders accesses to memory, which keep their place before and "
                        "behind it.",
      [EFFECT_OBSERVED] = "Effects: they are seen outside of the kernel. Accesses to memory keep "
                          "their place before and behind it.",
      [EFFECT_REGIONS] = "Effects: those of its regions.",
  };
  if (row->effect != EFFECT_NONE) return words[row->effect];
  switch ((op_speculation)row->speculation) {
  case SPECULATE_ALWAYS:
    return "Effects: none. It may be moved, merged with an equal one, or removed.";
  case SPECULATE_SOMETIMES:
    return "Effects: none. It may be merged with an equal one or removed, and moved to where it "
           "would not have been executed if its operands are known to be in range.";
  default:
    return "Effects: none. It may be merged with an equal one or removed, but not be executed "
           "where it would not have been.";
  }
}

/* What an operation of the block level does with each memory, and with the queues of copies. */
static void memory_words(page *p, const op_row *row) {
  static const char *const memories[] = {"", "global", "shared", "global and shared"};
  static const char *const queues[] = {[QUEUE_NONE] = "",
                                       [QUEUE_CP_ASYNC] = "cp.async",
                                       [QUEUE_BULK] = "bulk",
                                       [QUEUE_WGMMA] = "wgmma"};
  static const char *const roles[] = {
      [QUEUE_UNUSED] = "",
      [QUEUE_ISSUES] = ("begins work of the queue %s, which reads and writes between here and its "
                        "wait"),
      [QUEUE_COMMITS] = "closes a set of the queue %s",
      [QUEUE_WAITS] = "waits for sets of the queue %s",
  };
  if (row->reads)
    page_bullet(p, arena_printf(texts(p), "It reads %s memory.", memories[row->reads]));
  if (row->writes)
    page_bullet(p, arena_printf(texts(p), "It writes %s memory.", memories[row->writes]));
  if (!row->queue) return;
  sbuf b = SBUF(texts(p));
  sbuf_puts(&b, "It ");
  const char *role = roles[row->queue_role], *name = strstr(role, "%s");
  sbuf_add(&b, role, (size_t)(name - role));
  sbuf_puts(&b, queues[row->queue]);
  sbuf_puts(&b, name + 2);
  sbuf_putc(&b, '.');
  page_bullet(p, b.data);
}

static void traits(page *p, const op_row *row) {
  static const struct {
    uint32_t trait;
    const char *words;
  } words[] = {
      {TRAIT_ELEMENTWISE, "It works element by element on tiles of one shape."},
      {TRAIT_COMMUTATIVE, "Its first two operands may be exchanged."},
      {TRAIT_INDEX_MAP, "It moves elements without changing them."},
      {TRAIT_CONSTANT, "It is a constant."},
      {TRAIT_TERMINATOR, "It ends a region."},
      {TRAIT_SYMBOL, "It defines a name of the module."},
      {TRAIT_ISOLATED, "Its region sees no values from outside."},
  };
  page_heading(p, 4, "Traits");
  page_begin_list(p);
  if (!(row->traits & TRAIT_TERMINATOR)) page_bullet(p, effect_words(row));
  if (row->since == V_BLOCK_LEVEL) memory_words(p, row);
  for (unsigned i = 0; i < ARRAY_LEN(words); i++)
    if (row->traits & words[i].trait) page_bullet(p, words[i].words);
}

/* ---- pages ---------------------------------------------------------------------------------- */

static void op_page(page *p, op_code op) {
  const op_row *row = &op_table[op];
  page_heading(p, 3, row->name);
  const char *since = row->since == V_BLOCK_LEVEL
                          ? "of the block level"
                          : arena_printf(texts(p), "since 13.%u", row->since);
  page_text(p, arena_printf(texts(p), "%s (%s, %s)", row->summary,
                            op_group_name((op_group)row->group), since));
  page_code(p, "text", row->meaning);
  page_heading(p, 4, "Syntax");
  page_code(p, "text", explain_syntax(texts(p), row));
  operand_terms(p, "Operands", row->operands, op_n_operands(row));
  attr_terms(p, row);
  operand_terms(p, "Results", row->results, op_n_results(row));
  region_terms(p, op, row);
  rules(p, op, row);
  traits(p, row);
  if (row->notes) {
    page_heading(p, 4, "Notes");
    page_text(p, row->notes);
  }
  page_heading(p, 4, "Example");
  page_code(p, "mlir", row->example);
}

void ir_explain(sbuf *out, op_code op, bool color) {
  page p = {.out = out, .color = color};
  if (op > OP_NONE && op < OP_BLOCK_END) op_page(&p, op);
}

static bool topic_page(page *p, const char *name) {
  op_code op = op_by_name(name, (unsigned)strlen(name));
  if (op == OP_NONE) return explain_type_topic(p, name) || explain_enum_topic(p, name);
  op_page(p, op);
  return true;
}

bool ir_explain_topic(sbuf *out, const char *name, bool color) {
  page p = {.out = out, .color = color};
  return topic_page(&p, name);
}

bool ir_explain_topic_markdown(sbuf *out, const char *name) {
  page p = {.out = out, .markdown = true};
  return topic_page(&p, name);
}

const char *ir_explain_name(unsigned index) {
  enum { OPERATIONS = OP_BLOCK_END - 1 };
  return index < OPERATIONS ? op_table[index + 1].name : explain_topic_name(index - OPERATIONS);
}

void ir_explain_index(sbuf *out, bool color) {
  page p = {.out = out, .color = color};
  unsigned width = 0;
  for (unsigned op = 1; op < OP_BLOCK_END; op++)
    width = MAX(width, (unsigned)strlen(op_table[op].name));
  for (unsigned g = 0; g < GROUP_COUNT; g++) {
    page_heading(&p, g ? 2 : 1, op_group_name((op_group)g));
    for (unsigned op = 1; op < OP_BLOCK_END; op++)
      if (op_table[op].group == g) page_term(&p, width, op_table[op].name, op_table[op].summary);
  }
  sbuf names = SBUF(out->arena);
  explain_topic_names(&names);
  page_heading(&p, 2, "Other pages");
  page_text(&p, names.data);
}

/* A line for each group of operations, from one on. */
static void list_groups(page *p, unsigned group, unsigned end) {
  page_begin_list(p);
  for (unsigned g = group; g < end; g++) {
    sbuf b = SBUF(texts(p));
    sbuf_printf(&b, "**%s**:", op_group_name((op_group)g));
    bool first = true;
    for (unsigned op = 1; op < OP_BLOCK_END; op++) {
      if (op_table[op].group != g) continue;
      sbuf_printf(&b, "%s [%s](#%s)", first ? "" : ",", op_table[op].name, op_table[op].name);
      first = false;
    }
    page_bullet(p, b.data);
  }
}

static void group_pages(page *p, unsigned group, unsigned end) {
  for (unsigned g = group; g < end; g++) {
    page_heading(p, 2, op_group_name((op_group)g));
    for (unsigned op = 1; op < OP_BLOCK_END; op++)
      if (op_table[op].group == g && op_table[op].name) op_page(p, (op_code)op);
  }
}

static void contents(page *p) {
  list_groups(p, 0, GROUP_TILE_END);
  page_bullet(p, "**Types**: [the types of values](#types), [of elements](#element-types)");
  page_bullet(p, "**Attributes**: [named values](#named-values)");
}

void ir_explain_markdown(sbuf *out) {
  page p = {.out = out, .markdown = true};
  page_heading(&p, 1, "Operations of Tile IR");
  page_text(&p, "This page is made by `tessera explain --markdown` from the operation table "
                "(src/ir/ops.def) and the rules beside it; change those, not this.");
  page_text(&p, "In the syntax, `[ … ]` may be left out, `( a | b )` is a choice, `<x>` stands for "
                "attribute x, and `type(x)` for the type of x. Every operation may have further "
                "attributes in braces, `{name = value}`, before the colon.");
  contents(&p);
  group_pages(&p, 0, GROUP_TILE_END);
  explain_types(&p);
  explain_enums(&p);
}

void ir_explain_block_markdown(sbuf *out) {
  page p = {.out = out, .markdown = true};
  page_heading(&p, 1, "Operations of the block level");
  page_text(&p,
            "This page is made by `tessera explain --markdown --block-level` from the operation "
            "table (src/ir/block/ops.def) and the rules beside it; change those, not this. What "
            "the types and the words mean is in block-level.md; the operations of Tile IR that "
            "kernels of the block level use, too, are in ops.md.");
  list_groups(&p, GROUP_TILE_END, GROUP_COUNT);
  group_pages(&p, GROUP_TILE_END, GROUP_COUNT);
}
