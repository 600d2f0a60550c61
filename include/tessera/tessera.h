/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tessera: a tile-kernel compiler and runtime. This header includes all the others.
 */
#ifndef TESSERA_TESSERA_H
#define TESSERA_TESSERA_H

#include <tessera/base.h>
#include <tessera/build.h>
#include <tessera/descriptor.h>
#include <tessera/elem.h>
#include <tessera/layout.h>
#include <tessera/module.h>
#include <tessera/op.h>
#include <tessera/op_ranks.h>
#include <tessera/opt.h>
#include <tessera/ptx.h>
#include <tessera/ranks.h>
#include <tessera/runtime.h>
#include <tessera/stream.h>
#include <tessera/tune.h>
#include <tessera/window.h>

#endif
