/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The command `tileiras`: takes the place of NVIDIA's Tile IR assembler for front ends that call
 * it. It reads bytecode, checks and optimises it, and writes an image that the driver library of
 * this folder loads (image.h). Asked for a cubin (--emit, or TESSERA_TILEIRAS for front ends that
 * have no such option), it writes machine code for a GPU, which NVIDIA's ptxas makes.
 *
 * Exit statuses: 0; 1 when the program is wrong or a file cannot be read or written; 2 when the
 * call is wrong. Messages go to standard error as compilers write them, with the line they are
 * about where its file can be read; those that are about no place begin with "error: ". Front ends
 * hand these lines on as they are. The form loc("file":line:column), of which cuTile makes a
 * location of its own, is not written: cuTile 1.7 fails over such a location and shows nothing.
 */
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tessera/tessera.h>

#include "compat/image.h"

typedef struct call {
  const char *input, *output, *target;
  const char *remarks_file;
  unsigned level;
  bool cubin; /* machine code for a GPU, not an image */
  bool remarks, version, help;
} call;

static const char usage[] =
    "usage: tileiras INPUT -o OUTPUT --gpu-name sm_NN [OPTION]...\n"
    "\n"
    "Compiles Tile IR bytecode to an image that Tessera's driver library (libcuda.so.1\n"
    "beside this command) runs on the CPU, or to machine code for a GPU.\n"
    "\n"
    "  -o, --output-file FILE    where to write the image\n"
    "      --gpu-name sm_NN      the architecture that the front end generated code for\n"
    "      --emit KIND           image, or cubin: for that architecture, by NVIDIA's ptxas\n"
    "                            (what TESSERA_TILEIRAS says, else image)\n"
    "  -O, --opt-level N         optimise: 0 to 3 (3)\n"
    "  -g, --device-debug        the same as -O0; debug information is always kept\n"
    "      --lineinfo            keeps line numbers; they always are\n"
    "      --remarks=WHICH       all, none: what the optimiser did (none)\n"
    "      --remark-format=FORM  yaml\n"
    "      --remarks-output-file=FILE\n"
    "  -V, --version             which build this is\n"
    "  -h, --help                this page\n";

/* ---- messages ------------------------------------------------------------------------------- */

static const char *severity_name(tsr_severity s) {
  static const char *const names[] = {[TSR_ERROR] = "error",
                                      [TSR_WARNING] = "warning",
                                      [TSR_NOTE] = "note",
                                      [TSR_REMARK] = "remark"};
  return names[s];
}

/* The text of a line without its newline, the caller's to free; NULL when there is none. */
static char *read_source_line(const char *path, uint32_t number) {
  FILE *file = fopen(path, "r");
  char *line = NULL;
  size_t size = 0;
  bool found = file && number;
  for (uint32_t i = 0; found && i < number; i++) found = getline(&line, &size, file) > 0;
  if (file) fclose(file);
  if (!found) {
    free(line);
    return NULL;
  }
  line[strcspn(line, "\r\n")] = 0;
  return line;
}

static void print_placed(const tsr_diagnostic *d) {
  tsr_diagnostic shown = *d;
  char *line = d->source_line ? NULL : read_source_line(d->file, d->line);
  if (line && d->column <= strlen(line)) shown.source_line = line;
  size_t size = tsr_diagnostic_format(&shown, false, NULL, 0) + 1;
  char *text = malloc(size);
  if (text) tsr_diagnostic_format(&shown, false, text, size);
  if (text) fprintf(stderr, "%s\n", text);
  free(text);
  free(line);
}

static void on_diagnostic(void *user, const tsr_diagnostic *d) {
  (void)user;
  if (d->file && d->line)
    print_placed(d);
  else
    fprintf(stderr, "%s: %s\n", severity_name(d->severity), d->message);
}

