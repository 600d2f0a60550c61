/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Cards, and the least time that a program's counts would take on one.
 */
#include "emu/counters.h"

/* Dense figures at boost clock, as the makers' data sheets give them. */
static const card cards[] = {
    {"a100", 2039e9, 19.5e12, 312e12, 1410e6, 108, 4, "NVIDIA A100 80GB SXM data sheet, 2021"},
    {"h100", 3350e9, 66.9e12, 989.4e12, 1830e6, 132, 4, "NVIDIA H100 SXM data sheet, 2023"},
    {"h200", 4800e9, 66.9e12, 989.4e12, 1830e6, 132, 4, "NVIDIA H200 SXM data sheet, 2024"},
    {"l40s", 864e9, 91.6e12, 362e12, 2520e6, 142, 4, "NVIDIA L40S data sheet, 2023"},
    {"rtx4090", 1008e9, 82.6e12, 165.2e12, 2520e6, 128, 4,
     "NVIDIA Ada GPU architecture, appendix A"},
    {"mi250x", 1638e9, 23.9e12, 191.5e12, 1700e6, 110, 4,
     "AMD Instinct MI250X data sheet, 2021, one of its two dies"},
    {"mi300x", 5300e9, 163.4e12, 1307.4e12, 2100e6, 304, 4, "AMD Instinct MI300X data sheet, 2023"},
    {"mi355x", 8000e9, 157.3e12, 2516.6e12, 2400e6, 256, 4, "AMD Instinct MI355X data sheet, 2025"},
    {"rx7900xtx", 960e9, 61.4e12, 122.8e12, 2500e6, 48, 4,
     "AMD Radeon RX 7900 XTX product page, 2022; its work-group processors"},
    {"rx9060xt", 322e9, 25.6e12, 103e12, 3130e6, 16, 4,
     "AMD Radeon RX 9060 XT product page, 2025; its work-group processors"},
};

const card *card_named(const char *name) {
  for (size_t i = 0; i < ARRAY_LEN(cards); i++)
    if (strcmp(cards[i].name, name) == 0) return &cards[i];
  return NULL;
}
const card *card_at(size_t index) {
  return index < ARRAY_LEN(cards) ? &cards[index] : NULL;
}

const card *card_of_target(const char *target) {
  static const struct {
    const char *part, *card;
  } generations[] = {{"sm_9", "h100"},     {"gfx90a", "mi250x"},     {"gfx942", "mi300x"},
                     {"gfx950", "mi355x"}, {"gfx1100", "rx7900xtx"}, {"gfx1200", "rx9060xt"}};
  for (size_t k = 0; target && k < ARRAY_LEN(generations); k++)
    if (strstr(target, generations[k].part)) return card_named(generations[k].card);
  return card_named("a100");
}

/* A multiprocessor issues an instruction on each of its schedulers a clock, and its shared memory
 * serves one wavefront a clock. */
roofline roofline_of(const counts *c, const card *on) {
  double sm_clock = on->clock * on->n_sm, bytes = (double)c->moved;
  roofline r = {.memory = bytes / on->bandwidth,
                .shared = (double)c->wavefronts / sm_clock,
                .scalar = (double)c->flops / on->flops,
                .matrix = (double)c->matrix / on->matrix,
                .issue = (double)c->warps / (on->schedulers * sm_clock),
                .intensity = bytes > 0 ? (double)(c->flops + c->matrix) / bytes : 0};
  const struct {
    double time;
    const char *name;
  } parts[] = {{r.memory, "device memory"},
               {r.shared, "shared memory"},
               {r.scalar, "scalar arithmetic"},
               {r.matrix, "matrix units"},
               {r.issue, "instruction issue"}};
  r.limit = "nothing";
  for (size_t i = 0; i < ARRAY_LEN(parts); i++)
    if (parts[i].time > r.time) r.time = parts[i].time, r.limit = parts[i].name;
  return r;
}
