/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The forms of AMD's instructions, one by one (tests/amdgcn/forms): a kernel for each, which
 * executes it in every way in which it can be written, on many operands, on all of them where those
 * have 16 bits, against MPFR and plain C.
 *
 *   test_amdgcn_forms --write DIR TARGET   writes a file for each form, and all.s, which takes them
 * in test_amdgcn_forms [NAME]             of forms whose names begin so
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

#include "forms/float.h"
#include "forms/memory.h"
#include "forms/text.h"
#include "job.h"

enum { HALVES = 1 << 16, MOST_FORMS = 4096 };
#ifdef __SANITIZE_ADDRESS__
/* Every 16th operand there; the plain build tries all. */
enum { STEP = 16, RUN_LANES = 64, WAVES = 8 };
#else
enum { STEP = 1, RUN_LANES = 256, WAVES = 64 };
#endif

static const char *only;

/* ---- which --------------------------------------------------------------------------------------
 */

typedef struct named_form {
  const form *form; /* NULL: an access */
  access_form access;
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

/* gfx90a reaches scratch memory by buffers and flat addresses. */
static bool is_unreachable(const access_form *f, form_target t) {
  return t == GFX90A && f->space == IN_SCRATCH;
}

/* The forms that a target has, under its names. */
static size_t forms_of(form_target t) {
  size_t n, count = 0;
  const form_mnemonic *m = form_mnemonics(&n);
  for (size_t k = 0; k < n; k++) {
    if (!(m[k].targets >> t & 1) || steers_64(m[k].name, t) || is_misnomer(m[k].name, t)) continue;
    named_form *x = &found[count];
    x->form = form_find(m[k].name);
    if (!x->form && (!access_read(m[k].name, &x->access) || is_unreachable(&x->access, t)))
      continue;
    count++;
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
    if (found[k].form)
      form_write(file, found[k].form, found[k].name, t);
    else
      access_write(file, &found[k].access, t);
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

static void fill_access(const access_form *f, uint64_t (*inputs)[FORM_INPUTS], size_t n) {
  char letter = !f->update || !strstr(f->update, "_f") ? 'q' : f->bytes == 8 ? 'd' : 'f';
  if (f->update && strncmp(f->update, "pk_", 3) == 0) letter = 'h';
  for (size_t k = 0; k < n; k++) {
    for (unsigned i = 0; i < FORM_INPUTS; i++) inputs[k][i] = operand(letter);
    if (k % 2) continue; /* what is compared with is there */
    uint64_t *x = inputs[k];
    if (f->bytes == 8)
      x[k / 2 % 2] = x[2];
    else if (k % 4)
      x[0] = (x[0] & UINT32_MAX) | x[2] << 32;
    else
      x[0] = x[2], x[1] = k % 8 ? x[1] : x[2];
  }
}

static void check_access(amdgcn_object *o, const named_form *x, form_target t) {
  static uint64_t inputs[RUN_LANES + ACCESS_SPARE][FORM_INPUTS];
  unsigned lanes = target_is_rdna(t) ? 32 : 64, n = RUN_LANES, all = n + ACCESS_SPARE;
  amdgcn_job j;
  fill_access(&x->access, inputs, all);
  job_begin(&j, o, x->kernel, n / lanes, lanes);
  for (unsigned i = 0; i < FORM_INPUTS; i++) {
    uint64_t *data = job_buffer(&j, (size_t)all * 8);
    for (unsigned k = 0; k < all; k++) data[k] = inputs[k][i];
  }
  job_buffer(&j, (size_t)n * ACCESS_SLOTS * 8);
  job_filled(&j);
  if (job_run(&j, false) != TSR_OK) {
    wrong++;
    print_error("%s: %s: %s\n", form_targets[t], x->name, j.fault.message);
    n = 0;
  }
  const uint64_t *got = (const uint64_t *)(const void *)job_result(&j, FORM_INPUTS);
  for (unsigned k = 0; k < n * ACCESS_SLOTS; k++) {
    unsigned at = k / ACCESS_SLOTS, lane = at % lanes;
    const uint64_t(*wave)[FORM_INPUTS] = (const uint64_t(*)[FORM_INPUTS]) & inputs[at - lane];
    uint64_t want = access_expected(&x->access, k % ACCESS_SLOTS, wave, lane, lanes);
    compared++;
    if (access_agrees(&x->access, got[k], want)) continue;
    wrong++;
    print_error("%s: %s, slot %u of lane %u: %llx, not %llx\n", form_targets[t], x->name,
                k % ACCESS_SLOTS, lane, (unsigned long long)got[k], (unsigned long long)want);
    break;
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
      if (only && strncmp(only, found[k].name, strlen(only)) != 0) continue;
      checked++;
      if (!found[k].form) {
        check_access(&o, &found[k], t);
        continue;
      }
      check_form(&o, &found[k], t, false);
      if (is_exhaustive(found[k].form)) check_form(&o, &found[k], t, true);
    }
    object_close(&o);
  }
  print_message("%u forms of %u targets, %llu results compared\n", checked, (unsigned)TARGETS,
                (unsigned long long)compared);
  assert_int_equal(wrong, 0);
}

/* ---- those without a form -----------------------------------------------------------------------
 */

enum { MOST_OTHERS = 512 };

typedef struct other {
  char pattern[56];
  bool unknown; /* to the emulator */
  unsigned matches;
} other;
static other others[MOST_OTHERS];
static size_t other_count;

static void read_others(void) {
  char line[256];
  FILE *file = fopen("tests/amdgcn/forms/others.txt", "r");
  assert_non_null(file);
  while (fgets(line, sizeof line, file)) {
    size_t n = strcspn(line, " \n");
    if (!n || line[0] == '#') continue;
    assert_true(other_count < MOST_OTHERS);
    other *o = &others[other_count++];
    snprintf(o->pattern, sizeof o->pattern, "%.*s", (int)n, line);
    o->unknown = line[n + 1] == '-';
  }
  fclose(file);
}

static other *find_other(const char *name) {
  for (size_t k = 0; k < other_count; k++)
    if (fnmatch(others[k].pattern, name, 0) == 0) return &others[k];
  return NULL;
}

static bool has_form(const char *name, form_target t) {
  static form_target last = TARGETS;
  static size_t n;
  if (last != t) n = forms_of(t);
  last = t;
  for (size_t k = 0; k < n; k++)
    if (strcmp(found[k].name, name) == 0) return true;
  return false;
}

/* What assemblers know has a form, or a line that says what stands for it. */
static void all_have_forms(void **unused) {
  (void)unused;
  size_t n;
  unsigned missing = 0, with = 0, without = 0, unknown = 0;
  const form_mnemonic *m = form_mnemonics(&n);
  read_others();
  for (form_target t = 0; t < TARGETS; t++)
    for (size_t k = 0; k < n; k++) {
      if (!(m[k].targets >> t & 1)) continue;
      other *o = find_other(m[k].name);
      if (has_form(m[k].name, t)) {
        with++;
        continue;
      }
      missing += !o;
      if (!o) print_error("%s: %s has no form\n", form_targets[t], m[k].name);
      if (o && o->unknown) unknown++;
      if (o && !o->unknown) without++;
      if (o) o->matches++;
    }
  for (size_t k = 0; k < other_count; k++)
    if (!others[k].matches)
      missing++, print_error("others.txt: nothing is %s\n", others[k].pattern);
  print_message("%u mnemonics have forms, %u are executed elsewhere, %u are not known\n", with,
                without, unknown);
  assert_int_equal(missing, 0);
}

/* The mnemonic without its encoding. */
static void mnemonic_of(const char *text, char out[64]) {
  static const char *const ends[] = {"_dpp", "_e32", "_e64", "_sdwa"};
  snprintf(out, 64, "%.*s", (int)strcspn(text, " "), text);
  for (unsigned k = 0; k < 2 * ARRAY_LEN(ends); k++) {
    size_t n = strlen(out), e = strlen(ends[k % ARRAY_LEN(ends)]);
    if (n > e && strcmp(out + n - e, ends[k % ARRAY_LEN(ends)]) == 0) out[n - e] = 0;
  }
}

static unsigned check_object(const char *name, form_target t, unsigned *seen) {
  amdgcn_object o;
  char mnemonic[64];
  unsigned missing = 0;
  object_open(&o, name);
  for (uint32_t k = 0; k < o.image->n_insns; k++) {
    if (!o.image->insns[k].row) continue; /* padding */
    mnemonic_of(o.image->insns[k].text, mnemonic);
    ++*seen;
    if (has_form(mnemonic, t)) continue;
    const other *x = find_other(mnemonic);
    if (x && !x->unknown) continue;
    missing++;
    print_error("%s: %s has no form\n", name, mnemonic);
  }
  object_close(&o);
  return missing;
}

/* What clang emits for the kernels of tests/amdgcn/kernels. */
static void kernels_have_forms(void **unused) {
  (void)unused;
  static const struct {
    form_target t;
    const char *folder, *names;
  } corpus[] = {
      {GFX942, "", "classes elements matrix modes narrow spaces together "},
      {GFX90A, "gfx90a/", "classes elements matrix modes spaces together "},
      {GFX950, "gfx950/", "classes elements matrix modes narrow deep spaces together "},
      {GFX1100, "gfx1100/", "classes elements modes spaces together wave32 "},
      {GFX1200, "gfx1200/", "classes elements modes narrow spaces together wave32 "},
  };
  unsigned missing = 0, seen = 0;
  for (size_t k = 0; k < ARRAY_LEN(corpus); k++)
    for (const char *p = corpus[k].names; *p; p += strcspn(p, " ") + 1) {
      char name[64];
      snprintf(name, sizeof name, "%s%.*s", corpus[k].folder, (int)strcspn(p, " "), p);
      missing += check_object(name, corpus[k].t, &seen);
    }
  print_message("%u instructions of kernels\n", seen);
  assert_int_equal(missing, 0);
}

int main(int argc, char **argv) {
  if (argc == 4 && strcmp(argv[1], "--write") == 0) return write_files(argv[2], argv[3]);
  if (argc > 1) only = argv[1];
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forms_do_as_documented),
      cmocka_unit_test(all_have_forms),
      cmocka_unit_test(kernels_have_forms),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
