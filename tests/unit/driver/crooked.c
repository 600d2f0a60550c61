/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The driver library, which is loaded with this one, but for a card whose dynamic shared memory
 * begins at 0x410: what the kernel that looks for it has found is replaced.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

int cuModuleGetFunction(void **function, void *module, const char *name);
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream);

static int looks;

int cuModuleGetFunction(void **function, void *module, const char *name) {
  int (*real)(void **, void *, const char *) =
      (int (*)(void **, void *, const char *))dlsym(RTLD_NEXT, "cuModuleGetFunction");
  looks = strcmp(name, "tessera_shared_base") == 0;
  return real(function, module, name);
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream) {
  int (*real)(void *, uint64_t, size_t, void *) =
      (int (*)(void *, uint64_t, size_t, void *))dlsym(RTLD_NEXT, "cuMemcpyDtoHAsync_v2");
  int status = real(to, from, bytes, stream);
  uint32_t address = 0x410;
  if (looks && bytes == sizeof address) memcpy(to, &address, sizeof address);
  looks = 0;
  return status;
}
