/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the files of the text module share: the lexer, compiled formats, the parser's state.
 */
#ifndef TSR_TEXT_INTERNAL_H
#define TSR_TEXT_INTERNAL_H

#include "text/index.h"
#include "text/text.h"

enum {
  MAX_REGION_DEPTH = 256, /* regions in regions */
  MAX_NESTING = 256,      /* brackets in types, constants, attributes, locations */
  MAX_HINTS = 4096,
  MAX_EXTRAS = 256,
};
/* Offsets are 32 bits wide, with room to spare. */
#define MAX_SOURCE ((size_t)1 << 30)

/* ---- lexer ---------------------------------------------------------------------------------- */

/* A punctuation mark is its own character; the others lie above all characters. */
typedef enum token_kind {
  TOK_EOF = 256,
  TOK_ERROR,  /* already reported */
  TOK_BARE,   /* name, dialect.name */
  TOK_VALUE,  /* %name */
  TOK_SYMBOL, /* @name, @"name" */
  TOK_HASH,   /* #name */
  TOK_BANG,   /* !name */
  TOK_CARET,  /* ^name */
  TOK_INT,    /* 12, 0x1F */
  TOK_FLOAT,  /* 1.5, 2.0e-3 */
  TOK_STRING, /* with its quotes */
  TOK_ARROW,  /* -> */
} token_kind;

typedef struct token {
  uint16_t kind;
  bool first; /* on its line */
  uint32_t line, column;
  uint32_t offset, length;
  str name; /* without the sigil; of a string the raw text between the quotes */
} token;

/* One comment, for text_parse with keep_comments. */
typedef struct comment {
  uint32_t offset, length, line;
  bool own_line; /* nothing but blanks before it */
  bool blank;    /* an empty line stands before it */
} comment;

typedef struct lexer {
  const char *begin, *end; /* *end is a zero byte */
  const char *pos, *line_start;
  uint32_t line;
  token tok;
  uint32_t prev_end, prev_line; /* of the token before `tok` */
} lexer;

enum {
  CH_SPACE = 1,
  CH_ID0 = 2,
  CH_ID = 4,
  CH_SUFFIX = 8,
  CH_DIGIT = 16,
  CH_HEX = 32,
  CH_TYPE = 64
};
extern const uint8_t char_class[256];
static inline bool is_class(char c, unsigned mask) {
  return char_class[(uint8_t)c] & mask;
}

/* ---- formats -------------------------------------------------------------------------------- */

typedef enum instr_kind {
  F_END,
  F_OPERAND,   /* a: group */
  F_ATTR,      /* a: slot */
  F_TYPE_IN,   /* a: operand group */
  F_TYPE_OUT,  /* a: result group */
  F_SPLAT_IN,  /* a: operand group */
  F_SPLAT_OUT, /* a: result group */
  F_ANGLED,    /* a: slot, text: keyword */
  F_FLAG,      /* a: slot, text: keyword */
  F_DICT,
  F_REGION,      /* a: region */
  F_ARGS_REGION, /* a: region */
  F_PUNCT,       /* a: character, or F_ARROW_CHAR */
  F_WORD,        /* text */
  F_WORD_EQ,     /* text, then '=' without blanks */
  F_OPTIONAL,    /* a: instructions up to and with F_OPTIONAL_END, b: index of the deciding one */
  F_OPTIONAL_END,
  F_CUSTOM, /* text */
} instr_kind;

enum { F_ARROW_CHAR = 1 }; /* no punctuation mark */

typedef struct instr {
  uint8_t kind, a, b, len;
  const char *text;
} instr;

/* Where the type of an operand or result group comes from when the text does not spell it out. */
typedef enum type_rule {
  RULE_NONE,
  RULE_SAME_IN,  /* as operand group `arg` */
  RULE_SAME_OUT, /* as result group `arg` */
  RULE_TOKEN,
  RULE_SCALAR, /* tile<elem `arg`> */
  RULE_VIEW,   /* the tensor_view of the result */
  RULE_VALUE,  /* the type of the constant in attribute slot `arg` */
} type_rule;

typedef struct group_rule {
  uint8_t rule, arg;
} group_rule;

typedef struct format {
  const instr *code;
  group_rule in[OP_MAX_OPERANDS], out[OP_MAX_RESULTS];
  uint8_t n_in, n_out, n_attrs, n_regions;
} format;

typedef struct text_formats {
  strmap names; /* operation name -> op_code */
  format formats[OP_TABLE_SIZE];
} text_formats;

/* The context's formats, made on first use. */
text_formats *text_formats_of(tsr_context *ctx);
const format *format_of(tsr_context *ctx, op_code code);

