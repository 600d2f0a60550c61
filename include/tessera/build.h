/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Building a module operation by operation, from C.
 *
 *   tsr_builder *b = tsr_builder_create(ctx, "example");
 *   tsr_type f32 = tsr_type_scalar(b, TSR_F32), ptr = tsr_type_pointer(b, TSR_F32);
 *   tsr_build_entry(b, "scale", TSR_TYPES(ptr, f32));             // begins a kernel
 *   tsr_value p = tsr_build_arg(b, 0), a = tsr_build_arg(b, 1);
 *   tsr_value x = tsr_build_load_ptr_tko(b, p, TSR_MEMORY_WEAK);
 *   tsr_value y = tsr_build_mulf(b, x, a, .rounding_mode = TSR_ROUND_ZERO);
 *   tsr_build_store_ptr_tko(b, p, y, TSR_MEMORY_WEAK, .token = tsr_result_of(x, 1));
 *   tsr_build_end(b);                                             // and ends it
 *   tsr_module *m = tsr_builder_finish(b);                        // checked; NULL if it is wrong
 *
 * There is one tsr_build_<operation> for every operation, in tessera/ops.h, which is made from the
 * operation table. Its arguments are the fields of struct tsr_<operation>_args after the builder:
 * in order as far as they are needed, or by name. What is left out is absent or has its default.
 * (These are macros with designated initialisers: for C. Bindings of other languages use
 * tsr_build_op, which takes names.) `tessera explain` says what each operation does.
 *
 * Result types follow from the operands where they can; otherwise there is a field `type`.
 *
 * Errors. An operation that cannot be built (an operand of a wrong type, a missing attribute) is
 * reported with the file and line of the C code that asked for it, and NULL is returned; whatever
 * uses that NULL is then left out silently. So nothing needs to be checked before
 * tsr_builder_finish, which returns NULL if anything went wrong. All other rules of the language
 * are checked there.
 *
 * Ownership. Types, values and operations belong to the builder, then to the module. Everything
 * handed in (strings, arrays) is copied.
 *
 * Threads: as a context, whose a builder is.
 */
#ifndef TESSERA_BUILD_H
#define TESSERA_BUILD_H

#include <tessera/base.h>
#include <tessera/elem.h>
#include <tessera/module.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tsr_builder tsr_builder;
typedef const struct ir_type *tsr_type;
typedef struct ir_value *tsr_value;
typedef struct ir_op tsr_op;

/* ---- lists ---------------------------------------------------------------------------------- */

typedef struct tsr_ints {
  const int64_t *data;
  size_t len;
} tsr_ints;

typedef struct tsr_values {
  const tsr_value *data;
  size_t len;
} tsr_values;

typedef struct tsr_types {
  const tsr_type *data;
  size_t len;
} tsr_types;

/* A constant of a scalar type; the value lies in `bits` as in tessera/elem.h. */
typedef struct tsr_scalar {
  tsr_elem elem;
  uint64_t bits;
} tsr_scalar;

typedef struct tsr_scalars {
  const tsr_scalar *data;
  size_t len;
} tsr_scalars;

/* Lists in place: TSR_INTS(64, 64), TSR_VALUES(x, y). Not empty ones: leave those out, or write
 * (tsr_values){0}. They live as long as the block of C code that they are in. */
#define TSR_LIST_(list, item, ...)                                                                 \
  ((list){(const item[]){__VA_ARGS__}, sizeof((const item[]){__VA_ARGS__}) / sizeof(item)})
#define TSR_INTS(...)    TSR_LIST_(tsr_ints, int64_t, __VA_ARGS__)
#define TSR_VALUES(...)  TSR_LIST_(tsr_values, tsr_value, __VA_ARGS__)
#define TSR_TYPES(...)   TSR_LIST_(tsr_types, tsr_type, __VA_ARGS__)
#define TSR_SCALARS(...) TSR_LIST_(tsr_scalars, tsr_scalar, __VA_ARGS__)

/* An integer modulo the type's width (a number of a float type), or a number rounded to the nearest
 * value of a float type. */
TSR_API tsr_scalar tsr_scalar_int(tsr_elem elem, int64_t value);
TSR_API tsr_scalar tsr_scalar_real(tsr_elem elem, double value);

