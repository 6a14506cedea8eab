//===- DotReader.cpp - How a thread reads an operand of a dot -------------===//
#include "codegen/nvptx/DotReader.h"

#include "llvm/ADT/STLExtras.h"

namespace tilewright::nvptx {

using layout::SharedInstruction;

StatusOr<DotReader> DotReader::create(const layout::Layout &accumulators,
                                      tilegpu::DotSide side, int64_t depth,
                                      const layout::Layout &memory,
                                      unsigned elementBits) {
  DotReader reader;
  TILEWRIGHT_ASSIGN_OR_RETURN(reader.operand,
                              tilegpu::dotOperand(accumulators, side, depth));
  TILEWRIGHT_ASSIGN_OR_RETURN(
      reader.accesses,
      layout::sharedAccess(reader.operand.layout, memory, elementBits));
  int32_t fibers = *llvm::max_element(reader.operand.fiber) + 1;
  reader.ofPosition.resize(size_t(depth));
  reader.registers.assign(size_t(depth), std::vector<int32_t>(fibers, -1));
  for (int32_t i = 0; i < int32_t(reader.accesses.instructions.size()); ++i)
    for (int32_t reg : reader.loadedBy(i)) {
      if (reg < 0)
        continue;
      int32_t position = reader.operand.depth[reg];
      reader.registers[position][reader.operand.fiber[reg]] = reg;
      if (!llvm::is_contained(reader.ofPosition[position], i))
        reader.ofPosition[position].push_back(i);
    }
  return reader;
}

/// Whether access `b` loads what `a` does, `apart` positions further.
bool DotReader::sameLoads(int32_t a, int32_t b, int64_t apart) const {
  return llvm::all_of_zip(loadedBy(a), loadedBy(b), [&](int32_t x, int32_t y) {
    if (x < 0 || y < 0)
      return x == y;
    return operand.fiber[x] == operand.fiber[y] &&
           operand.depth[x] + apart == operand.depth[y];
  });
}

std::optional<SharedInstruction>
DotReader::distance(llvm::ArrayRef<int64_t> positions, int64_t start) const {
  std::optional<SharedInstruction> result;
  for (int64_t position : positions) {
    llvm::ArrayRef<int32_t> first = accessesAt(position);
    llvm::ArrayRef<int32_t> other = accessesAt(position + start);
    if (first.size() != other.size())
      return std::nullopt;
    for (auto [a, b] : llvm::zip(first, other)) {
      if (!sameLoads(a, b, start))
        return std::nullopt;
      const SharedInstruction &from = accesses.instructions[a];
      const SharedInstruction &to = accesses.instructions[b];
      SharedInstruction found{from.xorOffset ^ to.xorOffset,
                              to.addOffset - from.addOffset};
      if (result && (result->xorOffset != found.xorOffset ||
                     result->addOffset != found.addOffset))
        return std::nullopt;
      result = found;
    }
  }
  return result;
}

//===--- Chunks -----------------------------------------------------------===//

namespace {
/// A way to split a depth of odd * 2^n: bits of the position that choose the
/// chunk, and a divisor of the odd part.
struct Split {
  llvm::ArrayRef<unsigned> bits;
  int64_t oddChunks = 1;

  [[nodiscard]] int64_t count() const { return oddChunks << bits.size(); }
  /// Where chunk `chunk` of `depth` starts.
  [[nodiscard]] int64_t start(int64_t chunk, int64_t depth) const {
    int64_t start = (chunk >> bits.size()) * (depth / oddChunks);
    for (auto [i, bit] : llvm::enumerate(bits))
      start |= (chunk >> i & 1) << bit;
    return start;
  }
  [[nodiscard]] std::vector<int64_t> positions(int64_t depth) const {
    int64_t chosen = 0;
    for (unsigned bit : bits)
      chosen |= int64_t(1) << bit;
    std::vector<int64_t> result;
    for (int64_t position = 0; position < depth / oddChunks; ++position)
      if (!(position & chosen))
        result.push_back(position);
    return result;
  }
};
} // namespace

/// The bits of positions that both operands' accesses allow to choose chunks,
/// the highest first.
static llvm::SmallVector<unsigned> chunkBits(const DotReader &lhs,
                                             const DotReader &rhs) {
  llvm::SmallVector<unsigned> result;
  for (unsigned bit = std::countr_zero(uint64_t(lhs.depth())); bit-- > 0;) {
    const unsigned bits[] = {bit};
    std::vector<int64_t> positions = Split{bits}.positions(lhs.depth());
    if (lhs.distance(positions, int64_t(1) << bit) &&
        rhs.distance(positions, int64_t(1) << bit))
      result.push_back(bit);
  }
  return result;
}

/// The steps of the chunks of `split`; nothing where they are not so related.
static std::optional<ChunkSteps> stepsOf(const DotReader &reader,
                                         const Split &split) {
  unsigned bits = unsigned(split.bits.size());
  std::vector<int64_t> positions = split.positions(reader.depth());
  ChunkSteps steps{layout::LinearMap(0, 64), 0};
  for (int64_t chunk = 1; chunk < split.count(); ++chunk) {
    std::optional<SharedInstruction> found =
        reader.distance(positions, split.start(chunk, reader.depth()));
    if (!found)
      return std::nullopt;
    unsigned known = steps.linear.inBits();
    if (known < bits && chunk == int64_t(1) << known)
      steps.linear.append(layout::Bits(found->xorOffset));
    if (chunk == int64_t(1) << bits)
      steps.stride = found->addOffset;
    layout::Bits low = layout::Bits(chunk) & layout::lowBits(bits);
    if (int64_t(steps.linear.apply(low)) != found->xorOffset ||
        steps.stride * (chunk >> bits) != found->addOffset)
      return std::nullopt;
  }
  return steps;
}

DotChunks chooseChunks(const DotReader &lhs, const DotReader &rhs,
                       int64_t longest) {
  int64_t depth = lhs.depth();
  int64_t odd = depth >> std::countr_zero(uint64_t(depth));
  llvm::SmallVector<unsigned> bits = chunkBits(lhs, rhs);
  DotChunks best;
  best.positions = Split{}.positions(depth);
  auto isBetter = [&](int64_t count) {
    int64_t length = depth / count;
    int64_t bestLength = int64_t(best.positions.size());
    return bestLength > longest ? length < bestLength
                                : length <= longest && length > bestLength;
  };
  for (int64_t oddChunks = 1; oddChunks <= odd; ++oddChunks)
    for (size_t chosen = 0; chosen <= bits.size(); ++chosen) {
      Split split{llvm::ArrayRef(bits).take_front(chosen), oddChunks};
      if (odd % oddChunks || !isBetter(split.count()))
        continue;
      std::optional<ChunkSteps> left = stepsOf(lhs, split);
      std::optional<ChunkSteps> right = stepsOf(rhs, split);
      if (left && right)
        best = {split.count(), split.positions(depth), *left, *right};
    }
  return best;
}

} // namespace tilewright::nvptx
