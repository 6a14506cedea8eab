// Two halves of shared memory by turns; one block.
extern "C" __global__ void scan_inclusive(const int *x, int *out) {
  __shared__ int buffer[2][256];
  int t = threadIdx.x, from = 0;
  buffer[0][t] = x[t];
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    int v = buffer[from][t];
    if (t >= step)
      v += buffer[from][t - step];
    from ^= 1;
    buffer[from][t] = v;
    __syncthreads();
  }
  out[t] = buffer[from][t];
}

// Up and down a tree, in place; floats.
extern "C" __global__ void scan_exclusive(const float *x, float *out) {
  __shared__ float tree[512];
  int t = threadIdx.x;
  tree[2 * t] = x[2 * t];
  tree[2 * t + 1] = x[2 * t + 1];
  int offset = 1;
  for (int d = 256; d; d >>= 1, offset *= 2) {
    __syncthreads();
    if (t < d)
      tree[offset * (2 * t + 2) - 1] += tree[offset * (2 * t + 1) - 1];
  }
  if (t == 0)
    tree[511] = 0;
  for (int d = 1; d < 512; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
      float left = tree[a];
      tree[a] = tree[b];
      tree[b] += left;
    }
  }
  __syncthreads();
  out[2 * t] = tree[2 * t];
  out[2 * t + 1] = tree[2 * t + 1];
}

// The values that pass, close together and in order: ballots and counts.
extern "C" __global__ void compact(const int *x, int *out, int *count, int n) {
  __shared__ int warps[8];
  int t = threadIdx.x, lane = t % 32, total = 0;
  for (int begin = 0; begin < n; begin += 256) {
    int i = begin + t;
    bool keep = i < n && x[i] % 3 == 0;
    unsigned mask = __ballot_sync(~0u, keep);
    if (lane == 0)
      warps[t / 32] = __popc(mask);
    __syncthreads();
    int before = total;
    for (int w = 0; w < 8; ++w) {
      before += w < t / 32 ? warps[w] : 0;
      total += warps[w];
    }
    if (keep)
      out[before + __popc(mask & ((1u << lane) - 1))] = x[i];
    __syncthreads();
  }
  if (t == 0)
    *count = total;
}

// One pass over many blocks: each publishes its sum, then its prefix, and
// looks back over those before it. `state` holds (value, flag) of each block.
extern "C" __global__ void scan_lookback(const unsigned *x, unsigned *out,
                                         volatile unsigned long long *state,
                                         unsigned *ticket) {
  __shared__ unsigned parts[128], prefix, mine;
  int t = threadIdx.x;
  if (t == 0)
    mine = atomicAdd(ticket, 1);
  __syncthreads();
  unsigned b = mine, v = x[b * 128 + t];
  parts[t] = v;
  for (int step = 1; step < 128; step *= 2) {
    __syncthreads();
    unsigned left = t >= step ? parts[t - step] : 0;
    __syncthreads();
    parts[t] += left;
  }
  __syncthreads();
  if (t == 0) {
    unsigned long long sum = parts[127];
    state[b] = sum << 2 | (b ? 1 : 2);
    unsigned before = 0;
    for (int k = (int)b - 1; k >= 0;) {
      unsigned long long s = state[k];
      if ((s & 3) == 0)
        continue;
      before += (unsigned)(s >> 2);
      if ((s & 3) == 2)
        break;
      --k;
    }
    state[b] = (unsigned long long)(before + parts[127]) << 2 | 2;
    prefix = before;
  }
  __syncthreads();
  out[b * 128 + t] = prefix + parts[t];
}

// Sums that begin anew at each flag, by shuffles in one warp.
extern "C" __global__ void scan_segments(const int *x, const int *first,
                                         int *out) {
  int lane = threadIdx.x, i = blockIdx.x * 32 + lane;
  int v = x[i], f = first[i];
  for (int step = 1; step < 32; step *= 2) {
    int left = __shfl_up_sync(~0u, v, step);
    int flag = __shfl_up_sync(~0u, f, step);
    if (lane >= step) {
      v = f ? v : v + left;
      f |= flag;
    }
  }
  out[i] = v;
}
