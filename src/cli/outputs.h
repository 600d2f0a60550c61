/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What --save and --print ask for: known before a run, checked before it, shown after it.
 */
#ifndef TSR_CLI_OUTPUTS_H
#define TSR_CLI_OUTPUTS_H

#include "cli/args.h"

/* A --save or --print. */
typedef struct output {
  argument *arg;
  str name;         /* as asked for */
  const char *path; /* NULL: to be printed */
} output;

typedef struct outputs {
  output *list;
  unsigned n;
  unsigned rank, ranks; /* of the arguments */
} outputs;

/* Looks ahead at what would fail after a run that may have taken long: whether the file can be
 * written. Says why not. */
bool outputs_can_write(cli *c, const char *path);
/* Finds the arguments that the options name and checks that files can be written. Returns an exit
 * status. */
int outputs_collect(cli *c, argument_list *list, outputs *o);
/* Writes and prints all. False after a message. */
bool outputs_write(cli *c, const outputs *o);

#endif
