/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Help pages on the terminal and as one manual page, both from the table of commands.
 */
#include <stdio.h>

#include "cli/cli.h"

static const char bold[] = "\033[1m", cyan[] = "\033[36m", dim[] = "\033[2m", off[] = "\033[0m";

static const char *style(const cli *c, const char *code) {
  return c->color_out ? code : "";
}

static void heading(const cli *c, const char *text) {
  printf("\n%s%s%s\n", style(c, bold), text, style(c, off));
}

enum { OPTION_COLUMN = 26 };

/* "  -o, --output=OUT        write to ..." */
static void print_option(const cli *c, const cli_option *row) {
  char left[64], letter[8] = "    ";
  if (row->letter) snprintf(letter, sizeof letter, "-%c, ", row->letter);
  const char *metavar = row->metavar ? row->metavar : "";
  int width = snprintf(left, sizeof left, "  %s--%s%s%s", letter, row->name,
                       *metavar && *metavar != '[' ? "=" : "", metavar);
  printf("%s%s%s", style(c, cyan), left, style(c, off));
  if (width + 2 > OPTION_COLUMN) {
    putchar('\n');
    width = 0;
  }
  printf("%*s", OPTION_COLUMN - width, "");
  for (const char *p = row->help; *p; p++) {
    putchar(*p);
    if (*p == '\n') printf("%*s", OPTION_COLUMN, "");
  }
  putchar('\n');
}

static bool is_named(const cli_option *rows, const char *name) {
  for (; rows && rows->name; rows++)
    if (strcmp(rows->name, name) == 0) return true;
  return false;
}

/* Leaves out what means something else among `hiding`. */
static void print_options(const cli *c, const char *title, const cli_option *rows,
                          const cli_option *hiding) {
  if (!rows || !rows->name) return;
  heading(c, title);
  for (; rows->name; rows++)
    if (!is_named(hiding, rows->name)) print_option(c, rows);
}

static void print_examples(const cli *c, const cli_example *examples) {
  if (!examples) return;
  heading(c, "Examples");
  for (; examples->line; examples++)
    printf("  %s\n    %s%s%s\n", examples->what, style(c, cyan), examples->line, style(c, off));
}

static void print_list(const cli *c, const cli_command *command) {
  char line[256];
  if (!command->list) return;
  heading(c, command->list_title);
  for (unsigned i = 0; command->list(i, line, sizeof line); i++) printf("  %s\n", line);
}

static void print_commands(const cli *c) {
  heading(c, "Commands");
  for (const cli_command *command = cli_commands; command->name; command++)
    printf("  %s%-9s%s %s\n", style(c, cyan), command->name, style(c, off), command->summary);
}

void cli_print_overview(const cli *c) {
  printf("%stessera%s compiles, checks and runs CUDA Tile IR kernels on this machine.\n",
         style(c, bold), style(c, off));
  printf("\nUsage: tessera COMMAND [OPTION]... [ARGUMENT]...\n");
  heading(c, "Start here");
  static const cli_example start[] = {
      {"tessera check FILE.mlir", "is it right? errors say where and why"},
      {"tessera run FILE.mlir --grid 4", "run its kernel on 4 tile blocks"},
      {"tessera help run", "... with buffers, NumPy files, timing"},
      {"tessera explain mmaf", "what an operation means"},
  };
  for (unsigned i = 0; i < ARRAY_LEN(start); i++)
    printf("  %s%-33s%s %s\n", style(c, cyan), start[i].what, style(c, off), start[i].line);
  print_commands(c);
  print_options(c, "Options of every command", cli_global_options, NULL);
  printf("\n%sA FILE holds Tile IR as text or bytecode, or Triton's TTIR; - is standard input.\n"
         "The exit status is 0 when all is well, 1 when the input is wrong, 2 when the\n"
         "call is wrong.%s\n",
         style(c, dim), style(c, off));
}

void cli_print_help(const cli *c, const cli_command *command) {
  printf("%stessera %s%s: %s\n", style(c, bold), command->name, style(c, off), command->summary);
  printf("\nUsage: tessera %s%s%s\n", command->name, *command->usage ? " " : "", command->usage);
  printf("\n%s\n", command->text);
  print_list(c, command);
  print_options(c, "Options", command->options, NULL);
  print_options(c, "Options of every command", cli_global_options, command->options);
  print_examples(c, command->examples);
}

