/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Showing values. A tile is shown by what can be said of it in a line (the smallest and largest
 * element, the mean, how many NaN) and its first rows; a pointer by the buffer that it points into.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "cli/debug.h"
#include "exec/scalar.h"
#include "num/num.h"

/* ---- names ---------------------------------------------------------------------------------- */

/* "%x", "%tiles#1". Only the first result of several has a name. */
const char *debug_value_name(debugger *d, const ir_value *v) {
  arena *a = &d->c->arena;
  if (v->is_arg) return v->name ? arena_printf(a, "%%%s", v->name) : "an unnamed value";
  const ir_op *op = v->owner.op;
  bool names_all = op->n_results > 1 && v->index == 0 && !op->results[1].name;
  if (v->name) return arena_printf(a, "%%%s%s", v->name, names_all ? "#0" : "");
  for (uint32_t k = v->index; k-- > 0;)
    if (op->results[k].name) return arena_printf(a, "%%%s#%u", op->results[k].name, v->index - k);
  return "an unnamed value";
}

/* Calls for every value that can be used where the execution stands, the nearest first, until one
 * call returns false. */
typedef bool (*value_fn)(void *user, const ir_value *v);

static bool each_of(const ir_value *values, uint32_t n, value_fn fn, void *user) {
  for (uint32_t k = 0; k < n; k++)
    if (!fn(user, &values[k])) return false;
  return true;
}

static void each_value(const debugger *d, value_fn fn, void *user) {
  const ir_op *at = d->at;
  for (; at->block && at->opcode != OP_entry; at = at->block->parent) {
    for (const ir_op *op = at->prev; op; op = op->prev)
      if (!each_of(op->results, op->n_results, fn, user)) return;
    if (!each_of(at->block->args, at->block->n_args, fn, user)) return;
  }
}

typedef struct value_search {
  const debugger *d;
  str name;
  uint32_t index;   /* after '#' */
  bool is_variable; /* of the script, whose last value is meant, under whatever name */
  const ir_value *found;
} value_search;

/* "name_12" of "name": an argument of a loop, which has no location of its own. */
static bool is_numbered(str name, const char *text) {
  size_t n = strlen(text);
  if (n < name.len + 2 || memcmp(text, name.data, name.len) != 0 || text[name.len] != '_')
    return false;
  return strspn(text + name.len + 1, "0123456789") == n - name.len - 1;
}

/* Whether the value, or a part of it, is what the script assigns to the variable. */
static bool is_of_variable(const value_search *s, const ir_value *v) {
  if (!v->name) return false;
  if (v->is_arg) return is_numbered(s->name, v->name);
  const ir_module *m = s->d->module;
  for (ir_loc at = v->owner.op->loc; at; at = m->locs.data[at].inner) {
    const ir_loc_info *info = &m->locs.data[at];
    if (info->kind == IR_LOC_NAMED && str_is(s->name, info->file)) return true;
  }
  return false;
}

static bool is_named(void *user, const ir_value *v) {
  value_search *s = user;
  bool is_it = v->name && str_is(s->name, v->name);
  if (!is_it && !(s->is_variable && is_of_variable(s, v))) return true;
  if (s->index == 0)
    s->found = v;
  else if (!v->is_arg && s->index < v->owner.op->n_results - v->index)
    s->found = v + s->index;
  return false;
}

/* Reads "%name#1", or "name" of a variable of the script, and moves after it. Says so when there is
 * none. */
static const ir_value *read_value(debugger *d, const char **text) {
  const char *p = *text + (**text == '%');
  value_search s = {.d = d, .name = {p, 0}, .is_variable = d->file && p == *text};
  while (isalnum((unsigned char)p[s.name.len]) || (p[s.name.len] && strchr("_$.-", p[s.name.len])))
    s.name.len++;
  p += s.name.len;
  if (*p == '#') {
    char *end;
    unsigned long index = strtoul(p + 1, &end, 10);
    s.index = (uint32_t)MIN(index, (unsigned long)INT32_MAX);
    p = end;
  }
  each_value(d, is_named, &s);
  if (!s.found)
    printf("there is no value %%" STR_FMT " here; 'info values' lists them\n",
           (int)(p - *text - (**text == '%')), *text + (**text == '%'));
  *text = p;
  return s.found;
}

