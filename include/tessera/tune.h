/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tuning: which of many versions of a kernel is the fastest here, and remembering it.
 *
 *   tsr_tune_space *space = tsr_tune_space_create(ctx);
 *   tsr_tune_space_add_ints(space, "BM", (int64_t[]){32, 64, 128}, 3);
 *   tsr_tune_space_add_ints(space, "BN", (int64_t[]){32, 64, 128}, 3);
 *   tsr_tune_space_set_size(space, "m", m);
 *   tsr_tune_space_set_size(space, "n", n);
 *   tsr_tune_space_add_condition(space, "BM * BN <= 8192");
 *   tsr_tuning_store *store = tsr_tuning_store_open(ctx, NULL);
 *   tsr_tuned *best = tsr_tune(&(tsr_tune_problem){.struct_size = sizeof(tsr_tune_problem),
 *                                                  .device = dev, .space = space,
 *                                                  .text = text, .length = strlen(text),
 *                                                  .grid = "cdiv(m, BM), cdiv(n, BN)",
 *                                                  .args = args, .n_args = 6},
 *                              &(tsr_tune_options){.struct_size = sizeof(tsr_tune_options),
 *                                                  .store = store});
 *   tsr_launch(tsr_tuned_kernel(best), tsr_tuned_grid(best), args, 6);
 *
 * A space has parameters with the values to try, and the sizes of the problem at hand. A choice is
 * one value for each parameter; the kernel that is made with it is a candidate. Candidates are
 * compiled by several threads, those with the same machine code are timed once, those that cannot
 * be the fastest are left out, all others are compared with the first, and the slow ones are given
 * up early. What was found is kept in a store, where the next run finds it. Docs: docs/tuning.md.
 *
 * Expressions, in conditions, grids and `${...}` of texts, are of integers and of the names of
 * parameters and sizes, with the operators of C (+ - * / % == != < <= > >= && || ! and
 * parentheses), words in quotes, which == and != compare ('row'), and the functions min, max, cdiv
 * (a quotient rounded up) and pow2 (the next power of two). They are calculated in 64 bits; an
 * overflow, and a division by zero, is an error.
 *
 * Errors, ownership, threads: as in <tessera/base.h>. A space, a store and what tsr_tune returns
 * belong to their context and are destroyed before it; the latter also before its device.
 */
#ifndef TESSERA_TUNE_H
#define TESSERA_TUNE_H

#include <tessera/base.h>
#include <tessera/module.h>
#include <tessera/runtime.h>
#include <tessera/stream.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- spaces --------------------------------------------------------------------------------- */

typedef struct tsr_tune_space tsr_tune_space;
/* Belongs to its space, until that gets another parameter, size or condition. */
typedef struct tsr_tune_choice tsr_tune_choice;

/* NULL only without memory or without a context. */
TSR_API tsr_tune_space *tsr_tune_space_create(tsr_context *context);
TSR_API void tsr_tune_space_destroy(tsr_tune_space *space); /* NULL is allowed */

/* A parameter and its values, in the order in which they are tried; the first ones of all
 * parameters are the default. Names are those of C, and no two are the same. The values are copied.
 * TSR_ERROR_USAGE after a message. */
TSR_API tsr_status tsr_tune_space_add_ints(tsr_tune_space *space, const char *name,
                                           const int64_t *values, size_t count);
TSR_API tsr_status tsr_tune_space_add_words(tsr_tune_space *space, const char *name,
                                            const char *const *values, size_t count);
/* Names a number of the problem: a dimension, a stride. A name may be set again, for another
 * problem. Sizes are what records are found by. */
TSR_API tsr_status tsr_tune_space_set_size(tsr_tune_space *space, const char *name, int64_t value);
/* Choices for which the expression is 0 are left out. Names are looked up when choices are made. */
TSR_API tsr_status tsr_tune_space_add_condition(tsr_tune_space *space, const char *expression);
/* Likewise those for which `keep` returns false. It may ask the choice and nothing else. */
typedef bool (*tsr_tune_keep)(void *user, const tsr_tune_choice *choice);
TSR_API tsr_status tsr_tune_space_add_filter(tsr_tune_space *space, tsr_tune_keep keep, void *user);

/* How many choices meet the conditions; 0 after a message when a condition is wrong, or there are
 * more than 2^20 combinations, and also, without a message, when none meets them. */
TSR_API size_t tsr_tune_space_count(tsr_tune_space *space);
/* In the order of the values, that of the last parameter running fastest. NULL past the last. */
TSR_API const tsr_tune_choice *tsr_tune_space_choice(tsr_tune_space *space, size_t index);

