/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the driver provides to kernels. Source of the interfaces: CUDA C++ Programming Guide,
 * "Formatted Output", "Dynamic Global Memory Allocation", "Assertion"; what nvcc emits for them.
 */
#include "emu/ptx/builtins.h"

#include <stdio.h>
#include <stdlib.h>

#include "num/num.h"
#include "emu/ptx/frame.h"

/* ---- arguments and memory of a lane --------------------------------------------------------- */

static uint64_t argument(emu_warp *w, const ptx_insn *i, unsigned k, unsigned lane) {
  const ptx_operand *list = &i->op_list[2];
  uint64_t v = 0;
  if (list->kind == PTX_OPERAND_NONE || k >= list->count) return 0;
  const ptx_operand *o = &list->list[k];
  if (o->kind == PTX_OPERAND_ROW) return ptx_get(w, o, lane);
  if (o->kind != PTX_OPERAND_PARAM) return 0;
  ptx_frame *f = w->split->frame;
  memcpy(&v, f->call_area + (size_t)lane * f->function->call_bytes + (size_t)o->offset,
         MIN(o->row, 8u));
  return v;
}

static void set_result(emu_warp *w, const ptx_insn *i, unsigned lane, uint64_t v) {
  const ptx_operand *list = &i->op_list[0];
  if (list->kind == PTX_OPERAND_NONE || list->count == 0) return;
  const ptx_operand *o = &list->list[0];
  ptx_frame *f = w->split->frame;
  if (o->kind == PTX_OPERAND_PARAM)
    memcpy(f->call_area + (size_t)lane * f->function->call_bytes + (size_t)o->offset, &v,
           MIN(o->row, 8u));
  else
    ptx_set(w, o, lane, v);
}

/* Memory at a generic address, for one lane; false after a fault. */
static bool read_memory(emu_warp *w, const ptx_insn *i, unsigned lane, uint64_t address, void *out,
                        uint32_t bytes) {
  emu_access a;
  a.address[lane] = address;
  if (!ptx_access_begin(w, i, 1u << lane, NULL, PTX_GENERIC, bytes, 1, EMU_READ, &a) || !a.lanes)
    return false;
  memcpy(out, a.host[lane], bytes);
  return true;
}

/* A string at a generic address, cut to the room. */
static bool read_string(emu_warp *w, const ptx_insn *i, unsigned lane, uint64_t address, char *out,
                        size_t room) {
  size_t n = 0;
  for (; n + 1 < room; n++) {
    if (!read_memory(w, i, lane, address + n, out + n, 1)) return false;
    if (out[n] == 0) return true;
  }
  out[n] = 0;
  return true;
}

/* ---- vprintf -------------------------------------------------------------------------------- */

typedef struct printer {
  emu_warp *warp;
  const ptx_insn *insn;
  unsigned lane;
  uint64_t args; /* generic address of the next argument */
  char out[4096];
  size_t len;
  int count; /* of arguments printed */
} printer;

static void put(printer *p, const char *text, size_t n) {
  n = MIN(n, sizeof p->out - 1 - p->len);
  memcpy(p->out + p->len, text, n);
  p->len += n;
  p->out[p->len] = 0;
}

static bool next_argument(printer *p, unsigned bytes, uint64_t *v) {
  *v = 0;
  p->args = (p->args + bytes - 1) & ~(uint64_t)(bytes - 1);
  if (!read_memory(p->warp, p->insn, p->lane, p->args, v, bytes)) return false;
  p->args += bytes;
  return true;
}

/* One conversion, `spec` without the length: "%-5.2", and its letter. */
static bool print_one(printer *p, const char *spec, bool is_long, char letter) {
  char format[64], text[1024], string[1024];
  uint64_t v;
  int n = 0;
  switch (letter) {
  case 'd':
  case 'i':
    if (!next_argument(p, is_long ? 8 : 4, &v)) return false;
    snprintf(format, sizeof format, "%slld", spec);
    n = snprintf(text, sizeof text, format, is_long ? (long long)v : (long long)(int32_t)v);
    break;
  case 'u':
  case 'x':
  case 'X':
  case 'o':
    if (!next_argument(p, is_long ? 8 : 4, &v)) return false;
    snprintf(format, sizeof format, "%sll%c", spec, letter);
    n = snprintf(text, sizeof text, format, (unsigned long long)v);
    break;
  case 'c':
    if (!next_argument(p, 4, &v)) return false;
    snprintf(format, sizeof format, "%sc", spec);
    n = snprintf(text, sizeof text, format, (int)v);
    break;
  case 'p':
    if (!next_argument(p, 8, &v)) return false;
    n = snprintf(text, sizeof text, "0x%llx", (unsigned long long)v);
    break;
  case 's':
    if (!next_argument(p, 8, &v)) return false;
    if (v == 0)
      snprintf(string, sizeof string, "(null)");
    else if (!read_string(p->warp, p->insn, p->lane, v, string, sizeof string))
      return false;
    snprintf(format, sizeof format, "%ss", spec);
    n = snprintf(text, sizeof text, format, string);
    break;
  default: /* a float */
    if (!next_argument(p, 8, &v)) return false;
    snprintf(format, sizeof format, "%s%c", spec, letter);
    n = snprintf(text, sizeof text, format, num_f64_from_bits(v));
  }
  if (n > 0) put(p, text, MIN((size_t)n, sizeof text - 1));
  p->count++;
  return true;
}

