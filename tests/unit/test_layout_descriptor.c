/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Transforms, descriptors, coordinates, curves: CK Tile's worked examples (CK: their section), and
 * random chains against recomputation. Emitted C is read back by a small evaluator; emitted Tile IR
 * runs in the interpreter.
 */
#include <ctype.h>

#include <tessera/descriptor.h>

#include "run_program.h"
#include "test_layout.h"

#define DIMS(...)                                                                                  \
  (int64_t[]) {                                                                                    \
    __VA_ARGS__                                                                                    \
  }

static void expect(const int64_t *have, uint32_t n, const int64_t *want) {
  for (uint32_t i = 0; i < n; i++) assert_int_equal(have[i], want[i]);
}

/* CK 7.9: the examples of the individual transforms. */
static void test_transforms(void **state) {
  (void)state;
  int64_t l[4], u[4];
  tsr_transform t = tsr_transform_merge(2, DIMS(4, 5)); /* 7.9.2: 13 <-> (2, 3) */
  tsr_transform_lower(&t, DIMS(13), l);
  expect(l, 2, DIMS(2, 3));
  assert_true(tsr_transform_upper(&t, l, u));
  assert_int_equal(u[0], 13);
  t = tsr_transform_unmerge(3, DIMS(3, 4, 2)); /* 7.9.3: 14 <-> (1, 3, 0) */
  tsr_transform_lower(&t, DIMS(1, 3, 0), l);
  assert_int_equal(l[0], 14);
  assert_true(tsr_transform_upper(&t, l, u));
  expect(u, 3, DIMS(1, 3, 0));
  assert_false(tsr_transform_upper(&t, DIMS(24), u));
  t = tsr_transform_embed(2, DIMS(2, 3), DIMS(12, 1)); /* 7.9.4: 14 <-> (1, 2) */
  tsr_transform_lower(&t, DIMS(1, 2), l);
  assert_int_equal(l[0], 14);
  assert_true(tsr_transform_upper(&t, l, u));
  expect(u, 2, DIMS(1, 2));
  assert_false(tsr_transform_upper(&t, DIMS(7), u)); /* in the gap between rows */
  t = tsr_transform_replicate(2, DIMS(3, 4));        /* 7.9.5 */
  assert_int_equal(t.lower, 0);
  assert_int_equal(t.upper, 2);
  t = tsr_transform_offset(48, 16); /* 7.9.6: 5 -> 21, 0, 10, 20, 47 -> 16, 26, 36, 63 */
  const int64_t from[] = {5, 0, 10, 20, 47}, to[] = {21, 16, 26, 36, 63};
  for (int i = 0; i < 5; i++) {
    tsr_transform_lower(&t, &from[i], l);
    assert_int_equal(l[0], to[i]);
    assert_true(tsr_transform_upper(&t, l, u));
    assert_int_equal(u[0], from[i]);
  }
  t = tsr_transform_pass_through(60); /* 7.9.7 */
  tsr_transform_lower(&t, DIMS(25), l);
  assert_int_equal(l[0], 25);
  t = tsr_transform_pad(3, 1, 1); /* 7.9.8: 0 and 4 are padding, 1..3 are 0..2 */
  assert_int_equal(t.length[0], 5);
  for (int64_t i = 0; i < 5; i++) {
    tsr_transform_lower(&t, &i, l);
    assert_int_equal(l[0], i - 1);
    assert_int_equal(tsr_transform_valid(&t, &i), i >= 1 && i <= 3);
  }
  t = tsr_transform_xor(8, 4);
  tsr_transform_lower(&t, DIMS(6, 3), l);
  expect(l, 2, DIMS(6, 3 ^ 2));
  t = tsr_transform_cyclic_shift(5, -1);
  tsr_transform_lower(&t, DIMS(0), l);
  assert_int_equal(l[0], 4);
  t = tsr_transform_modulo(4, 10);
  tsr_transform_lower(&t, DIMS(9), l);
  assert_int_equal(l[0], 1);
}

/* CK 7.10.2. */
static void test_naive(void **state) {
  (void)state;
  tsr_descriptor d;
  bool valid;
  OK(tsr_descriptor_strided(&d, 2, DIMS(3, 4), DIMS(8, 1), 0, err));
  assert_int_equal(tsr_descriptor_offset(&d, DIMS(1, 2), &valid), 10);
  assert_true(valid);
  /* The section computes 3 * 8 = 24 elements, the memory to set aside; what is reached is one more
   * than the last element's offset, 2 * 8 + 3. */
  assert_int_equal(d.space, 20);
  OK(tsr_descriptor_packed(&d, 2, DIMS(3, 4), err));
  assert_int_equal(tsr_descriptor_offset(&d, DIMS(1, 2), NULL), 6);
  assert_int_equal(d.space, 12);
  OK(tsr_descriptor_aligned(&d, 2, DIMS(4, 5), 8, err));
  assert_int_equal(tsr_descriptor_offset(&d, DIMS(1, 0), NULL), 8);
  assert_int_equal(d.space, 3 * 8 + 5); /* 32 with the last row's padding */
  OK(tsr_descriptor_strided(&d, 2, DIMS(3, 4), DIMS(8, 1), 100, err));
  assert_int_equal(tsr_descriptor_offset(&d, DIMS(1, 2), &valid), 110);
  tsr_descriptor_offset(&d, DIMS(3, 0), &valid);
  assert_false(valid);
  tsr_descriptor_offset(&d, DIMS(0, -1), &valid);
  assert_false(valid);
}

