/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * ptx: PTX text, read, checked and decoded once into a form that runs fast.
 *
 *   text ─► lexer ─► parser ──┐
 *   ptx_forms.def (patterns) ─┴► checked instructions ─► functions of decoded instructions
 *
 * One table says what instructions there are (ptx_forms.def): per form the opcode, the words that
 * may follow it, the operands, and from which PTX version and architecture on. The parser, the
 * checker, the messages ("expected one of .rn, .rz …") and the handlers (handlers.h)
 * follow it. The words and types have tables of their own (ptx_modifiers.def, ptx_types.def).
 *
 * Everything here is read-only after ptx_parse and owned by the module's arena, so any number of
 * threads may execute one module.
 *
 * Limits (PTX_MAX_*) are checked while reading; text beyond them is refused with a message.
 * Source of the rules: NVIDIA's "PTX ISA" 7.0 to 9.0.
 */
#ifndef TSR_EMU_PTX_PTX_H
#define TSR_EMU_PTX_PTX_H

#include "base/base.h"
#include "emu/spaces.h"

enum {
  PTX_MAX_OPERANDS = 10,         /* of one instruction, vectors counted as one: sparse wgmma */
  PTX_MAX_VECTOR = 128,          /* elements of { … } (wgmma's accumulators have 128) */
  PTX_MAX_MODIFIERS = 16,        /* words behind an opcode */
  PTX_MAX_INSNS = 1 << 22,       /* of a function */
  PTX_MAX_REGISTERS = 1 << 18,   /* of a function */
  PTX_MAX_FRAME_BYTES = 1 << 22, /* .local, and parameters, of a function: per thread */
  PTX_MAX_SHARED_BYTES = 1 << 28,
  PTX_MAX_DEPTH = 64,          /* of nested { } and of parentheses in constant expressions */
  PTX_MAX_PARAMS = 1024,       /* of a function */
  PTX_MAX_PARAM_BYTES = 32764, /* of an entry */
};
#define PTX_MAX_GLOBAL_BYTES (UINT64_C(1) << 40)

/* ---- types and words ------------------------------------------------------------------------ */

typedef enum ptx_type {
  PTX_NO_TYPE,
#define T(id, name, bits, class) PTX_##id,
#include "emu/ptx/ptx_types.def"
#undef T
  PTX_TYPE_COUNT
} ptx_type;

typedef enum ptx_class {
  PTX_CLASS_P,
  PTX_CLASS_B,
  PTX_CLASS_U,
  PTX_CLASS_S,
  PTX_CLASS_F
} ptx_class;

typedef struct ptx_type_info {
  const char *name; /* without the dot */
  uint16_t bits;
  uint8_t class; /* ptx_class */
} ptx_type_info;
extern const ptx_type_info ptx_types[PTX_TYPE_COUNT];

/* A word behind an opcode that is no type. Ids of types and words share one numbering: a type's id
 * is its ptx_type. */
typedef enum ptx_word {
  PTX_WORD_FIRST = PTX_TYPE_COUNT,
#define M(id, name, field, value) PTX_M_##id,
#include "emu/ptx/ptx_modifiers.def"
#undef M
  PTX_WORD_COUNT
} ptx_word;
const char *ptx_word_name(unsigned word); /* of a type or word, without the dot */

typedef enum ptx_round {
  PTX_NO_ROUND,
  PTX_RN,
  PTX_RZ,
  PTX_RM,
  PTX_RP,
  PTX_RNA, /* nearest, ties away from zero */
  PTX_RS,  /* stochastic */
  PTX_RNI,
  PTX_RZI,
  PTX_RMI,
  PTX_RPI,
  PTX_APPROX,
  PTX_FULL
} ptx_round;

