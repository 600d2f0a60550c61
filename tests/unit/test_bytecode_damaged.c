/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reading bytecode that nobody should have written: files cut short, with changed bits and absurd
 * numbers, hand-made ones that break one rule each; other writers' spellings that are fine; memory
 * running out.
 */
#include "bytecode_test.h"

/* ---- files to damage ------------------------------------------------------------------------- */

static const char everything[] =
    "#f = #cuda_tile.di_file<\"f.py\" in \"/d\">\n"
    "#u = #cuda_tile.di_compile_unit<file = #f>\n"
    "#s = #cuda_tile.di_subprogram<file = #f, line = 1, name = \"k\", linkageName = \"k\", "
    "compileUnit = #u, scopeLine = 2>\n"
    "#b = #cuda_tile.di_lexical_block<scope = #s, file = #f, line = 3, column = 4>\n"
    "cuda_tile.module @m attributes {producer = \"p\"} {\n"
    "  global private constant @g alignment = 16 <i32: [1, 2]> : tile<2xi32>\n"
    "  entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) optimization_hints=<sm_90 = {occupancy = 2}> {\n"
    "    %c = constant <f32: [1.0, 2.0, 3.0, 4.0]> : tile<4xf32> loc(#l)\n"
    "    %m = constant <i1: [true, false, true, true]> : tile<4xi1> loc(callsite(#l at #l2))\n"
    "    %q = assume bounded<-1, 7>, %n : tile<i32>\n"
    "    %a = assume div_by<16>, %p : tile<ptr<f32>>\n"
    "    %v = make_tensor_view %a, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, "
    "strides=[1]>\n"
    "    %w = make_partition_view %v : partition_view<tile=(4), padding_value = nan, "
    "tensor_view<?xf32, strides=[1]>>\n"
    "    %g = make_strided_view %v : strided_view<tile=(4), traversal_strides=[2], "
    "tensor_view<?xf32, strides=[1]>>\n"
    "    %x, %t = load_view_tko weak %w[%n] optimization_hints = <sm_90 = {latency = 3}> : "
    "partition_view<tile=(4), padding_value = nan, tensor_view<?xf32, strides=[1]>>, tile<i32> -> "
    "tile<4xf32>, token\n"
    "    %r = reduce %x dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<f32>\n"
    "    (%i: tile<f32>, %j: tile<f32>) { %k = addf %i, %j : tile<f32> yield %k : tile<f32> }\n"
    "    %z = for %i in (%n to %n, step %n) : tile<i32> iter_values(%y = %r) -> (tile<f32>) {\n"
    "      %o = cmpi equal %i, %n, signed : tile<i32> -> tile<i1>\n"
    "      %e = if %o -> (tile<f32>) { yield %y : tile<f32> } else { yield %r : tile<f32> }\n"
    "      continue %e : tile<f32>\n"
    "    }\n"
    "    %d = print_tko \"%f\\0A\", %z token=%t : tile<f32> -> token\n"
    "    %h = get_global @g : tile<ptr<i32>>\n"
    "    return\n"
    "  } loc(#l2)\n"
    "}\n"
    "#l = #cuda_tile.di_loc<loc(\"f.py\":5:6) in #b>\n"
    "#l2 = #cuda_tile.di_loc<loc(\"f.py\":7:8) in #s>\n";

static const char nothing[] = "cuda_tile.module @m { entry @k() { } }";

static bytes bytes_of(tsr_context *ctx, const char *text, unsigned minor) {
  ir_module *m = read_text(ctx, text, 0);
  if (!m) show_messages(text);
  assert_non_null(m);
  bytes b = write_unverified(ctx, m, minor);
  assert_non_null(b.data);
  tsr_module_destroy(m);
  return b;
}

/* `everything` without what 13.1 does not have. */
static bytes old_file(tsr_context *ctx) {
  static const char *const drop[][2] = {
      {"private constant @g", "@g"}, {"%g = make_strided_view", NULL}, {"token=%t", ""}};
  char *text = strdup(everything);
  for (unsigned i = 0; i < ARRAY_LEN(drop); i++) {
    char *at = strstr(text, drop[i][0]);
    size_t n = drop[i][1] ? strlen(drop[i][0]) : strcspn(at, "\n");
    memset(at, ' ', n);
    if (drop[i][1]) memcpy(at, drop[i][1], strlen(drop[i][1]));
  }
  bytes b = bytes_of(ctx, text, 1);
  free(text);
  return b;
}

typedef void (*each_file)(tsr_context *ctx, const bytes *file);

static void for_each_file(each_file f) {
  tsr_context *ctx = make_context(0);
  bytes files[] = {bytes_of(ctx, everything, 3), bytes_of(ctx, nothing, 3), old_file(ctx)};
  for (unsigned i = 0; i < ARRAY_LEN(files); i++) {
    ir_module *m = read_bytes(ctx, files[i].data, files[i].len, 0);
    if (!m) show_messages("file");
    assert_non_null(m);
    tsr_module_destroy(m);
    f(ctx, &files[i]);
    free(files[i].data);
  }
  tsr_context_destroy(ctx);
}

/* What is accepted can be printed, and written in the newest version if it is valid. */
static bool try_reading(tsr_context *ctx, const uint8_t *data, size_t len) {
  ir_module *m = read_bytes(ctx, data, len, TSR_PARSE_NO_VERIFY);
  if (!m) {
    assert_true(count_errors() == 1);
    return false;
  }
  free(print_module(ctx, m));
  char *written = tsr_module_verify(m) == TSR_OK ? tsr_module_write_bytecode(m, 0, NULL) : NULL;
  if (written) tsr_string_free(ctx, written);
  tsr_module_destroy(m);
  return true;
}

/* ---- damage ---------------------------------------------------------------------------------- */

static void cut(tsr_context *ctx, const bytes *file) {
  for (size_t len = 0; len < file->len; len++)
    if (try_reading(ctx, file->data, len)) fail_msg("the first %zu bytes were accepted", len);
}

