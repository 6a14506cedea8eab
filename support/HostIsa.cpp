#include "support/HostIsa.h"

namespace tilewright {

static HostIsa findHostIsa() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  [[maybe_unused]] bool avx2 =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi2");
  [[maybe_unused]] bool avx512 =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#ifdef TILEWRIGHT_HAS_avx512
  if (avx2 && avx512)
    return HostIsa::avx512;
#endif
#ifdef TILEWRIGHT_HAS_avx2
  if (avx2)
    return HostIsa::avx2;
#endif
#endif
  return HostIsa::baseline;
}

HostIsa hostIsa() {
  static const HostIsa isa = findHostIsa();
  return isa;
}

} // namespace tilewright
