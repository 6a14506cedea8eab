#include "async.cuh"

/// Starts the one barrier of a block.
__device__ inline void start(uint64_t *bar, int bytes) {
  if (threadIdx.x == 0) {
    barrier_init(bar, 1);
    fence_barrier_init();
    barrier_expect(bar, bytes);
  }
  __syncthreads();
}
__device__ inline void store_done() {
  bulk_commit();
  bulk_wait();
}

// Boxes of 16 rows of 32, in a grid that begins before the matrix and ends
// beyond it; what is outside reads as zero and is not written.
extern "C" __global__ void tma_edges(const __grid_constant__ TensorMap from,
                                     const __grid_constant__ TensorMap to) {
  __shared__ alignas(128) float tile[16][32];
  __shared__ uint64_t bar;
  int x = blockIdx.x * 32 - 5, y = blockIdx.y * 16 - 3, t = threadIdx.x;
  start(&bar, sizeof(tile));
  if (t == 0)
    load_box(tile, &from, x, y, &bar);
  barrier_wait(&bar, 0);
  for (int i = 0; i < 16; ++i)
    tile[i][t] += (float)(i * 100 + t);
  fence_async();
  __syncthreads();
  if (t == 0) {
    store_box(&to, x, y, tile);
    store_done();
  }
}

// What a swizzled box looks like in shared memory, byte by byte.
extern "C" __global__ void tma_swizzles(const __grid_constant__ TensorMap m32,
                                        const __grid_constant__ TensorMap m64,
                                        const __grid_constant__ TensorMap m128,
                                        uint32_t *out) {
  __shared__ alignas(1024) uint32_t tiles[3][512];
  __shared__ uint64_t bar;
  int t = threadIdx.x;
  start(&bar, 16 * 32 + 16 * 64 + 16 * 128);
  if (t == 0) {
    load_box(tiles[0], &m32, 0, 0, &bar);
    load_box(tiles[1], &m64, 2, 1, &bar);
    load_box(tiles[2], &m128, 8, 5, &bar);
  }
  barrier_wait(&bar, 0);
  int words[3] = {128, 256, 512};
  for (int k = 0; k < 3; ++k)
    for (int i = t; i < words[k]; i += blockDim.x)
      out[k * 512 + i] = tiles[k][i];
}

// Swizzled in, read by hand, swizzled out through another map.
extern "C" __global__ void tma_transpose(const __grid_constant__ TensorMap from,
                                         const __grid_constant__ TensorMap to) {
  __shared__ alignas(1024) uint16_t in[64 * 64], out[64 * 64];
  __shared__ uint64_t bar;
  start(&bar, sizeof(in));
  if (threadIdx.x == 0)
    load_box(in, &from, blockIdx.x * 64, blockIdx.y * 64, &bar);
  barrier_wait(&bar, 0);
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) {
    int r = i / 64, c = i % 64;
    // 16-byte pieces of a row change places with the row modulo 8.
    out[c * 64 + (r / 8 ^ c % 8) * 8 + r % 8] =
        in[r * 64 + (c / 8 ^ r % 8) * 8 + c % 8];
  }
  fence_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    store_box(&to, blockIdx.y * 64, blockIdx.x * 64, out);
    store_done();
  }
}

// Three and five dimensions; a step of 2 along one of them.
extern "C" __global__ void tma_ranks(const __grid_constant__ TensorMap three,
                                     const __grid_constant__ TensorMap five,
                                     uint16_t *out3, uint16_t *out5) {
  __shared__ alignas(128) uint16_t a[3 * 4 * 8], b[2 * 2 * 3 * 2 * 8];
  __shared__ uint64_t bar;
  start(&bar, sizeof(a) + sizeof(b));
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.prefetch.tensor.3d.L2.global.tile "
                 "[%0, {0, 0, 0}];" ::"l"(&three)
                 : "memory");
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile"
                 ".mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], "
                 "[%2];" ::"r"(shared_address(a)),
                 "l"(&three), "r"(shared_address(&bar)), "r"(-2), "r"(3), "r"(1)
                 : "memory");
    asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.tile"
                 ".mbarrier::complete_tx::bytes [%0], "
                 "[%1, {%3, %4, %5, %6, %7}], [%2];" ::"r"(shared_address(b)),
                 "l"(&five), "r"(shared_address(&bar)), "r"(0), "r"(1), "r"(0),
                 "r"(2), "r"(1)
                 : "memory");
  }
  barrier_wait(&bar, 0);
  for (int i = threadIdx.x; i < 3 * 4 * 8; i += blockDim.x)
    out3[i] = a[i];
  for (int i = threadIdx.x; i < 2 * 2 * 3 * 2 * 8; i += blockDim.x)
    out5[i] = b[i];
}

