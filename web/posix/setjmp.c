/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What code compiled with -mllvm -wasm-enable-sjlj calls for setjmp and longjmp: a long jump is an
 * exception, which each function that called setjmp catches, asks whether it is for one of its own
 * calls, and else throws on (LLVM's WebAssemblyLowerEmscriptenEHSjLj.cpp).
 */
#include <setjmp.h>
#include <stdint.h>

void __wasm_setjmp(jmp_buf env, uint32_t label, void *invocation);
uint32_t __wasm_setjmp_test(jmp_buf env, void *invocation);
_Noreturn void __wasm_longjmp(jmp_buf env, int value);

enum { C_LONGJMP = 1 }; /* the compiler's number of the tag below, which carries an address */
__asm__(".globl __c_longjmp\n"
        ".tagtype __c_longjmp i32\n"
        "__c_longjmp:\n");

void __wasm_setjmp(jmp_buf env, uint32_t label, void *invocation) {
  env->label = label;
  env->invocation = invocation;
}

/* The label of the call of setjmp in this invocation that `env` comes from; 0: it is of another. */
uint32_t __wasm_setjmp_test(jmp_buf env, void *invocation) {
  return env->invocation == invocation ? env->label : 0;
}

_Noreturn void __wasm_longjmp(jmp_buf env, int value) {
  env->thrown.buffer = env;
  env->thrown.value = value ? value : 1;
  __builtin_wasm_throw(C_LONGJMP, &env->thrown);
}
