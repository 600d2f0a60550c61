/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Executing tile blocks: frames, and the loop over instructions.
 */
#include "interp/cluster.h"
#include "interp/crew.h"

/* What each operation calls. Element-wise operations are all one; module, entry and global are
 * structure; tokens leave nothing to do, nor do barriers and waits, since all threads of a block
 * stand at one operation; control flow is turned into jumps. */
static const inst_fn functions[OP_BLOCK_END] = {
    [OP_alloc_mbarrier] = run_alloc_mbarrier,
    [OP_alloc_shared] = run_alloc_shared,
    [OP_alloca] = run_alloca,
    [OP_assert] = run_assert,
    [OP_assume] = run_copy,
    [OP_atomic_cas_global] = run_atomic_global,
    [OP_atomic_cas_shared] = run_atomic_shared,
    [OP_atomic_cas_tko] = run_atomic_cas,
    [OP_atomic_global] = run_atomic_global,
    [OP_atomic_red_view_tko] = run_atomic_red_view,
    [OP_atomic_rmw_tko] = run_atomic_rmw,
    [OP_atomic_shared] = run_atomic_shared,
    [OP_barrier_arrive] = run_barrier_arrive,
    [OP_barrier_wait] = run_barrier_wait,
    [OP_broadcast] = run_broadcast,
    [OP_bulk_copy] = run_bulk_copy,
    [OP_bulk_load] = run_tensor_load,
    [OP_bulk_store] = run_tensor_store,
    [OP_cat] = run_cat,
    [OP_cluster_arrive] = run_cluster_arrive,
    [OP_cluster_barrier] = run_cluster_barrier,
    [OP_cluster_wait] = run_cluster_wait,
    [OP_constant] = run_constant,
    [OP_convert_layout] = run_copy,
    [OP_cp_async] = run_cp_async,
    [OP_cp_async_arrive] = run_mbarrier_arrive,
    [OP_extract] = run_extract,
    [OP_get_cluster_rank] = run_get_cluster_rank,
    [OP_get_global] = run_get_global,
    [OP_get_index_space_shape] = run_get_index_space_shape,
    [OP_get_num_tile_blocks] = run_get_num_tile_blocks,
    [OP_get_tensor_shape] = run_get_tensor_shape,
    [OP_get_worker] = run_iota,
    [OP_get_tile_block_id] = run_get_tile_block_id,
    [OP_insert] = run_insert,
    [OP_iota] = run_iota,
    [OP_load_global] = run_load_global,
    [OP_load_ptr_tko] = run_load_ptr,
    [OP_load_shared] = run_load_shared,
    [OP_load_view_tko] = run_load_view,
    [OP_make_gather_scatter_view] = run_copy,
    [OP_make_partition_view] = run_copy,
    [OP_make_strided_view] = run_copy,
    [OP_make_tensor_map] = run_copy,
    [OP_make_tensor_view] = run_make_tensor_view,
    [OP_map_remote] = run_map_remote,
    [OP_mbarrier_arrive] = run_mbarrier_arrive,
    [OP_mbarrier_arrive_expect] = run_mbarrier_arrive_expect,
    [OP_mbarrier_expect] = run_mbarrier_expect,
    [OP_mbarrier_init] = run_mbarrier_init,
    [OP_mbarrier_wait] = run_mbarrier_wait,
    [OP_mmaf] = run_mmaf,
    [OP_mmaf_scaled] = run_mmaf_scaled,
    [OP_mmai] = run_mmai,
    [OP_multimem_load_reduce_view_tko] = run_load_view,
    [OP_multimem_reduce_view_tko] = run_atomic_red_view,
    [OP_multimem_store_view_tko] = run_store_view,
    [OP_pack] = run_pack,
    [OP_permute] = run_permute,
    [OP_permute_view] = run_copy,
    [OP_philox] = run_philox,
    [OP_print_tko] = run_print,
    [OP_reduce] = run_reduce,
    [OP_reinterpret] = run_reinterpret,
    [OP_reshape] = run_copy,
    [OP_scan] = run_scan,
    [OP_store_async] = run_store_async,
    [OP_store_global] = run_store_global,
    [OP_store_ptr_tko] = run_store_ptr,
    [OP_store_shared] = run_store_shared,
    [OP_store_view_tko] = run_store_view,
    [OP_subview] = run_subview,
    [OP_tensor_load] = run_tensor_load,
    [OP_tensor_reduce] = run_tensor_store,
    [OP_tensor_store] = run_tensor_store,
    [OP_unpack] = run_unpack,
    [OP_wgmma] = run_wgmma,
    [OP_wgmma_wait] = run_copy,
};

