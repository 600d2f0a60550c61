/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * libtessera below the driver API: one context and one device for the process.
 *
 * A context is used by one thread at a time, except for launches. So whatever loads or compiles has
 * it alone, and launches share it. A kernel is launched as often as there are threads to do so.
 *
 * TESSERA_CUDA_DEVICE says which device executes kernels: cpu (the default), or interp, which
 * TESSERA_SANITIZE=1 makes look for undefined behaviour.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat/driver.h"
#include "compat/fatbin.h"
#include "compat/image.h"

static struct {
  pthread_rwlock_t lock;
  tsr_context *context;
  tsr_device *device;
  engine_log *log;    /* of the load under way, or NULL; only who loads sets it */
  engine_text *notes; /* … where notes belong: after what they are about */
  atomic_bool printed;
} engine;

/* ---- messages ------------------------------------------------------------------------------- */

static void say(const char *text) {
  fflush(stdout); /* so that what was printed before is read before */
  fputs(text, stderr);
}

void engine_say(const char *fmt, ...) {
  char text[1024];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  fprintf(stderr, "tessera: %s\n", text);
}

static void log_add(engine_text *log, const char *text) {
  if (!log || !log->text || log->size < 2) return;
  size_t room = log->size - 1 - log->used, length = strlen(text);
  if (length > room) length = room;
  memcpy(log->text + log->used, text, length);
  log->used += length;
  log->text[log->used] = 0;
}

static void log_diagnostic(tsr_severity severity, const char *text) {
  if (!engine.log) return;
  if (severity == TSR_ERROR || !engine.notes) engine.notes = &engine.log->error;
  if (severity == TSR_WARNING || severity == TSR_REMARK) engine.notes = &engine.log->info;
  log_add(engine.notes, text);
}

/* A GPU's asserts are printed by the device: a line on standard output. */
static bool is_assert(const tsr_diagnostic *d) {
  static const char begin[] = "assertion failed";
  return d->severity == TSR_ERROR && strncmp(d->message, begin, sizeof begin - 1) == 0;
}

static void print_assert(const tsr_diagnostic *d) {
  if (d->file) printf("%s:%u:%u: ", d->file, d->line, d->column);
  printf("%s\n", d->message);
  fflush(stdout);
}

static void on_diagnostic(void *user, const tsr_diagnostic *d) {
  char text[4096];
  (void)user;
  if (is_assert(d)) {
    print_assert(d);
    return;
  }
  tsr_diagnostic shown = *d;
  if (!shown.file) shown.file = "tessera"; /* a message without a place names who speaks */
  tsr_diagnostic_format(&shown, false, text, sizeof text - 1);
  log_diagnostic(d->severity, strcat(text, "\n"));
  if (isatty(STDERR_FILENO)) {
    tsr_diagnostic_format(&shown, true, text, sizeof text - 1);
    strcat(text, "\n");
  }
  say(text);
}

/* print_tko: to standard output, which is flushed when the launch has ended. */
void engine_output(void *user, const char *text, size_t length) {
  (void)user;
  fwrite(text, 1, length, stdout);
  atomic_store(&engine.printed, true);
}

/* ---- starting ------------------------------------------------------------------------------- */

static const char *device_name(void) {
  const char *name = getenv("TESSERA_CUDA_DEVICE");
  return name && *name ? name : TESSERA_CUDA_DEFAULT;
}

bool engine_sanitizes(void) {
  const char *value = getenv("TESSERA_SANITIZE");
  return value && *value && strcmp(value, "0") != 0;
}

void engine_free_string(char *text) {
  tsr_string_free(engine.context, text);
}

