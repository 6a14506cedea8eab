#include "verify/threads/SmallFloats.h"

#include "verify/threads/ByteTracking.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace tilewright::verify::threads {

//===--- What goes in -----------------------------------------------------===//

namespace {
/// Looks for the one value that a conversion is of.
class SourceFinder {
public:
  explicit SourceFinder(bool isDecoding) : isDecoding(isDecoding) {}
  /// Null if there are several, or ops that no conversion has, or if its bits
  /// are not used.
  Value find(Operation *op) {
    return visitOperands(op) && usesBits ? source : Value();
  }

  /// Of a source that is a vector: the element that a scalar comes from.
  [[nodiscard]] std::optional<int64_t> element() const { return position; }

private:
  bool visit(Value value);
  bool visitVector(vector::ExtractOp op);
  bool visitOperands(Operation *op) {
    return llvm::all_of(op->getOperands(),
                        [&](Value operand) { return visit(operand); });
  }
  bool isSource(Value value) {
    if (source && source != value)
      return false;
    source = value;
    return true;
  }

  static constexpr size_t kMostOps = 4000;
  bool isDecoding;
  bool usesBits = false;
  /// Whether the ops that are visited compute all elements.
  bool isInVector = false;
  std::optional<int64_t> position;
  Value source;
  SmallPtrSet<Operation *, 32> visited;
};
} // namespace

static bool isByte(Value value) {
  return getElementTypeOrSelf(value.getType()).isInteger(8);
}

/// What a scalar is computed from, if that is an element of a vector.
bool SourceFinder::visitVector(vector::ExtractOp op) {
  if (isInVector)
    return visitOperands(op);
  ArrayRef<int64_t> indices = op.getStaticPosition();
  if (indices.size() != 1 || op.hasDynamicPosition() ||
      (position && *position != indices[0]))
    return false;
  position = indices[0];
  isInVector = true;
  const bool isFound = visitOperands(op);
  isInVector = false;
  return isFound;
}

bool SourceFinder::visit(Value value) {
  Operation *op = value.getDefiningOp();
  const bool isFloat = isa<FloatType>(getElementTypeOrSelf(value.getType()));
  if (!op)
    return isDecoding ? isByte(value) && isSource(value)
                      : isFloat && isSource(value);
  if (matchPattern(op, m_Constant()))
    return true;
  if (!visited.insert(op).second)
    return true;
  if (visited.size() > kMostOps)
    return false;
  usesBits |= isa<arith::BitcastOp>(op);
  // A float that is rounded is one leaf; a decoded one is scaled.
  if (isFloat && !isDecoding)
    return isSource(value);
  if (isFloat && !isa<arith::BitcastOp, arith::MulFOp, arith::SelectOp,
                      vector::ExtractOp, vector::FromElementsOp>(op))
    return false;
  if (auto wider = dyn_cast<arith::ExtUIOp>(op);
      isDecoding && wider && isByte(wider.getIn()))
    return isSource(wider.getIn());
  // Conditions of vectors are computed element by element for a GPU.
  if (auto extract = dyn_cast<vector::ExtractOp>(op))
    return visitVector(extract);
  if (isa<vector::BroadcastOp, vector::FromElementsOp,
          math::CountLeadingZerosOp>(op) ||
      isa<arith::ArithDialect>(op->getDialect()))
    return visitOperands(op);
  return false;
}

//===--- What comes out ---------------------------------------------------===//

static SmallVector<FloatType, 2> formatsOf(unsigned bits, MLIRContext *c) {
  if (bits == 8)
    return {Float8E4M3FNType::get(c), Float8E5M2Type::get(c)};
  return {Float16Type::get(c), BFloat16Type::get(c)};
}

namespace {
struct ConversionTracker : Tracker {
  std::shared_ptr<const Tracker> otherwise;
  LaneRange source;
  SmallVector<NumberFormat, 2> formats;
};

/// Integers that are a float, rounded in any way.
struct RoundedTracker : ConversionTracker {
  std::optional<NumberFormat> from;

