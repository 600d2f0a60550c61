/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * docs/unsupported.md: what engines refuse, found by trying. Every operation's example, and its
 * example with other element types, becomes a kernel that loads its operands and stores its
 * results; each engine prepares or compiles it. What is printed is the page:
 *
 *   test_unsupported page     prints it, for scripts/docs
 *   test_unsupported          compares it with the file
 */
#include <stdio.h>

#include "examples.h"

#include <tessera/tessera.h>

#include "exec/block.h"
#include "target/gpu.h"
#include "unsupported_block.h"
#include "unsupported_kernel.h"

#define PAGE "docs/unsupported.md"

/* ---- kernels -------------------------------------------------------------------------------- */

/* One use of an operation: values of these names and types, and what stands around it. */
typedef struct use {
  op_code code;
  const char *arguments, *before, *example, *after;
} use;

typedef struct finder {
  op_code code;
  const ir_op *op;
} finder;

static bool find_op(void *user, ir_op *op) {
  finder *f = user;
  if ((op_code)op->opcode == f->code) f->op = op;
  return true;
}

static const char *body_of(arena *a, const use *u) {
  return arena_printf(a, "%s %s %s\n", u->before ? u->before : "", u->example,
                      u->after ? u->after : "");
}

/* The operation's results, by the names that its example gives them. */
static bool store_results(kernel_text *k, tsr_context *ctx, const use *u) {
  char *text = in_kernel(u->arguments, body_of(k->a, u));
  tsr_module *m = read_text(ctx, text, 0);
  free(text);
  if (!m) return false;
  finder f = {.code = u->code};
  ir_walk(m->op, find_op, &f);
  const char *name = u->example;
  for (uint32_t i = 0; f.op && *name == '%' && i < f.op->n_results; i++) {
    size_t length = strcspn(name, " ,=:");
    bool several = name[length] == ':'; /* %s:2 is %s#0 and %s#1 */
    const char *one = arena_printf(k->a, "%.*s", (int)length, name);
    store_result(k, several ? arena_printf(k->a, "%s#%u", one, i) : one, one, i,
                 ir_type_text(k->a, ir_result(f.op, i)->type));
    if (several) continue;
    name += length;
    name += strspn(name, ", ");
  }
  tsr_module_destroy(m);
  return f.op != NULL;
}

/* A module with one kernel, or NULL when the language has no such use. */
static tsr_module *module_of(tsr_context *ctx, arena *a, const use *u) {
  kernel_text k = {.a = a, .parameters = SBUF(a), .before = SBUF(a), .after = SBUF(a)};
  for (const char *p = u->arguments; *p;) {
    size_t name = strcspn(p, ":"), type = until(p + name + 2, ",");
    add_value(&k, arena_printf(a, "%.*s", (int)name, p),
              arena_printf(a, "%.*s", (int)type, p + name + 2));
    p += name + 2 + type;
    p += strspn(p, ", ");
  }
  if (!store_results(&k, ctx, u)) return NULL;
  const char *text = arena_printf(a,
                                  "cuda_tile.module @m {\n"
                                  "global @lock <i32: [0]> : tile<1xi32>\n"
                                  "entry @k(%.*s) {\n%.*s%s%.*sreturn\n}\n}\n",
                                  (int)k.parameters.len, k.parameters.data, (int)k.before.len,
                                  k.before.data, body_of(a, u), (int)k.after.len, k.after.data);
  said.n = 0;
  tsr_module *m = tsr_module_parse(ctx, text, strlen(text), "t.mlir", 0);
  return m;
}

/* ---- engines -------------------------------------------------------------------------------- */

typedef enum verdict { REFUSED, COMPILED, BY_RUNTIME } verdict;

static verdict try_interp(tsr_context *ctx, tsr_module *m, const char *name) {
  tsr_device *d = tsr_device_open(ctx, name, NULL);
  tsr_program *p = d ? tsr_program_create(d, m) : NULL;
  bool done = p && tsr_kernel_get(p, "k");
  if (p) tsr_program_destroy(p);
  if (d) tsr_device_close(d);
  return done ? COMPILED : REFUSED;
}

/* Compiled code that calls the runtime for element-wise operations reads this hook. */
static verdict try_cpu(tsr_context *ctx, tsr_module *m, const char *name) {
  char hook[64];
  snprintf(hook, sizeof hook, "ptr %%hooks, i64 %zu\n", offsetof(rt_hooks, elementwise));
  char *text = tsr_module_emit(m, TSR_EMIT_LLVM, name, NULL);
  verdict v = !text ? REFUSED : strstr(text, hook) ? BY_RUNTIME : COMPILED;
  tsr_string_free(ctx, text);
  return v;
}

static verdict try_emit(tsr_context *ctx, tsr_module *m, tsr_gpu_emit kind, const char *name) {
  char *text = tsr_module_emit_gpu(m, kind, name, NULL, NULL);
  verdict v = text ? COMPILED : REFUSED;
  tsr_string_free(ctx, text);
  return v;
}

static verdict try_gpu(tsr_context *ctx, tsr_module *m, const char *name) {
  return try_emit(ctx, m, TSR_GPU_PTX, name);
}

