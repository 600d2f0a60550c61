/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Bad input of every family: arguments that are missing, NULL, misaligned, too small or that
 * overlap are refused with the tensor's name, and nothing is written; sizes and strides of more
 * than 2^31 elements are computed, of more than 2^40 refused; types that a family lacks are.
 */
#include <sys/mman.h>

#include "ops_run.h"

/* A problem of each family, with results of several kinds; the first wants a workspace. */
static const char *const problems[] = {
    "gemm:m=8,n=8,k=40,split_k=2,epilogue=bias+residual+quantise:row:i8",
    "gemm:m=9,n=7,k=20,rows=grouped,batch=2,scale_b=column",
    "gemm:m=9,n=7,k=20,beta=2,type=bf16",
    "shuffle:n=20,k=40",
    "gemm_norm:m=5,n=20,k=40,save=yes",
    "gemm_norm:m=5,n=20,k=40,fused=0",
    "gemm_gemm:m=5,n=20,k=40,o=9,fused=0",
    "gemm_gemm:m=5,n=20,k=40,o=9,softmax=row,between=residual",
    "contraction:dims=abk*kc->cab,shape=3x4x5x6",
    "convolution:size=7x6,kernel=3,channels=4,filters=5,epilogue=bias",
    "convolution:pass=weights,size=7x6,kernel=3,channels=4,filters=5",
    "pool:size=7x6,kernel=2,channels=4,where=yes",
    "unfold:size=7x6,kernel=2,channels=4",
    "attention:seq=7,keys=20,head=16,heads=2,split=2,lse=yes,bias=yes",
    "attention:seq=2,keys=40,head=16,heads=2,cache=paged,page=8",
    "attention_backward:seq=7,keys=20,head=16,heads=2",
    "append:keys=20,head=16,heads=2,kv_heads=2,rotary=8,queries=yes",
    "elementwise:expression=a*b+c,type=f64,shape=5x30",
    "softmax:shape=5x30,beta=1",
    "norm:shape=5x30,save=yes,bias=yes,quantise=row",
    "reduce:shape=5x30,operations=sum+argmax",
    "cross_entropy:shape=5x30,lse=yes",
    "softmax_backward:shape=5x30",
    "norm_backward:shape=5x30,dweight=yes,dbias=yes",
    "cross_entropy_backward:shape=5x30",
    "topk:rows=5,columns=30",
    "moe_sort:tokens=9,experts=4,weights=yes",
    "moe:tokens=9,experts=3,hidden=20,inter=12,unit=16",
    "rotary:seq=5,head=16,heads=2",
    "custom:m=5,n=6,k=7,type=f16",
};

/* ---- arguments ------------------------------------------------------------------------------- */

/* Memory for each tensor with 64 bytes before and behind it, and a workspace. */
typedef struct call {
  ops_scene *s;
  tsr_op_plan *plan;
  unsigned count; /* arguments, the workspace among them */
  tsr_op_argument args[OPS_MAX_OPERANDS + 1];
  uint8_t *memory[OPS_MAX_OPERANDS + 1];
  size_t bytes[OPS_MAX_OPERANDS + 1];
} call;

enum { GAP = 64, MARK = 0x5a };

static const char *name_of(const call *c, unsigned i) {
  return i < c->plan->operands.count ? c->plan->operands.data[i].name : "workspace";
}

static bool is_written(const call *c, unsigned i) {
  return i >= c->plan->operands.count || c->plan->operands.data[i].use != TSR_OP_READ;
}

static void right_arguments(call *c) {
  for (unsigned i = 0; i < c->count; i++)
    c->args[i] = (tsr_op_argument){name_of(c, i), tsr_arg_address(c->memory[i] + GAP)};
}

