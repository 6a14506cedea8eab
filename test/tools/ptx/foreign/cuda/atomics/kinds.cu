#include <cuda_bf16.h>
#include <cuda_fp16.h>

// Each thread changes each word once; only results that no order changes.
template <typename T> __device__ void commutative(T *w, T v) {
  atomicAdd(w + 0, v);
  atomicMin(w + 1, v);
  atomicMax(w + 2, v);
  atomicAnd(w + 3, v | 15);
  atomicOr(w + 4, v & 240);
  atomicXor(w + 5, v);
}
extern "C" __global__ void atomics_i32(int *words, const int *x) {
  int v = x[blockIdx.x * blockDim.x + threadIdx.x];
  commutative(words, v);
  atomicSub(words + 6, v);
  atomicInc((unsigned *)words + 7, 41);
  atomicDec((unsigned *)words + 8, 17);
}
extern "C" __global__ void atomics_u32(unsigned *words, const unsigned *x) {
  commutative(words, x[blockIdx.x * blockDim.x + threadIdx.x]);
}
extern "C" __global__ void atomics_i64(long long *words, const long long *x) {
  long long v = x[blockIdx.x * blockDim.x + threadIdx.x];
  atomicAdd((unsigned long long *)words, (unsigned long long)v);
  atomicMin(words + 1, v);
  atomicMax(words + 2, v);
  atomicAnd((unsigned long long *)words + 3, (unsigned long long)v | 15);
  atomicOr(words + 4, v & 240);
  atomicXor(words + 5, v);
}
extern "C" __global__ void atomics_u64(unsigned long long *words,
                                       const unsigned long long *x) {
  commutative(words, x[blockIdx.x * blockDim.x + threadIdx.x]);
}

// Integers as floats: every partial sum is exact.
extern "C" __global__ void atomics_float(float *f, double *d, __half2 *h,
                                         __nv_bfloat162 *b, __half *h1,
                                         const int *x) {
  int v = x[blockIdx.x * blockDim.x + threadIdx.x];
  atomicAdd(f, (float)v);
  atomicAdd(d, v / 1024.0);
  atomicAdd(h, __floats2half2_rn(v, -v));
  atomicAdd(b, __floats2bfloat162_rn(v, 1));
  atomicAdd(h1, __int2half_rn(v));
}

// Old values: exchange keeps each token once; compare-and-swap of 16, 32 and
// 64 bits hands out numbers.
extern "C" __global__ void atomics_old(unsigned *tokens, unsigned *got,
                                       unsigned *seen32, unsigned short *next16,
                                       unsigned long long *next64) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  got[t] = atomicExch(tokens, t + 1);
  seen32[t] = atomicAdd(tokens + 1, 3);
  unsigned short old16 = *next16, now16;
  while ((now16 = atomicCAS(next16, old16, (unsigned short)(old16 + 2))) !=
         old16)
    old16 = now16;
  unsigned long long old = *next64, now;
  while ((now = atomicCAS(next64, old, old * 3 + 1)) != old)
    old = now;
}

// In shared memory, and of scope block and system.
extern "C" __global__ void atomics_scopes(int *words, float *sums) {
  __shared__ int shared[4];
  __shared__ float total;
  __shared__ unsigned long long wide;
  int t = threadIdx.x;
  if (t < 4)
    shared[t] = 0;
  if (t == 0) {
    total = 0;
    wide = 0;
  }
  __syncthreads();
  atomicAdd(&shared[t & 3], t);
  atomicAdd_block(&total, 0.5f);
  atomicMax(&wide, (unsigned long long)t << 33);
  atomicAdd_system(words + 4, 1);
  atomicMax_block(&shared[0], t & 1);
  __syncthreads();
  if (t < 4)
    atomicAdd(words + t, shared[t]);
  if (t == 0) {
    sums[blockIdx.x] = total;
    atomicMax(words + 5, (int)(wide >> 33));
  }
}

// The greatest float through compare-and-swap, several lanes at one word.
extern "C" __global__ void float_max(float *best, const float *x) {
  float v = x[blockIdx.x * blockDim.x + threadIdx.x];
  unsigned *word = (unsigned *)best, old = *word;
  while (v > __uint_as_float(old)) {
    unsigned seen = atomicCAS(word, old, __float_as_uint(v));
    if (seen == old)
      break;
    old = seen;
  }
}
