/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Modules of PTX: the PTX emulator as the card that the device claims to be. It is opened by the
 * first such module. Its memory has the host's addresses, so whatever was allocated or registered
 * through the API is told to it; kernels of PTX reach that, and nothing else unless
 * TESSERA_CUDA_PAGEABLE is set.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "compat/driver.h"

static _Atomic(tsr_device *) emulator;
static tsr_context *context; /* of it */

/* ---- the device ----------------------------------------------------------------------------- */

/* "emu:sm_90a" for 9.0, if there is one: a card executes what is for it alone, too. */
static void card_name(char *out, size_t size) {
  int major, minor;
  device_capability(&major, &minor);
  snprintf(out, size, "emu:sm_%d%d", major, minor);
  size_t length = strlen(out);
  for (size_t i = 0; i < tsr_device_count(); i++) {
    const char *name = tsr_device_name(i);
    if (strncmp(name, out, length) == 0 && strcmp(name + length, "a") == 0)
      snprintf(out, size, "%s", name);
  }
}

/* Under the engine's lock. NULL after a message. */
static tsr_device *open_emulator(tsr_context *ctx) {
  char name[32];
  tsr_device *d = atomic_load(&emulator);
  if (d) return d;
  card_name(name, sizeof name);
  tsr_device_options options = {
      .struct_size = sizeof options, .on_output = engine_output, .host_addresses = true};
  d = tsr_device_open(ctx, name, &options);
  if (!d) {
    engine_say("PTX is executed by emulated cards, and there is none like '%s': set "
               "TESSERA_CUDA_CAPABILITY to 8.0, 9.0 or 10.0",
               name + strlen("emu:"));
    return NULL;
  }
  if (device_reaches_process()) tsr_ptx_map_process(d);
  /* Who allocates from now on maps it, too; to do so twice does no harm. */
  context = ctx;
  atomic_store(&emulator, d);
  memory_walk(emulator_map);
  return d;
}

void emulator_map(uintptr_t base, size_t size) {
  tsr_device *d = atomic_load(&emulator);
  if (d) tsr_ptx_map(d, (void *)base, size);
}

void emulator_unmap(uintptr_t base) {
  tsr_device *d = atomic_load(&emulator);
  if (d) tsr_ptx_unmap(d, (void *)base);
}

/* ---- modules -------------------------------------------------------------------------------- */

CUresult emulator_load(tsr_context *ctx, const char *text, size_t length, drv_library *out) {
  tsr_device *d = open_emulator(ctx);
  if (!d) return CUDA_ERROR_NO_BINARY_FOR_GPU;
  out->ptx = tsr_ptx_create(d, "<ptx>", text, length);
  if (out->ptx) report_open(out->ptx);
  return out->ptx ? CUDA_SUCCESS : CUDA_ERROR_INVALID_PTX;
}

void emulator_unload(drv_library *l) {
  if (l->ptx) report_close(l->ptx);
  tsr_ptx_destroy(l->ptx);
}

/* ---- launches ------------------------------------------------------------------------------- */

/* How many faults the checks have found so far in the library's launches. When there are more than
 * `before`, all of them go to standard error. */
static size_t show_findings(const drv_library *l, size_t before) {
  size_t count;
  char *text = tsr_ptx_findings(l->ptx, TSR_PTX_TEXT, &count);
  if (text && count > before) fprintf(stderr, "%s", text);
  tsr_string_free(context, text);
  return count;
}

/* ---- long launches -------------------------------------------------------------------------- */

enum { FIRST_AFTER = 10, AGAIN_AFTER = 60, TERMINAL_AFTER = 2 }; /* seconds */

/* How far a launch is; a terminal is told in one line that is written again and again. */
typedef struct long_launch {
  const char *kernel;
  struct timespec begin;
  double next; /* seconds after the beginning */
  bool terminal, told;
} long_launch;

static double seconds_since(const struct timespec *begin) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - begin->tv_sec) + 1e-9 * (double)(now.tv_nsec - begin->tv_nsec);
}

static void begin_launch(long_launch *l, const char *kernel) {
  *l = (long_launch){.kernel = kernel, .terminal = isatty(STDERR_FILENO)};
  l->next = l->terminal ? TERMINAL_AFTER : FIRST_AFTER;
  clock_gettime(CLOCK_MONOTONIC, &l->begin);
}

static void on_progress(void *user, uint64_t done, uint64_t total) {
  long_launch *l = user;
  double at = seconds_since(&l->begin);
  if (at < l->next) return;
  unsigned long long n = done, all = total;
  if (l->terminal)
    fprintf(stderr, "\r%s: %llu of %llu blocks, %.0f s\033[K", l->kernel, n, all, at);
  else
    engine_say("'%s' has been running for %.0f s: %llu of %llu blocks have ended%s", l->kernel, at,
               n, all,
               l->told ? ""
                       : "; every instruction is emulated, so smaller sizes or fewer repetitions "
                         "help");
  l->told = true;
  l->next = at + (l->terminal ? 0.2 : AGAIN_AFTER);
}

static void end_launch(const long_launch *l) {
  if (l->told && l->terminal) fprintf(stderr, "\r\033[K");
}

/* The context's later calls fail, as after a fault on a GPU. */
static CUresult fault_result(const tsr_ptx_fault *fault) {
  switch (fault->kind) {
  case TSR_PTX_FAULT_ASSERT: return CUDA_ERROR_ASSERT;
  case TSR_PTX_FAULT_ADDRESS: return CUDA_ERROR_ILLEGAL_ADDRESS;
  case TSR_PTX_FAULT_ALIGN: return CUDA_ERROR_MISALIGNED_ADDRESS;
  default: return CUDA_ERROR_LAUNCH_FAILED;
  }
}

CUresult emulator_launch(drv_context *ctx, const kernel_work *w) {
  drv_library *l = w->kernel->library;
  tsr_ptx_fault fault;
  long_launch progress;
  begin_launch(&progress, w->kernel->name);
  tsr_ptx_launch how = {.struct_size = sizeof how,
                        .grid = {w->grid.x, w->grid.y, w->grid.z},
                        .dynamic_shared = w->shared,
                        .cooperative = w->cooperative,
                        .check = engine_sanitizes(),
                        .params = w->args,
                        .param_bytes = w->kernel->ptx.param_bytes,
                        .fault = &fault,
                        .count = report_counts(),
                        .on_progress = on_progress,
                        .progress_user = &progress};
  memcpy(how.block, w->block, sizeof how.block);
  memcpy(how.cluster, w->cluster, sizeof how.cluster);
  size_t before = how.check ? show_findings(l, SIZE_MAX) : 0;
  tsr_status status = tsr_ptx_run(l->ptx, w->kernel->name, &how, NULL, 0);
  end_launch(&progress);
  if (how.check && show_findings(l, before) > before) atomic_store(&ctx->fault, CUDA_ERROR_ASSERT);
  switch (status) {
  case TSR_OK: return CUDA_SUCCESS;
  case TSR_ERROR_MEMORY: return CUDA_ERROR_OUT_OF_MEMORY;
  case TSR_ERROR_TRAP: atomic_store(&ctx->fault, fault_result(&fault)); return CUDA_SUCCESS;
  default:
    return w->cooperative ? CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE : CUDA_ERROR_INVALID_VALUE;
  }
}
