#include "frontends/onnx/Import.h"

#include "frontends/onnx/GraphImporter.h"
#include "frontends/onnx/InputElements.h"
#include "frontends/onnx/Replace.h"
#include "graph/build/Checks.h"
#include "graph/build/Interface.h"
#include "graph/build/TensorValues.h"
#include "graph/ir/Graph.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tilewright::onnx {

namespace {

using Argument = FunctionArgument;

bool isIdentifier(StringRef name) {
  if (name.empty() || (!llvm::isAlpha(name[0]) && name[0] != '_'))
    return false;
  return llvm::all_of(
      name, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
}

std::string identifier(StringRef name) {
  std::string result;
  for (char c : name)
    result += llvm::isAlnum(c) || c == '_' || c == '.' ? c : '_';
  if (result.empty() || llvm::isDigit(result[0]) || result[0] == '.')
    result = "_" + result;
  return result;
}

/// An input of the model, and how many arguments hold it: one, or those of a
/// sequence, or none if it is an optional value that is absent.
struct Input {
  std::string name;
  bool isSequence = false, isOptional = false;
  size_t arguments = 1;
  /// Of a sequence.
  Element element;
};

/// What is within sequences and optional values.
const TypeProto &typeInside(const TypeProto &type) {
  static const TypeProto none;
  if (type.optionalType)
    return type.optionalType->elemType ? *type.optionalType->elemType : none;
  if (type.sequenceType)
    return type.sequenceType->elemType ? *type.sequenceType->elemType : none;
  return type;
}

/// The importer's work on one model.
class ModelImporter {
public:
  ModelImporter(MLIRContext &context, ModelFile &file,
                const ImportOptions &options)
      : context(context), file(file), options(options),
        graph(*file.proto.graph) {}

  StatusOr<ImportedModel> run();

  /// The inputs whose values `run` needs but does not have.
  std::vector<std::string> unknownInputs;

private:
  /// A size that is given for one input is that of all inputs that name it.
  void readSameSizes();
  LogicalResult readArguments(GraphBuilder &b);
  LogicalResult readInput(const ValueInfoProto &proto, GraphBuilder &b);
  LogicalResult countArguments(Input &input, GraphBuilder &b);
  LogicalResult readArgument(const std::string &name,
                             const TensorTypeProto &type, Element element,
                             GraphBuilder &b);
  LogicalResult readValue(Argument &argument, int32_t dataType,
                          GraphBuilder &b);
  LogicalResult importGraph(GraphImporter &importer, func::FuncOp function);
  LogicalResult addResults(const ValueInfoProto &output,
                           const NamedValue &value, GraphBuilder &b,
                           SmallVectorImpl<FunctionResult> &results);
  LogicalResult finish(GraphImporter &importer, func::FuncOp function);
  LogicalResult build(ModuleOp module, ImportedModel &result);

  MLIRContext &context;
  ModelFile &file;
  const ImportOptions &options;
  const GraphProto &graph;
  std::vector<Input> inputs;
  std::vector<Argument> arguments;
  std::map<std::string, int64_t> sameSizes;
  std::string error, diagnostic;
};

/// Reads how many elements a sequence has, or whether an optional value is
/// there.
LogicalResult ModelImporter::countArguments(Input &input, GraphBuilder &b) {
  if (!input.isSequence) {
    auto isThere = isInputGiven(options, input.name);
    if (!isThere)
      return b.fail(isThere.status().message());
    input.arguments = *isThere;
    return success();
  }
  auto length = givenLength(options, input.name);
  if (!length)
    return b.fail(length.status().message());
  if (!*length && !input.isOptional)
    return b.fail("input '" + input.name +
                  "' is a sequence; give the number of its elements, for "
                  "example with --input-shape " +
                  lengthName(input.name) + "=2");
  input.isSequence = length->has_value();
  input.arguments = length->value_or(0);
  return success();
}

LogicalResult ModelImporter::readInput(const ValueInfoProto &proto,
                                       GraphBuilder &b) {
  Input input;
  input.name = proto.name;
  input.isOptional = bool(proto.type.optionalType);
  const TypeProto &type =
      input.isOptional ? typeInside(proto.type) : proto.type;
  input.isSequence = bool(type.sequenceType);
  const TypeProto &inside = input.isSequence ? typeInside(type) : type;
  std::string where = "input '" + proto.name + "'";
  if (!inside.tensorType)
    return b.fail(where + " is not a tensor, nor a sequence of tensors; maps "
                          "and sparse tensors are not supported");
  TensorTypeProto tensor = *inside.tensorType;
  auto element = elementOf(&context, tensor.elemType);
  if (!element || isOfConstantsOnly(*element))
    return b.fail(where + " has " + unsupportedType(tensor.elemType));
  input.element = *element;
  // The elements of a sequence may differ in the dimensions with names.
  if (input.isSequence && tensor.shape)
    for (Dimension &dim : tensor.shape->dim)
      dim.dimParam.clear();
  if ((input.isSequence || input.isOptional) &&
      failed(countArguments(input, b)))
    return failure();
  for (size_t i = 0; i < input.arguments; ++i)
    if (failed(readArgument(input.isSequence ? elementName(proto.name, i)
                                             : proto.name,
                            tensor, *element, b)))
      return failure();
  inputs.push_back(std::move(input));
  return success();
}

LogicalResult ModelImporter::readArgument(const std::string &name,
                                          const TensorTypeProto &type,
                                          Element element, GraphBuilder &b) {
  Argument argument;
  argument.name = name;
  argument.element = element;
  std::string where = "input '" + name + "'";
  auto given = options.inputShapes.find(name);
  bool isGiven = given != options.inputShapes.end();
  if (!type.shape && !isGiven)
    return b.fail(where +
                  " has no shape in the model; give one, for example with "
                  "--input-shape " +
                  name + "=1x64");
  size_t rank = type.shape ? type.shape->dim.size() : given->second.size();
  if (isGiven && given->second.size() != rank)
    return b.fail(where + " was given a shape of " +
                  Twine(given->second.size()) + " dimensions, it has " +
                  Twine(rank));
  // As many as a package may have.
  if (rank > 64)
    return b.fail(where + " has " + Twine(rank) +
                  " dimensions, expected at most 64");
  for (size_t i = 0; i < rank; ++i) {
    static const Dimension unnamed;
    const Dimension &dim = type.shape ? type.shape->dim[i] : unnamed;
    int64_t size = dim.dimValue.value_or(-1);
    if (isGiven && given->second[i] >= 0)
      size = given->second[i];
    else if (auto same = sameSizes.find(dim.dimParam);
             size < 0 && same != sameSizes.end())
      size = same->second;
    if (size >= 0) {
      argument.dims.push_back(b.sizes.constant(size));
      argument.symbols.push_back("");
      continue;
    }
    // "?" is what some exporters write for sizes that have no name.
    std::string symbol =
        identifier(isIdentifier(dim.dimParam)
                       ? dim.dimParam
                       : argument.name + ".dim" + std::to_string(i));
    if (!dim.dimParam.empty() && !isIdentifier(dim.dimParam) &&
        dim.dimParam != "?")
      symbol = identifier(dim.dimParam);
    argument.dims.push_back(b.sizes.symbols.dimension(symbol));
    argument.symbols.push_back(symbol);
  }
  if (failed(readValue(argument, type.elemType, b)))
    return failure();
  arguments.push_back(std::move(argument));
  return success();
}

/// A known value fixes the shape.
LogicalResult ModelImporter::readValue(Argument &argument, int32_t dataType,
                                       GraphBuilder &b) {
  auto given = options.inputValues.find(argument.name);
  if (given == options.inputValues.end())
    return success();
  const InputValue &value = given->second;
  TensorProto proto;
  proto.name = argument.name;
  proto.dataType = value.dataType;
  proto.dims = value.shape;
  proto.rawData = value.bytes;
  auto tensor = decodeTensor(file, b.sizes, proto);
  std::string where = "value of input '" + argument.name + "': ";
  if (!tensor)
    return b.fail(where + tensor.status().message());
  bool fits = (*tensor)->element == argument.element &&
              (*tensor)->dims.size() == argument.dims.size();
  for (auto [dim, size] : llvm::zip((*tensor)->dims, argument.dims))
    fits &= compatible(dim, size);
  if (!fits)
    return b.fail(where + "it has type " + dtypeName((*tensor)->element) +
                  " and shape " + b.sizes.str((*tensor)->dims) +
                  ", the model expects " + dtypeName(argument.element) +
                  " and " + b.sizes.str(argument.dims));
  argument.known = *tensor;
  argument.dims = (*tensor)->dims;
  argument.symbols.assign(argument.dims.size(), "");
  return success();
}

void ModelImporter::readSameSizes() {
  for (const auto &input : graph.input) {
    auto given = options.inputShapes.find(input.name);
    const auto &type = input.type.tensorType;
    if (given == options.inputShapes.end() || !type || !type->shape ||
        type->shape->dim.size() != given->second.size())
      continue;
    for (auto [dim, size] : llvm::zip(type->shape->dim, given->second))
      if (isIdentifier(dim.dimParam) && size >= 0)
        sameSizes.try_emplace(dim.dimParam, size);
  }
}

LogicalResult ModelImporter::readArguments(GraphBuilder &b) {
  readSameSizes();
  llvm::StringSet<> initializers, names;
  for (const auto &initializer : graph.initializer)
    initializers.insert(initializer.name);
  for (const auto &input : graph.input) {
    if (!names.insert(input.name).second)
      return b.fail("input '" + input.name + "' is declared twice");
    if (!initializers.contains(input.name) && failed(readInput(input, b)))
      return failure();
  }
  for (const Input &input : inputs)
    for (size_t i = 0; input.isSequence && i < input.arguments; ++i)
      if (!names.insert(elementName(input.name, i)).second)
        return b.fail("input '" + elementName(input.name, i) +
                      "' is declared twice, as an element of '" + input.name +
                      "' too");
  auto known = llvm::map_range(
      arguments, [](const Argument &a) { return StringRef(a.name); });
  auto isLength = [&](StringRef name) {
    return llvm::any_of(inputs, [&](const Input &input) {
      return (input.isSequence || input.isOptional) &&
             name == lengthName(input.name);
    });
  };
  for (const auto &[name, shape] : options.inputShapes)
    if (!llvm::is_contained(known, name) && !isLength(name))
      return b.fail("a shape was given for '" + name +
                    "', which is not an input of the model\n  the model's "
                    "inputs: " +
                    llvm::join(known, ", "));
  return success();
}

/// Gives the inputs' names their values; `tensors` are those of all arguments.
static void defineInputs(Scopes &scopes, ArrayRef<Input> inputs,
                         ArrayRef<Tensor> tensors) {
  for (const Input &input : inputs) {
    ArrayRef<Tensor> own = tensors.take_front(input.arguments);
    tensors = tensors.drop_front(input.arguments);
    if (!input.isSequence) {
      scopes.define(input.name, own.empty() ? NamedValue() : own.front());
      continue;
    }
    auto sequence = std::make_shared<SequenceInfo>();
    sequence->element = input.element;
    sequence->tensors.assign(own.begin(), own.end());
    scopes.define(input.name, Sequence(sequence));
  }
}

LogicalResult ModelImporter::importGraph(GraphImporter &importer,
                                         func::FuncOp function) {
  GraphBuilder &b = importer.b;
  SmallVector<Tensor> tensors;
  for (const auto &[i, argument] : llvm::enumerate(arguments)) {
    auto tensor = argumentTensor(b, function, i, argument);
    if (failed(tensor)) {
      b.error = "input '" + argument.name + "': " + b.error;
      return failure();
    }
    tensors.push_back(argument.known ? argument.known : *tensor);
  }
  defineInputs(importer.scopes, inputs, tensors);
  for (const auto &output : graph.output)
    importer.scopes.markResult(output.name);
  if (failed(importer.setOpsets(file.proto.opsetImport)) ||
      failed(importer.importInitializers(graph)))
    return failure();
  return importReplaced(importer, graph.node, options.replacements);
}

/// A sequence has a result for each of its elements, an optional value that is
/// absent has none.
LogicalResult
ModelImporter::addResults(const ValueInfoProto &output, const NamedValue &value,
                          GraphBuilder &b,
                          SmallVectorImpl<FunctionResult> &results) {
  if (value.isAbsent() && !output.type.optionalType)
    return b.fail("output '" + output.name +
                  "' is an optional value that is absent, and not declared as "
                  "one");
  if (value.isAbsent())
    return success();
  const TypeProto &type =
      output.type.optionalType ? typeInside(output.type) : output.type;
  const int32_t declaredType =
      typeInside(type).tensorType.value_or(TensorTypeProto()).elemType;
  auto declared = elementOf(&context, declaredType);
  Element found =
      value.tensor ? value.tensor->element : value.sequence->element;
  std::string name = declared ? dtypeName(*declared) : "an unsupported type";
  std::string foundName = dtypeName(found);
  bool fits = declared == found;
  if (bool(type.sequenceType) != bool(value.sequence)) {
    name = (type.sequenceType ? "a sequence of " : "a tensor of ") + name;
    foundName =
        (value.sequence ? "a sequence of " : "a tensor of ") + foundName;
    fits = false;
  }
  if (declaredType != TensorProto::UNDEFINED && !fits)
    return b.fail("output '" + output.name + "' is declared as " + name +
                  ", its node gives " + foundName);
  if (isOfConstantsOnly(found))
    return b.fail(
        "output '" + output.name + "' has " +
        (declared ? unsupportedType(declaredType)
                  : "element type " + foundName + ", which is not supported"));
  if (value.tensor) {
    results.push_back({output.name, value.tensor});
    return success();
  }
  for (auto [i, tensor] : llvm::enumerate(value.sequence->tensors))
    results.push_back({elementName(output.name, int64_t(i)), tensor});
  return success();
}

LogicalResult ModelImporter::finish(GraphImporter &importer,
                                    func::FuncOp function) {
  GraphBuilder &b = importer.b;
  SmallVector<FunctionResult> results;
  if (graph.output.empty())
    return b.fail("the graph has no outputs");
  for (const auto &output : graph.output) {
    const NamedValue *value = importer.scopes.find(output.name);
    if (!value)
      return b.fail("output '" + output.name + "' is not defined");
    if (failed(addResults(output, *value, b, results)))
      return failure();
  }
  if (results.empty())
    return b.fail("the model's outputs are sequences without elements and "
                  "optional values that are absent: nothing is computed");
  return finishFunction(b, function, arguments, results);
}

LogicalResult ModelImporter::build(ModuleOp module, ImportedModel &result) {
  Location loc = module.getLoc();
  OpBuilder builder(module.getBodyRegion());
  // Argument types depend on symbols, which belong to the function's builder;
  // so the arguments are added to the entry block afterwards.
  auto function = func::FuncOp::create(builder, loc, "main",
                                       FunctionType::get(&context, {}, {}));
  GraphBuilder b(&context, function, diagnostic);
  GraphImporter importer(file, b);
  LogicalResult ok = readArguments(b);
  if (succeeded(ok)) {
    addArguments(b, function, arguments);
    ok = importGraph(importer, function);
  }
  if (succeeded(ok))
    ok = finish(importer, function);
  error = b.error;
  if (failed(ok)) {
    unknownInputs = b.unknownInputs.empty() ? b.readInputs : b.unknownInputs;
    return failure();
  }
  result.nodeCount = importer.nodeCount;
  result.hasExternalData = !file.storage->external.empty();
  result.notReplaced = std::move(importer.notReplaced);
  return success();
}

StatusOr<ImportedModel> ModelImporter::run() {
  DialectRegistry registry;
  registerDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  ImportedModel result;
  result.name = graph.name;
  result.storage = file.storage;
  for (const auto &entry : file.proto.metadataProps)
    result.metadata[entry.key] = entry.value;
  Location loc = FileLineColLoc::get(&context, file.name, 0, 0);
  result.module = ModuleOp::create(loc);
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
    return Status::invalidInput(file.name + ": " + error);
  return result;
}

} // namespace

void registerDialects(DialectRegistry &registry) {
  registry.insert<affine::AffineDialect, arith::ArithDialect, func::FuncDialect,
                  graph::GraphDialect, linalg::LinalgDialect, math::MathDialect,
                  scf::SCFDialect, tensor::TensorDialect>();
}

static StatusOr<ImportedModel> import(MLIRContext &context,
                                      StatusOr<ModelFile> file,
                                      const ImportOptions &options,
                                      std::vector<std::string> *unknownInputs) {
  if (unknownInputs)
    unknownInputs->clear();
  if (!file)
    return file.status();
  ModelImporter importer(context, *file, options);
  StatusOr<ImportedModel> model = importer.run();
  if (unknownInputs)
    *unknownInputs = std::move(importer.unknownInputs);
  return model;
}

StatusOr<ImportedModel> importModel(MLIRContext &context, StringRef path,
                                    const ImportOptions &options,
                                    std::vector<std::string> *unknownInputs) {
  return import(context, ModelFile::open(path), options, unknownInputs);
}

StatusOr<ImportedModel>
importModelFromBytes(MLIRContext &context, StringRef bytes, StringRef name,
                     const ImportOptions &options,
                     std::vector<std::string> *unknownInputs) {
  return import(context, ModelFile::fromBytes(bytes, name), options,
                unknownInputs);
}

std::vector<SupportedOp> supportedOps() {
  std::vector<SupportedOp> result;
  for (const OpEntry &entry : opTable().entries())
    result.push_back({entry.domain, entry.name, entry.since, entry.limits});
  llvm::sort(result, [](const SupportedOp &a, const SupportedOp &b) {
    return std::tie(a.domain, a.name) < std::tie(b.domain, b.name);
  });
  return result;
}

} // namespace tilewright::onnx
