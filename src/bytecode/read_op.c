/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The reader's operations and regions, led by the table's layouts.
 */
#include "base/stack.h"
#include "bytecode/read.h"

static bool read_op(reader *r, cursor *c, ir_block *into);

/* What has been read of an operation that does not exist yet. */
typedef struct op_parts {
  op_code code;
  const op_row *row;
  const op_layout *layout;
  ir_loc loc;
  uint64_t flags;
  uint32_t n_results; /* that the file gives: the first of r->results */
  uint32_t present;
  ir_attr attrs[OP_MAX_ATTRS];
  uint32_t segments[OP_MAX_OPERANDS];
} op_parts;

/* ---- kind ------------------------------------------------------------------------------------ */

enum { PREVIEW_FIRST = 0x4000 };

static bool fail_code(reader *r, const cursor *start, uint64_t number) {
  const char *what = "";
  if (number >= PREVIEW_FIRST) what = ": preview operations are not supported";
  return read_fail(r, start, "there is no operation 0x%llx%s", (unsigned long long)number, what);
}

static bool read_code(reader *r, cursor *c, op_parts *p) {
  cursor start = *c;
  uint64_t number;
  if (!read_varint(r, c, &number)) return false;
  p->code = number < ARRAY_LEN(r->layouts.codes) ? (op_code)r->layouts.codes[number] : OP_NONE;
  p->row = &op_table[p->code];
  p->layout = &r->layouts.ops[p->code];
  if (p->code == OP_NONE) return fail_code(r, &start, number);
  if (p->row->since > r->version)
    return read_fail(r, &start,
                     "operation %s is in bytecode since version 13.%u, but this is 13.%u",
                     p->row->name, p->row->since, r->version);
  if (p->code == OP_module || p->code == OP_entry || p->code == OP_global)
    return read_fail(r, &start, "operation %s cannot be inside a kernel", p->row->name);
  return next_location(r, &start, &p->loc);
}

/* ---- results --------------------------------------------------------------------------------- */

static bool read_types(reader *r, cursor *c, uint64_t n) {
  for (uint64_t i = 0; i < n; i++) {
    const ir_type *t;
    if (!read_type(r, c, &t)) return false;
    vec_push(&r->temp, r->results, t);
  }
  return true;
}

/* The results of the row that this version knows. */
static uint32_t known_results(const reader *r, const op_parts *p) {
  uint32_t n = 0;
  for (unsigned i = 0; i < p->layout->n_results; i++)
    n += part_since(p->row, p->row->results[i].since) <= r->version;
  return n;
}

static bool read_results(reader *r, cursor *c, op_parts *p) {
  bool many = p->layout->n_results && p->row->results[0].arity == MANY;
  uint64_t n = known_results(r, p);
  cursor start = *c;
  r->results.len = 0;
  if (p->layout->counts_results) {
    uint64_t given;
    if (!read_varint(r, c, &given)) return false;
    if (!many && given != n)
      return read_fail(r, &start, "%s has %llu result%s here; expected %llu", p->row->name,
                       (unsigned long long)given, given == 1 ? "" : "s", (unsigned long long)n);
    n = given;
  }
  if (!read_types(r, c, n)) return false;
  p->n_results = (uint32_t)n;
  /* A result that came later is there all the same, though nothing can use it: it is a token. */
  for (uint64_t i = n; !many && i < p->layout->n_results; i++)
    vec_push(&r->temp, r->results, ir_token(r->m));
  return true;
}

/* ---- flags, attributes ----------------------------------------------------------------------- */

/* The flags that may be set in this version. */
static uint64_t allowed_flags(const reader *r, const op_parts *p) {
  uint64_t allowed = 0;
  for (unsigned i = 0; i < p->layout->n_attrs; i++)
    if (p->layout->attr_bit[i] != NO_BIT &&
        part_since(p->row, p->row->attrs[i].since) <= r->version)
      allowed |= 1u << p->layout->attr_bit[i];
  for (unsigned i = 0; i < p->layout->n_operands; i++)
    if (p->layout->operand_bit[i] != NO_BIT &&
        part_since(p->row, p->row->operands[i].since) <= r->version)
      allowed |= 1u << p->layout->operand_bit[i];
  return allowed;
}

static bool read_flags(reader *r, cursor *c, op_parts *p) {
  cursor start = *c;
  p->flags = 0;
  if (!p->layout->flags_since || p->layout->flags_since > r->version) return true;
  if (!read_varint(r, c, &p->flags)) return false;
  if (!p->flags) return true;
  if (p->flags & ~allowed_flags(r, p))
    return read_fail(r, &start, "the flags 0x%llx of %s are unknown in version 13.%u",
                     (unsigned long long)p->flags, p->row->name, r->version);
  return true;
}

static bool read_attributes(reader *r, cursor *c, op_parts *p) {
  const ir_type *result = r->results.len ? r->results.data[0] : NULL;
  p->present = 0;
  for (unsigned i = 0; i < p->layout->n_attrs; i++) {
    const op_attr *a = &p->row->attrs[i];
    uint8_t bit = p->layout->attr_bit[i];
    if (bit != NO_BIT ? !(p->flags >> bit & 1) : part_since(p->row, a->since) > r->version)
      continue;
    if (!read_attribute(r, c, a, result, &p->attrs[i])) return false;
    p->present |= 1u << i;
  }
  return true;
}

/* ---- operands -------------------------------------------------------------------------------- */

