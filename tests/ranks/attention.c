/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Attention over ranks, beside the reference of the whole on each rank: started by mpirun, with the
 * name of what is to be tried.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tessera/op_ranks.h>

enum { MOST_TENSORS = 12 };

typedef struct state {
  tsr_ranks *all;
  tsr_context *ctx;
  tsr_op_library *ops;
  unsigned rank, size;
} state;

static void expect(const state *s, int good, const char *what, const char *problem) {
  if (good) return;
  printf("rank %u: %s is wrong: %s\n", s->rank, what, problem);
  exit(3);
}

/* A tensor of the whole, and what this rank gives of it. */
typedef struct tensor {
  tsr_op_operand whole;
  char *data, *own;
  size_t bytes;
} tensor;

typedef struct trial {
  tensor list[MOST_TENSORS];
  size_t count;
  tsr_op_plan *plan; /* of the whole */
} trial;

static char *take(size_t bytes) {
  char *memory = calloc(1, bytes + 64);
  if (!memory) exit(4);
  return memory;
}

static uint64_t mixed(uint64_t x) {
  x = (x ^ x >> 31) * UINT64_C(0x9e3779b97f4a7c15);
  return x ^ x >> 29;
}

/* Numbers from -2 to 2, the same on all ranks. */
static double number_at(unsigned turn, const char *name, int64_t i) {
  uint64_t x = mixed((uint64_t)i + UINT64_C(7919) * (unsigned char)name[0] + 131 * turn + 1);
  return (double)(int64_t)(mixed(x) % 4097) / 1024 - 2;
}

static int64_t span_of(const tsr_op_operand *o) {
  int64_t last = 0;
  for (unsigned d = 0; d < o->rank; d++) {
    if (o->shape[d] == 0) return 0;
    last += (o->shape[d] - 1) * o->strides[d];
  }
  return last + 1;
}

/* `n` elements of one type as another. */
static void convert(const state *s, int64_t n, const char *from, void *x, const char *to, void *y) {
  char text[128];
  snprintf(text, sizeof text, "elementwise:expression=a,type=%s,type_y=%s,shape=%lld", from, to,
           (long long)n);
  tsr_op_plan *plan = tsr_op_plan_get(
      s->ops, &(tsr_op_problem){.struct_size = sizeof(tsr_op_problem), .text = text});
  tsr_op_argument args[] = {{"a", tsr_arg_address(x)}, {"y", tsr_arg_address(y)}};
  expect(s, plan && tsr_op_reference(plan, args, 2) == TSR_OK, "a conversion", text);
}

static void fill(const state *s, const tensor *t, unsigned turn) {
  int64_t n = span_of(&t->whole);
  float *numbers = (float *)take((size_t)n * sizeof *numbers);
  for (int64_t i = 0; i < n; i++) numbers[i] = (float)number_at(turn, t->whole.name, i);
  if (n) convert(s, n, "f32", numbers, tsr_elem_name(t->whole.elem), t->data);
  free(numbers);
}

static bool is(const tensor *t, const char *name) {
  return strcmp(t->whole.name, name) == 0;
}

/* Which rows and columns of a tensor this rank has; the others' are left out. */
static void own_part(const state *s, const tsr_op_ranks *op, tsr_op_ranks_form form,
                     const tensor *t, int64_t *first, int64_t *count) {
  bool ring = form == TSR_OP_RING_ATTENTION;
  for (unsigned d = 0; d < t->whole.rank; d++) first[d] = 0, count[d] = t->whole.shape[d];
  if (is(t, "sinks")) return;
  bool key = is(t, "k") || is(t, "v");
  if (key) count[2] = tsr_op_ranks_keys(op, s->rank, &first[2]);
  if (!key && ring) count[2] = tsr_op_ranks_rows(op, s->rank, &first[2]);
  if (is(t, "bias") && !ring) count[3] = tsr_op_ranks_keys(op, s->rank, &first[3]);
}

