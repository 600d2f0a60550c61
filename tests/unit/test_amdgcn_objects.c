/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Code objects of AMD's: what is read of good ones, that broken ones are refused in words, and that
 * nothing in them, nor in code that is none, does harm.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

#include "emu/amdgcn/read.h"
#include "gpu/amdgcn/disassemble.h"
#include "job.h"

/* ---- good ones ------------------------------------------------------------------------------- */

static void kernels_are_read(void **unused) {
  (void)unused;
  amdgcn_object o;
  object_open(&o, "together");
  assert_string_equal(o.object.gpu->name, "gfx942");
  assert_int_equal(o.object.n_kernels, 8);
  const hsa_kernel *k = hsa_find_kernel(&o.object, "histogram");
  assert_non_null(k);
  assert_int_equal(k->about->n_arguments, 3);
  assert_int_equal(k->about->arguments[2].offset, 16);
  assert_int_equal(k->about->arguments[2].size, 4);
  assert_true(str_eq(k->about->arguments[0].kind, str_of("global_buffer")));
  assert_int_equal(k->about->argument_bytes, 20);
  assert_int_equal(k->about->max_threads, 256);
  assert_int_equal(k->about->lanes, 64);
  assert_int_equal(k->about->shared_bytes, 1024);
  assert_int_equal(k->descriptor.shared_bytes, 1024);
  assert_int_equal(k->descriptor.properties & HSA_ARGUMENT_POINTER, HSA_ARGUMENT_POINTER);
  assert_null(hsa_find_kernel(&o.object, "histo"));
  object_close(&o);
}

/* ---- lines ----------------------------------------------------------------------------------- */

typedef struct line_case {
  const char *text;
  bool known;
} line_case;

static const line_case lines[] = {
    {"v_add_f32_e32 v0, v1, v2", true},
    {"v_add_f32_e64 v0, -v1, |v2| clamp mul:2", true},
    {"v_add_f32_sdwa v0, v1, v2 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 "
     "src1_sel:DWORD",
     true},
    {"v_mov_b32_dpp v0, v1 row_bcast:15 row_mask:0xa bank_mask:0xf", true},
    {"global_load_dwordx4 v[2:5], v0, s[4:5] offset:-16", true},
    {"s_waitcnt vmcnt(3) & lgkmcnt(2)", true},
    {"v_mfma_f32_32x32x4_2b_f16 a[0:31], v[0:1], v[2:3], a[0:31]", true},
    {"v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:17], 0 blgp:2", true},
    {"v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], 0 blgp:2", false},
    {"v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:17], 0 blgp:5", false},
    {"v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], 0, v20, v21", true},
    {"v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], 0", false},
    {"v_cvt_scalef32_pk32_f32_fp6 v[0:31], v[32:37], v40", true},
    {"v_cvt_scalef32_pk32_f32_fp6 v[0:31], v[32:36], v40", false},
    {"global_load_lds_dwordx4 v[0:1], off", true},
    {"global_load_lds_dwordx4 v[0:3], v[0:1], off", false},
    {"buffer_load_dword off, s[8:11], s3 offset:4 lds", true},
    {"buffer_load_dword v1, off, s[8:11], s3 lds", false},
    {"s_addc_u32 s1, s1, lit(0xffffffff)", true},
    {"v_add_f32_e32 v0, v1", false},
    {"v_add_f32_e32 v0, v1, v2, v3", false},
    {"v_add_f32_e32 v0, v1, v256", false},
    {"v_add_f32_e32 v0, v1, s103", false},
    {"v_add_f32_e32 v0, v1, v[7:2]", false},
    {"v_add_f32_e32 v0, v1, v[2:", false},
    {"v_add_f32_e32 v0, v1, |v2", false},
    {"v_add_f32_e32 v0, v1, v2 fast", false},
    {"v_add_f32_e32 v0, v1, v2 quad_perm", false},
    {"v_mul_lo_u32 v0, v1, v2 clamp", false},
    {"v_add_f64 v[0:1], v[2:3], v4", false},
    {"v_mov_b64_e32 v255, v[0:1]", false},
    {"global_load_dwordx4 v0, v[2:3], off", false},
    {"global_store_dword v[0:1], s5, off", false},
    {"global_atomic_add_x2 v0, v1, s[2:3]", false},
    {"ds_read2_b32 v0, v1", false},
    {"s_load_dwordx4 s[0:1], s[2:3], 0x0", false},
    {"s_waitcnt vmcnt(", false},
    {"s_waitcnt fooc(1)", false},
    {"v_mfma_f32_32x32x9_f16 a[0:15], v[0:1], v[2:3], a[0:15]", false},
    {"v_mfma_f32_32x32x8_f16 a[0:3], v[0:1], v[2:3], a[0:15]", false},
    {"v_mfma_f32_32x32x8_f16 a[0:15], v[0:1]", false},
    {"v_readlane_b32 s0, s1, s2", false},
    {"v_swap_b32 v0, s1", false},
    {"image_load v0, v1, s[0:7]", false},
    {"", false},
};

