/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/gen.h: one kernel on its way to LLVM: the state that all lowerings of this folder share.
 * Where its tiles live says gpu/placement.h. What is made is the program of one thread; the block's
 * threads all take the same branches, since what decides a branch is a scalar, and scalars are the
 * same in all threads. What one vendor's GPUs have is behind gpu/vendor.h.
 *
 * Tiles. A tile is one LLVM value for each register of the thread that holds an element, in the
 * register representation of llvm/emit.h. Addresses are i64.
 */
#ifndef TSR_GPU_GEN_H
#define TSR_GPU_GEN_H

#include "exec/scalar.h"
#include "llvm/arith.h"
#include "simt/plan.h"

typedef LLVMValueRef llv;
typedef LLVMBasicBlockRef llblock;

enum { SPACE_GENERIC = 0, SPACE_GLOBAL = 1, SPACE_SHARED = 3, SPACE_CLUSTER = 7 };

/* Where the elements of a tile come from that has no registers of its own (elements.c). */
typedef struct element_origin element_origin;

/* The registers of a tile: 1 << d.regs values. */
typedef struct tile {
  simt_dist d;
  llv *v;
  const element_origin *from; /* where v is NULL: gpu_element makes them */
} tile;

typedef struct view {
  const ir_type *type; /* the tensor_view */
  llv base;            /* i64 */
  llv *shape, *stride; /* i64; strides in elements */
  const ir_op *op;     /* make_tensor_view */
} view;

typedef enum value_kind {
  VALUE_UNSET,
  VALUE_TOKEN,
  VALUE_TILE,
  VALUE_LAZY,
  VALUE_DEFERRED, /* a load that happens where its only user, a matrix product, wants it */
  VALUE_STAGED,   /* a load that a pipelined loop has in a stage of shared memory */
  VALUE_VIEW,
  VALUE_STORAGE,
  VALUE_UNDER_WAY, /* a tile that a matrix unit still computes: values.h */
} value_kind;

/* A piece of shared memory (block level); of mbarriers, each of which is an element. */
typedef struct storage_ref {
  const ir_type *type;
  llv base;         /* i32: where its allocation begins, bytes from the kernel's first; of another
                       tile block's what leads there, so that sums with `base` are its addresses */
  llv offset;       /* i32: where it begins there, elements, before the swizzle */
  uint32_t divisor; /* of `offset`: a power of two */
} storage_ref;

typedef struct value {
  uint8_t kind;
  tile t; /* VALUE_TILE */
  view *view;
  const storage_ref *storage;
} value;

/* A tile in a distribution other than its home's, or an expression's. */
typedef struct cached {
  const ir_value *v;
  tile t;
  uint32_t
      before; /* where the same value's entry before this one is, from 1 on; 0: there is none */
} cached;

/* The entries in the order in which they were made, since regions end with theirs. */
typedef struct tile_cache {
  VEC(cached) made;
  uint32_t *last; /* by ir_value.number: where its last entry is, as `before` */
} tile_cache;

/* What has happened since the block's threads last met at a barrier. Program order holds between
 * operations on memory, also where different threads execute them. */
typedef struct hazards {
  bool loaded, stored; /* memory of the program */
  bool shared_read;    /* scratch memory: somebody may still be reading */
  /* Asynchronous stores that no barrier ends, but gpu_hooks.wait_stores: they may still read
   * scratch memory, or not be complete. */
  bool async_reads, async_stores;
} hazards;

typedef struct loop_frame loop_frame;
typedef struct pipeline pipeline; /* the vendor's */

/* A loop that is being made. */
typedef struct open_loop {
  llblock before; /* jumps to its header, and nowhere else */
  uint32_t first; /* the header's number */
} open_loop;

/* Where a tile of a view begins in a dimension. */
typedef struct tile_place {
  llv index, extent; /* from these, and the distance from tile to tile */
  int64_t distance;
  unsigned n;      /* log2 of how many coordinates it has */
  llv start, rest; /* the first, i64; how many exist, i32 (NULL: all) */
} tile_place;

