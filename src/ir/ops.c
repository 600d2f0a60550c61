/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The operation table and look-ups in it.
 */
#include "ir/ops.h"

#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "ir/op_fields.h"
#include "tessera/elem.h"

#define ROW(row_name, number, version, row_group, sentence, formula, ...)                          \
  [OP_##row_name] = {.name = #row_name,                                                            \
                     .bytecode = number,                                                           \
                     .since = version,                                                             \
                     .group = row_group,                                                           \
                     .summary = sentence,                                                          \
                     .meaning = formula,                                                           \
                     __VA_ARGS__},

#define BLOCK_ROW(row_name, row_group, sentence, formula, ...)                                     \
  [OP_##row_name] = {.name = #row_name,                                                            \
                     .since = V_BLOCK_LEVEL,                                                       \
                     .group = row_group,                                                           \
                     .summary = sentence,                                                          \
                     .meaning = formula,                                                           \
                     __VA_ARGS__},

#define TESTING_ROW(row_name, text, sentence, ...)                                                 \
  [OP_##row_name] = {.name = text, .since = V13_1, .summary = sentence, __VA_ARGS__},

const op_row op_table[OP_TABLE_SIZE] = {
#define OP ROW
#include "ir/ops.def"
#undef OP
#define BLOCK_OP BLOCK_ROW
#include "ir/block/ops.def"
#undef BLOCK_OP
#define TESTING_OP TESTING_ROW
#include "ir/ops_testing.def"
#undef TESTING_OP
};

const constraint_row constraint_table[TC_COUNT] = {
#define X(enumerator, text, mask, kind) [enumerator] = {text, mask, kind},
    TYPE_CONSTRAINTS(X)
#undef X
};

/* ---- enumerations --------------------------------------------------------------------------- */

#define X(enumerator, value, spelling, meaning) [value] = {spelling, meaning},
static const enum_row rounding_rows[] = {ENUM_ROUNDING(X)};
static const enum_row overflow_rows[] = {ENUM_OVERFLOW(X)};
static const enum_row signedness_rows[] = {ENUM_SIGNEDNESS(X)};
static const enum_row predicate_rows[] = {ENUM_PREDICATE_CMP(X)};
static const enum_row ordering_cmp_rows[] = {ENUM_ORDERING_CMP(X)};
static const enum_row rmw_rows[] = {ENUM_RMW(X)};
static const enum_row multimem_rows[] = {ENUM_MULTIMEM(X)};
static const enum_row ordering_rows[] = {ENUM_ORDERING(X)};
static const enum_row scope_rows[] = {ENUM_SCOPE(X)};
static const enum_row visibility_rows[] = {ENUM_VISIBILITY(X)};
static const enum_row padding_rows[] = {ENUM_PADDING(X)};
static const enum_row ptr_attr_rows[] = {ENUM_PTR_ATTR(X)};
static const enum_row instruction_rows[] = {ENUM_INSTRUCTION(X)};
static const enum_row each_rows[] = {ENUM_EACH(X)};
static const enum_row priority_rows[] = {ENUM_PRIORITY(X)};
#undef X

#define ENUM(rows, title)                                                                          \
  { rows, sizeof(rows) / sizeof((rows)[0]), title }
static const struct {
  const enum_row *rows;
  unsigned count;
  const char *title;
} enums[AK_COUNT] = {
    [AK_ROUNDING] = ENUM(rounding_rows, "rounding mode"),
    [AK_OVERFLOW] = ENUM(overflow_rows, "overflow behaviour"),
    [AK_SIGNEDNESS] = ENUM(signedness_rows, "signedness"),
    [AK_PREDICATE_CMP] = ENUM(predicate_rows, "comparison predicate"),
    [AK_ORDERING_CMP] = ENUM(ordering_cmp_rows, "comparison ordering"),
    [AK_RMW] = ENUM(rmw_rows, "atomic mode"),
    [AK_MULTIMEM] = ENUM(multimem_rows, "reduction"),
    [AK_ORDERING] = ENUM(ordering_rows, "memory ordering"),
    [AK_SCOPE] = ENUM(scope_rows, "memory scope"),
    [AK_VISIBILITY] = ENUM(visibility_rows, "visibility"),
    [AK_PADDING] = ENUM(padding_rows, "padding value"),
    [AK_PTR_ATTR] = ENUM(ptr_attr_rows, "pointer attribute"),
    [AK_INSTRUCTION] = ENUM(instruction_rows, "instruction"),
    [AK_EACH] = ENUM(each_rows, "arriving unit"),
    [AK_PRIORITY] = ENUM(priority_rows, "priority"),
};

const enum_row *enum_rows(attr_kind kind, unsigned *count) {
  *count = kind < AK_COUNT ? enums[kind].count : 0;
  return kind < AK_COUNT ? enums[kind].rows : NULL;
}

const char *enum_title(attr_kind kind) {
  return kind < AK_COUNT && enums[kind].title ? enums[kind].title : "value";
}

const char *enum_spelling(attr_kind kind, int64_t value) {
  unsigned count;
  const enum_row *rows = enum_rows(kind, &count);
  return rows && value >= 0 && value < count ? rows[value].spelling : "?";
}

int enum_value(attr_kind kind, const char *spelling, unsigned len) {
  unsigned count;
  const enum_row *rows = enum_rows(kind, &count);
  for (unsigned i = 0; i < count; i++)
    if (strlen(rows[i].spelling) == len && memcmp(rows[i].spelling, spelling, len) == 0)
      return (int)i;
  return -1;
}

const char *op_group_name(op_group group) {
  static const char *const names[GROUP_COUNT] = {
      [GROUP_CORE] = "Core",
      [GROUP_CONVERSION] = "Conversions",
      [GROUP_CONTROL] = "Control flow",
      [GROUP_MEMORY] = "Memory",
      [GROUP_FLOAT] = "Floating point",
      [GROUP_INTEGER] = "Integers",
      [GROUP_BITWISE] = "Bitwise",
      [GROUP_ATOMIC] = "Atomics",
      [GROUP_VIEW] = "Views",
      [GROUP_MISC] = "Miscellaneous",
      [GROUP_LAYOUT] = "Layouts",
      [GROUP_SHARED] = "Shared memory",
      [GROUP_GLOBAL] = "Global memory",
      [GROUP_ASYNC] = "Asynchronous copies",
      [GROUP_THREADS] = "Groups of threads",
      [GROUP_SYNC] = "Synchronisation",
      [GROUP_MBARRIER] = "Barriers in shared memory",
      [GROUP_ENGINE] = "Copies of tensors",
      [GROUP_UNIT] = "Asynchronous products",
      [GROUP_CLUSTER] = "Clusters of tile blocks",
      [GROUP_COMBINE] = "Atomic updates",
      [GROUP_RANDOM] = "Random numbers",
  };
  return group < GROUP_COUNT ? names[group] : "?";
}

/* ---- parts of a row ------------------------------------------------------------------------- */

const char *attr_name(attr_id id) {
  static const char *const names[ATTR_ID_COUNT] = {[ATTR_NONE] = "",
#define X(name) [ATTR_##name] = #name,
                                                   ATTR_IDS(X)
#undef X
  };
  return id < ATTR_ID_COUNT ? names[id] : "";
}

unsigned op_n_operands(const op_row *row) {
  unsigned n = 0;
  while (n < OP_MAX_OPERANDS && row->operands[n].name) n++;
  return n;
}

unsigned op_n_attrs(const op_row *row) {
  unsigned n = 0;
  while (n < OP_MAX_ATTRS && row->attrs[n].id != ATTR_NONE) n++;
  return n;
}

unsigned op_n_results(const op_row *row) {
  unsigned n = 0;
  while (n < OP_MAX_RESULTS && row->results[n].name) n++;
  return n;
}

unsigned op_n_regions(const op_row *row) {
  unsigned n = 0;
  while (n < OP_MAX_REGIONS && row->regions[n]) n++;
  return n;
}

static bool same_name(const char *a, const char *b, unsigned len) {
  return strlen(a) == len && memcmp(a, b, len) == 0;
}

int op_operand_index(const op_row *row, const char *name, unsigned len) {
  for (unsigned i = 0; i < op_n_operands(row); i++)
    if (same_name(row->operands[i].name, name, len)) return (int)i;
  return -1;
}

int op_result_index(const op_row *row, const char *name, unsigned len) {
  for (unsigned i = 0; i < op_n_results(row); i++)
    if (same_name(row->results[i].name, name, len)) return (int)i;
  return -1;
}

int op_attr_index(const op_row *row, const char *name, unsigned len) {
  for (unsigned i = 0; i < op_n_attrs(row); i++)
    if (same_name(attr_name(row->attrs[i].id), name, len)) return (int)i;
  return -1;
}

bool effect_reads(op_effect effect) {
  return effect == EFFECT_READS || effect == EFFECT_UPDATES || effect == EFFECT_ORDERS ||
         effect == EFFECT_OBSERVED || effect == EFFECT_UNKNOWN;
}

bool effect_writes(op_effect effect) {
  return effect == EFFECT_WRITES || effect == EFFECT_UPDATES || effect == EFFECT_ALLOCATES ||
         effect == EFFECT_ORDERS || effect == EFFECT_OBSERVED || effect == EFFECT_UNKNOWN;
}

bool effect_accesses(op_effect effect) {
  return effect == EFFECT_READS || effect == EFFECT_WRITES || effect == EFFECT_UPDATES;
}

/* ---- look-ups -------------------------------------------------------------------------------- */

/* A switch on the length and the first letter would be faster, but a hundred comparisons of one
 * byte are not what parsing spends its time on: the text module keeps its own map per context. */
op_code op_by_name(const char *name, unsigned len) {
  if (len == 0) return OP_NONE;
  if (same_name("print", name, len)) return OP_print_tko;
  for (unsigned i = 1; i < OP_BLOCK_END; i++)
    if (op_table[i].name[0] == name[0] && same_name(op_table[i].name, name, len)) return (op_code)i;
  return OP_NONE;
}

op_code op_testing_by_name(const char *name, unsigned len) {
  for (unsigned i = OP_BLOCK_END; i < OP_TABLE_SIZE; i++)
    if (same_name(op_table[i].name, name, len) && !(op_table[i].traits & TRAIT_FOREIGN))
      return (op_code)i;
  return OP_NONE;
}

op_code op_by_bytecode(unsigned number) {
  for (unsigned i = 1; i < OP_COUNT; i++)
    if (op_table[i].bytecode == number) return (op_code)i;
  return OP_NONE;
}

unsigned op_suggest(const char *name, unsigned len, const char **out, unsigned max) {
  near_names near = {.wanted = {name, len}, .out = out, .max = MIN(max, (unsigned)NEAR_MAX)};
  for (unsigned i = 1; i < OP_BLOCK_END; i++) near_offer(&near, op_table[i].name);
  return near.found;
}

/* ---- self-check ------------------------------------------------------------------------------ */

static const char *problem(char *out, unsigned size, const op_row *row, const char *what,
                           const char *detail) {
  snprintf(out, size, "operation %s: %s%s%s", row->name ? row->name : "?", what, detail ? " " : "",
           detail ? detail : "");
  return out;
}

static const char *check_mask(char *out, unsigned size, const op_row *row, unsigned mask) {
  unsigned in = op_n_operands(row), res = op_n_results(row);
  if ((mask & 0xff) >> in || mask >> (8 + res))
    return problem(out, size, row, "a 'same' mask names a missing operand or result", NULL);
  if (mask && !(mask & (mask - 1)))
    return problem(out, size, row, "a 'same' mask names one thing only", NULL);
  return NULL;
}

/* Every name in the format exists, and every operand group appears in it. */
static const char *check_format(char *out, unsigned size, const op_row *row) {
  if (!row->format || !*row->format) return problem(out, size, row, "no format", NULL);
  if (strncmp(row->format, "custom(", 7) == 0) return NULL;
  unsigned seen = 0;
  for (const char *p = row->format; *p;) {
    size_t len = strcspn(p, " ");
    const char *name = NULL;
    unsigned name_len = 0;
    bool types = strncmp(p, "type(", 5) == 0 || strncmp(p, "splat(", 6) == 0;
    if (*p == '$') {
      name = p + 1;
      name_len = (unsigned)len - 1;
    } else if (types || strncmp(p, "flag(", 5) == 0) {
      name = strchr(p, '(') + 1;
      name_len = (unsigned)(len - (size_t)(name - p)) - 1;
    } else if (strncmp(p, "angled(", 7) == 0) {
      name = strchr(p, ',') + 1;
      name_len = (unsigned)(len - (size_t)(name - p)) - 1;
    }
    if (name) {
      int in = op_operand_index(row, name, name_len), res = op_result_index(row, name, name_len);
      int attr = op_attr_index(row, name, name_len);
      if (types ? in < 0 && res < 0 : *p == '$' ? in < 0 && attr < 0 : attr < 0)
        return problem(out, size, row, "its format names a missing part:", p);
      if (*p == '$' && in >= 0) seen |= 1u << in;
    }
    p += len;
    p += strspn(p, " ");
  }
  if (seen != (1u << op_n_operands(row)) - 1)
    return problem(out, size, row, "its format leaves an operand out", NULL);
  return NULL;
}

/* Whether values of this constraint may say where something in memory is. */
static bool may_point(const op_operand *o) {
  const constraint_row *c = &constraint_table[o->constraint];
  bool view = c->shape >= TCS_TENSOR_VIEW && c->shape <= TCS_SHARED;
  return view || c->shape == TCS_ANY || c->elems & BIT(PTR);
}

static const char *check_effect(char *out, unsigned size, const op_row *row) {
  bool regions = op_n_regions(row) > 0, block = row->since == V_BLOCK_LEVEL,
       orders = op_attr_index(row, "memory_ordering_semantics", 25) >= 0;
  if (row->effect == EFFECT_UNKNOWN || row->effect >= EFFECT_COUNT)
    return problem(out, size, row, "no effect class", NULL);
  if ((row->effect == EFFECT_REGIONS) != regions)
    return problem(out, size, row, "the effect of its regions without any, or regions without it",
                   NULL);
  if (block && effect_accesses((op_effect)row->effect) && !(row->reads | row->writes))
    return problem(out, size, row, "an access to no memory", NULL);
  if (!block && effect_accesses((op_effect)row->effect) != orders)
    return problem(out, size, row, "an access without a memory ordering, or the reverse", NULL);
  bool none = row->effect == EFFECT_NONE;
  if ((row->traits & TRAIT_PURE || row->traits & TRAIT_TERMINATOR) && !none)
    return problem(out, size, row, "an effect, though it is pure or a jump", NULL);
  bool movable = none && !(row->traits & TRAIT_TERMINATOR);
  if (row->speculation != SPECULATE_NEVER && !movable)
    return problem(out, size, row, "speculation of an effect or a jump", NULL);
  if (row->speculation == SPECULATE_ALWAYS && !(row->traits & TRAIT_PURE))
    return problem(out, size, row, "speculation without TRAIT_PURE", NULL);
  return NULL;
}

static const char *check_cost(char *out, unsigned size, const op_row *row) {
  if (row->cost == COST_UNKNOWN || row->cost >= COST_COUNT)
    return problem(out, size, row, "no cost class", NULL);
  if ((row->cost == COST_REGIONS) != (op_n_regions(row) > 0))
    return problem(out, size, row, "the cost of its regions without any, or regions without it",
                   NULL);
  if ((row->cost == COST_ACCESS) != effect_accesses((op_effect)row->effect))
    return problem(out, size, row, "the cost of an access without one, or the reverse", NULL);
  return NULL;
}

/* What has no effect makes no memory: a result that may point somewhere points to where an operand
 * does. The operands are the first ones, so that group and operand have one number. */
static const char *check_forwards(char *out, unsigned size, const op_row *row) {
  unsigned from = 0;
  for (unsigned k = 0; k < op_n_operands(row) && row->operands[k].arity == ONE; k++)
    from |= may_point(&row->operands[k]) ? M_IN(k) : 0;
  bool to = op_n_results(row) == 1 && may_point(&row->results[0]);
  bool computes = row->effect == EFFECT_NONE && to;
  if (row->forwards & ~(computes ? from : 0))
    return problem(out, size, row, "forwards an operand or to a result that cannot point", NULL);
  if (computes && from && row->forwards != from)
    return problem(out, size, row, "does not say what it forwards", NULL);
  return NULL;
}

const char *op_table_check(char *out, unsigned size) {
  for (unsigned i = 1; i < OP_BLOCK_END; i++) {
    const op_row *row = &op_table[i];
    if (!row->name || !row->summary || !row->meaning || !row->example)
      return problem(out, size, row, "an empty field", NULL);
    if (op_by_name(row->name, (unsigned)strlen(row->name)) != i)
      return problem(out, size, row, "found under another code by name", NULL);
    if (i < OP_COUNT && op_by_bytecode(row->bytecode) != i)
      return problem(out, size, row, "shares its bytecode number", NULL);
    if (i < OP_COUNT && (row->since < V13_1 || row->since > V13_NEWEST))
      return problem(out, size, row, "a wrong version", NULL);
    unsigned masks[] = {row->same_type[0], row->same_type[1], row->same_shape,
                        row->same_elem[0], row->same_elem[1], row->same_rank};
    for (unsigned k = 0; k < sizeof masks / sizeof masks[0]; k++)
      if (check_mask(out, size, row, masks[k])) return out;
    unsigned variadic = 0;
    for (unsigned k = 0; k < op_n_operands(row); k++) {
      if (row->operands[k].constraint >= TC_COUNT)
        return problem(out, size, row, "a wrong constraint of", row->operands[k].name);
      variadic += row->operands[k].arity != ONE;
    }
    if (variadic > 1 && !(row->traits & TRAIT_SEGMENTS))
      return problem(out, size, row, "several open operand groups without TRAIT_SEGMENTS", NULL);
    for (unsigned k = 0; k < op_n_attrs(row); k++) {
      unsigned count;
      const op_attr *a = &row->attrs[k];
      if (a->allowed && !enum_rows(a->kind, &count))
        return problem(out, size, row,
                       "allowed values of something that is no enum:", attr_name(a->id));
    }
    if (check_format(out, size, row) || check_effect(out, size, row) ||
        check_cost(out, size, row) || check_forwards(out, size, row))
      return out;
  }
  return NULL;
}
