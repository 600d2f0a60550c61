/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * For tests: faults that are planted into PTX before it runs. Each must be found, which shows that
 * the instruction is needed, and that the checks notice when it is missing.
 */
#ifndef TSR_TESTS_GPU_FAULTS_H
#define TSR_TESTS_GPU_FAULTS_H

#include "gpu_engine.h"

typedef struct gpu_fault {
  const char *begin;  /* of the instruction that is taken out, with what belongs to it */
  unsigned which;     /* of those that begin so, from 0 */
  const char *by;     /* in the place of the first such text, as long or shorter; NULL: nothing */
  const char *expect; /* in what is found */
} gpu_fault;

static const gpu_fault *fault_planted;
static const char *fault_entry; /* the PTX entry that it is planted into */

static void fault_take_out(char *ptx, const char *begin) {
  char entry[64];
  snprintf(entry, sizeof entry, "entry %s", fault_entry);
  if (!engine_blank(ptx, entry, begin, fault_planted->which))
    fail_msg("there is no '%s' number %u", begin, fault_planted->which);
}

static void fault_put_in(char *ptx, const char *old, const char *by) {
  char entry[64];
  snprintf(entry, sizeof entry, "entry %s", fault_entry);
  char *at = strstr(ptx, entry);
  at = at ? strstr(at, old) : NULL;
  if (!at) fail_msg("there is no '%s'", old);
  memset(at, ' ', strlen(old));
  memcpy(at, by, strlen(by));
}

static void fault_plant(char *ptx) {
  static const struct {
    const char *begin, *with;
  } together[] = {{"mbarrier.try_wait", "@!done bra"},
                  {"barrier.cluster.arrive", "barrier.cluster.wait"},
                  {"mapa.", "mbarrier.arrive.release"}};
  if (fault_planted->by) {
    fault_put_in(ptx, fault_planted->begin, fault_planted->by);
    return;
  }
  fault_take_out(ptx, fault_planted->begin);
  for (size_t i = 0; i < ARRAY_LEN(together); i++)
    if (strcmp(fault_planted->begin, together[i].begin) == 0) fault_take_out(ptx, together[i].with);
}

/* How a run ended, which without a fault must be well; what is found of one is in engine_found. */
static bool fault_outcome(bool ok, const run_log *log, const char *kernel) {
  if (!ok && !engine_plant) fail_msg("%s\n%s", log->diagnostics, kernel);
  if (!ok && !engine_found[0]) snprintf(engine_found, sizeof engine_found, "%s", log->diagnostics);
  return ok;
}

/* `run` runs the kernel and gives its fault_outcome; `number`: of the fault, for messages. */
static void fault_check(const gpu_fault *f, const char *entry, size_t number,
                        bool (*run)(const void *user), const void *user) {
  fault_planted = f;
  fault_entry = entry;
  engine_found[0] = 0;
  engine_plant = fault_plant;
  bool ok = run(user);
  engine_plant = NULL;
  if (ok) fail_msg("fault %zu was not found", number);
  if (!strstr(engine_found, f->expect))
    fail_msg("fault %zu: '%s' was expected, not:\n%s", number, f->expect, engine_found);
}

#endif
