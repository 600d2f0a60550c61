/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Instructions of AMD's GPUs as they are executed: read once from the text of a disassembler
 * (read.h), by a table of rows (rows.c), of which each has a function that executes it.
 *
 * Sources: "AMD Instinct MI300" Instruction Set Architecture (CDNA3) for what instructions do;
 * LLVM, "User Guide for AMDGPU Backend" and the syntax of its assembler for how they are written.
 */
#ifndef TSR_EMU_AMDGCN_INSN_H
#define TSR_EMU_AMDGCN_INSN_H

#include "emu/amdgcn/object.h"
#include "emu/schedule.h"

/* Registers of a wave: scalar ones have numbers of which these are special; vector ones have
 * GCN_VECTORS numbers for each lane, of which the later half are accumulators. */
enum {
  GCN_FLAT_SCRATCH = 102,
  GCN_VCC = 106,
  GCN_TRAP = 108, /* ttmp0 */
  GCN_M0 = 124,
  GCN_EXEC = 126,
  GCN_SCALARS = 128,
  GCN_ACCUMULATOR = 256,
  GCN_VECTORS = 512
};

typedef enum gcn_operand_kind {
  GCN_NO_OPERAND,
  GCN_SCALAR,
  GCN_VECTOR,
  GCN_INTEGER, /* `bits` as they are */
  GCN_LITERAL, /* likewise; of doubles the upper half */
  GCN_FLOAT,   /* `bits` are a double's: the operand's own format is chosen by the row */
  GCN_SPECIAL, /* gcn_special */
  GCN_OFF,     /* "off" and "null": nothing stands there */
  GCN_MODE,    /* the mode register's `count` bits from `first` on */
} gcn_operand_kind;

typedef enum gcn_special {
  GCN_SCC,
  GCN_VCCZ,
  GCN_EXECZ,
  GCN_SHARED_BASE,
  GCN_PRIVATE_BASE
} gcn_special;

/* Parts of a register (SDWA). */
typedef enum gcn_part {
  GCN_WHOLE,
  GCN_BYTE_0,
  GCN_BYTE_1,
  GCN_BYTE_2,
  GCN_BYTE_3,
  GCN_WORD_0,
  GCN_WORD_1
} gcn_part;

typedef struct gcn_operand {
  uint8_t kind;  /* gcn_operand_kind */
  uint8_t count; /* registers, from `first` on */
  uint16_t first;
  bool negate, absolute, extend; /* extend: the part by its sign */
  bool high;                     /* of 16 bits, the upper half of the register */
  uint8_t part;                  /* gcn_part */
  uint64_t bits;
} gcn_operand;

/* Where a lane's first source comes from instead of the lane itself (DPP). */
typedef enum gcn_move {
  GCN_STAY,
  GCN_QUAD,     /* number: 4 times 2 bits */
  GCN_ROW_LEFT, /* lanes of rows of 16, to lower numbers */
  GCN_ROW_RIGHT,
  GCN_ROW_ROTATE, /* right */
  GCN_WAVE_LEFT,
  GCN_WAVE_ROTATE_LEFT,
  GCN_WAVE_RIGHT,
  GCN_WAVE_ROTATE_RIGHT,
  GCN_ROW_MIRROR,
  GCN_HALF_MIRROR,
  GCN_BROADCAST_15, /* the last lane of a row to the next row */
  GCN_BROADCAST_31,
  GCN_ROW_NEW_BROADCAST, /* lane `number` of each row to all of it */
  GCN_ROW_XOR,           /* lanes of a row whose numbers differ by `number` */
  GCN_EIGHT,             /* of eight lanes each has three bits of gcn_insn.eight */
} gcn_move;

typedef enum gcn_flag {
  GCN_CLAMP = 1 << 0,
  GCN_RETURNS = 1 << 1, /* sc0 (glc): an atomic gives what was there */
  GCN_OFFEN = 1 << 2,
  GCN_IDXEN = 1 << 3,
  GCN_BOUND_CTRL = 1 << 5,
  GCN_KEEP = 1 << 6,      /* SDWA: the rest of the register is preserved */
  GCN_SIGN_REST = 1 << 7, /* ... or gets the sign */
  GCN_COHERENT = 1 << 8,  /* sc0 or sc1, or a scope: seen beyond the wave */
  GCN_ANY_LANE = 1 << 9,  /* DPP: lanes that do not execute are read, too (fi) */
  GCN_TO_LDS = 1 << 10,   /* a load's data goes to the LDS, at M0; it has no first operand */
  GCN_VERIFIED = 1 << 11, /* what is loaded is what a compare-and-swap compares with */
} gcn_flag;

enum { GCN_MAX_OPERANDS = 6, GCN_NO_LIMIT = 255, GCN_NOWHERE = UINT32_MAX };

/* Encodings and counters that processors have in common. */
typedef enum gcn_generation { GCN_CDNA, GCN_RDNA3, GCN_RDNA4 } gcn_generation;

/* What counts operations under way (pending.h). */
typedef enum gcn_counter {
  GCN_COUNT_VECTOR, /* of CDNA also stores */
  GCN_COUNT_LDS,    /* before RDNA4 also scalar loads */
  GCN_COUNT_STORE,
  GCN_COUNT_SCALAR,
  GCN_COUNTERS
} gcn_counter;

