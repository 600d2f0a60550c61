/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Devices, buffers, programs, kernels, launches: on the interpreter, and on "cpu" with a plugin
 * that knows a few kernels by name (plugin/fake.c).
 */
#include "rt_scene.h"

#include <fenv.h>
#include <stdatomic.h>

#include "cpu_extensions.h"
#include "rt/cpuinfo.h"

/* Prints its position; fails in the block (2, 1, 0). */
static tsr_module *build_talker(tsr_context *ctx) {
  tsr_builder *b = tsr_builder_create(ctx, "talker");
  tsr_type i32 = tsr_type_scalar(b, TSR_I32);
  tsr_build_entry(b, "talk", (tsr_types){0});
  tsr_value x = tsr_build_get_tile_block_id(b);
  tsr_build_print_tko(b, "%i %i %i\n", TSR_VALUES(x, tsr_result_of(x, 1), tsr_result_of(x, 2)));
  tsr_build_end(b);

  tsr_build_entry(b, "fail", (tsr_types){0});
  x = tsr_build_get_tile_block_id(b);
  tsr_value sum = tsr_build_addi(b, x, tsr_result_of(x, 1));
  tsr_value fine = tsr_build_cmpi(b, sum, tsr_build_int(b, i32, 3), TSR_CMP_NOT_EQUAL, TSR_SIGNED);
  tsr_build_assert(b, fine, "three is too many");
  tsr_build_end(b);
  return tsr_builder_finish(b);
}

/* ---- devices -------------------------------------------------------------------------------- */

static void devices_are_listed(void **state) {
  (void)state;
  assert_int_equal(tsr_device_count(), 18); /* the last two stand for GPUs that aren't there */
  assert_string_equal(tsr_device_name(0), "cpu");
  assert_string_equal(tsr_device_name(1), "interp");
  assert_string_equal(tsr_device_name(2), "emu:sm_70");
  assert_string_equal(tsr_device_name(10), "emu:sm_100a");
  assert_string_equal(tsr_device_name(11), "emu:gfx90a");
  assert_string_equal(tsr_device_name(13), "emu:gfx950");
  assert_string_equal(tsr_device_name(15), "emu:gfx1200");
  assert_string_equal(tsr_device_name(16), "cuda:0");
  assert_string_equal(tsr_device_name(17), "hip:0");
  assert_null(tsr_device_name(18));
  char text[512], small[8];
  use_plugin("good");
  size_t length = tsr_device_describe("cpu", text, sizeof text);
  assert_int_equal(length, strlen(text));
  assert_non_null(strstr(text, "thread"));
  assert_null(strstr(text, "cannot compile"));
  assert_int_equal(tsr_device_describe("cpu", small, sizeof small), length);
  assert_int_equal(strlen(small), 7);
  assert_int_equal(tsr_device_describe("cpu", NULL, 0), length);
  use_plugin("nowhere");
  tsr_device_describe("cpu", text, sizeof text);
  assert_non_null(strstr(text, "cannot compile: TESSERA_LLVM_PLUGIN"));
  tsr_device_describe("interp", text, sizeof text);
  assert_non_null(strstr(text, "interpreter"));
  tsr_device_describe("gpu", text, sizeof text);
  assert_string_equal(text, "there is no such device");
  tsr_device_describe(NULL, text, sizeof text);
  assert_string_equal(text, "there is no such device");
}

static void refuse_options(world *w, tsr_device_options options, const char *message) {
  options.struct_size = sizeof options;
  assert_null(tsr_device_open(w->ctx, "cpu", &options));
  expect_error(w, message);
}

static void wrong_devices_and_options(void **state) {
  (void)state;
  world w;
  world_open(&w);
  assert_null(tsr_device_open(w.ctx, "gpu", NULL));
  expect_error(&w, "unknown device 'gpu'; there are: cpu, interp, GPUs: cuda:0, ..., hip:0, ..., "
                   "and emulators: emu:sm_70 to emu:gfx1200");
  assert_null(tsr_device_open(w.ctx, NULL, NULL));
  expect_error(&w, "unknown device ''");
  assert_null(tsr_device_open(w.ctx, "interp", &(tsr_device_options){0}));
  expect_error(&w, "set it to sizeof(tsr_device_options)");
  refuse_options(&w, (tsr_device_options){.order = (tsr_block_order)7}, "7 is no tsr_block_order");
  refuse_options(&w, (tsr_device_options){.threads = 100000}, "100000 is more than 1024");
  refuse_options(&w, (tsr_device_options){.cpu = "avx9"},
                 "unknown feature level 'avx9'; there are: baseline, avx2, avx512");
  static const char *const wrong[] = {"0", "-1", "2x", " 2", "1025", "99999999999999999999"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    setenv("TESSERA_THREADS", wrong[i], 1);
    refuse_options(&w, (tsr_device_options){0},
                   "TESSERA_THREADS: expected a number from 1 to 1024");
  }
  setenv("TESSERA_THREADS", "3", 1);
  setenv("TESSERA_CPU", "fast", 1);
  refuse_options(&w, (tsr_device_options){0}, "TESSERA_CPU: unknown feature level 'fast'");
  setenv("TESSERA_CPU", "baseline", 1);
  tsr_device *dev = tsr_device_open(w.ctx, "cpu", NULL);
  assert_non_null(dev);
  tsr_device_close(dev);
  unsetenv("TESSERA_THREADS");
  unsetenv("TESSERA_CPU");
  expect_quiet(&w);
  world_close(&w);
}

static void feature_levels(void **state) {
  (void)state;
  world w;
  world_open(&w);
  cpu_options best = cpuinfo_best(), chosen;
  assert_int_equal(best.opt_level, 3);
  assert_true(cpuinfo_choose(w.ctx, NULL, &chosen));
  assert_int_equal(chosen.isa.level, best.isa.level);
  for (unsigned level = 0; level < CPU_LEVEL_COUNT; level++) {
    bool there = level <= (unsigned)best.isa.level;
    assert_int_equal(cpuinfo_choose(w.ctx, cpuinfo_level_name((cpu_level)level), &chosen), there);
    if (!there) {
      expect_error(&w, "this machine doesn't have");
      continue;
    }
    assert_int_equal(chosen.isa.level, level);
    if (level < CPU_AVX512) assert_false(chosen.isa.bf16 || chosen.isa.fp16 || chosen.isa.vbmi);
    assert_int_equal(chosen.isa.vnni, cpu_has_vnni((cpu_level)level));
  }
  expect_quiet(&w);
  world_close(&w);
}