static void call_open(call *c, ops_scene *s, const char *problem) {
  tsr_op_problem p = {.struct_size = sizeof p, .text = problem};
  *c = (call){.s = s, .plan = tsr_op_plan_get(s->library, &p)};
  if (!c->plan) fail_msg("%s: %s", problem, s->w->messages);
  c->count = c->plan->operands.count + (tsr_op_plan_workspace(c->plan) != 0);
  for (unsigned i = 0; i < c->count; i++) {
    bool is_tensor = i < c->plan->operands.count;
    c->bytes[i] =
        is_tensor ? ops_operand_bytes(&c->plan->operands.data[i]) : tsr_op_plan_workspace(c->plan);
    size_t all = (c->bytes[i] + 2 * GAP + 63) / 64 * 64;
    c->memory[i] = aligned_alloc(64, all);
    memset(c->memory[i], MARK, all);
  }
  right_arguments(c);
}

static void call_close(call *c) {
  for (unsigned i = 0; i < c->count; i++) free(c->memory[i]);
}

/* The launch is refused with a message that has both texts, and no byte has changed. */
static void expect_refused(call *c, unsigned count, const char *name, const char *text) {
  char quoted[80];
  snprintf(quoted, sizeof quoted, "'%s'", name);
  world_forget(c->s->w);
  if (tsr_op_launch(c->plan, NULL, c->args, count) != TSR_ERROR_USAGE)
    fail_msg("%s: '%s' is taken where it should not be (%s)", c->plan->text, name, text);
  if (!strstr(c->s->w->messages, quoted) || !strstr(c->s->w->messages, text))
    fail_msg("%s: '%s' lacks %s or '%s'", c->plan->text, c->s->w->messages, quoted, text);
  for (unsigned i = 0; i < c->count; i++)
    for (size_t k = 0; k < c->bytes[i] + 2 * GAP; k++)
      if (c->memory[i][k] != MARK) fail_msg("%s: '%s' was written", c->plan->text, name_of(c, i));
  world_forget(c->s->w);
  right_arguments(c);
}

static unsigned alignment_of(const call *c, unsigned i) {
  return i < c->plan->operands.count ? ops_type_bits(c->plan->operands.data[i].type) / 8 : 64;
}

static void wrong_tensor(call *c, unsigned i) {
  const char *name = name_of(c, i);
  if (!c->bytes[i]) return;
  c->args[i].arg = tsr_arg_address(NULL);
  expect_refused(c, c->count, name, "is NULL; it needs ");
  c->args[i].arg = tsr_arg_i64(1);
  expect_refused(c, c->count, name, "takes a buffer or an address, not a number");
  if (alignment_of(c, i) > 1) {
    c->args[i].arg = tsr_arg_address(c->memory[i] + GAP + alignment_of(c, i) / 2);
    expect_refused(c, c->count, name, "not at a multiple of ");
  }
  tsr_buffer *small = tsr_buffer_create(c->s->device, c->bytes[i] - 1);
  c->args[i].arg = tsr_arg_buffer(small);
  expect_refused(c, c->count, name, " bytes; it needs ");
  tsr_buffer_destroy(small);
  tsr_op_argument last = c->args[c->count - 1];
  c->args[i] = last;
  expect_refused(c, c->count - 1, name, "is not given; ");
}

/* Tensor i begins where the last byte of tensor j lies, or as near before as its elements may. */
static void overlapping(call *c, unsigned i, unsigned j) {
  uint64_t at = (uint64_t)(uintptr_t)(c->memory[j] + GAP + c->bytes[j] - 1);
  unsigned unit = alignment_of(c, i) ? alignment_of(c, i) : 1;
  at = at / unit * unit;
  if (!c->bytes[i] || !c->bytes[j] || at + c->bytes[i] <= (uint64_t)(uintptr_t)(c->memory[j] + GAP))
    return;
  c->args[i].arg = tsr_arg_address((void *)(uintptr_t)at);
  expect_refused(c, c->count, name_of(c, i), "overlap, and one of them is written");
}

static void wrong_arguments_are_refused(void **state) {
  (void)state;
  world w;
  ops_scene s;
  world_open(&w);
  ops_open(&s, &w, "interp");
  for (size_t f = 0; f < ARRAY_LEN(problems); f++) {
    call c;
    call_open(&c, &s, problems[f]);
    for (unsigned i = 0; i < c.count; i++) wrong_tensor(&c, i);
    for (unsigned i = 0; i < c.count; i++)
      for (unsigned j = 0; j < c.count; j++)
        if (i != j && (is_written(&c, i) || is_written(&c, j))) overlapping(&c, i, j);
    call_close(&c);
  }
  ops_close(&s);
  world_close(&w);
}

