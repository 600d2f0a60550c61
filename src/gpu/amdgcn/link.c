/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * One relocatable object becomes a shared one. Its sections lie in three segments, each from a page
 * of its own on: what is only read, after the headers and what loaders ask for; code; variables. In
 * the file they lie where they do in memory.
 *
 * Sources: System V ABI, "Object Files" and "Program Loading and Dynamic Linking"; LLVM, "User
 * Guide for AMDGPU Backend", relocation records.
 */
#include "gpu/amdgcn/link.h"

#include <elf.h>

enum { PAGE = 4096 };

/* Types of relocations. */
enum {
  ABS64 = 3,
  REL32 = 4,
  REL64 = 5,
  REL32_LO = 10,
  REL32_HI = 11,
  RELATIVE64 = 13,
  REL16 = 14,
};

/* Sections that are made here and come first in the result: the number of each. */
enum { DYNSYM = 1, HASH, DYNSTR, RELA };

typedef struct linker {
  arena *arena;
  str object;
  Elf64_Ehdr header;
  const Elf64_Shdr *sections;
  unsigned n_sections;
  const Elf64_Shdr *symbols; /* the section */
  uint64_t *at;              /* of each section of the object, its address; 0: it is left out */
  unsigned *number;          /* the same, in the result */
  const char *problem;
  sbuf *out; /* from `begin` on */
  size_t begin;
  VEC(Elf64_Shdr) made; /* all sections of the result */
  VEC(Elf64_Phdr) segments;
  VEC(Elf64_Sym) exported;
  VEC(Elf64_Rela) dynamic; /* relocations that are left to loaders */
  sbuf strings, names;
} linker;

static bool fail(linker *l, const char *fmt, unsigned value) {
  if (!l->problem) l->problem = arena_printf(l->arena, fmt, value);
  return false;
}

/* ---- reading -------------------------------------------------------------------------------- */

static const char *bytes_at(const linker *l, uint64_t offset) {
  return l->object.data + offset;
}

static bool inside(const linker *l, uint64_t offset, uint64_t bytes) {
  return offset <= l->object.len && bytes <= l->object.len - offset;
}

static bool read_sections(linker *l) {
  const Elf64_Ehdr *h = &l->header;
  if (l->object.len < sizeof *h) return fail(l, "it has %u bytes", (unsigned)l->object.len);
  memcpy(&l->header, l->object.data, sizeof *h);
  if (h->e_type != ET_REL || h->e_shentsize != sizeof(Elf64_Shdr) ||
      !inside(l, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr)))
    return fail(l, "its type is %u, or its sections are not there", h->e_type);
  l->n_sections = h->e_shnum;
  Elf64_Shdr *all = arena_array(l->arena, Elf64_Shdr, MAX(l->n_sections, 1u));
  memcpy(all, bytes_at(l, h->e_shoff), l->n_sections * sizeof *all);
  l->sections = all;
  for (unsigned i = 0; i < l->n_sections; i++) {
    if (all[i].sh_type == SHT_SYMTAB) l->symbols = &all[i];
    if (all[i].sh_type != SHT_NOBITS && all[i].sh_type != SHT_NULL &&
        !inside(l, all[i].sh_offset, all[i].sh_size))
      return fail(l, "it ends amid section %u", i);
  }
  return l->symbols || fail(l, "none of its %u sections has symbols", l->n_sections);
}

static Elf64_Sym symbol_at(const linker *l, uint64_t i) {
  Elf64_Sym s;
  memcpy(&s, bytes_at(l, l->symbols->sh_offset + i * sizeof s), sizeof s);
  return s;
}

static uint64_t count_symbols(const linker *l) {
  return l->symbols->sh_size / sizeof(Elf64_Sym);
}

static bool is_placed(const linker *l, unsigned section) {
  return section < l->n_sections && l->at[section];
}

static uint64_t address_of(const linker *l, Elf64_Sym s) {
  return l->at[s.st_shndx] + s.st_value;
}

/* ---- writing -------------------------------------------------------------------------------- */

static uint64_t size_so_far(const linker *l) {
  return l->out->len - l->begin;
}

