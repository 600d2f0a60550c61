/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cli: the command `tessera`. One table (commands.c) says what can be called: commands, options,
 * help, examples. The parser, the help pages, the manual page and the shell completion all follow
 * it. A command is one function that gets a parsed call and returns the exit status.
 *
 *   argv ─► cli_parse ─► cli (command, options, arguments) ─► command->run ─► exit status
 *
 * Exit statuses: CLI_OK, CLI_WRONG_INPUT (a file or what lies in it), CLI_WRONG_CALL (what was
 * typed). Messages go to standard error in the form of the library's diagnostics; what was asked
 * for goes to standard output.
 */
#ifndef TSR_CLI_CLI_H
#define TSR_CLI_CLI_H

#include <stdio.h>

#include <tessera/runtime.h>

#include "base/base.h"
#include "cli/diagnostics.h"

enum { CLI_OK = 0, CLI_WRONG_INPUT = 1, CLI_WRONG_CALL = 2 };

typedef struct cli cli;

typedef enum cli_option_id {
  OPT_HELP,
  OPT_VERSION,
  OPT_COLOR,
  OPT_DIAGNOSTICS_FORMAT,
  OPT_ERROR_LIMIT,
  OPT_QUIET,
  OPT_VERBOSE,
  OPT_OUTPUT,
  OPT_CHECK,
  OPT_INFER,
  OPT_IN_PLACE,
  OPT_EMIT,
  OPT_CPU,
  OPT_RESOURCES,
  OPT_LINES,
  OPT_WORDS,
  OPT_KERNEL,
  OPT_GRID,
  OPT_TARGET,
  OPT_THREADS,
  OPT_SEED,
  OPT_SAVE,
  OPT_PRINT,
  OPT_RECORD,
  OPT_TIME,
  OPT_FLOPS,
  OPT_BYTES,
  OPT_BLOCK_LEVEL,
  OPT_MARKDOWN,
  OPT_TARGETS,
  OPT_ELEMENTS,
  OPT_GRAMMAR,
  OPT_MAN,
  OPT_COMPLETION,
  OPT_COMPLETE,
  OPT_TESTING_OPS,
  OPT_EXTENSIONS,
  OPT_SPLIT,
  OPT_HINTS,
  OPT_PASSES,
  OPT_LEVEL,
  OPT_PRINT_BEFORE,
  OPT_PRINT_AFTER,
  OPT_PRINT_AFTER_ALL,
  OPT_TIME_PASSES,
  OPT_AS,
  OPT_COST,
  OPT_IN,
  OPT_TYPE,
  OPT_WARP,
  OPT_BANKS,
  OPT_LDS_READ,
  OPT_SVG,
  OPT_PNG,
  OPT_COLOR_BY,
  OPT_ARROWS,
  OPT_FRAGMENTS,
  OPT_SANITIZE,
  OPT_SANITIZE_STOP,
  OPT_BLOCK,
  OPT_BATCH,
  OPT_EXECUTE,
  OPT_BYTECODE_VERSION,
  OPT_STRIP_DEBUG,
  OPT_CLUSTER,
  OPT_SHARED,
  OPT_COOPERATIVE,
  OPT_SCHEDULE,
  OPT_MAX_INSTRUCTIONS,
  OPT_ASYNC,
  OPT_COUNTERS,
  OPT_CARD,
  OPT_REPORT,
  OPT_NO_CACHE,
  OPT_PROFILE,
  OPT_TRACE,
  OPT_RANKS,
  OPT_CAPABILITY,
  OPT_NO_NVCC,
  OPT_NO_TORCH,
  OPT_DISABLE,
  OPT_PARAM,
  OPT_SIZE,
  OPT_WHERE,
  OPT_SECONDS,
  OPT_TOLERANCE,
  OPT_AGAIN,
  OPT_EXACT,
  OPT_COLD,
  OPT_JSON,
} cli_option_id;

typedef struct cli_option {
  uint8_t id;          /* cli_option_id */
  char letter;         /* of the short form; 0: none */
  const char *name;    /* of the long form, without "--" */
  const char *metavar; /* what its value is called; NULL: it takes none; "[=X]": it may have one */
  const char *help;    /* lines separated by '\n' */
  const char *values; /* for completion: what it takes, separated by blanks; "@kernels" and the like
                         are asked from the program (complete.c). NULL: any word or file */
} cli_option;

