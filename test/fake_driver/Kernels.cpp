// Host code for the kernels of the conformance suite and of the session tests:
// what kernels.ptx, cluster.ptx and objects/kernels.ptx say.
#include "test/fake_driver/FakeDriver.h"
#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

static int64_t programs(const FakeLaunch *launch) {
  return int64_t(launch->grid[0]) * launch->grid[1] * launch->grid[2];
}

template <typename T> static T *pointer(uint64_t word) {
  return reinterpret_cast<T *>(uintptr_t(word));
}

static void programIds(const FakeLaunch *launch) {
  auto *out = pointer<int64_t>(launch->words[0]);
  int64_t nx = launch->grid[0], ny = launch->grid[1];
  for (int64_t id = 0; id < programs(launch); ++id)
    out[id] = id % nx + 100 * (id / nx % ny) + 10000 * (id / nx / ny);
}

static void multiplyAdd(const FakeLaunch *launch) {
  auto *data = pointer<int64_t>(launch->words[0]);
  for (int64_t id = 0; id < programs(launch); ++id)
    data[id] = data[id] * int64_t(launch->words[1]) + int64_t(launch->words[2]);
}

static void tally(const FakeLaunch *launch) {
  auto *out = pointer<int64_t>(launch->words[0]);
  auto *tally = pointer<int64_t>(launch->words[1]);
  for (int64_t id = 0; id < programs(launch); ++id)
    out[id] = tally[id]++;
}

static void reverse(const FakeLaunch *launch) {
  auto *data = pointer<int64_t>(launch->words[0]);
  // No more than what fits in the shared memory of the launch.
  std::vector<int64_t> shared(launch->shared / 8);
  auto count = size_t(launch->words[1]);
  if (count > shared.size())
    return;
  std::copy_n(data, count, shared.begin());
  std::reverse_copy(shared.begin(), shared.begin() + long(count), data);
}

static void clusterRanks(const FakeLaunch *launch) {
  auto *out = pointer<int64_t>(launch->words[0]);
  int64_t blocks = launch->cluster[0]; // The kernel's cluster is along x.
  for (int64_t id = 0; id < programs(launch); ++id)
    out[id] = id % blocks + 100 * blocks;
}

static void affine(const FakeLaunch *launch) {
  const auto *x = pointer<const float>(launch->words[0]);
  auto rows = int64_t(launch->words[1]), columns = int64_t(launch->words[2]);
  const auto *bias = pointer<const float>(launch->words[3]);
  auto *out = pointer<float>(launch->words[4]);
  auto gain = float(int64_t(launch->words[5]));
  int64_t count = std::min(rows * columns, programs(launch) * 64);
  for (int64_t i = 0; i < count; ++i)
    out[i] = x[i] * gain + bias[i % columns % 4];
}

static void rowSum(const FakeLaunch *launch) {
  const auto *x = pointer<const float>(launch->words[0]);
  auto columns = int64_t(launch->words[1]);
  auto *out = pointer<float>(launch->words[2]);
  for (int64_t row = 0; row < programs(launch); ++row) {
    float sum = 0;
    for (int64_t j = 0; j < columns; ++j)
      sum += x[row * columns + j];
    out[row] = sum;
  }
}

static float sumOf(const FakeLaunch *launch) {
  const auto *x = pointer<const float>(launch->words[0]);
  return std::accumulate(x, x + launch->words[1], 0.0f);
}

static void below(const FakeLaunch *launch) {
  *pointer<bool>(launch->words[2]) =
      sumOf(launch) < float(int64_t(launch->words[3]));
}

static void countPositive(const FakeLaunch *launch) {
  const auto *x = pointer<const float>(launch->words[0]);
  *pointer<int64_t>(launch->words[2]) = std::count_if(
      x, x + launch->words[1], [](float value) { return value > 0; });
}

static void takePositive(const FakeLaunch *launch) {
  const auto *x = pointer<const float>(launch->words[0]);
  auto *out = pointer<float>(launch->words[2]);
  size_t count = 0;
  for (size_t i = 0; i < launch->words[1] && count < launch->words[3]; ++i)
    if (x[i] > 0)
      out[count++] = x[i];
}

static void append(const FakeLaunch *launch) {
  const auto *x = pointer<const float>(launch->words[0]);
  auto *out = pointer<float>(launch->words[2]);
  std::memmove(out, x, launch->words[1] * sizeof(float));
  out[launch->words[1]] = float(int64_t(launch->words[3]));
}

static void put(const FakeLaunch *launch) {
  pointer<float>(launch->words[2])[launch->words[3]] = sumOf(launch);
}

namespace {
struct Registration {
  Registration() {
    fakeKernel("program_ids", programIds);
    fakeKernel("multiply_add", multiplyAdd);
    fakeKernel("tally", tally);
    fakeKernel("reverse", reverse);
    fakeKernel("cluster_ranks", clusterRanks);
    fakeKernel("affine", affine);
    fakeKernel("row_sum", rowSum);
    fakeKernel("below", below);
    fakeKernel("count_positive", countPositive);
    fakeKernel("take_positive", takePositive);
    fakeKernel("append", append);
    fakeKernel("put", put);
  }
} registration;
} // namespace