/* Of a kernel (aligned.h): the only one, that for aligned rows, that for others. */
typedef enum gpu_version { VERSION_ALL, VERSION_ALIGNED, VERSION_OTHERS } gpu_version;

typedef struct gen {
  emit e;
  tsr_context *ctx;
  ir_module *m;
  ir_op *entry;
  arena *arena;
  const struct gpu_placement *placement;
  simt_threads block;    /* bits of the numbers of the threads that execute what is made now: the
                            block's but for those that only help, or at the block level a group's */
  uint32_t threads;      /* how many those are, */
  uint32_t first_thread; /* from which one of the block on, */
  unsigned barrier;      /* and at which of the block's barriers they meet; 0: all threads' */
  const simt_plan *plan; /* NULL: of a kernel of the block level */
  const facts *facts;
  uint32_t n_values;
  const gpu_target *target;
  const struct gpu_hooks *vendor;
  void *own;            /* the vendor's part of this */
  LLVMBuilderRef start; /* for what belongs to the kernel's start */
  map start_ops;        /* of it, by a hash: index.c */
  map blocks;           /* their numbers, in the order in which they were made */
  uint32_t n_blocks;
  VEC(open_loop) loops;
  tile_place places[8]; /* those that were made last */
  unsigned next_place;
  bool chosen;                /* aligned.h: whether there are versions, */
  uint8_t version;            /* and which of them is made: gpu_version */
  VEC(const ir_op *) aligned; /* there: make_tensor_view of views whose rows are aligned */
  llv function;
  llv lane, warp; /* i32 */
  value *values;  /* by ir_value.number */
  tile_cache cache;
  hazards now;
  loop_frame *frame;
  pipeline *pipeline; /* of the pipelined loop that is being made; NULL: none */
  llblock exit;
  llv scratch;           /* shared memory, an address in SPACE_SHARED; its size is set at the end */
  uint32_t scratch_size; /* bytes that somebody needed so far */
  uint32_t scratch_align;
  uint32_t scratch_first; /* where scratch memory begins for the threads that execute what is made
                             now, from where the kernel's begins: groups have pieces of their own */
  uint32_t alloca_size;
  uint32_t storage_bytes;          /* of shared memory, at its start: what the program allocates */
  map places_of_storage;           /* alloc_shared -> where it begins there */
  uint64_t packed;                 /* there: bit e: elements of this type share bytes */
  uint32_t *divisors;              /* of storage_ref.offset, powers of two, by ir_value.number */
  map dists;                       /* tsr_layout * -> simt_dist * */
  const struct split_notes *notes; /* of a kernel of the block level: block/split.h */
  uint8_t *fused;                  /* of one, by ir_value.number: block/fused.h */
  uint32_t registers;  /* of a thread when the kernel begins, where roles state theirs; else 0 */
  uint16_t named;      /* bit i: named barrier i is taken */
  map group_barriers;  /* where a group's threads are -> its barrier */
  llv elements_copied; /* i1 in memory: whether a thread has stored itself what it was to copy,
                          since it last arrived behind its copies; NULL: none has */
  unsigned space; /* of the program's pointers: SPACE_GLOBAL unless some may be into an alloca */
  bool private_;  /* in the body of a reduction: threads have different scalars */
  bool failed;
  bool lines;                        /* instructions say where they come from: lines.h */
  struct LLVMOpaqueDIBuilder *debug; /* then */
  struct LLVMOpaqueMetadata *scope;
  strmap *strings;     /* texts that are in LLVM's module already */
  uint32_t *n_strings; /* of all kernels, for their names */
} gen;

static inline value *value_of(gen *g, const ir_value *v) {
  return &g->values[v->number];
}
static inline uint32_t gpu_threads(const gen *g) {
  return g->threads;
}
static inline uint32_t slots_of(const simt_dist *d) {
  return 1u << d->regs;
}
/* An array to be filled: the registers of a tile in this distribution. */
static inline llv *gpu_registers(gen *g, const simt_dist *d) {
  return arena_array(g->arena, llv, slots_of(d));
}

#endif
