/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * ir: the intermediate representation, Tile IR in memory.
 *
 * A module owns everything: types, operations, names, locations, its source text. All of it lies
 * in the module's arena and is freed with it. Pointers into a module stay valid until then.
 *
 *   ir_module ── op (OP_MODULE) ── region[0]: block ── op (OP_GLOBAL) …
 *                                                   └─ op (OP_ENTRY) ── region[0]: block
 *                                                        args: values        ├─ op ── op ── op …
 *
 * - An *operation* (ir_op) is an instance of a row of the operation table (ops.def): its operands
 *   are uses of values, its results are values, its attributes fill the row's attribute slots, and
 *   its regions hold one block each (Tile IR has no branches; a region is a block or absent).
 * - A *value* is the result of an operation or an argument of a block. Uses of a value are linked,
 *   so that it can be replaced everywhere.
 * - A *type* is interned per module: equal types are the same pointer.
 *
 * In tests a text may hold operations without a module around them, or several modules: then `op`
 * is a module that the text doesn't have (`implicit`), and the others lie in it.
 *
 * Nothing here checks that a program is valid; ir/verify.h does. Code after the verifier may rely
 * on what it establishes.
 */
#ifndef TSR_IR_IR_H
#define TSR_IR_IR_H

#include <tessera/elem.h>

#include "base/base.h"
#include "ir/ops.h"

typedef struct ir_module ir_module;
typedef struct ir_op ir_op;
typedef struct ir_block ir_block;
typedef struct ir_value ir_value;
typedef struct ir_use ir_use;
typedef struct ir_type ir_type;

/* ---- types ---------------------------------------------------------------------------------- */

typedef enum ir_type_kind {
  IR_NUMBER,  /* i32, f16, …: only inside attributes and the bytecode's type table */
  IR_POINTER, /* ptr<f32>: likewise; the element type of a tile of pointers is TSR_PTR + pointee */
  IR_TILE,
  IR_TOKEN,
  IR_TENSOR_VIEW,
  IR_PARTITION_VIEW,
  IR_STRIDED_VIEW,
  IR_GATHER_SCATTER_VIEW,
  IR_SHARED,     /* block level: a piece of shared memory */
  IR_MBARRIER,   /* block level: barriers in shared memory, `count` of them */
  IR_TENSOR_MAP, /* block level: a view of global memory for the copy engine */
  IR_ASYNC,      /* block level: a tile (`view`) that a matrix unit still computes */
  IR_FUNCTION,
} ir_type_kind;

static inline bool ir_elem_is_number(unsigned elem) {
  return elem < TSR_ELEM_COUNT && elem != TSR_PTR;
}

#define IR_DYNAMIC INT64_MIN /* '?' in a tensor_view's shape or strides */

enum {
  IR_MAX_RANK = 64,        /* no type of a higher rank is accepted */
  IR_MAX_TILE = 16777216,  /* no tile of more elements */
  IR_MAX_SHARED = 1 << 26, /* no shared memory of more elements */
  IR_MAX_MBARRIERS = 1024, /* no array of more of them */
};

struct ir_type {
  uint8_t kind;         /* ir_type_kind */
  uint8_t elem;         /* tsr_elem: of a number, tile, tensor_view and (copied) of its subviews */
  uint8_t pointee;      /* tsr_elem: of a pointer, and of a tile whose elem is TSR_PTR */
  uint8_t rank;         /* tile, tensor_view, and of a subview's tile */
  int8_t padding;       /* ir_padding of a subview, -1 when absent */
  uint8_t ptr_attr;     /* pointer, tile of pointers, tensor_view: 1 + ir_ptr_attr; 0: none given */
  uint8_t sparse_dim;   /* gather_scatter_view */
  bool remote;          /* shared, mbarrier: of another tile block of the cluster */
  uint32_t id;          /* dense, in order of creation in the module */
  int64_t count;        /* tile, and a subview's tile: the number of elements */
  const int64_t *shape; /* tile and tensor_view; a subview's tile shape */
  const int64_t *strides;       /* tensor_view: in elements; strided_view: traversal strides */
  const int32_t *dim_map;       /* partition_view, strided_view: tile dimension -> view dimension */
  const ir_type *view;          /* a subview's tensor_view; of an async its tile */
  const ir_type *const *params; /* function: inputs, then results */
  uint32_t n_inputs, n_results; /* function */
  const ir_type *tile;          /* a subview: the tile type that loads give; NULL in other kinds */
  const struct tsr_layout *layout;        /* block level: which thread of the group holds which
                                             element of a tile; NULL: it is not said */
  const struct tsr_memory_layout *memory; /* shared: where an index lies, in elements */
};