static void pad_to(linker *l, uint64_t align) {
  while (size_so_far(l) % MAX(align, 1)) sbuf_putc(l->out, 0);
}

static uint32_t add_string(sbuf *to, const char *text, size_t n) {
  uint32_t at = (uint32_t)to->len;
  sbuf_add(to, text, n);
  sbuf_putc(to, 0);
  return at;
}

/* A section of the result that begins here. */
static Elf64_Shdr *begin_section(linker *l, const char *name, uint32_t type, uint64_t flags,
                                 uint64_t align) {
  pad_to(l, align);
  Elf64_Shdr s = {.sh_name = add_string(&l->names, name, strlen(name)),
                  .sh_type = type,
                  .sh_flags = flags,
                  .sh_addr = flags & SHF_ALLOC ? size_so_far(l) : 0,
                  .sh_offset = size_so_far(l),
                  .sh_addralign = align};
  vec_push(l->arena, l->made, s);
  return &l->made.data[l->made.len - 1];
}

static const char *name_of(const linker *l, const Elf64_Shdr *s) {
  return bytes_at(l, l->sections[l->header.e_shstrndx].sh_offset + s->sh_name);
}

/* One of the object's. Its bytes come with those that relocations have not changed yet. */
static void place_section(linker *l, unsigned i) {
  const Elf64_Shdr *s = &l->sections[i];
  Elf64_Shdr *to =
      begin_section(l, name_of(l, s), s->sh_type,
                    s->sh_flags & (SHF_ALLOC | SHF_WRITE | SHF_EXECINSTR), MAX(s->sh_addralign, 1));
  to->sh_size = s->sh_size;
  l->at[i] = to->sh_addr;
  l->number[i] = l->made.len - 1;
  sbuf_add(l->out, bytes_at(l, s->sh_offset), s->sh_size);
}

static bool is_of(const Elf64_Shdr *s, uint64_t flags) {
  const uint64_t both = SHF_WRITE | SHF_EXECINSTR;
  bool is_memory = s->sh_flags & SHF_ALLOC && s->sh_type != SHT_NULL;
  return is_memory && (s->sh_flags & both) == flags;
}

/* Variables that begin as zeros take no bytes of the file: the last of the last segment. */
static void place_zeros(linker *l, Elf64_Phdr *segment) {
  for (unsigned i = 0; i < l->n_sections; i++) {
    const Elf64_Shdr *s = &l->sections[i];
    if (!is_of(s, SHF_WRITE) || s->sh_type != SHT_NOBITS) continue;
    uint64_t align = MAX(s->sh_addralign, 1), end = segment->p_vaddr + segment->p_memsz;
    Elf64_Shdr *to = begin_section(l, name_of(l, s), SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 1);
    to->sh_addralign = align;
    to->sh_size = s->sh_size;
    l->at[i] = to->sh_addr = (end + align - 1) / align * align;
    l->number[i] = l->made.len - 1;
    segment->p_memsz = to->sh_addr + to->sh_size - segment->p_vaddr;
  }
}

static void add_segment(linker *l, uint32_t type, uint32_t flags, uint64_t from, uint64_t align) {
  Elf64_Phdr p = {.p_type = type,
                  .p_flags = flags,
                  .p_offset = from,
                  .p_vaddr = from,
                  .p_paddr = from,
                  .p_filesz = size_so_far(l) - from,
                  .p_memsz = size_so_far(l) - from,
                  .p_align = align};
  vec_push(l->arena, l->segments, p);
}

/* All sections with these flags. */
static void place_all(linker *l, uint64_t flags) {
  for (unsigned i = 0; i < l->n_sections; i++)
    if (is_of(&l->sections[i], flags) && l->sections[i].sh_type != SHT_NOBITS) place_section(l, i);
}

/* ---- symbols -------------------------------------------------------------------------------- */

/* Where they lie is written when all is placed. */
static void export_symbols(linker *l) {
  const Elf64_Shdr *names = &l->sections[l->symbols->sh_link];
  vec_push(l->arena, l->exported, ((Elf64_Sym){0}));
  for (uint64_t i = 0; i < count_symbols(l); i++) {
    Elf64_Sym s = symbol_at(l, i);
    if (ELF64_ST_BIND(s.st_info) == STB_LOCAL || s.st_shndx == SHN_UNDEF ||
        s.st_shndx >= l->n_sections)
      continue;
    const char *name = bytes_at(l, names->sh_offset + s.st_name);
    s.st_name = add_string(&l->strings, name, strlen(name));
    vec_push(l->arena, l->exported, s);
  }
}

