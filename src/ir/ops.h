/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The operation table: one row per operation of Tile IR, in ops.def, and one per operation of the
 * block level, in block/ops.def. Enumerators, parser, printer, verifier, bytecode, builders,
 * `tessera explain` and docs/ops.md all come from it; nothing else lists the operations.
 * docs/add-an-op.md says how to add a row.
 */
#ifndef TSR_IR_OPS_H
#define TSR_IR_OPS_H

#include <stdbool.h>
#include <stdint.h>

/* op_code: OP_addf, OP_mmaf, … in the table's order. Not the bytecode's number (op_row.bytecode).
 */
typedef enum op_code {
  OP_NONE = 0,
#define OP(name, ...) OP_##name,
#include "ir/ops.def"
#undef OP
  OP_COUNT, /* of Tile IR; what follows is Tessera's block level (block/ops.def) */
  OP_LAST_ = OP_COUNT - 1,
#define BLOCK_OP(name, ...) OP_##name,
#include "ir/block/ops.def"
#undef BLOCK_OP
  OP_BLOCK_END, /* of both levels; what follows is for tests only (ops_testing.def) */
  OP_BLOCK_LAST_ = OP_BLOCK_END - 1,
#define TESTING_OP(name, ...) OP_##name,
#include "ir/ops_testing.def"
#undef TESTING_OP
  OP_TABLE_SIZE
} op_code;

/* Versions of Tile IR, 13.x, by their minor number. */
typedef enum ir_version {
  V13_1 = 1,
  V13_2,
  V13_3,
  V13_4,
  V13_5, /* in development: what cuda-tile 1.7 writes of it */
  V13_NEWEST = V13_5,
  V13_RELEASED = V13_4,
  V_BLOCK_LEVEL = 255 /* of what no version has: it is of Tessera's block level */
} ir_version;

/* ---- attributes ----------------------------------------------------------------------------- */

/* Every attribute that some row has. The identity is its name in the text and the bytecode. */
/* clang-format off */
#define ATTR_IDS(X) \
  X(alignment) X(arg_attrs) X(bytes) X(cluster) X(comparison_ordering) X(comparison_predicate) X(constant) X(count) \
  X(dim) X(each) X(end) \
  X(fast_acc) X(first) X(flush_to_zero) X(function_type) X(global) X(id) X(identities) X(inbounds) \
  X(instruction) X(layout) X(memory_ordering_semantics) X(memory_scope) X(message) X(mode) X(name) \
  X(num_elem) X(optimization_hints) X(overflow) X(padding_value) X(pending) X(permutation) \
  X(predicate) X(producer) X(propagate_nan) \
  X(read) X(reduction) X(registers) X(relaxed) X(res_attrs) X(reverse) X(rounding) X(rounding_mode) X(rounds) X(saturating) X(signedness) X(signedness_lhs) \
  X(signedness_rhs) X(str) X(sym_name) X(symbol_visibility) X(threads) X(unsignedCmp) X(value) \
  X(foreign_name) X(new_attr) X(new_flag) X(new_param) X(priority) X(test_attr) /* the last row: of tests */
/* clang-format on */

typedef enum attr_id {
  ATTR_NONE = 0,
#define X(name) ATTR_##name,
  ATTR_IDS(X)
#undef X
      ATTR_ID_COUNT
} attr_id;

typedef enum attr_kind {
  AK_INT, /* 64-bit, unless the row says 32 */
  AK_BOOL,
  AK_UNIT, /* present or not */
  AK_STRING,
  AK_SYMBOL,    /* @name */
  AK_INTS,      /* [1, 0] */
  AK_BOOLS,     /* [true, false], as ir_ints; absent means that all are false */
  AK_DENSE,     /* <f32: [1.0, 2.0]> : tile<2xf32> */
  AK_SCALARS,   /* [0.0 : f32] */
  AK_PREDICATE, /* div_by<16> */
  AK_HINTS,
  AK_TYPE,
  AK_LAYOUT,   /* layout<spatial(32, 1).local(1, 8)>: a distribution */
  AK_DICTS,    /* arg_attrs, res_attrs: never allowed to hold anything */
  AK_ROUNDING, /* the enums: see below */
  AK_OVERFLOW,
  AK_SIGNEDNESS,
  AK_PREDICATE_CMP,
  AK_ORDERING_CMP,
  AK_RMW,
  AK_MULTIMEM,
  AK_ORDERING,
  AK_SCOPE,
  AK_VISIBILITY,
  AK_PADDING,  /* in Tile IR only inside types */
  AK_PTR_ATTR, /* only inside types */
  AK_INSTRUCTION,
  AK_EACH,
  AK_PRIORITY, /* only in an operation for tests */
  AK_COUNT
} attr_kind;

