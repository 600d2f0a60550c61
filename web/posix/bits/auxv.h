/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* <elf.h> of the host includes this; a page has no auxiliary vector. */