static uint32_t hash_of(const char *name) {
  uint32_t h = 0;
  for (; *name; name++) {
    h = (h << 4) + (unsigned char)*name;
    uint32_t top = h & 0xf0000000;
    if (top) h ^= top >> 24;
    h &= ~top;
  }
  return h;
}

static void add_word(linker *l, uint32_t word) {
  sbuf_add(l->out, (const char *)&word, sizeof word);
}

/* A list of symbols for each bucket, the last first. */
static void write_hash(linker *l) {
  enum { BUCKETS = 16 };
  uint32_t n = l->exported.len, first[BUCKETS] = {0};
  uint32_t *next = arena_array(l->arena, uint32_t, n);
  memset(next, 0, n * sizeof *next);
  for (uint32_t i = 1; i < n; i++) {
    uint32_t *bucket = &first[hash_of(l->strings.data + l->exported.data[i].st_name) % BUCKETS];
    next[i] = *bucket;
    *bucket = i;
  }
  add_word(l, BUCKETS);
  add_word(l, n);
  for (uint32_t i = 0; i < BUCKETS; i++) add_word(l, first[i]);
  for (uint32_t i = 0; i < n; i++) add_word(l, next[i]);
}

static void write_at(linker *l, uint64_t at, const void *data, size_t n) {
  memcpy(l->out->data + l->begin + at, data, n);
}

static void settle_symbols(linker *l) {
  for (uint32_t i = 1; i < l->exported.len; i++) {
    Elf64_Sym *s = &l->exported.data[i];
    s->st_value = address_of(l, *s);
    s->st_shndx = (Elf64_Half)l->number[s->st_shndx];
  }
  write_at(l, l->made.data[DYNSYM].sh_offset, l->exported.data,
           l->exported.len * sizeof *l->exported.data);
}

/* ---- relocations ---------------------------------------------------------------------------- */

/* Calls `each` with all that change what is placed, where they do. */
static bool walk_relocations(linker *l, bool (*each)(linker *l, const Elf64_Rela *x,
                                                     const Elf64_Shdr *in, unsigned section)) {
  for (unsigned i = 0; i < l->n_sections; i++) {
    const Elf64_Shdr *s = &l->sections[i];
    bool is_ours = s->sh_type == SHT_RELA && s->sh_info < l->n_sections &&
                   l->sections[s->sh_info].sh_flags & SHF_ALLOC;
    for (uint64_t at = 0; is_ours && at + sizeof(Elf64_Rela) <= s->sh_size;
         at += sizeof(Elf64_Rela)) {
      Elf64_Rela x;
      memcpy(&x, bytes_at(l, s->sh_offset + at), sizeof x);
      if (!each(l, &x, &l->sections[s->sh_info], s->sh_info)) return false;
    }
  }
  return true;
}

/* Addresses are known only when the object is loaded. */
static bool reserve(linker *l, const Elf64_Rela *x, const Elf64_Shdr *in, unsigned section) {
  (void)in, (void)section;
  if (ELF64_R_TYPE(x->r_info) == ABS64) vec_push(l->arena, l->dynamic, ((Elf64_Rela){0}));
  return true;
}

static unsigned bytes_of(uint64_t type) {
  switch (type) {
  case ABS64:
  case REL64: return 8;
  case REL32:
  case REL32_LO:
  case REL32_HI: return 4;
  case REL16: return 2;
  default: return 0;
  }
}

