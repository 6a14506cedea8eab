#include "runtime/emulator/machine/Mbarrier.h"
#include "test/runtime/emulator/execute/KernelRun.h"
#include <catch2/catch.hpp>

using namespace tilewright::emulator;
using Catch::Contains;

TEST_CASE("An mbarrier keeps its counts in 64 bits") {
  for (int32_t bytes : {0, 1, -1, 1048575, -1048575}) {
    Mbarrier barrier = {3, 1048575, bytes, 2};
    auto again = Mbarrier::decoded(barrier.encoded());
    REQUIRE(again);
    CHECK(again->pending == 3);
    CHECK(again->expected == 1048575);
    CHECK(again->bytes == bytes);
    CHECK(again->phase == 2);
  }
  CHECK(!Mbarrier::decoded(0));
  CHECK(!Mbarrier::decoded(0x3F8000003F800000));
}

TEST_CASE("A phase is complete when nothing is pending and all bytes came") {
  Mbarrier barrier = {2, 2, 0, 0};
  CHECK(barrier.expectBytes(64).empty());
  CHECK(barrier.arrive(2).empty());
  CHECK(barrier.phase == 0);
  CHECK(barrier.completeBytes(48).empty());
  CHECK(barrier.phase == 0);
  CHECK(barrier.completeBytes(16).empty());
  CHECK(barrier.phase == 1);
  CHECK(barrier.pending == 2);

  // Bytes may come before they are expected, while an arrival is pending.
  CHECK(barrier.completeBytes(32).empty());
  CHECK(barrier.bytes == -32);
  CHECK(barrier.phase == 1);
  CHECK(barrier.expectBytes(32).empty());
  CHECK(barrier.arrive(1).empty());
  CHECK(barrier.drop(1).empty());
  CHECK(barrier.arrive(1).empty());
  CHECK(barrier.phase == 2);
  CHECK(barrier.pending == 1);
}

TEST_CASE("Counts out of range are rejected") {
  Mbarrier barrier = {2, 2, 0, 0};
  CHECK_THAT(barrier.arrive(3), Contains("1 to 2 arrivals"));
  CHECK_THAT(barrier.arrive(0), Contains("found 0"));
  CHECK_THAT(barrier.drop(3), Contains("at most 2"));
  CHECK_THAT(barrier.expectBytes(1 << 20), Contains("found 1048576"));
  CHECK_THAT(barrier.completeBytes(1 << 20), Contains("found -1048576"));
  Mbarrier full = {Mbarrier::maxCount, 1, 0, 0};
  CHECK_THAT(full.addPending(), Contains("found 1048576"));
}

/// Runs `body` with a barrier `bar` for `count` arrivals, and stores %r1 of
/// each thread.
static KernelRun withBarrier(const std::string &count,
                             const std::string &body) {
  KernelRun kernel;
  kernel.body = ".shared .align 8 .b64 bar, other;\n"
                "setp.eq.u32 %p0, %t, 0;\n"
                "@%p0 mbarrier.init.shared.b64 [bar], " +
                count + ";\nbar.sync 0;\nmov.u32 %r1, 0;\n" + body +
                "\nmul.wide.u32 %d1, %t, 4;\nadd.u64 %d1, %d1, %out;\n"
                "st.global.u32 [%d1], %r1;";
  return kernel;
}

TEST_CASE("Arrivals return the phase, whose end can be asked for") {
  KernelRun kernel = withBarrier("64", R"(
    mbarrier.arrive.shared.b64 %d0, [bar];
    mbarrier.pending_count.b64 %r1, %d0;
    mbarrier.test_wait.shared.b64 %p1, [bar], %d0;
    @%p1 add.u32 %r1, %r1, 1000;
    mbarrier.arrive.release.cta.shared::cta.b64 _, [bar];
    mbarrier.test_wait.acquire.cta.shared.b64 %p1, [bar], %d0;
    @%p1 add.u32 %r1, %r1, 2000;)");
  Result result = run(kernel);
  REQUIRE(result.error == "");
  // Lanes arrive in order: 64, 63, ... are pending before.
  for (uint32_t lane = 0; lane < 32; ++lane)
    CHECK(result.output[lane] == 2000 + 64 - lane);
}