enum { /* ptx_insn.flags */
       PTX_FLAG_FTZ = 1 << 0,
       PTX_FLAG_SAT = 1 << 1,
       PTX_FLAG_SATFINITE = 1 << 2,
       PTX_FLAG_RELU = 1 << 3,
       PTX_FLAG_NAN = 1 << 4,
       PTX_FLAG_XORSIGN = 1 << 5,
       PTX_FLAG_ABS = 1 << 6,
       PTX_FLAG_CC = 1 << 7,
       PTX_FLAG_HI = 1 << 8,
       PTX_FLAG_LO = 1 << 9,
       PTX_FLAG_WIDE = 1 << 10,
       PTX_FLAG_UNI = 1 << 11,
       PTX_FLAG_VOLATILE = 1 << 12,
       PTX_FLAG_SYNC = 1 << 13,
       PTX_FLAG_ALIGNED = 1 << 14,
       PTX_FLAG_TO = 1 << 15,
       PTX_FLAG_TRANS = 1 << 16,
       PTX_FLAG_SHIFTAMT = 1 << 17,
       PTX_FLAG_NC = 1 << 18,
       PTX_FLAG_OOB = 1 << 19,
       PTX_FLAG_MMIO = 1 << 20,
       PTX_FLAG_CACHE_HINT = 1 << 21,
       PTX_FLAG_NOFTZ = 1 << 22,
};

typedef enum ptx_compare {
  PTX_NO_COMPARE,
  PTX_EQ,
  PTX_NE,
  PTX_LT,
  PTX_LE,
  PTX_GT,
  PTX_GE,
  PTX_LS, /* as .le and .ge of unsigned: lower or same, higher or same (.lo and .hi are flags) */
  PTX_HS,
  PTX_EQU, /* the ones with u hold for NaN operands */
  PTX_NEU,
  PTX_LTU,
  PTX_LEU,
  PTX_GTU,
  PTX_GEU,
  PTX_NUM, /* neither is NaN */
  PTX_NAN
} ptx_compare;

typedef enum ptx_space {
  PTX_GENERIC = EMU_GENERIC,
  PTX_GLOBAL = EMU_GLOBAL,
  PTX_SHARED = EMU_SHARED,                 /* .shared and .shared::cta */
  PTX_SHARED_CLUSTER = EMU_SHARED_CLUSTER, /* .shared::cluster */
  PTX_LOCAL = EMU_LOCAL,
  PTX_CONST = EMU_CONST,
  PTX_PARAM = EMU_PARAM,
  PTX_REG, /* of variables only */
} ptx_space;

typedef enum ptx_order {
  PTX_WEAK = EMU_WEAK,
  PTX_RELAXED = EMU_RELAXED,
  PTX_ACQUIRE = EMU_ACQUIRE,
  PTX_RELEASE = EMU_RELEASE,
  PTX_ACQ_REL = EMU_ACQ_REL,
  PTX_SC = EMU_SC
} ptx_order;

typedef enum ptx_scope {
  PTX_NO_SCOPE = EMU_NO_SCOPE,
  PTX_SCOPE_CTA = EMU_SCOPE_BLOCK,
  PTX_SCOPE_CLUSTER = EMU_SCOPE_CLUSTER,
  PTX_SCOPE_GPU = EMU_SCOPE_DEVICE,
  PTX_SCOPE_SYS = EMU_SCOPE_SYSTEM
} ptx_scope;

typedef enum ptx_op {
  PTX_NO_OP,
  PTX_OP_ADD,
  PTX_OP_MIN,
  PTX_OP_MAX,
  PTX_OP_INC,
  PTX_OP_DEC,
  PTX_OP_AND,
  PTX_OP_OR,
  PTX_OP_XOR,
  PTX_OP_EXCH,
  PTX_OP_CAS,
  PTX_OP_POPC,
  PTX_OP_ALL,
  PTX_OP_ANY,
  PTX_OP_BALLOT,
  PTX_OP_UP,
  PTX_OP_DOWN,
  PTX_OP_BFLY,
  PTX_OP_IDX,
  PTX_OP_ARRIVE,
  PTX_OP_WAIT,
  PTX_OP_FINITE,
  PTX_OP_INFINITE,
  PTX_OP_NUMBER,
  PTX_OP_NOTANUMBER,
  PTX_OP_NORMAL,
  PTX_OP_SUBNORMAL,
} ptx_op;

typedef enum ptx_mode {
  PTX_NO_MODE,
  PTX_PRMT_F4E,
  PTX_PRMT_B4E,
  PTX_PRMT_RC8,
  PTX_PRMT_ECL,
  PTX_PRMT_ECR,
  PTX_PRMT_RC16,
  PTX_CLAMP,
  PTX_WRAP,
  PTX_LEFT,
  PTX_RIGHT,
} ptx_mode;

typedef enum ptx_layout { PTX_NO_LAYOUT, PTX_ROW, PTX_COL } ptx_layout;

