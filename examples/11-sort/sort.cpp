// Each row of a matrix in descending order, and where its numbers stood.
#include "lesson.h"

using namespace lesson;

static void sortRows(View<F32, 2> x, View<F32, 2> sorted, View<I32, 2> places) {
  int64_t width = tunable("width", {128, 256, 512});
  auto [i] = program(x.dim(0));
  auto keys = x.load({i, 0}, {1, width}, -infinity);
  auto columns = expand(iota<I32>(width), 0);
  auto [values, order] = sort(keys, columns, axis(1), Direction::descending);
  sorted.store({i, 0}, values);
  places.store({i, 0}, order);
}

static Status sortMatrix(const Place &place) {
  constexpr int64_t rows = 3, columns = 100;
  std::vector<float> input = noise(rows * columns, 5);
  runtime::Shape shape = {rows, columns};
  TILEWRIGHT_ASSIGN_OR_RETURN(DeviceTensor x, place.tensor(shape, input));
  TILEWRIGHT_ASSIGN_OR_RETURN(DeviceTensor sorted,
                              place.tensor(runtime::DType::F32, shape));
  TILEWRIGHT_ASSIGN_OR_RETURN(DeviceTensor places,
                              place.tensor(runtime::DType::I32, shape));

  TILEWRIGHT_ASSIGN_OR_RETURN(
      Executable run, load(kernel("sort_rows", sortRows), *place.device));
  TILEWRIGHT_RETURN_IF_ERROR(run.launch(*place.stream, x, sorted, places));

  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<float> y,
                              sorted.read<float>(*place.stream));
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<int32_t> order,
                              places.read<int32_t>(*place.stream));
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
