/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What simt/runs.h says of random tiles of pointers and masks, against the addresses that the
 * interpreter computes. Nothing is accessed through them.
 *
 *   test_simt_runs [first seed [how many]]     prints the program of the first that is wrong
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "run_program.h"
#include "simt/nvidia/nvidia.h"
#include "simt/plan.h"
#include "simt/runs.h"
#include "target/gpu.h"

enum { SEEDS = 6000, MOST = 256, ARGS = 4 };

static uint64_t state_of_draw, first_seed = 1, seed_count = SEEDS;
static uint32_t draw(uint32_t below) {
  state_of_draw = state_of_draw * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state_of_draw >> 33) % below;
}

/* ---- programs ------------------------------------------------------------------------------- */

static const char *const TYPES[] = {"i8", "i16", "i32", "i64"};

typedef struct maker {
  sbuf text;
  unsigned rows, columns, next, size; /* size: log2 of the pointee's bytes */
} maker;

static char shape_text[32];
static const char *shape(const maker *g) {
  snprintf(shape_text, sizeof shape_text, "%ux%ux", g->rows, g->columns);
  return shape_text;
}

/* A scalar in all of a tile. */
static unsigned spread(maker *g, const char *name, const char *type) {
  unsigned v = g->next++;
  sbuf_printf(&g->text, "%%s%u = reshape %s : tile<%s> -> tile<1x1x%s>\n", v, name, type, type);
  sbuf_printf(&g->text, "%%v%u = broadcast %%s%u : tile<1x1x%s> -> tile<%s%s>\n", v, v, type,
              shape(g), type);
  return v;
}

static unsigned make_iota(maker *g, const char *type) {
  unsigned v = g->next++, along = draw(2), n = along ? g->columns : g->rows;
  sbuf_printf(&g->text, "%%i%u = iota : tile<%ux%s>\n", v, n, type);
  unsigned r = along ? 1 : n, c = along ? n : 1;
  sbuf_printf(&g->text, "%%r%u = reshape %%i%u : tile<%ux%s> -> tile<%ux%ux%s>\n", v, v, n, type, r,
              c, type);
  sbuf_printf(&g->text, "%%v%u = broadcast %%r%u : tile<%ux%ux%s> -> tile<%s%s>\n", v, v, r, c,
              type, shape(g), type);
  if (draw(6) == 0) {
    sbuf_printf(&g->text, "%%a%u = assume div_by<1, every %u along %u>, %%v%u : tile<%s%s>\n", v,
                1u << draw(4) & n ? n : 1, along, v, shape(g), type);
    sbuf_printf(&g->text, "%%w%u = addi %%a%u, %%a%u : tile<%s%s>\n", v, v, v, shape(g), type);
  }
  return v;
}

static unsigned make_constant(maker *g, const char *type) {
  static const int values[] = {0, 1, 2, 4, 8, 16, 64, 100, 3, -1, -8, 8192, 16384};
  unsigned v = g->next++, most = ARRAY_LEN(values) - (strcmp(type, "i8") ? 0 : 2);
  sbuf_printf(&g->text, "%%v%u = constant <%s: %d> : tile<%s%s>\n", v, type, values[draw(most)],
              shape(g), type);
  return v;
}

static unsigned make(maker *g, unsigned type, unsigned depth);

static unsigned binary(maker *g, const char *op, unsigned type, unsigned a, unsigned b) {
  unsigned v = g->next++;
  sbuf_printf(&g->text, "%%v%u = %s %%v%u, %%v%u : tile<%s%s>\n", v, op, a, b, shape(g),
              TYPES[type]);
  return v;
}

static unsigned widened(maker *g, unsigned type, unsigned depth) {
  unsigned from = draw(type), x = make(g, from, depth), v = g->next++;
  sbuf_printf(&g->text, "%%v%u = exti %%v%u %s : tile<%s%s> -> ", v, x,
              draw(2) ? "signed" : "unsigned", shape(g), TYPES[from]);
  sbuf_printf(&g->text, "tile<%s%s>\n", shape(g), TYPES[type]);
  return v;
}

