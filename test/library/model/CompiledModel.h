// Models that are compiled from text and run on each device.
#ifndef TILEWRIGHT_TEST_LIBRARY_MODEL_COMPILEDMODEL_H
#define TILEWRIGHT_TEST_LIBRARY_MODEL_COMPILEDMODEL_H

#include "Models.h"
#include "tilewright/compiler/CompileModel.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include "tilewright/runtime/Model.h"

#include <catch2/catch.hpp>
#include <functional>

namespace tilewright::test {

using runtime::DType;
using runtime::HostTensor;
using Floats = std::vector<float>;

/// A model that is compiled for all devices of this machine.
class Compiled {
public:
  explicit Compiled(const std::string &text) {
    CompileModelOptions options;
    options.gpus = {target::findGpuTarget("sm_90a")};
    options.interpreter = true;
    auto compiled =
        compileModel(folder.write("m.mlir", text), folder / "m.twp", options);
    INFO(compiled.status().message());
    REQUIRE(compiled.ok());
  }
  std::shared_ptr<const runtime::Model>
  load(std::shared_ptr<runtime::Device> device) const {
    auto model = runtime::Model::load(std::move(device), folder / "m.twp");
    INFO(model.status().message());
    REQUIRE(model.ok());
    return *model;
  }
  runtime::PackageManifest manifest() const {
    return (*runtime::Package::load(folder / "m.twp"))->manifest();
  }

private:
  ModelFolder folder;
};

inline void setFloats(runtime::Session &session, const char *name,
                      const runtime::Shape &shape, const Floats &values) {
  Status set = session.setInput(
      name, {DType::F32, shape, std::as_bytes(std::span(values))});
  INFO(set.message());
  REQUIRE(set.ok());
}
inline void setInteger(runtime::Session &session, const char *name,
                       int64_t value) {
  Status set = session.setInput(
      name, {DType::I64, {}, std::as_bytes(std::span(&value, 1))});
  INFO(set.message());
  REQUIRE(set.ok());
}
inline void run(runtime::Session &session) {
  Status ran = session.run();
  INFO(ran.message());
  REQUIRE(ran.ok());
}
inline Floats floatsOf(const HostTensor &tensor) {
  auto span = tensor.as<float>();
  return {span.begin(), span.end()};
}
inline Floats outputOf(runtime::Session &session, const char *name) {
  return floatsOf(*session.output(name));
}
inline Floats stateOf(runtime::Session &session, const char *name) {
  return floatsOf(*session.state(name));
}

/// Calls `steps` with a session on each device.
inline void onEachDevice(const Compiled &compiled,
                         const std::function<void(runtime::Session &)> &steps) {
  for (const char *name : {"cpu", "emulator", "interpreter"}) {
    INFO(name);
    auto session =
        compiled.load(*runtime::openDevice(name, {2}))->createSession();
    INFO(session.status().message());
    REQUIRE(session.ok());
    steps(**session);
  }
}

/// How many steps are copies.
inline size_t copiesIn(const Compiled &compiled) {
  size_t count = 0;
  for (const runtime::StepManifest &step : compiled.manifest().steps)
    count += step.copy.has_value();
  return count;
}

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_LIBRARY_MODEL_COMPILEDMODEL_H
