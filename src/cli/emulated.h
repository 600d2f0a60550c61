/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * From a command line to a launch on an emulated card: what `tessera ptx` and `tessera hsa` share.
 */
#ifndef TSR_CLI_EMULATED_H
#define TSR_CLI_EMULATED_H

#include <tessera/ptx.h>

#include "cli/outputs.h"
#include "cli/ptx_watch.h"

typedef struct emulated {
  cli *c;
  tsr_ptx_launch how;
  unsigned threads;
  uint64_t seed;
  tsr_device *device; /* the caller's */
  argument_list arguments;
  outputs outputs;
  ptx_watch watch;
} emulated;

/* Reads --grid, --block and all others of a launch. A CLI_* status, as of all of these. */
int emulated_options(emulated *s);
/* Says that there is no kernel of that name (NULL: none was given, and there is not exactly one).
 * `names` has `n`, and NULL behind them; `marked` says what one would be known by. */
int emulated_no_kernel(cli *c, const char *name, const char *const *names, size_t n,
                       const char *marked);
int emulated_parse(emulated *s); /* the ARGs */
/* Gives arguments their parameters; a signature is what messages show of all of them. Files don't
 * say how large a parameter is, nor what is behind a pointer: the argument does. */
int emulated_match(emulated *s, const char *kernel, const char *signature, const char *const *names,
                   uint32_t n);

typedef tsr_status (*emulated_launch)(void *user, const tsr_arg *args, uint32_t n);
/* Makes buffers, runs, saves and prints. */
int emulated_run(emulated *s, const char *kernel, emulated_launch run, void *user);
void emulated_free(emulated *s);

#endif
