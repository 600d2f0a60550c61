/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Distributions of tiles over threads, against enumeration; and the plan of whole programs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ir/verify.h"
#include "random_program.h"
#include "simt/arrange.h"
#include "simt/mma.h"
#include "simt/nvidia/nvidia.h"
#include "simt/nvidia/stage.h"
#include "simt/pipeline.h"
#include "simt/plan.h"
#include "simt/plan_check.h"
#include "target/gpu.h"
#include "text/text.h"
#include "target/banks.h"

static uint64_t state_of_draw = 88172645463325252u;
static uint32_t draw(uint32_t below) {
  state_of_draw ^= state_of_draw << 13;
  state_of_draw ^= state_of_draw >> 7;
  state_of_draw ^= state_of_draw << 17;
  return (uint32_t)(state_of_draw >> 33) % below;
}

/* ---- GPUs: of both sizes of warps, with 32 and 64 banks ---------------------------------------
 */

static const char *const gpu_names[] = {"sm_80", "gfx942", "gfx950", "gfx1100"};

static const gpu_target *gpu_named(const char *name) {
  const gpu_target *t;
  for (size_t i = 0; (t = gpu_row_at(i)); i++)
    if (strcmp(t->name, name) == 0) return t;
  fail_msg("there is no %s", name);
  return NULL;
}

static const gpu_target *random_gpu(void) {
  return gpu_named(gpu_names[draw(ARRAY_LEN(gpu_names))]);
}

static simt_threads random_threads(unsigned warps) {
  return (simt_threads){random_gpu()->lane_bits, (uint8_t)draw(warps)};
}

/* The bits of an index in any order, spread in any way. */
static simt_dist random_dist(unsigned n, simt_threads threads) {
  uint8_t order[SIMT_BITS];
  for (unsigned k = 0; k < n; k++) order[k] = (uint8_t)k;
  for (unsigned k = n; k > 1; k--) {
    unsigned j = draw(k);
    uint8_t t = order[k - 1];
    order[k - 1] = order[j];
    order[j] = t;
  }
  return simt_dist_ordered(n, order, draw(n + 1), threads);
}

/* Every element is held, and by 2^(copies) threads each. */
static void check_covers(const simt_dist *d) {
  uint32_t counts[1 << 12] = {0}, total = 1u << (d->regs + d->lanes + d->warps);
  assert_true(simt_dist_valid(d));
  for (uint32_t slot = 0; slot < 1u << d->regs; slot++)
    for (uint32_t lane = 0; lane < 1u << d->lanes; lane++)
      for (uint32_t warp = 0; warp < 1u << d->warps; warp++) {
        uint32_t index = simt_index_at(d, slot, lane, warp);
        counts[index]++;
        assert_int_equal(simt_slot_of_index(d, index), slot);
      }
  for (uint32_t i = 0; i < 1u << d->n; i++) assert_int_equal(counts[i], total >> d->n);
}

static void test_distributions(void **state) {
  (void)state;
  for (unsigned round = 0; round < 200; round++) {
    simt_dist d = random_dist(draw(12), random_threads(4));
    check_covers(&d);
    if (d.n < 2) continue;
    unsigned first = draw(d.n), count = 1 + draw(d.n - first);
    simt_dist less = simt_dist_drop(&d, first, count);
    check_covers(&less);
    /* What is left is where it was, without the bits that went. */
    uint32_t low = (1u << first) - 1, lane = draw(1u << d.lanes), warp = draw(1u << d.warps);
    for (uint32_t slot = 0; slot < 1u << d.regs; slot++) {
      uint32_t index = simt_index_at(&d, slot, lane, warp);
      uint32_t rest = (index & low) | (index >> count & ~low);
      assert_int_equal(simt_index_at(&less, simt_slot_of_index(&less, rest), lane, warp), rest);
    }
    simt_dist more = simt_dist_insert(&less, first, count);
    if (more.n < 12) check_covers(&more);
  }
}

/* A conversion is one of registers just when every thread holds what it needs, and one of shuffles
 * just when some lane of its warp does. */
