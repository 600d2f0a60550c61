/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Types. Spellings that were seen before are found in a small cache by their text, which is how
 * nearly all types of a large module are read.
 */
#include <tessera/layout.h>

#include "text/internal.h"

static const char *const kind_names[] = {"tile",
                                         "ptr",
                                         "token",
                                         "tensor_view",
                                         "partition_view",
                                         "strided_view",
                                         "gather_scatter_view",
                                         "shared",
                                         "mbarrier",
                                         "tensor_map",
                                         "async",
                                         "remote"};

/* Takes the name of a type under the cursor apart: "tile", "!cuda_tile.tile", "!alias". */
static bool type_word(const parser *p, str *word, bool *alias) {
  const token *t = &p->lx.tok;
  if (t->kind != TOK_BARE && t->kind != TOK_BANG) return false;
  static const str prefix = {"cuda_tile.", 10};
  *word = t->name;
  *alias = false;
  if (t->name.len > prefix.len && memcmp(t->name.data, prefix.data, prefix.len) == 0)
    *word = (str){t->name.data + prefix.len, t->name.len - prefix.len};
  else
    *alias = t->kind == TOK_BANG;
  return true;
}

/* The known name that is nearest to a word, if one is near. */
static const char *near_type(const parser *p, str word) {
  const char *names[ARRAY_LEN(kind_names) + TSR_ELEM_COUNT];
  unsigned n = ARRAY_LEN(kind_names);
  memcpy(names, kind_names, sizeof kind_names);
  for (unsigned e = 0; e < TSR_ELEM_COUNT; e++)
    if (ir_elem_is_number(e) && (p->m->extensions || !tsr_elem_is_extension((tsr_elem)e)))
      names[n++] = tsr_elem_name((tsr_elem)e);
  return suggest(word, names, n);
}

/* The element type with the spelling that is printed; TSR_ELEM_COUNT if it is none. */
static tsr_elem spelled(str word) {
  tsr_elem e = tsr_elem_from_name(word.data, word.len);
  return ir_elem_is_number(e) && str_is(word, tsr_elem_name(e)) ? e : TSR_ELEM_COUNT;
}

static const ir_type *unknown_type(parser *p, str word) {
  const char *near = near_type(p, word);
  if (near && str_is(word, near))
    fail_tok(p, "expected an element type, found '" STR_FMT "'", STR_ARG(word));
  else if (near)
    fail_tok(p, "unknown type '" STR_FMT "'; did you mean '%s'?", STR_ARG(word), near);
  else
    fail_tok(p, "unknown type '" STR_FMT "'", STR_ARG(word));
  return NULL;
}

/* The element type under the cursor; else TSR_ELEM_COUNT. Whether the program may have it is known
 * at its end. */
static tsr_elem number_name(parser *p, str word) {
  tsr_elem e = spelled(word);
  if (tsr_elem_is_extension(e) && !p->m->extensions && !p->extension.data) p->extension = word;
  return e;
}

bool check_extensions(parser *p) {
  if (!p->extension.data) return true;
  if (p->m->block_level) {
    p->m->extensions = true;
    return true;
  }
  uint32_t offset = (uint32_t)(p->extension.data - p->m->source->text.data);
  return fail_at(p, offset, (uint32_t)p->extension.len,
                 "'" STR_FMT "' is Tessera's extension of the language, not a type of Tile IR; the "
                 "option --extensions (TSR_PARSE_EXTENSIONS) admits it",
                 STR_ARG(p->extension));
}

/* Perhaps, after a comma: #cuda_tile.ptr_attr<none>, with or without prefix. */
static bool parse_ptr_attr(parser *p, uint8_t *ptr_attr) {
  int64_t value;
  bool hash = TOK(p) == TOK_HASH;
  if (hash ? !str_is(p->lx.tok.name, "cuda_tile.ptr_attr") : !at_word(p, "ptr_attr"))
    return fail_expected(p, "'#cuda_tile.ptr_attr<none>'");
  next(p);
  if (!expect_punct(p, '<', "'ptr_attr'") || !parse_enum(p, AK_PTR_ATTR, 0, &value)) return false;
  *ptr_attr = (uint8_t)(1 + value);
  return expect_punct(p, '>', "the pointer attribute");
}

/* What stands for a pointer type: what it points to, and its ptr_attr as in ir_type. */
typedef struct pointed {
  tsr_elem pointee;
  uint8_t ptr_attr;
} pointed;

