/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "emu/amdgcn/image.h"

#include <stdio.h>

#include "emu/amdgcn/isa.h"
#include "emu/amdgcn/memory.h"
#include "emu/amdgcn/read.h"
#include "emu/amdgcn/scalar.h"

/* ---- reading -------------------------------------------------------------------------------- */

typedef struct loader {
  tsr_context *ctx;
  arena *arena;
  gcn_image *image;
  VEC(gcn_insn) insns;
  sbuf listing;
  uint32_t line;
} loader;

static void add_to_listing(loader *l, const char *start, const char *text) {
  sbuf_printf(&l->listing, "%s%s\n", start, text);
  l->line++;
}

enum { MOST_INSNS = 1 << 22 };

static bool add_line(void *user, uint64_t at, uint32_t bytes, const char *text) {
  loader *l = user;
  if (l->insns.len >= MOST_INSNS) {
    diag_error(l->ctx, ((place){.file = l->image->object->name}),
               "the code object has more than %d instructions", MOST_INSNS);
    return false;
  }
  gcn_insn i = {.target = GCN_NOWHERE};
  if (text) gcn_read_line(l->arena, l->image->generation, arena_printf(l->arena, "%s", text), &i);
  add_to_listing(l, "  ", i.text ? i.text : "no instruction");
  i.at = at;
  i.bytes = bytes;
  i.line = l->line;
  vec_push(l->arena, l->insns, i);
  if (at % 4 == 0) l->image->index[at / 4] = (uint32_t)l->insns.len;
  return true;
}

/* What the function at an address is called. */
static const char *name_at(const loader *l, uint64_t at) {
  const hsa_object *o = l->image->object;
  for (uint32_t k = 0; k < o->n_symbols; k++)
    if (o->symbols[k].is_function && o->symbols[k].offset == at)
      return arena_printf(l->arena, STR_FMT, (int)MIN(o->symbols[k].name.len, 256u),
                          o->symbols[k].name.data);
  return "function";
}

/* Every word of the image is read as code at most once: functions may overlap in broken files. */
static bool read_function(loader *l, uint64_t from, uint64_t to, gcn_disassemble disassemble) {
  const hsa_object *o = l->image->object;
  if (from % 4) return true;
  for (uint64_t at = from; at + 4 <= to; at += 4)
    if (l->image->index[at / 4]) to = at;
  if (from >= to) return true;
  add_to_listing(l, name_at(l, from), ":");
  if (!disassemble(l->ctx, o->gpu->name, o->image, from, to, add_line, l)) return false;
  /* Behind the last instruction is none. */
  vec_push(l->arena, l->insns, (gcn_insn){.at = to, .line = l->line, .target = GCN_NOWHERE});
  return true;
}

static bool read_functions(loader *l, gcn_disassemble disassemble) {
  const hsa_object *o = l->image->object;
  for (uint32_t k = 0; k < o->n_symbols; k++) {
    const hsa_symbol *s = &o->symbols[k];
    if (s->is_function && !read_function(l, s->offset, s->offset + s->size, disassemble))
      return false;
  }
  for (uint32_t k = 0; k < o->n_kernels; k++) /* whose symbol has no size, or is not there */
    if (!read_function(l, o->kernels[k].descriptor.code, o->image_bytes, disassemble)) return false;
  return true;
}

/* Branches say how many words they go, from the next instruction on. */
static void find_targets(gcn_image *image) {
  for (uint32_t k = 0; k < image->n_insns; k++) {
    gcn_insn *i = &image->insns[k];
    if (!i->row || i->row->run != gcn_run_branch) continue;
    uint64_t to = i->at + i->bytes + 4 * (uint64_t)(int64_t)(int16_t)i->operands[0].bits;
    if (to % 4 == 0 && to < image->object->image_bytes && image->index[to / 4])
      i->target = image->index[to / 4] - 1;
  }
}

/* ---- loops of comparing and swapping ----------------------------------------------------------
 */

static bool writes_vector(const gcn_insn *i, const gcn_operand *x) {
  for (unsigned k = 0; i->pair && k < 2; k++)
    if (writes_vector(&i->pair[k], x)) return true;
  const char *s = i->row->signature, *end = strchr(s, '=');
  unsigned results = end ? (unsigned)(end - s) - (*s == '+') : 0;
  for (unsigned k = 0; k < results && k < i->n_operands; k++) {
    const gcn_operand *o = &i->operands[k];
    if (o->kind == GCN_VECTOR && o->first < x->first + x->count && x->first < o->first + o->count)
      return true;
  }
  return false;
}