static void test_conversions(void **state) {
  (void)state;
  unsigned seen[4] = {0};
  for (unsigned round = 0; round < 400; round++) {
    unsigned n = 1 + draw(8);
    simt_threads threads = random_threads(3);
    simt_dist a = random_dist(n, threads), b = random_dist(n, threads);
    if (draw(3) == 0) { /* the same threads, other registers */
      b = a;
      for (unsigned j = 0; j + 1 < b.regs; j += 2) {
        int8_t t = b.reg[j];
        b.reg[j] = b.reg[j + 1];
        b.reg[j + 1] = t;
      }
    }
    bool own = true, near = true;
    for (uint32_t warp = 0; warp < 1u << threads.warps; warp++)
      for (uint32_t lane = 0; lane < 1u << threads.lanes; lane++)
        for (uint32_t slot = 0; slot < 1u << b.regs; slot++) {
          uint32_t index = simt_index_at(&b, slot, lane, warp);
          uint32_t from = simt_slot_of_index(&a, index);
          own &= simt_index_at(&a, from, lane, warp) == index;
          bool found = false;
          for (uint32_t other = 0; other < 1u << threads.lanes; other++)
            found |= simt_index_at(&a, from, other, warp) == index;
          near &= found;
        }
    tsr_conversion kind = simt_conversion(&a, &b);
    seen[kind]++;
    if (kind == TSR_CONVERSION_NONE) assert_true(simt_dist_equal(&a, &b));
    assert_int_equal(own, kind <= TSR_CONVERSION_REGISTERS);
    assert_int_equal(near, kind <= TSR_CONVERSION_SHUFFLE);
  }
  for (unsigned i = 0; i < 4; i++) assert_true(seen[i] > 0);
}

/* ---- stages of pipelines ------------------------------------------------------------------- */

/* Where the PTX ISA says that a bulk tensor copy puts the byte `x` of row `row`: panels of `span`
 * bytes, one after the other; in each, 16-byte units are turned by bits 7 and up of the address. */
static uint32_t swizzled_byte(uint32_t row, uint32_t x, uint32_t rows, uint32_t span) {
  uint32_t at = x / span * rows * span + row * span + x % span;
  return at ^ (at >> 7 & (span / 16 - 1)) << 4;
}

/* Every element has a place of its own, the one that bulk copies give it, and the eight rows of a
 * block of ldmatrix meet different banks wherever the block lies. */
static void check_stage(const simt_product *s, bool is_lhs, bool fast_is_k, unsigned elem_bytes) {
  static uint8_t taken[1 << 20];
  simt_stage_layout l = simt_stage_layout_of(s, is_lhs, fast_is_k, elem_bytes);
  unsigned columns = is_lhs ? s->k : s->n, rest = l.n - columns;
  bool fast_is_columns = is_lhs == fast_is_k;
  assert_true(l.bytes <= sizeof taken && l.bytes % SIMT_STAGE_ALIGN == 0);
  memset(taken, 0, l.bytes);
  for (uint32_t index = 0; index < 1u << l.n; index++) {
    uint32_t column = index & ((1u << columns) - 1), row = index >> columns;
    uint32_t batch = row >> (rest - l.batch);
    row &= (1u << (rest - l.batch)) - 1;
    uint32_t fast = fast_is_columns ? column : row, slow = fast_is_columns ? row : column;
    uint32_t at = simt_stage_at(&l, index);
    assert_int_equal(at, swizzled_byte(slow | batch << l.slow, fast << elem_bytes,
                                       1u << (l.slow + l.batch), l.row_bytes));
    assert_true(at < l.bytes && !taken[at]);
    taken[at] = 1;
  }
  unsigned chunk = 4 - elem_bytes, slow_first = fast_is_columns ? columns : 0;
  unsigned fast_first = fast_is_columns ? 0 : columns;
  for (uint32_t at = 0; at < 1u << (l.fast - chunk) && l.slow >= 3; at++) {
    uint32_t banks = 0;
    for (uint32_t row = 0; row < 8; row++) {
      uint32_t index = at << (fast_first + chunk) | row << slow_first;
      banks |= 1u << (simt_stage_at(&l, index) / SIMT_CHUNK % 8);
    }
    assert_int_equal(banks, 0xff);
  }
}