/* CK 7.8.4 to 7.8.6, 7.10.4, 7.10.5. */
static void test_chains(void **state) {
  (void)state;
  tsr_descriptor d;
  bool valid;
  OK(tsr_descriptor_packed(&d, 2, DIMS(2, 3), err));
  tsr_transform_step merge = {.transform = tsr_transform_merge(2, DIMS(2, 3)), .from = {0, 1}};
  OK(tsr_descriptor_transform(&d, &d, 1, &merge, err));
  assert_int_equal(tsr_descriptor_offset(&d, DIMS(5), NULL), 5);
  assert_int_equal(tsr_descriptor_length(&d, 0), 6);
  tsr_transform_step unmerge = {.transform = tsr_transform_unmerge(2, DIMS(2, 3)), .to = {0, 1}};
  OK(tsr_descriptor_transform(&d, &d, 1, &unmerge, err));
  for (int64_t i = 0; i < 2; i++)
    for (int64_t j = 0; j < 3; j++)
      assert_int_equal(tsr_descriptor_offset(&d, DIMS(i, j), NULL), i * 3 + j);
  /* 7.8.6: 3 x 4 with strides (1, 3), rows padded by 1 and 1: (1, 2) is (0, 2), at 6. */
  OK(tsr_descriptor_strided(&d, 2, DIMS(3, 4), DIMS(1, 3), 0, err));
  tsr_transform_step pad[] = {{.transform = tsr_transform_pad(3, 1, 1), .from = {0}, .to = {0}},
                              {.transform = tsr_transform_pad(4, 0, 0), .from = {1}, .to = {1}}};
  OK(tsr_descriptor_transform(&d, &d, 2, pad, err));
  assert_int_equal(tsr_descriptor_offset(&d, DIMS(1, 2), &valid), 6);
  assert_true(valid);
  tsr_descriptor_offset(&d, DIMS(4, 2), &valid);
  assert_false(valid);
  /* 7.10.4: [2, 6] seen as [2, 2, 3]. */
  OK(tsr_descriptor_packed(&d, 2, DIMS(2, 6), err));
  tsr_transform_step three[] = {
      {.transform = tsr_transform_pass_through(2), .from = {0}, .to = {0}},
      {.transform = tsr_transform_unmerge(2, DIMS(2, 3)), .from = {1}, .to = {1, 2}}};
  OK(tsr_descriptor_transform(&d, &d, 2, three, err));
  assert_int_equal(d.top, 3);
  assert_int_equal(tsr_descriptor_offset(&d, DIMS(1, 1, 2), NULL), 11);
  /* 7.10.5: [64, 4, 2, 64, 4] to [64, 8, 256]. */
  OK(tsr_descriptor_packed(&d, 5, DIMS(64, 4, 2, 64, 4), err));
  tsr_transform_step block[] = {
      {.transform = tsr_transform_pass_through(64), .from = {0}, .to = {0}},
      {.transform = tsr_transform_merge(2, DIMS(4, 2)), .from = {1, 2}, .to = {1}},
      {.transform = tsr_transform_merge(2, DIMS(64, 4)), .from = {3, 4}, .to = {2}}};
  OK(tsr_descriptor_transform(&d, &d, 3, block, err));
  assert_int_equal(tsr_descriptor_length(&d, 1), 8);
  assert_int_equal(tsr_descriptor_length(&d, 2), 256);
  assert_int_equal(tsr_descriptor_offset(&d, DIMS(3, 5, 77), NULL), (3 * 8 + 5) * 256 + 77);
  int64_t top[3];
  assert_true(tsr_adaptor_top(&d, DIMS((3 * 8 + 5) * 256 + 77), top));
  expect(top, 3, DIMS(3, 5, 77));
  FAILS("made for a dimension of length 5; dimension 1 has length 8",
        tsr_descriptor_transform(
            &d, &d, 3,
            (tsr_transform_step[]){
                {.transform = tsr_transform_pass_through(64), .from = {0}, .to = {0}},
                {.transform = tsr_transform_pass_through(5), .from = {1}, .to = {1}},
                {.transform = tsr_transform_pass_through(256), .from = {2}, .to = {2}}},
            err));
  FAILS("every old top dimension must be taken", tsr_descriptor_transform(&d, &d, 1, block, err));
  FAILS("each taken once",
        tsr_descriptor_transform(&d, &d, 2, (tsr_transform_step[]){block[0], block[0]}, err));
  FAILS("lengths are 1 or more", tsr_descriptor_packed(&d, 2, DIMS(0, 4), err));
  FAILS("lengths are 1 or more", tsr_descriptor_strided(&d, 1, DIMS(4), DIMS(-1), 0, err));
  FAILS("1 to 16 dimensions", tsr_descriptor_packed(&d, 0, NULL, err));
}

