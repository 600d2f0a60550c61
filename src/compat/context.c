/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Contexts: the primary one, others, and each thread's stack of them, of which the top is current.
 */
#include "compat/driver.h"

enum { STACK_MAX = 64 };

/* Handles, so that a context destroyed by another thread is noticed. */
static __thread CUcontext thread_stack[STACK_MAX];
static __thread unsigned thread_depth;

static struct {
  pthread_mutex_t lock;
  drv_context *primary; /* referenced; NULL: nobody has retained it */
  unsigned retained;
  unsigned flags;
  unsigned long long ids;
} contexts = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- making and destroying ------------------------------------------------------------------ */

static void set_limits(drv_context *ctx) {
  ctx->limits[CU_LIMIT_STACK_SIZE] = 1024;
  ctx->limits[CU_LIMIT_PRINTF_FIFO_SIZE] = 1 << 20;
  ctx->limits[CU_LIMIT_MALLOC_HEAP_SIZE] = 8 << 20;
  ctx->limits[CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64;
}

/* Under the lock. */
static drv_context *context_new(unsigned flags, bool primary) {
  drv_context *ctx = object_new(OBJECT_CONTEXT, sizeof *ctx, NULL);
  if (!ctx) return NULL;
  ctx->id = ++contexts.ids;
  ctx->flags = flags;
  ctx->primary = primary;
  pthread_rwlock_init(&ctx->default_turn, NULL);
  set_limits(ctx);
  ctx->legacy = stream_new(ctx, CU_STREAM_DEFAULT, 0);
  ctx->per_thread = stream_new(ctx, CU_STREAM_DEFAULT, 0);
  if (ctx->legacy && ctx->per_thread) {
    ctx->legacy->is_legacy = true;
    KEEP(ctx->legacy); /* for calls that are under way when the context is destroyed */
    KEEP(ctx->per_thread);
    return ctx;
  }
  ctx->legacy = ctx->per_thread = NULL;
  object_close_owned(ctx);
  object_close(&ctx->base);
  return NULL;
}

void context_destroy(drv_context *ctx) {
  PUT(ctx->legacy);
  PUT(ctx->per_thread);
  memory_free_owned(ctx);
  pthread_rwlock_destroy(&ctx->default_turn);
}

/* Its streams, modules and so on become invalid now; memory goes with the last call under way. */
static void context_close(drv_context *ctx) {
  late_finish();
  object_close_owned(ctx);
  object_close(&ctx->base);
}

/* ---- the primary context -------------------------------------------------------------------- */

drv_context *context_primary(void) {
  pthread_mutex_lock(&contexts.lock);
  if (!contexts.primary) {
    contexts.primary = context_new(contexts.flags, true);
    if (contexts.primary) KEEP(contexts.primary);
  }
  drv_context *ctx = contexts.primary;
  if (ctx) KEEP(ctx);
  pthread_mutex_unlock(&contexts.lock);
  return ctx;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice dev) {
  CUresult r = initialised();
  if (r) return r;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (!device_exists(dev)) return CUDA_ERROR_INVALID_DEVICE;
  drv_context *ctx = context_primary();
  if (!ctx) return CUDA_ERROR_OUT_OF_MEMORY;
  pthread_mutex_lock(&contexts.lock);
  contexts.retained++;
  pthread_mutex_unlock(&contexts.lock);
  *out = HANDLE(CUcontext, ctx);
  PUT(ctx);
  return CUDA_SUCCESS;
}

static CUresult primary_reset(bool release) {
  pthread_mutex_lock(&contexts.lock);
  drv_context *ctx = contexts.primary;
  bool known = ctx && (!release || contexts.retained);
  bool last = known && (!release || --contexts.retained == 0);
  if (last) {
    contexts.primary = NULL;
    contexts.retained = 0;
  }
  pthread_mutex_unlock(&contexts.lock);
  if (!known) return release ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
  if (last) {
    context_close(ctx);
    PUT(ctx);
  }
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice dev) {
  CUresult r = initialised();
  if (r) return r;
  return device_exists(dev) ? primary_reset(true) : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice dev) {
  CUresult r = initialised();
  if (r) return r;
  return device_exists(dev) ? primary_reset(false) : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags) {
  CUresult r = initialised();
  if (r) return r;
  if (!device_exists(dev)) return CUDA_ERROR_INVALID_DEVICE;
  if (flags & ~(unsigned)CU_CTX_FLAGS_MASK) return CUDA_ERROR_INVALID_VALUE;
  pthread_mutex_lock(&contexts.lock);
  contexts.flags = flags;
  if (contexts.primary) contexts.primary->flags = flags;
  pthread_mutex_unlock(&contexts.lock);
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active) {
  CUresult r = initialised();
  if (r) return r;
  if (!device_exists(dev)) return CUDA_ERROR_INVALID_DEVICE;
  pthread_mutex_lock(&contexts.lock);
  if (flags) *flags = contexts.flags;
  if (active) *active = contexts.primary != NULL;
  pthread_mutex_unlock(&contexts.lock);
  return CUDA_SUCCESS;
}

/* ---- the stack of a thread ------------------------------------------------------------------ */

static bool stack_push(CUcontext ctx) {
  if (thread_depth == STACK_MAX) return false;
  thread_stack[thread_depth++] = ctx;
  return true;
}

CUresult enter_anyway(drv_context **ctx) {
  CUresult r = initialised();
  if (r) return r;
  if (!thread_depth) return CUDA_ERROR_INVALID_CONTEXT;
  *ctx = GET(OBJECT_CONTEXT, thread_stack[thread_depth - 1]);
  return *ctx ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

CUresult enter(drv_context **ctx) {
  CUresult r = enter_anyway(ctx);
  if (r) return r;
  r = (CUresult)atomic_load(&(*ctx)->fault);
  if (r) PUT(*ctx);
  return r;
}

CUresult cuCtxPushCurrent_v2(CUcontext handle) {
  CUresult r = initialised();
  if (r) return r;
  drv_context *ctx = GET(OBJECT_CONTEXT, handle);
  if (!ctx) return CUDA_ERROR_INVALID_CONTEXT;
  PUT(ctx);
  return stack_push(handle) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuCtxPopCurrent_v2(CUcontext *out) {
  CUresult r = initialised();
  if (r) return r;
  if (!thread_depth) return CUDA_ERROR_INVALID_CONTEXT;
  if (out) *out = thread_stack[thread_depth - 1];
  thread_depth--;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext handle) {
  CUresult r = initialised();
  if (r) return r;
  if (!handle) {
    if (thread_depth) thread_depth--;
    return CUDA_SUCCESS;
  }
  drv_context *ctx = GET(OBJECT_CONTEXT, handle);
  if (!ctx) return CUDA_ERROR_INVALID_CONTEXT;
  PUT(ctx);
  if (thread_depth) {
    thread_stack[thread_depth - 1] = handle;
    return CUDA_SUCCESS;
  }
  return stack_push(handle) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuCtxGetCurrent(CUcontext *out) {
  CUresult r = initialised();
  if (r) return r;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = thread_depth ? thread_stack[thread_depth - 1] : NULL;
  return CUDA_SUCCESS;
}

/* ---- other contexts ------------------------------------------------------------------------- */

CUresult cuCtxCreate_v2(CUcontext *out, unsigned int flags, CUdevice dev) {
  CUresult r = initialised();
  if (r) return r;
  if (!out || flags & ~(unsigned)CU_CTX_FLAGS_MASK) return CUDA_ERROR_INVALID_VALUE;
  if (!device_exists(dev)) return CUDA_ERROR_INVALID_DEVICE;
  pthread_mutex_lock(&contexts.lock);
  drv_context *ctx = context_new(flags, false);
  pthread_mutex_unlock(&contexts.lock);
  if (!ctx) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = HANDLE(CUcontext, ctx);
  if (stack_push(*out)) return CUDA_SUCCESS;
  context_close(ctx);
  return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuCtxCreate_v4(CUcontext *out, CUctxCreateParams *params, unsigned int flags,
                        CUdevice dev) {
  if (params && (params->numExecAffinityParams || params->cigParams))
    return CUDA_ERROR_NOT_SUPPORTED;
  return cuCtxCreate_v2(out, flags, dev);
}

CUresult cuCtxDestroy_v2(CUcontext handle) {
  CUresult r = initialised();
  if (r) return r;
  drv_context *ctx = GET(OBJECT_CONTEXT, handle);
  if (!ctx || ctx->primary) {
    PUT(ctx);
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  if (thread_depth && thread_stack[thread_depth - 1] == handle) thread_depth--;
  context_close(ctx);
  PUT(ctx);
  return CUDA_SUCCESS;
}

/* ---- questions ------------------------------------------------------------------------------ */

CUresult cuCtxGetDevice(CUdevice *device) {
  drv_context *ctx;
  CUresult r = enter_anyway(&ctx);
  if (r) return r;
  PUT(ctx);
  if (!device) return CUDA_ERROR_INVALID_VALUE;
  *device = 0;
  return CUDA_SUCCESS;
}

/* The context of a handle, or the current one for NULL. */
static CUresult context_of(CUcontext handle, drv_context **ctx) {
  if (!handle) return enter_anyway(ctx);
  CUresult r = initialised();
  if (r) return r;
  *ctx = GET(OBJECT_CONTEXT, handle);
  return *ctx ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext handle) {
  drv_context *ctx;
  CUresult r = context_of(handle, &ctx);
  if (r) return r;
  PUT(ctx);
  if (!device) return CUDA_ERROR_INVALID_VALUE;
  *device = 0;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetId(CUcontext handle, unsigned long long *id) {
  drv_context *ctx;
  CUresult r = context_of(handle, &ctx);
  if (r) return r;
  if (id) *id = ctx->id;
  PUT(ctx);
  return id ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuCtxGetApiVersion(CUcontext handle, unsigned int *version) {
  drv_context *ctx;
  CUresult r = context_of(handle, &ctx);
  if (r) return r;
  PUT(ctx);
  if (!version) return CUDA_ERROR_INVALID_VALUE;
  *version = 3020;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetFlags(unsigned int *flags) {
  drv_context *ctx;
  CUresult r = enter_anyway(&ctx);
  if (r) return r;
  if (flags) *flags = ctx->flags;
  PUT(ctx);
  return flags ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuCtxSetFlags(unsigned int flags) {
  drv_context *ctx;
  CUresult r = enter_anyway(&ctx);
  if (r) return r;
  bool good = !(flags & ~(unsigned)CU_CTX_FLAGS_MASK);
  if (good) ctx->flags = flags;
  PUT(ctx);
  return good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuCtxSynchronize(void) {
  late_finish();
  drv_context *ctx;
  CUresult r = enter(&ctx);
  if (!r) PUT(ctx);
  return r;
}

CUresult cuCtxSynchronize_v2(CUcontext handle) {
  drv_context *ctx;
  CUresult r = context_of(handle, &ctx);
  if (r) return r;
  late_finish();
  r = (CUresult)atomic_load(&ctx->fault);
  PUT(ctx);
  return r;
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit) {
  drv_context *ctx;
  CUresult r = enter(&ctx);
  if (r) return r;
  if (!value)
    r = CUDA_ERROR_INVALID_VALUE;
  else if ((unsigned)limit >= CU_LIMIT_MAX)
    r = CUDA_ERROR_UNSUPPORTED_LIMIT;
  else
    *value = ctx->limits[limit];
  PUT(ctx);
  return r;
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  drv_context *ctx;
  CUresult r = enter(&ctx);
  if (r) return r;
  if ((unsigned)limit >= CU_LIMIT_MAX)
    r = CUDA_ERROR_UNSUPPORTED_LIMIT;
  else
    ctx->limits[limit] = value;
  PUT(ctx);
  return r;
}

/* Answers of any live context. */
static CUresult with_context(void) {
  drv_context *ctx;
  CUresult r = enter(&ctx);
  if (!r) PUT(ctx);
  return r;
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *config) {
  CUresult r = with_context();
  if (r) return r;
  if (!config) return CUDA_ERROR_INVALID_VALUE;
  *config = 0;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  CUresult r = with_context();
  if (r) return r;
  return (unsigned)config <= 3 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  CUresult r = with_context();
  if (r) return r;
  if (least) *least = 0;
  if (greatest) *greatest = -5;
  return CUDA_SUCCESS;
}

CUresult cuCtxResetPersistingL2Cache(void) {
  return with_context();
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags) {
  CUresult r = with_context();
  if (r) return r;
  if (flags) return CUDA_ERROR_INVALID_VALUE;
  drv_context *ctx = GET(OBJECT_CONTEXT, peer);
  if (!ctx) return CUDA_ERROR_INVALID_CONTEXT;
  PUT(ctx);
  return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
}

CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  CUresult r = with_context();
  if (r) return r;
  drv_context *ctx = GET(OBJECT_CONTEXT, peer);
  if (!ctx) return CUDA_ERROR_INVALID_CONTEXT;
  PUT(ctx);
  return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}
