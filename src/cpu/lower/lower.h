/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/lower/lower.h: one kernel on its way from Tile IR to LLVM, as the files of this folder see
 * it.
 *
 *   plan.c      a pass before any code: who uses what how often, what is worth keeping, which
 *               loop-carried tiles are "the first one plus a number"
 *   lower.c     the walk over operations in program order; scalars
 *   control.c   if, for, loop and their jumps
 *   affine.c    integers and addresses that are linear in the bits of their index
 *   mask.c      which elements conditions on these hold for
 *   access.c    where a load or store goes in memory, and which of its elements exist
 *   nest.c      loop nests: loops, lanes, hoisting
 *   peel.c     how far tiles that reach over an end are whole
 *   analysis.c    what a nest must know about its expressions; which dimension lanes lie along
 *   gen.c       the value of an expression for the lanes of one iteration
 *   transpose.c      what is read along another dimension than the lanes lie along
 *   shuffle.c      lanes in another order than memory's
 *   lookup.c     functions of four bits, looked up
 *   gen_memory.c  loads and stores of these lanes
 *   streaming.c    stores past the cache
 *   write_combine.c     the same of rows that don't begin with a line
 *   write_prefetch.c     lines that the next store will write to
 *   prefetch.c      what will be loaded later
 *   row_forward.c      rows that it stores, loads again and stores anew
 *   group.c     roots: what makes a nest necessary; which roots share one
 *   alias.c     stores that may overlap the loads of their nest
 *   reduce.c    reduce; bodies evaluated on lanes
 *   scan.c      scan
 *   matrix.c    mmaf, mmai, mmaf_scaled
 *   skinny.c      products of few rows
 *   fixed_point.c    of these, those with weights of four bits, in whole numbers: the left operand
 *   byte_dot.c     and the sums of products of bytes
 *   kblock.c    products along a loop, several iterations at a time (kblock_*.c too: see kblock.h)
 *   operand_cache.c      right operands that tile blocks share
 *   reuse.c     what may be kept from tile block to tile block, and the keys to it
 *   rows.c      left operands whose rows lie anywhere
 *   effects.c   atomics, print, assert, ordered loads and stores
 *   checks.c    bounds and assumptions, when asked for
 *   profile.c   kernels that measure themselves
 *   grid.c      which tile block should come after which
 *   scratch.c   buffers and where they lie in the thread's scratch memory
 *   jit.c       the target, passes, code in memory or in files; the plugin's functions
 *   unit.c      what LLVM needs around that, for both backends
 *
 * Index maps. Every tile size is a power of two, so the row-major index of an element is a string
 * of bits. An iteration of a nest is another string of bits. An *index map* says for each bit of a
 * tile's index which bit of the iteration supplies it. reshape keeps the map, permute permutes it,
 * broadcast drops bits of it; lanes and unrolling pick bits of the iteration.
 *
 * Lazy values. The result of an element-wise operation, an index map or a plain load is no array
 * and no loop: it is an expression, emitted where a *root* (a store, a reduction, a tile that must
 * be kept) needs it, inside the root's nest.
 */
#ifndef TSR_CPU_LOWER_LOWER_H
#define TSR_CPU_LOWER_LOWER_H

#include "cpu/cpu.h"
#include "llvm/emit.h"
#include "ir/roots.h"
#include "exec/scalar.h"
#include "opt/nans.h"

typedef LLVMValueRef llv;
typedef LLVMBasicBlockRef llblock;

enum {
  MAP_BITS = 24, /* log2(IR_MAX_TILE) */
  BIT_ZERO = -1, /* in an index map: the bit is always 0 or 1 */
  BIT_ONE = -2,
  LANE_BITS = 6,
  MAX_SQUARE = 16, /* lanes that are transposed in registers: as many copies of a body as lanes */
  MAX_UNROLL = 2 * MAX_SQUARE, /* copies of a body */
  CACHE_LINE = 64,             /* bytes */
  SAME_BYTES = 8 * CACHE_LINE, /* of one element: see buffer.instead */
};

/* bit[k]: the bit of the iteration that is bit k of the tile's index, or BIT_ZERO, BIT_ONE. */
typedef struct index_map {
  uint8_t n;
  bool vague; /* not all bits are what they say: see visit_expression */
  int8_t bit[MAP_BITS];
} index_map;

/* m * s modulo the width of what it belongs to; s NULL stands for 1. */
typedef struct coef {
  int64_t m;
  llv s;
} coef;

/* value[i] = base + sum of c[k] over the bits k that are set in i, modulo 2^width. */
typedef struct affine {
  uint8_t n;
  uint8_t width; /* bits of base and of every coefficient: 8 … 64 */
  llv base;
  coef c[MAP_BITS];
  llv ok; /* an i1 that says whether this holds in this run; NULL: it always does */
} affine;

/* ---- buffers -------------------------------------------------------------------------------- */

typedef enum buffer_format {
  FORMAT_LANES,   /* as in registers: narrow floats as float, i1 and 4-bit as bytes */
  FORMAT_STORAGE, /* as in memory: packed */
  FORMAT_SIGNED,  /* i8 widened to i32 */
  FORMAT_UNSIGNED,
  FORMAT_PAIRS, /* packed; one bit of the index has stride 1, so that its neighbours make a word,
                 * which the others' strides are multiples of. Written only, by keep_into. */
} buffer_format;

/* A tile in scratch memory or in a constant. */
typedef struct buffer {
  llv ptr; /* of element 0 */
  uint64_t bytes;
  uint8_t elem;   /* tsr_elem */
  uint8_t format; /* buffer_format */
  uint8_t n;
  int32_t stride[MAP_BITS]; /* in elements, per bit of the index */
  uint32_t born, died;      /* interval of lower.time in which it must exist */
  struct buffer *memory;    /* whose bytes these are when it is a view of another */
  bool in_scratch;
  bool flipped; /* bytes with their top bits flipped: written only, of FORMAT_STORAGE */
  bool any_nan; /* its NaNs are what arithmetic gave, and canonical when they are loaded */
  bool keys;    /* zero when a launch begins */
  /* In a loop: where loads go instead, perhaps to so many bytes that are the same element over and
   * over, and the bits of their offsets that count there (i64); NULL: nowhere. See control.c. */
  llv instead, offset_bits;
  uint64_t offset;
} buffer;

