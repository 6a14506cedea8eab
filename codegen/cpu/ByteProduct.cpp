//===- ByteProduct.cpp - Products of integers of 8 bits -------------------===//
#include "codegen/cpu/ByteProduct.h"

#include "codegen/cpu/Arithmetic.h"
#include "codegen/cpu/CpuTargets.h"
#include "codegen/cpu/LaneAccess.h"
#include "codegen/cpu/Loops.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tilewright::cpu {

namespace {
/// Steps of the depth that are multiplied together, and the vectors of
/// accumulators that their products are added to.
constexpr int64_t stepsTogether = 4;

/// An instruction that is asked for by name.
struct NamedInstruction {
  int64_t bits;
  /// LLVM's intrinsic, and the feature that it needs; empty: the target's
  /// vectors are enough.
  StringRef intrinsic, feature;
};

/// acc + the sum of four products of an unsigned and a signed byte.
constexpr NamedInstruction fourBytes[] = {
    {512, "llvm.x86.avx512.vpdpbusd.512", "avx512vnni"},
    {256, "llvm.x86.avx512.vpdpbusd.256", "avxvnni"},
};
/// The sum of two products of 16 bits.
constexpr NamedInstruction twoWords[] = {
    {512, "llvm.x86.avx512.pmaddw.d.512", ""},
    {256, "llvm.x86.avx2.pmadd.wd", ""},
};

/// Emits one block.
class ByteBlock {
public:
  ByteBlock(ImplicitLocOpBuilder &b, const ProductBlock &block,
            const CpuTarget &target);
  void emit(int64_t depth);

private:
  using Vectors = SmallVector<Value>;

  [[nodiscard]] VectorType vector(int64_t bits) const {
    return VectorType::get({target.vectorBits / bits}, b.getIntegerType(bits));
  }
  Value as(Value value, int64_t bits) {
    return vector::BitCastOp::create(b, vector(bits), value);
  }
  Value constant(int64_t bits, int64_t value) {
    VectorType type = vector(bits);
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(type, APInt(unsigned(bits), uint64_t(value),
                                              /*isSigned=*/true,
                                              /*implicitTrunc=*/true)));
  }
  Value interleave(Value x, Value y, int64_t bytes, bool isHigh);
  Vectors loadRight(Value k, int64_t steps, int64_t part);
  Value loadLeft(Value k, int64_t row, int64_t steps);
  Value multiply(Value left, Value right, Value acc);
  Value call(StringRef intrinsic, ArrayRef<Value> operands);
  Vectors words(Value bytes, bool isUnsigned);
  Vectors step(Value k, int64_t steps, ValueRange accumulators);
  Vectors inColumns(ArrayRef<Value> accumulators);
  void store(ValueRange accumulators);

  ImplicitLocOpBuilder &b;
  const ProductBlock &block;
  const CpuTarget &target;
  const NamedInstruction *four = nullptr, *two = nullptr;
  /// How often the block has four vectors.
  int64_t parts = 1;
  /// Whether the right side's bytes are taken as those of the other sign:
  /// b - 128 for b, or b + 128. Then the sum of each row of the left side is
  /// accumulated, too, behind the products.
  bool isShifted = false;
};
} // namespace

/// Whether the target has a feature, under LLVM's name.
static bool hasFeature(const CpuTarget &target, StringRef name) {
  SmallVector<StringRef> features;
  StringRef(target.features).split(features, ',');
  return llvm::is_contained(features, ("+" + name).str());
}

static const NamedInstruction *
instructionOf(ArrayRef<NamedInstruction> instructions,
              const CpuTarget &target) {
  const auto *found =
      llvm::find_if(instructions, [&](const NamedInstruction &each) {
        return each.bits == target.vectorBits &&
               (each.feature.empty() || hasFeature(target, each.feature));
      });
  return found == instructions.end() ? nullptr : found;
}

ByteBlock::ByteBlock(ImplicitLocOpBuilder &b, const ProductBlock &block,
                     const CpuTarget &target)
    : b(b), block(block), target(target),
      four(instructionOf(fourBytes, target)),
      two(instructionOf(twoWords, target)),
      parts(int64_t(block.columns.size()) / stepsTogether),
      isShifted(four && block.lhs.isUnsigned == block.rhs.isUnsigned) {}

Value ByteBlock::call(StringRef intrinsic, ArrayRef<Value> operands) {
  return LLVM::CallIntrinsicOp::create(b, vector(32),
                                       b.getStringAttr(intrinsic), operands)
      .getResult(0);
}