/* A chain of adaptors is the one applied after the other. */
static void test_adaptors(void **state) {
  (void)state;
  tsr_descriptor swap, d, both;
  OK(tsr_adaptor_identity(&swap, 2, DIMS(3, 4), err));
  tsr_transform_step turn[] = {
      {.transform = tsr_transform_pass_through(4), .from = {1}, .to = {0}},
      {.transform = tsr_transform_pass_through(3), .from = {0}, .to = {1}}};
  OK(tsr_descriptor_transform(&swap, &swap, 2, turn, err));
  OK(tsr_descriptor_packed(&d, 2, DIMS(3, 4), err));
  OK(tsr_adaptor_chain(&both, &d, &swap, err));
  int64_t bottom[2];
  for (int64_t i = 0; i < 4; i++)
    for (int64_t j = 0; j < 3; j++) {
      tsr_adaptor_bottom(&swap, DIMS(i, j), bottom);
      expect(bottom, 2, DIMS(j, i));
      assert_int_equal(tsr_descriptor_offset(&both, DIMS(i, j), NULL), j * 4 + i);
    }
  OK(tsr_descriptor_packed(&d, 2, DIMS(4, 4), err));
  FAILS("length 4 below and 3 above", tsr_adaptor_chain(&both, &d, &swap, err));
}

/* ---- random chains -------------------------------------------------------------------------- */

/* Puts one random transform on a random dimension, or merges two neighbours. */
static bool grow(rng *r, tsr_descriptor *d) {
  static const int64_t table[8] = {3, 1, 2, 0, 2, 1, 3, 0};
  tsr_transform_step steps[17];
  uint32_t n = 0, next = 0, pick = rng_below(r, d->top), kind = rng_below(r, 10);
  for (uint32_t i = 0; i < d->top; i++) {
    int64_t length = tsr_descriptor_length(d, i);
    tsr_transform_step *s = &steps[n++];
    *s =
        (tsr_transform_step){.transform = tsr_transform_pass_through(length), .from = {(uint8_t)i}};
    if (i == pick) {
      if (kind == 0) s->transform = tsr_transform_pad(length, rng_below(r, 3), rng_below(r, 3));
      if (kind == 1 && length % 2 == 0)
        s->transform = tsr_transform_unmerge(2, DIMS(length / 2, 2));
      if (kind == 2 && length > 2) s->transform = tsr_transform_slice(length, 1, length - 1);
      if (kind == 3) s->transform = tsr_transform_cyclic_shift(length, rng_below(r, 7));
      if (kind == 4) s->transform = tsr_transform_modulo(length, length + 3);
      if (kind == 5 && length > 1)
        s->transform = tsr_transform_freeze(rng_below(r, (uint32_t)length));
      if (kind == 6 && length >= 4) s->transform = tsr_transform_indexing(8, table);
      if (kind == 7 && length > 3)
        s->transform = tsr_transform_embed(2, DIMS(length - 2, 2), DIMS(1, 2));
      if (kind == 8 && i + 1 < d->top) {
        int64_t other = tsr_descriptor_length(d, i + 1);
        s->transform = tsr_transform_merge(2, DIMS(length, other));
        s->from[1] = (uint8_t)++i;
      } else if (kind == 9 && i + 1 < d->top) {
        int64_t other = tsr_descriptor_length(d, i + 1);
        if ((other & (other - 1)) == 0) {
          s->transform = tsr_transform_xor(length, other);
          s->from[1] = (uint8_t)++i;
        }
      }
    }
    for (uint32_t k = 0; k < s->transform.upper; k++) s->to[k] = (uint8_t)next++;
  }
  if (next == 0 || next > 5) return false;
  return tsr_descriptor_transform(d, d, n, steps, NULL) == TSR_OK;
}

static tsr_descriptor random_descriptor(rng *r) {
  tsr_descriptor d;
  int64_t lengths[3] = {2 + rng_below(r, 6), 1 + rng_below(r, 5), 1 << rng_below(r, 4)};
  OK(tsr_descriptor_packed(&d, 3, lengths, err));
  for (uint32_t i = 0, n = 1 + rng_below(r, 7); i < n; i++) grow(r, &d);
  return d;
}

static bool next_of(const tsr_descriptor *d, int64_t *index) {
  for (uint32_t i = d->top; i-- > 0;) {
    if (++index[i] < tsr_descriptor_length(d, i)) return true;
    index[i] = 0;
  }
  return false;
}

