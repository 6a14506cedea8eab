// Which frontend reads a model, from files and from memory, Tilewright's own
// and those of plug-ins.
#include "test/library/model/Models.h"
#include "tilewright/compiler/CompileModel.h"
#include "tilewright/compiler/ModelKind.h"
#include "tilewright/runtime/Package.h"

#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::test;
namespace fs = std::filesystem;

static const std::string doubled = R"(
func.func @main(%x: tensor<8xf32> {graph.name = "x"}) -> (tensor<8xf32> {graph.name = "y"}) {
  %y = linalg.add ins(%x, %x : tensor<8xf32>, tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
)";

static const std::string kernel = R"(
tile.kernel @seven(%A: !tile.view<8xi32>) {
  %c0 = arith.constant 0 : index
  %n = arith.constant dense<7> : tensor<8xi32>
  tile.store %n, %A[%c0] : tensor<8xi32>, !tile.view<8xi32>
}
)";

// A ModelProto, as bytes: ir_version 8; a graph "g" of one node y = Relu(x)
// over 4 floats; operator set 13.
static const std::string
    relu("\x08\x08\x3a\x33"
         "\x0a\x0c\x0a\x01x\x12\x01y\x22\x04Relu"
         "\x12\x01g"
         "Z\x0f\x0a\x01x\x12\x0a\x0a\x08\x08\x01\x12\x04\x0a\x02\x08\x04"
         "b\x0f\x0a\x01y\x12\x0a\x0a\x08\x08\x01\x12\x04\x0a\x02\x08\x04"
         "B\x02\x10\x0d",
         59);

static std::shared_ptr<const Plugins> examplePlugin() {
  const fs::path path =
      fs::path(TILEWRIGHT_PLUGIN_FOLDER) / "libexample-plugin.so";
  auto plugins = Plugins::load({&path, 1});
  REQUIRE(plugins.status().message() == "");
  return *plugins;
}

static StatusOr<ModelKind> kindOf(const std::string &name,
                                  const std::string &bytes,
                                  const Plugins *plugins = nullptr) {
  return kindOf(ModelSource::memory(name, bytes), plugins);
}

static std::string nameOf(const std::string &name, const std::string &bytes,
                          const Plugins *plugins = nullptr) {
  StatusOr<ModelKind> kind = kindOf(name, bytes, plugins);
  return kind.ok() ? kind->name : kind.status().message();
}

TEST_CASE("frontends: by extension, then by content") {
  CHECK(nameOf("m.mlir", doubled) == "a graph in MLIR");
  CHECK(nameOf("m.mlir", kernel) == "a tile kernel in MLIR");
  CHECK(kindOf("m.mlir", kernel)->isKernel);
  CHECK(!kindOf("m.mlir", doubled)->isKernel);
  // Its parser says what is wrong.
  CHECK(nameOf("m.mlir", "?") == "a graph in MLIR");
  CHECK(nameOf("m.onnx", "?") == "an ONNX model");
  CHECK(nameOf("m", doubled) == "a graph in MLIR");
  CHECK(nameOf("m", kernel) == "a tile kernel in MLIR");
  CHECK(nameOf("m.pt2", "?") == "a PyTorch program");
  CHECK(nameOf("m.x", "?") == "m.x: expected a model file that ends in .onnx, "
                              ".pt2 or .mlir, found '.x'");

  auto plugins = examplePlugin();
  CHECK(nameOf("m.mlir", "title t\n", plugins.get()) == "a titled graph");
  CHECK(nameOf("m.mlir", doubled, plugins.get()) == "a graph in MLIR");
  CHECK(nameOf("m.number", "7\n", plugins.get()) == "a .number file");
  CHECK(nameOf("m", "title t\n", plugins.get()) == "a titled graph");
  CHECK(nameOf("m.x", "?", plugins.get()) ==
        "m.x: expected a model file that ends in .number, .titled, .mlir, "
        ".onnx or .pt2, found '.x'");
  CHECK(kindsWithPatterns(plugins.get()) == "an ONNX model");
}