/* ---- builders ------------------------------------------------------------------------------- */

/* An empty module named `name`. NULL when there is no memory. */
TSR_API tsr_builder *tsr_builder_create(tsr_context *context, const char *name);

/* Checks the module and hands it over; the builder is gone in any case. NULL when something was
 * reported, here or before. */
TSR_API tsr_module *tsr_builder_finish(tsr_builder *builder);

/* Throws away what was built. NULL is allowed. */
TSR_API void tsr_builder_destroy(tsr_builder *builder);

/* Whether an error was reported; what is built from then on is for nothing. */
TSR_API bool tsr_builder_failed(const tsr_builder *builder);

/* ---- types ---------------------------------------------------------------------------------- */

/* A dimension or stride of a tensor view that a value gives: '?'. */
#define TSR_DYNAMIC INT64_MIN

/* What reads outside of a tensor view give. 0, TSR_PADDING_NONE: an unspecified value. */
typedef enum tsr_padding {
  TSR_PADDING_NONE,
  TSR_PADDING_ZERO,
  TSR_PADDING_NEG_ZERO,
  TSR_PADDING_NAN,
  TSR_PADDING_POS_INF,
  TSR_PADDING_NEG_INF
} tsr_padding;

/* A type that may not exist is reported, and NULL returned. Equal types are equal pointers. */
TSR_API tsr_type tsr_type_scalar(tsr_builder *b, tsr_elem elem);               /* tile<f32> */
TSR_API tsr_type tsr_type_tile(tsr_builder *b, tsr_elem elem, tsr_ints shape); /* tile<64x4xf32> */
TSR_API tsr_type tsr_type_pointer(tsr_builder *b, tsr_elem pointee);           /* tile<ptr<f32>> */
TSR_API tsr_type tsr_type_pointers(tsr_builder *b, tsr_elem pointee, tsr_ints shape);
/* The same pointers, or tensor_view, with #cuda_tile.ptr_attr<none> (since 13.4). */
TSR_API tsr_type tsr_type_attributed(tsr_builder *b, tsr_type type);
TSR_API tsr_type tsr_type_token(tsr_builder *b);
/* tensor_view<?x64xf32, strides=[64,1]> */
TSR_API tsr_type tsr_type_tensor_view(tsr_builder *b, tsr_elem elem, tsr_ints shape,
                                      tsr_ints strides);
/* Tiles of shape `tile` over a tensor view. `dim_map` empty: the identity. */
TSR_API tsr_type tsr_type_partition_view(tsr_builder *b, tsr_ints tile, tsr_type view,
                                         tsr_ints dim_map, tsr_padding padding);
TSR_API tsr_type tsr_type_strided_view(tsr_builder *b, tsr_ints tile, tsr_ints traversal_strides,
                                       tsr_type view, tsr_ints dim_map, tsr_padding padding);
TSR_API tsr_type tsr_type_gather_scatter_view(tsr_builder *b, tsr_ints tile, tsr_type view,
                                              unsigned sparse_dim, tsr_padding padding);
/* A tile type of another element type (TSR_PTR isn't one) and the same shape. */
TSR_API tsr_type tsr_type_with_elem(tsr_builder *b, tsr_type tile, tsr_elem elem);

TSR_API tsr_type tsr_value_type(tsr_value value); /* NULL of NULL */
/* Of a tile or tensor view: element type (TSR_ELEM_COUNT of others) and shape. */
TSR_API tsr_elem tsr_type_elem(tsr_type type);
TSR_API tsr_ints tsr_type_shape(tsr_type type);

/* ---- kernels, regions, globals -------------------------------------------------------------- */

/* (These are functions; the macros add where they are called.)
 *
 *   tsr_op *tsr_build_entry(tsr_builder *b, const char *name, tsr_types parameters)
 *
 * Begins a kernel: what is built from here on goes into it, until tsr_build_end. */
#define tsr_build_entry(...) tsr_build_entry_at(__FILE__, __LINE__, __VA_ARGS__)

/* void tsr_build_end(tsr_builder *b)
 *
 * Ends the innermost open region: a kernel's, or that of for, loop, if, reduce, scan, which are
 * open once they have been built. A region that may end without a word (return, yield or continue
 * of nothing) need not have it built. */