static unsigned narrowed(maker *g, unsigned type, unsigned depth) {
  unsigned from = type + 1 + draw(3 - type), x = make(g, from, depth), v = g->next++;
  sbuf_printf(&g->text, "%%v%u = trunci %%v%u : tile<%s%s> -> ", v, x, shape(g), TYPES[from]);
  sbuf_printf(&g->text, "tile<%s%s>\n", shape(g), TYPES[type]);
  return v;
}

/* A tile of integers; returns the number of its name. */
static unsigned make(maker *g, unsigned type, unsigned depth) {
  char name[16];
  unsigned a, b;
  switch (depth ? draw(12) : draw(3)) {
  case 0: return make_constant(g, TYPES[type]);
  case 1:
    snprintf(name, sizeof name, "%%%s_%u", TYPES[type], draw(ARGS));
    return spread(g, name, TYPES[type]);
  case 2:
  case 3: return make_iota(g, TYPES[type]);
  case 4:
  case 5:
  case 6:
  case 7:
    a = make(g, type, depth - 1), b = make(g, type, depth - 1);
    return binary(g, draw(5) ? "addi" : "subi", type, a, b);
  case 8:
    a = make(g, type, depth - 1), b = draw(4) ? make_constant(g, TYPES[type]) : make(g, type, 0);
    return draw(2) ? binary(g, "muli", type, a, b) : binary(g, "muli", type, b, a);
  case 9:
    a = make(g, type, depth - 1), b = g->next++;
    sbuf_printf(&g->text, "%%v%u = constant <%s: %u> : tile<%s%s>\n", b, TYPES[type], draw(5),
                shape(g), TYPES[type]);
    return binary(g, "shli", type, a, b);
  case 10:
    if (type) return widened(g, type, depth - 1);
    return make_iota(g, TYPES[type]);
  default:
    if (type < 3) return narrowed(g, type, depth - 1);
    return make_iota(g, TYPES[type]);
  }
}

static unsigned make_mask(maker *g, unsigned depth) {
  static const char *const hows[] = {"less_than", "less_than_or_equal", "equal",
                                     "not_equal", "greater_than",       "greater_than_or_equal"};
  if (depth && draw(3) == 0) {
    unsigned a = make_mask(g, depth - 1), b = make_mask(g, depth - 1), v = g->next++;
    sbuf_printf(&g->text, "%%v%u = %s %%v%u, %%v%u : tile<%si1>\n", v, draw(2) ? "andi" : "ori", a,
                b, shape(g));
    return v;
  }
  unsigned type = 1 + draw(3), a = make(g, type, 2), b = make(g, type, draw(2)), v = g->next++;
  sbuf_printf(&g->text, "%%v%u = cmpi %s %%v%u, %%v%u, %s : tile<%s%s> -> ", v,
              hows[draw(ARRAY_LEN(hows))], a, b, draw(2) ? "signed" : "unsigned", shape(g),
              TYPES[type]);
  sbuf_printf(&g->text, "tile<%si1>\n", shape(g));
  return v;
}

/* Addresses and masks are stored for the test to look at; the load is there to be asked about and
 * never executed. */
