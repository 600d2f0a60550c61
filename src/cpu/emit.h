/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/emit.h: the little that every part of the CPU backend shares: where LLVM code goes, what the
 * processor can do, and how an element type lives in a register.
 *
 * Register representation. A *lane value* is a scalar or a vector <N x T> where T is
 *   i1 -> i1                  i4, i8 -> i8 (i4: high bits zero)      i16, i32, i64 -> the same
 *   f32 -> float              f64 -> double                          ptr -> i64 (addresses)
 *   f16, bf16, tf32, f8*, f4* -> float holding a value that the type can represent exactly
 * So arithmetic on narrow floats is f32 (or f64) arithmetic followed by emit_round. Memory holds
 * the packed storage format; emit_decode and emit_encode go between the two.
 */
#ifndef TSR_CPU_EMIT_H
#define TSR_CPU_EMIT_H

#include <llvm-c/Core.h>

#include "cpu/plugin.h"

typedef struct emit {
  tsr_context *ctx;
  arena *arena; /* lives as long as the compilation */
  LLVMContextRef llvm;
  LLVMModuleRef module;
  LLVMBuilderRef b;
  cpu_options options;
  unsigned vector_bits; /* of one register: 128, 256, 512 */
  bool arm; /* AArch64: NEON, 32 registers, fused multiply-adds, half precision conversions */
  bool gpu; /* for NVIDIA GPUs: scalars only; all roundings, fused multiply-adds, half precision */
  LLVMTypeRef i1, i8, i16, i32, i64, f16, bf16, f32, f64, ptr, void_;
  unsigned names; /* for fresh names */
  /* Asks for a place elsewhere for a function that is long enough, whose name says all that its
   * code depends on beside the target: `home` is another module for the same target, which code is
   * generated for at the same time, or NULL when there is code for it already. False: there is no
   * place. NULL itself: all functions stay in one module. */
  bool (*aside)(void *user, const char *name, struct emit **home);
  void *aside_user;
} emit;

/* Does an operation on a whole register take a unit twice? */
static inline bool emit_in_halves(const emit *e) {
  return e->options.half_units && e->vector_bits == 512;
}

/* Fills in the types of e->llvm. */
void emit_types(emit *e);
/* T of the register representation, and <lanes x T> (T itself when lanes is 1). */
LLVMTypeRef emit_elem_type(emit *e, tsr_elem elem);
LLVMTypeRef emit_lane_type(emit *e, tsr_elem elem, unsigned lanes);
/* How the element type lies in memory: i8 for i1; iN of its storage width otherwise, float, double.
 * 4-bit types lie two to a byte: for them this is i8, one nibble each, as emit_unpack4 gives it. */
LLVMTypeRef emit_storage_type(emit *e, tsr_elem elem);
LLVMValueRef emit_any_lane(emit *e, LLVMValueRef mask); /* an i1: is that of any lane set? */
unsigned emit_lanes(LLVMValueRef v);                    /* 1 for a scalar */
unsigned lanes_bits(emit *e, LLVMValueRef v);           /* of one lane */
LLVMValueRef emit_splat(emit *e, LLVMValueRef scalar, unsigned lanes);
/* Constants shaped like `like` (scalar or vector of its lanes). */
LLVMValueRef emit_const_int(emit *e, LLVMTypeRef type, uint64_t value);
LLVMValueRef emit_const_real(emit *e, LLVMTypeRef type, double value);
/* The pattern of an element as a scalar. */
LLVMValueRef emit_pattern(emit *e, tsr_elem elem, uint64_t pattern);
/* Declares (once) and calls an LLVM intrinsic, e.g. "llvm.fma", overloaded on `types`. */
LLVMValueRef emit_intrinsic(emit *e, const char *name, LLVMTypeRef *types, unsigned n_types,
                            LLVMValueRef *args, unsigned n_args);
/* The address `bytes` bytes behind `base`; k: a constant number of them. */
LLVMValueRef emit_behind(emit *e, LLVMValueRef base, LLVMValueRef bytes);
LLVMValueRef emit_behindk(emit *e, LLVMValueRef base, int64_t bytes);

/* Asks for a cache line, at any address, for the second-level cache; near: for the first. */
void emit_fetch(emit *e, LLVMValueRef at);
void emit_fetch_near(emit *e, LLVMValueRef at);
/* Marks a store as one that goes past the cache. */
void emit_goes_past_cache(emit *e, LLVMValueRef store);

/* A copy of an integer, a pointer or a vector that LLVM knows nothing about: one register, no
 * instruction. A vector must be one that emit_fills_register allows. `unique`: it stays where it
 * is, even if nobody needs it, and no other takes its place. */
