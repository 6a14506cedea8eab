// tilewright-test-package --folder DIR: writes the test's package with variants
// for cpu and GPUs, an input, and its results on cpu, as scripts/gpu-round
// expects them: DIR/small.twp, small.inputs, small.expected.
#include "../TestPackage.h"
#include "test/main/TestMain.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include "tilewright/runtime/Model.h"
#include "tilewright/runtime/Npy.h"
#include <catch2/catch.hpp>

using namespace tilewright::runtime;

static std::string folder;

TEST_CASE("write the package") {
  REQUIRE_FALSE(folder.empty());
  const std::filesystem::path root = folder;
  for (const char *name : {"small.inputs", "small.expected"})
    std::filesystem::create_directories(root / name);
  writeTestPackage(root / "small.twp", testManifestWithGpu());
  std::vector<float> values(150);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = float(i) / 8 - 5;
  HostTensor x = floats({10, 15}, values);
  REQUIRE(writeNpy(root / "small.inputs" / "x.npy", x).ok());
  auto model = *Model::load(*openDevice("cpu"), root / "small.twp");
  auto session = *model->createSession();
  REQUIRE(session->setInput("x", x).ok());
  REQUIRE(session->run().ok());
  for (const InterfaceTensor &output : model->manifest().outputs)
    REQUIRE(writeNpy(root / "small.expected" / (output.name + ".npy"),
                     *session->output(output.name))
                .ok());
}

[[maybe_unused]] static const bool isRegistered = [] {
  tilewright::test::testMain().options["folder"] = &folder;
  return true;
}();
