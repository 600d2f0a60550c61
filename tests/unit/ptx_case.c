/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * PTX files that carry their own test.
 */
#include "ptx_case.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ptx_reference.h"
#include "real_card.h"

/* ---- reading -------------------------------------------------------------------------------- */

static void complain(ptx_case *c, const char *what, const char *word) {
  if (!c->problem[0]) snprintf(c->problem, sizeof c->problem, "%s: '%.60s'", what, word);
}

static case_elements *read_type(ptx_case *c, case_param *p, char *token) {
  if (p->n_parts == ARRAY_LEN(p->parts)) {
    complain(c, "too many parts of a parameter", token);
    return NULL;
  }
  case_elements *e = &p->parts[p->n_parts++];
  *e = (case_elements){.at = p->n_bytes};
  char *more = strpbrk(token, "/~+");
  size_t n = more ? (size_t)(more - token) : strlen(token);
  snprintf(e->type, sizeof e->type, "%.*s", (int)n, token);
  e->element_bytes = (ptx_type_bits(e->type) + 7) / 8;
  if (e->element_bytes == 0) complain(c, "no type", token);
  while (more && *more) {
    char kind = *more++;
    if (kind == '/')
      e->words = true, more += 2;
    else
      *(kind == '~' ? &e->relative : &e->absolute) = strtod(more, &more);
  }
  if (e->words) e->element_bytes = 8;
  return e;
}

static uint64_t read_number(const char *type, const char *text) {
  bool hex = text[0] == '0' && text[1] == 'x';
  if (hex || !(strcmp(type, "f32") == 0 || strcmp(type, "f64") == 0))
    return text[0] == '-' ? (uint64_t)strtoll(text, NULL, 0) : strtoull(text, NULL, 0);
  double d = strtod(text, NULL);
  float f = (float)d;
  uint64_t bits = 0;
  if (strcmp(type, "f32") == 0)
    memcpy(&bits, &f, 4);
  else
    memcpy(&bits, &d, 8);
  return bits;
}

static void add_value(ptx_case *c, case_param *p, case_elements *e, char *token) {
  char *star = strchr(token, '*');
  unsigned long times = star ? strtoul(star + 1, NULL, 0) : 1;
  uint64_t v = *token == '?' ? 0 : read_number(e->type, token);
  for (; times; times--) {
    if (p->n_bytes + e->element_bytes > CASE_BYTES) {
      complain(c, "too many values", token);
      return;
    }
    memcpy(p->bytes + p->n_bytes, &v, MIN(e->element_bytes, 8u));
    memset(p->any + p->n_bytes, *token == '?', e->element_bytes);
    p->n_bytes += e->element_bytes;
    e->count++;
  }
}

static void read_run(ptx_case *c, char **save) {
  if (c->n == CASE_RUNS) {
    complain(c, "too many runs", "run");
    return;
  }
  case_run *r = &c->runs[c->n++];
  *r = (case_run){.grid = 1, .block = 1, .cluster = 1};
  const char *name = strtok_r(NULL, " ", save);
  snprintf(r->entry, sizeof r->entry, "%s", name ? name : "");
  for (char *key; (key = strtok_r(NULL, " ", save));) {
    const char *value = strtok_r(NULL, " ", save);
    uint32_t *to = strcmp(key, "grid") == 0      ? &r->grid
                   : strcmp(key, "block") == 0   ? &r->block
                   : strcmp(key, "shared") == 0  ? &r->shared
                   : strcmp(key, "cluster") == 0 ? &r->cluster
                                                 : NULL;
    if (to && value)
      *to = (uint32_t)strtoul(value, NULL, 0);
    else
      complain(c, "expected grid, block, shared or cluster", key);
  }
}

static unsigned read_list(const char *text, uint64_t *out) {
  unsigned n = 0;
  for (const char *p = text; p && *p && n < TENSORMAP_MAX_RANK; p += *p == ',') {
    char *end;
    out[n++] = strtoull(p, &end, 0);
    p = end;
  }
  return n;
}