/* The shape m, n, k of a matrix instruction in one number. */
#define PTX_SHAPE(m, n, k) ((uint32_t)(m) << 20 | (uint32_t)(n) << 10 | (uint32_t)(k))
#define PTX_SHAPE_M(s)     ((s) >> 20)
#define PTX_SHAPE_N(s)     ((s) >> 10 & 0x3ff)
#define PTX_SHAPE_K(s)     ((s)&0x3ff)

/* ---- forms ---------------------------------------------------------------------------------- */

/* Architectures are numbered ten times the number in sm_NN, plus 1 for the features that only
 * sm_NNa has: 900 is sm_90, 901 what needs sm_90a. */
typedef struct ptx_form {
  const char *opcode;   /* "add" */
  const char *words;    /* what follows it; the syntax is in ptx_forms.def */
  const char *operands; /* likewise */
  uint16_t version;     /* 70 is PTX 7.0 */
  uint16_t sm;
  uint16_t handler; /* ptx_handler_id: the function that executes it */
} ptx_form;

extern const ptx_form ptx_forms[];
extern const unsigned ptx_form_count;

/* ---- decoded instructions ------------------------------------------------------------------- */

enum { PTX_LANES = 32 }; /* of a warp */
#define PTX_ALL_LANES 0xffffffffu

/* Where a value of all 32 lanes lies: a row of 32 elements of 4, 8 or 16 bytes (a register of up to
 * 32, 64, 128 bits), or a word of 32 bits, one per lane, for a predicate. The two top bits say in
 * which bank, the others the offset in bytes. */
typedef uint32_t ptx_row;
enum {
  PTX_BANK_FRAME,    /* registers of the function that executes */
  PTX_BANK_CONSTANT, /* immediates and addresses of variables, the same in all lanes: of the image
                      */
  PTX_BANK_SPECIAL,  /* special registers of the warp */
  PTX_BANK_MEETING,  /* of an instruction that lanes execute together at different places */
  PTX_BANKS
};
#define PTX_ROW(bank, offset) ((uint32_t)(bank) << 30 | (uint32_t)(offset))
#define PTX_ROW_BANK(row)     ((row) >> 30)
#define PTX_ROW_OFFSET(row)   ((row)&0x3fffffff)

typedef enum ptx_operand_kind {
  PTX_OPERAND_NONE,      /* an optional operand that was left out */
  PTX_OPERAND_ROW,       /* a register, an immediate, an address, a special register */
  PTX_OPERAND_SINK,      /* _ among a call's arguments (elsewhere it is a register of its own) */
  PTX_OPERAND_VECTOR,    /* { … } of `count` operands at `list`; each a ROW */
  PTX_OPERAND_ADDRESS,   /* [ `row` + `offset` ]; row of pointers in 4 or 8 byte elements */
  PTX_OPERAND_TENSOR,    /* [ `row` , { … } (, { … }) ]: `list` has the coordinates */
  PTX_OPERAND_LABEL,     /* `target`: index of the instruction in the function */
  PTX_OPERAND_FUNCTION,  /* `target`: index of the function in the module */
  PTX_OPERAND_TARGETS,   /* a label of .branchtargets: `list` has the labels */
  PTX_OPERAND_PROTOTYPE, /* a label of .callprototype: `target` is its index */
  PTX_OPERAND_PAIR,      /* p|q : `list` has both, each a ROW */
  PTX_OPERAND_ARGUMENTS, /* ( … ) of a call: `list` has ROWs and PARAMs */
  PTX_OPERAND_PARAM,     /* a .param variable of the frame: `offset` in it, `count` bytes */
} ptx_operand_kind;

typedef struct ptx_operand {
  uint8_t kind;   /* ptx_operand_kind */
  uint8_t type;   /* ptx_type a register was declared with; what an immediate was read as */
  uint8_t bytes;  /* of an element of the row: 4, 8, 16; 0 for a predicate */
  bool negated;   /* !p */
  bool immediate; /* the row is a constant (PTX_BANK_CONSTANT) that was written as a number */
  uint16_t count;
  ptx_row row;
  union {
    int64_t offset;
    uint32_t target;
    const struct ptx_operand *list;
  };
} ptx_operand;

