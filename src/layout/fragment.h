/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fragments of matrix instructions by vendor; tsr_fragment (<tessera/layout.h>) asks for them all.
 */
#ifndef TSR_LAYOUT_FRAGMENT_H
#define TSR_LAYOUT_FRAGMENT_H

#include <tessera/layout.h>

#include "base/base.h"

/* The fragment of one of AMD's instructions ("mfma.32x32x8.f16.A"), in *out; false where there is
 * none of that name. */
bool fragment_amd(tsr_layout *out, str name);
/* Their names, NULL at the end. */
const char *fragment_amd_name(uint32_t i);

#endif
