/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lsp/wire.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

enum { MAX_HEADER = 1024 };
#define MAX_CONTENT ((size_t)1 << 30)

/* Fills the empty buffer; false at the end of the input. */
static bool fill(wire *w) {
  ssize_t n;
  do {
    n = read(w->in, w->buffer, sizeof w->buffer);
  } while (n < 0 && errno == EINTR);
  w->at = 0;
  w->end = n > 0 ? (size_t)n : 0;
  return n > 0;
}

/* A line of the header without its end. */
static wire_status read_line(wire *w, char line[MAX_HEADER]) {
  size_t len = 0;
  for (;;) {
    if (w->at == w->end && !fill(w)) return len ? WIRE_BROKEN : WIRE_END;
    char c = w->buffer[w->at++];
    if (c == '\n') break;
    if (len == MAX_HEADER - 1) return WIRE_BROKEN;
    line[len++] = c;
  }
  if (len && line[len - 1] == '\r') len--;
  line[len] = 0;
  return WIRE_MESSAGE;
}

/* "Content-Length: 12". Other fields, as the type of the content, mean nothing here. */
static bool take_field(const char *line, size_t *length) {
  static const char name[] = "Content-Length:";
  if (!strchr(line, ':')) return false;
  if (strncasecmp(line, name, sizeof name - 1) != 0) return true;
  const char *digits = line + sizeof name - 1;
  while (*digits == ' ') digits++;
  char *end;
  *length = strtoull(digits, &end, 10);
  return end > digits && *end == 0 && *digits != '-' && *length <= MAX_CONTENT;
}

static wire_status read_header(wire *w, size_t *length) {
  char line[MAX_HEADER];
  bool any = false;
  *length = SIZE_MAX;
  for (;;) {
    wire_status status = read_line(w, line);
    if (status != WIRE_MESSAGE) return any ? WIRE_BROKEN : status;
    if (!*line) return *length == SIZE_MAX ? WIRE_BROKEN : WIRE_MESSAGE;
    if (!take_field(line, length)) return WIRE_BROKEN;
    any = true;
  }
}

wire_status wire_read(wire *w, arena *a, str *content) {
  size_t length;
  wire_status status = read_header(w, &length);
  if (status != WIRE_MESSAGE) return status;
  char *data = arena_alloc(a, length + 1, 1);
  for (size_t got = 0; got < length;) {
    if (w->at == w->end && !fill(w)) return WIRE_BROKEN;
    size_t n = MIN(length - got, w->end - w->at);
    memcpy(data + got, w->buffer + w->at, n);
    w->at += n;
    got += n;
  }
  data[length] = 0;
  *content = (str){data, length};
  return WIRE_MESSAGE;
}

bool wire_waits(const wire *w) {
  struct pollfd p = {.fd = w->in, .events = POLLIN};
  return w->at < w->end || (poll(&p, 1, 0) == 1 && (p.revents & POLLIN));
}

static bool write_all(int fd, const char *data, size_t len) {
  while (len) {
    ssize_t n = write(fd, data, len);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data += n;
    len -= (size_t)n;
  }
  return true;
}

bool wire_write(wire *w, str content) {
  char header[64];
  int n = snprintf(header, sizeof header, "Content-Length: %zu\r\n\r\n", content.len);
  return write_all(w->out, header, (size_t)n) && write_all(w->out, content.data, content.len);
}
