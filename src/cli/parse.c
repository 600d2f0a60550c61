/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The command line, by getopt_long, in two rounds: what stands before the command's name, then the
 * rest with the command's own options added. Messages are ours, since getopt's don't suggest.
 */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>

#include "cli/cli.h"

enum { MAX_OPTIONS = 48 };

/* Does it take a value, and can it do without? */
static int argument_of(const cli_option *row) {
  if (!row->metavar) return no_argument;
  return row->metavar[0] == '[' ? optional_argument : required_argument;
}

/* The options that are valid in one round, as getopt wants them. */
typedef struct option_set {
  const cli_option *rows[MAX_OPTIONS];
  unsigned count;
  struct option long_options[MAX_OPTIONS + 1];
  char short_options[2 * MAX_OPTIONS + 4];
} option_set;

/* getopt's answer for row i is FIRST_ROW + i, clear of every letter. */
enum { FIRST_ROW = 256 };

static bool has_option(const option_set *set, const char *name) {
  for (unsigned i = 0; i < set->count; i++)
    if (strcmp(set->rows[i]->name, name) == 0) return true;
  return false;
}

/* An option that is there already stays: a command's own come before those of every command. */
static void add_options(option_set *set, const cli_option *rows) {
  size_t letters = strlen(set->short_options);
  for (; rows && rows->name && set->count < MAX_OPTIONS; rows++) {
    if (has_option(set, rows->name)) continue;
    set->long_options[set->count] =
        (struct option){rows->name, argument_of(rows), NULL, FIRST_ROW + (int)set->count};
    set->rows[set->count++] = rows;
    if (!rows->letter) continue;
    set->short_options[letters++] = rows->letter;
    if (rows->metavar) set->short_options[letters++] = ':';
    set->short_options[letters] = 0;
  }
}

/* The row that getopt's answer (or optopt) stands for; NULL when it is none. */
static const cli_option *row_of(const option_set *set, int answer) {
  if (answer >= FIRST_ROW) return set->rows[answer - FIRST_ROW];
  for (unsigned i = 0; i < set->count; i++)
    if (answer != 0 && set->rows[i]->letter == answer) return set->rows[i];
  return NULL;
}

static bool is_ambiguous(const option_set *set, const char *name, size_t len) {
  unsigned hits = 0;
  for (unsigned i = 0; i < set->count; i++)
    hits += len > 0 && strncmp(set->rows[i]->name, name, len) == 0;
  return hits > 1;
}

static int unknown_long_option(const cli *c, const option_set *set, const char *text) {
  const char *name = text + 2;
  size_t len = strcspn(name, "=");
  if (is_ambiguous(set, name, len))
    return cli_wrong_call(c, "'--%.*s' could mean several options; write it out", (int)len, name);
  const char *names[MAX_OPTIONS + 1] = {0};
  for (unsigned i = 0; i < set->count; i++) names[i] = set->rows[i]->name;
  char word[64];
  const char *closest = NULL;
  if (len < sizeof word) {
    memcpy(word, name, len);
    word[len] = 0;
    closest = cli_closest(word, names);
  }
  cli_error(c, "unknown option '--%.*s'", (int)len, name);
  if (closest)
    cli_note(c, "did you mean '--%s'?", closest);
  else if (c->command)
    cli_note(c, "'tessera help %s' lists the options", c->command->name);
  else
    cli_note(c, "options of a command stand behind its name; 'tessera help' lists the commands");
  return CLI_WRONG_CALL;
}

/* What getopt stopped at, by its answer '?' or ':'. */
static int refuse(const cli *c, const option_set *set, int answer, const char *text) {
  const cli_option *row = row_of(set, optopt);
  if (answer == ':' && row)
    return cli_wrong_call(c, "'--%s' needs a value: --%s=%s", row->name, row->name, row->metavar);
  if (row) return cli_wrong_call(c, "'--%s' takes no value", row->name);
  if (optopt != 0) return cli_wrong_call(c, "unknown option '-%c'", optopt);
  return unknown_long_option(c, set, text);
}

/* Collects options up to the end of argv, or with a leading '+' up to the first other word. */
static int collect(cli *c, option_set *set, int argc, char **argv) {
  optind = 0; /* glibc: forget the round before */
  opterr = 0;
  for (;;) {
    int answer = getopt_long(argc, argv, set->short_options, set->long_options, NULL);
    if (answer == -1) return CLI_OK;
    if (answer == '?' || answer == ':') return refuse(c, set, answer, argv[optind - 1]);
    const cli_option *row = row_of(set, answer);
    c->given[c->n_given++] = (cli_given){row->id, optarg ? optarg : ""};
  }
}

int cli_unknown_command(const cli *c, const char *name) {
  const char *names[32] = {0};
  for (unsigned i = 0; cli_commands[i].name && i < ARRAY_LEN(names) - 1; i++)
    names[i] = cli_commands[i].name;
  cli_error(c, "there is no command '%s'", name);
  const char *closest = cli_closest(name, names);
  size_t len = strlen(name);
  if (closest)
    cli_note(c, "did you mean 'tessera %s'?", closest);
  else if (len > 5 && strcmp(name + len - 5, ".mlir") == 0)
    cli_note(c, "to check a program: tessera check %s", name);
  else
    cli_note(c, "'tessera help' lists the commands");
  return CLI_WRONG_CALL;
}

const cli_command *cli_find_command(const char *name) {
  for (const cli_command *command = cli_commands; command->name; command++)
    if (strcmp(command->name, name) == 0) return command;
  return NULL;
}

int cli_parse(cli *c, int argc, char **argv) {
  option_set set = {.short_options = "+:"};
  add_options(&set, cli_global_options);
  int status = collect(c, &set, argc, argv);
  if (status != CLI_OK || optind >= argc) return status;
  int at = optind;
  c->command = cli_find_command(argv[at]);
  if (!c->command) return cli_unknown_command(c, argv[at]);
  set = (option_set){.short_options = ":"};
  if (c->command->ends_options) strcpy(set.short_options, "+:");
  add_options(&set, c->command->options);
  add_options(&set, cli_global_options);
  status = collect(c, &set, argc - at, argv + at);
  c->args = argv + at + optind;
  c->n_args = (unsigned)(argc - at - optind);
  return status;
}

const char *cli_value(const cli *c, cli_option_id id) {
  for (unsigned i = c->n_given; i > 0; i--)
    if (c->given[i - 1].id == id) return c->given[i - 1].value;
  return NULL;
}

bool cli_number(const cli *c, const char *what, const char *text, uint64_t min, uint64_t max,
                uint64_t *out) {
  char *end = NULL;
  errno = 0;
  if (isdigit((unsigned char)text[0])) *out = strtoull(text, &end, 10);
  if (end && !*end && errno == 0 && *out >= min && *out <= max) return true;
  if (max == UINT64_MAX)
    cli_wrong_call(c, "%s takes a whole number, not '%s'", what, text);
  else
    cli_wrong_call(c, "%s takes a whole number from %llu to %llu, not '%s'", what,
                   (unsigned long long)min, (unsigned long long)max, text);
  return false;
}
