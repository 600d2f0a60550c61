/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which passes there are, in which order they run, and what is told about them.
 */
#include <time.h>

#include "base/invariant.h"
#include "ir/links.h"
#include "ir/verify.h"
#include "opt/opt.h"
#include "text/text.h"

const opt_pass opt_passes[] = {
    {.name = "canonicalize",
     .number = 1,
     .summary = "Folds constants, identities and known control flow.",
     .run = opt_canonicalize},
    {.name = "cse",
     .number = 2,
     .summary = "Computes once what is computed alike in several places.",
     .run = opt_cse},
    {.name = "dce",
     .number = 3,
     .summary = "Erases what nothing uses, iteration values too.",
     .run = opt_dce},
    {.name = "licm",
     .number = 4,
     .summary = "Moves what does not change in a loop in front of it.",
     .run = opt_licm},
    {.name = "propagate",
     .number = 5,
     .summary = "Uses what is known of ranges and divisibility.",
     .run = opt_propagate},
    {.name = "loop-split",
     .number = 6,
     .summary = "Splits a for where a comparison with its index changes.",
     .argument_meaning = "operations in a branch from which on a split is worth it",
     .argument = 1,
     .run = opt_loop_split},
    {.name = "fuse-fma",
     .number = 7,
     .summary = "Makes x * y + z one fma; changes results: in no level.",
     .run = opt_fuse_fma},
    {.name = "synthesize-debug-info-scopes",
     .number = 8,
     .summary = "Makes kernels debug scopes; in no level.",
     .run = opt_synthesize_debug_info_scopes},
    {.name = "memory",
     .number = 9,
     .summary = "Uses values that were just stored; drops stores nobody sees.",
     .run = opt_memory},
    {.name = "split-masks",
     .number = 10,
     .summary = "Splits a for of products where its masks begin; for GPUs.",
     .run = opt_split_masks},
    {.name = "join-steps",
     .number = 11,
     .summary = "Joins steps of a for of products to whole lines; for CPUs.",
     .run = opt_join_steps},
    {.name = "loop-unroll",
     .number = 12,
     .summary = "Unrolls a short for of element-wise tiles; for CPUs.",
     .run = opt_loop_unroll},
    {.name = "narrow",
     .number = 13,
     .summary = "Computes small integers in 16 bits; for CPUs.",
     .run = opt_narrow},
};
const unsigned opt_pass_count = ARRAY_LEN(opt_passes);

static const char *const levels[] = {
    "",
    "canonicalize,cse,memory,canonicalize,dce",
    "canonicalize,cse,propagate,memory,canonicalize,licm,cse,dce",
    ("canonicalize,cse,propagate,memory,canonicalize,licm,loop-split,canonicalize,cse,propagate,"
     "memory,canonicalize,licm,cse,dce"),
};

enum { MAX_RUNS = 1000 /* passes in a list */, MAX_DEPTH = 256 /* regions in regions */ };

/* ---- reading lists -------------------------------------------------------------------------- */

typedef struct step {
  const opt_pass *pass;
  int64_t argument;
} step;

/* A kernel that the passes do not see, and what stood before it in the module; NULL: nothing. */
typedef struct aside_entry {
  ir_op *op, *before;
} aside_entry;

typedef struct pipeline {
  ir_module *m;
  uint64_t without; /* passes that are left out, by number */
  arena arena;
  VEC(step) steps;
  VEC(aside_entry) aside;
} pipeline;

static str trimmed(str s) {
  while (s.len && s.data[0] == ' ') s.data++, s.len--;
  while (s.len && s.data[s.len - 1] == ' ') s.len--;
  return s;
}

/* Takes what stands before the next comma. */
static str next_item(str *rest) {
  const char *comma = rest->len ? memchr(rest->data, ',', rest->len) : NULL;
  size_t len = comma ? (size_t)(comma - rest->data) : rest->len;
  str item = trimmed((str){rest->data, len});
  size_t skip = comma ? len + 1 : len;
  *rest = (str){rest->data + skip, rest->len - skip};
  return item;
}

static bool number_of(str s, uint64_t max, uint64_t *out) {
  *out = 0;
  for (size_t i = 0; i < s.len; i++) {
    if (s.data[i] < '0' || s.data[i] > '9') return false;
    *out = *out * 10 + (uint64_t)(s.data[i] - '0');
    if (*out > max) return false;
  }
  return s.len > 0;
}

