/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The public functions of tessera/module.h for files and bytecode.
 */
#include <tessera/module.h>

#include "bytecode/bytecode.h"
#include "bytecode/shipped.h"
#include "ir/verify.h"
#include "text/load.h"
#include "ttir/ttir.h"

/* ---- reading --------------------------------------------------------------------------------- */

/* What to read: bytes, or the file at `path`. */
typedef enum request_form { FORM_ANY, FORM_BYTECODE, FORM_TTIR } request_form;

typedef struct request {
  str data;
  request_form form;
  const char *path, *name;
  unsigned flags;
} request;

/* Damaged bytecode too: no text begins with this character. */
static bool is_binary(str data) {
  return data.len && data.data[0] == 0x7f;
}

/* The file to read for a path or the name of a program that comes with the library. Reports and
 * returns NULL when there is none of that name. */
static const char *path_of(ir_module *m, const char *path) {
  if (strncmp(path, SHIPPED_PREFIX, strlen(SHIPPED_PREFIX)) != 0) return path;
  const char *name = path + strlen(SHIPPED_PREFIX), *folder = shipped_folder(&m->arena);
  const char *found = folder ? shipped_find(&m->arena, folder, name) : NULL;
  if (!folder)
    diag_error(m->ctx, NOWHERE,
               "'%s': the kernels that come with tessera are not beside its library", path);
  else if (!found)
    diag_error(m->ctx, NOWHERE, "no kernel that comes with tessera is called '%s'; they are in %s",
               name, folder);
  return found;
}

static bool fill_module(ir_module *m, const request *r) {
  const char *path = r->path ? path_of(m, r->path) : NULL;
  if (r->path && !path) return false;
  bool given = path == r->path; /* else messages name the file that was found */
  str data, name = arena_str(&m->arena, str_of(given ? r->name : path));
  bool ok;
  m->hints = text_hint_policy(r->flags);
  m->language = (uint8_t)text_language(r->flags);
  m->extensions = r->flags & TSR_PARSE_EXTENSIONS;
  if (!path)
    data = arena_str(&m->arena, r->data);
  else if (!file_read(m->ctx, &m->arena, path, TEXT_MAX_SIZE, &data))
    return false;
  if (r->form == FORM_BYTECODE || is_binary(data))
    ok = bytecode_read_into(m, data, name.data);
  else if (r->form == FORM_TTIR || ttir_is(data))
    ok = ttir_read_into(m, data, name.data);
  else
    ok = text_parse_into(m, data, 0, name.data, r->flags);
  return ok && (r->flags & TSR_PARSE_NO_VERIFY || ir_verify(m));
}

static tsr_module *read_module(tsr_context *ctx, const request *r) {
  ir_module *volatile m = NULL;
  TSR_GUARD(ctx, ir_module_destroy(m); return NULL);
  m = ir_module_create(ctx, STR("kernels"));
  if (!fill_module(m, r)) {
    ir_module_destroy(m);
    m = NULL;
  }
  TSR_UNGUARD(ctx);
  return m;
}

tsr_module *tsr_module_load(tsr_context *ctx, const char *path, unsigned flags) {
  if (!ctx) return NULL;
  if (!path) return text_usage(ctx, __func__, "the path is NULL"), NULL;
  if (!text_check_flags(ctx, __func__, flags)) return NULL;
  request r = {.path = path, .name = strcmp(path, "-") == 0 ? "<stdin>" : path, .flags = flags};
  return read_module(ctx, &r);
}

static tsr_module *read_memory(tsr_context *ctx, const request *r) {
  if (r->data.len <= TEXT_MAX_SIZE) return read_module(ctx, r);
  diag_error(ctx, (place){.file = r->name}, "this file has %zu bytes; at most 2^30 are accepted",
             r->data.len);
  return NULL;
}

bool tsr_is_bytecode(const void *data, size_t length) {
  return data && bytecode_is((str){data, length});
}

tsr_module *tsr_module_read_bytecode(tsr_context *ctx, const void *data, size_t length,
                                     const char *name, unsigned flags) {
  if (!ctx) return NULL;
  if (!data && length) return text_usage(ctx, __func__, "the data is NULL"), NULL;
  if (!text_check_flags(ctx, __func__, flags)) return NULL;
  request r = {.data = {data ? data : "", length},
               .form = FORM_BYTECODE,
               .name = name ? name : "<memory>",
               .flags = flags};
  return read_memory(ctx, &r);
}

bool tsr_is_ttir(const char *text, size_t length) {
  return text && ttir_is((str){text, length});
}

tsr_module *tsr_module_read_ttir(tsr_context *ctx, const char *text, size_t length,
                                 const char *name, unsigned flags) {
  if (!ctx) return NULL;
  if (!text && length) return text_usage(ctx, __func__, "the text is NULL"), NULL;
  if (!text_check_flags(ctx, __func__, flags)) return NULL;
  request r = {.data = {text ? text : "", length},
               .form = FORM_TTIR,
               .name = name ? name : "<memory>",
               .flags = flags};
  return read_memory(ctx, &r);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The minor number; 0 after a message. */
static unsigned check_version(tsr_context *ctx, unsigned version) {
  if (!version) return V13_RELEASED;
  unsigned minor = version & 0xff;
  if (version == TSR_BYTECODE_VERSION(13, minor) && minor >= BYTECODE_OLDEST &&
      minor <= BYTECODE_NEWEST)
    return minor;
  diag_error(ctx, NOWHERE, "bytecode of version %u.%u cannot be written; 13.%d to 13.%d can",
             version >> 8, minor, BYTECODE_OLDEST, BYTECODE_NEWEST);
  return 0;
}

static __attribute__((noinline)) char *write_module(tsr_module *m, unsigned version, arena *a,
                                                    size_t *length) {
  sbuf bytes = SBUF(a);
  unsigned minor = check_version(m->ctx, version);
  m->ctx->errors = 0;
  if (!minor || !(m->verified || ir_verify(m)) || !ir_check_language(m) ||
      !ir_check_tile_level(m, "Tile IR's bytecode cannot hold; keep its text") ||
      !bytecode_write(&bytes, m, (ir_version)minor))
    return NULL;
  char *out = ctx_string_take(&bytes);
  if (length) *length = bytes.len;
  return out;
}

char *tsr_module_write_bytecode(tsr_module *module, unsigned version, size_t *length) {
  if (length) *length = 0;
  if (!module) return NULL;
  tsr_context *ctx = module->ctx;
  arena a;
  arena_init(&a, ctx);
  TSR_GUARD(ctx, arena_free(&a); return NULL);
  char *out = write_module(module, version, &a, length);
  TSR_UNGUARD(ctx);
  arena_free(&a);
  return out;
}
