#include <cstdint>

// Policies of caches and prefetches change no value.
extern "C" __global__ void cache_hints(const float4 *x, float4 *out, int n) {
  uint64_t stay, mixed;
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;"
               : "=l"(stay));
  asm volatile("createpolicy.fractional.L2::evict_first.L2::evict_unchanged"
               ".b64 %0, 0.5;"
               : "=l"(mixed));
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  asm volatile("prefetch.global.L2 [%0];" ::"l"(x + i));
  float4 v;
  asm volatile("ld.global.L1::no_allocate.L2::cache_hint.v4.f32 "
               "{%0, %1, %2, %3}, [%4], %5;"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "l"(x + i), "l"(stay));
  float again;
  asm volatile("ld.global.nc.L1::evict_last.L2::128B.f32 %0, [%1];"
               : "=f"(again)
               : "l"(&x[i].y));
  v.x += again;
  asm volatile(
      "st.global.L2::cache_hint.v4.f32 [%0], {%1, %2, %3, %4}, %5;" ::"l"(out +
                                                                          i),
      "f"(v.w), "f"(v.z), "f"(v.y), "f"(v.x), "l"(mixed)
      : "memory");
}

#if __CUDA_ARCH__ >= 900
// One lane is chosen; grids that depend on one another; sleep.
extern "C" __global__ void elected(const int *x, int *out) {
  __shared__ int sum[2];
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
  unsigned leader, chosen;
  asm volatile("{ .reg .pred p;\n"
               "elect.sync %0|p, 0xffffffff;\n"
               "selp.u32 %1, 1, 0, p; }"
               : "=r"(leader), "=r"(chosen));
  int t = threadIdx.x, v = x[t];
  if (chosen)
    sum[t / 32] = 1000;
  __syncthreads();
  __nanosleep(20);
  // Whoever was chosen, it was one lane of each warp, and all know which.
  if (chosen == (t % 32 == leader))
    atomicAdd(&sum[t / 32], v);
  __syncthreads();
  out[t] = sum[t / 32];
}

// 16-byte values are exchanged and compared as one.
extern "C" __global__ void wide_atomics(ulonglong2 *place, ulonglong2 *out) {
  uint64_t low = threadIdx.x + 1, high = ~low, was_low, was_high;
  uint64_t old_low = 0, old_high = 0; // A guess.
  for (bool done = false; !done; old_low = was_low, old_high = was_high) {
    uint64_t next_low = old_low + low, next_high = old_high + 3 * low;
    asm volatile("{ .reg .b128 o, c, n;\n"
                 "mov.b128 c, {%2, %3};\nmov.b128 n, {%4, %5};\n"
                 "atom.global.cas.b128 o, [%6], c, n;\n"
                 "mov.b128 {%0, %1}, o; }"
                 : "=l"(was_low), "=l"(was_high)
                 : "l"(old_low), "l"(old_high), "l"(next_low), "l"(next_high),
                   "l"(place)
                 : "memory");
    done = was_low == old_low && was_high == old_high;
  }
  asm volatile("{ .reg .b128 o, n;\n"
               "mov.b128 n, {%2, %3};\n"
               "atom.global.exch.b128 o, [%4], n;\n"
               "mov.b128 {%0, %1}, o; }"
               : "=l"(was_low), "=l"(was_high)
               : "l"(low), "l"(high), "l"(out + threadIdx.x)
               : "memory");
  if (was_low != 7 || was_high != 8)
    out[threadIdx.x].x = 0;
}
#endif