static bool apply(linker *l, const Elf64_Rela *x, const Elf64_Shdr *in, unsigned section) {
  uint64_t type = ELF64_R_TYPE(x->r_info), symbol = ELF64_R_SYM(x->r_info);
  unsigned bytes = bytes_of(type);
  if (!bytes) return fail(l, "it has a relocation of type %u", (unsigned)type);
  if (symbol >= count_symbols(l) || x->r_offset > in->sh_size || bytes > in->sh_size - x->r_offset)
    return fail(l, "a relocation of section %u lies outside", section);
  Elf64_Sym s = symbol_at(l, symbol);
  if (!is_placed(l, s.st_shndx)) return fail(l, "symbol %u is not defined", (unsigned)symbol);
  uint64_t at = l->at[section] + x->r_offset;
  uint64_t target = address_of(l, s) + (uint64_t)x->r_addend, value = target - at;
  if (type == ABS64) {
    Elf64_Rela left = {at, ELF64_R_INFO(0, RELATIVE64), (Elf64_Sxword)target};
    vec_push(l->arena, l->dynamic, left);
    value = target;
  }
  if (type == REL32_HI) value >>= 32;
  if (type == REL16) value = (uint64_t)((int64_t)(value - 4) / 4);
  write_at(l, at, &value, bytes); /* little-endian, as the host */
  return true;
}

static bool relocate(linker *l) {
  l->dynamic.len = 0;
  if (!walk_relocations(l, apply)) return false;
  if (l->dynamic.len)
    write_at(l, l->made.data[RELA].sh_offset, l->dynamic.data,
             l->dynamic.len * sizeof *l->dynamic.data);
  return true;
}

/* ---- the result ----------------------------------------------------------------------------- */

enum { MOST_SEGMENTS = 5 };

static void reserve_headers(linker *l) {
  for (size_t i = 0; i < sizeof(Elf64_Ehdr) + MOST_SEGMENTS * sizeof(Elf64_Phdr); i++)
    sbuf_putc(l->out, 0);
}

static void write_zeros(linker *l, size_t n) {
  while (n--) sbuf_putc(l->out, 0);
}

/* What a loader asks for, in the order of the numbers `made` has but for what comes later. */
static void write_tables(linker *l) {
  walk_relocations(l, reserve);
  Elf64_Shdr *s = begin_section(l, ".dynsym", SHT_DYNSYM, SHF_ALLOC, 8);
  s->sh_link = DYNSTR;
  s->sh_info = 1; /* the first that is not local */
  s->sh_entsize = sizeof(Elf64_Sym);
  s->sh_size = l->exported.len * sizeof(Elf64_Sym);
  write_zeros(l, s->sh_size);
  s = begin_section(l, ".hash", SHT_HASH, SHF_ALLOC, 4);
  s->sh_link = DYNSYM;
  s->sh_entsize = 4;
  write_hash(l);
  s->sh_size = size_so_far(l) - s->sh_offset;
  s = begin_section(l, ".dynstr", SHT_STRTAB, SHF_ALLOC, 1);
  s->sh_size = l->strings.len;
  sbuf_add(l->out, l->strings.data, l->strings.len);
  s = begin_section(l, ".rela.dyn", SHT_RELA, SHF_ALLOC, 8);
  s->sh_link = DYNSYM;
  s->sh_entsize = sizeof(Elf64_Rela);
  s->sh_size = l->dynamic.len * sizeof(Elf64_Rela);
  write_zeros(l, s->sh_size);
}

static void add_dynamic(linker *l, int64_t tag, uint64_t value) {
  Elf64_Dyn d = {.d_tag = tag, .d_un.d_val = value};
  sbuf_add(l->out, (const char *)&d, sizeof d);
}

static void write_dynamic(linker *l) {
  const Elf64_Shdr dynsym = l->made.data[DYNSYM], hash = l->made.data[HASH];
  const Elf64_Shdr dynstr = l->made.data[DYNSTR], rela = l->made.data[RELA];
  Elf64_Shdr *s = begin_section(l, ".dynamic", SHT_DYNAMIC, SHF_ALLOC, 8);
  s->sh_link = DYNSTR;
  s->sh_entsize = sizeof(Elf64_Dyn);
  uint64_t from = s->sh_offset;
  add_dynamic(l, DT_HASH, hash.sh_addr);
  add_dynamic(l, DT_SYMTAB, dynsym.sh_addr);
  add_dynamic(l, DT_SYMENT, sizeof(Elf64_Sym));
  add_dynamic(l, DT_STRTAB, dynstr.sh_addr);
  add_dynamic(l, DT_STRSZ, dynstr.sh_size);
  if (rela.sh_size) {
    add_dynamic(l, DT_RELA, rela.sh_addr);
    add_dynamic(l, DT_RELASZ, rela.sh_size);
    add_dynamic(l, DT_RELAENT, sizeof(Elf64_Rela));
  }
  add_dynamic(l, DT_NULL, 0);
  s->sh_size = size_so_far(l) - from;
  add_segment(l, PT_DYNAMIC, PF_R, from, 8);
}

