#include <cstdlib>

/// Whether the rest of this program was compiled for AVX2 and FMA, for AVX-512
/// too (RequiredIsa.cpp).
extern const bool requiresAvx2;
extern const bool requiresAvx512;

// Before anything else of this program runs.
#if defined(__x86_64__)
__attribute__((constructor(101))) static void skipWithoutIsa() {
  __builtin_cpu_init();
  bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
              __builtin_cpu_supports("f16c");
  bool avx512 =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  constexpr int skipped = 77; // as in CMakeLists.txt
  if ((requiresAvx2 && !avx2) || (requiresAvx512 && !avx512))
    std::_Exit(skipped);
}
#endif
