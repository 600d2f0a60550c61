/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/gen.h: one kernel on its way from a plan (simt/plan.h) to LLVM, as the files of this folder
 * see it. What is made is the program of one thread; the block's threads all take the same
 * branches, since what decides a branch is a scalar, and scalars are the same in all threads.
 *
 *   module.c    the target, passes, names; the plugin's functions
 *   finish.c    what is left to do around LLVM's code generation
 *   join.c      the texts that it gives for each form of a kernel, as one
 *   kernel.c    an entry: parameters, the walk over operations, scalars and views
 *   values.c    the registers of a tile in the distribution that is asked for
 *   invariant.c what is the same in every iteration of a loop
 *   elements.c  tiles whose elements are made one by one, where they are taken
 *   convert.c   from one distribution to another: registers, shuffles, shared memory
 *   shared.c    shared memory: who may use it when, barriers, storing and loading tiles
 *   shape.c     extract, insert, cat, pack, unpack
 *   memory.c    loads and stores, through views and pointers
 *   atomic.c    atomics, ordered loads and stores
 *   control.c   if, for, loop and their jumps
 *   reduce.c    reduce and scan
 *   product.c   matrix products by multiply-adds
 *   tensor.c    matrix products by mma.sync
 *   wgmma.c     matrix products by wgmma
 *   pipeline.c  loads that are copied to shared memory iterations ahead
 *   bulk.c      the same by a producer, with bulk tensor copies
 *   cluster.c   the same for several tile blocks together
 *   overlap.c   products of wgmma that are begun an iteration early, or waited for late
 *   pingpong.c     warpgroups that take turns at the tensor cores
 *   bulk_store.c  stores by bulk tensor copies
 *   persistent.c  thread blocks that execute several tile blocks
 *   panels.c    tiles in shared memory as bulk copies and wgmma want them
 *   effects.c   print, assert
 *   math.c      element-wise operations: those of llvm/emit.h and what these leave to the runtime
 *   math64.c    of these, functions of doubles
 *
 * Tiles. A tile is one LLVM value for each register of the thread that holds an element, in the
 * register representation of llvm/emit.h. Addresses are i64.
 */
#ifndef TSR_GPU_GEN_H
#define TSR_GPU_GEN_H

#include "llvm/arith.h"
#include "exec/scalar.h"
#include "gpu/nvptx/nvptx.h"
#include "simt/nvidia/bulk.h"
#include "simt/plan.h"
#include "simt/nvidia/wgmma.h"

typedef LLVMValueRef llv;
typedef LLVMBasicBlockRef llblock;

enum { SPACE_GENERIC = 0, SPACE_GLOBAL = 1, SPACE_SHARED = 3 };

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
} value_kind;

typedef struct value {
  uint8_t kind;
  tile t; /* VALUE_TILE */
  view *view;
} value;

/* A tile in a distribution other than its home's, or an expression's. */
typedef struct cached {
  const ir_value *v;
  tile t;
} cached;

/* What has happened since the block's threads last met at a barrier. Program order holds between
 * operations on memory, also where different threads execute them. */
typedef struct hazards {
  bool loaded, stored; /* memory of the program */
  bool shared_read;    /* scratch memory: somebody may still be reading */
  /* Bulk copies that no barrier ends, but gpu_bulk_wait: they may still read scratch memory, or
   * not be complete. */
  bool bulk_reads, bulk_stores;
} hazards;

typedef struct loop_frame loop_frame;
typedef struct pipeline pipeline;

/* Variables (i32) of who goes through a loop's stages: the next one's number, and a parity that
 * changes whenever it is 0 again. */
typedef struct bulk_state {
  llv stage, parity;
} bulk_state;

/* An operand of wgmma that lies in shared memory for the whole of a loop. */
typedef struct kept_operand {
  const ir_value *v;
  bool is_a;
  simt_stage_layout layout;
  llv base; /* i32 */
} kept_operand;

/* A persistent kernel's way through the tile blocks. */
typedef struct tile_walk {
  llv grid[3], id[3]; /* i32: of the program; of the tile block that is executed */
  llv position;       /* i32 */
  llblock head, next, done;
} tile_walk;