/* Movement is recomputation; inverses come back; valid offsets lie in the memory. */
static void test_random_chains(void **state) {
  (void)state;
  rng r = {41};
  int padded = 0;
  for (int round = 0; round < 3000; round++) {
    tsr_descriptor d = random_descriptor(&r);
    tsr_coordinate c, want;
    int64_t at[16] = {0}, to[16], step[16], top[16];
    for (uint32_t i = 0; i < d.top; i++)
      at[i] = rng_below(&r, (uint32_t)tsr_descriptor_length(&d, i));
    tsr_coordinate_make(&c, &d, at);
    for (int k = 0; k < 10; k++) {
      for (uint32_t i = 0; i < d.top; i++) {
        to[i] = rng_below(&r, 3) ? at[i] : rng_below(&r, (uint32_t)tsr_descriptor_length(&d, i));
        step[i] = to[i] - at[i];
        at[i] = to[i];
      }
      tsr_coordinate_move(&c, &d, step);
      tsr_coordinate_make(&want, &d, at);
      assert_memory_equal(c.hidden, want.hidden, sizeof c.hidden);
      assert_int_equal(tsr_coordinate_valid(&c, &d), tsr_coordinate_valid(&want, &d));
      tsr_coordinate_index(&c, &d, top);
      expect(top, d.top, at);
    }
    int64_t index[16] = {0};
    do {
      bool valid;
      int64_t offset = tsr_descriptor_offset(&d, index, &valid);
      padded += !valid;
      if (!valid) continue;
      assert_true(offset >= 0 && offset < d.space);
      int64_t back[16];
      if (tsr_adaptor_top(&d, &offset, back))
        assert_int_equal(tsr_descriptor_offset(&d, back, NULL), offset);
    } while (next_of(&d, index));
  }
  assert_true(padded > 1000);
}

/* ---- emission ------------------------------------------------------------------------------- */

/* Evaluates what tsr_descriptor_emit_c writes: "int64_t NAME = EXPRESSION;" and one bool. */
typedef struct machine {
  const char *p;
  struct {
    char name[8];
    int64_t value;
  } var[128];
  int n;
} machine;

static int64_t *variable(machine *m, const char *name, size_t len) {
  for (int i = 0; i < m->n; i++)
    if (strlen(m->var[i].name) == len && memcmp(m->var[i].name, name, len) == 0)
      return &m->var[i].value;
  snprintf(m->var[m->n].name, 8, "%.*s", (int)len, name);
  return &m->var[m->n++].value;
}

static void space(machine *m) {
  while (*m->p == ' ' || *m->p == '\n') m->p++;
}
static bool eat(machine *m, const char *s) {
  space(m);
  if (strncmp(m->p, s, strlen(s)) != 0) return false;
  m->p += strlen(s);
  return true;
}

static int64_t expression(machine *m, int level);

static int64_t atom(machine *m) {
  space(m);
  if (eat(m, "(")) {
    int64_t v = expression(m, 0);
    assert_true(eat(m, ")"));
    return v;
  }
  if (isdigit((unsigned char)*m->p)) return strtoll(m->p, (char **)&m->p, 10);
  if (eat(m, "true")) return 1;
  const char *first = m->p;
  while (isalnum((unsigned char)*m->p)) m->p++;
  assert_true(m->p > first);
  int64_t v = *variable(m, first, (size_t)(m->p - first));
  if (!eat(m, "[")) return v;
  static const int64_t table[8] = {3, 1, 2, 0, 2, 1, 3, 0};
  int64_t i = expression(m, 0);
  if (eat(m, "?")) {
    bool in = i != 0;
    i = expression(m, 0);
    assert_true(eat(m, ":"));
    int64_t otherwise = expression(m, 0);
    if (!in) i = otherwise;
  }
  assert_true(i >= 0 && i < 8);
  v = table[i];
  assert_true(eat(m, "]"));
  return v;
}

/* C's precedence: && below ^ below comparison below + - below * / %. */
static int64_t expression(machine *m, int level) {
  if (level == 5) return atom(m);
  int64_t v = expression(m, level + 1);
  for (;;) {
    if (level == 0 && eat(m, "&&"))
      v = expression(m, 1) && v;
    else if (level == 1 && eat(m, "^"))
      v ^= expression(m, 2);
    else if (level == 2 && eat(m, ">="))
      v = v >= expression(m, 3);
    else if (level == 2 && eat(m, "<"))
      v = v < expression(m, 3);
    else if (level == 3 && eat(m, "+"))
      v += expression(m, 4);
    else if (level == 3 && eat(m, "-"))
      v -= expression(m, 4);
    else if (level == 4 && eat(m, "*"))
      v *= expression(m, 5);
    else if (level == 4 && eat(m, "/"))
      v /= expression(m, 5);
    else if (level == 4 && eat(m, "%"))
      v %= expression(m, 5);
    else
      return v;
  }
}

static void run_text(machine *m, const char *text) {
  m->p = text;
  while (eat(m, "int64_t") || eat(m, "bool")) {
    space(m);
    const char *first = m->p;
    while (isalnum((unsigned char)*m->p)) m->p++;
    size_t len = (size_t)(m->p - first);
    assert_true(eat(m, "="));
    int64_t v = expression(m, 0);
    assert_true(eat(m, ";"));
    *variable(m, first, len) = v;
  }
  space(m);
  assert_int_equal(*m->p, 0);
}

