//===- PackageBuilder.cpp - A lowered graph as a package ------------------===//
#include "library/model/package/PackageBuilder.h"

#include "codegen/pipeline/Expressions.h"
#include "graph/analysis/Access.h"
#include "graph/analysis/Group.h"
#include "graph/analysis/States.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "support/Format.h"
#include "tilewright/runtime/Safetensors.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tilewright {

StatusOr<std::vector<runtime::Expression>>
PackageBuilder::shapeOf(Value tensor) {
  FailureOr<graph::SymbolicShape> shape = shapes.shapeOf(tensor);
  if (failed(shape))
    return Status::unsupported("the shape of a tensor is not known");
  std::vector<runtime::Expression> sizes;
  for (AffineExpr size : *shape)
    sizes.push_back(expressionOf(size));
  return sizes;
}

runtime::Expression PackageBuilder::expressionOf(AffineExpr size) {
  const graph::Sizes &sizes = shapes.sizes();
  while (symbols.size() < sizes.symbols.count()) {
    auto symbol = cast<AffineSymbolExpr>(
        getAffineSymbolExpr(symbols.size(), program.getContext()));
    AffineExpr part = sizes.symbols.positivePartOf(symbol);
    symbols.push_back(
        part ? runtime::max(toExpression(part, symbols), runtime::Expression(0))
             : runtime::Expression::symbol(sizes.symbols.nameOf(symbol).str()));
  }
  return toExpression(size, symbols);
}

StatusOr<size_t> PackageBuilder::addBuffer(Value tensor,
                                           runtime::BufferManifest::Kind kind) {
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  std::optional<runtime::DType> dtype = toDType(element);
  if (!dtype) {
    std::string text;
    llvm::raw_string_ostream(text) << element;
    return Status::unsupported("a tensor of " + text +
                               " has no place in a package");
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<runtime::Expression> shape,
                              shapeOf(tensor));
  runtime::Expression bytes(runtime::dtypeBytes(*dtype));
  for (const runtime::Expression &size : shape)
    bytes = bytes * size;
  manifest->buffers.push_back({kind, *dtype, bytes, "", std::nullopt});
  if (graph::isEmptyTensor(tensor.getType()))
    emptyBuffers.insert(manifest->buffers.size() - 1);
  return manifest->buffers.size() - 1;
}

StatusOr<size_t> PackageBuilder::weightBuffer(Value tensor, ElementsAttr data) {
  auto [known, isNew] = weightBuffers.try_emplace(data, 0);
  if (!isNew)
    return known->second;
  TILEWRIGHT_ASSIGN_OR_RETURN(
      size_t id, addBuffer(tensor, runtime::BufferManifest::Kind::weight));
  std::string name = "w" + std::to_string(weights.size());
  manifest->buffers[id].weight = name;
  weights.push_back({name, data});
  return weightBuffers[data] = id;
}

/// Where a launch changes elements of a tensor: those of an input in the memory
/// of its new value.
StatusOr<size_t> PackageBuilder::changedBuffer(Value written) {
  TILEWRIGHT_ASSIGN_OR_RETURN(size_t id, bufferOf(written));
  auto changed = newValues.find(id);
  return changed == newValues.end() ? id : changed->second;
}

/// The storage of a tensor. Reshapes and casts share their source's; a launch's
/// results use the storage that they replace, or new storage.
StatusOr<size_t> PackageBuilder::bufferOf(Value tensor) {
  if (auto known = buffers.find(tensor); known != buffers.end())
    return known->second;
  Operation *op = tensor.getDefiningOp();
  ElementsAttr data;
  StatusOr<size_t> id = Status::internal("a tensor has no storage");
  auto launch = dyn_cast_or_null<graph::LaunchOp>(op);
  Value written =
      launch ? launch.getWritten(cast<OpResult>(tensor).getResultNumber())
             : Value();
  if (op && isa<tensor::ReshapeOp, tensor::CastOp>(op))
    id = bufferOf(op->getOperand(0));
  else if (auto resized = dyn_cast_or_null<graph::ResizeRowsOp>(op))
    id = aliasOf(resized);
  else if (written && !written.getDefiningOp<tensor::EmptyOp>())
    id = changedBuffer(written);
  else if (op && matchPattern(tensor, m_Constant(&data)))
    id = weightBuffer(tensor, data);
  else
    id = addBuffer(tensor, op ? runtime::BufferManifest::Kind::transient
                              : runtime::BufferManifest::Kind::input);
  if (id.ok())
    buffers[tensor] = *id;
  return id;
}