/* Enumerators, with the bytecode's values. X(enumerator, value, spelling, meaning) */
#define ENUM_ROUNDING(X)                                                                           \
  X(ROUND_NEAREST_EVEN, 0, "nearest_even", "to nearest, ties to even")                             \
  X(ROUND_ZERO, 1, "zero", "towards zero")                                                         \
  X(ROUND_NEGATIVE_INF, 2, "negative_inf", "towards negative infinity")                            \
  X(ROUND_POSITIVE_INF, 3, "positive_inf", "towards positive infinity")                            \
  X(ROUND_APPROX, 4, "approx", "a fast approximation")                                             \
  X(ROUND_FULL, 5, "full", "a full-range approximation")                                           \
  X(ROUND_NEAREST_INT_TO_ZERO, 6, "nearest_int_to_zero", "to the nearest integer towards zero")    \
  X(ROUND_NEAREST_AWAY, 7, "nearest_away", "to nearest, ties away from zero; since 13.4")
#define ENUM_OVERFLOW(X)                                                                           \
  X(OVERFLOW_NONE, 0, "none", "wraps around")                                                      \
  X(OVERFLOW_NSW, 1, "no_signed_wrap", "never overflows as signed")                                \
  X(OVERFLOW_NUW, 2, "no_unsigned_wrap", "never overflows as unsigned")                            \
  X(OVERFLOW_NW, 3, "no_wrap", "never overflows either way")
#define ENUM_SIGNEDNESS(X)                                                                         \
  X(SIGN_UNSIGNED, 0, "unsigned", "operands are unsigned")                                         \
  X(SIGN_SIGNED, 1, "signed", "operands are signed")
#define ENUM_PREDICATE_CMP(X)                                                                      \
  X(CMP_EQUAL, 0, "equal", "lhs == rhs")                                                           \
  X(CMP_NOT_EQUAL, 1, "not_equal", "lhs != rhs")                                                   \
  X(CMP_LESS, 2, "less_than", "lhs < rhs")                                                         \
  X(CMP_LESS_EQUAL, 3, "less_than_or_equal", "lhs <= rhs")                                         \
  X(CMP_GREATER, 4, "greater_than", "lhs > rhs")                                                   \
  X(CMP_GREATER_EQUAL, 5, "greater_than_or_equal", "lhs >= rhs")
#define ENUM_ORDERING_CMP(X)                                                                       \
  X(CMP_UNORDERED, 0, "unordered", "true when an operand is NaN")                                  \
  X(CMP_ORDERED, 1, "ordered", "false when an operand is NaN")
#define ENUM_RMW(X)                                                                                \
  X(RMW_AND, 0, "and", "bitwise and")                                                              \
  X(RMW_OR, 1, "or", "bitwise or")                                                                 \
  X(RMW_XOR, 2, "xor", "bitwise exclusive or")                                                     \
  X(RMW_ADD, 3, "add", "integer addition")                                                         \
  X(RMW_ADDF, 4, "addf", "floating-point addition")                                                \
  X(RMW_MAX, 5, "max", "signed maximum")                                                           \
  X(RMW_MIN, 6, "min", "signed minimum")                                                           \
  X(RMW_UMAX, 7, "umax", "unsigned maximum")                                                       \
  X(RMW_UMIN, 8, "umin", "unsigned minimum")                                                       \
  X(RMW_XCHG, 9, "xchg", "exchange")
