/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Commands on whole programs: check, fmt, build.
 */
#include <stdio.h>
#include <unistd.h>

#include <tessera/module.h>
#include <tessera/runtime.h>

#include "cli/cli.h"
#include "ir/ir.h"
#include "rt/cpuinfo.h"

/* Standard input can be read once. */
static bool reads_stdin_twice(const cli *c) {
  unsigned n = 0;
  for (unsigned i = 0; i < c->n_args; i++) n += cli_is_stdin(c->args[i]);
  return n > 1;
}

static const char *shown_name(const char *path) {
  return cli_is_stdin(path) ? "<stdin>" : path;
}

static void tell_kernels(const char *path, const tsr_module *m) {
  size_t n = tsr_module_kernel_count(m);
  printf("%s: right, %zu kernel%s", shown_name(path), n, n == 1 ? "" : "s");
  for (size_t i = 0; i < n; i++) printf("%s @%s", i ? "," : ":", tsr_module_kernel_name(m, i));
  putchar('\n');
}

int cli_check(cli *c) {
  if (reads_stdin_twice(c)) return cli_wrong_call(c, "standard input (-) can be read only once");
  int status = CLI_OK;
  for (unsigned i = 0; i < c->n_args; i++) {
    tsr_module *m = tsr_module_load(c->ctx, c->args[i], TSR_PARSE_DEFAULT);
    if (!m) {
      status = CLI_WRONG_INPUT;
      continue;
    }
    if (c->verbose) tell_kernels(c->args[i], m);
    tsr_module_destroy(m);
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
  if (c->verbose) printf("%s: rewritten\n", path);
  return CLI_OK;
}

static int format_file(cli *c, const char *path) {
  tsr_module *m = tsr_module_load(c->ctx, path, TSR_PARSE_KEEP_COMMENTS | TSR_PARSE_NO_VERIFY);
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

/* The value of --emit; -1 after a message. */
static int emit_kind(const cli *c) {
  static const char *const names[] = {
      [TSR_EMIT_LLVM] = "llvm", [TSR_EMIT_ASM] = "asm", [TSR_EMIT_OBJECT] = "obj", NULL};
  const char *text = cli_value(c, OPT_EMIT);
  if (!text) {
    cli_wrong_call(c, "say what to make: --emit llvm, --emit asm or --emit obj");
    return -1;
  }
  for (int kind = 0; names[kind]; kind++)
    if (strcmp(text, names[kind]) == 0) return kind;
  cli_wrong_call(c, "--emit takes llvm, asm or obj, not '%s'", text);
  return -1;
}

bool cli_check_cpu(cli *c) {
  cpu_options options;
  return cpuinfo_choose(c->ctx, cli_value(c, OPT_CPU), &options);
}

int cli_build(cli *c) {
  int kind = emit_kind(c);
  if (kind < 0) return CLI_WRONG_CALL;
  const char *out = cli_value(c, OPT_OUTPUT);
  bool to_stdout = !out || cli_is_stdin(out);
  if (kind == TSR_EMIT_OBJECT && to_stdout && isatty(STDOUT_FILENO))
    return cli_wrong_call(c, "an object file is nothing for a terminal; give a file: -o OUT.o");
  if (!cli_check_cpu(c)) return CLI_WRONG_CALL;
  tsr_module *m = tsr_module_load(c->ctx, c->args[0], TSR_PARSE_DEFAULT);
  if (!m) return CLI_WRONG_INPUT;
  size_t len;
  char *code = tsr_module_emit(m, (tsr_emit)kind, cli_value(c, OPT_CPU), &len);
  bool ok = code && cli_write_result(c, out, code, len);
  if (code) tsr_string_free(c->ctx, code);
  tsr_module_destroy(m);
  return ok ? CLI_OK : CLI_WRONG_INPUT;
}
