/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The frame of the builder's public functions: when memory runs out, the builder has failed.
 */
#ifndef TSR_IR_BUILD_GUARD_H
#define TSR_IR_BUILD_GUARD_H

#include "ir/build/internal.h"

#define BUILD_GUARD(b, on_failure)                                                                 \
  TSR_GUARD((b)->ctx, {                                                                            \
    (b)->failed = true;                                                                            \
    on_failure;                                                                                    \
  })
#define BUILD_DONE(b) TSR_UNGUARD((b)->ctx)

#endif
