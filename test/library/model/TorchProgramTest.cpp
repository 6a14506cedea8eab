// A program of PyTorch as data, as torch.compile makes one, becomes a package.
#include "tilewright/compiler/TorchProgram.h"
#include "tilewright/compiler/CompileModel.h"
#include "tilewright/compiler/TorchOperators.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include "tilewright/runtime/Model.h"

#include <catch2/catch.hpp>

using namespace tilewright;
using torch::Expression;

static Expression size(int64_t value) {
  Expression result;
  result.integer = value;
  return result;
}
static Expression symbol(const std::string &name) {
  Expression result;
  result.kind = Expression::Kind::Symbol;
  result.name = name;
  return result;
}

/// y = target(x, x) for x: f32[n, 2].
static ModelSource twice(const std::string &target) {
  auto program = std::make_shared<torch::Program>();
  for (const char *name : {"x", "y"})
    program->graph.tensors[name] = {torch::DType::Float32,
                                    {symbol("n"), size(2)},
                                    {size(2), size(1)},
                                    size(0)};
  const torch::Argument x{torch::TensorName{"x"}}, y{torch::TensorName{"y"}};
  program->graph.inputs = {x};
  program->graph.outputs = {y};
  program->graph.nodes = {{"y",
                           target,
                           {{"self", x}, {"other", x}},
                           {y},
                           {"model.py", "y = x + x", 7}}};
  program->inputs = {{torch::InputSpec::Kind::User, "x", ""}};
  program->outputs = {{torch::OutputSpec::Kind::User, y, ""}};
  return ModelSource::program("graph.pt2", program);
}

TEST_CASE("a program of PyTorch compiles without a file") {
  auto compiled = compileModelInMemory(twice("aten.add.Tensor"), {});
  INFO(compiled.status().message());
  REQUIRE(compiled.ok());
  CHECK(compiled->report.nodes == 1);
  auto device = runtime::openDevice("cpu");
  REQUIRE(device.ok());
  auto model = runtime::Model::load(*device, compiled->package);
  REQUIRE(model.ok());
  auto session = (*model)->createSession();
  REQUIRE(session.ok());
  for (int64_t n : {1, 3}) {
    const std::vector<float> values(size_t(2 * n), float(n));
    const runtime::Shape shape{n, 2};
    REQUIRE((*session)
                ->setInput("x", {runtime::DType::F32, shape,
                                 std::as_bytes(std::span(values))})
                .ok());
    REQUIRE((*session)->run().ok());
    auto y = (*session)->output("y");
    REQUIRE(y.ok());
    const auto *found = reinterpret_cast<const float *>(y->data());
    for (int64_t i = 0; i < 2 * n; ++i)
      CHECK(found[i] == float(2 * n));
  }
}

TEST_CASE("an operator that is not supported has its line in the program") {
  auto compiled = compileModelInMemory(twice("aten.nothing.Tensor"), {});
  REQUIRE(!compiled.ok());
  CHECK(compiled.status().message() ==
        "graph.pt2: 1 operator is not supported:\n"
        "  aten.nothing.Tensor  model.py:7: y = x + x");
  CHECK(torch::supportsOperator("aten.add.Tensor"));
  CHECK(torch::supportsOperator("aten.add_.Tensor"));
  CHECK(!torch::supportsOperator("aten.nothing.Tensor"));
}