/* What the producer of a cluster of two knows of the other block: the program's values there. */
typedef struct other_block {
  value *values; /* NULL: it need not know */
  VEC(cached) cache;
  bool is_meant; /* these are gen's now, and its own are here */
} other_block;

/* Made at the kernel's start. */
typedef struct start_op {
  LLVMOpcode code;
  LLVMIntPredicate predicate; /* of a comparison; else 0 */
  llv a, b, result;
  struct start_op *next; /* with the same key */
} start_op;

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

typedef struct gen {
  emit e;
  tsr_context *ctx;
  ir_module *m;
  ir_op *entry;
  arena *arena;
  const simt_plan *plan;
  const gpu_target *target;
  LLVMBuilderRef start; /* for what belongs to the kernel's start */
  map start_ops;        /* of it: to a start_op, by a hash */
  map blocks;           /* their numbers, in the order in which they were made */
  uint32_t n_blocks;
  VEC(open_loop) loops;
  tile_place places[8]; /* those that were made last */
  unsigned next_place;
  llv function;
  llv lane, warp; /* i32 */
  value *values;  /* by ir_value.number */
  VEC(cached) cache;
  hazards now;
  loop_frame *frame;
  pipeline *pipeline;      /* of the pipelined loop that is being made; NULL: none */
  llv *map_address;        /* of tensor maps, i64 */
  bulk_state *bulk_states; /* of the consumers, by loop */
  bool bulk_busy;          /* copies may be under way */
  llv cluster_peers;       /* i32: see gpu_cluster_peers; of a clustered kernel */
  other_block other;
  VEC(kept_operand) kept;
  uint32_t kept_bytes; /* of shared memory */
  llblock exit;
  tile_walk walk;
  llv scratch;           /* shared memory, an address in SPACE_SHARED; its size is set at the end */
  uint32_t scratch_size; /* bytes that somebody needed so far */
  uint32_t scratch_align;
  uint32_t alloca_size;
  unsigned space; /* of the program's pointers: SPACE_GLOBAL unless some may be into an alloca */
  bool private_;  /* in the body of a reduction: threads have different scalars */
  bool failed;
  strmap *strings;     /* texts that are in LLVM's module already */
  uint32_t *n_strings; /* of all kernels, for their names */
} gen;

static inline value *value_of(gen *g, const ir_value *v) {
  return &g->values[v->number];
}
static inline uint32_t slots_of(const simt_dist *d) {
  return 1u << d->regs;
}

/* Reports that an operation cannot be compiled, where, why, and what to do. */
void gpu_unsupported(gen *g, const ir_op *op, const char *why);

/* ---- arithmetic with the obvious simplifications -------------------------------------------- */

static inline llv k32(gen *g, uint32_t v) {
  return LLVMConstInt(g->e.i32, v, 0);
}
static inline llv k64(gen *g, int64_t v) {
  return LLVMConstInt(g->e.i64, (uint64_t)v, 1);
}
static inline bool is_const(llv v, int64_t *out) {
  if (!LLVMIsAConstantInt(v)) return false;
  *out = LLVMConstIntGetSExtValue(v);
  return true;
}
static inline llv add_of(gen *g, llv a, llv b) {
  return LLVMBuildAdd(g->e.b, a, b, "");
}
static inline llv add_const(gen *g, llv a, int64_t x) {
  return x ? add_of(g, a, LLVMConstInt(LLVMTypeOf(a), (uint64_t)x, 1)) : a;
}
static inline llv fold_add(gen *g, llv a, llv b) {
  int64_t x;
  if (is_const(a, &x) && x == 0) return b;
  if (is_const(b, &x) && x == 0) return a;
  return add_of(g, a, b);
}
static inline llv fold_mul(gen *g, llv a, llv b) {
  int64_t x;
  if (is_const(a, &x) && x == 1) return b;
  if (is_const(b, &x) && x == 1) return a;
  if (is_const(b, &x) && x == 0) return b;
  if (is_const(b, &x) && x > 0 && (x & (x - 1)) == 0)
    return LLVMBuildShl(g->e.b, a, LLVMConstInt(LLVMTypeOf(a), simt_log2(x), 0), "");
  return LLVMBuildMul(g->e.b, a, b, "");
}
/* Of i1; NULL stands for true. */
static inline llv fold_and(gen *g, llv a, llv b) {
  if (!a || !b) return a ? a : b;
  return LLVMBuildAnd(g->e.b, a, b, "");
}
/* NULL stands for 0. */
static inline llv fold_or(gen *g, llv a, llv b) {
  if (!a || !b) return a ? a : b;
  return LLVMBuildOr(g->e.b, a, b, "");
}
/* Zero-extended; once in a block, as a rule. */
static inline llv to_i64(gen *g, llv v) {
  enum { FEW = 8 };
  if (LLVMGetIntTypeWidth(LLVMTypeOf(v)) == 64) return v;
  LLVMUseRef use = LLVMIsConstant(v) ? NULL : LLVMGetFirstUse(v);
  for (unsigned i = 0; use && i < FEW; use = LLVMGetNextUse(use), i++) {
    llv user = LLVMGetUser(use);
    if (LLVMIsAZExtInst(user) && LLVMTypeOf(user) == g->e.i64 &&
        LLVMGetInstructionParent(user) == LLVMGetInsertBlock(g->e.b))
      return user;
  }
  return LLVMBuildZExt(g->e.b, v, g->e.i64, "");
}
static inline llv as_ptr(gen *g, llv address, unsigned space) {
  return LLVMBuildIntToPtr(g->e.b, address, LLVMPointerTypeInContext(g->e.llvm, space), "");
}

