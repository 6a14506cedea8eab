// CompileModelOptions::timeLimit, stop and plugins.
#include "test/library/model/Models.h"
#include "tilewright/compiler/CompileModel.h"

#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::test;
namespace fs = std::filesystem;

/// Whether nothing but the model is left.
static bool isClean(const ModelFolder &folder) {
  return std::distance(fs::directory_iterator(folder.path),
                       fs::directory_iterator()) == 1;
}

TEST_CASE("model limits: a time limit of nothing") {
  ModelFolder folder;
  fs::path model = folder.write("m.mlir", twoKernels());
  CompileModelOptions options;
  options.timeLimit = std::chrono::milliseconds(0);
  auto report = compileModel(model, folder / "m.twp", options);
  CHECK(report.status().code() == StatusCode::resourceExhausted);
  CHECK(report.status().message() ==
        model.string() + ": not compiled within the time limit of 0 ms; ended "
                         "in phase 'import'");
  CHECK(isClean(folder));
}

TEST_CASE("model limits: stopped while kernels are compiled") {
  ModelFolder folder;
  fs::path model = folder.write("m.mlir", twoKernels());
  CompileModelOptions options;
  std::stop_source source;
  options.stop = source.get_token();
  options.threads = 1;
  size_t compiled = 0;
  options.gpus = {target::findGpuTarget("sm_80")};
  options.progress = [&](size_t done, size_t) {
    compiled = done;
    source.request_stop();
  };
  auto report = compileModel(model, folder / "m.twp", options);
  CHECK(report.status().code() == StatusCode::cancelled);
  CHECK(report.status().message().starts_with(
      model.string() + ": given up on request in phase 'bind' of kernel 'k1_"));
  CHECK(compiled == 4); // The others end before they begin.
  CHECK(isClean(folder));
}

TEST_CASE("model limits: stopped when all kernels are compiled") {
  ModelFolder folder;
  fs::path model = folder.write("m.mlir", twoKernels());
  CompileModelOptions options;
  std::stop_source source;
  options.stop = source.get_token();
  options.progress = [&](size_t done, size_t all) {
    if (done == all)
      source.request_stop();
  };
  auto report = compileModel(model, folder / "m.twp", options);
  CHECK(report.status().code() == StatusCode::cancelled);
  CHECK(isClean(folder));
}

namespace {
/// Requests a stop when a pass looks up a schedule.
struct StoppingTable : ScheduleTable {
  StatusOr<std::optional<ChosenSchedule>>
  find(const KernelToSchedule &) override {
    source.request_stop();
    return std::optional<ChosenSchedule>();
  }
  std::stop_source source;
};
} // namespace

TEST_CASE("model limits: stopped between two passes of the graph") {
  ModelFolder folder;
  fs::path model = folder.write("m.mlir", twoKernels());
  CompileModelOptions options;
  StoppingTable table;
  options.scheduleTable = &table;
  options.stop = table.source.get_token();
  auto report = compileModel(model, folder / "m.twp", options);
  CHECK(report.status().code() == StatusCode::cancelled);
  CHECK(isClean(folder));
}

TEST_CASE("model limits: stopped before the import") {
  ModelFolder folder;
  fs::path model = folder.write("m.mlir", twoKernels());
  CompileModelOptions options;
  std::stop_source source;
  source.request_stop();
  options.stop = source.get_token();
  auto report = compileModel(model, folder / "m.twp", options);
  CHECK(report.status().code() == StatusCode::cancelled);
  CHECK(isClean(folder));
}

TEST_CASE("model plug-ins: passes and targets") {
  ModelFolder folder;
  fs::path model = folder.write("m.mlir", R"(
#same = affine_map<(i) -> (i)>
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %y = linalg.generic {indexing_maps = [#same, #same],
                       iterator_types = ["parallel"]}
      ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  return %y : tensor<64xf32>
})");
  CompileModelOptions options;
  const fs::path plugin =
      fs::path(TILEWRIGHT_PLUGIN_FOLDER) / "libexample-plugin.so";
  auto loaded = Plugins::load(std::span(&plugin, 1));
  REQUIRE(loaded.status().message() == "");
  options.cpu.reset();
  options.interpreter = true;
  auto textOf = [&](const char *package) {
    REQUIRE(compileModel(model, folder / package, options).status().message() ==
            "");
    return contentOf(folder / package);
  };
  auto opened = Cache::open({.directory = folder / "cache"});
  REQUIRE(opened.ok());
  options.cache = *opened;
  auto plain = textOf("plain.twp");
  const std::string kernel = plain.begin()->first;
  REQUIRE(kernel.starts_with("kernels/"));
  CHECK(plain[kernel].find("arith.mulf") == std::string::npos);
  // The same model and the same cache: another package all the same.
  options.plugins = *loaded;
  auto changed = textOf("changed.twp");
  CHECK(changed[kernel].find("arith.mulf") != std::string::npos);
}
