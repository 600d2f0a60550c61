/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The kernels of tests/amdgcn/kernels: how each is launched, with what, and what must come out.
 */
#ifndef TSR_TESTS_AMDGCN_CASES_H
#define TSR_TESTS_AMDGCN_CASES_H

#include "job.h"

/* What objects of a target are called, lanes of its waves, its files, and kernels of these that it
 * hasn't. */
typedef struct amdgcn_target {
  const char *folder;
  uint32_t lanes;
  const char *files, *missing;
} amdgcn_target;
extern const amdgcn_target amdgcn_targets[];
extern const size_t amdgcn_target_count;

typedef struct kernel_case kernel_case;
struct kernel_case {
  const char *file, *kernel;
  uint32_t grid, block;
  void (*fill)(amdgcn_job *j);
  void (*expect)(amdgcn_job *j);
  double tolerance; /* of f32 results, relative; 0: every bit */
};
extern const kernel_case kernel_cases[];
extern const size_t kernel_case_count;

/* The object that has the kernel, which is open until cases_close; NULL: the target hasn't got it. */
amdgcn_object *case_open(const amdgcn_target *t, const kernel_case *c);
void cases_close(void);
/* Fills the job and what must come out; job_end ends it. */
void case_begin(const kernel_case *c, amdgcn_object *o, amdgcn_job *j);
/* Fails the test when what the launch left is something else. */
void case_compare(const kernel_case *c, const amdgcn_job *j);

/* What the same C leaves on the host (host.c), where it has no instructions of a wave: into
 * amdgcn_job.want. False: it has. */
bool host_expect(const char *kernel, amdgcn_job *j);

#endif
