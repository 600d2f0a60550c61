/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Regions. For each block, what lies between it and each of the blocks that all ways from it go
 * through; a region when there is no other way into it. Which of them become a part is a greedy
 * choice: the one that comes nearest to what is missing, alone or with smaller ones beside it.
 */
#include "llvm/split.h"

#include <stdlib.h>
#include <llvm-c/BitWriter.h>

#include "llvm/flow.h"
#include "llvm/outline.h"

static const char MARK[] = "tessera.loop";

/* All in instructions, of which kernels' take 16 to 22 microseconds each. */
enum {
  UNIT_COST = 50,    /* what a module takes by itself */
  CALL_COST = 12,    /* a call with its values, on both sides */
  LEAST_GAIN = 80,   /* to go to the trouble for */
  LEAST_SHARE = 100, /* of a thread */
  LEAST_REGION = 40,
  LEAST_WORK = 3000, /* executed for one call, roughly */
};

enum {
  ASIDE_PERCENT = 62, /* of an instruction's time for a micro-kernel's, as the other units have */
  MOST_VALUES = 24,
  MOST_REGIONS = 200,
  MOST_IN_PART = 5,
  MOST_TRIES = 20, /* for a part: some regions need too many values */
  UNKNOWN_ROUNDS = 8,
  MOST_ROUNDS = 1 << 20,
  FORCED_VALUES = 200,
};

typedef struct region {
  uint32_t head, exit, cost, n_blocks;
  uint64_t *blocks; /* a bit for each */
  bool unfit;
} region;

typedef VEC(region) region_list;

/* A function that parts are taken of. */
typedef struct splitter {
  unit *u;
  bool forced;
  flow f;
  uint32_t total, words; /* of the cost; of a set of blocks */
  uint32_t *cost;        /* of the blocks */
  double *runs;          /* of the blocks, for a call of the function, roughly */
  bool *open;            /* of loops, by their first blocks: may be called from inside */
  region_list regions;   /* the longest first */
  uint64_t *taken;
} splitter;

void split_mark_loop(emit *e, LLVMValueRef jump) {
  if (!e->outline) return; /* nothing will be split */
  LLVMValueRef node = LLVMMetadataAsValue(e->llvm, LLVMMDNodeInContext2(e->llvm, NULL, 0));
  LLVMSetMetadata(jump, LLVMGetMDKindIDInContext(e->llvm, MARK, sizeof MARK - 1), node);
}

/* ---- what blocks take ----------------------------------------------------------------------- */

static uint32_t block_cost(LLVMBasicBlockRef b) {
  uint32_t n = 0;
  for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
    n += LLVMGetInstructionOpcode(i) != LLVMPHI;
  return n;
}

static uint32_t function_cost(LLVMValueRef f) {
  uint32_t n = 0;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
    n += block_cost(b);
  return n;
}

static uint32_t unit_cost(const unit *u) {
  uint32_t n = UNIT_COST;
  for (LLVMValueRef f = LLVMGetFirstFunction(u->e.module); f; f = LLVMGetNextFunction(f))
    n += function_cost(f);
  return n;
}

/* A nest's loop counts to a constant, as a rule, and is tested at its end. */
static double rounds_of(const flow *f, uint32_t head) {
  for (uint32_t e = f->before.first[head]; e < f->before.first[head + 1]; e++) {
    uint32_t from = f->before.to[e];
    if (!flow_dominates(f, head, from)) continue;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(f->block[from]);
    if (!LLVMIsABranchInst(end) || !LLVMIsConditional(end)) continue;
    LLVMValueRef test = LLVMGetCondition(end);
    if (!LLVMIsAICmpInst(test) || LLVMGetICmpPredicate(test) != LLVMIntNE) continue;
    LLVMValueRef to = LLVMGetOperand(test, 1);
    uint64_t rounds = LLVMIsAConstantInt(to) ? LLVMConstIntGetZExtValue(to) : 0;
    if (rounds > 1 && rounds <= MOST_ROUNDS) return (double)rounds;
  }
  return UNKNOWN_ROUNDS;
}

static double runs_in(const splitter *s, const double *rounds, uint32_t loop) {
  double runs = 1;
  for (; loop != FLOW_NONE; loop = s->f.outer[loop]) runs *= rounds[loop];
  return runs;
}

static void find_open_loops(splitter *s) {
  const flow *f = &s->f;
  unsigned mark = LLVMGetMDKindIDInContext(s->u->e.llvm, MARK, sizeof MARK - 1);
  bool *marked = arena_array(&s->u->arena, bool, f->exit + 1);
  s->open = arena_array(&s->u->arena, bool, f->exit + 1);
  for (uint32_t i = 0; i <= f->exit; i++) marked[i] = s->forced;
  for (uint32_t i = 0; i < f->exit; i++)
    if (f->loop[i] != FLOW_NONE && LLVMGetMetadata(LLVMGetBasicBlockTerminator(f->block[i]), mark))
      marked[f->loop[i]] = true;
  for (uint32_t i = 0; i < f->exit; i++) {
    s->open[i] = true;
    for (uint32_t k = i; k != FLOW_NONE; k = f->outer[k]) s->open[i] &= marked[k];
  }
}

