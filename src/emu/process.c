/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Linux lists a process' memory in /proc/self/maps, by address: "BEGIN-END rwxp ...".
 */
#include "emu/process.h"

#include <inttypes.h>
#include <stdio.h>

/* One line. What is not readable has no rights. */
typedef struct map_line {
  uint64_t begin, end;
  bool readable, writable;
} map_line;

static bool read_line(FILE *file, map_line *out) {
  char line[512], rights[5] = "";
  do {
    if (!fgets(line, sizeof line, file)) return false;
  } while (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &out->begin, &out->end, rights) != 3);
  out->readable = rights[0] == 'r';
  out->writable = rights[1] == 'w';
  return true;
}

/* Whether the line goes on where the place ends. */
static bool goes_on(const process_place *p, const map_line *l) {
  return l->readable && l->begin == p->end && l->writable == p->writable;
}

static bool find_in(FILE *file, uint64_t address, process_place *out) {
  map_line l;
  bool open = false;
  while (read_line(file, &l)) {
    if (open && goes_on(out, &l)) {
      out->end = l.end;
      continue;
    }
    if (open && address < out->end) break;
    open = l.readable;
    if (open) *out = (process_place){.begin = l.begin, .end = l.end, .writable = l.writable};
    if (l.begin > address) return false;
  }
  return open && out->begin <= address && address < out->end;
}

bool process_find(uint64_t address, process_place *out) {
  FILE *file = fopen("/proc/self/maps", "re");
  bool found = file && find_in(file, address, out);
  if (file) fclose(file);
  return found;
}
