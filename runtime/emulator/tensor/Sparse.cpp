#include "runtime/emulator/tensor/Sparse.h"
#include "runtime/emulator/tensor/DotProduct.h"
#include "runtime/emulator/tensor/Kernels.h"
#include "runtime/emulator/tensor/TensorCore.h"
#include "support/Format.h"
#include <cassert>
#include <cstring>
#include <string>

namespace tilewright::emulator {

namespace {

constexpr int rows = 16;
constexpr int bitsPerChunk = 4;

bool isWide(ElementType type) { return elementFacts(type).registerBits >= 16; }

/// Bits of metadata that one lane holds of one row.
int rowBitsPerLane(ElementType type) { return isWide(type) ? 16 : 32; }

/// Lanes of a group of four that hold the metadata.
int lanesInUse(ElementType type, int depth) {
  int rowBits = bitsPerChunk * depth / sparseChunk(type);
  return rowBits / rowBitsPerLane(type) * (isWide(type) ? 1 : 2);
}

/// What is wrong with a chunk's four bits; null if nothing is.
const char *problemWith(ElementType type, bool ordered, unsigned first,
                        unsigned second) {
  if (first == second)
    return "both indices are the same";
  if (sparseChunk(type) == 2 && (second != first + 1 || first % 2 != 0))
    return "tf32 knows 0b0100 and 0b1110 alone";
  if (ordered && first > second)
    return "the indices of ordered metadata must ascend";
  return nullptr;
}

Status badMetadata(MetadataIndex index, int row, int chunk, unsigned bits,
                   const char *problem) {
  std::string digits;
  for (int bit = bitsPerChunk - 1; bit >= 0; --bit)
    digits += bits >> bit & 1 ? '1' : '0';
  return Status::invalidInput(format(
      "sparsity metadata of lane {}, bits {}:{} (row {}, chunk {}) is 0b{}: {}",
      {index.lane, index.bit + bitsPerChunk - 1, index.bit, row, chunk, digits,
       problem}));
}

/// The index in its chunk of stored element `index`.
int indexInChunk(int chunkSize, int index, unsigned first, unsigned second) {
  switch (chunkSize) {
  case 2:
    return static_cast<int>(first / 2);
  case 4:
    return static_cast<int>(index ? second : first);
  default:
    return static_cast<int>(index / 2 ? second : first) * 2 + index % 2;
  }
}

void expand(const Rule &rule, const void *stored, const std::uint8_t *columns,
            void *dense) {
  int depth = rule.operation.depth;
  int bytes = elementFacts(rule.operation.a).storageBytes;
  std::memset(dense, 0, std::size_t(rows) * depth * bytes);
  auto *from = static_cast<const char *>(stored);
  auto *to = static_cast<char *>(dense);
  for (int at = 0; at < rows * depth / 2; ++at)
    std::memcpy(to + (columns[at] * rows + at % rows) * bytes,
                from + std::ptrdiff_t{at} * bytes, bytes);
}

/// Whether a floating-point element is an infinity or a NaN.
bool isSpecial(ElementType type, std::uint32_t bits) {
  ElementFacts facts = elementFacts(type);
  if (type == ElementType::tf32)
    bits >>= 13;
  int width = facts.exponentBits + facts.fractionBits;
  std::uint32_t magnitude = bits & ((1u << width) - 1);
  std::uint32_t largest = (1u << width) - 1;
  switch (facts.special) {
  case SpecialValues::none:
    return false;
  case SpecialValues::nanOnly:
    return magnitude == largest;
  case SpecialValues::ieee:
    return magnitude >> facts.fractionBits == largest >> facts.fractionBits;
  }
  return false;
}

/// Whether any of `count` elements is an infinity or a NaN.
bool hasSpecial(ElementType type, const void *elements, int count) {
  StridedElements all = {type, elements, 1};
  bool special = false;
  for (int i = 0; i < count; ++i)
    special |= isSpecial(type, all.at(i));
  return special;
}

/// Column `column` of D, from the elements of B that are met alone.
void selectedColumn(const Rule &rule, int column, const void *a,
                    const std::uint8_t *columns, const StridedElements &b,
                    const void *c, void *d) {
  const MatrixOperation &op = rule.operation;
  int half = op.depth / 2, bytesA = elementFacts(op.a).storageBytes;
  int bytesC = elementFacts(op.c).storageBytes;
  int bytesD = elementFacts(op.d).storageBytes;
  int bytesB = elementFacts(op.b).storageBytes;
  Rule stored = rule;
  stored.operation.depth = half;
  stored.blockSize /= 2;
  stored.interleave /= 2;
  for (int row = 0; row < rows; ++row) {
    unsigned char selected[4 * mostDepth] = {};
    for (int k = 0; k < half; ++k) {
      std::uint32_t bits = b.at(columns[rows * k + row]);
      std::memcpy(selected + std::ptrdiff_t{k} * bytesB, &bits, bytesB);
    }
    std::uint32_t sum = 0;
    int at = column * rows + row;
    if (c)
      std::memcpy(&sum, static_cast<const char *>(c) + at * bytesC, bytesC);
    sum = dotProduct(stored,
                     {op.a, static_cast<const char *>(a) + row * bytesA, rows},
                     {op.b, selected, 1}, sum);
    std::memcpy(static_cast<char *>(d) + at * bytesD, &sum, bytesD);
  }
}

} // namespace

int sparseChunk(ElementType type) {
  int bits = elementFacts(type).registerBits;
  return bits == 32 ? 2 : bits == 4 ? 8 : 4;
}

int sparsitySelectors(ElementType type, int depth) {
  return 4 / lanesInUse(type, depth);
}

MetadataIndex metadataIndex(ElementType type, int depth, int selector, int row,
                            int chunk) {
  int bit = bitsPerChunk * chunk, perLane = rowBitsPerLane(type);
  int lane = row % 8 * 4 + selector * lanesInUse(type, depth);
  int lower = row / 8;
  if (isWide(type))
    return {lane + bit / perLane, lower * perLane + bit % perLane};
  return {lane + lower + bit / perLane * 2, bit % perLane};
}

Status storedColumns(ElementType type, int depth, bool ordered,
                     std::uint32_t selector, const std::uint32_t metadata[32],
                     std::uint8_t *columns) {
  int selectors = sparsitySelectors(type, depth);
  if (selector >= static_cast<std::uint32_t>(selectors))
    return Status::invalidInput(
        format("the sparsity selector is {}, the most for this shape is {}",
               {selector, selectors - 1}));
  int size = sparseChunk(type), kept = size / 2;
  for (int row = 0; row < rows; ++row)
    for (int chunk = 0; chunk < depth / size; ++chunk) {
      MetadataIndex index =
          metadataIndex(type, depth, static_cast<int>(selector), row, chunk);
      unsigned bits = metadata[index.lane] >> index.bit & 15;
      unsigned first = bits & 3, second = bits >> 2;
      if (const char *problem = problemWith(type, ordered, first, second))
        return badMetadata(index, row, chunk, bits, problem);
      for (int index = 0; index < kept; ++index)
        columns[rows * (chunk * kept + index) + row] =
            static_cast<std::uint8_t>(chunk * size +
                                      indexInChunk(size, index, first, second));
    }
  return {};
}

Status multiplyAccumulateSparse(const Rule &rule, int columns, const void *a,
                                const std::uint8_t *storedColumns,
                                const void *b, const void *c, void *d,
                                HostIsa isa) {
  const MatrixOperation &op = rule.operation;
  unsigned char dense[2 * mostStoredElements];
  assert(rows * op.depth * elementFacts(op.a).storageBytes <=
         static_cast<int>(sizeof dense));
  expand(rule, a, storedColumns, dense);
  if (!hasSpecial(op.b, b, columns * op.depth))
    return multiplyAccumulate(rule, rows, columns, dense, b, c, d, isa);
  // Zeros of the dense A must not meet an infinity.
  int bytesB = elementFacts(op.b).storageBytes;
  int bytesC = elementFacts(op.c).storageBytes;
  int bytesD = elementFacts(op.d).storageBytes;
  for (int column = 0; column < columns; ++column) {
    const void *elements = static_cast<const char *>(b) +
                           std::ptrdiff_t{column} * op.depth * bytesB;
    std::ptrdiff_t at = std::ptrdiff_t{column} * rows;
    if (hasSpecial(op.b, elements, op.depth)) {
      selectedColumn(rule, column, a, storedColumns, {op.b, elements, 1}, c, d);
      continue;
    }
    TILEWRIGHT_RETURN_IF_ERROR(multiplyAccumulate(
        rule, rows, 1, dense, elements,
        c ? static_cast<const char *>(c) + at * bytesC : nullptr,
        static_cast<char *>(d) + at * bytesD, isa));
  }
  return {};
}

} // namespace tilewright::emulator
