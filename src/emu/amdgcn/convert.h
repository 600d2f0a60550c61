/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Conversions to and from floats of 8, 6 and 4 bits, several at once, by a scale, and with random
 * rounding ("v_cvt_scalef32_sr_pk_fp4_f32"), as their names say.
 *
 * Formats of 8 bits are OCP's, on gfx942 those without a negative zero.
 */
#ifndef TSR_EMU_AMDGCN_CONVERT_H
#define TSR_EMU_AMDGCN_CONVERT_H

#include "emu/amdgcn/insn.h"

struct gcn_conversion {
  uint8_t to, from; /* formats (convert.c) */
  uint8_t count;    /* elements: 1, 2, 32 */
  bool scaled;      /* the last source is an f32 of which the exponent counts */
  bool random;      /* the source before it is added below the result's last bit */
  bool apart;       /* elements come from two sources, the first half from the first */
};

/* Recognises a mnemonic and fills i->row and i->conversion. */
bool gcn_read_conversion(arena *a, str name, gcn_insn *i);
/* Whether its operands have the registers that it takes. */
bool gcn_conversion_fits(const gcn_insn *i);
emu_step gcn_run_convert(emu_warp *w, const gcn_insn *i);

#endif
