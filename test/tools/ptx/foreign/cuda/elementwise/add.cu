// One thread an element, the last block partly idle.
extern "C" __global__ void vector_add(const float *a, const float *b, float *c,
                                      int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}

// Fewer threads than elements.
extern "C" __global__ void saxpy(float a, const float *x, float *y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x)
    y[i] = a * x[i] + y[i];
}

// Every `step`-th element, 64-bit indices.
extern "C" __global__ void strided_copy(const double *x, double *y, long n,
                                        long step) {
  long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i * step < n)
    y[i] = x[i * step];
}

// Vectors of 16 bytes, and a structure passed by value.
struct Affine {
  float4 scale;
  float shift[4];
  short clampAt;
};
extern "C" __global__ void affine(const float4 *x, float4 *y, Affine f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float4 v = x[i];
  float top = f.clampAt;
  y[i] = make_float4(fminf(v.x * f.scale.x + f.shift[0], top),
                     fminf(v.y * f.scale.y + f.shift[1], top),
                     fminf(v.z * f.scale.z + f.shift[2], top),
                     fminf(v.w * f.scale.w + f.shift[3], top));
}

// A grid and a block of three dimensions; the kernel adds up its place.
extern "C" __global__ void places(unsigned *out) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
  unsigned w = gridDim.x * blockDim.x, h = gridDim.y * blockDim.y;
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  out[(z * h + y) * w + x] = x | y << 8 | z << 16 | lane << 24;
}
