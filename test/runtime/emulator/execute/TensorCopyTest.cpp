#include "test/runtime/emulator/execute/KernelRun.h"
#include <catch2/catch.hpp>

using namespace tilewright::emulator;
using Catch::Contains;

namespace {

/// Of words: sizes and boxes, innermost first; rows are consecutive.
TensorMap mapOf(TensorElement element, std::vector<uint64_t> sizes,
                std::vector<uint32_t> boxes) {
  TensorMap map;
  map.element = element;
  map.rank = uint32_t(sizes.size());
  uint64_t stride = bytesOf(element);
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    map.size[dim] = sizes[dim];
    map.box[dim] = boxes[dim];
    map.stride[dim] = stride;
    stride *= sizes[dim];
  }
  return map;
}

/// Thread 0 expects `bytes` at `bar` and runs `copy`; all wait and give out the
/// words of `tile`, which are 7 before.
KernelRun loading(const TensorMap &map, unsigned bytes, const std::string &copy,
                  size_t words = 256) {
  KernelRun kernel;
  kernel.inputMap = map;
  kernel.input = counting(4096, 1000);
  kernel.outputWords = words;
  kernel.body = ".shared .align 1024 .b32 tile[1024];\n"
                ".shared .align 8 .b64 bar;\n"
                "mov.u32 %r0, tile;\nmov.u32 %r1, bar;\n"
                "shl.b32 %r2, %t, 2;\nadd.u32 %r3, %r0, %r2;\n"
                "mov.u32 %r4, 0;\n"
                "CLEAR: st.shared.b32 [%r3], 7;\nadd.u32 %r3, %r3, 128;\n"
                "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, 32;\n"
                "@%p1 bra CLEAR;\n"
                "setp.ne.u32 %p0, %t, 0;\n"
                "@!%p0 mbarrier.init.shared.b64 [bar], 1;\n"
                "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
                "@%p0 bra WAIT;\n"
                "mbarrier.arrive.expect_tx.shared.b64 _, [bar], " +
                std::to_string(bytes) + ";\n" + copy +
                "\nWAIT:\n"
                "mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;\n"
                "@!%p1 bra WAIT;\n"
                "add.u32 %r3, %r0, %r2;\nmov.u32 %r5, %t;\n"
                "mov.u32 %r6, %ctaid.x;\nmad.lo.u32 %r5, %r6, " +
                std::to_string(words) +
                ", %r5;\nmul.wide.u32 %d1, %r5, 4;\nadd.u64 %d1, %d1, %out;\n"
                "mov.u32 %r4, %t;\n"
                "GIVE: ld.shared.b32 %r5, [%r3];\nst.global.b32 [%d1], %r5;\n"
                "add.u64 %d1, %d1, 128;\nadd.u32 %r3, %r3, 128;\n"
                "add.u32 %r4, %r4, 32;\nsetp.lt.u32 %p1, %r4, " +
                std::to_string(words) +
                ";\n@%p1 bra GIVE;\n"
                "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
  return kernel;
}

const std::string load2d = "cp.async.bulk.tensor.2d.shared::cluster.global.tile"
                           ".mbarrier::complete_tx::bytes ";

/// All fill `tile` with 5000 and on; thread 0 runs `copy`.
KernelRun storing(const TensorMap &map, const std::string &copy) {
  KernelRun kernel;
  kernel.outputMap = map;
  kernel.outputWords = 256;
  kernel.body = ".shared .align 1024 .b32 tile[512];\n"
                "mov.u32 %r0, tile;\nmov.u32 %r1, 5000;\nmov.u32 %r2, 0;\n"
                "setp.ne.u32 %p0, %t, 0;\n@%p0 ret;\n"
                "FILL: st.shared.b32 [%r0], %r1;\nadd.u32 %r0, %r0, 4;\n"
                "add.u32 %r1, %r1, 1;\nadd.u32 %r2, %r2, 1;\n"
                "setp.lt.u32 %p1, %r2, 512;\n@%p1 bra FILL;\n"
                "fence.proxy.async.shared::cta;\n" +
                copy +
                "\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n";
  return kernel;
}
} // namespace

TEST_CASE("A box is loaded; what is outside of the tensor is zero") {
  // 12 x 6 words, boxes of 8 x 4 from (-3, -2) and from (8, 4) on.
  TensorMap map = mapOf(TensorElement::u32, {12, 6}, {8, 4});
  const std::pair<int, int> corners[] = {{-3, -2}, {8, 4}, {2, 1}, {40, 0}};
  for (auto [x, y] : corners) {
    INFO(x << ", " << y);
    Result result =
        run(loading(map, 128,
                    load2d + "[tile+128], [%map0, {" + std::to_string(x) +
                        ", " + std::to_string(y) + "}], [bar];"));
    REQUIRE(result.error == "");
    for (int i = 0; i < 256; ++i) {
      int column = x + (i - 32) % 8, row = y + (i - 32) / 8;
      bool inside = column >= 0 && column < 12 && row >= 0 && row < 6;
      uint32_t element = inside ? uint32_t(1000 + row * 12 + column) : 0;
      CHECK(result.output[size_t(i)] == (i >= 32 && i < 64 ? element : 7));
    }
  }
}