/* ---- parser --------------------------------------------------------------------------------- */

typedef enum symbol_state { SYM_NONE, SYM_VALUE, SYM_POISON } symbol_state;

/* A name of a value, interned for the whole text; active while its scope is open. */
typedef struct symbol {
  str name;         /* in the text */
  const char *text; /* the module's copy, once a value has it */
  uint32_t hash;
  uint8_t state;      /* symbol_state */
  uint32_t isolation; /* serial of the isolated region in which it is defined */
  ir_value *first;    /* of `count` */
  uint32_t count;
  uint32_t offset; /* of the definition */
  uint32_t number; /* 1 + that of the definition in the parser's index; 0: it isn't there */
  struct symbol *next_in_scope;
  struct symbol *shadowed; /* the definition outside the isolated region; rare */
} symbol;

typedef struct name_scope {
  symbol *defined;
  struct name_scope *outer;
  uint32_t outer_isolation;
} name_scope;

/* A use of a value while its operation is read. */
typedef struct operand_ref {
  ir_value *value; /* NULL: undefined or poisoned, already reported */
  uint32_t offset, length;
} operand_ref;

typedef struct result_name {
  str name;
  uint32_t offset, count;
} result_name;

/* Where names are defined in a stretch of the text that was looked through for them. */
typedef struct later_definition {
  struct later_definition *next; /* of the same name, further down */
  uint32_t offset;
} later_definition;

typedef struct later_definitions {
  strmap names;        /* to later_definition*: the first that wasn't passed */
  strmap last;         /* to later_definition* */
  uint32_t begin, end; /* offsets */
} later_definitions;

typedef struct alias_def {
  struct alias_def *next; /* of the pending locations, in the order of their first use */
  str name;
  uint8_t kind;    /* alias_kind */
  uint32_t offset; /* attribute: of its definition's first token; location: of its first use */
  union {
    const ir_type *type;
    ir_loc loc;
    uint32_t scope; /* 1 + index into ir_module.scopes */
    const struct tsr_layout_value *layout;
  } u;
} alias_def;
typedef enum alias_kind {
  ALIAS_NONE,
  ALIAS_TYPE,
  ALIAS_LOC,
  ALIAS_LOC_PENDING,
  ALIAS_SCOPE,
  ALIAS_LAYOUT,
  ALIAS_ATTR
} alias_kind;

typedef struct type_cache_slot {
  const char *text;
  uint32_t length;
  const ir_type *type;
} type_cache_slot;
enum { TYPE_CACHE = 512 };

typedef struct parser {
  lexer lx; /* first: every file reads p->lx.tok */
  tsr_context *ctx;
  ir_module *m;
  arena temp; /* freed when parsing ends */
  text_formats *formats;
  bool keep_comments, testing, quiet, stopped;
  uint32_t depth, nesting, braces; /* braces: open ones that are no region's */
  uint32_t isolation, isolations;
  name_scope *scope;
  symbol **symbols; /* open addressing */
  uint32_t n_symbols, cap_symbols;
  strmap types, attrs; /* !alias, #alias -> alias_def* */
  type_cache_slot *type_cache;
  VEC(operand_ref) operands; /* stacks: operations nest */
  VEC(const ir_type *) type_stack;
  VEC(result_name) results;
  VEC(ir_value *) values;
  VEC(comment) comments;                   /* read but not yet attached */
  uint32_t n_pending_locs;                 /* location aliases used but not yet defined */
  alias_def *first_pending, *last_pending; /* those that were pending at some time */
  bool patched_locs;                       /* some were defined after their use */
  strmap files;                            /* names in locations, one copy of each */
  later_definitions later;                 /* of the region where the last unknown name was met */
  uint32_t compared;                       /* names, to find those that were meant */
  text_index *index;                       /* NULL: nobody asks */
  str extension; /* in the text: the first element type that only programs of the block level have
                    without being asked for; NULL: there is none */
} parser;

/* A point to come back to. */
typedef struct mark {
  lexer lx;
  uint32_t comments;
} mark;
static inline mark mark_here(const parser *p) {
  return (mark){p->lx, p->comments.len};
}
static inline void back_to(parser *p, mark m) {
  p->lx = m.lx;
  p->comments.len = m.comments;
}

#define TOK(p) ((p)->lx.tok.kind)