const ir_type *ir_number(ir_module *m, tsr_elem elem);
const ir_type *ir_pointer(ir_module *m, tsr_elem pointee);
const ir_type *ir_token(ir_module *m);
/* `pointee` matters only when elem is TSR_PTR. Ranks up to IR_MAX_RANK. */
const ir_type *ir_tile(ir_module *m, tsr_elem elem, tsr_elem pointee, unsigned rank,
                       const int64_t *shape);
const ir_type *ir_scalar(ir_module *m, tsr_elem elem); /* a tile of rank 0 */
/* Same shape and layout. */
const ir_type *ir_tile_like(ir_module *m, const ir_type *t, tsr_elem elem);
/* A tile of the same elements with another shape, and without a layout. */
const ir_type *ir_tile_reshaped(ir_module *m, const ir_type *t, unsigned rank,
                                const int64_t *shape);
const ir_type *ir_tensor_view(ir_module *m, tsr_elem elem, unsigned rank, const int64_t *shape,
                              const int64_t *strides);
/* A pointer, a tile of pointers or a tensor_view with another ptr_attr (as in ir_type); any other
 * type as it is. */
const ir_type *ir_with_ptr_attr(ir_module *m, const ir_type *t, uint8_t ptr_attr);
/* `dim_map` NULL means the identity. `padding` -1 means none. */
const ir_type *ir_partition_view(ir_module *m, unsigned rank, const int64_t *tile,
                                 const ir_type *view, const int32_t *dim_map, int padding);
const ir_type *ir_strided_view(ir_module *m, unsigned rank, const int64_t *tile,
                               const int64_t *traversal, const ir_type *view,
                               const int32_t *dim_map, int padding);
const ir_type *ir_gather_scatter_view(ir_module *m, unsigned rank, const int64_t *tile,
                                      const ir_type *view, unsigned sparse_dim, int padding);
/* The same tile held as `layout` says (copied); NULL: without a layout. Layouts are interned, too:
 * equal maps are the same pointer (ir/block/layouts.h). */
const ir_type *ir_with_layout(ir_module *m, const ir_type *tile, const struct tsr_layout *layout);
/* Shared memory of the shape that `memory` (copied) has. */
const ir_type *ir_shared(ir_module *m, tsr_elem elem, const struct tsr_memory_layout *memory);
/* `count` barriers in shared memory. */
const ir_type *ir_mbarrier(ir_module *m, int64_t count);
/* Shared memory or barriers, which another tile block of the cluster has; or, with `remote` false,
 * this one. */
const ir_type *ir_remote(ir_module *m, const ir_type *t, bool remote);
/* Boxes of the shape that `memory` (copied) has, which lie like that in shared memory. */
const ir_type *ir_tensor_map(ir_module *m, tsr_elem elem, const struct tsr_memory_layout *memory);
const ir_type *ir_async(ir_module *m, const ir_type *tile);
const ir_type *ir_function(ir_module *m, uint32_t n_inputs, uint32_t n_results,
                           const ir_type *const *params);

