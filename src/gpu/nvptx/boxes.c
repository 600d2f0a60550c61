/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cp.async.bulk and its kin.
 */
#include "gpu/nvptx/boxes.h"

#include "gpu/code.h"
#include "gpu/nvptx/state.h"

/* ---- tensor maps ---------------------------------------------------------------------------- */

enum { MAP_BYTES = 128, MAP_ALIGN = 64 };

/* Memory that the hardware reads where it is. */
void nvptx_map_parameters(gen *g, uint32_t first, uint32_t n) {
  LLVMTypeRef type = LLVMArrayType2(g->e.i8, MAP_BYTES);
  unsigned by_value = LLVMGetEnumAttributeKindForName("byval", 5);
  unsigned align = LLVMGetEnumAttributeKindForName("align", 5);
  static const char constant[] = "nvvm.grid_constant";
  for (uint32_t i = 0; i < n; i++) {
    LLVMAttributeIndex at = first + i + 1;
    LLVMAddAttributeAtIndex(g->function, at, LLVMCreateTypeAttribute(g->e.llvm, by_value, type));
    LLVMAddAttributeAtIndex(g->function, at, LLVMCreateEnumAttribute(g->e.llvm, align, MAP_ALIGN));
    LLVMAddAttributeAtIndex(
        g->function, at,
        LLVMCreateStringAttribute(g->e.llvm, constant, sizeof constant - 1, "", 0));
  }
}

void nvptx_take_maps(gen *g, uint32_t first, uint32_t n) {
  own_of(g)->map_address = arena_array(g->arena, llv, n);
  for (uint32_t i = 0; i < n; i++) {
    llv p = LLVMGetParam(g->function, first + i);
    own_of(g)->map_address[i] = LLVMBuildPtrToInt(g->e.b, p, g->e.i64, "map");
  }
}

/* ---- copies --------------------------------------------------------------------------------- */

typedef struct instruction {
  sbuf text, constraints;
  llv args[5 + SIMT_MAP_RANK];
  unsigned n;
} instruction;

static void operand(instruction *x, llv arg, char kind) {
  sbuf_printf(&x->text, "$%u", x->n);
  sbuf_printf(&x->constraints, "%c,", kind);
  x->args[x->n++] = arg;
}

/* [map, {coordinates}] */
static void box_operand(instruction *x, const nvptx_box *c) {
  sbuf_putc(&x->text, '[');
  operand(x, c->map, 'l');
  for (unsigned i = 0; i < c->rank; i++) {
    sbuf_puts(&x->text, i ? ", " : ", {");
    operand(x, c->at[i], 'r');
  }
  sbuf_puts(&x->text, "}]");
}

static void place_operand(instruction *x, llv shared) {
  sbuf_putc(&x->text, '[');
  operand(x, shared, 'r');
  sbuf_putc(&x->text, ']');
}

static void finish(gen *g, instruction *x) {
  sbuf_putc(&x->text, ';');
  sbuf_puts(&x->constraints, "~{memory}");
  gpu_asm(g, g->e.void_, x->text.data, x->constraints.data, x->args, x->n, true);
}

void nvptx_load_box(gen *g, const nvptx_box *c) {
  instruction x = {.text = SBUF(g->arena), .constraints = SBUF(g->arena)};
  sbuf_printf(&x.text,
              "cp.async.bulk.tensor.%ud.shared::cluster.global.tile"
              ".mbarrier::complete_tx::bytes%s ",
              c->rank, c->to_all ? ".multicast::cluster" : "");
  place_operand(&x, c->place);
  sbuf_puts(&x.text, ", ");
  box_operand(&x, c);
  sbuf_puts(&x.text, ", ");
  place_operand(&x, c->barrier);
  if (c->to_all) {
    sbuf_puts(&x.text, ", ");
    operand(&x, c->to_all, 'h');
  }
  finish(g, &x);
}

void nvptx_store_box(gen *g, const nvptx_box *c, const char *reduction) {
  instruction x = {.text = SBUF(g->arena), .constraints = SBUF(g->arena)};
  sbuf_printf(&x.text, "cp.%sasync.bulk.tensor.%ud.global.shared::cta.%s%stile.bulk_group ",
              reduction ? "reduce." : "", c->rank, reduction ? reduction : "",
              reduction ? "." : "");
  box_operand(&x, c);
  sbuf_puts(&x.text, ", ");
  place_operand(&x, c->place);
  finish(g, &x);
}

void nvptx_load_bytes(gen *g, llv shared, llv from, uint32_t bytes, llv barrier, llv to_all) {
  static const char many[] =
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
      "[$0], [$1], $2, [$3], $4;";
  static const char text[] = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                             "[$0], [$1], $2, [$3];";
  llv args[] = {shared, from, k32(g, bytes), barrier, to_all};
  gpu_asm(g, g->e.void_, to_all ? many : text, to_all ? "r,l,r,r,h,~{memory}" : "r,l,r,r,~{memory}",
          args, to_all ? 5 : 4, true);
}

void nvptx_store_bytes(gen *g, llv shared, llv to, uint32_t bytes) {
  static const char text[] = "cp.async.bulk.global.shared::cta.bulk_group [$0], [$1], $2;";
  llv args[] = {to, shared, k32(g, bytes)};
  gpu_asm(g, g->e.void_, text, "l,r,r,~{memory}", args, 3, true);
}

/* ---- sets of stores ------------------------------------------------------------------------- */

void nvptx_box_commit(gen *g) {
  gpu_asm(g, g->e.void_, "cp.async.bulk.commit_group;", "~{memory}", NULL, 0, true);
}

void nvptx_box_wait(gen *g, unsigned pending, bool read) {
  char *text =
      arena_printf(g->arena, "cp.async.bulk.wait_group%s %u;", read ? ".read" : "", pending);
  gpu_asm(g, g->e.void_, text, "~{memory}", NULL, 0, true);
}
