/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A reader of MessagePack, and what of the metadata is kept. What is not known is skipped, as later
 * versions add keys.
 */
#include "emu/amdgcn/metadata.h"

#include <limits.h>

enum { MAX_DEPTH = 16, MAX_ARGUMENT_BYTES = 1 << 16 };

typedef struct reader {
  arena *arena;
  const uint8_t *at, *end;
  const char *wrong; /* NULL: nothing so far */
} reader;

/* ---- MessagePack ------------------------------------------------------------------------------
 */

typedef enum item_kind { ITEM_OTHER, ITEM_NUMBER, ITEM_STRING, ITEM_LIST, ITEM_MAP } item_kind;

typedef struct item {
  item_kind kind;
  uint64_t number; /* or the entries of a list or map */
  str text;
} item;

static item wrong(reader *r, const char *what) {
  if (!r->wrong) r->wrong = what;
  r->at = r->end;
  return (item){ITEM_OTHER};
}

static uint64_t take_number(reader *r, unsigned bytes) {
  uint64_t n = 0;
  if ((size_t)(r->end - r->at) < bytes) return wrong(r, "ends amid a number").number;
  for (; bytes; bytes--) n = n << 8 | *r->at++;
  return n;
}

static item take_string(reader *r, uint64_t length) {
  if (length > (size_t)(r->end - r->at)) return wrong(r, "ends amid a string");
  item i = {.kind = ITEM_STRING, .text = {(const char *)r->at, (size_t)length}};
  r->at += length;
  return i;
}

/* Each entry of a list takes at least a byte, of a map two. */
static item take_group(reader *r, item_kind kind, uint64_t entries) {
  if (entries > (size_t)(r->end - r->at)) return wrong(r, "has more entries than bytes");
  return (item){.kind = kind, .number = entries};
}

static item take_skipped(reader *r, uint64_t bytes) {
  take_string(r, bytes);
  return (item){ITEM_OTHER};
}

/* By the first byte; sizes follow in 1, 2, 4 or 8 bytes, the most significant first. */
static item take_coded(reader *r, uint8_t code) {
  switch (code) {
  case 0xc4:
  case 0xc5:
  case 0xc6: /* binary */ return take_skipped(r, take_number(r, 1u << (code - 0xc4)));
  case 0xc7:
  case 0xc8:
  case 0xc9: /* extensions: a size, a type of one byte */
    return take_skipped(r, take_number(r, 1u << (code - 0xc7)) + 1);
  case 0xca: return take_skipped(r, 4); /* floats */
  case 0xcb: return take_skipped(r, 8);
  case 0xcc:
  case 0xcd:
  case 0xce:
  case 0xcf: /* unsigned */
    return (item){.kind = ITEM_NUMBER, .number = take_number(r, 1u << (code - 0xcc))};
  case 0xd0:
  case 0xd1:
  case 0xd2:
  case 0xd3: /* signed, of which nothing here is negative */
    return (item){.kind = ITEM_NUMBER, .number = take_number(r, 1u << (code - 0xd0))};
  case 0xd4:
  case 0xd5:
  case 0xd6:
  case 0xd7:
  case 0xd8: /* extensions of 1 to 16 bytes */ return take_skipped(r, 1 + (1u << (code - 0xd4)));
  case 0xd9:
  case 0xda:
  case 0xdb: return take_string(r, take_number(r, 1u << (code - 0xd9)));
  case 0xdc:
  case 0xdd: return take_group(r, ITEM_LIST, take_number(r, 2u << (code - 0xdc)));
  case 0xde:
  case 0xdf: return take_group(r, ITEM_MAP, take_number(r, 2u << (code - 0xde)));
  default: return (item){ITEM_OTHER}; /* nil; 0xc1 is never used */
  }
}

static item take(reader *r) {
  if (r->at == r->end) return wrong(r, "ends too early");
  uint8_t code = *r->at++;
  if (code < 0x80) return (item){.kind = ITEM_NUMBER, .number = code};
  if (code < 0x90) return take_group(r, ITEM_MAP, code & 15u);
  if (code < 0xa0) return take_group(r, ITEM_LIST, code & 15u);
  if (code < 0xc0) return take_string(r, code & 31u);
  if (code == 0xc2 || code == 0xc3) return (item){.kind = ITEM_NUMBER, .number = code & 1u};
  if (code >= 0xe0) return (item){ITEM_OTHER}; /* a negative number */
  return take_coded(r, code);
}