static void test_emission(void **state) {
  (void)state;
  rng r = {42};
  char text[8192];
  for (int round = 0; round < 1000; round++) {
    tsr_descriptor d = random_descriptor(&r);
    assert_true(tsr_descriptor_emit_c(&d, text, sizeof text) < sizeof text);
    int64_t index[16] = {0};
    do {
      machine m = {0};
      bool valid;
      char name[8];
      for (uint32_t i = 0; i < d.top; i++) {
        snprintf(name, sizeof name, "i%u", i);
        *variable(&m, name, strlen(name)) = index[i];
      }
      run_text(&m, text);
      int64_t offset = tsr_descriptor_offset(&d, index, &valid);
      assert_int_equal(*variable(&m, "valid", 5), valid);
      if (valid && *variable(&m, "offset", 6) != offset) fail_msg("%s", text);
    } while (rng_below(&r, 4) && next_of(&d, index));
  }
  tsr_descriptor d;
  OK(tsr_descriptor_xor_preshuffle(&d, 16, 64, 8, 1, err));
  tsr_descriptor_emit_c(&d, text, sizeof text);
  assert_null(strstr(text, "% 16")); /* known to be below 16 */
}

/* A kernel whose block b writes the offset and the validity of the b-th index, row-major: the
 * emitted lines between some that take b apart. */
static void tile_kernel(char *out, size_t size, const tsr_descriptor *d, const char *prefix,
                        char *body, size_t body_size) {
  tsr_emitted_names names;
  size_t n = 0;
  assert_true(tsr_descriptor_emit_tile(d, prefix, &names, body, body_size) < body_size);
#define ADD(...) n += (size_t)snprintf(out + n, n < size ? size - n : 0, __VA_ARGS__)
  ADD("cuda_tile.module @m { entry @k(%%p: tile<ptr<i64>>) {\n"
      "%%b, %%by, %%bz = get_tile_block_id : tile<i32>\n"
      "%%rest%u = exti %%b unsigned : tile<i32> -> tile<i64>\n",
      d->top);
  for (uint32_t i = d->top; i-- > 0;)
    ADD("%%n%u = constant <i64: %lld> : tile<i64>\n"
        "%%%si%u = remi %%rest%u, %%n%u unsigned : tile<i64>\n"
        "%%rest%u = divi %%rest%u, %%n%u unsigned : tile<i64>\n",
        i, (long long)tsr_descriptor_length(d, i), prefix, i, i + 1, i, i, i + 1, i);
  ADD("%s%%two = constant <i32: 2> : tile<i32>\n"
      "%%one = constant <i32: 1> : tile<i32>\n"
      "%%at = muli %%b, %%two : tile<i32>\n"
      "%%next = addi %%at, %%one : tile<i32>\n"
      "%%pa = offset %%p, %%at : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>\n"
      "%%pb = offset %%p, %%next : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>\n"
      "%%ok = exti %s unsigned : tile<i1> -> tile<i64>\n"
      "%%ta = store_ptr_tko weak %%pa, %s : tile<ptr<i64>>, tile<i64> -> token\n"
      "%%tb = store_ptr_tko weak %%pb, %%ok : tile<ptr<i64>>, tile<i64> -> token\n} }\n",
      body, names.valid, names.offset);
#undef ADD
  assert_true(n < size);
}

enum { MAX_TILE_INDICES = 512 };

static void check_tile_ir(const tsr_descriptor *d, const char *prefix, int *valid_count) {
  static char body[1 << 16], text[1 << 17];
  static int64_t got[2 * MAX_TILE_INDICES];
  run_log log;
  int64_t count = 1, index[16] = {0};
  for (uint32_t i = 0; i < d->top; i++) count *= tsr_descriptor_length(d, i);
  int32_t blocks = (int32_t)(count < MAX_TILE_INDICES ? count : MAX_TILE_INDICES);
  tile_kernel(text, sizeof text, d, prefix, body, sizeof body);
  if (!run_program(text, "k", (run_grid){blocks, 1, 1}, (uint64_t[]){ARG_ADDRESS(got)}, &log))
    fail_msg("%s\n%s", log.diagnostics, text);
  for (int32_t b = 0; b < blocks; b++, next_of(d, index)) {
    bool valid;
    int64_t offset = tsr_descriptor_offset(d, index, &valid);
    if (got[2 * b + 1] != valid || (valid && got[2 * b] != offset))
      fail_msg("index %d: %lld, %lld instead of %lld, %d\n%s", b, (long long)got[2 * b],
               (long long)got[2 * b + 1], (long long)offset, valid, text);
    *valid_count += valid;
  }
}