/* After 'ptr': <elem> or <elem, attribute>. */
static bool parse_pointee(parser *p, pointed *out) {
  if (!expect_punct(p, '<', "'ptr'")) return false;
  str word;
  bool alias;
  if (!type_word(p, &word, &alias)) return fail_expected(p, "the element type of the pointer");
  tsr_elem e = alias ? TSR_ELEM_COUNT : number_name(p, word);
  if (e == TSR_ELEM_COUNT) {
    if (str_is(word, "ptr") || str_is(word, "tile"))
      return fail_tok(p, "a pointer points to numbers, not to '" STR_FMT "'", STR_ARG(word));
    return unknown_type(p, word) != NULL;
  }
  next(p);
  *out = (pointed){.pointee = e};
  if (take_punct(p, ',') && !parse_ptr_attr(p, &out->ptr_attr)) return false;
  return expect_punct(p, '>', "the element type of the pointer");
}

/* A number or pointer type. */
static tsr_elem parse_content(parser *p, pointed *to) {
  str word;
  bool alias;
  *to = (pointed){.pointee = TSR_I1};
  if (!type_word(p, &word, &alias)) {
    fail_expected(p, "an element type");
    return TSR_ELEM_COUNT;
  }
  if (alias) {
    const ir_type *t = parse_type(p);
    if (!t) return TSR_ELEM_COUNT;
    if (t->kind == IR_NUMBER || t->kind == IR_POINTER) {
      *to = (pointed){(tsr_elem)t->pointee, t->ptr_attr};
      return (tsr_elem)t->elem;
    }
    fail_at(p, p->lx.prev_end - (uint32_t)word.len, (uint32_t)word.len,
            "expected an element type, found '%s'", ir_type_text(&p->temp, t));
    return TSR_ELEM_COUNT;
  }
  if (str_is(word, "ptr")) {
    next(p);
    return parse_pointee(p, to) ? TSR_PTR : TSR_ELEM_COUNT;
  }
  tsr_elem e = number_name(p, word);
  if (e == TSR_ELEM_COUNT)
    unknown_type(p, word);
  else
    next(p);
  return e;
}

tsr_elem parse_elem(parser *p, tsr_elem *pointee) {
  pointed to;
  tsr_elem e = parse_content(p, &to);
  *pointee = to.pointee;
  return e;
}

/* ---- shapes --------------------------------------------------------------------------------- */

typedef struct dims {
  int64_t v[IR_MAX_RANK];
  unsigned n;
} dims;

static const char *scan_dim(parser *p, const char *q, int64_t *out) {
  const char *start = q;
  uint64_t v = 0;
  bool overflow = false;
  for (; is_class(*q, CH_DIGIT); q++) {
    overflow |= __builtin_mul_overflow(v, 10, &v);
    overflow |= __builtin_add_overflow(v, (uint64_t)(*q - '0'), &v);
  }
  if (overflow || v > INT64_MAX) {
    fail_at(p, (uint32_t)(start - p->lx.begin), (uint32_t)(q - start),
            "this dimension does not fit 64 bits");
    return NULL;
  }
  *out = (int64_t)v;
  return q;
}

/* Dimensions are read character by character: "4x8xf32" would be one word to the lexer. Begins
 * after the current token; with `elem` each dimension is followed by an 'x', and the cursor ends
 * on the element type, else on what follows the last dimension. */
static bool parse_dims(parser *p, bool elem, bool dynamic, dims *d) {
  const char *q = skip_blanks(p, p->lx.pos);
  d->n = 0;
  while (is_class(*q, CH_DIGIT) || *q == '?') {
    uint32_t at = (uint32_t)(q - p->lx.begin);
    if (d->n == IR_MAX_RANK)
      return fail_at(p, at, 1, "a type has at most %d dimensions", IR_MAX_RANK);
    if (*q == '?') {
      if (!dynamic) return fail_at(p, at, 1, "a tile has no dynamic dimensions; give a number");
      d->v[d->n++] = IR_DYNAMIC;
      q++;
    } else if (!(q = scan_dim(p, q, &d->v[d->n++]))) {
      return false;
    }
    q = skip_blanks(p, q);
    if (*q == 'x')
      q = skip_blanks(p, q + 1);
    else if (elem)
      return fail_at(p, (uint32_t)(q - p->lx.begin), 1,
                     "expected 'x' after a dimension, as in 'tile<4x8xf32>'");
    else
      break;
  }
  resume_at(p, q);
  return true;
}