/* Goes through the elements of this rank's part: copies them from the whole, or compares. */
typedef struct walk {
  const state *s;
  const tensor *t;
  const float *whole, *own; /* results as numbers; NULL: elements are copied */
  double worst, largest;
} walk;

static void visit(walk *w, int64_t of_whole, int64_t of_own) {
  size_t wide = tsr_elem_storage(w->t->whole.elem, 1);
  if (!w->whole) {
    memcpy(w->t->own + (size_t)of_own * wide, w->t->data + (size_t)of_whole * wide, wide);
    return;
  }
  double x = (double)w->own[of_own], y = (double)w->whole[of_whole];
  if (isinf(y) && x == y) return;
  w->largest = fmax(w->largest, fabs(y));
  w->worst = isnan(x) != isnan(y) || isinf(x) ? INFINITY : fmax(w->worst, fabs(x - y));
}

/* Own parts lie packed as the whole does: by heads, by tokens, or with keys contiguous. */
static void walk_part(const tsr_op_ranks *op, tsr_op_ranks_form form, walk *w, const char *text) {
  const tsr_op_operand *o = &w->t->whole;
  int64_t first[TSR_OP_MAX_RANK], count[TSR_OP_MAX_RANK] = {0}, strides[TSR_OP_MAX_RANK];
  own_part(w->s, op, form, w->t, first, count);
  unsigned order[4] = {3, 2, 1, 0}; /* from the innermost dimension */
  if (strstr(text, "bshd") && o->rank == 4 && !is(w->t, "bias")) order[1] = 1, order[2] = 2;
  if (strstr(text, "v=column") && is(w->t, "v")) order[0] = 2, order[1] = 3, order[2] = 1;
  int64_t run = 1, total = 1;
  for (unsigned i = 0; i < 4; i++) {
    unsigned d = order[i];
    if (d >= o->rank) continue;
    strides[d] = run;
    run *= count[d];
  }
  for (unsigned d = 0; d < o->rank; d++) total *= count[d];
  for (int64_t i = 0; i < total; i++) {
    int64_t rest = i, of_whole = 0, of_own = 0;
    for (unsigned d = o->rank; d-- > 0; rest /= count[d]) {
      of_whole += (first[d] + rest % count[d]) * o->strides[d];
      of_own += rest % count[d] * strides[d];
    }
    visit(w, of_whole, of_own);
  }
}

static bool is_result(const tensor *t) {
  return t->whole.use != TSR_OP_READ;
}

static double bound_of(const tensor *t) {
  switch (t->whole.elem) {
  case TSR_F32: return 2e-4;
  case TSR_F16: return 4e-3;
  case TSR_BF16: return 2e-2;
  default: return 0.15;
  }
}

static void compare(const state *s, const tensor *t, const tsr_op_ranks *op, tsr_op_ranks_form form,
                    unsigned turn, const char *text) {
  int64_t n = span_of(&t->whole);
  const char *type = tsr_elem_name(t->whole.elem);
  float *whole = (float *)take((size_t)n * sizeof *whole),
        *own = (float *)take((size_t)n * sizeof *own);
  walk w = {.s = s, .t = t, .whole = whole, .own = own};
  if (n) convert(s, n, type, t->data, "f32", whole);
  if (n) convert(s, n, type, t->own, "f32", own);
  walk_part(op, form, &w, text);
  free(whole);
  free(own);
  if (w.worst <= bound_of(t) * fmax(w.largest, 1)) return;
  printf("rank %u: form %d, launch %u, %s: %s is %g away of %g: wrong\n", s->rank, (int)form, turn,
         text, t->whole.name, w.worst, w.largest);
  exit(3);
}