static bool same_features(const cpu_options *a, cpu_level level, bool vnni, bool bf16, bool fp16) {
  return a->isa.level == level && a->isa.vnni == vnni && a->isa.bf16 == bf16 &&
         a->isa.fp16 == fp16 && !a->isa.vbmi;
}

/* For files, a name is what it says, whatever else this machine has. */
static void feature_levels_of_files(void **state) {
  (void)state;
  world w;
  world_open(&w);
  cpu_options best = cpuinfo_best(), chosen;
  assert_true(cpuinfo_choose_target(w.ctx, NULL, &chosen));
  assert_int_equal(chosen.isa.vbmi, best.isa.vbmi);
  assert_int_equal(best.isa.vbmi, cpu_has_vbmi(best.isa.level));
  chosen.isa.vbmi = false;
  assert_true(same_features(&chosen, best.isa.level, best.isa.vnni, best.isa.bf16, best.isa.fp16));
#if defined(__x86_64__)
  assert_true(cpuinfo_choose_target(w.ctx, "avx2", &chosen));
  assert_true(same_features(&chosen, CPU_AVX2, false, false, false));
  assert_true(cpuinfo_choose_target(w.ctx, "avx2+vnni", &chosen));
  assert_true(same_features(&chosen, CPU_AVX2, true, false, false));
  static const char *const wrong[] = {"avx2+bf16", "avx2+vbmi", "avx2+vnni+vnni", "avx2+",
                                      "avx2+vnnix"};
  for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
    assert_false(cpuinfo_choose_target(w.ctx, wrong[i], &chosen));
    expect_error(&w, "unknown extension in 'avx2+");
  }
  assert_true(cpuinfo_choose_target(w.ctx, "avx512+fp16+vnni", &chosen));
  assert_true(same_features(&chosen, CPU_AVX512, true, false, true));
  assert_true(cpuinfo_choose_target(w.ctx, "avx512+vbmi+bf16", &chosen));
  assert_true(chosen.isa.vbmi && chosen.isa.bf16 && !chosen.isa.vnni && !chosen.isa.fp16);
#endif
  assert_true(cpuinfo_choose_target(w.ctx, "baseline", &chosen));
  assert_true(same_features(&chosen, CPU_BASELINE, false, false, false));
  assert_false(cpuinfo_choose_target(w.ctx, "baseline+vnni", &chosen));
  expect_error(&w, "unknown extension in 'baseline+vnni'");
  expect_quiet(&w);
  world_close(&w);
}

/* TESSERA_MACHINE makes the machine look like a smaller one, and never like a larger one. */
static void hidden_levels(void **state) {
  (void)state;
  world w;
  world_open(&w);
  const char *limit = getenv("TESSERA_MACHINE");
  char *before = limit ? strdup(limit) : NULL;
  unsetenv("TESSERA_MACHINE");
  cpu_options whole = cpuinfo_best(), best, chosen;
  for (unsigned level = 0; level < CPU_LEVEL_COUNT; level++) {
    setenv("TESSERA_MACHINE", cpuinfo_level_name((cpu_level)level), 1);
    best = cpuinfo_best();
    assert_int_equal(best.isa.level, MIN(level, (unsigned)whole.isa.level));
    bool all = level == CPU_AVX512;
    assert_int_equal(best.isa.vbmi, all && whole.isa.vbmi);
    best.isa.vbmi = false;
    assert_true(same_features(&best, best.isa.level, all && whole.isa.vnni, all && whole.isa.bf16,
                              all && whole.isa.fp16));
    if (level >= (unsigned)whole.isa.level) continue;
    assert_false(cpuinfo_choose(w.ctx, cpuinfo_level_name((cpu_level)(level + 1)), &chosen));
    expect_error(&w, "TESSERA_MACHINE hides more");
  }
  setenv("TESSERA_MACHINE", "toaster", 1);
  refuse_options(&w, (tsr_device_options){0}, "TESSERA_MACHINE: unknown feature level 'toaster'");
  unsetenv("TESSERA_MACHINE");
  if (before) setenv("TESSERA_MACHINE", before, 1);
  free(before);
  expect_quiet(&w);
  world_close(&w);
}

/* What was compiled elsewhere is found with any of the extensions that there are here. */
static void candidates(void **state) {
  (void)state;
  const cpu_options best = {
      .isa.arch = CPU_X86_64, .isa.level = CPU_AVX512, .isa.vnni = true, .isa.bf16 = true};
  const bool has_avx_vnni = cpu_has_vnni(CPU_AVX2);
  unsigned count = 0;
  bool all = false, vnni_only = false, plain = false, avx2 = false, baseline = false;
  cpu_options o;
  for (unsigned i = 0; cpuinfo_candidate(&best, i, &o); i++, count++) {
    if (i == 0) all = same_features(&o, CPU_AVX512, true, true, false);
    vnni_only |= same_features(&o, CPU_AVX512, true, false, false);
    plain |= same_features(&o, CPU_AVX512, false, false, false);
    avx2 |= same_features(&o, CPU_AVX2, false, false, false);
    baseline |= same_features(&o, CPU_BASELINE, false, false, false);
    assert_false(o.isa.fp16 || (o.isa.level < CPU_AVX512 && o.isa.bf16));
    if (o.isa.level == CPU_AVX2 && !has_avx_vnni) assert_false(o.isa.vnni);
  }
  assert_true(all && vnni_only && plain && avx2 && baseline);
  assert_int_equal(count, 4 + (has_avx_vnni ? 2 : 1) + 1); /* each once */
  const cpu_options permutes = {.isa.arch = CPU_X86_64, .isa.level = CPU_AVX512, .isa.vbmi = true};
  assert_true(cpuinfo_candidate(&permutes, 0, &o) && o.isa.vbmi && o.isa.level == CPU_AVX512);
  assert_true(cpuinfo_candidate(&permutes, 1, &o) && !o.isa.vbmi && o.isa.level == CPU_AVX512);
  assert_true(cpuinfo_candidate(&permutes, 2, &o) && !o.isa.vbmi && o.isa.level == CPU_AVX2);
}

