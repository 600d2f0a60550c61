/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ops/image.h"

#include <stdio.h>

/* ---- reading --------------------------------------------------------------------------------- */

/* Numbers of the dimensions, the last of three; one number means all. */
static bool read_dims(const ops_problem *p, unsigned param, unsigned rank, int64_t least,
                      int64_t out[IMAGE_DIMS], ops_why *why) {
  const char *text = p->values[param].text;
  int64_t given[IMAGE_DIMS];
  int n = ops_read_list(str_of(text), 'x', given, IMAGE_DIMS);
  bool good = n == 1 || n == (int)rank;
  for (int i = 0; good && i < n; i++) good = given[i] >= least && given[i] <= 1 << 30;
  if (!good)
    return ops_refuse(why, "%s=%.64s: give one number from %lld to 2^30, or %u with x between",
                      p->family->params[param].name, text, (long long)least, rank);
  for (unsigned d = IMAGE_DIMS - rank; d < IMAGE_DIMS; d++)
    out[d] = n == 1 ? given[0] : given[d - (IMAGE_DIMS - rank)];
  return true;
}

static bool read_size(ops_image *w, const ops_problem *p, unsigned param, ops_why *why) {
  const char *text = p->values[param].text;
  int64_t given[IMAGE_DIMS];
  bool open = strcmp(text, "auto") == 0;
  int n = open ? 2 : ops_read_list(str_of(text), 'x', given, IMAGE_DIMS);
  w->rank = (unsigned)MAX(n, 0);
  if (open) return true;
  for (int d = 0; d < n; d++) {
    w->in[IMAGE_DIMS - n + d] = given[d];
    if (given[d] > 1 << 30) n = -1;
  }
  return n > 0 ||
         ops_refuse(why, "size=%.64s: give one to three numbers from 0 to 2^30, as in 56x56", text);
}

/* Pixels of the result along a dimension. */
static bool find_out(ops_image *w, const ops_problem *p, const image_params *at, unsigned d,
                     int64_t end, ops_why *why) {
  int64_t have = w->in[d] + w->pad[d] + end, need = w->dilation[d] * (w->kernel[d] - 1) + 1;
  w->out[d] = have < need ? 0 : (have - need) / w->stride[d] + 1;
  return have >= need || w->in[d] == 0 ||
         ops_refuse(why,
                    "kernel=%s reaches over %lld elements, but size=%s with its padding has "
                    "%lld; give a larger padding or a smaller window",
                    p->values[at->kernel].text, (long long)need, p->values[at->size].text,
                    (long long)have);
}

bool image_parse(ops_image *w, const ops_problem *p, const image_params *at, ops_why *why) {
  *w =
      (ops_image){.in = {1, 1, 1}, .kernel = {1, 1, 1}, .stride = {1, 1, 1}, .dilation = {1, 1, 1}};
  int64_t end[IMAGE_DIMS] = {0};
  bool same = strcmp(p->values[at->padding_end].text, "same") == 0;
  if (!read_size(w, p, at->size, why) || !read_dims(p, at->kernel, w->rank, 1, w->kernel, why) ||
      !read_dims(p, at->stride, w->rank, 1, w->stride, why) ||
      !read_dims(p, at->dilation, w->rank, 1, w->dilation, why) ||
      !read_dims(p, at->padding, w->rank, 0, w->pad, why) ||
      !read_dims(p, same ? at->padding : at->padding_end, w->rank, 0, end, why))
    return false;
  for (unsigned d = 0; d < IMAGE_DIMS; d++)
    if (!find_out(w, p, at, d, end[d], why)) return false;
  return true;
}

/* ---- tensors --------------------------------------------------------------------------------- */

static int64_t times(int64_t x, int64_t y) {
  int64_t product;
  return __builtin_mul_overflow(x, y, &product) || product > OPS_MAX_SIZE ? OPS_MAX_SIZE : product;
}

