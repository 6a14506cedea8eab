#include "verify/validate/Sizes.h"

#include <catch2/catch.hpp>

using namespace tilewright;
using runtime::Shape;
using verify::SizeSpace;

/// One input with so many open sizes.
static SizeSpace spaceOf(size_t open) {
  verify::Signature signature;
  signature.inputs = {{"x", runtime::DType::I32, Shape(open, -1)}};
  return SizeSpace(signature);
}

/// The sizes of the input if those that can be chosen are 100, 200, ..
static Shape choose(const SizeSpace &space) {
  std::vector<int64_t> sizes;
  for (size_t n = 0; n < space.count(); ++n)
    sizes.push_back(int64_t(n + 1) * 100);
  return space.shapes(sizes).front();
}

TEST_CASE("sizes: those that must be equal become one") {
  SizeSpace space = spaceOf(6);
  CHECK(space.learn([](std::span<const Shape> shapes) {
    const Shape &s = shapes.front();
    return s[0] == s[4] && s[1] == s[2] && s[2] == s[5];
  }));
  CHECK(choose(space) == Shape{100, 200, 200, 300, 100, 200});
}

TEST_CASE("sizes: those of one name are one, and inputs agree on it") {
  verify::Signature signature;
  signature.inputs = {{"x", runtime::DType::F32, {-1, 4, -1}, {"W", "", "W"}},
                      {"y", runtime::DType::F32, {-1, -1, -1}, {"", "W", ""}}};
  const SizeSpace space(signature);
  const std::vector<int64_t> sizes = {7, 8, 9};
  CHECK(space.count() == 3);
  CHECK(space.shapes(sizes) == std::vector<Shape>{{7, 4, 7}, {8, 7, 9}});
  auto disagreement = [&](Shape x, Shape y) {
    std::vector<runtime::HostTensor> inputs;
    for (const Shape &shape : {x, y})
      inputs.push_back(
          *runtime::HostTensor::allocate(runtime::DType::F32, shape));
    return verify::findDisagreement(signature.inputs, inputs);
  };
  CHECK(disagreement({7, 4, 7}, {8, 7, 9}).empty());
  CHECK(disagreement({7, 4, 6}, {8, 7, 9}) ==
        "the inputs disagree on W: 7 and 6");
  CHECK(disagreement({7, 4, 7}, {8, 1, 9}) ==
        "the inputs disagree on W: 7 and 1");
}

TEST_CASE("sizes: some that no program takes in another way stay") {
  // Of a size that only one number fits.
  auto wants = [](std::span<const Shape> shapes) {
    const Shape &s = shapes.front();
    return s[0] == 33 && s[1] == s[2] && s[3] % 4 == 0;
  };
  SizeSpace space = spaceOf(4);
  CHECK_FALSE(space.learn(wants));
  CHECK(space.count() == 4);
  const std::vector<Shape> known = {{33, 7, 7, 12}};
  CHECK(space.learn(wants, known));
  CHECK(choose(space) == Shape{33, 100, 100, 200});
}

TEST_CASE("sizes: where only the given values do, all stay") {
  SizeSpace space = spaceOf(2);
  const std::vector<Shape> known = {{5, 6}};
  CHECK(space.learn([](std::span<const Shape>) { return false; }, known));
  CHECK(choose(space) == Shape{5, 6});
}

TEST_CASE("sizes: what is made to learn them is bounded") {
  SizeSpace space = spaceOf(20);
  double elements = 0;
  int64_t runs = 0;
  space.learn([&](std::span<const Shape> shapes) {
    elements += verify::elementsIn(shapes);
    ++runs;
    return false;
  });
  CHECK(elements <= 1e7);
  CHECK(runs <= 10000);
  // 64^20 elements were not asked for, one was.
  CHECK(runs >= 1);
}
