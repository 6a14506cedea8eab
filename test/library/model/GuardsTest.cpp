// The kernels of a package, launched by hand.
#include "Models.h"
#include "tilewright/compiler/CompileModel.h"
#include "tilewright/runtime/Launch.h"
#include "tilewright/runtime/Package.h"

#include <catch2/catch.hpp>

using namespace tilewright;
using Catch::Matchers::Contains;

static const char *const doubleRows = R"(
tile.kernel @k(%x: !tile.view<?x64xf32> {graph.name = "x", graph.dims = ["M", ""]},
               %y: !tile.view<?x64xf32> {graph.name = "y", graph.dims = ["M", ""]})
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
