// The kernels of a package, launched by hand.
#include "Models.h"
#include "tilewright/compiler/CompileModel.h"
#include "tilewright/runtime/Launch.h"
#include "tilewright/runtime/Package.h"

#include <catch2/catch.hpp>

using namespace tilewright;
using Catch::Matchers::Contains;

static const char *const doubleRows = R"(
tile.kernel @k(%x: !tile.view<?x64xf32> {tile.name = "x", tile.dims = ["M", ""]},
               %y: !tile.view<?x64xf32> {tile.name = "y", tile.dims = ["M", ""]})
    grid affine_map<()[M, c, m, d] -> (M)> {
  %c0 = arith.constant 0 : index
  %i = tile.program_id
  %t = tile.load %x[%i, %c0] : !tile.view<?x64xf32> -> tensor<1x64xf32>
  %s = arith.addf %t, %t : tensor<1x64xf32>
  tile.store %s, %y[%i, %c0] : tensor<1x64xf32>, !tile.view<?x64xf32>
}
)";

static runtime::LaunchArgument viewOf(runtime::Shape dims,
                                      runtime::Shape strides = {}) {
  runtime::LaunchArgument view;
  view.isView = true;
  view.bytes = 1 << 20;
  view.dims = std::move(dims);
  view.strides = std::move(strides);
  return view;
}

/// Code accesses memory by the sizes in its types, with no check of the view.
TEST_CASE("packages: a kernel is refused sizes and strides that are not its") {
  test::ModelFolder folder;
  CompileModelOptions options;
  options.gpus = {target::findGpuTarget("sm_80")};
  REQUIRE(compileModel(folder.write("k.mlir", doubleRows), folder / "k.twp",
                       options)
              .ok());
  auto package = runtime::Package::load(folder / "k.twp");
  REQUIRE(package.ok());
  for (const runtime::KernelManifest &kernel : (*package)->manifest().kernels) {
    INFO(kernel.target);
    auto plan = [&](const runtime::LaunchArgument &x) {
      auto planned =
          planLaunch(kernel, std::vector{x, viewOf({x.dims[0], 64})});
      return planned.ok() ? "" : planned.status().message();
    };
    CHECK(plan(viewOf({3, 64})).empty());
    CHECK(plan(viewOf({0, 64})).empty());
    CHECK_THAT(plan(viewOf({3, 8})),
               Contains("guard 'arg0.dim1 == 64' does not hold: 8 against 64"));
    CHECK_THAT(plan(viewOf({3, 64}, {128, 1})), Contains("'arg0.stride0 == "));
    CHECK_THAT(plan(viewOf({3, 64}, {128, 2})), Contains("arg0.stride1 == 1"));
  }
}

/// Kernels in tuning databases have them.
TEST_CASE("packages: the old names of a kernel's attributes are read") {
  auto namedBy = [](const std::string &dialect) {
    test::ModelFolder folder;
    std::string text = R"(
tile.kernel @k(%x: !tile.view<?xf32> {*.name = "x", *.dims = ["N"]},
               %n: index {*.value = "N"},
               %y: !tile.view<?xf32> {*.name = "y", *.dims = ["N"]})
    grid affine_map<()[N, n, m] -> (n)> {
  %i = tile.program_id
  %t = tile.load %x[%i] : !tile.view<?xf32> -> tensor<1xf32>
  tile.store %t, %y[%i] : tensor<1xf32>, !tile.view<?xf32>
}
)";
    for (size_t at; (at = text.find('*')) != std::string::npos;)
      text.replace(at, 1, dialect);
    auto made = compileModel(folder.write("k.mlir", text), folder / "k.twp",
                             CompileModelOptions());
    INFO(made.status().message());
    REQUIRE(made.ok());
    return test::contentOf(folder / "k.twp");
  };
  auto files = namedBy("tile");
  CHECK(files == namedBy("graph"));
  CHECK_THAT(files.at("manifest.json"),
             Contains("\"x\"") && Contains("\"N\"") && !Contains("arg0\""));
}