static void prepare(const state *s, trial *x, const char *text) {
  x->plan = tsr_op_plan_get(s->ops,
                            &(tsr_op_problem){.struct_size = sizeof(tsr_op_problem), .text = text});
  expect(s, x->plan != NULL, "the plan of the whole", text);
  x->count = tsr_op_plan_operand_count(x->plan);
  for (size_t i = 0; i < x->count; i++) {
    x->list[i].whole.struct_size = sizeof x->list[i].whole;
    tsr_op_plan_operand(x->plan, i, &x->list[i].whole);
    x->list[i].data = take(x->list[i].whole.bytes);
    x->list[i].own = take(x->list[i].whole.bytes);
  }
}

static void launch(const state *s, trial *x, tsr_op_ranks *op, tsr_op_ranks_form form,
                   unsigned turn, const char *text) {
  tsr_op_argument whole[MOST_TENSORS], own[MOST_TENSORS];
  for (size_t i = 0; i < x->count; i++) {
    tensor *t = &x->list[i];
    walk copy = {.s = s, .t = t};
    whole[i] = (tsr_op_argument){t->whole.name, tsr_arg_address(t->data)};
    own[i] = (tsr_op_argument){t->whole.name, tsr_arg_address(t->own)};
    if (is_result(t)) continue;
    fill(s, t, turn);
    walk_part(op, form, &copy, text);
  }
  expect(s, tsr_op_reference(x->plan, whole, x->count) == TSR_OK, "tsr_op_reference", text);
  expect(s, tsr_op_ranks_launch(op, own, x->count) == TSR_OK, "tsr_op_ranks_launch", text);
  for (size_t i = 0; i < x->count; i++)
    if (is_result(&x->list[i])) compare(s, &x->list[i], op, form, turn, text);
}

/* Three launches. */
static void try_attention(const state *s, tsr_op_ranks_form form, const char *text) {
  trial x = {.plan = NULL};
  tsr_op_ranks *op = tsr_op_ranks_create(
      s->all, s->ops, form, &(tsr_op_problem){.struct_size = sizeof(tsr_op_problem), .text = text},
      NULL);
  expect(s, op != NULL, "tsr_op_ranks_create", text);
  prepare(s, &x, text);
  for (unsigned turn = 0; turn < 3; turn++) launch(s, &x, op, form, turn, text);
  for (size_t i = 0; i < x.count; i++) free(x.list[i].data), free(x.list[i].own);
  tsr_op_ranks_destroy(op);
}

static void both(const state *s, const char *text) {
  try_attention(s, TSR_OP_SPLIT_KEYS_ATTENTION, text);
  try_attention(s, TSR_OP_RING_ATTENTION, text);
}

static void types(const state *s) {
  static const char *const names[] = {"f32",    "f16",        "bf16",      "f8E4M3FN",
                                      "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    for (int causal = 0; causal < 2; causal++) {
      char text[256];
      snprintf(text, sizeof text,
               "attention:type=%s,head=16,heads=2,seq=21,keys=21,lse=yes,causal=%s", names[i],
               causal ? "yes" : "no");
      both(s, text);
    }
}

static void shapes(const state *s) {
  static const char *const texts[] = {
      "attention:head=16,heads=4,kv_heads=2,batch=2,seq=13,keys=29,causal=yes",
      "attention:head=16,heads=2,seq=29,keys=13,causal=yes,lse=yes",
      "attention:head=16,heads=2,seq=29,keys=13,causal=yes,corner=top,lse=yes",
      "attention:head=16,heads=2,seq=24,keys=24,left=5,right=3,lse=yes",
      "attention:head=16,heads=2,seq=24,keys=24,left=2,right=0",
      "attention:head=16,heads=2,seq=17,keys=40,left=9,lse=yes",
      "attention:head=16,head_v=24,heads=2,seq=9,keys=9,layout=bshd,causal=yes",
      "attention:head=16,heads=2,batch=2,seq=11,keys=14,bias=yes,causal=yes",
      "attention:head=16,heads=2,seq=11,keys=14,sinks=yes,lse=yes,cap=3,scale_o=0.5",
      "attention:head=16,heads=2,seq=11,keys=14,v=column,type_o=f16,scale=0.3",
      "attention:head=16,heads=4,kv_heads=1,seq=1,keys=37,lse=yes",
      "attention:head=16,heads=2,seq=3,keys=1,lse=yes",
      "attention:head=16,heads=2,seq=1,keys=1,sinks=yes,lse=yes",
      "attention:head=16,heads=2,seq=0,keys=5",
      "attention:head=16,heads=2,seq=5,keys=0,lse=yes",
      "attention:head=16,heads=2,batch=0,seq=5,keys=5",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) both(s, texts[i]);
}