void image_add(ops_image *w, const ops_problem *p, const image_params *at, const char *name,
               ops_type type, tsr_op_use use, int64_t batch, int64_t channels,
               const int64_t *image) {
  image_tensor *t = &w->tensors[w->count++];
  bool last = p->values[at->layout].i == 0;
  int64_t run = 1;
  *t = (image_tensor){.name = name, .type = type, .use = (uint8_t)use, .unit = -1};
  t->sizes[IMAGE_BATCH] = batch;
  t->sizes[IMAGE_CHANNEL] = channels;
  memcpy(t->sizes + IMAGE_FIRST, image, IMAGE_DIMS * sizeof *image);
  if (last) t->strides[IMAGE_CHANNEL] = 1, run = MAX(channels, 1);
  for (unsigned d = IMAGE_RANK; d-- > IMAGE_FIRST;) {
    t->strides[d] = run;
    run = times(run, MAX(t->sizes[d], 1));
  }
  if (!last) t->strides[IMAGE_CHANNEL] = run, run = times(run, MAX(channels, 1));
  t->strides[IMAGE_BATCH] = run;
}

const image_tensor *image_find(const ops_image *w, const char *name) {
  for (unsigned i = 0; i < w->count; i++)
    if (strcmp(w->tensors[i].name, name) == 0) return &w->tensors[i];
  return NULL;
}

/* A dimension of a tensor as it is given: images have `rank` of them. */
static unsigned dim_of(const ops_image *w, unsigned given) {
  return given < IMAGE_FIRST ? given : given + IMAGE_DIMS - w->rank;
}

static bool read_strides(ops_image *w, const char *text, ops_why *why) {
  ops_strides given;
  for (str rest = ops_strides_begin(text); ops_strides_next(&rest, &given);) {
    image_tensor *t = NULL;
    for (unsigned i = 0; i < w->count; i++)
      if (str_is(given.name, w->tensors[i].name)) t = &w->tensors[i];
    if (!t)
      return ops_refuse(why, "strides=" STR_FMT ": name a tensor, as in x:3136x1x56x1",
                        (int)MIN(given.text.len, (size_t)64), given.text.data);
    if (!ops_check_strides(&given, t->name, w->rank + 2, why)) return false;
    for (unsigned d = 0; d < w->rank + 2; d++) t->strides[dim_of(w, d)] = given.values[d];
  }
  return true;
}

static bool lie_alike(const ops_image *w, const image_tensor *other) {
  for (unsigned i = 0; i < w->count; i++)
    for (unsigned d = 0; d < IMAGE_RANK; d++)
      if (w->tensors[i].sizes[d] > 1 && w->tensors[i].strides[d] != other[i].strides[d])
        return false;
  return true;
}

/* Channels, else columns, else the batch (filters of weights). */
static int find_unit(const image_tensor *t) {
  static const int8_t order[] = {IMAGE_CHANNEL, IMAGE_COLUMN, IMAGE_BATCH};
  for (size_t i = 0; i < ARRAY_LEN(order); i++)
    if (t->strides[order[i]] == 1 && t->sizes[order[i]] != 1) return order[i];
  for (size_t i = 0; i < ARRAY_LEN(order); i++)
    if (t->sizes[order[i]] == 1) return order[i];
  return -1;
}

static bool may_be_unit(const image_tensor *t, int d) {
  return d < 0 || (d < IMAGE_RANK && (t->strides[d] == 1 || t->sizes[d] <= 1));
}

/* What was given, a digit or '-' for each tensor, where it holds. */
static void find_units(ops_image *w, ops_problem *p, unsigned param) {
  const char *given = p->values[param].text;
  char *text = arena_array(p->arena, char, w->count + 1);
  bool all = strlen(given) == w->count;
  for (unsigned i = 0; i < w->count; i++) {
    image_tensor *t = &w->tensors[i];
    int wanted = all && given[i] != '-' ? given[i] - '0' : -1;
    t->unit = (int8_t)(all && may_be_unit(t, wanted) ? wanted : find_unit(t));
    text[i] = t->unit < 0 ? '-' : (char)('0' + t->unit);
  }
  text[w->count] = 0;
  p->values[param].text = text;
}

bool image_settle(ops_image *w, ops_problem *p, const image_params *at, ops_why *why) {
  image_tensor packed[IMAGE_MAX_TENSORS];
  memcpy(packed, w->tensors, sizeof packed);
  if (!read_strides(w, p->values[at->strides].text, why)) return false;
  /* So that the same problem has the same text, however it was written. */
  if (lie_alike(w, packed)) p->values[at->strides].text = "packed";
  for (unsigned d = 0; d < IMAGE_DIMS; d++)
    if (w->stride[d] != 1) p->values[at->stepped].i = 1;
  find_units(w, p, at->units);
  return true;
}

