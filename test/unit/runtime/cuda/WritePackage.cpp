// tilewright-test-package DIR: writes the test's package with variants for cpu
// and GPUs, an input, and the results that the cpu gives for it, as
// scripts/gpu-round takes them: DIR/small.twp, small.inputs, small.expected.
#define CATCH_CONFIG_RUNNER
#include "../TestPackage.h"
#include "runtime/core/DeviceRegistry.h"
#include "runtime/core/Model.h"
#include "runtime/core/Npy.h"
#include <catch2/catch.hpp>
#include <cstdio>

using namespace tilewright::runtime;

static std::filesystem::path &folder() {
  static std::filesystem::path path;
  return path;
}

TEST_CASE("write the package") {
  for (const char *name : {"small.inputs", "small.expected"})
    std::filesystem::create_directories(folder() / name);
  writeTestPackage(folder() / "small.twp", testManifestWithGpu());
  std::vector<float> values(150);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = float(i) / 8 - 5;
  HostTensor x = floats({10, 15}, values);
  REQUIRE(writeNpy(folder() / "small.inputs" / "x.npy", x).ok());
  auto model = *Model::load(*openDevice("cpu"), folder() / "small.twp");
  auto session = *model->createSession();
  REQUIRE(session->setInput("x", x).ok());
  REQUIRE(session->run().ok());
  for (const InterfaceTensor &output : model->manifest().outputs)
    REQUIRE(writeNpy(folder() / "small.expected" / (output.name + ".npy"),
                     *session->output(output.name))
                .ok());
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: tilewright-test-package DIR\n");
    return 2;
  }
  folder() = argv[1];
  return Catch::Session().run(1, argv);
}
