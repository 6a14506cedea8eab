#include "wgmma.cuh"
#include <cuda_fp16.h>

struct Stage {
  uint16_t a[2][64 * 64]; // K-major, 128-byte swizzle.
  uint16_t b[64 * 32];    // N-major, 64-byte swizzle.
};

/// Fills the stages as they become empty.
__device__ inline void produce(Stage *stages, uint64_t *full, uint64_t *empty,
                               const TensorMap *a, const TensorMap *b,
                               int steps) {
  for (int k = 0; k < steps; ++k) {
    int s = k % 3;
    barrier_wait(&empty[s], k / 3 & 1 ^ 1);
    barrier_expect(&full[s], sizeof(Stage));
    for (int half = 0; half < 2; ++half)
      load_box(stages[s].a[half], a, k * 64, blockIdx.y * 128 + half * 64,
               &full[s]);
    load_box(stages[s].b, b, blockIdx.x * 32, k * 64, &full[s]);
  }
}

/// Writes the sums as f16 by stmatrix, then the tile by the copy engine.
__device__ inline void store(uint16_t *tile, const TensorMap *c, float *d,
                             int group) {
  int t = threadIdx.x % 128, lane = t % 32;
  for (int q = 0; q < 2; ++q) {
    uint32_t r[4];
    for (int i = 0; i < 4; ++i) {
      half2 two = __floats2half2_rn(d[q * 8 + i * 2], d[q * 8 + i * 2 + 1]);
      r[i] = *(uint32_t *)&two;
    }
    // Matrices: rows 0 and 8, columns 0 and 8, of 16x16.
    int row = t / 32 * 16 + lane % 16, column = q * 16 + lane / 16 * 8;
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], "
        "{%1, %2, %3, %4};" ::"r"(shared_address(tile + row * 32 + column)),
        "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
        : "memory");
  }
  fence_async();
  asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory");
  if (t == 0) {
    store_box(c, blockIdx.x * 32, blockIdx.y * 128 + group * 64, tile);
    bulk_commit();
    bulk_wait();
  }
}

// A product as Hopper likes it: one warpgroup lets go of registers and loads,
// two multiply; a ring of three stages lies between them.
extern "C" __global__ void __launch_bounds__(384, 1)
    gemm_roles(const __grid_constant__ TensorMap a,
               const __grid_constant__ TensorMap b,
               const __grid_constant__ TensorMap c, int steps) {
  extern __shared__ __align__(1024) unsigned char room[];
  Stage *stages = (Stage *)room;
  uint16_t *tiles = (uint16_t *)(stages + 3);
  __shared__ uint64_t full[3], empty[3];
  int group = threadIdx.x / 128;
  if (threadIdx.x == 0) {
    for (int s = 0; s < 3; ++s) {
      barrier_init(&full[s], 1);
      barrier_init(&empty[s], 2);
    }
    fence_barrier_init();
  }
  __syncthreads();
  if (group == 2) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 256)
      produce(stages, full, empty, &a, &b, steps);
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  float d[16] = {};
  for (int k = 0; k < steps; ++k) {
    Stage &stage = stages[k % 3];
    barrier_wait(&full[k % 3], k / 3 & 1);
    hold(d);
    wgmma_fence();
    for (int j = 0; j < 4; ++j)
      WGMMA("m64n32k16.f32.f16.f16", ", 1, 1, 0, 1", "f", d,
            descriptor(stage.a[group] + j * 16, 16, 1024, 1),
            descriptor(stage.b + j * 16 * 32, 16, 512, 2), k + j);
    wgmma_commit();
    wgmma_wait<0>();
    hold(d);
    if (threadIdx.x % 128 == 0)
      barrier_arrive(&empty[k % 3]);
  }
  store(tiles + group * 64 * 32, &c, d, group);
}
