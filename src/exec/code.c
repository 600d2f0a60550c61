/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Of all objects together:
 *
 *   memory:  | code sections | stubs | … page … | constants |
 *              read + execute                     read
 *
 * A stub jumps to a function of the C library, which may be further away than a call reaches.
 */
#include "exec/code.h"

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"

enum { MAX_SECTIONS = 64, STUB_BYTES = 16 };

static const size_t max_image = (size_t)1 << 30;

/* What objects may refer to. */
static const struct {
  const char *name;
  void *address;
} functions[] = {{"memcpy", (void *)memcpy}, {"memset", (void *)memset}};

typedef struct image {
  struct program *program; /* that it is a part of */
  const unsigned char *object;
  size_t size;
  const Elf64_Shdr *sections; /* checked to lie inside, aligned */
  unsigned n_sections;
  const Elf64_Sym *symbols;
  uint32_t n_symbols;
  const char *names; /* of symbols; ends with a zero */
  size_t names_size;
  bool placed[MAX_SECTIONS];
  size_t at[MAX_SECTIONS]; /* offset of a placed section */
} image;

typedef struct program {
  image images[EXEC_CODE_OBJECTS];
  unsigned n;
  size_t stubs, constants; /* offsets */
  size_t total;
  unsigned char *memory;
} program;

#if defined(__x86_64__)
enum { MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { MACHINE = EM_AARCH64 };
#else
enum { MACHINE = EM_NONE };
#endif

/* ---- reading -------------------------------------------------------------------------------- */

static bool inside(const image *m, uint64_t offset, uint64_t length) {
  return offset <= m->size && length <= m->size - offset;
}

/* A section's bytes as an array of `each`; NULL when they aren't one. */
static const void *section_array(const image *m, const Elf64_Shdr *s, size_t each) {
  if (s->sh_entsize != each || s->sh_size % each || !inside(m, s->sh_offset, s->sh_size) ||
      s->sh_offset % 8)
    return NULL;
  return m->object + s->sh_offset;
}

static const char *read_symbols(image *m) {
  for (unsigned i = 0; i < m->n_sections; i++) {
    const Elf64_Shdr *s = &m->sections[i];
    if (s->sh_type != SHT_SYMTAB) continue;
    m->symbols = section_array(m, s, sizeof *m->symbols);
    if (!m->symbols || s->sh_link >= m->n_sections || s->sh_size / s->sh_entsize > UINT32_MAX)
      return "has a broken table of symbols";
    m->n_symbols = (uint32_t)(s->sh_size / s->sh_entsize);
    const Elf64_Shdr *names = &m->sections[s->sh_link];
    if (!names->sh_size || !inside(m, names->sh_offset, names->sh_size))
      return "has a broken table of names";
    m->names = (const char *)m->object + names->sh_offset;
    m->names_size = names->sh_size;
    return m->names[m->names_size - 1] ? "has a broken table of names" : NULL;
  }
  return "has no symbols";
}

static const char *read_header(image *m) {
  const Elf64_Ehdr *h = (const void *)m->object;
  static const unsigned char magic[] = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB};
  if ((uintptr_t)m->object % EXEC_CODE_ALIGN) return "is not aligned to 8 bytes";
  if (m->size < sizeof *h || memcmp(h->e_ident, magic, sizeof magic) != 0)
    return "is no 64-bit ELF object";
  if (h->e_type != ET_REL || h->e_machine != MACHINE) return "is no object for this machine";
  if (h->e_shnum == 0 || h->e_shnum > MAX_SECTIONS || h->e_shentsize != sizeof(Elf64_Shdr) ||
      h->e_shoff % 8 || !inside(m, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr)))
    return "has a broken table of sections";
  m->sections = (const void *)(m->object + h->e_shoff);
  m->n_sections = h->e_shnum;
  return read_symbols(m);
}

static size_t round_up(size_t n, size_t to) {
  return (n + to - 1) & ~(to - 1);
}

/* Where the object ends: after the last thing that its tables name. */
static size_t object_end(const image *m) {
  const Elf64_Ehdr *h = (const void *)m->object;
  size_t end = h->e_shoff + m->n_sections * sizeof(Elf64_Shdr);
  for (unsigned i = 0; i < m->n_sections; i++) {
    const Elf64_Shdr *s = &m->sections[i];
    if (s->sh_type == SHT_NOBITS || s->sh_type == SHT_NULL) continue;
    if (inside(m, s->sh_offset, s->sh_size)) end = MAX(end, s->sh_offset + s->sh_size);
  }
  return end;
}