inst_fn interp_function(op_code opcode) {
  return op_table[opcode].traits & TRAIT_ELEMENTWISE ? run_elementwise : functions[opcode];
}

void interp_execute(frame *f, uint32_t start) {
  const inst *code = f->program->code;
  uint32_t back = f->pc;
  f->pc = start;
  while (f->pc != PC_STOP) {
    const inst *i = &code[f->pc++];
    i->run(f, i);
  }
  f->pc = back;
}

/* ---- frames --------------------------------------------------------------------------------- */

/* Of a tile block, or of all of a cluster. */
static size_t memory_bytes(const interp_program *p) {
  return p->cluster * cluster_stride(p) + 64;
}

/* Several threads may execute blocks of one program: each has a frame of its own. One is kept for
 * the next block, so that usually none is allocated. */
static char *take_frame(interp_program *p) {
  char *memory = __atomic_exchange_n(&p->idle, NULL, __ATOMIC_ACQ_REL);
  return memory ? memory : ctx_try_alloc(p->ctx, memory_bytes(p));
}

static void give_frame(interp_program *p, char *memory) {
  memory = __atomic_exchange_n(&p->idle, memory, __ATOMIC_ACQ_REL);
  ctx_free(p->ctx, memory, memory_bytes(p));
}

static char *frame_for(interp_program *p) {
  char *memory = take_frame(p);
  if (!memory)
    diag_error(p->ctx, p->at,
               "out of memory: a tile block of this kernel needs %zu MiB for its tiles; use "
               "smaller tiles",
               (memory_bytes(p) >> 20) + 1);
  return memory;
}

static frame frame_in(interp_program *p, rt_block *block, char *memory, interp_watcher *watcher) {
  return (frame){.memory = (char *)(((uintptr_t)memory + 63) & ~(uintptr_t)63),
                 .block = block,
                 .program = p,
                 .watcher = watcher,
                 .count = (int32_t)ir_int_attr(p->entry, ATTR_threads)};
}

/* With a crew where the kernel needs one. */
static bool execute_in(frame *f, crew *c) {
  if (c) return crew_run(c) != CREW_STUCK;
  interp_execute(f, 0);
  return true;
}

/* The watcher takes memory from the context, and may find none. */
static bool execute_guarded(interp_program *p, frame *f, crew *c) {
  TSR_GUARD(p->ctx, return false);
  bool done = execute_in(f, c);
  TSR_UNGUARD(p->ctx);
  return done;
}

static bool run_whole(interp_program *p, rt_block *block, interp_watcher *watcher) {
  char *memory = frame_for(p);
  if (!memory) return false;
  frame f = frame_in(p, block, memory, watcher);
  crew *c = p->crew ? crew_create(p, &f) : NULL;
  bool done = c || !p->crew;
  fenv_t environment;
  num_env_enter(&environment);
  if (done) done = watcher || c ? execute_guarded(p, &f, c) : execute_in(&f, NULL);
  num_env_leave(&environment);
  crew_destroy(c);
  give_frame(p, memory);
  return done;
}

bool interp_run_block(interp_program *p, rt_block *block) {
  return run_whole(p, block, NULL);
}

/* ---- tile blocks that wait ------------------------------------------------------------------ */

enum { PATIENCE = 256 };

struct interp_running {
  interp_program *program;
  rt_block block;
  frame frame;
  char *memory;
  crew *crew; /* NULL: it needs none */
  bool begun;
};