/* map N TYPE dims D,D box B,B | channels C pixels P */
static void read_map(ptx_case *c, case_param *p, char **save) {
  static const struct {
    const char *name;
    tensormap_type type;
  } types[] = {{"u32", TENSORMAP_U32}, {"s32", TENSORMAP_S32}, {"f32", TENSORMAP_F32},
               {"f16", TENSORMAP_F16}, {"u8", TENSORMAP_U8},   {"b32", TENSORMAP_U32}};
  const char *of = strtok_r(NULL, " ", save), *type = strtok_r(NULL, " ", save);
  tensormap *m = &p->map;
  uint64_t list[TENSORMAP_MAX_RANK] = {0};
  p->is_map = true;
  p->map_of = of ? (unsigned)strtoul(of, NULL, 0) : CASE_PARAMS;
  m->type = TENSORMAP_TYPE_COUNT;
  for (size_t k = 0; type && k < ARRAY_LEN(types); k++)
    if (strcmp(types[k].name, type) == 0) m->type = (uint8_t)types[k].type;
  if (p->map_of >= CASE_PARAMS || m->type == TENSORMAP_TYPE_COUNT) {
    complain(c, "expected map PARAMETER TYPE", type ? type : "");
    return;
  }
  for (char *key; (key = strtok_r(NULL, " ", save));) {
    unsigned n = read_list(strtok_r(NULL, " ", save), list);
    if (strcmp(key, "dims") == 0) m->rank = (uint8_t)n;
    for (unsigned k = 0; k < n; k++) {
      if (strcmp(key, "dims") == 0) m->dims[k] = list[k], m->element_strides[k] = 1;
      if (strcmp(key, "box") == 0) m->box[k] = (uint16_t)list[k];
    }
    if (strcmp(key, "channels") == 0) m->channels = (uint16_t)list[0], m->im2col = true;
    if (strcmp(key, "pixels") == 0) m->pixels = (uint16_t)list[0];
  }
  uint64_t bytes = tensormap_element_bytes((tensormap_type)m->type);
  for (unsigned k = 0; k + 1 < m->rank; k++) m->strides[k] = bytes *= m->dims[k];
}

static case_param *new_param(ptx_case *c, case_run *r, const char *word) {
  if (r->n_params == CASE_PARAMS) {
    complain(c, "too many parameters", word);
    return NULL;
  }
  case_param *p = &r->params[r->n_params++];
  *p = (case_param){.is_scalar = strcmp(word, "scalar") == 0,
                    .is_output = strcmp(word, "out") == 0,
                    .bytes = calloc(1, CASE_BYTES),
                    .any = calloc(CASE_BYTES, sizeof(bool))};
  return p;
}

static void read_line(ptx_case *c, char *line) {
  char *save = NULL;
  bool continued = strncmp(line, "  ", 2) == 0;
  case_run *r = c->n ? &c->runs[c->n - 1] : NULL;
  case_param *p = r && r->n_params ? &r->params[r->n_params - 1] : NULL;
  char *word = strtok_r(line, " ", &save);
  if (!word) return;
  if (strcmp(word, "run") == 0) {
    read_run(c, &save);
    return;
  }
  if (!continued) {
    bool more = strcmp(word, "more") == 0;
    bool is_map = strcmp(word, "map") == 0;
    bool known =
        more || is_map || !strcmp(word, "in") || !strcmp(word, "out") || !strcmp(word, "scalar");
    if (!r || !known) {
      complain(c, "expected run, in, out, more, map or scalar", word);
      return;
    }
    if (!more) p = new_param(c, r, word);
    if (is_map) {
      if (p) read_map(c, p, &save);
      return;
    }
    char *type = strtok_r(NULL, " ", &save);
    if (!p || !type || !read_type(c, p, type)) {
      complain(c, "no type", word);
      return;
    }
    word = strtok_r(NULL, " ", &save);
  }
  if (!p || !p->n_parts) {
    complain(c, "values of nothing", word ? word : "");
    return;
  }
  for (; word; word = strtok_r(NULL, " ", &save)) add_value(c, p, &p->parts[p->n_parts - 1], word);
}

void case_read(ptx_case *out, const char *text) {
  *out = (ptx_case){0};
  for (const char *p = text; p && *p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL) {
    if (strncmp(p, "//:", 3) != 0) continue;
    size_t n = strcspn(p, "\n") - 3;
    char *line = calloc(1, n + 1);
    memcpy(line, p + 3, n);
    read_line(out, line[0] == ' ' && line[1] != ' ' ? line + 1 : line);
    free(line);
  }
}

void case_free(ptx_case *c) {
  for (unsigned r = 0; r < c->n; r++)
    for (unsigned k = 0; k < c->runs[r].n_params; k++) {
      free(c->runs[r].params[k].bytes);
      free(c->runs[r].params[k].any);
    }
}

/* ---- comparing ------------------------------------------------------------------------------ */

