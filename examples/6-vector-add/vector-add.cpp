// z = x + y: the smallest kernel.
#include "tutorial.h"

using namespace tutorial;

static void add(View<F32, 1> x, View<F32, 1> y, View<F32, 1> z) {
  int64_t width = tunable("width", {256, 512, 1024});
  auto [i] = program(ceilDiv(x.dim(0), width));
  z.store(i, x.load(i, width) + y.load(i, width));
}

static Status vectorAdd(const DeviceSetup &setup) {
  constexpr int64_t size = 1000;
  std::vector<float> a(size), b(size);
  for (int64_t i = 0; i < size; ++i)
    a[i] = float(i), b[i] = float(1000 * i);
  TILEWRIGHT_ASSIGN_OR_RETURN(DeviceTensor x, setup.tensor({size}, a));
  TILEWRIGHT_ASSIGN_OR_RETURN(DeviceTensor y, setup.tensor({size}, b));
  TILEWRIGHT_ASSIGN_OR_RETURN(DeviceTensor z,
                              setup.tensor(runtime::DType::F32, {size}));

  TILEWRIGHT_ASSIGN_OR_RETURN(Executable run,
                              load(kernel("add", add), *setup.device));
  TILEWRIGHT_RETURN_IF_ERROR(run.launch(*setup.stream, x, y, z));

  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<float> sum,
                              z.read<float>(*setup.stream));
  std::printf("%g + %g = %g, ..., %g + %g = %g\n", a[1], b[1], sum[1],
              a[size - 1], b[size - 1], sum[size - 1]);
  return {};
}

int main(int argc, char **argv) { return run(argc, argv, vectorAdd); }