/* The same of RDNA3, then of RDNA4. */
static const struct {
  const char *text;
  bool known[2];
} rdna_lines[] = {
    {"v_add_nc_u16 v0.l, v0.h, v0.l op_sel:[1,0,0]", {true, true}},
    {"v_cmpx_gt_u32_e64 s0, v1", {true, true}},
    {"v_cmp_eq_u32_e32 vcc_lo, s105, v0", {true, true}},
    {"v_cmp_eq_u32_e64 s[0:1], s105, v0", {false, false}},
    {"v_dual_mov_b32 v0, 0 :: v_dual_lshlrev_b32 v1, 2, v0", {true, true}},
    {"v_dual_mov_b32 v0, 0 :: v_dual_cndmask_b32 v1, 2, v0", {true, true}},
    {"v_dual_mov_b32 v0, 0 :: v_dual_nothing_b32 v1, 2, v0", {false, false}},
    {"v_dual_mov_b32 v0, 0 :: ", {false, false}},
    {"v_dual", {false, false}},
    {"v_div_scale_f32 v0, null, v1, v2, v3", {true, true}},
    {"v_mov_b32_dpp v0, v1 row_xmask:3 row_mask:0xf bank_mask:0xf fi:1", {true, true}},
    {"v_mov_b32_dpp v0, v1 dpp8:[7,6,5,4,3,2,1,0] fi:1", {true, true}},
    {"v_add_f32_e64_dpp v0, v1, s2 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf", {true, true}},
    {"v_permlanex16_b32 v0, v1, 0x1234, s2 op_sel:[1,0]", {true, true}},
    {"v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]", {true, false}},
    {"v_wmma_f32_16x16x16_f16 v[0:7], v[8:11], v[12:15], v[0:7]", {false, true}},
    {"v_wmma_f16_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7] op_sel:[0,0,1]", {true, false}},
    {"v_wmma_f16_16x16x16_f16 v[0:3], v[8:11], v[12:15], v[0:3]", {false, true}},
    {"v_wmma_i32_16x16x16_iu4 v[0:7], v[8:9], v[10:11], v[0:7] neg_lo:[1,0,0]", {true, false}},
    {"v_wmma_f32_16x16x16_bf8_fp8 v[0:7], v[8:9], v[10:11], v[0:7]", {false, true}},
    {"v_swmmac_f32_16x16x32_f16 v[0:7], v[8:11], v[12:19], v20 index_key:1", {false, true}},
    {"v_mfma_f32_32x32x8_f16 v[0:15], v[0:1], v[2:3], v[0:15]", {false, false}},
    {"s_wait_loadcnt_dscnt 0x3f3f", {true, true}},
    {"s_wait_nothing 0x0", {false, false}},
    {"s_wait_loadcnt", {false, false}},
    {"s_waitcnt_vscnt null, 0x1", {true, true}},
    {"s_barrier_signal -1", {true, true}},
    {"s_barrier_wait 0xffff", {true, true}},
    {"s_load_b96 s[0:2], s[4:5], s6 offset:0x10", {true, true}},
    {"s_load_u8 s10, s[4:5], 0x200", {true, true}},
    {"s_cmp_o_f16 s5, s5", {true, true}},
    {"s_and_saveexec_b32 s0, vcc_lo", {true, true}},
    {"global_load_b32 v1, v0, s[0:1] th:TH_LOAD_NT scope:SCOPE_DEV", {true, true}},
    {"global_atomic_add_u32 v1, v1, v3, s[4:5] th:TH_ATOMIC_RETURN scope:SCOPE_SYS", {true, true}},
    {"global_atomic_add_u32 v1, v1, v3, s[4:5] scope:SCOPE_SYS", {false, false}},
    {"buffer_load_b32 v0, v1, s[0:3], null offen offset:16", {true, true}},
    {"ds_cmpstore_rtn_b32 v0, v1, v2, v3", {true, true}},
    {"v_mov_b32_e32 v0, ttmp9", {true, true}},
    {"v_mov_b32_e32 v0, ttmp16", {false, false}},
};

