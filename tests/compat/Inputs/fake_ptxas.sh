#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Stands for NVIDIA's ptxas: fake_ptxas.sh -arch=SM -v -o CUBIN PTX writes what it was given.
{ echo "$1"; cat "$5"; } >"$4"
