/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The debugger: one tile block of a launch, operation by operation.
 *
 *   debug.c            where execution stops, and the session
 *   debug_commands.c   what can be typed
 *   debug_values.c     showing tiles, views and pointers
 *
 * It is a watcher of the interpreter. When it stops before an operation it reads commands until one
 * of them says to continue; so a whole session happens inside of tsr_launch.
 */
#ifndef TSR_CLI_DEBUG_H
#define TSR_CLI_DEBUG_H

#include <stdio.h>

#include "cli/run.h"
#include "ir/ir.h"

typedef enum debug_mode {
  DEBUG_FREE, /* to the next breakpoint */
  DEBUG_STEP, /* to the next operation */
  DEBUG_NEXT, /* to the next that is not inside of `anchor` */
} debug_mode;

typedef struct breakpoint {
  unsigned number;
  uint32_t line; /* 0: it is for an operation's name */
  op_code opcode;
} breakpoint;

/* Of a library that edits lines; NULL: there is none. */
typedef struct debug_editor {
  bool looked_for;
  char *(*readline)(const char *prompt);
  int (*add_history)(const char *line);
} debug_editor;

typedef struct debugger {
  interp_watcher watcher; /* first */
  cli *c;
  const run_job *job;
  const ir_module *module;
  ir_op *entry;
  int32_t block[3]; /* the one that is looked at */

  /* The program that people wrote, where it is another file, such as a Triton script: lines are
   * those of it, and steps go from line to line. NULL: lines are the module's own. */
  const char *file;
  str text;
  uint32_t passed, stopped; /* the last line that was executed, and the last one stopped at */

  FILE *script; /* of -x, until its end; NULL */
  bool batch;   /* the session ends with it */
  bool echo;    /* show commands that nobody types */
  bool ended;   /* no more input, or `quit` */
  char *line;   /* the last command, for an empty line */
  char *typed;  /* by getline or the editor */
  size_t typed_room;
  debug_editor editor;

  debug_mode mode;
  const ir_op *anchor;
  VEC(breakpoint) breaks;
  unsigned made;   /* breakpoints ever */
  uint32_t listed; /* the last line shown by `list` */

  frame *frame; /* while stopped in a tile block; NULL */
  const ir_op *at;
} debugger;

/* Reads and obeys commands until one says to continue; false when the session has ended. */
bool debug_prompt(debugger *d);

/* Where an operation was written; 0: unknown. */
uint32_t debug_line_of(const debugger *d, const ir_op *op);
/* Line `number` of the program, numbered; marked when the execution stands there. */
void debug_show_line(const debugger *d, uint32_t number, bool here);
bool debug_has_line(const debugger *d, uint32_t number);
/* The lines or, without a source, the operation where the execution stands. */
void debug_show_place(const debugger *d);

/* `print`: "%x", "%x all", "%x[0:4, 7]". */
void debug_print(debugger *d, const char *text);
void debug_info_values(debugger *d);
void debug_info_buffers(debugger *d);
/* "%x = …" on one line, for each result of an operation that was executed. */
void debug_show_results(debugger *d, const ir_op *op);
/* A value on one line: "tile<i32> 7". */
void debug_show_short(debugger *d, const ir_value *v);
const char *debug_value_name(debugger *d, const ir_value *v);

/* Codes for a terminal, "" when there is none. */
const char *debug_style(const debugger *d, const char *code);
#define DEBUG_BOLD  "\033[1m"
#define DEBUG_DIM   "\033[2m"
#define DEBUG_CYAN  "\033[36m"
#define DEBUG_GREEN "\033[32m"
#define DEBUG_OFF   "\033[0m"

#endif
