/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/core/core.h: the state of one kernel's compilation, and what each of its values is.
 *
 * Nearly every file of src/cpu includes this header: each of them emits code for one kernel,
 * through `lower.e`, and asks what a value is. So it has only what most files need. What a single
 * file keeps in `lower` is that file's own struct, declared here by name alone, or a map that it
 * alone looks into.
 *
 * Lazy values. The result of an element-wise operation, an index map or a plain load is no array
 * and no loop: it is an expression, emitted where a *root* (a store, a reduction, a tile that must
 * be in memory) needs it, inside the root's nest.
 */
#ifndef TSR_CPU_CORE_CORE_H
#define TSR_CPU_CORE_CORE_H

#include "cpu/cpu.h"
#include "ir/roots.h"
#include "llvm/emit.h"

typedef LLVMValueRef llv;
typedef LLVMBasicBlockRef llblock;

enum { CACHE_LINE = 64 /* bytes */ };

/* ---- values --------------------------------------------------------------------------------- */

typedef enum value_kind {
  VALUE_UNSET,
  VALUE_TOKEN,
  VALUE_SCALAR,  /* one element: `scalar` */
  VALUE_LAZY,    /* an expression: its operation, or `load` */
  VALUE_BUFFER,  /* `buffer` */
  VALUE_SHIFTED, /* `origin` plus `scalar` in every element */
  VALUE_VIEW,    /* a tensor_view or a view of it: `view` */
} value_kind;

typedef struct value {
  uint8_t kind;
  uint8_t n;        /* log2 of the number of elements */
  bool pending;     /* a root of the open group makes it */
  bool lazy;        /* pending, and its expression may still be evaluated in that group */
  bool materialise; /* plan: put it into a buffer when it is defined */
  bool heavy;       /* plan: its own operation is many instructions */
  uint16_t depth;   /* plan: of the expression */
  uint32_t cost;    /* plan: to evaluate one element of the expression */
  uint32_t order;   /* plan: position of the definition */
  uint32_t last;    /* plan: position of the last root that needs it */
  llv scalar;
  ir_value *origin;      /* NULL: it is not shifted */
  llv chosen;            /* of a select: an i1 that implies that every element is its first; NULL */
  struct affine *linear; /* NULL: it is not, or not known to be */
  struct affine *clamped; /* else what it is where minima and maxima with one number leave the other
                           * operand as it is; NULL: the same */
  struct affine *bitwise; /* else what it is, if its `ok` holds, though bits of an index are masked
                           * or flipped; NULL: nothing is known */
  struct buffer *buffer;
  struct access *load;
  struct view *view;
} value;

/* Is it loaded where it is needed, or by a root of the open group? */
static inline bool value_is_load(const value *x) {
  return x->load && (x->kind == VALUE_LAZY || x->pending);
}

/* ---- one kernel ----------------------------------------------------------------------------- */

/* Which tile block a thread executes next, of a plane of them. */
typedef struct grid_order {
  bool along_y;  /* the one along y, not x */
  uint32_t band; /* but after so many the next one in the other direction; 0: after all */
} grid_order;

typedef struct lower {
  emit e;
  const cpu_options *options;
  tsr_context *ctx;
  ir_module *m;
  ir_op *entry;
  const char *symbol; /* of the function */
  arena *arena;
  LLVMBuilderRef start_builder; /* for what belongs to the kernel's start */
  llv function;
  llv block; /* rt_block * */
  llv scratch, hooks, args, globals, bounds;
  uint64_t hooks_used;      /* bit i: the function of word i of rt_hooks */
  llblock start, body_exit; /* start: where buffers' addresses and allocas are made */
  llv dummy;                /* 64 bytes for scalar accesses that must not happen */
  value *values;            /* by ir_value.number */
  uint32_t n_values;
  ir_roots roots;      /* with checks, or after lower_find_roots */
  ir_block *here;      /* that is being lowered */
  grid_order order;    /* which tile block comes next on a thread */
  int64_t reuse_bytes; /* of scratch memory: what stays from tile block to tile block (reuse.h) */
  bool streams;        /* some stores are non-temporal */
  bool seldom;         /* what is emitted will hardly ever run: one version will do */
  bool failed;
  cpu_profile_group **profile; /* where the list begins */

  struct notes *notes; /* core/notes.h: what was decided; NULL: nobody reads it */

  /* What one file, or a few of one purpose, keeps here. */
  struct group_state *groups;     /* nest/group.h */
  struct scratch_state *memory;   /* plan/scratch.c */
  struct profile_state *profiler; /* nest/profile.c */
  struct stream_state *streaming; /* memory/streaming.c */
  struct store_state *stores;     /* lower/stores.c */
  struct loop_frame *frame;       /* lower/control.c: the innermost */
  struct alloca_memory *allocas;  /* lower/checks.h: with checks, by the number of their root */
  uint32_t since_cut;             /* lower/lower.c: operations since a block was cut */
  llv zeros;                      /* nest/gen_memory.c: bytes that are zero; NULL: none yet */
  llv zero_row;                   /* gemm/rows.c: more of them; NULL: none yet */
  map plan_order;                 /* plan/plan.c: ir_op * -> position */
  map last_stores;                /* plan/plan.c: ir_op * of a store -> see plan_last_store */
  map lookups;                    /* nest/lookup.c: ir_op * -> lookup * */
  map row_forwards;               /* memory/row_forward.c: ir_op * of an access -> row_forward * */
  map operand_cache; /* gemm/operand_cache.c: ir_op * of a product -> cached_operand * */
  map operands;      /* gemm/matrix.c: ir_value * -> found_operand *, in place or copied */
  map kblocks;       /* gemm/kblock.c: the same -> kblock * */
} lower;

static inline value *value_of(lower *l, const ir_value *v) {
  return &l->values[v->number];
}

/* ---- sizes ---------------------------------------------------------------------------------- */

static inline unsigned log2_of(int64_t n) {
  return 63 - (unsigned)__builtin_clzll((uint64_t)n);
}

/* Every tile size is a power of two. */
static inline unsigned tile_bits(const ir_type *t) {
  return log2_of(t->count);
}

#endif
