// What each kind of unit can do, in schedules of a few lines.
#include "test/verify/spatial/HandSchedules.h"
#include <catch2/catch.hpp>

namespace tilewright::test {

using namespace spatial;

TEST_CASE("Accumulators and passes") {
  // Two products of f32 in one pass, the second added to the first.
  Small small;
  small.input("x", DType::F32, 2, {bankOf(2, 0)});
  small.input("w", DType::F32, 1, {bankOf(2, 1)});
  small.value("p", DType::F32).value("q", DType::F32);
  small.value("s", DType::F32);
  auto lines = [](std::string_view second) {
    return R"(@0 u2.b1 read r0:w[0].0 -> w0
@4 u0.p0.w load w0:w[0] -> buffer 1 row 0
@1 u2.b0 read r0+1:x[0+1].0 -> w0 *2/1
@5 u0.p0.a mul f32 w0:x[0] buffer 1:w[0] rows 1 -> acc 3:p[0]
)" + std::string(second);
  };
  CHECK(small.judge(0, lines("@6 u0.p0.a mul f32 w0:x[1] buffer 1:w[0] rows 1 "
                             "+ acc 3:p[0] -> e0:q[0]")) == "accepted");
  CHECK(small.judge(0, lines("@6 u0.p0.a mul f32 w0:x[1] buffer 1:w[0] rows 1 "
                             "+ acc 2:p[0] -> e0:q[0]")) ==
        "undefined-read @9 u0.p0.a");
  CHECK(small.judge(0, lines("@6 u0.p0.a mul f32 w0:x[1] buffer 1:w[0] rows 1 "
                             "+ acc 3:q[0] -> e0:q[0]")) ==
        "wrong-operand @9 u0.p0.a");

  // An accumulator holds the old product until the new one is there.
  CHECK(small.judge(
            0, "@3 u2.b0 read r1:x[1].0 -> w0\n" +
                   lines("@6 u0.p0.a mul f32 w0:x[1] buffer 1:w[0] rows 1 + "
                         "acc 3:p[0] -> e0:q[0]\n"
                         "@7 u0.p0.a mul f32 w0:x[1] buffer 1:w[0] rows 1 -> "
                         "acc 3:s[0]")) == "accepted");

  // Two passes: the plane is busy, and so is its buffer, but not another one.
  Small passes;
  passes.input("x", DType::I8, 2, {bankOf(2, 0)});
  passes.input("w", DType::I8, 1, {bankOf(2, 1)});
  passes.value("p", DType::I32, 2);
  auto products = [](int step, std::string_view load) {
    std::string stride = std::to_string(step);
    return "@0 u2.b1 read r0:w[0].0 -> w0 *3/1\n"
           "@4 u0.p0.w load w0:w[0] -> buffer 1 row 0\n"
           "@1 u2.b0 read r0+1:x[0+1].0 -> w1 *2/" +
           stride +
           "\n@5 u0.p0.a mul i8 w1:x[0+1] buffer 1:w[0] rows 1 -> e0:p[0+1] "
           "*2/" +
           stride + "\n" + std::string(load);
  };
  CHECK(passes.judge(0, products(2, "")) == "accepted");
  CHECK(passes.judge(0, products(1, "")) == "unit-busy @6 u0.p0.a");
  CHECK(passes.judge(0, products(2, "@6 u0.p0.w load w0:w[0] -> buffer 1 row "
                                    "3")) == "unit-busy @6 u0.p0.w");
  CHECK(passes.judge(0, products(2, "@6 u0.p0.w load w0:w[0] -> buffer 0 row "
                                    "3")) == "accepted");
}