static void test_cut_short(void **state) {
  (void)state;
  for_each_file(cut);
}

static void flip(tsr_context *ctx, const bytes *file) {
  unsigned accepted = 0;
  for (size_t at = 0; at < file->len; at++)
    for (unsigned bit = 0; bit < 8; bit++) {
      file->data[at] ^= (uint8_t)(1u << bit);
      accepted += try_reading(ctx, file->data, file->len);
      file->data[at] ^= (uint8_t)(1u << bit);
    }
  assert_true(accepted > 0); /* padding, the letters of a name */
}

static void test_flipped_bits(void **state) {
  (void)state;
  for_each_file(flip);
}

/* ---- absurd numbers -------------------------------------------------------------------------- */

typedef struct account {
  size_t now, peak;
} account;

static void *count_allocate(void *user, size_t size) {
  account *a = user;
  a->now += size;
  if (a->now > a->peak) a->peak = a->now;
  return malloc(size);
}

static void count_release(void *user, void *memory, size_t size) {
  ((account *)user)->now -= size;
  free(memory);
}

static void inflate(tsr_context *plain, const bytes *file) {
  static const uint64_t numbers[] = {UINT64_MAX, UINT32_MAX, 1u << 21};
  (void)plain;
  account a = {0};
  tsr_allocator allocator = {count_allocate, count_release, &a};
  tsr_context *ctx =
      tsr_context_create(&(tsr_context_options){.struct_size = sizeof(tsr_context_options),
                                                .on_diagnostic = keep_message,
                                                .allocator = &allocator});
  for (size_t at = 12; at < file->len; at++)
    for (unsigned i = 0; i < ARRAY_LEN(numbers); i++) {
      bytes b = {0};
      add(&b, file->data, at);
      add_varint(&b, numbers[i]);
      add(&b, file->data + at + 1, file->len - at - 1);
      try_reading(ctx, b.data, b.len);
      free(b.data);
    }
  /* Arenas take 64 KB and more at once; nothing near what the numbers announce. */
  if (a.peak > 2u << 20) fail_msg("%zu bytes were taken for a file of %zu", a.peak, file->len);
  tsr_context_destroy(ctx);
  assert_int_equal(a.now, 0);
}

static void test_absurd_numbers(void **state) {
  (void)state;
  for_each_file(inflate);
}

/* ---- files by hand --------------------------------------------------------------------------- */

/* A table of items with offsets in front. */
typedef struct table {
  bytes data;
  uint64_t offsets[64];
  unsigned n;
} table;

static void item(table *t, const void *data, size_t n) {
  t->offsets[t->n++] = t->data.len;
  add(&t->data, data, n);
}

typedef struct file {
  unsigned minor;
  table strings, types, constants, debug;
  bytes body;               /* of the one kernel, @k, whose type is type 0 */
  bytes globals, locations; /* whole sections' bytes in front of the debug table */
  unsigned function_debug;
  unsigned function_type, function_flags; /* flags 0: those of a kernel */
  bytes constant_section;                 /* in place of the table of constants */
  bool strings_twice;
} file;

static void add_section(bytes *out, unsigned id, unsigned alignment, const bytes *data) {
  add_byte(out, id | (alignment > 1 ? 0x80 : 0));
  add_varint(out, data->len);
  if (alignment > 1) {
    add_varint(out, alignment);
    add_padding(out, alignment);
  }
  add(out, data->data, data->len);
}

static void add_table(bytes *out, const table *t, unsigned width) {
  add_varint(out, t->n);
  add_padding(out, width);
  for (unsigned i = 0; i < t->n; i++) add_int(out, t->offsets[i], width);
  add(out, t->data.data, t->data.len);
}

static void add_table_section(bytes *out, unsigned id, const table *t, unsigned width) {
  bytes b = {0};
  add_table(&b, t, width);
  add_section(out, id, width, &b);
  free(b.data);
}

static bytes assemble(file *f) {
  bytes out = {0}, b = {0};
  add(&out, BYTES(0x7f, 'T', 'i', 'l', 'e', 'I', 'R', 0, 13));
  add_byte(&out, f->minor ? f->minor : 3);
  add_int(&out, 0, 2);
  if (f->globals.len) add_section(&out, 6, 1, &f->globals);
  add(&b, BYTES(1, 0));
  add_varint(&b, f->function_type);
  add_byte(&b, f->function_flags ? f->function_flags : 2);
  add_varint(&b, f->function_debug);
  add_varint(&b, f->body.len);
  add(&b, f->body.data, f->body.len);
  add_section(&out, 2, 8, &b);
  if (f->constant_section.len)
    add_section(&out, 4, 8, &f->constant_section);
  else
    add_table_section(&out, 4, &f->constants, 8);
  if (f->locations.len) {
    add_table(&f->locations, &f->debug, 4);
    add_section(&out, 3, 8, &f->locations);
  }
  add_table_section(&out, 5, &f->types, 4);
  for (int i = 0; i < 1 + f->strings_twice; i++) add_table_section(&out, 1, &f->strings, 4);
  add_byte(&out, 0);
  free(b.data);
  free(f->body.data);
  free(f->globals.data);
  free(f->locations.data);
  free(f->constant_section.data);
  free(f->strings.data.data);
  free(f->types.data.data);
  free(f->constants.data.data);
  free(f->debug.data.data);
  return out;
}

/* @k of no arguments; type 1 is i32, 2 tile<i32>, 3 f32, 4 tile<f32>, 5 token. */
static file begin_file(void) {
  file f = {0};
  item(&f.strings, "k", 1);
  item(&f.types, BYTES(16, 0, 0));
  item(&f.types, BYTES(3));
  item(&f.types, BYTES(13, 1, 0));
  item(&f.types, BYTES(7));
  item(&f.types, BYTES(13, 3, 0));
  item(&f.types, BYTES(17));
  return f;
}