/* ---- kernel.c ------------------------------------------------------------------------------- */

/* Fills `out` but for `op`. */
bool gpu_kernel(gen *g, const char *symbol, nvptx_entry *out);
/* Parameters in front of tensor maps. */
uint32_t gpu_words(const gen *g);
void gpu_block(gen *g, ir_block *b);
void gpu_body_op(gen *g, ir_op *op); /* an operation of a reduction's body */
llblock gpu_new_block(gen *g, const char *name);
uint32_t gpu_block_number(const gen *g, llblock block); /* from 1 on; 0: of no block made so */
void gpu_go(gen *g, llblock to);                        /* br, and continue there */
/* A constant in memory of the module, as a generic address (i64). */
llv gpu_text(gen *g, const char *data, size_t size);
/* Inline assembly. Operands are numbered results first; constraints as LLVM's. `effect`: it stays
 * where it is among operations on memory. */
llv gpu_asm(gen *g, LLVMTypeRef result, const char *text, const char *constraints, llv *args,
            unsigned n, bool effect);

/* ---- values.c ------------------------------------------------------------------------------- */

/* Registers of a value in a distribution; the same array may be handed out again: not to be
 * written to. */
llv *gpu_get(gen *g, ir_value *v, const simt_dist *d);
llv *gpu_home(gen *g, ir_value *v, simt_dist *d); /* where it lies, or would like to */
simt_dist gpu_home_dist(gen *g, const ir_value *v);
llv gpu_scalar(gen *g, ir_value *v); /* of a tile of one element */
void gpu_set(gen *g, ir_value *v, const simt_dist *d, llv *registers);
void gpu_set_scalar(gen *g, ir_value *v, llv s);
simt_dist gpu_dist(gen *g, const ir_value *v); /* the plan's */
simt_dist gpu_scalar_dist(gen *g);
llv *gpu_registers(gen *g, const simt_dist *d); /* an array to be filled */
/* Registers of floats before their NaNs were made canonical, if they were: see lanes_any_nan. */
llv *gpu_any_nan(gen *g, const simt_dist *d, llv *x);
/* The part of an index that depends on the thread (i32), and the whole index of a register. */
llv gpu_thread_index(gen *g, const simt_dist *d);
llv gpu_index(gen *g, const simt_dist *d, uint32_t slot);
/* The same for a number that each bit of the index adds its weight to; `weight` by bit. */
llv gpu_thread_sum(gen *g, const simt_dist *d, const int32_t *weight);
/* The same by exclusive or. */
llv gpu_thread_xor(gen *g, const simt_dist *d, const uint32_t *column);
/* Such a number with these bits turned. */
llv gpu_turned(gen *g, llv x, uint32_t bits);
int32_t gpu_slot_sum(const simt_dist *d, uint32_t slot, const int32_t *weight);
/* An i1: this thread is the first of those that hold the same elements. NULL: it has them alone. */
llv gpu_owner(gen *g, const simt_dist *d);
/* Goes on in a block of owners only; end it with gpu_go to what this returns. NULL, and nothing
 * happens, when everybody is one. */