TEST_CASE("Weights that are loaded over are gone") {
  Small small;
  small.input("x", DType::F32, 1, {bankOf(2, 0)});
  small.input("w", DType::F32, 2, {bankOf(2, 1)});
  small.input("z", DType::F32, 2, {bankOf(3, 1)});
  small.value("p", DType::F32);
  // Two rows of w in 4 and 5, and of z in 8 and 9.
  auto judge = [&](const std::string &cycle, const std::string &weights) {
    return small.judge(
        0, "@0 u2.b1 read r0+1:w[0+1].0 -> w0 *2/1\n"
           "@3 u3.b1 read r0+1:z[0+1].0 -> w0 *2/1\n"
           "@2 u2.b0 read r0:x[0].0 -> w1 *9/1\n"
           "@4 u0.p0.w load w0:w[0+1] -> buffer 0 row 0+1 *2/1\n"
           "@8 u0.p0.w load w0:z[0+1] -> buffer 0 row 0+1 *2/1\n"
           "@6 u0.p0.a mul f32 w1:x[0] buffer 0:w[0] rows 2 -> e0:p[0]\n"
           "@" +
               cycle + " u0.p0.a mul f32 w1:x[0] buffer 0:" + weights +
               " rows 2 -> e0:p[0]\n");
  };
  CHECK(judge("7", "w[0]") == "accepted");
  CHECK(judge("9", "w[0]") == "wrong-operand @9 u0.p0.a");
  CHECK(judge("10", "w[0]") == "wrong-operand @10 u0.p0.a");
  // Products of other numbers of rows are other products.
  CHECK(small.judge(0, "@0 u2.b1 read r0+1:w[0+1].0 -> w0 *2/1\n"
                       "@2 u2.b0 read r0:x[0].0 -> w1 *9/1\n"
                       "@4 u0.p0.w load w0:w[0+1] -> buffer 0 row 0+1 *2/1\n"
                       "@6 u0.p0.a mul f32 w1:x[0] buffer 0:w[0] rows 2 -> "
                       "e0:p[0]\n"
                       "@7 u0.p0.a mul f32 w1:x[0] buffer 0:w[0] rows 1 -> "
                       "e0:p[0]\n") == "wrong-operand @7 u0.p0.a");
  // The same product, but of other weights: another way to make p.
  CHECK(judge("10", "z[0]") == "wrong-operand @10 u0.p0.a");
}

TEST_CASE("ALUs take results of others in their cycle") {
  Small small;
  small.input("x", DType::F32, 1, {bankOf(3, 0)});
  small.value("e", DType::F32).value("f", DType::F32);
  auto chain = [](int cycle) {
    return "@0 u3.b0 read r0:x[0].0 -> e0\n"
           "@3 u4.a1 exp f32 e0:x[0] -> a:e[0]\n"
           "@" +
           std::to_string(cycle) + " u4.a0 mul f32 a1:e[0] 0.5 -> w0:f[0]\n";
  };
  CHECK(small.judge(0, chain(6)) == "accepted");
  CHECK(small.judge(0, chain(5)) == "missing-operand @5 u4.a0");
  CHECK(small.judge(0, chain(7)) == "missing-operand @7 u4.a0");
}

TEST_CASE("Lanes: maps and transposes") {
  Small small;
  small.input("x", DType::F32, 4, {bankOf(2, 0)});
  small.value("m", DType::F32).value("t", DType::F32, 8);
  small.builder.addMap("turn", {3, 2, 1, 0});
  small.builder.addMap("also_turn", {3, 2, 1, 0});
  small.builder.addMap("zero", {-1, -1, -1, -1});
  constexpr std::string_view read = "@0 u2.b0 read r0+1:x[0+1].0 -> w0 *4/1\n";
  auto judge = [&](std::string_view lines) {
    return small.judge(0, std::string(read) + std::string(lines));
  };
  CHECK(judge("@3 u1.s0 map turn w0:x[0] -> w1:m[0]") == "accepted");
  CHECK(judge("@3 u1.s0 map turn w0:x[0] -> w1:m[0]\n"
              "@4 u1.s0 map turn w0:x[1] -> w1:m[0]") ==
        "wrong-operand @4 u1.s0");
  // What counts is what a map does, not what it is called.
  auto twice = [&](const std::string &map) {
    return small.judge(0, "@0 u2.b0 read r0:x[0].0 -> w0 *2/1\n"
                          "@3 u1.s0 map turn w0:x[0] -> w1:m[0]\n"
                          "@4 u1.s0 map " +
                              map + " w0:x[0] -> w1:m[0]");
  };
  CHECK(twice("turn") == "accepted");
  CHECK(twice("also_turn") == "accepted");
  CHECK(twice("zero") == "wrong-operand @4 u1.s0");
  CHECK(judge("@3 u1.s0 transpose w0:x[0] -> w2:t[0]") == "accepted");
  // A vector is always the same result of a transpose.
  auto transposes = [&](const std::string &second) {
    return small.judge(0, "@0 u2.b0 read r0+1:x[0+1].0 -> w0 *4/1\n"
                          "@4 u2.b0 read r0+1:x[0+1].0 -> w0 *4/1\n"
                          "@3 u1.s0 transpose w0:x[0] -> w2:t[0]\n"
                          "@7 u1.s0 transpose w0:x[0] -> w2:" +
                              second);
  };
  CHECK(transposes("t[0]") == "accepted");
  CHECK(transposes("t[4]") == "accepted");
  CHECK(transposes("t[1]") == "wrong-operand @7 u1.s0");
  CHECK(judge("@4 u1.s0 transpose w0:x[0] -> w2:t[0]") ==
        "wrong-operand @4 u1.s0");
  CHECK(judge("@3 u1.s0 transpose w0:x[0] -> w2:t[0]\n"
              "@6 u1.s0 map turn w0:x[3] -> w1:m[0]") == "unit-busy @6 u1.s0");
  // The port is free again; the transpose's third result is there in 10.
  CHECK(judge("@3 u1.s0 transpose w0:x[0] -> e2:t[0]\n"
              "@11 u2.b1 write e2:t[2].0 -> r9") == "wrong-length @-1");
  CHECK(judge("@3 u1.s0 transpose w0:x[0] -> e2:t[0]\n"
              "@12 u2.b1 write e2:t[2].0 -> r9") == "wrong-operand @12 u2.b1");
}