#define tsr_build_end(...) tsr_build_end_at(__FILE__, __LINE__, __VA_ARGS__)

/* void tsr_build_else(tsr_builder *b)
 *
 * Ends the first region of the innermost `if` and begins the second. */
#define tsr_build_else(...) tsr_build_else_at(__FILE__, __LINE__, __VA_ARGS__)

/* tsr_value tsr_build_arg(tsr_builder *b, size_t index)
 *
 * Argument `index` of the innermost open region: a kernel's parameter; for: the induction variable,
 * then the iteration values; loop: the iteration values; reduce and scan: (current, previous) for
 * each operand. */
#define tsr_build_arg(...) tsr_build_arg_at(__FILE__, __LINE__, __VA_ARGS__)

/* tsr_op *tsr_build_global(tsr_builder *b, const char *name, tsr_type type, const void *data,
 *                          size_t bytes, uint64_t alignment)
 *
 * Memory that lives as long as the module: the elements, packed as in memory, of a tile of rank 1.
 * tsr_build_get_global gives its address. `alignment` in bytes; 0: no wish. */
#define tsr_build_global(...) tsr_build_global_at(__FILE__, __LINE__, __VA_ARGS__)

/* ---- constants and shapes ------------------------------------------------------------------- */

/* tsr_value tsr_build_constant(tsr_builder *b, tsr_type type, const void *data, size_t bytes)
 * tsr_value tsr_build_int(tsr_builder *b, tsr_type type, int64_t value)
 * tsr_value tsr_build_real(tsr_builder *b, tsr_type type, double value)
 *
 * A tile from its elements, packed as in memory (tsr_elem_storage), or full of one number. */
#define tsr_build_constant(...) tsr_build_constant_at(__FILE__, __LINE__, __VA_ARGS__)
#define tsr_build_int(...)      tsr_build_int_at(__FILE__, __LINE__, __VA_ARGS__)
#define tsr_build_real(...)     tsr_build_real_at(__FILE__, __LINE__, __VA_ARGS__)

/* tsr_value tsr_build_splat(tsr_builder *b, tsr_value scalar, tsr_ints shape)
 *
 * A tile of `shape` full of a scalar: reshape and broadcast. */
#define tsr_build_splat(...) tsr_build_splat_at(__FILE__, __LINE__, __VA_ARGS__)

/* ---- operations in general ------------------------------------------------------------------ */

/* Result `index` of an operation; of the operation that `value` is a result of. */
TSR_API tsr_value tsr_op_result(tsr_op *op, size_t index);
TSR_API tsr_value tsr_result_of(tsr_value value, size_t index);
TSR_API size_t tsr_op_result_count(const tsr_op *op);

/* What the value is called when the module is printed: letters, digits, '_', '$', '.', '-'. */
TSR_API void tsr_value_set_name(tsr_builder *b, tsr_value value, const char *name);

/* Adds an optimization hint to a kernel (`op` NULL: the one that is being built), load or store:
 * target "sm_90", "default" …; keys are in `tessera explain`. A hint that is given again replaces
 * the first. */
TSR_API void tsr_build_hint_int(tsr_builder *b, tsr_op *op, const char *target, const char *key,
                                int64_t value);
TSR_API void tsr_build_hint_bool(tsr_builder *b, tsr_op *op, const char *target, const char *key,
                                 bool value);

typedef enum tsr_predicate_kind {
  TSR_PREDICATE_DIV_BY,
  TSR_PREDICATE_SAME_ELEMENTS,
  TSR_PREDICATE_BOUNDED
} tsr_predicate_kind;

/* What `assume` states: TSR_DIV_BY(16), TSR_BOUNDED(0, 1023), or any by hand. */
typedef struct tsr_predicate {
  tsr_predicate_kind kind;
  bool has_every, has_lower, has_upper;
  uint64_t divisor;     /* div_by */
  int64_t every, along; /* div_by, when has_every */
  int64_t lower, upper; /* bounded, inclusive */
  tsr_ints same;        /* same_elements */
} tsr_predicate;