/* ---- buffers -------------------------------------------------------------------------------- */

static void buffers(void **state) {
  (void)state;
  world w;
  world_open(&w);
  tsr_device *dev = tsr_device_open(w.ctx, "interp", NULL);
  static const size_t sizes[] = {0, 1, 63, 64, 1000, 9 << 20};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    tsr_buffer *buffer = tsr_buffer_create(dev, sizes[i]);
    assert_non_null(buffer);
    assert_int_equal(tsr_buffer_size(buffer), sizes[i]);
    unsigned char *data = tsr_buffer_data(buffer);
    assert_non_null(data);
    assert_int_equal((uintptr_t)data % 64, 0);
    for (size_t k = 0; k < sizes[i]; k++)
      if (data[k]) fail_msg("byte %zu of %zu isn't zero", k, sizes[i]);
    if (sizes[i]) memset(data, 0xff, sizes[i]);
    tsr_buffer_destroy(buffer);
  }
  int mine[4];
  tsr_buffer *wrapped = tsr_buffer_wrap(dev, mine, sizeof mine);
  assert_ptr_equal(tsr_buffer_data(wrapped), mine);
  tsr_buffer_destroy(wrapped);
  expect_quiet(&w);
  assert_null(tsr_buffer_wrap(dev, NULL, 4));
  expect_error(&w, "4 bytes at address 0");
  assert_null(tsr_buffer_create(dev, SIZE_MAX));
  expect_error(&w, "out of memory: a buffer of 18446744073709551615 bytes");
  assert_null(tsr_buffer_create(dev, SIZE_MAX / 4));
  expect_error(&w, "out of memory");
  tsr_device_close(dev);
  world_close(&w);
}

/* ---- programs and kernels ------------------------------------------------------------------- */

static void kernels_are_found(void **state) {
  (void)state;
  scene s;
  scene_open(&s, "interp", build_named, (tsr_device_options){0});
  tsr_kernel *k = tsr_kernel_get(s.program, "count");
  assert_non_null(k);
  assert_ptr_equal(tsr_kernel_get(s.program, "count"), k);
  assert_string_equal(tsr_kernel_name(k), "count");
  assert_true(tsr_kernel_compile_ms(k) >= 0);
  expect_quiet(&s.w);
  assert_null(tsr_kernel_get(s.program, NULL));
  expect_error(&s.w, "several kernels; name one of: count, scratch, print, fail, third, global, "
                     "nothing, unknown");
  assert_null(tsr_kernel_get(s.program, "cuont"));
  expect_error(&s.w, "there is no kernel 'cuont'; did you mean 'count'? There are: count, scratch");
  assert_null(tsr_kernel_get(s.program, "entirely_different"));
  expect_error(&s.w, "there is no kernel 'entirely_different'; there are: count");
  assert_null(tsr_kernel_get(s.program, "table")); /* a global */
  expect_error(&s.w, "there is no kernel 'table'");
  scene_close(&s);
}

static tsr_module *build_empty(tsr_context *ctx) {
  return tsr_builder_finish(tsr_builder_create(ctx, "empty"));
}

static void modules_without_kernels(void **state) {
  (void)state;
  scene s;
  scene_open(&s, "interp", build_empty, (tsr_device_options){0});
  assert_null(tsr_kernel_get(s.program, NULL));
  expect_error(&s.w, "the module has no kernel");
  assert_null(tsr_kernel_get(s.program, "k"));
  expect_error(&s.w, "the module has no kernel");
  scene_close(&s);
}

static void modules_are_verified(void **state) {
  (void)state;
  world w, other;
  world_open(&w);
  world_open(&other);
  /* A kernel whose parameter isn't a scalar, put together by hand. */
  ir_module *m = ir_module_create(w.ctx, STR("bad"));
  const ir_type *tile = ir_tile(m, TSR_F32, 0, 1, (int64_t[]){4});
  ir_op *entry = ir_op_create(m, &(ir_op_spec){.opcode = OP_entry, .n_regions = 1});
  ir_set_attr(entry, ATTR_sym_name, (ir_attr){.s = STR("k")});
  ir_set_attr(entry, ATTR_function_type, (ir_attr){.type = ir_function(m, 1, 0, &tile)});
  ir_block *body = ir_region_create(m, entry, 0, 1, &tile);
  ir_op_append(body, ir_op_create(m, &(ir_op_spec){.opcode = OP_return}));
  ir_op_append(ir_region(m->op, 0), entry);
  tsr_device *dev = tsr_device_open(w.ctx, "interp", NULL);
  assert_null(tsr_program_create(dev, m));
  assert_true(w.errors > 0);
  world_forget(&w);
  assert_null(tsr_module_emit(m, TSR_EMIT_ASM, NULL, NULL));
  assert_true(w.errors > 0);
  world_forget(&w);

  tsr_module *elsewhere = build_saxpy(other.ctx);
  assert_null(tsr_program_create(dev, elsewhere));
  expect_error(&w, "of different contexts");
  assert_null(tsr_program_create(dev, NULL));
  expect_error(&w, "no module");
  ir_module_destroy(elsewhere);
  tsr_device_close(dev);
  ir_module_destroy(m);
  world_close(&w);
  world_close(&other);
}