/* What is refused is known before LLVM makes code. */
static verdict try_amd(tsr_context *ctx, tsr_module *m, const char *name) {
  return try_emit(ctx, m, TSR_GPU_LLVM, name);
}

typedef struct engine {
  const char *name;
  verdict (*attempt)(tsr_context *ctx, tsr_module *m, const char *name);
  bool all_types; /* others are tried on the examples only */
} engine;

/* The index-th of NVIDIA's targets, and of AMD's the emulated one: nothing that is refused depends
 * on which it is. */
static const gpu_target *tried_target(size_t index) {
  const gpu_target *t;
  for (size_t i = 0; (t = gpu_target_at(i)); i++) {
    bool is_tried = t->vendor == GPU_NVIDIA || t->lists & GPU_EMULATED;
    if (is_tried && index-- == 0) return t;
  }
  return NULL;
}

/* The index-th; false when there are no more. GPUs are tried with all types where a form of matrix
 * products begins: the first, those with instructions of several warps, and AMD's. */
static bool engine_at(unsigned index, engine *out) {
  static const engine first[] = {{"interp", try_interp, true},
                                 {"baseline", try_cpu, true},
                                 {"avx2", try_cpu, false},
                                 {"avx512", try_cpu, true},
                                 {"aarch64", try_cpu, false}};
  if (index < ARRAY_LEN(first)) {
    *out = first[index];
    return true;
  }
  const gpu_target *t = tried_target(index - ARRAY_LEN(first));
  if (!t) return false;
  bool is_amd = t->vendor == GPU_AMD;
  *out = (engine){t->name, is_amd ? try_amd : try_gpu,
                  is_amd || t == gpu_target_at(0) || gpu_can(t, GPU_WGMMA)};
  return true;
}

/* ---- operations and element types ------------------------------------------------------------ */

/* For which element types, a bit for each, CPUs leave an operation to the runtime. */
typedef struct slow_use {
  const char *how;           /* with which modifier; "": as in the example */
  uint64_t always, baseline; /* with every, with some instruction set */
} slow_use;

typedef struct page {
  tsr_context *ctx;
  arena *arena;
  sbuf refused, by_runtime;
  VEC(slow_use) slow; /* of the operation in hand */
  unsigned operations, kernels;
} page;

static slow_use *slow_of(page *p, const char *how) {
  for (uint32_t i = 0; i < p->slow.len; i++)
    if (strcmp(p->slow.data[i].how, how) == 0) return &p->slow.data[i];
  vec_push(p->arena, p->slow, ((slow_use){.how = arena_printf(p->arena, "%s", how)}));
  return &p->slow.data[p->slow.len - 1];
}

static void attempt_all(page *p, tsr_module *m, op_code code, tsr_elem elem, const char *how,
                        bool example) {
  bool slow = false, fast = false; /* with some of a CPU's instruction sets */
  engine of;
  for (unsigned i = 0; engine_at(i, &of); i++) {
    const engine *e = &of;
    if (!e->all_types && !example) continue;
    said.n = 0;
    verdict v = e->attempt(p->ctx, m, e->name);
    if (v == REFUSED)
      sbuf_printf(&p->refused, "| `%s` | %s %s | %s | %s |\n", op_table[code].name,
                  tsr_elem_name(elem), how, e->name, said.n ? said.v[0].text : "");
    slow |= v == BY_RUNTIME;
    fast |= v == COMPILED && e->attempt == try_cpu;
  }
  p->kernels++;
  if (!slow) return;
  slow_use *s = slow_of(p, how);
  *(fast ? &s->baseline : &s->always) |= UINT64_C(1) << elem;
}

static void put_types(sbuf *b, uint64_t types) {
  for (unsigned elem = 0; elem < TSR_ELEM_COUNT; elem++)
    if (types >> elem & 1) sbuf_printf(b, " %s", tsr_elem_name((tsr_elem)elem));
}

/* Uses that agree share a row. */
static void put_slow(page *p, op_code code) {
  for (uint32_t i = 0; i < p->slow.len; i++) {
    slow_use s = p->slow.data[i];
    if (!(s.always | s.baseline)) continue;
    sbuf_printf(&p->by_runtime, "| `%s` |", op_table[code].name);
    for (uint32_t k = i; k < p->slow.len; k++) {
      slow_use *t = &p->slow.data[k];
      if (t->always != s.always || t->baseline != s.baseline) continue;
      sbuf_printf(&p->by_runtime, *t->how ? " `%s`" : "%s", t->how);
      t->always = t->baseline = 0;
    }
    sbuf_puts(&p->by_runtime, " |");
    put_types(&p->by_runtime, s.always);
    sbuf_puts(&p->by_runtime, " |");
    put_types(&p->by_runtime, s.baseline);
    sbuf_puts(&p->by_runtime, " |\n");
  }
  p->slow.len = 0;
}

/* `text` with the word `from` replaced by `to`. */
static const char *replace(arena *a, const char *text, const char *from, const char *to) {
  sbuf b = SBUF(a);
  size_t n = strlen(from);
  for (const char *p = text; *p; p++) {
    bool begins = p == text || !strchr("abcdefghijklmnopqrstuvwxyz_%0123456789", p[-1]) ||
                  (p[-1] == 'x' && p - text > 1 && p[-2] >= '0' && p[-2] <= '9');
    if (begins && strncmp(p, from, n) == 0 && !strchr("0123456789EM", p[n] ? p[n] : ' ')) {
      sbuf_puts(&b, to);
      p += n - 1;
    } else {
      sbuf_putc(&b, *p);
    }
  }
  return arena_printf(a, "%.*s", (int)b.len, b.data);
}

