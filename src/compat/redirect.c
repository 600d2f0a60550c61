/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * libtessera_redirect.so: for programs and shared libraries that have NVIDIA's runtime library
 * linked in, which does not come up without NVIDIA's driver. `tessera exec` makes it an auditor of
 * the dynamic loader (LD_AUDIT), which tells it of every file that it maps, before that is used. In
 * those with the runtime library each entry of its API, found in the symbol table, becomes a call
 * to a resolver. The first call opens the stand-in beside the program's libraries and makes all of
 * the file's entries jumps to it. A file without a symbol table is left as it is.
 */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compat/redirect.h"

/* A file of code, and where it lies in memory. */
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

/* ---- what is written over an entry ------------------------------------------------------------
 */

/* A call of the resolver, which learns from it which entry was called; then a jump. Each goes to
 * the address in the 8 bytes behind it. */
#if defined(__x86_64__)
static const unsigned char call[] = {0xff, 0x15, 0, 0, 0, 0};
static const unsigned char jump[] = {0xff, 0x25, 0, 0, 0, 0};
/* The call has left the entry's address, and its own length, on the stack. */
__asm__(".text\n.hidden redirect_resolver\n.globl redirect_resolver\nredirect_resolver:\n"
        "push %rax\npush %rdi\npush %rsi\npush %rdx\npush %rcx\npush %r8\npush %r9\npush %r10\n"
        "sub $128, %rsp\n"
        "movups %xmm0, (%rsp)\nmovups %xmm1, 16(%rsp)\nmovups %xmm2, 32(%rsp)\n"
        "movups %xmm3, 48(%rsp)\nmovups %xmm4, 64(%rsp)\nmovups %xmm5, 80(%rsp)\n"
        "movups %xmm6, 96(%rsp)\nmovups %xmm7, 112(%rsp)\n"
        "mov 192(%rsp), %rdi\nsub $6, %rdi\ncall redirect_resolve\nmov %rax, %r11\n"
        "movups (%rsp), %xmm0\nmovups 16(%rsp), %xmm1\nmovups 32(%rsp), %xmm2\n"
        "movups 48(%rsp), %xmm3\nmovups 64(%rsp), %xmm4\nmovups 80(%rsp), %xmm5\n"
        "movups 96(%rsp), %xmm6\nmovups 112(%rsp), %xmm7\n"
        "add $128, %rsp\n"
        "pop %r10\npop %r9\npop %r8\npop %rcx\npop %rdx\npop %rsi\npop %rdi\npop %rax\n"
        "add $8, %rsp\njmp *%r11\n");
#elif defined(__aarch64__)
static const unsigned char call[] = {0x11, 0, 0,    0x10, 0x70, 0,    0,    0x58,  /* adr x17, 0 */
                                     0,    2, 0x1f, 0xd6, 0x1f, 0x20, 0x03, 0xd5}; /* ldr, br x16 */
static const unsigned char jump[] = {0x50, 0,    0,    0x58,
                                     0,    0x02, 0x1f, 0xd6}; /* ldr x16, +8; br x16 */
/* The entry's address is in x17. */
__asm__(".text\n.hidden redirect_resolver\n.globl redirect_resolver\nredirect_resolver:\n"
        "stp x29, x30, [sp, #-224]!\nstp x0, x1, [sp, #16]\nstp x2, x3, [sp, #32]\n"
        "stp x4, x5, [sp, #48]\nstp x6, x7, [sp, #64]\nstr x8, [sp, #80]\n"
        "stp q0, q1, [sp, #96]\nstp q2, q3, [sp, #128]\nstp q4, q5, [sp, #160]\n"
        "stp q6, q7, [sp, #192]\n"
        "mov x0, x17\nbl redirect_resolve\nmov x17, x0\n"
        "ldp q6, q7, [sp, #192]\nldp q4, q5, [sp, #160]\nldp q2, q3, [sp, #128]\n"
        "ldp q0, q1, [sp, #96]\nldr x8, [sp, #80]\nldp x6, x7, [sp, #64]\n"
        "ldp x4, x5, [sp, #48]\nldp x2, x3, [sp, #32]\nldp x0, x1, [sp, #16]\n"
        "ldp x29, x30, [sp], #224\nbr x17\n");
#endif
enum { CALL_BYTES = sizeof call + sizeof(uintptr_t), JUMP_BYTES = sizeof jump + sizeof(uintptr_t) };

static bool write_code(uintptr_t at, const void *code, size_t bytes) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = at & ~(page - 1);
  size_t size = ((at + bytes + page - 1) & ~(page - 1)) - begin;
  if (mprotect((void *)begin, size, PROT_READ | PROT_WRITE | PROT_EXEC)) return false;
  memcpy((void *)at, code, bytes);
  __builtin___clear_cache((char *)at, (char *)at + bytes);
  return mprotect((void *)begin, size, PROT_READ | PROT_EXEC) == 0;
}

static bool write_call(uintptr_t at) {
  unsigned char code[CALL_BYTES];
  uintptr_t to = (uintptr_t)redirect_resolver;
  memcpy(code, call, sizeof call);
  memcpy(code + sizeof call, &to, sizeof to);
  return write_code(at, code, sizeof code);
}