/* The value of a parameter or size. False when there is no such number; not reported. */
TSR_API bool tsr_tune_choice_int(const tsr_tune_choice *choice, const char *name, int64_t *out);
/* NULL when there is no such parameter of words; not reported. Belongs to the space. */
TSR_API const char *tsr_tune_choice_word(const tsr_tune_choice *choice, const char *name);
/* "BM=64 BN=32", into `out` like snprintf. Returns the length needed. */
TSR_API size_t tsr_tune_choice_text(const tsr_tune_choice *choice, char *out, size_t size);
/* The value of an expression. TSR_ERROR_INPUT after a message. */
TSR_API tsr_status tsr_tune_choice_evaluate(const tsr_tune_choice *choice, const char *expression,
                                            int64_t *out);
/* A text with `${expression}` replaced by what it is. `name` is what messages call the text (NULL:
 * "<memory>"). The result ends with a zero byte and belongs to the caller: tsr_string_free. NULL
 * after a message. */
TSR_API char *tsr_tune_choice_substitute(const tsr_tune_choice *choice, const char *text,
                                         size_t length, const char *name, size_t *out_length);

/* ---- the store ------------------------------------------------------------------------------ */

/* The file of what tuning has found: an SQLite database, used by any number of processes at a time,
 * which may end at any moment. It keeps at most 50,000 records; the oldest go first. A file that is
 * damaged is put aside (FILE.broken) and begun anew.
 *
 * Without SQLite's library, or a file that can be used, a store forgets: nothing is found in it,
 * and what is put there is lost. That is a warning when it is opened and no error. */
typedef struct tsr_tuning_store tsr_tuning_store;

/* What was measured of one candidate. Texts are at most 4000 bytes, without line ends and tabs. */
typedef struct tsr_tuning_record {
  const char *kernel;     /* its name, for people */
  const char *program;    /* a hash of the text that candidates are made from */
  const char *space;      /* a hash of the candidates that there were */
  const char *sizes;      /* the key: "k=1024 m=1536" */
  const char *device;     /* its fingerprint: a processor and threads, or a GPU and its driver */
  const char *version;    /* Tessera's */
  const char *parameters; /* "BM=64 BN=32" */
  double median_ms;
  double spread_ms; /* between the quartiles */
  uint32_t samples;
  bool estimate; /* not measured on the device itself */
  int64_t time;  /* when, in seconds since 1970; 0 in what is put: now */
} tsr_tuning_record;

/* `path` NULL: TESSERA_TUNING, else XDG_DATA_HOME/tessera/tuning.sqlite, else the same below
 * ~/.local/share. "off" as either: a store that forgets, without a warning. The file and its folder
 * are made when something is put. NULL only without memory or without a context. */
TSR_API tsr_tuning_store *tsr_tuning_store_open(tsr_context *context, const char *path);
TSR_API void tsr_tuning_store_close(tsr_tuning_store *store); /* NULL is allowed */
/* NULL when it forgets. Belongs to the store. */
TSR_API const char *tsr_tuning_store_path(const tsr_tuning_store *store);

/* Adds records, or replaces those of the same program, sizes, device, version and parameters: all
 * of them or none. TSR_ERROR_IO after a message. */
TSR_API tsr_status tsr_tuning_store_put(tsr_tuning_store *store, const tsr_tuning_record *records,
                                        size_t count);
/* Calls `each` for the records whose texts are those of `like`, where that has some (its numbers do
 * not matter; NULL: all records), by kernel, sizes and device, the fastest first. It returns false
 * to see no more, and calls nothing of the store. */
typedef bool (*tsr_tuning_visit)(void *user, const tsr_tuning_record *record);
TSR_API tsr_status tsr_tuning_store_walk(tsr_tuning_store *store, const tsr_tuning_record *like,
                                         tsr_tuning_visit each, void *user);
/* Removes the same records and says how many there were. */
TSR_API tsr_status tsr_tuning_store_clear(tsr_tuning_store *store, const tsr_tuning_record *like,
                                          size_t *removed);
/* Writes all records to a text file, a line for each, and reads such a file ("-": standard output
 * and input). Of two records of the same candidate the newer stays. TSR_ERROR_INPUT for a file that
 * is none, of which nothing is taken. */
TSR_API tsr_status tsr_tuning_store_export(tsr_tuning_store *store, const char *path,
                                           size_t *count);
TSR_API tsr_status tsr_tuning_store_import(tsr_tuning_store *store, const char *path,
                                           size_t *count);

/* ---- measuring ------------------------------------------------------------------------------ */

