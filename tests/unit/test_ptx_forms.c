/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The forms of ptx_forms.def, one by one: those that compute on registers in every combination of
 * words against MPFR and plain C (ptx_reference.h), and the files of tests/ptx/forms and programs,
 * which carry their expected results (ptx_case.h). `test_ptx_forms --write DIR` makes the files
 * that are made,
 * `--files` runs the files only.
 */
#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "ptx_case.h"
#include "ptx_form_text.h"
#include "ptx_run.h"

enum { FILE_THREADS = 32, THREADS = 256, CHUNK = 32, TEXT_BYTES = 1 << 17, HALF_NUMBERS = 1 << 16 };
#ifdef __SANITIZE_ADDRESS__
enum { STEP = 16 }; /* every 16th operand there; the plain build tries all */
#else
enum { STEP = 1 };
#endif

/* What a slot must hold, and of which type it is; numbers of 8 bits lie extended in registers of
 * 16. */
typedef struct slot {
  const form_variant *variant;
  bool second;
  char type[8];
  double relative, absolute;
} slot;

static unsigned slots_of(const form_variant *v, unsigned n, slot *out) {
  unsigned count = 0;
  for (unsigned k = 0; k < n; k++) {
    slot s = {.variant = &v[k]};
    bool cvt_float = strcmp(v[k].parsed.opcode, "cvt") == 0 && strcmp(v[k].result, "b32") == 0;
    snprintf(s.type, sizeof s.type, "%s", cvt_float ? "f32" : v[k].result);
    if (ptx_name_has(&v[k].parsed, "pack")) snprintf(s.type, sizeof s.type, "b32");
    ptx_tolerance(&v[k].parsed, &s.relative, &s.absolute);
    out[count++] = s;
    if (!v[k].two) continue;
    s.second = true;
    snprintf(s.type, sizeof s.type, "pred");
    out[count++] = s;
  }
  return count;
}

static uint64_t narrow(const slot *s, uint64_t v) {
  unsigned bits = form_register_bits(s->variant, s->type);
  return bits >= 64 ? v : v & ((UINT64_C(1) << bits) - 1);
}

static uint64_t expected_of(const slot *s, const uint64_t words[FORM_MAX_OPERANDS]) {
  uint64_t o[FORM_MAX_OPERANDS] = {0}, r, second;
  const form_variant *v = s->variant;
  for (unsigned k = 0; k < v->sources; k++) {
    unsigned bits = ptx_type_bits(v->types[k]);
    o[k] = bits >= 64 ? words[k] : words[k] & ((UINT64_C(1) << bits) - 1);
  }
  bool carry = (words[0] ^ words[1]) & 1;
  if (!ptx_reference(&v->parsed, o, carry, &r, &second)) fail_msg("no reference: %s", v->name);
  return narrow(s, s->second ? second : r);
}

/* ---- every combination ---------------------------------------------------------------------- */

static uint64_t inputs[FORM_MAX_OPERANDS][HALF_NUMBERS];
static uint64_t *results; /* 2 * CHUNK slots of HALF_NUMBERS */
static uint64_t compared;

static unsigned compare(const slot *slots, unsigned n_slots, unsigned threads) {
  unsigned wrong = 0;
  for (unsigned s = 0; s < n_slots; s++) {
    for (unsigned t = 0; t < threads; t++) {
      uint64_t words[FORM_MAX_OPERANDS];
      for (unsigned k = 0; k < FORM_MAX_OPERANDS; k++) words[k] = inputs[k][t];
      uint64_t e = expected_of(&slots[s], words), found = results[(size_t)s * threads + t];
      compared++;
      if (case_agrees(slots[s].type, found, e, slots[s].relative, slots[s].absolute)) continue;
      print_error("%s%s of 0x%llx, 0x%llx, 0x%llx, 0x%llx: expected 0x%llx, found 0x%llx\n",
                  slots[s].variant->name, slots[s].second ? " (second)" : "",
                  (unsigned long long)words[0], (unsigned long long)words[1],
                  (unsigned long long)words[2], (unsigned long long)words[3], (unsigned long long)e,
                  (unsigned long long)found);
      wrong++;
      break;
    }
  }
  return wrong;
}

