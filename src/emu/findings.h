/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * findings: what is wrong with a program, collected while it runs, and how it is told.
 *
 * The same thing, by kind and by the instructions that take part, is kept once and counted. A list
 * belongs to one launch after another of one program; it is not thread-safe. Memory is malloc's;
 * when there is none, and beyond FINDINGS_MAX, findings are counted as lost, which the text says.
 */
#ifndef TSR_EMU_FINDINGS_H
#define TSR_EMU_FINDINGS_H

#include "emu/program.h"

typedef enum finding_kind {
  FINDING_RACE,          /* two accesses without an order */
  FINDING_SAME_VALUE,    /* ... two stores of the same value: a note, no fault */
  FINDING_POSSIBLE_RACE, /* ... one of which is plain or atomic, as nothing tells: a note */
  FINDING_MISSING_WAIT,  /* memory or registers of an asynchronous operation that was not waited for
                          */
  FINDING_MISSING_FENCE, /* between the generic and the asynchronous proxy; of registers */
  FINDING_UNINITIALISED,
  FINDING_OUT_OF_BOUNDS,
  FINDING_USE_AFTER_FREE,
  FINDING_MISALIGNED,
  FINDING_READ_ONLY,
  FINDING_BARRIER,
  FINDING_DEADLOCK,
  FINDING_ILLEGAL, /* operands without meaning: descriptors, tensor maps, shapes */
  FINDING_TRAP,
  FINDING_OTHER,
  FINDING_KIND_COUNT
} finding_kind;
/* "race"; stable, for machines. */
const char *finding_kind_name(finding_kind kind);
/* Whether it is told, but no fault of the program. */
bool finding_is_note(finding_kind kind);

/* Who did it. */
typedef struct finding_site {
  emu_insn insn; /* NULL: there is none */
  uint32_t block[3];
  int warp, lane; /* -1: not one */
  uint32_t thread[3];
  const char *does; /* "reads", "writes", "updates", "copies from here" ... */
} finding_site;

typedef struct finding {
  finding_kind kind;
  const struct emu_isa *isa;
  const void *module; /* emu_program.module */
  const char *kernel;
  finding_site at, other; /* other.insn NULL: only one takes part */
  bool has_address, has_value;
  const char *space;  /* "shared", "global", "local" */
  uint64_t address;   /* within shared and local memory: the offset */
  const char *buffer; /* name of the variable, if it has one */
  uint64_t buffer_offset;
  uint32_t bytes;
  uint64_t value; /* of up to 8 of the bytes, before the access */
  char message[256], hint[256];
  uint64_t count;
} finding;

enum { FINDINGS_MAX = 4096 }; /* different ones that are kept */

typedef struct findings {
  finding *list;
  uint32_t n, cap;
  uint32_t *index; /* by what makes findings the same: 1 + place in the list; 2 * cap slots */
  hash_secret secret;
  uint64_t total, lost;
} findings;

void findings_free(findings *f);
/* How many different ones are faults of the program, not notes. */
uint32_t findings_faults(const findings *f);
/* Adds a finding, or counts it when it is known. Returns its index, UINT32_MAX when it was lost. */
uint32_t findings_add(findings *f, const finding *x);
/* Counts a finding that is known, by its index. */
static inline void findings_again(findings *f, uint32_t index) {
  f->total++;
  f->list[index].count++;
}
bool findings_have(const findings *f, finding_kind kind);

/* Text for people, in colours if `colour`; a JSON array with the same facts. */
void findings_text(const findings *f, bool colour, sbuf *out);
void findings_json(const findings *f, sbuf *out);

#endif