/* [1, ?, 2] or [1,2], each positive or '?'. */
static bool parse_int_list(parser *p, bool dynamic, const char *what, dims *d) {
  d->n = 0;
  if (!expect_punct(p, '[', NULL)) return false;
  if (take_punct(p, ']')) return true;
  do {
    if (d->n == IR_MAX_RANK) return fail_tok(p, "at most %d %ss are accepted", IR_MAX_RANK, what);
    uint32_t offset = p->lx.tok.offset;
    int64_t *v = &d->v[d->n++];
    if (dynamic && take_punct(p, '?')) {
      *v = IR_DYNAMIC;
    } else if (!parse_int64(p, v, what)) {
      return false;
    } else if (dynamic && *v == IR_DYNAMIC) { /* the number that stands for '?' */
      return fail_at(p, offset, p->lx.prev_end - offset,
                     "%s %u is %lld; expected a positive number or '?'", what, d->n - 1,
                     (long long)*v);
    }
  } while (take_punct(p, ','));
  return expect_punct(p, ']', "the list");
}

/* ---- the kinds ------------------------------------------------------------------------------ */

/* Reports what the rules for types say against `t`. */
static const ir_type *checked(parser *p, uint32_t offset, const ir_type *t) {
  const char *problem = ir_type_problem(&p->temp, t);
  if (!problem) return t;
  fail_at(p, offset, p->lx.prev_end - offset, "%s", problem);
  return NULL;
}

static const ir_type *parse_tile(parser *p, uint32_t offset) {
  dims d;
  pointed to;
  if (!at_punct(p, '<')) {
    fail_expected(p, "'<' after 'tile'");
    return NULL;
  }
  if (!parse_dims(p, true, false, &d)) return NULL;
  tsr_elem e = parse_content(p, &to);
  if (e == TSR_ELEM_COUNT) return NULL;
  tsr_layout_value layout;
  bool laid_out = at_punct(p, ',');
  if (laid_out && !parse_layout_for(p, false, d.n, d.v, &layout)) return NULL;
  if (!expect_punct(p, '>', laid_out ? "the layout" : "the element type")) return NULL;
  const ir_type *t = ir_tile(p->m, e, to.pointee, d.n, d.v);
  if (laid_out) t = ir_with_layout(p->m, t, &layout.layout);
  return checked(p, offset, ir_with_ptr_attr(p->m, t, to.ptr_attr));
}

/* shared<64x32xf16>, or with where each index lies: shared<64x32xf16, (64,32):(40,1)>. */
static const ir_type *parse_shared(parser *p, uint32_t offset, bool boxes) {
  dims d;
  tsr_elem pointee;
  tsr_layout_value layout;
  if (!at_punct(p, '<')) {
    fail_expected(p, "'<' after '%s'", boxes ? "tensor_map" : "shared");
    return NULL;
  }
  if (!parse_dims(p, true, false, &d)) return NULL;
  tsr_elem e = parse_elem(p, &pointee);
  if (e == TSR_ELEM_COUNT || !parse_layout_for(p, true, d.n, d.v, &layout) ||
      !expect_punct(p, '>', boxes ? "the tensor map" : "the shared memory"))
    return NULL;
  return checked(p, offset, (boxes ? ir_tensor_map : ir_shared)(p->m, e, &layout.memory));
}

/* async<tile<…>> */
static const ir_type *parse_async(parser *p, uint32_t offset) {
  if (!expect_punct(p, '<', "'async'")) return NULL;
  const ir_type *t = parse_type(p);
  if (!t || !expect_punct(p, '>', "the tile")) return NULL;
  return checked(p, offset, ir_async(p->m, t));
}

/* mbarrier<4> */
static const ir_type *parse_mbarrier(parser *p, uint32_t offset) {
  int64_t count;
  if (!expect_punct(p, '<', "'mbarrier'") || !parse_int64(p, &count, "of barriers") ||
      !expect_punct(p, '>', "the number of barriers"))
    return NULL;
  return checked(p, offset, ir_mbarrier(p->m, count));
}