static void measure(splitter *s) {
  const flow *f = &s->f;
  arena *a = &s->u->arena;
  double *rounds = arena_array(a, double, f->exit + 1);
  s->cost = arena_array(a, uint32_t, f->exit + 1);
  s->runs = arena_array(a, double, f->exit + 1);
  for (uint32_t i = 0; i < f->exit; i++) {
    s->cost[i] = block_cost(f->block[i]);
    s->total += s->cost[i];
    rounds[i] = f->loop[i] == i ? rounds_of(f, i) : 1;
  }
  for (uint32_t i = 0; i < f->exit; i++) s->runs[i] = runs_in(s, rounds, f->loop[i]);
  find_open_loops(s);
}

/* ---- regions -------------------------------------------------------------------------------- */

static bool has(const uint64_t *set, uint32_t i) {
  return set[i / 64] >> i % 64 & 1;
}

static bool meet(const splitter *s, const uint64_t *a, const uint64_t *b) {
  for (uint32_t i = 0; i < s->words; i++)
    if (a[i] & b[i]) return true;
  return false;
}

/* A region that becomes larger and larger. */
typedef struct growth {
  splitter *s;
  uint32_t head, exit, cost, least, most, n_blocks; /* least, most: of the cost */
  double work;
  uint64_t *blocks;
  uint32_t *stack, depth;
  /* Edges: into blocks but the head, from anywhere; inside; to the head and to the exit. */
  uint32_t in, inside, back, out;
} growth;

/* Takes all blocks that are reached before the exit. False: some are reached otherwise, too, or
 * they are too many. */
static bool grow(growth *g) {
  const flow *f = &g->s->f;
  g->inside += g->out;
  g->out = 0;
  while (g->depth > 0) {
    uint32_t i = g->stack[--g->depth];
    if (has(g->blocks, i)) continue;
    if (i == f->exit || !flow_dominates(f, g->head, i)) return false;
    g->blocks[i / 64] |= UINT64_C(1) << i % 64;
    g->n_blocks++;
    g->cost += g->s->cost[i];
    g->work += g->s->cost[i] * g->s->runs[i];
    if (g->cost > g->most) return false;
    if (i != g->head) g->in += f->before.first[i + 1] - f->before.first[i];
    for (uint32_t e = f->next.first[i]; e < f->next.first[i + 1]; e++) {
      uint32_t to = f->next.to[e];
      g->back += to == g->head;
      g->out += to == g->exit;
      g->inside += to != g->head && to != g->exit;
      if (to != g->head && to != g->exit) g->stack[g->depth++] = to;
    }
  }
  return true;
}

/* The innermost loop around the region. False: half of it is inside. */
static bool loop_around(const growth *g, uint32_t *loop) {
  const flow *f = &g->s->f;
  uint32_t back = 0;
  *loop = f->loop[g->head];
  for (uint32_t e = f->before.first[g->head]; e < f->before.first[g->head + 1]; e++)
    back += flow_dominates(f, g->head, f->before.to[e]);
  if (g->back && g->back != back) return false;
  if (g->back) *loop = f->outer[*loop];
  return true;
}

static bool is_worth_it(const growth *g) {
  const splitter *s = g->s;
  uint32_t loop;
  if (g->in != g->inside || g->cost < g->least || !loop_around(g, &loop)) return false;
  if (s->forced) return true;
  if (loop != FLOW_NONE && !s->open[loop]) return false;
  double runs = loop == FLOW_NONE ? 1 : s->runs[loop];
  return g->work >= LEAST_WORK * runs;
}

/* The next one is a sixteenth longer at least: that is near enough to any target. */
static void add_region(growth *g) {
  splitter *s = g->s;
  region r = {g->head, g->exit, g->cost, g->n_blocks, arena_array(&s->u->arena, uint64_t, s->words),
              false};
  memcpy(r.blocks, g->blocks, s->words * sizeof *r.blocks);
  vec_push(&s->u->arena, s->regions, r);
  g->least = g->cost + g->cost / 16 + 1;
}