static bool parts_agree(const char *type, uint64_t found, uint64_t expected, double relative,
                        double absolute) {
  char part[8] = "";
  unsigned bits = ptx_type_bits(type) / 2;
  uint64_t mask = (UINT64_C(1) << bits) - 1;
  snprintf(part, sizeof part, "%.*s", (int)strlen(type) - 2, type);
  return case_agrees(part, found & mask, expected & mask, relative, absolute) &&
         case_agrees(part, found >> bits, expected >> bits, relative, absolute);
}

bool case_agrees(const char *type, uint64_t found, uint64_t expected, double relative,
                 double absolute) {
  if (found == expected) return true;
  if (!strncmp(type, "f16x2", 5) || !strncmp(type, "bf16x2", 6) || !strncmp(type, "f32x2", 5))
    return parts_agree(type, found, expected, relative, absolute);
  bool is_float =
      !strcmp(type, "f16") || !strcmp(type, "bf16") || !strcmp(type, "f32") || !strcmp(type, "f64");
  if (!is_float) return false;
  double x = ptx_float_value(type, found), y = ptx_float_value(type, expected);
  if (isnan(x) || isnan(y)) return isnan(x) && isnan(y);
  return isfinite(x) && isfinite(y) && fabs(x - y) <= relative * fabs(y) + absolute;
}

static void compare(const case_param *p, const uint8_t *found, unsigned param, char *problem,
                    size_t size) {
  for (unsigned k = 0; k < p->n_parts; k++) {
    const case_elements *e = &p->parts[k];
    for (uint32_t n = 0; n < e->count; n++) {
      uint64_t x = 0, y = 0;
      uint32_t at = e->at + n * e->element_bytes;
      memcpy(&x, found + at, MIN(e->element_bytes, 8u));
      memcpy(&y, p->bytes + at, MIN(e->element_bytes, 8u));
      if (p->any[at] || case_agrees(e->type, x, y, e->relative, e->absolute)) continue;
      snprintf(problem, size, "parameter %u, part %u (%s), element %u: 0x%llx, not 0x%llx", param,
               k, e->type, n, (unsigned long long)x, (unsigned long long)y);
      return;
    }
  }
}

/* ---- launching ------------------------------------------------------------------------------ */

void case_launch(const ptx_image *image, const case_run *run, emu_schedule schedule,
                 const emu_watcher *watcher, char *problem, size_t size) {
  const ptx_function *f = ptx_find_entry(image->module, run->entry);
  uint8_t params[64 + CASE_PARAMS * (TENSORMAP_BYTES + 64)] = {0};
  uint64_t addresses[CASE_PARAMS] = {0};
  problem[0] = 0;
  if (!f || f->n_params != run->n_params) {
    snprintf(problem, size, "no entry '%s' with %u parameters", run->entry, run->n_params);
    return;
  }
  for (unsigned k = 0; k < run->n_params; k++) {
    const case_param *p = &run->params[k];
    if (p->is_scalar) {
      memcpy(params + f->params[k].offset, p->bytes, MIN(f->params[k].bytes, 8u));
      continue;
    }
    if (p->is_map) {
      tensormap of_buffer = p->map;
      of_buffer.address = addresses[p->map_of];
      const char *wrong = tensormap_encode(&of_buffer, params + f->params[k].offset);
      if (wrong) snprintf(problem, size, "parameter %u: %s", k, wrong);
      continue;
    }
    addresses[k] = emu_alloc(image->device, MAX(p->n_bytes, 1u), NULL);
    if (!p->is_output) memcpy(emu_find(image->device, addresses[k])->host, p->bytes, p->n_bytes);
    memcpy(params + f->params[k].offset, &addresses[k], 8);
  }
  emu_fault fault;
  emu_launch_options o = {.grid = {run->grid, 1, 1},
                          .block = {run->block, 1, 1},
                          .cluster = {run->cluster, 1, 1},
                          .dynamic_shared = run->shared,
                          .params = params,
                          .schedule = schedule,
                          .seed = 5,
                          .max_steps = 1 << 24,
                          .watcher = watcher};
  tsr_status status = real_card_run(image, f, &o, &fault);
  if (status != TSR_OK) snprintf(problem, size, "the launch failed: %s", fault.message);
  for (unsigned k = 0; k < run->n_params; k++) {
    const case_param *p = &run->params[k];
    if (p->is_output && !problem[0])
      compare(p, emu_find(image->device, addresses[k])->host, k, problem, size);
    if (addresses[k]) emu_free(image->device, addresses[k]);
  }
}