#define ENUM_MULTIMEM(X)                                                                           \
  X(MULTIMEM_ADD, 0, "add", "addition")                                                            \
  X(MULTIMEM_MIN, 1, "min", "signed minimum")                                                      \
  X(MULTIMEM_MAX, 2, "max", "signed maximum")                                                      \
  X(MULTIMEM_AND, 3, "and", "bitwise and")                                                         \
  X(MULTIMEM_OR, 4, "or", "bitwise or")                                                            \
  X(MULTIMEM_XOR, 5, "xor", "bitwise exclusive or")                                                \
  X(MULTIMEM_UMIN, 6, "umin", "unsigned minimum")                                                  \
  X(MULTIMEM_UMAX, 7, "umax", "unsigned maximum")
#define ENUM_ORDERING(X)                                                                           \
  X(ORDER_WEAK, 0, "weak", "no concurrent access")                                                 \
  X(ORDER_RELAXED, 1, "relaxed", "concurrent access, no ordering")                                 \
  X(ORDER_ACQUIRE, 2, "acquire", "sees what was released")                                         \
  X(ORDER_RELEASE, 3, "release", "publishes what was written before")                              \
  X(ORDER_ACQ_REL, 4, "acq_rel", "both")
#define ENUM_SCOPE(X)                                                                              \
  X(SCOPE_TL_BLK, 0, "tl_blk", "the tile block")                                                   \
  X(SCOPE_DEVICE, 1, "device", "the device")                                                       \
  X(SCOPE_SYS, 2, "sys", "the whole system")
#define ENUM_VISIBILITY(X)                                                                         \
  X(VISIBILITY_PUBLIC, 0, "public", "seen by other modules")                                       \
  X(VISIBILITY_PRIVATE, 1, "private", "seen in this module only")
#define ENUM_PADDING(X)                                                                            \
  X(PADDING_ZERO, 0, "zero", "0")                                                                  \
  X(PADDING_NEG_ZERO, 1, "neg_zero", "-0.0")                                                       \
  X(PADDING_NAN, 2, "nan", "NaN")                                                                  \
  X(PADDING_POS_INF, 3, "pos_inf", "positive infinity")                                            \
  X(PADDING_NEG_INF, 4, "neg_inf", "negative infinity")

/* How a tile moves between registers and shared memory. */
#define ENUM_INSTRUCTION(X)                                                                        \
  X(INSTRUCTION_AUTO, 0, "auto", "the widest access that the layouts allow")                       \
  X(INSTRUCTION_SCALAR, 1, "scalar", "an element at a time")                                       \
  X(INSTRUCTION_VECTOR, 2, "vector", "several neighbouring elements at a time")                    \
  X(INSTRUCTION_LDMATRIX, 3, "ldmatrix", "ldmatrix: rows of 16 bytes, spread over a warp")         \
  X(INSTRUCTION_LDMATRIX_TRANS, 4, "ldmatrix.trans", "ldmatrix.trans: the same, transposed")       \
  X(INSTRUCTION_STMATRIX, 5, "stmatrix", "stmatrix: the reverse of ldmatrix")                      \
  X(INSTRUCTION_STMATRIX_TRANS, 6, "stmatrix.trans", "stmatrix.trans: the same, transposed")

/* Who arrives at an mbarrier, once each. */
#define ENUM_EACH(X)                                                                               \
  X(EACH_THREAD, 0, "thread", "every thread")                                                      \
  X(EACH_WARP, 1, "warp", "one thread of each warp, for all of them")                              \
  X(EACH_GROUP, 2, "group", "one thread of the group, for all of them")

#define ENUM_PTR_ATTR(X) X(PTR_ATTR_NONE, 0, "none", "no property")
#define ENUM_PRIORITY(X)                                                                           \
  X(PRIORITY_LOW, 0, "low", "of a test")                                                           \
  X(PRIORITY_NORMAL, 1, "normal", "of a test")                                                     \
  X(PRIORITY_HIGH, 2, "high", "of a test")