static inline bool ir_is_tile(const ir_type *t) {
  return t->kind == IR_TILE;
}
static inline bool ir_is_scalar(const ir_type *t) {
  return t->kind == IR_TILE && t->rank == 0;
}
static inline bool ir_is_subview(const ir_type *t) {
  return t->kind >= IR_PARTITION_VIEW && t->kind <= IR_GATHER_SCATTER_VIEW;
}
bool ir_same_shape(const ir_type *a, const ir_type *b);
/* Of tiles: whether their elements have one type, pointers with all that is said of them. */
static inline bool ir_same_elem(const ir_type *a, const ir_type *b) {
  return a->elem == b->elem && a->pointee == b->pointee && a->ptr_attr == b->ptr_attr;
}

/* Why this type may not exist (a dimension that is no power of two, a wrong dim_map …), as a
 * sentence in `out`; NULL when it is fine. Parsers call it before they accept a type. */
const char *ir_type_problem(arena *a, const ir_type *t);

/* ---- locations ------------------------------------------------------------------------------ */

/* Index into ir_module.locs; 0 is "unknown". */
typedef uint32_t ir_loc;

typedef enum ir_loc_kind {
  IR_LOC_UNKNOWN,
  IR_LOC_FILE,     /* file:line:column, where the operation was written */
  IR_LOC_DEBUG,    /* di_loc: a file location in a debug scope */
  IR_LOC_CALLSITE, /* callee `inner` called at `outer` */
  IR_LOC_FUSED,    /* a list of locations: `inner`, then the rest by `outer` */
  IR_LOC_NAMED,    /* `name`, at `inner` */
} ir_loc_kind;

typedef struct ir_loc_info {
  uint8_t kind;
  uint32_t line, column; /* FILE */
  uint32_t scope;        /* DEBUG: 1 + index into ir_module.scopes; 0: none */
  ir_loc inner, outer;
  const char *file; /* FILE: the name; NAMED: the name */
} ir_loc_info;

/* A debug scope (di_file, di_compile_unit, di_subprogram, di_lexical_block). */
typedef enum ir_scope_kind {
  IR_SCOPE_FILE,
  IR_SCOPE_UNIT,
  IR_SCOPE_SUBPROGRAM,
  IR_SCOPE_BLOCK
} ir_scope_kind;

typedef struct ir_scope {
  uint8_t kind;
  const char *name;            /* file name; subprogram name */
  const char *directory;       /* file */
  const char *linkage_name;    /* subprogram */
  uint32_t file, unit, parent; /* 1 + index into ir_module.scopes; 0: none */
  uint32_t line, column, scope_line;
} ir_scope;

ir_loc ir_loc_file(ir_module *m, const char *file, uint32_t line, uint32_t column);
ir_loc ir_loc_add(ir_module *m, ir_loc_info info);
/* Where to point in a message: the innermost file location, quoting the module's source when it
 * is from there. */
place ir_place(const ir_module *m, ir_loc loc);

/* A place in a chain of calls; `function` is the one of its debug scope, NULL when there is none.
 */
typedef struct ir_frame {
  place at;
  const char *function;
} ir_frame;

enum { MAX_IR_FRAMES = 16 };

/* The places that a location names: the innermost first, then, for call sites, where each was
 * called from. Returns how many, at most `max`; places without a line are left out. */
unsigned ir_frames(const ir_module *m, ir_loc loc, ir_frame *out, unsigned max);
/* The same as text, a line for each: "file:line:column", and after a tab the function where that
 * is known. NULL when there is no place. */
const char *ir_where(arena *a, const ir_module *m, ir_loc loc);

/* ---- attributes ----------------------------------------------------------------------------- */

/* What an attribute slot of an operation holds; its kind is in the operation's row. */
typedef union ir_attr {
  int64_t i;                            /* ATTR_INT, ATTR_BOOL, ATTR_UNIT (1), and every enum */
  str s;                                /* ATTR_STRING, ATTR_SYMBOL (without '@'); terminated */
  const struct ir_ints *ints;           /* ATTR_INTS */
  const struct ir_dense *dense;         /* ATTR_DENSE */
  const struct ir_scalars *scalars;     /* ATTR_SCALARS: identities of reduce and scan */
  const struct ir_predicate *predicate; /* ATTR_PREDICATE */
  const struct ir_hints *hints;         /* ATTR_HINTS */
  const ir_type *type;                  /* ATTR_TYPE */
  const struct tsr_layout *layout;      /* AK_LAYOUT, interned */
} ir_attr;

