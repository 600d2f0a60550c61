/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The ARGs of `tessera run`: read from the command line, held against the kernel's parameters, made
 * into buffers and scalars. Each step says everything that is wrong before it fails.
 *
 *   [NAME=]PATH.npy    [NAME=]INIT:TYPE:SHAPE    TYPE:VALUE
 */
#ifndef TSR_CLI_ARGS_H
#define TSR_CLI_ARGS_H

#include <tessera/module.h>
#include <tessera/runtime.h>

#include "cli/array.h"
#include "cli/cli.h"

typedef enum argument_kind { ARGUMENT_FILE, ARGUMENT_INIT, ARGUMENT_SCALAR } argument_kind;

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
} argument;

typedef struct argument_list {
  argument *data;
  unsigned count;
  const char *kernel;
  const tsr_parameter *parameters;
} argument_list;

/* Reads the syntax of all ARGs. Returns CLI_OK or CLI_WRONG_CALL. */
int arguments_parse(cli *c, argument_list *list, char **texts, unsigned count);

/* Gives every argument its parameter and checks number, kinds, element types and names; opens
 * files and checks their headers. A buffer parameter whose elem is TSR_ELEM_COUNT takes any file.
 * Allocates nothing. Returns an exit status. */
int arguments_match(cli *c, argument_list *list, const char *kernel,
                    const tsr_parameter *parameters, unsigned n_parameters);

/* The argument that a name given to --save or --print means: NAME=, else the parameter's name, else
 * argN. NULL after a message. */
argument *argument_by_name(cli *c, argument_list *list, const char *option, str name);

/* Allocates and fills all buffers. Returns an exit status. */
int arguments_load(cli *c, argument_list *list, tsr_device *device, uint64_t seed);
/* Brings what launches have left in memory of the device's own to the arrays. Reports. */
bool arguments_read_back(argument_list *list);
void arguments_free(argument_list *list);

#endif