static ir_module *read_file(tsr_context *ctx, file *f) {
  bytes b = assemble(f);
  ir_module *m = read_bytes(ctx, b.data, b.len, TSR_PARSE_NO_VERIFY);
  free(b.data);
  return m;
}

static void expect_refused(file *f, const char *expected) {
  tsr_context *ctx = make_context(0);
  ir_module *m = read_file(ctx, f);
  if (m) fail_msg("accepted, instead of: %s", expected);
  if (said.n != 1 || !strstr(said.v[0].text, expected)) {
    show_messages(expected);
    fail_msg("another message");
  }
  assert_memory_equal(said.v[0].text, "byte ", 5);
  tsr_context_destroy(ctx);
}

static char *expect_accepted(file *f) {
  tsr_context *ctx = make_context(0);
  ir_module *m = read_file(ctx, f);
  if (!m) show_messages("a file by hand");
  assert_non_null(m);
  char *text = print_module(ctx, m);
  tsr_module_destroy(m);
  tsr_context_destroy(ctx);
  return text;
}

static void test_hand_made(void **state) {
  (void)state;
  file f = begin_file();
  add(&f.body, BYTES(0x5c, 0, 0));
  char *text = expect_accepted(&f);
  assert_string_equal(text, "cuda_tile.module @kernels {\n  entry @k() {\n    return\n  }\n}\n");
  free(text);
}

/* One rule each. A body, and what is said about it. */
typedef struct wrong_body {
  uint8_t data[24];
  unsigned len;
  const char *message;
} wrong_body;

#define BODY(...) {__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})

static void test_wrong_bodies(void **state) {
  (void)state;
  static const wrong_body cases[] = {
      {BODY(0x5c, 0), "in the functions section: the data ends before the end of a number"},
      {{0}, 0, "the body of @k ends without return"},
      {BODY(0x44, 5), "the body of @k ends without return"},
      {BODY(0x19), "there is no operation 0x19"},
      {BODY(0x80, 0x80, 1), "there is no operation 0x4000"},
      {BODY(0x16, 0), "operation entry cannot be inside a kernel"},
      {BODY(0x4b, 0), "operation module cannot be inside a kernel"},
      {BODY(0x44, 6), "there is no type 6; the file has 6"},
      {BODY(0x03, 2, 0, 0, 0), "there is no value 0 here; 0 are visible"},
      {BODY(0x03, 2, 4, 0, 0), "attribute 'overflow' has no value 4"},
      {BODY(0x10, 2, 0), "there is no constant 0; the file has 0"},
      {BODY(0x05, 1, 0), "there is no string 1; the file has 1"},
      {BODY(0x2c, 2, 9), "there is no string 9; the file has 1"},
      {BODY(0x02, 4, 2, 0, 0, 0), "the flags 0x2 of addf are unknown in version 13.3"},
      {BODY(0x29, 0, 0, 2, 0, 0), "for has 2 operands; it takes at least 3"},
      {BODY(0x41, 0, 0, 2), "loop has 2 regions; expected 1"},
      {BODY(0x41, 0, 0, 1, 0), "region 'region' of loop has 0 blocks; expected one"},
      {BODY(0x41, 0, 0, 1, 2), "region 'region' of loop has 2 blocks; expected one"},
      {BODY(0x41, 0, 0, 1, 1, 0, 0), "region 'region' of loop ends without a terminator"},
      {BODY(0x41, 0, 0, 1, 1, 0, 1, 0x44, 5), "region 'region' of loop ends without a terminator"},
      {BODY(0x26, 2, 2, 2, 0), "extract has 2 results here; expected 1"},
      {BODY(0x55, 0, 0, 0, 0), "print_tko has 0 results here; expected 1"},
      {BODY(0x58, 1, 2, 0, 1, 7), "attribute of kind 7; expected a number"},
      {BODY(0x58, 1, 2, 0, 1, 1, 3, 0), "the type of this number is f32; expected an integer type"},
      {BODY(0x58, 1, 2, 0, 1, 2, 1, 0), "the type of this number is i32; expected a floating"},
      {BODY(0x58, 1, 2, 0, 1, 1, 1, 0xff, 0xff, 0xff, 0xff, 0x7f),
       "does not fit the 32 bits of i32"},
      {BODY(0x58, 1, 2, 0x80, 0x80, 0x80, 0x80, 0x10), "attribute 'dim' does not fit 32 bits"},
      {BODY(0x06, 2, 5), "attribute of kind 5; expected a predicate"},
      {BODY(0x06, 2, 8, 16, 1), "'every' and 'along' must be used together"},
      {BODY(0x06, 2, 12, 4), "the flags 0x4 of bounded are unknown"},
      {BODY(0x06, 2, 9, 65), "this list has 65 numbers; at most 64 are accepted"},
      {BODY(0x53, 2, 0xff, 0xff, 0xff, 0xff, 0x0f), "at most 64 are accepted"},
  };
  for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
    file f = begin_file();
    add(&f.body, cases[i].data, cases[i].len);
    expect_refused(&f, cases[i].message);
  }
}

/* What a version does not have yet. */
static void test_too_new(void **state) {
  (void)state;
  static const struct {
    uint8_t body[16];
    unsigned len, minor;
    const char *message;
  } cases[] = {
      {BODY(0x6e, 4, 0, 0), 1,
       "operation atan2 is in bytecode since version 13.2, but this is 13.1"},
      {BODY(0x71, 4), 2, "operation alloca is in bytecode since version 13.3, but this is 13.2"},
      {BODY(0x55, 1, 5, 0, 0), 1, "print_tko has 1 result here; expected 0"},
  };
  for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
    file f = begin_file();
    f.minor = cases[i].minor;
    add(&f.body, cases[i].body, cases[i].len);
    expect_refused(&f, cases[i].message);
  }
}

typedef struct wrong_type {
  uint8_t data[40];
  unsigned len;
  unsigned minor; /* 0: newest */
  const char *message;
} wrong_type;