static int wrong_call(const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  fputs("error: ", stderr);
  vfprintf(stderr, fmt, args);
  fputs("; tileiras --help shows what can be called\n", stderr);
  va_end(args);
  return 2;
}

static int failed(const char *what, const char *path) {
  fprintf(stderr, "error: %s '%s': %s\n", what, path, strerror(errno));
  return 1;
}

/* ---- which build this is -------------------------------------------------------------------- */

/* The linker's hash of this program's code: front ends keep what was compiled by version, so two
 * builds that may differ in what they write must not say the same. */
static int find_build_id(struct dl_phdr_info *info, size_t size, void *out) {
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_NOTE) continue;
    const char *at = (const char *)(info->dlpi_addr + segment->p_vaddr);
    const char *end = at + segment->p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      const ElfW(Nhdr) *note = (const void *)at;
      const char *name = at + sizeof *note;
      const char *value = name + ((note->n_namesz + 3) & ~3u);
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && !memcmp(name, "GNU", 4)) {
        for (unsigned k = 0; k < note->n_descsz && k < 20; k++)
          sprintf((char *)out + 2 * k, "%02x", (unsigned char)value[k]);
        return 1;
      }
      at = value + ((note->n_descsz + 3) & ~3u);
    }
  }
  return 1; /* the program comes first; libraries don't matter */
}

static int print_version(const call *c) {
  char id[64] = "unknown";
  dl_iterate_phdr(find_build_id, id);
  unsigned newest = TSR_BYTECODE_NEWEST;
  printf("tileiras: Tessera %s, Tile IR compiler for %s\n"
         "Tile IR bytecode, release %u.%u, V%u.%u.0\n"
         "Build %s\n",
         tsr_version(), c->cubin ? "GPUs" : "CPUs", newest >> 8, newest & 0xff, newest >> 8,
         newest & 0xff, id);
  return 0;
}

/* ---- the call ------------------------------------------------------------------------------- */

typedef enum flag_kind {
  FLAG_OUTPUT,
  FLAG_TARGET,
  FLAG_EMIT,
  FLAG_LEVEL,
  FLAG_DEBUG,
  FLAG_LINES,
  FLAG_REMARKS,
  FLAG_FORM,
  FLAG_REMARKS_FILE,
  FLAG_VERSION,
  FLAG_HELP
} flag_kind;

typedef struct flag {
  const char *name;
  flag_kind kind;
  bool takes_value;
} flag;

static const flag flags[] = {
    {"-o", FLAG_OUTPUT, true},
    {"--output-file", FLAG_OUTPUT, true},
    {"--gpu-name", FLAG_TARGET, true},
    {"-arch", FLAG_TARGET, true},
    {"--emit", FLAG_EMIT, true},
    {"--opt-level", FLAG_LEVEL, true},
    {"-O", FLAG_LEVEL, true},
    {"-g", FLAG_DEBUG, false},
    {"--device-debug", FLAG_DEBUG, false},
    {"-lineinfo", FLAG_LINES, false},
    {"--lineinfo", FLAG_LINES, false},
    {"--remarks", FLAG_REMARKS, true},
    {"--remark-format", FLAG_FORM, true},
    {"--remarks-output-file", FLAG_REMARKS_FILE, true},
    {"-V", FLAG_VERSION, false},
    {"--version", FLAG_VERSION, false},
    {"-h", FLAG_HELP, false},
    {"--help", FLAG_HELP, false},
};

/* The flag of a word, and the value that the word itself holds: --name=VALUE, -O2. */
static const flag *find_flag(const char *word, const char **value) {
  *value = NULL;
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
    size_t length = strlen(flags[i].name);
    if (strncmp(word, flags[i].name, length) != 0) continue;
    if (!word[length]) return &flags[i];
    if (!flags[i].takes_value) continue;
    if (word[length] == '=') {
      *value = word + length + 1;
      return &flags[i];
    }
    if (strcmp(flags[i].name, "-O") == 0) {
      *value = word + length;
      return &flags[i];
    }
  }
  return NULL;
}

