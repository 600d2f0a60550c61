/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The stand-in of HIP, which is loaded with this one, but it says that its card is a gfx950.
 */
#include <dlfcn.h>
#include <string.h>

int hipGetDevicePropertiesR0600(char *properties, int ordinal);

int hipGetDevicePropertiesR0600(char *properties, int ordinal) {
  enum { ARCH = 1160 };
  int (*get)(char *, int);
  void *symbol = dlsym(RTLD_NEXT, "hipGetDevicePropertiesR0600");
  memcpy(&get, &symbol, sizeof get);
  int r = get(properties, ordinal);
  strcpy(properties + ARCH, "gfx950:sramecc+:xnack-");
  return r;
}