static void every_family_is_tried(void **state) {
  (void)state;
  for (size_t f = 0; f < tsr_op_family_count(); f++) {
    const char *family = tsr_op_family_name(f);
    bool found = false;
    for (size_t i = 0; i < ARRAY_LEN(problems); i++) {
      size_t length = strlen(family);
      found |= strncmp(problems[i], family, length) == 0 && problems[i][length] == ':';
    }
    if (!found) fail_msg("%s is in none of the problems here", family);
  }
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/* Every size is at most 2^40, and what it makes is refused where that is too much. */
static void large_sizes_are_refused(void **state) {
  (void)state;
  world w;
  ops_scene s;
  world_open(&w);
  ops_open(&s, &w, "interp");
  for (size_t f = 0; f < tsr_op_family_count(); f++) {
    const char *family = tsr_op_family_name(f);
    for (size_t i = 0; i < tsr_op_parameter_count(family); i++) {
      tsr_op_parameter p = {.struct_size = sizeof p};
      char text[128], wanted[128];
      tsr_op_parameter_get(family, i, &p);
      if (p.kind != TSR_OP_INTEGER) continue;
      assert_true(p.role != TSR_OP_SIZE || p.most <= INT64_MAX);
      snprintf(wanted, sizeof wanted, "%s takes an integer from %lld to %lld", p.name,
               (long long)p.least, (long long)p.most);
      if (p.most < INT64_MAX) {
        snprintf(text, sizeof text, "%s:%s=%lld", family, p.name, (long long)p.most + 1);
        ops_refused(&s, text, wanted);
      }
      snprintf(text, sizeof text, "%s:%s=%lld", family, p.name, (long long)p.least - 1);
      ops_refused(&s, text, wanted);
      snprintf(text, sizeof text, "%s:%s=99999999999999999999", family, p.name);
      ops_refused(&s, text, wanted);
    }
  }
  static const char *const wrong[][2] = {
      {"softmax:shape=1099511627777x2", "give one to 8 sizes from 0 to 2^40"},
      {"elementwise:shape=1099511627776x1099511627776", "would reach over 2^60 elements or more"},
      {"elementwise:shape=1099511627776x4194304,strides=a:0x0+b:0x0", "2^60 elements or more"},
      {"contraction:dims=mk*kn->mn,shape=1099511627777x2x3", "give 3 sizes from 0 to 2^40"},
      {"convolution:size=1099511627777", "size=1099511627777"},
      {"attention:batch=1000000000,heads=1000000,seq=500000000", "2^60 elements or more"},
  };
  for (size_t i = 0; i < ARRAY_LEN(wrong); i++) ops_refused(&s, wrong[i][0], wrong[i][1]);
  ops_close(&s);
  world_close(&w);
}

/* Problems whose elements lie more than 2^31 and 2^32 elements apart: few pages are touched. */
static const char *const far_apart[] = {
    "elementwise:expression=a+b,shape=2x5,strides=a:2147483700x1+y:4294967396x1",
    "softmax:shape=3x5,strides=x:2147483700x1+y:1073741900x1,dims=1",
    "norm:kind=rms,shape=3x5,weight=no,strides=x:2147483700x1+y:1x1073741900,dims=1",
    "reduce:shape=2x5,strides=x:2147483700x1+sum:4294967396,operations=sum,dims=1",
    "gemm:m=2,n=3,k=4,lda=2147483700,ldc=4294967396,tile_m=16,tile_n=16,tile_k=16",
    "gemm:m=2,n=3,k=4,batch=2,batch_b=4294967396,tile_m=16,tile_n=16,tile_k=16",
    "contraction:dims=mk*kn->mn,shape=2x3x4,strides=a:2147483700x1",
    "attention:seq=2,keys=3,head=8,heads=2,strides=q:64x4294967396x8x1,tile_m=16,tile_n=16",
};

/* Ones in the first elements of a tensor of f32. */
static void fill_with_ones(const ops_operand *o, float *data) {
  int64_t index[TSR_OP_MAX_RANK] = {0}, at = 0;
  for (int64_t left = ops_operand_elements(o); left > 0; left--) {
    unsigned d = o->rank;
    data[at] = 1;
    while (d-- > 0) {
      at += o->strides[d];
      if (++index[d] < o->shape[d]) break;
      at -= index[d] * o->strides[d];
      index[d] = 0;
    }
  }
}

static size_t bytes_of(const tsr_op_plan *plan, unsigned i) {
  return i < plan->operands.count ? ops_operand_bytes(&plan->operands.data[i])
                                  : tsr_op_plan_workspace(plan) + 1;
}

/* The result is the last tensor; all of its elements are the same. */
static void run_far(ops_scene *s, const char *problem) {
  tsr_op_problem p = {.struct_size = sizeof p, .text = problem};
  tsr_op_argument args[OPS_MAX_OPERANDS + 1];
  void *memory[OPS_MAX_OPERANDS + 1];
  tsr_op_plan *plan = tsr_op_plan_get(s->library, &p);
  if (!plan) fail_msg("%s: %s", problem, s->w->messages);
  unsigned n = plan->operands.count;
  for (unsigned i = 0; i <= n; i++) {
    memory[i] = mmap(NULL, bytes_of(plan, i), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(memory[i] != MAP_FAILED);
    args[i] = (tsr_op_argument){i < n ? plan->operands.data[i].name : "workspace",
                                tsr_arg_address(memory[i])};
    if (i < n && plan->operands.data[i].use == TSR_OP_READ)
      fill_with_ones(&plan->operands.data[i], memory[i]);
  }
  if (tsr_op_launch(plan, NULL, args, n + 1) != TSR_OK) fail_msg("%s: %s", problem, s->w->messages);
  const float *found = memory[n - 1];
  int64_t last = ops_operand_span(&plan->operands.data[n - 1]) - 1;
  if (!(found[last] == found[0]) || found[0] == 0)
    fail_msg("%s: the last element is %g, the first one %g", problem, (double)found[last],
             (double)found[0]);
  for (unsigned i = 0; i <= n; i++) munmap(memory[i], bytes_of(plan, i));
}

static void elements_may_lie_far_apart(void **state) {
  (void)state;
  static const char *const devices[] = {"interp", "cpu"};
  for (size_t d = 0; d < ARRAY_LEN(devices); d++) {
    world w;
    ops_scene s;
    world_open(&w);
    ops_open(&s, &w, devices[d]);
    for (size_t i = 0; i < ARRAY_LEN(far_apart); i++) run_far(&s, far_apart[i]);
    ops_close(&s);
    world_close(&w);
  }
}

/* ---- types ----------------------------------------------------------------------------------- */

/* A type that a family lacks is refused with the types that it takes, or what these have. */
static void types_that_families_lack(void **state) {
  (void)state;
  world w;
  ops_scene s;
  world_open(&w);
  ops_open(&s, &w, "interp");
  for (size_t f = 0; f < tsr_op_family_count(); f++) {
    static const char *const rare[] = {"i1", "i4", "f8E8M0FNU", "i64"};
    const char *family = tsr_op_family_name(f);
    unsigned refused = 0;
    for (size_t i = 0; i < ARRAY_LEN(rare) && strcmp(family, "moe_sort") != 0; i++) {
      char text[128], why[512];
      tsr_op_problem p = {.struct_size = sizeof p, .text = text};
      snprintf(text, sizeof text, "%s:type=%s", family, rare[i]);
      if (tsr_op_is_supported(s.device, &p, why, sizeof why)) continue;
      if (!strstr(why, rare[i])) fail_msg("%s: '%s' does not name the type", text, why);
      refused++;
    }
    if (!refused && strcmp(family, "moe_sort") != 0) fail_msg("%s takes all types", family);
  }
  ops_close(&s);
  world_close(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_family_is_tried),    cmocka_unit_test(wrong_arguments_are_refused),
      cmocka_unit_test(large_sizes_are_refused),  cmocka_unit_test(elements_may_lie_far_apart),
      cmocka_unit_test(types_that_families_lack),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