static int take_target(call *c, const char *value) {
  unsigned number;
  int used = 0;
  bool good = sscanf(value, "sm_%3u%n", &number, &used) == 1 && number >= 80 &&
              strspn(value + used, "af") == strlen(value + used) && strlen(value) < IMAGE_TARGET;
  if (!good) return wrong_call("--gpu-name takes an architecture from sm_80 on, not '%s'", value);
  c->target = value;
  return 0;
}

static int take_emit(call *c, const char *value, const char *from) {
  c->cubin = strcmp(value, "cubin") == 0;
  if (c->cubin || strcmp(value, "image") == 0) return 0;
  return wrong_call("%s is image or cubin, not '%s'", from, value);
}

static int take_flag(call *c, const flag *f, const char *value) {
  switch (f->kind) {
  case FLAG_OUTPUT: c->output = value; return 0;
  case FLAG_TARGET: return take_target(c, value);
  case FLAG_EMIT: return take_emit(c, value, "--emit");
  case FLAG_LEVEL:
    if (value[0] < '0' || value[0] > '3' || value[1])
      return wrong_call("the level of optimisation is 0 to 3, not '%s'", value);
    c->level = (unsigned)(value[0] - '0');
    return 0;
  case FLAG_DEBUG: c->level = 0; return 0;
  case FLAG_LINES: return 0;
  case FLAG_REMARKS: c->remarks = strcmp(value, "none") != 0; return 0;
  case FLAG_FORM:
    return strcmp(value, "yaml") == 0 ? 0
                                      : wrong_call("--remark-format takes yaml, not '%s'", value);
  case FLAG_REMARKS_FILE: c->remarks_file = value; return 0;
  case FLAG_VERSION: c->version = true; return 0;
  case FLAG_HELP: c->help = true; return 0;
  }
  return 0;
}

static int read_call(int argc, char **argv, call *c) {
  const char *emit = getenv("TESSERA_TILEIRAS");
  *c = (call){.level = 3};
  if (emit && *emit) {
    int status = take_emit(c, emit, "TESSERA_TILEIRAS");
    if (status) return status;
  }
  for (int i = 1; i < argc; i++) {
    const char *value;
    if (argv[i][0] != '-' || !argv[i][1]) {
      if (c->input) return wrong_call("one INPUT is compiled at a time, not '%s' as well", argv[i]);
      c->input = argv[i];
      continue;
    }
    const flag *f = find_flag(argv[i], &value);
    if (!f) return wrong_call("there is no option '%s'", argv[i]);
    if (f->takes_value && !value && !(value = argv[++i]))
      return wrong_call("%s needs a value", f->name);
    int status = take_flag(c, f, value);
    if (status) return status;
  }
  if (c->version || c->help) return 0;
  if (!c->input) return wrong_call("no INPUT was given");
  if (!c->output) return wrong_call("say where to write the image: -o OUTPUT");
  if (!c->target) return wrong_call("say for which architecture: --gpu-name sm_NN");
  return 0;
}

/* ---- compiling ------------------------------------------------------------------------------ */

static void on_pass(void *user, const tsr_pass_report *report) {
  FILE *out = user;
  if (!report->changes) return;
  fprintf(out,
          "--- !Passed\n"
          "Pass:            %s\n"
          "Name:            Changed\n"
          "Function:        kernels\n"
          "Args:\n"
          "  - Changes:         '%" PRIu64 "'\n"
          "  - String:          ' changes; operations before: '\n"
          "  - Before:          '%" PRIu64 "'\n"
          "  - String:          ', after: '\n"
          "  - After:           '%" PRIu64 "'\n"
          "...\n",
          report->name, report->changes, report->ops_before, report->ops_after);
}

