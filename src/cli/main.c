/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Where the command starts and ends: parse the call, make a context, run, check that standard
 * output took everything.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"

/* Colour for a stream, as asked for; by default only on a terminal that can, and not against the
 * user's wish (https://no-color.org). */
static bool use_color(const char *when, int fd) {
  if (when && strcmp(when, "always") == 0) return true;
  if (when && strcmp(when, "never") == 0) return false;
  const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
  if (no_color && *no_color) return false;
  return term && strcmp(term, "dumb") != 0 && isatty(fd);
}

/* Applies the options that every command has. */
static int apply_global(cli *c) {
  const char *when = cli_value(c, OPT_COLOR);
  c->color_out = use_color(when, STDOUT_FILENO);
  c->color_err = use_color(when, STDERR_FILENO);
  if (when && strcmp(when, "auto") != 0 && strcmp(when, "always") != 0 &&
      strcmp(when, "never") != 0)
    return cli_wrong_call(c, "--color takes auto, always or never, not '%s'", when);
  const char *format = cli_value(c, OPT_DIAGNOSTICS_FORMAT);
  if (format && strcmp(format, "text") != 0) {
    c->diagnostics = diagnostics_create(format);
    if (!c->diagnostics)
      return cli_wrong_call(c, "--diagnostics-format takes text, json or sarif, not '%s'", format);
  }
  c->quiet = cli_has(c, OPT_QUIET);
  c->verbose = cli_has(c, OPT_VERBOSE);
  const char *limit = cli_value(c, OPT_ERROR_LIMIT);
  uint64_t n = 20;
  if (limit && !cli_number(c, "--error-limit", limit, 0, UINT32_MAX, &n)) return CLI_WRONG_CALL;
  c->error_limit = n == 0 ? UINT32_MAX : (uint32_t)n;
  return CLI_OK;
}

/* What the options ask for in place of the command, and calls without a command. -1: neither. */
static int answer_without_command(cli *c) {
  if (cli_has(c, OPT_VERSION)) return cli_version(c);
  if (cli_has(c, OPT_HELP) && c->command) {
    cli_print_help(c, c->command);
    return CLI_OK;
  }
  if (c->command && cli_asks_for_patterns(c)) {
    cli_print_patterns();
    return CLI_OK;
  }
  if (c->command) return -1;
  cli_print_overview(c);
  return CLI_OK;
}

static int check_argument_count(const cli *c) {
  const cli_command *command = c->command;
  if (c->n_args < command->min_args)
    return cli_wrong_call(c, "'%s' needs %s", command->name, command->arg);
  if (command->max_args != 255 && c->n_args > command->max_args)
    return command->max_args == 0
               ? cli_wrong_call(c, "'%s' takes no arguments: '%s' is one too many", command->name,
                                c->args[0])
               : cli_wrong_call(c, "'%s' is one argument too many", c->args[command->max_args]);
  return CLI_OK;
}

/* The command itself. Memory that runs out below ends up here, after a message. */
static int run_command(cli *c) {
  TSR_GUARD(c->ctx, return CLI_WRONG_INPUT);
  int status = c->command->ends_options ? CLI_OK : cli_find_shipped(c);
  if (status == CLI_OK) status = c->command->run(c);
  TSR_UNGUARD(c->ctx);
  return status;
}

static int run_in_context(cli *c) {
  int status = check_argument_count(c);
  if (status != CLI_OK) return status;
  tsr_context_options options = {
      .struct_size = sizeof options,
      .on_diagnostic = cli_on_diagnostic,
      .diagnostic_user = c,
      .error_limit = c->error_limit,
  };
  c->ctx = tsr_context_create(&options);
  if (!c->ctx) {
    cli_error(c, "out of memory");
    return CLI_WRONG_INPUT;
  }
  arena_init(&c->arena, c->ctx);
  status = run_command(c);
  arena_free(&c->arena);
  tsr_context_destroy(c->ctx);
  return status;
}

int main(int argc, char **argv) {
  cli c = {.error_limit = 20};
  c.color_err = use_color(NULL, STDERR_FILENO);
  c.given = calloc((size_t)argc + 1, sizeof *c.given);
  if (!c.given) {
    cli_error(&c, "out of memory");
    return CLI_WRONG_INPUT;
  }
  int status = cli_parse(&c, argc, argv);
  if (status == CLI_OK) status = apply_global(&c);
  if (status == CLI_OK) {
    int answer = answer_without_command(&c);
    status = answer >= 0 ? answer : run_in_context(&c);
  }
  free(c.given);
  if (fflush(stdout) != 0 || ferror(stdout)) {
    cli_error(&c, "cannot write to standard output: %s", strerror(errno));
    if (status == CLI_OK) status = CLI_WRONG_INPUT;
  }
  diagnostics_end(c.diagnostics);
  return status;
}