static bool read_values(reader *r, cursor *c, uint64_t n) {
  for (uint64_t i = 0; i < n; i++) {
    cursor start = *c;
    uint64_t index;
    if (!read_varint(r, c, &index)) return false;
    if (index >= r->values.len)
      return read_fail(r, &start, "there is no value %llu here; %u are visible",
                       (unsigned long long)index, r->values.len);
    vec_push(&r->temp, r->operands, r->values.data[index]);
  }
  return true;
}

/* One list: every group but the last is one value. */
static bool read_operand_list(reader *r, cursor *c, op_parts *p) {
  cursor start = *c;
  uint64_t n;
  unsigned last = p->layout->n_operands - 1u;
  if (!read_varint(r, c, &n)) return false;
  if (n < last || n > UINT32_MAX)
    return read_fail(r, &start, "%s has %llu operands; it takes at least %u", p->row->name,
                     (unsigned long long)n, last);
  for (unsigned g = 0; g < last; g++) p->segments[g] = 1;
  p->segments[last] = (uint32_t)n - last;
  return read_values(r, c, n);
}

static bool read_operands(reader *r, cursor *c, op_parts *p) {
  r->operands.len = 0;
  if (p->layout->counts_operands) return read_operand_list(r, c, p);
  for (unsigned g = 0; g < p->layout->n_operands; g++) {
    uint64_t n = 1;
    uint8_t bit = p->layout->operand_bit[g];
    if (bit != NO_BIT) n = p->flags >> bit & 1;
    if (p->row->operands[g].arity == MANY && !read_varint(r, c, &n)) return false;
    if (!read_values(r, c, n)) return false;
    p->segments[g] = (uint32_t)n;
  }
  return true;
}

/* ---- regions --------------------------------------------------------------------------------- */

/* Arguments and operations; what they define goes out of sight after them. */
static bool read_block(reader *r, cursor *c, ir_op *op, unsigned region) {
  uint64_t n_args, n_ops;
  uint32_t visible = r->values.len;
  if (!read_varint(r, c, &n_args)) return false;
  r->results.len = 0;
  if (!read_types(r, c, n_args)) return false;
  ir_block *b = ir_region_create(r->m, op, region, (uint32_t)n_args, r->results.data);
  for (uint32_t i = 0; i < b->n_args; i++) vec_push(&r->temp, r->values, &b->args[i]);
  cursor start = *c;
  if (!read_varint(r, c, &n_ops)) return false;
  for (uint64_t i = 0; i < n_ops; i++)
    if (!read_op(r, c, b)) return false;
  if (!b->last || !(ir_row(b->last)->traits & TRAIT_TERMINATOR))
    return read_fail(r, &start, "region '%s' of %s ends without a terminator",
                     ir_row(op)->regions[region], ir_row(op)->name);
  r->values.len = visible;
  return true;
}

static bool read_region(reader *r, cursor *c, ir_op *op, unsigned region) {
  cursor start = *c;
  uint64_t blocks;
  if (!read_varint(r, c, &blocks)) return false;
  if (blocks == 0 && op->opcode == OP_if && region == 1) return true;
  if (blocks == 1) return read_block(r, c, op, region);
  return read_fail(r, &start, "region '%s' of %s has %llu blocks; expected one",
                   ir_row(op)->regions[region], ir_row(op)->name, (unsigned long long)blocks);
}

static bool read_regions(reader *r, cursor *c, ir_op *op) {
  cursor start = *c;
  uint64_t n;
  if (!read_varint(r, c, &n)) return false;
  if (n != op->n_regions)
    return read_fail(r, &start, "%s has %llu regions; expected %u", ir_row(op)->name,
                     (unsigned long long)n, op->n_regions);
  if (r->depth == MAX_REGION_DEPTH)
    return read_fail(r, &start, "regions are nested more than %d deep", MAX_REGION_DEPTH);
  if (!stack_has(STACK_FOR_NESTING))
    return read_fail(r, &start, "regions are nested too deeply for the stack of this thread");
  r->depth++;
  for (unsigned i = 0; i < op->n_regions; i++)
    if (!read_region(r, c, op, i)) return false;
  r->depth--;
  return true;
}

/* ---- operations ------------------------------------------------------------------------------ */

static ir_op *create(reader *r, const op_parts *p) {
  ir_op *op = ir_op_create(r->m, &(ir_op_spec){.opcode = p->code,
                                               .loc = p->loc,
                                               .n_operands = r->operands.len,
                                               .operands = r->operands.data,
                                               .segments = p->segments,
                                               .n_results = r->results.len,
                                               .result_types = r->results.data,
                                               .n_regions = p->layout->n_regions});
  for (unsigned i = 0; i < p->layout->n_attrs; i++)
    if (p->present >> i & 1) op->attrs[i] = p->attrs[i];
  op->present = p->present;
  return op;
}

static bool read_op(reader *r, cursor *c, ir_block *into) {
  op_parts p;
  if (!read_code(r, c, &p) || !read_results(r, c, &p) || !read_flags(r, c, &p) ||
      !read_attributes(r, c, &p) || !read_operands(r, c, &p))
    return false;
  ir_op *op = create(r, &p);
  ir_op_append(into, op);
  if (op->n_regions && !read_regions(r, c, op)) return false;
  for (uint32_t i = 0; i < p.n_results; i++) vec_push(&r->temp, r->values, &op->results[i]);
  return true;
}

bool read_body(reader *r, cursor *c, ir_op *entry) {
  ir_block *b = ir_region(entry, 0);
  cursor start = *c;
  while (c->p < c->end)
    if (!read_op(r, c, b)) return false;
  if (b->last && ir_row(b->last)->traits & TRAIT_TERMINATOR) return true;
  return read_fail(r, &start, "the body of @" STR_FMT " ends without return",
                   STR_ARG(ir_symbol_name(entry)));
}