/* remote<shared<64x32xf16>>, remote<mbarrier<4>> */
static const ir_type *parse_remote(parser *p, uint32_t offset) {
  if (!expect_punct(p, '<', "'remote'")) return NULL;
  const ir_type *t = parse_type(p);
  if (!t || !expect_punct(p, '>', "what another tile block has")) return NULL;
  if ((t->kind == IR_SHARED || t->kind == IR_MBARRIER) && !t->remote)
    return ir_remote(p->m, t, true);
  fail_at(p, offset, p->lx.prev_end - offset,
          "only shared memory and mbarriers can be another tile block's, not %s",
          ir_type_text(&p->temp, t));
  return NULL;
}

static const ir_type *parse_tensor_view(parser *p, uint32_t offset) {
  dims shape, strides = {.n = 0};
  tsr_elem pointee;
  if (!at_punct(p, '<')) {
    fail_expected(p, "'<' after 'tensor_view'");
    return NULL;
  }
  if (!parse_dims(p, true, true, &shape)) return NULL;
  uint32_t elem_offset = p->lx.tok.offset;
  tsr_elem e = parse_elem(p, &pointee);
  if (e == TSR_ELEM_COUNT) return NULL;
  if (e == TSR_PTR) {
    fail_at(p, elem_offset, 3, "a tensor_view holds numbers, not pointers");
    return NULL;
  }
  uint8_t ptr_attr = 0;
  bool attributed = false; /* of rank 0: the attribute follows the element type */
  if (shape.n == 0 && at_punct(p, ',')) {
    token comma = p->lx.tok;
    next(p);
    attributed = TOK(p) == TOK_HASH || at_word(p, "ptr_attr");
    if (!attributed) {
      fail_at(p, comma.offset, 1, "a tensor_view without dimensions has no strides");
      return NULL;
    }
  }
  if (shape.n) {
    if (!expect_punct(p, ',', "the element type") ||
        !expect_word(p, "strides", "the shape of a tensor_view") ||
        !expect_punct(p, '=', "'strides'"))
      return NULL;
    uint32_t at = p->lx.tok.offset;
    if (!parse_int_list(p, true, "stride", &strides)) return NULL;
    if (strides.n != shape.n) {
      fail_at(p, at, p->lx.prev_end - at, "expected %u strides, as many as dimensions, found %u",
              shape.n, strides.n);
      return NULL;
    }
  }
  if (shape.n) attributed = take_punct(p, ',');
  if ((attributed && !parse_ptr_attr(p, &ptr_attr)) || !expect_punct(p, '>', "the tensor_view"))
    return NULL;
  const ir_type *t = ir_tensor_view(p->m, e, shape.n, shape.v, strides.v);
  return checked(p, offset, ir_with_ptr_attr(p->m, t, ptr_attr));
}

/* tile=(4x8) */
static bool parse_view_tile(parser *p, dims *tile) {
  if (!expect_word(p, "tile", "'<'") || !expect_punct(p, '=', "'tile'")) return false;
  if (!at_punct(p, '(')) return fail_expected(p, "'(' after 'tile='");
  uint32_t at = p->lx.tok.offset;
  if (!parse_dims(p, false, false, tile)) return false;
  if (!expect_punct(p, ')', "the tile's dimensions")) return false;
  for (unsigned i = 0; i < tile->n; i++)
    if (tile->v[i] < 1 || tile->v[i] > INT32_MAX)
      return fail_at(p, at, p->lx.prev_end - at,
                     "tile dimension %u is %lld; it must be at least 1 and fit 32 bits", i,
                     (long long)tile->v[i]);
  return expect_punct(p, ',', "the tile's dimensions");
}

static bool parse_dim_map(parser *p, const dims *tile, int32_t *dim_map, bool *given) {
  *given = false;
  if (!take_punct(p, ',')) return true;
  dims d;
  if (!expect_word(p, "dim_map", "','") || !expect_punct(p, '=', "'dim_map'")) return false;
  uint32_t at = p->lx.tok.offset;
  if (!parse_int_list(p, false, "dimension", &d)) return false;
  if (d.n != tile->n)
    return fail_at(p, at, p->lx.prev_end - at, "dim_map names %u dimensions, but the tile has %u",
                   d.n, tile->n);
  for (unsigned i = 0; i < d.n; i++) {
    if (d.v[i] < INT32_MIN || d.v[i] > INT32_MAX)
      return fail_at(p, at, p->lx.prev_end - at, "a dimension of dim_map is out of range");
    dim_map[i] = (int32_t)d.v[i];
  }
  *given = true;
  return true;
}

