/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The tables of GPUs and processor cores: rows are complete as far as the lists that they are in
 * need it, every list of the project holds what the table says, and known processors are found.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <tessera/layout.h>
#include <tessera/module.h>
#include <tessera/runtime.h>

#include "base/base.h"
#include "num/num.h"
#include "emu/amdgcn/matrix.h"
#include "emu/ptx/image.h"
#include "emu/ptx/matrix.h"
#include "target/cpu.h"
#include "target/gpu.h"
#include "target/matrix.h"

/* ---- GPUs ----------------------------------------------------------------------------------- */

static bool is_power(unsigned n) {
  return n && (n & (n - 1)) == 0;
}

/* What shared memory and the arrangement of tiles need. */
static void check_sizes(const gpu_target *t) {
  assert_true(t->lane_bits == 5 || t->lane_bits == 6);
  assert_true(is_power(t->banks) && is_power(t->bank_bytes));
  assert_true(t->shared_bytes && t->shared_bytes <= t->shared_sm);
  assert_true(t->static_shared && t->static_shared <= t->shared_bytes);
  assert_true(is_power(t->line_bytes) && is_power(t->sector_bytes));
  assert_true(t->sector_bytes <= t->line_bytes);
  assert_true(t->registers && t->max_warps && t->multiprocessors && t->schedulers);
  assert_true(t->thread_registers >= t->accumulators && t->card);
  assert_int_equal(t->max_warps % t->schedulers, 0);
}

static void test_rows(void **state) {
  (void)state;
  const gpu_target *t;
  for (size_t i = 0; (t = gpu_row_at(i)); i++) {
    for (size_t k = 0; k < i; k++) assert_string_not_equal(gpu_row_at(k)->name, t->name);
    assert_int_equal(t->vendor == GPU_NVIDIA, strncmp(t->name, "sm_", 3) == 0);
    assert_int_equal(t->vendor == GPU_NVIDIA, t->sm != 0);
    if (t->lists != GPU_HINTED) check_sizes(t);
    if (t->lists & GPU_COMPILED) assert_non_null(t->features);
    if (t->lists & GPU_COMPILED) assert_true(t->max_blocks);
    if (t->lists & GPU_COMPILED && t->vendor == GPU_NVIDIA) assert_true(t->block_reserved);
    /* Hints of programs name NVIDIA's only. */
    if (t->lists & (GPU_COMPILED | GPU_HINTED))
      assert_int_equal(gpu_find_hinted(t->hints, strlen(t->hints)) != NULL,
                       t->vendor == GPU_NVIDIA);
    /* Rates by which plans with wgmma weigh what is worth it */
    if (gpu_can(t, GPU_WGMMA))
      assert_true(t->f32_rate && t->special_rate && t->conversion_rate && t->matrix_rate &&
                  t->l2_rate);
  }
}

/* NVIDIA's names say the compute capability; those with an 'a' are for one card alone. */
static void test_names(void **state) {
  (void)state;
  const gpu_target *t;
  for (size_t i = 0; (t = gpu_row_at(i)); i++) {
    char name[16];
    if (t->vendor != GPU_NVIDIA) continue;
    snprintf(name, sizeof name, "sm_%u%s", t->sm, t->specific ? "a" : "");
    assert_string_equal(name, t->name);
    snprintf(name, sizeof name, "sm_%u", t->sm);
    if (t->hints) assert_string_equal(name, t->hints);
  }
}

/* A generation can do what the one before it can. */
static void test_capabilities(void **state) {
  (void)state;
  const gpu_target *t, *older;
  for (size_t i = 0; (t = gpu_row_at(i)); i++)
    for (size_t k = 0; (older = gpu_row_at(k)); k++)
      if (t->vendor == GPU_NVIDIA && older->vendor == t->vendor && older->sm < t->sm &&
          !older->specific)
        assert_int_equal(older->can & ~t->can, 0);
}

static void test_gpu_lists(void **state) {
  (void)state;
  const gpu_target *t;
  size_t devices = 0;
  for (size_t i = 0; (t = gpu_target_at(i)); i++) {
    assert_string_equal(tsr_gpu_target_name(i), t->name);
    assert_ptr_equal(gpu_find_target(t->name), t);
  }
  for (size_t i = 0; (t = gpu_listed_at(GPU_EMULATED, i)); i++) {
    char name[32], text[256];
    snprintf(name, sizeof name, "emu:%s", t->name);
    assert_ptr_equal(emu_device_info_for(t->name), t);
    tsr_device_describe(name, text, sizeof text);
    assert_non_null(strstr(text, t->name));
    for (size_t k = 0; k < tsr_device_count(); k++)
      devices += strcmp(tsr_device_name(k), name) == 0;
  }
  size_t emulated = 0;
  for (size_t k = 0; k < tsr_device_count(); k++)
    emulated += strncmp(tsr_device_name(k), "emu:", 4) == 0;
  assert_int_equal(devices, emulated);
}