typedef struct tsr_bench_options {
  size_t struct_size;    /* sizeof(tsr_bench_options) */
  double warm_up_ms;     /* launches before those that count, for about so long; 0: 25 */
  double measure_ms;     /* measures for about so long; 0: 100 */
  unsigned min_launches; /* at least so many; 0: 5 */
  unsigned max_launches; /* at most so many; 0: 1000 */
  /* Before each launch other memory is walked through, twice as much as the largest cache holds, so
   * that the kernel finds nothing of its operands there. Otherwise it finds what the launch before
   * has left, and launches that are too short for the clock are measured several at a time. */
  bool cold;
  double *samples; /* gets up to `capacity` of the measurements, sorted; may be NULL */
  size_t capacity;
  const double *quantiles; /* n_quantiles numbers from 0 to 1: which of them quantile_ms gets */
  size_t n_quantiles;
  double *quantile_ms;
} tsr_bench_options;

typedef struct tsr_bench_result {
  double median_ms, mean_ms, min_ms, max_ms;
  double p20_ms, p80_ms; /* quantiles */
  unsigned samples;      /* measurements */
  unsigned launches;     /* that count: of one measurement, times their number */
} tsr_bench_result;

/* How long a launch takes, by the device's own clock where it has one (GPUs), else from the
 * call to its end; on emulators the least time that a card of that kind needs for the memory,
 * operations and instructions that were counted: an estimate, the same each time, for which one
 * launch is enough and caches say nothing. What the kernel
 * prints is dropped on devices that let it be. `options` may be NULL. Fails as tsr_launch does. */
TSR_API tsr_status tsr_bench(tsr_kernel *kernel, tsr_grid grid, const tsr_arg *args,
                             size_t arg_count, const tsr_bench_options *options,
                             tsr_bench_result *result);

/* The same of whatever a function does on a device, in as many launches as it likes: it puts them
 * on the stream that it is given, or where that is NULL launches without one. Anything but TSR_OK
 * ends the measuring, which then returns it. */
typedef tsr_status (*tsr_bench_call)(void *user, tsr_stream *stream);
TSR_API tsr_status tsr_bench_calls(tsr_device *device, tsr_bench_call call, void *user,
                                   const tsr_bench_options *options, tsr_bench_result *result);

/* The least milliseconds that a launch takes, whatever its code looks like: by the products that
 * its tile blocks compute and the bytes that they write, as far as scalars say, and the fastest
 * that such a processor (or the card of an emulator's estimates) can be. 0: nothing is known.
 * Nothing is compiled or executed; addresses may be any. */
TSR_API double tsr_bound(tsr_device *device, const tsr_module *module, const char *kernel,
                         tsr_grid grid, const tsr_arg *args, size_t arg_count);

/* ---- tuning --------------------------------------------------------------------------------- */

typedef struct tsr_tune_problem {
  size_t struct_size; /* sizeof(tsr_tune_problem) */
  tsr_device *device;
  tsr_tune_space *space; /* of the same context; the result's choices are the space's */
  const char *name;      /* what messages call the text; NULL: "<memory>" */
  /* Tile IR with `${...}`; or NULL, and `build` makes a module of a choice: one of the context,
   * which then belongs to the tuning. It returns NULL after a message for a choice that cannot be
   * built, and is called by the thread that called tsr_tune. */
  const char *text;
  size_t length;
  tsr_module *(*build)(void *user, const tsr_tune_choice *choice);
  const char *kernel; /* NULL: the only one */
  int level;          /* of the passes (tsr_module_set_level), 0 to 3, plus 1; 0: level 2 */
  /* One to three expressions, or NULL, and `grid_of` says it. */
  const char *grid;
  bool (*grid_of)(void *user, const tsr_tune_choice *choice, tsr_grid *out);
  /* The arguments, for all candidates; unless `args_of` changes its copy of them for a choice.
   * Buffers are compared and put back; memory that is given by its address is not. */
  const tsr_arg *args;
  size_t n_args;
  bool (*args_of)(void *user, const tsr_tune_choice *choice, tsr_arg *args);
  void *user; /* of the functions */
  /* What buffers should hold after a launch: for each argument its bytes, as many as the buffer
   * has, or NULL; NULL: what the first candidate leaves there. */
  const void *const *expected;
  unsigned flags; /* of tsr_parse_flags, for the text; what `build` makes may have extensions */
} tsr_tune_problem;

typedef enum tsr_tune_stage {
  TSR_TUNE_BUILDING,
  TSR_TUNE_CHECKING,
  TSR_TUNE_TIMING
} tsr_tune_stage;

/* How far it is. All pointers are valid only during the call. */
typedef struct tsr_tune_progress {
  tsr_tune_stage stage;
  size_t done, total;          /* candidates built or checked; when timing, those given up of all */
  double seconds;              /* since the beginning */
  const tsr_tune_choice *best; /* so far; NULL: unknown */
  double best_ms;
  size_t pruned; /* candidates left out so far (TSR_TUNE_PRUNED) */
} tsr_tune_progress;

