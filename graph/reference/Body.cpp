#include "graph/reference/Body.h"

#include "graph/ir/Graph.h"
#include "graph/reference/Execution.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tilewright::graph::reference {

/// Whether the region runs for each element, when this is asked for.
static bool runsLater(Operation *op) {
  return isa<linalg::LinalgOp, tensor::GenerateOp, tensor::PadOp, ScanOp>(op);
}

static bool isElement(Type type) {
  return type.isF128() ||
         (type.isIntOrIndexOrFloat() && numerics::widthOf(type) <= 64);
}

static LogicalResult checkValueType(Operation *op, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!isElement(tensor ? tensor.getElementType() : type))
    return numerics::errorAt(op)
           << "expected integers and floats of at most 64 bits, f128, and "
              "tensors of them of known rank, found "
           << type;
  return success();
}

namespace {
class BodyCompiler {
public:
  explicit BodyCompiler(Body &body) : body(body) {}

  /// The code of a block; its arguments get slots.
  LogicalResult compile(Region &region, Sequence &sequence);

  /// Values from outside, and their slots here.
  SmallVector<std::pair<Value, unsigned>> captured;

private:
  LogicalResult compileOp(Operation &op, std::vector<Instruction> &code);
  LogicalResult compileRegions(Operation &op, Instruction &instruction);
  LogicalResult compileEnd(Operation &end, Sequence &sequence);
  unsigned define(Value value) {
    slots[value] = body.slots;
    return body.slots++;
  }
  unsigned slotOf(Value value) {
    auto found = slots.find(value);
    if (found != slots.end())
      return found->second;
    unsigned slot = define(value);
    captured.emplace_back(value, slot);
    return slot;
  }

  Body &body;
  llvm::DenseMap<Value, unsigned> slots;
};
} // namespace

LogicalResult BodyCompiler::compile(Region &region, Sequence &sequence) {
  Block &block = region.front();
  if (!region.hasOneBlock())
    return numerics::errorAt(region.getParentOp())
           << "the reference runs regions of one block";
  for (BlockArgument argument : block.getArguments()) {
    if (failed(checkValueType(region.getParentOp(), argument.getType())))
      return failure();
    sequence.arguments.push_back(define(argument));
  }
  for (Operation &op : block) {
    if (&op == &block.back() && op.hasTrait<OpTrait::IsTerminator>())
      return compileEnd(op, sequence);
    if (failed(compileOp(op, sequence.instructions)))
      return failure();
  }
  return success();
}

LogicalResult BodyCompiler::compileEnd(Operation &end, Sequence &sequence) {
  if (auto inserts = dyn_cast<scf::InParallelOp>(end)) {
    for (Operation &op : inserts.getRegion().front())
      if (failed(compileOp(op, sequence.inserts)))
        return failure();
    return success();
  }
  for (Value operand : end.getOperands())
    sequence.yielded.push_back(slotOf(operand));
  return success();
}

LogicalResult BodyCompiler::compileOp(Operation &op,
                                      std::vector<Instruction> &code) {
  if (auto loop = dyn_cast<linalg::IndexOp>(op)) {
    body.loops.push_back({unsigned(loop.getDim()), define(loop)});
    return success();
  }
  auto constant = dyn_cast<arith::ConstantOp>(op);
  if (constant && isa<IntegerAttr, FloatAttr>(constant.getValue()) &&
      isElement(constant.getType())) {
    unsigned slot = define(constant);
    body.constants.emplace_back(
        slot, Scalar::of(numerics::attributeElement(constant.getType(),
                                                    constant.getValue())));
    return success();
  }
  Instruction instruction;
  instruction.op = &op;
  instruction.eval = EvalTable::get().find(&op);
  if (!instruction.eval)
    return numerics::errorAt(&op)
           << "the reference of graphs does not know this op";
  instruction.onBits = bitsFunction(&op);
  instruction.onElements = numerics::elementFunctions(&op);
  for (Value operand : op.getOperands())
    instruction.operands.push_back(slotOf(operand));
  if (failed(compileRegions(op, instruction)))
    return failure();
  for (Value result : op.getResults()) {
    if (failed(checkValueType(&op, result.getType())))
      return failure();
    instruction.results.push_back(define(result));
  }
  code.push_back(std::move(instruction));
  return success();
}

LogicalResult BodyCompiler::compileRegions(Operation &op,
                                           Instruction &instruction) {
  if (!runsLater(&op)) {
    for (Region &region : op.getRegions()) {
      Sequence &sequence = instruction.regions.emplace_back();
      if (!region.empty() && failed(compile(region, sequence)))
        return failure();
    }
    return success();
  }
  auto inner = std::make_shared<Body>();
  BodyCompiler compiler(*inner);
  if (failed(compiler.compile(op.getRegion(0), inner->sequence)))
    return failure();
  for (BlockArgument argument : op.getRegion(0).getArguments())
    inner->isRead.push_back(!argument.use_empty());
  instruction.closure.emplace();
  for (auto [value, slot] : compiler.captured)
    instruction.closure->captures.emplace_back(slotOf(value), slot);
  instruction.closure->body = std::move(inner);
  return success();
}

FailureOr<std::shared_ptr<const Body>> compileBody(Region &region) {
  auto body = std::make_shared<Body>();
  if (failed(BodyCompiler(*body).compile(region, body->sequence)))
    return failure();
  return std::shared_ptr<const Body>(std::move(body));
}

Frame Body::frame() const {
  Frame frame(slots);
  for (auto [slot, scalar] : constants)
    frame[slot].scalar = scalar;
  return frame;
}

} // namespace tilewright::graph::reference