#define TSR_DIV_BY(n) (&(const tsr_predicate){.kind = TSR_PREDICATE_DIV_BY, .divisor = (n)})
#define TSR_BOUNDED(low, high)                                                                     \
  (&(const tsr_predicate){.kind = TSR_PREDICATE_BOUNDED,                                           \
                          .has_lower = true,                                                       \
                          .has_upper = true,                                                       \
                          .lower = (low),                                                          \
                          .upper = (high)})

/* An attribute by its name in the operation table. One field counts, by the attribute's kind. */
typedef struct tsr_attr {
  const char *name;
  int64_t i;     /* integers, flags (not 0); an enum's TSR_… value */
  const char *s; /* strings, symbols; also an enum's spelling: "nearest_even" */
  tsr_ints ints;
  tsr_scalars scalars;
  const tsr_predicate *predicate;
  const struct tsr_layout *layout; /* tessera/block.h */
} tsr_attr;

/* An operation by name, for bindings. */
typedef struct tsr_op_spec {
  const char *name;
  const tsr_values
      *operands; /* one list per operand group of the table; later ones may be left out */
  size_t operand_groups;
  const tsr_attr *attrs; /* in any order */
  size_t attr_count;
  tsr_types types;  /* of all results; empty: as far as they follow from the operands */
  const char *file; /* where it came from, for messages; may be NULL */
  unsigned line;
  unsigned column; /* counts bytes from 1; 0: unknown */
} tsr_op_spec;

/* Adds an operation at the end of the innermost open region; opens the first of its own, if it has
 * any. Not for module, entry, global, constant. NULL when it is wrong. */
TSR_API tsr_op *tsr_build_op(tsr_builder *b, const tsr_op_spec *spec);

/* ---- behind the macros ---------------------------------------------------------------------- */

TSR_API tsr_op *tsr_build_entry_at(const char *file, unsigned line, tsr_builder *b,
                                   const char *name, tsr_types parameters);
TSR_API void tsr_build_end_at(const char *file, unsigned line, tsr_builder *b);
TSR_API void tsr_build_else_at(const char *file, unsigned line, tsr_builder *b);
TSR_API tsr_value tsr_build_arg_at(const char *file, unsigned line, tsr_builder *b, size_t index);
TSR_API tsr_op *tsr_build_global_at(const char *file, unsigned line, tsr_builder *b,
                                    const char *name, tsr_type type, const void *data, size_t bytes,
                                    uint64_t alignment);
TSR_API tsr_value tsr_build_constant_at(const char *file, unsigned line, tsr_builder *b,
                                        tsr_type type, const void *data, size_t bytes);
TSR_API tsr_value tsr_build_int_at(const char *file, unsigned line, tsr_builder *b, tsr_type type,
                                   int64_t value);
TSR_API tsr_value tsr_build_real_at(const char *file, unsigned line, tsr_builder *b, tsr_type type,
                                    double value);
TSR_API tsr_value tsr_build_splat_at(const char *file, unsigned line, tsr_builder *b,
                                     tsr_value scalar, tsr_ints shape);
/* `args` is a struct tsr_<op>_args; its first two fields are these. */
TSR_API tsr_op *tsr_build_args_at(const char *file, unsigned line, const char *op,
                                  const void *args);
TSR_API tsr_value tsr_build_value_at(const char *file, unsigned line, const char *op,
                                     const void *args);

#define TSR_ARGS_HEAD                                                                              \
  size_t size_;                                                                                    \
  tsr_builder *b
#define TSR_ARGS_(op, ...)                                                                         \
  &(struct tsr_##op##_args) {                                                                      \
    .size_ = sizeof(struct tsr_##op##_args), __VA_ARGS__                                           \
  }
#define TSR_BUILD_OP_(op, ...)                                                                     \
  tsr_build_args_at(__FILE__, __LINE__, #op, (TSR_ARGS_(op, __VA_ARGS__)))
#define TSR_BUILD_VALUE_(op, ...)                                                                  \
  tsr_build_value_at(__FILE__, __LINE__, #op, (TSR_ARGS_(op, __VA_ARGS__)))

#ifdef __cplusplus
}
#endif

#include <tessera/ops.h>

#endif
