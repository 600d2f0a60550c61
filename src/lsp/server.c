/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which method is answered how (JSON-RPC 2.0). When memory runs out, control leaves the server by
 * the caller's guard.
 */
#include "lsp/server.h"

#include "lsp/answers.h"
#include "lsp/wire.h"

/* Errors of JSON-RPC and of the protocol. */
enum {
  PARSE_ERROR = -32700,
  INVALID_REQUEST = -32600,
  METHOD_NOT_FOUND = -32601,
  INVALID_PARAMS = -32602,
  NOT_INITIALIZED = -32002,
};

typedef struct server {
  tsr_context *ctx;
  unsigned flags;
  wire wire;
  document *documents;
  lsp_encoding encoding;
  bool markdown; /* for hovers */
  bool initialized, shut_down, ended, broken;
  arena arena; /* of one message */
  sbuf out;
  json json;
} server;

/* ---- replies -------------------------------------------------------------------------------- */

static void begin_message(server *s) {
  s->out = SBUF(&s->arena);
  s->json = JSON(&s->out);
  json_open(&s->json, NULL, '{');
  json_text(&s->json, "jsonrpc", "2.0");
}

static void send_message(server *s) {
  json_close(&s->json, '}');
  if (!wire_write(&s->wire, (str){s->out.data, s->out.len})) s->broken = true;
}

static void put_id(server *s, const json_value *id) {
  if (id && id->kind == JSON_STRING)
    json_str(&s->json, "id", id->text);
  else if (id && id->kind == JSON_NUMBER)
    json_raw(&s->json, "id", str_of(arena_printf(&s->arena, "%.0f", id->number)));
  else
    json_text(&s->json, "id", NULL);
}

static void begin_reply(server *s, const json_value *id) {
  begin_message(s);
  put_id(s, id);
}

static void reply_error(server *s, const json_value *id, int code, const char *text) {
  begin_reply(s, id);
  json_open(&s->json, "error", '{');
  json_raw(&s->json, "code", str_of(arena_printf(&s->arena, "%d", code)));
  json_text(&s->json, "message", text);
  json_close(&s->json, '}');
  send_message(s);
}

/* ---- documents ------------------------------------------------------------------------------ */

static document **find(server *s, str uri) {
  document **at = &s->documents;
  while (*at && !str_eq((*at)->uri, uri)) at = &(*at)->next;
  return at;
}

/* The document that the parameters of a request or a notification name; NULL. */
static document *document_of(server *s, const json_value *params) {
  return *find(s, json_string_in(json_member(params, "textDocument"), "uri"));
}

static void publish(server *s, const document *d, bool open) {
  begin_message(s);
  json *j = &s->json;
  json_text(j, "method", "textDocument/publishDiagnostics");
  json_open(j, "params", '{');
  json_str(j, "uri", d->uri);
  if (open) json_real(j, "version", d->version);
  if (open) {
    answer_diagnostics(d, j, "diagnostics");
  } else {
    json_open(j, "diagnostics", '[');
    json_close(j, ']');
  }
  json_close(j, '}');
  send_message(s);
}

/* Reads what has changed, and tells what was found, once nothing waits to be answered. */
static void publish_all(server *s) {
  for (document *d = s->documents; d; d = d->next) {
    if (d->told) continue;
    document_read(d, s->flags);
    publish(s, d, true);
    d->told = true;
  }
}

static void did_open(server *s, const json_value *params) {
  const json_value *item = json_member(params, "textDocument");
  str uri = json_string_in(item, "uri");
  document **at = find(s, uri);
  if (!uri.data) return;
  if (!*at) *at = document_open(s->ctx, uri, s->encoding);
  document_set(*at, json_string_in(item, "text"), json_number_in(item, "version", 0));
}

static void did_change(server *s, const json_value *params) {
  document *d = document_of(s, params);
  const json_value *changes = json_member(params, "contentChanges");
  double version = json_number_in(json_member(params, "textDocument"), "version", 0);
  for (const json_value *c = d && changes ? changes->first : NULL; c; c = c->next)
    document_change(d, c, version);
}

static void did_close(server *s, const json_value *params) {
  document **at = find(s, json_string_in(json_member(params, "textDocument"), "uri"));
  document *d = *at;
  if (!d) return;
  publish(s, d, false);
  *at = d->next;
  document_close(d);
}

/* ---- the beginning and the end --------------------------------------------------------------- */

static bool has_word(const json_value *list, const char *word) {
  for (const json_value *v = list && list->kind == JSON_ARRAY ? list->first : NULL; v; v = v->next)
    if (v->kind == JSON_STRING && str_is(v->text, word)) return true;
  return false;
}

static void read_capabilities(server *s, const json_value *params) {
  const json_value *can = json_member(params, "capabilities");
  const json_value *encodings = json_member(json_member(can, "general"), "positionEncodings");
  const json_value *hover = json_member(json_member(can, "textDocument"), "hover");
  s->encoding = has_word(encodings, "utf-8") ? LSP_UTF8 : LSP_UTF16;
  s->markdown = has_word(json_member(hover, "contentFormat"), "markdown");
}

static void put_capabilities(server *s, json *j) {
  enum { INCREMENTAL = 2 };
  json_text(j, "positionEncoding", s->encoding == LSP_UTF8 ? "utf-8" : "utf-16");
  json_open(j, "textDocumentSync", '{');
  json_bool(j, "openClose", true);
  json_count(j, "change", INCREMENTAL);
  json_close(j, '}');
  json_bool(j, "hoverProvider", true);
  json_bool(j, "definitionProvider", true);
  json_bool(j, "referencesProvider", true);
  json_bool(j, "documentSymbolProvider", true);
  json_bool(j, "documentFormattingProvider", true);
  json_open(j, "completionProvider", '{');
  json_open(j, "triggerCharacters", '[');
  for (const char *c = "%@#!"; *c; c++) json_str(j, NULL, (str){c, 1});
  json_close(j, ']');
  json_close(j, '}');
}

