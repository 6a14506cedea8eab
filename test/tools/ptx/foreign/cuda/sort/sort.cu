// Bitonic: 512 keys with values, one block, all stages in shared memory.
extern "C" __global__ void bitonic(float *keys, int *values) {
  __shared__ float k[512];
  __shared__ int v[512];
  int base = blockIdx.x * 512;
  for (int i = threadIdx.x; i < 512; i += 256) {
    k[i] = keys[base + i];
    v[i] = values[base + i];
  }
  for (int size = 2; size <= 512; size *= 2)
    for (int step = size / 2; step; step /= 2) {
      __syncthreads();
      int i = 2 * threadIdx.x - (threadIdx.x & (step - 1)), j = i + step;
      bool up = (i & size) == 0;
      if ((k[i] > k[j]) == up) {
        float f = k[i];
        k[i] = k[j];
        k[j] = f;
        int w = v[i];
        v[i] = v[j];
        v[j] = w;
      }
    }
  __syncthreads();
  for (int i = threadIdx.x; i < 512; i += 256) {
    keys[base + i] = k[i];
    values[base + i] = v[i];
  }
}

// One digit of a radix sort: stable, four bits, places by ballots.
extern "C" __global__ void radix_digit(const unsigned *in, unsigned *out,
                                       int shift) {
  __shared__ unsigned counts[16][8];
  __shared__ unsigned start[16][8];
  int t = threadIdx.x, warp = t / 32, lane = t % 32;
  unsigned key = in[blockIdx.x * 256 + t], digit = key >> shift & 15;
  unsigned same = 0;
  for (int d = 0; d < 16; ++d) {
    unsigned mask = __ballot_sync(~0u, digit == d);
    if (lane == 0)
      counts[d][warp] = __popc(mask);
    if (digit == d)
      same = mask;
  }
  __syncthreads();
  if (t < 128) {
    int d = t / 8, w = t % 8;
    unsigned before = 0;
    for (int i = 0; i < d * 8 + w; ++i)
      before += counts[i / 8][i % 8];
    start[d][w] = before;
  }
  __syncthreads();
  unsigned rank = __popc(same & ((1u << lane) - 1));
  out[blockIdx.x * 256 + start[digit][warp] + rank] = key;
}

// The k greatest of each row, in order, by repeated warp-wide maxima.
extern "C" __global__ void top_k(const float *x, float *values, int *places,
                                 int n, int k) {
  int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
  extern __shared__ float rows[];
  float *mine = rows + threadIdx.y * n;
  for (int i = lane; i < n; i += 32)
    mine[i] = x[row * n + i];
  __syncwarp();
  for (int j = 0; j < k; ++j) {
    float best = -INFINITY;
    int at = n;
    for (int i = lane; i < n; i += 32)
      if (mine[i] > best) {
        best = mine[i];
        at = i;
      }
    for (int step = 16; step; step /= 2) {
      float other = __shfl_xor_sync(~0u, best, step);
      int place = __shfl_xor_sync(~0u, at, step);
      if (other > best || (other == best && place < at)) {
        best = other;
        at = place;
      }
    }
    if (lane == 0) {
      values[row * k + j] = best;
      places[row * k + j] = at;
      mine[at] = -INFINITY;
    }
    __syncwarp();
  }
}

// Two sorted lists into one: each thread finds its place by bisection.
extern "C" __global__ void merge_path(const int *a, int na, const int *b,
                                      int nb, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= na + nb)
    return;
  bool ofA = i < na;
  int key = ofA ? a[i] : b[i - na];
  const int *other = ofA ? b : a;
  int low = 0, high = ofA ? nb : na;
  while (low < high) {
    int middle = (low + high) / 2;
    if (ofA ? other[middle] < key : other[middle] <= key)
      low = middle + 1;
    else
      high = middle;
  }
  out[(ofA ? i : i - na) + low] = key;
}

// Odd and even neighbours in turn, in global memory, until none changes.
extern "C" __global__ void neighbour_sort(short *x, int n, int *rounds) {
  int t = threadIdx.x, count = 0;
  for (bool busy = true; busy; ++count) {
    int swapped = 0;
    for (int phase = 0; phase < 2; ++phase) {
      int i = 2 * t + phase;
      if (i + 1 < n && x[i] > x[i + 1]) {
        short v = x[i];
        x[i] = x[i + 1];
        x[i + 1] = v;
        swapped = 1;
      }
      __syncthreads();
    }
    busy = __syncthreads_or(swapped);
  }
  if (t == 0)
    *rounds = count;
}
