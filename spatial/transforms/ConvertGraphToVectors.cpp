//===- ConvertGraphToVectors.cpp - A graph as a program on vectors --------===//
#include "spatial/transforms/Passes.h"

#include "graph/analysis/Access.h"
#include "graph/ir/Graph.h"
#include "mlir/IR/Matchers.h"
#include "spatial/transforms/LayoutRecord.h"
#include "spatial/transforms/Lifetimes.h"
#include "spatial/transforms/LowerOps.h"

using namespace mlir;

namespace tilewright::spatial {

#define GEN_PASS_DEF_CONVERTGRAPHTOVECTORS
#include "spatial/transforms/Passes.h.inc"

namespace {
class GraphLowering {
public:
  GraphLowering(func::FuncOp graph, func::FuncOp program,
                const Machine &machine, DType precision)
      : graph(graph), program(program), precision(precision),
        builder(program.getBody()), tensors(machine, builder) {
    builder.setInsertionPointToEnd(&program.getBody().front());
  }

  LogicalResult run(bool recordsLayouts);

private:
  LogicalResult check(StringRef what, Type type, DictionaryAttr attributes);
  LogicalResult addArguments();
  [[nodiscard]] bool hasOperands(Operation *op) const;
  LogicalResult lower(Operation *op);
  LogicalResult addResults(func::ReturnOp end);
  DictionaryAttr interface(DictionaryAttr attributes, Type type,
                           ArrayRef<int32_t> layout);
  std::vector<int32_t> layoutOf(const Arrangement &arrangement) const;

  func::FuncOp graph, program;
  DType precision;
  OpBuilder builder;
  Tensors tensors;
  /// Whether a size follows from elements.
  bool hasSizes = false;
};
} // namespace

/// What the model calls the type of an input or output; nothing if a schedule's
/// inputs and outputs do not have it.
static std::optional<StringRef> modelType(Type type,
                                          DictionaryAttr attributes) {
  // Only unsigned integers are called something that the type does not say.
  if (auto name = attributes ? attributes.getAs<StringAttr>("graph.dtype")
                             : StringAttr())
    return name == "u8" ? std::optional(name.getValue()) : std::nullopt;
  if (type.isInteger(1))
    return "bool";
  if (type.isInteger(64))
    return "i64";
  std::optional<DType> value = valueType(type);
  if (!value)
    return std::nullopt;
  return StringRef(valueTypeName(*value));
}

LogicalResult GraphLowering::check(StringRef what, Type type,
                                   DictionaryAttr attributes) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (tensor && tensor.hasStaticShape() &&
      modelType(tensor.getElementType(), attributes))
    return success();
  InFlightDiagnostic error = emitError(builder.getUnknownLoc()) << what;
  auto text = [&](StringRef key) {
    return attributes ? attributes.getAs<StringAttr>(key) : StringAttr();
  };
  if (StringAttr name = text("graph.name"))
    error << " '" << name.getValue() << "'";
  error << ": expected a static shape of bool, i8, u8, i32, i64, f16, bf16 or "
           "f32, found ";
  if (StringAttr name = text("graph.dtype"))
    error << name.getValue() << " in ";
  error << type;
  return error;
}

LogicalResult GraphLowering::addArguments() {
  for (BlockArgument argument : graph.getArguments()) {
    DictionaryAttr attributes = graph.getArgAttrDict(argument.getArgNumber());
    if (failed(check("input", argument.getType(), attributes)))
      return failure();
    // The vectors of an input follow from its first reader.
    BlockArgument vectors = program.getBody().addArgument(
        tensors.vectorsType(1, DType::F32), argument.getLoc());
    TensorInfo &info = tensors.info(tensors.add(argument));
    info.argument = vectors;
    if (attributes && attributes.contains("graph.dtype"))
      info.dtype = DType::U8;
  }
  return success();
}

/// Whether all tensors that an op reads are lowered, also those that its body
/// reads elements of.
bool GraphLowering::hasOperands(Operation *op) const {
  auto isThere = [&](Value tensor) {
    return !isa<RankedTensorType>(tensor.getType()) || tensors.has(tensor) ||
           tensor.getDefiningOp<tensor::EmptyOp>() ||
           tensor.getDefiningOp<tensor::FromElementsOp>();
  };
  bool all = llvm::all_of(op->getOperands(), isThere);
  op->walk(
      [&](tensor::ExtractOp extract) { all &= isThere(extract.getTensor()); });
  return all;
}