static void initialize(server *s, const json_value *id, const json_value *params) {
  read_capabilities(s, params);
  begin_reply(s, id);
  json *j = &s->json;
  json_open(j, "result", '{');
  json_open(j, "capabilities", '{');
  put_capabilities(s, j);
  json_close(j, '}');
  json_open(j, "serverInfo", '{');
  json_text(j, "name", "tessera");
  json_text(j, "version", tsr_version());
  json_close(j, '}');
  json_close(j, '}');
  send_message(s);
  s->initialized = true;
}

static void shut_down(server *s, const json_value *id) {
  s->shut_down = true;
  begin_reply(s, id);
  json_text(&s->json, "result", NULL);
  send_message(s);
}

/* ---- requests about a text ------------------------------------------------------------------- */

typedef struct request {
  server *s;
  const document *d;
  const json_value *params;
  uint32_t offset; /* of "position" */
} request;

static void hover(const request *r, json *j) {
  answer_hover(r->d, j, "result", r->offset, r->s->markdown);
}
static void definition(const request *r, json *j) {
  answer_definition(r->d, j, "result", r->offset);
}
static void references(const request *r, json *j) {
  const json_value *all = json_member(json_member(r->params, "context"), "includeDeclaration");
  answer_references(r->d, j, "result", r->offset, all && all->kind == JSON_TRUE);
}
static void symbols(const request *r, json *j) {
  answer_symbols(r->d, j, "result");
}
static void completion(const request *r, json *j) {
  answer_completion(r->d, j, "result", r->offset);
}
static void formatting(const request *r, json *j) {
  answer_formatting(r->d, j, "result", r->s->flags);
}

static const struct {
  const char *method;
  void (*answer)(const request *r, json *j);
} questions[] = {
    {"textDocument/hover", hover},           {"textDocument/definition", definition},
    {"textDocument/references", references}, {"textDocument/documentSymbol", symbols},
    {"textDocument/completion", completion}, {"textDocument/formatting", formatting},
};

static void answer(server *s, unsigned question, const json_value *id, const json_value *params) {
  document *d = document_of(s, params);
  if (!d) {
    reply_error(s, id, INVALID_PARAMS, "the text is not open");
    return;
  }
  document_read(d, s->flags);
  request r = {s, d, params, document_offset(d, json_member(params, "position"))};
  begin_reply(s, id);
  questions[question].answer(&r, &s->json);
  send_message(s);
}

/* ---- messages ------------------------------------------------------------------------------- */

static void take_request(server *s, str method, const json_value *id, const json_value *params) {
  if (s->shut_down) {
    reply_error(s, id, INVALID_REQUEST, "the server is shut down");
  } else if (str_is(method, "initialize")) {
    initialize(s, id, params);
  } else if (!s->initialized) {
    reply_error(s, id, NOT_INITIALIZED, "'initialize' goes first");
  } else if (str_is(method, "shutdown")) {
    shut_down(s, id);
  } else {
    for (unsigned i = 0; i < ARRAY_LEN(questions); i++) {
      if (!str_is(method, questions[i].method)) continue;
      answer(s, i, id, params);
      return;
    }
    reply_error(s, id, METHOD_NOT_FOUND,
                arena_printf(&s->arena, "there is no method '" STR_FMT "'", STR_ARG(method)));
  }
}

static void take_notification(server *s, str method, const json_value *params) {
  if (str_is(method, "exit")) s->ended = true;
  if (!s->initialized || s->shut_down) return;
  if (str_is(method, "textDocument/didOpen")) did_open(s, params);
  if (str_is(method, "textDocument/didChange")) did_change(s, params);
  if (str_is(method, "textDocument/didClose")) did_close(s, params);
}

static void take_message(server *s, str content) {
  size_t where;
  const json_value *message = json_read(&s->arena, content, &where);
  const json_value *id = json_member(message, "id");
  str method = json_string_in(message, "method");
  const json_value *params = json_member(message, "params");
  if (!message)
    reply_error(s, NULL, PARSE_ERROR,
                arena_printf(&s->arena, "this is no JSON from byte %zu on", where));
  else if (!method.data && !json_member(message, "result") && !json_member(message, "error"))
    reply_error(s, id, INVALID_REQUEST, "a message has a method");
  else if (method.data && id)
    take_request(s, method, id, params);
  else if (method.data)
    take_notification(s, method, params);
}

static void serve_one(server *s) {
  str content;
  wire_status status = wire_read(&s->wire, &s->arena, &content);
  if (status == WIRE_MESSAGE) {
    take_message(s, content);
    if (!s->ended && !wire_waits(&s->wire)) publish_all(s);
  }
  s->broken |= status != WIRE_MESSAGE;
  arena_free(&s->arena);
}

bool lsp_serve(tsr_context *ctx, int in, int out, unsigned flags) {
  arena memory;
  arena_init(&memory, ctx);
  server *s = arena_new(&memory, server);
  *s = (server){.ctx = ctx, .flags = flags, .wire = {.in = in, .out = out}, .encoding = LSP_UTF16};
  arena_init(&s->arena, ctx);
  while (!s->ended && !s->broken) serve_one(s);
  bool right = s->ended && s->shut_down;
  for (document *d = s->documents, *following; d; d = following) {
    following = d->next;
    document_close(d);
  }
  arena_free(&memory);
  return right;
}
