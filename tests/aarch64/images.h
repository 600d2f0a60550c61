/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * For tests of code for AArch64: unit tests that compile kernels run twice, once on the host, where
 * each kernel that they compile is also compiled for AArch64 and put into a folder (record.c), and
 * once under an emulator, where kernels come from that folder (replay.c). Programs are the same both
 * times, so a kernel is known by its module's text.
 *
 *   TESSERA_TEST_IMAGES   the folder
 *   TESSERA_TEST_TARGET   what to compile for: "aarch64", "aarch64+bf16+i8mm"
 */
#ifndef TSR_TESTS_IMAGES_H
#define TSR_TESTS_IMAGES_H

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "cpu/cpu.h"
#include "text/text.h"

/* The file of a kernel: 8 bytes of scratch_bytes, 8 of keys_bytes, then the object. */
static inline void image_path(ir_module *m, const ir_op *entry, const cpu_options *o,
                              char out[PATH_MAX]) {
  arena a;
  arena_init(&a, m->ctx);
  sbuf text = SBUF(&a);
  text_print(&text, m);
  sbuf_printf(&text, STR_FMT " O%u", STR_ARG(ir_symbol_name(entry)), o->opt_level);
  const char *folder = getenv("TESSERA_TEST_IMAGES");
  snprintf(out, PATH_MAX, "%s/%016llx", folder ? folder : ".",
           (unsigned long long)hash_bytes(text.data, text.len));
  arena_free(&a);
}

#endif