static use example_of(op_code code) {
  const op_row *row = &op_table[code];
  const surroundings *s = find_surroundings(code);
  use u = {.code = code,
           .example = row->example,
           .arguments = s ? s->arguments : "",
           .before = s ? s->before : NULL,
           .after = s ? s->after : NULL};
  if (!s && row->group == GROUP_FLOAT)
    u.arguments = "%x: tile<8xf32>, %y: tile<8xf32>, %z: tile<8xf32>";
  if (!s && (row->group == GROUP_INTEGER || row->group == GROUP_BITWISE))
    u.arguments = "%x: tile<8xi32>, %y: tile<8xi32>";
  return u;
}

/* The element type of the example's first tile; NULL when it has none. */
static const char *main_type(arena *a, const use *u) {
  const char *shape, *elem, *tile = strstr(u->arguments, "tile<");
  if (!tile) return NULL;
  take_apart(a, tile, &shape, &elem);
  return strncmp(elem, "ptr<", 4) == 0 ? arena_printf(a, "%.*s", (int)strlen(elem) - 5, elem + 4)
                                       : elem;
}

static void attempt_type(page *p, arena *a, const use *u, const char *from, tsr_elem to,
                         const char *how) {
  use v = *u;
  v.arguments = replace(a, u->arguments, from, tsr_elem_name(to));
  v.example = replace(a, u->example, from, tsr_elem_name(to));
  tsr_module *m = module_of(p->ctx, a, &v);
  if (!m) return;
  attempt_all(p, m, u->code, to, how, false);
  tsr_module_destroy(m);
}

static void attempt_types(page *p, arena *a, const use *u, const char *from, const char *how) {
  for (unsigned elem = 0; elem < TSR_PTR; elem++)
    if (*how || strcmp(from, tsr_elem_name((tsr_elem)elem)) != 0)
      attempt_type(p, a, u, from, (tsr_elem)elem, how);
}

/* The accumulators of products have a type of their own. */
static void attempt_products(page *p, arena *a, const use *u) {
  for (unsigned elem = 0; elem < TSR_PTR; elem++) {
    const char *name = tsr_elem_name((tsr_elem)elem);
    use v = *u;
    v.arguments = replace(a, replace(a, u->arguments, "f16", "ELEM"), "f32", name);
    v.example = replace(a, replace(a, u->example, "f16", "ELEM"), "f32", name);
    attempt_types(p, a, &v, "ELEM", arena_printf(a, "to %s", name));
  }
}

/* So have the results of conversions. */
static void attempt_conversions(page *p, arena *a, const use *u, const char *from) {
  const char *arrow = strstr(u->example, "-> "), *shape, *elem;
  take_apart(a, arrow + 3, &shape, &elem);
  if (strncmp(elem, "ptr<", 4) == 0) return;
  for (unsigned to = 0; to < TSR_PTR; to++) {
    use v = *u;
    v.example = arena_printf(a, "%.*s-> tile<%s%s%s>", (int)(arrow - u->example), u->example, shape,
                             *shape ? "x" : "", tsr_elem_name((tsr_elem)to));
    attempt_types(p, a, &v, from, arena_printf(a, "to %s", tsr_elem_name((tsr_elem)to)));
  }
}

/* Where an example's rounding mode and flags begin, or would. */
static const char *modifiers_in(const use *u) {
  const char *end = strstr(u->example, " : ");
  const char *rounding = strstr(u->example, " rounding<");
  const char *flush = strstr(u->example, " flush_to_zero");
  if (flush && flush < end) end = flush;
  return rounding && rounding < end ? rounding : end;
}

/* With each rounding mode, and with subnormal numbers flushed, in place of the example's. */
static void attempt_modifiers(page *p, arena *a, const use *u, const char *from) {
#define X(enumerator, value, spelling, meaning) "rounding<" spelling ">",
  static const char *const modifiers[] = {ENUM_ROUNDING(X) "flush_to_zero"};
#undef X
  if (op_table[u->code].operands[0].constraint != TC_BASEFLOAT) return;
  const char *end = modifiers_in(u), *colon = strstr(u->example, " : ");
  for (unsigned i = 0; i < ARRAY_LEN(modifiers); i++) {
    use v = *u;
    v.example =
        arena_printf(a, "%.*s %s%s", (int)(end - u->example), u->example, modifiers[i], colon);
    attempt_types(p, a, &v, from, modifiers[i]);
  }
}

/* With each of the operations that an atomic access may be. */
static void attempt_modes(page *p, arena *a, const use *u, const char *from) {
#define X(enumerator, value, spelling, meaning) spelling,
  static const char *const modes[] = {ENUM_RMW(X)};
#undef X
  for (unsigned i = 0; i < ARRAY_LEN(modes); i++) {
    use v = *u;
    v.example = replace(a, u->example, "add", modes[i]);
    attempt_types(p, a, &v, from, modes[i]);
  }
}