static const char *read_objects(program *p, const unsigned char *bytes, size_t size) {
  size_t at = 0;
  do {
    if (p->n == EXEC_CODE_OBJECTS) return "has too many parts";
    image *m = &p->images[p->n++];
    *m = (image){.program = p, .object = bytes + at, .size = size - at};
    const char *wrong = read_header(m);
    if (wrong) return wrong;
    m->size = object_end(m);
    at += round_up(m->size, EXEC_CODE_ALIGN);
  } while (at < size);
  return NULL;
}

/* ---- placing -------------------------------------------------------------------------------- */

static bool is_code(const Elf64_Shdr *s) {
  return s->sh_flags & SHF_EXECINSTR;
}

/* Unwind tables are left out: nothing unwinds through a kernel. */
static bool is_needed(const Elf64_Shdr *s) {
  return s->sh_flags & SHF_ALLOC && s->sh_type == SHT_PROGBITS;
}

static const char *place_sections(image *m, bool code) {
  program *p = m->program;
  for (unsigned i = 0; i < m->n_sections; i++) {
    const Elf64_Shdr *s = &m->sections[i];
    if (s->sh_flags & SHF_ALLOC && s->sh_type == SHT_NOBITS && s->sh_size)
      return "has data that is written to";
    if (!is_needed(s) || is_code(s) != code) continue;
    size_t align = s->sh_addralign ? s->sh_addralign : 1;
    if (align & (align - 1) || align > 4096) return "has a section with a broken alignment";
    if (!inside(m, s->sh_offset, s->sh_size)) return "has a section that lies outside";
    if (p->total > max_image || s->sh_size > max_image) return "is larger than 1 GiB";
    p->total = round_up(p->total, align);
    m->at[i] = p->total;
    m->placed[i] = true;
    p->total += s->sh_size; /* at most a little more than twice the limit */
  }
  return NULL;
}

static const char *place_objects(program *p, bool code) {
  const char *wrong = NULL;
  for (unsigned i = 0; i < p->n && !wrong; i++) wrong = place_sections(&p->images[i], code);
  return wrong;
}

static const char *place_all(program *p) {
  const char *wrong = place_objects(p, true);
  if (wrong) return wrong;
  p->stubs = round_up(p->total, STUB_BYTES);
  p->total = p->stubs + ARRAY_LEN(functions) * STUB_BYTES;
  p->constants = p->total = round_up(p->total, (size_t)sysconf(_SC_PAGESIZE));
  wrong = place_objects(p, false);
  return !wrong && p->total > max_image ? "is larger than 1 GiB" : wrong;
}

static void write_stub(unsigned char *at, void *function) {
  uint64_t address = (uint64_t)(uintptr_t)function;
#if defined(__x86_64__)
  static const unsigned char jump[] = {0xff, 0x25, 0, 0, 0, 0}; /* jmp [rip] */
  memcpy(at, jump, sizeof jump);
  memcpy(at + sizeof jump, &address, sizeof address);
#else
  static const uint32_t jump[] = {0x58000050, 0xd61f0200}; /* ldr x16, #8; br x16 */
  memcpy(at, jump, sizeof jump);
  memcpy(at + 8, &address, sizeof address);
#endif
}

