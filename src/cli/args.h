/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The ARGs of `tessera run`: read from the command line, held against the kernel's parameters, made
 * into buffers and scalars. Each step says everything that is wrong before it fails.
 *
 *   [NAME=]PATH.npy    [NAME=]INIT:TYPE:SHAPE    TYPE:VALUE
 *
 * and of several ranks (--ranks), where %r in a path is the rank:
 *
 *   TYPE:rank, TYPE:ranks       which rank, and how many there are
 *   peer:NAME:R                 the buffer NAME of rank R, or of rank + R for a signed number
 *   peers:NAME                  i64: for each rank the address of its buffer NAME
 */
#ifndef TSR_CLI_ARGS_H
#define TSR_CLI_ARGS_H

#include <tessera/module.h>
#include <tessera/runtime.h>

#include "cli/array.h"
#include "cli/cli.h"

typedef enum argument_kind {
  ARGUMENT_FILE,
  ARGUMENT_INIT,
  ARGUMENT_SCALAR,
  ARGUMENT_PEER,
  ARGUMENT_PEERS
} argument_kind;

typedef struct argument {
  const char *text; /* as typed, without NAME= */
  const char *name; /* NULL: none was given */
  const tsr_parameter *parameter;
  uint8_t kind;  /* argument_kind */
  uint8_t init;  /* array_init */
  tsr_elem elem; /* of a new buffer or a scalar */
  uint64_t bits; /* of a scalar */
  int fd;        /* of an open file; -1 */
  array array;   /* of a buffer */
  tsr_buffer *buffer;
  str of;        /* peer, peers: whose memory of other ranks this is */
  unsigned peer; /* the rank */
  bool borrowed; /* `buffer` is another argument's, or a communicator's */
} argument;

typedef struct argument_list {
  argument *data;
  unsigned count;
  const char *kernel;
  const tsr_parameter *parameters;
  unsigned rank, ranks; /* 0: there are no ranks */
} argument_list;

/* Reads the syntax of all ARGs, for a list whose rank and ranks are set. Returns CLI_OK or
 * CLI_WRONG_CALL. */
int arguments_parse(cli *c, argument_list *list, char **texts, unsigned count);

/* Gives every argument its parameter and checks number, kinds, element types and names; opens
 * files and checks their headers. A buffer parameter whose elem is TSR_ELEM_COUNT takes any file.
 * Allocates nothing. Returns an exit status. */
int arguments_match(cli *c, argument_list *list, const char *kernel,
                    const tsr_parameter *parameters, unsigned n_parameters);

/* The argument that a name given to --save or --print means: NAME=, else the parameter's name, else
 * argN. NULL after a message. */
argument *argument_by_name(cli *c, argument_list *list, const char *option, str name);

/* The argument of that name; NULL. */
argument *argument_named(const argument_list *list, str name);
/* "y.%r.npy" -> "y.2.npy" */
const char *argument_path(cli *c, const argument_list *list, const char *path);

/* Allocates and fills all buffers. Returns an exit status. */
int arguments_load(cli *c, argument_list *list, tsr_device *device, uint64_t seed);
/* What a launch takes; from the context's arena. */
const tsr_arg *arguments_launch(cli *c, const argument_list *list);
/* Brings what launches have left in memory of the device's own to the arrays. Reports. */
bool arguments_read_back(argument_list *list);
void arguments_free(argument_list *list);

#endif
