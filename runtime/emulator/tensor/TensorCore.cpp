#include "runtime/emulator/tensor/TensorCore.h"
#include "runtime/emulator/tensor/DotProduct.h"
#include "runtime/emulator/tensor/Kernels.h"
#include "support/Format.h"
#include <bit>
#include <cassert>
#include <cstring>

namespace tilewright::emulator {

using Accumulator = Rule::Accumulator;

namespace {

OperandFormat operandFormat(ElementType type) {
  ElementFacts facts = elementFacts(type);
  int width = facts.exponentBits + facts.fractionBits;
  OperandFormat format = {facts.storageBytes, facts.exponentBits,
                          facts.fractionBits, 0, 1u << width};
  if (type == ElementType::tf32)
    format.droppedBits = 13;
  if (facts.special == SpecialValues::ieee)
    format.firstSpecial = ((1u << facts.exponentBits) - 1)
                          << facts.fractionBits;
  if (facts.special == SpecialValues::nanOnly)
    format.firstSpecial = (1u << width) - 1;
  return format;
}

AlignedSum spelledOut(const Rule &rule) {
  const MatrixOperation &op = rule.operation;
  AlignedSum sum = {};
  sum.a = operandFormat(op.a);
  sum.b = operandFormat(op.b);
  sum.halfC = op.c == ElementType::f16;
  sum.halfD = op.d == ElementType::f16;
  sum.halfAccumulator = rule.accumulator == Accumulator::f16;
  sum.keptBits = rule.accumulator == Accumulator::f32With13Bits ? 13 : 23;
  sum.fractionBits = rule.fractionBits;
  sum.blockSize = rule.blockSize;
  sum.interleave = rule.interleave;
  sum.accumulatorLast = rule.accumulatorLast;
  sum.exponentFloor = rule.exponentFloor;
  return sum;
}

/// One element of C or D in a plain array.
std::uint32_t loadElement(const void *from, ElementType type, int at) {
  return from ? StridedElements{type, from, 1}.at(at) : 0;
}
void storeElement(void *to, ElementType type, int at, std::uint32_t bits) {
  int bytes = elementFacts(type).storageBytes;
  auto narrow = static_cast<std::uint16_t>(bits);
  char *target = static_cast<char *>(to) + std::ptrdiff_t{at} * bytes;
  if (bytes == 2)
    std::memcpy(target, &narrow, sizeof narrow);
  else
    std::memcpy(target, &bits, sizeof bits);
}

/// Computes the elements that the kernel left out, one by one.
void specialElements(const Rule &rule, const MatrixData &data,
                     const std::uint64_t *special) {
  const MatrixOperation &op = rule.operation;
  int bytesA = elementFacts(op.a).storageBytes;
  int bytesB = elementFacts(op.b).storageBytes;
  for (int column = 0; column < data.columns; ++column)
    for (std::uint64_t rows = special[column]; rows; rows &= rows - 1) {
      int row = std::countr_zero(rows), at = column * data.rows + row;
      StridedElements a = {
          op.a, static_cast<const char *>(data.a) + row * bytesA, data.rows};
      StridedElements b = {op.b,
                           static_cast<const char *>(data.b) +
                               std::ptrdiff_t{column} * data.depth * bytesB,
                           1};
      storeElement(data.d, op.d, at,
                   dotProduct(rule, a, b, loadElement(data.c, op.c, at)));
    }
}

void alignedSums(const Rule &rule, const Kernels &kernels,
                 const MatrixData &data) {
  // A panel of columns at a time, to bound the list of special rows.
  constexpr int panel = 64;
  AlignedSum sum = spelledOut(rule);
  int bytesB = elementFacts(rule.operation.b).storageBytes;
  int bytesC = elementFacts(rule.operation.c).storageBytes;
  int bytesD = elementFacts(rule.operation.d).storageBytes;
  for (int first = 0; first < data.columns; first += panel) {
    MatrixData part = data;
    part.columns = std::min(panel, data.columns - first);
    part.b = static_cast<const char *>(data.b) + first * data.depth * bytesB;
    if (data.c)
      part.c = static_cast<const char *>(data.c) + first * data.rows * bytesC;
    part.d = static_cast<char *>(data.d) + first * data.rows * bytesD;
    std::uint64_t special[panel];
    if (kernels.alignedSum(part, sum, special))
      specialElements(rule, part, special);
  }
}

void fusedChains(const Rule &rule, const MatrixData &data) {
  auto *a = static_cast<const double *>(data.a);
  auto *b = static_cast<const double *>(data.b);
  for (int column = 0; column < data.columns; ++column)
    for (int row = 0; row < data.rows; ++row) {
      int at = column * data.rows + row;
      std::uint64_t c = 0;
      if (data.c)
        std::memcpy(&c, static_cast<const double *>(data.c) + at, sizeof c);
      std::uint64_t d =
          fusedChain(rule, {ElementType::f64, a + row, data.rows},
                     {ElementType::f64, b + column * data.depth, 1}, c);
      std::memcpy(static_cast<double *>(data.d) + at, &d, sizeof d);
    }
}

Status checkSizes(const Rule &rule, const MatrixData &data) {
  bool rowsFit = data.rows == 8 || (data.rows > 0 && data.rows % 16 == 0 &&
                                    data.rows <= mostRows);
  // Integers may be twice as deep; bits are counted in words.
  bool exact = rule.kind == Rule::Kind::integer;
  int limit = exact ? 2 * mostDepth : mostDepth;
  if (rowsFit && data.columns >= 0 && data.depth > 0 && data.depth <= limit)
    return {};
  return Status::unsupported(
      format("a tensor-core operation of {} rows, {} columns and depth {} is "
             "not supported",
             {data.rows, data.columns, rule.operation.depth}));
}

} // namespace

Status multiplyAccumulate(const Rule &rule, int rows, int columns,
                          const void *a, const void *b, const void *c, void *d,
                          HostIsa isa) {
  const MatrixOperation &op = rule.operation;
  bool bits = rule.kind == Rule::Kind::bits;
  MatrixData data = {rows, columns, bits ? op.depth / 32 : op.depth, a, b,
                     c,    d};
  TILEWRIGHT_RETURN_IF_ERROR(checkSizes(rule, data));
  assert(hasTensorKernels(isa) && "no kernels for this instruction set");
  const Kernels &kernels = tensorKernels(isa);
  switch (rule.kind) {
  case Rule::Kind::alignedSum:
    alignedSums(rule, kernels, data);
    break;
  case Rule::Kind::fusedChain:
    if (op.rounding == Rounding::nearestEven)
      kernels.fusedChain(data);
    else
      fusedChains(rule, data);
    break;
  case Rule::Kind::integer: {
    bool narrow = op.a == ElementType::s4 || op.a == ElementType::u4;
    auto isSigned = [](ElementType type) {
      return type == ElementType::s8 || type == ElementType::s4;
    };
    kernels.integerSum(
        data, {narrow ? 4 : 8, isSigned(op.a), isSigned(op.b), op.saturate});
    break;
  }
  case Rule::Kind::bits:
    kernels.bitCount(data, op.bitOperation == BitOperation::conjunction);
    break;
  }
  return {};
}

} // namespace tilewright::emulator