static const char *fill(program *p) {
  void *memory = mmap(NULL, p->total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return "does not fit into memory";
  p->memory = memory;
  for (unsigned k = 0; k < p->n; k++) {
    const image *m = &p->images[k];
    for (unsigned i = 0; i < m->n_sections; i++)
      if (m->placed[i])
        memcpy(p->memory + m->at[i], m->object + m->sections[i].sh_offset, m->sections[i].sh_size);
  }
  for (size_t i = 0; i < ARRAY_LEN(functions); i++)
    write_stub(p->memory + p->stubs + i * STUB_BYTES, functions[i].address);
  return NULL;
}

/* ---- relocating ----------------------------------------------------------------------------- */

static const char *symbol_name(const image *m, const Elf64_Sym *s) {
  return s->st_name < m->names_size ? m->names + s->st_name : "";
}

/* Where a symbol that the object defines lies in memory; 0: nowhere. */
static uint64_t defined_address(const image *m, const Elf64_Sym *s) {
  if (s->st_shndx >= m->n_sections || !m->placed[s->st_shndx]) return 0;
  if (s->st_value > m->sections[s->st_shndx].sh_size) return 0;
  return (uint64_t)(uintptr_t)(m->program->memory + m->at[s->st_shndx]) + s->st_value;
}

/* Of what no object says where it is: in another, or in the C library. */
static uint64_t outside_address(const program *p, const char *name) {
  for (size_t i = 0; i < ARRAY_LEN(functions); i++)
    if (strcmp(name, functions[i].name) == 0)
      return (uint64_t)(uintptr_t)(p->memory + p->stubs + i * STUB_BYTES);
  for (unsigned k = 0; k < p->n; k++) {
    const image *m = &p->images[k];
    for (uint32_t i = 0; i < m->n_symbols; i++) {
      const Elf64_Sym *s = &m->symbols[i];
      if (s->st_shndx == SHN_UNDEF || ELF64_ST_BIND(s->st_info) != STB_GLOBAL) continue;
      if (strcmp(symbol_name(m, s), name) == 0) return defined_address(m, s);
    }
  }
  return 0;
}

static uint64_t symbol_address(const image *m, uint64_t index) {
  if (index >= m->n_symbols) return 0;
  const Elf64_Sym *s = &m->symbols[index];
  return s->st_shndx == SHN_UNDEF ? outside_address(m->program, symbol_name(m, s))
                                  : defined_address(m, s);
}

/* A relocation: `value` is the symbol's address plus the addend, S + A in the ABI's terms, and
 * `place` its P. */
typedef struct fixup {
  unsigned char *at;
  uint64_t place, value;
  uint32_t type;
} fixup;

static bool fits_signed(int64_t v, unsigned bits) {
  return v >= -(INT64_C(1) << (bits - 1)) && v < INT64_C(1) << (bits - 1);
}

static size_t fixup_bytes(uint32_t type) {
#if defined(__x86_64__)
  return type == R_X86_64_64 || type == R_X86_64_PC64 ? 8 : 4;
#else
  return type == R_AARCH64_ABS64 || type == R_AARCH64_PREL64 ? 8 : 4;
#endif
}

#if defined(__x86_64__)
static bool apply(const fixup *f) {
  int64_t distance = (int64_t)(f->value - f->place);
  int32_t narrow = (int32_t)distance;
  switch (f->type) {
  case R_X86_64_64: memcpy(f->at, &f->value, 8); return true;
  case R_X86_64_PC64: memcpy(f->at, &distance, 8); return true;
  case R_X86_64_PC32:
  case R_X86_64_PLT32: memcpy(f->at, &narrow, 4); return fits_signed(distance, 32);
  default: return false;
  }
}
#elif defined(__aarch64__)
/* Puts the low `bits` of `field` into an instruction, from bit `first` on. */
static void patch(unsigned char *at, uint64_t field, unsigned first, unsigned bits) {
  uint32_t word, mask = (uint32_t)((UINT64_C(1) << bits) - 1);
  memcpy(&word, at, 4);
  word = (word & ~(mask << first)) | ((uint32_t)field & mask) << first;
  memcpy(at, &word, 4);
}

/* adr and adrp keep their two lowest bits apart. */
static void patch_adr(unsigned char *at, uint64_t field) {
  patch(at, field, 29, 2);
  patch(at, field >> 2, 5, 19);
}

/* The low 12 bits of an address, counted in accesses of 2^scale bytes. */
static bool patch_low(const fixup *f, unsigned scale) {
  patch(f->at, (f->value & 0xfff) >> scale, 10, 12);
  return (f->value & ((1u << scale) - 1)) == 0;
}

static bool apply(const fixup *f) {
  int64_t distance = (int64_t)(f->value - f->place);
  int64_t pages = (int64_t)(f->value >> 12) - (int64_t)(f->place >> 12);
  switch (f->type) {
  case R_AARCH64_ABS64: memcpy(f->at, &f->value, 8); return true;
  case R_AARCH64_PREL64: memcpy(f->at, &distance, 8); return true;
  case R_AARCH64_PREL32:
    memcpy(f->at, &(int32_t){(int32_t)distance}, 4);
    return fits_signed(distance, 32);
  case R_AARCH64_CALL26:
  case R_AARCH64_JUMP26:
    patch(f->at, (uint64_t)distance >> 2, 0, 26);
    return fits_signed(distance, 28) && distance % 4 == 0;
  case R_AARCH64_ADR_PREL_LO21:
    patch_adr(f->at, (uint64_t)distance);
    return fits_signed(distance, 21);
  case R_AARCH64_ADR_PREL_PG_HI21: patch_adr(f->at, (uint64_t)pages); return fits_signed(pages, 21);
  case R_AARCH64_ADD_ABS_LO12_NC:
  case R_AARCH64_LDST8_ABS_LO12_NC: return patch_low(f, 0);
  case R_AARCH64_LDST16_ABS_LO12_NC: return patch_low(f, 1);
  case R_AARCH64_LDST32_ABS_LO12_NC: return patch_low(f, 2);
  case R_AARCH64_LDST64_ABS_LO12_NC: return patch_low(f, 3);
  case R_AARCH64_LDST128_ABS_LO12_NC: return patch_low(f, 4);
  default: return false;
  }
}
#else
static bool apply(const fixup *f) {
  (void)f;
  return false;
}
#endif

static const char *relocate_section(image *m, const Elf64_Shdr *s) {
  unsigned target = s->sh_info;
  if (target >= m->n_sections) return "has relocations of no section";
  if (!m->placed[target]) return NULL;
  const Elf64_Rela *r = section_array(m, s, sizeof *r);
  if (!r) return "has a broken table of relocations";
  for (uint64_t i = 0; i < s->sh_size / sizeof *r; i++) {
    uint32_t type = (uint32_t)ELF64_R_TYPE(r[i].r_info);
    uint64_t symbol = symbol_address(m, ELF64_R_SYM(r[i].r_info));
    uint64_t size = m->sections[target].sh_size, bytes = fixup_bytes(type);
    if (!symbol) return "refers to something outside that no kernel needs";
    if (size < bytes || r[i].r_offset > size - bytes) return "has a relocation outside its section";
    unsigned char *at = m->program->memory + m->at[target] + r[i].r_offset;
    fixup f = {.at = at,
               .place = (uint64_t)(uintptr_t)at,
               .value = symbol + (uint64_t)r[i].r_addend,
               .type = type};
    if (!apply(&f)) return "has a relocation that is not known";
  }
  return NULL;
}

static const char *relocate_object(image *m) {
  for (unsigned i = 0; i < m->n_sections; i++) {
    const char *wrong = NULL;
    if (m->sections[i].sh_type == SHT_RELA) wrong = relocate_section(m, &m->sections[i]);
    if (m->sections[i].sh_type == SHT_REL) wrong = "has relocations without addends";
    if (wrong) return wrong;
  }
  return NULL;
}

static const char *relocate(program *p) {
  const char *wrong = NULL;
  for (unsigned i = 0; i < p->n && !wrong; i++) wrong = relocate_object(&p->images[i]);
  return wrong;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static void *find_function(const image *m, const char *symbol) {
  for (uint32_t i = 0; i < m->n_symbols; i++) {
    const Elf64_Sym *s = &m->symbols[i];
    if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || strcmp(symbol_name(m, s), symbol) != 0) continue;
    if (s->st_shndx >= m->n_sections || !m->placed[s->st_shndx] ||
        !is_code(&m->sections[s->st_shndx]) || s->st_value >= m->sections[s->st_shndx].sh_size)
      return NULL;
    return m->program->memory + m->at[s->st_shndx] + s->st_value;
  }
  return NULL;
}

static const char *find_entry(const program *p, const char *symbol, void **out) {
  *out = NULL;
  for (unsigned i = 0; i < p->n && !*out; i++) *out = find_function(&p->images[i], symbol);
  return *out ? NULL : "does not define the kernel's function";
}

static const char *protect(program *p) {
  char *code = (char *)p->memory;
  __builtin___clear_cache(code, code + p->constants);
  if (mprotect(p->memory, p->constants, PROT_READ | PROT_EXEC) ||
      (p->total > p->constants &&
       mprotect(p->memory + p->constants, p->total - p->constants, PROT_READ)))
    return "may not be made executable: the system does not allow it";
  return NULL;
}

const char *exec_code_load_all(const void *object, size_t size, unsigned n,
                               const char *const *symbols, void **entries, exec_code *out) {
  program p = {0};
  *out = (exec_code){0};
  const char *wrong = read_objects(&p, object, size);
  if (!wrong) wrong = place_all(&p);
  if (!wrong) wrong = fill(&p);
  if (wrong) return wrong;
  wrong = relocate(&p);
  for (unsigned i = 0; i < n && !wrong; i++) wrong = find_entry(&p, symbols[i], &entries[i]);
  if (!wrong) wrong = protect(&p);
  if (wrong) {
    munmap(p.memory, p.total);
    return wrong;
  }
  *out = (exec_code){.memory = p.memory, .size = p.total, .entry = entries[0]};
  return NULL;
}

const char *exec_code_load(const void *object, size_t size, const char *symbol, exec_code *out) {
  void *entry;
  return exec_code_load_all(object, size, 1, &symbol, &entry, out);
}

void exec_code_unload(exec_code *code) {
  if (code->memory) munmap(code->memory, code->size);
  *code = (exec_code){0};
}