/* Each is type 6, the type of make_token's result. */
static void test_wrong_types(void **state) {
  (void)state;
#define I64(n) n, 0, 0, 0, 0, 0, 0, 0
#define I32(n) n, 0, 0, 0
  static const wrong_type cases[] = {
      {BODY(23), 0, "there is no type of kind 23"},
      {BODY(19), 2, "type f4E2M1FN is in bytecode since version 13.3, but this is 13.2"},
      {BODY(22), 2, "type i4 is in bytecode since version 13.3"},
      {BODY(18), 1, "type f8E8M0FNU is in bytecode since version 13.2"},
      {BODY(20, 0), 2, "gather_scatter_view is in bytecode since version 13.3"},
      {BODY(21, 0), 1, "strided_view is in bytecode since version 13.3"},
      {BODY(17, 0), 0, "type 6 goes on behind token"},
      {BODY(12), 0, "ends before the end of a number"},
      {BODY(12, 6), 0, "type 6 cannot be an element type here"},
      {BODY(12, 5), 0, "type 5 cannot be an element type here"},
      {BODY(12, 9), 0, "there is no type 9"},
      {BODY(13, 2, 0), 0, "type 2 cannot be an element type here"},
      {BODY(13, 1, 65), 0, "a shape has 65 numbers; at most 64 are accepted"},
      {BODY(13, 1, 2, I64(4)), 0, "ends before the list it announces"},
      {BODY(13, 1, 1, I64(3)), 0, "must be a power of two"},
      {BODY(13, 1, 1, I64(0)), 0, "must be positive"},
      {BODY(14, 3, 1, I64(4), 0), 0, "a tensor_view of rank 1 has 0 strides"},
      {BODY(15, 0, 1, I32(4), 5, 1, I32(0)), 0, "a view must be over a tensor_view, but type 5"},
      {BODY(15, 2, 1, I32(4), 5), 0, "the flags 0x2 of this view are unknown"},
      {BODY(16, 1, 6, 0), 0, "type 6 is a function type; functions do not take functions"},
      {BODY(16, 0xff, 0xff, 0xff, 0xff, 0x0f), 0, "ends before the end of a number"},
  };
  for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
    file f = begin_file();
    f.minor = cases[i].minor;
    item(&f.types, cases[i].data, cases[i].len);
    add(&f.body, BYTES(0x44, 6, 0x5c, 0, 0));
    expect_refused(&f, cases[i].message);
  }
  /* Over a real tensor_view: the parts must fit. */
  static const wrong_type views[] = {
      {BODY(15, 0, 1, I32(4), 6, 0), 0, "the dim_map of a view with tiles of rank 1 has 0 numbers"},
      {BODY(15, 1, 1, I32(4), 6, 1, I32(0), 5), 0, "there is no padding value 5"},
      {BODY(15, 0, 1, I32(4), 6, 1, I32(1)), 0, "dim_map maps tile dimension 0 to dimension 1"},
      {BODY(21, 0, 1, I32(4), 0, 6, 1, I32(0)), 0, "rank 1 has 0 traversal strides"},
      {BODY(20, 0, 1, I32(4), 6, 64), 0, "there is no dimension 64"},
      {BODY(20, 0, 1, I32(4), 6, 1), 0, "sparse_dim is 1"},
  };
  for (unsigned i = 0; i < ARRAY_LEN(views); i++) {
    file f = begin_file();
    item(&f.types, BYTES(14, 3, 1, I64(8), 1, I64(1)));
    item(&f.types, views[i].data, views[i].len);
    add(&f.body, BYTES(0x44, 7, 0x5c, 0, 0));
    expect_refused(&f, views[i].message);
  }
}

/* ---- constants ------------------------------------------------------------------------------- */

/* Elements of type `tag`, `count` of them (rank 1), and the bytes; what the constant prints as, or
 * the message. */
typedef struct constant_case {
  unsigned tag, count;
  uint8_t data[16];
  unsigned len;
  const char *value, *message;
} constant_case;

