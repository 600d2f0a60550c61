/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * libtessera_redirect.so: for programs that have NVIDIA's runtime library linked in, which does not
 * come up without NVIDIA's driver. `tessera exec` has the loader put this library into such a
 * program's process. Before the program's own constructors run, the entries of the runtime API that
 * its symbol table names are made jumps to the stand-in's. A program without a symbol table is left
 * as it is.
 */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The program's file, and where it lies in memory. */
typedef struct program {
  const char *data;
  size_t size;
  uintptr_t base;
} program;

/* ---- the file ------------------------------------------------------------------------------- */

static bool map_file(const char *path, program *p) {
  struct stat about;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  bool good = fstat(file, &about) == 0 && about.st_size > (off_t)sizeof(Elf64_Ehdr);
  void *data =
      good ? mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
  close(file);
  if (data == MAP_FAILED) return false;
  p->data = data;
  p->size = (size_t)about.st_size;
  return memcmp(data, ELFMAG, SELFMAG) == 0 && p->data[EI_CLASS] == ELFCLASS64;
}

static const void *part(const program *p, uint64_t offset, uint64_t size) {
  return offset <= p->size && size <= p->size - offset ? p->data + offset : NULL;
}

typedef struct symbols {
  const Elf64_Sym *first;
  size_t count;
  const char *names;
  size_t names_size;
} symbols;

static bool find_symbols(const program *p, symbols *out) {
  const Elf64_Ehdr *head = (const void *)p->data;
  const Elf64_Shdr *sections = part(p, head->e_shoff, (uint64_t)head->e_shnum * sizeof(Elf64_Shdr));
  for (unsigned i = 0; sections && i < head->e_shnum; i++) {
    const Elf64_Shdr *s = &sections[i];
    if (s->sh_type != SHT_SYMTAB || s->sh_link >= head->e_shnum) continue;
    const Elf64_Shdr *names = &sections[s->sh_link];
    *out = (symbols){.first = part(p, s->sh_offset, s->sh_size),
                     .count = s->sh_size / sizeof(Elf64_Sym),
                     .names = part(p, names->sh_offset, names->sh_size),
                     .names_size = names->sh_size};
    return out->first && out->names && out->names_size && !out->names[out->names_size - 1];
  }
  return false;
}

static const char *function_name(const symbols *all, const Elf64_Sym *s) {
  if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || s->st_shndx == SHN_UNDEF) return NULL;
  return s->st_name < all->names_size ? all->names + s->st_name : NULL;
}

static bool has_function(const symbols *all, const char *name) {
  for (size_t i = 0; i < all->count; i++) {
    const char *found = function_name(all, &all->first[i]);
    if (found && strcmp(found, name) == 0) return true;
  }
  return false;
}

/* ---- jumps ---------------------------------------------------------------------------------- */

/* A jump to the address in the 8 bytes behind it. */
#if defined(__x86_64__)
static const unsigned char jump[] = {0xff, 0x25, 0, 0, 0, 0};
#elif defined(__aarch64__)
static const unsigned char jump[] = {0x50, 0,    0,    0x58,
                                     0,    0x02, 0x1f, 0xd6}; /* ldr x16, +8; br x16 */
#endif
enum { JUMP_BYTES = sizeof jump + sizeof(uintptr_t) };

static bool write_jump(uintptr_t at, uintptr_t to) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = at & ~(page - 1);
  size_t size = ((at + JUMP_BYTES + page - 1) & ~(page - 1)) - begin;
  if (mprotect((void *)begin, size, PROT_READ | PROT_WRITE | PROT_EXEC)) return false;
  memcpy((void *)at, jump, sizeof jump);
  memcpy((void *)(at + sizeof jump), &to, sizeof to);
  __builtin___clear_cache((char *)at, (char *)at + JUMP_BYTES);
  return mprotect((void *)begin, size, PROT_READ | PROT_EXEC) == 0;
}

static bool is_entry(const char *name) {
  return strncmp(name, "cuda", 4) == 0 || strncmp(name, "__cuda", 6) == 0;
}

/* How many entries lead to the stand-in. */
static unsigned redirect(const program *p, const symbols *all, void *stand_in) {
  unsigned count = 0;
  for (size_t i = 0; i < all->count; i++) {
    const Elf64_Sym *s = &all->first[i];
    const char *name = function_name(all, s);
    if (!name || !is_entry(name) || s->st_size < JUMP_BYTES) continue;
    void *to = dlsym(stand_in, name);
    if (to) count += write_jump(p->base + s->st_value, (uintptr_t)to);
  }
  return count;
}

/* ---- starting ------------------------------------------------------------------------------- */

/* The program itself comes first. */
static int take_base(struct dl_phdr_info *info, size_t size, void *base) {
  (void)size;
  *(uintptr_t *)base = info->dlpi_addr;
  return 1;
}

/* The stand-in lies beside this library. */
static void *open_stand_in(int version) {
  Dl_info self;
  char path[4096];
  if (!dladdr((void *)jump, &self) || !self.dli_fname) return NULL;
  const char *slash = strrchr(self.dli_fname, '/');
  int folder = slash ? (int)(slash - self.dli_fname) : 0;
  snprintf(path, sizeof path, "%.*s/libcudart.so.%d", folder, self.dli_fname, version);
  return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

__attribute__((constructor)) static void start(void) {
  program p = {0};
  symbols all;
  if (!map_file("/proc/self/exe", &p)) return;
  dl_iterate_phdr(take_base, &p.base);
  if (find_symbols(&p, &all) && has_function(&all, "__cudaRegisterFatBinary")) {
    /* CUDA 12 has its properties of devices under a second name. */
    void *stand_in = open_stand_in(has_function(&all, "cudaGetDeviceProperties_v2") ? 12 : 13);
    if (!stand_in || !redirect(&p, &all, stand_in))
      fprintf(stderr, "tessera: the runtime library in this program could not be replaced\n");
  }
  munmap((void *)(uintptr_t)p.data, p.size);
}
