// Accesses through pointers as PTX.
#include "Kernels.h"

#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::ptxtest;

TEST_CASE("kernel: a gather through pointers, masked") {
  KernelImage image = checkAllTargets(R"(
tile.kernel @gather(%x: !tile.ptr<f16>, %i: !tile.view<64xi32>, %y: !tile.view<64xf16>, %n: i32) {
  %c0 = arith.constant 0 : index
  %at = tile.load %i[%c0] : !tile.view<64xi32> -> tensor<64xi32>
  %p = tile.offset %x, %at : !tile.ptr<f16>, tensor<64xi32>
  %bound = tile.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi ult, %at, %bound : tensor<64xi32>
  %v = tile.load_ptr %p mask %m : tensor<64x!tile.ptr<f16>>
  tile.store_ptr %v, %p mask %m : tensor<64x!tile.ptr<f16>>
  tile.store %v, %y[%c0] : tensor<64xf16>, !tile.view<64xf16>
}
)");
  // 64 elements by 32 threads, each element once, and the others skipped.
  CHECK(image.manifest.block == 32);
  CHECK(count(image.code, "ld.global.b16") == 2);
  CHECK(count(image.code, "st.global.b16") >= 2);
  // Not by branches.
  CHECK(count(image.code, "bra") == 0);
  // The pointers may lead to what is stored: reads come first.
  CHECK(count(image.scheduled, "tilegpu.barrier") >= 1);
}

/// Rows at loaded indices, of `width` elements, read and then `written`.
static KernelImage gatherRows(int width, const std::string &written) {
  const std::string w = std::to_string(width);
  return checkAllTargets(R"(
tile.kernel @rows(%x: !tile.view<100x)" +
                         w +
                         R"(xf16>, %i: !tile.view<4xi64>, %y: !tile.view<4x)" +
                         w + R"(xf16>) {
  %c0 = arith.constant 0 : index
  %length = arith.constant dense<)" +
                         w + R"(> : tensor<4x256xi64>
  %r = tile.load %i[%c0] : !tile.view<4xi64> -> tensor<4xi64>
  %s = tile.reshape %r : tensor<4xi64> -> tensor<4x1xi64>
  %row = tile.broadcast %s : tensor<4x1xi64> -> tensor<4x256xi64>
  %n = tile.iota : tensor<256xi64>
  %c = tile.reshape %n : tensor<256xi64> -> tensor<1x256xi64>
  %column = tile.broadcast %c : tensor<1x256xi64> -> tensor<4x256xi64>
  %first = arith.muli %row, %length : tensor<4x256xi64>
  %at = arith.addi %first, %column : tensor<4x256xi64>
  %m = arith.cmpi ult, %column, %length : tensor<4x256xi64>
  %b = tile.base %x : !tile.view<100x)" +
                         w + R"(xf16> -> !tile.ptr<f16>
  %p = tile.offset %b, %at : !tile.ptr<f16>, tensor<4x256xi64>
  %v = tile.load_ptr %p mask %m : tensor<4x256x!tile.ptr<f16>>
  )" + written + R"(
}
)");
}

TEST_CASE("kernel: a row at a loaded index is read in vectors") {
  const std::string store =
      "tile.store %v, %y[%c0, %c0] : tensor<4x256xf16>, !tile.view<4xWxf16>";
  auto storeTo = [&](const std::string &width) {
    std::string text = store;
    return text.replace(text.find('W'), 1, width);
  };
  KernelImage image = gatherRows(240, storeTo("240"));
  CHECK(count(image.code, "ld.global.v4.b32") >= 1);
  CHECK(count(image.code, "ld.global.b16") == 0);
  // What is read and what is written are different arguments.
  CHECK(count(image.scheduled, "tilegpu.barrier") == 0);
  // Rows of 246 elements begin at multiples of 4 bytes.
  image = gatherRows(246, storeTo("246"));
  CHECK(count(image.code, "ld.global.b32") >= 1);
  CHECK(count(image.code, "ld.global.v4.b32") == 0);
}

TEST_CASE(
    "kernel: a thread's part of a row has one address and one predicate") {
  KernelImage image = checkAllTargets(R"(
tile.kernel @rows(%x: !tile.view<100x1000xf32>, %i: !tile.view<2xi64>, %y: !tile.view<2x1000xf32>)
    attributes {tile.schedule = #tile.schedule<warps = 2>} {
  %c0 = arith.constant 0 : index
  %length = arith.constant dense<1000> : tensor<2x1xi64>
  %rows = arith.constant dense<100> : tensor<2x1xi64>
  %r = tile.load %i[%c0] : !tile.view<2xi64> -> tensor<2xi64>
  %row = tile.reshape %r : tensor<2xi64> -> tensor<2x1xi64>
  %inside = arith.cmpi ult, %row, %rows : tensor<2x1xi64>
  %m = tile.broadcast %inside : tensor<2x1xi1> -> tensor<2x1000xi1>
  %begin = arith.muli %row, %length : tensor<2x1xi64>
  %first = tile.broadcast %begin : tensor<2x1xi64> -> tensor<2x1000xi64>
  %n = tile.iota : tensor<1000xi64>
  %c = tile.reshape %n : tensor<1000xi64> -> tensor<1x1000xi64>
  %column = tile.broadcast %c : tensor<1x1000xi64> -> tensor<2x1000xi64>
  %at = arith.addi %first, %column : tensor<2x1000xi64>
  %b = tile.base %x : !tile.view<100x1000xf32> -> !tile.ptr<f32>
  %p = tile.offset %b, %at : !tile.ptr<f32>, tensor<2x1000xi64>
  %v = tile.load_ptr %p mask %m : tensor<2x1000x!tile.ptr<f32>>
  tile.store %v, %y[%c0, %c0] : tensor<2x1000xf32>, !tile.view<2x1000xf32>
}
)");
  // Four vectors of each row, the last of which is beyond it in some threads.
  CHECK(count(image.code, " ld.global.v4.b32") == 8);
  CHECK(count(image.code, "setp.lt.u64") == 2);
  CHECK(count(image.code, "mul.lo.s64") + count(image.code, "mad.lo.s64") == 2);
  for (const char *behind : {", 1024;", ", 2048;", ", 3072;"})
    CHECK(count(image.code, behind) >= 2);
  // No predicate is a bit of a number.
  CHECK(count(image.code, "selp.b16") == 0);
}

TEST_CASE("kernel: neighbours are added to at once") {
  KernelImage image = gatherRows(
      240, "%u = tile.load %y[%c0, %c0] : !tile.view<4x240xf16> -> "
           "tensor<4x256xf16>\n"
           "%o = tile.atomic_rmw add relaxed device %u, %p mask %m : "
           "tensor<4x256x!tile.ptr<f16>>");
  // Not by branches.
  CHECK(count(image.code, "add.noftz.v4.f16x2") >= 1);
  CHECK(count(image.code, "noftz.f16 ") == 0);
}