LogicalResult GraphLowering::lower(Operation *op) {
  if (isa<graph::SizeOp>(op)) {
    hasSizes = true;
    return op->emitError("computes a size from elements; the sizes of a "
                         "schedule are known before it runs");
  }
  // What such a size leads to is not reported.
  const bool isDynamic = llvm::any_of(op->getResultTypes(), [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.hasStaticShape();
  });
  if (hasSizes && (isDynamic || isa<graph::CheckOp>(op)))
    return failure();
  for (Type type : op->getResultTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        tensor && !tensor.hasStaticShape())
      return op->emitError("expected static shapes, found ") << tensor;
  ElementsAttr elements;
  if (op->getNumResults() == 1 &&
      isa<RankedTensorType>(op->getResult(0).getType()) &&
      matchPattern(op->getResult(0), m_Constant(&elements)))
    return tensors.addConstant(op->getResult(0), elements);
  // Shapes, and scalars that ops read as constants. What an input must be is
  // for who runs the program.
  if (isa<tensor::EmptyOp, tensor::FromElementsOp, arith::ConstantOp,
          graph::RequireOp>(op))
    return success();
  if (!hasOperands(op))
    return success(); // Reported where it was not lowered.
  if (op->getNumResults() == 1)
    if (auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
        type && type.getNumElements() == 0) {
      tensors.add(op->getResult(0));
      return success();
    }
  FailureOr<bool> isView = lowerView(tensors, op);
  if (failed(isView) || *isView)
    return success(succeeded(isView));
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || generic->getNumResults() != 1)
    return op->emitError() << op->getName() << " has no lowering to vectors";
  if (graph::isElementwise(op))
    return lowerElementwise(tensors, generic);
  FailureOr<bool> isLinear = lowerLinear(tensors, generic, precision);
  if (failed(isLinear) || *isLinear)
    return success(succeeded(isLinear));
  const bool isProduct =
      graph::isMatrixProduct(op) &&
      isa<FloatType>(
          cast<RankedTensorType>(op->getResult(0).getType()).getElementType());
  if (isProduct && !tensors.machine.positionsOf(UnitKind::mxm).empty())
    return lowerContraction(tensors, generic, precision);
  return lowerReduction(tensors, generic, precision);
}

/// Each element in one place.
std::vector<int32_t>
GraphLowering::layoutOf(const Arrangement &arrangement) const {
  std::vector<int32_t> layout(arrangement.elements.size(), -1);
  std::vector<bool> isThere;
  for (auto [slot, element] : llvm::enumerate(arrangement.elements)) {
    if (element < 0)
      continue;
    if (isThere.size() <= static_cast<size_t>(element))
      isThere.resize(element + 1);
    if (isThere[element])
      continue;
    isThere[element] = true;
    layout[slot] = element;
  }
  return layout;
}

DictionaryAttr GraphLowering::interface(DictionaryAttr attributes, Type type,
                                        ArrayRef<int32_t> layout) {
  auto tensor = cast<RankedTensorType>(type);
  auto name = attributes
                  ? dyn_cast_or_null<StringAttr>(attributes.get("graph.name"))
                  : StringAttr();
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("name", name ? name : builder.getStringAttr("")),
       builder.getNamedAttr("dtype", builder.getStringAttr(*modelType(
                                         tensor.getElementType(), attributes))),
       builder.getNamedAttr("shape",
                            builder.getDenseI64ArrayAttr(tensor.getShape())),
       builder.getNamedAttr("layout", builder.getDenseI32ArrayAttr(layout))});
}

/// Whether instructions made the vectors, under one name: they are no input, no
/// constant and no selection of others.
static bool isMade(Value vectors) {
  Operation *maker = vectors.getDefiningOp();
  return maker && !isa<SelectVectorsOp, ConstantOp>(maker);
}