/* ---- memory --------------------------------------------------------------------------------- */

/* Elements along `n` bits of the index from `first` exist below `hi` only. */
typedef struct access_bound {
  uint8_t first, n;
  llv hi; /* i64, 0 … 2^n */
} access_bound;

/* What pointers are but for what is linear in them: pointers, and signed integers that count
 * elements, of the same shape. bits: of the index, on which they depend. */
enum { MAX_TERMS = 2 };
typedef struct pointer_terms {
  ir_value *v[MAX_TERMS];
  unsigned n;
  uint64_t bits;
} pointer_terms;

/* Where the elements of a load or store lie. Everything but the tiles is an SSA value that was
 * computed where the operation stands, so the elements may be visited later. */
typedef struct access {
  const ir_op *op;
  uint8_t elem;
  uint8_t n;
  bool linear;           /* base and stride hold (when `ok`); else only `pointers` */
  llv base;              /* i64: address of element 0 */
  coef stride[MAP_BITS]; /* bytes, per bit of the index */
  coef exact[MAP_BITS];  /* the same, and valid only when `full`: with what that implies */
  llv ok;                /* i1; NULL: always */
  ir_value *pointers;    /* of an access through pointers */
  pointer_terms terms;   /* when there are some: base, stride and ok hold for the rest of them */
  unsigned n_bounds;
  access_bound *bounds;
  llv exists;        /* i1: a condition that all elements share; NULL: none */
  ir_value *mask;    /* NULL: none */
  ir_value *padding; /* a tile; NULL: `pad` */
  llv pad;           /* a constant lane value for what is masked; NULL: anything */
  llv forced;        /* i1: when true, everything exists after all; NULL: never */
  llv full;          /* i1: every element exists, but for what indices say; NULL: it always does;
                      * undefined when neither `checked` nor `index` */
  llv but_bounds;    /* i1: what `full` says, without the bounds; NULL: true */
  bool checked;
  /* Code with checks: elements outside of [low, low + room) do not exist (in units of addresses);
   * NULL: no checks. in_space: i1, the indices are in the view's index space; NULL: always. */
  llv low, room, in_space;
  /* gather and scatter views: address += index[i along these bits] * index_stride */
  ir_value *index;
  uint8_t index_first, index_n;
  llv index_stride, index_extent;
  buffer *memory; /* the scratch memory that it may be in; NULL: none */
  llv home;       /* what base is where the row is not parked (row_forward.c); NULL: no row is */
  llv across; /* i64: bytes from tile to tile along dimensions in which they have one element, or
               * through pointers to where they go next, all or'ed; NULL: there are none */
  llv step;   /* i64: bytes from here to what will be loaded soon (prefetch.c); NULL: not known */
  /* Loads of what the tile block has loaded before, as i64; NULL: others. */
  llv next;  /* bytes from here to what the next tile block will load */
  llv again; /* bytes that the loop around loads again */
  llv late;  /* i1: the last loop over them fetches, if it stores; NULL: it doesn't */
} access;

/* Do base and stride say where elements are, but for indices and terms (and when `ok`)? */
static inline bool access_has_form(const access *a) {
  return a->linear || a->terms.n > 0;
}

typedef struct view {
  const ir_type *type; /* the tensor_view */
  llv base;            /* i64 */
  llv *shape, *stride; /* i64; strides in elements */
} view;

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
  uint8_t n;      /* log2 of the number of elements */
  bool pending;   /* a root of the open group makes it */
  bool lazy;      /* pending, and its expression may still be evaluated in that group */
  bool keep;      /* plan: put it into a buffer when it is defined */
  bool heavy;     /* plan: its own operation is many instructions */
  uint16_t depth; /* plan: of the expression */
  uint32_t cost;  /* plan: to evaluate one element of the expression */
  uint32_t order; /* plan: position of the definition */
  uint32_t last;  /* plan: position of the last root that needs it */
  llv scalar;
  ir_value *origin; /* NULL: it is not shifted */
  llv chosen;       /* of a select: an i1 that implies that every element is its first; NULL */
  affine *linear;   /* NULL: it is not, or not known to be */
  buffer *buffer;
  access *load;
  view *view;
} value;

/* ---- lowering ------------------------------------------------------------------------------- */

typedef enum root_kind { ROOT_KEEP, ROOT_STORE, ROOT_REDUCE, ROOT_PRODUCT } root_kind;

enum { MAX_REDUCED = 16 }; /* operands of one reduce */

typedef struct root {
  uint8_t kind;
  ir_op *op;                    /* STORE, REDUCE, PRODUCT */
  ir_value *value;              /* KEEP, STORE; PRODUCT: the right operand */
  buffer *to;                   /* KEEP; PRODUCT: what it is added to */
  access *access;               /* STORE */
  buffer *results[MAX_REDUCED]; /* REDUCE to more than one element */
  llv scalars[MAX_REDUCED];     /* REDUCE to one */
} root;

enum { MAX_ROOTS = 16 };

/* Roots that will share one nest; the iteration is the index of a tile of this shape. */
typedef struct group {
  const ir_type *shape;
  ir_op *reduce; /* decides the order of loops, a product too; NULL: none */
  unsigned n_roots;
  root roots[MAX_ROOTS];
} group;

/* The bit of the iteration whose neighbours go into one word (FORMAT_PAIRS), -1 where there is
 * none. Such a root has a group for itself. */
int group_pair_bit(const group *g);

typedef struct loop_frame loop_frame;
typedef struct park park;

typedef struct saved_value {
  ir_value *v;
  value was;
} saved_value;

/* What an alloca was given. */
typedef struct alloca_memory {
  buffer *buffer;
  uint64_t bytes, align;
} alloca_memory;

