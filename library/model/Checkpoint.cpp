//===- Checkpoint.cpp - A model between two passes ------------------------===//
#include "library/model/Checkpoint.h"

#include "frontends/mlir/ParseModule.h"
#include "mlir/IR/AsmState.h"
#include "llvm/ADT/StringExtras.h"
#include <fstream>
#include <map>

using namespace mlir;

namespace tilewright {

/// The name under which MLIR's tools look for a pipeline too.
static constexpr StringLiteral resourceName = "mlir_reproducer";

/// The elements of "a,b(c,d),e{f=g}", each with its own brackets.
static SmallVector<StringRef> elementsOf(StringRef pipeline) {
  SmallVector<StringRef> elements;
  size_t depth = 0, start = 0;
  for (size_t i = 0; i < pipeline.size(); ++i) {
    depth += StringRef("({").contains(pipeline[i]);
    depth -= StringRef(")}").contains(pipeline[i]);
    if (pipeline[i] == ',' && depth == 0) {
      elements.push_back(pipeline.slice(start, i));
      start = i + 1;
    }
  }
  if (start < pipeline.size())
    elements.push_back(pipeline.drop_front(start));
  return elements;
}

/// What is between the outer parentheses.
static StringRef inner(StringRef element) {
  return element.drop_front(element.find('(') + 1).drop_back();
}

/// The pass of an element, be it on an op of its own: "func.func(cse)".
static StringRef passOf(StringRef element) {
  StringRef name =
      element.take_until([](char c) { return c == '(' || c == '{'; });
  if (name.size() < element.size() && element[name.size()] == '(')
    return passOf(inner(element));
  return name;
}

StatusOr<CutPipeline> cutPipeline(StringRef pipeline, StringRef pass) {
  SmallVector<StringRef> elements = elementsOf(inner(pipeline));
  std::map<StringRef, unsigned> seen;
  SmallVector<std::string> names;
  for (auto [i, element] : llvm::enumerate(elements)) {
    std::string name = passOf(element).str();
    if (unsigned number = ++seen[passOf(element)]; number > 1)
      name += ":" + std::to_string(number);
    if (name == pass)
      return CutPipeline{llvm::join(ArrayRef(elements).take_front(i + 1), ","),
                         llvm::join(ArrayRef(elements).drop_front(i + 1), ",")};
    names.push_back(name);
  }
  return Status::invalidInput("there is no pass '" + pass.str() +
                              "' on the way of a model to kernels\n"
                              "  these run: " +
                              llvm::join(names, ", "));
}

Status writeCheckpoint(const std::filesystem::path &path, ModuleOp module,
                       const std::string &rest) {
  std::error_code error;
  llvm::raw_fd_ostream file(path.string(), error);
  if (!error) {
    AsmState state(module, OpPrintingFlags().enableDebugInfo());
    state.attachResourcePrinter(
        resourceName, [&](Operation *, AsmResourceBuilder &builder) {
          builder.buildString("pipeline", "builtin.module(" + rest + ")");
          builder.buildBool("disable_threading", true);
          builder.buildBool("verify_each", true);
        });
    module->print(file, state);
    file << "\n";
    file.close();
    error = file.error();
  }
  if (error)
    return Status::ioError(path.string() + ": " + error.message());
  return {};
}

bool isCheckpoint(StringRef text) {
  // Resources are at the end of a text.
  return text.rtrim().ends_with("#-}") && text.contains(resourceName) &&
         text.contains("graph.model");
}

std::optional<Checkpoint> readCheckpoint(const ModelSource &source,
                                         MLIRContext &context) {
  Checkpoint checkpoint;
  ParserConfig config(&context);
  config.attachResourceParser(
      resourceName, [&](AsmParsedResourceEntry &entry) -> LogicalResult {
        if (entry.getKey() != "pipeline")
          return success();
        FailureOr<std::string> text = entry.parseAsString();
        if (failed(text))
          return failure();
        checkpoint.rest = inner(*text).str();
        return success();
      });
  checkpoint.module = parseModule(source, config);
  if (!checkpoint.module)
    return std::nullopt;
  return checkpoint;
}

} // namespace tilewright
