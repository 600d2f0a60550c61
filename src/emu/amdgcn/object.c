/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * ELF to an image. Sections that are in memory lie where the file says (ET_DYN) or one after the
 * other (ET_REL), then a table of addresses for code that goes through one.
 */
#include "emu/amdgcn/object.h"

#include <elf.h>
#include <stdio.h>

enum { MACHINE = 224, OS_ABI = 64, MAX_SECTIONS = 4096, PAGE = 4096 };
enum { NOTE_METADATA = 32 };

static const uint64_t max_image = (uint64_t)1 << 28;

/* Types of relocations. */
enum {
  ABS32_LO = 1,
  ABS32_HI = 2,
  ABS64 = 3,
  REL32 = 4,
  REL64 = 5,
  ABS32 = 6,
  GOTPCREL = 7,
  GOTPCREL32_LO = 8,
  GOTPCREL32_HI = 9,
  REL32_LO = 10,
  REL32_HI = 11,
  RELATIVE64 = 13,
  REL16 = 14,
};

typedef struct reader {
  tsr_context *ctx;
  arena *arena;
  const char *name;
  str bytes;
  Elf64_Ehdr header;
  Elf64_Shdr *sections;
  uint64_t *at; /* where each section lies in the image; ABSENT */
  const Elf64_Shdr *symbol_table, *symbol_names;
  uint32_t n_symbols;
  uint64_t address_table; /* where it begins, */
  uint32_t *slots;        /* the entry of each symbol, counted from 1; 0: none */
  uint32_t n_slots;
  VEC(hsa_fixup) fixups;
  hsa_object *out;
} reader;

static const uint64_t ABSENT = UINT64_MAX;

static bool fail(const reader *r, const char *fmt, ...) PRINTF_LIKE(2, 3);
static bool fail(const reader *r, const char *fmt, ...) {
  char what[256];
  va_list args;
  va_start(args, fmt);
  vsnprintf(what, sizeof what, fmt, args);
  va_end(args);
  diag_error(r->ctx, ((place){.file = r->name}), "the code object %s", what);
  return false;
}

static bool inside(const reader *r, uint64_t offset, uint64_t length) {
  return offset <= r->bytes.len && length <= r->bytes.len - offset;
}

/* ---- header and sections ----------------------------------------------------------------------
 */

static bool read_target(reader *r) {
  unsigned machine = r->header.e_flags & 0xff;
  const gpu_target *t;
  for (size_t i = 0; (t = gpu_row_at(i)); i++)
    if (t->elf_machine && t->elf_machine == machine) {
      r->out->gpu = t;
      return true;
    }
  return fail(r, "is for a processor that is not known here (EF_AMDGPU_MACH 0x%x)", machine);
}

static bool read_header(reader *r) {
  static const unsigned char magic[] = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB};
  const Elf64_Ehdr *h = &r->header;
  if (r->bytes.len < sizeof *h || memcmp(r->bytes.data, magic, sizeof magic) != 0)
    return fail(r, "is no 64-bit ELF file");
  memcpy(&r->header, r->bytes.data, sizeof *h);
  if (h->e_machine != MACHINE || h->e_ident[EI_OSABI] != OS_ABI)
    return fail(r, "is not for AMD's GPUs (ELF machine %u, ABI %u; %d and %d were expected)",
                h->e_machine, h->e_ident[EI_OSABI], MACHINE, OS_ABI);
  if (h->e_type != ET_REL && h->e_type != ET_DYN)
    return fail(r, "is neither relocatable nor shared (ELF type %u)", h->e_type);
  if (!h->e_shnum || h->e_shnum > MAX_SECTIONS || h->e_shentsize != sizeof(Elf64_Shdr) ||
      !inside(r, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr)))
    return fail(r, "has a broken table of sections");
  return read_target(r);
}

static bool read_sections(reader *r) {
  unsigned n = r->header.e_shnum;
  r->sections = arena_array(r->arena, Elf64_Shdr, n);
  r->at = arena_array(r->arena, uint64_t, n);
  memcpy(r->sections, r->bytes.data + r->header.e_shoff, n * sizeof(Elf64_Shdr));
  for (unsigned i = 0; i < n; i++) {
    const Elf64_Shdr *s = &r->sections[i];
    r->at[i] = ABSENT;
    if (s->sh_type != SHT_NOBITS && s->sh_type != SHT_NULL && !inside(r, s->sh_offset, s->sh_size))
      return fail(r, "ends amid section %u", i);
  }
  return true;
}