/* What the example says between operands and types. */
static const char *example_how(arena *a, const use *u) {
  if (op_table[u->code].operands[0].constraint != TC_BASEFLOAT) return "";
  const char *from = modifiers_in(u), *to = strstr(u->example, " : ");
  return from == to ? "" : arena_printf(a, "%.*s", (int)(to - from) - 1, from + 1);
}

static void attempt_variants(page *p, arena *a, const use *u) {
  const char *from = main_type(a, u);
  if (!from) return;
  attempt_types(p, a, u, from, example_how(a, u));
  if (u->code == OP_atomic_rmw_tko || u->code == OP_atomic_red_view_tko)
    attempt_modes(p, a, u, from);
  if (u->code == OP_mmaf) attempt_products(p, a, u);
  if (op_table[u->code].group == GROUP_CONVERSION) attempt_conversions(p, a, u, from);
  attempt_modifiers(p, a, u, from);
}

static tsr_elem elem_named(const char *name) {
  return name ? tsr_elem_from_name(name, strlen(name)) : TSR_ELEM_COUNT;
}

static void attempt_operation(page *p, op_code code) {
  arena memory;
  arena_init(&memory, p->ctx);
  use u = example_of(code);
  tsr_module *m = module_of(p->ctx, &memory, &u);
  if (!m) {
    show_messages(u.example);
    fail_msg("the example of '%s' makes no kernel", op_table[code].name);
  }
  attempt_all(p, m, code, elem_named(main_type(&memory, &u)), example_how(&memory, &u), true);
  tsr_module_destroy(m);
  attempt_variants(p, &memory, &u);
  put_slow(p, code);
  p->operations++;
  arena_free(&memory);
}

/* What every kernel has around it. */
static bool is_structure(op_code code) {
  return code == OP_module || code == OP_entry || code == OP_global || code == OP_return;
}

static void put_operations(page *p, sbuf *out) {
  engine e;
  for (unsigned code = 1; code < OP_COUNT; code++)
    if (!is_structure((op_code)code)) attempt_operation(p, (op_code)code);
  sbuf_printf(
      out,
      "## Operations\n\n"
      "%u operations were tried, as their examples in [ops.md](ops.md) and with every other "
      "element type, rounding mode and result type that the language allows: %u kernels. "
      "The examples were compiled for every engine (interp",
      p->operations, p->kernels);
  for (unsigned i = 1; engine_at(i, &e); i++) sbuf_printf(out, ", %s", e.name);
  sbuf_puts(out, "), the others for");
  for (unsigned i = 0, n = 0; engine_at(i, &e); i++)
    if (e.all_types) sbuf_printf(out, "%s %s", n++ ? "," : "", e.name);
  if (p->refused.len)
    sbuf_printf(out,
                ". Refused are\n\n| operation | elements | engine | message |\n|---|---|---|---|\n"
                "%.*s\n",
                (int)p->refused.len, p->refused.data);
  else
    sbuf_puts(out, ". **None is refused.**\n\n");
  sbuf_printf(out,
              "### Slow on CPUs\n\n"
              "These are exact, but compiled code leaves them to the runtime, which computes one "
              "element at a time. The last column has what is slow with SSE2 only.\n\n"
              "| operation | with | elements | with SSE2 |\n|---|---|---|---|\n%.*s\n",
              (int)p->by_runtime.len, p->by_runtime.data);
}

/* ---- matrix products ------------------------------------------------------------------------ */

/* What the plan says of the product: "mma.sync.m16n8k16"; NULL: multiply-adds. */
static const char *instruction_in(arena *a, const char *layouts) {
  const char *by = strstr(layouts, "\n    by ");
  if (!by || strncmp(by + 8, "multiply", 8) == 0) return NULL;
  return arena_printf(a, "%.*s", (int)strcspn(by + 8, ",\n"), by + 8);
}

static void put_product(page *p, arena *a, sbuf *out, const use *u, const char *name) {
  tsr_module *m = module_of(p->ctx, a, u);
  if (!m) return;
  sbuf_printf(out, "| %s |", name);
  for (size_t i = 0; tsr_gpu_target_name(i); i++) {
    char *text = tsr_module_emit_gpu(m, TSR_GPU_LAYOUTS, tsr_gpu_target_name(i), NULL, NULL);
    const char *by = text ? instruction_in(a, text) : "refused";
    sbuf_printf(out, " %s |", by ? by : "-");
    tsr_string_free(p->ctx, text);
  }
  sbuf_puts(out, "\n");
  tsr_module_destroy(m);
}

static use scaled_product(arena *a, const char *elem) {
  return (use){
      .code = OP_mmaf_scaled,
      .arguments = arena_printf(a,
                                "%%a: tile<64x64x%s>, %%b: tile<64x64x%s>, %%c: tile<64x64xf32>, "
                                "%%x: tile<64x2xf8E8M0FNU>, %%y: tile<2x64xf8E8M0FNU>",
                                elem, elem),
      .example = arena_printf(a,
                              "%%d = mmaf_scaled %%a, %%b, %%c, %%x, %%y : tile<64x64x%s>, "
                              "tile<64x64x%s>, tile<64x64xf32>, tile<64x2xf8E8M0FNU>, "
                              "tile<2x64xf8E8M0FNU>",
                              elem, elem)};
}

