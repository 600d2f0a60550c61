/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What RDNA's assembly language calls instructions that CDNA has by another name.
 */
#ifndef TSR_EMU_AMDGCN_NAMES_H
#define TSR_EMU_AMDGCN_NAMES_H

#include "base/base.h"

/* The name of the row: `name` itself where nothing else is known. `room` is where it may be made.
 */
enum { GCN_NAME_ROOM = 64 };
str gcn_row_name(str name, char room[GCN_NAME_ROOM]);

#endif
