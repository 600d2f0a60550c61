/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * From a file to a result in the fewest calls; run it from the top of the repository. */
#include <stdio.h>
#include <tessera/tessera.h>

int main(void) {
  tsr_context_options options = {.struct_size = sizeof options,
                                 .on_diagnostic = tsr_diagnostic_print};
  tsr_context *context = tsr_context_create(&options);
  tsr_module *module = tsr_module_load(context, "kernels/saxpy.mlir", 0);
  tsr_device *device = tsr_device_open(context, "interp", NULL); /* "cpu" compiles, with LLVM */
  tsr_program *program = tsr_program_create(device, module);
  tsr_kernel *kernel = tsr_kernel_get(program, "saxpy_f32");
  float x[] = {1, 2, 3, 4, 5}, y[] = {10, 20, 30, 40, 50};
  tsr_arg args[] = {tsr_arg_address(x), tsr_arg_address(y), tsr_arg_f32(2), tsr_arg_i64(5)};
  tsr_status status = tsr_launch(kernel, (tsr_grid){1, 1, 1}, args, 4);
  printf("%s: %g %g %g %g %g\n", tsr_status_name(status), y[0], y[1], y[2], y[3], y[4]);
  tsr_program_destroy(program);
  tsr_device_close(device);
  tsr_module_destroy(module);
  tsr_context_destroy(context);
  return status != TSR_OK || y[4] != 60;
}