static bool write_jump(uintptr_t at, uintptr_t to) {
  unsigned char code[JUMP_BYTES];
  memcpy(code, jump, sizeof jump);
  memcpy(code + sizeof jump, &to, sizeof to);
  return write_code(at, code, sizeof code);
}

/* ---- entries -------------------------------------------------------------------------------- */

typedef struct entry {
  char *name;
  uintptr_t at;
  unsigned char was[CALL_BYTES];
} entry;

/* Of one file, until one of them is called. */
typedef struct redirected {
  struct redirected *next;
  int version; /* of the runtime library */
  size_t count;
  entry entries[];
} redirected;

static redirected *waiting;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_entry(const char *name) {
  return strncmp(name, "cuda", 4) == 0 || strncmp(name, "__cuda", 6) == 0;
}

static void add_entry(redirected *r, const char *name, uintptr_t at) {
  entry e = {.name = strdup(name), .at = at};
  memcpy(e.was, (const void *)at, sizeof e.was);
  if (e.name && write_call(at))
    r->entries[r->count++] = e;
  else
    free(e.name);
}

static void take_entries(const program *p, const symbols *all) {
  redirected *r = malloc(sizeof *r + all->count * sizeof *r->entries);
  if (!r) return;
  /* CUDA 12 has its properties of devices under a second name. */
  *r = (redirected){.next = waiting,
                    .version = has_function(all, "cudaGetDeviceProperties_v2") ? 12 : 13};
  for (size_t i = 0; i < all->count; i++) {
    const Elf64_Sym *s = &all->first[i];
    const char *name = function_name(all, s);
    if (name && is_entry(name) && s->st_size >= CALL_BYTES)
      add_entry(r, name, p->base + s->st_value);
  }
  waiting = r;
}

/* ---- the first call ------------------------------------------------------------------------- */

/* The stand-in lies beside this library; it is opened among the program's libraries, not among this
 * one's, which the loader keeps apart. */
static void *open_stand_in(int version) {
  Dl_info self;
  char path[PATH_MAX];
  if (!dladdr((const void *)jump, &self) || !self.dli_fname) return NULL;
  const char *slash = strrchr(self.dli_fname, '/');
  int folder = slash ? (int)(slash - self.dli_fname) : 0;
  snprintf(path, sizeof path, "%.*s/libcudart.so.%d", folder, self.dli_fname, version);
  return dlmopen(LM_ID_BASE, path, RTLD_NOW | RTLD_LOCAL);
}

/* Entries that the stand-in doesn't have become again what they were. */
static void lead(redirected *r) {
  void *stand_in = open_stand_in(r->version);
  if (!stand_in)
    fprintf(stderr, "tessera: the runtime library in this program could not be replaced: %s\n",
            dlerror());
  for (size_t i = 0; i < r->count; i++) {
    entry *e = &r->entries[i];
    void *to = stand_in ? dlsym(stand_in, e->name) : NULL;
    if (!to || !write_jump(e->at, (uintptr_t)to)) write_code(e->at, e->was, sizeof e->was);
    free(e->name);
  }
}

static bool has_entry(const redirected *r, uintptr_t at) {
  for (size_t i = 0; i < r->count; i++)
    if (r->entries[i].at == at) return true;
  return false;
}

static redirected *take_waiting(uintptr_t at) {
  pthread_mutex_lock(&lock);
  redirected **link = &waiting;
  while (*link && !has_entry(*link, at)) link = &(*link)->next;
  redirected *found = *link;
  if (found) *link = found->next;
  pthread_mutex_unlock(&lock);
  return found;
}

/* Called by the resolver; what it gives back is called again, by a thread that comes while another
 * is at work until that is done. The loader, which has a lock of its own, may call back. */
uintptr_t redirect_resolve(uintptr_t at) {
  redirected *found = take_waiting(at);
  if (found) lead(found);
  if (!found) sched_yield();
  free(found);
  return at;
}

/* ---- the loader's calls --------------------------------------------------------------------- */

#define CALLED __attribute__((visibility("default")))

static bool has_bytes(const program *p, const char *text) {
  return memmem(p->data, p->size, text, strlen(text)) != NULL;
}

/* Not Tessera's, and not a shared runtime library, which another library may want as it is. */
static bool is_replaced(const program *p, const symbols *all, const char *path) {
  const char *slash = strrchr(path, '/');
  return has_function(all, "__cudaRegisterFatBinary") && !has_bytes(p, "libtessera_cudart") &&
         strncmp(slash ? slash + 1 : path, "libcudart.so", strlen("libcudart.so")) != 0;
}

CALLED unsigned la_version(unsigned version) {
  return version < LAV_CURRENT ? version : LAV_CURRENT;
}

/* The program itself has no name. */
CALLED unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie) {
  const char *path = *map->l_name ? map->l_name : "/proc/self/exe";
  program p = {.base = map->l_addr};
  symbols all;
  (void)cookie;
  if (space == LM_ID_BASE && map_file(path, &p) && find_symbols(&p, &all) &&
      is_replaced(&p, &all, path)) {
    pthread_mutex_lock(&lock);
    take_entries(&p, &all);
    pthread_mutex_unlock(&lock);
  }
  if (p.data) munmap((void *)(uintptr_t)p.data, p.size);
  return 0;
}
