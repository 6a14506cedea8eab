// What makes each finding, and in which cycle: one line more, or another one,
// in a schedule that is right.
#include "ScheduleBuilder.h"

#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::spatial;
using namespace tilewright::test;

namespace {

/// y = (x + 1) W and s = x + 1 by way of u4 and u0.
constexpr const char *goodLines =
    "@0 u3.b0 read r0:x[0].0 -> e0\n"
    "@3 u4.a0 add f32 e0:x[0] 1 -> w0:s[0]\n"
    "@5 u3.b1 write w0:s[0].0 -> r0\n"
    "@0 u2.b0 read r0+1:W[0+1].0 -> w1 *4/1\n"
    "@4 u0.p0.w load w1:W[0+1] -> buffer 0 row 0+1 *4/1\n"
    "@8 u0.p0.a mul f32 w0:s[0] buffer 0:W[0] rows 4 -> acc 0:p[0]\n"
    "@9 u0.p0.a mul f32 w0:s[0] buffer 0:W[0] rows 4 + acc 0:p[0] -> "
    "e0:y[0]\n"
    "@15 u3.b0 write e0:y[0].0 -> r1\n";

/// s comes to u0 in 8 (put at u4 in 4) and again in 9.
ScheduleBuilder base(const Machine &machine = smallMachine()) {
  ScheduleBuilder builder(machine);
  builder
      .constant("W", DType::F32,
                {1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0, 1, 1, 1, 0}, "u2.b0")
      .input("x", DType::F32, 1, "u3.b0")
      .value("p", DType::F32)
      .value("t", DType::F32, 4)
      .value("h", DType::F16)
      .value("n", DType::I32)
      .output("s", DType::F32, 1, "u3.b1")
      .output("y", DType::F32, 1, "u3.b0", 1)
      .map("swap", {1, 0, 3, 2})
      .lines("@1 u3.b0 read r0:x[0].0 -> e0\n@4 u4.a0 add f32 e0:x[0] 1 -> "
             "w0:s[0]")
      .cycles(17);
  return builder;
}

std::string withLines(const std::string &text,
                      const Machine &machine = smallMachine()) {
  return base(machine).lines(text).run({{1, 2, 3, 4}}).first;
}
/// Another line in place of `from`.
std::string replaced(const std::string &from, const std::string &to) {
  std::string text = goodLines;
  size_t found = text.find(from);
  REQUIRE(found != std::string::npos);
  return withLines(text.replace(found, from.size(), to));
}
std::string added(const std::string &line) {
  return withLines(goodLines + line);
}

} // namespace

TEST_CASE("the schedule that findings are made of is right") {
  auto run = base().lines(goodLines).run({{1, 2, 3, 4}});
  for (const Finding &finding : run.findings)
    UNSCOPED_INFO(printFinding(finding));
  CHECK(run.first == "");
  CHECK(run.cycles == 17);
  // (2, 3, 4, 5) W, twice.
  CHECK(run.outputs ==
        std::vector<std::vector<double>>{{2, 3, 4, 5}, {94, 112, 130, 0}});
}

TEST_CASE("missing-operand: when the operand is taken") {
  CHECK(added("@5 u4.a1 add f32 e0:x[0] 1 -> a:t[0]") == "missing-operand 5");
  // The result of an ALU is there in one cycle only.
  CHECK(added("@4 u4.a1 add f32 a0:s[0] 1 -> a:t[0]") == "");
  CHECK(added("@6 u4.a1 add f32 a0:s[0] 1 -> a:t[0]") == "missing-operand 6");
  CHECK(added("@4 u4.a1 add f32 a2:s[0] 1 -> a:t[0]") == "missing-operand 4");
  // The second operand of a transposition: t + 1.
  CHECK(added("@5 u1.s0 transpose w1:W[2] -> e7:t[0]") == "");
  CHECK(added("@3 u4.a1 add f32 e0:x[0] 2 -> w7:t[0]\n"
              "@7 u1.s0 transpose w7:t[0] -> e7:t[2]") == "missing-operand 8");
}

