/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Commands on bytecode: as, dis.
 */
#include <stdio.h>
#include <unistd.h>

#include <tessera/module.h>

#include "cli/cli.h"
#include "ir/ir.h"

bool cli_language(const cli *c, unsigned *minor) {
  const char *text = cli_value(c, OPT_BYTECODE_VERSION);
  *minor = 0;
  if (!text) return true;
  for (unsigned n = V13_1; n <= V13_NEWEST; n++) {
    char name[16];
    snprintf(name, sizeof name, "13.%u", n);
    if (strcmp(text, name) == 0) *minor = n;
  }
  if (*minor) return true;
  cli_wrong_call(c, "--version takes 13.%d to 13.%d, not '%s'", V13_1, V13_NEWEST, text);
  return false;
}

int cli_as(cli *c) {
  const char *out = cli_value(c, OPT_OUTPUT);
  unsigned minor;
  if (!cli_language(c, &minor)) return CLI_WRONG_CALL;
  if (!out) return cli_wrong_call(c, "say where to write the bytecode: -o OUT");
  if (cli_is_stdin(out) && isatty(STDOUT_FILENO))
    return cli_wrong_call(c, "bytecode is nothing for a terminal; give a file: -o OUT");
  tsr_module *m = tsr_module_load(c->ctx, c->args[0], cli_load_flags(c));
  if (!m) return CLI_WRONG_INPUT;
  size_t len;
  unsigned version = minor ? TSR_BYTECODE_VERSION(13, minor) : TSR_BYTECODE_NEWEST;
  char *bytes = tsr_module_write_bytecode(m, version, &len);
  bool ok = bytes && cli_write_result(c, out, bytes, len);
  if (bytes) tsr_string_free(c->ctx, bytes);
  tsr_module_destroy(m);
  return ok ? CLI_OK : CLI_WRONG_INPUT;
}

static bool drop_location(void *user, ir_op *op) {
  (void)user;
  op->loc = 0;
  return true;
}

int cli_dis(cli *c) {
  tsr_module *m = tsr_module_load(c->ctx, c->args[0], TSR_PARSE_DEFAULT);
  if (!m) return CLI_WRONG_INPUT;
  if (cli_has(c, OPT_STRIP_DEBUG)) {
    ir_walk(m->op, drop_location, NULL);
    m->locs.len = 1;
    m->scopes.len = 0;
  }
  size_t len;
  char *text = tsr_module_print(m, &len);
  bool ok = text && cli_write_result(c, cli_value(c, OPT_OUTPUT), text, len);
  if (text) tsr_string_free(c->ctx, text);
  tsr_module_destroy(m);
  return ok ? CLI_OK : CLI_WRONG_INPUT;
}
