// Selections of floats by their comparisons: which of two equal zeros is
// chosen, and the result for a NaN.
#include "EdgeValues.h"
#include "KernelText.h"

#include <catch2/catch.hpp>

using namespace tilewright::kerneltest;

TEST_CASE("select: the smaller and the larger of a tile and a number") {
  for (const char *type : {"f64", "f32", "f16", "bf16"})
    for (const char *number : {"0.0", "-0.0", "1.0"}) {
      KernelText k;
      std::vector<uint64_t> bits = edgeBits(type, type);
      Value x =
          k.load(tile(type, {int64_t(bits.size())}), {.bits = std::move(bits)});
      Value c = k.constant(number, x.type);
      for (const char *predicate : {"oeq", "ogt", "oge", "olt", "ole", "one",
                                    "ueq", "ugt", "uge", "ult", "ule", "une"}) {
        Value is =
            k.op("arith.cmpf " + std::string(predicate) + ", $0, $1 : %0",
                 {x, c}, x.type.of("i1"));
        for (auto [yes, no] : {std::pair(x, c), std::pair(c, x)})
          k.store(
              k.op("arith.select $0, $1, $2 : %0, %r", {is, yes, no}, x.type));
      }
      k.check();
    }
}
