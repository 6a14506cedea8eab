// Our declarations against those of the toolkit's cuda.h.
#include "runtime/cuda/Driver.h"
#include "test/main/TestMain.h"
#include <catch2/catch.hpp>

#if defined(TEST_HAS_CUDA_H)

namespace ours {
using namespace tilewright::runtime::cuda;
// Before cuda.h, which makes macros of some names.
#define DRIVER_SYMBOL(NAME, NEED, ...)                                         \
  using NAME##_type = DriverFunction<__VA_ARGS__>;
#include "runtime/cuda/DriverSymbols.inc"
#undef DRIVER_SYMBOL
} // namespace ours

#include <cuda.h>

namespace {

/// What the calling convention sees of a parameter.
struct Parameter {
  size_t bytes;
  bool isPointer, isFloat;
  bool operator==(const Parameter &) const = default;
};
template <typename T> constexpr Parameter parameterOf() {
  return {sizeof(T), std::is_pointer_v<T>, std::is_floating_point_v<T>};
}

template <typename T> struct Signature;
template <typename... P> struct Signature<ours::DriverFunction<P...>> {
  static std::vector<Parameter> list() { return {parameterOf<P>()...}; }
};
template <typename... P> struct Signature<CUresult (*)(P...)> {
  static std::vector<Parameter> list() { return {parameterOf<P>()...}; }
};

} // namespace

TEST_CASE("functions have the parameters that cuda.h gives them") {
  static_assert(sizeof(CUresult) == sizeof(ours::CUresult));
#define DRIVER_SYMBOL(NAME, NEED, ...)                                         \
  {                                                                            \
    INFO(#NAME);                                                               \
    CHECK(Signature<ours::NAME##_type>::list() ==                              \
          Signature<decltype(&::NAME)>::list());                               \
  }
#include "runtime/cuda/DriverSymbols.inc"
#undef DRIVER_SYMBOL
}

TEST_CASE("error codes have the numbers that cuda.h gives them") {
#define DRIVER_ERROR(NAME, NUMBER, STATUS, EFFECT, ADVICE)                     \
  {                                                                            \
    INFO(#NAME);                                                               \
    CHECK(int(::CUDA_ERROR_##NAME) == NUMBER);                                 \
  }
#include "runtime/cuda/DriverErrors.inc"
#undef DRIVER_ERROR
}

TEST_CASE("constants have the values that cuda.h gives them") {
#define DRIVER_CONSTANT(NAME, THEIRS, VALUE)                                   \
  {                                                                            \
    INFO(#NAME);                                                               \
    CHECK(int(THEIRS) == VALUE);                                               \
  }
#include "runtime/cuda/DriverConstants.inc"
#undef DRIVER_CONSTANT
}

#define SAME_MEMBER(TYPE, MEMBER)                                              \
  CHECK(offsetof(ours::TYPE, MEMBER) == offsetof(::TYPE, MEMBER));             \
  CHECK(sizeof(ours::TYPE::MEMBER) == sizeof(::TYPE::MEMBER))

TEST_CASE("structures have the layout that cuda.h gives them") {
  CHECK(sizeof(ours::CUmemPoolProps) == sizeof(::CUmemPoolProps));
  SAME_MEMBER(CUmemPoolProps, allocType);
  SAME_MEMBER(CUmemPoolProps, handleTypes);
  SAME_MEMBER(CUmemPoolProps, location);
  SAME_MEMBER(CUmemPoolProps, win32SecurityAttributes);
  CHECK(sizeof(ours::CUlaunchAttribute) == sizeof(::CUlaunchAttribute));
  SAME_MEMBER(CUlaunchAttribute, id);
  SAME_MEMBER(CUlaunchAttribute, value);
  CHECK(offsetof(ours::CUlaunchAttribute, value.clusterDim.z) ==
        offsetof(::CUlaunchAttribute, value.clusterDim.z));
  CHECK(sizeof(ours::CUlaunchConfig) == sizeof(::CUlaunchConfig));
  SAME_MEMBER(CUlaunchConfig, gridDimX);
  SAME_MEMBER(CUlaunchConfig, gridDimZ);
  SAME_MEMBER(CUlaunchConfig, blockDimX);
  SAME_MEMBER(CUlaunchConfig, blockDimZ);
  SAME_MEMBER(CUlaunchConfig, sharedMemBytes);
  SAME_MEMBER(CUlaunchConfig, hStream);
  SAME_MEMBER(CUlaunchConfig, attrs);
  SAME_MEMBER(CUlaunchConfig, numAttrs);
  CHECK(sizeof(ours::CUdeviceptr) == sizeof(::CUdeviceptr));
}

#else

TEST_CASE("declarations are those of cuda.h") {
  tilewright::test::skip("no cuda.h of a CUDA toolkit was found");
}

#endif
