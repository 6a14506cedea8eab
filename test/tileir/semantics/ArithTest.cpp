// The arith dialect on tiles: integers wrap, floats round to nearest even,
// undefined results are poison.
#include "Semantics.h"

using namespace tilewright::semantics;

/// %r = OP %a, %b : TYPE
static Numbers binary(const std::string &op, const std::string &type,
                      const Numbers &a, const Numbers &b) {
  std::string tile = "tensor<" + std::to_string(a.size()) + "x" + type + ">";
  return compute("%r = " + op + " %a, %b : " + tile, {tile, tile}, tile,
                 {a, b});
}

/// %r = OP %a, %b exact : i8
static Numbers exact(const std::string &op, const Numbers &a,
                     const Numbers &b) {
  std::string tile = "tensor<" + std::to_string(a.size()) + "xi8>";
  return compute("%r = " + op + " %a, %b exact : " + tile, {tile, tile}, tile,
                 {a, b});
}

/// The same with a result of i1.
static Numbers compare(const std::string &op, const std::string &type,
                       const Numbers &a, const Numbers &b) {
  std::string size = "tensor<" + std::to_string(a.size()) + "x";
  std::string tile = size + type + ">";
  return compute("%r = " + op + ", %a, %b : " + tile, {tile, tile},
                 size + "i1>", {a, b});
}

TEST_CASE("integers wrap at their width") {
  CHECK_SAME(binary("arith.addi", "i8", {127, 1}, {1, 2}), {-128, 3});
  CHECK_SAME(binary("arith.subi", "i4", {-8, 3}, {1, 5}), {7, -2});
  CHECK_SAME(binary("arith.muli", "i16", {300, -3}, {300, 7}), {24464, -21});
}

TEST_CASE("a broken overflow promise is poison") {
  CHECK_SAME(compute("%r = arith.addi %a, %b overflow<nsw> : tensor<2xi8>",
                     {"tensor<2xi8>", "tensor<2xi8>"}, "tensor<2xi8>",
                     {{127, 1}, {1, 2}}),
             {kPoison, 3});
  // 200 + 100 does not fit 8 unsigned bits; as signed numbers it does.
  CHECK_SAME(compute("%r = arith.addi %a, %b overflow<nuw> : tensor<1xi8>",
                     {"tensor<1xi8>", "tensor<1xi8>"}, "tensor<1xi8>",
                     {{-56}, {100}}),
             {kPoison});
}

TEST_CASE("division rounds toward zero, up or down") {
  CHECK_SAME(binary("arith.divsi", "i32", {7, -7}, {2, 2}), {3, -3});
  CHECK_SAME(binary("arith.floordivsi", "i32", {7, -7}, {2, 2}), {3, -4});
  CHECK_SAME(binary("arith.ceildivsi", "i32", {7, -7}, {2, 2}), {4, -3});
  CHECK_SAME(binary("arith.remsi", "i32", {7, -7}, {3, 3}), {1, -1});
  // -1 is 255 as an unsigned number of 8 bits; 255 / 2 = 127.
  CHECK_SAME(binary("arith.divui", "i8", {-1}, {2}), {127});
  CHECK_SAME(binary("arith.ceildivui", "i8", {-1}, {2}), {-128});
  CHECK_SAME(binary("arith.remui", "i8", {-1}, {16}), {15});
}

TEST_CASE("exact: a rest is poison") {
  // -56 is 200 without a sign, which 25 divides and 16 does not.
  CHECK_SAME(exact("arith.divsi", {6, -6, 7}, {3, 2, 2}), {2, -3, kPoison});
  CHECK_SAME(exact("arith.divui", {-56, -56}, {25, 16}), {8, kPoison});
  // -96 is 0b10100000: five bits can go.
  CHECK_SAME(exact("arith.shrui", {-96, -96, 0}, {5, 6, 7}), {5, kPoison, 0});
  CHECK_SAME(exact("arith.shrsi", {-96, -96, 0}, {5, 6, 8}),
             {-3, kPoison, kPoison});
}

TEST_CASE("division by zero is poison, whatever the rounding") {
  for (const char *op : {"divsi", "divui", "remsi", "remui", "ceildivsi",
                         "ceildivui", "floordivsi"}) {
    CAPTURE(op);
    CHECK_SAME(binary("arith." + std::string(op), "i32", {0, 6}, {0, 1}),
               {kPoison, std::string(op).starts_with("rem") ? 0. : 6.});
  }
}

// 128 does not fit 8 bits: it wraps to -128, as that of a sum would.
TEST_CASE("the least integer divided by -1 wraps") {
  for (const char *op : {"divsi", "ceildivsi", "floordivsi"}) {
    CAPTURE(op);
    CHECK_SAME(binary("arith." + std::string(op), "i8", {-128, 127}, {-1, -1}),
               {-128, -127});
  }
  CHECK_SAME(binary("arith.remsi", "i8", {-128, 127}, {-1, -1}), {0, 0});
}

