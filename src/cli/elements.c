/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The page of element types (docs/elements.md), from their table.
 */
#include <math.h>

#include "cli/cli.h"
#include "ir/version.h"
#include "num/num.h"

static const char *const aliases[TSR_ELEM_COUNT] = {
#define TSR_ELEM_INT(id, name, bits, stored, since, others, about) [TSR_##id] = others,
#define TSR_ELEM_FLOAT(id, name, exponent, mantissa, padding, bias, nan, is_signed, has_zero,      \
                       saturates, nan_to_max, since, others, about)                                \
  [TSR_##id] = others,
#include <tessera/elem.def>
};

/* "13.1", or that Tile IR has no such type. */
static void put_origin(sbuf *out, tsr_elem e) {
  if (tsr_elem_is_extension(e))
    sbuf_puts(out, " | extension");
  else
    sbuf_printf(out, " | 13.%u", ir_elem_since(e));
}

static void put_aliases(sbuf *out, tsr_elem e) {
  sbuf_puts(out, " |");
  for (const char *p = aliases[e]; p && p[1];) {
    size_t n = strcspn(p + 1, " ");
    sbuf_printf(out, " `%.*s`", (int)n, p + 1);
    p += 1 + n;
  }
  sbuf_puts(out, " |\n");
}

/* "2^-9", of a power of two that is none of the everyday ones. */
static void put_value(sbuf *out, double x) {
  int exponent;
  if (frexp(x, &exponent) == 0.5 && (x < 0.01 || x > 1e6))
    sbuf_printf(out, " | 2^%d", exponent - 1);
  else
    sbuf_printf(out, " | %.10g", x);
}

static void put_largest(sbuf *out, const num_format *f) {
  double largest = num_decode(f, num_max_finite(f, false));
  if (f->mantissa_bits && largest > 1e6)
    sbuf_printf(out, " | (2 - 2^-%u) 2^%d", f->mantissa_bits, ilogb(largest));
  else
    put_value(out, largest);
}

static const char *nan_text(arena *a, const num_format *f) {
  unsigned sign = (unsigned)num_sign_bit(f), ones = (unsigned)num_mask(f->bits - 1u);
  switch (f->nan) {
  case NUM_NAN_IEEE: return "exponent all ones, mantissa not 0";
  case NUM_NAN_NEG_ZERO: return arena_printf(a, "0x%x; no -0", sign);
  case NUM_NAN_ALL_ONES:
    return sign ? arena_printf(a, "0x%x, 0x%x", ones, ones | sign)
                : arena_printf(a, "0x%x", ones << 1 | 1);
  default: return "none";
  }
}

static void put_integer(sbuf *out, tsr_elem e) {
  unsigned bits = tsr_elem_bits(e);
  sbuf_printf(out, "| `%s` | %u | 8 in %zu", tsr_elem_name(e), bits, tsr_elem_storage(e, 8));
  put_origin(out, e);
  put_aliases(out, e);
}

static void put_float(sbuf *out, tsr_elem e) {
  const num_format *f = num_format_of(e);
  num_format plain = num_format_saturating(f, false);
  uint64_t out_of_range = num_inf(f, false);
  sbuf_printf(out, "| `%s` | %d, %u, %u", tsr_elem_name(e), f->is_signed, f->exponent_bits,
              f->mantissa_bits);
  if (f->shift) sbuf_printf(out, ", %u unused", f->shift);
  sbuf_printf(out, " | %d", f->bias);
  put_largest(out, f);
  put_value(out, num_decode(f, num_min_normal(f)));
  if (f->has_zero)
    put_value(out, num_decode(f, num_min_positive(f)));
  else
    sbuf_puts(out, " | no zero");
  sbuf_printf(out, " | %s | %s", f->has_inf ? "yes" : "no", nan_text(out->arena, f));
  sbuf_printf(out, " | %s", num_is_inf(&plain, out_of_range) ? "infinity" : "largest");
  sbuf_printf(out, " | %s", num_is_nan(&plain, num_nan(f)) ? "NaN" : "largest");
  put_origin(out, e);
  put_aliases(out, e);
}

void cli_put_elements(sbuf *out) {
  sbuf_puts(
      out,
      "# Element types\n\n"
      "This page is made by `tessera explain --elements` from include/tessera/elem.def; change "
      "that, not this. What the types are for says `tessera explain TYPE`; how engines compute "
      "with "
      "them, [numerics.md](numerics.md).\n\n"
      "A type is Tile IR's since the version given, or Tessera's extension. A program may have "
      "extensions only where they are asked for: `--extensions`, `TSR_PARSE_EXTENSIONS`; a program "
      "that is built, and one of the block level, asks for them by using them. Bytecode cannot "
      "hold them. The other spellings "
      "are accepted where the command takes a type, and by `tsr_elem_from_name`; text has the "
      "first. What engines refuse of extensions: [unsupported.md](unsupported.md).\n\n"
      "Elements of 2 to 7 bits are packed in memory and in NumPy files: element k of an array is "
      "bits k*N up to (k+1)*N, and bit i of the array is bit i%8 of byte i/8. A pointer to 4-bit "
      "elements names the low half of a byte. One to elements of 2, 3, 5, 6 or 7 bits names any "
      "element: the low 61 bits are the address of the byte in which the element begins, the high "
      "3 "
      "bits the number of the bit there. `offset` goes on and back by elements; `ptr_to_ptr`, "
      "`ptr_to_int` and `int_to_ptr` keep all 64 bits. A store leaves the neighbours in a byte as "
      "they are, even when others store to them at the same time; but an element that lies in "
      "two bytes is not written, or read, at once.\n\n"
      "## Integers\n\n"
      "Without sign: the operation says how to read them. Those of less than 8 bits but `i1` are "
      "for memory, `exti`, `trunci`, `pack`, `unpack`, and what moves elements; `bitcast` takes "
      "the "
      "extensions, too. There is no arithmetic on them.\n\n"
      "| type | bits | elements in bytes | since | other spellings |\n"
      "|---|---|---|---|---|\n");
  for (unsigned e = 0; e < TSR_ELEM_COUNT; e++)
    if (tsr_elem_is_int((tsr_elem)e)) put_integer(out, (tsr_elem)e);
  sbuf_puts(
      out,
      "\n## Floats\n\n"
      "The bits are those of sign, exponent and mantissa. \"Out of range\" and \"from NaN\" say "
      "what "
      "a conversion gives for a number beyond the largest, or an infinity, and for a NaN. "
      "Operations "
      "on the extensions are `ftof`, `ftoi`, `itof`, `bitcast`, `pack`, `unpack` and what moves "
      "elements.\n\n"
      "| type | bits | bias | largest | smallest normal | smallest | infinity | NaN | out of range "
      "| from NaN | since | other spellings |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (unsigned e = 0; e < TSR_ELEM_COUNT; e++)
    if (tsr_elem_is_float((tsr_elem)e)) put_float(out, (tsr_elem)e);
}