#define X(enumerator, value, spelling, meaning) enumerator = value,
typedef enum ir_rounding { ENUM_ROUNDING(X) } ir_rounding;
typedef enum ir_overflow { ENUM_OVERFLOW(X) } ir_overflow;
typedef enum ir_signedness { ENUM_SIGNEDNESS(X) } ir_signedness;
typedef enum ir_cmp_predicate { ENUM_PREDICATE_CMP(X) } ir_cmp_predicate;
typedef enum ir_cmp_ordering { ENUM_ORDERING_CMP(X) } ir_cmp_ordering;
typedef enum ir_rmw { ENUM_RMW(X) } ir_rmw;
typedef enum ir_multimem { ENUM_MULTIMEM(X) } ir_multimem;
typedef enum ir_ordering { ENUM_ORDERING(X) } ir_ordering;
typedef enum ir_memory_scope { ENUM_SCOPE(X) } ir_memory_scope;
typedef enum ir_visibility { ENUM_VISIBILITY(X) } ir_visibility;
typedef enum ir_padding { ENUM_PADDING(X) } ir_padding;
typedef enum ir_ptr_attr { ENUM_PTR_ATTR(X) } ir_ptr_attr;
typedef enum ir_instruction { ENUM_INSTRUCTION(X) } ir_instruction;
typedef enum ir_each { ENUM_EACH(X) } ir_each;
typedef enum ir_priority { ENUM_PRIORITY(X) } ir_priority;
#undef X

typedef struct enum_row {
  const char *spelling, *meaning;
} enum_row;

/* The enumerators of an enum kind in order of value; NULL and 0 for other kinds. */
const enum_row *enum_rows(attr_kind kind, unsigned *count);
const char *enum_spelling(attr_kind kind, int64_t value);           /* "?" when out of range */
int enum_value(attr_kind kind, const char *spelling, unsigned len); /* -1 when there is none */
const char *enum_title(attr_kind kind); /* "rounding mode", for messages */

/* ---- type constraints ----------------------------------------------------------------------- */

/* What an operand or result may be. X(enumerator, description, element mask, shape) where the mask
 * is of tsr_elem bits (0: not a tile) and the shape is T any tile, S rank 0 only, or - none. */
#define BIT(e)          (UINT64_C(1) << TSR_##e)
#define ELEMS_INT       (BIT(I1) | BIT(I8) | BIT(I16) | BIT(I32) | BIT(I64))
#define ELEMS_BASEFLOAT (BIT(F16) | BIT(BF16) | BIT(F32) | BIT(F64))
#define ELEMS_FLOAT                                                                                \
  (ELEMS_BASEFLOAT | BIT(TF32) | BIT(F8E4M3FN) | BIT(F8E5M2) | BIT(F8E8M0FNU) | BIT(F4E2M1FN) |    \
   BIT(F8E5M3FNU))
#define ELEMS_NUMBER (ELEMS_INT | ELEMS_FLOAT)
/* Tessera's own; only a module that admits extensions has them. Their integers are allowed where
 * i4 is and in memory; their floats where those of 8 bits are, but in products. */
#define ELEMS_OWN_INT (BIT(I2) | BIT(I3) | BIT(I5) | BIT(I6) | BIT(I7))
#define ELEMS_OWN_FLOAT                                                                            \
  (BIT(F8E4M3FNUZ) | BIT(F8E5M2FNUZ) | BIT(F6E2M3FN) | BIT(F6E3M2FN) | BIT(F7E5M1FN) |             \
   BIT(F7E4M2FN) | BIT(F7E3M3FN) | BIT(F7E2M4FN) | BIT(F6E4M1FN) | BIT(F5E3M1FN) | BIT(F5E2M2FN) | \
   BIT(F5E1M3FN) | BIT(F4E1M2FN) | BIT(F3E1M1FN))
#define ELEMS_OWN         (ELEMS_OWN_INT | ELEMS_OWN_FLOAT)
#define ELEMS_SWAPPED_OWN (BIT(I16) | BIT(F16) | BIT(BF16)) /* by compare-and-swap */
#define ELEMS_STORED      (ELEMS_NUMBER | ELEMS_OWN) /* what pointers point to and views consist of */
#define ELEMS_ANY         (ELEMS_STORED | BIT(I4) | BIT(PTR))

