/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What an emulated card does with Tile IR (device_emu_tile.c): rt_device_kind's functions.
 */
#ifndef TSR_RT_DEVICE_EMU_H
#define TSR_RT_DEVICE_EMU_H

#include "emu/ptx/ptx.h"
#include "rt/rt.h"
#include "rt/tensor_maps.h"

bool emu_tile_prepare(tsr_kernel *k);
void emu_tile_release(tsr_kernel *k);
void emu_tile_launch(rt_launch_state *l);

/* device_emu_lines.c: the numbers of operations that compiled PTX has as lines (gpu/lines.h) become
 * the lines of the program that they come from, for all who ask where an instruction comes from.
 * The operation's location of each ptx_module.locs, in `a`, where names lie, too. */
const ir_loc *emu_tile_lines(arena *a, ptx_module *ptx, const ir_module *program);

/* The parameters of an entry as emu_run takes them: the arguments' words, those of rt_walk_of, then
 * tensor maps. The block is emu_tile_param_bytes long. NULL, or why a map cannot be made. */
size_t emu_tile_param_bytes(const nvptx_entry *e);
const char *emu_tile_params(const nvptx_entry *e, const uint64_t *words, const uint64_t *walk,
                            const rt_tensor *tensors, uint8_t *block);

#endif
