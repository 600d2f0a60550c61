/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Every public function with NULL for each pointer in turn, and for all of them: none may crash,
 * and where NULL is not allowed a status says so. The calls are made from the headers
 * (tests/support/null_calls.py), so that no function is forgotten; each is a process of its own.
 */
#include "rt_support.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- valid arguments ------------------------------------------------------------------------ */

static char the_text[4096] = "saxpy";
static _Alignas(64) char the_scratch[1 << 16];
static int32_t the_int32_t[64];
static uint32_t the_uint32_t[64];
static int64_t the_int64_t[64];
static uint64_t the_uint64_t[64];
static uint8_t the_uint8_t[64];
static size_t the_size_t[1];
static double the_double[1];
static bool the_bool[1];

static tsr_context *the_context;
static tsr_module *the_module;
static tsr_builder *the_builder;
static tsr_op *the_op;
static tsr_type the_type;
static tsr_value the_value;
static tsr_device *the_device, *the_emulated_device;
static tsr_buffer *the_buffer, *the_emulated_buffer;
static tsr_program *the_program;
static tsr_kernel *the_kernel;
static tsr_stream *the_stream;
static tsr_event *the_event;
static tsr_ptx *the_ptx;

static tsr_arg the_arg[64];
static tsr_device_options the_device_options[1] = {{.struct_size = sizeof(tsr_device_options)}};
static tsr_gpu_options the_gpu_options[1] = {{.struct_size = sizeof(tsr_gpu_options)}};
static tsr_optimize_options the_optimize_options[1] = {
    {.struct_size = sizeof(tsr_optimize_options)}};
static tsr_op_spec the_op_spec[1];
static tsr_diagnostic the_diagnostic[1] = {{.message = "words"}};
static tsr_ptx_launch the_ptx_launch[1] = {{.struct_size = sizeof(tsr_ptx_launch)}};
static tsr_ptx_kernel_info the_ptx_kernel_info[1] = {{.struct_size = sizeof(tsr_ptx_kernel_info)}};
static tsr_ptx_tensor the_ptx_tensor[1];

static tsr_layout_error the_layout_error[1];
static tsr_layout the_layout[1];
static tsr_layout_value the_layout_value[1];
static tsr_layout_cost the_layout_cost[1];
static tsr_layout_print_options the_layout_print_options[1] = {
    {.struct_size = sizeof(tsr_layout_print_options)}};
static tsr_svg_options the_svg_options[1] = {{.struct_size = sizeof(tsr_svg_options)}};
static tsr_cost_options the_cost_options[1] = {
    {.struct_size = sizeof(tsr_cost_options), .element_bits = 32, .warp_size = 32, .banks = 32}};
static tsr_encoding the_encoding[1];
static tsr_multi the_multi[1];
static tsr_linear the_linear[1];
static tsr_memory_layout the_memory_layout[1];
static tsr_convolution the_convolution[1];
static tsr_coordinate the_coordinate[1];
static tsr_curve the_curve[1];
static tsr_descriptor the_descriptor[1];
static tsr_transform the_transform[1];
static tsr_transform_step the_transform_step[1];
static tsr_emitted_names the_emitted_names[1];
static tsr_buffer_view the_buffer_view[1];
static tsr_tensor_view the_tensor_view[1];
static tsr_tile the_tile[1];
static tsr_tile_window the_tile_window[1];

static tsr_tune_space *the_tune_space;
static const tsr_tune_choice *the_tune_choice;
static tsr_tuning_store *the_tuning_store;
static tsr_tuned *the_tuned;
static tsr_tune_problem the_tune_problem[1] = {{.struct_size = sizeof(tsr_tune_problem)}};
static tsr_tune_options the_tune_options[1] = {{.struct_size = sizeof(tsr_tune_options)}};
static tsr_tuning_record the_tuning_record[1];
static tsr_bench_options the_bench_options[1] = {
    {.struct_size = sizeof(tsr_bench_options), .measure_ms = 1}};
