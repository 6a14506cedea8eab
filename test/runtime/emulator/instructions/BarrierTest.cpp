// Barriers and fences: PTX sections 9.7.13.1 to 9.7.13.4.
#include "test/runtime/emulator/instructions/Kernel.h"

#include <catch2/catch.hpp>

using namespace instructions;
using tilewright::emulator::FaultCode;

namespace {

/// Addresses: %a of the thread's word of the buffer, %s of its word in shared
/// memory; %r0: the thread.
const char *const start =
    ".reg .u32 %r<12>, %s, %n; .reg .u64 %a; .reg .pred %p<4>;\n"
    ".shared .align 4 .b32 words[256];\n"
    "ld.param.u64 %a, [data]; mov.u32 %r0, %tid.x; mov.u32 %n, %ntid.x;\n"
    "mov.u32 %r1, %ctaid.x; mad.lo.u32 %r1, %r1, %n, %r0;\n"
    "mad.wide.u32 %a, %r1, 4, %a;\n"
    "mov.u32 %s, words; mad.lo.u32 %s, %r0, 4, %s;\n";

} // namespace

TEST_CASE("bar.sync, barrier.sync of all threads", "[9.7.13.1]") {
  // Each thread writes, waits, reads what the last one wrote.
  for (const char *barrier :
       {"bar.sync 0", "bar.sync 3", "bar.cta.sync 0", "bar.sync 2, 96",
        "barrier.sync 1", "barrier.sync.aligned 0", "barrier.cta.sync 0",
        "barrier.cta.sync.aligned 15", "barrier.sync 4, 96",
        "barrier.sync %r11", "barrier.sync %r11, %n"}) {
    std::vector<uint32_t> data(2 * 96);
    runKernel(std::string(start) +
                  "mov.u32 %r11, 7;\n"
                  "mul.lo.u32 %r2, %r1, 3; st.shared.u32 [%s], %r2;\n" +
                  barrier + ";\n" +
                  "sub.u32 %r3, 95, %r0; mov.u32 %r4, words;\n"
                  "mad.lo.u32 %r4, %r3, 4, %r4; ld.shared.u32 %r5, [%r4];\n" +
                  barrier + ";\n" +
                  "st.shared.u32 [%s], 0; st.global.u32 [%a], %r5;\n",
              data, {2, 96}, "bar barrier");
    for (uint32_t i = 0; i < data.size(); ++i)
      CHECK(data[i] == 3 * (i / 96 * 96 + 95 - i % 96));
  }
}

TEST_CASE("bar.arrive: one warp makes, one takes", "[9.7.13.1]") {
  // Warp 0 fills four slots one by one and arrives; warp 1 waits for each one.
  for (const char *opcode : {"bar", "bar.cta", "barrier", "barrier.cta"}) {
    std::string name = opcode;
    std::vector<std::string> tails =
        name.starts_with("barrier") ? std::vector<std::string>{"", ".aligned"}
                                    : std::vector<std::string>{""};
    for (const std::string &tail : tails) {
      std::vector<uint32_t> data(64);
      runKernel(std::string(start) +
                    "setp.ge.u32 %p0, %r0, 32;\n@%p0 bra TAKER;\n"
                    "mov.u32 %r2, 0;\n"
                    "MAKE:\n"
                    "mul.lo.u32 %r3, %r2, %r0; st.shared.u32 [%s], %r3;\n" +
                    name + ".arrive" + tail + " 1, 64;\n" + name + ".sync" +
                    tail +
                    " 2, 64;\n"
                    "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 4;\n"
                    "@%p1 bra MAKE;\nbra END;\n"
                    "TAKER:\n"
                    "mov.u32 %r2, 0; mov.u32 %r5, 0;\n"
                    "TAKE:\n" +
                    name + ".sync" + tail +
                    " 1, 64;\n"
                    "ld.shared.u32 %r4, [%s+-128]; add.u32 %r5, %r5, %r4;\n" +
                    name + ".arrive" + tail +
                    " 2, 64;\n"
                    "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 4;\n"
                    "@%p1 bra TAKE;\n"
                    "st.global.u32 [%a], %r5;\n"
                    "END:\n",
                data, {1, 64}, "bar barrier");
      for (uint32_t i = 32; i < 64; ++i)
        CHECK(data[i] == (0 + 1 + 2 + 3) * (i - 32));
    }
  }
}