static void test_stages(void **state) {
  (void)state;
  for (unsigned round = 0; round < 400; round++) {
    simt_product s = {.batch = draw(3), .m = 3 + draw(5), .n = 3 + draw(5), .k = 2 + draw(5)};
    bool is_lhs = draw(2), fast_is_k = draw(2);
    unsigned elem_bytes = draw(4), fast = fast_is_k ? s.k : is_lhs ? s.m : s.n;
    if (fast + elem_bytes >= 4) check_stage(&s, is_lhs, fast_is_k, elem_bytes);
  }
}

/* ---- plans ---------------------------------------------------------------------------------- */

typedef struct planned {
  const simt_plan *plan;
  unsigned held, lazy;
} planned;

static void check_value(planned *p, const ir_value *v) {
  if (v->type->kind != IR_TILE) return;
  const simt_value *x = simt_value_of(p->plan, v);
  assert_true(x->home != SIMT_NONE);
  if (x->home == SIMT_LAZY) {
    p->lazy++;
    return;
  }
  p->held++;
}

static bool check_op(void *user, ir_op *op) {
  planned *p = user;
  for (uint32_t i = 0; i < op->n_results; i++) check_value(p, ir_result(op, i));
  for (unsigned r = 0; r < op->n_regions; r++)
    for (uint32_t i = 0; ir_region(op, r) && i < ir_region(op, r)->n_args; i++)
      check_value(p, &ir_region(op, r)->args[i]);
  /* Parts of a for that must fit each other. */
  if (op->opcode == OP_for)
    for (uint32_t i = 0; i < op->n_results; i++)
      if (ir_result(op, i)->type->kind == IR_TILE)
        assert_true(simt_dist_equal(&simt_value_of(p->plan, ir_result(op, i))->dist,
                                    &simt_value_of(p->plan, &ir_region(op, 0)->args[i + 1])->dist));
  return true;
}

/* Each of these distributions is none that the entry's first argument can have. */
static void check_problems(const simt_plan *p, ir_op *entry) {
  simt_dist *d = &p->values[ir_region(entry, 0)->args[0].number].dist, right = *d;
  assert_null(simt_plan_problem(p, entry));
  d->n++;
  assert_non_null(strstr(simt_plan_problem(p, entry), "of another size"));
  *d = right, d->warps++;
  assert_non_null(strstr(simt_plan_problem(p, entry), "over other threads"));
  *d = right, d->lane[0] = 3;
  assert_non_null(strstr(simt_plan_problem(p, entry), "each bit once"));
  *d = right;
  assert_null(simt_plan_problem(p, entry));
}

static planned plan_text(tsr_context *ctx, const gpu_target *gpu, str text, const char *kernel,
                         arena *a, unsigned *warps) {
  ir_module *m = text_parse(ctx, text, "test.mlir", false);
  assert_true(m && ir_verify(m));
  ir_op *entry = ir_find_symbol(m, str_of(kernel));
  simt_target target = {.gpu = gpu, .vendor = gpu->vendor == GPU_NVIDIA ? &simt_nvidia : NULL};
  planned p = {.plan = simt_assign(m, entry, &target, a)};
  *warps = 1u << p.plan->warps;
  ir_walk(entry, check_op, &p);
  check_problems(p.plan, entry);
  sbuf shown = SBUF(a);
  simt_plan_print(&shown, p.plan, m, entry);
  assert_non_null(strstr(shown.data, kernel));
  ir_module_destroy(m);
  return p;
}

static void test_random_plans(void **state) {
  (void)state;
  tsr_context *ctx = tsr_context_create(NULL);
  arena a;
  arena_init(&a, ctx);
  unsigned held = 0, lazy = 0, warps;
  for (uint64_t seed = 1; seed <= 100; seed++) {
    random_program g = random_make(&a, seed, 1, &(random_limits){.ops = 12, .bits = 8});
    planned p = plan_text(ctx, random_gpu(), str_of(g.text), "k0", &a, &warps);
    held += p.held;
    lazy += p.lazy;
    arena_free(&a);
  }
  assert_true(held > 100 && lazy > 100);
  tsr_context_destroy(ctx);
}