TEST_CASE("A gather needs all rows of its table") {
  Small small;
  small.input("i", DType::I32, 1, {bankOf(3, 0)});
  small.input("t", DType::F32, 3, {bankOf(2, 1)}, 2);
  small.value("g", DType::F32);
  constexpr std::string_view read = "@0 u3.b0 read r0:i[0].0 -> w0\n";
  auto judge = [&](std::string_view gather) {
    return small.judge(0, std::string(read) + std::string(gather));
  };
  CHECK(judge("@3 u2.b1 gather r2#3:t[0].0 w0:i[0] -> e0:g[0].0") ==
        "accepted");
  CHECK(judge("@3 u2.b1 gather r3#2:t[1].0 w0:i[0] -> e0:g[0].0") ==
        "accepted");
  CHECK(judge("@3 u2.b1 gather r9#2:t[0].0 w0:i[0] -> e0:g[0].0") ==
        "undefined-read @3 u2.b1");
  CHECK(judge("@3 u2.b1 gather r3#3:t[0].0 w0:i[0] -> e0:g[0].0") ==
        "wrong-operand @3 u2.b1");
  CHECK(judge("@3 u2.b1 gather r2#2:t[1].0 w0:i[0] -> e0:g[0].0") ==
        "wrong-operand @3 u2.b1");
  CHECK(judge("@3 u2.b1 gather r14#3:t[0].0 w0:i[0] -> e0:g[0].0") ==
        "capacity @3 u2.b1");
  CHECK(judge("@2 u2.b1 gather r2#3:t[0].0 w0:i[0] -> e0:g[0].0") ==
        "missing-operand @2 u2.b1");
}

TEST_CASE("Vectors of several planes") {
  // One byte a lane: an f16 has two planes, and both must be the right ones.
  std::string machine =
      edited(toyMachine, "\"stream_bytes\": 4", "\"stream_bytes\": 2");
  machine = edited(machine, "\"load_streams\": 2", "\"load_streams\": 4");
  Small small(machine);
  small.input("x", DType::F32, 1, {bankOf(3, 0), bankOf(3, 1)});
  small.value("y", DType::F32);
  constexpr std::string_view read = "@0 u3.b0 read r0:x[0].0 -> e0\n"
                                    "@0 u3.b1 read r0:x[0].1 -> e1\n";
  auto judge = [&](std::string_view line) {
    return small.judge(0, std::string(read) + std::string(line));
  };
  CHECK(judge("@3 u4.a0 abs f32 e0,e1:x[0] -> w0,w1:y[0]") == "accepted");
  CHECK(judge("@3 u4.a0 abs f32 e1,e0:x[0] -> w0,w1:y[0]") ==
        "wrong-operand @3 u4.a0");
  CHECK(judge("@3 u4.a0 abs f32 e0,e2:x[0] -> w0,w1:y[0]") ==
        "missing-operand @3 u4.a0");
}