/* Splats, several element types, alignment. */
static tsr_module *build_globals(tsr_context *ctx) {
  ir_module *m = ir_module_create(ctx, STR("globals"));
  static const struct {
    tsr_elem elem;
    int64_t count;
    uint64_t value;
    bool splat;
  } made[] = {{TSR_F32, 8, 0x3f800000, true}, {TSR_I4, 8, 0xa, true},  {TSR_I4, 1, 0x3, true},
              {TSR_I1, 4, 1, true},           {TSR_I64, 2, 77, false}, {TSR_F4E2M1FN, 16, 5, true}};
  for (size_t i = 0; i < ARRAY_LEN(made); i++) {
    const ir_type *t = ir_tile(m, made[i].elem, 0, 1, &made[i].count);
    uint64_t data[2] = {made[i].value, made[i].value + 1};
    unsigned bits = tsr_elem_bits(made[i].elem);
    uint32_t size = made[i].splat ? (bits < 8 ? 1 : bits / 8) : sizeof data;
    ir_op *op = ir_op_create(m, &(ir_op_spec){.opcode = OP_global});
    char name[8];
    snprintf(name, sizeof name, "g%zu", i);
    ir_set_attr(op, ATTR_sym_name, (ir_attr){.s = arena_str(&m->arena, str_of(name))});
    ir_set_attr(op, ATTR_value,
                (ir_attr){.dense = ir_dense_create(m, t, made[i].splat, data, size)});
    if (i == 4) ir_set_int(op, ATTR_alignment, 8192);
    ir_op_append(ir_region(m->op, 0), op);
  }
  ir_number_globals(m);
  m->verified = true; /* i4 and f4 globals are none of the language's; the runtime takes any */
  return m;
}

#include "rt/rt.h"
#include "rt/plugin.h"

static void globals_are_initialised(void **state) {
  (void)state;
  scene s;
  scene_open(&s, "interp", build_globals, (tsr_device_options){0});
  void **g = s.program->globals;
  for (int i = 0; i < 8; i++) assert_true(((float *)g[0])[i] == 1.0f);
  for (int i = 0; i < 4; i++) assert_int_equal(((uint8_t *)g[1])[i], 0xaa);
  assert_int_equal(((uint8_t *)g[2])[0], 0x03);
  for (int i = 0; i < 4; i++) assert_int_equal(((uint8_t *)g[3])[i], 1);
  assert_int_equal(((int64_t *)g[4])[0], 77);
  assert_int_equal(((int64_t *)g[4])[1], 78);
  assert_int_equal((uintptr_t)g[4] % 8192, 0);
  for (int i = 0; i < 8; i++) assert_int_equal(((uint8_t *)g[5])[i], 0x55);
  for (int i = 0; i < 6; i++) assert_int_equal((uintptr_t)g[i] % 64, 0);
  scene_close(&s);
}

/* Tile blocks that have ended are counted. */
static void progress_is_told(void **state) {
  (void)state;
  scene s;
  rt_progress progress = {.done = 99};
  scene_open(&s, "interp", build_talker, (tsr_device_options){0});
  s.dev->progress = &progress;
  tsr_kernel *k = tsr_kernel_get(s.program, "talk");
  assert_int_equal(tsr_launch(k, (tsr_grid){3, 2, 1}, NULL, 0), TSR_OK);
  assert_int_equal(progress.done, 6);
  assert_int_equal(progress.total, 6);
  scene_close(&s);
}

/* ---- arguments and grids -------------------------------------------------------------------- */

static void arguments_are_checked(void **state) {
  (void)state;
  static const char *const devices[] = {"interp", "cpu"};
  for (int d = 0; d < 2; d++) {
    scene s;
    scene_open(&s, devices[d], build_saxpy, (tsr_device_options){0});
    tsr_kernel *k = tsr_kernel_get(s.program, "saxpy");
    tsr_buffer *x = tsr_buffer_create(s.dev, 1000), *y = tsr_buffer_create(s.dev, 1000);
    tsr_grid one = {1, 1, 1};
#define LAUNCH(...)                                                                                \
  tsr_launch(k, one, (tsr_arg[]){__VA_ARGS__}, sizeof((tsr_arg[]){__VA_ARGS__}) / sizeof(tsr_arg))
    tsr_arg bx = tsr_arg_buffer(x), by = tsr_arg_buffer(y), a = tsr_arg_f32(2), n = tsr_arg_i32(8);
    assert_int_equal(LAUNCH(bx, by, a, n), TSR_OK);
    expect_quiet(&s.w);
    assert_int_equal(LAUNCH(bx, by, a), TSR_ERROR_USAGE);
    expect_error(&s.w, "'saxpy' takes 4 arguments, not 3");
    assert_int_equal(tsr_launch(k, one, NULL, 4), TSR_ERROR_USAGE);
    expect_error(&s.w, "'saxpy' takes 4 arguments, not 0");
    assert_int_equal(LAUNCH(bx, by, n, n), TSR_ERROR_USAGE);
    expect_error(&s.w, "parameter 3 of 'saxpy' (%a: tile<f32>) takes a scalar of type f32, not a "
                       "scalar of type i32");
    assert_int_equal(LAUNCH(bx, by, by, n), TSR_ERROR_USAGE);
    expect_error(&s.w, "takes a scalar of type f32, not a buffer");
    assert_int_equal(LAUNCH(bx, by, a, tsr_arg_address(&s)), TSR_ERROR_USAGE);
    expect_error(&s.w, "parameter 4 of 'saxpy' (%arg3: tile<i32>) takes a scalar of type i32, not "
                       "an address");
    assert_int_equal(LAUNCH(a, by, a, n), TSR_ERROR_USAGE);
    expect_error(&s.w, "parameter 1 of 'saxpy' (%arg0: tile<ptr<f32>>) takes a buffer of f32, not "
                       "a scalar of type f32");
    assert_int_equal(LAUNCH(tsr_arg_buffer(NULL), by, a, n), TSR_ERROR_USAGE);
    expect_error(&s.w, "got a buffer that is NULL");
    assert_int_equal(LAUNCH(tsr_arg_address(NULL), by, a, n), TSR_ERROR_USAGE);
    expect_error(&s.w, "got an address that is NULL (tsr_arg_nullable gives one that is not used)");
    assert_int_equal(LAUNCH(tsr_arg_nullable(NULL), by, a, tsr_arg_i32(0)), TSR_OK);
    assert_int_equal(LAUNCH(a, by, a, n), TSR_ERROR_USAGE);
    world_forget(&s.w);
    assert_int_equal(tsr_buffer_write(x, 0, NULL, 4), TSR_ERROR_USAGE);
    expect_error(&s.w, "a copy of 4 bytes: the host's address is NULL");
    assert_int_equal(tsr_buffer_read(x, 0, NULL, 0), TSR_OK);
    assert_int_equal(LAUNCH(bx, by, a, tsr_arg_scalar(TSR_I32, UINT64_MAX)), TSR_ERROR_USAGE);
    expect_error(&s.w, "takes a pattern of 32 bits, not 0xffffffffffffffff");
    assert_int_equal(LAUNCH(bx, tsr_arg_address((char *)tsr_buffer_data(y) + 2), a, n),
                     TSR_ERROR_USAGE);
    expect_error(&s.w, "not aligned to the 4 bytes of f32");
    assert_int_equal(LAUNCH(bx, by, a, (tsr_arg){.kind = 9}), TSR_ERROR_USAGE);
    expect_error(&s.w, "not no valid tsr_arg");
    assert_int_equal(LAUNCH(bx, by, a, (tsr_arg){.elem = 99}), TSR_ERROR_USAGE);
    expect_error(&s.w, "no valid tsr_arg");
    /* Every wrong one is named. */
    assert_int_equal(LAUNCH(bx, by, n, a), TSR_ERROR_USAGE);
    assert_int_equal(s.w.errors, 2);
    world_forget(&s.w);

    tsr_device *other = tsr_device_open(s.w.ctx, "interp", NULL);
    tsr_buffer *foreign = tsr_buffer_create(other, 1000);
    assert_int_equal(LAUNCH(bx, tsr_arg_buffer(foreign), a, n), TSR_ERROR_USAGE);
    expect_error(&s.w, "got a buffer of another device");
    tsr_buffer_destroy(foreign);
    tsr_device_close(other);
    tsr_buffer_destroy(x);
    tsr_buffer_destroy(y);
    scene_close(&s);
  }
}

