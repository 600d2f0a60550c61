/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The family gemm against its reference.
 */
#include "ops_run.h"

static const char *const examples[] = {
    "gemm:m=5,n=7,k=9",
    "gemm:m=64,n=64,k=64,type=bf16",
    "gemm:m=33,n=65,k=17,a=column",
    "gemm:m=33,n=65,k=17,b=column",
    "gemm:m=33,n=65,k=17,c=column",
    "gemm:m=33,n=65,k=17,a=column,b=column,c=column",
    "gemm:m=20,n=30,k=40,batch=3,alpha=2,beta=-0.5",
    "gemm:m=20,n=30,k=40,inca=2,incb=3,incc=2",
    "gemm:m=20,n=30,k=200,split_k=4",
    "gemm:m=20,n=30,k=200,split_k=3,batch=2,epilogue=bias:n+gelu+residual",
    "gemm:type=i8,m=20,n=30,k=40",
    "gemm:type=u8,type_b=i8,m=20,n=30,k=40,type_c=i8",
    "gemm:type=f64,m=20,n=30,k=40",
    "gemm:type=tf32,m=20,n=30,k=40",
    "gemm:type=f32,compute=tf32,m=20,n=30,k=40",
    "gemm:type=f16,accumulate=f16,m=20,n=30,k=40",
    "gemm:type=f8E4M3FN,m=20,n=30,k=40,epilogue=scale:tensor+cast:bf16",
    "gemm:type_a=f8E4M3FN,type_b=f8E5M2,m=20,n=30,k=40",
    "gemm:type=f8E4M3FNUZ,type_b=f8E5M2FNUZ,m=20,n=30,k=40",
    "gemm:type=bf16,type_b=i4,m=20,n=32,k=40,scale_b=column",
    "gemm:type=bf16,type_b=i4,m=20,n=32,k=40,scale_b=group,group=32",
    "gemm:type=bf16,type_b=f4E2M1FN,m=20,n=32,k=40,scale_b=group,group=16",
    "gemm:type=f16,type_b=f6E2M3FN,m=20,n=32,k=40,scale_b=column",
    "gemm:type=f8E4M3FN,m=70,n=130,k=200,scale_a=group,scale_b=group,group_n=128",
    "gemm:type=i8,m=20,n=30,k=40,scale_a=row,scale_b=column,epilogue=bias:n:f32+cast:f16",
    "gemm:type=bf16,m=20,n=30,k=40,epilogue=relu+quantise:n:i8",
    "gemm:m=0,n=7,k=9",
    "gemm:m=5,n=7,k=0,epilogue=bias:n",
    "gemm:m=5,n=7,k=0,beta=2",
    "gemm:m=1,n=300,k=50,type=bf16",
};

static void examples_are_right(void **state) {
  (void)state;
  static const char *const devices[] = {"interp", "cpu"};
  for (size_t d = 0; d < ARRAY_LEN(devices); d++) {
    world w;
    ops_scene s;
    world_open(&w);
    ops_open(&s, &w, devices[d]);
    for (size_t i = 0; i < ARRAY_LEN(examples); i++) ops_run(&s, examples[i]);
    ops_close(&s);
    world_close(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(examples_are_right)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
