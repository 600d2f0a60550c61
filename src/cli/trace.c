/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/trace.h"

#include "base/json.h"

enum { MOST_BLOCKS = 1 << 20 }; /* viewers do not show more */

bool trace_begin(cli *c, tsr_device *dev, tsr_grid grid, rt_trace *trace) {
  uint64_t blocks = (uint64_t)grid.x * grid.y;
  if (blocks > MOST_BLOCKS || (blocks *= grid.z) > MOST_BLOCKS) {
    cli_error(c, "--trace keeps up to %d tile blocks; launch a smaller grid", MOST_BLOCKS);
    return false;
  }
  *trace =
      (rt_trace){.blocks = arena_array(&c->arena, rt_traced_block, (size_t)blocks), .room = blocks};
  dev->trace = trace;
  return true;
}

/* Threads have numbers in the order in which their first tile blocks come. */
typedef VEC(uint64_t) thread_list;

static unsigned number_of(cli *c, thread_list *threads, uint64_t thread) {
  for (uint32_t i = 0; i < threads->len; i++)
    if (threads->data[i] == thread) return i + 1;
  vec_push(&c->arena, *threads, thread);
  return threads->len;
}

static void put_name(json *j, const char *event, unsigned thread, const char *name) {
  json_open(j, NULL, '{');
  json_text(j, "name", event);
  json_text(j, "ph", "M");
  json_count(j, "pid", 1);
  if (thread) json_count(j, "tid", thread);
  json_open(j, "args", '{');
  json_text(j, "name", name);
  json_close(j, '}');
  json_close(j, '}');
}

/* Microseconds with their thousandths: six digits would not tell blocks of a long launch apart. */
static void put_time(cli *c, json *j, const char *key, uint64_t ns) {
  json_raw(j, key,
           str_of(arena_printf(&c->arena, "%llu.%03u", (unsigned long long)(ns / 1000),
                               (unsigned)(ns % 1000))));
}

static void put_block(cli *c, json *j, const rt_traced_block *b, uint64_t from, unsigned thread) {
  const char *name = arena_printf(&c->arena, "(%u, %u, %u)", b->id[0], b->id[1], b->id[2]);
  json_open(j, NULL, '{');
  json_text(j, "name", name);
  json_text(j, "cat", "tile block");
  json_text(j, "ph", "X");
  put_time(c, j, "ts", b->begin - from);
  put_time(c, j, "dur", b->end - b->begin);
  json_count(j, "pid", 1);
  json_count(j, "tid", thread);
  json_close(j, '}');
}

bool trace_end(cli *c, tsr_device *dev, const char *kernel, const char *path) {
  const rt_trace *trace = dev->trace;
  thread_list threads = {0};
  sbuf out = SBUF(&c->arena);
  json j = JSON(&out);
  uint64_t from = UINT64_MAX;
  dev->trace = NULL;
  for (uint64_t i = 0; i < trace->room; i++)
    if (trace->blocks[i].end) from = MIN(from, trace->blocks[i].begin);
  json_open(&j, NULL, '{');
  json_text(&j, "displayTimeUnit", "ns");
  json_open(&j, "traceEvents", '[');
  put_name(&j, "process_name", 0, arena_printf(&c->arena, "@%s", kernel));
  for (uint64_t i = 0; i < trace->room; i++) {
    const rt_traced_block *b = &trace->blocks[i];
    if (!b->end) continue; /* the launch ended before it */
    unsigned known = threads.len, thread = number_of(c, &threads, b->thread);
    if (thread > known)
      put_name(&j, "thread_name", thread, arena_printf(&c->arena, "thread %u", thread));
    put_block(c, &j, b, from, thread);
  }
  json_close(&j, ']');
  json_close(&j, '}');
  sbuf_putc(&out, '\n');
  return cli_write_result(c, path, out.data, out.len);
}
