/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * exec/code: machine code from relocatable ELF objects, made executable in memory.
 *
 * The compiler makes an object whether the code is to run at once or later: it is what lies in the
 * disk cache, so a kernel from there runs without LLVM. The objects that compiled kernels need are
 * simple, and this loads no others: position-independent code and constants, no data that is
 * written to, and of the functions outside memcpy and memset only. Bounds are checked throughout;
 * whatever the bytes are, loading them is safe (running them is not).
 *
 * What was compiled in parts is several objects, one after the other, each at a multiple of
 * EXEC_CODE_ALIGN bytes. They may call each other's functions that are global.
 *
 * Formats: the System V ABI, "Object Files", with the relocations of the x86-64 psABI and of
 * "ELF for the Arm 64-bit Architecture".
 */
#ifndef TSR_EXEC_CODE_H
#define TSR_EXEC_CODE_H

#include <stddef.h>

enum { EXEC_CODE_OBJECTS = 8 /* at most */, EXEC_CODE_ALIGN = 8 };

typedef struct exec_code {
  void *memory; /* code, then constants; no page is writable and executable */
  size_t size;
  void *entry; /* the function asked for; of several, the first */
} exec_code;

/* Loads the object (or several) and finds the function `symbol` in it. Returns NULL, or what is
 * wrong with the object as the end of a sentence ("has no function 'f'"); then there is nothing to
 * unload. Any thread. The object's bytes are not needed afterwards. */
const char *exec_code_load(const void *object, size_t size, const char *symbol, exec_code *out);
/* The same for n functions, of which there is at least one: their addresses go to `entries`. */
const char *exec_code_load_all(const void *object, size_t size, unsigned n,
                               const char *const *symbols, void **entries, exec_code *out);
void exec_code_unload(exec_code *code); /* of all zeros is allowed */

#endif