TEST_CASE("shifts; too far is poison") {
  CHECK_SAME(binary("arith.shli", "i8", {3, 64, 1}, {2, 1, 8}),
             {12, -128, kPoison});
  CHECK_SAME(binary("arith.shrsi", "i8", {-8, 1}, {1, 9}), {-4, kPoison});
  CHECK_SAME(binary("arith.shrui", "i8", {-8}, {1}), {124});
}

TEST_CASE("bits, least and greatest") {
  CHECK_SAME(binary("arith.andi", "i8", {12}, {10}), {8});
  CHECK_SAME(binary("arith.ori", "i8", {12}, {10}), {14});
  CHECK_SAME(binary("arith.xori", "i8", {12}, {10}), {6});
  CHECK_SAME(binary("arith.maxsi", "i8", {-1}, {1}), {1});
  CHECK_SAME(binary("arith.maxui", "i8", {-1}, {1}), {-1});
  CHECK_SAME(binary("arith.minsi", "i8", {-1}, {1}), {-1});
  CHECK_SAME(binary("arith.minui", "i8", {-1}, {1}), {1});
}

TEST_CASE("extended: low and high half") {
  Result result = evaluate(R"(
    tile.func @f(%a: i8, %b: i8) -> (i8, i8, i8, i8, i8, i1) {
      %l, %h = arith.mulsi_extended %a, %b : i8
      %m, %u = arith.mului_extended %a, %b : i8
      %s, %c = arith.addui_extended %a, %b : i8, i1
      tile.return %l, %h, %m, %u, %s, %c : i8, i8, i8, i8, i8, i1
    })",
                           {{-2}, {100}});
  REQUIRE(result.error == "");
  // -200 is 0xFF38; unsigned 254 * 100 = 25400 is 0x6338; 254 + 100 carries.
  CHECK(result.results ==
        std::vector<Numbers>{{0x38}, {-1}, {0x38}, {0x63}, {98}, {1}});
}

TEST_CASE("cmpi: signed and unsigned") {
  CHECK_SAME(compare("arith.cmpi slt", "i8", {-1, 1}, {1, 1}), {1, 0});
  CHECK_SAME(compare("arith.cmpi ult", "i8", {-1, 0}, {1, 1}), {0, 1});
  CHECK_SAME(compare("arith.cmpi sle", "i8", {1, 2}, {1, 1}), {1, 0});
  CHECK_SAME(compare("arith.cmpi uge", "i8", {-1, 0}, {1, 1}), {1, 0});
  CHECK_SAME(compare("arith.cmpi eq", "i8", {1, 2}, {1, 1}), {1, 0});
  CHECK_SAME(compare("arith.cmpi ne", "i8", {1, 2}, {1, 1}), {0, 1});
}

TEST_CASE("floats round once, ties to even") {
  // f16 has 11 bits: 2049 is between 2048 and 2050, the even one is 2048; 2051
  // is between 2050 and 2052, the even one is 2052.
  CHECK_SAME(binary("arith.addf", "f16", {2048, 2048}, {1, 3}), {2048, 2052});
  // bf16 has 8 bits: 257 -> 256, 259 -> 260.
  CHECK_SAME(binary("arith.addf", "bf16", {256, 256}, {1, 3}), {256, 260});
  CHECK_SAME(binary("arith.subf", "f32", {1}, {0.25}), {0.75});
  CHECK_SAME(binary("arith.mulf", "f16", {65504, 3}, {2, 0.5}), {kInf, 1.5});
  // 1 / 3 in f16 is 0x3555 = 1365 / 4096.
  CHECK_SAME(binary("arith.divf", "f16", {1, 1}, {3, 0}),
             {1365.0 / 4096, kInf});
  CHECK_SAME(binary("arith.remf", "f32", {5.5, -5.5}, {2, 2}), {1.5, -1.5});
}

TEST_CASE("small floats: overflow and subnormals") {
  // f8E4M3FN has no infinity: its largest number is 448, above is NaN.
  CHECK_SAME(binary("arith.addf", "f8E4M3FN", {448, 448}, {16, 448}),
             {448, kNan});
  // f8E5M2 has infinity above 57344; its least subnormal is 2^-16.
  CHECK_SAME(
      binary("arith.mulf", "f8E5M2", {57344, 0.00006103515625}, {2, 0.25}),
      {kInf, 0.0000152587890625});
}