static const ir_type *parse_view_of(parser *p) {
  uint32_t at = p->lx.tok.offset;
  const ir_type *v = parse_type(p);
  if (v && v->kind != IR_TENSOR_VIEW) {
    fail_at(p, at, p->lx.prev_end - at, "expected a tensor_view, found '%s'",
            ir_type_text(&p->temp, v));
    return NULL;
  }
  return v;
}

static const ir_type *parse_subview(parser *p, uint32_t offset, ir_type_kind kind) {
  dims tile, traversal = {.n = 0};
  if (!expect_punct(p, '<', NULL) || !parse_view_tile(p, &tile)) return NULL;
  if (kind == IR_STRIDED_VIEW) {
    if (!expect_word(p, "traversal_strides", "the tile's dimensions") ||
        !expect_punct(p, '=', "'traversal_strides'"))
      return NULL;
    uint32_t at = p->lx.tok.offset;
    if (!parse_int_list(p, false, "traversal stride", &traversal)) return NULL;
    if (traversal.n != tile.n) {
      fail_at(p, at, p->lx.prev_end - at,
              "expected %u traversal strides, as many as tile dimensions, found %u", tile.n,
              traversal.n);
      return NULL;
    }
    if (!expect_punct(p, ',', "the traversal strides")) return NULL;
  }
  int64_t padding = -1;
  if (take_word(p, "padding_value")) {
    if (!expect_punct(p, '=', "'padding_value'") || !parse_enum(p, AK_PADDING, 0, &padding) ||
        !expect_punct(p, ',', "the padding value"))
      return NULL;
  }
  /* The seeds write view=… here. */
  if (take_word(p, "view") && !expect_punct(p, '=', "'view'")) return NULL;
  const ir_type *view = parse_view_of(p), *t;
  if (!view) return NULL;
  if (kind == IR_GATHER_SCATTER_VIEW) {
    int64_t sparse;
    uint32_t at;
    if (!expect_punct(p, ',', "the tensor_view") ||
        !expect_word(p, "sparse_dim", "the tensor_view") || !expect_punct(p, '=', "'sparse_dim'"))
      return NULL;
    at = p->lx.tok.offset;
    if (!parse_int64(p, &sparse, "dimension")) return NULL;
    if (sparse < 0 || sparse >= view->rank) {
      fail_at(p, at, p->lx.prev_end - at, "sparse_dim is %lld, but the view has %u dimensions",
              (long long)sparse, view->rank);
      return NULL;
    }
    if (!expect_punct(p, '>', "the view")) return NULL;
    t = ir_gather_scatter_view(p->m, tile.n, tile.v, view, (unsigned)sparse, (int)padding);
    return checked(p, offset, t);
  }
  int32_t dim_map[IR_MAX_RANK];
  bool given;
  if (!parse_dim_map(p, &tile, dim_map, &given) || !expect_punct(p, '>', "the view")) return NULL;
  if (kind == IR_STRIDED_VIEW)
    t = ir_strided_view(p->m, tile.n, tile.v, traversal.v, view, given ? dim_map : NULL,
                        (int)padding);
  else
    t = ir_partition_view(p->m, tile.n, tile.v, view, given ? dim_map : NULL, (int)padding);
  return checked(p, offset, t);
}

/* (a, b) -> c or (a, b) -> (c, d) */
static const ir_type *parse_function(parser *p) {
  uint32_t base = p->type_stack.len, inputs;
  const ir_type *t = NULL;
  if (!enter_nesting(p, p->lx.tok.offset)) return NULL;
  next(p);
  if (!at_punct(p, ')') && !parse_type_list(p)) goto out;
  inputs = p->type_stack.len - base;
  if (!expect_punct(p, ')', "the types") || !expect_arrow(p, "the inputs of a function type"))
    goto out;
  if (take_punct(p, '(')) {
    if (!at_punct(p, ')') && !parse_type_list(p)) goto out;
    if (!expect_punct(p, ')', "the types")) goto out;
  } else {
    const ir_type *result = parse_type(p);
    if (!result) goto out;
    vec_push(&p->temp, p->type_stack, result);
  }
  t = ir_function(p->m, inputs, p->type_stack.len - base - inputs, p->type_stack.data + base);
out:
  p->type_stack.len = base;
  leave_nesting(p);
  return t;
}

