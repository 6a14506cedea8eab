// Directed roundings of f32.
extern "C" __global__ void directed(const float *a, const float *b, float *out,
                                    int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float x = a[i], y = b[i];
  out[i] = __fadd_rz(x, y);
  out[n + i] = __fadd_ru(x, y);
  out[2 * n + i] = __fmul_rd(x, y);
  out[3 * n + i] = __fmul_rn(x, y);
  out[4 * n + i] = __fmaf_rn(x, y, 1.0f);
  out[5 * n + i] = __fdiv_ru(x, y);
  out[6 * n + i] = __fsqrt_rz(fabsf(x));
  out[7 * n + i] = __frcp_rd(y);
}

// The accurate functions of the CUDA library: some take large arguments
// through a table in memory.
extern "C" __global__ void functions(const float *x, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float v = x[i], a = fabsf(v);
  out[i] = expf(v);
  out[n + i] = logf(a);
  out[2 * n + i] = sinf(v * 1e5f);
  out[3 * n + i] = cosf(v);
  out[4 * n + i] = tanhf(v);
  out[5 * n + i] = erff(v);
  out[6 * n + i] = powf(a, 1.7f);
  out[7 * n + i] = rsqrtf(a);
  out[8 * n + i] = atan2f(v, 0.5f);
  out[9 * n + i] = cbrtf(v);
  out[10 * n + i] = log1pf(a);
  out[11 * n + i] = fmodf(v * 100.0f, 0.7f);
}

// The fast ones: ex2, lg2, sin, cos, rcp and tanh .approx.
extern "C" __global__ void fast_functions(const float *x, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float v = x[i], a = fabsf(v), t;
  out[i] = __expf(v);
  out[n + i] = __log2f(a);
  out[2 * n + i] = __sinf(v);
  out[3 * n + i] = __cosf(v);
  out[4 * n + i] = __fdividef(1.0f, v);
  asm("tanh.approx.f32 %0, %1;" : "=f"(t) : "f"(v));
  out[5 * n + i] = t;
  out[6 * n + i] = sqrtf(a);
  out[7 * n + i] = v / 3.0f;
}

extern "C" __global__ void double_functions(const double *x, double *out,
                                            int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double v = x[i], a = fabs(v);
  out[i] = exp(v);
  out[n + i] = log(a);
  out[2 * n + i] = sin(v);
  out[3 * n + i] = sqrt(a);
  out[4 * n + i] = 1.0 / v;
  out[5 * n + i] = fma(v, v, -1.0);
  out[6 * n + i] = pow(a, 0.3);
  out[7 * n + i] = rint(v * 10.0);
  out[8 * n + i] = rsqrt(a);
}
