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

/* out[0] = whether the sum of x is less than the limit. Words: x, dim0, out,
 * limit. */
void below(const uint64_t *args, const int64_t *grid, int64_t first,
           int64_t last, void *scratch) {
  const float *x = (const float *)args[0];
  float sum = 0;
  for (int64_t i = 0; i < (int64_t)args[1]; ++i)
    sum += x[i];
  *(uint8_t *)args[2] = sum < (float)(int64_t)args[3];
  (void)grid;
  (void)first;
  (void)last;
  (void)scratch;
}

/* out[0] = how many elements of x are positive. Words: x, dim0, out. */
void count_positive(const uint64_t *args, const int64_t *grid, int64_t first,
                    int64_t last, void *scratch) {
  const float *x = (const float *)args[0];
  int64_t count = 0;
  for (int64_t i = 0; i < (int64_t)args[1]; ++i)
    count += x[i] > 0;
  *(int64_t *)args[2] = count;
  (void)grid;
  (void)first;
  (void)last;
  (void)scratch;
}

/* out = the first positive elements of x, as many as out has. Words: x, dim0,
 * out, dim0 of out. */
void take_positive(const uint64_t *args, const int64_t *grid, int64_t first,
                   int64_t last, void *scratch) {
  const float *x = (const float *)args[0];
  float *out = (float *)args[2];
  int64_t count = 0;
  for (int64_t i = 0; i < (int64_t)args[1] && count < (int64_t)args[3]; ++i)
    if (x[i] > 0)
      out[count++] = x[i];
  (void)grid;
  (void)first;
  (void)last;
  (void)scratch;
}

/* out = x, and behind it the value. Words: x, dim0, out, value. */
void append(const uint64_t *args, const int64_t *grid, int64_t first,
            int64_t last, void *scratch) {
  float *out = (float *)args[2];
  size_t count = (size_t)args[1];
  memmove(out, (const float *)args[0], count * sizeof(float));
  out[count] = (float)(int64_t)args[3];
  (void)grid;
  (void)first;
  (void)last;
  (void)scratch;
}

/* out[at] = the sum of x. Words: x, dim0, out, at. */
void put(const uint64_t *args, const int64_t *grid, int64_t first, int64_t last,
         void *scratch) {
  const float *x = (const float *)args[0];
  float sum = 0;
  for (int64_t i = 0; i < (int64_t)args[1]; ++i)
    sum += x[i];
  ((float *)args[2])[args[3]] = sum;
  (void)grid;
  (void)first;
  (void)last;
  (void)scratch;
}