llblock gpu_begin_owner(gen *g, llv owner);
/* i1, bit j of the lane or warp. */
llv gpu_lane_bit(gen *g, unsigned j);
llv gpu_warp_bit(gen *g, unsigned j);
/* Cache entries made behind this mark are valid inside the region only that is being made. */
void gpu_forget(gen *g, uint32_t mark);

/* ---- invariant.c ---------------------------------------------------------------------------- */

/* Around what is made of a loop; `before` has its jump to the header already, and whatever the loop
 * consists of, header first, is in blocks that are made from now on. */
void gpu_loop_open(gen *g, llblock before, llblock header);
void gpu_loop_close(gen *g);
/* The innermost loop doesn't change it. */
bool gpu_is_invariant(gen *g, llv x);
/* The end of the code so far. */
typedef struct gpu_place {
  llblock block;
  llv last; /* NULL: the block is empty */
} gpu_place;
gpu_place gpu_here(gen *g);
/* Arithmetic made since then, if that is in one block, goes in front of the loops that don't change
 * it: each of its results takes a register while they run. */
void gpu_move_invariants(gen *g, gpu_place since);

/* ---- elements.c ----------------------------------------------------------------------------- */

/* The tile where it lies, or would like to, or at `d`; without registers where elements are better
 * made one by one. What that needs is made now. */
tile gpu_elements(gen *g, ir_value *v);
tile gpu_elements_at(gen *g, ir_value *v, const simt_dist *d);
/* The same tile with its registers in another order. */
tile gpu_reordered(gen *g, const tile *t, const simt_dist *d);
/* The element of a slot. Where the tile has no registers that is code for each call. */
llv gpu_element(gen *g, const tile *t, uint32_t slot);
/* The word of elements of 8 or 16 bits from `slot` on, the first in its lowest bits. */
llv gpu_element_word(gen *g, tsr_elem elem, const tile *t, uint32_t slot);
/* Of bytes that were loaded as words of neighbours in another direction than the tile's lowest four
 * registers: these become words, registers of a tile without them. False: it is no such tile. */
bool gpu_turn_bytes(gen *g, tile *t);
/* Gives the tile registers. */
void gpu_make_elements(gen *g, tile *t);
/* `count` elements from `slot` on as they lie in memory: a vector of their bytes, or a scalar. */
llv gpu_memory_run(gen *g, tsr_elem elem, const tile *t, uint32_t slot, unsigned count);
/* Whether what is loaded may stay in words of 32 bits, as in memory; gives it to `v` so, in the
 * lowest bits of each word as many elements. */
bool gpu_may_pack(const gen *g, const ir_value *v);
void gpu_set_words(gen *g, ir_value *v, const simt_dist *d, llv *words, unsigned each);

/* ---- convert.c ------------------------------------------------------------------------------ */

llv *gpu_convert(gen *g, tsr_elem elem, const tile *from, const simt_dist *to);
llv gpu_shuffle_xor(gen *g, llv x, unsigned mask);
llv gpu_shuffle_from(gen *g, llv x, llv lane);
/* The registers of `to` from those of `from` where that is but a choice among the thread's own. */
llv *gpu_select_registers(gen *g, const tile *from, const simt_dist *to);
/* Without the registers' bits that `mask` has; places of threads count as given. */
simt_dist gpu_dist_without(const simt_dist *d, uint32_t mask);

/* ---- shared.c ------------------------------------------------------------------------------- */

void gpu_barrier(gen *g);
/* In front of a barrier: what this thread wrote to shared memory may be read by wgmma and bulk
 * copies behind it. */
void gpu_fence_async(gen *g);
/* Before a load, store or other access to the program's memory: waits for what must come first. */
void gpu_before_load(gen *g);
void gpu_before_store(gen *g);
/* Where stages of loops that all threads copy for begin in shared memory, bytes. */
uint32_t gpu_stages_base(const gen *g);
/* For a variable in shared memory: the kernel's own, as it stands outside of it when nobody uses
 * it. */
