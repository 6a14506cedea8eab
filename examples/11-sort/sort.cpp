// Sorts each row of a matrix in descending order, with the numbers' old
// indices.
#include "tutorial.h"

using namespace tutorial;

static void sortRows(View<F32, 2> x, View<F32, 2> sorted,
                     View<I32, 2> indices) {
  int64_t width = tunable("width", {128, 256, 512});
  auto [i] = program(x.dim(0));
  auto keys = x.load({i, 0}, {1, width}, -infinity);
  auto columns = expand(iota<I32>(width), 0);
  auto [values, order] = sort(keys, columns, axis(1), Direction::descending);
  sorted.store({i, 0}, values);
  indices.store({i, 0}, order);
}

static Status sortMatrix(const DeviceSetup &setup) {
  constexpr int64_t rows = 3, columns = 100;
  std::vector<float> input = noise(rows * columns, 5);
  runtime::Shape shape = {rows, columns};
  TILEWRIGHT_ASSIGN_OR_RETURN(DeviceTensor x, setup.tensor(shape, input));
  TILEWRIGHT_ASSIGN_OR_RETURN(DeviceTensor sorted,
                              setup.tensor(runtime::DType::F32, shape));
  TILEWRIGHT_ASSIGN_OR_RETURN(DeviceTensor indices,
                              setup.tensor(runtime::DType::I32, shape));

  TILEWRIGHT_ASSIGN_OR_RETURN(
      Executable run, load(kernel("sort_rows", sortRows), *setup.device));
  TILEWRIGHT_RETURN_IF_ERROR(run.launch(*setup.stream, x, sorted, indices));

  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<float> y,
                              sorted.read<float>(*setup.stream));
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<int32_t> order,
                              indices.read<int32_t>(*setup.stream));
  for (int64_t i = 0; i < rows; ++i) {
    bool good = true;
    for (int64_t j = 0; j < columns; ++j) {
      int64_t at = i * columns + j;
      good = good && (j == 0 || y[at - 1] >= y[at]) &&
             y[at] == input[i * columns + order[at]];
    }
    std::printf("row %lld: %s, the largest %.3f at %d\n", (long long)i,
                good ? "sorted" : "wrong", y[i * columns], order[i * columns]);
  }
  return {};
}

int main(int argc, char **argv) { return run(argc, argv, sortMatrix); }
