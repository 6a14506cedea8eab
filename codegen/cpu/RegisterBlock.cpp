//===- RegisterBlock.cpp - What of a product is in registers --------------===//
#include "codegen/cpu/RegisterBlock.h"

#include <algorithm>
#include <bit>

namespace tilewright::cpu {

std::vector<VectorPart> partsOfRest(int64_t elements, const CpuTarget &target) {
  if (elements == 0)
    return {};
  auto next = int64_t(std::bit_ceil(uint64_t(elements)));
  if (target.masksLanes || next == elements)
    return {{next, next - elements}};
  auto largest = int64_t(std::bit_floor(uint64_t(elements)));
  std::vector<VectorPart> parts = partsOfRest(elements - largest, target);
  parts.insert(parts.begin(), {largest, 0});
  return parts;
}

std::vector<VectorPart> partsOf(int64_t columns, int64_t lanes,
                                const CpuTarget &target) {
  std::vector<VectorPart> parts(size_t(columns / lanes), {lanes, 0});
  for (const VectorPart &part : partsOfRest(columns % lanes, target))
    parts.push_back(part);
  return parts;
}

int64_t vectorsOf(int64_t columns, int64_t lanes, const CpuTarget &target) {
  return columns / lanes + int64_t(partsOfRest(columns % lanes, target).size());
}

/// The rough cost of one step of the depth over all blocks, in eighths of a
/// cycle. Multiplies and loads have the same throughput, and each accumulator
/// waits for its last multiply-add. Loads cost a little extra, vectors of the
/// right side more than elements of the left, which are nearby.
static int64_t costOf(int64_t rows, int64_t vectors, int64_t allRows,
                      int64_t allVectors) {
  constexpr int64_t latency = 8;
  int64_t cost = 0;
  auto add = [&](int64_t blocks, int64_t r, int64_t v) {
    if (r > 0 && v > 0)
      cost += blocks * (8 * std::max({r * v, r + v, latency}) + 2 * r + 3 * v);
  };
  int64_t down = allRows / rows, across = allVectors / vectors;
  int64_t rowsLeft = allRows % rows, vectorsLeft = allVectors % vectors;
  add(down * across, rows, vectors);
  add(down, rows, vectorsLeft);
  add(across, rowsLeft, vectors);
  add(1, rowsLeft, vectorsLeft);
  return cost;
}

RegisterBlock chooseRegisterBlock(int64_t rows, int64_t columns, int64_t bits,
                                  const schedule::CpuSchedule &schedule,
                                  const CpuTarget &target) {
  RegisterBlock best;
  // Narrow elements are computed in 32 bits: more lanes would spill.
  best.lanes = std::max<int64_t>(1, target.lanes(std::max<int64_t>(32, bits)));
  best.unroll = std::max(1u, schedule.unroll);
  best.columnsOutside = schedule.order == 1;
  int64_t vectors = vectorsOf(columns, best.lanes, target);
  int64_t given[2] = {std::min<int64_t>(schedule.rows, rows),
                      std::min<int64_t>(schedule.vectors, vectors)};
  best.rows = std::max<int64_t>(1, given[0]);
  best.vectors = std::max<int64_t>(1, given[1]);
  if (best.registers() > target.vectorRegisters)
    return best;
  std::optional<int64_t> least;
  for (int64_t v = 1; v <= vectors; ++v) {
    if (given[1] && v != given[1])
      continue;
    for (int64_t r = 1; r <= rows; ++r) {
      if (given[0] && r != given[0])
        continue;
      RegisterBlock block = best;
      block.rows = r;
      block.vectors = v;
      if (block.registers() > target.vectorRegisters)
        break;
      int64_t cost = costOf(r, v, rows, vectors);
      if (!least || cost < *least) {
        least = cost;
        best = block;
      }
    }
  }
  return best;
}

std::optional<RegisterBlock> byteBlock(int64_t rows, int64_t columns,
                                       const CpuTarget &target) {
  // Eight registers for each row and four vectors: of four accumulators, the
  // right side and the sums of rows.
  const int64_t most = std::max<int64_t>(1, target.vectorRegisters / 8);
  const int64_t passes = std::max<int64_t>(1, (rows + most - 1) / most);
  RegisterBlock block;
  block.rows = std::max<int64_t>(1, (rows + passes - 1) / passes);
  block.lanes = target.lanes(32);
  block.vectors = 4 * std::min(most / block.rows, columns / (4 * block.lanes));
  return block.vectors > 0 ? std::optional(block) : std::nullopt;
}

bool rowsCollide(int64_t bytes) {
  // Bits of an address that choose a set: 64 sets of 64 bytes.
  constexpr int64_t waySize = 4096;
  return bytes > 0 && bytes % waySize == 0;
}

bool paysToPackLeft(const RegisterBlock &block, int64_t columns,
                    int64_t rowBytes) {
  constexpr int64_t manyRows = 4, manyColumns = 256;
  return rowsCollide(rowBytes) && block.rows >= manyRows &&
         columns >= manyColumns;
}

bool paysToPackRight(int64_t rows, int64_t depth, int64_t columns) {
  constexpr int64_t manyRows = 48, longDepth = 128;
  return rows >= manyRows && depth >= longDepth && columns > 1;
}

} // namespace tilewright::cpu