/// Some rows of what is in a buffer.
StatusOr<size_t> PackageBuilder::aliasOf(graph::ResizeRowsOp op) {
  TILEWRIGHT_ASSIGN_OR_RETURN(size_t source, bufferOf(op.getSource()));
  TILEWRIGHT_ASSIGN_OR_RETURN(
      size_t id,
      addBuffer(op.getResult(), runtime::BufferManifest::Kind::transient));
  manifest->buffers[id].alias = source;
  return id;
}

/// The elements of a constant as in memory.
static StatusOr<std::vector<std::byte>> expandedData(ElementsAttr data) {
  auto dense = dyn_cast<DenseElementsAttr>(data);
  if (!dense)
    return Status::unsupported("a constant of this kind has no data");
  std::vector<std::byte> bytes;
  auto append = [&](ArrayRef<char> raw) {
    auto *first = reinterpret_cast<const std::byte *>(raw.data());
    bytes.insert(bytes.end(), first, first + raw.size());
  };
  if (dense.getElementType().isInteger(1)) {
    for (bool value : dense.getValues<bool>())
      bytes.push_back(std::byte(value));
    return bytes;
  }
  int64_t copies = dense.isSplat() ? dense.getNumElements() : 1;
  for (int64_t i = 0; i < copies; ++i)
    append(dense.getRawData());
  return bytes;
}

/// The element type at the interface, where ONNX may say unsigned.
static StatusOr<runtime::DType> interfaceType(runtime::DType dtype,
                                              Attribute given) {
  auto name = dyn_cast_or_null<StringAttr>(given);
  if (!name)
    return dtype;
  std::optional<runtime::DType> named =
      runtime::dtypeFromName(name.getValue().str());
  if (!named)
    return Status::unsupported("an input or output has element type " +
                               name.getValue().str() +
                               ", which packages do not have");
  return *named;
}

static std::string interfaceName(Attribute given, StringRef kind, size_t i) {
  if (auto name = dyn_cast_or_null<StringAttr>(given))
    return name.getValue().str();
  return (kind + Twine(i)).str();
}

Status PackageBuilder::addInput(BlockArgument argument) {
  func::FuncOp func = program;
  unsigned i = argument.getArgNumber();
  TILEWRIGHT_ASSIGN_OR_RETURN(size_t id, bufferOf(argument));
  TILEWRIGHT_ASSIGN_OR_RETURN(auto shape, shapeOf(argument));
  TILEWRIGHT_ASSIGN_OR_RETURN(runtime::DType dtype,
                              interfaceType(manifest->buffers[id].dtype,
                                            func.getArgAttr(i, "graph.dtype")));
  manifest->buffers[id].dtype = dtype;
  manifest->inputs.push_back(
      {interfaceName(func.getArgAttr(i, "graph.name"), "input", i), dtype,
       shape, id});
  if (auto fixed = func.getArgAttrOfType<ElementsAttr>(i, "graph.fixed")) {
    TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<std::byte> bytes,
                                expandedData(fixed));
    manifest->inputs.back().value = llvm::toHex(
        StringRef(reinterpret_cast<const char *>(bytes.data()), bytes.size()),
        /*LowerCase=*/true);
  }
  return Status();
}