static void test_spellings_of_constants(void **state) {
  (void)state;
  static const constant_case cases[] = {
      /* i1: bytes, bits, and one byte for all */
      {0, 4, BODY(1, 0, 0, 1), "<i1: [true, false, false, true]> : tile<4xi1>", NULL},
      {0, 4, BODY(1, 1, 1, 1), "<i1: true> : tile<4xi1>", NULL},
      {0, 4, BODY(9), "<i1: [true, false, false, true]> : tile<4xi1>", NULL},
      {0, 4, BODY(15), "<i1: true> : tile<4xi1>", NULL},
      {0, 4, BODY(0xff), "<i1: true> : tile<4xi1>", NULL},
      {0, 4, BODY(1), "<i1: true> : tile<4xi1>", NULL},
      {0, 4, BODY(0), "<i1: false> : tile<4xi1>", NULL},
      {0, 1, BODY(0xff), "<i1: true> : tile<1xi1>", NULL},
      {0, 16, BODY(0xff, 0xff), "<i1: true> : tile<16xi1>", NULL},
      {0, 16, BODY(1, 0x80),
       "<i1: [true, false, false, false, false, false, false, false, false, false, false, false, "
       "false, false, false, true]> : tile<16xi1>",
       NULL},
      {0, 16, BODY(0xff), "<i1: true> : tile<16xi1>", NULL},
      {0, 16, BODY(1, 2, 3), NULL,
       "constant 0 has 3 bytes; a value of type tile<16xi1> has 16, or 1"},
      /* others: all elements, or one for all */
      {3, 2, BODY(1, 0, 0, 0, 2, 0, 0, 0), "<i32: [1, 2]> : tile<2xi32>", NULL},
      {3, 2, BODY(7, 0, 0, 0, 7, 0, 0, 0), "<i32: 7> : tile<2xi32>", NULL},
      {3, 2, BODY(7, 0, 0, 0), "<i32: 7> : tile<2xi32>", NULL},
      {3, 2, BODY(7, 0, 0), NULL,
       "constant 0 has 3 bytes; a value of type tile<2xi32> has 8, or 4"},
      {3, 4, BODY(1, 0, 0, 0, 2, 0, 0, 0), NULL, "has 8 bytes"},
      /* three bytes hold the 19 bits of a tf32 */
      {8, 2, BODY(0, 0xfc, 1, 0, 0, 2), "<tf32: [1.000000e+00, 2.000000e+00]> : tile<2xtf32>",
       NULL},
      {8, 2, BODY(0, 0xfc, 1), "<tf32: 1.000000e+00> : tile<2xtf32>", NULL},
      {8, 2, BODY(0, 0, 8), NULL, "does not fit the 19 bits of a tf32"},
      /* a byte holds four bits */
      {19, 2, BODY(1, 2), "<f4E2M1FN: [5.000000e-01, 1.000000e+00]> : tile<2xf4E2M1FN>", NULL},
      {19, 4, BODY(1, 2, 1, 2),
       "<f4E2M1FN: [5.000000e-01, 1.000000e+00, 5.000000e-01, 1.000000e+00]> : tile<4xf4E2M1FN>",
       NULL},
      {19, 2, BODY(1, 16), NULL, "element 1 of this constant is 0x10, which does not fit 4 bits"},
  };
  for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
    const constant_case *k = &cases[i];
    file f = begin_file();
    bytes b = {0};
    uint8_t elem = (uint8_t)k->tag;
    item(&f.types, &elem, 1);
    item(&f.types, BYTES(13, 6, 1, (uint8_t)k->count, 0, 0, 0, 0, 0, 0, 0));
    add_varint(&b, k->len);
    add(&b, k->data, k->len);
    item(&f.constants, b.data, b.len);
    free(b.data);
    add(&f.body, BYTES(0x10, 7, 0, 0x10, 7, 0, 0x5c, 0, 0));
    if (k->message) {
      expect_refused(&f, k->message);
      continue;
    }
    char *text = expect_accepted(&f);
    if (!strstr(text, k->value)) fail_msg("expected %s in\n%s", k->value, text);
    free(text);
  }
}

/* A byte of bits is another value in a tile of 4 than in one of 8. */
static void test_shared_bits(void **state) {
  (void)state;
  file f = begin_file();
  item(&f.types, BYTES(0));
  item(&f.types, BYTES(13, 6, 1, I64(4)));
  item(&f.types, BYTES(13, 6, 1, I64(8)));
  item(&f.constants, BYTES(1, 6));
  add(&f.body, BYTES(0x10, 7, 0, 0x10, 8, 0, 0x5c, 0, 0));
  char *text = expect_accepted(&f);
  assert_non_null(strstr(text, "<i1: [false, true, true, false]> : tile<4xi1>"));
  assert_non_null(strstr(text, "<i1: [false, true, true, false, false, false, false, false]>"));
  free(text);
}

static void test_constants_of_wrong_types(void **state) {
  (void)state;
  file f = begin_file();
  item(&f.constants, BYTES(4, 0, 0, 0, 0));
  add(&f.body, BYTES(0x10, 5, 0, 0x5c, 0, 0));
  expect_refused(&f, "a constant is a tile of numbers, not token");
  f = begin_file();
  item(&f.constants, BYTES(5, 0, 0, 0, 0));
  add(&f.body, BYTES(0x10, 2, 0, 0x5c, 0, 0));
  expect_refused(&f, "constant 0 has 5 bytes, but 4 are there");
}

/* A megabyte that ten thousand operations refer to, in many shapes, is there once. */
static void test_shared_constant(void **state) {
  (void)state;
  enum { SIZE = 1 << 20 };
  file f = begin_file();
  bytes big = {0};
  add_varint(&big, SIZE);
  for (unsigned i = 0; i < SIZE; i++) add_byte(&big, i * 7);
  item(&f.constants, big.data, big.len);
  for (unsigned i = 0; i <= 17; i++) { /* tile<2^i x 2^(18 - i) x i32> */
    bytes t = {0};
    add(&t, BYTES(13, 1, 2));
    add_int(&t, 1u << i, 8);
    add_int(&t, 1u << (18 - i), 8);
    item(&f.types, t.data, t.len);
    free(t.data);
  }
  for (unsigned i = 0; i < 10000; i++) add(&f.body, BYTES(0x10, (uint8_t)(6 + i % 18), 0));
  add(&f.body, BYTES(0x5c, 0, 0));
  bytes b = assemble(&f);
  account a = {0};
  tsr_allocator allocator = {count_allocate, count_release, &a};
  tsr_context *ctx = tsr_context_create(
      &(tsr_context_options){.struct_size = sizeof(tsr_context_options), .allocator = &allocator});
  ir_module *m = read_bytes(ctx, b.data, b.len, TSR_PARSE_NO_VERIFY);
  assert_non_null(m);
  if (a.peak > 16u << 20) fail_msg("%zu bytes were taken", a.peak);
  tsr_module_destroy(m);
  tsr_context_destroy(ctx);
  free(big.data);
  free(b.data);
}

/* ---- globals, hints, numbers ----------------------------------------------------------------- */

static void test_wrong_globals(void **state) {
  (void)state;
  static const wrong_body cases[] = {
      {BODY(1, 0, 2, 0, 0, 2, 0), "there is no visibility 2"},
      {BODY(1, 0, 2, 1, 0, 0, 0), "there is no constant 1; the file has 1"},
      {BODY(1, 1, 2, 0, 0, 0, 0), "this name is empty"},
      {BODY(2, 0, 2, 0, 0, 0, 0), "in the globals section: the data ends before"},
      {BODY(0xff, 0xff, 0xff, 0xff, 0x0f, 0, 2, 0, 0, 0, 0), "in the globals section"},
      {BODY(1, 0, 5, 0, 0, 0, 0), "a constant is a tile of numbers, not token"},
  };
  for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
    file f = begin_file();
    item(&f.strings, "", 0);
    item(&f.constants, BYTES(4, 1, 0, 0, 0));
    add(&f.globals, cases[i].data, cases[i].len);
    add(&f.body, BYTES(0x5c, 0, 0));
    expect_refused(&f, cases[i].message);
  }
}

