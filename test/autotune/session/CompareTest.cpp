#include "autotune/measure/Compare.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace tilewright;
using namespace tilewright::autotune;
using runtime::DType;
using runtime::HostTensor;

static HostTensor floats(std::vector<float> values) {
  HostTensor tensor =
      *HostTensor::allocate(DType::F32, {int64_t(values.size())});
  std::copy(values.begin(), values.end(), tensor.as<float>().begin());
  return tensor;
}

TEST_CASE("rounding is no difference, anything more is") {
  HostTensor expected = floats({1000, 0.5f, NAN, INFINITY});
  CHECK_FALSE(
      difference(floats({1000.01f, 0.505f, NAN, INFINITY}), expected, {}));
  CHECK(difference(floats({1000.1f, 0.5f, NAN, INFINITY}), expected, {}) ==
        "element 0 is 1000.099976, expected 1000.000000");
  CHECK(difference(floats({1000, 0.5f, 1, INFINITY}), expected, {}));
  CHECK(difference(floats({1000, 0.5f, NAN, 1}), expected, {}));
  CHECK(difference(floats({1000, 0.5f, NAN, -INFINITY}), expected, {}));
}

TEST_CASE("only what is known is compared") {
  HostTensor expected = floats({1, 2});
  CHECK_FALSE(difference(floats({1, 5}), expected, {true, false}));
  CHECK(difference(floats({1, 5}), expected, {false, true}));
}

TEST_CASE("integers are compared bit by bit") {
  HostTensor a = *HostTensor::allocate(DType::I32, {2});
  HostTensor b = *HostTensor::allocate(DType::I32, {2});
  a.as<int32_t>()[1] = 258;
  CHECK(difference(a, b, {}) == "element 1 is 0x00000102, expected 0x00000000");
}

TEST_CASE("half floats are compared by value") {
  HostTensor a = *HostTensor::allocate(DType::F16, {3});
  HostTensor b = *HostTensor::allocate(DType::F16, {3});
  // 1, 2, the least subnormal; then one last place off.
  a.as<uint16_t>()[0] = 0x3c00, b.as<uint16_t>()[0] = 0x3c01;
  a.as<uint16_t>()[1] = 0x4000, b.as<uint16_t>()[1] = 0x4000;
  a.as<uint16_t>()[2] = 0x0001, b.as<uint16_t>()[2] = 0x8001;
  CHECK_FALSE(difference(a, b, {}));
  b.as<uint16_t>()[1] = 0x4100; // 2.5
  CHECK(difference(a, b, {}));
}

TEST_CASE("what was not written can be told") {
  HostTensor tensor = *HostTensor::allocate(DType::F32, {3});
  fillAsUnwritten(tensor);
  CHECK(std::isnan(tensor.as<float>()[0]));
  tensor.as<float>()[1] = 0;
  CHECK(writtenElements(tensor) == std::vector<bool>{false, true, false});
}

TEST_CASE("random inputs are in range and the same for a seed") {
  for (DType dtype : {DType::F32, DType::F64, DType::F16, DType::BF16,
                      DType::I32, DType::Bool}) {
    HostTensor a = *HostTensor::allocate(dtype, {1000});
    HostTensor b = *HostTensor::allocate(dtype, {1000});
    fillAtRandom(a, 7);
    fillAtRandom(b, 7);
    CHECK_FALSE(difference(a, b, {}));
    fillAtRandom(b, 8);
    CHECK(difference(a, b, {}));
  }
  HostTensor tensor = *HostTensor::allocate(DType::F32, {10000});
  fillAtRandom(tensor, 1);
  double sum = 0;
  for (float value : tensor.as<float>()) {
    REQUIRE((value >= -1 && value < 1));
    sum += value;
  }
  CHECK(std::fabs(sum / 10000) < 0.03);
}
