/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the files of the lowering share: from Triton's operations to those of Tile IR.
 */
#ifndef TSR_TTIR_LOWER_H
#define TSR_TTIR_LOWER_H

#include "ttir/reader.h"

enum {
  TT_MAX_CALLS = 64,    /* in each other */
  TT_MAX_OPS = 1 << 20, /* of Triton's, once functions have taken the place of their calls */
  TT_MAX_DEPTH = 250,   /* regions in each other, a few less than Tile IR's text may have */
  TT_MAX_BLOCKS = 1024, /* of one function */
  TT_MAX_VALUES = 256,  /* operands of an operation that the lowering makes */
  TT_MAX_CARRIED = 248, /* values that a loop carries, or that a branch gives */
};

/* Accesses to memory keep the order of the program: a read waits for the last write, a write for
 * all reads and writes before it. NULL: there was none. */
typedef struct tt_order {
  ir_value *write, *reads;
} tt_order;

struct lowering {
  reader *r;
  ir_module *m;
  arena *temp;
  ir_block *block; /* to whose end operations go */
  tt_op *op;       /* that is lowered */
  ir_loc loc;
  ir_loc call; /* where the function was called from; 0: it is the kernel */
  tt_order order;
  ir_block *entry;                   /* the kernel's body */
  ir_value *position[3], *extent[3]; /* of the block in the grid */
  bool in_fold;                      /* in the body of a reduction, which may only compute */
  bool in_kernel;                    /* not in a function that was called: return ends the kernel */
  uint32_t calls, depth, lowered;
  tt_block *pending[TT_MAX_BLOCKS]; /* of a walk over a function's blocks */
};

/* ---- emit.c: operations of Tile IR at the end of l->block --------------------------------------
 */

/* Reports where the operation stands in Python, and in the text; false. */
bool tt_refuse(lowering *l, const char *fmt, ...) PRINTF_LIKE(2, 3);
bool tt_has_stack(lowering *l); /* for another level of regions or calls; false after an error */

ir_op *tt_emit_op(lowering *l, const ir_op_spec *spec); /* loc is filled in */
ir_value *tt_emit(lowering *l, op_code opcode, const ir_type *type, uint32_t n,
                  ir_value *const *operands);
ir_value *tt_emit1(lowering *l, op_code opcode, const ir_type *type, ir_value *a);
ir_value *tt_emit2(lowering *l, op_code opcode, const ir_type *type, ir_value *a, ir_value *b);
/* The operation that made a value, to set attributes. */
static inline ir_value *tt_with(ir_value *v, attr_id id, int64_t value) {
  ir_set_int(ir_defining_op(v), id, value);
  return v;
}

const ir_type *tt_tile(lowering *l, tsr_elem elem, uint32_t rank, const int64_t *shape);
/* The same shape, other elements. */
const ir_type *tt_like(lowering *l, const ir_type *t, tsr_elem elem);
ir_value *tt_constant(lowering *l, const ir_type *t, uint64_t pattern); /* of all elements */
ir_value *tt_int(lowering *l, const ir_type *t, int64_t value);
ir_value *tt_real(lowering *l, const ir_type *t, double value);
ir_value *tt_reshape(lowering *l, ir_value *v, uint32_t rank, const int64_t *shape);
ir_value *tt_broadcast(lowering *l, ir_value *v, uint32_t rank, const int64_t *shape);
ir_value *tt_splat(lowering *l, ir_value *v, uint32_t rank, const int64_t *shape);
/* A vector, as dimension `dim` of the shape. */
ir_value *tt_along(lowering *l, ir_value *v, uint32_t dim, uint32_t rank, const int64_t *shape);
ir_value *tt_iota(lowering *l, tsr_elem elem, int64_t count);
ir_value *tt_compare(lowering *l, ir_cmp_predicate p, bool is_signed, ir_value *a, ir_value *b);
ir_value *tt_convert_int(lowering *l, ir_value *v, tsr_elem elem, bool is_signed);
ir_value *tt_float(lowering *l, ir_value *v, tsr_elem elem); /* ftof; the same when it is one */
ir_value *tt_round_float(lowering *l, ir_value *v, tsr_elem elem, ir_rounding mode);
ir_value *tt_is_nan(lowering *l, ir_value *v);
ir_value *tt_select(lowering *l, ir_value *c, ir_value *a, ir_value *b);
/* Along one dimension, by an operation of two elements that has this identity. */
ir_value *tt_reduce(lowering *l, ir_value *v, uint32_t dim, op_code code, uint64_t identity);

/* The operand's value now; NULL after an error. */
ir_value *tt_use(lowering *l, const tt_op *op, uint32_t i);
/* The value takes the place of the result; false when the text gave it another type. */
bool tt_set(lowering *l, tt_op *op, uint32_t i, ir_value *v);
const ir_type *tt_result_tile(const tt_op *op, uint32_t i); /* NULL: there is no such result */
/* An attribute of kind TT_INT; `otherwise` when there is none. */
int64_t tt_int_attr(const tt_op *op, const char *name, int64_t otherwise);
/* The index of a word among the names, by its place among the words of the custom form or by the
 * integer that the generic form has; -1 after an error. */
int tt_enum(lowering *l, const tt_op *op, const char *attr, unsigned word, const char *const *names,
            unsigned n);

/* ---- order.c -----------------------------------------------------------------------------------
 */