static bool read_symbol_table(reader *r) {
  uint32_t type = r->header.e_type == ET_REL ? SHT_SYMTAB : SHT_DYNSYM;
  for (unsigned i = 0; i < r->header.e_shnum; i++) {
    const Elf64_Shdr *s = &r->sections[i];
    if (s->sh_type != type) continue;
    if (s->sh_entsize != sizeof(Elf64_Sym) || s->sh_size % sizeof(Elf64_Sym) ||
        s->sh_size / sizeof(Elf64_Sym) > UINT32_MAX || s->sh_link >= r->header.e_shnum ||
        r->sections[s->sh_link].sh_type != SHT_STRTAB)
      return fail(r, "has a broken table of symbols");
    r->symbol_table = s;
    r->symbol_names = &r->sections[s->sh_link];
    r->n_symbols = (uint32_t)(s->sh_size / sizeof(Elf64_Sym));
    return true;
  }
  return fail(r, "has no symbols");
}

static Elf64_Sym symbol_at(const reader *r, uint32_t i) {
  Elf64_Sym s;
  memcpy(&s, r->bytes.data + r->symbol_table->sh_offset + (size_t)i * sizeof s, sizeof s);
  return s;
}

static str symbol_name(const reader *r, Elf64_Sym s) {
  const Elf64_Shdr *names = r->symbol_names;
  if (s.st_name >= names->sh_size) return (str){0};
  const char *first = r->bytes.data + names->sh_offset + s.st_name;
  return (str){first, strnlen(first, names->sh_size - s.st_name)};
}

/* Where a symbol lies in the image; ABSENT: nowhere. */
static uint64_t symbol_offset(const reader *r, Elf64_Sym s) {
  if (r->header.e_type == ET_DYN) return s.st_shndx == SHN_UNDEF ? ABSENT : s.st_value;
  if (s.st_shndx >= r->header.e_shnum || r->at[s.st_shndx] == ABSENT) return ABSENT;
  return r->at[s.st_shndx] + s.st_value;
}

/* ---- the image --------------------------------------------------------------------------------
 */

static uint64_t round_up(uint64_t n, uint64_t to) {
  return (n + to - 1) / to * to;
}

static bool place_section(reader *r, unsigned i, uint64_t *end) {
  const Elf64_Shdr *s = &r->sections[i];
  uint64_t align = MAX(s->sh_addralign, 1);
  if (align > PAGE)
    return fail(r, "wants section %u at a multiple of %llu bytes", i, (unsigned long long)align);
  r->at[i] = r->header.e_type == ET_DYN ? s->sh_addr : round_up(*end, align);
  if (r->at[i] > max_image || s->sh_size > max_image - r->at[i])
    return fail(r, "takes more than 256 MiB of memory");
  *end = MAX(*end, r->at[i] + s->sh_size);
  return true;
}

static bool is_relocation(const reader *r, const Elf64_Shdr *s) {
  if (s->sh_type != SHT_RELA) return false;
  if (r->header.e_type == ET_DYN) return true;
  return s->sh_info < r->header.e_shnum && r->at[s->sh_info] != ABSENT;
}

/* Symbols whose address code loads from a table get an entry each. */
static bool count_slots(reader *r, const Elf64_Shdr *s) {
  for (uint64_t i = 0; i + sizeof(Elf64_Rela) <= s->sh_size; i += sizeof(Elf64_Rela)) {
    Elf64_Rela x;
    memcpy(&x, r->bytes.data + s->sh_offset + i, sizeof x);
    uint64_t symbol = ELF64_R_SYM(x.r_info), type = ELF64_R_TYPE(x.r_info);
    if (symbol >= r->n_symbols) return fail(r, "has a relocation of a symbol that is not there");
    if (type >= GOTPCREL && type <= GOTPCREL32_HI && !r->slots[symbol])
      r->slots[symbol] = ++r->n_slots;
  }
  return true;
}

static bool make_image(reader *r) {
  uint64_t end = 0;
  for (unsigned i = 0; i < r->header.e_shnum; i++) {
    const Elf64_Shdr *s = &r->sections[i];
    bool wanted = s->sh_type != SHT_NOTE && s->sh_type != SHT_NULL;
    if ((s->sh_flags & SHF_ALLOC) && wanted && !place_section(r, i, &end)) return false;
  }
  r->slots = arena_array(r->arena, uint32_t, r->n_symbols);
  memset(r->slots, 0, r->n_symbols * sizeof *r->slots);
  for (unsigned i = 0; i < r->header.e_shnum; i++)
    if (is_relocation(r, &r->sections[i]) && !count_slots(r, &r->sections[i])) return false;
  r->address_table = round_up(end, 8);
  r->out->image_bytes = r->address_table + 8 * (uint64_t)r->n_slots;
  r->out->image = arena_alloc_zero(r->arena, r->out->image_bytes, 64);
  for (unsigned i = 0; i < r->header.e_shnum; i++) {
    const Elf64_Shdr *s = &r->sections[i];
    if (r->at[i] != ABSENT && s->sh_type != SHT_NOBITS)
      memcpy(r->out->image + r->at[i], r->bytes.data + s->sh_offset, s->sh_size);
  }
  return true;
}