static char *program(arena *memory) {
  static const char *const pointees[] = {"i8", "f16", "f32", "f64"};
  maker g = {.text = SBUF(memory), .rows = 1u << draw(4), .columns = 1u << draw(5)};
  g.size = draw(4);
  const char *elem = pointees[g.size];
  sbuf_printf(&g.text,
              "cuda_tile.module @m { entry @k(%%to: tile<ptr<i64>>, %%masks: tile<ptr<i8>>, "
              "%%base_0: tile<ptr<%s>>, %%never: tile<i1>",
              elem);
  for (unsigned t = 0; t < ARRAY_LEN(TYPES); t++)
    for (unsigned i = 0; i < ARGS; i++)
      sbuf_printf(&g.text, ", %%p_%s_%u: tile<%s>", TYPES[t], i, TYPES[t]);
  sbuf_puts(&g.text, ") {\n");
  sbuf_printf(&g.text, "%%base = assume div_by<64>, %%base_0 : tile<ptr<%s>>\n", elem);
  for (unsigned t = 0; t < ARRAY_LEN(TYPES); t++)
    for (unsigned i = 0; i < ARGS; i++) /* argument i is a multiple of 4^i */
      sbuf_printf(&g.text, "%%%s_%u = assume div_by<%u>, %%p_%s_%u : tile<%s>\n", TYPES[t], i,
                  1u << 2 * i, TYPES[t], i, TYPES[t]);
  char type[24];
  snprintf(type, sizeof type, "ptr<%s>", elem);
  unsigned pointer = spread(&g, "%base", type);
  for (unsigned n = 1 + draw(2); n; n--) {
    unsigned wide = 2 + draw(2), by = make(&g, wide, 1 + draw(4)), v = g.next++;
    sbuf_printf(&g.text, "%%v%u = offset %%v%u, %%v%u : tile<%s%s>, ", v, pointer, by, shape(&g),
                type);
    sbuf_printf(&g.text, "tile<%s%s> -> ", shape(&g), TYPES[wide]);
    sbuf_printf(&g.text, "tile<%s%s>\n", shape(&g), type);
    pointer = v;
  }
  unsigned mask = make_mask(&g, 2);
  sbuf_printf(&g.text, "%%address = ptr_to_int %%v%u : tile<%s%s> -> ", pointer, shape(&g), type);
  sbuf_printf(&g.text, "tile<%si64>\n%%byte = exti %%v%u unsigned : ", shape(&g), mask);
  sbuf_printf(&g.text, "tile<%si1> -> ", shape(&g));
  sbuf_printf(&g.text, "tile<%si8>\n", shape(&g));
  for (unsigned i = 0; i < 2; i++)
    sbuf_printf(&g.text,
                "%%o%u_v = make_tensor_view %%%s, shape = [%u, %u], strides = [%u, 1] : "
                "tensor_view<%ux%ux%s, strides=[%u,1]>\n%%o%u = make_partition_view %%o%u_v : "
                "partition_view<tile=(%ux%u), tensor_view<%ux%ux%s, strides=[%u,1]>>\n%%z%u = "
                "constant <i32: 0> : tile<i32>\n%%t%u = store_view_tko weak %%%s, %%o%u[%%z%u, "
                "%%z%u] : tile<%ux%ux%s>, partition_view<tile=(%ux%u), tensor_view<%ux%ux%s, "
                "strides=[%u,1]>>, tile<i32> -> token\n",
                i, i ? "masks" : "to", g.rows, g.columns, g.columns, g.rows, g.columns,
                i ? "i8" : "i64", g.columns, i, i, g.rows, g.columns, g.rows, g.columns,
                i ? "i8" : "i64", g.columns, i, i, i ? "byte" : "address", i, i, i, g.rows,
                g.columns, i ? "i8" : "i64", g.rows, g.columns, g.rows, g.columns, i ? "i8" : "i64",
                g.columns);
  sbuf_printf(&g.text, "if %%never {\n%%x, %%t = load_ptr_tko weak %%v%u, %%v%u : tile<%s%s>, ",
              pointer, mask, shape(&g), type);
  sbuf_printf(&g.text, "tile<%si1> -> ", shape(&g));
  sbuf_printf(&g.text, "tile<%s%s>, token\n}\n}\n}\n", shape(&g), elem);
  return g.text.data;
}

/* ---- what is said of them ------------------------------------------------------------------- */

static uint64_t addresses[MOST];
static uint8_t masks[MOST];
static const char *wrong; /* what is, or NULL */
static unsigned runs_seen, aligned_seen, whole_seen;

static bool find_load(void *user, ir_op *op) {
  if (op->opcode == OP_load_ptr_tko) *(ir_op **)user = op;
  return true;
}

static void check_run(const simt_run *r, const int8_t *bits, int64_t count, unsigned size) {
  uint32_t inside = 0;
  for (unsigned j = 0; j < r->bits; j++) inside |= 1u << bits[j];
  for (uint32_t first = 0; first < (uint32_t)count; first++) {
    if (first & inside) continue;
    if (!r->test_alignment && addresses[first] % ((uint64_t)size << r->bits))
      wrong = "a run is not aligned";
    for (uint32_t k = 1; k < 1u << r->bits; k++) {
      uint32_t at = first;
      for (unsigned j = 0; j < r->bits; j++) at |= (k >> j & 1) << bits[j];
      if (addresses[at] != addresses[first] + (uint64_t)k * size)
        wrong = "elements of a run don't follow each other";
      if (!r->test_mask && masks[at] != masks[first]) wrong = "a run exists in part";
    }
  }
}

