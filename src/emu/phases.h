/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * phases: which operations a phase of an mbarrier is sure to have counted when it is over.
 *
 * A copy's bytes are counted in the phase in which they come, which need not be the one that was
 * meant. So what a wait tells a thread is not what happened to come in time but what cannot have
 * been missing. Two rules decide that from the order of the program (races.h) alone, whenever
 * copies complete and warps run:
 *
 *   - Whoever expects bytes or issues a copy must know that the phase before is over, and so must
 *     whoever arrives, when that phase has bytes or arrivals of copies: it waited for it, or for
 *     somebody who did, or for a copy that such a thread has issued; or, of a phase of threads'
 *     arrivals, it knows of every arrival. Else the operation may count in the phase before.
 *     (Arrivals behind a phase of threads' arrivals come in the order that warps run in, and what
 *     they hand over is for races.h to check.)
 *   - When all arrivals of a phase have come, the bytes that were expected since the mbarrier was
 *     initialised, each by a thread that arrives later in its phase or is waited for by one that
 *     does, must be those of the copies that were issued. When there are more copies, any of them
 *     may be the one that the phase does not wait for.
 *
 * Where a rule is broken it is reported, and a wait for that phase teaches nothing about copies.
 *
 * Memory is malloc's; when there is none, races.out_of_memory says so and nothing is checked.
 */
#ifndef TSR_EMU_PHASES_H
#define TSR_EMU_PHASES_H

#include "emu/races.h"

typedef enum phases_problem {
  PHASES_UNEXPECTED_COPY, /* the phase may be over before all copies have come, as this one */
  PHASES_EARLY_ARRIVAL,   /* it may count in the phase before */
  PHASES_LATE_EXPECT      /* the phase may be over already */
} phases_problem;

typedef struct phases_report {
  phases_problem problem;
  race_domain *domain;
  uint32_t thread, where; /* who did it, by which instruction */
  uint64_t mbarrier;
} phases_report;
typedef void phases_report_fn(void *user, const phases_report *r);

/* An operation on the mbarrier at an address, in the phase that is under way there. */
typedef struct phases_op {
  uint64_t mbarrier;
  uint32_t phase;
  uint32_t thread, where;
  uint32_t bytes;   /* of the copy; that are expected */
  bool relaxed;     /* orders no memory */
  bool all_arrived; /* no arrival is missing, with this one */
} phases_op;

/* The mbarriers of a block; all zeroes but for these three is a start. */
typedef struct phases_mbarrier phases_mbarrier;
typedef struct phases {
  race_domain *domain;
  phases_report_fn *report;
  void *user;
  phases_mbarrier *list;
  uint32_t n, cap;
} phases;
void phases_free(phases *p);

void phases_init(phases *p, const phases_op *op); /* mbarrier.init; op->phase begins */
void phases_expect(phases *p, const phases_op *op);
void phases_copy(phases *p, const phases_op *op);
/* A thread arrives, and expects op->bytes at once. */
void phases_arrive(phases *p, const phases_op *op);
/* ... when no arrival is missing, which is an error. */
void phases_arrive_again(phases *p, const phases_op *op);
/* A thread asks for an arrival when its copies are done; and when that comes: the slot and time
 * that are done with it, and the phase in which it was asked for. */
void phases_arrive_later(phases *p, const phases_op *op);
void phases_arrived(phases *p, const phases_op *op, uint32_t slot, uint32_t time, uint32_t since);
/* A thread has waited for the phase before op->phase. */
void phases_wait(phases *p, const phases_op *op);

#endif
