#include "Samples.h"

#include "tilewright/runtime/HalfFloats.h"
#include <catch2/catch.hpp>

namespace tilewright::test {

using namespace spatial;

namespace {

Sample gathered() {
  ScheduleBuilder builder;
  builder
      .constant("T", DType::F32, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
                "u2.b0")
      .input("i", DType::I32, 1, "u3.b0")
      .output("y", DType::F32, 1, "u3.b1")
      .lines("@0 u3.b0 read r0:i[0].0 -> w0\n"
             "@3 u2.b0 gather r0#3:T[0].0 w0:i[0] -> e1:y[0].0\n"
             "@7 u3.b1 write e1:y[0].0 -> r0")
      .cycles(9);
  return {"gather", builder, {{2, 7, 7, 7}}, {{9, 10, 11, 12}}};
}

Sample mapped() {
  ScheduleBuilder builder;
  builder.input("a", DType::F32, 1, "u2.b0")
      .input("b", DType::F32, 1, "u2.b1")
      .output("y", DType::F32, 1, "u2.b0", 5)
      .map("mix", {5, 0, -1, 3})
      .lines("@0 u2.b0 read r0:a[0].0 -> w0\n"
             "@0 u2.b1 read r0:b[0].0 -> w1\n"
             "@3 u1.s0 map mix w0:a[0] w1:b[0] -> e0:y[0]\n"
             "@5 u2.b0 write e0:y[0].0 -> r5")
      .cycles(7);
  return {"map", builder, {{1, 2, 3, 4}, {5, 6, 7, 8}}, {{6, 1, 0, 4}}};
}

Sample transposed() {
  ScheduleBuilder builder;
  builder.input("a", DType::I32, 2, "u2.b0")
      .output("y", DType::I32, 2, "u2.b1")
      .lines("@0 u2.b0 read r0+1:a[0+1].0 -> w0 *2/1\n"
             "@3 u1.s0 transpose w0:a[0] -> e0:y[0]\n"
             "@6 u2.b1 write e0:y[0+1].0 -> r0+1 *2/1")
      .cycles(9);
  return {"transpose",
          builder,
          {{1, 2, 3, 4, 5, 6, 7, 8}},
          {{1, 5, 3, 7, 2, 6, 4, 8}}};
}

/// Results go to streams of both directions and to ALUs.
Sample chained() {
  ScheduleBuilder builder;
  builder.value("z", DType::F32)
      .input("x", DType::F32, 1, "u3.b0")
      .output("y", DType::F32, 1, "u3.b1")
      .output("q", DType::F32, 1, "u3.b1", 1)
      .lines("@0 u3.b0 read r0:x[0].0 -> e0\n"
             "@3 u4.a0 add f32 e0:x[0] 1 -> w0:y[0] -> e1:y[0]\n"
             "@4 u4.a1 mul f32 a0:y[0] 2 -> a:z[0]\n"
             "@5 u4.a2 divide f32 a1:z[0] 4 -> w1:q[0]\n"
             "@5 u3.b1 write w0:y[0].0 -> r0\n"
             "@9 u3.b1 write w1:q[0].0 -> r1")
      .cycles(11);
  return {
      "ALUs", builder, {{1, -2, 3, 0.5}}, {{2, -1, 4, 1.5}, {1, -.5, 2, .75}}};
}

Sample selected() {
  ScheduleBuilder builder;
  builder.value("c", DType::Bool)
      .input("x", DType::F32, 1, "u3.b0")
      .output("y", DType::F32, 1, "u3.b1")
      .lines("@0 u3.b0 read r0:x[0].0 -> e0 *2/1\n"
             "@3 u4.a0 lt f32 e0:x[0] 0 -> a:c[0]\n"
             "@4 u4.a1 select f32 a0:c[0] 100 e0:x[0] -> w0:y[0]\n"
             "@6 u3.b1 write w0:y[0].0 -> r0")
      .cycles(8);
  return {"select", builder, {{1, -2, 0, -0.5}}, {{1, 100, 0, 100}}};
}

/// Two products in an accumulator; f16 takes two passes.
Sample accumulated() {
  Elements weights;
  for (int i = 0; i < 32; ++i)
    weights.push_back(i * 7 % 11 - 5);
  ScheduleBuilder builder;
  builder.value("p", DType::F32)
      .constant("W", DType::F16, weights, "u2.b0")
      .input("x", DType::F16, 2, "u3.b0")
      .output("y", DType::F32, 1, "u2.b1")
      .lines("@0 u2.b0 read r0+1:W[0+1].0 -> w0 *8/1\n"
             "@4 u0.p1.w load w0:W[0+1] -> buffer 0 row 0+1 *4/1\n"
             "@8 u0.p1.w load w0:W[4+1] -> buffer 1 row 0+1 *4/1\n"
             "@7 u3.b0 read r0+1:x[0+1].0 -> w2 *2/2\n"
             "@12 u0.p1.a mul f16 w2:x[0] buffer 0:W[0] rows 4 -> acc 0:p[0]\n"
             "@14 u0.p1.a mul f16 w2:x[1] buffer 1:W[4] rows 3 + acc 0:p[0] "
             "-> e0:y[0]\n"
             "@20 u2.b1 write e0:y[0].0 -> r0")
      .cycles(22);
  Elements x = {1, .5, -2, 3, 4, -1, .25, 100}, y(4);
  for (size_t c = 0; c < 3; ++c)
    for (size_t k = 0; k < 7; ++k)
      y[c] += x[k] * weights[k * 4 + c];
  return {"accumulators", builder, {x}, {y}};
}

/// Two rows of a buffer in a cycle.
Sample loadedAtOnce() {
  ScheduleBuilder builder;
  builder.constant("W", DType::F32, {1, 2, 3, 4, 5, 6, 7, 8}, "u2.b0")
      .input("x", DType::F32, 1, "u3.b0")
      .output("y", DType::F32, 1, "u3.b1");
  // W[1] lies in the other bank.
  auto &places = builder.schedule.placements;
  places[0].count = 1;
  places.push_back(places[0]);
  places.back().vector = 1;
  places.back().bank.index = 1;
  builder
      .lines("@0 u2.b0 read r0:W[0].0 -> w0\n@0 u2.b1 read r0:W[1].0 -> w1\n"
             "@0 u3.b0 read r0:x[0].0 -> w2\n"
             "@4 u0.p0.w load w0,w1:W[0] -> buffer 1 row 0\n"
             "@5 u0.p0.a mul f32 w2:x[0] buffer 1:W[0] rows 2 -> e0:y[0]\n"
             "@11 u3.b1 write e0:y[0].0 -> r0")
      .cycles(13);
  return {"load", builder, {{10, 1, 0, 0}}, {{15, 26, 37, 0}}};
}

/// bf16 and f16 take two streams of a byte.
Sample planes() {
  ScheduleBuilder builder(
      smallMachine({{"\"stream_bytes\": 4", "\"stream_bytes\": 1"}}));
  builder.input("x", DType::BF16, 1, "u2.b0,u2.b1")
      .output("y", DType::F16, 1, "u3.b0,u3.b1")
      .output("q", DType::I8, 1, "u2.b0", 5)
      .lines("@0 u2.b0 read r0:x[0].0 -> e0\n"
             "@0 u2.b1 read r0:x[0].1 -> e1\n"
             "@4 u4.a0 mul f32 e0,e1:x[0] 0.1 -> w0,w1:y[0]\n"
             "@4 u4.a1 convert f32 e0,e1:x[0] -> w2:q[0]\n"
             "@6 u3.b0 write w0:y[0].0 -> r0\n@6 u3.b1 write w1:y[0].1 -> r0\n"
             "@7 u2.b0 write w2:q[0].0 -> r5")
      .cycles(9);
  Elements x = {1.5, -300, 2, -0.75}, y;
  for (double element : x)
    y.push_back(
        static_cast<float>(Float16(static_cast<float>(element) * 0.1F)));
  return {"planes", builder, {x}, {y, {1, -128, 2, 0}}};
}

Sample integers() {
  Elements weights;
  for (int i = 0; i < 16; ++i)
    weights.push_back(i * 29 % 255 - 127);
  ScheduleBuilder builder(
      smallMachine({{"\"stream_bytes\": 4", "\"stream_bytes\": 1"}}));
  builder.constant("W", DType::I8, weights, "u2.b0")
      .input("x", DType::I8, 1, "u3.b0")
      .output("y", DType::I32, 1, "u2.b0,u2.b1,u3.b0,u3.b1", 8)
      .lines("@0 u2.b0 read r0+1:W[0+1].0 -> w0 *4/1\n"
             "@3 u3.b0 read r0:x[0].0 -> w1\n"
             "@4 u0.p0.w load w0:W[0+1] -> buffer 0 row 0+1 *4/1\n"
             "@8 u0.p0.a mul i8 w1:x[0] buffer 0:W[0] rows 4 -> "
             "e0,e1,e2,e3:y[0]\n"
             "@13 u2.b0 write e0:y[0].0 -> r8\n"
             "@13 u2.b1 write e1:y[0].1 -> r8\n"
             "@14 u3.b0 write e2:y[0].2 -> r8\n"
             "@14 u3.b1 write e3:y[0].3 -> r8")
      .cycles(16);
  Elements x = {-128, 127, 5, -1}, y(4);
  for (size_t c = 0; c < 3; ++c)
    for (size_t k = 0; k < 4; ++k)
      y[c] += x[k] * weights[k * 4 + c];
  return {"i8", builder, {x}, {y}};
}

/// x lies on chip 0, y on chip 1.
Sample sent() {
  ScheduleBuilder builder(smallMachine(), 2);
  builder.input("x", DType::F32, 1, "u3.b0")
      .output("y", DType::F32, 1, "u3.b0", 0, 1)
      .lines("@0 u3.b0 read r0:x[0].0 -> e0\n@4 u5.t0 send e0:x[0].0")
      .lines("@12 u5.r1 receive x[0].0 -> w0\n"
             "@13 u4.a0 add f32 w0:x[0] 1 -> w1:y[0]\n"
             "@15 u3.b0 write w1:y[0].0 -> r0",
             1)
      .cycles(17);
  return {"links", builder, {{1, 2, 3, 4}}, {{2, 3, 4, 5}}};
}

} // namespace

std::vector<Sample> samples() {
  return {gathered(),    mapped(),       transposed(), chained(),  selected(),
          accumulated(), loadedAtOnce(), planes(),     integers(), sent()};
}

Sample sample(const std::string &name) {
  for (Sample &sample : samples())
    if (sample.name == name)
      return sample;
  FAIL("no sample is called " << name);
  return samples()[0];
}

} // namespace tilewright::test