/* A measured group, and its counters on the block's stack. */
typedef struct profile_counters {
  cpu_profile_group *group;
  llv ticks, runs;
} profile_counters;

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
  LLVMValueRef function;
  llv block; /* rt_block * */
  llv scratch, hooks, args, globals, bounds;
  ir_roots roots;           /* with checks, or after lower_find_roots */
  alloca_memory *allocas;   /* with checks: by the number of their root */
  llblock start, body_exit; /* start: where buffers' addresses and allocas are made */
  llv dummy;                /* 64 bytes for scalar accesses that must not happen */
  llv zeros;                /* as many that are zero; NULL: none yet (gen_memory.c) */
  llv zero_row;             /* more of them; NULL: none yet (rows.c) */
  value *values;            /* by ir_value.number */
  uint32_t n_values;
  group open;
  loop_frame *frame;
  VEC(buffer *) buffers;
  uint32_t time;
  uint64_t scratch_bytes;
  uint64_t keys_bytes;   /* of that, from its start: what must be zero when a launch begins */
  int64_t reuse_bytes;   /* of that: what is kept from block to block (kblock.c) */
  map kblocks;           /* ir_op * of a product -> kblock * */
  map kept;              /* the same -> kept * */
  map parks;             /* ir_op * of a load or store -> park * */
  uint32_t since_cut;    /* operations; see cut_block */
  VEC(ir_value *) loads; /* lazy loads, in program order */
  VEC(ir_op *) waiting;  /* scalar arithmetic: until the open group has been emitted */
  VEC(saved_value) undo;
  ir_block *here;              /* that is being lowered */
  map lookups;                 /* ir_op * -> lookup * (lookup.c) */
  map plan_order;              /* ir_op * -> position */
  cpu_profile_group **profile; /* where the list begins */
  VEC(profile_counters) profiled;
  cpu_profile_group *profile_op; /* of the operation that is being lowered */
  llv profile_inner;             /* i64 on the stack: what groups inside of the present one took */
  grid_order order;              /* which tile block comes next on a thread */
  llv blocks;                    /* i64: see streaming.c; NULL: not counted yet */
  bool streams;                  /* some stores go past the cache */
  bool *read;                    /* by ir_root: memory that is loaded from; NULL: see streaming.c */
  bool seldom;                   /* what is emitted will hardly ever run: one version will do */
  bool failed;
} lower;

static inline value *value_of(lower *l, const ir_value *v) {
  return &l->values[v->number];
}
/* Is it loaded where it is needed, or by a root of the open group? */
static inline bool value_is_load(const value *x) {
  return x->load && (x->kind == VALUE_LAZY || x->pending);
}
static inline unsigned log2_of(int64_t n) {
  return 63 - (unsigned)__builtin_clzll((uint64_t)n);
}
static inline unsigned tile_bits(const ir_type *t) {
  return log2_of(t->count);
}

/* Reports that an operation cannot be compiled. */
void lower_unsupported(lower *l, const ir_op *op, const char *why);

/* lower.c */
bool lower_kernel(lower *l);
void lower_block(lower *l, ir_block *b);
/* Operations that waited for a group, in their order, now that it has been emitted. */
void lower_waiting(lower *l, ir_op **ops, uint32_t n);
llv lower_hook(lower *l, unsigned index); /* address of a function in rt_hooks */
llv lower_alloca(lower *l, LLVMTypeRef type, unsigned align);
llv lower_global_bytes(lower *l, const void *data, size_t size, unsigned align);
llblock lower_new_block(lower *l, const char *name);
void lower_find_roots(lower *l);     /* unless l->roots is there */
void lower_go(lower *l, llblock to); /* br, and continue there */

/* Arithmetic with the obvious simplifications. */
llv k64(lower *l, int64_t v);
llv k_int(lower *l, unsigned width, int64_t v);
bool is_const(llv v, int64_t *out);
llv fold_add(lower *l, llv a, llv b);
llv fold_mul(lower *l, llv a, llv b);
llv fold_or(lower *l, llv a, llv b); /* NULL stands for 0 */
/* The address of an element of `size` bytes, `base` being that of element 0. */
llv lower_element(lower *l, llv base, llv index, int64_t size);
llv fold_and(lower *l, llv a, llv b); /* i1; NULL stands for true */
llv as_ptr(lower *l, llv address);
llv umin64(lower *l, llv a, llv b);
llv fold_min_max(lower *l, const char *intrinsic, llv a, llv b); /* i64: "llvm.smin" and so on */

/* plan.c */
/* Before values have numbers: moves what says where results go in front of loops. Not in code with
 * checks, whose module is the caller's. */
void plan_places(lower *l);
void plan_kernel(lower *l);
ir_value *stored_value(const ir_op *store); /* of a store by a view or through pointers */
/* Does this operation (with what is inside it) write memory that a plain load could read? */
bool plan_writes(const ir_op *op);
uint32_t plan_order_of(lower *l, const ir_op *op);
/* Is `next` equal to `arg` plus the same number in every element? Gives the tiles or scalars that
 * are added, through `add` with their sign. */
typedef struct shift_term {
  ir_value *value; /* uniform: all elements equal */
  const ir_op *op; /* the addition */
  bool negative;
} shift_term;
typedef VEC(shift_term) shift_terms;
bool plan_shift(lower *l, ir_value *arg, ir_value *next, shift_terms *out);
/* The one-element value that fills `v` in every element: a scalar, or a splat constant (then
 * *constant is its operation). NULL when it cannot be told. */
ir_value *plan_uniform(ir_value *v);
bool loop_shifts(lower *l, ir_op *loop, unsigned index);

/* affine.c */
affine *affine_of_op(lower *l, ir_op *op);
affine *affine_of(lower *l, const ir_value *v);
llv coef_value(lower *l, coef c, unsigned width);
bool coef_is_zero(coef c);
bool coef_const(coef c, int64_t *out);
affine *affine_shifted(lower *l, const affine *a, llv by);
/* What is linear in pointers, which are the sum of that and the terms; NULL: these are too many. */
affine *affine_split(lower *l, ir_value *pointers, pointer_terms *t);
/* The smallest and largest value, as i64; exact when the affine value came from affine_widen. */
void affine_range(lower *l, const affine *a, llv *min, llv *max);
affine *affine_widen(lower *l, const affine *a, bool is_signed);
affine *affine_comparable(lower *l, const affine *a, bool is_signed); /* the same, for comparing */

