// What a launch provides for the kernels of a package: workspaces, and grids
// that fit the device.
#include "Models.h"
#include "tilewright/compiler/CompileModel.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include "tilewright/runtime/Model.h"
#include "tilewright/runtime/Package.h"

#include <catch2/catch.hpp>
#include <cstring>

using namespace tilewright;

/// y = tally++, where tally is the workspace; then the number of programs.
static const char *const tallying = R"(
tile.kernel @k(%x: !tile.view<?xi32> {tile.name = "x", tile.dims = ["N"]},
               %y: !tile.view<2xi32> {tile.name = "y"},
               %tally: !tile.ptr<i32> {tile.workspace = affine_map<()[n, m] -> (4)>, tile.zeroed = "ZEROED"})
    grid affine_map<()[n, m] -> (n)> attributes {tile.persistent = 2 : i64} {
  %c0 = arith.constant 0 : index
  %i = tile.program_id
  %first = arith.cmpi eq, %i, %c0 : index
  scf.if %first {
    %old = tile.load_ptr %tally : !tile.ptr<i32>
    %one = arith.constant 1 : i32
    %new = arith.addi %old, %one : i32
    tile.store_ptr %new, %tally : !tile.ptr<i32>
    %n = tile.program_count
    %programs = arith.index_cast %n : index to i32
    %a = tile.splat %old : i32 -> tensor<1xi32>
    %b = tile.splat %programs : i32 -> tensor<1xi32>
    %both = tile.concat %a, %b axis 0 : tensor<1xi32>, tensor<1xi32> -> tensor<2xi32>
    tile.store %both, %y[%c0] : tensor<2xi32>, !tile.view<2xi32>
  }
}
)";

/// The two results of each of three runs with `programs` programs.
static std::vector<int32_t> runs(const std::string &device,
                                 const std::string &zeroed, int64_t programs) {
  test::ModelFolder folder;
  std::string text = tallying;
  text.replace(text.find("ZEROED"), 6, zeroed);
  CompileModelOptions options;
  options.gpus = {target::findGpuTarget("sm_90a")};
  auto compiled =
      compileModel(folder.write("k.mlir", text), folder / "k.twp", options);
  INFO(compiled.status().message());
  REQUIRE(compiled.ok());
  auto model =
      runtime::Model::load(*runtime::openDevice(device, {3}), folder / "k.twp");
  INFO(model.status().message());
  REQUIRE(model.ok());
  auto session = *(*model)->createSession();
  runtime::HostTensor x =
      *runtime::HostTensor::allocate(runtime::DType::I32, {programs});
  std::vector<int32_t> found;
  for (int run = 0; run < 3; ++run) {
    REQUIRE(session->setInput("x", x.view()).ok());
    Status ran = session->run();
    INFO(ran.message());
    REQUIRE(ran.ok());
    auto y = session->output("y");
    REQUIRE(y.ok());
    found.resize(found.size() + 2);
    std::memcpy(&found[found.size() - 2], y->view().data.data(), 8);
  }
  return found;
}

TEST_CASE("packages: workspaces and programs for each multiprocessor") {
  using Numbers = std::vector<int32_t>;
  // Two programs for each of 3 threads, or of the emulator's 4 multiprocessors.
  CHECK(runs("cpu", "once", 100) == Numbers{0, 6, 1, 6, 2, 6});
  CHECK(runs("emulator", "once", 100) == Numbers{0, 8, 1, 8, 2, 8});
  CHECK(runs("cpu", "launch", 5) == Numbers{0, 5, 0, 5, 0, 5});
  CHECK(runs("emulator", "launch", 5) == Numbers{0, 5, 0, 5, 0, 5});
}