/* A cache of which every rank has some sequences' keys. */
static void caches(const state *s) {
  enum { KEYS = 24, HEAD = 16, BATCH = 2, HEADS = 2 };
  static float q[BATCH * HEADS * HEAD], k[BATCH * HEADS * KEYS * HEAD], v[sizeof k / sizeof *k],
      o[sizeof q / sizeof *q];
  char text[256];
  snprintf(text, sizeof text, "attention:head=16,heads=2,batch=2,seq=1,keys=%u,cache=whole,lse=no",
           KEYS * s->size);
  tsr_op_ranks *op = tsr_op_ranks_create(
      s->all, s->ops, TSR_OP_SPLIT_KEYS_ATTENTION,
      &(tsr_op_problem){.struct_size = sizeof(tsr_op_problem), .text = text}, NULL);
  expect(s, op != NULL, "tsr_op_ranks_create", text);
  int32_t lengths[BATCH] = {(int32_t)(s->rank ? 0 : 7), (int32_t)(5 + s->rank)};
  for (size_t i = 0; i < sizeof k / sizeof *k; i++) {
    size_t key = i / HEAD % KEYS, batch = i / (HEAD * KEYS * HEADS);
    bool there = key < (size_t)lengths[batch];
    k[i] = 0;                                         /* so that all keys weigh the same */
    v[i] = there ? (float)(s->rank + 1) : (float)NAN; /* no key behind the last is read */
  }
  tsr_op_argument args[] = {{"q", tsr_arg_address(q)},
                            {"k", tsr_arg_address(k)},
                            {"v", tsr_arg_address(v)},
                            {"o", tsr_arg_address(o)},
                            {"key_lengths", tsr_arg_address(lengths)}};
  expect(s, tsr_op_ranks_launch(op, args, 5) == TSR_OK, "tsr_op_ranks_launch", text);
  double sum = 0, keys = 0;
  for (unsigned r = 0; r < s->size; r++) sum += (r + 1.0) * (5 + r), keys += 5 + r;
  expect(s, fabs(o[0] - 1) < 1e-5, "the first sequence", text);
  expect(s, fabs(o[HEADS * HEAD] - sum / keys) < 1e-4, "the second sequence", text);
  tsr_op_ranks_destroy(op);
}

static tsr_op_ranks *make(const state *s, tsr_op_ranks_form form, const char *text) {
  return tsr_op_ranks_create(s->all, s->ops, form,
                             &(tsr_op_problem){.struct_size = sizeof(tsr_op_problem), .text = text},
                             NULL);
}

