#include <cuda_bf16.h>
#include <cuda_fp16.h>

// Attention with a running maximum; a warp a query, lanes along the head of
// 64, causal.
extern "C" __global__ void attention(const float2 *q, const float2 *k,
                                     const float2 *v, float2 *out,
                                     float scale) {
  int row = blockIdx.x, lane = threadIdx.x;
  float2 mine = q[row * 32 + lane], sum = make_float2(0, 0);
  float most = -INFINITY, total = 0;
  for (int j = 0; j <= row; ++j) {
    float2 key = k[j * 32 + lane], value = v[j * 32 + lane];
    float s = mine.x * key.x + mine.y * key.y;
    for (int step = 16; step; step /= 2)
      s += __shfl_xor_sync(~0u, s, step);
    s *= scale;
    float next = fmaxf(most, s), old = expf(most - next), p = expf(s - next);
    sum = make_float2(sum.x * old + p * value.x, sum.y * old + p * value.y);
    total = total * old + p;
    most = next;
  }
  out[row * 32 + lane] = make_float2(sum.x / total, sum.y / total);
}

// Pairs of a head are rotated by an angle of the position.
extern "C" __global__ void rotary(float2 *x, int pairs, float base) {
  int position = blockIdx.x, i = threadIdx.x;
  float angle = position * powf(base, -2.0f * i / (2.0f * pairs)), s, c;
  sincosf(angle, &s, &c);
  float2 v = x[position * pairs + i];
  x[position * pairs + i] = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
}

// Rows of a bf16 table, and their gradients added back.
extern "C" __global__ void embedding(const __nv_bfloat162 *table,
                                     const int *tokens, __nv_bfloat162 *out,
                                     float2 *gradients) {
  int token = tokens[blockIdx.x], width = blockDim.x;
  if (token < 0)
    return;
  __nv_bfloat162 v = table[token * width + threadIdx.x];
  out[blockIdx.x * width + threadIdx.x] = v;
  float2 f = __bfloat1622float2(v);
  atomicAdd(&gradients[token * width + threadIdx.x].x, f.x);
  atomicAdd(&gradients[token * width + threadIdx.x].y, f.y);
}

// y = A x, f16 with sums in f32, a warp a row, read-only loads of 16 bytes.
extern "C" __global__ void matrix_vector(const uint4 *a, const uint4 *x,
                                         __half *y, int n8) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int i = threadIdx.x; i < n8; i += 32) {
    uint4 u = __ldcs(a + row * n8 + i), v = __ldg(x + i);
    const __half2 *p = (const __half2 *)&u, *r = (const __half2 *)&v;
    for (int j = 0; j < 4; ++j) {
      float2 f = __half22float2(p[j]), g = __half22float2(r[j]);
      sum = fmaf(f.x, g.x, fmaf(f.y, g.y, sum));
    }
  }
  for (int step = 16; step; step /= 2)
    sum += __shfl_down_sync(~0u, sum, step);
  if (threadIdx.x == 0)
    y[row] = __float2half(sum);
}

// GELU with tanh, SiLU, leaky ReLU, and a Bernoulli mask from a bit field.
extern "C" __global__ void activations(const float *x, const unsigned *keep,
                                       float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float v = x[i];
  y[i] = 0.5f * v * (1 + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
  y[n + i] = v / (1 + expf(-v));
  y[2 * n + i] = v < 0 ? 0.01f * v : v;
  y[3 * n + i] = keep[i / 32] >> i % 32 & 1 ? v * 2 : 0;
}