/// Units of `bytes` of x and y in turn, from the low or the high half of each
/// 16 bytes.
Value ByteBlock::interleave(Value x, Value y, int64_t bytes, bool isHigh) {
  constexpr int64_t part = 16;
  const int64_t size = target.vectorBits / 8;
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < size; ++i) {
    const int64_t unit = i % part / bytes;
    order.push_back(i / part * part + isHigh * part / 2 + unit / 2 * bytes +
                    i % bytes + unit % 2 * size);
  }
  return vector::ShuffleOp::create(b, x, y, order);
}

/// Four vectors, each with four steps of the depth of some columns of a part.
ByteBlock::Vectors ByteBlock::loadRight(Value k, int64_t steps, int64_t part) {
  Value rows[stepsTogether];
  for (int64_t i = 0; i < stepsTogether; ++i) {
    if (i >= steps) {
      rows[i] = constant(8, 0);
      continue;
    }
    Value at = add(b, mul(b, add(b, k, index(b, i)), block.rhs.depthStride),
                   index(b, part * target.vectorBits / 8));
    Value from = address(b, block.rhs.pointer, at, block.rhs.element);
    rows[i] = LLVM::LoadOp::create(b, vector(8), from, /*alignment=*/1);
  }
  Vectors result;
  for (bool isHigh : {false, true}) {
    Value first = interleave(rows[0], rows[1], 1, isHigh),
          second = interleave(rows[2], rows[3], 1, isHigh);
    for (bool isHigher : {false, true})
      result.push_back(interleave(first, second, 2, isHigher));
  }
  if (isShifted)
    for (Value &each : result)
      each = arith::XOrIOp::create(b, each, constant(8, -128));
  return result;
}

/// Four elements of a row, again and again.
Value ByteBlock::loadLeft(Value k, int64_t row, int64_t steps) {
  Type i32 = b.getI32Type();
  Value at = add(b, k, mul(b, index(b, row), block.lhs.rowStride));
  Value word;
  if (steps == stepsTogether)
    word = LLVM::LoadOp::create(
        b, i32, address(b, block.lhs.pointer, at, block.lhs.element),
        /*alignment=*/1);
  for (int64_t i = 0; steps < stepsTogether && i < steps; ++i) {
    Value from = address(b, block.lhs.pointer, add(b, at, index(b, i)),
                         block.lhs.element);
    Value byte = arith::ExtUIOp::create(
        b, i32, LLVM::LoadOp::create(b, b.getI8Type(), from, 1));
    byte = arith::ShLIOp::create(
        b, byte, arith::ConstantOp::create(b, b.getI32IntegerAttr(8 * int(i))));
    word = word ? Value(arith::OrIOp::create(b, word, byte)) : byte;
  }
  return as(vector::BroadcastOp::create(b, vector(32), word), 8);
}

/// The even and the odd bytes, as 16 bits.
ByteBlock::Vectors ByteBlock::words(Value bytes, bool isUnsigned) {
  Value both = as(bytes, 16), eight = constant(16, 8);
  if (isUnsigned)
    return {arith::AndIOp::create(b, both, constant(16, 255)),
            arith::ShRUIOp::create(b, both, eight)};
  Value up = arith::ShLIOp::create(b, both, eight);
  return {arith::ShRSIOp::create(b, up, eight),
          arith::ShRSIOp::create(b, both, eight)};
}

/// acc + the sum of four products, in each lane of 32 bits.
Value ByteBlock::multiply(Value left, Value right, Value acc) {
  if (four) {
    const bool isLeftFirst = block.lhs.isUnsigned;
    return call(four->intrinsic,
                {acc, isLeftFirst ? left : right, isLeftFirst ? right : left});
  }
  for (auto [x, y] : llvm::zip(words(left, block.lhs.isUnsigned),
                               words(right, block.rhs.isUnsigned)))
    acc = arith::AddIOp::create(b, acc, call(two->intrinsic, {x, y}));
  return acc;
}

ByteBlock::Vectors ByteBlock::step(Value k, int64_t steps,
                                   ValueRange accumulators) {
  const int64_t inRow = stepsTogether * parts + isShifted;
  Vectors next(accumulators), left;
  for (int64_t row = 0; row < block.rows; ++row) {
    left.push_back(loadLeft(k, row, steps));
    if (Value &sum = next[size_t((row + 1) * inRow - 1)]; isShifted)
      sum = multiply(left.back(), constant(8, 1), sum);
  }
  // Part by part: registers hold one of the right side.
  for (int64_t part = 0; part < parts; ++part) {
    const Vectors right = loadRight(k, steps, part);
    for (int64_t row = 0; row < block.rows; ++row)
      for (auto [i, each] : llvm::enumerate(right)) {
        Value &acc = next[size_t(row * inRow + part * stepsTogether) + i];
        acc = multiply(left[size_t(row)], each, acc);
      }
  }
  return next;
}

