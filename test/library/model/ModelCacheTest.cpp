// CompileModelOptions::cache: what is read from it, with no visible difference.
#include "test/library/model/Models.h"
#include "tilewright/compiler/CompileModel.h"

#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>

using namespace tilewright;
using namespace tilewright::test;
namespace fs = std::filesystem;

namespace {
/// A model, and a cache next to it.
struct Workshop {
  Workshop() {
    model = folder.write("m.mlir", twoKernels());
    options.gpus = {target::findGpuTarget("sm_80")};
    renewCache();
  }
  void renewCache() {
    auto opened = Cache::open({.directory = folder / "cache"});
    REQUIRE(opened.ok());
    options.cache = *opened;
  }
  CompileModelReport compile(const std::string &name = "m.twp") {
    auto report = compileModel(model, folder / name, options);
    REQUIRE(report.status().message() == "");
    return *std::move(report);
  }
  /// What comes out without a cache.
  std::map<std::string, std::string> expected() {
    CompileModelOptions plain = options;
    plain.cache = nullptr;
    REQUIRE(compileModel(model, folder / "plain.twp", plain).ok());
    return contentOf(folder / "plain.twp");
  }
  [[nodiscard]] std::vector<fs::path> entries() const {
    std::vector<fs::path> found;
    for (const auto &entry : fs::recursive_directory_iterator(folder / "cache"))
      if (!entry.is_directory())
        found.push_back(entry.path());
    return found;
  }

  ModelFolder folder;
  fs::path model;
  CompileModelOptions options;
};
} // namespace

TEST_CASE("model cache: cold, warm and half-warm packages are equal") {
  Workshop shop;
  auto expected = shop.expected();
  REQUIRE(expected.size() == 6); // Manifest, weights, 2 kernels for 2 targets.
  CompileModelReport cold = shop.compile("cold.twp");
  CHECK(!cold.fromCache);
  CHECK(cold.cachedImages == 0);
  CHECK(contentOf(shop.folder / "cold.twp") == expected);

  CompileModelReport warm = shop.compile("warm.twp");
  CHECK(warm.fromCache);
  CHECK(warm.nodes == cold.nodes);
  CHECK(warm.steps == cold.steps);
  CHECK(warm.kernels == cold.kernels);
  CHECK(warm.memory->arena == cold.memory->arena);
  CHECK(contentOf(shop.folder / "warm.twp") == expected);

  // Another set of targets is another package, of which the cache has half the
  // images.
  shop.options.gpus.push_back(target::findGpuTarget("sm_90a"));
  shop.options.cpu.reset();
  CompileModelReport half = shop.compile("half.twp");
  CHECK(!half.fromCache);
  CHECK(half.cachedImages == 2);
  CHECK(contentOf(shop.folder / "half.twp") == shop.expected());
}

TEST_CASE("model cache: what the package depends on is told apart") {
  Workshop shop;
  shop.options.schedule = *schedule::GpuSchedule::parse("warps=4");
  shop.options.cpuSchedule = *schedule::CpuSchedule::parse("threads=2");
  shop.compile();
  SECTION("the model's path") {
    shop.model = shop.folder.write("n.mlir", twoKernels());
  }
  SECTION("the model") { shop.folder.write("m.mlir", twoKernels(3)); }
  SECTION("assertions") { shop.options.assertions = false; }
  SECTION("the precision") {
    shop.options.precision = runtime::Precision::tf32;
  }
  SECTION("line tables") { shop.options.lineInfo = true; }
  SECTION("another schedule") {
    shop.options.schedule = *schedule::GpuSchedule::parse("warps=2");
  }
  SECTION("another schedule of the CPU") {
    shop.options.cpuSchedule = *schedule::CpuSchedule::parse("threads=1");
  }
  SECTION("no schedule") { shop.options.schedule.reset(); }
  SECTION("another GPU") {
    shop.options.gpus = {target::findGpuTarget("sm_90a")};
  }
  SECTION("a target") { shop.options.interpreter = true; }
  SECTION("another CPU") { shop.options.cpu->vectorRegisters += 1; }
  CHECK(!shop.compile().fromCache);
  CHECK(contentOf(shop.folder / "m.twp") == shop.expected());
  CHECK(shop.compile().fromCache);
}

