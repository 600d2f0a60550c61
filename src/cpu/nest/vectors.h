/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/nest/vectors.h: the instructions that load and store lanes, wherever their addresses come
 * from.
 */
#ifndef TSR_CPU_NEST_VECTORS_H
#define TSR_CPU_NEST_VECTORS_H

#include "cpu/core/core.h"

/* `count` lanes from `first` on; and several vectors, one behind the other. */
llv lanes_slice(lower *l, llv v, unsigned first, unsigned count);
llv lanes_join(lower *l, llv *pieces, unsigned count);
/* Bytes of an element of this type in memory. */
unsigned lanes_elem_bytes(LLVMTypeRef elem);

/* In each of these the mask is of i1, and NULL when everything exists. A value of that type at an
 * address. */
llv lanes_load(lower *l, LLVMTypeRef type, llv ptr, llv mask);
void lanes_store(lower *l, llv v, llv ptr, llv mask);
/* Lanes that follow each other; in the second, what doesn't exist is `other`'s. */
llv lanes_load_vector(lower *l, LLVMTypeRef elem, unsigned count, llv ptr, llv mask);
llv lanes_load_some(lower *l, llv ptr, llv mask, llv other);
void lanes_store_vector(lower *l, llv v, llv ptr, llv mask);
/* The last lane first. */
llv lanes_reverse(lower *l, llv v);
/* Lanes whose addresses (i64) are anywhere. */
llv lanes_gather(lower *l, LLVMTypeRef elem, llv addresses, llv mask);
void lanes_scatter(lower *l, llv v, llv addresses, llv mask);
/* Does the processor load some lanes of a vector of these at once? */
bool lanes_have_masked_loads(const emit *e, LLVMTypeRef elem);
/* An i1: does all of it exist? */
llv lanes_all(lower *l, llv mask);
/* A whole vector, aligned, with a non-temporal store. */
void lanes_store_nontemporal(lower *l, llv v, llv ptr);

#endif
