/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Builders: their life, the regions that are open, kernels and globals.
 *
 * A region whose operation could not be built is open all the same, as a frame without a block, so
 * that what the caller puts into it and its end find their place; it is left out silently.
 */
#include "ir/build/guard.h"
#include "ir/verify.h"

enum { MAX_DEPTH = 256 }; /* of regions, as in text */

/* ---- messages ------------------------------------------------------------------------------- */

void build_at(tsr_builder *b, const char *file, unsigned line) {
  if (!file) file = "";
  if (!b->file || strcmp(b->file, file) != 0)
    b->file = arena_strndup(&b->module->arena, file, strlen(file));
  b->line = line;
  b->column = 0;
}

void build_error(tsr_builder *b, const char *fmt, ...) {
  place at = {.file = b->file && *b->file ? b->file : NULL, .line = b->line, .column = b->column};
  va_list args;
  va_start(args, fmt);
  diag_v(b->ctx, TSR_ERROR, at, fmt, args);
  va_end(args);
  b->failed = true;
}

void build_missing(tsr_builder *b, const char *op, const char *what) {
  if (!b->failed) build_error(b, "%s: %s is missing (NULL)", op, what);
}

const char *build_type_text(tsr_builder *b, const ir_type *t) {
  return t ? ir_type_text(&b->module->arena, t) : "nothing";
}

/* ---- life ----------------------------------------------------------------------------------- */

static tsr_builder *create(tsr_context *ctx, const char *name, ir_module *volatile *made) {
  ir_module *m = ir_module_create(ctx, str_of(name ? name : "module"));
  *made = m;
  tsr_builder *b = arena_new(&m->arena, tsr_builder);
  b->ctx = ctx;
  b->module = m;
  vec_push(&m->arena, b->frames, (build_frame){.block = ir_region(m->op, 0)});
  return b;
}

tsr_builder *tsr_builder_create(tsr_context *ctx, const char *name) {
  if (!ctx) return NULL;
  ir_module *volatile made = NULL;
  TSR_GUARD(ctx, {
    ir_module_destroy(made);
    return NULL;
  });
  tsr_builder *b = create(ctx, name, &made);
  TSR_UNGUARD(ctx);
  return b;
}

void tsr_builder_destroy(tsr_builder *b) {
  if (b) ir_module_destroy(b->module); /* the builder lies in its arena */
}

bool tsr_builder_failed(const tsr_builder *b) {
  return !b || b->failed;
}

static bool finish(tsr_builder *b) {
  if (b->frames.len > 1 && !b->failed) {
    b->line = 0;
    build_error(b, "the region of '%s' is still open: tsr_build_end is missing",
                ir_row(build_block(b)->parent)->name);
  }
  b->ctx->errors = 0;
  return !b->failed && ir_verify(b->module);
}

tsr_module *tsr_builder_finish(tsr_builder *b) {
  if (!b) return NULL;
  BUILD_GUARD(b, {
    ir_module_destroy(b->module);
    return NULL;
  });
  bool good = finish(b);
  BUILD_DONE(b);
  if (good) return b->module;
  ir_module_destroy(b->module);
  return NULL;
}

/* ---- regions -------------------------------------------------------------------------------- */

bool build_open(tsr_builder *b, ir_op *op, unsigned region) {
  if (op && b->frames.len > MAX_DEPTH) {
    build_error(b, "regions nest deeper than %d", MAX_DEPTH);
    op = NULL;
  }
  build_frame frame = {.block = op ? ir_region(op, region) : NULL, .region = region};
  vec_push(&b->module->arena, b->frames, frame);
  return op != NULL;
}

ir_block *build_block(tsr_builder *b) {
  return vec_last(b->frames).block;
}

/* Ends a region without a terminator by the one that may be left out. */
static void close_block(tsr_builder *b, ir_block *block) {
  if (block->last && ir_row(block->last)->traits & TRAIT_TERMINATOR) return;
  ir_op *op = block->parent;
  op_code terminator = (op_code)ir_row(op)->terminator;
  if (op->n_results || terminator == OP_NONE) {
    build_error(b, "%s: the region must end with '%s' of %u value%s before tsr_build_end",
                ir_row(op)->name, op_table[terminator].name, op->n_results,
                op->n_results == 1 ? "" : "s");
    return;
  }
  ir_op *end = ir_op_create(b->module, &(ir_op_spec){.opcode = terminator, .loc = op->loc});
  end->implicit = true;
  ir_op_append(block, end);
}

static void end(tsr_builder *b) {
  if (b->frames.len == 1) {
    build_error(b, "tsr_build_end: no region is open");
    return;
  }
  ir_block *block = build_block(b);
  if (block) close_block(b, block);
  (void)vec_pop(b->frames);
}

