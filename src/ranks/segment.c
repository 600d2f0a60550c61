/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Segments: memory that every rank has, of one size.
 */
#include "ranks/ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- making --------------------------------------------------------------------------------- */

/* Bytes that this machine could still give; SIZE_MAX: not known. */
static size_t available(void) {
  char line[128];
  unsigned long long kib;
  size_t bytes = SIZE_MAX;
  FILE *f = fopen("/proc/meminfo", "re");
  while (f && fgets(line, sizeof line, f))
    if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1) bytes = (size_t)kib << 10;
  if (f) fclose(f);
  return bytes;
}

/* Pages are taken now, so that too little memory is an error and not a signal later. */
static int take_memory(size_t bytes) {
  if (bytes > available()) return -1;
  int file = memfd_create("tessera", MFD_CLOEXEC);
  if (file < 0) return -1;
  if (ftruncate(file, (off_t)bytes) == 0 && posix_fallocate(file, 0, (off_t)bytes) == 0)
    return file;
  close(file);
  return -1;
}

static char *map_file(int file, size_t bytes) {
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

static void free_segment(tsr_ranks *r, ranks_segment *s) {
  for (unsigned k = 0; s->peers && k < r->size; k++)
    if (s->peers[k]) munmap(s->peers[k], s->mapped);
  if (s->peers) ctx_free(r->ctx, s->peers, r->size * sizeof *s->peers);
  ctx_free(r->ctx, s, sizeof *s);
}

ranks_segment *ranks_segment_make(tsr_ranks *r, size_t bytes, int *file) {
  *file = -1;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  if (bytes > SIZE_MAX / 4) return NULL;
  ranks_segment *s = ctx_try_alloc(r->ctx, sizeof *s);
  if (!s) return NULL;
  *s = (ranks_segment){
      .id = r->next_id, .bytes = bytes, .mapped = (MAX(bytes, (size_t)1) + page - 1) & ~(page - 1)};
  s->peers = ctx_try_alloc(r->ctx, r->size * sizeof *s->peers);
  if (s->peers) memset(s->peers, 0, r->size * sizeof *s->peers);
  if (s->peers) *file = take_memory(s->mapped);
  if (*file >= 0) s->own = s->peers[r->rank] = map_file(*file, s->mapped);
  if (s->own) return s;
  if (*file >= 0) close(*file);
  *file = -1;
  free_segment(r, s);
  return NULL;
}

bool ranks_segment_map(tsr_ranks *r, ranks_segment *s, unsigned rank, const ranks_record *record) {
  if (rank == r->rank || !r->peers[rank].near) return true;
  char path[64];
  snprintf(path, sizeof path, "/proc/%lld/fd/%d", (long long)record->process, record->file);
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return false;
  s->peers[rank] = map_file(file, s->mapped);
  close(file);
  return s->peers[rank] != NULL;
}

static void keep_segment(tsr_ranks *r, ranks_segment *s) {
  pthread_mutex_lock(&r->lock);
  s->next = r->segments;
  r->segments = s;
  pthread_mutex_unlock(&r->lock);
}

ranks_segment *ranks_segment_find(tsr_ranks *r, uint32_t id) {
  pthread_mutex_lock(&r->lock);
  ranks_segment *s = r->segments;
  while (s && s->id != id) s = s->next;
  pthread_mutex_unlock(&r->lock);
  return s;
}

/* A rank that has no memory says so in its record, and then none has it. */
ranks_segment *ranks_segment_create(tsr_ranks *r, ranks_call call, size_t bytes) {
  ranks_record record = {.call = call, .bytes = bytes};
  if (!ranks_agree(r, &record)) return NULL;
  int file;
  ranks_segment *s = ranks_segment_make(r, bytes, &file);
  r->next_id++;
  if (s) keep_segment(r, s);
  record.status = s ? TSR_OK : TSR_ERROR_MEMORY;
  record.process = getpid();
  record.file = file;
  bool good = ranks_agree(r, &record), mapped = true;
  for (unsigned k = 0; good && k < r->size; k++)
    mapped &= ranks_segment_map(r, s, k, ranks_record_of(r, k));
  record.status = mapped ? TSR_OK : TSR_ERROR_IO;
  good = good && ranks_agree(r, &record);
  if (file >= 0) close(file);
  if (good) return s;
  if (s) ranks_segment_destroy(r, s);
  return NULL;
}

void ranks_segment_destroy(tsr_ranks *r, ranks_segment *s) {
  pthread_mutex_lock(&r->lock);
  for (ranks_segment **p = &r->segments; *p; p = &(*p)->next)
    if (*p == s) {
      *p = s->next;
      break;
    }
  pthread_mutex_unlock(&r->lock);
  free_segment(r, s);
}

/* ---- using ---------------------------------------------------------------------------------- */

void ranks_put(tsr_ranks *r, ranks_segment *s, unsigned to, size_t offset, const void *data,
               size_t bytes) {
  if (!bytes) return;
  if (s->peers[to])
    memcpy(s->peers[to] + offset, data, bytes);
  else
    ranks_remote_put(r, s->id, to, offset, data, bytes);
}

static _Atomic uint64_t *word_at(char *memory, size_t offset) {
  return (_Atomic uint64_t *)(void *)(memory + offset);
}

void ranks_set(tsr_ranks *r, ranks_segment *s, unsigned to, size_t offset, uint64_t value) {
  if (s->peers[to])
    atomic_store_explicit(word_at(s->peers[to], offset), value, memory_order_release);
  else
    ranks_remote_word(r, s->id, to, offset, value, false);
}

void ranks_add(tsr_ranks *r, ranks_segment *s, unsigned to, size_t offset, uint64_t value) {
  if (s->peers[to])
    atomic_fetch_add_explicit(word_at(s->peers[to], offset), value, memory_order_acq_rel);
  else
    ranks_remote_word(r, s->id, to, offset, value, true);
}

static bool wait_for_answer(tsr_ranks *r, unsigned rank, _Atomic uint32_t *done) {
  ranks_patience p = ranks_begin_waiting(r);
  while (!atomic_load_explicit(done, memory_order_acquire))
    if (!ranks_wait_more(&p, rank)) {
      ranks_remote_forget(r);
      return false;
    }
  return true;
}

bool ranks_get(tsr_ranks *r, ranks_segment *s, unsigned from, size_t offset, void *data,
               size_t bytes) {
  if (!bytes) return true;
  if (s->peers[from]) {
    memcpy(data, s->peers[from] + offset, bytes);
    return true;
  }
  _Atomic uint32_t done = 0;
  r->call = RANKS_GET;
  ranks_remote_get(r, s->id, from, offset, data, bytes, &done);
  return wait_for_answer(r, from, &done);
}

bool ranks_fence(tsr_ranks *r) {
  atomic_thread_fence(memory_order_seq_cst);
  for (unsigned k = 0; k < r->size; k++) {
    if (!r->peers[k].used) continue;
    r->peers[k].used = false;
    _Atomic uint32_t done = 0;
    r->call = RANKS_FENCE;
    ranks_remote_fence(r, k, &done);
    if (!wait_for_answer(r, k, &done)) return false;
  }
  return true;
}
