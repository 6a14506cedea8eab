//===- ChooseInstructions.cpp - Which instruction computes a dot ----------===//
#include "codegen/schedule/ScheduleText.h"
#include "codegen/tilegpu/GpuTargets.h"
#include "codegen/tilegpu/MatrixProduct.h"
#include "codegen/tilegpu/TileGpu.h"
#include "codegen/transforms/Instructions.h"
#include "codegen/transforms/LayoutRelations.h"
#include "codegen/transforms/Passes.h"
#include "codegen/transforms/Schedules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "support/Format.h"

using namespace mlir;

namespace tilewright::tilegpu {

#define GEN_PASS_DEF_CHOOSEINSTRUCTIONS
#include "codegen/transforms/Passes.h.inc"

//===--- Operands that were extended --------------------------------------===//

namespace {
/// An element type; of integers, how they are extended.
struct Narrow {
  Type element;
  bool isUnsigned = false;
  friend bool operator==(const Narrow &, const Narrow &) = default;
};
} // namespace

/// The tile that `value` extends, and how; null if it is no extension.
static std::pair<Value, bool> extendedFrom(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp>(op))
    return {op->getOperand(0), false};
  if (isa_and_nonnull<arith::ExtUIOp>(op))
    return {op->getOperand(0), true};
  auto convert = dyn_cast_or_null<tile::ConvertOp>(op);
  const bool isExtended =
      convert && isa<FloatType>(getElementTypeOrSelf(convert.getType())) &&
      isa<FloatType>(getElementTypeOrSelf(convert.getSource().getType()));
  return {isExtended ? Value(convert.getSource()) : Value(), false};
}

/// Whether an op only moves the elements of its tiles to its result.
static bool movesElements(Operation *op) {
  return op && op->getNumResults() == 1 &&
         (layoutRelation(op).isRenaming || isa<arith::SelectOp>(op)) &&
         llvm::any_of(op->getOperands(), [](Value operand) {
           return isa<RankedTensorType>(operand.getType());
         });
}

/// The number that all elements of a constant are, in a narrow type; null for
/// other values, and where the type does not hold it.
static TypedAttr narrowedConstant(Value value, const Narrow &narrow) {
  DenseElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)) || !constant.isSplat())
    return {};
  if (auto type = dyn_cast<FloatType>(narrow.element)) {
    APFloat number = constant.getSplatValue<APFloat>();
    bool losesInfo = false;
    number.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    return losesInfo ? TypedAttr() : FloatAttr::get(type, number);
  }
  const auto number = constant.getSplatValue<APInt>();
  const unsigned bits = narrow.element.getIntOrFloatBitWidth();
  return (narrow.isUnsigned ? number.isIntN(bits) : number.isSignedIntN(bits))
             ? IntegerAttr::get(narrow.element, number.trunc(bits))
             : TypedAttr();
}

/// Whether `value`'s elements, of type `wide`, are all those of tiles of
/// `narrow` that were extended, or constants of that type.
static bool wasExtended(Value value, Type wide, const Narrow &narrow,
                        unsigned depth = 0) {
  constexpr unsigned deepest = 8;
  if (auto [source, isUnsigned] = extendedFrom(value); source)
    return Narrow{getElementTypeOrSelf(source.getType()), isUnsigned} == narrow;
  if (narrowedConstant(value, narrow))
    return true;
  Operation *op = value.getDefiningOp();
  return movesElements(op) && depth < deepest &&
         llvm::all_of(
             op->getOperands(),
             [&](Value operand) {
               return getElementTypeOrSelf(operand.getType()) != wide ||
                      wasExtended(operand, wide, narrow, depth + 1);
             });
}

/// The tile that wasExtended() found, as it was before.
static Value beforeExtension(OpBuilder &builder, Value value,
                             const Narrow &narrow) {
  if (Value source = extendedFrom(value).first)
    return source;
  auto wide = cast<RankedTensorType>(value.getType());
  Operation *op = value.getDefiningOp();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(op);
  if (TypedAttr number = narrowedConstant(value, narrow))
    return arith::ConstantOp::create(
        builder, op->getLoc(),
        DenseElementsAttr::get(wide.clone(narrow.element), Attribute(number)));
  IRMapping operands;
  for (Value operand : op->getOperands())
    if (getElementTypeOrSelf(operand.getType()) == wide.getElementType())
      operands.map(operand, beforeExtension(builder, operand, narrow));
  Operation *again = builder.clone(*op, operands);
  again->getResult(0).setType(wide.clone(narrow.element));
  return again->getResult(0);
}