/* map.c */
index_map map_identity(unsigned n);
/* Where in a slice of a tile an element lies, wherever the slice is. */
index_map map_slice(const ir_type *whole, const ir_type *slice, const index_map *m);
/* The map of an index map operation's source, given its result's. */
index_map map_through(const ir_op *op, const index_map *m);
/* Does the operation only move elements, from places that are known before anything runs? */
bool map_applies(const ir_op *op);
bool map_equal(const index_map *a, const index_map *b);
uint64_t map_hash(const index_map *m);
bool map_is_identity(const index_map *m);
/* Does a dimension of the tile begin at this bit of its index, or end? */
bool map_is_boundary(const ir_type *t, unsigned bit);
/* Position of dimension d's lowest bit in the index of a tile, and how many bits it has. */
void dim_bits(const ir_type *t, unsigned d, unsigned *first, unsigned *n);

/* access.c */
access *access_of_view(lower *l, const ir_op *op, ir_value *view, ir_use *index, unsigned n_index);
access *access_of_pointers(lower *l, const ir_op *op, ir_value *pointers, ir_value *mask,
                           ir_value *padding);
bool access_prepare(lower *l, const ir_op *op, access **out); /* of any load or store */
/* The indices of an operation on a view. Is the one, in a loop, where the other is in another loop,
 * when both loops have counted to the same number? */
ir_use *access_indices(const ir_op *op, uint32_t *n);
bool access_same_place(const ir_op *a, const ir_op *in_a, const ir_op *b, const ir_op *in_b);
/* The elements of a buffer of FORMAT_STORAGE, as if they were somewhere in memory. */
access *access_of_buffer(lower *l, const access *like, buffer *b);
/* [lowest, past the highest) address, i64; only for linear accesses. */
void access_range(lower *l, const access *a, llv *lo, llv *hi);
unsigned access_elem_bits(const access *a);
/* Of addresses: bytes of an element; 4-bit elements are addressed by nibbles (gen_memory.c). */
bool access_pads_with_zero(const access *a); /* what it loads where nothing exists */
int64_t access_unit(const access *a);
/* Elements between tiles of a view whose indices along dimension d are neighbours. */
int64_t access_tile_distance(const ir_type *t, unsigned d);

/* scratch.c */
buffer *buffer_new(lower *l, tsr_elem elem, buffer_format format, unsigned n);
enum { BUFFER_ALIGN = 64 };
buffer *buffer_bytes(lower *l, uint64_t bytes);
void buffer_touch(lower *l, buffer *b);
/* What is in it stays from tile block to tile block. */
void buffer_persists(buffer *b);
unsigned buffer_elem_bytes(const buffer *b);
void scratch_layout(lower *l);
void scratch_loop_end(lower *l, uint32_t loop_start);
LLVMTypeRef buffer_elem_type(lower *l, const buffer *b);
bool buffer_is_row_major(const buffer *b);

/* ---- nests ---------------------------------------------------------------------------------- */

enum { MAX_LEVELS = MAP_BITS + 1 };

/* One loop. Level 0 is the code in front of the nest. */
typedef struct level {
  llblock block; /* what depends on this and outer levels only goes before its terminator */
  llblock latch, after;
  uint8_t first, n; /* the bits of the iteration that `index` counts */
  llv index;        /* i64 */
} level;

/* Of one loop of a nest: the iterations in [from, to), of which there is at least one. */
typedef struct nest_part {
  unsigned top; /* the bit above those that the loop counts; 0: all loops have all iterations */
  llv from, to; /* i64; NULL: the first; behind the last */
  bool repeats; /* those behind `to` give what the last one before gave */
} nest_part;

/* What an expression gave: one lane when all lanes are equal, else as many as the nest has; known
 * in the block of this level. */
typedef struct lane_value {
  llv v;
  unsigned level;
} lane_value;

typedef struct memo_entry memo_entry;

typedef enum nest_prefetch {
  PREFETCH_NOTHING,
  PREFETCH_WARM, /* the same of the next tile block, where this one has loaded it before */
  PREFETCH_LAST, /* so in a nest that stores, where that is past the cache (few_fill_buffers) */
  PREFETCH_STEP, /* what the next round, tile block or step of a band will load */
  PREFETCH_TILE, /* one of these, or else what lies behind the tile's outermost dimension */
  PREFETCH_LINE, /* a cache line some panels on, or where the row ends of a tile behind */
} nest_prefetch;

/* Where a store behind the nest will go. */
typedef struct upcoming {
  access *to; /* NULL: nobody knows */
  llv past;   /* i1: past the cache, perhaps; NULL: not so */
} upcoming;

/* A vector and where it goes. */
typedef struct late_store {
  llv v, ptr;
} late_store;

/* Lines that are fetched where stores go past the cache: for the second-level cache, the first. */
typedef struct late_fetch {
  llv at, near;
} late_fetch;

typedef struct nest {
  lower *l;
  unsigned n;           /* bits of the iteration */
  llv streams;          /* i1: its stores go past the cache; NULL: they don't (streaming.c) */
  bool shifts;          /* these are put together to lines (write_combine.c) */
  VEC(late_store) late; /* of the body so far, when that is known only when it runs */
  VEC(late_fetch) late_fetches; /* the same */
  uint8_t prefetch;             /* nest_prefetch: what its loads fetch, too */
  upcoming ahead;               /* what each iteration fetches, too */
  uint8_t line_level;           /* PREFETCH_LINE: the level that goes along rows; 0: none does */
  bool line_again;     /* where lines are asked for along rows: later again, down the panel */
  uint8_t line_row;    /* the first bit of the rows' numbers, of which copies are the lowest two */
  uint8_t line_rows;   /* and log2 of the rows between two of its iterations */
  uint8_t line_pieces; /* and log2 of the pieces of so many rows that are in a tile */
  bool exact;          /* all checked accesses are full, all linear forms hold */
  bool chooses;        /* all selects are what they are when `chosen` */
  nest_part part;
  llv goes_on;     /* i1: reductions go on from what the nest before gave; NULL: they don't */
  unsigned lane_n; /* log2 of the lanes */
  int8_t lane[LANE_BITS]; /* which bit of the iteration is bit j of the lane number */
  unsigned unroll_n;
  int8_t unroll[LANE_BITS];
  uint8_t level_of[MAP_BITS]; /* of a loop's bit */
  int8_t lane_of[MAP_BITS];   /* -1, or j with lane[j] == bit */
  unsigned n_levels;
  level levels[MAX_LEVELS];
  map memo;
} nest;