static void test_kernels(void **state) {
  (void)state;
  static const struct {
    const char *file, *kernel;
    unsigned warps;
  } kernels[] = {
      {"kernels/gemm.mlir", "gemm_f32_128x128x64", 8},
      {"kernels/gemm.mlir", "gemm_f32_64x64x64", 4},
      {"kernels/softmax.mlir", "softmax_f32_4096", 4},
  };
  tsr_context *ctx = tsr_context_create(NULL);
  arena a;
  arena_init(&a, ctx);
  for (unsigned i = 0; i < ARRAY_LEN(kernels); i++) {
    str text;
    unsigned warps;
    assert_true(file_read(ctx, &a, kernels[i].file, 1 << 20, &text));
    plan_text(ctx, gpu_named("sm_80"), text, kernels[i].kernel, &a, &warps);
    assert_int_equal(warps, kernels[i].warps);
    for (unsigned k = 0; k < ARRAY_LEN(gpu_names); k++)
      plan_text(ctx, gpu_named(gpu_names[k]), text, kernels[i].kernel, &a, &warps);
  }
  arena_free(&a);
  tsr_context_destroy(ctx);
}

/* A kernel's plan as text. */
static const char *shown_plan(const simt_target *target, const char *kernel, arena *a) {
  str text;
  sbuf shown = SBUF(a);
  assert_true(file_read(a->ctx, a, "kernels/gemm.mlir", 1 << 20, &text));
  ir_module *m = text_parse(a->ctx, text, "test.mlir", false);
  assert_true(m && ir_verify(m));
  ir_op *entry = ir_find_symbol(m, str_of(kernel));
  simt_plan_print(&shown, simt_assign(m, entry, target, a), m, entry);
  ir_module_destroy(m);
  return shown.data;
}

/* The matrix instruction that a GPU has for the operands' type, without anything of its vendor. */
static void test_products(void **state) {
  (void)state;
  static const struct {
    const char *gpu, *kernel, *by;
  } products[] = {
      {"sm_80", "gemm_bf16_128x128x64", "mma.sync.m16n8k16"},
      {"sm_80", "gemm_f8E5M2_128x128x64", "mma.sync.m16n8k16"},
      {"sm_89", "gemm_f8E5M2_128x128x64", "mma.sync.m16n8k32"},
      {"gfx90a", "gemm_bf16_128x128x64", "v_mfma_f32_32x32x8_bf16"},
      {"gfx90a", "gemm_s8_128x128x64", "v_mfma_i32_32x32x8_i8"},
      {"gfx90a", "gemm_f8E5M2_128x128x64", "v_mfma_f32_32x32x8_f16"},
      {"gfx942", "gemm_f16_128x128x64", "v_mfma_f32_32x32x8_f16"},
      {"gfx942", "gemm_s8_128x128x64", "v_mfma_i32_32x32x16_i8"},
      {"gfx950", "gemm_f16_128x128x64", "v_mfma_f32_32x32x16_f16"},
      {"gfx950", "gemm_f8E4M3FN_128x128x64", "v_mfma_f32_32x32x16_fp8_fp8"},
      {"gfx950", "gemm_f32_128x128x64", "v_mfma_f32_32x32x2_f32"},
      {"gfx1100", "gemm_f16_128x128x64", "v_wmma_f32_16x16x16_f16"},
      {"gfx1200", "gemm_s8_128x128x64", "v_wmma_i32_16x16x16_iu8"},
  };
  tsr_context *ctx = tsr_context_create(NULL);
  arena a;
  arena_init(&a, ctx);
  for (unsigned i = 0; i < ARRAY_LEN(products); i++) {
    char line[64];
    simt_target target = {.gpu = gpu_named(products[i].gpu)};
    snprintf(line, sizeof line, "    by %s", products[i].by);
    const char *shown = shown_plan(&target, products[i].kernel, &a);
    if (!strstr(shown, line))
      fail_msg("%s of %s isn't%s:\n%s", products[i].kernel, products[i].gpu, line, shown);
    arena_free(&a);
  }
  tsr_context_destroy(ctx);
}

/* ---- arrangements in shared memory ----------------------------------------------------------- */