static use plain_product(arena *a, const char *name, const char *flags, const char *elem,
                         const char *acc) {
  return (use){.code = *flags ? OP_mmai : OP_mmaf,
               .arguments =
                   arena_printf(a, "%%a: tile<64x64x%s>, %%b: tile<64x64x%s>, %%c: tile<64x64x%s>",
                                elem, elem, acc),
               .example = arena_printf(a,
                                       "%%d = %s %%a, %%b, %%c%s : tile<64x64x%s>, tile<64x64x%s>, "
                                       "tile<64x64x%s>",
                                       name, flags, elem, elem, acc)};
}

static void put_plain_products(page *p, arena *a, sbuf *out, tsr_elem elem) {
  const char *name = tsr_elem_name(elem);
  for (unsigned i = 0; i < TSR_PTR; i++) {
    const char *acc = tsr_elem_name((tsr_elem)i);
    use u = elem < TSR_F16 ? plain_product(a, "mmai", " signed signed", name, acc)
                           : plain_product(a, "mmaf", "", name, acc);
    put_product(p, a, out, &u, arena_printf(a, "%s, %s", name, acc));
  }
}

static void put_targets(sbuf *out, const char *cell) {
  for (size_t i = 0; tsr_gpu_target_name(i); i++)
    sbuf_printf(out, "%s|", cell ? cell : arena_printf(out->arena, " %s ", tsr_gpu_target_name(i)));
  sbuf_puts(out, "\n");
}

static void put_products(page *p, arena *a, sbuf *out) {
  sbuf_puts(out, "## Matrix products without tensor cores\n\n"
                 "Which instruction multiplies tiles of 64 x 64 x 64 on each target; `-` means "
                 "multiply-adds.\n\n| operands, accumulator |");
  put_targets(out, NULL);
  sbuf_puts(out, "|---|");
  put_targets(out, "---");
  for (unsigned elem = 0; elem < TSR_PTR; elem++) put_plain_products(p, a, out, (tsr_elem)elem);
  for (unsigned elem = 0; elem < TSR_PTR; elem++) {
    const char *name = tsr_elem_name((tsr_elem)elem);
    use u = scaled_product(a, name);
    put_product(p, a, out, &u, arena_printf(a, "%s, scaled by f8E8M0FNU", name));
  }
  sbuf_puts(out, "\n");
}

/* ---- sizes ---------------------------------------------------------------------------------- */

static bool fits(page *p, arena *a, const use *u, const engine *e) {
  tsr_module *m = module_of(p->ctx, a, u);
  bool fit = m && e->attempt(p->ctx, m, e->name) != REFUSED;
  if (m) tsr_module_destroy(m);
  return fit;
}

static use sum_of_tile(arena *a, unsigned n) {
  return (use){.code = OP_addf,
               .arguments = arena_printf(a, "%%x: tile<%uxf32>", n),
               .example = arena_printf(a, "%%r = addf %%x, %%x : tile<%uxf32>", n)};
}

static use allocation_of(arena *a, unsigned n) {
  return (use){
      .code = OP_alloca,
      .arguments = "",
      .example = arena_printf(a, "%%r = alloca num_elem = %u, alignment = 16 : tile<ptr<i8>>", n)};
}

/* A reduction of n operands at once. */
static use reduction_of(arena *a, unsigned n) {
  sbuf values = SBUF(a), types = SBUF(a), scalars = SBUF(a), zeros = SBUF(a), arguments = SBUF(a),
       body = SBUF(a), results = SBUF(a), yielded = SBUF(a);
  for (unsigned i = 0; i < n; i++) {
    const char *comma = i ? ", " : "";
    sbuf_printf(&values, "%s%%x", comma);
    sbuf_printf(&types, "%stile<8xf32>", comma);
    sbuf_printf(&scalars, "%stile<f32>", comma);
    sbuf_printf(&zeros, "%s0.0 : f32", comma);
    sbuf_printf(&arguments, "%s%%l%u: tile<f32>, %%r%u: tile<f32>", comma, i, i);
    sbuf_printf(&body, "%%s%u = addf %%l%u, %%r%u : tile<f32>\n", i, i, i);
    sbuf_printf(&results, "%s%%y%u", comma, i);
    sbuf_printf(&yielded, "%s%%s%u", comma, i);
  }
#define TEXT(b) (int)b.len, b.data
  return (use){.code = OP_reduce,
               .arguments = "%x: tile<8xf32>",
               .example = arena_printf(a,
                                       "%.*s = reduce %.*s dim=0 identities=[%.*s] : %.*s -> %.*s "
                                       "(%.*s) { %.*s yield %.*s : %.*s }",
                                       TEXT(results), TEXT(values), TEXT(zeros), TEXT(types),
                                       TEXT(scalars), TEXT(arguments), TEXT(body), TEXT(yielded),
                                       TEXT(scalars))};
}

typedef use (*use_of)(arena *a, unsigned n);