typedef struct gcn_insn gcn_insn;
typedef struct gcn_row gcn_row;
typedef struct gcn_conversion gcn_conversion; /* convert.h */
typedef emu_step (*gcn_run)(emu_warp *w, const gcn_insn *i);

/* Where elements of a matrix instruction's operands lie: for each lane and slot, row-major. */
typedef struct gcn_matrix {
  uint32_t m, n, k, blocks, lanes;
  uint8_t type;        /* of A and B (matrix.c) */
  uint8_t bits[2];     /* of an element of A, of B */
  uint8_t elem[2];     /* stated: their tsr_elem, which the instruction names */
  bool stated, scaled; /* scaled: a lane has a power of two for 32 elements of A, and one of B */
  bool spread;         /* elements of C of 16 bits have registers of their own */
  uint32_t slots[3];
  uint16_t *element[3]; /* of A, B, C: [lane * slots + slot] */
} gcn_matrix;

struct gcn_insn {
  const gcn_row *row; /* NULL: what is no instruction, or one that is not known */
  const char *text;
  uint64_t at; /* offset in the image */
  uint32_t bytes;
  uint32_t line;      /* of the listing */
  uint32_t target;    /* of a branch: the instruction's index; GCN_NOWHERE */
  uint8_t generation; /* gcn_generation */
  uint8_t n_operands;
  gcn_operand operands[GCN_MAX_OPERANDS];
  int32_t offset; /* of an access; the number of s_nop */
  uint8_t offsets[2];
  uint16_t flags; /* of gcn_flag */
  int8_t scale;   /* of the result (omod): log2 of what it is multiplied with */
  uint8_t move;   /* gcn_move */
  uint8_t move_number, row_mask, bank_mask;
  uint32_t eight;
  uint8_t part;                /* SDWA, of the result */
  uint8_t select, select_high; /* op_sel, op_sel_hi: a bit for each operand */
  uint8_t negate_low, negate_high;
  uint8_t broadcast, broadcast_from, turn; /* cbsz, abid, blgp */
  uint16_t hazards;                        /* of gcn_hazard (hazards.h) */
  uint8_t flops;                           /* of a lane; a fused multiply-add is two */
  uint8_t truth;               /* bitop3: the result's bit for each value of the sources' bits */
  uint8_t limit[GCN_COUNTERS]; /* waits: operations that may be left; GCN_NO_LIMIT */
  const gcn_matrix *matrix;
  const gcn_conversion *conversion;
  const gcn_insn *pair; /* two vector instructions that this one consists of; or NULL */
};

/* What a lane of a vector instruction knows besides its sources, and gives besides its result. */
typedef struct gcn_lane {
  uint64_t old; /* what the result's register holds */
  unsigned lane;
  uint64_t lanes; /* that execute it */
  bool vcc;       /* its bit */
  bool ieee;      /* the mode: a signalling NaN among numbers makes a quiet one */
  bool carry;     /* the second result, a bit */
  uint8_t truth;  /* as gcn_insn has it */
  uint8_t signs;  /* gcn_insn.negate_low: of products of integers, which source is signed */
} gcn_lane;
typedef uint64_t (*gcn_of_lane)(uint64_t a, uint64_t b, uint64_t c, gcn_lane *x);

/* What a scalar instruction reads and gives besides. */
typedef struct gcn_scalar {
  uint64_t old;
  uint64_t c; /* the third source */
  uint64_t exec;
  uint64_t pc; /* address of the next instruction */
  bool scc;
  bool jumps; /* to the address `pc` */
} gcn_scalar;
typedef uint64_t (*gcn_of_scalars)(uint64_t a, uint64_t b, gcn_scalar *x);

/* A row. The signature has a character for each operand as it is written, results before '=':
 *   u f  32 bits, as a float          q d  64 bits, as a float
 *   s h  16 bits, as a float          m    a bit of each lane, in scalar registers: a pair of them
 *                                          where waves have 64 lanes
 *   k K  16 bits of the instruction, extended by sign and by zeroes
 * A '+' in front says that the result's register is read, too. */
struct gcn_row {
  const char *name, *signature;
  gcn_run run;
  gcn_of_lane lane;
  gcn_of_scalars scalar;
  uint8_t kind;  /* the family's own: what it does */
  uint8_t bytes; /* of a lane's access to memory, or of an element */
  uint8_t more;  /* the family's own */
};

/* gcn_row.kind of vector instructions. */
typedef enum gcn_vector_kind {
  GCN_PLAIN,
  GCN_KEEPS_HIGH, /* a result of 16 bits leaves the rest of the register as it is */
  GCN_SATURATES,  /* clamp brings the exact result into the format's range */
  GCN_SATURATES_SIGNED,
  GCN_MIXED,     /* sources are f32 or, by select_high, halves in f16 */
  GCN_MIXED_LOW, /* ... and the result goes to a half */
  GCN_MIXED_HIGH,
} gcn_vector_kind;

/* Whether waves have 32 lanes. */
static inline bool gcn_is_narrow(const gcn_insn *i) {
  return i->generation != GCN_CDNA;
}

/* The row of a mnemonic; NULL. */
const gcn_row *gcn_find_row(str name);

#endif