TEST_CASE("bar.red", "[9.7.13.1]") {
  // How many threads hold, whether all, whether any; of 96 or of 64 threads.
  for (const char *opcode :
       {"bar.red", "bar.cta.red", "barrier.red", "barrier.cta.red"})
    for (bool counted : {false, true})
      for (uint32_t limit : {0u, 1u, 50u, 96u}) {
        std::string name = opcode, count = counted ? ", 64" : "";
        std::vector<std::string> tails =
            name.starts_with("barrier")
                ? std::vector<std::string>{"", ".aligned"}
                : std::vector<std::string>{""};
        for (const std::string &tail : tails) {
          std::vector<uint32_t> data(96);
          runKernel(
              std::string(start) + "setp.lt.u32 %p0, %r0, " +
                  std::to_string(limit) + ";\n" +
                  (counted ? "setp.ge.u32 %p3, %r0, 64; @%p3 bra END;\n" : "") +
                  name + ".popc" + tail + ".u32 %r2, 1" + count + ", %p0;\n" +
                  name + ".and" + tail + ".pred %p1, 1" + count + ", %p0;\n" +
                  name + ".or" + tail + ".pred %p2, 1" + count + ", !%p0;\n" +
                  "selp.u32 %r3, 1000, 0, %p1; selp.u32 %r4, 2000, 0, %p2;\n"
                  "add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4;\n"
                  "st.global.u32 [%a], %r2;\nEND:\n",
              data, {1, 96}, "bar barrier");
          uint32_t threads = counted ? 64 : 96;
          uint32_t holding = std::min(limit, threads);
          uint32_t expected = holding + (holding == threads ? 1000 : 0) +
                              (holding < threads ? 2000 : 0);
          for (uint32_t i = 0; i < threads; ++i)
            REQUIRE(data[i] == expected);
        }
      }
}

TEST_CASE("Barriers do not wait for threads that have exited", "[9.7.13.1]") {
  std::vector<uint32_t> data(96);
  runKernel(std::string(start) +
                "setp.ge.u32 %p0, %r0, 40; @%p0 exit;\n"
                "mov.u32 %r2, %r0; st.shared.u32 [%s], %r2;\n"
                "bar.sync 0;\n"
                "ld.shared.u32 %r3, [words+4]; st.global.u32 [%a], %r3;\n",
            data, {1, 96}, "bar");
  for (uint32_t i = 0; i < 96; ++i)
    CHECK(data[i] == (i < 40 ? 1 : 0));
}

TEST_CASE("barrier.cluster", "[9.7.13.3]") {
  // Each block of 4 reads the words of the next one's shared memory.
  struct Pair {
    const char *arrive, *wait;
  };
  for (Pair pair :
       {Pair{"", ""}, Pair{".release", ".acquire"},
        Pair{".release.aligned", ".acquire.aligned"}, Pair{".relaxed", ""},
        Pair{".relaxed.aligned", ".aligned"}, Pair{".aligned", ".aligned"}}) {
    std::string sync = "barrier.cluster.arrive" + std::string(pair.arrive) +
                       ";\nbarrier.cluster.wait" + pair.wait + ";\n";
    std::vector<uint32_t> data(8 * 64);
    runKernel(std::string(start) +
                  "mul.lo.u32 %r2, %r1, 5; st.shared.u32 [%s], %r2;\n"
                  "fence.acq_rel.cluster;\n" +
                  sync +
                  "mov.u32 %r3, %cluster_ctarank; add.u32 %r3, %r3, 1;\n"
                  "and.b32 %r3, %r3, 3;\n"
                  "mapa.shared::cluster.u32 %r4, %s, %r3;\n"
                  "ld.shared::cluster.u32 %r5, [%r4];\n" +
                  sync + "st.shared.u32 [%s], 0;\nst.global.u32 [%a], %r5;\n",
              data, {8, 64, 4}, "barrier");
    for (uint32_t i = 0; i < data.size(); ++i) {
      uint32_t block = i / 64, next = block / 4 * 4 + (block + 1) % 4;
      CHECK(data[i] == 5 * (next * 64 + i % 64));
    }
  }
}