/// What an operand's elements were extended from; that of constants alone is
/// any type that holds them.
static SmallVector<Narrow> extensionsOf(Value operand) {
  const Type wide = getElementTypeOrSelf(operand.getType());
  Builder b(operand.getContext());
  SmallVector<Narrow> all;
  if (wide.isF32())
    all = {{b.getF16Type()},
           {b.getBF16Type()},
           {b.getType<Float8E4M3FNType>()},
           {b.getType<Float8E5M2Type>()}};
  else if (wide.isInteger(32))
    all = {{b.getI8Type(), false}, {b.getI8Type(), true}};
  llvm::erase_if(all, [&](const Narrow &narrow) {
    return !wasExtended(operand, wide, narrow);
  });
  return all;
}

//===--- The choice -------------------------------------------------------===//

namespace {
struct ChooseInstructions : impl::ChooseInstructionsBase<ChooseInstructions> {
  using ChooseInstructionsBase::ChooseInstructionsBase;

  void runOnOperation() override;
};
} // namespace

tile::DotPrecision precisionOf(tile::ContractionOpInterface op) {
  auto dot = dyn_cast<tile::DotOp>(op.getOperation());
  return dot ? dot.getPrecision() : tile::DotPrecision::ieee;
}

/// What the operands of a dot may be: their own types, what they were extended
/// from, and types that hold their elements exactly.
using OperandTypes = InstructionChoice::Operands;

static SmallVector<OperandTypes> operandTypes(tile::ContractionOpInterface op) {
  const Type lhs = getElementTypeOrSelf(op.getLhs().getType()),
             rhs = getElementTypeOrSelf(op.getRhs().getType()),
             acc = getElementTypeOrSelf(op.getAcc().getType());
  // No instruction takes scales.
  if (!isa<tile::DotOp>(op.getOperation()))
    return {};
  SmallVector<OperandTypes> types = {{lhs, rhs}};
  for (const Narrow &left : extensionsOf(op.getLhs()))
    for (const Narrow &right : extensionsOf(op.getRhs()))
      types.push_back({left.element, right.element, left.isUnsigned,
                       right.isUnsigned,
                       OperandTypes::Origin::beforeExtension});
  const Type wideLhs = widenedElement(lhs, acc),
             wideRhs = widenedElement(rhs, acc);
  if (wideLhs != lhs || wideRhs != rhs)
    types.push_back(
        {wideLhs, wideRhs, false, false, OperandTypes::Origin::widened});
  return types;
}

/// The GPU that the module names, if it is known.
static std::optional<target::GpuTarget> gpuAround(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  auto target =
      module->getAttrOfType<tile::TargetAttr>(tile::TileDialect::kTargetAttr);
  const bool isGpu =
      target && target.getName() != "cpu" &&
      (target.getFacts() || target::findGpuTarget(target.getName()));
  if (!isGpu)
    return std::nullopt;
  FailureOr<target::GpuTarget> gpu = gpuOf(module);
  return succeeded(gpu) ? std::optional(*gpu) : std::nullopt;
}

/// Why no instruction is known for the types.
static std::string reasonOfTypes(tile::ContractionOpInterface op) {
  const Type lhs = getElementTypeOrSelf(op.getLhs().getType()),
             rhs = getElementTypeOrSelf(op.getRhs().getType());
  std::string reason;
  llvm::raw_string_ostream text(reason);
  text << "no matrix instruction multiplies " << lhs;
  if (lhs != rhs)
    text << " and " << rhs;
  text << " for sums of " << getElementTypeOrSelf(op.getAcc().getType());
  if (lhs.isF32())
    text << " with precision " << tile::stringifyDotPrecision(precisionOf(op));
  return reason;
}

InstructionChoice chooseInstruction(tile::ContractionOpInterface op,
                                    const target::MatrixInstruction *wanted) {
  std::optional<target::GpuTarget> target = gpuAround(op);
  if (!target)
    return {nullptr, "the module names no GPU"};
  return chooseInstruction(op, *target, wanted);
}

