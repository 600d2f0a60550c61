/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the files that read PTX share: tokens, scopes, the module under construction.
 *
 *   lexer.c         characters to tokens
 *   read_value.c    numbers and constant expressions
 *   read_words.c    opcodes and their words, held against ptx_forms.def
 *   read_operand.c  operands, held against the form
 *   read_decl.c     variables, registers, parameters, initialisers
 *   read_function_body.c     a function's body: statements, labels, scopes
 *   read.c          the module: directives, functions, what is settled at the end
 *
 * An error is reported once, at the token that is wrong; then the reader goes on behind the next
 * semicolon (reader_error jumps to `recover`), so one run shows several: as many as the context's
 * limit.
 */
#ifndef TSR_EMU_PTX_READ_H
#define TSR_EMU_PTX_READ_H

#include "emu/ptx/ptx.h"

typedef enum token_kind {
  TOKEN_END,
  TOKEN_NAME,   /* add, %r1, $L_1 */
  TOKEN_WORD,   /* .reg, .shared::cta; `text` is without the dot */
  TOKEN_INT,    /* `value` */
  TOKEN_FLOAT,  /* `value` has the bits of a double */
  TOKEN_SINGLE, /* 0f…: `value` has the bits of a float */
  TOKEN_STRING, /* `text` is without the quotes */
  TOKEN_PUNCT,  /* `text`: one or two characters */
  TOKEN_WRONG,  /* `text` says what is wrong with the character here */
} token_kind;

typedef struct token {
  uint8_t kind;
  bool glued;       /* nothing stands between it and the token before */
  bool is_unsigned; /* 5U */
  str text;
  uint64_t value;
  uint32_t line, column, length;
} token;

typedef enum symbol_kind {
  SYMBOL_REGISTER,       /* `row`, `type` */
  SYMBOL_REGISTERS,      /* %r<5>: `count`, `rows` by number of those in use; %r itself is none */
  SYMBOL_VARIABLE,       /* `index` in the module's variables */
  SYMBOL_FRAME_VARIABLE, /* .local: `offset` in the frame */
  SYMBOL_ENTRY_PARAM,    /* `offset` among the entry's parameters */
  SYMBOL_FRAME_PARAM,    /* `offset` in the frame's parameter area, `bytes` */
  SYMBOL_FUNCTION,       /* `index` */
  SYMBOL_LABEL,          /* `target` */
  SYMBOL_TARGETS,        /* .branchtargets or .calltargets: `list` */
  SYMBOL_PROTOTYPE,      /* `index` */
} symbol_kind;

typedef struct symbol {
  uint8_t kind;
  uint8_t type;
  str name;
  ptx_row row;
  map rows;
  uint32_t count, index, offset, bytes, target;
  const ptx_operand *list;
  token at;              /* where it was declared */
  struct symbol *before; /* declared before it in its scope */
} symbol;

typedef struct scope {
  struct scope *outer;
  strmap symbols;
  strmap families;      /* of registers, by what stands before their numbers */
  strmap numbered;      /* the symbol with the lowest number, by what stands before it */
  symbol *last;         /* declared in it */
  uint32_t first_fixup; /* of the labels used within it */
} scope;

/* A label that was used before the reader knew where it is. */
typedef struct fixup {
  ptx_operand *operand;
  token at;
} fixup;

/* A function under construction: what ptx_function will get. */
typedef struct body {
  VEC(ptx_insn) insns;
  VEC(fixup) fixups;
  VEC(uint32_t) shared; /* shared variables it mentions */
  VEC(uint32_t) calls;  /* functions it mentions */
  bool calls_anything;  /* has an indirect call */
  uint32_t register_bytes, predicate_next, predicate_end;
  uint32_t n_registers;
  uint32_t local_bytes, call_bytes;
  uint32_t loc;
  bool leader;
  token loc_at;
} body;

typedef struct function_uses {
  const uint32_t *shared, *calls;
  uint32_t n_shared, n_calls;
  bool calls_anything;
} function_uses;

