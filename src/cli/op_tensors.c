/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tensors of problems that the command op runs, checks or tunes: random numbers, on the host and on
 * the device.
 */
#include "cli/op.h"

static bool open_library(op_call *o) {
  o->device_options.struct_size = sizeof o->device_options;
  o->device = tsr_device_open(o->c->ctx, o->target ? o->target : "cpu", &o->device_options);
  if (!o->device) return false;
  o->store = tsr_tuning_store_open(o->c->ctx, NULL);
  tsr_op_library_options options = {.struct_size = sizeof options, .store = o->store};
  o->library = tsr_op_library_create(o->device, &options);
  return o->library != NULL;
}

static void *new_memory(op_call *o, const ops_operand *t) {
  return arena_alloc_zero(&o->c->arena, ops_operand_bytes(t) + 1, 64);
}

/* A tensor of random numbers; NULL after a message. It stays where it is until the next. */
static op_tensor *add_tensor(op_call *o, const ops_operand *t) {
  op_tensor x = {.operand = t,
                 .seed = o->seed * 100 + o->tensors.len,
                 .expected = new_memory(o, t),
                 .buffer = tsr_buffer_create(o->device, ops_operand_bytes(t))};
  vec_push(&o->c->arena, o->tensors, x);
  if (!t->addresses) ops_fill(t, x.expected, x.seed);
  if (!x.buffer || tsr_buffer_write(x.buffer, 0, x.expected, ops_operand_bytes(t)) != TSR_OK)
    return NULL;
  return &o->tensors.data[o->tensors.len - 1];
}

/* Fills a table of addresses on both sides, and makes what it points to. */
static bool make_pointees(op_call *o, unsigned table, bool even) {
  arena *a = &o->c->arena;
  const ops_problem *p = &o->plan->problem;
  op_tensor t = o->tensors.data[table];
  size_t bytes = ops_operand_bytes(t.operand);
  ops_pointed_list *to = arena_new(a, ops_pointed_list);
  int64_t *on_host = t.expected, *on_device = new_memory(o, t.operand);
  to->arena = a;
  p->family->pointees(p, even ? 0 : o->seed + 1, on_host, to);
  if (bytes) memcpy(on_device, on_host, bytes);
  for (uint32_t i = 0; i < to->list.len; i++) {
    const op_tensor *x = add_tensor(o, &to->list.data[i].tensor);
    if (!x) return false;
    on_host[to->list.data[i].at] = (int64_t)(uintptr_t)x->expected;
    on_device[to->list.data[i].at] = (int64_t)tsr_buffer_address(x->buffer);
  }
  return tsr_buffer_write(t.buffer, 0, on_device, bytes) == TSR_OK;
}

static bool make_tensors(op_call *o, bool even) {
  o->count = o->plan->operands.count;
  for (unsigned i = 0; i < o->count; i++) {
    const ops_operand *t = &o->plan->operands.data[i];
    const op_tensor *x = add_tensor(o, t);
    if (!x) return false;
    o->args[i] = (tsr_op_argument){t->name, tsr_arg_buffer(x->buffer)};
  }
  for (unsigned i = 0; i < o->count; i++)
    if (o->tensors.data[i].operand->addresses && !make_pointees(o, i, even)) return false;
  o->workspace = tsr_buffer_create(o->device, tsr_op_plan_workspace(o->plan));
  o->args[o->count] = (tsr_op_argument){"workspace", tsr_arg_buffer(o->workspace)};
  return o->workspace != NULL;
}

bool op_prepare(op_call *o, bool even) {
  tsr_op_problem problem = op_problem_of(o);
  if (!open_library(o)) return false;
  o->plan = tsr_op_plan_get(o->library, &problem);
  return o->plan && make_tensors(o, even);
}

void op_close(op_call *o) {
  for (uint32_t i = 0; i < o->tensors.len; i++) tsr_buffer_destroy(o->tensors.data[i].buffer);
  tsr_buffer_destroy(o->workspace);
  tsr_op_library_destroy(o->library);
  tsr_tuning_store_close(o->store);
  tsr_device_close(o->device);
}

bool op_ask_reference(op_call *o) {
  tsr_op_argument host[OPS_MAX_OPERANDS];
  for (unsigned i = 0; i < o->count; i++)
    host[i] = (tsr_op_argument){o->args[i].name, tsr_arg_address(o->tensors.data[i].expected)};
  return tsr_op_reference(o->plan, host, o->count) == TSR_OK;
}

bool op_restore_tensors(op_call *o) {
  for (uint32_t i = 0; i < o->tensors.len; i++) {
    const op_tensor *t = &o->tensors.data[i];
    size_t bytes = ops_operand_bytes(t->operand);
    if (t->operand->use != TSR_OP_UPDATED) continue;
    void *before = new_memory(o, t->operand);
    ops_fill(t->operand, before, t->seed);
    if (tsr_buffer_write(t->buffer, 0, before, bytes) != TSR_OK) return false;
  }
  return true;
}

void op_take_results(op_call *o) {
  for (uint32_t i = 0; i < o->tensors.len; i++) {
    const op_tensor *t = &o->tensors.data[i];
    if (t->operand->use == TSR_OP_READ) continue;
    tsr_buffer_read(t->buffer, 0, t->expected, ops_operand_bytes(t->operand));
  }
}

ops_difference op_compare_results(op_call *o, const char **tensor) {
  ops_difference worst = {0};
  double tolerance = o->plan->problem.family->tolerance(&o->plan->problem);
  *tensor = "";
  for (uint32_t i = 0; i < o->tensors.len; i++) {
    const op_tensor *t = &o->tensors.data[i];
    if (t->operand->use == TSR_OP_READ) continue;
    void *found = new_memory(o, t->operand);
    tsr_buffer_read(t->buffer, 0, found, ops_operand_bytes(t->operand));
    ops_difference d = ops_compare(t->operand, found, t->expected, tolerance, &o->c->arena);
    if ((d.wrong && !worst.wrong) || (d.wrong == worst.wrong && d.error >= worst.error))
      worst = d, *tensor = t->operand->name;
  }
  return worst;
}
