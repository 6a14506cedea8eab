// What a schedule asks for, and what arguments promise, is in the PTX.
#include "Kernels.h"

#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::ptxtest;

TEST_CASE("kernel: tiles of any extents in accesses of 128 bits") {
  for (const char *shape : {"96x48", "48x80", "64x192", "80x80"})
    for (std::string element : {"f16", "f32"}) {
      const std::string tile = shape + ("x" + element);
      std::string text = R"(
tile.kernel @twice(%x: !tile.view<TILE>, %y: !tile.view<TILE>) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<TILE> -> tensor<TILE>
  %s = arith.addf %t, %t : tensor<TILE>
  tile.store %s, %y[%c0, %c0] : tensor<TILE>, !tile.view<TILE>
}
)";
      for (size_t at; (at = text.find("TILE")) != std::string::npos;)
        text.replace(at, 4, tile);
      CompileOptions options;
      options.schedule.emplace().warps = 4;
      StatusOr<KernelImage> image =
          compileText(text, *target::findGpuTarget("sm_90a"), options);
      INFO(tile << image.status().message());
      REQUIRE(image.ok());
      CAPTURE(image->code);
      int wide = count(image->code, "ld.global.v4.b32");
      CHECK(wide > 0);
      CHECK(count(image->code, "ld.global") == wide);
      CHECK(count(image->code, "st.global.v4.b32") ==
            count(image->code, "st.global"));
    }
}

TEST_CASE("kernel: what a schedule asks of ptxas") {
  const std::string text = R"(
tile.kernel @twice(%x: !tile.view<64xf32>, %y: !tile.view<64xf32>) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] : !tile.view<64xf32> -> tensor<64xf32>
  %s = arith.addf %t, %t : tensor<64xf32>
  tile.store %s, %y[%c0] : tensor<64xf32>, !tile.view<64xf32>
}
)";
  CompileOptions options;
  options.schedule.emplace().warps = 2;
  const target::GpuTarget &target = *target::findGpuTarget("sm_90a");
  StatusOr<KernelImage> plain = compileText(text, target, options);
  REQUIRE(plain.ok());
  CHECK(count(plain->code, ".minnctapersm") == 0);
  CHECK(count(plain->code, ".maxnreg") == 0);
  options.schedule->minBlocks = 8;
  options.schedule->maxRegisters = 64;
  StatusOr<KernelImage> bounded = compileText(text, target, options);
  REQUIRE(bounded.ok());
  CHECK(count(bounded->code, ".minnctapersm 8") == 1);
  CHECK(count(bounded->code, ".maxnreg 64") == 1);
}

TEST_CASE("kernel: accesses of 256 bits where the target has them") {
  const std::string text = R"(
tile.kernel @twice(%x: !tile.view<64x256xf32> {tile.align = 32 : i64}, %y: !tile.view<64x256xf32> {tile.align = 32 : i64}) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<64x256xf32> -> tensor<64x256xf32>
  %s = arith.addf %t, %t : tensor<64x256xf32>
  tile.store %s, %y[%c0, %c0] : tensor<64x256xf32>, !tile.view<64x256xf32>
}
)";
  CompileOptions options;
  options.schedule.emplace().warps = 8;
  options.schedule->vectorBits = 256;
  StatusOr<KernelImage> wide =
      compileText(text, *target::findGpuTarget("sm_100a"), options);
  INFO(wide.status().message());
  REQUIRE(wide.ok());
  CHECK(count(wide->code, "ld.global.v4.b64") == 8);
  CHECK(count(wide->code, "st.global.v4.b64") == 8);
  CHECK(count(wide->code, ".version 8.8") == 1);
  StatusOr<KernelImage> rejected =
      compileText(text, *target::findGpuTarget("sm_90a"), options);
  CHECK(rejected.status().message() ==
        "kernel 'twice': schedule does not fit sm_90a: vector_bits 256 of 128");
}

TEST_CASE("kernel: what nobody writes is loaded past the coherent caches") {
  const auto text = [](const std::string &attribute, const std::string &more) {
    return "tile.kernel @k(%x: !tile.view<?xf32>" + attribute +
           ", %y: !tile.view<?xf32>, %p: !tile.ptr<f32>) {" + R"(
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] pad 0.0 : !tile.view<?xf32> -> tensor<64xf32>
  tile.store %t, %y[%c0] : tensor<64xf32>, !tile.view<?xf32>
)" + more + "}";
  };
  const auto loads = [](const std::string &kernel) {
    StatusOr<KernelImage> image =
        compileText(kernel, *target::findGpuTarget("sm_90a"));
    INFO(image.status().message());
    REQUIRE(image.ok());
    return std::pair(count(image->code, "ld.global"),
                     count(image->code, "ld.global.nc"));
  };
  const std::string disjoint = " {tile.disjoint = array<i64: 1>}";
  auto [all, cached] = loads(text(disjoint, ""));
  CHECK(all > 1); // also those that some lanes skip
  CHECK(cached == all);
  CHECK(loads(text("", "")).second == 0);
  // Through a pointer the kernel may write anywhere.
  CHECK(loads(text(disjoint, R"(
  %one = arith.constant 1.0 : f32
  tile.store_ptr %one, %p : !tile.ptr<f32>
)"))
            .second == 0);
  // It writes the argument itself.
  CHECK(loads(text(disjoint, R"(
  tile.store %t, %x[%c0] : tensor<64xf32>, !tile.view<?xf32>
)"))
            .second == 0);
}
