#include "Fixture.h"
#include <catch2/catch.hpp>

namespace tilewright::runtime {

StatusOr<std::shared_ptr<Device>> openFake(unsigned ordinal) {
  DeviceOptions options;
  options.cudaDriver = FAKE_DRIVER;
  return openDevice("cuda:" + std::to_string(ordinal), options);
}

std::string kernelPtx(const std::string &name, unsigned words,
                      const std::string &directives, const std::string &body) {
  std::string parameters;
  for (unsigned i = 0; i < words; ++i)
    parameters += (i ? ", .param .u64 w" : ".param .u64 w") + std::to_string(i);
  return ".version 7.0\n.target sm_80\n.address_size 64\n"
         ".visible .entry " +
         name + "(" + parameters + ") " + directives + "\n{\n" + body +
         "  ret;\n}\n";
}

KernelManifest kernelManifest(const std::string &name, unsigned words) {
  KernelManifest kernel;
  kernel.name = kernel.entry = name;
  kernel.target = "sm_80";
  kernel.image = "k.ptx";
  kernel.arguments.assign(words, KernelArgument::scalar());
  kernel.grid = {Expression(1)};
  return kernel;
}

StatusOr<std::shared_ptr<Kernel>> loadKernel(Device &device,
                                             const KernelManifest &manifest,
                                             std::string_view ptx) {
  TILEWRIGHT_ASSIGN_OR_RETURN(
      auto module,
      device.loadModule(std::as_bytes(std::span(ptx.data(), ptx.size()))));
  return module->kernel(manifest);
}

Fake::~Fake() {
  std::string problems = fakeProblems();
  INFO(problems);
  CHECK(problems.empty());
}

} // namespace tilewright::runtime