/* The verifier knows a name in hints of programs if the table does. */
static void check_hint(tsr_context *ctx, const char *name, bool known) {
  char text[160];
  snprintf(text, sizeof text,
           "cuda_tile.module @m {\nentry @k() optimization_hints=<%s = {occupancy = 1}> {\n"
           "return\n}\n}\n",
           name);
  tsr_module *m = tsr_module_parse(ctx, text, strlen(text), "t.mlir", TSR_PARSE_HINTS_ERROR);
  assert_int_equal(m != NULL, known);
  tsr_module_destroy(m);
}

static void test_hints(void **state) {
  (void)state;
  const gpu_target *t;
  tsr_context *ctx = tsr_context_create(NULL);
  for (size_t i = 0; (t = gpu_row_at(i)); i++) check_hint(ctx, t->name, t->lists & GPU_HINTED);
  check_hint(ctx, "default", true);
  check_hint(ctx, "sm_8", false);
  tsr_context_destroy(ctx);
}

static void test_cards(void **state) {
  (void)state;
  assert_null(gpu_find_target("sm_70"));
  assert_null(gpu_find_target(NULL));
  assert_string_equal(gpu_target_for(9, 0)->name, "sm_90a");
  assert_string_equal(gpu_target_for(12, 0)->name, "sm_120a");
  assert_string_equal(gpu_target_for(10, 3)->name, "sm_89"); /* 'a' is for one card alone */
  assert_string_equal(gpu_target_for(8, 8)->name, "sm_87");
  assert_null(gpu_target_for(7, 5));
}

static void test_names_fit(void **state) {
  (void)state;
  char all[256], cut[12];
  gpu_list_names(GPU_COMPILED, "", all, sizeof all);
  assert_int_equal(strncmp(all, "sm_80, sm_86, ", 14), 0);
  assert_true(strlen(all) + 1 < sizeof all);
  gpu_list_names(GPU_EMULATED, "emu:", cut, sizeof cut);
  assert_string_equal(cut, "emu:sm_70, ");
}

/* ---- matrix instructions ----------------------------------------------------------------------
 */

/* The fragment of an operand has as many elements as the instruction says, over the lanes of a
 * warp; `rows`, `columns`: log2. */
static void check_fragment(const matrix_instruction *x, char part, unsigned rows, unsigned columns,
                           unsigned lane_bits) {
  char name[64];
  tsr_layout fragment;
  snprintf(name, sizeof name, "%s.%c", x->fragment, part);
  if (!tsr_fragment(&fragment, name, strlen(name))) fail_msg("there is no fragment %s", name);
  assert_int_equal(fragment.rank, 2);
  assert_int_equal(fragment.shape[0], 1 << rows);
  assert_int_equal(fragment.shape[1], 1 << columns);
  assert_int_equal(tsr_layout_spatial_size(&fragment), 1 << lane_bits);
}

/* Whoever has an instruction has warps of the size that its fragments are of. */
static void test_matrix_rows(void **state) {
  (void)state;
  const matrix_instruction *x;
  const gpu_target *t;
  for (size_t i = 0; (x = matrix_row_at(i)); i++) {
    unsigned owners = 0, m = x->kind == MATRIX_GROUP ? 4u : x->m; /* a warp's rows */
    for (size_t k = 0; (t = gpu_row_at(k)); k++) {
      if (!gpu_can(t, x->needs)) continue;
      owners++;
      assert_int_equal(t->vendor == GPU_NVIDIA, x->sum != NULL);
      if (!x->fragment) continue;
      check_fragment(x, 'A', m, x->k, t->lane_bits);
      check_fragment(x, 'B', x->k, x->n, t->lane_bits);
      check_fragment(x, 'C', m, x->n, t->lane_bits);
    }
    assert_true(owners > 0);
    /* Operands are converted to what holds every value of theirs. */
    assert_true(x->from == x->elem || tsr_elem_bits(x->elem) > tsr_elem_bits(x->from));
  }
}