static bool takes(page *p, use_of make, const engine *e, unsigned n) {
  arena memory;
  arena_init(&memory, p->ctx);
  use u = make(&memory, n);
  bool fit = fits(p, &memory, &u, e);
  arena_free(&memory);
  return fit;
}

/* How large it may be, up to `high`; powers of two only, or any. */
static void put_limit(page *p, sbuf *out, const engine *e, use_of make, unsigned low, unsigned high,
                      bool powers) {
  unsigned best = low, bad = 2 * high;
  while (best < high && bad == 2 * high)
    if (takes(p, make, e, 2 * best))
      best *= 2;
    else
      bad = 2 * best;
  while (!powers && best < high && bad - best > 1) {
    unsigned middle = best + (bad - best) / 2;
    *(takes(p, make, e, middle) ? &best : &bad) = middle;
  }
  sbuf_printf(out, best < high ? " %u |" : " %u and more |", best);
}

static void put_sizes(page *p, sbuf *out) {
  sbuf_printf(
      out,
      "## Sizes\n\n"
      "The language's own limits, which the verifier holds: rank %u, %u elements in a tile. "
      "Within these, engines take\n\n"
      "| engine | elements of a tile of f32 that is loaded and stored | operands of one "
      "reduce | bytes of an alloca |\n|---|---|---|---|\n",
      IR_MAX_RANK, IR_MAX_TILE);
  engine of;
  for (unsigned i = 0; engine_at(i, &of); i++) {
    const engine *e = &of;
    if (!e->all_types) continue;
    sbuf_printf(out, "| %s |", e->name);
    put_limit(p, out, e, sum_of_tile, 1 << 16, 1 << 21, true);
    put_limit(p, out, e, reduction_of, 8, 64, false);
    put_limit(p, out, e, allocation_of, 1024, 1 << 20, false);
    sbuf_puts(out, "\n");
  }
  sbuf_puts(out, "\nA GPU also refuses a tile that must change its distribution over threads and "
                 "does not fit shared memory.\n\n");
}

/* ---- architectures and checks --------------------------------------------------------------- */

static const char *target_like(arena *a, const char *name) {
  for (size_t i = 0; tsr_gpu_target_name(i); i++) {
    const char *t = tsr_gpu_target_name(i);
    size_t n = strlen(name);
    if (strncmp(t, name, n) == 0 && strcmp(t[n] == 'a' ? "a" : "", t + n) == 0)
      return arena_printf(a, "`%s`", t);
  }
  return "no";
}

static const char *card_like(page *p, arena *a, const char *name) {
  static const char *const ends[] = {"", "a"};
  sbuf b = SBUF(a);
  for (unsigned i = 0; i < ARRAY_LEN(ends); i++) {
    const char *card = arena_printf(a, "emu:%s%s", name, ends[i]);
    tsr_device *d = tsr_device_open(p->ctx, card, NULL);
    if (d) sbuf_printf(&b, "%s`%s`", b.len ? ", " : "", card);
    tsr_device_close(d);
  }
  return b.len ? arena_printf(a, "%.*s", (int)b.len, b.data) : "no";
}

static bool takes_hint(page *p, arena *a, const char *name) {
  const char *text = arena_printf(a,
                                  "cuda_tile.module @m {\n"
                                  "entry @k() optimization_hints=<%s = {occupancy = 1}> {\n"
                                  "return\n}\n}\n",
                                  name);
  tsr_module *m = tsr_module_parse(p->ctx, text, strlen(text), "t.mlir", TSR_PARSE_HINTS_ERROR);
  bool known = m != NULL;
  tsr_module_destroy(m);
  return known;
}

static void put_architectures(page *p, arena *a, sbuf *out) {
  const gpu_target *t;
  sbuf_puts(out,
            "## NVIDIA's architectures\n\n"
            "A card without a target of its own runs the code of the newest older target, "
            "unless that ends in `a`.\n\n"
            "| | hints in programs | code (`--target`) | emulated card |\n|---|---|---|---|\n");
  for (unsigned i = 0, last = 0; (t = gpu_row_at(i)); i++) {
    if (t->vendor != GPU_NVIDIA || t->sm == last) continue;
    last = t->sm;
    const char *name = arena_printf(a, "sm_%u", t->sm);
    sbuf_printf(out, "| %s | %s | %s | %s |\n", name, takes_hint(p, a, name) ? "yes" : "no",
                target_like(a, name), card_like(p, a, name));
  }
  sbuf_puts(out, "\n");
}

static bool can_check(page *p, const char *device, unsigned check) {
  tsr_device_options o = {.struct_size = sizeof o, .sanitize = check};
  tsr_device *d = tsr_device_open(p->ctx, device, &o);
  tsr_device_close(d);
  return d != NULL;
}

