#include "runtime/cpu/CpuFeatures.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::runtime;

static CpuFeatures example() {
  CpuFeatures features;
  features.architecture = "x86_64";
  features.names = {"avx2", "fma"};
  return features;
}

TEST_CASE("features are compared name by name") {
  CpuFeatures machine = example();
  CHECK(machine.supports("").ok());
  CHECK(machine.supports("x86_64,avx2,fma").ok());
  CHECK(machine.supports("x86-64 +avx2 +fma -avx512f").ok());
}

TEST_CASE("what is missing is named") {
  CHECK(example()
            .supports("x86_64,avx512f,avx2,avx512bw")
            .message()
            .ends_with("lacks: avx512f, avx512bw"));
  CHECK(example()
            .supports("warpdrive")
            .message()
            .ends_with("does not know: warpdrive"));
  CHECK(example().supports("aarch64,neon").message() ==
        "the code is for aarch64, this machine is x86_64");
}

#if defined(__x86_64__)
TEST_CASE("the host's features agree with the compiler's detection") {
  const CpuFeatures &host = CpuFeatures::host();
  CHECK(host.names.contains("sse2"));
  CHECK(host.names.contains("avx2") == bool(__builtin_cpu_supports("avx2")));
  CHECK(host.names.contains("fma") == bool(__builtin_cpu_supports("fma")));
  CHECK(host.names.contains("avx512f") ==
        bool(__builtin_cpu_supports("avx512f")));
  CHECK(host.names.contains("avx512bf16") ==
        bool(__builtin_cpu_supports("avx512bf16")));
  CHECK(host.names.contains("popcnt") ==
        bool(__builtin_cpu_supports("popcnt")));
}
#endif