LogicalResult GraphLowering::addResults(func::ReturnOp end) {
  SmallVector<Value> values;
  SmallVector<Attribute> interfaces;
  for (OpOperand &operand : end->getOpOperands()) {
    if (!tensors.has(operand.get()))
      return success(); // Reported.
    Type type = operand.get().getType();
    DictionaryAttr attributes =
        graph.getResultAttrDict(operand.getOperandNumber());
    if (failed(check("output", type, attributes)))
      return failure();
    const int64_t number = tensors.numberOf(operand.get());
    TensorInfo &info = tensors.info(number);
    const DType dtype = attributes && attributes.contains("graph.dtype")
                            ? DType::U8
                            : info.dtype;
    Value value;
    std::vector<int32_t> layout;
    // A value that instructions made, under one name.
    if (!info.arrangements.empty() && !info.argument &&
        info.arrangements.front()->dtype == dtype &&
        isMade(info.arrangements.front()->value)) {
      value = info.arrangements.front()->value;
      layout = layoutOf(*info.arrangements.front());
    }
    if (!value || llvm::is_contained(values, value)) {
      // A copy, which instructions make.
      Rows rows = tensors.defaultRows(number);
      for (ElementId &id : rows.ids) {
        layout.push_back(id == noElement ? -1
                                         : static_cast<int32_t>(elementOf(id)));
        if (id != noElement)
          id = tensors.resolve(number, elementOf(id));
      }
      layout.erase(layout.begin(), layout.end() - rows.ids.size());
      FailureOr<Reads> reads = tensors.read(end.getLoc(), rows, dtype);
      if (failed(reads))
        return failure();
      value = tensors.alu(end.getLoc(), AluOp::move,
                          isFloat(dtype) ? DType::F32 : DType::I32, {{*reads}},
                          rows.count(), dtype);
    }
    values.push_back(value);
    interfaces.push_back(interface(attributes, type, layout));
  }
  func::ReturnOp::create(builder, end.getLoc(), values);
  // Inputs that nobody reads lie somewhere, too.
  for (BlockArgument argument : graph.getArguments())
    if (tensors.info(argument).arrangements.empty())
      tensors.layOutInput(tensors.numberOf(argument),
                          tensors.defaultRows(tensors.numberOf(argument)));
  SmallVector<Type> types = llvm::to_vector(ValueRange(values).getTypes());
  program.setFunctionType(
      builder.getFunctionType(program.getBody().getArgumentTypes(), types));
  for (BlockArgument argument : graph.getArguments()) {
    const unsigned number = argument.getArgNumber();
    program.setArgAttr(
        number, kInterfaceAttr,
        interface(graph.getArgAttrDict(number), argument.getType(),
                  tensors.info(argument).arrangements.front()->elements));
  }
  for (auto [number, attribute] : llvm::enumerate(interfaces))
    program.setResultAttr(static_cast<unsigned>(number), kInterfaceAttr,
                          attribute);
  return success();
}

LogicalResult GraphLowering::run(bool recordsLayouts) {
  if (failed(addArguments()))
    return failure();
  for (Operation &op :
       llvm::make_early_inc_range(graph.getBody().front().without_terminator()))
    if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      mergeGuard(generic);
      splitProducts(generic);
    }
  bool isLowered = true;
  LayoutRecord record(tensors);
  Lifetimes lifetimes(tensors, graph.getBody().front());
  for (Operation &op : graph.getBody().front().without_terminator()) {
    if (recordsLayouts)
      record.begin();
    isLowered &= succeeded(lower(&op));
    if (recordsLayouts && isLowered)
      record.end(&op);
    lifetimes.end(&op);
  }
  if (!isLowered || failed(addResults(cast<func::ReturnOp>(
                        graph.getBody().front().getTerminator()))))
    return failure();
  if (recordsLayouts) {
    for (BlockArgument input : graph.getArguments())
      record.addInput(input);
    program->setAttr(kLayoutsAttr, record.entries());
  }
  return success();
}

namespace {
struct ConvertGraphToVectorsPass
    : impl::ConvertGraphToVectorsBase<ConvertGraphToVectorsPass> {
  using ConvertGraphToVectorsBase::ConvertGraphToVectorsBase;
  void runOnOperation() override;
};
} // namespace

void ConvertGraphToVectorsPass::runOnOperation() {
  ModuleOp module = getOperation();
  auto text = module->getAttrOfType<StringAttr>(kMachineAttr);
  auto type = module->getAttrOfType<StringAttr>(kPrecisionAttr);
  std::optional<DType> precision =
      type ? valueTypeFromName(type.getValue()) : std::nullopt;
  if (!text || !precision) {
    module.emitError("expected ")
        << kMachineAttr << ", a machine file as text, and " << kPrecisionAttr
        << ", f32, f16 or bf16";
    return signalPassFailure();
  }
  StatusOr<Machine> machine = parseMachine(text.getValue(), "machine");
  if (!machine.ok()) {
    module.emitError(machine.status().message());
    return signalPassFailure();
  }
  auto graph = *module.getOps<func::FuncOp>().begin();
  OpBuilder builder(module.getContext());
  builder.setInsertionPointAfter(graph);
  auto program = func::FuncOp::create(builder, graph.getLoc(), graph.getName(),
                                      builder.getFunctionType({}, {}));
  program.addEntryBlock();
  program->setAttr(kLanesAttr, builder.getI64IntegerAttr(machine->lanes));
  if (failed(GraphLowering(graph, program, *machine, *precision)
                 .run(recordLayouts))) {
    program.erase();
    return signalPassFailure();
  }
  graph.erase();
}

} // namespace tilewright::spatial
