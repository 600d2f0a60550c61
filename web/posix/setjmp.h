/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* setjmp and longjmp for wasm32-wasi, whose library has none. The compiler turns calls of both into
 * WebAssembly exceptions (-mllvm -wasm-enable-sjlj); what it calls for them is in setjmp.c. */
#ifndef TESSERA_WEB_SETJMP_H
#define TESSERA_WEB_SETJMP_H

typedef struct {
  void *invocation; /* of the function that called setjmp */
  unsigned label;   /* of that call within the function */
  struct {
    void *buffer;
    int value;
  } thrown; /* what the exception carries */
} jmp_buf[1];

int setjmp(jmp_buf env) __attribute__((returns_twice));
_Noreturn void longjmp(jmp_buf env, int value);

#endif
