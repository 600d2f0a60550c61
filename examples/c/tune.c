/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How large should the tiles of y = a * x + y be? Candidates are built operation by operation and
 * timed; what is found is kept, so that a second run measures nothing. */
#include <stdio.h>
#include <tessera/tessera.h>

enum { N = 1 << 20 };

static tsr_module *build_saxpy(void *user, const tsr_tune_choice *choice) {
  int64_t tile;
  tsr_tune_choice_int(choice, "TILE", &tile);
  tsr_builder *b = tsr_builder_create(user, "example");
  tsr_type f32 = tsr_type_scalar(b, TSR_F32), i32 = tsr_type_scalar(b, TSR_I32);
  tsr_type ptr = tsr_type_pointer(b, TSR_F32);
  tsr_type view = tsr_type_tensor_view(b, TSR_F32, TSR_INTS(TSR_DYNAMIC), TSR_INTS(1));
  tsr_type tiles =
      tsr_type_partition_view(b, TSR_INTS(tile), view, (tsr_ints){0}, TSR_PADDING_NONE);

  tsr_build_entry(b, "saxpy", TSR_TYPES(ptr, ptr, f32, i32));
  tsr_value x = tsr_build_arg(b, 0), y = tsr_build_arg(b, 1);
  tsr_value a = tsr_build_arg(b, 2), n = tsr_build_arg(b, 3);
  tsr_value block = tsr_build_get_tile_block_id(b);
  x = tsr_build_make_partition_view(b, tsr_build_make_tensor_view(b, x, view, TSR_VALUES(n)),
                                    tiles);
  y = tsr_build_make_partition_view(b, tsr_build_make_tensor_view(b, y, view, TSR_VALUES(n)),
                                    tiles);
  tsr_value xs = tsr_build_load_view_tko(b, x, TSR_VALUES(block), TSR_MEMORY_WEAK);
  tsr_value ys = tsr_build_load_view_tko(b, y, TSR_VALUES(block), TSR_MEMORY_WEAK);
  tsr_value sum = tsr_build_fma(b, tsr_build_splat(b, a, TSR_INTS(tile)), xs, ys);
  tsr_build_store_view_tko(b, sum, y, TSR_VALUES(block), TSR_MEMORY_WEAK,
                           .token = tsr_result_of(ys, 1));
  tsr_build_end(b);
  return tsr_builder_finish(b);
}

static void show(void *user, const tsr_diagnostic *message) {
  char line[2048];
  tsr_diagnostic_format(message, false, line, sizeof line);
  fprintf(stderr, "%s\n", line);
  (void)user;
}

static void show_result(const tsr_tuned *tuned) {
  char text[64];
  tsr_tune_choice_text(tsr_tuned_choice(tuned), text, sizeof text);
  printf("%s takes %.4f ms%s\n", text, tsr_tuned_ms(tuned),
         tsr_tuned_source(tuned) == TSR_TUNE_RECORD ? ", as is known from an earlier run" : "");
}

int main(void) {
  tsr_context_options options = {.struct_size = sizeof options, .on_diagnostic = show};
  tsr_context *ctx = tsr_context_create(&options);
  tsr_device *dev = tsr_device_open(ctx, "cpu", NULL);
  tsr_tuning_store *store = tsr_tuning_store_open(ctx, NULL);
  tsr_tune_space *space = tsr_tune_space_create(ctx);
  if (!dev || !store || !space) return 1;
  tsr_tune_space_add_ints(space, "TILE", (int64_t[]){1024, 256, 4096, 16384}, 4);
  tsr_tune_space_set_size(space, "n", N);

  tsr_buffer *x = tsr_buffer_create(dev, N * sizeof(float));
  tsr_buffer *y = tsr_buffer_create(dev, N * sizeof(float));
  if (!x || !y) return 1;
  for (int i = 0; i < N; i++) ((float *)tsr_buffer_data(x))[i] = (float)i;
  tsr_arg args[] = {tsr_arg_buffer(x), tsr_arg_buffer(y), tsr_arg_f32(2), tsr_arg_i32(N)};
  tsr_tune_problem problem = {.struct_size = sizeof problem,
                              .device = dev,
                              .space = space,
                              .build = build_saxpy,
                              .user = ctx,
                              .grid = "cdiv(n, TILE)",
                              .args = args,
                              .n_args = 4};
  tsr_tune_options how = {.struct_size = sizeof how, .seconds = 1, .store = store};
  tsr_tuned *tuned = tsr_tune(&problem, &how);
  if (!tuned) return 1;
  show_result(tuned);
  if (tsr_launch(tsr_tuned_kernel(tuned), tsr_tuned_grid(tuned), args, 4) != TSR_OK) return 1;
  printf("y[5] = %g\n", ((float *)tsr_buffer_data(y))[5]);

  tsr_tuned_destroy(tuned);
  tsr_buffer_destroy(x);
  tsr_buffer_destroy(y);
  tsr_tune_space_destroy(space);
  tsr_tuning_store_close(store);
  tsr_device_close(dev);
  tsr_context_destroy(ctx);
  return 0;
}