TEST_CASE("Outside, floating point may be NaN") {
  TensorMap map = mapOf(TensorElement::f16, {16, 4}, {8, 2});
  map.fill = TensorFill::nan;
  Result result =
      run(loading(map, 32, load2d + "[tile], [%map0, {-2, 3}], [bar];", 32));
  REQUIRE(result.error == "");
  CHECK(result.output[0] == 0x7EFF7EFF);
  CHECK(result.output[1] == 1000 + 24);
  CHECK(result.output[4] == 0x7EFF7EFF);
  CHECK(result.output[5] == 0x7EFF7EFF);
  CHECK(result.output[8] == 7);
  map.element = TensorElement::u16;
  CHECK_THAT(
      run(loading(map, 32, load2d + "[tile], [%map0, {-2, 3}], [bar];")).error,
      Contains("a type of floating point"));
}

TEST_CASE("Swizzles: 16-byte pieces change places with the 128-byte line") {
  for (unsigned mode : {1u, 2u, 3u})
    for (unsigned base : {0u, 128u, 384u}) {
      INFO(mode << " from " << base);
      uint32_t pieces = 1u << mode, words = 4 * pieces;
      TensorMap map = mapOf(TensorElement::u32, {64, 16}, {words, 8});
      map.swizzle = TensorSwizzle(mode);
      Result result = run(loading(map, words * 32,
                                  load2d + "[tile+" + std::to_string(base) +
                                      "], [%map0, {4, 1}], [bar];",
                                  512));
      REQUIRE(result.error == "");
      for (uint32_t row = 0; row < 8; ++row)
        for (uint32_t word = 0; word < words; ++word) {
          uint32_t line = (base + row * pieces * 16) / 128;
          // Of the pieces of a line, those with this row's number ...
          uint32_t piece = (base / 16 + row * pieces + word / 4) % 8;
          uint32_t index = line * 8 + (piece ^ line % pieces);
          CHECK(result.output[index * 4 + word % 4] ==
                1000 + (row + 1) * 64 + word + 4);
        }
    }
}

TEST_CASE("Dimensions and steps") {
  // Every second plane, every third row; the innermost takes each.
  TensorMap map = mapOf(TensorElement::u32, {8, 9, 10}, {4, 6, 4});
  map.elementStride = {2, 3, 2, 1, 1};
  Result result = run(loading(
      map, 4 * 2 * 2 * 4,
      "cp.async.bulk.tensor.3d.shared::cta.global.mbarrier::complete_tx::bytes"
      ".L2::cache_hint [tile], [%map0, {2, 1, 3}], [bar], 0;",
      32));
  REQUIRE(result.error == "");
  for (uint32_t i = 0; i < 16; ++i) {
    uint32_t x = 2 + i % 4, y = 1 + 3 * (i / 4 % 2), z = 3 + 2 * (i / 8);
    CHECK(result.output[i] == 1000 + (z * 9 + y) * 8 + x);
  }
  CHECK(result.output[16] == 7);

  TensorMap line = mapOf(TensorElement::u64, {100}, {4});
  result =
      run(loading(line, 32,
                  "cp.async.bulk.tensor.1d.shared::cluster.global"
                  ".mbarrier::complete_tx::bytes [tile], [%map0, {98}], [bar];",
                  32));
  REQUIRE(result.error == "");
  for (uint32_t i = 0; i < 8; ++i)
    CHECK(result.output[i] == (i < 4 ? 1196 + i : 0));
}

TEST_CASE("A box for several blocks") {
  TensorMap map = mapOf(TensorElement::u32, {8, 4}, {8, 4});
  KernelRun kernel = loading(
      map, 128,
      "mov.u32 %r7, %cluster_ctarank;\nsetp.eq.u32 %p2, %r7, 0;\n@%p2 " +
          load2d.substr(0, load2d.size() - 1) +
          ".multicast::cluster [tile], [%map0, {0, 0}], [bar], 3;",
      32);
  kernel.blocks = kernel.cluster = 2;
  kernel.outputWords = 64;
  Result result = run(kernel);
  REQUIRE(result.error == "");
  for (uint32_t i = 0; i < 64; ++i)
    CHECK(result.output[i] == 1000 + i % 32);
}