void nest_begin(nest *n, lower *l, unsigned bits, bool exact);
void nest_lanes(nest *n, unsigned first, unsigned count); /* consecutive bits */
void nest_open(nest *n, unsigned first, unsigned count);  /* one more loop, innermost */
/* The same, without the iterations before `start`. */
void nest_open_from(nest *n, unsigned first, unsigned count, int64_t start);
/* Cuts the innermost loop's body where it ends so far, or by an i1 goes there by way of a block,
 * which it gives: for what is rarely needed. What follows is put behind both. */
llblock nest_cut(nest *n, llv skips);
/* By an i1 the iteration ends here. Nothing behind it may be needed later. */
void nest_leave(nest *n, llv leaves);
/* Behind the innermost loop, one more, of the same iterations from `from` on. What that one gave is
 * known in it. */
void nest_repeat(nest *n, llv from);
void nest_repeat_while(nest *n,
                       llv changes); /* an i1: and its end, when nothing changes any more */
/* As nest_cut, with two ways: what is executed when the i1 holds, and when it doesn't. */
void nest_fork(nest *n, llv condition, llblock *yes, llblock *no);
void nest_end(nest *n); /* code goes on behind the nest */
/* Where the next instruction goes: at the end of a level's block, or behind its loop. */
void nest_place_level(nest *n, unsigned at);
void nest_place_after(nest *n, unsigned at);
index_map nest_map(const nest *n, unsigned copy); /* identity; unrolled bits are fixed */
index_map nest_map_of(const nest *n, unsigned copy, const index_map *m); /* behind another map */
unsigned nest_lane_count(const nest *n);
/* Copies of a body that take turns, instruction by instruction: nest_mark in front of the first and
 * behind each. A chain of operations waits for itself; a processor that holds the operations of a
 * few copies only has more to do when those of all come one beside the other. Not done where a
 * copy has cut the body. Their loads and stores must not mind. */
typedef struct nest_marks {
  llblock block;
  llv last[MAX_UNROLL + 1]; /* NULL: the block was empty */
  unsigned n;
  bool broken;
} nest_marks;
void nest_mark(nest *n, nest_marks *x);
void nest_interleave(nest *n, const nest_marks *x);

/* gen.c */
lane_value gen(nest *n, ir_value *v, const index_map *m);
/* The same, with as many lanes as the nest has. */
lane_value gen_lanes(nest *n, ir_value *v, const index_map *m);
/* From now on the value is this, at that index. */
void gen_remember(nest *n, ir_value *v, const index_map *m, lane_value is);
/* base + sum of coefficients, in integers of `width` bits; `key` names them for reuse. */
lane_value gen_linear(nest *n, const void *key, llv base, const coef *c, unsigned width,
                      const index_map *m);
/* The parts of that: what loops and fixed bits give; the coefficients that belong to lanes. */
lane_value linear_scalar(nest *n, const void *key, llv base, const coef *c, unsigned width,
                         const index_map *m);
bool lane_coefs(nest *n, const coef *c, const index_map *m, coef out[LANE_BITS]);
llv lane_offsets(nest *n, const coef c[LANE_BITS], unsigned width);
llv gen_elementwise(lower *l, const exec_elementwise *what, llv *operands);
llv gen_constant(lower *l, tsr_elem elem, uint64_t pattern);

/* lookup.c */
/* A tile as a function of four bits of another one's elements, which has as many. */
typedef struct lookup {
  ir_value *from;    /* of i8 or of 4-bit elements; NULL: it is no such function */
  bool high;         /* of a byte's high half */
  uint32_t bits[16]; /* what comes out, as patterns of f32 */
} lookup;
/* Is the float tile such a function of a tile of bytes or of 4-bit elements? */
bool lookup_of(lower *l, ir_value *v, lookup *out);
/* The value of an element-wise operation as a lookup in a register; false when it is none. */
bool gen_lookup(nest *n, ir_op *op, const index_map *m, lane_value *out);

/* gen_memory.c */
lane_value gen_load(nest *n, const access *a, const index_map *m);
/* In the exact version, of a load for which access_takes_nibbles: the bytes of which lanes take
 * both halves, when m's lowest bit is 0 and lanes lie along the bits above it. */
lane_value gen_load_bytes(nest *n, const access *a, const index_map *m);
void gen_store(nest *n, const access *a, const index_map *m, llv v);
/* Does any lane of a store exist? NULL: one does. */
llv gen_any_exists(nest *n, const access *a, const index_map *m);
/* At the end of a body: the stores of which only the running kernel knows whether they go past the
 * cache. */
void gen_late_stores(nest *n);
/* A whole vector, aligned. */
void gen_store_past_cache(lower *l, llv v, llv ptr);
/* In the exact version: fetches where elements will be stored (nest.ahead). */
void gen_ahead(nest *n, const index_map *m);
lane_value gen_buffer_load(nest *n, buffer *b, const index_map *m);
void gen_buffer_store(nest *n, buffer *b, const index_map *m, llv v);
/* Into a buffer of FORMAT_PAIRS: what belongs to an index, and to the next one along its pairs. */
void gen_buffer_store_pairs(nest *n, buffer *b, const index_map *m, llv first, llv second);
/* 2^lanes_n lanes at byte offset `at`; bit j of the lane's number adds lane[j]. */
void gen_buffer_store_lanes(nest *n, buffer *b, llv at, const coef *lane, unsigned lanes_n, llv v);
/* The address of each lane, and whether it exists (v NULL: yes). */
lane_value gen_address(nest *n, const access *a, const index_map *m);
lane_value gen_mask(nest *n, const access *a, const index_map *m);
/* With checks: whether the elements lie in the memory that they should be in. */
lane_value gen_range_mask(nest *n, const access *a, const index_map *m);

