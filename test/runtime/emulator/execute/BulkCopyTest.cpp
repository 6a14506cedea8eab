#include "test/runtime/emulator/execute/KernelRun.h"
#include <bit>
#include <catch2/catch.hpp>

using namespace tilewright::emulator;
using Catch::Contains;

/// A block whose first thread starts an mbarrier `bar` for one arrival and
/// runs `copy`; then all wait, and give out the 32 words of `tile`.
static KernelRun loading(const std::string &copy) {
  KernelRun kernel;
  kernel.body = ".shared .align 16 .b32 tile[32];\n"
                ".shared .align 8 .b64 bar;\n"
                "mul.wide.u32 %d1, %t, 4;\nadd.u64 %d1, %d1, %out;\n"
                "mov.u32 %r0, tile;\nmov.u32 %r1, bar;\n"
                "mov.u32 %r4, %ctaid.x;\nmul.wide.u32 %d2, %r4, 128;\n"
                "add.u64 %d1, %d1, %d2;\n"
                "shl.b32 %r5, %t, 2;\nadd.u32 %r5, %r5, %r0;\n"
                "st.shared.b32 [%r5], 7;\n"
                "setp.eq.u32 %p0, %t, 0;\n"
                "@%p0 mbarrier.init.shared.b64 [bar], 1;\n"
                "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
                "@!%p0 bra WAIT;\n" +
                copy +
                "\nWAIT:\n"
                "mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;\n"
                "@!%p1 bra WAIT;\n"
                "ld.shared.b32 %r6, [%r5];\nst.global.b32 [%d1], %r6;\n"
                "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
  kernel.input = counting(64, 100);
  return kernel;
}

TEST_CASE("cp.async.bulk loads and tells the mbarrier of its bytes") {
  for (const char *copy :
       {"mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[tile+16], [%in+32], 64, [bar];",
        // The bytes may come before they are expected.
        "mov.u32 %r7, 64;\n"
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes"
        ".L2::cache_hint [%r0+16], [%in+32], %r7, [%r1], 0;\n"
        "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;"}) {
    Result result = run(loading(copy));
    REQUIRE(result.error == "");
    for (uint32_t i = 0; i < 32; ++i)
      CHECK(result.output[i] == (i >= 4 && i < 20 ? 100 + i + 4 : 7));
  }
}

TEST_CASE("cp.async.bulk waits for all bytes that are expected") {
  Result result = run(loading(
      "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 80;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[tile], [%in], 64, [bar];"));
  CHECK(result.fault == FaultCode::deadlock);
}

TEST_CASE("cp.async.bulk to several blocks of a cluster") {
  // The block of rank 1 sends to those of ranks 0 and 2.
  KernelRun kernel = loading(R"(
    mov.u32 %r2, %cluster_ctarank;
    setp.eq.u32 %p2, %r2, 1;
    @%p2 mbarrier.arrive.shared.b64 _, [bar];
    @!%p2 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;
    mov.b16 %h0, 5;
    @%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [tile], [%in], 128, [bar], %h0;)");
  kernel.blocks = kernel.cluster = 3;
  kernel.outputWords = 96;
  Result result = run(kernel);
  REQUIRE(result.error == "");
  for (uint32_t i = 0; i < 96; ++i)
    CHECK(result.output[i] == (i / 32 == 1 ? 7 : 100 + i % 32));
}

TEST_CASE("cp.async.bulk between the shared memories of a cluster") {
  // Each block of two sends its tile to the other, where it is added, or taken
  // over; the values are the block's number and the thread's.
  auto sending = [](const std::string &copy) {
    KernelRun kernel = loading(R"(
      mov.u32 %r2, %cluster_ctarank;
      xor.b32 %r2, %r2, 1;
      mapa.shared::cluster.u32 %r8, %r0, %r2;
      mapa.shared::cluster.u32 %r9, %r1, %r2;
      mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;
      )" + copy);
    kernel.body.insert(kernel.body.find("st.shared.b32 [%r5], 7;"),
                       "mad.lo.u32 %r6, %r4, 1000, %t;\n");
    kernel.body.replace(kernel.body.find("st.shared.b32 [%r5], 7;"), 23,
                        "st.shared.b32 [%r5], %r6;");
    kernel.blocks = kernel.cluster = 2;
    kernel.outputWords = 64;
    return run(kernel);
  };
  // Block 0 runs first, so block 1 sends what it has received.
  Result result = sending(
      "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
      "[%r8], [tile], 128, [%r9];");
  REQUIRE(result.error == "");
  CHECK(result.output[3] == result.output[32 + 3]);
  CHECK(result.output[3] % 1000 == 3);
  result = sending("cp.reduce.async.bulk.shared::cluster.shared::cta"
                   ".mbarrier::complete_tx::bytes.and.b32 "
                   "[%r8], [tile], 128, [%r9];");
  REQUIRE(result.error == "");
  for (uint32_t i = 0; i < 64; ++i)
    CHECK(result.output[i] == (i % 32 & (1000 + i % 32)));
}

