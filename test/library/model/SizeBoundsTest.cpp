// CompileModelOptions::maxShapes of sizes that data decides.
#include "CompiledModel.h"

#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::test;

/// y = 0, 1, .. of n elements, z as many as y and x together.
static const char *const model = R"(
#id = affine_map<(i) -> (i)>
func.func @main(%x: tensor<?xf32> {graph.name = "x", graph.dims = ["N"]},
                %n: tensor<i64> {graph.name = "n"})
    -> (tensor<?xf32> {graph.name = "y"}, tensor<?xf32> {graph.name = "z"}) {
  %c0 = arith.constant 0 : index
  %k = graph.size %n : tensor<i64>
  %dim = tensor.dim %x, %c0 : tensor<?xf32>
  %sum = arith.addi %k, %dim : index
  %a = tensor.empty(%k) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]}
      outs(%a : tensor<?xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i64
    %f = arith.sitofp %j : i64 to f32
    linalg.yield %f : f32
  } -> tensor<?xf32>
  %b = tensor.empty(%sum) : tensor<?xf32>
  %z = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]}
      outs(%b : tensor<?xf32>) {
  ^bb0(%o: f32):
    %f = arith.constant 3.0 : f32
    linalg.yield %f : f32
  } -> tensor<?xf32>
  return %y, %z : tensor<?xf32>, tensor<?xf32>
})";

using Bounds = std::map<std::string, std::vector<int64_t>>;

namespace {
struct Bounded {
  StatusOr<CompileModelReport> compile(Bounds bounds) {
    CompileModelOptions options;
    options.maxShapes = std::move(bounds);
    options.cache = cache;
    options.wantMemory = wantMemory;
    return compileModel(folder.write("m.mlir", model), folder / "m.twp",
                        options);
  }
  std::string errorOf(Bounds bounds) {
    return compile(std::move(bounds)).status().message();
  }
  [[nodiscard]] std::optional<runtime::Expression> greatest() const {
    auto package = *runtime::Package::load(folder / "m.twp");
    for (const runtime::StepManifest &step : package->manifest().steps)
      if (step.read)
        return step.read->symbol.greatest;
    return {};
  }
  /// The error of a run, or the number of elements of y.
  [[nodiscard]] std::string run(int64_t n) const {
    auto loaded =
        *runtime::Model::load(*runtime::openDevice("cpu"), folder / "m.twp");
    auto session = *loaded->createSession();
    setFloats(*session, "x", {2}, {5, 6});
    setInteger(*session, "n", n);
    Status ran = session->run();
    return ran.ok() ? std::to_string(session->output("y")->size())
                    : ran.message();
  }

  bool wantMemory = true;
  ModelFolder folder;
  std::shared_ptr<Cache> cache = *Cache::open({.directory = folder / "cache"});
};
} // namespace

TEST_CASE("a largest size of what data decides is part of the package") {
  Bounded package;
  REQUIRE(package.errorOf({}) == "");
  CHECK(!package.greatest());
  CHECK(package.run(11) == "11");
  // By the output, or by the name that its shape shows.
  const std::string error = "the size size0 is 11, expected at most 10";
  for (const char *name : {"y", "size0"}) {
    auto report = package.compile({{name, {10}}});
    REQUIRE(report.status().message() == "");
    CHECK(package.greatest() == runtime::Expression(10));
    CHECK(package.run(10) == "10");
    CHECK_THAT(package.run(11), Catch::EndsWith(error));
    CHECK(package.compile({{name, {10}}})->fromCache);
  }
  REQUIRE(package.errorOf({{"y", {10}}, {"size0", {4}}}) == "");
  CHECK_THAT(package.run(5), Catch::EndsWith("is 5, expected at most 4"));
}

TEST_CASE("memory is reported for the largest sizes") {
  Bounded package;
  CHECK(!package.compile({{"size0", {1000}}})->memory);
  auto report = package.compile({{"size0", {1000}}, {"N", {500}}});
  REQUIRE(report.ok());
  REQUIRE(report->memory);
  // x, n, y and z.
  CHECK(report->memory->interface == 4 * 500 + 8 + 4 * 1000 + 4 * 1500);
}

TEST_CASE("each largest shape that makes no sense has an error of its own") {
  Bounded package;
  CHECK(package.errorOf({{"q", {1}}}) ==
        "the model has no input, output or size 'q' to give a largest shape\n"
        "  the model's inputs: x, n\n  its outputs: y, z\n"
        "  its sizes: N, size0");
  CHECK(package.errorOf({{"y", {1, 2}}}) ==
        "output 'y' is f32[size0], its largest shape [1, 2]: expected 1 "
        "dimensions, found 2");
  CHECK(package.errorOf({{"size0", {1, 2}}}) ==
        "'size0' is a size: expected one integer as its largest value, found "
        "[1, 2]");
  CHECK_THAT(package.errorOf({{"z", {9}}}),
             Catch::EndsWith("give the largest value of size0: size0=9"));
  package.wantMemory = false;
  CHECK(package.errorOf({{"y", {10}}}) == "");
  for (const char *name : {"x", "N"})
    CHECK_THAT(package.errorOf({{name, {10}}}),
               Catch::StartsWith("the largest shape of '" + std::string(name) +
                                 "' has no effect"));
}