const opt_pass *opt_find_pass(str name) {
  uint64_t number;
  bool is_number = number_of(name, 1000, &number);
  for (unsigned i = 0; i < opt_pass_count; i++)
    if (str_is(name, opt_passes[i].name) || (is_number && opt_passes[i].number == number))
      return &opt_passes[i];
  return NULL;
}

/* "; did you mean 'cse'?", or which there are. */
static const char *hint_for(arena *a, str name, const char *others) {
  sbuf b = SBUF(a);
  for (unsigned i = 0; i < opt_pass_count; i++)
    if (str_distance(name, str_of(opt_passes[i].name)) <= 2)
      return arena_printf(a, "did you mean '%s'?", opt_passes[i].name);
  sbuf_puts(&b, "there are");
  for (unsigned i = 0; i < opt_pass_count; i++)
    sbuf_printf(&b, "%s %s", i ? "," : "", opt_passes[i].name);
  sbuf_printf(&b, " and %s", others);
  return b.data;
}

static bool unknown_pass(pipeline *p, const char *what, str name, const char *others) {
  diag_error(p->m->ctx, NOWHERE, "%s: there is no pass '" STR_FMT "'; %s", what, STR_ARG(name),
             hint_for(&p->arena, name, others));
  return false;
}

static bool add_step(pipeline *p, str item) {
  const char *paren = memchr(item.data, '(', item.len);
  str name = item, argument = {0};
  if (paren && item.data[item.len - 1] == ')') {
    name = trimmed((str){item.data, (size_t)(paren - item.data)});
    argument = trimmed((str){paren + 1, (size_t)(item.data + item.len - 1 - (paren + 1))});
  }
  const opt_pass *pass = opt_find_pass(name);
  if (!pass) return unknown_pass(p, "passes", name, "the levels O0 to O3");
  step s = {pass, pass->argument};
  if (argument.data) {
    uint64_t n;
    if (!pass->argument_meaning) {
      diag_error(p->m->ctx, NOWHERE, "passes: %s takes no argument; write it without parentheses",
                 pass->name);
      return false;
    }
    if (!number_of(argument, INT32_MAX, &n)) {
      diag_error(p->m->ctx, NOWHERE,
                 "passes: %s takes a number from 0 to %d (%s), not '" STR_FMT "'", pass->name,
                 INT32_MAX, pass->argument_meaning, STR_ARG(argument));
      return false;
    }
    s.argument = (int64_t)n;
  }
  if (p->steps.len >= MAX_RUNS) {
    diag_error(p->m->ctx, NOWHERE, "passes: the list is longer than %d passes; shorten it",
               MAX_RUNS);
    return false;
  }
  vec_push(&p->arena, p->steps, s);
  return true;
}

static int level_of(str item) {
  if (item.len == 2 && item.data[0] == 'O' && item.data[1] >= '0' && item.data[1] <= '3')
    return item.data[1] - '0';
  return -1;
}

static bool add_list(pipeline *p, str list) {
  while (list.len) {
    str item = next_item(&list);
    int level = level_of(item);
    if (level >= 0 ? !add_list(p, str_of(levels[level])) : item.len && !add_step(p, item))
      return false;
  }
  return true;
}

/* Whether a list of names selects a pass. */
static bool selects(str list, const opt_pass *pass) {
  while (list.len) {
    str item = next_item(&list);
    if (str_is(item, "all") || opt_find_pass(item) == pass) return true;
  }
  return false;
}

static bool check_selection(pipeline *p, const char *what, const char *names) {
  str list = str_of(names);
  while (list.len) {
    str item = next_item(&list);
    if (item.len && !str_is(item, "all") && !opt_find_pass(item))
      return unknown_pass(p, what, item, "all, for every pass");
  }
  return true;
}

/* ---- running -------------------------------------------------------------------------------- */

static bool count_one(void *user, ir_op *op) {
  (void)op;
  ++*(uint64_t *)user;
  return true;
}

