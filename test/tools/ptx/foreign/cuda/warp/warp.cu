// Votes of all lanes, and of some.
extern "C" __global__ void votes(const int *x, unsigned *out) {
  int lane = threadIdx.x, v = x[blockIdx.x * 32 + lane];
  unsigned *row = out + (blockIdx.x * 32 + lane) * 6;
  row[0] = __ballot_sync(~0u, v > 0);
  row[1] = __all_sync(~0u, v > -90) | __any_sync(~0u, v > 90) << 1;
  row[2] = __match_any_sync(~0u, v / 16);
  int same;
  row[3] = __match_all_sync(~0u, blockIdx.x == 1 ? 5 : v, &same);
  row[4] = same;
  row[5] = 0;
  if (lane % 3 == 0)
    row[5] = __ballot_sync(0x49249249, v & 1);
  else if (lane < 16)
    row[5] = __match_any_sync(0xffff & ~0x49249249, (long long)v % 4) << 8;
}

// Each shuffle, widths of 8 and 16, 64-bit values, sources out of range.
extern "C" __global__ void shuffles(const int *x, int *out) {
  int lane = threadIdx.x, v = x[lane];
  int results[8] = {
      __shfl_sync(~0u, v, lane * 7),    __shfl_up_sync(~0u, v, 3),
      __shfl_down_sync(~0u, v, 5),      __shfl_xor_sync(~0u, v, 9),
      __shfl_sync(~0u, v, lane + 3, 8), __shfl_up_sync(~0u, v, 2, 16),
      __shfl_down_sync(~0u, v, 6, 8),   __shfl_xor_sync(~0u, v, 12, 8)};
  for (int k = 0; k < 8; ++k)
    out[k * 32 + lane] = results[k];
  long long wide = (long long)v << 33 | lane;
  wide = __shfl_down_sync(~0u, wide, 1);
  out[256 + lane] = (int)(wide >> 33);
  int r;
  asm volatile("{ .reg .pred p; shfl.sync.down.b32 %0|p, %1, 20, 31, -1;"
               "  selp.b32 %0, %0, -7, p; }"
               : "=r"(r)
               : "r"(v));
  out[288 + lane] = r;
}

// Loops of different lengths, nested branches, early returns; lanes meet
// again at named masks.
extern "C" __global__ void divergence(const int *x, int *out) {
  int lane = threadIdx.x, v = x[blockIdx.x * 32 + lane], steps = 0;
  unsigned present = __ballot_sync(~0u, v >= -90);
  if (v < -90)
    return;
  for (int n = v < 0 ? -v : v; n != 1 && n; ++steps) {
    if (n % 2)
      n = 3 * n + 1;
    else
      n /= 2;
    if (steps > 40)
      break;
  }
  __syncwarp(present);
  int sum = __reduce_add_sync(present, steps);
  if (lane & 1) {
    if (v & 2)
      sum += 1000;
    else
      sum += 2000;
  } else {
    switch (v & 3) {
    case 0:
      sum ^= 77;
      break;
    case 1:
      sum -= 5;
    case 2:
      sum *= 2;
    }
  }
  out[blockIdx.x * 32 + lane] = sum;
}

// Lanes wait for each other inside a warp: only independent scheduling ends
// this.
extern "C" __global__ void lane_relay(volatile int *turn, int *out) {
  int lane = threadIdx.x;
  while (*turn != lane)
    ;
  out[lane] = lane * 3 + *turn;
  __threadfence();
  *turn = lane + 1;
}

// Named barriers with counts: two warps produce, two consume, by turns.
extern "C" __global__ void named_barriers(const int *x, int *out, int n) {
  __shared__ int slot[64];
  int t = threadIdx.x % 64;
  if (threadIdx.x < 64) {
    for (int i = 0; i < n; ++i) {
      asm volatile("bar.sync 1, 128;" ::: "memory"); // The slot is free.
      slot[t] = x[i * 64 + t] * 2;
      asm volatile("bar.arrive 2, 128;" ::: "memory");
    }
  } else {
    int sum = 0;
    for (int i = 0; i < n; ++i) {
      asm volatile("bar.arrive 1, 128;" ::: "memory");
      asm volatile("bar.sync 2, 128;" ::: "memory");
      sum += slot[63 - t];
      asm volatile("bar.sync 3, 64;" ::: "memory");
    }
    out[t] = sum;
  }
}

// Barriers that also count, and ask for all or any.
extern "C" __global__ void counting_barriers(const int *x, int *out) {
  int v = x[threadIdx.x];
  int count = __syncthreads_count(v > 0);
  int all = __syncthreads_and(v > -200), any = __syncthreads_or(v > 98);
  out[threadIdx.x] = count | all << 16 | any << 17;
}

// Special registers that a launch fixes.
extern "C" __global__ void registers(unsigned *out) {
  unsigned v[8];
  asm("mov.u32 %0, %%ntid.x;" : "=r"(v[0]));
  asm("mov.u32 %0, %%nctaid.y;" : "=r"(v[1]));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(v[2]));
  asm("mov.u32 %0, %%lanemask_ge;" : "=r"(v[3]));
  asm("mov.u32 %0, %%lanemask_eq;" : "=r"(v[4]));
  asm("mov.u32 %0, WARP_SZ;" : "=r"(v[5]));
  asm("mov.u32 %0, %%ctaid.y;" : "=r"(v[6]));
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(v[7]));
  long long before = clock64(), wall;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(wall));
  v[5] += clock64() < before || wall < 0;
  unsigned t = blockIdx.y * blockDim.x + threadIdx.x;
  for (int k = 0; k < 8; ++k)
    out[t * 8 + k] = v[k];
}