/* An environment variable; environment.c. */
typedef struct cli_variable {
  const char *name, *help; /* lines separated by '\n' */
} cli_variable;
extern const cli_variable cli_variables[]; /* up to the first without a name */

/* What an example shows, and the line to type. */
typedef struct cli_example {
  const char *what, *line;
} cli_example;

typedef struct cli_command {
  const char *name;
  const char *usage;      /* after the name: "FILE [-o OUT]" */
  const char *summary;    /* half a line, for the list of commands */
  const char *text;       /* paragraphs; lines of at most 78 characters */
  const char *list_title; /* NULL: no list after the text */
  /* Line `index` of the list; false after the last. */
  bool (*list)(unsigned index, char *out, size_t size);
  const cli_option *options;   /* up to the first without a name */
  const cli_example *examples; /* up to the first without a line */
  uint8_t min_args, max_args;  /* 255: any number */
  bool ends_options;           /* what follows the first argument is that one's, options too */
  const char *first,
      *others;     /* for completion: its first argument, the others, as cli_option.values */
  const char *arg; /* what its argument is called in messages: "a program (FILE)" */
  int (*run)(cli *c);
} cli_command;

/* commands.c: both end with an entry without a name. */
extern const cli_command cli_commands[];
extern const cli_option cli_global_options[];
const cli_command *cli_find_command(const char *name);   /* NULL: there is none */
int cli_unknown_command(const cli *c, const char *name); /* says so, returns CLI_WRONG_CALL */

typedef struct cli_given {
  uint8_t id;        /* cli_option_id */
  const char *value; /* "" when the option takes none */
} cli_given;

/* One call of the command, parsed. */
struct cli {
  const cli_command *command; /* NULL: none was given */
  cli_given *given;           /* options in the order of the command line */
  unsigned n_given;
  char **args; /* what is no option */
  unsigned n_args;
  bool color_out, color_err; /* may standard output / standard error be coloured? */
  bool quiet, verbose;
  bool dropping;            /* the last message was not shown */
  diagnostics *diagnostics; /* NULL: messages are for people */
  uint32_t error_limit;
  tsr_context *ctx;
  arena arena; /* lives as long as the call */
};

/* ---- parsing (parse.c) ---------------------------------------------------------------------- */

/* Fills `c` from the command line, `c->given` being large enough for argc entries. Returns CLI_OK,
 * or CLI_WRONG_CALL after a message. Needs no context. May reorder argv. */
int cli_parse(cli *c, int argc, char **argv);

/* The value of the last occurrence of an option ("" for one without value); NULL when absent. */
const char *cli_value(const cli *c, cli_option_id id);
static inline bool cli_has(const cli *c, cli_option_id id) {
  return cli_value(c, id) != NULL;
}
/* A decimal number from `min` to `max`. Says what is wrong with it ("--threads takes ..."). */
bool cli_number(const cli *c, const char *what, const char *text, uint64_t min, uint64_t max,
                uint64_t *out);

/* ---- messages (message.c) ------------------------------------------------------------------- */