/* The registers with what a compare-and-swap of memory compares with; false: it is none. */
static bool compared_by(const gcn_insn *i, gcn_operand *out) {
  if (!i->row || i->row->kind != GCN_COMPARE_SWAP) return false;
  bool buffer = i->row->run == gcn_run_buffer_atomic;
  if (!buffer && i->row->run != gcn_run_global_atomic && i->row->run != gcn_run_flat_atomic)
    return false;
  unsigned words = i->row->bytes / 4u;
  *out = i->operands[buffer ? 0 : i->flags & GCN_RETURNS ? 2 : 1];
  out->first = (uint16_t)(out->first + words);
  out->count = (uint8_t)words;
  return out->kind == GCN_VECTOR;
}

static bool is_load_of(const gcn_insn *i, const gcn_operand *x) {
  bool loads = i->row->run == gcn_run_global_load || i->row->run == gcn_run_flat_load ||
               i->row->run == gcn_run_buffer_load;
  return loads && i->operands[0].first == x->first && i->operands[0].count == x->count;
}

/* Compilers begin such a loop with a plain load: what it gives is used only if it is still there.
 */
static void find_verified(gcn_image *image) {
  enum { MOST_BACK = 256 };
  for (uint32_t k = 0; k < image->n_insns; k++) {
    gcn_operand compared;
    if (!compared_by(&image->insns[k], &compared)) continue;
    for (uint32_t back = 1; back <= MIN(k, (uint32_t)MOST_BACK); back++) {
      gcn_insn *i = &image->insns[k - back];
      if (!i->row) break;
      if (!writes_vector(i, &compared)) continue;
      if (is_load_of(i, &compared)) i->flags |= GCN_VERIFIED;
      break;
    }
  }
}

/* ---- entries ----------------------------------------------------------------------------------
 */

static void make_entries(arena *a, gcn_image *image) {
  const hsa_object *o = image->object;
  image->entries = arena_array(a, emu_entry, o->n_kernels);
  for (uint32_t n = 0; n < o->n_kernels; n++) {
    const hsa_kernel *k = &o->kernels[n];
    const hsa_kernel_metadata *m = k->about;
    emu_entry *e = &image->entries[n];
    *e = (emu_entry){.name = arena_printf(a, STR_FMT, (int)MIN(m->name.len, 4096), m->name.data),
                     .code = k,
                     .lanes = gpu_lanes(o->gpu),
                     .param_bytes = m->argument_bytes,
                     .shared_bytes = k->descriptor.shared_bytes};
    memcpy(e->required_threads, m->required_threads, sizeof e->required_threads);
    for (unsigned d = 0; d < 3 && m->max_threads; d++) e->max_threads[d] = d ? 1 : m->max_threads;
    image->longest_scratch = MAX(image->longest_scratch, k->descriptor.scratch_bytes);
  }
}

/* ---- loading -------------------------------------------------------------------------------- */

enum { MOST_SCRATCH = 1 << 18 }; /* bytes of a lane; processors have half as much */

static bool can_run(tsr_context *ctx, const hsa_object *o) {
  for (uint32_t k = 0; k < o->n_kernels; k++)
    if (o->kernels[k].descriptor.scratch_bytes > MOST_SCRATCH) {
      diag_error(
          ctx, ((place){.file = o->name}),
          "a kernel asks for %u bytes of scratch memory for each lane; at most %d can be had",
          o->kernels[k].descriptor.scratch_bytes, MOST_SCRATCH);
      return false;
    }
  bool narrow = gpu_lanes(o->gpu) == 32;
  for (uint32_t k = 0; k < o->n_kernels; k++)
    if (narrow && !(o->kernels[k].descriptor.properties & HSA_WAVE32)) {
      diag_error(
          ctx, ((place){.file = o->name}),
          "a kernel for %s asks for waves of 64 lanes, of which the emulator has 32; compile "
          "it with -mno-wavefrontsize64",
          o->gpu->name);
      return false;
    }
  return true;
}