static tsr_bench_result the_bench_result[1];

static tsr_status the_bench_call(void *user, tsr_stream *stream) {
  (void)user, (void)stream;
  return TSR_OK;
}

static bool the_tune_keep(void *user, const tsr_tune_choice *choice) {
  (void)user;
  return choice != NULL;
}

static bool the_tuning_visit(void *user, const tsr_tuning_record *record) {
  (void)user;
  return record != NULL;
}

static int64_t the_offset_fn(const void *user, const int32_t *index) {
  (void)user;
  return index[0];
}

static void the_tile_visit(void *user, int32_t worker, const int32_t *y, const int32_t *x,
                           uint64_t *value) {
  (void)user, (void)worker, (void)y, (void)x, (void)value;
}

static uint64_t the_tile_function(void *user, uint64_t a, uint64_t b) {
  (void)user;
  return a + b;
}

static void make_layouts(void) {
  static const int32_t shape[] = {2, 4};
  static const int64_t lengths[] = {2, 4};
  static int64_t memory[8];
  static uint64_t values[8];
  assert_int_equal(tsr_layout_local(the_layout, 2, shape, NULL, NULL), TSR_OK);
  assert_int_equal(tsr_encoding_from_layout(the_encoding, the_layout, 0, NULL, NULL), TSR_OK);
  assert_int_equal(tsr_multi_identity(the_multi, 2, shape, NULL), TSR_OK);
  *the_linear = tsr_linear_identity(3);
  assert_int_equal(tsr_memory_row_major(the_memory_layout, 2, shape, NULL), TSR_OK);
  *the_layout_value = (tsr_layout_value){.layout = *the_layout, .encoding = *the_encoding};
  assert_int_equal(tsr_descriptor_packed(the_descriptor, 2, lengths, NULL), TSR_OK);
  *the_transform = tsr_transform_pass_through(4);
  tsr_coordinate_make(the_coordinate, the_descriptor, the_int64_t);
  static const uint8_t order[] = {0, 1};
  static const int64_t scalars[] = {1, 1};
  assert_int_equal(tsr_curve_make(the_curve, 2, lengths, order, scalars, false, NULL), TSR_OK);
  *the_buffer_view = tsr_buffer_view_make(memory, TSR_I64, 8, TSR_SPACE_GENERIC);
  *the_tensor_view = (tsr_tensor_view){*the_buffer_view, the_descriptor};
  assert_int_equal(tsr_tile_make(the_tile, the_encoding, TSR_I64, values, 8, NULL), TSR_OK);
  assert_int_equal(
      tsr_tile_window_make(the_tile_window, the_tensor_view, the_int64_t, the_encoding, 0, NULL),
      TSR_OK);
}

static void make_builder(void) {
  the_builder = tsr_builder_create(the_context, "built");
  the_type = tsr_type_scalar(the_builder, TSR_I32);
  the_op = tsr_build_entry(the_builder, "entry", TSR_TYPES(the_type));
  the_value = tsr_build_arg(the_builder, 0);
}

static void make_devices(void) {
  static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                            ".visible .entry saxpy(.param .u64 p)\n{\n  ret;\n}\n";
  the_module = build_saxpy(the_context);
  the_device = tsr_device_open(the_context, "interp", NULL);
  the_program = tsr_program_create(the_device, the_module);
  the_kernel = tsr_kernel_get(the_program, NULL);
  the_buffer = tsr_buffer_create(the_device, 256);
  the_stream = tsr_stream_create(the_device);
  the_event = tsr_event_create(the_device);
  the_emulated_device = tsr_device_open(the_context, "emu:sm_90a", NULL);
  the_emulated_buffer = tsr_buffer_create(the_emulated_device, 256);
  the_ptx = tsr_ptx_create(the_emulated_device, "text", ptx, sizeof ptx - 1);
  assert_non_null(the_kernel);
  assert_non_null(the_ptx);
}

