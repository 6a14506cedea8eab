#include <cuda_pipeline.h>

// C = A B, row-major, M x K and K x N. One thread an element.
extern "C" __global__ void matmul_naive(const float *a, const float *b,
                                        float *c, int m, int n, int k) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= m)
    return;
  float sum = 0;
  for (int i = 0; i < k; ++i)
    sum += a[y * k + i] * b[i * n + x];
  c[y * n + x] = sum;
}

// Tiles of 16x16 in shared memory; any shape.
extern "C" __global__ void matmul_tiled(const float *a, const float *b,
                                        float *c, int m, int n, int k) {
  __shared__ float as[16][16], bs[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
  float sum = 0;
  for (int i = 0; i < k; i += 16) {
    as[ty][tx] = y < m && i + tx < k ? a[y * k + i + tx] : 0;
    bs[ty][tx] = x < n && i + ty < k ? b[(i + ty) * n + x] : 0;
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 16; ++j)
      sum += as[ty][j] * bs[j][tx];
    __syncthreads();
  }
  if (x < n && y < m)
    c[y * n + x] = sum;
}

// 64x64 tiles, 4x4 results a thread, vectors of four.
extern "C" __global__ void matmul_blocked(const float *a, const float *b,
                                          float *c, int n, int k) {
  __shared__ __align__(16) float as[8][64 + 4];
  __shared__ float4 bs[8][16];
  int t = threadIdx.x, tx = t % 16, ty = t / 16;
  a += blockIdx.y * 64 * k;
  b += blockIdx.x * 64;
  float sums[4][4] = {};
  for (int i = 0; i < k; i += 8) {
    if (t < 128) {
      float4 v = *(const float4 *)(a + t / 2 * k + i + t % 2 * 4);
      for (int j = 0; j < 4; ++j)
        as[t % 2 * 4 + j][t / 2] = (&v.x)[j];
    } else {
      int u = t - 128;
      bs[u / 16][u % 16] = *(const float4 *)(b + (i + u / 16) * n + u % 16 * 4);
    }
    __syncthreads();
    for (int j = 0; j < 8; ++j) {
      float4 u = *(const float4 *)&as[j][ty * 4], v = bs[j][tx];
      for (int r = 0; r < 4; ++r) {
        sums[r][0] += (&u.x)[r] * v.x;
        sums[r][1] += (&u.x)[r] * v.y;
        sums[r][2] += (&u.x)[r] * v.z;
        sums[r][3] += (&u.x)[r] * v.w;
      }
    }
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r)
    *(float4 *)(c + (blockIdx.y * 64 + ty * 4 + r) * n + blockIdx.x * 64 +
                tx * 4) =
        make_float4(sums[r][0], sums[r][1], sums[r][2], sums[r][3]);
}

// The next tiles come by cp.async while the present ones are used.
extern "C" __global__ void matmul_async(const float *a, const float *b,
                                        float *c, int n, int k) {
  __shared__ __align__(16) float as[2][32][20], bs[2][16][32];
  int t = threadIdx.x, row = t / 8, column = t % 8 * 4;
  a += blockIdx.y * 32 * k;
  b += blockIdx.x * 32;
  auto fetch = [&](int stage, int i) {
    if (t < 128) {
      __pipeline_memcpy_async(&as[stage][t / 4][t % 4 * 4],
                              a + t / 4 * k + i + t % 4 * 4, 16);
    } else {
      int u = t - 128;
      __pipeline_memcpy_async(&bs[stage][u / 8][u % 8 * 4],
                              b + (i + u / 8) * n + u % 8 * 4, 16);
    }
    __pipeline_commit();
  };
  float sums[4] = {};
  fetch(0, 0);
  for (int i = 0, stage = 0; i < k; i += 16, stage ^= 1) {
    if (i + 16 < k) {
      fetch(stage ^ 1, i + 16);
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
    for (int j = 0; j < 16; ++j)
      for (int s = 0; s < 4; ++s)
        sums[s] += as[stage][row][j] * bs[stage][j][column + s];
    __syncthreads();
  }
  for (int s = 0; s < 4; ++s)
    c[(blockIdx.y * 32 + row) * n + blockIdx.x * 32 + column + s] = sums[s];
}

// Small matrices in f64, a batch of them, each in one warp's registers.
extern "C" __global__ void matmul_batched(const double *a, const double *b,
                                          double *c) {
  int lane = threadIdx.x, base = blockIdx.x * 64;
  double2 x = ((const double2 *)(a + base))[lane];
  double2 y = ((const double2 *)(b + base))[lane];
  double2 sum = make_double2(0, 0);
  int row = lane / 4 * 4, column = lane % 4;
  for (int k = 0; k < 8; ++k) {
    double u = __shfl_sync(~0u, k & 1 ? x.y : x.x, row + k / 2);
    double v0 = __shfl_sync(~0u, y.x, k * 4 + column);
    double v1 = __shfl_sync(~0u, y.y, k * 4 + column);
    sum.x = fma(u, v0, sum.x);
    sum.y = fma(u, v1, sum.y);
  }
  ((double2 *)(c + base))[lane] = sum;
}

// Bytes by dp4a; B is stored by columns.
extern "C" __global__ void matmul_bytes(const int *a, const int *b, int *c,
                                        int n, int k4) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, sum = 0;
  for (int i = 0; i < k4; ++i)
    sum = __dp4a(a[y * k4 + i], b[x * k4 + i], sum);
  c[y * n + x] = sum;
}

// A row of results is split over blocks along K; they meet by atomics.
extern "C" __global__ void matmul_split(const float *a, const float *b,
                                        float *c, int n, int k, int part) {
  int x = threadIdx.x, y = blockIdx.x, begin = blockIdx.y * part;
  float sum = 0;
  for (int i = begin; i < min(begin + part, k); ++i)
    sum += a[y * k + i] * b[i * n + x];
  atomicAdd(&c[y * n + x], sum);
}