static void grids_are_checked(void **state) {
  (void)state;
  scene s;
  scene_open(&s, "cpu", build_named, (tsr_device_options){0});
  static const tsr_grid wrong[] = {
      {0, 1, 1}, {1, 0, 1}, {1, 1, 0}, {UINT32_C(1) << 31, 1, 1}, {INT32_MAX, INT32_MAX, 2}};
  int x;
  for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
    assert_int_equal(launch(&s, "nothing", wrong[i], &x), TSR_ERROR_USAGE);
    expect_error(&s.w, "each extent is from 1 to 2147483647, and their product at most 2^40");
  }
  scene_close(&s);
}

/* More parameters than a launch has room for on its stack. */
static tsr_module *build_many_parameters(tsr_context *ctx) {
  enum { PARAMETERS = 200 };
  tsr_builder *b = tsr_builder_create(ctx, "many");
  tsr_type i64 = tsr_type_scalar(b, TSR_I64), types[PARAMETERS];
  for (int i = 0; i < PARAMETERS; i++) types[i] = i ? i64 : tsr_type_pointer(b, TSR_I64);
  tsr_build_entry(b, "sum", (tsr_types){types, PARAMETERS});
  tsr_value sum = tsr_build_arg(b, 1);
  for (size_t i = 2; i < PARAMETERS; i++) sum = tsr_build_addi(b, sum, tsr_build_arg(b, i));
  tsr_build_store_ptr_tko(b, tsr_build_arg(b, 0), sum, TSR_MEMORY_WEAK);
  tsr_build_end(b);
  return tsr_builder_finish(b);
}

static void many_parameters(void **state) {
  (void)state;
  scene s;
  scene_open(&s, "interp", build_many_parameters, (tsr_device_options){0});
  int64_t sum = 0;
  tsr_arg args[200];
  for (int i = 0; i < 200; i++) args[i] = i ? tsr_arg_i64(i) : tsr_arg_address(&sum);
  assert_int_equal(tsr_launch(tsr_kernel_get(s.program, NULL), (tsr_grid){1, 1, 1}, args, 200),
                   TSR_OK);
  assert_int_equal(sum, 199 * 100);
  expect_quiet(&s.w);
  scene_close(&s);
}

/* ---- the interpreter ------------------------------------------------------------------------ */

static void run_talker(tsr_device_options options, tsr_grid grid, char *out, size_t size) {
  scene s;
  scene_open(&s, "interp", build_talker, options);
  assert_int_equal(tsr_launch(tsr_kernel_get(s.program, "talk"), grid, NULL, 0), TSR_OK);
  assert_true(s.used < size);
  memcpy(out, s.output, s.used + 1);
  expect_quiet(&s.w);
  scene_close(&s);
}

static void blocks_run_in_the_order_asked_for(void **state) {
  (void)state;
  tsr_grid grid = {2, 2, 2};
  char forward[256], reverse[256], shuffled[256], again[256], other[256];
  run_talker((tsr_device_options){0}, grid, forward, sizeof forward);
  assert_string_equal(forward, "0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 0 1\n1 0 1\n0 1 1\n1 1 1\n");
  run_talker((tsr_device_options){.order = TSR_ORDER_REVERSE}, grid, reverse, sizeof reverse);
  assert_string_equal(reverse, "1 1 1\n0 1 1\n1 0 1\n0 0 1\n1 1 0\n0 1 0\n1 0 0\n0 0 0\n");
  tsr_device_options by_seed = {.order = TSR_ORDER_SHUFFLED, .seed = 1};
  run_talker(by_seed, grid, shuffled, sizeof shuffled);
  run_talker(by_seed, grid, again, sizeof again);
  by_seed.seed = 2;
  run_talker(by_seed, grid, other, sizeof other);
  assert_string_equal(shuffled, again);
  assert_int_equal(strlen(shuffled), strlen(forward));
  assert_string_not_equal(shuffled, forward);
  assert_string_not_equal(shuffled, other);
}

