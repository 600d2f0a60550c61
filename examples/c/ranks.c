/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Several ranks: each adds its part of a sum with a kernel, all get the whole by an all-reduce, and
 * each tells the next one by a signal in symmetric memory. Run it from the top of the repository:
 *
 *   mpirun -n 4 build/examples/ranks
 */
#include <stdio.h>
#include <tessera/tessera.h>

enum { N = 1000, FLAG = N * sizeof(float) };

/* This rank's part of x: the numbers from rank * N on, added to themselves. */
static tsr_status add(tsr_context *context, tsr_device *device, tsr_buffer *x, unsigned rank) {
  tsr_module *module = tsr_module_load(context, "kernels/saxpy.mlir", 0);
  tsr_program *program = tsr_program_create(device, module);
  tsr_kernel *kernel = tsr_kernel_get(program, "saxpy_f32");
  float numbers[N];
  for (int i = 0; i < N; i++) numbers[i] = (float)(rank * N + (unsigned)i);
  tsr_arg args[] = {tsr_arg_address(numbers), tsr_arg_buffer(x), tsr_arg_f32(2), tsr_arg_i64(N)};
  tsr_status status = tsr_launch(kernel, (tsr_grid){1, 1, 1}, args, 4);
  tsr_program_destroy(program);
  tsr_module_destroy(module);
  return status;
}

static tsr_status run(tsr_context *context, tsr_device *device, tsr_ranks *all) {
  unsigned rank = tsr_ranks_rank(all), size = tsr_ranks_size(all), next = (rank + 1) % size;
  tsr_symmetric *memory = tsr_symmetric_create(all, device, FLAG + 8);
  if (!memory) return TSR_ERROR_MEMORY;
  tsr_buffer *x = tsr_symmetric_buffer(memory);
  tsr_status status = add(context, device, x, rank);
  double sum = 0, total = 0;
  const float *values = tsr_buffer_data(x);
  for (int i = 0; i < N; i++) sum += values[i];
  if (status == TSR_OK)
    status = tsr_ranks_all_reduce(all, &sum, &total, 1, TSR_F64, TSR_REDUCE_SUM, TSR_SHOTS_AUTO);
  if (status == TSR_OK) status = tsr_symmetric_notify(memory, next, FLAG, TSR_NOTIFY_SET, rank + 1);
  uint64_t before = 0;
  if (status == TSR_OK) status = tsr_symmetric_wait(memory, FLAG, TSR_WAIT_NOT_EQUAL, 0, &before);
  printf("rank %u of %u: %g of %g, told by rank %d\n", rank, size, sum, total, (int)before - 1);
  tsr_symmetric_destroy(memory);
  return status;
}

int main(void) {
  tsr_context_options options = {.struct_size = sizeof options,
                                 .on_diagnostic = tsr_diagnostic_print};
  tsr_context *context = tsr_context_create(&options);
  tsr_device *device = tsr_device_open(context, "interp", NULL);
  tsr_ranks *all = tsr_ranks_join(context, NULL);
  tsr_status status = all ? run(context, device, all) : TSR_ERROR_UNSUPPORTED;
  fflush(stdout);
  tsr_ranks_leave(all);
  tsr_device_close(device);
  tsr_context_destroy(context);
  return status != TSR_OK;
}
