// The table of parameters has a row for each operator, with its defaults.
#include "frontends/torch/program/Schemas.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "frontends/torch/Call.h"

#include <catch2/catch.hpp>

using namespace tilewright::torch;

TEST_CASE("each operator has its parameters") {
  for (const auto &row : opTable().all()) {
    llvm::StringRef target = row.getKey();
    if (!target.starts_with("aten."))
      continue;
    INFO(target.str());
    CHECK(!parametersOf(target).empty());
  }
}

TEST_CASE("defaults of parameters") {
  auto add = parametersOf("aten.add.Tensor");
  REQUIRE(add.size() == 3);
  CHECK(add[0].name == "self");
  CHECK(!add[0].otherwise);
  CHECK(add[2].name == "alpha");
  CHECK(std::get<int64_t>(add[2].otherwise->value) == 1);
  auto gelu = parametersOf("aten.gelu.default");
  CHECK(std::get<std::string>(gelu[1].otherwise->value) == "none");
  auto norm = parametersOf("aten.layer_norm.default");
  CHECK(norm[4].name == "eps");
  CHECK(std::get<double>(norm[4].otherwise->value) == 1e-5);
  CHECK(std::holds_alternative<std::monostate>(norm[2].otherwise->value));
  auto pool = parametersOf("aten.max_pool2d.default");
  CHECK(std::get<Argument::List>(pool[2].otherwise->value).empty());
  CHECK(std::get<bool>(pool[5].otherwise->value) == false);
  CHECK(parametersOf("aten.no_such.default").empty());
}