#define TYPE_CONSTRAINTS(X)                                                                        \
  X(TC_ANY, "any type", 0, TCS_ANY)                                                                \
  X(TC_TOKEN, "a token", 0, TCS_TOKEN)                                                             \
  X(TC_TENSOR_VIEW, "a tensor_view", 0, TCS_TENSOR_VIEW)                                           \
  X(TC_TILE_VIEW, "a tile view", 0, TCS_SUBVIEW)                                                   \
  X(TC_PARTITION_VIEW, "a partition_view", 0, TCS_PARTITION)                                       \
  X(TC_STRIDED_VIEW, "a strided_view", 0, TCS_STRIDED)                                             \
  X(TC_GATHER_SCATTER_VIEW, "a gather_scatter_view", 0, TCS_GATHER)                                \
  X(TC_TENSOR_MAP, "a tensor_map", 0, TCS_TENSOR_MAP)                                              \
  X(TC_ASYNC, "a tile in flight", 0, TCS_ASYNC)                                                    \
  X(TC_SHARED, "shared memory of this tile block", 0, TCS_SHARED)                                  \
  X(TC_ANY_SHARED, "shared memory", 0, TCS_ANY_SHARED)                                             \
  X(TC_REMOTE_SHARED, "shared memory that map_remote gives", 0, TCS_REMOTE_SHARED)                 \
  X(TC_MBARRIER, "an mbarrier of this tile block", 0, TCS_MBARRIER)                                \
  X(TC_ANY_MBARRIER, "an mbarrier", 0, TCS_ANY_MBARRIER)                                           \
  X(TC_REMOTE_MBARRIER, "an mbarrier that map_remote gives", 0, TCS_REMOTE_MBARRIER)               \
  X(TC_TILE, "a tile", ELEMS_ANY, TCS_TILE)                                                        \
  X(TC_NUMBER, "a tile of numbers", ELEMS_STORED, TCS_TILE)                                        \
  X(TC_NUMBER_I4, "a tile of numbers", ELEMS_STORED | BIT(I4), TCS_TILE)                           \
  X(TC_INT, "a tile of integers", ELEMS_INT, TCS_TILE)                                             \
  X(TC_INT_I4, "a tile of integers", ELEMS_INT | BIT(I4) | ELEMS_OWN_INT, TCS_TILE)                \
  X(TC_I64, "a tile of i64", BIT(I64), TCS_TILE)                                                   \
  X(TC_I32, "a tile of i32", BIT(I32), TCS_TILE)                                                   \
  X(TC_I8, "a tile of i8", BIT(I8), TCS_TILE)                                                      \
  X(TC_I1, "a tile of i1", BIT(I1), TCS_TILE)                                                      \
  X(TC_BASEFLOAT, "a tile of f16, bf16, f32 or f64", ELEMS_BASEFLOAT, TCS_TILE)                    \
  X(TC_FLOAT, "a tile of floating-point numbers", ELEMS_FLOAT | ELEMS_OWN_FLOAT, TCS_TILE)         \
  X(TC_PTR, "a tile of pointers", BIT(PTR), TCS_TILE)                                              \
  X(TC_SCALAR_PTR, "a scalar pointer tile", BIT(PTR), TCS_SCALAR)                                  \
  X(TC_SCALAR_INT, "a scalar integer tile", ELEMS_INT, TCS_SCALAR)                                 \
  X(TC_SCALAR_I32, "a tile<i32>", BIT(I32), TCS_SCALAR)                                            \
  X(TC_SCALAR_I64, "a tile<i64>", BIT(I64), TCS_SCALAR)                                            \
  X(TC_SCALAR_I1, "a tile<i1>", BIT(I1), TCS_SCALAR)                                               \
  X(TC_MMAF, "a tile of f16, bf16, f32, f64, tf32, f8E4M3FN or f8E5M2",                            \
    ELEMS_BASEFLOAT | BIT(TF32) | BIT(F8E4M3FN) | BIT(F8E5M2), TCS_TILE)                           \
  X(TC_MMAF_ACC, "a tile of f16, f32 or f64", BIT(F16) | BIT(F32) | BIT(F64), TCS_TILE)            \
  X(TC_MMAF_SCALED, "a tile of f8E4M3FN, f8E5M2 or f4E2M1FN",                                      \
    BIT(F8E4M3FN) | BIT(F8E5M2) | BIT(F4E2M1FN), TCS_TILE)                                         \
  X(TC_MMAF_SCALE, "a tile of f8E4M3FN, f8E8M0FNU or f8E5M3FNU",                                   \
    BIT(F8E4M3FN) | BIT(F8E8M0FNU) | BIT(F8E5M3FNU), TCS_TILE)                                     \
  X(TC_EXPONENT, "a tile of i1, i8, i16 or i32", BIT(I1) | BIT(I8) | BIT(I16) | BIT(I32),          \
    TCS_TILE)                                                                                      \
  X(TC_F32, "a tile of f32", BIT(F32), TCS_TILE)                                                   \
  X(TC_FOREIGN, "any type, also one that no value of Tile IR has", 0, TCS_FOREIGN)

