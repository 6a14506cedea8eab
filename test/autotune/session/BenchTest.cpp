// How a measurement uses a device.
#include "autotune/measure/Measurement.h"
#include "runtime/null/NullDevice.h"
#include "test/autotune/session/Kernels.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::autotune;
using namespace tilewright::autotune::test;

/// The device that the next "recording" is.
static std::shared_ptr<runtime::NullDevice> recording;

static const runtime::DeviceRegistration
    registration("recording", [](unsigned, const runtime::DeviceOptions &) {
      recording = runtime::NullDevice::create();
      return StatusOr<std::shared_ptr<runtime::Device>>(recording);
    });

/// The names of the kernels that were launched, in order.
static std::vector<std::string> launches() {
  std::vector<std::string> names;
  for (const std::string &call : recording->calls())
    if (call.starts_with("launch "))
      names.push_back(call.substr(7, call.find(' ', 7) - 7));
  return names;
}

TEST_CASE("in pairs, each short launch that counts follows one of its kernel") {
  auto task = Task::open(workloadOf(gemm(8, 8, 8)).tasks[0].task, 1);
  REQUIRE(task.ok());
  StatusOr<Candidate> candidate = (*task)->compile("");
  REQUIRE(candidate.ok());
  BenchOptions options;
  options.device = "recording";
  StatusOr<Bench> bench = Bench::open((*task)->tensors(), options);
  REQUIRE(bench.ok());
  candidate->image.manifest.name = "own";
  StatusOr<BenchKernel> own = bench->load(*candidate);
  candidate->image.manifest.name = "other";
  StatusOr<BenchKernel> other = bench->load(*candidate);
  REQUIRE(own.ok());
  REQUIRE(other.ok());

  StatusOr<Measured> measured = measure(*bench, *own, &*other, options.seconds);
  REQUIRE(measured.ok());
  std::vector<std::string> names = launches();
  // Two of each to warm up, then pairs of two and two; if the first looks
  // faster, the same once more.
  REQUIRE(names.size() >= 4 + 4 * measured->time.samples);
  CHECK(std::ranges::count(names, "own") == std::ranges::count(names, "other"));
  for (size_t i = 4; i < 4 + 4 * 10; i += 2)
    CHECK(names[i] == names[i + 1]);

  // Alone, no launch is left out.
  size_t before = names.size();
  measured = measure(*bench, *own, nullptr, options.seconds);
  REQUIRE(measured.ok());
  CHECK(launches().size() == before + 2 + measured->time.samples);
}
