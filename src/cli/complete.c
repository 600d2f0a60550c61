/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Completion: what can follow on a command line that is being typed. The scripts for shells, which
 * `tessera help --completion` prints, ask `tessera help --complete -- WORD...` for it.
 */
#include <stdio.h>

#include <tessera/module.h>
#include <tessera/opt.h>

#include "cli/cli.h"
#include "ir/explain.h"
#include "target/gpu.h"

typedef struct completion {
  cli *c;
  const cli_command *command; /* NULL: its name is not typed yet */
  const char *file;           /* the first argument; NULL */
  unsigned arguments;         /* that stand before the word being typed */
  const char *typed, *before; /* what a candidate begins with, and what is printed before it */
} completion;

/* A candidate, with the first line of what it means. */
static void offer(const completion *t, const char *word, const char *about) {
  if (strncmp(word, t->typed, strlen(t->typed)) != 0) return;
  printf("%s%s", t->before, word);
  if (about && *about) printf("\t%.*s", (int)strcspn(about, "\n"), about);
  putchar('\n');
}

/* ---- words that change ---------------------------------------------------------------------- */

static void offer_commands(const completion *t) {
  for (const cli_command *command = cli_commands; command->name; command++)
    offer(t, command->name, command->summary);
}

static void offer_devices(const completion *t) {
  for (size_t i = 0; i < tsr_device_count(); i++) {
    char text[512];
    tsr_device_describe(tsr_device_name(i), text, sizeof text);
    if (!strstr(text, "not usable")) offer(t, tsr_device_name(i), text);
  }
}

static void offer_gpus(const completion *t) {
  for (unsigned i = 0; gpu_target_at(i); i++)
    offer(t, gpu_target_at(i)->name, gpu_target_at(i)->card);
}

static void offer_passes(const completion *t) {
  tsr_pass_info p;
  for (unsigned i = 0; tsr_pass_describe(i, &p); i++) offer(t, p.name, p.summary);
}

static void offer_pages(const completion *t) {
  const char *name;
  for (unsigned i = 0; (name = ir_explain_name(i)); i++) {
    op_code op = op_by_name(name, (unsigned)strlen(name));
    offer(t, name, op == OP_NONE ? NULL : op_table[op].summary);
  }
}

/* Of the program that is the command's first argument; nothing is said about one that is wrong. */
static void offer_kernels(const completion *t) {
  tsr_context *ctx = t->file ? tsr_context_create(NULL) : NULL;
  const char *path = t->file ? cli_shipped_path(t->c, t->file) : NULL;
  tsr_module *m = ctx ? tsr_module_load(ctx, path, TSR_PARSE_EXTENSIONS) : NULL;
  for (size_t i = 0; m && i < tsr_module_kernel_count(m); i++)
    offer(t, tsr_module_kernel_name(m, i), NULL);
  tsr_module_destroy(m);
  tsr_context_destroy(ctx);
}

static void offer_shipped(const completion *t) {
  const char *const *names = cli_shipped_names(t->c);
  for (; names && *names; names++) offer(t, arena_printf(&t->c->arena, "tessera:%s", *names), NULL);
}

static const struct {
  const char *name;
  void (*offer)(const completion *t);
} sources[] = {
    {"@commands", offer_commands}, {"@devices", offer_devices}, {"@gpus", offer_gpus},
    {"@kernels", offer_kernels},   {"@pages", offer_pages},     {"@passes", offer_passes},
    {"@shipped", offer_shipped},
};

/* Words separated by blanks; one of `sources` stands for all that it knows. */
static void offer_words(const completion *t, const char *words) {
  for (const char *q = words; q && *q;) {
    size_t n = strcspn(q, " ");
    const char *word = arena_strndup(&t->c->arena, q, n);
    bool known = false;
    for (size_t i = 0; i < ARRAY_LEN(sources); i++)
      if (strcmp(word, sources[i].name) == 0) {
        sources[i].offer(t);
        known = true;
      }
    if (!known) offer(t, word, NULL);
    q += n + (q[n] == ' ');
  }
}

/* ---- the line ------------------------------------------------------------------------------- */

/* The row of an option as it is typed, "--name" or "-n"; NULL. */
static const cli_option *row_in(const cli_option *rows, const char *word, size_t len) {
  for (; rows && rows->name; rows++) {
    bool is_long = len == strlen(rows->name) + 2 && strncmp(word, "--", 2) == 0 &&
                   memcmp(word + 2, rows->name, len - 2) == 0;
    if (is_long || (len == 2 && rows->letter && word[0] == '-' && word[1] == rows->letter))
      return rows;
  }
  return NULL;
}

static const cli_option *row_of(const completion *t, const char *word, size_t len) {
  const cli_option *row = t->command ? row_in(t->command->options, word, len) : NULL;
  return row ? row : row_in(cli_global_options, word, len);
}

static bool takes_next(const completion *t, const char *word) {
  const cli_option *row = row_of(t, word, strlen(word));
  return row && row->metavar && row->metavar[0] != '[';
}

/* What stands before the word being typed. */
static void read_line(completion *t, char **words, unsigned n) {
  for (unsigned i = 0; i < n; i++) {
    if (words[i][0] == '-') {
      i += takes_next(t, words[i]);
    } else if (!t->command) {
      t->command = cli_find_command(words[i]);
    } else if (t->arguments++ == 0) {
      t->file = words[i];
    }
  }
}