TEST_CASE("A box is stored, but for what is outside of the tensor") {
  TensorMap map = mapOf(TensorElement::u32, {12, 6}, {8, 4});
  Result result =
      run(storing(map, "cp.async.bulk.tensor.2d.global.shared::cta.tile"
                       ".bulk_group [%map1, {-3, 4}], [tile+128];"));
  REQUIRE(result.error == "");
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t column = i % 12, row = i / 12;
    bool stored = column < 5 && (row == 4 || row == 5);
    CHECK(result.output[i] ==
          (stored ? 5032 + (row - 4) * 8 + column + 3 : 0xCDCDCDCD));
  }
}

TEST_CASE("Stores undo the swizzle") {
  TensorMap map = mapOf(TensorElement::u32, {16, 16}, {16, 8});
  map.swizzle = TensorSwizzle::bytes64;
  Result result =
      run(storing(map, "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group"
                       ".L2::cache_hint [%map1, {0, 0}], [tile], 0;"));
  REQUIRE(result.error == "");
  for (uint32_t i = 0; i < 128; ++i) {
    uint32_t line = i / 32;
    CHECK(result.output[i] == 5000 + (i ^ (line % 4) << 2));
  }
}

TEST_CASE("A box that lands late shows what was overwritten") {
  TensorMap map = mapOf(TensorElement::u32, {12, 6}, {8, 4});
  KernelRun kernel =
      storing(map, "cp.async.bulk.tensor.2d.global.shared::cta.tile"
                   ".bulk_group [%map1, {0, 0}], [tile];\n"
                   "st.shared.b32 [tile+8], 99;");
  CHECK(run(kernel).output[2] == 5002);
  kernel.options.copiesLandLate = true;
  CHECK(run(kernel).output[2] == 99);
}

TEST_CASE("Boxes are reduced") {
  const uint32_t old = 0xCDCDCDCD;
  auto reduced = [](TensorElement element, const std::string &operation) {
    return run(storing(mapOf(element, {12, 2}, {12, 2}),
                       "cp.reduce.async.bulk.tensor.2d.global.shared::cta." +
                           operation +
                           ".tile.bulk_group [%map1, {8, 0}], [tile];"));
  };
  Result result = reduced(TensorElement::s32, "add");
  REQUIRE(result.error == "");
  for (uint32_t i = 0; i < 24; ++i)
    CHECK(result.output[i] ==
          (i % 12 >= 8 ? old + 5000 + i / 12 * 12 + i % 12 - 8 : old));
  CHECK(reduced(TensorElement::s32, "max").output[8] == 5000);
  CHECK(reduced(TensorElement::u32, "max").output[8] == old);
  CHECK(reduced(TensorElement::u32, "and").output[9] == (old & 5001));
  CHECK_THAT(reduced(TensorElement::f32, "max").error,
             Contains("an operation that the map's type has"));
}

TEST_CASE("Kernels replace the fields of a map and publish it") {
  // From a map of one dimension of bytes to one of 8 x 4 words, box 4 x 2, at
  // an offset of 64 bytes, rows 48 bytes apart, every second one.
  TensorMap map = mapOf(TensorElement::u8, {4096}, {64});
  KernelRun kernel = loading(map, 32, R"(
    .shared .align 128 .b8 own[128];
    .reg .b32 %q<8>;
    mov.u32 %q0, own;
    mov.u32 %q1, 0;
    mov.u64 %d4, %map0;
  COPY:
    ld.b32 %q2, [%d4];
    st.shared.b32 [%q0], %q2;
    add.u64 %d4, %d4, 4;
    add.u32 %q0, %q0, 4;
    add.u32 %q1, %q1, 1;
    setp.lt.u32 %p2, %q1, 32;
    @%p2 bra COPY;
    add.u64 %d5, %in, 64;
    tensormap.replace.tile.global_address.shared::cta.b1024.b64 [own], %d5;
    tensormap.replace.tile.rank.shared::cta.b1024.b32 [own], 1;
    tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [own], 2;
    tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [own], 0, 8;
    tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [own], 1, 4;
    tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [own], 0, 48;
    tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [own], 0, 4;
    tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [own], 1, 4;
    tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [own], 1, 2;
    tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [own], 0;
    tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [own], 0;
    tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [own], 0;
    add.u64 %d6, %in, 8192;
    tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%d6], [own], 128;
    fence.proxy.tensormap::generic.acquire.gpu [%d6], 128;
    )" + load2d + "[tile], [%d6, {1, 1}], [bar];",
                             32);
  Result result = run(kernel);
  REQUIRE(result.error == "");
  for (uint32_t i = 0; i < 8; ++i) {
    uint32_t row = 1 + 2 * (i / 4);
    CHECK(result.output[i] == 1000 + 16 + row * 12 + 1 + i % 4);
  }
  CHECK(result.output[8] == 7);
}

