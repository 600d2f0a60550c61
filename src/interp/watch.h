/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * interp/watch.h: executing a tile block under somebody's eyes. A kernel that was prepared to be
 * watched hands each of its instructions to a watcher, which looks at what there is, has the
 * instruction executed, and looks at what came of it. The sanitizer (interp/sanitize/) and the
 * debugger (cli/debug.c) are watchers. Other kernels know nothing of this and pay nothing for it.
 *
 * In a watched kernel
 *   - no two values share memory, so that every value that is in scope can be read;
 *   - the scalars of a reduction's body are scalars: it is executed for one element at a time;
 *   - tokens carry a number, WATCH_TOKEN_BYTES wide, that only the watcher reads and writes.
 */
#ifndef TSR_INTERP_WATCH_H
#define TSR_INTERP_WATCH_H

#include "interp/interp.h"

typedef struct inst inst;   /* private to the interpreter */
typedef struct frame frame; /* likewise: the memory of one running tile block */

enum { WATCH_TOKEN_BYTES = 8 };

typedef struct interp_watcher interp_watcher;
struct interp_watcher {
  /* Called for every instruction; must call interp_do at most once. An operation is one
   * instruction or, if it has regions, several: interp_is_start tells the first. May jump to the
   * guard. */
  void (*step)(interp_watcher *w, frame *f, const inst *i);
};

/* As interp_prepare and interp_run_block. `watcher` sees every instruction of the block. Returns
 * false, too, when memory ran out in the watcher. */
interp_program *interp_prepare_watched(ir_module *m, ir_op *entry);
bool interp_run_watched(interp_program *p, rt_block *block, interp_watcher *watcher);

/* Executes an instruction. */
void interp_do(frame *f, const inst *i);
/* Ends the tile block: nothing more of it is executed, and interp_run_watched returns true. */
void interp_halt(frame *f);

const ir_op *interp_op(const inst *i);
/* Does the operation begin here? (Otherwise it continues: a loop counts, a region was left.) */
bool interp_is_start(const inst *i);
const rt_block *interp_block(const frame *f);
/* The memory of a value that is in scope, laid out as interp/internal.h says. */
const void *interp_value(const frame *f, const ir_value *v);

#endif
