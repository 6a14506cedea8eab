// Counters of launches on the device, as a caller of the runtime sees them.
#include "tilewright/runtime/CounterSource.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include "tilewright/runtime/Launch.h"
#include <catch2/catch.hpp>
#include <cstring>
#include <set>

using namespace tilewright;
using namespace tilewright::runtime;

/// Each thread of 64 loads a word and stores it behind: 2 warps a block.
static constexpr std::string_view copyPtx = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .entry copy(.param .u64 from, .param .u64 to) {
  .reg .b64 %a, %b, %i;
  .reg .b32 %t, %v, %c;
  ld.param.u64 %a, [from];
  ld.param.u64 %b, [to];
  mov.u32 %t, %tid.x;
  mov.u32 %c, %ctaid.x;
  mad.lo.u32 %t, %c, 64, %t;
  mul.wide.u32 %i, %t, 4;
  add.u64 %a, %a, %i;
  add.u64 %b, %b, %i;
  ld.global.u32 %v, [%a];
  bar.sync 0;
  st.global.u32 [%b], %v;
  ret;
}
)";

namespace {
struct Copy {
  std::shared_ptr<Device> device;
  std::unique_ptr<Stream> stream;
  std::shared_ptr<Kernel> kernel;
  std::shared_ptr<Buffer> from, to;

  void launch(int64_t blocks) const {
    uint64_t words[] = {from->address(), to->address()};
    REQUIRE(stream->launch(*kernel, words, {blocks, 1, 1}).ok());
    REQUIRE(stream->synchronize().ok());
  }
};
} // namespace

/// Lane 0 of the last warp comes to the barrier behind the others, on a way of
/// its own.
static constexpr std::string_view meetingPtx = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .entry copy(.param .u64 from, .param .u64 to) {
  .reg .b64 %a, %i;
  .reg .b32 %t, %v;
  .reg .pred %p;
  ld.param.u64 %a, [from];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %i, %t, 4;
  add.u64 %a, %a, %i;
  setp.eq.u32 %p, %t, 32;
  @%p bra alone;
meet:
  bar.sync 0;
  ld.global.u32 %v, [%a];
  ret;
alone:
  mov.u32 %v, 1;
  bra meet;
}
)";

/// Each thread copies a word to shared memory and changes its source before it
/// waits. The first word out is the thread that was the last to write `last`.
static constexpr std::string_view ordersPtx = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .entry copy(.param .u64 from, .param .u64 to) {
  .reg .b64 %a, %b, %i;
  .reg .b32 %t, %v, %s;
  .reg .pred %p;
  .shared .align 4 .b32 last;
  .shared .align 4 .b32 tile[64];
  ld.param.u64 %a, [from];
  ld.param.u64 %b, [to];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %i, %t, 4;
  add.u64 %a, %a, %i;
  add.u64 %b, %b, %i;
  shl.b32 %v, %t, 2;
  mov.u32 %s, tile;
  add.u32 %s, %s, %v;
  cp.async.ca.shared.global [%s], [%a], 4;
  st.global.u32 [%a], %t;
  cp.async.wait_all;
  ld.shared.u32 %v, [%s];
  st.volatile.shared.u32 [last], %t;
  bar.sync 0;
  setp.eq.u32 %p, %t, 0;
  @%p ld.shared.u32 %v, [last];
  st.global.u32 [%b], %v;
  ret;
}
)";

static Copy makeCopy(std::string_view ptx = copyPtx,
                     const DeviceOptions &options = {}) {
  Copy copy;
  copy.device = *openDevice("emulator", options);
  copy.stream = *copy.device->createStream();
  auto module = copy.device->loadModule(std::as_bytes(std::span(ptx)));
  REQUIRE(module.ok());
  KernelManifest manifest;
  manifest.name = "copy of words";
  manifest.entry = "copy";
  manifest.target = "sm_80";
  manifest.block = 64;
  manifest.arguments = {KernelArgument::view(DType::U32, 1, {}, {}),
                        KernelArgument::view(DType::U32, 1, {}, {})};
  auto kernel = (*module)->kernel(manifest);
  INFO(kernel.status().message());
  REQUIRE(kernel.ok());
  copy.kernel = *kernel;
  copy.from = *copy.device->allocate(4096);
  copy.to = *copy.device->allocate(4096);
  std::vector<std::byte> zeros(4096);
  REQUIRE(copy.stream->copyToDevice(*copy.from, 0, zeros.data(), 4096).ok());
  return copy;
}

TEST_CASE("the device counts what a launch does") {
  Copy copy = makeCopy();
  CounterSource *source = counterSource(*copy.device);
  REQUIRE(source);
  source->setCounting(true);
  copy.launch(3);
  std::vector<LaunchCounters> launches = source->takeCounters();
  REQUIRE(launches.size() == 1);
  const LaunchCounters &launch = launches[0];
  CHECK(launch.kernel == "copy of words");
  CHECK(launch.grid == Grid{3, 1, 1});
  // 6 warps of 12 instructions, 2 of which touch 128 bytes of global memory.
  CHECK(launch.find("warps") == 6 * 12);
  CHECK(launch.find("global_requests") == 6 * 2);
  CHECK(launch.find("sectors") == 6 * 2 * 4);
  CHECK(launch.find("barriers") == 6);
  CHECK(launch.find("wavefronts") == 0);
  CHECK(launch.find("instructions.global") == 6 * 2);
  CHECK(launch.find("instructions.tensor") == 0);
  CHECK(launch.find("registers") > 0);
  CHECK_FALSE(launch.find("no such counter"));
  CHECK(source->takeCounters().empty());
}

TEST_CASE("launches are counted when that is wanted") {
  Copy copy = makeCopy();
  CounterSource *source = counterSource(*copy.device);
  copy.launch(1);
  CHECK(source->takeCounters().empty());
  source->setCounting(true);
  copy.launch(1);
  copy.launch(2);
  source->setCounting(false);
  copy.launch(3);
  std::vector<LaunchCounters> launches = source->takeCounters();
  REQUIRE(launches.size() == 2);
  CHECK(launches[1].grid == Grid{2, 1, 1});
  CHECK(*launches[1].find("warps") == 2 * *launches[0].find("warps"));
}

TEST_CASE("lanes that came apart go on together behind a barrier") {
  Copy copy = makeCopy(meetingPtx);
  CounterSource *source = counterSource(*copy.device);
  source->setCounting(true);
  copy.launch(1);
  LaunchCounters launch = source->takeCounters().at(0);
  // Of two warps one comes in two parts; each loads once.
  CHECK(*launch.find("barriers") == 3);
  CHECK(launch.find("global_requests") == 2);
  CHECK(launch.find("sectors") == 2 * 4);
}

TEST_CASE("the device's options say when copies land and warps change") {
  std::set<uint32_t> last;
  for (bool late : {false, true})
    for (uint64_t seed : {0, 1, 2, 3, 4, 5}) {
      DeviceOptions options;
      options.copiesLandLate = late;
      if (seed)
        options.interleave = seed;
      Copy copy = makeCopy(ordersPtx, options);
      copy.launch(1);
      uint32_t found[64];
      REQUIRE(copy.stream->copyToHost(found, *copy.to, 0, sizeof(found)).ok());
      REQUIRE(copy.stream->synchronize().ok());
      CHECK(found[5] == (late ? 5 : 0));
      if (seed)
        last.insert(found[0]);
      else
        CHECK(found[0] == 63);
    }
  CHECK(last == std::set<uint32_t>{31, 63});
}

TEST_CASE("devices that only run count nothing") {
  CHECK(counterSource(**openDevice("cpu")) == nullptr);
}
