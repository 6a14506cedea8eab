// Minima and maxima of floats on each width of vectors: NaN stays, and -0 is
// less than +0.
#include "test/codegen/kernels/KernelText.h"
#include "tilewright/mlir/Compile.h"

#include <catch2/catch.hpp>

using namespace tilewright::kerneltest;
using tilewright::KernelImage;
using tilewright::StatusOr;
using tilewright::cpu::CpuTarget;
using tilewright::cpu::hostTarget;

/// This machine; with vectors of 256 bits; with those of 128.
static std::vector<CpuTarget> widths() {
  std::vector<CpuTarget> all{hostTarget()};
  auto add = [&](const char *cpu, const char *features, const char *required,
                 int64_t bits) {
    CpuTarget target = all.front();
    if (target.vectorBits < bits || !target.triple.starts_with("x86_64"))
      return;
    target.cpu = cpu;
    target.features = features;
    target.required = required;
    target.vectorBits = bits;
    target.vectorRegisters = 16;
    target.masksLanes = false;
    all.push_back(target);
  };
  add("x86-64-v3", "+avx2,+fma", "x86_64,avx2,fma", 256);
  add("x86-64", "+sse2", "x86_64", 128);
  return all;
}

static void checkWidths(const KernelText &k, uint64_t seed) {
  INFO(k.str());
  Comparison comparison(k.str(), k.inputs, seed);
  REQUIRE(comparison.error() == "");
  for (const CpuTarget &target : widths()) {
    INFO(target.vectorBits << " bits, " << target.features);
    StatusOr<KernelImage> image =
        tilewright::compile(comparison.kernel(), target, {});
    REQUIRE(image.status().message() == "");
    CHECK(comparison.run(*image, "cpu").error == "");
  }
}

/// Rows of several hundred elements have `rare` or not.
static Input with(const std::vector<double> &often, double rare) {
  Input input;
  for (size_t i = 0; i < 1009; ++i)
    input.values.push_back(i % 613 == 401 ? rare : often[i % often.size()]);
  return input;
}

/// Elements of which one decides the result.
static std::vector<Input> inputs() {
  return {with({3, -1, 2, -4, 0.5}, NAN),
          with({-0.0, -1, -0.0, -2, -INFINITY}, 0),
          with({0, 1, 0, 2, INFINITY}, -0.0), with({-0.0}, 0), with({0}, -0.0)};
}

static std::string region(const std::string &op, const std::string &type) {
  return " {\n^bb0(%l: " + type + ", %r0: " + type + "):\n%q = " + op +
         " %l, %r0 : " + type + "\ntile.yield %q : " + type + "\n} : %0 -> %r";
}

TEST_CASE("cpu minima and maxima: reductions") {
  uint64_t seed = 0;
  for (const char *type : {"f32", "f64", "f16", "bf16"})
    for (const char *op : {"arith.minimumf", "arith.maximumf"})
      for (const Input &input : inputs()) {
        // The small ones take the way of f32: every third.
        if (widthOf(type) == 16 && seed++ % 3 != 0)
          continue;
        KernelText k;
        Value rows = k.load(tile(type, {5, 391}), input);
        k.store(k.op("tile.reduce $0 axis 1" + region(op, type), {rows},
                     tile(type, {5})));
        Value columns = k.load(tile(type, {70, 37}), input);
        k.store(k.op("tile.reduce $0 axis 0" + region(op, type), {columns},
                     tile(type, {37})));
        Value turned = k.op("tile.transpose $0 [1, 0] : %0 -> %r", {columns},
                            tile(type, {37, 70}));
        k.store(k.op("tile.reduce $0 axis 1" + region(op, type), {turned},
                     tile(type, {37})));
        checkWidths(k, 1);
      }
}

TEST_CASE("cpu minima and maxima: element by element") {
  const std::vector<double> some = {0, -0.0, NAN, 1, -1, INFINITY, -INFINITY};
  Input left{.values = some}, right;
  for (double value : some)
    right.values.insert(right.values.end(), some.size(), value);
  for (const char *type : {"f32", "f64", "f16", "bf16"}) {
    KernelText k;
    Value x = k.load(tile(type, {49}), left);
    Value y = k.load(tile(type, {49}), right);
    for (const char *op : {"arith.minimumf", "arith.maximumf"}) {
      k.store(k.op(std::string(op) + " $0, $1 : %r", {x, y}, x.type));
      for (const char *number : {"0.0", "-0.0", "2.5"})
        k.store(k.op(std::string(op) + " $0, $1 : %r",
                     {x, k.constant(number, x.type)}, x.type));
    }
    checkWidths(k, 1);
  }
}
