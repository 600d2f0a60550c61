/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Commands on whole programs: check, fmt, build.
 */
#include <errno.h>
#include <stdlib.h>
#include <stdio.h>
#include <unistd.h>

#include <tessera/module.h>
#include <tessera/opt.h>
#include <tessera/runtime.h>

#include "base/json.h"
#include "cli/cli.h"
#include "ir/ir.h"
#include "rt/cpuinfo.h"
#include "text/load.h"

/* Standard input can be read once. */
static bool reads_stdin_twice(const cli *c) {
  unsigned n = 0;
  for (unsigned i = 0; i < c->n_args; i++) n += cli_is_stdin(c->args[i]);
  return n > 1;
}

static const char *shown_name(const char *path) {
  return cli_is_stdin(path) ? "<stdin>" : path;
}

/* "  @saxpy(x: ptr<f32>, y: ptr<f32>, alpha: f32, n: i64)" */
static void tell_kernel(cli *c, const tsr_module *m, const char *name) {
  int n = tsr_module_kernel_parameters(m, name, NULL, 0);
  tsr_parameter *params = arena_array(&c->arena, tsr_parameter, (size_t)MAX(n, 0) + 1);
  tsr_module_kernel_parameters(m, name, params, (size_t)MAX(n, 0));
  printf("  @%s(", cli_shown(c, name));
  for (int i = 0; i < n; i++) {
    const char *type = tsr_elem_name(params[i].elem);
    printf("%s%s%s", i ? ", " : "", params[i].name ? cli_shown(c, params[i].name) : "",
           params[i].name ? ": " : "");
    printf(params[i].is_pointer ? "ptr<%s>" : "%s", type);
  }
  puts(")");
}

static void tell_kernels(cli *c, const tsr_module *m) {
  size_t n = tsr_module_kernel_count(m);
  printf(": right, %zu kernel%s\n", n, n == 1 ? "" : "s");
  for (size_t i = 0; i < n; i++) tell_kernel(c, m, tsr_module_kernel_name(m, i));
}

static void kernel_json(cli *c, json *j, const tsr_module *m, const char *name) {
  int n = tsr_module_kernel_parameters(m, name, NULL, 0);
  tsr_parameter *params = arena_array(&c->arena, tsr_parameter, (size_t)MAX(n, 0) + 1);
  tsr_module_kernel_parameters(m, name, params, (size_t)MAX(n, 0));
  json_open(j, NULL, '{');
  json_text(j, "name", name);
  json_open(j, "parameters", '[');
  for (int i = 0; i < n; i++) {
    const char *type = tsr_elem_name(params[i].elem);
    json_open(j, NULL, '{');
    json_text(j, "name", params[i].name);
    json_text(j, "type", params[i].is_pointer ? arena_printf(&c->arena, "ptr<%s>", type) : type);
    json_close(j, '}');
  }
  json_close(j, ']');
  json_close(j, '}');
}

/* A line for a program, or for the part of one that `line` begins; a module that is NULL is wrong,
 * and what is wrong was said. */
static int checked_json(cli *c, const char *path, unsigned line, const tsr_module *m) {
  sbuf out = SBUF(&c->arena);
  json j = JSON(&out);
  json_open(&j, NULL, '{');
  json_text(&j, "file", shown_name(path));
  json_count(&j, "line", line);
  json_bool(&j, "right", m != NULL);
  json_open(&j, "kernels", '[');
  size_t n = m ? tsr_module_kernel_count(m) : 0;
  for (size_t i = 0; i < n; i++) kernel_json(c, &j, m, tsr_module_kernel_name(m, i));
  json_close(&j, ']');
  json_close(&j, '}');
  return cli_print_line(&out);
}

static int check_file(cli *c, const char *path, unsigned flags) {
  tsr_module *m = tsr_module_load(c->ctx, path, flags);
  if (cli_has(c, OPT_JSON)) checked_json(c, path, 1, m);
  if (!m) return CLI_WRONG_INPUT;
  if (c->verbose && !cli_has(c, OPT_JSON)) {
    printf("%s", cli_shown(c, shown_name(path)));
    tell_kernels(c, m);
  }
  tsr_module_destroy(m);
  return CLI_OK;
}