/* load_ptr_tko with hints only; strings: 1 "sm_90", 2 "latency", 3 "". */
static file hints_file(const uint8_t *hints, size_t n) {
  file f = begin_file();
  item(&f.strings, "sm_90", 5);
  item(&f.strings, "latency", 7);
  item(&f.strings, "", 0);
  item(&f.types, BYTES(12, 3));
  item(&f.types, BYTES(13, 6, 0));
  item(&f.types, BYTES(0));
  add(&f.body, BYTES(0x71, 7, 0, 1, 1)); /* alloca: value 0 */
  add(&f.body, BYTES(0x3d, 4, 5, 2, 0)); /* load_ptr_tko weak, with hints */
  add(&f.body, hints, n);
  add(&f.body, BYTES(0, 0x5c, 0, 0));
  return f;
}

static void test_wrong_functions_and_sections(void **state) {
  (void)state;
  file f = begin_file();
  item(&f.types, BYTES(16, 0, 1, 5));
  f.function_type = 6;
  add(&f.body, BYTES(0x5c, 0, 0));
  expect_refused(&f, "kernel @k returns something; a kernel has no results");
  f = begin_file();
  f.function_flags = 1;
  add(&f.body, BYTES(0x5c, 0, 0));
  expect_refused(&f, "function @k is no kernel; Tile IR has no other functions");
  f = begin_file();
  f.function_flags = 2 | 4;
  add(&f.body, BYTES(0x5c, 0, 0)); /* its length, 3, stands where the hints should */
  expect_refused(&f, "attribute of kind 3; expected optimization hints (11)");
  f = begin_file();
  f.strings_twice = true;
  add(&f.body, BYTES(0x5c, 0, 0));
  expect_refused(&f, "a second strings section; a file has one");
  f = begin_file();
  add(&f.constant_section, BYTES(9, 0, 0, 0, 0, 0, 0, 0, I64(0)));
  add(&f.body, BYTES(0x5c, 0, 0));
  expect_refused(&f, "there cannot be 9 constants in 8 bytes");
  f = begin_file();
  f.minor = 4;
  item(&f.types, BYTES(12, 1, 3, 1));
  add(&f.body, BYTES(0x44, 6, 0x5c, 0, 0));
  expect_refused(&f, "there is no pointer attribute 1");
  f = begin_file();
  f.function_debug = 1;
  add(&f.locations, BYTES(0xc8, 1, 0, 0));
  add(&f.body, BYTES(0x5c, 0, 0));
  expect_refused(&f, "there cannot be 200 ");
}

static void test_too_many_hints(void **state) {
  (void)state;
  bytes hints = {0};
  add(&hints, BYTES(1, 1, 10));
  add_varint(&hints, 5000);
  for (unsigned i = 0; i < 5000; i++) add(&hints, BYTES(2, 3, 1));
  file f = hints_file(hints.data, hints.len);
  expect_refused(&f, "at most 4096 hints are accepted for one operation");
  free(hints.data);
}

static void test_hints(void **state) {
  (void)state;
  static const struct {
    uint8_t data[16];
    unsigned len;
    const char *value, *message;
  } cases[] = {
      {BODY(1, 1, 10, 1, 2, 1, 1, 5), "<sm_90 = {latency = 5}>", NULL},
      {BODY(1, 1, 10, 1, 2, 1, 1, 0xff, 0xff, 0xff, 0xff, 0x0f), "<sm_90 = {latency = -1}>", NULL},
      {BODY(1, 1, 10, 1, 2, 3, 1), "<sm_90 = {latency = true}>", NULL},
      {BODY(1, 1, 10, 1, 2, 1, 8, 0), "<sm_90 = {latency = false}>", NULL},
      {BODY(1, 1, 10, 2, 2, 1, 1, 5, 1, 3, 1), "<sm_90 = {latency = 5, sm_90 = true}>", NULL},
      {BODY(1, 1, 10, 2, 2, 1, 1, 5, 2, 3, 1), NULL,
       "the hint 'latency' for 'sm_90' is given twice"},
      {BODY(1, 3, 10, 0), NULL, "this name is empty"},
      {BODY(1, 1, 10, 1, 3, 1, 1, 5), NULL, "this name is empty"},
      {BODY(1, 1, 6, 0), NULL, "attribute of kind 6; expected a dictionary (10)"},
      {BODY(1, 1, 10, 1, 2, 5, 0), NULL, "attribute of kind 5; expected an integer (1) or a bool"},
  };
  for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
    file f = hints_file(cases[i].data, cases[i].len);
    if (cases[i].message) {
      expect_refused(&f, cases[i].message);
      continue;
    }
    char *text = expect_accepted(&f);
    if (!strstr(text, cases[i].value)) fail_msg("expected %s in\n%s", cases[i].value, text);
    free(text);
  }
}

