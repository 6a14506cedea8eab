// tile.convert and tile.philox.
#include "tileir/reference/ProgramInstance.h"
#include "tileir/reference/SetOps.h"
#include <cmath>

using namespace mlir;
using llvm::APFloat;
using llvm::APInt;
using llvm::APSInt;

namespace tilewright::reference {

/// An integer as a float type that represents all 64-bit integers exactly.
static APFloat exactFloat(const APInt &value, bool isUnsigned) {
  APFloat exact(APFloat::IEEEquad());
  exact.convertFromAPInt(value, !isUnsigned, APFloat::rmNearestTiesToEven);
  return exact;
}

static Element toInteger(tile::ConvertOp op, const APFloat &source, Type type,
                         bool isUnsigned, const RoundingRule &rule) {
  APSInt result(widthOf(type), isUnsigned);
  bool exact = false;
  // An integer out of range is clamped; NaN becomes 0.
  auto status =
      source.convertToInteger(result, roundingMode(rule.rounding), &exact);
  if ((status & APFloat::opInvalidOp) && !rule.saturate)
    return Element::poison(type, op);
  return Element::ofInteger(type, result);
}

static Element convert(tile::ConvertOp op, const Element &source, Type type,
                       const RoundingRule &rule) {
  bool isFloat = isa<FloatType>(source.getType());
  bool fromUnsigned = op.getFromUnsigned() || source.getType().isInteger(1);
  if (auto floatType = dyn_cast<FloatType>(type))
    return Element::ofFloat(
        type, roundFloat(isFloat ? source.real()
                                 : exactFloat(source.integer(), fromUnsigned),
                         floatType.getFloatSemantics(), rule));
  if (isFloat)
    return toInteger(op, source.real(), type, op.getToUnsigned(), rule);
  if (rule.saturate)
    return toInteger(op, exactFloat(source.integer(), fromUnsigned), type,
                     op.getToUnsigned(), rule);
  unsigned width = widthOf(type);
  return Element::ofInteger(type, fromUnsigned
                                      ? source.integer().zextOrTrunc(width)
                                      : source.integer().sextOrTrunc(width));
}

/// The converted element, with what else is permitted.
static Element openConvert(tile::ConvertOp op, ArrayRef<Element> operands,
                           Element converted, const RoundingRule &rule,
                           const FreedomOptions &options) {
  if (converted.isPoison())
    return converted;
  Type from = operands[0].getType();
  const Conversion conversion{rule, op.getFromUnsigned() || from.isInteger(1),
                              op.getToUnsigned()};
  const bool isSingle = !operands[0].hasSpread();
  if (operands.size() > 1 && operands[1].hasSpread())
    return converted.among(Permitted::any());
  if (isSingle && !isa<FloatType>(converted.getType()))
    return converted;
  return settle(
      converted,
      convertSet(operands[0], converted.getType(), conversion, options),
      isSingle);
}

static LogicalResult evalConvert(tile::ConvertOp op, ProgramInstance &program) {
  const TileValue &source = program.tile(op.getSource());
  TileValue result{op.getType(), {}};
  for (auto [i, element] : llvm::enumerate(source.elements)) {
    RoundingRule rule{op.getRounding(), op.getSaturate(), 0};
    SmallVector<Element> operands = {element};
    if (op.getRandom())
      operands.push_back(program.tile(op.getRandom()).elements[i]);
    if (const Element *poison = findPoison(operands)) {
      result.elements.push_back(
          Element::poison(result.elementType(), poison->poisonOrigin()));
      continue;
    }
    if (op.getRandom())
      rule.random =
          std::ldexp(double(operands[1].integer().getZExtValue()), -32);
    Element converted = convert(op, element, result.elementType(), rule);
    if (isOpen(operands, program.getFreedom()))
      converted = openConvert(op, operands, std::move(converted), rule,
                              program.getFreedom());
    result.elements.push_back(std::move(converted));
  }
  return program.set(op, std::move(result));
}

//===--- philox -----------------------------------------------------------===//

/// Philox 4x32-10 of Salmon et al., "Parallel random numbers: as easy as 1, 2,
/// 3" (2011): ten rounds, the key bumped between them.
static void philox(uint32_t counter[4], uint32_t key[2]) {
  for (int round = 0; round < 10; ++round) {
    uint64_t first = uint64_t(0xD2511F53) * counter[0];
    uint64_t second = uint64_t(0xCD9E8D57) * counter[2];
    uint32_t next[4] = {
        uint32_t(second >> 32) ^ counter[1] ^ key[0], uint32_t(second),
        uint32_t(first >> 32) ^ counter[3] ^ key[1], uint32_t(first)};
    std::copy(next, next + 4, counter);
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
}

static LogicalResult evalPhilox(tile::PhiloxOp op, ProgramInstance &program) {
  SmallVector<const TileValue *> operands;
  for (mlir::Value operand : op->getOperands())
    operands.push_back(&program.tile(operand));
  Type type = getElementTypeOrSelf(op.getR0());
  SmallVector<TileValue> results(4, TileValue{op.getR0().getType(), {}});
  for (size_t i = 0; i < operands[0]->elements.size(); ++i) {
    SmallVector<Element> elements;
    for (const TileValue *operand : operands)
      elements.push_back(operand->elements[i]);
    if (const Element *poison = findPoison(elements)) {
      for (TileValue &result : results)
        result.elements.push_back(
            Element::poison(type, poison->poisonOrigin()));
      continue;
    }
    const bool isOpen =
        llvm::any_of(elements, [](auto &x) { return x.hasSpread(); });
    uint32_t words[6];
    for (auto [n, element] : llvm::enumerate(elements))
      words[n] = element.integer().getZExtValue();
    philox(words, words + 4);
    for (auto [n, result] : llvm::enumerate(results))
      result.elements.push_back(
          Element::ofInt(type, words[n])
              .withSpread(isOpen ? Spread::any() : Spread()));
  }
  for (auto [value, result] : llvm::zip_equal(op->getResults(), results))
    (void)program.set(value, std::move(result));
  return success();
}

void addConvertOps(OpTable &table) {
  table.add<tile::ConvertOp>(evalConvert);
  table.add<tile::PhiloxOp>(evalPhilox);
}

} // namespace tilewright::reference
