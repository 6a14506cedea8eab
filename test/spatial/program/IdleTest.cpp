// Why queues idle, counted by hand.
#include "spatial/program/Idle.h"
#include "test/spatial/program/ExampleSchedule.h"

using namespace tilewright;
using namespace tilewright::spatial;
using namespace tilewright::spatial::test;

/// By queue: "dependence 1, end 15".
static std::map<std::string, std::string> reasons(const Schedule &schedule) {
  std::map<std::string, std::string> texts;
  auto queues = idleUse(schedule, 0);
  REQUIRE(queues.ok());
  for (const QueueIdle &queue : *queues) {
    std::string &text = texts[printQueue(queue.queue)];
    for (size_t i = 0; i < idleReasons; ++i)
      if (queue.cycles[i])
        text += (text.empty() ? "" : ", ") +
                std::string(idleReasonName(IdleReason(i))) + " " +
                std::to_string(queue.cycles[i]);
  }
  return texts;
}

TEST_CASE("the schedule by hand waits for operands alone") {
  auto texts = reasons(relu());
  CHECK(texts.size() == 7);
  CHECK(texts["u2.b0"] == "end 15");
  CHECK(texts["u0.p0.w"] == "dependence 4, end 11");
  // The last weights count from 6 on, and x flows on through mul and max.
  CHECK(texts["u3.b0"] == "dependence 1, end 15");
  CHECK(texts["u0.p0.a"] == "dependence 6, end 10");
  CHECK(texts["u4.a0"] == "dependence 13, end 3");
  CHECK(texts["u3.b1"] == "dependence 15, end 1");
}

/// x through an ALU to memory, three cycles later than it could be.
static std::string late(const std::string &others = "") {
  return others + "@3 u3.b0 read r0:x[0].0 -> e0\n"
                  "@6 u4.a0 max f32 e0:x[0] 0 -> w0:y[0]\n"
                  "@8 u3.b1 write w0:y[0].0 -> r0\n";
}

TEST_CASE("what is late for no reason says so") {
  auto texts = reasons(with(late(), 10));
  CHECK(texts["u3.b0"] == "none 3, end 6");
  // The cycles before 3 are too few for the read.
  CHECK(texts["u4.a0"] == "dependence 3, none 3, end 3");
  CHECK(texts["u3.b1"] == "dependence 5, none 3, end 1");
}

TEST_CASE("a unit, a bank or a stream is in use") {
  // Two cycles earlier, the ALU works on this.
  auto texts = reasons(with(late("@1 u3.b0 read r0:x[0].0 -> e1\n"
                                 "@4 u4.a0 move f32 e1:x[0] -> w3:h[0]\n"),
                            10));
  CHECK(texts["u3.b1"] == "dependence 5, unit 1, none 2, end 1");
  CHECK(texts["u3.b0"] == "none 2, end 6");
  // With another ALU it is the bank.
  texts = reasons(with(late("@1 u3.b0 read r0:x[0].0 -> e1\n"
                            "@4 u4.a1 move f32 e1:x[0] -> w3:h[0]\n"),
                       10));
  CHECK(texts["u3.b1"] == "dependence 5, bank 1, none 2, end 1");
  // One cycle earlier, this passes u3 on the stream; if nothing takes it
  // there, it may end.
  texts = reasons(with(late("@1 u2.b0 read r0:wt[0].0 -> e0\n"
                            "@5 u4.a1 move f32 e0:wt[0] -> w3:h[0]\n"),
                       10));
  CHECK(texts["u3.b0"] == "stream 1, none 2, end 6");
  texts = reasons(with(late("@1 u2.b0 read r0:wt[0].0 -> e0\n"), 10));
  CHECK(texts["u3.b0"] == "none 3, end 6");
}

TEST_CASE("a row is written, or still read, before") {
  // x[0] is readable from 2 on.
  auto texts = reasons(with(late("@1 u3.b0 write e1:x[0].0 -> r0\n"), 10));
  CHECK(texts["u3.b0"] == "none 2, end 6");
  CHECK(texts["u4.a0"] == "dependence 5, none 1, end 3");
  // Row 0 of the other bank is read in 6: the write may come from 7 on.
  texts = reasons(with(late("@6 u3.b1 read r0:h[0].0 -> e5\n"), 10));
  CHECK(texts["u4.a0"] == "dependence 3, bank 2, none 1, end 3");
}

TEST_CASE("a load waits for the products with what was there") {
  // The reads could be at 0: at u0 in 4. But until 6 the buffer is in use.
  auto texts = reasons(with("@6 u0.p0.a mul f32 w5:x[0] buffer 0:wt[0] rows 4 "
                            "-> acc 0:h[0]\n"
                            "@6 u2.b0 read r0:wt[0].0 -> w0\n"
                            "@10 u0.p0.w load w0:wt[0] -> buffer 0 row 0\n",
                            12));
  CHECK(texts["u0.p0.w"] == "dependence 4, unit 3, none 3, end 1");
  CHECK(texts["u2.b0"] == "unit 3, none 3, end 5");
}

TEST_CASE("a newer value ends an older one on its stream") {
  // The ALU takes what is put at u3, not what came from u2. That has no taker,
  // and could come in 0.
  auto texts = reasons(with("@1 u2.b0 read r0:wt[0].0 -> e0\n"
                            "@1 u3.b0 write e1:x[0].0 -> r0\n"
                            "@2 u3.b0 read r0:x[0].0 -> e0\n"
                            "@5 u4.a0 max f32 e0:x[0] 0 -> w0:y[0]\n",
                            10));
  CHECK(texts["u2.b0"] == "none 1, end 8");
}