/* group.c */
void group_add(lower *l, const ir_type *shape, const root *r);
void group_flush(lower *l);
/* The tile in a row-major buffer of this format, now. */
buffer *keep(lower *l, ir_value *v, buffer_format format);
/* Makes the tile a root of the open group: it will be in a buffer when that is flushed. */
void keep_later(lower *l, ir_value *v);
void keep_into(lower *l, ir_value *v, buffer *to);
/* The next values of loop-carried tiles: all are evaluated before any is overwritten. */
void keep_all(lower *l, unsigned count, ir_value **v, buffer **to);
/* One element as an SSA value: of a scalar, or of a constant that is one number everywhere. */
llv scalar_of(lower *l, ir_value *v);
/* Evaluates a one-element expression. */
llv scalar_gen(lower *l, ir_value *v);
/* Before a write at this position: loads that would be evaluated behind it are evaluated now. */
void settle_loads(lower *l, uint32_t order); /* a root there may still do so itself */
/* Before a change of the value's state that holds only in the block that is being lowered. */
void value_changes(lower *l, ir_value *v);

/* A bound on what a group loads or stores, or where something else changes. */
typedef struct bound_use {
  int8_t first; /* of the bits of the iteration that are bounded, one behind the other; -1: others
                 * are, or some of them only */
  uint8_t n;
  llv hi, forced; /* as in access_bound and access */
  llv known;      /* i1: hi is what it should be; NULL: always */
} bound_use;
typedef VEC(bound_use) bound_uses;
/* Which elements exist: bounds, which it appends, and what else must hold for all to exist (NULL:
 * nothing). */
void access_bounds(lower *l, const access *a, const index_map *m, bound_uses *uses, llv *others);

/* mask.c: an i1 that implies that every element of the i1 tile is true; NULL when nothing is known.
 */
llv all_true(lower *l, ir_value *mask);
/* Of a comparison of integers: where along some bits its result changes, which it does once. 1: it
 * is true below, -1: from there on, 0: it is not known to change so. */
int mask_changes(lower *l, ir_op *op, const index_map *m, bound_use *u);
/* What all_true consists of: bounds, which it appends, and other conditions (NULL: true). False:
 * nothing is known. */
bool mask_bounds(lower *l, ir_value *mask, const index_map *m, bound_uses *uses, llv *others);
/* The same; false where it says more of single elements than the bounds do. */
bool mask_is_bounds(lower *l, ir_value *mask, const index_map *m, bound_uses *uses, llv *others);

/* analysis.c: what a group's nest must know about its expressions. */
typedef struct survey {
  lower *l;
  llv holds;      /* the condition of the exact version; NULL: it always holds */
  llv but_bounds; /* the same, but for what the bounds say */
  bound_uses bounds;
  llv chosen;          /* that all selects are their first operand; NULL: nothing is known */
  bound_uses choosing; /* as far as these go they are, if `choosing_if` holds (NULL: it does) */
  llv choosing_if;
  bool choosing_unknown; /* but not all */
  unsigned width;        /* bits of the widest lane */
  uint64_t cost;
  unsigned lane_n;   /* log2 of the lanes */
  unsigned lane_bit; /* the lowest bit of the iteration that lanes are for */
  int turn_bit;      /* that of what is read in other lanes, and turned; -1: nothing is */
  unsigned squares;  /* log2 of the squares beside each other that are turned at once */
  bool reads_along;  /* something is read that needs no turning */
  bool apart;        /* something is read or written element by element */
  bool loads;        /* from memory */
  bool chooses;      /* in the exact version selects are what they are when `chosen` */
  bool nibbles;      /* it loads neighbours of 4 bits along the last dimension */
  bool is_cut;       /* its body, where functions take the long way */
  llv streams;       /* i1: this version's stores go past the cache; NULL: they don't */
  bool shifts;       /* also where rows don't begin with a line */
  upcoming ahead;    /* what the exact version fetches, too */
  uint64_t votes[MAP_BITS];
} survey;
survey survey_group(lower *l, group *g);
/* How a value that is read from memory lies there: its neighbours are along the lanes, or nowhere;
 * or along turn_bit; or it is the same along either. READ_NOTHING: it isn't read. */
typedef enum reading { READ_NOTHING, READ_EITHER, READ_ALONG, READ_TURNED } reading;
reading survey_reading(const survey *s, ir_value *v, const index_map *m);
/* Is the value read from memory, where bit k of its index adds so many elements to the address, and
 * nothing that isn't known? (Loads: in the exact version.) */
bool value_adds(const value *x, unsigned k, int64_t elements);
/* Are most neighbours in memory, of what the group loads and stores, neighbours along the last
 * dimension? */
bool survey_is_along_last(lower *l, group *g);
/* Does the load take neighbours of 4 bits along the lowest bits of the iteration? */
bool access_takes_nibbles(const access *a, const index_map *m);

/* Calls `fn` for every value of the expression below v that has a map; not behind tiles that lie
 * in buffers already. False when `fn` returned false. The maps of concatenated and inserted tiles
 * are vague. */
typedef bool (*visit_fn)(void *user, ir_value *v, const index_map *m);
bool visit_expression(lower *l, ir_value *v, const index_map *m, visit_fn fn, void *user);
bool visit_group(lower *l, group *g, visit_fn fn, void *user);
/* The same, but where `fn` returns false it goes no deeper, but on. */
void visit_from_top(lower *l, ir_value *v, const index_map *m, visit_fn fn, void *user);

/* peel.c: where the exact version makes the iterations of one loop for which everything exists,
 * and the guarded one goes on from there. */
typedef struct loop_parts {
  llv whole;      /* i64: how many the exact version makes */
  int64_t all;    /* that there are */
  unsigned top;   /* as in nest_part, in both versions */
  unsigned first; /* the lowest bit that the exact version's loop counts */
  unsigned finer; /* log2 of the iterations of the guarded version's loop for each of these */
  bool chooses;   /* in these all selects are their first operand */
  llv until; /* i64: behind how many of its iterations the guarded version has nothing to do, or
              * repeats the last one; NULL: it makes all of them */
  bool repeats;
} loop_parts;
/* Bits of the iteration that are lanes or copies: in the exact version, the guarded one, and that
 * which repeats its last iteration. */
typedef struct bits_by_version {
  uint32_t exact, guarded, repeating;
} bits_by_version;
/* False when there is no such loop, or nothing that could be outside. */
bool parts_of(lower *l, const group *g, const survey *s, const bits_by_version *taken,
              loop_parts *out);

/* transpose.c: in the exact version, evaluates for all copies what is read in other lanes. */
void turn_readings(nest *n, const group *g, const survey *s);

