/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * c = relu(a * b + bias) by an operator: no kernel is written, one is made for the types, the
 * layouts and the epilogue. */
#include <stdio.h>
#include <tessera/op.h>
#include <tessera/tessera.h>

enum { M = 50, N = 30, K = 20 };

static const tsr_op_setting sizes[] = {TSR_OP_INT("m", M), TSR_OP_INT("n", N), TSR_OP_INT("k", K)};
static const tsr_op_problem problem = {.struct_size = sizeof problem,
                                       .text = "gemm:type=f32,b=column,epilogue=bias:n+relu",
                                       .settings = sizes,
                                       .n_settings = 3};
static float a[M][K], b[N][K], bias[N], c[M][N];

static void fill(void) {
  for (int i = 0; i < M; i++)
    for (int k = 0; k < K; k++) a[i][k] = (float)((i + 2 * k) % 5 - 2);
  for (int j = 0; j < N; j++)
    for (int k = 0; k < K; k++) b[j][k] = (float)((3 * j + k) % 7 - 3);
  for (int j = 0; j < N; j++) bias[j] = (float)j;
}

static int count_wrong(void) {
  int wrong = 0;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      float x = bias[j];
      for (int k = 0; k < K; k++) x += a[i][k] * b[j][k];
      wrong += c[i][j] != (x > 0 ? x : 0);
    }
  return wrong;
}

static tsr_status multiply(tsr_context *ctx, const char *name) {
  tsr_device *dev = tsr_device_open(ctx, name, NULL);
  tsr_op_library *ops = dev ? tsr_op_library_create(dev, NULL) : NULL;
  tsr_op_plan *plan = ops ? tsr_op_plan_get(ops, &problem) : NULL;
  tsr_op_argument args[] = {{"a", tsr_arg_address(a)},
                            {"b", tsr_arg_address(b)},
                            {"bias", tsr_arg_address(bias)},
                            {"c", tsr_arg_address(c)},
                            {"workspace", tsr_arg_address(NULL)}};
  size_t bytes = plan ? tsr_op_plan_workspace(plan) : 0;
  tsr_buffer *workspace = bytes ? tsr_buffer_create(dev, bytes) : NULL;
  if (workspace) args[4].arg = tsr_arg_buffer(workspace);
  tsr_status status = plan ? tsr_op_launch(plan, NULL, args, bytes ? 5 : 4) : TSR_ERROR_UNSUPPORTED;
  if (plan) printf("%s\n", tsr_op_plan_instance(plan));
  tsr_buffer_destroy(workspace);
  tsr_op_library_destroy(ops);
  tsr_device_close(dev);
  return status;
}

int main(void) {
  tsr_context_options options = {sizeof options, tsr_diagnostic_print, NULL, NULL, 0};
  tsr_context *ctx = tsr_context_create(&options);
  fill();
  tsr_status status = multiply(ctx, "cpu");
  if (status != TSR_OK) status = multiply(ctx, "interp"); /* LLVM is not installed */
  int wrong = count_wrong();
  printf("gemm: %s, %d of %d wrong\n", tsr_status_name(status), wrong, M * N);
  tsr_context_destroy(ctx);
  return status != TSR_OK || wrong;
}
