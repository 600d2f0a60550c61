/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * llvm/split.h: divides a kernel's function, so that several threads generate its code at the same
 * time. What takes that time is instructions, about equally long each, so parts are balanced in
 * these.
 *
 * A part is a few regions of the control flow, each with one way in and one way out: whole nests,
 * as a rule. They become functions of another module (outline.h), and a call stands where they
 * were. It must cost nothing that could be measured, so only what runs for thousands of
 * instructions is called, and nothing in a loop but of the program's own (split_mark_loop).
 */
#ifndef TSR_LLVM_SPLIT_H
#define TSR_LLVM_SPLIT_H

#include "llvm/unit.h"

/* Says that an instruction that ends a block belongs to a loop (a branch) of the program, and not
 * of one of its tiles. */
void split_mark_loop(emit *e, LLVMValueRef jump);

typedef struct split_crew {
  unit *const *units;        /* the first one has the kernels, and passes are after it */
  unsigned n, room;          /* how many more there may be */
  unsigned threads;          /* that will generate code */
  unit *(*fork)(void *user); /* one more unit; reports on failure */
  void *user;
  /* Its own: */
  unsigned parts; /* made so far */
  bool failed;
  const char *forced;
  uint32_t others, longest_other; /* what the other units take */
} split_crew;

/* Before passes, and before anybody compiles the other units: how many parts there may be. */
unsigned split_look(split_crew *crew);

/* Moves parts of the longest function of the first unit to new ones, as far as that makes all of
 * them come to an end sooner. With TESSERA_SPLIT=n in the environment, for tests, n parts of each
 * function are moved whatever the use. False when a unit could not be made. */
bool split_units(split_crew *crew);

#endif