TEST_CASE("frontends: ONNX by the fields of a ModelProto") {
  CHECK(nameOf("m", relu) == "an ONNX model");
  auto report = compileModel(ModelSource::memory("m", relu), "", {});
  REQUIRE(report.status().message() == "");
  CHECK(report->nodes == 1);
  // Truncated, followed by more, and without a graph.
  for (const std::string &bytes :
       {relu.substr(0, relu.size() - 1), relu + "\xff", relu.substr(0, 2)})
    CHECK(!kindOf("m", bytes).ok());
}

TEST_CASE("frontends: a package is the same from a file and from memory") {
  ModelFolder folder;
  for (const std::string &text : {doubled, kernel}) {
    fs::path file = folder.write("m.mlir", text);
    CompileModelOptions options;
    options.gpus = {target::findGpuTarget("sm_80")};
    REQUIRE(compileModel(file, folder / "file.twp", options).ok());
    std::string copy = text;
    REQUIRE(compileModel(ModelSource::memory(file, copy), folder / "memory.twp",
                         options)
                .ok());
    CHECK(contentOf(folder / "file.twp") == contentOf(folder / "memory.twp"));
  }
  // And from the cache, which goes by the bytes.
  auto cache = Cache::open({.directory = folder / "cache"});
  REQUIRE(cache.ok());
  CompileModelOptions options;
  options.cache = *cache;
  for (bool isKept : {false, true}) {
    auto report = compileModel(ModelSource::memory("m.mlir", doubled),
                               folder / "cached.twp", options);
    REQUIRE(report.ok());
    CHECK(report->fromCache == isKept);
  }
  auto other = compileModel(ModelSource::memory("m.mlir", doubled + "\n"),
                            folder / "cached.twp", options);
  REQUIRE(other.ok());
  CHECK(!other->fromCache);
}

TEST_CASE("frontends: a graph and a kernel of a plug-in") {
  ModelFolder folder;
  CompileModelOptions options;
  options.plugins = examplePlugin();
  options.inputShapes["x"] = {8};
  auto report =
      compileModel(folder.write("m.titled", "title twice\n" + doubled),
                   folder / "m.twp", options);
  REQUIRE(report.status().message() == "");
  CHECK(report->nodes == 77);
  CHECK(report->kernels == 1);
  auto manifest = runtime::parsePackageManifest(
      contentOf(folder / "m.twp").at("manifest.json"));
  REQUIRE(manifest.ok());
  CHECK(manifest->name == "twice");
  CHECK(manifest->metadata.at("shape.x") == "1");

  options.inputShapes.clear();
  // The same frontend with a module at the tile level, which tuning databases
  // know by its text.
  fs::path titled = folder.write("k.titled", "title seven\n" + kernel);
  report = compileModel(titled, folder / "k.twp", options);
  REQUIRE(report.status().message() == "");
  CHECK(report->steps == 1);
  auto listed = kernelsToSchedule(titled, options);
  REQUIRE(listed.ok());
  REQUIRE(listed->size() == 1);
  CHECK(compileModel(ModelSource::memory("k.mlir", listed->front().code), "",
                     options)
            .status()
            .message() == "");
  report =
      compileModel(folder.write("m.number", "7\n"), folder / "n.twp", options);
  REQUIRE(report.status().message() == "");
  CHECK(report->steps == 1);
  report = compileModel(folder.write("m.number", "seven\n"), folder / "n.twp",
                        options);
  CHECK(report.status().message() ==
        (folder / "m.number").string() + ": expected a number, found 'seven'");
  // The parser's message replaces the status.
  report = compileModel(folder.write("m.titled", "title t\nnonsense\n"),
                        folder / "n.twp", options);
  CHECK(report.status().message().starts_with((folder / "m.titled").string() +
                                              ":1:1: custom op 'nonsense'"));
}

TEST_CASE("frontends: options that the model's has no use for") {
  CompileModelOptions options;
  options.inputShapes["x"] = {8};
  CHECK(compileModel(ModelSource::memory("m.mlir", kernel), "", options)
            .status()
            .message() == "m.mlir: shapes of inputs are for graphs, found a "
                          "tile kernel in MLIR");
  options.inputShapes.clear();
  options.replacements = {{"y = Relu(x)", {kernel, "k.mlir"}, ""}};
  CHECK(compileModel(ModelSource::memory("m.mlir", doubled), "", options)
            .status()
            .message() == "m.mlir: patterns of nodes are for an ONNX model, "
                          "found a graph in MLIR");
}
