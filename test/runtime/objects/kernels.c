/* Kernels for the session tests, written by hand to the kernel ABI. */
#include <stdint.h>
#include <string.h>

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* out[i, j] = x[i, j] * gain + bias[j mod 4]; a program does 64 elements.
 * Words: x, dim0, dim1, bias, out, gain. */
void affine(const uint64_t *args, const int64_t *grid, int64_t first,
            int64_t last, void *scratch) {
  const float *x = (const float *)args[0];
  int64_t rows = (int64_t)args[1], columns = (int64_t)args[2];
  const float *bias = (const float *)args[3];
  float *out = (float *)args[4];
  float gain = (float)(int64_t)args[5];
  float *tile = (float *)scratch;
  for (int64_t program = first; program < last; ++program) {
    int64_t begin = program * 64;
    int64_t count = least(64, rows * columns - begin);
    for (int64_t i = 0; i < count; ++i)
      tile[i] = x[begin + i] * gain + bias[(begin + i) % columns % 4];
    memcpy(out + begin, tile, (size_t)count * sizeof(float));
  }
  (void)grid;
}

/* out[i] = sum of x[i, :]; a program does one row.
 * Words: x, dim1, out. */
void row_sum(const uint64_t *args, const int64_t *grid, int64_t first,
             int64_t last, void *scratch) {
  const float *x = (const float *)args[0];
  int64_t columns = (int64_t)args[1];
  float *out = (float *)args[2];
  for (int64_t row = first; row < last; ++row) {
    float sum = 0;
    for (int64_t j = 0; j < columns; ++j)
      sum += x[row * columns + j];
    out[row] = sum;
  }
  (void)grid;
  (void)scratch;
}

/* out[id] = id of the program in three dimensions, as x + 100 y + 10000 z.
 * Words: out. */
void program_ids(const uint64_t *args, const int64_t *grid, int64_t first,
                 int64_t last, void *scratch) {
  int64_t *out = (int64_t *)args[0];
  for (int64_t id = first; id < last; ++id) {
    int64_t x = id % grid[0], y = id / grid[0] % grid[1];
    int64_t z = id / grid[0] / grid[1];
    out[id] = x + 100 * y + 10000 * z;
  }
  (void)scratch;
}