static void put_checks(page *p, sbuf *out) {
  static const char *const devices[] = {"interp", "cpu", "emu:sm_90a"};
  static const struct {
    const char *name;
    unsigned check;
  } checks[] = {{"bounds", TSR_SANITIZE_BOUNDS},
                {"assume", TSR_SANITIZE_ASSUME},
                {"init", TSR_SANITIZE_INIT},
                {"race", TSR_SANITIZE_RACE},
                {"arith", TSR_SANITIZE_ARITH}};
  sbuf_puts(out, "## Checks of programs (`--sanitize`)\n\n| device |");
  for (unsigned i = 0; i < ARRAY_LEN(checks); i++) sbuf_printf(out, " %s |", checks[i].name);
  sbuf_puts(out, "\n|---|---|---|---|---|---|\n");
  for (unsigned d = 0; d < ARRAY_LEN(devices); d++) {
    sbuf_printf(out, "| %s |", devices[d]);
    for (unsigned i = 0; i < ARRAY_LEN(checks); i++)
      sbuf_printf(out, " %s |", can_check(p, devices[d], checks[i].check) ? "yes" : "no");
    sbuf_puts(out, "\n");
  }
  sbuf_puts(out, "\nThe emulator checks the PTX that it executes instead "
                 "([ptx-checks.md](ptx-checks.md)).\n\n");
}

/* ---- extensions ----------------------------------------------------------------------------- */

/* A kernel that does one thing with a tile of a type, `$`. */
static const struct {
  const char *what, *body;
} extension_uses[] = {
    {"load, store, move, convert",
     "%t, %k = load_ptr_tko weak %p : tile<16xptr<$>> -> tile<16x$>, token\n"
     "%r = reshape %t : tile<16x$> -> tile<4x4x$>\n"
     "%s = permute %r [1, 0] : tile<4x4x$> -> tile<4x4x$>\n"
     "%u = reshape %s : tile<4x4x$> -> tile<16x$>\n"
     "%l = store_ptr_tko weak %p, %u : tile<16xptr<$>>, tile<16x$> -> token\n"},
    {"print", "%t, %k = load_ptr_tko weak %p : tile<16xptr<$>> -> tile<16x$>, token\n"
              "%l = print_tko \"%&\", %t : tile<16x$> -> token\n"},
    {"pack", "%t, %k = load_ptr_tko weak %p : tile<16xptr<$>> -> tile<16x$>, token\n"
             "%r = pack %t : tile<16x$> -> tile<@xi8>\n"
             "%l = print_tko \"%d\", %r : tile<@xi8> -> token\n"},
    {"unpack", "%r = iota : tile<@xi8>\n%t = unpack %r : tile<@xi8> -> tile<16x$>\n"
               "%l = store_ptr_tko weak %p, %t : tile<16xptr<$>>, tile<16x$> -> token\n"},
    {"ordered load", "%t, %k = load_ptr_tko relaxed device %p : tile<16xptr<$>> -> tile<16x$>, "
                     "token\n%l = store_ptr_tko weak %p, %t : tile<16xptr<$>>, tile<16x$> -> "
                     "token\n"},
};

static tsr_module *extension_module(page *p, arena *a, const char *body, tsr_elem elem) {
  sbuf text = SBUF(a);
  const char *name = tsr_elem_name(elem);
  sbuf_printf(&text,
              "cuda_tile.module @m {\nentry @k(%%x: tile<ptr<%s>>) {\n"
              "%%i = iota : tile<16xi32>\n%%f = reshape %%x : tile<ptr<%s>> -> tile<1xptr<%s>>\n"
              "%%b = broadcast %%f : tile<1xptr<%s>> -> tile<16xptr<%s>>\n"
              "%%p = offset %%b, %%i : tile<16xptr<%s>>, tile<16xi32> -> tile<16xptr<%s>>\n",
              name, name, name, name, name, name, name);
  for (const char *c = body; *c; c++)
    if (*c == '$')
      sbuf_puts(&text, name);
    else if (*c == '@')
      sbuf_printf(&text, "%u", 2 * tsr_elem_bits(elem));
    else if (*c == '&')
      sbuf_putc(&text, tsr_elem_is_float(elem) ? 'g' : 'd');
    else
      sbuf_putc(&text, *c);
  sbuf_puts(&text, "}\n}\n");
  return tsr_module_parse(p->ctx, text.data, text.len, "t.mlir", TSR_PARSE_EXTENSIONS);
}

/* Whether the engine refuses it. What the language refuses counts as refused by none. */
static bool refuses_extension(page *p, arena *a, const engine *e, const char *body, tsr_elem elem) {
  tsr_module *m = extension_module(p, a, body, elem);
  said.n = 0;
  bool refused = m && e->attempt(p->ctx, m, e->name) == REFUSED;
  tsr_module_destroy(m);
  return refused;
}

static uint64_t refused_extensions(page *p, arena *a, const engine *e, const char *body) {
  uint64_t refused = 0;
  for (unsigned elem = 0; elem < TSR_ELEM_COUNT; elem++)
    if (tsr_elem_is_extension((tsr_elem)elem) && refuses_extension(p, a, e, body, (tsr_elem)elem))
      refused |= UINT64_C(1) << elem;
  return refused;
}

/* Engines that refuse the same types share a row. */
static void put_extension_use(page *p, arena *a, sbuf *out, unsigned number) {
  enum { MOST = 64 };
  engine e;
  uint64_t refused[MOST];
  unsigned n = 0;
  for (; n < MOST && engine_at(n, &e); n++)
    refused[n] = refused_extensions(p, a, &e, extension_uses[number].body);
  for (unsigned i = 0; i < n; i++) {
    uint64_t types = refused[i];
    if (!types) continue;
    sbuf_printf(out, "| %s |", extension_uses[number].what);
    put_types(out, types);
    sbuf_puts(out, " |");
    for (unsigned k = i; k < n; k++) {
      if (refused[k] != types || !engine_at(k, &e)) continue;
      sbuf_printf(out, " %s", e.name);
      refused[k] = 0;
    }
    sbuf_puts(out, " |\n");
  }
}

