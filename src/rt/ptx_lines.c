/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/ptx_lines.h"

#include <stdlib.h>

typedef struct writer {
  sbuf *out;
  const ir_module *program;
  VEC(const char *) files;
} writer;

/* A file's number, from 1 on. */
static uint32_t file_of(writer *w, const char *name) {
  for (uint32_t i = 0; i < w->files.len; i++)
    if (strcmp(w->files.data[i], name) == 0) return i + 1;
  vec_push(w->out->arena, w->files, name);
  return w->files.len;
}

/* What follows the directive and white space; NULL when the line begins with another word. */
static const char *after(str line, const char *directive) {
  const char *p = line.data, *end = line.data + line.len;
  size_t n = strlen(directive);
  while (p < end && (*p == ' ' || *p == '\t')) p++;
  if ((size_t)(end - p) <= n || memcmp(p, directive, n) != 0) return NULL;
  p += n;
  return *p == ' ' || *p == '\t' ? p : NULL;
}

/* ".loc FILE NUMBER COLUMN": where the operation of that number stands. One that has no place is
 * left out: its instructions count as those of the operation before. */
static void write_loc(writer *w, const char *numbers) {
  ir_frame frame;
  char *end;
  strtoul(numbers, &end, 10);
  if (!ir_frames(w->program, (ir_loc)strtoul(end, NULL, 10), &frame, 1)) return;
  const char *file = frame.at.src ? frame.at.src->name : frame.at.file;
  if (!file) return;
  sbuf_printf(w->out, "\t.loc\t%u %u %u\n", file_of(w, file), frame.at.line,
              MAX(frame.at.column, 1u));
}

static void write_files(writer *w) {
  for (uint32_t i = 0; i < w->files.len; i++) {
    sbuf_printf(w->out, "\t.file\t%u \"", i + 1);
    for (const char *p = w->files.data[i]; *p; p++) {
      if (*p == '"' || *p == '\\') sbuf_putc(w->out, '\\');
      sbuf_putc(w->out, (unsigned char)*p < ' ' ? '?' : *p);
    }
    sbuf_puts(w->out, "\"\n");
  }
}

void ptx_lines_write(sbuf *out, str ptx, const ir_module *program) {
  writer w = {.out = out, .program = program};
  for (size_t at = 0; at < ptx.len;) {
    const char *newline = memchr(ptx.data + at, '\n', ptx.len - at);
    size_t n = newline ? (size_t)(newline - ptx.data) + 1 - at : ptx.len - at;
    str line = {ptx.data + at, n};
    const char *numbers = after(line, ".loc");
    if (numbers)
      write_loc(&w, numbers);
    else if (!after(line, ".file"))
      sbuf_str(out, line);
    at += n;
  }
  write_files(&w);
}
