/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Matrix products on AMD's emulated GPUs beside the interpreter's: every type that plans choose a
 * matrix instruction for, shapes of one block and of several, operands along both orders of memory.
 * Numbers are so small that all sums are exact.
 */
#include "gpu_engine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "num/num.h"
#include "simt/plan.h"
#include "target/matrix.h"

enum { MOST = 64 * 64 * 8 };

typedef struct product {
  tsr_elem from, to;
  bool is_signed;
  unsigned m, n, k;
  bool along_k; /* B's rows lie along k in memory */
} product;

static const char *text_of(arena *a, const product *p) {
  const char *from = tsr_elem_name(p->from), *to = tsr_elem_name(p->to);
  const char *sign = p->is_signed ? "signed signed" : "unsigned signed";
  unsigned step_k = p->along_k ? 1 : p->n, step_n = p->along_k ? p->k : 1;
  bool integer = p->from == TSR_I8;
#define VIEW(name, of, rows, columns, s0, s1, elem)                                                \
  arena_printf(a,                                                                                  \
               "%%" name "v = make_tensor_view %%" of ", shape = [%u, %u], strides = [%u, %u] : "  \
               "tensor_view<%ux%ux%s, strides=[%u,%u]>\n"                                          \
               "%%" name "p = make_partition_view %%" name "v : partition_view<tile=(%ux%u), "     \
               "tensor_view<%ux%ux%s, strides=[%u,%u]>>\n",                                        \
               rows, columns, s0, s1, rows, columns, elem, s0, s1, rows, columns, rows, columns,   \
               elem, s0, s1)
#define TYPE(rows, columns, s0, s1, elem)                                                          \
  arena_printf(a, "partition_view<tile=(%ux%u), tensor_view<%ux%ux%s, strides=[%u,%u]>>", rows,    \
               columns, rows, columns, elem, s0, s1)
  const char *ta = TYPE(p->m, p->k, p->k, 1u, from), *tb = TYPE(p->k, p->n, step_k, step_n, from);
  const char *tc = TYPE(p->m, p->n, p->n, 1u, to);
  sbuf s = SBUF(a);
  sbuf_printf(&s,
              "cuda_tile.module @m { entry @k(%%A: tile<ptr<%s>>, %%B: tile<ptr<%s>>, %%C: "
              "tile<ptr<%s>>) {\n%%z = constant <i32: 0> : tile<i32>\n%s%s%s",
              from, from, to, VIEW("a", "A", p->m, p->k, p->k, 1u, from),
              VIEW("b", "B", p->k, p->n, step_k, step_n, from),
              VIEW("c", "C", p->m, p->n, p->n, 1u, to));
  sbuf_printf(
      &s,
      "%%x, %%t0 = load_view_tko weak %%ap[%%z, %%z] : %s, tile<i32> -> tile<%ux%ux%s>, token\n",
      ta, p->m, p->k, from);
  sbuf_printf(
      &s,
      "%%y, %%t1 = load_view_tko weak %%bp[%%z, %%z] : %s, tile<i32> -> tile<%ux%ux%s>, token\n",
      tb, p->k, p->n, from);
  sbuf_printf(
      &s,
      "%%c, %%t2 = load_view_tko weak %%cp[%%z, %%z] : %s, tile<i32> -> tile<%ux%ux%s>, token\n",
      tc, p->m, p->n, to);
  sbuf_printf(&s, "%%d = %s %%x, %%y, %%c %s : tile<%ux%ux%s>, tile<%ux%ux%s>, tile<%ux%ux%s>\n",
              integer ? "mmai" : "mmaf", integer ? sign : "", p->m, p->k, from, p->k, p->n, from,
              p->m, p->n, to);
  sbuf_printf(&s,
              "%%t3 = store_view_tko weak %%d, %%cp[%%z, %%z] token=%%t2 : tile<%ux%ux%s>, %s, "
              "tile<i32> -> token\n} }\n",
              p->m, p->n, to, tc);
  return s.data;
}

/* Numbers from -2 to 2. */
static void fill(uint8_t *data, tsr_elem elem, unsigned n, uint32_t seed) {
  const num_format *f = num_format_of(elem);
  for (unsigned i = 0; i < n; i++) {
    seed = seed * 1664525 + 1013904223;
    int x = (int)(seed >> 24) % 5 - 2;
    uint64_t pattern = f ? num_encode(f, x, NUM_NEAREST_EVEN) : (uint64_t)(int64_t)x;
    num_store_array(data, &pattern, elem, i, 1);
  }
}

static bool run_on(run_engine runner, const char *text, uint8_t (*buffers)[MOST]) {
  run_log log;
  uint64_t args[] = {(uintptr_t)buffers[0], (uintptr_t)buffers[1], (uintptr_t)buffers[2]};
  bool ok = run_program_on(runner, text, "k", (run_grid){1, 1, 1}, args, &log);
  if (!ok) fprintf(stderr, "%s\n%s\n", text, log.diagnostics);
  return ok;
}

static void check_product(const char *target, const product *p) {
  static uint8_t expected[3][MOST], got[3][MOST];
  arena a;
  tsr_context *ctx = tsr_context_create(NULL);
  arena_init(&a, ctx);
  fill(expected[0], p->from, p->m * p->k, 1);
  fill(expected[1], p->from, p->k * p->n, 2);
  fill(expected[2], p->to, p->m * p->n, 3);
  memcpy(got, expected, sizeof got);
  const char *text = text_of(&a, p);
  engine_target = gpu_find_target(target);
  assert_true(run_on(run_interp, text, expected));
  assert_true(run_on(run_gpu, text, got));
  if (memcmp(expected[2], got[2], MOST))
    fail_msg("%s: %s to %s, %ux%ux%u", target, tsr_elem_name(p->from), tsr_elem_name(p->to), p->m,
             p->n, p->k);
  arena_free(&a);
  tsr_context_destroy(ctx);
}

static const struct {
  tsr_elem from, to;
  bool is_signed;
} types[] = {
    {TSR_F16, TSR_F32},    {TSR_F16, TSR_F16},      {TSR_BF16, TSR_F32},
    {TSR_F32, TSR_F32},    {TSR_F64, TSR_F64},      {TSR_F8E4M3FN, TSR_F32},
    {TSR_F8E5M2, TSR_F32}, {TSR_I8, TSR_I32, true}, {TSR_I8, TSR_I32, false},
};

static void test_products(void **state) {
  static const unsigned shapes[][3] = {{32, 32, 32}, {64, 16, 64}, {8, 32, 64}};
  for (size_t i = 0; i < ARRAY_LEN(types); i++)
    for (size_t k = 0; k < ARRAY_LEN(shapes); k++) {
      product p = {.from = types[i].from,
                   .to = types[i].to,
                   .is_signed = types[i].is_signed,
                   .m = shapes[k][0],
                   .n = shapes[k][1],
                   .k = shapes[k][2],
                   .along_k = k == 1};
      check_product(*state, &p);
    }
}

#define ON(target)                                                                                 \
  { "products/" target, test_products, NULL, NULL, (void *)(uintptr_t)target }

int main(void) {
  const struct CMUnitTest tests[] = {ON("gfx90a"), ON("gfx942"), ON("gfx950")};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
