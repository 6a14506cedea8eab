// Five points with a halo in shared memory.
extern "C" __global__ void stencil(const float *in, float *out, int w, int h) {
  __shared__ float tile[18][18];
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  auto at = [&](int i, int j) {
    return i < 0 || i >= w || j < 0 || j >= h ? 0.0f : in[j * w + i];
  };
  tile[ty][tx] = at(x, y);
  if (threadIdx.x == 0)
    tile[ty][0] = at(x - 1, y);
  if (threadIdx.x == 15)
    tile[ty][17] = at(x + 1, y);
  if (threadIdx.y == 0)
    tile[0][tx] = at(x, y - 1);
  if (threadIdx.y == 15)
    tile[17][tx] = at(x, y + 1);
  __syncthreads();
  if (x < w && y < h)
    out[y * w + x] = 0.25f * (tile[ty][tx - 1] + tile[ty][tx + 1] +
                              tile[ty - 1][tx] + tile[ty + 1][tx]) -
                     tile[ty][tx];
}

// Conway's game on a torus: bytes, two generations through shared memory.
extern "C" __global__ void life(const unsigned char *in, unsigned char *out) {
  __shared__ unsigned char board[2][32][32];
  int x = threadIdx.x, y = threadIdx.y;
  board[0][y][x] = in[y * 32 + x];
  for (int step = 0; step < 4; ++step) {
    __syncthreads();
    auto &now = board[step & 1];
    int count = 0;
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx)
        if (dx || dy)
          count += now[(y + dy) & 31][(x + dx) & 31];
    board[~step & 1][y][x] = count == 3 || (count == 2 && now[y][x]);
  }
  __syncthreads();
  out[y * 32 + x] = board[0][y][x];
}
