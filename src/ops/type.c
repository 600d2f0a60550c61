/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ops/type.h"

#include <stdio.h>

#include "num/num.h"

static const char *const unsigned_names[TSR_ELEM_COUNT] = {
    [TSR_I2] = "u2", [TSR_I3] = "u3", [TSR_I4] = "u4",   [TSR_I5] = "u5",   [TSR_I6] = "u6",
    [TSR_I7] = "u7", [TSR_I8] = "u8", [TSR_I16] = "u16", [TSR_I32] = "u32", [TSR_I64] = "u64",
};

const char *ops_type_name(ops_type t) {
  if (t < 0) return "auto";
  tsr_elem e = ops_type_elem(t);
  return ops_type_is_unsigned(t) && unsigned_names[e] ? unsigned_names[e] : tsr_elem_name(e);
}

ops_type ops_type_parse(str name) {
  tsr_elem e = tsr_elem_from_name(name.data, name.len);
  if (e >= TSR_ELEM_COUNT || e == TSR_PTR || e == TSR_I1) return -1;
  bool is_unsigned = unsigned_names[e] && (str_starts(name, "u"));
  return (ops_type)e | (is_unsigned ? OPS_UNSIGNED : 0);
}

ops_type ops_type_accumulator(ops_type t) {
  if (ops_type_is_int(t)) return ops_type_bits(t) == 64 ? TSR_I64 : TSR_I32;
  return ops_type_elem(t) == TSR_F64 ? TSR_F64 : TSR_F32;
}

double ops_type_roundoff(ops_type t) {
  const num_format *f = num_format_of(ops_type_elem(t));
  return f ? ldexp(1, -(int)f->mantissa_bits - 1) : 0;
}

double ops_type_highest(ops_type t) {
  const num_format *f = num_format_of(ops_type_elem(t));
  if (f) return num_decode(f, num_max_finite(f, false));
  return ldexp(1, (int)ops_type_bits(t) - !ops_type_is_unsigned(t)) - 1;
}

double ops_type_lowest(ops_type t) {
  const num_format *f = num_format_of(ops_type_elem(t));
  if (f) return f->is_signed ? -ops_type_highest(t) : 0;
  return ops_type_is_unsigned(t) ? 0 : -ldexp(1, (int)ops_type_bits(t) - 1);
}
