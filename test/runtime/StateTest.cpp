// What a session keeps from run to run.
#include "TestPackage.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include "tilewright/runtime/Model.h"
#include <catch2/catch.hpp>
#include <thread>

using namespace tilewright;
using namespace tilewright::runtime;

static std::vector<float> values(const HostTensor &tensor) {
  auto span = tensor.as<float>();
  return {span.begin(), span.end()};
}

namespace {
struct Fixture {
  Fixture() {
    writeTestPackage(folder / "m.twp", statesManifest());
    auto loaded = Model::load(*openDevice("cpu", {2}), folder / "m.twp");
    INFO(loaded.status().message());
    REQUIRE(loaded.ok());
    model = *loaded;
  }
  TemporaryFolder folder;
  std::shared_ptr<const Model> model;
};
} // namespace

/// What is wrong with the states after `runs` runs. No assertions: it is called
/// from many threads.
static std::string wrongAfter(Session &session, unsigned runs) {
  auto s = session.state("s"), z = session.state("z");
  if (!s.ok() || !z.ok())
    return s.ok() ? z.status().message() : s.status().message();
  if (s->shape() != Shape{1, 4} ||
      values(*s) != biasTimes(float((2u << runs) - 1)))
    return "s is wrong";
  if (values(*z) != biasTimes(float(runs)))
    return "z is wrong";
  return "";
}

TEST_CASE("states go on from run to run, until they are reset") {
  Fixture fixture;
  auto session = *fixture.model->createSession();
  for (int round = 0; round < 2; ++round) {
    for (unsigned runs = 0; runs < 6; ++runs) {
      CHECK(wrongAfter(*session, runs) == "");
      REQUIRE(session->run().ok());
      auto y = session->output("y");
      REQUIRE(y.ok());
      CHECK(values(*y) == biasTimes(float((4u << runs) - 1)));
    }
    REQUIRE(session->resetStates().ok());
  }
  auto times = session->profile();
  REQUIRE(times.ok());
  REQUIRE(times->size() == 3);
  CHECK(times->back().kernel == "copy");
  CHECK(wrongAfter(*session, 1) == "");
  CHECK(session->memoryUse()->states == 32);
}

TEST_CASE("states are read, written and copied") {
  Fixture fixture;
  auto first = *fixture.model->createSession(),
       second = *fixture.model->createSession();
  REQUIRE(first->run().ok());
  REQUIRE(second->copyStates(*first).ok());
  REQUIRE(first->run().ok());
  CHECK(wrongAfter(*first, 2) == "");
  CHECK(wrongAfter(*second, 1) == "");
  REQUIRE(second->setState("z", floats({4}, {1, 2, 3, 4})).ok());
  REQUIRE(second->run().ok());
  CHECK(values(*second->state("z")) ==
        std::vector<float>{1.5f, 1.0f, 5.0f, 12.0f});
  CHECK(values(*second->state("s")) == biasTimes(7));
}

TEST_CASE("what is no state of the model is one clear error") {
  Fixture fixture, other;
  auto session = *fixture.model->createSession(),
       stranger = *other.model->createSession();
  CHECK(session->state("t").status().message() ==
        "the model has no state 't'\n  the model's states: s: f32[1, 4], "
        "z: f32[4]");
  CHECK(session->setState("s", floats({4}, {1, 2, 3, 4})).message() ==
        "state 's' is f32[1, 4], found f32[4]");
  CHECK_THAT(session->copyStates(*stranger).message(),
             Catch::StartsWith("expected a session of the same model"));
}