/* Whether there are so few operands that each is tried. */
static bool is_exhaustive(const form_variant *v) {
  return v->sources == 1 && (ptx_type_bits(v->types[0]) <= 16 || strstr(v->types[0], "16x2"));
}

/* Some variants of a form, on the same operands. Returns how many were wrong. */
static unsigned check_variants(const ptx_form *f, const form_variant *v, unsigned n) {
  static char text[TEXT_BYTES];
  slot slots[2 * CHUNK];
  unsigned n_slots = slots_of(v, n, slots);
  bool all = is_exhaustive(&v[0]);
  unsigned threads = all && ptx_type_bits(v[0].types[0]) > 8 ? HALF_NUMBERS / STEP : THREADS;
  unsigned step = threads > THREADS ? STEP : 1;
  assert_true(form_kernel(f, v, n, true, text, sizeof text));
  for (unsigned k = 0; k < v[0].sources; k++)
    for (unsigned t = 0; t < threads; t++)
      inputs[k][t] =
          all ? (t * step + t % step) | form_input(&v[0], k, t) << 16 : form_input(&v[0], k, t);
  ptx_world w;
  ptx_world_open(&w);
  ptx_load(&w, text);
  uint64_t p[FORM_MAX_OPERANDS + 1];
  for (unsigned k = 0; k < v[0].sources; k++)
    p[k] = emu_alloc(w.device, sizeof inputs[k], inputs[k]);
  p[v[0].sources] = emu_alloc(w.device, (uint64_t)n_slots * threads * 8, results);
  emu_launch_options o = {.grid = {threads / 256, 1, 1}, .block = {256, 1, 1}};
  if (ptx_launch(&w, "form", p, o) != TSR_OK) fail_msg("%s: %s", v[0].name, w.fault.message);
  unsigned wrong = compare(slots, n_slots, threads);
  ptx_world_close(&w);
  return wrong;
}

/* Variants that may share a launch: with operands of the same types. */
static unsigned alike(const form_variant *v, unsigned n) {
  unsigned k = 1;
  while (k < n && k < CHUNK && v[k].sources == v[0].sources &&
         memcmp(v[k].types, v[0].types, sizeof v[0].types) == 0)
    k++;
  return k;
}

static void every_combination(void **state) {
  (void)state;
  unsigned wrong = 0, variants = 0;
  results = calloc((size_t)2 * CHUNK * HALF_NUMBERS, sizeof *results);
  for (unsigned f = 0; f < ptx_form_count; f++) {
    if (!form_is_scalar(&ptx_forms[f])) continue;
    unsigned n;
    form_variant *v = form_variants(&ptx_forms[f], true, &n);
    for (unsigned k = 0, some; k < n; k += some) {
      some = alike(v + k, n - k);
      wrong += check_variants(&ptx_forms[f], v + k, some);
    }
    variants += n;
    free(v);
  }
  free(results);
  print_message("%u instructions, %llu results, each %d. operand where there are few\n", variants,
                (unsigned long long)compared, STEP);
  assert_int_equal(wrong, 0);
}

/* ---- files that are made -------------------------------------------------------------------- */

static bool is_of_earlier_form(unsigned form, const char *name) {
  bool found = false;
  for (unsigned f = 0; f < form && !found; f++) {
    if (!form_is_scalar(&ptx_forms[f]) || strcmp(ptx_forms[f].opcode, ptx_forms[form].opcode) != 0)
      continue;
    unsigned n;
    form_variant *v = form_variants(&ptx_forms[f], false, &n);
    for (unsigned k = 0; k < n; k++) found |= strcmp(v[k].name, name) == 0;
    free(v);
  }
  return found;
}