/* A segment of the object's sections with these flags, from a page on; none where there are none.
 */
static void write_segment(linker *l, uint64_t flags, uint32_t rights) {
  bool any = false;
  for (unsigned i = 0; i < l->n_sections; i++) any |= is_of(&l->sections[i], flags);
  if (!any) return;
  pad_to(l, PAGE);
  uint64_t from = size_so_far(l);
  place_all(l, flags);
  add_segment(l, PT_LOAD, rights, from, PAGE);
  if (flags & SHF_WRITE) place_zeros(l, &l->segments.data[l->segments.len - 1]);
}

/* Notes are among what is read. */
static void add_notes(linker *l) {
  for (uint32_t i = 0; i < l->made.len; i++) {
    const Elf64_Shdr *s = &l->made.data[i];
    if (s->sh_type != SHT_NOTE) continue;
    Elf64_Phdr p = {.p_type = PT_NOTE,
                    .p_flags = PF_R,
                    .p_offset = s->sh_offset,
                    .p_vaddr = s->sh_addr,
                    .p_paddr = s->sh_addr,
                    .p_filesz = s->sh_size,
                    .p_memsz = s->sh_size,
                    .p_align = 4};
    if (l->segments.len < MOST_SEGMENTS) vec_push(l->arena, l->segments, p);
  }
}

static void write_headers(linker *l, uint64_t sections_at) {
  Elf64_Ehdr h = l->header;
  h.e_type = ET_DYN;
  h.e_phoff = sizeof h;
  h.e_phentsize = sizeof(Elf64_Phdr);
  h.e_phnum = (Elf64_Half)l->segments.len;
  h.e_shoff = sections_at;
  h.e_shnum = (Elf64_Half)l->made.len;
  h.e_shstrndx = (Elf64_Half)(l->made.len - 1);
  write_at(l, 0, &h, sizeof h);
  write_at(l, sizeof h, l->segments.data, l->segments.len * sizeof(Elf64_Phdr));
}

static void write_sections(linker *l) {
  Elf64_Shdr *s = begin_section(l, ".shstrtab", SHT_STRTAB, 0, 1);
  s->sh_size = l->names.len;
  sbuf_add(l->out, l->names.data, l->names.len);
  pad_to(l, 8);
  uint64_t at = size_so_far(l);
  sbuf_add(l->out, (const char *)l->made.data, l->made.len * sizeof *l->made.data);
  write_headers(l, at);
}

static bool link_sections(linker *l) {
  vec_push(l->arena, l->made, ((Elf64_Shdr){0}));
  add_string(&l->strings, "", 0);
  add_string(&l->names, "", 0);
  export_symbols(l);
  reserve_headers(l);
  write_tables(l);
  place_all(l, 0);
  write_dynamic(l);
  add_segment(l, PT_LOAD, PF_R, 0, PAGE);
  write_segment(l, SHF_EXECINSTR, PF_R | PF_X);
  write_segment(l, SHF_WRITE, PF_R | PF_W);
  add_notes(l);
  settle_symbols(l);
  if (!relocate(l)) return false;
  write_sections(l);
  return true;
}

const char *amdgcn_link(arena *a, str object, sbuf *out) {
  linker l = {.arena = a, .object = object, .out = out, .begin = out->len};
  l.strings = SBUF(a);
  l.names = SBUF(a);
  if (!read_sections(&l)) return l.problem;
  l.at = arena_array(a, uint64_t, l.n_sections);
  l.number = arena_array(a, unsigned, l.n_sections);
  memset(l.at, 0, l.n_sections * sizeof *l.at);
  memset(l.number, 0, l.n_sections * sizeof *l.number);
  return link_sections(&l) ? NULL : l.problem;
}