void tsr_build_end_at(const char *file, unsigned line, tsr_builder *b) {
  if (!b) return;
  BUILD_GUARD(b, return );
  build_at(b, file, line);
  end(b);
  BUILD_DONE(b);
}

static void begin_else(tsr_builder *b) {
  build_frame *frame = &vec_last(b->frames);
  if (b->frames.len > 1 && !frame->block) return; /* of an `if` that could not be built */
  if (b->frames.len == 1 || frame->block->parent->opcode != OP_if || frame->region != 0) {
    build_error(b, "tsr_build_else: the first region of an 'if' must be the innermost open one");
    return;
  }
  ir_op *op = frame->block->parent;
  close_block(b, frame->block);
  frame->block = ir_region_create(b->module, op, 1, 0, NULL);
  frame->region = 1;
}

void tsr_build_else_at(const char *file, unsigned line, tsr_builder *b) {
  if (!b) return;
  BUILD_GUARD(b, return );
  build_at(b, file, line);
  begin_else(b);
  BUILD_DONE(b);
}

static ir_value *region_arg(tsr_builder *b, size_t index) {
  ir_block *block = build_block(b);
  if (!block) return NULL;
  if (index < block->n_args) return &block->args[index];
  build_error(b, "tsr_build_arg: argument %zu of a region of '%s', which has %u", index,
              ir_row(block->parent)->name, block->n_args);
  return NULL;
}

tsr_value tsr_build_arg_at(const char *file, unsigned line, tsr_builder *b, size_t index) {
  if (!b) return NULL;
  BUILD_GUARD(b, return NULL);
  build_at(b, file, line);
  ir_value *v = region_arg(b, index);
  BUILD_DONE(b);
  return v;
}

/* ---- kernels and globals -------------------------------------------------------------------- */

static bool symbol_is_fine(tsr_builder *b, const char *what, const char *name) {
  if (!name || !*name) {
    build_error(b, "%s: the name is missing", what);
    return false;
  }
  if (b->frames.len > 1) {
    build_error(b, "%s '%s' inside a region: tsr_build_end ends it", what, name);
    return false;
  }
  return true;
}

static ir_op *new_symbol(tsr_builder *b, op_code opcode, const char *name, unsigned regions) {
  ir_module *m = b->module;
  ir_op *op = ir_op_create(m, &(ir_op_spec){.opcode = opcode,
                                            .loc = ir_loc_file(m, b->file, b->line, b->column),
                                            .n_regions = regions});
  ir_set_attr(op, ATTR_sym_name, (ir_attr){.s = arena_str(&m->arena, str_of(name))});
  return op;
}

static ir_op *entry(tsr_builder *b, const char *name, tsr_types params) {
  ir_module *m = b->module;
  bool good = symbol_is_fine(b, "entry", name);
  for (size_t i = 0; good && i < params.len; i++)
    if (!params.data[i]) {
      build_missing(b, "entry", "the type of a parameter");
      good = false;
    }
  if (!good) {
    build_open(b, NULL, 0);
    return NULL;
  }
  ir_op *op = new_symbol(b, OP_entry, name, 1);
  const ir_type *type = ir_function(m, (uint32_t)params.len, 0, params.data);
  ir_set_attr(op, ATTR_function_type, (ir_attr){.type = type});
  ir_region_create(m, op, 0, (uint32_t)params.len, params.data);
  ir_op_append(build_block(b), op);
  build_open(b, op, 0);
  return op;
}

tsr_op *tsr_build_entry_at(const char *file, unsigned line, tsr_builder *b, const char *name,
                           tsr_types params) {
  if (!b) return NULL;
  BUILD_GUARD(b, return NULL);
  build_at(b, file, line);
  ir_op *op = entry(b, name, params);
  BUILD_DONE(b);
  return op;
}

static ir_op *global(tsr_builder *b, const char *name, tsr_type type, const void *data,
                     size_t bytes, uint64_t alignment) {
  if (!symbol_is_fine(b, "global", name)) return NULL;
  const ir_dense *value = build_dense(b, "global", type, data, bytes);
  if (!value) return NULL;
  ir_op *op = new_symbol(b, OP_global, name, 0);
  ir_set_attr(op, ATTR_value, (ir_attr){.dense = value});
  if (alignment) ir_set_int(op, ATTR_alignment, (int64_t)alignment);
  ir_op_append(build_block(b), op);
  return op;
}

tsr_op *tsr_build_global_at(const char *file, unsigned line, tsr_builder *b, const char *name,
                            tsr_type type, const void *data, size_t bytes, uint64_t alignment) {
  if (!b) return NULL;
  BUILD_GUARD(b, return NULL);
  build_at(b, file, line);
  ir_op *op = global(b, name, type, data, bytes, alignment);
  BUILD_DONE(b);
  return op;
}
