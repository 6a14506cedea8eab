// A tile of 32x32 in shared memory, with a column of padding against bank
// conflicts.
extern "C" __global__ void transpose(const float *in, float *out, int rows,
                                     int columns) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < columns && y + j < rows)
      tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * columns + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < rows && y + j < columns)
      out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}

// [a, b, c, d] to [a, c, b, d], 16-bit elements in pairs.
extern "C" __global__ void swap_middle(const ushort2 *in, ushort2 *out, int b,
                                       int c, int d2) {
  int a = blockIdx.y;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < b * c * d2;
       i += gridDim.x * blockDim.x) {
    int k = i % d2, j = i / d2 % b, l = i / (d2 * b);
    out[a * b * c * d2 + i] = in[((a * b + j) * c + l) * d2 + k];
  }
}

// Bytes at any alignment, copied through words.
extern "C" __global__ void realign(const unsigned char *in, unsigned char *out,
                                   int offset, int n) {
  const unsigned *words = (const unsigned *)in;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * i >= n)
    return;
  int first = offset / 4 + i, shift = offset % 4 * 8;
  unsigned v = __funnelshift_r(words[first], words[first + 1], shift);
  for (int k = 0; k < 4 && 4 * i + k < n; ++k)
    out[4 * i + k] = v >> (8 * k);
}