/* One operation while it is read. */
typedef struct op_state {
  op_code code;
  const op_row *row;
  const format *fmt;
  uint32_t name_offset, name_length; /* in the text, for messages */
  ir_loc loc;
  uint32_t operand_base[OP_MAX_OPERANDS], operand_len[OP_MAX_OPERANDS];
  uint32_t in_base[OP_MAX_OPERANDS], in_len[OP_MAX_OPERANDS]; /* types that were spelled out */
  uint32_t in_offset[OP_MAX_OPERANDS];
  uint32_t out_base[OP_MAX_RESULTS], out_len[OP_MAX_RESULTS];
  bool out_given[OP_MAX_RESULTS];
  ir_attr attrs[OP_MAX_ATTRS];
  uint32_t present;
  ir_extra *extra, **extra_tail;
  const instr *last; /* of the format, what was read last; for messages */
  bool generic;
  const ir_ints *segments; /* generic form: operandSegmentSizes */
  ir_op *op;               /* once it is made: at the first region, or at the end */
} op_state;

/* lexer.c */
void lexer_init(parser *p, str text, uint32_t first); /* begins to read at offset `first` */
void next(parser *p);
/* Continues reading at `pos`, which lies on the current line or was reached by skip_blanks. */
void resume_at(parser *p, const char *pos);
const char *skip_blanks(parser *p, const char *pos);
str unescape(parser *p, arena *a, token t);