/* The Tile IR form is read, verified and executed by the interpreter. */
static void test_tile_ir(void **state) {
  (void)state;
  rng r = {44};
  int valid = 0;
  tsr_descriptor d;
  for (int round = 0; round < 300; round++) {
    d = random_descriptor(&r);
    check_tile_ir(&d, round % 2 ? "" : "view_", &valid);
  }
  assert_true(valid > 5000);
  tsr_convolution c = {.height = 6,
                       .width = 5,
                       .channels = 3,
                       .kernel_height = 3,
                       .kernel_width = 2,
                       .stride_height = 2,
                       .stride_width = 1,
                       .dilation_height = 1,
                       .dilation_width = 2,
                       .pad_top = 1,
                       .pad_bottom = 1,
                       .pad_left = 2,
                       .pad_right = 0};
  OK(tsr_descriptor_im2col(&d, &c, NULL, NULL, err));
  check_tile_ir(&d, "", &valid);
  OK(tsr_descriptor_morton(&d, 16, 32, 8, err));
  check_tile_ir(&d, "", &valid);
}

/* What ranges leave of an XOR preshuffle: no remainder, and every constant once. */
static void test_tile_ir_text(void **state) {
  (void)state;
  char text[2048];
  tsr_descriptor d;
  tsr_emitted_names names;
  OK(tsr_descriptor_xor_preshuffle(&d, 8, 64, 8, 1, err));
  size_t n = tsr_descriptor_emit_tile(&d, NULL, &names, text, sizeof text);
  assert_true(n < sizeof text);
  assert_int_equal(n, tsr_descriptor_emit_tile(&d, NULL, &names, NULL, 0));
  assert_string_equal(text, "%t0 = constant <i64: 7> : tile<i64>\n"
                            "%t1 = andi %i1, %t0 : tile<i64>\n"
                            "%t2 = constant <i64: 8> : tile<i64>\n"
                            "%t3 = divi %i1, %t2 unsigned : tile<i64>\n"
                            "%t4 = xori %t3, %i0 : tile<i64>\n"
                            "%t5 = muli %t4, %t2 : tile<i64>\n"
                            "%t6 = constant <i64: 64> : tile<i64>\n"
                            "%t7 = muli %i0, %t6 : tile<i64>\n"
                            "%t8 = addi %t5, %t7 : tile<i64>\n"
                            "%t9 = addi %t8, %t1 : tile<i64>\n"
                            "%t10 = constant <i1: true> : tile<i1>\n");
  assert_string_equal(names.offset, "%t9");
  assert_string_equal(names.valid, "%t10");
}

/* ---- ready descriptors ---------------------------------------------------------------------- */

/* CK 7.17.2: K0' = K0 ^ (M % (K0s * layers)), M counting groups of rows; and the bank-conflict
 * section of 7.23: x' = (y mod 8) ^ x for rows of 64 in vectors of 8. */
static void test_xor_preshuffle(void **state) {
  (void)state;
  tsr_descriptor d;
  OK(tsr_descriptor_xor_preshuffle(&d, 32, 64, 8, 1, err));
  tsr_memory_layout m;
  OK(tsr_memory_row_major(&m, 2, (int32_t[]){32, 64}, err));
  OK(tsr_memory_swizzled(&m, &m, 3, 3, 3, err));
  for (int32_t i = 0; i < 32; i++)
    for (int32_t j = 0; j < 64; j++) {
      int64_t offset = tsr_descriptor_offset(&d, DIMS(i, j), NULL);
      assert_int_equal(offset, i * 64 + ((i % 8) ^ (j / 8)) * 8 + j % 8);
      assert_int_equal(offset, tsr_memory_offset(&m, (int32_t[]){i, j})); /* CuTe's Sw<3,3,3> */
    }
  /* Layers: two rows of 32 share the banks of one of 64. */
  OK(tsr_descriptor_xor_preshuffle(&d, 32, 32, 8, 2, err));
  uint8_t seen[32 * 32] = {0};
  for (int64_t i = 0; i < 32; i++)
    for (int64_t j = 0; j < 32; j++) {
      int64_t group = i / 2, k0 = i % 2 * 4 + j / 8,
              offset = tsr_descriptor_offset(&d, DIMS(i, j), NULL);
      assert_int_equal(offset, group * 64 + (k0 ^ (group % 8)) * 8 + j % 8);
      assert_int_equal(seen[offset]++, 0);
    }
  FAILS("power of two", tsr_descriptor_xor_preshuffle(&d, 32, 48, 8, 1, err));
}

/* CK 7.18.2: the 4 x 4 tile. */
static void test_morton(void **state) {
  (void)state;
  static const int want[4][4] = {{0, 1, 4, 5}, {2, 3, 6, 7}, {8, 9, 12, 13}, {10, 11, 14, 15}};
  tsr_descriptor d;
  OK(tsr_descriptor_morton(&d, 8, 8, 4, err));
  for (int64_t y = 0; y < 8; y++)
    for (int64_t x = 0; x < 8; x++)
      assert_int_equal(tsr_descriptor_offset(&d, DIMS(y, x), NULL),
                       (y / 4 * 2 + x / 4) * 16 + want[y % 4][x % 4]);
  OK(tsr_descriptor_morton(&d, 128, 256, 128, err));
  for (int64_t y = 0; y < 128; y += 5)
    for (int64_t x = 0; x < 256; x += 3) {
      int64_t z = 0;
      for (int b = 0; b < 7; b++) z |= (y >> b & 1) << (2 * b + 1) | (x >> b & 1) << (2 * b);
      assert_int_equal(tsr_descriptor_offset(&d, DIMS(y, x), NULL), x / 128 * 16384 + z);
    }
  FAILS("divides both", tsr_descriptor_morton(&d, 8, 6, 4, err));
}

