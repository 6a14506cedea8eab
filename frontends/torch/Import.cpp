#include "frontends/torch/Import.h"

#include "frontends/torch/Constants.h"
#include "frontends/torch/GraphImporter.h"
#include "frontends/torch/Inputs.h"
#include "graph/build/Checks.h"
#include "graph/build/TensorValues.h"
#include "graph/ir/Graph.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tilewright::torch {
namespace {

/// Each operator that is not supported, with the line that calls it first.
void addUnsupported(const Graph &graph,
                    std::map<std::string, std::string> &found) {
  for (const Node &node : graph.nodes) {
    bool inPlace;
    if (!isBookkeeping(node) && !opTable().find(node.target, inPlace))
      found.emplace(node.target, describe(node.source));
    for (const NamedArgument &input : node.inputs)
      if (const auto *inner =
              std::get_if<std::shared_ptr<const Graph>>(&input.value.value))
        addUnsupported(**inner, found);
  }
}

std::string unsupportedMessage(const Graph &graph) {
  std::map<std::string, std::string> found;
  addUnsupported(graph, found);
  if (found.empty())
    return "";
  std::string message =
      std::to_string(found.size()) +
      (found.size() == 1 ? " operator is" : " operators are") +
      " not supported:";
  for (const auto &[target, line] : found)
    message += "\n  " + target + (line.empty() ? "" : "  " + line);
  return message;
}

/// The importer's work on one program.
class ProgramImporter {
public:
  ProgramImporter(MLIRContext &context, const Program &program,
                  const std::string &file)
      : context(context), program(program), file(file) {}

  StatusOr<ImportedProgram> run();

private:
  LogicalResult build(ModuleOp module, ImportedProgram &result);
  LogicalResult expectNoState(GraphBuilder &b);
  LogicalResult defineConstants(GraphImporter &importer);
  LogicalResult finish(GraphImporter &importer, func::FuncOp function);