/* Where the part of a text that begins at `first` ends: at the next line that separates parts. */
static size_t part_end(str text, size_t first) {
  static const char mark[] = "// -----";
  size_t n = sizeof mark - 1;
  for (const char *q = text.data + first, *end = text.data + text.len; q;) {
    if ((size_t)(end - q) >= n && memcmp(q, mark, n) == 0) return (size_t)(q - text.data);
    q = memchr(q, '\n', (size_t)(end - q));
    if (q) q++;
  }
  return text.len;
}

/* Checks the part of `text` between two offsets, which `line` of the file begins. */
static int check_part(cli *c, const char *path, str text, size_t first, unsigned line,
                      unsigned flags) {
  ir_module *m = text_load_part(c->ctx, text, first, shown_name(path), flags);
  if (cli_has(c, OPT_JSON)) {
    checked_json(c, path, line, m);
  } else if (c->verbose) {
    printf("%s:%u", cli_shown(c, shown_name(path)), line);
    if (m)
      tell_kernels(c, m);
    else
      printf(": wrong, %u error%s\n", c->ctx->errors, c->ctx->errors == 1 ? "" : "s");
  }
  ir_module_destroy(m);
  return m ? CLI_OK : CLI_WRONG_INPUT;
}

/* Each part sees the text up to its end, so that its messages count the file's lines. */
static int check_parts(cli *c, const char *path, unsigned flags) {
  arena scratch;
  arena_init(&scratch, c->ctx);
  TSR_GUARD(c->ctx, arena_free(&scratch); ctx_unwind(c->ctx));
  str text;
  int status = file_read(c->ctx, &scratch, path, INT32_MAX, &text) ? CLI_OK : CLI_WRONG_INPUT;
  unsigned line = 1;
  for (size_t first = 0, end; status == CLI_OK || first; first = end) {
    end = part_end(text, first);
    char *stop = (char *)text.data + end, old = *stop;
    *stop = 0;
    if (check_part(c, path, (str){text.data, end}, first, line, flags) != CLI_OK)
      status = CLI_WRONG_INPUT;
    *stop = old;
    if (end == text.len) break;
    for (size_t i = first; i < end; i++) line += text.data[i] == '\n';
    const char *next_line = memchr(stop, '\n', text.len - end);
    end = next_line ? (size_t)(next_line - text.data) + 1 : text.len;
    line++;
  }
  TSR_UNGUARD(c->ctx);
  arena_free(&scratch);
  return status;
}

unsigned cli_load_flags(const cli *c) {
  unsigned flags = TSR_PARSE_DEFAULT;
  if (cli_has(c, OPT_TESTING_OPS)) flags |= TSR_PARSE_TESTING_OPS;
  if (cli_has(c, OPT_EXTENSIONS)) flags |= TSR_PARSE_EXTENSIONS;
  return flags;
}

/* These, and those that --hints and --version mean; false after a message. */
static bool check_flags(const cli *c, unsigned *flags) {
  const char *hints = cli_value(c, OPT_HINTS);
  unsigned language;
  *flags = cli_load_flags(c);
  if (!cli_language(c, &language)) return false;
  *flags |= TSR_PARSE_LANGUAGE(language);
  if (!hints || strcmp(hints, "warn") == 0) return true;
  if (strcmp(hints, "error") == 0)
    *flags |= TSR_PARSE_HINTS_ERROR;
  else if (strcmp(hints, "ignore") == 0)
    *flags |= TSR_PARSE_HINTS_IGNORE;
  else
    return cli_wrong_call(c, "--hints takes warn, error or ignore, not '%s'", hints), false;
  return true;
}

int cli_check(cli *c) {
  unsigned flags;
  if (reads_stdin_twice(c)) return cli_wrong_call(c, "standard input (-) can be read only once");
  if (!check_flags(c, &flags)) return CLI_WRONG_CALL;
  int status = CLI_OK;
  for (unsigned i = 0; i < c->n_args; i++) {
    int one = cli_has(c, OPT_SPLIT) ? check_parts(c, c->args[i], flags)
                                    : check_file(c, c->args[i], flags);
    if (one != CLI_OK) status = one;
  }
  return status;
}