static const ir_type *parse_named(parser *p, str word, uint32_t offset) {
  tsr_elem e = number_name(p, word);
  if (e != TSR_ELEM_COUNT) {
    next(p);
    return ir_number(p->m, e);
  }
  if (str_is(word, "token")) {
    next(p);
    return ir_token(p->m);
  }
  if (str_is(word, "ptr")) {
    next(p);
    pointed to;
    if (!parse_pointee(p, &to)) return NULL;
    return ir_with_ptr_attr(p->m, ir_pointer(p->m, to.pointee), to.ptr_attr);
  }
  bool tile = str_is(word, "tile"), tensor = str_is(word, "tensor_view");
  ir_type_kind kind = str_is(word, "partition_view")        ? IR_PARTITION_VIEW
                      : str_is(word, "strided_view")        ? IR_STRIDED_VIEW
                      : str_is(word, "gather_scatter_view") ? IR_GATHER_SCATTER_VIEW
                                                            : IR_NUMBER;
  bool shared = str_is(word, "shared"), mbarrier = str_is(word, "mbarrier");
  bool boxes = str_is(word, "tensor_map"), async = str_is(word, "async");
  bool remote = str_is(word, "remote"), whole = tile || tensor || shared || mbarrier;
  if (!whole && !boxes && !async && !remote && kind == IR_NUMBER) return unknown_type(p, word);
  next(p);
  if (shared || boxes) return parse_shared(p, offset, boxes);
  if (async) return parse_async(p, offset);
  if (remote) return parse_remote(p, offset);
  if (mbarrier) return parse_mbarrier(p, offset);
  if (tile) return parse_tile(p, offset);
  if (tensor) return parse_tensor_view(p, offset);
  return parse_subview(p, offset, kind);
}

/* ---- cache ---------------------------------------------------------------------------------- */

/* The spelling that starts at `q`, "tile<…>" up to its last '>', as far as it is short, lies on one
 * line and holds nothing unusual; length 0 otherwise. */
static uint32_t spelling(const char *q) {
  enum { LONGEST = 255 };
  int depth = 0;
  for (uint32_t n = 0; n < LONGEST; n++) {
    if (is_class(q[n], CH_TYPE)) continue;
    if (q[n] == '<')
      depth++;
    else if (q[n] != '>' || depth == 0)
      return 0;
    else if (--depth == 0)
      return n + 1;
  }
  return 0;
}

static const ir_type *parse_cached(parser *p, str word, uint32_t offset) {
  uint32_t n = word.data[word.len] == '<' ? spelling(word.data) : 0;
  if (!n) return parse_named(p, word, offset);
  type_cache_slot *slot = &p->type_cache[hash_bytes(word.data, n) % TYPE_CACHE];
  if (slot->length == n && memcmp(slot->text, word.data, n) == 0) {
    resume_at(p, word.data + n);
    return slot->type;
  }
  const ir_type *t = parse_named(p, word, offset);
  if (t && p->lx.prev_end == (uint32_t)(word.data + n - p->lx.begin))
    *slot = (type_cache_slot){word.data, n, t};
  return t;
}

const ir_type *parse_type(parser *p) {
  uint32_t offset = p->lx.tok.offset;
  str word;
  bool is_alias;
  if (at_punct(p, '(')) return parse_function(p);
  if (!type_word(p, &word, &is_alias)) {
    fail_expected(p, "a type");
    return NULL;
  }
  if (is_alias) {
    uintptr_t *a = strmap_get(&p->types, word);
    if (!a) {
      fail_tok(p,
               "unknown type '!" STR_FMT "'; types of the language are written '!cuda_tile.…' "
               "or without prefix, and '!name' must be defined before",
               STR_ARG(word));
      return NULL;
    }
    next(p);
    return ((alias_def *)*a)->u.type;
  }
  if (!enter_nesting(p, offset)) return NULL;
  const ir_type *t = parse_cached(p, word, offset);
  leave_nesting(p);
  return t;
}

bool parse_type_list(parser *p) {
  do {
    const ir_type *t = parse_type(p);
    if (!t) return false;
    vec_push(&p->temp, p->type_stack, t);
  } while (take_punct(p, ','));
  return true;
}
