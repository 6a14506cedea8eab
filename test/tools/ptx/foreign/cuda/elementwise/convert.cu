#include <cuda_fp8.h>

// Two codes at a time each way: e4m3 and e5m2 of f32, with satfinite, and the
// f16 values of all codes.
extern "C" __global__ void float_to_f8(const float2 *x,
                                       __nv_fp8x2_storage_t *e4m3,
                                       __nv_fp8x2_storage_t *e5m2, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  e4m3[i] = __nv_cvt_float2_to_fp8x2(x[i], __NV_SATFINITE, __NV_E4M3);
  e5m2[i] = __nv_cvt_float2_to_fp8x2(x[i], __NV_SATFINITE, __NV_E5M2);
}

extern "C" __global__ void f8_to_half(const __nv_fp8x2_storage_t *x,
                                      __half2_raw *e4m3, __half2_raw *e5m2) {
  int i = threadIdx.x;
  e4m3[i] = __nv_cvt_fp8x2_to_halfraw2(x[i], __NV_E4M3);
  e5m2[i] = __nv_cvt_fp8x2_to_halfraw2(x[i], __NV_E5M2);
}

// Each rounding to integers, with values out of range, infinities and NaN.
extern "C" __global__ void float_to_int(const float *x, int *s, unsigned *u,
                                        long long *l, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float v = x[i];
  s[i] = __float2int_rn(v);
  s[n + i] = __float2int_rz(v);
  s[2 * n + i] = __float2int_rd(v);
  s[3 * n + i] = __float2int_ru(v);
  u[i] = __float2uint_rz(v);
  u[n + i] = (unsigned)(unsigned char)__float2uint_rn(v);
  l[i] = __float2ll_rn(v);
  l[n + i] = (long long)__float2ull_rz(v);
}

// Each rounding from integers, and between f64 and f32.
extern "C" __global__ void int_to_float(const long long *x, float *f, double *d,
                                        int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  long long v = x[i];
  f[i] = __ll2float_rn(v);
  f[n + i] = __ll2float_rz(v);
  f[2 * n + i] = __ull2float_rd(v);
  f[3 * n + i] = __int2float_ru((int)v);
  f[4 * n + i] = __double2float_rd(__ll2double_rn(v) / 3.0);
  d[i] = __ll2double_rz(v);
  d[n + i] = __uint2double_rn((unsigned)v);
}
