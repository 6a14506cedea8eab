#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

// A tree in dynamic shared memory, one result a block.
extern "C" __global__ void reduce_shared(const float *x, float *out, int n) {
  extern __shared__ float partial[];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
  partial[t] =
      (i < n ? x[i] : 0) + (i + blockDim.x < n ? x[i + blockDim.x] : 0);
  for (int half = blockDim.x / 2; half; half >>= 1) {
    __syncthreads();
    if (t < half)
      partial[t] += partial[t + half];
  }
  if (t == 0)
    out[blockIdx.x] = partial[0];
}

// Shuffles, then one atomic addition a warp.
extern "C" __global__ void reduce_shuffle(const float *x, float *out, int n) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x)
    sum += x[i];
  for (int lane = 16; lane; lane >>= 1)
    sum += __shfl_down_sync(~0u, sum, lane);
  if (threadIdx.x % 32 == 0)
    atomicAdd(out, sum);
}

// Cooperative groups: tiles of 8 lanes, then a labelled partition.
extern "C" __global__ void reduce_groups(const int *x, int *sums, int *most) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  int v = x[blockIdx.x * block.size() + block.thread_rank()];
  int sum = cg::reduce(tile, v, cg::plus<int>());
  if (tile.thread_rank() == 0)
    sums[blockIdx.x * tile.meta_group_size() + tile.meta_group_rank()] = sum;
  auto warp = cg::tiled_partition<32>(block);
  auto same = cg::labeled_partition(warp, v & 3);
  most[blockIdx.x * block.size() + block.thread_rank()] =
      cg::reduce(same, v, cg::greater<int>());
}

// Of integers by redux.sync, of each kind.
extern "C" __global__ void reduce_redux(const int *x, int *out) {
  int v = x[blockIdx.x * 32 + threadIdx.x];
  int *row = out + blockIdx.x * 6;
  int results[6] = {__reduce_add_sync(~0u, v),
                    __reduce_min_sync(~0u, v),
                    __reduce_max_sync(~0u, v),
                    (int)__reduce_and_sync(~0u, (unsigned)v),
                    (int)__reduce_or_sync(~0u, (unsigned)v),
                    (int)__reduce_max_sync(~0u, (unsigned)v)};
  if (threadIdx.x == 0)
    for (int k = 0; k < 6; ++k)
      row[k] = results[k];
}

// The place of the greatest: value and index packed for a 64-bit atomic.
extern "C" __global__ void argmax(const float *x, unsigned long long *key,
                                  int n) {
  unsigned long long best = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x) {
    unsigned bits = __float_as_uint(x[i]);
    bits = bits >> 31 ? ~bits : bits | 1u << 31;
    unsigned long long now = (unsigned long long)bits << 32 | (n - i);
    best = max(best, now);
  }
  atomicMax(key, best);
}

// Mean and variance of rows, merged pairwise.
struct Moments {
  float mean, square, count;
};
__device__ Moments merge(Moments a, Moments b) {
  float count = a.count + b.count, delta = b.mean - a.mean;
  float share = count > 0 ? b.count / count : 0;
  return {a.mean + delta * share,
          a.square + b.square + delta * delta * a.count * share, count};
}
extern "C" __global__ void moments(const float *x, float2 *out, int n) {
  __shared__ Moments warps[4];
  Moments m = {0, 0, 0};
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    m = merge(m, {x[blockIdx.x * n + i], 0, 1});
  for (int lane = 16; lane; lane >>= 1)
    m = merge(m, {__shfl_xor_sync(~0u, m.mean, lane),
                  __shfl_xor_sync(~0u, m.square, lane),
                  __shfl_xor_sync(~0u, m.count, lane)});
  if (threadIdx.x % 32 == 0)
    warps[threadIdx.x / 32] = m;
  __syncthreads();
  if (threadIdx.x)
    return;
  m = merge(merge(warps[0], warps[1]), merge(warps[2], warps[3]));
  out[blockIdx.x] = make_float2(m.mean, m.square / m.count);
}

// f64: one block, loads through the read-only path.
extern "C" __global__ void dot_double(const double *__restrict__ a,
                                      const double *__restrict__ b, double *out,
                                      int n) {
  __shared__ double parts[128];
  double sum = 0;
  for (int i = threadIdx.x; i < n; i += 128)
    sum = fma(__ldg(a + i), __ldg(b + i), sum);
  parts[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x)
    return;
  for (int t = 1; t < 128; ++t)
    sum += parts[t];
  *out = sum;
}
