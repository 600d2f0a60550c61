/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bound: the least time that a launch takes on a device, whatever its code looks like: a roofline
 * under which nothing that is measured can lie.
 */
#ifndef TSR_TUNE_BOUND_H
#define TSR_TUNE_BOUND_H

#include "rt/rt.h"
#include "tune/work.h"

struct card;

/* Milliseconds; 0: nothing is known. `on` is the card of an emulator's estimates (bench.h), NULL on
 * other devices. */
double bound_of(const tsr_device *dev, const struct card *on, const launch_work *w);

#endif
