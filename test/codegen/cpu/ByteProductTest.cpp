// Products of bytes, by each of the instructions that a CPU may have for them.
// All bits of the results count.
#include "test/codegen/kernels/KernelText.h"
#include "tilewright/mlir/Compile.h"

#include <catch2/catch.hpp>
#include <random>

using namespace tilewright::kerneltest;
using tilewright::KernelImage;
using tilewright::StatusOr;
using tilewright::cpu::CpuTarget;
using tilewright::cpu::hostTarget;

namespace {
/// 8 bits, any of them.
const Input anyByte{.values = {-128, 127, 0, -1, 1, 85, -86, 12, -77, 100}};

struct Product {
  int64_t rows, depth, columns;
  bool isLeftUnsigned, isRightUnsigned;
};
} // namespace

static bool has(const CpuTarget &target, const std::string &name) {
  return (target.features + ",").find("+" + name + ",") != std::string::npos;
}

/// This machine; with vectors of 256 bits; each also without instructions for
/// four bytes.
static std::vector<CpuTarget> targets() {
  std::vector<CpuTarget> all{hostTarget()};
  auto without = [](std::string features, const std::string &name) {
    if (size_t at = (features + ",").find("+" + name + ",");
        at != std::string::npos)
      features[at] = '-';
    return features;
  };
  const std::string &features = all.front().features;
  if (!has(all.front(), "avx2"))
    return all;
  CpuTarget words = all.front();
  words.features = without(without(features, "avx512vnni"), "avxvnni");
  CpuTarget narrow = words;
  narrow.cpu = "x86-64-v3";
  narrow.features = "+avx2,+fma";
  narrow.required = "x86_64,avx2,fma";
  narrow.vectorBits = 256;
  narrow.vectorRegisters = 16;
  narrow.masksLanes = false;
  all.insert(all.end(), {words, narrow});
  if (has(all.front(), "avxvnni")) {
    narrow.features += ",+avxvnni";
    all.push_back(narrow);
  }
  return all;
}

static KernelText kernelOf(const Product &product) {
  KernelText k;
  Value lhs = k.load(tile("i8", {product.rows, product.depth}), anyByte);
  Value rhs = k.load(tile("i8", {product.depth, product.columns}), anyByte);
  Value acc = k.load(tile("i32", {product.rows, product.columns}),
                     Input{.values = {0, 1, -2, 2147483647, -2147483647}});
  std::string text = "tile.dot $0, $1, $2";
  text += product.isLeftUnsigned ? " lhs_unsigned" : "";
  text += product.isRightUnsigned ? " rhs_unsigned" : "";
  k.store(k.op(text + " : %0, %1 -> %r", {lhs, rhs, acc}, acc.type));
  return k;
}

static void check(const Product &product, uint64_t seed) {
  KernelText k = kernelOf(product);
  INFO(k.str());
  Comparison comparison(k.str(), k.inputs, seed);
  REQUIRE(comparison.error() == "");
  for (const CpuTarget &target : targets()) {
    INFO(target.vectorBits << " bits, " << target.features);
    StatusOr<KernelImage> image =
        tilewright::compile(comparison.kernel(), target, {});
    REQUIRE(image.status().message() == "");
    CHECK(comparison.run(*image, "cpu").error == "");
  }
}

TEST_CASE("cpu bytes: products of few and many rows") {
  uint64_t seed = 0;
  for (bool isLeftUnsigned : {false, true})
    for (bool isRightUnsigned : {false, true})
      for (auto [rows, depth, columns] : {std::array<int64_t, 3>{1, 64, 128},
                                          {1, 7, 64},
                                          {3, 18, 96},
                                          {9, 33, 200},
                                          {2, 2, 70}})
        check({rows, depth, columns, isLeftUnsigned, isRightUnsigned}, ++seed);
}

TEST_CASE("cpu bytes: a kernel names the instructions that it needs") {
  const CpuTarget host = hostTarget();
  auto features = [&](int64_t columns) {
    KernelText k = kernelOf({1, 8, columns, true, false});
    Comparison comparison(k.str(), k.inputs, 1);
    StatusOr<KernelImage> image =
        tilewright::compile(comparison.kernel(), host, {});
    return image.ok() ? image->manifest.features : image.status().message();
  };
  const std::string name = host.vectorBits == 512 ? "avx512vnni" : "avxvnni";
  CHECK(features(64) == host.required + (has(host, name) ? "," + name : ""));
  // Fewer columns than a block has.
  CHECK(features(8) == host.required);
}
