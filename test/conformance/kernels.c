/* The kernels of the conformance suite, for the cpu device. */
#include <stdint.h>

/* out[id] = x + 100 y + 10000 z of the program. Words: out. */
void program_ids(const uint64_t *args, const int64_t *grid, int64_t first,
                 int64_t last, void *scratch) {
  int64_t *out = (int64_t *)args[0];
  for (int64_t id = first; id < last; ++id)
    out[id] = id % grid[0] + 100 * (id / grid[0] % grid[1]) +
              10000 * (id / grid[0] / grid[1]);
  (void)scratch;
}

/* out[id] = tally[id]++. Words: out, tally, the workspace. */
void tally(const uint64_t *args, const int64_t *grid, int64_t first,
           int64_t last, void *scratch) {
  int64_t *out = (int64_t *)args[0], *tally = (int64_t *)args[1];
  for (int64_t id = first; id < last; ++id)
    out[id] = tally[id]++;
  (void)grid;
  (void)scratch;
}

/* data[id] = data[id] * factor + term. Words: data, factor, term. */
void multiply_add(const uint64_t *args, const int64_t *grid, int64_t first,
                  int64_t last, void *scratch) {
  int64_t *data = (int64_t *)args[0];
  for (int64_t id = first; id < last; ++id)
    data[id] = data[id] * (int64_t)args[1] + (int64_t)args[2];
  (void)grid;
  (void)scratch;
}