typedef enum type_shape {
  TCS_ANY,
  TCS_TOKEN,
  TCS_TENSOR_VIEW,
  TCS_SUBVIEW,
  TCS_PARTITION,
  TCS_STRIDED,
  TCS_GATHER,
  TCS_TENSOR_MAP,
  TCS_REMOTE_SHARED,
  TCS_ANY_SHARED,
  TCS_SHARED,
  TCS_MBARRIER,
  TCS_ANY_MBARRIER,
  TCS_REMOTE_MBARRIER,
  TCS_ASYNC,
  TCS_TILE,
  TCS_SCALAR,
  TCS_FOREIGN
} type_shape;

typedef enum type_constraint {
#define X(enumerator, description, elems, shape) enumerator,
  TYPE_CONSTRAINTS(X)
#undef X
      TC_COUNT
} type_constraint;

typedef struct constraint_row {
  const char *description; /* with its article: "a tile of integers" */
  uint64_t elems;
  uint8_t shape; /* type_shape */
} constraint_row;

extern const constraint_row constraint_table[TC_COUNT];

/* ---- rows ----------------------------------------------------------------------------------- */

typedef enum op_arity { ONE, OPT, MANY } op_arity; /* of an operand or result group */

typedef enum op_group {
  GROUP_CORE,
  GROUP_CONVERSION,
  GROUP_CONTROL,
  GROUP_MEMORY,
  GROUP_FLOAT,
  GROUP_INTEGER,
  GROUP_BITWISE,
  GROUP_ATOMIC,
  GROUP_VIEW,
  GROUP_MISC,
  GROUP_TILE_END, /* what follows is of the block level */
  GROUP_LAYOUT = GROUP_TILE_END,
  GROUP_SHARED,
  GROUP_GLOBAL,
  GROUP_ASYNC,
  GROUP_THREADS,
  GROUP_SYNC,
  GROUP_MBARRIER,
  GROUP_ENGINE,
  GROUP_UNIT,
  GROUP_CLUSTER,
  GROUP_COMBINE,
  GROUP_RANDOM,
  GROUP_COUNT
} op_group;

const char *op_group_name(op_group group);

enum {
  TRAIT_PURE = 1 << 0,        /* in the dialect's sense: allowed in the bodies of reduce and scan */
  TRAIT_ELEMENTWISE = 1 << 1, /* result[i] depends on operands[i] only, all of one shape */
  TRAIT_COMMUTATIVE = 1 << 2, /* in its first two operands */
  TRAIT_TERMINATOR = 1 << 3,
  TRAIT_RETURN_LIKE = 1 << 4,
  TRAIT_CONSTANT = 1 << 5,
  TRAIT_SYMBOL = 1 << 6,    /* defines @sym_name */
  TRAIT_ISOLATED = 1 << 7,  /* its region may not use values from above */
  TRAIT_SEGMENTS = 1 << 8,  /* the generic form carries operandSegmentSizes */
  TRAIT_INDEX_MAP = 1 << 9, /* moves elements without changing them: reshape, broadcast… */
  TRAIT_TESTING = 1 << 10,  /* exists in tests only: no engine executes it */
  TRAIT_FOREIGN = 1 << 11,  /* stands for every operation of other dialects: `foreign_name` */
};

