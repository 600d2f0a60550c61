/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The command `cache`: what lies in the cache of compiled kernels, and emptying it.
 */
#include "rt/cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "cli/cli.h"
#include "rt/cached.h"

/* "3.4 MB" */
static const char *size_text(cli *c, uint64_t bytes) {
  static const char *const units[] = {"bytes", "KB", "MB", "GB", "TB"};
  double n = (double)bytes;
  unsigned unit = 0;
  for (; n >= 999.5 && unit + 1 < ARRAY_LEN(units); unit++) n /= 1000;
  return arena_printf(&c->arena, "%.*f %s", unit && n < 9.95 ? 1 : 0, n, units[unit]);
}

/* "2 hours ago" */
static const char *age_text(cli *c, time_t then) {
  static const struct {
    int64_t seconds;
    const char *name;
  } units[] = {{86400, "day"}, {3600, "hour"}, {60, "minute"}, {1, "second"}};
  int64_t age = (int64_t)(time(NULL) - then);
  for (size_t i = 0; i < ARRAY_LEN(units); i++) {
    int64_t n = age / units[i].seconds;
    if (n >= 1)
      return arena_printf(&c->arena, "%lld %s%s ago", (long long)n, units[i].name,
                          n == 1 ? "" : "s");
  }
  return "now";
}

static const char *entries_text(cli *c, uint64_t n) {
  return arena_printf(&c->arena, "%llu %s", (unsigned long long)n, n == 1 ? "entry" : "entries");
}

/* ---- the three words ------------------------------------------------------------------------ */

typedef struct listing {
  cli *c;
  VEC(cache_item) items;
  uint64_t bytes;
} listing;

static void collect(void *user, const cache_item *item) {
  listing *l = user;
  vec_push(&l->c->arena, l->items, *item);
  l->bytes += item->bytes;
}

static int by_use(const void *a, const void *b) {
  const cache_item *x = a, *y = b;
  if (x->used != y->used) return x->used > y->used ? -1 : 1;
  return strcmp(x->path, y->path);
}

/* A folder that isn't there is an empty cache; any other reason is the user's business. */
static int look(cli *c, const cache *where, bool keys, listing *out) {
  *out = (listing){.c = c};
  if (cache_walk(where, &c->arena, keys, collect, out) || errno == ENOENT) return CLI_OK;
  if (errno == EPERM)
    cli_error(c, "'%s' is not used: it must belong to you, and nobody else may write to it",
              where->folder);
  else
    cli_error(c, "cannot look into '%s': %s", where->folder, strerror(errno));
  return CLI_WRONG_INPUT;
}

static int list_json(cli *c, const listing *l) {
  sbuf out = SBUF(&c->arena);
  json j = JSON(&out);
  json_open(&j, NULL, '[');
  for (uint32_t i = 0; i < l->items.len; i++) {
    const cache_item *item = &l->items.data[i];
    json_open(&j, NULL, '{');
    json_text(&j, "path", item->path);
    json_count(&j, "bytes", item->bytes);
    json_count(&j, "used", (uint64_t)item->used);
    json_bool(&j, "broken", item->key.len == 0);
    json_str(&j, "kernel", cached_key_line(item->key, "kernel"));
    json_str(&j, "target", cached_key_line(item->key, "target"));
    json_close(&j, '}');
  }
  json_close(&j, ']');
  return cli_print_line(&out);
}

static int list(cli *c, const cache *where) {
  listing l;
  int status = look(c, where, true, &l);
  if (status != CLI_OK) return status;
  if (l.items.len) qsort(l.items.data, l.items.len, sizeof *l.items.data, by_use);
  if (cli_has(c, OPT_JSON)) return list_json(c, &l);
  for (uint32_t i = 0; i < l.items.len; i++) {
    const cache_item *item = &l.items.data[i];
    str kernel = cached_key_line(item->key, "kernel"),
        target = cached_key_line(item->key, "target");
    if (!item->key.len) kernel = STR("(broken, will be replaced)");
    printf("%s  %8s  %-14s  " STR_FMT "  " STR_FMT "\n", item->path, size_text(c, item->bytes),
           age_text(c, item->used), STR_ARG(kernel), STR_ARG(target));
  }
  return CLI_OK;
}

static int counts_json(cli *c, const cache *where, uint64_t entries, uint64_t bytes) {
  sbuf out = SBUF(&c->arena);
  json j = JSON(&out);
  json_open(&j, NULL, '{');
  json_text(&j, "folder", where->folder);
  json_count(&j, "entries", entries);
  json_count(&j, "bytes", bytes);
  json_count(&j, "limit", where->limit);
  json_close(&j, '}');
  return cli_print_line(&out);
}

static int stat_cache(cli *c, const cache *where) {
  listing l;
  int status = look(c, where, false, &l);
  if (status != CLI_OK) return status;
  if (cli_has(c, OPT_JSON)) return counts_json(c, where, l.items.len, l.bytes);
  printf("folder  %s\nholds   %s, %s\nlimit   %s\n", where->folder, entries_text(c, l.items.len),
         size_text(c, l.bytes), size_text(c, where->limit));
  return CLI_OK;
}

static int clear(cli *c, const cache *where) {
  listing l;
  int status = look(c, where, false, &l);
  if (status != CLI_OK) return status;
  uint64_t entries, bytes;
  cache_clear(where, &c->arena, &entries, &bytes);
  if (cli_has(c, OPT_JSON)) return counts_json(c, where, entries, bytes);
  printf("removed %s, %s\n", entries_text(c, entries), size_text(c, bytes));
  return CLI_OK;
}

int cli_cache(cli *c) {
  static const char *const names[] = {"list", "stat", "clear", NULL};
  static int (*const run[])(cli * c, const cache *where) = {list, stat_cache, clear};
  const char *word = c->args[0];
  unsigned which = 0;
  while (names[which] && strcmp(names[which], word) != 0) which++;
  if (!names[which]) {
    const char *closest = cli_closest(word, names);
    if (closest) {
      cli_error(c, "there is no 'cache %s'", word);
      cli_note(c, "did you mean 'cache %s'?", closest);
      return CLI_WRONG_CALL;
    }
    return cli_wrong_call(c, "'cache' takes list, stat or clear, not '%s'", word);
  }
  cache where;
  if (cache_open(c->ctx, NULL, &where)) return run[which](c, &where);
  cli_error(c, "there is no cache: TESSERA_CACHE is off, or neither TESSERA_CACHE_DIR nor HOME "
               "names a folder");
  return CLI_WRONG_INPUT;
}
