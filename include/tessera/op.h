/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Operators: matrix products, norms, reductions and others, for the types, layouts and sizes that a
 * program has. Link with libtessera-ops, which needs libtessera.
 *
 *   tsr_op_library *ops = tsr_op_library_create(dev, NULL);
 *   tsr_op_plan *plan = tsr_op_plan_get(
 *       ops, &(tsr_op_problem){.struct_size = sizeof(tsr_op_problem),
 *                              .text = "gemm:type=bf16,b=column,epilogue=bias:n+gelu",
 *                              .settings = (tsr_op_setting[]){TSR_OP_INT("m", rows),
 *                                                             TSR_OP_INT("n", 4096),
 *                                                             TSR_OP_INT("k", 1024)},
 *                              .n_settings = 3});
 *   tsr_op_argument args[] = {{"a", tsr_arg_buffer(a)}, {"b", tsr_arg_buffer(b)},
 *                             {"bias", tsr_arg_buffer(bias)}, {"c", tsr_arg_buffer(c)}};
 *   tsr_status s = tsr_op_launch(plan, NULL, args, 4);
 *
 * A family of operators (gemm, softmax, ...) has a table of parameters. A problem is a value for
 * each: what the tensors hold and how they lie, their sizes, and how to compute, where that is not
 * left open. What a kernel is made from is an instance: a problem without its sizes. Its name is
 * its text, which can be given as a problem again. A plan is an instance, compiled, with the sizes.
 *
 * Texts are `family:parameter=value,parameter=value`; a comma in parentheses is part of a value.
 * What is not given has its default. `tessera op explain FAMILY` shows the parameters, the tensors
 * and the epilogues.
 *
 * Element types of a program's own are structures of up to four numbers whose arithmetic is given
 * as expressions, a field after the other: the fields of the first structure are a, b, ..., those
 * of the second one the letters that follow. The family `custom` has their products, reductions and
 * functions. Of struct { _Float16 re, im; }, complex numbers:
 *
 *   .text = "custom:type=f16,fields=2,multiply=a*c-b*d;a*d+b*c,add=a+c;b+d,zero=0;0"
 *
 * Tensors. Sizes and strides count elements. A stride of 0 lets a tensor that is read repeat;
 * `packed` is the stride that leaves no gap. Strides are not negative. Any size may be 0. Addresses
 * are multiples of the element's size. Results may not overlap with any other tensor, but that one
 * that is also read (gemm's c with beta) is one tensor.
 *
 * Errors. As in <tessera/base.h>: what cannot be done is reported with the parameter or the tensor,
 * its value, and what would be accepted, before anything is written.
 *
 * Lifetimes. A library belongs to its device and is destroyed before it; plans belong to their
 * library.
 *
 * Threads. All functions that take a library or a plan may be called by several threads at once,
 * and while other threads launch kernels of the same device. Launches that run at the same time
 * need workspaces of their own.
 */
#ifndef TESSERA_OP_H
#define TESSERA_OP_H

#include <tessera/base.h>
#include <tessera/elem.h>
#include <tessera/module.h>
#include <tessera/runtime.h>
#include <tessera/stream.h>
#include <tessera/tune.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tsr_op_library tsr_op_library;
typedef struct tsr_op_plan tsr_op_plan;

/* ---- families ------------------------------------------------------------------------------- */

typedef enum tsr_op_role {
  TSR_OP_FORM,    /* what is computed, types and layouts: part of an instance */
  TSR_OP_SIZE,    /* sizes, strides, numbers: given to the kernel when it is launched */
  TSR_OP_CHOICE,  /* how it is computed; `auto` leaves it open */
  TSR_OP_DERIVED, /* part of an instance, follows from the rest of a problem */
} tsr_op_role;

typedef enum tsr_op_kind {
  TSR_OP_INTEGER, /* also a word of `words`, where there are some */
  TSR_OP_REAL,
  TSR_OP_TYPE,   /* an element type; u8, u16, u32, u64 are read as unsigned */
  TSR_OP_CHOSEN, /* one of `words` */
  TSR_OP_TEXT,   /* a specification with a syntax of its own */
} tsr_op_kind;

/* A row of a family's table. Texts are static. */
typedef struct tsr_op_parameter {
  size_t struct_size; /* sizeof(tsr_op_parameter), set by the caller */
  const char *name;
  tsr_op_kind kind;
  tsr_op_role role;
  int64_t least, most;       /* of integers */
  const char *words;         /* "row column"; NULL: none */
  const char *default_value; /* as it is written */
  const char *about;
} tsr_op_parameter;

TSR_API size_t tsr_op_family_count(void);
TSR_API const char *tsr_op_family_name(size_t index);        /* NULL past the last */
TSR_API const char *tsr_op_family_about(const char *family); /* NULL: no such family */
TSR_API size_t tsr_op_parameter_count(const char *family);   /* 0: no such family */
/* Row `index` of the table; TSR_ERROR_USAGE past the last, without a message. */
TSR_API tsr_status tsr_op_parameter_get(const char *family, size_t index, tsr_op_parameter *out);

/* ---- problems ------------------------------------------------------------------------------- */

/* A value of one parameter: a word, which may be any value as it is written, or a number. */
typedef struct tsr_op_setting {
  const char *name;
  const char *word; /* NULL: the number */
  int64_t integer;  /* of integers */
  double real;      /* of reals */
} tsr_op_setting;

#define TSR_OP_INT(name, value)                                                                    \
  { (name), NULL, (value), 0 }
#define TSR_OP_NUMBER(name, value)                                                                 \
  { (name), NULL, 0, (value) }
#define TSR_OP_WORD(name, value)                                                                   \
  { (name), (value), 0, 0 }

/* `text` names the family, and values of parameters; `settings` go before what it says. */
typedef struct tsr_op_problem {
  size_t struct_size; /* sizeof(tsr_op_problem) */
  const char *text;
  const tsr_op_setting *settings;
  size_t n_settings;
} tsr_op_problem;

/* A tensor of a problem. */
typedef enum tsr_op_use { TSR_OP_READ, TSR_OP_WRITTEN, TSR_OP_UPDATED } tsr_op_use;

enum { TSR_OP_MAX_RANK = 8 };

typedef struct tsr_op_operand {
  size_t struct_size; /* sizeof(tsr_op_operand), set by the caller */
  const char *name;   /* belongs to the plan */
  tsr_elem elem;
  bool is_unsigned; /* integers */
  tsr_op_use use;
  unsigned rank;
  int64_t shape[TSR_OP_MAX_RANK], strides[TSR_OP_MAX_RANK];
  size_t bytes; /* from its first element to its last */
} tsr_op_operand;

/* Whether the problem can be computed; if not, why, into `why` like snprintf (`size` may be 0).
 * Nothing is compiled or reported. `device` NULL: whether any device could. */
TSR_API bool tsr_op_is_supported(tsr_device *device, const tsr_op_problem *problem, char *why,
                                 size_t size);

/* The module with the kernels of a problem, for a target (NULL: the host's processor): what
 * tsr_module_emit and others take. Choices that are left open are made as for the sizes. NULL after
 * a message. Belongs to the caller. */
TSR_API tsr_module *tsr_op_build(tsr_context *context, const tsr_op_problem *problem);

/* ---- plans ---------------------------------------------------------------------------------- */

typedef struct tsr_op_library_options {
  size_t struct_size;      /* sizeof(tsr_op_library_options) */
  tsr_tuning_store *store; /* where choices are looked up; of the device's context; NULL: the cost
                              model decides. Stays until the library is destroyed. */
} tsr_op_library_options;

/* `options` may be NULL. NULL after a message. */
TSR_API tsr_op_library *tsr_op_library_create(tsr_device *device,
                                              const tsr_op_library_options *options);
TSR_API void tsr_op_library_destroy(tsr_op_library *library); /* and its plans; NULL is allowed */

/* The plan of a problem, compiled the first time, or taken from the cache on disk. The same problem
 * gives the same plan; problems that differ in their sizes share kernels. NULL after a message. */
TSR_API tsr_op_plan *tsr_op_plan_get(tsr_op_library *library, const tsr_op_problem *problem);

TSR_API const char *tsr_op_plan_problem(const tsr_op_plan *plan);  /* its text, with all choices */
TSR_API const char *tsr_op_plan_instance(const tsr_op_plan *plan); /* the name of its instance */
/* Bytes of memory that a launch needs besides its tensors, as the argument "workspace"; 0: none. */
TSR_API size_t tsr_op_plan_workspace(const tsr_op_plan *plan);
/* Floating-point (or integer) operations of a launch, and the bytes that it must at least read and
 * write. */
TSR_API double tsr_op_plan_flops(const tsr_op_plan *plan);
TSR_API double tsr_op_plan_bytes(const tsr_op_plan *plan);
TSR_API size_t tsr_op_plan_operand_count(const tsr_op_plan *plan);
/* TSR_ERROR_USAGE past the last, without a message. */
TSR_API tsr_status tsr_op_plan_operand(const tsr_op_plan *plan, size_t index, tsr_op_operand *out);
/* Launches that the plan consists of. */
TSR_API size_t tsr_op_plan_step_count(const tsr_op_plan *plan);

/* Memory for an operand of the name, or for "workspace". */
typedef struct tsr_op_argument {
  const char *name;
  tsr_arg arg; /* a buffer, or an address; NULL is an address where a tensor has no elements */
} tsr_op_argument;

/* Executes the plan; with a stream without waiting, on it. Arguments stand in any order. A buffer
 * must be large enough; memory that is given by its address is taken to be. Reports and returns
 * TSR_ERROR_USAGE for what is wrong with the arguments, and nothing has been written; otherwise as
 * tsr_launch. */
TSR_API tsr_status tsr_op_launch(tsr_op_plan *plan, tsr_stream *stream, const tsr_op_argument *args,
                                 size_t n_args);

/* The same in plain C, with sums of f64, on memory of the host: what results are compared with.
 * Slow. Arguments are addresses; no workspace is needed. */
TSR_API tsr_status tsr_op_reference(const tsr_op_plan *plan, const tsr_op_argument *args,
                                    size_t n_args);

/* ---- instances ------------------------------------------------------------------------------ */

/* What became of an instance that a problem could be computed with. All pointers are valid only
 * during the call. */
typedef struct tsr_op_candidate {
  const char *instance; /* its name */
  const char *refused;  /* why it cannot be used; NULL: it can */
  double estimate_ms;   /* what the cost model says */
} tsr_op_candidate;

/* Calls `each` for every instance, the one with the lowest estimate first and refused ones last,
 * until it returns false. It calls nothing of the library. */
typedef bool (*tsr_op_visit)(void *user, const tsr_op_candidate *candidate);
TSR_API tsr_status tsr_op_instances(tsr_op_library *library, const tsr_op_problem *problem,
                                    tsr_op_visit each, void *user);

/* How long a launch takes; as tsr_bench, for all steps of the plan together. */
TSR_API tsr_status tsr_op_bench(tsr_op_plan *plan, const tsr_op_argument *args, size_t n_args,
                                const tsr_bench_options *options, tsr_bench_result *result);

/* What was measured of an instance. All pointers are valid only during the call. */
typedef struct tsr_op_measurement {
  const char *instance;
  const char *refused; /* why there is no time: not supported, failed, wrong; NULL: there is */
  double median_ms;
  double spread_ms; /* between the 20th and the 80th of 100 */
  unsigned samples;
  double min_ms; /* the shortest, which other programs disturb least */
  bool pruned;   /* refused because its work alone (tsr_bound) takes longer than the fastest one so
                    far: it was neither compiled nor executed */
} tsr_op_measurement;

/* What a search came to. */
typedef struct tsr_op_tuning {
  unsigned measured; /* instances */
  unsigned in_doubt; /* that were measured anew, in turns, as one may be as fast as the other */
  double noise; /* the 20th to the 80th of 100 times of an instance, as a part of their median; half
                   of the instances have less */
} tsr_op_tuning;

typedef struct tsr_op_tune_options {
  size_t struct_size; /* sizeof(tsr_op_tune_options) */
  double seconds;     /* that measuring may take, about; 0: 10 */
  /* Called after an instance has been launched on the arguments: NULL when its results are right,
   * else what is wrong. May be NULL. Calls nothing of the library but tsr_buffer_read. */
  const char *(*judge)(void *user);
  /* Called for every instance in the order in which they were tried; false ends the search. */
  bool (*each)(void *user, const tsr_op_measurement *measurement);
  void *user;
  tsr_op_tuning *found; /* gets what the search came to; may be NULL */
} tsr_op_tune_options;

/* Measures the instances of a problem, those with the lowest estimates first, on arguments without
 * a workspace, and those that may be the fastest once more, in turns, for a quarter of the time.
 * Plans that are got later take the fastest; the library's store keeps the times for other
 * processes. `options` may be NULL. */
TSR_API tsr_status tsr_op_tune(tsr_op_library *library, const tsr_op_problem *problem,
                               const tsr_op_argument *args, size_t n_args,
                               const tsr_op_tune_options *options);

#ifdef __cplusplus
}
#endif
#endif