/* What an operation does beside computing its results. */
typedef enum op_effect {
  EFFECT_UNKNOWN, /* anything: operations that only tests use */
  EFFECT_NONE,
  EFFECT_READS,
  EFFECT_WRITES,
  EFFECT_UPDATES,   /* reads and writes each element in one atomic step */
  EFFECT_ALLOCATES, /* each execution gives memory of its own */
  EFFECT_ORDERS,    /* accesses before and after it, or other kernels; touches no memory */
  EFFECT_OBSERVED,  /* seen outside of the kernel: what is printed, or that it is stopped */
  EFFECT_REGIONS,   /* that of the operations in its regions */
  EFFECT_COUNT
} op_effect;

/* The memories that operations of the block level tell apart. */
typedef enum op_memory { MEMORY_GLOBAL = 1, MEMORY_SHARED = 2 } op_memory;

/* Queues of asynchronous copies, and what an operation of the block level does with one. */
typedef enum op_queue { QUEUE_NONE, QUEUE_CP_ASYNC, QUEUE_BULK, QUEUE_WGMMA } op_queue;
typedef enum op_queue_role {
  QUEUE_UNUSED,
  QUEUE_ISSUES,  /* begins a copy: what it reads and writes happens between here and the wait */
  QUEUE_COMMITS, /* closes the set of copies begun since the last commit */
  QUEUE_WAITS,   /* goes on when all but the last few sets have arrived */
} op_queue_role;

/* Whether it reads (writes) memory, or has to keep its place among what does. */
bool effect_reads(op_effect effect);
bool effect_writes(op_effect effect);
/* Whether it is an access to memory: a load, a store, an atomic. */
bool effect_accesses(op_effect effect);

/* What an element of the result costs. A class is coarse enough to hold for every target; who knows
 * more of a target counts in its own units. */
typedef enum op_cost {
  COST_UNKNOWN,
  COST_FREE,      /* moves elements, or says where they are: no instruction, as a rule */
  COST_CHEAP,     /* an instruction */
  COST_MEDIUM,    /* an instruction that takes several times as long: division, square root */
  COST_EXPENSIVE, /* a function of many instructions, or waiting for others */
  COST_PRODUCT,   /* a row of one matrix times a column of the other */
  COST_ACCESS,    /* an access to memory */
  COST_REGIONS,   /* what the operations in its regions cost */
  COST_COUNT
} op_cost;

/* Whether an operation may be executed where the program would not have executed it. */
typedef enum op_speculation {
  SPECULATE_NEVER,
  SPECULATE_SOMETIMES, /* when its operands leave nothing undefined: opt/undefined.h */
  SPECULATE_ALWAYS,    /* nothing but its results can be undefined */
} op_speculation;

/* Masks over operand and result groups, for "all of {lhs, rhs, result} have the same type". */
#define M_IN(i)  (1u << (i))
#define M_OUT(i) (1u << (8 + (i)))

typedef struct op_operand {
  const char *name;
  uint8_t constraint; /* type_constraint */
  uint8_t arity;      /* op_arity */
  uint8_t since;      /* ir_version; 0: as the operation */
  const char *doc;
} op_operand;

typedef struct op_attr {
  uint8_t id;       /* attr_id */
  uint8_t kind;     /* attr_kind */
  uint8_t since;    /* ir_version; 0: as the operation */
  uint8_t optional; /* AO_* */
  int64_t value;    /* the default, when optional is AO_DEFAULT */
  uint16_t allowed; /* enums: mask of allowed values; 0: all */
  uint8_t bits;     /* AK_INT: 32 or 64; 0 means 64 */
} op_attr;

/* AO_ELIDED: always stored (generic form and bytecode must give it), but the custom form leaves it
 * out when it equals `value`. */
enum { AO_REQUIRED, AO_OPTIONAL, AO_DEFAULT, AO_ELIDED };

enum { OP_MAX_OPERANDS = 6, OP_MAX_ATTRS = 7, OP_MAX_RESULTS = 4, OP_MAX_REGIONS = 2 };