/* -2.0 as an f64 of reduce's identities: folded to 64 bits, and as 65. */
static void test_negative_doubles(void **state) {
  (void)state;
  static const uint8_t spellings[][10] = {
      {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
      {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 3},
  };
  for (unsigned i = 0; i < 2; i++) {
    file f = begin_file();
    item(&f.types, BYTES(9));
    add(&f.body, BYTES(0x58, 0, 0, 1, 2, 6));
    add(&f.body, spellings[i], i ? 10 : 9);
    add(&f.body, BYTES(0, 1, 1, 0, 1, 0x6d, 0, 0, 0x5c, 0, 0));
    char *text = expect_accepted(&f);
    if (!strstr(text, "identities=[-2.000000e+00 : f64]")) fail_msg("%s", text);
    free(text);
  }
}

/* ---- debug information ----------------------------------------------------------------------- */

/* One function with one list of locations: its own, and its operations'. */
static void add_locations(file *f, const uint64_t *list, unsigned n) {
  f->function_debug = 1;
  add(&f->body, BYTES(0x5c, 0, 0));
  add_varint(&f->locations, 1);
  add_padding(&f->locations, 4);
  add_int(&f->locations, 0, 4);
  add_varint(&f->locations, n);
  add_padding(&f->locations, 8);
  for (unsigned i = 0; i < n; i++) add_int(&f->locations, list[i], 8);
}

static void test_wrong_debug_info(void **state) {
  (void)state;
  static const struct {
    uint8_t entries[4][8];
    unsigned lens[4];
    uint64_t list[2];
    unsigned n;
    const char *message;
  } cases[] = {
      {{{6, 1, 0}}, {3}, {0, 1}, 2, "debug entry 1 refers to itself"},
      {{{6, 2, 0}, {6, 0, 1}}, {3, 3}, {0, 1}, 2, "refers to itself"},
      {{{2, 0, 0}, {3, 3, 1, 0, 0}, {3, 2, 1, 0, 0}}, {3, 5, 5}, {0, 0}, 2, "refers to itself"},
      {{{6, 9, 0}}, {3}, {0, 1}, 2, "there is no debug entry 9; the file has 2"},
      {{{2, 0, 0}, {6, 1, 0}}, {3, 3}, {0, 2}, 2, "debug entry 1 is not a location"},
      {{{1, 1}}, {2}, {0, 0}, 2, "debug entry 1 is not a file"},
      {{{2, 0, 5}}, {3}, {0, 0}, 2, "there is no string 5"},
      {{{2, 0, 0}, {4, 1, 0, 1, 1}},
       {3, 5},
       {0, 2},
       2,
       "debug entry 1 is not a subprogram or a lex"},
      {{{2, 0, 0}}, {3}, {0, 1}, 2, "debug entry 1, which is a scope"},
      {{{0}}, {1}, {0, 7}, 2, "debug entry 7, but there are 1"},
      {{{0}}, {1}, {0}, 1, "the debug section has no location for this operation"},
  };
  for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
    file f = begin_file();
    for (unsigned k = 0; k < 4 && cases[i].lens[k]; k++)
      item(&f.debug, cases[i].entries[k], cases[i].lens[k]);
    add_locations(&f, cases[i].list, cases[i].n);
    expect_refused(&f, cases[i].message);
  }
  file f = begin_file();
  add_locations(&f, (uint64_t[]){0, 0}, 2);
  f.function_debug = 2;
  expect_refused(&f, "there are no locations for function 2; the file has those of 1");
}

/* References may go forwards; kinds of entries to come count as unknown. */
static void test_odd_debug_info(void **state) {
  (void)state;
  file f = begin_file();
  item(&f.debug, BYTES(6, 2, 3));
  item(&f.debug, BYTES(99, 1, 2, 3));
  item(&f.debug, BYTES(0));
  add_locations(&f, (uint64_t[]){0, 1}, 2);
  char *text = expect_accepted(&f);
  assert_non_null(strstr(text, "callsite(unknown at unknown)"));
  free(text);
}

/* A chain of call sites as long as the file, and lists of them. */
static void test_long_chains(void **state) {
  (void)state;
  enum { N = 100000 };
  bytes section = {0}, body = {0}, data = {0}, out = {0}, b = {0};
  add(&body, BYTES(0x5c, 0, 0));
  add_varint(&section, 1);
  add_padding(&section, 4);
  add_int(&section, 0, 4);
  add_varint(&section, 2);
  add_padding(&section, 8);
  add_int(&section, 0, 8);
  add_int(&section, N, 8);
  add_varint(&section, N);
  add_padding(&section, 4);
  for (unsigned i = 0; i < N; i++) {
    add_int(&section, data.len, 4);
    add_byte(&data, 6);
    add_varint(&data, i);
    add_varint(&data, i / 2);
  }
  add(&section, data.data, data.len);
  table strings = {0}, types = {0};
  item(&strings, "k", 1);
  item(&types, BYTES(16, 0, 0));
  add(&out, BYTES(0x7f, 'T', 'i', 'l', 'e', 'I', 'R', 0, 13, 3, 0, 0));
  add(&b, BYTES(1, 0, 0, 2, 1, 3, 0x5c, 0, 0));
  add_section(&out, 2, 8, &b);
  add_section(&out, 3, 8, &section);
  add_table_section(&out, 5, &types, 4);
  add_table_section(&out, 1, &strings, 4);
  add_byte(&out, 0);
  tsr_context *ctx = make_context(0);
  ir_module *m = read_bytes(ctx, out.data, out.len, TSR_PARSE_DEFAULT);
  if (!m) show_messages("a long chain");
  assert_non_null(m);
  free(print_module(ctx, m));
  size_t len;
  char *written = tsr_module_write_bytecode(m, 0, &len);
  assert_non_null(written);
  tsr_string_free(ctx, written);
  tsr_module_destroy(m);
  tsr_context_destroy(ctx);
  free(section.data), free(body.data), free(data.data), free(out.data), free(b.data);
  free(strings.data.data), free(types.data.data);
}

/* ---- sections -------------------------------------------------------------------------------- */

static void expect_bytes_refused(const uint8_t *data, size_t len, const char *expected) {
  tsr_context *ctx = make_context(0);
  assert_null(read_bytes(ctx, data, len, 0));
  if (said.n != 1 || !strstr(said.v[0].text, expected)) {
    show_messages(expected);
    fail_msg("another message");
  }
  tsr_context_destroy(ctx);
}

#define HEADER 0x7f, 'T', 'i', 'l', 'e', 'I', 'R', 0, 13, 3, 0, 0

