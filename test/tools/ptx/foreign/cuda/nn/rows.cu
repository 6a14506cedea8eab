#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;

// Sum or maximum over a block of up to 1024 threads.
template <typename Op> __device__ float over_block(float v, Op op, float none) {
  __shared__ float warps[32];
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  v = cg::reduce(warp, v, op);
  __syncthreads();
  if (warp.thread_rank() == 0)
    warps[threadIdx.x / 32] = v;
  __syncthreads();
  v = threadIdx.x % 32 < blockDim.x / 32 ? warps[threadIdx.x % 32] : none;
  return cg::reduce(warp, v, op);
}

extern "C" __global__ void softmax(const float *x, float *y, int n) {
  x += blockIdx.x * n;
  y += blockIdx.x * n;
  float most = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    most = fmaxf(most, x[i]);
  most = over_block(most, cg::greater<float>(), -INFINITY);
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    sum += expf(x[i] - most);
  sum = over_block(sum, cg::plus<float>(), 0);
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    y[i] = expf(x[i] - most) / sum;
}

// Maximum and sum in one pass, a warp a row.
extern "C" __global__ void softmax_online(const float *x, float *y, int n) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  x += row * n;
  y += row * n;
  float most = -1e30f, sum = 0;
  for (int i = threadIdx.x; i < n; i += 32) {
    float next = fmaxf(most, x[i]);
    sum = sum * __expf(most - next) + __expf(x[i] - next);
    most = next;
  }
  for (int step = 16; step; step /= 2) {
    float other = __shfl_xor_sync(~0u, most, step);
    float part = __shfl_xor_sync(~0u, sum, step), next = fmaxf(most, other);
    sum = sum * __expf(most - next) + part * __expf(other - next);
    most = next;
  }
  for (int i = threadIdx.x; i < n; i += 32)
    y[i] = __expf(x[i] - most) * __frcp_rn(sum);
}

extern "C" __global__ void layer_norm(const float *x, const float *scale,
                                      const float *shift, float *y, int n,
                                      float epsilon) {
  x += blockIdx.x * n;
  float sum = 0, square = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    sum += x[i];
  float mean = over_block(sum, cg::plus<float>(), 0) / n;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    square += (x[i] - mean) * (x[i] - mean);
  float factor = rsqrtf(over_block(square, cg::plus<float>(), 0) / n + epsilon);
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    y[blockIdx.x * n + i] = (x[i] - mean) * factor * scale[i] + shift[i];
}

// f16 in vectors of eight, kept in registers between the passes.
extern "C" __global__ void rms_norm(const uint4 *x, const uint4 *weight,
                                    uint4 *y, float epsilon) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  uint4 v = x[i], w = weight[threadIdx.x];
  __half2 *h = (__half2 *)&v, *k = (__half2 *)&w;
  float square = 0;
  for (int j = 0; j < 4; ++j) {
    float2 f = __half22float2(h[j]);
    square += f.x * f.x + f.y * f.y;
  }
  square = over_block(square, cg::plus<float>(), 0);
  float factor = rsqrtf(square / (blockDim.x * 8) + epsilon);
  for (int j = 0; j < 4; ++j) {
    float2 f = __half22float2(h[j]), g = __half22float2(k[j]);
    h[j] = __floats2half2_rn(f.x * factor * g.x, f.y * factor * g.y);
  }
  y[i] = v;
}
