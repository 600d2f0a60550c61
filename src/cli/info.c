/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Commands that tell: explain, devices, version, help.
 */
#include <stdio.h>

#include <tessera/runtime.h>

#include "base/json.h"
#include "cli/cli.h"
#include "ir/explain.h"

#ifdef __clang__
#define TSR_COMPILER "clang"
#else
#define TSR_COMPILER "gcc"
#endif

/* A name as people write it: with the dialect's name in front or not, and the mark that types and
 * attributes have there. */
static const char *bare_name(const char *name) {
  static const char prefix[] = "cuda_tile.";
  if (*name == '!' || *name == '#') name++;
  return strncmp(name, prefix, sizeof prefix - 1) == 0 ? name + sizeof prefix - 1 : name;
}

static int unknown_page(const cli *c, const char *name) {
  const char *close[2], *page;
  near_names near = {.wanted = str_of(name), .out = close, .max = ARRAY_LEN(close)};
  for (unsigned i = 0; (page = ir_explain_name(i)); i++) near_offer(&near, page);
  cli_error(c, "there is no operation, type or attribute '%s'", name);
  if (near.found == 0)
    cli_note(c, "'tessera explain' lists all that have a page");
  else if (near.found == 1)
    cli_note(c, "did you mean '%s'?", close[0]);
  else
    cli_note(c, "did you mean '%s' or '%s'?", close[0], close[1]);
  return CLI_WRONG_CALL;
}

int cli_explain(cli *c) {
  sbuf out = SBUF(&c->arena);
  if (cli_has(c, OPT_MARKDOWN)) {
    if (c->n_args > 0)
      return cli_wrong_call(c, "--markdown is the whole manual: leave out '%s'", c->args[0]);
    if (cli_has(c, OPT_BLOCK_LEVEL))
      ir_explain_block_markdown(&out);
    else
      ir_explain_markdown(&out);
  } else if (cli_has(c, OPT_TARGETS)) {
    if (c->n_args > 0)
      return cli_wrong_call(c, "--targets is a page of its own: leave out '%s'", c->args[0]);
    cli_put_targets(&out);
  } else if (cli_has(c, OPT_ELEMENTS)) {
    if (c->n_args > 0)
      return cli_wrong_call(c, "--elements is a page of its own: leave out '%s'", c->args[0]);
    cli_put_elements(&out);
  } else if (cli_has(c, OPT_GRAMMAR)) {
    if (c->n_args > 0)
      return cli_wrong_call(c, "--grammar has all words: leave out '%s'", c->args[0]);
    cli_put_grammar(c, &out);
  } else if (cli_has(c, OPT_JSON)) {
    const char *name = c->n_args ? bare_name(c->args[0]) : NULL;
    if (!ir_explain_json(&out, name)) return unknown_page(c, name);
  } else if (c->n_args == 0) {
    ir_explain_index(&out, c->color_out);
  } else {
    const char *name = bare_name(c->args[0]);
    if (!ir_explain_topic(&out, name, c->color_out)) return unknown_page(c, name);
  }
  fwrite(out.data, 1, out.len, stdout);
  return CLI_OK;
}

static int devices_json(cli *c) {
  sbuf out = SBUF(&c->arena);
  json j = JSON(&out);
  json_open(&j, NULL, '[');
  for (size_t i = 0; i < tsr_device_count(); i++) {
    char text[512];
    tsr_device_describe(tsr_device_name(i), text, sizeof text);
    json_open(&j, NULL, '{');
    json_text(&j, "name", tsr_device_name(i));
    json_text(&j, "about", text);
    json_close(&j, '}');
  }
  json_close(&j, ']');
  return cli_print_line(&out);
}

int cli_devices(cli *c) {
  if (cli_has(c, OPT_JSON)) return devices_json(c);
  for (size_t i = 0; i < tsr_device_count(); i++) {
    char text[512];
    tsr_device_describe(tsr_device_name(i), text, sizeof text);
    printf("%-11s %s\n", tsr_device_name(i), text);
  }
  return CLI_OK;
}

int cli_version(cli *c) {
  (void)c;
  printf("tessera %s\nreads Tile IR up to 13.%d\n", tsr_version(), V13_RELEASED);
  if (*TSR_LLVM_VERSION)
    printf("compiles with LLVM %s\n", TSR_LLVM_VERSION);
  else
    printf("was built without LLVM, and compiles nothing\n");
  printf("build %s, by %s %s\n", TSR_BUILD_TYPE, TSR_COMPILER, __VERSION__);
  return CLI_OK;
}

int cli_help(cli *c) {
  if (cli_has(c, OPT_COMPLETE)) return cli_complete(c);
  if (c->n_args > 1) return cli_wrong_call(c, "'%s' is one argument too many", c->args[1]);
  if (cli_has(c, OPT_COMPLETION)) return cli_print_completion(c, cli_value(c, OPT_COMPLETION));
  if (cli_has(c, OPT_MAN)) {
    cli_print_man();
    return CLI_OK;
  }
  if (c->n_args == 0) {
    cli_print_overview(c);
    return CLI_OK;
  }
  if (strcmp(c->args[0], "environment") == 0) {
    cli_print_environment(c);
    return CLI_OK;
  }
  const cli_command *command = cli_find_command(c->args[0]);
  if (!command) return cli_unknown_command(c, c->args[0]);
  cli_print_help(c, command);
  return CLI_OK;
}