/// Where an output is. What launches write becomes the output's memory; all
/// else is copied, or is an alias.
StatusOr<size_t> PackageBuilder::outputBuffer(unsigned result, Value value,
                                              StringRef name) {
  using Kind = runtime::BufferManifest::Kind;
  if (BlockArgument input = graph::stateUpdatedBy(program, result))
    return updated.lookup(input);
  TILEWRIGHT_ASSIGN_OR_RETURN(size_t id, bufferOf(value));
  const Kind memory = manifest->buffers[rootOf(id)].kind;
  if (manifest->buffers[id].kind == Kind::transient &&
      (memory == Kind::transient || memory == Kind::output)) {
    manifest->buffers[id].kind = Kind::output;
    return id;
  }
  if (overwritten.contains(id))
    return copyOf(id, Kind::output, name);
  // An input, a weight, a state or another output: the same storage once more.
  runtime::BufferManifest copy = manifest->buffers[id];
  copy.kind = Kind::output;
  copy.weight.clear();
  copy.initial.reset();
  copy.alias = id;
  manifest->buffers.push_back(copy);
  return manifest->buffers.size() - 1;
}

Status PackageBuilder::addOutput(unsigned result, Value value) {
  func::FuncOp func = program;
  const std::string name =
      interfaceName(func.getResultAttr(result, "graph.name"), "output", result);
  TILEWRIGHT_ASSIGN_OR_RETURN(size_t id, outputBuffer(result, value, name));
  TILEWRIGHT_ASSIGN_OR_RETURN(auto shape, shapeOf(value));
  TILEWRIGHT_ASSIGN_OR_RETURN(
      runtime::DType dtype,
      interfaceType(manifest->buffers[id].dtype,
                    func.getResultAttr(result, "graph.dtype")));
  manifest->buffers[id].dtype = dtype;
  manifest->outputs.push_back({name, dtype, shape, id});
  return Status();
}

Status PackageBuilder::addInterface() {
  func::FuncOp func = program;
  for (BlockArgument argument : func.getArguments())
    if (!func.getArgAttr(argument.getArgNumber(), graph::kStateAttr))
      TILEWRIGHT_RETURN_IF_ERROR(addInput(argument));
  for (auto [i, value] :
       llvm::enumerate(func.getBody().front().getTerminator()->getOperands()))
    if (!func.getResultAttr(unsigned(i), graph::kUpdatesAttr))
      TILEWRIGHT_RETURN_IF_ERROR(addOutput(unsigned(i), value));
  return Status();
}

/// The manifest has expressions of inputs' dimensions, and nothing else.
static Status unknownSize(Operation *op, const std::string &what) {
  std::string where;
  if (auto at = op->getLoc()->findInstanceOf<FileLineColLoc>())
    where = format("{}:{}:{}: ",
                   {at.getFilename().str(), at.getLine(), at.getColumn()});
  return Status::unsupported(where + what +
                             " is computed from data, expected a size that "
                             "follows from dimensions of inputs");
}

/// A condition on sizes that the ops need: one that follows from inputs is
/// checked before a run, where the ops run in any case.
Status PackageBuilder::addCheck(graph::CheckOp check) {
  FailureOr<AffineExpr> size = shapes.exprOf(check.getSize());
  FailureOr<AffineExpr> expected = shapes.exprOf(check.getExpected());
  if (failed(size) || failed(expected))
    return unknownSize(check, "a size that is checked");
  runtime::Expression that = expressionOf(*size);
  runtime::Expression limit = expressionOf(*expected);
  bool isLimit = check.getAtMost();
  runtime::CheckManifest condition{isLimit ? runtime::min(that, limit) : that,
                                   isLimit ? that : limit,
                                   check.getMessage().str()};
  if (check->getParentOp() == program && isOfInputs(that) &&
      isOfInputs(limit)) {
    manifest->checks.push_back(std::move(condition));
    return {};
  }
  runtime::StepManifest step;
  step.label = graph::describeOp(check);
  step.check = std::move(condition);
  steps->push_back(std::move(step));
  return {};
}

bool PackageBuilder::isOfInputs(const runtime::Expression &size) const {
  return llvm::all_of(size.names(), [&](const std::string &name) {
    return llvm::is_contained(manifest->symbols, name);
  });
}