/* ---- addresses ------------------------------------------------------------------------------ */

/* The buffer around an address; NULL. */
static const argument *buffer_at(const debugger *d, uint64_t address) {
  const argument_list *list = d->job->arguments;
  for (unsigned k = 0; k < list->count; k++) {
    const argument *arg = &list->data[k];
    if (arg->kind == ARGUMENT_SCALAR) continue;
    uint64_t start = (uintptr_t)arg->array.data;
    if (address >= start && address <= start + arg->array.npy.bytes) return arg;
  }
  return NULL;
}

/* "%x + 12", which counts elements, or the address alone. */
static const char *address_text(debugger *d, uint64_t address) {
  arena *a = &d->c->arena;
  const argument *arg = buffer_at(d, exec_bit_address(address) / 8);
  if (!arg) return arena_printf(a, "0x%" PRIx64, address);
  unsigned bits = tsr_elem_bits(arg->array.elem);
  uint64_t at = exec_bit_address(address) - 8 * (uint64_t)(uintptr_t)arg->array.data;
  uint64_t count = at / (bits == 1 ? 8 : bits);
  const char *name = arg->parameter->name;
  if (!name)
    name = arena_printf(a, "argument %u", (unsigned)(arg - d->job->arguments->data) + 1);
  else
    name = arena_printf(a, "%%%s", name);
  return arena_printf(a, "%s + %" PRIu64, name, count);
}

/* ---- parts of tiles ------------------------------------------------------------------------- */

/* A box of a tile's elements. */
typedef struct part {
  int64_t first[IR_MAX_RANK], size[IR_MAX_RANK];
} part;

static part whole(const ir_type *t) {
  part p = {0};
  for (unsigned k = 0; k < t->rank; k++) p.size[k] = t->shape[k];
  return p;
}

/* The first rows: of the last two dimensions 8 by 8, of the others one. */
static part first_rows(const ir_type *t) {
  enum { ROWS = 8, COLUMNS = 8 };
  part p = {0};
  for (unsigned k = 0; k < t->rank; k++) {
    int64_t shown = k + 1 == t->rank ? COLUMNS : k + 2 == t->rank ? ROWS : 1;
    p.size[k] = MIN(t->shape[k], shown);
  }
  return p;
}

static bool is_whole(const ir_type *t, const part *p) {
  for (unsigned k = 0; k < t->rank; k++)
    if (p->size[k] != t->shape[k]) return false;
  return true;
}

/* A number or nothing, at *text. */
static bool read_index(const char **text, int64_t *out) {
  while (isspace((unsigned char)**text)) (*text)++;
  if (!isdigit((unsigned char)**text)) return false;
  char *end;
  errno = 0;
  *out = strtoll(*text, &end, 10);
  *text = end;
  return !errno;
}

static bool skip(const char **text, char c) {
  while (isspace((unsigned char)**text)) (*text)++;
  if (**text != c) return false;
  (*text)++;
  return true;
}

/* "0:4, 7, :]". Returns NULL or what is wrong. */
static const char *read_part(const ir_type *t, const char *text, part *p) {
  for (unsigned k = 0; k < t->rank; k++) {
    int64_t first = 0, end = t->shape[k];
    bool has_first = read_index(&text, &first), is_range = skip(&text, ':');
    if (is_range)
      read_index(&text, &end);
    else if (has_first)
      end = first + 1;
    else
      return "a part is written as in [0:4, 7, :]";
    if (first >= end || end > t->shape[k]) return "that is outside of the tile";
    p->first[k] = first;
    p->size[k] = end - first;
    if (k + 1 < t->rank && !skip(&text, ',')) return "a part needs one range for each dimension";
  }
  return skip(&text, ']') && !*text ? NULL : "a part needs one range for each dimension";
}