static void asserts_name_block_and_place(void **state) {
  (void)state;
  scene s;
  scene_open(&s, "interp", build_talker, (tsr_device_options){0});
  tsr_kernel *k = tsr_kernel_get(s.program, "fail");
  assert_int_equal(tsr_launch(k, (tsr_grid){3, 1, 1}, NULL, 0), TSR_OK);
  expect_quiet(&s.w);
  assert_int_equal(tsr_launch(k, (tsr_grid){3, 3, 1}, NULL, 0), TSR_ERROR_TRAP);
  assert_non_null(strstr(s.w.messages, "test_rt.c:"));
  expect_error(&s.w, "assertion failed in tile block (2, 1, 0) of 'fail': three is too many");
  assert_int_equal(tsr_launch(k, (tsr_grid){1, 1, 1}, NULL, 0), TSR_OK); /* and is as good as new */
  scene_close(&s);
}

static void results_do_not_depend_on_the_callers_rounding(void **state) {
  (void)state;
  static const char *const devices[] = {"cpu", "interp"};
  for (int d = 0; d < 2; d++) {
    scene s;
    scene_open(&s, devices[d], build_saxpy, (tsr_device_options){.threads = 2});
    tsr_kernel *k = tsr_kernel_get(s.program, NULL);
    float x[300], y[300];
    for (int i = 0; i < 300; i++) x[i] = 1.0f, y[i] = 0x1p-30f;
    tsr_arg args[] = {tsr_arg_address(x), tsr_arg_address(y), tsr_arg_f32(1), tsr_arg_i32(300)};
    fesetround(FE_UPWARD);
    tsr_status status = tsr_launch(k, (tsr_grid){3, 1, 1}, args, 4);
    assert_int_equal(fegetround(), FE_UPWARD); /* the caller's own again */
    fesetround(FE_TONEAREST);
    assert_int_equal(status, TSR_OK);
    for (int i = 0; i < 300; i++) assert_true(y[i] == 1.0f);
    scene_close(&s);
  }
}

/* ---- several threads ------------------------------------------------------------------------ */

typedef struct launcher {
  tsr_kernel *kernel;
  int rounds;
  bool good;
} launcher;

static void *launch_saxpy(void *arg) {
  launcher *l = arg;
  l->good = true;
  for (int r = 0; r < l->rounds && l->good; r++) {
    float x[1000], y[1000];
    for (int i = 0; i < 1000; i++) x[i] = (float)i, y[i] = (float)r;
    tsr_arg args[] = {tsr_arg_address(x), tsr_arg_address(y), tsr_arg_f32(2), tsr_arg_i32(1000)};
    l->good = tsr_launch(l->kernel, (tsr_grid){8, 1, 1}, args, 4) == TSR_OK;
    for (int i = 0; i < 1000; i++) l->good &= y[i] == 2 * (float)i + (float)r;
    /* Messages of several threads, too. */
    l->good &= tsr_launch(l->kernel, (tsr_grid){0, 1, 1}, args, 4) == TSR_ERROR_USAGE;
  }
  return NULL;
}

/* On both devices of one context at once. */
static void several_threads_launch(void **state) {
  (void)state;
  scene s;
  scene_open(&s, "cpu", build_saxpy, (tsr_device_options){.threads = 3});
  tsr_device *interp = tsr_device_open(s.w.ctx, "interp", NULL);
  tsr_program *program = tsr_program_create(interp, s.module);
  tsr_kernel *compiled = tsr_kernel_get(s.program, NULL);
  tsr_kernel *interpreted = tsr_kernel_get(program, NULL);
  pthread_t threads[6];
  launcher launchers[6];
  for (int i = 0; i < 6; i++) {
    launchers[i] = (launcher){i % 2 ? compiled : interpreted, i % 2 ? 300 : 20, false};
    assert_int_equal(pthread_create(&threads[i], NULL, launch_saxpy, &launchers[i]), 0);
  }
  for (int i = 0; i < 6; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < 6; i++) assert_true(launchers[i].good);
  assert_int_equal(s.w.errors, 3 * 300 + 3 * 20);
  tsr_program_destroy(program);
  tsr_device_close(interp);
  scene_close(&s);
}

/* ---- the cpu device with a plugin ----------------------------------------------------------- */

static void every_block_runs_once(void **state) {
  (void)state;
  static const tsr_grid grids[] = {{1, 1, 1}, {2, 1, 1}, {1, 7, 1}, {5, 4, 3}, {1000, 3, 1}};
  for (unsigned threads = 0; threads <= 4; threads++) {
    scene s;
    scene_open(&s, "cpu", build_named, (tsr_device_options){.threads = threads});
    for (size_t g = 0; g < ARRAY_LEN(grids); g++) {
      size_t total = (size_t)grids[g].x * grids[g].y * grids[g].z;
      int *hits = calloc(total, sizeof *hits);
      assert_int_equal(launch(&s, "count", grids[g], hits), TSR_OK);
      for (size_t i = 0; i < total; i++) assert_int_equal(hits[i], 1);
      free(hits);
      int wrong = 0;
      assert_int_equal(launch(&s, "scratch", grids[g], &wrong), TSR_OK);
      assert_int_equal(wrong, 0);
    }
    tsr_kernel *k = tsr_kernel_get(s.program, "scratch");
    assert_int_equal(tsr_kernel_scratch_bytes(k), 10000);
    assert_true(tsr_kernel_compile_ms(k) == 1.5);
    expect_quiet(&s.w);
    scene_close(&s);
  }
}

/* "position" and "careful" print where they are; tile blocks of "careful" might wait. */
static tsr_module *build_positions(tsr_context *ctx) {
  tsr_builder *b = tsr_builder_create(ctx, "positions");
  tsr_type i32 = tsr_type_scalar(b, TSR_I32);
  tsr_build_entry(b, "position", (tsr_types){0});
  tsr_build_end(b);
  tsr_build_entry(b, "careful", TSR_TYPES(tsr_type_pointer(b, TSR_I32)));
  tsr_value p = tsr_build_arg(b, 0);
  tsr_build_if(b, tsr_build_int(b, tsr_type_scalar(b, TSR_I1), 1)); /* wherever it stands */
  tsr_build_atomic_rmw_tko(b, p, tsr_build_int(b, i32, 1), TSR_MEMORY_RELAXED, TSR_SCOPE_DEVICE,
                           TSR_RMW_ADD);
  tsr_build_end(b);
  tsr_build_end(b);
  return tsr_builder_finish(b);
}

