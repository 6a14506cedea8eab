// Division and remainder of each width; the compiler makes 64-bit ones of
// narrower steps.
extern "C" __global__ void divide(const long long *a, const long long *b,
                                  long long *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  long long x = a[i], y = b[i];
  out[i] = x / y;
  out[n + i] = x % y;
  out[2 * n + i] = (long long)((unsigned long long)x / (unsigned long long)y);
  out[3 * n + i] = (int)x / (int)(y | 1);
  out[4 * n + i] = (unsigned)x % (unsigned)(y | 1);
  out[5 * n + i] = (short)((short)x / (short)(y | 1));
  out[6 * n + i] = x / 7 + (int)x % 1000 + (unsigned char)x / 10;
}

// 8-, 16- and 32-bit wrap-around, saturation and widening.
extern "C" __global__ void widths(const int *a, const int *b, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int x = a[i], y = b[i];
  out[i] = (signed char)(x + y);
  out[n + i] = (unsigned char)(x * y);
  out[2 * n + i] = (short)(x - y) * (short)y;
  out[3 * n + i] = min(max(x, -1000), y);
  out[4 * n + i] = __mulhi(x, y);
  out[5 * n + i] = (int)__umulhi(x, y) ^ __mul24(x, y);
  out[6 * n + i] = (x >> (y & 31)) + (int)((unsigned)x >> (y & 31));
  asm("add.sat.s32 %0, %1, %2;" : "=r"(out[7 * n + i]) : "r"(x), "r"(y));
}
