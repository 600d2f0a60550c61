/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Declarations that the headers of wasi-libc leave out; every file is compiled with them. missing.c
 * has the functions.
 */
#ifndef TESSERA_WEB_MISSING_H
#define TESSERA_WEB_MISSING_H

#include <stddef.h>

#include <__typedef_mode_t.h>
#include <__typedef_uid_t.h>

char *secure_getenv(const char *name);
uid_t geteuid(void);
char *realpath(const char *__restrict path, char *__restrict to);
int fchmod(int fd, mode_t mode);
int flock(int fd, int how);
int dup(int fd);
int execvp(const char *file, char *const arguments[]);
int madvise(void *first, size_t size, int advice);
int mincore(void *first, size_t size, unsigned char *resident);

#endif
