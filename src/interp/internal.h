/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Inside the interpreter. A kernel is prepared once (prepare.c) into a list of instructions: one
 * per operation, with structured control flow turned into jumps. Executing a tile block is a loop
 * over them (interp.c). What an operation means is the function its instruction calls:
 *
 *   elementwise.c   the call of exec_elementwise_run          memory.c   loads, stores, atomics
 *   shape.c         constants, and moving elements about      views.c    tiles of tensor views
 *   reduce.c        reduce and scan                           effects.c  print, assert, the grid
 *   mma.c           matrix products                           control.c  jumps, branches, loops
 *   block.c         the block level: shared memory, tiles at any offset of a view
 *   crew.c          its groups of threads, as coroutines
 *   cluster.c       clusters: memory of other tile blocks, their common barrier
 *   barriers.c      what they wait at
 *   late.c          copies that arrive later than they begin
 *
 * Every value has a slot: a place in the frame, the memory of one running tile block.
 *
 *   tile          its elements in row-major order, packed as in memory (tsr_elem_storage)
 *   tensor view   uint64_t: base address, extent of each dimension, stride of each dimension
 *   subview       what the tensor view below it has; all else is in its type
 *   shared memory a shared_part
 *   tensor map    as its tensor view
 *   async tile    its elements, as they will be; then a number for watchers (async_set)
 *   mbarrier      uint64_t: address of the first interp_mbarrier
 *   token         nothing: operations are executed in program order (a watcher's number, if the
 *                 kernel is watched: interp/watch.h)
 */
#ifndef TSR_INTERP_INTERNAL_H
#define TSR_INTERP_INTERNAL_H

#include "exec/block.h"
#include "interp/interp.h"
#include "interp/watch.h"
#include "num/num.h"

typedef struct crew crew;

typedef size_t slot; /* an offset in the frame */

typedef void (*inst_fn)(frame *f, const inst *i);

/* A value that a jump hands over: yield, continue, break, and entering a loop. */
typedef struct move {
  slot from, to;
  size_t bytes;
} move;

struct inst {
  inst_fn run;
  const ir_op *op;
  const slot *in, *out; /* of the operation's operands and results */
  int64_t count;        /* elements of the first result: its type's, times the lanes */
  slot temp;            /* room that the instruction may use while it runs */
  uint32_t target;      /* jumps: the instruction that follows */
  bool starts;          /* the operation; its other instructions continue it */
  inst_fn plain;        /* of a watched kernel: what `run` is otherwise */
  union {
    exec_elementwise elementwise;
    struct { /* jumps */
      const move *moves;
      uint32_t n_moves;
      bool staged; /* a move overwrites what a later one reads: all go through temp */
    } jump;
    struct { /* reduce, scan: their body is the code after them, up to a stop */
      const slot *args;
      int64_t lanes;
    } body;
    uint32_t global;   /* get_global: which one */
    const char *where; /* assert */
    struct {
      slot memory;
      uint64_t align;
    } alloca;
  };
};

struct frame {
  char *memory;
  rt_block *block;
  const interp_program *program;
  uint32_t pc;          /* the instruction to execute next */
  bool halted;          /* execute nothing more */
  bool may_wait, waits; /* others get a turn when it waits; it does: continue at `resume` */
  uint32_t resume;
  uint32_t same;      /* how often in a row an ordered access has seen the same … */
  uint64_t last_seen; /* … which is this, hashed … */
  uint64_t seen_at;   /* … from this address on */
  interp_watcher *watcher;
  crew *crew;           /* block level: its threads may go separate ways; NULL */
  int32_t first, count; /* block level: the threads that execute */
  const inst *waits_at; /* likewise: others get a turn, then this is executed again */
  bool passed;          /* likewise: it has gone on since its turn began */
  bool arrived;         /* at a named barrier, when this many meetings had been there */
  uint32_t meeting;
  uint32_t rank; /* in its cluster: memory is in the same place of that of the others */
  uint32_t to;   /* of the tile block whose shared memory a copy writes; its own otherwise */
};

#define PC_STOP UINT32_MAX