// Boxes of blocks that overlap are added, and their maxima taken.
extern "C" __global__ void tma_reduce(const __grid_constant__ TensorMap sum,
                                      const __grid_constant__ TensorMap most,
                                      const int *x) {
  __shared__ alignas(128) float values[8][16];
  __shared__ alignas(128) int whole[8][16];
  int t = threadIdx.x, v = x[blockIdx.x * 128 + t];
  whole[t / 16][t % 16] = v;
  values[t / 16][t % 16] = v;
  fence_async();
  __syncthreads();
  if (t == 0) {
    asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile"
                 ".bulk_group [%0, {%1, %2}], [%3];" ::"l"(&sum),
                 "r"((int)blockIdx.x * 8 - 4), "r"(2),
                 "r"(shared_address(values))
                 : "memory");
    asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.max.tile"
                 ".bulk_group [%0, {%1, %2}], [%3];" ::"l"(&most),
                 "r"((int)blockIdx.x * 8 - 4), "r"(-1),
                 "r"(shared_address(whole))
                 : "memory");
    store_done();
  }
}

// One box to both blocks of a cluster, each fetching half of it.
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    tma_multicast(const __grid_constant__ TensorMap map, float *out) {
  __shared__ alignas(128) float tile[2][8][8];
  __shared__ uint64_t bar;
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  start(&bar, sizeof(tile));
  asm volatile("barrier.cluster.arrive.release;\n"
               "barrier.cluster.wait.acquire;" ::
                   : "memory");
  if (threadIdx.x == 0)
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile"
                 ".mbarrier::complete_tx::bytes.multicast::cluster [%0], "
                 "[%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(tile[rank])),
                 "l"(&map), "r"((int)(blockIdx.x / 2) * 8), "r"((int)rank * 8),
                 "r"(shared_address(&bar)), "h"((short)3)
                 : "memory");
  barrier_wait(&bar, 0);
  int t = threadIdx.x;
  out[blockIdx.x * 64 + t] = tile[t % 2][t / 8][t % 8] * (float)(rank + 1);
  asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}

// A map whose address and extents the kernel changes before it loads with it.
extern "C" __global__ void tma_replace(const __grid_constant__ TensorMap map,
                                       const float *x, TensorMap *room,
                                       float *out, int rows) {
  __shared__ alignas(128) TensorMap own;
  __shared__ alignas(128) float tile[8][8];
  __shared__ uint64_t bar;
  int t = threadIdx.x;
  if (t < 32)
    ((uint32_t *)&own)[t] = ((const uint32_t *)&map)[t];
  start(&bar, sizeof(tile));
  TensorMap *place = room + blockIdx.x;
  if (t == 0) {
    asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 "
                 "[%0], %1;" ::"r"(shared_address(&own)),
                 "l"(x + blockIdx.x * rows * 16)
                 : "memory");
    asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 "
                 "[%0], 1, %1;" ::"r"(shared_address(&own)),
                 "r"(rows)
                 : "memory");
  }
  __syncthreads();
  if (t < 32)
    asm volatile("tensormap.cp_fenceproxy.global.shared::cta"
                 ".tensormap::generic.release.gpu.sync.aligned "
                 "[%0], [%1], 128;" ::"l"(place),
                 "r"(shared_address(&own))
                 : "memory");
  if (t == 0) {
    asm volatile(
        "fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(place)
        : "memory");
    load_box(tile, place, 4, rows - 6, &bar); // Two rows beyond: zeros.
  }
  barrier_wait(&bar, 0);
  out[blockIdx.x * 64 + t] = tile[t / 8][t % 8];
}