static int32_t offset_of(const int32_t *weight, uint32_t index) {
  int32_t offset = 0;
  for (unsigned k = 0; k < SIMT_BITS; k++) offset += index >> k & 1 ? weight[k] : 0;
  return offset;
}

/* Of the lanes of a phase: the most different words of a bank, as they are accessed. */
static uint32_t count_ways(const gpu_target *gpu, const simt_dist *d, const int32_t *weight,
                           unsigned bytes, unsigned run, uint32_t slot, const gpu_phases *phases,
                           uint32_t phase, uint32_t warp) {
  uint8_t in_bank[64] = {0}, most = 0;
  bool seen[1 << 14] = {false};
  for (uint32_t i = 0; i < 1u << d->lanes; i++)
    for (uint32_t k = 0; gpu_phase_of(phases, i) == phase && k < 1u << run; k++) {
      uint32_t at =
          (uint32_t)offset_of(weight, simt_index_at(d, slot + k, i, warp)) / gpu->bank_bytes;
      for (uint32_t w = at; w < at + MAX(bytes / gpu->bank_bytes, 1u); w++) {
        assert_true(w < ARRAY_LEN(seen));
        if (seen[w]) continue;
        seen[w] = true;
        in_bank[w % phases->banks]++;
        most = MAX(most, in_bank[w % phases->banks]);
      }
    }
  return most;
}

/* By enumeration: what every access of every warp takes. All warps take the same. */
static void check_wavefronts(const gpu_target *gpu, const simt_dist *d, const int32_t *weight,
                             unsigned bytes, int fixed, bool writes) {
  simt_dist sorted = fixed == SIMT_ANY_RUN ? simt_dist_by_weight(d, weight) : *d;
  unsigned run = simt_access_run(&sorted, weight, bytes);
  if (fixed != SIMT_ANY_RUN) {
    assert_true(run >= (unsigned)fixed);
    run = (unsigned)fixed;
  }
  gpu_phases phases = gpu_phases_of(gpu, bytes << run, writes);
  assert_true(simt_dist_valid(&sorted));
  for (uint32_t warp = 0; warp < 1u << d->warps; warp++) {
    uint32_t sum = 0;
    for (uint32_t slot = 0; slot < 1u << d->regs; slot += 1u << run) {
      int32_t at = offset_of(weight, simt_index_of_slot(&sorted, slot));
      for (uint32_t k = 0; k < 1u << run; k++)
        assert_int_equal(offset_of(weight, simt_index_of_slot(&sorted, slot + k)) - at, k * bytes);
      for (uint32_t lane = 0; lane < 1u << d->lanes; lane++)
        assert_int_equal(offset_of(weight, simt_index_at(&sorted, slot, lane, warp)) %
                             (int32_t)(bytes << run),
                         0);
      for (uint32_t phase = 0; phase < 1u << phases.bits; phase++)
        sum += count_ways(gpu, &sorted, weight, bytes, run, slot, &phases, phase, warp);
    }
    assert_int_equal(simt_wavefronts(gpu, d, weight, bytes, fixed, writes), sum);
  }
}

/* Each element has a place of its own in what the arrangement takes. */
static void check_places(const int32_t *weight, unsigned n, unsigned bytes, uint32_t size) {
  static bool used[1 << 16];
  memset(used, 0, sizeof used);
  assert_true(size <= sizeof used && size >= bytes << n && size <= (bytes << n) * 5 / 4);
  for (uint32_t index = 0; index < 1u << n; index++)
    for (unsigned k = 0; k < bytes; k++) {
      uint32_t at = (uint32_t)offset_of(weight, index) + k;
      assert_true(at < size && !used[at]);
      used[at] = true;
    }
}

static void test_arrangements(void **state) {
  (void)state;
  for (unsigned round = 0; round < 400; round++) {
    unsigned n = 1 + draw(12), bytes = 1u << draw(4);
    const gpu_target *gpu = random_gpu();
    simt_threads threads = {gpu->lane_bits, (uint8_t)draw(4)};
    simt_dist from = random_dist(n, threads), to = random_dist(n, threads);
    int32_t weight[SIMT_BITS];
    unsigned most = 0;
    while (most < to.regs && bytes << most < 16) most++;
    int run = (int)draw(most + 2) - 1; /* SIMT_ANY_RUN, or as many as an access takes */
    uint32_t size = simt_arrange(gpu, &from, &to, run, bytes, weight);
    check_places(weight, n, bytes, size);
    check_wavefronts(gpu, &from, weight, bytes, SIMT_ANY_RUN, true);
    check_wavefronts(gpu, &to, weight, bytes, run, false);
  }
}