typedef struct ir_ints {
  uint32_t len;
  int64_t data[];
} ir_ints;

/* A constant tile. `data` is packed as in memory (tsr_elem_storage); a splat holds one element. */
typedef struct ir_dense {
  const ir_type *type; /* the tile type */
  bool splat;
  uint32_t size; /* bytes of data */
  const void *data;
} ir_dense;

/* A list of typed scalars, as patterns (see tessera/elem.h). */
typedef struct ir_scalars {
  uint32_t len;
  struct ir_scalar_const {
    uint8_t elem;
    uint64_t bits;
  } data[];
} ir_scalars;

typedef enum ir_predicate_kind { IR_DIV_BY, IR_SAME_ELEMENTS, IR_BOUNDED } ir_predicate_kind;

typedef struct ir_predicate {
  uint8_t kind;
  bool has_every, has_lower, has_upper;
  uint64_t divisor;      /* DIV_BY */
  int64_t every, along;  /* DIV_BY */
  int64_t lower, upper;  /* BOUNDED, inclusive, signed */
  const ir_ints *values; /* SAME_ELEMENTS */
} ir_predicate;

/* optimization_hints = <sm_100 = {num_cta_in_cga = 2}, default = {...}>. */
typedef struct ir_hint {
  str target, key;
  bool is_bool; /* written true / false */
  int64_t value;
} ir_hint;

typedef struct ir_hints {
  uint32_t len;
  ir_hint data[];
} ir_hints;

/* By target, then by key: the order in which they are printed and stored. */
void ir_sort_hints(ir_hints *h);

/* An attribute that the row does not know (generic form, 'attributes {…}'), kept as text. */
typedef struct ir_extra {
  str name, text;
  struct ir_extra *next;
} ir_extra;

/* ---- values, operations, blocks ------------------------------------------------------------- */

struct ir_use {
  ir_value *value;
  ir_op *user;
  ir_use *next;  /* in the value's list */
  ir_use **prev; /* what points at this use */
};

struct ir_value {
  const ir_type *type;
  ir_use *uses;
  union {
    ir_op *op;       /* of a result */
    ir_block *block; /* of an argument */
  } owner;
  const char *name; /* without '%'; NULL when it had none */
  uint32_t index;   /* among the results or arguments */
  bool is_arg;
  uint32_t number; /* scratch for passes that number values (ir_number_values) */
};

struct ir_block {
  ir_op *parent; /* the operation whose region this is */
  ir_op *first, *last;
  ir_value *args;
  uint32_t n_args;
};

struct ir_op {
  uint16_t opcode; /* op_code; OP_UNKNOWN only in the generic form of foreign dialects */
  uint8_t n_regions;
  bool implicit;    /* a terminator that the text left out */
  uint32_t present; /* bit i: attribute slot i was given (or has been set) */
  ir_loc loc;
  uint32_t n_operands, n_results;
  ir_block *block; /* that contains it; NULL for the module operation */
  ir_op *prev, *next;
  ir_use *operands;
  ir_value *results;
  ir_attr *attrs;     /* one per slot of the row; an absent one holds its default when it has one */
  ir_block **regions; /* n_regions; an absent region is NULL */
  uint32_t *segments; /* operands per operand group of the row (op_row.operands); always set */
  ir_extra *extra;
};

/* What compiling leaves out (opt/switches.h): a bit for each. */
typedef struct ir_switches {
  uint64_t passes;   /* by number */
  uint64_t patterns; /* of the CPU backend */
} ir_switches;

/* A layout that the text gave a name: #name = layout<…>. */
typedef struct ir_layout_name {
  const void *layout; /* an interned tsr_layout or tsr_memory_layout */
  bool is_memory;
  str name;
} ir_layout_name;