/* Where the element at `index` of a part lies in the tile. */
static int64_t position(const ir_type *t, const part *p, const int64_t *index) {
  int64_t at = 0;
  for (unsigned k = 0; k < t->rank; k++) at = at * t->shape[k] + p->first[k] + index[k];
  return at;
}

static bool next_index(const ir_type *t, const part *p, int64_t *index) {
  for (unsigned k = t->rank; k-- > 0;) {
    if (++index[k] < p->size[k]) return true;
    index[k] = 0;
  }
  return false;
}

static void show_pointers(debugger *d, const ir_type *t, const void *data, const part *p) {
  int64_t index[IR_MAX_RANK] = {0};
  const char *before = "[";
  do {
    uint64_t address;
    num_load_array(&address, data, TSR_PTR, (size_t)position(t, p, index), 1);
    printf("%s%s", before, address_text(d, address));
    before = ", ";
  } while (next_index(t, p, index));
  puts("]");
}

/* Elements as `run --print` shows them. */
static void show_part(debugger *d, const ir_type *t, const void *data, const part *p, bool all) {
  if (t->elem == TSR_PTR) {
    show_pointers(d, t, data, p);
    return;
  }
  array a;
  arena scratch;
  arena_init(&scratch, d->c->ctx);
  if (array_describe(&a, (tsr_elem)t->elem, t->rank, p->size)) {
    int64_t index[IR_MAX_RANK] = {0}, k = 0;
    a.data = arena_alloc(&scratch, tsr_elem_storage(a.elem, a.count) + 1, 16);
    do {
      uint64_t pattern;
      num_load_array(&pattern, data, a.elem, (size_t)position(t, p, index), 1);
      num_store_array(a.data, &pattern, a.elem, (size_t)k++, 1);
    } while (next_index(t, p, index));
    if (all)
      array_show_all(&a, stdout);
    else
      array_show(&a, stdout);
  }
  arena_free(&scratch);
}

/* ---- a tile in a line ----------------------------------------------------------------------- */

static void show_statistics(const ir_type *t, const void *data) {
  enum { CHUNK = 256 };
  double least = INFINITY, most = -INFINITY, sum = 0, values[CHUNK];
  int64_t nans = 0;
  for (int64_t done = 0; done < t->count; done += CHUNK) {
    size_t n = (size_t)MIN(t->count - done, (int64_t)CHUNK);
    num_decode_array(values, data, (tsr_elem)t->elem, (size_t)done, n);
    for (size_t k = 0; k < n; k++) {
      if (isnan(values[k])) {
        nans++;
        continue;
      }
      least = fmin(least, values[k]);
      most = fmax(most, values[k]);
      sum += values[k];
    }
  }
  if (nans < t->count)
    printf("min %.6g, max %.6g, mean %.6g", least, most, sum / (double)(t->count - nans));
  if (nans) printf("%s%" PRId64 " NaN", nans < t->count ? ", " : "", nans);
}

static void show_scalar(debugger *d, const ir_type *t, const void *data) {
  uint64_t pattern;
  num_load_array(&pattern, data, (tsr_elem)t->elem, 0, 1);
  if (t->elem == TSR_PTR)
    fputs(address_text(d, pattern), stdout);
  else if (t->elem == TSR_I1)
    fputs(pattern ? "true" : "false", stdout);
  else if (num_format_of((tsr_elem)t->elem))
    printf("%.9g", num_decode(num_format_of((tsr_elem)t->elem), pattern));
  else
    printf("%" PRId64, num_sext(pattern, tsr_elem_bits((tsr_elem)t->elem)));
}