/* ---- fmt ------------------------------------------------------------------------------------ */

bool cli_write_result(cli *c, const char *path, const char *data, size_t len) {
  if (path && !cli_is_stdin(path)) return file_write(c->ctx, path, data, len);
  fwrite(data, 1, len, stdout); /* main checks that it arrived */
  return true;
}

/* Compares a file's text with what it should be; says whether it could be read. */
static bool is_laid_out(cli *c, const char *path, const char *text, size_t len, bool *same) {
  arena scratch;
  arena_init(&scratch, c->ctx);
  str old;
  bool ok = file_read(c->ctx, &scratch, path, SIZE_MAX / 4, &old);
  if (ok) *same = str_eq(old, (str){text, len});
  arena_free(&scratch);
  return ok;
}

/* Bytecode has no text that could be laid out. */
static bool is_text(const cli *c, const char *path, const tsr_module *m) {
  if (m->source && m->source->text.len) return true;
  cli_error(c, "'%s' is bytecode, which has no layout; 'tessera dis' prints it as text", path);
  return false;
}

static int format_in_place(cli *c, const char *path, const char *text, size_t len) {
  bool same;
  if (!is_laid_out(c, path, text, len, &same)) return CLI_WRONG_INPUT;
  if (same) return CLI_OK;
  if (cli_has(c, OPT_CHECK)) {
    printf("%s\n", path);
    return CLI_WRONG_INPUT;
  }
  if (!file_write(c->ctx, path, text, len)) return CLI_WRONG_INPUT;
  if (c->verbose) printf("%s: rewritten\n", cli_shown(c, path));
  return CLI_OK;
}

static int format_file(cli *c, const char *path) {
  unsigned flags = cli_load_flags(c) | TSR_PARSE_KEEP_COMMENTS;
  if (!cli_has(c, OPT_INFER)) flags |= TSR_PARSE_NO_VERIFY;
  tsr_module *m = tsr_module_load(c->ctx, path, flags);
  if (!m) return CLI_WRONG_INPUT;
  bool in_place = cli_has(c, OPT_IN_PLACE) || cli_has(c, OPT_CHECK);
  if (in_place && !is_text(c, path, m)) {
    tsr_module_destroy(m);
    return CLI_WRONG_INPUT;
  }
  size_t len;
  char *text = tsr_module_print(m, &len);
  tsr_module_destroy(m);
  if (!text) return CLI_WRONG_INPUT;
  int status = CLI_OK;
  if (in_place)
    status = format_in_place(c, path, text, len);
  else if (!cli_write_result(c, cli_value(c, OPT_OUTPUT), text, len))
    status = CLI_WRONG_INPUT;
  tsr_string_free(c->ctx, text);
  return status;
}

int cli_fmt(cli *c) {
  bool in_place = cli_has(c, OPT_IN_PLACE), check = cli_has(c, OPT_CHECK);
  if (in_place + check + cli_has(c, OPT_OUTPUT) > 1)
    return cli_wrong_call(c, "-o, -i and --check exclude each other");
  if (!in_place && !check && c->n_args > 1)
    return cli_wrong_call(c, "several files can be laid out only with -i or --check");
  for (unsigned i = 0; i < c->n_args; i++)
    if ((in_place || check) && cli_is_stdin(c->args[i]))
      return cli_wrong_call(c, "%s needs a file, not standard input (-)",
                            in_place ? "-i" : "--check");
  int status = CLI_OK;
  for (unsigned i = 0; i < c->n_args; i++)
    if (format_file(c, c->args[i]) != CLI_OK) status = CLI_WRONG_INPUT;
  return status;
}

/* ---- build ---------------------------------------------------------------------------------- */

/* What --emit can name, for this machine's processor and for GPUs. */
typedef struct emit_form {
  const char *name;
  int kind;    /* tsr_emit or tsr_gpu_emit */
  bool binary; /* nothing for a terminal */
} emit_form;

