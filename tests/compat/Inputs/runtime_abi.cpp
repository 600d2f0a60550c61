/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The runtime API as we declare it (in the namespace ours) against NVIDIA's header: constants, sizes
 * and offsets of structures, and for every entry the number of its parameters, their sizes, and which
 * are pointers or structures. Enumerations are plain integers with us. Nothing is linked.
 */
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>
#include <type_traits>

#undef __cplusplus /* functions of C with one name would be the same in all namespaces */
namespace ours {
#include "compat/runtime/cudart_abi.h"
}

/* ---- entries -------------------------------------------------------------------------------- */

template <typename A, typename B> constexpr bool alike() {
  return sizeof(A) == sizeof(B) && std::is_pointer<A>::value == std::is_pointer<B>::value &&
         std::is_class<A>::value == std::is_class<B>::value;
}

template <typename A, typename B> struct same {
  static constexpr bool value = false;
};
template <typename R, typename... P, typename S, typename... Q> struct same<R (*)(P...), S (*)(Q...)> {
  template <typename... T> struct list {};
  template <typename X, typename Y> struct each {
    static constexpr bool value = false;
  };
  template <typename... X, typename... Y> struct each<list<X...>, list<Y...>> {
    static constexpr bool value = (alike<X, Y>() && ...);
  };
  template <bool equal, typename X, typename Y> struct checked {
    static constexpr bool value = false;
  };
  template <typename X, typename Y> struct checked<true, X, Y> {
    static constexpr bool value = each<X, Y>::value;
  };
  static constexpr bool value =
      alike<R, S>() && checked<sizeof...(P) == sizeof...(Q), list<P...>, list<Q...>>::value;
};

/* Entries that NVIDIA's headers do not declare for programs. */
#define HIDDEN___cudaRegisterFatBinary       , 1
#define HIDDEN___cudaRegisterFatBinaryEnd    , 1
#define HIDDEN___cudaUnregisterFatBinary     , 1
#define HIDDEN___cudaRegisterFunction        , 1
#define HIDDEN___cudaRegisterVar             , 1
#define HIDDEN___cudaRegisterManagedVar      , 1
#define HIDDEN___cudaRegisterHostVar         , 1
#define HIDDEN___cudaRegisterTexture         , 1
#define HIDDEN___cudaRegisterSurface         , 1
#define HIDDEN___cudaInitModule              , 1
#define HIDDEN___cudaPushCallConfiguration   , 1
#define HIDDEN___cudaPopCallConfiguration    , 1
#define HIDDEN___cudaGetKernel               , 1
#define HIDDEN___cudaLaunchKernel            , 1
#define HIDDEN_cudaDeviceGetSharedMemConfig  , 1
#define HIDDEN_cudaDeviceSetSharedMemConfig  , 1
#define HIDDEN_cudaFuncSetSharedMemConfig    , 1
#define SECOND(a, b, ...)                    b
#define IS_HIDDEN(...)                       SECOND(__VA_ARGS__, 0, 0)
#define CHECK_0(symbol)                                                                            \
  static_assert(same<decltype(&::symbol), decltype(&ours::symbol)>::value,                         \
                #symbol " has other parameters in NVIDIA's header");
#define CHECK_1(symbol)
#define CHECK_OF(hidden, symbol)  CHECK_##hidden(symbol)
#define CHECK(hidden, symbol)     CHECK_OF(hidden, symbol)
#define ENTRY(result, symbol, suffix, parameters) CHECK(IS_HIDDEN(HIDDEN_##symbol), symbol)
#define REFUSED(symbol, suffix, why)
#include "compat/runtime/runtime.def"

/* ---- structures ----------------------------------------------------------------------------- */

#define SIZE(type)                                                                                 \
  static_assert(sizeof(::type) == sizeof(ours::type), #type " has another size");
#define FIELD(type, member)                                                                        \
  static_assert(offsetof(::type, member) == offsetof(ours::type, member), #type "." #member);

SIZE(cudaDeviceProp)
FIELD(cudaDeviceProp, luid)
FIELD(cudaDeviceProp, totalGlobalMem)
FIELD(cudaDeviceProp, maxGridSize)
FIELD(cudaDeviceProp, totalConstMem)
FIELD(cudaDeviceProp, multiProcessorCount)
FIELD(cudaDeviceProp, maxTexture2D)
FIELD(cudaDeviceProp, surfaceAlignment)
FIELD(cudaDeviceProp, unifiedAddressing)
FIELD(cudaDeviceProp, memoryBusWidth)
FIELD(cudaDeviceProp, l2CacheSize)
FIELD(cudaDeviceProp, sharedMemPerMultiprocessor)
FIELD(cudaDeviceProp, pageableMemoryAccess)
FIELD(cudaDeviceProp, cooperativeLaunch)
FIELD(cudaDeviceProp, sharedMemPerBlockOptin)
FIELD(cudaDeviceProp, reservedSharedMemPerBlock)
FIELD(cudaDeviceProp, memoryPoolsSupported)
FIELD(cudaDeviceProp, clusterLaunch)
FIELD(cudaDeviceProp, unifiedFunctionPointers)
FIELD(cudaDeviceProp, hostNumaMultinodeIpcSupported)
FIELD(cudaDeviceProp, reserved)
SIZE(cudaFuncAttributes)
FIELD(cudaFuncAttributes, maxThreadsPerBlock)
FIELD(cudaFuncAttributes, maxDynamicSharedSizeBytes)
FIELD(cudaFuncAttributes, nonPortableClusterSizeAllowed)
SIZE(cudaPointerAttributes)
FIELD(cudaPointerAttributes, hostPointer)
SIZE(cudaPitchedPtr)
SIZE(cudaExtent)
SIZE(cudaMemcpy3DParms)
FIELD(cudaMemcpy3DParms, dstPtr)
FIELD(cudaMemcpy3DParms, kind)
SIZE(cudaMemcpy3DPeerParms)
FIELD(cudaMemcpy3DPeerParms, dstDevice)
FIELD(cudaMemcpy3DPeerParms, extent)
SIZE(cudaMemsetParams)
SIZE(cudaKernelNodeParams)
FIELD(cudaKernelNodeParams, kernelParams)
SIZE(cudaHostNodeParams)
SIZE(cudaMemAllocNodeParams)
FIELD(cudaMemAllocNodeParams, dptr)
SIZE(cudaMemPoolProps)
SIZE(cudaMemAccessDesc)
SIZE(cudaLaunchConfig_t)
FIELD(cudaLaunchConfig_t, stream)
FIELD(cudaLaunchConfig_t, numAttrs)
SIZE(cudaLaunchAttribute)
SIZE(cudaGraphNodeParams)
FIELD(cudaGraphNodeParams, kernel)
FIELD(cudaGraphNodeParams, memcpy.copyParams)
SIZE(cudaGraphInstantiateParams)
SIZE(cudaGraphExecUpdateResultInfo)
SIZE(cudaChannelFormatDesc)
SIZE(cudaGraphEdgeData)

/* ---- errors --------------------------------------------------------------------------------- */

#define ERROR(name, value, text) static_assert(::name == value, #name);
CUDART_ERRORS(ERROR)