static void find_regions_from(splitter *s, uint32_t head, uint32_t most, growth *g) {
  const flow *f = &s->f;
  uint64_t *blocks = g->blocks;
  uint32_t *stack = g->stack;
  *g = (growth){.s = s, .head = head, .most = most, .blocks = blocks, .stack = stack};
  g->least = s->forced ? 1 : LEAST_REGION;
  memset(blocks, 0, s->words * sizeof *blocks);
  for (uint32_t from = head; from != f->exit; from = g->exit) {
    g->exit = f->postdominator[from];
    if (g->exit == FLOW_NONE || g->exit == head) return;
    stack[g->depth++] = from;
    if (!grow(g)) return;
    if (is_worth_it(g)) add_region(g);
  }
}

static int by_cost(const void *x, const void *y) {
  const region *a = x, *b = y;
  if (a->cost != b->cost) return a->cost < b->cost ? 1 : -1;
  return a->head != b->head ? (a->head < b->head ? -1 : 1) : (a->exit < b->exit ? -1 : 1);
}

/* Leaves long and short ones. */
static void thin_out(splitter *s) {
  uint32_t n = s->regions.len;
  if (n <= MOST_REGIONS) return;
  for (uint32_t i = 0; i < MOST_REGIONS; i++)
    s->regions.data[i] = s->regions.data[(uint64_t)i * n / MOST_REGIONS];
  s->regions.len = MOST_REGIONS;
}

static void find_regions(splitter *s, uint32_t most) {
  const flow *f = &s->f;
  arena *a = &s->u->arena;
  growth g = {.blocks = arena_array(a, uint64_t, s->words),
              .stack = arena_array(a, uint32_t, f->next.first[f->exit] + 1)};
  for (uint32_t i = 1; i < f->exit; i++) find_regions_from(s, i, most, &g);
  if (s->regions.len > 1) qsort(s->regions.data, s->regions.len, sizeof *s->regions.data, by_cost);
  thin_out(s);
}

static bool open_splitter(splitter *s, unit *u, LLVMValueRef function, bool forced, uint32_t most) {
  arena *a = &u->arena;
  *s = (splitter){.u = u, .forced = forced};
  if (!flow_of(a, function, &s->f)) return false;
  s->words = (s->f.exit + 64) / 64;
  s->taken = arena_array(a, uint64_t, s->words);
  memset(s->taken, 0, s->words * sizeof *s->taken);
  measure(s);
  find_regions(s, most);
  return true;
}

/* ---- choosing ------------------------------------------------------------------------------- */

static bool is_free(const splitter *s, const region *r) {
  return !r->unfit && !meet(s, r->blocks, s->taken);
}

/* How far a region, and smaller ones beside it, are from the target. */
static uint32_t distance(const splitter *s, uint32_t first, uint32_t target, uint64_t *all) {
  const region *r = &s->regions.data[first];
  uint32_t sum = r->cost, calls = 1;
  memcpy(all, r->blocks, s->words * sizeof *all);
  for (uint32_t i = first + 1; i < s->regions.len && calls < MOST_IN_PART && sum < target; i++) {
    r = &s->regions.data[i];
    if (r->cost + CALL_COST >= 2 * (target - sum)) continue; /* as far on the other side */
    if (!is_free(s, r) || meet(s, r->blocks, all)) continue;
    for (uint32_t k = 0; k < s->words; k++) all[k] |= r->blocks[k];
    sum += r->cost;
    calls++;
  }
  return (sum < target ? target - sum : sum - target) + calls * CALL_COST;
}

/* What to move next when so much is to be moved; NULL: nothing comes nearer to that. */
static region *choose(splitter *s, uint32_t target) {
  uint32_t best = target;
  uint64_t *all = arena_array(&s->u->arena, uint64_t, s->words);
  region *found = NULL;
  for (uint32_t i = 0; i < s->regions.len; i++) {
    if (!is_free(s, &s->regions.data[i])) continue;
    uint32_t d = distance(s, i, target, all);
    if (d >= best) continue;
    best = d;
    found = &s->regions.data[i];
  }
  return found;
}

/* ---- parts ---------------------------------------------------------------------------------- */

/* A unit that is being filled. */
typedef struct part {
  LLVMModuleRef module;
  unsigned *names;
} part;

static bool move(splitter *s, region *r, const part *p) {
  flow *f = &s->f;
  LLVMBasicBlockRef *blocks = arena_array(&s->u->arena, LLVMBasicBlockRef, r->n_blocks);
  uint32_t n = 0;
  for (uint32_t i = 0; i < f->exit; i++)
    if (has(r->blocks, i)) blocks[n++] = f->block[i];
  outline_region what = {blocks, n, f->block[r->head], f->block[r->exit],
                         s->forced ? FORCED_VALUES : MOST_VALUES};
  const char *name = arena_printf(&s->u->arena, "part.%u", *p->names);
  LLVMBasicBlockRef call = outline(&s->u->e, &what, p->module, name);
  r->unfit = !call;
  if (!call) return false;
  ++*p->names;
  f->block[r->head] = call;
  for (uint32_t i = 0; i < s->words; i++) s->taken[i] |= r->blocks[i];
  return true;
}

