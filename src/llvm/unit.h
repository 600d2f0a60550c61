/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * llvm/unit.h: what LLVM needs around a lowering, for both backends (cpu/jit.c,
 * gpu/nvptx/module.c): a unit is a module of LLVM's on its way from a target machine to code.
 *
 *   static bool body(unit *u, void *user) {
 *     return unit_open(u, &target) && lower_into(&u->e) && unit_optimise(u, "function(early-cse)")
 * && unit_write(u, UNIT_ASSEMBLY, out);
 *   }
 *   ... unit_run(ctx, body, user) ...
 *
 * Every unit has an LLVM context of its own, and a target machine while a step works on it, so
 * units of different threads do not meet. Making a target machine and what it finds out about the
 * processor takes 0.3 ms, as long as all else that a small kernel needs, and half a megabyte. So
 * there are no more of them than threads, and they are kept for steps and units to come.
 *
 * Errors. All functions report to the context's callback and return false (NULL). So do errors that
 * LLVM finds in optimising and generating code, where its habit is to print them and to end the
 * process: its errors about the code go to a handler, and from its fatal ones control returns to
 * the unit. What LLVM was doing is left as it is then: that memory is lost, nothing else. Fatal
 * errors of threads that aren't in a unit's function are LLVM's as ever. The handler of fatal
 * errors is one for all of the process that uses the same libLLVM; the first unit sets it.
 */
#ifndef TSR_LLVM_UNIT_H
#define TSR_LLVM_UNIT_H

#include <llvm-c/TargetMachine.h>

#include "llvm/emit.h"

typedef struct unit_target {
  const char *triple;         /* NULL: the host's */
  const char *cpu, *features; /* as llc has them, as long as the unit; NULL: none in particular */
  LLVMCodeGenOptLevel level;
  LLVMRelocMode relocation;
  bool fast_selection; /* instructions are taken one by one where that can be done (FastISel) */
} unit_target;

typedef struct unit {
  tsr_context *ctx;
  arena arena;                  /* lives as long as the unit */
  emit e;                       /* what is to be made; a backend adds what it knows of the target */
  unit_target target;           /* what target machines are made from */
  const char *key;              /* the same as text */
  LLVMTargetMachineRef machine; /* while a step works on it; else NULL */
  LLVMBuilderRef start;         /* a second builder, for what belongs to a function's start */
  char *complaint;   /* an error that LLVM found, LLVMDisposeMessage frees it; NULL: none */
  const char *doing; /* for messages: what went wrong when there is an error now */
  LLVMMemoryBufferRef bitcode; /* what unit_compile_all puts in place of the module; or NULL */
  LLVMMemoryBufferRef code; /* that unit_generate_all made; goes with the unit unless taken away */
  struct unit *forks;       /* the first of those that end with it; each has the `next` */
  struct unit *next;
} unit;

typedef enum unit_form { UNIT_LLVM, UNIT_ASSEMBLY, UNIT_OBJECT } unit_form;

/* Calls `body` with an empty unit, which is gone afterwards however that ends. */
bool unit_run(tsr_context *ctx, bool (*body)(unit *u, void *user), void *user);

/* One more empty unit, which ends with `u`. */
unit *unit_fork(unit *u);
/* Ends all that were forked from it. */
void unit_end_forks(unit *u);

/* Gets to know the target, which the caller has initialised LLVM for, makes a module with its data
 * layout, and fills in `e` as far as it doesn't depend on the backend. */
bool unit_open(unit *u, const unit_target *target);

/* Verifies the module and runs LLVM's passes (as opt's -passes= has them; NULL: none) over it. With
 * TESSERA_DUMP_LLVM in the environment the module is printed before. */
bool unit_optimise(unit *u, const char *passes);

/* The code, which stays the unit's: it goes with the unit, or by unit_drop_code. NULL after a
 * message. */
LLVMMemoryBufferRef unit_hold_code(unit *u, LLVMCodeGenFileType kind);
void unit_drop_code(unit *u);

/* The same for n units at the same time, by at most that many threads, of which the caller's is
 * one. Units have nothing in common that LLVM would see, so what comes out doesn't depend on how
 * many there are. The code is each unit's `code`. */
bool unit_optimise_all(unit **u, unsigned n, const char *passes, unsigned threads);
bool unit_generate_all(unit **u, unsigned n, LLVMCodeGenFileType kind, unsigned threads);

/* All of it, for units that may become more. */
typedef struct unit_crew {
  unit **units; /* at least one */
  unsigned n, threads;
  /* Of the first one, in the caller's thread, while others are compiled: passes are run over it
   * (NULL: none) and `divide` may give parts of it to new units, which go to the end of `units`.
   * False: that failed, and has been reported. NULL: it stays as it is. */
  const char *passes;
  bool (*divide)(void *user);
  void *user;
  unsigned room;          /* for how many it adds */
  void (*behind)(unit *); /* then, for each, in any thread */
  LLVMCodeGenFileType kind;
  double prepared_ms; /* out: what the first one took until then */
  bool failed;
} unit_crew;

/* Each unit's `code`. A unit may have its module as bitcode, which is read first. */
bool unit_compile_all(unit_crew *crew);

/* Appends the code in this form. */
bool unit_write(unit *u, unit_form form, sbuf *out);

/* Of a monotonic clock, for what compilations report. */
double unit_now_ms(void);

#endif