struct interp_program {
  tsr_context *ctx;
  arena arena;   /* everything of the program */
  arena scratch; /* only while it is prepared */
  place at;      /* of the kernel, for messages */
  ir_module *module;
  ir_op *entry;
  const inst *code;
  uint32_t n_code;
  size_t frame_size;
  size_t align;      /* of shared memory, the largest */
  uint32_t cluster;  /* tile blocks that are executed together; their frames follow each other */
  const slot *slots; /* watched: of each value, by its number */
  bool crew;         /* its threads go separate ways, or its copies arrive later */
  interp_copies copies;
  uint64_t seed;
  bool stuck; /* a tile block whose threads all wait was given up */
  char *idle; /* a frame that is not in use; exchanged atomically */
};

/* What a value of shared memory is: the allocation, and where in it index 0 of the part lies before
 * the swizzle, in elements. */
typedef struct shared_part {
  uint64_t base;
  int64_t offset;
} shared_part;

/* Behind the elements of an async tile: the set of products that gives it. */
static inline size_t async_set(const ir_type *t) {
  return (tsr_elem_storage((tsr_elem)t->elem, (size_t)t->count) + 7) / 8 * 8;
}

/* Called by ordered loads and atomics when they have loaded `bytes` to result 0 from `address`. */
void note_seen(frame *f, const inst *i, uint64_t address, size_t bytes);

/* Lets others go on, and executes the instruction again afterwards. */
void wait_here(frame *f, const inst *i);

/* Executes from `start` to the next stop. */
void interp_execute(frame *f, uint32_t start);

/* The function of an operation that is neither structure nor a token; NULL for others. */
inst_fn interp_function(op_code opcode);

/* ---- slots ---------------------------------------------------------------------------------- */

static inline void *at(const frame *f, slot s) {
  return f->memory + s;
}
static inline const ir_type *in_type(const inst *i, uint32_t k) {
  return ir_operand(i->op, k)->type;
}
static inline const ir_type *out_type(const inst *i, uint32_t k) {
  return ir_result(i->op, k)->type;
}
/* The position among all operands of the first of a group; UINT32_MAX when the group is empty. */
static inline uint32_t in_group(const inst *i, unsigned group) {
  uint32_t first = 0;
  for (unsigned g = 0; g < group; g++) first += i->op->segments[g];
  return i->op->segments[group] ? first : UINT32_MAX;
}
/* The elements of an optional operand's tile; NULL when it is absent. */
static inline const void *in_optional(const frame *f, const inst *i, unsigned group) {
  uint32_t k = in_group(i, group);
  return k == UINT32_MAX ? NULL : at(f, i->in[k]);
}

/* Element `index` of packed elements, as a pattern. `bits` as tsr_elem_bits says. */
static inline uint64_t get_element(const void *elements, unsigned bits, int64_t index) {
  const char *p = elements;
  uint16_t v16;
  uint32_t v32;
  uint64_t v64;
  switch (bits) {
  case 4: return (uint64_t)(uint8_t)p[index / 2] >> (index % 2 ? 4 : 0) & 0xf;
  case 16: return memcpy(&v16, p + index * 2, 2), v16;
  case 32: return memcpy(&v32, p + index * 4, 4), v32;
  case 64: return memcpy(&v64, p + index * 8, 8), v64;
  case 1: return p[index] != 0;
  case 8: return (uint8_t)p[index];
  default: return num_bits_get(p, (size_t)index, bits);
  }
}
static inline void set_element(void *elements, unsigned bits, int64_t index, uint64_t pattern) {
  char *p = elements;
  switch (bits) {
  case 4: {
    uint8_t *pair = (uint8_t *)p + index / 2;
    *pair = index % 2 ? (uint8_t)((*pair & 0x0f) | pattern << 4)
                      : (uint8_t)((*pair & 0xf0) | (pattern & 0xf));
    break;
  }
  case 16: memcpy(p + index * 2, &(uint16_t){(uint16_t)pattern}, 2); break;
  case 32: memcpy(p + index * 4, &(uint32_t){(uint32_t)pattern}, 4); break;
  case 64: memcpy(p + index * 8, &pattern, 8); break;
  case 2:
  case 3:
  case 5:
  case 6:
  case 7: num_bits_set(p, (size_t)index, bits, pattern); break;
  default: p[index] = (char)pattern; break;
  }
}