TEST_CASE("A newer value ends the older one behind it") {
  Small small;
  small.input("x", DType::F32, 1, {bankOf(3, 0)});
  small.input("z", DType::F32, 1, {bankOf(2, 0)});
  small.value("a", DType::F32).value("b", DType::F32);
  // x passes u2 westward in 3, where z is put on the same stream in the same
  // cycle: u2 sees x, u1 sees z.
  auto judge = [&](std::string_view lines) {
    return small.judge(5, "@0 u3.b0 read r0:x[0].0 -> w0\n"
                          "@1 u2.b0 read r0:z[0].0 -> w0\n" +
                              std::string(lines));
  };
  small.builder.addMap("same", {0, 1, 2, 3});
  CHECK(judge("@3 u2.b1 write w0:x[0].0 -> r0\n"
              "@4 u1.s0 map same w0:z[0] -> e0:a[0]") == "accepted");
  CHECK(judge("@3 u2.b1 write w0:x[0].0 -> r0\n"
              "@4 u1.s0 map same w0:x[0] -> e0:a[0]") ==
        "wrong-operand @4 u1.s0");
}

TEST_CASE("Rows that are being written hold nothing") {
  std::string machine =
      edited(toyMachine, "\"write_delay\": 1", "\"write_delay\": 3");
  Small small(machine);
  small.input("x", DType::F32, 1, {bankOf(3, 0)});
  auto judge = [&](int cycle) {
    return small.judge(7, "@0 u3.b0 read r0:x[0].0 -> w0\n"
                          "@3 u2.b0 write w0:x[0].0 -> r0\n@" +
                              std::to_string(cycle) +
                              " u2.b0 read r0:x[0].0 -> w0\n");
  };
  CHECK(judge(3) == "bank-conflict @3 u2.b0");
  CHECK(judge(5) == "undefined-read @5 u2.b0");
  CHECK(judge(6) == "accepted");
}

TEST_CASE("Packets between chips") {
  std::string machine =
      edited(toyMachine, "{\"kind\": \"mxm\"},",
             R"({"kind": "mxm"}, {"kind": "c2c", "links": 2},)");
  machine = edited(machine, "\"chips\": 1",
                   R"("link": {"vector_cycles": 3, "latency": 4, "guard": 1},
                      "chips": 2, "topology": {"kind": "all"})");
  Small small(machine);
  small.input("x", DType::F32, 2, {bankOf(3, 0)});
  // Sent in 4, there in 4 + 3 + 4 + 1.
  auto judge = [&](std::string_view sends, std::string_view receives,
                   int64_t cycles = 0) {
    return small.judge(
        cycles, "@0 u3.b0 read r0+1:x[0+1].0 -> w0 *2/3\n" + std::string(sends),
        std::string(receives) + "\n");
  };
  CHECK(judge("@4 u1.t0 send w0:x[0].0",
              "@12 u1.r0 receive x[0].0 -> e0\n"
              "@14 u3.b0 write e0:x[0].0 -> r0",
              16) == "accepted");
  CHECK(judge("@4 u1.t0 send w0:x[0+1].0 *2/3",
              "@12 u1.r0 receive x[0+1].0 -> e0 *2/3") == "accepted");
  CHECK(judge("@4 u1.t0 send w0:x[0].0", "@11 u1.r0 receive x[0].0 -> e0") ==
        "late-receive @11 u1.r0");
  CHECK(judge("@4 u1.t0 send w0:x[0].0", "@12 u1.r0 receive x[1].0 -> e0") ==
        "wrong-operand @12 u1.r0");
  CHECK(judge("@4 u1.t0 send w0:x[0].0", "").starts_with("lost-value @12"));
  CHECK(judge("@4 u1.t1 send w0:x[0].0", "") == "capacity @4 u1.t1");
  std::string slower =
      edited(machine, "\"vector_cycles\": 3", "\"vector_cycles\": 4");
  Small busy(slower);
  busy.input("x", DType::F32, 2, {bankOf(3, 0)});
  CHECK(busy.judge(0,
                   "@0 u3.b0 read r0+1:x[0+1].0 -> w0 *2/3\n"
                   "@4 u1.t0 send w0:x[0+1].0 *2/3",
                   "@13 u1.r0 receive x[0+1].0 -> e0 *2/3\n") ==
        "link-busy @7 u1.t0");
}

} // namespace tilewright::test
