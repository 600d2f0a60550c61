/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * AMD's code objects on an emulated card.
 */
#ifndef TSR_RT_HSA_H
#define TSR_RT_HSA_H

#include <tessera/ptx.h>

#include "emu/amdgcn/object.h"
#include "rt/rt.h"

typedef struct rt_hsa rt_hsa;

/* Reads the code object in `bytes`, which outlive it. Reports and returns NULL. */
rt_hsa *rt_hsa_read(tsr_context *ctx, const char *name, str bytes);
void rt_hsa_destroy(rt_hsa *h);
const hsa_object *rt_hsa_object(const rt_hsa *h);

/* The card that it is for, opened. It outlives the rt_hsa. Reports and returns NULL. */
tsr_device *rt_hsa_open_device(const rt_hsa *h, const tsr_device_options *options);
/* Makes it ready to be launched there, which needs the compiler plugin for its disassembler.
 * Reports. */
bool rt_hsa_load(rt_hsa *h, tsr_device *dev);

/* Where a variable of the loaded object lies, and its size; false: there is none of that name. */
bool rt_hsa_variable(const rt_hsa *h, const char *name, uint64_t *address, uint64_t *bytes);

/* The arguments that a caller gives: all but those that are hidden. */
uint32_t rt_hsa_argument_count(const hsa_kernel *k);
const hsa_argument *rt_hsa_argument_at(const hsa_kernel *k, uint32_t index);
/* The name of an argument, or else of its place: "arg2". */
const char *rt_hsa_argument_name(rt_hsa *h, const hsa_kernel *k, uint32_t index);
static inline bool rt_hsa_is_pointer(const hsa_argument *x) {
  return str_eq(x->kind, str_of("global_buffer"));
}

/* Runs a kernel to its end, as tsr_ptx_run does: with how->params there are no `args`. */
tsr_status rt_hsa_run(rt_hsa *h, const hsa_kernel *k, const tsr_ptx_launch *how,
                      const tsr_arg *args, uint32_t n_args);
/* What launches with how->check have found since the last call, as text that the caller frees with
 * free(), and how many faults; NULL when there is nothing. */
char *rt_hsa_take_findings(rt_hsa *h, size_t *count);

#endif
