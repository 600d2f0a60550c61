/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Where the instructions of compiled PTX come from in the program.
 */
#include "rt/device_emu.h"

typedef struct lines {
  arena *a;
  VEC(const char *) files;
  VEC(ptx_loc) locs;
} lines;

/* A file's number. Places of one program share their source, so few are ever compared. */
static uint32_t file_of(lines *l, const char *name) {
  for (uint32_t i = 0; i < l->files.len; i++)
    if (strcmp(l->files.data[i], name) == 0) return i;
  vec_push(l->a, l->files, arena_printf(l->a, "%s", name));
  return l->files.len - 1;
}

static ptx_loc loc_of(lines *l, place at) {
  const char *file = at.src ? at.src->name : at.file ? at.file : "";
  return (ptx_loc){.file = file_of(l, file), .line = at.line, .column = at.column};
}

/* The places of a call, outermost first, each the place where the next was called from; the number
 * of the outermost, 0 for none. */
static uint32_t add_callers(lines *l, const ir_frame *frames, unsigned n) {
  uint32_t caller = 0;
  for (unsigned k = n; k-- > 1;) {
    ptx_loc at = loc_of(l, frames[k].at);
    at.inlined_at = caller;
    vec_push(l->a, l->locs, at);
    caller = l->locs.len;
  }
  return caller;
}

const ir_loc *emu_tile_lines(arena *a, ptx_module *ptx, const ir_module *program) {
  lines l = {.a = a};
  ir_frame frames[MAX_IR_FRAMES];
  uint32_t n = ptx->n_locs;
  ir_loc *numbers = arena_array(a, ir_loc, n + 1);
  for (uint32_t i = 0; i < n; i++) vec_push(a, l.locs, ptx->locs[i]);
  for (uint32_t i = 0; i < n; i++) {
    numbers[i] = ptx->locs[i].line;
    unsigned depth = ir_frames(program, numbers[i], frames, MAX_IR_FRAMES);
    ptx_loc at = {.file = UINT32_MAX}; /* it isn't known */
    if (depth) at = loc_of(&l, frames[0].at);
    at.inlined_at = add_callers(&l, frames, depth);
    l.locs.data[i] = at;
  }
  ptx->files = l.files.data;
  ptx->n_files = l.files.len;
  ptx->locs = l.locs.data;
  ptx->n_locs = l.locs.len;
  return numbers;
}