const char *gpu_shared_name(gen *g, const char *what);
/* Scratch memory of at least `bytes` from now on, free to be written. */
llv gpu_scratch(gen *g, uint32_t bytes);
llv gpu_scratch_aligned(gen *g, uint32_t bytes, uint32_t align);
/* Everybody has written; it may be read. */
void gpu_scratch_ready(gen *g);
/* Writes or reads registers of a tile in memory of SPACE_SHARED whose element k lies at
 * base + sum of weight[b] over the bits b of k. Of threads with the same elements one writes. */
void gpu_shared_store(gen *g, tsr_elem elem, const tile *t, llv base, const int32_t *weight);
/* Of the elements whose index has the bits of `want` where `mask` has ones. */
void gpu_shared_store_part(gen *g, tsr_elem elem, const tile *t, llv base, const int32_t *weight,
                           uint32_t mask, uint32_t want);
llv *gpu_shared_load(gen *g, tsr_elem elem, const simt_dist *d, llv base, const int32_t *weight);
unsigned gpu_shared_bytes(tsr_elem elem); /* that an element takes there */
/* The most scratch memory a kernel may use. */
uint32_t gpu_scratch_limit(const gen *g);

/* ---- the rest ------------------------------------------------------------------------------- */

void gpu_extract(gen *g, ir_op *op);
void gpu_cat(gen *g, ir_op *op);
void gpu_insert(gen *g, ir_op *op);
void gpu_reinterpret(gen *g, ir_op *op); /* pack, unpack */

void gpu_load(gen *g, ir_op *op);
void gpu_load_deferred(gen *g, ir_op *op); /* now */
void gpu_store(gen *g, ir_op *op);
void gpu_store_directly(gen *g, ir_op *op); /* by all threads, from registers; a weak one */
void gpu_atomic(gen *g, ir_op *op);
void gpu_alloca(gen *g, ir_op *op);

/* Where the elements of an access lie and which exist: by a view, or by a tile of pointers. */
typedef struct view_access view_access;
typedef struct access {
  const ir_op *op;
  uint8_t elem;
  simt_dist d;
  const view_access *view; /* NULL: by pointers */
  llv *address;            /* of pointers: i64 by register */
  llv *mask;               /* of pointers: i1 by register; NULL: all exist */
  llv pad;                 /* of a view; NULL: the operation's operand, or zero */
  ir_value *padding;
  bool nibbles;
  unsigned run;    /* log2 of how many registers lie next to each other in memory, in order */
  uint64_t align;  /* of the first of such a run, bytes */
  llv run_ok;      /* i1: that this is so in this execution; NULL: it always is */
  bool run_exists; /* run_ok says that all elements exist, too */
} access;
access gpu_access(gen *g, ir_op *op, const simt_dist *d);
/* The address of a register's element: i64, in nibbles when `nibbles`. And whether it exists: i1;
 * NULL: it does. */
llv gpu_address(gen *g, const access *a, uint32_t slot);
/* The same without what is known of it, up to 2 GiB, which goes into an instruction as an offset.
 */
llv gpu_address_near(gen *g, const access *a, uint32_t slot, uint32_t *offset);
llv gpu_exists(gen *g, const access *a, uint32_t slot);
/* Of so many bytes that begin at the element, how many exist: all or none, i32. NULL: they do. */
llv gpu_bytes_of_run(gen *g, const access *a, uint32_t slot, uint32_t bytes);
/* Between these, what several elements have in common is made once: the code must not depend on
 * whether some of it was executed. False: somebody else has begun it. */
bool gpu_share_parts(const access *a);
void gpu_end_sharing(const access *a, bool begun);
/* As stored in memory: iN. */
LLVMTypeRef gpu_memory_type(gen *g, tsr_elem elem);
llv gpu_to_memory(gen *g, tsr_elem elem, llv v);
llv gpu_from_memory(gen *g, tsr_elem elem, llv v);
llv *gpu_padding(gen *g, const access *a);
void gpu_ordered_load(gen *g, ir_op *op);
void gpu_ordered_store(gen *g, ir_op *op);

/* ---- pipeline.c ----------------------------------------------------------------------------- */

/* A product of a bulk loop that is begun an iteration early (simt/nvidia/overlap.h): registers of
 * its accumulator, as wgmma leaves them. */
typedef struct early_product {
  ir_op *op; /* NULL: there is none */
  uint32_t n;
  llv *first; /* of the first iteration, made in front of the loop */
  llv *now;   /* of this iteration: phis */
  llv *next;  /* of the next one */
} early_product;