LLVMValueRef emit_opaque(emit *e, LLVMValueRef v, bool unique);
/* Whether a value is a vector for exactly one of the target's vector registers. */
bool emit_fills_register(emit *e, LLVMValueRef v);

/* ---- conversions (conv.c) ------------------------------------------------------------------- */

/* Packed storage <-> register representation, lane by lane. 4-bit types are handled a nibble per
 * i8 lane: callers unpack bytes first. Encoding does not round: the lanes hold values of the type
 * already. So a NaN comes back as it was loaded, except that a signalling f16 NaN may get quiet. */
LLVMValueRef emit_decode(emit *e, tsr_elem elem, LLVMValueRef storage);
LLVMValueRef emit_encode(emit *e, tsr_elem elem, LLVMValueRef lanes);
/* Bytes <-> nibbles: <N x i8> to <2N x i8> (i8 to <2 x i8>) and back; the low nibble comes first.
 * Nibbles have their high bits zero. */
LLVMValueRef emit_unpack4(emit *e, LLVMValueRef bytes);
LLVMValueRef emit_pack4(emit *e, LLVMValueRef nibbles);
/* The elements of a 4-bit float in the low (0) or high halves of <N x i8>, as registers hold them
 * (table.c). */
LLVMValueRef emit_decode_half(emit *e, tsr_elem elem, LLVMValueRef bytes, int half);
/* Rounds float or double lanes to the nearest value (ties to even) that `elem` can represent,
 * following its overflow rules for arithmetic results; one rounding, also from double. Gives lanes
 * of emit_elem_type(elem). The identity for f64, and for f32 from float. A NaN stays some NaN
 * where the type has one. */
LLVMValueRef emit_round(emit *e, tsr_elem elem, LLVMValueRef lanes);

/* ---- element-wise operations (elementwise.c, vmath.c) --------------------------------------- */

/* Can this operation, with these modifiers, be emitted inline? If not, the caller goes through
 * rt_hooks.elementwise. */
bool emit_elementwise_supported(emit *e, const exec_elementwise *what);
/* Emits one element-wise operation on lane values of equal lane counts. Bit for bit what
 * exec_scalar gives, except where docs/numerics.md states a bound (exp, log, …). */
LLVMValueRef emit_elementwise(emit *e, const exec_elementwise *what, LLVMValueRef *operands);

/* NaNs. Operations give the canonical NaN; the processor gives others. Fixing that after every
 * operation would slow chains of arithmetic down for nothing, because arithmetic doesn't tell NaNs
 * apart. So every float operation ends in lanes_canonical and begins with lanes_any_nan, which
 * takes an operand from behind a lanes_canonical; what isn't used any more vanishes, and the fix
 * stays only where a value is stored, selected or cast. */
LLVMValueRef lanes_canonical(emit *e, LLVMValueRef x);
LLVMValueRef lanes_any_nan(LLVMValueRef x);
/* An i1: none of the vectors has a NaN in it. */
LLVMValueRef lanes_no_nan(emit *e, const LLVMValueRef *x, unsigned count);
LLVMValueRef lanes_differ(emit *e, LLVMValueRef x, LLVMValueRef y); /* in any bit */

/* floats.c. Does the processor have minima and maxima as operations have them: the number beside a
 * NaN, and -0 less than +0? */
bool emit_has_extremes(const emit *e);
/* Else, for reductions, maxima of lanes of f32 or f64 whose only NaN has all bits set. Either order
 * of the operands of a processor's own instruction, which gives the second where one is a NaN or
 * both are zeros, makes the same but then; the bits that both have are the number beside the NaN,
 * and +0. (For minima it would be the bits that one has, beside a NaN without any.) */