/* The only element of a scalar, zero-extended. */
static inline uint64_t get_scalar(const frame *f, const inst *i, uint32_t operand) {
  return get_element(at(f, i->in[operand]), tsr_elem_bits((tsr_elem)in_type(i, operand)->elem), 0);
}
/* Into result k, truncated to its width. */
static inline void set_scalar(const frame *f, const inst *i, uint32_t k, uint64_t value) {
  unsigned bits = tsr_elem_bits((tsr_elem)out_type(i, k)->elem);
  set_element(at(f, i->out[k]), bits, 0, num_wrap(value, bits));
}

/* Copies n elements; positions and steps count elements. A step of 0 in `from` repeats one. */
void copy_elements(unsigned bits, void *to, int64_t to_first, int64_t to_step, const void *from,
                   int64_t from_first, int64_t from_step, int64_t n);

/* ---- the operations' functions -------------------------------------------------------------- */

void run_elementwise(frame *f, const inst *i);

void run_constant(frame *f, const inst *i);
void run_iota(frame *f, const inst *i);
void run_copy(frame *f, const inst *i); /* reshape, assume, make_*_view but of tensors */
void run_broadcast(frame *f, const inst *i);
void run_permute(frame *f, const inst *i);
void run_cat(frame *f, const inst *i);
void run_extract(frame *f, const inst *i);
void run_insert(frame *f, const inst *i);
void run_pack(frame *f, const inst *i);
void run_unpack(frame *f, const inst *i);

void run_reduce(frame *f, const inst *i);
void run_scan(frame *f, const inst *i);

void run_mmaf(frame *f, const inst *i);
void run_mmai(frame *f, const inst *i);
void run_mmaf_scaled(frame *f, const inst *i);
size_t mma_temp_bytes(const ir_op *op);

void run_load_ptr(frame *f, const inst *i);
void run_store_ptr(frame *f, const inst *i);
void run_atomic_cas(frame *f, const inst *i);
void run_atomic_rmw(frame *f, const inst *i);
void run_alloca(frame *f, const inst *i);
void run_get_global(frame *f, const inst *i);
/* One element of memory. `ordering` is an ir_ordering. */
uint64_t load_memory(const char *address, unsigned bits, int64_t ordering);
void store_memory(char *address, unsigned bits, uint64_t pattern, int64_t ordering);
void store_half(uint8_t *byte, unsigned half,
                uint64_t pattern); /* a 4-bit element; half 0 is low */
uint64_t atomic_update(char *address, tsr_elem elem, ir_rmw mode, uint64_t argument);
/* Compares all bits: -0 is not +0, and a NaN is itself. Returns whether it wrote; `seen` gets what
 * was there. */
bool compare_exchange(char *address, unsigned bits, uint64_t expected, uint64_t desired,
                      uint64_t *seen);

void run_make_tensor_view(frame *f, const inst *i);
void run_get_tensor_shape(frame *f, const inst *i);
void run_get_index_space_shape(frame *f, const inst *i);
void run_load_view(frame *f, const inst *i);
void run_store_view(frame *f, const inst *i);
void run_atomic_red_view(frame *f, const inst *i);
/* For watchers. A place in memory counts half bytes: an address times two, and 1 for the high half
 * of a byte. No memory lies in the upper half of the addresses: they are all UNIT_WILD. */
#define UNIT_NONE UINT64_MAX
#define UNIT_WILD (UINT64_MAX - 1)
static inline uint64_t unit_of(uint64_t address, unsigned half) {
  return address >> 63 ? UNIT_WILD : 2 * address + half;
}
/* Where each element of the tile that a view operation accesses lies; UNIT_NONE for those outside
 * of the tensor view. */
void view_units(frame *f, const inst *i, uint64_t *units);
/* Whether all of that tile lies inside the tensor view along tile dimension d. */
bool view_stays_inside(frame *f, const inst *i, unsigned d);
/* Of dimension d of a tile view: how many indices there are; along the sparse dimension, how many
 * places to gather from. `view` is what its slot holds. */
