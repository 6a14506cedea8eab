// Every call of every driver function fails once, at each location where a
// whole program makes it: the error must reach the program, with the function's
// name and the code, and nothing may be left behind.
#include "../TestPackage.h"
#include "Fixture.h"
#include "runtime/cuda/Driver.h"
#include "tilewright/runtime/Model.h"
#include <catch2/catch.hpp>
#include <future>
#include <set>

using namespace tilewright;
using namespace tilewright::runtime;

static Status runModel(const std::shared_ptr<Device> &device,
                       const std::filesystem::path &package) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto model, Model::load(device, package));
  TILEWRIGHT_ASSIGN_OR_RETURN(auto session, model->createSession());
  HostTensor input = floats({2, 2}, {1, 2, 3, 4});
  TILEWRIGHT_RETURN_IF_ERROR(session->setInput("x", input));
  for (int i = 0; i < 4; ++i) // From the third on, as a graph.
    TILEWRIGHT_RETURN_IF_ERROR(session->run());
  TILEWRIGHT_RETURN_IF_ERROR(session->profile().status());
  TILEWRIGHT_ASSIGN_OR_RETURN(HostTensor output, session->output("s"));
  if (output.as<float>()[0] != 5.5f)
    return Status::internal("a wrong result without an error");
  return {};
}

/// Copies in both ways on an idle and on a busy stream, and within the device.
static Status copyAround(Device &device) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto one, device.allocate(16));
  TILEWRIGHT_ASSIGN_OR_RETURN(auto two, device.allocate(16));
  TILEWRIGHT_ASSIGN_OR_RETURN(auto start, device.createEvent());
  TILEWRIGHT_ASSIGN_OR_RETURN(auto end, device.createEvent());
  int64_t in = 7, out = 0;
  std::promise<void> go; // The stream is busy until it is set.
  std::future<void> gone = go.get_future();
  // Last, so that it goes first: it waits for its work.
  TILEWRIGHT_ASSIGN_OR_RETURN(auto stream, device.createStream());
  TILEWRIGHT_RETURN_IF_ERROR(stream->record(*start));
  TILEWRIGHT_RETURN_IF_ERROR(stream->synchronize()); // Idle, for certain.
  TILEWRIGHT_RETURN_IF_ERROR(stream->copyToDevice(*one, 0, &in, 8));
  auto finish = [&]() -> Status {
    Status status = stream->hostCall([&gone] { gone.wait(); });
    if (status.ok())
      status = stream->copyToDevice(*one, 8, &in, 8);
    if (status.ok())
      status = stream->copy(*two, 0, *one, 0, 16);
    if (status.ok())
      status = stream->copyToHost(&out, *two, 8, 8);
    if (status.ok())
      status = stream->record(*end);
    if (status.ok())
      status = stream->wait(*end);
    go.set_value();
    Status done = stream->synchronize();
    return status.ok() ? done : status;
  };
  TILEWRIGHT_RETURN_IF_ERROR(finish());
  TILEWRIGHT_RETURN_IF_ERROR(end->synchronize());
  static_cast<void>(end->reached());
  TILEWRIGHT_ASSIGN_OR_RETURN(auto time, end->since(*start));
  return out == 7 && time.count() >= 0
             ? Status()
             : Status::internal("a wrong result without an error");
}

/// A kernel with all requirements that a manifest can have, in a graph.
static Status replay(Device &device) {
  KernelManifest manifest = kernelManifest("program_ids", 1);
  manifest.shared = 100 * 1024;
  manifest.cluster = {16, 1, 1};
  TILEWRIGHT_ASSIGN_OR_RETURN(
      auto kernel, loadKernel(device, manifest, kernelPtx("program_ids", 1)));
  TILEWRIGHT_ASSIGN_OR_RETURN(auto data, device.allocate(8 * 16));
  std::shared_ptr<Graph> graph;
  TILEWRIGHT_ASSIGN_OR_RETURN(auto stream, device.createStream());
  uint64_t word = data->address();
  TILEWRIGHT_RETURN_IF_ERROR(stream->beginCapture());
  TILEWRIGHT_RETURN_IF_ERROR(stream->launch(*kernel, {&word, 1}, {16, 1, 1}));
  TILEWRIGHT_ASSIGN_OR_RETURN(graph, stream->endCapture());
  TILEWRIGHT_RETURN_IF_ERROR(stream->launch(*graph));
  return stream->synchronize();
}

