#include "async.cuh"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// Blocks of a cluster read each other's shared memory.
extern "C" __global__ void __cluster_dims__(4, 1, 1)
    cluster_sum(const int *x, int *out) {
  __shared__ int mine[64];
  cg::cluster_group cluster = cg::this_cluster();
  int t = threadIdx.x;
  mine[t] = x[blockIdx.x * 64 + t];
  cluster.sync();
  int sum = 0;
  for (int rank = 0; rank < 4; ++rank)
    sum = sum * 7 + cluster.map_shared_rank(mine, rank)[t ^ rank];
  out[blockIdx.x * 64 + t] = sum;
  cluster.sync(); // A block's memory must outlive its readers.
}

// Bins spread over the blocks of a cluster, counted by remote atomics.
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    cluster_histogram(const uint8_t *x, unsigned *bins, int n) {
  __shared__ unsigned counts[128];
  cg::cluster_group cluster = cg::this_cluster();
  unsigned rank = cluster.block_rank(), t = threadIdx.x;
  counts[t] = 0;
  cluster.sync();
  for (int i = blockIdx.x * 128 + t; i < n; i += gridDim.x * 128) {
    unsigned *there = cluster.map_shared_rank(counts, x[i] / 128);
    atomicAdd(&there[x[i] % 128], 1u);
  }
  cluster.sync();
  atomicAdd(&bins[rank * 128 + t], counts[t]);
}

// A value goes round the cluster: asynchronous stores that complete at the
// receiver's barrier.
extern "C" __global__ void __cluster_dims__(4, 1, 1)
    cluster_ring(const int *x, int *out, int rounds) {
  __shared__ int slots[2][32];
  __shared__ uint64_t bars[2];
  cg::cluster_group cluster = cg::this_cluster();
  int t = threadIdx.x, rank = cluster.block_rank();
  if (t == 0) {
    barrier_init(&bars[0], 1);
    barrier_init(&bars[1], 1);
    fence_barrier_init();
    barrier_expect(&bars[0], 128);
    barrier_expect(&bars[1], 128);
  }
  cluster.sync();
  int value = x[blockIdx.x * 32 + t], next = (rank + 1) % 4;
  for (int i = 0; i < rounds; ++i) {
    int s = i & 1;
    asm volatile(
        "{ .reg .b32 slot, bar;\n"
        "mapa.shared::cluster.u32 slot, %0, %3;\n"
        "mapa.shared::cluster.u32 bar, %1, %3;\n"
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes"
        ".u32 [slot], %2, [bar]; }" ::"r"(shared_address(&slots[s][t])),
        "r"(shared_address(&bars[s])), "r"(value), "r"(next)
        : "memory");
    barrier_wait_cluster(&bars[s], i / 2 & 1);
    value = slots[s][(t + 1) & 31] * 3 + rank;
    __syncwarp();
    if (t == 0)
      barrier_expect(&bars[s], 128);
    cluster.sync(); // The slot is free, and its barrier expects again.
  }
  out[blockIdx.x * 32 + t] = value;
}

// One copy from global memory to the shared memory of all blocks; then each
// sends a half of it to its neighbour.
extern "C" __global__ void __cluster_dims__(4, 1, 1)
    cluster_multicast(const int *x, int *out) {
  __shared__ alignas(16) int tile[4][32];
  __shared__ alignas(16) int half[2][32];
  __shared__ uint64_t full, sent;
  cg::cluster_group cluster = cg::this_cluster();
  int t = threadIdx.x, rank = cluster.block_rank();
  if (t == 0) {
    barrier_init(&full, 1);
    barrier_init(&sent, 1);
    fence_barrier_init();
    barrier_expect(&full, 4 * 128);
    barrier_expect(&sent, 2 * 128);
  }
  cluster.sync();
  if (t == 0)
    asm volatile("cp.async.bulk.shared::cluster.global"
                 ".mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1], 128, [%2], %3;" ::"r"(shared_address(tile[rank])),
                 "l"(x + blockIdx.x * 32), "r"(shared_address(&full)),
                 "h"((short)15)
                 : "memory");
  barrier_wait_cluster(&full, 0);
  if (t == 0)
    asm volatile(
        "{ .reg .b32 to, bar;\n"
        "mapa.shared::cluster.u32 to, %0, %3;\n"
        "mapa.shared::cluster.u32 bar, %1, %3;\n"
        "cp.async.bulk.shared::cluster.shared::cta"
        ".mbarrier::complete_tx::bytes [to], [%2], 256, [bar]; }" ::"r"(
            shared_address(half)),
        "r"(shared_address(&sent)), "r"(shared_address(tile[2])), "r"(rank ^ 1)
        : "memory");
  barrier_wait_cluster(&sent, 0);
  int sum = 0;
  for (int i = 0; i < 4; ++i)
    sum = sum * 5 + tile[i][(t + rank) & 31];
  out[blockIdx.x * 32 + t] = sum - half[0][t] * half[1][31 - t];
  cluster.sync();
}

// Arrivals at another block's barrier, and its sums by asynchronous additions.
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    cluster_arrive(const int *x, int *out) {
  __shared__ int sum[2];
  __shared__ uint64_t ready, done;
  cg::cluster_group cluster = cg::this_cluster();
  int t = threadIdx.x, rank = cluster.block_rank();
  if (t == 0) {
    sum[0] = rank * 1000, sum[1] = 0;
    barrier_init(&ready, 32);
    barrier_init(&done, 1);
    fence_barrier_init();
    barrier_expect(&done, 32 * 4);
  }
  cluster.sync();
  asm volatile("{ .reg .b32 to, bar;\n"
               "mapa.shared::cluster.u32 to, %0, %3;\n"
               "mapa.shared::cluster.u32 bar, %1, %3;\n"
               "red.async.relaxed.cluster.shared::cluster"
               ".mbarrier::complete_tx::bytes.add.u32 [to], %2, [bar]; }" ::"r"(
                   shared_address(&sum[t % 2])),
               "r"(shared_address(&done)), "r"(x[blockIdx.x * 32 + t]),
               "r"(rank ^ 1)
               : "memory");
  barrier_wait_cluster(&done, 0);
  asm volatile("{ .reg .b32 bar;\n"
               "mapa.shared::cluster.u32 bar, %0, %1;\n"
               "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [bar];"
               "}" ::"r"(shared_address(&ready)),
               "r"(rank ^ 1)
               : "memory");
  barrier_wait_cluster(&ready, 0);
  if (t < 2)
    out[blockIdx.x * 2 + t] = sum[t];
}

// Where a block stands in its cluster, and the cluster in the grid.
extern "C" __global__ void __cluster_dims__(2, 2, 1)
    cluster_registers(unsigned *out) {
#define READ(i, name) asm volatile("mov.u32 %0, %%" name ";" : "=r"(own[i]))
  unsigned own[10];
  READ(0, "clusterid.x");
  READ(1, "clusterid.y");
  READ(2, "nclusterid.x");
  READ(3, "nclusterid.y");
  READ(4, "cluster_ctaid.x");
  READ(5, "cluster_ctaid.y");
  READ(6, "cluster_nctaid.x");
  READ(7, "cluster_nctaid.y");
  READ(8, "cluster_ctarank");
  READ(9, "cluster_nctarank");
  for (int i = 0; i < 10; ++i)
    out[(blockIdx.y * gridDim.x + blockIdx.x) * 10 + i] = own[i];
}
