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
 *   const tsr_tune_choice *choice = tsr_tune_space_choice(space, 0);
 *   char *text = tsr_tune_choice_substitute(choice, program, strlen(program), NULL, NULL);
 *
 * A space has parameters with the values to try, and the sizes of the problem at hand. A choice is
 * one value for each parameter; the kernel that is made with it is a candidate. Candidates are
 * compiled by several threads, those with the same machine code are timed once, all are compared
 * with the first, and the slow ones are given up early.
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
TSR_API tsr_status tsr_tune_space_add_filter(
    tsr_tune_space *space, bool (*keep)(void *user, const tsr_tune_choice *choice), void *user);

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
TSR_API tsr_status tsr_tuning_store_walk(tsr_tuning_store *store, const tsr_tuning_record *like,
                                         bool (*each)(void *user, const tsr_tuning_record *record),
                                         void *user);
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

#ifdef __cplusplus
}
#endif
#endif