static bool optimise(const call *c, tsr_module *m) {
  char level[4] = {'O', (char)('0' + c->level), 0};
  FILE *remarks = NULL;
  if (c->remarks && c->remarks_file && !(remarks = fopen(c->remarks_file, "w"))) {
    failed("cannot write", c->remarks_file);
    return false;
  }
  tsr_optimize_options options = {
      .struct_size = sizeof options, .on_pass = remarks ? on_pass : NULL, .user = remarks};
  bool good = tsr_module_optimize(m, level, &options) == TSR_OK;
  bool written = !remarks || fclose(remarks) == 0;
  if (good && !written) failed("cannot write", c->remarks_file);
  return good && written;
}

/* Beside the target first, so that a failure leaves nothing half written behind. */
static bool write_file(const char *path, const void *data, size_t size) {
  size_t room = strlen(path) + 8;
  char *temporary = malloc(room);
  if (!temporary) return false;
  snprintf(temporary, room, "%s.part", path);
  FILE *file = fopen(temporary, "wb");
  bool good = file && fwrite(data, 1, size, file) == size;
  if (file && fclose(file) != 0) good = false;
  good = good && rename(temporary, path) == 0;
  if (!good && file) remove(temporary);
  free(temporary);
  return good;
}

static int write_image(const call *c, tsr_context *ctx, tsr_module *m) {
  size_t size, length;
  char *bytecode = tsr_module_write_bytecode(m, 0, &size);
  if (!bytecode) return 1;
  image_info info = {.level = c->level};
  snprintf(info.target, sizeof info.target, "%s", c->target);
  char *image = image_write(&info, bytecode, size, &length);
  tsr_string_free(ctx, bytecode);
  bool good = image && write_file(c->output, image, length);
  if (!good) failed("cannot write", c->output);
  free(image);
  return good ? 0 : 1;
}

/* The library's name for an architecture: front ends say sm_90 for what code is made for as
 * sm_90a. NULL when it has none. */
static const char *gpu_target(const char *asked) {
  size_t length = strlen(asked);
  const char *name;
  for (size_t i = 0; (name = tsr_gpu_target_name(i)); i++)
    if (!strncmp(name, asked, length) && (!name[length] || !strcmp(name + length, "a")))
      return name;
  return NULL;
}

static int write_cubin(const call *c, tsr_context *ctx, tsr_module *m) {
  size_t length;
  const char *target = gpu_target(c->target);
  /* An unknown one is the library's to complain of: it knows what there is. */
  char *cubin = tsr_module_emit_gpu(m, TSR_GPU_CUBIN, target ? target : c->target, NULL, &length);
  if (!cubin) return 1;
  bool good = write_file(c->output, cubin, length);
  if (!good) failed("cannot write", c->output);
  tsr_string_free(ctx, cubin);
  return good ? 0 : 1;
}

static int compile(const call *c, tsr_context *ctx) {
  void *data;
  size_t size;
  if (!image_read_file(c->input, &data, &size)) return failed("cannot read", c->input);
  tsr_module *m = NULL;
  if (tsr_is_bytecode(data, size))
    m = tsr_module_read_bytecode(ctx, data, size, c->input, TSR_PARSE_HINTS_IGNORE);
  else
    fprintf(stderr, "error: '%s' is not Tile IR bytecode\n", c->input);
  free(data);
  bool good = m && optimise(c, m);
  int status = !good ? 1 : c->cubin ? write_cubin(c, ctx, m) : write_image(c, ctx, m);
  tsr_module_destroy(m);
  return status;
}

int main(int argc, char **argv) {
  call c;
  int status = read_call(argc, argv, &c);
  if (status) return status;
  if (c.help) return fputs(usage, stdout) < 0;
  if (c.version) return print_version(&c);
  tsr_context_options options = {.struct_size = sizeof options, .on_diagnostic = on_diagnostic};
  tsr_context *ctx = tsr_context_create(&options);
  if (!ctx) return 1;
  status = compile(&c, ctx);
  tsr_context_destroy(ctx);
  return status;
}