TEST_CASE("wrong-operand: another name is there") {
  CHECK(replaced("@5 u3.b1 write w0:s[0].0", "@5 u3.b1 write w0:t[0].0") ==
        "wrong-operand 5");
  CHECK(replaced("read r0:x[0].0", "read r0:t[0].0") == "wrong-operand 0");
  CHECK(replaced("+ acc 0:p[0]", "+ acc 0:t[0]") == "wrong-operand 12");
  CHECK(replaced("buffer 0:W[0] rows 4 -> acc",
                 "buffer 0:W[1] rows 3 -> acc") == "wrong-operand 8");
  CHECK(added("@4 u4.a1 add f32 a0:t[0] 1 -> a:t[1]") == "wrong-operand 4");
}

TEST_CASE("wrong-operand: a name is made in a second way") {
  auto second = [](const std::string &line) {
    return added("@3 u4.a1 add f32 e0:x[0] 2 -> a:t[0]\n" + line);
  };
  CHECK(second("@4 u4.a1 add f32 e0:x[0] 2 -> a:t[0]") == "");
  CHECK(second("@4 u4.a2 add f32 e0:x[0] 2 -> e7:t[0]") == "");
  CHECK(second("@4 u4.a1 add f32 e0:x[0] 3 -> a:t[0]") == "wrong-operand 4");
  CHECK(second("@4 u4.a1 sub f32 e0:x[0] 2 -> a:t[0]") == "wrong-operand 4");
  CHECK(second("@4 u4.a1 add f32 2 e0:x[0] -> a:t[0]") == "wrong-operand 4");
  CHECK(second("@4 u4.a1 add f32 a0:s[0] 2 -> a:t[0]") == "wrong-operand 4");
  // Other rows, another accumulator's name, a lane map.
  CHECK(replaced("rows 4 + acc 0:p[0] -> e0:y[0]",
                 "rows 4 -> acc 0:p[0]\n@10 u0.p0.a mul f32 w0:s[0] buffer "
                 "0:W[0] rows 3 -> acc 0:p[0]") == "wrong-operand 10");
  // Inputs and constants are not made.
  CHECK(added("@4 u4.a1 add f32 e0:x[0] 2 -> a:x[0]") == "wrong-operand 4");
  CHECK(added("@4 u4.a1 add f32 e0:x[0] 2 -> a:W[1]") == "wrong-operand 4");
}

TEST_CASE("wrong-operand: maps are compared by content") {
  auto maps = [](std::vector<int32_t> lanes) {
    ScheduleBuilder builder = base();
    return builder.map("other", std::move(lanes))
        .lines(goodLines)
        .lines("@3 u1.s0 map swap w1:W[0] -> w7:t[0]\n"
               "@3 u1.s1 map other w1:W[0] -> w6:t[0]\n")
        .run({{1, 2, 3, 4}})
        .first;
  };
  CHECK(maps({1, 0, 3, 2}) == "");
  CHECK(maps({1, 0, 3, -1}) == "wrong-operand 3");
}

TEST_CASE("undefined-read: never written, or not yet readable") {
  CHECK(replaced("read r0:x[0].0", "read r7:x[0].0") == "undefined-read 0");
  CHECK(replaced("buffer 0:W[0] rows 4 -> acc",
                 "buffer 1:W[0] rows 4 -> acc") == "undefined-read 8");
  CHECK(replaced("+ acc 0:p[0]", "+ acc 1:p[0]") == "undefined-read 12");
  // Rows are loaded in 4 to 7, and count from the next cycle on.
  CHECK(replaced("-> buffer 0 row 0+1 *4/1", "-> buffer 0 row 0+1 *3/1") ==
        "undefined-read 8");
  CHECK(added("@6 u3.b1 read r0:s[0].0 -> e7") == "");
  Machine slow = smallMachine({{"\"write_delay\": 1", "\"write_delay\": 3"}});
  ScheduleBuilder builder = base(slow).cycles(19);
  CHECK(builder.lines(goodLines).run({{1, 2, 3, 4}}).first == "");
  builder.lines("@8 u3.b1 read r0:s[0].0 -> e7");
  CHECK(builder.run({{1, 2, 3, 4}}).first == "");
  builder.lines("@7 u3.b1 read r0:s[0].0 -> e6");
  CHECK(builder.run({{1, 2, 3, 4}}).first == "undefined-read 7");
}