static void put_extensions(page *p, arena *a, sbuf *out) {
  sbuf_puts(out, "## Element types beyond Tile IR's\n\n"
                 "What engines refuse of [extensions](elements.md), by the name of the type. "
                 "Engines that are not listed take it.\n\n"
                 "| operations | types | engines |\n|---|---|---|\n");
  for (unsigned u = 0; u < ARRAY_LEN(extension_uses); u++) put_extension_use(p, a, out, u);
  sbuf_puts(out,
            "\nStores of elements of less than 8 bits on GPUs change whole words of 4 bytes "
            "in one step: such memory ends with a word. The sanitizer follows none of 2, 3, 5, "
            "6 or 7 bits in memory.\n\n");
}

/* ---- the block level ------------------------------------------------------------------------ */

static void put_block_kernels(page *p, const char *target, const char *const *kernels, size_t n,
                              sbuf *out) {
  for (size_t i = 0; i < n; i++) {
    const char *text = arena_printf(p->arena,
                                    "cuda_tile.module @m { entry @k(%%p: tile<ptr<f32>>, %%n: "
                                    "tile<i32>) threads(%s } }",
                                    kernels[i]);
    tsr_module *m = tsr_module_parse(p->ctx, text, strlen(text), "t.mlir", 0);
    if (!m) fail_msg("%s", text);
    said.n = 0;
    char *code = tsr_module_emit_gpu(m, TSR_GPU_PTX, target, NULL, NULL);
    if (code) fail_msg("compiled: %s", text);
    sbuf_printf(out, "- %s\n", said.n ? said.v[0].text : "");
    tsr_module_destroy(m);
  }
}

static void put_block_level(page *p, sbuf *out) {
  sbuf_puts(out,
            "## The block level\n\nWhat code for NVIDIA's GPUs does not exist for, in kernels that "
            "state their threads ([block-level.md](block-level.md)):\n\n");
  put_block_kernels(p, "sm_80", block_kernels, ARRAY_LEN(block_kernels), out);
  put_block_kernels(p, "sm_90a", engine_kernels, ARRAY_LEN(engine_kernels), out);
  sbuf_puts(out, "\n");
}

/* ---- the page ------------------------------------------------------------------------------- */

static void put_page(tsr_context *ctx, arena *a, sbuf *out) {
  page p = {.ctx = ctx, .arena = a, .refused = SBUF(a), .by_runtime = SBUF(a)};
  sbuf_puts(
      out, "# What is not supported\n\n"
           "Made by `make docs`: `tests/unit/test_unsupported.c` hands kernels to every engine and "
           "writes down what each refuses, so this page says what the code does. A test holds it "
           "current. Limits that are decisions are on the pages of the parts: [the GPU "
           "backend](gpu-backend.md#what-differs-from-the-cpu-backend), [the PTX "
           "emulator](ptx-emulator.md#what-it-does-not-model), [clients](clients.md), "
           "[numerics](numerics.md).\n\n");
  put_operations(&p, out);
  put_products(&p, a, out);
  put_sizes(&p, out);
  put_extensions(&p, a, out);
  put_block_level(&p, out);
  put_architectures(&p, a, out);
  put_checks(&p, out);
  sbuf_puts(out, "## Platforms\n\nLinux on x86-64 and AArch64. The CPU backend needs LLVM; without "
                 "it, kernels run under the interpreter or from a folder that another machine "
                 "compiled.\n");
}

static char *read_page(void) {
  FILE *f = fopen(PAGE, "rb");
  if (!f) return strdup("");
  static char text[1 << 16];
  size_t n = fread(text, 1, sizeof text - 1, f);
  fclose(f);
  text[n] = 0;
  return strdup(text);
}

static void make_page(void (*use_it)(const char *text, size_t length)) {
  tsr_context *ctx = make_context(0);
  arena memory;
  arena_init(&memory, ctx);
  sbuf out = SBUF(&memory);
  put_page(ctx, &memory, &out);
  use_it(out.data, out.len);
  arena_free(&memory);
  tsr_context_destroy(ctx);
}

static void print_page(const char *text, size_t length) {
  fwrite(text, 1, length, stdout);
}

static void compare_page(const char *text, size_t length) {
  char *kept = read_page();
  bool same = strlen(kept) == length && memcmp(kept, text, length) == 0;
  free(kept);
  if (!same) fail_msg("%s is not what engines do now: make docs", PAGE);
}

static void test_page(void **state) {
  (void)state;
  if (!getenv("TESSERA_LLVM_PLUGIN")) skip(); /* a build without LLVM */
#if !defined(__x86_64__)
  skip(); /* LLVM makes code for all targets of the page on x86-64 hosts */
#endif
  make_page(compare_page);
}

int main(int n, char **arguments) {
  if (n > 1 && strcmp(arguments[1], "page") == 0) {
    make_page(print_page);
    return 0;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_page)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