TEST_CASE("Copies of boxes that are wrong") {
  TensorMap map = mapOf(TensorElement::u32, {8, 8}, {8, 4});
  auto errorOf = [](const TensorMap &map, const std::string &copy) {
    return run(loading(map, 128, copy)).error;
  };
  const std::string here = "[tile], [%map0, {0, 0}], [bar];";
  CHECK(errorOf(map, load2d + here).empty());
  CHECK_THAT(errorOf(map, load2d + "[tile+64], [%map0, {0, 0}], [bar];"),
             Contains("a multiple of 128"));
  CHECK_THAT(errorOf(map, load2d + "[tile], [%map1, {0, 0}], [bar];"),
             Contains("a rank of 1 to 5, found 0"));
  CHECK_THAT(errorOf(map, "mov.u64 %d4, tile;\ncvta.shared.u64 %d4, %d4;\n" +
                              load2d + "[tile], [%d4, {0, 0}], [bar];"),
             Contains("in global, constant or parameter memory"));
  CHECK_THAT(errorOf(map, load2d + "[tile], [%in, {0, 0}], [bar];"),
             Contains("expected the emulator's form of a map"));
  CHECK_THAT(errorOf(map, load2d + "[tile], [%map0+32, {0, 0}], [bar];"),
             Contains("a multiple of 64"));
  CHECK_THAT(errorOf(map, "cp.async.bulk.tensor.3d.shared::cta.global"
                          ".mbarrier::complete_tx::bytes [tile], "
                          "[%map0, {0, 0, 0}], [bar];"),
             Contains("a rank of 3, found 2"));
  CHECK_THAT(errorOf(map, load2d + "[tile], [%map0, {0}], [bar];"),
             Contains("a vector of 2, found one of 1"));
  CHECK_THAT(errorOf(map, load2d + "[tile], [%map0], [bar];"),
             Contains("a tensor map and coordinates"));
  CHECK_THAT(run(storing(map, "cp.async.bulk.tensor.2d.global.shared::cta"
                              ".bulk_group [%map1, {0, 0}], [tile+64];"))
                 .error,
             Contains("a multiple of 128"));
  map.box[1] = 256;
  CHECK_THAT(errorOf(map, load2d + here), Contains("found one of 8192"));
  map.box[1] = 4;
  map.size[1] = 1000;
  CHECK_THAT(errorOf(map, load2d + "[tile], [%map0, {0, 600}], [bar];"),
             Contains("out-of-bounds"));
  map.swizzle = TensorSwizzle::bytes64;
  CHECK_THAT(errorOf(map, load2d + here), Contains("shorter than the swizzle"));
  map.swizzle = TensorSwizzle::none;
  map.element = TensorElement::tf32;
  CHECK_THAT(errorOf(map, load2d + here), Contains("tf32"));
}

TEST_CASE("Copies that are not supported are named") {
  TensorMap map = mapOf(TensorElement::u32, {8, 8}, {8, 4});
  auto errorOf = [&](const std::string &copy) {
    return run(loading(map, 128, copy)).error;
  };
  CHECK_THAT(
      errorOf("cp.async.bulk.tensor.3d.shared::cluster.global.im2col"
              ".mbarrier::complete_tx::bytes [tile], [%map0, {0, 0, 0}], "
              "[bar], {%h0};"),
      Contains("is not supported: the mode .im2col"));
  CHECK_THAT(errorOf("cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4"
                     ".mbarrier::complete_tx::bytes [tile], "
                     "[%map0, {0, 1, 2, 3, 4}], [bar];"),
             Contains("tile::gather4"));
  CHECK_THAT(errorOf("cp.async.bulk.tensor.2d.shared::cluster.global.tile"
                     ".mbarrier::complete_tx::bytes.cta_group::1 [tile], "
                     "[%map0, {0, 0}], [bar];"),
             Contains("sm_100"));
}

TEST_CASE("Hints change nothing") {
  TensorMap map = mapOf(TensorElement::u32, {8, 8}, {8, 4});
  Result result = run(loading(
      map, 128,
      "cp.async.bulk.prefetch.L2.global [%in], 4096;\n"
      "cp.async.bulk.prefetch.L2.global.L2::cache_hint [%in], 64, %d0;\n"
      "cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%map0, {0, 0}];\n"
      "cp.async.bulk.prefetch.tensor.2d.L2.global.L2::cache_hint "
      "[%map0, {0, 0}], %d0;\n" +
          load2d + "[tile], [%map0, {0, 2}], [bar];",
      64));
  REQUIRE(result.error == "");
  for (uint32_t i = 0; i < 64; ++i)
    CHECK(result.output[i] == (i < 32 ? 1016 + i : 7));
}
