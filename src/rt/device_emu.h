/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What an emulated card does with Tile IR (device_emu_tile.c): rt_device_kind's functions.
 */
#ifndef TSR_RT_DEVICE_EMU_H
#define TSR_RT_DEVICE_EMU_H

#include "rt/rt.h"
#include "rt/tensor_maps.h"

bool emu_tile_prepare(tsr_kernel *k);
void emu_tile_release(tsr_kernel *k);
void emu_tile_launch(rt_launch_state *l);

/* The parameters of an entry as emu_run takes them: the arguments' words, those of rt_walk_of, then
 * tensor maps. The block is emu_tile_param_bytes long. NULL, or why a map cannot be made. */
size_t emu_tile_param_bytes(const nvptx_entry *e);
const char *emu_tile_params(const nvptx_entry *e, const uint64_t *words, const uint64_t *walk,
                            const rt_tensor *tensors, uint8_t *block);

#endif