static void offer_rows(const completion *t, const cli_option *rows) {
  for (; rows && rows->name; rows++) {
    bool must = rows->metavar && rows->metavar[0] != '[';
    offer(t, arena_printf(&t->c->arena, "--%s%s", rows->name, must ? "=" : ""), rows->help);
  }
}

static void offer_options(const completion *t) {
  if (t->command) offer_rows(t, t->command->options);
  offer_rows(t, cli_global_options);
}

static void offer_arguments(const completion *t) {
  if (!t->command)
    offer_commands(t);
  else
    offer_words(t, t->arguments == 0 ? t->command->first : t->command->others);
}

int cli_complete(cli *c) {
  completion t = {.c = c, .typed = "", .before = ""};
  if (c->n_args == 0) return cli_wrong_call(c, "--complete takes the words of a line: -- WORD...");
  const char *last = c->args[c->n_args - 1];
  const char *previous = c->n_args > 1 ? c->args[c->n_args - 2] : NULL;
  read_line(&t, c->args, c->n_args - 1);
  const char *equals = last[0] == '-' ? strchr(last, '=') : NULL;
  t.typed = equals ? equals + 1 : last;
  if (equals) t.before = arena_strndup(&c->arena, last, (size_t)(equals + 1 - last));
  const cli_option *row = equals ? row_of(&t, last, (size_t)(equals - last)) : NULL;
  if (!row && previous && previous[0] == '-' && takes_next(&t, previous))
    row = row_of(&t, previous, strlen(previous));
  if (row)
    offer_words(&t, row->values);
  else if (last[0] == '-')
    offer_options(&t);
  else
    offer_arguments(&t);
  return CLI_OK;
}

/* ---- scripts -------------------------------------------------------------------------------- */

static const char bash_script[] =
    "# Completion of `tessera` for bash, as `tessera help --completion=bash` prints it.\n"
    "_tessera() {\n"
    "  local words=() i joined= current prefix IFS=$'\\n'\n"
    "  # bash cuts words at '=' and ':'; what stands together on the line belongs together.\n"
    "  for ((i = 1; i <= COMP_CWORD; i++)); do\n"
    "    if [[ -n $joined || ${COMP_WORDS[i]} == [=:]* ]] && ((${#words[@]})); then\n"
    "      words[-1]+=${COMP_WORDS[i]}\n"
    "    else\n"
    "      words+=(\"${COMP_WORDS[i]}\")\n"
    "    fi\n"
    "    joined=\n"
    "    [[ ${COMP_WORDS[i]} == *[=:] ]] && joined=yes\n"
    "  done\n"
    "  current=${words[-1]}\n"
    "  # Of a word that bash has cut it wants what follows the cut.\n"
    "  prefix=${current%\"${COMP_WORDS[COMP_CWORD]}\"}\n"
    "  [[ ${COMP_WORDS[COMP_CWORD]} == [=:] ]] && prefix=$current\n"
    "  COMPREPLY=($(\"${COMP_WORDS[0]}\" help --complete -- \"${words[@]}\" 2>/dev/null | cut "
    "-f1))\n"
    "  COMPREPLY=(\"${COMPREPLY[@]#\"$prefix\"}\")\n"
    "  [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[=:] ]] && compopt -o nospace 2>/dev/null\n"
    "  return 0\n"
    "}\n"
    "complete -o bashdefault -o default -F _tessera tessera\n";

static const char zsh_script[] =
    "#compdef tessera\n"
    "# Completion of `tessera` for zsh, as `tessera help --completion=zsh` prints it.\n"
    "_tessera() {\n"
    "  local line\n"
    "  local -a plain joined texts joined_texts\n"
    "  for line in ${(f)\"$(${words[1]} help --complete -- \"${(@)words[2,CURRENT]}\" "
    "2>/dev/null)\"}; do\n"
    "    local word=${line%%$'\\t'*} text=${line#*$'\\t'}\n"
    "    [[ $line == *$'\\t'* ]] && text=\"$word  -- $text\" || text=$word\n"
    "    if [[ $word == *[=:] ]]; then joined+=($word) joined_texts+=($text)\n"
    "    else plain+=($word) texts+=($text); fi\n"
    "  done\n"
    "  if ((${#plain} + ${#joined})); then\n"
    "    ((${#plain})) && compadd -l -d texts -- $plain\n"
    "    ((${#joined})) && compadd -S '' -l -d joined_texts -- $joined\n"
    "    return 0\n"
    "  fi\n"
    "  _files\n"
    "}\n"
    "if [[ $funcstack[1] == _tessera ]]; then _tessera \"$@\"; else compdef _tessera tessera; fi\n";

static const char fish_script[] =
    "# Completion of `tessera` for fish, as `tessera help --completion=fish` prints it.\n"
    "function __tessera_words\n"
    "  set -l words (commandline -opc)\n"
    "  set -l found ($words[1] help --complete -- $words[2..-1] (commandline -ct) 2>/dev/null)\n"
    "  if test (count $found) -gt 0\n"
    "    printf '%s\\n' $found\n"
    "  else\n"
    "    __fish_complete_path (commandline -ct)\n"
    "  end\n"
    "end\n"
    "complete -c tessera -f -a '(__tessera_words)'\n";

int cli_print_completion(const cli *c, const char *shell) {
  static const struct {
    const char *shell, *script;
  } scripts[] = {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};
  for (size_t i = 0; i < ARRAY_LEN(scripts); i++)
    if (strcmp(shell, scripts[i].shell) == 0) {
      fputs(scripts[i].script, stdout);
      return CLI_OK;
    }
  return cli_wrong_call(c, "--completion takes bash, zsh or fish, not '%s'", shell);
}
