/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/nest/profile.h: kernels that measure themselves: code between begin and end is measured,
 * when the options say so.
 */
#ifndef TSR_CPU_NEST_PROFILE_H
#define TSR_CPU_NEST_PROFILE_H

#include "cpu/nest/roots.h"

typedef struct profile_span {
  llv ticks, runs; /* the counters; NULL: nothing is measured */
  llv start, outer;
} profile_span;
profile_span profile_begin_block(lower *l);
profile_span profile_begin_group(lower *l, const group *g); /* before anything of it is emitted */
profile_span profile_begin_op(lower *l, ir_op *op);         /* a matrix product or a scan */
/* The operation that was begun last only prepares: its work is measured as profile_begin_work. */
void profile_put_off(lower *l);
profile_span profile_begin_work(lower *l, ir_op *op);
void profile_end(lower *l, const profile_span *s);
/* The same, of work that was put off `times` times (i64). */
void profile_end_work(lower *l, const profile_span *s, llv times);
void profile_end_block(lower *l, const profile_span *s);

#endif
