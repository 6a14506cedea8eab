//===- Checkpoint.cpp - A model between two passes ------------------------===//
#include "library/model/Checkpoint.h"

#include "frontends/mlir/ParseModule.h"
#include "graph/ir/Graph.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AsmState.h"
#include "tilewright/mlir/Tile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
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

/// The name of a pass, or of the op that an element is nested in.
static StringRef nameOf(StringRef element) {
  return element.take_until([](char c) { return c == '(' || c == '{'; });
}

static bool isNested(StringRef element) {
  return element.drop_front(nameOf(element).size()).starts_with("(");
}

namespace {
/// Scans a pipeline up to a pass.
struct Cutter {
  StringRef pass;
  bool isFound = false;
  std::vector<std::string> names = {};
  std::map<StringRef, unsigned> counts = {};

  SplitPipeline split(StringRef pipeline) {
    SmallVector<std::string> first, rest;
    for (StringRef element : elementsOf(pipeline)) {
      if (isFound) {
        rest.push_back(element.str());
      } else if (isNested(element)) {
        SplitPipeline parts = split(inner(element));
        auto add = [&](const std::string &part, auto &to) {
          if (!part.empty())
            to.push_back((nameOf(element) + "(" + part + ")").str());
        };
        add(parts.first, first);
        add(parts.rest, rest);
      } else {
        first.push_back(element.str());
        isFound = takeName(nameOf(element)) == pass;
      }
    }
    return {llvm::join(first, ","), llvm::join(rest, ",")};
  }

  /// The name in a list of all.
  const std::string &takeName(StringRef name) {
    const unsigned number = ++counts[name];
    return names.emplace_back(
        number == 1 ? name.str() : name.str() + ":" + std::to_string(number));
  }
};
} // namespace

StatusOr<SplitPipeline> splitPipeline(StringRef pipeline, StringRef pass) {
  Cutter splitter{pass};
  SplitPipeline parts = splitter.split(pipeline);
  if (splitter.isFound)
    return parts;
  return Status::invalidInput("there is no pass '" + pass.str() +
                              "' on the way of a model to code\n"
                              "  these run: " +
                              llvm::join(splitter.names, ", "));
}

std::vector<std::string> passNames(StringRef pipeline) {
  Cutter splitter{""};
  splitter.split(pipeline);
  return std::move(splitter.names);
}

/// The passes of each module in an op of code; add-variants runs on the op.
static bool isCode(StringRef element) {
  return llvm::StringSwitch<bool>(nameOf(element))
      .Cases({graph::CpuCodeOp::getOperationName(),
              graph::GpuCodeOp::getOperationName()},
             isNested(element) && isNested(inner(element)))
      .Default(false);
}

SplitPipeline splitBeforeCode(StringRef pipeline) {
  SmallVector<StringRef> elements = elementsOf(pipeline);
  const size_t first =
      size_t(llvm::find_if(elements, isCode) - elements.begin());
  return {llvm::join(ArrayRef(elements).take_front(first), ","),
          llvm::join(ArrayRef(elements).drop_front(first), ",")};
}

std::string codePasses(StringRef pipeline, StringRef op) {
  for (StringRef element : elementsOf(pipeline))
    if (nameOf(element) == op && isCode(element))
      return inner(inner(element)).str();
  return "";
}

void placeUnwritten(ModuleOp module) {
  module.walk([](Operation *op) {
    const bool isLoop = isa_and_nonnull<scf::SCFDialect>(op->getDialect());
    if (!isLoop && !isa<tile::KernelOp>(op))
      return;
    for (Region &region : op->getRegions()) {
      if (region.empty())
        continue;
      if (isLoop)
        for (BlockArgument argument : region.getArguments())
          argument.setLoc(op->getLoc());
      if (Operation &last = region.back().back(); last.getNumOperands() == 0)
        last.setLoc(op->getLoc());
    }
  });
}

/// LLVM 22 takes the `loc` behind a barrier for its optional attribute
/// `reductionOp`, except in the generic form.
static bool needsGenericForm(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        return op->getName().getStringRef() == "nvvm.barrier"
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

Status writeCheckpoint(const std::filesystem::path &path, ModuleOp module,
                       const std::string &rest) {
  std::error_code error;
  llvm::raw_fd_ostream file(path.string(), error);
  if (!error) {
    OpPrintingFlags flags;
    flags.enableDebugInfo().printGenericOpForm(needsGenericForm(module));
    AsmState state(module, flags);
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
  ParserConfig config(&context, /*verifyAfterParse=*/false);
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
  checkpoint.module = parseModule(source, config, Dialects::all);
  if (!checkpoint.module)
    return std::nullopt;
  return checkpoint;
}

} // namespace tilewright