bool engine_start(void) {
  pthread_rwlockattr_t fair; /* else launches could keep a load waiting forever */
  pthread_rwlockattr_init(&fair);
  pthread_rwlockattr_setkind_np(&fair, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_init(&engine.lock, &fair);
  pthread_rwlockattr_destroy(&fair);
  tsr_context_options options = {.struct_size = sizeof options, .on_diagnostic = on_diagnostic};
  tsr_tell_crashes();
  engine.context = tsr_context_create(&options);
  if (!engine.context) return false;
  const char *name = engine_sanitizes() ? "interp" : device_name();
  tsr_device_options device = {.struct_size = sizeof device,
                               .on_output = engine_output,
                               .sanitize = engine_sanitizes() ? TSR_SANITIZE_ALL : 0};
  engine.device = tsr_device_open(engine.context, name, &device);
  return engine.device != NULL;
}

/* ---- loading -------------------------------------------------------------------------------- */

CUresult engine_refuse(engine_log *log, CUresult result, const char *what, const char *why) {
  char text[1024];
  snprintf(text, sizeof text, "tessera: %s: %s\n", what, why);
  log_add(log ? &log->error : NULL, text);
  say(text);
  return result;
}

/* A program's bytecode, out of whatever a client hands in. */
static CUresult find_bytecode(const void *image, size_t size, engine_log *log, const void **out,
                              size_t *length) {
  const char *wrong;
  switch (image_recognise(image, size)) {
  case IMAGE_OURS:
    wrong = image_open(image, size, out, length);
    return wrong ? engine_refuse(log, CUDA_ERROR_INVALID_IMAGE, "the image cannot be loaded", wrong)
                 : CUDA_SUCCESS;
  case IMAGE_BYTECODE:
    *out = image;
    wrong = image_bytecode_size(image, size, length);
    return wrong
               ? engine_refuse(log, CUDA_ERROR_INVALID_IMAGE, "the program cannot be loaded", wrong)
               : CUDA_SUCCESS;
  case IMAGE_ELF:
  case IMAGE_FATBIN: /* load_fat has made PTX of it */
    return engine_refuse(log, CUDA_ERROR_NO_BINARY_FOR_GPU,
                         "machine code for a GPU cannot run here",
                         "load Tile IR bytecode, or what Tessera's tileiras makes of it");
  case IMAGE_TEXT: break;
  }
  return engine_refuse(log, CUDA_ERROR_INVALID_IMAGE, "the program cannot be loaded",
                       "it is neither PTX nor Tile IR bytecode nor Tessera's image");
}

/* PTX begins with its version, after comments. */
static bool is_ptx(const void *image, size_t size) {
  if (image_recognise(image, size) != IMAGE_TEXT) return false;
  const char *p = image, *end = p + size;
  while (p < end) {
    if (strchr(" \t\r\n", *p)) {
      p++;
    } else if (end - p > 1 && p[0] == '/' && p[1] == '/') {
      while (p < end && *p != '\n') p++;
    } else if (end - p > 3 && p[0] == '/' && p[1] == '*') {
      const char *close = memmem(p + 2, (size_t)(end - p) - 2, "*/", 2);
      p = close ? close + 2 : end;
    } else {
      break;
    }
  }
  return end - p > 8 && memcmp(p, ".version", 8) == 0;
}

/* Jitted bytecode is optimised here; an image was when it was made. */
static CUresult prepare(const void *image, size_t size, const void *bytecode, size_t length,
                        drv_library *out) {
  out->module =
      tsr_module_read_bytecode(engine.context, bytecode, length, "<image>", TSR_PARSE_HINTS_IGNORE);
  if (!out->module) return CUDA_ERROR_INVALID_IMAGE;
  if (image_recognise(image, size) == IMAGE_BYTECODE) {
    tsr_status status = tsr_module_optimize(out->module, NULL, NULL);
    if (status == TSR_ERROR_MEMORY) return CUDA_ERROR_OUT_OF_MEMORY;
    if (status != TSR_OK) return CUDA_ERROR_INVALID_IMAGE;
  }
  out->program = tsr_program_create(engine.device, out->module);
  return out->program ? CUDA_SUCCESS : CUDA_ERROR_INVALID_IMAGE;
}

static CUresult load_plain(const void *image, size_t size, engine_log *log, drv_library *out) {
  const void *bytecode;
  size_t length;
  bool ptx = is_ptx(image, size);
  CUresult r = ptx ? CUDA_SUCCESS : find_bytecode(image, size, log, &bytecode, &length);
  if (r) return r;
  pthread_rwlock_wrlock(&engine.lock);
  engine.log = log;
  engine.notes = NULL;
  if (ptx)
    r = emulator_load(engine.context, image, strnlen(image, size), out);
  else
    r = prepare(image, size, bytecode, length, out);
  engine.log = NULL;
  pthread_rwlock_unlock(&engine.lock);
  return r; /* what there is of the library is unloaded with it */
}

/* A fat binary stands for the PTX in it that fits the device best. */
static CUresult load_fat(const void *image, size_t size, engine_log *log, drv_library *out) {
  char why[FATBIN_WHY];
  size_t length;
  int major, minor;
  device_capability(&major, &minor);
  char *text = fatbin_ptx(image, size, (unsigned)(10 * major + minor), &length, why);
  if (!text)
    return engine_refuse(log, CUDA_ERROR_NO_BINARY_FOR_GPU, "the program cannot be loaded", why);
  CUresult r = load_plain(text, length + 1, log, out);
  free(text);
  return r;
}

CUresult engine_load(const void *image, size_t size, engine_log *log, drv_library *out) {
  const char *wrong = size ? NULL : image_measure(image, &size);
  if (wrong)
    return engine_refuse(log, CUDA_ERROR_INVALID_IMAGE, "the program cannot be loaded", wrong);
  if (image_recognise(image, size) == IMAGE_FATBIN) return load_fat(image, size, log, out);
  return load_plain(image, size, log, out);
}

void engine_unload(drv_library *l) {
  pthread_rwlock_wrlock(&engine.lock);
  tsr_program_destroy(l->program);
  tsr_module_destroy(l->module);
  emulator_unload(l);
  pthread_rwlock_unlock(&engine.lock);
}

CUresult engine_compile(drv_kernel *k) {
  if (k->library->ptx) return CUDA_SUCCESS;
  pthread_rwlock_wrlock(&engine.lock);
  if (!k->compiled) k->compiled = tsr_kernel_get(k->library->program, k->name);
  pthread_rwlock_unlock(&engine.lock);
  return k->compiled ? CUDA_SUCCESS : CUDA_ERROR_INVALID_IMAGE;
}

/* ---- launching ------------------------------------------------------------------------------ */

static CUresult launch_tiles(drv_context *ctx, const kernel_work *w) {
  switch (tsr_launch(w->kernel->compiled, w->grid, w->args, w->kernel->n_params)) {
  case TSR_OK: return CUDA_SUCCESS;
  case TSR_ERROR_MEMORY: return CUDA_ERROR_OUT_OF_MEMORY;
  case TSR_ERROR_TRAP: atomic_store(&ctx->fault, CUDA_ERROR_ASSERT); return CUDA_SUCCESS;
  default: return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult engine_launch(drv_context *ctx, const kernel_work *w) {
  bool ptx = w->kernel->library->ptx;
  if (ptx && (engine_sanitizes() || report_counts()))
    pthread_rwlock_wrlock(&engine.lock); /* checks and counters are for one launch at a time */
  else
    pthread_rwlock_rdlock(&engine.lock);
  CUresult r = ptx ? emulator_launch(ctx, w) : launch_tiles(ctx, w);
  pthread_rwlock_unlock(&engine.lock);
  if (atomic_exchange(&engine.printed, false)) fflush(stdout);
  return r;
}
