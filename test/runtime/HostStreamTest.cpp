#include "runtime/core/HostStream.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include <atomic>
#include <catch2/catch.hpp>
#include <future>
#include <sys/resource.h>
#include <vector>

using namespace tilewright;
using namespace tilewright::runtime;

namespace {
/// A stream whose launches fail: to see what becomes of the work behind.
class FailingStream : public HostStream {
public:
  ~FailingStream() override { drain(); }
  Status launch(const Kernel &, std::span<const uint64_t>,
                const Grid &) override {
    return {};
  }
  void fail(const char *message) {
    CHECK(submit([=] { return Status::internal(message); }).ok());
  }
  void note(std::atomic<int> &counter) {
    CHECK(submit([&counter] {
            ++counter;
            return Status();
          }).ok());
  }
};
} // namespace

TEST_CASE("after a failure work is skipped until it was reported once") {
  FailingStream stream;
  std::atomic<int> counter = 0;
  stream.note(counter);
  stream.fail("first");
  stream.fail("second");
  stream.note(counter);
  HostEvent event;
  REQUIRE(stream.record(event).ok());
  CHECK(event.reached());
  CHECK(stream.synchronize().message() == "first");
  CHECK(counter == 1);
  CHECK(stream.synchronize().ok());
  stream.note(counter);
  CHECK(stream.synchronize().ok());
  CHECK(counter == 2);
}

TEST_CASE("queued work fails and skips just so") {
  FailingStream stream;
  std::promise<void> go;
  std::atomic<int> counter = 0;
  REQUIRE(stream.hostCall([&] { go.get_future().wait(); }).ok());
  stream.fail("queued");
  stream.note(counter);
  REQUIRE(stream.hostCall([&] { counter += 10; }).ok());
  HostEvent event;
  REQUIRE(stream.record(event).ok());
  CHECK_FALSE(event.reached());
  go.set_value();
  CHECK(stream.synchronize().message() == "queued");
  CHECK(event.reached());
  CHECK(counter == 10);
}

TEST_CASE("a stream that goes away finishes its work first") {
  std::atomic<int> counter = 0;
  {
    FailingStream stream;
    for (int i = 0; i < 100; ++i)
      REQUIRE(stream.hostCall([&] { ++counter; }).ok());
  }
  CHECK(counter == 100);
}

TEST_CASE("constants that are aligned are used in place") {
  alignas(64) std::byte data[128] = {};
  auto owner = std::make_shared<int>(1);
  auto same = HostBuffer::constant({data, 128}, owner);
  REQUIRE(same.ok());
  CHECK((*same)->hostPointer() == data);
  CHECK(owner.use_count() == 2);
  auto copy = HostBuffer::constant({data + 1, 100}, owner);
  REQUIRE(copy.ok());
  CHECK((*copy)->address() % 64 == 0);
  CHECK((*copy)->hostPointer() != data + 1);
}

TEST_CASE("devices open by name") {
  CHECK(openDevice("cpu").ok());
  CHECK(openDevice("cpu:0").ok());
  CHECK((*openDevice("cpu", {3}))->info().description.ends_with("3 threads"));
  CHECK(openDevice("cpu:1").status().code() == StatusCode::notFound);
  CHECK(openDevice("cpu:x").status().code() == StatusCode::invalidInput);
  CHECK(openDevice("abacus").status().message() ==
        "no device 'abacus'; the devices are cpu, cuda, emulator, null");
}

// A sanitizer needs more address space than any limit allows.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TILEWRIGHT_SANITIZED
#endif
#endif
#ifndef TILEWRIGHT_SANITIZED
TEST_CASE("a worker that does not start is an error of the call") {
  rlimit before;
  REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
  rlimit little = before;
  little.rlim_cur = size_t{2} << 30;
  std::vector<std::unique_ptr<FailingStream>> streams(4096);
  for (auto &stream : streams)
    stream = std::make_unique<FailingStream>();
  REQUIRE(setrlimit(RLIMIT_AS, &little) == 0);
  std::atomic<size_t> called = 0;
  size_t started = 0;
  Status status;
  for (; status.ok() && started < streams.size(); ++started)
    status = streams[started]->hostCall([&] { ++called; });
  REQUIRE(setrlimit(RLIMIT_AS, &before) == 0);
  REQUIRE(status.code() == StatusCode::resourceExhausted);
  CHECK(status.message().find("cannot start a thread") != std::string::npos);
  // Nothing is queued there, and the next call may succeed.
  CHECK(streams[started - 1]->synchronize().ok());
  CHECK(streams[started - 1]->hostCall([&] { ++called; }).ok());
  for (auto &stream : streams)
    CHECK(stream->synchronize().ok());
  CHECK(called == started);
}
#endif