struct ir_module {
  tsr_context *ctx;
  arena arena;
  ir_op *op;             /* OP_MODULE */
  source *source;        /* NULL when built or read from bytecode */
  VEC(ir_loc_info) locs; /* [0] is unknown */
  VEC(ir_scope) scopes;
  map types;                        /* hash -> chain of types; private to types.c */
  map layouts;                      /* hash -> chain of layouts; private to block/layouts.c */
  VEC(ir_layout_name) layout_names; /* in the order of the text */
  uint32_t n_types;
  VEC(ir_op *) globals;  /* in the module's order; see ir_number_globals */
  strmap global_numbers; /* name -> its index there */
  map comments;          /* ir_op* -> ir_comments*, when the text was read with comments */
  bool verified;
  bool block_level; /* holds what is of the block level only: no bytecode can */
  bool extensions;  /* may have types that Tile IR doesn't */
  bool testing;     /* holds operations for tests (ops_testing.def): no engine takes it */
  uint8_t hints;    /* ir_hint_policy */
  uint8_t language; /* ir_version that the verifier holds it to; 0: the newest */
  uint8_t level;    /* of the passes that go before a lowering (opt/prepare.h): 0 to 3 */
  ir_switches without;
};

/* What the verifier does about hints that make no sense. */
typedef enum ir_hint_policy { IR_HINTS_WARN, IR_HINTS_ERROR, IR_HINTS_IGNORE } ir_hint_policy;

typedef struct ir_comments {
  str before;   /* whole lines above the operation, with their "//", newline-separated */
  str trailing; /* on the operation's last line */
  str at_end;   /* at the end of its last region, before '}' */
} ir_comments;

/* A module with an empty OP_MODULE named `name`. Jumps to the guard when memory runs out. */
ir_module *ir_module_create(tsr_context *ctx, str name);
void ir_module_destroy(ir_module *m);

/* What ir_op_create needs to know. Unused fields zero. */
typedef struct ir_op_spec {
  op_code opcode;
  ir_loc loc;
  uint32_t n_operands;
  ir_value *const *operands;
  const uint32_t *segments; /* per operand group; NULL when no group is variadic or optional but
                               the last, which then takes what the others leave */
  uint32_t n_results;
  const ir_type *const *result_types;
  uint32_t n_regions;
} ir_op_spec;

/* Not in any block yet; attribute slots hold their defaults, regions are NULL. */
ir_op *ir_op_create(ir_module *m, const ir_op_spec *spec);
void ir_op_append(ir_block *b, ir_op *op);
void ir_op_insert_before(ir_op *where, ir_op *op);
void ir_op_unlink(ir_op *op); /* takes it out of its block; uses stay */
/* Unlinks it and drops its operands' uses, in nested regions too. Its results must have no uses. */
void ir_op_erase(ir_op *op);
ir_block *ir_region_create(ir_module *m, ir_op *op, unsigned region, uint32_t n_args,
                           const ir_type *const *arg_types);
void ir_set_operand(ir_op *op, uint32_t index, ir_value *v);
void ir_replace_uses(ir_value *v, ir_value *by);
bool ir_has_one_use(const ir_value *v);
void ir_set_name(ir_module *m, ir_value *v, str name); /* copied */