LLVMValueRef emit_max_with_ones(emit *e, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef emit_nans_to_ones(emit *e, LLVMValueRef x);

/* floats.c. Quotients by one number for all lanes: multiply-adds where the processor takes several
 * times as long to divide. q = x * (inverse + rest), inverse + rest being 1 / s to 46 bits, is one
 * of the two neighbours of x / s; the remainder x - q * s is exact, and q + remainder * inverse,
 * rounded once, is x / s rounded (Markstein, "Computation of elementary functions on the IBM RISC
 * System/6000 processor", 1990), so long as nothing of this is subnormal or overflows:
 * 2^-28 <= |s| < 2^28, and for each lane 2^-96 <= |x| < 2^96, or x = +0 and s > 0. */
typedef struct emit_divisor {
  LLVMValueRef s, minus, inverse, rest; /* scalars */
  LLVMValueRef span, zero;              /* i32: of the bits that are in range; what counts as 0 */
} emit_divisor;
/* Is this a division that can be done so, and is better done so? */
bool emit_divides_by_one(const emit *e, const exec_elementwise *w);
emit_divisor emit_divisor_of(emit *e, LLVMValueRef s);
/* The quotients if *all_near, an i1, is true. */
LLVMValueRef emit_divide_near(emit *e, const emit_divisor *d, LLVMValueRef x,
                              LLVMValueRef *all_near);

/* vmath.c. A function that emit_elementwise puts out of line, as it is for usual operands:
 * *all_usual, an i1, says whether all are. NULL where there is no shorter way for these, as there
 * never is if not has_usual. */
bool emit_has_usual(const emit *e, unsigned opcode);
LLVMValueRef emit_usual(emit *e, const exec_elementwise *w, LLVMValueRef x,
                        LLVMValueRef *all_usual);

/* ---- matrix products (mma.h) ---------------------------------------------------------------- */

/* A micro-kernel for tiles of up to m x k times k x n, as an internal function of the module:
 *
 *   void f(ptr a, i64 a_row, i64 a_col, ptr b, i64 b_row, i64 b_panel, ptr acc, i64 acc_row,
 *          i64 m, i64 n, i64 k, ptr ahead, ptr from, i64 from_row, ptr out, i64 out_row, ptr order,
 *          i64 least, i64 nothing, i64 how)
 *
 * out[i, j] = acc[i, j] + sum over k of a[i, k] * b[k, j]. out may be acc; acc may be one row of
 * zeros with acc_row 0. Strides count bytes; acc and out are contiguous along j.
 * b lies in panels of emit_mma_panel columns (a power of two), one b_panel behind the other, each
 * contiguous along j: for a row-major b, b_panel is the size of a panel's row. The arguments m,
 * n and k (at least 1) say how much of the tile counts. k and n are
 * rounded up to emit_mma_k_step and to panels, m to blocks; what lies there must exist, and be zero
 * along k in one operand and finite in the other. `elem` is what a, b and acc hold: TSR_F32,
 * TSR_F64 or TSR_I32. Tile sizes are powers of two. Returns the function; the same one for the same
 * arguments.
 */
typedef enum mma_arg {
  MMA_A,
  MMA_A_ROW,
  MMA_A_COL,
  MMA_B,
  MMA_B_ROW,
  MMA_B_PANEL,
  MMA_ACC,
  MMA_ACC_ROW,
  MMA_M,
  MMA_N,
  MMA_K,
  MMA_AHEAD,
  MMA_FROM, /* with `copies`; else unused */
  MMA_FROM_ROW,
  MMA_OUT,
  MMA_OUT_ROW,
  MMA_ORDER,   /* by rows; else unused */
  MMA_LEAST,   /* of emit_mma_dot for bf16; else unused */
  MMA_NOTHING, /* by rows; else unused */
  MMA_HOW,     /* an mma_how, with MMA_HOW_ASKED; else unused */
  MMA_ARGS
} mma_arg;

/* How out is written. In place of a NaN, sums that only the next call reads may have any. */
typedef enum mma_how {
  MMA_HOW_INTO,  /* the cache */
  MMA_HOW_PAST,  /* past it: rows begin with cache lines (not by rows, and where it is asked) */
  MMA_HOW_AGAIN, /* out is acc of the next call, or NaNs are made canonical when it is read */
  MMA_HOW_ASKED, /* as the argument MMA_HOW says */
} mma_how;

/* Memory that will be needed soon. The micro-kernel asks for it while it multiplies, a few lines at
 * a time, for the second-level cache. MMA_AHEAD points to MMA_REGIONS of these, or is NULL. */
typedef struct mma_region {
  int64_t base, row;   /* address; bytes from a row to the next */
  int64_t line_bits;   /* log2 of the cache lines of a row */
  int64_t next, count; /* lines already asked for; all lines */
} mma_region;
enum { MMA_REGIONS = 3, MMA_LINE = 64 };
/* With what out may end: where m and n are rounded to; the last row that counts, to which acc need
 * not go on either; or the last column that counts, too (where emit_mma_ends_anywhere): what is
 * left behind the last whole panel takes time by the vector then. */
typedef enum mma_end { MMA_END_ROUNDED, MMA_END_ROW, MMA_END_COLUMN } mma_end;
/* What a micro-kernel is for. */
typedef struct mma_use {
  mma_end end;
  mma_how how;
  /* Some 64 products are added up before they are added to acc, which takes 1 to 2% longer and
   * makes the error of long sums about half as large. acc must be out then, and have all rows up to
   * where m is rounded. */
  bool in_stretches;
  /* If MMA_FROM is not NULL, b's panels are written first, from row-major rows there, MMA_FROM_ROW
   * bytes apart: as much of them as the product reads. The first rows of the result are computed on
   * the way, which takes little longer than what is in the cache anyway. Where emit_mma_copies. */
  bool copies;
  bool empty; /* what acc has is zero, and is not read */
} mma_use;
LLVMValueRef emit_mma(emit *e, tsr_elem elem, mma_use use, int64_t m, int64_t n, int64_t k);
bool emit_mma_copies(const emit *e, tsr_elem elem, int64_t m, int64_t n, int64_t k);
/* What k is rounded up to: 1 or 2. (By emit_mma_dot for bf16: 2.) */
int64_t emit_mma_k_step(const emit *e, tsr_elem elem, int64_t m, int64_t n, int64_t k);
bool emit_mma_ends_anywhere(const emit *e, tsr_elem elem, int64_t m, int64_t n, int64_t k);
LLVMTypeRef emit_mma_type(emit *e);
int64_t emit_mma_panel(const emit *e, tsr_elem elem, int64_t m, int64_t n, int64_t k);

/* The same for few rows, which take so little time that memory must not wait for the next call:
 * MMA_AHEAD is where that will find its b, with the same strides (any address, if it isn't known).
 * It is fetched while the last block of rows, where that is not the only one, reads b once more;
 * the first one does nothing but read, and fetching would be in its way. */
LLVMValueRef emit_mma_ahead(emit *e, tsr_elem elem, int64_t m, int64_t n, int64_t k);

/* The same, with rows of a that lie anywhere, and of which any may count. MMA_A is a table: for
 * each slice of slice_k along k (a power of two, at most k) MMA_A_ROW bytes further, for each row
 * of the tile the address of its elements in that slice, which are MMA_A_COL bytes apart. MMA_ORDER
 * names all rows of the tile (m numbers, i64): the first MMA_M of them count, in a, acc and out.
 * MMA_OUT is a table, too: of the addresses of out's rows. The rows up to where MMA_M is rounded
 * are written as well. MMA_NOTHING may be an address where a slice's elements are zeros, if all of
 * b is finite, else it is 0: where all rows of a block have it, nothing is multiplied. */
LLVMValueRef emit_mma_rows(emit *e, tsr_elem elem, int64_t m, int64_t n, int64_t k,
                           int64_t slice_k);
/* An i64, 1 or 0: is all finite in rows of floats that are `row` bytes apart, each of `bytes`
 * bytes, a multiple of a cache line? */
LLVMValueRef emit_mma_finite(emit *e, tsr_elem elem, LLVMValueRef at, int64_t rows, int64_t row,
                             int64_t bytes);

/* Types that are multiplied in groups of 32 bits along k: bf16 in pairs, added up in f32, and i8 in
 * fours, added up in i32. emit_dot_group gives the elements of a group, 1 when there is no such
 * instruction for the sizes; bytes have one everywhere on x86-64, if only for words. The function
 * is as above (slice_k 0), or by rows, with groups for elements of a and b: a[i, q] are the
 * elements of row i from q * group on, b[q, j] those of column j, so b's rows are interleaved by
 * group; the argument k counts groups. a need not be aligned to groups. i8, where emit_dot_flips
 * says so: b must come with the top bit of each byte flipped. bf16: the instruction takes subnormal
 * numbers for zero, so blocks of rows that could have any are multiplied in another way. MMA_LEAST
 * says which: it is emit_pairs_least of what is lowest in b (an i64; PAIRS_HIGH: all that are not
 * zero). For both, a's groups must be neighbours: MMA_A_COL is 4. */
unsigned emit_dot_group(const emit *e, tsr_elem elem, int64_t n, int64_t k);
/* Must b's bytes come flipped? (Processors that multiply unsigned by signed bytes only.) */
bool emit_dot_flips(const emit *e, bool a_signed, bool b_signed);
LLVMValueRef emit_mma_dot(emit *e, tsr_elem elem, bool a_signed, bool b_signed, mma_use use,
                          int64_t m, int64_t n, int64_t k, int64_t slice_k);
/* What is lowest (an i64, at most PAIRS_HIGH) in rows of bf16 that are `row` bytes apart, each of
 * `bytes` bytes, a multiple of 64; and, of the lower one of all that b consists of, MMA_LEAST. */
enum { PAIRS_HIGH = 0xffff };
LLVMValueRef emit_pairs_lowest(emit *e, LLVMValueRef at, int64_t rows, int64_t row, int64_t bytes);
LLVMValueRef emit_pairs_least(emit *e, LLVMValueRef lowest_of_b);

#endif
