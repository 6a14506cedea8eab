// Each block counts in shared memory and adds to global memory.
extern "C" __global__ void histogram_shared(const unsigned char *x,
                                            unsigned *bins, int n) {
  __shared__ unsigned counts[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    counts[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x)
    atomicAdd(&counts[x[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    atomicAdd(&bins[i], counts[i]);
}

// Straight into global memory, four bytes a load; lanes with the same bin are
// counted together.
extern "C" __global__ void histogram_match(const uchar4 *x, unsigned *bins,
                                           int n4) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n4)
    return;
  uchar4 v = x[i];
  unsigned char keys[4] = {v.x, v.y, v.z, v.w};
  for (unsigned char key : keys) {
    unsigned same = __match_any_sync(__activemask(), key / 16);
    if ((same & ((1u << threadIdx.x % 32) - 1)) == 0)
      atomicAdd(&bins[key / 16], __popc(same));
  }
}
