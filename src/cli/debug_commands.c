/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/debug.h"

/* What a command leaves to do. */
typedef enum outcome { ASK_AGAIN, GO_ON, END } outcome;

typedef struct command {
  const char *name;
  char letter; /* its short form; 0: none */
  const char *takes, *help;
  outcome (*obey)(debugger *d, const char *rest);
} command;

static const command commands[];

/* ---- going on ------------------------------------------------------------------------------- */

static outcome go(debugger *d, debug_mode mode, const ir_op *anchor) {
  d->mode = mode;
  d->anchor = anchor;
  return GO_ON;
}

static outcome obey_run(debugger *d, const char *rest) {
  (void)rest;
  if (!d->at) return go(d, DEBUG_FREE, NULL);
  puts("it is running; 'continue' goes on");
  return ASK_AGAIN;
}

static outcome obey_continue(debugger *d, const char *rest) {
  (void)rest;
  return go(d, DEBUG_FREE, NULL);
}

static outcome obey_step(debugger *d, const char *rest) {
  (void)rest;
  return go(d, DEBUG_STEP, NULL);
}

static outcome obey_next(debugger *d, const char *rest) {
  (void)rest;
  return d->at ? go(d, DEBUG_NEXT, d->at) : go(d, DEBUG_STEP, NULL);
}

/* To what follows the operation around. */
static outcome obey_finish(debugger *d, const char *rest) {
  (void)rest;
  if (d->at) return go(d, DEBUG_NEXT, d->at->block->parent);
  puts("it is not running; 'run' starts it, 'step' stops at its first operation");
  return ASK_AGAIN;
}

static outcome obey_quit(debugger *d, const char *rest) {
  (void)d;
  (void)rest;
  return END;
}

/* ---- breakpoints ---------------------------------------------------------------------------- */

/* Looks for the operation with the first line not before one, and for any with a name. */
typedef struct op_search {
  const debugger *d;
  uint32_t line, best;
  op_code opcode;
  unsigned hits;
} op_search;

static bool look_at(void *user, ir_op *op) {
  op_search *s = user;
  if (op->opcode == OP_entry) return true;
  uint32_t line = debug_line_of(s->d, op);
  if (line >= s->line && (!s->best || line < s->best)) s->best = line;
  s->hits += op->opcode == s->opcode;
  return true;
}

static void add_breakpoint(debugger *d, breakpoint b) {
  b.number = ++d->made;
  vec_push(&d->c->arena, d->breaks, b);
  if (b.line)
    printf("breakpoint %u at line %u\n", b.number, b.line);
  else
    printf("breakpoint %u at every %s\n", b.number, op_table[b.opcode].name);
}

static void break_at_line(debugger *d, const char *text) {
  char *end;
  errno = 0;
  unsigned long line = strtoul(text, &end, 10);
  op_search s = {.d = d, .line = (uint32_t)MIN(line, (unsigned long)UINT32_MAX)};
  if (*end || errno || line == 0 || line > UINT32_MAX) {
    printf("'%s' is no line\n", text);
    return;
  }
  ir_walk(d->entry, look_at, &s);
  if (!s.best) {
    printf("@%s has no operation at line %lu or behind it\n", cli_shown(d->c, d->job->kernel_name),
           line);
    return;
  }
  add_breakpoint(d, (breakpoint){.line = s.best});
}

static void break_at_op(debugger *d, const char *name) {
  unsigned len = (unsigned)strlen(name);
  op_code opcode = op_by_name(name, len);
  if (opcode == OP_NONE) {
    const char *near[1];
    printf("there is no operation '%s'", name);
    if (op_suggest(name, len, near, 1)) printf("; did you mean '%s'?", near[0]);
    putchar('\n');
    return;
  }
  op_search s = {.d = d, .line = UINT32_MAX, .opcode = opcode};
  ir_walk(d->entry, look_at, &s);
  if (s.hits)
    add_breakpoint(d, (breakpoint){.opcode = opcode});
  else
    printf("@%s has no %s\n", cli_shown(d->c, d->job->kernel_name), name);
}

static outcome obey_break(debugger *d, const char *rest) {
  if (isdigit((unsigned char)*rest))
    break_at_line(d, rest);
  else if (*rest)
    break_at_op(d, rest);
  else if (d->at && debug_line_of(d, d->at))
    add_breakpoint(d, (breakpoint){.line = debug_line_of(d, d->at)});
  else
    puts("'break' takes a line or the name of an operation");
  return ASK_AGAIN;
}