  void track(const Instruction &i, Thread &t) const override {
    // What is no conversion is an op on integers.
    otherwise->track(i, t);
    for (unsigned n = 0; n < i.lanes; ++n) {
      Lane &lane = t.frame[i.result + n];
      const Lane &x = t.frame[source.first + n];
      if (isPoison(lane) || isPoison(x))
        continue;
      const Inexact number = {from->load(x.bits),
                              errorOf(x, bitsOf(from->type))};
      if (std::optional<Mark> mark = markOf(lane.bits, number))
        lane.mark = *mark;
    }
  }
  /// Of several formats that it may be, the one with the greatest error.
  [[nodiscard]] std::optional<Mark> markOf(uint64_t bits,
                                           const Inexact &x) const {
    double greatest = -1;
    for (const NumberFormat &format : formats) {
      const double made = format.load(bits);
      if (std::isnan(x.value) && std::isnan(made))
        greatest = std::max(greatest, x.error);
      const double unit = format.unit(std::min(x.size(), format.largest));
      const double distance = std::fabs(made - x.value);
      const bool isSaturated = x.size() >= format.largest &&
                               std::fabs(made) == format.largest &&
                               std::signbit(made) == std::signbit(x.value);
      if (distance > unit && !isSaturated)
        continue;
      const double open =
          x.error == 0
              ? 0
              : 3 * x.error +
                    format.unit(std::min(x.size() + 2 * enlarged(x.error),
                                         format.largest));
      greatest = std::max(greatest, enlarged(distance + open));
    }
    return greatest < 0 ? std::nullopt : std::optional(Mark::error(greatest));
  }
};

/// A float of an 8-bit one.
struct DecodedTracker : ConversionTracker {
  std::optional<NumberFormat> to;

  void track(const Instruction &i, Thread &t) const override {
    const Lane *x = t.frame + source.first;
    if (std::all_of(x, x + i.lanes,
                    [](const Lane &lane) { return lane.mark.isExact(); }))
      return otherwise->track(i, t);
    for (unsigned n = 0; n < i.lanes; ++n) {
      Lane &lane = t.frame[i.result + n];
      const double made = to->load(lane.bits);
      const bool isDecoded =
          llvm::any_of(formats, [&](const NumberFormat &format) {
            return format.load(x[n].bits) == made;
          });
      if (!isPoison(lane))
        lane.mark = isDecoded ? Mark::error(errorOf(x[n], 8)) : Mark::unknown();
    }
  }
};
} // namespace

template <typename T>
static std::shared_ptr<T> conversion(Operation *op, const SourceFinder &finder,
                                     Value source, unsigned bits,
                                     std::shared_ptr<const Tracker> otherwise,
                                     const Compiler &compiler) {
  auto tracker = std::make_shared<T>();
  tracker->otherwise = std::move(otherwise);
  tracker->source = compiler.rangeOf(source);
  const unsigned count = compiler.rangeOf(op->getResult(0)).count;
  if (count == 1 && finder.element())
    tracker->source = {tracker->source.first + unsigned(*finder.element()), 1};
  if (tracker->source.count != count)
    return nullptr;
  for (FloatType type : formatsOf(bits, op->getContext()))
    tracker->formats.emplace_back(type);
  return tracker;
}

std::shared_ptr<const Tracker>
smallFloatTracker(Operation *op, std::shared_ptr<const Tracker> otherwise,
                  const Compiler &compiler) {
  if (!isa<arith::TruncIOp, arith::SelectOp, arith::MulFOp>(op) ||
      isRoundingToBfloat(op))
    return nullptr;
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  if (type.isInteger(8) || type.isInteger(16)) {
    SourceFinder finder(/*isDecoding=*/false);
    Value source = finder.find(op);
    auto tracker =
        source ? conversion<RoundedTracker>(op, finder, source, bitsOf(type),
                                            std::move(otherwise), compiler)
               : nullptr;
    if (tracker)
      tracker->from.emplace(
          cast<FloatType>(getElementTypeOrSelf(source.getType())));
    return tracker;
  }
  if (!type.isF32())
    return nullptr;
  SourceFinder finder(/*isDecoding=*/true);
  Value source = finder.find(op);
  auto tracker =
      source ? conversion<DecodedTracker>(op, finder, source, 8,
                                          std::move(otherwise), compiler)
             : nullptr;
  if (tracker)
    tracker->to.emplace(cast<FloatType>(type));
  return tracker;
}

} // namespace tilewright::verify::threads