/// A block whose first thread runs `copy` after all have written their number
/// times 3 to `tile`.
static KernelRun storing(const std::string &copy) {
  KernelRun kernel;
  kernel.body = ".shared .align 16 .b32 tile[32];\n"
                "mov.u32 %r0, tile;\n"
                "shl.b32 %r5, %t, 2;\nadd.u32 %r5, %r5, %r0;\n"
                "mul.lo.u32 %r6, %t, 3;\nst.shared.b32 [%r5], %r6;\n"
                "bar.sync 0;\nsetp.ne.u32 %p0, %t, 0;\n@%p0 ret;\n" +
                copy +
                "\ncp.async.bulk.commit_group;\n"
                "cp.async.bulk.wait_group.read 0;\n"
                "cp.async.bulk.wait_group 0;\n";
  return kernel;
}

TEST_CASE("cp.async.bulk stores") {
  Result result = run(storing("cp.async.bulk.global.shared::cta.bulk_group "
                              "[%out+32], [tile+16], 48;"));
  REQUIRE(result.error == "");
  for (uint32_t i = 0; i < 32; ++i)
    CHECK(result.output[i] ==
          (i >= 8 && i < 20 ? 3 * (i - 8 + 4) : 0xCDCDCDCD));
}

TEST_CASE("A bulk store that lands late shows what was overwritten") {
  KernelRun kernel = storing("cp.async.bulk.global.shared::cta.bulk_group "
                             "[%out], [tile], 128;\n"
                             "st.shared.b32 [tile+8], 99;");
  CHECK(run(kernel).output[2] == 6);
  kernel.options.copiesLandLate = true;
  CHECK(run(kernel).output[2] == 99);
  // Without a wait it lands when the thread ends.
  size_t waits = kernel.body.find("cp.async.bulk.wait_group.read");
  kernel.body.erase(waits);
  CHECK(run(kernel).output[2] == 99);
}

TEST_CASE("cp.reduce.async.bulk") {
  const uint32_t old = 0xCDCDCDCD;
  auto reduced = [](const std::string &operation) {
    Result result =
        run(storing("cp.reduce.async.bulk.global.shared::cta.bulk_group." +
                    operation + " [%out], [tile], 128;"));
    REQUIRE(result.error == "");
    return result.output;
  };
  for (uint32_t i : {0u, 1u, 31u}) {
    CHECK(reduced("add.u32")[i] == old + 3 * i);
    CHECK(reduced("max.s32")[i] == 3 * i);
    CHECK(reduced("max.u32")[i] == old);
    CHECK(reduced("min.s32")[i] == old);
    CHECK(reduced("or.b32")[i] == (old | 3 * i));
    CHECK(reduced("xor.b64")[i] == (old ^ 3 * i));
    CHECK(reduced("inc.u32")[i] == 0);
    CHECK(reduced("dec.u32")[i] == 3 * i);
  }
  // As bf16, 0xCDCD is far larger than 3 and 0 as bits, which vanish in it.
  CHECK(reduced("add.noftz.bf16")[1] == old);
  // As f16: 3 * 2^-24 > -23.2.
  CHECK(reduced("max.f16")[1] == 3);
}

