/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * y = a * x + y on 1000 numbers: a kernel from text, compiled, run, checked. */
#include <stdio.h>
#include <string.h>
#include <tessera/tessera.h>

#define VIEW  "tensor_view<?xf32, strides=[1]>"
#define TILES "partition_view<tile=(128), " VIEW ">"

static const char text[] =
    "cuda_tile.module @example {\n"
    "  entry @saxpy(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %a: tile<f32>, %n: tile<i32>) {\n"
    "    %i, %j, %k = get_tile_block_id : tile<i32>\n"
    "    %xv = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> " VIEW "\n"
    "    %yv = make_tensor_view %y, shape = [%n], strides = [1] : tile<i32> -> " VIEW "\n"
    "    %xt = make_partition_view %xv : " TILES "\n"
    "    %yt = make_partition_view %yv : " TILES "\n"
    "    %xs, %t0 = load_view_tko weak %xt[%i] : " TILES ", tile<i32> -> tile<128xf32>, token\n"
    "    %ys, %t1 = load_view_tko weak %yt[%i] : " TILES ", tile<i32> -> tile<128xf32>, token\n"
    "    %a1 = reshape %a : tile<f32> -> tile<1xf32>\n"
    "    %as = broadcast %a1 : tile<1xf32> -> tile<128xf32>\n"
    "    %r = fma %as, %xs, %ys : tile<128xf32>\n"
    "    %t2 = store_view_tko weak %r, %yt[%i] token=%t1 : tile<128xf32>, " TILES
    ", tile<i32> -> token\n"
    "  }\n"
    "}\n";

int main(void) {
  enum { N = 1000 }; /* 7.8 tiles of 128: the views know where the numbers end */
  tsr_context_options options = {sizeof options, tsr_diagnostic_print, NULL, NULL, 0};
  tsr_context *ctx = tsr_context_create(&options);
  tsr_module *module = tsr_module_parse(ctx, text, strlen(text), "saxpy.mlir", 0);
  tsr_device *dev = tsr_device_open(ctx, "cpu", NULL);
  tsr_program *program = tsr_program_create(dev, module);
  tsr_kernel *kernel = tsr_kernel_get(program, "saxpy");
  if (!kernel) { /* LLVM is not installed: interpret */
    tsr_program_destroy(program);
    tsr_device_close(dev);
    dev = tsr_device_open(ctx, "interp", NULL);
    program = tsr_program_create(dev, module);
    kernel = tsr_kernel_get(program, "saxpy");
  }
  if (!kernel) return 1;
  tsr_buffer *x = tsr_buffer_create(dev, N * sizeof(float));
  tsr_buffer *y = tsr_buffer_create(dev, N * sizeof(float));
  float *xs = tsr_buffer_data(x), *ys = tsr_buffer_data(y);
  for (int i = 0; i < N; i++) xs[i] = (float)i, ys[i] = 1;
  tsr_arg args[] = {tsr_arg_buffer(x), tsr_arg_buffer(y), tsr_arg_f32(2), tsr_arg_i32(N)};
  tsr_status status = tsr_launch(kernel, (tsr_grid){(N + 127) / 128, 1, 1}, args, 4);
  int wrong = 0;
  for (int i = 0; i < N; i++) wrong += ys[i] != 2 * xs[i] + 1;
  printf("saxpy: %s, %d of %d wrong, y[%d] = %g\n", tsr_status_name(status), wrong, N, N - 1,
         ys[N - 1]);
  tsr_buffer_destroy(x);
  tsr_buffer_destroy(y);
  tsr_program_destroy(program);
  tsr_device_close(dev);
  tsr_module_destroy(module);
  tsr_context_destroy(ctx);
  return status != TSR_OK || wrong;
}
