/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/core/notes.h: patterns, and a log of what was decided about a kernel, for those who want to
 * read it (plan/print.h). Many decisions depend on what is known only when code is emitted, so they
 * are noted where they are made. Where nobody reads them, `lower.notes` is NULL and a note costs a
 * test.
 *
 * Every file that has a pattern includes this header.
 */
#ifndef TSR_CPU_CORE_NOTES_H
#define TSR_CPU_CORE_NOTES_H

#include "opt/switches.h"

#include "cpu/core/core.h"

typedef enum note_kind {
  NOTE_PATTERN, /* it matched `op` or `value`; n: see the table in print.c */
  NOTE_FLOW,    /* a for, loop or if, and what is inside */
  NOTE_NEST,    /* a group of roots over `shape`, and what is inside */
  NOTE_STORE,   /* a root; of NOTE_KEEP n[0] is its buffer_format */
  NOTE_REDUCE,
  NOTE_MULTIPLY_IN_NEST,
  NOTE_KEEP,
  NOTE_FUSED,   /* a value that the nest evaluates; n[0]: a note_place */
  NOTE_VERSION, /* n[0]: a note_version; `lanes`, `copies`, `loops` */
  NOTE_COPY,    /* a load that is copied to scratch memory; n[0]: only if it overlaps a store */
  NOTE_SCAN,
  NOTE_PRODUCT, /* n: m, n, k, batches */
  NOTE_PACK,    /* an operand; n[0]: bytes, n[1]: 1 where columns lie in panels, else rows */
  NOTE_BLOCK,   /* n: iterations, and elements of k, that are multiplied at once */
  NOTE_KERNEL,  /* a micro-kernel: `name`; n: m, n, k */
} note_kind;

/* Where a value comes from. */
typedef enum note_place { NOTE_COMPUTED, NOTE_LINEAR, NOTE_ROWS, NOTE_GATHERED } note_place;

typedef enum note_version {
  VERSION_ONLY,    /* there is no other */
  VERSION_EXACT,   /* if all conditions hold */
  VERSION_GUARDED, /* if not */
  VERSION_WHOLE,   /* of a loop that is split: where everything exists */
  VERSION_REST,    /* and behind that */
  VERSION_GENERAL, /* where linear forms do not hold */
} note_version;

enum { NOTE_NUMBERS = 4, NOTE_LOOPS = 16 };

typedef struct note_loop {
  uint8_t first, n; /* the bits of the iteration that it counts */
} note_loop;

typedef struct note {
  uint8_t kind;  /* note_kind */
  uint8_t which; /* pattern_id */
  uint8_t depth; /* how many notes it is inside of */
  uint8_t n_loops;
  const ir_op *op;
  const ir_value *value;
  const ir_type *shape;
  const char *name;
  uint32_t lanes, copies; /* bits of the iteration */
  note_loop loops[NOTE_LOOPS];
  int64_t n[NOTE_NUMBERS];
} note;

typedef struct notes {
  VEC(note) list;
  map names;     /* const ir_value * -> const char *, as the program is printed */
  uint8_t depth; /* of the next */
} notes;

static inline bool is_on(const lower *l, pattern_id p) {
  return pattern_is_on(l->m, p);
}

/* Adds a note, where anybody reads them; the same again in one place isn't added. */
void notes_add(lower *l, note x);
#define NOTE(l, ...)                                                                               \
  do                                                                                               \
    if ((l)->notes) notes_add(l, (note){__VA_ARGS__});                                             \
  while (0)
/* What is added between the two is inside of the note before. */
void notes_enter(lower *l);
void notes_leave(lower *l);

/* A pattern's: what it matched, with up to NOTE_NUMBERS numbers. */
#define NOTE_MATCH(l, id, ...) NOTE(l, .kind = NOTE_PATTERN, .which = PATTERN_##id, __VA_ARGS__)

#endif