typedef struct op_row {
  const char *name;
  uint16_t bytecode;   /* the number in the bytecode */
  uint8_t since;       /* ir_version */
  uint8_t group;       /* op_group */
  const char *summary; /* one sentence: what the operation does */
  const char *meaning; /* a formula or pseudo-code: "result[i] = lhs[i] + rhs[i]" */
  const char *notes;   /* further paragraphs for the manual, or NULL */
  op_operand operands[OP_MAX_OPERANDS]; /* up to the first without a name */
  op_attr attrs[OP_MAX_ATTRS];          /* up to the first with id ATTR_NONE; bytecode's order */
  op_operand results[OP_MAX_RESULTS];
  const char *regions[OP_MAX_REGIONS];
  uint32_t traits;
  uint8_t effect;        /* op_effect */
  uint8_t cost;          /* op_cost */
  uint8_t speculation;   /* op_speculation */
  uint8_t reads, writes; /* block level: masks of op_memory */
  uint8_t queue;         /* block level: op_queue */
  uint8_t queue_role;    /* op_queue_role */
  uint16_t forwards;     /* mask of M_IN: the result points to the memory of these operands */
  uint16_t same_type[2]; /* masks of M_IN and M_OUT */
  uint16_t same_shape;
  uint16_t same_elem[2];
  uint16_t same_rank;
  uint16_t parents[3]; /* op_codes that may contain it directly; none: any block */
  uint16_t terminator; /* implicit terminator of its regions; OP_NONE */
  const char *format;  /* the custom assembly; see below */
  const char
      *names; /* what results are called when the text does not say, "a b c"; NULL: numbers */
  const char *example; /* a line that parses in context, for the manual */
} op_row;

/* The custom form after the operation's name, as words separated by spaces:
 *
 *   $x            operand group x (comma-separated when MANY), or attribute x in its own spelling
 *   type(x)       the type(s) of operand or result group x
 *   angled(k,x)   optional 'k<value>' for enum attribute x; left out when it has its default
 *   flag(x)       optional keyword x for a unit attribute; neighbouring flags in any order
 *   attr-dict     optional {name = value, …}
 *   [ … ]         optional: present when its first $operand, $attribute or type(operand) is
 *   splat(x)      the type of MANY group x once when all are equal, else the list; nothing when x
 * is empty, and then a comma before it is left out too region(i)     region i in braces; its
 * implicit terminator is left out args-region(i)  the same on a new line, after its arguments:
 * (%a: type, %b: type) { … } custom(f)     written by hand in text/custom.c , : -> = [ ]
 * punctuation; as literal brackets write '[' and ']' word          that keyword; 'word=' glues to
 * what follows when printed
 *
 * Types that the form does not spell out follow from same_type, from a constraint that allows one
 * type only, or (a tensor_view operand of a make_*_view) from the result. */
extern const op_row op_table[OP_TABLE_SIZE];

unsigned op_n_operands(const op_row *row); /* groups */
unsigned op_n_attrs(const op_row *row);
unsigned op_n_results(const op_row *row);
unsigned op_n_regions(const op_row *row);
int op_operand_index(const op_row *row, const char *name, unsigned len); /* -1: none */
int op_result_index(const op_row *row, const char *name, unsigned len);
int op_attr_index(const op_row *row, const char *name, unsigned len);
const char *attr_name(attr_id id);

/* The row's code by name or by bytecode number; OP_NONE when there is none. The two seeds' older
 * spelling "print" is an alias of print_tko. */
op_code op_by_name(const char *name, unsigned len);
op_code op_by_bytecode(unsigned number);
op_code op_testing_by_name(const char *name, unsigned len); /* among operations for tests */
/* The names closest to a misspelt one, for "did you mean": up to `max`, best first. */
unsigned op_suggest(const char *name, unsigned len, const char **out, unsigned max);

/* Checks the table against itself: names unique and sorted lookups consistent, bytecode numbers
 * unique, groups contiguous, masks within range, formats naming existing parts, facts that agree
 * with each other and with operands and results. Returns NULL, or what is wrong (static buffer not
 * used: the text lies in `out`). Debug builds run it when a context is created; tests always do. */
const char *op_table_check(char *out, unsigned size);

#endif