size_t PackageBuilder::rootOf(size_t buffer) const {
  while (manifest->buffers[buffer].alias)
    buffer = *manifest->buffers[buffer].alias;
  return buffer;
}

/// Whether memory has a content: buffers without elements need none.
bool PackageBuilder::isWritten(size_t id) const {
  using Kind = runtime::BufferManifest::Kind;
  id = rootOf(id);
  const runtime::BufferManifest &buffer = manifest->buffers[id];
  return buffer.kind == Kind::input || buffer.kind == Kind::weight ||
         buffer.kind == Kind::state || buffer.initial ||
         emptyBuffers.contains(id) || written.contains(id);
}

Status PackageBuilder::checkOutputs() const {
  for (const runtime::InterfaceTensor &output : manifest->outputs)
    if (!isWritten(output.buffer))
      return Status::internal("no step writes the output '" + output.name +
                              "'");
  return Status();
}

Status PackageBuilder::addStep(graph::LaunchOp launch) {
  runtime::StepManifest step;
  step.kernel = launch.getKernel().str();
  step.label = launch.getLabel().str();
  std::vector<size_t> results;
  for (auto [position, argument] : llvm::enumerate(launch.getArguments())) {
    if (!isa<TensorType>(argument.getType())) {
      FailureOr<AffineExpr> size = shapes.exprOf(argument);
      if (failed(size))
        return unknownSize(launch, "a size of step '" + step.label + "'");
      step.arguments.push_back(
          runtime::StepArgument::value(expressionOf(*size)));
      continue;
    }
    std::optional<unsigned> result = launch.resultOf(position);
    Value tensor = result ? launch.getResult(*result) : argument;
    TILEWRIGHT_ASSIGN_OR_RETURN(size_t id, bufferOf(tensor));
    TILEWRIGHT_ASSIGN_OR_RETURN(auto shape, shapeOf(tensor));
    step.arguments.push_back(runtime::StepArgument::view(id, shape));
    if (result)
      results.push_back(id);
    else if (!isWritten(id))
      return Status::internal("step '" + step.label +
                              "' reads a tensor that no step wrote");
  }
  written.insert(results.begin(), results.end());
  steps->push_back(std::move(step));
  return {};
}

Status PackageBuilder::describe(runtime::PackageManifest &described) {
  manifest = &described;
  steps = &manifest->steps;
  manifest->symbols = shapes.sizes().symbols.names();
  TILEWRIGHT_RETURN_IF_ERROR(addStates());
  TILEWRIGHT_RETURN_IF_ERROR(addOverwritten());
  placeUpdates();
  TILEWRIGHT_RETURN_IF_ERROR(
      addBlock(program.getBody().front(), manifest->steps));
  TILEWRIGHT_RETURN_IF_ERROR(addUpdates());
  return checkOutputs();
}

static std::span<const std::byte> resourceData(DenseResourceElementsAttr data) {
  AsmResourceBlob *blob = data.getRawHandle().getBlob();
  if (!blob)
    return {};
  ArrayRef<char> raw = blob->getData();
  return {reinterpret_cast<const std::byte *>(raw.data()), raw.size()};
}

Status PackageBuilder::addWeights(runtime::PackageWriter &writer) {
  std::vector<runtime::SafetensorsDeclaration> declarations;
  for (const Weight &weight : weights) {
    auto type = cast<ShapedType>(weight.data.getType());
    declarations.push_back(
        {weight.name, *toDType(type.getElementType()),
         runtime::Shape(type.getShape().begin(), type.getShape().end())});
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(runtime::SafetensorsWriter file,
                              writer.beginWeights(declarations));
  for (const Weight &weight : weights) {
    if (auto resource = dyn_cast<DenseResourceElementsAttr>(weight.data)) {
      TILEWRIGHT_RETURN_IF_ERROR(file.append(resourceData(resource)));
      continue;
    }
    TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<std::byte> bytes,
                                expandedData(weight.data));
    TILEWRIGHT_RETURN_IF_ERROR(file.append(bytes));
  }
  return writer.finishWeights(file);
}

} // namespace tilewright