/* The runs that a plan finds, each against what was executed. */
static void look_with(const simt_target *target, ir_module *m, ir_op *entry) {
  arena memory;
  arena_init(&memory, m->ctx);
  const simt_plan *p = simt_assign(m, entry, target, &memory);
  ir_op *load = NULL;
  ir_walk(entry, find_load, &load);
  const ir_value *pointers = ir_operand_in(load, 0);
  const ir_type *t = pointers->type;
  unsigned size = tsr_elem_bits((tsr_elem)t->pointee) / 8;
  for (unsigned d = 0; d < t->rank; d++)
    for (unsigned skip = 0; skip < 2; skip++) {
      unsigned first, n;
      int8_t bits[SIMT_BITS];
      simt_dim_bits(t, d, &first, &n);
      if (n <= skip) continue;
      for (unsigned j = 0; j + skip < n; j++) bits[j] = (int8_t)(first + skip + j);
      simt_run r =
          simt_pointer_run(p->facts, pointers, ir_operand_in(load, 1), bits, MIN(n - skip, 4u));
      check_run(&r, bits, t->count, size);
      runs_seen += r.bits > 0;
      aligned_seen += r.bits > 0 && !r.test_alignment;
      whole_seen += r.bits > 0 && !r.test_mask;
    }
  arena_free(&memory);
}

/* With warps of 32 lanes and of 64. */
static bool look(ir_module *m, ir_op *entry, rt_block *block, run_grid grid) {
  if (!run_interp(m, entry, block, grid)) return false;
  const gpu_target *t;
  simt_target narrow = {.gpu = gpu_find_target("sm_80"), .vendor = &simt_nvidia}, wide = {0};
  for (size_t i = 0; (t = gpu_row_at(i)); i++)
    if (t->lane_bits == 6 && t->banks == 64) wide.gpu = t;
  look_with(&narrow, m, entry);
  look_with(&wide, m, entry);
  return true;
}

static void test_random_pointers(void **state) {
  (void)state;
  for (uint64_t seed = first_seed; seed < first_seed + seed_count; seed++) {
    arena memory;
    run_log log;
    tsr_context *ctx = tsr_context_create(NULL);
    arena_init(&memory, ctx);
    state_of_draw = seed * 7919 + 3;
    char *text = program(&memory);
    uint64_t args[4 + 4 * ARGS] = {ARG_ADDRESS(addresses), ARG_ADDRESS(masks), 1 << 20, 0};
    for (unsigned i = 0; i < 4 * ARGS; i++) {
      unsigned bits = 8u << i / ARGS;
      uint64_t x = ((uint64_t)draw(UINT32_MAX) << 32 | draw(UINT32_MAX)) >> draw(64);
      if (draw(3) == 0) x = 0 - x;
      x &= ~((UINT64_C(1) << 2 * (i % ARGS)) - 1);
      args[4 + i] = bits == 64 ? x : x & ((UINT64_C(1) << bits) - 1);
    }
    wrong = NULL;
    if (!run_program_on(look, text, "k", (run_grid){1, 1, 1}, args, &log))
      fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, log.diagnostics, text);
    if (wrong) fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, wrong, text);
    arena_free(&memory);
    tsr_context_destroy(ctx);
  }
  /* It would be no use if nothing were ever found. */
  if (seed_count == SEEDS) {
    assert_true(runs_seen > SEEDS / 20 && aligned_seen > SEEDS / 50 && whole_seen > SEEDS / 50);
    assert_true(whole_seen < runs_seen && aligned_seen < runs_seen);
  }
}

int main(int argc, char **argv) {
  if (argc > 1) first_seed = strtoull(argv[1], NULL, 0), seed_count = 1;
  if (argc > 2) seed_count = strtoull(argv[2], NULL, 0);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_pointers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