/* A loop that copies ahead. The loop's own index is what is multiplied; `ahead` is that of the
 * iteration whose copies are begun next. A stage is told by its distance from the first, bytes. */
struct pipeline {
  const simt_pipeline *plan;
  uint32_t base;              /* of its stages in scratch memory, bytes */
  const simt_bulk_loop *bulk; /* a producer copies; NULL: all threads do. Then, of what follows,
                                 `read` only is used */
  llv stage, parity;          /* i32: of a bulk loop's iteration */
  early_product early;        /* of a bulk loop */
  ir_op *late;                /* of a bulk loop: the product that is waited for an iteration late */
  const ir_op *late_use;      /* see simt_bulk_loop */
  bool in_body;               /* code of the loop's body is being made */
  bool has_turn;            /* of a bulk loop whose consumers take turns, where code is made now */
  llv lower, any;           /* of the loop; i1: there is an iteration */
  llv upper, step, forward; /* of the loop */
  llv ahead, ahead_ok;      /* an index; i1: the loop gets there */
  llv read, write;          /* i32: the stage that is multiplied, copied to */
  llv next_ahead, next_ok, next_read, written; /* in the next iteration, and `write` there */
};

/* An i1, in front of the loop: its loads may be copied in chunks. NULL: they always may. */
llv gpu_pipeline_test(gen *g, const simt_pipeline *plan);
/* In front of the loop: begins the copies of the first iterations. `any`: i1, there is a first. */
void gpu_pipeline_fill(gen *g, pipeline *p, llv lower, llv any);
/* At the loop's head, behind its other phis: what is carried; `before` jumps there first. */
void gpu_pipeline_head(gen *g, pipeline *p, llblock before);
/* At the begin of the loop's body: waits for the stage that is read, begins the next copies. */
void gpu_pipeline_turn(gen *g, pipeline *p);
/* The block `here` jumps to the head. */
void gpu_pipeline_continue(const pipeline *p, llblock here);

/* Addresses of elements in a stage's buffer, for threads that stand where `places` says. */
typedef struct stage_place {
  const simt_dist *places;
  const uint32_t *column; /* by bit of their index, to be combined by xor */
  llv base;               /* i32: of the buffer */
  llv thread;             /* i32: what the thread's bits add up to */
  uint32_t thread_bits;   /* that may be set in it */
  struct {
    uint32_t bits;
    llv address;
  } made[8]; /* by the bits that are turned in `thread`; there are as many chunks in a panel's row
              */
  unsigned n_made;
} stage_place;
/* In a buffer that starts at `base` (i32), a multiple of SIMT_STAGE_ALIGN. */
stage_place gpu_place_at(gen *g, llv base, const simt_dist *places, const uint32_t *column);
/* The address (i32) of a buffer of the stage that is multiplied. */
llv gpu_stage_base(gen *g, const simt_staged *s);
/* Of the stage that is multiplied. `places` and `column` stay the caller's. */
stage_place gpu_stage_place(gen *g, const simt_staged *s, const simt_dist *places,
                            const uint32_t *column);
/* The element whose index has the bits `index` besides the thread's: an address (i32) and a
 * constant to be added to it. */
llv gpu_stage_address(gen *g, stage_place *p, uint32_t index, uint32_t *offset);

/* ---- bulk.c --------------------------------------------------------------------------------- */

/* The parameters for tensor maps, from number `first` on. */
void gpu_bulk_parameters(gen *g, uint32_t first);
/* Behind the parameters: makes the producer; goes on as consumers. */
void gpu_bulk_begin(gen *g);
/* At the begin of a bulk loop's iteration: which stage it is. */
void gpu_bulk_turn(gen *g, pipeline *p);
/* Behind a bulk loop. */
void gpu_bulk_end(gen *g, const ir_op *loop);
void gpu_consumer_barrier(gen *g);
/* Around a product: its operands have arrived; nobody of the warp reads the stage any more. Both do
 * nothing where no producer copies for it. */
void gpu_stage_ready(gen *g, const ir_op *product);
void gpu_stage_done(gen *g, const ir_op *product);