/* CK 7.15.5 and 7.15.7 without padding; then padding, stride and dilation against the loops. */
static void test_im2col(void **state) {
  (void)state;
  rng r = {43};
  for (int round = 0; round < 200; round++) {
    tsr_convolution c = {.height = 3 + rng_below(&r, 8),
                         .width = 3 + rng_below(&r, 8),
                         .channels = 1 + rng_below(&r, 3),
                         .kernel_height = 1 + rng_below(&r, 3),
                         .kernel_width = 1 + rng_below(&r, 3),
                         .stride_height = 1,
                         .stride_width = 1,
                         .dilation_height = 1,
                         .dilation_width = 1};
    if (round > 50) {
      c.stride_height += rng_below(&r, 2);
      c.stride_width += rng_below(&r, 3);
      c.dilation_height += rng_below(&r, 2);
      c.pad_top = rng_below(&r, 3);
      c.pad_bottom = rng_below(&r, 3);
      c.pad_left = rng_below(&r, 2);
      c.pad_right = rng_below(&r, 2);
    }
    tsr_descriptor d;
    int64_t oh, ow;
    if (tsr_descriptor_im2col(&d, &c, &oh, &ow, NULL) != TSR_OK) continue;
    if (round <= 50) assert_int_equal(oh, c.height - c.kernel_height + 1);
    assert_int_equal(tsr_descriptor_length(&d, 0), oh * ow);
    assert_int_equal(tsr_descriptor_length(&d, 1), c.kernel_height * c.kernel_width * c.channels);
    int64_t row = 0;
    for (int64_t y = 0; y < oh; y++)
      for (int64_t x = 0; x < ow; x++, row++) {
        int64_t column = 0;
        for (int64_t ky = 0; ky < c.kernel_height; ky++)
          for (int64_t kx = 0; kx < c.kernel_width; kx++)
            for (int64_t ch = 0; ch < c.channels; ch++, column++) {
              int64_t iy = y * c.stride_height + ky * c.dilation_height - c.pad_top;
              int64_t ix = x * c.stride_width + kx * c.dilation_width - c.pad_left;
              bool inside = iy >= 0 && iy < c.height && ix >= 0 && ix < c.width, valid;
              int64_t offset = tsr_descriptor_offset(&d, DIMS(row, column), &valid);
              assert_int_equal(valid, inside);
              if (inside) assert_int_equal(offset, (iy * c.width + ix) * c.channels + ch);
            }
      }
  }
  tsr_convolution c = {.height = 2,
                       .width = 2,
                       .channels = 1,
                       .kernel_height = 3,
                       .kernel_width = 3,
                       .stride_height = 1,
                       .stride_width = 1,
                       .dilation_height = 1,
                       .dilation_width = 1};
  tsr_descriptor d;
  FAILS("3 x 3 does not fit", tsr_descriptor_im2col(&d, &c, NULL, NULL, err));
}

/* CK 7.13.4 to 7.13.7. */
static void test_curves(void **state) {
  (void)state;
  static const uint8_t rows[] = {0, 1, 2}, columns[] = {1, 0};
  tsr_curve c;
  int64_t x[3];
  OK(tsr_curve_make(&c, 2, DIMS(4, 6), rows, DIMS(1, 1), false, err));
  assert_int_equal(tsr_curve_accesses(&c), 24);
  for (int64_t i = 0; i < 24; i++) {
    assert_true(tsr_curve_index(&c, i, x));
    expect(x, 2, DIMS(i / 6, i % 6));
  }
  OK(tsr_curve_make(&c, 2, DIMS(4, 6), columns, DIMS(1, 1), false, err));
  tsr_curve_index(&c, 5, x);
  expect(x, 2, DIMS(1, 1));
  OK(tsr_curve_make(&c, 2, DIMS(4, 8), rows, DIMS(1, 4), false, err));
  tsr_curve_index(&c, 1, x);
  expect(x, 2, DIMS(0, 4));
  tsr_curve_index(&c, 2, x);
  expect(x, 2, DIMS(1, 0));
  tsr_curve_step(&c, 1, 2, x);
  expect(x, 2, DIMS(1, -4));
  OK(tsr_curve_make(&c, 2, DIMS(4, 8), rows, DIMS(1, 1), true, err)); /* snake */
  for (int64_t i = 0; i < 32; i++) {
    tsr_curve_index(&c, i, x);
    expect(x, 2, DIMS(i / 8, i / 8 % 2 ? 7 - i % 8 : i % 8));
  }
  OK(tsr_curve_make(&c, 2, DIMS(16, 32), columns, DIMS(1, 8), false, err));
  assert_int_equal(tsr_curve_accesses(&c), 64);
  OK(tsr_curve_make(&c, 3, DIMS(4, 8, 16), rows, DIMS(1, 2, 4), false, err));
  assert_int_equal(tsr_curve_accesses(&c), 64);
  OK(tsr_curve_make(&c, 2, DIMS(5, 7), rows, DIMS(2, 3), false, err)); /* 3 x 3 accesses */
  assert_int_equal(tsr_curve_accesses(&c), 9);
  assert_true(tsr_curve_index(&c, 0, x));
  assert_false(tsr_curve_index(&c, 2, x)); /* columns 6..8 of 7 */
  assert_false(tsr_curve_index(&c, 6, x)); /* rows 4..5 of 5 */
  /* In a snake of any rank, neighbours differ by one access in one dimension. */
  OK(tsr_curve_make(&c, 3, DIMS(3, 4, 5), rows, DIMS(1, 1, 1), true, err));
  for (int64_t i = 0; i + 1 < 60; i++) {
    tsr_curve_step(&c, i, i + 1, x);
    assert_int_equal(llabs(x[0]) + llabs(x[1]) + llabs(x[2]), 1);
  }
  FAILS("each dimension once",
        tsr_curve_make(&c, 2, DIMS(4, 6), (uint8_t[]){0, 0}, DIMS(1, 1), false, err));
}