TEST_CASE("model cache: a model that changes meanwhile is not kept") {
  Workshop shop;
  StatusOr<ModelSource> before = ModelSource::file(shop.model);
  REQUIRE(before.ok());
  // The import reads another file than the one whose bytes are looked up.
  fs::rename(shop.folder.write("new.mlir", twoKernels(3)), shop.model);
  REQUIRE(compileModel(*before, shop.folder / "m.twp", shop.options).ok());
  shop.folder.write("m.mlir", twoKernels());
  CHECK(!shop.compile().fromCache);
  CHECK(contentOf(shop.folder / "m.twp") == shop.expected());
}

TEST_CASE("model cache: elements of weights in another file") {
  Workshop shop;
  // y = x + w over 4 floats; w is in w.bin.
  shop.model = shop.folder.write(
      "m.onnx",
      std::string(
          "\x08\x08:S"
          "\x0a\x0e\x0a\x01x\x0a\x01w\x12\x01y\x22\x03\x41\x64\x64"
          "\x12\x01g"
          "*\x1c\x08\x04\x10\x01\x42\x01wj\x11\x0a\x08location\x12\x05w."
          "binp\x01"
          "Z\x0f\x0a\x01x\x12\x0a\x0a\x08\x08\x01\x12\x04\x0a\x02\x08\x04"
          "b\x0f\x0a\x01y\x12\x0a\x0a\x08\x08\x01\x12\x04\x0a\x02\x08\x04"
          "B\x02\x10\x0d",
          91));
  shop.folder.write("w.bin", "0123456789abcdef");
  shop.compile();
  shop.folder.write("w.bin", "fedcba9876543210");
  CHECK(!shop.compile().fromCache);
  CHECK(contentOf(shop.folder / "m.twp") == shop.expected());
}

TEST_CASE("model cache: shapes that depend on elements of an input") {
  Workshop shop;
  // y = Unsqueeze(x, s) of 4 floats: where the new dimension is.
  shop.model = shop.folder.write(
      "m.onnx",
      std::string(
          "\x08\x08:@"
          "\x0a\x14\x0a\x01x\x0a\x01s\x12\x01y\x22\x09Unsqueeze"
          "\x12\x01g"
          "Z\x0f\x0a\x01x\x12\x0a\x0a\x08\x08\x01\x12\x04\x0a\x02\x08\x04"
          "Z\x0f\x0a\x01s\x12\x0a\x0a\x08\x08\x07\x12\x04\x0a\x02\x08\x01"
          "b\x03\x0a\x01y"
          "B\x02\x10\x0d",
          72));
  for (int64_t axis : {0, 1}) {
    auto value = runtime::HostTensor::allocate(runtime::DType::I64, {1});
    REQUIRE(value.ok());
    std::memcpy(value->data(), &axis, sizeof axis);
    shop.options.inputValues.insert_or_assign("s", *std::move(value));
    CHECK(!shop.compile().fromCache);
    CHECK(contentOf(shop.folder / "m.twp") == shop.expected());
  }
}

TEST_CASE("model cache: what somebody wants to see is made anew") {
  Workshop shop;
  shop.compile();
  CompileModelOptions plain = shop.options;
  for (int round = 0; round < 2; ++round) {
    shop.options = plain;
    shop.options.wantBytecode = true;
    CompileModelReport seen = shop.compile();
    CHECK((!seen.fromCache && seen.cachedImages == 0));
    CHECK(seen.bytecode.size() == 2);
    shop.options = plain;
    shop.options.times = CompileModelOptions::TimeFormat::text;
    CHECK(shop.compile().times.find("Kernels") != std::string::npos);
    shop.options = plain;
    shop.options.verifyEach = true;
    CHECK(shop.compile().cachedImages == 0);
    shop.options = plain;
    shop.options.wantLlvm = true;
    CHECK(shop.compile().llvm.find("define") != std::string::npos);
    shop.options = plain;
    shop.options.wantFusion = true;
    CHECK(!shop.compile().fusionText.empty());
  }
}

