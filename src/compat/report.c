/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a process is told at its end about the kernels of PTX that it launched: what they ask of the
 * card (TESSERA_CUDA_COUNTERS), and how much the checks have found (TESSERA_SANITIZE). As text to
 * standard error, and as JSON into the file that TESSERA_CUDA_REPORT names.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/driver.h"

/* A library of PTX that is loaded; what one that was unloaded left is in the texts. */
typedef struct reported {
  struct reported *next;
  const tsr_ptx *ptx;
} reported;

/* A text that grows. */
typedef struct growing {
  char *data;
  size_t used;
} growing;

static struct {
  pthread_mutex_t lock;
  reported *loaded;
  growing text, json;
  size_t findings, kernels, modules;
} report = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_set(const char *name) {
  const char *value = getenv(name);
  return value && *value && strcmp(value, "0") != 0;
}

bool report_counts(void) {
  return is_set("TESSERA_CUDA_COUNTERS");
}

static bool is_wanted(void) {
  return report_counts() || engine_sanitizes() || is_set("TESSERA_CUDA_REPORT");
}

/* What memory has no room for is left out. */
static void append(growing *g, const char *text) {
  size_t n = strlen(text);
  char *data = realloc(g->data, g->used + n + 1);
  if (!data) return;
  memcpy(data + g->used, text, n + 1);
  g->data = data;
  g->used += n;
}

/* ---- a module ------------------------------------------------------------------------------- */

/* The name as C++ source has it, for free(); NULL when it is none, or the process has no C++
 * runtime library to ask. Programs that have such names were made by a C++ compiler, and have one.
 */
static char *demangled(const char *name) {
  typedef char *demangle_fn(const char *name, char *buffer, size_t *size, int *status);
  union {
    void *symbol;
    demangle_fn *call;
  } demangle = {dlsym(RTLD_DEFAULT, "__cxa_demangle")};
  int status = 0;
  if (!demangle.symbol || strncmp(name, "_Z", 2) != 0) return NULL;
  return demangle.call(name, NULL, NULL, &status);
}

static void add_title(const char *name, uint64_t launches) {
  char line[64], *readable = demangled(name);
  append(&report.text, "tessera: ");
  append(&report.text, readable ? readable : name);
  snprintf(line, sizeof line, ": %llu launch%s\n", (unsigned long long)launches,
           launches == 1 ? "" : "es");
  append(&report.text, line);
  free(readable);
}

static void add_json_name(const char *name) {
  char *readable = demangled(name);
  append(&report.json, "{\"kernel\": \"");
  append(&report.json, name);
  append(&report.json, "\", ");
  if (readable) {
    append(&report.json, "\"name\": \"");
    append(&report.json, readable); /* which has no quotes */
    append(&report.json, "\", ");
  }
  free(readable);
}

static void add_kernel(const tsr_ptx *ptx, const char *name, bool first) {
  uint64_t launches;
  char line[64];
  char *text = tsr_ptx_counters(ptx, name, NULL, TSR_PTX_TEXT, &launches);
  char *json = tsr_ptx_counters(ptx, name, NULL, TSR_PTX_JSON, NULL);
  add_title(name, launches);
  append(&report.text, text ? text : "");
  append(&report.json, first ? "\n  " : ",\n  ");
  add_json_name(name);
  snprintf(line, sizeof line, "\"launches\": %llu, \"counters\": ", (unsigned long long)launches);
  append(&report.json, line);
  append(&report.json, json ? json : "null");
  append(&report.json, "}");
  engine_free_string(text);
  engine_free_string(json);
}

static void add_module(const tsr_ptx *ptx) {
  size_t count, shown = 0;
  uint64_t launches;
  const char *name;
  char *findings = tsr_ptx_findings(ptx, TSR_PTX_JSON, &count);
  append(&report.json, report.modules++ ? ",\n{\"kernels\": [" : "{\"kernels\": [");
  for (size_t i = 0; (name = tsr_ptx_kernel_name(ptx, i)); i++) {
    engine_free_string(tsr_ptx_counters(ptx, name, NULL, TSR_PTX_JSON, &launches));
    if (launches) add_kernel(ptx, name, shown++ == 0);
  }
  append(&report.json, "], \"findings\": ");
  append(&report.json, findings ? findings : "[]");
  append(&report.json, "}");
  engine_free_string(findings);
  report.findings += count;
  report.kernels += shown;
}

void report_open(const tsr_ptx *ptx) {
  reported *r = is_wanted() ? malloc(sizeof *r) : NULL;
  if (!r) return;
  pthread_mutex_lock(&report.lock);
  *r = (reported){.next = report.loaded, .ptx = ptx};
  report.loaded = r;
  pthread_mutex_unlock(&report.lock);
}

void report_close(const tsr_ptx *ptx) {
  pthread_mutex_lock(&report.lock);
  reported **at = &report.loaded;
  while (*at && (*at)->ptx != ptx) at = &(*at)->next;
  reported *r = *at;
  if (r) {
    *at = r->next;
    add_module(ptx);
    free(r);
  }
  pthread_mutex_unlock(&report.lock);
}

/* ---- the end -------------------------------------------------------------------------------- */

static void write_json(void) {
  const char *path = getenv("TESSERA_CUDA_REPORT");
  if (!path || !*path) return;
  FILE *file = fopen(path, "w");
  if (file) fprintf(file, "{\"modules\": [%s]}\n", report.json.data ? report.json.data : "");
  if (!file || fclose(file) != 0) engine_say("the report could not be written to '%s'", path);
}

/* When the library leaves the process, after everything else of the program. */
__attribute__((destructor)) static void finish(void) {
  if (!is_wanted()) return;
  while (report.loaded) report_close(report.loaded->ptx);
  if (!report.modules) return; /* a process without kernels of PTX, as most under `tessera exec` */
  fflush(stdout);
  if (report.text.data) fputs(report.text.data, stderr);
  if (engine_sanitizes())
    engine_say("%zu finding%s", report.findings, report.findings == 1 ? "" : "s");
  write_json();
  free(report.text.data);
  free(report.json.data);
}
