/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Messages of the Language Server Protocol over two file descriptors: a header that says how many
 * bytes follow, and those, which are JSON.
 */
#ifndef TSR_LSP_WIRE_H
#define TSR_LSP_WIRE_H

#include "base/base.h"

enum { WIRE_BUFFER = 1 << 16 };

typedef struct wire {
  int in, out;
  size_t at, end; /* what of the buffer was not taken yet */
  char buffer[WIRE_BUFFER];
} wire;

typedef enum wire_status { WIRE_MESSAGE, WIRE_END, WIRE_BROKEN } wire_status;

/* Waits for the next message, whose content goes to the arena. BROKEN: what came is none. */
wire_status wire_read(wire *w, arena *a, str *content);
/* Whether more has come already. */
bool wire_waits(const wire *w);
/* False when it could not be written. */
bool wire_write(wire *w, str content);

#endif