/* A file is called after the first of its instructions that no other has. */
static void file_name(unsigned form, const form_variant *v, unsigned n, char *out, size_t size) {
  unsigned k = 0;
  while (k + 1 < n && is_of_earlier_form(form, v[k].name)) k++;
  snprintf(out, size, "%s.ptx", v[k].name);
  for (char *p = out; *p; p++)
    if (*p == ':') *p = '_';
}

static void put_values(sbuf *out, const uint64_t *values) {
  for (unsigned k = 0; k < FILE_THREADS; k++)
    sbuf_printf(out, "%s0x%llx", k % 8 ? " " : "\n//:   ", (unsigned long long)values[k]);
  sbuf_putc(out, '\n');
}

static void put_expected(sbuf *out, const slot *slots, unsigned n, uint64_t in[][FILE_THREADS]) {
  for (unsigned s = 0; s < n; s++) {
    uint64_t values[FILE_THREADS];
    for (unsigned t = 0; t < FILE_THREADS; t++) {
      uint64_t words[FORM_MAX_OPERANDS];
      for (unsigned k = 0; k < FORM_MAX_OPERANDS; k++) words[k] = in[k][t];
      values[t] = expected_of(&slots[s], words);
    }
    bool is_float = strchr(slots[s].type, 'f') != NULL;
    sbuf_printf(out, "//: %s %s/64", s ? "more" : "out", is_float ? slots[s].type : "b64");
    if (slots[s].relative > 0 || slots[s].absolute > 0)
      sbuf_printf(out, "~%.3g+%.3g", slots[s].relative, slots[s].absolute);
    put_values(out, values);
  }
}

/* The text of the file of a form. */
static void make_file(const ptx_form *f, const form_variant *v, unsigned n, sbuf *out) {
  static char kernel[TEXT_BYTES];
  static slot slots[2 * 256];
  uint64_t in[FORM_MAX_OPERANDS][FILE_THREADS] = {{0}};
  unsigned n_slots = slots_of(v, n, slots);
  sbuf_printf(out,
              "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n//\n"
              "// %s %s\n// Made by test_ptx_forms --write; see README.md.\n"
              "//: run form grid 1 block %u\n",
              f->opcode, f->words, FILE_THREADS);
  for (unsigned k = 0; k < v[0].sources; k++) {
    for (unsigned t = 0; t < FILE_THREADS; t++) in[k][t] = form_input(&v[t % n], k, t);
    sbuf_puts(out, "//: in b64");
    put_values(out, in[k]);
  }
  put_expected(out, slots, n_slots, in);
  if (!form_kernel(f, v, n, false, kernel, sizeof kernel)) fail_msg("%s: too long", v[0].name);
  sbuf_puts(out, kernel);
}

static void write_files(const char *folder) {
  tsr_context *ctx = tsr_context_create(NULL);
  for (unsigned f = 0; f < ptx_form_count; f++) {
    if (!form_is_scalar(&ptx_forms[f])) continue;
    unsigned n;
    form_variant *v = form_variants(&ptx_forms[f], false, &n);
    char name[200], path[700];
    file_name(f, v, n, name, sizeof name);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    sbuf out = SBUF(&ctx->arena);
    make_file(&ptx_forms[f], v, n, &out);
    if (!file_write(ctx, path, out.data, out.len)) fprintf(stderr, "cannot write %s\n", path);
    free(v);
  }
  tsr_context_destroy(ctx);
}

static void made_files_are_up_to_date(void **state) {
  (void)state;
  unsigned wrong = 0;
  for (unsigned f = 0; f < ptx_form_count; f++) {
    if (!form_is_scalar(&ptx_forms[f])) continue;
    unsigned n;
    form_variant *v = form_variants(&ptx_forms[f], false, &n);
    char name[220] = "forms/";
    file_name(f, v, n, name + 6, sizeof name - 6);
    tsr_context *ctx = tsr_context_create(NULL);
    sbuf out = SBUF(&ctx->arena);
    make_file(&ptx_forms[f], v, n, &out);
    char *text = ptx_file(name);
    if (out.len != strlen(text) || memcmp(out.data, text, out.len)) {
      print_error("%s is out of date: scripts/gen-ptx-forms makes it anew\n", name);
      wrong++;
    }
    free(text);
    free(v);
    tsr_context_destroy(ctx);
  }
  assert_int_equal(wrong, 0);
}