/* "base %x + 0, extents [4, 8], strides [8, 1]" */
static void show_view(debugger *d, const ir_type *t, const void *data) {
  const uint64_t *words = data;
  unsigned rank = (t->view ? t->view : t)->rank;
  printf("base %s", address_text(d, words[0]));
  for (unsigned k = 0; k < 2 * rank; k++)
    printf("%s%" PRIu64, k == 0 ? ", extents [" : k == rank ? "], strides [" : ", ", words[1 + k]);
  if (rank) putchar(']');
}

void debug_show_short(debugger *d, const ir_value *v) {
  const ir_type *t = v->type;
  const void *data = interp_value(d->frame, v);
  if (t->kind == IR_TOKEN) {
    fputs("a token", stdout);
  } else if (!ir_is_tile(t)) {
    show_view(d, t, data);
  } else if (t->rank == 0) {
    show_scalar(d, t, data);
  } else if (t->elem == TSR_PTR) {
    uint64_t ends[2];
    num_load_array(&ends[0], data, TSR_PTR, 0, 1);
    num_load_array(&ends[1], data, TSR_PTR, (size_t)t->count - 1, 1);
    printf("%s", address_text(d, ends[0]));
    if (t->count > 1) printf(" to %s", address_text(d, ends[1]));
  } else {
    show_statistics(t, data);
  }
}

/* "%x: tile<4xf32>, min 0, max 3, mean 1.5" */
static void show_head(debugger *d, const ir_value *v) {
  printf("%s%s%s: %s%s%s, ", debug_style(d, DEBUG_CYAN), debug_value_name(d, v),
         debug_style(d, DEBUG_OFF), debug_style(d, DEBUG_DIM), ir_type_text(&d->c->arena, v->type),
         debug_style(d, DEBUG_OFF));
  debug_show_short(d, v);
  putchar('\n');
}

/* ---- commands ------------------------------------------------------------------------------- */

void debug_print(debugger *d, const char *text) {
  const ir_value *v = read_value(d, &text);
  if (!v) return;
  const ir_type *t = v->type;
  while (isspace((unsigned char)*text)) text++;
  const void *data = interp_value(d->frame, v);
  bool has_elements = ir_is_tile(t) && t->rank > 0;
  if (*text == '[') {
    part p;
    const char *wrong = has_elements ? read_part(t, text + 1, &p) : "it has no elements";
    if (wrong)
      printf("%s\n", wrong);
    else
      show_part(d, t, data, &p, true);
    return;
  }
  bool all = strcmp(text, "all") == 0;
  if (*text && !all) {
    printf("behind the value comes nothing, 'all' or [0:4, 0:8], not '%s'\n", text);
    return;
  }
  show_head(d, v);
  if (!has_elements) return;
  part p = all ? whole(t) : first_rows(t);
  show_part(d, t, data, &p, all);
  if (!is_whole(t, &p))
    printf("and more; 'print %s all' shows everything\n", debug_value_name(d, v));
}

static bool show_value(void *user, const ir_value *v) {
  fputs("  ", stdout);
  show_head(user, v);
  return true;
}

void debug_info_values(debugger *d) {
  each_value(d, show_value, d);
}

void debug_show_results(debugger *d, const ir_op *op) {
  for (uint32_t k = 0; k < op->n_results; k++)
    if (op->results[k].type->kind != IR_TOKEN) show_value(d, &op->results[k]);
}

void debug_info_buffers(debugger *d) {
  const argument_list *list = d->job->arguments;
  unsigned buffers = 0;
  for (unsigned k = 0; k < list->count; k++) {
    const argument *arg = &list->data[k];
    if (arg->kind == ARGUMENT_SCALAR) continue;
    buffers++;
    const char *name = arg->parameter->name;
    printf("  %s%s: %s, %" PRIu64 " bytes at %p\n", name ? "%" : "",
           name ? name : arena_printf(&d->c->arena, "argument %u", k + 1),
           array_type_text(&d->c->arena, &arg->array), arg->array.npy.bytes,
           (void *)arg->array.data);
  }
  if (!buffers) puts("the kernel has no buffers");
}