static Status program(const std::filesystem::path &package) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto device, openFake());
  TILEWRIGHT_RETURN_IF_ERROR(runModel(device, package));
  TILEWRIGHT_RETURN_IF_ERROR(copyAround(*device));
  return replay(*device);
}

/// Functions whose failure may go by: they end something, which happens all
/// the same; or they only serve a message, or a question without an answer
/// for errors (Event::reached).
static const std::set<std::string> mayBeSilent = {
    "cuCtxPopCurrent_v2", "cuDevicePrimaryCtxRelease_v2",
    "cuMemPoolDestroy",   "cuMemFreeAsync",
    "cuMemFree_v2",       "cuMemFreeHost",
    "cuStreamDestroy_v2", "cuEventDestroy_v2",
    "cuModuleUnload",     "cuGraphExecDestroy",
    "cuGraphDestroy",     "cuEventQuery"};
/// These are also called in destructors: some calls must report.
static const std::set<std::string> isMixed = {"cuCtxPushCurrent_v2",
                                              "cuStreamSynchronize"};
/// Not called by the program while nothing fails.
static const std::set<std::string> isUnused = {
    "cuMemGetInfo_v2", "cuGetErrorName", "cuMemAlloc_v2", "cuMemFree_v2"};

/// Fails the call; "" if all is as it should be. `reported` counts.
static std::string failOnce(const std::filesystem::path &package,
                            const FakeMachine &machine,
                            const std::string &function, int call, int code,
                            int &reported) {
  fakeReset(&machine);
  fakeFail(function.c_str(), call, code);
  Status status = program(package);
  std::string problems = fakeProblems();
  if (!problems.empty())
    return problems;
  if (status.ok())
    return mayBeSilent.contains(function) || isMixed.contains(function)
               ? ""
               : "the failure was not reported";
  ++reported;
  const cuda::DriverError *error = cuda::findDriverError(code);
  bool named = contains(status.message(), function) ||
               mayBeSilent.contains(function) || isMixed.contains(function);
  if (named && contains(status.message(), error->name))
    return "";
  return "the error names not both: " + status.message();
}

TEST_CASE("each driver function fails once at each of its places") {
  TemporaryFolder folder;
  writeTestPackage(folder / "m.twp", testManifestWithGpu());
  std::vector<std::string> functions = {
#define DRIVER_SYMBOL(NAME, NEED, ...) #NAME,
#include "runtime/cuda/DriverSymbols.inc"
#undef DRIVER_SYMBOL
  };
  size_t places = 0;
  for (int pools : {1, 0}) {
    FakeMachine machine;
    machine.pools = pools;
    fakeReset(&machine);
    Status status = program(folder / "m.twp");
    INFO(status.message() << fakeProblems());
    REQUIRE((status.ok() && std::string(fakeProblems()).empty()));
    std::map<std::string, int> calls;
    for (const std::string &function : functions)
      calls[function] = fakeCalls(function.c_str());
    for (const auto &[function, count] : calls) {
      if (pools == 1)
        CHECK((count > 0) != isUnused.contains(function));
      // One code that passes, one that loses the device.
      for (int code : {999, 719}) {
        int reported = 0;
        for (int call = 1; call <= count; ++call) {
          std::string wrong = failOnce(folder / "m.twp", machine, function,
                                       call, code, reported);
          INFO(function << ", call " << call << ", code " << code);
          CHECK(wrong == "");
          ++places;
        }
        INFO(function);
        CHECK((reported > 0 || count == 0 || mayBeSilent.contains(function)));
      }
    }
  }
  FakeMachine machine;
  fakeReset(&machine);
  CHECK(places > 1000);
}