/* shuffle.c: in the exact version, the lanes of a value that is read from memory, picked from whole
 * vectors; false where it had better be read as other loads are. */
bool gen_picked(nest *n, ir_value *v, const index_map *m, lane_value *out);
/* Registers of a value whose lanes are about to trade places. Halves that have just been loaded,
 * and may not be for arithmetic only, do so as bits, since the conversion to float keeps of their
 * NaNs what arithmetic needs; true: they are lanes of i32 then, until pick_decoded. */
bool pick_bits(lower *l, const ir_value *v, llv *x, unsigned count);
llv pick_decoded(lower *l, llv bits);

/* write_combine.c: whether the exact version's stores may be put together to lines, when `taken`
 * are its lanes and copies. */
bool lines_may_shift(lower *l, const group *g, const survey *s, uint32_t taken);
/* A body's stores to neighbours along a row, `count` vectors, each `stride` behind the one before.
 */
void lines_store(nest *n, const late_store *x, unsigned count, unsigned stride);

enum { STREAM_BYTES = 32 << 20 }; /* of a launch, from which on stores go past the cache */

/* streaming.c: an i1, whether the exact version's stores had better go past the cache; NULL: never.
 */
llv stream_condition(lower *l, group *g, const survey *s);
/* An i1: do tile blocks that store so many bytes each time they come there store much, so that it
 * goes past the cache? NULL: it doesn't. */
llv stream_is_much(lower *l, const ir_op *store, int64_t tile_bytes);
/* The same without regard to rows that are parked. may_read: of loops it counts only those that
 * store what the kernel doesn't read. */
llv stream_is_large(lower *l, const ir_op *store, int64_t tile_bytes, bool may_read);
/* An i1: do tile blocks that load or store so many bytes each time they come there take at least
 * `bytes` together? */
llv launch_takes(lower *l, const ir_op *op, int64_t tile_bytes, int64_t bytes, bool may_read);

/* write_prefetch.c: the store to a view behind `from`, of which all that says where it goes stands
 * before that; NULL: there is none. And where the one behind the group will put as many elements.
 */
ir_op *store_behind(lower *l, ir_op *from);
upcoming ahead_of(lower *l, const group *g);

/* alias.c: before the group's nest, makes sure that its stores do not disturb its loads. */
void alias_separate(lower *l, group *g);
/* Evaluates a lazy load into the buffer, in little code that assumes nothing about the load. */
void copy_load(lower *l, ir_value *v, buffer *b);
/* The same if an i1 says so. Returns the block in which that ends. */
llblock copy_when(lower *l, llv condition, ir_value *v, buffer *b);

/* scan.c */
void lower_scan(lower *l, ir_op *op);

/* reduce.c */
void lower_reduce(lower *l, ir_op *op);
/* What bodies of reduce and scan may consist of; false when anything else has been reported. */
bool body_check(lower *l, ir_op *op);
/* The body on lanes: args are (current, previous) per operand. */
void body_emit(lower *l, ir_op *op, llv *args, llv *results);
/* The accumulators of a reduce root in a nest. */
typedef struct reduction {
  nest *n;
  root *r;
  unsigned count, copies; /* operands, unrolled copies */
  unsigned level;         /* of the loop over the reduced dimension; n_levels: there is none */
  bool neutral;           /* the identities change nothing, so every accumulator may start there */
  llv acc[MAX_UNROLL][MAX_REDUCED];
  llv phi[MAX_UNROLL][MAX_REDUCED];
  /* Where the nest repeats its last iteration: what it took, and what it gave. */
  llv taken[MAX_UNROLL][MAX_REDUCED], given[MAX_UNROLL][MAX_REDUCED];
} reduction;
/* The bits of the reduced dimension in the iteration; of a product: of k in its right operand. */
void reduce_bits(const ir_op *op, unsigned *first, unsigned *n);
llv reduce_identity(lower *l, const ir_op *op, unsigned k); /* a scalar */
/* What accumulators of a neutral reduction start from. */
void reduce_starts(lower *l, const ir_op *op, unsigned lanes, llv *out);
/* Does the body do nothing with its arguments for operand k but arithmetic, which doesn't tell NaNs
 * apart? Then accumulators may hold any NaN, and the canonical one is put in at the end. */
bool reduce_takes_any_nan(const ir_op *op, unsigned k);
/* The body on accumulators, which are args[2 * k + 1]. One that started from an identity holds what
 * arithmetic gave, and is handed over as that (see lanes_any_nan). */
void reduce_accumulate(lower *l, ir_op *op, llv *args, llv *acc);
/* May all accumulators start from the identities? If not, they start from the first elements. */
bool reduce_is_neutral(const ir_op *op);
void reduce_begin(reduction *x, nest *n, root *r, unsigned level);
/* Does it make a difference how often the body takes an element? */
bool reduce_counts(const ir_op *op);
/* In the loop of nest_repeat, what the last iteration took once more. `changes`: an i1 in each
 * lane, to which it adds where an accumulator changes; NULL: none so far. */
llv reduce_repeat(reduction *x, llv changes);
void reduce_step(reduction *x, unsigned copy, const index_map *m);
/* A reduce to one element leaves its lanes in the root's `scalars`; reduce_finish, behind all
 * versions of the nest, makes them one. */
void reduce_end(reduction *x);
void reduce_finish(lower *l, root *r);

/* skinny.c: products whose right operand is evaluated in registers. All roots of a group are such
 * products, or none. */
enum { THIN_ROWS = 16 };
typedef struct thin {
  nest *n;
  root *r;
  unsigned level; /* of the loop over k; n_levels: there is none */
  unsigned rows, copies;
  llv sum[MAX_UNROLL][THIN_ROWS], phi[MAX_UNROLL][THIN_ROWS];
} thin;
/* May the two share a nest? Must they have one each nevertheless, without digits? */
bool thin_shares(lower *l, const root *a, const root *b);
bool thin_splits(lower *l, const group *g);
/* log2 of the copies of the body that have accumulators in registers. */
unsigned thin_copies(lower *l, const group *g, unsigned lane_count);
void thin_begin(thin *x, nest *n, root *r, unsigned level);
void thin_step(thin *x, unsigned copy, const index_map *m);
void thin_end(thin *x);

