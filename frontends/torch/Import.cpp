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

#include <set>

using namespace mlir;

namespace tilewright::torch {
namespace {

/// Each operator that is not supported, with the line that calls it first.
void addUnsupported(const Graph &graph,
                    std::map<std::string, std::string> &found) {
  for (const Node &node : graph.nodes) {
    if (!isBookkeeping(node) && !opTable().find(node.target).handler)
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
  LogicalResult addInterface(GraphImporter &importer, func::FuncOp function);
  LogicalResult readMutations(GraphBuilder &b);
  FailureOr<Tensor> constantOf(GraphBuilder &b, const InputSpec &input);
  LogicalResult addStates(GraphBuilder &b);
  LogicalResult defineArguments(GraphImporter &importer, func::FuncOp function);
  LogicalResult defineConstants(GraphImporter &importer);
  void findStates(const GraphImporter &importer);
  LogicalResult addUpdates(GraphImporter &importer,
                           SmallVector<FunctionResult> &results);
  LogicalResult finish(GraphImporter &importer, func::FuncOp function);

  MLIRContext &context;
  const Program &program;
  const std::string &file;
  std::vector<FunctionArgument> arguments;
  /// The names, in the model, of the buffers that the program writes to.
  std::set<std::string> states;
  /// Whether `states` was not complete.
  bool mustRepeat = false;
  std::string error, diagnostic;
};

/// What a functional program says that it writes to.
LogicalResult ProgramImporter::readMutations(GraphBuilder &b) {
  for (const OutputSpec &output : program.outputs) {
    if (output.kind == OutputSpec::Kind::BufferMutation) {
      if (llvm::none_of(program.inputs, [&](const InputSpec &input) {
            return input.kind != InputSpec::Kind::User &&
                   input.target == output.target;
          }))
        return b.fail("the program writes to its buffer '" + output.target +
                      "', which it does not have");
      states.insert(output.target);
    }
  }
  return success();
}

FailureOr<Tensor> ProgramImporter::constantOf(GraphBuilder &b,
                                              const InputSpec &input) {
  auto storage = program.storages.find(input.target);
  if (storage == program.storages.end())
    return b.fail("the archive has no elements of '" + input.target + "'");
  return makeConstant(b, input.target, storage->second);
}

/// An argument for each state, behind those of users.
LogicalResult ProgramImporter::addStates(GraphBuilder &b) {
  for (const InputSpec &input : program.inputs) {
    if (input.kind == InputSpec::Kind::User || !states.count(input.target))
      continue;
    TRY(Tensor initial, constantOf(b, input));
    FunctionArgument argument{input.target, initial->element, initial->dims,
                              SmallVector<std::string>(initial->rank()),
                              initial};
    argument.isState = true;
    arguments.push_back(std::move(argument));
  }
  return success();
}

/// A slot for each argument of the function.
LogicalResult ProgramImporter::defineArguments(GraphImporter &importer,
                                               func::FuncOp function) {
  llvm::StringMap<std::string> nodes;
  for (const InputSpec &input : program.inputs)
    if (input.kind != InputSpec::Kind::User)
      nodes[input.target] = input.name;
  for (const auto &[i, argument] : llvm::enumerate(arguments)) {
    TRY(Tensor tensor, wrap(importer.b, function.getArgument(i), argument.dims,
                            argument.element));
    importer.define(argument.isState ? nodes[argument.name] : argument.name,
                    makeSlot(tensor));
  }
  return success();
}

LogicalResult ProgramImporter::defineConstants(GraphImporter &importer) {
  GraphBuilder &b = importer.b;
  // Names that share one storage share one constant.
  std::map<std::pair<const void *, std::string>, Tensor> known;
  for (const InputSpec &input : program.inputs) {
    if (input.kind == InputSpec::Kind::User ||
        input.kind == InputSpec::Kind::Fixed || !importer.isRead(input.name) ||
        states.count(input.target))
      continue;
    TRY(Tensor tensor, constantOf(b, input));
    std::string shape = dtypeName(tensor->element) + b.sizes.str(tensor->dims);
    const Storage &storage = program.storages.at(input.target);
    if (tensor->constant->owner == storage.owner)
      tensor =
          known.try_emplace({tensor->constant->bytes.data(), shape}, tensor)
              .first->second;
    importer.define(input.name, makeSlot(tensor));
  }
  return success();
}

/// What was written to in place is state, too: then the program is imported
/// once more.
void ProgramImporter::findStates(const GraphImporter &importer) {
  for (const InputSpec &input : program.inputs) {
    if (input.kind == InputSpec::Kind::User)
      continue;
    auto slot = importer.lookup(input.name);
    if (slot && slot->writes > 0)
      mustRepeat |= states.insert(input.target).second;
  }
}

/// The new value of each state and input that has one.
LogicalResult
ProgramImporter::addUpdates(GraphImporter &importer,
                            SmallVector<FunctionResult> &results) {
  llvm::StringSet<> buffers, inputs;
  for (const OutputSpec &output : program.outputs) {
    const bool isInput = output.kind == OutputSpec::Kind::InputMutation;
    if (!isInput && output.kind != OutputSpec::Kind::BufferMutation)
      continue;
    TRY(auto slot, importer.slot(output.value));
    TRY(Tensor tensor, readSlot(*slot));
    (isInput ? inputs : buffers).insert(output.target);
    results.push_back({output.target, tensor, /*isUpdate=*/true});
  }
  // What was written to in place.
  for (const InputSpec &input : program.inputs) {
    const bool isUser = input.kind == InputSpec::Kind::User;
    const std::string &name = isUser ? input.name : input.target;
    auto slot = importer.lookup(input.name);
    if ((isUser ? inputs : buffers).contains(name) || !slot ||
        slot->writes == 0 || !(isUser || states.count(name)))
      continue;
    TRY(Tensor tensor, readSlot(*slot));
    results.push_back({name, tensor, /*isUpdate=*/true});
  }
  return success();
}

LogicalResult ProgramImporter::finish(GraphImporter &importer,
                                      func::FuncOp function) {
  GraphBuilder &b = importer.b;
  SmallVector<FunctionResult> results;
  // First, so that an output that is a state as well is the copy.
  if (failed(addUpdates(importer, results)))
    return failure();
  // An input that is returned after a write has its name twice.
  llvm::StringMap<unsigned> names;
  for (const FunctionResult &update : results)
    ++names[update.name];
  for (const OutputSpec &output : program.outputs) {
    if (output.kind == OutputSpec::Kind::BufferMutation ||
        output.kind == OutputSpec::Kind::InputMutation)
      continue;
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
  return finishFunction(b, function, arguments, results);
}

/// The function's arguments, and what is known of them and of constants.
LogicalResult ProgramImporter::addInterface(GraphImporter &importer,
                                            func::FuncOp function) {
  GraphBuilder &b = importer.b;
  arguments.clear();
  if (failed(readInputs(b, importer.numbers, program, arguments)))
    return failure();
  const std::vector<FunctionArgument> users = arguments;
  if (failed(addStates(b)))
    return failure();
  addArguments(b, function, arguments);
  return failure(failed(checkInputs(b, importer.numbers, program, users)) ||
                 failed(defineArguments(importer, function)) ||
                 failed(defineConstants(importer)));
}

LogicalResult ProgramImporter::build(ModuleOp module, ImportedProgram &result) {
  OpBuilder builder(module.getBodyRegion());
  auto function = func::FuncOp::create(builder, module.getLoc(), "main",
                                       FunctionType::get(&context, {}, {}));
  GraphBuilder b(&context, function, diagnostic);
  Numbers numbers(b);
  GraphImporter importer(b, numbers);
  importer.push(program.graph);
  LogicalResult ok = readMutations(b);
  if (std::string message = unsupportedMessage(program.graph);
      succeeded(ok) && !message.empty())
    ok = b.fail(message);
  if (succeeded(ok))
    ok = addInterface(importer, function);
  if (succeeded(ok))
    ok = importer.importNodes(program.graph);
  if (succeeded(ok))
    findStates(importer);
  if (succeeded(ok) && !mustRepeat)
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
  // Diagnostics of the IR's verifier become part of the one message.
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &found) {
    if (diagnostic.empty())
      diagnostic = found.str();
  });
  LogicalResult ok = success();
  do {
    mustRepeat = false;
    result.module = ModuleOp::create(FileLineColLoc::get(&context, file, 0, 0));
    ok = build(*result.module, result);
  } while (succeeded(ok) && mustRepeat);
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
                  scf::SCFDialect, tensor::TensorDialect>();
}

StatusOr<ImportedProgram> importProgram(MLIRContext &context,
                                        const Program &program,
                                        const std::string &file) {
  return ProgramImporter(context, program, file).run();
}

} // namespace tilewright::torch
