/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The forms of AMD's instructions, one by one (tests/amdgcn/forms): a kernel for each, which
 * executes it in every way in which it can be written, on many operands, on all of them where those
 * have 16 bits, against MPFR and plain C.
 *
 *   test_amdgcn_forms --write DIR TARGET   writes a file for each form, and all.s, which takes them
 * in test_amdgcn_forms [NAME]               of one form only
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "forms/float.h"
#include "forms/text.h"
#include "job.h"

enum { RUN_LANES = 256, WAVES = 64, HALVES = 1 << 16, MOST_FORMS = 4096 };
#ifdef __SANITIZE_ADDRESS__
enum { STEP = 16 }; /* every 16th operand there; the plain build tries all */
#else
enum { STEP = 1 };
#endif

static const char *only;

/* ---- which --------------------------------------------------------------------------------------
 */

typedef struct named_form {
  const form *form;
  char name[56], kernel[64];
} named_form;

static named_form found[MOST_FORMS];

/* Waves of RDNA have 32 lanes here, so what steers 64 does not exist. */
static bool steers_64(const char *name, form_target t) {
  const char *end = strstr(name, "_b64");
  return target_is_rdna(t) && end && !end[4] && strstr(name, "exec");
}

/* RDNA's assembler takes these for v_dot4_i32_iu8 and v_dot8_i32_iu4, of which the words that say
 * that numbers are signed do not stand there. */
static bool is_misnomer(const char *name, form_target t) {
  return target_is_rdna(t) &&
         (strcmp(name, "v_dot4_i32_i8") == 0 || strcmp(name, "v_dot8_i32_i4") == 0);
}

/* The forms that a target has, under its names. */
static size_t forms_of(form_target t) {
  size_t n, count = 0;
  const form_mnemonic *m = form_mnemonics(&n);
  for (size_t k = 0; k < n; k++) {
    const form *f = m[k].targets >> t & 1 ? form_find(m[k].name) : NULL;
    if (!f || steers_64(m[k].name, t) || is_misnomer(m[k].name, t)) continue;
    named_form *x = &found[count++];
    x->form = f;
    snprintf(x->name, sizeof x->name, "%s", m[k].name);
    snprintf(x->kernel, sizeof x->kernel, "form_%s", m[k].name);
  }
  return count;
}

/* ---- files --------------------------------------------------------------------------------------
 */

static FILE *create(const char *folder, const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s.s", folder, name);
  FILE *file = fopen(path, "w");
  if (!file) {
    perror(path);
    exit(1);
  }
  return file;
}

static int write_files(const char *folder, const char *target) {
  form_target t = 0;
  while (t < TARGETS && strcmp(form_targets[t], target) != 0) t++;
  if (t == TARGETS) return 1;
  size_t n = forms_of(t);
  FILE *all = create(folder, "all");
  static const char *names[MOST_FORMS];
  fprintf(all, "  .amdgcn_target \"amdgcn-amd-amdhsa--%s\"\n  .text\n", target);
  for (size_t k = 0; k < n; k++) {
    FILE *file = create(folder, found[k].name);
    form_write(file, found[k].form, found[k].name, t);
    fclose(file);
    fprintf(all, "  .include \"%s.s\"\n", found[k].name);
    names[k] = found[k].kernel;
  }
  form_metadata(all, names, n, t);
  fclose(all);
  return 0;
}

/* ---- operands -----------------------------------------------------------------------------------
 */

static uint64_t state = 1;
static uint64_t next(void) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return state >> 16 ^ state << 40;
}

static const uint32_t ends32[] = {
    0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000, 0x3f800000, 0xbf800000,
    0x3f000000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffffffff,
    0x7fffffff, 0x4f000000, 0xcf000000, 0x4f7fffff, 0x3fffffff, 0xc0000000, 0x40490fdb, 0x33800000,
    0x5e800000, 0x1e800000, 0x00010000, 0x0000ffff, 31,         0x80};
static const uint16_t ends16[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x400,  0x3c00, 0xbc00,
                                  0x3800, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0xffff,
                                  0x7fff, 0x4248, 0x1400, 0x77ff, 15,     0xff};
static const uint64_t ends64[] = {0,
                                  UINT64_C(0x8000000000000000),
                                  1,
                                  UINT64_C(0x000fffffffffffff),
                                  UINT64_C(0x0010000000000000),
                                  UINT64_C(0x3ff0000000000000),
                                  UINT64_C(0xbff0000000000000),
                                  UINT64_C(0x7fefffffffffffff),
                                  UINT64_C(0x7ff0000000000000),
                                  UINT64_C(0xfff0000000000000),
                                  UINT64_C(0x7ff8000000000000),
                                  UINT64_C(0x7ff0000000000001),
                                  UINT64_C(0xffffffffffffffff),
                                  UINT64_C(0x41dfffffffc00000),
                                  UINT64_C(0xc1e0000000000000),
                                  UINT64_C(0x41efffffffe00000),
                                  UINT64_C(0x3fe0000000000000)};

static uint64_t half(uint64_t r) {
  return r % 3 == 0 ? ends16[r / 3 % ARRAY_LEN(ends16)] : r >> 8 & 0xffff;
}
static uint64_t word(uint64_t r) {
  if (r % 4 == 0) return ends32[r / 4 % ARRAY_LEN(ends32)];
  if (r % 4 == 1) /* floats of sizes near 1 */
    return (r >> 8 & 0x80ffffff) | (uint64_t)(0x3c + (r >> 40) % 8) << 24;
  return r >> 8 & 0xffffffff;
}

