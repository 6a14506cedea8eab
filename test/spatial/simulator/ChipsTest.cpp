// Links between chips, and several repetitions in flight.
#include "ScheduleBuilder.h"

#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::spatial;
using namespace tilewright::test;

namespace {

/// y = x + 1: x lies on chip 0, y on chip 1.
ScheduleBuilder
twoChips(const std::string &sends = "@4 u5.t0 send e0:x[0].0",
         const std::string &receive = "@12 u5.r1 receive x[0].0 -> w0") {
  ScheduleBuilder builder(smallMachine(), 2);
  builder.input("x", DType::F32, 1, "u3.b0")
      .output("y", DType::F32, 1, "u3.b0", 0, 1)
      .lines("@0 u3.b0 read r0:x[0].0 -> e0 *3/1\n" + sends)
      .lines(receive + "\n@13 u4.a0 add f32 w0:x[0] 1 -> w1:y[0]\n"
                       "@15 u3.b0 write w1:y[0].0 -> r0",
             1)
      .cycles(17);
  return builder;
}

std::string first(ScheduleBuilder builder) {
  return builder.run({{1, 2, 3, 4}}).first;
}

} // namespace

TEST_CASE("a packet arrives in the cycle of its receive") {
  ScheduleBuilder builder = twoChips();
  auto run = builder.run({{1, 2, 3, 4}});
  CHECK(run.first == "");
  CHECK(run.cycles == 17);
  CHECK(run.outputs == std::vector<std::vector<double>>{{2, 3, 4, 5}});
}

TEST_CASE("links are used one packet at a time, and lose none") {
  const std::string send = "@4 u5.t0 send e0:x[0].0",
                    receive = "@12 u5.r1 receive x[0].0 -> w0";
  CHECK(first(twoChips(send, "@11 u5.r1 receive x[0].0 -> w0")) ==
        "late-receive 11");
  CHECK(first(twoChips(send, "@13 u5.r1 receive x[0].0 -> w0")) ==
        "lost-value 12");
  CHECK(first(twoChips(send, "")) == "lost-value 12");
  CHECK(first(twoChips(send, "@12 u5.r1 receive y[0].0 -> w0")) ==
        "wrong-operand 12");
  CHECK(first(twoChips(send, "@12 u5.r0 receive x[0].0 -> w0")) ==
        "late-receive 12");
  CHECK(first(twoChips(send + "\n@6 u5.t0 send e0:x[0].0", receive)) ==
        "link-busy 6");
  // The other link is free, but nobody receives there.
  CHECK(first(twoChips(send + "\n@5 u5.t1 send e0:x[0].0", receive)) ==
        "lost-value 13");
  CHECK(first(twoChips(send + "\n" + send, receive)) == "unit-busy 4");
}

TEST_CASE("a lost packet is found where it arrives") {
  auto run = twoChips("@4 u5.t0 send e0:x[0].0", "").run({{1, 2, 3, 4}});
  REQUIRE(!run.findings.empty());
  CHECK(run.findings[0].chip == 1);
  CHECK(run.findings[0].queue == "u5.r1");
  CHECK(run.findings[0].file == "chip-0.txt");
  CHECK(run.findings[0].line == 2);
}

TEST_CASE("a schedule of one chip sends to no other") {
  ScheduleBuilder builder;
  builder.input("x", DType::F32, 1, "u3.b0")
      .lines("@0 u3.b0 read r0:x[0].0 -> e0\n@4 u5.t0 send e0:x[0].0")
      .cycles(0);
  CHECK(first(builder) == "capacity 4");
}

//===----------------------------------------------------------------------===//
// Several repetitions in flight
//===----------------------------------------------------------------------===//

TEST_CASE("repetitions have names of their own and share constants") {
  auto build = [](int64_t interval) {
    ScheduleBuilder builder;
    builder.constant("c", DType::F32, {10, 20, 30, 40}, "u2.b0")
        .input("x", DType::F32, 1, "u3.b0")
        .output("y", DType::F32, 1, "u3.b1")
        .lines("@1 u3.b0 read r0:x[0].0 -> e0\n"
               "@0 u2.b0 read r0:c[0].0 -> e1\n"
               "@4 u4.a0 add f32 e0:x[0] e1:c[0] -> w0:y[0]\n"
               "@6 u3.b1 write w0:y[0].0 -> r0")
        .cycles(8)
        .interval(interval);
    return builder;
  };
  for (int64_t interval : {2, 3, 7, 8, 9}) {
    INFO(interval);
    auto run = build(interval).run({{1, 2, 3, 4}});
    CHECK(run.first == "");
    CHECK(run.cycles == 8);
    CHECK(run.outputs == std::vector<std::vector<double>>{{11, 22, 33, 44}});
  }
  // y of a repetition is written over before it is taken; x before it is read.
  CHECK(build(1).run({{1, 2, 3, 4}}).first == "wrong-operand 1");
  // A wrong length alone is no reason to repeat lines.
  CHECK(build(1).cycles(1).run({{1, 2, 3, 4}}).first == "wrong-length -1");
  CHECK(build(2).cycles(9).run({{1, 2, 3, 4}}).first == "wrong-length -1");
}

TEST_CASE("units are shared by all repetitions") {
  ScheduleBuilder builder;
  builder.input("x", DType::F32, 1, "u3.b0")
      .value("z", DType::F32, 4)
      .output("y", DType::F32, 1, "u3.b1")
      .lines("@0 u3.b0 read r0:x[0].0 -> e0\n"
             "@3 u4.a0 add f32 1 2 -> a:z[0+1] *4/2\n"
             "@3 u4.a1 add f32 e0:x[0] 2 -> w0:y[0]\n"
             "@5 u3.b1 write w0:y[0].0 -> r0")
      .cycles(7);
  CHECK(builder.interval(5).run({{1, 2, 3, 4}}).first == "");
  CHECK(builder.interval(4).run({{1, 2, 3, 4}}).first == "unit-busy 7");
}

TEST_CASE("more repetitions than can be run are an error") {
  ScheduleBuilder builder;
  builder.output("y", DType::F32, 1, "u3.b1")
      .lines("@999990 u4.a0 move f32 1 -> w0:y[0]\n"
             "@999992 u3.b1 write w0:y[0].0 -> r0")
      .cycles(999994);
  CHECK(builder.run().first == "");
  builder.interval(7);
  auto result = simulate(builder.schedule, {});
  REQUIRE(!result);
  CHECK(result.status().message() ==
        "an interval of 7 and a length of 999994 make 142858 repetitions, the "
        "simulator runs at most 65536");
}
