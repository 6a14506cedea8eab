// Inputs and outputs: layouts, and types that the model has and the machine
// does not.
#include "ScheduleBuilder.h"

#include "tilewright/runtime/HalfFloats.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::spatial;
using namespace tilewright::test;

namespace {

/// y = move x.
ScheduleBuilder moved(DType inputType, DType xType, DType yType,
                      DType outputType) {
  ScheduleBuilder builder;
  builder.input("x", xType, 1, "u3.b0")
      .output("y", yType, 1, "u3.b1")
      .lines(std::string("@0 u3.b0 read r0:x[0].0 -> e0\n@3 u4.a0 move ") +
             (isFloat(xType) ? "f32" : "i32") +
             " e0:x[0] -> w0:y[0]\n@5 u3.b1 write w0:y[0].0 -> r0")
      .cycles(7);
  builder.schedule.inputs[0].dtype = inputType;
  builder.schedule.outputs[0].dtype = outputType;
  return builder;
}

using Elements = std::vector<double>;

std::vector<Elements> run(ScheduleBuilder builder, const Elements &x) {
  auto result = builder.run({x});
  CHECK(result.first == "");
  return result.outputs;
}

StatusOr<SimulationResult> simulateOne(const ScheduleBuilder &builder,
                                       const runtime::HostTensor &tensor) {
  const runtime::TensorView views[] = {tensor};
  return simulate(builder.schedule, views);
}

} // namespace

TEST_CASE("a changed type is the only arithmetic on the way") {
  CHECK(run(moved(DType::F32, DType::F16, DType::F16, DType::F32),
            {0.1, 1e6, -2, 65504}) ==
        std::vector<Elements>{
            {static_cast<float>(Float16(0.1F)), INFINITY, -2, 65504}});
  CHECK(run(moved(DType::F16, DType::F32, DType::F32, DType::BF16),
            {1, 1.00390625, 3, -4}) == std::vector<Elements>{{1, 1, 3, -4}});
  CHECK(run(moved(DType::I64, DType::I32, DType::I32, DType::I64),
            {-5, 2147483647, -2147483648.0, 0}) ==
        std::vector<Elements>{{-5, 2147483647, -2147483648.0, 0}});
  CHECK(run(moved(DType::Bool, DType::Bool, DType::Bool, DType::Bool),
            {1, 0, 1, 1}) == std::vector<Elements>{{1, 0, 1, 1}});
  CHECK(run(moved(DType::U8, DType::I32, DType::U8, DType::U8),
            {255, 0, 1, 128}) == std::vector<Elements>{{255, 0, 1, 128}});
}

TEST_CASE("an integer that does not fit is an error") {
  ScheduleBuilder builder =
      moved(DType::I64, DType::I32, DType::I32, DType::I64);
  auto result = simulateOne(
      builder, tensorOf(DType::I64, {1, 4}, {0, 0, 2147483648.0, 0}));
  REQUIRE(!result);
  CHECK(result.status().message() ==
        "input 'x': element 2 is 2147483648, which does not fit i32");
}

TEST_CASE("another type, shape or number of inputs is an error") {
  ScheduleBuilder builder =
      moved(DType::F32, DType::F32, DType::F32, DType::F32);
  auto message = [&](const runtime::HostTensor &tensor) {
    return simulateOne(builder, tensor).status().message();
  };
  CHECK(message(tensorOf(DType::F32, {4}, {0, 0, 0, 0})) ==
        "input 'x': expected f32 [1, 4], found f32 [4]");
  CHECK(message(tensorOf(DType::I32, {1, 4}, {0, 0, 0, 0})) ==
        "input 'x': expected f32 [1, 4], found i32 [1, 4]");
  CHECK(simulate(builder.schedule, {}).status().message() ==
        "expected 1 input, found 0");
}

TEST_CASE("layouts say which element is where; other lanes are 0") {
  ScheduleBuilder builder =
      moved(DType::F32, DType::F32, DType::F32, DType::F32);
  builder.schedule.inputs[0].shape = {2};
  builder.schedule.inputs[0].layout = {1, -1, 0, -1};
  CHECK(run(builder, {7, 8}) == std::vector<Elements>{{8, 0, 7, 0}});
  builder.schedule.outputs[0].shape = {3};
  builder.schedule.outputs[0].layout = {2, 1, 0, -1};
  CHECK(run(builder, {7, 8}) == std::vector<Elements>{{7, 0, 8}});
}