/* Both; either may be NULL. */
ir_value *tt_join(lowering *l, ir_value *a, ir_value *b);
ir_value *tt_before_write(lowering *l); /* the token that a write waits for; NULL */
void tt_after_write(lowering *l, ir_value *token);
void tt_after_read(lowering *l, ir_value *token);
/* What the operations of a region do to memory. */
unsigned tt_effects_of(lowering *l, const tt_region *region);
/* Tokens through regions: how an operation with regions that have such effects takes the order in
 * (NULL: it takes none), what its regions begin with, what they end with, and what is behind it. */
ir_value *tt_order_in(lowering *l, unsigned effects);
void tt_order_begin(lowering *l, unsigned effects, ir_value *token);
ir_value *tt_order_end(lowering *l, unsigned effects);
void tt_order_out(lowering *l, unsigned effects, tt_order before, ir_value *token);

/* ---- assume.c ----------------------------------------------------------------------------------
 */

/* What attributes of an operation or a parameter say of its value. */
void tt_assume_attrs(lowering *l, ir_value **v, const tt_attr *attrs);

/* ---- flow.c ------------------------------------------------------------------------------------
 */

bool tt_lower_kernel(lowering *l, tt_function *f);
bool tt_lower_ops(lowering *l, tt_block *b, tt_op **terminator); /* all but the terminator */
bool tt_is_terminator(const tt_op *op);
/* The blocks of a region of `op`, whose arguments have values, here; what they give at the end:
 * at most TT_MAX_VALUES values. */
bool tt_lower_blocks(lowering *l, const tt_op *op, const tt_region *r, ir_value **out, uint32_t *n);

/* ---- the operations, by rows.c ------------------------------------------------------------------
 */

bool tt_lower_constant(lowering *l, tt_op *op);
bool tt_lower_poison(lowering *l, tt_op *op);
bool tt_lower_binary(lowering *l, tt_op *op);
bool tt_lower_unary(lowering *l, tt_op *op);
bool tt_lower_minmax(lowering *l, tt_op *op);
bool tt_lower_compare_int(lowering *l, tt_op *op);
bool tt_lower_compare_float(lowering *l, tt_op *op);
bool tt_lower_select(lowering *l, tt_op *op);
bool tt_lower_int_cast(lowering *l, tt_op *op);
bool tt_lower_cast(lowering *l, tt_op *op);
bool tt_lower_fp_to_fp(lowering *l, tt_op *op);
bool tt_lower_bitcast(lowering *l, tt_op *op);
bool tt_lower_clamp(lowering *l, tt_op *op);
bool tt_lower_composed(lowering *l, tt_op *op);
bool tt_lower_extern(lowering *l, tt_op *op);
bool tt_lower_addptr(lowering *l, tt_op *op);
bool tt_lower_load(lowering *l, tt_op *op);
bool tt_lower_store(lowering *l, tt_op *op);
bool tt_lower_rmw(lowering *l, tt_op *op);
bool tt_lower_cas(lowering *l, tt_op *op);
bool tt_lower_atomic_load(lowering *l, tt_op *op);
bool tt_lower_atomic_store(lowering *l, tt_op *op);
bool tt_lower_atomic_poll(lowering *l, tt_op *op);
bool tt_lower_descriptor(lowering *l, tt_op *op);
bool tt_lower_descriptor_load(lowering *l, tt_op *op);
bool tt_lower_descriptor_store(lowering *l, tt_op *op);
bool tt_lower_descriptor_reduce(lowering *l, tt_op *op);
bool tt_lower_descriptor_gather(lowering *l, tt_op *op);
bool tt_lower_descriptor_scatter(lowering *l, tt_op *op);
bool tt_lower_range(lowering *l, tt_op *op);
bool tt_lower_splat(lowering *l, tt_op *op);
bool tt_lower_reshape(lowering *l, tt_op *op);
bool tt_lower_broadcast(lowering *l, tt_op *op);
bool tt_lower_trans(lowering *l, tt_op *op);
bool tt_lower_cat(lowering *l, tt_op *op);
bool tt_lower_join(lowering *l, tt_op *op);
bool tt_lower_split(lowering *l, tt_op *op);
bool tt_lower_gather(lowering *l, tt_op *op);
bool tt_lower_histogram(lowering *l, tt_op *op);
bool tt_lower_dot(lowering *l, tt_op *op);
bool tt_lower_dot_scaled(lowering *l, tt_op *op);
bool tt_lower_fp4_to_fp(lowering *l, tt_op *op);
bool tt_lower_reduce(lowering *l, tt_op *op);
bool tt_lower_scan(lowering *l, tt_op *op);
bool tt_lower_map_elementwise(lowering *l, tt_op *op);
bool tt_lower_program_id(lowering *l, tt_op *op);
bool tt_lower_print(lowering *l, tt_op *op);
bool tt_lower_assert(lowering *l, tt_op *op);
bool tt_lower_assume(lowering *l, tt_op *op);
bool tt_lower_nothing(lowering *l, tt_op *op);
bool tt_lower_refused(lowering *l, tt_op *op);
bool tt_lower_call(lowering *l, tt_op *op);
bool tt_lower_for(lowering *l, tt_op *op);
bool tt_lower_while(lowering *l, tt_op *op);
bool tt_lower_if(lowering *l, tt_op *op);

#endif