static void check_amd_matrix(const gpu_target *t, const matrix_instruction *x) {
  arena a;
  gcn_generation generation = gpu_can(t, GPU_WMMA_SPLIT) ? GCN_RDNA4
                              : gpu_can(t, GPU_WMMA)     ? GCN_RDNA3
                                                         : GCN_CDNA;
  gcn_insn i = {.generation = (uint8_t)generation};
  tsr_context *ctx = tsr_context_create(NULL);
  arena_init(&a, ctx);
  char *name = arena_printf(&a, "%s%s", x->mnemonic, x->name);
  if (!gcn_read_matrix(&a, str_of(name), &i)) fail_msg("%s: %s is not emulated", t->name, name);
  arena_free(&a);
  tsr_context_destroy(ctx);
}

/* The emulator executes what plans choose for the cards that it emulates. */
static void test_matrix_is_emulated(void **state) {
  (void)state;
  const matrix_instruction *x;
  const gpu_target *t;
  for (size_t k = 0; (t = gpu_listed_at(GPU_EMULATED, k)); k++)
    for (size_t i = 0; (x = matrix_row_at(i)); i++) {
      if (!gpu_can(t, x->needs) || x->kind != MATRIX_WARP) continue;
      if (t->vendor == GPU_AMD) {
        check_amd_matrix(t, x);
        continue;
      }
      const char *operand = x->operand ? x->operand : "s8";
      mma_form f = {.m = 1u << x->m,
                    .n = 1u << x->n,
                    .k = 1u << x->k,
                    .a = mma_type_of(str_of(operand)),
                    .b = mma_type_of(str_of(operand)),
                    .c = mma_type_of(str_of(x->sum)),
                    .d = mma_type_of(str_of(x->sum))};
      const char *problem = mma_form_problem(&f, t->sm);
      if (problem) fail_msg("%s, %s%s of %s: %s", t->name, x->mnemonic, x->name, operand, problem);
    }
}

/* ---- processor cores ------------------------------------------------------------------------- */

static void test_cores(void **state) {
  (void)state;
  static const struct {
    const char *maker;
    uint32_t family, model;
    const char *name;
  } known[] = {
      {"AuthenticAMD", 0x17, 0x31, "Zen, Zen+ and Zen 2"},
      {"AuthenticAMD", 0x19, 0x01, "Zen 3"},
      {"AuthenticAMD", 0x19, 0x11, "Zen 4"},
      {"AuthenticAMD", 0x19, 0x61, "Zen 4"},
      {"AuthenticAMD", 0x1a, 0x02, "Zen 5"},
      {"AuthenticAMD", 0x1c, 0x00, "newer than Zen 5"},
      {"GenuineIntel", 6, 0x3f, "Haswell"},
      {"GenuineIntel", 6, 0x55, "Skylake with AVX-512, Cascade Lake, Cooper Lake"},
      {"GenuineIntel", 6, 0x8f, "Golden Cove: Sapphire Rapids, Alder Lake"},
      {"GenuineIntel", 6, 0xcf, "Raptor Cove: Emerald Rapids, Raptor Lake"},
      {"GenuineIntel", 19, 1, "another of Intel's"},
      {"ARM", 0x41, 0xd4f, "Neoverse V2"},
  };
  for (size_t i = 0; i < ARRAY_LEN(known); i++)
    assert_string_equal(cpu_row_for(known[i].maker, known[i].family, known[i].model)->name,
                        known[i].name);
  assert_null(cpu_row_for("CentaurHauls", 6, 0x0f)->name);
  assert_null(cpu_row_for("ARM", 0x42, 0xd4f)->name);
  assert_null(cpu_row_for("", 0, 0)->name);
}

/* No row hides after those in front of it. */
static void test_every_core_is_found(void **state) {
  (void)state;
  const cpu_row *row;
  for (size_t i = 0; (row = cpu_row_at(i)); i++) {
    bool found = false;
    for (uint32_t model = 0; model < 0x1000 && !found; model++)
      found = cpu_row_for(row->maker, row->families.first, model) == row;
    assert_true(found);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows),
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_names_fit),
      cmocka_unit_test(test_capabilities),
      cmocka_unit_test(test_gpu_lists),
      cmocka_unit_test(test_cards),
      cmocka_unit_test(test_hints),
      cmocka_unit_test(test_matrix_rows),
      cmocka_unit_test(test_matrix_is_emulated),
      cmocka_unit_test(test_cores),
      cmocka_unit_test(test_every_core_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