/* What cannot be computed is refused on all ranks. */
static void refusals(const state *s) {
  static const char *const texts[] = {
      "gemm:m=4",
      "attention:heads=2,seq=8,dropout=0.5",
      "attention:heads=2,seq=8,alibi=yes",
      "attention:heads=2,seq=8,epilogue=relu",
      "attention:heads=2,seq=8,lengths=variable",
      "attention:heads=2,seq=8,sink_keys=2",
      "attention:heads=3,kv_heads=2,seq=8",
      "attention:heads=2,seq=1,keys=8,cache=whole,append=yes",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    expect(s, !make(s, TSR_OP_RING_ATTENTION, texts[i]), "a refusal", texts[i]);
  expect(s, !make(s, TSR_OP_RING_ATTENTION, "attention:heads=2,seq=1,keys=8,cache=whole"),
         "a refusal", "a cache that goes round");
  expect(s,
         !make(s, TSR_OP_SPLIT_KEYS_ATTENTION,
               "attention:heads=2,seq=1,keys=8,cache=whole,causal=yes"),
         "a refusal", "a mask of a cache");
  expect(s,
         !make(s, TSR_OP_SPLIT_KEYS_ATTENTION,
               s->rank == 1 ? "attention:heads=2,seq=9" : "attention:heads=2,seq=8"),
         "a refusal", "other queries");
  expect(s,
         !make(s, TSR_OP_SPLIT_KEYS_ATTENTION,
               s->rank == 1 ? "attention:heads=2,seq=8,cap=1" : "attention:heads=2,seq=8"),
         "a refusal", "another cap");
  expect(s,
         !make(s, s->rank == 1 ? TSR_OP_RING_ATTENTION : TSR_OP_SPLIT_KEYS_ATTENTION,
               "attention:heads=2,seq=8"),
         "a refusal", "another form");
  expect(s, !make(s, TSR_OP_RING_ATTENTION, s->rank == 1 ? "attention:heads=" : "attention:seq=8"),
         "a refusal", "one rank's");
}

/* The last rank does not come to the second launch. */
static void lost(const state *s) {
  static float q[4 * 64], k[4 * 64], v[4 * 64], o[4 * 64];
  tsr_op_ranks *op = make(s, TSR_OP_RING_ATTENTION, "attention:head=16,heads=1,seq=8");
  tsr_op_argument args[] = {{"q", tsr_arg_address(q)},
                            {"k", tsr_arg_address(k)},
                            {"v", tsr_arg_address(v)},
                            {"o", tsr_arg_address(o)}};
  tsr_op_operand operand = {.struct_size = sizeof operand};
  expect(s, tsr_op_ranks_operand(op, 0, &operand) == TSR_OK, "tsr_op_ranks_operand", "");
  expect(s, operand.shape[2] == tsr_op_ranks_rows(op, s->rank, NULL), "the number of queries", "");
  expect(s, tsr_op_ranks_operand(op, 4, &operand) == TSR_ERROR_USAGE, "a fifth tensor", "");
  expect(s, tsr_op_ranks_launch(op, args, 3) == TSR_ERROR_USAGE, "a missing tensor", "");
  expect(s, tsr_op_ranks_launch(op, args, 4) == TSR_OK, "the first launch", "");
  if (s->rank == s->size - 1) exit(0);
  expect(s, tsr_op_ranks_launch(op, args, 4) == TSR_ERROR_TRAP, "a launch without a rank", "");
  tsr_op_ranks_destroy(op);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "shapes";
  tsr_context_options options = {.struct_size = sizeof options,
                                 .on_diagnostic = tsr_diagnostic_print};
  tsr_context *ctx = tsr_context_create(&options);
  tsr_device *device = tsr_device_open(ctx, argc > 2 ? argv[2] : "interp", NULL);
  state s = {
      .all = tsr_ranks_join(ctx, NULL), .ctx = ctx, .ops = tsr_op_library_create(device, NULL)};
  if (!s.all || !s.ops) return 2;
  s.rank = tsr_ranks_rank(s.all);
  s.size = tsr_ranks_size(s.all);
  if (strcmp(what, "types") == 0) types(&s);
  if (strcmp(what, "shapes") == 0) shapes(&s), caches(&s);
  if (strcmp(what, "one") == 0 && argc > 3)
    try_attention(&s, (tsr_op_ranks_form)atoi(argv[3]), argv[4]);
  if (strcmp(what, "refusals") == 0) refusals(&s);
  if (strcmp(what, "lost") == 0) lost(&s);
  if (s.rank == 0) printf("%s: %u ranks: done\n", what, s.size);
  fflush(stdout);
  tsr_op_library_destroy(s.ops);
  tsr_ranks_leave(s.all);
  tsr_device_close(device);
  tsr_context_destroy(ctx);
  return 0;
}