TEST_CASE("unit-busy: queues, planes and ports") {
  CHECK(added("@3 u4.a0 add f32 e0:x[0] 1 -> e7:s[0]") == "unit-busy 3");
  // A load into the buffer that a mul uses; the other buffer is free.
  CHECK(added("@6 u2.b1 read r0:W[0].0 -> w1") == "undefined-read 6");
  CHECK(replaced("@4 u0.p0.w load w1:W[0+1] -> buffer 0 row 0+1 *4/1",
                 "@4 u0.p0.w load w1:W[0+1] -> buffer 0 row 0+1 *4/1\n"
                 "@8 u0.p0.w load w0:s[0] -> buffer 0 row 0") == "unit-busy 8");
  CHECK(added("@8 u0.p0.w load w0:s[0] -> buffer 1 row 0") == "");
  CHECK(added("@4 u1.s0 transpose w1:W[1] -> e7:t[0]\n"
              "@5 u1.s0 map swap w1:W[2] -> w7:t[3]") == "unit-busy 5");
  CHECK(added("@4 u1.s0 transpose w1:W[1] -> e7:t[0]\n"
              "@6 u1.s0 map swap w1:W[3] -> w7:t[3]") == "");
}

TEST_CASE("bank-conflict and stream-collision") {
  CHECK(added("@0 u3.b0 read r0:x[0].0 -> e6") == "bank-conflict 0");
  CHECK(added("@5 u3.b1 read r0:s[0].0 -> e6") == "bank-conflict 5");
  // Both are put on w0 at u4 in 4.
  CHECK(added("@3 u4.a1 add f32 e0:x[0] 1 -> w0:s[0]") == "stream-collision 4");
  // A newer value at a position on the way: units there see the old one.
  CHECK(added("@4 u3.b1 read r5:s[0].0 -> w0") == "undefined-read 4");
  CHECK(added("@3 u2.b1 read r5:s[0].0 -> w0") == "undefined-read 3");
}

TEST_CASE("a newer value ends an older one beyond its position") {
  // t[0] is put on w0 at u3 in 6, where s of cycle 5 passes.
  ScheduleBuilder builder = base();
  builder.lines(goodLines).lines("@3 u4.a1 add f32 e0:x[0] 7 -> w7:t[0]\n"
                                 "@5 u3.b0 write w7:t[0].0 -> r9\n"
                                 "@6 u3.b0 read r9:t[0].0 -> w2\n");
  CHECK(builder.run({{1, 2, 3, 4}}).first == "");
  // Read in 6, put at u3 in 8, on the diagonal of what is put at u4 in 7.
  builder.lines("@5 u4.a3 move f32 1 -> a:t[1]\n"
                "@6 u4.a3 move f32 a3:t[1] -> w2:t[2]\n"
                "@8 u3.b1 write w2:t[2].0 -> r9\n");
  CHECK(builder.run({{1, 2, 3, 4}}).first == "");
  builder.lines("@9 u2.b1 write w2:t[0].0 -> r9\n");
  CHECK(builder.run({{1, 2, 3, 4}}).first == "");
  builder.lines("@10 u1.s0 map swap w2:t[2] -> e7:t[3]\n");
  CHECK(builder.run({{1, 2, 3, 4}}).first == "wrong-operand 10");
}

TEST_CASE("lost-value: a row of an output holds another name") {
  CHECK(replaced("-> r1\n", "-> r2\n") == "lost-value -1");
  CHECK(added("@15 u3.b1 write e0:y[0].0 -> r0") == "lost-value -1");
}

