// CompileModelOptions::scheduleTable: its queries, and their effect.
#include "tilewright/compiler/CompileModel.h"
#include "tilewright/manifest/PackageManifest.h"
#include "tilewright/runtime/MappedFile.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <functional>
#include <unistd.h>

using namespace tilewright;

namespace {
/// A table of schedules as a function.
struct Table : ScheduleTable {
  using Find =
      std::function<std::optional<ChosenSchedule>(const KernelToSchedule &)>;
  explicit Table(Find function) : function(std::move(function)) {}
  StatusOr<std::optional<ChosenSchedule>>
  find(const KernelToSchedule &kernel) override {
    return function(kernel);
  }
  Find function;
};

/// A file of a model, and a folder that goes away with it.
struct ModelFile {
  explicit ModelFile(const std::string &text) {
    std::string name =
        (std::filesystem::temp_directory_path() / "tilewright-package-XXXXXX")
            .string();
    REQUIRE(::mkdtemp(name.data()));
    folder = name;
    std::ofstream(folder / "m.mlir") << text;
  }
  ~ModelFile() { std::filesystem::remove_all(folder); }

  StatusOr<CompileModelReport> compile(CompileModelOptions &options) const {
    options.wantTiles = true;
    options.gpus = {target::findGpuTarget("sm_80")};
    return compileModel(folder / "m.mlir", folder / "m.twp", options);
  }
  std::map<std::string, std::string> metadata() const {
    auto text = runtime::readFile(folder / "m.twp" / "manifest.json");
    REQUIRE(text.ok());
    auto manifest = runtime::parsePackageManifest(*text);
    REQUIRE(manifest.ok());
    return {manifest->metadata.begin(), manifest->metadata.end()};
  }
  std::filesystem::path folder;
};
} // namespace

/// One kernel: y = x + x.
static const std::string sum = R"(
func.func @main(%x: tensor<64x96xf32> {graph.name = "x"})
    -> (tensor<64x96xf32> {graph.name = "y"}) {
  %e = tensor.empty() : tensor<64x96xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x96xf32>) outs(%e : tensor<64x96xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<64x96xf32>
  return %y : tensor<64x96xf32>
})";

/// The hand-written kernel, its tile open; `size` is that of the result.
static std::string twice(const std::string &size) {
  return R"(// tunable W = 16, 32, 64
tile.kernel @twice(%a: !tile.view<64xf32>, %b: !tile.view<)" +
         size + R"(xf32>)
    grid affine_map<()[n, m] -> (n ceildiv ${W})> {
  %i = tile.program_id
  %x = tile.load %a[%i] pad 0.0 : !tile.view<64xf32> -> tensor<${W}xf32>
  %y = arith.addf %x, %x : tensor<${W}xf32>
  tile.store %y, %b[%i] : tensor<${W}xf32>, !tile.view<)" +
         size + R"(xf32>
})";
}

TEST_CASE("a group is asked for once for each target, by the same code") {
  ModelFile model(sum);
  std::vector<KernelToSchedule> asked;
  CompileModelOptions options;
  Table table([&](const KernelToSchedule &kernel) {
    asked.push_back(kernel);
    return kernel.target == "cpu"
               ? ChosenSchedule{"tile0=24 threads=1", "by hand"}
               : ChosenSchedule{"tile0=8 warps=2", "for a GPU"};
  });
  options.scheduleTable = &table;
  StatusOr<CompileModelReport> report = model.compile(options);
  CHECK(report.status().message() == "");
  REQUIRE(report.ok());
  REQUIRE(asked.size() == 2);
  CHECK(asked[0].target != asked[1].target);
  CHECK(asked[0].code == asked[1].code);
  CHECK(asked[0].code.find("func.func") != std::string::npos);
  CHECK(report->tiles.find("tensor<24x") != std::string::npos);
  CHECK(report->tiles.find("tensor<8x") != std::string::npos);
  auto metadata = model.metadata();
  REQUIRE(metadata.size() == 2);
  CHECK(metadata.begin()->first.starts_with("tuning.cpu."));
  CHECK(metadata.begin()->second == "by hand");
  CHECK(metadata.rbegin()->first.starts_with("tuning.sm_80."));
  CHECK(metadata.rbegin()->second == "for a GPU");
}

TEST_CASE("what is not chosen is as without a choice") {
  ModelFile model(sum);
  CompileModelOptions options, choosing;
  StatusOr<CompileModelReport> plain = model.compile(options);
  Table table(
      [](const KernelToSchedule &) { return std::optional<ChosenSchedule>(); });
  choosing.scheduleTable = &table;
  std::filesystem::remove_all(model.folder / "m.twp");
  StatusOr<CompileModelReport> chosen = model.compile(choosing);
  REQUIRE((plain.ok() && chosen.ok()));
  CHECK(plain->tiles == chosen->tiles);
  CHECK(model.metadata().empty());
}

TEST_CASE("a choice that cannot be read is an error") {
  for (const std::string &text : {sum, twice("64")}) {
    ModelFile model(text);
    CompileModelOptions options;
    Table table([](const KernelToSchedule &) {
      return ChosenSchedule{"rows=many", ""};
    });
    options.scheduleTable = &table;
    StatusOr<CompileModelReport> report = model.compile(options);
    REQUIRE_FALSE(report.ok());
    CHECK(report.status().message().find("m.mlir") != std::string::npos);
    CHECK(report.status().message().find("'rows") != std::string::npos);
  }
}

TEST_CASE("a kernel by hand is asked for by its text, and bound by target") {
  const std::string text = twice("64");
  ModelFile model(text);
  std::vector<KernelToSchedule> asked;
  CompileModelOptions options;
  // What is chosen goes before what all have.
  options.cpuSchedule.emplace().tunables["W"] = 64;
  Table table(
      [&](const KernelToSchedule &kernel) -> std::optional<ChosenSchedule> {
        asked.push_back(kernel);
        if (kernel.target == "cpu")
          return ChosenSchedule{"W=32 chunk=2", "measured"};
        return std::nullopt;
      });
  options.scheduleTable = &table;
  StatusOr<CompileModelReport> report = model.compile(options);
  CHECK(report.status().message() == "");
  REQUIRE(report.ok());
  REQUIRE(asked.size() == 2);
  CHECK(asked[0].code == text);
  CHECK(asked[1].code == text);
  CHECK(report->tiles.find("tensor<32xf32>") != std::string::npos);
  CHECK(report->tiles.find("tensor<16xf32>") != std::string::npos);
  CHECK(report->tiles.find("tensor<64xf32>") == std::string::npos);
  CHECK(model.metadata() ==
        std::map<std::string, std::string>{{"tuning.cpu.twice", "measured"}});
}

TEST_CASE("tunables must not change a package's interface") {
  ModelFile model(twice("${W}"));
  CompileModelOptions options;
  Table table([](const KernelToSchedule &kernel) {
    return ChosenSchedule{kernel.target == "cpu" ? "W=64" : "W=32", ""};
  });
  options.scheduleTable = &table;
  StatusOr<CompileModelReport> report = model.compile(options);
  REQUIRE_FALSE(report.ok());
  CHECK(report.status().message().find(
            "the tunables change the kernel's name or arguments: expected that "
            "of target cpu, @twice(!tile.view<64xf32>, !tile.view<64xf32>), "
            "found @twice(!tile.view<64xf32>, !tile.view<32xf32>) for "
            "sm_80") != std::string::npos);
}