enum { EMIT_KERNELS = 100 }; /* no tsr_emit: a folder */

static const emit_form cpu_forms[] = {
    {"tile", TSR_EMIT_TILE, false},   {"nests", TSR_EMIT_NESTS, false},
    {"llvm", TSR_EMIT_LLVM, false},   {"asm", TSR_EMIT_ASM, false},
    {"obj", TSR_EMIT_OBJECT, true},   {"header", TSR_EMIT_HEADER, false},
    {"kernels", EMIT_KERNELS, false}, {0}};
static const emit_form gpu_forms[] = {{"ptx", TSR_GPU_PTX, false},
                                      {"llvm", TSR_GPU_LLVM, false},
                                      {"cubin", TSR_GPU_CUBIN, true},
                                      {"layouts", TSR_GPU_LAYOUTS, false},
                                      {"launch", TSR_GPU_LAUNCH, false},
                                      {"asm", TSR_GPU_ASM, false},
                                      {"hsaco", TSR_GPU_HSACO, true},
                                      {"block", TSR_GPU_BLOCK, false},
                                      {"block-tma", TSR_GPU_BLOCK_TMA, false},
                                      {"block-cluster", TSR_GPU_BLOCK_CLUSTER, false},
                                      {0}};

static bool form_is_amd(const emit_form *form) {
  return form->kind == TSR_GPU_HSACO;
}

/* The form that --emit asks for; NULL after a message. */
static const emit_form *emit_form_of(const cli *c, bool gpu) {
  const emit_form *forms = gpu ? gpu_forms : cpu_forms;
  const char *text = cli_value(c, OPT_EMIT);
  const char *all =
      gpu ? "ptx, llvm, cubin, asm, hsaco, layouts, block, block-tma, block-cluster or launch"
          : "tile, nests, llvm, asm, obj, header or kernels";
  if (!text) {
    cli_wrong_call(c, "say what to make: --emit %s", all);
    return NULL;
  }
  for (unsigned i = 0; forms[i].name; i++)
    if (strcmp(text, forms[i].name) == 0) return &forms[i];
  for (unsigned i = 0; !gpu && gpu_forms[i].name; i++)
    if (strcmp(text, gpu_forms[i].name) == 0) {
      cli_wrong_call(c, "--emit %s is code for a GPU: say for which, as in --target %s", text,
                     form_is_amd(&gpu_forms[i]) ? "gfx942" : "sm_90a");
      return NULL;
    }
  cli_wrong_call(c, "--emit takes %s%s, not '%s'", all, gpu ? " for a GPU" : "", text);
  return NULL;
}

bool cli_check_cpu(cli *c) {
  cpu_options options;
  return cpuinfo_choose(c->ctx, cli_value(c, OPT_CPU), &options);
}

tsr_module *cli_load_to_compile(cli *c, int *status) {
  uint64_t level = 2;
  const char *given = cli_value(c, OPT_LEVEL);
  *status = CLI_WRONG_CALL;
  if (given && !cli_number(c, "-O", given, 0, 3, &level)) return NULL;
  *status = CLI_WRONG_INPUT;
  tsr_module *m = tsr_module_load(c->ctx, c->args[0], cli_load_flags(c));
  if (!m) return NULL;
  tsr_module_set_level(m, (unsigned)level);
  if (tsr_module_disable(m, cli_value(c, OPT_DISABLE)) == TSR_OK) return m;
  tsr_module_destroy(m);
  *status = CLI_WRONG_CALL;
  return NULL;
}

/* "0x1000,3" as words in the arena. False after a message. */
static bool read_words(cli *c, tsr_gpu_options *options) {
  enum { MOST = 512 };
  const char *text = cli_value(c, OPT_WORDS);
  if (!text) return true;
  uint64_t *words = arena_array(&c->arena, uint64_t, MOST);
  options->words = words;
  for (const char *p = text;; p++) {
    char *end;
    errno = 0;
    words[options->n_words++] = strtoull(p, &end, 0);
    bool number = end != p && *p != '-' && !errno;
    if (!number || (*end && *end != ',') || options->n_words == MOST) {
      cli_wrong_call(c, "--words takes numbers of 64 bits, as in --words 0x1000,128, not '%s'",
                     text);
      return false;
    }
    if (!*end) return true;
    p = end;
  }
}

