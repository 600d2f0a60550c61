/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What an emulated card does with Tile IR (device_emu_tile.c): rt_device_kind's functions.
 */
#ifndef TSR_RT_DEVICE_EMU_H
#define TSR_RT_DEVICE_EMU_H

#include "emu/machine.h"
#include "emu/ptx/ptx.h"
#include "rt/rt.h"
#include "rt/tensor_maps.h"

bool emu_tile_prepare(tsr_kernel *k);
void emu_tile_release(tsr_kernel *k);
void emu_tile_launch(rt_launch_state *l);
/* The same of AMD's cards (device_emu_amd.c). */
bool emu_amd_prepare(tsr_kernel *k);
void emu_amd_release(tsr_kernel *k);
void emu_amd_launch(rt_launch_state *l);

/* What a launch executes. */
typedef struct emu_tile_code {
  const emu_program *program;
  bool persistent; /* blocks execute several tile blocks each */
  /* With these options; a failed assert is a trap with the message "assertion 'MESSAGE' failed in
   * KERNEL, FILE:LINE". */
  tsr_status (*run)(void *user, const emu_launch_options *o, emu_fault *fault);
  /* The location of the operation that an instruction comes from; 0: unknown. NULL: of all. */
  ir_loc (*loc_of)(const void *user, emu_insn insn);
  void *user;
} emu_tile_code;

/* Executes it with the checks that the device makes, and reports what they find and what fails.
 * `o` has the grid, the block and the parameters; the device's own options are added. */
void emu_tile_run(rt_launch_state *l, const emu_tile_code *code, emu_launch_options *o);

/* The launch's words, one for each argument, with the card's addresses of buffers. */
void emu_tile_words(const rt_launch_state *l, uint64_t *words);

/* device_emu_lines.c: the numbers of operations that compiled PTX has as lines (gpu/lines.h) become
 * the lines of the program that they come from, for all who ask where an instruction comes from.
 * The operation's location of each ptx_module.locs, in `a`, where names lie, too. */
const ir_loc *emu_tile_lines(arena *a, ptx_module *ptx, const ir_module *program);

/* The parameters of an entry as emu_run takes them: the arguments' words, those of rt_walk_of, then
 * tensor maps, where the function `f` has them. The block has emu_tile_param_bytes of room. NULL,
 * or why a map cannot be made. */
size_t emu_tile_param_bytes(const nvptx_entry *e);
const char *emu_tile_params(const nvptx_entry *e, const ptx_function *f, const uint64_t *words,
                            const uint64_t *walk, const rt_tensor *tensors, uint8_t *block);

#endif