TEST_CASE("cp.reduce.async.bulk of subnormals") {
  // The tile holds subnormals: f32 flushes them, f16 keeps them.
  auto doubled = [](const std::string &operation) {
    return run(storing("cp.async.bulk.global.shared::cta.bulk_group [%out], "
                       "[tile], 128;\n"
                       "cp.reduce.async.bulk.global.shared::cta.bulk_group." +
                       operation + " [%out], [tile], 128;"))
        .output;
  };
  for (uint32_t i : {0u, 1u, 31u}) {
    CHECK(doubled("add.f32")[i] == 0);
    CHECK(doubled("add.noftz.f16")[i] == 6 * i);
  }
}

TEST_CASE("Bulk copies that are wrong") {
  auto errorOf = [](const std::string &copy) {
    return run(storing(copy)).error;
  };
  const std::string store =
      "cp.async.bulk.global.shared::cta.bulk_group [%out], ";
  CHECK_THAT(errorOf(store + "[tile], 24;"),
             Contains("a multiple of 16, found"));
  CHECK_THAT(errorOf(store + "[tile+8], 16;"), Contains("misaligned"));
  CHECK_THAT(errorOf(store + "[tile+64], 80;"), Contains("out-of-bounds"));
  CHECK_THAT(errorOf("cp.async.bulk.global.shared::cta.bulk_group [%out+16], "
                     "[tile], 128;"),
             Contains("out-of-bounds"));
  CHECK_THAT(errorOf("cp.async.bulk.global.shared::cta.bulk_group.cp_mask "
                     "[%out], [tile], 128, %h0;"),
             Contains("sm_100"));
  KernelRun kernel = loading(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [tile], [%in], 128, [bar], 2;");
  CHECK_THAT(run(kernel).error, Contains("the cluster's 1 blocks, found 2"));
  kernel = loading(
      "mov.u32 %r2, 1;\nmapa.shared::cluster.u32 %r1, %r1, %r2;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[tile], [%in], 128, [%r1];");
  kernel.blocks = kernel.cluster = 2;
  kernel.outputWords = 64;
  CHECK_THAT(run(kernel).error,
             Contains("the mbarrier in the block that the bytes go to"));
}

TEST_CASE("st.async and red.async tell the other block's mbarrier") {
  // 32 lanes send 8 bytes and 4 bytes to the other block.
  KernelRun kernel;
  kernel.body = R"(
    .shared .align 8 .b64 pairs[32], bar;
    .shared .b32 sum;
    mov.u32 %r0, %cluster_ctarank;
    xor.b32 %r1, %r0, 1;
    setp.eq.u32 %p0, %t, 0;
    @%p0 mbarrier.init.shared.b64 [bar], 1;
    @%p0 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 384;
    @%p0 st.shared.u32 [sum], 10000;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    mov.u32 %r2, pairs;
    mapa.shared::cluster.u32 %r2, %r2, %r1;
    shl.b32 %r3, %t, 3;
    add.u32 %r2, %r2, %r3;
    mov.u32 %r4, bar;
    mapa.shared::cluster.u32 %r4, %r4, %r1;
    mov.u32 %r5, sum;
    mapa.shared::cluster.u32 %r5, %r5, %r1;
    mad.lo.u32 %r6, %r0, 100, %t;
    st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%r2], {%r6, %t}, [%r4];
    red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r5], %r6, [%r4];
  WAIT:
    mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [bar], 0;
    @!%p1 bra WAIT;
    mov.u32 %r7, pairs;
    add.u32 %r7, %r7, %r3;
    ld.shared.v2.u32 {%r8, %r9}, [%r7];
    ld.shared.u32 %r10, [sum];
    mad.lo.u32 %r8, %r8, 100, %r9;
    add.u32 %r8, %r8, %r10;
    mad.lo.u32 %r11, %r0, 32, %t;
    mul.wide.u32 %d1, %r11, 4;
    add.u64 %d1, %d1, %out;
    st.global.u32 [%d1], %r8;
    barrier.cluster.arrive;
    barrier.cluster.wait;)";
  kernel.blocks = kernel.cluster = 2;
  kernel.outputWords = 64;
  Result result = run(kernel);
  REQUIRE(result.error == "");
  for (uint32_t rank : {0u, 1u})
    for (uint32_t lane : {0u, 7u, 31u}) {
      uint32_t others = 1 - rank;
      uint32_t sum = 10000 + 496 + others * 3200;
      CHECK(result.output[rank * 32 + lane] ==
            (others * 100 + lane) * 100 + lane + sum);
    }
}
