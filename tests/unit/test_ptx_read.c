/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reading PTX: every form of the table, directives and expressions, and each message with its
 * place.
 */
#include "ptx_run.h"
#include "emu/ptx/handler_ids.h"

#define HEAD ".version 8.3\n.target sm_80\n.address_size 64\n"
#define BODY                                                                                       \
  HEAD ".entry k(.param .u64 x)\n{\n.reg .b16 %h<4>; .reg .b32 %r<9>; .reg .b64 %d<4>; "           \
       ".reg .f32 %f<4>; .reg .pred %p<3>;\n"

/* ---- what must be read ---------------------------------------------------------------------- */

static void every_form(void **state) {
  (void)state;
  static const char *const files[] = {"sm_80", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a"};
  for (size_t k = 0; k < ARRAY_LEN(files); k++) {
    char name[64];
    snprintf(name, sizeof name, "syntax/%s.ptx", files[k]);
    char *text = ptx_file(name);
    ptx_world w;
    ptx_world_open(&w);
    w.module = ptx_parse(w.ctx, name, str_of(text));
    if (!w.module) fail_msg("%s: %s", name, w.messages);
    assert_string_equal(w.module->target, files[k]);
    /* The texts of instructions are found again. */
    const ptx_function *f = ptx_find_entry(w.module, NULL);
    for (uint32_t n = 0; n + 1 < f->n_insns; n++) {
      char full[128];
      ptx_insn_name(&f->insns[n], full, sizeof full);
      str written = ptx_insn_text(w.module, &f->insns[n]);
      assert_true(written.len >= strlen(full) && memcmp(written.data, full, strlen(full)) == 0);
    }
    ptx_world_close(&w);
    free(text);
  }
}

/* Every row of the table occurs in those files, or is listed here with why not. */
static void no_form_is_left_out(void **state) {
  (void)state;
  static const char *const files[] = {"sm_80", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a"};
  bool *seen = calloc(ptx_form_count, sizeof *seen);
  for (size_t k = 0; k < ARRAY_LEN(files); k++) {
    char name[64];
    snprintf(name, sizeof name, "syntax/%s.ptx", files[k]);
    char *text = ptx_file(name);
    ptx_world w;
    ptx_world_open(&w);
    w.module = ptx_parse(w.ctx, name, str_of(text));
    const ptx_function *f = ptx_find_entry(w.module, NULL);
    for (uint32_t n = 0; n < f->n_insns; n++) seen[f->insns[n].form] = true;
    ptx_world_close(&w);
    free(text);
  }
  for (unsigned f = 0; f < ptx_form_count; f++) {
    const char *o = ptx_forms[f].opcode;
    bool elsewhere = strcmp(o, "call") == 0; /* the machine's tests have it */
    /* Matrix and asynchronous instructions have tests of their own. */
    elsewhere |= ptx_forms[f].handler > PTX_H_cluster_wait;
    if (!seen[f] && !elsewhere) fail_msg("no test reads: %s %s", o, ptx_forms[f].words);
  }
  free(seen);
}

/* What an instruction's operands are read into has room for those of every form. */
static void all_operands_have_room(void **state) {
  (void)state;
  for (unsigned f = 0; f < ptx_form_count; f++) {
    unsigned n = 0;
    for (const char *p = ptx_forms[f].operands; *p; p++) n += *p != ' ' && (p[1] == ' ' || !p[1]);
    if (n > PTX_MAX_OPERANDS) fail_msg("%s %s", ptx_forms[f].opcode, ptx_forms[f].words);
  }
  ptx_world w;
  ptx_world_open(&w);
  w.module = ptx_parse(
      w.ctx, "test.ptx",
      STR(".version 8.3\n.target sm_90a\n.address_size 64\n.entry k() {\n"
          ".reg .b32 %r<4>;\n.reg .b64 %d<2>;\n.reg .pred %p;\n"
          "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%r0, %r1, %r2, %r3}, %d0, %d1, "
          "%r0, 0, %p, 1, 1, 0, 1;\nret;\n}\n"));
  if (!w.module) fail_msg("%s", w.messages);
  assert_int_equal(ptx_find_entry(w.module, "k")->insns[0].n_ops, 10);
  ptx_world_close(&w);
}

static const ptx_variable *variable(const ptx_module *m, const char *name) {
  for (uint32_t k = 0; k < m->n_variables; k++)
    if (strcmp(m->variables[k].name, name) == 0) return &m->variables[k];
  fail_msg("no variable %s", name);
  return NULL;
}

static void initialisers(void **state) {
  (void)state;
  ptx_world w;
  ptx_world_open(&w);
  ptx_load(&w, HEAD ".global .align 16 .b8 a[7] = {1, 0x2, 03, 0b100, -5};\n"
                    ".global .u32 b = (1 << 4) + 3 * 2 - ~0 ? 7 : 9;\n"
                    ".const .f64 c[] = {1.5, 0d4000000000000000, 0f40400000};\n"
                    ".global .v4 .f32 v = {1.0, 2.0};\n.global .u32 m[2][3] = {{1, 2}, {3}};\n"
                    ".global .u64 p[2] = {generic(b) + 4, b};\n"
                    ".global .b8 q[2] = {0xff(b), 0xff00(b)};\n"
                    ".visible .entry k() { ret; }\n");
  const ptx_module *m = w.module;
  static const uint8_t a[] = {1, 2, 3, 4, 251};
  assert_memory_equal(variable(m, "a")->data, a, sizeof a);
  assert_int_equal(variable(m, "a")->bytes, 7);
  assert_int_equal(variable(m, "a")->align, 16);
  assert_int_equal(variable(m, "b")->data[0], 7);
  assert_int_equal(variable(m, "c")->bytes, 24);
  double c[3];
  memcpy(c, variable(m, "c")->data, sizeof c);
  assert_true(c[0] == 1.5 && c[1] == 2.0 && c[2] == 3.0);
  assert_int_equal(variable(m, "v")->bytes, 16);
  assert_int_equal(variable(m, "m")->bytes, 24);
  uint64_t b_at, b_size, at, size, p[2];
  assert_true(ptx_image_symbol(w.image, "b", &b_at, &b_size));
  assert_true(ptx_image_symbol(w.image, "p", &at, &size));
  memcpy(p, ptx_host(&w, at), sizeof p);
  assert_true(p[0] == b_at + 4 && p[1] == b_at);
  assert_true(ptx_image_symbol(w.image, "q", &at, &size));
  const uint8_t *q = ptx_host(&w, at);
  assert_int_equal(q[0] | q[1] << 8, b_at & 0xffff);
  ptx_world_close(&w);
}

static void directives(void **state) {
  (void)state;
  ptx_world w;
  ptx_world_open(&w);
  ptx_load(&w,
           "// first line\n.version 9.0\n.target sm_90a, debug\n.address_size 64\n"
           ".file 1 \"a.cu\", 1, 2\n.extern .shared .align 128 .b8 dyn[];\n"
           ".shared .align 8 .b8 fixed[40];\n.section .debug_str { .b8 1,2,3 }\n"
           ".visible .entry one(.param .u64 .ptr .global .align 4 a, .param .align 8 .b8 s[12])\n"
           ".reqntid 64, 2\n.reqnctapercluster 2\n.minnctapersm 1\n.maxnreg 128\n{\n"
           ".pragma \"nounroll\";\n.reg .b32 r;\n.loc 1 7 3\nmov.u32 r, dyn;\n"
           "{ .reg .b32 r; mov.u32 r, fixed; L: bra L; }\nL: bra L;\n}\n"
           ".entry two() .maxntid 128 { .shared .b32 own[4]; .reg .b32 %r<2>;\n"
           "mov.u32 %r0, own; /* a\n comment */ ret; }\n");
  const ptx_function *one = ptx_find_entry(w.module, "one"), *two = ptx_find_entry(w.module, "two");
  assert_null(ptx_find_entry(w.module, NULL));
  assert_int_equal(one->required_threads[1], 2);
  assert_int_equal(one->cluster[0], 2);
  assert_int_equal(one->max_registers, 128);
  assert_int_equal(one->n_params, 2);
  assert_true(one->params[0].is_pointer);
  assert_int_equal(one->params[1].offset, 8);
  assert_int_equal(one->param_bytes, 20);
  assert_true(one->uses_dynamic_shared);
  assert_int_equal(one->shared_bytes, 128); /* 40, and where the dynamic memory may begin */
  assert_int_equal(two->shared_bytes, 16);
  assert_int_equal(two->max_threads[0], 128);
  const char *file;
  uint32_t line, column;
  assert_true(ptx_insn_source(w.module, &one->insns[0], &file, &line, &column));
  assert_string_equal(file, "a.cu");
  assert_int_equal(line, 7);
  /* Labels belong to their scope. */
  assert_int_equal(one->insns[2].op_list[0].target, 2);
  assert_int_equal(one->insns[3].op_list[0].target, 3);
  ptx_world_close(&w);
}

/* ---- messages ------------------------------------------------------------------------------- */

static const struct {
  const char *text, *message;
} wrong[] = {
    {"", "1:1: expected .version and .target, found the end of the file"},
    {".target sm_80\n", "1:1: expected .version, which begins a PTX file, found '.target'"},
    {".version 8.x\n", "expected a version, as in .version 8.3, found"},
    {".version 5.0\n", "1:10: PTX 5.0 is not supported: expected 6.0 to 9.x"},
    {".version 8.3\n.entry k() {}\n",
     "2:1: expected .target, which follows .version, found '.entry'"},
    {".version 8.3\n.target sm_1\n", "2:9: unknown target 'sm_1': expected sm_70 to sm_121"},
    {".version 8.3\n.target sm_80\n.address_size 32\n", "3:15: only .address_size 64 is supported"},
    {HEAD "hello\n",
     "4:1: expected a directive of a module (.entry, .func, .global, …), found 'hello'"},
    {HEAD ".global .u32 a;\n.global .u32 a;\n",
     "5:14: 'a' is declared already\n4:14: it was declared here"},
    {HEAD ".global .u32 a[];\n", "4:14: 'a' needs a size, or .extern"},
    {HEAD ".global .u32 a[2] = {1, 2, 3};\n", "4:28: more than the 2 elements that were declared"},
    {HEAD ".global .align 3 .u32 a;\n", "4:16: an alignment is a power of two, found 3"},
    {HEAD ".global a;\n", "4:9: expected a type, as in .b32, found 'a'"},
    {HEAD ".global .f32 a = 1;\n",
     "4:18: a .f32 is written as 0f and 8 digits, or with a point as in 1.0"},
    {HEAD ".global .u32 a = 1 / 0;\n", "4:20: division by zero"},
    {HEAD ".global .u32 a = 1.0 + 2;\n", "constant expressions are of integers"},
    {HEAD ".global .u16 a = b;\n",
     "4:18: an address needs an element of 4 or 8 bytes, or masks: 0xff(b)"},
    {HEAD ".global .texref t;\n", "4:9: textures and surfaces are not supported"},
    {HEAD ".global .u32 a = 0f123;\n", "4:18: 0f needs 8 hexadecimal digits"},
    {HEAD ".global .u32 a = 99999999999999999999;\n", "4:18: the number does not fit 64 bits"},
    {HEAD ".global .u32 a = 089;\n", "4:18: a number that begins with 0 is octal"},
    {HEAD ".shared .u32 s = 4;\n", "4:18: only .global and .const variables have initial values"},
    {HEAD ".local .u32 s;\n", "expected a directive of a module"},
    {HEAD ".file 1 \"never ends\n", "4:9: the string has no end"},
    {HEAD ".entry k(.reg .u32 a) {}\n", "4:10: an .entry takes .param, not .reg"},
    {HEAD ".entry k() { ret;\n", "5:1: expected '}', found the end of the file"},
    {HEAD ".entry k() .reqntid 0 { ret; }\n", "a number of threads is at least 1"},
    {HEAD ".func f(.param .u32 a);\n.func f(.param .u64 a) { ret; }\n",
     "5:7: 'f' was declared with other parameters before"},
    {HEAD ".func f() { ret; }\n.func f() { ret; }\n", "5:7: 'f' has a body already"},
    {BODY "addd.u32 %r1, %r2, %r3;\n}", "7:1: there is no instruction 'addd'; did you mean 'add'?"},
    {BODY "frob;\n}", "7:1: there is no instruction 'frob'"},
    {BODY "div.f32 %f1, %f2, %f3;\n}", "7:4: 'div' has no '.f32' here: expected .u16 .u32 .u64 "
                                       ".s16 .s32 .s64 .approx .full .rn .rz .rm .rp"},
    {BODY "fma.rn %f1, %f2, %f3, %f0;\n}", "7:4: 'fma' is not complete: expected"},
    {BODY "add.u32.sat %r1, %r2, %r3;\n}", "7:8: 'add' has no '.sat' here: expected the operands"},
    {BODY "add.bf16 %h1, %h2, %h3;\n}",
     "7:1: 'add.bf16' needs sm_90; this file says .target sm_80"},
    {BODY "min.f32 %f1, %f2, %f3, %f0;\n}",
     "a third operand needs PTX 8.8; this file says .version 8.3"},
    {BODY "setmaxnreg.inc.sync.aligned.u32 40;\n}",
     "'setmaxnreg.inc.sync.aligned.u32' needs sm_90a"},
    {BODY "ld.shared::cluster.u32 %r1, [%r2];\n}", "7:3: '.shared::cluster' needs sm_90"},
    {BODY "ld.v4.u64 %r1, [%d1];\n}", "a vector has at most 128 bits, found 4 of 64"},
    {BODY "ld.v2.u32 {%r1, %r2, %r3}, [%d1];\n}", "7:11: expected a vector of 2 elements, found 3"},
    {BODY "add.u32 %r1, %r2;\n}", "7:17: expected ',' and another operand of 'add', found ';'"},
    {BODY "add.u32 %r1, %r2, %r3, %r4;\n}",
     "7:22: expected ';' behind 'add' and its 3 operands, found ','"},
    {BODY "add.u32 %r1, %r2, %d3;\n}",
     "7:19: expected a register of 32 bits for .u32, found '%d3', a .b64"},
    {BODY "add.s32 %r1, %r2, %f3;\n}",
     "expected a register of 32 bits for .s32, found '%f3', a .f32"},
    {BODY "cvt.u32.u16 %r1, %x;\n}", "7:18: '%x' is not declared; did you mean 'x'?"},
    {BODY "add.u32 %r1, %r2, %r9;\n}", "7:19: '%r9' is not declared: .reg has %r<9>"},
    {BODY ".reg .b32 a1; .reg .b16 a<2>;\n}",
     "7:25: 'a' is declared already\n7:11: it was declared here"},
    {BODY ".reg .b16 a<2>; .reg .b32 a1;\n}", "7:27: 'a1' is declared already"},
    {BODY ".reg .b16 a<2>; .reg .b32 a<4>;\n}", "7:27: 'a' is declared already"},
    {BODY ".reg .b16 a<2>; mov.b16 a, 1;\n}", "7:25: 'a' is not declared"},
    {BODY "mov.b32 {%r1}, {%r2};\n}", "7:20: only one of mov's operands may be a vector"},
    {BODY "mov.u32 {%r1}, %r2;\n}", "7:9: a .u32 has no parts of 1 elements"},
    {BODY "ld.global.b32 {_}, [%d1];\n}", "7:16: expected a register, found '_'"},
    {BODY "ld.global.b32 {%r1, %r2}, [%d1];\n}", "7:19: expected '}', found ','"},
    {BODY "cvt.sat.u16.u8 %h1, %h2;\n}", "7:12: 'cvt' has no '.u8' here"},
    {BODY "cvt.rn.u8.f16 %h1, %h2;\n}", "7:7: 'cvt' has no '.u8' here"},
    {BODY "cvt.rn.f32.tf32 %f1, %r2;\n}", "7:11: 'cvt' has no '.tf32' here"},
    {BODY "cvt.rn.f16.f32 %f1, %f2;\n}", "7:16: expected a register of 16 bits or more for .f16"},
    {BODY "add.u32 5, %r2, %r3;\n}", "7:9: expected a register, found '5'"},
    {BODY "mov.u32 %tid.x, 1;\n}", "7:9: '%tid' can only be read"},
    {BODY "add.u32 %r1, %clock, 1;\n}", "a clock can only be read by mov"},
    {BODY "mov.u32 %r1, %clusterid.x;\n}",
     "7:14: %clusterid.x needs sm_90; this file says .target sm_80"},
    {BODY "add.f32 %f1, %f2, 1;\n}", "7:19: a .f32 is written as 0f and 8 digits"},
    {BODY "add.u32 %r1, %r2, 1.5;\n}", "7:19: a .u32 can't be given as a floating-point number"},
    {BODY "mov.b16 %h1, k;\n}", "7:14: an address needs a type of 32 or 64 bits, not .b16"},
    {BODY "ld.u32 %r1, %d1;\n}", "7:13: expected '[', found '%d1'"},
    {BODY "ld.u32 %r1, [%h1];\n}",
     "7:14: an address is in a register of 32 or 64 bits, not in a .b16"},
    {BODY "ld.u32 %r1, [nobody];\n}", "7:14: 'nobody' is not declared"},
    {BODY "bra nowhere;\n}", "7:5: there is no label 'nowhere' here"},
    {BODY "{ L: ret; }\nbra L;\n}", "8:5: there is no label 'L' here"},
    {BODY "L: ret;\nL: ret;\n}", "8:1: 'L' is declared already"},
    {BODY "@%r1 ret;\n}", "7:2: expected a predicate, found '%r1', a .b32"},
    {BODY "selp.u32 %r1, %r2, %r3, %r4;\n}", "expected a predicate, found '%r4', a .b32"},
    {BODY "setp.lt.b32 %p1, %r2, %r3;\n}", "'setp' has no '.b32' here"},
    {BODY "setp.lt.f16 %p1|%p2, %h1, %h2;\n}",
     "7:16: expected ',' and another operand of 'setp', found '|'"},
    {BODY "mov.b64 {%r1, %r2, %r3}, %d1;\n}", "7:9: a .b64 has no parts of 3 elements"},
    {BODY "call f;\n}", "7:6: 'f' is not declared"},
    {BODY "call k;\n}", "7:6: an .entry can't be called"},
    {BODY "call %d1, (%r1);\n}",
     "7:6: an indirect call needs a .callprototype or .calltargets at its end"},
    {BODY "call %r1;\n}", "7:6: the address of a function has 64 bits"},
    {HEAD ".func f(.param .u32 a) { ret; }\n.entry k() { call f; }\n",
     "5:19: f takes 1 arguments, found 0"},
    {HEAD ".func f(.param .u32 a) { ret; }\n.entry k() { call f, (); }\n",
     "f takes 1 arguments, found 0"},
    {HEAD ".func f(.param .b8 a[16]) { ret; }\n.entry k() { .param .b32 x; call f, (x); }\n",
     "argument 1 of f has 16 bytes, found 4"},
    {BODY "brx.idx %r1, table;\n}", "7:14: 'table' is no label of a .branchtargets before it"},
    {BODY "add.u32 %r1, %r2, ((((5));\n}", "expected ')', found ';'"},
    {BODY "add.u32 %r1, %r2, #;\n}", "7:19: this character means nothing here"},
    {BODY ".reg .v2 .b32 %v;\n}", "registers that are vectors are not supported"},
    {BODY ".reg .b32 %q<9999999>;\n}", "7:14: a function has at most 262144 registers"},
    {BODY ".local .b8 l[5000000];\n}",
     "a function has at most 4194304 bytes of .local memory a thread"},
    {BODY ".const .u32 c;\n}", ".const variables stand outside of functions"},
    {BODY "cvta.shared.u64 %d1, [%d2];\n}", "7:22: expected an operand, found '['"},
    {BODY "isspacep.global %p1,", "expected a register or variable"},
    {BODY "isspacep.global %p1, 5;\n}", "7:22: expected a register or variable, found '5'"},
    {BODY "shfl.sync.bfly.b32 %r1, %r2, 1, 31;\n}",
     "expected ',' and another operand of 'shfl', found ';'"},
    {BODY "atom.global.add.s64 %d1, [%d2], %d3;\n}", "'atom' has no '.s64' here: expected"},
    {BODY "atom.gpu.add.cta.u32 %r1, [%d2], %r3;\n}", "'atom' has no '.cta' here: expected"},
    {BODY "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f3}, [%d1, {%r1}];\n}",
     "'tex': textures are not emulated: read the memory with ld.global.nc"},
    {BODY "tcgen05.fence;\n}", "mma.sync and, for sm_90a, wgmma are"},
};

static void messages(void **state) {
  (void)state;
  unsigned failed = 0;
  for (size_t k = 0; k < ARRAY_LEN(wrong); k++) {
    ptx_world w;
    ptx_world_open(&w);
    assert_null(ptx_parse(w.ctx, "test.ptx", str_of(wrong[k].text)));
    if (!strstr(w.messages, wrong[k].message)) {
      print_error("%s\nexpected: %s\nfound: %s\n", wrong[k].text, wrong[k].message, w.messages);
      failed++;
    }
    ptx_world_close(&w);
  }
  assert_int_equal(failed, 0);
}

/* Words stand in any order, as ptxas has it; those of one kind keep theirs. */
static void words_in_any_order(void **state) {
  (void)state;
  static const struct {
    const char *written, *means;
  } same[] = {
      {"atom.add.relaxed.gpu.u32 %r1, [%d2], %r3", "atom.relaxed.gpu.add.u32"},
      {"atom.shared.cta.max.u64 %d1, [%d2], %d3", "atom.cta.shared.max.u64"},
      {"red.or.release.cta.b32 [%d2], %r3", "red.release.cta.or.b32"},
      {"min.s32 %r1, %r2, %r3", "min.s32"},
      {"cvt.f32.s32.rn %f1, %r2", "cvt.rn.f32.s32"},
      {"add.f32.ftz.rz %f1, %f2, %f3", "add.rz.ftz.f32"},
      {"ld.gpu.acquire.global.u32 %r1, [%d2]", "ld.acquire.gpu.global.u32"},
  };
  for (size_t k = 0; k < ARRAY_LEN(same); k++) {
    char text[1024], name[128];
    ptx_world w;
    ptx_world_open(&w);
    snprintf(text, sizeof text, "%s%s;\n}", BODY, same[k].written);
    w.module = ptx_parse(w.ctx, "test.ptx", str_of(text));
    if (!w.module) fail_msg("%s: %s", same[k].written, w.messages);
    ptx_insn_name(&ptx_find_entry(w.module, NULL)->insns[0], name, sizeof name);
    assert_string_equal(name, same[k].means);
    ptx_world_close(&w);
  }
}

/* One error doesn't hide the next, and isn't told twice. */
static void reading_goes_on_behind_errors(void **state) {
  (void)state;
  ptx_world w;
  ptx_world_open(&w);
  assert_null(
      ptx_parse(w.ctx, "test.ptx",
                str_of(BODY "frob {%r1, %r2}, 5;\nadd.u32 %r1, %r2, %r3;\n{ sub.u32 %r1; }\n"
                            "bra L;\n}\n.entry j() { nope; }\n.global .u32 good;\n")));
  assert_string_equal(w.messages,
                      "7:1: there is no instruction 'frob'\n"
                      "9:14: expected ',' and another operand of 'sub', found ';'\n"
                      "10:5: there is no label 'L' here\n12:14: there is no instruction 'nope'; "
                      "did you mean 'popc'?\n");
  ptx_world_close(&w);
}

/* As many errors as the context's limit allows, then a note, whatever kind they are of. */
static void errors_end_at_the_limit(void **state) {
  (void)state;
  static const char *const kinds[] = {
      "add.u32 %u, %v, %w;\n", /* undeclared */
      ".reg .b32 %r<2>;\n",    /* redeclared, each with a note */
      "{",
      "bra L;\n",
      "add.u32 %r1;\n",
      "@\n;",
      "\"\n",
      "1x;\n",
  };
  for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
    for (unsigned limit = 1; limit <= 7; limit += 3) {
      ptx_world w;
      ptx_world_open(&w);
      w.ctx->error_limit = limit;
      w.ctx->errors = 5; /* those of what was done before don't count */
      sbuf text = SBUF(&w.ctx->arena);
      sbuf_puts(&text, BODY);
      for (unsigned n = 0; n < 500; n++) sbuf_puts(&text, kinds[k]);
      assert_null(ptx_parse(w.ctx, "test.ptx", (str){text.data, text.len}));
      assert_true(w.ctx->errors - 5 <= limit);
      unsigned lines = 0;
      for (const char *p = w.messages; (p = strchr(p, '\n')); p++) lines++;
      assert_true(lines <= 2 * limit + 1);
      char stops[64];
      snprintf(stops, sizeof stops, "too many errors: reading stops after %u", limit);
      if (lines > limit && !strstr(w.messages, stops)) fail_msg("%s: %s", kinds[k], w.messages);
      ptx_world_close(&w);
    }
  }
}

typedef struct counted {
  size_t now, peak;
} counted;

static void *count_allocation(void *user, size_t size) {
  counted *c = user;
  c->now += size;
  c->peak = MAX(c->peak, c->now);
  return malloc(size);
}

static void count_release(void *user, void *memory, size_t size) {
  ((counted *)user)->now -= size;
  free(memory);
}

/* .reg %r<262144> has few bytes, and takes memory for the registers that are used. */
static void registers_take_memory_when_used(void **state) {
  (void)state;
  counted c = {0};
  tsr_allocator allocator = {count_allocation, count_release, &c};
  tsr_context_options o = {.struct_size = sizeof o, .allocator = &allocator};
  tsr_context *ctx = tsr_context_create(&o);
  arena a;
  arena_init(&a, ctx);
  sbuf text = SBUF(&a);
  sbuf_puts(&text, HEAD);
  for (unsigned k = 0; k < 200; k++)
    sbuf_printf(&text, ".func f%u() { .reg .b32 %%r<262144>; mov.u32 %%r262143, %%r%u; ret; }\n", k,
                k);
  c.peak = c.now;
  size_t before = c.now;
  ptx_module *m = ptx_parse(ctx, "test.ptx", (str){text.data, text.len});
  assert_non_null(m);
  assert_int_equal(m->functions[0].register_bytes, 2 * 4 * 32);
  assert_true(c.peak - before < 4 << 20);
  ptx_module_destroy(m);
  arena_free(&a);
  tsr_context_destroy(ctx);
}

/* Text cut at any place is refused or read, never more. */
static void text_may_end_anywhere(void **state) {
  (void)state;
  static const char text[] = HEAD
      ".global .u32 a[3] = {1, 0xff(a), generic(a)};\n"
      ".func (.param .b32 r) f(.param .align 8 .b8 p[16])\n{ .reg .b32 %r<4>; .reg .pred %p;\n"
      "@!%p bra L; ld.param.v2.b32 {%r0, %r1}, [p+8];\nL: st.param.b32 [r+0], %r0; ret; }\n"
      ".visible .entry k() { .reg .b64 %d; t: .branchtargets e; e: .loc 1 2 3\nmov.u64 %d, f; }\n";
  for (size_t n = 0; n < sizeof text; n++) {
    ptx_world w;
    ptx_world_open(&w);
    w.module = ptx_parse(w.ctx, "test.ptx", (str){text, n});
    ptx_world_close(&w);
  }
}

/* Where parameters lie is what ptxas says of this entry: alignment counts from the begin of the
 * bank of constants, in which parameters have others before them. */
static void parameters_lie_as_on_the_card(void **state) {
  (void)state;
  static const struct {
    const char *target;
    uint32_t offsets[5], bytes;
  } cards[] = {{"sm_80", {0, 0x20, 0xa0, 0xb0, 0x120}, 0x1a0},
               {"sm_90a", {0, 0x30, 0xb0, 0xc0, 0xf0}, 0x170},
               {"sm_100", {0, 0x40, 0xc0, 0xd0, 0x100}, 0x180}};
  for (size_t i = 0; i < ARRAY_LEN(cards); i++) {
    char text[512];
    snprintf(text, sizeof text,
             ".version 8.7\n.target %s\n.address_size 64\n"
             ".entry k(.param .u64 a, .param .align 64 .b8 map[128], .param .u64 b,\n"
             ".param .align 16 .b8 c[16], .param .align 128 .b8 d[128])\n{ ret; }\n",
             cards[i].target);
    ptx_world w;
    ptx_world_open(&w);
    w.module = ptx_parse(w.ctx, "t.ptx", str_of(text));
    const ptx_function *k = ptx_find_entry(w.module, "k");
    assert_non_null(k);
    for (uint32_t n = 0; n < k->n_params; n++)
      assert_int_equal(k->params[n].offset, cards[i].offsets[n]);
    assert_int_equal(k->param_bytes, cards[i].bytes);
    ptx_world_close(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parameters_lie_as_on_the_card),
      cmocka_unit_test(every_form),
      cmocka_unit_test(no_form_is_left_out),
      cmocka_unit_test(all_operands_have_room),
      cmocka_unit_test(initialisers),
      cmocka_unit_test(directives),
      cmocka_unit_test(messages),
      cmocka_unit_test(words_in_any_order),
      cmocka_unit_test(reading_goes_on_behind_errors),
      cmocka_unit_test(errors_end_at_the_limit),
      cmocka_unit_test(registers_take_memory_when_used),
      cmocka_unit_test(text_may_end_anywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