/* A conversion from `f` on, which is behind the '%'. Returns where it ends; NULL after a fault.
 * What is no conversion is printed as it is. */
static const char *print_conversion(printer *p, const char *f) {
  char spec[32] = "%";
  size_t n = 1;
  const char *start = f;
  bool is_long = false;
  while (*f && strchr("-+ #0123456789.", *f) && n < sizeof spec - 1) spec[n++] = *f++;
  spec[n] = 0;
  for (; *f && strchr("hlzjtL", *f); f++) is_long |= *f != 'h' && *f != 'L';
  if (*f == '%') {
    put(p, "%", 1);
    return f + 1;
  }
  if (!*f || !strchr("diuxXocpsfFeEgGaA", *f)) {
    put(p, "%", 1);
    put(p, start, (size_t)(f - start));
    return f;
  }
  /* Widths are limited, so that a line stays one. */
  if (strlen(spec) > 12) spec[12] = 0;
  return print_one(p, spec, is_long, *f) ? f + 1 : NULL;
}

static void write_out(emu_warp *w, const char *text, size_t n) {
  emu_grid *g = w->block->grid;
  pthread_mutex_lock(&g->lock);
  if (g->o.on_output)
    g->o.on_output(g->o.output_user, text, n);
  else
    fwrite(text, 1, n, stdout);
  pthread_mutex_unlock(&g->lock);
}

static emu_step call_vprintf(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  PTX_FOR_LANES(l, lanes) {
    char format[2048];
    printer p = {.warp = w, .insn = i, .lane = l, .args = argument(w, i, 1, l)};
    if (!read_string(w, i, l, argument(w, i, 0, l), format, sizeof format)) return EMU_EXITED;
    for (const char *f = format; *f;) {
      size_t n = strcspn(f, "%");
      put(&p, f, n);
      f += n;
      if (*f == '%' && !(f = print_conversion(&p, f + 1))) return EMU_EXITED;
    }
    write_out(w, p.out, p.len);
    set_result(w, i, l, (uint32_t)p.count);
  }
  return EMU_NEXT;
}

/* ---- memory and asserts --------------------------------------------------------------------- */

static emu_step call_malloc(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  const emu_watcher *watcher = w->block->grid->o.watcher;
  PTX_FOR_LANES(l, lanes) {
    uint64_t bytes = argument(w, i, 0, l), address = 0;
    if (bytes <= UINT64_C(1) << 30) address = emu_alloc(w->block->grid->device, bytes, NULL);
    if (address && watcher && watcher->allocated)
      watcher->allocated(watcher->user, w, address, bytes);
    set_result(w, i, l, address);
  }
  return EMU_NEXT;
}

static emu_step call_free(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  PTX_FOR_LANES(l, lanes) {
    uint64_t address = argument(w, i, 0, l);
    if (address == 0 || emu_free(w->block->grid->device, address)) continue;
    emu_fail_address(w, i, (int)l, EMU_FAULT_FREED, address,
                     "frees 0x%llx, where no allocation begins (or it was freed already)",
                     (unsigned long long)address);
    return EMU_EXITED;
  }
  return EMU_NEXT;
}

/* __assertfail(message, file, line, function, size of a character) */
static emu_step call_assertfail(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  unsigned l = (unsigned)__builtin_ctz(lanes);
  char message[160] = "?", file[160] = "?", function[96] = "?";
  if (!read_string(w, i, l, argument(w, i, 0, l), message, sizeof message) ||
      !read_string(w, i, l, argument(w, i, 1, l), file, sizeof file) ||
      !read_string(w, i, l, argument(w, i, 3, l), function, sizeof function))
    return EMU_EXITED;
  emu_fail(w, i, (int)l, EMU_FAULT_TRAP, "assertion '%s' failed in %s, %s:%u", message, function,
           file, (uint32_t)argument(w, i, 2, l));
  return EMU_EXITED;
}

ptx_builtin builtin_find(const char *name) {
  static const struct {
    const char *name;
    ptx_builtin call;
  } known[] = {{"vprintf", call_vprintf},
               {"malloc", call_malloc},
               {"free", call_free},
               {"__assertfail", call_assertfail}};
  for (size_t k = 0; k < ARRAY_LEN(known); k++)
    if (strcmp(known[k].name, name) == 0) return known[k].call;
  return NULL;
}