static void lines_are_read(void **unused) {
  (void)unused;
  amdgcn_object o = {0};
  object_bytes(&o, "elements");
  for (size_t k = 0; k < ARRAY_LEN(lines); k++) {
    gcn_insn i;
    gcn_read_line(&o.arena, GCN_CDNA, lines[k].text, &i);
    if ((i.row != NULL) != lines[k].known)
      fail_msg("'%s' is %s", lines[k].text, i.row ? "taken" : "not known");
  }
  for (size_t k = 0; k < 2 * ARRAY_LEN(rdna_lines); k++) {
    gcn_insn i;
    gcn_read_line(&o.arena, GCN_RDNA3 + k % 2, rdna_lines[k / 2].text, &i);
    if ((i.row != NULL) != rdna_lines[k / 2].known[k % 2])
      fail_msg("RDNA%zu: '%s' is %s", 3 + k % 2, rdna_lines[k / 2].text,
               i.row ? "taken" : "not known");
  }
  object_close(&o);
}

/* ---- broken ones ----------------------------------------------------------------------------- */

static bool count_unknown(void *user, uint64_t at, uint32_t bytes, const char *text) {
  (void)at, (void)bytes;
  *(unsigned *)user += text == NULL;
  return true;
}

/* Of some LLVM does not survive its own refusal. */
static void literals_are_refused(void **unused) {
  (void)unused;
  static const uint32_t code[][2] = {
      {0xd28a0005, 0x0001fe1f}, /* v_writelane_b32 v5, s31, a literal */
      {0xd3d00000, 0x0402feff}, /* v_mfma of literals */
      {0xd1010000, 0x000200ff},
  };
  tsr_context *ctx = tsr_context_create(NULL);
  for (size_t k = 0; k < ARRAY_LEN(code); k++) {
    unsigned unknown = 0;
    code_bytes c = {.triple = "amdgcn-amd-amdhsa",
                    .processor = "gfx942",
                    .code = (const uint8_t *)code[k],
                    .to = sizeof code[k],
                    .smallest = 4};
    assert_true(disassemble(ctx, &c, count_unknown, &unknown));
    assert_true(unknown > 0);
  }
  tsr_context_destroy(ctx);
}

static char *copy_of(amdgcn_object *o, str bytes) {
  return memcpy(arena_alloc(&o->arena, bytes.len, 64), bytes.data, bytes.len);
}

static void expect_refusal(size_t at, const void *value, size_t size, size_t length,
                           const char *message) {
  amdgcn_object o = {0};
  str bytes = object_bytes(&o, "elements");
  char *copy = copy_of(&o, bytes);
  if (size) memcpy(copy + at, value, size);
  assert_false(object_read(&o, "broken.o", (str){copy, length ? length : bytes.len}));
  if (!strstr(o.messages, message)) fail_msg("'%s' is not in: %s", message, o.messages);
  object_close(&o);
}