static uint64_t count_ops(const ir_module *m) {
  uint64_t n = 0;
  ir_walk(m->op, count_one, &n);
  return n;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void dump(pipeline *p, const tsr_optimize_options *o, const char *names, const char *when,
                 const opt_pass *pass) {
  if (!o->on_dump || !selects(str_of(names), pass)) return;
  sbuf text = SBUF(&p->arena);
  text_print(&text, p->m);
  o->on_dump(o->user, arena_printf(&p->arena, "%s %s", when, pass->name), text.data, text.len);
}

static void run_step(pipeline *p, const step *s, const tsr_optimize_options *o) {
  ir_module *m = p->m;
  arena temp;
  arena_init(&temp, m->ctx);
  TSR_GUARD(m->ctx, {
    arena_free(&temp);
    ctx_unwind(m->ctx);
  });
  opt_run run = {.m = m, .temp = &temp, .argument = s->argument};
  uint64_t before = o->on_pass ? count_ops(m) : 0;
  double start = now();
  s->pass->run(&run);
  double seconds = now() - start;
  if (o->on_pass)
    o->on_pass(o->user, &(tsr_pass_report){.name = s->pass->name,
                                           .number = s->pass->number,
                                           .seconds = seconds,
                                           .changes = run.changes,
                                           .ops_before = before,
                                           .ops_after = count_ops(m)});
  TSR_UNGUARD(m->ctx);
  arena_free(&temp);
}

static bool verifies(const tsr_optimize_options *o) {
  return CHECKS_INVARIANTS || o->verify_each;
}

static tsr_status run_steps(pipeline *p, const tsr_optimize_options *o) {
  for (uint32_t i = 0; i < p->steps.len; i++) {
    const opt_pass *pass = p->steps.data[i].pass;
    if (p->without >> pass->number & 1) continue;
    dump(p, o, o->print_before, "before", pass);
    run_step(p, &p->steps.data[i], o);
    INVARIANT_SAYS(ir_links_problem(p->m));
    dump(p, o, o->print_after, "after", pass);
    if (!verifies(o) || ir_verify(p->m)) continue;
    diag_error(p->m->ctx, NOWHERE,
               "the pass %s made this module invalid, which is a mistake in Tessera; leave the "
               "pass out, and please report it with the module",
               pass->name);
    return TSR_ERROR_UNSUPPORTED;
  }
  return TSR_OK;
}

/* Passes recurse into regions. */
static bool nests_too_deep(void *user, ir_op *op) {
  const ir_op **found = user;
  unsigned depth = 0;
  if (op->n_regions == 0) return true;
  for (const ir_op *p = op; p && depth <= MAX_DEPTH + 2; p = p->block ? p->block->parent : NULL)
    depth++;
  if (depth <= MAX_DEPTH + 2) return true; /* the module and the entry are not counted */
  *found = op;
  return false;
}

static tsr_status run_pipeline(pipeline *p, str passes, const tsr_optimize_options *o) {
  const ir_op *deep = NULL;
  if (!add_list(p, passes) || !check_selection(p, "print_before", o->print_before) ||
      !check_selection(p, "print_after", o->print_after))
    return TSR_ERROR_USAGE;
  ir_walk(p->m->op, nests_too_deep, &deep);
  if (!deep) return run_steps(p, o);
  ir_error(p->m, deep, "regions nest deeper than %d here, which the optimiser does not take",
           MAX_DEPTH);
  return TSR_ERROR_INPUT;
}

/* ---- kernels of the block level ------------------------------------------------------------- */

/* The passes know tokens, which order accesses of the tile level; what barriers and waits order
 * they would move. So kernels that state their threads are out of the module while passes run. */
static void set_aside(pipeline *p) {
  ir_op *next;
  for (ir_op *op = ir_region(p->m->op, 0)->first; op && p->m->block_level; op = next) {
    next = op->next;
    if (op->opcode != OP_entry || !ir_has_attr(op, ATTR_threads)) continue;
    vec_push(&p->arena, p->aside, ((aside_entry){op, op->prev}));
    ir_op_unlink(op);
  }
}

/* The last that went comes first, each behind what stood before it then. */
static void put_back(pipeline *p) {
  ir_block *items = ir_region(p->m->op, 0);
  for (uint32_t i = p->aside.len; i-- > 0;) {
    const aside_entry *e = &p->aside.data[i];
    ir_op *next = e->before ? e->before->next : items->first;
    if (next)
      ir_op_insert_before(next, e->op);
    else
      ir_op_append(items, e->op);
  }
  p->aside.len = 0;
}

static tsr_status run_list(ir_module *m, str passes, uint64_t without,
                           const tsr_optimize_options *options) {
  static const tsr_optimize_options none = {0};
  pipeline *p = arena_new(&m->arena, pipeline); /* intact after a jump to the guard */
  *p = (pipeline){.m = m, .without = without};
  arena_init(&p->arena, m->ctx);
  TSR_GUARD(m->ctx, {
    put_back(p);
    arena_free(&p->arena);
    ctx_unwind(m->ctx);
  });
  set_aside(p);
  tsr_status status = run_pipeline(p, passes, options ? options : &none);
  put_back(p);
  TSR_UNGUARD(m->ctx);
  arena_free(&p->arena);
  return status;
}

tsr_status opt_run_list(ir_module *m, str passes, const tsr_optimize_options *options) {
  return run_list(m, passes, 0, options);
}

tsr_status opt_run_level(ir_module *m, unsigned level) {
  str passes = str_of(levels[MIN(level, ARRAY_LEN(levels) - 1)]);
  return run_list(m, passes, m->without.passes, NULL);
}

/* For one kind of target, behind the level's: a list whose first pass the others clean up after. */
static tsr_status run_behind(ir_module *m, unsigned number, const char *list) {
  enum { LEAST_LEVEL = 2 };
  if (m->level < LEAST_LEVEL || m->without.passes >> number & 1) return TSR_OK;
  return run_list(m, str_of(list), m->without.passes, NULL);
}

tsr_status opt_run_masks(ir_module *m) {
  return run_behind(m, 10, "split-masks,canonicalize,cse,licm,dce");
}

tsr_status opt_run_cpu(ir_module *m) {
  tsr_status status = run_behind(m, 11, "join-steps");
  if (status == TSR_OK) status = run_behind(m, 12, "loop-unroll,canonicalize,cse,dce");
  return status == TSR_OK ? run_behind(m, 13, "narrow,cse,dce") : status;
}

/* ---- the public functions ------------------------------------------------------------------- */

static bool read_options(ir_module *m, tsr_optimize_options *out,
                         const tsr_optimize_options *given) {
  size_t least = offsetof(tsr_optimize_options, print_before);
  *out = (tsr_optimize_options){.struct_size = sizeof *out};
  if (!given) return true;
  if (!struct_take(out, sizeof *out, given, least)) {
    diag_error(m->ctx, NOWHERE,
               "tsr_optimize_options.struct_size is %zu: set it to sizeof(tsr_optimize_options)",
               given->struct_size);
    return false;
  }
  return true;
}

tsr_status tsr_module_optimize(tsr_module *m, const char *passes,
                               const tsr_optimize_options *options) {
  tsr_optimize_options o;
  if (!m) return TSR_ERROR_USAGE;
  TSR_GUARD(m->ctx, return TSR_ERROR_MEMORY);
  m->ctx->errors = 0;
  tsr_status status = TSR_OK;
  if (!read_options(m, &o, options))
    status = TSR_ERROR_USAGE;
  else if (!m->verified && !ir_verify(m))
    status = TSR_ERROR_INPUT;
  else
    status = opt_run_list(m, str_of(passes ? passes : "O2"), &o);
  TSR_UNGUARD(m->ctx);
  return status;
}

size_t tsr_pass_count(void) {
  return opt_pass_count;
}

bool tsr_pass_describe(size_t index, tsr_pass_info *out) {
  if (index >= opt_pass_count || !out) return false;
  const opt_pass *p = &opt_passes[index];
  *out = (tsr_pass_info){p->name, p->number, p->summary, p->argument_meaning, p->argument};
  return true;
}

tsr_status tsr_module_set_level(tsr_module *m, unsigned level) {
  if (!m || level >= ARRAY_LEN(levels)) return TSR_ERROR_USAGE;
  m->level = (uint8_t)level;
  return TSR_OK;
}

const char *tsr_optimize_level(unsigned level) {
  return level < ARRAY_LEN(levels) ? levels[level] : NULL;
}