/* ---- relocations ------------------------------------------------------------------------------
 */

static void write_word(uint8_t *at, uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; i++) at[i] = (uint8_t)(value >> 8 * i);
}

/* The bytes that a relocation of that type changes; 0: it is not known. */
static unsigned relocated_bytes(uint64_t type) {
  switch (type) {
  case ABS64:
  case REL64:
  case RELATIVE64: return 8;
  case REL16: return 2;
  case ABS32_LO:
  case ABS32_HI:
  case REL32:
  case ABS32:
  case GOTPCREL:
  case GOTPCREL32_LO:
  case GOTPCREL32_HI:
  case REL32_LO:
  case REL32_HI: return 4;
  default: return 0;
  }
}

static bool undefined(const reader *r, uint64_t symbol) {
  str name = symbol_name(r, symbol_at(r, (uint32_t)symbol));
  return fail(r, "refers to '" STR_FMT "', which it does not define; link it with what does",
              (int)MIN(name.len, 100), name.data);
}

/* A difference of two places of the image, which holds wherever it lies. */
static void write_relative(reader *r, uint64_t type, uint64_t at, uint64_t target) {
  uint64_t value = target - at;
  if (type == REL32_HI || type == GOTPCREL32_HI) value >>= 32;
  if (type == REL16) value = (uint64_t)((int64_t)(value - 4) / 4);
  write_word(r->out->image + at, value, relocated_bytes(type));
}

static bool is_relative(uint64_t type) {
  return type == REL32 || type == REL64 || type == REL32_LO || type == REL32_HI || type == REL16;
}

static bool apply(reader *r, const Elf64_Rela *x, uint64_t at) {
  uint64_t type = ELF64_R_TYPE(x->r_info), symbol = ELF64_R_SYM(x->r_info);
  unsigned bytes = relocated_bytes(type);
  if (!bytes) return fail(r, "has a relocation of an unknown type, %u", (unsigned)type);
  if (at > r->out->image_bytes || bytes > r->out->image_bytes - at)
    return fail(r, "has a relocation outside of its sections");
  uint64_t target = (uint64_t)x->r_addend, origin = 0;
  if (type != RELATIVE64) {
    origin = symbol_offset(r, symbol_at(r, (uint32_t)symbol));
    if (origin == ABSENT) return undefined(r, symbol);
    target += origin;
  }
  if (type >= GOTPCREL && type <= GOTPCREL32_HI) {
    uint64_t slot = r->address_table + 8 * (uint64_t)(r->slots[symbol] - 1);
    vec_push(r->arena, r->fixups, (hsa_fixup){.at = slot, .value = origin, .bytes = 8});
    write_relative(r, type, at, slot + (uint64_t)x->r_addend);
  } else if (is_relative(type)) {
    write_relative(r, type, at, target);
  } else {
    vec_push(r->arena, r->fixups,
             (hsa_fixup){.at = at,
                         .value = target,
                         .bytes = (uint8_t)bytes,
                         .shift = type == ABS32_HI ? 32 : 0});
  }
  return true;
}

static bool apply_section(reader *r, const Elf64_Shdr *s) {
  uint64_t base = r->header.e_type == ET_REL ? r->at[s->sh_info] : 0;
  for (uint64_t i = 0; i + sizeof(Elf64_Rela) <= s->sh_size; i += sizeof(Elf64_Rela)) {
    Elf64_Rela x;
    memcpy(&x, r->bytes.data + s->sh_offset + i, sizeof x);
    if (!apply(r, &x, base + x.r_offset)) return false;
  }
  return true;
}

static bool relocate(reader *r) {
  for (unsigned i = 0; i < r->header.e_shnum; i++)
    if (is_relocation(r, &r->sections[i]) && !apply_section(r, &r->sections[i])) return false;
  r->out->fixups = r->fixups.data;
  r->out->n_fixups = r->fixups.len;
  return true;
}

void hsa_relocate(const hsa_object *o, uint64_t base, uint8_t *image) {
  for (uint32_t i = 0; i < o->n_fixups; i++) {
    const hsa_fixup *f = &o->fixups[i];
    write_word(image + f->at, (base + f->value) >> f->shift, f->bytes);
  }
}

/* ---- symbols and kernels ----------------------------------------------------------------------
 */