/* The stage and its parity of the bulk loop's iteration that is next. */
void gpu_bulk_next(gen *g, const pipeline *p, llv *stage, llv *parity);
/* From here on the loop's products read this stage. */
void gpu_bulk_select(gen *g, pipeline *p, llv stage, llv parity);
/* Nobody of the warp reads what the product has in a stage any more, if `really` (i1; NULL: true).
 * Nothing where another product says so for both, or no producer copies. */
void gpu_bulk_release(gen *g, const pipeline *p, const ir_op *product, llv stage, llv really);
/* The stage before this one. */
llv gpu_bulk_before(gen *g, const pipeline *p, llv stage);

/* ---- cluster.c ------------------------------------------------------------------------------ */

/* The kernel is launched in clusters. Only then may the others be called. */
bool gpu_is_clustered(const gen *g);
/* The block's coordinate in its cluster, i32; 0 where there is none. */
llv gpu_cluster_coordinate(gen *g, unsigned d);
/* Of the blocks that differ from this one in these dimensions of the grid only (bits) and this one:
 * their ranks (i32, bits), and which of them this one is. */
llv gpu_cluster_mask(gen *g, unsigned dims);
llv gpu_cluster_slice(gen *g, unsigned dims);
/* The ranks of all blocks that this one shares loads with, and its own. */
llv gpu_cluster_peers(gen *g);
/* A lane for each of the peers arrives there, at the barrier in this place (i32), if `really` (i1;
 * NULL: true). */
void gpu_cluster_arrive_as_warp(gen *g, llv barrier, llv really);
/* The producer keeps the other block's values, too, from here on, beginning with its own. */
void gpu_other_begin(gen *g);
/* Exchanges the block's own values for the other one's, and back. */
void gpu_other_switch(gen *g);
/* All threads of the cluster that have not ended. */
void gpu_cluster_meet(gen *g);

/* ---- overlap.c ------------------------------------------------------------------------------ */

/* Around a bulk loop, as control.c makes it; all do nothing in loops without such a product.
 * In front: the first iteration's, if there is one. */
void gpu_early_first(gen *g, pipeline *p);
void gpu_early_head(gen *g, pipeline *p, llblock before);
/* In place of the product: begins the next iteration's. The registers of this iteration's; NULL: it
 * is another product. */
llv *gpu_early_turn(gen *g, const ir_op *op);
/* At the end of an iteration: waits for the next one's product. */
void gpu_early_wait(gen *g, pipeline *p);
void gpu_early_continue(const pipeline *p, llblock here);
/* Of a product that is waited for an iteration late. In front of the loop: whether there is one. */
void gpu_late_begin(gen *g, pipeline *p);
/* The iteration value that is its result, under way; NULL: there is none. */
const ir_value *gpu_late_value(const pipeline *p);
/* How many products its instructions leave under way. */
int gpu_late_left(const pipeline *p);
/* In front of each operation of a body (the late product itself: when its other operands are
 * there): waits if it is the first that looks at the result of the iteration before. */
void gpu_late_wait(gen *g, const ir_op *op);
/* Behind the product: that of the iteration before is complete, and gives its stage back. */
void gpu_late_turn(gen *g, const pipeline *p);
/* All products are complete, into these registers, which may be touched now. */
void gpu_wait_for_products(gen *g, llv *sum, uint32_t n);
/* Behind the loop: waits for the last one, whose accumulator is in these registers. */
void gpu_late_end(gen *g, const pipeline *p, llv *sum);

/* ---- pingpong.c ----------------------------------------------------------------------------- */

/* Around a bulk loop whose warpgroups take turns; all do nothing elsewhere. */
void gpu_turns_begin(gen *g, pipeline *p);
void gpu_turns_end(gen *g, pipeline *p);
/* In front of a product's instructions in the loop, and when they have been begun. */
void gpu_turn_take(gen *g, const ir_op *product);
void gpu_turn_give(gen *g, const ir_op *product);
/* Somebody else's turn begins behind the product, which had better not be waited for before. */
bool gpu_turn_ends(const gen *g, const ir_op *product);
/* Around a barrier of all consumers; the second one if the first said so. */
bool gpu_turn_pause(gen *g);
void gpu_turn_resume(gen *g);

/* Where a tile of a view begins, i32 by dimension of the map; SIMT_MAP_OUTSIDE or a little less
 * where that is outside of every view that has a map. */