TEST_CASE("model cache: a damaged entry is missing, and is written again") {
  Workshop shop;
  auto expected = shop.expected();
  shop.compile();
  // Two images of each kernel, the package and its weights.
  REQUIRE(shop.entries().size() == 6);
  for (const fs::path &entry : shop.entries()) {
    INFO(entry);
    const auto size = std::streamoff(fs::file_size(entry));
    std::fstream file(entry, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(size / 2);
    char byte = char(file.get());
    file.seekp(size / 2);
    file.put(char(byte ^ 1));
    file.close();
    shop.compile();
    CHECK(contentOf(shop.folder / "m.twp") == expected);
    CHECK(shop.compile().fromCache);
  }
}

TEST_CASE("model cache: one that cannot be written costs a warning") {
  Workshop shop;
  shop.folder.write("cache", "a file where the folder should be");
  CompileModelReport report = shop.compile();
  REQUIRE(report.warnings.size() == 2);
  CHECK(report.warnings[0].message.find("the image is not kept: ") == 0);
  CHECK(report.warnings[1].message.find("the package is not kept: ") == 0);
  for (const Diagnostic &warning : report.warnings) {
    CHECK(warning.severity == Severity::warning);
    CHECK(warning.code == "cache");
  }
  CHECK(contentOf(shop.folder / "m.twp") == shop.expected());
}

/// A tile kernel with 64 tiles of a vector register each, on any x86 with AVX2,
/// that are all needed from the first to the last.
static std::string manyValues() {
  const std::string tile = " : tensor<8xf32>";
  std::string text =
      "tile.kernel @many(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>) {\n";
  constexpr int count = 64;
  auto name = [](const char *kind, int i) {
    return "%" + std::string(kind) + std::to_string(i);
  };
  for (int i = 0; i < count; ++i)
    text += name("i", i) + " = arith.constant " + std::to_string(i) +
            " : index\n" + name("t", i) + " = tile.load %x[" + name("i", i) +
            "] pad 0.0 : !tile.view<?xf32> -> tensor<8xf32>\n";
  std::string last = name("t", 0);
  for (auto [op, step] : {std::pair("mulf", 7), std::pair("addf", 5)})
    for (int i = 0; i < count; ++i) {
      text += name(op, i) + " = arith." + op + " " + last + ", " +
              name("t", i * step % count) + tile + "\n";
      last = name(op, i);
    }
  return text + "tile.store " + last +
         ", %y[%i0] : tensor<8xf32>, !tile.view<?xf32>\n}\n";
}

TEST_CASE("model cache: warnings are those of the compilation") {
  Workshop shop;
  shop.options.gpus.clear();
  shop.model = shop.folder.write("many.mlir", manyValues());
  CompileModelReport cold = shop.compile(), warm = shop.compile();
  CHECK(warm.fromCache);
  CHECK(warm.warnings == cold.warnings);
  REQUIRE(cold.warnings.size() == 1);
  const Diagnostic &warning = cold.warnings[0];
  CHECK(warning.severity == Severity::warning);
  CHECK(warning.code == "spills");
  CHECK(warning.where.file == shop.model.string());
  CHECK(warning.where.line == 1);
  CHECK(warning.message.find("kernel 'many' for cpu: ") == 0);
}

TEST_CASE("model cache: what lies at the output is told as without a cache") {
  Workshop shop;
  shop.compile();
  shop.folder.write("other.twp", "not a package");
  auto warm = compileModel(shop.model, shop.folder / "other.twp", shop.options);
  shop.options.cache = nullptr;
  auto plain =
      compileModel(shop.model, shop.folder / "other.twp", shop.options);
  REQUIRE(!warm.ok());
  CHECK(warm.status().message() == plain.status().message());
}