/* ---- the environment ------------------------------------------------------------------------ */

void cli_print_environment(const cli *c) {
  puts("Environment variables that Tessera reads\n");
  for (const cli_variable *v = cli_variables; v->name; v++) {
    printf("  %s%-24s%s", style(c, cyan), v->name, style(c, off));
    for (const char *line = v->help; *line;) {
      size_t n = strcspn(line, "\n");
      printf("%s%.*s\n", line == v->help ? "" : "                          ", (int)n, line);
      line += n + (line[n] == '\n');
    }
  }
}

/* ---- the manual page ------------------------------------------------------------------------ */

/* Text for roff: '-' must be a minus sign, and a line must not begin with a control character. */
static void roff_text(const char *text) {
  bool line_start = true;
  for (const char *p = text; *p; p++) {
    if (line_start && (*p == '.' || *p == '\'')) fputs("\\&", stdout);
    if (*p == '-')
      fputs("\\-", stdout);
    else if (*p == '\\')
      fputs("\\e", stdout);
    else
      putchar(*p);
    line_start = *p == '\n';
  }
}

static void roff_options(const cli_option *rows) {
  for (; rows && rows->name; rows++) {
    fputs(".TP\n.B ", stdout);
    if (rows->letter) printf("\\-%c, ", rows->letter);
    fputs("\\-\\-", stdout);
    roff_text(rows->name);
    if (rows->metavar) {
      if (rows->metavar[0] != '[') putchar('=');
      roff_text(rows->metavar);
    }
    putchar('\n');
    roff_text(rows->help);
    putchar('\n');
  }
}

/* Text whose lines stay as they are. */
static void roff_block(const char *text) {
  fputs(".nf\n", stdout);
  roff_text(text);
  fputs("\n.fi\n", stdout);
}

static void roff_list(const cli_command *command) {
  char line[256];
  if (!command->list) return;
  fputs(".PP\n", stdout);
  roff_text(command->list_title);
  fputs(":\n.nf\n", stdout);
  for (unsigned i = 0; command->list(i, line, sizeof line); i++) {
    roff_text(line);
    putchar('\n');
  }
  fputs(".fi\n", stdout);
}

static void roff_command(const cli_command *command) {
  printf(".SS tessera %s ", command->name);
  roff_text(command->usage);
  putchar('\n');
  roff_block(command->text);
  roff_list(command);
  roff_options(command->options);
  for (const cli_example *e = command->examples; e && e->line; e++) {
    fputs(".PP\n", stdout);
    roff_text(e->what);
    fputs("\n.PP\n.RS\n", stdout);
    roff_block(e->line);
    fputs(".RE\n", stdout);
  }
}

void cli_print_man(void) {
  printf(".\\\" Made by `make docs` from src/cli/commands.c.\n"
         ".TH TESSERA 1 \"\" \"tessera %s\"\n"
         ".SH NAME\ntessera \\- compile, check and run CUDA Tile IR kernels\n"
         ".SH SYNOPSIS\n.B tessera\n.I COMMAND\n[\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...\n"
         ".SH COMMANDS\n",
         tsr_version());
  for (const cli_command *command = cli_commands; command->name; command++) roff_command(command);
  fputs(".SH OPTIONS OF EVERY COMMAND\n", stdout);
  roff_options(cli_global_options);
  fputs(".SH EXIT STATUS\n"
        ".TP\n.B 0\nAll is well.\n"
        ".TP\n.B 1\nThe input is wrong: a program, a file, what a kernel did.\n"
        ".TP\n.B 2\nThe call is wrong: an unknown option, arguments that don't fit the kernel.\n"
        ".SH ENVIRONMENT\n",
        stdout);
  for (const cli_variable *v = cli_variables; v->name; v++) {
    printf(".TP\n.B %s\n", v->name);
    roff_text(v->help);
    putchar('\n');
  }
  fputs(
      ".SH FILES\n"
      ".TP\n.I ~/.cache/tessera\nCompiled kernels.\n"
      ".TP\n.I ~/.local/share/tessera/tuning.sqlite\nWhat tuning has found.\n"
      ".SH SEE ALSO\n"
      "The documents of Tessera, docs/ of its source: getting\\-started.md, ops.md, debugging.md,\n"
      "editors.md.\n",
      stdout);
}