/* Returns how much was moved. */
static uint32_t fill(splitter *s, const part *p, uint32_t target) {
  uint32_t moved = 0;
  for (unsigned tries = 0, calls = 0; tries < MOST_TRIES && calls < MOST_IN_PART; tries++) {
    region *r = moved < target ? choose(s, target - moved) : NULL;
    if (!r) break;
    if (!move(s, r, p)) continue;
    moved += r->cost;
    calls++;
  }
  return moved;
}

static LLVMModuleRef new_module(const emit *e) {
  LLVMModuleRef m = LLVMModuleCreateWithNameInContext("part", e->llvm);
  LLVMSetModuleDataLayout(m, LLVMGetModuleDataLayout(e->module));
  LLVMSetTarget(m, LLVMGetTarget(e->module));
  return m;
}

/* Takes a part of each function into a unit of its own. False: nothing was there to be taken, or
 * there is no unit. */
static bool take_part(split_crew *crew, splitter *s, unsigned n, const uint32_t *targets) {
  unit *u = crew->units[0];
  part p = {new_module(&u->e), &crew->parts};
  uint32_t moved = 0;
  for (unsigned i = 0; i < n; i++) moved += fill(&s[i], &p, targets[i]);
  unit *home = moved ? crew->fork(crew->user) : NULL;
  if (home) home->bitcode = LLVMWriteBitcodeToMemoryBuffer(p.module);
  LLVMDisposeModule(p.module);
  crew->failed |= moved && !home;
  return home != NULL;
}

static LLVMValueRef longest(const unit *u) {
  LLVMValueRef found = NULL;
  uint32_t most = 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(u->e.module); f; f = LLVMGetNextFunction(f)) {
    uint32_t cost = function_cost(f);
    if (cost <= most) continue;
    most = cost;
    found = f;
  }
  return found;
}

/* How many parts of how much each should leave the first unit. */
static uint32_t parts_of(const split_crew *crew, uint32_t *target) {
  uint32_t here = unit_cost(crew->units[0]), total = here + crew->others + UNIT_COST;
  uint32_t each = MAX(MAX(total / crew->threads, crew->longest_other), (uint32_t)LEAST_SHARE);
  /* Beside a single micro-kernel, whose estimate is off by a fifth, less would be a loss at times.
   */
  uint32_t gain = crew->n == 2 ? MAX(here / 4, (uint32_t)LEAST_GAIN) : LEAST_GAIN;
  if (here < each + gain || !crew->room) return 0;
  uint32_t away = here - each, parts = (away + each - 1) / each;
  parts = MIN(parts, MIN(crew->threads - 1, crew->room));
  *target = away / parts;
  return parts;
}

unsigned split_look(split_crew *crew) {
  uint32_t target;
  crew->forced = getenv("TESSERA_SPLIT");
  for (unsigned i = 1; i < crew->n; i++) {
    uint32_t cost = unit_cost(crew->units[i]) * ASIDE_PERCENT / 100;
    crew->others += cost;
    crew->longest_other = MAX(crew->longest_other, cost);
  }
  if (crew->units[0]->e.arm) return 0; /* whose calls take few vectors in registers */
  if (crew->forced) return MIN((unsigned)strtoul(crew->forced, NULL, 10), crew->room);
  return crew->threads > 1 ? parts_of(crew, &target) : 0;
}

static void split_for_speed(split_crew *crew) {
  unit *u = crew->units[0];
  uint32_t target, parts = parts_of(crew, &target);
  splitter s;
  if (!parts || !open_splitter(&s, u, longest(u), false, 2 * target)) return;
  for (uint32_t i = 0; i < parts && take_part(crew, &s, 1, &target); i++) {
  }
}

static void split_forced(split_crew *crew, unsigned parts) {
  unit *u = crew->units[0];
  unsigned n = 0, most = 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(u->e.module); f; f = LLVMGetNextFunction(f)) most++;
  splitter *s = arena_array(&u->arena, splitter, MAX(most, 1u));
  uint32_t *targets = arena_array(&u->arena, uint32_t, MAX(most, 1u));
  for (LLVMValueRef f = LLVMGetFirstFunction(u->e.module); f; f = LLVMGetNextFunction(f)) {
    uint32_t cost = function_cost(f);
    targets[n] = cost / (parts + 1) + 1;
    n += cost > 0 && open_splitter(&s[n], u, f, true, cost);
  }
  for (unsigned i = 0; i < parts && take_part(crew, s, n, targets); i++) {
  }
}

bool split_units(split_crew *crew) {
  if (crew->forced)
    split_forced(crew, MIN((unsigned)strtoul(crew->forced, NULL, 10), crew->room));
  else
    split_for_speed(crew);
  return !crew->failed;
}