TEST_CASE("types without sign, zero or NaN compute too") {
  // 0 / 0 has no NaN to give in f4E2M1FN; 6 + 6 is too large.
  CHECK_SAME(binary("arith.addf", "f4E2M1FN", {6, 1, 0.5}, {6, 1.5, -0.5}),
             {6, 2, 0});
  CHECK_SAME(binary("arith.mulf", "f8E8M0FNU", {4, 0.5}, {8, 0.5}), {32, 0.25});
  // 4 + 2 = 6 is a tie of 4 (encoded 129) and 8 (130, even); 2 - 4 is negative.
  CHECK_SAME(binary("arith.addf", "f8E8M0FNU", {4}, {2}), {8});
  // LLVM folds 0 / 0 to 0, and 2 - 4 in the type without a sign to 2.
  ExpectWrongFold wrong;
  CHECK_SAME(binary("arith.divf", "f4E2M1FN", {0}, {0}), {6});
  CHECK_SAME(binary("arith.subf", "f8E8M0FNU", {2}, {4}), {kNan});
}

TEST_CASE("maximum spreads NaN, maxnum drops it; -0 is below 0") {
  CHECK_SAME(binary("arith.maximumf", "f32", {1, kNan, -0.0}, {2, 1, 0.0}),
             {2, kNan, 0.0});
  CHECK_SAME(binary("arith.minimumf", "f32", {1, kNan, 0.0}, {2, 1, -0.0}),
             {1, kNan, -0.0});
  CHECK_SAME(binary("arith.maxnumf", "f32", {1, kNan}, {2, 1}), {2, 1});
  CHECK_SAME(binary("arith.minnumf", "f32", {1, kNan}, {2, 1}), {1, 1});
}

TEST_CASE("maxnum and minnum drop any NaN, a signaling one, too") {
  // LLVM's folders make NaN of it.
  ExpectWrongFold wrong;
  for (const char *op : {"arith.maxnumf", "arith.minnumf"})
    CHECK_SAME(compute("%x = arith.bitcast %a : tensor<2xi32> to tensor<2xf32>"
                       "\n%r = " +
                           std::string(op) + " %x, %b : tensor<2xf32>",
                       {"tensor<2xi32>", "tensor<2xf32>"}, "tensor<2xf32>",
                       {{0x7F800001, 0x7FC00000}, {1, 2}}),
               {1, 2});
}

TEST_CASE("negf flips the sign of zero and leaves NaN") {
  CHECK_SAME(compute("%r = arith.negf %a : tensor<3xf32>", {"tensor<3xf32>"},
                     "tensor<3xf32>", {{0.0, 1, kNan}}),
             {-0.0, -1, kNan});
}

TEST_CASE("cmpf: ordered is false with NaN, unordered is true") {
  CHECK_SAME(compare("arith.cmpf olt", "f32", {1, kNan}, {2, 1}), {1, 0});
  CHECK_SAME(compare("arith.cmpf ult", "f32", {1, kNan}, {2, 1}), {1, 1});
  CHECK_SAME(compare("arith.cmpf oeq", "f32", {0.0, kNan}, {-0.0, kNan}),
             {1, 0});
  CHECK_SAME(compare("arith.cmpf une", "f32", {0.0, kNan}, {-0.0, kNan}),
             {0, 1});
  CHECK_SAME(compare("arith.cmpf one", "f32", {1, kNan}, {2, 1}), {1, 0});
  CHECK_SAME(compare("arith.cmpf ord", "f32", {1, kNan}, {2, 1}), {1, 0});
  CHECK_SAME(compare("arith.cmpf uno", "f32", {1, kNan}, {2, 1}), {0, 1});
  CHECK_SAME(compare("arith.cmpf oge", "f32", {2, 1}, {2, 2}), {1, 0});
  CHECK_SAME(compare("arith.cmpf ule", "f32", {2, 3}, {2, 2}), {1, 0});
}

TEST_CASE("select takes one side; poison on the other one does not matter") {
  Result result = evaluate(R"(
    tile.func @f(%c: tensor<2xi1>, %a: tensor<2xi8>) -> tensor<2xi8> {
      %far = arith.constant dense<9> : tensor<2xi8>
      %poison = arith.shli %a, %far : tensor<2xi8>
      %r = arith.select %c, %a, %poison : tensor<2xi1>, tensor<2xi8>
      tile.return %r : tensor<2xi8>
    })",
                           {{1, 0}, {5, 6}});
  REQUIRE(result.error == "");
  CHECK_SAME(result.results[0], {5, kPoison});
}

TEST_CASE("poison cannot be stored") {
  Result result = launch(R"(
    tile.kernel @k(%y: !tile.view<1xi8>) {
      %0 = arith.constant 0 : index
      %far = arith.constant dense<9> : tensor<1xi8>
      %poison = arith.shli %far, %far : tensor<1xi8>
      tile.store %poison, %y[%0] : tensor<1xi8>, !tile.view<1xi8>
    })",
                         {{{1}, {0}}});
  CHECK(result.error == "6: tile.store: stores a poison value; 5: this "
                        "operation is not defined for its operands");
}