static void broken_files_are_refused(void **unused) {
  (void)unused;
  expect_refusal(0, "x", 1, 0, "is no 64-bit ELF file");
  expect_refusal(0, NULL, 0, 20, "is no 64-bit ELF file");
  expect_refusal(offsetof(Elf64_Ehdr, e_machine), &(uint16_t){62}, 2, 0, "is not for AMD's GPUs");
  expect_refusal(offsetof(Elf64_Ehdr, e_type), &(uint16_t){2}, 2, 0,
                 "is neither relocatable nor shared");
  expect_refusal(offsetof(Elf64_Ehdr, e_flags), &(uint32_t){0xff}, 4, 0,
                 "is for a processor that is not known here");
  expect_refusal(offsetof(Elf64_Ehdr, e_shoff), &(uint64_t){UINT64_MAX - 8}, 8, 0,
                 "has a broken table of sections");
  expect_refusal(offsetof(Elf64_Ehdr, e_flags), &(uint32_t){0x41}, 4, 0,
                 "a kernel for gfx1100 asks for waves of 64 lanes");
}

/* A section without a type has no bytes, wherever it says that they are. */
static void sections_without_type_have_no_bytes(void **unused) {
  (void)unused;
  amdgcn_object o = {0};
  str bytes = object_bytes(&o, "elements");
  char *copy = copy_of(&o, bytes);
  Elf64_Ehdr h;
  memcpy(&h, copy, sizeof h);
  for (unsigned i = 0; i < h.e_shnum; i++) {
    Elf64_Shdr s;
    char *at = copy + h.e_shoff + i * sizeof s;
    memcpy(&s, at, sizeof s);
    if (!(s.sh_flags & SHF_EXECINSTR)) continue;
    s.sh_type = SHT_NULL;
    s.sh_offset = UINT64_C(1) << 60;
    memcpy(at, &s, sizeof s);
  }
  assert_false(object_read(&o, "broken.o", (str){copy, bytes.len}));
  object_close(&o);
}

static uint64_t state = 3;
static uint64_t next(void) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return state >> 24;
}

/* Launches each kernel with arguments of zeroes, for a while. */
static unsigned run_all(amdgcn_object *o) {
  unsigned ended = 0;
  for (uint32_t k = 0; k < o->object.n_kernels; k++) {
    emu_launch_options options = {
        .grid = {1, 1, 1}, .block = {64, 1, 1}, .threads = 1, .max_steps = 3000};
    uint8_t *params = arena_alloc_zero(&o->arena, (size_t)1 << 17, 8);
    emu_fault fault;
    options.params = params;
    ended += gcn_image_run(o->image, &o->object.kernels[k], &options, &fault) == TSR_OK;
  }
  return ended;
}

static unsigned mutants = 160;

static void run_mutant(const char *name, unsigned changes, unsigned *loaded, unsigned *ended) {
  amdgcn_object o = {0};
  str bytes = object_bytes(&o, name);
  char *copy = copy_of(&o, bytes);
  for (unsigned k = 0; k < changes; k++) copy[next() % bytes.len] = (char)next();
  if (object_read(&o, name, (str){copy, bytes.len})) {
    ++*loaded;
    *ended += run_all(&o);
  }
  object_close(&o);
}

static void mutants_do_no_harm(void **unused) {
  (void)unused;
  static const char *const names[] = {
      "elements",       "together",       "matrix",         "spaces",
      "gfx1100/wave32", "gfx1200/wave32", "gfx1100/spaces", "gfx1200/together",
      "gfx950/deep",    "gfx950/narrow",  "gfx90a/spaces",  "gfx90a/matrix",
  };
  unsigned loaded = 0, ended = 0;
  for (unsigned k = 0; k < mutants; k++)
    run_mutant(names[k % ARRAY_LEN(names)], 1u << k % 9, &loaded, &ended);
  print_message("%u of %u mutants could be loaded, %u of their launches ended\n", loaded, mutants,
                ended);
  assert_true(loaded > 0 && loaded < mutants);
}

/* test_amdgcn_objects [mutants [seed]] */
int main(int argc, char **argv) {
  if (argc > 1) mutants = (unsigned)strtoul(argv[1], NULL, 0);
  if (argc > 2) state = strtoull(argv[2], NULL, 0);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kernels_are_read),
      cmocka_unit_test(lines_are_read),
      cmocka_unit_test(broken_files_are_refused),
      cmocka_unit_test(literals_are_refused),
      cmocka_unit_test(sections_without_type_have_no_bytes),
      cmocka_unit_test(mutants_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
