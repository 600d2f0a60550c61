/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * simt/amd/stage.h: where operands lie in a stage of the LDS. Rows along k follow each other; bits
 * 4 and up of an address, as far as they tell banks apart, are turned by bits of the row's number.
 * Which bits those are is chosen by counting, for the reads of fragments and for the writes of
 * copies, as the target serves lanes (target/banks.h).
 */
#ifndef TSR_SIMT_AMD_STAGE_H
#define TSR_SIMT_AMD_STAGE_H

#include "simt/vendor.h"

enum { AMD_CHUNK = 16 /* bytes: the widest access */ };

/* Of how many elements one access of a lane reads a fragment's row along k, log2. */
unsigned simt_amd_read_run(const simt_dist *fragments, unsigned k, unsigned elem_bytes);
/* Of how many elements along k one access of a copy writes, log2. */
unsigned simt_amd_write_run(const simt_staged *x);

/* simt_vendor.lay_out, share_out and print_staged. */
bool simt_amd_lay_out(const simt_op *info, simt_staged *x, bool fast_is_k, unsigned elem_bytes);
bool simt_amd_share_out(const simt_plan *p, simt_staged *x, const uint8_t *order, unsigned chunk);
void simt_amd_print_staged(sbuf *out, const simt_staged *x);

/* Wavefronts of the LDS for one warp's reads of an operand in a stage, and for its writes; and how
 * many they would be without conflicts. */
typedef struct simt_amd_cost {
  uint32_t reads, least_reads, writes, least_writes;
} simt_amd_cost;
simt_amd_cost simt_amd_stage_cost(const simt_plan *p, const simt_staged *x);

#endif