static void skip_entries(reader *r, item i, unsigned depth) {
  uint64_t n = i.kind == ITEM_LIST ? i.number : i.kind == ITEM_MAP ? 2 * i.number : 0;
  if (n && depth == MAX_DEPTH) wrong(r, "is nested too deep");
  for (; n && !r->wrong; n--) skip_entries(r, take(r), depth + 1);
}

/* ---- values that have a place -----------------------------------------------------------------
 */

typedef enum field_kind { FIELD_TEXT, FIELD_U32, FIELD_BOOL, FIELD_SIZES } field_kind;

typedef struct field {
  const char *key;
  field_kind kind;
  size_t offset;
} field;

static void take_sizes(reader *r, item i, uint32_t out[3]) {
  if (i.kind != ITEM_LIST || i.number > 3) {
    skip_entries(r, i, 0);
    return;
  }
  for (uint64_t k = 0; k < i.number; k++) {
    item size = take(r);
    if (size.kind == ITEM_NUMBER && size.number <= UINT32_MAX)
      out[k] = (uint32_t)size.number;
    else
      skip_entries(r, size, 0);
  }
}

static void take_field(reader *r, const field *f, char *out) {
  item i = take(r);
  bool is_number = i.kind == ITEM_NUMBER && i.number <= UINT32_MAX;
  uint32_t number = is_number ? (uint32_t)i.number : 0;
  bool is_set = number != 0;
  switch (f->kind) {
  case FIELD_TEXT: memcpy(out + f->offset, &i.text, sizeof i.text); break;
  case FIELD_U32: memcpy(out + f->offset, &number, sizeof number); break;
  case FIELD_BOOL: memcpy(out + f->offset, &is_set, sizeof is_set); break;
  case FIELD_SIZES: take_sizes(r, i, (uint32_t *)(void *)(out + f->offset)); return;
  }
  if (i.kind == ITEM_NUMBER && !is_number) wrong(r, "has a number of more than 32 bits");
  skip_entries(r, i, 0);
}

static const field *field_of(const field *fields, size_t n, item key) {
  for (size_t i = 0; i < n; i++)
    if (key.kind == ITEM_STRING && str_is(key.text, fields[i].key)) return &fields[i];
  return NULL;
}

/* ---- arguments --------------------------------------------------------------------------------
 */

static const field argument_fields[] = {
    {".name", FIELD_TEXT, offsetof(hsa_argument, name)},
    {".type_name", FIELD_TEXT, offsetof(hsa_argument, type)},
    {".value_kind", FIELD_TEXT, offsetof(hsa_argument, kind)},
    {".offset", FIELD_U32, offsetof(hsa_argument, offset)},
    {".size", FIELD_U32, offsetof(hsa_argument, size)},
};

static void take_argument(reader *r, hsa_argument *out) {
  item head = take(r);
  if (head.kind != ITEM_MAP) wrong(r, "has an argument that is no map");
  for (uint64_t n = head.number; n && !r->wrong; n--) {
    item key = take(r);
    const field *f = field_of(argument_fields, ARRAY_LEN(argument_fields), key);
    if (f) {
      take_field(r, f, (char *)out);
      continue;
    }
    skip_entries(r, key, 0);
    skip_entries(r, take(r), 0);
  }
}

static void take_arguments(reader *r, hsa_kernel_metadata *k) {
  item list = take(r);
  if (list.kind != ITEM_LIST) wrong(r, "has arguments that are no list");
  if (r->wrong) return;
  hsa_argument *arguments = arena_array(r->arena, hsa_argument, list.number);
  for (uint64_t i = 0; i < list.number && !r->wrong; i++) {
    arguments[i] = (hsa_argument){.size = 0};
    take_argument(r, &arguments[i]);
    if ((uint64_t)arguments[i].offset + arguments[i].size > k->argument_bytes)
      k->argument_bytes = arguments[i].offset + arguments[i].size;
  }
  k->arguments = arguments;
  k->n_arguments = (uint32_t)list.number;
}

/* ---- kernels ----------------------------------------------------------------------------------
 */

