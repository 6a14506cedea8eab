#include <cuda_bf16.h>
#include <cuda_fp16.h>

// Packed pairs: fma, min, max, comparison, absolute value, and NaNs.
extern "C" __global__ void half2_math(const __half2 *a, const __half2 *b,
                                      __half2 *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  __half2 x = a[i], y = b[i];
  out[i] = __hfma2(x, y, __float2half2_rn(1.5f));
  out[n + i] = __hadd2_sat(x, y);
  out[2 * n + i] = __hmin2(x, y);
  out[3 * n + i] = __hmax2_nan(x, y);
  out[4 * n + i] = __hgt2(x, y);
  out[5 * n + i] = __hmul2_rn(__habs2(x), __hneg2(y));
  out[6 * n + i] = __hfma2_relu(x, y, x);
  out[7 * n + i] = __lowhigh2highlow(__hsub2(x, y));
}

extern "C" __global__ void bf162_math(const __nv_bfloat162 *a,
                                      const __nv_bfloat162 *b,
                                      __nv_bfloat162 *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  __nv_bfloat162 x = a[i], y = b[i];
  out[i] = __hfma2(x, y, y);
  out[n + i] = __hadd2_rn(x, y);
  out[2 * n + i] = __hmin2(x, y);
  out[3 * n + i] = __hmax2(x, y);
  out[4 * n + i] = __hmul2_rn(x, y);
  out[5 * n + i] = __halves2bfloat162(__low2bfloat16(y), __high2bfloat16(x));
}

// One value at a time, and the special functions of f16.
extern "C" __global__ void half_functions(const __half *x, __half *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  __half v = x[i];
  out[i] = hsqrt(v);
  out[n + i] = hrcp(v);
  out[2 * n + i] = hexp2(v);
  out[3 * n + i] = hlog2(v);
  out[4 * n + i] = __hdiv(__float2half(3.0f), v);
  out[5 * n + i] = hrint(v);
}

// Roundings of f32 to f16 and bf16.
extern "C" __global__ void narrow(const float *x, __half *h, __nv_bfloat16 *b,
                                  int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float v = x[i];
  h[i] = __float2half_rn(v);
  h[n + i] = __float2half_rz(v);
  h[2 * n + i] = __float2half_rd(v);
  h[3 * n + i] = __float2half_ru(v);
  b[i] = __float2bfloat16_rn(v);
  b[n + i] = __float2bfloat16_rz(v);
}