static void read_symbols(reader *r) {
  hsa_symbol *symbols = arena_array(r->arena, hsa_symbol, r->n_symbols);
  uint32_t n = 0;
  for (uint32_t i = 0; i < r->n_symbols; i++) {
    Elf64_Sym s = symbol_at(r, i);
    unsigned type = ELF64_ST_TYPE(s.st_info);
    uint64_t offset = symbol_offset(r, s);
    if ((type != STT_OBJECT && type != STT_FUNC) || offset > r->out->image_bytes ||
        s.st_size > r->out->image_bytes - offset)
      continue;
    symbols[n++] = (hsa_symbol){.name = symbol_name(r, s),
                                .offset = offset,
                                .size = s.st_size,
                                .is_function = type == STT_FUNC};
  }
  r->out->symbols = symbols;
  r->out->n_symbols = n;
}

static const hsa_symbol *find_symbol(const hsa_object *o, str name) {
  for (uint32_t i = 0; i < o->n_symbols; i++)
    if (str_eq(o->symbols[i].name, name)) return &o->symbols[i];
  return NULL;
}

static uint32_t word_at(const uint8_t *p) {
  return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static bool read_descriptor(reader *r, hsa_kernel *k) {
  const hsa_symbol *s = find_symbol(r->out, k->about->symbol);
  if (!s || s->size < HSA_DESCRIPTOR_BYTES)
    return fail(r, "has no descriptor '" STR_FMT "', which its metadata names",
                (int)MIN(k->about->symbol.len, 100), k->about->symbol.data);
  const uint8_t *p = r->out->image + s->offset;
  uint64_t entry = word_at(p + 16) | (uint64_t)word_at(p + 20) << 32;
  k->descriptor = (hsa_descriptor){
      .shared_bytes = word_at(p),
      .scratch_bytes = word_at(p + 4),
      .argument_bytes = word_at(p + 8),
      .code = s->offset + entry,
      .rsrc3 = word_at(p + 44),
      .rsrc1 = word_at(p + 48),
      .rsrc2 = word_at(p + 52),
      .properties = word_at(p + 56) & 0xffff,
      .preloaded = p[58] & 0x7f,
      .preload_at = (uint32_t)(p[58] >> 7 | p[59] << 1),
  };
  if (k->descriptor.code % 4 || k->descriptor.code >= r->out->image_bytes)
    return fail(r, "has a descriptor '" STR_FMT "' whose code lies outside",
                (int)MIN(k->about->symbol.len, 100), k->about->symbol.data);
  return true;
}

static bool read_kernels(reader *r, str note) {
  hsa_metadata metadata;
  const char *wrong = hsa_metadata_read(r->arena, note, &metadata);
  if (wrong) return fail(r, "has broken metadata, which %s", wrong);
  hsa_kernel *kernels = arena_array(r->arena, hsa_kernel, metadata.n_kernels);
  for (uint32_t i = 0; i < metadata.n_kernels; i++) {
    kernels[i] = (hsa_kernel){.about = &metadata.kernels[i]};
    if (!read_descriptor(r, &kernels[i])) return false;
  }
  r->out->kernels = kernels;
  r->out->n_kernels = metadata.n_kernels;
  return true;
}

/* The note "AMDGPU" of the metadata's type: sizes, the name, the contents, each padded to words. */
static bool find_note(const reader *r, str *out) {
  for (unsigned i = 0; i < r->header.e_shnum; i++) {
    const Elf64_Shdr *s = &r->sections[i];
    if (s->sh_type != SHT_NOTE) continue;
    const uint8_t *p = (const uint8_t *)r->bytes.data + s->sh_offset;
    for (uint64_t left = s->sh_size; left >= 12;) {
      uint64_t name = round_up(word_at(p), 4), length = word_at(p + 4), all = 12 + name + length;
      if (all > left) break;
      if (word_at(p + 8) == NOTE_METADATA && word_at(p) == 7 && memcmp(p + 12, "AMDGPU", 7) == 0) {
        *out = (str){(const char *)p + 12 + name, length};
        return true;
      }
      all = MIN(round_up(all, 4), left);
      p += all;
      left -= all;
    }
  }
  return fail(r, "has no metadata of kernels (a note of code objects from version 3 on)");
}

bool hsa_object_read(tsr_context *ctx, arena *a, const char *name, str bytes, hsa_object *out) {
  *out = (hsa_object){.name = name};
  reader r = {.ctx = ctx, .arena = a, .name = name, .bytes = bytes, .out = out};
  str note;
  if (!read_header(&r) || !read_sections(&r) || !read_symbol_table(&r) || !make_image(&r) ||
      !relocate(&r) || !find_note(&r, &note))
    return false;
  read_symbols(&r);
  return read_kernels(&r, note);
}

const hsa_kernel *hsa_find_kernel(const hsa_object *o, const char *name) {
  for (uint32_t i = 0; i < o->n_kernels; i++)
    if (str_is(o->kernels[i].about->name, name)) return &o->kernels[i];
  return NULL;
}