static bool place_image(gcn_image *image) {
  const hsa_object *o = image->object;
  image->address = emu_alloc(image->program.device, o->image_bytes + 4, NULL);
  if (!image->address) return false;
  emu_allocation *a = emu_find(image->program.device, image->address);
  a->name = "the code object";
  memcpy(a->host, o->image, o->image_bytes);
  hsa_relocate(o, image->address, a->host);
  return true;
}

static gcn_generation generation_of(const gpu_target *gpu) {
  if (gpu_can(gpu, GPU_WMMA_SPLIT)) return GCN_RDNA4;
  return gpu_can(gpu, GPU_WMMA) ? GCN_RDNA3 : GCN_CDNA;
}

gcn_image *gcn_image_load(tsr_context *ctx, arena *a, emu_device *d, const hsa_object *o,
                          gcn_disassemble disassemble) {
  if (!can_run(ctx, o)) return NULL;
  gcn_image *image = arena_alloc_zero(a, sizeof *image, _Alignof(gcn_image));
  image->program = (emu_program){.isa = &gcn_isa, .device = d, .ctx = ctx, .module = image};
  image->object = o;
  image->generation = generation_of(o->gpu);
  image->index = arena_alloc_zero(a, (o->image_bytes / 4 + 1) * sizeof *image->index, 8);
  loader l = {.ctx = ctx, .arena = a, .image = image, .listing = SBUF(a)};
  if (!read_functions(&l, disassemble)) return NULL;
  image->insns = l.insns.data;
  image->n_insns = l.insns.len;
  str text = {l.listing.data, l.listing.len};
  image->listing = (source){.name = o->name, .text = text, .lines = source_index(a, text)};
  find_targets(image);
  find_verified(image);
  make_entries(a, image);
  if (place_image(image)) return image;
  diag_error(ctx, NOWHERE, "there is no memory for the code object");
  return NULL;
}

void gcn_image_unload(gcn_image *image) {
  if (image) emu_free(image->program.device, image->address);
}

/* ---- launches ------------------------------------------------------------------------------- */

/* What the compiler asks to be told behind a kernel's own arguments. */
static uint64_t hidden_value(str kind, const emu_launch_options *o) {
  static const char axes[] = "xyz";
  char name[32];
  for (unsigned k = 0; k < 3; k++) {
    snprintf(name, sizeof name, "hidden_block_count_%c", axes[k]);
    if (str_eq(kind, str_of(name))) return o->grid[k];
    snprintf(name, sizeof name, "hidden_group_size_%c", axes[k]);
    if (str_eq(kind, str_of(name))) return o->block[k];
  }
  if (str_eq(kind, str_of("hidden_grid_dims")))
    return o->grid[2] * o->block[2] > 1 ? 3 : o->grid[1] * o->block[1] > 1 ? 2 : 1;
  return str_eq(kind, str_of("hidden_dynamic_lds_size")) ? o->dynamic_shared : 0;
}

static void put_hidden(const hsa_kernel *k, const emu_launch_options *o, uint8_t *params) {
  const hsa_kernel_metadata *m = k->about;
  for (uint32_t n = 0; n < m->n_arguments; n++) {
    const hsa_argument *x = &m->arguments[n];
    if (x->kind.len < 7 || memcmp(x->kind.data, "hidden_", 7) != 0) continue;
    uint64_t value = hidden_value(x->kind, o);
    if (x->offset <= m->argument_bytes && x->size <= m->argument_bytes - x->offset)
      memcpy(params + x->offset, &value, MIN(x->size, 8u));
  }
}

tsr_status gcn_image_run(const gcn_image *image, const hsa_kernel *k, const emu_launch_options *o,
                         emu_fault *fault) {
  const emu_entry *entry = &image->entries[k - image->object->kernels];
  tsr_context *ctx = image->program.ctx;
  size_t size = (size_t)entry->param_bytes + 8;
  uint8_t *params = ctx_try_alloc(ctx, size);
  if (!params) return TSR_ERROR_MEMORY;
  memset(params, 0, size);
  if (o->params) memcpy(params, o->params, entry->param_bytes);
  put_hidden(k, o, params);
  emu_launch_options given = *o;
  given.params = params;
  tsr_status status = emu_run(&image->program, entry, &given, fault);
  ctx_free(ctx, params, size);
  return status;
}