typedef struct tsr_tune_options {
  size_t struct_size; /* sizeof(tsr_tune_options) */
  double seconds;     /* that timing may take, about; 0: 10 */
  unsigned threads;   /* that compile; 0: one per core */
  /* How far results may be from what is expected, as a part of their size; 0: by element type, from
   * 1e-10 of f64 over 1e-4 of f32 and 4e-3 of f16 to 0.1 of 8-bit floats. Integers must be equal.
   * What an argument of type ptr<i8> holds has the type that the kernel's ptr_to_ptr make of it,
   * when that is all that the kernel does with it and the type is always the same. Below 0: nothing
   * is compared. */
  double tolerance;
  tsr_tuning_store *store; /* of the same context; NULL: nothing is looked up or kept */
  bool again;              /* measure, whatever the store has */
  bool exact; /* records are for these sizes alone; otherwise each is rounded up to two significant
                 bits (1000 and 1024 share a record) */
  bool look_up_only; /* measure nothing: the record, else that of the nearest sizes, else the first
                        candidate that can be built */
  bool cold;         /* time as tsr_bench_options.cold says */
  /* Called now and then; false ends the search, with what is known by then. May be NULL. */
  bool (*progress)(void *user, const tsr_tune_progress *progress);
  void *progress_user;
} tsr_tune_options;

/* What became of a candidate. */
typedef enum tsr_tune_fate {
  TSR_TUNE_UNTRIED,   /* the search ended before, or a record made it unnecessary */
  TSR_TUNE_TIMED,     /* to the end, or given up when it was clear */
  TSR_TUNE_SAME,      /* its machine code is that of another */
  TSR_TUNE_NOT_BUILT, /* an error */
  TSR_TUNE_FAILED,    /* its launch */
  TSR_TUNE_WRONG,     /* its results */
  TSR_TUNE_TOO_SLOW,  /* its first launch took more than ten times what another's did */
  /* By what it needs of a GPU's multiprocessor, or because what it has to do takes longer at the
   * least than another took: it isn't launched; on emulators also while it is: its counts say that
   * it is slower. */
  TSR_TUNE_PRUNED
} tsr_tune_fate;

typedef struct tsr_tune_outcome {
  const tsr_tune_choice *choice;
  tsr_tune_fate fate;
  size_t same_as;      /* TSR_TUNE_SAME: the index of the other */
  double median_ms;    /* 0: not timed */
  double spread_ms;    /* between the quartiles */
  unsigned samples;    /* measurements */
  const char *problem; /* what was wrong; "" */
} tsr_tune_outcome;

/* Where the answer is from. */
typedef enum tsr_tune_source {
  TSR_TUNE_MEASURED,
  TSR_TUNE_RECORD,  /* a record of these sizes */
  TSR_TUNE_NEAREST, /* a record of other sizes */
  TSR_TUNE_DEFAULT  /* the first candidate that can be built */
} tsr_tune_source;

typedef struct tsr_tuned tsr_tuned;

/* Finds the fastest candidate, by a record or by measuring, and keeps what it measured. Buffers
 * hold afterwards what they held before. Candidates that cannot be built, fail or are wrong are
 * left out; when none is left, that is an error. Returns NULL after a message.
 *
 * The call lasts until all is known, and has threads of its own that compile. The functions of the
 * problem and of the options are called by the calling thread: `build` may use the context, the
 * others call nothing but what asks a choice. */
TSR_API tsr_tuned *tsr_tune(const tsr_tune_problem *problem, const tsr_tune_options *options);
TSR_API void tsr_tuned_destroy(tsr_tuned *tuned); /* with its kernel; NULL is allowed */

TSR_API const tsr_tune_choice *tsr_tuned_choice(const tsr_tuned *tuned);
TSR_API tsr_kernel *tsr_tuned_kernel(const tsr_tuned *tuned);
TSR_API tsr_grid tsr_tuned_grid(const tsr_tuned *tuned);
TSR_API tsr_tune_source tsr_tuned_source(const tsr_tuned *tuned);
/* Of the record or the measurement; 0: unknown. */
TSR_API double tsr_tuned_ms(const tsr_tuned *tuned);
/* Candidates that may be as fast: the noise of the machine hides which is. */
TSR_API size_t tsr_tuned_ties(const tsr_tuned *tuned);
/* How much times vary here: the distance between the quartiles of a candidate's measurements, as a
 * part of their median; half of the candidates have less. 0: not measured, or estimated. */
TSR_API double tsr_tuned_noise(const tsr_tuned *tuned);
/* Measurements beyond the first three of each candidate: it was in doubt which is the fastest. */
TSR_API size_t tsr_tuned_repeats(const tsr_tuned *tuned);
/* All candidates, in the order of the space. False past the last. */
TSR_API size_t tsr_tuned_count(const tsr_tuned *tuned);
TSR_API bool tsr_tuned_outcome(const tsr_tuned *tuned, size_t index, tsr_tune_outcome *out);

#ifdef __cplusplus
}
#endif
#endif