static outcome obey_delete(debugger *d, const char *rest) {
  if (!*rest) {
    d->breaks.len = 0;
    return ASK_AGAIN;
  }
  char *end;
  unsigned long number = strtoul(rest, &end, 10);
  for (uint32_t k = 0; !*end && k < d->breaks.len; k++) {
    if (d->breaks.data[k].number != number) continue;
    size_t behind = d->breaks.len - k - 1;
    memmove(&d->breaks.data[k], &d->breaks.data[k + 1], behind * sizeof *d->breaks.data);
    d->breaks.len--;
    return ASK_AGAIN;
  }
  printf("there is no breakpoint '%s'; 'info breakpoints' lists them\n", rest);
  return ASK_AGAIN;
}

static void info_breakpoints(debugger *d) {
  if (!d->breaks.len) puts("there are no breakpoints");
  for (uint32_t k = 0; k < d->breaks.len; k++) {
    const breakpoint *b = &d->breaks.data[k];
    printf("%3u  ", b->number);
    if (b->line)
      printf("line %u\n", b->line);
    else
      printf("%s\n", op_table[b->opcode].name);
  }
}

/* ---- looking -------------------------------------------------------------------------------- */

static outcome obey_print(debugger *d, const char *rest) {
  if (!*rest)
    puts("'print' takes a value: print %x, print %x[0:4, 0:8], print %x all");
  else if (!d->at)
    puts("it is not running; 'run' starts it, 'step' stops at its first operation");
  else
    debug_print(d, rest);
  return ASK_AGAIN;
}

static void info_block(debugger *d) {
  const tsr_grid *g = &d->job->grid;
  printf("tile block (%d, %d, %d) of a grid of %u x %u x %u, %s\n", d->block[0], d->block[1],
         d->block[2], g->x, g->y, g->z, d->at ? "running" : "not running");
}

static outcome obey_info(debugger *d, const char *rest) {
  if (strcmp(rest, "breakpoints") == 0 || strcmp(rest, "b") == 0)
    info_breakpoints(d);
  else if (strcmp(rest, "block") == 0)
    info_block(d);
  else if (strcmp(rest, "buffers") == 0)
    debug_info_buffers(d);
  else if (strcmp(rest, "values") == 0 && d->at)
    debug_info_values(d);
  else if (strcmp(rest, "values") == 0)
    puts("it is not running; there are no values yet");
  else
    puts("'info' takes values, breakpoints, block or buffers");
  return ASK_AGAIN;
}

/* Ten lines: around a given one, after those shown last, or around where the execution stands. */
static outcome obey_list(debugger *d, const char *rest) {
  enum { LINES = 10 };
  uint32_t here = d->at ? debug_line_of(d, d->at) : debug_line_of(d, d->entry);
  uint32_t center = here, first = d->listed + 1;
  if (*rest) {
    char *end;
    unsigned long line = strtoul(rest, &end, 10);
    if (*end || line == 0 || line > UINT32_MAX - LINES) {
      printf("'%s' is no line\n", rest);
      return ASK_AGAIN;
    }
    center = (uint32_t)line;
  }
  if (*rest || !d->listed) first = center > LINES / 2 ? center - LINES / 2 : 1;
  if (!debug_has_line(d, first)) puts("there is no such line");
  for (uint32_t n = first; n < first + LINES && debug_has_line(d, n); n++) {
    debug_show_line(d, n, d->at && n == here);
    d->listed = n;
  }
  return ASK_AGAIN;
}

static outcome obey_where(debugger *d, const char *rest) {
  (void)rest;
  info_block(d);
  if (!d->at) return ASK_AGAIN;
  debug_show_place(d);
  for (const ir_op *op = d->at->block->parent; op; op = op->block ? op->block->parent : NULL) {
    if (op->opcode == OP_module) break;
    printf("   in %s", ir_row(op)->name);
    if (op->opcode == OP_entry) printf(" @%s", cli_shown(d->c, d->job->kernel_name));
    uint32_t line = debug_line_of(d, op);
    if (line) printf(" at line %u", line);
    if (op->opcode == OP_for) {
      const ir_value *i = &ir_region(op, 0)->args[0];
      printf(", %s = ", debug_value_name(d, i));
      debug_show_short(d, i);
    }
    putchar('\n');
  }
  return ASK_AGAIN;
}

static outcome obey_help(debugger *d, const char *rest) {
  (void)rest;
  for (const command *k = commands; k->name; k++) {
    char left[40];
    snprintf(left, sizeof left, "%s %s", k->name, k->takes);
    printf("  %c  %s%-18s%s %s\n", k->letter ? k->letter : ' ', debug_style(d, DEBUG_CYAN), left,
           debug_style(d, DEBUG_OFF), k->help);
  }
  puts("An empty line repeats step, next or list.");
  return ASK_AGAIN;
}

/* ---- the prompt ----------------------------------------------------------------------------- */