TEST_CASE("states of sessions in many threads do not mix") {
  Fixture fixture;
  std::vector<std::string> errors(4);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      auto session = fixture.model->createSession();
      for (unsigned i = 0; i < 50 && errors[t].empty(); ++i) {
        Status status = (*session)->resetStates();
        for (unsigned runs = 0; runs < 1 + t && status.ok(); ++runs)
          status = (*session)->run();
        errors[t] =
            status.ok() ? wrongAfter(**session, 1 + t) : status.message();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(errors == std::vector<std::string>(4));
}

//===----------------------------------------------------------------------===//
// Manifests
//===----------------------------------------------------------------------===//

TEST_CASE("a manifest with states is of version 2 and survives printing") {
  PackageManifest package = statesManifest();
  std::string printed = printPackageManifest(package);
  INFO(printed);
  CHECK(printed.find("\"tilewright_package\": 2") != std::string::npos);
  auto parsed = parsePackageManifest(printed);
  INFO(parsed.status().message());
  REQUIRE(parsed.ok());
  CHECK(*parsed == package);
  CHECK(printPackageManifest(*parsed) == printed);
  std::string plain = printPackageManifest(testManifest());
  CHECK(plain.find("\"tilewright_package\": 1,") != std::string::npos);
  CHECK(plain.find("states") == std::string::npos);
}

TEST_CASE("a manifest may say a newer version, and no older one") {
  auto readAs = [](const PackageManifest &package, const char *version) {
    std::string text = printPackageManifest(package);
    const std::string key = "\"tilewright_package\": ";
    text.replace(text.find(key) + key.size(), 1, version);
    return parsePackageManifest(text).status().message();
  };
  CHECK(readAs(testManifest(), "2") == "");
  CHECK(readAs(statesManifest(), "1") ==
        "tilewright_package: expected 2, because there is what version 1 "
        "does not have, found 1");
  for (const char *version : {"0", "3", "-1"})
    CHECK_THAT(readAs(testManifest(), version),
               Catch::StartsWith("tilewright_package: expected a package "
                                 "format version from 1 to 2, which this "
                                 "library reads, found"));
}

TEST_CASE("each rule of states and copies has an error of its own") {
  auto error = [](auto change) {
    PackageManifest package = statesManifest();
    change(package);
    return validate(package).message();
  };
  CHECK(error([](auto &) {}) == "");
  CHECK(error([](auto &p) { p.buffers[1].alias = 2; }) ==
        "buffers[1].alias: a state cannot be an alias");
  CHECK(error([](auto &p) {
          p.symbols = {"N"};
          p.buffers[2].bytes = Expression::symbol("N");
        }) ==
        "buffers[2].bytes: expected a constant, as the buffer is a state, "
        "found N");
  CHECK(error([](auto &p) { p.buffers[2].weight = "bias"; }) ==
        "buffers[2].weight: only a weight that is no alias has one");
  CHECK(error([](auto &p) { p.buffers[1].initial = 3; }) ==
        "buffers[1].initial: expected a weight that is no alias, with which "
        "the state begins");
  CHECK(error([](auto &p) { p.buffers[0].bytes = 20; }) ==
        "buffers[1].initial: expected a weight of 16 bytes, found 20");
  CHECK(error([](auto &p) { p.states[0].shape = {8}; }) ==
        "states[0].shape: expected 16 bytes, as its buffer has, found 32");
  CHECK(error([](auto &p) {
          p.symbols = {"N"};
          p.states[0].shape = {Expression::symbol("N")};
        }) == "states[0].shape: expected sizes that are constants: a state "
              "does not change its shape");
  CHECK(error([](auto &p) { p.states[1].buffer = 1; }) ==
        "states[1].buffer: another state has the same buffer");
  CHECK(error([](auto &p) { p.states[1].name = "s"; }) ==
        "states[1].name: 's' stands twice");
  CHECK(error([](auto &p) { p.states[1].value = "00"; }) ==
        "states[1].value: only an input has one");
  CHECK(error([](auto &p) { p.states.pop_back(); }) ==
        "buffers[2]: no state has this buffer");
  CHECK(error([](auto &p) { p.states[1].buffer = 3; }) ==
        "states[1].buffer: expected a buffer of kind state, found transient");
  CHECK(error([](auto &p) { p.steps[2].copy->to = 9; }) ==
        "steps[2].copy.to: no buffer 9");
  CHECK(error([](auto &p) { p.steps[2].copy->to = 0; }) ==
        "steps[2].copy.to: expected memory that steps write, found weight 0");
  CHECK(error([](auto &p) { p.steps[2].copy->to = 3; }) ==
        "steps[2].copy: buffer 3 would be copied to itself");
  CHECK(error([](auto &p) { p.steps[2].copy->to = 4; }) ==
        "steps[2].copy.to.buffer: expected memory that steps write, found "
        "output 4 in the memory of state 1; name buffer 1 to read it");
}

TEST_CASE("a copy of other bytes than there is room for is an error") {
  PackageManifest manifest = statesManifest();
  manifest.buffers[3].bytes = 32;
  TemporaryFolder folder;
  writeTestPackage(folder / "m.twp", manifest);
  auto model = Model::load(*openDevice("cpu"), folder / "m.twp");
  REQUIRE(model.ok());
  CHECK((*(*model)->createSession())->run().message() ==
        "step 2 (z): copies 32 bytes to 16 bytes");
}