uint64_t view_index_space(const ir_type *t, const uint64_t *view, unsigned d);
uint64_t view_padding(const ir_type *t);              /* what elements outside load as */
uint64_t padding_pattern(int padding, tsr_elem elem); /* of an ir_padding, or -1 for none */

void run_reinterpret(frame *f, const inst *i);
/* The first element that comes out differently in two threads which hold it; -1. */
int64_t reinterpret_differs(frame *f, const inst *i, int32_t *thread, int32_t *other);
void run_alloc_shared(frame *f, const inst *i);
void run_alloc_mbarrier(frame *f, const inst *i);
void run_mbarrier_init(frame *f, const inst *i);
void run_mbarrier_arrive(frame *f, const inst *i);
void run_mbarrier_expect(frame *f, const inst *i);
void run_mbarrier_arrive_expect(frame *f, const inst *i);
void run_mbarrier_wait(frame *f, const inst *i);
void run_barrier_arrive(frame *f, const inst *i);
void run_barrier_wait(frame *f, const inst *i);
void run_subview(frame *f, const inst *i);
void run_load_shared(frame *f, const inst *i);
void run_store_shared(frame *f, const inst *i);
void run_load_global(frame *f, const inst *i);
void run_store_global(frame *f, const inst *i);
void run_cp_async(frame *f, const inst *i);
/* Where each element of the tile lies that such an operation moves, in row-major order: in its
 * allocation, in elements; in global memory as an address and a part of a byte (UNIT_NONE outside
 * of the view). For watchers. */
void shared_offsets(frame *f, const inst *i, unsigned group, int64_t *offsets);
void global_units(frame *f, const inst *i, uint64_t *units);
/* Whether it stores to a window, copies one to shared memory or updates one atomically; others load
 * one. */
bool stores_window(op_code opcode);
bool copies_window(op_code opcode);
bool updates_window(op_code opcode);
/* Of an atomic update at the block level: what it does to element k, which lies at the address; it
 * returns what was there. And what the element gives that is left out. */
uint64_t update_element(frame *f, const inst *i, char *address, int64_t k);
uint64_t update_left_out(frame *f, const inst *i, int64_t k);
void run_atomic_shared(frame *f, const inst *i);
void run_atomic_global(frame *f, const inst *i);
void run_philox(frame *f, const inst *i);
void run_get_cluster_rank(frame *f, const inst *i);
void run_map_remote(frame *f, const inst *i);
void run_cluster_arrive(frame *f, const inst *i);
void run_cluster_wait(frame *f, const inst *i);
void run_cluster_barrier(frame *f, const inst *i);
void run_store_async(frame *f, const inst *i);
void run_bulk_copy(frame *f, const inst *i);
void copy_shared(frame *f, const inst *i); /* bulk_copy without its bytes */
void run_tensor_load(frame *f, const inst *i);
void run_tensor_store(frame *f, const inst *i);
void run_wgmma(frame *f, const inst *i);

void run_get_tile_block_id(frame *f, const inst *i);
void run_get_num_tile_blocks(frame *f, const inst *i);
void run_print(frame *f, const inst *i);
void run_assert(frame *f, const inst *i);

/* Control flow: instructions without an operation of their own. */
void run_parameters(frame *f, const inst *i); /* out: the kernel's parameters */
void run_jump(frame *f, const inst *i);
void run_branch(frame *f, const inst *i);   /* in: a condition; to the target when it is false */
void run_for_test(frame *f, const inst *i); /* in: iteration variable, upper bound */
void run_for_step(frame *f, const inst *i); /* in: iteration variable, step */
void run_stop(frame *f, const inst *i);
void run_fork(frame *f, const inst *i); /* a group begins with what follows; others to the target */
void run_join(frame *f, const inst *i); /* waits for the groups begun by these threads */
void run_nothing(frame *f, const inst *i);
void run_watched(frame *f, const inst *i); /* hands `plain` to the watcher */

#endif