/* Both libraries have these functions under one name; they are found when they are first needed. */
static void find_editor(debug_editor *editor) {
  static const char *const names[] = {"libedit.so.2", "libreadline.so.8"};
  editor->looked_for = true;
  for (size_t i = 0; i < ARRAY_LEN(names) && !editor->add_history; i++) {
    void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    void *read = library ? dlsym(library, "readline") : NULL;
    void *add = library ? dlsym(library, "add_history") : NULL;
    if (!read || !add) continue;
    memcpy(&editor->readline, &read, sizeof read);
    memcpy(&editor->add_history, &add, sizeof add);
  }
}

static bool can_edit(debugger *d) {
  if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) return false;
  if (!d->editor.looked_for) find_editor(&d->editor);
  return d->editor.add_history != NULL;
}

static const command commands[] = {
    {"run", 'r', "", "start the kernel, up to the first breakpoint", obey_run},
    {"continue", 'c', "", "go on to the next breakpoint", obey_continue},
    {"step", 's', "", "execute one operation, and show what it gives", obey_step},
    {"next", 'n', "", "the same, but all of its regions at once", obey_next},
    {"finish", 'f', "", "go on until the region around is left", obey_finish},
    {"break", 'b', "[LINE|OP]", "stop at a line, or at every mmaf", obey_break},
    {"delete", 'd', "[NUMBER]", "forget a breakpoint, or all", obey_delete},
    {"print", 'p', "%x [all]", "a value: a summary and its first rows, or all", obey_print},
    {"print", 0, "%x[0:4, 7]", "a part of it", obey_print},
    {"info", 'i', "WHAT", "values, breakpoints, block or buffers", obey_info},
    {"list", 'l', "[LINE]", "the program around here, or further", obey_list},
    {"where", 'w', "", "the loops and branches around", obey_where},
    {"help", 'h', "", "this list", obey_help},
    {"quit", 'q', "", "end the session", obey_quit},
    {0},
};

static const command *find_command(str word) {
  const command *found = NULL;
  for (const command *k = commands; k->name; k++) {
    if (str_is(word, k->name) || (word.len == 1 && k->letter == word.data[0])) return k;
    bool begins = strncmp(k->name, word.data, word.len) == 0;
    if (begins && found && strcmp(found->name, k->name) != 0) return NULL; /* ambiguous */
    if (begins) found = k;
  }
  return found;
}

/* A line that is typed at a terminal, with libedit or readline where one is installed: arrows edit
 * it and bring back earlier ones. As getline. */
static ssize_t edit_line(debugger *d) {
  char *text = d->editor.readline("(tessera) ");
  if (!text) return -1;
  if (*text) d->editor.add_history(text);
  free(d->typed);
  d->typed = text;
  d->typed_room = strlen(text) + 1;
  return (ssize_t)strlen(text);
}

/* A line of input without its blanks at both ends; NULL at the end. */
static char *read_line(debugger *d) {
  bool typed = !d->script && !d->echo, edited = typed && can_edit(d);
  if (typed && !edited)
    printf("%s(tessera)%s ", debug_style(d, DEBUG_BOLD), debug_style(d, DEBUG_OFF));
  fflush(stdout);
  ssize_t n = -1;
  if (d->script) {
    n = getline(&d->typed, &d->typed_room, d->script);
    if (n < 0) {
      fclose(d->script);
      d->script = NULL;
      return d->batch ? NULL : read_line(d);
    }
  } else {
    n = edited ? edit_line(d) : getline(&d->typed, &d->typed_room, stdin);
    if (n < 0 && typed) putchar('\n');
  }
  if (n < 0) return NULL;
  while (n > 0 && isspace((unsigned char)d->typed[n - 1])) d->typed[--n] = 0;
  char *line = d->typed;
  while (isspace((unsigned char)*line)) line++;
  if (!typed) printf("(tessera) %s\n", line);
  return line;
}

/* An empty line means the last command again, if it can sensibly be repeated. */
static const char *repeated(debugger *d, char *line) {
  if (*line) {
    d->line = arena_strndup(&d->c->arena, line, strlen(line));
    return line;
  }
  const command *k = d->line ? find_command((str){d->line, strcspn(d->line, " ")}) : NULL;
  bool again = k && (k->obey == obey_step || k->obey == obey_next || k->obey == obey_list);
  return again ? k->name : "";
}

static outcome obey(debugger *d, const char *line) {
  str word = {line, 0};
  while (line[word.len] && !isspace((unsigned char)line[word.len])) word.len++;
  const char *rest = line + word.len;
  while (isspace((unsigned char)*rest)) rest++;
  if (!word.len || *line == '#') return ASK_AGAIN;
  const command *k = find_command(word);
  if (k) return k->obey(d, rest);
  printf("there is no command '" STR_FMT "'; 'help' lists them\n", STR_ARG(word));
  return ASK_AGAIN;
}

bool debug_prompt(debugger *d) {
  while (!d->ended) {
    char *line = read_line(d);
    outcome o = line ? obey(d, repeated(d, line)) : END;
    if (o == GO_ON) return true;
    d->ended = o == END;
  }
  return false;
}
