// known-kernels [DEVICE]...: runs the kernels of this folder at all their
// shapes on each device and compares every result with the host's.
#include "Check.h"

int main(int argc, char **argv) {
  std::vector<std::string> devices(argv + 1, argv + argc);
  if (devices.empty())
    devices = {"interpreter", "cpu", "sm_80", "sm_90a"};
  int failures = 0;
  for (const std::string &name : devices) {
    auto checker = known::Checker::open(name);
    if (!checker.ok()) {
      std::fprintf(stderr, "error: %s\n", checker.status().message().c_str());
      return 1;
    }
    for (auto *check :
         {known::checkElementwise, known::checkRows, known::checkMatmul,
          known::checkFusedMatmul, known::checkGroupedMatmul,
          known::checkAttention, known::checkConvolution, known::checkScans})
      check(*checker);
    int shapes = 0;
    for (const auto &[kernel, count] : checker->shapes) {
      shapes += count;
      if (count < 4)
        std::fprintf(stderr, "%s: %d shapes, expected at least 4\n",
                     kernel.c_str(), count);
      failures += count < 4;
    }
    std::printf("%-12s %zu kernels, %d shapes, %d comparisons, %d wrong\n",
                name.c_str(), checker->shapes.size(), shapes,
                checker->comparisons, checker->failures);
    failures += checker->failures;
  }
  return failures ? 1 : 0;
}