InstructionChoice chooseInstruction(tile::ContractionOpInterface op,
                                    const target::GpuTarget &target,
                                    const target::MatrixInstruction *wanted) {
  auto acc = cast<RankedTensorType>(op.getAcc().getType());
  const int64_t rank = acc.getRank(), m = acc.getDimSize(rank - 2),
                n = acc.getDimSize(rank - 1),
                k = cast<RankedTensorType>(op.getLhs().getType())
                        .getDimSize(rank - 1);
  InstructionChoice choice = {nullptr, reasonOfTypes(op)};
  std::string missing;
  double most = 0, mostMissing = 0;
  auto pace = [&](const target::MatrixInstruction &each, Type operands) {
    const auto parts =
        operands.isF32() ? double(partsOfProduct(precisionOf(op)).size()) : 1;
    return double(each.productsOfCycle) / parts;
  };
  // The fastest instruction that takes the types and divides the shape; of
  // equals the first.
  for (const OperandTypes &types : operandTypes(op))
    for (const target::MatrixInstruction &each : target::matrixInstructions()) {
      if ((wanted && wanted != &each) ||
          !takes(each, types.lhs, types.rhs, acc.getElementType(),
                 precisionOf(op)))
        continue;
      if (!each.isOn(target)) {
        missing = format("{} has no {}", {target.name, each.name});
        mostMissing = std::max(mostMissing, pace(each, types.lhs));
      } else if (m % each.m || n % each.n || k % each.k) {
        if (!choice.instruction)
          choice.reason = format("m={} n={} k={} is no multiple of {}",
                                 {m, n, k, each.name});
      } else if (pace(each, types.lhs) > most) {
        most = pace(each, types.lhs);
        choice = {&each, "", types};
      }
    }
  if (mostMissing > most)
    choice.reason = missing;
  return choice;
}

static void write(tile::ContractionOpInterface op,
                  const InstructionChoice &choice) {
  OpBuilder builder(op);
  op->setAttr(TileGpuDialect::kInstructionAttr,
              builder.getStringAttr(choice.instruction
                                        ? StringRef(choice.instruction->name)
                                        : StringRef(TileGpuDialect::kFma)));
  if (!choice.reason.empty())
    op->setAttr(TileGpuDialect::kReasonAttr,
                builder.getStringAttr(choice.reason));
  if (!choice.instruction)
    return;
  const OperandTypes &types = choice.operands;
  auto dot = dyn_cast<tile::DotOp>(op.getOperation());
  if (types.origin == OperandTypes::Origin::widened)
    return widenOperands(dot);
  if (types.origin != OperandTypes::Origin::beforeExtension)
    return;
  dot.getLhsMutable().assign(
      beforeExtension(builder, dot.getLhs(), {types.lhs, types.isLhsUnsigned}));
  dot.getRhsMutable().assign(
      beforeExtension(builder, dot.getRhs(), {types.rhs, types.isRhsUnsigned}));
  dot.setLhsUnsigned(types.isLhsUnsigned);
  dot.setRhsUnsigned(types.isRhsUnsigned);
  // They are exact without the precision.
  dot.setPrecision(tile::DotPrecision::ieee);
}

void ChooseInstructions::runOnOperation() {
  FailureOr<schedule::GpuSchedule> schedule = scheduleOf(getOperation());
  if (failed(schedule))
    return signalPassFailure();
  // A schedule names its instructions as its text does.
  const std::string_view name =
      schedule::instructionName(schedule->instruction);
  const target::MatrixInstruction *wanted = target::findMatrixInstruction(name);
  SmallVector<tile::ContractionOpInterface> dots;
  getOperation().walk(
      [&](tile::ContractionOpInterface op) { dots.push_back(op); });
  for (tile::ContractionOpInterface op : dots) {
    InstructionChoice choice =
        StringRef(name) == TileGpuDialect::kFma
            ? InstructionChoice{nullptr, "the schedule says so"}
            : chooseInstruction(op, wanted);
    if (wanted && !choice.instruction) {
      op.emitError() << op->getName() << ": the schedule asks for "
                     << wanted->name << ": " << choice.reason;
      return signalPassFailure();
    }
    write(op, choice);
  }
}

} // namespace tilewright::tilegpu
