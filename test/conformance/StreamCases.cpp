#include "Conformance.h"
#include <atomic>
#include <chrono>
#include <future>

namespace tilewright::runtime::conformance {

using DevicePointer = std::shared_ptr<Device>;

static std::string hostCallsInOrder(const DevicePointer &device) {
  auto stream = makeStream(*device);
  EXPECT(stream);
  std::vector<int> order;
  for (int i = 0; i < 100; ++i)
    EXPECT(stream->hostCall([&order, i] { order.push_back(i); }).ok());
  EXPECT(stream->synchronize().ok());
  EXPECT(order.size() == 100);
  for (int i = 0; i < 100; ++i)
    EXPECT(order[size_t(i)] == i);
  EXPECT(stream->synchronize().ok());
  return "";
}

static std::string enqueueingDoesNotWait(const DevicePointer &device) {
  auto stream = makeStream(*device);
  auto event = device->createEvent();
  EXPECT(stream && event.ok());
  std::promise<void> go;
  std::future<void> gone = go.get_future();
  EXPECT(stream->hostCall([&gone] { gone.wait(); }).ok());
  EXPECT(stream->record(**event).ok());
  bool early = (*event)->reached();
  go.set_value();
  EXPECT((*event)->synchronize().ok());
  EXPECT(!early);
  EXPECT((*event)->reached());
  EXPECT(stream->synchronize().ok());
  return "";
}

static std::string eventsAreReached(const DevicePointer &device) {
  auto stream = makeStream(*device);
  auto event = device->createEvent();
  EXPECT(stream && event.ok());
  EXPECT((*event)->reached()); // Never recorded.
  EXPECT((*event)->synchronize().ok());
  for (int i = 0; i < 3; ++i) {
    EXPECT(stream->record(**event).ok());
    EXPECT((*event)->synchronize().ok());
    EXPECT((*event)->reached());
  }
  EXPECT(stream->wait(**event).ok());
  EXPECT(stream->synchronize().ok());
  return "";
}

static std::string eventsKeepTime(const DevicePointer &device) {
  auto stream = makeStream(*device);
  auto first = device->createEvent(), second = device->createEvent();
  EXPECT(stream && first.ok() && second.ok());
  EXPECT(!(*first)->since(**second).ok());
  EXPECT(stream->record(**first).ok());
  EXPECT(stream
             ->hostCall([] {
               auto end = std::chrono::steady_clock::now() +
                          std::chrono::milliseconds(2);
               while (std::chrono::steady_clock::now() < end) {
               }
             })
             .ok());
  EXPECT(stream->record(**second).ok());
  EXPECT(stream->synchronize().ok());
  auto time = (*second)->since(**first), back = (*first)->since(**second);
  EXPECT(time.ok() && back.ok());
  EXPECT(*time >= std::chrono::milliseconds(2));
  EXPECT(*time < std::chrono::seconds(60));
  EXPECT(*back <= -std::chrono::milliseconds(2));
  return "";
}

static std::string streamsWait(const DevicePointer &device) {
  auto producer = makeStream(*device), consumer = makeStream(*device);
  auto event = device->createEvent();
  EXPECT(producer && consumer && event.ok());
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> value = 0, seen = -1;
    std::promise<void> go;
    std::future<void> gone = go.get_future();
    EXPECT(producer
               ->hostCall([&] {
                 gone.wait();
                 value = 42;
               })
               .ok());
    EXPECT(producer->record(**event).ok());
    EXPECT(consumer->wait(**event).ok());
    EXPECT(consumer->hostCall([&] { seen = value.load(); }).ok());
    go.set_value();
    EXPECT(consumer->synchronize().ok());
    EXPECT(seen == 42);
    EXPECT(producer->synchronize().ok());
  }
  return "";
}

/// A stream that is destroyed has done its work.
static std::string destructionWaits(const DevicePointer &device) {
  std::atomic<int> calls = 0;
  {
    auto stream = makeStream(*device);
    EXPECT(stream);
    for (int i = 0; i < 50; ++i)
      EXPECT(stream->hostCall([&calls] { ++calls; }).ok());
  }
  EXPECT(calls == 50);
  return "";
}

namespace {
class ForeignEvent : public Event {
public:
  [[nodiscard]] bool reached() const override { return true; }
  Status synchronize() override { return {}; }
  StatusOr<std::chrono::nanoseconds> since(const Event &) const override {
    return std::chrono::nanoseconds(0);
  }
};
} // namespace

static std::string rejectsForeignEvents(const DevicePointer &device) {
  auto stream = makeStream(*device);
  EXPECT(stream);
  ForeignEvent event;
  EXPECT(!stream->record(event).ok());
  EXPECT(!stream->wait(event).ok());
  EXPECT(stream->synchronize().ok());
  return "";
}

std::span<const Case> streamCases() {
  static constexpr Case cases[] = {
      {"host calls run in order", hostCallsInOrder},
      {"enqueueing does not wait", enqueueingDoesNotWait},
      {"events are reached", eventsAreReached},
      {"events keep time", eventsKeepTime},
      {"streams wait for events", streamsWait},
      {"destruction waits for the work", destructionWaits},
      {"foreign events are rejected", rejectsForeignEvents},
  };
  return cases;
}

} // namespace tilewright::runtime::conformance
