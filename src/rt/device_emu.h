/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What an emulated card does with Tile IR (device_emu_tile.c): rt_device_kind's functions.
 */
#ifndef TSR_RT_DEVICE_EMU_H
#define TSR_RT_DEVICE_EMU_H

#include "rt/rt.h"

bool emu_tile_prepare(tsr_kernel *k);
void emu_tile_release(tsr_kernel *k);
void emu_tile_launch(rt_launch_state *l);

#endif