static void make_tuning(void) {
  static const tsr_arg args[4];
  static const char text[] = "cuda_tile.module @m { entry @k() { } }";
  the_tune_space = tsr_tune_space_create(the_context);
  tsr_tune_space_add_ints(the_tune_space, "BM", (int64_t[]){1}, 1);
  the_tune_choice = tsr_tune_space_choice(the_tune_space, 0);
  the_tuning_store = tsr_tuning_store_open(the_context, "off");
  the_tune_problem->device = the_device;
  the_tune_problem->space = the_tune_space;
  the_tune_problem->text = text;
  the_tune_problem->length = sizeof text - 1;
  the_tune_problem->grid = "1";
  the_tune_problem->args = args;
  the_tune_options->look_up_only = true;
  the_tuned = tsr_tune(the_tune_problem, the_tune_options);
  assert_non_null(the_tuned);
}

static void destroy_all(void) {
  tsr_tuned_destroy(the_tuned);
  tsr_tuning_store_close(the_tuning_store);
  tsr_tune_space_destroy(the_tune_space);
  tsr_ptx_destroy(the_ptx);
  tsr_buffer_destroy(the_emulated_buffer);
  tsr_device_close(the_emulated_device);
  tsr_event_destroy(the_event);
  tsr_stream_destroy(the_stream);
  tsr_buffer_destroy(the_buffer);
  tsr_program_destroy(the_program);
  tsr_device_close(the_device);
  tsr_module_destroy(the_module);
  tsr_builder_destroy(the_builder);
  tsr_context_destroy(the_context);
}

/* ---- the calls ------------------------------------------------------------------------------ */

enum { FINE, ACCEPTED = 3 };

#define FILE_OF_CALLS "null_calls.inc"

enum {
#define STATUS(function, argument, optional, call) CALL(function, argument, call)
#define CALL(function, argument, call)             call_##function##_##argument,
#include FILE_OF_CALLS
  CALLS
#undef CALL
#undef STATUS
};

static const char *const names[] = {
#define STATUS(function, argument, optional, call) CALL(function, argument, call)
#define CALL(function, argument, call)             #call,
#include FILE_OF_CALLS
#undef CALL
#undef STATUS
};

static int make_call(unsigned n) {
  switch (n) {
#define STATUS(function, argument, optional, call)                                                 \
  case call_##function##_##argument:                                                               \
    return (call) == TSR_OK && !(optional) ? ACCEPTED : FINE;
#define CALL(function, argument, call)                                                             \
  case call_##function##_##argument:                                                               \
    (void)(call);                                                                                  \
    return FINE;
#include FILE_OF_CALLS
#undef CALL
#undef STATUS
  }
  return FINE;
}

static bool check_call(unsigned n) {
  int status;
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    signal(SIGSEGV, SIG_DFL); /* cmocka's handler would continue */
    signal(SIGBUS, SIG_DFL);
    _exit(make_call(n));
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == FINE) return true;
  print_error("%s: %s\n", names[n],
              WIFEXITED(status) && WEXITSTATUS(status) == ACCEPTED ? "is accepted" : "crashes");
  return false;
}

/* Some calls write files. */
static void leave(char *folder) {
  assert_non_null(mkdtemp(folder));
  assert_int_equal(chdir(folder), 0);
}

static void clean(const char *folder) {
  char command[64];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  assert_int_equal(system(command), 0);
}

static void test_null(void **state) {
  (void)state;
  unsigned wrong = 0;
  char folder[] = "/tmp/tessera-null-XXXXXX";
  the_context = tsr_context_create(NULL);
  make_layouts();
  make_builder();
  make_devices();
  make_tuning();
  leave(folder);
  for (unsigned n = 0; n < CALLS; n++) wrong += !check_call(n);
  clean(folder);
  destroy_all();
  assert_int_equal(wrong, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_null)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