TEST_CASE("capacity: numbers that the machine does not have") {
  for (const char *line :
       {"@2 u9.b0 read r0:x[0].0 -> e7", "@2 u0.b0 read r0:x[0].0 -> e7",
        "@2 u3.b2 read r0:x[0].0 -> e7", "@2 u3.b1 read r64:x[0].0 -> e7",
        "@2 u3.b1 read r0:x[0].0 -> e8", "@2 u3.b1 read r0:x[0].0 -> w99",
        "@2 u4.a4 move f32 1 -> a:t[0]", "@2 u4.a1 move f32 a9:x[0] -> a:t[0]",
        "@2 u1.s2 map swap e0:x[0] -> e7:t[0]",
        "@2 u0.p2.a mul f32 e0:x[0] buffer 0:W[0] rows 1 -> acc 0:t[0]",
        "@2 u0.p1.a mul f32 e0:x[0] buffer 2:W[0] rows 1 -> acc 0:t[0]",
        "@2 u0.p1.a mul f32 e0:x[0] buffer 0:W[0] rows 1 -> acc 8:t[0]",
        "@2 u0.p1.w load w0:x[0] -> buffer 0 row 4",
        "@2 u0.p1.w load w0,w1:W[0] -> buffer 0 row 3",
        "@2 u5.t2 send e0:x[0].0", "@2 u5.t0 send e0:x[0].0",
        "@2 u3.b1 gather r62#3:W[0].0 e0:n[0] -> e7:t[0].0"}) {
    INFO(line);
    CHECK(added(line) == "capacity 2");
  }
  // Each repetition by itself.
  CHECK(added("@6 u3.b1 read r0-1:s[0].0 -> e7 *2/3") == "capacity 9");
  CHECK(withLines("@2 u0.p1.w load w0,w1,w2:W[0] -> buffer 0 row 0",
                  smallMachine({{"\"load_streams\": 4",
                                 "\"load_streams\": 2"}})) == "capacity 2");
  CHECK(withLines("@2 u0.p1.a mul f32 e0:x[0] buffer 0:W[0] rows 1 -> acc "
                  "0:t[0]",
                  smallMachine({{"\"f32\": 1, ", ""}})) == "capacity 2");
  // What cannot run is left out of all else: no second access, no name.
  CHECK(added("@16 u3.b0 read r99:x[0].0 -> e7\n"
              "@16 u3.b0 read r98:x[0].0 -> e7") == "capacity 16");
}

TEST_CASE("capacity: places that the machine does not have") {
  auto places = [](auto edit) {
    ScheduleBuilder builder = base();
    builder.lines(goodLines);
    edit(builder.schedule.placements);
    auto run = builder.run({{1, 2, 3, 4}});
    bool isFound = false;
    for (const Finding &finding : run.findings)
      isFound |= finding.code == FindingCode::capacity && finding.cycle == -1;
    return isFound;
  };
  using Places = std::vector<Placement>;
  CHECK(places([](Places &all) { all[0].row = 62; }));
  CHECK(places([](Places &all) { all[1].chip = 1; }));
  CHECK(places([](Places &all) { all[1].bank.position = 4; }));
  CHECK(places([](Places &all) { all[2].bank.index = 2; }));
  CHECK(places([](Places &all) { all[2].row = -1; }));
}

TEST_CASE("the run ends after so many findings, the first of all stays") {
  ScheduleBuilder builder = base();
  builder.lines(goodLines)
      .lines("@7 u3.b1 read r9:s[0].0 -> e7 *50/1")
      .lines("@6 u3.b1 read r9:s[0].0 -> e7");
  auto all = builder.run({{1, 2, 3, 4}}, 100);
  CHECK(all.findings.size() >= 51);
  auto few = builder.run({{1, 2, 3, 4}}, 3);
  CHECK(few.findings.size() == 3);
  CHECK(few.first == "undefined-read 6");
  for (size_t i = 1; i < all.findings.size(); ++i)
    CHECK((all.findings[i - 1].cycle <= all.findings[i].cycle ||
           all.findings[i].cycle == -1));
}