static char *build_for_gpu(cli *c, tsr_module *m, const emit_form *form, size_t *len) {
  tsr_gpu_options options = {.struct_size = sizeof options, .lines = cli_has(c, OPT_LINES)};
  if (!read_words(c, &options)) return NULL;
  if (cli_has(c, OPT_GRID) && cli_grid(c, &options.grid) != CLI_OK) return NULL;
  return tsr_module_emit_gpu(m, (tsr_gpu_emit)form->kind, cli_value(c, OPT_TARGET), &options, len);
}

static bool is_for_arm(const char *target) {
  return target && strncmp(target, "aarch64", 7) == 0;
}

/* The processor, in words that tsr_module_emit takes. */
static const char *processor(cli *c) {
  const char *target = cli_value(c, OPT_TARGET);
  return is_for_arm(target) ? target : cli_value(c, OPT_CPU);
}

/* Whether the result could be made and is where it should be. */
static bool build_for_cpu(cli *c, tsr_module *m, const emit_form *form) {
  const char *out = cli_value(c, OPT_OUTPUT);
  if (form->kind == EMIT_KERNELS) return tsr_module_emit_kernels(m, processor(c), out) > 0;
  size_t len;
  char *code = tsr_module_emit(m, (tsr_emit)form->kind, processor(c), &len);
  bool ok = code && cli_write_result(c, out, code, len);
  if (code) tsr_string_free(c->ctx, code);
  return ok;
}

static bool build_for_card(cli *c, tsr_module *m, const emit_form *form) {
  size_t len;
  char *code = build_for_gpu(c, m, form, &len);
  bool ok = code && cli_write_result(c, cli_value(c, OPT_OUTPUT), code, len);
  if (code) tsr_string_free(c->ctx, code);
  return ok;
}

int cli_build(cli *c) {
  static const emit_form resources = {"resources", TSR_GPU_RESOURCES, false};
  const char *out = cli_value(c, OPT_OUTPUT), *target = cli_value(c, OPT_TARGET);
  bool arm = is_for_arm(target);
  bool gpu = target && strcmp(target, "cpu") != 0 && !arm, to_stdout = !out || cli_is_stdin(out);
  bool asks = cli_has(c, OPT_RESOURCES);
  if (asks && (!gpu || cli_has(c, OPT_EMIT)))
    return cli_wrong_call(c, "--resources is for a GPU (--target sm_90a), without --emit");
  const emit_form *form = asks ? &resources : emit_form_of(c, gpu);
  if (!form) return CLI_WRONG_CALL;
  if (cli_has(c, OPT_LINES) && (!gpu || (form->kind != TSR_GPU_PTX && form->kind != TSR_GPU_CUBIN)))
    return cli_wrong_call(c, "--lines is for the PTX or the cubin of a GPU: --target sm_90a");
  if (form->binary && to_stdout && isatty(STDOUT_FILENO))
    return cli_wrong_call(c, "machine code is nothing for a terminal; give a file: -o OUT");
  if (form->kind == EMIT_KERNELS && !gpu && to_stdout)
    return cli_wrong_call(c, "--emit kernels makes a folder; name it: -o FOLDER");
  cpu_options options;
  if (arm && cli_has(c, OPT_CPU))
    return cli_wrong_call(c, "--cpu is for this machine's architecture; AArch64's extensions are "
                             "part of the target: --target aarch64+i8mm");
  if (gpu && cli_has(c, OPT_CPU))
    return cli_wrong_call(c, "--cpu is for code for CPUs, not for --target %s", target);
  if (!cpuinfo_choose_target(c->ctx, processor(c), &options)) return CLI_WRONG_CALL;
  int status;
  tsr_module *m = cli_load_to_compile(c, &status);
  if (!m) return status;
  bool ok = gpu ? build_for_card(c, m, form) : build_for_cpu(c, m, form);
  tsr_module_destroy(m);
  return ok ? CLI_OK : CLI_WRONG_INPUT;
}