typedef struct reader {
  tsr_context *ctx;
  ptx_module *m;
  arena scratch; /* freed when reading ends */
  const char *p, *end, *line_start;
  uint32_t line;
  token t, last;          /* the token to be read next; the one read before */
  jmp_buf recover, stop;  /* where to go on behind an error; where reading ends after too many */
  uint32_t errors_before; /* of the context, when reading began */
  bool failed;
  scope *scope;
  scope module_scope;
  unsigned depth, statement_depth; /* of nesting; where the statement under way began */
  body *body;                      /* NULL outside of functions */
  ptx_function *function;
  strmap opcodes;      /* first form + 1 by opcode */
  uint16_t *next_form; /* of the same opcode; 0: none */
  VEC(ptx_variable) variables;
  VEC(ptx_function) functions;
  VEC(function_uses) uses;
  VEC(ptx_prototype) prototypes;
  VEC(ptx_constant) constants;
  VEC(const char *) files;
  VEC(ptx_loc) locs;
  map constant_map;
  uint64_t global_bytes;
  uint32_t compared; /* names, to find those that were meant */
  bool have_version, have_target;
} reader;

/* ---- lexer.c */
void lexer_start(reader *r, str text);
void next_token(reader *r); /* into r->t */

/* ---- messages and simple expectations (read.c) */
place token_place(const reader *r, const token *t);
/* Reports an error; returns unless it is one too many, which ends the reading. */
void reader_report(reader *r, place at, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Reports an error at the token, or what is wrong with the token itself, and goes on behind it. */
NORETURN void reader_error(reader *r, const token *at, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* "expected …, found …" at r->t. */
NORETURN void expected(reader *r, const char *what);
const char *token_text(reader *r, const token *t); /* as messages show it */
bool is_punct(const reader *r, const char *p);
bool accept(reader *r, const char *punct);
void expect(reader *r, const char *punct);
bool is_word(const reader *r, const char *word); /* .word */
bool accept_word(reader *r, const char *word);
token expect_name(reader *r, const char *what);
symbol *reader_find(reader *r, str name);
/* Adds to the innermost scope; an error when it is there already. */
symbol *declare(reader *r, const token *name, symbol_kind kind);
/* .reg name<count> */
symbol *declare_family(reader *r, const token *name, uint32_t count);
/* The symbol of that name, or a family of registers that has the name and then its number; of those
 * the innermost. NULL: neither. */
symbol *reader_find_register(reader *r, str name, uint32_t *number);
/* A family that has the name but for the number, the innermost. */
symbol *reader_find_family(reader *r, str name);
const char *closest_name(reader *r, str name); /* declared and alike; NULL */
void skip_statement(reader *r);

/* ---- read_value.c */
typedef struct value {
  bool is_float, is_single; /* else an integer */
  bool is_unsigned;
  uint64_t bits; /* of a double, a float, or the integer */
} value;
bool starts_value(const reader *r);
value read_value(reader *r);                                    /* a constant expression */
uint64_t read_count(reader *r, const char *what, uint64_t max); /* an integer from 0 to max */
/* The bits of a value as an element of a type; an error when it has no meaning there. */
uint64_t value_bits(reader *r, const token *at, value v, ptx_type type);

/* ---- read_words.c */
void words_prepare(reader *r);
/* Reads an opcode's words; fills all that they say of `i`. */
void read_opcode(reader *r, ptx_insn *i);
ptx_type type_named(str name); /* PTX_NO_TYPE */
/* An error unless the file's .version and .target have it; `what` is what needs them. */
void check_target(reader *r, const token *at, const char *what, unsigned version, unsigned sm);
void check_special(reader *r, const token *at, ptx_special sr);

/* ---- read_operand.c */
void read_operands(reader *r, ptx_insn *i);
void read_guard(reader *r, ptx_insn *i);
ptx_row constant_row(reader *r, ptx_constant c);
ptx_row allocate_register(reader *r, ptx_type type, const token *at);
uint8_t register_bytes_of(ptx_type type); /* of an element of its row */

/* ---- read_decl.c */
/* r->t is behind the .space word. */
void read_variable(reader *r, ptx_space space, ptx_linkage linkage);
void read_registers(reader *r);
/* ( … ) of a function: fills params; declares their names in the scope when `declare_names`. */
void read_params(reader *r, bool entry, bool declare_names, const ptx_param **out, uint32_t *n,
                 uint32_t *entry_bytes);

/* ---- read_function_body.c */
void read_function_body(reader *r, ptx_function *f);

#endif