/* Messages: at a piece of the source; all return false. */
place place_at(const parser *p, uint32_t offset, uint32_t length);
bool fail_at(parser *p, uint32_t offset, uint32_t length, const char *fmt, ...) PRINTF_LIKE(4, 5);
bool fail_tok(parser *p, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* "expected <what>, found <the token>"; after the last token when the line ends there. */
bool fail_expected(parser *p, const char *fmt, ...) PRINTF_LIKE(2, 3);
void note_at(parser *p, uint32_t offset, uint32_t length, const char *fmt, ...) PRINTF_LIKE(4, 5);
const char *describe_token(const parser *p, char *out, size_t size);
/* Whether there is stack for another level of nesting; reports at `offset` when there is none. */
bool has_stack(parser *p, uint32_t offset);
bool enter_nesting(parser *p, uint32_t offset); /* false after an error */
static inline void leave_nesting(parser *p) {
  p->nesting--;
}

static inline bool at_punct(const parser *p, char c) {
  return TOK(p) == (uint8_t)c;
}
static inline bool at_word(const parser *p, const char *word) {
  return TOK(p) == TOK_BARE && str_is(p->lx.tok.name, word);
}
static inline bool take_punct(parser *p, char c) {
  if (TOK(p) != (uint8_t)c) return false;
  next(p);
  return true;
}
static inline bool take_word(parser *p, const char *word) {
  if (!at_word(p, word)) return false;
  next(p);
  return true;
}
bool expect_punct(parser *p, char c, const char *after);
bool expect_word(parser *p, const char *word, const char *after);
bool expect_arrow(parser *p, const char *after);

/* suggest.c */
/* The candidate nearest to a misspelt word, or NULL. */
const char *suggest(str word, const char *const *candidates, unsigned n);

/* parse_type.c */
const ir_type *parse_type(parser *p); /* NULL after an error */
/* At the end: admits Tessera's own element types to programs of the block level; false after a
 * message about one that the program may not have. */
bool check_extensions(parser *p);
bool parse_type_list(parser *p);                   /* pushes on type_stack: a, b, c */
tsr_elem parse_elem(parser *p, tsr_elem *pointee); /* TSR_ELEM_COUNT after an error */

/* parse_layout.c */
/* layout<expression> or #alias; with `bare` also the expression alone, up to the '>' around it.
 * NULL after an error. The value lives as long as the parser. */
const struct tsr_layout_value *parse_layout(parser *p, bool bare);
/* The layout of a tile or of the kind that `memory` says, of this shape: says what does not fit. */
bool parse_layout_for(parser *p, bool memory, unsigned rank, const int64_t *shape,
                      struct tsr_layout_value *out);

/* Keeps the name of a layout for the printer. */
void name_layout(parser *p, str name, const struct tsr_layout_value *v);

/* parse_attr.c */
bool parse_attr(parser *p, op_state *s, unsigned slot);
bool parse_attr_generic(parser *p, op_state *s, unsigned slot); /* as in a dictionary */
bool parse_attr_dict(parser *p, op_state *s);                   /* { … } when there is one */
bool parse_enum(parser *p, attr_kind kind, uint16_t allowed, int64_t *out);
bool parse_int64(parser *p, int64_t *out, const char *what);
bool parse_string(parser *p, str *out, const char *what);
bool parse_hints(parser *p, ir_attr *out);
/* The span of any attribute, which is only checked for balance. */
bool skip_attribute(parser *p, str *span);
/* The same for the definition of an alias, which ends with its line once all brackets are closed.
 */
bool skip_attribute_line(parser *p, str *span);

/* parse_dense.c */
bool parse_dense(parser *p, const ir_dense **out);
bool parse_scalars(parser *p, const ir_scalars **out);

/* literal.c */
/* Patterns of literals: the token under the cursor, which is not consumed. Report errors. */
bool literal_pattern(parser *p, tsr_elem elem, bool negative, uint32_t offset, uint64_t *out);
/* Appends the pattern as a literal, as MLIR does. */
void print_literal(sbuf *b, tsr_elem elem, uint64_t pattern);

/* parse_loc.c */
bool parse_trailing_loc(parser *p, ir_loc *loc); /* loc(…) when there is one */
bool parse_alias_definition(parser *p);          /* #x = …, !x = … */
bool finish_locations(parser *p);

/* parse_op.c */
void parse_block(parser *p, ir_block *b);
bool parse_operation(parser *p, ir_block *b);
/* Fills in what follows from the name under the cursor and steps over it; false for OP_NONE. */
bool begin_op(parser *p, op_state *s, op_code code);
/* After an error in what began at `start`, when `braces` were open: to the next line that begins an
 * operation in the same region, or to the region's end. Braces of attributes that were open at the
 * error may never be closed: an operation ends them. */
void recover(parser *p, uint32_t start, uint32_t braces);
bool enter_region(parser *p); /* counts the depth; false after an error */
bool end_region(parser *p, uint32_t brace, const char *what);
/* The rest of an operation in the custom form, after its name. */
bool parse_format(parser *p, op_state *s);
op_code find_operation(parser *p, str name); /* OP_NONE after an error */
ir_loc loc_of(parser *p, uint32_t line, uint32_t column);
bool parse_operand(parser *p);      /* pushes on operands */
bool parse_operand_list(parser *p); /* zero or more, with commas between them */
bool define_value(parser *p, str name, uint32_t offset, ir_value *first, uint32_t count);
void poison(parser *p, str name, uint32_t offset);
void build_op(parser *p, op_state *s); /* makes s->op; reports types that do not fit */
bool check_operand(parser *p, const op_state *s, const operand_ref *ref, const ir_type *expected);
void open_scope(parser *p, name_scope *s);
void close_scope(parser *p, name_scope *s);

/* One (%name: type, …) list; the arguments of a region. */
typedef struct argument {
  str name;
  uint32_t offset;
  const ir_type *type;
} argument;
typedef struct argument_list {
  VEC(argument) v;
} argument_list;
bool parse_arguments(parser *p, argument_list *out); /* ( … ) */
/* { … }: makes region `index` of s->op and reads it. */
bool parse_region(parser *p, op_state *s, unsigned index, const argument *args, uint32_t n,
                  bool isolated);

/* comments.c: does nothing unless comments are kept */
str comments_before(parser *p, bool first_in_block); /* takes all that were read; data NULL: none */
void comments_attach(parser *p, ir_op *op, str before);
/* What stood before the '}' of a region. */
void comments_at_end(parser *p, ir_op *op, ir_block *b, bool last_region, str text);
void comments_after_module(parser *p);

/* scope.c */
symbol *find_symbol(parser *p, str name); /* interned */
bool is_visible(const parser *p, const symbol *s);
void report_undefined(parser *p, symbol *s, uint32_t offset, uint32_t length);
bool at_operation_start(parser *p); /* whether the token begins an operation; for recovery */

/* custom.c */
bool parse_custom(parser *p, op_state *s);

/* index.c: do nothing where nobody asks for an index */
uint32_t index_definition(parser *p, uint32_t offset, uint32_t length, const ir_value *first,
                          uint32_t count);  /* 1 + its number */
void index_end(parser *p, uint32_t number); /* of the region: the current token ends it */
void index_use(parser *p, const symbol *s, const operand_ref *ref);
void index_tokens(parser *p, str text);

/* generic.c */
bool parse_generic_op(parser *p, op_state *s);
bool parse_generic_module(parser *p, str comments);

/* testing.c: what only tests write, with p->testing */
bool parse_testing_func(parser *p, op_state *s);
bool begin_foreign_op(parser *p, op_state *s); /* "dialect.name" under the cursor */
/* Operations at the top of the file, which then has no module of its own around them. */
bool at_fragment(const parser *p);
bool parse_fragment(parser *p);
/* Puts a module that the text doesn't have around what has been read so far. */
void make_implicit(parser *p);

/* text.c */
bool parse_module_op(parser *p); /* the outermost */
void finish_module_op(parser *p, op_state *s, str comments);

#endif
