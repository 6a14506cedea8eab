// Kernels agree where the CPU device computes what the interpreter does.
#include "Harness.h"

#include <catch2/catch.hpp>

namespace tilewright::cputest {

void agree(const std::string &text, std::vector<Input> inputs,
           Tolerance tolerance, uint64_t seed) {
  Result result = compareRuns(text, std::move(inputs), tolerance, seed);
  INFO(text);
  CHECK(result.error == "");
}

} // namespace tilewright::cputest