TEST_CASE("Blocks pass a message through memory", "[9.7.13.4]") {
  // The first block writes, fences, sets a flag; the others wait for it.
  for (const char *fence :
       {"fence.acq_rel.gpu",
        "fence.sc.gpu",
        "fence.gpu",
        "fence.acq_rel.sys",
        "fence.sc.cluster",
        "fence.acq_rel.cta",
        "membar.gl",
        "membar.sys",
        "membar.cta",
        "fence.release.gpu",
        "fence.acquire.gpu",
        "fence.proxy.alias",
        "fence.proxy.async",
        "fence.proxy.async.global",
        "fence.proxy.async.shared::cta",
        "fence.proxy.async.shared::cluster",
        "membar.proxy.alias",
        "membar.proxy.async",
        "membar.proxy.async.global",
        "membar.proxy.async.shared::cta",
        "membar.proxy.async.shared::cluster",
        "fence.mbarrier_init.release.cluster",
        "fence.proxy.tensormap::generic.release.gpu",
        "fence.proxy.tensormap::generic.release.cta",
        "fence.proxy.tensormap::generic.release.cluster",
        "fence.proxy.tensormap::generic.release.sys",
        "fence.proxy.tensormap::generic.acquire.gpu [%a], 128",
        "fence.proxy.tensormap::generic.acquire.cta [%a], 128",
        "fence.proxy.tensormap::generic.acquire.cluster [%a], 128",
        "fence.proxy.tensormap::generic.acquire.sys [%a], 128",
        "fence.acquire.cluster",
        "fence.acquire.sync_restrict::shared::cluster.cluster",
        "fence.release.sync_restrict::shared::cta.cluster",
        "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster."
        "cluster",
        "fence.proxy.async::generic.release.sync_restrict::shared::cta."
        "cluster"}) {
    INFO(fence);
    std::vector<uint32_t> data(256 + 64);
    runKernel(".reg .u32 %r<6>; .reg .u64 %a, %b; .reg .pred %p<3>;\n"
              "ld.param.u64 %a, [data]; mov.u32 %r0, %ctaid.x;\n"
              "setp.ne.u32 %p0, %r0, 0; @%p0 bra WAIT;\n"
              "st.global.u32 [%a+128], 42;\n" +
                  std::string(fence) +
                  ";\nst.relaxed.gpu.global.u32 [%a+132], 1;\nbra END;\n"
                  "WAIT:\n"
                  "ld.relaxed.gpu.global.u32 %r1, [%a+132];\n"
                  "setp.eq.u32 %p1, %r1, 0; @%p1 bra WAIT;\n" +
                  fence +
                  ";\nld.global.u32 %r2, [%a+128];\n"
                  "mad.wide.u32 %b, %r0, 4, %a; st.global.u32 [%b], %r2;\n"
                  "END:\n",
              data, {4, 1}, "fence membar");
    for (uint32_t block = 1; block < 4; ++block)
      CHECK(data[block] == 42);
  }
}

TEST_CASE("Barriers with wrong operands are faults", "[9.7.13.1]") {
  for (const char *barrier :
       {"bar.sync 16;", "bar.sync 0, 33;", "bar.arrive 0, 0;"}) {
    INFO(barrier);
    Kernel kernel(barrier + std::string("\n"));
    REQUIRE(kernel.error() == "");
    std::vector<std::byte> data(16);
    auto fault = kernel.fault(data, {1, 32});
    REQUIRE(fault);
    CHECK(fault->code == FaultCode::undefinedBehavior);
  }
  // A barrier that never completes.
  Kernel kernel("bar.sync 0, 64;\n");
  REQUIRE(kernel.error() == "");
  std::vector<std::byte> data(16);
  auto fault = kernel.fault(data, {1, 32});
  REQUIRE(fault);
  CHECK(fault->code == FaultCode::deadlock);
}
