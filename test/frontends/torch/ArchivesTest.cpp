// The committed archives compute what PyTorch computes.
#include "test/frontends/torch/Archives.h"

#include "test/library/model/Models.h"
#include "tilewright/compiler/CompileModel.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include "tilewright/runtime/HalfFloats.h"
#include "tilewright/runtime/Npy.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace tilewright;
using namespace tilewright::torch::test;
using runtime::DType;
using runtime::HostTensor;

namespace {

/// The elements of an .npy entry, in the type that the model has.
HostTensor tensorOf(const std::string &npy, DType dtype) {
  auto tensor = runtime::parseNpy(std::as_bytes(std::span(npy)), "entry");
  REQUIRE(tensor.ok());
  if (tensor->dtype() == dtype)
    return *tensor;
  auto same = HostTensor::copyOf(
      {dtype, tensor->shape(), {tensor->data(), tensor->bytes()}});
  REQUIRE(same.ok());
  return *same;
}

template <typename T> double elementAt(const HostTensor &tensor, size_t i) {
  return double(tensor.as<T>()[i]);
}

double valueAt(const HostTensor &tensor, size_t i) {
  switch (tensor.dtype()) {
  case DType::F64:
    return elementAt<double>(tensor, i);
  case DType::F32:
    return elementAt<float>(tensor, i);
  case DType::F16:
    return double(float(Float16::fromBits(tensor.as<uint16_t>()[i])));
  case DType::BF16:
    return double(float(BFloat16::fromBits(tensor.as<uint16_t>()[i])));
  case DType::I64:
    return elementAt<int64_t>(tensor, i);
  case DType::I32:
    return elementAt<int32_t>(tensor, i);
  case DType::Bool:
  case DType::U8:
    return elementAt<uint8_t>(tensor, i);
  default:
    FAIL("no case of this test has this type");
    return 0;
  }
}

double toleranceOf(DType dtype) {
  return dtype == DType::BF16 ? 1e-2 : dtype == DType::F16 ? 2e-3 : 1e-5;
}

/// The first element that differs, in words; empty if none does.
std::string difference(const HostTensor &found, const HostTensor &wanted) {
  if (found.shape() != wanted.shape())
    return "shape " + runtime::printShape(found.shape()) + ", expected " +
           runtime::printShape(wanted.shape());
  double tolerance = toleranceOf(found.dtype());
  for (size_t i = 0; i < wanted.size(); ++i) {
    double x = valueAt(found, i), y = valueAt(wanted, i);
    bool same = (std::isnan(x) && std::isnan(y)) || x == y ||
                std::abs(x - y) <= tolerance * (1 + std::abs(y));
    if (!same)
      return "element " + std::to_string(i) + " is " + std::to_string(x) +
             ", expected " + std::to_string(y);
  }
  return "";
}

/// Runs an archive with the inputs of a call, and compares its outputs.
void checkCall(const runtime::Model &model, runtime::Session &session,
               const Entries &entries, const std::string &call) {
  INFO(call);
  for (const auto &input : model.manifest().inputs) {
    HostTensor tensor =
        tensorOf(entries.at(call + "in." + input.name + ".npy"), input.dtype);
    Status set = session.setInput(
        input.name,
        {tensor.dtype(), tensor.shape(), {tensor.data(), tensor.bytes()}});
    INFO(set.message());
    REQUIRE(set.ok());
  }
  Status ran = session.run();
  INFO(ran.message());
  REQUIRE(ran.ok());
  CHECK(model.manifest().outputs.size() ==
        size_t(std::count_if(entries.begin(), entries.end(), [&](auto &entry) {
          return entry.first.starts_with(call + "out.");
        })));
  for (const auto &output : model.manifest().outputs) {
    INFO(output.name);
    auto found = session.output(output.name);
    REQUIRE(found.ok());
    CHECK(difference(*found,
                     tensorOf(entries.at(call + "out." + output.name + ".npy"),
                              found->dtype())) == "");
  }
}

/// Runs an archive as its entries say. Those of several calls have state: a
/// session has its own.
void checkArchive(const std::filesystem::path &path, const std::string &target,
                  const std::string &device) {
  INFO(path);
  tilewright::test::ModelFolder folder;
  CompileModelOptions options;
  REQUIRE(setTargets(std::vector<std::string>{target}, options).ok());
  auto report = compileModel(path, folder / "m.twp", options);
  INFO(report.status().message());
  REQUIRE(report.ok());
  auto opened = runtime::openDevice(device);
  REQUIRE(opened.ok());
  auto model = runtime::Model::load(*opened, folder / "m.twp");
  INFO(model.status().message());
  REQUIRE(model.ok());
  auto session = (*model)->createSession();
  REQUIRE(session.ok());
  const Entries entries = readEntries(path);
  checkCall(**model, **session, entries, "extra/");
  const bool hasState = !(*model)->manifest().states.empty();
  CHECK(hasState == entries.contains("extra/step1/in.x.npy"));
  if (!hasState)
    return;
  auto other = (*model)->createSession();
  REQUIRE(other.ok());
  for (int step = 1;; ++step) {
    const std::string call = "extra/step" + std::to_string(step) + "/";
    if (!entries.contains(call + "in.x.npy"))
      break;
    checkCall(**model, **session, entries, call);
  }
  checkCall(**model, **other, entries, "extra/");
}

} // namespace

TEST_CASE("archives on the CPU") {
  for (const auto &path : allArchives())
    checkArchive(path, "cpu", "cpu");
}

TEST_CASE("archives on the emulator") {
  for (const char *name :
       {"mlp.training", "cnn.aten", "attention.training", "norms.aten",
        "cache.training", "order.aten", "written.training", "scores.training"})
    checkArchive(archivePath(name), "sm_90a", "emulator");
}