static void memory_of(const tsr_descriptor *d, const char *want) {
  tsr_layout_value v = {.kind = TSR_LAYOUT_MEMORY};
  tsr_layout_print_options options = {.struct_size = sizeof options, .format = TSR_FORMAT_CUTE};
  char text[256];
  OK(tsr_memory_from_descriptor(&v.memory, d, err));
  tsr_layout_print(&v, &options, text, sizeof text);
  assert_string_equal(text, want);
}

/* Descriptors that are memory layouts: strides, an XOR, Morton order; and some that are none. */
static void test_memory_layouts(void **state) {
  (void)state;
  tsr_descriptor d;
  tsr_memory_layout m;
  OK(tsr_descriptor_strided(&d, 2, DIMS(24, 10), DIMS(12, 1), 0, err));
  memory_of(&d, "(24,10):(12,1)");
  OK(tsr_descriptor_xor_preshuffle(&d, 64, 32, 4, 1, err));
  memory_of(&d, "Sw<3,2,3> o (64,32):(32,1)");
  OK(tsr_descriptor_xor_preshuffle(&d, 96, 32, 8, 2, err)); /* 48 groups of rows */
  memory_of(&d, "Sw<3,3,3> o (96,32):(32,1)");
  OK(tsr_descriptor_morton(&d, 4, 4, 4, err));
  memory_of(&d, "((2,2),(2,2)):((2,8),(1,4))");
  OK(tsr_descriptor_morton(&d, 12, 8, 2, err));
  memory_of(&d, "((2,6),(2,4)):((2,16),(1,4))");
  OK(tsr_descriptor_strided(&d, 1, DIMS(8), DIMS(1), 3, err)); /* not from 0 on */
  FAILS("no memory layout", tsr_memory_from_descriptor(&m, &d, err));
  OK(tsr_descriptor_packed(&d, 1, DIMS(8), err));
  tsr_transform_step pad = {.transform = tsr_transform_pad(8, 1, 1)};
  OK(tsr_descriptor_transform(&d, &d, 1, &pad, err));
  FAILS("no padding", tsr_memory_from_descriptor(&m, &d, err));
  OK(tsr_descriptor_packed(&d, 1, DIMS(5), err));
  tsr_transform_step shift = {.transform = tsr_transform_cyclic_shift(5, 0)};
  OK(tsr_descriptor_transform(&d, &d, 1, &shift, err));
  memory_of(&d, "(5):(1)");
  shift.transform = tsr_transform_modulo(2, 5);
  OK(tsr_descriptor_packed(&d, 1, DIMS(2), err));
  OK(tsr_descriptor_transform(&d, &d, 1, &shift, err)); /* 0 1 0 1 0 */
  FAILS("no memory layout", tsr_memory_from_descriptor(&m, &d, err));
  OK(tsr_descriptor_packed(&d, 2, DIMS(2048, 1025), err));
  FAILS("1 to 2097152 elements", tsr_memory_from_descriptor(&m, &d, err));
  assert_int_equal(tsr_memory_from_descriptor(NULL, &d, NULL), TSR_ERROR_USAGE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_transforms),     cmocka_unit_test(test_naive),
      cmocka_unit_test(test_chains),         cmocka_unit_test(test_adaptors),
      cmocka_unit_test(test_random_chains),  cmocka_unit_test(test_emission),
      cmocka_unit_test(test_tile_ir),        cmocka_unit_test(test_tile_ir_text),
      cmocka_unit_test(test_xor_preshuffle), cmocka_unit_test(test_morton),
      cmocka_unit_test(test_im2col),         cmocka_unit_test(test_curves),
      cmocka_unit_test(test_memory_layouts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