static void expect_positions(tsr_device_options options, tsr_grid grid, const char *kernel,
                             const char *expected) {
  scene s;
  options.threads = 1;
  scene_open(&s, "cpu", build_positions, options);
  int x = 0;
  tsr_arg args[] = {tsr_arg_address(&x)};
  tsr_kernel *k = tsr_kernel_get(s.program, kernel);
  assert_int_equal(tsr_launch(k, grid, args, strcmp(kernel, "careful") == 0), TSR_OK);
  assert_string_equal(s.output, expected);
  scene_close(&s);
}

static void planes_run_in_bands(void **state) {
  (void)state;
  static const char rows[] = "000 100 200 010 110 210 020 120 220 ";
  static const char bands[] = "000 010 100 110 200 210 020 120 220 ";
  tsr_device_options two = {.block_group = 2};
  tsr_grid plane = {3, 3, 1};
  expect_positions((tsr_device_options){0}, plane, "position", rows);
  expect_positions(two, plane, "position", bands);
  expect_positions(two, plane, "careful", rows);
  expect_positions(two, (tsr_grid){3, 1, 1}, "position", "000 100 200 ");
  expect_positions(two, (tsr_grid){2, 2, 2}, "position", "000 100 010 110 001 101 011 111 ");
  setenv("TESSERA_BLOCK_GROUP", "2", 1);
  expect_positions((tsr_device_options){0}, plane, "position", bands);
  setenv("TESSERA_BLOCK_GROUP", "two", 1);
  world w;
  world_open(&w);
  assert_null(tsr_device_open(w.ctx, "cpu", NULL));
  expect_error(&w, "TESSERA_BLOCK_GROUP: expected a number from 0 to 2147483647, found 'two'");
  unsetenv("TESSERA_BLOCK_GROUP");
  world_close(&w);
}

static void output_is_whole(void **state) {
  (void)state;
  scene s;
  scene_open(&s, "cpu", build_named, (tsr_device_options){.threads = 4});
  int x = 0;
  assert_int_equal(launch(&s, "print", (tsr_grid){40, 1, 1}, &x), TSR_OK);
  unsigned char seen[40] = {0};
  int lines = 0;
  for (char *p = s.output, *end; *p; p = end + 1, lines++) {
    end = strchr(p, '\n');
    int id = -1, used = 0;
    assert_int_equal(sscanf(p, "block %d%n", &id, &used), 1);
    assert_ptr_equal(p + used, end);
    assert_in_range(id, 0, 39);
    assert_int_equal(seen[id]++, 0);
  }
  assert_int_equal(lines, 40);
  scene_close(&s);
}

static void failed_asserts_stop_the_launch(void **state) {
  (void)state;
  for (unsigned threads = 1; threads <= 4; threads++) {
    scene s;
    scene_open(&s, "cpu", build_named, (tsr_device_options){.threads = threads});
    int begun = 0;
    assert_int_equal(launch(&s, "fail", (tsr_grid){1 << 30, 1, 1}, &begun), TSR_ERROR_TRAP);
    /* Other threads begin with later tile blocks, all of which fail. */
    assert_in_range(begun, threads == 1 ? 4 : 1, 1000);
    /* The first by the grid's order of those that failed; with one thread that is the third. */
    assert_non_null(strstr(s.w.messages, "some:where.mlir:12: assertion failed in tile block ("));
    if (threads == 1) expect_error(&s.w, "block (3, 0, 0) of 'fail': three is too many");
    assert_true(threads == 1 || s.w.errors == 1);
    world_forget(&s.w);
    assert_int_equal(launch(&s, "nothing", (tsr_grid){100, 1, 1}, &begun), TSR_OK);
    expect_quiet(&s.w);
    scene_close(&s);
  }
}

static void compiled_kernels_see_globals(void **state) {
  (void)state;
  scene s;
  scene_open(&s, "cpu", build_named, (tsr_device_options){0});
  uint8_t bytes[8] __attribute__((aligned(8))) = {0};
  assert_int_equal(launch(&s, "global", (tsr_grid){1, 1, 1}, bytes), TSR_OK);
  for (int i = 0; i < 8; i++) assert_int_equal(bytes[i], i + 1);
  assert_int_equal((uintptr_t)s.program->globals[0] % 4096, 0);
  assert_null(tsr_kernel_get(s.program, "unknown"));
  expect_error(&s.w, "cannot compile 'unknown'");
  scene_close(&s);
}

static void code_for_files(void **state) {
  (void)state;
  scene s;
  scene_open(&s, "cpu", build_named, (tsr_device_options){0});
  size_t length;
  char *text = tsr_module_emit(s.module, TSR_EMIT_LLVM, NULL, &length);
  assert_int_equal(length, 16);
  assert_memory_equal(text, "code\0with a zero", 17);
  tsr_string_free(s.w.ctx, text);
  text = tsr_module_emit(s.module, TSR_EMIT_ASM, "baseline", NULL);
  assert_non_null(text);
  tsr_string_free(s.w.ctx, text);
  expect_quiet(&s.w);
  assert_null(tsr_module_emit(s.module, TSR_EMIT_OBJECT, NULL, &length));
  expect_error(&s.w, "no objects today");
  assert_int_equal(length, 0);
  assert_null(tsr_module_emit(s.module, (tsr_emit)6, NULL, &length));
  expect_error(&s.w, "6 is no tsr_emit");
  assert_null(tsr_module_emit(s.module, TSR_EMIT_ASM, "mmx", &length));
  expect_error(&s.w, "unknown feature level 'mmx'");
  scene_close(&s);
}

