/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The text of a kernel around one operation: a parameter for each of its arguments, tiles and views
 * made of them, and stores of what it gives. For test_unsupported.c.
 */
#ifndef TESSERA_TESTS_UNSUPPORTED_KERNEL_H
#define TESSERA_TESTS_UNSUPPORTED_KERNEL_H

#include "base/base.h"

/* A kernel for it: parameters, loads before it, stores after it. */
typedef struct kernel_text {
  arena *a;
  sbuf parameters, before, after;
} kernel_text;

static const char *join(arena *a, const char *x, const char *y) {
  return arena_printf(a, "%s%s", x ? x : "", y ? y : "");
}

/* The length of what stands before the next of `stops` outside of brackets. */
static size_t until(const char *s, const char *stops) {
  int depth = 0;
  size_t i = 0;
  for (; s[i] && (depth || !strchr(stops, s[i])); i++) {
    depth += strchr("<([{", s[i]) != NULL;
    depth -= strchr(">)]}", s[i]) != NULL && (i == 0 || s[i - 1] != '-');
  }
  return i;
}

/* Of "tile<8x4xptr<f32>>" the "8x4" and the "ptr<f32>"; of a scalar "" and the element. */
static void take_apart(arena *a, const char *type, const char **shape, const char **elem) {
  const char *in = strchr(type, '<') + 1, *at = in;
  for (const char *p = in; *p == '?' || (*p >= '0' && *p <= '9');) {
    p += strspn(p, "?0123456789");
    if (*p != 'x') break;
    at = ++p;
  }
  *shape = at == in ? "" : arena_printf(a, "%.*s", (int)(at - 1 - in), in);
  *elem = arena_printf(a, "%.*s", (int)until(at, ",>"), at);
}

static void add_parameter(kernel_text *k, const char *name, const char *type) {
  sbuf_printf(&k->parameters, "%s%s: %s", k->parameters.len ? ", " : "", name, type);
}

/* `name` is a tile of pointers of that shape, all the same. */
static void add_pointers(kernel_text *k, const char *name, const char *shape, const char *pointee) {
  const char *base = join(k->a, name, "_base"), *flat = join(k->a, name, "_flat");
  const char *ones = "1";
  for (const char *p = strchr(shape, 'x'); p; p = strchr(p + 1, 'x')) ones = join(k->a, ones, "x1");
  add_parameter(k, base, arena_printf(k->a, "tile<ptr<%s>>", pointee));
  sbuf_printf(&k->before, "%s = reshape %s : tile<ptr<%s>> -> tile<%sxptr<%s>>\n", flat, base,
              pointee, ones, pointee);
  sbuf_printf(&k->before, "%s = broadcast %s : tile<%sxptr<%s>> -> tile<%sxptr<%s>>\n", name, flat,
              ones, pointee, shape, pointee);
}

static void add_tile(kernel_text *k, const char *name, const char *type) {
  const char *shape, *elem, *from = join(k->a, name, "_from");
  take_apart(k->a, type, &shape, &elem);
  if (!*shape) {
    add_parameter(k, name, type);
  } else if (strncmp(elem, "ptr<", 4) == 0) {
    add_pointers(k, name, shape, arena_printf(k->a, "%.*s", (int)strlen(elem) - 5, elem + 4));
  } else {
    add_pointers(k, from, shape, elem);
    sbuf_printf(&k->before, "%s, %s_token = load_ptr_tko weak %s : tile<%sxptr<%s>> -> %s, token\n",
                name, name, from, shape, elem, type);
  }
}

static void add_tensor_view(kernel_text *k, const char *name, const char *type) {
  const char *shape, *elem, *base = join(k->a, name, "_base"), *size = join(k->a, name, "_size");
  take_apart(k->a, type, &shape, &elem);
  add_parameter(k, base, arena_printf(k->a, "tile<ptr<%s>>", elem));
  if (strchr(shape, '?')) add_parameter(k, size, "tile<i32>");
  sbuf_printf(&k->before, "%s = make_tensor_view %s, shape = [", name, base);
  for (const char *p = shape; *p; p++)
    if (*p == '?')
      sbuf_puts(&k->before, size);
    else if (*p == 'x')
      sbuf_puts(&k->before, ", ");
    else
      sbuf_putc(&k->before, *p);
  const char *strides = strstr(type, "strides=") + 8;
  sbuf_printf(&k->before, "], strides = %.*s : %s%s\n", (int)strcspn(strides, "]") + 1, strides,
              strchr(shape, '?') ? "tile<i32> -> " : "", type);
}

static void add_value(kernel_text *k, const char *name, const char *type) {
  const char *view = strstr(type, "tensor_view<");
  if (strcmp(type, "token") == 0) {
    sbuf_printf(&k->before, "%s = make_token : token\n", name);
  } else if (view == type) {
    add_tensor_view(k, name, type);
  } else if (view) {
    const char *of = join(k->a, name, "_view");
    add_tensor_view(k, of, arena_printf(k->a, "%.*s", (int)until(view, ",>"), view));
    sbuf_printf(&k->before, "%s = make_partition_view %s : %s\n", name, of, type);
  } else {
    add_tile(k, name, type);
  }
}

/* Stores a result, so that it must be computed; addresses as numbers. */
static void store_result(kernel_text *k, const char *name, const char *stem, uint32_t i,
                         const char *type) {
  const char *shape, *elem, *to = arena_printf(k->a, "%s_to%u", stem, i);
  if (strncmp(type, "tile<", 5) != 0) return;
  take_apart(k->a, type, &shape, &elem);
  if (strncmp(elem, "ptr<", 4) == 0) {
    const char *number = arena_printf(k->a, "%s_number%u", stem, i);
    const char *words = arena_printf(k->a, "tile<%s%si64>", shape, *shape ? "x" : "");
    sbuf_printf(&k->after, "%s = ptr_to_int %s : %s -> %s\n", number, name, type, words);
    name = number, type = words, elem = "i64";
  }
  if (*shape)
    add_pointers(k, to, shape, elem);
  else
    add_parameter(k, to, arena_printf(k->a, "tile<ptr<%s>>", elem));
  sbuf_printf(&k->after, "%s_stored = store_ptr_tko weak %s, %s : tile<%s%sptr<%s>>, %s -> token\n",
              to, to, name, shape, *shape ? "x" : "", elem, type);
}

#endif