  MLIRContext &context;
  const Program &program;
  const std::string &file;
  std::vector<FunctionArgument> arguments;
  std::string error, diagnostic;
};

/// The one place that decides what a program may write to.
LogicalResult ProgramImporter::expectNoState(GraphBuilder &b) {
  for (const OutputSpec &output : program.outputs) {
    if (output.kind == OutputSpec::Kind::BufferMutation)
      return b.fail("the program writes to its buffer '" + output.target +
                    "'; state is not supported: expected a program that "
                    "returns what it changes");
    if (output.kind == OutputSpec::Kind::InputMutation)
      return b.fail("the program writes to its input '" + output.target +
                    "', which is not supported: expected a program that "
                    "returns what it changes");
  }
  return success();
}

/// Why nothing is written to an input of the graph.
std::string readOnlyReason(const InputSpec &input) {
  if (input.kind == InputSpec::Kind::User)
    return "the program writes to its input '" + input.name +
           "', which is not supported: expected a program that returns what "
           "it changes";
  return "the program writes to its buffer '" + input.target +
         "'; state is not supported: expected a program that returns what it "
         "changes";
}

LogicalResult ProgramImporter::defineConstants(GraphImporter &importer) {
  GraphBuilder &b = importer.b;
  // Names that share one storage share one constant.
  std::map<std::pair<const void *, std::string>, Tensor> known;
  for (const InputSpec &input : program.inputs) {
    if (input.kind == InputSpec::Kind::User ||
        input.kind == InputSpec::Kind::Fixed || !importer.isRead(input.name))
      continue;
    auto storage = program.storages.find(input.target);
    if (storage == program.storages.end())
      return b.fail("the archive has no elements of '" + input.target + "'");
    TRY(Tensor tensor, makeConstant(b, input.target, storage->second));
    std::string shape = dtypeName(tensor->element) + b.sizes.str(tensor->dims);
    if (tensor->constant->owner == storage->second.owner)
      tensor =
          known.try_emplace({tensor->constant->bytes.data(), shape}, tensor)
              .first->second;
    auto slot = makeSlot(tensor);
    slot->readOnly = readOnlyReason(input);
    importer.define(input.name, slot);
  }
  return success();
}

LogicalResult ProgramImporter::finish(GraphImporter &importer,
                                      func::FuncOp function) {
  GraphBuilder &b = importer.b;
  SmallVector<FunctionResult> results;
  llvm::StringMap<unsigned> names;
  for (const OutputSpec &output : program.outputs) {
    const auto *name = std::get_if<TensorName>(&output.value.value);
    if (!name) {
      if (std::holds_alternative<NumberName>(output.value.value))
        return b.fail("the program returns a size, expected tensors");
      continue;
    }
    TRY(auto slot, importer.slot(output.value));
    TRY(Tensor tensor, readSlot(*slot));
    unsigned count = names[name->name]++;
    results.push_back(
        {count ? name->name + "_" + std::to_string(count + 1) : name->name,
         tensor});
  }
  if (results.empty())
    return b.fail("the program returns no tensors");
  finishFunction(b, function, arguments, results);
  return success();
}

LogicalResult ProgramImporter::build(ModuleOp module, ImportedProgram &result) {
  OpBuilder builder(module.getBodyRegion());
  auto function = func::FuncOp::create(builder, module.getLoc(), "main",
                                       FunctionType::get(&context, {}, {}));
  GraphBuilder b(&context, function, diagnostic);
  Numbers numbers(b);
  GraphImporter importer(b, numbers);
  importer.push(program.graph);
  LogicalResult ok = expectNoState(b);
  if (std::string message = unsupportedMessage(program.graph);
      succeeded(ok) && !message.empty())
    ok = b.fail(message);
  if (succeeded(ok))
    ok = readInputs(b, numbers, program, arguments);
  if (succeeded(ok)) {
    addArguments(b, function, arguments);
    ok = checkInputs(b, numbers, program, arguments);
  }
  for (const auto &[i, argument] : llvm::enumerate(arguments)) {
    if (failed(ok))
      break;
    auto tensor =
        wrap(b, function.getArgument(i), argument.dims, argument.element);
    ok = LogicalResult(tensor);
    if (failed(ok))
      break;
    auto slot = makeSlot(*tensor);
    slot->readOnly = readOnlyReason({InputSpec::Kind::User, argument.name, ""});
    importer.define(argument.name, slot);
  }
  if (succeeded(ok))
    ok = defineConstants(importer);
  if (succeeded(ok))
    ok = importer.importNodes(program.graph);
  if (succeeded(ok))
    ok = finish(importer, function);
  error = b.error;
  result.nodeCount = importer.nodeCount;
  return ok;
}

StatusOr<ImportedProgram> ProgramImporter::run() {
  DialectRegistry registry;
  registerDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  ImportedProgram result;
  result.module = ModuleOp::create(FileLineColLoc::get(&context, file, 0, 0));
  // Diagnostics of the IR's verifier become part of the one message.
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &found) {
    if (diagnostic.empty())
      diagnostic = found.str();
  });
  LogicalResult ok = build(*result.module, result);
  if (succeeded(ok) && failed(verify(*result.module))) {
    error = "the imported graph is not valid: " + diagnostic;
    ok = failure();
  }
  if (failed(ok))
    return Status::invalidInput(file + ": " + error);
  return result;
}

} // namespace

void registerDialects(DialectRegistry &registry) {
  registry.insert<affine::AffineDialect, arith::ArithDialect, func::FuncDialect,
                  graph::GraphDialect, linalg::LinalgDialect, math::MathDialect,
                  tensor::TensorDialect>();
}

StatusOr<ImportedProgram> importProgram(MLIRContext &context,
                                        const Program &program,
                                        const std::string &file) {
  return ProgramImporter(context, program, file).run();
}

} // namespace tilewright::torch