void gpu_map_origin(gen *g, const simt_tensor_map *m, const ir_type *tiles, const ir_use *index,
                    llv at[SIMT_MAP_RANK]);

/* ---- bulk_store.c, panels.c ----------------------------------------------------------------- */

/* Returns false, having stored nothing, where the plan says otherwise or there is no room. Where
 * the launch may have no map, both ways are made. */
bool gpu_bulk_store(gen *g, ir_op *op);
/* All threads, in front of a barrier: bulk copies have read their shared memory, or, `complete`,
 * are done. */
void gpu_bulk_wait(gen *g, bool complete);
/* Writes a tile to shared memory at `base` (i32), a multiple of SIMT_STAGE_ALIGN: each bit of the
 * index adds its `column` by exclusive or. Of threads with the same elements one writes. */
void gpu_store_panels(gen *g, tsr_elem elem, const tile *from, llv base, const uint32_t *column);

/* ---- persistent.c --------------------------------------------------------------------------- */

/* What is made between them is executed for each tile block, and ends with a jump to walk.next. */
void gpu_walk_begin(gen *g);
void gpu_walk_end(gen *g);

/* What has happened on one of two ways. */
hazards gpu_either(hazards a, hazards b);
/* i1: behind the iteration with this index, which is below `upper`, a `for` has another one. */
llv gpu_has_next(gen *g, llv index, llv upper, llv step, llv forward);
void gpu_if(gen *g, ir_op *op);
void gpu_for(gen *g, ir_op *op);
void gpu_loop(gen *g, ir_op *op);
void gpu_jump(gen *g, ir_op *op);

void gpu_reduce(gen *g, ir_op *op);
void gpu_scan(gen *g, ir_op *op);
void gpu_product(gen *g, ir_op *op);
/* These return false, having done nothing, where the plan says otherwise. */
bool gpu_tensor_product(gen *g, ir_op *op);
bool gpu_group_product(gen *g, ir_op *op);
/* The instructions of a product by wgmma: the accumulator's registers as they leave them. They wait
 * until as many products are left under way; GPU_NO_WAIT: that is the caller's to do. */
enum { GPU_NO_WAIT = -1 };
llv *gpu_group_multiply(gen *g, ir_op *op, int left);
/* Its operands are where wgmma finds them, without being stored to scratch memory first. */
bool gpu_group_is_in_place(gen *g, ir_op *op);
/* In front of a pipelined loop: stores operands of wgmma that it does not change; behind it they
 * are forgotten. */
uint32_t gpu_keep_operands(gen *g, const simt_pipeline *plan);
void gpu_forget_operands(gen *g, uint32_t mark);
/* The accumulator's registers behind the instructions as values of the result's type. */
void gpu_finish_product(gen *g, ir_op *op, llv *sum);
/* `each` elements next to each other in a word, the first in its lowest bits. */
llv gpu_pack_word(gen *g, tsr_elem elem, const llv *x, unsigned each);
void gpu_print(gen *g, ir_op *op);
void gpu_assert(gen *g, ir_op *op);

/* ---- math.c, math64.c ----------------------------------------------------------------------- */

/* A number as the sum of two doubles, of which the second is at most half a last place of the
 * first: 106 bits. */
typedef struct twofold {
  llv high, low;
} twofold;
/* Dekker's product, with the fused multiply-add for its error; where that is not finite (the
 * product is infinite, an operand NaN) the product stands alone. */
twofold gpu_multiply_twofold(emit *e, twofold a, twofold b);

typedef void (*gpu_function_body)(emit *e, LLVMValueRef f);
/* Calls a function of the module, made once, of n arguments and a result of one type. */
llv gpu_call_function(gen *g, const char *name, LLVMTypeRef type, unsigned n, llv *args,
                      gpu_function_body body);
/* sin, cos, tan and pow of f64; NULL: another operation. */
llv gpu_math64(gen *g, op_code opcode, llv *x);
/* vmath.c: exp and exp2 of f32, as emit.native_function has it. */
bool gpu_native_function(emit *e, op_code opcode, llv x, bool flush, llv *result);

/* One element-wise operation on scalars; never fails. */
llv gpu_elementwise(gen *g, const exec_elementwise *w, llv *operands);

#endif
