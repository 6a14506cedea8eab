// Programs: conditions on sizes, what is not supported, lines of the source.
#include "test/frontends/torch/Archives.h"

#include "frontends/torch/TorchFrontend.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::torch::test;

namespace {

/// The module of an archive as text.
std::string moduleOf(const std::string &name) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto source = ModelSource::file(archivePath(name));
  REQUIRE(source.ok());
  auto imported = torch::createFrontend()->import(context, *source, {});
  INFO(imported.status().message());
  REQUIRE(imported.ok());
  std::string text;
  llvm::raw_string_ostream out(text);
  imported->module->print(out, mlir::OpPrintingFlags().enableDebugInfo());
  return text;
}

bool has(const std::string &text, const std::string &part) {
  INFO(part);
  return text.find(part) != std::string::npos;
}

std::string changedModel(const std::string &name, const std::string &from,
                         const std::string &to) {
  Entries entries = readEntries(archivePath(name));
  std::string &json = entries["models/model.json"];
  size_t at = 0, count = 0;
  for (; (at = json.find(from, at)) != std::string::npos; at += to.size()) {
    json.replace(at, from.size(), to);
    ++count;
  }
  REQUIRE(count > 0);
  return importError(writeArchive(entries));
}

} // namespace

TEST_CASE("guards and ranges become checks") {
  const std::string text = moduleOf("guards.training");
  for (const char *message :
       {"the program was exported for (x.size(0) % 3) == 0",
        "the program was exported for y.size(0) != (2*x.size(0))",
        "the program was exported for (x.size(0) // 2) < 7",
        "the program was exported for x.size(0) of at least 5",
        "the program was exported for x.size(0) of at most 13"})
    CHECK(has(text, message));
  const std::string mlp = moduleOf("mlp.training");
  CHECK(has(mlp, "x.size(0) of at most 100"));
  // A size is at least 0 anyway.
  CHECK(!has(mlp, "of at least 0"));
}

TEST_CASE("inputs and outputs have the names of the signature") {
  const std::string text = moduleOf("mlp.training");
  CHECK(has(text, "graph.name = \"x\""));
  CHECK(has(text, "graph.name = \"view\""));
  CHECK(has(text, "graph.dims = [\"s"));
}

TEST_CASE("no folder of the exporting machine is in a module") {
  for (const char *name : {"mlp.training", "cnn.aten", "writes.training"}) {
    const std::string text = moduleOf(name);
    CHECK(!has(text, "site-packages"));
    CHECK(!has(text, "torch/nn"));
  }
}

TEST_CASE("all operators that are not supported, with their lines") {
  CHECK(
      changedModel("mlp.training", "aten.relu.default", "aten.no_such.default")
          .starts_with("m.pt2: 1 operator is not supported:\n  "
                       "aten.no_such.default  torch-archives:"));
  Entries entries = readEntries(archivePath("mlp.training"));
  std::string &json = entries["models/model.json"];
  json = replaced(json, "aten.relu.default", "aten.one.default");
  json = replaced(json, "aten.cat.default", "my.two.default");
  const std::string error = importError(writeArchive(entries));
  CHECK(error.starts_with("m.pt2: 2 operators are not supported:\n  "
                          "aten.one.default  torch-archives:"));
  CHECK(has(error, "\n  my.two.default  torch-archives:"));
  CHECK(has(error, "self.b(torch.relu(self.a(x)))"));
}

TEST_CASE("an error at a node has its line") {
  const std::string error = changedModel(
      "mlp.training", "\"name\": \"tensors\"", "\"name\": \"things\"");
  CHECK(error.starts_with("m.pt2: node 'cat' (aten.cat.default): argument "
                          "'tensors': expected a list\n  torch-archives:"));
}

TEST_CASE("a new value of a buffer that is not there") {
  Entries entries = readEntries(archivePath("mlp.training"));
  std::string &json = entries["models/model.json"];
  json = replaced(json,
                  "{\"user_output\": {\"arg\": {\"as_tensor\": {\"name\": "
                  "\"view\"}}}}",
                  "{\"buffer_mutation\": {\"arg\": {\"name\": \"view\"}, "
                  "\"buffer_name\": \"d\"}}");
  CHECK(importError(writeArchive(entries)) ==
        "m.pt2: the program writes to its buffer 'd', which it does not have");
}

TEST_CASE("sizes that follow from elements are not supported") {
  CHECK(has(changedModel("mlp.training",
                         "Mul(Integer(2), Symbol('s77', positive=True, "
                         "integer=True))",
                         "Mul(Integer(2), Symbol('u0', integer=True))"),
            "the size u0 is not that of an input: it follows from the elements "
            "of a tensor, which is not supported"));
}
