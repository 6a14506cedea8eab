// Softmax of the rows of a matrix of any size, in two passes over each row.
#include "tutorial.h"

using namespace tutorial;

static void softmax(View<F32, 2> x, View<F32, 2> y) {
  int64_t R = tunable("rows", {4, 1, 8}), W = tunable("width", {256});
  auto [i] = program(ceilDiv(x.dim(0), R));
  Index steps = ceilDiv(x.dim(1), W);
  auto none = std::tuple(full<F32>({R, 1}, -infinity), zeros<F32>(R, 1));
  auto [top, total] = loop(steps, none, [&](Index k, auto last, auto sums) {
    auto t = x.load({i, k}, {R, W}, -infinity);
    auto now = max(last, max(t, axis(1)));
    return std::tuple(now, sums * exp(last - now) + sum(exp(t - now), axis(1)));
  });
  loop(steps, [&](Index k) {
    y.store({i, k}, exp(x.load({i, k}, {R, W}) - top) / total);
  });
}

/// The same on the host, in double.
static std::vector<float> expected(const std::vector<float> &x, int64_t rows,
                                   int64_t columns) {
  std::vector<float> y(x.size());
  for (int64_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < columns; ++j)
      sum += std::exp(double(x[i * columns + j]));
    for (int64_t j = 0; j < columns; ++j)
      y[i * columns + j] = float(std::exp(double(x[i * columns + j])) / sum);
  }
  return y;
}

static Status softmaxOfRows(const DeviceSetup &setup) {
  constexpr int64_t rows = 6, columns = 1000;
  std::vector<float> input = noise(rows * columns, 1);
  TILEWRIGHT_ASSIGN_OR_RETURN(DeviceTensor x,
                              setup.tensor({rows, columns}, input));
  TILEWRIGHT_ASSIGN_OR_RETURN(
      DeviceTensor y, setup.tensor(runtime::DType::F32, {rows, columns}));

  TILEWRIGHT_ASSIGN_OR_RETURN(
      Executable run,
      load(kernel("softmax", softmax), *setup.device, {{"rows", 4}}));
  TILEWRIGHT_RETURN_IF_ERROR(run.launch(*setup.stream, x, y));

  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<float> found,
                              y.read<float>(*setup.stream));
  double error = difference(found, expected(input, rows, columns));
  std::printf("softmax of 6 rows of 1000: %s\n",
              error < 1e-7 ? "within 1e-7 of the host's" : "wrong");
  return {};
}

int main(int argc, char **argv) { return run(argc, argv, softmaxOfRows); }