/* ---- all files ------------------------------------------------------------------------------ */

static bool executed_form[2048];

static void note_form(void *user, emu_warp *w, emu_insn insn, emu_lanes lanes, emu_lanes active) {
  const ptx_insn *i = insn;
  (void)user, (void)w, (void)active;
  if (lanes) executed_form[i->form] = true;
}

static const emu_watcher notes = {.serial = true, .executed = note_form};

/* Returns how many runs were wrong. */
static unsigned run_file(const char *name) {
  unsigned wrong = 0;
  char *text = ptx_file(name), problem[400];
  ptx_case c;
  ptx_world w;
  case_read(&c, text);
  if (c.problem[0] || !c.n) fail_msg("%s: %s", name, c.n ? c.problem : "has no //: run line");
  ptx_world_open(&w);
  ptx_load(&w, text);
  for (unsigned k = 0; k < c.n; k++) {
    for (unsigned schedule = 0; schedule < 3; schedule++) {
      case_launch(w.image, &c.runs[k], (emu_schedule)schedule, &notes, problem, sizeof problem);
      if (!problem[0]) continue;
      print_error("%s, %s: %s\n", name, c.runs[k].entry, problem);
      wrong++;
      break;
    }
  }
  ptx_world_close(&w);
  case_free(&c);
  free(text);
  return wrong;
}

static void run_folder(const char *in) {
  unsigned files = 0, wrong = 0;
  char path[400];
  snprintf(path, sizeof path, "%s/tests/ptx/%s", TESSERA_SOURCE_DIR, in);
  DIR *folder = opendir(path);
  assert_non_null(folder);
  for (struct dirent *e; (e = readdir(folder));) {
    char name[300];
    size_t n = strlen(e->d_name);
    if (n < 4 || strcmp(e->d_name + n - 4, ".ptx") != 0) continue;
    snprintf(name, sizeof name, "%s/%s", in, e->d_name);
    wrong += run_file(name);
    files++;
  }
  closedir(folder);
  print_message("%u files\n", files);
  assert_true(files > 0);
  assert_int_equal(wrong, 0);
}

static void every_file(void **state) {
  (void)state;
  run_folder("forms");
}

/* No file can execute these: they end the launch, or call a debugger. test_ptx_machine.c does. */
static bool ends_the_launch(const ptx_form *f) {
  return strcmp(f->opcode, "trap") == 0 || strcmp(f->opcode, "brkpt") == 0;
}

/* Each form is executed by a file. */
static void every_form_has_a_file(void **state) {
  (void)state;
  unsigned missing = 0;
  for (unsigned f = 0; f < ptx_form_count; f++) {
    if (executed_form[f] || ends_the_launch(&ptx_forms[f])) continue;
    print_error("no file of tests/ptx/forms executes: %s %s\n", ptx_forms[f].opcode,
                ptx_forms[f].words);
    missing++;
  }
  assert_int_equal(missing, 0);
}

/* What nvcc makes of ordinary C, against the same C compiled for the host. */
static void every_folder_of_programs(void **state) {
  (void)state;
  run_folder("programs");
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "--write") == 0) {
    write_files(argv[2]);
    return 0;
  }
  if (argc == 2 && strcmp(argv[1], "--files") == 0) cmocka_set_test_filter("every_f*");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_combination),
      cmocka_unit_test(made_files_are_up_to_date),
      cmocka_unit_test(every_file),
      cmocka_unit_test(every_form_has_a_file),
      cmocka_unit_test(every_folder_of_programs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