typedef struct ptx_insn ptx_insn;
struct ptx_insn {
  uint16_t handler; /* ptx_handler_id */
  uint16_t form;    /* index in ptx_forms */
  bool guarded;     /* @p or @!p stands before it */
  bool guard_negated;
  bool
      leader; /* a label lies here or the instruction before is a branch: lanes may come together */
  ptx_row guard;

  /* What the words said, in their order; ptx_modifiers.def says which. */
  uint8_t type[4]; /* ptx_type, in the order they were written */
  uint8_t n_types, n_ops;
  uint8_t round, compare, op, mode;
  uint8_t order, scope, space, space2;
  uint8_t vec; /* 1 when none was written */
  uint8_t cache, layout, layout2;
  uint32_t flags; /* PTX_FLAG_* */
  uint32_t shape; /* PTX_SHAPE */

  const ptx_operand *op_list; /* n_ops of them, in the order of the form's operands; an operand that
                                 was left out has kind NONE */
  const uint16_t *words;      /* n_words ids of types and words, as written */
  uint8_t n_words;
  uint32_t line, column; /* in the PTX text */
  uint32_t loc;          /* index + 1 into ptx_module.locs: the .loc in force; 0: none */
};

/* Whether a word was written behind the opcode. */
static inline bool ptx_has(const ptx_insn *i, unsigned word) {
  for (unsigned k = 0; k < i->n_words; k++)
    if (i->words[k] == word) return true;
  return false;
}

/* ---- variables and functions ---------------------------------------------------------------- */

typedef enum ptx_linkage {
  PTX_INTERNAL,
  PTX_EXTERN,
  PTX_VISIBLE,
  PTX_WEAK_LINK,
  PTX_COMMON
} ptx_linkage;

/* An address inside an initialiser: `bytes` bytes at `at` become the address of a symbol. */
typedef struct ptx_relocation {
  uint64_t at;
  uint8_t bytes;
  uint8_t shift;    /* mask operator: bits of the address below it are dropped */
  bool generic;     /* generic(symbol) */
  bool is_function; /* `index` is of a function, else of a variable */
  uint32_t index;
  int64_t addend;
} ptx_relocation;

typedef struct ptx_variable {
  const char *name;
  uint8_t space;   /* ptx_space */
  uint8_t type;    /* ptx_type of an element */
  uint8_t linkage; /* ptx_linkage */
  bool unsized;    /* name[]: dynamic shared memory, or declared elsewhere */
  uint32_t align;
  uint64_t bytes;
  const uint8_t *data; /* initial bytes; NULL: zeros */
  uint64_t data_bytes; /* the rest is zero */
  const ptx_relocation *relocations;
  uint32_t n_relocations;
  uint64_t offset; /* .shared: in the block's window; .local and .param: in the frame */
  uint32_t line, column;
} ptx_variable;

/* A formal parameter. */
typedef struct ptx_param {
  const char *name;
  uint8_t type;    /* of an element */
  bool is_pointer; /* .ptr was written */
  uint8_t ptr_space;
  bool is_reg; /* .reg: `row` */
  uint32_t align;
  uint32_t bytes;  /* an array's whole size; a scalar's */
  uint32_t offset; /* from the first parameter of an entry, or in the frame's parameter area */
  ptx_row row;
} ptx_param;

typedef struct ptx_function {
  const char *name;
  bool is_entry;
  bool defined; /* has a body; else .extern: the machine has it or the launch fails */
  bool noreturn;
  uint8_t linkage;
  const ptx_insn *insns;
  uint32_t n_insns; /* the last is a ret the reader appended, unless the body ends in one */
  const ptx_param *params, *results;
  uint32_t n_params, n_results;
  uint32_t param_bytes;    /* of an entry's parameters */
  uint32_t register_bytes; /* of the rows of a frame, for a warp; a multiple of 64 */
  uint32_t local_bytes;    /* .local variables, for one thread; a multiple of 16 */
  uint32_t call_bytes;     /* .param variables of calls and of itself, for one thread */
  uint32_t shared_bytes;   /* static shared memory that it and what it may call declare */
  uint32_t shared_align;
  bool uses_dynamic_shared;
  /* Directives; 0 when they weren't given. */
  uint32_t max_threads[3], required_threads[3], min_blocks, max_registers;
  uint32_t cluster[3]; /* .reqnctapercluster */
  uint32_t max_cluster;
  bool explicit_cluster;
  uint32_t line, column;
} ptx_function;