/* fixed_point.c: such products as sums of products of bytes. All roots of a group are, or none. */
enum { DIGITS_MOST = 3 }; /* of 8 bits, with a sign each */
typedef struct digit_table {
  uint8_t u[16];  /* the number of the lookup is (u[i] - bias) * step */
  int bias, most; /* most: of |u - bias| */
  int flips;      /* u[i] = i ^ flips; -1: it isn't */
  double step;    /* a power of two */
} digit_table;
typedef struct digit_root {
  const root *r;
  ir_value *from;
  unsigned halves; /* 2: each byte of `from` is two columns, the low half first */
  bool high;       /* with one: the column is in the high half */
  bool canonical;  /* so is every NaN that the product is added to, or may be as it is */
  digit_table table;
} digit_root;
typedef struct digits {
  lower *l;
  const group *g;
  unsigned n_roots, halves;
  digit_root roots[2];
  int64_t m, n, k; /* of the product */
  unsigned line;   /* bytes of a vector, and of b's rows that are multiplied at a time */
  unsigned team;   /* rows that are: 1 where there are 16 registers, else 2 */
  unsigned bits;   /* of the left operand's elements */
  buffer *to;      /* the left operand in digits */
  llv is_long;     /* with one row, an i1: it takes all digits, and not two */
  /* With more: the numbers of the rows (i64), those with two digits first, those of zeros last;
   * teams of rows that are not all zeros; those with two digits. */
  llv order, teams, short_teams;
} digits;
/* The largest u: two products with digits must fit into what adds them up, which without VNNI are
 * 16 bits. */
unsigned digits_most_u(const lower *l);
bool digits_fit(lower *l, const group *g, digits *d);
/* Would the product, or the two, fit as a group? */
bool digits_fit_alone(lower *l, ir_op *op);
bool digits_share(lower *l, const root *a, const root *b);
/* Writes down the left operand; gives an i1 that says whether that is exact. */
llv digits_write(digits *d);
/* What is kept of a row: its digits, all lowest ones first; the unit, an f32, and the sum of its
 * elements in units, an i32. */
static inline int64_t digits_unit_at(const digits *d) {
  return DIGITS_MOST * d->k;
}
static inline int64_t digits_sum_at(const digits *d) {
  return digits_unit_at(d) + 4;
}
static inline int64_t digits_row_bytes(const digits *d) {
  return (digits_unit_at(d) + 8 + 15) / 16 * 16;
}

/* byte_dot.c. Where the left operand is in digits, and in the exact version: all of the group. */
enum { PANEL_GROUP = 4, PANEL_MOST = 64 }; /* bytes of b along k that are one lane; of a vector */
void panel_multiply(digits *d);

/* profile.c: code between begin and end is measured, when the options say so. */
typedef struct profile_span {
  llv ticks, runs; /* the counters; NULL: nothing is measured */
  llv start, outer;
} profile_span;
profile_span profile_begin_block(lower *l);
profile_span profile_begin_group(lower *l, group *g); /* before anything of it is emitted */
profile_span profile_begin_op(lower *l, ir_op *op);   /* a matrix product or a scan */
/* The operation that was begun last only prepares: its work is measured as profile_begin_work. */
void profile_put_off(lower *l);
profile_span profile_begin_work(lower *l, ir_op *op);
void profile_end(lower *l, const profile_span *s);
/* The same, of work that was put off `times` times (i64). */
void profile_end_work(lower *l, const profile_span *s, llv times);
void profile_end_block(lower *l, const profile_span *s);

/* grid.c */
/* Does the value depend on the tile block's place along x (0), y or z? A guess where control flow
 * is involved: it decides what is faster, nothing else. */
bool grid_follows(const ir_value *v, unsigned dim);
/* The same of another value. */
bool value_follows(const ir_value *v, const ir_value *on);
/* The launch's extent along a dimension of the grid, as i64. */
llv grid_extent(lower *l, unsigned dim);
/* The same, of the tile block's place. */
llv grid_place(lower *l, unsigned dim);
/* The order in which the kernel's tile blocks are best executed. */
grid_order grid_order_of(const lower *l);

/* prefetch.c: sets the load's step, next, again and late; and how far from what an earlier loop has
 * loaded, too, a nest should fetch, an i64. Near: for the first-level cache. */
void warm_find(lower *l, const ir_op *op, access *a);
/* Sets `across` of a store through pointers, as far as it is known. */
void warm_across(lower *l, const ir_op *op, access *a);
llv warm_distance(nest *n, const access *a, bool near);

/* row_forward.c: in front of a loop, whether what it stores is parked. Where a load or store goes
 * then. Has the store to do with such a row? Then, when it goes past the cache: an i1; NULL: never.
 */
void park_begin(lower *l, const ir_op *loop);
void park_access(lower *l, const ir_op *op, access *a);
bool park_streams(lower *l, const ir_op *store, llv *when);

/* control.c */
void lower_if(lower *l, ir_op *op);
void lower_for(lower *l, ir_op *op);
void lower_loop(lower *l, ir_op *op);
void lower_jump(lower *l, ir_op *op);
/* How often a `for` runs if that is not much, as an i64: to decide what is faster. */
llv for_rounds(lower *l, const ir_op *loop);
/* Do the two count through the same numbers? */
bool for_same_rounds(const ir_op *a, const ir_op *b);

/* matrix.c */
void lower_mma(lower *l, ir_op *op);
void lower_mma_scaled(lower *l, ir_op *op);

/* effects.c */
void lower_print(lower *l, ir_op *op);
void lower_assert(lower *l, ir_op *op);
void lower_atomic(lower *l, ir_op *op);
void lower_ordered_load(lower *l, ir_op *op, access *a);
void lower_ordered_store(lower *l, ir_op *op, access *a);

/* ---- checks.c ------------------------------------------------------------------------------- */

/* In front of an operation, when cpu_options.checks asks for it. check_access comes between
 * access_prepare and the first use of the access. */
void check_access(lower *l, ir_op *op, access *a);
void check_slice(lower *l, ir_op *op); /* of extract, insert */
void check_assume(lower *l, ir_op *op);
/* An alloca's address, anywhere behind it. */
llv alloca_address(lower *l, const alloca_memory *m);

#endif
