/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * y = a * x + y again, with a kernel made operation by operation; it is printed as text and run.
 * What is wrong with a kernel is reported with the line of this file that built it. */
#include <stdio.h>
#include <tessera/tessera.h>

enum { N = 1000, TILE = 128 };

static tsr_module *build_saxpy(tsr_context *ctx) {
  tsr_builder *b = tsr_builder_create(ctx, "example");
  tsr_type f32 = tsr_type_scalar(b, TSR_F32), i32 = tsr_type_scalar(b, TSR_I32);
  tsr_type ptr = tsr_type_pointer(b, TSR_F32);
  tsr_type view = tsr_type_tensor_view(b, TSR_F32, TSR_INTS(TSR_DYNAMIC), TSR_INTS(1));
  tsr_type tiles =
      tsr_type_partition_view(b, TSR_INTS(TILE), view, (tsr_ints){0}, TSR_PADDING_NONE);

  tsr_build_entry(b, "saxpy", TSR_TYPES(ptr, ptr, f32, i32));
  tsr_value x = tsr_build_arg(b, 0), y = tsr_build_arg(b, 1);
  tsr_value a = tsr_build_arg(b, 2), n = tsr_build_arg(b, 3);
  tsr_value_set_name(b, a, "a");

  tsr_value block = tsr_build_get_tile_block_id(b); /* its first result: x */
  x = tsr_build_make_partition_view(b, tsr_build_make_tensor_view(b, x, view, TSR_VALUES(n)),
                                    tiles);
  y = tsr_build_make_partition_view(b, tsr_build_make_tensor_view(b, y, view, TSR_VALUES(n)),
                                    tiles);
  tsr_value xs = tsr_build_load_view_tko(b, x, TSR_VALUES(block), TSR_MEMORY_WEAK);
  tsr_value ys = tsr_build_load_view_tko(b, y, TSR_VALUES(block), TSR_MEMORY_WEAK);
  tsr_value sum = tsr_build_fma(b, tsr_build_splat(b, a, TSR_INTS(TILE)), xs, ys);
  /* The store comes after the load of what it overwrites: the load's second result says so. */
  tsr_build_store_view_tko(b, sum, y, TSR_VALUES(block), TSR_MEMORY_WEAK,
                           .token = tsr_result_of(ys, 1));
  tsr_build_end(b);
  return tsr_builder_finish(b);
}

/* Returns how many elements are wrong, or -1 when it could not be run. */
static int run(tsr_context *ctx, tsr_module *module, const char *device) {
  tsr_device *dev = tsr_device_open(ctx, device, NULL);
  tsr_program *program = tsr_program_create(dev, module);
  tsr_kernel *kernel = tsr_kernel_get(program, NULL);
  int wrong = -1;
  if (kernel) {
    float x[N], y[N];
    for (int i = 0; i < N; i++) x[i] = (float)i, y[i] = 1;
    tsr_arg args[] = {tsr_arg_address(x), tsr_arg_address(y), tsr_arg_f32(2), tsr_arg_i32(N)};
    tsr_status status = tsr_launch(kernel, (tsr_grid){(N + TILE - 1) / TILE, 1, 1}, args, 4);
    wrong = status == TSR_OK ? 0 : -1;
    for (int i = 0; i < N && wrong >= 0; i++) wrong += y[i] != 2 * x[i] + 1;
    printf("on '%s': %s, %d of %d wrong\n", device, tsr_status_name(status), wrong, N);
  }
  tsr_program_destroy(program);
  tsr_device_close(dev);
  return wrong;
}

int main(void) {
  tsr_context_options options = {sizeof options, tsr_diagnostic_print, NULL, NULL, 0};
  tsr_context *ctx = tsr_context_create(&options);
  tsr_module *module = build_saxpy(ctx);
  char *text = tsr_module_print(module, NULL);
  if (text) printf("%s", text);
  tsr_string_free(ctx, text);
  int wrong = run(ctx, module, "cpu");
  if (wrong < 0) wrong = run(ctx, module, "interp"); /* LLVM is not installed: interpret */
  tsr_module_destroy(module);
  tsr_context_destroy(ctx);
  return wrong != 0;
}
