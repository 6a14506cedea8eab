// The types of the CUDA driver interface that this device uses. They have the
// driver's names and its exact layout on 64-bit Linux, but are in a namespace
// of ours, so the build needs no part of CUDA. A test compares them with cuda.h
// where there is one.
#ifndef TILEWRIGHT_RUNTIME_CUDA_DRIVERTYPES_H
#define TILEWRIGHT_RUNTIME_CUDA_DRIVERTYPES_H

#include <cstddef>
#include <cstdint>

namespace tilewright::runtime::cuda {

using CUdevice = int;
/// An address in device memory.
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUgraph = struct CUgraph_st *;
using CUgraphExec = struct CUgraphExec_st *;
using CUmemoryPool = struct CUmemPoolHandle_st *;
/// A function that a stream calls on a thread of the driver.
using CUhostFn = void (*)(void *);

// The driver's enumerations have 32 bits.
using CUresult = int;
using CUdevice_attribute = int;
using CUfunction_attribute = int;
using CUjit_option = int;
using CUmemPool_attribute = int;
using CUstreamCaptureMode = int;

/// How a pool of memory is made.
struct CUmemPoolProps {
  int allocType = 0;
  int handleTypes = 0;
  struct {
    int type = 0;
    int id = 0;
  } location;
  void *win32SecurityAttributes = nullptr;
  size_t maxSize = 0;
  unsigned short usage = 0;
  unsigned char reserved[54] = {};
};

/// One attribute of a launch: a number and 64 bytes that depend on it.
struct CUlaunchAttribute {
  int id = 0;
  char pad[4] = {};
  union {
    char bytes[64] = {};
    struct {
      unsigned x, y, z;
    } clusterDim;
  } value;
};

/// The shape of a launch.
struct CUlaunchConfig {
  unsigned gridDimX = 1, gridDimY = 1, gridDimZ = 1;
  unsigned blockDimX = 1, blockDimY = 1, blockDimZ = 1;
  unsigned sharedMemBytes = 0;
  CUstream hStream = nullptr;
  CUlaunchAttribute *attrs = nullptr;
  unsigned numAttrs = 0;
};

/// The numbers of DriverConstants.inc.
enum DriverConstant : int {
#define DRIVER_CONSTANT(NAME, THEIRS, VALUE) NAME = VALUE,
#include "runtime/cuda/DriverConstants.inc"
#undef DRIVER_CONSTANT
};

/// The codes of DriverErrors.inc that code refers to by name.
enum DriverCode : int {
  CUDA_SUCCESS = 0,
#define DRIVER_ERROR(NAME, NUMBER, STATUS, EFFECT, ADVICE)                     \
  CUDA_ERROR_##NAME = NUMBER,
#include "runtime/cuda/DriverErrors.inc"
#undef DRIVER_ERROR
};

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_DRIVERTYPES_H