/// Four accumulators with their columns in order.
ByteBlock::Vectors ByteBlock::inColumns(ArrayRef<Value> accumulators) {
  constexpr int64_t inPart = 4;
  const int64_t lanes = target.vectorBits / 32;
  // Where column `c` of the block is.
  auto source = [](int64_t c) { return c / inPart % stepsTogether; };
  auto lane = [](int64_t c) {
    return c / (inPart * stepsTogether) * inPart + c % inPart;
  };
  Vectors result;
  for (int64_t first = 0; first < stepsTogether * lanes; first += lanes) {
    // From the first two accumulators, and from the others.
    Value halves[2];
    SmallVector<int64_t> merge;
    for (int64_t half = 0; half < 2; ++half) {
      SmallVector<int64_t> order;
      for (int64_t c = first; c < first + lanes; ++c)
        order.push_back(source(c) % 2 * lanes + lane(c));
      halves[half] =
          vector::ShuffleOp::create(b, accumulators[size_t(2 * half)],
                                    accumulators[size_t(2 * half + 1)], order);
    }
    for (int64_t c = first; c < first + lanes; ++c)
      merge.push_back(source(c) / 2 * lanes + c - first);
    result.push_back(vector::ShuffleOp::create(b, halves[0], halves[1], merge));
  }
  return result;
}

/// Adds the block to what is in memory.
void ByteBlock::store(ValueRange accumulators) {
  const int64_t lanes = target.vectorBits / 32, inRow = stepsTogether * parts;
  for (int64_t row = 0; row < block.rows; ++row) {
    ValueRange ofRow = accumulators.slice(size_t(row * (inRow + isShifted)),
                                          size_t(inRow + isShifted));
    Vectors sums(ofRow.take_front(size_t(inRow)));
    if (isShifted) {
      // sum(x b) = sum(x (b - 128)) + 128 sum(x), and likewise.
      Value shift = arith::ShLIOp::create(b, ofRow.back(), constant(32, 7));
      for (Value &sum : sums)
        sum = block.rhs.isUnsigned
                  ? Value(arith::AddIOp::create(b, sum, shift))
                  : Value(arith::SubIOp::create(b, sum, shift));
    }
    Vectors ordered;
    for (int64_t part = 0; part < parts; ++part)
      ordered.append(inColumns(ArrayRef(sums).slice(
          size_t(part * stepsTogether), size_t(stepsTogether))));
    for (auto [v, sum] : llvm::enumerate(ordered)) {
      Value to = address(b, block.acc,
                         index(b, row * block.accStride + int64_t(v) * lanes),
                         block.element);
      Value old = loadLanes(b, to, {}, true, block.element, lanes, {}, {});
      storeLanes(b, arith::AddIOp::create(b, old, sum), to, {}, true,
                 block.element, lanes, {});
    }
  }
}

void ByteBlock::emit(int64_t depth) {
  const int64_t whole = depth / stepsTogether * stepsTogether;
  Vectors accumulators(size_t(block.rows * (stepsTogether * parts + isShifted)),
                       constant(32, 0));
  if (whole > stepsTogether) {
    auto loop = scf::ForOp::create(b, index(b, 0), index(b, whole),
                                   index(b, stepsTogether), accumulators);
    loop->setAttr("llvm.loop_annotation", notUnrolled(b.getContext()));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(b, step(loop.getInductionVar(), stepsTogether,
                                 loop.getRegionIterArgs()));
    accumulators.assign(loop.getResults().begin(), loop.getResults().end());
  } else if (whole == stepsTogether) {
    accumulators = step(index(b, 0), stepsTogether, accumulators);
  }
  if (depth > whole)
    accumulators = step(index(b, whole), depth - whole, accumulators);
  store(accumulators);
}

bool canMultiplyBytes(Type lhs, Type rhs, Type accumulator,
                      const CpuTarget &target) {
  return lhs.isInteger(8) && rhs.isInteger(8) && accumulator.isInteger(32) &&
         isX86(target) && instructionOf(twoWords, target);
}

bool hasContiguousRows(const MatrixSource &lhs) {
  APInt unit;
  return !lhs.isPanels &&
         matchPattern(lhs.columnStride, m_ConstantInt(&unit)) && unit == 1;
}

void emitByteBlock(ImplicitLocOpBuilder &b, const ProductBlock &block,
                   int64_t depth, const CpuTarget &target) {
  ByteBlock(b, block, target).emit(depth);
}

std::string requiredFeatures(ModuleOp module, const CpuTarget &target) {
  llvm::SmallVector<StringRef> features{target.required};
  module.walk([&](LLVM::CallIntrinsicOp op) {
    for (const NamedInstruction &each : fourBytes)
      if (op.getIntrin() == each.intrinsic &&
          !llvm::is_contained(features, each.feature))
        features.push_back(each.feature);
  });
  return llvm::join(features, ",");
}

} // namespace tilewright::cpu