TEST_CASE("Parities alternate") {
  // A new barrier is in phase 0: the phase before it has parity 1.
  Result result = run(withBarrier("32", R"(
    mbarrier.test_wait.parity.shared.b64 %p1, [bar], 1;
    @%p1 add.u32 %r1, %r1, 1;
    mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;
    @%p1 add.u32 %r1, %r1, 2;
    mbarrier.arrive.shared.b64 _, [bar];
    mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;
    @%p1 add.u32 %r1, %r1, 4;
    mbarrier.test_wait.parity.shared.b64 %p1, [bar], 1;
    @%p1 add.u32 %r1, %r1, 8;)"));
  REQUIRE(result.error == "");
  CHECK(result.output == std::vector<uint32_t>(32, 1 + 4));
}

TEST_CASE("Of a parity the lowest bit counts") {
  // Triton writes -1 for 1.
  Result result = run(withBarrier("32", R"(
    mbarrier.test_wait.parity.shared.b64 %p1, [bar], -1;
    @%p1 add.u32 %r1, %r1, 1;
    mbarrier.try_wait.parity.shared.b64 %p1, [bar], -1;
    @%p1 add.u32 %r1, %r1, 2;
    mbarrier.test_wait.parity.shared.b64 %p1, [bar], 6;
    @%p1 add.u32 %r1, %r1, 4;
    mbarrier.arrive.shared.b64 _, [bar];
    mbarrier.test_wait.parity.shared.b64 %p1, [bar], -2;
    @%p1 add.u32 %r1, %r1, 8;
    mbarrier.try_wait.parity.shared.b64 %p1, [bar], 2;
    @%p1 add.u32 %r1, %r1, 16;)"));
  REQUIRE(result.error == "");
  CHECK(result.output == std::vector<uint32_t>(32, 1 + 2 + 8 + 16));
}

TEST_CASE("Warps wait for warps, and lanes for lanes of their warp") {
  // The first warp waits until the second has written; its lane 5 until lane 3
  // has, which is later in the code.
  KernelRun kernel = withBarrier("32", R"(
    .shared .b32 word[2];
    @%p0 mbarrier.init.shared.b64 [other], 1;
    bar.sync 0;
    setp.ge.u32 %p2, %t, 32;
    @%p2 bra SECOND;
  WAIT:
    mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;
    @!%p1 bra WAIT;
    setp.ne.u32 %p3, %t, 5;
    @%p3 bra NOTFIVE;
  AGAIN:
    mbarrier.try_wait.parity.shared::cta.b64 %p1, [other], 0, 1000;
    @!%p1 bra AGAIN;
    ld.shared.u32 %r1, [word+4];
    bra DONE;
  NOTFIVE:
    ld.shared.u32 %r1, [word];
    setp.ne.u32 %p3, %t, 3;
    @%p3 bra DONE;
    st.shared.u32 [word+4], 77;
    mbarrier.arrive.shared.b64 _, [other];
    bra DONE;
  SECOND:
    st.shared.u32 [word], 55;
    mbarrier.arrive.shared.b64 _, [bar];
  DONE:)");
  kernel.threads = 64;
  kernel.outputWords = 64;
  Result result = run(kernel);
  REQUIRE(result.error == "");
  for (uint32_t thread = 0; thread < 64; ++thread)
    CHECK(result.output[thread] == (thread >= 32  ? 0u
                                    : thread == 5 ? 77u
                                                  : 55u));
}

TEST_CASE("Warps that answer one another for long are not stuck") {
  // Each of two warps waits for the other's arrival, 5000 times.
  KernelRun kernel = withBarrier("32", R"(
    @%p0 mbarrier.init.shared.b64 [other], 32;
    bar.sync 0;
    setp.ge.u32 %p2, %t, 32;
    mov.u32 %r2, 0;
    mov.u32 %r3, bar;
    mov.u32 %r4, other;
    selp.u32 %r5, %r3, %r4, %p2;
    selp.u32 %r6, %r4, %r3, %p2;
    @%p2 bra ARRIVE;
  WAIT:
    and.b32 %r7, %r1, 1;
  AGAIN:
    mbarrier.try_wait.parity.shared.b64 %p1, [%r6], %r7;
    @!%p1 bra AGAIN;
    add.u32 %r1, %r1, 1;
    setp.eq.u32 %p3, %r1, 5000;
    @%p3 bra LAST;
  ARRIVE:
    mbarrier.arrive.shared.b64 _, [%r5];
    bra WAIT;
  LAST:
    @%p2 bra DONE;
    mbarrier.arrive.shared.b64 _, [%r5];
  DONE:)");
  kernel.threads = kernel.outputWords = 64;
  Result result = run(kernel);
  REQUIRE(result.error == "");
  CHECK(result.output == std::vector<uint32_t>(64, 5000));
}

TEST_CASE("Bytes are expected and complete the phase") {
  Result result = run(withBarrier("1", R"(
    @%p0 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 96;
    bar.sync 0;
    @%p0 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 4;
    @%p0 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 68;
    mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;
    @%p1 add.u32 %r1, %r1, 1;
    mbarrier.complete_tx.shared::cluster.b64 [bar], 1;
    mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;
    @%p1 add.u32 %r1, %r1, 2;)"));
  REQUIRE(result.error == "");
  CHECK(result.output == std::vector<uint32_t>(32, 2));
}

TEST_CASE("Dropped arrivals are missing in later phases") {
  Result result = run(withBarrier("32", R"(
    setp.lt.u32 %p1, %t, 8;
    @%p1 mbarrier.arrive_drop.shared.b64 _, [bar];
    @!%p1 mbarrier.arrive.shared.b64 _, [bar];
    bar.sync 0;
    @!%p1 mbarrier.arrive.shared.b64 %d0, [bar];
    mbarrier.test_wait.parity.shared.b64 %p2, [bar], 1;
    @%p2 add.u32 %r1, %r1, 1;
    bar.sync 0;
    @%p0 mbarrier.inval.shared.b64 [bar];)"));
  REQUIRE(result.error == "");
  CHECK(result.output == std::vector<uint32_t>(32, 1));
}

TEST_CASE("Arrivals at another block's barrier") {
  const std::string body = R"(
    barrier.cluster.arrive;
    barrier.cluster.wait;
    mov.u32 %r2, %cluster_ctarank;
    xor.b32 %r2, %r2, 1;
    mov.u32 %r3, bar;
    mapa.shared::cluster.u32 %r3, %r3, %r2;
    mbarrier.arrive.release.cluster.shared::cluster.b64 RESULT, [%r3];
  WAIT:
    mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [bar], 0;
    @!%p1 bra WAIT;
    mov.u32 %r1, 9;
    barrier.cluster.arrive;
    barrier.cluster.wait;)";
  auto with = [&](const std::string &result) {
    std::string text = body;
    text.replace(text.find("RESULT"), 6, result);
    KernelRun kernel = withBarrier("32", text);
    kernel.blocks = kernel.cluster = 2;
    return run(kernel);
  };
  Result result = with("_");
  REQUIRE(result.error == "");
  CHECK(result.output == std::vector<uint32_t>(32, 9));
  CHECK_THAT(with("%d0").error, Contains("expected '_' for the result"));

  // The same by a generic address.
  std::string generic = body;
  generic.replace(generic.find("mapa.shared::cluster.u32 %r3, %r3, %r2;"), 39,
                  "mov.u64 %d2, bar;\ncvta.shared.u64 %d2, %d2;\n"
                  "mapa.u64 %d2, %d2, %r2;");
  generic.replace(generic.find(".shared::cluster.b64 RESULT, [%r3]"), 34,
                  ".b64 RESULT, [%d2]");
  auto byGeneric = [&](const std::string &result) {
    std::string text = generic;
    text.replace(text.find("RESULT"), 6, result);
    KernelRun kernel = withBarrier("32", text);
    kernel.blocks = kernel.cluster = 2;
    return run(kernel);
  };
  CHECK(byGeneric("_").output == result.output);
  CHECK_THAT(byGeneric("%d0").error, Contains("another block's mbarrier"));
}

TEST_CASE("Uses of mbarriers that are undefined") {
  auto errorOf = [](const std::string &count, const std::string &body) {
    return run(withBarrier(count, body)).error;
  };
  CHECK_THAT(errorOf("1", "mbarrier.arrive.shared.b64 _, [other];"),
             Contains("expected an mbarrier object"));
  CHECK_THAT(errorOf("0", ""), Contains("expected a count of 1 to 1048575"));
  CHECK_THAT(
      errorOf("32", "mbarrier.arrive.noComplete.shared.b64 _, [bar], 1;"),
      Contains("does not complete the phase"));
  CHECK_THAT(errorOf("32", "mbarrier.arrive.shared.b64 %d0, [bar];\n"
                           "mbarrier.arrive.shared.b64 _, [bar];\n"
                           "mbarrier.test_wait.shared.b64 %p1, [bar], %d0;"),
             Contains("the phase under way or the one before"));
  CHECK_THAT(errorOf("32", "mbarrier.arrive.b64 _, [%in];"),
             Contains("expected an address in shared memory"));
  CHECK_THAT(errorOf("32", "mbarrier.arrive.shared.b64 _, [bar+4];"),
             Contains("a multiple of 8"));
}

TEST_CASE("A phase that never ends is a deadlock") {
  Result result = run(withBarrier("33", R"(
    mbarrier.arrive.shared.b64 _, [bar];
  WAIT:
    mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;
    @!%p1 bra WAIT;)"));
  CHECK(result.fault == FaultCode::deadlock);
  result = run(withBarrier("33", R"(
    mbarrier.arrive.shared.b64 _, [bar];
  WAIT:
    mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;
    @!%p1 bra WAIT;)"));
  CHECK(result.fault == FaultCode::deadlock);
}