/* Must come before any test that gets a plugin: the first that fits is kept. */
static void plugins_that_do_not_fit(void **state) {
  (void)state;
  world w;
  world_open(&w);
  tsr_module *m = build_saxpy(w.ctx);
  tsr_device *dev = tsr_device_open(w.ctx, "cpu", NULL);
  tsr_program *p = tsr_program_create(dev, m);
  expect_quiet(&w);
  use_plugin("nowhere");
  assert_null(tsr_kernel_get(p, "saxpy"));
  expect_error(&w, "TESSERA_LLVM_PLUGIN: there is no readable file '" FAKE_PLUGINS "/nowhere.so'");
  use_plugin("other");
  assert_null(tsr_kernel_get(p, "saxpy"));
  expect_error(&w, "other.so' belongs to another build of Tessera (another-build; this is ");
  use_plugin("stranger");
  assert_null(tsr_kernel_get(p, "saxpy"));
  expect_error(&w, "stranger.so' is not Tessera's compiler");
  use_plugin("needy");
  assert_null(tsr_kernel_get(p, "saxpy"));
  expect_error(&w,
               "compiling needs LLVM 22, which is not installed: install the package libllvm22");
  setenv("TESSERA_LLVM_PLUGIN", "tests/unit/test_rt.c", 1);
  assert_null(tsr_kernel_get(p, "saxpy"));
  expect_error(&w, "the compiler cannot be loaded: ");
  unsetenv("TESSERA_LLVM_PLUGIN"); /* nothing lies beside a unit test */
  assert_null(tsr_kernel_get(p, "saxpy"));
  expect_error(&w, "(libtessera-llvm.so) was not found beside Tessera's library or command");
  use_plugin("good");
  assert_non_null(tsr_kernel_get(p, "saxpy"));
  use_plugin("other"); /* too late to matter */
  tsr_program *second = tsr_program_create(dev, m);
  assert_non_null(tsr_kernel_get(second, "saxpy"));
  expect_quiet(&w);
  tsr_program_destroy(second);
  tsr_program_destroy(p);
  tsr_device_close(dev);
  ir_module_destroy(m);
  world_close(&w);
}

/* ---- misuse --------------------------------------------------------------------------------- */

static void null_is_harmless(void **state) {
  (void)state;
  assert_null(tsr_device_open(NULL, "interp", NULL));
  tsr_device_close(NULL);
  assert_null(tsr_buffer_create(NULL, 4));
  assert_null(tsr_buffer_wrap(NULL, &state, 4));
  tsr_buffer_destroy(NULL);
  assert_null(tsr_buffer_data(NULL));
  assert_int_equal(tsr_buffer_size(NULL), 0);
  assert_null(tsr_program_create(NULL, NULL));
  tsr_program_destroy(NULL);
  assert_null(tsr_kernel_get(NULL, "k"));
  assert_null(tsr_kernel_name(NULL));
  assert_true(tsr_kernel_compile_ms(NULL) == 0);
  assert_int_equal(tsr_kernel_scratch_bytes(NULL), 0);
  assert_int_equal(tsr_launch(NULL, (tsr_grid){1, 1, 1}, NULL, 0), TSR_ERROR_USAGE);
  size_t length = 1;
  assert_null(tsr_module_emit(NULL, TSR_EMIT_ASM, NULL, &length));
  assert_int_equal(length, 0);
  tsr_string_free(NULL, NULL);
}

/* Which file is the compiler: the variable's, the context's, one that is found. */
static void test_compiler_file(void **state) {
  (void)state;
  char path[4096];
  tsr_context_options o = {.struct_size = sizeof o, .compiler = FAKE_PLUGINS "/good.so"};
  tsr_context *ctx = tsr_context_create(&o);
  unsetenv("TESSERA_LLVM_PLUGIN");
  assert_true(plugin_find(ctx, path, sizeof path));
  assert_string_equal(path, FAKE_PLUGINS "/good.so");
  use_plugin("nowhere");
  assert_false(plugin_find(ctx, path, sizeof path));
  assert_string_equal(path, FAKE_PLUGINS "/nowhere.so");
  tsr_context_destroy(ctx);
  unsetenv("TESSERA_LLVM_PLUGIN");
  o.compiler = "/nowhere/at/all.so";
  ctx = tsr_context_create(&o);
  assert_false(plugin_find(ctx, path, sizeof path));
  assert_string_equal(path, "/nowhere/at/all.so");
  tsr_context_destroy(ctx);
  o.struct_size = offsetof(tsr_context_options, compiler); /* an older caller's: it has none */
  ctx = tsr_context_create(&o);
  assert_true(plugin_find(ctx, path, sizeof path));
  tsr_context_destroy(ctx);
  use_plugin("good");
}

int main(void) {
  setenv("TESSERA_CUDA_DRIVER", "none", 1); /* whatever this machine has */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_compiler_file),
      cmocka_unit_test(plugins_that_do_not_fit), /* first */
      cmocka_unit_test(devices_are_listed),
      cmocka_unit_test(wrong_devices_and_options),
      cmocka_unit_test(feature_levels),
      cmocka_unit_test(feature_levels_of_files),
      cmocka_unit_test(hidden_levels),
      cmocka_unit_test(candidates),
      cmocka_unit_test(buffers),
      cmocka_unit_test(kernels_are_found),
      cmocka_unit_test(modules_without_kernels),
      cmocka_unit_test(modules_are_verified),
      cmocka_unit_test(globals_are_initialised),
      cmocka_unit_test(progress_is_told),
      cmocka_unit_test(arguments_are_checked),
      cmocka_unit_test(grids_are_checked),
      cmocka_unit_test(many_parameters),
      cmocka_unit_test(blocks_run_in_the_order_asked_for),
      cmocka_unit_test(asserts_name_block_and_place),
      cmocka_unit_test(results_do_not_depend_on_the_callers_rounding),
      cmocka_unit_test(several_threads_launch),
      cmocka_unit_test(every_block_runs_once),
      cmocka_unit_test(planes_run_in_bands),
      cmocka_unit_test(output_is_whole),
      cmocka_unit_test(failed_asserts_stop_the_launch),
      cmocka_unit_test(compiled_kernels_see_globals),
      cmocka_unit_test(code_for_files),
      cmocka_unit_test(null_is_harmless),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
