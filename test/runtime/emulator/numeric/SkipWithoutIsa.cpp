#include <cstdio>
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
  const char *missing = requiresAvx2 && !avx2       ? "AVX2, FMA and F16C"
                        : requiresAvx512 && !avx512 ? "AVX-512"
                                                    : nullptr;
  if (!missing)
    return;
  // The standard output is not flushed here.
  std::fprintf(stderr, "skipped: this CPU has no %s\n", missing);
  std::_Exit(skipped);
}
#endif
