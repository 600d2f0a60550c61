/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * mbarrier objects.
 */
#include "emu/ptx/mbarrier.h"

#define MARK (UINT64_C(1) << 63)
enum { PHASE_BIT = 61, BYTES_AT = 40, BYTES_BITS = 21, BYTES_BIAS = 1 << 20 };

static const char not_initialised[] =
    "there is no mbarrier here: mbarrier.init comes first, and nothing else may write to it";

bool mbarrier_unpack(uint64_t bits, mbarrier *out) {
  *out = (mbarrier){.expected = (uint32_t)bits & MBARRIER_MAX_COUNT,
                    .pending = (uint32_t)(bits >> 20) & MBARRIER_MAX_COUNT,
                    .bytes = (int32_t)(bits >> BYTES_AT & ((1u << BYTES_BITS) - 1)) - BYTES_BIAS,
                    .phase = bits >> PHASE_BIT & 1};
  return (bits & MARK) && !(bits >> 62 & 1);
}

uint64_t mbarrier_pack(const mbarrier *m) {
  return MARK | (uint64_t)m->phase << PHASE_BIT | (uint64_t)(m->bytes + BYTES_BIAS) << BYTES_AT |
         (uint64_t)m->pending << 20 | m->expected;
}

const char *mbarrier_init_value(uint32_t count, uint64_t *bits) {
  if (count < 1 || count > MBARRIER_MAX_COUNT)
    return "an mbarrier is initialised with a count from 1 to 2^20 - 1";
  *bits = mbarrier_pack(&(mbarrier){.expected = count, .pending = count});
  return NULL;
}

const char *mbarrier_expect(uint64_t *bits, uint32_t bytes) {
  mbarrier m;
  if (!mbarrier_unpack(*bits, &m)) return not_initialised;
  if (bytes > MBARRIER_MAX_COUNT || m.bytes + (int32_t)bytes > MBARRIER_MAX_COUNT)
    return "an mbarrier can wait for at most 2^20 - 1 bytes";
  m.bytes += (int32_t)bytes;
  *bits = mbarrier_pack(&m);
  return NULL;
}

/* Begins the next phase when nothing is pending. */
static bool advance(mbarrier *m) {
  if (m->pending || m->bytes) return false;
  m->pending = m->expected;
  m->phase = !m->phase;
  return true;
}

const char *mbarrier_complete(uint64_t *bits, uint32_t bytes, bool *completed) {
  mbarrier m;
  if (!mbarrier_unpack(*bits, &m)) return not_initialised;
  if (bytes > MBARRIER_MAX_COUNT || m.bytes - (int64_t)bytes < -MBARRIER_MAX_COUNT)
    return "more than 2^20 - 1 bytes completed on an mbarrier that did not expect them";
  m.bytes -= (int32_t)bytes;
  *completed = advance(&m);
  *bits = mbarrier_pack(&m);
  return NULL;
}

const char *mbarrier_arrive(uint64_t *bits, uint32_t count, bool drop, bool *completed) {
  mbarrier m;
  if (!mbarrier_unpack(*bits, &m)) return not_initialised;
  if (count < 1 || count > MBARRIER_MAX_COUNT) return "an arrival counts from 1 to 2^20 - 1";
  if (count > m.pending) return "more arrivals than the mbarrier was initialised for in one phase";
  if (drop && count > m.expected) return "arrive_drop leaves fewer than no arrivals to expect";
  m.pending -= count;
  if (drop) m.expected -= count;
  *completed = advance(&m);
  *bits = mbarrier_pack(&m);
  return NULL;
}

bool mbarrier_passed(uint64_t bits, uint64_t state) {
  return (bits ^ state) >> PHASE_BIT & 1;
}

bool mbarrier_passed_parity(uint64_t bits, bool parity) {
  return (bits >> PHASE_BIT & 1) != parity;
}