/* Tokens order what a tile block does, so it has nothing else to do while it waits. */
void note_seen(frame *f, const inst *i, uint64_t address, size_t bytes) {
  if (!f->may_wait) return;
  uint64_t seen = hash_mix(hash_bytes(at(f, i->out[0]), bytes), address);
  seen = hash_mix(seen, (uint64_t)(i - f->program->code));
  f->same = seen == f->last_seen ? f->same + 1 : 0;
  f->last_seen = seen;
  memcpy(&f->seen_at, at(f, i->in[0]), sizeof f->seen_at); /* of a view, where it begins */
  if (f->same < PATIENCE) return;
  f->same = 0;
  f->waits = true;
  f->resume = f->pc;
  f->pc = PC_STOP;
}

interp_running *interp_start(interp_program *p, const rt_block *block, interp_watcher *watcher) {
  char *memory = frame_for(p);
  if (!memory) return NULL;
  interp_running *r = ctx_try_alloc(p->ctx, sizeof *r);
  if (!r) {
    give_frame(p, memory);
    diag_error(p->ctx, p->at, "out of memory");
    return NULL;
  }
  *r = (interp_running){.program = p, .block = *block, .memory = memory};
  r->frame = frame_in(p, &r->block, memory, watcher);
  r->frame.may_wait = true;
  if (!p->crew || (r->crew = crew_create(p, &r->frame))) return r;
  interp_drop(r);
  return NULL;
}

static bool go_on(interp_running *r) {
  TSR_GUARD(r->program->ctx, return false);
  if (r->crew) {
    crew_state state = crew_run(r->crew);
    TSR_UNGUARD(r->program->ctx);
    r->frame.waits = state == CREW_WAITS;
    return state != CREW_STUCK;
  }
  uint32_t start = r->begun ? r->frame.resume : 0;
  r->begun = true;
  r->frame.waits = false;
  interp_execute(&r->frame, start);
  TSR_UNGUARD(r->program->ctx);
  return true;
}

void interp_drop(interp_running *r) {
  crew_destroy(r->crew);
  give_frame(r->program, r->memory);
  ctx_free(r->program->ctx, r, sizeof *r);
}

interp_state interp_continue(interp_running *r) {
  fenv_t environment;
  num_env_enter(&environment);
  bool done = go_on(r);
  num_env_leave(&environment);
  if (done && r->frame.waits) return INTERP_WAITS;
  interp_drop(r);
  return done ? INTERP_DONE : INTERP_FAILED;
}

const ir_op *interp_waiting_op(const interp_running *r, uint64_t *address) {
  if (r->crew || !r->frame.waits || !r->frame.resume) return NULL;
  *address = r->frame.seen_at;
  return r->program->code[r->frame.resume - 1].op;
}

const rt_block *interp_running_block(const interp_running *r) {
  return &r->block;
}

/* ---- watched kernels ------------------------------------------------------------------------ */

bool interp_run_watched(interp_program *p, rt_block *block, interp_watcher *watcher) {
  return run_whole(p, block, watcher);
}

void run_watched(frame *f, const inst *i) {
  if (f->halted)
    f->pc = PC_STOP;
  else
    f->watcher->step(f->watcher, f, i);
}

void interp_do(frame *f, const inst *i) {
  i->plain(f, i);
}

void interp_halt(frame *f) {
  f->halted = true;
  f->pc = PC_STOP;
}

const ir_op *interp_op(const inst *i) {
  return i->op;
}
bool interp_is_start(const inst *i) {
  return i->starts;
}
const rt_block *interp_block(const frame *f) {
  return f->block;
}
const void *interp_value(const frame *f, const ir_value *v) {
  return f->memory + f->program->slots[v->number];
}

bool interp_is_stuck(const interp_program *p) {
  return p->stuck;
}

void interp_destroy(interp_program *p) {
  if (!p) return;
  tsr_context *ctx = p->ctx;
  ctx_free(ctx, p->idle, memory_bytes(p));
  arena_free(&p->arena);
  arena_free(&p->scratch);
  ctx_free(ctx, p, sizeof *p);
}