#define KERNEL_FIELD(name) offsetof(hsa_kernel_metadata, name)
static const field kernel_fields[] = {
    {".name", FIELD_TEXT, KERNEL_FIELD(name)},
    {".symbol", FIELD_TEXT, KERNEL_FIELD(symbol)},
    {".kernarg_segment_size", FIELD_U32, KERNEL_FIELD(argument_bytes)},
    {".group_segment_fixed_size", FIELD_U32, KERNEL_FIELD(shared_bytes)},
    {".private_segment_fixed_size", FIELD_U32, KERNEL_FIELD(scratch_bytes)},
    {".max_flat_workgroup_size", FIELD_U32, KERNEL_FIELD(max_threads)},
    {".reqd_workgroup_size", FIELD_SIZES, KERNEL_FIELD(required_threads)},
    {".wavefront_size", FIELD_U32, KERNEL_FIELD(lanes)},
    {".sgpr_count", FIELD_U32, KERNEL_FIELD(scalar_registers)},
    {".vgpr_count", FIELD_U32, KERNEL_FIELD(vector_registers)},
    {".agpr_count", FIELD_U32, KERNEL_FIELD(accumulators)},
    {".sgpr_spill_count", FIELD_U32, KERNEL_FIELD(scalar_spills)},
    {".vgpr_spill_count", FIELD_U32, KERNEL_FIELD(vector_spills)},
    {".uses_dynamic_stack", FIELD_BOOL, KERNEL_FIELD(dynamic_stack)},
};
#undef KERNEL_FIELD

/* Fields come in any order, so what they say together is checked when all are there. */
static void check_kernel(reader *r, const hsa_kernel_metadata *k) {
  if (!k->name.len || !k->symbol.len) wrong(r, "has a kernel without a name");
  if (k->argument_bytes > MAX_ARGUMENT_BYTES) wrong(r, "has a kernel with too large arguments");
  for (uint32_t i = 0; i < k->n_arguments; i++)
    if ((uint64_t)k->arguments[i].offset + k->arguments[i].size > k->argument_bytes)
      wrong(r, "has an argument outside of its kernel's argument block");
}

static void take_kernel(reader *r, hsa_kernel_metadata *k) {
  item head = take(r);
  if (head.kind != ITEM_MAP) wrong(r, "has a kernel that is no map");
  for (uint64_t n = head.number; n && !r->wrong; n--) {
    item key = take(r);
    const field *f = field_of(kernel_fields, ARRAY_LEN(kernel_fields), key);
    if (f) {
      take_field(r, f, (char *)k);
    } else if (key.kind == ITEM_STRING && str_is(key.text, ".args")) {
      take_arguments(r, k);
    } else {
      skip_entries(r, key, 0);
      skip_entries(r, take(r), 0);
    }
  }
  if (!r->wrong) check_kernel(r, k);
}

static void take_kernels(reader *r, hsa_metadata *out) {
  item list = take(r);
  if (list.kind != ITEM_LIST) wrong(r, "has kernels that are no list");
  if (r->wrong) return;
  hsa_kernel_metadata *kernels = arena_array(r->arena, hsa_kernel_metadata, list.number);
  for (uint64_t i = 0; i < list.number && !r->wrong; i++) {
    kernels[i] = (hsa_kernel_metadata){.max_threads = 0};
    take_kernel(r, &kernels[i]);
  }
  out->kernels = kernels;
  out->n_kernels = (uint32_t)list.number;
}

const char *hsa_metadata_read(arena *a, str bytes, hsa_metadata *out) {
  const uint8_t *first = (const uint8_t *)bytes.data;
  reader r = {.arena = a, .at = first, .end = first + bytes.len};
  *out = (hsa_metadata){.n_kernels = 0};
  item head = take(&r);
  if (head.kind != ITEM_MAP) wrong(&r, "is no map");
  for (uint64_t n = head.number; n && !r.wrong; n--) {
    item key = take(&r);
    if (key.kind == ITEM_STRING && str_is(key.text, "amdhsa.kernels")) {
      take_kernels(&r, out);
    } else if (key.kind == ITEM_STRING && str_is(key.text, "amdhsa.target")) {
      item target = take(&r);
      out->target = target.text;
      skip_entries(&r, target, 0);
    } else {
      skip_entries(&r, key, 0);
      skip_entries(&r, take(&r), 0);
    }
  }
  return r.wrong;
}
