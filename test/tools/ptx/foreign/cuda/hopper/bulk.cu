#include "async.cuh"

// Global memory to shared memory and back, in one piece each.
extern "C" __global__ void bulk_copy(const float *x, float *y) {
  __shared__ alignas(16) float tile[256];
  __shared__ uint64_t bar;
  int t = threadIdx.x;
  if (t == 0) {
    barrier_init(&bar, 1);
    fence_barrier_init();
    barrier_expect(&bar, sizeof(tile));
    asm volatile("cp.async.bulk.shared::cluster.global"
                 ".mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(tile)),
                 "l"(x + blockIdx.x * 256), "r"((int)sizeof(tile)),
                 "r"(shared_address(&bar))
                 : "memory");
  }
  __syncthreads();
  barrier_wait(&bar, 0);
  tile[t] = tile[t] * 2 + 1;
  fence_async();
  __syncthreads();
  if (t == 0) {
    asm volatile(
        "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
            y + blockIdx.x * 256),
        "r"(shared_address(tile)), "r"((int)sizeof(tile))
        : "memory");
    bulk_commit();
    bulk_wait();
  }
}

// A ring of three stages that one warp fills and one empties: full and empty
// barriers, parities.
extern "C" __global__ void bulk_ring(const int *x, int *out, int steps) {
  __shared__ alignas(16) int stage[3][32];
  __shared__ uint64_t full[3], empty[3];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < 3; ++s) {
      barrier_init(&full[s], 1);
      barrier_init(&empty[s], 32);
    }
    fence_barrier_init();
  }
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < steps; ++i) {
    int s = i % 3, parity = i / 3 & 1;
    if (warp == 0) {
      if (lane == 0) {
        barrier_wait(&empty[s], parity ^ 1);
        barrier_expect(&full[s], 128);
        asm volatile(
            "cp.async.bulk.shared::cluster.global"
            ".mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];" ::"r"(
                shared_address(stage[s])),
            "l"(x + i * 32), "r"(shared_address(&full[s]))
            : "memory");
      }
    } else {
      barrier_wait(&full[s], parity);
      sum = sum * 5 + stage[s][lane ^ i % 32];
      barrier_arrive(&empty[s]);
    }
  }
  if (warp)
    out[lane] = sum;
}

// Additions and minima by the copy engine, of blocks into one place.
extern "C" __global__ void bulk_reduce(const int *x, int *sum, int *least,
                                       float *fsum) {
  __shared__ alignas(16) int tile[64];
  __shared__ alignas(16) float ftile[64];
  int t = threadIdx.x;
  tile[t] = x[blockIdx.x * 64 + t];
  ftile[t] = tile[t];
  fence_async();
  __syncthreads();
  if (t)
    return;
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 "
               "[%0], [%1], 256;" ::"l"(sum),
               "r"(shared_address(tile))
               : "memory");
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s32 "
               "[%0], [%1], 256;" ::"l"(least),
               "r"(shared_address(tile))
               : "memory");
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 "
               "[%0], [%1], 256;" ::"l"(fsum),
               "r"(shared_address(ftile))
               : "memory");
  bulk_commit();
  bulk_wait();
}