/* Of a letter's type: the ends of formats often. */
static uint64_t operand(char letter) {
  uint64_t r = next();
  switch (letter) {
  case 'h':
  case 's':
  case 'p': return half(r) | half(next()) << 16 | next() << 32;
  case 'd':
    if (r % 4 == 1) return (next() & UINT64_C(0x800fffffffffffff)) | (1016 + r / 4 % 16) << 52;
    return r % 4 == 0 ? ends64[r / 4 % ARRAY_LEN(ends64)] : next();
  case 'q': return r % 4 == 0 ? ends64[r / 4 % ARRAY_LEN(ends64)] : next();
  default: return word(r) | next() << 32;
  }
}

static void fill(const form *f, uint64_t (*inputs)[FORM_INPUTS], size_t n, bool all) {
  form_letters l = form_letters_of(f);
  bool packed = f->family == FAMILY_PACKED;
  for (size_t k = 0; k < n; k++) {
    for (unsigned i = 0; i < FORM_INPUTS; i++) {
      char letter = i < l.n_sources ? l.sources[i] : l.n_results ? l.results[0] : 'u';
      inputs[k][i] = operand(letter);
      if (packed && f->letter == 'f') inputs[k][i] = word(next()) | word(next()) << 32;
    }
    if (all) inputs[k][0] = (k * STEP + k % STEP) % HALVES | next() << 16;
    /* Scalings of divisions are of what divides and is divided. */
    if (f->flags & DIVISION && k % 2) inputs[k][0] = inputs[k][1 + k / 2 % 2];
  }
}

/* ---- comparison ---------------------------------------------------------------------------------
 */

static unsigned wrong;
static uint64_t compared;

static void report(const named_form *x, form_target t, form_slot s, const uint64_t *in,
                   uint64_t got, uint64_t want) {
  char line[200];
  form_line(x->form, x->name, t, s.variant, line);
  wrong++;
  print_error("%s: %s%s: of %llx, %llx, %llx, %llx: %llx, not %llx\n", form_targets[t], line,
              s.part == CARRY ? " (second)"
              : s.part == 2   ? " (exec)"
                              : "",
              (unsigned long long)in[0], (unsigned long long)in[1], (unsigned long long)in[2],
              (unsigned long long)in[3], (unsigned long long)got, (unsigned long long)want);
}

static void compare_slot(const named_form *x, form_target t, const form_slot *slots, unsigned s,
                         unsigned n_slots, uint64_t (*inputs)[FORM_INPUTS], size_t n,
                         const uint64_t *got) {
  unsigned lanes = x->form->family == FAMILY_SCALAR ? 1 : target_is_rdna(t) ? 32 : 64;
  for (size_t k = 0; k < n; k++) {
    const uint64_t(*wave)[FORM_INPUTS] = (const uint64_t(*)[FORM_INPUTS]) & inputs[k - k % lanes];
    bool any;
    uint64_t want = form_expected(x->form, t, slots[s], wave, (unsigned)(k % lanes), lanes, &any);
    uint64_t v = got[k * n_slots + s];
    compared++;
    if (any || form_agrees(x->form, slots[s], v, want)) continue;
    report(x, t, slots[s], inputs[k], v, want);
    return;
  }
}

static void check_form(amdgcn_object *o, const named_form *x, form_target t, bool all) {
  static uint64_t inputs[HALVES][FORM_INPUTS];
  form_slot slots[FORM_SLOTS];
  unsigned n_slots = form_slots(x->form, x->name, t, slots);
  bool scalar = x->form->family == FAMILY_SCALAR;
  unsigned lanes = target_is_rdna(t) ? 32 : 64, n = all      ? HALVES / STEP
                                                    : scalar ? WAVES
                                                             : RUN_LANES;
  amdgcn_job j;
  fill(x->form, inputs, n, all);
  job_begin(&j, o, x->kernel, scalar ? n : n / lanes, lanes);
  for (unsigned i = 0; i < FORM_INPUTS; i++) {
    uint64_t *data = job_buffer(&j, (size_t)n * 8);
    for (unsigned k = 0; k < n; k++) data[k] = inputs[k][i];
  }
  job_buffer(&j, (size_t)n * n_slots * 8);
  job_filled(&j);
  if (job_run(&j, false) != TSR_OK) {
    wrong++;
    print_error("%s: %s: %s\n", form_targets[t], x->name, j.fault.message);
  } else {
    const uint64_t *got = (const uint64_t *)(const void *)job_result(&j, FORM_INPUTS);
    for (unsigned s = 0; s < (all ? 1 : n_slots); s++)
      compare_slot(x, t, slots, s, n_slots, inputs, n, got);
  }
  job_end(&j);
}

/* Whether there are so few operands that each is tried. */
static bool is_exhaustive(const form *f) {
  form_letters l = form_letters_of(f);
  return f->family == FAMILY_VECTOR && l.n_sources == 1 && form_bits(l.sources[0]) == 16;
}

static void forms_do_as_documented(void **unused) {
  (void)unused;
  unsigned checked = 0;
  for (form_target t = 0; t < TARGETS; t++) {
    amdgcn_object o;
    char name[64];
    snprintf(name, sizeof name, "forms/%s", form_targets[t]);
    object_open(&o, name);
    size_t n = forms_of(t);
    for (size_t k = 0; k < n; k++) {
      if (only && strcmp(only, found[k].name) != 0) continue;
      checked++;
      check_form(&o, &found[k], t, false);
      if (is_exhaustive(found[k].form)) check_form(&o, &found[k], t, true);
    }
    object_close(&o);
  }
  print_message("%u forms of %u targets, %llu results compared\n", checked, (unsigned)TARGETS,
                (unsigned long long)compared);
  assert_int_equal(wrong, 0);
}

int main(int argc, char **argv) {
  if (argc == 4 && strcmp(argv[1], "--write") == 0) return write_files(argv[2], argv[3]);
  if (argc > 1) only = argv[1];
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forms_do_as_documented),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