/* The wavefronts that the bytes of a warp's elements take at least. */
static uint32_t least_wavefronts(const gpu_target *gpu, const simt_dist *d, unsigned bytes,
                                 bool writes) {
  uint32_t row = gpu_phases_of(gpu, bytes, writes).banks * gpu->bank_bytes;
  return MAX((bytes << d->regs << d->lanes) / row, 1u);
}

/* What programs do most, with tiles of 128 x 128: none of it meets in banks. */
static void check_known(const gpu_target *gpu, const char *fragment, const uint8_t *bits,
                        unsigned n, const int8_t *warp) {
  static const uint8_t turned[] = {7, 8, 9, 10, 11, 12, 13, 0, 1, 2, 3, 4, 5, 6};
  simt_threads t = {gpu->lane_bits, 3};
  simt_dist rows = simt_dist_blocked(14, 2, t), columns = simt_dist_ordered(14, turned, 2, t), c;
  assert_true(simt_dist_fragment(&c, fragment, 14, bits, n, warp, t));
  const simt_dist *const pairs[][2] = {{&rows, &c},    {&c, &rows},    {&rows, &columns},
                                       {&c, &columns}, {&columns, &c}, {&columns, &rows}};
  for (unsigned i = 0; i < ARRAY_LEN(pairs); i++)
    for (unsigned bytes = 4; bytes <= 8; bytes *= 2) {
      int32_t weight[SIMT_BITS];
      simt_arrange(gpu, pairs[i][0], pairs[i][1], SIMT_ANY_RUN, bytes, weight);
      for (unsigned k = 0; k < 2; k++)
        assert_int_equal(simt_wavefronts(gpu, pairs[i][k], weight, bytes, SIMT_ANY_RUN, k == 0),
                         least_wavefronts(gpu, pairs[i][k], bytes, k == 0));
    }
}

static void test_known_arrangements(void **state) {
  (void)state;
  static const uint8_t of_16x8[] = {0, 1, 2, 7, 8, 9, 10};
  static const uint8_t of_32x32[] = {0, 1, 2, 3, 4, 7, 8, 9, 10, 11};
  check_known(gpu_named("sm_80"), "mma.m16n8k16.C", of_16x8, 7, (const int8_t[]){11, 12, 13});
  check_known(gpu_named("gfx950"), "mfma.32x32x8.f16.C", of_32x32, 10, (const int8_t[]){12, 13, 5});
  check_known(gpu_named("gfx942"), "mfma.32x32x8.f16.C", of_32x32, 10, (const int8_t[]){12, 13, 5});
}

/* A fragment of 64 lanes is none of a warp of 32, and the other way round. */
static void test_fragments_fit_warps(void **state) {
  (void)state;
  static const uint8_t bits[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  simt_dist d;
  assert_true(simt_dist_fragment(&d, "mma.m16n8k16.C", 7, bits, 7, NULL, (simt_threads){5, 0}));
  assert_false(simt_dist_fragment(&d, "mma.m16n8k16.C", 7, bits, 7, NULL, (simt_threads){6, 0}));
  assert_true(
      simt_dist_fragment(&d, "mfma.32x32x8.f16.C", 10, bits, 10, NULL, (simt_threads){6, 0}));
  assert_false(
      simt_dist_fragment(&d, "mfma.32x32x8.f16.C", 10, bits, 10, NULL, (simt_threads){5, 0}));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_distributions),
      cmocka_unit_test(test_conversions),
      cmocka_unit_test(test_arrangements),
      cmocka_unit_test(test_known_arrangements),
      cmocka_unit_test(test_stages),
      cmocka_unit_test(test_products),
      cmocka_unit_test(test_fragments_fit_warps),
      cmocka_unit_test(test_random_plans),
      cmocka_unit_test(test_kernels),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
