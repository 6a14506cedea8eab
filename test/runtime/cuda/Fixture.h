// A cuda device on the fake driver.
#ifndef TILEWRIGHT_TEST_RUNTIME_CUDA_FIXTURE_H
#define TILEWRIGHT_TEST_RUNTIME_CUDA_FIXTURE_H

#include "test/fake_driver/FakeDriver.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include "tilewright/runtime/Launch.h"
#include <memory>
#include <string>
#include <string_view>

namespace tilewright::runtime {

/// Opens cuda:`ordinal` on the fake driver.
StatusOr<std::shared_ptr<Device>> openFake(unsigned ordinal = 0);

/// PTX with one kernel `name` that takes `words` words; `directives` and `body`
/// are added to it.
std::string kernelPtx(const std::string &name, unsigned words,
                      const std::string &directives = "",
                      const std::string &body = "");

/// The manifest of such a kernel.
KernelManifest kernelManifest(const std::string &name, unsigned words);

/// Loads it.
StatusOr<std::shared_ptr<Kernel>> loadKernel(Device &device,
                                             const KernelManifest &manifest,
                                             std::string_view ptx);

/// A machine for one test case: set up at the start; at the end, no rule may
/// have been broken and nothing may live.
struct Fake {
  explicit Fake(const FakeMachine &machine = {}) { fakeReset(&machine); }
  ~Fake();
};

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

} // namespace tilewright::runtime

#endif // TILEWRIGHT_TEST_RUNTIME_CUDA_FIXTURE_H