/* "tessera: error: ..." on standard error. */
void cli_error(const cli *c, const char *fmt, ...) PRINTF_LIKE(2, 3);
void cli_note(const cli *c, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* A name from a file, for standard output: control characters, which a terminal would obey, are
 * shown as '?'. Lies in the call's arena, unless there are none. */
const char *cli_shown(cli *c, const char *name);
void cli_remark(const cli *c, const char *fmt, ...) PRINTF_LIKE(2, 3); /* what --verbose tells */
/* An error in the call; points to the command's help page. Returns CLI_WRONG_CALL. */
int cli_wrong_call(const cli *c, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* The library's callback; `user` is the cli. */
void cli_on_diagnostic(void *user, const tsr_diagnostic *d);

/* The name among `names` (ends with NULL) that `word` probably was meant to be; NULL when none is
 * close. */
const char *cli_closest(const char *word, const char *const *names);

/* ---- help (help.c) -------------------------------------------------------------------------- */

void cli_print_overview(const cli *c);
void cli_print_help(const cli *c, const cli_command *command);
void cli_print_man(void); /* the manual page, as roff */
void cli_print_environment(const cli *c);
int cli_print_completion(const cli *c, const char *shell); /* complete.c: a script for a shell */
int cli_complete(cli *c); /* complete.c: what can follow the words of a line */

/* Is it the name of a file of this kind? `end` is ".json". */
static inline bool cli_ends_with(const char *name, const char *end) {
  size_t n = strlen(name), m = strlen(end);
  return n >= m && strcmp(name + n - m, end) == 0;
}
/* What lies beside the command, by its path from the command's folder; NULL when nothing does. */
const char *cli_beside(cli *c, const char *relative); /* shipped.c */
/* Arguments "tessera:NAME" become the paths of files that come with the command. CLI_WRONG_INPUT
 * after a message where there is none of the name. */
int cli_find_shipped(cli *c); /* shipped.c */
/* What can be named behind "tessera:", sorted, NULL at the end; NULL where nothing came with it. */
const char *const *cli_shipped_names(cli *c);
/* The path of "tessera:NAME", any other word as it is. */
const char *cli_shipped_path(cli *c, const char *word);
/* Whether a FILE means standard input. */
static inline bool cli_is_stdin(const char *path) {
  return strcmp(path, "-") == 0;
}
/* Writes a result to a file, or to standard output for NULL and "-". Reports when it can't. */
bool cli_write_result(cli *c, const char *path, const char *data, size_t len); /* modules.c */
/* A line of JSON to standard output. */
static inline int cli_print_line(sbuf *line) {
  sbuf_putc(line, '\n');
  fwrite(line->data, 1, line->len, stdout); /* main checks that it arrived */
  return CLI_OK;
}
/* The value of --version, 13.N, as N; 0 without it. False after a message. */
bool cli_language(const cli *c, unsigned *minor); /* bytecode.c */

/* The value of --grid. CLI_OK, or an error that was reported, without it, too. */
int cli_grid(cli *c, tsr_grid *grid); /* run.c */
/* --async: an enumerator of tsr_async, which is one of tsr_ptx_async; run.c. Unchanged without it.
 */
int cli_async(cli *c, unsigned *out);

/* The flags for tsr_module_load that --testing-ops and --extensions mean. */
unsigned cli_load_flags(const cli *c); /* modules.c */

/* Can this machine do what --cpu (or TESSERA_CPU) asks for? Says why not. */
bool cli_check_cpu(cli *c); /* modules.c */
/* Loads the file of a command that compiles, for the level of -O; NULL after a message, *status
 * then says which. */
tsr_module *cli_load_to_compile(cli *c, int *status); /* modules.c */

/* ---- the commands --------------------------------------------------------------------------- */

int cli_check(cli *c);             /* modules.c */
int cli_fmt(cli *c);               /* modules.c */
int cli_build(cli *c);             /* modules.c */
int cli_as(cli *c);                /* bytecode.c */
int cli_dis(cli *c);               /* bytecode.c */
int cli_run(cli *c);               /* run.c */
int cli_ptx(cli *c);               /* ptx.c */
int cli_hsa(cli *c);               /* hsa.c */
int cli_exec(cli *c);              /* exec.c */
int cli_debug(cli *c);             /* debug.c */
int cli_opt(cli *c);               /* opt.c */
int cli_cache(cli *c);             /* cache.c */
int cli_lsp(cli *c);               /* lsp.c */
int cli_compare(cli *c);           /* compare.c */
int cli_tune(cli *c);              /* tune.c */
int cli_op(cli *c);                /* op.c */
void cli_put_operators(sbuf *out); /* op_page.c: the page of operators */
bool cli_list_passes(unsigned index, char *out, size_t size);
/* Does --disable only ask which passes and patterns there are? And the answer. */
bool cli_asks_for_patterns(const cli *c);
void cli_print_patterns(void); /* opt.c */
/* targets.c: GPUs that code is made for; the page of GPUs and processor cores. */
bool cli_list_gpus(unsigned index, char *out, size_t size);
void cli_put_targets(sbuf *out);
void cli_put_elements(sbuf *out);        /* elements.c: the page of element types */
void cli_put_grammar(cli *c, sbuf *out); /* grammar.c: for editors */

int cli_layout(cli *c);  /* layout.c */
int cli_explain(cli *c); /* info.c */
int cli_devices(cli *c); /* info.c */
int cli_version(cli *c); /* info.c */
int cli_help(cli *c);    /* info.c */

#endif