static inline ir_value *ir_operand(const ir_op *op, uint32_t i) {
  return op->operands[i].value;
}
static inline ir_value *ir_result(const ir_op *op, uint32_t i) {
  return &op->results[i];
}
/* The first operand of a group (NULL when it has none) and, in `n`, how many there are. */
ir_use *ir_operand_group(const ir_op *op, unsigned group, uint32_t *n);
/* The operand of an optional or single group; NULL when absent. */
ir_value *ir_operand_in(const ir_op *op, unsigned group);
static inline ir_block *ir_region(const ir_op *op, unsigned i) {
  return i < op->n_regions ? op->regions[i] : NULL;
}
/* What a `for` counts with: its body's first argument. */
static inline ir_value *ir_counter(const ir_op *loop) {
  return &ir_region(loop, 0)->args[0];
}
static inline ir_op *ir_terminator(const ir_block *b) {
  return b->last;
}
static inline ir_op *ir_defining_op(const ir_value *v) {
  return v->is_arg ? NULL : v->owner.op;
}
static inline const op_row *ir_row(const ir_op *op) {
  return &op_table[op->opcode];
}
static inline op_effect ir_effect(const ir_op *op) {
  return (op_effect)ir_row(op)->effect;
}
/* Of memory, through pointers or views; without atomics. */
static inline bool ir_is_load(const ir_op *op) {
  return ir_effect(op) == EFFECT_READS;
}
static inline bool ir_is_store(const ir_op *op) {
  return ir_effect(op) == EFFECT_WRITES;
}
static inline bool ir_is_atomic(const ir_op *op) {
  return ir_effect(op) == EFFECT_UPDATES;
}
static inline bool ir_is_terminator(const ir_op *op) {
  return ir_row(op)->traits & TRAIT_TERMINATOR;
}
/* Whether its results are all that comes of it: it has neither effect nor regions, nor jumps. */
static inline bool ir_only_computes(const ir_op *op) {
  return ir_effect(op) == EFFECT_NONE && !ir_is_terminator(op);
}

/* Attribute slots by identity; the operation must have such a slot (asserted). */
int ir_attr_slot(op_code opcode, attr_id id);     /* -1 when the row has none */
bool ir_has_attr(const ir_op *op, attr_id id);    /* given, or a default exists */
int64_t ir_int_attr(const ir_op *op, attr_id id); /* ints, bools, units, enums; 0 when absent */
const ir_attr *ir_get_attr(const ir_op *op, attr_id id); /* NULL when absent without default */
void ir_set_attr(ir_op *op, attr_id id, ir_attr value);
void ir_set_int(ir_op *op, attr_id id, int64_t value);

/* Constants. */
ir_dense *ir_dense_create(ir_module *m, const ir_type *tile, bool splat, const void *data,
                          uint32_t size);
bool ir_constant_int(const ir_value *v, int64_t *out); /* a constant splat, sign-extended */
/* Pattern of element `index` of a constant. */
uint64_t ir_dense_get(const ir_dense *d, int64_t index);

/* Walks. `fn` returns false to stop. Pre-order; `op` itself first. */
typedef bool (*ir_walk_fn)(void *user, ir_op *op);
bool ir_walk(ir_op *op, ir_walk_fn fn, void *user);

/* The first operation at or below `root` with an operand or result of one of the element types (a
 * bit for each), or of pointers to such or views of such; NULL: there is none. */
const ir_op *ir_find_elem(ir_op *root, uint64_t elems, tsr_elem *found);
/* Is `op` in a region of `outer`, at any depth? */
bool ir_is_inside(const ir_op *op, const ir_op *outer);
/* Whether `op`, or an operation in it, takes part in communication between tile blocks: it has a
 * memory ordering stronger than `weak`. Without one no block can wait for another without a race.
 */
bool ir_communicates(ir_op *op);
/* The entry or global with this name; NULL. */
ir_op *ir_find_symbol(const ir_module *m, str name);
str ir_symbol_name(const ir_op *op);
/* Fills in `globals`, which the verifier does: whoever gets a verified module has them, and nobody
 * makes or erases one from then on. */
void ir_number_globals(ir_module *m);
/* The index of the global with this name, which a verified get_global has. */
uint32_t ir_global_number(const ir_module *m, str name);
/* Numbers every value below `op` densely from 0 (ir_value.number); returns how many. */
uint32_t ir_number_values(ir_op *op);

/* Diagnostics at an operation. */
void ir_error(const ir_module *m, const ir_op *op, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* A type as text, "tile<4xf32>", in the arena. */
const char *ir_type_text(arena *a, const ir_type *t);
void ir_type_print(sbuf *b, const ir_type *t, bool prefix); /* prefix: "!cuda_tile.tile<…>" */
void ir_elem_print(sbuf *b, const ir_type *t); /* what a tile or a tensor_view consists of */

#endif
