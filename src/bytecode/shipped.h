/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Programs that come with the library, found by name wherever it lies: "softmax" is
 * kernels/softmax.mlir, "examples/saxpy" is examples/saxpy.mlir.
 */
#ifndef TSR_BYTECODE_SHIPPED_H
#define TSR_BYTECODE_SHIPPED_H

#include "base/base.h"

#define SHIPPED_PREFIX "tessera:"

/* The folders that names are looked up in; the names of those in the second begin with its own. */
enum { SHIPPED_KINDS = 2 };
extern const char *const shipped_kinds[SHIPPED_KINDS];

/* The folder that has these: an installation's, or a source tree around the build. NULL: there is
 * none beside the file that this code was loaded from. */
const char *shipped_folder(arena *a);
/* The file of a name without the prefix. A name may have no other folder in it than one of
 * shipped_kinds. NULL: there is none. */
const char *shipped_find(arena *a, const char *folder, const char *name);

#endif
