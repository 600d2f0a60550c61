/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/diagnostics.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"

struct diagnostics {
  bool sarif;
  bool open; /* a message waits for its notes */
  tsr_context *ctx;
  arena arena;
  sbuf out;
  json json;
};

static void open_document(diagnostics *d) {
  json *j = &d->json;
  d->out = SBUF(&d->arena);
  *j = JSON(&d->out);
  if (!d->sarif) return;
  json_open(j, NULL, '{');
  json_text(j, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
  json_text(j, "version", "2.1.0");
  json_open(j, "runs", '[');
  json_open(j, NULL, '{');
  json_open(j, "tool", '{');
  json_open(j, "driver", '{');
  json_text(j, "name", "tessera");
  json_text(j, "version", tsr_version());
  json_close(j, '}');
  json_close(j, '}');
  json_text(j, "columnKind", "unicodeCodePoints");
  json_open(j, "results", '[');
}

static bool start(diagnostics *d) {
  d->ctx = tsr_context_create(NULL);
  if (!d->ctx) return false;
  arena_init(&d->arena, d->ctx);
  TSR_GUARD(d->ctx, return false);
  open_document(d);
  TSR_UNGUARD(d->ctx);
  return true;
}

diagnostics *diagnostics_create(const char *format) {
  bool sarif = strcmp(format, "sarif") == 0;
  if (!sarif && strcmp(format, "json") != 0) return NULL;
  diagnostics *d = calloc(1, sizeof *d);
  if (!d) return NULL;
  d->sarif = sarif;
  if (start(d)) return d;
  if (d->ctx) arena_free(&d->arena);
  tsr_context_destroy(d->ctx);
  free(d);
  return NULL;
}

/* ---- parts of a message --------------------------------------------------------------------- */

/* "[race] two stores" is of the rule "race"; `*text` is then what follows. */
static str rule_of(const tsr_diagnostic *m, const char **text) {
  *text = m->message;
  const char *end = m->message[0] == '[' ? strchr(m->message, ']') : NULL;
  if (!end) return m->file ? STR("language") : STR("command");
  *text = end + 1 + (end[1] == ' ');
  return (str){m->message + 1, (size_t)(end - m->message - 1)};
}

/* Which character of the line begins at the byte; both count from 1. */
static uint32_t character_at(const char *line, uint32_t column) {
  uint32_t n = 1;
  for (uint32_t i = 0; line && i + 1 < column && line[i]; i++) n += (line[i + 1] & 0xc0) != 0x80;
  return line ? n : column;
}

static void add_place(json *j, const tsr_diagnostic *m) {
  if (!m->file) return;
  json_text(j, "file", m->file);
  if (m->line) json_count(j, "line", m->line);
  if (!m->column) return;
  json_count(j, "column", m->column);
  json_count(j, "length", m->length);
}

static void add_region(json *j, const tsr_diagnostic *m) {
  json_open(j, "region", '{');
  json_count(j, "startLine", m->line);
  if (m->column) {
    json_count(j, "startColumn", character_at(m->source_line, m->column));
    json_count(j, "endColumn", character_at(m->source_line, m->column + m->length));
  }
  if (m->source_line) {
    json_open(j, "snippet", '{');
    json_text(j, "text", m->source_line);
    json_close(j, '}');
  }
  json_close(j, '}');
}

static void add_location(json *j, const tsr_diagnostic *m) {
  if (!m->file) return;
  json_open(j, "physicalLocation", '{');
  json_open(j, "artifactLocation", '{');
  json_text(j, "uri", m->file);
  json_close(j, '}');
  if (m->line) add_region(j, m);
  json_close(j, '}');
}

static void add_message(json *j, const char *text) {
  json_open(j, "message", '{');
  json_text(j, "text", text);
  json_close(j, '}');
}

/* ---- messages ------------------------------------------------------------------------------- */

static void write_out(diagnostics *d) {
  fflush(stdout); /* keeps the order when both streams go to one place */
  fwrite(d->out.data, 1, d->out.len, stderr);
  d->out.len = 0;
}

static void close_message(diagnostics *d) {
  if (!d->open) return;
  json_close(&d->json, ']');
  json_close(&d->json, '}');
  d->open = false;
  if (d->sarif) return;
  sbuf_putc(&d->out, '\n');
  d->json.follows = false;
  write_out(d);
}

static void open_json(diagnostics *d, const tsr_diagnostic *m) {
  static const char *const severities[] = {"error", "warning", "note", "remark"};
  const char *text;
  json *j = &d->json;
  json_open(j, NULL, '{');
  json_text(j, "severity", severities[m->severity]);
  json_str(j, "rule", rule_of(m, &text));
  json_text(j, "message", text);
  add_place(j, m);
  if (m->source_line) json_text(j, "source", m->source_line);
  json_open(j, "notes", '[');
}

static void open_sarif(diagnostics *d, const tsr_diagnostic *m) {
  static const char *const levels[] = {"error", "warning", "note", "note"};
  const char *text;
  json *j = &d->json;
  json_open(j, NULL, '{');
  json_str(j, "ruleId", rule_of(m, &text));
  json_text(j, "level", levels[m->severity]);
  add_message(j, text);
  if (m->file) {
    json_open(j, "locations", '[');
    json_open(j, NULL, '{');
    add_location(j, m);
    json_close(j, '}');
    json_close(j, ']');
  }
  json_open(j, "relatedLocations", '[');
}

static void add_note(diagnostics *d, const tsr_diagnostic *m) {
  json *j = &d->json;
  json_open(j, NULL, '{');
  if (d->sarif) {
    add_location(j, m);
    add_message(j, m->message);
  } else {
    json_text(j, "message", m->message);
    add_place(j, m);
  }
  json_close(j, '}');
}

static void add(diagnostics *d, const tsr_diagnostic *m) {
  if (m->severity == TSR_NOTE && d->open) {
    add_note(d, m);
    return;
  }
  close_message(d);
  if (d->sarif)
    open_sarif(d, m);
  else
    open_json(d, m);
  d->open = true;
}

void diagnostics_add(diagnostics *d, const tsr_diagnostic *message) {
  TSR_GUARD(d->ctx, return );
  add(d, message);
  TSR_UNGUARD(d->ctx);
}

static void finish(diagnostics *d) {
  TSR_GUARD(d->ctx, return );
  close_message(d);
  if (d->sarif) {
    json_close(&d->json, ']');
    json_close(&d->json, '}');
    json_close(&d->json, ']');
    json_close(&d->json, '}');
    sbuf_putc(&d->out, '\n');
    write_out(d);
  }
  TSR_UNGUARD(d->ctx);
}

void diagnostics_end(diagnostics *d) {
  if (!d) return;
  if (d->out.len) finish(d);
  arena_free(&d->arena);
  tsr_context_destroy(d->ctx);
  free(d);
}