/* Addresses in the .param space: an entry's parameters from ptx_param_base on, the .param variables
 * of the frame that executes (a call's, a function's formal ones) from PTX_FRAME_PARAMS on. The
 * first is where parameters begin in the card's bank of constants. Their alignment counts from the
 * begin of the bank, so that a parameter aligned to 64 bytes need not lie at a multiple of 64 from
 * the first. Source: what ptxas writes into the code (EIATTR_PARAM_CBANK, EIATTR_KPARAM_INFO). */
static inline uint32_t ptx_param_base(unsigned sm) { /* as in ptx_module */
  return sm < 900 ? 0x160 : sm < 1000 ? 0x210 : 0x380;
}
#define PTX_FRAME_PARAMS (UINT32_C(1) << 24)

typedef struct ptx_prototype {
  const ptx_param *params, *results;
  uint32_t n_params, n_results;
} ptx_prototype;

/* .loc: where an instruction comes from. */
typedef struct ptx_loc {
  uint32_t file, line, column; /* `file` as in .file */
  uint32_t inlined_at;         /* index + 1 of another; 0: not inlined */
} ptx_loc;

/* A row of the constant bank whose value is known when the image is loaded: address + addend. */
typedef struct ptx_constant {
  uint8_t bytes; /* 4, 8, 16 */
  uint8_t kind;  /* 0: `value`; 1: the address of variable `index`, plus value; 2: of a function */
  bool generic;
  uint32_t index;
  uint32_t offset; /* of its row in the bank */
  uint64_t value, high;
} ptx_constant;

typedef struct ptx_module ptx_module;
struct ptx_module {
  arena arena;
  tsr_context *ctx;
  const source *src;  /* the text, for messages about instructions */
  uint16_t version;   /* 83 is PTX 8.3 */
  uint16_t sm;        /* as in ptx_form */
  bool arch_specific; /* .target sm_NNa */
  char target[24];
  const ptx_variable *variables; /* of the module: .global, .const, .shared */
  uint32_t n_variables;
  const ptx_function *functions;
  uint32_t n_functions;
  const ptx_prototype *prototypes;
  uint32_t n_prototypes;
  const ptx_constant *constants;
  uint32_t n_constants;
  uint32_t constant_bytes;   /* of the bank */
  bool uses_reserved_shared; /* it asks where the memory lies that the system has for itself */
  const char **files;        /* .file: names by number; NULL for numbers without */
  uint32_t n_files;
  const ptx_loc *locs;
  uint32_t n_locs;
};

/* Reads a module. `name` is for messages. NULL after messages. The text is copied. */
ptx_module *ptx_parse(tsr_context *ctx, const char *name, str text);
void ptx_module_destroy(ptx_module *m); /* NULL is allowed */

/* The entry of that name; NULL for `name` means the only one. NULL when there is none. */
const ptx_function *ptx_find_entry(const ptx_module *m, const char *name);

/* Where an instruction stands in the PTX text, and in the source that it was compiled from. */
place ptx_insn_place(const ptx_module *m, const ptx_insn *i);
/* "k.cu:12" of the .loc in force; false when there is none. */
bool ptx_insn_source(const ptx_module *m, const ptx_insn *i, const char **file, uint32_t *line,
                     uint32_t *column);
/* The instruction as written, up to its semicolon, on one line: for tables and messages. */
str ptx_insn_text(const ptx_module *m, const ptx_insn *i);
/* "ld.global.v2.u32" */
void ptx_insn_name(const ptx_insn *i, char *out, size_t size);

/* The special registers (PTX_BANK_SPECIAL); offsets are of rows of 4 or 8 byte elements. */
typedef enum ptx_special {
#define S(id, name, bytes, version, sm) PTX_SR_##id,
#include "emu/ptx/ptx_specials.def"
#undef S
  PTX_SPECIAL_COUNT
} ptx_special;
typedef struct ptx_special_info {
  const char *name; /* "%tid.x" */
  uint8_t bytes;
  uint16_t version, sm;
} ptx_special_info;
extern const ptx_special_info ptx_specials[PTX_SPECIAL_COUNT];
/* All have room for 8 byte elements, so a row's place follows from its number. */
enum { PTX_SPECIAL_STRIDE = 256 };

#endif