void image_operands(const ops_image *w, ops_operands *out) {
  for (unsigned i = 0; i < w->count; i++) {
    const image_tensor *t = &w->tensors[i];
    ops_operand *o = ops_operand_add(out, t->name, t->type, (tsr_op_use)t->use);
    for (unsigned d = 0; d < w->rank + 2; d++)
      ops_operand_dim(o, t->sizes[dim_of(w, d)], t->strides[dim_of(w, d)]);
  }
}

bool image_supported(const ops_image *w, const ops_target *t, ops_why *why) {
  (void)t;
  for (unsigned i = 0; i < w->count; i++) {
    const image_tensor *x = &w->tensors[i];
    ops_operand image = {.name = x->name};
    for (unsigned d = IMAGE_CHANNEL; d < IMAGE_RANK; d++)
      ops_operand_dim(&image, x->sizes[d], x->strides[d]);
    int64_t span = ops_operand_span(&image);
    if (span < 0 || span > INT32_MAX)
      return ops_refuse(why,
                        "an image of %s reaches over 2^31 elements or more; give smaller sizes "
                        "or strides",
                        x->name);
  }
  return true;
}

int64_t image_pixels(const int64_t *image) {
  return image[0] * image[1] * image[2];
}

int64_t image_tiles(const int64_t *image, int64_t rows, int64_t columns) {
  return image[0] * ((image[1] + rows - 1) / rows) * ((image[2] + columns - 1) / columns);
}

/* ---- launches -------------------------------------------------------------------------------- */

void image_pass(const ops_image *w, ops_step *s) {
  static const char *const names[][IMAGE_DIMS] = {{"in_0", "in_1", "in_2"},
                                                  {"out_0", "out_1", "out_2"},
                                                  {"kernel_0", "kernel_1", "kernel_2"},
                                                  {"stride_0", "stride_1", "stride_2"},
                                                  {"dilation_0", "dilation_1", "dilation_2"},
                                                  {"pad_0", "pad_1", "pad_2"}};
  const int64_t *const values[] = {w->in, w->out, w->kernel, w->stride, w->dilation, w->pad};
  for (size_t i = 0; i < ARRAY_LEN(values); i++)
    for (unsigned d = 0; d < IMAGE_DIMS; d++) ops_pass_word(s, names[i][d], values[i][d]);
}

void image_pass_tensor(const ops_image *w, ops_steps *steps, ops_step *s, const char *name) {
  const image_tensor *t = image_find(w, name);
  ops_pass_tensor(steps, s, name);
  for (unsigned d = 0; d < IMAGE_RANK; d++)
    if (t->unit != (int)d)
      ops_pass_index(steps, s, arena_printf(steps->problem->arena, "%s_%u", name, d),
                     t->strides[d]);
}

/* ---- on the host ----------------------------------------------------------------------------- */

bool image_sees(const ops_image *w, int64_t out, int64_t element, int64_t *in) {
  int64_t at[IMAGE_DIMS];
  for (unsigned d = IMAGE_DIMS; d-- > 0;) {
    at[d] = out % w->out[d] * w->stride[d] + element % w->kernel[d] * w->dilation[d] - w->pad[d];
    if (at[d] < 0 || at[d] >= w->in[d]) return false;
    out /= w->out[d];
    element /= w->kernel[d];
  }
  *in = (at[0] * w->in[1] + at[1]) * w->in[2] + at[2];
  return true;
}

int64_t image_at(const ops_image *w, const char *name, int64_t batch, int64_t channel,
                 int64_t pixel) {
  const image_tensor *t = image_find(w, name);
  int64_t at = batch * t->strides[IMAGE_BATCH] + channel * t->strides[IMAGE_CHANNEL];
  for (unsigned d = IMAGE_RANK; d-- > IMAGE_FIRST;) {
    at += pixel % t->sizes[d] * t->strides[d];
    pixel /= t->sizes[d];
  }
  return at;
}

double *image_number(const ops_host *h, const ops_image *w, const char *name, int64_t batch,
                     int64_t channel, int64_t pixel) {
  return &ops_host_tensor(h, name)->numbers[image_at(w, name, batch, channel, pixel)];
}