static void test_wrong_sections(void **state) {
  (void)state;
  static const struct {
    uint8_t data[40];
    unsigned len;
    const char *message;
  } cases[] = {
      {BODY(0x7f, 'T', 'i', 'l'), "byte 0: this is no Tile IR bytecode"},
      {BODY(0x7f, 'T', 'i', 'l', 'e', 'I', 'R', 0, 13), "the file ends before the version"},
      {BODY(0x7f, 'T', 'i', 'l', 'e', 'I', 'R', 0, 18, 0, 0, 0),
       "byte 8: this is bytecode of version 18.0; versions 13.1 to 13.5 can be read"},
      {BODY(0x7f, 'T', 'i', 'l', 'e', 'I', 'R', 0, 13, 0, 0, 0, 0), "version 13.0"},
      {BODY(0x7f, 'T', 'i', 'l', 'e', 'I', 'R', 0, 13, 6, 0, 0, 0), "version 13.6"},
      {BODY(HEADER), "the file ends before the section that ends it"},
      {BODY(HEADER, 0), "the file has no strings section"},
      {BODY(HEADER, 0, 0), "byte 13: the file goes on behind the section that ends it"},
      {BODY(HEADER, 0x80), "there is no section of kind 128"},
      {BODY(HEADER, 8, 0), "there is no section of kind 8"},
      {BODY(HEADER, 0x7f, 0), "there is no section of kind 127"},
      {BODY(HEADER, 6, 5, 0), "the globals section has 5 bytes, but 1 are left"},
      {BODY(HEADER, 6, 0, 6, 0, 0), "a second globals section"},
      {BODY(HEADER, 1, 1, 0, 0), "the strings section must be aligned to 4 bytes, but is to 1"},
      {BODY(HEADER, 0x82, 1, 4, 0xcb, 0, 0), "the functions section must be aligned to 8 bytes"},
      {BODY(HEADER, 0x81, 1, 3, 0xcb, 0, 0), "the alignment 3 is no power of two"},
      {BODY(HEADER, 0x81, 1, 0, 0xcb, 0, 0), "the alignment 0 is no power of two"},
      {BODY(HEADER, 0x81, 0, 64, 0), "the file ends before the padding of this section"},
      {BODY(HEADER, 0x81, 1, 4, 0xcb, 0, 0), "the file has no functions section"},
      {BODY(HEADER, 0x81, 1, 4, 0xcb, 9, 0x82, 1, 8, 0xcb, 0xcb, 0xcb, 0xcb, 0, 0),
       "the data ends before the padding"},
  };
  for (unsigned i = 0; i < ARRAY_LEN(cases); i++)
    expect_bytes_refused(cases[i].data, cases[i].len, cases[i].message);
}

/* ---- depth ----------------------------------------------------------------------------------- */

/* `depth` loops in each other. */
static file nested(unsigned depth) {
  file f = begin_file();
  for (unsigned i = 1; i < depth; i++) add(&f.body, BYTES(0x41, 0, 0, 1, 1, 0, 2));
  add(&f.body, BYTES(0x41, 0, 0, 1, 1, 0, 1, 0x0a, 0, 0));
  for (unsigned i = 1; i < depth; i++) add(&f.body, BYTES(0x0a, 0, 0));
  add(&f.body, BYTES(0x5c, 0, 0));
  return f;
}

static void test_depth(void **state) {
  (void)state;
  file f = nested(255);
  free(expect_accepted(&f));
  f = nested(257);
  expect_refused(&f, "regions are nested more than 256 deep");
  f = nested(100000);
  expect_refused(&f, "regions are nested more than 256 deep");
}

/* ---- memory ---------------------------------------------------------------------------------- */

typedef struct ration {
  unsigned left;
} ration;

static void *allocate_some(void *user, size_t size) {
  ration *r = user;
  return r->left && r->left-- ? malloc(size) : NULL;
}

static void release_some(void *user, void *memory, size_t size) {
  (void)user;
  (void)size;
  free(memory);
}

/* Every allocation fails once; nothing leaks. */
static void test_memory_runs_out(void **state) {
  (void)state;
  tsr_context *plain = make_context(0);
  bytes b = bytes_of(plain, everything, 3);
  tsr_context_destroy(plain);
  bool done = false;
  for (unsigned n = 0; !done; n++) {
    ration r = {.left = n};
    tsr_allocator allocator = {allocate_some, release_some, &r};
    tsr_context *ctx = tsr_context_create(&(tsr_context_options){
        .struct_size = sizeof(tsr_context_options), .allocator = &allocator});
    if (!ctx) continue;
    ir_module *m = tsr_module_read_bytecode(ctx, b.data, b.len, NULL, 0);
    char *written = m ? tsr_module_write_bytecode(m, 0, NULL) : NULL;
    done = written != NULL;
    if (written) tsr_string_free(ctx, written);
    tsr_module_destroy(m);
    tsr_context_destroy(ctx);
    assert_true(n < 100000);
  }
  free(b.data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cut_short),
      cmocka_unit_test(test_flipped_bits),
      cmocka_unit_test(test_absurd_numbers),
      cmocka_unit_test(test_hand_made),
      cmocka_unit_test(test_wrong_bodies),
      cmocka_unit_test(test_too_new),
      cmocka_unit_test(test_wrong_types),
      cmocka_unit_test(test_spellings_of_constants),
      cmocka_unit_test(test_shared_bits),
      cmocka_unit_test(test_constants_of_wrong_types),
      cmocka_unit_test(test_shared_constant),
      cmocka_unit_test(test_wrong_functions_and_sections),
      cmocka_unit_test(test_too_many_hints),
      cmocka_unit_test(test_wrong_globals),
      cmocka_unit_test(test_hints),
      cmocka_unit_test(test_negative_doubles),
      cmocka_unit_test(test_wrong_debug_info),
      cmocka_unit_test(test_odd_debug_info),
      cmocka_unit_test(test_long_chains),
      cmocka_unit_test(test_wrong_sections),
      cmocka_unit_test(test_depth),
      cmocka_unit_test(test_memory_runs_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
